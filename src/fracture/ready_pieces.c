// SPDX-License-Identifier: MIT

// Pieces made once and kept in a file: authored, looked at, perhaps moved into groups by hand, and broken at run time.
//
//     mesh with a group a piece -> cells with shared faces found -> pieces and bonds, as if they had just been cut

#include "base/memory.h"
#include "base/report.h"
#include "brittle/check.h"
#include "fracture/cell_join.h"

#include <math.h>

#define READY_NEAR 1e-6 // of the size: floats of a file round by a tenth of it

// Every group has faces and every face a group.
static brResult readyCheck(const brMesh* mesh, const brAllocator* allocator, brReport* report)
{
	if (mesh->faceGroups == NULL || mesh->groupCount < 1)
	{
		return brFail(report, br_errorGeometry, "the mesh has no groups: each piece is one");
	}
	bool* isUsed = BR_ALLOC_ZERO(allocator, bool, mesh->groupCount);
	if (isUsed == NULL)
	{
		return brFailMemory(report);
	}
	int32_t loose = -1, empty = -1;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t group = mesh->faceGroups[f];
		loose = group < 0 && loose < 0 ? f : loose;
		if (group >= 0)
		{
			isUsed[group] = true;
		}
	}
	for (int32_t g = mesh->groupCount - 1; g >= 0; --g)
	{
		empty = isUsed[g] ? empty : g;
	}
	BR_FREE(allocator, isUsed, mesh->groupCount);
	if (loose >= 0)
	{
		return brFail(report, br_errorGeometry, "face %d belongs to no group: each piece is one", loose);
	}
	if (empty >= 0)
	{
		return brFail(report, br_errorGeometry, "group %d, %s, has no faces", empty, mesh->groupNames[empty]);
	}
	return br_success;
}

static brResult readyCheckPieces(const brContext* context, const brMesh* mesh, const brShatter* shatter,
								 brReport* report)
{
	brMeshCheckDef def = brDefaultMeshCheckDef();
	def.findSelfIntersections = false;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		brMeshCheck check;
		brResult result = brMesh_Check(shatter->pieces[i].mesh, context, &def, &check, report);
		if (result < 0)
		{
			return result;
		}
		if (!check.isClosed || !check.isOriented || !(check.volume > 0.0))
		{
			return brFail(report, br_errorGeometry, "piece %d, %s, is no closed solid: %s", i, mesh->groupNames[i],
						  check.verdict);
		}
	}
	return br_success;
}

// Each cell a group of its own (`areOne` false), or all one.
static brResult readyJoin(const brContext* context, brCellJoin* def, bool areOne, brShatter** outShatter,
						  brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = def->cellCount;
	int32_t* sites = BR_ALLOC(&allocator, int32_t, count);
	int32_t* groups = BR_ALLOC(&allocator, int32_t, count);
	int32_t* pieces = BR_ALLOC(&allocator, int32_t, count);
	brResult result = br_errorMemory;
	if (sites != NULL && groups != NULL && pieces != NULL)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			sites[i] = i;
			groups[i] = areOne ? 0 : i;
		}
		def->sites = sites;
		def->groups = groups;
		result = brJoinCells(context, def, pieces, outShatter, report);
	}
	else
	{
		brFailMemory(report);
	}
	BR_FREE(&allocator, sites, count);
	BR_FREE(&allocator, groups, count);
	BR_FREE(&allocator, pieces, count);
	return result;
}

brResult brCreateShatterOfGroups(const brContext* context, const brMesh* mesh, double density, brShatter** outShatter,
								 brReport* report)
{
	if (mesh == NULL || outShatter == NULL || !(density > 0.0 && isfinite(density)))
	{
		return brFail(report, br_errorMisuse, "brCreateShatterOfGroups needs mesh, a density above 0 and outShatter");
	}
	*outShatter = NULL;
	brAllocator allocator = brContext_Allocator(context);
	brResult result = readyCheck(mesh, &allocator, report);
	if (result < 0)
	{
		return result;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brCellJoin def = {
		.groupMesh = mesh, .distance = READY_NEAR * brDDistance(box.lower, box.upper), .cellCount = mesh->groupCount};
	brShatter* shatter = NULL;
	result = readyJoin(context, &def, false, &shatter, report);
	if (result < 0)
	{
		return result;
	}
	shatter->volumeIn = shatter->volumeOut;
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		shatter->pieces[i].mass = brMesh_ComputeMass(shatter->pieces[i].mesh, density);
	}
	result = readyCheckPieces(context, mesh, shatter, report);
	if (result < 0)
	{
		brDestroyShatter(shatter);
		return result;
	}
	*outShatter = shatter;
	return br_success;
}

brResult brShatter_Join(const brShatter* shatter, const brContext* context, brMesh** outMesh, brReport* report)
{
	if (shatter == NULL || outMesh == NULL || shatter->pieceCount < 1)
	{
		return brFail(report, br_errorMisuse, "brShatter_Join needs shatter with pieces and outMesh");
	}
	*outMesh = NULL;
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = shatter->pieceCount;
	const brMesh** meshes = BR_ALLOC(&allocator, const brMesh*, count);
	if (meshes == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		meshes[i] = shatter->pieces[i].mesh;
	}
	brCellJoin def = {.cells = meshes, .cellCount = count, .volume = shatter->volumeOut};
	brShatter* whole = NULL;
	brResult result = readyJoin(context, &def, true, &whole, report);
	for (int32_t i = 0; result >= 0 && i < whole->pieceCount; ++i)
	{
		meshes[i] = whole->pieces[i].mesh; // parts that do not touch
	}
	if (result >= 0)
	{
		result = brMergeMeshes(context, meshes, whole->pieceCount, outMesh, report);
	}
	brDestroyShatter(whole);
	BR_FREE(&allocator, meshes, count);
	return result;
}
