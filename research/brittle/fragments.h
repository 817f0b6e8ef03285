// SPDX-License-Identifier: MIT
#pragma once

/// @file fragments.h
/// Collision data of one body through many cracks, brought up to date instead of made anew (Glondu et al. 2012, sections 4 and 5): depth inside a
/// fragment, and the points of a fragment that may touch. For callers that keep one tet mesh while it cracks.
///
///     brFragmentField* field;
///     brCreateFragmentField(NULL, tets, shape, &field, NULL);
///     ... a crack cuts edges of the tets and parts its nodes ...
///     brFragmentField_Update(field, nodeFragments, fragmentCount, cuts, cutCount);
///     float depth;
///     bool isInside = brFragmentField_Penetration(field, point, fragment, &depth, NULL);
///
/// An update of 20,000 tets takes a twentieth to a thirty-fifth of making everything anew, and its depths are
/// approximate. Worlds do not use it: docs/contact.md has the measurement. Experimental, in libbrittle_research.a.

#include "brittle/shape.h"

typedef struct brFragmentField brFragmentField;
typedef struct brFragmentTree brFragmentTree;

/// A crack crosses the edge from node a to node b here. The unit normal leads from a's side to b's.
typedef struct brEdgeCut
{
	int32_t a, b;
	brVec3 place;
	brVec3 normal;
} brEdgeCut;

/// One fragment, number 0, with exact depths. `original` is a br_shapeMesh of the same surface. Mesh and shape must
/// outlive the field. `context` and `report` may be null.
BR_EXPERIMENTAL brResult brCreateFragmentField(const brContext* context, const brTetMesh* mesh, const brShape* original,
											   brFragmentField** outField, brReport* report);

/// `field` may be null.
BR_EXPERIMENTAL void brDestroyFragmentField(brFragmentField* field);

/// After a fracture: the fragment of each node from now on, numbers from 0, and the edges that new cracks cut. False
/// without memory; then the field is as it was.
BR_EXPERIMENTAL bool brFragmentField_Update(brFragmentField* field, const int32_t* nodeFragments, int32_t fragmentCount,
											const brEdgeCut* cuts, int32_t cutCount);

/// Whether a point (in the mesh's axes) is inside a fragment. Then `outDepth` >= 0 and the unit vector to the surface
/// are set. Both outputs may be null.
BR_EXPERIMENTAL bool brFragmentField_Penetration(const brFragmentField* field, brVec3 p, int32_t fragment,
												 float* outDepth, brVec3* outDirection);

/// Whether a ball may meet the fragment: by its box, and by the masks of the level whose cells are as wide as the ball.
/// Never false if it meets a tet of the fragment. (The paper also culls by the depth in whatever other fragment the
/// center is in; propagated depths may be too large, so that would not be safe.)
BR_EXPERIMENTAL bool brFragmentField_SphereTest(const brFragmentField* field, brVec3 p, float radius, int32_t fragment);

/// More are refused: a walk keeps one bit for each on the stack.
#define BR_FRAGMENT_MAX_POINTS (1 << 18)

/// Over the nodes of the mesh, all in fragment 0; nodes of boundary faces are surface. `context` and `report` may be
/// null.
BR_EXPERIMENTAL brResult brCreateFragmentTree(const brContext* context, const brTetMesh* mesh, brFragmentTree** outTree,
											  brReport* report);

/// `tree` may be null.
BR_EXPERIMENTAL void brDestroyFragmentTree(brFragmentTree* tree);

/// After a fracture, with the same labels and cuts as the field. Fragments only ever split. False without memory or
/// with too many points; then the tree is as it was.
BR_EXPERIMENTAL bool brFragmentTree_Update(brFragmentTree* tree, const int32_t* nodeFragments, const brEdgeCut* cuts,
										   int32_t cutCount);

/// The same points, ordered and hung anew fragment by fragment: what an update saves.
BR_EXPERIMENTAL bool brFragmentTree_Rebuild(brFragmentTree* tree);

/// How far a point of the tree is from the other body; a lower bound if that is more than `reach`.
typedef float brTreeDistanceFcn(brVec3 place, float reach, void* user);

/// Surface points of a fragment nearer than `tolerance`, in tree order. Returns how many there are; writes at most
/// `capacity`. `outVisited` may be null.
BR_EXPERIMENTAL int32_t brFragmentTree_Query(const brFragmentTree* tree, int32_t fragment, float tolerance,
											 brTreeDistanceFcn* distance, void* user, int32_t* outPoints,
											 int32_t capacity, int32_t* outVisited);
