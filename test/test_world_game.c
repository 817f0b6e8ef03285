// SPDX-License-Identifier: MIT

// What games ask for: shape casts, sensors, limits, motors and springs of joints, filters, masses, poses as floats.

#include "base/random.h"
#include "brittle/break.h"
#include "brittle/material.h"
#include "brittle/query.h"
#include "harness.h"
#include "mesh_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void gameRun(brWorld* world, int32_t steps)
{
	for (int32_t i = 0; i < steps; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
	}
}

BR_TEST(game_shape_cast_stops_where_the_shapes_touch)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape *ball = brScene_Sphere(0.1), *box = brScene_Box(0.4, 0.4, 0.4), *mesh = brScene_MeshBox(0.4, 0.4, 0.4, 2);
	brBodyId target = brScene_Body(world, box, 2.0, 0.0, 0.2), other = brScene_Body(world, mesh, 0.0, 3.0, 0.2);
	brTransform pose = brMakeTransformIdentity();
	pose.p.z = 0.2;
	const brShape* probes[2] = {ball, box};
	const double sizes[2] = {0.1, 0.2};
	for (int32_t k = 0; k < 2; ++k)
	{
		brShapeHit hit;
		pose.p.z = 0.25;
		CHECK(brWorld_CastShape(world, probes[k], pose, brMakeDVec3(5.0, 0.0, 0.0), NULL, &hit));
		CHECK_EQUAL(hit.body.index1, target.index1);
		CHECK_NEAR(hit.distance, 1.8 - sizes[k], 1e-3);
		CHECK_NEAR(hit.normal.x, -1.0, 1e-3);
		CHECK(brWorld_CastShape(world, probes[k], pose, brMakeDVec3(0.0, 5.0, 0.0), NULL, &hit));
		CHECK_EQUAL(hit.body.index1, other.index1);
		CHECK_NEAR(hit.distance, 2.8 - sizes[k], 1e-3);
		pose.p.z = 2.0;
		CHECK(brWorld_CastShape(world, probes[k], pose, brMakeDVec3(0.0, 0.0, -5.0), NULL, &hit));
		CHECK_NEAR(hit.distance, 2.0 - sizes[k], 1e-3);
		CHECK(!brWorld_CastShape(world, probes[k], pose, brMakeDVec3(5.0, 0.0, 0.0), NULL, &hit));
		CHECK(!brWorld_CastShape(world, probes[k], pose, brMakeDVec3(0.0, 0.0, -1.7), NULL, &hit));
	}
	// Along the ground that it touches it goes up to the box.
	brShapeHit hit;
	pose.p = brMakeDVec3(0.0, 0.0, 0.1);
	CHECK(brWorld_CastShape(world, ball, pose, brMakeDVec3(5.0, 0.0, 0.0), NULL, &hit));
	CHECK_NEAR(hit.distance, 1.7, 1e-3);
	brDestroyShape(ball);
	brDestroyShape(box);
	brDestroyShape(mesh);
	brDestroyWorld(world);
}

// A heap that falls, with something to break in it, around which there is a sensor of a kind, or none at -1. Returns
// the number of bodies at the end.
static int32_t gameHeapInSensor(int32_t kind, bool isPlane, brTransform outPoses[64])
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brRandom random = brMakeRandom(3, 0);
	brShape* shapes[3] = {brScene_Sphere(0.05), brScene_Box(0.12, 0.08, 0.01), brScene_MeshBox(0.1, 0.1, 0.1, 2)};
	for (int32_t i = 0; i < 18; ++i)
	{
		brBodyDef def = brDefaultBodyDef();
		def.shape = shapes[i % 3];
		def.restitution = i % 2 == 0 ? 0.0 : 0.5;
		def.pose.p =
			brMakeDVec3(brRandom_Range(&random, -0.3, 0.3), brRandom_Range(&random, -0.3, 0.3), 0.2 + 0.15 * i);
		def.velocity = brMakeDVec3(brRandom_Range(&random, -3.0, 3.0), 0.0, brRandom_Range(&random, -10.0, 0.0));
		def.spin = brMakeDVec3(brRandom_Range(&random, -30.0, 30.0), brRandom_Range(&random, -30.0, 30.0), 5.0);
		brWorld_CreateBody(world, &def, NULL);
	}
	if (kind >= 0)
	{
		brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
		brShape *plane = NULL, *box = brScene_Box(2.0, 2.0, 0.8);
		CHECK_RESULT(brCreateShape(NULL, &planeDef, &plane, NULL), NULL);
		brBodyDef def = brDefaultBodyDef();
		def.kind = (brBodyKind)kind;
		def.isSensor = true;
		def.shape = isPlane ? plane : box;
		def.pose.p.z = 0.2;
		def.velocity.x = kind == br_bodyKinematic ? 0.3 : 0.0;
		def.gravityScale = 0.0;
		CHECK(!brBodyId_IsNull(brWorld_CreateBody(world, &def, NULL)));
		brDestroyShape(plane);
		brDestroyShape(box);
	}
	gameRun(world, 240);
	brBodyId ids[64];
	int32_t count = brWorld_GetBodies(world, ids, 64), kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		if (kind < 0 || i + 1 < count) // the sensor was the last to come
		{
			outPoses[kept++] = brWorld_GetPose(world, ids[i]);
		}
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	brDestroyWorld(world);
	return kept;
}

