// SPDX-License-Identifier: MIT

// Sites by random chords: a point on the surface, a line inward to where it leaves the solid, a point on it. One ray a
// site, so thin shells cost no more than lumps.

#include "fracture/breakup.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "fracture/cascade.h"
#include "fracture/shatter_build.h"
#include "math/power.h"
#include "math/rotation.h"

#include <math.h>

#define FRAGMENT_LUMP 2.91     // half the area of a Poisson-Voronoi cell of volume 1
#define FRAGMENT_WALL 2.0      // half the perimeter of a square cell
#define FRAGMENT_REST_SITES 14 // that shape the large pieces round a local break
#define FRAGMENT_TRIES 200000
#define FRAGMENT_SLIVER 0.4 // cells smaller than this part of the planned size join a neighbor

static double fragmentCubeRoot(double x)
{
	return brPower(x, 1.0 / 3.0);
}

brMeshMeasure brMeasureMesh(const brMesh* mesh, double volume)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brMeshMeasure measure = {.volume = volume, .area = brMesh_ComputeArea(mesh)};
	measure.radius = 0.5 * brDDistance(box.lower, box.upper);
	measure.thickness = 2.0 * measure.volume / measure.area;
	return measure;
}

// How many cells of the whole body the cracks are good for.
static double fragmentWholeCount(const brMeshMeasure* m, double crackArea)
{
	double wall = 1.0 + crackArea / (FRAGMENT_WALL * sqrt(m->volume * m->thickness));
	double count = wall * wall;
	if (m->volume > 9.0 * m->thickness * m->thickness * m->thickness * count) // cells wider than three walls
	{
		return count;
	}
	double edge = fragmentCubeRoot(m->volume), lump = 1.0 + crackArea / (FRAGMENT_LUMP * edge * edge);
	return lump * lump * lump;
}

// Edge of n equal cells that fill the body: cubes, or squares as thick as a wall.
static double fragmentCellSize(const brMeshMeasure* m, double n)
{
	double wall = sqrt(m->volume / (m->thickness * n));
	return wall > m->thickness ? wall : fragmentCubeRoot(m->volume / n);
}

static brBreakupPlan fragmentLocalPlan(const brBreakupDef* def)
{
	const brMeshMeasure* m = &def->measure;
	double h = m->thickness, n = def->most;
	double size = sqrt(def->crackArea / (FRAGMENT_LUMP * n));
	bool isWall = size > h;
	size = isWall ? def->crackArea / (FRAGMENT_WALL * h * n) : size;
	if (size < def->smallest)
	{
		size = def->smallest;
		isWall = size > h;
		n = isWall ? def->crackArea / (FRAGMENT_WALL * h * size) : def->crackArea / (FRAGMENT_LUMP * size * size);
	}
	brBreakupPlan plan = {.count = n < def->most ? (int32_t)n : def->most, .size = size, .radius = INFINITY};
	// A half ball in a lump, a disc in a wall.
	double radius = isWall ? size * sqrt(n / BR_PI) : size * fragmentCubeRoot(1.5 * n / BR_PI);
	if (radius < m->radius)
	{
		plan.radius = radius;
		plan.rests = 1 + (int32_t)(4.0 * radius / m->radius);
	}
	else
	{
		plan.size = fmin(size, fragmentCellSize(m, plan.count > 1 ? plan.count : 1));
	}
	return plan;
}

brBreakupPlan brPlanBreakup(const brBreakupDef* def)
{
	const brMeshMeasure* m = &def->measure;
	brBreakupPlan plan;
	if (def->pattern == br_sitesClustered)
	{
		plan = fragmentLocalPlan(def);
	}
	else
	{
		double s = def->smallest, h = m->thickness;
		double count = fmin(fragmentWholeCount(m, def->crackArea), m->volume / (s > h ? s * s * h : s * s * s));
		plan = (brBreakupPlan){.count = count < def->most ? (int32_t)count : def->most, .radius = INFINITY};
		plan.size = fragmentCellSize(m, plan.count > 1 ? plan.count : 1);
	}
	// A cascade makes small pieces besides the large ones; this is only what the budget counts with.
	if (def->pattern == br_sitesImpact || def->pattern == br_sitesRadial)
	{
		plan.count = 2 * plan.count + 4 < def->most ? 2 * plan.count + 4 : def->most;
	}
	// Too little for a pattern: one crack, from the hit through.
	if (plan.count < 3)
	{
		plan = (brBreakupPlan){.count = 2, .size = fragmentCellSize(m, 2.0), .radius = INFINITY};
	}
	return plan;
}

// Room for a choice of triangles.
typedef struct FragmentRoom
{
	bool* marks;
	int32_t* triangles;
	double* before;
} FragmentRoom;

