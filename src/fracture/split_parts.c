// SPDX-License-Identifier: MIT

// What a split leaves on each side, as connected parts. A cavity belongs to the part around it.

#include "base/buckets.h"
#include "base/forest.h"
#include "fracture/split.h"

#include <math.h>
#include <string.h>

#define SPLIT_FLAT 1e-12 // of the volume before

// Volume and center about an origin.
typedef struct PartsSum
{
	double volume;
	brDVec3 moment;
} PartsSum;

static void partsAdd(const brSplitWork* work, const brSplitTriangle* triangle, brDVec3 origin, PartsSum* sum)
{
	const brDVec3* at = work->positions.data;
	brDVec3 p = brDSub(at[triangle->corners[0]], origin), q = brDSub(at[triangle->corners[1]], origin);
	brDVec3 r = brDSub(at[triangle->corners[2]], origin);
	double six = brDDot(p, brDCross(q, r));
	sum->volume += six / 6.0;
	sum->moment = brDMulAdd(sum->moment, six / 24.0, brDAdd(p, brDAdd(q, r)));
}

void brSplitPart_Free(const brAllocator* allocator, brSplitPart* part)
{
	BR_FREE(allocator, part->triangles, part->count);
	BR_FREE(allocator, part->points, part->pointCount);
	BR_FREE(allocator, part->origins, part->pointCount);
	part->triangles = NULL, part->points = NULL, part->origins = NULL;
	part->count = part->pointCount = 0;
}

// Room for a stamp and a number of every point, and a list of them. False without memory.
static bool partsReserveLookups(brSplitWork* work)
{
	const brAllocator* a = &work->allocator;
	int32_t more = work->positions.count - work->lookups.count;
	if (more > 0 && (!BR_RESERVE(a, &work->owners, more) || !BR_RESERVE(a, &work->lookups, more) ||
					 !BR_RESERVE(a, &work->used, work->positions.count)))
	{
		return false;
	}
	while (work->lookups.count < work->positions.count)
	{
		work->owners.count += 1;
		work->lookups.data[work->lookups.count++] = 0;
	}
	work->lookup += 1;
	return true;
}

bool brSplitWork_MakePart(brSplitWork* work, const brSplitPart* parent, const brSplitTriangle* triangles, int32_t count,
						  brSplitPart* out)
{
	const brAllocator* a = &work->allocator;
	if (!partsReserveLookups(work))
	{
		return false;
	}
	*out = (brSplitPart){.triangles = BR_ALLOC(a, brSplitTriangle, count), .count = count, .isConnected = true};
	int32_t *lookups = work->lookups.data, *owners = work->owners.data, *used = work->used.data;
	for (int32_t t = 0; out->triangles != NULL && t < count; ++t)
	{
		brSplitTriangle* own = &out->triangles[t];
		own->source = triangles[t].source;
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t v = triangles[t].corners[k];
			if (lookups[v] != work->lookup)
			{
				lookups[v] = work->lookup;
				used[out->pointCount] = v;
				owners[v] = out->pointCount++;
			}
			own->corners[k] = owners[v];
		}
	}
	out->points = BR_ALLOC(a, brDVec3, out->pointCount);
	out->origins = BR_ALLOC(a, int32_t, out->pointCount);
	if (out->triangles == NULL || out->points == NULL || out->origins == NULL)
	{
		brSplitPart_Free(a, out);
		return false;
	}
	for (int32_t own = 0; own < out->pointCount; ++own)
	{
		int32_t v = used[own];
		out->points[own] = work->positions.data[v];
		out->origins[own] = v < parent->pointCount ? parent->origins[v] : -1;
	}
	return true;
}

