// SPDX-License-Identifier: MIT
#include "base/memory.h"
#include "base/report.h"
#include "brittle/mesh.h"

// A fan per face, until the mesh folder brings the real one.
__attribute__((weak)) brResult brTriangulate(const brContext* context, const brMesh* mesh,
											 brTriangulation** outTriangles, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = mesh->cornerCount - 2 * mesh->faceCount;
	brTriangulation* triangles = BR_ALLOC_ZERO(&allocator, brTriangulation, 1);
	int32_t* corners = BR_ALLOC(&allocator, int32_t, 3 * (int64_t)count);
	int32_t* faces = BR_ALLOC(&allocator, int32_t, count);
	if (triangles == NULL || corners == NULL || faces == NULL)
	{
		BR_FREE(&allocator, triangles, 1);
		BR_FREE(&allocator, corners, 3 * (int64_t)count);
		BR_FREE(&allocator, faces, count);
		return brFailMemory(report);
	}
	int32_t t = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t start = mesh->faceStarts[f];
		for (int32_t k = 2; k < mesh->faceStarts[f + 1] - start; ++k, ++t)
		{
			corners[3 * t] = start, corners[3 * t + 1] = start + k - 1, corners[3 * t + 2] = start + k;
			faces[t] = f;
		}
	}
	*triangles = (brTriangulation){count, corners, faces, allocator};
	*outTriangles = triangles;
	return br_success;
}

__attribute__((weak)) void brDestroyTriangulation(brTriangulation* triangles)
{
	brAllocator allocator = triangles->allocator;
	BR_FREE(&allocator, triangles->corners, 3 * (int64_t)triangles->triangleCount);
	BR_FREE(&allocator, triangles->faces, triangles->triangleCount);
	BR_FREE(&allocator, triangles, 1);
}
