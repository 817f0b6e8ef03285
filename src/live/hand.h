// SPDX-License-Identifier: MIT
#pragma once

// The hand that drags a body: a spring from a point of the body to a target, without overshoot, solved as if it were
// part of the step, so that it is stable for any stiffness, mass and form.

#include "brittle/break.h"

typedef struct brHand
{
	brBodyId body; // none: holds nothing
	brDVec3 point; // in the axes of the body's pose
	brDVec3 target;
	brMat3 invInertia;
	double mass;
} brHand;

/// Takes hold of a point given about the body's center of mass, as clients know it. `mesh` is the body's, in the axes of
/// its pose. Holds nothing if the body cannot move.
void brHand_Grab(brHand* hand, const brWorld* world, brBodyId body, const brMesh* mesh, brDVec3 point, brDVec3 target);

/// Pulls for one step of `dt` seconds that follows. Lets go of what is no longer there.
void brHand_Pull(brHand* hand, brWorld* world, double dt);
