// SPDX-License-Identifier: MIT

// The frame of a front on groups: refit, motion of groups, groups paired anew if one has gone too far, then for each
// near pair of groups nothing, a look at some of its pairs, or a search.

#include "index/group_front.h"

#include "base/clock.h"

#include <string.h>

#define GROUP_FILL_BLOCK 4096 // boxes made in one go

// Order and tree are made anew when there are this many times as many near pairs of groups as at first.
static const double groupSpread = 1.4;

void brGroupFront_Init(brGroupFront* front, const brAllocator* allocator, const brPairSearchDef* def)
{
	memset(front, 0, sizeof(*front));
	front->allocator = *allocator;
	brWideBvh_Init(&front->bvh, allocator, def->lanes);
	brPairSearchDef searchDef = {
		.method = br_pairsOi, .lanes = def->lanes, .enableSelf = def->enableSelf, .enableInter = def->enableInter};
	brPairSearch_Init(&front->search, allocator, &searchDef);
	front->result.allocator = *allocator;
}

// All it holds from frame to frame; the place of one of them.
enum
{
	groupStages = 26
};

static brStageMemory* groupStage(brGroupFront* front, int32_t index)
{
	brStageMemory* all[groupStages] = {&front->before,     &front->places,   &front->steps,       &front->margins,
									   &front->masks,      &front->moved,    &front->speeds,      &front->boxes,
									   &front->grownBoxes, &front->chunks,   &front->leafCorners, &front->groupTrees,
									   &front->corners,    &front->pairs[0], &front->guards[0],   &front->guards[1],
									   &front->pairs[1],   &front->keys[0],  &front->keys[1],     &front->todo,
									   &front->blocks,     &front->changes,  &front->codes,       &front->slacks,
									   &front->slots,      &front->owners};
	return all[index];
}

void brGroupFront_Free(brGroupFront* front)
{
	brWideBvh_Free(&front->bvh);
	brPairSearch_Free(&front->search);
	brGroupFront_FreeFound(front);
	brPairBuffer_Free(&front->result);
	for (int32_t i = 0; i < groupStages; ++i)
	{
		brStageMemory_Free(groupStage(front, i), &front->allocator);
	}
	front->listCapacity = front->ownerCapacity = 0;
	brGroupFront_Reset(front);
}

void brGroupFront_Reset(brGroupFront* front)
{
	front->isOn = front->isSettled = false;
	front->pairCount = 0;
	front->listUsed = front->listLive = 0;
	front->settledCount = 0;
	front->result.count = 0;
}

// Motion

// New boxes for some groups, straight from vertices where elements are triangles, and how far they have gone.
static void groupMove(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brGroupRun* run = user;
	brGroupFront* front = run->front;
	const brWideBvh* bvh = &front->bvh;
	float *moved = front->moved.data, *speeds = front->speeds.data;
	brGroupStep* steps = front->steps.data;
	brTreeBox made[BR_WIDE_ARITY * BR_GROUP_CHUNK];
	for (int32_t i = begin; i < end; ++i)
	{
		const brGroupChunk* chunk = (const brGroupChunk*)front->chunks.data + i;
		const brGroupPlace* place = &run->places[chunk->first];
		brLaneBoxes* groups = (brLaneBoxes*)front->bvh.groups.data + place->group;
		brTreeBox* boxes = (brTreeBox*)front->boxes.data + chunk->first;
		if (run->isDirect)
		{
			const int32_t* corners = (const int32_t*)front->leafCorners.data + 3 * (int64_t)place->leaf;
			bvh->kernels->boxTriangles(bvh->order.maker.vertexBoxes.data, (const int32_t(*)[3])corners,
									   chunk->elementCount, made);
			bvh->kernels->packGroups(made, NULL, chunk->elementCount, groups, boxes);
		}
		else
		{
			bvh->kernels->packGroups(bvh->order.boxes.data, run->ids + place->leaf, chunk->elementCount, groups, boxes);
		}
		const brLaneBoxes* before = run->before + place->group;
		for (int32_t k = 0; k < chunk->groupCount && !run->isSorting; ++k)
		{
			int32_t at = chunk->first + k;
			speeds[at] = run->kernels->advance(&groups[k], &before[k], &steps[at]);
			moved[at] = (moved[at] + speeds[at]) * (1.0f + 0x1p-20f);
		}
	}
}

