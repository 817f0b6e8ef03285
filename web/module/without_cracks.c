// SPDX-License-Identifier: MIT

// In place of src/fracture/crack_breakup.c in a module that shatters only: finite elements stay out of the download.

#include "base/report.h"
#include "fracture/breakup.h"

brResult brMakeCrackBreakup(const brContext* context, const brBreakupDef* def, brShatter** outShatter, brReport* report)
{
	(void)context, (void)def, (void)outShatter;
	return brFail(report, br_errorUnsupported, "this page shatters; cracks are in the package brittle");
}
