// SPDX-License-Identifier: MIT

#include "contact/point_order.h"

#include "base/cpu.h"
#include "contact/solid.h"

#include <string.h>

// So many points are chosen by going through all of them: fewer make the first grids too coarse to be of use.
#define ORDER_DIRECT 96

#define SPLAT(x) ((brLanes8){(x), (x), (x), (x), (x), (x), (x), (x)})
#define CHOOSE(mask, a, b) ((brLanes8)(((mask) & (brLaneMask8)(a)) | (~(mask) & (brLaneMask8)(b))))

typedef struct OrderEntry
{
	float distanceSq; // as it was when the entry was put down; by now it may be less
	int32_t point;
} OrderEntry;

// A point of the grid, with all that is asked of it.
typedef struct OrderNear
{
	float x, y, z;
	int32_t point;
} OrderNear;

typedef struct OrderWork
{
	int32_t count, padded;
	float *x, *y, *z;
	float* distanceSq;   // to the nearest chosen point; -1 once chosen
	int32_t* owners;     // place of that point in the order
	int32_t* levelOwner; // the owners when the level was full
	OrderEntry* heap;
	int32_t heapCount;
	int32_t* starts; // of the grid's buckets, one more than there are
	OrderNear* near; // points bucket by bucket
	int32_t bucketMask;
	bool hasAvx2;
	int32_t* buckets; // [count] of each point
	int32_t nearCount;
	float cell, invCell, leastCell;
} OrderWork;

static void orderTake(OrderWork* work, int32_t point, int32_t place, int32_t* outOrder, int32_t* outParents)
{
	outOrder[place] = point;
	outParents[place] = place > 0 ? work->levelOwner[point] : -1;
	work->distanceSq[point] = -1.0f;
}

// Written once and compiled for both vector paths: the same operations on the same lanes.
#define ORDER_PASS(name, target)                                                                                       \
	target static int32_t name(OrderWork* work, int32_t point, int32_t place)                                          \
	{                                                                                                                  \
		return orderPassLanes(work, point, place);                                                                     \
	}

// All distances against a new point, eight at a time. Returns the point that is now farthest.
__attribute__((always_inline)) static inline int32_t orderPassLanes(OrderWork* work, int32_t point, int32_t place)
{
	brLanes8 px = SPLAT(work->x[point]), py = SPLAT(work->y[point]), pz = SPLAT(work->z[point]);
	brLaneMask8 index = {0, 1, 2, 3, 4, 5, 6, 7}, bestIndex = index;
	const brLaneMask8 step = {8, 8, 8, 8, 8, 8, 8, 8};
	const brLaneMask8 mine = {place, place, place, place, place, place, place, place};
	brLanes8 best = SPLAT(-2.0f);
	for (int32_t i = 0; i < work->padded; i += BR_TRIANGLE_LANES, index += step)
	{
		brLanes8 dx = *(const brLanes8*)(const void*)(work->x + i) - px,
				 dy = *(const brLanes8*)(const void*)(work->y + i) - py,
				 dz = *(const brLanes8*)(const void*)(work->z + i) - pz;
		brLanes8* distanceSq = (brLanes8*)(void*)(work->distanceSq + i);
		brLaneMask8* owners = (brLaneMask8*)(void*)(work->owners + i);
		brLanes8 d = dx * dx + dy * dy + dz * dz, old = *distanceSq;
		brLaneMask8 isNearer = d < old;
		old = CHOOSE(isNearer, d, old);
		*distanceSq = old;
		*owners = (isNearer & mine) | (~isNearer & *owners);
		brLaneMask8 isFarther = old > best;
		best = CHOOSE(isFarther, old, best);
		bestIndex = (isFarther & index) | (~isFarther & bestIndex);
	}
	int32_t found = bestIndex[0];
	float most = best[0];
	for (int lane = 1; lane < BR_TRIANGLE_LANES; ++lane)
	{
		if (best[lane] > most || (best[lane] == most && bestIndex[lane] < found))
		{
			most = best[lane], found = bestIndex[lane];
		}
	}
	return found;
}

ORDER_PASS(orderPassPlain, )
#if defined(__x86_64__)
ORDER_PASS(orderPassAvx2, __attribute__((target("avx2"))))
#endif

static int32_t orderPass(OrderWork* work, int32_t point, int32_t place)
{
#if defined(__x86_64__)
	if (work->hasAvx2)
	{
		return orderPassAvx2(work, point, place);
	}
#endif
	return orderPassPlain(work, point, place);
}

