// SPDX-License-Identifier: MIT

// In place of src/mend/mend.c, src/cut/cut.c, src/scene/scene_gltf.c and src/io/scalar_map.c in a module that opens no files: what it
// makes needs no mending, has no parts to unite, and its scenes are JSON without maps.

#include "brittle/cut.h"
#include "brittle/mend.h"
#include "brittle/scalar_map.h"

#include "base/report.h"
#include "scene/scene_gltf.h"

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

brResult brUniteMeshes(const brContext* context, const brMesh* const* meshes, int32_t count, brMesh** outMesh,
					   brReport* report)
{
	(void)context, (void)meshes, (void)count, (void)outMesh;
	return brFail(report, br_errorUnsupported, "this module unites no parts");
}

brResult brSceneReader_Gltf(brSceneReader* reader, const char* path)
{
	(void)path;
	return brFail(reader->report, br_errorUnsupported, "this module opens no .glb");
}

brResult brCreateScalarMap(const brContext* context, const int32_t counts[3], const float* values, brScalarMap** outMap,
						   brReport* report)
{
	(void)context, (void)counts, (void)values, (void)outMap;
	return brFail(report, br_errorUnsupported, "this module has no maps");
}

brResult brLoadScalarMap(const brContext* context, const char* path, brScalarMap** outMap, brReport* report)
{
	(void)context, (void)path, (void)outMap;
	return brFail(report, br_errorUnsupported, "this module opens no maps");
}

void brDestroyScalarMap(brScalarMap* map)
{
	(void)map; // there is none
}

double brScalarMap_Sample(const brScalarMap* map, brDVec3 point)
{
	(void)map, (void)point;
	return 1.0;
}
