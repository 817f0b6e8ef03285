// SPDX-License-Identifier: MIT

// Building the wide trees: order, then groups level by level. About five streams of 32 bytes a primitive in all.

#include "index/wide_bvh.h"

#include "base/assert.h"
#include "base/clock.h"

#include <string.h>

enum
{
	widePackBlock = 64,   // groups packed in one go
	wideFillBlock = 4096, // boxes or vertices made in one go
};

void brWideBvh_Init(brWideBvh* bvh, const brAllocator* allocator, int32_t lanes)
{
	memset(bvh, 0, sizeof(*bvh));
	bvh->allocator = *allocator;
	bvh->kernels = brGetWideKernels(lanes);
	brCurveOrder_Init(&bvh->order, allocator, bvh->kernels);
}

void brWideBvh_Free(brWideBvh* bvh)
{
	brCurveOrder_Free(&bvh->order);
	brStageMemory* all[] = {&bvh->trees,  &bvh->treeStarts, &bvh->starts,   &bvh->ids,
							&bvh->groups, &bvh->boxes[0],   &bvh->boxes[1], &bvh->triangles};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &bvh->allocator);
	}
	bvh->treeCount = 0;
}

static int32_t wideGroups(int32_t count)
{
	return (int32_t)(((int64_t)count + BR_WIDE_ARITY - 1) / BR_WIDE_ARITY);
}

// Lays out all trees: sizes first, then addresses. Returns false without memory.
static bool wideLayout(brWideBvh* bvh, const int32_t* treeStarts, int32_t treeCount)
{
	if (!brStageMemory_Ensure(&bvh->trees, &bvh->allocator, treeCount, sizeof(brWideTree)) ||
		!brStageMemory_Ensure(&bvh->starts, &bvh->allocator, treeCount, sizeof(int32_t)))
	{
		return false;
	}
	brWideTree* trees = bvh->trees.data;
	int32_t* starts = bvh->starts.data;
	int64_t leafGroups = 0;
	bvh->groupTotal = 0;
	for (int32_t k = 0; k < treeCount; ++k)
	{
		int32_t width = wideGroups(treeStarts[k + 1] - treeStarts[k]);
		starts[k] = (int32_t)(BR_WIDE_ARITY * leafGroups);
		trees[k] = (brWideTree){.groupCount = width};
		leafGroups += width;
		// Two levels at least, so that every group has a parent that knows its box.
		while (width > 0)
		{
			trees[k].levelCount += 1;
			bvh->groupTotal += width;
			if (width == 1 && trees[k].levelCount > 1)
			{
				break;
			}
			width = wideGroups(width);
		}
	}
	if (!brStageMemory_Ensure(&bvh->groups, &bvh->allocator, bvh->groupTotal, sizeof(brLaneBoxes)) ||
		!brStageMemory_Ensure(&bvh->ids, &bvh->allocator, BR_WIDE_ARITY * leafGroups, sizeof(uint32_t)) ||
		!brStageMemory_Ensure(&bvh->boxes[0], &bvh->allocator, leafGroups, sizeof(brTreeBox)) ||
		!brStageMemory_Ensure(&bvh->boxes[1], &bvh->allocator, wideGroups((int32_t)leafGroups) + treeCount,
							  sizeof(brTreeBox)))
	{
		return false;
	}
	brLaneBoxes* next = bvh->groups.data;
	for (int32_t k = 0; k < treeCount; ++k)
	{
		int32_t width = trees[k].groupCount;
		trees[k].ids = (const uint32_t*)bvh->ids.data + starts[k];
		for (int32_t level = 0; level < trees[k].levelCount; ++level)
		{
			trees[k].levels[level] = next;
			next += width;
			width = wideGroups(width);
		}
	}
	return true;
}

typedef struct WideJob
{
	brWideBvh* bvh;
	int32_t primitiveCount; // of the one tree
	const int32_t* treeStarts;
	brTrianglePack pack;
} WideJob;

