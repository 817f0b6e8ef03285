// SPDX-License-Identifier: MIT

// What lies on things that stand still gains no energy of its own, and loses none of what it is given from outside:
// impulses, pushes in each step, motors and moving kinematic bodies.

#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"

#include <math.h>

enum
{
	energyRate = 60, // steps a second
};

#define ENERGY_FRICTION 0.3
#define ENERGY_GRAVITY 9.81

static brBodyId energyBody(brWorld* world, const brShape* shape, brBodyKind kind, brDVec3 place)
{
	brBodyDef def = brDefaultBodyDef();
	def.shape = shape;
	def.kind = kind;
	def.friction = ENERGY_FRICTION;
	def.pose.p = place;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	CHECK(!brBodyId_IsNull(id));
	return id;
}

// A brick as box or mesh on a ground of the same friction, at rest.
static brWorld* energyBrick(bool isMesh, brBodyId* outBrick)
{
	brWorldDef def = brDefaultWorldDef();
	def.gravity = brMakeDVec3(0.0, 0.0, -ENERGY_GRAVITY);
	brWorld* world = brScene_World(NULL, &def);
	brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
	brShape *ground = NULL, *brick = isMesh ? brScene_MeshBox(0.2, 0.1, 0.02, 2) : brScene_Box(0.2, 0.1, 0.02);
	CHECK_RESULT(brCreateShape(NULL, &plane, &ground, NULL), NULL);
	energyBody(world, ground, br_bodyStatic, brMakeDVec3(0.0, 0.0, 0.0));
	*outBrick = energyBody(world, brick, br_bodyDynamic, brMakeDVec3(0.0, 0.0, 0.01));
	brDestroyShape(ground);
	brDestroyShape(brick);
	brScene_Run(world, 2 * energyRate);
	return world;
}

BR_TEST(energy_of_an_impulse_goes_into_friction_alone)
{
	for (int32_t k = 0; k < 6; ++k)
	{
		brBodyId brick;
		brWorld* world = energyBrick(k % 2 == 1, &brick);
		double speed = 0.5 + 0.2 * (k / 2), start = brWorld_GetCenter(world, brick).x;
		CHECK(brWorld_ApplyImpulse(world, brick, brMakeDVec3(speed * brWorld_GetMass(world, brick), 0.0, 0.0),
								   brWorld_GetCenter(world, brick)));
		brScene_Run(world, energyRate);
		double way = brWorld_GetCenter(world, brick).x - start;
		double expected = speed * speed / (2.0 * ENERGY_FRICTION * ENERGY_GRAVITY);
		CHECK_MESSAGE(fabs(way - expected) < 0.03 * expected, "%g m/s slide %g m, not %g", speed, way, expected);
		brDestroyWorld(world);
	}
}

BR_TEST(energy_of_pushes_in_each_step_is_kept)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brBodyId brick;
		brWorld* world = energyBrick(k == 1, &brick);
		double mass = brWorld_GetMass(world, brick), push = 1.5 * ENERGY_FRICTION * ENERGY_GRAVITY * mass / energyRate;
		for (int32_t step = 0; step < energyRate / 2; ++step)
		{
			brDVec3 low = brDAdd(brWorld_GetCenter(world, brick), brMakeDVec3(0.0, 0.0, -0.01));
			CHECK(brWorld_ApplyImpulse(world, brick, brMakeDVec3(push, 0.0, 0.0), low));
			brScene_Run(world, 1);
		}
		double speed = brWorld_GetVelocity(world, brick).x, expected = 0.5 * 0.5 * ENERGY_FRICTION * ENERGY_GRAVITY;
		CHECK_MESSAGE(fabs(speed - expected) < 0.03 * expected, "pushed to %g m/s, not %g", speed, expected);
		brDestroyWorld(world);
	}
}

BR_TEST(energy_of_kinematic_bodies_lifts_and_carries)
{
	brBodyId brick;
	brWorld* world = energyBrick(true, &brick);
	brShape *table = brScene_Box(1.0, 1.0, 0.1), *cube = brScene_MeshBox(0.05, 0.05, 0.05, 2);
	brBodyId lift = energyBody(world, table, br_bodyKinematic, brMakeDVec3(3.0, 0.0, 0.5)), cubes[4];
	for (int32_t i = 0; i < 4; ++i)
	{
		cubes[i] = energyBody(world, cube, br_bodyDynamic, brMakeDVec3(3.0, 0.0, 0.575 + 0.05 * i));
	}
	brScene_Run(world, 2 * energyRate);
	CHECK(brWorld_SetVelocity(world, lift, brMakeDVec3(0.1, 0.0, 0.2), brMakeDVec3(0.0, 0.0, 0.0)));
	brScene_Run(world, 2 * energyRate);
	for (int32_t i = 0; i < 4; ++i)
	{
		brDVec3 p = brWorld_GetCenter(world, cubes[i]);
		CHECK_NEAR(p.z, 0.975 + 0.05 * i, 1e-3);
		CHECK_NEAR(p.x, 3.2, 5e-3);
	}
	brDestroyShape(table);
	brDestroyShape(cube);
	brDestroyWorld(world);
}

