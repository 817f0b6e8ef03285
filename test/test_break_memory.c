// SPDX-License-Identifier: MIT

// Memory that runs out while something breaks: each allocation of the steps fails once. A step that fails is repeated;
// in the end every piece is told by an event, and unless a break was given up, which is counted, the world and its
// events are those of a run that had memory all along.

#include "brittle/break.h"
#include "harness.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

typedef enum MemoryScene
{
	memory_shatter,
	memory_crack,
	memory_cluster,
} MemoryScene;

typedef struct MemoryRun
{
	uint64_t hash;
	int32_t bodies;
	int32_t failedSteps, failedBreaks;
	int32_t breaks, pieces; // by the events of steps that succeeded
	uint64_t events;        // hash of what they say, in order
	int64_t allocations;    // while it stepped
} MemoryRun;

// Concrete that falls on an edge under its middle.
static void addBarOnEdge(brWorld* world, const brMesh* mesh)
{
	brShapeDef edgeDef = brDefaultShapeDef(br_shapeBox);
	edgeDef.halfExtents = brMakeDVec3(0.01, 0.2, 0.05);
	brShape* edge = BR_MADE(brShape, brCreateShape, NULL, &edgeDef);
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic, body.shape = edge;
	CHECK(brWorld_CreateBody(world, &body, NULL).index1 > 0);
	brDestroyShape(edge);
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh, breaking.method = br_breakCrack, breaking.generations = 1;
	breaking.material = *brFindMaterial("concrete"), breaking.pieces = 4; // few: of each kind of allocation one
	body = brDefaultBodyDef();
	body.pose.p = brMakeDVec3(-0.2, -0.04, 0.06);
	body.velocity.z = -5.0;
	CHECK(brWorld_CreateBreakable(world, &body, &breaking, NULL).index1 > 0);
}

static brWorld* memoryWorld(const brContext* context, MemoryScene scene, const brMesh* mesh)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brReport report = {0};
	brWorld* world = BR_MADE(brWorld, brCreateWorld, context, &worldDef);
	brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
	brShape* ground = BR_MADE(brShape, brCreateShape, NULL, &plane);
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic;
	body.shape = ground;
	CHECK(brWorld_CreateBody(world, &body, &report).index1 > 0);
	brDestroyShape(ground);
	if (scene == memory_crack)
	{
		addBarOnEdge(world, mesh);
		return world;
	}
	for (int32_t i = 0; i < 2; ++i)
	{
		body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(0.02 * i, 0.0, 0.12 + 0.25 * i);
		body.velocity.z = -15.0;
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = mesh;
		breaking.pieces = 6;
		brClusterDef cluster = brDefaultClusterDef();
		cluster.breaking = breaking;
		cluster.bondStrength = 0.1;
		brBodyId id = scene == memory_cluster && i == 0 ? brWorld_CreateCluster(world, &body, &cluster, &report)
														: brWorld_CreateBreakable(world, &body, &breaking, &report);
		CHECK_MESSAGE(id.index1 > 0, "%s", report.text);
	}
	return world;
}

