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
// digit, followed by the totals of digits. Few tiles add up what they need themselves, and count for the next pass on
// their way by a global atomic an item: that saves two launches. There are three sets of counts then, one that is read,
// one that grows from zero, one that is emptied. 32 KiB of local memory, of which every device has as much.

#define SORT_GROUP 256
#define SORT_EACH 12
#define SORT_TILE (SORT_GROUP * SORT_EACH)
#define SORT_DIGITS 256
#define SORT_STRIPS (SORT_GROUP / 32)
#define SORT_STARTS 2048       // counts of a digit at a time
#define SORT_LAST 64           // for the next shift: there is no next pass
#define SORT_NOT_COUNTED 65    // the next pass counts for itself

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
	uint mine[SORT_EACH];
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		const uint i = tile * SORT_TILE + k * SORT_GROUP + t;
		mine[k] = i < count ? sortDigit(items[i], shift) : SORT_DIGITS;
	}
	digits[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		if (mine[k] < SORT_DIGITS)
		{
			atomic_inc(&digits[mine[k]]);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	counts[countsAt + t * tileCount + tile] = digits[t];
}

// A group for each digit: its counts become running sums over the tiles, and its total follows those of all digits.
__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
brk_sortStarts(__global uint* counts, uint countsAt, uint tileCount)
{
	__local uint scratch[SORT_GROUP];
	__global uint* row = counts + countsAt + get_group_id(0) * tileCount;
	uint before = 0;
	for (uint first = 0; first < tileCount; first += SORT_STARTS)
	{
		const uint begin = first + get_local_id(0) * (SORT_STARTS / SORT_GROUP);
		uint values[SORT_STARTS / SORT_GROUP], sum = 0, total;
		for (uint k = 0; k < SORT_STARTS / SORT_GROUP; ++k)
		{
			values[k] = begin + k < tileCount ? row[begin + k] : 0u;
			sum += values[k];
		}
		uint place = before + scanGroup(sum, scratch, &total);
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

// Sums of all lower threads' values, of the upper and the lower half apart. All threads of the group must call.
inline ulong sortSumBoth(ulong value, __local ulong* scratch)
{
	const uint t = get_local_id(0), lane = t & 31;
	ulong sum = value;
	scratch[t] = sum;
	SCAN_STRIP_SYNC;
	for (uint step = 1; step < 32; step <<= 1)
	{
		ulong lower = lane >= step ? scratch[t - step] : 0ul;
		SCAN_STRIP_SYNC;
		sum += lower;
		scratch[t] = sum;
		SCAN_STRIP_SYNC;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint strip = 0; strip < t >> 5; ++strip)
	{
		sum += scratch[32 * strip + 31];
	}
	return sum - value;
}

// How many items of this thread's digit tiles before this one have, and how many all have.
inline uint2 sortBefore(__global const uint* counts, uint tileCount, uint isSummed)
{
	const uint t = get_local_id(0), tile = get_group_id(0);
	if (isSummed)
	{
		return (uint2)(counts[t * tileCount + tile], counts[SORT_DIGITS * tileCount + t]);
	}
	uint before = 0, all = 0;
	for (uint k = 0; k < tileCount; ++k)
	{
		const uint here = counts[t * tileCount + k];
		before += k < tile ? here : 0u;
		all += here;
	}
	return (uint2)(before, all);
}

// Sets of counts begin at countsAt, nextAt and emptiedAt.
__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
brk_sortScatter(__global const ulong* items, __global ulong* sorted, __global const uint* counters, uint counter,
				uint shift, __global uint* allCounts, uint countsAt, uint nextAt, uint emptiedAt, uint nextShift,
				uint tileCount, uint isSummed)
{
	__local ulong pool[SORT_TILE];
	__local ushort stripCounts[SORT_STRIPS * SORT_DIGITS];
	__local ushort digitStarts[SORT_DIGITS]; // in the tile
	__local uint digitPlaces[SORT_DIGITS];   // in the result
	__local ulong scratch[SORT_GROUP];
	__local uint* masks = (__local uint*)pool; // [2][SORT_STRIPS][SORT_DIGITS], before the pool holds items
	const uint t = get_local_id(0), tile = get_group_id(0), strip = t >> 5, lane = t & 31;
	const uint count = counters[counter];
	volatile __global uint* nextCounts = allCounts + nextAt;
	if (nextShift != SORT_NOT_COUNTED)
	{
		allCounts[emptiedAt + t * tileCount + tile] = 0;
	}

	// What has to come from afar is asked for at once.
	ulong mine[SORT_EACH];
	ushort ranks[SORT_EACH];
	for (uint k = 0; k < SORT_EACH; ++k)
	{
		uint i = tile * SORT_TILE + strip * (32 * SORT_EACH) + k * 32 + lane;
		mine[k] = i < count ? items[i] : 0;
	}
	const uint2 others = sortBefore(allCounts + countsAt, tileCount, isSummed);
	for (uint k = 0; k < SORT_STRIPS; ++k)
	{
		masks[k * SORT_DIGITS + t] = 0;
		masks[(SORT_STRIPS + k) * SORT_DIGITS + t] = 0;
		stripCounts[k * SORT_DIGITS + t] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	// Ranks within the strip. Two sets of words take turns: one is emptied while the other fills.
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
		SCAN_STRIP_SYNC;
		uint mask = *word;
		uint below = popcount(mask & ((1u << lane) - 1u));
		ranks[k] = (ushort)(stripCounts[slot] + below);
		SCAN_STRIP_SYNC;
		if (isThere && below == 0)
		{
			stripCounts[slot] += (ushort)popcount(mask);
			*word = 0;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	// Thread t looks after digit t: strips, tile, result.
	uint inTile = 0;
	for (uint k = 0; k < SORT_STRIPS; ++k)
	{
		uint here = stripCounts[k * SORT_DIGITS + t];
		stripCounts[k * SORT_DIGITS + t] = (ushort)inTile;
		inTile += here;
	}
	const ulong starts = sortSumBoth((ulong)others.y << 32 | inTile, scratch);
	digitStarts[t] = (ushort)starts;
	digitPlaces[t] = (uint)(starts >> 32) + others.x;
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
