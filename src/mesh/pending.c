// SPDX-License-Identifier: MIT
#include "base/report.h"
#include "brittle/assembly.h"
brResult brAssembly_Flatten(const brContext* context, const brAssembly* assembly, brMesh** outMesh, brReport* report)
{
	(void)context;
	(void)assembly;
	(void)outMesh;
	return brFail(report, br_errorUnsupported, "pending");
}
