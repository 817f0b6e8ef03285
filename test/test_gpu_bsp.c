// SPDX-License-Identifier: MIT

// All trees of a scene at once on a device, and their bulk-synchronous traversal, against the CPU.

#include "brittle/brittle.h"
#include "brittle/research.h"
#include "gpu/gpu_pairs.h"
#include "gpu_help.h"
#include "harness.h"
#include "research/engines.h"
#include "research/gpu_engines.h"
#include "research/lbvh_layout.h"

#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

// Rising starts of up to `most` groups, some of them empty.
static int32_t drawGroups(brRandom* random, int32_t* starts, int32_t most, int32_t count)
{
	int32_t groupCount = 1 + (int32_t)brRandom_Below(random, (uint32_t)most);
	starts[0] = 0;
	for (int32_t k = 1; k < groupCount; ++k)
	{
		int32_t left = count - starts[k - 1];
		int32_t share = left / (groupCount - k + 1);
		starts[k] = starts[k - 1] + (int32_t)brRandom_Below(random, (uint32_t)(2 * share) + 1);
		starts[k] = starts[k] < count ? starts[k] : count;
	}
	starts[groupCount] = count;
	return groupCount;
}

BR_TEST(gpu_trees_of_a_scene_find_the_pairs_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int64_t total = 0;
	bool isSmall = maxElements(test) <= 5000;
	for (int32_t round = 0; round < (isSmall ? 3 : brTest_Rounds(test, 120)); ++round)
	{
		int32_t count = (int32_t)brRandom_Below(&random, round % 8 == 0 && !isSmall ? 4000 : isSmall ? 30 : 300);
		uint32_t kind = (uint32_t)round % 7;
		count = kind == 4 || kind == 2 ? count % 300 : count;
		brBox3* boxes = malloc(((size_t)count + 1) * sizeof(brBox3));
		int32_t starts[61];
		drawBoxes(&random, boxes, count, kind);
		int32_t groupCount = drawGroups(&random, starts, round % 2 == 0 ? 60 : 3, count);
		brCollideDef def = brDefaultCollideDef();
		def.engine = brGetResearchEngine(round % 4 < 2 ? br_researchBsp : br_researchLbvh);
		def.enableSelf = round % 3 != 1;
		def.enableInter = round % 3 != 2;
		def.keepCandidates = true;
		brCollision *device = NULL, *host = NULL;
		brReport report = {0};
		CHECK_RESULT(brGpu_CollideBoxes(gpu, NULL, boxes, count, starts, groupCount, &def, &device, &report), &report);
		CHECK_RESULT(brCollideBoxes(NULL, boxes, count, starts, groupCount, &def, &host, &report), &report);
		checkSame(device->candidates, device->candidateCount, host->candidates, host->candidateCount);
		total += host->candidateCount;
		brDestroyCollision(device);
		brDestroyCollision(host);
		free(boxes);
	}
	CHECK(total > brTest_Rounds(test, 1000) || isSmall);
	brCloseGpu(gpu);
}

// Entry level, depth step, group size and queue change the way, not the pairs; a front that is too long for its room is
// counted.
BR_TEST(gpu_traversal_finds_the_same_by_any_parameters)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	bool isSmall = maxElements(test) <= 5000;
	const int32_t count = isSmall ? 60 : 700;
	brBox3* boxes = malloc((size_t)count * sizeof(brBox3));
	uint32_t* objects = malloc((size_t)count * sizeof(uint32_t));
	brTreeBox* frame = malloc((size_t)count * sizeof(brTreeBox));
	drawBoxes(&random, boxes, count, isSmall ? 2 : 0);
	int32_t starts[4] = {0, count / 7, count / 2, count};
	for (int32_t i = 0; i < count; ++i)
	{
		objects[i] = i < starts[1] ? 0u : i < starts[2] ? 1u : 2u;
	}
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	brReport report = {0};
	brCollision* host = BR_MADE(brCollision, brCollideBoxes, NULL, boxes, count, starts, 3, &def);
	CHECK(host->candidateCount > 0);
	brBoxMaker maker = {.source = {.count = count, .boxes = boxes}};
	brBoxMaker_Fill(&maker, 0, count, frame);
	for (int32_t round = 0; round < (isSmall ? 6 : 48); ++round)
	{
		static const int32_t sizes[] = {16, 256}, queues[] = {1, 5, 64, 512};
		brGpuPairs pairs;
		brGpuPairs_Init(&pairs, gpu);
		CHECK(brGpuPairs_SetEngine(&pairs, &brBspEngine));
		brGpuBsp* bsp = pairs.engineState;
		bsp->entryLevel = round % 9 - 1;
		bsp->depthStep = 1 + round % 4;
		bsp->groupSize = sizes[round / 4 % 2];
		bsp->queueCapacity = queues[round % 7 % 4];
		bsp->frontCapacity = round % 3 == 0 ? 10 : 0;
		CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, objects, &report), &report);
		brGpuPairs_SetFrame(&pairs, &maker, frame);
		brGpuFound found = {0};
		CHECK_RESULT(brGpuPairs_Run(&pairs, true, true, false, false, &found, &report), &report);
		CHECK_EQUAL(found.candidateCount, host->candidateCount);
		CHECK(bsp->maxPairs <= bsp->frontCapacity);
		brGpuPairs_Free(&pairs);
	}
	brDestroyCollision(host);
	free(frame);
	free(objects);
	free(boxes);
	brCloseGpu(gpu);
}

