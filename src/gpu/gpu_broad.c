// SPDX-License-Identifier: MIT

// The device as a finder of pairs for a world of the CPU.

#include "brittle/gpu.h"

#include "world/world_state.h"

#ifdef BR_HAVE_OPENCL

#include "gpu/gpu_pairs.h"

struct brGpuBroadPhase
{
	brAllocator allocator;
	brGpuPairs pairs;
	int32_t boxCount;    // that the device is ready for
	brStageMemory boxes; // brTreeBox
	brStageMemory list;  // brPair
};

brResult brCreateGpuBroadPhase(const brContext* context, brGpu* gpu, brGpuBroadPhase** outBroad, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brResult result = brGpu_Prepare(gpu, report);
	if (result < 0)
	{
		return result;
	}
	brGpuBroadPhase* broad = BR_ALLOC_ZERO(&allocator, brGpuBroadPhase, 1);
	if (broad == NULL)
	{
		return brFailMemory(report);
	}
	broad->allocator = allocator;
	brGpuPairs_Init(&broad->pairs, gpu);
	*outBroad = broad;
	return br_success;
}

void brDestroyGpuBroadPhase(brGpuBroadPhase* broad)
{
	if (broad == NULL)
	{
		return;
	}
	brAllocator allocator = broad->allocator;
	brGpuPairs_Free(&broad->pairs);
	brStageMemory_Free(&broad->boxes, &allocator);
	brStageMemory_Free(&broad->list, &allocator);
	BR_FREE(&allocator, broad, 1);
}

static brResult broadFind(void* user, const brBox3* boxes, int32_t count, const brPair** outPairs, int64_t* outCount,
						  brReport* report)
{
	brGpuBroadPhase* broad = user;
	*outCount = 0;
	if (count < 2)
	{
		return br_success;
	}
	if (!brStageMemory_Ensure(&broad->boxes, &broad->allocator, count, sizeof(brTreeBox)))
	{
		return brFailMemory(report);
	}
	brTreeBox* ready = broad->boxes.data;
	for (int32_t i = 0; i < count; ++i)
	{
		ready[i] = brMakeTreeBox(boxes[i]);
	}
	brResult result = br_success;
	if (count != broad->boxCount)
	{
		brBoxSource source = {.count = count};
		result = brGpuPairs_SetElements(&broad->pairs, &source, NULL, report);
		broad->boxCount = result >= 0 ? count : 0;
		broad->pairs.arePositions = false;
	}
	brGpuFound found = {0};
	if (result >= 0)
	{
		brGpu_Ensure(broad->pairs.gpu, &broad->pairs.vertices, count, sizeof(brTreeBox));
		brGpu_Write(broad->pairs.gpu, &broad->pairs.vertices, 0, ready, (size_t)count * sizeof(brTreeBox));
		result = brGpuPairs_Run(&broad->pairs, true, true, false, false, &found, report);
	}
	if (result >= 0 && !brStageMemory_Ensure(&broad->list, &broad->allocator, found.candidateCount, sizeof(brPair)))
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		result = brGpuPairs_Read(&broad->pairs, false, found.candidateCount, broad->list.data, report);
	}
	if (result >= 0)
	{
		*outPairs = broad->list.data;
		*outCount = found.candidateCount;
	}
	return result;
}

void brWorld_SetGpuBroadPhase(brWorld* world, brGpuBroadPhase* broad)
{
	world->dynamics.finder = broad != NULL ? (brPairFinder){broadFind, broad} : (brPairFinder){NULL, NULL};
}

#else

brResult brCreateGpuBroadPhase(const brContext* context, brGpu* gpu, brGpuBroadPhase** outBroad, brReport* report)
{
	(void)context, (void)outBroad;
	return brOpenGpu(NULL, NULL, &gpu, report);
}

void brDestroyGpuBroadPhase(brGpuBroadPhase* broad)
{
	(void)broad;
}

void brWorld_SetGpuBroadPhase(brWorld* world, brGpuBroadPhase* broad)
{
	(void)broad;
	world->dynamics.finder = (brPairFinder){NULL, NULL};
}

#endif
