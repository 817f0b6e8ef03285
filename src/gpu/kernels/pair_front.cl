// SPDX-License-Identifier: MIT

// A front that is kept: all pairs of boxes that were made larger by a margin. While every box lies in its larger one,
// the pairs that overlap are among those of the front, so a frame is two launches: boxes, and a look at each pair.
//
// Leaves hold the larger boxes and their elements. Pairs of elements that share a corner always overlap, so a front
// without them stays without them and their number stays as it was.

#define FRONT_GROUP 256
#define FRONT_EACH 4 // pairs a thread and turn
#define FRONT_TILE (FRONT_GROUP * FRONT_EACH)

// Boxes of this frame, by element. What left its larger box is counted; counters of the pairs are emptied for the next
// kernel.
__kernel __attribute__((reqd_work_group_size(FRONT_GROUP, 1, 1))) void
brk_frontBoxes(__global const float4* leaves, __global const void* vertices, uint arePositions,
			   __global const int* corners, uint cornersEach, uint count, __global float4* boxes,
			   volatile __global uint* state, uint counter, uint counterCount, uint escaped)
{
	if (get_global_id(0) < counterCount)
	{
		state[counter + get_global_id(0)] = 0;
	}
	for (uint leaf = get_global_id(0); leaf < count; leaf += get_global_size(0))
	{
		float4 fatLower = leaves[2 * leaf], fatUpper = leaves[2 * leaf + 1], lower, upper;
		const uint element = as_uint(fatLower.w);
		treeElementBox(vertices, arePositions, corners, cornersEach, element, &lower, &upper);
		boxes[2 * element] = lower;
		boxes[2 * element + 1] = upper;
		bool isInside = lower.x >= fatLower.x && lower.y >= fatLower.y && lower.z >= fatLower.z &&
						upper.x <= fatUpper.x && upper.y <= fatUpper.y && upper.z <= fatUpper.z;
		if (!isInside)
		{
			atomic_or(&state[escaped], 1u);
		}
	}
}

// Pairs of the front whose boxes overlap in this frame. The front's length is in the state too; what is beyond the
// capacity is counted and not written.
__kernel __attribute__((reqd_work_group_size(FRONT_GROUP, 1, 1))) void
brk_frontPairs(__global const ulong* front, uint frontCapacity, uint frontCounter, __global const float4* boxes,
			   __global ulong* pairs, uint capacity, volatile __global uint* state, uint counter,
			   uint escaped)
{
	__local uint foundCount;
	__local ulong run;
	const uint t = get_local_id(0);
	uint count = state[frontCounter + 1] != 0 ? frontCapacity : min(state[frontCounter], frontCapacity);
	count = state[escaped] != 0 ? 0u : count; // this frame will be made again
	for (uint start = get_group_id(0) * FRONT_TILE; start < count; start += get_num_groups(0) * FRONT_TILE)
	{
		if (t == 0)
		{
			foundCount = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		ulong mine[FRONT_EACH];
		uint hits = 0;
#pragma unroll
		for (uint k = 0; k < FRONT_EACH; ++k)
		{
			uint i = start + k * FRONT_GROUP + t;
			mine[k] = i < count ? front[i] : 0ul;
		}
#pragma unroll
		for (uint k = 0; k < FRONT_EACH; ++k)
		{
			uint a = (uint)(mine[k] >> 32), b = (uint)mine[k]; // a < b but for what is beyond the end
			bool isHit = pairOverlaps(boxes[2 * a], boxes[2 * a + 1], boxes[2 * b], boxes[2 * b + 1]) && a != b;
			hits |= (isHit ? 1u : 0u) << k;
		}
		uint slot = hits != 0 ? atomic_add(&foundCount, popcount(hits)) : 0u;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0 && foundCount > 0)
		{
			run = pairReserve(state, counter, foundCount);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		ulong place = hits != 0 ? run + slot : 0ul;
#pragma unroll
		for (uint k = 0; k < FRONT_EACH; ++k)
		{
			if ((hits >> k & 1u) != 0)
			{
				if (place < capacity)
				{
					pairs[place] = mine[k];
				}
				place += 1;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
