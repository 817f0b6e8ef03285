// SPDX-License-Identifier: MIT

// The public calls: boxes or meshes in, pairs out.

#include "brittle/collide.h"

#include "base/assert.h"
#include "narrow/collision_parts.h"
#include "narrow/triangle_search.h"
#include "narrow/triangle_soup.h"

#include <string.h>

brCollideDef brDefaultCollideDef(void)
{
	return (brCollideDef){.enableInter = true, .findTrue = true, .stamp = BR_STAMP(brCollideDef)};
}

bool brCollideDef_IsGood(const brCollideDef* def)
{
	return def->stamp == BR_STAMP(*def) && def->method >= br_pairsOi && def->method <= br_pairsKdet &&
		   def->tetTest >= br_tetSat && def->tetTest <= br_tetExact &&
		   (def->lanes == 0 || def->lanes == 1 || def->lanes == 8 || def->lanes == 16);
}

brPairSearchDef brCollideDef_Search(const brCollideDef* def)
{
	return (brPairSearchDef){.method = def->method,
							 .lanes = def->lanes,
							 .engine = def->engine,
							 .enableSelf = def->enableSelf,
							 .enableInter = def->enableInter,
							 .rule = def->keepNeighbors ? br_neighborsKeep : br_neighborsSkip};
}

brCollision* brCollision_Alloc(const brAllocator* allocator)
{
	brCollision* collision = BR_ALLOC_ZERO(allocator, brCollision, 1);
	if (collision != NULL)
	{
		collision->allocator = *allocator;
		collision->pairCount = -1;
	}
	return collision;
}

// The pairs of a search as a block of their exact size. Null without memory.
brPair* brCollision_Copy(const brAllocator* allocator, const brPairBuffer* pairs)
{
	brPair* copy = BR_ALLOC(allocator, brPair, pairs->count);
	if (copy != NULL && pairs->count > 0)
	{
		memcpy(copy, pairs->pairs, (size_t)pairs->count * sizeof(brPair));
	}
	return copy;
}

brResult brCollision_FindCandidates(brCollision* collision, const brContext* context, const brBoxSource* source,
									const int32_t* starts, int32_t startCount, const brCollideDef* def,
									brReport* report)
{
	brPairSearchDef searchDef = brCollideDef_Search(def);
	brPairSearch search;
	brPairSearch_Init(&search, &collision->allocator, &searchDef);
	brResult result = brPairSearch_Run(&search, context, source, starts, startCount, report);
	if (result >= 0)
	{
		collision->candidateCount = search.candidateCount;
		collision->stages = search.stages;
		collision->candidates = def->keepCandidates ? brCollision_Copy(&collision->allocator, &search.pairs) : NULL;
		if (def->keepCandidates && collision->candidates == NULL)
		{
			result = brFailMemory(report);
		}
	}
	brPairSearch_Free(&search);
	return result;
}

static brResult collideTrue(brCollision* collision, const brContext* context, const brTriangleSoup* soup,
							const brCollideDef* def, brReport* report)
{
	brPairSearchDef searchDef = brCollideDef_Search(def);
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &collision->allocator, &searchDef);
	brBoxSource source = brTriangleSoup_Source(soup);
	brResult result = brTriangleSearch_Run(&search, context, &source, soup->meshStarts, soup->meshCount, report);
	if (result >= 0)
	{
		collision->candidateCount = search.search.candidateCount;
		collision->stages = search.search.stages;
		collision->pairs = brCollision_Copy(&collision->allocator, &search.search.pairs);
		collision->pairCount = search.search.pairs.count;
		if (collision->pairs == NULL)
		{
			collision->pairCount = 0;
			result = brFailMemory(report);
		}
	}
	brTriangleSearch_Free(&search);
	return result;
}

brResult brCollideBoxes(const brContext* context, const brBox3* boxes, int32_t count, const int32_t* groupStarts,
						int32_t groupCount, const brCollideDef* def, brCollision** outCollision, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	defaults.enableSelf = true;
	def = def != NULL ? def : &defaults;
	int32_t whole[2] = {0, count};
	groupCount = groupStarts != NULL ? groupCount : 1;
	groupStarts = groupStarts != NULL ? groupStarts : whole;
	bool isGood = (boxes != NULL || count == 0) && count >= 0 && count <= INT32_MAX / 16 && groupCount >= 0 &&
				  outCollision != NULL && brCollideDef_IsGood(def);
	for (int32_t i = 0; i < groupCount && isGood; ++i)
	{
		isGood = groupStarts[i] <= groupStarts[i + 1] && (i > 0 || groupStarts[0] == 0);
	}
	if (!isGood || (groupCount > 0 && groupStarts[groupCount] != count))
	{
		return brFail(report, br_errorMisuse,
					  "brCollideBoxes needs boxes, rising group starts and a def with its stamp");
	}
	brAllocator allocator = brContext_Allocator(context);
	brCollision* collision = brCollision_Alloc(&allocator);
	if (collision == NULL)
	{
		return brFailMemory(report);
	}
	static const brBox3 none[1]; // an empty list still needs an address
	brBoxSource source = {.count = count, .boxes = boxes != NULL ? boxes : none};
	collision->primitiveCount = count;
	brResult result = brCollision_FindCandidates(collision, context, &source, groupStarts, groupCount, def, report);
	if (result < 0)
	{
		brDestroyCollision(collision);
		return result;
	}
	*outCollision = collision;
	return brSucceed(report);
}

brResult brCollideMeshes(const brContext* context, const brMesh* const* meshes, int32_t meshCount,
						 const brCollideDef* def, brCollision** outCollision, brReport* report)
{
	brCollideDef defaults = brDefaultCollideDef();
	def = def != NULL ? def : &defaults;
	if (meshes == NULL || meshCount < 0 || outCollision == NULL || !brCollideDef_IsGood(def))
	{
		return brFail(report, br_errorMisuse, "brCollideMeshes needs meshes and a def with its stamp");
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	brCollision* collision = brCollision_Alloc(&soup.allocator);
	if (collision == NULL)
	{
		brTriangleSoup_Free(&soup);
		return brFailMemory(report);
	}
	collision->primitiveCount = soup.triangleCount;
	if (def->findTrue)
	{
		result = collideTrue(collision, context, &soup, def, report);
	}
	if (result >= 0 && (def->keepCandidates || !def->findTrue))
	{
		brPairStages stages = collision->stages;
		brBoxSource source = brTriangleSoup_Source(&soup);
		result = brCollision_FindCandidates(collision, context, &source, soup.meshStarts, meshCount, def, report);
		collision->stages = def->findTrue ? stages : collision->stages;
	}
	brTriangleSoup_Free(&soup);
	if (result < 0)
	{
		brDestroyCollision(collision);
		return result;
	}
	*outCollision = collision;
	return brSucceed(report);
}

void brDestroyCollision(brCollision* collision)
{
	if (collision == NULL)
	{
		return;
	}
	brAllocator allocator = collision->allocator;
	if (collision->candidates != NULL)
	{
		BR_FREE(&allocator, collision->candidates, collision->candidateCount);
	}
	if (collision->pairs != NULL)
	{
		BR_FREE(&allocator, collision->pairs, collision->pairCount);
	}
	if (collision->penetrations != NULL)
	{
		BR_FREE(&allocator, collision->penetrations, collision->pairCount);
	}
	BR_FREE(&allocator, collision, 1);
}
