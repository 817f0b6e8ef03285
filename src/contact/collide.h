// SPDX-License-Identifier: MIT
#pragma once

// Where two shapes touch or soon may: one normal and up to four points.
//
// Everything is in the axes of shape A and in float: B comes by its pose relative to A, which the caller found in double, so
// precision does not depend on the place in the world. Separations are negative inside. A point is reported when its
// separation is below the margin. Ids name the features that made a point and stay the same while these do.

#include "contact/shape.h"

#define BR_MANIFOLD_POINTS 4

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

/// `a->kind <= b->kind`. `axis` keeps the separating feature of two polytopes from call to call; start from 0. `kept` is the
/// normal by which they touched in the last step, or null: deep inside each other they part along it.
void brCollideShapes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin, uint32_t* axis,
					 const brVec3* kept, brTouch* outTouch);

/// Two boxes or hulls, in any order.
void brCollidePolytopes(const brShape* a, const brShape* b, const brRelativePose* pose, float margin, uint32_t* axis,
						const brVec3* kept, brTouch* outTouch);

/// A point with its separation before the choice of four.
typedef struct brTouchPoint
{
	brVec3 point;
	float separation;
	uint32_t id;
} brTouchPoint;

/// Picks at most four points that hold as much as all: the deepest, then those that span most.
void brReduceTouch(brTouchPoint* points, int32_t count, brVec3 normal, brTouch* outTouch);
