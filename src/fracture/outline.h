// SPDX-License-Identifier: MIT
#pragma once

// Flat outlines with holes, as faces.

#include "base/array.h"
#include "brittle/math.h"

typedef BR_ARRAY(int32_t) brOutlineInts;

/// Scratch and input: `points` are loops one after the other, loop n from starts[n] to starts[n + 1], outer ones turning
/// left, holes right; `ids` goes with them.
typedef struct brOutline
{
	brAllocator allocator;
	BR_ARRAY(brDVec2) points;
	brOutlineInts ids;
	brOutlineInts starts; // one more than loops
	brOutlineInts owners; // outer loop of each hole, itself for outer loops
	BR_ARRAY(double) areas;
	brOutlineInts ring;
	brOutlineInts spare;
	brOutlineInts triangles; // three points each, while they are made
	brOutlineInts links;     // three each: triangle and side beyond each side, 3 t + k, or -1
	brOutlineInts pending;   // sides to look at
} brOutline;

void brOutline_Init(brOutline* outline, const brAllocator* allocator);
void brOutline_Free(brOutline* outline);

/// Appends faces of ids to `corners`, each end to `ends`: an outline without holes as it is, one with holes as
/// triangles. Every directed edge of the loops is in exactly one face, whatever the shape. False without memory.
bool brOutline_Fill(brOutline* outline, brOutlineInts* corners, brOutlineInts* ends);

/// The same as triangles with points inside, about `spacing` apart and no nearer to the outline than a third of that.
/// New points are appended to `points`, their ids count up from `nextId`. With a spacing of 0 there are none.
bool brOutline_FillFinely(brOutline* outline, double spacing, int32_t nextId, brOutlineInts* corners,
						  brOutlineInts* ends);

/// All outlines as triangles of points.
bool brOutline_Triangulate(brOutline* outline);

/// Flips sides of the triangles until they are Delaunay, so that none lies along a row of corners.
bool brOutline_Flip(brOutline* outline);
