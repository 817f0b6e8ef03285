// SPDX-License-Identifier: MIT

// A device's part in a world that lives on the CPU: pairs of boxes, where meshes touch, the passes of the contact
// solver, cells of bodies that break by sites, and elastic solves of those that crack.

#include "brittle/gpu.h"

#include "world/world_state.h"

#ifdef BR_HAVE_OPENCL

#include "gpu/gpu_cells.h"
#include "gpu/gpu_pairs.h"
#include "gpu/gpu_solver.h"
#include "gpu/gpu_touch.h"

// What is smaller is done sooner on the CPU, by as much as copies take: see docs/gpu-method.md for what was measured.
enum
{
	stagesFewestBoxes = 4096,
	stagesFewestBlocks = 4096, // of eight contacts
};

struct brGpuStages
{
	brAllocator allocator;
	brGpuPairs pairs;
	int32_t boxCount;    // that the device is ready for
	brStageMemory boxes; // brTreeBox
	brStageMemory list;  // brPair
	brGpuTouch touch;
	brGpuSolver solver;
	brGpuCutter cutter;
	brElasticDevice* elastic; // null on a device without doubles
};

brResult brCreateGpuStages(const brContext* context, brGpu* gpu, brGpuStages** outStages, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brResult result = brGpu_Prepare(gpu, report);
	if (result < 0)
	{
		return result;
	}
	brGpuStages* stages = BR_ALLOC_ZERO(&allocator, brGpuStages, 1);
	if (stages == NULL)
	{
		return brFailMemory(report);
	}
	stages->allocator = allocator;
	brGpuPairs_Init(&stages->pairs, gpu);
	brGpuTouch_Init(&stages->touch, gpu, &allocator);
	brGpuSolver_Init(&stages->solver, gpu, &allocator);
	brGpuCutter_Init(&stages->cutter, gpu);
	result = brCreateGpuElastic(context, gpu, &stages->elastic, report);
	if (result < 0 && result != br_errorUnavailable)
	{
		brDestroyGpuStages(stages);
		return result;
	}
	*outStages = stages;
	return brSucceed(report);
}

void brDestroyGpuStages(brGpuStages* stages)
{
	if (stages == NULL)
	{
		return;
	}
	brAllocator allocator = stages->allocator;
	brGpuPairs_Free(&stages->pairs);
	brGpuTouch_Free(&stages->touch);
	brGpuSolver_Free(&stages->solver);
	brGpuCutter_Free(&stages->cutter);
	brDestroyGpuElastic(stages->elastic);
	brStageMemory_Free(&stages->boxes, &allocator);
	brStageMemory_Free(&stages->list, &allocator);
	BR_FREE(&allocator, stages, 1);
}

static brResult stagesFindPairs(void* user, const brBox3* boxes, int32_t count, const brPair** outPairs,
								int64_t* outCount, brReport* report)
{
	brGpuStages* stages = user;
	*outCount = 0;
	if (count < 2)
	{
		return br_success;
	}
	if (!brStageMemory_Ensure(&stages->boxes, &stages->allocator, count, sizeof(brTreeBox)))
	{
		return brFailMemory(report);
	}
	brTreeBox* ready = stages->boxes.data;
	for (int32_t i = 0; i < count; ++i)
	{
		ready[i] = brMakeTreeBox(boxes[i]);
	}
	brResult result = br_success;
	if (count != stages->boxCount)
	{
		brBoxSource source = {.count = count};
		result = brGpuPairs_SetElements(&stages->pairs, &source, NULL, report);
		stages->boxCount = result >= 0 ? count : 0;
		stages->pairs.arePositions = false;
	}
	brGpuFound found = {0};
	if (result >= 0)
	{
		brGpu_Ensure(stages->pairs.gpu, &stages->pairs.vertices, count, sizeof(brTreeBox));
		brGpu_Write(stages->pairs.gpu, &stages->pairs.vertices, 0, ready, (size_t)count * sizeof(brTreeBox));
		result = brGpuPairs_Run(&stages->pairs, true, true, false, false, &found, report);
	}
	if (result >= 0 && !brStageMemory_Ensure(&stages->list, &stages->allocator, found.candidateCount, sizeof(brPair)))
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		result = brGpuPairs_Read(&stages->pairs, false, found.candidateCount, stages->list.data, report);
	}
	if (result >= 0)
	{
		*outPairs = stages->list.data;
		*outCount = found.candidateCount;
	}
	return result;
}

void brWorld_SetGpuStages(brWorld* world, brGpuStages* stages)
{
	world->dynamics.finder =
		stages != NULL ? (brPairFinder){stagesFindPairs, stagesFewestBoxes, stages} : (brPairFinder){0};
	world->dynamics.toucher = stages != NULL ? brGpuTouch_Device(&stages->touch) : (brTouchDevice){0};
	world->dynamics.solver = stages != NULL ? brGpuSolver_Device(&stages->solver) : (brSolverDevice){0};
	world->dynamics.solver.fewest = stagesFewestBlocks;
	world->breaking.elastic = stages != NULL ? stages->elastic : NULL;
	world->breaking.cells = stages != NULL ? &stages->cutter.device : NULL;
}

int64_t brGpuStages_GetBreakCount(const brGpuStages* stages)
{
	return stages != NULL ? stages->cutter.breakCount : 0;
}

bool brWorld_HasGpuStages(const brWorld* world)
{
	return world != NULL && world->dynamics.finder.find != NULL && world->dynamics.solver.begin != NULL;
}

#endif
