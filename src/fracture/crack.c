// SPDX-License-Identifier: MIT

// The public call: lattice, load, growth, cut.

#include "brittle/crack.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/report.h"
#include "brittle/check.h"
#include "brittle/cut.h"
#include "brittle/volume.h"
#include "fracture/crack_blow.h"
#include "fracture/crack_bonds.h"
#include "fracture/crack_frame.h"
#include "fracture/crack_grow.h"
#include "math/power.h"

#include <string.h>

#define CRACK_LENGTH_TETS 5000.0 // lengths that must not follow the lattice are those of one of so many tets
#define CRACK_TETS_INSIDE 12.0   // of a lattice in a cube of its edge
#define CRACK_TETS_SURFACE 1.65  // more of them on a square of the surface
#define CRACK_TETS_WALL 7.0      // the same where whole tets hold a wall
#define CRACK_BESIDE 0.05        // of the longest side: a force so far beside the solid is a mistake
#define CRACK_COARSE 1.15        // times the length that an edge may be: a count is met within 15 %

brCrackDef brDefaultCrackDef(void)
{
	brShatterDef shatter = brDefaultShatterDef();
	return (brCrackDef){
		.material = *brFindMaterial("glass"),
		.tets = 10000,
		.strikerRadius = 0.02,
		.maxCracks = 48,
		.maxSteps = 100,
		.growth = 1.0,
		.crumb = 2e-4,
		.efficiency = 0.02,
		.interior = shatter.interior,
		.stamp = BR_STAMP(brCrackDef),
	};
}

const char* brCrackEndText(brCrackEnd end)
{
	static const char* const texts[] = {
		"the load is too small to start a crack or to drive one on",
		"the load has parted the body",
		"the blow was over before cracks had gone farther",
		"the energy of the blow was spent",
		"cracks had come to rest",
		"there were as many pieces as asked for",
		"growth had as many steps as allowed; more may part more",
		"the equations of the cracked body could not be solved well enough to go on",
	};
	int32_t count = (int32_t)(sizeof(texts) / sizeof(texts[0]));
	return (int32_t)end >= 0 && (int32_t)end < count ? texts[end] : "it is unknown why growth ended";
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
	const brCrackSource* source;
	brMassProperties body; // at density 1
	brCracks* cracks;
	brTetMesh* tets;
	brTetInfo info;
	brCrackGrowth growth;
} CrackJob;

