// SPDX-License-Identifier: MIT

// The frame of a front: which operation, over what, and what happens to one entry.
//
// Work is cut into blocks of entries of both fronts and blocks of leaves that have no front yet. Each block appends
// pairs to the result in its order, and entries to a list of its worker; afterwards the lists are put in order block by
// block, so nothing depends on who did what.

#include "research/pair_front.h"

#include "base/clock.h"
#include "index/pair_tracker.h"
#include "research/engines.h"
#include "research/tree_match.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	frontEntryBlock = 8192, // entries a worker takes at a time
	frontLeafBlock = 256,   // leaves
	frontBatch = 1024,      // entries tested before what overlapped is looked at
	frontPatience = 32,     // frames without a front after one did not fit
};

// Where a restructured leaf or a new pair of trees starts: leaves [begin, end) walk from `root` to its escape, or from
// behind themselves to the end of the node `root` if they are below it.
typedef struct FrontSpan
{
	int32_t begin, end;
	int32_t root;
} FrontSpan;

typedef struct FrontRun
{
	brPairFront* front;
	const brLbvh* bvh;
	const brLbvhNode* nodes;
	const int32_t* parents;
	const brLbvhProbe* probes;
	brPairFrontBlock* blocks;
	const FrontSpan* spans;
	int32_t blockCounts[2]; // of internal and external entries; the rest are spans
	bool isUpdating;        // entries are written anew
	bool isMarking;         // entries are kept, with marks
	bool isWriting;         // spans leave entries behind
	int32_t grain;
	int64_t limit;
	atomic_llong written; // entries so far
} FrontRun;

void brPairFront_Init(brPairFront* front, const brAllocator* allocator, const brPairFrontDef* def, int32_t lanes)
{
	memset(front, 0, sizeof(*front));
	front->allocator = *allocator;
	front->def = *def;
	brLbvh_Init(&front->bvh, allocator, lanes);
	front->grain = def->grain > 0 ? def->grain : BR_FRONT_GRAIN;
	front->fronts[0].allocator = front->fronts[1].allocator = *allocator;
	front->active.allocator = front->fresh.allocator = *allocator;
}

static void frontFreeLists(brPairFront* front)
{
	for (int32_t i = 0; i < 2 * front->workerCount; ++i)
	{
		brPairBuffer_Free(&front->lists[i]);
	}
	BR_FREE(&front->allocator, front->lists, 2 * (int64_t)front->workerCount);
	front->lists = NULL;
	front->workerCount = 0;
}

void brPairFront_Free(brPairFront* front)
{
	brLbvh_Free(&front->bvh);
	frontFreeLists(front);
	brPairBuffer* buffers[] = {&front->fronts[0], &front->fronts[1], &front->active, &front->fresh};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i)
	{
		brPairBuffer_Free(buffers[i]);
	}
	brStageMemory* all[] = {&front->blocks,  &front->logs[0],  &front->logs[1], &front->logs[2],
							&front->fills,   &front->probes,   &front->spans,   &front->baseline,
							&front->renamed, &front->badTrees, &front->objects};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &front->allocator);
	}
	brPairFront_Reset(front);
}

void brPairFront_Reset(brPairFront* front)
{
	front->hasFront = false;
	front->fronts[0].count = front->fronts[1].count = 0;
	front->active.count = 0;
	front->sinceUpdate = front->updates = 0;
	front->wasted = 0;
}

// What happens to one entry

typedef struct FrontSink
{
	const FrontRun* run;
	brPairBuffer* pairs;
	brPairBuffer* lists; // internal, external
	int64_t walked;
} FrontSink;

static inline void frontPush(brPairBuffer* buffer, int32_t a, int32_t b)
{
	if (buffer->count < buffer->capacity || brPairBuffer_Reserve(buffer, 1))
	{
		buffer->pairs[buffer->count++] = (brPair){a, b};
	}
}

