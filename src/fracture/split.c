// SPDX-License-Identifier: MIT

// One split: sides of vertices, crossed edges, lines on the surface. split_fill.c makes the faces, split_parts.c the parts.

#include "fracture/split.h"

#include "base/hash.h"
#include "base/report.h"

#include <math.h>
#include <string.h>

#define SPLIT_END 1e-7         // crossings keep this share of the edge off its ends, so that no edge has no length
#define SPLIT_MAX_POINTS 63    // on the line of one triangle
#define SPLIT_TRIES 2          // with lower bumps, the last one flat
#define SPLIT_LOWER 0.25       // of the height before
#define SPLIT_NEAREST_ROOM 0.6 // of the way to the triangle's corner or far edge that such a point may move

void brSplit_Free(brSplit* split)
{
	const brAllocator* a = &split->allocator;
	for (int32_t i = 0; i < split->parts.count; ++i)
	{
		BR_FREE(a, split->parts.data[i].triangles, split->parts.data[i].count);
	}
	brDestroyTriangulation(split->triangles);
	BR_FREE_ARRAY(a, &split->positions);
	BR_FREE_ARRAY(a, &split->parts);
	BR_FREE_ARRAY(a, &split->faces);
	BR_FREE_ARRAY(a, &split->cuts);
	BR_FREE_ARRAY(a, &split->heights);
	BR_FREE_ARRAY(a, &split->stamps);
	BR_FREE_ARRAY(a, &split->below);
	BR_FREE_ARRAY(a, &split->above);
	BR_FREE_ARRAY(a, &split->crossed);
	BR_FREE(a, split->table.keys, split->table.capacity);
	BR_FREE(a, split->table.points, split->table.capacity);
	BR_FREE_ARRAY(a, &split->linePoints);
	BR_FREE_ARRAY(a, &split->lines);
	BR_FREE_ARRAY(a, &split->lineOf);
	brOutline_Free(&split->outline);
	BR_FREE_ARRAY(a, &split->corners);
	BR_FREE_ARRAY(a, &split->ends);
	BR_FREE_ARRAY(a, &split->roots);
	BR_FREE_ARRAY(a, &split->owners);
	BR_FREE_ARRAY(a, &split->lookups);
}

int32_t brSplit_AddPoint(brSplit* split, brDVec3 p)
{
	const brAllocator* a = &split->allocator;
	bool isGood = BR_RESERVE(a, &split->positions, 1) && BR_RESERVE(a, &split->heights, 1) &&
				  BR_RESERVE(a, &split->stamps, 1) && BR_RESERVE(a, &split->lineOf, 1);
	if (!isGood)
	{
		return -1;
	}
	split->heights.data[split->heights.count++] = 0.0;
	split->stamps.data[split->stamps.count++] = -1;
	split->lineOf.data[split->lineOf.count++] = -1;
	split->positions.data[split->positions.count] = p;
	return split->positions.count++;
}

// The side of each vertex of a part. Returns -1 or 1 if all are below or above, else 0.
static int32_t splitFindSides(brSplit* split, const brSplitPart* part, const brSplitShape* shape)
{
	int32_t cut = split->cuts.count;
	bool isBelow = false, isAbove = false;
	for (int32_t t = 0; t < part->count; ++t)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t v = part->triangles[t].corners[k];
			if (split->stamps.data[v] != cut)
			{
				double height = brSplitShape_Value(shape, split->positions.data[v]);
				bool isOver = height >= 0.0;
				split->stamps.data[v] = cut;
				split->heights.data[v] = height;
				isBelow = isBelow || !isOver;
				isAbove = isAbove || isOver;
			}
		}
	}
	return isBelow && isAbove ? 0 : isAbove ? 1 : -1;
}

// Whole triangles go to their side, the others are listed.
static bool splitSort(brSplit* split, const brSplitPart* part)
{
	const brAllocator* a = &split->allocator;
	split->below.count = split->above.count = split->crossed.count = 0;
	for (int32_t t = 0; t < part->count; ++t)
	{
		const brSplitTriangle* triangle = &part->triangles[t];
		const int32_t* c = triangle->corners;
		int32_t sum = brSplit_IsAbove(split, c[0]) + brSplit_IsAbove(split, c[1]) + brSplit_IsAbove(split, c[2]);
		bool isGood = sum == 0   ? BR_PUSH(a, &split->below, *triangle)
					  : sum == 3 ? BR_PUSH(a, &split->above, *triangle)
								 : BR_PUSH(a, &split->crossed, t);
		if (!isGood)
		{
			return false;
		}
	}
	return true;
}

