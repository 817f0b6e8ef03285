// SPDX-License-Identifier: MIT

#include "gpu/gpu_segments.h"

#ifdef BR_HAVE_OPENCL

enum
{
	segmentGroup = 256,   // SEGMENT_GROUP of segments.cl
	segmentTile = 2048,   // SEGMENT_TILE
	segmentAGroup = 8,    // segments that a group of brk_reduceSegments takes
	segmentLength = 2048, // numbers that a strip of it adds up when there are no segments
};

void brGpu_ScanSegments(brGpu* gpu, brGpuSorter* sorter, const brGpuBuffer* data, const brGpuBuffer* heads,
						int64_t count)
{
	int64_t tiles = (count + segmentTile - 1) / segmentTile;
	brGpu_Ensure(gpu, &sorter->sums, tiles, sizeof(cl_uint2));
	brGpuArg args[4] = {brBufferArg(data), brBufferArg(heads), brUintArg((uint32_t)count), brBufferArg(&sorter->sums)};
	brGpu_Run(gpu, kernel_brk_segmentSums, tiles, segmentGroup, args, 4);
	brGpu_Run(gpu, kernel_brk_segmentTops, 1, segmentGroup,
			  (brGpuArg[]){brBufferArg(&sorter->sums), brUintArg((uint32_t)tiles)}, 2);
	brGpu_Run(gpu, kernel_brk_segmentTiles, tiles, segmentGroup, args, 4);
}

static void segmentReduce(brGpu* gpu, const brGpuBuffer* data, const brGpuBuffer* starts, uint32_t length,
						  int64_t count, int64_t segmentCount, brGpuReduction kind, const brGpuBuffer* results)
{
	brGpu_Run(gpu, kernel_brk_reduceSegments, (segmentCount + segmentAGroup - 1) / segmentAGroup, segmentGroup,
			  (brGpuArg[]){brBufferArg(data), brBufferArg(starts), brUintArg(length), brUintArg((uint32_t)count),
						   brUintArg((uint32_t)segmentCount), brUintArg((uint32_t)kind), brBufferArg(results)},
			  7);
}

void brGpu_ReduceSegments(brGpu* gpu, const brGpuBuffer* data, const brGpuBuffer* starts, int64_t segmentCount,
						  brGpuReduction kind, const brGpuBuffer* outResults)
{
	segmentReduce(gpu, data, starts, 0, 0, segmentCount, kind, outResults);
}

// Strips of a fixed length, and strips of their results, until one is left; two places take turns.
void brGpu_Reduce(brGpu* gpu, brGpuSorter* sorter, const brGpuBuffer* data, int64_t count, brGpuReduction kind,
				  const brGpuBuffer* outResult)
{
	int64_t strips = (count + segmentLength - 1) / segmentLength;
	brGpu_Ensure(gpu, &sorter->sums, strips, sizeof(uint32_t));
	brGpu_Ensure(gpu, &sorter->counts, strips, sizeof(uint32_t));
	const brGpuBuffer* from = data;
	for (int32_t turn = 0;; ++turn)
	{
		const brGpuBuffer* to = strips <= 1 ? outResult : turn % 2 == 0 ? &sorter->sums : &sorter->counts;
		segmentReduce(gpu, from, from, segmentLength, count, strips > 0 ? strips : 1, kind, to);
		if (strips <= 1)
		{
			return;
		}
		from = to;
		count = strips;
		strips = (count + segmentLength - 1) / segmentLength;
	}
}

#endif
