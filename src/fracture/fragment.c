// SPDX-License-Identifier: MIT

// Sites by random chords: a point on the surface, a line inward to where it leaves the solid, a point on it. One ray a site, so thin shells
// cost no more than lumps, and no tree is built for a body that is about to go.

#include "fracture/fragment.h"

#include "base/array.h"
#include "base/cpu.h"
#include "base/random.h"
#include "base/report.h"
#include "fracture/shatter_build.h"
#include "math/power.h"

#include <math.h>

#define FRAGMENT_LUMP 2.91     // half the area of a Poisson-Voronoi cell of volume 1
#define FRAGMENT_WALL 2.0      // half the perimeter of a square cell
#define FRAGMENT_REST_SITES 14 // that shape the large pieces round a local break
#define FRAGMENT_TRIES 200000
#define FRAGMENT_SLIVER 0.4 // cells smaller than this part of the planned size join a neighbour

typedef struct FragmentTriangle
{
	brDVec3 a, ab, ac, normal; // normal: ab x ac
} FragmentTriangle;

// Four triangles for a ray. Empty lanes are flat and are never met.
#define FRAGMENT_LANES 4
typedef double FragmentWide __attribute__((vector_size(32), aligned(8)));
typedef int64_t FragmentMask __attribute__((vector_size(32), aligned(8)));
typedef struct FragmentLanes
{
	FragmentWide a[3], ab[3], ac[3];
} FragmentLanes;

typedef struct FragmentSurface
{
	FragmentTriangle* triangles;
	int32_t count;
	int32_t* chosen; // [chosenCount] triangles that points are drawn on
	double* before;  // [chosenCount] area of all chosen ones before it
	int32_t chosenCount;
	double area;          // of the chosen ones
	double skip;          // rays start so far off the surface
	FragmentLanes* lanes; // [laneCount] triangles that rays may meet
	int32_t laneCount;
} FragmentSurface;

// Could a triangle be this near to a place? By the ball about its first corner.
static bool fragmentMayReach(const FragmentTriangle* t, brDVec3 at, double reach)
{
	double far = reach + sqrt(fmax(brDLengthSq(t->ab), brDLengthSq(t->ac)));
	return brDLengthSq(brDSub(t->a, at)) <= far * far;
}

static double fragmentCubeRoot(double x)
{
	return brPower(x, 1.0 / 3.0);
}