static bool partsPush(brSplitWork* work, const brSplitPart* parent, const brSplitTriangle* triangles, int32_t count,
					  int32_t side, brSplitCut* out)
{
	PartsSum sum = {0.0, {0.0, 0.0, 0.0}};
	for (int32_t t = 0; t < count; ++t)
	{
		partsAdd(work, &triangles[t], parent->center, &sum);
	}
	brSplitPart part;
	if (!brSplitWork_MakePart(work, parent, triangles, count, &part))
	{
		return false;
	}
	part.side = side;
	part.volume = sum.volume;
	// What is all but flat has no center that could be found.
	bool isSolid = fabs(sum.volume) > SPLIT_FLAT * fabs(parent->volume);
	part.center = isSolid ? brDMulAdd(parent->center, 1.0 / sum.volume, sum.moment)
						  : work->positions.data[triangles[0].corners[0]];
	if (!BR_PUSH(&work->allocator, &out->parts, part))
	{
		brSplitPart_Free(&work->allocator, &part);
		return false;
	}
	return true;
}

// Numbers of connected parts of a list, by triangle in `roots`; the count, or -1 without memory.
static int32_t partsConnect(brSplitWork* work, const brSplitTriangles* list)
{
	const brAllocator* a = &work->allocator;
	work->roots.count = 0;
	if (!BR_RESERVE(a, &work->roots, list->count) || !partsReserveLookups(work))
	{
		return -1;
	}
	int32_t* roots = work->roots.data;
	for (int32_t t = 0; t < list->count; ++t)
	{
		roots[t] = t;
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t v = list->data[t].corners[k];
			if (work->lookups.data[v] == work->lookup)
			{
				brJoinRoots(roots, t, work->owners.data[v]);
			}
			work->lookups.data[v] = work->lookup;
			work->owners.data[v] = t;
		}
	}
	for (int32_t t = 0; t < list->count; ++t)
	{
		roots[t] = brFindRoot(roots, t);
	}
	int32_t count = 0;
	// A root is the lowest of its triangles, so it has its number before the others ask for it.
	for (int32_t t = 0; t < list->count; ++t)
	{
		roots[t] = roots[t] == t ? -1 - count++ : roots[roots[t]];
	}
	for (int32_t t = 0; t < list->count; ++t)
	{
		roots[t] = -1 - roots[t];
	}
	return count;
}

// Solid angle of a part seen from a point, over that of the sphere.
static double partsWinding(const brSplitPart* part, brDVec3 point)
{
	double sum = 0.0;
	for (int32_t t = 0; t < part->count; ++t)
	{
		const int32_t* c = part->triangles[t].corners;
		brDVec3 p = brDNormalize(brDSub(part->points[c[0]], point));
		brDVec3 q = brDNormalize(brDSub(part->points[c[1]], point));
		brDVec3 r = brDNormalize(brDSub(part->points[c[2]], point));
		sum += brAtan2(brDDot(p, brDCross(q, r)), 1.0 + brDDot(p, q) + brDDot(q, r) + brDDot(r, p));
	}
	return sum / (2.0 * BR_PI);
}

// Puts the triangles of `y` into `x`, and leaves it empty. False without memory.
static bool partsJoin(const brAllocator* a, brSplitPart* x, brSplitPart* y)
{
	int32_t count = x->count + y->count, pointCount = x->pointCount + y->pointCount;
	brSplitPart both = *x;
	both.triangles = BR_ALLOC(a, brSplitTriangle, count), both.count = count;
	both.points = BR_ALLOC(a, brDVec3, pointCount), both.pointCount = pointCount;
	both.origins = BR_ALLOC(a, int32_t, pointCount);
	if (both.triangles == NULL || both.points == NULL || both.origins == NULL)
	{
		brSplitPart_Free(a, &both);
		return false;
	}
	memcpy(both.triangles, x->triangles, (size_t)x->count * sizeof(brSplitTriangle));
	memcpy(both.points, x->points, (size_t)x->pointCount * sizeof(brDVec3));
	memcpy(both.origins, x->origins, (size_t)x->pointCount * sizeof(int32_t));
	memcpy(both.points + x->pointCount, y->points, (size_t)y->pointCount * sizeof(brDVec3));
	memcpy(both.origins + x->pointCount, y->origins, (size_t)y->pointCount * sizeof(int32_t));
	for (int32_t t = 0; t < y->count; ++t)
	{
		brSplitTriangle* own = &both.triangles[x->count + t];
		*own = y->triangles[t];
		own->corners[0] += x->pointCount, own->corners[1] += x->pointCount, own->corners[2] += x->pointCount;
	}
	both.volume = x->volume + y->volume;
	both.center = brDMul(1.0 / both.volume, brDMulAdd(brDMul(x->volume, x->center), y->volume, y->center));
	both.isConnected = false;
	brSplitPart_Free(a, x);
	brSplitPart_Free(a, y);
	*x = both;
	y->volume = 0.0;
	return true;
}

