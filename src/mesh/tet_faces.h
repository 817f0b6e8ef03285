// SPDX-License-Identifier: MIT
#pragma once

// The faces of a tet mesh, equal ones side by side: who is next to whom, what is the boundary.
//
//     brTetFaces faces;
//     if (!brMakeTetFaces(&allocator, mesh, &faces)) return brFailMemory(report);
//     for (int32_t node = 0; node < faces.nodeCount; ++node)
//         for (int32_t i = faces.starts[node], end; i < faces.starts[node + 1]; i = end)
//             end = brTetFaces_RunEnd(&faces, node, i);   // faces i to end - 1 have the same three nodes
//     brFreeTetFaces(&faces);
//
// Each face goes into the bucket of its lowest node, where a 64-bit key of the other two tells faces apart. Buckets are
// small in any real mesh and are sorted in place, so the whole costs O(n); a node with very many faces falls back on
// the radix sort, so no input makes it slow. Tets with a repeated node have no faces here.

#include "base/memory.h"
#include "brittle/mesh.h"

/// Items in buckets by lowest node: key and payload, sorted by key within a bucket, equal keys in the order they came
/// in.
typedef struct brTetFaces
{
	brAllocator allocator;
	int32_t nodeCount;
	int32_t itemCount;
	int32_t* starts; // [nodeCount + 2]
	uint64_t*
		keys; // [itemCount] of a face: its two higher nodes, and in the lowest bit which way round the tet sees it
	uint32_t* items; // [itemCount] of a face: 4 tet + face, as in brTetCorners
} brTetFaces;

/// Corners of the four faces of a tet, outward for a positive one. Face 0 lies across from corner 3, then 2, 0, 1.
extern const uint8_t brTetCorners[4][3];

static inline bool brTet_RepeatsNode(const int32_t* tet)
{
	return tet[0] == tet[1] || tet[0] == tet[2] || tet[0] == tet[3] || tet[1] == tet[2] || tet[1] == tet[3] ||
		   tet[2] == tet[3];
}

/// False without memory; there is nothing to free then. The mesh has at most INT32_MAX / 4 tets.
bool brMakeTetFaces(const brAllocator* allocator, const brTetMesh* mesh, brTetFaces* outFaces);
/// Edges of the faces that are marked ([4 tetCount], `count` of them) in the same way: the key is the higher node, the
/// item whether the edge runs from the lower to the higher.
bool brMakeTetFaceEdges(const brAllocator* allocator, const brTetMesh* mesh, const uint8_t* isMarked, int32_t count,
						brTetFaces* outEdges);
void brFreeTetFaces(brTetFaces* faces);

/// Behind the last face that has the same nodes as face `i` of a node.
static inline int32_t brTetFaces_RunEnd(const brTetFaces* faces, int32_t node, int32_t i)
{
	int32_t runEnd = i + 1;
	while (runEnd < faces->starts[node + 1] && faces->keys[runEnd] >> 1 == faces->keys[i] >> 1)
	{
		runEnd += 1;
	}
	return runEnd;
}
