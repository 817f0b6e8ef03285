// SPDX-License-Identifier: MIT

#include "kdet_device.h"
#include "bench.h"

#include "base/clock.h"
#include "gpu/gpu_pairs.h"
#include "narrow/tet_measure.h"
#include "narrow/tet_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

struct KdetDevice
{
	brGpu* gpu;
	KdetDeviceWay way;
	brGpuPairs pairs;
	brBoxMaker maker;
	brPairBuffer found, unsure;
};

KdetDevice* kdetOpenDevice(const KdetBodies* bodies, const KdetDeviceWay* way)
{
	KdetDevice* device = calloc(1, sizeof(*device));
	uint32_t* objects = malloc(((size_t)bodies->source.count + 1) * sizeof(uint32_t));
	brGpuDef def = brDefaultGpuDef();
	def.device = getenv("BRITTLE_BENCH_DEVICE");
	brReport report = {0};
	if (device == NULL || objects == NULL || brOpenGpu(NULL, &def, &device->gpu, &report) < 0)
	{
		fprintf(stderr, "%s\n", report.text);
		free(device);
		free(objects);
		return NULL;
	}
	if (way->test == br_tetExact)
	{
		fprintf(stderr, "a device has the tests sat, sat-no-edges, sat-mtv and gjk\n");
		brCloseGpu(device->gpu);
		free(device);
		free(objects);
		return NULL;
	}
	for (int32_t i = 0; i < bodies->source.count; ++i)
	{
		objects[i] = i >= bodies->starts[1];
	}
	device->way = *way;
	device->maker.allocator = brContext_Allocator(NULL);
	device->maker.kernels = brGetWideKernels(0);
	device->found.allocator = device->unsure.allocator = device->maker.allocator;
	brGpuPairs_Init(&device->pairs, device->gpu);
	device->pairs.method = way->isBrute ? br_deviceBrute : br_deviceKdet;
	device->pairs.isPairwise = way->isPairwise;
	device->pairs.kdet = (brKdetSettings){.hash = way->hash, .groupSize = way->groupSize};
	device->pairs.tetTest = way->test;
	device->pairs.dropNeighbors = true;
	if (brGpuPairs_SetElements(&device->pairs, &bodies->source, objects, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	free(objects);
	return device;
}

void kdetCloseDevice(KdetDevice* device)
{
	brGpuPairs_Free(&device->pairs);
	brBoxMaker_Free(&device->maker);
	brPairBuffer_Free(&device->found);
	brPairBuffer_Free(&device->unsure);
	brCloseGpu(device->gpu);
	free(device);
}

// As brGpuPairs_Measure, of what was just found, and the answer stays there.
static brResult measureMeeting(brGpuPairs* pairs, int64_t count, brReport* report)
{
	brGpu* gpu = pairs->gpu;
	brGpuKernel measure = pairs->tetTest == br_tetGjk ? kernel_brk_expandTets : kernel_brk_measureTets;
	brGpu_Ensure(gpu, &pairs->penetrations, count, sizeof(brPenetration));
	BR_GPU_RUN(gpu, measure, count > 0 ? 2 * brGpuPairs_Groups(pairs, count) : 0, 128, brBufferArg(&pairs->meeting[0]),
			   brUintArg((uint32_t)count), brBufferArg(&pairs->corners), brBufferArg(&pairs->vertices),
			   brBufferArg(&pairs->penetrations));
	return brGpu_Finish(gpu, report);
}

static double runOnce(KdetDevice* device, brGpuFound* outFound)
{
	brReport report = {0};
	int64_t start = brClockNanoseconds();
	brGpuPairs_SetFrame(&device->pairs, &device->maker, NULL);
	if (brGpuPairs_Run(&device->pairs, device->way.isSelf, true, true, false, outFound, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	bool measures = brTetTest_Measures(device->way.test);
	if (measures && measureMeeting(&device->pairs, outFound->meetingCount, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return brSecondsSince(start);
}

// Kernels one by one, which makes them wait for each other: apart from the runs that are timed here.
static void profile(KdetDevice* device, KdetDeviceFrame* outFrame)
{
	brGpu* gpu = device->gpu;
	brGpuFound found;
	if (brGpu_Profile(gpu, true, NULL) < 0)
	{
		return;
	}
	runOnce(device, &found);
	for (int32_t i = 0; i < br_gpuKernelCount; ++i)
	{
		bool isSearch = i == kernel_brk_gridPairs || i == kernel_brk_gridPairsSized || i == kernel_brk_bruteElements ||
						i == kernel_brk_brutePairs;
		bool isNarrow = i == kernel_brk_meetTets || i == kernel_brk_measureTets || i == kernel_brk_expandTets;
		*(isNarrow ? &outFrame->narrow : isSearch ? &outFrame->search : &outFrame->build) += gpu->profile[i];
	}
	brGpu_Profile(gpu, false, NULL);
}

// Pairs that the device is sure of, and those of the rest that meet by exact signs.
static void readPairs(KdetDevice* device, const KdetBodies* bodies, const brGpuFound* found)
{
	brReport report = {0};
	device->found.count = device->unsure.count = 0;
	if (!brPairBuffer_Reserve(&device->found, found->meetingCount + found->unsureCount) ||
		!brPairBuffer_Reserve(&device->unsure, found->unsureCount) ||
		brGpuPairs_Read(&device->pairs, true, found->meetingCount, device->found.pairs, &report) < 0 ||
		(found->unsureCount > 0 &&
		 brGpuPairs_ReadUnsure(&device->pairs, found->unsureCount, device->unsure.pairs, &report) < 0))
	{
		brBench_Fail("%s", report.text);
	}
	device->found.count = found->meetingCount;
	for (int64_t i = 0; i < found->unsureCount; ++i)
	{
		brPair pair = device->unsure.pairs[i];
		brDVec3 a[4], b[4];
		for (int32_t k = 0; k < 4; ++k)
		{
			a[k] = bodies->nodes[bodies->tets[pair.a][k]];
			b[k] = bodies->nodes[bodies->tets[pair.b][k]];
		}
		if (device->way.test == br_tetGjk ? brTetPair_Gjk(a, b) == 0.0 : brTetPair_MeetsExact(a, b))
		{
			device->found.pairs[device->found.count++] = pair;
		}
	}
}

void kdetRunDevice(KdetDevice* device, const KdetBodies* bodies, int32_t runs, KdetDeviceFrame* outFrame)
{
	brReport report = {0};
	if (brBoxMaker_Prepare(&device->maker, NULL, &bodies->source, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	*outFrame = (KdetDeviceFrame){0};
	brGpuFound found = {0};
	for (int32_t run = 0; run < runs; ++run)
	{
		outFrame->host += runOnce(device, &found) / runs;
	}
	readPairs(device, bodies, &found);
	outFrame->boxes = found.candidateCount;
	outFrame->tested = device->pairs.last.candidates;
	outFrame->list = device->found;
	profile(device, outFrame);
}

#else

KdetDevice* kdetOpenDevice(const KdetBodies* bodies, const KdetDeviceWay* way)
{
	(void)bodies, (void)way;
	fprintf(stderr, "this build has no OpenCL\n");
	return NULL;
}

void kdetCloseDevice(KdetDevice* device)
{
	(void)device;
}

void kdetRunDevice(KdetDevice* device, const KdetBodies* bodies, int32_t runs, KdetDeviceFrame* outFrame)
{
	(void)device, (void)bodies, (void)runs, (void)outFrame;
}

#endif
