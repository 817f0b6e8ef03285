// SPDX-License-Identifier: MIT

// Bodies that turn too much under their contacts.
//
// Levers and normals of a contact stay as they are for a whole step, while points of a body that turns leave the
// straight line by half the square of the angle times their distance from its middle. Where that is more than a part of
// the thickness, a shard hinges about its contact and goes through the other with its far end, unseen. And what is
// thrown by a hit may reach bodies that were none of its neighbors. Both show in the solution, before anything has
// moved.

#include "base/forest.h"
#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#include <string.h>

// By how much points of a body may leave the straight line. What is small tips over within a step, and if its far end
// has come down too deep it is put back so high that it tips over in the next step, and so on for ever.
static float turningAllowed(const brBodyFrame* frame)
{
	bool isSmall = frame->motion - frame->speed > BR_SLICE_SMALL * frame->radius;
	return (isSmall ? BR_SLICE_SMALL_SAG : BR_SLICE_SAG) * frame->thickness;
}

bool brDynamics_IsSolvedAgain(const brDynamics* dynamics, const brContact* contact)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	bool isMeant = dynamics->step.hasSolids || a->invMass == 0.0 || b->invMass == 0.0;
	bool isElastic = fmaxf(a->restitution, b->restitution) > BR_BOUNCE_HALF;
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[contact->bodyB];
	bool isSmall = turningAllowed(frame) < BR_SLICE_SAG * frame->thickness;
	return isMeant && (isElastic || isSmall || dynamics->shapes.data[a->shape].shape->kind != br_shapeHalfSpace);
}

// By how much two bodies in contact leave their ways, in what is allowed: points their straight lines, and bodies that
// are hit the boxes in which their neighbors were looked for.
static float turningOf(const brDynamics* dynamics, const brContact* contact)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	const brBodyFrame* sides[2] = {&frames[contact->bodyA], &frames[contact->bodyB]};
	float sag = 0.0f, thrown = 0.0f;
	for (int k = 0; k < 2; ++k)
	{
		if (sides[k]->state >= 0)
		{
			const brSolverState* state = (const brSolverState*)dynamics->states.data + sides[k]->state;
			brVec3 turned = brSolver_Turned(state, (const brSolverBody*)dynamics->stateBodies.data + sides[k]->state);
			brVec3 moved = {state->moved[0], state->moved[1], state->moved[2]};
			sag += 0.5f * brDot(turned, turned) * sides[k]->radius;
			thrown = fmaxf(thrown, brLength(moved) - sides[k]->motion);
		}
	}
	float thickness = brSmallerSize(sides[0]->thickness, sides[1]->thickness);
	float allowed = brSmallerSize(turningAllowed(sides[0]), turningAllowed(sides[1]));
	return fmaxf(sqrtf(sag / allowed), thrown / (BR_SLICE_THROWN * thickness));
}

// The contact in a lane of a block, if it presses and its step may be made again; else null.
static const brContact* turningContact(const brDynamics* dynamics, int32_t index)
{
	const brContactBlock* block = (const brContactBlock*)dynamics->blocks.data + index / BR_SOLVER_LANES;
	int32_t lane = index % BR_SOLVER_LANES;
	float total = 0.0f;
	for (int32_t k = 0; k < block->pointCount && block->manifold[lane] >= 0; ++k)
	{
		total += block->points[k].total[lane];
	}
	const brContact* contact = total > 0.0f ? brDynamics_ContactOf(dynamics, block->manifold[lane]) : NULL;
	return contact != NULL && brDynamics_IsSolvedAgain(dynamics, contact) ? contact : NULL;
}

float brDynamics_MostTurning(const brDynamics* dynamics)
{
	float most = 0.0f;
	for (int32_t i = 0; i < BR_SOLVER_LANES * dynamics->blockCount; ++i)
	{
		const brContact* contact = turningContact(dynamics, i);
		most = contact != NULL ? fmaxf(most, turningOf(dynamics, contact)) : most;
	}
	return most;
}

// Whether some body turns or is thrown enough for the thinnest of all: true of hardly any step, and soon said.
static bool turningMayBe(const brDynamics* dynamics)
{
	float thinnest = INFINITY, allowed = INFINITY, sag = 0.0f, thrown = 0.0f;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		bool isThere = brBody_IsThere(&dynamics->bodies.data[i]) && frame->thickness > 0.0f;
		thinnest = isThere ? fminf(thinnest, frame->thickness) : thinnest;
		allowed = isThere ? fminf(allowed, turningAllowed(frame)) : allowed;
		if (isThere && frame->state >= 0)
		{
			const brSolverState* state = (const brSolverState*)dynamics->states.data + frame->state;
			brVec3 turned = brSolver_Turned(state, (const brSolverBody*)dynamics->stateBodies.data + frame->state);
			brVec3 moved = {state->moved[0], state->moved[1], state->moved[2]};
			sag = fmaxf(sag, brDot(turned, turned) * frame->radius); // of two bodies
			thrown = fmaxf(thrown, brLength(moved) - frame->motion);
		}
	}
	return sag > allowed || thrown > BR_SLICE_THROWN * thinnest;
}

