// SPDX-License-Identifier: MIT

// Islands: sets of dynamic bodies that hang together through contacts and joints, by union-find in pair order.
//
// They are made anew in every step over everything that touches, asleep or not, since that costs less than keeping them
// up to date. An island with one body awake is awake. A part of a heap may sleep beside another that is awake
// (sleep.c): what is calm does not wake what sleeps beside it, and stands against it as against something static.
// Sleeping bodies keep their contacts and impulses, so that waking shows no seam.

#include "base/forest.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include <string.h>

// Most pairs are near each other and do not touch: those that do are gone through several times.
static void islandFindTouching(brDynamics* dynamics)
{
	int32_t* touching = dynamics->touching.data;
	int32_t count = 0;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		touching[count] = dynamics->pairs.data[i].contact;
		count += contact->isTouching || contact->wasTouching;
	}
	dynamics->touchingCount = count;
}

// What its island touches. A body that sleeps or was set aside stands like a static one.
static uint8_t islandLeans(const brBody* body, bool isAwake)
{
	if (body->kind == br_bodyDynamic)
	{
		return body->isSetAside || !isAwake ? BR_LEANS_ON_STATIC : 0;
	}
	return body->kind == br_bodyStatic ? BR_LEANS_ON_STATIC : BR_LEANS_ON_KINEMATIC;
}

// Whether two dynamic bodies are one island. Of two that touch the one that sleeps goes on sleeping while the other
// goes nowhere.
static bool islandJoins(const brContact* contact, const brBody* a, const brBody* b)
{
	bool isParted = a->isAwake != b->isAwake && !a->isSetAside && !b->isSetAside;
	if (!isParted)
	{
		return contact->isTouching;
	}
	const brBody* mover = a->isAwake ? a : b;
	bool isMet = contact->isTouching || (contact->wasTouching && !brBody_IsSensed(a, b));
	return isMet && (double)mover->calmTime < BR_CALM_TIME;
}

// What wakes with its island and was not pushed itself has gone nowhere yet.
static void islandWake(brDynamics* dynamics, int32_t index)
{
	brBody* body = &dynamics->bodies.data[index];
	float calm = fminf(body->calmTime, (float)BR_CALM_TIME);
	brDynamics_Wake(dynamics, index);
	body->calmTime = calm;
	dynamics->bodyEvents.data[dynamics->bodyEvents.count++] =
		(brBodyEvent){.kind = br_eventBodyWoke, .id = brDynamics_BodyId(dynamics, index)};
}

// Whether a contact carries a good part of a body's weight.
static bool islandIsCarried(const brDynamics* dynamics, const brContact* contact, int32_t index, double dt)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *body = &dynamics->bodies.data[index];
	brDVec3 gravity = brQuat_InvRotate(a->rotation, dynamics->def.gravity);
	double up = 0.0, side = index == contact->bodyA ? 1.0 : -1.0;
	for (int32_t m = 0; m < contact->manifoldCount && contact->isTouching; ++m)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, m);
		double along = side * brDDot(brToDVec3(manifold->normal), gravity);
		for (int32_t k = 0; k < manifold->pointCount; ++k)
		{
			up += along * (double)manifold->points[k].total;
		}
	}
	return up > BR_WAKING_LOAD * body->mass * brDLengthSq(gravity) * dt;
}

// What goes nowhere and leaves something that sleeps wakes that and what that carries; the rest of a heap wakes as they
// move. A splinter that rattles loses and finds its contacts for ever, and would wake all of it time and again.
static void islandWakeLeft(brDynamics* dynamics, uint8_t* isWoken, double dt)
{
	brBody* bodies = dynamics->bodies.data;
	for (bool isChanged = true; isChanged;)
	{
		isChanged = false;
		for (int32_t i = 0; i < dynamics->touchingCount; ++i)
		{
			const brContact* contact = brDynamics_Touching(dynamics, i);
			const brBody *a = &bodies[contact->bodyA], *b = &bodies[contact->bodyB];
			int32_t mover = a->isAwake ? contact->bodyA : contact->bodyB;
			int32_t other = mover == contact->bodyA ? contact->bodyB : contact->bodyA;
			if (a->isAwake == b->isAwake || a->invMass == 0.0 || b->invMass == 0.0 || brBody_IsSensed(a, b) ||
				(double)bodies[mover].calmTime < BR_CALM_TIME || bodies[other].isSetAside ||
				brDynamics_IsLeftOut(dynamics, other))
			{
				continue;
			}
			bool isLeaving = contact->wasTouching && !contact->isTouching;
			if (isLeaving || (isWoken[mover] && islandIsCarried(dynamics, contact, other, dt)))
			{
				float calm = fminf(fmaxf(bodies[other].calmTime, (float)BR_CALM_TIME), (float)BR_LIFT_CALM);
				islandWake(dynamics, other);
				bodies[other].calmTime = calm;
				isWoken[other] = isChanged = true;
			}
		}
	}
}

