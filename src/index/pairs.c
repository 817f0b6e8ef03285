// SPDX-License-Identifier: MIT

// Searches: what is to be asked of which tree, shared out among workers, put together in a fixed order.
//
// Work is a list of jobs (groups of one tree against a tree) cut into blocks. Each worker appends what its blocks find
// to its own buffer and notes where. The first worker takes blocks from the front and the others from the back, until
// they meet: so the first one's buffer begins the result as it is, and what the others found is copied behind it in
// order.

#include "index/pairs.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	pairBlockGroups = 32, // groups a worker takes at a time
};

typedef struct PairJob
{
	brWideQuery query;
	int32_t firstBlock;
} PairJob;

// Groups of one job.
typedef struct PairSpan
{
	int32_t job;
	int32_t begin, end;
} PairSpan;

// What one block found.
typedef struct PairBlock
{
	int32_t worker;
	int64_t from; // in the worker's buffer
	int64_t count;
	int64_t to; // in the result
	int64_t candidates;
} PairBlock;

void brPairSearch_Init(brPairSearch* search, const brAllocator* allocator, const brPairSearchDef* def)
{
	memset(search, 0, sizeof(*search));
	search->allocator = *allocator;
	search->def = *def;
	for (int i = 0; i < 3; ++i)
	{
		brWideBvh_Init(&search->trees[i], allocator, def->lanes);
	}
	search->treePairs.allocator = *allocator;
	search->pairs.allocator = *allocator;
}

static void pairsFreeWorkers(brPairSearch* search)
{
	for (int32_t i = 0; i < search->workerCount; ++i)
	{
		brPairBuffer_Free(&search->workerPairs[i]);
	}
	BR_FREE(&search->allocator, search->workerPairs, search->workerCount);
	search->workerPairs = NULL;
	search->workerCount = 0;
}

static void pairsFreeState(brPairSearch* search)
{
	if (search->state != NULL)
	{
		search->engine->free(search->state);
		brFree(&search->allocator, search->state, search->engine->stateBytes);
	}
	search->state = NULL;
	search->engine = NULL;
}

// The state of the engine that is asked for; that of another one goes. False without memory.
static bool pairsMakeState(brPairSearch* search, const brPairEngine* engine)
{
	if (search->engine == engine)
	{
		return true;
	}
	pairsFreeState(search);
	search->state = brAlloc(&search->allocator, engine->stateBytes);
	if (search->state == NULL)
	{
		return false;
	}
	memset(search->state, 0, engine->stateBytes);
	search->engine = engine;
	engine->init(search->state, search);
	return true;
}

// Null: what is in this file.
static const brPairEngine* pairsEngine(const brPairSearchDef* def)
{
	if (def->engine != NULL && def->engine->find != NULL)
	{
		return def->engine;
	}
	brPairMethod method = def->engine != NULL ? def->engine->method : def->method;
	return method == br_pairsKdet ? &brKdetEngine : NULL;
}

void brPairSearch_Free(brPairSearch* search)
{
	for (int i = 0; i < 3; ++i)
	{
		brWideBvh_Free(&search->trees[i]);
	}
	brStageMemory* all[] = {&search->jobs, &search->spans, &search->blocks, &search->treeBoxes, &search->lists};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &search->allocator);
	}
	pairsFreeState(search);
	pairsFreeWorkers(search);
	brPairBuffer_Free(&search->treePairs);
	brPairBuffer_Free(&search->pairs);
}

// Buffers for every worker; `room` is how many pairs to expect.
static bool pairsMakeWorkers(brPairSearch* search, int32_t workerCount, int64_t room)
{
	if (search->workerCount != workerCount)
	{
		pairsFreeWorkers(search);
		search->workerPairs = BR_ALLOC_ZERO(&search->allocator, brPairBuffer, workerCount);
		if (search->workerPairs == NULL)
		{
			return false;
		}
		search->workerCount = workerCount;
	}
	for (int32_t i = 0; i < workerCount; ++i)
	{
		search->workerPairs[i].allocator = search->allocator;
		search->workerPairs[i].count = 0;
		search->workerPairs[i].isFull = false;
		if (!brPairBuffer_Reserve(&search->workerPairs[i], i == 0 ? room : room / workerCount))
		{
			return false;
		}
	}
	return true;
}

typedef struct PairCollection
{
	brPairSearch* search;
	PairBlock* blocks;
	int32_t blockCount;
	brCollectFcn* find;
	void* user;
	atomic_int front, back; // blocks taken from either end
} PairCollection;