static inline void frontEmit(FrontSink* sink, int32_t leaf, int32_t other)
{
	const uint32_t* ids = sink->run->bvh->ids.data;
	int32_t a = (int32_t)ids[leaf], b = (int32_t)ids[other];
	frontPush(sink->pairs, a < b ? a : b, a < b ? b : a);
}

// Pairs only.
static void frontWalk(FrontSink* sink, int32_t leaf, int32_t place, int32_t end)
{
	const brLbvhNode* nodes = sink->run->nodes;
	brLbvhProbe probe = sink->run->probes[leaf];
	int64_t walked = 0;
	while (place < end)
	{
		const brLbvhNode* node = &nodes[place];
		bool overlaps = brLbvh_Overlaps(&probe, node);
		if (overlaps && node->escape == place + 1)
		{
			frontEmit(sink, leaf, node->first);
		}
		place = overlaps ? place + 1 : node->escape;
		walked += 1;
	}
	sink->walked += walked;
}

// Pairs, and where the walk stops as entries.
static void frontSprout(FrontSink* sink, int32_t leaf, int32_t place, int32_t end)
{
	const brLbvhNode* nodes = sink->run->nodes;
	brLbvhProbe probe = sink->run->probes[leaf];
	int32_t grain = sink->run->grain;
	while (place < end)
	{
		const brLbvhNode* node = &nodes[place];
		bool overlaps = brLbvh_Overlaps(&probe, node), isLeaf = node->escape == place + 1;
		sink->walked += 1;
		if (!overlaps)
		{
			frontPush(&sink->lists[isLeaf], leaf, place);
			place = node->escape;
		}
		else if (isLeaf)
		{
			frontPush(&sink->lists[1], leaf | BR_FRONT_MARK, place);
			frontEmit(sink, leaf, node->first);
			place += 1;
		}
		else if (node->escape - place < 2 * grain) // deferred: a node of up to `grain` leaves
		{
			frontPush(&sink->lists[0], leaf | BR_FRONT_MARK, place);
			frontWalk(sink, leaf, place + 1, node->escape);
			place = node->escape;
		}
		else
		{
			place += 1;
		}
	}
}

// An entry that is apart goes up as long as its father is apart too and covers nothing but later leaves or another
// tree. Of the entries that meet at a node so, the one at its first leaf stays for all.
static void frontPrune(FrontSink* sink, int32_t leaf, int32_t place)
{
	const brLbvhNode* nodes = sink->run->nodes;
	const int32_t *parents = sink->run->parents, *trees = sink->run->bvh->trees.data;
	const int32_t* places = sink->run->bvh->places.data;
	brLbvhProbe probe = sink->run->probes[leaf];
	int32_t at = place, father = parents[place];
	bool isSelf = trees[places[leaf]] == trees[place];
	while (father >= 0 && (!isSelf || nodes[father].first > leaf) && !brLbvh_Overlaps(&probe, &nodes[father]))
	{
		if (father != at - 1)
		{
			return; // a right child: the entry at the first leaf is another
		}
		at = father;
		father = parents[at];
	}
	if (father < 0 && !isSelf)
	{
		// All of the other tree. If the trees are apart as wholes, this holds for each leaf, and the pair of trees has
		// no front.
		const int32_t* nodeStarts = sink->run->bvh->nodeStarts.data;
		brLbvhProbe bounds = brLbvh_Probe(&nodes[nodeStarts[trees[places[leaf]]]]);
		if (!brLbvh_Overlaps(&bounds, &nodes[at]))
		{
			return;
		}
	}
	frontPush(&sink->lists[brLbvh_IsLeaf(nodes, at)], leaf, at);
}

// Blocks

// Which of some entries overlap: their numbers to `outHits`. The loop has no branch on what it finds.
static int32_t frontTest(const FrontRun* run, const brPair* entries, int32_t count, int32_t* outHits)
{
	int32_t hitCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		outHits[hitCount] = i;
		hitCount += brLbvh_Overlaps(&run->probes[entries[i].a], &run->nodes[entries[i].b]);
	}
	return hitCount;
}

