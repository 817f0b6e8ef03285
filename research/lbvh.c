// SPDX-License-Identifier: MIT

// Building and refitting linear BVHs.
//
// The tree is the Cartesian tree of the split levels: the range of a split goes to the nearest higher level on either
// side. One pass with a stack of at most 64 finds these; counting the splits that begin at each leaf, and a running
// sum, gives every node its place. No node is ever moved or looked up. Boxes are made from the last place to the first:
// children stand behind their father. For workers the array is cut into subtrees of few leaves, which are stretches of
// it, and the nodes above.

#include "research/lbvh.h"

#include "base/assert.h"
#include "base/clock.h"

#include <string.h>

enum
{
	lbvhChunkLeaves = 1024, // leaves of a subtree that one worker refits in one go
	lbvhFillBlock = 4096,
};

void brLbvh_Init(brLbvh* bvh, const brAllocator* allocator, int32_t lanes)
{
	memset(bvh, 0, sizeof(*bvh));
	bvh->allocator = *allocator;
	brCurveOrder_Init(&bvh->order, allocator, brGetWideKernels(lanes));
}

void brLbvh_Free(brLbvh* bvh)
{
	brCurveOrder_Free(&bvh->order);
	brStageMemory* all[] = {&bvh->treeStarts, &bvh->nodeStarts, &bvh->nodes,  &bvh->parents, &bvh->ids,
							&bvh->places,     &bvh->trees,      &bvh->chunks, &bvh->scratch};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &bvh->allocator);
	}
	bvh->treeCount = bvh->primitiveCount = bvh->nodeCount = 0;
}

// What a layout is made from and where it goes: leaves [first, first + count) with nodes from `place` on.
typedef struct LbvhPart
{
	brLbvhNode* nodes;
	int32_t* parents;
	int32_t* places;
	uint8_t* levels; // [count] of the split behind each leaf
	int32_t* begins; // [count] first leaf of the split, counted in the part
	int32_t* ends;   // [count] last leaf
	int32_t* counts; // [count] left-child levels of each leaf
	int32_t* spots;  // [count] place of each split
	int32_t first, count, place;
	int32_t father; // of the part's top node, -1 for a root
} LbvhPart;

// Ranges of all splits: to the nearest higher level on either side.
static void lbvhFindRanges(const LbvhPart* part)
{
	int32_t stack[BR_LBVH_MAX_DEPTH], depth = 0;
	memset(part->counts, 0, (size_t)part->count * sizeof(int32_t));
	for (int32_t s = 0; s + 1 < part->count; ++s)
	{
		while (depth > 0 && part->levels[stack[depth - 1]] < part->levels[s])
		{
			part->ends[stack[--depth]] = s;
		}
		int32_t begin = depth > 0 ? stack[depth - 1] + 1 : 0;
		part->begins[s] = begin;
		part->counts[begin] += 1;
		stack[depth++] = s;
	}
	while (depth > 0)
	{
		part->ends[stack[--depth]] = part->count - 1;
	}
}

// Places of all nodes by a running sum over the counts: the inner nodes that begin at a leaf, largest first, then the
// leaf.
static void lbvhPlace(const LbvhPart* part)
{
	int32_t place = part->place;
	for (int32_t leaf = 0; leaf < part->count; ++leaf)
	{
		place += part->counts[leaf];
		part->places[part->first + leaf] = place;
		part->nodes[place].first = part->first + leaf;
		part->nodes[place].escape = place + 1;
		place += 1;
	}
	// Splits that begin at the same leaf come in rising size, so each goes before the one before it.
	for (int32_t s = 0; s + 1 < part->count; ++s)
	{
		int32_t begin = part->begins[s];
		int32_t above = part->counts[begin]--; // how many of the segment are not placed yet, this one included
		int32_t segment = begin > 0 ? part->places[part->first + begin - 1] + 1 : part->place;
		int32_t spot = segment + above - 1;
		part->spots[s] = spot;
		part->nodes[spot].first = part->first + begin;
		part->nodes[spot].escape = spot + 2 * (part->ends[s] - begin + 1) - 1;
	}
}

