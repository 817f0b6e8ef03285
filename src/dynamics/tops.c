// SPDX-License-Identifier: MIT

// Tops: bodies that turn far in a step for how unequal their moments are.
//
// The solver works with masses and levers as bodies lie when the step begins. An impulse at the tip of a needle gives
// it a large spin about its long axis, which is next to no energy; as soon as the needle lies otherwise the same spin
// is about an axis of ten thousand times the inertia, and the needle leaves the ground with a hundred times the energy
// it came with. A top therefore turns in each substep as a free body does, by its angular momentum, and its contacts
// follow it: levers, separations and masses are those of where it is. Impulses that go on from one substep to the next
// are kept as angular momentum too.
//
// Points of a body that rolls on its curves are not carried along: where it touches stays below it while its surface
// goes by.
//
// Kinematic bodies that turn are tops too: what friction holds on a turning disc has to be turned by it in every
// substep, since friction that could do so within a step cannot within an eighth of it, and the rest is slip, outwards.

#include "dynamics/solver.h"
#include "dynamics/tuning.h"

#include <string.h>

bool brIsTop(brDVec3 inertia, brDVec3 spin, double dt)
{
	double most = fmax(inertia.x, fmax(inertia.y, inertia.z)), least = fmin(inertia.x, fmin(inertia.y, inertia.z));
	bool isUnequal = most - least > 1e-6 * (inertia.x + inertia.y + inertia.z);
	return isUnequal && dt * dt * brDLengthSq(spin) * most > BR_TOP_TURN * BR_TOP_TURN * least;
}

bool brTopForgets(brDVec3 spin, double dt)
{
	return dt * dt * brDLengthSq(spin) > BR_TOP_FORGETS * BR_TOP_FORGETS;
}

// A vector in the world times principal moments.
static brDVec3 topTimes(brQuat rotation, brDVec3 moments, brDVec3 a)
{
	brDVec3 own = brQuat_InvRotate(rotation, a);
	return brQuat_Rotate(rotation, brMakeDVec3(moments.x * own.x, moments.y * own.y, moments.z * own.z));
}

// What impulses changed of the spin in this substep, as angular momentum: with the axes of before it would drive the
// top about its own axis.
static brDVec3 topPushed(const brBody* from, const brSolverState* state, const brSolverBody* body)
{
	brDVec3 spin = brMakeDVec3(state->spin[0], state->spin[1], state->spin[2]);
	return topTimes(body->rotation, from->inertia, brDSub(spin, brToDVec3(body->baseSpin)));
}

static void topSet(const brBody* from, brSolverState* state, brSolverBody* body, brQuat rotation, brDVec3 spin)
{
	state->spin[0] = (float)spin.x, state->spin[1] = (float)spin.y, state->spin[2] = (float)spin.z;
	brMat3 axes = brMakeMat3FromQuat(rotation);
	double share = (double)body->invMass * from->mass; // what stands under a load counts as heavier, see blocks.c
	brVec3 inverse = brToVec3(brDMul(share, from->invInertia));
	brSolverBody_SetInertia(body, inverse, brToVec3(axes.cx), brToVec3(axes.cy), brToVec3(axes.cz));
	body->rotation = rotation;
}

void brSolver_TurnDriven(const brBody* body, double t, brQuat* rotation)
{
	double speed = brDLength(body->spin);
	brQuat turn = brMakeQuatAxisAngle(brDMul(1.0 / speed, body->spin), t * speed);
	*rotation = brQuat_Normalize(brQuat_Mul(turn, *rotation));
}

void brSolver_TurnTop(const brDynamics* dynamics, int32_t index, double h, double dt)
{
	brSolverState* state = (brSolverState*)dynamics->states.data + index;
	brSolverBody* body = (brSolverBody*)dynamics->stateBodies.data + index;
	const brBody* from = &dynamics->bodies.data[body->body];
	if (!body->isDynamic)
	{
		brSolver_TurnDriven(from, h, &body->rotation);
		return;
	}
	brDVec3 pushed = topPushed(from, state, body);
	brDVec3 spin = brMakeDVec3(state->spin[0], state->spin[1], state->spin[2]);
	brQuat rotation = body->rotation;
	brTurnFreely(h, from->inertia, from->invInertia, &rotation, &spin);
	topSet(from, state, body, rotation, spin);
	body->isForgetful = !body->isRolling && brTopForgets(spin, dt);
	body->baseSpin = brToVec3(brDSub(spin, topTimes(rotation, from->invInertia, pushed)));
}

void brSolver_HitTop(const brDynamics* dynamics, int32_t index, brQuat rotation, brDVec3 spin)
{
	brSolverState* state = (brSolverState*)dynamics->states.data + index;
	brSolverBody* body = (brSolverBody*)dynamics->stateBodies.data + index;
	const brBody* from = &dynamics->bodies.data[body->body];
	brDVec3 pushed = topPushed(from, state, body);
	body->isTop = true;
	body->baseSpin = brToVec3(spin);
	topSet(from, state, body, rotation, brDAdd(spin, topTimes(rotation, from->invInertia, pushed)));
}

