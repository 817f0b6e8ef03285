// SPDX-License-Identifier: MIT
#pragma once

#include "contact/manifold.h"
#include "contact/polytope_view.h"

/// The pair of edges of two polytopes that parts them best.
typedef struct brEdgePair
{
	float separation;
	brVec3 normal; // from A to B, in A's axes
	int32_t a, b;  // edges, -1: none
} brEdgePair;

/// Pairs of edges that make a face of the Minkowski difference (Gregorius 2013), of the polytopes that look at each
/// other in `views`. Only those that part by more than `floor` are looked for, and, if `kept` is not null, along axes
/// within 60 degrees of it; the search stops at the first over `enough`.
brEdgePair brFindEdgePair(const brPolytopeView views[2], const brRelativePose* pose, float floor, const brVec3* kept,
						  float enough);
