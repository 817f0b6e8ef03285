// SPDX-License-Identifier: MIT
#pragma once

// Sorting on the device, and the running sums it needs.

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

/// Scratch that sorts keep from one to the next.
typedef struct brGpuSorter
{
	brGpuBuffer counts;
	brGpuBuffer sums;
} brGpuSorter;

/// Bits [low, high) of an item.
typedef struct brGpuKeyBits
{
	uint32_t low, high;
} brGpuKeyBits;

void brGpuSorter_Free(brGpu* gpu, brGpuSorter* sorter);

/// Exclusive running sums of `count` 32-bit numbers, in place.
void brGpu_Scan(brGpu* gpu, brGpuSorter* sorter, const brGpuBuffer* data, int64_t count);

/// Sorts 64-bit items by some of their bits, equal ones kept in order. How many there are stands in `counters` at
/// `counter` on the device and is at most `maxCount`. `buffers` take turns; the sorted one is buffers[return].
int32_t brGpu_Sort(brGpu* gpu, brGpuSorter* sorter, brGpuBuffer buffers[2], int32_t start, const brGpuBuffer* counters,
				   uint32_t counter, int64_t maxCount, brGpuKeyBits bits);

#endif
