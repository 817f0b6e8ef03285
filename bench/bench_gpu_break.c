// SPDX-License-Identifier: MIT

// Many bodies that break at once: a thousand blobs, each by sites of its own; and a thousand balls of a device's world,
// from whole bodies to contacts between their pieces.

#include "bench_gpu.h"

#include "base/clock.h"
#include "brittle/brittle.h"
#include "gpu/gpu_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

enum
{
	breakEach = 20,  // pieces a body
	breakKinds = 10, // sets of sites
};

typedef struct BreakBench
{
	brGpuShatterer* shatterer;
	brGpuBreak* breaks;
	int32_t count;
	brGpuModel model;
	brGpuPieces pieces;
	brGpuPieceCounts counts;
	brGpuShatter shatter;
} BreakBench;

static void runBreaks(void* user)
{
	BreakBench* data = user;
	brReport report = {0};
	if (brGpuPieces_Run(&data->pieces, &data->model, &data->counts, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void runBreaksBack(void* user)
{
	BreakBench* data = user;
	brReport report = {0};
	if (brGpuShatterer_Break(data->shatterer, data->breaks, data->count, &data->shatter, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

// Every body as the CPU breaks it, to its volume.
static void checkBreaks(const BreakBench* data, const brMesh* mesh)
{
	double volume = brMesh_ComputeMass(mesh, 1.0).volume, sum = 0.0;
	for (int32_t i = 0; i < data->shatter.pieceCount; ++i)
	{
		sum += data->shatter.pieces[i].volume;
	}
	if (!(fabs(sum - volume * data->count) <= 1e-10 * sum) || data->shatter.cpuCount > data->count / 20)
	{
		brBench_Fail("%d bodies of %g m^3 gave %g m^3; %d were made by the CPU", data->count, volume, sum,
					 data->shatter.cpuCount);
	}
}

// A model and its breaks, by ten sets of sites.
static void breaksMake(BreakBench* data, const brModelDef* modelDef, const brMesh** outMesh,
					   brDVec3 sites[breakKinds][breakEach])
{
	brReport report = {0};
	brMesh* mesh = NULL;
	bool done = brMakeModel(NULL, modelDef, &mesh, &report) >= 0;
	for (int32_t k = 0; k < breakKinds && done; ++k)
	{
		brSiteDef siteDef = brDefaultSiteDef();
		int32_t made = 0;
		siteDef.count = breakEach, siteDef.seed = (uint64_t)k + 1;
		done = brMakeSites(NULL, mesh, &siteDef, sites[k], &made, &report) >= 0 && made == breakEach;
	}
	if (!done)
	{
		brBench_Fail("%s", report.text);
	}
	data->breaks = calloc((size_t)data->count, sizeof(brGpuBreak));
	for (int32_t i = 0; i < data->count; ++i)
	{
		data->breaks[i] = (brGpuBreak){0, sites[i % breakKinds], breakEach};
	}
	*outMesh = mesh;
}

static void benchBreaks(brBench* bench, brGpu* gpu, int32_t count, int32_t resolution)
{
	char name[128];
	snprintf(name, sizeof(name), "break %d bodies of %d triangles, %d pieces", count, 20 * resolution * resolution,
			 breakEach * count);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	brModelDef modelDef = brDefaultModelDef("blob");
	modelDef.resolution = resolution;
	const brMesh* mesh = NULL;
	brReport report = {0};
	static brDVec3 sites[breakKinds][breakEach];
	BreakBench data = {.count = count};
	breaksMake(&data, &modelDef, &mesh, sites);
	brGpuPieces_Init(&data.pieces, gpu);
	bool done = brCreateGpuShatterer(NULL, gpu, &mesh, 1, &data.shatterer, &report) >= 0;
	done = done && brGpuModel_Set(&data.model, gpu, &mesh, 1, &report) >= 0;
	if (!done || brGpuPieces_SetBreaks(&data.pieces, &data.model, data.breaks, count, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	runBreaksBack(&data);
	checkBreaks(&data, mesh);
	runBreaks(&data);
	fprintf(stderr, "  %d pieces of %d triangles, %d bodies by the CPU, %.1f MB on the device\n",
			data.shatter.pieceCount, data.shatter.triangleCount, data.shatter.cpuCount, 1e-6 * (double)gpu->bytesHeld);
	int32_t runs = gpuBenchRuns(gpu);
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, runBreaks, &data), 0.0, "ms");
	gpuBenchProfile(gpu, runBreaks, &data);
	snprintf(name + strlen(name), sizeof(name) - strlen(name), ", sites and pieces copied");
	brBench_Row(bench, name, 1e3 * brBench_Median(runs, runBreaksBack, &data), 0.0, "ms");
	brGpuPieces_Free(&data.pieces);
	brGpuModel_Free(&data.model, gpu);
	brDestroyGpuShatterer(data.shatterer);
	brDestroyMesh((brMesh*)(uintptr_t)mesh);
	free(data.breaks);
}

// Balls close together above a floor, falling.
static brWorld* ballsDrop(int32_t count, brBodyId* outIds)
{
	brWorldDef def = brDefaultWorldDef();
	def.enableSleep = false;
	brWorld* world = NULL;
	brShape *ball = NULL, *plane = NULL;
	brShapeDef ballDef = brDefaultShapeDef(br_shapeSphere), planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	ballDef.radius = 0.5;
	bool done = brCreateWorld(NULL, &def, &world, NULL) >= 0 && brCreateShape(NULL, &ballDef, &ball, NULL) >= 0 &&
				brCreateShape(NULL, &planeDef, &plane, NULL) >= 0;
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic, body.shape = plane;
	done = done && brWorld_CreateBody(world, &body, NULL).index1 > 0;
	for (int32_t i = 0; done && i < count; ++i)
	{
		body = brDefaultBodyDef();
		body.shape = ball;
		body.pose.p = brMakeDVec3(1.02 * (i % 10), 1.02 * (i / 10 % 10), 0.52 + 1.02 * (i / 100));
		body.velocity.z = -3.0;
		outIds[i] = brWorld_CreateBody(world, &body, NULL);
		done = outIds[i].index1 > 0;
	}
	brDestroyShape(ball);
	brDestroyShape(plane);
	if (!done)
	{
		brBench_Fail("the balls cannot be made");
	}
	return world;
}

typedef struct BallTimes
{
	double broken, stepped, next; // seconds, from whole bodies to pieces and to their first contacts; the step after
} BallTimes;

static BallTimes ballsBreak(brGpu* gpu, const BreakBench* data, brGpuStepStats* outStats)
{
	brReport report = {0};
	brBodyId* ids = malloc((size_t)data->count * sizeof(brBodyId));
	brWorld* world = ballsDrop(data->count, ids);
	brGpuWorld* device = NULL;
	brGpuBirths births = {0};
	BallTimes times = {0.0, 0.0, 0.0};
	bool done =
		brCreateGpuWorld(NULL, gpu, world, &device, &report) >= 0 && brGpuWorld_Step(device, 1.0 / 240.0, &report) >= 0;
	int64_t begin = brClockNanoseconds();
	done =
		done && brGpuWorld_Break(device, data->shatterer, ids, data->breaks, data->count, NULL, &births, &report) >= 0;
	times.broken = brSecondsSince(begin);
	done = done && brGpuWorld_Step(device, 1.0 / 240.0, &report) >= 0;
	times.stepped = brSecondsSince(begin);
	*outStats = brGpuWorld_GetStats(device);
	begin = brClockNanoseconds();
	done = done && brGpuWorld_Step(device, 1.0 / 240.0, &report) >= 0;
	times.next = brSecondsSince(begin);
	if (!done || births.brokenCount < data->count * 19 / 20 || births.pieceCount != breakEach * births.brokenCount)
	{
		brBench_Fail("%d of %d balls broke, into %d pieces: %s", births.brokenCount, data->count, births.pieceCount,
					 report.text);
	}
	brDestroyGpuWorld(device);
	brDestroyWorld(world);
	free(ids);
	return times;
}

static int compareTimes(const void* left, const void* right)
{
	double a = *(const double*)left, b = *(const double*)right;
	return (a > b) - (a < b);
}

typedef struct BallsBench
{
	brGpu* gpu;
	const BreakBench* data;
} BallsBench;

static void runBalls(void* user)
{
	BallsBench* balls = user;
	brGpuStepStats stats;
	ballsBreak(balls->gpu, balls->data, &stats);
}

static void benchBalls(brBench* bench, brGpu* gpu, int32_t count)
{
	enum
	{
		runs = 9,
	};
	char name[128];
	snprintf(name, sizeof(name), "break %d balls of a device's world, %d pieces", count, breakEach * count);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	static brDVec3 sites[breakKinds][breakEach];
	brModelDef modelDef = brDefaultModelDef("icosphere");
	modelDef.resolution = 4;
	const brMesh* mesh = NULL;
	BreakBench data = {.count = count};
	breaksMake(&data, &modelDef, &mesh, sites);
	brReport report = {0};
	if (brCreateGpuShatterer(NULL, gpu, &mesh, 1, &data.shatterer, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	double broken[runs], stepped[runs], next[runs];
	brGpuStepStats stats = {0};
	ballsBreak(gpu, &data, &stats); // room, kernels
	for (int32_t i = 0; i < runs; ++i)
	{
		BallTimes times = ballsBreak(gpu, &data, &stats);
		broken[i] = times.broken, stepped[i] = times.stepped, next[i] = times.next;
	}
	qsort(broken, runs, sizeof(double), compareTimes);
	qsort(stepped, runs, sizeof(double), compareTimes);
	qsort(next, runs, sizeof(double), compareTimes);
	fprintf(stderr, "  %d pairs, %d contacts, %d points, %d colors, %.1f MB on the device\n", stats.pairs,
			stats.contacts, stats.points, stats.colors, 1e-6 * (double)gpu->bytesHeld);
	brBench_Row(bench, name, 1e3 * broken[runs / 2], 0.0, "ms");
	size_t length = strlen(name);
	snprintf(name + length, sizeof(name) - length, ", with their first contacts");
	brBench_Row(bench, name, 1e3 * stepped[runs / 2], 0.0, "ms");
	snprintf(name + length, sizeof(name) - length, ", the next step");
	brBench_Row(bench, name, 1e3 * next[runs / 2], 0.0, "ms");
	gpuBenchProfile(gpu, runBalls, &(BallsBench){gpu, &data}); // three steps
	brDestroyGpuShatterer(data.shatterer);
	brDestroyMesh((brMesh*)(uintptr_t)mesh);
	free(data.breaks);
}

void gpuBenchBreak(brBench* bench, brGpu* gpu)
{
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	benchBreaks(bench, gpu, isGpu ? 1000 : 10, 4);
	if (isGpu)
	{
		benchBreaks(bench, gpu, 1000, 8);
	}
	benchBalls(bench, gpu, isGpu ? 1000 : 10);
}

#endif
