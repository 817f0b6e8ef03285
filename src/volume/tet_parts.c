// SPDX-License-Identifier: MIT

// Faces go into the bucket of their lowest node, where equal ones are found by looking; buckets hold some twenty faces
// in any lattice mesh. Tets that share one are joined in a forest.

#include "volume/tet_parts.h"
#include "base/forest.h"

#include "mesh/mesh_build.h"

#include <string.h>

typedef struct PartFace
{
	int32_t middle, high, tet;
} PartFace;

static void sortedFace(const int32_t* tet, int skip, int32_t* out)
{
	int count = 0;
	for (int k = 0; k < 4; ++k)
	{
		if (k == skip)
		{
			continue;
		}
		int i = count++;
		for (; i > 0 && out[i - 1] > tet[k]; --i)
		{
			out[i] = out[i - 1];
		}
		out[i] = tet[k];
	}
}

static void joinTets(const brTetMesh* mesh, const int32_t* starts, const PartFace* faces, int32_t* parents)
{
	for (int32_t node = 0; node < mesh->nodeCount; ++node)
	{
		for (int32_t i = starts[node]; i < starts[node + 1]; ++i)
		{
			for (int32_t j = starts[node]; j < i; ++j)
			{
				if (faces[i].middle == faces[j].middle && faces[i].high == faces[j].high)
				{
					brJoinRoots(parents, faces[i].tet, faces[j].tet);
				}
			}
		}
	}
}

bool brFindTetParts(const brAllocator* allocator, const brTetMesh* mesh, brTetParts* outParts)
{
	memset(outParts, 0, sizeof(*outParts));
	outParts->allocator = *allocator;
	outParts->tetCount = mesh->tetCount;
	int64_t faceCount = 4 * (int64_t)mesh->tetCount;
	int32_t* starts = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)mesh->nodeCount + 2);
	PartFace* faces = faceCount <= INT32_MAX ? BR_ALLOC(allocator, PartFace, faceCount) : NULL;
	int32_t* parents = BR_ALLOC(allocator, int32_t, mesh->tetCount);
	outParts->parts = BR_ALLOC(allocator, int32_t, mesh->tetCount);
	bool complete = starts != NULL && faces != NULL && parents != NULL && outParts->parts != NULL;
	for (int pass = 0; pass < 2 && complete; ++pass)
	{
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			parents[t] = t;
			for (int k = 0; k < 4; ++k)
			{
				int32_t face[3];
				sortedFace(mesh->tets[t], k, face);
				if (pass == 0)
				{
					starts[face[0] + 2] += 1;
				}
				else
				{
					faces[starts[face[0] + 1]++] = (PartFace){face[1], face[2], t};
				}
			}
		}
		for (int32_t i = 0; i < mesh->nodeCount && pass == 0; ++i)
		{
			starts[i + 2] += starts[i + 1];
		}
	}
	if (complete)
	{
		joinTets(mesh, starts, faces, parents);
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
	BR_FREE(allocator, starts, (int64_t)mesh->nodeCount + 2);
	BR_FREE(allocator, faces, faceCount);
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
