// SPDX-License-Identifier: MIT

// The stages of grid.cl, enqueued one after another: nothing is read between them.

#include "gpu/gpu_pairs.h"

#ifdef BR_HAVE_OPENCL

enum
{
	gridGroup = 256,       // GRID_GROUP of grid.cl
	gridBucketsEach = 8,   // GRID_EACH
	gridAskers = 32,       // GRID_ASKERS
	gridAskGroup = 32 * 4, // and GRID_SHARES
	gridLeastBuckets = 256,
	gridFewObjects = 32, // GRID_FEW
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
	brGpuBuffer* all[] = {&grid->keys, &grid->ranks, &grid->starts, &grid->placedKeys, &grid->placedCorners};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brGpu_Free(pairs->gpu, all[i]);
	}
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
	brGpu_Run(gpu, kernel_brk_gridBoxes, groups, gridGroup,
			  (brGpuArg[]){brBufferArg(&pairs->vertices), brUintArg(pairs->arePositions), brBufferArg(&pairs->corners),
						   brUintArg((uint32_t)pairs->cornersEach), brBufferArg(&pairs->objects),
						   brUintArg(pairs->hasObjects), brUintArg(few), brUintArg(count), brBufferArg(&pairs->boxes),
						   brBufferArg(&pairs->state)},
			  10);
	brGpu_Run(gpu, kernel_brk_gridLayers, 1, gridGroup, (brGpuArg[]){brBufferArg(&pairs->state)}, 1);
	brGpu_Run(gpu, kernel_brk_gridKeys, groups, gridGroup,
			  (brGpuArg[]){brBufferArg(&pairs->boxes), brUintArg(count), brBufferArg(&pairs->state),
						   brUintArg((uint32_t)pairs->hash), brUintArg(mask), brUintArg(few), brBufferArg(&grid->keys),
						   brBufferArg(&grid->ranks)},
			  8);
	int64_t tile = gridGroup * gridBucketsEach;
	brGpu_Run(gpu, kernel_brk_gridStarts, ((int64_t)grid->bucketCount + tile - 1) / tile, gridGroup,
			  (brGpuArg[]){brBufferArg(&pairs->state), brUintArg(grid->bucketCount), brBufferArg(&grid->starts)}, 3);
	brGpu_Run(gpu, kernel_brk_gridPlace, groups, gridGroup,
			  (brGpuArg[]){brBufferArg(&pairs->boxes), brBufferArg(&grid->keys), brBufferArg(&grid->ranks),
						   brUintArg(count), brUintArg((uint32_t)pairs->hash), brUintArg(mask),
						   brBufferArg(&grid->starts), brBufferArg(&pairs->corners),
						   brUintArg((uint32_t)pairs->cornersEach), brUintArg(flags), brBufferArg(&pairs->leaves),
						   brBufferArg(&grid->placedKeys), brBufferArg(&grid->placedCorners)},
			  13);
}

void brGpuPairs_EnqueueGridSearch(brGpuPairs* pairs, uint32_t flags)
{
	const brGpuGrid* grid = &pairs->grid;
	uint32_t count = (uint32_t)pairs->count;
	brGpu_Run(pairs->gpu, kernel_brk_gridPairs, ((int64_t)count + gridAskers - 1) / gridAskers, gridAskGroup,
			  (brGpuArg[]){brBufferArg(&pairs->leaves), brBufferArg(&grid->placedKeys),
						   brBufferArg(&grid->placedCorners), brBufferArg(&grid->starts),
						   brUintArg((uint32_t)pairs->hash), brUintArg(grid->bucketCount - 1u), brUintArg(flags),
						   brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity.candidates),
						   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS)},
			  11);
}

#endif
