// SPDX-License-Identifier: MIT

#include "fracture/hit_surface.h"

#include "base/memory.h"
#include "index/compact_order.h"

#include <math.h>

#define SURFACE_ARITY 8
#define SURFACE_SLACK 1e-9 // of the size: what boxes are too large by

static brHitTriangle surfaceAt(const brHitSurface* surface, int32_t place)
{
	const int32_t* corners = surface->corners[place];
	const brDVec3* positions = surface->mesh->positions;
	brDVec3 a = positions[corners[0]];
	return (brHitTriangle){a, brDSub(positions[corners[1]], a), brDSub(positions[corners[2]], a)};
}

brHitTriangle brHitSurface_Triangle(const brHitSurface* surface, int32_t triangle)
{
	return surfaceAt(surface, surface->places[triangle]);
}

void brDestroyHitSurface(brHitSurface* surface)
{
	if (surface == NULL)
	{
		return;
	}
	const brAllocator allocator = surface->allocator;
	BR_FREE(&allocator, surface->corners, surface->count);
	BR_FREE(&allocator, surface->numbers, surface->count);
	BR_FREE(&allocator, surface->places, surface->count);
	BR_FREE(&allocator, surface->levels[0], surface->boxTotal);
	BR_FREE(&allocator, surface->solid, surface->count);
	BR_FREE(&allocator, surface->before, surface->count);
	BR_FREE(&allocator, surface, 1);
}

// The numbers of triangles by place; `corners` of all in order.
static bool surfaceOrder(brHitSurface* surface, const int32_t (*corners)[3])
{
	const brAllocator* a = &surface->allocator;
	const brDVec3* positions = surface->mesh->positions;
	brVec3* centers = BR_ALLOC(a, brVec3, surface->count);
	uint64_t* keys = BR_ALLOC(a, uint64_t, surface->count);
	bool isDone = centers != NULL && keys != NULL;
	for (int32_t i = 0; isDone && i < surface->count; ++i)
	{
		const int32_t* t = corners[i];
		centers[i] = brToVec3(brDAdd(brDAdd(positions[t[0]], positions[t[1]]), positions[t[2]]));
	}
	if (isDone)
	{
		brMakeCompactOrder(centers, keys, surface->count);
	}
	for (int32_t place = 0; isDone && place < surface->count; ++place)
	{
		surface->numbers[place] = brCompactOrder_At(keys, place);
	}
	BR_FREE(a, centers, surface->count);
	BR_FREE(a, keys, surface->count);
	return isDone;
}

static void surfaceBoxes(brHitSurface* surface)
{
	double slack = SURFACE_SLACK * brDDistance(surface->bounds.lower, surface->bounds.upper);
	brDVec3 room = {slack, slack, slack};
	for (int32_t n = 0; n < surface->levelSizes[0]; ++n)
	{
		brDBox3 box = brMakeDBox3Empty();
		for (int32_t i = SURFACE_ARITY * n; i < SURFACE_ARITY * (n + 1) && i < surface->count; ++i)
		{
			for (int32_t k = 0; k < 3; ++k)
			{
				box = brDBox3_Include(box, surface->mesh->positions[surface->corners[i][k]]);
			}
		}
		surface->levels[0][n] = (brDBox3){brDSub(box.lower, room), brDAdd(box.upper, room)};
	}
	for (int32_t k = 1; k < surface->levelCount; ++k)
	{
		for (int32_t n = 0; n < surface->levelSizes[k]; ++n)
		{
			brDBox3 box = brMakeDBox3Empty();
			for (int32_t i = SURFACE_ARITY * n; i < SURFACE_ARITY * (n + 1) && i < surface->levelSizes[k - 1]; ++i)
			{
				box = brDBox3_Union(box, surface->levels[k - 1][i]);
			}
			surface->levels[k][n] = box;
		}
	}
}

