// SPDX-License-Identifier: MIT

// The public call: lattice, load, growth, cut.

#include "brittle/crack.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/report.h"
#include "brittle/check.h"
#include "brittle/cut.h"
#include "brittle/volume.h"
#include "fracture/crack_bonds.h"
#include "fracture/crack_grow.h"

#include <string.h>

// Tets that are emptier than this count as that full: else the stiffness of neighbours would differ too much.
#define CRACK_LEAST_FILL 0.03

// Share of the solid below which a piece is a crumb.
#define CRACK_CRUMB 2e-4

brCrackDef brDefaultCrackDef(void)
{
	brShatterDef shatter = brDefaultShatterDef();
	return (brCrackDef){
		.material = *brFindMaterial("glass"),
		.tets = 10000,
		.strikerRadius = 0.02,
		.mostCracks = 6,
		.mostSteps = 40,
		.growth = 1.0,
		.branching = 1000.0,
		.interior = shatter.interior,
		.stamp = BR_STAMP,
	};
}

double brStrengthFromMap(brDVec3 point, void* strengthMap)
{
	const brStrengthMap* map = strengthMap;
	return map->weakest + (map->strongest - map->weakest) * fmin(fmax(brScalarMap_Sample(map->map, point), 0.0), 1.0);
}

typedef struct CrackJob
{
	const brContext* context;
	const brMesh* mesh;
	const brCrackDef* def;
	brCracks* cracks;
	brTetMesh* tets;
	brTetInfo info;
	brCrackGrowth growth;
} CrackJob;

static bool crackIsFinite(brDVec3 v)
{
	return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static brResult crackCheck(const brMesh* mesh, const brCrackDef* def, brReport* report)
{
	if (mesh == NULL || def == NULL || def->stamp != BR_STAMP || (def->forceCount > 0 && def->forces == NULL) ||
		(def->fixedCount > 0 && def->fixed == NULL) || !(def->growth > 0.0 && def->growth <= 4.0))
	{
		return brFail(report, br_errorMisuse,
					  "brCreateCracks needs a mesh and a def with its stamp and limits in range");
	}
	if (def->mostCracks < 1 || def->mostCracks > 64 || def->mostSteps < 1)
	{
		return brFail(report, br_errorMisuse, "cracks are 1 to 64 and their steps 1 or more, not %d and %d",
					  def->mostCracks, def->mostSteps);
	}
	if (!(def->branching >= 0.0 && def->grain >= 0.0 && def->grainSize >= 0.0))
	{
		return brFail(report, br_errorMisuse, "branching, grain and grain size are 0 or more, not %g, %g and %g",
					  def->branching, def->grain, def->grainSize);
	}
	brDBox3 box = brMesh_Bounds(mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	double longest = fmax(size.x, fmax(size.y, size.z));
	if (!(def->edge >= 0.0) || def->edge > fmax(longest, 0.0))
	{
		return brFail(report, br_errorMisuse, "an edge of %g m is none for tets in a body that is %g m long", def->edge,
					  longest);
	}
	if (mesh->faceCount > 0 && !(brMesh_Mass(mesh, 1.0).mass > 0.0))
	{
		return brFail(report, br_errorGeometry, "the mesh has no positive volume: it is open, flat or inside out");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorGeometry, "%s", wrong);
	}
	if (!crackIsFinite(def->hit) || !crackIsFinite(def->impulse))
	{
		return brFail(report, br_errorGeometry, "the load is not finite");
	}
	if (!(def->strikerRadius > 0.0) || !(def->energy >= 0.0))
	{
		return brFail(report, br_errorMisuse,
					  "the striker's radius is above 0 and the energy 0 or more, not %g m and %g J", def->strikerRadius,
					  def->energy);
	}
	for (int32_t i = 0; i < def->forceCount; ++i)
	{
		if (!crackIsFinite(def->forces[i].point) || !crackIsFinite(def->forces[i].force))
		{
			return brFailAt(report, br_errorGeometry, i, "force %d is not finite", i);
		}
	}
	return br_success;
}

// Told now, not by the cut at the end of it all. Vertices at the same place are one, as they are to the cut.
static brResult crackCheckClosed(const brContext* context, const brMesh* mesh, brReport* report)
{
	brRepairDef def = brDefaultRepairDef();
	def.dropDegenerate = def.dropDuplicates = def.orient = def.splitNonManifold = def.dropUnused = false;
	brMesh* welded = NULL;
	brSurfaceTree* tree = NULL;
	brResult result = brRepairMesh(context, mesh, &def, &welded, NULL, report);
	result = result >= 0 ? brCreateSurfaceTree(context, welded, &tree, report) : result;
	if (result >= 0 && !brSurfaceTree_IsClosed(tree))
	{
		result = brFail(report, br_errorGeometry, "the surface is open: it has no inside to crack");
	}
	brDestroySurfaceTree(tree);
	brDestroyMesh(welded);
	return result;
}

// Means around nodes, then over tets: as if the wall were as thick as its tets, of softer stuff. Jumps between neighbours would show in the stress.
static brResult crackSmoothFills(CrackJob* job, brReport* report)
{
	const brAllocator* allocator = &job->growth.allocator;
	const brTetMesh* tets = job->tets;
	double(*sums)[2] = brAllocZeroArray(allocator, tets->nodeCount, sizeof(*sums));
	if (sums == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		const int32_t* v = tets->tets[t];
		brDVec3 a = brDSub(tets->nodes[v[1]], tets->nodes[v[0]]), b = brDSub(tets->nodes[v[2]], tets->nodes[v[0]]);
		double volume = brDDot(brDCross(a, b), brDSub(tets->nodes[v[3]], tets->nodes[v[0]]));
		for (int k = 0; k < 4; ++k)
		{
			sums[v[k]][0] += volume;
			sums[v[k]][1] += volume * job->info.fills[t];
		}
	}
	for (int32_t t = 0; t < tets->tetCount; ++t)
	{
		double fill = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			const double* sum = sums[tets->tets[t][k]];
			fill += 0.25 * sum[1] / sum[0];
		}
		job->info.fills[t] = fmax(fill, CRACK_LEAST_FILL);
	}
	brFreeArray(allocator, sums, tets->nodeCount, sizeof(*sums));
	return br_success;
}

