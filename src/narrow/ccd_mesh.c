// SPDX-License-Identifier: MIT

// Continuous contacts of whole meshes: candidates from trees over swept boxes, then block by block on workers the two
// sieves and the march of ccd_lanes.h. Hits stay in the order of the candidates.

#include "base/assert.h"
#include "base/clock.h"
#include "index/pairs.h"
#include "narrow/ccd_kernels.h"
#include "narrow/ccd_pair.h"
#include "narrow/sweep.h"

#include <string.h>

enum
{
	ccdBlock = 1024,       // pairs tested in one go; their records fit the second cache
	ccdRecordBlock = 4096, // vertices
};

typedef struct CcdJob
{
	const brCcdDef* def;
	const brCcdKernels* kernels;
	const brTriangleSoup* soup;
	const brDVec3* next;
	brCcdRecord* records; // [vertexCount]
	int32_t* meshes;      // [vertexCount] mesh of each vertex, or null: all pairs are wanted
	brEdge* edges;
	int32_t edgeCount;

	// Of the kind that is looked at
	brCcdKind kind;
	brPair* pairs; // the hits of a block go to its front
	int64_t pairCount;
	double* times; // [pairCount], filled like the pairs
	struct CcdCounts
	{
		int32_t candidates, hits, coarse;
	} * blocks;
} CcdJob;

static void ccdMakeRecords(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CcdJob* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		brDVec3 p = job->soup->positions[i], q = job->next[i];
		job->records[i] = (brCcdRecord){{p.x, p.y, p.z, 0.0}, {q.x, q.y, q.z, 0.0}};
	}
}

// The corners of a pair. False: neighbors, or not wanted.
static bool ccdMakeItem(const CcdJob* job, brPair pair, brCcdItem* outItem)
{
	int32_t* c = outItem->corners;
	bool areNeighbors;
	if (job->kind == br_ccdVertexFace)
	{
		const int32_t* triangle = job->soup->triangles[pair.b];
		c[0] = pair.a, c[1] = triangle[0], c[2] = triangle[1], c[3] = triangle[2];
		areNeighbors = c[0] == c[1] || c[0] == c[2] || c[0] == c[3];
	}
	else
	{
		const int32_t *p = job->edges[pair.a], *q = job->edges[pair.b];
		c[0] = p[0], c[1] = p[1], c[2] = q[0], c[3] = q[1];
		areNeighbors = c[0] == c[2] || c[0] == c[3] || c[1] == c[2] || c[1] == c[3];
	}
	if (areNeighbors || job->meshes == NULL)
	{
		return !areNeighbors;
	}
	bool isSelf = job->meshes[c[0]] == job->meshes[c[3]];
	return isSelf ? job->def->enableSelf : job->def->enableInter;
}

static void ccdTestBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CcdJob* job = user;
	const brCcdDef* def = job->def;
	brCcdItem items[ccdBlock];
	int32_t order[ccdBlock];
	brCcdAnswer answers[ccdBlock];
	for (int32_t block = begin; block < end; ++block)
	{
		int64_t first = (int64_t)block * ccdBlock;
		int32_t most = job->pairCount - first < ccdBlock ? (int32_t)(job->pairCount - first) : ccdBlock, count = 0;
		brPair* pairs = job->pairs + first;
		for (int32_t i = 0; i < most; ++i)
		{
			pairs[count] = pairs[i];
			order[count] = count;
			if (ccdMakeItem(job, pairs[i], &items[count]))
			{
				for (int k = 0; k < 4; ++k)
				{
					__builtin_prefetch(&job->records[items[count].corners[k]]);
				}
				count += 1;
			}
		}
		struct CcdCounts counts = {.candidates = count};
		count = job->kernels->sieve(job->kind, 0, job->records, items, order, count, def->separation);
		count = job->kernels->sieve(job->kind, 1, job->records, items, order, count, def->separation);
		job->kernels->solve(job->kind, job->records, items, order, count, def->separation, def->tolerance, answers);
		for (int32_t i = 0; i < count; ++i)
		{
			if (answers[i].time <= 1.0)
			{
				pairs[counts.hits] = pairs[order[i]];
				job->times[first + counts.hits] = answers[i].time;
				counts.hits += 1;
				counts.coarse += answers[i].spread > def->tolerance;
			}
		}
		job->blocks[block] = counts;
	}
}

