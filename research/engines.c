// SPDX-License-Identifier: MIT

#include "research/engines.h"

#include "base/memory.h"
#include "base/report.h"

#include <stddef.h>

static const brPairEngine hashEngines[3] = {
	{.method = br_pairsKdet, .hash = 1, .device = br_deviceKdet},
	{.method = br_pairsKdet, .hash = 2, .device = br_deviceKdet},
	{.method = br_pairsKdet, .hash = 3, .device = br_deviceKdet},
};

brBspDef brDefaultBspDef(void)
{
	return (brBspDef){.entry = -1, .depthStep = 2, .groupSize = 0, .queue = 0};
}

brResult brCreateBspEngine(const brContext* context, const brBspDef* def, brPairEngine** outEngine, brReport* report)
{
	// A step of 4 levels gives a pair 256 descendants; the front of level 12 has eight million pairs in one tree.
	if (def == NULL || outEngine == NULL || def->entry < -1 || def->entry > 12 || def->depthStep < 1 ||
		def->depthStep > 4 || def->groupSize < 0 || def->groupSize > 1024 || def->queue < 0 || def->queue > 65536)
	{
		return brFail(report, br_errorMisuse,
					  "a traversal enters at level 0 to 12 or -1, steps 1 to 4 levels, in groups of up to 1024 threads "
					  "with queues of up to 65536 pairs");
	}
	brAllocator allocator = brContext_Allocator(context);
	brPairEngine* engine = BR_ALLOC(&allocator, brPairEngine, 1);
	if (engine == NULL)
	{
		return brFailMemory(report);
	}
	*engine = brBspEngine;
	engine->bsp = (brBspSettings){def->entry + 1, def->depthStep, def->groupSize, def->queue};
	*outEngine = engine;
	return brSucceed(report);
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
