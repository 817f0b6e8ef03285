// SPDX-License-Identifier: MIT
#pragma once

// Binary trees and radix trees on a device, as engines of a search: the state of each.

#include "gpu/gpu_pairs.h"
#include "research/gpu_oi.h"

#define BR_BSP_QUEUE 512 // pairs in local memory unless settings say otherwise

#ifdef BR_HAVE_OPENCL

/// Bulk-synchronous traversal of binary trees, one an object; see bsp.cl.
typedef struct brGpuBsp
{
	int32_t entryLevel;    // of the first front; -1: the deepest that keeps it small
	int32_t depthStep;     // levels gone down at a time: mu of the thesis, 1 to 4
	int32_t groupSize;     // threads of a group
	int32_t queueCapacity; // pairs in local memory: capacityQ
	brGpuOi trees;
	int32_t entryCount;    // nodes on the entry level of all trees
	int32_t stepCount;     // launches
	int64_t frontCapacity; // pairs
	int64_t maxPairs;      // in a front of the last frame
	brGpuBuffer entries;   // uint64_t: tree << 32 | implicit index
	brGpuBuffer fronts[2]; // uint64_t[2]
} brGpuBsp;

/// The linear BVH; see lbvh.cl.
typedef struct brGpuLbvh
{
	brGpuBuffer ranges;   // uint32_t[2] a split: its first and last leaf
	brGpuBuffer sums;     // uint32_t a leaf: splits that begin before it
	brGpuBuffer tileSums; // scratch of brGpu_Scan
	brGpuBuffer places;   // uint32_t a leaf: its node
	brGpuBuffer nodes;    // brLbvhNode
} brGpuLbvh;

extern const brGpuEngine brGpuBspEngine;
extern const brGpuEngine brGpuLbvhEngine;

#define BR_GPU_ENGINE(engine) (&(engine))
#else
#define BR_GPU_ENGINE(engine) NULL
#endif
