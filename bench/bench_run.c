// SPDX-License-Identifier: MIT

// Whole scenes against real time: how many seconds of play a second of work gives, and the longest step, breaks included.
//
// Before a figure counts, the books are checked: mass is what came in, nothing was set aside, and two workers give the hash of one.
// Half of each scene is played by default; the impacts are in it.

#include "bench.h"

#include "brittle/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static brScene* loadBenchScene(const char* name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/scenes/%s.yaml", BR_SOURCE_DIR, name);
	brReport report = {0};
	brScene* scene = NULL;
	if (brLoadScene(NULL, path, NULL, &scene, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return scene;
}

static brRun* playBenchScene(const brScene* scene, int32_t workerCount, brWorkers** outWorkers)
{
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = workerCount;
	brContext context = {.workers = brCreateWorkers(&def)};
	brReport report = {0};
	brRun* run = NULL;
	if (context.workers == NULL || brCreateRun(&context, scene, &run, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	while (2 * brRun_FrameCount(run) < brRun_FrameTotal(run))
	{
		if (brRun_Frame(run, &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
	}
	*outWorkers = context.workers;
	return run;
}

static int compareSeconds(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

static void benchScene(brBench* bench, const char* name)
{
	char row[128];
	snprintf(row, sizeof(row), "run %s", name);
	if (!brBench_Wants(bench, row))
	{
		return;
	}
	brScene* scene = loadBenchScene(name);
	brWorkers *one = NULL, *two = NULL;
	brRun* plain = playBenchScene(scene, 1, &one);
	brRun* run = playBenchScene(scene, 2, &two);
	if (brWorld_Hash(brRun_World(run)) != brWorld_Hash(brRun_World(plain)))
	{
		brBench_Fail("%s gives another hash with two workers", name);
	}
	int32_t count;
	const brRunStep* steps = brRun_Steps(run, &count);
	double* seconds = malloc((size_t)count * sizeof(double));
	double total = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		if (steps[i].setAside > 0 || fabs(steps[i].mass - steps[i].massIn) > 1e-9 * steps[i].massIn)
		{
			brBench_Fail("%s: the books of step %d do not balance", name, steps[i].step);
		}
		seconds[i] = steps[i].seconds;
		total += steps[i].seconds;
	}
	double played = brRun_FrameCount(run) / scene->frameRate;
	qsort(seconds, (size_t)count, sizeof(double), compareSeconds);
	char text[256];
	snprintf(text, sizeof(text), "%s: %d bodies at the end, played per second", row,
			 brWorld_BodyCount(brRun_World(run)));
	brBench_Row(bench, text, played / total, 0.0, "s/s");
	snprintf(text, sizeof(text), "%s: median step", row);
	brBench_Row(bench, text, 1e3 * seconds[count / 2], 0.0, "ms");
	snprintf(text, sizeof(text), "%s: worst step, %d pieces born", row, brRun_PieceCount(run));
	brBench_Row(bench, text, 1e3 * seconds[count - 1], 0.0, "ms");
	free(seconds);
	brDestroyRun(run);
	brDestroyRun(plain);
	brDestroyWorkers(one);
	brDestroyWorkers(two);
	brDestroyScene(scene);
}

BR_BENCH(run)
{
	benchScene(bench, "piggy_bank");
	benchScene(bench, "plates");
	benchScene(bench, "bricks");
	benchScene(bench, "wall");
	benchScene(bench, "tower");
}
