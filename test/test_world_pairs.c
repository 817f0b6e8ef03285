// SPDX-License-Identifier: MIT

// Two bodies of any shape hit each other in flight, without friction and without loss: energy and both momenta are what
// they were. And thin bodies on a thin wall in a world in which something else can break.

#include "brittle/break.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "shapes.h"

#include <math.h>

static brShape* pairsHull(brRandom* random, double size)
{
	brDVec3 points[14];
	for (int32_t i = 0; i < 14; ++i)
	{
		brDVec3 way = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1)};
		points[i] = brDMul(size * brRandom_Range(random, 0.7, 1.0), brDNormalize(way));
	}
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = points, def.pointCount = 14;
	brShape* shape;
	CHECK_RESULT(brCreateShape(NULL, &def, &shape, NULL), NULL);
	return shape;
}

#define PAIRS_KINDS 8

static brShape* pairsShape(brRandom* random, int32_t kind, double size)
{
	double x = size * brRandom_Range(random, 1.0, 2.0), y = size * brRandom_Range(random, 1.0, 2.0);
	return kind == 0   ? brScene_Sphere(size)
		   : kind == 1 ? brScene_Box(x, y, 2.0 * size)
		   : kind == 2 ? brScene_MeshBox(x, y, 2.0 * size, 1)
		   : kind == 3 ? pairsHull(random, size)
		   : kind == 4 ? brScene_Capsule(0.35 * x, 0.5 * y)
		   : kind == 5 ? brScene_MeshModel("icosphere", 10, 2.0 * size, true)
		   : kind == 6 ? brScene_MeshModel("cylinder", 24, 2.0 * size, true)
					   : brScene_MeshModel("torus", 24, 2.0 * size, true);
}

static brBodyId pairsBody(brWorld* world, brRandom* random, const brShape* shape, double whirl)
{
	brBodyDef def = brDefaultBodyDef();
	def.shape = shape;
	def.density = brRandom_Range(random, 500.0, 5000.0);
	def.restitution = 1.0;
	def.friction = 0.0;
	brDVec3 axis = {brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1), brRandom_Range(random, -1, 1)};
	def.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(random, 0.0, 3.0));
	def.spin = brDMul(whirl * brRandom_Range(random, 0.0, 1.0), brDNormalize(axis));
	return brWorld_CreateBody(world, &def, NULL);
}

// Impulses went along two lines where a corner had slid over a face until the hit; the angular momentum that this made
// was put right by a turn of both, which had energy: of 1,500 pairs at five rates 516 gained more than 0.1 %, up to 9,
// and 75 lost more than 0.5.
BR_TEST(bounce_of_pairs_of_any_shape_keeps_energy_and_momentum)
{
	brRandom random = brTest_Random(test);
	const double rates[] = {30.0, 60.0, 60.0, 120.0, 240.0};
	int32_t lossy = 0, count = brTest_Rounds(test, 600);
	for (int32_t i = 0; i < count; ++i)
	{
		double sizes[2] = {brRandom_Range(&random, 0.02, 0.1), brRandom_Range(&random, 0.02, 0.1)};
		double speed = brRandom_Range(&random, 1.0, 20.0), rate = rates[i % 5], whirl = i % 2 == 0 ? 0.0 : 30.0;
		double aside = brRandom_Range(&random, 0.0, 0.7) * (sizes[0] + sizes[1]);
		brShape* shapes[2];
		brBodyId ids[2];
		brWorldDef def = brDefaultWorldDef();
		def.gravity = brMakeDVec3(0.0, 0.0, 0.0);
		brWorld* world = brScene_World(NULL, &def);
		for (int32_t k = 0; k < 2; ++k)
		{
			shapes[k] = pairsShape(&random, k == 0 ? i % PAIRS_KINDS : i / PAIRS_KINDS % PAIRS_KINDS, sizes[k]);
			ids[k] = pairsBody(world, &random, shapes[k], whirl);
		}
		brTransform pose = brWorld_GetPose(world, ids[0]);
		pose.p = brDAdd(pose.p, brMakeDVec3(-0.6, aside, 0.0));
		brWorld_SetPose(world, ids[0], pose);
		brWorld_SetVelocity(world, ids[0], brMakeDVec3(speed, 0.0, 0.0), brWorld_GetSpin(world, ids[0]));
		brWorldEnergy before = brWorld_ComputeEnergy(world);
		for (int32_t k = 0; k < (int32_t)(1.2 / speed * rate) + 20; ++k)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / rate, NULL), NULL);
		}
		brWorldEnergy after = brWorld_ComputeEnergy(world);
		double kept = after.kinetic / before.kinetic;
		CHECK_MESSAGE(kept < 1.002, "pair %d at %g m/s and %g Hz has %g times the energy", i, speed, rate, kept);
		lossy += kept < 0.995;
		double turned = brDDistance(after.angularMomentum, before.angularMomentum);
		double size = brDLength(before.momentum) * (sizes[0] + sizes[1]) + brDLength(before.angularMomentum);
		CHECK_MESSAGE(turned < 1e-5 * size, "pair %d: angular momentum is off by %g", i, turned / size);
		CHECK_NEAR(brDDistance(after.momentum, before.momentum) / brDLength(before.momentum), 0.0, 1e-9);
		brDestroyShape(shapes[0]);
		brDestroyShape(shapes[1]);
		brDestroyWorld(world);
	}
	CHECK_MESSAGE(50 * lossy <= count, "%d of %d pairs lost more than 0.5 %%", lossy, count);
}

