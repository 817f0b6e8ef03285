// SPDX-License-Identifier: MIT
#pragma once

// Bounces of a substep: what bounce.c, which says when things hit, and bounce_hit.c, which says what a hit does, both
// know.

#include "dynamics/solver.h"

#define BR_BOUNCE_ROWS 48
#define BR_BOUNCE_BODIES 8 // of one hit; all that is static counts once

// A pair may hit this often in a substep: what is squeezed between others and never loses energy would go on for ever.
#define BR_BOUNCE_REPEATS 8

/// A body of a hit, with its velocities at that time.
typedef struct brBounceBody
{
	int32_t state;
	bool isDynamic;
	bool isCarried; // its points are turned along with it
	double invMass;
	brMat3 invInertia;
	brDVec3 position; // then, of what moves
	brDVec3 velocity, spin;
	brQuat rotation; // then
	brQuat turn;     // since its points were where their anchors are
} brBounceBody;

/// A lane of a block of contacts.
typedef struct brBounceLane
{
	int32_t version, hits;
	bool isWaiting; // for its next hit
} brBounceLane;

/// One point of a hit, and the direction in which it moves its two bodies.
typedef struct brBounceRow
{
	int32_t bodies[2];                   // of the hit; -1: one that stands firm
	brDVec3 along[2], about[2], turn[2]; // turn: inverse inertia times about
	double invMass, before, wanted, impulse;
	brPointLanes* point;
	int32_t lane; // of its block
} brBounceRow;

typedef struct brBounce
{
	brDynamics* dynamics;
	double h, dt, now;
	bool isTopHit;
	brBounceLane* lanes;
	int32_t* starts; // by state, into `items`
	int32_t* items;  // lanes of a state
	brBounceBody bodies[BR_BOUNCE_BODIES];
	int32_t bodyCount;
	brBounceRow rows[BR_BOUNCE_ROWS];
	int32_t rowCount;
} brBounce;

static inline brContactBlock* brBounce_Block(const brBounce* bounce, int32_t lane)
{
	return (brContactBlock*)bounce->dynamics->blocks.data + lane / BR_SOLVER_LANES;
}

/// The contact that a lane has a manifold of.
static inline int32_t brBounce_Contact(const brBounce* bounce, int32_t lane)
{
	return brBounce_Block(bounce, lane)->manifold[lane % BR_SOLVER_LANES] / BR_PAIR_MANIFOLDS;
}

static inline brDVec3 brBounce_Read(const float a[3])
{
	return brMakeDVec3(a[0], a[1], a[2]);
}

static inline brDVec3 brBounce_ReadLane(const brLanes a[3], int32_t lane)
{
	return brMakeDVec3(a[0][lane], a[1][lane], a[2][lane]);
}

/// How a body moves before the loads of this substep act on it. What they add is taken away again where others hold it,
/// and in a jam they are far from each other's balance: what moves by them alone hits nothing.
void brBounce_Motion(const brBounce* bounce, int32_t state, brDVec3* outVelocity, brDVec3* outSpin);

/// How the two bodies of a lane move along its normal: what all points share, and what turns add for each. Bodies that
/// hit something meanwhile are where they would have come from.
typedef struct brBounceWay
{
	brDVec3 normal;
	double moved, speed, pull;
	brDVec3 turned[2], spin[2];
} brBounceWay;

brBounceWay brBounce_Way(const brBounce* bounce, const brContactBlock* block, int32_t lane);

/// How turns of the two bodies about their centers move a point along the normal.
typedef struct brBounceArms
{
	brDVec3 about[2];
} brBounceArms;

static inline brBounceArms brBounceWay_Arms(const brBounceWay* way, const brPointLanes* point, int32_t lane)
{
	return (brBounceArms){{brDCross(brBounce_ReadLane(point->anchorA, lane), way->normal),
						   brDCross(brBounce_ReadLane(point->anchorB, lane), way->normal)}};
}

/// Speed of a point along the normal at the start of the substep.
static inline double brBounceWay_Speed(const brBounceWay* way, const brBounceArms* arms)
{
	return way->speed + brDDot(arms->about[0], way->spin[0]) + brDDot(arms->about[1], way->spin[1]);
}

/// Its separation then.
static inline double brBounceWay_Separation(const brBounceWay* way, const brBounceArms* arms, const brPointLanes* point,
											int32_t lane)
{
	return point->separation[lane] + way->moved + brDDot(arms->about[0], way->turned[0]) +
		   brDDot(arms->about[1], way->turned[1]);
}

/// The hit that a lane waits for, now, and those that its bodies have at the same time. All its bodies have their new
/// velocities then.
void brBounce_Hit(brBounce* bounce, int32_t lane);
