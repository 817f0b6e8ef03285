// SPDX-License-Identifier: MIT

// Taking back the last step of some islands, and making it again with other bodies in them.
//
// A body that breaks under what a step found out should not have done the step whole. Its island goes back to the step's
// start, the caller puts pieces in its place, and the island alone steps once more; everything else stays where the
// step brought it. For that a step of a world that asks for it (keepsStart) copies bodies, manifolds and joints once all contacts
// are known, just before anything moves: a quarter of a kilobyte a body and as much a manifold.
//
// Islands do not meet within a step, that is what makes them islands. So while one is stepped again the bodies of others
// lie still as if asleep, and no contact is looked for between the two. Kinematic bodies, which nothing stops, go back
// too, and afterwards to where they were.

#include "dynamics/dynamics.h"

#include <string.h>

brResult brDynamics_KeepStart(brDynamics* dynamics, brReport* report)
{
	const brAllocator* allocator = &dynamics->allocator;
	int32_t bodies = dynamics->bodies.count, contacts = dynamics->contacts.count, joints = dynamics->joints.count;
	brStepStart* start = &dynamics->start;
	if (!brStageMemory_Ensure(&start->bodies, allocator, bodies, sizeof(brBody)) ||
		!brStageMemory_Ensure(&start->manifolds, allocator, dynamics->activeCount, sizeof(brManifold)) ||
		!brStageMemory_Ensure(&start->wasTouching, allocator, contacts, sizeof(bool)) ||
		!brStageMemory_Ensure(&start->joints, allocator, joints, sizeof(brJoint)))
	{
		return brFailMemory(report);
	}
	start->bodyCount = bodies;
	start->jointCount = joints;
	start->activeCount = dynamics->activeCount;
	start->freeJoint = dynamics->freeJoint;
	start->usedJoints = dynamics->jointCount;
	start->contactEvents = dynamics->contactEvents.count;
	start->bodyEvents = dynamics->bodyEvents.count;
	if (bodies > 0)
	{
		memcpy(start->bodies.data, dynamics->bodies.data, sizeof(brBody) * (size_t)bodies);
	}
	if (joints > 0)
	{
		memcpy(start->joints.data, dynamics->joints.data, sizeof(brJoint) * (size_t)joints);
	}
	const int32_t* active = dynamics->active.data;
	for (int32_t i = 0; i < dynamics->activeCount; ++i)
	{
		((brManifold*)start->manifolds.data)[i] = *brDynamics_Manifold(dynamics, active[i]);
	}
	for (int32_t i = 0; i < contacts; ++i)
	{
		((bool*)start->wasTouching.data)[i] = dynamics->contacts.data[i].wasTouching;
	}
	start->isThere = true;
	return br_success;
}

void brDynamics_FreeStart(brDynamics* dynamics)
{
	brStageMemory* memories[] = {&dynamics->start.bodies, &dynamics->start.manifolds, &dynamics->start.wasTouching,
								 &dynamics->start.joints};
	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); ++i)
	{
		brStageMemory_Free(memories[i], &dynamics->allocator);
	}
}

static int32_t rollbackRoot(const brDynamics* dynamics, int32_t body)
{
	const int32_t* parents = dynamics->parents.data;
	while (parents[body] != body)
	{
		body = parents[body];
	}
	return body;
}

// All dynamic bodies of the islands of some, and everything kinematic.
static void rollbackMark(brDynamics* dynamics, const int32_t* bodies, int32_t count)
{
	uint8_t* again = dynamics->takesPart.data;
	const brBody* start = dynamics->start.bodies.data;
	uint8_t* isRoot = dynamics->islandAwake.data; // the step is over, nobody needs it
	memset(again, 0, (size_t)dynamics->start.bodyCount);
	memset(isRoot, 0, (size_t)dynamics->start.bodyCount);
	for (int32_t i = 0; i < count; ++i)
	{
		isRoot[rollbackRoot(dynamics, bodies[i])] = 1;
	}
	for (int32_t i = 0; i < dynamics->start.bodyCount; ++i)
	{
		bool isKinematic = start[i].kind == br_bodyKinematic;
		bool isTouched = start[i].kind == br_bodyDynamic && isRoot[rollbackRoot(dynamics, i)];
		again[i] = isKinematic || isTouched ? BR_TAKES_PART : 0;
	}
}

static bool rollbackHas(const brDynamics* dynamics, brBodyId id)
{
	return ((const uint8_t*)dynamics->takesPart.data)[id.index1 - 1] != 0;
}

// Joints of the islands as they were, those that broke included; joints of others that broke stay broken.
static void rollbackJoints(brDynamics* dynamics)
{
	const uint8_t* again = dynamics->takesPart.data;
	const brJoint* start = dynamics->start.joints.data;
	dynamics->freeJoint = dynamics->start.freeJoint;
	dynamics->jointCount = dynamics->start.usedJoints;
	for (int32_t i = 0; i < dynamics->start.jointCount; ++i)
	{
		brJoint* joint = &dynamics->joints.data[i];
		if (start[i].kind < 0)
		{
			continue;
		}
		if (again[start[i].bodyA] == BR_TAKES_PART || again[start[i].bodyB] == BR_TAKES_PART)
		{
			*joint = start[i];
		}
		else if (joint->kind < 0)
		{
			joint->next = dynamics->freeJoint;
			dynamics->freeJoint = i;
			dynamics->jointCount -= 1;
		}
	}
}

