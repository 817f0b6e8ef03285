// SPDX-License-Identifier: MIT

// Tuples are welded as points (mesh/weld.h): the first three words are one, and what is equal so far and the next two
// words make the next, until all words have counted.

#include "io/vertex_weld.h"

#include "mesh/weld.h"

#include <string.h>

// A word as a number that is equal for equal floats, 0 behind the last one.
static inline double weldWord(const brWeldKeys* keys, int32_t vertex, int32_t word)
{
	uint32_t value = 0;
	if (word < keys->words)
	{
		memcpy(&value, keys->bytes + (size_t)vertex * keys->stride + 4 * (size_t)word, sizeof(value));
	}
	return value == 0x80000000u ? 0.0 : (double)value;
}

int32_t brWeldVertices(const brAllocator* allocator, const brWeldKeys* keys, int32_t* outMap)
{
	brDVec3* points = BR_ALLOC(allocator, brDVec3, keys->count);
	int32_t unique = points != NULL ? 0 : -1;
	for (int32_t word = 1; word < keys->words && unique >= 0; word += 2)
	{
		for (int32_t i = 0; i < keys->count; ++i)
		{
			double known = word == 1 ? weldWord(keys, i, 0) : (double)outMap[i];
			points[i] = (brDVec3){known, weldWord(keys, i, word), weldWord(keys, i, word + 1)};
		}
		unique = brFindEqualPositions(allocator, points, keys->count, outMap) >= 0 ? 0 : -1;
	}
	// Each knows the first of its kind; numbers go by first appearance.
	for (int32_t i = 0; i < keys->count && unique >= 0; ++i)
	{
		outMap[i] = outMap[i] == i ? unique++ : outMap[outMap[i]];
	}
	BR_FREE(allocator, points, keys->count);
	return unique;
}
