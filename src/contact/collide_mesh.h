// SPDX-License-Identifier: MIT
#pragma once

// Concave solids and surfaces against everything.

#include "contact/select.h"
#include "contact/solid.h"

/// What is asked of two bodies of which one is a solid.
typedef struct brSolidQuery
{
	float margin;
	bool isRolling, isSliding; // as of brPairMemory
	const brKeptTouches* kept; // may be null
} brSolidQuery;

/// `b` is a mesh or a surface; see brCollideShapes.
int32_t brCollideSolid(const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose,
					   const brSolidQuery* query, brTouch* outTouches);

/// The same for a sphere or capsule.
int32_t brCollideRound(const BR_FAR brShape* a, const BR_FAR brShape* b, const brRelativePose* pose, float margin,
					   const brKeptTouches* kept, brTouch* outTouches);

/// Distance of a point to a box or hull, negative inside, and the way out. `isFace` tells whether a face is nearest.
/// What is over `reach`, may be less than the distance, and says no more.
float brPolytope_Field(const BR_FAR brShape* shape, brVec3 p, float reach, brVec3* outDirection, bool* isFace);
