// SPDX-License-Identifier: MIT
#pragma once

// Bodies, contacts and joints of one world, and the stages that move them. What the public functions do with ids, events and
// snapshots is in src/world; here everything goes by slot index.
//
// A step: pairs (broad phase) -> touch (narrow phase) -> islands -> blocks (colours) -> solve -> finish.

#include "base/array.h"
#include "brittle/world.h"
#include "contact/collide.h"
#include "index/pairs.h"

/// A body at rest in memory: plain data, saved and hashed as it is. Positions and velocities are of the centre of mass, the
/// rotation is that of the shape's principal axes.
typedef struct brBody
{
	brDVec3 position;
	brQuat rotation;
	brDVec3 velocity;
	brDVec3 spin;
	brDVec3 inertia;    // principal; 0 unless dynamic
	brDVec3 invInertia; // 0 unless dynamic
	double mass;
	double invMass; // 0 unless dynamic
	uint64_t userData;
	float friction;
	float restitution;
	float rolling;
	float linearDamping;
	float angularDamping;
	float gravityScale;
	float sleepTime; // how long it has been slow
	int32_t shape;
	uint32_t generation;
	int32_t next;    // of a free slot: the next one, or -1
	int8_t kind;     // brBodyKind, or -1: the slot is free
	bool isAwake;    // kinematic and dynamic
	bool canSleep;   //
	bool isSetAside; // its state was no longer finite
	bool isReported; // and that was said
	bool padding[3]; // so that all bytes are defined
} brBody;

_Static_assert(sizeof(brBody) == 224, "a body has bytes without a name");

static inline bool brBody_IsThere(const brBody* body)
{
	return body->kind >= 0;
}

static inline bool brBody_IsMoving(const brBody* body)
{
	return body->kind > br_bodyStatic && body->isAwake && !body->isSetAside;
}

/// What the stages of one step need of each body, close together.
typedef struct brBodyFrame
{
	brVec3 x, y, z;  // axes in the world
	float motion;    // upper bound of how far a point of it goes in this step
	float speed;     // the same by its velocity alone
	float thickness; //
	float radius;    //
	int32_t state;   // in the solver, or -1: it stands still
	int32_t padding[2];
} brBodyFrame;

typedef struct brContactPoint
{
	brVec3 anchorA, anchorB; // the same place in the axes of both when the point was made
	float separation;        // then
	float impulse;           // along the normal in the last substep, for the warm start
	float total;             // along the normal, over the last step
	uint32_t id;
} brContactPoint;

/// A pair of bodies whose boxes overlap, with what is remembered from step to step. A is the one with the lower kind of
/// shape, of equal ones the lower slot.
typedef struct brContact
{
	int32_t bodyA, bodyB; // bodyA is the next free contact while the slot is free
	int32_t pointCount;
	uint32_t axis;     // see brCollideShapes
	brVec3 normal;     // from A to B in A's axes
	float apart;       // lower bound of the distance at the pose below, if there are no points
	brVec3 position;   // of B in A's axes when the points were made
	float rotation[4]; // of B relative to A then
	brVec3 friction;   // impulses for the warm start: tangential, in the world
	float twist;       // about the normal
	brVec3 rolling;    // in the world
	float approach;    // largest closing speed before the step
	bool isMade;       // position and rotation are set
	bool isTouching;   // has points now
	bool wasTouching;  // at the end of the last step
	bool isRecycled;   // in this step
	brContactPoint points[BR_MANIFOLD_POINTS];
} brContact;

typedef struct brContactPair
{
	uint64_t key; // lower slot in the high half
	int32_t contact;
	int32_t padding;
} brContactPair;

typedef struct brJoint
{
	int32_t kind; // brJointKind, or -1: the slot is free
	int32_t bodyA, bodyB;
	int32_t next;
	uint32_t generation;
	bool enableContact;
	bool padding[3];
	brDVec3 anchorA, anchorB; // in the axes of the bodies
	brDVec3 axisA;            // hinge, in A's axes
	brQuat relative;          // rotation of B relative to A at rest
	double breakForce, breakTorque;
	brDVec3 impulse;  // for the warm start, in the world
	brDVec3 twisting; // angular, in the world
} brJoint;

typedef struct brShapeEntry
{
	brShape* shape; // null: the slot is free
	int32_t users;
} brShapeEntry;

/// Everything the solver needs about time.
typedef struct brStepTime
{
	double dt, h;
	int32_t substeps;
	float rate[2], massScale[2], impulseScale[2]; // of soft contacts: between moving bodies, against still ones
} brStepTime;