static void frontKeepBatch(FrontSink* sink, const brPair* entries, const int32_t* hits, int32_t hitCount,
						   bool areLeaves)
{
	const brLbvhNode* nodes = sink->run->nodes;
	for (int32_t i = 0; i < hitCount; ++i)
	{
		brPair entry = entries[hits[i]];
		if (areLeaves)
		{
			frontEmit(sink, entry.a, nodes[entry.b].first);
		}
		else
		{
			frontWalk(sink, entry.a, entry.b + 1, nodes[entry.b].escape);
		}
	}
}

static void frontUpdateBatch(FrontSink* sink, const brPair* entries, int32_t count, const int32_t* hits,
							 int32_t hitCount, bool areLeaves)
{
	const FrontRun* run = sink->run;
	for (int32_t i = 0, next = 0; i < count; ++i)
	{
		brPair entry = entries[i];
		bool isHit = next < hitCount && hits[next] == i;
		next += isHit;
		if (!isHit)
		{
			frontPrune(sink, entry.a, entry.b);
		}
		else if (areLeaves)
		{
			frontPush(&sink->lists[1], entry.a | BR_FRONT_MARK, entry.b);
			frontEmit(sink, entry.a, run->nodes[entry.b].first);
		}
		else
		{
			// The node itself is tested once more, which spares a second way through here.
			frontSprout(sink, entry.a, entry.b, run->nodes[entry.b].escape);
		}
	}
}

static void frontMarkBatch(FrontSink* sink, const brPair* entries, int32_t count, const int32_t* hits, int32_t hitCount,
						   bool areLeaves)
{
	for (int32_t i = 0, next = 0; i < count; ++i)
	{
		bool isHit = next < hitCount && hits[next] == i;
		next += isHit;
		frontPush(&sink->lists[areLeaves], entries[i].a | (isHit ? BR_FRONT_MARK : 0), entries[i].b);
	}
}

static void frontEntries(FrontSink* sink, const brPair* entries, int64_t count, bool areLeaves)
{
	const FrontRun* run = sink->run;
	int32_t hits[frontBatch + 1];
	for (int64_t i = 0; i < count; i += frontBatch)
	{
		int32_t batch = count - i < frontBatch ? (int32_t)(count - i) : frontBatch;
		int32_t hitCount = frontTest(run, entries + i, batch, hits);
		if (run->isUpdating)
		{
			frontUpdateBatch(sink, entries + i, batch, hits, hitCount, areLeaves);
			continue;
		}
		frontKeepBatch(sink, entries + i, hits, hitCount, areLeaves);
		if (run->isMarking)
		{
			frontMarkBatch(sink, entries + i, batch, hits, hitCount, areLeaves);
		}
	}
}

static void frontLeaves(FrontSink* sink, const FrontSpan* span)
{
	const FrontRun* run = sink->run;
	const int32_t* places = run->bvh->places.data;
	int32_t end = run->nodes[span->root].escape;
	for (int32_t leaf = span->begin; leaf < span->end; ++leaf)
	{
		bool isBelow = places[leaf] >= span->root && places[leaf] < end;
		int32_t from = isBelow ? places[leaf] + 1 : span->root;
		run->isWriting ? frontSprout(sink, leaf, from, end) : frontWalk(sink, leaf, from, end);
	}
}

static int64_t frontBlock(int32_t index, int32_t worker, brPairBuffer* pairs, void* user)
{
	FrontRun* run = user;
	brPairFront* front = run->front;
	brPairBuffer* lists = &front->lists[2 * worker];
	brPairFrontBlock* block = &run->blocks[index];
	*block = (brPairFrontBlock){.worker = worker, .from = {lists[0].count, lists[1].count}};
	FrontSink sink = {.run = run, .pairs = pairs, .lists = lists};
	int64_t before = pairs->count;
	// Once there are too many entries all of them are thrown away, so no more are made.
	if (atomic_load_explicit(&run->written, memory_order_relaxed) > run->limit)
	{
		return 0;
	}
	int32_t external = index - run->blockCounts[0], span = external - run->blockCounts[1];
	if (span >= 0)
	{
		frontLeaves(&sink, &run->spans[span]);
	}
	else
	{
		bool areLeaves = external >= 0;
		const brPairBuffer* entries = &front->fronts[areLeaves];
		int64_t first = (int64_t)frontEntryBlock * (areLeaves ? external : index);
		int64_t count = entries->count - first < frontEntryBlock ? entries->count - first : frontEntryBlock;
		frontEntries(&sink, entries->pairs + first, count, areLeaves);
		block->tests = count;
	}
	for (int k = 0; k < 2; ++k)
	{
		block->count[k] = lists[k].count - block->from[k];
	}
	block->walked = sink.walked;
	atomic_fetch_add_explicit(&run->written, block->count[0] + block->count[1], memory_order_relaxed);
	return pairs->count - before;
}