static brVec3 topCenter(const brContactBlock* block, int32_t lane, int side)
{
	const brLanes* center = side == 0 ? block->centerA : block->centerB;
	return brMakeVec3(center[0][lane], center[1][lane], center[2][lane]);
}

static brVec3 topFriction(const brContactBlock* block, int32_t lane)
{
	brVec3 n = {block->normal[0][lane], block->normal[1][lane], block->normal[2][lane]};
	brVec3 t = {block->tangent[0][lane], block->tangent[1][lane], block->tangent[2][lane]};
	return brMulAdd(brMul(block->tangentImpulse[0][lane], t), block->tangentImpulse[1][lane], brCross(n, t));
}

// The impulses of a contact are not those with which the next substep begins.
static void topForget(brSolverBody* body, brContactBlock* block, int32_t lane, int side)
{
	if (!body->isDynamic)
	{
		return;
	}
	brVec3 n = {block->normal[0][lane], block->normal[1][lane], block->normal[2][lane]};
	brVec3 push = topFriction(block, lane), moment = brCross(topCenter(block, lane, side), push);
	brVec3 roll = {block->rollingImpulse[0][lane], block->rollingImpulse[1][lane], block->rollingImpulse[2][lane]};
	moment = brAdd(moment, brMulAdd(roll, block->twistImpulse[lane], n));
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		const brPointLanes* point = &block->points[k];
		const brLanes* anchor = side == 0 ? point->anchorA : point->anchorB;
		brVec3 r = {anchor[0][lane], anchor[1][lane], anchor[2][lane]}, p = brMul(point->impulse[lane], n);
		push = brAdd(push, p);
		moment = brAdd(moment, brCross(r, p));
	}
	float sign = side == 0 ? -1.0f : 1.0f;
	body->baseVelocity = brMulAdd(body->baseVelocity, sign * body->invMass, push);
	body->baseSpin = brMulAdd(body->baseSpin, sign, brSolverBody_Turn(body, moment));
}

static void topForgetLane(brSolverBody* a, brSolverBody* b, brContactBlock* block, int32_t lane)
{
	topForget(a, block, lane, 0);
	topForget(b, block, lane, 1);
	block->tangentImpulse[0][lane] = block->tangentImpulse[1][lane] = block->twistImpulse[lane] = 0.0f;
	block->rollingImpulse[0][lane] = block->rollingImpulse[1][lane] = block->rollingImpulse[2][lane] = 0.0f;
	for (int32_t k = 0; k < block->pointCount; ++k)
	{
		block->points[k].impulse[lane] = 0.0f;
	}
}

void brSolver_ForgetTops(brDynamics* dynamics, brContactBlock* block)
{
	brSolverBody* bodies = dynamics->stateBodies.data;
	for (int32_t lane = 0; lane < BR_SOLVER_LANES && (block->tops & BR_BLOCK_FORGETS) != 0; ++lane)
	{
		int32_t a = block->stateA[lane], b = block->stateB[lane];
		if (block->manifold[lane] >= 0 && (bodies[a].isForgetful || bodies[b].isForgetful))
		{
			topForgetLane(&bodies[a], &bodies[b], block, lane);
		}
	}
}

void brSolver_MakeTurns(const brDynamics* dynamics, int32_t begin, int32_t end)
{
	brSolverState* states = dynamics->states.data;
	brSolverBody* bodies = dynamics->stateBodies.data;
	brSolverTurn* turns = dynamics->turns.data;
	for (int32_t i = begin; i < end; ++i)
	{
		brSolverBody* body = &bodies[i];
		brSolverTurn* out = &turns[i];
		*out = (brSolverTurn){.kind = br_turnNone};
		memcpy(out->invInertia, body->invInertia, sizeof(out->invInertia));
		if (!body->isTop)
		{
			continue;
		}
		brVec3 turned = {states[i].turned[0], states[i].turned[1], states[i].turned[2]};
		if (body->isRolling)
		{
			out->kind = br_turnRolling;
			out->turn[0] = turned.x, out->turn[1] = turned.y, out->turn[2] = turned.z;
		}
		else
		{
			// Less 1: what it moves a point by is small, and floats would lose most of it.
			out->kind = body->isForgetful ? br_turnForgets : br_turnCarried;
			brQuat q = brQuat_Mul(body->rotation, brQuat_Conjugate(body->followed));
			brMat3 m = brMakeMat3FromQuat(q);
			const double less[8] = {-2.0 * (q.y * q.y + q.z * q.z), m.cx.y, m.cx.z, m.cy.x,
									-2.0 * (q.x * q.x + q.z * q.z), m.cy.z, m.cz.x, m.cz.y};
			for (int k = 0; k < 8; ++k)
			{
				out->turn[k] = (float)less[k];
			}
			out->last = (float)(-2.0 * (q.x * q.x + q.y * q.y));
		}
		body->turned = brAdd(body->turned, turned);
		states[i].turned[0] = states[i].turned[1] = states[i].turned[2] = 0.0f;
		body->followed = body->rotation;
	}
}
