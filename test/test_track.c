// SPDX-License-Identifier: MIT
#include "brittle/brittle.h"
#include "brittle/research.h"
#include "harness.h"
#include "pair_sequence.h"

#include <stdlib.h>
#include <string.h>

static brMovingScene* makeFrame(const char* name, double frame, int32_t resolution)
{
	brMovingSceneDef def = brDefaultMovingSceneDef(name);
	def.frame = frame;
	def.resolution = resolution;
	return BR_MADE(brMovingScene, brMakeMovingScene, NULL, &def);
}

// Those of track.h, and the fronts that are kept to be compared with.
#define TRACK_METHODS (br_trackGroups + 6)

static const brPairEngine* trackEngine(int32_t strategy)
{
	return brGetResearchEngine((brResearchMethod)(br_researchUnordered + strategy));
}

BR_TEST(track_scenes_give_the_pairs_of_collide_by_every_method)
{
	static const struct
	{
		const char* name;
		double first, step;
		int32_t resolution;
	} scenes[] = {{"cloth_ball", 50, 0.25, 20}, {"funnel", 200, 0.5, 20}, {"bodies", 5, 0.1, 6}};
	for (size_t scene = 0; scene < 3; ++scene)
	{
		brTracker* trackers[TRACK_METHODS];
		for (int32_t method = 0; method < TRACK_METHODS; ++method)
		{
			brTrackDef def = brDefaultTrackDef();
			def.method = method <= br_trackGroups ? (brTrackMethod)method : br_trackAuto;
			def.engine = method > br_trackGroups ? trackEngine(method - br_trackGroups - 1) : NULL;
			CHECK_RESULT(brCreateTracker(NULL, &def, &trackers[method], NULL), NULL);
		}
		int32_t frames = brTest_Rounds(test, 24);
		for (int32_t frame = 0; frame < frames; ++frame)
		{
			brMovingScene* motion = makeFrame(scenes[scene].name, scenes[scene].first + scenes[scene].step * frame,
											  scenes[scene].resolution);
			const brMesh* const* meshes = (const brMesh* const*)motion->meshes;
			brCollideDef def = brDefaultCollideDef();
			def.enableSelf = def.keepCandidates = true;
			def.findTrue = false;
			brCollision* collision = BR_MADE(brCollision, brCollideMeshes, NULL, meshes, motion->meshCount, &def);
			CHECK(collision->candidateCount > 0);
			size_t bytes = (size_t)collision->candidateCount * sizeof(brPair);
			qsort(collision->candidates, (size_t)collision->candidateCount, sizeof(brPair), brTest_ComparePairs);
			brPair* found = malloc(bytes);
			CHECK(found != NULL);
			for (int32_t method = 0; method < TRACK_METHODS; ++method)
			{
				brReport report = {0};
				CHECK_RESULT(brTracker_UpdateMeshes(trackers[method], NULL, meshes, motion->meshCount, NULL, &report),
							 &report);
				int64_t count = 0;
				const brPair* pairs = brTracker_GetPairs(trackers[method], &count);
				CHECK_EQUAL(count, collision->candidateCount);
				memcpy(found, pairs, bytes);
				qsort(found, (size_t)count, sizeof(brPair), brTest_ComparePairs);
				CHECK(memcmp(found, collision->candidates, bytes) == 0);
				brTrackStats stats = brTracker_GetStats(trackers[method]);
				CHECK_EQUAL(stats.pairCount, count);
				CHECK_EQUAL(stats.primitiveCount, collision->primitiveCount);
			}
			free(found);
			brDestroyCollision(collision);
			brDestroyMovingScene(motion);
		}
		for (int32_t method = 0; method < TRACK_METHODS; ++method)
		{
			brDestroyTracker(trackers[method]);
		}
	}
}

