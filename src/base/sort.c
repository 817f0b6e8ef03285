// SPDX-License-Identifier: MIT

// Least-digit-first radix sort.
//
// On one thread the counts of all digits are taken in one pass; a digit that is the same in every key is then skipped.
// On workers the keys are cut into one run a worker: each counts its run, the counts are summed digit by digit and run
// by run, and each worker scatters its run to places nobody else writes. A stable sort has one answer, so neither the
// number of runs nor the width of the digits shows in the result.
//
// Digits have 8 bits, or 11 where the buckets being written stay in the second-level cache: three passes instead of
// four win then, while 2048 open buckets over a large array miss on almost every write. Measured with 32-bit keys and
// payload, million keys a second: 100k keys 132 (8 bits), 160 (11 bits); 1M keys 127, 86; 16M keys 102, 54. Buffering a
// cache line per bucket before writing it out halves the speed at every size, so there is none.
//
// Four kinds of arrays share the code: it is written once with the key width and the presence of a payload as
// constants, and inlined four times.

#include "base/sort.h"

#include "base/memory.h"

#include <string.h>

#define SORT_INSERTION_COUNT 48    // below, insertion beats clearing the histograms
#define SORT_WIDE_MIN_COUNT 3000   // from here 2048 buckets pay for their prefix sums
#define SORT_WIDE_MAX_COUNT 300000 // up to here they stay in cache
#define SORT_PARALLEL_COUNT 100000 // below, waking a team costs more than it saves
#define SORT_MIN_RUN 25000         // keys a worker, at least
#define SORT_NARROW_BITS 8
#define SORT_WIDE_BITS 11
#define SORT_INLINE static inline __attribute__((always_inline))

typedef struct SortArrays
{
	void* keys;
	uint32_t* values; // null: keys alone
} SortArrays;

SORT_INLINE uint64_t sortKey(const void* keys, int64_t i, int keyBytes)
{
	return keyBytes == 4 ? ((const uint32_t*)keys)[i] : ((const uint64_t*)keys)[i];
}

SORT_INLINE void sortPut(void* keys, int64_t i, uint64_t key, int keyBytes)
{
	if (keyBytes == 4)
	{
		((uint32_t*)keys)[i] = (uint32_t)key;
	}
	else
	{
		((uint64_t*)keys)[i] = key;
	}
}

SORT_INLINE void sortByInsertion(SortArrays a, int32_t count, int keyBytes, bool hasValues)
{
	for (int32_t i = 1; i < count; ++i)
	{
		uint64_t key = sortKey(a.keys, i, keyBytes);
		uint32_t value = hasValues ? a.values[i] : 0;
		int32_t j = i;
		for (; j > 0 && sortKey(a.keys, j - 1, keyBytes) > key; --j)
		{
			sortPut(a.keys, j, sortKey(a.keys, j - 1, keyBytes), keyBytes);
			if (hasValues)
			{
				a.values[j] = a.values[j - 1];
			}
		}
		sortPut(a.keys, j, key, keyBytes);
		if (hasValues)
		{
			a.values[j] = value;
		}
	}
}

// Stops at the first descent, so it costs nothing on keys in no order and saves everything on keys in order.
SORT_INLINE bool sortIsDone(const void* keys, int32_t count, int keyBytes)
{
	for (int32_t i = 1; i < count; ++i)
	{
		if (sortKey(keys, i - 1, keyBytes) > sortKey(keys, i, keyBytes))
		{
			return false;
		}
	}
	return true;
}

// The bits of a key that one pass sorts by.
typedef struct SortDigit
{
	int shift;
	uint32_t mask;
} SortDigit;

// Moves [begin, end) to the places in `next`, one running index a bucket.
SORT_INLINE void sortScatter(SortArrays from, SortArrays to, int64_t begin, int64_t end, uint32_t* next,
							 SortDigit digit, int keyBytes, bool hasValues)
{
	for (int64_t i = begin; i < end; ++i)
	{
		uint64_t key = sortKey(from.keys, i, keyBytes);
		uint32_t place = next[(uint32_t)(key >> digit.shift) & digit.mask]++;
		sortPut(to.keys, place, key, keyBytes);
		if (hasValues)
		{
			to.values[place] = from.values[i];
		}
	}
}