static bool crackIsFinite(brDVec3 v)
{
	return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static brResult crackCheck(const brMesh* mesh, const brCrackDef* def, brMassProperties* outBody, brReport* report)
{
	if (mesh == NULL || def == NULL || def->stamp != BR_STAMP(*def) || (def->forceCount > 0 && def->forces == NULL) ||
		(def->supportCount > 0 && def->supports == NULL) || (def->pressureCount > 0 && def->pressures == NULL) ||
		(def->givenCount > 0 && def->given == NULL) || !(def->growth > 0.0 && def->growth <= 4.0))
	{
		return brFail(report, br_errorMisuse,
					  "brCreateCracks needs a mesh and a def with its stamp and limits in range");
	}
	if (def->maxCracks < 1 || def->maxCracks > BR_MAX_CRACKS || def->maxSteps < 1 || def->maxPieces < 0)
	{
		return brFail(report, br_errorMisuse,
					  "cracks are 1 to %d, their steps 1 or more and pieces 0 or more, not %d, %d and %d",
					  BR_MAX_CRACKS, def->maxCracks, def->maxSteps, def->maxPieces);
	}
	if (!(def->branching >= 0.0 && def->grain >= 0.0 && def->grainSize >= 0.0))
	{
		return brFail(report, br_errorMisuse, "branching, grain and grain size are 0 or more, not %g, %g and %g",
					  def->branching, def->grain, def->grainSize);
	}
	if (def->intensity != br_intensityIntegral && def->intensity != br_intensityCorrelation)
	{
		return brFail(report, br_errorMisuse, "there is no way %d to find stress intensities", (int)def->intensity);
	}
	if (!(def->efficiency >= 0.0 && def->efficiency <= 1.0))
	{
		return brFail(report, br_errorMisuse, "a share of 0 to 1 of a blow's energy goes into small cracks, not %g",
					  def->efficiency);
	}
	if (!(def->crumb >= 0.0 && def->crumb < 1.0))
	{
		return brFail(report, br_errorMisuse, "crumbs are pieces below a share of 0 to 1, not %g", def->crumb);
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	double longest = fmax(size.x, fmax(size.y, size.z));
	if (!(def->edge >= 0.0) || def->edge > fmax(longest, 0.0))
	{
		return brFail(report, br_errorMisuse, "an edge of %g m is none for tets in a body that is %g m long", def->edge,
					  longest);
	}
	if (def->refinementCount < 0 || (def->refinementCount > 0 && (def->refinements == NULL || !(def->edge > 0.0))))
	{
		return brFail(report, br_errorMisuse, "finer cells in balls need an edge for the rest of the lattice");
	}
	*outBody = brMesh_ComputeMass(mesh, 1.0);
	if (mesh->faceCount > 0 && !(outBody->mass > 0.0))
	{
		return brFail(report, br_errorGeometry, "the mesh has no positive volume: it is open, flat or inside out");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorGeometry, "%s", wrong);
	}
	if (!crackIsFinite(def->hit) || !crackIsFinite(def->impulse) || !crackIsFinite(def->latticeTurn) ||
		!crackIsFinite(def->acceleration))
	{
		return brFail(report, br_errorGeometry, "the load is not finite");
	}
	if (!(def->strikerRadius > 0.0) || !(def->energy >= 0.0))
	{
		return brFail(report, br_errorMisuse,
					  "the striker's radius is above 0 and the energy 0 or more, not %g m and %g J", def->strikerRadius,
					  def->energy);
	}
	bool isRolled = false, isHeld = false;
	for (int32_t i = 0; i < def->supportCount; ++i)
	{
		const brCrackSupport* support = &def->supports[i];
		isRolled |= support->isRoller, isHeld |= !support->isRoller;
		if (support->isRoller && (!crackIsFinite(support->line[0]) || !crackIsFinite(support->line[1])))
		{
			return brFailAt(report, br_errorGeometry, i, "support %d is not finite", i);
		}
	}
	if (isRolled && (isHeld || brDDot(def->impulse, def->impulse) > 0.0))
	{
		return brFail(report, br_errorMisuse,
					  "rollers along lines take what balance asks for: other supports and blows do not go with them");
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
static brResult crackCheckClosed(const brContext* context, const brMesh* mesh, brSurfaceTree** outTree,
								 brMesh** outWelded, brReport* report)
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
	if (result < 0)
	{
		brDestroyMesh(welded);
		brDestroySurfaceTree(tree);
		return result;
	}
	*outTree = tree;
	*outWelded = welded;
	return result;
}

// A force or a roller beside the solid has no lever that is anywhere: what it does there is the lattice's nearest
// nodes' luck.
static brResult crackCheckPlace(const brSurfaceTree* surface, const brMesh* mesh, const char* what, brDVec3 point,
								brReport* report)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	brClosestPoint closest;
	int32_t crossings;
	brSurfaceTree_FindClosest(surface, NULL, &point, 1, &closest);
	brSurfaceTree_CountCrossings(surface, NULL, &point, 1, &crossings);
	if (crossings != 0 || closest.distance <= CRACK_BESIDE * fmax(size.x, fmax(size.y, size.z)))
	{
		return br_success;
	}
	return brFail(
		report, br_errorGeometry,
		"a %s at (%.4g, %.4g, %.4g) lies %.3g m outside of the solid, which is between (%.4g, %.4g, %.4g) and "
		"(%.4g, %.4g, %.4g)",
		what, point.x, point.y, point.z, closest.distance, box.lower.x, box.lower.y, box.lower.z, box.upper.x,
		box.upper.y, box.upper.z);
}

static brResult crackCheckPlaces(const brSurfaceTree* surface, const brMesh* mesh, const brCrackDef* def,
								 brReport* report)
{
	brResult result = br_success;
	for (int32_t i = 0; i < def->forceCount && result >= 0; ++i)
	{
		result = crackCheckPlace(surface, mesh, "force", def->forces[i].point, report);
	}
	for (int32_t i = 0; i < def->supportCount && result >= 0; ++i)
	{
		const brCrackSupport* support = &def->supports[i];
		for (int32_t k = 0; k < 2 && support->isRoller && result >= 0; ++k)
		{
			result = crackCheckPlace(surface, mesh, "roller", support->line[k], report);
		}
	}
	return result;
}

// The caller's balls as the lattice lies. Null without any, or without memory.
static brTetRefinement* crackTurnBalls(const CrackJob* job, const brMat3* lattice)
{
	const brCrackDef* def = job->def;
	brTetRefinement* balls =
		def->refinementCount > 0 ? BR_ALLOC(&job->growth.allocator, brTetRefinement, def->refinementCount) : NULL;
	for (int32_t i = 0; balls != NULL && i < def->refinementCount; ++i)
	{
		balls[i] = def->refinements[i];
		brDVec3 r = brDSub(balls[i].center, job->growth.origin);
		balls[i].center = brMakeDVec3(brDDot(lattice->cx, r), brDDot(lattice->cy, r), brDDot(lattice->cz, r));
	}
	return balls;
}

// Walls that are thinner than the lattice fall apart on it. Then whole tets around them do: each is as stiff and heavy
// as it is full. That has the right stiffness of walls in their plane; bent walls are too stiff.
static brResult crackFill(CrackJob* job, const brMesh* mesh, const brTetRefinement* balls, brReport* report)
{
	brTetDef def = brDefaultTetDef();
	def.refinements = balls;
	def.refinementCount = balls != NULL ? job->def->refinementCount : 0;
	def.matchVolume = balls == NULL; // what coarse cells lose would make the fine ones too thick
	def.targetTets = job->def->edge > 0.0 ? 0 : job->def->tets;
	def.edge = job->def->edge;
	def.coarsening = 0; // fronts run inside
	brResult result = brMakeTetMesh(job->context, mesh, &def, &job->tets, &job->info, report);
	if (result == br_errorGeometry && def.refinementCount == 0)
	{
		def.embed = true;
		result = brMakeTetMesh(job->context, mesh, &def, &job->tets, &job->info, report);
	}
	else if (result == br_errorGeometry) // its sentence is about embedding, which has one size of cells
	{
		brFail(report, result,
			   "walls are thinner than a lattice of %g m can show: finer cells in balls need one that can, so make the "
			   "edge smaller",
			   def.edge);
	}
	job->cracks->stats.isEmbedded = def.embed;
	return result;
}

// Edge of a lattice of CRACK_LENGTH_TETS: the root of inside V / h^3 + surface A / h^2 = tets, by Newton from above.
static double crackLatticeEdge(double volume, double area, double surface)
{
	double a = surface * area / CRACK_LENGTH_TETS, b = CRACK_TETS_INSIDE * volume / CRACK_LENGTH_TETS;
	double h = sqrt(a) + brPower(b, 1.0 / 3.0);
	for (int i = 0; i < 20; ++i)
	{
		h -= (h * (h * h - a) - b) / (3.0 * h * h - a);
	}
	return h;
}

// A length of the body, the same for each lattice that can show it.
static double crackGrainLength(const brMesh* mesh, double volume, double edge)
{
	double area = brMesh_ComputeArea(mesh);
	double length = crackLatticeEdge(volume, area, CRACK_TETS_SURFACE);
	bool isWall = 2.0 * volume < length * area;
	length = isWall ? crackLatticeEdge(volume, area, CRACK_TETS_WALL) : length;
	return fmax(length, edge / CRACK_COARSE);
}

// The lattice, in the axes of the body.
static brResult crackMesh(CrackJob* job, brReport* report)
{
	int64_t start = brClockNanoseconds();
	brCrackGrowth* growth = &job->growth;
	brMesh* turned = NULL;
	brResult result = brCopyMesh(job->context, job->mesh, &turned, report);
	if (result < 0)
	{
		return result;
	}
	growth->frame = brCrackFrame(job->mesh, &job->body, job->def);
	growth->origin = job->body.center;
	brMat3 lattice = brCrackFrame_OfLattice(&growth->frame, job->def);
	brCrackFrame_Turn(&lattice, growth->origin, turned);
	brTetRefinement* balls = crackTurnBalls(job, &lattice);
	result =
		balls != NULL || job->def->refinementCount == 0 ? crackFill(job, turned, balls, report) : brFailMemory(report);
	BR_FREE(&growth->allocator, balls, job->def->refinementCount);
	brDestroyMesh(turned);
	if (result < 0)
	{
		return result;
	}
	for (int32_t i = 0; i < job->tets->nodeCount; ++i)
	{
		job->tets->nodes[i] = brCrackFrame_From(&lattice, growth->origin, job->tets->nodes[i]);
	}
	brCrackStats* stats = &job->cracks->stats;
	stats->tets = job->tets->tetCount;
	stats->nodes = job->tets->nodeCount;
	stats->edge = job->info.edge;
	growth->edge = growth->stepEdge = job->def->refinementCount > 0 ? job->def->edge : job->info.edge;
	growth->fills = job->info.fills;
	growth->grainLength = crackGrainLength(job->mesh, job->body.volume, growth->edge);
	result = stats->isEmbedded ? brSmoothWallFills(&growth->allocator, job->tets, job->info.fills, report) : br_success;
	stats->tetSeconds = brSecondsSince(start);
	return result;
}

static brResult crackGrow(CrackJob* job, brReport* report)
{
	brCrackGrowth* growth = &job->growth;
	growth->context = job->context;
	growth->def = job->def;
	growth->source = *job->source;
	growth->mesh = job->mesh;
	growth->tets = job->tets;
	growth->stats = &job->cracks->stats;
	brResult result = brCrackLoad_Make(&growth->allocator, job->mesh, job->tets, growth->grainLength, job->def,
									   &growth->load, report);
	if (result < 0)
	{
		return result;
	}
	if (job->source->force > 0.0)
	{
		brCrackLoad_SetBlow(&growth->load, job->source->force, job->source->contactTime, job->source->energy);
	}
	brCrackStats* stats = &job->cracks->stats;
	stats->force = growth->load.force;
	stats->contactTime = growth->load.contactTime;
	stats->unbalanced = growth->load.unbalanced;
	result = brCrackGrowth_Run(growth, report);
	stats->energyAvailable = growth->available;
	return result;
}

// What the growth has written down.
static brResult crackRecords(CrackJob* job, brReport* report)
{
	brCracks* cracks = job->cracks;
	const brCrackGrowth* growth = &job->growth;
	cracks->steps = BR_ALLOC(&cracks->allocator, brCrackStep, growth->steps.count);
	cracks->stepCount = cracks->steps != NULL ? growth->steps.count : 0;
	cracks->fronts = BR_ALLOC(&cracks->allocator, brCrackFrontRecord, growth->fronts.count);
	cracks->frontCount = cracks->fronts != NULL ? growth->fronts.count : 0;
	if (cracks->steps == NULL || cracks->fronts == NULL)
	{
		return brFailMemory(report);
	}
	if (cracks->stepCount > 0)
	{
		memcpy(cracks->steps, growth->steps.data, (size_t)cracks->stepCount * sizeof(brCrackStep));
	}
	if (cracks->frontCount > 0)
	{
		memcpy(cracks->fronts, growth->fronts.data, (size_t)cracks->frontCount * sizeof(brCrackFrontRecord));
	}
	return br_success;
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
		result = brGrowingCrack_MakeMesh(from, job->context, &grain, &crack->surface, report);
	}
	return result;
}

