// SPDX-License-Identifier: MIT
#pragma once

// Points that remember what made them, and the exact questions asked about them.
//
// A point is a vertex of the input, or the meeting of an edge and a plane, of two edges in a plane, or of three planes.
// It carries the nearest doubles of its exact place, so an order that these doubles show is the true order; only ties
// and near ties go back to the makers. There everything is homogeneous coordinates (x, y, z, w) in exact integers, so
// each question has one short exact form, whatever the points are.

#include "brittle/math.h"
#include "math/exact.h"

typedef enum brCutPointKind
{
	br_cutPointVertex,    // of the input
	br_cutPointLinePlane, // makers: ends of the edge, three vertices of the plane
	br_cutPointLines,     // makers: ends of one edge, ends of the other; axis to look along
	br_cutPointPlanes,    // makers: three triangles
	br_cutPointMean,      // makers: three points, of which it is the mean
} brCutPointKind;

typedef struct brCutPoint
{
	brDVec3 at; // nearest doubles, -0 never; of a mean only near
	int32_t makers[5];
	uint8_t kind;
	uint8_t axis;
} brCutPoint;

/// All points of one cut and the memory to think about them exactly. A worker has its own limbs.
typedef struct brCutSpace
{
	brCutPoint* points;
	const int32_t (*triangles)[3]; // vertices of the planes
	int32_t exponent;              // every input coordinate is an integer times 2^exponent
	uint64_t* limbs;
	int32_t limbCapacity;
	bool isFull; // a question needed more limbs than there are: answers are worthless from then on
	int64_t exactCount;
} brCutSpace;

/// Limbs that any question about coordinates that span `bits` bits needs.
int64_t brCutSpace_LimbsNeeded(int32_t bits);

/// Sets `at` of a point from its makers. A mean is only near, within 8 u of the largest coordinate.
void brCutSpace_Place(brCutSpace* space, brCutPoint* point);

/// Sign of coordinate `axis` of a minus that of b.
int32_t brCutSpace_Compare(brCutSpace* space, int32_t a, int32_t b, int32_t axis);

/// Whether two points are at one place.
bool brCutSpace_Equal(brCutSpace* space, const brCutPoint* a, const brCutPoint* b);

/// +1: a, b, c turn left when seen along `axis` onto the other two (y z, z x, x y).
int32_t brCutSpace_Turn(brCutSpace* space, int32_t a, int32_t b, int32_t c, int32_t axis);

/// Like brCutSpace_Turn for two vertices and any point.
int32_t brCutSpace_TurnOf(brCutSpace* space, brDVec3 a, brDVec3 b, const brCutPoint* c, int32_t axis);

/// Side of a point to the plane of three vertices, as brOrient3d.
int32_t brCutSpace_Side(brCutSpace* space, brDVec3 a, brDVec3 b, brDVec3 c, const brCutPoint* point);

/// The two coordinates left when looking along an axis.
static inline brDVec2 brCutFlatten(brDVec3 p, int32_t axis)
{
	return axis == 0 ? (brDVec2){p.y, p.z} : axis == 1 ? (brDVec2){p.z, p.x} : (brDVec2){p.x, p.y};
}

static inline double brCutCoordinate(const brDVec3* p, int32_t axis)
{
	return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}
