// SPDX-License-Identifier: MIT

// What a split leaves on each side, as connected parts. A cavity belongs to the part around it.

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

static void partsAdd(const brSplit* split, const brSplitTriangle* triangle, brDVec3 origin, PartsSum* sum)
{
	const brDVec3* at = split->positions.data;
	brDVec3 p = brDSub(at[triangle->corners[0]], origin), q = brDSub(at[triangle->corners[1]], origin);
	brDVec3 r = brDSub(at[triangle->corners[2]], origin);
	double six = brDDot(p, brDCross(q, r));
	sum->volume += six / 6.0;
	sum->moment = brDMulAdd(sum->moment, six / 24.0, brDAdd(p, brDAdd(q, r)));
}

static bool partsPush(brSplit* split, const brSplitPart* parent, brSplitTriangle* triangles, int32_t count,
					  int32_t side)
{
	PartsSum sum = {0.0, {0.0, 0.0, 0.0}};
	for (int32_t t = 0; t < count; ++t)
	{
		partsAdd(split, &triangles[t], parent->center, &sum);
	}
	brSplitPart part = {.triangles = BR_ALLOC(&split->allocator, brSplitTriangle, count), .count = count, .side = side};
	if (part.triangles == NULL)
	{
		return false;
	}
	memcpy(part.triangles, triangles, (size_t)count * sizeof(brSplitTriangle));
	part.volume = sum.volume;
	// What is all but flat has no center that could be found.
	bool isSolid = fabs(sum.volume) > SPLIT_FLAT * fabs(parent->volume);
	part.center = isSolid ? brDMulAdd(parent->center, 1.0 / sum.volume, sum.moment)
						  : split->positions.data[triangles[0].corners[0]];
	part.isConnected = true;
	if (!BR_PUSH(&split->allocator, &split->parts, part))
	{
		BR_FREE(&split->allocator, part.triangles, count);
		return false;
	}
	return true;
}