static bool orderIsBefore(OrderEntry a, OrderEntry b)
{
	return a.distanceSq > b.distanceSq || (a.distanceSq == b.distanceSq && a.point < b.point);
}

static void orderSink(OrderWork* work, int32_t at)
{
	OrderEntry entry = work->heap[at];
	for (;;)
	{
		int32_t child = 2 * at + 1;
		if (child >= work->heapCount)
		{
			break;
		}
		if (child + 1 < work->heapCount && orderIsBefore(work->heap[child + 1], work->heap[child]))
		{
			child += 1;
		}
		if (!orderIsBefore(work->heap[child], entry))
		{
			break;
		}
		work->heap[at] = work->heap[child];
		at = child;
	}
	work->heap[at] = entry;
}

static int32_t orderBucket(const OrderWork* work, int32_t x, int32_t y, int32_t z)
{
	uint64_t key = (uint64_t)(uint32_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)y * 0xC2B2AE3D27D4EB4Fu ^
				   (uint64_t)(uint32_t)z * 0x165667B19E3779F9u;
	return (int32_t)(key >> 40) & work->bucketMask;
}

static int32_t orderCell(const OrderWork* work, float x)
{
	// Down, not towards zero.
	float at = x * work->invCell;
	int32_t cell = (int32_t)at;
	return cell - (at < (float)cell);
}

// Unchosen points in buckets of cells a little wider than the largest distance.
static void orderGrid(OrderWork* work, float distance)
{
	float wanted = distance * 1.001f;
	work->cell = wanted > work->leastCell ? wanted : work->leastCell;
	work->invCell = 1.0f / work->cell;
	memset(work->starts, 0, sizeof(int32_t) * ((size_t)work->bucketMask + 2));
	for (int32_t i = 0; i < work->count; ++i)
	{
		if (work->distanceSq[i] >= 0.0f)
		{
			int32_t bucket = orderBucket(work, orderCell(work, work->x[i]), orderCell(work, work->y[i]),
										 orderCell(work, work->z[i]));
			work->buckets[i] = bucket;
			work->starts[bucket + 1] += 1;
		}
	}
	for (int32_t k = 0; k <= work->bucketMask; ++k)
	{
		work->starts[k + 1] += work->starts[k];
	}
	for (int32_t i = work->count - 1; i >= 0; --i)
	{
		if (work->distanceSq[i] >= 0.0f)
		{
			work->near[--work->starts[work->buckets[i] + 1]] = (OrderNear){work->x[i], work->y[i], work->z[i], i};
		}
	}
	// Filling moved each start to the one before: starts[k + 1] is where k begins.
}

// Distances of the neighbourhood against a new point. A bucket may hold other cells too; that does no harm.
static void orderNeighbours(OrderWork* work, int32_t point, int32_t place)
{
	float px = work->x[point], py = work->y[point], pz = work->z[point];
	int32_t cx = orderCell(work, px), cy = orderCell(work, py), cz = orderCell(work, pz);
	for (int32_t k = 0; k < 27; ++k)
	{
		int32_t bucket = orderBucket(work, cx + k % 3 - 1, cy + k / 3 % 3 - 1, cz + k / 9 - 1);
		int32_t end = bucket < work->bucketMask ? work->starts[bucket + 2] : work->nearCount;
		for (int32_t i = work->starts[bucket + 1]; i < end; ++i)
		{
			const OrderNear* near = &work->near[i];
			float dx = near->x - px, dy = near->y - py, dz = near->z - pz;
			float d = dx * dx + dy * dy + dz * dz;
			if (d < work->distanceSq[near->point])
			{
				work->distanceSq[near->point] = d;
				work->owners[near->point] = place;
			}
		}
	}
}

