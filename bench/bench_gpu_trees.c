// SPDX-License-Identifier: MIT

// Binary implicit trees on a device: the whole way from triangles to trees, one tree for each body of a scene, their
// traversal, and the curves of the thesis' figures 2.10, 3.7 and 3.10:
//
//     brittle-bench gpu --only pipeline
//     brittle-bench gpu --only bsp
//     brittle-bench gpu --only curves      CSV, and PNG where there is libpng, in the folder that BRITTLE_BENCH_OUT names, else here

#include "bench_gpu.h"
#include "brittle/brittle.h"
#include "gpu/gpu_pairs.h"
#include "index/pairs.h"
#include "narrow/triangle_soup.h"
#include "plot_csv.h"
#include "research/engines.h"
#include "research/gpu_engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

// A scene of triangles, sorted into bodies: triangles that hang together.
typedef struct Bodies
{
	brTriangleSoup soup;
	brMesh* mesh;
	brBoxSource source;
	int32_t* corners;
	uint32_t* objects;
	int32_t* starts;
	int32_t count; // bodies
	brBoxMaker maker;
} Bodies;

static int32_t findRoot(int32_t* roots, int32_t v)
{
	while (roots[v] != v)
	{
		roots[v] = roots[roots[v]];
		v = roots[v];
	}
	return v;
}