static int32_t lbvhFather(const LbvhPart* part, int32_t begin, int32_t end)
{
	int32_t before = begin > 0 ? part->levels[begin - 1] : BR_LBVH_MAX_DEPTH;
	int32_t behind = end + 1 < part->count ? part->levels[end] : BR_LBVH_MAX_DEPTH;
	bool isTop = begin == 0 && end + 1 == part->count;
	return isTop ? part->father : part->spots[brLbvh_FatherSplit(begin, end, before, behind)];
}

static void lbvhLink(const LbvhPart* part)
{
	for (int32_t leaf = 0; leaf < part->count; ++leaf)
	{
		part->parents[part->places[part->first + leaf]] = lbvhFather(part, leaf, leaf);
	}
	for (int32_t s = 0; s + 1 < part->count; ++s)
	{
		part->parents[part->spots[s]] = lbvhFather(part, part->begins[s], part->ends[s]);
	}
}

static void lbvhLayout(const LbvhPart* part)
{
	lbvhFindRanges(part);
	lbvhPlace(part);
	lbvhLink(part);
}

// The part of leaves [first, first + count); scratch is shared out by leaf, so parts may be laid out at the same time.
static LbvhPart lbvhMakePart(brLbvh* bvh, int32_t first, int32_t count, int32_t place)
{
	int32_t* scratch = (int32_t*)bvh->scratch.data + 5 * (int64_t)first;
	return (LbvhPart){.nodes = bvh->nodes.data,
					  .parents = bvh->parents.data,
					  .places = bvh->places.data,
					  .begins = scratch,
					  .ends = scratch + count,
					  .counts = scratch + 2 * (int64_t)count,
					  .spots = scratch + 3 * (int64_t)count,
					  .levels = (uint8_t*)(scratch + 4 * (int64_t)count),
					  .first = first,
					  .count = count,
					  .place = place,
					  .father = -1};
}

static void lbvhBuildTrees(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brLbvh* bvh = user;
	const int32_t *treeStarts = bvh->treeStarts.data, *nodeStarts = bvh->nodeStarts.data;
	const uint32_t *ids = bvh->ids.data, *codes = bvh->order.codes.data;
	int32_t* trees = bvh->trees.data;
	for (int32_t tree = begin; tree < end; ++tree)
	{
		int32_t first = treeStarts[tree], count = treeStarts[tree + 1] - first;
		LbvhPart part = lbvhMakePart(bvh, first, count, nodeStarts[tree]);
		for (int32_t i = 0; i + 1 < count; ++i)
		{
			part.levels[i] = (uint8_t)brLbvh_SplitLevel(codes[ids[first + i]], codes[ids[first + i + 1]], i);
		}
		lbvhLayout(&part);
		for (int32_t place = nodeStarts[tree]; place < nodeStarts[tree + 1]; ++place)
		{
			trees[place] = tree;
		}
	}
}

// Boxes

static void lbvhSetBox(brLbvhNode* node, const float lower[3], const float negUpper[3])
{
	memcpy(node->lower, lower, sizeof(node->lower));
	memcpy(node->negUpper, negUpper, sizeof(node->negUpper));
}

static inline void lbvhJoin(brLbvhNode* nodes, int32_t place)
{
	const brLbvhNode *left = &nodes[place + 1], *right = &nodes[left->escape];
	brLbvhNode* node = &nodes[place];
	for (int k = 0; k < 3; ++k)
	{
		node->lower[k] = left->lower[k] < right->lower[k] ? left->lower[k] : right->lower[k];
		node->negUpper[k] = left->negUpper[k] < right->negUpper[k] ? left->negUpper[k] : right->negUpper[k];
	}
}

static void lbvhFitRange(brLbvh* bvh, int32_t begin, int32_t end)
{
	brLbvhNode* nodes = bvh->nodes.data;
	const brTreeBox* boxes = bvh->order.boxes.data;
	const uint32_t* ids = bvh->ids.data;
	for (int32_t place = end - 1; place >= begin; --place)
	{
		if (brLbvh_IsLeaf(nodes, place))
		{
			const brTreeBox* box = &boxes[ids[nodes[place].first]];
			lbvhSetBox(&nodes[place], box->lower, box->negUpper);
		}
		else
		{
			lbvhJoin(nodes, place);
		}
	}
}

