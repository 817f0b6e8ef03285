// SPDX-License-Identifier: MIT

// Momentum of islands that nothing outside holds.
//
// The solver keeps the levers of a contact for a whole step, though the bodies slide and turn meanwhile, and rounds to float. Impulses
// are equal and opposite all the same, but no longer along one line, and angular momentum drifts by about 1e-3 of
// what was exchanged. What islands in free flight must have at the end of a step is known: what they had, and what gravity gave
// them. The difference is put back as one rigid motion of the island about its center, the smallest change of velocities
// that does it. Islands that touch something static or kinematic, or are damped, have no such law and are left alone.

#include "base/forest.h"
#include "dynamics/dynamics.h"

#include <string.h>

// Moments of inertia below this part of the largest are none.
#define BALANCE_FLAT 1e-9

/// Sums over one island, about a point that stays: the center of its first body at the step's start.
typedef struct BalanceIsland
{
	brDVec3 origin;
	brDVec3 momentum, angular, center; // at the start; the center is weighted by mass
	brDVec3 gotMomentum, gotAngular, gotCenter;
	brDVec3 pull, torque; // of gravity, along the way
	double mass;
	brMat3 inertia;      // at the end
	brDVec3 speed, spin; // rigid motion that is missing
	bool isOpen;
} BalanceIsland;

static brDVec3 balanceSpin(const brBody* body)
{
	brDVec3 w = brQuat_InvRotate(body->rotation, body->spin);
	return brQuat_Rotate(body->rotation,
						 brMakeDVec3(body->inertia.x * w.x, body->inertia.y * w.y, body->inertia.z * w.z));
}

static bool balanceHas(const brDynamics* dynamics, int32_t index)
{
	const brBody* body = &dynamics->bodies.data[index];
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	return frame->state >= 0 && (frame->leansOn & (BR_LEANS_ON_STATIC | BR_LEANS_ON_KINEMATIC)) == 0 &&
		   body->kind == br_bodyDynamic;
}

bool brDynamics_ReserveBalance(brDynamics* dynamics, int64_t bodies)
{
	return brDynamics_ReserveEnergy(dynamics) &&
		   brStageMemory_Ensure(&dynamics->balance, &dynamics->allocator, bodies, sizeof(BalanceIsland)) &&
		   brStageMemory_Ensure(&dynamics->balanceIslands, &dynamics->allocator, dynamics->bodies.count,
								sizeof(int32_t)) &&
		   brStageMemory_Ensure(&dynamics->islandAwake, &dynamics->allocator, dynamics->bodies.count,
								sizeof(uint8_t)) &&
		   brStageMemory_Ensure(&dynamics->islandLeansOn, &dynamics->allocator, dynamics->bodies.count,
								sizeof(uint8_t));
}

brResult brDynamics_BalanceBefore(brDynamics* dynamics, brReport* report)
{
	int32_t count = 0, bodyCount = dynamics->bodies.count;
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		count += balanceHas(dynamics, i);
	}
	dynamics->balanceCount = 0;
	if (count == 0)
	{
		return br_success;
	}
	if (!brDynamics_ReserveBalance(dynamics, count))
	{
		return brFailMemory(report);
	}
	BalanceIsland* islands = dynamics->balance.data;
	int32_t* islandOf = dynamics->balanceIslands.data; // of a root
	memset(islandOf, -1, sizeof(int32_t) * (size_t)bodyCount);
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		if (!balanceHas(dynamics, i))
		{
			continue;
		}
		int32_t root = brReadRoot(dynamics->parents.data, i);
		if (islandOf[root] < 0)
		{
			islandOf[root] = dynamics->balanceCount++;
			islands[islandOf[root]] = (BalanceIsland){.origin = body->position};
		}
		BalanceIsland* island = &islands[islandOf[root]];
		brDVec3 p = brDMul(body->mass, body->velocity);
		island->momentum = brDAdd(island->momentum, p);
		island->angular = brDAdd(island->angular, brDCross(brDSub(body->position, island->origin), p));
		island->angular = brDAdd(island->angular, balanceSpin(body));
		island->mass += body->mass;
		island->center = brDMulAdd(island->center, body->mass, brDSub(body->position, island->origin));
		island->isOpen = island->isOpen || body->linearDamping > 0.0f || body->angularDamping > 0.0f;
	}
	return br_success;
}

