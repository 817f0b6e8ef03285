// SPDX-License-Identifier: MIT

// A world in which something breaks all the time: memory stays flat, numbers stay finite, nobody runs away or is set
// aside. Twenty simulated seconds here, ten minutes in make test-long (--intensity 30).

#include "brittle/break.h"
#include "harness.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct SoakBody
{
	brBodyId id;
	int32_t born; // step
} SoakBody;

enum
{
	soakRate = 60,  // steps a second
	soakLife = 240, // steps that a body stays
	soakMost = 100000,
};

static void soakGround(brWorld* world)
{
	brShapeDef def = brDefaultShapeDef(br_shapeHalfSpace);
	brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &def);
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic;
	body.shape = shape;
	CHECK(brWorld_CreateBody(world, &body, NULL).index1 > 0);
	brDestroyShape(shape);
}

// A pane that falls hard, where no other lies.
static void soakThrow(brWorld* world, const brMesh* mesh, int32_t number)
{
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh;
	breaking.pieces = 20;
	breaking.seed = (uint64_t)number;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p = brMakeDVec3(0.9 * (number % 5), 0.9 * (number / 5 % 5), 0.3);
	body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.8, 0.6, 0.0), 0.7); // on a corner
	body.velocity = brMakeDVec3(0.3, 0.0, -12.0);
	brReport report = {0};
	CHECK_MESSAGE(brWorld_CreateBreakable(world, &body, &breaking, &report).index1 > 0, "%s", report.text);
}

// Bodies by the step in which they came; the old ones go. Returns how many are there.
static int32_t soakSweep(brWorld* world, SoakBody* bodies, int32_t count, int32_t step)
{
	int32_t eventCount, kept = 0;
	const brBodyEvent* events = brWorld_GetBodyEvents(world, &eventCount);
	for (int32_t i = 0; i < eventCount && count < soakMost; ++i)
	{
		if (events[i].kind == br_eventBodyCreated && brWorld_GetKind(world, events[i].id) == br_bodyDynamic)
		{
			bodies[count++] = (SoakBody){events[i].id, step};
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		bool isOld = step - bodies[i].born > soakLife;
		if (!brWorld_IsBody(world, bodies[i].id) || (isOld && brWorld_DestroyBody(world, bodies[i].id)))
		{
			continue;
		}
		CHECK_MESSAGE(brDIsFinite(brWorld_GetPose(world, bodies[i].id).p), "step %d: a body is nowhere", step);
		double speed = brDLength(brWorld_GetVelocity(world, bodies[i].id));
		CHECK_MESSAGE(speed < 120.0, "step %d: a piece of %g kg, born in step %d, runs at %g m/s, panes fall with 12",
					  step, brWorld_GetMass(world, bodies[i].id), bodies[i].born, speed);
		bodies[kept++] = bodies[i];
	}
	return kept;
}

BR_TEST(soak_of_breaking_keeps_memory_flat)
{
	brTestAllocator memory;
	brTestAllocator_Init(&memory);
	brContext context = {.allocator = &memory.allocator};
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = BR_MADE(brWorld, brCreateWorld, &context, &def);
	soakGround(world);
	brMesh* mesh = brShape_Box(0.3, 0.3, 0.01);
	SoakBody* bodies = malloc(soakMost * sizeof(SoakBody));
	CHECK(bodies != NULL);
	int32_t steps = brTest_Rounds(test, 20) * soakRate, count = 0, breaks = 0;
	int64_t early = 0, late = 0; // most bytes between a third and two, and after
	for (int32_t step = 0; step < steps; ++step)
	{
		if (step % soakRate == 0)
		{
			soakThrow(world, mesh, step / soakRate);
		}
		brReport report = {0};
		CHECK_RESULT(brWorld_Step(world, 1.0 / soakRate, &report), &report);
		breaks += brWorld_GetBreakStats(world).breaks;
		count = soakSweep(world, bodies, count, step);
		int64_t* most = step < steps / 3 ? NULL : step < 2 * steps / 3 ? &early : &late;
		if (most != NULL && memory.liveBytes > *most)
		{
			*most = memory.liveBytes;
		}
	}
	printf("%d s, %d breaks, %d bodies at the end; %.1f MB, then %.1f MB\n", steps / soakRate, breaks, count,
		   1e-6 * (double)early, 1e-6 * (double)late);
	CHECK_EQUAL(brWorld_GetStats(world).setAside, 0);
	// Arrays grow by half or two at a time, so twice is what a flat line may look like.
	CHECK_MESSAGE(breaks >= steps / soakRate / 2, "%d breaks", breaks);
	CHECK_MESSAGE(late <= 2 * early, "memory grows: %lld bytes, then %lld", (long long)early, (long long)late);
	free(bodies);
	brDestroyMesh(mesh);
	brDestroyWorld(world);
	CHECK_EQUAL(memory.liveBlocks, 0);
	brTestAllocator_Destroy(&memory);
}
