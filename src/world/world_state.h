// SPDX-License-Identifier: MIT
#pragma once

#include "dynamics/dynamics.h"
#include "world/break_state.h"
#include "world/query_tree.h"

struct brWorld
{
	brDynamics dynamics;
	brBreaking breaking;
	brPairFilter pairFilter;
	brQueryTree* queries; // questions build it, so it changes behind a const world
	bool isLoadTold;      // that something carries too much for so few substeps
};

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