// Adds mass (r.r - r r^T).
static void balanceAddPoint(brMat3* inertia, double mass, brDVec3 r)
{
	double square = mass * brDLengthSq(r);
	inertia->cx = brDAdd(inertia->cx, brDMulAdd(brMakeDVec3(square, 0.0, 0.0), -mass * r.x, r));
	inertia->cy = brDAdd(inertia->cy, brDMulAdd(brMakeDVec3(0.0, square, 0.0), -mass * r.y, r));
	inertia->cz = brDAdd(inertia->cz, brDMulAdd(brMakeDVec3(0.0, 0.0, square), -mass * r.z, r));
}

// Angular momentum is compared about the common center, wherever that went.
static void balanceSolve(BalanceIsland* island)
{
	double share = 1.0 / island->mass;
	brDVec3 before = brDMul(share, island->center), after = brDMul(share, island->gotCenter);
	brDVec3 middle = brDMul(0.5, brDAdd(before, after));
	brDVec3 lost = brDSub(brDAdd(island->momentum, island->pull), island->gotMomentum);
	brDVec3 wanted = brDSub(island->angular, brDCross(before, island->momentum));
	wanted = brDAdd(wanted, brDSub(island->torque, brDCross(middle, island->pull)));
	brDVec3 got = brDSub(island->gotAngular, brDCross(after, island->gotMomentum));
	brMat3 inertia = island->inertia;
	balanceAddPoint(&inertia, -island->mass, after);
	// Balls that nothing turned count as points; two of them have no inertia about their line, and nothing to turn about it.
	double moments[3];
	brMat3 axes =
		brEigenSymmetric(inertia.cx.x, inertia.cy.y, inertia.cz.z, inertia.cy.x, inertia.cz.x, inertia.cz.y, moments);
	brDVec3 columns[3] = {axes.cx, axes.cy, axes.cz}, lack = brDSub(wanted, got);
	for (int k = 0; k < 3; ++k)
	{
		double part = moments[k] > BALANCE_FLAT * moments[2] ? brDDot(columns[k], lack) / moments[k] : 0.0;
		island->spin = brDMulAdd(island->spin, part, columns[k]);
	}
	island->speed = brDMul(share, lost);
	island->gotCenter = after;
	island->isOpen = island->isOpen || !brDIsFinite(island->spin) || !brDIsFinite(island->speed);
}

void brDynamics_BalanceAfter(brDynamics* dynamics, double dt)
{
	BalanceIsland* islands = dynamics->balance.data;
	const int32_t* islandOf = dynamics->balanceIslands.data;
	if (dynamics->balanceCount == 0)
	{
		return;
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		if (!balanceHas(dynamics, i))
		{
			continue;
		}
		const brBody* body = &dynamics->bodies.data[i];
		BalanceIsland* island = &islands[islandOf[brReadRoot(dynamics->parents.data, i)]];
		brDVec3 r = brDSub(body->position, island->origin), p = brDMul(body->mass, body->velocity);
		brDVec3 pull = brDMul(body->mass * dt * (double)body->gravityScale, dynamics->def.gravity);
		// Gravity acts along the way; its middle is that of the step to second order.
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		brDVec3 middle = brDMulAdd(r, -0.5, brToDVec3(frame->moved));
		island->pull = brDAdd(island->pull, pull);
		island->torque = brDAdd(island->torque, brDCross(middle, pull));
		island->gotMomentum = brDAdd(island->gotMomentum, p);
		island->gotAngular = brDAdd(island->gotAngular, brDAdd(brDCross(r, p), balanceSpin(body)));
		island->gotCenter = brDMulAdd(island->gotCenter, body->mass, r);
		if (frame->isTurned)
		{
			brMat3 own = brBody_Inertia(body);
			island->inertia = (brMat3){brDAdd(island->inertia.cx, own.cx), brDAdd(island->inertia.cy, own.cy),
									   brDAdd(island->inertia.cz, own.cz)};
		}
		balanceAddPoint(&island->inertia, body->mass, r);
		island->isOpen = island->isOpen || body->isSetAside;
	}
	for (int32_t i = 0; i < dynamics->balanceCount; ++i)
	{
		balanceSolve(&islands[i]);
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const BalanceIsland* island =
			balanceHas(dynamics, i) ? &islands[islandOf[brReadRoot(dynamics->parents.data, i)]] : NULL;
		if (island != NULL && !island->isOpen)
		{
			brBody* body = &dynamics->bodies.data[i];
			brDVec3 r = brDSub(brDSub(body->position, island->origin), island->gotCenter);
			body->velocity = brDAdd(body->velocity, brDAdd(island->speed, brDCross(island->spin, r)));
			// What nothing turned, as a ball without friction, is not turned for the sake of rounding.
			brDVec3 none = {0.0, 0.0, 0.0};
			body->spin = brDAdd(body->spin, brDynamics_Frames(dynamics)[i].isTurned ? island->spin : none);
		}
	}
}