typedef struct brDynamics
{
	brContext context;
	brAllocator allocator;
	brWorldDef def;
	BR_ARRAY(brBody) bodies;
	BR_ARRAY(brShapeEntry) shapes;
	BR_ARRAY(brContact) contacts;
	BR_ARRAY(brContactPair) pairs; // sorted by key
	BR_ARRAY(brJoint) joints;
	int32_t freeBody, freeContact, freeJoint; // heads of the lists of free slots, or -1
	int32_t bodyCount, jointCount;
	brStepStats stats;

	// Scratch that lives on.
	brPairSearch search;
	BR_ARRAY(brContactPair) nextPairs;
	BR_ARRAY(uint64_t) jointKeys; // pairs that joints keep from colliding, sorted
	brStageMemory frames;         // brBodyFrame [bodies]
	brStageMemory boxes;          // brBox3 [bodies]
	brStageMemory boxBodies;      // int32_t: body of each box
	brStageMemory counters;       // int32_t [bodies]: of a sort
	brStageMemory keys[2];        // uint64_t
	brStageMemory parents;        // int32_t [bodies]: union-find
	brStageMemory islandAwake;    // uint8_t [bodies], by root
	brStageMemory active;         // int32_t: contacts to solve, by pair
	brStageMemory order;          // int32_t: the same by colour and number of points
	brStageMemory masks;          // uint32_t [bodies]: colours taken
	brStageMemory contactColours; // uint8_t [active]
	brStageMemory states;         // brSolverState
	brStageMemory stateBodies;    // brSolverBody
	brStageMemory blocks;         // brContactBlock
	brStageMemory ranges;         // brColourRange
	brStageMemory jointWork;      // brJointWork
	BR_ARRAY(brContactEvent) contactEvents;
	BR_ARRAY(brBodyEvent) bodyEvents;
	int32_t activeCount, blockCount, rangeCount, stateCount;
	int32_t contactEventEnd, bodyEventEnd; // events of the last step; what was added since belongs to the next
} brDynamics;

static inline brBodyFrame* brDynamics_Frames(const brDynamics* dynamics)
{
	return (brBodyFrame*)dynamics->frames.data;
}

static inline brBodyId brDynamics_BodyId(const brDynamics* dynamics, int32_t body)
{
	return (brBodyId){body + 1, dynamics->bodies.data[body].generation};
}

// The stages, in order. Those that return a result may find no memory; up to brDynamics_MakeBlocks nothing has moved.

/// Frames of all bodies, candidate pairs, merged with those of the last step.
brResult brDynamics_FindPairs(brDynamics* dynamics, double dt, brReport* report);

/// Contact points of all pairs with a moving body.
void brDynamics_Touch(brDynamics* dynamics, double dt);

/// Wakes what is touched by what moves. Needs memory before it changes anything.
brResult brDynamics_Islands(brDynamics* dynamics, brReport* report);

/// Contacts by colour in blocks for the solver, and the states of moving bodies.
brResult brDynamics_MakeBlocks(brDynamics* dynamics, const brStepTime* time, brReport* report);

void brDynamics_Solve(brDynamics* dynamics, const brStepTime* time);

/// Poses, bodies that are no longer finite, sleep.
void brDynamics_Finish(brDynamics* dynamics, const brStepTime* time);

/// Counts slow time and puts islands to sleep. Their union-find must be that of this step.
void brDynamics_Sleep(brDynamics* dynamics, double dt);

/// Called between contacts and solver, when nothing has moved yet. It may add and remove bodies and change velocities; if bodies
/// have come or gone it sets `outChanged`, and contacts are found once more.
typedef struct brDynamicsHook
{
	brResult (*call)(void* user, double dt, bool* outChanged, brReport* report);
	void* user;
} brDynamicsHook;

/// One step of all. `hook` may be null.
brResult brDynamics_Step(brDynamics* dynamics, double dt, const brDynamicsHook* hook, brReport* report);

void brDynamics_Init(brDynamics* dynamics, const brContext* context, const brWorldDef* def);
void brDynamics_Free(brDynamics* dynamics);

/// Gives back the pairs of a body and wakes the others.
void brDynamics_DropPairs(brDynamics* dynamics, int32_t body);
void brDynamics_FreeJoint(brDynamics* dynamics, int32_t joint);
void brDynamics_Wake(brDynamics* dynamics, int32_t body);

/// Colliding of a pair as the step does it: fills the contact from the poses of its bodies. For tests too.
void brContact_Update(brDynamics* dynamics, brContact* contact, double dt);
