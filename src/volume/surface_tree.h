// SPDX-License-Identifier: MIT
#pragma once

// The triangles of a surface in an implicit tree of arity eight, for questions about points.
//
// The order of the triangles makes every aligned run of places compact (index/compact_order.h). Level 0 holds the triangles, eight to a group; lane j
// of group g on level k > 0 stands for group 8 g + j of level k - 1. Boxes and moments of the eight lanes lie side by
// side, so that one question is asked of eight children at once; a lane is always a child, never part of a sum, so
// vector width cannot change a bit.
//
// The tree works in coordinates about the middle of the surface, scaled by a power of two to at most 1; boxes are float
// and a little too large.

#include "base/lanes.h"
#include "base/memory.h"
#include "brittle/volume.h"

#define BR_TREE_ARITY 8
#define BR_TREE_LEVELS 11

typedef struct brTreeBoxes
{
	brFloat8 lower[3], upper[3];
} brTreeBoxes;

// Sum of area vectors about the area centroid, and the symmetric part of sum (c - center) x area vector.
typedef struct brTreeMoments
{
	brFloat8 center[3];
	brFloat8 reachSq; // farther away than this the moments may be used
	brFloat8 normal[3];
	brFloat8 trace;
	brFloat8 second[6]; // xx yy zz xy xz yz
} brTreeMoments;

struct brSurfaceTree
{
	brAllocator allocator;
	int32_t triangleCount;
	int32_t levelCount;
	int32_t groupCounts[BR_TREE_LEVELS];
	int32_t groupTotal;
	brTreeBoxes* boxes[BR_TREE_LEVELS];     // level k; one block, level 0 first
	brTreeMoments* moments[BR_TREE_LEVELS]; // the same
	brDVec3 (*corners)[3];                  // [triangleCount] by place, as given
	int32_t* order;                         // [triangleCount] triangle of each place
	int32_t* faces;                         // [triangleCount] face of each triangle
	brDVec3 center;
	double scale;   // a power of two
	double reach;   // largest coordinate about the center, as given [m]
	double volume;  // 0 unless closed
	double leaning; // sum of the volumes under the triangles about the center: its sign tells inside out even if open
	bool isClosed;
	bool hasAvx2; // which copy of the queries to run; both give the same bits
};

static inline brDVec3 brSurfaceTree_ToLocal(const brSurfaceTree* tree, brDVec3 p)
{
	return brDMul(tree->scale, brDSub(p, tree->center));
}

/// Whether the surface touches a positive tet, up to rounding.
bool brSurfaceTree_TouchesTet(const brSurfaceTree* tree, const brDVec3* corners);

/// Signed crossings of one segment.
typedef struct brSegmentHit
{
	double t;     // from start to end, 0 to 1
	int32_t sign; // +1: leaves through the front, going outward
	int32_t triangle;
} brSegmentHit;

/// Meetings of a segment with the surface in order of t, at most `capacity`; returns how many there were.
int32_t brSurfaceTree_Segment(const brSurfaceTree* tree, brDVec3 start, brDVec3 end, brSegmentHit* outHits,
							  int32_t capacity);

/// Closest point if it is nearer than `limit`; triangle -1 if there is none.
brClosestPoint brSurfaceTree_ClosestWithin(const brSurfaceTree* tree, brDVec3 point, double limit);

double brSurfaceTree_WindingAt(const brSurfaceTree* tree, brDVec3 point);
int32_t brSurfaceTree_CrossingsAt(const brSurfaceTree* tree, brDVec3 point);

/// The crossing of the line along +x through (y, z) with a triangle: +1 if the line leaves the solid there, -1 if it
/// enters, 0 if they miss each other. Exact; a line through an edge or corner crosses as if it were moved by (e, e^2).
int32_t brLineCrossing(const brDVec3* corners, double y, double z);

/// Exact solid angle of a triangle over that of the sphere.
double brTriangleWinding(const brDVec3* corners, brDVec3 point);

/// Closest point of a triangle.
brDVec3 brTriangleClosest(const brDVec3* corners, brDVec3 point, brSurfaceFeature* outFeature, int32_t* outIndex);
