// SPDX-License-Identifier: MIT

// Concave bodies that must stand still, or move as they should. Sleeping is off in all of them.

#include "contact/collide_mesh.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"

#include <math.h>

static brTransform meshPoses[4096];

static void meshTower(brWorld* world, int32_t count, int32_t parts)
{
	brScene_Ground(world);
	brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, parts);
	for (int32_t i = 0; i < count; ++i)
	{
		brScene_Body(world, brick, 0.0, 0.0, 0.05 + 0.1 * i);
	}
	brDestroyShape(brick);
}

BR_TEST(mesh_tower_of_ten_bricks_stands_still)
{
	for (int32_t parts = 1; parts <= 4; parts += 3)
	{
		brWorld* world = brScene_World(NULL, NULL);
		meshTower(world, 10, parts);
		brScene_Run(world, 600);
		brScene_Poses(world, meshPoses);
		brScene_Run(world, brTest_Rounds(test, 600));
		double angle;
		double drift = brScene_Drift(world, meshPoses, &angle);
		CHECK_MESSAGE(drift < 1e-4, "drift %g m", drift);
		CHECK_MESSAGE(angle < 0.01 * BR_PI / 180.0, "tilt %g rad", angle);
		CHECK_NEAR(meshPoses[10].p.z, 0.95, 0.005); // soft contacts sag under the load
		brDestroyWorld(world);
	}
}

BR_TEST(mesh_pyramid_stands_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, 1);
	const int32_t rows = 10;
	for (int32_t row = 0; row < rows; ++row)
	{
		for (int32_t i = 0; i < rows - row; ++i)
		{
			brScene_Body(world, brick, 0.21 * (i + 0.5 * row), 0.0, 0.05 + 0.1 * row);
		}
	}
	brDestroyShape(brick);
	brScene_Run(world, 600);
	brScene_Poses(world, meshPoses);
	brScene_Run(world, brTest_Rounds(test, 600));
	double drift = brScene_Drift(world, meshPoses, NULL);
	CHECK_MESSAGE(drift < 5e-5, "drift %g m", drift);
	brDestroyWorld(world);
}

BR_TEST(mesh_crossed_layers_stand_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, 2);
	for (int32_t layer = 0; layer < 6; ++layer)
	{
		for (int32_t k = -1; k <= 1; k += 2)
		{
			brBodyDef def = brDefaultBodyDef();
			def.shape = brick;
			def.density = 2000.0;
			double off = 0.051 * k;
			def.pose.p = brMakeDVec3(layer % 2 == 0 ? 0.0 : off, layer % 2 == 0 ? off : 0.0, 0.05 + 0.1 * layer);
			def.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), layer % 2 == 0 ? 0.0 : 0.5 * BR_PI);
			brWorld_CreateBody(world, &def, NULL);
		}
	}
	brDestroyShape(brick);
	brScene_Run(world, 600);
	brScene_Poses(world, meshPoses);
	brScene_Run(world, brTest_Rounds(test, 600));
	double drift = brScene_Drift(world, meshPoses, NULL);
	CHECK_MESSAGE(drift < 5e-5, "drift %g m", drift);
	brDestroyWorld(world);
}

BR_TEST(mesh_pile_of_bricks_comes_to_rest)
{
	// A hundred bricks and six seeds in long runs.
	bool isLong = test->intensity > 1.5;
	for (uint64_t seed = 0; seed < (isLong ? 6u : 1u); ++seed)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, 1);
		brScene_MeshPile(world, &brick, 1, isLong ? 100 : 40, 0.3, 0.24, seed);
		brDestroyShape(brick);
		brScene_Run(world, isLong ? 1800 : 500);
		brScene_Poses(world, meshPoses);
		brScene_Run(world, 200);
		double drift = brScene_Drift(world, meshPoses, NULL), depth = brScene_Depth(world);
		double energy = brWorld_Energy(world).kinetic;
		CHECK_MESSAGE(drift < 1e-4 && depth < 0.004 && energy < 4e-5,
					  "seed %d: drift %g m, depth %g m, kinetic energy %g J", (int)seed, drift, depth, energy);
		brDestroyWorld(world);
	}
}
