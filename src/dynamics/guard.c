// SPDX-License-Identifier: MIT

// The last look at a step: no body's core is on the other side of something.
//
// Contacts are found and solved so that bodies stop at each other. What turns by radians in a step, or is hit from
// several sides, may still be left with its middle behind a thin wall, and from there it would be pushed out the wrong
// way. So the way of each body's core, a point deep inside it, is followed through the pairs that moved far for their
// thickness. Where it enters the other body the two are set back along that way until the core is half a thickness
// away, the lighter one further. From there the next step finds their contact and stops them.
//
// Hardly any way enters anything, so all are looked at side by side first; then pairs are set back one after the other,
// those that were hit and those of bodies that this has moved.

#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#include "contact/ray.h"

// Of 20 degrees.
#define GUARD_COSINE 0.94

#define GUARD_ROUNDING 1e-5 // of boxes about shapes, which are float

typedef struct GuardSide
{
	brBody* body;
	brBodyFrame* frame;
	const brShape* shape;
} GuardSide;

// The way of a core through another body, in the axes of that.
typedef struct GuardWay
{
	brDVec3 from, to, direction;
	double length, hit;
	brDVec3 normal; // where it is hit
} GuardWay;

static GuardSide guardSide(const brDynamics* dynamics, int32_t index)
{
	GuardSide side = {&dynamics->bodies.data[index], &brDynamics_Frames(dynamics)[index], NULL};
	side.shape = dynamics->shapes.data[side.body->shape].shape;
	return side;
}

static brMat3 guardStartAxes(const GuardSide* side)
{
	return (brMat3){brToDVec3(side->frame->x), brToDVec3(side->frame->y), brToDVec3(side->frame->z)};
}

// Where axes turn a lot, or the body is a ball, what goes by it would seem to go through: there they stay as they are
// at the end.
static void guardSeeTurn(const GuardSide* side)
{
	brMat3 ends = brMakeMat3FromQuat(side->body->rotation), starts = guardStartAxes(side);
	double cosine = 0.5 * (brDDot(ends.cx, starts.cx) + brDDot(ends.cy, starts.cy) + brDDot(ends.cz, starts.cz) - 1.0);
	side->frame->isSpun = cosine < GUARD_COSINE || side->frame->shapeKind == br_shapeSphere;
	// The chord of its turn, and what rounding hides of it: the axes at the start are float.
	side->frame->swing = side->frame->isSpun ? 0.0f : (float)sqrt(fmax(2.0 - 2.0 * cosine, 0.0) + GUARD_ROUNDING);
}

static void guardShift(const GuardSide* side, brDVec3 gravity, brDVec3 normal, brDVec3 shift)
{
	side->body->position = brDAdd(side->body->position, shift);
	brBody_PayLift(side->body, gravity, normal, shift);
	side->frame->moved = brAdd(side->frame->moved, brToVec3(shift));
	side->frame->isSetBack = true;
	// What that does to angular momentum is put back by turning it too (balance.c): two that lie side by side have next
	// to no inertia as points.
	side->frame->isTurned = side->frame->isTurned || side->frame->shapeKind != br_shapeSphere;
}

// A shift off a face of the other, both in its axes, shared by mass.
static void guardPart(const brDynamics* dynamics, const GuardSide* mover, const GuardSide* other, brDVec3 normal,
					  brDVec3 shift)
{
	double sum = mover->body->invMass + other->body->invMass;
	brDVec3 world = brQuat_Rotate(other->body->rotation, shift), n = brQuat_Rotate(other->body->rotation, normal);
	guardShift(mover, dynamics->def.gravity, n, brDMul(mover->body->invMass / sum, world));
	guardShift(other, dynamics->def.gravity, n, brDMul(-other->body->invMass / sum, world));
}

// Whether nothing of a shape is on the way between two places.
static bool guardIsFree(const brShape* shape, brDVec3 from, brDVec3 to)
{
	brDVec3 way = brDSub(to, from), normal;
	double length = brDLength(way);
	return !(length > 0.0) || !(brShape_CastRay(shape, from, brDMul(1.0 / length, way), length, &normal) < INFINITY);
}