// Bodies in a sensor were looked at more closely, put back above a plane of it and kept awake: all ended elsewhere.
BR_TEST(game_sensor_changes_no_bit_of_what_goes_through)
{
	brTransform before[64], after[64];
	int32_t count = gameHeapInSensor(-1, false, before);
	CHECK(count == 19);
	for (int32_t k = 0; k < 4; ++k)
	{
		brBodyKind kind = k == 1 ? br_bodyKinematic : k == 2 ? br_bodyDynamic : br_bodyStatic;
		CHECK_EQUAL(gameHeapInSensor((int32_t)kind, k == 3, after), count);
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK_MESSAGE(memcmp(&before[i], &after[i], sizeof(brTransform)) == 0, "sensor %d moves body %d", k, i);
		}
	}
}

BR_TEST(game_sensor_breaks_nothing)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		brWorld* world = brScene_World(NULL, &worldDef);
		brBreakDef glass = brDefaultBreakDef();
		glass.mesh = brScene_Model("wine_glass", 24, 0.2);
		glass.material = *brFindMaterial("glass");
		brBodyDef def = brDefaultBodyDef();
		def.pose.p.z = 3.0;
		CHECK(!brBodyId_IsNull(brWorld_CreateBreakable(world, &def, &glass, NULL)));
		brShape* box = brScene_Box(1.0, 1.0, 0.1);
		def = brDefaultBodyDef();
		def.kind = br_bodyStatic;
		def.isSensor = k == 1; // what is none breaks it
		def.shape = box;
		brWorld_CreateBody(world, &def, NULL);
		gameRun(world, 60);
		brBodyId ids[64];
		int32_t count = brWorld_GetBodies(world, ids, 64);
		CHECK_MESSAGE(k == 1 ? count == 2 : count > 2, "%d bodies", count);
		brDestroyShape(box);
		brDestroyMesh((brMesh*)glass.mesh);
		brDestroyWorld(world);
	}
}

BR_TEST(game_sensor_tells_what_goes_through_and_stops_nothing)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brShape *ball = brScene_Sphere(0.1), *gate = brScene_Box(1.0, 1.0, 0.5);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = gate;
	def.isSensor = true;
	brBodyId sensor = brWorld_CreateBody(world, &def, NULL);
	def = brDefaultBodyDef();
	def.shape = ball;
	def.pose.p.z = 2.0;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	double began = -1.0, ended = -1.0;
	for (int32_t i = 0; i < 60; ++i)
	{
		gameRun(world, 1);
		int32_t count;
		const brContactEvent* events = brWorld_GetContactEvents(world, &count);
		for (int32_t k = 0; k < count; ++k)
		{
			CHECK(events[k].bodyA.index1 == sensor.index1 || events[k].bodyB.index1 == sensor.index1);
			began = events[k].isBegin ? i / 60.0 : began;
			ended = events[k].isEnd ? i / 60.0 : ended;
		}
	}
	// It enters after a fall of 1.65 m and leaves after 2.35 m, and falls as if nothing were there.
	CHECK_NEAR(began, sqrt(2.0 * 1.65 / 9.81), 1.5 / 60.0);
	CHECK_NEAR(ended, sqrt(2.0 * 2.35 / 9.81), 1.5 / 60.0);
	CHECK_NEAR(brWorld_GetCenter(world, id).z, 2.0 - 0.5 * 9.81, 1e-9);
	brDestroyShape(ball);
	brDestroyShape(gate);
	brDestroyWorld(world);
}

