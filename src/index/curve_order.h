// SPDX-License-Identifier: MIT
#pragma once

// The order in which trees take their primitives: along the Hilbert curve through the centers of the boxes, tree by
// tree, ties by index. Boxes, codes and the digit counts of the sort are made in one go while they are in cache.

#include "index/box_source.h"

typedef struct brCurveOrder
{
	brAllocator allocator;
	brBoxMaker maker;
	brStageMemory boxes;    // brTreeBox [count], in the order of the source
	brStageMemory codes;    // uint32_t [count]
	brStageMemory keys[2];  // uint64_t [count]: code and index
	brStageMemory counts;   // brCurveCounts per run
	brStageMemory trees;    // uint32_t [count]: tree of each primitive, if there are many
	brStageMemory treeRuns; // uint32_t [runs * treeCount]
	brStageMemory bounds;   // brTreeBox [treeCount]
	double boxSeconds;
	double sortSeconds;
} brCurveOrder;

void brCurveOrder_Init(brCurveOrder* order, const brAllocator* allocator, const brWideKernels* kernels);
void brCurveOrder_Free(brCurveOrder* order);

/// Tree k is over primitives [treeStarts[k], treeStarts[k + 1]) of the source, and its part of the result starts at
/// outStarts[k]. `outOrder` must have room for that. `workers` may be null.
brResult brCurveOrder_Run(brCurveOrder* order, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
						  int32_t treeCount, const int32_t* outStarts, uint32_t* outOrder, brReport* report);
