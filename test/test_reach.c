// SPDX-License-Identifier: MIT

// Pairs that nothing can bring together in a step are dropped (dynamics/reach.c); those that a hit may reach are not.

#include "brittle/brittle.h"
#include "harness.h"
#include "world_scenes.h"

#include <math.h>

#define REACH_DT (1.0 / 60.0)

static brBodyId reachAdd(brWorld* world, const brShape* shape, brDVec3 position, brDVec3 velocity)
{
	brBodyDef def = brDefaultBodyDef();
	def.shape = shape;
	def.pose.p = position;
	def.velocity = velocity;
	return brWorld_CreateBody(world, &def, NULL);
}

BR_TEST(world_cloud_that_flies_together_has_no_pairs)
{
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = NULL;
	CHECK(brCreateWorld(NULL, &def, &world, NULL) >= 0);
	brShape* shape = brScene_Box(0.1, 0.1, 0.1);
	for (int32_t i = 0; i < 216; ++i)
	{
		brDVec3 p = {0.13 * (i % 6), 0.13 * (i / 6 % 6), 0.13 * (int)(i / 36)};
		reachAdd(world, shape, p, brMakeDVec3(0.0, 3.0, -10.0));
	}
	brWorld_Step(world, REACH_DT, NULL);
	CHECK_EQUAL(brWorld_GetStats(world).pairs, 0);
	// One that comes at them is a matter of those in its way, and of what these may be thrown at.
	reachAdd(world, shape, brMakeDVec3(0.32, 0.42, -0.8), brMakeDVec3(0.0, 3.0, 40.0));
	brWorld_Step(world, REACH_DT, NULL);
	CHECK(brWorld_GetStats(world).pairs > 8);
	brDestroyShape(shape);
	brDestroyWorld(world);
}

// A column that falls on the ground is stopped from below, in one step through several gaps.
BR_TEST(world_news_of_a_hit_goes_through_a_column)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		brWorldDef def = brDefaultWorldDef();
		brWorld* world = NULL;
		CHECK(brCreateWorld(NULL, &def, &world, NULL) >= 0);
		brShape* shape = brScene_Box(0.1, 0.1, 0.1);
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		brShape* ground = NULL;
		CHECK(brCreateShape(NULL, &plane, &ground, NULL) >= 0);
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic, body.shape = ground;
		brWorld_CreateBody(world, &body, NULL);
		double speed = brRandom_Range(&random, 2.0, 20.0), height = 0.05 + brRandom_Range(&random, 0.0, 0.3);
		brBodyId ids[8];
		for (int32_t i = 0; i < 8; ++i)
		{
			ids[i] = reachAdd(world, shape, brMakeDVec3(0.0, 0.0, height), brMakeDVec3(0.0, 0.0, -speed));
			height += 0.1 + brRandom_Range(&random, 0.001, 0.03);
		}
		// Until it topples. Its contacts give way by a quarter of a box; without news of the hit boxes went on by what they fall in a step.
		bool isUpright = true;
		for (int32_t step = 0; step < 40 && isUpright; ++step)
		{
			brWorld_Step(world, REACH_DT, NULL);
			double below = -0.05, deepest = 0.0;
			for (int32_t i = 0; i < 8; ++i)
			{
				brDVec3 p = brWorld_GetCenter(world, ids[i]);
				isUpright = isUpright && fabs(p.x) < 0.002 && fabs(p.y) < 0.002;
				deepest = fmax(deepest, below + 0.1 - p.z);
				below = p.z;
			}
			CHECK_MESSAGE(!isUpright || deepest < 0.03, "round %d, step %d: %g m deep in what is below", round, step,
						  deepest);
		}
		brDestroyShape(shape);
		brDestroyShape(ground);
		brDestroyWorld(world);
	}
}
