// SPDX-License-Identifier: MIT

// One split: sides of vertices, crossed edges, lines on the surface. split_fill.c makes the faces, split_parts.c the
// parts.

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

static void splitFreeWork(brSplitWork* work)
{
	const brAllocator* a = &work->allocator;
	BR_FREE_ARRAY(a, &work->positions);
	BR_FREE_ARRAY(a, &work->heights);
	BR_FREE_ARRAY(a, &work->below);
	BR_FREE_ARRAY(a, &work->above);
	BR_FREE_ARRAY(a, &work->crossed);
	BR_FREE(a, work->table.keys, work->table.capacity);
	BR_FREE(a, work->table.points, work->table.capacity);
	BR_FREE_ARRAY(a, &work->linePoints);
	BR_FREE_ARRAY(a, &work->lines);
	BR_FREE_ARRAY(a, &work->lineOf);
	brOutline_Free(&work->outline);
	BR_FREE_ARRAY(a, &work->corners);
	BR_FREE_ARRAY(a, &work->ends);
	BR_FREE_ARRAY(a, &work->roots);
	BR_FREE_ARRAY(a, &work->owners);
	BR_FREE_ARRAY(a, &work->lookups);
	BR_FREE_ARRAY(a, &work->used);
}

void brSplitCut_Free(const brAllocator* allocator, brSplitCut* cut)
{
	while (cut->parts.count > 0)
	{
		brSplitPart_Free(allocator, &cut->parts.data[--cut->parts.count]);
	}
	BR_FREE_ARRAY(allocator, &cut->parts);
	BR_FREE_ARRAY(allocator, &cut->faces);
}

void brSplit_Free(brSplit* split)
{
	const brAllocator* a = &split->allocator;
	for (int32_t i = 0; i < split->parts.count; ++i)
	{
		brSplitPart_Free(a, &split->parts.data[i]);
	}
	for (int32_t i = 0; i < split->workCount; ++i)
	{
		splitFreeWork(&split->works[i]);
	}
	BR_FREE(a, split->works, split->workCount);
	brDestroyTriangulation(split->triangles);
	BR_FREE_ARRAY(a, &split->parts);
	BR_FREE_ARRAY(a, &split->faces);
	BR_FREE_ARRAY(a, &split->cuts);
}

int32_t brSplitWork_AddPoint(brSplitWork* work, brDVec3 p)
{
	const brAllocator* a = &work->allocator;
	bool isGood =
		BR_RESERVE(a, &work->positions, 1) && BR_RESERVE(a, &work->heights, 1) && BR_RESERVE(a, &work->lineOf, 1);
	if (!isGood)
	{
		return -1;
	}
	work->heights.data[work->heights.count++] = 0.0;
	work->lineOf.data[work->lineOf.count++] = -1;
	work->positions.data[work->positions.count] = p;
	return work->positions.count++;
}

// The points of a part, and none that were made before. False without memory.
static bool splitLoad(brSplitWork* work, const brDVec3* points, int32_t count)
{
	const brAllocator* a = &work->allocator;
	work->positions.count = work->heights.count = work->lineOf.count = 0;
	if (!BR_RESERVE(a, &work->positions, count) || !BR_RESERVE(a, &work->heights, count) ||
		!BR_RESERVE(a, &work->lineOf, count))
	{
		return false;
	}
	memcpy(work->positions.data, points, (size_t)count * sizeof(brDVec3));
	for (int32_t v = 0; v < count; ++v)
	{
		work->heights.data[v] = 0.0;
		work->lineOf.data[v] = -1;
	}
	work->positions.count = work->heights.count = work->lineOf.count = count;
	return true;
}

// The side of each vertex of a part. True if there are some on both.
static bool splitFindSides(brSplitWork* work, const brSplitPart* part)
{
	bool isBelow = false, isAbove = false;
	for (int32_t v = 0; v < part->pointCount; ++v)
	{
		double height = brSplitSurface_Value(&work->surface, part->points[v]);
		bool isOver = height >= 0.0;
		work->heights.data[v] = height;
		isBelow = isBelow || !isOver;
		isAbove = isAbove || isOver;
	}
	return isBelow && isAbove;
}

