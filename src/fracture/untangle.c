// SPDX-License-Identifier: MIT

// Pieces that are pinched, taken apart. Nearly all are not, so that is found out first: the faces round a vertex make
// one ring if each edge that leaves it comes back in one face, and walking from face to face that way passes all of
// them. Cost: linear in the corners at the vertices asked about.

#include "brittle/check.h"
#include "fracture/pieces.h"
#include "mesh/topology.h"

// Vertices with more faces than this are left to the check of the whole mesh.
#define UNTANGLE_MOST 64

// A face at a vertex, by the vertices after and before it.
typedef struct UntangleFace
{
	int32_t next, previous, face;
} UntangleFace;

static bool untangleIsRing(const UntangleFace* faces, int32_t count)
{
	if (count > UNTANGLE_MOST)
	{
		return false;
	}
	for (int32_t n = 1; n < count; ++n)
	{
		if (faces[n].face == faces[n - 1].face)
		{
			return false; // it comes by twice
		}
	}
	int32_t at = 0, steps = 0;
	do
	{
		int32_t found = 0;
		while (found < count && faces[found].previous != faces[at].next)
		{
			found += 1;
		}
		if (found == count)
		{
			return false;
		}
		at = found;
		steps += 1;
	} while (at != 0 && steps < count);
	return at == 0 && steps == count;
}

// Whether the faces round all suspects, or round all vertices, make one ring each.
static brResult untangleIsClean(const brAllocator* allocator, const brMesh* mesh, const bool* suspects,
								bool* outIsClean)
{
	int32_t* starts = BR_ALLOC_ZERO(allocator, int32_t, (int64_t)mesh->vertexCount + 1);
	UntangleFace* faces = NULL;
	int32_t count = 0;
	bool isClean = true;
	for (int32_t c = 0; starts != NULL && c < mesh->cornerCount; ++c)
	{
		int32_t v = mesh->corners[c];
		starts[v + 1] += suspects == NULL || suspects[v];
	}
	for (int32_t v = 0; starts != NULL && v < mesh->vertexCount; ++v)
	{
		starts[v + 1] += starts[v];
		count = starts[v + 1];
	}
	faces = starts != NULL ? BR_ALLOC(allocator, UntangleFace, count) : NULL;
	for (int32_t f = 0; faces != NULL && f < mesh->faceCount; ++f)
	{
		int32_t first = mesh->faceStarts[f], last = mesh->faceStarts[f + 1] - 1;
		for (int32_t c = first; c <= last; ++c)
		{
			int32_t v = mesh->corners[c];
			if (suspects == NULL || suspects[v])
			{
				faces[starts[v]++] =
					(UntangleFace){mesh->corners[c < last ? c + 1 : first], mesh->corners[c > first ? c - 1 : last], f};
			}
		}
	}
	for (int32_t v = 0, begin = 0; faces != NULL && v < mesh->vertexCount && isClean; begin = starts[v++])
	{
		isClean = begin == starts[v] || untangleIsRing(faces + begin, starts[v] - begin);
	}
	brResult result = faces != NULL ? br_success : br_errorMemory;
	BR_FREE(allocator, starts, (int64_t)mesh->vertexCount + 1);
	BR_FREE(allocator, faces, count);
	*outIsClean = isClean;
	return result;
}

brResult brUntangle(const brAllocator* allocator, const bool* suspects, brMesh** mesh)
{
	bool isClean;
	brResult result = untangleIsClean(allocator, *mesh, suspects, &isClean);
	if (result < 0 || isClean)
	{
		return result;
	}
	brMeshCheck check;
	brContext context = {.allocator = allocator};
	result = brCheckTopology(&context, *mesh, &check, NULL);
	if (result < 0 || (check.nonmanifoldEdges == 0 && check.nonmanifoldVertices == 0 && check.repeatedIndexFaces == 0))
	{
		return result;
	}
	brRepairDef repair = brDefaultRepairDef();
	repair.weld = repair.orient = repair.dropDuplicates = false;
	brMesh* mended = NULL;
	result = brRepairMesh(&context, *mesh, &repair, &mended, NULL, NULL);
	if (result >= 0)
	{
		brDestroyMesh(*mesh);
		*mesh = mended;
	}
	return result;
}