static void lbvhFitChunks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brLbvh* bvh = user;
	const int32_t* chunks = bvh->chunks.data;
	const brLbvhNode* nodes = bvh->nodes.data;
	for (int32_t i = begin; i < end; ++i)
	{
		lbvhFitRange(bvh, chunks[i], nodes[chunks[i]].escape);
	}
}

// Subtrees of few leaves to the front of the list, nodes above them to the back.
static void lbvhCutChunks(brLbvh* bvh)
{
	const brLbvhNode* nodes = bvh->nodes.data;
	int32_t *chunks = bvh->chunks.data, *top = chunks + bvh->nodeCount;
	bvh->chunkCount = bvh->topCount = 0;
	for (int32_t place = 0; place < bvh->nodeCount;)
	{
		if (brLbvh_LeafCount(nodes, place) <= lbvhChunkLeaves)
		{
			chunks[bvh->chunkCount++] = place;
			place = nodes[place].escape;
		}
		else
		{
			top[-++bvh->topCount] = place;
			place += 1;
		}
	}
}

static void lbvhFit(brLbvh* bvh, brWorkers* workers)
{
	brParallelFor(workers, bvh->chunkCount, 4, lbvhFitChunks, bvh);
	// The list from the back is in falling order.
	const int32_t* top = (const int32_t*)bvh->chunks.data + bvh->nodeCount - bvh->topCount;
	for (int32_t i = 0; i < bvh->topCount; ++i)
	{
		lbvhJoin(bvh->nodes.data, top[i]);
	}
}

void brLbvh_Relink(brLbvh* bvh)
{
	lbvhCutChunks(bvh);
}

static bool lbvhReserve(brLbvh* bvh, const int32_t* treeStarts, int32_t treeCount)
{
	const brAllocator* allocator = &bvh->allocator;
	if (!brStageMemory_Ensure(&bvh->treeStarts, allocator, (int64_t)treeCount + 1, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&bvh->nodeStarts, allocator, (int64_t)treeCount + 1, sizeof(int32_t)))
	{
		return false;
	}
	memcpy(bvh->treeStarts.data, treeStarts, ((size_t)treeCount + 1) * sizeof(int32_t));
	int32_t* nodeStarts = bvh->nodeStarts.data;
	nodeStarts[0] = 0;
	for (int32_t tree = 0; tree < treeCount; ++tree)
	{
		int32_t count = treeStarts[tree + 1] - treeStarts[tree];
		nodeStarts[tree + 1] = nodeStarts[tree] + (count > 0 ? 2 * count - 1 : 0);
	}
	bvh->nodeCount = nodeStarts[treeCount];
	int64_t leafCount = treeStarts[treeCount];
	return brStageMemory_Ensure(&bvh->nodes, allocator, bvh->nodeCount, sizeof(brLbvhNode)) &&
		   brStageMemory_Ensure(&bvh->parents, allocator, bvh->nodeCount, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&bvh->trees, allocator, bvh->nodeCount, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&bvh->chunks, allocator, bvh->nodeCount, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&bvh->ids, allocator, leafCount, sizeof(uint32_t)) &&
		   brStageMemory_Ensure(&bvh->places, allocator, leafCount, sizeof(int32_t)) &&
		   brStageMemory_Ensure(&bvh->scratch, allocator, 5 * leafCount, sizeof(int32_t));
}

