// SPDX-License-Identifier: MIT

// Pairs of features whose boxes overlap between two frames.

#include "brittle/swept_pairs.h"

#include "base/assert.h"
#include "base/report.h"
#include "brittle/gpu.h"
#include "index/pairs.h"
#include "narrow/sweep.h"

#include <string.h>

// A copy of the pairs that have no vertex in common, and how many. `pairs` are changed. Null without memory.
static brPair* sweepTakePairs(const brSweptPairs* sweep, const brTriangleSoup* soup, brPair* pairs, int64_t count,
							  bool areEdges, int64_t* outCount)
{
	int64_t kept = 0;
	for (int64_t i = 0; i < count; ++i)
	{
		brPair pair = pairs[i];
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
		pairs[kept] = pair;
		kept += !isShared;
	}
	brPair* copy = BR_ALLOC(&sweep->allocator, brPair, kept);
	if (copy != NULL && kept > 0)
	{
		memcpy(copy, pairs, (size_t)kept * sizeof(brPair));
	}
	*outCount = copy != NULL ? kept : 0;
	return copy;
}

// Boxes of all elements of a source, as the CPU's trees have them.
static brResult sweepMakeBoxes(const brSweptPairs* sweep, const brContext* context, const brBoxSource* source,
							   brBox3* boxes, brReport* report)
{
	brBoxMaker maker = {.allocator = sweep->allocator, .kernels = brGetWideKernels(0)};
	brTreeBox* made = BR_ALLOC(&sweep->allocator, brTreeBox, source->count);
	brWorkers* workers = context != NULL ? context->workers : NULL;
	brResult result = made != NULL ? brBoxMaker_Prepare(&maker, workers, source, report) : brFailMemory(report);
	if (result >= 0 && source->count > 0)
	{
		brBoxMaker_Fill(&maker, 0, source->count, made);
		for (int32_t i = 0; i < source->count; ++i)
		{
			const float *low = made[i].lower, *high = made[i].negUpper;
			boxes[i] = (brBox3){{low[0], low[1], low[2]}, {-high[0], -high[1], -high[2]}};
		}
	}
	BR_FREE(&sweep->allocator, made, source->count);
	brBoxMaker_Free(&maker);
	return result;
}

// Pairs of one source, or between two, on a device. Elements of the second are numbered from 0 on too.
static brResult sweepFindThere(brSweptPairs* sweep, brGpu* gpu, const brContext* context, const brBoxSource* sources,
							   int32_t sourceCount, const brCollideDef* def, brCollision** outCollision,
							   brReport* report)
{
	int32_t starts[3] = {0, sources[0].count, sources[0].count + (sourceCount > 1 ? sources[1].count : 0)};
	int32_t count = starts[sourceCount];
	brBox3* boxes = BR_ALLOC(&sweep->allocator, brBox3, count);
	brResult result = boxes != NULL ? br_success : brFailMemory(report);
	for (int32_t i = 0; i < sourceCount && result >= 0; ++i)
	{
		result = sweepMakeBoxes(sweep, context, &sources[i], boxes + starts[i], report);
	}
	brCollideDef boxDef = *def;
	boxDef.enableSelf = sourceCount == 1;
	boxDef.enableInter = true;
	boxDef.keepCandidates = true;
	result = result < 0
				 ? result
				 : brGpu_CollideBoxes(gpu, context, boxes, count, starts, sourceCount, &boxDef, outCollision, report);
	BR_FREE(&sweep->allocator, boxes, count);
	for (int64_t i = 0; result >= 0 && sourceCount > 1 && i < (*outCollision)->candidateCount; ++i)
	{
		(*outCollision)->candidates[i].b -= starts[1];
	}
	return result;
}

static brResult sweepFindPairsThere(brSweptPairs* sweep, brGpu* gpu, const brContext* context,
									const brTriangleSoup* soup, const brDVec3* next, const brCollideDef* def,
									brReport* report)
{
	const brBoxSource sources[3] = {brSweepVertices(soup, next, 0.0), brSweepTriangles(soup, next, 0.0),
									brSweepEdges(soup, next, 0.0, (const brEdge*)sweep->edges, sweep->edgeCount)};
	brPair** lists[2] = {&sweep->vertexFaces, &sweep->edgeEdges};
	int64_t* counts[2] = {&sweep->vertexFaceCount, &sweep->edgeEdgeCount};
	brResult result = br_success;
	for (int32_t areEdges = 0; areEdges < 2 && result >= 0; ++areEdges)
	{
		brCollision* found = NULL;
		result = sweepFindThere(sweep, gpu, context, sources + (areEdges != 0 ? 2 : 0), areEdges != 0 ? 1 : 2, def,
								&found, report);
		if (result >= 0)
		{
			brPairStages_Add(&sweep->stages, &found->stages);
			*lists[areEdges] =
				sweepTakePairs(sweep, soup, found->candidates, found->candidateCount, areEdges != 0, counts[areEdges]);
			result = *lists[areEdges] != NULL ? result : brFailMemory(report);
			brDestroyCollision(found);
		}
	}
	return result;
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
		sweep->vertexFaces =
			sweepTakePairs(sweep, soup, search.pairs.pairs, search.pairs.count, false, &sweep->vertexFaceCount);
		result = sweep->vertexFaces == NULL ? brFailMemory(report)
											: brPairSearch_Run(&search, context, &edges, NULL, 1, report);
	}
	if (result >= 0)
	{
		brPairStages_Add(&sweep->stages, &search.stages);
		sweep->edgeEdges =
			sweepTakePairs(sweep, soup, search.pairs.pairs, search.pairs.count, true, &sweep->edgeEdgeCount);
		result = sweep->edgeEdges == NULL ? brFailMemory(report) : result;
	}
	brPairSearch_Free(&search);
	return result;
}

// On a device, or here if `gpu` is null.
static brResult sweepMake(brGpu* gpu, const brContext* context, const brMesh* mesh, const brMesh* next,
						  const brCollideDef* def, brSweptPairs** outSweep, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	def = def != NULL ? def : &defaults;
	if (mesh == NULL || next == NULL || outSweep == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "swept pairs need two frames of a mesh and a def with its stamp");
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
		result = sweep->edges == NULL ? brFailMemory(report)
				 : gpu != NULL        ? sweepFindPairsThere(sweep, gpu, context, &soup, next->positions, def, report)
									  : sweepFindPairs(sweep, context, &soup, next->positions, def, report);
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

brResult brFindSweptPairs(const brContext* context, const brMesh* mesh, const brMesh* next, const brCollideDef* def,
						  brSweptPairs** outSweep, brReport* report)
{
	return sweepMake(NULL, context, mesh, next, def, outSweep, report);
}

brResult brGpu_FindSweptPairs(brGpu* gpu, const brContext* context, const brMesh* mesh, const brMesh* next,
							  const brCollideDef* def, brSweptPairs** outSweep, brReport* report)
{
	if (gpu == NULL)
	{
		return brFail(report, br_errorMisuse, "brGpu_FindSweptPairs needs a device");
	}
	return sweepMake(gpu, context, mesh, next, def, outSweep, report);
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
