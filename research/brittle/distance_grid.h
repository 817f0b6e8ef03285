// SPDX-License-Identifier: MIT
#pragma once

/// @file distance_grid.h
/// The distance to a surface, sampled on a grid once and then read in constant time. For callers that ask about many
/// points and accept what a grid leaves out; brSurfaceTree_FindClosest is exact, and nothing in brittle needs more.
///
///     brDistanceGrid* grid;
///     brCreateDistanceGrid(NULL, tree, NULL, &grid, NULL);
///     double distance = brDistanceGrid_Sample(grid, point, NULL); // negative inside
///     brDestroyDistanceGrid(grid);
///
/// Experimental, in libbrittle_research.a.

#include "brittle/volume.h"

/// Start from brDefaultDistanceGridDef().
typedef struct brDistanceGridDef
{
	int32_t resolution; ///< Cells along the longest side of the surface's box. 64 by default.
	double spacing;     ///< Edge of a cell instead, if resolution is 0. [m]
	int32_t padding;    ///< Cells around the box. 4 by default.
	bool isSigned;      ///< Positive outside, negative inside. On by default; else all are positive.

	/// Cells this near to the surface have exact values, cells farther away the exact distance to the triangle that the
	/// sweep found nearest, which is at most a small part of a cell too large. 1 by default; a huge number: all are
	/// exact.
	int32_t band;

	/// Second level: each cell that the surface may pass is a brick of this many cells a side, with exact values. 0:
	/// none; at most 16.
	int32_t brick;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brDistanceGridDef;

BR_EXPERIMENTAL brDistanceGridDef brDefaultDistanceGridDef(void);

/// Distances at the nodes of a box, and finer ones along the surface. Constant once made.
typedef struct brDistanceGrid
{
	int32_t counts[3]; ///< Nodes on each axis.
	brDVec3 origin;    ///< Of node 0 0 0. [m]
	double spacing;    ///< [m]
	double slack;      ///< What values off the band may be too large by, at most. [m]
	bool isSigned;
	float* values; ///< [counts product], x fastest. [m]

	int32_t brick; ///< Cells along a brick, or 0.
	int32_t brickCount;
	int32_t* bricks;    ///< [cells] brick of a cell or -1, x fastest; null without bricks.
	float* brickValues; ///< [brickCount * (brick + 1)^3] [m]
	brAllocator allocator;
} brDistanceGrid;

/// Samples the distance to a surface on a grid. `context`, `def` and `report` may be null.
BR_EXPERIMENTAL brResult brCreateDistanceGrid(const brContext* context, const brSurfaceTree* tree,
											  const brDistanceGridDef* def, brDistanceGrid** outGrid, brReport* report);

/// Frees `grid`, which may be null.
BR_EXPERIMENTAL void brDestroyDistanceGrid(brDistanceGrid* grid);

/// Trilinear, from the bricks where there are some; points outside take the nearest point of the box plus the way
/// there. `outGradient` may be null: the slope of the same interpolation. [m]
BR_EXPERIMENTAL double brDistanceGrid_Sample(const brDistanceGrid* grid, brDVec3 point, brDVec3* outGradient);

/// Bounds that the true distance of the point never leaves: distances change by no more than the way between points,
/// and slack and rounding are allowed for. For points inside the box.
BR_EXPERIMENTAL void brDistanceGrid_ComputeBounds(const brDistanceGrid* grid, brDVec3 point, double* outLower,
												  double* outUpper);

/// Writes the nodes, without bricks, as voxels of a legacy VTK file ("structured points"). ParaView and brLoadScalarMap
/// read it. `context` and `report` may be null.
BR_EXPERIMENTAL brResult brSaveDistanceGrid(const brContext* context, const brDistanceGrid* grid, const char* path,
											brReport* report);
