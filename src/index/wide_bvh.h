// SPDX-License-Identifier: MIT
#pragma once

// The implicit tree at the width of the processor: arity 16, boxes of siblings side by side.
//
// Level 0 holds the primitives in curve order, sixteen to a group; each level above holds the boxes of the groups
// below, again sixteen to a group, up to a single group. Lane j of group n on a level is node 16 n + j of that level,
// its children are group 16 n + j one level down: the index algebra of binary_tree.h at 16 in place of 2, with the last
// group of a level filled up by empty lanes so that no loop has a tail. Many trees share the buffers.

#include "index/curve_order.h"

typedef struct brWideBvh
{
	brAllocator allocator;
	const brWideKernels* kernels;
	brCurveOrder order;
	int32_t treeCount;
	int32_t primitiveCount;
	int64_t groupTotal;       // on all levels of all trees
	brStageMemory trees;      // brWideTree [treeCount]
	brStageMemory treeStarts; // int32_t [treeCount + 1]: first primitive of each tree
	brStageMemory starts;     // int32_t [treeCount]: first lane of each tree in ids
	brStageMemory ids;        // uint32_t [16 * groups on level 0]
	brStageMemory groups;     // brLaneBoxes [groupTotal]
	brStageMemory boxes[2];   // brTreeBox: boxes of the groups of one level
	brStageMemory triangles;  // brLaneTriangles [groups on level 0]
	double packSeconds;
} brWideBvh;

/// `lanes` as in brGetWideKernels.
void brWideBvh_Init(brWideBvh* bvh, const brAllocator* allocator, int32_t lanes);
void brWideBvh_Free(brWideBvh* bvh);

/// Builds all trees from scratch. Tree k is over elements [treeStarts[k], treeStarts[k + 1]); null `treeStarts` means
/// one tree over all. Memory of an earlier build is used again. On failure the trees are gone.
brResult brWideBvh_Build(brWideBvh* bvh, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
						 int32_t treeCount, brReport* report);

/// Largest error of the signed volumes of packed triangles, see wide_filter.h.
#define BR_WIDE_TRIANGLE_ERROR (256.0f * 0x1p-24f)

/// Puts the triangles themselves beside their boxes, for queries that filter. The source of the last build must be
/// triangles, and still there. `settled` as in brTrianglePack.
brResult brWideBvh_PackTriangles(brWideBvh* bvh, brWorkers* workers, brNeighborRule rule, const uint8_t* settled,
								 brReport* report);

static inline const brWideTree* brWideBvh_Tree(const brWideBvh* bvh, int32_t tree)
{
	return (const brWideTree*)bvh->trees.data + tree;
}
