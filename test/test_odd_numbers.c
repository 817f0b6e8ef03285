// SPDX-License-Identifier: MIT

// Numbers that nobody means and a program passes all the same: the world takes them, says so, or sets bodies aside.

#include "brittle/world.h"
#include "harness.h"

#include <math.h>
#include <string.h>

static brShape* boxShape(void)
{
	brShapeDef def = brDefaultShapeDef(br_shapeBox);
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

// Gravity that no box could follow within a step: the body is set aside, the step is good, and so is the next one.
BR_TEST(odd_gravity_sets_bodies_aside)
{
	brShape* shape = boxShape();
	static const double gravities[][2] = {{1e43, 1.0}, {1e300, 1.0}, {9.81, 1e300}, {1e30, 1e30}, {1e308, -1e308}};
	for (size_t i = 0; i < sizeof(gravities) / sizeof(gravities[0]); ++i)
	{
		brWorldDef def = brDefaultWorldDef();
		def.gravity = brMakeDVec3(0.0, 0.0, -gravities[i][0]);
		brReport report = {0};
		brWorld* world = BR_MADE(brWorld, brCreateWorld, NULL, &def);
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.gravityScale = gravities[i][1];
		brBodyId fell = brWorld_CreateBody(world, &body, &report);
		body.pose.p.x = 5.0;
		body.gravityScale = 0.0;
		body.velocity.x = 1.0;
		brBodyId floats = brWorld_CreateBody(world, &body, &report);
		for (int32_t k = 0; k < 20; ++k)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
		}
		CHECK_EQUAL(brWorld_GetStats(world).setAside, 1);
		CHECK(brDIsFinite(brWorld_GetPose(world, fell).p));
		CHECK_NEAR(brWorld_GetPose(world, floats).p.x, 5.0 + 20.0 / 60.0, 1e-9);
		brDestroyWorld(world);
	}
	brDestroyShape(shape);
}

// A time budget that is none in effect: the same as no budget, whatever the number.
BR_TEST(odd_time_budgets_postpone_nothing)
{
	static const double budgets[] = {0.0, 1e9, 1e10, 1e30, 1e300};
	uint64_t first = 0;
	brShape* shape = boxShape();
	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); ++i)
	{
		brWorldDef def = brDefaultWorldDef();
		def.maxSeconds = budgets[i];
		brWorld* world = BR_MADE(brWorld, brCreateWorld, NULL, &def);
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		brShape* ground = BR_MADE(brShape, brCreateShape, NULL, &plane);
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = ground;
		brWorld_CreateBody(world, &body, NULL);
		for (int32_t k = 0; k < 5; ++k)
		{
			body = brDefaultBodyDef();
			body.shape = shape;
			body.pose.p.z = 0.6 + 1.05 * k;
			body.spin.x = 0.1;
			brWorld_CreateBody(world, &body, NULL);
		}
		int32_t postponed = 0;
		for (int32_t k = 0; k < 120; ++k)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
			postponed += brWorld_GetStats(world).postponed;
		}
		CHECK_EQUAL(postponed, 0);
		first = i == 0 ? brWorld_ComputeHash(world) : first;
		CHECK_MESSAGE(brWorld_ComputeHash(world) == first, "a budget of %g s changes the result", budgets[i]);
		brDestroyShape(ground);
		brDestroyWorld(world);
	}
	brDestroyShape(shape);
}

// Ids that no world gave, and masses beyond a star's.
BR_TEST(odd_ids_and_masses_are_refused)
{
	brShape* shape = boxShape();
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = BR_MADE(brWorld, brCreateWorld, NULL, &def);
	static const int32_t indices[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, 2, INT32_MAX};
	for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); ++i)
	{
		CHECK(!brWorld_IsBody(world, (brBodyId){indices[i], 1}));
		CHECK(!brWorld_DestroyBody(world, (brBodyId){indices[i], 1}));
		CHECK(!brWorld_IsJoint(world, (brJointId){indices[i], 1}));
	}
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.mass = 1e308;
	brReport report = {0};
	CHECK(brWorld_CreateBody(world, &body, &report).index1 == 0 && report.code == br_errorMisuse);
	body.mass = 0.0;
	body.density = 1e308;
	CHECK(brWorld_CreateBody(world, &body, &report).index1 == 0 && report.code == br_errorMisuse);
	body.density = 1e33;
	body.velocity = brMakeDVec3(1e5, 0.0, 0.0);
	CHECK(brWorld_CreateBody(world, &body, &report).index1 > 0);
	CHECK(isfinite(brWorld_ComputeEnergy(world).kinetic) && isfinite(brWorld_ComputeEnergy(world).potential));
	brDestroyWorld(world);
	brDestroyShape(shape);
}