BR_TEST(energy_of_a_motor_is_kept)
{
	// A propeller on a block that stands on the ground.
	brBodyId brick;
	brWorld* world = energyBrick(false, &brick);
	brShape *block = brScene_Box(0.3, 0.3, 0.3), *blade = brScene_Box(0.4, 0.04, 0.02);
	brBodyId stand = energyBody(world, block, br_bodyDynamic, brMakeDVec3(2.0, 0.0, 0.15));
	brBodyId rotor = energyBody(world, blade, br_bodyDynamic, brMakeDVec3(2.0, 0.0, 0.4));
	brJointDef def = brDefaultJointDef();
	def.kind = br_jointHinge;
	def.bodyA = stand, def.bodyB = rotor;
	def.anchor = brMakeDVec3(2.0, 0.0, 0.4);
	def.axis = brMakeDVec3(0.0, 0.0, 1.0);
	def.enableMotor = true, def.motorSpeed = 2.0, def.motorTorque = 0.05;
	CHECK(brWorld_CreateJoint(world, &def, NULL).index1 > 0);
	brScene_Run(world, 5 * energyRate);
	CHECK_NEAR(brWorld_GetSpin(world, rotor).z, 2.0, 0.02);
	brDestroyShape(block);
	brDestroyShape(blade);
	brDestroyWorld(world);
}

// A bowl that is let go on its side rocks on its belly. It is lifted out of the ground at the turning points, where it
// has no motion to pay with: it owes that, or it would rock for ever.
BR_TEST(energy_of_a_rocking_bowl_dies_out)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 6); ++round)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		brWorld* world = brScene_World(NULL, &worldDef);
		brScene_Ground(world);
		brShape* shape = brScene_MeshModel("bowl", 24, 0.2, true);
		brBodyDef def = brDefaultBodyDef();
		def.shape = shape;
		def.density = 2400.0;
		def.pose.p.z = 0.11;
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, brRandom_Range(&random, -1.0, 1.0), 0.0)),
										 brRandom_Range(&random, 0.2, 1.0));
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(shape);
		int32_t steps = 0;
		while (brWorld_IsAwake(world, id) && steps < 15 * energyRate)
		{
			brScene_Run(world, 1);
			steps += 1;
		}
		CHECK_MESSAGE(steps < 10 * energyRate, "round %d: a bowl rocks for %g s", round, (double)steps / energyRate);
		brDestroyWorld(world);
	}
}

// Wedged bodies carry many times their weight, and when contacts find other points the impulses of before hold against
// nothing. A bad guess may not throw what it held: 1,000 weights on points chosen at random.
BR_TEST(energy_of_a_bad_guess_is_not_gained)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
	{
		brBodyId brick, crumbs[4];
		brWorld* world = energyBrick(false, &brick);
		brShape* crumb = round % 2 == 0 ? brScene_MeshBox(0.04, 0.04, 0.02, 1) : brScene_Box(0.04, 0.04, 0.02);
		for (int32_t i = 0; i < 4; ++i)
		{
			crumbs[i] = energyBody(world, crumb, br_bodyDynamic, brMakeDVec3(3.0, 0.0, 0.01 + 0.02 * i));
		}
		brScene_Run(world, energyRate / 2);
		brDynamics* dynamics = &world->dynamics;
		double weight = brWorld_GetMass(world, crumbs[0]) * ENERGY_GRAVITY / energyRate;
		for (int32_t i = 0; i < dynamics->pairs.count; ++i)
		{
			brManifold* manifold = &brDynamics_PairContact(dynamics, i)->first;
			manifold->points[0].impulse = (float)(brRandom_Range(&random, 0.0, 1000.0) * weight);
		}
		for (int32_t step = 0; step < 5; ++step)
		{
			brScene_Run(world, 1);
			for (int32_t i = 0; i < 4; ++i)
			{
				double speed = brDLength(brWorld_GetVelocity(world, crumbs[i]));
				CHECK_MESSAGE(speed < 1.5, "round %d: a crumb leaves with %g m/s", round, speed);
			}
		}
		brDestroyShape(crumb);
		brDestroyWorld(world);
	}
}

