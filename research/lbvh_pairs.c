// SPDX-License-Identifier: MIT

// All pairs by walks through linear BVHs without a stack, one leaf at a time (Damkjaer 2007; Wang et al. 2018, figure
// 1).
//
// Within a tree a leaf starts behind itself. Between two trees the leaves of the smaller that touch the bounds of the
// larger are met on a walk through their own tree, and each walks through the larger.

#include "research/engines.h"
#include "research/gpu_engines.h"
#include "research/lbvh.h"

#include "base/clock.h"

enum
{
	walkBlock = 512 // leaves a worker takes at a time
};

// Leaves [begin, end) of one tree against another from `root` on, or against themselves if that is -1.
typedef struct WalkSpan
{
	int32_t begin, end;
	int32_t root;
} WalkSpan;

typedef struct WalkRun
{
	const brLbvh* bvh;
	const WalkSpan* spans;
} WalkRun;

static inline void walkEmit(brPairBuffer* pairs, const uint32_t* ids, int32_t leaf, int32_t other)
{
	int32_t a = (int32_t)ids[leaf], b = (int32_t)ids[other];
	if (pairs->count < pairs->capacity || brPairBuffer_Reserve(pairs, 1))
	{
		pairs->pairs[pairs->count++] = a < b ? (brPair){a, b} : (brPair){b, a};
	}
}

void brLbvh_Walk(const brLbvh* bvh, int32_t leaf, int32_t place, int32_t end, brPairBuffer* pairs)
{
	const brLbvhNode* nodes = bvh->nodes.data;
	const uint32_t* ids = bvh->ids.data;
	brLbvhProbe probe = brLbvh_Probe(&nodes[((const int32_t*)bvh->places.data)[leaf]]);
	while (place < end)
	{
		const brLbvhNode* node = &nodes[place];
		bool overlaps = brLbvh_Overlaps(&probe, node);
		if (overlaps && node->escape == place + 1)
		{
			walkEmit(pairs, ids, leaf, node->first);
		}
		place = overlaps ? place + 1 : node->escape;
	}
}

static int64_t walkSpan(int32_t block, int32_t worker, brPairBuffer* pairs, void* user)
{
	(void)worker;
	const WalkRun* run = user;
	const brLbvh* bvh = run->bvh;
	const WalkSpan* span = &run->spans[block];
	const brLbvhNode* nodes = bvh->nodes.data;
	const int32_t *places = bvh->places.data, *trees = bvh->trees.data, *nodeStarts = bvh->nodeStarts.data;
	int64_t before = pairs->count;
	int32_t tree = trees[places[span->begin]];
	if (span->root < 0)
	{
		for (int32_t leaf = span->begin; leaf < span->end; ++leaf)
		{
			brLbvh_Walk(bvh, leaf, places[leaf] + 1, nodeStarts[tree + 1], pairs);
		}
		return pairs->count - before;
	}
	// From the first leaf to the last on a walk of their own, so that those far from the other tree are passed over
	// together. It starts at the largest node that begins with the first leaf and ends in the span or behind it.
	brLbvhProbe bounds = brLbvh_Probe(&nodes[span->root]);
	int32_t place =
		span->begin > 0 && trees[places[span->begin - 1]] == tree ? places[span->begin - 1] + 1 : nodeStarts[tree];
	while (place <= places[span->end - 1])
	{
		const brLbvhNode* node = &nodes[place];
		bool overlaps = brLbvh_Overlaps(&bounds, node);
		if (overlaps && node->escape == place + 1)
		{
			brLbvh_Walk(bvh, node->first, span->root, nodes[span->root].escape, pairs);
		}
		place = overlaps ? place + 1 : node->escape;
	}
	return pairs->count - before;
}

static int64_t walkCountSpans(int32_t leaves)
{
	return ((int64_t)leaves + walkBlock - 1) / walkBlock;
}

static int64_t walkAddSpans(WalkSpan* spans, int64_t at, int32_t begin, int32_t end, int32_t root)
{
	for (; begin < end; begin += walkBlock)
	{
		spans[at++] = (WalkSpan){begin, end - begin < walkBlock ? end : begin + walkBlock, root};
	}
	return at;
}