static bool frontMakeLists(brPairFront* front, int32_t workerCount)
{
	if (front->workerCount != workerCount)
	{
		frontFreeLists(front);
		front->lists = BR_ALLOC_ZERO(&front->allocator, brPairBuffer, 2 * (int64_t)workerCount);
		front->workerCount = front->lists != NULL ? workerCount : 0;
	}
	for (int32_t i = 0; i < 2 * front->workerCount; ++i)
	{
		front->lists[i].allocator = front->allocator;
		front->lists[i].count = 0;
		front->lists[i].isFull = false;
	}
	return front->lists != NULL;
}

// Spans

static int64_t frontCountSpans(const brPairFront* front, const int32_t* treeStarts)
{
	int64_t count = 0;
	for (int64_t i = 0; i < front->fresh.count; ++i)
	{
		brPair pair = front->fresh.pairs[i];
		int64_t a = treeStarts[pair.a + 1] - treeStarts[pair.a], b = treeStarts[pair.b + 1] - treeStarts[pair.b];
		count += ((a <= b ? a : b) + frontLeafBlock - 1) / frontLeafBlock;
	}
	return count;
}

// Pairs of trees without a front: the leaves of the smaller walk through the other.
static void frontAddSpans(const brPairFront* front, const brLbvh* bvh, FrontSpan* spans)
{
	const int32_t *treeStarts = bvh->treeStarts.data, *nodeStarts = bvh->nodeStarts.data;
	for (int64_t i = 0; i < front->fresh.count; ++i)
	{
		brPair pair = front->fresh.pairs[i];
		bool swap = treeStarts[pair.a + 1] - treeStarts[pair.a] > treeStarts[pair.b + 1] - treeStarts[pair.b];
		int32_t from = swap ? pair.b : pair.a, to = swap ? pair.a : pair.b, end = treeStarts[from + 1];
		for (int32_t begin = treeStarts[from]; begin < end; begin += frontLeafBlock)
		{
			int32_t stop = end - begin < frontLeafBlock ? end : begin + frontLeafBlock;
			*spans++ = (FrontSpan){begin, stop, nodeStarts[to]};
		}
	}
}

static int frontComparePairs(brPair p, brPair q)
{
	return p.a != q.a ? (p.a > q.a) - (p.a < q.a) : (p.b > q.b) - (p.b < q.b);
}

// Sorts few pairs of trees in place: a heap, since they come nearly in order of the curve and must not cost n^2.
void brPairFront_SortPairs(brPair* pairs, int64_t count)
{
	for (int64_t built = count / 2, end = count; end > 1;)
	{
		int64_t root = 0;
		if (built > 0)
		{
			root = --built;
		}
		else
		{
			end -= 1;
			brPair swap = pairs[0];
			pairs[0] = pairs[end], pairs[end] = swap;
		}
		brPair held = pairs[root];
		for (int64_t child = 2 * root + 1; child < end; child = 2 * root + 1)
		{
			child += child + 1 < end && frontComparePairs(pairs[child], pairs[child + 1]) < 0;
			if (frontComparePairs(held, pairs[child]) >= 0)
			{
				break;
			}
			pairs[root] = pairs[child];
			root = child;
		}
		pairs[root] = held;
	}
}

