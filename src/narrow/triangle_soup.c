// SPDX-License-Identifier: MIT

// Triangles of meshes in one list. Polygons are cut by brTriangulateMesh; meshes of triangles are taken as they are.

#include "narrow/triangle_soup.h"

#include <string.h>

// Triangles of one mesh to `outTriangles`, vertex indices moved up by `firstVertex`.
static brResult soupAdd(const brContext* context, const brMesh* mesh, int32_t firstVertex, int32_t (*outTriangles)[3],
						int32_t* outFaces, brReport* report)
{
	if (mesh->cornerCount == 3 * (int64_t)mesh->faceCount)
	{
		for (int32_t i = 0; i < mesh->faceCount; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				outTriangles[i][k] = firstVertex + mesh->corners[3 * (int64_t)i + k];
			}
			outFaces[i] = i;
		}
		return br_success;
	}
	brTriangulation* cut = NULL;
	brResult result = brTriangulateMesh(context, mesh, &cut, report);
	if (result < 0)
	{
		return result;
	}
	for (int32_t i = 0; i < cut->triangleCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			outTriangles[i][k] = firstVertex + mesh->corners[cut->corners[3 * (int64_t)i + k]];
		}
		outFaces[i] = cut->faces[i];
	}
	brDestroyTriangulation(cut);
	return br_success;
}

brResult brTriangleSoup_Make(brTriangleSoup* soup, const brContext* context, const brMesh* const* meshes,
							 int32_t meshCount, brReport* report)
{
	memset(soup, 0, sizeof(*soup));
	soup->allocator = brContext_Allocator(context);
	soup->meshCount = meshCount;
	soup->meshStarts = BR_ALLOC_ZERO(&soup->allocator, int32_t, (int64_t)meshCount + 1);
	soup->vertexStarts = BR_ALLOC_ZERO(&soup->allocator, int32_t, (int64_t)meshCount + 1);
	if (soup->meshStarts == NULL || soup->vertexStarts == NULL)
	{
		brTriangleSoup_Free(soup);
		return brFailMemory(report);
	}
	int64_t triangles = 0, vertices = 0;
	for (int32_t i = 0; i < meshCount; ++i)
	{
		triangles += (int64_t)meshes[i]->cornerCount - 2 * (int64_t)meshes[i]->faceCount;
		vertices += meshes[i]->vertexCount;
		if (triangles > INT32_MAX / 16 || vertices > INT32_MAX)
		{
			brTriangleSoup_Free(soup);
			return brFail(report, br_errorLimit, "the meshes have more than %d triangles in all", INT32_MAX / 16);
		}
		soup->meshStarts[i + 1] = (int32_t)triangles;
		soup->vertexStarts[i + 1] = (int32_t)vertices;
	}
	soup->triangleCount = (int32_t)triangles;
	soup->vertexCount = (int32_t)vertices;
	soup->triangles = brAllocArray(&soup->allocator, triangles, sizeof(int32_t[3]));
	soup->faces = BR_ALLOC(&soup->allocator, int32_t, triangles);
	soup->ownPositions = meshCount != 1 ? BR_ALLOC(&soup->allocator, brDVec3, vertices) : NULL;
	brResult result = br_success;
	if (soup->triangles == NULL || soup->faces == NULL || (meshCount != 1 && soup->ownPositions == NULL))
	{
		result = brFailMemory(report);
	}
	for (int32_t i = 0; i < meshCount && result >= 0; ++i)
	{
		int32_t first = soup->vertexStarts[i];
		if (meshCount != 1 && meshes[i]->vertexCount > 0)
		{
			memcpy(soup->ownPositions + first, meshes[i]->positions, (size_t)meshes[i]->vertexCount * sizeof(brDVec3));
		}
		result = soupAdd(context, meshes[i], first, soup->triangles + soup->meshStarts[i],
						 soup->faces + soup->meshStarts[i], report);
	}
	soup->positions = meshCount == 1 ? meshes[0]->positions : soup->ownPositions;
	if (result < 0)
	{
		brTriangleSoup_Free(soup);
	}
	return result < 0 ? result : br_success;
}

void brTriangleSoup_Free(brTriangleSoup* soup)
{
	BR_FREE(&soup->allocator, soup->meshStarts, (int64_t)soup->meshCount + 1);
	BR_FREE(&soup->allocator, soup->vertexStarts, (int64_t)soup->meshCount + 1);
	BR_FREE(&soup->allocator, soup->triangles, soup->triangleCount);
	BR_FREE(&soup->allocator, soup->faces, soup->triangleCount);
	BR_FREE(&soup->allocator, soup->ownPositions, soup->vertexCount);
	memset(soup, 0, sizeof(*soup));
}
