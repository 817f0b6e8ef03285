// SPDX-License-Identifier: MIT

// Elastic solves with a device beside those of all cores of the CPU, whose bits it must have: the first of a body, the
// next with the hierarchy kept, and one after a crack has grown by a cell. The peer column is the CPU's time.

#include "bench_gpu.h"
#include "elastic_block.h"

#include "base/clock.h"
#include "elastic/body.h"
#include "elastic/elastic_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

enum
{
	elasticRuns = 7,
};

typedef struct ElasticBench
{
	const brContext* context;
	brElasticBody* body;
	PulledBlock block;
	brElasticSolveDef def;
	brElasticStats stats;
	double seconds;
} ElasticBench;

static void runSolve(void* user)
{
	ElasticBench* data = user;
	brReport report = {0};
	int64_t start = brClockNanoseconds();
	brBench_Must(brElasticBody_Solve(data->body, data->context, &data->block.load, &data->def, &data->stats, &report),
				 &report);
	data->seconds = brSecondsSince(start);
}

static void checkSameBits(const ElasticBench sides[2], int32_t nodeCount)
{
	size_t bytes = (size_t)nodeCount * sizeof(brDVec3);
	brDVec3 *here = malloc(bytes), *there = malloc(bytes);
	brElasticBody_GetDisplacements(sides[0].body, here);
	brElasticBody_GetDisplacements(sides[1].body, there);
	if (!sides[1].stats.isOnDevice || memcmp(here, there, bytes) != 0 ||
		sides[0].stats.iterations != sides[1].stats.iterations)
	{
		brBench_Fail("%d iterations, residual %g on the device%s, %d and %g here: not the same bits",
					 sides[1].stats.iterations, sides[1].stats.residual,
					 sides[1].stats.isOnDevice ? "" : ", which did not take part", sides[0].stats.iterations,
					 sides[0].stats.residual);
	}
	free(here);
	free(there);
}

static void elasticRow(brBench* bench, const char* what, int32_t unknowns, double ours, double peer)
{
	char name[128];
	snprintf(name, sizeof(name), "elastic, %d unknowns: %s", unknowns, what);
	brBench_Row(bench, name, 1e3 * ours, 1e3 * peer, "ms");
}

// Copying matrix and hierarchy to the device.
static double timeHold(ElasticBench* data)
{
	brReport report = {0};
	brElasticDevice* device = data->def.device;
	data->body->hierarchy->holder = NULL;
	int64_t start = brClockNanoseconds();
	brBench_Must(device->hold(device, data->context->workers, data->body->system, data->body->hierarchy, &report),
				 &report);
	return brSecondsSince(start);
}

// A flat crack through the block from one side, two steps of it: the second is measured.
static void benchGrowth(brBench* bench, ElasticBench sides[2], int32_t cells, int32_t unknowns)
{
	static const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
	brReport report = {0};
	double set[2];
	for (int32_t i = 0; i < 2; ++i)
	{
		sides[i].def.tolerance = 1e-4; // as growth asks for
		sides[i].def.enableWarmStart = true;
		for (int32_t step = 0; step < 2; ++step)
		{
			double tip = 0.3 * cells + 0.37 + step, z = 0.463 * cells, far = cells + 1.0;
			brDVec3 positions[4] = {{-1.0, -1.0, z}, {tip, -1.0, z}, {tip, far, z}, {-1.0, far, z}};
			brCrackSurface crack = {
				.vertexCount = 4, .triangleCount = 2, .positions = positions, .triangles = triangles};
			int64_t start = brClockNanoseconds();
			brBench_Must(brElasticBody_SetCracks(sides[i].body, sides[i].context, &crack, 1, &report), &report);
			set[i] = brSecondsSince(start);
			runSolve(&sides[i]);
		}
	}
	checkSameBits(sides, sides[0].body->nodeCount);
	const brElasticStats *here = &sides[0].stats, *there = &sides[1].stats;
	elasticRow(bench, "growth step", unknowns, set[1] + sides[1].seconds, set[0] + sides[0].seconds);
	elasticRow(bench, "  its iterations, to 1e-4", unknowns, there->solveSeconds, here->solveSeconds);
	fprintf(stderr, "  crack set in %.1f ms, matrix %.1f, hierarchy and copy %.1f, %d iterations\n", 1e3 * set[1],
			1e3 * there->assembleSeconds, 1e3 * there->setupSeconds, there->iterations);
}

