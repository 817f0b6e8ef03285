// SPDX-License-Identifier: MIT

// Fronts that frames share on a device: whatever moves however, the pairs are those of the CPU.

#include "brittle/brittle.h"
#include "brittle/research.h"
#include "gpu/gpu_pairs.h"
#include "gpu_help.h"
#include "harness.h"
#include "narrow/triangle_soup.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

// How boxes go from frame to frame.
typedef enum FrontMotion
{
	motion_gentle,
	motion_jumps,    // now and then one goes far away
	motion_storm,    // all of them, always
	motion_collapse, // to one place and back
	motion_spread,   // faster and faster
	motion_count,
} FrontMotion;

static void moveBoxes(brRandom* random, brBox3* boxes, const brBox3* first, int32_t count, FrontMotion motion,
					  int32_t frame)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 by = {(float)brRandom_Range(random, -1.0, 1.0), (float)brRandom_Range(random, -1.0, 1.0),
					 (float)brRandom_Range(random, -1.0, 1.0)};
		float scale = motion == motion_storm ? 3.0f : motion == motion_spread ? 1e-4f * (float)(1 << frame / 2) : 1e-3f;
		scale = motion == motion_jumps && frame % 5 == 4 && i == frame % count ? 4.0f : scale;
		brVec3 size = brSub(first[i].upper, first[i].lower);
		if (motion == motion_collapse && frame % 9 >= 6)
		{
			boxes[i].lower = (brVec3){1.0f, 2.0f, 3.0f};
		}
		else if (motion == motion_collapse && frame % 9 == 0)
		{
			boxes[i].lower = first[i].lower;
		}
		boxes[i].lower = brAdd(boxes[i].lower, brMul(scale, by));
		boxes[i].upper = brAdd(boxes[i].lower, size);
	}
}

BR_TEST(gpu_fronts_find_the_pairs_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	bool isSmall = maxElements(test) <= 5000;
	int64_t total = 0;
	for (int32_t round = 0; round < (isSmall ? 2 : 3 * (int32_t)motion_count); ++round)
	{
		FrontMotion motion = (FrontMotion)(round % motion_count);
		int32_t count = isSmall ? 40 : motion == motion_collapse ? 150 : 40 + 400 * (round / (int32_t)motion_count);
		int32_t starts[3] = {0, count / 3, count}, self = round % 3 != 1, inter = round % 3 != 2;
		brBox3* boxes = malloc((size_t)count * sizeof(brBox3));
		brBox3* first = malloc((size_t)count * sizeof(brBox3));
		uint32_t* objects = malloc((size_t)count * sizeof(uint32_t));
		brTreeBox* frameBoxes = malloc((size_t)count * sizeof(brTreeBox));
		drawBoxes(&random, first, count, 0);
		memcpy(boxes, first, (size_t)count * sizeof(brBox3));
		for (int32_t i = 0; i < count; ++i)
		{
			objects[i] = i >= starts[1];
		}
		brBoxMaker maker = {.source = {.count = count, .boxes = boxes}};
		brReport report = {0};
		brGpuPairs pairs;
		brGpuPairs_Init(&pairs, gpu);
		pairs.method = br_deviceFront;
		CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, objects, &report), &report);
		int32_t frameCount = isSmall ? 5 : 30;
		for (int32_t frame = 0; frame < frameCount; ++frame)
		{
			moveBoxes(&random, boxes, first, count, motion, frame);
			bool isSelf = frame == 20 ? !self : self; // another question in between
			brBoxMaker_Fill(&maker, 0, count, frameBoxes);
			brGpuPairs_SetFrame(&pairs, &maker, frameBoxes);
			brGpuFound found = {0};
			CHECK_RESULT(brGpuPairs_Run(&pairs, isSelf, inter, false, false, &found, &report), &report);
			brPair* device = malloc(((size_t)found.candidateCount + 1) * sizeof(brPair));
			CHECK_RESULT(brGpuPairs_Read(&pairs, false, found.candidateCount, device, &report), &report);
			brCollideDef def = brDefaultCollideDef();
			def.enableSelf = isSelf, def.enableInter = inter, def.keepCandidates = true;
			brCollision* host = BR_MADE(brCollision, brCollideBoxes, NULL, boxes, count, starts, 2, &def);
			checkSame(device, found.candidateCount, host->candidates, host->candidateCount);
			total += host->candidateCount;
			brDestroyCollision(host);
			free(device);
		}
		// A front is kept where things move little, and where they do not it is not made anew in every frame.
		CHECK(pairs.front.renewals > 0);
		CHECK(motion != motion_gentle || isSmall || pairs.front.renewals <= 6);
		CHECK(motion != motion_jumps || isSmall || pairs.front.escapes > 0);
		CHECK(motion != motion_storm || isSmall || pairs.front.renewals < frameCount / 2);
		brGpuPairs_Free(&pairs);
		CHECK_EQUAL((int64_t)gpu->bytesHeld, 0);
		free(frameBoxes);
		free(objects);
		free(first);
		free(boxes);
	}
	CHECK(total > 1000 || isSmall);
	brCloseGpu(gpu);
}