brResult brLbvh_FindTreePairs(const brLbvh* bvh, struct brPairSearch* search, brReport* report)
{
	const brLbvhNode* nodes = bvh->nodes.data;
	const int32_t* nodeStarts = bvh->nodeStarts.data;
	search->treePairs.count = 0;
	if (!search->def.enableInter || bvh->treeCount < 2)
	{
		return br_success;
	}
	brTreeBox* bounds = BR_ALLOC(&search->allocator, brTreeBox, bvh->treeCount);
	if (bounds == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t tree = 0; tree < bvh->treeCount; ++tree)
	{
		bounds[tree] = brMakeTreeBoxEmpty();
		for (int k = 0; k < 3 && nodeStarts[tree] < nodeStarts[tree + 1]; ++k)
		{
			bounds[tree].lower[k] = nodes[nodeStarts[tree]].lower[k];
			bounds[tree].negUpper[k] = nodes[nodeStarts[tree]].negUpper[k];
		}
	}
	brResult result = brFindTreePairs(search, bounds, bvh->treeStarts.data, bvh->treeCount, report);
	BR_FREE(&search->allocator, bounds, bvh->treeCount);
	return result;
}

static void lbvhInit(void* state, const brPairSearch* search)
{
	brLbvh_Init(state, &search->allocator, search->def.lanes);
}

static void lbvhFree(void* state)
{
	brLbvh_Free(state);
}

static brResult lbvhFind(void* state, brPairSearch* search, const brPairRun* asked, brReport* report)
{
	brLbvh* bvh = state;
	const brBoxSource* source = asked->source;
	const int32_t* treeStarts = asked->treeStarts;
	int32_t treeCount = asked->treeCount;
	brWorkers* workers = asked->context != NULL ? asked->context->workers : NULL;
	brResult result = brLbvh_Build(bvh, workers, source, treeStarts, treeCount, report);
	if (result < 0)
	{
		return result;
	}
	search->stages.boxes = bvh->order.boxSeconds;
	search->stages.sort = bvh->order.sortSeconds;
	search->stages.build = bvh->buildSeconds;
	int64_t start = brClockNanoseconds();
	result = brLbvh_FindTreePairs(bvh, search, report);
	if (result < 0)
	{
		return result;
	}
	// The smaller tree of a pair asks.
	int64_t spanCount = 0;
	for (int32_t tree = 0; tree < treeCount && search->def.enableSelf; ++tree)
	{
		spanCount += walkCountSpans(treeStarts[tree + 1] - treeStarts[tree]);
	}
	for (int64_t i = 0; i < search->treePairs.count; ++i)
	{
		brPair pair = search->treePairs.pairs[i];
		int32_t a = treeStarts[pair.a + 1] - treeStarts[pair.a], b = treeStarts[pair.b + 1] - treeStarts[pair.b];
		spanCount += walkCountSpans(a <= b ? a : b);
	}
	if (spanCount > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many pairs of overlapping objects");
	}
	if (!brStageMemory_Ensure(&search->spans, &search->allocator, spanCount, sizeof(WalkSpan)))
	{
		return brFailMemory(report);
	}
	WalkSpan* spans = search->spans.data;
	int64_t at = 0;
	for (int32_t tree = 0; tree < treeCount && search->def.enableSelf; ++tree)
	{
		at = walkAddSpans(spans, at, treeStarts[tree], treeStarts[tree + 1], -1);
	}
	for (int64_t i = 0; i < search->treePairs.count; ++i)
	{
		brPair pair = search->treePairs.pairs[i];
		bool swap = treeStarts[pair.a + 1] - treeStarts[pair.a] > treeStarts[pair.b + 1] - treeStarts[pair.b];
		int32_t from = swap ? pair.b : pair.a, to = swap ? pair.a : pair.b;
		at =
			walkAddSpans(spans, at, treeStarts[from], treeStarts[from + 1], ((const int32_t*)bvh->nodeStarts.data)[to]);
	}
	WalkRun run = {bvh, spans};
	int64_t room = search->def.enableSelf ? 10 * (int64_t)source->count : 0;
	result = brCollectPairs(search, workers, (int32_t)spanCount, room, walkSpan, &run, report);
	search->stages.search = brSecondsSince(start);
	return result;
}

const brPairEngine brLbvhEngine = {.method = br_pairsOi,
								   .device = br_deviceEngine,
								   .gpu = BR_GPU_ENGINE(brGpuLbvhEngine),
								   .stateBytes = sizeof(brLbvh),
								   .init = lbvhInit,
								   .free = lbvhFree,
								   .find = lbvhFind};