static uint64_t mixEvent(uint64_t hash, const brBreakEvent* event)
{
	const double numbers[5] = {event->point.x, event->point.z, event->energy, event->speed, event->pieceCount};
	uint64_t words[5];
	memcpy(words, numbers, sizeof(words));
	for (int32_t i = 0; i < 5; ++i)
	{
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

// A few steps, the `failAt`-th allocation of which fails.
static MemoryRun memoryRun(MemoryScene scene, const brMesh* mesh, int64_t failAt)
{
	brTestAllocator memory;
	brTestAllocator_Init(&memory);
	brContext context = {.allocator = &memory.allocator};
	brWorld* world = memoryWorld(&context, scene, mesh);
	MemoryRun run = {0};
	int64_t before = memory.allocations;
	memory.failAt = failAt < 0 ? -1 : before + failAt;
	brReport report = {0};
	for (int32_t i = 0; i < 6; ++i)
	{
		brResult result = brWorld_Step(world, 1.0 / 60.0, &report);
		if (result < 0)
		{
			CHECK_EQUAL(result, br_errorMemory);
			run.failedSteps += 1;
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
		}
		int32_t count, pieceCount;
		const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
		const brBodyId* pieces = brWorld_GetBreakPieces(world, &pieceCount);
		for (int32_t k = 0; k < count; ++k)
		{
			run.breaks += 1;
			run.pieces += events[k].pieceCount;
			run.events = mixEvent(run.events, &events[k]);
			for (int32_t p = 0; p < events[k].pieceCount; ++p)
			{
				CHECK(events[k].firstPiece + p < pieceCount && pieces[events[k].firstPiece + p].index1 > 0);
			}
		}
	}
	run.allocations = memory.allocations - before;
	run.hash = brWorld_ComputeHash(world);
	run.bodies = brWorld_GetBodyCount(world);
	run.failedBreaks = brWorld_GetBreakStats(world).failed;
	brDestroyWorld(world);
	CHECK_EQUAL(memory.liveBlocks, 0);
	brTestAllocator_Destroy(&memory);
	return run;
}

typedef struct MemoryWalk
{
	MemoryScene scene;
	const brMesh* mesh;
	MemoryRun whole;       // with memory all along
	int64_t first, stride; // positions
	_Atomic int32_t failedSteps, failedBreaks;
} MemoryWalk;

static void walkRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	MemoryWalk* walk = user;
	int32_t start = 3; // the ground and two that can break, or ground, edge and bar
	for (int32_t i = begin; i < end; ++i)
	{
		int64_t k = walk->first + i * walk->stride;
		MemoryRun run = memoryRun(walk->scene, walk->mesh, k);
		walk->failedSteps += run.failedSteps;
		walk->failedBreaks += run.failedBreaks;
		CHECK_MESSAGE(run.bodies == start - run.breaks + run.pieces,
					  "allocation %lld: %d bodies, %d breaks and %d pieces told", (long long)k, run.bodies, run.breaks,
					  run.pieces);
		bool isSame = run.hash == walk->whole.hash && run.events == walk->whole.events;
		CHECK_MESSAGE(isSame || run.failedBreaks > walk->whole.failedBreaks,
					  "allocation %lld of %lld: another world (%d steps failed, %d breaks given up)", (long long)k,
					  (long long)walk->whole.allocations, run.failedSteps, run.failedBreaks);
	}
}

// Every `stride`-th position, from a random one on, in worlds of their own side by side.
static void walkBreak(brTest* test, MemoryScene scene, int64_t stride)
{
	brMesh* mesh = scene == memory_crack ? brShape_Box(0.4, 0.08, 0.05) : brShape_Box(0.2, 0.2, 0.2);
	MemoryWalk walk = {.scene = scene, .mesh = mesh, .whole = memoryRun(scene, mesh, -1)};
	CHECK(walk.whole.breaks > 0 && walk.whole.pieces > 1 && walk.whole.failedSteps == 0);
	brRandom random = brTest_Random(test);
	stride = (int64_t)((double)stride / test->intensity);
	stride = stride < walk.whole.allocations / 8 ? stride : walk.whole.allocations / 8; // a few at any intensity
	walk.stride = stride > 1 ? stride : 1;
	walk.first = (int64_t)brRandom_Below(&random, (uint32_t)walk.stride);
	int32_t count = (int32_t)((walk.whole.allocations - walk.first + walk.stride - 1) / walk.stride);
	brWorkersDef def = brDefaultWorkersDef();
	brWorkers* workers = test->intensity > 1.0 ? brCreateWorkers(&def) : NULL;
	brParallelFor(workers, count, 1, walkRange, &walk);
	brDestroyWorkers(workers);
	printf("scene %d: %d of %lld allocations, %d steps failed, %d breaks given up\n", (int)scene, count,
		   (long long)walk.whole.allocations, walk.failedSteps, walk.failedBreaks);
	CHECK(walk.failedSteps + walk.failedBreaks > 0);
	brDestroyMesh(mesh);
}

BR_TEST(break_memory_shatter_every_allocation_fails_once)
{
	walkBreak(test, memory_shatter, 60);
}

BR_TEST(break_memory_cluster_every_allocation_fails_once)
{
	walkBreak(test, memory_cluster, 20);
}

// All places with --intensity 300, as in make test-long; of those above with 60.
BR_TEST(break_memory_crack_every_allocation_fails_once)
{
	walkBreak(test, memory_crack, 300);
}
