// SPDX-License-Identifier: MIT

// Stable radix sort of 64-bit items by eight bits a pass: digits counted tile by tile, counts to places, items to
// places.
//
// Inside a tile the rank of an item among its equals comes from words of 32 threads ("strips"): each thread sets its
// bit in the word of its strip and digit, and counts the bits below its own. Barriers alone keep order; no thread waits
// for another group. Items go through local memory into digit order first, so that neighbors write to neighbors.
//
// Counts lie digit by digit, within a digit tile by tile: their running sums are the places. Few tiles add up what they
// need themselves, which saves three launches. 26 KiB of local memory.

#define SORT_GROUP 256
#define SORT_EACH 8
#define SORT_TILE (SORT_GROUP * SORT_EACH)
#define SORT_DIGITS 256
#define SORT_STRIPS (SORT_GROUP / 32)

inline uint sortDigit(ulong item, uint shift)
{
	return (uint)(item >> shift) & (SORT_DIGITS - 1);
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
brk_sortCount(__global const ulong* items, __global const uint* counters, uint counter, uint shift,
			  __global uint* counts, uint tileCount)
{
	__local uint digits[SORT_DIGITS];
	const uint t = get_local_id(0), tile = get_group_id(0);
	const uint count = counters[counter];
	digits[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		uint i = tile * SORT_TILE + k * SORT_GROUP + t;
		if (i < count)
		{
			atomic_inc(&digits[sortDigit(items[i], shift)]);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	counts[t * tileCount + tile] = digits[t];
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
brk_sortScatter(__global const ulong* items, __global ulong* sorted, __global const uint* counters, uint counter,
				uint shift, __global const uint* counts, uint tileCount, uint isSummed)
{
	__local ulong pool[SORT_TILE];
	__local uint stripCounts[SORT_STRIPS * SORT_DIGITS];
	__local uint digitStarts[SORT_DIGITS]; // in the tile
	__local uint digitPlaces[SORT_DIGITS]; // in the result
	__local uint scratch[SORT_GROUP];
	__local uint* masks = (__local uint*)pool; // [2][SORT_STRIPS][SORT_DIGITS], before the pool holds items
	const uint t = get_local_id(0), tile = get_group_id(0), strip = t >> 5, lane = t & 31;
	const uint count = counters[counter];
	if (tile * SORT_TILE >= count)
	{
		return;
	}

	for (uint k = 0; k < SORT_STRIPS; ++k)
	{
		masks[k * SORT_DIGITS + t] = 0;
		masks[(SORT_STRIPS + k) * SORT_DIGITS + t] = 0;
		stripCounts[k * SORT_DIGITS + t] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	// Ranks within the strip. Two sets of words take turns: one is emptied while the other fills.
	ulong mine[SORT_EACH];
	uint ranks[SORT_EACH];
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		uint i = tile * SORT_TILE + strip * (32 * SORT_EACH) + k * 32 + lane;
		bool isThere = i < count;
		mine[k] = isThere ? items[i] : 0;
		uint slot = strip * SORT_DIGITS + sortDigit(mine[k], shift);
		__local uint* word = &masks[(k & 1) * SORT_STRIPS * SORT_DIGITS + slot];
		if (isThere)
		{
			atomic_or(word, 1u << lane);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		uint mask = *word;
		uint below = popcount(mask & ((1u << lane) - 1u));
		ranks[k] = stripCounts[slot] + below;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (isThere && below == 0)
		{
			stripCounts[slot] += popcount(mask);
			*word = 0;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	// Thread t looks after digit t: strips, tile, result.
	uint inTile = 0;
	for (uint k = 0; k < SORT_STRIPS; ++k)
	{
		uint here = stripCounts[k * SORT_DIGITS + t];
		stripCounts[k * SORT_DIGITS + t] = inTile;
		inTile += here;
	}
	uint total;
	uint start = scanGroup(inTile, scratch, &total);
	digitStarts[t] = start;
	if (isSummed)
	{
		digitPlaces[t] = counts[t * tileCount + tile];
	}
	else
	{
		uint before = 0, all = 0;
		for (uint k = 0; k < tileCount; ++k)
		{
			uint here = counts[t * tileCount + k];
			before += k < tile ? here : 0u;
			all += here;
		}
		digitPlaces[t] = scanGroup(all, scratch, &total) + before;
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint k = 0; k < SORT_EACH; ++k)
	{
		uint i = tile * SORT_TILE + strip * (32 * SORT_EACH) + k * 32 + lane;
		if (i < count)
		{
			uint digit = sortDigit(mine[k], shift);
			pool[digitStarts[digit] + stripCounts[strip * SORT_DIGITS + digit] + ranks[k]] = mine[k];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint here = min(count - tile * SORT_TILE, (uint)SORT_TILE);
	for (uint i = t; i < here; i += SORT_GROUP)
	{
		ulong item = pool[i];
		uint digit = sortDigit(item, shift);
		sorted[digitPlaces[digit] + (i - digitStarts[digit])] = item;
	}
}
