// SPDX-License-Identifier: MIT
#pragma once

// Equal positions become one vertex, numbered by first appearance; -0 and +0 are the same place. For points that come in a
// stream, as in STL.
//
// Open addressing over (hash, vertex) slots beside the list of positions. Random access to memory is what welding costs, so
// points are taken in batches: all slots of a batch are fetched first, then all positions they name, then the batch is
// resolved in order. Points made to collide would turn this quadratic: steps are counted, and when there are more than
// honest points need the table is hashed anew with a salt taken from the points themselves.

#include "base/array.h"
#include "brittle/math.h"

typedef struct brPointSlot
{
	uint32_t hash;
	int32_t vertex; // or -1
} brPointSlot;

typedef struct brPointWeld
{
	brAllocator allocator;
	BR_ARRAY(brDVec3) positions; // of the vertices so far, as each first appeared
	brPointSlot* slots;
	int32_t slotCount; // a power of two
	uint64_t salt;
	int64_t steps; // beyond the first slot, since the salt changed
} brPointWeld;

/// Room for the expected number of vertices; more is fine. False without memory. Free it either way.
bool brPointWeld_Init(brPointWeld* weld, const brAllocator* allocator, int64_t expectedVertices);
void brPointWeld_Free(brPointWeld* weld);

/// The vertex of each point, which must be finite. False without memory or beyond 2^30 slots.
bool brPointWeld_Add(brPointWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices);
