#include "brittle/check.h"
#include "base/report.h"
#include "base/assert.h"
__attribute__((weak)) brRepairDef brDefaultRepairDef(void) { return (brRepairDef){.stamp = BR_STAMP}; }
__attribute__((weak)) brResult brRepairMesh(const brContext* context, const brMesh* mesh, const brRepairDef* def, brMesh** outMesh, brRepairCounts* outCounts, brReport* report)
{ (void)context,(void)mesh,(void)def,(void)outMesh,(void)outCounts; return brFail(report, br_errorUnsupported, "pending"); }
