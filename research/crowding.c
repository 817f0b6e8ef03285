// SPDX-License-Identifier: MIT

// How crowded a set of tets is. Pairs of tets whose boxes are near enough come from a search; the distance of two tets
// is that of GJK.

#include "brittle/crowding.h"

#include "base/report.h"
#include "index/pairs.h"
#include "narrow/tet_pair.h"
#include "narrow/tet_soup.h"

#include <string.h>

typedef struct FreeJob
{
	const brTetSoup* soup;
	double* diameters;
	brBox3* boxes; // of tets, then of tets with what is a quarter diameter around them
	const brPair* pairs;
	uint8_t* isNear; // per pair
} FreeJob;

static void freeMeasureTets(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FreeJob* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brDVec3 corners[4];
		brDBox3 box = brMakeDBox3Empty();
		for (int k = 0; k < 4; ++k)
		{
			corners[k] = job->soup->nodes[job->soup->tets[i][k]];
			box = brDBox3_Include(box, corners[k]);
		}
		job->diameters[i] = brTet_SphereDiameter(corners);
		job->boxes[i] = brMakeBox3Outward(box);
		brDVec3 around = {0.25 * job->diameters[i], 0.25 * job->diameters[i], 0.25 * job->diameters[i]};
		box.lower = brDSub(box.lower, around), box.upper = brDAdd(box.upper, around);
		job->boxes[job->soup->tetCount + i] = brMakeBox3Outward(box);
	}
}

static void freeTestPairs(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FreeJob* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brPair pair = job->pairs[i];
		double d = job->diameters[pair.a];
		job->isNear[i] = 0;
		if (pair.a != pair.b && d <= job->diameters[pair.b])
		{
			brDVec3 a[4], b[4];
			for (int k = 0; k < 4; ++k)
			{
				a[k] = job->soup->nodes[job->soup->tets[pair.a][k]];
				b[k] = job->soup->nodes[job->soup->tets[pair.b][k]];
			}
			job->isNear[i] = brTetPair_Gjk(a, b) <= 0.25 * d;
		}
	}
}

static void freeSummarise(const FreeJob* job, int64_t pairCount, int32_t* counts, brKFreeness* outFreeness)
{
	int32_t tetCount = job->soup->tetCount;
	memset(counts, 0, (size_t)tetCount * sizeof(int32_t));
	for (int64_t i = 0; i < pairCount; ++i)
	{
		counts[job->pairs[i].a] += job->isNear[i];
	}
	brKFreeness freeness = {.mostCrowded = -1};
	double sum = 0.0;
	for (int32_t i = 0; i < tetCount; ++i)
	{
		// Fewer than k: one more than there are.
		sum += counts[i] + 1;
		if (counts[i] + 1 > freeness.k)
		{
			freeness.k = counts[i] + 1;
			freeness.mostCrowded = i;
		}
		double d = job->diameters[i];
		freeness.smallest = i == 0 || d < freeness.smallest ? d : freeness.smallest;
		freeness.largest = d > freeness.largest ? d : freeness.largest;
	}
	freeness.mean = tetCount > 0 ? sum / tetCount : 0.0;
	*outFreeness = freeness;
}

brResult brMeasureKFreeness(const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
							brKFreeness* outFreeness, brReport* report)
{
	if (meshes == NULL || meshCount < 0 || outFreeness == NULL)
	{
		return brFail(report, br_errorMisuse, "brMeasureKFreeness needs meshes");
	}
	brTetSoup soup;
	brResult result = brTetSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int32_t tetCount = soup.tetCount;
	FreeJob job = {.soup = &soup};
	brPairSearchDef def = {.method = br_pairsOi};
	brPairSearch search;
	brPairSearch_Init(&search, &soup.allocator, &def);
	job.diameters = BR_ALLOC(&soup.allocator, double, tetCount);
	job.boxes = BR_ALLOC(&soup.allocator, brBox3, 2 * (int64_t)tetCount);
	int32_t* counts = BR_ALLOC(&soup.allocator, int32_t, tetCount);
	result = job.diameters != NULL && job.boxes != NULL && counts != NULL ? br_success : brFailMemory(report);
	if (result >= 0)
	{
		brParallelFor(workers, tetCount, 1024, freeMeasureTets, &job);
		brBoxSource around = {.count = tetCount, .boxes = job.boxes + tetCount};
		brBoxSource plain = {.count = tetCount, .boxes = job.boxes};
		result = brPairSearch_RunBetween(&search, context, &around, &plain, report);
	}
	int64_t pairCount = search.pairs.count;
	if (result >= 0 && pairCount > INT32_MAX)
	{
		result = brFail(report, br_errorLimit, "there are too many tets near each other");
	}
	if (result >= 0)
	{
		job.pairs = search.pairs.pairs;
		job.isNear = BR_ALLOC(&soup.allocator, uint8_t, pairCount);
		result = job.isNear != NULL ? br_success : brFailMemory(report);
	}
	if (result >= 0)
	{
		brParallelFor(workers, (int32_t)pairCount, 1024, freeTestPairs, &job);
		freeSummarise(&job, pairCount, counts, outFreeness);
	}
	BR_FREE(&soup.allocator, job.isNear, pairCount);
	BR_FREE(&soup.allocator, job.diameters, tetCount);
	BR_FREE(&soup.allocator, job.boxes, 2 * (int64_t)tetCount);
	BR_FREE(&soup.allocator, counts, tetCount);
	brPairSearch_Free(&search);
	brTetSoup_Free(&soup);
	return result < 0 ? result : brSucceed(report);
}
