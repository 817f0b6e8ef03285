// SPDX-License-Identifier: MIT

// Fronts while objects come, go and break: trees are known by name from frame to frame.
//
// A tree with the name and size of one before keeps its nodes and its entries under new numbers: places and leaves of
// one tree are consecutive, so a number is shifted by what the tree is. Everything else is dropped, and the pairs of
// trees that have no front any more are generated with the frame.

#include "research/pair_front.h"
#include "research/tree_match.h"

#include "base/hash.h"
#include "index/pairs.h"

#include <string.h>

static int32_t matchLookUp(const brTreeMatch* match, const uint64_t* names, uint64_t name)
{
	uint32_t mask = (uint32_t)match->tableSize - 1;
	uint32_t at = (uint32_t)brHash64(name) & mask;
	while (match->table[at] >= 0 && names[match->table[at]] != name)
	{
		at = (at + 1) & mask;
	}
	return (int32_t)at;
}

bool brTreeMatch_Make(brTreeMatch* match, const brAllocator* allocator, const uint64_t* names, const int32_t* starts,
					  int32_t oldCount, const uint64_t* objects, const int32_t* treeStarts, int32_t treeCount)
{
	match->allocator = *allocator;
	match->tableSize = 16;
	while (match->tableSize < 2 * (int64_t)oldCount)
	{
		match->tableSize *= 2;
	}
	match->wordCount = (int64_t)treeCount + oldCount + match->tableSize;
	match->before = BR_ALLOC(allocator, int32_t, match->wordCount);
	if (match->before == NULL)
	{
		return false;
	}
	match->after = match->before + treeCount;
	match->table = match->after + oldCount;
	memset(match->table, 0xFF, (size_t)match->tableSize * sizeof(int32_t));
	for (int32_t old = 0; old < oldCount; ++old)
	{
		match->after[old] = -1;
		int32_t at = matchLookUp(match, names, names[old]);
		match->table[at] = match->table[at] < 0 ? old : match->table[at];
	}
	match->kept = 0;
	match->isSame = treeCount == oldCount;
	for (int32_t tree = 0; tree < treeCount; ++tree)
	{
		uint64_t name = objects != NULL ? objects[tree] : (uint64_t)tree;
		int32_t old = match->table[matchLookUp(match, names, name)];
		bool isKept = old >= 0 && match->after[old] < 0 &&
					  starts[old + 1] - starts[old] == treeStarts[tree + 1] - treeStarts[tree];
		match->before[tree] = isKept ? old : -1;
		match->isSame &= isKept && old == tree;
		if (isKept)
		{
			match->after[old] = tree;
			match->kept += starts[old + 1] - starts[old];
		}
	}
	return true;
}

static void matchFree(brTreeMatch* match)
{
	BR_FREE(&match->allocator, match->before, match->wordCount);
}

// Puts the nodes of a tree of before in the place of the one just built over the same elements.
static void matchCopyTree(brLbvh* to, int32_t tree, const brLbvh* from, int32_t old)
{
	int32_t leafTo = ((const int32_t*)to->treeStarts.data)[tree];
	int32_t leafFrom = ((const int32_t*)from->treeStarts.data)[old];
	int32_t nodeTo = ((const int32_t*)to->nodeStarts.data)[tree];
	int32_t nodeFrom = ((const int32_t*)from->nodeStarts.data)[old];
	int32_t nodeCount = ((const int32_t*)from->nodeStarts.data)[old + 1] - nodeFrom;
	int32_t leafCount = ((const int32_t*)from->treeStarts.data)[old + 1] - leafFrom;
	const brLbvhNode* nodes = (const brLbvhNode*)from->nodes.data + nodeFrom;
	const int32_t* parents = (const int32_t*)from->parents.data + nodeFrom;
	brLbvhNode* outNodes = (brLbvhNode*)to->nodes.data + nodeTo;
	int32_t* outParents = (int32_t*)to->parents.data + nodeTo;
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		outNodes[i] = nodes[i];
		outNodes[i].escape += nodeTo - nodeFrom;
		outNodes[i].first += leafTo - leafFrom;
		outParents[i] = parents[i] >= 0 ? parents[i] + nodeTo - nodeFrom : -1;
	}
	for (int32_t i = 0; i < leafCount; ++i)
	{
		((uint32_t*)to->ids.data)[leafTo + i] =
			((const uint32_t*)from->ids.data)[leafFrom + i] + (uint32_t)leafTo - (uint32_t)leafFrom;
		((int32_t*)to->places.data)[leafTo + i] = ((const int32_t*)from->places.data)[leafFrom + i] + nodeTo - nodeFrom;
	}
}

