// SPDX-License-Identifier: MIT

// Which groups are near each other: a search with groups as primitives, merged with what was found before.

#include "base/sort.h"
#include "index/group_front.h"

#include <string.h>

enum
{
	groupRefresh = 6 // frames that the margins of groups are made for
};

// Groups are grown by this part of the size at most; if that does not last two frames they are not grown and paired in
// each.
static const double groupMostGrowth = 2.0;

bool brGroupFront_Place(brGroupFront* front)
{
	const brWideBvh* bvh = &front->bvh;
	int64_t count = 0;
	for (int32_t tree = 0; tree < bvh->treeCount; ++tree)
	{
		count += brWideBvh_Tree(bvh, tree)->groupCount;
	}
	const brAllocator* allocator = &front->allocator;
	if (!brStageMemory_Ensure(&front->places, allocator, count, sizeof(brGroupPlace)) ||
		!brStageMemory_Ensure(&front->steps, allocator, count, sizeof(brGroupStep)) ||
		!brStageMemory_Ensure(&front->margins, allocator, count, sizeof(float)) ||
		!brStageMemory_Ensure(&front->moved, allocator, count, sizeof(float)) ||
		!brStageMemory_Ensure(&front->speeds, allocator, count, sizeof(float)) ||
		!brStageMemory_Ensure(&front->boxes, allocator, count, sizeof(brTreeBox)) ||
		!brStageMemory_Ensure(&front->grownBoxes, allocator, count, sizeof(brBox3)) ||
		!brStageMemory_Ensure(&front->chunks, allocator, count / BR_GROUP_CHUNK + bvh->treeCount,
							  sizeof(brGroupChunk)) ||
		!brStageMemory_Ensure(&front->groupTrees, allocator, (int64_t)bvh->treeCount + 1, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&front->before, allocator, bvh->groupTotal, sizeof(brLaneBoxes)))
	{
		return false;
	}
	memset(front->steps.data, 0, (size_t)count * sizeof(brGroupStep));
	memset(front->moved.data, 0, (size_t)count * sizeof(float));
	memset(front->speeds.data, 0, (size_t)count * sizeof(float));
	brGroupPlace* place = front->places.data;
	int32_t* trees = front->groupTrees.data;
	const brLaneBoxes* groups = bvh->groups.data;
	const int32_t* treeStarts = bvh->treeStarts.data;
	brGroupChunk* chunks = front->chunks.data;
	front->chunkCount = 0;
	int32_t at = 0;
	for (int32_t tree = 0; tree < bvh->treeCount; ++tree)
	{
		const brWideTree* wide = brWideBvh_Tree(bvh, tree);
		trees[tree] = at;
		int32_t elements = treeStarts[tree + 1] - treeStarts[tree];
		for (int32_t i = 0; i < wide->groupCount; i += BR_GROUP_CHUNK, elements -= BR_WIDE_ARITY * BR_GROUP_CHUNK)
		{
			int32_t rest = wide->groupCount - i;
			chunks[front->chunkCount++] = (brGroupChunk){
				.first = at + i,
				.groupCount = rest < BR_GROUP_CHUNK ? rest : BR_GROUP_CHUNK,
				.elementCount = elements < BR_WIDE_ARITY * BR_GROUP_CHUNK ? elements : BR_WIDE_ARITY * BR_GROUP_CHUNK};
		}
		for (int32_t i = 0; i < wide->groupCount; ++i, ++at)
		{
			place[at] = (brGroupPlace){.group = (int32_t)(wide->levels[0] + i - groups),
									   .tree = tree,
									   .leaf = ((const int32_t*)bvh->starts.data)[tree] + BR_WIDE_ARITY * i};
		}
	}
	trees[bvh->treeCount] = at;
	front->groupCount = (int32_t)count;
	return true;
}

