// SPDX-License-Identifier: MIT

#include "gpu/gpu_sort.h"

#ifdef BR_HAVE_OPENCL

enum
{
	sortGroup = 256,
	sortTile = 2048,    // SORT_TILE of sort.cl
	sortDigitBits = 8,  //
	sortDigits = 256,   //
	sortFewTiles = 128, // so many add up their counts themselves
	scanTile = 2048,    // SCAN_TILE of scan.cl
};

void brGpuSorter_Free(brGpu* gpu, brGpuSorter* sorter)
{
	brGpu_Free(gpu, &sorter->counts);
	brGpu_Free(gpu, &sorter->sums);
}

void brGpu_Scan(brGpu* gpu, brGpuSorter* sorter, const brGpuBuffer* data, int64_t count)
{
	int64_t tiles = (count + scanTile - 1) / scanTile;
	brGpu_Ensure(gpu, &sorter->sums, tiles, sizeof(cl_uint));
	brGpuArg args[3] = {brBufferArg(data), brUintArg((uint32_t)count), brBufferArg(&sorter->sums)};
	brGpu_Run(gpu, kernel_brk_scanSums, tiles, sortGroup, args, 3);
	brGpu_Run(gpu, kernel_brk_scanTops, 1, sortGroup,
			  (brGpuArg[]){brBufferArg(&sorter->sums), brUintArg((uint32_t)tiles)}, 2);
	brGpu_Run(gpu, kernel_brk_scanTiles, tiles, sortGroup, args, 3);
}

int32_t brGpu_Sort(brGpu* gpu, brGpuSorter* sorter, brGpuBuffer buffers[2], int32_t start, const brGpuBuffer* counters,
				   uint32_t counter, int64_t maxCount, brGpuKeyBits bits)
{
	int64_t tiles = (maxCount + sortTile - 1) / sortTile;
	bool isSummed = tiles > sortFewTiles;
	brGpu_Ensure(gpu, &sorter->counts, tiles * sortDigits, sizeof(cl_uint));
	int32_t from = start;
	for (uint32_t shift = bits.low; shift < bits.high; shift += sortDigitBits)
	{
		brGpu_Run(gpu, kernel_brk_sortCount, tiles, sortGroup,
				  (brGpuArg[]){brBufferArg(&buffers[from]), brBufferArg(counters), brUintArg(counter), brUintArg(shift),
							   brBufferArg(&sorter->counts), brUintArg((uint32_t)tiles)},
				  6);
		if (isSummed)
		{
			brGpu_Scan(gpu, sorter, &sorter->counts, tiles * sortDigits);
		}
		brGpu_Run(gpu, kernel_brk_sortScatter, tiles, sortGroup,
				  (brGpuArg[]){brBufferArg(&buffers[from]), brBufferArg(&buffers[1 - from]), brBufferArg(counters),
							   brUintArg(counter), brUintArg(shift), brBufferArg(&sorter->counts),
							   brUintArg((uint32_t)tiles), brUintArg(isSummed)},
				  8);
		from = 1 - from;
	}
	return from;
}

#endif
