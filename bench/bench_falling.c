// SPDX-License-Identifier: MIT

// Heaps while they fall and come to rest: nothing can be kept from the step before.
//
// Boxes: the pile of bench_world.c from its first step on, in ours, Bullet and ODE, all with the processor time of one
// thread; the mean of all steps and the longest one. Pieces: shards of bricks and vases as a world makes them, boxes,
// balls and capsules fall into a bin for two seconds. Checked: nothing has left the bin or sunk into the ground.

#include "bench.h"

#include "base/random.h"
#include "brittle/models.h"
#include "brittle/shatter.h"
#include "brittle/world.h"
#include "contact/shape.h"
#include "peer_world.h"
#include "world/break_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FALL_STEPS 300
#define FALL_HALF_WIDTH 10.0

#define BIN_STEPS 120
#define BIN_SIDE 24   // pieces side by side
#define BIN_GAP 0.005 // between the balls about pieces, before they fall [m]
#define BIN_SHARDS 24 // different shards of each model
#define BIN_SHAPES (2 * BIN_SHARDS + 4)

typedef struct FallTimes
{
	double mean, longest; // [s]
	double lowest;        // center [m]
	int32_t awake;        // at the end
} FallTimes;

static double threadSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void addStep(FallTimes* times, double seconds, int32_t stepCount)
{
	times->mean += seconds / stepCount;
	times->longest = fmax(times->longest, seconds);
}

static FallTimes measurePeer(const brPeerWorld* peer, int32_t count)
{
	FallTimes times = {0};
	void* world = peer->create(count, FALL_HALF_WIDTH, false);
	for (int32_t i = 0; i < FALL_STEPS; ++i)
	{
		double start = threadSeconds();
		peer->step(world);
		addStep(&times, threadSeconds() - start, FALL_STEPS);
	}
	times.lowest = peer->lowest(world);
	peer->destroy(world);
	return times;
}

static void addWalls(brWorld* world, double halfWidth)
{
	const brDVec3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int32_t k = 0; k < 5; ++k)
	{
		brShape* shape = NULL;
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		plane.normal = normals[k];
		plane.offset = k == 0 ? 0.0 : -halfWidth;
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		if (brCreateShape(NULL, &plane, &shape, NULL) >= 0)
		{
			body.shape = shape;
			brWorld_CreateBody(world, &body, NULL);
			brDestroyShape(shape);
		}
	}
}

// Its center goes to the place: shards lie where they lay in their model.
static void addBody(brWorld* world, const brShape* shape, brDVec3 position, brQuat rotation)
{
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.pose = (brTransform){brDSub(position, brQuat_Rotate(rotation, shape->frame.p)), rotation};
	if (brBodyId_IsNull(brWorld_CreateBody(world, &body, NULL)))
	{
		brBench_Fail("no memory for the bodies");
	}
}

// Steps a world; with workers by the wall, else by the processor. Destroys it.
static FallTimes measureWorld(brWorld* world, int32_t stepCount, bool isByWall, double halfWidth)
{
	FallTimes times = {.lowest = INFINITY};
	for (int32_t i = 0; i < stepCount; ++i)
	{
		double start = threadSeconds();
		brWorld_Step(world, 1.0 / 60.0, NULL);
		addStep(&times, isByWall ? brWorld_GetStats(world).seconds : threadSeconds() - start, stepCount);
	}
	times.awake = brWorld_GetStats(world).awake;
	int32_t count = brWorld_GetStats(world).bodies;
	brBodyId* ids = malloc(sizeof(brBodyId) * (size_t)count);
	count = brWorld_GetBodies(world, ids, count);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = brWorld_GetCenter(world, ids[i]);
		if (brWorld_GetMass(world, ids[i]) > 0.0)
		{
			times.lowest = fmin(times.lowest, p.z);
			if (fabs(p.x) > halfWidth || fabs(p.y) > halfWidth)
			{
				brBench_Fail("something has left the bin");
			}
		}
	}
	free(ids);
	brDestroyWorld(world);
	return times;
}