static void islandJoinContacts(brDynamics* dynamics, int32_t* parents)
{
	const brBody* bodies = dynamics->bodies.data;
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		const brBody *a = &bodies[contact->bodyA], *b = &bodies[contact->bodyB];
		if (a->invMass > 0.0 && b->invMass > 0.0 && islandJoins(contact, a, b))
		{
			brJoinRoots(parents, contact->bodyA, contact->bodyB);
		}
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0 && bodies[joint->bodyA].invMass > 0.0 && bodies[joint->bodyB].invMass > 0.0)
		{
			brJoinRoots(parents, joint->bodyA, joint->bodyB);
		}
	}
}

// One awake body wakes its island; so does a moving kinematic body that touches it.
static void islandFindAwake(const brDynamics* dynamics, int32_t* parents, uint8_t* isAwake)
{
	const brBody* bodies = dynamics->bodies.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		if (bodies[i].kind == br_bodyDynamic && brBody_IsMoving(&bodies[i]))
		{
			isAwake[brFindRoot(parents, i)] = 1;
		}
	}
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		for (int32_t side = 0; side < 2 && contact->isTouching; ++side)
		{
			int32_t mover = side == 0 ? contact->bodyA : contact->bodyB;
			int32_t other = side == 0 ? contact->bodyB : contact->bodyA;
			bool isPushed = bodies[mover].kind == br_bodyKinematic && brDynamics_Frames(dynamics)[mover].motion > 0.0f;
			if (isPushed && bodies[other].kind == br_bodyDynamic)
			{
				isAwake[brFindRoot(parents, other)] = 1;
			}
		}
	}
	// What was woken from elsewhere is one with what it touches that was awake.
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		const brBody *a = &bodies[contact->bodyA], *b = &bodies[contact->bodyB];
		if (contact->isTouching && a->invMass > 0.0 && b->invMass > 0.0 && a->isAwake != b->isAwake &&
			isAwake[brFindRoot(parents, contact->bodyA)] && isAwake[brFindRoot(parents, contact->bodyB)])
		{
			brJoinRoots(parents, contact->bodyA, contact->bodyB);
			isAwake[brFindRoot(parents, contact->bodyA)] = 1;
		}
	}
}

static void islandFindLeaning(const brDynamics* dynamics, int32_t* parents, const uint8_t* isAwake, uint8_t* leansOn)
{
	const brBody* bodies = dynamics->bodies.data;
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		if (contact->isTouching)
		{
			int32_t a = brFindRoot(parents, contact->bodyA), b = brFindRoot(parents, contact->bodyB);
			leansOn[b] |= islandLeans(&bodies[contact->bodyA], isAwake[a]);
			leansOn[a] |= islandLeans(&bodies[contact->bodyB], isAwake[b]);
		}
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0)
		{
			int32_t a = brFindRoot(parents, joint->bodyA), b = brFindRoot(parents, joint->bodyB);
			leansOn[b] |= (uint8_t)(islandLeans(&bodies[joint->bodyA], true) | BR_HAS_JOINT);
			leansOn[a] |= (uint8_t)(islandLeans(&bodies[joint->bodyB], true) | BR_HAS_JOINT);
		}
	}
}

brResult brDynamics_Islands(brDynamics* dynamics, double dt, brReport* report)
{
	int32_t count = dynamics->bodies.count;
	const brBody* bodies = dynamics->bodies.data;
	if (!brStageMemory_Ensure(&dynamics->touching, &dynamics->allocator, dynamics->pairs.count, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->parents, &dynamics->allocator, count, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->islandAwake, &dynamics->allocator, count, sizeof(uint8_t)) ||
		!brStageMemory_Ensure(&dynamics->islandLeansOn, &dynamics->allocator, count, sizeof(uint8_t)) ||
		!brDynamics_ReserveEnergy(dynamics) || !brDynamics_ReserveThrown(dynamics) ||
		!BR_RESERVE(&dynamics->allocator, &dynamics->bodyEvents, 3 * (int64_t)count + dynamics->joints.count))
	{
		return brFailMemory(report);
	}
	int32_t* parents = dynamics->parents.data;
	uint8_t* isAwake = dynamics->islandAwake.data;
	uint8_t* leansOn = dynamics->islandLeansOn.data;
	brResetForest(parents, count);
	memset(isAwake, 0, (size_t)count);
	memset(leansOn, 0, (size_t)count);
	islandFindTouching(dynamics);
	islandWakeLeft(dynamics, isAwake, dt);
	islandJoinContacts(dynamics, parents);
	islandFindAwake(dynamics, parents, isAwake);
	islandFindLeaning(dynamics, parents, isAwake, leansOn);
	int32_t islands = 0, awake = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t root = brFindRoot(parents, i);
		if (bodies[i].kind != br_bodyDynamic || bodies[i].isSetAside || !isAwake[root] ||
			brDynamics_IsLeftOut(dynamics, i))
		{
			continue;
		}
		islands += root == i;
		brDynamics_Frames(dynamics)[i].leansOn = leansOn[root];
		awake += 1;
		if (!bodies[i].isAwake)
		{
			islandWake(dynamics, i);
		}
	}
	dynamics->stats.islands = islands;
	dynamics->stats.awake = awake;
	return br_success;
}
