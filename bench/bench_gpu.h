// SPDX-License-Identifier: MIT
#pragma once

// Parts of the device's benchmark that live in files of their own.

#include "bench.h"
#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

/// Time of each kernel since profiling was switched on, over `runs` frames.
void brBench_PrintProfile(const brGpu* gpu, int32_t runs);

void brBench_GpuVoronoi(brBench* bench, brGpu* gpu);

#endif