brMeshMeasure brMeasureMesh(const brMesh* mesh, double volume)
{
	brDBox3 box = brMesh_Bounds(mesh);
	brMeshMeasure measure = {.volume = volume, .area = brMesh_Area(mesh)};
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

// The point of a triangle nearest to the origin that a is given relative to (Ericson, Real-Time Collision Detection 5.1.5).
static brDVec3 fragmentNearestInTriangle(brDVec3 a, brDVec3 ab, brDVec3 ac)
{
	double d1 = -brDDot(ab, a), d2 = -brDDot(ac, a);
	brDVec3 b = brDAdd(a, ab), c = brDAdd(a, ac);
	double d3 = -brDDot(ab, b), d4 = -brDDot(ac, b), d5 = -brDDot(ab, c), d6 = -brDDot(ac, c);
	if (d1 <= 0.0 && d2 <= 0.0)
	{
		return a;
	}
	if (d3 >= 0.0 && d4 <= d3)
	{
		return b;
	}
	if (d6 >= 0.0 && d5 <= d6)
	{
		return c;
	}
	double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
	if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
	{
		return brDMulAdd(a, d1 / (d1 - d3), ab);
	}
	if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
	{
		return brDMulAdd(a, d2 / (d2 - d6), ac);
	}
	if (va <= 0.0 && d4 >= d3 && d5 >= d6)
	{
		return brDLerp(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
	}
	double sum = va + vb + vc;
	return brDMulAdd(brDMulAdd(a, vb / sum, ab), vc / sum, ac);
}

brDVec3 brMesh_Nearest(const brMesh* mesh, brDVec3 point)
{
	double best = INFINITY;
	brDVec3 nearest = point;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		brDVec3 a = brDSub(mesh->positions[corners[0]], point);
		double own = brDLengthSq(a);
		for (int32_t k = 1; k + 1 < brMesh_FaceSize(mesh, f); ++k)
		{
			brDVec3 ab = brDSub(brDSub(mesh->positions[corners[k]], point), a);
			brDVec3 ac = brDSub(brDSub(mesh->positions[corners[k + 1]], point), a);
			// Nothing of it is farther from its first corner than the others are, and (x + y)^2 <= 2 x^2 + 2 y^2.
			if (own > 2.0 * (best + fmax(brDLengthSq(ab), brDLengthSq(ac))))
			{
				continue;
			}
			brDVec3 q = fragmentNearestInTriangle(a, ab, ac);
			double distance = brDLengthSq(q);
			if (distance < best)
			{
				best = distance, nearest = brDAdd(point, q);
			}
		}
	}
	return nearest;
}

#define FRAGMENT_CROSSINGS 256
#define FRAGMENT_OFF 1e-6 // of the size: nothing next to a wall

double brMesh_Chord(const brMesh* mesh, brDVec3 point, brDVec3 direction, brDVec3* outMiddle)
{
	// Off edges and vertices, where one crossing would count several times or not at all.
	brDVec3 side =
		brDCross(direction, fabs(direction.x) < 0.6 ? brMakeDVec3(1.0, 0.0, 0.0) : brMakeDVec3(0.0, 1.0, 0.0));
	brDBox3 box = brMesh_Bounds(mesh);
	double off = FRAGMENT_OFF * brDDistance(box.lower, box.upper);
	point = brDMulAdd(brDMulAdd(point, off, side), 0.618 * off, brDCross(direction, side));

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

// Edge of n equal cells that fill the body: cubes, or squares as thick as a wall.
static double fragmentCellSize(const brMeshMeasure* m, double n)
{
	double wall = sqrt(m->volume / (m->thickness * n));
	return wall > m->thickness ? wall : fragmentCubeRoot(m->volume / n);
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
		plan.rests = 1 + (int32_t)(4.0 * radius / m->radius);
	}
	else
	{
		plan.size = fmin(size, fragmentCellSize(m, plan.count > 1 ? plan.count : 1));
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
		plan.size = fragmentCellSize(m, plan.count > 1 ? plan.count : 1);
	}
	// Too little for a pattern: one crack, from the hit through.
	if (plan.count < 3)
	{
		plan = (brFragmentPlan){.count = 2, .size = fragmentCellSize(m, 2.0), .radius = INFINITY};
	}
	return plan;
}

static void fragmentTriangles(const brMesh* mesh, FragmentSurface* surface)
{
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* corners = mesh->corners + mesh->faceStarts[f];
		for (int32_t k = 1; k + 1 < brMesh_FaceSize(mesh, f); ++k)
		{
			FragmentTriangle* t = &surface->triangles[surface->count++];
			t->a = mesh->positions[corners[0]];
			t->ab = brDSub(mesh->positions[corners[k]], t->a);
			t->ac = brDSub(mesh->positions[corners[k + 1]], t->a);
			t->normal = brDCross(t->ab, t->ac);
		}
	}
}

// Points will be drawn from triangles within reach of a place. False if there are none.
static bool fragmentChoose(FragmentSurface* surface, brDVec3 at, double reach)
{
	surface->chosenCount = 0;
	surface->area = 0.0;
	for (int32_t i = 0; i < surface->count; ++i)
	{
		const FragmentTriangle* t = &surface->triangles[i];
		double area = 0.5 * brDLength(t->normal);
		bool isNear = area > 0.0 && fragmentMayReach(t, at, reach);
		if (isNear && reach < INFINITY)
		{
			isNear = brDLengthSq(fragmentNearestInTriangle(brDSub(t->a, at), t->ab, t->ac)) < reach * reach;
		}
		if (isNear)
		{
			surface->chosen[surface->chosenCount] = i;
			surface->before[surface->chosenCount++] = surface->area;
			surface->area += area;
		}
	}
	return surface->chosenCount > 0;
}

