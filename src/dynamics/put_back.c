// SPDX-License-Identifier: MIT

// A half-space has no far side, so nothing may end a step in it.
//
// Contact points hold for a step, and what turns by a radian in it dips into the ground where it had no points. Such a body is shifted back out
// along the plane's normal, as far as it was in at the start. It keeps its way of moving, so the next step finds its points where they are by
// then and stops it there. What the shift lifts it by it pays out of its motion. What is wholly behind the plane, however it came there, comes out
// at once.

#include "dynamics/solver.h"
#include "dynamics/tuning.h"

// How far the lowest point of a body is above the plane.
static float putBackLowest(const brDynamics* dynamics, const brBody* ground, const brBody* body, brDVec3 up)
{
	const brShape* shape = dynamics->shapes.data[body->shape].shape;
	float lowest = brShape_Lowest(shape, brToVec3(brQuat_InvRotate(body->rotation, up)));
	return (float)brDDot(up, brDSub(body->position, ground->position)) + lowest;
}

// How far its highest point is above the plane.
static float putBackHighest(const brDynamics* dynamics, const brBody* ground, const brBody* body, brDVec3 up)
{
	const brShape* shape = dynamics->shapes.data[body->shape].shape;
	float highest = -brShape_Lowest(shape, brToVec3(brQuat_InvRotate(body->rotation, brDNeg(up))));
	return (float)brDDot(up, brDSub(body->position, ground->position)) + highest;
}

// How far points of it went in this step, at most, those that were set aside by others too.
static float putBackMoved(const brDynamics* dynamics, const brBodyFrame* frame)
{
	float moved = brLength(frame->moved);
	if (frame->state < 0)
	{
		return fmaxf(frame->speed, moved);
	}
	const brSolverState* state = (const brSolverState*)dynamics->states.data + frame->state;
	brVec3 turned = brSolver_Turned(state, (const brSolverBody*)dynamics->stateBodies.data + frame->state);
	return moved + frame->radius * brLength(turned);
}

static void putBackShift(const brDynamics* dynamics, int32_t index, brDVec3 up, float height)
{
	brBody* body = &dynamics->bodies.data[index];
	brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	brDVec3 shift = brDMul((double)height, up);
	body->position = brDAdd(body->position, shift);
	frame->moved = brAdd(frame->moved, brToVec3(shift));
	brBody_PayLift(body, dynamics->def.gravity, up, shift);
}

void brDynamics_PutBack(brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		// Half-spaces have no radius. Few pairs are with one, and frames are in the cache.
		uint64_t key = dynamics->pairs.data[i].key;
		if (frames[key >> 32].radius > 0.0f && frames[key & 0xFFFFFFFFu].radius > 0.0f)
		{
			continue;
		}
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		const brBody* ground = &dynamics->bodies.data[contact->bodyA];
		const brBody* body = &dynamics->bodies.data[contact->bodyB];
		bool isMeant = dynamics->shapes.data[ground->shape].shape->kind == br_shapeHalfSpace &&
					   body->kind == br_bodyDynamic && brBody_IsMoving(body);
		if (!isMeant || brBody_IsSensed(ground, body) || brDynamics_IsLeftOut(dynamics, contact->bodyB))
		{
			continue;
		}
		const brBodyFrame* frame = &frames[contact->bodyB];
		brDVec3 up = brQuat_Rotate(ground->rotation, brMakeDVec3(0.0, 0.0, 1.0));
		float slack = (float)BR_PUT_BACK * frame->thickness;
		if (putBackHighest(dynamics, ground, body, up) < 0.0f)
		{
			float depth = putBackLowest(dynamics, ground, body, up);
			putBackShift(dynamics, contact->bodyB, up, slack - depth);
			continue;
		}
		// What hardly moved is held where it is.
		if (putBackMoved(dynamics, frame) < (float)BR_PUT_BACK_MOVED * frame->thickness)
		{
			continue;
		}
		// What had no points yet goes back to just above the plane: the next step meets it there. In the plane already, it
		// would be neither met nor held, and hang there for ever.
		float start = contact->manifoldCount > 0 ? fminf(brContact_Deepest(dynamics, contact), -slack) : slack;
		float excess = start - putBackLowest(dynamics, ground, body, up);
		if (excess > 0.0f)
		{
			putBackShift(dynamics, contact->bodyB, up, excess);
		}
	}
}
