// SPDX-License-Identifier: MIT
#pragma once

// Points at the same place: exactly, as they come in a stream or in an array of their own, and within a distance.
//
//     file -> brPointWeld_Add, a block at a time -> vertices numbered by first appearance, and their positions
//     array -> brFindEqualPositions, brFindNearPositions -> for each position the first that is the same
//
// -0 and 0 are the same place. Time is linear for points made to collide too.

#include "base/array.h"
#include "brittle/mesh.h"

/// A set of numbers of points, found by position. Open addressing over 32 bits an entry, at most half full: low bits
/// number + 1, the others a piece of the hash, so that a walk along the table hardly ever looks at a point that is not
/// the same.
typedef struct brWeldTable
{
	uint32_t* entries; // 0: free
	int32_t logCapacity;
	uint64_t salt;    // not 0 once points have been found to collide
	int64_t debt;     // steps beyond those that honest points need
	bool isScattered; // the last points were not near each other in the list; for speed only
} brWeldTable;

/// Welds a stream of points.
typedef struct brPointWeld
{
	brAllocator allocator;
	BR_ARRAY(brDVec3) positions; // of the vertices so far, as each first appeared
	brWeldTable table;
} brPointWeld;

/// Room for the expected number of vertices; more is fine. False without memory. Free it either way.
bool brPointWeld_Init(brPointWeld* weld, const brAllocator* allocator, int64_t expectedVertices);
void brPointWeld_Free(brPointWeld* weld);

/// The vertex of each point. False without memory.
bool brPointWeld_Add(brPointWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices);

/// For each position the lowest index with an equal one (itself if it is the first). Returns how many are not the
/// first, or -1 without memory. `outFirst` has room for `count`.
int32_t brFindEqualPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, int32_t* outFirst);

/// Clusters of positions that a chain of steps of at most `distance` > 0 joins; the clusters do not depend on the order
/// of the list. `outFirst` gets the lowest index of each cluster. Returns and fails like brFindEqualPositions.
int32_t brFindNearPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, double distance,
							int32_t* outFirst);