brResult brLbvh_Build(brLbvh* bvh, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
					  int32_t treeCount, brReport* report)
{
	int32_t whole[2] = {0, source->count};
	treeCount = treeStarts != NULL ? treeCount : 1;
	treeStarts = treeStarts != NULL ? treeStarts : whole;
	bvh->treeCount = bvh->primitiveCount = 0;
	if (!lbvhReserve(bvh, treeStarts, treeCount))
	{
		bvh->nodeCount = 0;
		return brFailMemory(report);
	}
	brResult result = brCurveOrder_Run(&bvh->order, workers, source, treeStarts, treeCount, bvh->treeStarts.data,
									   bvh->ids.data, report);
	if (result < 0)
	{
		bvh->nodeCount = 0;
		return result;
	}
	bvh->treeCount = treeCount;
	bvh->primitiveCount = source->count;
	int64_t start = brClockNanoseconds();
	brParallelFor(workers, treeCount, 1, lbvhBuildTrees, bvh);
	lbvhCutChunks(bvh);
	lbvhFit(bvh, workers);
	bvh->buildSeconds = brSecondsSince(start);
	return br_success;
}

static void lbvhFillBoxes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brLbvh* bvh = user;
	brBoxMaker_Fill(&bvh->order.maker, begin, end, (brTreeBox*)bvh->order.boxes.data + begin);
}

brResult brLbvh_Refit(brLbvh* bvh, brWorkers* workers, const brBoxSource* source, brReport* report)
{
	BR_ASSERT(source->count == bvh->primitiveCount);
	int64_t start = brClockNanoseconds();
	brResult result = brBoxMaker_Prepare(&bvh->order.maker, workers, source, report);
	if (result < 0)
	{
		return result;
	}
	brParallelFor(workers, source->count, lbvhFillBlock, lbvhFillBoxes, bvh);
	bvh->order.boxSeconds = brSecondsSince(start);
	bvh->order.sortSeconds = 0.0;
	start = brClockNanoseconds();
	lbvhFit(bvh, workers);
	bvh->buildSeconds = brSecondsSince(start);
	return br_success;
}

// Restructuring

bool brLbvh_Restructure(brLbvh* bvh, int32_t place)
{
	brLbvhNode* nodes = bvh->nodes.data;
	int32_t first = nodes[place].first, count = brLbvh_LeafCount(nodes, place);
	if (count < 3)
	{
		return true; // nothing to choose
	}
	// Boxes of the leaves in their present order, sorted along a curve of their own.
	uint32_t* ids = (uint32_t*)bvh->ids.data + first;
	uint32_t* order = BR_ALLOC(&bvh->allocator, uint32_t, 2 * (int64_t)count);
	brBox3* boxes = BR_ALLOC(&bvh->allocator, brBox3, count);
	brCurveOrder curve;
	brCurveOrder_Init(&curve, &bvh->allocator, bvh->order.maker.kernels);
	brResult result = br_errorMemory;
	if (order != NULL && boxes != NULL)
	{
		const brTreeBox* all = bvh->order.boxes.data;
		for (int32_t i = 0; i < count; ++i)
		{
			boxes[i] = brTreeBox_Box(&all[ids[i]]);
		}
		brBoxSource source = {.count = count, .boxes = boxes};
		const int32_t starts[2] = {0, count};
		result = brCurveOrder_Run(&curve, NULL, &source, starts, 1, starts, order, NULL);
	}
	if (result >= 0)
	{
		uint32_t* sorted = order + count;
		for (int32_t i = 0; i < count; ++i)
		{
			sorted[i] = ids[order[i]];
		}
		memcpy(ids, sorted, (size_t)count * sizeof(uint32_t));
		LbvhPart part = lbvhMakePart(bvh, first, count, place);
		part.father = ((const int32_t*)bvh->parents.data)[place];
		const uint32_t* codes = curve.codes.data;
		for (int32_t i = 0; i + 1 < count; ++i)
		{
			part.levels[i] = (uint8_t)brLbvh_SplitLevel(codes[order[i]], codes[order[i + 1]], i);
		}
		lbvhLayout(&part);
		lbvhFitRange(bvh, place, nodes[place].escape);
		lbvhCutChunks(bvh);
	}
	brCurveOrder_Free(&curve);
	BR_FREE(&bvh->allocator, boxes, count);
	BR_FREE(&bvh->allocator, order, 2 * (int64_t)count);
	return result >= 0;
}
