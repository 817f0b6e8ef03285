// SPDX-License-Identifier: MIT

// Thin and fast: plates and bullets must not go through each other.

#include "harness.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>

// How deep two boxes of one size overlap: the least over all axes that could part them, below 0 if one does.
static double fastOverlap(const brTransform* a, const brTransform* b, brDVec3 half)
{
	brMat3 axesA = brMakeMat3FromQuat(a->q), axesB = brMakeMat3FromQuat(b->q);
	brDVec3 x[3] = {axesA.cx, axesA.cy, axesA.cz}, y[3] = {axesB.cx, axesB.cy, axesB.cz};
	const double h[3] = {half.x, half.y, half.z};
	double least = INFINITY;
	for (int32_t i = 0; i < 15; ++i)
	{
		brDVec3 axis = i < 3 ? x[i] : (i < 6 ? y[i - 3] : brDCross(x[(i - 6) / 3], y[(i - 6) % 3]));
		double length = brDLength(axis);
		if (length < 1e-3)
		{
			continue;
		}
		axis = brDMul(1.0 / length, axis);
		double depth = -fabs(brDDot(axis, brDSub(b->p, a->p)));
		for (int32_t k = 0; k < 3; ++k)
		{
			depth += h[k] * (fabs(brDDot(axis, x[k])) + fabs(brDDot(axis, y[k])));
		}
		least = fmin(least, depth);
	}
	return least;
}

static double fastDeepest(const brTransform* poses, int32_t count, brDVec3 half)
{
	double deepest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = i + 1; k < count; ++k)
		{
			bool isNear = brDDistance(poses[i].p, poses[k].p) < 2.0 * brDLength(half);
			deepest = isNear ? fmax(deepest, fastOverlap(&poses[i], &poses[k], half)) : deepest;
		}
	}
	return deepest;
}

BR_TEST(world_sixty_plates_dropped_at_five_metres_a_second_do_not_cross)
{
	// Plates of 120 x 120 x 4 mm, turned anyhow. Two that cross lie more than a thickness deep in each other on the
	// way. Under the load of fifteen layers soft contacts sag; 24 substeps keep that below a quarter of the thickness.
	const double thickness = 0.004;
	const brDVec3 half = {0.06, 0.06, 0.5 * thickness};
	for (int32_t round = 0; round < brTest_Rounds(test, 2); ++round)
	{
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		def.substeps = 24;
		brWorld* world = brScene_World(NULL, &def);
		brScene_Plates(world, 60, thickness, 5.0, (uint64_t)round);
		brTransform poses[61];
		double deepest = 0.0;
		int32_t parts = 1;
		for (int32_t i = 0; i < 400; ++i)
		{
			brScene_Run(world, 1);
			CHECK_EQUAL(brScene_Poses(world, poses), 61);
			deepest = i % 4 == 0 || i < 60 ? fmax(deepest, fastDeepest(poses + 1, 60, half)) : deepest;
			parts = brWorld_GetStats(world).slices > parts ? brWorld_GetStats(world).slices : parts;
		}
		double rest = fastDeepest(poses + 1, 60, half);
		CHECK_MESSAGE(deepest < 0.9 * thickness, "round %d: plates were %g m deep in each other", round, deepest);
		CHECK_MESSAGE(rest < 0.25 * thickness, "round %d: plates rest %g m deep in each other", round, rest);
		CHECK(parts > 8);
		brDestroyWorld(world);
	}
}

