// SPDX-License-Identifier: MIT
#pragma once

// How deep a point is inside a fragment of a body that has cracked, kept up to date instead of made anew (Glondu et al. 2012, section 4).
//
// The tets of the whole body stay; every node knows the fragment it belongs to, how deep it lies in it, and which way is out. At first
// depths are exact. When cracks cut edges of the tets, the nodes at cut edges take their depth from the crack planes, and a front runs
// from there into each fragment as far as it makes depths smaller, by equations 1 and 2 of the paper:
//     d = sum w_j (d_j + n_j . (p_j - p)) / sum w_j      n = sum w_j n_j, normalized      w_j = 1 / |p_j - p|^2
// over the neighbors that the front reached a step before. All nodes of a step are computed before any is changed.
//
// A tet cut by cracks keeps their planes and answers by them exactly; near the original surface the exact field of the whole body answers if it
// is nearer. Limits, as in the paper: an edge holds one plane, the last; pieces that hold no node are not seen.
//
// Masks: a grid of several levels tells which fragments have a tet in each cell; a coarse cell has what any of its children has.

#include "base/array.h"
#include "brittle/volume.h"
#include "contact/solid.h"

#define BR_MASK_LEVELS 5 // 16 cells along the longest side, then 8, 4, 2, 1

/// A crack crosses the edge from node a to node b here. The unit normal leads from a's side to b's.
typedef struct brEdgeCut
{
	int32_t a, b;
	brVec3 place;
	brVec3 normal;
} brEdgeCut;

typedef struct brFragmentNode
{
	brVec3 place;
	float depth;      // >= 0
	brVec3 direction; // to the surface
	int32_t fragment;
} brFragmentNode;

typedef struct brFragmentField
{
	brAllocator allocator;
	const brTetMesh* mesh;
	const brShape* original;
	brSolid solid;
	brTetLocator* locator;
	int32_t nodeCount, tetCount, halfCount;
	brFragmentNode* nodes;    // [nodeCount]
	int32_t* starts;          // [nodeCount + 1] into neighbors
	int32_t* neighbors;       // [halfCount] both ways
	int32_t* cutOf;           // [halfCount] cut of this edge, or -1
	BR_ARRAY(brEdgeCut) cuts; //
	BR_ARRAY(brBox3) boxes;   // by fragment
	int32_t fragmentCount;

	// Masks.
	brVec3 cellOrigin;
	float cellSize;                      // of the finest level
	int32_t cellCounts[3];               // of the finest level
	int32_t levelStarts[BR_MASK_LEVELS]; // in cells
	int32_t cellTotal, maskWords;
	uint64_t* masks;      // [cellTotal * maskWords]
	int32_t* tetStarts;   // [tetCount + 1]
	int32_t* tetCells;    // cells of the finest level that a tet's box meets
	int32_t tetCellCount; //

	// Scratch of an update.
	int32_t *front, *next, *reached, *stamps;
	brFragmentNode* fresh;
	int64_t updatedNodes; // by the last update
} brFragmentField;

/// One fragment, number 0, with exact depths. `original` is a br_shapeMesh of the same surface. Mesh and shape must outlive the field. `context` and
/// `report` may be null.
brResult brCreateFragmentField(const brContext* context, const brTetMesh* mesh, const brShape* original,
							   brFragmentField** outField, brReport* report);

/// `field` may be null.
void brDestroyFragmentField(brFragmentField* field);

/// After a fracture: the fragment of each node from now on, numbers from 0, and the edges that new cracks cut. False without memory;
/// then the field is as it was.
bool brFragmentField_Update(brFragmentField* field, const int32_t* nodeFragments, int32_t fragmentCount,
							const brEdgeCut* cuts, int32_t cutCount);

/// Whether a point (in the mesh's axes) is inside a fragment. Then `outDepth` >= 0 and the unit vector to the surface are
/// set. Both outputs may be null.
bool brFragmentField_Penetration(const brFragmentField* field, brVec3 p, int32_t fragment, float* outDepth,
								 brVec3* outDirection);

/// Whether a ball may meet the fragment: by its box, and by the masks of the level whose cells are as wide as the ball. Never false if it
/// meets a tet of the fragment. (The paper also culls by the depth in whatever other fragment the center is in; propagated depths
/// may be too large, so that would not be safe.)
bool brFragmentField_SphereTest(const brFragmentField* field, brVec3 p, float radius, int32_t fragment);

/// Depths by exact distances to given surfaces, one for each fragment, as if the field were made anew: for comparison.
void brFragmentField_SetExact(brFragmentField* field, const brSolid* pieces, const brTransform* frames);
