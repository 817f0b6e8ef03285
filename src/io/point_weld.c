// SPDX-License-Identifier: MIT
#include "io/point_weld.h"

#include "base/hash.h"
#include "io/number.h"

#include <string.h>

#define POINT_BATCH 64
#define POINT_MAX_SLOTS ((int64_t)1 << 30)
#define POINT_STEPS_PER_VERTEX 32 // a table filled to five eighths needs less than two

static inline uint64_t pointBits(double x)
{
	x += 0.0; // -0 becomes +0
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline uint64_t pointFold(uint64_t a, uint64_t b)
{
	brUint128 product = (brUint128)a * b;
	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static inline uint32_t pointHash(brDVec3 p, uint64_t salt)
{
	uint64_t xy = pointFold(pointBits(p.x) ^ salt ^ 0x9e3779b97f4a7c15u, pointBits(p.y) ^ salt ^ 0xbf58476d1ce4e5b9u);
	return (uint32_t)pointFold(xy ^ pointBits(p.z), salt ^ 0x94d049bb133111ebu);
}

static void putPointSlot(brPointSlot* slots, uint32_t mask, brPointSlot slot)
{
	uint32_t at = slot.hash & mask;
	while (slots[at].vertex >= 0)
	{
		at = (at + 1) & mask;
	}
	slots[at] = slot;
}

static bool growPointSlots(brPointWeld* weld, int64_t slotCount)
{
	brPointSlot* slots = slotCount <= POINT_MAX_SLOTS ? BR_ALLOC(&weld->allocator, brPointSlot, slotCount) : NULL;
	if (slots == NULL)
	{
		return false;
	}
	memset(slots, 0xFF, (size_t)slotCount * sizeof(brPointSlot));
	for (int32_t i = 0; i < weld->slotCount; ++i)
	{
		if (weld->slots[i].vertex >= 0)
		{
			putPointSlot(slots, (uint32_t)slotCount - 1, weld->slots[i]);
		}
	}
	BR_FREE(&weld->allocator, weld->slots, weld->slotCount);
	weld->slots = slots;
	weld->slotCount = (int32_t)slotCount;
	return true;
}

static void resaltPoints(brPointWeld* weld)
{
	weld->salt = brHashBytes(weld->salt, weld->positions.data, (size_t)weld->positions.count * sizeof(brDVec3));
	weld->steps = 0;
	memset(weld->slots, 0xFF, (size_t)weld->slotCount * sizeof(brPointSlot));
	for (int32_t v = 0; v < weld->positions.count; ++v)
	{
		brPointSlot slot = {pointHash(weld->positions.data[v], weld->salt), v};
		putPointSlot(weld->slots, (uint32_t)weld->slotCount - 1, slot);
	}
}

bool brPointWeld_Init(brPointWeld* weld, const brAllocator* allocator, int64_t expectedVertices)
{
	memset(weld, 0, sizeof(*weld));
	weld->allocator = *allocator;
	int64_t slotCount = 256;
	while (slotCount < 2 * expectedVertices && slotCount < POINT_MAX_SLOTS)
	{
		slotCount *= 2;
	}
	expectedVertices = expectedVertices < slotCount ? expectedVertices : slotCount;
	return growPointSlots(weld, slotCount) && BR_RESERVE(&weld->allocator, &weld->positions, (int32_t)expectedVertices);
}

void brPointWeld_Free(brPointWeld* weld)
{
	BR_FREE_ARRAY(&weld->allocator, &weld->positions);
	BR_FREE(&weld->allocator, weld->slots, weld->slotCount);
	weld->slots = NULL;
	weld->slotCount = 0;
}

static void weldPointBatch(brPointWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices)
{
	brPointSlot* slots = weld->slots;
	brDVec3* positions = weld->positions.data;
	int32_t used = weld->positions.count;
	int64_t steps = 0;
	uint32_t mask = (uint32_t)weld->slotCount - 1;
	uint32_t hashes[POINT_BATCH];
	for (int32_t i = 0; i < count; ++i)
	{
		hashes[i] = pointHash(points[i], weld->salt);
		__builtin_prefetch(&slots[hashes[i] & mask]);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brPointSlot slot = slots[hashes[i] & mask];
		__builtin_prefetch(&positions[slot.vertex >= 0 ? slot.vertex : used]);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = points[i];
		for (uint32_t at = hashes[i] & mask;; at = (at + 1) & mask, ++steps)
		{
			brPointSlot slot = slots[at];
			if (slot.vertex < 0)
			{
				slots[at] = (brPointSlot){hashes[i], used};
				positions[used] = p;
				outVertices[i] = used++;
				break;
			}
			if (slot.hash == hashes[i])
			{
				brDVec3 other = positions[slot.vertex];
				if (other.x == p.x && other.y == p.y && other.z == p.z)
				{
					outVertices[i] = slot.vertex;
					break;
				}
			}
		}
	}
	weld->positions.count = used;
	weld->steps += steps;
}

bool brPointWeld_Add(brPointWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices)
{
	for (int32_t begin = 0; begin < count; begin += POINT_BATCH)
	{
		int32_t batch = count - begin < POINT_BATCH ? count - begin : POINT_BATCH;
		int64_t needed = (int64_t)weld->positions.count + batch;
		if (8 * needed > 5 * (int64_t)weld->slotCount && !growPointSlots(weld, 2 * (int64_t)weld->slotCount))
		{
			return false;
		}
		if (!BR_RESERVE(&weld->allocator, &weld->positions, batch))
		{
			return false;
		}
		weldPointBatch(weld, points + begin, batch, outVertices + begin);
		if (weld->steps > POINT_STEPS_PER_VERTEX * ((int64_t)weld->slotCount + POINT_BATCH))
		{
			resaltPoints(weld);
		}
	}
	return true;
}
