// SPDX-License-Identifier: MIT
#pragma once

// Growable arrays of any plain type.
//
//     typedef BR_ARRAY(int32_t) IntArray;
//     IntArray stack = {0};
//     if (!BR_PUSH(&allocator, &stack, 7)) goto noMemory;
//     ...
//     BR_FREE_ARRAY(&allocator, &stack);
//
// Growth is by half, at least 16 elements; counts stay below INT32_MAX. A failed push leaves the array as it was.

#include "base/memory.h"

#define BR_ARRAY(T)                                                                                                    \
	struct                                                                                                             \
	{                                                                                                                  \
		T* data;                                                                                                       \
		int32_t count;                                                                                                 \
		int32_t capacity;                                                                                              \
	}

/// Makes room for `extra` more elements. True if there is room.
#define BR_RESERVE(allocator, array, extra)                                                                            \
	((extra) <= (array)->capacity - (array)->count ||                                                                  \
	 brGrowArray((allocator), &(array)->data, (array)->count, &(array)->capacity, (extra), sizeof(*(array)->data)))

/// Appends a value. False without memory.
#define BR_PUSH(allocator, array, ...)                                                                                 \
	(BR_RESERVE((allocator), (array), 1) && ((array)->data[(array)->count++] = (__VA_ARGS__), true))

#define BR_FREE_ARRAY(allocator, array)                                                                                \
	(brFreeArray((allocator), (array)->data, (array)->capacity, sizeof(*(array)->data)), (array)->data = NULL,         \
	 (array)->count = 0, (array)->capacity = 0)

/// Hands the data over as an exact-size block, freed with BR_FREE(allocator, pointer, count), and empties the array.
/// Null without memory (the array then still owns its data) or for an empty array.
#define BR_TAKE(allocator, array)                                                                                      \
	brTakeArray((allocator), &(array)->data, &(array)->count, &(array)->capacity, sizeof(*(array)->data))

// `dataPointer` is the address of the array's data member, a pointer of any type.
bool brGrowArray(const brAllocator* allocator, void* dataPointer, int32_t count, int32_t* capacity, int64_t extra,
				 size_t elementBytes);
void* brTakeArray(const brAllocator* allocator, void* dataPointer, int32_t* count, int32_t* capacity,
				  size_t elementBytes);
