// SPDX-License-Identifier: MIT

// What a device does in a frame: the published collision scenes from boxes to triangles that meet, sorting, tree
// building. Answers are checked first. BRITTLE_BENCH_DEVICE chooses a device as brGpuDef says. With no peer in a row,
// the peer column holds the figure that the documents print for their device.

#include "bench_gpu.h"
#include "collide_scenes.h"

#include "base/clock.h"
#include "base/random.h"
#include "brittle/brittle.h"
#include "gpu/gpu_pairs.h"
#include "narrow/triangle_soup.h"
#include "research/gpu_oi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

const GpuScene gpuScenes[GPU_TABLE_COUNT] = {
	{"cloth-ball", "ccd/cloth-ball/frames/cloth_ball92.ply", "cloth_ball", 92.0, 0, 1337359, 1.9, 85.0},
	{"funnel", "ccd/cloth-funnel/frames/227.ply", "funnel", 227.0, 0, 135312, 0.6, 8.5},
	{"n-body", "ccd/n-body-simulation/frames/balls16_18.ply", "bodies", 18.0, 0, 1063938, 3.62, 15.0},
	{"as Flamenco", NULL, "cloth_ball", 60.0, 154, -1, 2.0, 0.0},
	{"as Andy", NULL, "cloth_ball", 60.0, 248, -1, 2.65, 0.0},
	{"as Bridson", NULL, "cloth_ball", 60.0, 92, -1, 0.5, 0.0},
	{"as Bridson-3", NULL, "cloth_ball", 60.0, 310, -1, 4.02, 0.0},
};

brMesh* gpuBenchLoad(const GpuScene* scene, bool* outIsPublic)
{
	return collideLoadFrame(scene->file, scene->motion, scene->frame, scene->resolution, outIsPublic);
}

typedef struct FrameBench
{
	brGpuPairs* pairs;
	bool findTrue;
} FrameBench;