// Groups [begin, end) of level 0 of the first tree.
static void widePackLeaves(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	WideJob* job = user;
	brWideBvh* bvh = job->bvh;
	int32_t first = BR_WIDE_ARITY * begin;
	int64_t last =
		(int64_t)BR_WIDE_ARITY * end < job->primitiveCount ? (int64_t)BR_WIDE_ARITY * end : job->primitiveCount;
	bvh->kernels->packGroups(bvh->order.boxes.data, (const uint32_t*)bvh->ids.data + first, (int32_t)(last - first),
							 (brLaneBoxes*)bvh->groups.data + begin, (brTreeBox*)bvh->boxes[0].data + begin);
}

// Levels 1 and up of one tree; `boxes` are those of its groups on level 0, `other` is room for a sixteenth as many.
static void widePackUpper(const brWideBvh* bvh, const brWideTree* tree, brTreeBox* boxes, brTreeBox* other)
{
	int32_t width = tree->groupCount;
	for (int32_t level = 1; level < tree->levelCount; ++level)
	{
		bvh->kernels->packGroups(boxes, NULL, width, (brLaneBoxes*)tree->levels[level], other);
		width = wideGroups(width);
		brTreeBox* swap = boxes;
		boxes = other, other = swap;
	}
}

// Whole trees, when there are many.
static void widePackTrees(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	WideJob* job = user;
	brWideBvh* bvh = job->bvh;
	for (int32_t k = begin; k < end; ++k)
	{
		const brWideTree* tree = brWideBvh_Tree(bvh, k);
		if (tree->groupCount == 0)
		{
			continue;
		}
		int32_t firstGroup = ((const int32_t*)bvh->starts.data)[k] / BR_WIDE_ARITY;
		brTreeBox* boxes = (brTreeBox*)bvh->boxes[0].data + firstGroup;
		// A sixteenth of the groups before, and one for the rounding of each tree before.
		brTreeBox* other = (brTreeBox*)bvh->boxes[1].data + firstGroup / BR_WIDE_ARITY + k;
		bvh->kernels->packGroups(bvh->order.boxes.data, tree->ids, job->treeStarts[k + 1] - job->treeStarts[k],
								 (brLaneBoxes*)tree->levels[0], boxes);
		widePackUpper(bvh, tree, boxes, other);
	}
}

static void widePack(brWideBvh* bvh, brWorkers* workers, const int32_t* treeStarts)
{
	int64_t start = brClockNanoseconds();
	WideJob job = {.bvh = bvh, .primitiveCount = bvh->primitiveCount, .treeStarts = treeStarts};
	if (bvh->treeCount == 1)
	{
		const brWideTree* tree = brWideBvh_Tree(bvh, 0);
		brParallelFor(workers, tree->groupCount, widePackBlock, widePackLeaves, &job);
		widePackUpper(bvh, tree, bvh->boxes[0].data, bvh->boxes[1].data);
	}
	else
	{
		brParallelFor(workers, bvh->treeCount, 4, widePackTrees, &job);
	}
	bvh->packSeconds = brSecondsSince(start);
}

brResult brWideBvh_Build(brWideBvh* bvh, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
						 int32_t treeCount, brReport* report)
{
	int32_t whole[2] = {0, source->count};
	if (treeStarts == NULL)
	{
		treeStarts = whole;
		treeCount = 1;
	}
	bvh->treeCount = 0;
	bvh->primitiveCount = source->count;
	if (!wideLayout(bvh, treeStarts, treeCount) ||
		!brStageMemory_Ensure(&bvh->treeStarts, &bvh->allocator, treeCount + 1, sizeof(int32_t)))
	{
		return brFailMemory(report);
	}
	memcpy(bvh->treeStarts.data, treeStarts, ((size_t)treeCount + 1) * sizeof(int32_t));
	brResult result =
		brCurveOrder_Run(&bvh->order, workers, source, treeStarts, treeCount, bvh->starts.data, bvh->ids.data, report);
	if (result < 0)
	{
		return result;
	}
	bvh->treeCount = treeCount;
	widePack(bvh, workers, treeStarts);
	return br_success;
}

