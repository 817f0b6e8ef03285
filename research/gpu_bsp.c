// SPDX-License-Identifier: MIT

// The launches of bsp.cl: trees of all objects from positions, then a step after another, nothing read between them.

#include "research/gpu_engines.h"

#ifdef BR_HAVE_OPENCL

enum
{
	bspMostEntries = 362,   // nodes whose pairs make a first front of 65,536
	bspDeepestEntry = 8,    //
	bspThreadsAUnit = 2048, // of a launch, at most
};

static brGpuBsp* bspOf(const brGpuPairs* pairs)
{
	return pairs->engineState;
}

static void bspInit(void* state, const brPairEngine* engine)
{
	brGpuBsp* bsp = state;
	const brBspSettings* settings = &engine->bsp;
	bsp->entryLevel = settings->entry - 1;
	bsp->depthStep = settings->depthStep > 0 ? settings->depthStep : 2;
	bsp->groupSize = settings->groupSize > 0 ? settings->groupSize : 256;
	bsp->queueCapacity = settings->queue > 0 ? settings->queue : BR_BSP_QUEUE;
}

// Where the leaves of each tree begin, from the object of each element.
static brResult bspSetTrees(brGpuPairs* pairs, const uint32_t* objects, brReport* report)
{
	const brAllocator* allocator = &pairs->gpu->allocator;
	int32_t treeCount = objects != NULL ? (int32_t)objects[pairs->count - 1] + 1 : 1, tree = 0;
	int32_t* starts = BR_ALLOC(allocator, int32_t, (int64_t)treeCount + 1);
	if (starts == NULL)
	{
		return brFailMemory(report);
	}
	starts[0] = 0;
	for (int32_t i = 1; i < pairs->count && objects != NULL; ++i)
	{
		if (objects[i] != objects[i - 1])
		{
			starts[++tree] = i;
		}
	}
	starts[treeCount] = pairs->count;
	brResult result = brGpuOi_SetTrees(&bspOf(pairs)->trees, starts, treeCount, report);
	BR_FREE(allocator, starts, (int64_t)treeCount + 1);
	return result;
}

// Nodes of a tree on the entry level, or on its last.
static uint32_t bspEntriesOf(const uint32_t layout[4], uint32_t entryLevel, uint32_t* outLevel)
{
	*outLevel = entryLevel < layout[1] ? entryLevel : layout[1];
	return brBinary_RealOnLevel(layout[0], layout[1], *outLevel);
}

static int64_t bspCountEntries(const uint32_t* layouts, int32_t treeCount, uint32_t entryLevel)
{
	int64_t count = 0;
	uint32_t level;
	for (int32_t k = 0; k < treeCount; ++k)
	{
		count += bspEntriesOf(layouts + 4 * (int64_t)k, entryLevel, &level);
	}
	return count;
}

static brResult bspSetEntries(brGpuPairs* pairs, brReport* report)
{
	brGpu* gpu = pairs->gpu;
	brGpuBsp* bsp = bspOf(pairs);
	int32_t treeCount = bsp->trees.treeCount;
	uint32_t* layouts = BR_ALLOC(&gpu->allocator, uint32_t, 4 * (int64_t)treeCount);
	if (layouts == NULL)
	{
		return brFailMemory(report);
	}
	brResult result = brGpu_Read(gpu, &bsp->trees.layouts, 0, layouts, (size_t)treeCount * sizeof(uint32_t[4]), report);
	uint32_t entryLevel = bsp->entryLevel >= 0 ? (uint32_t)bsp->entryLevel : 0, deepest = 0, level;
	while (bsp->entryLevel < 0 && entryLevel < bspDeepestEntry &&
		   bspCountEntries(layouts, treeCount, entryLevel + 1) <= bspMostEntries)
	{
		entryLevel += 1;
	}
	int64_t count = result >= 0 ? bspCountEntries(layouts, treeCount, entryLevel) : 0;
	cl_ulong* entries = BR_ALLOC(&gpu->allocator, cl_ulong, count);
	result = entries == NULL && result >= 0 ? brFailMemory(report) : result;
	if (result >= 0)
	{
		int64_t at = 0;
		for (int32_t k = 0; k < treeCount; ++k)
		{
			uint32_t here = bspEntriesOf(layouts + 4 * (int64_t)k, entryLevel, &level);
			for (uint32_t i = 0; i < here; ++i)
			{
				entries[at++] = (cl_ulong)k << 32 | ((1u << level) - 1u + i);
			}
			deepest = layouts[4 * k + 1] - level > deepest ? layouts[4 * k + 1] - level : deepest;
		}
		// So many steps bring the deepest to its leaves, and one more tests these.
		uint32_t step = (uint32_t)bsp->depthStep;
		bsp->stepCount = (int32_t)((deepest + step - 1) / step) + 1;
		bsp->entryCount = (int32_t)count;
		brGpu_Ensure(gpu, &bsp->entries, count, sizeof(cl_ulong));
		brGpu_Write(gpu, &bsp->entries, 0, entries, (size_t)count * sizeof(cl_ulong));
		result = brGpu_Finish(gpu, report);
	}
	if (entries != NULL)
	{
		BR_FREE(&gpu->allocator, entries, count);
	}
	BR_FREE(&gpu->allocator, layouts, 4 * (int64_t)treeCount);
	return result;
}

