// SPDX-License-Identifier: MIT
#pragma once

#include "contact/shape.h"

/// Where a ray in the shape's axes first enters it, at most `reach` away; INFINITY if nowhere, 0 if it begins inside.
/// `direction` is a unit vector. Surfaces are entered by their front. `outNormal` is out of the shape, and against the
/// ray if that begins inside.
double brShape_CastRay(const brShape* shape, brDVec3 origin, brDVec3 direction, double reach, brDVec3* outNormal);
