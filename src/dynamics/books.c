// SPDX-License-Identifier: MIT

// Where energy goes, step by step.
//
// All impulses P_i of a step change the kinetic energy by the sum of P_i . (u_i + u_i') / 2, where u and u' are the
// relative velocities of their places before and after the step: exactly so, as long as levers and inertia stay. Then
// the sums of what contacts pressed and rubbed are enough; where bodies hit each other or contacts follow a top
// (tops.c) the same is done for each substep. Hits at more than the speed of bounces change velocities at once; they
// are taken first, with the velocities at their time (bounce.c), and contacts begin with what hits left. Damping is
// known from its rate. What then still lacks or is too much is the solver's: overlap pushed out, bodies set back, laws
// of energy and momentum that were enforced, motion that sleep stopped, joints with their motors and springs, inertia
// that turns with the body.

#include "dynamics/solver.h"

#include <string.h>

#define BOOK_SLACK 0.01
#define BOOK_BLOCKS 64 // are a worker's at a time

// What contacts take while bodies move as the means say.
static void bookBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brDynamics* dynamics = user;
	const brSolverKernels* kernels = brGetSolverKernels(dynamics->def.lanes);
	kernels->work((brContactBlock*)dynamics->blocks.data + begin, end - begin, dynamics->means.data, false);
}

// The part of that which kinematic bodies give: they are the second part of the means, with all others at rest.
static void bookDriven(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brDynamics* dynamics = user;
	const brSolverKernels* kernels = brGetSolverKernels(dynamics->def.lanes);
	const brSolverState* driven = (const brSolverState*)dynamics->means.data + dynamics->stateCount;
	kernels->work((brContactBlock*)dynamics->blocks.data + begin, end - begin, driven, true);
}

// Adds a half of the velocities to the means, with what hits of this step changed or without.
static void bookHalf(const brDynamics* dynamics, int32_t index, float hits)
{
	const brSolverBody* body = (const brSolverBody*)dynamics->stateBodies.data + index;
	const brSolverState* from = (const brSolverState*)dynamics->states.data + index;
	brSolverState* means = (brSolverState*)dynamics->means.data + index;
	const float hit[6] = {body->hitVelocity.x, body->hitVelocity.y, body->hitVelocity.z,
						  body->hitSpin.x,     body->hitSpin.y,     body->hitSpin.z};
	for (int k = 0; k < 3; ++k)
	{
		means->velocity[k] += 0.5f * (from->velocity[k] + hits * hit[k]);
		means->spin[k] += 0.5f * (from->spin[k] + hits * hit[k + 3]);
	}
}

void brDynamics_BookBefore(brDynamics* dynamics, int32_t begin, int32_t end)
{
	for (int32_t i = begin; i < end; ++i)
	{
		((brSolverState*)dynamics->means.data)[i] = (brSolverState){0};
		if (i != BR_REST_STATE)
		{
			bookHalf(dynamics, i, -1.0f);
		}
	}
}

void brDynamics_BookAfter(brDynamics* dynamics, int32_t begin, int32_t end)
{
	brSolverState* means = dynamics->means.data;
	for (int32_t i = begin > BR_REST_STATE ? begin : BR_REST_STATE + 1; i < end; ++i)
	{
		bookHalf(dynamics, i, 1.0f);
		// What counts for more than its mass moves by less, and so does its energy.
		float share = dynamics->step.hasShares ? brDynamics_Share(dynamics, i) : 1.0f;
		for (int k = 0; k < 3 && share != 1.0f; ++k)
		{
			means[i].velocity[k] *= share;
			means[i].spin[k] *= share;
		}
	}
}

void brDynamics_BookBlocks(brDynamics* dynamics, int32_t begin, int32_t end)
{
	bookBlocks(begin, end, 0, dynamics);
}

void brDynamics_BookDriven(brDynamics* dynamics)
{
	const brSolverBody* bodies = dynamics->stateBodies.data;
	brSolverState *means = dynamics->means.data, *driven = means + dynamics->stateCount;
	for (int32_t i = 0; i < dynamics->stateCount; ++i)
	{
		driven[i] = i == BR_REST_STATE || bodies[i].isDynamic ? (brSolverState){0} : means[i];
	}
	brParallelFor(dynamics->context.workers, dynamics->blockCount, BOOK_BLOCKS, bookDriven, dynamics);
}

