// SPDX-License-Identifier: MIT
#pragma once

// Where rays meet a soup of triangles: eight triangles side by side in a group, groups in a box tree (index/box_tree.h).

#include "base/memory.h"
#include "brittle/math.h"

typedef struct brRayTree brRayTree;

/// Triangles [triangleCount], each three indices into `vertices`; at most 2^28 of them. With `later`, the places of the
/// vertices at time 1, each vertex goes there on a straight line. Null without memory.
brRayTree* brMakeRayTree(const brAllocator* allocator, float (*vertices)[3], float (*later)[3],
						 uint32_t (*triangles)[3], int32_t triangleCount);
void brRayTree_Destroy(brRayTree* tree);

/// The part of a ray between two distances. `direction` is of unit length; `time` is 0 as the shutter opens, 1 as it
/// closes.
typedef struct brRenderRay
{
	brVec3 origin, direction;
	float from, to, time;
} brRenderRay;

typedef struct brRenderHit
{
	float distance;
	int32_t triangle;
	float u, v;    // weights of corners 1 and 2
	brVec3 normal; // unit, outward by the order of corners
} brRenderHit;

/// The nearest hit.
bool brRayTree_Hit(const brRayTree* tree, const brRenderRay* ray, brRenderHit* outHit);

/// Whether there is any.
bool brRayTree_Blocks(const brRayTree* tree, const brRenderRay* ray);