static brWorld* makeWorld(const brContext* context, int32_t substeps, bool enableSleep)
{
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = enableSleep;
	def.substeps = substeps;
	brWorld* world = NULL;
	if (brCreateWorld(context, &def, &world, NULL) < 0)
	{
		brBench_Fail("no memory for the world");
	}
	return world;
}

static FallTimes measureBoxes(int32_t count, int32_t substeps)
{
	brWorld* world = makeWorld(NULL, substeps, false);
	brShape* shape = NULL;
	brShapeDef cube = brDefaultShapeDef(br_shapeBox);
	if (brCreateShape(NULL, &cube, &shape, NULL) < 0)
	{
		brBench_Fail("no cube");
	}
	for (int32_t i = 0; i < count; ++i)
	{
		double p[3], q[4];
		brBenchPile_Place(i, p, q);
		addBody(world, shape, brMakeDVec3(p[0], p[1], p[2]), (brQuat){q[0], q[1], q[2], q[3]});
	}
	brDestroyShape(shape);
	addWalls(world, FALL_HALF_WIDTH);
	FallTimes times = measureWorld(world, FALL_STEPS, false, FALL_HALF_WIDTH);
	if (times.lowest < 0.48)
	{
		brBench_Fail("a cube has sunk to %g m", times.lowest);
	}
	return times;
}

// Pieces of a model of this size, as a world would have them. Returns how many shapes there are then.
static int32_t addShards(const char* model, double size, brShape** shapes, int32_t count)
{
	brModelDef modelDef = brDefaultModelDef(model);
	brMesh* mesh = NULL;
	brShatter* shatter = NULL;
	brDVec3 sites[BIN_SHARDS];
	brSiteDef siteDef = brDefaultSiteDef();
	siteDef.count = BIN_SHARDS;
	brShatterDef def = brDefaultShatterDef();
	def.density = 1.0;
	def.sites = sites;
	if (brMakeModel(NULL, &modelDef, &mesh, NULL) < 0)
	{
		brBench_Fail("no model %s", model);
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brAffine scale = brMakeAffineIdentity();
	scale.m.cx.x = scale.m.cy.y = scale.m.cz.z = size / brDDistance(box.lower, box.upper);
	brMesh_Transform(mesh, &scale);
	if (brMakeSites(NULL, mesh, &siteDef, sites, &def.siteCount, NULL) < 0 ||
		brCreateShatter(NULL, mesh, &def, &shatter, NULL) < 0)
	{
		brBench_Fail("%s does not break", model);
	}
	for (int32_t i = 0; i < shatter->pieceCount && i < BIN_SHARDS; ++i)
	{
		const brPiece* piece = &shatter->pieces[i];
		double area = brMesh_ComputeArea(piece->mesh);
		count += brMakeBreakShape(NULL, piece->mesh, &piece->mass, area, br_fitShard, &shapes[count], NULL) >= 0;
	}
	brDestroyShatter(shatter);
	brDestroyMesh(mesh);
	return count;
}

static int32_t makeShapes(brShape** shapes)
{
	int32_t count = addShards("vase", 0.25, shapes, addShards("brick", 0.25, shapes, 0));
	brShapeDef defs[4] = {brDefaultShapeDef(br_shapeBox), brDefaultShapeDef(br_shapeBox),
						  brDefaultShapeDef(br_shapeSphere), brDefaultShapeDef(br_shapeCapsule)};
	defs[0].halfExtents = brMakeDVec3(0.03, 0.025, 0.02);
	defs[1].halfExtents = brMakeDVec3(0.04, 0.04, 0.003);
	defs[2].radius = 0.025;
	defs[3].radius = 0.015, defs[3].halfLength = 0.03;
	for (int32_t i = 0; i < 4; ++i)
	{
		count += brCreateShape(NULL, &defs[i], &shapes[count], NULL) >= 0;
	}
	return count;
}

// Shards of both models, and every fourth something simple.
static FallTimes measurePieces(const brContext* context, int32_t count, bool isByWall)
{
	brShape* shapes[BIN_SHAPES];
	int32_t shapeCount = makeShapes(shapes);
	brWorld* world = makeWorld(context, 8, true);
	double spacing = 0.0;
	for (int32_t i = 0; i < shapeCount; ++i)
	{
		spacing = fmax(spacing, 2.0 * (double)shapes[i]->radius + BIN_GAP);
	}
	double halfWidth = 0.5 * BIN_SIDE * spacing;
	for (int32_t i = 0; i < count; ++i)
	{
		brRandom random = brMakeRandom(3, (uint64_t)i);
		int32_t row = i % BIN_SIDE, column = i / BIN_SIDE % BIN_SIDE, layer = i / (BIN_SIDE * BIN_SIDE);
		double x = brRandom_Range(&random, -1.0, 1.0), y = brRandom_Range(&random, -1.0, 1.0);
		double angle = brRandom_Range(&random, 0.0, 2.0 * BR_PI);
		brQuat rotation = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(x, y, 0.5)), angle);
		int32_t shape = i % 4 == 3 ? shapeCount - 4 + (int32_t)brRandom_Below(&random, 4)
								   : (int32_t)brRandom_Below(&random, (uint32_t)shapeCount - 4);
		brDVec3 position = {spacing * (row - 0.5 * (BIN_SIDE - 1)), spacing * (column - 0.5 * (BIN_SIDE - 1)),
							spacing * (layer + 1)};
		addBody(world, shapes[shape], position, rotation);
	}
	for (int32_t i = 0; i < shapeCount; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	addWalls(world, halfWidth);
	FallTimes times = measureWorld(world, BIN_STEPS, isByWall, halfWidth);
	if (times.lowest < 0.0)
	{
		brBench_Fail("something has sunk to %g m", times.lowest);
	}
	return times;
}

