// SPDX-License-Identifier: MIT
#pragma once

// The parts of `brittle-bench gpu`. Each checks its answers against the CPU's first, then prints rows, and on stderr how long each kernel took.

#include "bench.h"
#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

/// Runs of a median on this device.
static inline int32_t gpuBenchRuns(const brGpu* gpu)
{
	return gpu->info.kind == br_gpuKindGpu ? 63 : 3;
}

/// Times of kernels while `call` runs ten times, on stderr.
void gpuBenchProfile(brGpu* gpu, void (*call)(void* user), void* user);

void gpuBenchKdet(brBench* bench, brGpu* gpu);
void gpuBenchVoronoi(brBench* bench, brGpu* gpu);

#endif
