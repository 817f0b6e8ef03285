// SPDX-License-Identifier: MIT
#pragma once

// The sphere tree of a body that may crack, over its surface and inside, kept up to date when it does (Glondu et al. 2012, section 5).
//
// Points are the nodes of the body's tets. Before it cracks only those on the surface can touch; inner ones wait for cracks, and
// cost nothing since they are deep. When it cracks, a point whose parent went to another fragment hangs itself on its closest
// ancestor in its own, or becomes a root; where cracks cut edges, each side gets a new point, a child of the node on that side. Balls of ancestors
// hold all descendants already, so only new points make radii grow. Numbers of points never change; parents come before children.

#include "base/array.h"
#include "contact/fragment_field.h"

/// More are refused: a walk keeps one bit for each on the stack.
#define BR_FRAGMENT_MAX_POINTS (1 << 18)

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

typedef struct brFragmentTree
{
	brAllocator allocator;
	BR_ARRAY(brFragmentPoint) points;
	int32_t nodeCount;
	int32_t* pointOf; // [nodeCount] point of each node
} brFragmentTree;

/// Over the nodes of the mesh, all in fragment 0; nodes of boundary faces are surface. `context` and `report` may be null.
brResult brCreateFragmentTree(const brContext* context, const brTetMesh* mesh, brFragmentTree** outTree,
							  brReport* report);

/// `tree` may be null.
void brDestroyFragmentTree(brFragmentTree* tree);

/// After a fracture, with the same labels and cuts as the field. Fragments only ever split. False without memory or with too many
/// points; then the tree is as it was.
bool brFragmentTree_Update(brFragmentTree* tree, const int32_t* nodeFragments, const brEdgeCut* cuts, int32_t cutCount);

/// The same points, ordered and hung anew fragment by fragment: what an update saves.
bool brFragmentTree_Rebuild(brFragmentTree* tree);

/// How far a point of the tree is from the other body; a lower bound if that is more than `reach`.
typedef float brTreeDistanceFcn(brVec3 place, float reach, void* user);

/// Surface points of a fragment nearer than `tolerance`, in tree order. Returns how many there are; writes at most `capacity`. `outVisited`
/// may be null.
int32_t brFragmentTree_Query(const brFragmentTree* tree, int32_t fragment, float tolerance, brTreeDistanceFcn* distance,
							 void* user, int32_t* outPoints, int32_t capacity, int32_t* outVisited);
