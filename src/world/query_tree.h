// SPDX-License-Identifier: MIT
#pragma once

// A wide tree over the boxes of all bodies, for rays, overlaps and nearest bodies.
//
// Bodies move in every step, so the tree is made when it pays: the first few questions after a change look at every
// body, which is as good as building for so few; the next one builds. Questions come from several threads at once. The
// one that builds claims the tree first; others look at every body until it is there, so nobody waits, and the answers
// are the same either way. Without memory there is no tree, and questions go on without it.

#include "brittle/shape.h"
#include "index/wide_bvh.h"

#include <stdatomic.h>

struct brWorld;

/// Questions after a change that look at all bodies before one builds the tree. Building takes as long as ten to twenty
/// such questions, so whatever comes after a change costs at most about twice what the better of the two ways would
/// have cost.
#define BR_QUERY_PATIENCE 8

/// Distances to shapes are computed in float, relative to their radius: limits and boxes are larger by this part of it,
/// so that rounding can cost a visit but never a hit.
#define BR_QUERY_SLACK 1e-6

/// With fewer bodies a look at all of them is as fast as the tree.
#define BR_QUERY_MIN_BODIES 32

typedef struct brQueryTree
{
	brAllocator allocator;
	brWideBvh bvh;
	brStageMemory boxes;     // brBox3 [boxCount]
	brStageMemory slots;     // int32_t [boxCount]: the body of each
	brStageMemory boundless; // int32_t [boundlessCount]: half-spaces, which have no box
	int32_t boxCount, boundlessCount;
	int32_t patience;          // BR_QUERY_PATIENCE; tests choose
	_Atomic int32_t state;     // nothing, claimed by who builds, there
	_Atomic int32_t questions; // since the last change
} brQueryTree;

/// Null without memory.
brQueryTree* brCreateQueryTree(const brAllocator* allocator);
void brDestroyQueryTree(brQueryTree* tree);

/// Bodies have moved, come or gone. Not while questions are asked.
void brQueryTree_Forget(brQueryTree* tree);

/// The tree for `questionCount` questions, or null: look at all bodies. `workers` may be null.
const brQueryTree* brWorld_QueryTree(const struct brWorld* world, int32_t questionCount, brWorkers* workers);

/// The box around a shape in the pose of a body; not of half-spaces.
brDBox3 brQueryBox(brDVec3 position, brQuat rotation, const brShape* shape);

/// The same in float, larger by BR_QUERY_SLACK: what the shape's own arithmetic finds is inside.
brBox3 brQueryTreeBox(brDVec3 position, brQuat rotation, const brShape* shape);
