// SPDX-License-Identifier: MIT

// Sites by random chords: a point on the surface, a line inward to where it leaves the solid, a point on it. One ray a site, so thin shells
// cost no more than lumps, and no tree is built for a body that is about to go.

#include "fracture/fragment.h"

#include "base/array.h"
#include "base/random.h"
#include "base/report.h"
#include "math/power.h"

#include <math.h>

#define FRAGMENT_LUMP 2.91     // half the area of a Poisson-Voronoi cell of volume 1
#define FRAGMENT_WALL 2.0      // half the perimeter of a square cell
#define FRAGMENT_REST_SITES 36 // that shape the large pieces round a local break
#define FRAGMENT_TRIES 200000
#define FRAGMENT_SLIVER 0.15 // cells smaller than this part of the planned size join a neighbour

typedef struct FragmentTriangle
{
	brDVec3 a, ab, ac, normal; // normal: ab x ac
	double before;             // area of all triangles before it
} FragmentTriangle;

typedef struct FragmentSurface
{
	const FragmentTriangle* triangles;
	int32_t count;
	double area;
} FragmentSurface;

static double fragmentCubeRoot(double x)
{
	return brPower(x, 1.0 / 3.0);
}

brMeshMeasure brMeasureMesh(const brMesh* mesh)
{
	brDBox3 box = brMesh_Bounds(mesh);
	brMeshMeasure measure = {.volume = brMesh_Mass(mesh, 1.0).volume, .area = brMesh_Area(mesh)};
	measure.radius = 0.5 * brDDistance(box.lower, box.upper);
	measure.thickness = 2.0 * measure.volume / measure.area;
	return measure;
}

// Where the line p + t d crosses a triangle; false if it does not.
static bool fragmentCross(brDVec3 a, brDVec3 ab, brDVec3 ac, brDVec3 p, brDVec3 d, double* outT)
{
	brDVec3 q = brDCross(d, ac), s = brDSub(p, a);
	double det = brDDot(ab, q);
	double u = brDDot(s, q), lower = fmin(0.0, det), upper = fmax(0.0, det);
	if (det == 0.0 || u < lower || u > upper)
	{
		return false;
	}
	brDVec3 r = brDCross(s, ab);
	double v = brDDot(d, r);
	if ((det > 0.0 && (v < 0.0 || u + v > det)) || (det < 0.0 && (v > 0.0 || u + v < det)))
	{
		return false;
	}
	*outT = brDDot(ac, r) / det;
	return true;
}

#define FRAGMENT_CROSSINGS 256

double brMesh_Chord(const brMesh* mesh, brDVec3 point, brDVec3 direction, brDVec3* outMiddle)
{
	// Crossings, sorted; polygons count as fans, whose overhanging triangles cancel by their sign.
	double times[FRAGMENT_CROSSINGS];
	int32_t signs[FRAGMENT_CROSSINGS], count = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		brDVec3 a = mesh->positions[corners[0]];
		for (int32_t k = 1; k + 1 < brMesh_FaceSize(mesh, f); ++k)
		{
			brDVec3 ab = brDSub(mesh->positions[corners[k]], a), ac = brDSub(mesh->positions[corners[k + 1]], a);
			double t;
			if (!fragmentCross(a, ab, ac, point, direction, &t) || count == FRAGMENT_CROSSINGS)
			{
				continue;
			}
			int32_t at = count++, sign = brDDot(direction, brDCross(ab, ac)) < 0.0 ? 1 : -1;
			for (; at > 0 && times[at - 1] > t; --at)
			{
				times[at] = times[at - 1], signs[at] = signs[at - 1];
			}
			times[at] = t, signs[at] = sign;
		}
	}
	double best = INFINITY, length = 0.0, middle = 0.0, enter = 0.0;
	for (int32_t i = 0, wraps = 0; i < count; ++i)
	{
		int32_t next = wraps + signs[i] < 0 ? 0 : wraps + signs[i];
		enter = wraps == 0 ? times[i] : enter;
		double gap = fmax(0.0, fmax(enter, -times[i]));
		if (wraps > 0 && next == 0 && gap < best && times[i] > enter)
		{
			best = gap, length = times[i] - enter, middle = 0.5 * (enter + times[i]);
		}
		wraps = next;
	}
	if (outMiddle != NULL && length > 0.0)
	{
		*outMiddle = brDMulAdd(point, middle, direction);
	}
	return length;
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

