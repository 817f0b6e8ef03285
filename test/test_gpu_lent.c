// SPDX-License-Identifier: MIT

// Live worlds and recipes of data sets that are lent a device: the same bits as without, and the device did work.

#include "dataset/recipe.h"
#include "gpu_help.h"
#include "live/live_state.h"
#include "world/world_state.h"

#ifdef BR_HAVE_OPENCL

#include <math.h>
#include <string.h>

static brGpu* openLent(const brTest* test)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	return openAnyWithDoubles();
}

// A pane breaks into cells, the scene begins anew, and it breaks again.
static uint64_t playLive(const brScene* scene, brGpu* gpu, int64_t* outBreaks)
{
	brReport report = {0};
	brLive* live = NULL;
	brLiveDef def = brDefaultLiveDef();
	def.gpu = gpu;
	CHECK_RESULT(brCreateLive(NULL, scene, &def, &live, &report), &report);
	brLiveCommand throw = {.kind = br_liveThrow,
						   .point = brMakeDVec3(0.05, -0.6, 0.25),
						   .velocity = brMakeDVec3(0.0, 12.0, 0.5),
						   .value = 0.03};
	brLiveCommand begin = {.kind = br_liveBegin};
	uint64_t hash = 0;
	for (int32_t round = 0; round < 2; ++round)
	{
		CHECK_RESULT(brLive_CarryOut(live, round == 0 ? &throw : &begin, &report), &report);
		if (round > 0)
		{
			CHECK_RESULT(brLive_CarryOut(live, &throw, &report), &report);
		}
		// However few they are.
		live->world->dynamics.finder.fewest = live->world->dynamics.solver.fewest = 0;
		for (int32_t i = 0; i < 20; ++i)
		{
			CHECK_RESULT(brLive_Step(live, &report), &report);
		}
		CHECK(brLive_GetStats(live).breaks > 0 && brWorld_HasGpuStages(live->world) == (gpu != NULL));
		hash = hash * 31 + brWorld_ComputeHash(live->world);
	}
	*outBreaks = brGpuStages_GetBreakCount(live->stages);
	brDestroyLive(live);
	return hash;
}

BR_TEST(gpu_lent_to_a_live_world_leaves_its_bits)
{
	static const char text[] =
		"ground: marble\n"
		"bodies:\n"
		"  - {name: pane, model: {make: pane, with: {width: 0.4, height: 0.4, thickness: 0.01}}, "
		"material: glass, fracture: {method: shatter, pattern: uniform, pieces: 8, strength: 0.5}}\n";
	brGpu* gpu = openLent(test);
	brScene* scene = BR_MADE(brScene, brReadScene, NULL, text, sizeof(text) - 1, NULL, NULL);
	int64_t none = 0, breaks = 0;
	uint64_t hash = playLive(scene, NULL, &none);
	CHECK_EQUAL(playLive(scene, gpu, &breaks), hash);
	CHECK_MESSAGE(none == 0 && breaks >= 2, "%lld and %lld bodies were cut there", (long long)none, (long long)breaks);
	brDestroyScene(scene);
	brCloseGpu(gpu);
}

BR_TEST(gpu_lent_to_a_recipe_leaves_its_samples)
{
	static const char text[] = "samples: 100\nseed: 5\n"
							   "objects: [{model: bowl, resolution: 24}, {model: brick, size: [0.1, 0.3]}]\n"
							   "methods: [{method: shatter, pattern: [uniform, clustered], pieces: [3, 20]},\n"
							   "          {method: crack, tets: 1500}, {method: drop, height: [2, 4], play: 0.1}]\n";
	brGpu* gpu = openLent(test);
	brReport report = {0};
	brRecipe* recipes[2] = {NULL};
	for (int32_t k = 0; k < 2; ++k)
	{
		CHECK_RESULT(brReadRecipe(NULL, text, sizeof(text) - 1, NULL, &recipes[k], &report), &report);
	}
	CHECK_RESULT(brRecipe_SetDevice(recipes[1], gpu, &report), &report);
	int32_t rounds = brTest_Rounds(test, 8), seen[3] = {0};
	rounds = rounds < 8 ? 8 : rounds; // fewer do not have every method
	for (int32_t i = 0; i < rounds; ++i)
	{
		brSample* samples[2] = {NULL};
		for (int32_t k = 0; k < 2; ++k)
		{
			CHECK_RESULT(brRecipe_MakeSample(recipes[k], NULL, i, &samples[k], &report), &report);
		}
		const brSample *here = samples[0], *there = samples[1];
		bool isSame = here->vertexCount == there->vertexCount && here->triangleCount == there->triangleCount;
		isSame =
			isSame && memcmp(here->vertices, there->vertices, sizeof(brDVec3) * (size_t)here->vertexCount) == 0 &&
			memcmp(here->triangles, there->triangles, sizeof(here->triangles[0]) * (size_t)here->triangleCount) == 0;
		CHECK_MESSAGE(isSame, "sample %d, %s by %s, is another with the device", (int)i, here->objectName,
					  here->method);
		seen[0] += strcmp(here->method, "shatter") == 0;
		seen[1] += strcmp(here->method, "crack") == 0;
		seen[2] += strcmp(here->method, "drop") == 0;
		brDestroySample(samples[0]);
		brDestroySample(samples[1]);
	}
	CHECK(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
	CHECK(brRecipe_TakeDevice(recipes[1]) && !brRecipe_TakeDevice(recipes[1]) && !brRecipe_TakeDevice(recipes[0]));
	brDestroyRecipe(recipes[0]);
	brDestroyRecipe(recipes[1]);
	brCloseGpu(gpu);
}

#endif
