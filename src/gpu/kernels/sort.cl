// SPDX-License-Identifier: MIT

// Stable radix sort of 64-bit items by eight bits a pass: digits counted tile by tile, counts to places, items to
// places.
//
// Inside a tile the rank of an item among its equals comes from words of 32 threads ("strips"): each thread sets its
// bit in the word of its strip and digit, and counts the bits below its own. Threads of a strip wait for each other
// alone where the hardware runs them as one, else with their whole group; no thread waits for another group. Items go
// through local memory into digit order first, so that neighbors write to neighbors.
//
// Counts lie digit by digit, within a digit tile by tile. Many tiles have them made running sums by a group for each
// digit, followed by the totals of digits; few tiles add up what they need themselves, which saves that launch. Up to
// some hundred tiles a pass counts for the next one on its way, by one global atomic an item: a launch costs more.
// There are three sets of counts then, one that is read, one that grows from zero, one that is emptied. 26 KiB of local
// memory.

#define SORT_GROUP 256
#define SORT_EACH 8
#define SORT_TILE (SORT_GROUP * SORT_EACH)
#define SORT_DIGITS 256
#define SORT_STRIPS (SORT_GROUP / 32)
#define SORT_STARTS 2048       // counts of a digit at a time
#define SORT_LAST 64           // for the next shift: there is no next pass
#define SORT_NOT_COUNTED 65    // the next pass counts for itself

// A strip is a warp of NVIDIA's devices, whose compiler takes PTX.
#ifdef BR_NVIDIA
#define SORT_STRIP_SYNC asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define SORT_STRIP_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif

inline uint sortDigit(ulong item, uint shift)
{
	return (uint)(item >> shift) & (SORT_DIGITS - 1);
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
brk_sortCount(__global const ulong* items, __global const uint* counters, uint counter, uint shift,
			  __global uint* counts, uint countsAt, uint tileCount)
{
	__local uint digits[SORT_DIGITS];
	const uint t = get_local_id(0), tile = get_group_id(0);
	const uint count = counters[counter];
	digits[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		uint i = tile * SORT_TILE + k * SORT_GROUP + t;
		if (i < count)
		{
			atomic_inc(&digits[sortDigit(items[i], shift)]);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	counts[countsAt + t * tileCount + tile] = digits[t];
}

// A group for each digit: its counts become running sums over the tiles, and its total follows those of all digits.
__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void brk_sortStarts(__global uint* counts,
																					uint countsAt, uint tileCount)
{
	__local uint scratch[SORT_GROUP];
	__global uint* row = counts + countsAt + get_group_id(0) * tileCount;
	uint before = 0;
	for (uint first = 0; first < tileCount; first += SORT_STARTS)
	{
		const uint begin = first + get_local_id(0) * (SORT_STARTS / SORT_GROUP);
		uint values[SORT_STARTS / SORT_GROUP], sum = 0, total;
#pragma unroll
		for (uint k = 0; k < SORT_STARTS / SORT_GROUP; ++k)
		{
			values[k] = begin + k < tileCount ? row[begin + k] : 0u;
			sum += values[k];
		}
		uint place = before + scanGroup(sum, scratch, &total);
#pragma unroll
		for (uint k = 0; k < SORT_STARTS / SORT_GROUP; ++k)
		{
			if (begin + k < tileCount)
			{
				row[begin + k] = place;
			}
			place += values[k];
		}
		before += total;
	}
	if (get_local_id(0) == 0)
	{
		counts[countsAt + SORT_DIGITS * tileCount + get_group_id(0)] = before;
	}
}

__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
brk_sortScatter(__global const ulong* items, __global ulong* sorted, __global const uint* counters, uint counter,
				uint shift, __global uint* allCounts, uint countsAt, uint nextAt, uint emptiedAt,
				uint nextShift, uint tileCount, uint isSummed)
{
	__local ulong pool[SORT_TILE];
	__local uint stripCounts[SORT_STRIPS * SORT_DIGITS];
	__local uint digitStarts[SORT_DIGITS]; // in the tile
	__local uint digitPlaces[SORT_DIGITS]; // in the result
	__local uint scratch[SORT_GROUP];
	__local uint* masks = (__local uint*)pool; // [2][SORT_STRIPS][SORT_DIGITS], before the pool holds items
	const uint t = get_local_id(0), tile = get_group_id(0), strip = t >> 5, lane = t & 31;
	const uint count = counters[counter];
	__global const uint* counts = allCounts + countsAt;
	volatile __global uint* nextCounts = allCounts + nextAt;
	if (nextShift != SORT_NOT_COUNTED)
	{
		allCounts[emptiedAt + t * tileCount + tile] = 0;
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
		mine[k] = i < count ? items[i] : 0;
	}
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		uint i = tile * SORT_TILE + strip * (32 * SORT_EACH) + k * 32 + lane;
		bool isThere = i < count;
		uint slot = strip * SORT_DIGITS + sortDigit(mine[k], shift);
		__local uint* word = &masks[(k & 1) * SORT_STRIPS * SORT_DIGITS + slot];
		if (isThere)
		{
			atomic_or(word, 1u << lane);
		}
		SORT_STRIP_SYNC;
		uint mask = *word;
		uint below = popcount(mask & ((1u << lane) - 1u));
		ranks[k] = stripCounts[slot] + below;
		SORT_STRIP_SYNC;
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
		digitPlaces[t] = scanGroup(counts[SORT_DIGITS * tileCount + t], scratch, &total) + counts[t * tileCount + tile];
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
	const uint here = min(count - min(count, tile * SORT_TILE), (uint)SORT_TILE);
	for (uint i = t; i < here; i += SORT_GROUP)
	{
		ulong item = pool[i];
		uint digit = sortDigit(item, shift);
		const uint place = digitPlaces[digit] + (i - digitStarts[digit]);
		sorted[place] = item;
		if (nextShift < SORT_LAST)
		{
			atomic_inc(&nextCounts[sortDigit(item, nextShift) * tileCount + place / SORT_TILE]);
		}
	}
}