static void orderAll(OrderWork* work, int32_t direct, int32_t* outOrder, int32_t* outParents)
{
	// The first: farthest from the middle.
	double sx = 0.0, sy = 0.0, sz = 0.0;
	for (int32_t i = 0; i < work->count; ++i)
	{
		sx += (double)work->x[i], sy += (double)work->y[i], sz += (double)work->z[i];
	}
	float mx = (float)(sx / work->count), my = (float)(sy / work->count), mz = (float)(sz / work->count);
	int32_t point = 0;
	float most = -1.0f;
	for (int32_t i = 0; i < work->count; ++i)
	{
		float dx = work->x[i] - mx, dy = work->y[i] - my, dz = work->z[i] - mz;
		float d = dx * dx + dy * dy + dz * dz;
		if (d > most)
		{
			most = d, point = i;
		}
	}
	int32_t place = 0, level = 1;
	for (; place < direct; ++place)
	{
		orderTake(work, point, place, outOrder, outParents);
		point = orderPass(work, point, place);
		if (place + 1 == level)
		{
			memcpy(work->levelOwner, work->owners, sizeof(int32_t) * (size_t)work->count);
			level *= 2;
		}
	}
	if (place == work->count)
	{
		return;
	}
	work->heapCount = 0;
	for (int32_t i = 0; i < work->count; ++i)
	{
		if (work->distanceSq[i] >= 0.0f)
		{
			work->heap[work->heapCount++] = (OrderEntry){work->distanceSq[i], i};
		}
	}
	for (int32_t i = work->heapCount / 2 - 1; i >= 0; --i)
	{
		orderSink(work, i);
	}
	work->cell = INFINITY;
	while (place < work->count)
	{
		// Entries that are no longer true sink to where they belong.
		while (work->heap[0].distanceSq != work->distanceSq[work->heap[0].point])
		{
			work->heap[0].distanceSq = work->distanceSq[work->heap[0].point];
			orderSink(work, 0);
		}
		OrderEntry entry = work->heap[0];
		work->heap[0] = work->heap[--work->heapCount];
		if (work->heapCount > 0)
		{
			orderSink(work, 0);
		}
		float distance = sqrtf(entry.distanceSq);
		if (distance > 0.0f && !(distance > 0.5f * work->cell) && work->cell > work->leastCell)
		{
			orderGrid(work, distance);
			work->nearCount = work->count - place;
		}
		orderTake(work, entry.point, place, outOrder, outParents);
		if (distance > 0.0f)
		{
			orderNeighbours(work, entry.point, place);
		}
		place += 1;
		if (place == level)
		{
			memcpy(work->levelOwner, work->owners, sizeof(int32_t) * (size_t)work->count);
			level *= 2;
		}
	}
}

bool brOrderPoints(const brAllocator* allocator, const brVec3* places, int32_t count, int32_t direct, int32_t* outOrder,
				   int32_t* outParents)
{
	if (count <= 0)
	{
		return count == 0;
	}
	direct = direct < 0 ? ORDER_DIRECT : direct > 0 ? direct : 1;
	direct = direct < count ? direct : count;
	OrderWork work = {.count = count, .padded = (count + 7) / 8 * 8};
	int32_t buckets = 64;
	while (buckets < count && buckets < 1 << 20)
	{
		buckets *= 2;
	}
	work.bucketMask = buckets - 1;
	// One block: four arrays of floats, three of integers, the heap, the grid.
	size_t padded = (size_t)work.padded;
	size_t bytes =
		padded * (7 * sizeof(float) + sizeof(OrderEntry) + sizeof(OrderNear)) + sizeof(int32_t) * ((size_t)buckets + 1);
	char* block = brAlloc(allocator, bytes);
	if (block == NULL)
	{
		return false;
	}
	work.hasAvx2 = brCpu_Best() >= br_cpuAvx2;
	work.x = (float*)(void*)block;
	work.y = work.x + padded, work.z = work.y + padded, work.distanceSq = work.z + padded;
	work.owners = (int32_t*)(void*)(work.distanceSq + padded);
	work.levelOwner = work.owners + padded, work.buckets = work.levelOwner + padded;
	work.heap = (OrderEntry*)(void*)(work.buckets + padded);
	work.near = (OrderNear*)(void*)(work.heap + padded);
	work.starts = (int32_t*)(void*)(work.near + padded);
	for (int32_t i = 0; i < work.padded; ++i)
	{
		brVec3 p = i < count ? places[i] : places[0];
		work.x[i] = p.x, work.y[i] = p.y, work.z[i] = p.z;
		work.distanceSq[i] = i < count ? INFINITY : -1.0f;
		work.owners[i] = 0;
		// Cells must have numbers that fit.
		work.leastCell = fmaxf(work.leastCell, 1e-6f * fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))));
	}
	orderAll(&work, direct, outOrder, outParents);
	brFree(allocator, block, bytes);
	return true;
}

void brMeasurePointTree(const brVec3* places, const int32_t* parents, int32_t count, float* outRadii)
{
	memset(outRadii, 0, sizeof(float) * (size_t)count);
	for (int32_t i = count - 1; i > 0; --i)
	{
		for (int32_t k = parents[i]; k >= 0; k = parents[k])
		{
			brVec3 d = brSub(places[i], places[k]);
			float radius = sqrtf(brDot(d, d)) * (1.0f + 1e-6f);
			outRadii[k] = radius > outRadii[k] ? radius : outRadii[k];
		}
	}
}
