// SPDX-License-Identifier: MIT
#pragma once

// Spreads the nearest points of a surface from the nodes of a grid that know theirs to all others (grid_sweep.c).

#include "brittle/context.h"

#define BR_SWEEP_LANES 8

typedef struct brGridSweep
{
	int32_t counts[3];
	int64_t rowLength; // counts[0] up to whole lanes
	float* ways
		[3]; // [rowLength * counts[1] * counts[2]] from a node to a point of the surface, in cells; infinite: none known
	int32_t* triangles; // the triangle that the point lies on, or -1
} brGridSweep;

/// Memory for a grid where nothing is known. False, with everything freed, if there is none.
bool brGridSweep_Init(brGridSweep* sweep, const brAllocator* allocator, const int32_t counts[3]);
void brGridSweep_Free(brGridSweep* sweep, const brAllocator* allocator);

static inline int64_t brGridSweep_Nodes(const brGridSweep* sweep)
{
	return sweep->rowLength * sweep->counts[1] * sweep->counts[2];
}

/// Gives every node the point of a neighbor that is nearest to it, until all have one.
void brGridSweep_Run(const brGridSweep* sweep);
