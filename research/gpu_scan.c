// SPDX-License-Identifier: MIT

#include "research/gpu_scan.h"

#ifdef BR_HAVE_OPENCL

enum
{
	scanGroup = 256,
	scanTile = 2048, // SCAN_TILE of scan.cl
};

void brGpu_Scan(brGpu* gpu, brGpuBuffer* tileSums, const brGpuBuffer* data, int64_t count)
{
	int64_t tiles = (count + scanTile - 1) / scanTile;
	brGpu_Ensure(gpu, tileSums, tiles, sizeof(cl_uint));
	brGpuArg args[3] = {brBufferArg(data), brUintArg((uint32_t)count), brBufferArg(tileSums)};
	brGpu_Run(gpu, kernel_brk_scanSums, tiles, scanGroup, args, 3);
	BR_GPU_RUN(gpu, kernel_brk_scanTops, 1, scanGroup, brBufferArg(tileSums), brUintArg((uint32_t)tiles));
	brGpu_Run(gpu, kernel_brk_scanTiles, tiles, scanGroup, args, 3);
}

#endif
