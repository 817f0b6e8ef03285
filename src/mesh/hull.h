// SPDX-License-Identifier: MIT
#pragma once

// Convex hulls before they become meshes or shapes. They are small and lie on the stack: making one asks for no memory.

#include "base/report.h"
#include "brittle/shape.h"

// Triangles of a hull with so many corners, and two more before it is found to have too many.
#define BR_HULL_TRIANGLES (2 * BR_HULL_MAX_VERTICES + 2)
#define BR_HULL_CORNERS (BR_HULL_TRIANGLES / 2 + 2) // by Euler's formula

/// Planar polygons, counter-clockwise seen from outside.
typedef struct brHull
{
	int32_t vertexCount, faceCount, cornerCount;
	int32_t vertices[BR_HULL_CORNERS];         // points, rising
	int32_t faceStarts[BR_HULL_TRIANGLES + 1]; //
	int32_t corners[3 * BR_HULL_TRIANGLES];    // by number in `vertices`
} brHull;

/// The hull of points. Exact about which points are corners; corners and faces nearer than `tolerance` to the plane of
/// a neighbor are joined into one polygon. Refuses flat ones and those of more than BR_HULL_MAX_VERTICES corners.
brResult brBuildHull(const brDVec3* points, int32_t pointCount, double tolerance, brHull* outHull, brReport* report);

/// Points whose hull stands for that of many: see brFitHull.
typedef struct brHullFit
{
	double tolerance;  // how far points that are left out may lie outside
	int32_t most;      // corners, up to BR_HULL_MAX_VERTICES / 2, so that faces stay within their limit too
	double mostVolume; // a hull that is larger is of no use, and is not finished; 0: of any size
	int32_t count;     // out: corners
	double error;      // out: the distance of the farthest point outside, or a little more
	bool isTooLarge;   // out: nothing else is known then
	brDVec3 corners[BR_HULL_MAX_VERTICES];
} brHullFit;

/// The farthest points one after the other, until none is left outside by more than the tolerance or there are enough.
/// Needs memory for a while. Refuses points in one plane.
brResult brFitHull(const brAllocator* allocator, const brDVec3* points, int32_t pointCount, brHullFit* fit,
				   brReport* report);

/// As a mesh.
brResult brHull_ToMesh(const brHull* hull, const brContext* context, const brDVec3* points, brMesh** outMesh,
					   brReport* report);

/// Convex hull of points as a closed mesh of planar polygons, outward. Exact about which points are corners; corners and
/// faces nearer than `tolerance` to the plane of a neighbor are joined into one polygon.
brResult brMakeHull(const brContext* context, const brDVec3* points, int32_t pointCount, double tolerance,
					brMesh** outHull, brReport* report);