SORT_INLINE void sortCopyBack(SortArrays from, SortArrays to, int32_t count, int keyBytes, bool hasValues)
{
	memcpy(to.keys, from.keys, (size_t)count * (size_t)keyBytes);
	if (hasValues)
	{
		memcpy(to.values, from.values, (size_t)count * sizeof(uint32_t));
	}
}

SORT_INLINE void sortSwap(SortArrays* a, SortArrays* b)
{
	SortArrays other = *a;
	*a = *b;
	*b = other;
}

// One thread. `counts` holds one zeroed histogram a digit.
SORT_INLINE void sortSerial(SortArrays a, SortArrays b, uint32_t* counts, int32_t count, int bits, int keyBytes,
							bool hasValues)
{
	int digits = (8 * keyBytes + bits - 1) / bits;
	uint32_t buckets = 1u << bits;
	uint32_t mask = buckets - 1;
	for (int32_t i = 0; i < count; ++i)
	{
		uint64_t key = sortKey(a.keys, i, keyBytes);
		for (int d = 0; d < digits; ++d)
		{
			counts[((uint32_t)d << bits) + ((uint32_t)(key >> (d * bits)) & mask)] += 1;
		}
	}

	SortArrays from = a;
	SortArrays to = b;
	uint64_t first = sortKey(a.keys, 0, keyBytes);
	for (int d = 0; d < digits; ++d)
	{
		uint32_t* histogram = counts + ((uint32_t)d << bits);
		if (histogram[(uint32_t)(first >> (d * bits)) & mask] == (uint32_t)count)
		{
			continue; // all keys agree
		}
		uint32_t place = 0;
		for (uint32_t bucket = 0; bucket < buckets; ++bucket)
		{
			uint32_t size = histogram[bucket];
			histogram[bucket] = place;
			place += size;
		}
		sortScatter(from, to, 0, count, histogram, (SortDigit){d * bits, mask}, keyBytes, hasValues);
		sortSwap(&from, &to);
	}
	if (from.keys != a.keys)
	{
		sortCopyBack(from, a, count, keyBytes, hasValues);
	}
}

// Workers, one run each.
typedef struct SortTeam
{
	SortArrays from, to;
	int32_t count;
	int32_t runs;
	int bits;
	int shift;
	uint32_t* counts;    // [runs][1 << bits]
	uint64_t* differing; // [runs] bits in which the keys of a run differ from the first key of all
} SortTeam;

SORT_INLINE int64_t sortRunBegin(const SortTeam* team, int32_t run)
{
	return (int64_t)team->count * run / team->runs;
}

SORT_INLINE void sortFindDiffering(SortTeam* team, int32_t run, int keyBytes)
{
	uint64_t first = sortKey(team->from.keys, 0, keyBytes);
	uint64_t differing = 0;
	int64_t end = sortRunBegin(team, run + 1);
	for (int64_t i = sortRunBegin(team, run); i < end; ++i)
	{
		differing |= sortKey(team->from.keys, i, keyBytes) ^ first;
	}
	team->differing[run] = differing;
}

SORT_INLINE void sortCountRun(SortTeam* team, int32_t run, int keyBytes)
{
	uint32_t mask = (1u << team->bits) - 1;
	uint32_t* counts = team->counts + ((size_t)run << team->bits);
	memset(counts, 0, sizeof(uint32_t) << team->bits);
	int64_t end = sortRunBegin(team, run + 1);
	for (int64_t i = sortRunBegin(team, run); i < end; ++i)
	{
		counts[(uint32_t)(sortKey(team->from.keys, i, keyBytes) >> team->shift) & mask] += 1;
	}
}

SORT_INLINE void sortScatterRun(SortTeam* team, int32_t run, int keyBytes, bool hasValues)
{
	SortDigit digit = {team->shift, (1u << team->bits) - 1};
	sortScatter(team->from, team->to, sortRunBegin(team, run), sortRunBegin(team, run + 1),
				team->counts + ((size_t)run << team->bits), digit, keyBytes, hasValues);
}

