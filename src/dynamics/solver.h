// SPDX-License-Identifier: MIT
#pragma once

// The contact solver's data: eight contacts side by side, and the bodies they move.
//
// Everything is relative to the start of the step, so floats are enough anywhere in the world. Lanes are independent
// contacts of one color, so no two share a moving body, and the number of lanes a processor handles at once cannot
// change the result. Empty lanes have no mass and read the resting state.

#include "base/lanes.h"
#include "dynamics/dynamics.h"

#define BR_SOLVER_LANES 8
#define BR_SOLVER_COLORS 63 // and one more for what did not fit, one contact a block

typedef brFloat8 brLanes;

#include "dynamics/solver_block.h"
#include "dynamics/solver_bodies.h"

/// State 0 is at rest and stays so; kinematic bodies have states that nobody writes.
#define BR_REST_STATE 0

/// By how much a body has turned since the step's start, as a rotation vector.
static inline brVec3 brSolver_Turned(const brSolverState* state, const brSolverBody* body)
{
	return brAdd(body->turned, brMakeVec3(state->turned[0], state->turned[1], state->turned[2]));
}

/// What an angular momentum adds to its spin.
static inline brVec3 brSolverBody_Turn(const brSolverBody* body, brVec3 l)
{
	const float* j = body->invInertia;
	return brMakeVec3(j[0] * l.x + j[3] * l.y + j[4] * l.z, j[3] * l.x + j[1] * l.y + j[5] * l.z,
					  j[4] * l.x + j[5] * l.y + j[2] * l.z);
}

/// The inverse of the inertia in the world, from its principal values and axes.
void brSolverBody_SetInertia(brSolverBody* body, brVec3 inverse, brVec3 x, brVec3 y, brVec3 z);

_Static_assert(sizeof(((brContactBlock*)0)->points) == BR_MANIFOLD_POINTS * sizeof(brPointLanes),
			   "as in solver_block.h");

/// Of brContactBlock.tops: some lane has a top (tops.c); one that forgets its impulses; one that was hit since contacts
/// followed it.
#define BR_BLOCK_HAS_TOP 1
#define BR_BLOCK_FORGETS 2
#define BR_BLOCK_IS_HIT 4

/// What contacts need to follow a body, side by side. One cache line.
typedef struct brSolverTurn
{
	/// Its rotation since they last did, less 1: by columns, without the last. Of what rolls the rotation vector.
	float turn[8] __attribute__((aligned(64)));
	float last;
	float invInertia[6];
	float kind; // brSolverTurnKind
} brSolverTurn;

typedef enum brSolverTurnKind
{
	br_turnNone,    // no top
	br_turnRolling, // a top whose contacts stay below it
	br_turnCarried, // a top
	br_turnForgets, // a top whose impulses are forgotten
} brSolverTurnKind;

/// Blocks of one color.
typedef struct brColorRange
{
	int32_t begin, end;
	bool isSerial; // what did not fit a color
} brColorRange;

/// The passes over blocks, one set for each width of vector. All sets give the same bits.
typedef struct brSolverKernels
{
	/// Effective masses, friction center, approach speed; anchors, normals and the like are filled.
	void (*prepare)(brContactBlock* blocks, int32_t count, const brSolverState* states);
	/// Contacts to where tops have turned, of blocks that have one of these bits.
	void (*follow)(brContactBlock* blocks, int32_t count, const brSolverTurn* turns, brSolverBody* bodies,
				   int32_t bits);
	void (*warmStart)(brContactBlock* blocks, int32_t count, brSolverState* states);
	/// Normal impulses with overlap pushed out softly.
	void (*solveBiased)(brContactBlock* blocks, int32_t count, brSolverState* states, float invH);
	/// Normal impulses without a push, friction, twist, rolling.
	void (*relax)(brContactBlock* blocks, int32_t count, brSolverState* states, float invH);
	/// Lanes of which a point closes fast enough to bounce and touches within a time.
	void (*findHits)(brContactBlock* blocks, int32_t count, const brSolverState* states, float h);
	/// Adds up the work of impulses that are not booked, where bodies move as `means` says: what drives alone, or all,
	/// which books them.
	void (*work)(brContactBlock* blocks, int32_t count, const brSolverState* means, bool isDriven);
} brSolverKernels;

/// 8 or 0: the best for this processor; 1: plain code.
const brSolverKernels* brGetSolverKernels(int32_t lanes);

