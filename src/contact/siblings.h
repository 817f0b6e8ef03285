// SPDX-License-Identifier: MIT
#pragma once

// First contacts of two bodies born side by side, from the facets they share.
//
// When a body breaks, its pieces touch along the whole crack at once: the worst case for any search, and the one where
// the answer is known beforehand. The facets of the crack are the contact; their normals are clustered by area, and
// each cluster gets four points as far apart as it has them, with separation 0. The pair is then kept as it is until
// the pieces have moved.

#include "contact/manifold.h"

/// Facet i has the corners [starts[i], starts[i + 1]), in the axes of body A, planar, and a unit normal that leads from
/// A into B.
typedef struct brSharedFacets
{
	int32_t facetCount;
	const int32_t* starts; ///< [facetCount + 1]
	const brVec3* corners; ///< [starts[facetCount]]
	const brVec3* normals; ///< [facetCount]
} brSharedFacets;

/// Manifolds into `outTouches[BR_PAIR_MANIFOLDS]`; returns how many. None if there is no area. Linear in the corners.
int32_t brTouchSiblings(const brSharedFacets* facets, brTouch* outTouches);

/// What two meshes of a list touch in, in the axes of the first. False ends the search.
typedef bool brSiblingVisit(void* user, int32_t a, int32_t b, const brTouch* touches, int32_t count);

/// First contacts of all pairs of meshes that have faces in common: with the same corners to the bit, as cutters leave
/// them. Pairs rise. Meshes may be null and then take no part. `frames` lead from the axes of each body to those of the
/// meshes. False without memory, or if a visit was.
bool brTouchAllSiblings(const brAllocator* allocator, const brMesh* const* meshes, const brTransform* frames,
						int32_t count, brSiblingVisit* visit, void* user);
