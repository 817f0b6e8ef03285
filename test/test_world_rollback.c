// SPDX-License-Identifier: MIT

// A step taken back and made again.

#include "base/hash.h"
#include "harness.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>
#include <string.h>

// Towers beside a heap: several islands, with joints, balls that fall on them and a kinematic slab under one tower.
static brWorld* rollbackScene(const brContext* context)
{
	brWorldDef def = brDefaultWorldDef();
	def.eventImpulse = 0.5;
	brWorld* world = brScene_World(context, &def);
	world->dynamics.keepsStart = true;
	brScene_Ground(world);
	brShape* brick = brScene_Box(0.2, 0.1, 0.1);
	brShape* ball = brScene_Sphere(0.05);
	brShape* capsule = brScene_Capsule(0.04, 0.06);
	for (int32_t i = 0; i < 36; ++i)
	{
		const brShape* shapes[3] = {brick, ball, capsule};
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes[i % 3];
		body.pose.p = brMakeDVec3(-5.0 + 0.11 * (i % 2), 0.12 * (int)(i / 2 % 2), 0.2 + 0.2 * (int)(i / 4));
		body.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, 0.3 * i, 0.5)), 0.7 * i);
		brWorld_CreateBody(world, &body, NULL);
	}
	brDestroyShape(capsule);
	brBodyDef slab = brDefaultBodyDef();
	slab.kind = br_bodyKinematic;
	slab.shape = brick;
	slab.pose.p = brMakeDVec3(0.0, 5.0, 0.3);
	slab.velocity = brMakeDVec3(0.02, 0.0, 0.0);
	brWorld_CreateBody(world, &slab, NULL);
	for (int32_t i = 0; i < 4; ++i)
	{
		for (int32_t k = 0; k < 4; ++k)
		{
			brScene_Body(world, brick, i == 0 ? 0.0 : 2.0 * i, i == 0 ? 5.0 : 0.0,
						 0.05 + 0.1 * k + (i == 0 ? 0.35 : 0.0));
		}
		brBodyId a = brScene_Body(world, ball, 2.0 * i, 0.01, 1.0), b = brScene_Body(world, ball, 2.0 * i, 0.0, 1.2);
		brJointDef joint = brDefaultJointDef();
		joint.bodyA = a, joint.bodyB = b;
		joint.anchor = brMakeDVec3(2.0 * i, 0.0, 1.1);
		joint.breakForce = i == 2 ? 5.0 : INFINITY;
		CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 != 0);
	}
	brDestroyShape(brick);
	brDestroyShape(ball);
	return world;
}

// Bodies, joints and contacts that touch. Pairs of boxes are found anew by the repeated step, where the others are by then.
static uint64_t rollbackHash(const brWorld* world)
{
	const brDynamics* dynamics = &world->dynamics;
	uint64_t hash = brHashBytes(BR_HASH_SEED, dynamics->bodies.data, sizeof(brBody) * (size_t)dynamics->bodies.count);
	hash = brHashBytes(hash, dynamics->joints.data, sizeof(brJoint) * (size_t)dynamics->joints.count);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		if (contact->isTouching && contact->wasTouching)
		{
			hash = brHashBytes(hash, &dynamics->pairs.data[i].key, sizeof(uint64_t));
			hash = brHashBytes(hash, &contact->first, offsetof(brManifold, points));
			hash = brHashBytes(hash, contact->first.points, sizeof(brContactPoint) * (size_t)contact->first.pointCount);
		}
	}
	return hash;
}

static uint64_t rollbackEventHash(const brWorld* world)
{
	int32_t contacts, bodies;
	const brContactEvent* contactEvents = brWorld_ContactEvents(world, &contacts);
	const brBodyEvent* bodyEvents = brWorld_BodyEvents(world, &bodies);
	// Events of the repeated part come last, so the order must not count.
	uint64_t sum = (uint64_t)contacts << 32 | (uint32_t)bodies;
	for (int32_t i = 0; i < contacts; ++i)
	{
		brContactEvent e = contactEvents[i];
		sum += (uint64_t)(e.bodyA.index1 * 7919 + e.bodyB.index1) * (uint64_t)(1 + e.isBegin + 2 * e.isEnd);
	}
	for (int32_t i = 0; i < bodies; ++i)
	{
		sum += (uint64_t)(bodyEvents[i].id.index1 * 31 + (int32_t)bodyEvents[i].kind) * 104729u;
	}
	return sum;
}

BR_TEST(world_step_taken_back_and_made_again_is_the_same_step)
{
	int32_t broken = 0, slept = 0;
	for (int32_t workerCount = 0; workerCount < 3; workerCount += 2)
	{
		brWorkersDef workersDef = brDefaultWorkersDef();
		workersDef.workerCount = 2;
		brContext context = {.workers = workerCount > 0 ? brCreateWorkers(&workersDef) : NULL};
		brWorld* world = rollbackScene(&context);
		brDynamics* dynamics = &world->dynamics;
		brRandom random = brTest_Random(test);
		for (int32_t i = 0; i < brTest_Rounds(test, 240); ++i)
		{
			brScene_Run(world, 1);
			uint64_t hash = rollbackHash(world), events = rollbackEventHash(world);
			int32_t joints = dynamics->jointCount, freeJoint = dynamics->freeJoint;
			broken = 4 - joints;
			brStepStats stats = brWorld_Stats(world);
			int32_t eventCount;
			const brBodyEvent* bodyEvents = brWorld_BodyEvents(world, &eventCount);
			for (int32_t k = 0; k < eventCount; ++k)
			{
				slept += bodyEvents[k].kind == br_bodyFellAsleep;
			}
			int32_t bodies[3];
			for (int32_t k = 0; k < 3; ++k)
			{
				bodies[k] = (int32_t)brRandom_Below(&random, (uint32_t)dynamics->bodies.count);
			}
			CHECK_RESULT(brDynamics_Rollback(dynamics, bodies, 3, NULL), NULL);
			CHECK_RESULT(brDynamics_StepAgain(dynamics, 1.0 / 60.0, NULL), NULL);
			CHECK_MESSAGE(rollbackHash(world) == hash, "step %d is not the same step", i);
			CHECK_MESSAGE(rollbackEventHash(world) == events, "step %d has other events", i);
			CHECK(dynamics->jointCount == joints && dynamics->freeJoint == freeJoint);
			CHECK_EQUAL(brWorld_Stats(world).contacts, stats.contacts);
			CHECK(brDynamics_StepAgain(dynamics, 1.0 / 60.0, NULL) == br_errorMisuse);
		}
		brDestroyWorld(world);
		brDestroyWorkers(context.workers);
	}
	CHECK_MESSAGE(test->intensity < 1.0 || (broken == 1 && slept > 0), "%d joints broke, %d fell asleep", broken,
				  slept);
}

