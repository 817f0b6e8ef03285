// SPDX-License-Identifier: MIT
#pragma once

// Whether a plane stays between two bodies while they move.
//
// Most bodies that come near each other in a step pass by. What shows it is one plane with the whole way of one body on
// its front and the whole way of the other behind it: that needs no distance, only how far each reaches along a normal
// at both ends of its way. The plane is searched by the distance algorithm of Gilbert, Johnson and Keerthi (1988)
// between the convex hulls of both ways, which ends as soon as some plane will do. Concave bodies count with their
// hulls.

#include "contact/manifold.h"

/// A body on its way: its axes and place at both ends, in axes common to both bodies, and how far points stray from the
/// straight lines between because it turns.
typedef struct brHullWay
{
	const brShape* shape; // no half-space
	brRelativePose from, to;
	float sag;
} brHullWay;

/// True if some plane keeps them more than `gap` apart all the way; false says nothing. `direction` is from a to b: a
/// guess or 0 before, the normal of the plane after.
bool brAreWaysParted(const brHullWay* a, const brHullWay* b, float gap, brVec3* direction);