// What is thin and hits with one end slaps down with the other in the same step. Places near the first were taken for all
// of the face, so that the far corner went through the wall: 11 of 3,000 plates were behind it in the end, now 1.
BR_TEST(bounce_thin_plates_of_triangles_slap_down_on_thin_walls)
{
	brRandom random = brTest_Random(test);
	brShape* walls[2] = {brScene_Box(2.0, 2.0, 0.002), brScene_MeshBox(2.0, 2.0, 0.002, 1)};
	int32_t behind = 0, count = brTest_Rounds(test, 1000);
	for (int32_t i = 0; i < count; ++i)
	{
		double size = brRandom_Range(&random, 0.01, 0.06), height = brRandom_Range(&random, 0.1, 0.2);
		brShape* plate = brScene_MeshBox(size, 0.9 * size, 0.06 * size, 1);
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.kind = br_bodyStatic;
		def.shape = walls[i % 2];
		brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = plate;
		def.friction = brRandom_Range(&random, 0.0, 1.0);
		double speed = brRandom_Range(&random, 1.0, 10.0), angle = brRandom_Range(&random, 0.0, 1.0);
		def.velocity = brMakeDVec3(speed * sin(angle), 0.0, -speed * cos(angle));
		def.pose.p = brMakeDVec3(-height * tan(angle), 0.0, height);
		def.pose.q = brQuat_Normalize((brQuat){brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1),
											   brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)});
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		bool isBehind = false;
		for (int32_t k = 0; k < 60 && !isBehind; ++k)
		{
			brScene_Run(world, 1);
			brDVec3 p = brWorld_GetCenter(world, id);
			isBehind = p.z < -0.001 && fabs(p.x) < 0.95 && fabs(p.y) < 0.95;
		}
		behind += isBehind;
		brDestroyWorld(world);
		brDestroyShape(plate);
	}
	CHECK_MESSAGE(1000 * behind <= count, "%d of %d are behind the wall", behind, count);
	brDestroyShape(walls[0]);
	brDestroyShape(walls[1]);
}

// Rods and plates that are thrown onto a thin wall slide and whirl over it. Their tips reached through it between two
// looks, and where something could break nothing was looked at between steps at all: 8 of 100 were behind it soon, 1 of
// 100 where nothing could. Now 3 of 1,000 in both.
BR_TEST(bounce_thin_bodies_stay_on_a_thin_wall_where_something_can_break)
{
	brRandom random = brTest_Random(test);
	brShape *wall = brScene_MeshBox(1.0, 1.0, 0.002, 1),
			*bodies[3] = {brScene_Box(0.03, 0.002, 0.003), brScene_Box(0.03, 0.02, 0.002),
						  brScene_MeshBox(0.02, 0.02, 0.002, 1)};
	brMesh* crate = brShape_Box(0.3, 0.3, 0.3);
	int32_t behind = 0, count = brTest_Rounds(test, 300);
	for (int32_t i = 0; i < count; ++i)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = crate;
		brBodyDef def = brDefaultBodyDef();
		def.gravityScale = 0.0;
		def.pose.p.z = 5.0;
		CHECK(brWorld_CreateBreakable(world, &def, &breaking, NULL).index1 > 0);
		def = brDefaultBodyDef();
		def.kind = br_bodyStatic;
		def.shape = wall;
		brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = bodies[i % 3];
		double speed = brRandom_Range(&random, 1.0, 20.0), angle = brRandom_Range(&random, 0.0, 1.0);
		def.velocity = brMakeDVec3(speed * sin(angle), 0.0, -speed * cos(angle));
		def.pose.p = brMakeDVec3(-0.1 * tan(angle), 0.0, 0.1);
		brDVec3 axis = {brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)};
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, 3.0));
		def.spin = brDMul(brRandom_Range(&random, 0.0, 300.0), brDNormalize(axis));
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		bool isBehind = false;
		for (int32_t k = 0; k < 40 && !isBehind; ++k)
		{
			brScene_Run(world, 1);
			brDVec3 p = brWorld_GetCenter(world, id);
			isBehind = p.z < -0.001 && fabs(p.x) < 0.45 && fabs(p.y) < 0.45;
		}
		behind += isBehind;
		brDestroyWorld(world);
	}
	CHECK_MESSAGE(100 * behind <= count, "%d of %d are behind the wall", behind, count);
	for (int32_t k = 0; k < 3; ++k)
	{
		brDestroyShape(bodies[k]);
	}
	brDestroyShape(wall);
	brDestroyMesh(crate);
}
