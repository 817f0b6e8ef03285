// SPDX-License-Identifier: MIT

// Rigid bodies on a device: a pile of boxes in a walled pit, poured by the device itself, then stepped.

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

static brWorld* pilePour(int32_t count, int32_t substeps)
{
	brWorldDef def = brDefaultWorldDef();
	def.substeps = substeps;
	def.enableSleep = false;
	brWorld* world = NULL;
	brShape *box = NULL, *plane = NULL;
	brShapeDef boxDef = brDefaultShapeDef(br_shapeBox);
	boxDef.halfExtents = brMakeDVec3(0.5, 0.5, 0.5);
	int32_t side = (int32_t)ceil(cbrt((double)count)) + 1;
	double wall = 0.56 * side;
	const brDVec3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	bool done = brCreateWorld(NULL, &def, &world, NULL) >= 0 && brCreateShape(NULL, &boxDef, &box, NULL) >= 0;
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
		body.shape = box, body.friction = 0.5;
		body.pose.p = brMakeDVec3(1.1 * (i % side - 0.5 * (side - 1)) + brRandom_Range(&random, -0.02, 0.02),
								  1.1 * (i / side % side - 0.5 * (side - 1)) + brRandom_Range(&random, -0.02, 0.02),
								  0.6 + 1.1 * (i / side / side));
		done = brWorld_CreateBody(world, &body, NULL).index1 > 0;
	}
	brDestroyShape(box);
	if (!done)
	{
		brBench_Fail("the pile cannot be made");
	}
	return world;
}

static void benchPile(brBench* bench, brGpu* gpu, int32_t count, int32_t substeps, int32_t settle)
{
	char name[128];
	snprintf(name, sizeof(name), "step %d boxes piled, %d substeps", count, substeps);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	brReport report = {0};
	PileBench pile = {.world = pilePour(count, substeps)};
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
	fprintf(stderr, "  %d boxes: %d pairs, %d contacts, %d points, %d colors; lowest center %.3f m, fastest %.2f m/s\n",
			count, stats.pairs, stats.contacts, stats.points, stats.colors, lowest, fastest);
	if (!(lowest > 0.45) || stats.setAside > 0 || stats.contacts < count)
	{
		brBench_Fail("the pile does not hold");
	}
	int32_t runs = gpuBenchRuns(gpu);
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, pileStepAndRead, &pile), 0.0, "ms");
	gpuBenchProfile(gpu, pileStep, &pile);
	brDestroyGpuWorld(pile.device);
	brDestroyWorld(pile.world);
}

void gpuBenchStep(brBench* bench, brGpu* gpu)
{
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	benchPile(bench, gpu, isGpu ? 10000 : 300, 4, isGpu ? 300 : 30);
	if (isGpu)
	{
		benchPile(bench, gpu, 10000, 8, 300);
		benchPile(bench, gpu, 50000, 4, 300);
	}
}

#endif