BR_TEST(world_bullets_do_not_go_through_plates_that_move)
{
	// Balls and cubes at 300 m/s, five meters a step, against a plate of 4 mm that flies and turns. Each hits within 30
	// mm of the middle, from any side at up to 50 degrees; for three steps it must not come out behind the plate.
	brRandom random = brTest_Random(test);
	brShape* plate = brScene_Box(0.12, 0.12, 0.004);
	brShape* bullets[3] = {brScene_Sphere(0.005), brScene_Box(0.01, 0.01, 0.01), brScene_Capsule(0.003, 0.006)};
	int32_t hits = 0, shots = brTest_Rounds(test, 300);
	for (int32_t shot = 0; shot < shots; ++shot)
	{
		brWorld* world = brScene_World(NULL, NULL);
		double angle = brRandom_Range(&random, -0.8, 0.8), turn = brRandom_Range(&random, 0.0, 6.28);
		double flight = brRandom_Range(&random, 0.0005, 0.03), spin = brRandom_Range(&random, -5.0, 5.0);
		brDVec3 drift = {brRandom_Range(&random, -5.0, 5.0), brRandom_Range(&random, -5.0, 5.0), 0.0};
		brQuat q = brQuat_Mul(brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), turn),
							  brMakeQuatAxisAngle(brMakeDVec3(0.0, 1.0, 0.0), angle));
		brBodyDef body = brDefaultBodyDef();
		body.shape = plate;
		body.mass = 20.0; // so that the plate is not turned out of the way by the hit
		body.pose.q = q;
		body.velocity = drift;
		body.spin = brMakeDVec3(0.0, 0.0, spin);
		brBodyId target = brWorld_CreateBody(world, &body, NULL);
		// Where the middle will be when they meet, less what the bullet flies until then.
		brDVec3 off = brQuat_Rotate(
			q, brMakeDVec3(brRandom_Range(&random, -0.02, 0.02), brRandom_Range(&random, -0.02, 0.02), 0.0));
		body = brDefaultBodyDef();
		body.shape = bullets[shot % 3];
		body.density = 7800.0;
		body.velocity = brMakeDVec3(0.0, 0.0, -300.0);
		body.pose.p = brDAdd(brDMulAdd(off, flight, brDSub(drift, body.velocity)), brMakeDVec3(0.0, 0.0, 0.02));
		brBodyId bullet = brWorld_CreateBody(world, &body, NULL);
		int32_t steps = 3 + (int32_t)(flight * 60.0);
		for (int32_t i = 0; i < steps; ++i)
		{
			brScene_Run(world, 1);
			brDVec3 p = brTransform_InvPoint(brWorld_GetPose(world, target), brWorld_GetCenter(world, bullet));
			bool isBeside = fabs(p.x) > 0.064 || fabs(p.y) > 0.064;
			CHECK_MESSAGE(isBeside || p.z > (i + 1 < steps ? -0.002 : 0.0),
						  "shot %d, step %d of %d: the bullet is behind the plate at %g %g %g mm", shot, i, steps,
						  1e3 * p.x, 1e3 * p.y, 1e3 * p.z);
		}
		hits += brWorld_GetVelocity(world, bullet).z > -200.0;
		brDestroyWorld(world);
	}
	CHECK_MESSAGE(hits > shots * 9 / 10, "%d of %d shots hit", hits, shots);
	brDestroyShape(plate);
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(bullets[i]);
	}
}

BR_TEST(world_plates_that_fall_fast_do_not_cross)
{
	// 6 plates of 120 x 120 x 4 mm, turned about z, one above the other, at 5 m/s: in the end they lie in their order.
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* plate = brScene_Box(0.12, 0.12, 0.004);
	brRandom random = brTest_Random(test);
	brBodyId ids[6];
	for (int32_t i = 0; i < 6; ++i)
	{
		brBodyDef def = brDefaultBodyDef();
		def.shape = plate;
		def.density = 2500.0;
		def.velocity.z = -5.0;
		def.pose.p = brMakeDVec3(brRandom_Range(&random, -0.005, 0.005), brRandom_Range(&random, -0.005, 0.005),
								 0.02 + 0.02 * i);
		def.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), brRandom_Range(&random, 0.0, 6.0));
		ids[i] = brWorld_CreateBody(world, &def, NULL);
	}
	brDestroyShape(plate);
	brScene_Run(world, 300);
	for (int32_t i = 1; i < 6; ++i)
	{
		double below = brWorld_GetCenter(world, ids[i - 1]).z, here = brWorld_GetCenter(world, ids[i]).z;
		CHECK_MESSAGE(here - below > 0.003, "plate %d is at %g, the one below at %g", i, here, below);
	}
	brDestroyWorld(world);
}

BR_TEST(world_fast_bodies_do_not_go_through_a_thin_wall)
{
	brShape* wallShape = brScene_Box(0.01, 4.0, 4.0);
	brShape* shapes[3] = {brScene_Sphere(0.02), brScene_Box(0.04, 0.04, 0.04), brScene_Capsule(0.02, 0.03)};
	const double speeds[4] = {5.0, 20.0, 80.0, 320.0};
	for (int32_t k = 0; k < 12; ++k)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
		brWorld* world = brScene_World(NULL, &worldDef);
		brBodyDef def = brDefaultBodyDef();
		def.kind = br_bodyStatic;
		def.shape = wallShape;
		brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = shapes[k % 3];
		def.pose.p = brMakeDVec3(-3.0, 0.1, 0.2);
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, 2.0, 3.0)), 0.4 * k);
		def.velocity.x = speeds[k / 3];
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brScene_Run(world, 120);
		double x = brWorld_GetCenter(world, id).x;
		CHECK_MESSAGE(x < 0.0, "shape %d at %g m/s went through to %g", k % 3, speeds[k / 3], x);
		brDestroyWorld(world);
	}
	brDestroyShape(wallShape);
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(shapes[i]);
	}
}