static void pairsFindInBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	PairCollection* collection = user;
	brPairBuffer* pairs = &collection->search->workerPairs[worker];
	for (int32_t i = begin; i < end; ++i)
	{
		// As many are taken as there are, so none twice.
		int32_t taken =
			atomic_fetch_add_explicit(worker == 0 ? &collection->front : &collection->back, 1, memory_order_relaxed);
		int32_t index = worker == 0 ? taken : collection->blockCount - 1 - taken;
		PairBlock* block = &collection->blocks[index];
		*block = (PairBlock){.worker = worker, .from = pairs->count};
		if (!pairs->isFull)
		{
			block->candidates = collection->find(index, worker, pairs, collection->user);
		}
		block->count = pairs->count - block->from;
	}
}

static void pairsCopyBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	PairCollection* collection = user;
	brPairSearch* search = collection->search;
	for (int32_t i = begin; i < end; ++i)
	{
		const PairBlock* block = &collection->blocks[i];
		if (block->count > 0 && block->worker != 0)
		{
			memcpy(search->pairs.pairs + block->to, search->workerPairs[block->worker].pairs + block->from,
				   (size_t)block->count * sizeof(brPair));
		}
	}
}

brResult brCollectPairs(brPairSearch* search, brWorkers* workers, int32_t blockCount, int64_t room, brCollectFcn* find,
						void* user, brReport* report)
{
	int32_t workerCount = brWorkers_GetCount(workers);
	if (!brStageMemory_Ensure(&search->blocks, &search->allocator, blockCount, sizeof(PairBlock)) ||
		!pairsMakeWorkers(search, workerCount, room))
	{
		return brFailMemory(report);
	}
	PairBlock* blocks = search->blocks.data;
	PairCollection collection = {search, blocks, blockCount, find, user, 0, 0};
	brParallelFor(workers, blockCount, 1, pairsFindInBlocks, &collection);

	int64_t total = 0;
	for (int32_t i = 0; i < blockCount; ++i)
	{
		blocks[i].to = total;
		total += blocks[i].count;
		search->candidateCount += blocks[i].candidates;
	}
	for (int32_t i = 0; i < workerCount; ++i)
	{
		if (search->workerPairs[i].isFull)
		{
			return brFailMemory(report);
		}
	}
	if (!brPairBuffer_Reserve(&search->workerPairs[0], total - search->workerPairs[0].count))
	{
		return brFailMemory(report);
	}
	brPairBuffer swap = search->pairs;
	search->pairs = search->workerPairs[0];
	search->workerPairs[0] = swap;
	if (workerCount > 1)
	{
		brParallelFor(workers, blockCount, 16, pairsCopyBlocks, &collection);
	}
	search->pairs.count = total;
	return br_success;
}

// Trees

typedef struct PairRun
{
	brPairSearch* search;
	const PairJob* jobs;
	const PairSpan* spans;
	int64_t listCount;
} PairRun;

static int64_t pairsFindInSpan(int32_t block, int32_t worker, brPairBuffer* pairs, void* user)
{
	PairRun* run = user;
	const PairSpan* span = &run->spans[block];
	const brWideQuery* query = &run->jobs[span->job].query;
	const brWideKernels* kernels = run->search->trees[0].kernels;
	int32_t* lists = (int32_t*)run->search->lists.data + 2 * worker * run->listCount;
	brWideScratch scratch = {.lists = {lists, lists + run->listCount}};
	(query->isFiltered ? kernels->findTriangles : kernels->findPairs)(query, span->begin, span->end, &scratch, pairs);
	return scratch.candidates;
}

static bool pairsMakeLists(brPairSearch* search, int32_t workerCount, int64_t listCount)
{
	return brStageMemory_Ensure(&search->lists, &search->allocator, 2 * workerCount * listCount, sizeof(int32_t));
}

