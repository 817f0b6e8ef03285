// SPDX-License-Identifier: MIT
#pragma once

// What can part two polytopes, told from a few places.
//
// No direction parts two bodies by more than it parts one of them from a single place in the other. So a face counts
// for no more than the height of the lowest place over it, and most faces and edges of a polytope need not be tried
// against all corners of the other: a few places in it, near where the two meet, tell that others part them by more.

#include "base/lanes.h"
#include "contact/shape.h"

#define BR_VIEW_PLACES 8
#define BR_VIEW_BLOCKS (BR_HULL_MAX_FACES / 8)
#define BR_VIEW_CORNERS (BR_HULL_MAX_VERTICES / 8)
#define BR_VIEW_EDGES (BR_HULL_MAX_VERTICES + BR_HULL_MAX_FACES) // by Euler's formula, and room for a whole last block

/// A polytope and places in another, in its axes. Faces go eight by eight; those beyond the last are below everything.
/// So do corners, with the last again in its place and beyond.
typedef struct brPolytopeView
{
	const brShape* shape;
	int32_t blockCount, cornerBlocks;
	int32_t placeCount; // the first ones of all that were added are forgotten
	brFloat8 corners[BR_VIEW_CORNERS][3];
	brFloat8 planes[BR_VIEW_BLOCKS][4];               // normals and offsets of the faces
	brFloat8 lowest[BR_VIEW_BLOCKS];                  // over each face: of all places, the height of the lowest
	brFloat8 heights[BR_VIEW_PLACES][BR_VIEW_BLOCKS]; // over each face: of the last places
} brPolytopeView;

void brPolytopeView_Init(brPolytopeView* view, const brShape* shape);

/// One more place in the other polytope.
void brPolytopeView_Add(brPolytopeView* view, brVec3 place);

/// The lowest of n . x over the corners, and the first that has it.
float brPolytopeView_LowestCorner(const brPolytopeView* view, brVec3 n, int32_t* outCorner);

/// The first of the faces whose normals are most against n.
int32_t brPolytopeView_OpposedFace(const brPolytopeView* view, brVec3 n);

/// What a face parts the two by at most, but for rounding.
static inline float brPolytopeView_Lowest(const brPolytopeView* view, int32_t face)
{
	return view->lowest[face / 8][face % 8];
}

/// Faces over which that is more than a height, a bit each; eight a byte.
void brPolytopeView_FindHigher(const brPolytopeView* view, float height, uint8_t outFaces[BR_VIEW_BLOCKS]);

/// For each face which of the last places are higher over it than a floor, a bit each.
typedef struct brViewFloor
{
	const brPolytopeView* view;
	float floor;
	int32_t all;
	_Alignas(32) int32_t above[BR_HULL_MAX_FACES];
} brViewFloor;

void brPolytopeView_SetFloor(const brPolytopeView* view, float floor, brViewFloor* outFloor);

/// Edges, by their numbers and in order, that may part the two by more than the floor along a direction between the
/// normals of their faces. Returns how many; there is room for BR_VIEW_EDGES.
int32_t brViewFloor_FindEdges(const brViewFloor* floor, int32_t* outEdges);
