// SPDX-License-Identifier: MIT

// The stages of grid.cl and brute.cl, enqueued one after another: nothing is read between them.

#include "gpu/gpu_pairs.h"

#ifdef BR_HAVE_OPENCL

enum
{
	gridGroup = 256,       // GRID_GROUP of grid.cl
	gridBucketsEach = 8,   // GRID_EACH
	gridShares = 4,        // GRID_SHARES
	gridAskGroup = 32 * 4, // GRID_ASKERS times that
	gridLeastBuckets = 256,
	gridFewObjects = 32,  // GRID_FEW
	gridBruteGroup = 256, // BRUTE_TILE of brute.cl
};

void brGpuPairs_EnsureGrid(brGpuPairs* pairs)
{
	brGpu* gpu = pairs->gpu;
	brGpuGrid* grid = &pairs->grid;
	// As many buckets as elements: there are never more cells.
	grid->bucketCount = gridLeastBuckets;
	while ((int64_t)grid->bucketCount < pairs->count)
	{
		grid->bucketCount *= 2;
	}
	brGpu_Ensure(gpu, &pairs->state, BR_GPU_STATE_BUCKETS + (int64_t)grid->bucketCount, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pairs->boxes, 2 * (int64_t)pairs->count, sizeof(cl_float4));
	brGpu_Ensure(gpu, &grid->keys, pairs->count, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &grid->ranks, pairs->count, sizeof(uint32_t));
	brGpu_Ensure(gpu, &grid->starts, grid->bucketCount, sizeof(uint32_t));
	brGpu_Ensure(gpu, &grid->placedKeys, pairs->count, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &grid->placedCorners, pairs->dropNeighbors ? pairs->count : 1, sizeof(cl_int4));
}

void brGpuPairs_FreeGrid(brGpuPairs* pairs)
{
	brGpuGrid* grid = &pairs->grid;
	BR_GPU_FREE(pairs->gpu, &grid->keys, &grid->ranks, &grid->starts, &grid->placedKeys, &grid->placedCorners);
}

// Boxes of elements, their bounds and sizes; bounds of objects too if these are few.
static void gridEnqueueBoxes(brGpuPairs* pairs, uint32_t few)
{
	uint32_t count = (uint32_t)pairs->count;
	BR_GPU_RUN(pairs->gpu, kernel_brk_gridBoxes, brGpuPairs_Groups(pairs, count), gridGroup,
			   brBufferArg(&pairs->vertices), brUintArg(pairs->arePositions), brBufferArg(&pairs->corners),
			   brUintArg((uint32_t)pairs->cornersEach), brBufferArg(&pairs->objects), brUintArg(pairs->hasObjects),
			   brUintArg(few), brUintArg(count), brBufferArg(&pairs->boxes), brBufferArg(&pairs->state));
}

void brGpuPairs_EnqueueGrid(brGpuPairs* pairs, uint32_t flags)
{
	brGpu* gpu = pairs->gpu;
	const brGpuGrid* grid = &pairs->grid;
	uint32_t count = (uint32_t)pairs->count, mask = grid->bucketCount - 1u;
	int64_t groups = brGpuPairs_Groups(pairs, count);
	bool leavesOut = (flags & BR_GPU_FLAG_SELF) == 0 && pairs->objectCount <= gridFewObjects;
	uint32_t few = leavesOut ? pairs->objectCount : 0u;
	brGpu_Clear(gpu, &pairs->state, BR_GPU_STATE_BUCKETS + (int64_t)grid->bucketCount);
	gridEnqueueBoxes(pairs, few);
	BR_GPU_RUN(gpu, kernel_brk_gridLayers, 1, gridGroup, brBufferArg(&pairs->state),
			   brUintArg((uint32_t)pairs->kdet.layers));
	BR_GPU_RUN(gpu, kernel_brk_gridKeys, groups, gridGroup, brBufferArg(&pairs->boxes), brUintArg(count),
			   brBufferArg(&pairs->state), brUintArg(pairs->kdet.hash), brUintArg(mask), brUintArg(few),
			   brBufferArg(&grid->keys), brBufferArg(&grid->ranks));
	int64_t tile = gridGroup * gridBucketsEach;
	BR_GPU_RUN(gpu, kernel_brk_gridStarts, ((int64_t)grid->bucketCount + tile - 1) / tile, gridGroup,
			   brBufferArg(&pairs->state), brUintArg(grid->bucketCount), brBufferArg(&grid->starts));
	BR_GPU_RUN(gpu, kernel_brk_gridPlace, groups, gridGroup, brBufferArg(&pairs->boxes), brBufferArg(&grid->keys),
			   brBufferArg(&grid->ranks), brUintArg(count), brUintArg(pairs->kdet.hash), brUintArg(mask),
			   brBufferArg(&grid->starts), brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach),
			   brUintArg(flags), brBufferArg(&pairs->leaves), brBufferArg(&grid->placedKeys),
			   brBufferArg(&grid->placedCorners));
}

void brGpuPairs_EnqueueGridSearch(brGpuPairs* pairs, uint32_t flags)
{
	const brGpuGrid* grid = &pairs->grid;
	uint32_t groupSize = pairs->kdet.groupSize > 0 ? (uint32_t)pairs->kdet.groupSize : gridAskGroup;
	int64_t askers = groupSize / gridShares;
	BR_GPU_RUN(pairs->gpu, groupSize == gridAskGroup ? kernel_brk_gridPairs : kernel_brk_gridPairsSized,
			   (pairs->count + askers - 1) / askers, groupSize, brBufferArg(&pairs->leaves),
			   brBufferArg(&grid->placedKeys), brBufferArg(&grid->placedCorners), brBufferArg(&grid->starts),
			   brUintArg(pairs->kdet.hash), brUintArg(grid->bucketCount - 1u), brUintArg(flags),
			   brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity.candidates),
			   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS));
}

void brGpuPairs_EnsureBrute(brGpuPairs* pairs)
{
	brGpu_Ensure(pairs->gpu, &pairs->state, BR_GPU_STATE_BUCKETS, sizeof(uint32_t));
	brGpu_Ensure(pairs->gpu, &pairs->boxes, 2 * (int64_t)pairs->count, sizeof(cl_float4));
}

void brGpuPairs_EnqueueBrute(brGpuPairs* pairs)
{
	brGpu_Clear(pairs->gpu, &pairs->state, BR_GPU_STATE_BUCKETS);
	gridEnqueueBoxes(pairs, 0);
}

void brGpuPairs_EnqueueBruteSearch(brGpuPairs* pairs, uint32_t flags)
{
	uint32_t groupSize = pairs->kdet.groupSize > 0 ? (uint32_t)pairs->kdet.groupSize : gridBruteGroup;
	int64_t count = pairs->count, threads = pairs->isPairwise ? count * (count - 1) / 2 : count;
	BR_GPU_RUN(pairs->gpu, pairs->isPairwise ? kernel_brk_brutePairs : kernel_brk_bruteElements,
			   (threads + groupSize - 1) / groupSize, groupSize, brBufferArg(&pairs->boxes),
			   brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach), brUintArg((uint32_t)count),
			   brUintArg(flags), brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity.candidates),
			   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS));
}

#endif