// Numbers of connected parts of a list, by triangle in `roots`; the count, or -1 without memory.
static int32_t partsConnect(brSplit* split, const brSplitTriangles* list)
{
	const brAllocator* a = &split->allocator;
	split->roots.count = 0;
	if (!BR_RESERVE(a, &split->roots, list->count) ||
		!BR_RESERVE(a, &split->owners, split->positions.count - split->owners.count) ||
		!BR_RESERVE(a, &split->lookups, split->positions.count - split->lookups.count))
	{
		return -1;
	}
	while (split->lookups.count < split->positions.count)
	{
		split->lookups.data[split->lookups.count++] = 0;
	}
	int32_t* roots = split->roots.data;
	split->lookup += 1;
	for (int32_t t = 0; t < list->count; ++t)
	{
		roots[t] = t;
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t v = list->data[t].corners[k];
			if (split->lookups.data[v] == split->lookup)
			{
				brJoinRoots(roots, t, split->owners.data[v]);
			}
			split->lookups.data[v] = split->lookup;
			split->owners.data[v] = t;
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
static double partsWinding(const brSplit* split, const brSplitPart* part, brDVec3 point)
{
	double sum = 0.0;
	for (int32_t t = 0; t < part->count; ++t)
	{
		const int32_t* c = part->triangles[t].corners;
		brDVec3 p = brDNormalize(brDSub(split->positions.data[c[0]], point));
		brDVec3 q = brDNormalize(brDSub(split->positions.data[c[1]], point));
		brDVec3 r = brDNormalize(brDSub(split->positions.data[c[2]], point));
		sum += brAtan2(brDDot(p, brDCross(q, r)), 1.0 + brDDot(p, q) + brDDot(q, r) + brDDot(r, p));
	}
	return sum / (2.0 * BR_PI);
}

// Puts the triangles of `inner` into `outer`. False without memory.
static bool partsJoin(brSplit* split, int32_t outer, int32_t inner)
{
	const brAllocator* a = &split->allocator;
	brSplitPart *x = &split->parts.data[outer], *y = &split->parts.data[inner];
	int32_t count = x->count + y->count;
	brSplitTriangle* both = BR_ALLOC(a, brSplitTriangle, count);
	if (both == NULL)
	{
		return false;
	}
	memcpy(both, x->triangles, (size_t)x->count * sizeof(brSplitTriangle));
	memcpy(both + x->count, y->triangles, (size_t)y->count * sizeof(brSplitTriangle));
	BR_FREE(a, x->triangles, x->count);
	BR_FREE(a, y->triangles, y->count);
	double volume = x->volume + y->volume;
	x->center = brDMul(1.0 / volume, brDMulAdd(brDMul(x->volume, x->center), y->volume, y->center));
	x->triangles = both, x->count = count, x->volume = volume, x->isConnected = false;
	y->triangles = NULL, y->count = 0;
	return true;
}

// Cavities among the parts from `first` on go to the smallest part around them; parts that are left empty go. False without memory.
static bool partsFillCavities(brSplit* split, int32_t first)
{
	for (int32_t i = first; i < split->parts.count; ++i)
	{
		brSplitPart* cavity = &split->parts.data[i];
		int32_t best = -1;
		for (int32_t k = first; cavity->volume < 0.0 && k < split->parts.count; ++k)
		{
			const brSplitPart* part = &split->parts.data[k];
			bool isLarger = part->volume > -cavity->volume && part->count > 0;
			bool isBetter = isLarger && (best < 0 || part->volume < split->parts.data[best].volume);
			brDVec3 corner = split->positions.data[cavity->triangles[0].corners[0]];
			best = isBetter && partsWinding(split, part, corner) > 0.5 ? k : best;
		}
		if (best >= 0 && !partsJoin(split, best, i))
		{
			return false;
		}
	}
	int32_t kept = first;
	for (int32_t i = first; i < split->parts.count; ++i)
	{
		if (split->parts.data[i].count > 0)
		{
			split->parts.data[kept++] = split->parts.data[i];
		}
	}
	split->parts.count = kept;
	return true;
}

static bool partsGatherSide(brSplit* split, const brSplitPart* parent, brSplitTriangles* list, int32_t side)
{
	const brAllocator* a = &split->allocator;
	// A connected surface falls into two along one loop.
	if (parent->isConnected && split->loopCount == 1)
	{
		return partsPush(split, parent, list->data, list->count, side);
	}
	int32_t count = partsConnect(split, list), first = split->parts.count;
	if (count == 1)
	{
		return partsPush(split, parent, list->data, list->count, side);
	}
	brSplitTriangle* sorted = count > 1 ? BR_ALLOC(a, brSplitTriangle, list->count) : NULL;
	int32_t* starts = count > 1 ? BR_ALLOC_ZERO(a, int32_t, (int64_t)count + 1) : NULL;
	bool isGood = sorted != NULL && starts != NULL;
	for (int32_t t = 0; isGood && t < list->count; ++t)
	{
		starts[split->roots.data[t] + 1] += 1;
	}
	for (int32_t n = 0; isGood && n < count; ++n)
	{
		starts[n + 1] += starts[n];
	}
	for (int32_t t = 0; isGood && t < list->count; ++t)
	{
		sorted[starts[split->roots.data[t]]++] = list->data[t];
	}
	for (int32_t n = 0, begin = 0; isGood && n < count; begin = starts[n++])
	{
		isGood = partsPush(split, parent, sorted + begin, starts[n] - begin, side);
	}
	BR_FREE(a, sorted, list->count);
	BR_FREE(a, starts, (int64_t)count + 1);
	return isGood && partsFillCavities(split, first);
}

// A skin between two cuts in one plane: next to nothing, and with faces of this cut. Specks that the mesh brought do not count.
static bool partsIsSkin(const brSplit* split, const brSplitPart* part)
{
	bool isCut = false;
	int32_t firstFace = split->faces.count - split->corners.count / 3;
	for (int32_t t = 0; t < part->count && !isCut; ++t)
	{
		int32_t id = part->triangles[t].source;
		isCut = id < 0 && (-1 - id) / 2 >= firstFace;
	}
	return isCut && !(part->volume > 2.0 * BR_SPLIT_NOTHING * split->parts.data[0].volume);
}

bool brSplit_Gather(brSplit* split, int32_t part, brSplitChildren* out)
{
	const brSplitPart parent = split->parts.data[part];
	out->first = split->parts.count;
	if (!partsGatherSide(split, &parent, &split->below, 0))
	{
		return false;
	}
	out->belowCount = split->parts.count - out->first;
	if (!partsGatherSide(split, &parent, &split->above, 1))
	{
		return false;
	}
	out->count = split->parts.count - out->first;
	for (int32_t k = out->first; k < split->parts.count; ++k)
	{
		out->count = partsIsSkin(split, &split->parts.data[k]) ? 0 : out->count;
	}
	if (out->count == 0)
	{
		while (split->parts.count > out->first)
		{
			brSplitPart* child = &split->parts.data[--split->parts.count];
			BR_FREE(&split->allocator, child->triangles, child->count);
		}
		return true;
	}
	BR_FREE(&split->allocator, split->parts.data[part].triangles, split->parts.data[part].count);
	split->parts.data[part].triangles = NULL;
	split->parts.data[part].count = 0;
	return true;
}