// A bar of 1 m on a hinge about y at the origin, out along x.
static brBodyId gameBar(brWorld* world, brJointDef* joint)
{
	brShape *bar = brScene_Box(1.0, 0.1, 0.1), *pin = brScene_Sphere(0.01);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = pin;
	def.collidesWith = 0;
	joint->bodyA = brWorld_CreateBody(world, &def, NULL);
	def = brDefaultBodyDef();
	def.shape = bar;
	def.pose.p.x = 0.5;
	def.enableSleep = false;
	joint->bodyB = brWorld_CreateBody(world, &def, NULL);
	joint->kind = br_jointHinge;
	joint->axis = brMakeDVec3(0.0, 1.0, 0.0);
	CHECK(brWorld_CreateJoint(world, joint, NULL).index1 != 0);
	brDestroyShape(bar);
	brDestroyShape(pin);
	return joint->bodyB;
}

BR_TEST(game_hinge_keeps_its_limits_and_its_motor_its_speed)
{
	// It falls by 0.5 rad and lies on its limit.
	brWorld* world = brScene_World(NULL, NULL);
	brJointDef joint = brDefaultJointDef();
	joint.enableLimit = true;
	joint.lowerAngle = -0.2, joint.upperAngle = 0.5;
	brBodyId bar = gameBar(world, &joint);
	gameRun(world, 180);
	brDVec3 p = brWorld_GetCenter(world, bar);
	CHECK_NEAR(atan2(-p.z, p.x), 0.5, 0.01);
	CHECK_NEAR(brDLength(brWorld_GetSpin(world, bar)), 0.0, 1e-3);
	joint.lowerAngle = 1.0;
	CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 == 0);
	brDestroyWorld(world);

	// A motor of 200 N m lifts 10 kg at an arm of 0.5 m and keeps its speed; one of 20 N m does not.
	for (int32_t k = 0; k < 2; ++k)
	{
		world = brScene_World(NULL, NULL);
		joint = brDefaultJointDef();
		joint.enableMotor = true;
		joint.motorSpeed = -1.0, joint.motorTorque = k == 0 ? 200.0 : 20.0;
		bar = gameBar(world, &joint);
		gameRun(world, 60);
		p = brWorld_GetCenter(world, bar);
		if (k == 0)
		{
			CHECK_NEAR(brWorld_GetSpin(world, bar).y, -1.0, 0.01);
			CHECK_NEAR(atan2(p.z, p.x), 1.0, 0.05);
		}
		CHECK(k == 0 || p.z < -0.1);
		brDestroyWorld(world);
	}
}

// A rod across a hinge that lies anyhow: its inertia is another one in each substep. With that of the step's start it
// gained energy without end.
BR_TEST(game_hinge_holds_a_rod_that_turns_fast)
{
	brWorld* world = brScene_World(NULL, NULL);
	brQuat turn = brQuat_Normalize((brQuat){0.3, -0.5, 0.7, 0.4});
	brShape *pin = brScene_Sphere(0.01), *rod = brScene_Box(1.0, 0.2, 0.2);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = pin;
	brJointDef joint = brDefaultJointDef();
	joint.kind = br_jointHinge;
	joint.bodyA = brWorld_CreateBody(world, &def, NULL);
	joint.axis = brQuat_Rotate(turn, brMakeDVec3(0.0, 0.0, 1.0));
	def = brDefaultBodyDef();
	def.shape = rod;
	def.pose.q = turn;
	def.spin = brDMul(60.0, joint.axis);
	joint.bodyB = brWorld_CreateBody(world, &def, NULL);
	CHECK(!brJointId_IsNull(brWorld_CreateJoint(world, &joint, NULL)));
	gameRun(world, 120);
	CHECK(brDDistance(brWorld_GetSpin(world, joint.bodyB), def.spin) < 0.01);
	brDestroyShape(pin);
	brDestroyShape(rod);
	brDestroyWorld(world);
}

