// SPDX-License-Identifier: MIT

#include "research/engines.h"

#include "base/memory.h"
#include "base/report.h"
#include "index/grid_key.h"
#include "research/gpu_engines.h"

#include <stddef.h>

enum
{
	engine_mostDepthStep = 4,
};

static const brPairEngine hashEngines[3] = {
	{.method = br_pairsKdet, .device = br_deviceKdet, .kdet = {.hash = 1}},
	{.method = br_pairsKdet, .device = br_deviceKdet, .kdet = {.hash = 2}},
	{.method = br_pairsKdet, .device = br_deviceKdet, .kdet = {.hash = 3}},
};

brBspDef brDefaultBspDef(void)
{
	return (brBspDef){.entry = -1, .depthStep = 2};
}

// Equation 2.4 of the thesis: a thread may write 4^mu pairs, and those of `writers` threads are to fit the queue.
static int32_t engineDepthStep(int32_t queue, int32_t writers)
{
	int64_t most = 1;
	while ((most + 1) * (most + 1) * (most + 1) * (most + 1) <= queue)
	{
		most += 1;
	}
	int64_t least = writers > 0 ? writers : most;
	int32_t step = 1;
	while (step < engine_mostDepthStep && least << (2 * (step + 1)) <= queue)
	{
		step += 1;
	}
	return step;
}

static brResult engineCopy(const brContext* context, brPairEngine engine, brPairEngine** outEngine, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brPairEngine* copy = BR_ALLOC(&allocator, brPairEngine, 1);
	if (copy == NULL)
	{
		return brFailMemory(report);
	}
	*copy = engine;
	*outEngine = copy;
	return brSucceed(report);
}

brResult brCreateBspEngine(const brContext* context, const brBspDef* def, brPairEngine** outEngine, brReport* report)
{
	// A step of 4 levels gives a pair 256 descendants; the front of level 12 has eight million pairs in one tree.
	if (def == NULL || outEngine == NULL || def->entry < -1 || def->entry > 12 || def->depthStep < 0 ||
		def->depthStep > engine_mostDepthStep || def->groupSize < 0 || def->groupSize > 1024 || def->queue < 0 ||
		def->queue > 65536 || def->writers < 0 || def->writers > 1024)
	{
		return brFail(report, br_errorMisuse,
					  "a traversal enters at level 0 to 12 or -1, steps 0 to 4 levels, in groups of up to 1024 threads "
					  "with queues of up to 65536 pairs for up to 1024 writers");
	}
	int32_t queue = def->queue > 0 ? def->queue : BR_BSP_QUEUE;
	brPairEngine engine = brBspEngine;
	engine.bsp = (brBspSettings){def->entry + 1, def->depthStep, def->groupSize, def->queue};
	engine.bsp.depthStep = def->depthStep > 0 ? def->depthStep : engineDepthStep(queue, def->writers);
	return engineCopy(context, engine, outEngine, report);
}

brKdetDef brDefaultKdetDef(void)
{
	return (brKdetDef){0};
}

brResult brCreateKdetEngine(const brContext* context, const brKdetDef* def, brPairEngine** outEngine, brReport* report)
{
	bool isSize = def != NULL && (def->groupSize == 0 || (def->groupSize >= 16 && def->groupSize <= 256 &&
														  (def->groupSize & (def->groupSize - 1)) == 0));
	if (!isSize || outEngine == NULL || def->hash < 0 || def->hash > 3 || def->layers < 0 ||
		def->layers > BR_GRID_LAYERS - 3 || def->pairsEach < 0 || def->pairsEach > 1024)
	{
		return brFail(
			report, br_errorMisuse,
			"a grid has hash 0 to 3, up to %d layers, room for up to 1024 pairs an element, and groups of 16, "
			"32, 64, 128 or 256 threads",
			BR_GRID_LAYERS - 3);
	}
	brPairEngine engine = {.method = br_pairsKdet, .device = br_deviceKdet};
	engine.kdet = (brKdetSettings){(uint32_t)def->hash, def->layers, def->pairsEach, def->groupSize};
	return engineCopy(context, engine, outEngine, report);
}

void brDestroyEngine(const brContext* context, brPairEngine* engine)
{
	brAllocator allocator = brContext_Allocator(context);
	BR_FREE(&allocator, engine, 1);
}

const brPairEngine* brGetResearchEngine(brResearchMethod method)
{
	switch (method)
	{
		case br_researchBsp:
			return &brBspEngine;
		case br_researchLbvh:
			return &brLbvhEngine;
		case br_researchUnordered:
		case br_researchStatic:
		case br_researchPeriodic:
		case br_researchRestructure:
		case br_researchReference:
			return &brFrontEngines[method - br_researchUnordered];
		case br_researchKdetDjb2:
		case br_researchKdetFnv1a:
		case br_researchKdetSimple:
			return &hashEngines[method - br_researchKdetDjb2];
		default:
			return NULL;
	}
}