// Walls that are thinner than the lattice fall apart on it. Then whole tets around them do: each is as stiff and heavy as it is full. That has the right
// stiffness of walls in their plane; bent walls are too stiff.
static brResult crackMesh(CrackJob* job, brReport* report)
{
	int64_t start = brClockNanoseconds();
	brTetDef def = brDefaultTetDef();
	def.targetTets = job->def->edge > 0.0 ? 0 : job->def->tets;
	def.edge = job->def->edge;
	brTetInfo* info = &job->info;
	brResult result = brMakeTetMesh(job->context, job->mesh, &def, &job->tets, info, report);
	if (result == br_errorGeometry)
	{
		def.embed = true;
		result = brMakeTetMesh(job->context, job->mesh, &def, &job->tets, info, report);
	}
	if (result >= 0)
	{
		result = info->fillCount > 0 ? crackSmoothFills(job, report) : result;
	}
	if (result >= 0)
	{
		job->cracks->stats.tets = job->tets->tetCount;
		job->cracks->stats.nodes = job->tets->nodeCount;
		job->cracks->stats.edge = info->edge;
		job->cracks->stats.isEmbedded = def.embed;
		job->growth.edge = info->edge;
		job->growth.fills = info->fills;
	}
	job->cracks->stats.tetSeconds = brSecondsSince(start);
	return result;
}

static brResult crackGrow(CrackJob* job, brReport* report)
{
	brCrackGrowth* growth = &job->growth;
	growth->context = job->context;
	growth->def = job->def;
	growth->mesh = job->mesh;
	growth->tets = job->tets;
	growth->stats = &job->cracks->stats;
	brResult result =
		brCrackLoad_Make(&growth->allocator, job->mesh, job->tets, growth->edge, job->def, &growth->load, report);
	result = result >= 0 ? brCrackGrowth_Run(growth, report) : result;
	brCrackStats* stats = &job->cracks->stats;
	stats->force = growth->load.force;
	stats->contactTime = growth->load.contactTime;
	stats->energyAvailable = growth->available;
	return result;
}

