// SPDX-License-Identifier: MIT

// Joints between bodies in flight: momentum is what it was, and nothing is braked that turns freely.

#include "harness.h"
#include "mesh_scenes.h"
#include "shapes.h"

#include <math.h>

static brWorld* jointsWorld(void)
{
	brWorldDef def = brDefaultWorldDef();
	def.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	return brScene_World(NULL, &def);
}

// The second of two plates in a joint lay still while the first, which was about to hit something, made its step in
// parts: joints were torn apart by 5 cm, half of the angular momentum went, and fixed ones gained a tenth of their
// energy.
BR_TEST(joints_hold_what_makes_its_step_in_parts)
{
	const brJointKind kinds[3] = {br_jointBall, br_jointHinge, br_jointFixed};
	for (int32_t round = 0; round < 6; ++round)
	{
		brWorld* world = jointsWorld();
		brShape* plate = brScene_Box(0.1, 0.1, 0.006);
		brBodyDef def = brDefaultBodyDef();
		def.shape = plate;
		def.restitution = round / 3;
		def.velocity.z = -5.0;
		brBodyId ids[2];
		for (int32_t k = 0; k < 2; ++k)
		{
			def.pose.p = brMakeDVec3(0.3 * k, 0.0, 0.3);
			ids[k] = brWorld_CreateBody(world, &def, NULL);
		}
		brJointDef joint = brDefaultJointDef();
		joint.kind = kinds[round % 3];
		joint.bodyA = ids[0], joint.bodyB = ids[1];
		joint.anchor = brMakeDVec3(0.15, 0.0, 0.3);
		joint.axis = brMakeDVec3(0.0, 1.0, 0.0);
		brWorld_CreateJoint(world, &joint, NULL);
		def.pose.p = brMakeDVec3(0.02, 0.01, 0.0);
		def.velocity.z = 0.0;
		def.density = 3000.0;
		brWorld_CreateBody(world, &def, NULL);
		brWorldEnergy before = brWorld_ComputeEnergy(world);
		int32_t parts = 1;
		for (int32_t i = 0; i < 60; ++i)
		{
			brScene_Run(world, 1);
			brTransform a = brWorld_GetPose(world, ids[0]), b = brWorld_GetPose(world, ids[1]);
			brDVec3 held = brTransform_Point(a, brMakeDVec3(0.15, 0.0, 0.0)),
					holds = brTransform_Point(b, brMakeDVec3(-0.15, 0.0, 0.0));
			CHECK_MESSAGE(brDDistance(held, holds) < 0.005, "%d: a joint is off by %g m", round,
						  brDDistance(held, holds));
			parts = brWorld_GetStats(world).slices > parts ? brWorld_GetStats(world).slices : parts;
			CHECK(brWorld_ComputeEnergy(world).kinetic < (1.0 + 1e-4) * before.kinetic);
		}
		brWorldEnergy after = brWorld_ComputeEnergy(world);
		CHECK(parts > 8);
		double turned = brDDistance(after.angularMomentum, before.angularMomentum);
		CHECK_MESSAGE(turned < 1e-5 * brDLength(before.angularMomentum), "%d: angular momentum is off by %g", round,
					  turned / brDLength(before.angularMomentum));
		brDestroyShape(plate);
		brDestroyWorld(world);
	}
}

// A wheel that turns by 1.3 rad a step on a rod that turns too. The axis was that of the step's start for all of the
// step, and four fifths of the energy were gone after 5 s.
BR_TEST(joints_do_not_brake_a_wheel_on_a_frame_that_turns)
{
	brWorld* world = jointsWorld();
	brShape *rod = brScene_Box(0.4, 0.04, 0.04), *wheel = brScene_Box(0.02, 0.2, 0.2);
	brBodyDef def = brDefaultBodyDef();
	def.shape = rod;
	brJointDef joint = brDefaultJointDef();
	joint.kind = br_jointHinge;
	joint.bodyA = brWorld_CreateBody(world, &def, NULL);
	def.shape = wheel;
	def.pose.p.x = joint.anchor.x = 0.25;
	def.spin.x = 80.0;
	joint.bodyB = brWorld_CreateBody(world, &def, NULL);
	joint.axis = brMakeDVec3(1.0, 0.0, 0.0);
	brWorld_CreateJoint(world, &joint, NULL);
	brWorld_ApplyAngularImpulse(world, joint.bodyA, brMakeDVec3(0.0, 0.05, 0.0));
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	brScene_Run(world, 300);
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK_MESSAGE(after.kinetic > 0.92 * before.kinetic && after.kinetic < (1.0 + 1e-6) * before.kinetic,
				  "%g of the energy is left", after.kinetic / before.kinetic);
	double turned = brDDistance(after.angularMomentum, before.angularMomentum);
	CHECK_NEAR(turned / brDLength(before.angularMomentum), 0.0, 1e-9);
	brDestroyShape(rod);
	brDestroyShape(wheel);
	brDestroyWorld(world);
}