// Runs all jobs; what they find ends in search->pairs.
static brResult pairsRunJobs(brPairSearch* search, brWorkers* workers, int32_t jobCount, brReport* report)
{
	PairJob* jobs = search->jobs.data;
	int64_t spanTotal = 0, room = 0;
	int32_t largest = 1;
	for (int32_t i = 0; i < jobCount; ++i)
	{
		// A surface has about seven neighbors a triangle, counted once; what is never touched costs nothing.
		const brWideQuery* query = &jobs[i].query;
		room += query->isSelf && !query->isFiltered ? 10 * (int64_t)BR_WIDE_ARITY * query->queries->groupCount : 0;
		jobs[i].firstBlock = (int32_t)spanTotal;
		spanTotal += (query->queries->groupCount + pairBlockGroups - 1) / pairBlockGroups;
		largest = query->target->groupCount > largest ? query->target->groupCount : largest;
	}
	if (spanTotal > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many pairs of overlapping objects");
	}
	PairRun run = {.search = search, .jobs = jobs, .listCount = (int64_t)largest + BR_WIDE_ARITY};
	if (!brStageMemory_Ensure(&search->spans, &search->allocator, spanTotal, sizeof(PairSpan)) ||
		!pairsMakeLists(search, brWorkers_GetCount(workers), run.listCount))
	{
		return brFailMemory(report);
	}
	PairSpan* spans = search->spans.data;
	run.spans = spans;
	for (int32_t i = 0; i < jobCount; ++i)
	{
		int32_t groupCount = jobs[i].query.queries->groupCount, at = jobs[i].firstBlock;
		for (int32_t begin = 0; begin < groupCount; begin += pairBlockGroups, ++at)
		{
			int32_t end = groupCount - begin < pairBlockGroups ? groupCount : begin + pairBlockGroups;
			spans[at] = (PairSpan){.job = i, .begin = begin, .end = end};
		}
	}
	return brCollectPairs(search, workers, (int32_t)spanTotal, room, pairsFindInSpan, &run, report);
}

static void pairsAddStages(brPairSearch* search, const brWideBvh* trees)
{
	search->stages.boxes += trees->order.boxSeconds;
	search->stages.sort += trees->order.sortSeconds;
	search->stages.build += trees->packSeconds;
}

// The same search, one level up.
brResult brFindTreePairs(brPairSearch* search, const brTreeBox* bounds, const int32_t* treeStarts, int32_t treeCount,
						 brReport* report)
{
	brWideBvh* top = &search->trees[2];
	if (!brStageMemory_Ensure(&search->treeBoxes, &search->allocator, treeCount, sizeof(brBox3)))
	{
		return brFailMemory(report);
	}
	// Trees of nothing stand aside as a point that no pair is taken from.
	brBox3* boxes = search->treeBoxes.data;
	for (int32_t i = 0; i < treeCount; ++i)
	{
		bool isEmpty = treeStarts[i] == treeStarts[i + 1];
		boxes[i] = isEmpty ? (brBox3){{0, 0, 0}, {0, 0, 0}} : brTreeBox_Box(&bounds[i]);
	}
	brBoxSource source = {.count = treeCount, .boxes = boxes};
	brResult result = brWideBvh_Build(top, NULL, &source, NULL, 1, report);
	if (result < 0)
	{
		return result;
	}
	const brWideTree* tree = brWideBvh_Tree(top, 0);
	if (!pairsMakeLists(search, 1, (int64_t)tree->groupCount + BR_WIDE_ARITY))
	{
		return brFailMemory(report);
	}
	int32_t* lists = search->lists.data;
	brWideScratch scratch = {.lists = {lists, lists + tree->groupCount + BR_WIDE_ARITY}};
	brWideQuery query = {.queries = tree, .target = tree, .isSelf = true, .isOrdered = true};
	brPairBuffer* found = &search->treePairs;
	found->count = 0;
	found->isFull = false;
	top->kernels->findPairs(&query, 0, tree->groupCount, &scratch, found);
	if (found->isFull)
	{
		return brFailMemory(report);
	}
	int64_t kept = 0;
	for (int64_t i = 0; i < found->count; ++i)
	{
		brPair pair = found->pairs[i];
		bool isEmpty = treeStarts[pair.a] == treeStarts[pair.a + 1] || treeStarts[pair.b] == treeStarts[pair.b + 1];
		found->pairs[kept] = pair;
		kept += !isEmpty;
	}
	found->count = kept;
	return br_success;
}

static PairJob pairsMakeJob(const brPairSearch* search, const brWideTree* queries, const brWideTree* target,
							bool isSelf)
{
	return (PairJob){.query = {.queries = queries,
							   .target = target,
							   .isSelf = isSelf,
							   .isOrdered = true,
							   .isFiltered = search->def.enableFilter,
							   .rule = search->def.rule,
							   .error = BR_WIDE_TRIANGLE_ERROR}};
}