BR_TEST(gpu_trees_of_bodies_find_their_triangles)
{
	brGpu* gpu = openAny();
	brMovingSceneDef motionDef = brDefaultMovingSceneDef("bodies");
	motionDef.frame = 18;
	motionDef.resolution = test->intensity < 0.05 ? 4 : 6;
	brReport report = {0};
	brMovingScene* motion = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &motionDef);
	const brMesh* const* meshes = (const brMesh* const*)motion->meshes;
	for (int32_t i = 0; i < (test->intensity < 0.05 ? 1 : 2); ++i)
	{
		int32_t meshCount = test->intensity < 0.05 ? 2 : motion->meshCount;
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = i == 1;
		def.engine = brGetResearchEngine(i == 0 ? br_researchBsp : br_researchLbvh);
		brCollision *device = NULL, *host = NULL;
		CHECK_RESULT(brCollideMeshes(NULL, meshes, meshCount, &def, &host, &report), &report);
		CHECK_RESULT(brGpu_CollideMeshes(gpu, NULL, meshes, meshCount, &def, &device, &report), &report);
		CHECK_EQUAL(device->candidateCount, host->candidateCount);
		checkSame(device->pairs, device->pairCount, host->pairs, host->pairCount);
		brDestroyCollision(device);
		brDestroyCollision(host);
	}
	brDestroyMovingScene(motion);
	brCloseGpu(gpu);
}

// Every node is where the depth-first order puts it, over its children, and leaves come in order.
BR_TEST(gpu_lbvh_lies_in_depth_first_order)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	bool isSmall = maxElements(test) <= 5000;
	for (int32_t round = 0; round < (isSmall ? 2 : 20); ++round)
	{
		int32_t count = 1 + (int32_t)brRandom_Below(&random, isSmall ? 30 : round % 4 == 0 ? 5000 : 200);
		brBox3* boxes = malloc((size_t)count * sizeof(brBox3));
		brTreeBox* frame = malloc((size_t)count * sizeof(brTreeBox));
		brLbvhNode* nodes = malloc(2 * (size_t)count * sizeof(brLbvhNode));
		drawBoxes(&random, boxes, count, (uint32_t)round % 7);
		brBoxMaker maker = {.source = {.count = count, .boxes = boxes}};
		brBoxMaker_Fill(&maker, 0, count, frame);
		brReport report = {0};
		brGpuPairs pairs;
		brGpuPairs_Init(&pairs, gpu);
		CHECK(brGpuPairs_SetEngine(&pairs, &brLbvhEngine));
		CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, NULL, &report), &report);
		brGpuPairs_SetFrame(&pairs, &maker, frame);
		brGpuFound found = {0};
		CHECK_RESULT(brGpuPairs_Run(&pairs, true, false, false, false, &found, &report), &report);
		size_t bytes = (2 * (size_t)count - 1) * sizeof(brLbvhNode);
		CHECK_RESULT(brGpu_Read(gpu, &((brGpuLbvh*)pairs.engineState)->nodes, 0, nodes, bytes, &report), &report);
		CHECK_EQUAL(nodes[0].escape, 2 * count - 1);
		int32_t leaf = 0;
		for (int32_t place = 0; place < 2 * count - 1; ++place)
		{
			if (brLbvh_IsLeaf(nodes, place))
			{
				CHECK_EQUAL(nodes[place].first, leaf);
				leaf += 1;
				continue;
			}
			int32_t left = place + 1, right = brLbvh_RightChild(nodes, place);
			CHECK(right > left && right < nodes[place].escape && nodes[right].escape == nodes[place].escape);
			CHECK_EQUAL(nodes[place].first, nodes[left].first);
			CHECK_EQUAL(nodes[right].first, brLbvh_Last(nodes, left) + 1);
			for (int k = 0; k < 3; ++k)
			{
				CHECK(nodes[place].lower[k] == fminf(nodes[left].lower[k], nodes[right].lower[k]));
				CHECK(nodes[place].negUpper[k] == fminf(nodes[left].negUpper[k], nodes[right].negUpper[k]));
			}
		}
		CHECK_EQUAL(leaf, count);
		brGpuPairs_Free(&pairs);
		free(nodes);
		free(frame);
		free(boxes);
	}
	brCloseGpu(gpu);
}

static brResult collideTreesOnDevice(const brContext* context, void* user)
{
	brBox3 boxes[40];
	const int32_t starts[4] = {0, 10, 10, 40};
	brRandom random = brMakeRandom(5, 0);
	drawBoxes(&random, boxes, 40, 2);
	brCollideDef def = brDefaultCollideDef();
	def.engine = brGetResearchEngine(br_researchBsp);
	def.keepCandidates = true;
	brCollision* collision = NULL;
	brResult result = brGpu_CollideBoxes(user, context, boxes, 40, starts, 3, &def, &collision, NULL);
	brDestroyCollision(result >= 0 ? collision : NULL);
	return result;
}

BR_TEST(gpu_trees_survive_any_failed_allocation)
{
	brGpu* gpu = openAny();
	CHECK(brTest_WalkAllocations(collideTreesOnDevice, gpu) >= 4);
	brCloseGpu(gpu);
}

#endif
