// SPDX-License-Identifier: MIT

#include "narrow/tet_soup.h"

#include <string.h>

void brTetSoup_Free(brTetSoup* soup)
{
	BR_FREE(&soup->allocator, soup->ownNodes, soup->nodeCount);
	BR_FREE(&soup->allocator, soup->ownTets, soup->tetCount);
	BR_FREE(&soup->allocator, soup->starts, soup->meshCount + 1);
}

brResult brTetSoup_Make(brTetSoup* soup, const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
						brReport* report)
{
	memset(soup, 0, sizeof(*soup));
	soup->allocator = brContext_Allocator(context);
	soup->meshCount = meshCount;
	int64_t nodes = 0, tets = 0;
	for (int32_t i = 0; i < meshCount; ++i)
	{
		nodes += meshes[i]->nodeCount, tets += meshes[i]->tetCount;
	}
	if (nodes > INT32_MAX / 16 || tets > INT32_MAX / 16)
	{
		return brFail(report, br_errorLimit, "more than %d tets or nodes in all", INT32_MAX / 16);
	}
	soup->nodeCount = (int32_t)nodes, soup->tetCount = (int32_t)tets;
	soup->starts = BR_ALLOC(&soup->allocator, int32_t, (int64_t)meshCount + 1);
	bool isSingle = meshCount == 1;
	soup->ownNodes = isSingle ? NULL : BR_ALLOC(&soup->allocator, brDVec3, nodes);
	soup->ownTets = isSingle ? NULL : (int32_t(*)[4])brAllocArray(&soup->allocator, tets, sizeof(int32_t[4]));
	if (soup->starts == NULL || (!isSingle && (soup->ownNodes == NULL || soup->ownTets == NULL)))
	{
		brTetSoup_Free(soup);
		return brFailMemory(report);
	}
	soup->starts[0] = 0;
	int32_t firstNode = 0;
	for (int32_t i = 0; i < meshCount; ++i)
	{
		const brTetMesh* mesh = meshes[i];
		int32_t first = soup->starts[i];
		soup->starts[i + 1] = first + mesh->tetCount;
		for (int32_t k = 0; k < mesh->nodeCount && !isSingle; ++k)
		{
			soup->ownNodes[firstNode + k] = mesh->nodes[k];
		}
		for (int32_t t = 0; t < mesh->tetCount && !isSingle; ++t)
		{
			for (int k = 0; k < 4; ++k)
			{
				soup->ownTets[first + t][k] = firstNode + mesh->tets[t][k];
			}
		}
		firstNode += mesh->nodeCount;
	}
	soup->nodes = isSingle ? meshes[0]->nodes : soup->ownNodes;
	soup->tets = isSingle ? (const int32_t(*)[4])meshes[0]->tets : (const int32_t(*)[4])soup->ownTets;
	return br_success;
}