// Whole triangles go to their side, the others are listed.
static bool splitSort(brSplitWork* work, const brSplitPart* part)
{
	const brAllocator* a = &work->allocator;
	work->below.count = work->above.count = work->crossed.count = 0;
	if (!BR_RESERVE(a, &work->below, part->count) || !BR_RESERVE(a, &work->above, part->count))
	{
		return false;
	}
	brSplitTriangle *below = work->below.data, *above = work->above.data;
	for (int32_t t = 0; t < part->count; ++t)
	{
		const brSplitTriangle* triangle = &part->triangles[t];
		const int32_t* c = triangle->corners;
		int32_t sum =
			brSplitWork_IsAbove(work, c[0]) + brSplitWork_IsAbove(work, c[1]) + brSplitWork_IsAbove(work, c[2]);
		if (sum == 0)
		{
			*below++ = *triangle;
		}
		else if (sum == 3)
		{
			*above++ = *triangle;
		}
		else if (!BR_PUSH(a, &work->crossed, t))
		{
			return false;
		}
	}
	work->below.count = (int32_t)(below - work->below.data), work->above.count = (int32_t)(above - work->above.data);
	return true;
}

bool brSplitWork_ClearTable(brSplitWork* work, int32_t edges)
{
	const brAllocator* a = &work->allocator;
	int64_t need = 64;
	while (need < 4 * (int64_t)edges)
	{
		need *= 2;
	}
	work->table.mask = need - 1;
	if (need > work->table.capacity)
	{
		BR_FREE(a, work->table.keys, work->table.capacity);
		BR_FREE(a, work->table.points, work->table.capacity);
		work->table = (brSplitTable){BR_ALLOC(a, uint64_t, need), BR_ALLOC(a, int32_t, need), need, need - 1};
		if (work->table.keys == NULL || work->table.points == NULL)
		{
			BR_FREE(a, work->table.keys, need);
			BR_FREE(a, work->table.points, need);
			work->table = (brSplitTable){0}; // other cuts go on with it
			return false;
		}
	}
	memset(work->table.keys, 0, (size_t)need * sizeof(uint64_t));
	return true;
}

int64_t brSplitWork_FindEdge(const brSplitWork* work, int32_t v, int32_t w)
{
	uint64_t key = (uint64_t)(v < w ? v : w) << 32 | (uint32_t)(v < w ? w : v);
	int64_t slot = (int64_t)(brHash64(key) & (uint64_t)work->table.mask);
	while (work->table.keys[slot] != 0 && work->table.keys[slot] != key)
	{
		slot = (slot + 1) & work->table.mask;
	}
	return slot;
}

// The point where an edge is crossed, made the first time; -1 without memory.
static int32_t splitEdgePoint(brSplitWork* work, int32_t v, int32_t w)
{
	int64_t slot = brSplitWork_FindEdge(work, v, w);
	if (work->table.keys[slot] == 0)
	{
		int32_t low = v < w ? v : w, high = v < w ? w : v;
		brDVec3 p = work->positions.data[low], q = work->positions.data[high];
		double t = brSplitSurface_Crossing(&work->surface, p, work->heights.data[low], q, work->heights.data[high]);
		t = fmin(fmax(t, SPLIT_END), 1.0 - SPLIT_END);
		int32_t point = brSplitWork_AddPoint(work, brDLerp(p, q, t));
		if (point < 0)
		{
			return -1;
		}
		work->table.keys[slot] = (uint64_t)low << 32 | (uint32_t)high;
		work->table.points[slot] = point;
	}
	return work->table.points[slot];
}

// Points between p on the edge a b and q on the edge a c, each on its ray from a, so that a sees them in order.
static bool splitAddLine(brSplitWork* work, const int32_t corners[3], int32_t p, int32_t q, double spacing)
{
	const brSplitShape* shape = &work->surface.shape;
	const brDVec3* at = work->positions.data;
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
		double rise = brDDot(normal, d), above = brSplitSurface_Value(&work->surface, p0);
		double place = rise != 0.0 ? fmin(fmax(1.0 - above / rise, least), most) : 1.0;
		int32_t point = brSplitWork_AddPoint(work, brDMulAdd(a, place, d));
		if (point < 0 || !BR_PUSH(&work->allocator, &work->linePoints, point))
		{
			return false;
		}
	}
	return true;
}

