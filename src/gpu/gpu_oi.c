// SPDX-License-Identifier: MIT

#include "gpu/gpu_oi.h"

#ifdef BR_HAVE_OPENCL

#include <string.h>

enum
{
	oiGroup = 256,
	oiTile = 1024, // OI_TILE of oi_build.cl
	oiLevels = 10, //
};

void brGpuOi_Init(brGpuOi* oi, brGpu* gpu)
{
	memset(oi, 0, sizeof(*oi));
	oi->gpu = gpu;
}

void brGpuOi_Free(brGpuOi* oi)
{
	brGpu_Free(oi->gpu, &oi->layouts);
	brGpu_Free(oi->gpu, &oi->leafStarts);
	for (int32_t i = 0; i < 4; ++i)
	{
		brGpu_Free(oi->gpu, &oi->groupStarts[i]);
	}
	brGpu_Free(oi->gpu, &oi->nodes);
}

brResult brGpuOi_SetTrees(brGpuOi* oi, const int32_t* starts, int32_t treeCount, brReport* report)
{
	brGpu* gpu = oi->gpu;
	brResult result = brGpu_Prepare(gpu, report);
	if (result < 0)
	{
		return result;
	}
	const brAllocator* allocator = &gpu->allocator;
	uint32_t* layouts = BR_ALLOC(allocator, uint32_t, 4 * (int64_t)treeCount);
	uint32_t* groups = BR_ALLOC(allocator, uint32_t, treeCount + 1);
	if (layouts == NULL || groups == NULL)
	{
		result = brFailMemory(report);
	}
	else
	{
		uint64_t node = 0;
		uint32_t deepest = 0;
		for (int32_t k = 0; k < treeCount; ++k)
		{
			uint32_t leaves = (uint32_t)(starts[k + 1] - starts[k]);
			uint32_t level = brBinary_LeafLevel(leaves);
			uint32_t layout[4] = {leaves, level, brBinary_VirtualLeaves(leaves), (uint32_t)node};
			memcpy(layouts + 4 * (int64_t)k, layout, sizeof(layout));
			node += brBinary_NodeCount(leaves);
			deepest = level > deepest ? level : deepest;
		}
		oi->treeCount = treeCount;
		oi->leafCount = starts[treeCount];
		oi->nodeCount = (int64_t)node;
		oi->launchCount = (int32_t)(deepest + oiLevels - 1) / oiLevels;
		brGpu_Ensure(gpu, &oi->layouts, treeCount, sizeof(uint32_t[4]));
		brGpu_Ensure(gpu, &oi->leafStarts, treeCount + 1, sizeof(uint32_t));
		brGpu_Ensure(gpu, &oi->nodes, 2 * oi->nodeCount, sizeof(cl_float4));
		brGpu_Write(gpu, &oi->layouts, 0, layouts, (size_t)treeCount * sizeof(uint32_t[4]));
		brGpu_Write(gpu, &oi->leafStarts, 0, starts, ((size_t)treeCount + 1) * sizeof(uint32_t));
		for (int32_t launch = 0; launch < oi->launchCount; ++launch)
		{
			uint32_t total = 0;
			for (int32_t k = 0; k < treeCount; ++k)
			{
				groups[k] = total;
				uint32_t level = layouts[4 * k + 1], done = (uint32_t)(oiLevels * launch);
				uint32_t width = level > done ? brBinary_RealOnLevel(layouts[4 * k], level, level - done) : 0;
				total += (width + oiTile - 1) / oiTile;
			}
			groups[treeCount] = total;
			oi->groupCounts[launch] = (int32_t)total;
			brGpu_Ensure(gpu, &oi->groupStarts[launch], treeCount + 1, sizeof(uint32_t));
			brGpu_Write(gpu, &oi->groupStarts[launch], 0, groups, ((size_t)treeCount + 1) * sizeof(uint32_t));
		}
		result = node < UINT32_MAX / 2 ? brGpu_Finish(gpu, report)
									   : brFail(report, br_errorLimit, "more tree nodes than 2^31");
	}
	if (groups != NULL)
	{
		BR_FREE(allocator, groups, treeCount + 1);
	}
	if (layouts != NULL)
	{
		BR_FREE(allocator, layouts, 4 * (int64_t)treeCount);
	}
	return result;
}

void brGpuOi_EnqueueLeaves(brGpuOi* oi, const brGpuBuffer* items, const brGpuBuffer* boxes)
{
	int64_t groups = ((int64_t)oi->leafCount + oiGroup - 1) / oiGroup;
	int64_t most = 32 * (int64_t)oi->gpu->info.computeUnits;
	brGpu_Run(oi->gpu, kernel_brk_oiLeaves, groups < most ? groups : most, oiGroup,
			  (brGpuArg[]){brBufferArg(items), brBufferArg(boxes), brBufferArg(&oi->layouts),
						   brBufferArg(&oi->leafStarts), brUintArg((uint32_t)oi->treeCount),
						   brUintArg((uint32_t)oi->leafCount), brBufferArg(&oi->nodes)},
			  7);
}

void brGpuOi_EnqueueBuild(brGpuOi* oi)
{
	for (int32_t launch = 0; launch < oi->launchCount; ++launch)
	{
		brGpu_Run(oi->gpu, kernel_brk_oiBuild, oi->groupCounts[launch], oiGroup,
				  (brGpuArg[]){brBufferArg(&oi->nodes), brBufferArg(&oi->layouts),
							   brBufferArg(&oi->groupStarts[launch]), brUintArg((uint32_t)oi->treeCount),
							   brUintArg((uint32_t)launch)},
				  5);
	}
}

#endif