// Triangles within reach of the hit.
static brHitChoice fragmentNear(const brBreakupDef* def, double reach, const FragmentRoom* room)
{
	brHitChoice choice = {.triangles = room->triangles, .before = room->before};
	brHitSurface_Mark(def->surface, def->at, reach, room->marks);
	for (int32_t i = 0; i < def->surface->count; ++i)
	{
		if (room->marks[i])
		{
			brHitSurface_Choose(def->surface, i, &choice);
		}
	}
	return choice;
}

static brDVec3 fragmentOnSurface(const brBreakupDef* def, const brHitChoice* choice, brRandom* random,
								 brDVec3* outNormal)
{
	double want = choice->area * brRandom_Unit(random);
	return brHitSurface_Draw(def->surface, choice, want, random, outNormal);
}

// A point inside, about evenly; no deeper than `deepest`.
static brDVec3 fragmentInside(const brBreakupDef* def, brDVec3 p, brDVec3 normal, double deepest, brRandom* random)
{
	// Sum of the inward normal and a point of the sphere: Lambert's law.
	brDVec3 d = brDNormalize(brDSub(brDMul(0.999, brRandomDirection(random)), normal));
	double depth = brHitSurface_Depth(def->surface, p, d, 1e-9 * def->measure.radius, deepest);
	double part = brRandom_Unit(random);
	return brDMulAdd(p, part * (isfinite(depth) ? depth : 0.0), d);
}

static int32_t fragmentNearest(const brDVec3* points, int32_t count, brDVec3 p)
{
	int32_t best = 0;
	for (int32_t i = 1; i < count; ++i)
	{
		best = brDDistance(p, points[i]) < brDDistance(p, points[best]) ? i : best;
	}
	return best;
}

// Inside the broken region denser towards the hit, round it evenly.
static int32_t fragmentLocalSites(const brBreakupDef* def, const brBreakupPlan* plan, const FragmentRoom* room,
								  brDVec3* sites, int32_t* groups)
{
	brRandom random = brMakeRandom(def->seed, 1);
	bool isLocal = plan->radius < INFINITY;
	double reach = isLocal ? plan->radius : 2.0 * def->measure.radius;
	brHitChoice choice = fragmentNear(def, reach, room);
	int32_t count = 0, tries = choice.count > 0 ? 0 : FRAGMENT_TRIES;
	while (count < plan->count && tries < FRAGMENT_TRIES)
	{
		brDVec3 normal, p = fragmentOnSurface(def, &choice, &random, &normal);
		double distance = brDDistance(p, def->at), chance = brRandom_Unit(&random);
		tries += 1;
		if (distance < reach && chance * (0.15 * reach + distance) < 0.15 * reach)
		{
			groups[count] = -1;
			sites[count++] = fragmentInside(def, p, normal, isLocal ? reach : INFINITY, &random);
		}
	}
	int32_t first = count;
	choice = def->surface->all;
	for (int32_t k = 0; isLocal && k < 4 * FRAGMENT_REST_SITES && count < first + FRAGMENT_REST_SITES; ++k)
	{
		brDVec3 normal, p = fragmentOnSurface(def, &choice, &random, &normal);
		brDVec3 site = fragmentInside(def, p, normal, INFINITY, &random);
		if (brDDistance(site, def->at) < reach)
		{
			continue;
		}
		// The first ones are the seeds of the large pieces.
		int32_t seeds = count - first < plan->rests ? count - first : plan->rests;
		groups[count] = seeds < plan->rests ? seeds : fragmentNearest(sites + first, seeds, site);
		sites[count++] = site;
	}
	return count;
}

static int32_t fragmentEvenSites(const brBreakupDef* def, const brBreakupPlan* plan, brDVec3* sites)
{
	brHitChoice choice = def->surface->all;
	brRandom random = brMakeRandom(def->seed, 2);
	for (int32_t i = 0; i < plan->count; ++i)
	{
		brDVec3 normal, p = fragmentOnSurface(def, &choice, &random, &normal);
		sites[i] = fragmentInside(def, p, normal, INFINITY, &random);
	}
	return plan->count;
}

// Two sites either side of a plane through the hit that holds the inward normal.
static int32_t fragmentSplitSites(const brBreakupDef* def, brDVec3* sites)
{
	brRandom random = brMakeRandom(def->seed, 3);
	brDVec3 side = brDNormalize(brDCross(def->inward, brRandomDirection(&random)));
	side = brDLengthSq(side) > 0.5 ? side : brMakeDVec3(1.0, 0.0, 0.0);
	double reach = 0.3 * def->measure.radius;
	sites[0] = brDMulAdd(def->at, reach, side);
	sites[1] = brDMulAdd(def->at, -reach, side);
	return 2;
}