static brResult crackSurfaces(CrackJob* job, brReport* report)
{
	brCracks* cracks = job->cracks;
	int32_t count = job->growth.cracks.count;
	cracks->cracks = BR_ALLOC_ZERO(&cracks->allocator, brCrack, count);
	if (cracks->cracks == NULL)
	{
		return brFailMemory(report);
	}
	cracks->crackCount = count;
	double size = job->def->grainSize > 0.0 ? job->def->grainSize : 2.0 * job->growth.edge;
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		const brGrowingCrack* from = &job->growth.cracks.data[i];
		brCrack* crack = &cracks->cracks[i];
		crack->start = from->start;
		crack->normal = from->normal;
		crack->largestG = from->largestG;
		crack->branchOf = from->branchOf;
		brCrackGrain grain = {job->def->grain, size, job->def->seed + (uint64_t)i, job->def->grainMap};
		result = brGrowingCrack_Mesh(job->context, from, &grain, &crack->surface, report);
	}
	return result;
}

// A crack parts something if one of its faces has different pieces in front and behind, and both are more than crumbs: surfaces that run close beside each other
// leave such.
static void crackFindParting(brCracks* cracks, const brCutResult* cut, const int32_t* cutters, int32_t* fronts,
							 int32_t* backs)
{
	int32_t offset[65];
	offset[0] = 0;
	int32_t used = 0;
	for (int32_t i = 0; cutters[i] >= 0; ++i)
	{
		offset[i + 1] = offset[i] + cracks->cracks[cutters[i]].surface->faceCount;
		used = i + 1;
	}
	for (int32_t f = 0; f < offset[used]; ++f)
	{
		fronts[f] = backs[f] = -1;
	}
	double least = CRACK_CRUMB * fabs(cut->stats.volumeIn);
	for (int32_t p = 0; p < cut->pieceCount; ++p)
	{
		const brCutPiece* piece = &cut->pieces[p];
		for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
		{
			if (piece->faceKinds[f] == br_cutFaceSource)
			{
				continue;
			}
			int32_t face = offset[piece->faceCutters[f]] + piece->faceParents[f];
			int32_t* mine = piece->faceKinds[f] == br_cutFaceFront ? &fronts[face] : &backs[face];
			int32_t other = piece->faceKinds[f] == br_cutFaceFront ? backs[face] : fronts[face];
			bool isParting =
				other >= 0 && other != p && fabs(piece->volume) > least && fabs(cut->pieces[other].volume) > least;
			cracks->cracks[cutters[piece->faceCutters[f]]].isParting |= isParting;
			*mine = p;
		}
	}
}

static brResult crackCutBy(CrackJob* job, const int32_t* cutters, brCutResult** outCut, brReport* report)
{
	const brMesh* meshes[64];
	int32_t count = 0;
	for (; cutters[count] >= 0; ++count)
	{
		meshes[count] = job->cracks->cracks[cutters[count]].surface;
	}
	brCutDef def = brDefaultCutDef();
	def.interior = &job->def->interior;
	return count > 0 ? brCutMeshByMany(job->context, job->mesh, meshes, count, &def, outCut, report)
					 : brSeparateMesh(job->context, job->mesh, outCut, report);
}

// The mesh of a piece; the rest of the piece goes, since its arrays are as long as the mesh says.
static brMesh* crackTakeMesh(brCutResult* cut, int32_t index)
{
	brCutPiece* piece = &cut->pieces[index];
	brMesh* mesh = piece->mesh;
	BR_FREE(&cut->allocator, piece->faceParents, mesh->faceCount);
	BR_FREE(&cut->allocator, piece->faceCutters, mesh->faceCount);
	BR_FREE(&cut->allocator, piece->faceKinds, mesh->faceCount);
	memset(piece, 0, sizeof(*piece));
	return mesh;
}

