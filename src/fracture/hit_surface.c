// SPDX-License-Identifier: MIT

#include "fracture/hit_surface.h"

#include "base/memory.h"

#include <math.h>

static brHitTriangle surfaceTriangle(brDVec3 a, brDVec3 b, brDVec3 c)
{
	return (brHitTriangle){a, brDSub(b, a), brDSub(c, a)};
}

brHitTriangle brHitSurface_Triangle(const brHitSurface* surface, int32_t triangle)
{
	const int32_t* corners = surface->corners[triangle];
	const brDVec3* positions = surface->mesh->positions;
	return surfaceTriangle(positions[corners[0]], positions[corners[1]], positions[corners[2]]);
}

void brHitSurface_Choose(const brHitSurface* surface, int32_t triangle, brHitChoice* choice)
{
	brHitTriangle t = brHitSurface_Triangle(surface, triangle);
	double area = 0.5 * brDLength(brDCross(t.ab, t.ac));
	if (area > 0.0)
	{
		choice->triangles[choice->count] = triangle;
		choice->before[choice->count++] = choice->area;
		choice->area += area;
	}
}

brDVec3 brHitSurface_Draw(const brHitSurface* surface, const brHitChoice* choice, double want, brRandom* random,
						  brDVec3* outNormal)
{
	int32_t lower = 0, upper = choice->count - 1;
	while (lower < upper)
	{
		int32_t middle = (lower + upper + 1) / 2;
		bool isBefore = choice->before[middle] <= want;
		lower = isBefore ? middle : lower;
		upper = isBefore ? upper : middle - 1;
	}
	brHitTriangle t = brHitSurface_Triangle(surface, choice->triangles[lower]);
	double u = sqrt(brRandom_Unit(random)), v = brRandom_Unit(random);
	*outNormal = brDNormalize(brDCross(t.ab, t.ac));
	return brDMulAdd(brDMulAdd(t.a, u * (1.0 - v), t.ab), u * v, t.ac);
}

void brDestroyHitSurface(brHitSurface* surface)
{
	if (surface == NULL)
	{
		return;
	}
	const brAllocator allocator = surface->allocator;
	brDestroySurfaceTree(surface->tree);
	BR_FREE(&allocator, surface->corners, surface->count);
	BR_FREE(&allocator, surface->all.triangles, surface->count);
	BR_FREE(&allocator, surface->all.before, surface->count);
	BR_FREE(&allocator, surface, 1);
}

static bool surfaceBuild(brHitSurface* surface)
{
	const brAllocator* a = &surface->allocator;
	const brMesh* mesh = surface->mesh;
	surface->corners = brAllocArray(a, surface->count, sizeof(*surface->corners));
	surface->all.triangles = BR_ALLOC(a, int32_t, surface->count);
	surface->all.before = BR_ALLOC(a, double, surface->count);
	if (surface->corners == NULL || surface->all.triangles == NULL || surface->all.before == NULL)
	{
		return false;
	}
	for (int32_t f = 0, i = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f] + 1; c + 1 < mesh->faceStarts[f + 1]; ++c, ++i)
		{
			surface->corners[i][0] = mesh->corners[mesh->faceStarts[f]];
			surface->corners[i][1] = mesh->corners[c], surface->corners[i][2] = mesh->corners[c + 1];
			brHitSurface_Choose(surface, i, &surface->all);
		}
	}
	brTriangleSoup soup = {
		.triangleCount = surface->count, .positions = mesh->positions, .triangles = surface->corners};
	surface->tree = brMakeSurfaceTree(a, &soup, false);
	return surface->tree != NULL;
}

brHitSurface* brCreateHitSurface(const brAllocator* allocator, const brMesh* mesh)
{
	brHitSurface* surface = BR_ALLOC_ZERO(allocator, brHitSurface, 1);
	if (surface == NULL)
	{
		return NULL;
	}
	surface->allocator = *allocator;
	surface->mesh = mesh;
	surface->count = mesh->cornerCount - 2 * mesh->faceCount;
	surface->bounds = brMesh_ComputeBounds(mesh);
	if (!surfaceBuild(surface))
	{
		brDestroyHitSurface(surface);
		return NULL;
	}
	return surface;
}

// Lines

// Where the line p + t d crosses a triangle; false if it does not. `outDet` is negative where it leaves.
static bool surfaceCross(const brHitTriangle* t, brDVec3 p, brDVec3 d, double* outDet, double* outT)
{
	brDVec3 q = brDCross(d, t->ac), s = brDSub(p, t->a);
	double det = brDDot(t->ab, q), u = brDDot(s, q);
	if (det == 0.0 || (det > 0.0 ? u < 0.0 || u > det : u > 0.0 || u < det))
	{
		return false;
	}
	brDVec3 r = brDCross(s, t->ab);
	double v = brDDot(d, r);
	if (det > 0.0 ? v < 0.0 || u + v > det : v > 0.0 || u + v < det)
	{
		return false;
	}
	*outDet = det;
	*outT = brDDot(t->ac, r) / det;
	return true;
}

