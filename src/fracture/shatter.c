// SPDX-License-Identifier: MIT

// From a model and sites to pieces: diagram, clipped surface, caps, parts, then merging, bonds and meshes.

#include "base/assert.h"
#include "base/report.h"
#include "base/sort.h"
#include "brittle/check.h"
#include "fracture/clusters.h"
#include "fracture/shatter_build.h"
#include "fracture/shatter_turned.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

#define SHATTER_MAX_SITES 10000000
#define SHATTER_FINEST (1.0 / 256.0) // spacing of points in rough cuts, of the model's size

brShatterDef brDefaultShatterDef(void)
{
	brShatterDef def = {0};
	def.stretch = brMakeDVec3(1.0, 1.0, 1.0);
	def.along = brMakeDVec3(1.0, 0.0, 0.0);
	def.density = 1000.0;
	def.interior = brDefaultSurfaceMaterial();
	memcpy(def.interior.name, "interior", sizeof("interior"));
	def.interior.baseColor = (brVec4){0.75f, 0.72f, 0.68f, 1.0f};
	def.levelCount = BR_SHATTER_MAX_LEVELS;
	def.stamp = BR_STAMP(def);
	return def;
}

// Leaves nothing in it.
static void shatterClear(brShatter* shatter)
{
	brAllocator allocator = shatter->allocator;
	for (int32_t i = 0; shatter->pieces != NULL && i < shatter->pieceCount; ++i)
	{
		brDestroyMesh(shatter->pieces[i].mesh);
		brDestroyMesh(shatter->pieces[i].hull);
	}
	for (int32_t i = 0; i < shatter->levelCount; ++i)
	{
		BR_FREE(&allocator, shatter->levels[i].clusters, shatter->pieceCount);
		BR_FREE(&allocator, shatter->levels[i].bonds, shatter->levels[i].bondCount);
	}
	BR_FREE(&allocator, shatter->levels, shatter->levelCount);
	BR_FREE(&allocator, shatter->pieces, shatter->pieceCount);
	BR_FREE(&allocator, shatter->bonds, shatter->bondCount);
	*shatter = (brShatter){.allocator = allocator};
}

void brDestroyShatter(brShatter* shatter)
{
	if (shatter == NULL)
	{
		return;
	}
	brAllocator allocator = shatter->allocator;
	shatterClear(shatter);
	BR_FREE(&allocator, shatter, 1);
}

// All that comes after the cut.
static void shatterFreePieces(brShatterBuild* build)
{
	const brAllocator* a = &build->allocator;
	int32_t pieces = build->shatter != NULL ? build->shatter->pieceCount : 0;
	for (int32_t i = 0; build->scratch != NULL && i < build->scratchCount; ++i)
	{
		BR_FREE(a, build->scratch[i].locals, build->parts.pointCount);
		BR_FREE(a, build->scratch[i].stamps, build->parts.pointCount);
		BR_FREE(a, build->scratch[i].corners, build->largest);
		BR_FREE(a, build->scratch[i].suspects, build->parts.pointCount);
	}
	BR_FREE(a, build->scratch, build->scratchCount);
	BR_FREE(a, build->failures, pieces);
	BR_FREE(a, build->order, 2 * (int64_t)pieces);
	brBuckets_Free(&build->entries, a);
	BR_FREE(a, build->partPieces, build->parts.partCount);
	BR_FREE(a, build->ringSizes, build->clip.polygonCells.count);
	BR_FREE(a, build->ringStarts, build->clip.polygonCells.count);
	BR_FREE(a, build->rings, build->clip.corners.count);
	if (build->hasParts)
	{
		brPieceParts_Free(&build->parts);
	}
	build->scratch = NULL, build->failures = NULL, build->order = NULL;
	build->partPieces = NULL, build->ringSizes = NULL, build->ringStarts = NULL, build->rings = NULL;
	build->parts = (brPieceParts){0};
	build->hasParts = false;
}

static void shatterFree(brShatterBuild* build)
{
	const brAllocator* a = &build->allocator;
	shatterFreePieces(build);
	brRoughness_Free(&build->roughness);
	if (build->hasCaps)
	{
		brCaps_Free(&build->caps);
	}
	if (build->hasClip)
	{
		brSurfaceClip_Free(&build->clip);
	}
	brDestroyClipMesh(build->ownKnown);
	brDestroyVoronoi(build->voronoi);
	BR_FREE(a, build->sites, build->def->siteCount);
	brDestroyMesh(build->owned);
}

