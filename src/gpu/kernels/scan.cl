// SPDX-License-Identifier: MIT

// Running sums of 32-bit numbers: sums of tiles, running sums of those by one group, then each tile for itself.
// Three passes over n numbers, 2 n reads and n writes. Exclusive, in place.

#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define SCAN_GROUP 256
#define SCAN_EACH 8
#define SCAN_TILE (SCAN_GROUP * SCAN_EACH)

__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void brk_clear(__global uint* data, uint count)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		data[i] = 0;
	}
}

// Threads of a strip of 32 wait for each other: a strip is a warp of NVIDIA's devices, whose compiler takes PTX.
#ifdef BR_NVIDIA
#define SCAN_STRIP_SYNC asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define SCAN_STRIP_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif

// Sum of all lower threads' values; `total` gets everybody's. All threads of the group must call. Strips first, each
// for itself.
inline uint scanGroup(uint value, __local uint* scratch, uint* total)
{
	const uint t = get_local_id(0), lane = t & 31;
	uint sum = value;
	scratch[t] = sum;
	SCAN_STRIP_SYNC;
	for (uint step = 1; step < 32; step <<= 1)
	{
		uint lower = lane >= step ? scratch[t - step] : 0u;
		SCAN_STRIP_SYNC;
		sum += lower;
		scratch[t] = sum;
		SCAN_STRIP_SYNC;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	uint before = 0, all = 0;
	for (uint strip = 0; strip < SCAN_GROUP / 32; ++strip)
	{
		uint here = scratch[32 * strip + 31];
		before += strip < t >> 5 ? here : 0u;
		all += here;
	}
	*total = all;
	barrier(CLK_LOCAL_MEM_FENCE);
	return before + sum - value;
}

// One group a tile.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void brk_scanSums(__global const uint* data, uint count,
																				   __global uint* sums)
{
	__local uint scratch[SCAN_GROUP];
	const uint first = get_group_id(0) * SCAN_TILE;
	uint sum = 0;
	for (uint k = 0; k < SCAN_EACH; ++k)
	{
		uint i = first + k * SCAN_GROUP + get_local_id(0);
		sum += i < count ? data[i] : 0u;
	}
	uint total;
	scanGroup(sum, scratch, &total);
	if (get_local_id(0) == 0)
	{
		sums[get_group_id(0)] = total;
	}
}

// One group for all tiles.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void brk_scanTops(__global uint* sums, uint count)
{
	__local uint scratch[SCAN_GROUP];
	uint before = 0;
	for (uint first = 0; first < count; first += SCAN_GROUP)
	{
		uint i = first + get_local_id(0);
		uint value = i < count ? sums[i] : 0u;
		uint total;
		uint place = scanGroup(value, scratch, &total);
		if (i < count)
		{
			sums[i] = before + place;
		}
		before += total;
	}
}

// One group a tile; each thread takes neighbors, so that its share is one run.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void brk_scanTiles(__global uint* data, uint count,
																					__global const uint* sums)
{
	__local uint scratch[SCAN_GROUP];
	const uint first = get_group_id(0) * SCAN_TILE + get_local_id(0) * SCAN_EACH;
	uint values[SCAN_EACH];
	uint sum = 0;
	for (uint k = 0; k < SCAN_EACH; ++k)
	{
		values[k] = first + k < count ? data[first + k] : 0u;
		sum += values[k];
	}
	uint total;
	uint place = sums[get_group_id(0)] + scanGroup(sum, scratch, &total);
	for (uint k = 0; k < SCAN_EACH; ++k)
	{
		if (first + k < count)
		{
			data[first + k] = place;
		}
		place += values[k];
	}
}
