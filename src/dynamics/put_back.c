// SPDX-License-Identifier: MIT

// Nothing may end a step in the ground.
//
// Contact points hold for a step, and a body that turns by a radian in it dips into the ground where it had no points.
// Such a body is shifted back out along the normal, to the depth that it had at the start of the step. It keeps its
// velocity, so the next step finds its points where they are by then and stops it there. The energy of the lift is
// taken from its motion. A body wholly behind a half-space, however it came there, is put out at once.
//
// Other static bodies end somewhere. There the planes of the contact points say whether a body may be inside; if so,
// their contact is found anew.

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

static void putBackOutOfHalfSpace(const brDynamics* dynamics, const brContact* contact)
{
	const brBody* ground = &dynamics->bodies.data[contact->bodyA];
	const brBody* body = &dynamics->bodies.data[contact->bodyB];
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[contact->bodyB];
	brDVec3 up = brQuat_Rotate(ground->rotation, brMakeDVec3(0.0, 0.0, 1.0));
	float slack = (float)BR_PUT_BACK * frame->thickness;
	if (putBackHighest(dynamics, ground, body, up) < 0.0f)
	{
		float depth = putBackLowest(dynamics, ground, body, up);
		putBackShift(dynamics, contact->bodyB, up, slack - depth);
		return;
	}
	// What hardly moved is held where it is.
	if (putBackMoved(dynamics, frame) < (float)BR_PUT_BACK_MOVED * frame->thickness)
	{
		return;
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

// Out of the still body of a manifold, in the world. Normals are in A's axes as these were when the step began.
static brDVec3 putBackUp(const brDynamics* dynamics, const brContact* contact, bool isStillB, brVec3 normal)
{
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[contact->bodyA];
	brVec3 n = brMulAdd(brMulAdd(brMul(normal.x, frame->x), normal.y, frame->y), normal.z, frame->z);
	return brToDVec3(isStillB ? brMul(-1.0f, n) : n);
}

// Whether a body reaches farther than it did through the plane of one of its contacts with something still.
static bool putBackMayBeIn(const brDynamics* dynamics, const brContact* contact, bool isStillB, float start)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	const brBody *ground = isStillB ? b : a, *body = isStillB ? a : b;
	for (int32_t i = 0; i < contact->manifoldCount; ++i)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, i);
		brDVec3 up = putBackUp(dynamics, contact, isStillB, manifold->normal);
		float lowest = putBackLowest(dynamics, ground, body, up);
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			const brContactPoint* point = &manifold->points[k];
			brDVec3 place = brQuat_Rotate(ground->rotation, brToDVec3(isStillB ? point->anchorB : point->anchorA));
			float height = (float)brDDot(up, place) - 0.5f * (point->separation + contact->rest);
			if (lowest - height < start)
			{
				return true;
			}
		}
	}
	return false;
}

static void putBackOutOfFloor(const brDynamics* dynamics, const brContact* contact, bool isStillB)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	int32_t mover = isStillB ? contact->bodyA : contact->bodyB;
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[mover];
	bool isRolling = frame->isRolling && contact->memory.isRolling;
	float thickness = frame->thickness;
	float slack = (float)(isRolling ? BR_PUT_BACK_ROLLING : BR_PUT_BACK) * thickness;
	// What was met ahead was not in it when the step began.
	float start = contact->isMet ? -slack : fminf(brContact_Deepest(dynamics, contact) + contact->rest, -slack);
	float moved = putBackMoved(dynamics, frame);
	if (moved < (float)BR_PUT_BACK_MOVED * thickness || !putBackMayBeIn(dynamics, contact, isStillB, start))
	{
		return;
	}
	brQuat turn = brQuat_Mul(brQuat_Conjugate(a->rotation), b->rotation);
	brRelativePose pose = brMakeRelativePose(a, b, turn);
	brPairMemory memory = contact->memory;
	brTouch touches[BR_PAIR_MANIFOLDS];
	// No deeper than it went: an open surface has no inside.
	int32_t count = brCollideShapes(dynamics->shapes.data[a->shape].shape, dynamics->shapes.data[b->shape].shape, &pose,
									moved, &memory, NULL, touches);
	float excess = 0.0f;
	brVec3 normal = {0.0f, 0.0f, 0.0f};
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t k = 0; k < touches[i].count; ++k)
		{
			float in = start - touches[i].separations[k];
			normal = in > excess ? touches[i].normal : normal;
			excess = fmaxf(excess, in);
		}
	}
	brDVec3 up = brQuat_Rotate(a->rotation, brToDVec3(isStillB ? brMul(-1.0f, normal) : normal));
	// Only the way its contacts push: a thin floor has another side.
	bool isBack = false;
	for (int32_t i = 0; i < contact->manifoldCount; ++i)
	{
		brVec3 own = brContact_Manifold(dynamics, contact, i)->normal;
		isBack = isBack || brDDot(putBackUp(dynamics, contact, isStillB, own), up) > BR_PUT_BACK_COSINE;
	}
	if (excess > 0.0f && isBack)
	{
		putBackShift(dynamics, mover, up, excess);
	}
}

void brDynamics_PutBack(brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		// What stands still has no state in the solver. Frames are in the cache.
		uint64_t key = dynamics->pairs.data[i].key;
		if ((frames[key >> 32].state < 0) == (frames[key & 0xFFFFFFFFu].state < 0) && frames[key >> 32].radius > 0.0f &&
			frames[key & 0xFFFFFFFFu].radius > 0.0f)
		{
			continue;
		}
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
		bool isStillB = b->kind == br_bodyStatic;
		const brBody *ground = isStillB ? b : a, *body = isStillB ? a : b;
		bool isMeant = ground->kind == br_bodyStatic && body->kind == br_bodyDynamic && brBody_IsMoving(body);
		if (!isMeant || brBody_IsSensed(a, b) ||
			brDynamics_IsLeftOut(dynamics, isStillB ? contact->bodyA : contact->bodyB))
		{
			continue;
		}
		if (dynamics->shapes.data[a->shape].shape->kind == br_shapeHalfSpace)
		{
			putBackOutOfHalfSpace(dynamics, contact);
		}
		else if (contact->manifoldCount > 0)
		{
			putBackOutOfFloor(dynamics, contact, isStillB);
		}
	}
}