// The hits of all blocks as one list; null without memory.
static brCcdHit* ccdTakeHits(brCcd* ccd, const CcdJob* job, int64_t blockCount, int64_t* outCandidates,
							 int64_t* outCount)
{
	int64_t count = 0;
	*outCandidates = 0;
	for (int64_t block = 0; block < blockCount; ++block)
	{
		count += job->blocks[block].hits;
		*outCandidates += job->blocks[block].candidates;
		ccd->coarseCount += job->blocks[block].coarse;
	}
	brCcdHit* hits = BR_ALLOC(&ccd->allocator, brCcdHit, count);
	if (hits == NULL)
	{
		return NULL;
	}
	int64_t filled = 0;
	for (int64_t block = 0; block < blockCount; ++block)
	{
		for (int64_t i = block * ccdBlock; i < block * ccdBlock + job->blocks[block].hits; ++i)
		{
			hits[filled++] = (brCcdHit){job->pairs[i].a, job->pairs[i].b, job->times[i]};
			ccd->firstTime = job->times[i] < ccd->firstTime ? job->times[i] : ccd->firstTime;
		}
	}
	*outCount = count;
	return hits;
}

// Tests the pairs of one kind, which are used up.
static brResult ccdNarrow(brCcd* ccd, brWorkers* workers, CcdJob* job, brCcdKind kind, brPairBuffer* pairs,
						  brReport* report)
{
	const brAllocator* allocator = &ccd->allocator;
	int64_t blockCount = (pairs->count + ccdBlock - 1) / ccdBlock;
	if (blockCount > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "there are too many candidate pairs");
	}
	int64_t start = brClockNanoseconds();
	job->kind = kind;
	job->pairs = pairs->pairs;
	job->pairCount = pairs->count;
	job->times = BR_ALLOC(allocator, double, pairs->count);
	job->blocks = BR_ALLOC(allocator, struct CcdCounts, blockCount);
	brCcdHit* hits = NULL;
	if (job->times != NULL && job->blocks != NULL)
	{
		brParallelFor(workers, (int32_t)blockCount, 1, ccdTestBlocks, job);
		hits = kind == br_ccdVertexFace
				   ? ccdTakeHits(ccd, job, blockCount, &ccd->vertexFaceCandidates, &ccd->vertexFaceCount)
				   : ccdTakeHits(ccd, job, blockCount, &ccd->edgeEdgeCandidates, &ccd->edgeEdgeCount);
		*(kind == br_ccdVertexFace ? &ccd->vertexFaces : &ccd->edgeEdges) = hits;
	}
	BR_FREE(allocator, job->times, pairs->count);
	BR_FREE(allocator, job->blocks, blockCount);
	ccd->stages.narrow += brSecondsSince(start);
	return hits != NULL ? br_success : brFailMemory(report);
}

static brResult ccdFind(brCcd* ccd, const brContext* context, CcdJob* job, brReport* report)
{
	brWorkers* workers = context != NULL ? context->workers : NULL;
	const brTriangleSoup* soup = job->soup;
	const brEdge* edges = (const brEdge*)ccd->edges;
	double margin = 0.5 * job->def->separation;
	brPairSearchDef searchDef = {.method = job->def->method, .lanes = job->def->lanes, .enableSelf = true};
	brPairSearch search;
	brPairSearch_Init(&search, &ccd->allocator, &searchDef);
	brBoxSource vertexBoxes = brSweepVertices(soup, job->next, margin);
	brBoxSource triangleBoxes = brSweepTriangles(soup, job->next, margin);
	brBoxSource edgeBoxes = brSweepEdges(soup, job->next, margin, edges, ccd->edgeCount);

	brResult result = brPairSearch_RunBetween(&search, context, &vertexBoxes, &triangleBoxes, report);
	if (result >= 0)
	{
		brPairStages_Add(&ccd->stages, &search.stages);
		brParallelFor(workers, soup->vertexCount, ccdRecordBlock, ccdMakeRecords, job);
		result = ccdNarrow(ccd, workers, job, br_ccdVertexFace, &search.pairs, report);
	}
	if (result >= 0 && brIsCanceled(context, 0.3))
	{
		result = brFail(report, br_errorCanceled, "the search was canceled");
	}
	if (result >= 0)
	{
		result = brPairSearch_Run(&search, context, &edgeBoxes, NULL, 1, report);
	}
	if (result >= 0)
	{
		brPairStages_Add(&ccd->stages, &search.stages);
		result = ccdNarrow(ccd, workers, job, br_ccdEdgeEdge, &search.pairs, report);
	}
	brPairSearch_Free(&search);
	return result;
}

