// SPDX-License-Identifier: MIT

#include "gpu/gpu_sort.h"

#ifdef BR_HAVE_OPENCL

enum
{
	sortGroup = 256,
	sortTile = 3072,     // SORT_TILE of sort.cl
	sortDigitBits = 8,   //
	sortDigits = 256,    //
	sortFewTiles = 128,  // so many add up their counts themselves, and count for the next pass
	sortSets = 3,        // of counts
	sortLast = 64,       // SORT_LAST
	sortNotCounted = 65, // SORT_NOT_COUNTED
};

void brGpuSorter_Free(brGpu* gpu, brGpuSorter* sorter)
{
	brGpu_Free(gpu, &sorter->counts);
}

// Where a set of counts begins.
static uint32_t sortCountsAt(const brGpuSorter* sorter, int32_t set)
{
	return (uint32_t)((set % sortSets) * (sorter->tiles + 1) * sortDigits);
}

brGpuSortCounts brGpu_BeginSort(brGpu* gpu, brGpuSorter* sorter, int64_t maxCount)
{
	int64_t tiles = (maxCount + sortTile - 1) / sortTile, size = (tiles + 1) * sortDigits;
	bool isCounted = tiles <= sortFewTiles;
	brGpu_Ensure(gpu, &sorter->counts, (isCounted ? sortSets : 1) * size, sizeof(cl_uint));
	if (!isCounted || sorter->tiles != tiles || !sorter->isCounted)
	{
		// Sets lie elsewhere, or are not what passes leave: all are emptied.
		sorter->tiles = tiles;
		sorter->isCounted = isCounted;
		sorter->set = 0;
		if (isCounted)
		{
			brGpu_Clear(gpu, &sorter->counts, sortSets * size);
		}
	}
	return (brGpuSortCounts){&sorter->counts, sortCountsAt(sorter, sorter->set), (uint32_t)tiles, sortTile, isCounted};
}

static void sortCount(brGpu* gpu, const brGpuSorter* sorter, const brGpuBuffer* items, const brGpuBuffer* counters,
					  uint32_t counter, uint32_t shift, int32_t set)
{
	BR_GPU_RUN(gpu, kernel_brk_sortCount, sorter->tiles, sortGroup, brBufferArg(items), brBufferArg(counters),
			   brUintArg(counter), brUintArg(shift), brBufferArg(&sorter->counts), brUintArg(sortCountsAt(sorter, set)),
			   brUintArg((uint32_t)sorter->tiles));
}

int32_t brGpu_SortCounted(brGpu* gpu, brGpuSorter* sorter, brGpuBuffer buffers[2], int32_t start,
						  const brGpuBuffer* counters, uint32_t counter, brGpuKeyBits bits)
{
	bool isCounted = sorter->isCounted;
	int32_t from = start, set = sorter->set;
	for (uint32_t shift = bits.low; shift < bits.high; shift += sortDigitBits)
	{
		bool isLast = shift + sortDigitBits >= bits.high;
		uint32_t next = !isCounted ? sortNotCounted : isLast ? sortLast : shift + sortDigitBits;
		if (!isCounted && shift > bits.low)
		{
			sortCount(gpu, sorter, &buffers[from], counters, counter, shift, set);
		}
		if (!isCounted)
		{
			BR_GPU_RUN(gpu, kernel_brk_sortStarts, sortDigits, sortGroup, brBufferArg(&sorter->counts),
					   brUintArg(sortCountsAt(sorter, set)), brUintArg((uint32_t)sorter->tiles));
		}
		BR_GPU_RUN(gpu, kernel_brk_sortScatter, sorter->tiles, sortGroup, brBufferArg(&buffers[from]),
				   brBufferArg(&buffers[1 - from]), brBufferArg(counters), brUintArg(counter), brUintArg(shift),
				   brBufferArg(&sorter->counts), brUintArg(sortCountsAt(sorter, set)),
				   brUintArg(sortCountsAt(sorter, set + 1)), brUintArg(sortCountsAt(sorter, set + 2)), brUintArg(next),
				   brUintArg((uint32_t)sorter->tiles), brUintArg(!isCounted));
		from = 1 - from;
		set += isCounted ? 1 : 0;
	}
	// The set after the last one that was read is empty, and so is the one after that.
	sorter->set = set % sortSets;
	sorter->isCounted = isCounted && gpu->trouble == CL_SUCCESS;
	return from;
}

int32_t brGpu_Sort(brGpu* gpu, brGpuSorter* sorter, brGpuBuffer buffers[2], int32_t start, const brGpuBuffer* counters,
				   uint32_t counter, int64_t maxCount, brGpuKeyBits bits)
{
	brGpu_BeginSort(gpu, sorter, maxCount);
	if (bits.low < bits.high)
	{
		sortCount(gpu, sorter, &buffers[start], counters, counter, bits.low, sorter->set);
	}
	return brGpu_SortCounted(gpu, sorter, buffers, start, counters, counter, bits);
}

#endif
