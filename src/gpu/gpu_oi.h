// SPDX-License-Identifier: MIT
#pragma once

// The binary implicit trees of the thesis on a device: all trees of a scene in one buffer, built by a launch for ten levels.

#include "gpu/gpu.h"
#include "index/implicit_tree.h"

#ifdef BR_HAVE_OPENCL

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
	brGpuBuffer nodes;          // float4[2]
} brGpuOi;

void brGpuOi_Init(brGpuOi* oi, brGpu* gpu);
void brGpuOi_Free(brGpuOi* oi);

/// Tree k has leaves [starts[k], starts[k + 1]), one at least.
brResult brGpuOi_SetTrees(brGpuOi* oi, const int32_t* starts, int32_t treeCount, brReport* report);

/// Leaves from items in curve order, tree by tree, whose low halves name boxes.
void brGpuOi_EnqueueLeaves(brGpuOi* oi, const brGpuBuffer* items, const brGpuBuffer* boxes);

/// Everything above the leaves.
void brGpuOi_EnqueueBuild(brGpuOi* oi);

#endif
