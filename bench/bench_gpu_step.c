// SPDX-License-Identifier: MIT

// Rigid bodies on a device: a pile of boxes or shards in a walled pit, poured by the device itself, then stepped.

#include "bench_gpu.h"

#include "base/random.h"
#include "brittle/brittle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BR_HAVE_OPENCL

typedef struct PileBench
{
	brWorld* world;
	brGpuWorld* device;
} PileBench;

static void pileStep(void* user)
{
	PileBench* pile = user;
	brReport report = {0};
	if (brGpuWorld_Step(pile->device, 1.0 / 60.0, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void pileRead(void* user)
{
	PileBench* pile = user;
	brReport report = {0};
	if (brGpuWorld_Download(pile->device, pile->world, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void pileStepAndRead(void* user)
{
	pileStep(user);
	pileRead(user);
}

enum
{
	pileShapes = 16,
};

// What is piled, all of about a meter.
typedef struct PileShapes
{
	brShape* shapes[pileShapes];
	int32_t count;
	double spacing;
} PileShapes;

static void pileFree(PileShapes* shapes)
{
	for (int32_t i = 0; i < shapes->count; ++i)
	{
		brDestroyShape(shapes->shapes[i]);
	}
}

static PileShapes pileBoxes(void)
{
	PileShapes made = {.count = 1, .spacing = 1.1};
	brShapeDef def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents = brMakeDVec3(0.5, 0.5, 0.5);
	if (brCreateShape(NULL, &def, &made.shapes[0], NULL) < 0)
	{
		brBench_Fail("no box");
	}
	return made;
}

// Shards of a bowl, as they are or their hulls.
static PileShapes pileShards(brShapeKind kind)
{
	PileShapes made = {0};
	brReport report = {0};
	brModelDef model = brDefaultModelDef("bowl");
	model.resolution = 8;
	brMesh* whole = NULL;
	brShatter* shatter = NULL;
	if (brMakeModel(NULL, &model, &whole, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brDBox3 box = brMesh_ComputeBounds(whole);
	double s = 2.5 / (box.upper.x - box.lower.x);
	brAffine map = {{{s, 0, 0}, {0, s, 0}, {0, 0, s}}, {0, 0, 0}};
	brMesh_Transform(whole, &map);
	brSiteDef sites = brDefaultSiteDef();
	brDVec3 places[pileShapes];
	brShatterDef def = brDefaultShatterDef();
	sites.count = pileShapes;
	if (brMakeSites(NULL, whole, &sites, places, &def.siteCount, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	def.sites = places;
	if (brCreateShatter(NULL, whole, &def, &shatter, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	for (int32_t i = 0; i < shatter->pieceCount && made.count < pileShapes; ++i)
	{
		brShapeDef shape = brDefaultShapeDef(kind);
		const brMesh* mesh = shatter->pieces[i].mesh;
		shape.mesh = kind == br_shapeMesh ? mesh : NULL;
		shape.keepMesh = kind == br_shapeMesh;
		shape.points = mesh->positions, shape.pointCount = mesh->vertexCount;
		if (brCreateShape(NULL, &shape, &made.shapes[made.count], &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
		made.count += 1;
		brDBox3 bounds = brMesh_ComputeBounds(mesh);
		brDVec3 size = brDSub(bounds.upper, bounds.lower);
		made.spacing = fmax(made.spacing, 1.05 * fmax(size.x, fmax(size.y, size.z)));
	}
	brDestroyShatter(shatter);
	brDestroyMesh(whole);
	return made;
}

static brWorld* pilePour(const brContext* context, const PileShapes* shapes, int32_t count, int32_t substeps)
{
	brWorldDef def = brDefaultWorldDef();
	def.substeps = substeps;
	def.enableSleep = false;
	brWorld* world = NULL;
	brShape* plane = NULL;
	int32_t layers = shapes->count > 1 ? 8 : 0; // shards lie in a flat heap
	int32_t side = (int32_t)ceil(layers > 0 ? sqrt((double)count / layers) : cbrt((double)count) + 1.0);
	double wall = 0.51 * shapes->spacing * side, d = shapes->spacing;
	const brDVec3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	bool done = brCreateWorld(context, &def, &world, NULL) >= 0;
	for (int32_t k = 0; done && k < 5; ++k)
	{
		brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
		planeDef.normal = normals[k];
		planeDef.offset = k == 0 ? 0.0 : -wall;
		brBodyDef body = brDefaultBodyDef();
		done = brCreateShape(NULL, &planeDef, &plane, NULL) >= 0;
		body.kind = br_bodyStatic, body.shape = plane, body.friction = 0.5;
		done = done && brWorld_CreateBody(world, &body, NULL).index1 > 0;
		brDestroyShape(plane);
	}
	brRandom random = brMakeRandom(3, 0);
	for (int32_t i = 0; done && i < count; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes->shapes[i % shapes->count], body.friction = 0.5;
		body.pose.p = brMakeDVec3(d * (i % side - 0.5 * (side - 1)) + brRandom_Range(&random, -0.02, 0.02),
								  d * (i / side % side - 0.5 * (side - 1)) + brRandom_Range(&random, -0.02, 0.02),
								  0.55 * d + d * (i / side / side));
		done = brWorld_CreateBody(world, &body, NULL).index1 > 0;
	}
	if (!done)
	{
		brBench_Fail("the pile cannot be made");
	}
	return world;
}

// `kind` is what shards are, or a box.
static void benchPile(brBench* bench, brGpu* gpu, brShapeKind kind, int32_t count, int32_t substeps, int32_t settle)
{
	char name[128];
	const char* what = kind == br_shapeBox ? "boxes" : kind == br_shapeHull ? "convex shards" : "mesh shards";
	snprintf(name, sizeof(name), "step %d %s piled, %d substeps", count, what, substeps);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	brReport report = {0};
	PileShapes shapes = kind == br_shapeBox ? pileBoxes() : pileShards(kind);
	brWorkersDef workersDef = brDefaultWorkersDef();
	brContext context = {.workers = brCreateWorkers(&workersDef)};
	PileBench pile = {.world = pilePour(&context, &shapes, count, substeps)};
	pileFree(&shapes);
	if (brCreateGpuWorld(NULL, gpu, pile.world, &pile.device, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	for (int32_t i = 0; i < settle; ++i)
	{
		pileStep(&pile);
	}
	pileRead(&pile);
	brBodyId* ids = malloc((size_t)(count + 5) * sizeof(brBodyId));
	brWorld_GetBodies(pile.world, ids, count + 5);
	double lowest = INFINITY, fastest = 0.0;
	for (int32_t i = 5; i < count + 5; ++i)
	{
		lowest = fmin(lowest, brWorld_GetCenter(pile.world, ids[i]).z);
		fastest = fmax(fastest, brDLength(brWorld_GetVelocity(pile.world, ids[i])));
	}
	free(ids);
	brGpuStepStats stats = brGpuWorld_GetStats(pile.device);
	fprintf(stderr, "  %d %s: %d pairs, %d contacts, %d points, %d colors; lowest center %.3f m, fastest %.2f m/s\n",
			count, what, stats.pairs, stats.contacts, stats.points, stats.colors, lowest, fastest);
	if (!(lowest > (kind == br_shapeBox ? 0.45 : -0.05)) || stats.setAside > 0 || stats.contacts < count / 2)
	{
		brBench_Fail("the pile does not hold");
	}
	int32_t runs = gpuBenchRuns(gpu);
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, pileStepAndRead, &pile), 0.0, "ms");
	gpuBenchProfile(gpu, pileStep, &pile);
	brDestroyGpuWorld(pile.device);
	brDestroyWorld(pile.world);
	brDestroyWorkers(context.workers);
}

void gpuBenchStep(brBench* bench, brGpu* gpu)
{
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	int32_t settle = isGpu ? 300 : 30;
	benchPile(bench, gpu, br_shapeBox, isGpu ? 10000 : 300, 4, settle);
	benchPile(bench, gpu, br_shapeMesh, isGpu ? 10000 : 60, 4, settle);
	if (isGpu)
	{
		benchPile(bench, gpu, br_shapeBox, 10000, 8, settle);
		benchPile(bench, gpu, br_shapeBox, 50000, 4, settle);
		benchPile(bench, gpu, br_shapeHull, 100000, 4, settle);
	}
}

#endif
