// SPDX-License-Identifier: MIT

// Pairs that were to pass by each other, and will not.
//
// Fast pairs are met ahead on the way they go before anything is solved (meet.c). What hits something else on that way
// goes another. So when the solver has found how bodies move, and before they do, pairs without a contact that are off
// the way they were asked about are asked once more, from where they are to where the solver brings them. If some meet,
// they get contacts there and the step is solved again with all of them. Contacts only ever become more, so a few
// rounds settle it.

#include "dynamics/solver.h"
#include "dynamics/tuning.h"

typedef struct AgainWork
{
	brDynamics* dynamics;
	const brStepTime* time;
	uint8_t* isMet; // by pair
} AgainWork;

// What the solver makes of a body's way.
typedef struct AgainWay
{
	brDVec3 velocity, spin;
} AgainWay;

// False if it does not move it.
static bool againWay(const brDynamics* dynamics, int32_t index, double dt, AgainWay* way)
{
	int32_t stateIndex = brDynamics_Frames(dynamics)[index].state;
	if (stateIndex < 0)
	{
		return false;
	}
	const brSolverState* state = (const brSolverState*)dynamics->states.data + stateIndex;
	brDVec3 moved = brMakeDVec3(state->moved[0], state->moved[1], state->moved[2]);
	const brSolverBody* body = (const brSolverBody*)dynamics->stateBodies.data + stateIndex;
	brDVec3 turned = brToDVec3(brSolver_Turned(state, body));
	double angle = brDLength(turned);
	turned = angle > BR_MAX_TURN ? brDMul(BR_MAX_TURN / angle, turned) : turned;
	*way = (AgainWay){brDMul(1.0 / dt, moved), brDMul(1.0 / dt, turned)};
	return true;
}

// Puts it into a path. Returns by how much it differs from the one before it.
static double againTurnAside(const brDynamics* dynamics, int32_t index, double dt, brPairPath* path, int k)
{
	AgainWay way;
	if (!againWay(dynamics, index, dt, &way))
	{
		return 0.0;
	}
	double off = dt * (brDDistance(way.velocity, path->velocities[k]) +
					   (double)path->shapes[k]->radius * brDDistance(way.spin, path->spins[k]));
	path->velocities[k] = way.velocity;
	path->spins[k] = way.spin;
	return off;
}

// Whether two bodies that the solver moves are fast and near enough to meet: most are not, which is soon told.
static bool againMayMeet(const brDynamics* dynamics, const brContact* contact, double dt, double thickness)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	AgainWay ways[2];
	if (!againWay(dynamics, contact->bodyA, dt, &ways[0]) || !againWay(dynamics, contact->bodyB, dt, &ways[1]))
	{
		return true; // not known
	}
	double radiusA = (double)brDynamics_Frames(dynamics)[contact->bodyA].radius,
		   radiusB = (double)brDynamics_Frames(dynamics)[contact->bodyB].radius;
	double motion = dt * (brDDistance(ways[0].velocity, ways[1].velocity) + brDLength(ways[0].spin) * radiusA +
						  brDLength(ways[1].spin) * radiusB);
	double apart = brDDistance(a->position, b->position) - radiusA - radiusB;
	return motion >= BR_MEETING_THICKNESSES * thickness && apart <= motion;
}

// By how much the way of a body differs from the one it was last asked about; INFINITY if it was not asked.
static double againChange(const brDynamics* dynamics, int32_t index, double dt)
{
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	AgainWay way;
	if (frame->state < 0 || !frame->isAsked)
	{
		return frame->state < 0 ? 0.0 : INFINITY;
	}
	(void)againWay(dynamics, index, dt, &way);
	return brDDistance(brDMul(dt, way.velocity), brToDVec3(frame->askedMoved)) +
		   (double)frame->radius * brDDistance(brDMul(dt, way.spin), brToDVec3(frame->askedTurned));
}

static bool againMeets(const brDynamics* dynamics, brContact* contact, double dt)
{
	const brBodyFrame *a = &brDynamics_Frames(dynamics)[contact->bodyA],
					  *b = &brDynamics_Frames(dynamics)[contact->bodyB];
	// What the frames tell comes first: bodies lie far apart in memory.
	if (contact->isTouching || (a->state < 0 && b->state < 0))
	{
		return false;
	}
	double thickness = (double)brSmallerSize(a->thickness, b->thickness);
	// What stayed apart by a margin still does if it hardly goes another way.
	double change = againChange(dynamics, contact->bodyA, dt) + againChange(dynamics, contact->bodyB, dt);
	if (change < BR_CONTACT_MARGIN * thickness || !againMayMeet(dynamics, contact, dt, thickness) ||
		!brDynamics_IsSolvedAgain(dynamics, contact) ||
		brBody_IsSensed(&dynamics->bodies.data[contact->bodyA], &dynamics->bodies.data[contact->bodyB]) ||
		brDynamics_IsLeftOut(dynamics, contact->bodyA) || brDynamics_IsLeftOut(dynamics, contact->bodyB))
	{
		return false;
	}
	brPairPath path = brMakePairPath(dynamics, contact, dt);
	double off =
		againTurnAside(dynamics, contact->bodyA, dt, &path, 0) + againTurnAside(dynamics, contact->bodyB, dt, &path, 1);
	path.closing = brDDistance(path.velocities[0], path.velocities[1]) + brDLength(path.spins[0]) * (double)a->radius +
				   brDLength(path.spins[1]) * (double)b->radius;
	double motion = dt * path.closing;
	double apart = brDDistance(path.positions[0], path.positions[1]) - (double)a->radius - (double)b->radius;
	if (off < BR_MEET_OFF * thickness || motion < BR_MEETING_THICKNESSES * thickness || apart > motion)
	{
		return false;
	}
	brMeeting meeting;
	if (!brPairPath_Meet(&path, &contact->memory, &meeting))
	{
		return false;
	}
	brContact_SetMeeting(dynamics, contact, &meeting);
	return true;
}

static void againRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const AgainWork* work = user;
	for (int32_t i = begin; i < end; ++i)
	{
		work->isMet[i] = againMeets(work->dynamics, brDynamics_PairContact(work->dynamics, i), work->time->dt);
	}
}

// The ways that all have been asked about.
static void againRemember(const brDynamics* dynamics, double dt)
{
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		AgainWay way;
		frame->isAsked = againWay(dynamics, i, dt, &way);
		if (frame->isAsked)
		{
			frame->askedMoved = brToVec3(brDMul(dt, way.velocity));
			frame->askedTurned = brToVec3(brDMul(dt, way.spin));
		}
	}
}

int32_t brDynamics_MeetAgain(brDynamics* dynamics, const brStepTime* time)
{
	int32_t count = dynamics->pairs.count, met = 0;
	// The colors of manifolds have been used.
	AgainWork work = {dynamics, time, dynamics->keys[1].data};
	brParallelFor(dynamics->context.workers, count, 16, againRange, &work);
	for (int32_t i = 0; i < count; ++i)
	{
		met += work.isMet[i];
	}
	if (met > 0)
	{
		againRemember(dynamics, time->dt);
		brDynamics_DropStates(dynamics);
	}
	return met;
}