bool brSplit_ClearTable(brSplit* split, int32_t edges)
{
	const brAllocator* a = &split->allocator;
	int64_t need = 64;
	while (need < 4 * (int64_t)edges)
	{
		need *= 2;
	}
	split->table.mask = need - 1;
	if (need > split->table.capacity)
	{
		BR_FREE(a, split->table.keys, split->table.capacity);
		BR_FREE(a, split->table.points, split->table.capacity);
		split->table = (brSplitTable){BR_ALLOC(a, uint64_t, need), BR_ALLOC(a, int32_t, need), need, need - 1};
		if (split->table.keys == NULL || split->table.points == NULL)
		{
			return false;
		}
	}
	memset(split->table.keys, 0, (size_t)need * sizeof(uint64_t));
	return true;
}

int64_t brSplit_FindEdge(const brSplit* split, int32_t v, int32_t w)
{
	uint64_t key = (uint64_t)(v < w ? v : w) << 32 | (uint32_t)(v < w ? w : v);
	int64_t slot = (int64_t)(brHash64(key) & (uint64_t)split->table.mask);
	while (split->table.keys[slot] != 0 && split->table.keys[slot] != key)
	{
		slot = (slot + 1) & split->table.mask;
	}
	return slot;
}

// The point where an edge is crossed, made the first time; -1 without memory.
static int32_t splitEdgePoint(brSplit* split, const brSplitShape* shape, int32_t v, int32_t w)
{
	int64_t slot = brSplit_FindEdge(split, v, w);
	if (split->table.keys[slot] == 0)
	{
		int32_t low = v < w ? v : w, high = v < w ? w : v;
		brDVec3 p = split->positions.data[low], q = split->positions.data[high];
		double t = brSplitShape_Crossing(shape, p, split->heights.data[low], q, split->heights.data[high]);
		t = fmin(fmax(t, SPLIT_END), 1.0 - SPLIT_END);
		int32_t point = brSplit_AddPoint(split, brDLerp(p, q, t));
		if (point < 0)
		{
			return -1;
		}
		split->table.keys[slot] = (uint64_t)low << 32 | (uint32_t)high;
		split->table.points[slot] = point;
	}
	return split->table.points[slot];
}

// Points between p on the edge a b and q on the edge a c, each on its ray from a, so that a sees them in order.
static bool splitAddLine(brSplit* split, const brSplitShape* shape, const int32_t corners[3], int32_t p, int32_t q,
						 double spacing)
{
	const brDVec3* at = split->positions.data;
	brDVec3 a = at[corners[0]], ab = brDSub(at[corners[1]], a), ac = brDSub(at[corners[2]], a), pa = at[p], qa = at[q];
	double count = spacing > 0.0 ? fmin(floor(brDDistance(pa, qa) / spacing), SPLIT_MAX_POINTS) : 0.0;
	double s = sqrt(brDLengthSq(brDSub(pa, a)) / brDLengthSq(ab)),
		   t = sqrt(brDLengthSq(brDSub(qa, a)) / brDLengthSq(ac));
	for (double k = 1.0; k <= count; k += 1.0)
	{
		double w = k / (count + 1.0), far = 1.0 / ((1.0 - w) * s + w * t); // of the way to the line, where b c is
		brDVec3 d = brDSub(brDLerp(pa, qa, w), a);
		double least = 1.0 - SPLIT_NEAREST_ROOM, most = 1.0 + SPLIT_NEAREST_ROOM * (far - 1.0);
		most = fmin(most, 1.0 + SPLIT_NEAREST_ROOM);
		// One step of Newton's: bumps are shallow, so the surface is nearly across its own normal.
		brDVec3 p0 = brDAdd(a, d), normal = shape->radius > 0.0 ? brDNormalize(brDSub(p0, shape->origin)) : shape->n;
		double rise = brDDot(normal, d), above = brSplitShape_Value(shape, p0);
		double place = rise != 0.0 ? fmin(fmax(1.0 - above / rise, least), most) : 1.0;
		int32_t point = brSplit_AddPoint(split, brDMulAdd(a, place, d));
		if (point < 0 || !BR_PUSH(&split->allocator, &split->linePoints, point))
		{
			return false;
		}
	}
	return true;
}