// Whether a way from one place beside a body to another stays outside the ball about it, wherever the body turned
// meanwhile. Most do, and there is no need to look from its axes.
static bool guardIsFar(const brBodyFrame* frame, brDVec3 first, brDVec3 last)
{
	double length = brDLength(brDSub(last, first)) + (double)frame->swing * brDLength(first);
	return brDLength(last) - length > (1.0 + GUARD_ROUNDING) * (double)frame->radius;
}

// Whether a way does not even come into the box about the other.
static bool guardPasses(const brShape* shape, const GuardWay* way)
{
	brDVec3 center = brToDVec3(shape->boxCenter), half = brDMul(1.0 + GUARD_ROUNDING, brToDVec3(shape->half));
	brDVec3 from = brDSub(way->from, center), to = brDSub(way->to, center);
	return fmin(from.x, to.x) > half.x || fmax(from.x, to.x) < -half.x || fmin(from.y, to.y) > half.y ||
		   fmax(from.y, to.y) < -half.y || fmin(from.z, to.z) > half.z || fmax(from.z, to.z) < -half.z;
}

// The way of a mover's core where it goes into the other body. False if it does not.
static bool guardFind(const GuardSide* mover, const GuardSide* other, int core, GuardWay* way)
{
	brDVec3 start = brDSub(mover->body->position, brToDVec3(mover->frame->moved)), end = mover->body->position;
	if (mover->frame->shapeKind == br_shapeMesh)
	{
		brDVec3 place = brToDVec3(mover->shape->cores[core]);
		brMat3 before = guardStartAxes(mover);
		start = brDAdd(start, brMat3_MulV(&before, place));
		end = brDAdd(end, brQuat_Rotate(mover->body->rotation, place));
	}
	brDVec3 first = brDSub(start, brDSub(other->body->position, brToDVec3(other->frame->moved)));
	brDVec3 last = brDSub(end, other->body->position);
	if (guardIsFar(other->frame, first, last))
	{
		return false;
	}
	way->to = brQuat_InvRotate(other->body->rotation, last);
	brMat3 axes = other->frame->isSpun ? brMakeMat3FromQuat(other->body->rotation) : guardStartAxes(other);
	way->from = brMakeDVec3(brDDot(axes.cx, first), brDDot(axes.cy, first), brDDot(axes.cz, first));
	if (guardPasses(other->shape, way))
	{
		return false;
	}
	brDVec3 along = brDSub(way->to, way->from);
	way->length = brDLength(along);
	if (!(way->length > 0.0))
	{
		return false;
	}
	way->direction = brDMul(1.0 / way->length, along);
	way->hit = brShape_CastRay(other->shape, way->from, way->direction, way->length, &way->normal);
	return way->hit > 0.0 && way->hit < INFINITY;
}

// Sets a mover back whose core goes into the other body.
static void guardSetBack(const brDynamics* dynamics, const GuardSide* mover, const GuardSide* other,
						 const GuardWay* way, bool isTouching)
{
	brDVec3 direction = way->direction, normal = way->normal, to = way->to;
	double hit = way->hit, length = way->length;
	double clearance = fmin(0.5 * (double)mover->shape->thickness, -hit * brDDot(direction, normal));
	brDVec3 there = brDMulAdd(way->from, hit, direction);
	brDVec3 aside = brDMul(clearance - brDDot(brDSub(to, there), normal), normal);
	// What touched already has had its hit: it goes on along the surface and no longer towards it, else it would be set
	// back in each step, for ever; or it leaves it again, if it bounces. What did not goes back along its way, and has
	// its hit in the next step.
	brDVec3 above = brDMulAdd(there, clearance, normal);
	bool isSliding = isTouching && guardIsFree(other->shape, above, brDAdd(to, aside));
	double before = fmax(hit - clearance / fmax(-brDDot(direction, normal), 0.1), 0.0);
	guardPart(dynamics, mover, other, normal, isSliding ? aside : brDMul(before - length, direction));
	brDVec3 ahead = brQuat_Rotate(other->body->rotation, brDNeg(normal));
	double closing = brDDot(ahead, brDSub(mover->body->velocity, other->body->velocity));
	if (isTouching && closing > 0.0)
	{
		bool isNew = mover->body->isNewborn || other->body->isNewborn; // what breaks has spent it
		float restitution = isNew ? 0.0f : fmaxf(mover->body->restitution, other->body->restitution);
		double bounce = closing > (double)brDynamics_BounceSpeed(dynamics, restitution) ? (double)restitution : 0.0;
		double change = (1.0 + bounce) * closing / (mover->body->invMass + other->body->invMass);
		mover->body->velocity = brDMulAdd(mover->body->velocity, -change * mover->body->invMass, ahead);
		other->body->velocity = brDMulAdd(other->body->velocity, change * other->body->invMass, ahead);
		// What is not let go on does not turn on, but for its share of a bounce.
		double turned = before / length;
		mover->body->spin = brDMul(turned + bounce * (1.0 - turned), mover->body->spin);
	}
}

