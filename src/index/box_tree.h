// SPDX-License-Identifier: MIT
#pragma once

// Boxes in an implicit tree of arity eight: the one tree under all questions about the triangles of a surface.
//
// Things lie in compact order (compact_order.h), eight to a group. Level 0 holds their boxes; lane j of group g on
// level k > 0 is the box of group 8 g + j of level k - 1, and the last level is one group. There are no pointers: the
// block of boxes may be copied and stored. Lower and upper sides of eight boxes lie side by side, so that one question
// is asked of eight boxes at once.
//
// In volume/surface_tree.h things are triangles (inside or outside, nearest points, rays; what a hit asks in
// fracture/hit_surface.h); in contact/solid.h they are groups of eight triangles. The walks are in box_tree_lanes.h.

#include "base/far.h"
#include "base/lanes.h"
#include "brittle/math.h"

#define BR_TREE_ARITY 8
#define BR_TREE_LEVELS 11 // for 2^31 things

/// Lanes without a box lie here: its square is still a float, and farther than all that is real.
#define BR_TREE_NOWHERE 1e18f

/// The most groups that wait while a tree is walked.
#define BR_TREE_STACK (BR_TREE_LEVELS * BR_TREE_ARITY)

typedef struct brTreeBoxes
{
	brFloat8 lower[3], upper[3];
} brTreeBoxes;

typedef struct brBoxTree
{
	const BR_FAR brTreeBoxes* levels[BR_TREE_LEVELS];
	int32_t groupCounts[BR_TREE_LEVELS];
	int32_t levelCount;
	int32_t groupTotal; // on all levels
} brBoxTree;

/// The sizes of a tree over `count` things, at least one. Its boxes are not there yet.
static inline brBoxTree brMakeBoxTree(int32_t count)
{
	brBoxTree tree = {.levelCount = 0};
	do
	{
		count = (count - 1) / BR_TREE_ARITY + 1;
		tree.groupCounts[tree.levelCount++] = count;
		tree.groupTotal += count;
	} while (count > 1);
	return tree;
}

/// Says where the boxes are: groupTotal groups, level 0 first.
static inline void brBoxTree_Place(brBoxTree* tree, const BR_FAR brTreeBoxes* boxes)
{
	for (int32_t level = 0; level < tree->levelCount; ++level)
	{
		tree->levels[level] = boxes;
		boxes += tree->groupCounts[level];
	}
}

#ifndef __OPENCL_VERSION__

/// Writes the boxes of all levels to `boxes`, which then are the tree's: those of the things, and those around them,
/// each wider than what is in it by `grow`. An empty box (lower over upper) takes no room.
void brBoxTree_Fill(brBoxTree* tree, brTreeBoxes* boxes, const brBox3* things, int32_t count, float grow);

/// A stretch of a line as walks see it, in the coordinates of the boxes.
typedef struct brTreeSegment
{
	float start[3];
	float inv[3]; // one over the way to the end, huge where that is zero
	float slack;  // what boxes are widened by
} brTreeSegment;

/// `slack` is at least 2^-21 of the size of the boxes' coordinates, since floats are no better.
static inline brTreeSegment brMakeTreeSegment(brDVec3 start, brDVec3 end, float slack)
{
	const double from[3] = {start.x, start.y, start.z}, to[3] = {end.x, end.y, end.z};
	brTreeSegment segment = {.slack = slack};
	double least = 0x1p-19 * (double)slack; // less than that moves no box by anything that counts
	for (int k = 0; k < 3; ++k)
	{
		double d = to[k] - from[k];
		segment.start[k] = (float)from[k];
		segment.inv[k] = (float)(1.0 / (fabs(d) > least ? d : copysign(least, d)));
		float size = 0x1p-21f * (float)fabs(from[k]);
		segment.slack = size > segment.slack ? size : segment.slack;
	}
	return segment;
}

/// Called for a thing whose box is met. False ends the walk.
typedef bool brOverlapFcn(int32_t thing, void* user);

/// Called for a thing that may be within the limit; returns the limit from then on. Walks outward limit the square of
/// the distance, walks along a segment the part of it that counts.
typedef double brLimitFcn(int32_t thing, double limit, void* user);

#define BR_LANES_FILE "index/box_tree_lanes.h"
#include "base/each_lanes.h"

#endif
