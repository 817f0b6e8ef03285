// SPDX-License-Identifier: MIT

// Blocks of candidates are tested in place by workers, each moving what it keeps to the front of its block; then the
// blocks are closed up in order.

#include "narrow/tet_search.h"

#include "base/clock.h"
#include "narrow/tet_decide.h"
#include "narrow/tet_measure.h"

#include <string.h>

enum
{
	tetPairBlock = 4096, // candidates tested in one go
	tetRecordBlock = 4096,
	tetAhead = 32, // pairs whose records are fetched in advance
};

typedef struct TetJob
{
	brTetSearch* search;
	const brBoxSource* source;
	brPair* pairs;
	int64_t count;
	int64_t* kept;
	brTetRecord* records;
	brPenetration* penetrations;
	brDecideTetsFcn* decide;
	brMeasureTetsFcn* measure;
	bool findNeighbors; // they are still among the pairs
	brDVec3 center;
	double scale;
} TetJob;

void brTetSearch_Init(brTetSearch* search, const brAllocator* allocator, const brPairSearchDef* def, brTetTest test,
					  bool keepNeighbors)
{
	memset(search, 0, sizeof(*search));
	brPairSearchDef own = *def;
	own.enableFilter = false;
	own.skipNeighbors = !keepNeighbors;
	brPairSearch_Init(&search->search, allocator, &own);
	search->test = test;
	search->keepNeighbors = keepNeighbors;
}

void brTetSearch_Free(brTetSearch* search)
{
	brStageMemory_Free(&search->records, &search->search.allocator);
	brStageMemory_Free(&search->kept, &search->search.allocator);
	brStageMemory_Free(&search->penetrations, &search->search.allocator);
	brPairSearch_Free(&search->search);
}

// To [-1, 1] by a shift and a power of two.
static void tetFindScale(TetJob* job)
{
	brDVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
	for (int32_t i = 0; i < job->source->vertexCount; ++i)
	{
		lower = brDMin(lower, job->source->positions[i]);
		upper = brDMax(upper, job->source->positions[i]);
	}
	job->center = brDMul(0.5, brDAdd(lower, upper));
	brDVec3 half = brDSub(upper, job->center);
	double size = fmax(half.x, fmax(half.y, half.z)), least = fmin(lower.x, fmin(lower.y, lower.z));
	int exponent = 0;
	frexp(size, &exponent);
	job->scale = size > 0.0 && isfinite(least) ? ldexp(1.0, -exponent - 1) : 1.0;
}

static void tetMakeRecords(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	TetJob* job = user;
	const int32_t(*tets)[4] = (const int32_t(*)[4])job->source->corners;
	for (int32_t i = begin; i < end; ++i)
	{
		brTetRecord* record = &job->records[i];
		for (int k = 0; k < 4; ++k)
		{
			brDVec3 p = brDMul(job->scale, brDSub(job->source->positions[tets[i][k]], job->center));
			record->x[k] = (float)p.x, record->y[k] = (float)p.y, record->z[k] = (float)p.z;
			record->corners[k] = tets[i][k];
		}
	}
}

static void tetCorners(const TetJob* job, int32_t tet, brDVec3 out[4])
{
	const int32_t* corners = job->source->corners + 4 * (int64_t)tet;
	for (int k = 0; k < 4; ++k)
	{
		out[k] = job->source->positions[corners[k]];
	}
}

static bool tetTestOne(const TetJob* job, brPair pair)
{
	brDVec3 a[4], b[4];
	brPenetration penetration;
	tetCorners(job, pair.a, a);
	tetCorners(job, pair.b, b);
	switch (job->search->test)
	{
		case br_tetSatNoEdges:
			return brTetPair_SatFaces(a, b);
		case br_tetSatMtv:
			return brTetPair_Mtv(a, b, &penetration);
		case br_tetGjk:
			return brTetPair_Gjk(a, b) == 0.0;
		case br_tetExact:
			return brTetPair_MeetsExact(a, b);
		default:
			return brTetPair_Meets(a, b);
	}
}

