// SPDX-License-Identifier: MIT

// Things that must stand still: towers, pyramids, piles. Sleeping is off in all of them.

#include "harness.h"
#include "world_scenes.h"

#include <math.h>

static brTransform stackPoses[4096];

BR_TEST(world_tower_of_ten_bricks_stands_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Tower(world, 10);
	brScene_Run(world, 600);
	brScene_Poses(world, stackPoses);
	brScene_Run(world, brTest_Rounds(test, 3600));
	double angle;
	double drift = brScene_Drift(world, stackPoses, &angle);
	CHECK_MESSAGE(drift < 1e-4, "drift %g m", drift);
	CHECK_MESSAGE(angle < 0.01 * BR_PI / 180.0, "tilt %g rad", angle);
	double top = stackPoses[10].p.z;
	CHECK_NEAR(top, 0.95, 0.005); // soft contacts sag under the load, 3.5 mm in all
	brDestroyWorld(world);
}

BR_TEST(world_tower_of_twenty_bricks_stands_at_sixteen_substeps)
{
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	def.substeps = 16;
	brWorld* world = brScene_World(NULL, &def);
	brScene_Tower(world, 20);
	brScene_Run(world, 1200); // it sways by half a millimetre at first, since it is put down without load
	brScene_Poses(world, stackPoses);
	brScene_Run(world, brTest_Rounds(test, 3600));
	double angle;
	double drift = brScene_Drift(world, stackPoses, &angle);
	CHECK_MESSAGE(drift < 1e-4, "drift %g m", drift);
	CHECK_MESSAGE(angle < 0.01 * BR_PI / 180.0, "tilt %g rad", angle);
	brDestroyWorld(world);
}

BR_TEST(world_pyramid_of_fifteen_rows_stands_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Pyramid(world, 15);
	brScene_Run(world, 600);
	brScene_Poses(world, stackPoses);
	brScene_Run(world, brTest_Rounds(test, 1200));
	double drift = brScene_Drift(world, stackPoses, NULL);
	CHECK_MESSAGE(drift < 5e-5, "drift %g m", drift);
	brDestroyWorld(world);
}

BR_TEST(world_pile_of_all_shapes_comes_to_rest)
{
	for (uint64_t seed = 0; seed < (uint64_t)brTest_Rounds(test, 3); ++seed)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Pile(world, 100, seed);
		brScene_Run(world, 900);
		brScene_Poses(world, stackPoses);
		brScene_Run(world, 300);
		double drift = brScene_Drift(world, stackPoses, NULL);
		double energy = brWorld_Energy(world).kinetic;
		CHECK_MESSAGE(drift < 5e-4, "seed %d: drift %g m, kinetic energy %g J", (int)seed, drift, energy);
		brBodyId ids[105];
		CHECK_EQUAL(brWorld_Bodies(world, ids, 105), 105);
		for (int32_t i = 5; i < 105; ++i)
		{
			brDVec3 p = brWorld_GetCenter(world, ids[i]);
			CHECK_MESSAGE(p.z > 0.02 && fabs(p.x) < 0.58 && fabs(p.y) < 0.58, "seed %d: body %d left the box: %g %g %g",
						  (int)seed, i, p.x, p.y, p.z);
		}
		brDestroyWorld(world);
	}
}