// Entries of trees that are kept, under their new numbers.
static void matchEntries(brPairBuffer* entries, const brTreeMatch* match, const brLbvh* from, const brLbvh* to)
{
	const int32_t *trees = from->trees.data, *places = from->places.data;
	const int32_t *leavesFrom = from->treeStarts.data, *leavesTo = to->treeStarts.data;
	const int32_t *nodesFrom = from->nodeStarts.data, *nodesTo = to->nodeStarts.data;
	int64_t kept = 0;
	for (int64_t i = 0; i < entries->count; ++i)
	{
		brPair entry = entries->pairs[i];
		int32_t a = trees[places[entry.a]], b = trees[entry.b];
		int32_t newA = match->after[a], newB = match->after[b];
		if (newA >= 0 && newB >= 0)
		{
			entries->pairs[kept++] =
				(brPair){entry.a + leavesTo[newA] - leavesFrom[a], entry.b + nodesTo[newB] - nodesFrom[b]};
		}
	}
	entries->count = kept;
}

static void matchActive(brPairFront* front, const brTreeMatch* match)
{
	int64_t kept = 0;
	brPair* active = front->active.pairs;
	for (int64_t i = 0; i < front->active.count; ++i)
	{
		int32_t a = match->after[active[i].a], b = match->after[active[i].b];
		if (a >= 0 && b >= 0)
		{
			active[kept++] = a <= b ? (brPair){a, b} : (brPair){b, a};
		}
	}
	front->active.count = kept;
	brPairFront_SortPairs(active, kept);
}

bool brPairFront_Match(brPairFront* front, int32_t lanes, const brPairRun* run, brResult* outResult, brReport* report)
{
	brWorkers* workers = run->context != NULL ? run->context->workers : NULL;
	int32_t treeCount = run->treeCount;
	brLbvh* bvh = &front->bvh;
	brTreeMatch match;
	if (!brTreeMatch_Make(&match, &front->allocator, front->objects.data, bvh->treeStarts.data, bvh->treeCount,
						  run->objects, run->treeStarts, treeCount))
	{
		*outResult = brFailMemory(report);
		return false;
	}
	bool isKept = match.isSame;
	if (!isKept && 2 * match.kept >= run->source->count && match.kept > 0)
	{
		brLbvh next;
		brLbvh_Init(&next, &front->allocator, lanes);
		*outResult = brLbvh_Build(&next, workers, run->source, run->treeStarts, treeCount, report);
		if (*outResult >= 0 &&
			!brStageMemory_Ensure(&front->baseline, &front->allocator, next.nodeCount, sizeof(float)))
		{
			*outResult = brFailMemory(report);
		}
		isKept = *outResult >= 0;
		if (isKept)
		{
			for (int32_t tree = 0; tree < treeCount; ++tree)
			{
				if (match.before[tree] >= 0)
				{
					matchCopyTree(&next, tree, bvh, match.before[tree]);
				}
			}
			brLbvh_Relink(&next);
			matchEntries(&front->fronts[0], &match, bvh, &next);
			matchEntries(&front->fronts[1], &match, bvh, &next);
			matchActive(front, &match);
			memset(front->baseline.data, 0, (size_t)next.nodeCount * sizeof(float));
			// The logs are those of the old numbers.
			brStageMemory_Free(&front->logs[0], &front->allocator);
			brStageMemory_Free(&front->logs[1], &front->allocator);
			brStageMemory_Free(&front->logs[2], &front->allocator);
			for (int32_t old = 0; old < bvh->treeCount; ++old)
			{
				front->stats.droppedTrees += match.after[old] < 0;
			}
			brLbvh swap = *bvh;
			*bvh = next;
			next = swap;
		}
		brLbvh_Free(&next);
	}
	matchFree(&match);
	return isKept;
}
