// SPDX-License-Identifier: MIT
#pragma once

/// @file world.h
/// Rigid bodies in contact: make a world, put bodies in, step, ask.
///
///     brWorldDef def = brDefaultWorldDef();
///     brWorld* world;
///     brCreateWorld(NULL, &def, &world, NULL);
///     brBodyDef body = brDefaultBodyDef();
///     body.shape = box, body.pose.p.z = 2.0, body.density = 2000.0;
///     brBodyId id = brWorld_CreateBody(world, &body, NULL);
///     for (int32_t i = 0; i < 60; ++i) brWorld_Step(world, 1.0 / 60.0, NULL);
///     printf("%g m\n", brWorld_GetPose(world, id).p.z);
///     brDestroyWorld(world);
///
/// The same calls give the same bits for any number of workers. Ids go stale when their body goes; every function takes
/// a stale id and answers with nothing. Nothing may be called while a step runs. Lists (events) are valid until the
/// next step.

#include "brittle/shape.h"

/// Opaque.
typedef struct brWorld brWorld;

/// A body of a world. Zero means none.
typedef struct brBodyId
{
	int32_t index1;      ///< Slot plus one.
	uint32_t generation; ///< Which of the bodies that have had this slot.
} brBodyId;

/// A joint of a world. Zero means none.
typedef struct brJointId
{
	int32_t index1;
	uint32_t generation;
} brJointId;

/// True for the id that means "no body", as a call returns it that could not make one. An id that is not null may still be
/// stale: ask brWorld_IsBody.
static inline bool brBodyId_IsNull(brBodyId id)
{
	return id.index1 == 0;
}

/// True for the same body, and for two null ids.
static inline bool brBodyId_IsEqual(brBodyId a, brBodyId b)
{
	return a.index1 == b.index1 && a.generation == b.generation;
}

/// True for the id that means "no joint".
static inline bool brJointId_IsNull(brJointId id)
{
	return id.index1 == 0;
}

typedef enum brBodyKind
{
	br_bodyStatic = 0,    ///< Never moves.
	br_bodyKinematic = 1, ///< Moves by its velocity, whatever it meets.
	br_bodyDynamic = 2,
} brBodyKind;

