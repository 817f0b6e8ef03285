// SPDX-License-Identifier: MIT
#pragma once

// The linear BVH (Lauterbach et al. 2009): a binary radix tree over the curve order, in the depth-first layout of
// lbvh_layout.h.
//
// A walk needs no stack: from a node it goes on to the next place if the boxes overlap, else to the escape. Leaf i of a
// tree starts behind itself, so it sees later leaves only and each pair is found once.

#include "index/curve_order.h"
#include "research/lbvh_layout.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct brLbvh
{
	brAllocator allocator;
	brCurveOrder order;
	int32_t treeCount;
	int32_t primitiveCount; // leaves
	int32_t nodeCount;
	brStageMemory treeStarts; // int32_t [treeCount + 1] first leaf of each tree
	brStageMemory nodeStarts; // int32_t [treeCount + 1] first node of each tree: its root
	brStageMemory nodes;      // brLbvhNode [nodeCount]
	brStageMemory parents;    // int32_t [nodeCount] place of the father, -1 for roots
	brStageMemory ids;        // uint32_t [primitiveCount] primitive of each leaf
	brStageMemory places;     // int32_t [primitiveCount] node of each leaf
	brStageMemory trees;      // int32_t [nodeCount] tree of each node
	brStageMemory chunks;     // int32_t: subtrees and top nodes for refits on workers
	brStageMemory scratch;    // int32_t, five for each leaf
	int32_t chunkCount;
	int32_t topCount;
	double buildSeconds;
} brLbvh;

/// `lanes` as in brGetWideKernels; for boxes and codes.
void brLbvh_Init(brLbvh* bvh, const brAllocator* allocator, int32_t lanes);
void brLbvh_Free(brLbvh* bvh);

/// All trees from scratch; tree k is over elements [treeStarts[k], treeStarts[k + 1]), null is one tree over all.
/// `workers` may be null. On failure the trees are gone.
brResult brLbvh_Build(brLbvh* bvh, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
					  int32_t treeCount, brReport* report);

/// New boxes for the same elements, tree as it is.
brResult brLbvh_Refit(brLbvh* bvh, brWorkers* workers, const brBoxSource* source, brReport* report);

/// Builds the tree below one inner node anew from the boxes of the last build or refit, along a curve through the
/// bounds of its leaves. The node keeps its place, its leaves their range, all outside is left as it is. False without
/// memory, with the tree as it was.
bool brLbvh_Restructure(brLbvh* bvh, int32_t place);

/// After nodes were exchanged against others of the same extent: what refits on workers need to know.
void brLbvh_Relink(brLbvh* bvh);

/// Pairs of a leaf and all leaves that its box overlaps below the nodes of [place, end), smaller primitive first.
void brLbvh_Walk(const brLbvh* bvh, int32_t leaf, int32_t place, int32_t end, brPairBuffer* pairs);

/// Pairs of trees with overlapping bounds, in search->treePairs; none unless pairs of different trees are asked for.
struct brPairSearch;
brResult brLbvh_FindTreePairs(const brLbvh* bvh, struct brPairSearch* search, brReport* report);

/// A box made ready to be compared: node overlaps if lower <= upper and negUpper <= negLower in every lane.
typedef struct brLbvhProbe
{
	_Alignas(16) float upper[4];
	float negLower[4];
} brLbvhProbe;

static inline brLbvhProbe brLbvh_Probe(const brLbvhNode* node)
{
	return (brLbvhProbe){{-node->negUpper[0], -node->negUpper[1], -node->negUpper[2], 0.0f},
						 {-node->lower[0], -node->lower[1], -node->lower[2], 0.0f}};
}

/// Closed intervals.
static inline bool brLbvh_Overlaps(const brLbvhProbe* probe, const brLbvhNode* node)
{
#if defined(__SSE2__)
	__m128 a = _mm_cmple_ps(_mm_loadu_ps(node->lower), _mm_load_ps(probe->upper));
	__m128 b = _mm_cmple_ps(_mm_loadu_ps(node->negUpper), _mm_load_ps(probe->negLower));
	return (_mm_movemask_ps(_mm_and_ps(a, b)) & 7) == 7;
#else
	bool overlaps = true;
	for (int k = 0; k < 3; ++k)
	{
		overlaps &= node->lower[k] <= probe->upper[k] && node->negUpper[k] <= probe->negLower[k];
	}
	return overlaps;
#endif
}
