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

// A column of boxes with equal gaps that falls on the ground, at one speed. Those near the ground may hit it, and news
// of that crosses gap after gap; a pair is kept if it gets over the gap between the two within what both go in the
// step. True if no sum is too near to that to tell.
static bool reachExpect(double gap, double height, double motion, int32_t* outPairs)
{
	double margin = 0.02 * 0.1, radius = 0.05 * sqrt(3.0), news = INFINITY;
	double slack = margin + 2.0 * 9.81 * REACH_DT * REACH_DT; // of boxes that fall
	bool isClear = true;
	*outPairs = 0;
	for (int32_t i = 0; i < 8; ++i)
	{
		double toGround = height + i * (0.1 + gap) - radius - margin - motion;
		isClear = isClear && fabs(toGround) > 1e-4 && fabs(gap - slack) > 1e-4;
		*outPairs += toGround < 0.0;
		news = toGround < 0.0 || gap < slack ? 0.0 : news + gap - slack;
		for (int32_t k = i + 1; k < 8; ++k)
		{
			double between = (k - i) * gap + (k - i - 1) * 0.1 - slack;
			double swept = between + slack - margin - 2.0 * motion; // what boxes that hold the whole way are apart
			isClear = isClear && fabs(news + between - 2.0 * motion) > 1e-4 && fabs(swept) > 1e-4;
			*outPairs += news + between < 2.0 * motion && swept < 0.0;
		}
		news = news > 2.0 * motion ? INFINITY : news;
	}
	return isClear;
}

BR_TEST(world_news_of_a_hit_goes_through_a_column)
{
	brRandom random = brTest_Random(test);
	int32_t partly = 0, rounds = brTest_Rounds(test, 60);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brWorldDef def = brDefaultWorldDef();
		brWorld* world = brScene_World(NULL, &def);
		brShape* shape = brScene_Box(0.1, 0.1, 0.1);
		brScene_Ground(world);
		double speed = brRandom_Range(&random, 0.5, 8.0), gap = brRandom_Range(&random, 0.004, 0.06);
		double height = 0.05 + brRandom_Range(&random, 0.001, 0.2);
		double motion = REACH_DT * (speed + REACH_DT * 9.81);
		for (int32_t i = 0; i < 8; ++i)
		{
			brDVec3 p = {0.0, 0.0, height + i * (0.1 + gap)};
			reachAdd(world, shape, p, brMakeDVec3(0.0, 0.0, -speed));
		}
		brDestroyShape(shape);
		int32_t expected;
		bool isClear = reachExpect(gap, height, motion, &expected);
		brWorld_Step(world, REACH_DT, NULL);
		CHECK_MESSAGE(!isClear || brWorld_GetStats(world).pairs == expected, "%g m/s, gaps of %g m: %d pairs, not %d",
					  speed, gap, brWorld_GetStats(world).pairs, expected);
		partly += expected > 3 && expected < 12;
		brDestroyWorld(world);
	}
	CHECK(partly > rounds / 10);
}