// Boxes of groups, grown by what each goes in some frames; by nothing if that would not last. Not beyond what a float
// holds.
static void groupMakeBoxes(brGroupFront* front)
{
	brBox3* boxes = front->grownBoxes.data;
	float* margins = front->margins.data;
	const float* speeds = front->speeds.data;
	const double limit = 0x1.fffffep127, most = groupMostGrowth * front->size;
	bool isGrown = 2.0 * front->speed < most;
	for (int32_t i = 0; i < front->groupCount; ++i)
	{
		const brTreeBox* box = (const brTreeBox*)front->boxes.data + i;
		double margin = groupRefresh * (double)speeds[i], least = BR_GROUP_MIN_MARGIN * front->size;
		margin = margin > least ? margin : least;
		margin = margin < most ? margin : most;
		margins[i] = isGrown ? (float)margin : 0.0f;
		float corners[2][3];
		for (int k = 0; k < 3; ++k)
		{
			double low = (double)box->lower[k], high = -(double)box->negUpper[k];
			double room = isGrown ? margin * (1.0 + 0x1p-20) + (fabs(low) + fabs(high)) * 0x1p-22 : 0.0;
			corners[0][k] = (float)(low - room > -limit ? low - room : -limit);
			corners[1][k] = (float)(high + room < limit ? high + room : limit);
		}
		boxes[i] =
			(brBox3){{corners[0][0], corners[0][1], corners[0][2]}, {corners[1][0], corners[1][1], corners[1][2]}};
	}
}

// Those that were near before keep their lists.
brResult brGroupFront_Pair(brGroupFront* front, const brContext* context, brReport* report)
{
	brWorkers* workers = context != NULL ? context->workers : NULL;
	groupMakeBoxes(front);
	brBoxSource source = {.count = front->groupCount, .boxes = front->grownBoxes.data};
	brResult result =
		brPairSearch_Run(&front->search, context, &source, front->groupTrees.data, front->bvh.treeCount, report);
	if (result < 0)
	{
		return result;
	}
	int64_t found = front->search.pairs.count;
	int64_t own = front->search.def.enableSelf ? front->groupCount : 0, count = found + own;
	const brAllocator* allocator = &front->allocator;
	if (count > INT32_MAX || !brStageMemory_Ensure(&front->keys[0], allocator, count, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&front->keys[1], allocator, count, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&front->pairs[1], allocator, count, sizeof(brGroupPair)) ||
		!brStageMemory_Ensure(&front->guards[1], allocator, count, sizeof(brGroupGuard)))
	{
		return brFailMemory(report);
	}
	uint64_t* keys = front->keys[0].data;
	for (int64_t i = 0; i < found; ++i)
	{
		brPair pair = front->search.pairs.pairs[i];
		keys[i] = (uint64_t)pair.a << 32 | (uint32_t)pair.b;
	}
	for (int32_t i = 0; i < own; ++i)
	{
		keys[found + i] = (uint64_t)i << 32 | (uint32_t)i;
	}
	if (!brSortKeys64(workers, allocator, keys, front->keys[1].data, (int32_t)count))
	{
		return brFailMemory(report);
	}
	brGroupPair *old = front->pairs[0].data, *pairs = front->pairs[1].data;
	const brGroupGuard* oldGuards = front->guards[0].data;
	brGroupGuard* guards = front->guards[1].data;
	int64_t at = 0;
	for (int64_t i = 0; i < count; ++i)
	{
		int32_t a = (int32_t)(keys[i] >> 32), b = (int32_t)(uint32_t)keys[i];
		for (; at < front->pairCount && (old[at].a < a || (old[at].a == a && old[at].b < b)); ++at)
		{
			brGroupFront_Forget(front, &old[at]);
		}
		bool isOld = at < front->pairCount && old[at].a == a && old[at].b == b;
		pairs[i] = isOld ? old[at] : (brGroupPair){.a = a, .b = b, .margin = -1.0f, .born = front->frame, .mask = -2};
		guards[i] = isOld ? oldGuards[at] : (brGroupGuard){.a = a, .b = b, .limit = -1.0f};
		at += isOld;
	}
	for (; at < front->pairCount; ++at)
	{
		brGroupFront_Forget(front, &old[at]);
	}
	brStageMemory swap = front->pairs[0];
	front->pairs[0] = front->pairs[1], front->pairs[1] = swap;
	swap = front->guards[0];
	front->guards[0] = front->guards[1], front->guards[1] = swap;
	front->pairCount = count;
	memset(front->moved.data, 0, (size_t)front->groupCount * sizeof(float));
	front->stats.isRefreshed = true;
	return br_success;
}
