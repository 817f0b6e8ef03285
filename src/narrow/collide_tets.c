// SPDX-License-Identifier: MIT

// The public calls for tetrahedra, and how crowded a set of them is.

#include "narrow/collision_parts.h"

#include "narrow/tet_pair.h"
#include "narrow/tet_search.h"
#include "narrow/tet_soup.h"

#include <string.h>

// Pairs that meet, with depths if the test measures them.
static brResult tetsFindTrue(brCollision* collision, const brContext* context, const brTetSoup* soup,
							 const brCollideDef* def, brReport* report)
{
	brPairSearchDef searchDef = brCollideDef_Search(def);
	brTetSearch search;
	brTetSearch_Init(&search, &collision->allocator, &searchDef, def->tetTest, def->keepNeighbors);
	brBoxSource source = brTetSoup_Source(soup);
	brResult result = brTetSearch_Run(&search, context, &source, soup->starts, soup->meshCount, report);
	if (result >= 0)
	{
		const brPairBuffer* pairs = &search.search.pairs;
		collision->candidateCount = search.search.candidateCount;
		collision->stages = search.search.stages;
		collision->pairs = brCollision_Copy(&collision->allocator, pairs);
		collision->pairCount = collision->pairs != NULL ? pairs->count : 0;
		bool measures = brTetTest_Measures(def->tetTest);
		if (collision->pairs != NULL && measures)
		{
			collision->penetrations = BR_ALLOC(&collision->allocator, brPenetration, pairs->count);
		}
		if (collision->pairs == NULL || (measures && collision->penetrations == NULL))
		{
			result = brFailMemory(report);
		}
		else if (measures && pairs->count > 0)
		{
			memcpy(collision->penetrations, search.penetrations.data, (size_t)pairs->count * sizeof(brPenetration));
		}
	}
	brTetSearch_Free(&search);
	return result;
}

brResult brCollideTets(const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
					   const brCollideDef* def, brCollision** outCollision, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	def = def != NULL ? def : &defaults;
	if (meshes == NULL || meshCount < 0 || outCollision == NULL || !brCollideDef_IsGood(def))
	{
		return brFail(report, br_errorMisuse, "brCollideTets needs meshes and a def with its stamp");
	}
	brTetSoup soup;
	brResult result = brTetSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	brCollision* collision = brCollision_Alloc(&soup.allocator);
	if (collision == NULL)
	{
		brTetSoup_Free(&soup);
		return brFailMemory(report);
	}
	collision->primitiveCount = soup.tetCount;
	if (def->findTrue)
	{
		result = tetsFindTrue(collision, context, &soup, def, report);
	}
	if (result >= 0 && (def->keepCandidates || !def->findTrue))
	{
		brPairStages stages = collision->stages;
		brBoxSource source = brTetSoup_Source(&soup);
		result = brCollision_FindCandidates(collision, context, &source, soup.starts, meshCount, def, report);
		collision->stages = def->findTrue ? stages : collision->stages;
	}
	brTetSoup_Free(&soup);
	if (result < 0)
	{
		brDestroyCollision(collision);
		return result;
	}
	*outCollision = collision;
	return brSucceed(report);
}

// Crowding

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