static brFragmentPlan fragmentLocalPlan(const brFragmentDef* def)
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
	brFragmentPlan plan = {.count = n < def->most ? (int32_t)n : def->most, .size = size, .radius = INFINITY};
	// A half ball in a lump, a disc in a wall.
	double radius = isWall ? size * sqrt(n / BR_PI) : size * fragmentCubeRoot(1.5 * n / BR_PI);
	if (radius < m->radius)
	{
		plan.radius = radius;
		plan.rests = 1 + (int32_t)(5.0 * radius / m->radius);
	}
	return plan;
}

brFragmentPlan brPlanFragments(const brFragmentDef* def)
{
	const brMeshMeasure* m = &def->measure;
	brFragmentPlan plan;
	if (def->pattern == br_sitesClustered)
	{
		plan = fragmentLocalPlan(def);
	}
	else
	{
		double s = def->smallest, h = m->thickness;
		double count = fmin(fragmentWholeCount(m, def->crackArea), m->volume / (s > h ? s * s * h : s * s * s));
		plan = (brFragmentPlan){.count = count < def->most ? (int32_t)count : def->most, .radius = INFINITY};
		plan.size = fragmentCubeRoot(m->volume / fmax(count, 1.0));
	}
	// Too little for a pattern: one crack, from the hit through.
	if (plan.count < 3)
	{
		plan = (brFragmentPlan){.count = 2, .size = fragmentCubeRoot(0.5 * m->volume), .radius = INFINITY};
	}
	return plan;
}

static void fragmentSurface(const brMesh* mesh, FragmentTriangle* triangles, FragmentSurface* outSurface)
{
	int32_t count = 0;
	double area = 0.0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		for (int32_t k = 1; k + 1 < brMesh_FaceSize(mesh, f); ++k)
		{
			FragmentTriangle* t = &triangles[count++];
			t->a = mesh->positions[corners[0]];
			t->ab = brDSub(mesh->positions[corners[k]], t->a);
			t->ac = brDSub(mesh->positions[corners[k + 1]], t->a);
			t->normal = brDCross(t->ab, t->ac);
			t->before = area;
			area += 0.5 * brDLength(t->normal);
		}
	}
	*outSurface = (FragmentSurface){triangles, count, area};
}

static brDVec3 fragmentOnSurface(const FragmentSurface* surface, brRandom* random, brDVec3* outNormal)
{
	double want = surface->area * brRandom_Unit(random);
	int32_t lower = 0, upper = surface->count - 1;
	while (lower < upper)
	{
		int32_t middle = (lower + upper + 1) / 2;
		if (surface->triangles[middle].before <= want)
		{
			lower = middle;
		}
		else
		{
			upper = middle - 1;
		}
	}
	const FragmentTriangle* t = &surface->triangles[lower];
	double u = sqrt(brRandom_Unit(random)), v = brRandom_Unit(random);
	*outNormal = brDNormalize(t->normal);
	return brDMulAdd(brDMulAdd(t->a, u * (1.0 - v), t->ab), u * v, t->ac);
}

// From a surface point inward to where the line leaves; INFINITY if it never does.
static double fragmentDepth(const FragmentSurface* surface, brDVec3 p, brDVec3 d)
{
	double nearest = INFINITY, skip = 1e-9 * sqrt(surface->area);
	for (int32_t i = 0; i < surface->count; ++i)
	{
		const FragmentTriangle* triangle = &surface->triangles[i];
		double t;
		if (brDDot(d, triangle->normal) > 0.0 && fragmentCross(triangle->a, triangle->ab, triangle->ac, p, d, &t) &&
			t > skip && t < nearest)
		{
			nearest = t;
		}
	}
	return nearest;
}

static brDVec3 fragmentDirection(brRandom* random)
{
	for (;;)
	{
		brDVec3 d = {brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
					 brRandom_Range(random, -1.0, 1.0)};
		double lengthSq = brDLengthSq(d);
		if (lengthSq <= 1.0 && lengthSq > 1e-6)
		{
			return brDMul(1.0 / sqrt(lengthSq), d);
		}
	}
}

