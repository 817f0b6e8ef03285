// SPDX-License-Identifier: MIT

// Pairs of features whose boxes overlap between two frames.

#include "brittle/swept_pairs.h"

#include "base/assert.h"
#include "base/report.h"
#include "index/pairs.h"
#include "narrow/sweep.h"

#include <string.h>

// A copy of the pairs that have no vertex in common, and how many. Null without memory.
static brPair* sweepTakePairs(const brSweptPairs* sweep, const brTriangleSoup* soup, brPairBuffer* pairs, bool areEdges)
{
	int64_t kept = 0;
	for (int64_t i = 0; i < pairs->count; ++i)
	{
		brPair pair = pairs->pairs[i];
		bool isShared;
		if (areEdges)
		{
			const int32_t *p = sweep->edges[pair.a], *q = sweep->edges[pair.b];
			isShared = p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1];
		}
		else
		{
			const int32_t* triangle = soup->triangles[pair.b];
			isShared = pair.a == triangle[0] || pair.a == triangle[1] || pair.a == triangle[2];
		}
		pairs->pairs[kept] = pair;
		kept += !isShared;
	}
	pairs->count = kept;
	brPair* copy = BR_ALLOC(&sweep->allocator, brPair, kept);
	if (copy != NULL && kept > 0)
	{
		memcpy(copy, pairs->pairs, (size_t)kept * sizeof(brPair));
	}
	return copy;
}

static brResult sweepFindPairs(brSweptPairs* sweep, const brContext* context, const brTriangleSoup* soup,
							   const brDVec3* next, const brCollideDef* def, brReport* report)
{
	brPairSearchDef searchDef = {.method = def->method, .lanes = def->lanes, .enableSelf = true};
	brPairSearch search;
	brPairSearch_Init(&search, &sweep->allocator, &searchDef);
	brBoxSource vertices = brSweepVertices(soup, next, 0.0), triangles = brSweepTriangles(soup, next, 0.0);
	brBoxSource edges = brSweepEdges(soup, next, 0.0, (const brEdge*)sweep->edges, sweep->edgeCount);

	brResult result = brPairSearch_RunBetween(&search, context, &vertices, &triangles, report);
	if (result >= 0)
	{
		brPairStages_Add(&sweep->stages, &search.stages);
		sweep->vertexFaces = sweepTakePairs(sweep, soup, &search.pairs, false);
		sweep->vertexFaceCount = sweep->vertexFaces != NULL ? search.pairs.count : 0;
		result = sweep->vertexFaces == NULL ? brFailMemory(report)
											: brPairSearch_Run(&search, context, &edges, NULL, 1, report);
	}
	if (result >= 0)
	{
		brPairStages_Add(&sweep->stages, &search.stages);
		sweep->edgeEdges = sweepTakePairs(sweep, soup, &search.pairs, true);
		sweep->edgeEdgeCount = sweep->edgeEdges != NULL ? search.pairs.count : 0;
		result = sweep->edgeEdges == NULL ? brFailMemory(report) : result;
	}
	brPairSearch_Free(&search);
	return result;
}

brResult brFindSweptPairs(const brContext* context, const brMesh* mesh, const brMesh* next, const brCollideDef* def,
						  brSweptPairs** outSweep, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	def = def != NULL ? def : &defaults;
	if (mesh == NULL || next == NULL || outSweep == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "brFindSweptPairs needs two frames of a mesh and a def with its stamp");
	}
	if (mesh->vertexCount != next->vertexCount)
	{
		return brFail(report, br_errorGeometry, "the next frame has %d vertices, the mesh has %d", next->vertexCount,
					  mesh->vertexCount);
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, &mesh, 1, report);
	if (result < 0)
	{
		return result;
	}
	if (soup.triangleCount > brSweepMostTriangles)
	{
		brTriangleSoup_Free(&soup);
		return brFail(report, br_errorLimit, "the mesh has too many edges");
	}
	brSweptPairs* sweep = BR_ALLOC_ZERO(&soup.allocator, brSweptPairs, 1);
	if (sweep == NULL)
	{
		result = brFailMemory(report);
	}
	else
	{
		sweep->allocator = soup.allocator;
		sweep->vertexCount = soup.vertexCount;
		sweep->triangleCount = soup.triangleCount;
		sweep->edges =
			brFindEdges(&sweep->allocator, context != NULL ? context->workers : NULL, &soup, &sweep->edgeCount);
		result = sweep->edges != NULL ? sweepFindPairs(sweep, context, &soup, next->positions, def, report)
									  : brFailMemory(report);
	}
	brTriangleSoup_Free(&soup);
	if (result < 0)
	{
		brDestroySweptPairs(sweep);
		return result;
	}
	*outSweep = sweep;
	return brSucceed(report);
}

void brDestroySweptPairs(brSweptPairs* sweep)
{
	if (sweep == NULL)
	{
		return;
	}
	brAllocator allocator = sweep->allocator;
	BR_FREE(&allocator, sweep->edges, sweep->edgeCount);
	BR_FREE(&allocator, sweep->vertexFaces, sweep->vertexFaceCount);
	BR_FREE(&allocator, sweep->edgeEdges, sweep->edgeEdgeCount);
	BR_FREE(&allocator, sweep, 1);
}
