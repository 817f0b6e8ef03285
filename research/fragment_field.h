// SPDX-License-Identifier: MIT
#pragma once

// How deep a point is inside a fragment of a body that has cracked, kept up to date instead of made anew (Glondu et al.
// 2012, section 4).
//
// The tets of the whole body stay; every node knows the fragment it belongs to, how deep it lies in it, and which way
// is out. At first depths are exact. When cracks cut edges of the tets, the nodes at cut edges take their depth from
// the crack planes, and a front runs from there into each fragment as far as it makes depths smaller, by equations 1
// and 2 of the paper:
//     d = sum w_j (d_j + n_j . (p_j - p)) / sum w_j      n = sum w_j n_j, normalized      w_j = 1 / |p_j - p|^2
// over the neighbors that the front reached a step before. All nodes of a step are computed before any is changed.
//
// A tet cut by cracks keeps their planes and answers by them exactly; near the original surface the exact field of the
// whole body answers if it is nearer. Limits, as in the paper: an edge holds one plane, the last; pieces that hold no
// node are not seen.
//
// Masks: a grid of several levels tells which fragments have a tet in each cell; a coarse cell has what any of its
// children has.

#include "brittle/fragments.h"

#include "base/array.h"
#include "brittle/volume.h"
#include "contact/solid.h"

#define BR_MASK_LEVELS 5 // 16 cells along the longest side, then 8, 4, 2, 1

typedef struct brFragmentNode
{
	brVec3 place;
	float depth;      // >= 0
	brVec3 direction; // to the surface
	int32_t fragment;
} brFragmentNode;

struct brFragmentField
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
};

/// Depths by exact distances to given surfaces, one for each fragment, as if the field were made anew: for comparison.
void brFragmentField_SetExact(brFragmentField* field, const brSolid* pieces, const brTransform* frames);
