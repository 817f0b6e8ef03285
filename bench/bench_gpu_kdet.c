// SPDX-License-Identifier: MIT

// Tetrahedra on a device: from positions there to the numbers of pairs that meet here. The peer column is the time that
// the kDet thesis prints for an RTX 3080.

#include "bench_gpu.h"
#include "gpu/gpu_pairs.h"
#include "kdet_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

typedef struct KdetFrame
{
	brGpuPairs pairs;
	bool enableSelf;
	brGpuFound found;
} KdetFrame;

static void runKdetFrame(void* user)
{
	KdetFrame* frame = user;
	brReport report = {0};
	if (brGpuPairs_Run(&frame->pairs, frame->enableSelf, true, true, false, &frame->found, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void openKdetFrame(KdetFrame* frame, brGpu* gpu, const KdetBodies* bodies, brBoxMaker* maker, bool enableSelf)
{
	brReport report = {0};
	uint32_t* objects = malloc((size_t)bodies->source.count * sizeof(uint32_t));
	for (int32_t i = 0; i < bodies->source.count; ++i)
	{
		objects[i] = i >= bodies->starts[1];
	}
	brGpuPairs_Init(&frame->pairs, gpu);
	frame->pairs.method = br_deviceKdet;
	frame->pairs.dropNeighbors = true;
	frame->enableSelf = enableSelf;
	if (brGpuPairs_SetElements(&frame->pairs, &bodies->source, objects, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brGpuPairs_SetFrame(&frame->pairs, maker, NULL);
	free(objects);
}

static int64_t countOnHost(const KdetBodies* bodies, bool enableSelf, int64_t* outCandidates)
{
	brPairSearchDef def = {.method = br_pairsKdet, .enableSelf = enableSelf, .enableInter = true};
	brTetSearch search;
	brAllocator allocator = brContext_Allocator(NULL);
	brReport report = {0};
	brTetSearch_Init(&search, &allocator, &def, br_tetSat, false);
	if (brTetSearch_Run(&search, NULL, &bodies->source, bodies->starts, bodies->objectCount, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	int64_t count = search.search.pairs.count;
	*outCandidates = search.search.candidateCount;
	brTetSearch_Free(&search);
	return count;
}

static void benchKdetScene(brBench* bench, brGpu* gpu, const KdetBodies* bodies, const char* scene, bool enableSelf)
{
	char name[128];
	brReport report = {0};
	brBoxMaker maker;
	memset(&maker, 0, sizeof(maker));
	maker.allocator = brContext_Allocator(NULL);
	maker.kernels = brGetWideKernels(0);
	if (brBoxMaker_Prepare(&maker, NULL, &bodies->source, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	KdetFrame frame;
	openKdetFrame(&frame, gpu, bodies, &maker, enableSelf);
	runKdetFrame(&frame);
	int64_t candidates, pairs = countOnHost(bodies, enableSelf, &candidates);
	// What the device is not certain of is settled by the host, which a frame does not count.
	if (frame.found.candidateCount != candidates || frame.found.meetingCount > pairs ||
		frame.found.meetingCount + frame.found.unsureCount < pairs)
	{
		brBench_Fail("%s: %lld candidates, %lld pairs and %lld in doubt on the device, %lld and %lld here", scene,
					 (long long)frame.found.candidateCount, (long long)frame.found.meetingCount,
					 (long long)frame.found.unsureCount, (long long)candidates, (long long)pairs);
	}
	double seconds = brBench_Median(gpuBenchRuns(gpu), runKdetFrame, &frame);
	const char* how = enableSelf ? "with self" : "without self";
	fprintf(stderr, "  %s, %s: %d tets, %lld candidates, %lld meet, %lld in doubt, %.1f MB on the device\n", scene, how,
			bodies->source.count, (long long)candidates, (long long)pairs, (long long)frame.found.unsureCount,
			1e-6 * (double)gpu->bytesHeld);
	snprintf(name, sizeof(name), "kdet %s, %s", scene, how);
	brBench_Row(bench, name, 1e3 * seconds, enableSelf ? 23.0 : 3.5, "ms");
	snprintf(name, sizeof(name), "kdet %s, %s: memory", scene, how);
	brBench_Row(bench, name, 1e-6 * (double)gpu->bytesHeld, 7500.0, "MB");
	gpuBenchProfile(gpu, runKdetFrame, &frame);
	brGpuPairs_Free(&frame.pairs);
	brBoxMaker_Free(&maker);
}

// Groups of the sizes of figure 6.6, and brute force in its two ways (figures 6.10 and 6.11), each against the grid as
// it is.
static void benchKdetWays(brBench* bench, brGpu* gpu, const KdetBodies* bodies, const char* scene)
{
	static const int32_t groups[] = {16, 32, 64, 128, 256};
	brReport report = {0};
	brBoxMaker maker;
	memset(&maker, 0, sizeof(maker));
	maker.allocator = brContext_Allocator(NULL);
	maker.kernels = brGetWideKernels(0);
	if (brBoxMaker_Prepare(&maker, NULL, &bodies->source, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	int64_t candidates = -1;
	double grid = 0.0;
	for (int32_t way = -1; way < 7; ++way)
	{
		KdetFrame frame;
		char name[128];
		openKdetFrame(&frame, gpu, bodies, &maker, true);
		bool isBrute = way >= 5;
		frame.pairs.method = isBrute ? br_deviceBrute : br_deviceKdet;
		frame.pairs.isPairwise = way == 6;
		frame.pairs.kdet.groupSize = way >= 0 && way < 5 ? groups[way] : 0;
		if (isBrute)
		{
			brGpuPairs_EnsureBrute(&frame.pairs);
		}
		runKdetFrame(&frame);
		candidates = candidates < 0 ? frame.found.candidateCount : candidates;
		if (frame.found.candidateCount != candidates)
		{
			brBench_Fail("%s: way %d finds %lld candidates, the grid %lld", scene, way,
						 (long long)frame.found.candidateCount, (long long)candidates);
		}
		double taken = brBench_Median(isBrute ? 3 : gpuBenchRuns(gpu), runKdetFrame, &frame);
		grid = way < 0 ? taken : grid;
		const char* how = way == 5 ? "a thread an element" : "a thread a pair";
		isBrute
			? snprintf(name, sizeof(name), "kdet %s, with self: brute force, %s / grid", scene, how)
			: snprintf(name, sizeof(name), "kdet %s, with self: groups of %d / grid", scene, groups[way < 0 ? 0 : way]);
		if (way >= 0)
		{
			brBench_Row(bench, name, 1e3 * taken, 1e3 * grid, "ms");
		}
		brGpuPairs_Free(&frame.pairs);
	}
	brBoxMaker_Free(&maker);
}

void gpuBenchKdet(brBench* bench, brGpu* gpu)
{
	if (!brBench_Wants(bench, "kdet"))
	{
		return;
	}
	int32_t resolution = gpu->info.kind == br_gpuKindGpu ? 4 : 2;
	for (int32_t i = 1; i < KDET_SCENE_COUNT; ++i)
	{
		KdetBodies bodies = kdetMakeBodies(&kdetScenes[i], resolution);
		kdetPose(&bodies, 1.0);
		benchKdetScene(bench, gpu, &bodies, kdetScenes[i].name, false);
		benchKdetScene(bench, gpu, &bodies, kdetScenes[i].name, true);
		kdetFreeBodies(&bodies);
	}
	for (int32_t r = 1; r <= (gpu->info.kind == br_gpuKindGpu ? 4 : 0); ++r)
	{
		char name[64];
		KdetBodies bodies = kdetMakeBodies(&kdetScenes[1], r);
		kdetPose(&bodies, 1.0);
		snprintf(name, sizeof(name), "%s-%d", kdetScenes[1].name, r);
		benchKdetWays(bench, gpu, &bodies, name);
		kdetFreeBodies(&bodies);
	}
}

#endif
