// SPDX-License-Identifier: MIT

#include "contact/point_order.h"

#include "contact/solid.h"

#include <string.h>

// Up to so many points it is quicker to go through all of them each time than to have a tree.
#define ORDER_DIRECT 400

// Points in a leaf of the tree, and nodes in its top, which are all looked at.
#define ORDER_LEAF 32
#define ORDER_TOP 64

#define SPLAT(x) LANE(brSplat8)(x)
#define CHOOSE BR_CHOOSE8

// A point to choose next.
typedef struct OrderFar
{
	float distanceSq;
	int32_t point;
} OrderFar;

// The point that was chosen.
typedef struct OrderSeed
{
	float x, y, z;
	int32_t place;
} OrderSeed;

// Eight leaves, or eight nodes one level down: their boxes, and the farthest point in each.
typedef struct OrderNode
{
	brFloat8 lower[3], upper[3], most;
	int32_t farthest[BR_TRIANGLE_LANES]; // from a multiple of 32 bytes
} OrderNode;

// Points lie in slots: as they came or, under a tree, so that those of a leaf are close together.
typedef struct OrderWork
{
	int32_t count, padded;
	float *x, *y, *z;
	float* distanceSq;   // to the nearest chosen point; -1 once chosen
	int32_t* owners;     // place of that point in the order
	int32_t* levelOwner; // the owners when the level was full
	int32_t* points;     // in each slot
	int32_t* slotOf;     // each point
	uint32_t* keys;      // while slots are given away
	OrderNode* levels[BR_TREE_LEVELS];
	int32_t levelCounts[BR_TREE_LEVELS], levelCount, nodeCount;
} OrderWork;

#define BR_LANES_FILE "contact/point_kernels.h"
#include "base/each_lanes.h"

// The next point, after one more was chosen.
static int32_t orderNext(OrderWork* work, bool hasAvx2, const OrderSeed* seed)
{
	return work->levelCount == 0 ? BR_ON_LANES(hasAvx2, orderPass, (work, seed))
								 : BR_ON_LANES(hasAvx2, orderTop, (work, seed));
}

// Every third bit from the lowest eight.
static uint32_t orderSpread(uint32_t x)
{
	x = (x | x << 8) & 0x00f00fu;
	x = (x | x << 4) & 0x0c30c3u;
	return (x | x << 2) & 0x249249u;
}

// Slots along a Morton curve. What is in which slot has no say in the order.
static void orderPlaceSlots(OrderWork* work, const brVec3* places)
{
	brVec3 lower = places[0], upper = places[0];
	for (int32_t i = 1; i < work->count; ++i)
	{
		lower = brMin(lower, places[i]), upper = brMax(upper, places[i]);
	}
	brVec3 size = brSub(upper, lower);
	float longest = size.x > size.y ? size.x : size.y;
	longest = size.z > longest ? size.z : longest;
	float scale = longest > 1e-30f ? 255.0f / longest : 0.0f;
	int32_t counts[3][256] = {0};
	uint32_t *keys = work->keys, *other = work->keys + work->count;
	int32_t *points = work->slotOf, *otherPoints = work->points;
	for (int32_t i = 0; i < work->count; ++i)
	{
		brVec3 at = brMul(scale, brSub(places[i], lower));
		uint32_t key =
			orderSpread((uint32_t)at.x) | orderSpread((uint32_t)at.y) << 1 | orderSpread((uint32_t)at.z) << 2;
		keys[i] = key, points[i] = i;
		counts[0][key & 255] += 1, counts[1][key >> 8 & 255] += 1, counts[2][key >> 16] += 1;
	}
	for (int digit = 0; digit < 3; ++digit)
	{
		int32_t sum = 0;
		for (int32_t k = 0; k < 256; ++k)
		{
			int32_t here = counts[digit][k];
			counts[digit][k] = sum, sum += here;
		}
		for (int32_t i = 0; i < work->count; ++i)
		{
			int32_t to = counts[digit][keys[i] >> 8 * digit & 255]++;
			other[to] = keys[i], otherPoints[to] = points[i];
		}
		uint32_t* swapKeys = keys;
		int32_t* swapPoints = points;
		keys = other, other = swapKeys;
		points = otherPoints, otherPoints = swapPoints;
	}
	// After three passes they lie in work->points.
	for (int32_t i = 0; i < work->count; ++i)
	{
		work->slotOf[work->points[i]] = i;
	}
}

static void orderFillTree(OrderWork* work)
{
	int32_t below = work->padded / ORDER_LEAF;
	for (int32_t level = 0; level < work->levelCount; ++level)
	{
		for (int32_t i = 0; i < BR_TRIANGLE_LANES * work->levelCounts[level]; ++i)
		{
			OrderNode* node = &work->levels[level][i / BR_TRIANGLE_LANES];
			brVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
			for (int32_t k = 0; k < (level > 0 ? BR_TRIANGLE_LANES : ORDER_LEAF) && i < below; ++k)
			{
				int32_t slot = ORDER_LEAF * i + k;
				const OrderNode* child = level > 0 ? &work->levels[level - 1][i] : NULL;
				lower =
					brMin(lower, child != NULL ? brMakeVec3(child->lower[0][k], child->lower[1][k], child->lower[2][k])
											   : brMakeVec3(work->x[slot], work->y[slot], work->z[slot]));
				upper =
					brMax(upper, child != NULL ? brMakeVec3(child->upper[0][k], child->upper[1][k], child->upper[2][k])
											   : brMakeVec3(work->x[slot], work->y[slot], work->z[slot]));
			}
			const float low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
			for (int k = 0; k < 3; ++k)
			{
				node->lower[k][i % BR_TRIANGLE_LANES] = low[k], node->upper[k][i % BR_TRIANGLE_LANES] = high[k];
			}
			// Nothing is known yet, and in lanes without points nothing will be.
			node->most[i % BR_TRIANGLE_LANES] = i < below ? INFINITY : -1.0f;
			node->farthest[i % BR_TRIANGLE_LANES] = INT32_MAX;
		}
		below = work->levelCounts[level];
	}
}