static void rollbackEvents(brDynamics* dynamics)
{
	int32_t kept = dynamics->start.contactEvents;
	for (int32_t i = kept; i < dynamics->contactEvents.count; ++i)
	{
		brContactEvent event = dynamics->contactEvents.data[i];
		const brBody* start = dynamics->start.bodies.data;
		// Of a kinematic or static body's contact the other decides.
		bool isA = start[event.bodyA.index1 - 1].kind == br_bodyDynamic;
		if (!rollbackHas(dynamics, isA ? event.bodyA : event.bodyB))
		{
			dynamics->contactEvents.data[kept++] = event;
		}
	}
	dynamics->contactEvents.count = kept;
	kept = dynamics->start.bodyEvents;
	for (int32_t i = kept; i < dynamics->bodyEvents.count; ++i)
	{
		brBodyEvent event = dynamics->bodyEvents.data[i];
		const brJoint* joint = event.kind == br_jointBroke ? &dynamics->joints.data[event.joint.index1 - 1] : NULL;
		bool isBack = joint != NULL ? joint->kind >= 0 && joint->generation == event.joint.generation
									: rollbackHas(dynamics, event.id);
		if (!isBack)
		{
			dynamics->bodyEvents.data[kept++] = event;
		}
	}
	dynamics->bodyEvents.count = kept;
}

brResult brDynamics_Rollback(brDynamics* dynamics, const int32_t* bodies, int32_t count, brReport* report)
{
	if (!dynamics->start.isThere)
	{
		return brFail(report, br_errorMisuse, "the last step kept no start to go back to");
	}
	dynamics->takesPart.count = 0;
	if (!BR_RESERVE(&dynamics->allocator, &dynamics->takesPart, dynamics->start.bodyCount))
	{
		return brFailMemory(report);
	}
	dynamics->takesPart.count = dynamics->start.bodyCount;
	rollbackMark(dynamics, bodies, count);
	const uint8_t* again = dynamics->takesPart.data;
	brBody* start = dynamics->start.bodies.data;
	for (int32_t i = 0; i < dynamics->start.bodyCount; ++i)
	{
		if (again[i])
		{
			brBody end = dynamics->bodies.data[i];
			dynamics->stats.setAside -= end.isSetAside && !start[i].isSetAside;
			dynamics->bodies.data[i] = start[i];
			start[i] = end.kind == br_bodyKinematic ? end : start[i];
		}
	}
	const int32_t* active = dynamics->active.data;
	for (int32_t i = 0; i < dynamics->start.activeCount; ++i)
	{
		const brContact* contact = brDynamics_ContactOf(dynamics, active[i]);
		int32_t mover = start[contact->bodyA].kind == br_bodyDynamic ? contact->bodyA : contact->bodyB;
		if (again[mover])
		{
			*brDynamics_Manifold(dynamics, active[i]) = ((const brManifold*)dynamics->start.manifolds.data)[i];
		}
	}
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		int32_t slot = dynamics->pairs.data[i].contact;
		brContact* contact = &dynamics->contacts.data[slot];
		int32_t mover = start[contact->bodyA].kind == br_bodyDynamic ? contact->bodyA : contact->bodyB;
		contact->wasTouching =
			again[mover] ? ((const bool*)dynamics->start.wasTouching.data)[slot] : contact->wasTouching;
	}
	rollbackJoints(dynamics);
	rollbackEvents(dynamics);
	dynamics->start.isRolledBack = true;
	return br_success;
}

// Bodies that came since the start take part.
static void rollbackAddNew(brDynamics* dynamics)
{
	uint8_t* takesPart = dynamics->takesPart.data;
	const brBody* start = dynamics->start.bodies.data;
	dynamics->takesPart.count = dynamics->bodies.count;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		bool isNew = i >= dynamics->start.bodyCount || start[i].generation != dynamics->bodies.data[i].generation;
		takesPart[i] = isNew ? BR_TAKES_PART : takesPart[i];
	}
}

// Kinematic bodies are where the whole step brought them.
static void rollbackMovers(brDynamics* dynamics)
{
	const brBody* start = dynamics->start.bodies.data;
	for (int32_t i = 0; i < dynamics->start.bodyCount; ++i)
	{
		brBody* body = &dynamics->bodies.data[i];
		*body = body->kind == br_bodyKinematic && body->generation == start[i].generation ? start[i] : *body;
	}
}

brResult brDynamics_StepAgain(brDynamics* dynamics, double dt, brReport* report)
{
	if (!dynamics->start.isRolledBack)
	{
		return brFail(report, br_errorMisuse, "no island has been rolled back");
	}
	brStepTime time = brMakeStepTime(&dynamics->def, dt, dynamics->def.substeps);
	brStepStats stats = dynamics->stats;
	brResult result = brDynamics_FindPairs(dynamics, dt, report);
	int32_t more = dynamics->bodies.count - dynamics->takesPart.count;
	if (result >= 0 && !BR_RESERVE(&dynamics->allocator, &dynamics->takesPart, more))
	{
		result = brFailMemory(report);
	}
	if (result < 0)
	{
		return result;
	}
	rollbackAddNew(dynamics);
	brDynamics_LeaveOut(dynamics);
	dynamics->keepsStart = false; // what it keeps is still needed
	result = brDynamics_StepStages(dynamics, &time, report);
	dynamics->keepsStart = true;
	brDynamics_LetIn(dynamics);
	if (result >= 0)
	{
		rollbackMovers(dynamics);
		dynamics->start.isThere = dynamics->start.isRolledBack = false;
		dynamics->contactEventEnd = dynamics->contactEvents.count;
		dynamics->bodyEventEnd = dynamics->bodyEvents.count;
	}
	// What the whole step did stays said; this part of it was done twice.
	stats.setAside = dynamics->stats.setAside;
	stats.bodies = dynamics->bodyCount;
	stats.joints = dynamics->jointCount;
	dynamics->stats = stats;
	return result;
}