typedef struct SurfaceLine
{
	const brSurfaceTree* tree;
	brDVec3 p, d;
	double skip, last;
	double length; // of the segment that is walked
	double side;   // of crossings that count: -1 where it leaves, 1 where it enters
} SurfaceLine;

static double surfaceWalkVisit(int32_t place, double limit, void* user)
{
	SurfaceLine* line = user;
	const brDVec3* corners = line->tree->corners[place];
	brHitTriangle triangle = surfaceTriangle(corners[0], corners[1], corners[2]);
	double det, t;
	if (surfaceCross(&triangle, line->p, line->d, &det, &t) && det * line->side > 0.0 && t > line->skip &&
		t < line->last)
	{
		line->last = t;
		return t / line->length;
	}
	return limit;
}

static double surfaceWalk(const brHitSurface* surface, brDVec3 p, brDVec3 d, double skip, double deepest, double side)
{
	double length = brSurfaceTree_RayReach(surface->tree, p, deepest);
	SurfaceLine line = {surface->tree, p, d, skip, deepest, length, side};
	brSurfaceTree_VisitSegment(surface->tree, p, brDMulAdd(p, line.length, d), surfaceWalkVisit, &line);
	return line.last;
}

double brHitSurface_Depth(const brHitSurface* surface, brDVec3 p, brDVec3 d, double skip, double deepest)
{
	return surfaceWalk(surface, p, d, skip, deepest, -1.0);
}

double brHitSurface_Entry(const brHitSurface* surface, brDVec3 p, brDVec3 d, double skip)
{
	return surfaceWalk(surface, p, d, skip, INFINITY, 1.0);
}

// Places

// The point of a triangle nearest to the origin that a is given relative to (Ericson, Real-Time Collision Detection
// 5.1.5).
static brDVec3 surfaceNearestInTriangle(brDVec3 a, brDVec3 ab, brDVec3 ac)
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

typedef struct SurfaceNearest
{
	const brSurfaceTree* tree;
	brDVec3 point, nearest; // the second relative to the first
	int32_t number;
} SurfaceNearest;

// Relative to the point, so that rounding is that of small numbers. Of equals the first.
static double surfaceNearestVisit(int32_t place, double limitSq, void* user)
{
	SurfaceNearest* query = user;
	const brDVec3* corners = query->tree->corners[place];
	brDVec3 a = brDSub(corners[0], query->point);
	brDVec3 ab = brDSub(brDSub(corners[1], query->point), a), ac = brDSub(brDSub(corners[2], query->point), a);
	brDVec3 q = surfaceNearestInTriangle(a, ab, ac);
	double distanceSq = brDLengthSq(q);
	int32_t number = query->tree->order[place];
	if (distanceSq < limitSq || (distanceSq == limitSq && number < query->number))
	{
		query->nearest = q, query->number = number;
		return distanceSq;
	}
	return limitSq;
}

brDVec3 brHitSurface_Nearest(const brHitSurface* surface, brDVec3 point)
{
	SurfaceNearest query = {.tree = surface->tree, .point = point, .number = INT32_MAX};
	brSurfaceTree_VisitNear(surface->tree, point, INFINITY, surfaceNearestVisit, &query);
	return query.number < INT32_MAX ? brDAdd(point, query.nearest) : point;
}

typedef struct SurfaceMarks
{
	const brSurfaceTree* tree;
	brDVec3 at;
	bool* marks;
} SurfaceMarks;

static double surfaceMarkVisit(int32_t place, double limitSq, void* user)
{
	const SurfaceMarks* query = user;
	const brDVec3* corners = query->tree->corners[place];
	brHitTriangle t = surfaceTriangle(corners[0], corners[1], corners[2]);
	brDVec3 nearest = surfaceNearestInTriangle(brDSub(t.a, query->at), t.ab, t.ac);
	query->marks[query->tree->order[place]] = brDLengthSq(nearest) < limitSq;
	return limitSq;
}

void brHitSurface_Mark(const brHitSurface* surface, brDVec3 at, double reach, bool* marks)
{
	SurfaceMarks query = {surface->tree, at, marks};
	for (int32_t i = 0; i < surface->count; ++i)
	{
		marks[i] = false;
	}
	brSurfaceTree_VisitNear(surface->tree, at, reach * reach, surfaceMarkVisit, &query);
}