SORT_INLINE void sortCopyRun(SortTeam* team, int32_t run, int keyBytes, bool hasValues)
{
	int64_t begin = sortRunBegin(team, run);
	int32_t count = (int32_t)(sortRunBegin(team, run + 1) - begin);
	SortArrays from = {(char*)team->from.keys + begin * keyBytes, hasValues ? team->from.values + begin : NULL};
	SortArrays to = {(char*)team->to.keys + begin * keyBytes, hasValues ? team->to.values + begin : NULL};
	sortCopyBack(from, to, count, keyBytes, hasValues);
}

// The first place of each run in each bucket: all of the buckets before, then this bucket in the runs before.
static void sortSumRuns(SortTeam* team)
{
	uint32_t place = 0;
	for (int32_t bucket = 0; bucket < 1 << team->bits; ++bucket)
	{
		for (int32_t run = 0; run < team->runs; ++run)
		{
			uint32_t* counts = team->counts + ((size_t)run << team->bits);
			uint32_t size = counts[bucket];
			counts[bucket] = place;
			place += size;
		}
	}
}

// What the two kinds of keys give the team to run.
typedef struct SortSteps
{
	brRangeFcn* find;
	brRangeFcn* count;
	brRangeFcn* scatter;
	brRangeFcn* copy;
	int keyBytes;
} SortSteps;

static void sortOnTeam(brWorkers* workers, SortTeam* team, const SortSteps* steps)
{
	void* home = team->from.keys;
	brParallelFor(workers, team->runs, 1, steps->find, team);
	uint64_t differing = 0;
	for (int32_t run = 0; run < team->runs; ++run)
	{
		differing |= team->differing[run];
	}
	for (team->shift = 0; team->shift < 8 * steps->keyBytes; team->shift += team->bits)
	{
		if ((differing >> team->shift & ((1u << team->bits) - 1)) == 0)
		{
			continue; // all keys agree
		}
		brParallelFor(workers, team->runs, 1, steps->count, team);
		sortSumRuns(team);
		brParallelFor(workers, team->runs, 1, steps->scatter, team);
		sortSwap(&team->from, &team->to);
	}
	if (team->from.keys != home)
	{
		brParallelFor(workers, team->runs, 1, steps->copy, team);
	}
}

#define SORT_STEP(name, call)                                                                                          \
	static void name(int32_t begin, int32_t end, int32_t worker, void* user)                                           \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		SortTeam* team = user;                                                                                         \
		for (int32_t run = begin; run < end; ++run)                                                                    \
		{                                                                                                              \
			call;                                                                                                      \
		}                                                                                                              \
	}

SORT_STEP(sortFind32, sortFindDiffering(team, run, 4))
SORT_STEP(sortFind64, sortFindDiffering(team, run, 8))
SORT_STEP(sortCount32, sortCountRun(team, run, 4))
SORT_STEP(sortCount64, sortCountRun(team, run, 8))
SORT_STEP(sortScatterPairs32, sortScatterRun(team, run, 4, true))
SORT_STEP(sortScatterPairs64, sortScatterRun(team, run, 8, true))
SORT_STEP(sortScatterKeys32, sortScatterRun(team, run, 4, false))
SORT_STEP(sortScatterKeys64, sortScatterRun(team, run, 8, false))
SORT_STEP(sortCopyPairs32, sortCopyRun(team, run, 4, true))
SORT_STEP(sortCopyPairs64, sortCopyRun(team, run, 8, true))
SORT_STEP(sortCopyKeys32, sortCopyRun(team, run, 4, false))
SORT_STEP(sortCopyKeys64, sortCopyRun(team, run, 8, false))