// A part of a crossed triangle as triangles: the corners `ring`, then the points of the line from `first` on, backwards
// if `isTurned`. The plane is that of the triangle a, b, c. False without memory.
static bool splitFillPolygon(brSplitWork* work, brSplitTriangles* out, const brSplitTriangle* plane,
							 const int32_t* ring, int32_t ringCount, int32_t first, bool isTurned)
{
	const brAllocator* a = &work->allocator;
	const brDVec3* at = work->positions.data;
	int32_t lineCount = work->linePoints.count - first, count = ringCount + lineCount;
	brOutline* outline = &work->outline;
	brDVec3 origin = at[plane->corners[0]], x = brDNormalize(brDSub(at[plane->corners[1]], origin));
	brDVec3 y = brDSub(at[plane->corners[2]], origin);
	y = brDNormalize(brDMulAdd(y, -brDDot(x, y), x));
	outline->points.count = outline->ids.count = outline->starts.count = 0;
	work->corners.count = work->ends.count = 0;
	bool isGood = BR_PUSH(a, &outline->starts, 0) && BR_RESERVE(a, &outline->ids, count) &&
				  BR_RESERVE(a, &outline->points, count);
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		int32_t k = n - ringCount,
				id = n < ringCount ? ring[n] : work->linePoints.data[first + (isTurned ? lineCount - 1 - k : k)];
		brDVec3 d = brDSub(at[id], origin);
		outline->ids.data[outline->ids.count++] = id;
		outline->points.data[outline->points.count++] = (brDVec2){brDDot(x, d), brDDot(y, d)};
	}
	isGood = isGood && BR_PUSH(a, &outline->starts, count) &&
			 brOutline_FillFinely(outline, 0.0, 0, &work->corners, &work->ends);
	for (int32_t n = 0; isGood && n < work->corners.count; n += 3)
	{
		const int32_t* c = work->corners.data + n;
		brSplitTriangle piece = {{c[0], c[1], c[2]}, plane->source};
		isGood = BR_PUSH(a, out, piece);
	}
	return isGood;
}

// Both parts of a crossed triangle whose first corner is alone; the line goes from p on its first edge to q on its last.
static bool splitFillParts(brSplitWork* work, const brSplitTriangle* triangle, int32_t p, int32_t q, int32_t first)
{
	const brAllocator* a = &work->allocator;
	const brDVec3* at = work->positions.data;
	const int32_t* c = triangle->corners;
	bool isAbove = brSplitWork_IsAbove(work, c[0]);
	brSplitTriangles *alone = isAbove ? &work->above : &work->below, *others = isAbove ? &work->below : &work->above;
	if (work->linePoints.count > first)
	{
		const int32_t tip[3] = {q, c[0], p}, rest[4] = {p, c[1], c[2], q};
		return splitFillPolygon(work, alone, triangle, tip, 3, first, false) &&
			   splitFillPolygon(work, others, triangle, rest, 4, first, true);
	}
	bool isFromP = brDDistance(at[p], at[c[2]]) < brDDistance(at[c[1]], at[q]);
	brSplitTriangle tip = {{c[0], p, q}, triangle->source};
	brSplitTriangle one = {{p, c[1], isFromP ? c[2] : q}, triangle->source};
	brSplitTriangle two = {{isFromP ? p : c[1], c[2], q}, triangle->source};
	return BR_PUSH(a, alone, tip) && BR_PUSH(a, others, one) && BR_PUSH(a, others, two);
}

static bool splitCrossTriangle(brSplitWork* work, brSplitTriangle triangle, double spacing)
{
	const brAllocator* a = &work->allocator;
	int32_t* c = triangle.corners;
	// Turned until the first corner is alone on its side.
	while (brSplitWork_IsAbove(work, c[1]) != brSplitWork_IsAbove(work, c[2]))
	{
		int32_t first = c[0];
		c[0] = c[1], c[1] = c[2], c[2] = first;
	}
	bool isAbove = brSplitWork_IsAbove(work, c[0]);
	int32_t p = splitEdgePoint(work, c[0], c[1]), q = p >= 0 ? splitEdgePoint(work, c[0], c[2]) : -1;
	int32_t first = work->linePoints.count;
	if (q < 0 || !splitAddLine(work, c, p, q, spacing))
	{
		return false;
	}
	if (!splitFillParts(work, &triangle, p, q, first))
	{
		return false;
	}
	int32_t count = work->linePoints.count - first;
	// The face of the part below goes along the line against the part's own triangles.
	brSplitLine line = {isAbove ? p : q, isAbove ? q : p, first, count, !isAbove, false, -1};
	line.after = work->lineOf.data[line.from];
	work->lineOf.data[line.from] = work->lines.count;
	return BR_PUSH(a, &work->lines, line);
}

