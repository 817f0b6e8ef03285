// SPDX-License-Identifier: MIT

// A world as a thing: the same bits for any number of workers and lanes, snapshots, memory, ids, events, sleep.

#include "harness.h"
#include "world_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stateHashOfPile(int32_t workerCount, int32_t lanes, int32_t steps, bool restoreHalfway)
{
	brContext context = {0};
	context.workers = workerCount > 0 ? brTest_Workers(workerCount) : NULL;
	brWorldDef def = brDefaultWorldDef();
	def.lanes = lanes;
	brWorld* world = brScene_World(&context, &def);
	brScene_Pile(world, 300, 11);
	brScene_Run(world, steps / 2);
	if (restoreHalfway)
	{
		size_t bytes = brWorld_Save(world, NULL, 0);
		void* memory = malloc(bytes);
		CHECK(brWorld_Save(world, memory, bytes) == bytes);
		brDestroyWorld(world);
		brReport report = {0};
		CHECK_RESULT(brRestoreWorld(&context, memory, bytes, &world, &report), &report);
		free(memory);
	}
	brScene_Run(world, steps - steps / 2);
	uint64_t hash = brWorld_ComputeHash(world);
	CHECK_MESSAGE(brWorld_GetStats(world).colors > 4, "%d colors", brWorld_GetStats(world).colors);
	brDestroyWorld(world);
	brDestroyWorkers(context.workers);
	return hash;
}

BR_TEST(world_hash_is_the_same_for_any_workers_lanes_and_after_restore)
{
	int32_t steps = brTest_Rounds(test, 60) + 60; // it falls asleep after 190
	uint64_t hash = stateHashOfPile(0, 0, steps, false);
	CHECK(stateHashOfPile(1, 0, steps, false) == hash);
	CHECK(stateHashOfPile(2, 0, steps, false) == hash);
	CHECK(stateHashOfPile(3, 0, steps, false) == hash);
	CHECK(stateHashOfPile(8, 0, steps, false) == hash);
	CHECK(stateHashOfPile(0, 1, steps, false) == hash);
	CHECK(stateHashOfPile(0, 0, steps, true) == hash);
	CHECK(stateHashOfPile(2, 0, steps + 1, false) != hash);
}

BR_TEST(world_hash_of_a_tower_after_a_thousand_steps)
{
	// The longest of the determinism tests has few bodies: one worker against three, one lane against eight.
	uint64_t hashes[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brContext context = {0};
		context.workers = brTest_Workers(1 + 2 * k);
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		def.lanes = k;
		brWorld* world = brScene_World(&context, &def);
		brScene_Pyramid(world, 8);
		brScene_Run(world, brTest_Rounds(test, 1000));
		hashes[k] = brWorld_ComputeHash(world);
		brDestroyWorld(world);
		brDestroyWorkers(context.workers);
	}
	CHECK(hashes[0] == hashes[1]);
}

BR_TEST(world_steady_step_allocates_nothing)
{
	for (int32_t k = 0; k < 2; ++k)
	{
		brTestAllocator allocator;
		brTestAllocator_Init(&allocator);
		brContext context = {.allocator = &allocator.allocator};
		context.workers = k == 1 ? brTest_Workers(2) : NULL;
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		brWorld* world = brScene_World(&context, &def);
		brScene_Pile(world, 120, 3);
		brScene_Run(world, 500);
		int64_t before = allocator.allocations;
		brScene_Run(world, 100);
		CHECK_EQUAL(allocator.allocations, before);
		brDestroyWorld(world);
		CHECK_EQUAL(allocator.liveBlocks, 0);
		brDestroyWorkers(context.workers);
		brTestAllocator_Destroy(&allocator);
	}
}

