// SPDX-License-Identifier: MIT
#pragma once

// The tets of one or more meshes as one list, nodes numbered mesh after mesh.

#include "brittle/mesh.h"

#include "index/box_source.h"

typedef struct brTetSoup
{
	brAllocator allocator;
	int32_t meshCount;
	int32_t nodeCount;
	int32_t tetCount;
	int32_t* starts; // [meshCount + 1] first tet of each mesh
	const brDVec3* nodes;
	const int32_t (*tets)[4];
	brDVec3* ownNodes; // null if those of the only mesh
	int32_t (*ownTets)[4];
} brTetSoup;

/// The soup of a single mesh reads that mesh, which must live as long. Refuses totals beyond 32 bits.
brResult brTetSoup_Make(brTetSoup* soup, const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
						brReport* report);
void brTetSoup_Free(brTetSoup* soup);

static inline brBoxSource brTetSoup_Source(const brTetSoup* soup)
{
	static const int32_t none[4];
	return (brBoxSource){.count = soup->tetCount,
						 .vertexCount = soup->nodeCount,
						 .positions = soup->nodes,
						 .cornersEach = 4,
						 .corners = soup->tetCount > 0 ? &soup->tets[0][0] : none};
}
