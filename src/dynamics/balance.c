// SPDX-License-Identifier: MIT

// Momentum of islands that nothing outside holds.
//
// The solver keeps the levers of a contact for a whole step, though the bodies slide and turn meanwhile, and rounds to
// float. Impulses are equal and opposite all the same, but no longer along one line, and angular momentum drifts by
// about 1e-3 of what was exchanged. What islands in free flight must have at the end of a step is known: what they had,
// and what gravity gave them. The difference is put back as one rigid motion of the island about its center, the
// smallest change of velocities that does it. Where it adds energy, as much is taken from how bodies move against each
// other: scaled down towards the motion of the island as one body, that changes no momentum. Islands that touch
// something static or kinematic, or are damped, have no such law and are left alone.

#include "base/forest.h"
#include "dynamics/dynamics.h"

#include <string.h>

// Moments of inertia below this part of the largest are none.
#define BALANCE_FLAT 1e-9

// What bodies move by against each other keeps at least this part of its energy, and a gain below the other, as a part,
// is rounding.
#define BALANCE_KEPT 0.5
#define BALANCE_ROUNDING 1e-9

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

	double before, after;      // energy about the center, without that motion and with it
	brDVec3 velocity, turning; // motion as one body
	brDVec3 turned;            // angular momentum of what is turned
	double kept;               // of how bodies move against each other
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

// How a rigid island with an angular momentum turns. Balls that nothing turned count as points; two of them have no
// inertia about their line, and nothing to turn about it.
static brDVec3 balanceTurn(brMat3 inertia, brDVec3 angular)
{
	double moments[3];
	brMat3 axes =
		brEigenSymmetric(inertia.cx.x, inertia.cy.y, inertia.cz.z, inertia.cy.x, inertia.cz.x, inertia.cz.y, moments);
	brDVec3 columns[3] = {axes.cx, axes.cy, axes.cz}, turn = {0.0, 0.0, 0.0};
	for (int k = 0; k < 3; ++k)
	{
		double part = moments[k] > BALANCE_FLAT * moments[2] ? brDDot(columns[k], angular) / moments[k] : 0.0;
		turn = brDMulAdd(turn, part, columns[k]);
	}
	return turn;
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
	balanceAddPoint(&island->inertia, -island->mass, after);
	island->spin = balanceTurn(island->inertia, brDSub(wanted, got));
	island->velocity = brDMul(share, island->gotMomentum);
	island->speed = brDMul(share, lost);
	island->gotCenter = after;
	island->isOpen = island->isOpen || !brDIsFinite(island->spin) || !brDIsFinite(island->speed);
}

static BalanceIsland* balanceOf(const brDynamics* dynamics, int32_t index)
{
	const int32_t* islandOf = dynamics->balanceIslands.data; // of a root
	return (BalanceIsland*)dynamics->balance.data + islandOf[brReadRoot(dynamics->parents.data, index)];
}

// Kinetic energy but for that of the common center.
static double balanceEnergy(const BalanceIsland* island, const brBody* body)
{
	brDVec3 along = brDSub(body->velocity, island->velocity);
	return 0.5 * (body->mass * brDLengthSq(along) + brDDot(body->spin, balanceSpin(body)));
}

static void balancePutRight(const brDynamics* dynamics, int32_t index)
{
	brBody* body = &dynamics->bodies.data[index];
	BalanceIsland* island = balanceOf(dynamics, index);
	brDVec3 r = brDSub(brDSub(body->position, island->origin), island->gotCenter), none = {0.0, 0.0, 0.0};
	// What nothing turned, as a ball without friction, is not turned for the sake of rounding.
	bool isTurned = brDynamics_Frames(dynamics)[index].isTurned;
	island->before += balanceEnergy(island, body);
	body->velocity = brDAdd(body->velocity, brDCross(island->spin, r));
	body->spin = brDAdd(body->spin, isTurned ? island->spin : none);
	island->after += balanceEnergy(island, body);
	body->velocity = brDAdd(body->velocity, island->speed);
	brDVec3 along = brDMul(body->mass, brDSub(body->velocity, brDAdd(island->velocity, island->speed)));
	island->turned = brDAdd(island->turned, brDAdd(brDCross(r, along), isTurned ? balanceSpin(body) : none));
}

// How much of what bodies move by against each other is left if none of the energy that was added is.
static void balanceKeep(BalanceIsland* island)
{
	double gain = island->after - island->before;
	island->kept = 1.0;
	if (island->isOpen || !(gain > BALANCE_ROUNDING * island->after))
	{
		return;
	}
	island->turning = balanceTurn(island->inertia, island->turned);
	island->velocity = brDAdd(island->velocity, island->speed);
	double loose = island->after - 0.5 * brDDot(island->turning, island->turned);
	island->kept = sqrt(fmax(1.0 - gain / fmax(loose, gain), BALANCE_KEPT));
}

static void balanceCalm(const brDynamics* dynamics, int32_t index)
{
	brBody* body = &dynamics->bodies.data[index];
	const BalanceIsland* island = balanceOf(dynamics, index);
	brDVec3 r = brDSub(brDSub(body->position, island->origin), island->gotCenter);
	brDVec3 rigid = brDAdd(island->velocity, brDCross(island->turning, r));
	body->velocity = brDMulAdd(rigid, island->kept, brDSub(body->velocity, rigid));
	if (brDynamics_Frames(dynamics)[index].isTurned)
	{
		body->spin = brDMulAdd(island->turning, island->kept, brDSub(body->spin, island->turning));
	}
}

void brDynamics_BalanceAfter(brDynamics* dynamics, double dt)
{
	BalanceIsland* islands = dynamics->balance.data;
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
		BalanceIsland* island = balanceOf(dynamics, i);
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
		if (balanceHas(dynamics, i) && !balanceOf(dynamics, i)->isOpen)
		{
			balancePutRight(dynamics, i);
		}
	}
	bool isAny = false;
	for (int32_t i = 0; i < dynamics->balanceCount; ++i)
	{
		balanceKeep(&islands[i]);
		isAny = isAny || islands[i].kept < 1.0;
	}
	for (int32_t i = 0; i < dynamics->bodies.count && isAny; ++i)
	{
		if (balanceHas(dynamics, i) && balanceOf(dynamics, i)->kept < 1.0)
		{
			balanceCalm(dynamics, i);
		}
	}
}
