// SPDX-License-Identifier: MIT
#include "index/compact_order.h"

#include "base/sort.h"

#include <string.h>

#define COMPACT_ARITY 8

static uint64_t compactKey(float value, int32_t index)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u; // floats as integers in the same order
	return (uint64_t)bits << 32 | (uint32_t)index;
}

static void compactSplit(const brVec3* centers, uint64_t* keys, int32_t count)
{
	while (count > COMPACT_ARITY)
	{
		brVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
		for (int32_t i = 0; i < count; ++i)
		{
			brVec3 c = centers[(uint32_t)keys[i]];
			lower = brMin(lower, c), upper = brMax(upper, c);
		}
		brVec3 size = brSub(upper, lower);
		int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
		for (int32_t i = 0; i < count; ++i)
		{
			brVec3 c = centers[(uint32_t)keys[i]];
			keys[i] = compactKey(axis == 0 ? c.x : axis == 1 ? c.y : c.z, (int32_t)(uint32_t)keys[i]);
		}
		int32_t half = COMPACT_ARITY;
		while (2 * half < count)
		{
			half *= 2;
		}
		brSelectKeys64(keys, count, half);
		compactSplit(centers, keys, half);
		keys += half, count -= half;
	}
}

void brMakeCompactOrder(const brVec3* centers, uint64_t* keys, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		keys[i] = (uint64_t)i;
	}
	compactSplit(centers, keys, count);
}