static void benchElastic(brBench* bench, brGpu* gpu, const brContext* context, int32_t cells)
{
	int32_t layer = (cells + 1) * (cells + 1), unknowns = 3 * layer * cells;
	char title[64];
	snprintf(title, sizeof(title), "elastic, %d unknowns", unknowns);
	if (!brBench_Wants(bench, title))
	{
		return;
	}
	brTetMesh* mesh = brBench_MakeBlock(cells, cells, cells);
	brReport report = {0};
	ElasticBench sides[2];
	double first[2], again[2][elasticRuns], iterations[2][elasticRuns];
	for (int32_t i = 0; i < 2; ++i)
	{
		sides[i] = (ElasticBench){.context = context, .def = brDefaultElasticSolveDef()};
		sides[i].block = brBench_MakePull(mesh, layer);
		sides[i].body = brBench_MakeElasticBody(context, mesh);
		const PulledBlock* block = &sides[i].block;
		brBench_Must(
			brElasticBody_SetSupports(sides[i].body, context, block->held, block->axes, NULL, block->count, &report),
			&report);
		if (i == 1)
		{
			brBench_Must(brCreateGpuElastic(context, gpu, &sides[i].def.device, &report), &report);
			sides[i].def.device->leastRows = 0;
			brGpu_Kernel(gpu, kernel_brk_elasticRound, &report); // compiling is not measured
		}
		brBench_Must(brElasticBody_Assemble(sides[i].body, context, &report), &report);
		runSolve(&sides[i]);
		first[i] = sides[i].seconds;
		for (int32_t run = 0; run < elasticRuns; ++run)
		{
			runSolve(&sides[i]);
			again[i][run] = sides[i].seconds;
			iterations[i][run] = sides[i].stats.solveSeconds;
		}
	}
	checkSameBits(sides, mesh->nodeCount);
	elasticRow(bench, "first solve, from the matrix", unknowns, first[1], first[0]);
	elasticRow(bench, "next, hierarchy kept, to 1e-8", unknowns, brBench_MedianOf(again[1], elasticRuns),
			   brBench_MedianOf(again[0], elasticRuns));
	elasticRow(bench, "  without making its load", unknowns, brBench_MedianOf(iterations[1], elasticRuns),
			   brBench_MedianOf(iterations[0], elasticRuns));
	fprintf(stderr, "  %d iterations, %d levels, copied in %.1f ms, %.1f MB on the device\n", sides[1].stats.iterations,
			sides[1].stats.levelCount, 1e3 * timeHold(&sides[1]), 1e-6 * (double)gpu->bytesHeld);
	gpuBenchProfile(gpu, runSolve, &sides[1]);
	benchGrowth(bench, sides, cells, unknowns);
	for (int32_t i = 0; i < 2; ++i)
	{
		brDestroyElasticBody(sides[i].body);
		brBench_FreePull(&sides[i].block);
	}
	brDestroyGpuElastic(sides[1].def.device);
	brDestroyTetMesh(mesh);
}

void gpuBenchElastic(brBench* bench, brGpu* gpu)
{
	if (!gpu->info.hasDouble)
	{
		return;
	}
	// 1,000 nodes are a body of a scene, 100,000 and a million unknowns what a study takes.
	static const int32_t cells[] = {9, 15, 32, 69};
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	brWorkersDef def = brDefaultWorkersDef();
	brContext context = {.workers = brCreateWorkers(&def)};
	for (int32_t i = 0; i < (isGpu ? 4 : 1); ++i)
	{
		benchElastic(bench, gpu, &context, cells[i]);
	}
	brDestroyWorkers(context.workers);
}

#endif
