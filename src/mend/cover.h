// SPDX-License-Identifier: MIT
#pragma once

// The cover of one hole: the points of its loop, points inside, triangles.

#include "base/array.h"
#include "brittle/math.h"

typedef struct brCover
{
	int32_t loopCount; // the first points are the loop, in the order of the cover
	BR_ARRAY(brDVec3) points;
	BR_ARRAY(int32_t) sources;   // [points] point of the loop whose attributes it has
	BR_ARRAY(int32_t) triangles; // three points each
} brCover;

/// The surface around a loop: for each of its points the neighbors that are not of the loop.
typedef struct brCoverRing
{
	const int32_t* starts; // [loopCount + 1]
	const brDVec3* points;
} brCoverRing;

/// Makes a cover of triangles between the points of the loop finer and bends it as the surface around it goes. It stays
/// as it was if that leads nowhere. False without memory.
bool brCover_Smooth(brCover* cover, const brAllocator* allocator, const brCoverRing* ring);
