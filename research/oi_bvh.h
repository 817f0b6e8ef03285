// SPDX-License-Identifier: MIT
#pragma once

// The binary ostensibly-implicit tree (Chitalu 2020, ch. 3): boxes only, level by level, no pointers, no padding.
//
// The trees of a scene share one buffer of nodes; a layout says where each begins. A node is named by its tree and its
// implicit index; binary_tree.h turns that into a place. This is the form that the level-synchronous traversal and a
// GPU use; on a CPU the wide tree of wide_bvh.h is the fast one.

#include "index/binary_tree.h"
#include "index/curve_order.h"

/// One tree in the shared buffers.
typedef struct brOiLayout
{
	uint32_t leafCount;
	uint32_t leafLevel;
	uint32_t virtualLeaves;
	uint32_t firstLeaf; // in ids
	uint64_t firstNode; // in nodes
} brOiLayout;

typedef struct brOiBvh
{
	brAllocator allocator;
	brCurveOrder order;
	int32_t treeCount;
	int32_t primitiveCount;
	int64_t nodeCount;
	brOiLayout* layouts; // [treeCount]
	uint32_t* ids;       // [primitiveCount] primitive of each leaf
	brBox3* nodes;       // [nodeCount]
	int32_t* treeStarts; // [treeCount + 1]
	double buildSeconds;
} brOiBvh;

void brOiBvh_Init(brOiBvh* bvh, const brAllocator* allocator, int32_t lanes);
void brOiBvh_Free(brOiBvh* bvh);

/// All trees at once; tree k is over elements [treeStarts[k], treeStarts[k + 1]), null is one tree over all. `workers`
/// may be null. On failure the trees are gone.
brResult brOiBvh_Build(brOiBvh* bvh, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
					   int32_t treeCount, brReport* report);

static inline const brBox3* brOiBvh_Node(const brOiBvh* bvh, const brOiLayout* layout, uint32_t index)
{
	return &bvh->nodes[layout->firstNode + brBinary_Slot(layout->virtualLeaves, layout->leafLevel, index)];
}
