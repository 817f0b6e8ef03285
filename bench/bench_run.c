// SPDX-License-Identifier: MIT

// Whole scenes against real time: how many seconds of play a second of work gives, and the longest step, breaks
// included.
//
// Times are those of the processor with one worker, a frame with all its steps, so that what else runs on the machine
// counts less; the last two rows are the wall's with two workers. Before a figure counts, the books are checked: mass
// is what came in, nothing was set aside, and two workers give the hash of one. Half of each scene is played by
// default; the impacts are in it.

#include "bench.h"

#include "brittle/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processorSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static brScene* loadBenchScene(const char* folder, const char* name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s/%s.yaml", BR_SOURCE_DIR, folder, name);
	brReport report = {0};
	brScene* scene = NULL;
	if (brLoadScene(NULL, path, NULL, &scene, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return scene;
}

// `outSeconds` has room for every frame, or is null.
static brRun* playBenchScene(const brScene* scene, int32_t workerCount, brWorkers** outWorkers, double* outSeconds)
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
	while (2 * brRun_GetFrameCount(run) < brRun_GetFrameTotal(run))
	{
		double start = processorSeconds();
		if (brRun_PlayFrame(run, &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
		if (outSeconds != NULL)
		{
			outSeconds[brRun_GetFrameCount(run) - 1] = processorSeconds() - start;
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

static void benchScene(brBench* bench, const char* folder, const char* name)
{
	char row[128];
	snprintf(row, sizeof(row), "run %s", name);
	if (!brBench_Wants(bench, row))
	{
		return;
	}
	brScene* scene = loadBenchScene(folder, name);
	brWorkers *one = NULL, *two = NULL;
	double* seconds = malloc((size_t)(scene->duration * scene->frameRate + 2.0) * sizeof(double));
	if (seconds == NULL)
	{
		brBench_Fail("no memory");
	}
	brRun* plain = playBenchScene(scene, 1, &one, seconds);
	brRun* run = playBenchScene(scene, 2, &two, NULL);
	if (brWorld_ComputeHash(brRun_GetWorld(run)) != brWorld_ComputeHash(brRun_GetWorld(plain)))
	{
		brBench_Fail("%s gives another hash with two workers", name);
	}
	int32_t stepCount, count = brRun_GetFrameCount(plain);
	const brRunStep* steps = brRun_GetSteps(run, &stepCount);
	double total = 0.0, wall = 0.0, worst = 0.0;
	for (int32_t i = 0; i < stepCount; ++i)
	{
		if (steps[i].setAside > 0 || fabs(steps[i].mass - steps[i].massIn) > 1e-9 * steps[i].massIn)
		{
			brBench_Fail("%s: the books of step %d do not balance", name, steps[i].step);
		}
		wall += steps[i].seconds;
		worst = fmax(worst, steps[i].seconds);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		total += seconds[i];
	}
	if (strcmp(name, "wall2000") == 0 && brRun_GetPieceCount(run) < 1500)
	{
		brBench_Fail("%s has %d pieces only", name, brRun_GetPieceCount(run));
	}
	double played = count / scene->frameRate;
	qsort(seconds, (size_t)count, sizeof(double), compareSeconds);
	char text[256];
	snprintf(text, sizeof(text), "%s: %d bodies at the end, played per second", row,
			 brWorld_GetBodyCount(brRun_GetWorld(run)));
	brBench_Row(bench, text, played / total, 0.0, "s/s");
	snprintf(text, sizeof(text), "%s: median frame", row);
	brBench_Row(bench, text, 1e3 * seconds[count / 2], 0.0, "ms");
	snprintf(text, sizeof(text), "%s: worst frame, %d pieces born in all", row, brRun_GetPieceCount(run));
	brBench_Row(bench, text, 1e3 * seconds[count - 1], 0.0, "ms");
	snprintf(text, sizeof(text), "%s: by the wall, two workers", row);
	brBench_Row(bench, text, played / wall, 0.0, "s/s");
	snprintf(text, sizeof(text), "%s: worst step by the wall, two workers", row);
	brBench_Row(bench, text, 1e3 * worst, 0.0, "ms");
	free(seconds);
	brDestroyRun(run);
	brDestroyRun(plain);
	brDestroyWorkers(one);
	brDestroyWorkers(two);
	brDestroyScene(scene);
}

BR_BENCH(run)
{
	benchScene(bench, "scenes", "piggy_bank");
	benchScene(bench, "scenes", "plates");
	benchScene(bench, "scenes", "bricks");
	benchScene(bench, "scenes", "wall");
	benchScene(bench, "scenes", "tower");
	benchScene(bench, "scenes", "wall2000");
	benchScene(bench, "bench", "cascade");
}