static void benchBoxes(brBench* bench)
{
	static const char* const rows[4] = {
		"5000 boxes falling, 4 substeps, mean step: Bullet", "5000 boxes falling, 4 substeps, longest step: Bullet",
		"5000 boxes falling, 4 substeps, mean step: ODE", "5000 boxes falling, 4 substeps, longest step: ODE"};
	FallTimes ours = {0};
	for (int32_t k = 0; k < 4; k += 2)
	{
		const brPeerWorld* peer = k == 0 ? brPeerWorld_Bullet() : brPeerWorld_Ode();
		if (!brBench_Wants(bench, rows[k]) && !brBench_Wants(bench, rows[k + 1]))
		{
			continue;
		}
		ours = ours.mean > 0.0 ? ours : measureBoxes(5000, 4);
		FallTimes theirs = peer != NULL ? measurePeer(peer, 5000) : (FallTimes){0};
		brBench_Row(bench, rows[k], 1e3 * ours.mean, 1e3 * theirs.mean, "ms");
		brBench_Row(bench, rows[k + 1], 1e3 * ours.longest, 1e3 * theirs.longest, "ms");
		brBench_Row(bench,
					k == 0 ? "5000 boxes falling: lowest center, Bullet's" : "5000 boxes falling: lowest center, ODE's",
					ours.lowest, theirs.lowest, "m");
	}
}

static void benchPieces(brBench* bench, int32_t workerCount)
{
	char rows[3][96];
	static const char* const whats[3] = {"mean step", "longest step", "awake at the end"};
	bool isWanted = false;
	for (int32_t k = 0; k < 3; ++k)
	{
		snprintf(rows[k], sizeof(rows[k]), "10000 pieces falling, %d worker%s, %s", workerCount,
				 workerCount > 1 ? "s, by the wall" : "", whats[k]);
		isWanted = isWanted || brBench_Wants(bench, rows[k]);
	}
	brWorkersDef workersDef = brDefaultWorkersDef();
	workersDef.workerCount = workerCount;
	brContext context = {.workers = isWanted && workerCount > 1 ? brCreateWorkers(&workersDef) : NULL};
	if (isWanted)
	{
		FallTimes times = measurePieces(&context, 10000, workerCount > 1);
		brBench_Row(bench, rows[0], 1e3 * times.mean, 0.0, "ms");
		brBench_Row(bench, rows[1], 1e3 * times.longest, 0.0, "ms");
		brBench_Row(bench, rows[2], times.awake, 0.0, "1");
	}
	brDestroyWorkers(context.workers);
}

BR_BENCH(falling)
{
	benchBoxes(bench);
	benchPieces(bench, 1);
	benchPieces(bench, 2);
}
