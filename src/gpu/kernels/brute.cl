// SPDX-License-Identifier: MIT

// All overlapping pairs of boxes by testing all pairs, in the two ways of Mirzayousef Jadid 2023, chapter 6: a thread
// for each element that looks at all behind it, and a thread for each pair. Boxes are those of brk_gridBoxes. Any group
// size up to BRUTE_TILE; counters and what is too long as brk_gridPairs. n^2 / 2 tests: here to be compared with.

#define BRUTE_TILE 256 // boxes in local memory

typedef struct BruteBox
{
	float4 lower, upper; // with the element and its object
} BruteBox;

// Whether two boxes are a pair that was asked for; it goes to the list unless they are neighbors that stay out.
inline bool bruteMeet(const GridList* list, BruteBox a, BruteBox b, uint flags, __global const int* corners, uint cornersEach)
{
	const bool isSame = as_uint(a.upper.w) == as_uint(b.upper.w);
	if ((flags & (isSame ? PAIR_SELF : PAIR_INTER)) == 0 || !pairOverlaps(a.lower, a.upper, b.lower, b.upper))
	{
		return false;
	}
	const ulong pair = pairName(as_uint(a.lower.w), as_uint(b.lower.w));
	if ((flags & PAIR_DROP_NEIGHBORS) == 0 || !pairAreNeighbors(corners, cornersEach, pair))
	{
		gridEmit(list, pair);
	}
	return true;
}

// A thread for each element. The group reads boxes into local memory, as many as it has threads at a time.
__kernel void brk_bruteElements(__global const float4* boxes, __global const int* corners, uint cornersEach, uint count,
								uint flags, __global ulong* pairs, uint capacity, volatile __global uint* state,
								uint counter)
{
	__local GridFound found;
	__local BruteBox tile[BRUTE_TILE];
	const GridList list = {&found, pairs, capacity, state, counter};
	const uint t = get_local_id(0), groupSize = get_local_size(0), mine = get_global_id(0);
	BruteBox own = {(float4)(0.0f), (float4)(0.0f)};
	if (mine < count)
	{
		own.lower = boxes[2 * mine];
		own.upper = boxes[2 * mine + 1];
	}
	gridBeginList(&list);
	uint overlaps = 0;
	for (uint first = get_group_id(0) * groupSize; first < count; first += groupSize)
	{
		if (first + t < count)
		{
			tile[t].lower = boxes[2 * (first + t)];
			tile[t].upper = boxes[2 * (first + t) + 1];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint end = min(groupSize, count - first), begin = mine >= first ? mine + 1 - first : 0u;
		for (uint i = begin; i < end && mine < count; ++i)
		{
			overlaps += bruteMeet(&list, own, tile[i], flags, corners, cornersEach) ? 1u : 0u;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	gridEndList(&list, overlaps);
}

// A thread for each pair.
__kernel void brk_brutePairs(__global const float4* boxes, __global const int* corners, uint cornersEach, uint count,
							 uint flags, __global ulong* pairs, uint capacity, volatile __global uint* state,
							 uint counter)
{
	__local GridFound found;
	const GridList list = {&found, pairs, capacity, state, counter};
	const ulong pair = get_global_id(0), all = (ulong)count * (count - 1) / 2;
	gridBeginList(&list);
	uint overlaps = 0;
	if (pair < all)
	{
		const uint2 which = pairTriangle(pair); // of pairs i >= j: one more makes it i > j
		const uint i = which.x + 1, j = which.y;
		const BruteBox a = {boxes[2 * i], boxes[2 * i + 1]}, b = {boxes[2 * j], boxes[2 * j + 1]};
		overlaps = bruteMeet(&list, a, b, flags, corners, cornersEach) ? 1u : 0u;
	}
	gridEndList(&list, overlaps);
}
