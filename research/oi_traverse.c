// SPDX-License-Identifier: MIT

// Bulk-synchronous simultaneous traversal of many binary implicit trees (Chitalu 2020, ch. 2 and 3.6).
//
// A front of node pairs, starting at an entry level below the roots, is tested all at once; each pair that overlaps is
// replaced by the pairs of its descendants some levels further down; and so on until only leaves are left. The number
// of new pairs follows from the index algebra alone, so one prefix sum over the tested front gives every writer its
// place: no virtual node is ever visited, nothing is written twice, and the order does not depend on who writes. A node
// against itself gives N (N + 1) / 2 pairs of its N descendants, N (N - 1) / 2 if these are leaves: each pair once.

#include "research/engines.h"

#include "base/clock.h"
#include "research/gpu_engines.h"
#include "research/oi_bvh.h"

#include <string.h>

enum
{
	bspDepthStep = 2,       // levels gone down at a time
	bspMostEntries = 65536, // pairs the front may start with
	bspBlock = 1024,        // pairs a worker takes at a time
};

typedef struct BspNode
{
	uint32_t tree;
	uint32_t index; // implicit
} BspNode;

typedef struct BspPair
{
	BspNode a, b;
} BspPair;

typedef struct BspFront
{
	brStageMemory memory;
	int64_t count;
} BspFront;

typedef struct BspJob
{
	const brOiBvh* bvh;
	const BspPair* from;
	uint32_t* sizes; // of what each pair becomes; leaves count apart
	int64_t* blockPlaces;
	int64_t* blockLeaves;
	BspPair* to;
	brPair* pairs;
	int64_t count;
	uint32_t depthStep;
} BspJob;

// The descendants of a node one step down: the first, and how many are real.
typedef struct BspSpan
{
	uint32_t first;
	uint32_t count;
	bool areLeaves;
} BspSpan;

static BspSpan bspDescend(const brOiBvh* bvh, BspNode node, uint32_t depthStep)
{
	const brOiLayout* layout = &bvh->layouts[node.tree];
	uint32_t level = brBinary_Level(node.index), left = layout->leafLevel - level;
	uint32_t step = left < depthStep ? left : depthStep;
	uint32_t first = brBinary_Descendant(node.index, step, 0), start = (1u << (level + step)) - 1u;
	uint32_t real = brBinary_RealOnLevel(layout->leafCount, layout->leafLevel, level + step) - (first - start);
	uint32_t most = 1u << step;
	return (BspSpan){first, real < most ? real : most, step == left};
}

static bool bspIsSame(BspPair pair)
{
	return pair.a.tree == pair.b.tree && pair.a.index == pair.b.index;
}

static bool bspIsLeaf(const brOiBvh* bvh, BspNode node)
{
	return brBinary_Level(node.index) == bvh->layouts[node.tree].leafLevel;
}

static void bspTest(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BspJob* job = user;
	const brOiBvh* bvh = job->bvh;
	for (int32_t block = begin; block < end; ++block)
	{
		int64_t first = (int64_t)block * bspBlock;
		int64_t last = job->count - first < bspBlock ? job->count : first + bspBlock;
		int64_t places = 0, leaves = 0;
		for (int64_t i = first; i < last; ++i)
		{
			BspPair pair = job->from[i];
			bool isSame = bspIsSame(pair);
			const brBox3* a = brOiBvh_Node(bvh, &bvh->layouts[pair.a.tree], pair.a.index);
			const brBox3* b = brOiBvh_Node(bvh, &bvh->layouts[pair.b.tree], pair.b.index);
			uint32_t size = 0;
			if (isSame || brBox3_Overlaps(*a, *b))
			{
				BspSpan s = bspDescend(bvh, pair.a, job->depthStep), t = bspDescend(bvh, pair.b, job->depthStep);
				size = !isSame       ? s.count * t.count
					   : s.areLeaves ? s.count * (s.count - 1) / 2
									 : s.count * (s.count + 1) / 2;
			}
			bool isLeaf = bspIsLeaf(bvh, pair.a) && bspIsLeaf(bvh, pair.b);
			job->sizes[i] = size;
			leaves += isLeaf ? size : 0; // a leaf's one descendant is itself: size is 1 for an overlap
			places += isLeaf ? 0 : size;
		}
		job->blockPlaces[block] = places;
		job->blockLeaves[block] = leaves;
	}
}