enum
{
	turningHas = 1,
	turningReached = 2, // by what is thrown
};

// Islands that bodies reach which are thrown out of the boxes in which their neighbors were looked for.
static void turningReach(const brDynamics* dynamics, uint8_t* islands)
{
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	const brBody* bodies = dynamics->bodies.data;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brSolverState* state =
			(const brSolverState*)dynamics->states.data + (frames[i].state < 0 ? 0 : frames[i].state);
		float moved = brLength(brMakeVec3(state->moved[0], state->moved[1], state->moved[2]));
		if (frames[i].state < 0 || islands[brReadRoot(dynamics->parents.data, i)] != turningHas ||
			moved - frames[i].motion < BR_SLICE_THROWN * frames[i].thickness)
		{
			continue;
		}
		for (int32_t k = 0; k < dynamics->bodies.count; ++k)
		{
			double reach = (double)(frames[i].radius + frames[k].radius + moved + frames[k].motion);
			if (bodies[k].kind == br_bodyDynamic && islands[brReadRoot(dynamics->parents.data, k)] == 0 &&
				brDLengthSq(brDSub(bodies[i].position, bodies[k].position)) < reach * reach)
			{
				islands[brReadRoot(dynamics->parents.data, k)] = turningReached;
			}
		}
	}
}

// Hits on what can break are judged once a step, so that and what touches it makes the step in one go; and pieces are
// too many.
static void turningLeaveJudged(const brDynamics* dynamics, uint8_t* islands)
{
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		uint8_t* island = &islands[brReadRoot(dynamics->parents.data, i)];
		if (*island != 0 && brBody_IsThere(&dynamics->bodies.data[i]) && brDynamics_IsJudged(dynamics, i))
		{
			*island = 0;
		}
	}
	for (int32_t i = 0; i < BR_SOLVER_LANES * dynamics->blockCount; ++i)
	{
		const brContact* contact = turningContact(dynamics, i);
		if (contact == NULL)
		{
			continue;
		}
		uint8_t* first = &islands[brReadRoot(dynamics->parents.data, contact->bodyA)];
		uint8_t* second = &islands[brReadRoot(dynamics->parents.data, contact->bodyB)];
		if ((*first | *second) != 0 &&
			(brDynamics_IsJudged(dynamics, contact->bodyA) || brDynamics_IsJudged(dynamics, contact->bodyB)))
		{
			*first = *second = 0;
		}
	}
}

brResult brDynamics_FindTurning(brDynamics* dynamics, int32_t* outParts, brReport* report)
{
	int32_t bodyCount = dynamics->bodies.count;
	*outParts = 1;
	bool isWhirling = dynamics->step.h * dynamics->step.whirling > BR_WHIRL_TURN;
	if (!isWhirling && !(turningMayBe(dynamics) && brDynamics_MostTurning(dynamics) > 1.0f))
	{
		return br_success;
	}
	dynamics->takesPart.count = 0;
	if (!BR_RESERVE(&dynamics->allocator, &dynamics->takesPart, bodyCount) ||
		!brStageMemory_Ensure(&dynamics->partMost, &dynamics->allocator, bodyCount, sizeof(float)))
	{
		return brFailMemory(report);
	}
	dynamics->takesPart.count = bodyCount;
	uint8_t* isTurning = dynamics->islandAwake.data; // by root; nobody needs it any more
	memset(isTurning, 0, (size_t)bodyCount);
	for (int32_t i = 0; i < BR_SOLVER_LANES * dynamics->blockCount; ++i)
	{
		const brContact* contact = turningContact(dynamics, i);
		if (contact != NULL && (isWhirling || turningOf(dynamics, contact) > 1.0f))
		{
			isTurning[brReadRoot(dynamics->parents.data, contact->bodyA)] = turningHas;
			isTurning[brReadRoot(dynamics->parents.data, contact->bodyB)] = turningHas;
		}
	}
	turningReach(dynamics, isTurning);
	if (dynamics->step.hook != NULL)
	{
		turningLeaveJudged(dynamics, isTurning);
	}
	int64_t weight = 0;
	for (int32_t i = 0; i < bodyCount; ++i)
	{
		bool takesPart =
			dynamics->bodies.data[i].kind == br_bodyDynamic && isTurning[brReadRoot(dynamics->parents.data, i)];
		dynamics->takesPart.data[i] = takesPart ? BR_TAKES_PART : 0;
		weight += takesPart ? brDynamics_SliceWeight(dynamics, i) : 0;
	}
	int64_t most = weight > 0 ? BR_SLICE_BODIES / weight : 1;
	*outParts = most < 1 ? 1 : most < BR_SLICE_MAX ? (int32_t)most : BR_SLICE_MAX;
	return br_success;
}
