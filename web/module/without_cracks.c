// SPDX-License-Identifier: MIT

// In place of src/fracture/crack_breakup.c and src/world/break_modes.c in a module that shatters only: finite elements and fracture
// modes stay out of the download.

#include "base/report.h"
#include "fracture/breakup.h"
#include "world/break_state.h"

brResult brMakeCrackBreakup(const brContext* context, const brBreakupDef* def, brShatter** outShatter, brReport* report)
{
	(void)context, (void)def, (void)outShatter;
	return brFail(report, br_errorUnsupported, "this page shatters; cracks are in the package brittle");
}

const brModes* brBreaking_Modes(brWorld* world, int32_t slot, bool* outHasMemory)
{
	(void)world, (void)slot, (void)outHasMemory;
	return NULL;
}

void brBreaking_ReleaseModes(brBreaking* breaking, const brModes* modes)
{
	(void)breaking, (void)modes;
}

brResult brMakeModalBreakup(const brContext* context, const brModes* modes, const brBreakupDef* def,
							brShatter** outShatter, brReport* report)
{
	(void)context, (void)modes, (void)def, (void)outShatter;
	return brFail(report, br_errorUnsupported, "this page shatters; fracture modes are in the package brittle");
}
