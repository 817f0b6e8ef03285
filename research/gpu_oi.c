// SPDX-License-Identifier: MIT

#include "research/gpu_oi.h"

#ifdef BR_HAVE_OPENCL

#include <string.h>

enum
{
	oiGroup = 256,
	oiTile = 1024, // OI_TILE of oi_build.cl
	oiLevels = 10, //
	oiCodeBits = 30,
	oiFew = 65536,    // a tree of fewer leaves
	oiFewBits = 24,   // needs no more of the code,
	oiFewer = 2048,   //
	oiFewerBits = 15, //
};

void brGpuOi_Free(brGpuOi* oi)
{
	BR_GPU_FREE(oi->gpu, &oi->layouts, &oi->leafStarts, &oi->nodes, &oi->bounds);
	for (int32_t i = 0; i < 4; ++i)
	{
		brGpu_Free(oi->gpu, &oi->groupStarts[i]);
	}
}

// Bits of the curve that tell leaves of the largest tree apart, as many as fit a key beside the tree.
static void oiChooseBits(brGpuOi* oi, uint32_t deepest, int32_t treeCount)
{
	oi->treeBits = 0;
	while ((int64_t)1 << oi->treeBits < treeCount)
	{
		oi->treeBits += 1;
	}
	int64_t most = (int64_t)1 << deepest;
	oi->codeBits = most <= oiFewer ? oiFewerBits : most <= oiFew ? oiFewBits : oiCodeBits;
	oi->codeBits = oi->codeBits + oi->treeBits > 32 ? 32 - oi->treeBits : oi->codeBits;
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
		oiChooseBits(oi, deepest, treeCount);
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

static int64_t oiGroups(const brGpuOi* oi)
{
	int64_t groups = ((int64_t)oi->leafCount + oiGroup - 1) / oiGroup, most = 32 * (int64_t)oi->gpu->info.computeUnits;
	return groups < most ? groups : most;
}

void brGpuOi_EnqueueItems(brGpuOi* oi, const brGpuElements* elements, const brGpuBuffer* outItems)
{
	brGpu* gpu = oi->gpu;
	brGpu_Ensure(gpu, &oi->bounds, 6 * (int64_t)oi->treeCount, sizeof(uint32_t));
	brGpu_Clear(gpu, &oi->bounds, 6 * (int64_t)oi->treeCount);
	brGpuArg args[10] = {brBufferArg(elements->vertices),
						 brUintArg(elements->arePositions),
						 brBufferArg(elements->corners),
						 brUintArg((uint32_t)elements->cornersEach),
						 brBufferArg(elements->trees),
						 brUintArg(elements->hasTrees),
						 brUintArg((uint32_t)oi->leafCount),
						 brBufferArg(&oi->bounds),
						 brUintArg(oi->codeBits),
						 brBufferArg(outItems)};
	brGpu_Run(gpu, kernel_brk_oiBounds, ((int64_t)oi->leafCount + oiGroup - 1) / oiGroup, oiGroup, args, 8);
	brGpu_Run(gpu, kernel_brk_oiItems, oiGroups(oi), oiGroup, args, 10);
}

void brGpuOi_EnqueueLeaves(brGpuOi* oi, const brGpuBuffer* items, const brGpuElements* elements)
{
	BR_GPU_RUN(oi->gpu, kernel_brk_oiLeaves, oiGroups(oi), oiGroup, brBufferArg(items), brBufferArg(elements->vertices),
			   brUintArg(elements->arePositions), brBufferArg(elements->corners),
			   brUintArg((uint32_t)elements->cornersEach), brBufferArg(&oi->layouts), brBufferArg(&oi->leafStarts),
			   brUintArg((uint32_t)oi->treeCount), brUintArg((uint32_t)oi->leafCount), brBufferArg(&oi->nodes));
}

void brGpuOi_EnqueueBuild(brGpuOi* oi)
{
	for (int32_t launch = 0; launch < oi->launchCount; ++launch)
	{
		BR_GPU_RUN(oi->gpu, kernel_brk_oiBuild, oi->groupCounts[launch], oiGroup, brBufferArg(&oi->nodes),
				   brBufferArg(&oi->layouts), brBufferArg(&oi->groupStarts[launch]), brUintArg((uint32_t)oi->treeCount),
				   brUintArg((uint32_t)launch));
	}
}

#endif
