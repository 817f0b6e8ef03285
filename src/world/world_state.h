// SPDX-License-Identifier: MIT
#pragma once

#include "base/os.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"
#include "world/break_state.h"
#include "world/query_tree.h"

/// A step on a thread of its own.
typedef struct brStepBeside
{
	brThread thread;
	brStepDoneFcn* done;
	void* user;
	double dt;
	brResult result;
	brReport report;
	bool isUnderWay;
	bool hasThread; // else it was taken at once
} brStepBeside;

struct brWorld
{
	brDynamics dynamics;
	brBreaking breaking;
	brPairFilter pairFilter;
	brQueryTree* queries; // questions build it, so it changes behind a const world
	bool isLoadTold;      // that something carries too much for so few substeps
	brStepBeside beside;
};

/// Adds a body. A shape that is `taken`, the def's and by the world's allocator, is not copied: if there was none like it
/// the world has it, whether there is a body or not, and it is null.
brBodyId brWorld_AddBody(brWorld* world, const brBodyDef* def, brShape** taken, brReport* report);

/// Whether a shape lies in its own axes as it was made: spheres, boxes, capsules.
static inline bool brTransform_IsIdentity(const brTransform* t)
{
	return t->p.x == 0.0 && t->p.y == 0.0 && t->p.z == 0.0 && t->q.x == 0.0 && t->q.y == 0.0 && t->q.z == 0.0 &&
		   t->q.w == 1.0;
}

/// Of the axes in which the shape of a body was made.
static inline brTransform brWorld_PoseOf(const brWorld* world, const brBody* body)
{
	const brTransform* frame = &world->dynamics.shapes.data[body->shape].shape->frame;
	if (brTransform_IsIdentity(frame))
	{
		return (brTransform){body->position, brQuat_Normalize(body->rotation)};
	}
	brQuat q = brQuat_Normalize(brQuat_Mul(body->rotation, brQuat_Conjugate(frame->q)));
	return (brTransform){brDSub(body->position, brQuat_Rotate(q, frame->p)), q};
}

/// Where bodies can be, and how fast; other numbers are refused.
static inline bool brIsPlace(brDVec3 p)
{
	return fabs(p.x) < BR_MAX_POSITION && fabs(p.y) < BR_MAX_POSITION && fabs(p.z) < BR_MAX_POSITION;
}

static inline bool brIsMotion(brDVec3 velocity, brDVec3 spin)
{
	return brDLengthSq(velocity) < BR_MAX_SPEED * BR_MAX_SPEED && brDLengthSq(spin) < BR_MAX_SPEED * BR_MAX_SPEED;
}

static inline bool brIsNumberFrom(double x, double lower)
{
	return x >= lower && isfinite(x);
}

/// Slot of an id, or -1.
static inline int32_t brWorld_BodySlot(const brWorld* world, brBodyId id)
{
	int32_t index = id.index1 > 0 ? id.index1 - 1 : -1;
	bool isThere = world != NULL && index >= 0 && index < world->dynamics.bodies.count &&
				   brBody_IsThere(&world->dynamics.bodies.data[index]) &&
				   world->dynamics.bodies.data[index].generation == id.generation;
	return isThere ? index : -1;
}

static inline int32_t brWorld_JointSlot(const brWorld* world, brJointId id)
{
	int32_t index = id.index1 > 0 ? id.index1 - 1 : -1;
	bool isThere = world != NULL && index >= 0 && index < world->dynamics.joints.count &&
				   world->dynamics.joints.data[index].kind >= 0 &&
				   world->dynamics.joints.data[index].generation == id.generation;
	return isThere ? index : -1;
}
