// SPDX-License-Identifier: MIT
#pragma once

// The parts of `brittle-bench gpu`. Each checks its answers against the CPU's first, then prints rows, and on stderr
// how long each kernel took.

#include "bench.h"
#include "brittle/mesh.h"
#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

/// Runs of a median on this device.
static inline int32_t gpuBenchRuns(const brGpu* gpu)
{
	return gpu->info.kind == br_gpuKindGpu ? 63 : 3;
}

/// Times of kernels while `call` runs ten times, on stderr.
void gpuBenchProfile(brGpu* gpu, void (*call)(void* user), void* user);

/// The published scenes: cloth-ball, funnel, n-body; then cloths with as many triangles as scenes that are not.
#define GPU_SCENE_COUNT 3
#define GPU_TABLE_COUNT 7

typedef struct GpuScene
{
	const char* name;
	const char* file;
	const char* motion; // made instead if the file is not there
	double frame;
	int32_t resolution;   // of what is made; 0: its own
	int64_t candidates;   // of the file, all in one tree
	double printed;       // thesis tables 3.2 and 3.3, whole frame on a GTX 1080 [ms]
	double printedMemory; // and its memory while it runs, 0: not printed [MB]
} GpuScene;

extern const GpuScene gpuScenes[GPU_TABLE_COUNT];

/// The caller destroys it.
brMesh* gpuBenchLoad(const GpuScene* scene, bool* outIsPublic);

void gpuBenchFront(brBench* bench, brGpu* gpu);
void gpuBenchKdet(brBench* bench, brGpu* gpu);
void gpuBenchTrees(brBench* bench, brGpu* gpu);
void gpuBenchVoronoi(brBench* bench, brGpu* gpu);
void gpuBenchBreak(brBench* bench, brGpu* gpu);
void gpuBenchStep(brBench* bench, brGpu* gpu);
void gpuBenchElastic(brBench* bench, brGpu* gpu);

#endif
