// SPDX-License-Identifier: MIT
#pragma once

/// @file swept_pairs.h
/// What may meet on the way from one frame to the next, by boxes alone: what a program needs that has a continuous test
/// of its own. ccd.h finds what truly meets, and when. `brittle collide --next` without `--ccd` writes these pairs.
///
/// Experimental, in libbrittle_research.a.

#include "brittle/collide.h"
#include "brittle/gpu.h"

/// Which pairs of features may meet while vertices move straight from one frame to the next: the boxes of their paths
/// overlap. Pairs of a vertex and its own face or of edges with a common vertex are left out.
typedef struct brSweptPairs
{
	int32_t vertexCount;
	int32_t edgeCount;
	int32_t triangleCount;
	int32_t (*edges)[2];     ///< [edgeCount] smaller index first, sorted by larger index, then smaller.
	int64_t vertexFaceCount; ///< Pairs of vertex a and triangle b.
	brPair* vertexFaces;
	int64_t edgeEdgeCount; ///< Pairs of edges a < b.
	brPair* edgeEdges;
	brPairStages stages;
	brAllocator allocator;
} brSweptPairs;

/// Finds the pairs of features whose boxes overlap while the vertices move. `next` has the vertices of `mesh` at the
/// end of the step; only its positions are read. `context`, `def` and `report` may be null.
BR_EXPERIMENTAL brResult brFindSweptPairs(const brContext* context, const brMesh* mesh, const brMesh* next,
										  const brCollideDef* def, brSweptPairs** outSweep, brReport* report);

/// The same pairs by a device, sorted: boxes are made here and searched there.
BR_EXPERIMENTAL brResult brGpu_FindSweptPairs(brGpu* gpu, const brContext* context, const brMesh* mesh,
											  const brMesh* next, const brCollideDef* def, brSweptPairs** outSweep,
											  brReport* report);

/// Frees `sweep`, which may be null.
BR_EXPERIMENTAL void brDestroySweptPairs(brSweptPairs* sweep);
