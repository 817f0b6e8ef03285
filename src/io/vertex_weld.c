// SPDX-License-Identifier: MIT

// Welding by hashing, with sorting as the way out.
//
// An open-addressing table, half empty, of 32-bit entries: the low bits hold vertex + 1, the bits left over a piece of
// the hash, so that a walk along the table hardly ever has to look at a vertex that is not the same. Hashes are made a
// batch ahead and their slots prefetched, because the table misses the cache at every step. Keys made to collide would
// turn this quadratic: the steps are counted, and past a limit no honest input reaches the vertices are sorted instead.

#include "io/vertex_weld.h"

#include "base/sort.h"

#include <string.h>

#define WELD_BATCH 64
#define WELD_STEPS_PER_VERTEX 32

static inline uint32_t weldWord(const uint8_t* key, int32_t word)
{
	uint32_t value;
	memcpy(&value, key + 4 * (size_t)word, sizeof(value));
	return value == 0x80000000u ? 0 : value;
}

static inline uint64_t weldHash(const uint8_t* key, int32_t words)
{
	uint64_t hash = ((uint64_t)weldWord(key, 1) << 32 | weldWord(key, 0)) * 0x9E3779B97F4A7C15u;
	for (int32_t w = 2; w < words; ++w)
	{
		hash = (hash ^ hash >> 32 ^ weldWord(key, w)) * 0xD6E8FEB86659FD93u;
	}
	return (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
}

static inline bool weldEqual(const uint8_t* a, const uint8_t* b, int32_t words)
{
	uint32_t difference = 0;
	for (int32_t w = 0; w < words; ++w)
	{
		difference |= weldWord(a, w) ^ weldWord(b, w);
	}
	return difference == 0;
}

typedef struct WeldTable
{
	uint32_t* entries;
	int32_t logCapacity;
	int32_t indexBits;
} WeldTable;

// Returns the number of different vertices, or -1 if there were too many steps. Inline, so that each number of words
// gets its own unrolled loop.
static inline int32_t weldByHashing(const WeldTable* table, const brWeldKeys* keys, int32_t words, int32_t* outMap)
{
	const uint8_t* bytes = keys->bytes;
	size_t stride = keys->stride;
	uint32_t indexMask = ((uint32_t)1 << table->indexBits) - 1; // indexBits < 32: counts are below 2^31
	uint64_t slotMask = ((uint64_t)1 << table->logCapacity) - 1;
	int64_t stepsLeft = (int64_t)keys->count * WELD_STEPS_PER_VERTEX + WELD_BATCH;
	int32_t unique = 0;
	for (int32_t begin = 0; begin < keys->count; begin += WELD_BATCH)
	{
		int32_t batch = keys->count - begin < WELD_BATCH ? keys->count - begin : WELD_BATCH;
		uint64_t hashes[WELD_BATCH];
		for (int32_t i = 0; i < batch; ++i)
		{
			hashes[i] = weldHash(bytes + (size_t)(begin + i) * stride, words);
			__builtin_prefetch(&table->entries[hashes[i] >> (64 - table->logCapacity)], 1);
		}
		for (int32_t i = 0; i < batch; ++i)
		{
			int32_t vertex = begin + i;
			const uint8_t* key = bytes + (size_t)vertex * stride;
			uint64_t slot = hashes[i] >> (64 - table->logCapacity);
			uint32_t tag = (uint32_t)hashes[i] & ~indexMask;
			for (;; slot = (slot + 1) & slotMask)
			{
				uint32_t entry = table->entries[slot];
				if (entry == 0)
				{
					table->entries[slot] = tag | ((uint32_t)vertex + 1);
					outMap[vertex] = unique++;
					break;
				}
				int32_t other = (int32_t)(entry & indexMask) - 1;
				if ((entry & ~indexMask) == tag && weldEqual(key, bytes + (size_t)other * stride, words))
				{
					outMap[vertex] = outMap[other];
					break;
				}
				if (--stepsLeft < 0)
				{
					return -1;
				}
			}
		}
	}
	return unique;
}

// Sorts by all words, last word first; sorting is stable, so the first of a run of equal vertices is the lowest.
static int32_t weldBySorting(const brAllocator* allocator, const brWeldKeys* keys, int32_t* outMap)
{
	int32_t count = keys->count;
	uint32_t* memory = BR_ALLOC(allocator, uint32_t, 4 * (int64_t)count);
	if (memory == NULL)
	{
		return -1;
	}
	uint32_t* order = memory;
	uint32_t* words = memory + count;
	for (int32_t i = 0; i < count; ++i)
	{
		order[i] = (uint32_t)i;
	}
	int32_t unique = 0;
	for (int32_t w = keys->words - 1; w >= 0; --w)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			words[i] = weldWord(keys->bytes + (size_t)order[i] * keys->stride, w);
		}
		if (!brSortPairs32(NULL, allocator, words, order, memory + 2 * (int64_t)count, memory + 3 * (int64_t)count,
						   count))
		{
			unique = -1;
			break;
		}
	}
	// Each vertex learns the first of its kind, then, in order, the number of that one.
	for (int32_t i = 0; i < count && unique >= 0; ++i)
	{
		bool isNew = i == 0 || !weldEqual(keys->bytes + (size_t)order[i] * keys->stride,
										  keys->bytes + (size_t)order[i - 1] * keys->stride, keys->words);
		outMap[order[i]] = isNew ? (int32_t)order[i] : outMap[order[i - 1]];
	}
	for (int32_t i = 0; i < count && unique >= 0; ++i)
	{
		outMap[i] = outMap[i] == i ? unique++ : outMap[outMap[i]];
	}
	BR_FREE(allocator, memory, 4 * (int64_t)count);
	return unique;
}

int32_t brWeldVertices(const brAllocator* allocator, const brWeldKeys* keys, int32_t* outMap)
{
	WeldTable table = {.logCapacity = 4};
	while (((int64_t)1 << table.logCapacity) < 2 * (int64_t)keys->count)
	{
		table.logCapacity += 1;
	}
	table.indexBits = table.logCapacity; // capacity >= 2 count > count: room for vertex + 1
	if (table.indexBits > 31)
	{
		table.indexBits = 31;
	}
	int64_t capacity = (int64_t)1 << table.logCapacity;
	table.entries = BR_ALLOC_ZERO(allocator, uint32_t, capacity);
	if (table.entries == NULL)
	{
		return -1;
	}
	int32_t unique = keys->words == 3   ? weldByHashing(&table, keys, 3, outMap)
					 : keys->words == 7 ? weldByHashing(&table, keys, 7, outMap)
										: weldByHashing(&table, keys, keys->words, outMap);
	BR_FREE(allocator, table.entries, capacity);
	return unique >= 0 ? unique : weldBySorting(allocator, keys, outMap);
}