static brResult stateMemoryWalk(const brContext* context, void* user)
{
	(void)user;
	brReport report = {0};
	brShape* shapes[2] = {NULL, NULL};
	brWorld *world = NULL, *copy = NULL;
	void* memory = NULL;
	brDVec3 points[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
	brShapeDef hull = brDefaultShapeDef(br_shapeHull), box = brDefaultShapeDef(br_shapeBox);
	hull.points = points;
	hull.pointCount = 6;
	brWorldDef def = brDefaultWorldDef();
	brResult result = brCreateShape(context, &hull, &shapes[0], &report);
	result = result < 0 ? result : brCreateShape(context, &box, &shapes[1], &report);
	result = result < 0 ? result : brCreateWorld(context, &def, &world, &report);
	for (int32_t i = 0; i < 6 && result >= 0; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes[i % 2];
		body.kind = i == 0 ? br_bodyStatic : br_bodyDynamic;
		body.pose.p.z = 1.4 * i;
		brBodyId id = brWorld_CreateBody(world, &body, &report);
		result = id.index1 != 0 ? br_success : report.code;
	}
	for (int32_t i = 0; i < 20 && result >= 0; ++i)
	{
		result = brWorld_Step(world, 1.0 / 60.0, &report);
	}
	if (result >= 0)
	{
		size_t bytes = brWorld_Save(world, NULL, 0);
		memory = malloc(bytes);
		brWorld_Save(world, memory, bytes);
		result = brRestoreWorld(context, memory, bytes, &copy, &report);
	}
	free(memory);
	brDestroyWorld(world);
	brDestroyWorld(copy);
	brDestroyShape(shapes[0]);
	brDestroyShape(shapes[1]);
	return result;
}

BR_TEST(world_survives_every_failed_allocation)
{
	CHECK(brTest_WalkAllocations(stateMemoryWalk, NULL) > 40);
}

BR_TEST(world_step_can_be_repeated_after_memory_failed)
{
	// Twins: one is refused memory once in every step of its first second and repeats the step.
	uint64_t hashes[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brTestAllocator allocator;
		brTestAllocator_Init(&allocator);
		brContext context = {.allocator = &allocator.allocator};
		brWorldDef def = brDefaultWorldDef();
		brWorld* world = brScene_World(&context, &def);
		brScene_Pile(world, 60, 5);
		int32_t refusals = 0;
		for (int32_t i = 0; i < 60; ++i)
		{
			allocator.failAt = k == 1 ? allocator.allocations + 1 : -1;
			brResult result = brWorld_Step(world, 1.0 / 60.0, NULL);
			allocator.failAt = -1;
			if (result == br_errorMemory)
			{
				refusals += 1;
				result = brWorld_Step(world, 1.0 / 60.0, NULL);
			}
			CHECK(result == br_success);
		}
		CHECK(k == 0 || refusals > 0);
		hashes[k] = brWorld_ComputeHash(world);
		brDestroyWorld(world);
		CHECK_EQUAL(allocator.liveBlocks, 0);
		brTestAllocator_Destroy(&allocator);
	}
	CHECK(hashes[0] == hashes[1]);
}

BR_TEST(world_snapshot_with_any_byte_changed_is_refused_or_sound)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Pile(world, 12, 2);
	brScene_Run(world, 30);
	size_t bytes = brWorld_Save(world, NULL, 0);
	unsigned char* memory = malloc(bytes);
	brWorld_Save(world, memory, bytes);
	brDestroyWorld(world);
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 300); ++i)
	{
		uint32_t at = brRandom_Below(&random, (uint32_t)bytes);
		unsigned char old = memory[at];
		memory[at] ^= (unsigned char)(1u << brRandom_Below(&random, 8));
		brWorld* copy = NULL;
		brReport report = {0};
		CHECK(brRestoreWorld(NULL, memory, bytes, &copy, &report) < 0);
		CHECK(copy == NULL && report.text[0] != 0);
		memory[at] = old;
	}
	brWorld* copy = NULL;
	CHECK(brRestoreWorld(NULL, memory, bytes - 1, &copy, NULL) < 0);
	CHECK(brRestoreWorld(NULL, memory, bytes / 2, &copy, NULL) < 0);
	CHECK(brRestoreWorld(NULL, memory, 3, &copy, NULL) < 0);
	CHECK(brRestoreWorld(NULL, memory, bytes, &copy, NULL) == br_success);
	brDestroyWorld(copy);
	free(memory);
}