// The power of two nearest to 1 / stretch.
static double shatterScale(double stretch)
{
	int exponent;
	double part = frexp(1.0 / stretch, &exponent); // 0.5 to 1
	return ldexp(1.0, part < 0.70710678118654752 ? exponent - 1 : exponent);
}

brResult brMendForShatter(const brContext* context, const brMesh* mesh, brMesh** outMended, bool* outIsSound,
						  brReport* report)
{
	*outMended = NULL;
	brMeshCheck check;
	brResult result = brCheckTopology(context, mesh, &check, report);
	if (result < 0)
	{
		return result;
	}
	bool isTangled = check.nonmanifoldEdges > 0 || check.nonmanifoldVertices > 0 || check.misorientedEdges > 0 ||
					 check.repeatedIndexFaces > 0;
	if (isTangled)
	{
		brRepairDef repair = brDefaultRepairDef();
		repair.weld = repair.dropDuplicates = false;
		repair.dropDegenerate = check.repeatedIndexFaces > 0;
		repair.orient = check.misorientedEdges > 0;
		result = brRepairMesh(context, mesh, &repair, outMended, NULL, report);
		result = result < 0 ? result : brCheckTopology(context, *outMended, &check, report);
	}
	if (result >= 0 &&
		(check.boundaryEdges > 0 || check.nonmanifoldEdges > 0 || check.misorientedEdges > 0 || check.faces == 0))
	{
		result = brFail(report, br_errorGeometry, "only closed surfaces can be shattered: %s",
						check.faces == 0 ? "there is no face" : check.verdict);
	}
	if (result < 0)
	{
		brDestroyMesh(*outMended);
		*outMended = NULL;
	}
	*outIsSound = result >= 0 && check.nonmanifoldVertices == 0 && check.repeatedIndexFaces == 0;
	return result;
}

// A mesh that can be cut: closed and manifold, in cutting space.
static brResult shatterPrepareMesh(brShatterBuild* build, const brMesh* mesh, brReport* report)
{
	build->mesh = mesh;
	build->isSound = build->modelVolume > 0.0;
	if (!build->isSound)
	{
		brResult result = brMendForShatter(build->context, mesh, &build->owned, &build->isSound, report);
		if (result < 0)
		{
			return result;
		}
		build->mesh = build->owned != NULL ? build->owned : mesh;
		build->modelVolume = brMesh_ComputeMass(build->mesh, 1.0).volume;
	}
	build->scale = brMakeDVec3(shatterScale(build->def->stretch.x), shatterScale(build->def->stretch.y),
							   shatterScale(build->def->stretch.z));
	if (build->scale.x == 1.0 && build->scale.y == 1.0 && build->scale.z == 1.0)
	{
		return br_success;
	}
	if (build->owned == NULL)
	{
		brResult result = brCopyMesh(build->context, mesh, &build->owned, report);
		if (result < 0)
		{
			return result;
		}
		build->mesh = build->owned;
	}
	for (int32_t v = 0; v < build->owned->vertexCount; ++v)
	{
		brDVec3* p = &build->owned->positions[v];
		*p = brMakeDVec3(p->x * build->scale.x, p->y * build->scale.y, p->z * build->scale.z);
	}
	return br_success;
}