// The first: farthest from the middle.
static int32_t orderFirst(const brVec3* places, int32_t count)
{
	double sx = 0.0, sy = 0.0, sz = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		sx += (double)places[i].x, sy += (double)places[i].y, sz += (double)places[i].z;
	}
	float mx = (float)(sx / count), my = (float)(sy / count), mz = (float)(sz / count);
	int32_t point = 0;
	float most = -1.0f;
	for (int32_t i = 0; i < count; ++i)
	{
		float dx = places[i].x - mx, dy = places[i].y - my, dz = places[i].z - mz;
		float d = dx * dx + dy * dy + dz * dz;
		if (d > most)
		{
			most = d, point = i;
		}
	}
	return point;
}

static void orderAll(OrderWork* work, bool hasAvx2, const brVec3* places, int32_t* outOrder, int32_t* outParents)
{
	int32_t point = orderFirst(places, work->count), level = 1;
	for (int32_t place = 0; place < work->count; ++place)
	{
		int32_t slot = work->levelCount > 0 ? work->slotOf[point] : point;
		outOrder[place] = point;
		outParents[place] = place > 0 ? work->levelOwner[slot] : -1;
		work->distanceSq[slot] = -1.0f;
		OrderSeed seed = {places[point].x, places[point].y, places[point].z, place};
		point = orderNext(work, hasAvx2, &seed);
		if (place + 1 == level)
		{
			memcpy(work->levelOwner, work->owners, sizeof(int32_t) * (size_t)work->count);
			level *= 2;
		}
	}
}

// Lays the arrays out in a block, or without one says how long it must be.
static size_t orderCarve(OrderWork* work, char* block)
{
	size_t padded = (size_t)work->padded, bytes = sizeof(OrderNode) * (size_t)work->nodeCount;
	if (block != NULL)
	{
		OrderNode* nodes = (OrderNode*)(void*)block;
		for (int32_t level = 0; level < work->levelCount; ++level)
		{
			work->levels[level] = nodes;
			nodes += work->levelCounts[level];
		}
		float* floats = (float*)(void*)nodes;
		int32_t* integers = (int32_t*)(void*)(floats + 4 * padded);
		work->x = floats, work->y = floats + padded, work->z = floats + 2 * padded;
		work->distanceSq = floats + 3 * padded;
		work->owners = integers, work->levelOwner = integers + padded;
		work->points = integers + 2 * padded, work->slotOf = integers + 3 * padded;
		// Keys are done with when distances and owners begin.
		work->keys = (uint32_t*)(void*)work->distanceSq;
	}
	return bytes + (work->levelCount > 0 ? 8 : 6) * sizeof(float) * padded;
}

static OrderWork orderMake(int32_t count, int32_t direct)
{
	OrderWork work = {.count = count, .padded = (count + 7) / 8 * 8};
	if (count > (direct < 0 ? ORDER_DIRECT : direct))
	{
		work.padded = (count + ORDER_LEAF - 1) / ORDER_LEAF * ORDER_LEAF;
		int32_t below = work.padded / ORDER_LEAF;
		do
		{
			below = (below + BR_TRIANGLE_LANES - 1) / BR_TRIANGLE_LANES;
			work.levelCounts[work.levelCount++] = below;
			work.nodeCount += below;
		} while (below > ORDER_TOP);
	}
	return work;
}

size_t brOrderPointsBytes(int32_t count, int32_t direct)
{
	OrderWork work = orderMake(count, direct);
	return orderCarve(&work, NULL);
}

void brOrderPointsIn(void* scratch, brCpuPath path, const brVec3* places, int32_t count, int32_t direct,
					 int32_t* outOrder, int32_t* outParents)
{
	OrderWork work = orderMake(count, direct);
	orderCarve(&work, scratch);
	bool hasTree = work.levelCount > 0;
	if (hasTree)
	{
		orderPlaceSlots(&work, places);
	}
	for (int32_t slot = 0; slot < work.padded; ++slot)
	{
		// What is beyond the last lies with it, as if it were chosen.
		int32_t point = slot >= count ? -1 : hasTree ? work.points[slot] : slot;
		brVec3 p = point >= 0 ? places[point] : brMakeVec3(work.x[slot - 1], work.y[slot - 1], work.z[slot - 1]);
		work.x[slot] = p.x, work.y[slot] = p.y, work.z[slot] = p.z;
		work.distanceSq[slot] = point >= 0 ? INFINITY : -1.0f;
		work.owners[slot] = 0;
		if (hasTree && point < 0)
		{
			work.points[slot] = INT32_MAX;
		}
	}
	if (hasTree)
	{
		orderFillTree(&work);
	}
	orderAll(&work, path >= br_cpuAvx2, places, outOrder, outParents);
}

void brMeasurePointTree(const brVec3* places, const int32_t* parents, int32_t count, float* outRadii)
{
	// Squares until the end: a root keeps the order.
	memset(outRadii, 0, sizeof(float) * (size_t)count);
	for (int32_t i = count - 1; i > 0; --i)
	{
		for (int32_t k = parents[i]; k >= 0; k = parents[k])
		{
			brVec3 d = brSub(places[i], places[k]);
			float distanceSq = brDot(d, d);
			outRadii[k] = distanceSq > outRadii[k] ? distanceSq : outRadii[k];
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		outRadii[i] = sqrtf(outRadii[i]) * (1.0f + 1e-6f);
	}
}