static brResult pairsRunOi(brPairSearch* search, const brContext* context, const brBoxSource* source,
						   const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	brWorkers* workers = context != NULL ? context->workers : NULL;
	brWideBvh* trees = &search->trees[0];
	brResult result = brWideBvh_Build(trees, workers, source, treeStarts, treeCount, report);
	if (result >= 0 && search->def.enableFilter)
	{
		result = brWideBvh_PackTriangles(trees, workers, search->def.rule, search->settled, report);
	}
	if (result < 0)
	{
		return result;
	}
	pairsAddStages(search, trees);
	int64_t start = brClockNanoseconds();
	search->treePairs.count = 0;
	if (search->def.enableInter && treeCount > 1)
	{
		result = brFindTreePairs(search, trees->order.bounds.data, treeStarts, treeCount, report);
		if (result < 0)
		{
			return result;
		}
	}
	int64_t jobCount = search->treePairs.count + (search->def.enableSelf ? treeCount : 0);
	if (jobCount > INT32_MAX || !brStageMemory_Ensure(&search->jobs, &search->allocator, jobCount, sizeof(PairJob)))
	{
		return brFailMemory(report);
	}
	PairJob* jobs = search->jobs.data;
	int32_t count = 0;
	for (int32_t i = 0; i < treeCount && search->def.enableSelf; ++i)
	{
		const brWideTree* tree = brWideBvh_Tree(trees, i);
		jobs[count++] = pairsMakeJob(search, tree, tree, true);
	}
	for (int64_t i = 0; i < search->treePairs.count; ++i)
	{
		// The smaller tree's groups go down the larger tree.
		const brWideTree* a = brWideBvh_Tree(trees, search->treePairs.pairs[i].a);
		const brWideTree* b = brWideBvh_Tree(trees, search->treePairs.pairs[i].b);
		bool swap = a->groupCount > b->groupCount;
		jobs[count++] = pairsMakeJob(search, swap ? b : a, swap ? a : b, false);
	}
	result = pairsRunJobs(search, workers, count, report);
	search->stages.search += brSecondsSince(start);
	return result;
}

brResult brPairSearch_Run(brPairSearch* search, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	return brPairSearch_RunObjects(search, context, source, treeStarts, treeCount, NULL, report);
}

brResult brPairSearch_RunObjects(brPairSearch* search, const brContext* context, const brBoxSource* source,
								 const int32_t* treeStarts, int32_t treeCount, const uint64_t* objects,
								 brReport* report)
{
	int32_t whole[2] = {0, source->count};
	treeCount = treeStarts != NULL ? treeCount : 1;
	treeStarts = treeStarts != NULL ? treeStarts : whole;
	memset(&search->stages, 0, sizeof(search->stages));
	search->pairs.count = 0;
	search->candidateCount = 0;
	if (search->def.method == br_pairsBrute)
	{
		int64_t start = brClockNanoseconds();
		brResult result = brFindPairsBrute(search, context, source, treeStarts, treeCount, NULL, report);
		search->stages.search = brSecondsSince(start);
		search->candidateCount = search->pairs.count;
		return result;
	}
	const brPairEngine* engine = pairsEngine(&search->def);
	if (engine != NULL)
	{
		brPairRun run = {context, source, treeStarts, treeCount, objects};
		return pairsMakeState(search, engine) ? engine->find(search->state, search, &run, report)
											  : brFailMemory(report);
	}
	return pairsRunOi(search, context, source, treeStarts, treeCount, report);
}

brResult brPairSearch_RunBetween(brPairSearch* search, const brContext* context, const brBoxSource* first,
								 const brBoxSource* second, brReport* report)
{
	memset(&search->stages, 0, sizeof(search->stages));
	search->pairs.count = 0;
	search->candidateCount = 0;
	if (search->def.method == br_pairsBrute)
	{
		int64_t start = brClockNanoseconds();
		brResult result = brFindPairsBrute(search, context, first, NULL, 0, second, report);
		search->stages.search = brSecondsSince(start);
		search->candidateCount = search->pairs.count;
		return result;
	}
	brWorkers* workers = context != NULL ? context->workers : NULL;
	const brBoxSource* sources[2] = {first, second};
	for (int i = 0; i < 2; ++i)
	{
		brResult result = brWideBvh_Build(&search->trees[i], workers, sources[i], NULL, 1, report);
		if (result < 0)
		{
			return result;
		}
		pairsAddStages(search, &search->trees[i]);
	}
	int64_t start = brClockNanoseconds();
	if (!brStageMemory_Ensure(&search->jobs, &search->allocator, 1, sizeof(PairJob)))
	{
		return brFailMemory(report);
	}
	const brWideTree *a = brWideBvh_Tree(&search->trees[0], 0), *b = brWideBvh_Tree(&search->trees[1], 0);
	*(PairJob*)search->jobs.data = (PairJob){.query = {.queries = a, .target = b}};
	int32_t jobCount = a->groupCount > 0 && b->groupCount > 0 ? 1 : 0;
	brResult result = pairsRunJobs(search, workers, jobCount, report);
	search->stages.search += brSecondsSince(start);
	return result;
}
