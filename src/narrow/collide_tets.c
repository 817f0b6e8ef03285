// SPDX-License-Identifier: MIT

// The public calls for tetrahedra.

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