static brResult bspEnsure(brGpuPairs* pairs, const uint32_t* objects, brReport* report)
{
	brGpuBsp* bsp = bspOf(pairs);
	bsp->trees.gpu = pairs->gpu;
	brGpu_Ensure(pairs->gpu, &pairs->state, BR_GPU_STATE_SIZE, sizeof(uint32_t));
	brResult result = bspSetTrees(pairs, objects, report);
	if (result >= 0)
	{
		result = bspSetEntries(pairs, report);
	}
	if (bsp->frontCapacity == 0)
	{
		bsp->frontCapacity = 8 * (int64_t)pairs->count + 65536;
	}
	return result;
}

static void bspFree(brGpuPairs* pairs)
{
	brGpuBsp* bsp = bspOf(pairs);
	BR_GPU_FREE(pairs->gpu, &bsp->entries, &bsp->fronts[0], &bsp->fronts[1]);
	bsp->trees.gpu = pairs->gpu;
	brGpuOi_Free(&bsp->trees);
}

static void bspBuild(brGpuPairs* pairs, uint32_t lowBit)
{
	(void)lowBit;
	brGpu* gpu = pairs->gpu;
	brGpuOi* trees = &bspOf(pairs)->trees;
	brGpuElements elements = {&pairs->vertices,   pairs->arePositions, &pairs->corners,
							  pairs->cornersEach, &pairs->objects,     pairs->hasObjects};
	brGpu_Clear(gpu, &pairs->state, BR_GPU_STATE_SIZE);
	// The sort works in the list of candidates and in a front, which are not filled yet.
	uint32_t bits = trees->codeBits + trees->treeBits;
	int64_t frontCapacity = bspOf(pairs)->frontCapacity, least = (int64_t)pairs->count / 2 + 1;
	brGpu_Ensure(gpu, &bspOf(pairs)->fronts[0], frontCapacity > least ? frontCapacity : least, sizeof(cl_ulong2));
	brGpuBuffer items[2] = {pairs->candidates[0], bspOf(pairs)->fronts[0]};
	brGpuOi_EnqueueItems(trees, &elements, &items[0]);
	int32_t sorted =
		brGpu_Sort(gpu, &pairs->sorter, items, 0, &pairs->elementCount, 0, pairs->count, (brGpuKeyBits){32, 32 + bits});
	brGpuOi_EnqueueLeaves(trees, &items[sorted], &elements);
	brGpuOi_EnqueueBuild(trees);
}

static void bspSearch(brGpuPairs* pairs, uint32_t flags)
{
	brGpu* gpu = pairs->gpu;
	brGpuBsp* bsp = bspOf(pairs);
	brGpu_Ensure(gpu, &bsp->fronts[0], bsp->frontCapacity, sizeof(cl_ulong2));
	brGpu_Ensure(gpu, &bsp->fronts[1], bsp->frontCapacity, sizeof(cl_ulong2));
	uint32_t groupSize = (uint32_t)bsp->groupSize, queue = (uint32_t)bsp->queueCapacity;
	int64_t most = bspThreadsAUnit * (int64_t)gpu->info.computeUnits / groupSize;
	for (int32_t step = 0; step < bsp->stepCount; ++step)
	{
		uint32_t from = BR_GPU_STATE_FRONTS + 2u * (uint32_t)step;
		int64_t entryPairs = (int64_t)bsp->entryCount * (bsp->entryCount + 1) / 2;
		int64_t groups = step == 0 && entryPairs / groupSize < most ? entryPairs / groupSize + 1 : most;
		BR_GPU_RUN(gpu, kernel_brk_bspStep, groups, groupSize, brBufferArg(&bsp->trees.nodes),
				   brBufferArg(&bsp->trees.layouts), brBufferArg(&bsp->entries),
				   brUintArg(step == 0 ? (uint32_t)bsp->entryCount : 0u), brBufferArg(&bsp->fronts[step % 2]),
				   brBufferArg(&pairs->state), brUintArg(from), brBufferArg(&bsp->fronts[1 - step % 2]),
				   brUintArg(from + 2u), brUintArg((uint32_t)bsp->frontCapacity), brUintArg((uint32_t)bsp->depthStep),
				   brUintArg(flags), brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach),
				   brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity.candidates),
				   brUintArg(BR_GPU_STATE_COUNTERS), brLocalArg(queue * (uint32_t)sizeof(cl_ulong2)), brUintArg(queue));
	}
}

// Looks at the lengths of the last frame's fronts.
static bool bspGrow(brGpuPairs* pairs, const uint32_t* state)
{
	brGpuBsp* bsp = bspOf(pairs);
	bsp->maxPairs = 0;
	for (int32_t step = 1; step < bsp->stepCount; ++step)
	{
		const uint32_t* length = state + BR_GPU_STATE_FRONTS + 2 * step;
		int64_t count = (int64_t)length[1] << 32 | length[0];
		bsp->maxPairs = count > bsp->maxPairs ? count : bsp->maxPairs;
	}
	bool isShort = bsp->maxPairs > bsp->frontCapacity;
	bsp->frontCapacity = isShort ? bsp->maxPairs + bsp->maxPairs / 8 : bsp->frontCapacity;
	return isShort;
}

const brGpuEngine brGpuBspEngine = {.stateBytes = sizeof(brGpuBsp),
									.init = bspInit,
									.free = bspFree,
									.ensure = bspEnsure,
									.build = bspBuild,
									.search = bspSearch,
									.grow = bspGrow};

#endif