// A part of a crossed triangle as triangles: the corners `ring`, then the points of the line from `first` on, backwards if `isTurned`. The plane is
// that of the triangle a, b, c. False without memory.
static bool splitFillPolygon(brSplit* split, brSplitTriangles* out, const brSplitTriangle* plane, const int32_t* ring,
							 int32_t ringCount, int32_t first, bool isTurned)
{
	const brAllocator* a = &split->allocator;
	const brDVec3* at = split->positions.data;
	int32_t lineCount = split->linePoints.count - first, count = ringCount + lineCount;
	brOutline* outline = &split->outline;
	brDVec3 origin = at[plane->corners[0]], x = brDNormalize(brDSub(at[plane->corners[1]], origin));
	brDVec3 y = brDSub(at[plane->corners[2]], origin);
	y = brDNormalize(brDMulAdd(y, -brDDot(x, y), x));
	outline->points.count = outline->ids.count = outline->starts.count = 0;
	split->corners.count = split->ends.count = 0;
	bool isGood = BR_PUSH(a, &outline->starts, 0) && BR_RESERVE(a, &outline->ids, count) &&
				  BR_RESERVE(a, &outline->points, count);
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		int32_t k = n - ringCount,
				id = n < ringCount ? ring[n] : split->linePoints.data[first + (isTurned ? lineCount - 1 - k : k)];
		brDVec3 d = brDSub(at[id], origin);
		outline->ids.data[outline->ids.count++] = id;
		outline->points.data[outline->points.count++] = (brDVec2){brDDot(x, d), brDDot(y, d)};
	}
	isGood = isGood && BR_PUSH(a, &outline->starts, count) &&
			 brOutline_FillFinely(outline, 0.0, 0, &split->corners, &split->ends);
	for (int32_t n = 0; isGood && n < split->corners.count; n += 3)
	{
		const int32_t* c = split->corners.data + n;
		brSplitTriangle piece = {{c[0], c[1], c[2]}, plane->source};
		isGood = BR_PUSH(a, out, piece);
	}
	return isGood;
}

// Both parts of a crossed triangle whose first corner is alone; the line goes from p on its first edge to q on its last.
static bool splitFillParts(brSplit* split, const brSplitTriangle* triangle, int32_t p, int32_t q, int32_t first)
{
	const brAllocator* a = &split->allocator;
	const brDVec3* at = split->positions.data;
	const int32_t* c = triangle->corners;
	bool isAbove = brSplit_IsAbove(split, c[0]);
	brSplitTriangles *alone = isAbove ? &split->above : &split->below,
					 *others = isAbove ? &split->below : &split->above;
	if (split->linePoints.count > first)
	{
		const int32_t tip[3] = {q, c[0], p}, rest[4] = {p, c[1], c[2], q};
		return splitFillPolygon(split, alone, triangle, tip, 3, first, false) &&
			   splitFillPolygon(split, others, triangle, rest, 4, first, true);
	}
	bool isFromP = brDDistance(at[p], at[c[2]]) < brDDistance(at[c[1]], at[q]);
	brSplitTriangle tip = {{c[0], p, q}, triangle->source};
	brSplitTriangle one = {{p, c[1], isFromP ? c[2] : q}, triangle->source};
	brSplitTriangle two = {{isFromP ? p : c[1], c[2], q}, triangle->source};
	return BR_PUSH(a, alone, tip) && BR_PUSH(a, others, one) && BR_PUSH(a, others, two);
}

static bool splitCrossTriangle(brSplit* split, const brSplitShape* shape, brSplitTriangle triangle, double spacing)
{
	const brAllocator* a = &split->allocator;
	int32_t* c = triangle.corners;
	// Turned until the first corner is alone on its side.
	while (brSplit_IsAbove(split, c[1]) != brSplit_IsAbove(split, c[2]))
	{
		int32_t first = c[0];
		c[0] = c[1], c[1] = c[2], c[2] = first;
	}
	bool isAbove = brSplit_IsAbove(split, c[0]);
	int32_t p = splitEdgePoint(split, shape, c[0], c[1]), q = p >= 0 ? splitEdgePoint(split, shape, c[0], c[2]) : -1;
	int32_t first = split->linePoints.count;
	if (q < 0 || !splitAddLine(split, shape, c, p, q, spacing))
	{
		return false;
	}
	if (!splitFillParts(split, &triangle, p, q, first))
	{
		return false;
	}
	int32_t count = split->linePoints.count - first;
	// The face of the part below goes along the line against the part's own triangles.
	brSplitLine line = {isAbove ? p : q, isAbove ? q : p, first, count, !isAbove, false, -1};
	line.after = split->lineOf.data[line.from];
	split->lineOf.data[line.from] = split->lines.count;
	return BR_PUSH(a, &split->lines, line);
}

