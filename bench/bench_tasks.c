// SPDX-License-Identifier: MIT

// What it costs to share a loop: empty blocks, back to back and after pauses in which the threads fall asleep.

#include "bench.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct LoopBench
{
	brWorkers* workers;
	int64_t pause; // [ns]
	int32_t loops;
	int64_t spent; // [ns], pauses left out
	int32_t sums[64];
} LoopBench;

static void addBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	LoopBench* data = user;
	data->sums[begin] += end - begin;
}

static void runLoops(void* user)
{
	LoopBench* data = user;
	data->spent = 0;
	for (int32_t i = 0; i < data->loops; ++i)
	{
		int64_t start = brClockNanoseconds();
		while (brClockNanoseconds() - start < data->pause)
		{
		}
		start = brClockNanoseconds();
		brParallelFor(data->workers, 2, 1, addBlock, data);
		data->spent += brClockNanoseconds() - start;
	}
}

static int compareCosts(const void* a, const void* b)
{
	double x = *(const double*)a;
	double y = *(const double*)b;
	return (x > y) - (x < y);
}

static double costOfLoop(LoopBench* data)
{
	double costs[9];
	for (int run = 0; run < 9; ++run)
	{
		runLoops(data);
		costs[run] = (double)data->spent / data->loops;
	}
	qsort(costs, 9, sizeof(double), compareCosts);
	if (data->sums[0] != data->sums[1] || data->sums[0] == 0)
	{
		brBench_Fail("blocks ran %d and %d times", data->sums[0], data->sums[1]);
	}
	return costs[4];
}

static void* doNothing(void* argument)
{
	return argument;
}

static void startThread(void* user)
{
	(void)user;
	for (int i = 0; i < 100; ++i)
	{
		pthread_t thread;
		pthread_create(&thread, NULL, doNothing, NULL);
		pthread_join(thread, NULL);
	}
}

BR_BENCH(tasks)
{
	double threadCost = 1e9 / 100 * brBench_Median(9, startThread, NULL);
	static const int32_t teams[] = {1, 2, 8};
	for (int i = 0; i < 3; ++i)
	{
		brWorkersDef def = brDefaultWorkersDef();
		def.workerCount = teams[i];
		LoopBench data = {.workers = brCreateWorkers(&def)};
		char name[96];
		for (int paused = 0; paused < 2; ++paused)
		{
			data.pause = paused ? 100000 : 0;
			data.loops = paused ? 100 : 2000;
			snprintf(name, sizeof(name), "empty loop of 2 blocks, %d workers, %s", teams[i],
					 paused ? "100 us apart" : "back to back");
			brBench_Row(bench, name, costOfLoop(&data), threadCost, "ns");
		}
		brDestroyWorkers(data.workers);
	}
}