BR_TEST(game_spring_joint_sags_by_its_frequency)
{
	// A ball of 1 kg on a soft ball joint of f Hz hangs g / (2 pi f)^2 below.
	brWorld* world = brScene_World(NULL, NULL);
	brShape* ball = brScene_Sphere(0.1);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = ball;
	def.collidesWith = 0;
	brJointDef joint = brDefaultJointDef();
	joint.bodyA = brWorld_CreateBody(world, &def, NULL);
	def.kind = br_bodyDynamic;
	def.mass = 1.0;
	def.enableSleep = false;
	joint.bodyB = brWorld_CreateBody(world, &def, NULL);
	joint.springHertz = 2.0;
	brWorld_CreateJoint(world, &joint, NULL);
	gameRun(world, 300);
	double sag = 9.81 / (16.0 * BR_PI * BR_PI);
	CHECK_NEAR(brWorld_GetCenter(world, joint.bodyB).z, -sag, 0.02 * sag);
	brDestroyShape(ball);
	brDestroyWorld(world);
}

static bool gameRefuse(const brWorld* world, brBodyId a, brBodyId b, void* user)
{
	(void)world;
	const brBodyId* ghost = user;
	return a.index1 != ghost->index1 && b.index1 != ghost->index1;
}

BR_TEST(game_filter_mass_and_floats)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brShape* ball = brScene_Sphere(0.1);
	brBodyId ghost = brScene_Body(world, ball, 0.0, 0.0, 0.1), solid = brScene_Body(world, ball, 1.0, 0.0, 0.1);
	brPairFilter filter = {gameRefuse, &ghost};
	brWorld_SetPairFilter(world, &filter);
	gameRun(world, 30);
	CHECK(brWorld_GetCenter(world, ghost).z < -0.5);
	CHECK_NEAR(brWorld_GetCenter(world, solid).z, 0.1, 1e-3);
	brWorld_SetPairFilter(world, NULL);

	CHECK(brWorld_SetMass(world, solid, 7.0));
	CHECK_NEAR(brWorld_GetMass(world, solid), 7.0, 1e-12);
	CHECK(brWorld_ApplyImpulse(world, solid, brMakeDVec3(0.0, 7.0, 0.0), brWorld_GetCenter(world, solid)));
	CHECK_NEAR(brWorld_GetVelocity(world, solid).y, 1.0, 1e-12);
	CHECK(!brWorld_SetMass(world, solid, -1.0) && !brWorld_SetMass(world, (brBodyId){0}, 1.0));

	float floats[3 * 7];
	CHECK_EQUAL(brWorld_GetTransforms(world, NULL, 0), 3);
	CHECK_EQUAL(brWorld_GetTransforms(world, floats, 3), 3);
	brBodyId ids[3];
	brWorld_GetBodies(world, ids, 3);
	for (int32_t i = 0; i < 3; ++i)
	{
		brTransform pose = brWorld_GetPose(world, ids[i]);
		CHECK_NEAR((double)floats[7 * i + 2], pose.p.z, 1e-6);
		CHECK_NEAR((double)floats[7 * i + 6], pose.q.w, 1e-6);
	}
	brDestroyShape(ball);
	brDestroyWorld(world);
}

enum
{
	GAME_BODIES = 37
};

// Poses and states of all at once, to the bit those that each body has on its own.
static void gameCheckAll(brWorld* world, int32_t count)
{
	brBodyId ids[GAME_BODIES];
	brTransform poses[GAME_BODIES];
	brBodyState states[GAME_BODIES];
	CHECK_EQUAL(brWorld_GetBodies(world, ids, GAME_BODIES), count);
	CHECK_EQUAL(brWorld_GetPoses(world, poses, GAME_BODIES), count);
	CHECK_EQUAL(brWorld_GetStates(world, states, GAME_BODIES), count);
	for (int32_t i = 0; i < count; ++i)
	{
		brTransform pose = brWorld_GetPose(world, ids[i]);
		CHECK(memcmp(&pose, &poses[i], sizeof(pose)) == 0 && memcmp(&pose, &states[i].pose, sizeof(pose)) == 0);
		CHECK(brBodyId_IsEqual(states[i].id, ids[i]) && states[i].kind == brWorld_GetKind(world, ids[i]));
		CHECK(states[i].isAwake == brWorld_IsAwake(world, ids[i]));
		CHECK_NEAR(states[i].mass, brWorld_GetMass(world, ids[i]), 0.0);
		CHECK_NEAR(brDDistance(states[i].center, brWorld_GetCenter(world, ids[i])), 0.0, 0.0);
		CHECK_NEAR(brDDistance(states[i].velocity, brWorld_GetVelocity(world, ids[i])), 0.0, 0.0);
		CHECK_NEAR(brDDistance(states[i].spin, brWorld_GetSpin(world, ids[i])), 0.0, 0.0);
	}
	for (int32_t room = 0; room < 10; ++room) // no more than there is room for
	{
		poses[room].p.x = -1.0, states[room].mass = -1.0;
		CHECK(brWorld_GetPoses(world, poses, room) == count && brWorld_GetStates(world, states, room) == count);
		CHECK(poses[room].p.x < 0.0 && states[room].mass < 0.0);
	}
	CHECK(brWorld_GetPoses(world, NULL, 9) == count && brWorld_GetPoses(NULL, poses, 9) == 0 &&
		  brWorld_GetStates(NULL, states, 9) == 0);
}

