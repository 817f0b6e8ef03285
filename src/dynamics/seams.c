// SPDX-License-Identifier: MIT

// Seams between still bodies that lie side by side.
//
// A floor of tiles is one plane, but each tile is met alone: the side of the next one would stop what slides there, and
// its edge would lift what rolls. Where a body touches one still body, another one that lies wholly behind the plane of
// that touch can be met at the height of the plane along the same normal only. Its points there with other normals take
// no part in the step; as soon as the body is above it, it has true ones. A step that is higher than the slack is none
// of this: it sticks out of the plane.

#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include <math.h>
#include <string.h>

#define SEAM_SAME 0.9998   // cosine: normals that differ by less than a degree are the same
#define SEAM_FLAT 0.999999 // cosine: a touch that is off the side of a box by more is one with its edge

// A manifold between a body that moves and one that stands still.
typedef struct SeamTouch
{
	int32_t still, moving;
	brDVec3 normal; // out of the still body
	double highest; // of its points on the still body, along a direction
	double lowest;  // of its points on the body that moves
	double depth;
} SeamTouch;

static bool seamIsStill(const brBody* body)
{
	return body->kind == br_bodyStatic;
}

static brDVec3 seamRotate(const brBodyFrame* frame, brVec3 a)
{
	return brToDVec3(brAdd(brAdd(brMul(a.x, frame->x), brMul(a.y, frame->y)), brMul(a.z, frame->z)));
}

// Bodies and normal of a manifold; false if none or both of the two stand still.
static bool seamRead(const brDynamics* dynamics, int32_t manifold, SeamTouch* out)
{
	const brContact* contact = brDynamics_ContactOf(dynamics, manifold);
	bool isA = seamIsStill(&dynamics->bodies.data[contact->bodyA]);
	if (isA == seamIsStill(&dynamics->bodies.data[contact->bodyB]))
	{
		return false;
	}
	brDVec3 n =
		seamRotate(&brDynamics_Frames(dynamics)[contact->bodyA], brDynamics_Manifold(dynamics, manifold)->normal);
	out->still = isA ? contact->bodyA : contact->bodyB;
	out->moving = isA ? contact->bodyB : contact->bodyA;
	out->normal = isA ? n : brDNeg(n);
	return true;
}

// Where the points of a manifold lie along a direction in the world: those on the still body, and those on the one that
// moves. What is met ahead has its points where it will touch; a body that lies on a floor is thought to fall until
// then.
static void seamMeasure(const brDynamics* dynamics, int32_t manifold, brDVec3 along, double fall, SeamTouch* touch)
{
	const brManifold* what = brDynamics_Manifold(dynamics, manifold);
	const brContact* contact = brDynamics_ContactOf(dynamics, manifold);
	bool isA = contact->bodyA == touch->still;
	double slope = brDDot(along, touch->normal);
	touch->lowest = INFINITY, touch->highest = -INFINITY, touch->depth = 0.0;
	for (int32_t k = 0; k < what->pointCount; ++k)
	{
		const brContactPoint* point = &what->points[k];
		brDVec3 place = seamRotate(&brDynamics_Frames(dynamics)[touch->still], isA ? point->anchorA : point->anchorB);
		double at = brDDot(along, brDAdd(dynamics->bodies.data[touch->still].position, place));
		double half = contact->isMet ? 0.0 : 0.5 * slope * (double)point->separation;
		touch->lowest = fmin(touch->lowest, at + half + (contact->isMet ? fall : 0.0));
		touch->highest = fmax(touch->highest, at - half);
		touch->depth = fmax(touch->depth, -(double)point->separation);
	}
}

// How far a body reaches along a direction, by its box.
static double seamReach(const brDynamics* dynamics, int32_t body, brDVec3 along)
{
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[body];
	const brShape* shape = dynamics->shapes.data[dynamics->bodies.data[body].shape].shape;
	double middle = brDDot(along, brDAdd(dynamics->bodies.data[body].position, seamRotate(frame, shape->boxCenter)));
	return middle + (double)shape->half.x * fabs(brDDot(along, brToDVec3(frame->x))) +
		   (double)shape->half.y * fabs(brDDot(along, brToDVec3(frame->y))) +
		   (double)shape->half.z * fabs(brDDot(along, brToDVec3(frame->z)));
}

