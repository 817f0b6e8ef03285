// SPDX-License-Identifier: MIT

// Where energy goes, step by step.
//
// All impulses P_i of a step change the kinetic energy by the sum of P_i . (u_i + u_i') / 2, where u and u' are the relative velocities of
// their places before and after the step: exactly so, as long as levers and inertia stay, which they do within a step. So the sums of what
// contacts pressed and rubbed are enough, and nothing is measured inside the substeps. Hits at more than the speed of bounces change
// velocities at once; they are taken first, with the velocities at their time (bounce.c), and contacts begin with what hits left.
// Damping is known from its rate. What then still lacks or is too much is the solver's: overlap pushed out, bodies set back, laws of energy and
// momentum that were enforced, motion that sleep stopped, joints with their motors and springs, inertia that turns with the body.

#include "dynamics/solver.h"

typedef struct BookWork
{
	brDynamics* dynamics;
	const brSolverKernels* kernels;
} BookWork;

static void bookBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const BookWork* work = user;
	brContactBlock* blocks = (brContactBlock*)work->dynamics->blocks.data + begin;
	work->kernels->work(blocks, end - begin, work->dynamics->means.data);
}

// What contacts take from their two sides, normal and friction [J], if these move as `means` says.
static void bookContacts(brDynamics* dynamics, double out[2])
{
	BookWork work = {dynamics, brGetSolverKernels(dynamics->def.lanes)};
	brParallelFor(dynamics->context.workers, dynamics->blockCount, 64, bookBlocks, &work);
	const brContactBlock* blocks = dynamics->blocks.data;
	out[0] = out[1] = 0.0;
	for (int32_t i = 0; i < dynamics->blockCount; ++i)
	{
		for (int32_t lane = 0; lane < BR_SOLVER_LANES; ++lane)
		{
			out[0] -= (double)blocks[i].work[0][lane];
			out[1] -= (double)blocks[i].work[1][lane];
		}
	}
}

// Velocities in the middle of the step, of dynamic bodies or of kinematic ones, the others taken as still. False if nothing moves.
static bool bookMeans(brDynamics* dynamics, bool isDynamic)
{
	const brSolverState* states = dynamics->states.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	brSolverState* means = dynamics->means.data;
	bool isAny = false;
	for (int32_t i = 0; i < dynamics->stateCount; ++i)
	{
		means[i] = (brSolverState){0};
		if (i == BR_REST_STATE || (!isDynamic && bodies[i].isDynamic))
		{
			continue;
		}
		const brBody* body = &dynamics->bodies.data[bodies[i].body];
		const double before[6] = {body->velocity.x, body->velocity.y, body->velocity.z,
								  body->spin.x,     body->spin.y,     body->spin.z};
		const float hit[6] = {bodies[i].hitVelocity.x, bodies[i].hitVelocity.y, bodies[i].hitVelocity.z,
							  bodies[i].hitSpin.x,     bodies[i].hitSpin.y,     bodies[i].hitSpin.z};
		for (int k = 0; k < 3; ++k)
		{
			means[i].velocity[k] = 0.5f * ((float)before[k] + hit[k] + states[i].velocity[k]);
			means[i].spin[k] = 0.5f * ((float)before[k + 3] + hit[k + 3] + states[i].spin[k]);
			isAny = isAny || means[i].velocity[k] != 0.0f || means[i].spin[k] != 0.0f;
		}
	}
	return isAny;
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

void brDynamics_BookContacts(brDynamics* dynamics)
{
	brEnergyBooks* books = &dynamics->books;
	brEnergyBooks* step = &dynamics->step.books;
	*step = dynamics->step.hits;
	if (dynamics->blockCount > 0 && bookMeans(dynamics, true))
	{
		double lost[2];
		bookContacts(dynamics, lost);
		step->restitution += lost[0];
		step->friction += lost[1];
		if (bookMeans(dynamics, false))
		{
			bookContacts(dynamics, lost);
			step->driven += lost[0] + lost[1];
		}
	}
	books->restitution += step->restitution;
	books->friction += step->friction;
	books->driven += step->driven;
}

void brDynamics_BookRest(brDynamics* dynamics, const brStepTime* time)
{
	const brEnergyBooks* step = &dynamics->step.books;
	double lost = 0.0, damped = 0.0;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		if (frame->isBooked)
		{
			double fall =
				body->mass * (double)body->gravityScale * brDDot(dynamics->def.gravity, brToDVec3(frame->moved));
			lost += frame->kinetic + fall - brBody_Kinetic(body);
			damped += bookDamping(dynamics, i, time);
		}
	}
	dynamics->books.damping += damped;
	dynamics->books.solver += lost + step->driven - step->restitution - step->friction - damped;
}