// The faces of the cut at work, as they were made. False without memory.
static bool splitKeepFaces(const brSplitWork* work, brSplitCut* out)
{
	int32_t count = work->corners.count / 3;
	if (!BR_RESERVE(&work->allocator, &out->faces, count))
	{
		return false;
	}
	for (int32_t n = 0; n < count; ++n)
	{
		const int32_t* c = work->corners.data + 3 * (int64_t)n;
		const brDVec3* at = work->positions.data;
		out->faces.data[out->faces.count++] = (brSplitFace){{at[c[0]], at[c[1]], at[c[2]]}, -1};
	}
	return true;
}

// One try: faces and parts by a shape. Without area there are none.
static brResult splitTry(brSplitWork* work, const brSplitPart* whole, const brSplitShape* shape, double spacing,
						 brSplitCut* out)
{
	out->shape = *shape;
	out->area = 0.0;
	work->positions.count = work->heights.count = work->lineOf.count = whole->pointCount;
	brSplitSurface_Begin(&work->surface, shape);
	bool isCrossed = splitFindSides(work, whole);
	work->linePoints.count = work->lines.count = 0;
	work->isOutside = false;
	work->firstPoint = whole->pointCount;
	bool isGood = !isCrossed || (splitSort(work, whole) && brSplitWork_ClearTable(work, work->crossed.count));
	for (int32_t n = 0; isGood && isCrossed && n < work->crossed.count; ++n)
	{
		isGood = splitCrossTriangle(work, whole->triangles[work->crossed.data[n]], spacing);
	}
	isGood = isGood && (!isCrossed || brSplitWork_FillLoops(work, spacing, &out->area));
	if (isGood && out->area > 0.0)
	{
		isGood = brSplitWork_Gather(work, whole, out) && (out->parts.count == 0 || splitKeepFaces(work, out));
		work->isOutside = out->parts.count == 0;
		out->area = work->isOutside ? 0.0 : out->area;
	}
	return isGood ? br_success : br_errorMemory;
}

brResult brSplit_Divide(const brSplit* split, int32_t worker, int32_t part, const brSplitShape* shape, double spacing,
						brSplitCut* out)
{
	brSplitWork* work = &split->works[worker];
	brSplitPart* whole = &split->parts.data[part];
	work->firstFace = out->firstFace = split->faces.count;
	if (!splitLoad(work, whole->points, whole->pointCount) ||
		(shape->radius > 0.0 && !brSplitWork_Refine(work, whole, shape)))
	{
		return br_errorMemory;
	}
	brSplitShape lower = *shape;
	brResult result = splitTry(work, whole, &lower, spacing, out);
	for (int k = 0; k < SPLIT_TRIES && result >= 0 && work->isOutside; ++k)
	{
		bool isLast = k + 1 == SPLIT_TRIES;
		lower.height = isLast ? 0.0 : SPLIT_LOWER * lower.height;
		lower.bend = isLast ? 0.0 : lower.bend;
		result = splitTry(work, whole, &lower, isLast && shape->radius == 0.0 ? 0.0 : spacing, out);
	}
	return result;
}