static brResult shatterCut(brShatterBuild* build, brReport* report)
{
	const brShatterDef* def = build->def;
	build->sites = BR_ALLOC(&build->allocator, brDVec3, def->siteCount);
	if (build->sites == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < def->siteCount; ++i)
	{
		brDVec3 s = def->sites[i];
		build->sites[i] = brMakeDVec3(s.x * build->scale.x, s.y * build->scale.y, s.z * build->scale.z);
	}
	brVoronoiDef voronoi = {.siteCount = def->siteCount, .sites = build->sites, .box = brClipBox(build->mesh)};
	// What is known of a mesh is of that as it came.
	const brClipMesh* known = build->owned == NULL ? build->known : NULL;
	const brCellDevice* device = build->device;
	brClipRings rings = {0};
	brResult result = br_success;
	if (device != NULL && known == NULL)
	{
		result = brCreateClipMesh(build->context, build->mesh, &build->ownKnown, report);
		known = build->ownKnown;
	}
	if (result >= 0)
	{
		result = device != NULL
					 ? device->make(device->user, build->context, known, &voronoi, &build->voronoi, &rings, report)
					 : brCreateVoronoi(build->context, &voronoi, &build->voronoi, report);
	}
	if (result >= 0)
	{
		result = brSurfaceClip_Make(build->context, build->mesh, known, rings.count > 0 ? &rings : NULL, build->voronoi,
									&build->clip, report);
		build->hasClip = result >= 0;
	}
	brClipRings_Free(&rings);
	if (result >= 0)
	{
		// Where cells are stretched the spacing is that of the direction that is stretched least. Never so fine that
		// points outnumber what anybody can see.
		double spacing = 0.25 * build->roughLength * fmax(build->scale.x, fmax(build->scale.y, build->scale.z));
		brDBox3 box = brMesh_ComputeBounds(build->mesh);
		brDVec3 extent = brDSub(box.upper, box.lower);
		spacing = spacing > 0.0 ? fmax(spacing, SHATTER_FINEST * fmax(extent.x, fmax(extent.y, extent.z))) : 0.0;
		result = brCaps_Make(&build->clip, spacing, &build->caps, report);
		build->hasCaps = result >= 0;
	}
	if (result >= 0 && brIsCanceled(build->context, 0.6))
	{
		result = brFail(report, br_errorCanceled, "canceled");
	}
	return result;
}

// Pieces with many faces first, so that nobody is left with one at the end.
static bool shatterOrderPieces(brShatterBuild* build)
{
	int32_t count = build->shatter->pieceCount;
	for (int32_t i = 0; i < count; ++i)
	{
		uint32_t faces = (uint32_t)(build->entries.starts[i + 1] - build->entries.starts[i]);
		build->order[i] = (uint64_t)~faces << 32 | (uint32_t)i;
	}
	return brSortKeys64(NULL, &build->allocator, build->order, build->order + count, count);
}

static void shatterRunPieces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	brShatterBuild* build = user;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t piece = (int32_t)(uint32_t)build->order[i];
		build->failures[piece] = brShatterBuild_MakePiece(build, &build->scratch[worker], piece);
	}
}

// From what was cut to pieces and bonds.
static brResult shatterAssemble(brShatterBuild* build, brReport* report)
{
	const brAllocator* a = &build->allocator;
	brShatter* shatter = build->shatter;
	brWorkers* workers = build->context != NULL ? build->context->workers : NULL;
	brResult result = brPieceParts_Make(&build->clip, &build->caps, &build->parts, report);
	build->hasParts = result >= 0;
	if (result < 0)
	{
		return result;
	}
	for (int32_t entry = 0; entry < build->parts.entryCount; ++entry)
	{
		int32_t size = brPieceParts_FaceSize(&build->parts, entry);
		build->largest = size > build->largest ? size : build->largest;
	}
	// A piece that is broken again has the interior material already.
	for (build->interior = 0; build->interior < build->mesh->materialCount; ++build->interior)
	{
		if (memcmp(&build->mesh->materials[build->interior], &build->def->interior, sizeof(brSurfaceMaterial)) == 0)
		{
			break;
		}
	}
	result = brShatterBuild_Number(build, build->modelVolume, report);
	if (result < 0)
	{
		return result;
	}
	shatter->crumbCount = build->parts.crumbCount;
	shatter->volumeIn =
		build->modelVolume - build->clip.known->fanExcess / (build->scale.x * build->scale.y * build->scale.z);
	shatter->pieces = BR_ALLOC_ZERO(a, brPiece, shatter->pieceCount);
	build->failures = BR_ALLOC_ZERO(a, int32_t, shatter->pieceCount);
	build->order = BR_ALLOC(a, uint64_t, 2 * (int64_t)shatter->pieceCount);
	build->scratchCount = brWorkers_GetCount(workers);
	build->scratch = BR_ALLOC_ZERO(a, brShatterScratch, build->scratchCount);
	bool done = shatter->pieces != NULL && build->failures != NULL && build->order != NULL && build->scratch != NULL &&
				brShatterBuild_Dissolve(build) && brShatterBuild_SortEntries(build) && shatterOrderPieces(build);
	// Parts rise by cell, so the first one of a piece has its lowest site.
	for (int32_t part = build->parts.partCount - 1; done && part >= 0; --part)
	{
		if (build->partPieces[part] >= 0)
		{
			shatter->pieces[build->partPieces[part]].site = build->parts.partCells.data[part];
		}
	}
	for (int32_t i = 0; done && i < build->scratchCount; ++i)
	{
		build->scratch[i].locals = BR_ALLOC(a, int32_t, build->parts.pointCount);
		build->scratch[i].stamps = BR_ALLOC_ZERO(a, int32_t, build->parts.pointCount);
		build->scratch[i].corners = BR_ALLOC(a, int32_t, build->largest);
		build->scratch[i].suspects = BR_ALLOC(a, bool, build->parts.pointCount);
		done = build->scratch[i].locals != NULL && build->scratch[i].stamps != NULL &&
			   build->scratch[i].corners != NULL && build->scratch[i].suspects != NULL;
	}
	if (!done)
	{
		return brFailMemory(report);
	}
	brParallelFor(workers, shatter->pieceCount, 1, shatterRunPieces, build);
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		if (build->failures[i] < 0)
		{
			return brFailMemory(report);
		}
		shatter->volumeOut += shatter->pieces[i].mass.volume;
	}
	return brShatterBuild_MakeBonds(build, report);
}

