// SPDX-License-Identifier: MIT
#pragma once

// The binary implicit trees of the thesis on a device: all trees of a scene in one buffer, built by a launch for ten
// levels.

#include "gpu/gpu.h"
#include "index/binary_tree.h"

#ifdef BR_HAVE_OPENCL

/// Elements on the device: corners among vertices. One corner each means the vertices themselves.
typedef struct brGpuElements
{
	const brGpuBuffer* vertices; // double[3], or brTreeBox
	bool arePositions;
	const brGpuBuffer* corners;
	int32_t cornersEach;
	const brGpuBuffer* trees; // uint32_t: tree of each element, rising
	bool hasTrees;            // else one tree
} brGpuElements;

typedef struct brGpuOi
{
	brGpu* gpu;
	int32_t treeCount;
	int32_t leafCount;
	int64_t nodeCount;
	int32_t launchCount;
	int32_t groupCounts[4];     // of each launch
	brGpuBuffer layouts;        // uint32_t[4] a tree
	brGpuBuffer leafStarts;     // uint32_t [treeCount + 1]
	brGpuBuffer groupStarts[4]; // uint32_t [treeCount + 1], a launch
	brGpuBuffer nodes;          // float4[2]; the element's number at the end of the first, in leaves
	brGpuBuffer bounds;         // uint32_t[6] a tree
	uint32_t codeBits;          // of places along the curve that are sorted
	uint32_t treeBits;          // above them
} brGpuOi;

void brGpuOi_Free(brGpuOi* oi);

/// Tree k has leaves [starts[k], starts[k + 1]), one at least.
brResult brGpuOi_SetTrees(brGpuOi* oi, const int32_t* starts, int32_t treeCount, brReport* report);

/// Items to sort by bits 32 to 32 + codeBits + treeBits: tree, place along the curve, element.
void brGpuOi_EnqueueItems(brGpuOi* oi, const brGpuElements* elements, const brGpuBuffer* outItems);

/// Leaves from items in order, tree by tree, whose low halves name elements.
void brGpuOi_EnqueueLeaves(brGpuOi* oi, const brGpuBuffer* items, const brGpuElements* elements);

/// Everything above the leaves.
void brGpuOi_EnqueueBuild(brGpuOi* oi);

#endif
