// SPDX-License-Identifier: MIT
#pragma once

// Questions to one wide tree: what overlaps a box, what may a ray hit first, what is nearest to a point. The tree knows
// boxes only; the caller's function answers for the primitive.

#include "index/wide_bvh.h"

/// Called for primitives whose box overlaps. False stops the search.
typedef bool brVisitFcn(uint32_t primitive, void* user);

/// All primitives whose boxes overlap the closed box, a point included. False if the visitor stopped.
bool brWideTree_VisitBox(const brWideTree* tree, brBox3 box, brVisitFcn* visit, void* user);

/// Called for primitives whose box the ray meets before `limit`; returns the new limit: the distance of a hit (in
/// lengths of the direction), or the old limit for a miss. A limit below 0 stops.
typedef double brRayFcn(uint32_t primitive, double limit, void* user);

/// Walks boxes along origin + t direction, 0 <= t <= limit, nearer ones first. Never misses a box that the exact ray
/// meets. Returns the last limit.
double brWideTree_VisitRay(const brWideTree* tree, brDVec3 origin, brDVec3 direction, double limit, brRayFcn* hit,
						   void* user);

/// Called for primitives whose box is nearer than the square root of `limitSq`; returns the new squared limit.
typedef double brNearFcn(uint32_t primitive, double limitSq, void* user);

/// Walks boxes outward from a point. Never leaves out a box that is nearer. Returns the last squared limit.
double brWideTree_VisitNear(const brWideTree* tree, brDVec3 point, double limitSq, brNearFcn* near, void* user);
