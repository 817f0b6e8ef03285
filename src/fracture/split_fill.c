// SPDX-License-Identifier: MIT

// The faces of a split: lines on the surface are walked into loops, and the loops filled in the coordinates of the shape.

#include "fracture/split.h"

#include <math.h>

static bool fillPush(brSplit* split, const brSplitShape* shape, int32_t point)
{
	brOutline* outline = &split->outline;
	return BR_PUSH(&split->allocator, &outline->ids, point) &&
		   BR_PUSH(&split->allocator, &outline->points, brSplitShape_Project(shape, split->positions.data[point]));
}

static int32_t fillNextLine(const brSplit* split, int32_t point)
{
	int32_t line = split->lineOf.data[point];
	while (line >= 0 && split->lines.data[line].isUsed)
	{
		line = split->lines.data[line].after;
	}
	return line;
}

// Each line is in one loop. Edges of a closed surface come in pairs that run against each other, so no walk gets stuck.
static bool fillWalk(brSplit* split, const brSplitShape* shape)
{
	const brAllocator* a = &split->allocator;
	brOutline* outline = &split->outline;
	outline->points.count = outline->ids.count = outline->starts.count = 0;
	if (!BR_PUSH(a, &outline->starts, 0))
	{
		return false;
	}
	for (int32_t first = 0; first < split->lines.count; ++first)
	{
		if (split->lines.data[first].isUsed)
		{
			continue;
		}
		for (int32_t at = first; at >= 0; at = fillNextLine(split, split->lines.data[at].to))
		{
			brSplitLine* line = &split->lines.data[at];
			line->isUsed = true;
			bool isGood = fillPush(split, shape, line->from);
			for (int32_t n = 0; isGood && n < line->count; ++n)
			{
				int32_t k = line->isTurned ? line->count - 1 - n : n;
				isGood = fillPush(split, shape, split->linePoints.data[line->first + k]);
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
	split->loopCount = outline->starts.count - 1;
	return true;
}

// The outline as triangles of points of the split, new ones inside lifted onto the shape.
static bool fillTriangles(brSplit* split, const brSplitShape* shape, double spacing)
{
	const brAllocator* a = &split->allocator;
	brOutline* outline = &split->outline;
	split->corners.count = split->ends.count = 0;
	int32_t before = outline->points.count, next = split->positions.count;
	if (!brOutline_FillFinely(outline, spacing, next, &split->corners, &split->ends))
	{
		return false;
	}
	int32_t added = outline->points.count - before;
	bool isGood = BR_RESERVE(a, &split->positions, added) && BR_RESERVE(a, &split->heights, added) &&
				  BR_RESERVE(a, &split->stamps, added) && BR_RESERVE(a, &split->lineOf, added);
	for (int32_t n = before; isGood && n < outline->points.count; ++n)
	{
		split->positions.data[split->positions.count++] = brSplitShape_Lift(shape, outline->points.data[n]);
		split->heights.data[split->heights.count++] = 0.0;
		split->stamps.data[split->stamps.count++] = -1;
		split->lineOf.data[split->lineOf.count++] = -1;
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

bool brSplit_FillLoops(brSplit* split, const brSplitShape* shape, double spacing, double* outArea)
{
	const brAllocator* a = &split->allocator;
	*outArea = 0.0;
	split->isOutside = false;
	if (!fillWalk(split, shape))
	{
		return false;
	}
	if (!fillHoldsArea(&split->outline))
	{
		return true;
	}
	bool isInside = false;
	if (!fillTriangles(split, shape, spacing) || !brSplit_IsInside(split, shape, &isInside))
	{
		return false;
	}
	if (!isInside)
	{
		split->isOutside = true;
		return true;
	}
	int32_t count = split->corners.count / 3;
	if (!BR_RESERVE(a, &split->faces, count) || !BR_RESERVE(a, &split->below, count) ||
		!BR_RESERVE(a, &split->above, count))
	{
		return false;
	}
	for (int32_t n = 0; n < count; ++n)
	{
		const int32_t* c = split->corners.data + 3 * (int64_t)n;
		const brDVec3* at = split->positions.data;
		int32_t face = split->faces.count++;
		split->faces.data[face] = (brSplitFace){{c[0], c[1], c[2]}, split->cuts.count};
		split->below.data[split->below.count++] = (brSplitTriangle){{c[0], c[1], c[2]}, -1 - 2 * face};
		split->above.data[split->above.count++] = (brSplitTriangle){{c[0], c[2], c[1]}, -2 - 2 * face};
		*outArea += 0.5 * brDLength(brDCross(brDSub(at[c[1]], at[c[0]]), brDSub(at[c[2]], at[c[0]])));
	}
	return true;
}
