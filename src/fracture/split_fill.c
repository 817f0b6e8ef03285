// SPDX-License-Identifier: MIT

// The faces of a split: lines on the surface are walked into loops, and the loops filled in the coordinates of the
// shape.

#include "fracture/split.h"

#include <math.h>

static bool fillPush(brSplitWork* work, int32_t point)
{
	brOutline* outline = &work->outline;
	return BR_PUSH(&work->allocator, &outline->ids, point) &&
		   BR_PUSH(&work->allocator, &outline->points,
				   brSplitShape_Project(&work->surface.shape, work->positions.data[point]));
}

static int32_t fillNextLine(const brSplitWork* work, int32_t point)
{
	int32_t line = work->lineOf.data[point];
	while (line >= 0 && work->lines.data[line].isUsed)
	{
		line = work->lines.data[line].after;
	}
	return line;
}

// Each line is in one loop. Edges of a closed surface come in pairs that run against each other, so no walk gets stuck.
static bool fillWalk(brSplitWork* work)
{
	const brAllocator* a = &work->allocator;
	brOutline* outline = &work->outline;
	outline->points.count = outline->ids.count = outline->starts.count = 0;
	if (!BR_PUSH(a, &outline->starts, 0))
	{
		return false;
	}
	for (int32_t first = 0; first < work->lines.count; ++first)
	{
		if (work->lines.data[first].isUsed)
		{
			continue;
		}
		for (int32_t at = first; at >= 0; at = fillNextLine(work, work->lines.data[at].to))
		{
			brSplitLine* line = &work->lines.data[at];
			line->isUsed = true;
			bool isGood = fillPush(work, line->from);
			for (int32_t n = 0; isGood && n < line->count; ++n)
			{
				int32_t k = line->isTurned ? line->count - 1 - n : n;
				isGood = fillPush(work, work->linePoints.data[line->first + k]);
			}
			if (!isGood)
			{
				return false;
			}
		}
		if (!BR_PUSH(a, &outline->starts, outline->points.count))
		{
			return false;
		}
	}
	work->loopCount = outline->starts.count - 1;
	return true;
}

// The outline as triangles of points of the split, new ones inside lifted onto the shape.
static bool fillTriangles(brSplitWork* work, double spacing)
{
	const brAllocator* a = &work->allocator;
	brOutline* outline = &work->outline;
	work->corners.count = work->ends.count = 0;
	int32_t before = outline->points.count, next = work->positions.count;
	if (!brOutline_FillFinely(outline, spacing, next, &work->corners, &work->ends))
	{
		return false;
	}
	int32_t added = outline->points.count - before;
	bool isGood = BR_RESERVE(a, &work->positions, added) && BR_RESERVE(a, &work->heights, added) &&
				  BR_RESERVE(a, &work->lineOf, added);
	for (int32_t n = before; isGood && n < outline->points.count; ++n)
	{
		work->positions.data[work->positions.count++] = brSplitSurface_Lift(&work->surface, outline->points.data[n]);
		work->heights.data[work->heights.count++] = 0.0;
		work->lineOf.data[work->lineOf.count++] = -1;
	}
	return isGood;
}

// Whether the outlines hold something: a ball whose far pole is inside the part has outlines that are inside out.
static bool fillHoldsArea(const brOutline* outline)
{
	double sum = 0.0;
	for (int32_t loop = 0; loop + 1 < outline->starts.count; ++loop)
	{
		int32_t first = outline->starts.data[loop], last = outline->starts.data[loop + 1];
		for (int32_t n = first, m = last - 1; n < last; m = n++)
		{
			brDVec2 p = outline->points.data[m], q = outline->points.data[n];
			sum += p.x * q.y - p.y * q.x;
		}
	}
	return sum > 0.0;
}

bool brSplitWork_FillLoops(brSplitWork* work, double spacing, double* outArea)
{
	const brAllocator* a = &work->allocator;
	*outArea = 0.0;
	work->isOutside = false;
	if (!fillWalk(work))
	{
		return false;
	}
	if (!fillHoldsArea(&work->outline))
	{
		return true;
	}
	bool isInside = false;
	if (!fillTriangles(work, spacing) || !brSplitWork_IsInside(work, &isInside))
	{
		return false;
	}
	if (!isInside)
	{
		work->isOutside = true;
		return true;
	}
	int32_t count = work->corners.count / 3;
	if (!BR_RESERVE(a, &work->below, count) || !BR_RESERVE(a, &work->above, count))
	{
		return false;
	}
	for (int32_t n = 0; n < count; ++n)
	{
		const int32_t* c = work->corners.data + 3 * (int64_t)n;
		const brDVec3* at = work->positions.data;
		int32_t face = work->firstFace + n;
		work->below.data[work->below.count++] = (brSplitTriangle){{c[0], c[1], c[2]}, -1 - 2 * face};
		work->above.data[work->above.count++] = (brSplitTriangle){{c[0], c[2], c[1]}, -2 - 2 * face};
		*outArea += 0.5 * brDLength(brDCross(brDSub(at[c[1]], at[c[0]]), brDSub(at[c[2]], at[c[0]])));
	}
	return true;
}