BR_TEST(world_ids_go_stale_with_their_body)
{
	brWorld* world = brScene_World(NULL, NULL);
	brShape* ball = brScene_Sphere(0.1);
	brBodyId a = brScene_Body(world, ball, 0.0, 0.0, 0.0);
	brBodyId b = brScene_Body(world, ball, 1.0, 0.0, 0.0);
	brJointDef jointDef = brDefaultJointDef();
	jointDef.bodyA = a, jointDef.bodyB = b;
	brJointId joint = brWorld_CreateJoint(world, &jointDef, NULL);
	CHECK(brWorld_IsJoint(world, joint));
	CHECK(brWorld_DestroyBody(world, a));
	CHECK(!brWorld_DestroyBody(world, a) && !brWorld_IsBody(world, a) && !brWorld_IsJoint(world, joint));
	brBodyId c = brScene_Body(world, ball, 2.0, 0.0, 0.0);
	CHECK(c.index1 == a.index1 && c.generation != a.generation);
	CHECK(!brWorld_IsBody(world, a) && brWorld_IsBody(world, c));
	CHECK(!brWorld_SetVelocity(world, a, brMakeDVec3(1.0, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	CHECK(!brWorld_SetVelocity(world, c, brMakeDVec3(NAN, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	CHECK(!brWorld_ApplyImpulse(world, c, brMakeDVec3(INFINITY, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0)));
	CHECK(brWorld_GetMass(world, a) == 0.0 && brWorld_GetMass(world, c) > 0.0);
	CHECK_EQUAL(brWorld_GetBodyCount(world), 2);
	brScene_Run(world, 1);
	int32_t count;
	const brBodyEvent* events = brWorld_GetBodyEvents(world, &count);
	CHECK_EQUAL(count, 4); // born, born, gone, born
	CHECK(events[2].kind == br_eventBodyDestroyed && events[2].id.generation == a.generation);
	brScene_Run(world, 1);
	brWorld_GetBodyEvents(world, &count);
	CHECK_EQUAL(count, 0);
	brDestroyShape(ball);
	brDestroyWorld(world);
}

BR_TEST(world_sleeps_as_a_whole_and_wakes_when_touched)
{
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &def);
	brScene_Tower(world, 5);
	brBodyId ids[8];
	CHECK_EQUAL(brWorld_GetBodies(world, ids, 8), 6);
	brScene_Run(world, 240);
	for (int32_t i = 1; i < 6; ++i)
	{
		CHECK(!brWorld_IsAwake(world, ids[i]));
	}
	CHECK_EQUAL(brWorld_GetStats(world).awake, 0);
	CHECK_EQUAL(brWorld_GetStats(world).contacts, 0);
	// A ball falls on it: all wake.
	brShape* ball = brScene_Sphere(0.05);
	brBodyId hit = brScene_Body(world, ball, 0.0, 0.0, 1.0);
	brDestroyShape(ball);
	bool hasWoken = false, hasEvent = false;
	for (int32_t i = 0; i < 60; ++i)
	{
		brScene_Run(world, 1);
		hasWoken = hasWoken || brWorld_IsAwake(world, ids[1]);
		int32_t count;
		const brContactEvent* events = brWorld_GetContactEvents(world, &count);
		for (int32_t k = 0; k < count; ++k)
		{
			bool isHit = events[k].bodyA.index1 == hit.index1 || events[k].bodyB.index1 == hit.index1;
			// Half a meter of fall, less the speed it gains in the step of the hit.
			hasEvent =
				hasEvent || (isHit && events[k].isBegin && events[k].approachSpeed > 2.5 && events[k].impulse > 0.0);
		}
	}
	CHECK(hasWoken && hasEvent);
	// Removing the lowest brick wakes those above.
	brScene_Run(world, 300);
	CHECK(!brWorld_IsAwake(world, ids[3]));
	CHECK(brWorld_DestroyBody(world, ids[1]));
	brScene_Run(world, 30);
	CHECK(brWorld_GetCenter(world, ids[5]).z < 0.42);
	brDestroyWorld(world);
}

typedef struct WarningCount
{
	int32_t count;
	char text[256];
} WarningCount;

static void countWarning(brLogLevel level, const char* text, void* user)
{
	WarningCount* warnings = user;
	warnings->count += level == br_logWarning;
	snprintf(warnings->text, sizeof(warnings->text), "%s", text);
}

BR_TEST(world_sets_aside_what_runs_away)
{
	WarningCount warnings = {0};
	brContext context = {.log = countWarning, .logUser = &warnings};
	// Gravity that no double can bear for long: the body leaves the range in which boxes mean something.
	brWorldDef def = brDefaultWorldDef();
	def.gravity = brMakeDVec3(0.0, 0.0, -1e7);
	brWorld* world = brScene_World(&context, &def);
	brShape* ball = brScene_Sphere(0.1);
	brBodyId fast = brScene_Body(world, ball, 0.0, 0.0, 0.0);
	brBodyDef body = brDefaultBodyDef();
	body.shape = ball;
	body.gravityScale = 0.0;
	body.pose.p.x = 5.0;
	brBodyId calm = brWorld_CreateBody(world, &body, NULL);
	brDestroyShape(ball);
	bool isSaid = false;
	for (int32_t i = 0; i < 60; ++i)
	{
		brScene_Run(world, 1);
		int32_t count;
		const brBodyEvent* events = brWorld_GetBodyEvents(world, &count);
		for (int32_t k = 0; k < count; ++k)
		{
			isSaid = isSaid || (events[k].kind == br_eventBodySetAside && events[k].id.index1 == fast.index1);
		}
	}
	CHECK(isSaid);
	CHECK_EQUAL(brWorld_GetStats(world).setAside, 1);
	CHECK_EQUAL(warnings.count, 1);
	CHECK(strstr(warnings.text, "set aside") != NULL);
	CHECK(brDIsFinite(brWorld_GetCenter(world, fast)) && !brWorld_IsAwake(world, fast));
	CHECK_NEAR(brWorld_GetCenter(world, calm).x, 5.0, 1e-12);
	brDestroyWorld(world);
}

BR_TEST(world_budget_of_contacts_is_held)
{
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	def.maxContacts = 20;
	def.maxBodies = 70;
	brWorld* world = brScene_World(NULL, &def);
	brScene_Pile(world, 60, 4);
	bool isOver = false;
	for (int32_t i = 0; i < 200; ++i)
	{
		brScene_Run(world, 1);
		// What is fast steps apart from the rest, each within the budget.
		brStepStats stats = brWorld_GetStats(world);
		CHECK(stats.contacts <= (stats.slices > 1 ? 40 : 20));
		if (stats.droppedContacts > 0)
		{
			isOver = true;
			CHECK(stats.contacts >= 20); // all of the budget is used
		}
	}
	CHECK(isOver);
	brShape* ball = brScene_Sphere(0.1);
	brBodyDef body = brDefaultBodyDef();
	body.shape = ball;
	brReport report = {0};
	int32_t made = 0;
	while (made < 100 && brWorld_CreateBody(world, &body, &report).index1 != 0)
	{
		made += 1;
	}
	CHECK_EQUAL(made, 5);
	CHECK_EQUAL(report.code, br_errorLimit);
	brDestroyShape(ball);
	brDestroyWorld(world);
}

BR_TEST(world_budget_of_time_postpones_and_still_holds)
{
	// A budget that is always used up: every slow pair is looked at in every other step only. Without one nothing waits.
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		def.maxSeconds = k == 1 ? 1e-9 : 0.0;
		brWorld* world = brScene_World(NULL, &def);
		brScene_Pile(world, 100, 6);
		int32_t most = 0, fresh = 0;
		for (int32_t i = 0; i < 400; ++i)
		{
			brScene_Run(world, 1);
			brStepStats stats = brWorld_GetStats(world);
			most = stats.postponed > most ? stats.postponed : most;
			fresh += stats.pairs - stats.recycled;
		}
		CHECK((most > 20) == (k == 1) && fresh > 1000);
		brBodyId ids[105];
		CHECK_EQUAL(brWorld_GetBodies(world, ids, 105), 105);
		for (int32_t i = 5; i < 105; ++i)
		{
			brDVec3 p = brWorld_GetCenter(world, ids[i]);
			CHECK_MESSAGE(p.z > 0.02 && fabs(p.x) < 0.58 && fabs(p.y) < 0.58, "body %d left the box: %g %g %g", i, p.x,
						  p.y, p.z);
		}
		brDestroyWorld(world);
	}
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = NULL;
	def.maxSeconds = -1.0;
	CHECK(brCreateWorld(NULL, &def, &world, NULL) == br_errorMisuse);
}

BR_TEST(world_refuses_defs_that_make_no_sense)
{
	brReport report = {0};
	brWorld* world = NULL;
	brWorldDef def = brDefaultWorldDef();
	def.stamp = 0;
	CHECK(brCreateWorld(NULL, &def, &world, &report) == br_errorMisuse && world == NULL);
	def = brDefaultWorldDef();
	def.substeps = 0;
	CHECK(brCreateWorld(NULL, &def, &world, &report) == br_errorMisuse);
	def = brDefaultWorldDef();
	def.gravity.x = NAN;
	CHECK(brCreateWorld(NULL, &def, &world, &report) == br_errorMisuse);
	world = brScene_World(NULL, NULL);
	brShape* ball = brScene_Sphere(0.1);
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	brShape* plane = BR_MADE(brShape, brCreateShape, NULL, &planeDef);
	brBodyDef good = brDefaultBodyDef();
	good.shape = ball;
	brBodyDef bad = good;
	bad.shape = plane;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0);
	bad = good, bad.mass = -1.0;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0);
	bad = good, bad.pose.p.x = NAN;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0);
	bad = good, bad.pose.p.x = 2e9; // finite: the sentence says what is wrong
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0 && strstr(report.text, "beyond 1e+09 m") != NULL);
	bad = good, bad.velocity.z = 2e6;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0 && strstr(report.text, "above 1e+06 m/s") != NULL);
	bad = good, bad.pose.q.w = 2.0;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0 && strstr(report.text, "unit quaternion") != NULL);
	bad = good, bad.restitution = 1.5;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0);
	bad = good, bad.shape = NULL;
	CHECK(brWorld_CreateBody(world, &bad, &report).index1 == 0);
	CHECK(brWorld_CreateBody(world, &good, &report).index1 != 0);
	CHECK(brWorld_Step(world, 0.0, &report) == br_errorMisuse);
	CHECK(brWorld_Step(world, NAN, &report) == br_errorMisuse);
	brDestroyShape(ball);
	brDestroyShape(plane);
	brDestroyWorld(world);
}

BR_TEST(world_golden_hash)
{
	// Bits are the same for gcc and clang at any level; a change of the value belongs into the message of its commit.
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &def);
	brScene_Pile(world, 60, 1);
	brScene_Run(world, 90);
	uint64_t hash = brWorld_ComputeHash(world);
	CHECK_MESSAGE(hash == 0x8c4955801e73a5f6u, "the pile's hash is 0x%016llx", (unsigned long long)hash);
	brDestroyWorld(world);
}