// A crack parts something if one of its faces has different pieces in front and behind.
static void crackFindParting(brCracks* cracks, const brCutResult* cut, const int32_t* firstFaces, int32_t* fronts,
							 int32_t* backs)
{
	for (int32_t f = 0; f < firstFaces[cracks->crackCount]; ++f)
	{
		fronts[f] = backs[f] = -1;
	}
	for (int32_t p = 0; p < cut->pieceCount; ++p)
	{
		const brCutPiece* piece = &cut->pieces[p];
		for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
		{
			if (piece->faceKinds[f] == br_faceSource)
			{
				continue;
			}
			int32_t face = firstFaces[piece->faceCutters[f]] + piece->faceParents[f];
			int32_t* mine = piece->faceKinds[f] == br_faceCapPositive ? &fronts[face] : &backs[face];
			int32_t other = piece->faceKinds[f] == br_faceCapPositive ? backs[face] : fronts[face];
			cracks->cracks[piece->faceCutters[f]].isParting |= other >= 0 && other != p;
			*mine = p;
		}
	}
}

// Cuts by all cracks at once. Crumbs, which cracks leave where they run close beside each other, join their neighbors.
static brResult crackCutMesh(CrackJob* job, brCutResult** outCut, brReport* report)
{
	brCracks* cracks = job->cracks;
	const brMesh* meshes[BR_MAX_CRACKS];
	int32_t firstFaces[BR_MAX_CRACKS + 1] = {0};
	for (int32_t i = 0; i < cracks->crackCount; ++i)
	{
		meshes[i] = cracks->cracks[i].surface;
		firstFaces[i + 1] = firstFaces[i] + meshes[i]->faceCount;
	}
	if (cracks->crackCount == 0)
	{
		return brSeparateMesh(job->context, job->mesh, outCut, report);
	}
	brCutDef def = brDefaultCutDef();
	def.interior = &job->def->interior;
	def.minShare = job->def->crumb;
	def.healIncisions = !job->def->keepIncisions;
	int64_t faceCount = firstFaces[cracks->crackCount];
	brResult result = brCutMeshByMany(job->context, job->mesh, meshes, cracks->crackCount, &def, outCut, report);
	int32_t* faces = result >= 0 ? BR_ALLOC(&cracks->allocator, int32_t, 2 * faceCount) : NULL;
	if (result >= 0 && faces == NULL)
	{
		brDestroyCutResult(*outCut);
		return brFailMemory(report);
	}
	if (result >= 0)
	{
		cracks->stats.joined = (*outCut)->stats.joined;
		crackFindParting(cracks, *outCut, firstFaces, faces, faces + faceCount);
		BR_FREE(&cracks->allocator, faces, 2 * faceCount);
	}
	return result;
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

// From crack surfaces to pieces and the bonds between them.
static brResult crackCut(CrackJob* job, brReport* report)
{
	brCracks* cracks = job->cracks;
	brCutResult* cut = NULL;
	brResult result = crackCutMesh(job, &cut, report);
	if (result < 0)
	{
		return result;
	}
	result = brMakeCutBonds(&cracks->allocator, cut, &cracks->bonds, &cracks->bondCount, report);
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
			cracks->pieces[i].mass = brMesh_ComputeMass(cracks->pieces[i].mesh, job->def->material.density);
			bool isLarge = cracks->pieces[i].mass.volume > BR_CRACK_LARGE * cracks->stats.volumeIn;
			cracks->stats.largePieces += isLarge ? 1 : 0;
		}
	}
	brDestroyCutResult(cut);
	return result;
}