static bool surfaceBuild(brHitSurface* surface)
{
	const brAllocator* a = &surface->allocator;
	const brMesh* mesh = surface->mesh;
	int32_t count = surface->count;
	for (int32_t size = count, k = 0; k == 0 || size > 1; ++k)
	{
		size = size / SURFACE_ARITY + (size % SURFACE_ARITY > 0);
		surface->levelSizes[surface->levelCount++] = size;
		surface->boxTotal += size;
	}
	int32_t(*corners)[3] = brAllocArray(a, count, sizeof(*corners));
	surface->corners = brAllocArray(a, count, sizeof(*surface->corners));
	surface->numbers = BR_ALLOC(a, int32_t, count);
	surface->places = BR_ALLOC(a, int32_t, count);
	surface->solid = BR_ALLOC(a, int32_t, count);
	surface->before = BR_ALLOC(a, double, count);
	surface->levels[0] = BR_ALLOC(a, brDBox3, surface->boxTotal);
	bool isDone = corners != NULL && surface->corners != NULL && surface->numbers != NULL && surface->places != NULL &&
				  surface->solid != NULL && surface->before != NULL && surface->levels[0] != NULL;
	for (int32_t f = 0, i = 0; isDone && f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f] + 1; c + 1 < mesh->faceStarts[f + 1]; ++c, ++i)
		{
			corners[i][0] = mesh->corners[mesh->faceStarts[f]];
			corners[i][1] = mesh->corners[c], corners[i][2] = mesh->corners[c + 1];
		}
	}
	isDone = isDone && surfaceOrder(surface, (const int32_t(*)[3])corners);
	for (int32_t place = 0; isDone && place < count; ++place)
	{
		int32_t i = surface->numbers[place];
		surface->places[i] = place;
		surface->corners[place][0] = corners[i][0], surface->corners[place][1] = corners[i][1];
		surface->corners[place][2] = corners[i][2];
	}
	for (int32_t k = 1; isDone && k < surface->levelCount; ++k)
	{
		surface->levels[k] = surface->levels[k - 1] + surface->levelSizes[k - 1];
	}
	for (int32_t i = 0; isDone && i < count; ++i)
	{
		brHitTriangle t = brHitSurface_Triangle(surface, i);
		double area = 0.5 * brDLength(brDCross(t.ab, t.ac));
		if (area > 0.0)
		{
			surface->solid[surface->solidCount] = i;
			surface->before[surface->solidCount++] = surface->area;
			surface->area += area;
		}
	}
	if (isDone)
	{
		surfaceBoxes(surface);
	}
	brFreeArray(a, corners, count, sizeof(*corners));
	return isDone;
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

// Calls `leaf` with the places of every leaf whose boxes `meets`. Both are known where this is called, so they are inlined.
static inline void surfaceVisit(const brHitSurface* surface, void* query,
								bool (*meets)(const void* query, const brDBox3* box),
								void (*leaf)(void* query, const brHitSurface* surface, int32_t begin, int32_t end))
{
	struct
	{
		int32_t level, box;
	} stack[BR_HIT_LEVELS * SURFACE_ARITY + 1];
	int32_t depth = 0;
	for (int32_t top = surface->levelCount - 1, n = surface->levelSizes[top] - 1; n >= 0; --n)
	{
		stack[depth].level = top, stack[depth++].box = n;
	}
	while (depth > 0)
	{
		int32_t level = stack[--depth].level, box = stack[depth].box;
		if (!meets(query, &surface->levels[level][box]))
		{
			continue;
		}
		int32_t begin = SURFACE_ARITY * box, size = level > 0 ? surface->levelSizes[level - 1] : surface->count;
		int32_t end = size - begin < SURFACE_ARITY ? size : begin + SURFACE_ARITY;
		if (level == 0)
		{
			leaf(query, surface, begin, end);
			continue;
		}
		for (int32_t n = end - 1; n >= begin; --n)
		{
			stack[depth].level = level - 1, stack[depth++].box = n;
		}
	}
}

static double surfaceBoxDistanceSq(const brDBox3* box, brDVec3 p)
{
	brDVec3 out = brDMax(brDMax(brDSub(box->lower, p), brDSub(p, box->upper)), brMakeDVec3(0.0, 0.0, 0.0));
	return brDLengthSq(out);
}

// Lines

typedef struct SurfaceLine
{
	brDVec3 p, d, inv;  // point, direction, one over it
	double first, last; // stretch that counts
	double skip;
} SurfaceLine;

static void surfaceSetLine(SurfaceLine* line, brDVec3 p, brDVec3 d)
{
	line->p = p, line->d = d;
	line->inv = brMakeDVec3(1.0 / d.x, 1.0 / d.y, 1.0 / d.z);
	line->first = -INFINITY, line->last = INFINITY;
}

// Between two planes; where the line is along them and on one, comparing with no number leaves the stretch as it is.
static bool surfaceMeetsLine(const void* query, const brDBox3* box)
{
	const SurfaceLine* line = query;
	const double lower[3] = {box->lower.x, box->lower.y, box->lower.z};
	const double upper[3] = {box->upper.x, box->upper.y, box->upper.z};
	const double p[3] = {line->p.x, line->p.y, line->p.z}, inv[3] = {line->inv.x, line->inv.y, line->inv.z};
	double first = line->first, last = line->last;
	for (int32_t k = 0; k < 3; ++k)
	{
		double enter = ((inv[k] >= 0.0 ? lower[k] : upper[k]) - p[k]) * inv[k];
		double leave = ((inv[k] >= 0.0 ? upper[k] : lower[k]) - p[k]) * inv[k];
		first = enter > first ? enter : first;
		last = leave < last ? leave : last;
	}
	return first <= last;
}

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