// Triangles of a scene in small steps with leaps between them: candidates with their neighbors, and what meets. Returns
// how many were compared.
static int64_t checkSceneFronts(brTest* test, brGpu* gpu, const char* scene, double first, bool self, bool inter)
{
	bool isSmall = test->intensity < 0.05;
	brReport report = {0};
	brGpuPairs pairs;
	brGpuPairs_Init(&pairs, gpu);
	pairs.method = br_deviceFront;
	pairs.dropNeighbors = true;
	int64_t met = 0;
	int32_t frameCount = isSmall ? 4 : 24;
	for (int32_t frame = 0; frame < frameCount; ++frame)
	{
		brMovingSceneDef motionDef = brDefaultMovingSceneDef(scene);
		motionDef.frame = first + 0.005 * frame + (frame / 10 == 1 ? -15.0 : 0.0);
		motionDef.resolution = isSmall ? 4 : strcmp(scene, "bodies") == 0 ? 4 : 24;
		brMovingScene* motion = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &motionDef);
		const brMesh* const* meshes = (const brMesh* const*)motion->meshes;
		int32_t meshCount = isSmall && motion->meshCount > 2 ? 2 : motion->meshCount;
		brTriangleSoup soup;
		CHECK_RESULT(brTriangleSoup_Make(&soup, NULL, meshes, meshCount, &report), &report);
		brBoxSource source = brTriangleSoup_Source(&soup);
		brBoxMaker maker = {.allocator = soup.allocator, .kernels = brGetWideKernels(0)};
		CHECK_RESULT(brBoxMaker_Prepare(&maker, NULL, &source, &report), &report);
		if (frame == 0)
		{
			uint32_t* objects = malloc((size_t)source.count * sizeof(uint32_t));
			for (int32_t k = 0; k < meshCount; ++k)
			{
				for (int32_t i = soup.meshStarts[k]; i < soup.meshStarts[k + 1]; ++i)
				{
					objects[i] = (uint32_t)k;
				}
			}
			CHECK_RESULT(brGpuPairs_SetElements(&pairs, &source, objects, &report), &report);
			free(objects);
		}
		brGpuPairs_SetFrame(&pairs, &maker, NULL);
		brGpuFound found = {0};
		CHECK_RESULT(brGpuPairs_Run(&pairs, self, inter, true, false, &found, &report), &report);
		brPair* device = malloc(((size_t)found.meetingCount + 1) * sizeof(brPair));
		CHECK_RESULT(brGpuPairs_Read(&pairs, true, found.meetingCount, device, &report), &report);
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = self, def.enableInter = inter;
		brCollision* host = BR_MADE(brCollision, brCollideMeshes, NULL, meshes, meshCount, &def);
		CHECK_EQUAL(found.candidateCount, host->candidateCount);
		CHECK(found.meetingCount <= host->pairCount && found.meetingCount + found.unsureCount >= host->pairCount);
		if (found.unsureCount == 0)
		{
			checkSame(device, found.meetingCount, host->pairs, host->pairCount);
			met += host->pairCount;
		}
		free(device);
		brDestroyCollision(host);
		brBoxMaker_Free(&maker);
		brTriangleSoup_Free(&soup);
		brDestroyMovingScene(motion);
	}
	CHECK(isSmall || (pairs.front.renewals > 0 && pairs.front.renewals < frameCount / 2));
	brGpuPairs_Free(&pairs);
	return met;
}

