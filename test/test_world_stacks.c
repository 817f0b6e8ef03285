// SPDX-License-Identifier: MIT

// Things that must stand still: towers, pyramids, piles. Sleeping is off in all of them.

#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>

static brTransform stackPoses[4096];

// Deepest overlap of all contacts of the last step, at its end.
static double stackDepth(const brWorld* world)
{
	const brDynamics* dynamics = &world->dynamics;
	double deepest = 0.0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
		for (int32_t k = 0; k < BR_MANIFOLD_POINTS * contact->manifoldCount; ++k)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, k / BR_MANIFOLD_POINTS);
			const brContactPoint* point = &manifold->points[k % BR_MANIFOLD_POINTS];
			brDVec3 n = brQuat_Rotate(a->rotation, brToDVec3(manifold->normal));
			brDVec3 onA = brDAdd(a->position, brQuat_Rotate(a->rotation, brToDVec3(point->anchorA)));
			brDVec3 onB = brDAdd(b->position, brQuat_Rotate(b->rotation, brToDVec3(point->anchorB)));
			double depth = -((double)point->separation + brDDot(n, brDSub(onB, onA)));
			deepest = k % BR_MANIFOLD_POINTS < manifold->pointCount ? fmax(deepest, depth) : deepest;
		}
	}
	return deepest;
}

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
	brScene_Run(world, 600); // it sways by a millimeter at first, since it is put down without load
	brScene_Poses(world, stackPoses);
	brScene_Run(world, brTest_Rounds(test, 3600));
	double angle;
	double drift = brScene_Drift(world, stackPoses, &angle);
	CHECK_MESSAGE(drift < 1e-4, "drift %g m", drift);
	CHECK_MESSAGE(angle < 0.01 * BR_PI / 180.0, "tilt %g rad", angle);
	brDestroyWorld(world);
}

// Of flat bricks, as boxes and as meshes: at default settings twenty, at 16 substeps forty.
BR_TEST(world_towers_of_twenty_and_forty_bricks_stand)
{
	for (int32_t k = 0; k < 4; ++k)
	{
		int32_t count = k < 2 ? 20 : 40;
		brWorldDef def = brDefaultWorldDef();
		def.substeps = k < 2 ? def.substeps : 16;
		brWorld* world = brScene_World(NULL, &def);
		brScene_Ground(world);
		brShape* brick = k % 2 == 0 ? brScene_Box(0.25, 0.12, 0.065) : brScene_MeshBox(0.25, 0.12, 0.065, 1);
		brBodyId top = {0};
		for (int32_t i = 0; i < count; ++i)
		{
			top = brScene_Body(world, brick, 0.0, 0.0, 0.0325 + 0.065 * i);
		}
		brDestroyShape(brick);
		brScene_Run(world, 600);
		brDVec3 p = brWorld_GetCenter(world, top);
		double height = 0.065 * count - 0.0325;
		CHECK_MESSAGE(p.z > 0.97 * height && fabs(p.x) < 0.01 && fabs(p.y) < 0.01,
					  "%d bricks at %d substeps: the top is at %g %g %g, not %g", count, def.substeps, p.x, p.y, p.z,
					  height);
		CHECK_MESSAGE(!brWorld_IsAwake(world, top), "%d bricks are awake after 10 s", count);
		brDestroyWorld(world);
	}
}

BR_TEST(world_pyramids_stand_still)
{
	// At 16 substeps contacts are stiffer and rock sooner.
	const int32_t rows[2] = {15, 12}, substeps[2] = {8, 16};
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		def.substeps = substeps[k];
		brWorld* world = brScene_World(NULL, &def);
		brScene_Pyramid(world, rows[k]);
		brScene_Run(world, 600);
		brScene_Poses(world, stackPoses);
		brScene_Run(world, brTest_Rounds(test, 1200));
		double drift = brScene_Drift(world, stackPoses, NULL);
		CHECK_MESSAGE(drift < 5e-5, "%d rows: drift %g m", rows[k], drift);
		brDestroyWorld(world);
	}
}

BR_TEST(world_crossed_pairs_stand_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Crossed(world);
	brScene_Run(world, 600);
	brScene_Poses(world, stackPoses);
	brScene_Run(world, brTest_Rounds(test, 3600));
	double drift = brScene_Drift(world, stackPoses, NULL);
	CHECK_MESSAGE(drift < 5e-5, "drift %g m", drift);
	CHECK_NEAR(stackPoses[12].p.z, 0.55, 0.002);
	brDestroyWorld(world);
}