brResult brCreateCracks(const brContext* context, const brMesh* mesh, const brCrackDef* def, brCracks** outCracks,
						brReport* report)
{
	return brCreateCracksFrom(context, mesh, &(brCrackSource){0}, def, outCracks, report);
}

// Where a blow acts: a place far beside the mesh stands for the nearest one on it. Left where it was, its arm about the
// middle would be as long as it was off, and its energy would grow by the square of that.
static brDVec3 crackPlaceHit(const brMesh* mesh, const brSurfaceTree* surface, brDVec3 hit)
{
	const double far = 0.1;
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double off = brDDistance(brDMax(box.lower, brDMin(hit, box.upper)), hit);
	if (!(off > far * brDDistance(box.lower, box.upper)))
	{
		return hit;
	}
	brClosestPoint nearest;
	brSurfaceTree_FindClosest(surface, NULL, &hit, 1, &nearest);
	return nearest.triangle >= 0 ? nearest.point : hit;
}

brResult brCreateCracksFrom(const brContext* context, const brMesh* mesh, const brCrackSource* source,
							const brCrackDef* def, brCracks** outCracks, brReport* report)
{
	brMassProperties body;
	brResult result = outCracks != NULL ? crackCheck(mesh, def, &body, report)
										: brFail(report, br_errorMisuse, "brCreateCracks needs a place for its answer");
	if (result < 0)
	{
		return result;
	}
	brSurfaceTree* surface = NULL;
	brMesh* welded = NULL;
	result = crackCheckClosed(context, mesh, &surface, &welded, report);
	if (result < 0)
	{
		return result;
	}
	result = crackCheckPlaces(surface, welded, def, report);
	if (result < 0)
	{
		brDestroySurfaceTree(surface);
		brDestroyMesh(welded);
		return result;
	}
	brCrackDef placed = *def;
	placed.hit = crackPlaceHit(welded, surface, def->hit);
	def = &placed;
	int64_t start = brClockNanoseconds();
	brAllocator allocator = brContext_Allocator(context);
	brCrackBlow blow = {.allocator = allocator};
	if (!(source->ratio > 0.0))
	{
		result = brJudgeCrackBlow(context, welded, surface, def, &blow, report);
		source = &blow.source;
	}
	CrackJob job = {.context = context, .mesh = mesh, .def = def, .source = source, .body = body};
	job.growth.allocator = allocator;
	job.growth.surface = surface;
	job.growth.solid = welded;
	job.cracks = BR_ALLOC_ZERO(&allocator, brCracks, 1);
	if (job.cracks == NULL)
	{
		brFreeCrackBlow(&blow);
		brDestroySurfaceTree(surface);
		brDestroyMesh(welded);
		return brFailMemory(report);
	}
	job.cracks->allocator = allocator;
	result = result >= 0 ? crackMesh(&job, report) : result;
	result = result >= 0 ? crackGrow(&job, report) : result;
	result = result >= 0 ? crackRecords(&job, report) : result;
	result = result >= 0 ? crackSurfaces(&job, report) : result;
	int64_t cutStart = brClockNanoseconds();
	result = result >= 0 ? crackCut(&job, report) : result;
	brCrackStats* stats = &job.cracks->stats;
	stats->mainPieces = job.cracks->pieceCount;
	result = result >= 0 ? brCrackGrowth_SplitPieces(&job.growth, job.cracks, report) : result;
	stats->cutSeconds = brSecondsSince(cutStart);
	stats->energy = stats->area * brMaterial_GetFractureEnergy(&def->material);
	stats->seconds = brSecondsSince(start);
	brCrackGrowth_Free(&job.growth);
	brDestroyTetMesh(job.tets);
	brFreeTetInfo(&job.info);
	brDestroySurfaceTree(surface);
	brDestroyMesh(welded);
	brFreeCrackBlow(&blow);
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
	BR_FREE(&allocator, cracks->steps, cracks->stepCount);
	BR_FREE(&allocator, cracks->fronts, cracks->frontCount);
	BR_FREE(&allocator, cracks, 1);
}