// Cavities among the parts from `first` on go to the smallest part around them; parts that are left empty go. False
// without memory.
static bool partsFillCavities(const brAllocator* a, brSplitCut* cut, int32_t first)
{
	for (int32_t i = first; i < cut->parts.count; ++i)
	{
		brSplitPart* cavity = &cut->parts.data[i];
		int32_t best = -1;
		for (int32_t k = first; cavity->volume < 0.0 && k < cut->parts.count; ++k)
		{
			const brSplitPart* part = &cut->parts.data[k];
			bool isLarger = part->volume > -cavity->volume && part->count > 0;
			bool isBetter = isLarger && (best < 0 || part->volume < cut->parts.data[best].volume);
			brDVec3 corner = cavity->points[cavity->triangles[0].corners[0]];
			best = isBetter && partsWinding(part, corner) > 0.5 ? k : best;
		}
		if (best >= 0 && !partsJoin(a, &cut->parts.data[best], cavity))
		{
			return false;
		}
	}
	int32_t kept = first;
	for (int32_t i = first; i < cut->parts.count; ++i)
	{
		if (cut->parts.data[i].count > 0)
		{
			cut->parts.data[kept++] = cut->parts.data[i];
		}
	}
	cut->parts.count = kept;
	return true;
}

static bool partsGatherSide(brSplitWork* work, const brSplitPart* parent, const brSplitTriangles* list, int32_t side,
							brSplitCut* out)
{
	const brAllocator* a = &work->allocator;
	// A connected surface falls into two along one loop.
	bool isOne = parent->isConnected && work->loopCount == 1;
	int32_t count = isOne ? 1 : partsConnect(work, list), first = out->parts.count;
	if (count == 1)
	{
		return partsPush(work, parent, list->data, list->count, side, out);
	}
	brSplitTriangle* sorted = count > 1 ? BR_ALLOC(a, brSplitTriangle, list->count) : NULL;
	brBuckets order = {0};
	bool isGood = sorted != NULL && brBuckets_Make(&order, a, work->roots.data, list->count, count);
	for (int32_t t = 0; isGood && t < list->count; ++t)
	{
		sorted[t] = list->data[order.items[t]];
	}
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		int32_t begin = order.starts[n], end = order.starts[n + 1];
		isGood = partsPush(work, parent, sorted + begin, end - begin, side, out);
	}
	BR_FREE(a, sorted, list->count);
	brBuckets_Free(&order, a);
	return isGood && partsFillCavities(a, out, first);
}

// A skin between two cuts in one plane: next to nothing, and with faces of this cut. Specks that the mesh brought do
// not count.
static bool partsIsSkin(const brSplitWork* work, const brSplitPart* part)
{
	bool isCut = false;
	for (int32_t t = 0; t < part->count && !isCut; ++t)
	{
		int32_t id = part->triangles[t].source;
		isCut = id < 0 && (-1 - id) / 2 >= work->firstFace;
	}
	return isCut && !(part->volume > 2.0 * BR_SPLIT_NOTHING * work->volume);
}

bool brSplitWork_Gather(brSplitWork* work, const brSplitPart* parent, brSplitCut* out)
{
	if (!partsGatherSide(work, parent, &work->below, 0, out))
	{
		return false;
	}
	out->belowCount = out->parts.count;
	if (!partsGatherSide(work, parent, &work->above, 1, out))
	{
		return false;
	}
	bool hasSkin = false;
	for (int32_t k = 0; k < out->parts.count; ++k)
	{
		hasSkin = hasSkin || partsIsSkin(work, &out->parts.data[k]);
	}
	while (hasSkin && out->parts.count > 0)
	{
		brSplitPart_Free(&work->allocator, &out->parts.data[--out->parts.count]);
	}
	return true;
}
