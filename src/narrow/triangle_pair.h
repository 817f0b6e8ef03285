// SPDX-License-Identifier: MIT
#pragma once

// Do two triangles in space meet? Exact answers for closed triangles, whatever their shape: coplanar, touching, and
// triangles that are only a segment or a point. Signs come from the exact predicates, so no answer depends on a
// tolerance or on the order of corners.

#include "brittle/math.h"

/// True if the closed triangles have a point in common.
bool brTrianglePair_Meets(const brDVec3 a[3], const brDVec3 b[3]);

/// True if the triangles have a point in common outside the vertices and edges they share: the question for neighbors
/// in one surface. Corners are shared when their indices are equal; with null `ia` and `ib`, when they are at the
/// same place. Triangles with the same three corners meet beyond their edges unless they have no area.
bool brTrianglePair_MeetsBeyond(const brDVec3 a[3], const int32_t ia[3], const brDVec3 b[3], const int32_t ib[3]);
