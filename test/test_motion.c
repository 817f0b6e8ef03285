// SPDX-License-Identifier: MIT
#include "brittle/collide.h"
#include "brittle/motion.h"
#include "harness.h"

#include <string.h>

BR_TEST(motion_scenes_keep_their_topology_and_collide)
{
	for (int32_t i = 0; i < brMotion_Count(); ++i)
	{
		const brMotionInfo* info = brMotion_Info(i);
		brMotionDef def = brDefaultMotionDef(info->name);
		brMotion* first = NULL;
		brReport report = {0};
		CHECK_RESULT(brMakeMotion(NULL, &def, &first, &report), &report);
		int64_t mostPairs = 0;
		for (int32_t step = 1; step <= 4; ++step)
		{
			brMotion* motion = NULL;
			def.frame = 0.25 * step * info->frameCount;
			CHECK_RESULT(brMakeMotion(NULL, &def, &motion, &report), &report);
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
			brCollision* collision = NULL;
			CHECK_RESULT(brCollideMeshes(NULL, (const brMesh* const*)motion->meshes, motion->meshCount, &collide,
										 &collision, &report),
						 &report);
			CHECK(collision->candidateCount > collision->primitiveCount); // neighbours at least
			mostPairs = collision->pairCount > mostPairs ? collision->pairCount : mostPairs;
			brDestroyCollision(collision);
			brDestroyMotion(motion);
		}
		CHECK_MESSAGE(mostPairs > 100, "scene %s never collides", info->name);
		brDestroyMotion(first);
	}
}

static brResult makeOnce(const brContext* context, void* user)
{
	brMotionDef def = brDefaultMotionDef(user);
	def.resolution = 8;
	def.frame = 10.0;
	brMotion* motion = NULL;
	brResult result = brMakeMotion(context, &def, &motion, NULL);
	CHECK((result < 0) == (motion == NULL));
	brDestroyMotion(motion);
	return result;
}

BR_TEST(motion_refuses_what_it_cannot_make)
{
	brMotion* motion = NULL;
	brReport report = {0};
	brMotionDef def = brDefaultMotionDef("waterfall");
	CHECK_EQUAL(brMakeMotion(NULL, &def, &motion, &report), br_errorMisuse);
	CHECK(strstr(report.text, "cloth_ball") != NULL);
	def = brDefaultMotionDef("funnel");
	def.frame = NAN;
	CHECK_EQUAL(brMakeMotion(NULL, &def, &motion, &report), br_errorMisuse);
	def = brDefaultMotionDef("funnel");
	def.resolution = 3;
	CHECK_EQUAL(brMakeMotion(NULL, &def, &motion, &report), br_errorMisuse);
	def.stamp = 0;
	CHECK_EQUAL(brMakeMotion(NULL, &def, &motion, &report), br_errorMisuse);
	CHECK(motion == NULL && brMotion_Info(-1) == NULL && brMotion_Info(brMotion_Count()) == NULL);
	char name[] = "funnel";
	CHECK(brTest_WalkAllocations(makeOnce, name) > 5);
}