// Pairs of trees that overlap now, each tree with itself among them, to search->treePairs, sorted.
static brResult frontTreePairs(const brLbvh* bvh, brPairSearch* search, brReport* report)
{
	const int32_t* treeStarts = bvh->treeStarts.data;
	brResult result = brLbvh_FindTreePairs(bvh, search, report);
	brPairBuffer* pairs = &search->treePairs;
	if (result < 0 || !brPairBuffer_Reserve(pairs, bvh->treeCount))
	{
		return result < 0 ? result : brFailMemory(report);
	}
	for (int32_t tree = 0; tree < bvh->treeCount && search->def.enableSelf; ++tree)
	{
		pairs->pairs[pairs->count] = (brPair){tree, tree};
		pairs->count += treeStarts[tree] < treeStarts[tree + 1];
	}
	brPairFront_SortPairs(pairs->pairs, pairs->count);
	return br_success;
}

// Which of them have no front yet, to front->fresh. Afterwards the active ones are those of now, and, unless the front
// is about to be pruned, those of before too, whose entries are still there.
static bool frontFindFresh(brPairFront* front, const brPairBuffer* now, bool isPruning)
{
	int64_t activeCount = front->active.count;
	front->fresh.count = 0;
	if (!brPairBuffer_Reserve(&front->fresh, now->count) || !brPairBuffer_Reserve(&front->active, now->count))
	{
		return false;
	}
	brPair* active = front->active.pairs;
	int64_t at = 0;
	for (int64_t i = 0; i < now->count; ++i)
	{
		while (at < activeCount && frontComparePairs(active[at], now->pairs[i]) < 0)
		{
			at += 1;
		}
		if (at == activeCount || frontComparePairs(active[at], now->pairs[i]) != 0)
		{
			front->fresh.pairs[front->fresh.count++] = now->pairs[i];
		}
	}
	if (isPruning)
	{
		memcpy(active, now->pairs, (size_t)now->count * sizeof(brPair));
		front->active.count = now->count;
		return true;
	}
	memcpy(active + activeCount, front->fresh.pairs, (size_t)front->fresh.count * sizeof(brPair));
	front->active.count += front->fresh.count;
	brPairFront_SortPairs(active, front->active.count);
	return true;
}

// Operations

static void frontMakeProbes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FrontRun* run = user;
	brLbvhProbe* probes = run->front->probes.data;
	const int32_t* places = run->bvh->places.data;
	for (int32_t leaf = begin; leaf < end; ++leaf)
	{
		probes[leaf] = brLbvh_Probe(&run->nodes[places[leaf]]);
	}
}

static int64_t frontBlocks(const brPairBuffer* entries)
{
	return (entries->count + frontEntryBlock - 1) / frontEntryBlock;
}