// Loss by damping: a substep keeps a part of the velocities, which go from those of the start to those of the end.
static double bookDamping(const brDynamics* dynamics, int32_t index, const brStepTime* time)
{
	const brBody* body = &dynamics->bodies.data[index];
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	double linear = 1.0 / (1.0 + time->h * (double)body->linearDamping);
	double angular = 1.0 / (1.0 + time->h * (double)body->angularDamping);
	if (frame->state >= 0)
	{
		const brSolverBody* solved = (const brSolverBody*)dynamics->stateBodies.data + frame->state;
		linear = (double)solved->linearKeep, angular = (double)solved->angularKeep;
	}
	if (linear == 1.0 && angular == 1.0)
	{
		return 0.0;
	}
	double after = brBody_Kinetic(body), straight = 0.5 * body->mass * brDLengthSq(body->velocity);
	double before = frame->kinetic, straightBefore = 0.5 * body->mass * brDLengthSq(brToDVec3(frame->velocity));
	double half = 0.5 * time->substeps;
	return half * ((1.0 - linear * linear) * (straight + straightBefore) +
				   (1.0 - angular * angular) * fmax(after - straight + before - straightBefore, 0.0));
}

double brBody_Energy(const brDynamics* dynamics, const brBody* body)
{
	return brBody_Kinetic(body) -
		   body->mass * (double)body->gravityScale * brDDot(dynamics->def.gravity, body->position);
}

// The whole step at once, from the velocities that bodies still have.
static void bookStep(brDynamics* dynamics)
{
	const brSolverBody* bodies = dynamics->stateBodies.data;
	brSolverState* means = dynamics->means.data;
	memset(means, 0, sizeof(brSolverState) * (size_t)dynamics->stateCount);
	for (int32_t i = 1; i < dynamics->stateCount; ++i)
	{
		const brBody* body = &dynamics->bodies.data[bodies[i].body];
		brVec3 v = brMul(0.5f, brToVec3(body->velocity)), w = brMul(0.5f, brToVec3(body->spin));
		means[i] = (brSolverState){.velocity = {v.x, v.y, v.z, 0.0f}, .spin = {w.x, w.y, w.z, 0.0f}};
	}
	brDynamics_BookAfter(dynamics, 0, dynamics->stateCount);
	if (dynamics->step.hasDrivers)
	{
		brDynamics_BookDriven(dynamics);
	}
	brParallelFor(dynamics->context.workers, dynamics->blockCount, BOOK_BLOCKS, bookBlocks, dynamics);
}

void brDynamics_BookContacts(brDynamics* dynamics)
{
	brEnergyBooks* step = &dynamics->step.books;
	*step = dynamics->step.hits;
	if (!dynamics->step.areContactsBooked && dynamics->blockCount > 0)
	{
		bookStep(dynamics);
	}
	const brContactBlock* blocks = dynamics->blocks.data;
	for (int32_t i = 0; i < dynamics->blockCount; ++i)
	{
		for (int32_t lane = 0; lane < BR_SOLVER_LANES; ++lane)
		{
			step->restitution -= (double)blocks[i].work[0][lane];
			step->friction -= (double)blocks[i].work[1][lane];
			step->driven -= (double)blocks[i].work[2][lane];
		}
	}
}

void brDynamics_BookRest(brDynamics* dynamics, const brStepTime* time)
{
	brEnergyBooks *books = &dynamics->books, step = dynamics->step.books;
	double lost = 0.0, there = fmax(step.driven, 0.0);
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		if (frame->isBooked)
		{
			double weight = body->mass * (double)body->gravityScale;
			double fall = weight * brDDot(dynamics->def.gravity, brToDVec3(frame->moved));
			lost += frame->kinetic + fall - brBody_Kinetic(body);
			there += frame->kinetic + fmax(fall, 0.0);
			step.damping += bookDamping(dynamics, i, time);
		}
	}
	// In a jam impulses are many times what moves, and their sums say nothing: contacts never give, nor take more than
	// there is.
	bool isSound = step.friction > -BOOK_SLACK * there && step.restitution > -BOOK_SLACK * there &&
				   step.friction + step.restitution < (1.0 + BOOK_SLACK) * there;
	if (isSound)
	{
		books->friction += step.friction;
		books->restitution += step.restitution;
		lost -= step.friction + step.restitution;
	}
	books->damping += step.damping;
	books->driven += step.driven;
	books->solver += lost + step.driven - step.damping;
}
