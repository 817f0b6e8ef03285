// SPDX-License-Identifier: MIT

// The launches of lbvh.cl: the tree of pairsEnqueueTree gives order, leaves and boxes of stretches; the linear BVH is
// made from them.

#include "research/gpu_engines.h"
#include "research/gpu_scan.h"

#ifdef BR_HAVE_OPENCL

enum
{
	lbvhGroup = 256,
	lbvhWalkGroup = 128, // LBVH_GROUP of lbvh.cl
};

static void lbvhInit(void* state, const brPairEngine* engine)
{
	(void)state;
	(void)engine;
}

static brResult lbvhEnsure(brGpuPairs* pairs, const uint32_t* objects, brReport* report)
{
	(void)objects;
	(void)report;
	brGpu* gpu = pairs->gpu;
	brGpuLbvh* lbvh = pairs->engineState;
	brGpu_Ensure(gpu, &lbvh->ranges, pairs->count, sizeof(cl_uint2));
	brGpu_Ensure(gpu, &lbvh->sums, pairs->count, sizeof(uint32_t));
	brGpu_Ensure(gpu, &lbvh->places, pairs->count, sizeof(uint32_t));
	brGpu_Ensure(gpu, &lbvh->nodes, 2 * (int64_t)pairs->count, 2 * sizeof(cl_float4));
	return br_success;
}

static void lbvhFree(brGpuPairs* pairs)
{
	brGpuLbvh* lbvh = pairs->engineState;
	BR_GPU_FREE(pairs->gpu, &lbvh->ranges, &lbvh->sums, &lbvh->tileSums, &lbvh->places, &lbvh->nodes);
}

static void lbvhBuild(brGpuPairs* pairs, uint32_t lowBit)
{
	brGpu* gpu = pairs->gpu;
	brGpuLbvh* lbvh = pairs->engineState;
	uint32_t count = (uint32_t)pairs->count;
	int64_t groups = brGpuPairs_Groups(pairs, count);
	BR_GPU_RUN(gpu, kernel_brk_lbvhRanges, groups, lbvhGroup, brBufferArg(&pairs->candidates[0]), brUintArg(count),
			   brUintArg(lowBit), brBufferArg(&lbvh->ranges));
	BR_GPU_RUN(gpu, kernel_brk_lbvhCounts, groups, lbvhGroup, brBufferArg(&lbvh->ranges), brUintArg(count),
			   brBufferArg(&lbvh->sums));
	brGpu_Scan(gpu, &lbvh->tileSums, &lbvh->sums, count);
	BR_GPU_RUN(gpu, kernel_brk_lbvhNodes, brGpuPairs_Groups(pairs, 2 * (int64_t)count), lbvhGroup,
			   brBufferArg(&pairs->leaves), brBufferArg(&pairs->nodes), brBufferArg(&pairs->shape),
			   brBufferArg(&lbvh->ranges), brBufferArg(&lbvh->sums), brUintArg(count), brBufferArg(&lbvh->nodes),
			   brBufferArg(&lbvh->places));
}

static void lbvhSearch(brGpuPairs* pairs, uint32_t flags)
{
	brGpuLbvh* lbvh = pairs->engineState;
	uint32_t count = (uint32_t)pairs->count;
	BR_GPU_RUN(pairs->gpu, kernel_brk_lbvhWalk, ((int64_t)count + lbvhWalkGroup - 1) / lbvhWalkGroup, lbvhWalkGroup,
			   brBufferArg(&lbvh->nodes), brBufferArg(&pairs->leaves), brBufferArg(&lbvh->places), brUintArg(count),
			   brUintArg(flags), brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach),
			   brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity.candidates),
			   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS));
}

const brGpuEngine brGpuLbvhEngine = {.stateBytes = sizeof(brGpuLbvh),
									 .isAlongCurve = true,
									 .init = lbvhInit,
									 .free = lbvhFree,
									 .ensure = lbvhEnsure,
									 .build = lbvhBuild,
									 .search = lbvhSearch};

#endif