static void shatterRunCrossings(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brShatterBuild* build = user;
	for (int32_t piece = begin; piece < end; ++piece)
	{
		bool crosses = false;
		brResult result =
			brFindRoughCrossing(&build->allocator, build->shatter->pieces[piece].mesh, build->interior, &crosses);
		build->failures[piece] = result < 0 ? result : crosses;
	}
}

// Lowers the places of all pieces that cross themselves; how many there are, or a failure.
static int32_t shatterSmooth(brShatterBuild* build, double factor)
{
	brParallelFor(build->context != NULL ? build->context->workers : NULL, build->shatter->pieceCount, 1,
				  shatterRunCrossings, build);
	int32_t found = 0, first = build->clip.mesh->vertexCount + build->clip.points.count;
	for (int32_t piece = 0; piece < build->shatter->pieceCount; ++piece)
	{
		if (build->failures[piece] < 0)
		{
			return build->failures[piece];
		}
		for (int32_t e = build->entries.starts[piece];
			 build->failures[piece] > 0 && e < build->entries.starts[piece + 1]; ++e)
		{
			int32_t* corners = build->scratch[0].corners;
			int32_t count = brPieceParts_Face(&build->parts, build->entries.items[e], corners);
			for (int32_t n = 0; n < count; ++n)
			{
				if (corners[n] >= first)
				{
					build->smoothed[corners[n] - first] = true;
				}
			}
		}
		found += build->failures[piece];
	}
	for (int32_t n = 0; n < build->roughness.count; ++n)
	{
		build->roughness.shares[n] *= build->smoothed[n] ? factor : 1.0;
		build->smoothed[n] = false;
	}
	return found;
}

// Pieces that cross themselves are made again with less noise, the last time with none.
static brResult shatterAssembleRough(brShatterBuild* build, brReport* report)
{
	const brAllocator* a = &build->allocator;
	brResult result = brRoughness_Make(build->context, &build->clip, &build->caps, build->scale, build->def,
									   build->roughLength, &build->roughness, report);
	int32_t placeCount = build->caps.places.count;
	build->smoothed = result >= 0 ? BR_ALLOC_ZERO(a, bool, placeCount) : NULL;
	result = result >= 0 && build->smoothed == NULL ? brFailMemory(report) : result;
	int32_t smoothCount = 0;
	for (int32_t attempt = 0; result >= 0; ++attempt)
	{
		brRoughness_Apply(&build->roughness, &build->caps);
		result = shatterAssemble(build, report);
		if (result < 0 || attempt == BR_ROUGH_TRIES)
		{
			break;
		}
		int32_t found = shatterSmooth(build, attempt + 1 < BR_ROUGH_TRIES ? 0.5 : 0.0);
		smoothCount = attempt == 0 ? found : smoothCount;
		if (found <= 0)
		{
			result = found < 0 ? brFailMemory(report) : br_success;
			break;
		}
		shatterFreePieces(build);
		shatterClear(build->shatter);
	}
	build->shatter->smoothCount = smoothCount;
	BR_FREE(a, build->smoothed, placeCount);
	return result;
}

