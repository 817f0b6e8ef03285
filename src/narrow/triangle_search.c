// SPDX-License-Identifier: MIT

// Exact pairs of triangles. Blocks of candidates are tested in place by workers, each moving what it keeps to the front
// of its block; then the blocks are closed up in order.

#include "narrow/triangle_search.h"

#include "base/clock.h"
#include "narrow/triangle_decide.h"
#include "narrow/triangle_pair.h"

#include <string.h>

enum
{
	exactBlock = 4096 // candidates tested in one go
};

typedef struct ExactJob
{
	brPair* pairs;
	int64_t count;
	int64_t* kept;
	const brDVec3* positions;
	const int32_t (*triangles)[3];
	brNeighborRule rule;
	brDecideTrianglesFcn* decide; // null: one by one
} ExactJob;

static bool exactMeets(const ExactJob* job, brPair pair)
{
	const int32_t *ia = job->triangles[pair.a], *ib = job->triangles[pair.b];
	brDVec3 a[3] = {job->positions[ia[0]], job->positions[ia[1]], job->positions[ia[2]]};
	brDVec3 b[3] = {job->positions[ib[0]], job->positions[ib[1]], job->positions[ib[2]]};
	bool isNeighbor = false;
	for (int i = 0; i < 3 && job->rule != br_neighborsKeep; ++i)
	{
		isNeighbor |= ia[i] == ib[0] || ia[i] == ib[1] || ia[i] == ib[2];
	}
	if (!isNeighbor)
	{
		return brTrianglePair_Meets(a, b);
	}
	return job->rule == br_neighborsBeyond && brTrianglePair_MeetsBeyond(a, ia, b, ib);
}

static void exactTestBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	ExactJob* job = user;
	for (int32_t block = begin; block < end; ++block)
	{
		int64_t first = (int64_t)block * exactBlock, kept = first;
		int64_t last = job->count - first < exactBlock ? job->count : first + exactBlock;
		for (int64_t i = first; i < last; i += 8)
		{
			int32_t count = last - i < 8 ? (int32_t)(last - i) : 8;
			uint32_t meets = 0, unsure = (1u << count) - 1u;
			if (job->decide != NULL)
			{
				job->decide(job->positions, job->triangles, job->pairs + i, count, job->rule, &meets, &unsure);
			}
			for (; unsure != 0; unsure &= unsure - 1)
			{
				int32_t k = __builtin_ctz(unsure);
				meets |= (uint32_t)exactMeets(job, job->pairs[i + k]) << k;
			}
			for (; meets != 0; meets &= meets - 1)
			{
				job->pairs[kept++] = job->pairs[i + __builtin_ctz(meets)];
			}
		}
		job->kept[block] = kept - first;
	}
}

void brTriangleSearch_Init(brTriangleSearch* search, const brAllocator* allocator, const brPairSearchDef* def)
{
	brPairSearchDef filtered = *def;
	filtered.enableFilter = true;
	brPairSearch_Init(&search->search, allocator, &filtered);
	brVertexFans_Init(&search->fans, allocator);
	search->kept = (brStageMemory){0};
}

void brTriangleSearch_Free(brTriangleSearch* search)
{
	brStageMemory_Free(&search->kept, &search->search.allocator);
	brVertexFans_Free(&search->fans);
	brPairSearch_Free(&search->search);
}

static bool exactBuildFans(brTriangleSearch* search, brWorkers* workers, const brBoxSource* source)
{
	return brVertexFans_Build(&search->fans, workers, (const int32_t(*)[3])source->corners, source->count,
							  source->vertexCount);
}

// Vertices whose triangles need no look at each other.
static brResult exactSettle(brTriangleSearch* search, brWorkers* workers, const brBoxSource* source, brReport* report)
{
	search->search.settled = NULL;
	if (search->search.def.rule != br_neighborsBeyond || search->search.def.method != br_pairsOi ||
		search->search.def.engine != NULL)
	{
		return br_success;
	}
	if (exactBuildFans(search, workers, source))
	{
		search->search.settled =
			brVertexFans_Settle(&search->fans, workers, source->positions, search->search.def.lanes);
	}
	return search->search.settled != NULL ? br_success : brFailMemory(report);
}

brResult brTriangleSearch_Run(brTriangleSearch* search, const brContext* context, const brBoxSource* source,
							  const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int64_t settleStart = brClockNanoseconds();
	brResult result = exactSettle(search, workers, source, report);
	if (result < 0)
	{
		return result;
	}
	double settleSeconds = brSecondsSince(settleStart);
	result = brPairSearch_Run(&search->search, context, source, treeStarts, treeCount, report);
	if (result < 0)
	{
		return result;
	}
	int64_t start = brClockNanoseconds();
	brPairBuffer* pairs = &search->search.pairs;
	int64_t blockCount = (pairs->count + exactBlock - 1) / exactBlock;
	if (blockCount > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many candidate pairs");
	}
	if (!brStageMemory_Ensure(&search->kept, &search->search.allocator, blockCount, sizeof(int64_t)))
	{
		return brFailMemory(report);
	}
	ExactJob job = {.pairs = pairs->pairs,
					.count = pairs->count,
					.kept = search->kept.data,
					.positions = source->positions,
					.triangles = (const int32_t(*)[3])source->corners,
					.rule = search->search.def.rule,
					.decide = brGetDecideTriangles(search->search.def.lanes)};
	brParallelFor(workers, (int32_t)blockCount, 1, exactTestBlocks, &job);
	int64_t total = 0;
	for (int64_t block = 0; block < blockCount; ++block)
	{
		memmove(pairs->pairs + total, pairs->pairs + block * exactBlock, (size_t)job.kept[block] * sizeof(brPair));
		total += job.kept[block];
	}
	pairs->count = total;
	search->search.stages.narrow = brSecondsSince(start) + settleSeconds;
	return br_success;
}
