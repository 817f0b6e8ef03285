// SPDX-License-Identifier: MIT

// Sums over segments: running sums that begin anew at every head, and one number for each segment.
//
// A running sum with heads is a running sum of pairs (is there a head, sum since the last one), which can be put
// together from tiles just as plain sums can: tiles, tops, tiles, as scan.cl. 32-bit numbers; sums are taken modulo
// 2^32.

#define SEGMENT_GROUP 256
#define SEGMENT_EACH 8
#define SEGMENT_TILE (SEGMENT_GROUP * SEGMENT_EACH)
#define SEGMENT_STRIP 32 // threads for a segment of brk_reduceSegments

// (has a head, sum since it) of all lower threads; `total` gets everybody's. All threads of the group must call.
inline uint2 segmentScanGroup(uint2 value, __local uint2* scratch, uint2* total)
{
	const uint t = get_local_id(0);
	uint2 sum = value;
	scratch[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 1; step < SEGMENT_GROUP; step <<= 1)
	{
		uint2 lower = t >= step ? scratch[t - step] : (uint2)(0);
		barrier(CLK_LOCAL_MEM_FENCE);
		sum = (uint2)(lower.x | sum.x, sum.x != 0 ? sum.y : lower.y + sum.y);
		scratch[t] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	*total = scratch[SEGMENT_GROUP - 1];
	uint2 before = t > 0 ? scratch[t - 1] : (uint2)(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	return before;
}

// One group a tile.
__kernel __attribute__((reqd_work_group_size(SEGMENT_GROUP, 1, 1))) void
brk_segmentSums(__global const uint* data, __global const uint* heads, uint count, __global uint2* sums)
{
	__local uint2 scratch[SEGMENT_GROUP];
	const uint first = (get_group_id(0) * SEGMENT_GROUP + get_local_id(0)) * SEGMENT_EACH;
	uint2 sum = (uint2)(0), total;
	for (uint k = 0; k < SEGMENT_EACH && first + k < count; ++k)
	{
		bool isHead = heads[first + k] != 0;
		sum = (uint2)(isHead ? 1u : sum.x, (isHead ? 0u : sum.y) + data[first + k]);
	}
	segmentScanGroup(sum, scratch, &total);
	if (get_local_id(0) == 0)
	{
		sums[get_group_id(0)] = total;
	}
}

// One group for all tiles.
__kernel __attribute__((reqd_work_group_size(SEGMENT_GROUP, 1, 1))) void brk_segmentTops(__global uint2* sums, uint count)
{
	__local uint2 scratch[SEGMENT_GROUP];
	uint before = 0;
	for (uint first = 0; first < count; first += SEGMENT_GROUP)
	{
		uint i = first + get_local_id(0);
		uint2 value = i < count ? sums[i] : (uint2)(0), total;
		uint2 place = segmentScanGroup(value, scratch, &total);
		if (i < count)
		{
			sums[i] = (uint2)(0, place.x != 0 ? place.y : before + place.y);
		}
		before = total.x != 0 ? total.y : before + total.y;
	}
}

// One group a tile; each thread takes neighbours.
__kernel __attribute__((reqd_work_group_size(SEGMENT_GROUP, 1, 1))) void
brk_segmentTiles(__global uint* data, __global const uint* heads, uint count, __global const uint2* sums)
{
	__local uint2 scratch[SEGMENT_GROUP];
	const uint first = (get_group_id(0) * SEGMENT_GROUP + get_local_id(0)) * SEGMENT_EACH;
	uint values[SEGMENT_EACH], isHead[SEGMENT_EACH];
	uint2 sum = (uint2)(0), total;
	for (uint k = 0; k < SEGMENT_EACH; ++k)
	{
		values[k] = first + k < count ? data[first + k] : 0u;
		isHead[k] = first + k < count ? heads[first + k] : 0u;
		sum = (uint2)(isHead[k] != 0 ? 1u : sum.x, (isHead[k] != 0 ? 0u : sum.y) + values[k]);
	}
	uint2 before = segmentScanGroup(sum, scratch, &total);
	uint place = before.x != 0 ? before.y : sums[get_group_id(0)].y + before.y;
	for (uint k = 0; k < SEGMENT_EACH; ++k)
	{
		place = isHead[k] != 0 ? 0u : place;
		if (first + k < count)
		{
			data[first + k] = place;
		}
		place += values[k];
	}
}

inline uint segmentJoin(uint a, uint b, uint kind)
{
	return kind == 0 ? a + b : kind == 1 ? min(a, b) : max(a, b);
}

// One number for each segment [starts[k], starts[k + 1]), or for each `length` of `count` numbers if that is not 0.
// kind: 0 sum, 1 minimum, 2 maximum; of nothing 0, all bits, 0. A strip of 32 threads a segment.
__kernel __attribute__((reqd_work_group_size(SEGMENT_GROUP, 1, 1))) void
brk_reduceSegments(__global const uint* data, __global const uint* starts, uint length, uint count, uint segmentCount,
				   uint kind, __global uint* results)
{
	__local uint scratch[SEGMENT_GROUP];
	const uint t = get_local_id(0), lane = t % SEGMENT_STRIP;
	const uint segment = get_group_id(0) * (SEGMENT_GROUP / SEGMENT_STRIP) + t / SEGMENT_STRIP;
	uint begin = 0, end = 0;
	if (segment < segmentCount)
	{
		begin = length > 0 ? segment * length : starts[segment];
		end = length > 0 ? min(begin + length, count) : starts[segment + 1];
	}
	uint value = kind == 1 ? 0xFFFFFFFFu : 0u;
	for (uint i = begin + lane; i < end; i += SEGMENT_STRIP)
	{
		value = segmentJoin(value, data[i], kind);
	}
	scratch[t] = value;
	for (uint step = SEGMENT_STRIP / 2; step > 0; step /= 2)
	{
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < step)
		{
			scratch[t] = segmentJoin(scratch[t], scratch[t + step], kind);
		}
	}
	if (lane == 0 && segment < segmentCount)
	{
		results[segment] = scratch[t];
	}
}