brResult brShatterDef_Refuse(const brShatterDef* def, brReport* report)
{
	if (def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "start a brShatterDef from brDefaultShatterDef()");
	}
	if (def->siteCount < 1 || def->siteCount > SHATTER_MAX_SITES || def->sites == NULL)
	{
		return brFail(report, br_errorMisuse, "%d sites given, possible are 1 to %d", def->siteCount,
					  SHATTER_MAX_SITES);
	}
	const double stretch[3] = {def->stretch.x, def->stretch.y, def->stretch.z};
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		if (!(stretch[axis] >= 1.0 / 1024.0 && stretch[axis] <= 1024.0))
		{
			return brFail(report, br_errorMisuse, "stretch %g of the cells is not within 1/1024 and 1024",
						  stretch[axis]);
		}
	}
	if (!brDIsFinite(def->along) || !(brDLengthSq(def->along) > 0.0))
	{
		return brFail(report, br_errorMisuse, "cells are stretched along a direction, not along %g, %g, %g",
					  def->along.x, def->along.y, def->along.z);
	}
	if (!(def->smallest >= 0.0 && def->smallest <= 1.0) || !(def->density > 0.0 && def->density < INFINITY))
	{
		return brFail(report, br_errorMisuse,
					  "the smallest share is from 0 to 1 and the density above 0, not %g and %g", def->smallest,
					  def->density);
	}
	if (!(def->roughness >= 0.0 && def->roughness < INFINITY && def->roughnessLength >= 0.0 &&
		  def->roughnessLength < INFINITY))
	{
		return brFail(report, br_errorMisuse, "roughness and its length are 0 or more, not %g and %g", def->roughness,
					  def->roughnessLength);
	}
	if (def->clusterSize < 0 || def->clusterSize == 1 || def->levelCount < 1 || def->levelCount > BR_SHATTER_MAX_LEVELS)
	{
		return brFail(report, br_errorMisuse, "clusters of %d, %d levels: possible are 2 or more, and 1 to %d levels",
					  def->clusterSize, def->levelCount, BR_SHATTER_MAX_LEVELS);
	}
	for (int32_t i = 0; i < def->siteCount; ++i)
	{
		if (!brDIsFinite(def->sites[i]))
		{
			return brFailAt(report, br_errorGeometry, i, "site %d is not finite", i);
		}
	}
	return br_success;
}

brResult brCreateShatterFrom(const brContext* context, const brMesh* mesh, const brShatterSource* source,
							 const brShatterDef* def, brShatter** outShatter, brReport* report)
{
	brResult result = brShatterDef_Refuse(def, report);
	if (result < 0)
	{
		return result;
	}
	brShatterBuild build = {.context = context,
							.allocator = brContext_Allocator(context),
							.def = def,
							.device = source->device,
							.known = source->volume > 0.0 ? source->known : NULL,
							.modelVolume = source->volume};
	build.shatter = BR_ALLOC_ZERO(&build.allocator, brShatter, 1);
	if (build.shatter == NULL)
	{
		return brFailMemory(report);
	}
	build.shatter->allocator = build.allocator;
	build.roughLength =
		def->roughness > 0.0 ? (def->roughnessLength > 0.0 ? def->roughnessLength : 10.0 * def->roughness) : 0.0;
	result = shatterPrepareMesh(&build, mesh, report);
	if (result >= 0)
	{
		result = shatterCut(&build, report);
	}
	if (result >= 0)
	{
		result = build.roughLength > 0.0 ? shatterAssembleRough(&build, report) : shatterAssemble(&build, report);
	}
	if (result >= 0 && def->clusterSize > 0 &&
		brShatter_AddLevels(build.shatter, def->clusterSize, def->levelCount) < 0)
	{
		result = brFailMemory(report);
	}
	shatterFree(&build);
	if (result < 0)
	{
		brDestroyShatter(build.shatter);
		return result;
	}
	*outShatter = build.shatter;
	return brSucceed(report);
}

brResult brCreateShatterBy(const brContext* context, const brMesh* mesh, const brCellDevice* device,
						   const brShatterDef* def, brShatter** outShatter, brReport* report)
{
	if (mesh == NULL || def == NULL || outShatter == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateShatter needs mesh, def and outShatter");
	}
	bool isTurned = def->stamp == BR_STAMP(*def) && (def->along.y != 0.0 || def->along.z != 0.0);
	if (isTurned && brShatterDef_Refuse(def, report) >= 0)
	{
		return brCreateTurnedShatter(context, mesh, device, def, outShatter, report);
	}
	return brCreateShatterFrom(context, mesh, &(brShatterSource){.device = device}, def, outShatter, report);
}

brResult brCreateShatter(const brContext* context, const brMesh* mesh, const brShatterDef* def, brShatter** outShatter,
						 brReport* report)
{
	return brCreateShatterBy(context, mesh, NULL, def, outShatter, report);
}
