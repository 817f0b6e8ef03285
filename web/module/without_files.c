// SPDX-License-Identifier: MIT

// In place of src/mend/mend.c in a module that opens no files: what it makes needs no mending.

#include "brittle/mend.h"

#include "base/report.h"

brMendDef brDefaultMendDef(void)
{
	return (brMendDef){.stamp = 0};
}

brResult brMendMesh(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
					brMendInfo* outInfo, brReport* report)
{
	(void)context, (void)mesh, (void)def, (void)outMesh, (void)outInfo;
	return brFail(report, br_errorUnsupported, "this module mends nothing");
}