static brDVec3 fragmentOnSurface(const FragmentSurface* surface, brRandom* random, brDVec3* outNormal)
{
	double want = surface->area * brRandom_Unit(random);
	int32_t lower = 0, upper = surface->chosenCount - 1;
	while (lower < upper)
	{
		int32_t middle = (lower + upper + 1) / 2;
		if (surface->before[middle] <= want)
		{
			lower = middle;
		}
		else
		{
			upper = middle - 1;
		}
	}
	const FragmentTriangle* t = &surface->triangles[surface->chosen[lower]];
	double u = sqrt(brRandom_Unit(random)), v = brRandom_Unit(random);
	*outNormal = brDNormalize(t->normal);
	return brDMulAdd(brDMulAdd(t->a, u * (1.0 - v), t->ab), u * v, t->ac);
}

// Rays will be met by triangles within reach of a place.
static void fragmentAim(FragmentSurface* surface, brDVec3 at, double reach)
{
	int32_t count = 0;
	for (int32_t i = 0; i < surface->count; ++i)
	{
		const FragmentTriangle* t = &surface->triangles[i];
		if (!fragmentMayReach(t, at, reach))
		{
			continue;
		}
		FragmentLanes* lanes = &surface->lanes[count / FRAGMENT_LANES];
		int32_t lane = count++ % FRAGMENT_LANES;
		if (lane == 0)
		{
			*lanes = (FragmentLanes){0};
		}
		lanes->a[0][lane] = t->a.x, lanes->a[1][lane] = t->a.y, lanes->a[2][lane] = t->a.z;
		lanes->ab[0][lane] = t->ab.x, lanes->ab[1][lane] = t->ab.y, lanes->ab[2][lane] = t->ab.z;
		lanes->ac[0][lane] = t->ac.x, lanes->ac[1][lane] = t->ac.y, lanes->ac[2][lane] = t->ac.z;
	}
	surface->laneCount = (count + FRAGMENT_LANES - 1) / FRAGMENT_LANES;
}

// The lanes of fragmentCross for triangles that the line leaves by; bit k is set if triangle k is met, `outT` says where.
#define FRAGMENT_CROSSES(name, target)                                                                                 \
	target static inline FragmentMask name(const FragmentLanes* l, brDVec3 p, brDVec3 d, FragmentWide* outT)           \
	{                                                                                                                  \
		FragmentWide qx = d.y * l->ac[2] - d.z * l->ac[1], qy = d.z * l->ac[0] - d.x * l->ac[2];                       \
		FragmentWide qz = d.x * l->ac[1] - d.y * l->ac[0];                                                             \
		FragmentWide sx = p.x - l->a[0], sy = p.y - l->a[1], sz = p.z - l->a[2];                                       \
		FragmentWide det = l->ab[0] * qx + l->ab[1] * qy + l->ab[2] * qz, u = sx * qx + sy * qy + sz * qz;             \
		FragmentWide rx = sy * l->ab[2] - sz * l->ab[1], ry = sz * l->ab[0] - sx * l->ab[2];                           \
		FragmentWide rz = sx * l->ab[1] - sy * l->ab[0];                                                               \
		FragmentWide v = d.x * rx + d.y * ry + d.z * rz;                                                               \
		*outT = (l->ac[0] * rx + l->ac[1] * ry + l->ac[2] * rz) / det;                                                 \
		/* Out of the solid: the normal ab x ac goes with the ray, and det is the negative of their product. */        \
		return (det < 0.0) & (u <= 0.0) & (v <= 0.0) & (u + v >= det);                                                 \
	}                                                                                                                  \
	target static double name##Nearest(const FragmentSurface* surface, brDVec3 p, brDVec3 d)                           \
	{                                                                                                                  \
		double nearest = INFINITY;                                                                                     \
		for (int32_t i = 0; i < surface->laneCount; ++i)                                                               \
		{                                                                                                              \
			FragmentWide t;                                                                                            \
			FragmentMask isMet = name(&surface->lanes[i], p, d, &t);                                                   \
			isMet &= (t > surface->skip) & (t < nearest);                                                              \
			if ((isMet[0] | isMet[1] | isMet[2] | isMet[3]) != 0)                                                      \
			{                                                                                                          \
				for (int32_t lane = 0; lane < FRAGMENT_LANES; ++lane)                                                  \
				{                                                                                                      \
					nearest = isMet[lane] != 0 && t[lane] < nearest ? t[lane] : nearest;                               \
				}                                                                                                      \
			}                                                                                                          \
		}                                                                                                              \
		return nearest;                                                                                                \
	}