BR_TEST(world_step_taken_back_moves_only_its_islands)
{
	brWorld* world = rollbackScene(NULL);
	brWorld* twin = rollbackScene(NULL);
	brDynamics* dynamics = &world->dynamics;
	brScene_Run(world, 40);
	brScene_Run(twin, 40);
	CHECK(brWorld_Hash(world) == brWorld_Hash(twin));
	// The lowest brick of the second tower becomes two halves.
	brBodyId ids[128];
	int32_t count = brWorld_Bodies(world, ids, 128), brick = -1;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = brWorld_GetCenter(world, ids[i]);
		brick = fabs(p.x - 2.0) < 0.05 && p.z < 0.1 && brWorld_GetMass(world, ids[i]) > 1.0 ? ids[i].index1 - 1 : brick;
	}
	CHECK(brick >= 0);
	brBody before = dynamics->bodies.data[brick];
	brScene_Run(world, 1);
	brScene_Run(twin, 1);
	CHECK_RESULT(brDynamics_Rollback(dynamics, &brick, 1, NULL), NULL);
	CHECK(memcmp(&before, &dynamics->bodies.data[brick], sizeof(brBody)) == 0);
	brShape* half = brScene_Box(0.1, 0.1, 0.1);
	CHECK(brWorld_DestroyBody(world, brDynamics_BodyId(dynamics, brick)));
	brBodyId pieces[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		pieces[k] = brScene_Body(world, half, before.position.x + 0.1 * k - 0.05, before.position.y, before.position.z);
	}
	brDestroyShape(half);
	CHECK_RESULT(brDynamics_StepAgain(dynamics, 1.0 / 60.0, NULL), NULL);
	int32_t same = 0, moved = 0;
	for (int32_t i = 0; i < twin->dynamics.bodies.count; ++i)
	{
		const brBody *a = &dynamics->bodies.data[i], *b = &twin->dynamics.bodies.data[i];
		bool isIsland = fabs(b->position.x - 2.0) < 0.2 && fabs(b->position.y) < 0.2 && b->kind == br_bodyDynamic;
		if (!isIsland)
		{
			CHECK_MESSAGE(memcmp(a, b, sizeof(brBody)) == 0, "body %d has moved", i);
			same += 1;
		}
		moved += isIsland && memcmp(a, b, sizeof(brBody)) != 0;
	}
	CHECK(same > 40 && moved >= 4);
	int32_t eventCount, born = 0;
	const brBodyEvent* events = brWorld_BodyEvents(world, &eventCount);
	for (int32_t i = 0; i < eventCount; ++i)
	{
		born += events[i].kind == br_bodyBorn;
	}
	CHECK_EQUAL(born, 2);
	// The tower stands on the halves.
	brScene_Run(world, 120);
	CHECK_NEAR(brWorld_GetCenter(world, pieces[0]).z, 0.05, 0.002);
	CHECK_NEAR(brDDistance(brWorld_GetCenter(world, pieces[0]), brWorld_GetCenter(world, pieces[1])), 0.1, 0.003);
	brDestroyWorld(world);
	brDestroyWorld(twin);
}

static brResult rollbackMemoryWalk(const brContext* context, void* user)
{
	(void)user;
	brShape* shape = NULL;
	brWorld* world = NULL;
	brWorldDef def = brDefaultWorldDef();
	brShapeDef box = brDefaultShapeDef(br_shapeBox);
	brReport report = {0};
	brResult result = brCreateShape(context, &box, &shape, &report);
	result = result < 0 ? result : brCreateWorld(context, &def, &world, &report);
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		world->dynamics.keepsStart = true;
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.kind = i == 0 ? br_bodyStatic : br_bodyDynamic;
		body.pose.p.z = i;
		result = brWorld_CreateBody(world, &body, &report).index1 != 0 ? br_success : report.code;
	}
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		const int32_t first = 1;
		result = brWorld_Step(world, 1.0 / 60.0, &report);
		result = result < 0 ? result : brDynamics_Rollback(&world->dynamics, &first, 1, &report);
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		body.pose.p.z = 10.0 * (i + 1);
		result = result < 0 || brWorld_CreateBody(world, &body, &report).index1 != 0 ? result : report.code;
		result = result < 0 ? result : brDynamics_StepAgain(&world->dynamics, 1.0 / 60.0, &report);
	}
	brDestroyWorld(world);
	brDestroyShape(shape);
	return result;
}

BR_TEST(world_rollback_survives_every_failed_allocation)
{
	CHECK(brTest_WalkAllocations(rollbackMemoryWalk, NULL) > 30);
}
