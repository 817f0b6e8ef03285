// SPDX-License-Identifier: MIT
#include "tet_stage.h"

#include <stdlib.h>
#include <string.h>

const char* const searchMethods[SEARCH_METHODS] = {"oi", "brute", "kdet", "bsp", "lbvh", "front"};
const char* const searchHashes[SEARCH_HASHES] = {"morton", "djb2", "fnv-1a", "simple"};
const char* const searchTests[SEARCH_TESTS] = {"sat", "sat-no-edges", "sat-mtv", "gjk", "exact"};

brResult setSearch(brCollideDef* def, const SearchWay* way, brPairEngine** outOwn, brReport* report)
{
	static const brResearchMethod engines[] = {br_researchBsp, br_researchLbvh, br_researchUnordered};
	const brKdetDef kdet = brDefaultKdetDef();
	const brBspDef bsp = brDefaultBspDef();
	brResult result = br_success;
	*outOwn = NULL;
	def->method = way->method <= br_pairsKdet ? (brPairMethod)way->method : br_pairsOi;
	def->tetTest = (brTetTest)way->test;
	if (def->method == br_pairsKdet && memcmp(&way->kdet, &kdet, sizeof(kdet)) != 0)
	{
		result = brCreateKdetEngine(NULL, &way->kdet, outOwn, report);
	}
	else if (way->method == SEARCH_BSP && memcmp(&way->bsp, &bsp, sizeof(bsp)) != 0)
	{
		result = brCreateBspEngine(NULL, &way->bsp, outOwn, report);
	}
	def->engine = *outOwn != NULL             ? *outOwn
				  : way->method >= SEARCH_BSP ? brGetResearchEngine(engines[way->method - SEARCH_BSP])
											  : NULL;
	return result;
}

brResult loadTetStage(TetStage* stage, const CommandLine* line, brReport* report)
{
	for (int32_t i = 0; i < line->positionalCount; ++i)
	{
		brResult result = brLoadTetMesh(&line->context, line->positional[i], &stage->meshes[i], report);
		if (result < 0)
		{
			return result;
		}
		stage->count = i + 1;
		size_t bytes = (size_t)stage->meshes[i]->nodeCount * sizeof(brDVec3);
		stage->rest[i] = malloc(bytes + 1);
		if (stage->rest[i] == NULL || stage->meshes[i]->tetCount > INT32_MAX - stage->tetCount)
		{
			return br_errorMemory;
		}
		stage->tetCount += stage->meshes[i]->tetCount;
		memcpy(stage->rest[i], stage->meshes[i]->nodes, bytes);
	}
	stage->marks = calloc((size_t)stage->tetCount + 1, 1);
	return stage->marks != NULL ? br_success : br_errorMemory;
}

void freeTetStage(TetStage* stage)
{
	for (int32_t i = 0; i < stage->count; ++i)
	{
		brDestroyTetMesh(stage->meshes[i]);
		free(stage->rest[i]);
	}
	free(stage->marks);
}

brResult meetTetStage(TetStage* stage, const CommandLine* line, brDVec3 offset, const brCollideDef* def, brGpu* gpu,
					  TetMeeting* outMeeting, brReport* report)
{
	for (int32_t i = 1; i < stage->count; ++i)
	{
		for (int32_t v = 0; v < stage->meshes[i]->nodeCount; ++v)
		{
			stage->meshes[i]->nodes[v] = brDAdd(stage->rest[i][v], offset);
		}
	}
	const brTetMesh* const* list = (const brTetMesh* const*)stage->meshes;
	brCollision* collision = NULL;
	double start = secondsSinceStart(line);
	brResult result = gpu != NULL ? brGpu_CollideTets(gpu, &line->context, list, stage->count, def, &collision, report)
								  : brCollideTets(&line->context, list, stage->count, def, &collision, report);
	if (result < 0)
	{
		return result;
	}
	*outMeeting = (TetMeeting){collision->pairCount, secondsSinceStart(line) - start, collision->stages};
	memset(stage->marks, 0, (size_t)stage->tetCount);
	for (int64_t i = 0; i < collision->pairCount; ++i)
	{
		stage->marks[collision->pairs[i].a] = stage->marks[collision->pairs[i].b] = 1;
	}
	brDestroyCollision(collision);
	return result;
}
