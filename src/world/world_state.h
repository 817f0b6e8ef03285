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
};

/// Of the axes in which the shape of a body was made.
static inline brTransform brWorld_PoseOf(const brWorld* world, const brBody* body)
{
	const brTransform* frame = &world->dynamics.shapes.data[body->shape].shape->frame;
	brQuat q = brQuat_Normalize(brQuat_Mul(body->rotation, brQuat_Conjugate(frame->q)));
	return (brTransform){brDSub(body->position, brQuat_Rotate(q, frame->p)), q};
}