BR_TEST(world_game_all_bodies_at_once)
{
	brDVec3 corners[5] = {{0.0, 0.0, 0.0}, {0.3, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.1}, {0.2, 0.2, 0.2}};
	brShapeDef hullDef = brDefaultShapeDef(br_shapeHull);
	hullDef.points = corners, hullDef.pointCount = 5;
	brShape* shapes[3] = {brScene_Sphere(0.1), NULL, NULL};
	brShapeDef boxDef = brDefaultShapeDef(br_shapeBox);
	CHECK(brCreateShape(NULL, &boxDef, &shapes[1], NULL) >= 0 && brCreateShape(NULL, &hullDef, &shapes[2], NULL) >= 0);
	// Shapes in turn, in long runs, and none that has a frame: the ways of brWorld_GetPoses.
	static const struct
	{
		int32_t run, shapes;
	} orders[3] = {{1, 3}, {7, 3}, {1, 2}};
	for (int32_t order = 0; order < 3; ++order)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyId made[GAME_BODIES];
		for (int32_t i = 0; i < GAME_BODIES; ++i)
		{
			brBodyDef def = brDefaultBodyDef();
			def.shape = shapes[i / orders[order].run % orders[order].shapes];
			def.kind = i % 5 == 0 ? br_bodyStatic : br_bodyDynamic;
			def.pose.p = brMakeDVec3(3.0 * i, 0.1 * i, 0.7);
			def.pose.q = brQuat_Normalize((brQuat){0.1 * i, 0.3, -0.2 * i, 1.0});
			def.spin = brMakeDVec3(1.0, 0.3 * i, 2.0), def.velocity = brMakeDVec3(0.0, 1.0, 0.1 * i);
			made[i] = brWorld_CreateBody(world, &def, NULL);
		}
		gameRun(world, 7);
		gameCheckAll(world, GAME_BODIES);
		CHECK(brWorld_DestroyBody(world, made[3]) && brWorld_DestroyBody(world, made[30])); // slots that are free
		gameCheckAll(world, GAME_BODIES - 2);
		brDestroyWorld(world);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(shapes[i]);
	}
}

typedef struct GameLines
{
	int32_t count, contacts, joints;
	double most; // distance of an end from the middle of the shape
	brDVec3 middle;
} GameLines;

static void gameLine(brDVec3 from, brDVec3 to, uint32_t color, void* user)
{
	GameLines* lines = user;
	lines->count += 1;
	lines->contacts += color == 0xFF3030u;
	lines->joints += color == 0xFFD700u;
	lines->most = fmax(lines->most, fmax(brDDistance(from, lines->middle), brDDistance(to, lines->middle)));
}

static brShapePart gameBox(double x, double y, double z, brDVec3 place)
{
	brShapePart part = brDefaultShapePart(br_shapeBox);
	part.shape.halfExtents = brMakeDVec3(0.5 * x, 0.5 * y, 0.5 * z);
	part.pose.p = place;
	return part;
}

// A table whose legs reach 1 cm into its top, 1 x 0.6 m and 0.75 m high, with the origin on the floor.
static brShape* gameTable(void)
{
	brShapePart parts[5] = {gameBox(1.0, 0.6, 0.05, brMakeDVec3(0.0, 0.0, 0.725))};
	for (int32_t i = 0; i < 4; ++i)
	{
		parts[1 + i] = gameBox(0.05, 0.05, 0.71, brMakeDVec3(i & 1 ? 0.45 : -0.45, i & 2 ? 0.25 : -0.25, 0.355));
	}
	return BR_MADE(brShape, brCreateCompound, NULL, parts, 5);
}