// Positions of all meshes at the end of the step in one array. Null without memory.
static brDVec3* ccdJoinNext(const brTriangleSoup* soup, const brMesh* const* next)
{
	brDVec3* positions = BR_ALLOC(&soup->allocator, brDVec3, soup->vertexCount);
	for (int32_t i = 0; i < soup->meshCount && positions != NULL; ++i)
	{
		if (next[i]->vertexCount > 0)
		{
			memcpy(positions + soup->vertexStarts[i], next[i]->positions,
				   (size_t)next[i]->vertexCount * sizeof(brDVec3));
		}
	}
	return positions;
}

static brResult ccdRun(const brContext* context, const brTriangleSoup* soup, const brMesh* const* next,
					   const brCcdDef* def, brCcd* ccd, brReport* report)
{
	const brAllocator* allocator = &soup->allocator;
	bool wantsAll = def->enableSelf && (def->enableInter || soup->meshCount == 1);
	brDVec3* positions = ccdJoinNext(soup, next);
	ccd->edges = brFindEdges(allocator, context != NULL ? context->workers : NULL, soup, &ccd->edgeCount);
	CcdJob job = {.def = def,
				  .kernels = brGetCcdKernels(def->lanes),
				  .soup = soup,
				  .next = positions,
				  .records = BR_ALLOC(allocator, brCcdRecord, soup->vertexCount),
				  .meshes = wantsAll ? NULL : BR_ALLOC(allocator, int32_t, soup->vertexCount),
				  .edges = ccd->edges,
				  .edgeCount = ccd->edgeCount};
	brResult result = br_success;
	if (positions == NULL || ccd->edges == NULL || job.records == NULL || (!wantsAll && job.meshes == NULL))
	{
		result = brFailMemory(report);
	}
	else
	{
		for (int32_t i = 0; i < soup->meshCount && !wantsAll; ++i)
		{
			for (int32_t k = soup->vertexStarts[i]; k < soup->vertexStarts[i + 1]; ++k)
			{
				job.meshes[k] = i;
			}
		}
		result = ccdFind(ccd, context, &job, report);
	}
	BR_FREE(allocator, positions, soup->vertexCount);
	BR_FREE(allocator, job.records, soup->vertexCount);
	BR_FREE(allocator, job.meshes, soup->vertexCount);
	return result;
}

brResult brCollideMovingMeshes(const brContext* context, const brMesh* const* meshes, const brMesh* const* next,
							   int32_t meshCount, const brCcdDef* def, brCcd** outCcd, brReport* report)
{
	brCcdDef defaults = brDefaultCcdDef();
	def = def != NULL ? def : &defaults;
	if (meshes == NULL || next == NULL || meshCount < 0 || outCcd == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse,
					  "brCollideMovingMeshes needs two frames of meshes and a def with its stamp");
	}
	if (!brCcdDef_IsGood(def))
	{
		return brFail(report, br_errorMisuse,
					  "separation is 0 or more, tolerance 1e-12 to 1, the method oi or brute, lanes 0, 1, 8 or 16");
	}
	for (int32_t i = 0; i < meshCount; ++i)
	{
		if (meshes[i]->vertexCount != next[i]->vertexCount)
		{
			return brFailAt(report, br_errorGeometry, i, "the next frame of mesh %d has %d vertices, the mesh has %d",
							i, next[i]->vertexCount, meshes[i]->vertexCount);
		}
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	if (soup.triangleCount > brSweepMostTriangles)
	{
		brTriangleSoup_Free(&soup);
		return brFail(report, br_errorLimit, "the meshes have too many edges");
	}
	brCcd* ccd = BR_ALLOC_ZERO(&soup.allocator, brCcd, 1);
	if (ccd == NULL)
	{
		result = brFailMemory(report);
	}
	else
	{
		ccd->allocator = soup.allocator;
		ccd->vertexCount = soup.vertexCount;
		ccd->triangleCount = soup.triangleCount;
		ccd->firstTime = 2.0;
		result = ccdRun(context, &soup, next, def, ccd, report);
	}
	brTriangleSoup_Free(&soup);
	if (result < 0)
	{
		brDestroyCcd(ccd);
		return result;
	}
	*outCcd = ccd;
	return brSucceed(report);
}

void brDestroyCcd(brCcd* ccd)
{
	if (ccd == NULL)
	{
		return;
	}
	brAllocator allocator = ccd->allocator;
	BR_FREE(&allocator, ccd->edges, ccd->edgeCount);
	BR_FREE(&allocator, ccd->vertexFaces, ccd->vertexFaceCount);
	BR_FREE(&allocator, ccd->edgeEdges, ccd->edgeEdgeCount);
	BR_FREE(&allocator, ccd, 1);
}