static brResult fragmentSites(const brContext* context, const brBreakupDef* def, const brBreakupPlan* plan,
							  const FragmentRoom* room, brDVec3* sites, int32_t* groups, int32_t* outCount,
							  brReport* report)
{
	if (plan->count <= 2)
	{
		*outCount = fragmentSplitSites(def, sites);
	}
	else if (def->pattern == br_sitesClustered)
	{
		*outCount = fragmentLocalSites(def, plan, room, sites, groups);
	}
	else if (def->pattern == br_sitesUniform)
	{
		*outCount = fragmentEvenSites(def, plan, sites);
	}
	else
	{
		brSiteDef siteDef = brDefaultSiteDef();
		siteDef.pattern = def->pattern;
		siteDef.count = plan->count;
		siteDef.seed = def->seed;
		siteDef.at = def->at;
		siteDef.axis = def->inward;
		return brMakeSites(context, def->mesh, &siteDef, sites, outCount, report);
	}
	return br_success;
}

brResult brMakeBreakup(const brContext* context, const brBreakupDef* def, const brBreakupPlan* plan,
					   brShatter** outShatter, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t capacity = plan->count + FRAGMENT_REST_SITES, count = 0;
	int32_t triangleCount = def->mesh->cornerCount - 2 * def->mesh->faceCount;
	brHitSurface* own = def->surface == NULL ? brCreateHitSurface(&allocator, def->mesh) : NULL;
	brBreakupDef known = *def;
	known.surface = own != NULL ? own : def->surface;
	FragmentRoom room = {.marks = BR_ALLOC(&allocator, bool, triangleCount)};
	room.triangles = BR_ALLOC(&allocator, int32_t, triangleCount);
	room.before = BR_ALLOC(&allocator, double, triangleCount);
	brDVec3* sites = BR_ALLOC(&allocator, brDVec3, capacity);
	int32_t* groups = BR_ALLOC(&allocator, int32_t, capacity);
	bool hasMemory = known.surface != NULL && room.marks != NULL && room.triangles != NULL && room.before != NULL &&
					 sites != NULL && groups != NULL;
	brResult result = hasMemory ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		for (int32_t i = 0; i < capacity; ++i)
		{
			groups[i] = -1;
		}
		result = fragmentSites(context, &known, plan, &room, sites, groups, &count, report);
	}
	if (result >= 0)
	{
		double size = plan->size, h = fmin(def->measure.thickness, size);
		brShatterDef shatter = brDefaultShatterDef();
		shatter.sites = sites;
		shatter.siteCount = count;
		shatter.groups = groups;
		shatter.smallest = fmin(FRAGMENT_SLIVER * FRAGMENT_SLIVER * size * size * h / def->measure.volume, 0.1);
		shatter.density = 1.0;
		shatter.interior = *def->interior;
		brShatterSource source = {
			.volume = def->isSound ? def->measure.volume : 0.0, .known = def->known, .device = def->cells};
		result = brCreateShatterFrom(context, def->mesh, &source, &shatter, outShatter, report);
	}
	brDestroyHitSurface(own);
	BR_FREE(&allocator, room.marks, triangleCount);
	BR_FREE(&allocator, room.triangles, triangleCount);
	BR_FREE(&allocator, room.before, triangleCount);
	BR_FREE(&allocator, sites, capacity);
	BR_FREE(&allocator, groups, capacity);
	return result;
}

brResult brMakeCascadeBreakup(const brContext* context, const brBreakupDef* def, brShatter** outShatter,
							  brReport* report)
{
	brCascadeDef cascade = brDefaultCascadeDef();
	cascade.material = *def->material;
	cascade.at = def->at, cascade.direction = def->inward;
	cascade.energy = def->energy, cascade.speed = def->speed;
	cascade.reach = def->reach, cascade.duration = def->duration;
	cascade.pieces = def->most, cascade.smallest = def->smallest;
	cascade.mustBreak = def->isForced;
	cascade.seed = def->seed;
	cascade.density = 1.0;
	cascade.interior = *def->interior;
	brCascadeSource source = {.isSound = def->isSound,
							  .isPlaced = true,
							  .measure = def->measure,
							  .surface = def->surface,
							  .samples = def->samples,
							  .sampleCount = def->sampleCount,
							  .isPiece = def->isPiece,
							  .chip = def->chip,
							  .parting = def->parting,
							  .partingChip = def->partingChip,
							  .pressed = def->pressed,
							  .excess = def->excess,
							  .mass = def->speed > 0.0 ? 2.0 * def->blow / (def->speed * def->speed) : 0.0,
							  .through = def->through,
							  .way = def->way};
	return brCreateCascadeFrom(context, def->mesh, &source, &cascade, outShatter, report);
}