BR_TEST(game_compound_weighs_what_its_parts_do)
{
	brShape* table = gameTable();
	brMassProperties mass = brShape_ComputeMass(table, 700.0);
	double top = 0.03, leg = 0.05 * 0.05 * 0.70; // what is in the top counts once
	CHECK_NEAR(mass.volume, top + 4.0 * leg, 1e-9);
	CHECK_NEAR(mass.center.z, (top * 0.725 + 4.0 * leg * 0.35) / (top + 4.0 * leg), 1e-9);
	brDestroyShape(table);

	// A hammer: a head three times as heavy, through which the handle goes. Moments by Steiner.
	brShapePart parts[2] = {gameBox(0.12, 0.04, 0.04, brMakeDVec3(0.0, 0.0, 0.3)),
							gameBox(0.02, 0.02, 0.4, brMakeDVec3(0.0, 0.0, 0.2))};
	parts[0].density = 3.0;
	brShape* hammer = BR_MADE(brShape, brCreateCompound, NULL, parts, 2);
	mass = brShape_ComputeMass(hammer, 1000.0);
	double m[3] = {3000.0 * 0.12 * 0.04 * 0.04, 1000.0 * 0.0004 * 0.28, 1000.0 * 0.0004 * 0.08};
	double z[3] = {0.3, 0.14, 0.36}, h[3] = {0.04, 0.28, 0.08}, w[3] = {0.12, 0.02, 0.02};
	double sum = m[0] + m[1] + m[2], center = (m[0] * z[0] + m[1] * z[1] + m[2] * z[2]) / sum, about = 0.0;
	for (int32_t i = 0; i < 3; ++i)
	{
		about += m[i] * ((h[i] * h[i] + w[i] * w[i]) / 12.0 + (z[i] - center) * (z[i] - center));
	}
	CHECK_NEAR(mass.mass, sum, 1e-9 * sum);
	CHECK_NEAR(mass.center.z, center, 1e-9);
	CHECK_NEAR(mass.inertia.cy.y, about, 1e-6 * about);
	brDestroyShape(hammer);

	// Balls and capsules have their volumes; parts need not touch.
	brShapePart dumbbell[2] = {brDefaultShapePart(br_shapeSphere), brDefaultShapePart(br_shapeCapsule)};
	dumbbell[0].shape.radius = 0.1;
	dumbbell[1].shape.radius = 0.05, dumbbell[1].shape.halfLength = 0.2;
	dumbbell[1].pose.p.x = 0.5;
	brShape* shape = BR_MADE(brShape, brCreateCompound, NULL, dumbbell, 2);
	double volume = 4.0 / 3.0 * BR_PI * (1e-3 + 1.25e-4) + BR_PI * 2.5e-3 * 0.4;
	CHECK_NEAR(brShape_ComputeMass(shape, 1.0).volume, volume, 1e-6 * volume);
	brDestroyShape(shape);
	dumbbell[1] = brDefaultShapePart(br_shapeHalfSpace);
	CHECK(brCreateCompound(NULL, dumbbell, 2, &shape, NULL) == br_errorMisuse);
	CHECK(brCreateCompound(NULL, dumbbell, 0, &shape, NULL) == br_errorMisuse);
}

BR_TEST(game_compound_is_hit_where_it_is_and_open_where_it_is_not)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape *table = gameTable(), *ball = brScene_Sphere(0.1);
	brBodyDef def = brDefaultBodyDef();
	def.shape = table;
	def.density = 700.0;
	def.pose.p.z = 0.01;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	def = brDefaultBodyDef();
	def.shape = ball;
	def.density = 700.0;
	def.pose.p = brMakeDVec3(0.2, 0.1, 0.87);
	def.rolling = 0.05;
	brBodyId above = brWorld_CreateBody(world, &def, NULL);
	def.pose.p = brMakeDVec3(-1.5, 0.0, 0.1);
	def.velocity.x = 3.0;
	def.rolling = 0.0;
	brBodyId below = brWorld_CreateBody(world, &def, NULL);
	gameRun(world, 60);
	// One ball lies on it, the other rolls through between its legs, and it stands.
	CHECK_NEAR(brWorld_GetPose(world, id).p.z, 0.0, 2e-3);
	CHECK_NEAR(brWorld_GetCenter(world, above).z, 0.85, 3e-3);
	CHECK(brWorld_GetCenter(world, below).x > 0.6);
	CHECK_NEAR(brWorld_GetCenter(world, below).y, 0.0, 1e-3);
	brRayHit hit;
	CHECK(!brWorld_CastRay(world, brMakeDVec3(-2.0, 0.0, 0.4), brMakeDVec3(1.0, 0.0, 0.0), 3.0, NULL, &hit));
	CHECK(brWorld_CastRay(world, brMakeDVec3(-2.0, 0.25, 0.4), brMakeDVec3(1.0, 0.0, 0.0), 3.0, NULL, &hit));
	CHECK_EQUAL(hit.body.index1, id.index1);
	CHECK_NEAR(hit.point.x, -0.475, 2e-3);
	// It goes through snapshots as any shape does.
	size_t bytes = brWorld_Save(world, NULL, 0);
	void* memory = malloc(bytes);
	CHECK(memory != NULL && brWorld_Save(world, memory, bytes) == bytes);
	brWorld* again = BR_MADE(brWorld, brRestoreWorld, NULL, memory, bytes);
	gameRun(world, 240);
	gameRun(again, 240);
	CHECK(brWorld_ComputeHash(world) == brWorld_ComputeHash(again));
	CHECK(brDLength(brWorld_GetVelocity(world, id)) + brDLength(brWorld_GetVelocity(world, above)) < 1e-4);
	free(memory);
	brDestroyShape(table);
	brDestroyShape(ball);
	brDestroyWorld(world);
	brDestroyWorld(again);
}