static void runFrame(void* user)
{
	FrameBench* frame = user;
	brGpuFound found;
	brReport report = {0};
	if (brGpuPairs_Run(frame->pairs, true, false, frame->findTrue, false, &found, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

void gpuBenchProfile(brGpu* gpu, void (*call)(void* user), void* user)
{
	const int32_t runs = 10;
	brReport report = {0};
	if (brGpu_Profile(gpu, true, &report) < 0)
	{
		fprintf(stderr, "    %s\n", report.text);
		return;
	}
	double all = 0.0;
	for (int32_t i = 0; i < runs; ++i)
	{
		call(user);
	}
	for (int32_t i = 0; i < br_gpuKernelCount; ++i)
	{
		all += gpu->profile[i];
		if (gpu->launches[i] > 0)
		{
			fprintf(stderr, "    %-18s %7.1f us in %.1f launches\n", brGpuKernel_Name((brGpuKernel)i),
					1e6 * gpu->profile[i] / runs, (double)gpu->launches[i] / runs);
		}
	}
	fprintf(stderr, "    %-18s %7.1f us\n", "all kernels", 1e6 * all / runs);
	brGpu_Profile(gpu, false, NULL);
}

static void benchScene(brBench* bench, brGpu* gpu, const GpuScene* scene)
{
	char name[128];
	snprintf(name, sizeof(name), "%s, whole frame", scene->name);
	if (!brBench_Wants(bench, scene->name))
	{
		return;
	}
	bool isPublic;
	brMesh* mesh = gpuBenchLoad(scene, &isPublic);
	brReport report = {0};
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	brCollision *device = NULL, *host = NULL;
	const brMesh* const* meshes = (const brMesh* const*)&mesh;
	if (brGpu_CollideMeshes(gpu, NULL, meshes, 1, &def, &device, &report) < 0 ||
		brCollideMeshes(NULL, meshes, 1, &def, &host, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	if (device->candidateCount != host->candidateCount || device->pairCount != host->pairCount ||
		(isPublic && device->candidateCount != scene->candidates))
	{
		brBench_Fail("%s: %lld candidates and %lld pairs on the device, %lld and %lld here", scene->name,
					 (long long)device->candidateCount, (long long)device->pairCount, (long long)host->candidateCount,
					 (long long)host->pairCount);
	}

	brTriangleSoup soup;
	if (brTriangleSoup_Make(&soup, NULL, meshes, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brBoxSource source = brTriangleSoup_Source(&soup);
	brBoxMaker maker;
	memset(&maker, 0, sizeof(maker));
	maker.allocator = soup.allocator;
	maker.kernels = brGetWideKernels(0);
	brGpuPairs pairs;
	brGpuPairs_Init(&pairs, gpu);
	if (brBoxMaker_Prepare(&maker, NULL, &source, &report) < 0 ||
		brGpuPairs_SetElements(&pairs, &source, NULL, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brGpuPairs_SetFrame(&pairs, &maker, NULL);
	FrameBench frame = {&pairs, false};
	int32_t runs = gpuBenchRuns(gpu);
	double broad = brBench_Median(runs, runFrame, &frame);
	frame.findTrue = true;
	pairs.dropNeighbors = true;
	double whole = brBench_Median(runs, runFrame, &frame);
	fprintf(stderr, "  %s: %d triangles, %lld candidates, %lld pairs, %.1f MB on the device\n", scene->name,
			soup.triangleCount, (long long)device->candidateCount, (long long)device->pairCount,
			1e-6 * (double)gpu->bytesHeld);
	brBench_Row(bench, name, 1e3 * whole, scene->printed, "ms");
	snprintf(name, sizeof(name), "%s, memory of the whole frame", scene->name);
	brBench_Row(bench, name, 1e-6 * (double)gpu->bytesHeld, scene->printedMemory, "MB");
	snprintf(name, sizeof(name), "%s, candidates only", scene->name);
	brBench_Row(bench, name, 1e3 * broad, 0.0, "ms");
	gpuBenchProfile(gpu, runFrame, &frame);
	// A sequence in which frames share an order: sixteen to a sort.
	pairs.sortEvery = 16;
	double shared = brBench_Median(gpuBenchRuns(gpu), runFrame, &frame);
	snprintf(name, sizeof(name), "%s, frame with the order of an earlier one", scene->name);
	brBench_Row(bench, name, 1e3 * shared, 1e3 * whole, "ms");
	gpuBenchProfile(gpu, runFrame, &frame);
	brGpuPairs_Free(&pairs);
	brBoxMaker_Free(&maker);
	brTriangleSoup_Free(&soup);
	brDestroyCollision(device);
	brDestroyCollision(host);
	brDestroyMesh(mesh);
}

typedef struct SortData
{
	brGpu* gpu;
	brGpuBuffer buffers[2], counters;
	brGpuSorter sorter;
	int32_t count;
	uint32_t lowBit, highBit;
} SortData;

static void runSort(void* user)
{
	SortData* data = user;
	brGpu_Sort(data->gpu, &data->sorter, data->buffers, 0, &data->counters, 0, data->count,
			   (brGpuKeyBits){data->lowBit, data->highBit});
	brReport report = {0};
	if (brGpu_Finish(data->gpu, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

static void benchSort(brBench* bench, brGpu* gpu, int32_t count)
{
	char name[128];
	snprintf(name, sizeof(name), "sort %d keys of 32 bits with values", count);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	uint64_t* items = malloc((size_t)count * sizeof(uint64_t));
	brRandom random = brMakeRandom(11, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		items[i] = (uint64_t)brRandom_Next(&random) << 32 | (uint32_t)i;
	}
	SortData data = {.gpu = gpu, .count = count, .lowBit = 32, .highBit = 64};
	uint32_t counters[1] = {(uint32_t)count};
	brGpu_Ensure(gpu, &data.counters, 1, sizeof(uint32_t));
	brGpu_Ensure(gpu, &data.buffers[0], count, sizeof(uint64_t));
	brGpu_Ensure(gpu, &data.buffers[1], count, sizeof(uint64_t));
	brGpu_Write(gpu, &data.counters, 0, counters, sizeof(counters));
	brGpu_Write(gpu, &data.buffers[0], 0, items, (size_t)count * sizeof(uint64_t));
	runSort(&data);
	brReport report = {0};
	if (brGpu_Read(gpu, &data.buffers[0], 0, items, (size_t)count * sizeof(uint64_t), &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	for (int32_t i = 1; i < count; ++i)
	{
		if (items[i - 1] > items[i]) // values rise with place, so this is stability too
		{
			brBench_Fail("not sorted at %d of %d", i, count);
		}
	}
	double seconds = brBench_Median(gpuBenchRuns(gpu), runSort, &data);
	brBench_Row(bench, name, 1e-9 * count / seconds, 0.0, "Gkeys/s");
	gpuBenchProfile(gpu, runSort, &data);
	brGpu_Free(gpu, &data.buffers[0]);
	brGpu_Free(gpu, &data.buffers[1]);
	brGpu_Free(gpu, &data.counters);
	brGpuSorter_Free(gpu, &data.sorter);
	free(items);
}

static void runBuild(void* user)
{
	brGpuOi* oi = user;
	brGpuOi_EnqueueBuild(oi);
	brReport report = {0};
	if (brGpu_Finish(oi->gpu, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

// Boxes of triangles on a wavy sheet, for the tree and for the whole way from triangles.
static void benchBuild(brBench* bench, brGpu* gpu, int32_t count)
{
	char name[128];
	snprintf(name, sizeof(name), "oi tree over %d sorted triangles", count);
	if (!brBench_Wants(bench, name))
	{
		return;
	}
	cl_float4* boxes = malloc((size_t)count * 2 * sizeof(cl_float4));
	uint64_t* items = malloc((size_t)count * sizeof(uint64_t));
	for (int32_t i = 0; i < count; ++i)
	{
		float x = (float)(i % 2048), y = (float)(i / 2048);
		boxes[2 * i] = (cl_float4){{x, y, 0.0f, 0.0f}};
		boxes[2 * i + 1] = (cl_float4){{-x - 1.0f, -y - 1.0f, -1.0f, 0.0f}}; // negated
		items[i] = (uint32_t)i;
	}
	brGpuBuffer itemBuffer = {0}, boxBuffer = {0};
	brGpu_Ensure(gpu, &itemBuffer, count, sizeof(uint64_t));
	brGpu_Ensure(gpu, &boxBuffer, 2 * (int64_t)count, sizeof(cl_float4));
	brGpu_Write(gpu, &itemBuffer, 0, items, (size_t)count * sizeof(uint64_t));
	brGpu_Write(gpu, &boxBuffer, 0, boxes, (size_t)count * 2 * sizeof(cl_float4));
	brGpuOi oi = {.gpu = gpu};
	brReport report = {0};
	int32_t starts[2] = {0, count};
	if (brGpuOi_SetTrees(&oi, starts, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brGpuElements elements = {&boxBuffer, false, &boxBuffer, 1, &boxBuffer, false};
	brGpuOi_EnqueueLeaves(&oi, &itemBuffer, &elements);
	runBuild(&oi);
	cl_float4 root[2];
	if (brGpu_Read(gpu, &oi.nodes, 0, root, sizeof(root), &report) < 0 || root[0].s[0] != 0.0f ||
		root[1].s[1] != (float)((count - 1) / 2048 + 1))
	{
		brBench_Fail("the root of the tree is wrong");
	}
	double seconds = brBench_Median(gpuBenchRuns(gpu), runBuild, &oi);
	brBench_Row(bench, name, 1e-9 * (double)oi.nodeCount / seconds, 4.7, "Gnodes/s");
	brGpuOi_Free(&oi);
	brGpu_Free(gpu, &itemBuffer);
	brGpu_Free(gpu, &boxBuffer);
	free(items);
	free(boxes);
}

BR_BENCH(gpu)
{
	brGpuDef def = brDefaultGpuDef();
	def.device = getenv("BRITTLE_BENCH_DEVICE");
	brGpu* gpu = NULL;
	brReport report = {0};
	if (brOpenGpu(NULL, &def, &gpu, &report) < 0 || brGpu_Prepare(gpu, &report) < 0)
	{
		fprintf(stderr, "  %s\n", report.text);
		return;
	}
	fprintf(stderr, "  %s, driver %s\n", gpu->info.name, gpu->info.driver);
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	for (size_t i = 0; i < (isGpu ? GPU_TABLE_COUNT : GPU_SCENE_COUNT); ++i)
	{
		benchScene(bench, gpu, &gpuScenes[i]);
	}
	benchSort(bench, gpu, isGpu ? 1 << 20 : 1 << 16);
	if (isGpu)
	{
		benchSort(bench, gpu, 1 << 22);
		benchSort(bench, gpu, 1 << 24);
	}
	benchBuild(bench, gpu, isGpu ? 4000000 : 100000);
	gpuBenchFront(bench, gpu);
	gpuBenchTrees(bench, gpu);
	gpuBenchKdet(bench, gpu);
	gpuBenchVoronoi(bench, gpu);
	gpuBenchBreak(bench, gpu);
	gpuBenchStep(bench, gpu);
	gpuBenchElastic(bench, gpu);
	brCloseGpu(gpu);
}

#endif
