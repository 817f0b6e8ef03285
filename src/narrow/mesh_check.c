// SPDX-License-Identifier: MIT

// Is a mesh a clean closed solid? Topology comes from mesh/topology; this adds the pairs of triangles that cross.

#include "narrow/mesh_check.h"

#include "base/assert.h"
#include "mesh/topology.h"
#include "mesh/weld.h"
#include "narrow/nested_shells.h"
#include "narrow/triangle_search.h"
#include "narrow/triangle_soup.h"

#include <stdio.h>
#include <string.h>

brMeshCheckDef brDefaultMeshCheckDef(void)
{
	return (brMeshCheckDef){.findSelfIntersections = true, .stamp = BR_STAMP(brMeshCheckDef)};
}

// The first of the crossing pairs, in the order of (smaller, larger) triangle.
static brPair checkFirstPair(const brPairBuffer* pairs)
{
	brPair first = pairs->pairs[0];
	for (int64_t i = 1; i < pairs->count; ++i)
	{
		brPair pair = pairs->pairs[i];
		first = pair.a < first.a || (pair.a == first.a && pair.b < first.b) ? pair : first;
	}
	return first;
}

static void checkBlame(brMeshCheck* check, const brTriangleSoup* soup, const brPairBuffer* pairs)
{
	brPair first = checkFirstPair(pairs);
	int32_t a = soup->faces[first.a], b = soup->faces[first.b];
	check->isSolid = false;
	if (a == b)
	{
		snprintf(check->verdict, sizeof(check->verdict), "face %d folds over itself", a);
		return;
	}
	snprintf(check->verdict, sizeof(check->verdict),
			 "face %d meets face %d where they share nothing: the surface crosses itself in %lld pair%s of triangles",
			 a, b, (long long)pairs->count, pairs->count == 1 ? "" : "s");
}

static brResult checkCrossings(const brContext* context, const brTriangleSoup* soup, brMeshCheck* check,
							   brReport* report)
{
	brPairSearchDef def = {.enableSelf = true, .rule = br_neighborsBeyond};
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &soup->allocator, &def);
	brBoxSource source = brTriangleSoup_Source(soup);
	brResult result = brTriangleSearch_Run(&search, context, &source, NULL, 1, report);
	if (result >= 0)
	{
		const brPairBuffer* pairs = &search.search.pairs;
		check->selfIntersections = (int32_t)(pairs->count < INT32_MAX ? pairs->count : INT32_MAX);
		if (pairs->count > 0 && check->isSolid)
		{
			checkBlame(check, soup, pairs);
		}
	}
	brTriangleSearch_Free(&search);
	return result;
}

// Shells that cross nothing can still be no solid together.
static brResult checkShells(const brTriangleSoup* soup, brMeshCheck* check, brReport* report)
{
	if (!check->isSolid || check->components < 2)
	{
		return br_success;
	}
	brNestedShells nested;
	brResult result = brFindNestedShells(soup, &nested, report);
	if (result >= 0 && nested.count > 0)
	{
		check->isSolid = false;
		snprintf(check->verdict, sizeof(check->verdict),
				 nested.isInsideOut
					 ? "the part at vertex %d is inside out and hollows out no other (such parts: %d)"
					 : "the part at vertex %d lies inside another: the space in it counts twice (such parts: %d)",
				 nested.vertex, nested.count);
	}
	return result;
}

brResult brCheckCrossings(const brContext* context, const brMesh* mesh, brMeshCheck* check, brReport* report)
{
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, &mesh, 1, report);
	if (result < 0)
	{
		return result;
	}
	// Neighbors by place, not by index: a seam of split vertices is no crossing.
	int32_t* first = BR_ALLOC(&soup.allocator, int32_t, mesh->vertexCount);
	if (first == NULL || brFindEqualPositions(&soup.allocator, mesh->positions, mesh->vertexCount, first) < 0)
	{
		result = brFailMemory(report);
	}
	else
	{
		for (int32_t i = 0; i < soup.triangleCount; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				soup.triangles[i][k] = first[soup.triangles[i][k]];
			}
		}
		result = checkCrossings(context, &soup, check, report);
		result = result < 0 ? result : checkShells(&soup, check, report);
	}
	BR_FREE(&soup.allocator, first, mesh->vertexCount);
	brTriangleSoup_Free(&soup);
	return result;
}

brResult brMesh_Check(const brMesh* mesh, const brContext* context, const brMeshCheckDef* def, brMeshCheck* outCheck,
					  brReport* report)
{
	brMeshCheckDef defaults = brDefaultMeshCheckDef();
	def = def != NULL ? def : &defaults;
	if (mesh == NULL || outCheck == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse,
					  "brMesh_Check needs a mesh, a place for the answer and a def with its stamp");
	}
	brMeshCheck check;
	memset(&check, 0, sizeof(check));
	brResult result = brCheckTopology(context, mesh, &check, report);
	if (result >= 0 && def->findSelfIntersections)
	{
		result = brCheckCrossings(context, mesh, &check, report);
	}
	if (result < 0)
	{
		return result;
	}
	*outCheck = check;
	return brSucceed(report);
}
