// SPDX-License-Identifier: MIT

// Each column of the energy books against a closed form. That they add up in scenes that break is in test_run.c.

#include "brittle/world.h"
#include "harness.h"
#include "mesh_scenes.h"

#include <math.h>

#define BOOKS_GRAVITY 9.81

// A ground and one body above it, both with this friction and restitution.
static brWorld* booksWorld(const brShape* shape, double height, double friction, double restitution, brBodyId* outBody)
{
	brWorldDef def = brDefaultWorldDef();
	def.gravity = brMakeDVec3(0.0, 0.0, -BOOKS_GRAVITY);
	brWorld* world = brScene_World(NULL, &def);
	brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
	brShape* ground = BR_MADE(brShape, brCreateShape, NULL, &plane);
	brBodyDef body = brDefaultBodyDef();
	body.friction = friction, body.restitution = restitution;
	body.shape = ground, body.kind = br_bodyStatic;
	CHECK(!brBodyId_IsNull(brWorld_CreateBody(world, &body, NULL)));
	body.shape = shape, body.kind = br_bodyDynamic;
	body.pose.p = brMakeDVec3(0.0, 0.0, height);
	*outBody = brWorld_CreateBody(world, &body, NULL);
	brDestroyShape(ground);
	return world;
}

static double booksSum(const brWorld* world)
{
	brWorldEnergy e = brWorld_ComputeEnergy(world);
	return e.kinetic + e.potential + e.fracture + e.friction + e.restitution + e.damping + e.solver + e.dust - e.driven;
}