// The side of a still body's box that is touched. False if it is an edge of it.
static bool seamSide(const brBodyFrame* frame, brDVec3 normal, double cosine, brDVec3* outSide)
{
	const brVec3 axes[3] = {frame->x, frame->y, frame->z};
	for (int k = 0; k < 3; ++k)
	{
		brDVec3 axis = brToDVec3(axes[k]);
		double part = brDDot(axis, normal);
		if (fabs(part) > cosine)
		{
			*outSide = part > 0.0 ? axis : brDNeg(axis);
			return true;
		}
	}
	return false;
}

// Whether a manifold is made by the edge of a still body that is flush with another one.
static bool seamHides(const brDynamics* dynamics, int32_t floor, int32_t edge, double fall)
{
	SeamTouch on, at;
	brDVec3 up, own;
	bool isEdge = seamRead(dynamics, floor, &on) && seamRead(dynamics, edge, &at) &&
				  brDynamics_Frames(dynamics)[at.still].shapeKind != br_shapeHalfSpace &&
				  seamSide(&brDynamics_Frames(dynamics)[on.still], on.normal, SEAM_SAME, &up) &&
				  (brDDot(up, at.normal) < SEAM_SAME ||
				   (brDDot(up, on.normal) > SEAM_FLAT &&
					!seamSide(&brDynamics_Frames(dynamics)[at.still], at.normal, SEAM_FLAT, &own)));
	if (!isEdge)
	{
		return false;
	}
	seamMeasure(dynamics, floor, up, 0.0, &on);
	seamMeasure(dynamics, edge, up, fall, &at);
	double thickness = (double)brDynamics_Frames(dynamics)[on.moving].thickness;
	// As deep as it lies in the floor it seems to meet the side; what is deeper was thrown in, and steps are steps.
	double slack = BR_SEAM_SLACK * thickness + fmin(on.depth, BR_CONTACT_MARGIN * thickness);
	double plane = fmin(on.highest, seamReach(dynamics, on.still, up));
	return at.lowest > plane - slack && seamReach(dynamics, at.still, up) < plane + slack;
}

// What a manifold that takes no part in the step must not hand on.
static void seamForget(brManifold* manifold)
{
	manifold->friction = manifold->rolling = brMakeVec3(0.0f, 0.0f, 0.0f);
	manifold->twist = manifold->approach = 0.0f;
	for (int32_t k = 0; k < manifold->pointCount; ++k)
	{
		manifold->points[k].impulse = manifold->points[k].total = 0.0f;
	}
}

int32_t brDynamics_DropSeams(brDynamics* dynamics, int32_t* active, int32_t count, double dt)
{
	double fall = dt * dt * brDLength(dynamics->def.gravity);
	// Chains of the manifolds with still bodies, by the body that moves.
	int32_t *heads = dynamics->seams.data, *next = heads + dynamics->bodies.count;
	uint8_t* isSeam = (uint8_t*)(next + count);
	memset(heads, 0xff, sizeof(int32_t) * (size_t)dynamics->bodies.count);
	for (int32_t i = 0; i < count; ++i)
	{
		SeamTouch touch;
		isSeam[i] = 0;
		if (seamRead(dynamics, active[i], &touch))
		{
			next[i] = heads[touch.moving];
			heads[touch.moving] = i;
		}
	}
	for (int32_t body = 0; body < dynamics->bodies.count; ++body)
	{
		for (int32_t i = heads[body]; i >= 0; i = next[i])
		{
			for (int32_t k = heads[body]; k >= 0 && !isSeam[i]; k = next[k])
			{
				isSeam[i] = k != i && !isSeam[k] && seamHides(dynamics, active[k], active[i], fall);
			}
		}
	}
	int32_t kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		if (isSeam[i])
		{
			seamForget(brDynamics_Manifold(dynamics, active[i]));
		}
		active[kept] = active[i];
		kept += !isSeam[i];
	}
	return kept;
}