// Cuts by all cracks, then again without those that part nothing.
static brResult crackCut(CrackJob* job, brReport* report)
{
	brCracks* cracks = job->cracks;
	int32_t cutters[65], total = 0;
	for (int32_t i = 0; i < cracks->crackCount; ++i)
	{
		cutters[i] = i;
		total += cracks->cracks[i].surface->faceCount;
	}
	cutters[cracks->crackCount] = -1;
	brCutResult* cut = NULL;
	brResult result = crackCutBy(job, cutters, &cut, report);
	int32_t* faces = BR_ALLOC(&cracks->allocator, int32_t, 2 * (int64_t)total);
	result = result >= 0 && faces == NULL ? brFailMemory(report) : result;
	if (result >= 0)
	{
		crackFindParting(cracks, cut, cutters, faces, faces + total);
		int32_t kept = 0;
		for (int32_t i = 0; i < cracks->crackCount; ++i)
		{
			if (cracks->cracks[i].isParting || job->def->keepIncisions)
			{
				cutters[kept++] = i;
			}
		}
		cutters[kept] = -1;
		if (kept < cracks->crackCount)
		{
			brDestroyCutResult(cut);
			cut = NULL;
			result = crackCutBy(job, cutters, &cut, report);
		}
	}
	if (faces != NULL)
	{
		BR_FREE(&cracks->allocator, faces, 2 * (int64_t)total);
	}
	result = result >= 0 ? brMakeCutBonds(&cracks->allocator, cut, &cracks->bonds, &cracks->bondCount, report) : result;
	cracks->pieces = result >= 0 ? BR_ALLOC_ZERO(&cracks->allocator, brPiece, cut->pieceCount) : NULL;
	if (result >= 0 && cracks->pieces == NULL)
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		cracks->pieceCount = cut->pieceCount;
		cracks->stats.volumeIn = cut->stats.volumeIn; // bent polygons as triangles, as the cut sees them
		cracks->stats.volumeOut = cut->stats.volumeOut;
		for (int32_t i = 0; i < cut->pieceCount; ++i)
		{
			cracks->pieces[i].mesh = crackTakeMesh(cut, i);
			cracks->pieces[i].site = -1;
			cracks->pieces[i].mass = brMesh_Mass(cracks->pieces[i].mesh, job->def->material.density);
		}
	}
	brDestroyCutResult(cut);
	return result;
}

brResult brCreateCracks(const brContext* context, const brMesh* mesh, const brCrackDef* def, brCracks** outCracks,
						brReport* report)
{
	brResult result = outCracks != NULL ? crackCheck(mesh, def, report)
										: brFail(report, br_errorMisuse, "brCreateCracks needs a place for its answer");
	if (result < 0)
	{
		return result;
	}
	result = crackCheckClosed(context, mesh, report);
	if (result < 0)
	{
		return result;
	}
	int64_t start = brClockNanoseconds();
	brAllocator allocator = brContext_Allocator(context);
	CrackJob job = {.context = context, .mesh = mesh, .def = def};
	job.growth.allocator = allocator;
	job.cracks = BR_ALLOC_ZERO(&allocator, brCracks, 1);
	if (job.cracks == NULL)
	{
		return brFailMemory(report);
	}
	job.cracks->allocator = allocator;
	result = crackMesh(&job, report);
	result = result >= 0 ? crackGrow(&job, report) : result;
	result = result >= 0 ? crackSurfaces(&job, report) : result;
	int64_t cutStart = brClockNanoseconds();
	result = result >= 0 ? crackCut(&job, report) : result;
	brCrackStats* stats = &job.cracks->stats;
	stats->cutSeconds = brSecondsSince(cutStart);
	stats->energy = stats->area * brMaterial_FractureEnergy(&def->material);
	stats->seconds = brSecondsSince(start);
	brCrackGrowth_Free(&job.growth);
	brDestroyTetMesh(job.tets);
	brFreeTetInfo(&job.info);
	if (result < 0)
	{
		brDestroyCracks(job.cracks);
		return result;
	}
	*outCracks = job.cracks;
	return brSucceed(report);
}

void brDestroyCracks(brCracks* cracks)
{
	if (cracks == NULL)
	{
		return;
	}
	brAllocator allocator = cracks->allocator;
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		brDestroyMesh(cracks->pieces[i].mesh);
	}
	for (int32_t i = 0; i < cracks->crackCount; ++i)
	{
		brDestroyMesh(cracks->cracks[i].surface);
	}
	if (cracks->pieces != NULL)
	{
		BR_FREE(&allocator, cracks->pieces, cracks->pieceCount);
	}
	if (cracks->bonds != NULL)
	{
		BR_FREE(&allocator, cracks->bonds, cracks->bondCount);
	}
	if (cracks->cracks != NULL)
	{
		BR_FREE(&allocator, cracks->cracks, cracks->crackCount);
	}
	BR_FREE(&allocator, cracks, 1);
}