static void tetTestBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	TetJob* job = user;
	const brTetTest test = job->search->test;
	for (int32_t block = begin; block < end; ++block)
	{
		int64_t first = (int64_t)block * tetPairBlock, kept = first;
		int64_t last = job->count - first < tetPairBlock ? job->count : first + tetPairBlock;
		for (int64_t i = first; i < last; i += 16)
		{
			int32_t count = last - i < 16 ? (int32_t)(last - i) : 16;
			for (int64_t k = i + tetAhead; k < i + tetAhead + 16 && k < last; ++k)
			{
				__builtin_prefetch(&job->records[job->pairs[k].a]);
				__builtin_prefetch(&job->records[job->pairs[k].b]);
			}
			brTetAnswers answers;
			job->decide(job->records, job->pairs + i, count, job->findNeighbors, test == br_tetSatNoEdges, &answers);
			// What is certain stands for every test but the exact one, which is there to check it. Neighbors always
			// meet.
			uint32_t apart = test != br_tetExact ? answers.apart : 0;
			uint32_t meets = test != br_tetExact ? answers.meets : 0;
			uint32_t unsure = ~(apart | meets | answers.neighbors) & ((1u << count) - 1u);
			for (; unsure != 0; unsure &= unsure - 1)
			{
				int32_t k = __builtin_ctz(unsure);
				meets |= (uint32_t)tetTestOne(job, job->pairs[i + k]) << k;
			}
			meets &= ~answers.neighbors;
			meets |= job->search->keepNeighbors ? answers.neighbors : 0;
			for (; meets != 0; meets &= meets - 1)
			{
				job->pairs[kept++] = job->pairs[i + __builtin_ctz(meets)];
			}
		}
		job->kept[block] = kept - first;
	}
}

static void tetMeasureBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	TetJob* job = user;
	for (int32_t i = begin; i < end; i += BR_MEASURE_PAIRS)
	{
		int32_t count = end - i < BR_MEASURE_PAIRS ? end - i : BR_MEASURE_PAIRS;
		brTetCorners corners[BR_MEASURE_PAIRS];
		for (int32_t k = 0; k < count; ++k)
		{
			tetCorners(job, job->pairs[i + k].a, corners[k].a);
			tetCorners(job, job->pairs[i + k].b, corners[k].b);
			job->penetrations[i + k] = (brPenetration){.direction = {1.0, 0.0, 0.0}};
		}
		job->measure(corners, count, &job->penetrations[i]);
	}
}

static brResult tetNarrow(brTetSearch* search, brWorkers* workers, TetJob* job, brReport* report)
{
	const brAllocator* allocator = &search->search.allocator;
	brPairBuffer* pairs = &search->search.pairs;
	int64_t blockCount = (pairs->count + tetPairBlock - 1) / tetPairBlock;
	if (blockCount > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many candidate pairs");
	}
	if (!brStageMemory_Ensure(&search->kept, allocator, blockCount, sizeof(int64_t)) ||
		!brStageMemory_Ensure(&search->records, allocator, job->source->count, sizeof(brTetRecord)))
	{
		return brFailMemory(report);
	}
	job->kept = search->kept.data;
	job->records = search->records.data;
	tetFindScale(job);
	brParallelFor(workers, job->source->count, tetRecordBlock, tetMakeRecords, job);
	brParallelFor(workers, (int32_t)blockCount, 1, tetTestBlocks, job);
	int64_t total = 0;
	for (int64_t block = 0; block < blockCount; ++block)
	{
		memmove(pairs->pairs + total, pairs->pairs + block * tetPairBlock, (size_t)job->kept[block] * sizeof(brPair));
		total += job->kept[block];
	}
	search->tested = pairs->count;
	pairs->count = total;
	if (!brTetTest_Measures(search->test))
	{
		return br_success;
	}
	if (total > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many pairs to measure");
	}
	if (!brStageMemory_Ensure(&search->penetrations, allocator, total, sizeof(brPenetration)))
	{
		return brFailMemory(report);
	}
	job->penetrations = search->penetrations.data;
	brParallelFor(workers, (int32_t)total, 256, tetMeasureBlocks, job);
	return br_success;
}

brResult brTetSearch_Run(brTetSearch* search, const brContext* context, const brBoxSource* source,
						 const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	brResult result = brPairSearch_Run(&search->search, context, source, treeStarts, treeCount, report);
	if (result < 0)
	{
		return result;
	}
	int64_t start = brClockNanoseconds();
	TetJob job = {.search = search,
				  .source = source,
				  .pairs = search->search.pairs.pairs,
				  .count = search->search.pairs.count,
				  .decide = brGetDecideTets(search->search.def.lanes),
				  .measure = (search->test == br_tetGjk ? brGetEpaTets : brGetMtvTets)(search->search.def.lanes)};
	// The grid leaves neighbors out by itself.
	job.findNeighbors = search->keepNeighbors || search->search.engine != &brKdetEngine;
	result = tetNarrow(search, context != NULL ? context->workers : NULL, &job, report);
	search->search.stages.narrow = brSecondsSince(start);
	return result;
}
