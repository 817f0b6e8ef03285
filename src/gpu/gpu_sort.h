// SPDX-License-Identifier: MIT
#pragma once

// Sorting on the device.

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

/// Scratch that sorts keep from one to the next.
typedef struct brGpuSorter
{
	brGpuBuffer counts; // of digits, in one set or three
	int64_t tiles;      // of the last sort
	int32_t set;        // number of the first empty set of counts; the next one is empty too
	bool isCounted;     // each pass counts digits for the next one
} brGpuSorter;

/// Where a kernel that makes items may count their first digits (bits.low and the seven above it): item i in
/// counts[at + digit * tiles + i / tile], by an atomic addition each.
typedef struct brGpuSortCounts
{
	const brGpuBuffer* counts;
	uint32_t at, tiles, tile;
	bool isWanted; // false: the kernel must not count
} brGpuSortCounts;

/// Bits [low, high) of an item.
typedef struct brGpuKeyBits
{
	uint32_t low, high;
} brGpuKeyBits;

void brGpuSorter_Free(brGpu* gpu, brGpuSorter* sorter);

/// Sorts 64-bit items by some of their bits, equal ones kept in order. How many there are stands in `counters` at
/// `counter` on the device and is at most `maxCount`. `buffers` take turns; the sorted one is buffers[return].
int32_t brGpu_Sort(brGpu* gpu, brGpuSorter* sorter, brGpuBuffer buffers[2], int32_t start, const brGpuBuffer* counters,
				   uint32_t counter, int64_t maxCount, brGpuKeyBits bits);

/// The same in two parts, for items whose kernel counts their first digits; run that kernel between the two. If
/// isWanted is false, use brGpu_Sort.
brGpuSortCounts brGpu_BeginSort(brGpu* gpu, brGpuSorter* sorter, int64_t maxCount);
int32_t brGpu_SortCounted(brGpu* gpu, brGpuSorter* sorter, brGpuBuffer buffers[2], int32_t start,
						  const brGpuBuffer* counters, uint32_t counter, brGpuKeyBits bits);

#endif
