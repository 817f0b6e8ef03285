// SPDX-License-Identifier: MIT

// Triangles that are large for a ball, divided where they meet it. An edge is divided or not whoever asks, so both of
// its triangles agree.

#include "fracture/split.h"

#include <math.h>
#include <string.h>

#define REFINE_EDGE 0.8   // of the radius: longest edge that may stay
#define REFINE_AROUND 1.5 // radii
#define REFINE_PASSES 24
#define REFINE_POINTS 2000 // of a cut, nine times what scenes need: the number of slivers grows by half with every pass

// Squared distance of a point from a triangle (Ericson 2005, 5.1.5).
static double refineDistanceSq(brDVec3 p, brDVec3 a, brDVec3 b, brDVec3 c)
{
	brDVec3 ab = brDSub(b, a), ac = brDSub(c, a), ap = brDSub(p, a), bp = brDSub(p, b), cp = brDSub(p, c);
	double d1 = brDDot(ab, ap), d2 = brDDot(ac, ap), d3 = brDDot(ab, bp), d4 = brDDot(ac, bp);
	double d5 = brDDot(ab, cp), d6 = brDDot(ac, cp);
	double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
	if (d1 <= 0.0 && d2 <= 0.0)
	{
		return brDLengthSq(ap);
	}
	if (d3 >= 0.0 && d4 <= d3)
	{
		return brDLengthSq(bp);
	}
	if (d6 >= 0.0 && d5 <= d6)
	{
		return brDLengthSq(cp);
	}
	if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
	{
		return brDLengthSq(brDMulAdd(ap, -d1 / (d1 - d3), ab));
	}
	if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
	{
		return brDLengthSq(brDMulAdd(ap, -d2 / (d2 - d6), ac));
	}
	if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
	{
		return brDLengthSq(brDMulAdd(bp, -(d4 - d3) / ((d4 - d3) + (d5 - d6)), brDSub(c, b)));
	}
	brDVec3 n = brDCross(ab, ac);
	double height = brDDot(n, ap);
	return height * height / brDLengthSq(n);
}

// The middles of all edges that are to be divided, in the table. The count; -1 without memory.
static int32_t refineMark(brSplitWork* work, const brSplitPart* part, const brSplitShape* ball)
{
	double around = REFINE_AROUND * ball->radius, longest = REFINE_EDGE * ball->radius;
	int32_t count = 0;
	work->crossed.count = 0;
	for (int32_t t = 0; t < part->count; ++t)
	{
		const int32_t* c = part->triangles[t].corners;
		const brDVec3* at = work->positions.data;
		if (refineDistanceSq(ball->origin, at[c[0]], at[c[1]], at[c[2]]) < around * around &&
			!BR_PUSH(&work->allocator, &work->crossed, t))
		{
			return -1;
		}
	}
	if (!brSplitWork_ClearTable(work, 3 * work->crossed.count))
	{
		return -1;
	}
	for (int32_t n = 0; n < work->crossed.count; ++n)
	{
		const int32_t* c = part->triangles[work->crossed.data[n]].corners;
		double lengths[3], most = 0.0;
		for (int32_t k = 0; k < 3; ++k)
		{
			lengths[k] = brDDistance(work->positions.data[c[k]], work->positions.data[c[(k + 1) % 3]]);
			most = fmax(most, lengths[k]);
		}
		// Long edges only, and of those the longest of each triangle: triangles stay fat.
		for (int32_t k = 0; k < 3 && most > longest; ++k)
		{
			int32_t v = c[k], w = c[(k + 1) % 3];
			int64_t slot = brSplitWork_FindEdge(work, v, w);
			if (lengths[k] < 0.9 * most || work->table.keys[slot] != 0)
			{
				continue;
			}
			int32_t point = brSplitWork_AddPoint(
				work, brDLerp(work->positions.data[v < w ? v : w], work->positions.data[v < w ? w : v], 0.5));
			if (point < 0)
			{
				return -1;
			}
			work->table.keys[slot] = (uint64_t)(v < w ? v : w) << 32 | (uint32_t)(v < w ? w : v);
			work->table.points[slot] = point;
			count += 1;
		}
	}
	return count;
}

