// SPDX-License-Identifier: MIT

// Islands: sets of dynamic bodies that hang together through contacts and joints, by union-find in pair order.
//
// They are made anew in every step over everything that touches, asleep or not, since that costs less than keeping them up to
// date. An island with one body awake is awake; it falls asleep as a whole when all its bodies have been slow for long enough.
// Sleeping bodies keep their contacts and impulses, so that waking shows no seam.

#include "base/forest.h"
#include "dynamics/dynamics.h"

// A body that was set aside stands like a static one.
static uint8_t islandLeans(const brBody* body)
{
	if (body->kind == br_bodyDynamic)
	{
		return body->isSetAside ? BR_LEANS_ON_STATIC : 0;
	}
	return body->kind == br_bodyStatic ? BR_LEANS_ON_STATIC : BR_LEANS_ON_KINEMATIC;
}

brResult brDynamics_Islands(brDynamics* dynamics, brReport* report)
{
	int32_t count = dynamics->bodies.count;
	brBody* bodies = dynamics->bodies.data;
	if (!brStageMemory_Ensure(&dynamics->parents, &dynamics->allocator, count, sizeof(int32_t)) ||
		!brStageMemory_Ensure(&dynamics->islandAwake, &dynamics->allocator, count, sizeof(uint8_t)) ||
		!brStageMemory_Ensure(&dynamics->islandLeansOn, &dynamics->allocator, count, sizeof(uint8_t)) ||
		!brDynamics_ReserveEnergy(dynamics) ||
		!BR_RESERVE(&dynamics->allocator, &dynamics->bodyEvents, 3 * (int64_t)count + dynamics->joints.count))
	{
		return brFailMemory(report);
	}
	int32_t* parents = dynamics->parents.data;
	uint8_t* isAwake = dynamics->islandAwake.data;
	uint8_t* leansOn = dynamics->islandLeansOn.data;
	for (int32_t i = 0; i < count; ++i)
	{
		parents[i] = i;
		isAwake[i] = 0;
		leansOn[i] = 0;
	}
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		if (contact->isTouching && bodies[contact->bodyA].invMass > 0.0 && bodies[contact->bodyB].invMass > 0.0)
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

	// One awake body wakes its island; so does a moving kinematic body that touches it.
	for (int32_t i = 0; i < count; ++i)
	{
		if (bodies[i].kind == br_bodyDynamic && brBody_IsMoving(&bodies[i]))
		{
			isAwake[brFindRoot(parents, i)] = 1;
		}
	}
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		for (int32_t side = 0; side < 2 && contact->isTouching; ++side)
		{
			int32_t mover = side == 0 ? contact->bodyA : contact->bodyB;
			int32_t other = side == 0 ? contact->bodyB : contact->bodyA;
			leansOn[brFindRoot(parents, other)] |= islandLeans(&bodies[mover]);
			bool isPushed = bodies[mover].kind == br_bodyKinematic && brDynamics_Frames(dynamics)[mover].motion > 0.0f;
			if (isPushed && bodies[other].kind == br_bodyDynamic)
			{
				isAwake[brFindRoot(parents, other)] = 1;
			}
		}
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0)
		{
			leansOn[brFindRoot(parents, joint->bodyB)] |= islandLeans(&bodies[joint->bodyA]);
			leansOn[brFindRoot(parents, joint->bodyA)] |= islandLeans(&bodies[joint->bodyB]);
			leansOn[brFindRoot(parents, joint->bodyA)] |= BR_HAS_JOINT;
			leansOn[brFindRoot(parents, joint->bodyB)] |= BR_HAS_JOINT;
		}
	}
	int32_t islands = 0, awake = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		if (bodies[i].kind != br_bodyDynamic || bodies[i].isSetAside || !isAwake[brFindRoot(parents, i)] ||
			brDynamics_IsLeftOut(dynamics, i))
		{
			continue;
		}
		islands += brFindRoot(parents, i) == i;
		brDynamics_Frames(dynamics)[i].leansOn = leansOn[brFindRoot(parents, i)];
		awake += 1;
		if (!bodies[i].isAwake)
		{
			brDynamics_Wake(dynamics, i);
			dynamics->bodyEvents.data[dynamics->bodyEvents.count++] =
				(brBodyEvent){.kind = br_eventBodyWoke, .id = brDynamics_BodyId(dynamics, i)};
		}
	}
	dynamics->stats.islands = islands;
	dynamics->stats.awake = awake;
	return br_success;
}