brResult brSplit_Keep(brSplit* split, int32_t part, brSplitCut* cut, brSplitChildren* out)
{
	const brAllocator* a = &split->allocator;
	int32_t shift = split->faces.count - cut->firstFace;
	*out = (brSplitChildren){split->parts.count, cut->parts.count, cut->belowCount, cut->area};
	if (!BR_RESERVE(a, &split->parts, cut->parts.count) || !BR_RESERVE(a, &split->faces, cut->faces.count) ||
		!BR_RESERVE(a, &split->cuts, 1))
	{
		return br_errorMemory;
	}
	if (cut->parts.count > 0)
	{
		brSplitPart_Free(a, &split->parts.data[part]);
	}
	// Cuts made at the same time have counted their faces from the same number.
	for (int32_t k = 0; k < cut->parts.count; ++k)
	{
		const brSplitPart* child = &cut->parts.data[k];
		for (int32_t t = 0; shift > 0 && t < child->count; ++t)
		{
			int32_t* source = &child->triangles[t].source;
			*source -= *source < 0 && (-1 - *source) / 2 >= cut->firstFace ? 2 * shift : 0;
		}
		split->parts.data[split->parts.count++] = *child;
	}
	for (int32_t n = 0; n < cut->faces.count; ++n)
	{
		split->faces.data[split->faces.count] = cut->faces.data[n];
		split->faces.data[split->faces.count++].cut = split->cuts.count;
	}
	split->cuts.data[split->cuts.count++] = cut->shape;
	split->area += cut->area;
	cut->parts.count = cut->faces.count = 0;
	return br_success;
}

void brSplit_Extent(const brSplit* split, int32_t part, brDVec3 direction, double* outLower, double* outUpper)
{
	const brSplitPart* p = &split->parts.data[part];
	double lower = INFINITY, upper = -INFINITY;
	for (int32_t v = 0; v < p->pointCount; ++v)
	{
		double along = brDDot(direction, p->points[v]);
		lower = along < lower ? along : lower;
		upper = along > upper ? along : upper;
	}
	*outLower = lower, *outUpper = upper;
}

// The model as part 0. False without memory.
static bool splitMakeWhole(brSplit* split)
{
	const brAllocator* a = &split->allocator;
	const brMesh* mesh = split->mesh;
	int32_t count = split->triangles->triangleCount, vertexCount = mesh->vertexCount;
	brSplitTriangle* triangles = BR_ALLOC(a, brSplitTriangle, count);
	int32_t* origins = BR_ALLOC(a, int32_t, vertexCount);
	brSplitPart part;
	bool isGood = triangles != NULL && origins != NULL && BR_RESERVE(a, &split->parts, 1) &&
				  splitLoad(&split->works[0], mesh->positions, vertexCount);
	for (int32_t v = 0; isGood && v < vertexCount; ++v)
	{
		origins[v] = v;
	}
	for (int32_t t = 0; isGood && t < count; ++t)
	{
		const int32_t* c = split->triangles->corners + 3 * (int64_t)t;
		triangles[t] = (brSplitTriangle){{mesh->corners[c[0]], mesh->corners[c[1]], mesh->corners[c[2]]}, t};
	}
	brSplitPart model = {.origins = origins, .pointCount = vertexCount};
	isGood = isGood && brSplitWork_MakePart(&split->works[0], &model, triangles, count, &part);
	BR_FREE(a, triangles, count);
	BR_FREE(a, origins, vertexCount);
	if (isGood)
	{
		split->mass = brMesh_ComputeMass(mesh, 1.0);
		part.volume = split->mass.volume, part.center = split->mass.center;
		part.isConnected = false;
		split->parts.data[split->parts.count++] = part;
	}
	return isGood;
}

brResult brSplit_Make(const brContext* context, const brMesh* mesh, brSplit* out, brReport* report)
{
	*out = (brSplit){.allocator = brContext_Allocator(context), .context = context, .mesh = mesh};
	const brAllocator* a = &out->allocator;
	brResult result = brTriangulateMesh(context, mesh, &out->triangles, report);
	if (result < 0)
	{
		return result;
	}
	int32_t workCount = brWorkers_GetCount(context != NULL ? context->workers : NULL);
	out->works = BR_ALLOC_ZERO(a, brSplitWork, workCount);
	out->workCount = out->works != NULL ? workCount : 0;
	for (int32_t i = 0; i < out->workCount; ++i)
	{
		out->works[i].allocator = *a;
		brOutline_Init(&out->works[i].outline, a);
	}
	if (out->works == NULL || !splitMakeWhole(out))
	{
		brSplit_Free(out);
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < workCount; ++i)
	{
		out->works[i].volume = out->parts.data[0].volume;
	}
	return br_success;
}