static void groupFill(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brWideBvh* bvh = &((brGroupRun*)user)->front->bvh;
	brBoxMaker_Fill(&bvh->order.maker, begin, end, (brTreeBox*)bvh->order.boxes.data + begin);
}

// The groups of the last frame go aside. Upper levels of the tree are of no use any more.
static void groupSwap(brGroupFront* front)
{
	brStageMemory swap = front->bvh.groups;
	front->bvh.groups = front->before;
	front->before = swap;
}

// Whether a group has gone farther than it was grown when groups were paired.
static bool groupMoveAll(brGroupFront* front, brWorkers* workers, brGroupRun* run)
{
	if (!run->isDirect)
	{
		brParallelFor(workers, front->bvh.primitiveCount, GROUP_FILL_BLOCK, groupFill, run);
	}
	brParallelFor(workers, front->chunkCount, 4, groupMove, run);
	const float *moved = front->moved.data, *speeds = front->speeds.data, *margins = front->margins.data;
	float fastest = 0.0f;
	int32_t farCount = 0;
	for (int32_t i = 0; i < front->groupCount; ++i)
	{
		farCount += !(moved[i] <= margins[i]);
		fastest = speeds[i] > fastest ? speeds[i] : fastest;
	}
	front->speed = (double)fastest;
	return farCount > 0;
}

// Frames

static bool groupSameCorners(brGroupFront* front, const brBoxSource* source)
{
	int64_t each = source->boxes == NULL && source->corners != NULL ? source->cornersEach : 0;
	return each == front->cornersEach && (each == 0 || memcmp(front->corners.data, source->corners,
															  (size_t)(each * source->count) * sizeof(int32_t)) == 0);
}

static bool groupKeepCorners(brGroupFront* front, const brBoxSource* source)
{
	int64_t each = source->boxes == NULL && source->corners != NULL ? source->cornersEach : 0;
	front->cornersEach = (int32_t)each;
	if (each == 0)
	{
		return true;
	}
	if (!brStageMemory_Ensure(&front->corners, &front->allocator, each * source->count, sizeof(int32_t)))
	{
		return false;
	}
	memcpy(front->corners.data, source->corners, (size_t)(each * source->count) * sizeof(int32_t));
	return true;
}

// One box in sixteen.
static double groupMeanSize(const brGroupFront* front)
{
	const brTreeBox* boxes = front->bvh.order.boxes.data;
	double size = 0.0;
	int64_t count = 0;
	for (int32_t i = 0; i < front->bvh.primitiveCount; i += BR_WIDE_ARITY, ++count)
	{
		for (int k = 0; k < 3; ++k)
		{
			size -= (double)boxes[i].lower[k] + (double)boxes[i].negUpper[k];
		}
	}
	return count > 0 ? size / (3.0 * (double)count) : 0.0;
}

static brGroupRun groupMakeRun(brGroupFront* front, const brBoxSource* source)
{
	return (brGroupRun){.front = front,
						.groups = front->bvh.groups.data,
						.before = front->before.data,
						.places = front->places.data,
						.ids = front->bvh.ids.data,
						.corners = front->cornersEach > 0 ? source->corners : NULL,
						.isDirect = front->cornersEach == 3,
						.kernels = brGetGroupKernels(front->bvh.kernels->lanes)};
}