BR_TEST(game_debug_draw_shows_each_kind_of_shape)
{
	// Lines of a shape, and how far from its middle they end, whatever its pose.
	brShape* shapes[5] = {brScene_Box(0.2, 0.4, 0.4), brScene_Sphere(0.3), brScene_Capsule(0.1, 0.2),
						  brScene_MeshBox(0.2, 0.4, 0.4, 1), brScene_MeshModel("torus", 16, 0.6, true)};
	const int32_t counts[4] = {12, 96, 100, 18};
	const double reach[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
	for (int32_t k = 0; k < 5; ++k)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.shape = shapes[k];
		def.pose.p = brMakeDVec3(3.0, 2.0, 1.0);
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, 2.0, 3.0)), 1.0);
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		GameLines lines = {.middle = brWorld_GetCenter(world, id)};
		brDebugDraw draw = brDefaultDebugDraw();
		draw.line = gameLine;
		draw.user = &lines;
		brWorld_DebugDraw(world, &draw);
		CHECK_MESSAGE(lines.count == (k < 4 ? counts[k] : lines.count) && lines.count > 0, "shape %d has %d lines", k,
					  lines.count);
		CHECK_NEAR(lines.most, reach[k], 0.01);
		lines = (GameLines){.middle = lines.middle};
		draw.shapes = false;
		draw.bounds = true;
		brWorld_DebugDraw(world, &draw);
		CHECK_EQUAL(lines.count, 12);
		brDestroyShape(shapes[k]);
		brDestroyWorld(world);
	}
}

BR_TEST(game_debug_draw_shows_contacts_and_joints)
{
	brWorld* world = brScene_World(NULL, NULL);
	brBodyId ground = brScene_Ground(world);
	brShape* box = brScene_Box(0.2, 0.2, 0.2);
	brBodyId lower = brScene_Body(world, box, 0.0, 0.0, 0.1), held = brScene_Body(world, box, 2.0, 0.0, 1.0);
	brJointDef joint = brDefaultJointDef();
	joint.bodyA = ground, joint.bodyB = held;
	joint.anchor = brMakeDVec3(2.0, 0.0, 1.3);
	CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 > 0);
	gameRun(world, 10);
	GameLines lines = {0};
	brDebugDraw draw = brDefaultDebugDraw();
	brWorld_DebugDraw(world, &draw); // without a pen: nothing
	draw.line = gameLine;
	draw.user = &lines;
	brWorld_DebugDraw(world, &draw);
	int32_t points = brWorld_GetContactPlaces(world, lower, NULL, 0);
	CHECK_EQUAL(points, 4);
	CHECK_EQUAL(lines.contacts, 4 * points);
	CHECK_EQUAL(lines.joints, 2);
	CHECK_EQUAL(lines.count, 3 + 12 + 12 + lines.contacts + lines.joints);
	brDebugDraw wrong = {.line = gameLine, .user = &lines, .shapes = true};
	lines.count = 0;
	brWorld_DebugDraw(world, &wrong);
	CHECK_EQUAL(lines.count, 0);
	brDestroyShape(box);
	brDestroyWorld(world);
}