FRAGMENT_CROSSES(fragmentMeetPlain, )

#if defined(__x86_64__)
FRAGMENT_CROSSES(fragmentMeetAvx2, __attribute__((target("avx2"))))
#endif

// From a surface point inward to where the line leaves; INFINITY if it never does.
static double fragmentDepth(const FragmentSurface* surface, brDVec3 p, brDVec3 d)
{
#if defined(__x86_64__)
	if (brCpu_Best() >= br_cpuAvx2)
	{
		return fragmentMeetAvx2Nearest(surface, p, d);
	}
#endif
	return fragmentMeetPlainNearest(surface, p, d);
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
static int32_t fragmentLocalSites(const brFragmentDef* def, const brFragmentPlan* plan, FragmentSurface* surface,
								  brDVec3* sites, int32_t* groups)
{
	brRandom random = brMakeRandom(def->seed, 1);
	bool isLocal = plan->radius < INFINITY;
	double reach = isLocal ? plan->radius : 2.0 * def->measure.radius;
	int32_t count = 0, tries = fragmentChoose(surface, def->at, reach) ? 0 : FRAGMENT_TRIES;
	fragmentAim(surface, def->at, isLocal ? 2.0 * reach : INFINITY); // rays start within reach and go no deeper
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
	fragmentChoose(surface, def->at, INFINITY);
	if (isLocal)
	{
		fragmentAim(surface, def->at, INFINITY);
	}
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

static int32_t fragmentEvenSites(const brFragmentDef* def, const brFragmentPlan* plan, FragmentSurface* surface,
								 brDVec3* sites)
{
	fragmentChoose(surface, def->at, INFINITY);
	fragmentAim(surface, def->at, INFINITY);
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
							  FragmentSurface* surface, brDVec3* sites, int32_t* groups, int32_t* outCount,
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
	FragmentSurface surface = {.triangles = BR_ALLOC(&allocator, FragmentTriangle, triangleCount)};
	surface.chosen = BR_ALLOC(&allocator, int32_t, triangleCount);
	surface.before = BR_ALLOC(&allocator, double, triangleCount);
	int32_t laneCount = (triangleCount + FRAGMENT_LANES - 1) / FRAGMENT_LANES;
	surface.lanes = BR_ALLOC(&allocator, FragmentLanes, laneCount);
	surface.skip = 1e-9 * def->measure.radius;
	brDVec3* sites = BR_ALLOC(&allocator, brDVec3, capacity);
	int32_t* groups = BR_ALLOC(&allocator, int32_t, capacity);
	bool hasMemory = surface.triangles != NULL && surface.chosen != NULL && surface.before != NULL &&
					 surface.lanes != NULL && sites != NULL && groups != NULL;
	brResult result = hasMemory ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		fragmentTriangles(def->mesh, &surface);
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
		double volume = def->isSound ? def->measure.volume : 0.0;
		result = brCreateShatterFrom(context, def->mesh, volume, &shatter, NULL, outShatter, report);
	}
	BR_FREE(&allocator, surface.triangles, triangleCount);
	BR_FREE(&allocator, surface.chosen, triangleCount);
	BR_FREE(&allocator, surface.before, triangleCount);
	BR_FREE(&allocator, surface.lanes, laneCount);
	BR_FREE(&allocator, sites, capacity);
	BR_FREE(&allocator, groups, capacity);
	return result;
}
