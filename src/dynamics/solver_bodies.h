// SPDX-License-Identifier: MIT
#pragma once

// The bodies that contacts move, and how forces move them in a substep. Compiles as C17 and as OpenCL C 1.2, with the
// same bits.

#include "base/far.h"

/// A moving body inside the step. One cache line.
typedef struct brSolverState
{
	float velocity[4] __attribute__((aligned(64))); // the fourth is 0
	float spin[4];
	float moved[4];  // since the step's start
	float turned[4]; // rotation vector, likewise; of a top: since its contacts followed it
} brSolverState;

/// What only the passes over bodies need.
typedef struct brSolverBody
{
	brVec3 baseVelocity, baseSpin; // after forces, before impulses of this substep
	brVec3 push;                   // velocity gained in a substep
	float linearKeep, angularKeep; // damping
	float invMass;
	float invInertia[6]; // in the world: xx yy zz xy xz yz
	brVec3 inertia;      // principal
	int32_t body;
	uint8_t isDynamic;
	uint8_t isGyroscopic;
	uint8_t isTop;               // it turns by its own law in each substep, not by the implicit one, see tops.c
	uint8_t isRolling;           // on its curves: where it touches is not carried along
	uint8_t isForgetful;         // a top that turns by much in a step
	uint8_t isPushed;            // by something other than gravity, in some substep
	brVec3 hitVelocity, hitSpin; // what hits changed in this step
	brQuat rotation;             // of a top: now
	brQuat followed;             // where its contacts are
	brVec3 turned;               // until then
} brSolverBody;

/// Principal axes of a body at the step's start.
typedef struct brSolverAxes
{
	brVec3 x, y, z;
} brSolverAxes;

/// Whether impulses of this substep have changed its motion.
static inline bool brSolver_IsPushed(const BR_FAR brSolverState* state, const brSolverBody* body)
{
	const BR_FAR float *v = state->velocity, *w = state->spin;
	return v[0] != body->baseVelocity.x || v[1] != body->baseVelocity.y || v[2] != body->baseVelocity.z ||
		   w[0] != body->baseSpin.x || w[1] != body->baseSpin.y || w[2] != body->baseSpin.z;
}

// The spin after h without torque, implicit so that it cannot grow: one Newton step of I w' + h w' x I w' = I w in the
// body's axes (Catto 2015).
static inline brVec3 brSolver_Gyroscopic(const brSolverBody* body, const brSolverAxes* f, brVec3 spin, float h)
{
	// Only ratios of the moments matter; a power of two brings those of a splinter up to where their product is no
	// denormal.
	int exponent;
	(void)frexpf(body->inertia.x + body->inertia.y + body->inertia.z, &exponent);
	brVec3 w = {brDot(f->x, spin), brDot(f->y, spin), brDot(f->z, spin)};
	brVec3 i = brMul(ldexpf(1.0f, -exponent), body->inertia);
	brVec3 l = {i.x * w.x, i.y * w.y, i.z * w.z};
	brVec3 r = brMul(h, brCross(w, l));
	// Jacobian I + h (skew(w) I - skew(I w)), by columns.
	brVec3 cx = {i.x, h * (w.z * i.x - l.z), h * (l.y - w.y * i.x)};
	brVec3 cy = {h * (l.z - w.z * i.y), i.y, h * (w.x * i.y - l.x)};
	brVec3 cz = {h * (w.y * i.z - l.y), h * (l.x - w.x * i.z), i.z};
	brVec3 yz = brCross(cy, cz);
	float det = brDot(cx, yz);
	if (!(det > 0.0f))
	{
		return spin;
	}
	float s = 1.0f / det;
	brVec3 d = {s * brDot(r, yz), s * brDot(cx, brCross(r, cz)), s * brDot(cx, brCross(cy, r))};
	brVec3 next = brSub(w, d);
	// One Newton step is far off where it turns by radians, and may end anywhere; but never with more energy.
	float before = brDot(w, l), after = i.x * next.x * next.x + i.y * next.y * next.y + i.z * next.z * next.z;
	next = after > before ? brMul(sqrtf(before / after), next) : next;
	return brMakeVec3(f->x.x * next.x + f->y.x * next.y + f->z.x * next.z,
					  f->x.y * next.x + f->y.y * next.y + f->z.y * next.z,
					  f->x.z * next.x + f->y.z * next.y + f->z.z * next.z);
}

/// Forces of a substep, and in all but the first the impulses of the one before: a warm start.
static inline void brSolver_Force(BR_FAR brSolverState* state, brSolverBody* body, const brSolverAxes* axes, float h,
								  bool isFirst)
{
	if (!body->isDynamic)
	{
		return;
	}
	BR_FAR float *v = state->velocity, *w = state->spin;
	brVec3 velocity = {v[0], v[1], v[2]}, spin = {w[0], w[1], w[2]};
	brVec3 zero = {0.0f, 0.0f, 0.0f};
	brVec3 impulse = isFirst ? zero : brSub(velocity, body->baseVelocity);
	brVec3 twist = isFirst ? zero : brSub(spin, body->baseSpin);
	if (body->isGyroscopic && !body->isTop)
	{
		spin = brSolver_Gyroscopic(body, axes, spin, h);
	}
	body->baseVelocity = brAdd(brMul(body->linearKeep, velocity), body->push);
	body->baseSpin = brMul(body->angularKeep, spin);
	brVec3 nextVelocity = brAdd(body->baseVelocity, impulse), nextSpin = brAdd(body->baseSpin, twist);
	v[0] = nextVelocity.x, v[1] = nextVelocity.y, v[2] = nextVelocity.z;
	w[0] = nextSpin.x, w[1] = nextSpin.y, w[2] = nextSpin.z;
}

static inline void brSolver_Move(BR_FAR brSolverState* state, brSolverBody* body, float h)
{
	const BR_FAR float* v = state->velocity;
	// What nothing touched in this substep flies along its parabola.
	bool isFree =
		body->isDynamic && v[0] == body->baseVelocity.x && v[1] == body->baseVelocity.y && v[2] == body->baseVelocity.z;
	body->isPushed = body->isPushed || brSolver_IsPushed(state, body);
	if (isFree)
	{
		state->moved[0] -= 0.5f * h * body->push.x;
		state->moved[1] -= 0.5f * h * body->push.y;
		state->moved[2] -= 0.5f * h * body->push.z;
	}
	for (int k = 0; k < 3; ++k)
	{
		state->moved[k] += h * state->velocity[k];
		state->turned[k] += h * state->spin[k];
	}
}
