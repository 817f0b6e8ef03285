// SPDX-License-Identifier: MIT

// Questions to a world of 10,000 bodies: boxes, balls and hulls at random in a cube, about one in a thousandth of its
// volume each, and a ground. The slow twin looks at every body. Both must give the same answers.

#include "bench.h"

#include "base/random.h"
#include "brittle/query.h"
#include "world/world_state.h"

#include <string.h>
#include <time.h>

enum
{
	queryBodies = 10000,
	queryRays = 1000,
};

static brDVec3 benchPlace(brRandom* random)
{
	double x = brRandom_Range(random, -30.0, 30.0), y = brRandom_Range(random, -30.0, 30.0);
	return brMakeDVec3(x, y, brRandom_Range(random, 1.0, 61.0));
}

static brWorld* benchCrowd(const brContext* context)
{
	brRandom random = brMakeRandom(7, 0);
	brDVec3 points[16];
	for (int i = 0; i < 16; ++i)
	{
		points[i] = brDMul(1.0 / 60.0, brDSub(benchPlace(&random), brMakeDVec3(0.0, 0.0, 31.0)));
	}
	brShapeDef defs[4] = {brDefaultShapeDef(br_shapeBox), brDefaultShapeDef(br_shapeSphere),
						  brDefaultShapeDef(br_shapeHull), brDefaultShapeDef(br_shapeHalfSpace)};
	defs[2].points = points, defs[2].pointCount = 16;
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = NULL;
	brShape* shapes[4] = {NULL};
	brResult result = brCreateWorld(context, &worldDef, &world, NULL);
	for (int i = 0; i < 4 && result >= 0; ++i)
	{
		result = brCreateShape(NULL, &defs[i], &shapes[i], NULL);
	}
	for (int32_t i = 0; i <= queryBodies && result >= 0; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.kind = i == 0 ? br_bodyStatic : br_bodyDynamic;
		body.shape = shapes[i == 0 ? 3 : i % 3];
		body.pose.p = i == 0 ? brMakeDVec3(0.0, 0.0, 0.0) : benchPlace(&random);
		result = brWorld_CreateBody(world, &body, NULL).index1 != 0 ? br_success : br_errorMemory;
	}
	if (result < 0)
	{
		brBench_Fail("no memory for the world");
	}
	for (int i = 0; i < 4; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	return world;
}

typedef struct QueryBench
{
	brWorld* world;
	const brShape* ball;
	brRay rays[queryRays];
	brRayHit hits[queryRays];
	double sum;
} QueryBench;

static void castAll(void* user)
{
	QueryBench* data = user;
	for (int32_t i = 0; i < queryRays; ++i)
	{
		const brRay* ray = &data->rays[i];
		data->hits[i] = (brRayHit){0};
		(void)brWorld_CastRay(data->world, ray->origin, ray->direction, ray->reach, NULL, &data->hits[i]);
	}
}

static void castTogether(void* user)
{
	QueryBench* data = user;
	brQueryTree_Forget(data->world->queries); // as after a step
	brWorld_CastRays(data->world, data->rays, queryRays, NULL, data->hits);
}

static void nearestAll(void* user)
{
	QueryBench* data = user;
	for (int32_t i = 0; i < queryRays; ++i)
	{
		brNearestBody nearest;
		data->sum += brWorld_FindNearest(data->world, data->rays[i].origin, 100.0, NULL, &nearest);
	}
}

static void overlapsAll(void* user)
{
	QueryBench* data = user;
	for (int32_t i = 0; i < queryRays; ++i)
	{
		brTransform pose = {data->rays[i].origin, {0.0, 0.0, 0.0, 1.0}};
		data->sum += brWorld_FindOverlaps(data->world, data->ball, pose, NULL, NULL, 0);
	}
}

static void buildOnce(void* user)
{
	QueryBench* data = user;
	brQueryTree_Forget(data->world->queries);
	brWorld_QueryTree(data->world, queryRays, NULL);
}

// The least time of the processor, not of the wall: what else runs on the machine counts less.
static double benchLeast(int32_t runs, void (*call)(void* user), void* user)
{
	double least = 1e9;
	for (int32_t i = 0; i < runs; ++i)
	{
		struct timespec start, end;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
		call(user);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
		least = seconds < least ? seconds : least;
	}
	return least;
}

// The same question with the tree and without.
static void benchBoth(brBench* bench, const char* name, QueryBench* data, void (*call)(void* user))
{
	brQueryTree_Forget(data->world->queries);
	data->world->queries->patience = INT32_MAX;
	double slow = benchLeast(3, call, data);
	data->world->queries->patience = 0;
	double quick = benchLeast(15, call, data);
	data->world->queries->patience = BR_QUERY_PATIENCE;
	brBench_Row(bench, name, 1e6 / queryRays * quick, 1e6 / queryRays * slow, "us");
}

BR_BENCH(query)
{
	brWorkersDef workersDef = brDefaultWorkersDef();
	workersDef.workerCount = 2;
	brContext context = {.workers = brCreateWorkers(&workersDef)};
	static QueryBench data;
	data.world = benchCrowd(&context);
	brRandom random = brMakeRandom(8, 0);
	for (int32_t i = 0; i < queryRays; ++i)
	{
		brDVec3 from = benchPlace(&random), way = brDSub(benchPlace(&random), from);
		data.rays[i] = (brRay){from, way, 1000.0};
	}
	brShapeDef ballDef = brDefaultShapeDef(br_shapeSphere);
	brShape* ball = NULL;
	if (brCreateShape(NULL, &ballDef, &ball, NULL) < 0)
	{
		brBench_Fail("no memory for a ball");
	}
	data.ball = ball;
	static brRayHit expected[queryRays];
	data.world->queries->patience = INT32_MAX;
	castAll(&data);
	memcpy(expected, data.hits, sizeof(expected));
	data.world->queries->patience = BR_QUERY_PATIENCE;
	castTogether(&data);
	if (memcmp(expected, data.hits, sizeof(expected)) != 0)
	{
		brBench_Fail("the tree and a look at all bodies disagree");
	}
	benchBoth(bench, "10000 bodies, a ray: all bodies", &data, castAll);
	benchBoth(bench, "10000 bodies, nearest: all bodies", &data, nearestAll);
	benchBoth(bench, "10000 bodies, overlaps of a ball: all bodies", &data, overlapsAll);
	brBench_Row(bench, "10000 bodies: the tree", 1e6 * benchLeast(15, buildOnce, &data), 0.0, "us");
	brBench_Row(bench, "10000 bodies: 1000 rays after a step, one call, 2 workers, by the wall",
				1e6 * brBench_Median(15, castTogether, &data), 0.0, "us");
	brDestroyShape(ball);
	brDestroyWorld(data.world);
	brDestroyWorkers(context.workers);
}