static void bspExpand(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BspJob* job = user;
	const brOiBvh* bvh = job->bvh;
	for (int32_t block = begin; block < end; ++block)
	{
		int64_t first = (int64_t)block * bspBlock;
		int64_t last = job->count - first < bspBlock ? job->count : first + bspBlock;
		BspPair* to = job->to + job->blockPlaces[block];
		brPair* pairs = job->pairs + job->blockLeaves[block];
		for (int64_t i = first; i < last; ++i)
		{
			BspPair pair = job->from[i];
			if (job->sizes[i] == 0)
			{
				continue;
			}
			BspSpan s = bspDescend(bvh, pair.a, job->depthStep), t = bspDescend(bvh, pair.b, job->depthStep);
			if (bspIsLeaf(bvh, pair.a) && bspIsLeaf(bvh, pair.b))
			{
				const brOiLayout *la = &bvh->layouts[pair.a.tree], *lb = &bvh->layouts[pair.b.tree];
				int32_t p = (int32_t)bvh->ids[la->firstLeaf + pair.a.index - ((1u << la->leafLevel) - 1u)];
				int32_t q = (int32_t)bvh->ids[lb->firstLeaf + pair.b.index - ((1u << lb->leafLevel) - 1u)];
				*pairs++ = p < q ? (brPair){p, q} : (brPair){q, p};
				continue;
			}
			bool isSame = bspIsSame(pair);
			for (uint32_t j = 0; j < s.count; ++j)
			{
				for (uint32_t k = isSame ? j + s.areLeaves : 0; k < t.count; ++k)
				{
					*to++ = (BspPair){{pair.a.tree, s.first + j}, {pair.b.tree, t.first + k}};
				}
			}
		}
	}
}

// Nodes of a tree on the entry level.
static BspSpan bspEntries(const brOiLayout* layout, uint32_t entryLevel)
{
	uint32_t level = entryLevel < layout->leafLevel ? entryLevel : layout->leafLevel;
	uint32_t count = layout->leafCount == 0 ? 0 : brBinary_RealOnLevel(layout->leafCount, layout->leafLevel, level);
	return (BspSpan){(1u << level) - 1u, count, level == layout->leafLevel};
}

// The first front: entry nodes of each tree against themselves and against those of the trees after it. With `to` null
// it is only counted.
static int64_t bspStart(const brPairSearch* search, const brOiBvh* bvh, uint32_t entryLevel, BspPair* to)
{
	int64_t count = 0;
	for (int32_t a = 0; a < bvh->treeCount; ++a)
	{
		BspSpan s = bspEntries(&bvh->layouts[a], entryLevel);
		int32_t lastTree = search->def.enableInter ? bvh->treeCount : a + 1;
		for (int32_t b = search->def.enableSelf ? a : a + 1; b < lastTree; ++b)
		{
			BspSpan t = bspEntries(&bvh->layouts[b], entryLevel);
			for (uint32_t j = 0; j < s.count && to != NULL; ++j)
			{
				for (uint32_t k = a == b ? j + s.areLeaves : 0; k < t.count; ++k)
				{
					to[count++] = (BspPair){{(uint32_t)a, s.first + j}, {(uint32_t)b, t.first + k}};
				}
			}
			if (to == NULL)
			{
				int64_t n = s.count;
				count += a != b ? n * t.count : s.areLeaves ? n * (n - 1) / 2 : n * (n + 1) / 2;
			}
		}
	}
	return count;
}