BR_TEST(world_houses_of_cards_stand)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		def.substeps = 8 << k;
		brWorld* world = brScene_World(NULL, &def);
		double height = brScene_Cards(world, 4 + k, false);
		brScene_Run(world, 600);
		int32_t count = brScene_Poses(world, stackPoses);
		brScene_Run(world, brTest_Rounds(test, 1200));
		double drift = brScene_Drift(world, stackPoses, NULL);
		CHECK_MESSAGE(drift < 5e-4, "%d tiers: drift %g m", 4 + k, drift);
		// The highest are the two that lean on each other at the top, half their height below it.
		CHECK_NEAR(stackPoses[count - 1].p.z, height - 0.047, 0.004);
		brDestroyWorld(world);
	}
}

// Without sleep a hundred bricks make columns of eleven now and then, one more than stands at 8 substeps, and these
// slowly tip onto what is beside them: so nobody sleeps in heaps of seventy, and everybody has to in those of a
// hundred.
BR_TEST(world_piles_of_bricks_come_to_rest)
{
	for (uint64_t seed = 1; seed <= (uint64_t)brTest_Rounds(test, 6); ++seed)
	{
		brWorldDef def = brDefaultWorldDef();
		for (int32_t k = 0; k < 2; ++k)
		{
			int32_t count = k == 0 ? 70 : 100;
			def.enableSleep = k == 1;
			brWorld* world = brScene_World(NULL, &def);
			brScene_Bricks(world, count, seed);
			brScene_Run(world, 600);
			brScene_Poses(world, stackPoses);
			brScene_Run(world, 300);
			double drift = brScene_Drift(world, stackPoses, NULL);
			CHECK_MESSAGE(drift <= (k == 0 ? 1e-4 : 0.0), "seed %d: %d bricks drift by %g m", (int)seed, count, drift);
			CHECK_EQUAL(brWorld_GetStats(world).awake, k == 0 ? count : 0);
			CHECK_MESSAGE(stackDepth(world) < 0.004, "seed %d: %g m deep", (int)seed, stackDepth(world));
			brDestroyWorld(world);
		}
	}
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
		double energy = brWorld_ComputeEnergy(world).kinetic;
		CHECK_MESSAGE(drift < 5e-4, "seed %d: drift %g m, kinetic energy %g J", (int)seed, drift, energy);
		brBodyId ids[105];
		CHECK_EQUAL(brWorld_GetBodies(world, ids, 105), 105);
		for (int32_t i = 5; i < 105; ++i)
		{
			brDVec3 p = brWorld_GetCenter(world, ids[i]);
			CHECK_MESSAGE(p.z > 0.02 && fabs(p.x) < 0.58 && fabs(p.y) < 0.58, "seed %d: body %d left the box: %g %g %g",
						  (int)seed, i, p.x, p.y, p.z);
		}
		brDestroyWorld(world);
	}
}

BR_TEST(world_heavy_body_rests_on_a_light_one)
{
	// 100 : 1 at 8 substeps is the limit we promise; the light one sinks by less than a twentieth of its size.
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* box = brScene_Box(0.2, 0.2, 0.2);
	brBodyId light = brScene_Body(world, box, 0.0, 0.0, 0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.density = 200000.0;
	def.pose.p.z = 0.3;
	brBodyId heavy = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	brScene_Run(world, 600);
	CHECK_MESSAGE(brWorld_GetCenter(world, heavy).z > 0.29, "%g", brWorld_GetCenter(world, heavy).z);
	CHECK_MESSAGE(brWorld_GetCenter(world, light).z > 0.095, "%g", brWorld_GetCenter(world, light).z);
	CHECK(brWorld_ComputeEnergy(world).kinetic < 1e-4);
	brDestroyWorld(world);
}

// Of boxes that fall one behind the other the second ran a third into the first as soon as that was stopped: they had
// looked no further than they move relative to each other.
BR_TEST(stack_boxes_that_fall_one_behind_the_other_do_not_overlap)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		brWorld* world = brScene_World(NULL, &worldDef);
		brScene_Ground(world);
		brShape* cube = brScene_Box(0.1, 0.1, 0.1);
		for (int32_t i = 0; i < 10; ++i)
		{
			brBodyDef def = brDefaultBodyDef();
			def.shape = cube;
			def.pose.p.z = 0.3 + 0.12 * i;
			def.velocity.z = k == 0 ? -2.0 : -5.0;
			brWorld_CreateBody(world, &def, NULL);
		}
		brDestroyShape(cube);
		double deepest = 0.0;
		for (int32_t step = 0; step < 60; ++step)
		{
			brScene_Run(world, 1);
			deepest = fmax(deepest, brScene_Depth(world));
		}
		CHECK_MESSAGE(deepest < 0.01, "%g m", deepest);
		brDestroyWorld(world);
	}
}
