// SPDX-License-Identifier: MIT
#pragma once

// One Voronoi cell: a box, cut by one plane after the other.
//
// The cell lives in lattice steps about its own site, doubled: a point x is kept as X = 2 (x - site), so that the plane
// half way to a site at offset k is k . X = k . k, all whole numbers. A corner knows its three planes, turning left
// seen from outside, and for each of its three edges the corner and edge at the other end. Positions are rounded, with
// a bound for the error; where the bound leaves the side of a corner open, 128-bit integers answer.
//
// Ties have no place here: each site carries a weight, larger without measure for lower indices, that moves its planes
// by an infinitesimal amount. So never four planes through a corner; touching cells agree, as all questions are about
// one and the same diagram; and of sites at one place the first has the cell and the others none.
//
// What is asked of all corners, all new corners or many sites at once is done in lanes (voronoi_lanes.h), with the same
// bits for any width.

#include "base/array.h"
#include "base/cpu.h"
#include "base/wide_int.h"

#define BR_CELL_LANES 8

typedef struct brCellPlane
{
	_Alignas(32) double x; // k, pointing outward
	double y, z;
	double d; // k . X <= d
} brCellPlane;

// Sites that may cut, in any order; `order` says in which they are tried.
typedef struct brCellCandidates
{
	int32_t count;
	int32_t capacity;   // whole lanes, at least one group of lanes more than count
	double *x, *y, *z;  // offset k from the site of the cell
	double* distanceSq; // k . k
	int32_t* indices;   // of the site, as brCellSites counts
	int32_t* order;
	void* block;
} brCellCandidates;

// Sites in the order of bins, with room for one group of lanes beyond the last.
typedef struct brCellSites
{
	const int32_t *x, *y, *z; // places on the lattice
} brCellSites;

// Eight corners side by side.
typedef struct brCellGroup
{
	double x[BR_CELL_LANES], y[BR_CELL_LANES], z[BR_CELL_LANES];
	double distanceSq[BR_CELL_LANES]; // from the site, doubled as X is, rounded up
} brCellGroup;

// An edge that a plane cuts.
typedef struct brCellCutEdge
{
	int32_t twin;    // half-edge of the corner that stays
	int32_t a, b;    // planes of the other half, in its order
	int32_t padding; // sixteen bytes are written at once
} brCellCutEdge;

typedef struct brVoronoiCell
{
	brAllocator allocator;
	const struct brCellKernels* kernels;
	int32_t site;
	double reachSq;   // no plane of a site farther than its root can cut [steps^2]
	double magnitude; // no coordinate of a corner is larger
	double error;     // of any coordinate of a corner, now or before
	int32_t count;    // corners
	int32_t capacity;
	brCellGroup* points; // [capacity / BR_CELL_LANES]
	int32_t* corners;    // [4 capacity] planes turning left seen from outside; the fourth is padding
	int32_t* twins;      // [4 capacity] half-edge e of corner c is 4 c + e, between planes e and e + 1; its other end
	int32_t* slots;      // [capacity] scratch: corners beyond the plane, then where new ones go
	uint64_t* beyond;    // [capacity / 64] bits: beyond the plane for certain
	uint64_t* unsure;    // [capacity / 64] bits: too near to say
	brCellCutEdge* rim;  // [capacity] scratch: the edges that a plane cuts, filled up to whole groups
	brCellGroup* places; // [capacity / BR_CELL_LANES] scratch: where it cuts them
	void* block;         // of all these
	BR_ARRAY(brCellPlane) planes; // the first six are the box
	BR_ARRAY(int32_t) names;      // of the planes: a site, or -1 - side of the box: -x +x -y +y -z +z
	BR_ARRAY(int32_t) starts;     // scratch: by plane, the new corner whose edge starts there
} brVoronoiCell;

// Inner loops for one set of instructions.
typedef struct brCellKernels
{
	/// The next candidate from place `from` of the order on that is within reach and not certainly clear of the cell,
	/// with `beyond` and `unsure` filled; the count if there is none.
	int32_t (*nextCut)(const brVoronoiCell* cell, const brCellCandidates* candidates, int32_t from);

	/// Places the rim of `count` edges on a plane. Raises the error bound; bits for those of the first 64 edges whose
	/// planes are all but parallel, and all bits if others are.
	uint64_t (*place)(brVoronoiCell* cell, const brCellPlane* plane, int32_t count);

	/// Largest distanceSq of the corners.
	double (*farthest)(const brVoronoiCell* cell);

	/// Appends those of sites begin .. end whose squared distance is at most `farSq`. There is room.
	void (*gather)(brCellCandidates* candidates, const brCellSites* sites, int32_t begin, int32_t end,
				   const int32_t place[3], double farSq);
} brCellKernels;

/// Those of the widest registers that a path has; all give the same bits.
const brCellKernels* brGetCellKernels(brCpuPath path);

void brVoronoiCell_Init(brVoronoiCell* cell, const brAllocator* allocator, brCpuPath path);
void brVoronoiCell_Free(brVoronoiCell* cell);

/// The whole box, for the site at `place` in it. False without memory.
bool brVoronoiCell_Start(brVoronoiCell* cell, int32_t site, const int32_t place[3], const int32_t size[3]);

/// Cuts by the planes half way to all candidates, in their order. A site at the same place with a lower name leaves no
/// corner. False without memory.
bool brVoronoiCell_Cut(brVoronoiCell* cell, const brCellCandidates* candidates, const int32_t* names);

/// In cubic steps.
double brVoronoiCell_Volume(const brVoronoiCell* cell);

/// Makes room for `extra` more. False without memory.
bool brCellCandidates_Reserve(brCellCandidates* candidates, const brAllocator* allocator, int32_t extra);
void brCellCandidates_Free(brCellCandidates* candidates, const brAllocator* allocator);

/// Nearest first, roughly: the cell then soon has its final reach. The order changes nothing but the time.
void brCellCandidates_Sort(brCellCandidates* candidates);

/// The corner where three planes meet, exactly: X = outPoint / outDenominator.
void brCellCorner_Exact(const brCellPlane* a, const brCellPlane* b, const brCellPlane* c, brInt128 outPoint[3],
						brInt128* outDenominator);
