// SPDX-License-Identifier: MIT
#pragma once

// Concave solids and surfaces against everything.

#include "contact/select.h"
#include "contact/solid.h"

/// `b` is a mesh or a surface; see brCollideShapes.
int32_t brCollideSolid(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
					   const brKeptTouches* kept, brTouch* outTouches);

/// The same for a sphere or capsule.
int32_t brCollideRound(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
					   const brKeptTouches* kept, brTouch* outTouches);

/// Separations of bodies born side by side, measured against the pose they were born in: what overlapped then (`rest` < 0) does not
/// push. Points are asked at `birth` by the same way that found them. Gaps are not closed up.
void brApplyBirth(const brShape* a, const brShape* b, const brRelativePose* birth, brTouch* touches, int32_t count);

/// Distance of a point to a box or hull, negative inside, and the way out. `isFace` tells whether a face is nearest.
float brPolytope_Field(const brShape* shape, brVec3 p, brVec3* outDirection, bool* isFace);