static Bodies loadBodies(const GpuScene* scene)
{
	Bodies bodies;
	memset(&bodies, 0, sizeof(bodies));
	bool isPublic;
	brReport report = {0};
	bodies.mesh = gpuBenchLoad(scene, &isPublic);
	if (brTriangleSoup_Make(&bodies.soup, NULL, (const brMesh* const*)&bodies.mesh, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brBoxSource source = brTriangleSoup_Source(&bodies.soup);
	int32_t n = source.count;
	int32_t* roots = malloc((size_t)source.vertexCount * sizeof(int32_t));
	int32_t* names = malloc((size_t)source.vertexCount * sizeof(int32_t));
	bodies.corners = malloc((size_t)n * sizeof(int32_t[3]));
	bodies.objects = malloc((size_t)n * sizeof(uint32_t));
	bodies.starts = calloc((size_t)n + 2, sizeof(int32_t));
	for (int32_t v = 0; v < source.vertexCount; ++v)
	{
		roots[v] = v, names[v] = -1;
	}
	for (int64_t i = 0; i < 3 * (int64_t)n; ++i)
	{
		roots[findRoot(roots, source.corners[i])] = findRoot(roots, source.corners[i / 3 * 3]);
	}
	for (int32_t i = 0; i < n; ++i)
	{
		int32_t root = findRoot(roots, source.corners[3 * (int64_t)i]);
		names[root] = names[root] < 0 ? bodies.count++ : names[root];
		bodies.starts[names[root] + 1] += 1;
	}
	for (int32_t k = 0; k < bodies.count; ++k)
	{
		bodies.starts[k + 1] += bodies.starts[k];
	}
	int32_t* filled = malloc((size_t)bodies.count * sizeof(int32_t));
	memcpy(filled, bodies.starts, (size_t)bodies.count * sizeof(int32_t));
	for (int32_t i = 0; i < n; ++i)
	{
		int32_t body = names[findRoot(roots, source.corners[3 * (int64_t)i])], at = filled[body]++;
		memcpy(bodies.corners + 3 * (int64_t)at, source.corners + 3 * (int64_t)i, sizeof(int32_t[3]));
		bodies.objects[at] = (uint32_t)body;
	}
	free(filled);
	free(names);
	free(roots);
	bodies.source = source;
	bodies.source.corners = bodies.corners;
	bodies.maker.allocator = bodies.soup.allocator;
	bodies.maker.kernels = brGetWideKernels(0);
	if (brBoxMaker_Prepare(&bodies.maker, NULL, &bodies.source, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return bodies;
}

static void freeBodies(Bodies* bodies)
{
	brBoxMaker_Free(&bodies->maker);
	brTriangleSoup_Free(&bodies->soup);
	brDestroyMesh(bodies->mesh);
	free(bodies->corners);
	free(bodies->objects);
	free(bodies->starts);
}

static int64_t countCandidates(const Bodies* bodies, bool enableSelf)
{
	brPairSearchDef def = {.method = br_pairsOi, .enableSelf = enableSelf, .enableInter = true};
	brPairSearch search;
	brAllocator allocator = brContext_Allocator(NULL);
	brReport report = {0};
	brPairSearch_Init(&search, &allocator, &def);
	if (brPairSearch_Run(&search, NULL, &bodies->source, bodies->starts, bodies->count, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	int64_t count = search.candidateCount;
	brPairSearch_Free(&search);
	return count;
}

typedef struct TreeFrame
{
	brGpuPairs pairs;
	bool enableSelf, findTrue;
	brGpuFound found;
} TreeFrame;

static void runTreeFrame(void* user)
{
	TreeFrame* frame = user;
	brReport report = {0};
	if (brGpuPairs_Run(&frame->pairs, frame->enableSelf, true, frame->findTrue, false, &frame->found, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

// Sets the frame up, runs it, and stops if it does not find what the CPU does.
static void openTreeFrame(TreeFrame* frame, const Bodies* bodies, const char* name, int64_t candidates)
{
	brReport report = {0};
	if (brGpuPairs_SetElements(&frame->pairs, &bodies->source, bodies->objects, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brGpuPairs_SetFrame(&frame->pairs, &bodies->maker, NULL);
	runTreeFrame(frame);
	if (frame->found.candidateCount != candidates)
	{
		brBench_Fail("%s: %lld candidates on the device, %lld here", name, (long long)frame->found.candidateCount,
					 (long long)candidates);
	}
}

static brGpuBsp* openBsp(brGpuPairs* pairs)
{
	if (!brGpuPairs_SetEngine(pairs, &brBspEngine))
	{
		brBench_Fail("there is not enough memory");
	}
	return pairs->engineState;
}

static void benchBodies(brBench* bench, brGpu* gpu, const GpuScene* scene)
{
	Bodies bodies = loadBodies(scene);
	for (int32_t self = 0; self < 2; ++self)
	{
		char name[128];
		int64_t candidates = countCandidates(&bodies, self != 0);
		TreeFrame frame = {.enableSelf = self != 0, .findTrue = true};
		brGpuPairs_Init(&frame.pairs, gpu);
		openBsp(&frame.pairs);
		frame.pairs.dropNeighbors = true;
		openTreeFrame(&frame, &bodies, scene->name, candidates);
		double seconds = brBench_Median(gpuBenchRuns(gpu), runTreeFrame, &frame);
		fprintf(stderr,
				"  %s%s: %d triangles in %d trees, %lld candidates, largest front %lld, %.1f MB on the device\n",
				scene->name, self != 0 ? ", with self" : "", bodies.source.count, bodies.count, (long long)candidates,
				(long long)((brGpuBsp*)frame.pairs.engineState)->maxPairs, 1e-6 * (double)gpu->bytesHeld);
		snprintf(name, sizeof(name), "bsp %s, %s", scene->name, self != 0 ? "with self" : "without self");
		brBench_Row(bench, name, 1e3 * seconds, scene->printed, "ms");
		gpuBenchProfile(gpu, runTreeFrame, &frame);
		brGpuPairs_Free(&frame.pairs);
	}
	freeBodies(&bodies);
}

// From triangles to the tree

typedef struct Pipeline
{
	brGpuOi oi;
	brGpuSorter sorter;
	brGpuBuffer vertices, corners, items[2], count;
	brGpuElements elements;
	int32_t sorted;
} Pipeline;

static void runPipeline(void* user)
{
	Pipeline* p = user;
	brGpu* gpu = p->oi.gpu;
	brReport report = {0};
	brGpuOi_EnqueueItems(&p->oi, &p->elements, &p->items[0]);
	p->sorted = brGpu_Sort(gpu, &p->sorter, p->items, 0, &p->count, 0, p->oi.leafCount,
						   (brGpuKeyBits){32, 32 + p->oi.codeBits + p->oi.treeBits});
	brGpuOi_EnqueueLeaves(&p->oi, &p->items[p->sorted], &p->elements);
	brGpuOi_EnqueueBuild(&p->oi);
	if (brGpu_Finish(gpu, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
}

// A wavy sheet of side * side squares.
static void openPipeline(Pipeline* p, brGpu* gpu, int32_t side)
{
	memset(p, 0, sizeof(*p));
	p->oi = (brGpuOi){.gpu = gpu};
	int32_t n = 2 * side * side, nodes = (side + 1) * (side + 1), starts[2] = {0, n};
	brDVec3* positions = malloc((size_t)nodes * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)n * sizeof(int32_t[3]));
	for (int32_t i = 0; i < nodes; ++i)
	{
		double x = i % (side + 1), y = i / (side + 1);
		positions[i] = brMakeDVec3(x, y, 40.0 * brSin(0.01 * x) * brSin(0.013 * y));
	}
	for (int32_t i = 0; i < n; ++i)
	{
		int32_t corner = i / 2 % side + (side + 1) * (i / 2 / side);
		int32_t* c = corners + 3 * (int64_t)i;
		c[0] = corner + (i % 2) * (side + 2);
		c[1] = corner + (i % 2 == 0 ? 1 : side + 1);
		c[2] = corner + (i % 2 == 0 ? side + 1 : 1);
	}
	uint32_t count = (uint32_t)n;
	brReport report = {0};
	if (brGpuOi_SetTrees(&p->oi, starts, 1, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brGpu_Ensure(gpu, &p->vertices, nodes, sizeof(brDVec3));
	brGpu_Ensure(gpu, &p->corners, n, sizeof(int32_t[3]));
	brGpu_Ensure(gpu, &p->items[0], n, sizeof(uint64_t));
	brGpu_Ensure(gpu, &p->items[1], n, sizeof(uint64_t));
	brGpu_Ensure(gpu, &p->count, 1, sizeof(uint32_t));
	brGpu_Write(gpu, &p->vertices, 0, positions, (size_t)nodes * sizeof(brDVec3));
	brGpu_Write(gpu, &p->corners, 0, corners, (size_t)n * sizeof(int32_t[3]));
	brGpu_Write(gpu, &p->count, 0, &count, sizeof(count));
	p->elements = (brGpuElements){&p->vertices, true, &p->corners, 3, &p->count, false};
	free(positions);
	free(corners);
	runPipeline(p);
	cl_float4 root[2];
	if (brGpu_Read(gpu, &p->oi.nodes, 0, root, sizeof(root), &report) < 0 || root[0].s[0] != 0.0f ||
		root[0].s[1] != 0.0f || root[1].s[0] != (float)side || root[1].s[1] != (float)side)
	{
		brBench_Fail("the root of the tree is wrong");
	}
}

static void closePipeline(Pipeline* p)
{
	brGpu* gpu = p->oi.gpu;
	brGpuBuffer* all[] = {&p->vertices, &p->corners, &p->items[0], &p->items[1], &p->count};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brGpu_Free(gpu, all[i]);
	}
	brGpuSorter_Free(gpu, &p->sorter);
	brGpuOi_Free(&p->oi);
}

static void benchPipeline(brBench* bench, brGpu* gpu)
{
	if (!gpu->info.hasDouble)
	{
		return;
	}
	Pipeline p;
	char name[128];
	openPipeline(&p, gpu, gpu->info.kind == br_gpuKindGpu ? 1449 : 200);
	double seconds = brBench_Median(gpuBenchRuns(gpu), runPipeline, &p);
	snprintf(name, sizeof(name), "pipeline, %d triangles to their tree", p.oi.leafCount);
	brBench_Row(bench, name, 1e-9 * p.oi.leafCount / seconds, 0.0, "Gtri/s");
	gpuBenchProfile(gpu, runPipeline, &p);
	closePipeline(&p);
}

// Curves

enum
{
	curveMost = 16
};

static const char* const curveLabels[GPU_SCENE_COUNT] = {"cloth-ball", "funnel", "n-body"};

typedef struct Curve
{
	double x[GPU_SCENE_COUNT][curveMost], y[GPU_SCENE_COUNT][curveMost];
	int32_t count;
} Curve;

// For tools/plot.
static void saveCurve(const Curve* curve, const char* name, const char* title, const char* xLabel, bool isLogX)
{
	PlotLine lines[GPU_SCENE_COUNT];
	for (int32_t i = 0; i < GPU_SCENE_COUNT; ++i)
	{
		lines[i] = (PlotLine){.label = curveLabels[i], .x = curve->x[i], .y = curve->y[i], .count = curve->count};
	}
	PlotDef def = {.title = title,
				   .xLabel = xLabel,
				   .yLabel = "frame, boxes to candidates [ms]",
				   .isLogX = isLogX,
				   .fromZero = true,
				   .lines = lines,
				   .lineCount = GPU_SCENE_COUNT};
	const char* folder = getenv("BRITTLE_BENCH_OUT");
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s.csv", folder != NULL ? folder : ".", name);
	if (!savePlotCsv(&def, path))
	{
		brBench_Fail("%s cannot be written", path);
	}
	fprintf(stderr, "  %s\n", path);
}

// One parameter of the traversal after another, the others as they are by default.
typedef struct CurveWay
{
	const char* name;
	const char* title;
	const char* label;
	int32_t values[curveMost];
	int32_t count;
	bool isLogX;
} CurveWay;

static const CurveWay curveWays[] = {
	{"gpu_group_size",
	 "Traversal by group size (thesis fig. 2.10)",
	 "threads of a group",
	 {8, 16, 32, 64, 128, 256, 512},
	 7,
	 true},
	{"gpu_queue",
	 "Traversal by queue (thesis fig. 2.10)",
	 "capacityQ",
	 {4, 16, 64, 128, 256, 512, 1024, 2048},
	 8,
	 true},
	{"gpu_depth_step", "Traversal by depth step", "mu", {1, 2, 3, 4}, 4, false},
	{"gpu_entry_level", "Traversal by entry level", "entry level", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, false},
};

static void benchCurve(brGpu* gpu, const CurveWay* way, const Bodies* bodies, const int64_t* candidates)
{
	Curve curve = {0};
	bool isGpu = gpu->info.kind == br_gpuKindGpu;
	for (int32_t v = 0; v < (isGpu ? way->count : 2); ++v)
	{
		for (int32_t s = 0; s < GPU_SCENE_COUNT; ++s)
		{
			bool isGroupSize = way == &curveWays[0], isQueue = way == &curveWays[1], isDepth = way == &curveWays[2];
			TreeFrame frame = {.enableSelf = s < 2};
			brGpuPairs_Init(&frame.pairs, gpu);
			brGpuBsp* bsp = openBsp(&frame.pairs);
			int32_t value = isGpu ? way->values[v] : way->values[v + 2 < way->count ? v + 2 : v];
			*(isGroupSize ? &bsp->groupSize
			  : isQueue   ? &bsp->queueCapacity
			  : isDepth   ? &bsp->depthStep
						  : &bsp->entryLevel) = value;
			openTreeFrame(&frame, &bodies[s], way->name, candidates[s]);
			double ms = 1e3 * brBench_Median(gpuBenchRuns(gpu) / 3, runTreeFrame, &frame);
			curve.x[s][curve.count] = value, curve.y[s][curve.count] = ms;
			brGpuPairs_Free(&frame.pairs);
		}
		curve.count += 1;
	}
	saveCurve(&curve, way->name, way->title, way->label, way->isLogX);
}

static void benchCurves(brGpu* gpu)
{
	Bodies bodies[GPU_SCENE_COUNT];
	int64_t candidates[GPU_SCENE_COUNT];
	for (int32_t s = 0; s < GPU_SCENE_COUNT; ++s)
	{
		bodies[s] = loadBodies(&gpuScenes[s]);
		candidates[s] = countCandidates(&bodies[s], s < 2); // bodies of the last do not cross themselves
	}
	for (size_t i = 0; i < sizeof(curveWays) / sizeof(curveWays[0]); ++i)
	{
		benchCurve(gpu, &curveWays[i], bodies, candidates);
	}
	for (int32_t s = 0; s < GPU_SCENE_COUNT; ++s)
	{
		freeBodies(&bodies[s]);
	}
}

void gpuBenchTrees(brBench* bench, brGpu* gpu)
{
	if (brBench_Wants(bench, "pipeline"))
	{
		benchPipeline(bench, gpu);
	}
	for (int32_t s = 0; s < GPU_SCENE_COUNT && brBench_Wants(bench, "bsp"); ++s)
	{
		benchBodies(bench, gpu, &gpuScenes[s]);
	}
	if (bench->only != NULL && strcmp(bench->only, "curves") == 0) // it writes files: only if asked
	{
		benchCurves(gpu);
	}
}

#endif