BR_TEST(gpu_fronts_find_the_triangles_of_the_cpu)
{
	brGpu* gpu = openAny();
	int64_t met = checkSceneFronts(test, gpu, "cloth_ball", 70.0, true, true);
	met += checkSceneFronts(test, gpu, "bodies", 18.0, false, true);
	if (test->intensity >= 0.05)
	{
		met += checkSceneFronts(test, gpu, "funnel", 227.0, true, false);
		CHECK(met > 0);
	}
	brCloseGpu(gpu);
}

// Frames of meshes: what a tracker on the device finds is what one on the CPU finds, also when other meshes come.
BR_TEST(gpu_tracker_finds_the_pairs_of_the_cpu)
{
	brGpu* gpu = openAny();
	bool isSmall = test->intensity < 0.05;
	brReport report = {0};
	brGpuTracker* tracker = BR_MADE(brGpuTracker, brCreateGpuTracker, NULL, gpu, NULL);
	int32_t kept = 0, frameCount = isSmall ? 4 : 20;
	for (int32_t frame = 0; frame < frameCount; ++frame)
	{
		brMovingSceneDef motionDef = brDefaultMovingSceneDef("cloth_ball");
		motionDef.frame = 70.0 + 0.002 * frame;
		motionDef.resolution = isSmall ? 4 : frame < 12 ? 10 : 14;
		brMovingScene* motion = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &motionDef);
		const brMesh* const* meshes = (const brMesh* const*)motion->meshes;
		int32_t meshCount = frame == 9 ? 0 : motion->meshCount;
		CHECK_RESULT(brGpuTracker_UpdateMeshes(tracker, NULL, meshes, meshCount, &report), &report);
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = true, def.keepCandidates = true, def.findTrue = false;
		brCollision* host = BR_MADE(brCollision, brCollideMeshes, NULL, meshes, meshCount, &def);
		int64_t count = 0;
		const brPair* pairs = brGpuTracker_GetPairs(tracker, &count);
		checkSame(pairs, count, host->candidates, host->candidateCount);
		brTrackStats stats = brGpuTracker_GetStats(tracker);
		CHECK_EQUAL(stats.pairCount, host->candidateCount);
		CHECK(stats.operation != br_operationPreserve || stats.entryCount >= stats.pairCount);
		kept += stats.operation == br_operationPreserve;
		brDestroyCollision(host);
		brDestroyMovingScene(motion);
	}
	CHECK(kept >= frameCount / 4);
	brDestroyGpuTracker(tracker);
	CHECK_EQUAL((int64_t)gpu->bytesHeld, 0);
	brTrackDef odd = brDefaultTrackDef();
	odd.engine = brGetResearchEngine(br_researchPeriodic);
	CHECK_EQUAL(brCreateGpuTracker(NULL, gpu, &odd, &tracker, &report), br_errorMisuse);
	brCloseGpu(gpu);
}

static brResult trackOnDevice(const brContext* context, void* user)
{
	const brDVec3 positions[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	const int32_t corners[6] = {0, 1, 2, 1, 2, 3};
	brMesh* mesh = brShape_Make(positions, 4, corners, NULL, 2);
	brGpuTracker* tracker = NULL;
	brResult result = brCreateGpuTracker(context, user, NULL, &tracker, NULL);
	for (int32_t frame = 0; frame < 3 && result >= 0; ++frame)
	{
		result = brGpuTracker_UpdateMeshes(tracker, context, (const brMesh* const*)&mesh, 1, NULL);
	}
	brDestroyGpuTracker(tracker);
	brDestroyMesh(mesh);
	return result;
}

BR_TEST(gpu_tracker_survives_any_failed_allocation)
{
	brGpu* gpu = openAny();
	CHECK(brTest_WalkAllocations(trackOnDevice, gpu) >= 6);
	brCloseGpu(gpu);
}

#endif
