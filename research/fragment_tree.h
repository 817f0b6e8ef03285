// SPDX-License-Identifier: MIT
#pragma once

// The sphere tree of a body that may crack, over its surface and inside, kept up to date when it does (Glondu et al.
// 2012, section 5).
//
// Points are the nodes of the body's tets. Before it cracks only those on the surface can touch; inner ones wait for
// cracks, and cost nothing since they are deep. When it cracks, a point whose parent went to another fragment hangs
// itself on its closest ancestor in its own, or becomes a root; where cracks cut edges, each side gets a new point, a
// child of the node on that side. Balls of ancestors hold all descendants already, so only new points make radii grow.
// Numbers of points never change; parents come before children.

#include "base/array.h"
#include "research/fragment_field.h"

typedef struct brFragmentPoint
{
	brVec3 place;
	float radius;
	int32_t above;  // parent as the tree was made, or -1
	int32_t parent; // the first above that is in the same fragment, or -1: a root
	int32_t firstChild, nextSibling;
	int32_t fragment;
	int32_t node;   // of the tets; of a new point the one it hangs on
	bool isNode;    // the node itself
	bool isSurface; // may touch
} brFragmentPoint;

struct brFragmentTree
{
	brAllocator allocator;
	BR_ARRAY(brFragmentPoint) points;
	int32_t nodeCount;
	int32_t* pointOf; // [nodeCount] point of each node
};

/// Points in the order of point_order.h, with memory of its own. False without it.
bool brOrderPoints(const brAllocator* allocator, const brVec3* places, int32_t count, int32_t direct, int32_t* outOrder,
				   int32_t* outParents);