// A point inside, about evenly; no deeper than `deepest`.
static brDVec3 fragmentInside(const FragmentSurface* surface, brDVec3 p, brDVec3 normal, double deepest,
							  brRandom* random)
{
	// Sum of the inward normal and a point of the sphere: Lambert's law.
	brDVec3 d = brDNormalize(brDSub(brDMul(0.999, fragmentDirection(random)), normal));
	double depth = fragmentDepth(surface, p, d), part = brRandom_Unit(random);
	depth = fmin(depth, deepest);
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
static int32_t fragmentLocalSites(const brFragmentDef* def, const brFragmentPlan* plan, const FragmentSurface* surface,
								  brDVec3* sites, int32_t* groups)
{
	brRandom random = brMakeRandom(def->seed, 1);
	bool isLocal = plan->radius < INFINITY;
	double reach = isLocal ? plan->radius : 2.0 * def->measure.radius;
	int32_t count = 0, tries = 0;
	while (count < plan->count && tries < FRAGMENT_TRIES)
	{
		brDVec3 normal, p = fragmentOnSurface(surface, &random, &normal);
		double distance = brDDistance(p, def->at), chance = brRandom_Unit(&random);
		tries += 1;
		if (distance < reach && chance * (0.15 * reach + distance) < 0.15 * reach)
		{
			groups[count] = -1;
			sites[count++] = fragmentInside(surface, p, normal, isLocal ? reach : INFINITY, &random);
		}
	}
	int32_t first = count;
	for (int32_t k = 0; isLocal && k < 4 * FRAGMENT_REST_SITES && count < first + FRAGMENT_REST_SITES; ++k)
	{
		brDVec3 normal, p = fragmentOnSurface(surface, &random, &normal);
		brDVec3 site = fragmentInside(surface, p, normal, INFINITY, &random);
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

static int32_t fragmentEvenSites(const brFragmentDef* def, const brFragmentPlan* plan, const FragmentSurface* surface,
								 brDVec3* sites)
{
	brRandom random = brMakeRandom(def->seed, 2);
	for (int32_t i = 0; i < plan->count; ++i)
	{
		brDVec3 normal, p = fragmentOnSurface(surface, &random, &normal);
		sites[i] = fragmentInside(surface, p, normal, INFINITY, &random);
	}
	return plan->count;
}

// Two sites either side of a plane through the hit that holds the inward normal.
static int32_t fragmentSplitSites(const brFragmentDef* def, brDVec3* sites)
{
	brRandom random = brMakeRandom(def->seed, 3);
	brDVec3 side = brDNormalize(brDCross(def->inward, fragmentDirection(&random)));
	side = brDLengthSq(side) > 0.5 ? side : brMakeDVec3(1.0, 0.0, 0.0);
	double reach = 0.3 * def->measure.radius;
	sites[0] = brDMulAdd(def->at, reach, side);
	sites[1] = brDMulAdd(def->at, -reach, side);
	return 2;
}

static brResult fragmentSites(const brContext* context, const brFragmentDef* def, const brFragmentPlan* plan,
							  const FragmentSurface* surface, brDVec3* sites, int32_t* groups, int32_t* outCount,
							  brReport* report)
{
	if (plan->count <= 2)
	{
		*outCount = fragmentSplitSites(def, sites);
	}
	else if (def->pattern == br_sitesClustered)
	{
		*outCount = fragmentLocalSites(def, plan, surface, sites, groups);
	}
	else if (def->pattern == br_sitesUniform)
	{
		*outCount = fragmentEvenSites(def, plan, surface, sites);
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

brResult brMakeFragments(const brContext* context, const brFragmentDef* def, const brFragmentPlan* plan,
						 brShatter** outShatter, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t capacity = plan->count + FRAGMENT_REST_SITES, count = 0;
	int32_t triangleCount = def->mesh->cornerCount - 2 * def->mesh->faceCount;
	FragmentTriangle* triangles = BR_ALLOC(&allocator, FragmentTriangle, triangleCount);
	brDVec3* sites = BR_ALLOC(&allocator, brDVec3, capacity);
	int32_t* groups = BR_ALLOC(&allocator, int32_t, capacity);
	brResult result = triangles == NULL || sites == NULL || groups == NULL ? brFailMemory(report) : br_success;
	if (result >= 0)
	{
		FragmentSurface surface;
		fragmentSurface(def->mesh, triangles, &surface);
		for (int32_t i = 0; i < capacity; ++i)
		{
			groups[i] = -1;
		}
		result = fragmentSites(context, def, plan, &surface, sites, groups, &count, report);
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
		result = brCreateShatter(context, def->mesh, &shatter, outShatter, report);
	}
	BR_FREE(&allocator, triangles, triangleCount);
	BR_FREE(&allocator, sites, capacity);
	BR_FREE(&allocator, groups, capacity);
	return result;
}
