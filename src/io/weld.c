// SPDX-License-Identifier: MIT
#include "io/weld.h"

#include "io/number.h"

#include <string.h>

#define WELD_BATCH 64
#define WELD_MAX_SLOTS ((int64_t)1 << 30)

static inline uint64_t weldBits(double x)
{
	x += 0.0; // -0 becomes +0
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline uint64_t weldFold(uint64_t a, uint64_t b)
{
	brUint128 product = (brUint128)a * b;
	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static inline uint32_t weldHash(brDVec3 p)
{
	uint64_t xy = weldFold(weldBits(p.x) ^ 0x9e3779b97f4a7c15u, weldBits(p.y) ^ 0xbf58476d1ce4e5b9u);
	return (uint32_t)weldFold(xy ^ weldBits(p.z), 0x94d049bb133111ebu);
}

static bool makeWeldSlots(brWeld* weld, int64_t slotCount)
{
	brWeldSlot* slots = slotCount <= WELD_MAX_SLOTS ? BR_ALLOC(&weld->allocator, brWeldSlot, slotCount) : NULL;
	if (slots == NULL)
	{
		return false;
	}
	memset(slots, 0xFF, (size_t)slotCount * sizeof(brWeldSlot));
	uint32_t mask = (uint32_t)slotCount - 1;
	for (int32_t i = 0; i < weld->slotCount; ++i)
	{
		if (weld->slots[i].vertex >= 0)
		{
			uint32_t at = weld->slots[i].hash & mask;
			while (slots[at].vertex >= 0)
			{
				at = (at + 1) & mask;
			}
			slots[at] = weld->slots[i];
		}
	}
	BR_FREE(&weld->allocator, weld->slots, weld->slotCount);
	weld->slots = slots;
	weld->slotCount = (int32_t)slotCount;
	return true;
}

bool brWeld_Init(brWeld* weld, const brAllocator* allocator, int64_t expectedVertices)
{
	memset(weld, 0, sizeof(*weld));
	weld->allocator = *allocator;
	int64_t slotCount = 256;
	while (slotCount < 2 * expectedVertices && slotCount < WELD_MAX_SLOTS)
	{
		slotCount *= 2;
	}
	expectedVertices = expectedVertices < slotCount ? expectedVertices : slotCount;
	return makeWeldSlots(weld, slotCount) && BR_RESERVE(&weld->allocator, &weld->positions, (int32_t)expectedVertices);
}

void brWeld_Free(brWeld* weld)
{
	BR_FREE_ARRAY(&weld->allocator, &weld->positions);
	BR_FREE(&weld->allocator, weld->slots, weld->slotCount);
	weld->slots = NULL;
	weld->slotCount = 0;
}

static void weldBatch(brWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices)
{
	brWeldSlot* slots = weld->slots;
	brDVec3* positions = weld->positions.data;
	int32_t used = weld->positions.count;
	uint32_t mask = (uint32_t)weld->slotCount - 1;
	uint32_t hashes[WELD_BATCH];
	for (int32_t i = 0; i < count; ++i)
	{
		hashes[i] = weldHash(points[i]);
		__builtin_prefetch(&slots[hashes[i] & mask]);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brWeldSlot slot = slots[hashes[i] & mask];
		__builtin_prefetch(&positions[slot.vertex >= 0 ? slot.vertex : used]);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = points[i];
		uint32_t at = hashes[i] & mask;
		for (;; at = (at + 1) & mask)
		{
			brWeldSlot slot = slots[at];
			if (slot.vertex < 0)
			{
				slots[at] = (brWeldSlot){hashes[i], used};
				positions[used] = p;
				outVertices[i] = used++;
				break;
			}
			brDVec3 other = slot.hash == hashes[i] ? positions[slot.vertex] : (brDVec3){0};
			if (slot.hash == hashes[i] && other.x == p.x && other.y == p.y && other.z == p.z)
			{
				outVertices[i] = slot.vertex;
				break;
			}
		}
	}
	weld->positions.count = used;
}

bool brWeld_Add(brWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices)
{
	for (int32_t begin = 0; begin < count; begin += WELD_BATCH)
	{
		int32_t batch = count - begin < WELD_BATCH ? count - begin : WELD_BATCH;
		int64_t needed = (int64_t)weld->positions.count + batch;
		if (8 * needed > 5 * (int64_t)weld->slotCount && !makeWeldSlots(weld, 2 * (int64_t)weld->slotCount))
		{
			return false;
		}
		if (!BR_RESERVE(&weld->allocator, &weld->positions, batch))
		{
			return false;
		}
		weldBatch(weld, points + begin, batch, outVertices + begin);
	}
	return true;
}