// Runs one operation over the front and what is fresh. `outFits` says whether the entries keep to the limit; if not,
// pairs and entries are of no use.
static brResult frontOperate(brPairFront* front, brPairSearch* search, brWorkers* workers,
							 brPairFrontOperation operation, bool* outFits, brReport* report)
{
	const brLbvh* bvh = &front->bvh;
	bool isUpdating = operation == br_frontUpdate || operation == br_frontGenerate;
	int64_t perLeaf = front->def.perLeaf > 0 ? front->def.perLeaf : BR_FRONT_PER_LEAF;
	int64_t limit = perLeaf * bvh->primitiveCount < INT32_MAX ? perLeaf * bvh->primitiveCount : INT32_MAX;
	FrontRun run = {.front = front,
					.bvh = bvh,
					.nodes = bvh->nodes.data,
					.parents = bvh->parents.data,
					.isUpdating = isUpdating,
					.isMarking = operation == br_frontBalance,
					.isWriting = operation != br_frontWalk,
					.grain = front->grain,
					.limit = operation == br_frontWalk ? INT64_MAX : limit};
	int64_t counts[3] = {frontBlocks(&front->fronts[0]), frontBlocks(&front->fronts[1]),
						 frontCountSpans(front, bvh->treeStarts.data)};
	int64_t total = counts[0] + counts[1] + counts[2];
	if (total > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many pairs of overlapping objects");
	}
	if (!frontMakeLists(front, brWorkers_GetCount(workers)) ||
		!brStageMemory_Ensure(&front->blocks, &front->allocator, total, sizeof(brPairFrontBlock)) ||
		!brStageMemory_Ensure(&front->spans, &front->allocator, counts[2], sizeof(FrontSpan)) ||
		!brStageMemory_Ensure(&front->probes, &front->allocator, bvh->primitiveCount, sizeof(brLbvhProbe)))
	{
		return brFailMemory(report);
	}
	frontAddSpans(front, bvh, front->spans.data);
	run.probes = front->probes.data, run.blocks = front->blocks.data, run.spans = front->spans.data;
	run.blockCounts[0] = (int32_t)counts[0], run.blockCounts[1] = (int32_t)counts[1];
	// Entries that stay where they are count too.
	bool isTail = !isUpdating && operation != br_frontBalance;
	atomic_store(&run.written, isTail ? front->fronts[0].count + front->fronts[1].count : 0);
	brParallelFor(workers, bvh->primitiveCount, frontEntryBlock, frontMakeProbes, &run);
	search->candidateCount = 0;
	int64_t room = search->def.enableSelf ? 10 * (int64_t)bvh->primitiveCount : 0;
	brResult result = brCollectPairs(search, workers, (int32_t)total, room, frontBlock, &run, report);
	for (int32_t i = 0; i < 2 * front->workerCount && result >= 0; ++i)
	{
		result = front->lists[i].isFull ? brFailMemory(report) : result;
	}
	*outFits = atomic_load(&run.written) <= run.limit;
	front->stats.tests = front->stats.walked = 0;
	for (int64_t i = 0; i < total && result >= 0 && *outFits; ++i)
	{
		front->stats.tests += run.blocks[i].tests;
		front->stats.walked += run.blocks[i].walked;
	}
	if (result < 0 || !*outFits || operation == br_frontWalk)
	{
		return result;
	}
	int64_t start = brClockNanoseconds();
	bool isOrdered = front->def.strategy != br_frontUnordered;
	bool isDone = brPairFront_Order(front, workers, bvh, (int32_t)total, isOrdered, isTail);
	front->stats.orderSeconds = brSecondsSince(start);
	return isDone ? br_success : brFailMemory(report);
}

// The front from nothing over the tree that is there, as fine as fits.
static brResult frontGenerate(brPairFront* front, brPairSearch* search, brWorkers* workers, brReport* report)
{
	const brPairBuffer* now = &search->treePairs;
	// A little finer than last time, in case there is room again.
	int32_t finest = front->def.grain > 0 ? front->def.grain : BR_FRONT_GRAIN;
	front->grain = front->grain / 2 > finest ? front->grain / 2 : finest;
	for (;;)
	{
		brPairFront_Reset(front);
		if (!frontFindFresh(front, now, true))
		{
			return brFailMemory(report);
		}
		bool fits = false, isCoarsest = front->grain >= front->bvh.primitiveCount || front->isOverLimit;
		brPairFrontOperation operation = front->isOverLimit ? br_frontWalk : br_frontGenerate;
		brResult result = frontOperate(front, search, workers, operation, &fits, report);
		if (result < 0 || fits)
		{
			front->hasFront = result >= 0 && !front->isOverLimit;
			front->stats.operation = operation;
			return result;
		}
		front->isOverLimit = isCoarsest;
		front->framesToTry = frontPatience;
		front->grain = isCoarsest ? front->grain : 2 * front->grain;
	}
}

static brPairFrontOperation frontChoose(brPairFront* front)
{
	bool isDue = false, isNext = false;
	if (front->def.cycle > 0)
	{
		isDue = front->sinceUpdate + 1 >= front->def.cycle;
		isNext = front->sinceUpdate + 2 >= front->def.cycle;
	}
	else
	{
		// An update costs about as much again as the tests: it is due when walks below the front have cost that much.
		isDue = front->wasted > front->fronts[0].count + front->fronts[1].count;
	}
	return isDue ? br_frontUpdate : isNext && front->def.cycle > 2 ? br_frontBalance : br_frontPreserve;
}

