// SPDX-License-Identifier: MIT
#pragma once

// The triangles of one or more meshes as one list, vertices numbered mesh after mesh.

#include "brittle/mesh.h"

#include "index/box_source.h"

typedef struct brTriangleSoup
{
	brAllocator allocator;
	int32_t meshCount;
	int32_t vertexCount;
	int32_t triangleCount;
	int32_t* meshStarts;      // [meshCount + 1] first triangle of each mesh
	int32_t* vertexStarts;    // [meshCount + 1]
	const brDVec3* positions; // [vertexCount]
	int32_t (*triangles)[3];  // [triangleCount]
	int32_t* faces;           // [triangleCount] face of its mesh
	brDVec3* ownPositions;    // null if positions are those of the only mesh
} brTriangleSoup;

/// The soup reads positions of the meshes, which must live as long. Refuses totals beyond 32 bits.
brResult brTriangleSoup_Make(brTriangleSoup* soup, const brContext* context, const brMesh* const* meshes,
							 int32_t meshCount, brReport* report);
void brTriangleSoup_Free(brTriangleSoup* soup);

static inline brBoxSource brTriangleSoup_Source(const brTriangleSoup* soup)
{
	return (brBoxSource){.count = soup->triangleCount,
						 .vertexCount = soup->vertexCount,
						 .positions = soup->positions,
						 .cornersEach = 3,
						 .corners = &soup->triangles[0][0]};
}
