// SPDX-License-Identifier: MIT

// Closed forms: what a body does alone, on a plane, on a joint.

#include "harness.h"
#include "world_scenes.h"

#include <math.h>

static const double worldStep = 1.0 / 60.0;

static brWorldDef worldDefWithoutSleep(void)
{
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	return def;
}

BR_TEST(world_free_fall_and_projectile_follow_the_parabola)
{
	brWorld* world = brScene_World(NULL, NULL);
	brShape* box = brScene_Box(0.2, 0.3, 0.4);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.pose.p = brMakeDVec3(1.0, 2.0, 100.0);
	def.velocity = brMakeDVec3(3.0, -4.0, 5.0);
	def.spin = brMakeDVec3(0.1, 2.0, 0.3);
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	brScene_Run(world, 180);
	// Trapezoids are exact for a constant force; what is left is rounding.
	brDVec3 p = brWorld_GetCenter(world, id), v = brWorld_GetVelocity(world, id);
	double t = 3.0;
	CHECK_NEAR(p.x, 1.0 + 3.0 * t, 1e-10);
	CHECK_NEAR(p.y, 2.0 - 4.0 * t, 1e-10);
	CHECK_NEAR(p.z, 100.0 + 5.0 * t - 0.5 * 9.81 * t * t, 1e-9);
	CHECK_NEAR(v.z, 5.0 - 9.81 * t, 1e-10);
	brDestroyWorld(world);
}

BR_TEST(world_damping_is_exponential_to_first_order)
{
	// v' = -c v: the implicit substep gives (1 + c h)^-n, so halving h halves the error.
	double errors[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldDef worldDef = worldDefWithoutSleep();
		worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
		worldDef.substeps = 8 << k;
		brWorld* world = brScene_World(NULL, &worldDef);
		brShape* ball = brScene_Sphere(0.1);
		brBodyDef def = brDefaultBodyDef();
		def.shape = ball;
		def.velocity = brMakeDVec3(1.0, 0.0, 0.0);
		def.linearDamping = 2.0;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(ball);
		brScene_Run(world, 60);
		errors[k] = fabs(brWorld_GetVelocity(world, id).x - 0.1353352832366127);
		brDestroyWorld(world);
	}
	CHECK(errors[0] < 1e-3);
	CHECK_NEAR(errors[0] / errors[1], 2.0, 0.1);
}