static brWorkers* frontWorkers(const brPairRun* run)
{
	return run->context != NULL ? run->context->workers : NULL;
}

static brResult frontRebuild(brPairFront* front, brPairSearch* search, const brPairRun* run, brReport* report)
{
	brWorkers* workers = frontWorkers(run);
	brPairFront_Reset(front);
	brResult result = brLbvh_Build(&front->bvh, workers, run->source, run->treeStarts, run->treeCount, report);
	if (result >= 0)
	{
		result = frontTreePairs(&front->bvh, search, report);
	}
	front->isOverLimit = false;
	if (result >= 0 && !brStageMemory_Ensure(&front->baseline, &front->allocator, front->bvh.nodeCount, sizeof(float)))
	{
		result = brFailMemory(report);
	}
	if (result >= 0)
	{
		memset(front->baseline.data, 0, (size_t)front->bvh.nodeCount * sizeof(float));
		result = frontGenerate(front, search, workers, report);
	}
	return result;
}

// Inspects the logs, and builds anew what has become bad. Says whether everything must be.
static brResult frontMaintain(brPairFront* front, bool* outRebuild, brReport* report)
{
	// Thresholds of formula 2, as parts of the leaves.
	const double least = 0.01, most = 0.35;
	int64_t leaves = 0;
	int32_t badCount = brPairFront_Inspect(front, &front->bvh, &leaves);
	if (badCount < 0)
	{
		return brFailMemory(report);
	}
	double part = (double)leaves / (front->bvh.primitiveCount > 0 ? front->bvh.primitiveCount : 1);
	*outRebuild = part > most;
	front->stats.restructured = part < least ? 0 : (int32_t)leaves;
	bool isMended = part < least || part > most || brPairFront_Restructure(front, &front->bvh, badCount);
	return isMended ? br_success : brFailMemory(report);
}

static brResult frontContinue(brPairFront* front, brPairSearch* search, const brPairRun* run, brReport* report)
{
	brWorkers* workers = frontWorkers(run);
	brResult result = brLbvh_Refit(&front->bvh, workers, run->source, report);
	if (result >= 0)
	{
		result = frontTreePairs(&front->bvh, search, report);
	}
	if (result < 0)
	{
		return result;
	}
	brPairFrontOperation operation = frontChoose(front);
	bool isUpdate = operation == br_frontUpdate, fits = false;
	if (isUpdate && front->def.strategy == br_frontPeriodic && front->updates % 2 == 1)
	{
		return frontRebuild(front, search, run, report);
	}
	bool isRebuild = false;
	if (isUpdate && front->def.strategy == br_frontRestructure)
	{
		result = frontMaintain(front, &isRebuild, report);
	}
	if (result >= 0 && isRebuild)
	{
		int32_t restructured = front->stats.restructured;
		result = frontRebuild(front, search, run, report);
		front->stats.restructured = restructured;
		return result;
	}
	if (result < 0 || !frontFindFresh(front, &search->treePairs, isUpdate))
	{
		return result < 0 ? result : brFailMemory(report);
	}
	result = frontOperate(front, search, workers, operation, &fits, report);
	if (result < 0)
	{
		return result;
	}
	if (!fits)
	{
		front->grain *= 4; // halved again at once
		return frontGenerate(front, search, workers, report);
	}
	front->stats.operation = operation;
	front->sinceUpdate = isUpdate ? 0 : front->sinceUpdate + 1;
	front->updates += isUpdate;
	front->wasted = isUpdate ? 0 : front->wasted + front->stats.walked;
	return br_success;
}

