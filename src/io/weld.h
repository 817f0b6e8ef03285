// SPDX-License-Identifier: MIT
#pragma once

// Equal positions become one vertex, numbered by first appearance; -0 and +0 are the same place.
//
// Open addressing over (hash, vertex) slots beside the list of positions. Random access to memory is what welding costs, so
// points are taken in batches: all slots of a batch are fetched first, then all positions they name, then the batch is
// resolved in order.

#include "base/array.h"
#include "brittle/math.h"

typedef struct brWeldSlot
{
	uint32_t hash;
	int32_t vertex; // or -1
} brWeldSlot;

typedef struct brWeld
{
	brAllocator allocator;
	BR_ARRAY(brDVec3) positions; // of the vertices so far, as each first appeared
	brWeldSlot* slots;
	int32_t slotCount; // a power of two
} brWeld;

/// Room for the expected number of vertices; more is fine. False without memory. Free it either way.
bool brWeld_Init(brWeld* weld, const brAllocator* allocator, int64_t expectedVertices);
void brWeld_Free(brWeld* weld);

/// The vertex of each point, which must be finite. False without memory or beyond 2^30 vertices.
bool brWeld_Add(brWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices);
