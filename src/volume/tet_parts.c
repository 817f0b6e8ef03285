// SPDX-License-Identifier: MIT

#include "volume/tet_parts.h"

#include "base/forest.h"
#include "mesh/mesh_build.h"
#include "mesh/tet_faces.h"

#include <string.h>

bool brFindTetParts(const brAllocator* allocator, const brTetMesh* mesh, brTetParts* outParts)
{
	memset(outParts, 0, sizeof(*outParts));
	outParts->allocator = *allocator;
	outParts->tetCount = mesh->tetCount;
	brTetFaces faces = {.allocator = *allocator};
	int32_t* parents = BR_ALLOC(allocator, int32_t, mesh->tetCount);
	outParts->parts = BR_ALLOC(allocator, int32_t, mesh->tetCount);
	bool complete = parents != NULL && outParts->parts != NULL && mesh->tetCount <= INT32_MAX / 4 &&
					brMakeTetFaces(allocator, mesh, &faces);
	if (complete)
	{
		brResetForest(parents, mesh->tetCount);
		for (int32_t node = 0; node < mesh->nodeCount; ++node)
		{
			for (int32_t i = faces.starts[node], end; i < faces.starts[node + 1]; i = end)
			{
				end = brTetFaces_RunEnd(&faces, node, i);
				for (int32_t k = i + 1; k < end; ++k)
				{
					brJoinRoots(parents, (int32_t)(faces.items[i] / 4), (int32_t)(faces.items[k] / 4));
				}
			}
		}
		// Roots are the first tets of their parts, so numbers rise along the way.
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			int32_t root = brFindRoot(parents, t);
			outParts->parts[t] = root == t ? outParts->partCount++ : outParts->parts[root];
		}
		outParts->volumes = BR_ALLOC_ZERO(allocator, double, outParts->partCount);
		complete = outParts->volumes != NULL;
		for (int32_t t = 0; t < mesh->tetCount && complete; ++t)
		{
			outParts->volumes[outParts->parts[t]] += brTetVolume(mesh, t);
		}
	}
	brFreeTetFaces(&faces);
	BR_FREE(allocator, parents, mesh->tetCount);
	if (!complete)
	{
		brTetParts_Free(outParts);
	}
	return complete;
}

void brTetParts_Free(brTetParts* parts)
{
	BR_FREE(&parts->allocator, parts->parts, parts->tetCount);
	BR_FREE(&parts->allocator, parts->volumes, parts->partCount);
	parts->parts = NULL;
	parts->volumes = NULL;
}

brTetMesh* brKeepTetParts(const brAllocator* allocator, const brTetMesh* mesh, const brTetParts* parts,
						  const bool* keeps)
{
	int32_t* ids = BR_ALLOC(allocator, int32_t, mesh->nodeCount);
	if (ids == NULL)
	{
		return NULL;
	}
	memset(ids, 0xFF, (size_t)mesh->nodeCount * sizeof(int32_t));
	brTetMeshShape shape = {0};
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		if (!keeps[parts->parts[t]])
		{
			continue;
		}
		shape.tetCount += 1;
		for (int k = 0; k < 4; ++k)
		{
			ids[mesh->tets[t][k]] = 0;
		}
	}
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		ids[i] = ids[i] == 0 ? shape.nodeCount++ : -1;
	}
	brTetMesh* kept = brAllocTetMesh(allocator, &shape);
	if (kept != NULL)
	{
		for (int32_t i = 0; i < mesh->nodeCount; ++i)
		{
			if (ids[i] >= 0)
			{
				kept->nodes[ids[i]] = mesh->nodes[i];
			}
		}
		int32_t count = 0;
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			if (keeps[parts->parts[t]])
			{
				for (int k = 0; k < 4; ++k)
				{
					kept->tets[count][k] = ids[mesh->tets[t][k]];
				}
				count += 1;
			}
		}
	}
	BR_FREE(allocator, ids, mesh->nodeCount);
	return kept;
}