// A triangle with the middles of its edges (-1: not divided) as up to four. Returns how many.
static int32_t refineDivide(const brSplitTriangle* in, const int32_t middles[3], brSplitTriangle out[4])
{
	int32_t ring[6], count = 0, made = 0, first = 0;
	for (int32_t k = 0; k < 3; ++k)
	{
		ring[count++] = in->corners[k];
		first = middles[k] >= 0 ? count : first; // a fan from a middle has no flat triangle but with all three
		if (middles[k] >= 0)
		{
			ring[count++] = middles[k];
		}
	}
	if (count == 6)
	{
		const int32_t* c = in->corners;
		out[0] = (brSplitTriangle){{c[0], middles[0], middles[2]}, in->source};
		out[1] = (brSplitTriangle){{c[1], middles[1], middles[0]}, in->source};
		out[2] = (brSplitTriangle){{c[2], middles[2], middles[1]}, in->source};
		out[3] = (brSplitTriangle){{middles[0], middles[1], middles[2]}, in->source};
		return 4;
	}
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		out[made++] = (brSplitTriangle){{ring[first % count], ring[(first + n) % count], ring[(first + n + 1) % count]},
										in->source};
	}
	return made;
}

static bool refinePart(brSplitWork* work, brSplitPart* part)
{
	const brAllocator* a = &work->allocator;
	work->below.count = 0;
	for (int32_t t = 0; t < part->count; ++t)
	{
		const int32_t* c = part->triangles[t].corners;
		int32_t middles[3];
		for (int32_t k = 0; k < 3; ++k)
		{
			int64_t slot = brSplitWork_FindEdge(work, c[k], c[(k + 1) % 3]);
			middles[k] = work->table.keys[slot] != 0 ? work->table.points[slot] : -1;
		}
		brSplitTriangle pieces[4];
		int32_t count = refineDivide(&part->triangles[t], middles, pieces);
		for (int32_t n = 0; n < count; ++n)
		{
			if (!BR_PUSH(a, &work->below, pieces[n]))
			{
				return false;
			}
		}
	}
	brSplitTriangle* triangles = BR_ALLOC(a, brSplitTriangle, work->below.count);
	if (triangles == NULL)
	{
		return false;
	}
	memcpy(triangles, work->below.data, (size_t)work->below.count * sizeof(brSplitTriangle));
	BR_FREE(a, part->triangles, part->count);
	part->triangles = triangles;
	part->count = work->below.count;
	return true;
}

// Points that were added become the part's own.
static bool refineKeepPoints(const brSplitWork* work, brSplitPart* part)
{
	const brAllocator* a = &work->allocator;
	int32_t count = work->positions.count, before = part->pointCount;
	brDVec3* points = BR_ALLOC(a, brDVec3, count);
	int32_t* origins = BR_ALLOC(a, int32_t, count);
	if (points == NULL || origins == NULL)
	{
		BR_FREE(a, points, count);
		BR_FREE(a, origins, count);
		return false;
	}
	memcpy(points, work->positions.data, (size_t)count * sizeof(brDVec3));
	memcpy(origins, part->origins, (size_t)before * sizeof(int32_t));
	for (int32_t v = before; v < count; ++v)
	{
		origins[v] = -1;
	}
	BR_FREE(a, part->points, before);
	BR_FREE(a, part->origins, before);
	part->points = points, part->origins = origins, part->pointCount = count;
	return true;
}

bool brSplitWork_Refine(brSplitWork* work, brSplitPart* part, const brSplitShape* ball)
{
	int32_t before = part->pointCount;
	for (int32_t pass = 0; pass < REFINE_PASSES && part->pointCount - before < REFINE_POINTS; ++pass)
	{
		int32_t count = refineMark(work, part, ball);
		if (count <= 0)
		{
			return count == 0;
		}
		if (!refineKeepPoints(work, part) || !refinePart(work, part))
		{
			return false;
		}
	}
	return true;
}