// A lump with so many corners.
static brShape* energyHull(brRandom* random, int32_t corners)
{
	brDVec3 points[32];
	for (int32_t i = 0; i < corners; ++i)
	{
		double x = brRandom_Range(random, -0.15, 0.15), y = brRandom_Range(random, -0.15, 0.15);
		points[i] = brMakeDVec3(x, y, brRandom_Range(random, -0.15, 0.15));
	}
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = points;
	def.pointCount = corners;
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

static double energyOf(const brWorld* world, double* outKinetic)
{
	brWorldEnergy energy = brWorld_ComputeEnergy(world);
	*outKinetic = energy.kinetic;
	return energy.kinetic + energy.potential;
}

// What tumbles over its corners leaves each of them while friction still holds it there. Friction of the substep
// before, and points that pressed on while they left, gave up to 0.3 % of its motion in a step.
BR_TEST(energy_of_what_tumbles_is_not_gained)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		double x = brRandom_Range(&random, 0.04, 0.4), y = brRandom_Range(&random, 0.04, 0.4);
		brShape* shape = round % 2 == 0 ? energyHull(&random, 8 + round % 20) : brScene_MeshBox(x, y, 0.2, 1);
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBodyDef def = brDefaultBodyDef();
		def.shape = shape;
		def.density = 1000.0;
		def.friction = 0.8;
		def.pose.p.z = 0.35;
		brDVec3 axis = {brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)};
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, 3.0));
		def.velocity.x = brRandom_Range(&random, 0.0, 3.0);
		def.spin.y = brRandom_Range(&random, 0.0, 10.0);
		brWorld_CreateBody(world, &def, NULL);
		double kinetic, first = energyOf(world, &kinetic), last = first;
		for (int32_t step = 0; step < 2 * energyRate; ++step)
		{
			double before = kinetic;
			brScene_Run(world, 1);
			double now = energyOf(world, &kinetic);
			// What is slow is lifted out of the ground by more than that.
			bool isSmall = now - last < 1e-3 * before || before < 0.1 * first;
			CHECK_MESSAGE(isSmall, "round %d, step %d: %g J of %g gained", round, step, now - last, before);
			last = now;
		}
		brDestroyWorld(world);
		brDestroyShape(shape);
	}
}

// What was set back out of something is lifted by that. It pays exactly, as far as motion along the normal and turning
// across it go, and the rest of its motion is what it was: a statue was lifted by 158 mm in a step for nothing.
BR_TEST(energy_of_a_lift_is_paid)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 1000); ++round)
	{
		double u[12];
		for (int32_t i = 0; i < 12; ++i)
		{
			u[i] = brRandom_Range(&random, -1.0, 1.0);
		}
		brBody body = {.mass = 2.0, .gravityScale = 1.0f, .velocity = {u[0], u[1], u[2]}, .spin = {u[3], u[4], u[5]}};
		body.inertia = brMakeDVec3(0.3, 0.5, 1.0 - 0.9 * fabs(u[6]));
		body.invInertia = brMakeDVec3(1.0 / body.inertia.x, 1.0 / body.inertia.y, 1.0 / body.inertia.z);
		body.rotation = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(u[6], u[7], u[8])), 3.0 * u[9]);
		brDVec3 normal = brDNormalize(brMakeDVec3(0.3 * u[10], 0.3 * u[11], 1.0)), gravity = {0.0, 0.0, -10.0};
		brDVec3 shift = brDMul(0.002 + 0.1 * fabs(u[8]), normal);
		brBody after = body;
		brBody_PayLift(&after, gravity, normal, shift);
		double work = 20.0 * shift.z, paid = brBody_Kinetic(&body) - brBody_Kinetic(&after);
		CHECK_MESSAGE(paid > -1e-12 && paid < work + 1e-12, "round %d: %g J of %g", round, paid, work);
		// Less than owed only if nothing is left along the normal, and turning across it that would pay neither.
		brMat3 inertia = brBody_Inertia(&after);
		brDVec3 momentum = brMat3_MulV(&inertia, after.spin),
				across = brDMulAdd(momentum, -brDDot(momentum, normal), normal);
		bool isSpent = fabs(brDDot(after.velocity, normal)) < 1e-12 && brDDot(across, after.spin) < 1e-12;
		CHECK_MESSAGE(paid > work - 1e-9 || isSpent, "round %d: %g J of %g", round, paid, work);
		brDVec3 change = brDSub(after.velocity, body.velocity);
		CHECK(brDLength(brDCross(change, normal)) < 1e-12);
		brDVec3 before = brMat3_MulV(&inertia, body.spin);
		CHECK_NEAR(brDDot(momentum, normal), brDDot(before, normal), 1e-12);
	}
}
