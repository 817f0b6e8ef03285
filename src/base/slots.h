// SPDX-License-Identifier: MIT
#pragma once

// An open table of numbers that are found by a hash. What they stand for, and when two of them are equal, stays with
// the caller:
//
//     int64_t at = brSlots_First(&slots, hash);
//     while (slots.values[at] >= 0 && !isSame(things, slots.values[at], thing)) at = brSlots_Next(&slots, at);
//
// then slots.values[at] is the number, or -1: a free place for it. At most half of the places are taken.

#include "base/memory.h"

#include <string.h>

typedef struct brSlots
{
	int32_t* values; // [count] numbers >= 0, or -1
	int64_t count;   // a power of two
} brSlots;

/// Room for so many numbers. False without memory; free it in any case.
static inline bool brSlots_Init(brSlots* slots, const brAllocator* allocator, int64_t most)
{
	slots->count = 16;
	while (slots->count < 2 * most)
	{
		slots->count *= 2;
	}
	slots->values = BR_ALLOC(allocator, int32_t, slots->count);
	if (slots->values == NULL)
	{
		return false;
	}
	memset(slots->values, 0xff, (size_t)slots->count * sizeof(int32_t));
	return true;
}

static inline void brSlots_Free(brSlots* slots, const brAllocator* allocator)
{
	BR_FREE(allocator, slots->values, slots->count);
	slots->values = NULL;
}

static inline int64_t brSlots_First(const brSlots* slots, uint64_t hash)
{
	return (int64_t)(hash & (uint64_t)(slots->count - 1));
}

static inline int64_t brSlots_Next(const brSlots* slots, int64_t at)
{
	return (at + 1) & (slots->count - 1);
}