static bool groupMakeLeafCorners(brGroupFront* front, const brBoxSource* source)
{
	if (front->cornersEach != 3)
	{
		return true;
	}
	if (!brStageMemory_Ensure(&front->leafCorners, &front->allocator, (int64_t)front->groupCount * BR_WIDE_ARITY,
							  3 * sizeof(int32_t)))
	{
		return false;
	}
	const uint32_t* ids = front->bvh.ids.data;
	const int32_t *starts = front->bvh.starts.data, *treeStarts = front->bvh.treeStarts.data;
	for (int32_t tree = 0; tree < front->bvh.treeCount; ++tree)
	{
		for (int64_t leaf = starts[tree]; leaf < starts[tree] + treeStarts[tree + 1] - treeStarts[tree]; ++leaf)
		{
			memcpy((int32_t*)front->leafCorners.data + 3 * leaf, source->corners + 3 * (int64_t)ids[leaf],
				   3 * sizeof(int32_t));
		}
	}
	return true;
}

// Order and tree anew; settled pairs stay.
static brResult groupSort(brGroupFront* front, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	brWorkers* workers = context != NULL ? context->workers : NULL;
	front->pairCount = 0;
	front->listUsed = front->listLive = front->maskCount = 0;
	front->result.count = front->settledCount;
	brResult result = brWideBvh_Build(&front->bvh, workers, source, treeStarts, treeCount, report);
	if (result >= 0 && (!brGroupFront_Place(front) || !groupMakeLeafCorners(front, source)))
	{
		result = brFailMemory(report);
	}
	front->size = result >= 0 ? groupMeanSize(front) : 0.0;
	front->stats.isSorted = true;
	front->sortedFrame = front->frame;
	return result;
}

static int64_t groupBytes(brGroupFront* front)
{
	int64_t bytes = front->result.capacity * (int64_t)sizeof(brPair);
	for (int32_t i = 0; i < front->workerCount; ++i)
	{
		bytes += front->found[i].capacity * (int64_t)sizeof(brPair);
	}
	for (int32_t i = 0; i < groupStages; ++i)
	{
		bytes += (int64_t)groupStage(front, i)->bytes;
	}
	return bytes;
}

brResult brGroupFront_Run(brGroupFront* front, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	brWorkers* workers = context != NULL ? context->workers : NULL;
	front->stats = (brGroupStats){0};
	front->frame += 1;
	brResult result = br_success;
	if (front->isOn && !groupSameCorners(front, source))
	{
		brGroupFront_Reset(front);
	}
	bool isSpread = front->frame > front->sortedFrame + 3 &&
					(double)front->pairCount > groupSpread * (double)front->firstGroupPairs;
	bool isSorting = !front->isOn || isSpread;
	if (!front->isOn && !groupKeepCorners(front, source))
	{
		return brFailMemory(report);
	}
	bool isFar = isSorting;
	if (isSorting)
	{
		result = groupSort(front, context, source, treeStarts, treeCount, report);
	}
	else
	{
		groupSwap(front);
		result = brBoxMaker_Prepare(&front->bvh.order.maker, workers, source, report);
	}
	brGroupRun run = groupMakeRun(front, source);
	run.isSorting = isSorting;
	if (result >= 0)
	{
		isFar = groupMoveAll(front, workers, &run) || isSorting;
	}
	if (result >= 0 && isFar)
	{
		result = brGroupFront_Pair(front, context, report);
		// With the margins that the second frame knows.
		front->firstGroupPairs = front->frame <= front->sortedFrame + 2 ? front->pairCount : front->firstGroupPairs;
	}
	if (result >= 0 && !brGroupFront_Look(front, workers, &run))
	{
		result = brFailMemory(report);
	}
	if (result < 0)
	{
		brGroupFront_Reset(front);
		return result;
	}
	front->isOn = true;
	front->isSettled = true;
	if (front->listUsed > 2 * front->listLive + 65536)
	{
		brGroupFront_Compact(front);
	}
	front->stats.groupPairs = front->pairCount;
	front->stats.listed = front->listLive;
	front->stats.settled = front->settledCount;
	front->stats.bytes = groupBytes(front);
	return br_success;
}