// Triangles

static void widePackTriangleGroups(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	WideJob* job = user;
	brWideBvh* bvh = job->bvh;
	const int32_t* starts = bvh->starts.data;
	const int32_t* treeStarts = bvh->treeStarts.data;
	// The tree of the first group, by bisection: the last that starts at or before it.
	int32_t low = 0, high = bvh->treeCount;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		*(starts[middle] <= BR_WIDE_ARITY * begin ? &low : &high) = middle;
	}
	for (int32_t tree = low; tree < bvh->treeCount && begin < end; ++tree)
	{
		int32_t first = starts[tree] / BR_WIDE_ARITY, groupCount = brWideBvh_Tree(bvh, tree)->groupCount;
		int32_t stop = first + groupCount < end ? first + groupCount : end;
		if (stop <= begin)
		{
			continue;
		}
		int32_t skipped = BR_WIDE_ARITY * (begin - first), count = treeStarts[tree + 1] - treeStarts[tree] - skipped;
		int64_t most = (int64_t)BR_WIDE_ARITY * (stop - begin);
		const brWideTree* packed = brWideBvh_Tree(bvh, tree);
		bvh->kernels->packTriangles(&job->pack, (const uint32_t*)bvh->ids.data + BR_WIDE_ARITY * begin,
									(int32_t)(count < most ? count : most), packed->levels[0] + (begin - first),
									(brLaneTriangles*)bvh->triangles.data + begin);
		begin = stop;
	}
}

brResult brWideBvh_PackTriangles(brWideBvh* bvh, brWorkers* workers, brNeighborRule rule, const uint8_t* settled,
								 brReport* report)
{
	int64_t start = brClockNanoseconds();
	const brBoxSource* source = &bvh->order.maker.source;
	BR_ASSERT(source->cornersEach == 3 && source->corners != NULL);
	int32_t groupCount = 0;
	for (int32_t k = 0; k < bvh->treeCount; ++k)
	{
		groupCount += brWideBvh_Tree(bvh, k)->groupCount;
	}
	if (!brStageMemory_Ensure(&bvh->triangles, &bvh->allocator, groupCount, sizeof(brLaneTriangles)))
	{
		return brFailMemory(report);
	}
	const brTreeBox* bounds = &bvh->order.maker.bounds;
	double center[3] = {0.0, 0.0, 0.0}, half = 0.0;
	for (int k = 0; k < 3 && source->vertexCount > 0; ++k)
	{
		center[k] = 0.5 * ((double)bounds->lower[k] - (double)bounds->negUpper[k]);
		half = fmax(half, 0.5 * (-(double)bounds->negUpper[k] - (double)bounds->lower[k]));
	}
	int exponent = 0;
	frexp(half, &exponent); // half < 2^exponent
	WideJob job = {.bvh = bvh,
				   .pack = {.positions = source->positions,
							.triangles = (const int32_t(*)[3])source->corners,
							.center = {center[0], center[1], center[2]},
							.scale = ldexp(1.0, -exponent),
							.settled = rule == br_neighborsBeyond ? settled : NULL,
							.isAllSettled = rule == br_neighborsSkip}};
	brParallelFor(workers, groupCount, widePackBlock, widePackTriangleGroups, &job);
	for (int32_t k = 0; k < bvh->treeCount; ++k)
	{
		((brWideTree*)bvh->trees.data)[k].triangles =
			(const brLaneTriangles*)bvh->triangles.data + ((const int32_t*)bvh->starts.data)[k] / BR_WIDE_ARITY;
	}
	bvh->packSeconds += brSecondsSince(start);
	return br_success;
}
