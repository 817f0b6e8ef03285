// SPDX-License-Identifier: MIT
#pragma once

// Vertices at the same place.

#include "brittle/mesh.h"

/// For each position the lowest index with an equal one (itself if it is the first); -0 equals 0. Returns how many are
/// not the first, or -1 without memory. `outFirst` has room for `count`.
int32_t brFindEqualPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, int32_t* outFirst);

/// Clusters of positions that a chain of steps of at most `distance` > 0 joins; the clusters do not depend on the order of
/// the list. `outFirst` gets the lowest index of each cluster. Returns and fails like brFindEqualPositions.
int32_t brFindNearPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, double distance,
							int32_t* outFirst);

/// Root of a union-find forest where every parent is lower than its child, halving the path. Roots are their own parents.
static inline int32_t brFindRoot(int32_t* parents, int32_t i)
{
	while (parents[i] != i)
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

/// Joins two sets under the lower root. True if they were two.
static inline bool brJoinRoots(int32_t* parents, int32_t a, int32_t b)
{
	a = brFindRoot(parents, a);
	b = brFindRoot(parents, b);
	if (a < b)
	{
		parents[b] = a;
	}
	else
	{
		parents[a] = b;
	}
	return a != b;
}
