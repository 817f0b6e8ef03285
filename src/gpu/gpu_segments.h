// SPDX-License-Identifier: MIT
#pragma once

// Sums over segments on the device.

#include "gpu/gpu_sort.h"

#ifdef BR_HAVE_OPENCL

typedef enum brGpuReduction
{
	br_gpuSum = 0, // modulo 2^32
	br_gpuMin = 1,
	br_gpuMax = 2,
} brGpuReduction;

/// Running sums of 32-bit numbers in place, those before each in its segment. A segment begins wherever `heads` is not
/// 0.
void brGpu_ScanSegments(brGpu* gpu, brGpuSorter* sorter, const brGpuBuffer* data, const brGpuBuffer* heads,
						int64_t count);

/// One number for each segment [starts[k], starts[k + 1]): `starts` has segmentCount + 1. Of nothing: 0, for a minimum
/// all bits.
void brGpu_ReduceSegments(brGpu* gpu, const brGpuBuffer* data, const brGpuBuffer* starts, int64_t segmentCount,
						  brGpuReduction kind, const brGpuBuffer* outResults);

/// One number of all, in outResult.
void brGpu_Reduce(brGpu* gpu, brGpuSorter* sorter, const brGpuBuffer* data, int64_t count, brGpuReduction kind,
				  const brGpuBuffer* outResult);

#endif