/// Start from brDefaultWorldDef().
typedef struct brWorldDef
{
	brDVec3 gravity;     ///< [m/s^2]
	int32_t substeps;    ///< 1 to 64; 8 holds 10 bricks on each other, 16 holds 20.
	double contactHertz; ///< Stiffness of contacts; 0: 0.1875 / substep, the most that is stable. [1/s]
	/// Damping ratio of contacts. 3 by default; 5 sets high pyramids rocking at this stiffness. [1]
	double contactDamping;
	/// Overlap is undone no faster than this, in thicknesses of the thinner body. 3 by default. [1/s]
	double pushSpeed;
	double restitutionSpeed; ///< Slower impacts do not bounce. [m/s]
	double sleepSpeed;       ///< A body slower than this may sleep; speed of its fastest point. [m/s]
	double sleepTime;        ///< For so long, with all that it touches. [s]
	double slowDamping;  ///< Of bodies slower than sleepSpeed in a heap that leans on something static; fades in. [1/s]
	double eventImpulse; ///< Contacts with a larger impulse in one step are reported. [N s]
	bool enableSleep;    ///< On by default.
	bool enableRecycle;  ///< Keep contact points while two bodies barely move relative to each other. On by default.
	bool enableSweep;    ///< Bodies fast for their thickness are met ahead and step in parts. On by default.
	int32_t maxBodies;   ///< brWorld_CreateBody refuses more. 0: no limit.
	int32_t maxContacts; ///< Manifolds solved at once; those furthest apart are left out and counted. 0: no limit.

	/// Over it, contact points of slow pairs wait for the next step. The one setting that gives up the same bits. 0: no
	/// limit. [s]
	double maxSeconds;
	int32_t lanes;  ///< Contacts solved at once by vector instructions: 8, 1 for plain code, 0 the best. Same bits.
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brWorldDef;

/// Start from brDefaultBodyDef().
typedef struct brBodyDef
{
	brBodyKind kind;       ///< Dynamic by default.
	const brShape* shape;  ///< Copied into the world once. Half-spaces must be static.
	brTransform pose;      ///< Of the axes the shape was made in. [m]
	brDVec3 velocity;      ///< Of the center of mass. [m/s]
	brDVec3 spin;          ///< [rad/s]
	double density;        ///< > 0. [kg/m^3]
	double mass;           ///< > 0: taken instead of the density's, inertia in proportion. 0: by density. [kg]
	double friction;       ///< Coulomb; of two bodies the square root of the product. [1]
	double restitution;    ///< 0 to 1; of two bodies the larger. [1]
	double rolling;        ///< Rolling resistance as a part of the radius of round shapes; the larger of two. [1]
	double linearDamping;  ///< [1/s]
	double angularDamping; ///< [1/s]
	double gravityScale;   ///< [1]
	uint32_t category;     ///< Bits that say what it is. 1 by default.
	uint32_t collidesWith; ///< Categories that it meets: two bodies do if each is in the other's. All by default.
	bool enableSleep;
	uint64_t userData; ///< Pieces have that of what they broke from.
	uint32_t stamp;    ///< Written by the default function. Leave it alone.
} brBodyDef;

typedef enum brJointKind
{
	br_jointBall = 0,  ///< Holds a point.
	br_jointHinge = 1, ///< Holds a point and an axis.
	br_jointFixed = 2, ///< Holds everything.
} brJointKind;

/// Start from brDefaultJointDef().
typedef struct brJointDef
{
	brJointKind kind;
	brBodyId bodyA, bodyB;
	brDVec3 anchor;     ///< In the world. [m]
	brDVec3 axis;       ///< Hinge: unit vector in the world.
	double breakForce;  ///< The joint goes when it pulls harder. INFINITY: never. [N]
	double breakTorque; ///< [N m]
	bool enableContact; ///< Do the two bodies still collide? Off by default.
	uint32_t stamp;     ///< Written by the default function. Leave it alone.
} brJointDef;

/// Two bodies that began or ceased to touch, or hit each other hard.
typedef struct brContactEvent
{
	brBodyId bodyA, bodyB;
	brDVec3 point;        ///< Middle of the contact points, by their impulses if there are any. [m]
	brDVec3 normal;       ///< From A to B; of several the mean by impulse.
	double impulse;       ///< Along the normals over the whole step, all points together. [N s]
	double approachSpeed; ///< Before the step, at the point that closes fastest; 0 if all part. [m/s]
	bool isBegin;
	bool isEnd;
} brContactEvent;

typedef enum brBodyEventKind
{
	br_eventBodyCreated = 0,
	br_eventBodyDestroyed = 1,
	br_eventBodySetAside =
		2, ///< Its state was no longer finite: it stands still where it last was and touches nothing.
	br_eventBodyFellAsleep = 3,
	br_eventBodyWoke = 4,
	br_eventJointBroke = 5, ///< `id` is the joint's body A, `joint` the joint, now stale.
} brBodyEventKind;

typedef struct brBodyEvent
{
	brBodyEventKind kind;
	brBodyId id;
	brJointId joint;
} brBodyEvent;

/// What the last step did.
typedef struct brStepStats
{
	int32_t bodies;          ///< All that exist.
	int32_t awake;           ///< Dynamic ones that moved.
	int32_t islands;         ///< Of awake bodies.
	int32_t pairs;           ///< Of bodies whose boxes overlap.
	int32_t contacts;        ///< Manifolds solved: of two convex bodies one, of concave ones up to four.
	int32_t points;          ///< Solved.
	int32_t recycled;        ///< Pairs whose points were kept.
	int32_t postponed;       ///< Of these, those that were to be found anew but were over the budget of time.
	int32_t colors;          ///< Sets of contacts without a common body.
	int32_t overflow;        ///< Contacts beyond the last color, solved one by one.
	int32_t droppedContacts; ///< Over the budget.
	int32_t slices;          ///< Into which the step of bodies fast for their thickness was cut.
	int32_t setAside;        ///< Bodies, in all steps so far.
	int32_t joints;
	double broadSeconds;   ///< Boxes and pairs.
	double narrowSeconds;  ///< Contact points.
	double islandSeconds;  ///< Islands, colors, order.
	double prepareSeconds; ///< Solver data.
	double solveSeconds;   ///< Substeps.
	double finishSeconds;  ///< Poses, sleep, events.
	double seconds;        ///< Everything.
} brStepStats;

BR_API brWorldDef brDefaultWorldDef(void);
BR_API brBodyDef brDefaultBodyDef(void);
BR_API brJointDef brDefaultJointDef(void);

/// The context's allocator, workers and log are used until the world goes. `context` and `report` may be null.
BR_API brResult brCreateWorld(const brContext* context, const brWorldDef* def, brWorld** outWorld, brReport* report);

/// `world` may be null.
BR_API void brDestroyWorld(brWorld* world);

/// Null id if the def says no or memory ran out; the report says why. `report` may be null.
BR_API brBodyId brWorld_CreateBody(brWorld* world, const brBodyDef* def, brReport* report);

/// Its joints go too, its neighbors wake. False if the id is stale.
BR_API bool brWorld_DestroyBody(brWorld* world, brBodyId id);

/// Null id if the def says no (a stale body, twice the same one, an axis of no length) or memory ran out; the report
/// says why. `report` may be null.
BR_API brJointId brWorld_CreateJoint(brWorld* world, const brJointDef* def, brReport* report);

/// Its bodies wake. False if the id is stale.
BR_API bool brWorld_DestroyJoint(brWorld* world, brJointId id);

/// Moves everything by `dt` > 0 [s]. On failure (no memory) nothing has moved and the call may be repeated: it then goes
/// on as if it had not failed. A body that broke before memory ran out stays broken; its event can be read after the
/// failure and again after the step that repeats it. A break that itself finds no memory is given up: the body stays
/// whole and brBreakStats.failed counts it.
BR_API brResult brWorld_Step(brWorld* world, double dt, brReport* report);

// Queries. A stale id gives false, zeros or the identity.

BR_API bool brWorld_IsBody(const brWorld* world, brBodyId id);
BR_API bool brWorld_IsJoint(const brWorld* world, brJointId id);
BR_API bool brWorld_IsAwake(const brWorld* world, brBodyId id);
BR_API brTransform brWorld_GetPose(const brWorld* world, brBodyId id);
BR_API brDVec3 brWorld_GetCenter(const brWorld* world, brBodyId id);
BR_API brDVec3 brWorld_GetVelocity(const brWorld* world, brBodyId id);
BR_API brDVec3 brWorld_GetSpin(const brWorld* world, brBodyId id);
BR_API double brWorld_GetMass(const brWorld* world, brBodyId id);
BR_API brBodyKind brWorld_GetKind(const brWorld* world, brBodyId id);
BR_API uint64_t brWorld_GetUserData(const brWorld* world, brBodyId id);
BR_API int32_t brWorld_GetBodyCount(const brWorld* world);

/// Ids of all bodies in slot order. Returns how many there are; writes at most `capacity` to `outIds`, which may be
/// null.
BR_API int32_t brWorld_GetBodies(const brWorld* world, brBodyId* outIds, int32_t capacity);

// Changes between steps. They wake the body; false for a stale id or values that are not finite.

BR_API bool brWorld_SetPose(brWorld* world, brBodyId id, brTransform pose);
BR_API bool brWorld_SetVelocity(brWorld* world, brBodyId id, brDVec3 velocity, brDVec3 spin);

/// For all bodies from the next step on; wakes them. [m/s^2]
BR_API bool brWorld_SetGravity(brWorld* world, brDVec3 gravity);

/// At a point in the world. A force over a step of dt is the impulse force times dt. [N s]
BR_API bool brWorld_ApplyImpulse(brWorld* world, brBodyId id, brDVec3 impulse, brDVec3 point);

/// About the center of mass. [N m s]
BR_API bool brWorld_ApplyAngularImpulse(brWorld* world, brBodyId id, brDVec3 impulse);

/// Nothing else changes. False for a stale id, static and kinematic bodies.
BR_API bool brWorld_WakeBody(brWorld* world, brBodyId id);

// As of brBodyDef, between steps. They wake the body, and what it touches with the next step; user data wakes nothing.
// False for a stale id or values that no def could have.

BR_API bool brWorld_SetFilter(brWorld* world, brBodyId id, uint32_t category, uint32_t collidesWith);
BR_API bool brWorld_SetSurface(brWorld* world, brBodyId id, double friction, double restitution);
BR_API bool brWorld_SetGravityScale(brWorld* world, brBodyId id, double gravityScale);
BR_API bool brWorld_SetUserData(brWorld* world, brBodyId id, uint64_t userData);

/// Kinetic and potential energy, linear momentum, and angular momentum about the origin of all dynamic bodies.
typedef struct brWorldEnergy
{
	double kinetic;   ///< [J]
	double potential; ///< [J]
	brDVec3 momentum; ///< [kg m/s]
	brDVec3 angularMomentum;
} brWorldEnergy;
BR_API brWorldEnergy brWorld_ComputeEnergy(const brWorld* world);

BR_API brStepStats brWorld_GetStats(const brWorld* world);

/// Of the last step, sorted by bodies; of body events those between the steps come first. Valid until the next step.
BR_API const brContactEvent* brWorld_GetContactEvents(const brWorld* world, int32_t* outCount);
BR_API const brBodyEvent* brWorld_GetBodyEvents(const brWorld* world, int32_t* outCount);

/// Of everything that decides what happens next.
BR_API uint64_t brWorld_ComputeHash(const brWorld* world);

/// The whole state as one block for the same build of the library. Returns its size in bytes; writes it if `capacity`
/// is enough. `outBytes` may be null.
BR_API size_t brWorld_Save(const brWorld* world, void* outBytes, size_t capacity);

/// A world that goes on as the saved one would. Sizes, hash and every index are checked. `context` and `report` may be
/// null.
BR_API brResult brRestoreWorld(const brContext* context, const void* bytes, size_t byteCount, brWorld** outWorld,
							   brReport* report);
