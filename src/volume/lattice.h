// SPDX-License-Identifier: MIT
#pragma once

// A body-centered cubic lattice over a solid: fine along the surface, coarser inside, every tet a stock shape.
//
// The box is cut into cells of one size; nodes are cell corners and cell centers. Two cells that share a face give four
// tets, each with the two centers and one edge of the face: all alike, edges in the ratio 1 to sqrt(3)/2, dihedral
// angles of 60 and 90 degrees. Away from the surface cells merge by eights into an octree in which cells that touch
// differ by one level at most. Between levels the tets are halved, quartered, or half pyramids (Labelle and Shewchuk
// 2007, section 4):
//
//     same size        (center, center', edge of the face), in two halves if the edge has a node in its middle
//     large to small   the large face becomes a fan of eight about its middle, each with a center on either side
//
// Nodes are named by coordinates in half cells: corners of cells are even, centers of the finest cells odd. A coarse
// center is the corner that its eight children would have shared.

#include "base/array.h"
#include "volume/surface_tree.h"

#define BR_LATTICE_LEVELS 6

typedef struct brLatticeNode
{
	int32_t at[3]; // half cells
} brLatticeNode;

typedef struct brLatticeTet
{
	int32_t nodes[4];
} brLatticeTet;

// How fine the cells along the surface and in balls are. Elsewhere they coarsen as they do without.
typedef struct brLatticeSizes
{
	int32_t baseLevel;            // cells along the surface are no larger than 2^baseLevel cells; at most `levels`
	const brTetRefinement* balls; // [ballCount] where they are smaller
	int32_t ballCount;
	double edgePerThickness; // of walls, by rays; 0: walls do not matter
} brLatticeSizes;

typedef struct brLattice
{
	brAllocator allocator;
	brDVec3 origin;
	double cell;      // edge of the finest cells [m]
	int32_t cells[3]; // a multiple of 2^levels on each axis
	int32_t levels;   // how often cells may merge
	bool isGraded;    // cells along the surface are of several sizes
	bool isWrapped;   // the surface goes round some node more than once: its volume counts overlaps twice
	int64_t cellCount;
	int64_t cornerCount;
	uint8_t* insideCorners; // [cornerCount]
	uint8_t* insideCenters; // [cellCount]
	// level k: cells that have smaller ones inside; level 0: cells that may not merge
	uint8_t* split[BR_LATTICE_LEVELS];
	int64_t splitCounts[BR_LATTICE_LEVELS];
	const brSurfaceTree* touched; // null unless tets that touch the surface are wanted
	const brLatticeSizes* sizes;  // null: finest cells all along the surface
	// level k > 0, if there are sizes: cells of the surface that may be of that level
	uint8_t* wanted[BR_LATTICE_LEVELS];
	int32_t* cornerIds; // [cornerCount] node or -1
	int32_t* centerIds; // [cellCount]
	BR_ARRAY(brLatticeNode) nodes;
	BR_ARRAY(brLatticeTet) tets;
} brLattice;

typedef struct brLatticeDef
{
	const brSurfaceTree* tree;
	double cell;                 // [m]
	int32_t levels;              // below BR_LATTICE_LEVELS; 0: all cells alike
	bool isInverted;             // the surface is inside out
	double offset;               // >= 0, up to a cell: the solid is grown by this much [m]
	bool isShifted;              // off the middle of the box, where the symmetry of a shape makes counts jump
	bool touching;               // tets that touch the surface too, not only those with a node inside
	int64_t maxCells;            // more are refused
	const brLatticeSizes* sizes; // null: finest cells all along the surface
} brLatticeDef;

/// Makes the cells over the box of the surface, decides which nodes are inside and makes the tets that have a node
/// inside.
brResult brLattice_Make(brLattice* lattice, const brContext* context, const brLatticeDef* def, brReport* report);
void brLattice_Free(brLattice* lattice);

static inline brDVec3 brLattice_Position(const brLattice* lattice, const brLatticeNode* node)
{
	double half = 0.5 * lattice->cell;
	return (brDVec3){lattice->origin.x + half * node->at[0], lattice->origin.y + half * node->at[1],
					 lattice->origin.z + half * node->at[2]};
}

static inline int64_t brLattice_Corner(const brLattice* lattice, int32_t x, int32_t y, int32_t z)
{
	return x + (int64_t)(lattice->cells[0] + 1) * (y + (int64_t)(lattice->cells[1] + 1) * z);
}

static inline int64_t brLattice_Cell(const brLattice* lattice, int32_t x, int32_t y, int32_t z)
{
	return x + (int64_t)lattice->cells[0] * (y + (int64_t)lattice->cells[1] * z);
}

static inline bool brLattice_IsInside(const brLattice* lattice, const brLatticeNode* node)
{
	const int32_t* at = node->at;
	return (at[0] & 1) != 0
			   ? lattice->insideCenters[brLattice_Cell(lattice, at[0] >> 1, at[1] >> 1, at[2] >> 1)] != 0
			   : lattice->insideCorners[brLattice_Corner(lattice, at[0] >> 1, at[1] >> 1, at[2] >> 1)] != 0;
}

// lattice_sign.c

/// Nodes of a box.
typedef struct brNodeGrid
{
	brDVec3 origin; // of node 0 0 0
	int32_t counts[3];
	double step;
} brNodeGrid;

/// Which nodes are inside. `changes` has room for all nodes and is overwritten. True if a closed surface wraps some
/// node more than once.
bool brNodeGrid_FindInside(const brNodeGrid* grid, const brContext* context, const brSurfaceTree* tree, bool isInverted,
						   int32_t* changes, uint8_t* inside);

/// Fills insideCorners and insideCenters, and clears the ids.
void brLattice_FindInside(brLattice* lattice, const brContext* context, const brSurfaceTree* tree, bool isInverted);

/// Puts the nodes nearer to the surface than `offset` inside too. `near` marks all cells that have such nodes.
void brLattice_Grow(brLattice* lattice, const brContext* context, const brSurfaceTree* tree, double offset,
					const uint8_t* near);