BR_TEST(world_free_top_keeps_energy_and_momentum)
{
	// An asymmetric top near its unstable axis turns over again and again.
	brWorldDef worldDef = worldDefWithoutSleep();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	brWorld* world = brScene_World(NULL, &worldDef);
	brShape* box = brScene_Box(0.3, 0.2, 0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.velocity = brMakeDVec3(1.0, 2.0, 3.0);
	def.spin = brMakeDVec3(0.01, 10.0, 0.02);
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	double smallest = 1.0, largest = 0.0, drift = 0.0;
	for (int32_t i = 0; i < 600; ++i)
	{
		brScene_Run(world, 1);
		drift = fmax(drift, fabs(brWorld_ComputeEnergy(world).kinetic - before.kinetic));
		brDVec3 y = brQuat_Rotate(brWorld_GetPose(world, id).q, brMakeDVec3(0.0, 1.0, 0.0));
		smallest = fmin(smallest, y.y), largest = fmax(largest, y.y);
	}
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK(smallest < -0.9 && largest > 0.9); // it has turned over
	CHECK_MESSAGE(drift < 1e-3 * before.kinetic, "energy is off by %g of %g J", drift, before.kinetic);
	double momentum = brDLength(before.angularMomentum);
	CHECK_NEAR(brDDistance(after.angularMomentum, before.angularMomentum) / momentum, 0.0, 1e-9);
	CHECK_NEAR(brDDistance(after.momentum, before.momentum), 0.0, 1e-10);
	brDestroyWorld(world);
}

BR_TEST(world_symmetric_top_precesses_at_the_right_rate)
{
	// Free symmetric top: the axis turns about L at L / I1.
	brWorldDef worldDef = worldDefWithoutSleep();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	brWorld* world = brScene_World(NULL, &worldDef);
	brShape* box = brScene_Box(0.2, 0.2, 0.05);
	brMassProperties mass = brShape_ComputeMass(box, 1000.0);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.spin = brMakeDVec3(1.0, 0.0, 8.0);
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	brDVec3 l = brWorld_ComputeEnergy(world).angularMomentum, along = brDNormalize(l);
	double rate = brDLength(l) / mass.inertia.cx.x;
	double t = 2.0;
	brScene_Run(world, 120);
	brDVec3 axis = brQuat_Rotate(brWorld_GetPose(world, id).q, brMakeDVec3(0.0, 0.0, 1.0));
	brDVec3 expected = brQuat_Rotate(brMakeQuatAxisAngle(along, rate * t), brMakeDVec3(0.0, 0.0, 1.0));
	CHECK_NEAR(brDDistance(axis, expected), 0.0, 2e-3);
	brDestroyWorld(world);
}

// How far a box slides in two seconds on a plane inclined by `angle`.
static double worldSlide(double angle, double friction, int32_t steps)
{
	brWorldDef worldDef = worldDefWithoutSleep();
	worldDef.gravity = brMakeDVec3(9.81 * brSin(angle), 0.0, -9.81 * brCos(angle));
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brShape* box = brScene_Box(0.4, 0.4, 0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.friction = friction * friction / 0.5; // with 0.5 of the plane the root of the product is `friction`
	def.pose.p.z = 0.05;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	brScene_Run(world, steps);
	double x = brWorld_GetCenter(world, id).x;
	brDestroyWorld(world);
	return x;
}

// What spins fast near the ground or another body and does not touch it: by its rim it seems to be about to.
BR_TEST(world_splinter_that_spins_fast_beside_others_flies_as_if_it_were_alone)
{
	brRandom random = brTest_Random(test);
	brShape *splinter = brScene_Box(0.012, 0.006, 0.0015), *ball = brScene_Sphere(0.01);
	const double radius = 0.0068, dt = 1.0 / 60.0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBodyDef def = brDefaultBodyDef();
		def.shape = splinter;
		def.density = 2500.0;
		double speed = pow(10.0, brRandom_Range(&random, 1.5, 5.5)), height = brRandom_Range(&random, 0.001, 1.0);
		brDVec3 axis = {brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
						brRandom_Range(&random, 0.1, 1.0)};
		def.spin = brDMul(speed, brDNormalize(axis));
		def.pose.p.z = radius + height;
		def.velocity.z = 1.0;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		double energy = brWorld_ComputeEnergy(world).kinetic, linear = 0.5 * brWorld_GetMass(world, id);
		def = brDefaultBodyDef();
		def.shape = ball;
		def.pose.p = brMakeDVec3(radius + 0.011, 0.0, radius + height);
		def.velocity.z = 1.0;
		brBodyId ballId = brWorld_CreateBody(world, &def, NULL);
		double ballEnergy = 0.5 * brWorld_GetMass(world, ballId);
		for (int32_t i = 1; i <= 11; ++i)
		{
			brScene_Run(world, 1);
			double fallen = 9.81 * i * dt;
			brDVec3 v = brWorld_GetVelocity(world, id);
			CHECK_NEAR(brDLength(brDSub(v, brMakeDVec3(0.0, 0.0, 1.0 - fallen))), 0.0, 1e-9);
			CHECK_NEAR(brWorld_GetCenter(world, id).z, radius + height + i * dt * (1.0 - 0.5 * fallen), 1e-6);
			double now = brWorld_ComputeEnergy(world).kinetic - (linear + ballEnergy) * v.z * v.z;
			CHECK_MESSAGE(fabs(now - (energy - linear)) < 0.005 * (energy - linear),
						  "round %d, %g rad/s: %g J of %g after step %d", round, speed, now, energy - linear, i);
		}
		brDestroyWorld(world);
	}
	brDestroyShape(splinter);
	brDestroyShape(ball);
}

BR_TEST(world_incline_holds_below_the_friction_angle_and_slides_above)
{
	double friction = 0.4, limit = brAtan2(friction, 1.0);
	CHECK_MESSAGE(worldSlide(0.98 * limit, friction, 600) < 1e-4, "%g m", worldSlide(0.98 * limit, friction, 600));
	CHECK(worldSlide(1.02 * limit, friction, 600) > 0.3);
	double angle = 1.5 * limit, t = 2.0;
	double expected = 0.5 * 9.81 * (brSin(angle) - friction * brCos(angle)) * t * t;
	CHECK_NEAR(worldSlide(angle, friction, 120) / expected, 1.0, 0.02);
}

// Friction opposes the way, however much more easily a body turns about one axis than about another.
BR_TEST(world_box_slides_straight_whichever_way)
{
	double friction = 0.5, speed = 3.0;
	for (int32_t k = 0; k < 4; ++k)
	{
		double angle = 0.3 * k;
		brDVec3 way = {brCos(angle), brSin(angle), 0.0};
		brWorld* world = brScene_World(NULL, NULL);
		brBodyId ground = brScene_Ground(world);
		brWorld_SetSurface(world, ground, friction, 0.0);
		brShape* box = brScene_Box(0.2, 0.1, 0.1);
		brBodyDef def = brDefaultBodyDef();
		def.shape = box;
		def.friction = friction;
		def.pose.p.z = 0.05;
		def.velocity = brDMul(speed, way);
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(box);
		brScene_Run(world, 120);
		brDVec3 at = brWorld_GetPose(world, id).p;
		double along = brDDot(at, way), across = at.y * way.x - at.x * way.y;
		CHECK_NEAR(along, speed * speed / (2.0 * friction * 9.81), 0.01);
		CHECK_MESSAGE(fabs(across) < 1e-4, "%g m aside after %g m", across, along);
		brDestroyWorld(world);
	}
}

BR_TEST(world_ball_bounces_to_the_right_height)
{
	for (int32_t k = 0; k <= 4; ++k)
	{
		double restitution = 0.25 * k, height = 2.0, radius = 0.1;
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brShape* ball = brScene_Sphere(radius);
		brBodyDef def = brDefaultBodyDef();
		def.shape = ball;
		def.restitution = restitution;
		def.pose.p.z = radius + height;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(ball);
		double top = 0.0;
		bool hasHit = false;
		for (int32_t i = 0; i < 120; ++i)
		{
			brScene_Run(world, 1);
			hasHit = hasHit || brWorld_GetVelocity(world, id).z > -0.1;
			top = hasHit ? fmax(top, brWorld_GetCenter(world, id).z - radius) : top;
		}
		// The hit is somewhere inside a step; the speed is that at its start, off by g dt at most.
		double speed = sqrt(2.0 * 9.81 * height), slack = 2.0 * height * 9.81 * worldStep / speed * 2.0;
		CHECK_NEAR(top, restitution * restitution * height, slack * restitution * restitution + 0.01);
		brDestroyWorld(world);
	}
}

BR_TEST(world_rolling_ball_keeps_five_sevenths)
{
	// A ball that slides without spin ends rolling at 5/7 of its speed, whatever the friction.
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* ball = brScene_Sphere(0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = ball;
	def.pose.p.z = 0.1;
	def.velocity.x = 3.5;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	def.rolling = 0.1;
	def.pose.p.y = 5.0;
	brBodyId slow = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(ball);
	brScene_Run(world, 120);
	CHECK_NEAR(brWorld_GetVelocity(world, id).x, 2.5, 0.02);
	CHECK_NEAR(brWorld_GetSpin(world, id).y, 25.0, 0.2);
	brScene_Run(world, 240);
	CHECK(brWorld_GetVelocity(world, id).x > 2.4);
	CHECK_NEAR(brWorld_GetVelocity(world, slow).x, 0.0, 1e-3); // rolling resistance has stopped it
	brDestroyWorld(world);
}

BR_TEST(world_collisions_keep_momentum)
{
	// A cloud of all shapes without gravity: hits from all sides.
	brWorldDef worldDef = worldDefWithoutSleep();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	brWorld* world = brScene_World(NULL, &worldDef);
	brRandom random = brTest_Random(test);
	brShape* shapes[3] = {brScene_Box(0.2, 0.1, 0.1), brScene_Sphere(0.08), brScene_Capsule(0.05, 0.08)};
	double scale = 0.0, mass = 0.0;
	for (int32_t i = 0; i < 60; ++i)
	{
		brBodyDef def = brDefaultBodyDef();
		def.shape = shapes[i % 3];
		def.restitution = 0.5;
		def.pose.p = brMakeDVec3(0.3 * (i % 4), 0.3 * (i / 4 % 4), 0.3 * (i / 16));
		def.velocity = brDMul(-3.0, brDSub(def.pose.p, brMakeDVec3(0.45, 0.45, 0.45)));
		def.spin = brMakeDVec3(brRandom_Range(&random, -3.0, 3.0), brRandom_Range(&random, -3.0, 3.0), 1.0);
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		scale += brWorld_GetMass(world, id) * brDLength(def.velocity);
		mass += brWorld_GetMass(world, id);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	int32_t contacts = 0;
	// Overlap that is pushed out may leave a little speed behind: less than a lift by a thousandth of the bodies' size.
	double lowest = before.kinetic, allowed = mass * 9.81 * 1e-3 * 0.2;
	for (int32_t i = 0; i < 120; ++i)
	{
		brScene_Run(world, 1);
		contacts += brWorld_GetStats(world).contacts;
		double now = brWorld_ComputeEnergy(world).kinetic;
		CHECK_MESSAGE(now < lowest + allowed, "energy grows from %g to %g J in step %d", lowest, now, i);
		lowest = fmin(lowest, now);
	}
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK(contacts > 100 && after.kinetic < 0.9 * before.kinetic);
	CHECK_NEAR(brDDistance(after.momentum, before.momentum) / scale, 0.0, 1e-12);
	CHECK_NEAR(brDDistance(after.angularMomentum, before.angularMomentum) / scale, 0.0, 1e-8);
	brDestroyWorld(world);
}

BR_TEST(world_collisions_in_flight_keep_momentum_under_gravity)
{
	// Two bricks that hit off center while they fall: gravity adds to their momentum, and nothing to the angular one
	// about their common center.
	brWorldDef worldDef = worldDefWithoutSleep();
	brWorld* world = brScene_World(NULL, &worldDef);
	brShape* box = brScene_Box(0.2, 0.1, 0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.pose.p = brMakeDVec3(-0.25, 0.04, 0.02);
	def.velocity = brMakeDVec3(3.0, 0.0, 1.0);
	brBodyId a = brWorld_CreateBody(world, &def, NULL);
	def.pose.p = brMakeDVec3(0.25, 0.0, 0.0);
	def.velocity = brMakeDVec3(-3.0, 0.5, 1.0);
	def.spin = brMakeDVec3(1.0, 2.0, 3.0);
	brBodyId b = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	int32_t contacts = 0;
	double mass = brWorld_GetMass(world, a);
	brDVec3 angular[2], momentum[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldEnergy energy = brWorld_ComputeEnergy(world);
		brDVec3 center = brDMul(0.5, brDAdd(brWorld_GetCenter(world, a), brWorld_GetCenter(world, b)));
		momentum[k] = energy.momentum;
		angular[k] = brDSub(energy.angularMomentum, brDCross(center, energy.momentum));
		for (int32_t i = 0; i < 30 && k == 0; ++i)
		{
			brScene_Run(world, 1);
			contacts += brWorld_GetStats(world).contacts;
		}
	}
	CHECK(contacts > 0);
	CHECK_NEAR(momentum[1].z - momentum[0].z, -9.81 * 2.0 * mass * 0.5, 1e-9);
	CHECK_NEAR(brDDistance(angular[0], angular[1]), 0.0, 1e-9 * brDLength(angular[0]));
	brDestroyWorld(world);
}

static brBodyId worldPivot(brWorld* world)
{
	brShape* ball = brScene_Sphere(0.01);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = ball;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(ball);
	return id;
}

BR_TEST(world_pendulum_swings_at_the_right_period_and_keeps_energy)
{
	brWorld* world = brScene_World(NULL, NULL);
	brBodyId pivot = worldPivot(world);
	brShape* ball = brScene_Sphere(0.05);
	brBodyDef def = brDefaultBodyDef();
	def.shape = ball;
	const double length = 1.0, start = 0.2;
	def.pose.p = brMakeDVec3(length * brSin(start), 0.0, -length * brCos(start));
	brBodyId bob = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(ball);
	brJointDef joint = brDefaultJointDef();
	joint.bodyA = pivot, joint.bodyB = bob;
	CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 != 0);
	double energy = brWorld_ComputeEnergy(world).potential, mass = brWorld_GetMass(world, bob);
	double largest = 0.0, lastX = def.pose.p.x, firstCross = -1.0, lastCross = 0.0;
	int32_t crossings = 0;
	for (int32_t i = 1; i <= 1200; ++i)
	{
		brScene_Run(world, 1);
		brDVec3 p = brWorld_GetCenter(world, bob);
		CHECK_NEAR(brDLength(p), length, 2e-3);
		brWorldEnergy e = brWorld_ComputeEnergy(world);
		largest = fmax(largest, e.kinetic + e.potential - energy);
		if ((p.x < 0.0) != (lastX < 0.0))
		{
			double time = worldStep * (i - 1 + lastX / (lastX - p.x));
			firstCross = firstCross < 0.0 ? time : firstCross;
			lastCross = time;
			crossings += 1;
		}
		lastX = p.x;
	}
	// Compound pendulum: I = m L^2 + 2/5 m r^2, and the finite swing makes it 1 + a^2/16 longer.
	double period = 2.0 * BR_PI * sqrt((1.0 + 0.4 * 0.05 * 0.05) / 9.81) * (1.0 + start * start / 16.0);
	CHECK_NEAR(2.0 * (lastCross - firstCross) / (crossings - 1) / period, 1.0, 2e-3);
	double swing = mass * 9.81 * length * (1.0 - brCos(start));
	brWorldEnergy e = brWorld_ComputeEnergy(world);
	CHECK_MESSAGE(largest < 0.02 * swing, "energy grew by %g of %g J", largest, swing);
	CHECK_MESSAGE(e.kinetic + e.potential - energy > -0.02 * swing, "energy fell by %g of %g J in 20 s",
				  energy - e.kinetic - e.potential, swing);
	brDestroyWorld(world);
}

BR_TEST(world_hinge_and_fixed_joints_hold_what_they_say)
{
	brWorld* world = brScene_World(NULL, NULL);
	brBodyId pivot = worldPivot(world);
	brShape* box = brScene_Box(0.4, 0.1, 0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = box;
	def.pose.p = brMakeDVec3(0.2, 0.0, 0.0);
	brBodyId door = brWorld_CreateBody(world, &def, NULL);
	def.pose.p = brMakeDVec3(0.6, 0.0, 0.0);
	brBodyId arm = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(box);
	brJointDef joint = brDefaultJointDef();
	joint.kind = br_jointHinge;
	joint.axis = brMakeDVec3(0.0, 1.0, 0.0);
	joint.bodyA = pivot, joint.bodyB = door;
	CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 != 0);
	joint.kind = br_jointFixed;
	joint.anchor = brMakeDVec3(0.4, 0.0, 0.0);
	joint.bodyA = door, joint.bodyB = arm;
	CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 != 0);
	brWorld_ApplyImpulse(world, arm, brMakeDVec3(0.0, 3.0, 0.0), brMakeDVec3(0.6, 0.0, 0.0));
	double lowest = 0.0;
	for (int32_t i = 0; i < 300; ++i)
	{
		brScene_Run(world, 1);
		brTransform a = brWorld_GetPose(world, door), b = brWorld_GetPose(world, arm);
		brDVec3 axis = brQuat_Rotate(a.q, brMakeDVec3(0.0, 1.0, 0.0));
		CHECK_MESSAGE(axis.y > 0.999, "the hinge tips to %g %g %g", axis.x, axis.y, axis.z);
		CHECK_NEAR(brDDistance(brTransform_Point(a, brMakeDVec3(0.4, 0.0, 0.0)), b.p), 0.0, 5e-3);
		lowest = fmin(lowest, b.p.z);
	}
	CHECK(lowest < -0.55); // it swings freely
	brDestroyWorld(world);
}

BR_TEST(world_joint_breaks_at_its_force)
{
	// A ball of weight W hangs on a joint: it stays for a limit above W and falls for one below.
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyId pivot = worldPivot(world);
		brShape* ball = brScene_Sphere(0.05);
		brBodyDef def = brDefaultBodyDef();
		def.shape = ball;
		def.pose.p.z = -1.0;
		brBodyId bob = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(ball);
		double weight = 9.81 * brWorld_GetMass(world, bob);
		brJointDef joint = brDefaultJointDef();
		joint.bodyA = pivot, joint.bodyB = bob;
		joint.breakForce = (k == 0 ? 1.2 : 0.8) * weight;
		brJointId id = brWorld_CreateJoint(world, &joint, NULL);
		bool isSaid = false;
		for (int32_t i = 0; i < 60; ++i)
		{
			brScene_Run(world, 1);
			int32_t count;
			const brBodyEvent* events = brWorld_GetBodyEvents(world, &count);
			for (int32_t j = 0; j < count; ++j)
			{
				isSaid = isSaid || (events[j].kind == br_eventJointBroke && events[j].joint.index1 == id.index1);
			}
		}
		CHECK(brWorld_IsJoint(world, id) == (k == 0));
		CHECK(isSaid == (k == 1));
		CHECK((brWorld_GetCenter(world, bob).z < -1.5) == (k == 1));
		brDestroyWorld(world);
	}
}

BR_TEST(world_kinematic_platform_carries_what_lies_on_it)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brShape* slab = brScene_Box(4.0, 1.0, 0.2);
	brShape* box = brScene_Box(0.2, 0.2, 0.2);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyKinematic;
	def.shape = slab;
	def.userData = 42;
	brBodyId platform = brWorld_CreateBody(world, &def, NULL);
	CHECK(brWorld_GetUserData(world, platform) == 42);
	brBodyId load = brScene_Body(world, box, 0.0, 0.0, 0.2);
	brScene_Run(world, 120);
	CHECK(!brWorld_IsAwake(world, load)); // both at rest: asleep
	CHECK(brWorld_SetVelocity(world, platform, brMakeDVec3(0.5, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	brScene_Run(world, 120);
	CHECK_NEAR(brWorld_GetVelocity(world, load).x, 0.5, 1e-3);
	CHECK_NEAR(brWorld_GetCenter(world, platform).x, 1.0, 1e-6); // nothing slows it
	// With friction 0.5 the load slides until it has the speed: it lags by v^2 / (2 mu g).
	CHECK_NEAR(brWorld_GetCenter(world, load).x, 1.0 - 0.25 / (2.0 * 0.5 * 9.81), 0.01);
	brDestroyShape(slab);
	brDestroyShape(box);
	brDestroyWorld(world);
}

// A box on a disc that turns about z, at 1 m from the axis. Returns by how much it left its place, outwards.
static double worldRide(bool isDriven, double spin, double friction)
{
	brWorld* world = brScene_World(NULL, NULL);
	brShape *disc = brScene_Box(4.0, 4.0, 0.2), *box = brScene_Box(0.2, 0.2, 0.1);
	brBodyId pivot = worldPivot(world);
	brBodyDef def = brDefaultBodyDef();
	def.kind = isDriven ? br_bodyKinematic : br_bodyDynamic;
	def.shape = disc, def.friction = friction, def.density = 5000.0;
	def.pose.p.z = -0.1;
	def.spin.z = spin;
	brBodyId turning = brWorld_CreateBody(world, &def, NULL);
	brJointDef joint = brDefaultJointDef();
	joint.kind = br_jointHinge;
	joint.bodyA = pivot, joint.bodyB = turning, joint.axis.z = 1.0;
	CHECK(isDriven || !brJointId_IsNull(brWorld_CreateJoint(world, &joint, NULL)));
	def.kind = br_bodyDynamic;
	def.shape = box, def.density = 1000.0;
	def.pose.p = brMakeDVec3(1.0, 0.0, 0.05);
	def.velocity.y = spin;
	brBodyId rider = brWorld_CreateBody(world, &def, NULL);
	brScene_Run(world, 180);
	brDVec3 p = brWorld_GetCenter(world, rider);
	brDestroyShape(disc);
	brDestroyShape(box);
	brDestroyWorld(world);
	return sqrt(p.x * p.x + p.y * p.y) - 1.0;
}

// Levers of the step's start take it outwards by 2 cm in this time, and where friction is nearly used up as fast as it
// slides.
BR_TEST(world_what_stands_on_a_turning_disc_stays_there)
{
	CHECK_NEAR(worldRide(true, 1.0, 0.5), 0.0, 1e-4);
	CHECK_NEAR(worldRide(false, 1.0, 0.5), 0.0, 1e-4);
	CHECK_NEAR(worldRide(true, 2.1, 0.5), 0.0, 1e-3); // 0.9 of what friction can hold
	CHECK(worldRide(true, 2.3, 0.5) > 0.5);           // 1.08 of it
}

BR_TEST(world_body_falls_when_its_joint_is_taken_away)
{
	brWorld* world = brScene_World(NULL, NULL);
	brBodyId pivot = worldPivot(world);
	brShape* ball = brScene_Sphere(0.05);
	brBodyId bob = brScene_Body(world, ball, 0.0, 0.0, -1.0);
	brDestroyShape(ball);
	brJointDef def = brDefaultJointDef();
	def.bodyA = pivot, def.bodyB = bob;
	brJointId joint = brWorld_CreateJoint(world, &def, NULL);
	brScene_Run(world, 60);
	CHECK_NEAR(brWorld_GetCenter(world, bob).z, -1.0, 1e-3);
	CHECK(brWorld_DestroyJoint(world, joint) && !brWorld_DestroyJoint(world, joint));
	brScene_Run(world, 60);
	CHECK_NEAR(brWorld_GetCenter(world, bob).z, -1.0 - 0.5 * 9.81, 0.02);
	// Moved back by hand, at rest.
	brTransform pose = brMakeTransformIdentity();
	CHECK(brWorld_SetPose(world, bob, pose));
	CHECK_NEAR(brWorld_GetPose(world, bob).p.z, 0.0, 1e-12);
	brDestroyWorld(world);
}