// Looks at all ways of a pair; sets them back if asked to. True if one went into something.
static bool guardPair(const brDynamics* dynamics, int32_t pair, bool isSet)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	uint64_t key = dynamics->pairs.data[pair].key;
	int32_t indices[2] = {(int32_t)(key >> 32), (int32_t)(key & 0xFFFFFFFFu)};
	float thickness = brSmallerSize(frames[indices[0]].thickness, frames[indices[1]].thickness);
	// Most pairs are slow, which their boxes know.
	if (brBody_IsSensed(&dynamics->bodies.data[indices[0]], &dynamics->bodies.data[indices[1]]) ||
		frames[indices[0]].motion + frames[indices[1]].motion < BR_GUARD_THICKNESSES * thickness ||
		brDynamics_IsLeftOut(dynamics, indices[0]) || brDynamics_IsLeftOut(dynamics, indices[1]))
	{
		return false;
	}
	const GuardSide sides[2] = {guardSide(dynamics, indices[0]), guardSide(dynamics, indices[1])};
	bool isHit = false;
	for (int k = 0; k < 2; ++k)
	{
		const GuardSide *mover = &sides[k], *other = &sides[1 - k];
		// A half-space has no far side: what dips into it is put back, and has its hit there (put_back.c).
		bool isMover = mover->body->kind == br_bodyDynamic && brBody_IsMoving(mover->body) &&
					   !other->body->isSetAside && other->frame->shapeKind != br_shapeHalfSpace;
		int coreCount = !isMover ? 0 : mover->frame->shapeKind == br_shapeMesh ? 2 : 1;
		for (int core = 0; core < coreCount; ++core)
		{
			GuardWay way;
			if (guardFind(mover, other, core, &way))
			{
				isHit = true;
				if (isSet)
				{
					guardSetBack(dynamics, mover, other, &way, brDynamics_PairContact(dynamics, pair)->isTouching);
				}
			}
		}
	}
	return isHit;
}

typedef struct GuardWork
{
	const brDynamics* dynamics;
	bool* isHit; // [pairs]
} GuardWork;

static void guardBodies(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const brDynamics* dynamics = ((const GuardWork*)user)->dynamics;
	for (int32_t i = begin; i < end; ++i)
	{
		if (brBody_IsThere(&dynamics->bodies.data[i]))
		{
			GuardSide side = guardSide(dynamics, i);
			guardSeeTurn(&side);
			side.frame->isSetBack = false;
		}
	}
}

static void guardPairs(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const GuardWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		work->isHit[i] = guardPair(work->dynamics, i, false);
	}
}

void brDynamics_Guard(brDynamics* dynamics)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	GuardWork work = {dynamics, dynamics->keys[1].data}; // the keys of pairs have been used
	brParallelFor(dynamics->context.workers, dynamics->bodies.count, 256, guardBodies, &work);
	brParallelFor(dynamics->context.workers, dynamics->pairs.count, 256, guardPairs, &work);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		uint64_t key = dynamics->pairs.data[i].key;
		if (work.isHit[i] || frames[key >> 32].isSetBack || frames[key & 0xFFFFFFFFu].isSetBack)
		{
			guardPair(dynamics, i, true);
		}
	}
}