BR_TEST(track_public_frames_have_the_known_counts)
{
	const char* names[2] = {"ccd/cloth-ball/frames/cloth_ball92.ply", "ccd/cloth-ball/frames/cloth_ball93.ply"};
	brMesh* meshes[2] = {NULL, NULL};
	for (int i = 0; i < 2; ++i)
	{
		const char* path = brTest_DataPath(names[i]);
		if (path == NULL)
		{
			brTest_Skip("the mesh collection is not there");
		}
		CHECK_RESULT(brLoadMesh(NULL, path, &meshes[i], NULL), NULL);
	}
	brTrackDef def = brDefaultTrackDef();
	def.method = br_trackGroups;
	brTracker* tracker = BR_MADE(brTracker, brCreateTracker, NULL, &def);
	for (int frame = 0; frame < 5; ++frame)
	{
		const brMesh* mesh = meshes[frame % 2];
		CHECK_RESULT(brTracker_UpdateMeshes(tracker, NULL, &mesh, 1, NULL, NULL), NULL);
		CHECK(frame % 2 != 0 || brTracker_GetStats(tracker).pairCount == 1337359);
	}
	brDestroyTracker(tracker);
	brDestroyMesh(meshes[0]);
	brDestroyMesh(meshes[1]);
}

BR_TEST(track_keeps_its_memory_within_bounds)
{
	// The bound is in entries; what a front holds in bytes follows.
	brTracker* trackers[2];
	for (int i = 0; i < 2; ++i)
	{
		brTrackDef def = brDefaultTrackDef();
		def.method = br_trackGroups;
		def.engine = i == 0 ? NULL : brGetResearchEngine(br_researchStatic);
		CHECK_RESULT(brCreateTracker(NULL, &def, &trackers[i], NULL), NULL);
	}
	for (int32_t frame = 0; frame < 10; ++frame)
	{
		brMovingScene* motion = makeFrame("cloth_ball", 80 + 0.01 * frame, 100);
		for (int i = 0; i < 2; ++i)
		{
			CHECK_RESULT(brTracker_UpdateMeshes(trackers[i], NULL, (const brMesh* const*)motion->meshes,
												motion->meshCount, NULL, NULL),
						 NULL);
			brTrackStats stats = brTracker_GetStats(trackers[i]);
			CHECK_MESSAGE(stats.bytes < (int64_t)1500 * stats.primitiveCount, "%lld bytes a primitive",
						  (long long)(stats.bytes / stats.primitiveCount));
		}
		brDestroyMovingScene(motion);
	}
	brDestroyTracker(trackers[0]);
	brDestroyTracker(trackers[1]);
}

BR_TEST(track_refuses_misuse)
{
	brTrackDef def = brDefaultTrackDef();
	brTracker* tracker = NULL;
	brReport report = {0};
	CHECK_EQUAL(brCreateTracker(NULL, &def, NULL, &report), br_errorMisuse);
	def.stamp = 0;
	CHECK_EQUAL(brCreateTracker(NULL, &def, &tracker, &report), br_errorMisuse);
	def = brDefaultTrackDef();
	def.lanes = 3;
	CHECK_EQUAL(brCreateTracker(NULL, &def, &tracker, &report), br_errorMisuse);
	CHECK_RESULT(brCreateTracker(NULL, NULL, &tracker, &report), &report);
	brBox3 boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 1, 1}, {2, 2, 2}}};
	int32_t falling[3] = {0, 2, 1};
	CHECK_EQUAL(brTracker_UpdateBoxes(tracker, NULL, boxes, 2, falling, 2, NULL, &report), br_errorMisuse);
	CHECK_EQUAL(brTracker_UpdateBoxes(NULL, NULL, boxes, 2, NULL, 0, NULL, &report), br_errorMisuse);
	for (int32_t frame = 0; frame < 4; ++frame) // nothing at all is fine, and what comes after it
	{
		CHECK_RESULT(brTracker_UpdateBoxes(tracker, NULL, NULL, 0, NULL, 0, NULL, &report), &report);
		CHECK_RESULT(brTracker_UpdateBoxes(tracker, NULL, boxes, 2, NULL, 0, NULL, &report), &report);
		int64_t count = 0;
		const brPair* pairs = brTracker_GetPairs(tracker, &count);
		CHECK(count == 1 && pairs[0].a == 0 && pairs[0].b == 1);
	}
	brDestroyTracker(tracker);
	brDestroyTracker(NULL);
}
