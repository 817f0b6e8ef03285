// SPDX-License-Identifier: MIT
#include "brittle/collide.h"
#include "brittle/moving_scene.h"
#include "harness.h"

#include <string.h>

BR_TEST(motion_scenes_keep_their_topology_and_collide)
{
	for (int32_t i = 0; i < brGetMovingSceneCount(); ++i)
	{
		const brMovingSceneInfo* info = brGetMovingSceneInfo(i);
		brMovingSceneDef def = brDefaultMovingSceneDef(info->name);
		brReport report = {0};
		brMovingScene* first = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &def);
		int64_t maxPairs = 0;
		for (int32_t step = 1; step <= 4; ++step)
		{
			brMovingScene* motion = NULL;
			def.frame = 0.25 * step * info->frameCount;
			CHECK_RESULT(brMakeMovingScene(NULL, &def, &motion, &report), &report);
			CHECK_EQUAL(motion->meshCount, first->meshCount);
			for (int32_t k = 0; k < motion->meshCount; ++k)
			{
				const brMesh *a = first->meshes[k], *b = motion->meshes[k];
				CHECK_EQUAL(a->vertexCount, b->vertexCount);
				CHECK(a->cornerCount == b->cornerCount &&
					  memcmp(a->corners, b->corners, (size_t)a->cornerCount * sizeof(int32_t)) == 0);
				for (int32_t v = 0; v < b->vertexCount; ++v)
				{
					CHECK(brDIsFinite(b->positions[v]) && brDLength(b->positions[v]) < 10.0);
				}
			}
			brCollideDef collide = brDefaultCollideDef();
			collide.enableSelf = true;
			brCollision* collision = BR_MADE(brCollision, brCollideMeshes, NULL, (const brMesh* const*)motion->meshes,
											 motion->meshCount, &collide);
			CHECK(collision->candidateCount > collision->primitiveCount); // neighbors at least
			maxPairs = collision->pairCount > maxPairs ? collision->pairCount : maxPairs;
			brDestroyCollision(collision);
			brDestroyMovingScene(motion);
		}
		CHECK_MESSAGE(maxPairs > 100, "scene %s never collides", info->name);
		brDestroyMovingScene(first);
	}
}

static brResult makeOnce(const brContext* context, void* user)
{
	brMovingSceneDef def = brDefaultMovingSceneDef(user);
	def.resolution = 8;
	def.frame = 10.0;
	brMovingScene* motion = NULL;
	brResult result = brMakeMovingScene(context, &def, &motion, NULL);
	CHECK((result < 0) == (motion == NULL));
	brDestroyMovingScene(motion);
	return result;
}

BR_TEST(motion_refuses_what_it_cannot_make)
{
	brMovingScene* motion = NULL;
	brReport report = {0};
	brMovingSceneDef def = brDefaultMovingSceneDef("waterfall");
	CHECK_EQUAL(brMakeMovingScene(NULL, &def, &motion, &report), br_errorMisuse);
	CHECK(strstr(report.text, "cloth_ball") != NULL);
	def = brDefaultMovingSceneDef("funnel");
	def.frame = NAN;
	CHECK_EQUAL(brMakeMovingScene(NULL, &def, &motion, &report), br_errorMisuse);
	def = brDefaultMovingSceneDef("funnel");
	def.resolution = 3;
	CHECK_EQUAL(brMakeMovingScene(NULL, &def, &motion, &report), br_errorMisuse);
	def.stamp = 0;
	CHECK_EQUAL(brMakeMovingScene(NULL, &def, &motion, &report), br_errorMisuse);
	CHECK(motion == NULL && brGetMovingSceneInfo(-1) == NULL && brGetMovingSceneInfo(brGetMovingSceneCount()) == NULL);
	char name[] = "funnel";
	CHECK(brTest_WalkAllocations(makeOnce, name) > 5);
}