BR_TEST(books_of_a_sliding_brick_say_friction)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brShape* brick = k == 0 ? brScene_Box(0.2, 0.1, 0.02) : brScene_MeshBox(0.2, 0.1, 0.02, 2);
		brBodyId id;
		brWorld* world = booksWorld(brick, 0.01, 0.3, 0.0, &id);
		brScene_Run(world, 60);
		brWorldEnergy before = brWorld_ComputeEnergy(world);
		double given = 0.5 * brWorld_GetMass(world, id) * 2.0 * 2.0, sum = booksSum(world);
		CHECK(brWorld_SetVelocity(world, id, brMakeDVec3(2.0, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
		brScene_Run(world, 120);
		brWorldEnergy after = brWorld_ComputeEnergy(world);
		CHECK_NEAR(booksSum(world) - sum, given, 1e-6 * given);
		CHECK_NEAR(after.friction - before.friction, given, 0.01 * given);
		CHECK_NEAR(after.restitution, before.restitution, 0.01 * given);
		CHECK_NEAR(after.solver, before.solver, 0.01 * given);
		brDestroyWorld(world);
		brDestroyShape(brick);
	}
}

// Also at a slant: what a bounce rubs and what it presses are told apart.
BR_TEST(books_of_a_bouncing_ball_say_restitution)
{
	for (int32_t k = 0; k < 4; ++k)
	{
		double restitution = 0.2 * k, radius = 0.05, height = 0.5 + 0.4 * k, along = k < 2 ? 0.0 : 3.0;
		brShapeDef def = brDefaultShapeDef(br_shapeSphere);
		def.radius = radius;
		brShape* ball = BR_MADE(brShape, brCreateShape, NULL, &def);
		brBodyId id;
		brWorld* world = booksWorld(ball, radius + height, 0.1, restitution, &id);
		CHECK(brWorld_SetVelocity(world, id, brMakeDVec3(along, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
		double sum = booksSum(world), fell = brWorld_GetMass(world, id) * BOOKS_GRAVITY * height;
		brScene_Run(world, (int32_t)(60.0 * sqrt(2.0 * height / BOOKS_GRAVITY)) + 3);
		brWorldEnergy after = brWorld_ComputeEnergy(world);
		double expected = (1.0 - restitution * restitution) * fell;
		// Friction is that of the one hit, 0.1 (1 + e) m v of impulse: it slides through.
		double mass = brWorld_GetMass(world, id), push = 0.1 * (1.0 + restitution) * sqrt(2.0 * BOOKS_GRAVITY * height);
		double rubbed = along > 0.0 ? mass * push * (along - 0.5 * push * 3.5) : 0.0;
		CHECK_NEAR(booksSum(world), sum, 1e-6 * fell);
		CHECK_NEAR(after.restitution, expected, 0.01 * fell);
		CHECK_MESSAGE(restitution == 0.0 || fabs(after.friction - rubbed) < 0.01 * fell, "e %g: %g J rubbed, not %g",
					  restitution, after.friction, rubbed);
		CHECK_NEAR(after.solver, 0.0, 0.01 * fell);
		brDestroyWorld(world);
		brDestroyShape(ball);
	}
}

BR_TEST(books_of_a_damped_flight_say_damping)
{
	brShape* box = brScene_Box(0.2, 0.1, 0.05);
	brBodyId id;
	brWorld* world = booksWorld(box, 50.0, 0.3, 0.0, &id);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box, def.linearDamping = 0.7, def.angularDamping = 1.5;
	def.pose.p = brMakeDVec3(3.0, 0.0, 50.0);
	brBodyId damped = brWorld_CreateBody(world, &def, NULL);
	CHECK(brWorld_SetVelocity(world, damped, brMakeDVec3(4.0, 1.0, 0.0), brMakeDVec3(3.0, 0.5, 9.0)));
	double sum = booksSum(world);
	brScene_Run(world, 90);
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK_NEAR(booksSum(world), sum, 1e-9 * sum);
	double lost = sum - after.kinetic - after.potential;
	CHECK(lost > 1.0);
	CHECK_NEAR(after.damping, lost, 0.01 * lost);
	CHECK(after.friction == 0.0 && after.restitution == 0.0);
	brDestroyWorld(world);
	brDestroyShape(box);
}

BR_TEST(books_of_a_lift_and_a_belt_say_driven)
{
	brShape *table = brScene_Box(1.0, 1.0, 0.1), *cube = brScene_Box(0.1, 0.1, 0.1);
	brBodyId id;
	brWorld* world = booksWorld(cube, 0.05, 0.3, 0.0, &id);
	brBodyDef def = brDefaultBodyDef();
	def.shape = table, def.kind = br_bodyKinematic;
	def.pose.p = brMakeDVec3(3.0, 0.0, 0.5);
	brBodyId lift = brWorld_CreateBody(world, &def, NULL);
	def.shape = cube, def.kind = br_bodyDynamic;
	def.pose.p = brMakeDVec3(3.0, 0.0, 0.6);
	brBodyId load = brWorld_CreateBody(world, &def, NULL);
	brScene_Run(world, 60);
	double sum = booksSum(world), mass = brWorld_GetMass(world, load);
	CHECK(brWorld_SetVelocity(world, lift, brMakeDVec3(0.0, 0.0, 0.5), brMakeDVec3(0.0, 0.0, 0.0)));
	brScene_Run(world, 120);
	double raised = mass * BOOKS_GRAVITY * 1.0 + 0.5 * mass * 0.25;
	CHECK_NEAR(booksSum(world), sum, 1e-6 * raised);
	double driven = brWorld_ComputeEnergy(world).driven;
	// It is brought up to speed by a hit, which takes as much as it leaves.
	CHECK_NEAR(driven, raised + 0.5 * mass * 0.25, 0.01 * raised);
	// Brought up to speed by friction: as much is rubbed away as it gets.
	CHECK(brWorld_SetVelocity(world, lift, brMakeDVec3(0.0, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	brScene_Run(world, 60);
	CHECK(brWorld_SetVelocity(world, lift, brMakeDVec3(0.8, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	brScene_Run(world, 60);
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	double got = 0.5 * mass * 0.8 * 0.8;
	CHECK_NEAR(after.friction - before.friction, got, 0.03 * got);
	CHECK_NEAR(booksSum(world), sum, 1e-6 * raised);
	brDestroyWorld(world);
	brDestroyShape(table);
	brDestroyShape(cube);
}

// A pile at rest costs nothing.
BR_TEST(books_of_a_stack_at_rest_stand_still)
{
	brShape* box = brScene_Box(0.2, 0.2, 0.1);
	brBodyId id;
	brWorld* world = booksWorld(box, 0.05, 0.5, 0.0, &id);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box, def.enableSleep = false;
	for (int32_t i = 1; i < 8; ++i)
	{
		def.pose.p = brMakeDVec3(0.0, 0.0, 0.05 + 0.1 * i);
		CHECK(!brBodyId_IsNull(brWorld_CreateBody(world, &def, NULL)));
	}
	brScene_Run(world, 180);
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	brScene_Run(world, 300);
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	double small = 1e-5 * before.potential;
	CHECK_NEAR(after.friction, before.friction, small);
	CHECK_NEAR(after.restitution, before.restitution, small);
	CHECK_NEAR(after.solver, before.solver, small);
	CHECK_NEAR(after.damping, before.damping, small);
	brDestroyWorld(world);
	brDestroyShape(box);
}