static brResult bspTraverse(brPairSearch* search, brWorkers* workers, const brOiBvh* bvh, BspFront fronts[2],
							brStageMemory* sizes, brStageMemory blocks[2], brReport* report)
{
	const brAllocator* allocator = &search->allocator;
	const brBspSettings* settings = &search->engine->bsp;
	// The deepest entry level that keeps the first front small.
	uint32_t entryLevel = settings->entry > 0 ? (uint32_t)settings->entry - 1 : 0;
	while (settings->entry == 0 && entryLevel < 8 && bspStart(search, bvh, entryLevel + 1, NULL) <= bspMostEntries)
	{
		entryLevel += 1;
	}
	fronts[0].count = bspStart(search, bvh, entryLevel, NULL);
	if (!brStageMemory_Ensure(&fronts[0].memory, allocator, fronts[0].count, sizeof(BspPair)))
	{
		return brFailMemory(report);
	}
	bspStart(search, bvh, entryLevel, fronts[0].memory.data);

	int current = 0;
	while (fronts[current].count > 0)
	{
		BspFront *from = &fronts[current], *to = &fronts[1 - current];
		int64_t blockCount = (from->count + bspBlock - 1) / bspBlock;
		if (blockCount > INT32_MAX)
		{
			return brFail(report, br_errorLimit, "the front of the traversal has more than 2^41 pairs");
		}
		if (!brStageMemory_Ensure(sizes, allocator, from->count, sizeof(uint32_t)) ||
			!brStageMemory_Ensure(&blocks[0], allocator, blockCount, sizeof(int64_t)) ||
			!brStageMemory_Ensure(&blocks[1], allocator, blockCount, sizeof(int64_t)))
		{
			return brFailMemory(report);
		}
		BspJob job = {.bvh = bvh,
					  .from = from->memory.data,
					  .sizes = sizes->data,
					  .blockPlaces = blocks[0].data,
					  .blockLeaves = blocks[1].data,
					  .count = from->count,
					  .depthStep = settings->depthStep > 0 ? (uint32_t)settings->depthStep : bspDepthStep};
		brParallelFor(workers, (int32_t)blockCount, 1, bspTest, &job);
		int64_t places = 0, leaves = 0;
		for (int64_t i = 0; i < blockCount; ++i)
		{
			int64_t p = job.blockPlaces[i], q = job.blockLeaves[i];
			job.blockPlaces[i] = places, job.blockLeaves[i] = leaves;
			places += p, leaves += q;
		}
		if (!brStageMemory_Ensure(&to->memory, allocator, places, sizeof(BspPair)) ||
			!brPairBuffer_Reserve(&search->pairs, leaves))
		{
			return brFailMemory(report);
		}
		job.to = to->memory.data;
		job.pairs = search->pairs.pairs + search->pairs.count;
		brParallelFor(workers, (int32_t)blockCount, 1, bspExpand, &job);
		search->pairs.count += leaves;
		to->count = places;
		current = 1 - current;
	}
	return br_success;
}

static void bspInit(void* state, const brPairSearch* search)
{
	(void)state;
	(void)search;
}

static void bspFree(void* state)
{
	(void)state;
}

static brResult bspFind(void* state, brPairSearch* search, const brPairRun* asked, brReport* report)
{
	(void)state;
	const brBoxSource* source = asked->source;
	const int32_t* treeStarts = asked->treeStarts;
	int32_t treeCount = asked->treeCount;
	brWorkers* workers = asked->context != NULL ? asked->context->workers : NULL;
	brOiBvh bvh;
	brOiBvh_Init(&bvh, &search->allocator, search->def.lanes);
	brResult result = brOiBvh_Build(&bvh, workers, source, treeStarts, treeCount, report);
	if (result >= 0)
	{
		search->stages.boxes = bvh.order.boxSeconds;
		search->stages.sort = bvh.order.sortSeconds;
		search->stages.build = bvh.buildSeconds;
		int64_t start = brClockNanoseconds();
		BspFront fronts[2] = {{{0}, 0}, {{0}, 0}};
		brStageMemory sizes = {0}, blocks[2] = {{0}, {0}};
		result = bspTraverse(search, workers, &bvh, fronts, &sizes, blocks, report);
		brStageMemory* all[] = {&fronts[0].memory, &fronts[1].memory, &sizes, &blocks[0], &blocks[1]};
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
		{
			brStageMemory_Free(all[i], &search->allocator);
		}
		search->stages.search = brSecondsSince(start);
	}
	brOiBvh_Free(&bvh);
	search->candidateCount = search->pairs.count;
	return result;
}

// Nothing is kept from run to run; a state of no bytes would be no address.
const brPairEngine brBspEngine = {.method = br_pairsOi,
								  .device = br_deviceEngine,
								  .gpu = BR_GPU_ENGINE(brGpuBspEngine),
								  .stateBytes = 1,
								  .init = bspInit,
								  .free = bspFree,
								  .find = bspFind};