/// What a body moves by in the solver, over what it would by its mass (blocks.c).
static inline float brDynamics_Share(const brDynamics* dynamics, int32_t state)
{
	const brSolverBody* body = (const brSolverBody*)dynamics->stateBodies.data + state;
	return body->isDynamic ? body->invMass / (float)dynamics->bodies.data[body->body].invMass : 1.0f;
}

// Bounces, in bounce.c.

/// The way in which hits are looked for, in substeps: a little more than one, so that rounding lets none slip through
/// to where it would be stopped.
#define BR_BOUNCE_AHEAD 1.001

/// Up to this restitution restitutionSpeed holds as it is; and the least share of it at which anything bounces.
#define BR_BOUNCE_HALF 0.5f
#define BR_BOUNCE_LEAST 0.05f

/// Slower hits than this do not bounce. What they lose then is no more than a hit of restitutionSpeed loses where half
/// the speed is given back: what bounces without loss bounces however slow it is, down to a share of that speed below
/// which it would never lie still.
static inline float brDynamics_BounceSpeed(const brDynamics* dynamics, float restitution)
{
	float lost = (1.0f - restitution * restitution) / (1.0f - BR_BOUNCE_HALF * BR_BOUNCE_HALF);
	float share = sqrtf(fmaxf(lost, BR_BOUNCE_LEAST * BR_BOUNCE_LEAST));
	return fminf(share, 1.0f) * (float)dynamics->def.restitutionSpeed;
}

/// How fast overlap may be left. The push is taken off again when bodies have moved; a top has turned by then, so that
/// it acts on one lever and goes from another, and a few percent of its energy go with it. What bounces well leaves by
/// itself.
static inline float brSolver_Push(float speed, float restitution, bool isTop)
{
	return isTop && restitution > BR_BOUNCE_HALF ? 0.0f : speed;
}

bool brSolver_ReserveBounces(brDynamics* dynamics, int64_t blocks);

/// Hits of lanes that were found, and what follows from them, in the order of their times, from `now` in the substep
/// on, which becomes the time of the last; later than the start only where more than half the speed is given back.
/// Forces of the substep are in the velocities. Returns whether a top was hit, whose contacts then have to follow.
bool brSolver_Bounce(brDynamics* dynamics, const brStepTime* time, double* now);

// Tops, in tops.c.

/// How a kinematic body that turns has turned after a time.
void brSolver_TurnDriven(const brBody* body, double t, brQuat* rotation);

/// Turns a top in a substep of a step as if nothing touched it.
void brSolver_TurnTop(const brDynamics* dynamics, int32_t index, double h, double dt);

/// A body that was hit is a top now, with the rotation and the spin from which it will be where it should when the
/// substep is done.
void brSolver_HitTop(const brDynamics* dynamics, int32_t index, brQuat rotation, brDVec3 spin);

/// What contacts need to follow tops, into `turns`, for a range of states. All contacts have to follow before it is
/// called again.
void brSolver_MakeTurns(const brDynamics* dynamics, int32_t begin, int32_t end);

/// Contacts with tops that turn by much in a step begin the next substep without the impulses of this one.
void brSolver_ForgetTops(brDynamics* dynamics, brContactBlock* block);

// Joints, in solver_joints.c: one after the other, in slot order.

typedef struct brJointWork
{
	int32_t joint, stateA, stateB;
	brDVec3 startA, startB;   // anchors from the centers at the step's start, in the world
	brDVec3 anchorA, anchorB; // now
	brDVec3 gap;              // between the anchors at the step's start
	brDVec3 startAxes[2];     // of a hinge, A's and B's, at the step's start, in the world
	brDVec3 axis;             // A's now
	brDVec3 error;            // rotation vector by which B is off now
	brMat3 mass;              // inverse of the 3x3 matrix at the anchors
	brMat3 turnMass;          // inverse of the angular matrix
	brDVec3 impulse, twisting;
	double angle;                     // of a hinge at the step's start
	double motor, lower, upper;       // impulses about its axis, in a substep
	brDVec3 pushed, pushedA, pushedB; // impulse and anchors after the last biased pass; zero before the first
} brJointWork;

int32_t brSolver_PrepareJoints(brDynamics* dynamics, brJointWork* work);
void brSolver_WarmStartJoints(brDynamics* dynamics, brJointWork* work, int32_t count);
void brSolver_SolveJoints(brDynamics* dynamics, brJointWork* work, int32_t count, double h, bool isBiased);
void brSolver_StoreJoints(brDynamics* dynamics, const brJointWork* work, int32_t count, double h);
