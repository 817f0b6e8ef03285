// SPDX-License-Identifier: MIT
#pragma once

// One Voronoi cell: a box, cut by one plane after the other.
//
// The cell lives in lattice steps about its own site, doubled: a point x is kept as X = 2 (x - site), so that the plane half
// way to a site at offset k is k . X = k . k, all whole numbers. A corner knows its three planes, turning left seen
// from outside, and the corner at the other end of each of its three edges. Positions are rounded, with a bound for the
// error; where the bound leaves the side of a corner open, 128-bit integers answer.
//
// Ties have no place here: each site carries a weight, larger without measure for lower indices, that moves its planes by
// an infinitesimal amount. So never four planes through a corner; touching cells agree, as all
// questions are about one and the same diagram; and of sites at one place the first has the cell and the others none.

#include "base/array.h"
#include "base/cpu.h"

__extension__ typedef __int128 brInt128;

typedef struct brCellPlane
{
	double x, y, z; // k, pointing outward
	double d;       // k . X <= d
	int32_t site;   // or -1 - side for the sides of the box: -x +x -y +y -z +z
} brCellPlane;

typedef struct brCellCorner
{
	int32_t planes[3]; // turning left seen from outside
	int32_t across[3]; // other end of the edge between planes e and e + 1
} brCellCorner;

typedef struct brVoronoiCell
{
	brAllocator allocator;
	brCpuPath path;
	int32_t site;
	double reachSq;               // no plane of a site farther than its root can cut [steps^2]
	double error;                 // of any coordinate of a corner
	double magnitude;             // largest coordinate of a corner
	BR_ARRAY(brCellPlane) planes; // the first six are the box
	BR_ARRAY(brCellCorner) corners;
	BR_ARRAY(double) points[3];   // X, Y, Z of the corners
	BR_ARRAY(double) distancesSq; // from the site to a corner, doubled as X is, rounded up
	BR_ARRAY(double) errors;      // of each corner
	BR_ARRAY(double) heights;     // scratch: over the plane that cuts
	BR_ARRAY(int32_t) removed;    // scratch: corners beyond the plane
	BR_ARRAY(int32_t) starts;     // scratch: by plane, the new corner whose edge starts there
} brVoronoiCell;

void brVoronoiCell_Init(brVoronoiCell* cell, const brAllocator* allocator);
void brVoronoiCell_Free(brVoronoiCell* cell);

/// The whole box, for the site at `place` in it. False without memory.
bool brVoronoiCell_Start(brVoronoiCell* cell, int32_t site, const int32_t place[3], const int32_t size[3]);

/// Cuts by the plane half way to another site at offset k. A site at the same place with a lower index leaves no corner.
/// False without memory.
bool brVoronoiCell_Cut(brVoronoiCell* cell, int32_t site, const int32_t k[3]);

/// In cubic steps. Uses the scratch of the cell; false without memory.
bool brVoronoiCell_Volume(brVoronoiCell* cell, double* outVolume);

/// The corner where three planes meet, exactly: X = outPoint / outDenominator.
void brCellCorner_Exact(const brCellPlane* a, const brCellPlane* b, const brCellPlane* c, brInt128 outPoint[3],
						brInt128* outDenominator);
