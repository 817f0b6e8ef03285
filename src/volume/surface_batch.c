// SPDX-License-Identifier: MIT

// Questions of many points at once, on workers. Points are asked in order along a curve through space, so that one
// finds in the cache what the one before it has read; winding numbers go through the tree as many side by side as a
// register holds. The answers are those of one point alone.

#include "base/sort.h"
#include "index/curve_code.h"
#include "volume/surface_tree.h"

#define QUERY_BLOCK 1024

// Fewer points are not worth an order.
#define QUERY_ORDER_LEAST 256

#define BR_LANES_WIDEST
#define BR_LANES_FILE "volume/winding_lanes.h"
#include "base/each_lanes.h"

typedef void WindingsFcn(const brSurfaceTree* tree, const brDVec3* points, const uint32_t* order, int32_t count,
						 double* out);

typedef struct QueryBatch
{
	const brSurfaceTree* tree;
	const brDVec3* points;
	const uint32_t* order; // in which points are asked, near ones one after the other; or null: as they come
	double* winding;
	int32_t* crossings;
	brClosestPoint* closest;
} QueryBatch;

// Points lie anywhere in the caller's memory: so many ahead are fetched.
#define QUERY_AHEAD 32

// The most points that go through the tree side by side.
#define QUERY_PACKET 16

static int32_t packetSize(brCpuPath path)
{
	return path >= br_cpuAvx512 ? 16 : path >= br_cpuAvx2 ? 8 : 4;
}

static void runWindings(const QueryBatch* batch, int32_t begin, int32_t end)
{
	brCpuPath path = batch->tree->hasAvx2 ? brCpu_Best() : br_cpuScalar;
	WindingsFcn* ask = BR_WIDEST(path, treeWindings);
	uint32_t packet[QUERY_PACKET];
	int32_t size = packetSize(path), count = 0;
	for (int32_t i = begin; i < end; ++i)
	{
		uint32_t point = batch->order[i];
		if (i + QUERY_AHEAD < end)
		{
			__builtin_prefetch(&batch->points[batch->order[i + QUERY_AHEAD]]);
			__builtin_prefetch(&batch->winding[batch->order[i + QUERY_AHEAD]], 1);
		}
		if (brSurfaceTree_IsNear(batch->tree, batch->points[point]))
		{
			packet[count++] = point;
		}
		else
		{
			batch->winding[point] = 0.0;
		}
		if (count > 0 && (count == size || i + 1 == end))
		{
			ask(batch->tree, batch->points, packet, count, batch->winding);
			count = 0;
		}
	}
}

static void runBatch(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const QueryBatch* batch = user;
	if (batch->winding != NULL && batch->order != NULL)
	{
		runWindings(batch, begin, end);
		return;
	}
	for (int32_t i = begin; i < end; ++i)
	{
		uint32_t k = batch->order != NULL ? batch->order[i] : (uint32_t)i;
		if (batch->winding != NULL)
		{
			batch->winding[k] = brSurfaceTree_WindingAt(batch->tree, batch->points[k]);
		}
		else if (batch->crossings != NULL)
		{
			batch->crossings[k] = brSurfaceTree_CrossingsAt(batch->tree, batch->points[k]);
		}
		else
		{
			batch->closest[k] = brSurfaceTree_ClosestWithin(batch->tree, batch->points[k], INFINITY);
		}
	}
}

// The cell of a coordinate, ten bits for the size of the tree.
static uint32_t orderCell(double local)
{
	const double half = 1 << (BR_CURVE_CODE_AXIS_BITS - 1);
	double cell = half * (local + 1.0), last = 2.0 * half - 1.0;
	return cell > 0.0 ? (uint32_t)(cell < last ? cell : last) : 0;
}

// Codes, order and scratch lie one behind the other in `memory`. False without memory to sort.
static bool orderPoints(const brContext* context, const QueryBatch* batch, int32_t count, uint32_t* memory)
{
	uint32_t *codes = memory, *order = codes + count, *scratch = order + count;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 local = brSurfaceTree_ToLocal(batch->tree, batch->points[i]);
		codes[i] = brCurveCode_Spread(orderCell(local.x)) << 2 | brCurveCode_Spread(orderCell(local.y)) << 1 |
				   brCurveCode_Spread(orderCell(local.z));
		order[i] = (uint32_t)i;
	}
	brAllocator allocator = brContext_Allocator(context);
	brWorkers* workers = context != NULL ? context->workers : NULL;
	return brSortPairs32(workers, &allocator, codes, order, scratch, scratch + count, count);
}

static void startBatch(const brContext* context, QueryBatch* batch, int32_t count)
{
	bool isOrdered = count >= QUERY_ORDER_LEAST;
	brAllocator allocator = brContext_Allocator(context);
	uint32_t* memory = isOrdered ? BR_ALLOC(&allocator, uint32_t, 4 * (int64_t)count) : NULL;
	if (memory != NULL && orderPoints(context, batch, count, memory))
	{
		batch->order = memory + count;
	}
	brParallelFor(context != NULL ? context->workers : NULL, count, QUERY_BLOCK, runBatch, batch);
	BR_FREE(&allocator, memory, 4 * (int64_t)count);
}

void brSurfaceTree_ComputeWinding(const brSurfaceTree* tree, const brContext* context, const brDVec3* points,
								  int32_t count, double* outWinding)
{
	QueryBatch batch = {.tree = tree, .points = points, .winding = outWinding};
	startBatch(context, &batch, count);
}

void brSurfaceTree_CountCrossings(const brSurfaceTree* tree, const brContext* context, const brDVec3* points,
								  int32_t count, int32_t* outCrossings)
{
	QueryBatch batch = {.tree = tree, .points = points, .crossings = outCrossings};
	startBatch(context, &batch, count);
}

void brSurfaceTree_FindClosest(const brSurfaceTree* tree, const brContext* context, const brDVec3* points,
							   int32_t count, brClosestPoint* outClosest)
{
	QueryBatch batch = {.tree = tree, .points = points, .closest = outClosest};
	startBatch(context, &batch, count);
}