static void surfaceDepthLeaf(void* query, const brHitSurface* surface, int32_t begin, int32_t end)
{
	SurfaceLine* line = query;
	for (int32_t place = begin; place < end; ++place)
	{
		brHitTriangle triangle = surfaceAt(surface, place);
		double det, t;
		bool isMet = surfaceCross(&triangle, line->p, line->d, &det, &t) && det < 0.0 && t > line->skip;
		line->last = isMet && t < line->last ? t : line->last;
	}
}

double brHitSurface_Depth(const brHitSurface* surface, brDVec3 p, brDVec3 d, double skip, double deepest)
{
	SurfaceLine line;
	surfaceSetLine(&line, p, d);
	line.first = 0.0, line.last = deepest, line.skip = skip;
	surfaceVisit(surface, &line, surfaceMeetsLine, surfaceDepthLeaf);
	return line.last;
}

// Places

// The point of a triangle nearest to the origin that a is given relative to (Ericson, Real-Time Collision Detection 5.1.5).
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
	brDVec3 point, nearest; // the second relative to the first
	double best;
	int32_t number;
} SurfaceNearest;

static bool surfaceMayBeNearer(const void* query, const brDBox3* box)
{
	const SurfaceNearest* nearest = query;
	return surfaceBoxDistanceSq(box, nearest->point) <= nearest->best;
}

static void surfaceNearestLeaf(void* query, const brHitSurface* surface, int32_t begin, int32_t end)
{
	SurfaceNearest* nearest = query;
	for (int32_t place = begin; place < end; ++place)
	{
		const int32_t* corners = surface->corners[place];
		const brDVec3* positions = surface->mesh->positions;
		brDVec3 a = brDSub(positions[corners[0]], nearest->point);
		brDVec3 ab = brDSub(brDSub(positions[corners[1]], nearest->point), a);
		brDVec3 ac = brDSub(brDSub(positions[corners[2]], nearest->point), a);
		brDVec3 q = surfaceNearestInTriangle(a, ab, ac);
		double distance = brDLengthSq(q);
		if (distance < nearest->best || (distance == nearest->best && surface->numbers[place] < nearest->number))
		{
			nearest->best = distance, nearest->nearest = q, nearest->number = surface->numbers[place];
		}
	}
}

brDVec3 brHitSurface_Nearest(const brHitSurface* surface, brDVec3 point)
{
	SurfaceNearest nearest = {.point = point, .best = INFINITY, .number = INT32_MAX};
	// Down to the leaf that looks best, for a good guess.
	int32_t box = 0;
	for (int32_t level = surface->levelCount - 2; level >= 0; --level)
	{
		int32_t begin = SURFACE_ARITY * box, size = surface->levelSizes[level];
		double best = INFINITY;
		for (int32_t n = begin; n < begin + SURFACE_ARITY && n < size; ++n)
		{
			double distance = surfaceBoxDistanceSq(&surface->levels[level][n], point);
			if (distance < best)
			{
				best = distance, box = n;
			}
		}
	}
	int32_t end = SURFACE_ARITY * (box + 1);
	surfaceNearestLeaf(&nearest, surface, SURFACE_ARITY * box, end < surface->count ? end : surface->count);
	surfaceVisit(surface, &nearest, surfaceMayBeNearer, surfaceNearestLeaf);
	return nearest.number < INT32_MAX ? brDAdd(point, nearest.nearest) : point;
}

typedef struct SurfaceMarks
{
	brDVec3 at;
	double reach;
	bool* marks;
} SurfaceMarks;

static bool surfaceMayReach(const void* query, const brDBox3* box)
{
	const SurfaceMarks* marks = query;
	return surfaceBoxDistanceSq(box, marks->at) <= marks->reach * marks->reach;
}

static void surfaceMarkLeaf(void* query, const brHitSurface* surface, int32_t begin, int32_t end)
{
	const SurfaceMarks* marks = query;
	const brDBox3* box = &surface->levels[0][begin / SURFACE_ARITY];
	brDVec3 far = brDMax(brDSub(marks->at, box->lower), brDSub(box->upper, marks->at));
	bool isInside = brDLengthSq(far) < marks->reach * marks->reach;
	for (int32_t place = begin; place < end; ++place)
	{
		if (isInside)
		{
			marks->marks[surface->numbers[place]] = true;
			continue;
		}
		brHitTriangle t = surfaceAt(surface, place);
		brDVec3 nearest = surfaceNearestInTriangle(brDSub(t.a, marks->at), t.ab, t.ac);
		marks->marks[surface->numbers[place]] = brDLengthSq(nearest) < marks->reach * marks->reach;
	}
}

void brHitSurface_Mark(const brHitSurface* surface, brDVec3 at, double reach, bool* marks)
{
	SurfaceMarks query = {at, reach, marks};
	for (int32_t i = 0; i < surface->count; ++i)
	{
		marks[i] = false;
	}
	surfaceVisit(surface, &query, surfaceMayReach, surfaceMarkLeaf);
}
