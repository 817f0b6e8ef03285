// SPDX-License-Identifier: MIT

// Building binary implicit trees: leaves in curve order, then each level from the one below.

#include "research/oi_bvh.h"

#include "base/assert.h"
#include "base/clock.h"

#include <string.h>

enum
{
	oiBlock = 2048 // nodes made in one go
};

void brOiBvh_Init(brOiBvh* bvh, const brAllocator* allocator, int32_t lanes)
{
	memset(bvh, 0, sizeof(*bvh));
	bvh->allocator = *allocator;
	brCurveOrder_Init(&bvh->order, allocator, brGetWideKernels(lanes));
}

static void oiFreeTrees(brOiBvh* bvh)
{
	BR_FREE(&bvh->allocator, bvh->layouts, bvh->treeCount);
	BR_FREE(&bvh->allocator, bvh->ids, bvh->primitiveCount);
	BR_FREE(&bvh->allocator, bvh->nodes, bvh->nodeCount);
	BR_FREE(&bvh->allocator, bvh->treeStarts, (int64_t)bvh->treeCount + 1);
	bvh->layouts = NULL, bvh->ids = NULL, bvh->nodes = NULL, bvh->treeStarts = NULL;
	bvh->treeCount = bvh->primitiveCount = 0;
	bvh->nodeCount = 0;
}

void brOiBvh_Free(brOiBvh* bvh)
{
	oiFreeTrees(bvh);
	brCurveOrder_Free(&bvh->order);
}

typedef struct OiJob
{
	brOiBvh* bvh;
	const brOiLayout* layout;
	uint32_t level;
} OiJob;

// Nodes [begin, end) of one level of one tree.
static void oiMakeNodes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const OiJob* job = user;
	brOiBvh* bvh = job->bvh;
	const brOiLayout* layout = job->layout;
	uint32_t start = (1u << job->level) - 1u;
	brBox3* nodes = bvh->nodes + layout->firstNode;
	brBox3* level = nodes + brBinary_Slot(layout->virtualLeaves, layout->leafLevel, start);
	if (job->level == layout->leafLevel)
	{
		const brTreeBox* boxes = bvh->order.boxes.data;
		for (int32_t i = begin; i < end; ++i)
		{
			level[i] = brTreeBox_Box(&boxes[bvh->ids[layout->firstLeaf + (uint32_t)i]]);
		}
		return;
	}
	// The last node may have one child only: the second would be virtual.
	uint32_t below = brBinary_RealOnLevel(layout->leafCount, layout->leafLevel, job->level + 1);
	const brBox3* children = nodes + brBinary_Slot(layout->virtualLeaves, layout->leafLevel, 2u * start + 1u);
	for (int32_t i = begin; i < end; ++i)
	{
		uint32_t left = 2u * (uint32_t)i;
		level[i] = left + 1 < below ? brBox3_Union(children[left], children[left + 1]) : children[left];
	}
}

static void oiMakeTree(brOiBvh* bvh, brWorkers* workers, const brOiLayout* layout)
{
	for (uint32_t level = layout->leafLevel + 1; level-- > 0 && layout->leafCount > 0;)
	{
		OiJob job = {bvh, layout, level};
		uint32_t width = brBinary_RealOnLevel(layout->leafCount, layout->leafLevel, level);
		brParallelFor(workers, (int32_t)width, oiBlock, oiMakeNodes, &job);
	}
}

static void oiMakeTrees(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brOiBvh* bvh = user;
	for (int32_t k = begin; k < end; ++k)
	{
		oiMakeTree(bvh, NULL, &bvh->layouts[k]);
	}
}

static void oiMakeAll(brOiBvh* bvh, brWorkers* workers)
{
	int64_t start = brClockNanoseconds();
	if (bvh->treeCount == 1)
	{
		oiMakeTree(bvh, workers, &bvh->layouts[0]);
	}
	else
	{
		brParallelFor(workers, bvh->treeCount, 4, oiMakeTrees, bvh);
	}
	bvh->buildSeconds = brSecondsSince(start);
}

brResult brOiBvh_Build(brOiBvh* bvh, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
					   int32_t treeCount, brReport* report)
{
	int32_t whole[2] = {0, source->count};
	treeCount = treeStarts != NULL ? treeCount : 1;
	treeStarts = treeStarts != NULL ? treeStarts : whole;
	oiFreeTrees(bvh);
	bvh->treeCount = treeCount;
	bvh->primitiveCount = source->count;
	bvh->layouts = BR_ALLOC(&bvh->allocator, brOiLayout, treeCount);
	bvh->ids = BR_ALLOC(&bvh->allocator, uint32_t, source->count);
	bvh->treeStarts = BR_ALLOC(&bvh->allocator, int32_t, (int64_t)treeCount + 1);
	if (bvh->layouts != NULL)
	{
		for (int32_t k = 0; k < treeCount; ++k)
		{
			uint32_t count = (uint32_t)(treeStarts[k + 1] - treeStarts[k]);
			bvh->layouts[k] = (brOiLayout){.leafCount = count,
										   .leafLevel = count > 0 ? brBinary_LeafLevel(count) : 0,
										   .virtualLeaves = count > 0 ? brBinary_VirtualLeaves(count) : 0,
										   .firstLeaf = (uint32_t)treeStarts[k],
										   .firstNode = (uint64_t)bvh->nodeCount};
			bvh->nodeCount += count > 0 ? brBinary_NodeCount(count) : 0;
		}
		bvh->nodes = BR_ALLOC(&bvh->allocator, brBox3, bvh->nodeCount);
	}
	brResult result = br_success;
	if (bvh->layouts == NULL || bvh->ids == NULL || bvh->treeStarts == NULL || bvh->nodes == NULL)
	{
		result = brFailMemory(report);
	}
	else
	{
		memcpy(bvh->treeStarts, treeStarts, ((size_t)treeCount + 1) * sizeof(int32_t));
		result =
			brCurveOrder_Run(&bvh->order, workers, source, treeStarts, treeCount, bvh->treeStarts, bvh->ids, report);
	}
	if (result < 0)
	{
		oiFreeTrees(bvh);
		return result;
	}
	oiMakeAll(bvh, workers);
	return br_success;
}
