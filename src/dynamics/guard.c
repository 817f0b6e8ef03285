// SPDX-License-Identifier: MIT

// The last look at a step: no body's core is on the other side of something.
//
// Contacts are found and solved so that bodies stop at each other. What turns by radians in a step, or is hit from several sides, may still
// be left with its middle behind a thin wall, and from there it would be pushed out the wrong way. So the way of each body's core, a point deep
// inside it, is followed through the pairs that moved far for their thickness. Where it enters the other body the two are set back along that way
// until the core is half a thickness away, the lighter one further. From there the next step finds their contact and stops them.

#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include "contact/ray.h"

// Of 20 degrees.
#define GUARD_COSINE 0.94

typedef struct GuardSide
{
	brBody* body;
	brBodyFrame* frame;
	const brShape* shape;
	brDVec3 startPosition, start, end; // of the core, in the world
	brMat3 startAxes;
} GuardSide;

static GuardSide guardSide(const brDynamics* dynamics, int32_t index, int core)
{
	brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	GuardSide side = {.body = &dynamics->bodies.data[index], .frame = frame};
	side.shape = dynamics->shapes.data[side.body->shape].shape;
	side.startAxes = (brMat3){brToDVec3(frame->x), brToDVec3(frame->y), brToDVec3(frame->z)};
	brDVec3 place = brToDVec3(side.shape->cores[core]), moved = brToDVec3(frame->moved);
	side.startPosition = brDSub(side.body->position, moved);
	side.start = brDAdd(side.startPosition, brMat3_MulV(&side.startAxes, place));
	side.end = brDAdd(side.body->position, brQuat_Rotate(side.body->rotation, place));
	return side;
}

static void guardShift(const GuardSide* side, brDVec3 shift)
{
	side->body->position = brDAdd(side->body->position, shift);
	side->frame->moved = brAdd(side->frame->moved, brToVec3(shift));
}

// A shift in the other's axes, shared by mass.
static void guardPart(const GuardSide* mover, const GuardSide* other, brDVec3 shift)
{
	double sum = mover->body->invMass + other->body->invMass;
	brDVec3 world = brQuat_Rotate(other->body->rotation, shift);
	guardShift(mover, brDMul(mover->body->invMass / sum, world));
	guardShift(other, brDMul(-other->body->invMass / sum, world));
}

// Whether nothing of a shape is on the way between two places.
static bool guardIsFree(const brShape* shape, brDVec3 from, brDVec3 to)
{
	brDVec3 way = brDSub(to, from), normal;
	double length = brDLength(way);
	return !(length > 0.0) || !(brShape_CastRay(shape, from, brDMul(1.0 / length, way), length, &normal) < INFINITY);
}

// Sets a mover back whose core goes into the other body.
static void guardWay(const GuardSide* mover, const GuardSide* other, bool isTouching)
{
	// In the axes of the other. Where these turn a lot, or it is a ball, what goes by it would seem to go through: there they stay.
	brMat3 ends = brMakeMat3FromQuat(other->body->rotation);
	double cosine = 0.5 * (brDDot(ends.cx, other->startAxes.cx) + brDDot(ends.cy, other->startAxes.cy) +
						   brDDot(ends.cz, other->startAxes.cz) - 1.0);
	bool isTurning = cosine < GUARD_COSINE || other->shape->kind == br_shapeSphere;
	brMat3 back = brMat3_Transpose(isTurning ? &ends : &other->startAxes);
	brDVec3 from = brMat3_MulV(&back, brDSub(mover->start, other->startPosition));
	brDVec3 to = brQuat_InvRotate(other->body->rotation, brDSub(mover->end, other->body->position));
	brDVec3 way = brDSub(to, from), normal;
	double length = brDLength(way);
	if (!(length > 0.0))
	{
		return;
	}
	brDVec3 direction = brDMul(1.0 / length, way);
	// Most ways do not even come into the ball about the other; a half-space has none.
	double nearest = fmin(fmax(-brDDot(from, direction), 0.0), length), radius = (double)other->shape->radius;
	if (radius > 0.0 && brDLengthSq(brDMulAdd(from, nearest, direction)) > radius * radius)
	{
		return;
	}
	double hit = brShape_CastRay(other->shape, from, direction, length, &normal);
	if (!(hit > 0.0 && hit < INFINITY))
	{
		return;
	}
	double clearance = fmin(0.5 * (double)mover->shape->thickness, -hit * brDDot(direction, normal));
	brDVec3 there = brDMulAdd(from, hit, direction);
	brDVec3 aside = brDMul(clearance - brDDot(brDSub(to, there), normal), normal);
	// What touched already has had its hit: it goes on along the surface and no longer towards it, else it would be set back in each step, for ever.
	// What did not goes back along its way, and has its hit in the next step.
	brDVec3 above = brDMulAdd(there, clearance, normal);
	bool isSliding = isTouching && guardIsFree(other->shape, above, brDAdd(to, aside));
	double before = fmax(hit - clearance / fmax(-brDDot(direction, normal), 0.1), 0.0);
	guardPart(mover, other, isSliding ? aside : brDMul(before - length, direction));
	brDVec3 ahead = brQuat_Rotate(other->body->rotation, isSliding ? brDNeg(normal) : direction);
	double closing = brDDot(ahead, brDSub(mover->body->velocity, other->body->velocity));
	if (isTouching && closing > 0.0)
	{
		double sum = mover->body->invMass + other->body->invMass;
		mover->body->velocity = brDMulAdd(mover->body->velocity, -closing * mover->body->invMass / sum, ahead);
		other->body->velocity = brDMulAdd(other->body->velocity, closing * other->body->invMass / sum, ahead);
		mover->body->spin = brDMul(before / length, mover->body->spin); // what is not let go on does not turn on
	}
}

void brDynamics_Guard(brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		uint64_t key = dynamics->pairs.data[i].key;
		int32_t indices[2] = {(int32_t)(key >> 32), (int32_t)(key & 0xFFFFFFFFu)};
		float thickness = brSmallerSize(frames[indices[0]].thickness, frames[indices[1]].thickness);
		// Most pairs are slow, which their boxes know.
		if (dynamics->bodies.data[indices[0]].isSensor || dynamics->bodies.data[indices[1]].isSensor ||
			frames[indices[0]].motion + frames[indices[1]].motion < BR_GUARD_THICKNESSES * thickness ||
			brDynamics_IsLeftOut(dynamics, indices[0]) || brDynamics_IsLeftOut(dynamics, indices[1]))
		{
			continue;
		}
		for (int k = 0; k < 2; ++k)
		{
			const brBody *body = &dynamics->bodies.data[indices[k]], *other = &dynamics->bodies.data[indices[1 - k]];
			bool isMover = body->kind == br_bodyDynamic && brBody_IsMoving(body) && !other->isSetAside;
			int coreCount = !isMover ? 0 : dynamics->shapes.data[body->shape].shape->kind == br_shapeMesh ? 2 : 1;
			for (int core = 0; core < coreCount; ++core)
			{
				GuardSide mover = guardSide(dynamics, indices[k], core), still = guardSide(dynamics, indices[1 - k], 0);
				guardWay(&mover, &still, brDynamics_PairContact(dynamics, i)->isTouching);
			}
		}
	}
}