static bool sortStartTeam(brWorkers* workers, const brAllocator* allocator, SortArrays a, SortArrays b, int32_t count,
						  const SortSteps* steps)
{
	int32_t runs = count / SORT_MIN_RUN;
	runs = runs < brWorkers_GetCount(workers) ? runs : brWorkers_GetCount(workers);
	int bits = count <= SORT_WIDE_MAX_COUNT ? SORT_WIDE_BITS : SORT_NARROW_BITS;
	size_t bytes = (size_t)runs * ((sizeof(uint32_t) << bits) + sizeof(uint64_t));
	uint64_t* memory = brAlloc(allocator, bytes);
	if (memory == NULL)
	{
		return false;
	}
	SortTeam team = {a, b, count, runs, bits, 0, (uint32_t*)(memory + runs), memory};
	sortOnTeam(workers, &team, steps);
	brFree(allocator, memory, bytes);
	return true;
}

SORT_INLINE bool sortAny(brWorkers* workers, const brAllocator* allocator, SortArrays a, SortArrays b, int32_t count,
						 const SortSteps* steps, int keyBytes, bool hasValues)
{
	if (count <= SORT_INSERTION_COUNT)
	{
		sortByInsertion(a, count, keyBytes, hasValues);
		return true;
	}
	if (sortIsDone(a.keys, count, keyBytes))
	{
		return true;
	}
	if (count >= SORT_PARALLEL_COUNT && brWorkers_GetCount(workers) > 1)
	{
		return sortStartTeam(workers, allocator, a, b, count, steps);
	}
	bool isWide = count >= SORT_WIDE_MIN_COUNT && count <= SORT_WIDE_MAX_COUNT;
	int bits = isWide ? SORT_WIDE_BITS : SORT_NARROW_BITS;
	int32_t size = ((8 * keyBytes + bits - 1) / bits) << bits;
	uint32_t* counts = BR_ALLOC_ZERO(allocator, uint32_t, size);
	if (counts == NULL)
	{
		return false;
	}
	if (isWide)
	{
		sortSerial(a, b, counts, count, SORT_WIDE_BITS, keyBytes, hasValues);
	}
	else
	{
		sortSerial(a, b, counts, count, SORT_NARROW_BITS, keyBytes, hasValues);
	}
	BR_FREE(allocator, counts, size);
	return true;
}

bool brSortPairs32(brWorkers* workers, const brAllocator* allocator, uint32_t* keys, uint32_t* values,
				   uint32_t* scratchKeys, uint32_t* scratchValues, int32_t count)
{
	static const SortSteps steps = {sortFind32, sortCount32, sortScatterPairs32, sortCopyPairs32, 4};
	return sortAny(workers, allocator, (SortArrays){keys, values}, (SortArrays){scratchKeys, scratchValues}, count,
				   &steps, 4, true);
}

bool brSortPairs64(brWorkers* workers, const brAllocator* allocator, uint64_t* keys, uint32_t* values,
				   uint64_t* scratchKeys, uint32_t* scratchValues, int32_t count)
{
	static const SortSteps steps = {sortFind64, sortCount64, sortScatterPairs64, sortCopyPairs64, 8};
	return sortAny(workers, allocator, (SortArrays){keys, values}, (SortArrays){scratchKeys, scratchValues}, count,
				   &steps, 8, true);
}

bool brSortKeys32(brWorkers* workers, const brAllocator* allocator, uint32_t* keys, uint32_t* scratch, int32_t count)
{
	static const SortSteps steps = {sortFind32, sortCount32, sortScatterKeys32, sortCopyKeys32, 4};
	return sortAny(workers, allocator, (SortArrays){keys, NULL}, (SortArrays){scratch, NULL}, count, &steps, 4, false);
}

bool brSortKeys64(brWorkers* workers, const brAllocator* allocator, uint64_t* keys, uint64_t* scratch, int32_t count)
{
	static const SortSteps steps = {sortFind64, sortCount64, sortScatterKeys64, sortCopyKeys64, 8};
	return sortAny(workers, allocator, (SortArrays){keys, NULL}, (SortArrays){scratch, NULL}, count, &steps, 8, false);
}