// One try: faces and parts by a shape. Without area nothing has changed but that a number of a cut is used up.
static brResult splitTry(brSplit* split, int32_t part, const brSplitShape* shape, double spacing, brSplitChildren* out)
{
	const brSplitPart whole = split->parts.data[part];
	*out = (brSplitChildren){split->parts.count, 0, 0, 0.0};
	if (!BR_RESERVE(&split->allocator, &split->cuts, 1))
	{
		return br_errorMemory;
	}
	bool isCrossed = splitFindSides(split, &whole, shape) == 0;
	split->linePoints.count = split->lines.count = 0;
	split->isOutside = false;
	split->firstPoint = split->positions.count;
	bool isGood = !isCrossed || (splitSort(split, &whole) && brSplit_ClearTable(split, split->crossed.count));
	for (int32_t n = 0; isGood && isCrossed && n < split->crossed.count; ++n)
	{
		isGood = splitCrossTriangle(split, shape, whole.triangles[split->crossed.data[n]], spacing);
	}
	isGood = isGood && (!isCrossed || brSplit_FillLoops(split, shape, spacing, &out->area));
	isGood = isGood && (!(out->area > 0.0) || brSplit_Gather(split, part, out));
	if (isGood && out->count == 0 && out->area > 0.0)
	{
		split->isOutside = true;
		split->faces.count -= split->corners.count / 3;
		out->area = 0.0;
	}
	split->cuts.data[split->cuts.count++] = *shape;
	if (!(out->area > 0.0))
	{
		split->positions.count = split->heights.count = split->stamps.count = split->lineOf.count = split->firstPoint;
	}
	split->area += out->area;
	return isGood ? br_success : br_errorMemory;
}

brResult brSplit_Cut(brSplit* split, int32_t part, const brSplitShape* shape, double spacing, brSplitChildren* out)
{
	if (shape->radius > 0.0 && !brSplit_Refine(split, part, shape))
	{
		return br_errorMemory;
	}
	brSplitShape lower = *shape;
	brResult result = splitTry(split, part, &lower, spacing, out);
	for (int k = 0; k < SPLIT_TRIES && result >= 0 && split->isOutside; ++k)
	{
		bool isLast = k + 1 == SPLIT_TRIES;
		lower.height = isLast ? 0.0 : SPLIT_LOWER * lower.height;
		lower.bend = isLast ? 0.0 : lower.bend;
		result = splitTry(split, part, &lower, isLast && shape->radius == 0.0 ? 0.0 : spacing, out);
	}
	return result;
}

void brSplit_Extent(const brSplit* split, int32_t part, brDVec3 direction, double* outLower, double* outUpper)
{
	const brSplitPart* p = &split->parts.data[part];
	double lower = INFINITY, upper = -INFINITY;
	for (int32_t t = 0; t < p->count; ++t)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			double along = brDDot(direction, split->positions.data[p->triangles[t].corners[k]]);
			lower = along < lower ? along : lower;
			upper = along > upper ? along : upper;
		}
	}
	*outLower = lower, *outUpper = upper;
}

brResult brSplit_Make(const brContext* context, const brMesh* mesh, brSplit* out, brReport* report)
{
	*out = (brSplit){.allocator = brContext_Allocator(context), .context = context, .mesh = mesh};
	const brAllocator* a = &out->allocator;
	brOutline_Init(&out->outline, a);
	brResult result = brTriangulateMesh(context, mesh, &out->triangles, report);
	if (result < 0)
	{
		return result;
	}
	int32_t count = out->triangles->triangleCount;
	brSplitPart part = {.triangles = BR_ALLOC(a, brSplitTriangle, count), .count = count};
	bool isGood = part.triangles != NULL && BR_RESERVE(a, &out->parts, 1) &&
				  BR_RESERVE(a, &out->positions, mesh->vertexCount) &&
				  BR_RESERVE(a, &out->heights, mesh->vertexCount) && BR_RESERVE(a, &out->stamps, mesh->vertexCount) &&
				  BR_RESERVE(a, &out->lineOf, mesh->vertexCount);
	for (int32_t v = 0; isGood && v < mesh->vertexCount; ++v)
	{
		brSplit_AddPoint(out, mesh->positions[v]);
	}
	for (int32_t t = 0; isGood && t < count; ++t)
	{
		const int32_t* c = out->triangles->corners + 3 * (int64_t)t;
		part.triangles[t] = (brSplitTriangle){{mesh->corners[c[0]], mesh->corners[c[1]], mesh->corners[c[2]]}, t};
	}
	if (!isGood)
	{
		BR_FREE(a, part.triangles, count);
		brSplit_Free(out);
		return brFailMemory(report);
	}
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	part.volume = mass.volume, part.center = mass.center;
	out->parts.data[out->parts.count++] = part;
	return br_success;
}
