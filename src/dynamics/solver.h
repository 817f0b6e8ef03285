// SPDX-License-Identifier: MIT
#pragma once

// The contact solver's data: eight contacts side by side, and the bodies they move.
//
// Everything is relative to the start of the step, so floats are enough anywhere in the world. Lanes are independent
// contacts of one color, so no two share a moving body, and the number of lanes a processor handles at once cannot change
// the result. Empty lanes have no mass and read the resting state.

#include "base/lanes.h"
#include "dynamics/dynamics.h"

#define BR_SOLVER_LANES 8
#define BR_SOLVER_COLORS 63 // and one more for what did not fit, one contact a block

typedef brFloat8 brLanes;

/// A moving body inside the step. One cache line.
typedef struct brSolverState
{
	_Alignas(64) float velocity[4]; // the fourth is 0
	float spin[4];
	float moved[4];  // since the step's start
	float turned[4]; // rotation vector, likewise; of a top: since its contacts followed it
} brSolverState;

/// State 0 is at rest and stays so; kinematic bodies have states that nobody writes.
#define BR_REST_STATE 0

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
	bool isDynamic;
	bool isGyroscopic;
	bool isTop;                  // it turns by its own law in each substep, not by the implicit one, see tops.c
	bool isRolling;              // on its curves: where it touches is not carried along
	bool isPushed;               // by something other than gravity, in some substep
	brVec3 hitVelocity, hitSpin; // what hits changed in this step
	brQuat rotation;             // of a top: now
	brQuat followed;             // where its contacts are
	brVec3 turned;               // until then
} brSolverBody;

/// Whether impulses of this substep have changed its motion.
static inline bool brSolver_IsPushed(const brSolverState* state, const brSolverBody* body)
{
	const float *v = state->velocity, *w = state->spin;
	return v[0] != body->baseVelocity.x || v[1] != body->baseVelocity.y || v[2] != body->baseVelocity.z ||
		   w[0] != body->baseSpin.x || w[1] != body->baseSpin.y || w[2] != body->baseSpin.z;
}

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

typedef struct brPointLanes
{
	brLanes anchorA[3], anchorB[3]; // from the centers
	brLanes separation;             // at the step's start
	brLanes mass;                   // effective, along the normal; 0: no point
	brLanes impulse, total;
	brLanes hit;      // the part of the total that came in hits
	brLanes approach; // relative normal velocity before the step
	brLanes lever;    // distance from the friction center
} brPointLanes;

typedef struct brContactBlock
{
	int32_t stateA[BR_SOLVER_LANES], stateB[BR_SOLVER_LANES];
	int32_t manifold[BR_SOLVER_LANES]; // or -1
	uint8_t writesA[BR_SOLVER_LANES], writesB[BR_SOLVER_LANES];
	int32_t pointCount; // the most of any lane
	bool hasRolling;
	bool hasBounce; // some lane may hit
	uint8_t hits;   // lanes that may hit and bounce in this substep
	brLanes normal[3], tangent[3];
	brLanes invMassA, invMassB;
	brLanes invInertiaA[6], invInertiaB[6];
	brLanes rate, massScale, impulseScale;
	brLanes push; // speed at which overlap may be left
	brLanes friction, restitution, rolling;
	brLanes spinning;       // added to the levers of all points
	brLanes bounceSpeed;    // normal speed below which it hits with all points at once, negative; -INFINITY: never
	brLanes roundA, roundB; // radius of a ball, whose anchors are at its middle: nothing along a normal turns it
	brLanes fade;           // 1 / separation at which a point no longer counts for the friction center
	brLanes centerA[3], centerB[3]; // friction center
	brLanes tangentMass[3];         // inverse of the 2x2 matrix: 11 22 12
	brLanes twistMass;
	brLanes tangentImpulse[2];
	brLanes twistImpulse;
	brLanes rollingImpulse[3];
	brLanes tangentTotal[2], twistTotal, rollingTotal[3]; // over the step
	brLanes work[2];                                      // of normal and of friction impulses [J]
	brPointLanes points[BR_MANIFOLD_POINTS];
} brContactBlock;

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
	/// Effective masses and friction center alone, after anchors or inertia have changed.
	void (*weigh)(brContactBlock* blocks, int32_t count);
	void (*warmStart)(brContactBlock* blocks, int32_t count, brSolverState* states);
	/// Normal impulses with overlap pushed out softly.
	void (*solveBiased)(brContactBlock* blocks, int32_t count, brSolverState* states, float invH);
	/// Normal impulses without a push, friction, twist, rolling.
	void (*relax)(brContactBlock* blocks, int32_t count, brSolverState* states, float invH);
	/// Lanes of which a point closes fast enough to bounce and touches within a time.
	void (*findHits)(brContactBlock* blocks, int32_t count, const brSolverState* states, float h);
	/// Work of the step's impulses but for hits, where bodies move as `means` says.
	void (*work)(brContactBlock* blocks, int32_t count, const brSolverState* means);
} brSolverKernels;

/// 8 or 0: the best for this processor; 1: plain code.
const brSolverKernels* brGetSolverKernels(int32_t lanes);

// Bounces, in bounce.c.

/// The way in which hits are looked for, in substeps: a little more than one, so that rounding lets none slip through to where it would be stopped.
#define BR_BOUNCE_AHEAD 1.001

bool brSolver_ReserveBounces(brDynamics* dynamics, int64_t blocks);

/// Hits of lanes that were found, and what follows from them, in the order of their times. Forces of the substep are in the velocities. Returns
/// whether a top was hit, whose contacts then have to follow.
bool brSolver_Bounce(brDynamics* dynamics, const brStepTime* time);

// Tops, in tops.c.

/// Turns a top in a substep as if nothing touched it.
void brSolver_TurnTop(const brDynamics* dynamics, int32_t index, double h);

/// A body that was hit is a top now, with the rotation and the spin from which it will be where it should when the substep is done.
void brSolver_HitTop(const brDynamics* dynamics, int32_t index, brQuat rotation, brDVec3 spin);

/// Brings contacts with tops to where these are now. Blocks of one color may follow at once.
void brSolver_FollowTops(brDynamics* dynamics, brContactBlock* block, const brSolverKernels* kernels, double dt);

/// After all blocks have.
void brSolver_HaveFollowed(brDynamics* dynamics);

// Joints, in solver_joints.c: one after the other, in slot order.

typedef struct brJointWork
{
	int32_t joint, stateA, stateB;
	brDVec3 startA, startB;   // anchors from the centers at the step's start, in the world
	brDVec3 anchorA, anchorB; // now
	brDVec3 gap;              // between the anchors at the step's start
	brDVec3 error;            // rotation vector by which B is off at the step's start
	brDVec3 axis;             // hinge, in the world
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