// Bit k: the k-th of 64 keys, counted from `first` by `step`, is to leave its side.
static uint64_t selectLeaving(const uint64_t* first, ptrdiff_t step, uint64_t pivot)
{
	uint64_t bits = 0;
	for (int32_t k = 0; k < 64; ++k)
	{
		uint64_t key = first[k * step];
		bits |= (uint64_t)(step > 0 ? key >= pivot : key <= pivot) << k;
	}
	return bits;
}

// Hoare's partition of [i, j]: swaps what is not below the pivot with what is not above it, from both ends to the
// middle. Returns where both have stopped. While both ends have 64 keys of their own, who leaves is found without a
// branch that depends on a key: the same pairs are swapped in the same order.
static void selectPartition(uint64_t* keys, uint64_t pivot, int32_t* inoutI, int32_t* inoutJ)
{
	int32_t i = *inoutI, j = *inoutJ;
	uint64_t left = 0, right = 0; // of those from i up and from j down that are not looked at yet
	while (j - i >= 128)
	{
		left = left != 0 ? left : selectLeaving(keys + i, 1, pivot);
		right = right != 0 ? right : selectLeaving(keys + j, -1, pivot);
		for (; left != 0 && right != 0; left &= left - 1, right &= right - 1)
		{
			int32_t a = i + __builtin_ctzll(left), b = j - __builtin_ctzll(right);
			uint64_t swap = keys[a];
			keys[a] = keys[b], keys[b] = swap;
		}
		i += left == 0 ? 64 : 0;
		j -= right == 0 ? 64 : 0;
	}
	// What is left of a block has its first key to be swapped there; those before it have had their turn.
	i += left != 0 ? __builtin_ctzll(left) : 0;
	j -= right != 0 ? __builtin_ctzll(right) : 0;
	while (i <= j)
	{
		while (keys[i] < pivot)
		{
			i += 1;
		}
		while (keys[j] > pivot)
		{
			j -= 1;
		}
		if (i <= j)
		{
			uint64_t swap = keys[i];
			keys[i++] = keys[j], keys[j--] = swap;
		}
	}
	*inoutI = i, *inoutJ = j;
}

// The same for up to 64 keys, the same keys swapped: who is to be swapped is found for all at once, without a branch
// that depends on a key.
static void selectPartitionFew(uint64_t* keys, uint64_t pivot, int32_t* inoutI, int32_t* inoutJ)
{
	uint64_t* first = keys + *inoutI;
	int32_t count = *inoutJ - *inoutI + 1, i = 0, j = count - 1;
	uint64_t left = 0, right = 0; // bit k: the k-th from that end
	for (int32_t k = 0; k < count; ++k)
	{
		left |= (uint64_t)(first[k] >= pivot) << k;
		right |= (uint64_t)(first[count - 1 - k] <= pivot) << k;
	}
	// The pivot is in both, so there is a first pair.
	int32_t a = __builtin_ctzll(left), b = count - 1 - __builtin_ctzll(right);
	while (a <= b)
	{
		uint64_t swap = first[a];
		first[a] = first[b], first[b] = swap;
		i = a + 1, j = b - 1;
		left &= left - 1, right &= right - 1;
		int32_t nextA = left != 0 ? __builtin_ctzll(left) : count, nextB = count - 1;
		nextB -= right != 0 ? __builtin_ctzll(right) : count;
		// What was swapped stops the search from the other side.
		if (nextA > nextB && i <= j)
		{
			i = nextA < b ? nextA : b;
			j = nextB > a ? nextB : a;
		}
		a = nextA, b = nextB;
	}
	*inoutJ = *inoutI + j;
	*inoutI += i;
}

uint64_t brSelectKeys64(uint64_t* keys, int32_t count, int32_t rank)
{
	int32_t lower = 0, upper = count - 1;
	while (lower < upper)
	{
		uint64_t pivot = keys[lower + (upper - lower) / 2];
		int32_t i = lower, j = upper;
		(upper - lower < 64 ? selectPartitionFew : selectPartition)(keys, pivot, &i, &j);
		if (rank <= j)
		{
			upper = j;
		}
		else if (rank >= i)
		{
			lower = i;
		}
		else
		{
			break;
		}
	}
	return keys[rank];
}