static int64_t frontBytes(const brPairFront* front)
{
	int64_t bytes = 0;
	for (int32_t i = 0; i < 2 * front->workerCount; ++i)
	{
		bytes += front->lists[i].capacity * (int64_t)sizeof(brPair);
	}
	bytes += (front->fronts[0].capacity + front->fronts[1].capacity) * (int64_t)sizeof(brPair);
	const brStageMemory* all[] = {&front->blocks,  &front->logs[0],  &front->logs[1], &front->logs[2],
								  &front->fills,   &front->probes,   &front->spans,   &front->baseline,
								  &front->renamed, &front->badTrees, &front->objects};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		bytes += (int64_t)all[i]->bytes;
	}
	return bytes;
}

// One frame: the pairs of run->source in search->pairs, with the trees of front->bvh. run->objects are the names of
// trees, or null: each is named by its number. A tree with the name and the number of elements of one in the last frame
// is the same tree in motion: element k is element k of then. Others are new.
static brResult frontFind(void* state, brPairSearch* search, const brPairRun* run, brReport* report)
{
	brPairFront* front = state;
	int64_t start = brClockNanoseconds();
	memset(&front->stats, 0, sizeof(front->stats));
	search->pairs.count = 0;
	brResult result = br_success;
	bool isKept = front->hasFront && front->def.strategy != br_frontReference;
	if (isKept)
	{
		isKept = brPairFront_Match(front, search->def.lanes, run, &result, report);
	}
	if (result >= 0)
	{
		result = (isKept ? frontContinue : frontRebuild)(front, search, run, report);
	}
	if (result >= 0 && !brKeepNames(&front->objects, &front->allocator, run->treeCount, run->objects))
	{
		result = brFailMemory(report);
	}
	if (result < 0)
	{
		brPairFront_Reset(front);
		return result;
	}
	const brLbvh* bvh = &front->bvh;
	search->stages.boxes = bvh->order.boxSeconds;
	search->stages.sort = bvh->order.sortSeconds;
	search->stages.build = bvh->buildSeconds;
	search->stages.search = brSecondsSince(start) - search->stages.boxes - search->stages.sort - search->stages.build;
	front->stats.internalCount = front->fronts[0].count;
	front->stats.externalCount = front->fronts[1].count;
	front->stats.grain = front->grain;
	front->stats.quality =
		front->stats.externalCount > 0 ? (double)front->stats.internalCount / (double)front->stats.externalCount : 0.0;
	front->stats.bytes = frontBytes(front);
	return br_success;
}

static void frontInit(void* state, const brPairSearch* search)
{
	brPairFrontDef def = {.strategy = (brPairFrontStrategy)search->def.engine->variant,
						  .cycle = search->def.cycle,
						  .perLeaf = search->def.perLeaf};
	const brPairFrontDef* given = search->def.engineDef;
	brPairFront_Init(state, &search->allocator, given != NULL ? given : &def, search->def.lanes);
}

static void frontFree(void* state)
{
	brPairFront_Free(state);
}

static void frontGetStats(const void* state, brTrackStats* outStats)
{
	static const brTrackOperation operations[] = {br_operationGenerate, br_operationPreserve, br_operationBalance,
												  br_operationUpdate, br_operationRebuild};
	const brPairFrontStats* stats = &((const brPairFront*)state)->stats;
	outStats->operation = operations[stats->operation];
	outStats->entryCount = stats->internalCount + stats->externalCount;
	outStats->testCount = stats->tests;
	outStats->rebuiltCount = stats->restructured;
	outStats->droppedCount = stats->droppedTrees;
	outStats->quality = stats->quality;
	outStats->orderSeconds = stats->orderSeconds;
	outStats->bytes = stats->bytes;
}

#define FRONT_ENGINE(strategy)                                                                                         \
	{                                                                                                                  \
		.method = br_pairsOi, .device = br_deviceFront, .variant = (strategy), .stateBytes = sizeof(brPairFront),      \
		.init = frontInit, .free = frontFree, .find = frontFind, .getStats = frontGetStats                             \
	}

const brPairEngine brFrontEngines[5] = {FRONT_ENGINE(br_frontUnordered), FRONT_ENGINE(br_frontStatic),
										FRONT_ENGINE(br_frontPeriodic), FRONT_ENGINE(br_frontRestructure),
										FRONT_ENGINE(br_frontReference)};
