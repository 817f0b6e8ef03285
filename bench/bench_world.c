// SPDX-License-Identifier: MIT

// Rigid bodies: the same pile of boxes or hulls in ours, Bullet and ODE, time of one step once it is piled.
//
// Cubes of 1 m (or hulls of 16 corners and the same size) fall into a walled box; dt 1/60, friction 0.5, nobody sleeps,
// one thread. Each engine runs as it comes: ours with 4 and 8 substeps, Bullet with 10 iterations, ODE's quickstep with
// 20. Times are those of the processor, not of the wall, so that what else runs on the machine counts less. Our answer
// is checked: nothing has left the box or sunk into the ground. Of the peers the lowest center is shown: it may be
// below it.

#include "bench.h"

#include "base/random.h"
#include "brittle/world.h"
#include "peer_world.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define PILE_SETTLE_STEPS 400
#define PILE_MEASURED_STEPS 60
#define PILE_HALF_WIDTH 10.0

static int compareDoubles(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

static double threadSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// One draw after the other: the order of arguments is the compiler's choice.
static brDVec3 randomVector(brRandom* random)
{
	double x = brRandom_Range(random, -1.0, 1.0);
	double y = brRandom_Range(random, -1.0, 1.0);
	double z = brRandom_Range(random, -1.0, 1.0);
	return brMakeDVec3(x, y, z);
}

void brBenchPile_Hull(double outPoints[16][3])
{
	brRandom random = brMakeRandom(2, 0);
	for (int32_t i = 0; i < 16; ++i)
	{
		brDVec3 p = brDMul(0.62, brDNormalize(randomVector(&random)));
		outPoints[i][0] = p.x, outPoints[i][1] = p.y, outPoints[i][2] = p.z;
	}
}

void brBenchPile_Place(int32_t index, double outPosition[3], double outRotation[4])
{
	brRandom random = brMakeRandom(1, (uint64_t)index);
	int32_t inLayer = index % 225;
	brDVec3 axis = brDNormalize(brDAdd(randomVector(&random), brMakeDVec3(0.0, 0.0, 1.5)));
	brQuat q = brMakeQuatAxisAngle(axis, brRandom_Range(&random, 0.0, 0.3));
	outPosition[0] = 1.28 * (inLayer % 15 - 7);
	outPosition[1] = 1.28 * (int)(inLayer / 15 - 7);
	outPosition[2] = 1.0 + 1.25 * (int)(index / 225);
	outRotation[0] = q.x, outRotation[1] = q.y, outRotation[2] = q.z, outRotation[3] = q.w;
}

// Median seconds of a step once piled; the lowest center goes to `outLowest`.
static double measurePeer(const brPeerWorld* peer, int32_t count, bool isHull, double* outLowest)
{
	void* world = peer->create(count, PILE_HALF_WIDTH, isHull);
	static double times[PILE_MEASURED_STEPS];
	for (int32_t i = 0; i < PILE_SETTLE_STEPS; ++i)
	{
		peer->step(world);
	}
	for (int32_t i = 0; i < PILE_MEASURED_STEPS; ++i)
	{
		double start = threadSeconds();
		peer->step(world);
		times[i] = threadSeconds() - start;
	}
	*outLowest = peer->lowest(world);
	peer->destroy(world);
	qsort(times, PILE_MEASURED_STEPS, sizeof(double), compareDoubles);
	return times[PILE_MEASURED_STEPS / 2];
}

static brWorld* makePile(const brContext* context, int32_t count, int32_t substeps, bool isHull)
{
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	def.substeps = substeps;
	brWorld* world = NULL;
	brShape* shape = NULL;
	double points[16][3];
	brBenchPile_Hull(points);
	brShapeDef solid = brDefaultShapeDef(isHull ? br_shapeHull : br_shapeBox);
	solid.points = (const brDVec3*)points;
	solid.pointCount = 16;
	if (brCreateWorld(context, &def, &world, NULL) < 0 || brCreateShape(NULL, &solid, &shape, NULL) < 0)
	{
		brBench_Fail("no memory for the pile");
	}
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	for (int32_t i = 0; i < count; ++i)
	{
		double p[3], q[4];
		brBenchPile_Place(i, p, q);
		body.pose = (brTransform){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
		brWorld_CreateBody(world, &body, NULL);
	}
	brDestroyShape(shape);
	const brDVec3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int32_t k = 0; k < 5; ++k)
	{
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		plane.normal = normals[k];
		plane.offset = k == 0 ? 0.0 : -PILE_HALF_WIDTH;
		brCreateShape(NULL, &plane, &shape, NULL);
		body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = shape;
		brWorld_CreateBody(world, &body, NULL);
		brDestroyShape(shape);
	}
	return world;
}

static double measureOurs(const brContext* context, int32_t count, int32_t substeps, bool isHull, brStepStats* outStats)
{
	brWorld* world = makePile(context, count, substeps, isHull);
	static double times[PILE_MEASURED_STEPS];
	static brStepStats stats[PILE_MEASURED_STEPS];
	for (int32_t i = 0; i < PILE_SETTLE_STEPS; ++i)
	{
		brWorld_Step(world, 1.0 / 60.0, NULL);
	}
	for (int32_t i = 0; i < PILE_MEASURED_STEPS; ++i)
	{
		double start = threadSeconds();
		brWorld_Step(world, 1.0 / 60.0, NULL);
		times[i] = threadSeconds() - start;
		stats[i] = brWorld_GetStats(world);
		if (context != NULL)
		{
			times[i] = stats[i].seconds; // several threads: the wall
		}
	}
	brBodyId* ids = malloc(sizeof(brBodyId) * (size_t)(count + 5));
	int32_t bodies = brWorld_GetBodies(world, ids, count + 5);
	double lowest = INFINITY;
	for (int32_t i = 0; i < bodies; ++i)
	{
		brDVec3 p = brWorld_GetCenter(world, ids[i]);
		if (brWorld_GetMass(world, ids[i]) > 0.0)
		{
			lowest = fmin(lowest, p.z);
			if (fabs(p.x) > PILE_HALF_WIDTH || fabs(p.y) > PILE_HALF_WIDTH)
			{
				brBench_Fail("a cube has left the box");
			}
		}
	}
	free(ids);
	if (lowest < (isHull ? 0.2 : 0.48))
	{
		brBench_Fail("a cube has sunk to %g m", lowest);
	}
	// Of the stages the step that took least, since they are by the wall.
	*outStats = stats[0];
	for (int32_t i = 1; i < PILE_MEASURED_STEPS; ++i)
	{
		*outStats = stats[i].seconds < outStats->seconds ? stats[i] : *outStats;
	}
	qsort(times, PILE_MEASURED_STEPS, sizeof(double), compareDoubles);
	brDestroyWorld(world);
	return times[PILE_MEASURED_STEPS / 2];
}

static void benchStages(brBench* bench, const brStepStats* stats)
{
	brBench_Row(bench, "boxes: contact points", stats->points, 0.0, "1");
	brBench_Row(bench, "boxes: pairs", stats->pairs, 0.0, "1");
	brBench_Row(bench, "boxes: recycled", stats->recycled, 0.0, "1");
	brBench_Row(bench, "boxes: colors", stats->colors, 0.0, "1");
	brBench_Row(bench, "boxes: broad", 1e3 * stats->broadSeconds, 0.0, "ms");
	brBench_Row(bench, "boxes: narrow", 1e3 * stats->narrowSeconds, 0.0, "ms");
	brBench_Row(bench, "boxes: islands", 1e3 * stats->islandSeconds, 0.0, "ms");
	brBench_Row(bench, "boxes: prepare", 1e3 * stats->prepareSeconds, 0.0, "ms");
	brBench_Row(bench, "boxes: solve", 1e3 * stats->solveSeconds, 0.0, "ms");
	brBench_Row(bench, "boxes: finish", 1e3 * stats->finishSeconds, 0.0, "ms");
}

BR_BENCH(world)
{
	static const struct
	{
		const char* rows[4];
		int32_t count;
		bool isHull;
	} piles[2] = {
		{{"5000 boxes, 4 substeps: Bullet", "5000 boxes, 8 substeps: Bullet", "5000 boxes, 4 substeps: ODE",
		  "5000 boxes: lowest center, Bullet's"},
		 5000,
		 false},
		{{"2000 hulls, 4 substeps: Bullet", "2000 hulls, 8 substeps: Bullet", NULL,
		  "2000 hulls: lowest center, Bullet's"},
		 2000,
		 true},
	};
	for (int32_t k = 0; k < 2; ++k)
	{
		brStepStats stats;
		if (!brBench_Wants(bench, piles[k].rows[0]) && !brBench_Wants(bench, piles[k].rows[1]) &&
			!(k == 0 && (brBench_Wants(bench, "boxes: narrow") || brBench_Wants(bench, piles[k].rows[2]))))
		{
			continue;
		}
		double eight = measureOurs(NULL, piles[k].count, 8, piles[k].isHull, &stats);
		double four = measureOurs(NULL, piles[k].count, 4, piles[k].isHull, &stats);
		double bullet = 0.0, ode = 0.0, lowest = 0.0;
		const brPeerWorld* peer = brPeerWorld_Bullet();
		if (peer != NULL && (brBench_Wants(bench, piles[k].rows[0]) || brBench_Wants(bench, piles[k].rows[1])))
		{
			bullet = measurePeer(peer, piles[k].count, piles[k].isHull, &lowest);
		}
		brBench_Row(bench, piles[k].rows[0], 1e3 * four, 1e3 * bullet, "ms");
		brBench_Row(bench, piles[k].rows[1], 1e3 * eight, 1e3 * bullet, "ms");
		brBench_Row(bench, piles[k].rows[3], lowest, 0.0, "m");
		peer = brPeerWorld_Ode();
		if (peer != NULL && piles[k].rows[2] != NULL && brBench_Wants(bench, piles[k].rows[2]))
		{
			ode = measurePeer(peer, piles[k].count, piles[k].isHull, &lowest);
			brBench_Row(bench, piles[k].rows[2], 1e3 * four, 1e3 * ode, "ms");
		}
		if (k == 0)
		{
			benchStages(bench, &stats);
		}
	}
	brWorkersDef workersDef = brDefaultWorkersDef();
	workersDef.workerCount = 2;
	brContext context = {.workers = brCreateWorkers(&workersDef)}, alone = {0};
	if (context.workers != NULL && brBench_Wants(bench, "5000 boxes, 4 substeps: 2 workers over 1, by the wall"))
	{
		brStepStats stats;
		double one = measureOurs(&alone, 5000, 4, false, &stats);
		double two = measureOurs(&context, 5000, 4, false, &stats);
		brBench_Row(bench, "5000 boxes, 4 substeps: 2 workers over 1, by the wall", 1e3 * two, 1e3 * one, "ms");
	}
	if (context.workers != NULL && brBench_Wants(bench, "10000 boxes, 8 substeps, 2 workers, by the wall"))
	{
		brStepStats stats;
		double two = measureOurs(&context, 10000, 8, false, &stats);
		brBench_Row(bench, "10000 boxes, 8 substeps, 2 workers, by the wall", 1e3 * two, 0.0, "ms");
	}
	brDestroyWorkers(context.workers);
}
