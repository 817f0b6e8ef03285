// SPDX-License-Identifier: MIT
#pragma once

// Where two shapes touch or soon may: manifolds, each of one normal and up to four points. Two convex shapes have one
// at most (a hull on a half-space two of the same normal), a concave one may touch another in several places at once.
//
// Everything is in the axes of shape A and in float: B comes by its pose relative to A, which the caller found in
// double, so precision does not depend on the place in the world. Separations are negative inside. A point is reported
// when its separation is below the margin. Ids name the features that made a point and stay the same while these do.

#include "contact/shape.h"

#define BR_MANIFOLD_POINTS 4 // of one manifold
#define BR_PAIR_MANIFOLDS 4  // of two shapes

/// B's axes and origin in A's.
typedef struct brRelativePose
{
	brVec3 x, y, z;
	brVec3 p;
} brRelativePose;

static inline brVec3 brRelativePose_Rotate(const brRelativePose* pose, brVec3 a)
{
	return (brVec3){pose->x.x * a.x + pose->y.x * a.y + pose->z.x * a.z,
					pose->x.y * a.x + pose->y.y * a.y + pose->z.y * a.z,
					pose->x.z * a.x + pose->y.z * a.y + pose->z.z * a.z};
}

static inline brVec3 brRelativePose_InvRotate(const brRelativePose* pose, brVec3 a)
{
	return (brVec3){brDot(pose->x, a), brDot(pose->y, a), brDot(pose->z, a)};
}

static inline brVec3 brRelativePose_Point(const brRelativePose* pose, brVec3 a)
{
	return brAdd(brRelativePose_Rotate(pose, a), pose->p);
}

typedef struct brTouch
{
	brVec3 normal; // from A to B
	int32_t count;
	brVec3 points[BR_MANIFOLD_POINTS]; // halfway between the surfaces
	float separations[BR_MANIFOLD_POINTS];
	uint32_t ids[BR_MANIFOLD_POINTS];
	float apart; // without points: a lower bound of the distance, if it is known to be over the margin
} brTouch;

/// What a pair of shapes remembers from call to call. Start from zeros; what the words mean is the affair of the kinds.
typedef struct brPairMemory
{
	uint32_t axis;  // two polytopes: the feature that parted them best
	bool isRolling; // set by the caller: curved parts of meshes are taken as curved, not by their facets
	bool isSliding; // set by the caller: one slides over the other, so that places of that beside it do not hold it yet
	int16_t direction[3]; // kept by the caller: across a plane that was between the two, in the world; 0: none
} brPairMemory;

/// How two shapes touched in the last step, in the axes A had then.
typedef struct brKeptTouch
{
	brVec3 normal;
	int32_t count;
	float separations[BR_MANIFOLD_POINTS]; // when the points were made
	uint32_t ids[BR_MANIFOLD_POINTS];
} brKeptTouch;

typedef struct brKeptTouches
{
	int32_t count;
	brKeptTouch touches[BR_PAIR_MANIFOLDS];
} brKeptTouches;

/// The question where two bodies touch, as it goes to a device.
typedef struct brTouchQuery
{
	uint64_t shapes[2]; // which they are, or where they begin
	brRelativePose pose;
	float margin;
	uint8_t isRolling, isSliding; // as of brPairMemory
	uint16_t unused;
	int32_t isKept; // or they did not touch
	brKeptTouches kept;
} brTouchQuery;

typedef struct brTouchAnswer
{
	int32_t count;
	brTouch touches[BR_PAIR_MANIFOLDS];
} brTouchAnswer;

#ifndef __OPENCL_VERSION__

/// Manifolds of two shapes, `a->kind <= b->kind`, into `outTouches[BR_PAIR_MANIFOLDS]`. Returns how many there are,
/// each with a point at least; without any, `outTouches[0].apart` is set. `kept` may be null: they did not touch. Deep
/// inside each other convex shapes part along the normal they had.
int32_t brCollideShapes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin,
						brPairMemory* memory, const brKeptTouches* kept, brTouch* outTouches);

/// Lowest value of `direction` . x over a shape that has an end, in its axes.
float brShape_Lowest(const brShape* shape, brVec3 direction);

/// Two boxes or hulls, in any order.
void brCollidePolytopes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin, uint32_t* axis,
						const brKeptTouch* kept, brTouch* outTouch);

/// A point with its separation before the choice of four.
typedef struct brTouchPoint
{
	brVec3 point;
	float separation;
	uint32_t id;
} brTouchPoint;

/// Advantage of what was chosen in the last step, as a part of the smaller thickness.
#define BR_TOUCH_BIAS 0.005f

/// The most points to choose from: corners of a hull, or of a face clipped by another.
#define BR_MAX_TOUCH_POINTS 128

/// Picks at most four points that hold as much as all: those that span most, and the deepest. Points of the last step
/// (`kept`, may be null) stay until others are better by a sixth, or deeper by `bias`: where five points could hold, a
/// body that rests on four of them would else tip from one choice to the other and back for ever.
void brReduceTouch(brTouchPoint* points, int32_t count, brVec3 normal, const brKeptTouch* kept, float bias,
				   float margin, brTouch* outTouch);

/// As brTouch_FindCorner of two polytopes, by what parted them.
int32_t brPolytope_FindCorner(uint32_t axis, uint32_t id);

/// Which of the two kinds of shape has the corner that a point is, while it goes along on a face of the other: 0 or 1,
/// or -1 if it is where edges cross or nobody knows. What is round has them all, balls before capsules.
int32_t brTouch_FindCorner(const brShapeKind kinds[2], const brPairMemory* memory, uint32_t id);

#endif
