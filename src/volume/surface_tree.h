// SPDX-License-Identifier: MIT
#pragma once

// The triangles of a surface in a tree of boxes (index/box_tree.h), for questions about points and lines.
//
// Moments of the eight lanes of a group lie side by side as boxes do; a lane is always a child, never part of a sum, so
// vector width cannot change a bit. The tree works in coordinates about the middle of the surface, scaled by a power of
// two to at most 1; boxes are float and a little too large.

#include "base/memory.h"
#include "brittle/volume.h"
#include "index/box_tree.h"
#include "narrow/triangle_soup.h"

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
	brBoxTree boxes;       // of triangles by place
	brTreeBoxes* boxBlock; // where they are
	brTreeMoments*
		moments[BR_TREE_LEVELS]; // level k as boxes have it; one block, level 0 first. Null if none were asked for
	brDVec3 (*corners)[3];       // [triangleCount] by place, as given
	int32_t* order;              // [triangleCount] triangle of each place
	int32_t* faces;              // [triangleCount] face of each triangle; null as moments
	brDVec3 center;
	double scale;   // a power of two
	double reach;   // largest coordinate about the center, as given [m]
	double volume;  // 0 unless closed, and as moments
	double leaning; // sum of the volumes under the triangles about the center: its sign tells inside out even if open
	bool isClosed;
	bool hasAvx2; // which copy of the queries to run; both give the same bits
};

static inline brDVec3 brSurfaceTree_ToLocal(const brSurfaceTree* tree, brDVec3 p)
{
	return brDMul(tree->scale, brDSub(p, tree->center));
}

/// Whether the floats of the queries hold for a point: false if it is not finite or too many sizes of the surface away.
bool brSurfaceTree_IsNear(const brSurfaceTree* tree, brDVec3 point);

/// The tree over the triangles of a soup, which may go then. Without `hasMoments` it answers for nearest points and
/// lines, knows nothing of inside and faces, and is made in half the time. Null without memory.
brSurfaceTree* brMakeSurfaceTree(const brAllocator* allocator, const brTriangleSoup* soup, bool hasMoments);

/// Calls `visit` with the place of each triangle that may be nearer to a point than a limit, near ones first; limits
/// are squared. Nothing is near a point that is no number or 1e15 sizes away.
void brSurfaceTree_VisitNear(const brSurfaceTree* tree, brDVec3 point, double limitSq, brLimitFcn* visit, void* user);

/// Calls `visit` with the place of each triangle that the segment may meet before a limit, which begins at 1: the whole
/// of it.
void brSurfaceTree_VisitSegment(const brSurfaceTree* tree, brDVec3 start, brDVec3 end, brLimitFcn* visit, void* user);

/// As much of a ray as can meet the surface, at most `reach`.
double brSurfaceTree_RayReach(const brSurfaceTree* tree, brDVec3 origin, double reach);

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

/// The sum of angles, each as a direction (x, y), as the direction of their product and how often that went around: one
/// arc tangent for all.
typedef struct brAngleSum
{
	double x, y;
	int32_t turns;
} brAngleSum;

static inline brAngleSum brMakeAngleSum(void)
{
	return (brAngleSum){1.0, 0.0, 0};
}

/// Brings a direction to a size whose squares are far from both ends of the range; one without size is that of the
/// angle 0.
void brAngleSum_Scale(double* x, double* y);

/// Adds half of the solid angle of a triangle.
static inline void brAngleSum_AddTriangle(brAngleSum* sum, const brDVec3* corners, brDVec3 point)
{
	brDVec3 a = brDSub(corners[0], point), b = brDSub(corners[1], point), c = brDSub(corners[2], point);
	double la = brDLength(a), lb = brDLength(b), lc = brDLength(c);
	double y = brDDot(a, brDCross(b, c));
	double x = la * lb * lc + brDDot(a, b) * lc + brDDot(b, c) * la + brDDot(c, a) * lb;
	double size = fabs(x) + fabs(y);
	if (!(size > 0x1p-200 && size < 0x1p200))
	{
		brAngleSum_Scale(&x, &y);
	}
	double productX = sum->x * x - sum->y * y, productY = sum->x * y + sum->y * x;
	// Angles are over -pi and up to pi; two of them may lead beyond that, where the product is seen from the other side.
	if (sum->y >= 0.0 && y >= 0.0)
	{
		sum->turns += productY < 0.0 || (productY == 0.0 && sum->x < 0.0 && x < 0.0);
	}
	else if (sum->y < 0.0 && y < 0.0)
	{
		sum->turns -= productY > 0.0 || (productY == 0.0 && !(sum->x > 0.0 && x > 0.0));
	}
	sum->x = productX, sum->y = productY;
	size = fabs(productX) + fabs(productY);
	if (!(size > 0x1p-200 && size < 0x1p200))
	{
		brAngleSum_Scale(&sum->x, &sum->y);
	}
}

/// As a part of the sphere.
double brAngleSum_Winding(const brAngleSum* sum);

/// Closest point of a triangle.
brDVec3 brTriangleClosest(const brDVec3* corners, brDVec3 point, brSurfaceFeature* outFeature, int32_t* outIndex);
