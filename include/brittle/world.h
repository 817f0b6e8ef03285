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
/// The same calls give the same bits for any number of workers. An id becomes stale when its body is destroyed or
/// breaks; every function accepts a stale id and then returns false, zeros or the identity. Threads: while brWorld_Step
/// runs, no other call on that world is allowed, not even a getter; between steps several threads may read at once.
/// Event lists are valid until the next step.

#include "brittle/shape.h"

/// Opaque. Owned by the caller of brCreateWorld. One thread at a time may use a world; several worlds may run on
/// several threads. Two worlds may share one brWorkers: while the workers serve one, the other steps on its own
/// thread alone.
typedef struct brWorld brWorld;

/// Names a body of one world. All zero means "no body". An id becomes stale when its body is destroyed or breaks.
typedef struct brBodyId
{
	int32_t index1;      ///< Slot number plus one.
	uint32_t generation; ///< Counts the bodies that have used this slot.
} brBodyId;

/// Names a joint of one world. All zero means "no joint".
typedef struct brJointId
{
	int32_t index1;
	uint32_t generation;
} brJointId;

/// True for the id that means "no body", as a call returns it that could not make one. An id that is not null may still
/// be stale: ask brWorld_IsBody.
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

/// How a body moves.
typedef enum brBodyKind
{
	br_bodyStatic = 0,    ///< Never moves. Costs nothing per step.
	br_bodyKinematic = 1, ///< Moves at the velocity you set. Pushes others and is pushed by nothing.
	br_bodyDynamic = 2,   ///< Moves by gravity, impulses and contacts.
} brBodyKind;

/// Settings of a world. Start from brDefaultWorldDef(). The defaults suit objects from 1 cm to 10 m at steps of 1/60
/// s.
typedef struct brWorldDef
{
	brDVec3 gravity; ///< Acceleration of every dynamic body. (0, 0, -9.81) by default. [m/s^2]
	/// Solver passes in a step, 1 to 64. More passes make tall stacks stiffer and cost time in proportion: 8 hold a
	/// stack of 10 bricks, 16 hold 20.
	int32_t substeps;
	/// How fast contacts remove overlap, as the frequency of a spring. Larger is stiffer. 0, the default, takes
	/// 0.1875 divided by the length of a substep, the largest stable value; larger values make stacks jitter. [1/s]
	double contactHertz;
	/// Damping ratio of that spring, 3 by default. Larger removes overlap more slowly; at 5 tall pyramids start to
	/// rock. [1]
	double contactDamping;
	/// Speed limit for removing overlap, in thicknesses of the thinner body per second. 3 by default. Larger values
	/// throw apart bodies that start inside each other. [1/s]
	double pushSpeed;
	/// Impacts slower than this do not bounce. Too small, and resting bodies never come to rest. Above a restitution of
	/// 0.5 the limit falls, to a twentieth of this for bodies that bounce without loss. [m/s]
	double restitutionSpeed;
	/// A body may sleep while its fastest point is slower than this. Too large, and bodies stop in mid-motion. [m/s]
	double sleepSpeed;
	/// A body sleeps after it and everything it touches stayed below sleepSpeed for this long. [s]
	double sleepTime;
	/// Extra damping for slow bodies whose group rests on something static. None at sleepSpeed, all of it at speed
	/// zero. 0: none. [1/s]
	double slowDamping;
	/// A contact whose impulse in one step exceeds this is reported as an event. Small values make many events.
	/// INFINITY, the default: none. [N s]
	double eventImpulse;
	bool enableSleep; ///< Bodies at rest stop costing time. On by default.
	/// Keep the contact points of two bodies that hardly move against each other. Saves most of the contact time in
	/// heaps. On by default.
	bool enableRecycle;
	/// Look ahead for bodies that move farther than their thickness in a step, and give them shorter steps, so that
	/// they do not pass through each other. On by default. Off, fast thin bodies pass through each other. Bodies that
	/// can break, and what is near them, get no shorter steps; two fast pieces may miss each other. docs/world.md lists
	/// what else may be missed.
	bool enableSweep;
	int32_t maxBodies; ///< brWorld_CreateBody refuses more bodies than this. 0: no limit.
	/// Most manifolds that are solved. Those with the largest gaps are left out and counted in
	/// brStepStats.droppedContacts; bodies may then sink into each other. 0: no limit.
	int32_t maxContacts;

	/// Time budget of a step. When it is used up, slow pairs keep their old contact points. It reads the clock, so
	/// results are no longer repeatable. 0: no limit. [s]
	double maxSeconds;
	/// Width of the solver's vector instructions: 8 or 0, the default, for the widest of this processor; 1 for those
	/// that every processor of its kind has. For comparison: results do not depend on it.
	int32_t lanes;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brWorldDef;

/// Settings of a body. Start from brDefaultBodyDef().
typedef struct brBodyDef
{
	brBodyKind kind; ///< Dynamic by default.
	/// Required. The world keeps its own copy, shared by all bodies of the same shape. Half-spaces must be static.
	const brShape* shape;
	brTransform pose; ///< Position and rotation of the axes in which the shape was made. [m]
	brDVec3 velocity; ///< Velocity of the center of mass. [m/s]
	brDVec3 spin;     ///< Angular velocity: its direction is the axis, its length the rate. [rad/s]
	double density;   ///< > 0. Gives the mass, unless `mass` is set. [kg/m^3]
	double mass;     ///< If > 0 it replaces the mass by density, and the inertia is scaled with it. 0: by density. [kg]
	double friction; ///< Coulomb coefficient. A pair uses the square root of the product of both. [1]
	/// Share of the closing speed that a bounce gives back, 0 to 1. A pair uses the larger of both. [1]
	double restitution;
	/// Rolling resistance of spheres, capsules and meshes with curved parts: the contact brakes the roll by a torque of
	/// this share of the normal force times the distance of the contact from the center. A pair uses the larger. 0 by
	/// default: a ball on a plane rolls forever. Hard things have 0.001 to 0.02. [1]
	double rolling;
	/// Resistance against spinning on the spot, about the normal of the contact: friction acts at this share of the
	/// same distance. A pair uses the larger. 0.02 by default; with 0 a ball that spins about the vertical never rests.
	/// [1]
	double spinning;
	double linearDamping;  ///< Rate at which velocity fades, as of air. 0: not at all. [1/s]
	double angularDamping; ///< Rate at which spin fades. [1/s]
	double gravityScale;   ///< Factor on gravity for this body. 1 by default. [1]
	uint32_t category;     ///< One bit or more that say what the body is. 1 by default.
	/// Bits of the categories it collides with. Two bodies collide if each accepts the other. All bits by default.
	uint32_t collidesWith;
	bool enableSleep; ///< Off: this body, and what it touches, never sleeps. On by default.
	/// A sensor: dynamic bodies go through it, and contact events tell when they begin and cease to overlap. Off by
	/// default.
	bool isSensor;
	uint64_t userData; ///< Yours; the library only stores it. Pieces get that of the body they broke from.
	uint32_t stamp;    ///< Written by the default function. Leave it alone.
} brBodyDef;

/// What a joint holds.
typedef enum brJointKind
{
	br_jointBall = 0,  ///< One point; the bodies turn freely about it.
	br_jointHinge = 1, ///< One point and an axis, like a door.
	br_jointFixed = 2, ///< Everything: the bodies move as one.
} brJointKind;

/// Settings of a joint. Start from brDefaultJointDef().
typedef struct brJointDef
{
	brJointKind kind;      ///< Ball by default.
	brBodyId bodyA, bodyB; ///< Two different bodies of this world. One of them may be static.
	brDVec3 anchor;        ///< The point that is held, in world coordinates. [m]
	brDVec3 axis;          ///< Axis of a hinge: a unit vector in world coordinates. Not read for other kinds.
	/// The joint breaks when it pulls harder than this in a step. INFINITY, the default: never. [N]
	double breakForce;
	double breakTorque; ///< The same for torque. [N m]
	bool enableContact; ///< Whether the two bodies still collide with each other. Off by default.
	bool enableLimit;   ///< Hinge: keep its angle within the two below. Off by default.
	bool enableMotor;   ///< Hinge: a motor turns it. Off by default.
	double lowerAngle;  ///< Angle of B relative to A about the axis, 0 as the joint was made; at least -3. [rad]
	double upperAngle;  ///< Not below `lowerAngle`, at most 3. [rad]
	double motorSpeed;  ///< Spin of B relative to A about the axis that the motor aims at. [rad/s]
	double motorTorque; ///< The most that the motor turns with, > 0. [N m]
	/// Above 0: the joint is a spring of this frequency; lower is softer. 0, the default: stiff. [1/s]
	double springHertz;
	double springDamping; ///< Damping ratio of that spring: 0 swings on, 1 does not overshoot. 1 by default. [1]
	uint32_t stamp;       ///< Written by the default function. Leave it alone.
} brJointDef;

/// Two bodies that began or ceased to touch, or hit each other hard (see brWorldDef.eventImpulse).
typedef struct brContactEvent
{
	brBodyId bodyA, bodyB;
	brDVec3 point;  ///< Mean of the contact points, weighted by impulse where there is any. [m]
	brDVec3 normal; ///< Unit vector from A to B; with several contacts the mean weighted by impulse.
	double impulse; ///< Sum over all points along their normals, over the whole step. [N s]
	/// Closing speed before the step at the point that closes fastest; 0 if the bodies part. [m/s]
	double approachSpeed;
	bool isBegin; ///< They did not touch before this step.
	bool isEnd;   ///< They no longer touch.
} brContactEvent;

/// What happened to a body.
typedef enum brBodyEventKind
{
	br_eventBodyCreated = 0,   ///< It was made, by the caller or as a piece of a body that broke.
	br_eventBodyDestroyed = 1, ///< It was removed, or broke. Its id is stale now.
	/// Its position or velocity was no longer finite. It stays where it last was, and nothing touches it.
	br_eventBodySetAside = 2,
	br_eventBodyFellAsleep = 3, ///< It came to rest.
	br_eventBodyWoke = 4,       ///< It was touched, or changed by a call.
	br_eventJointBroke = 5,     ///< `joint` broke and is stale; `id` is its body A.
} brBodyEventKind;

/// One event of the last step, or between the last two steps.
typedef struct brBodyEvent
{
	brBodyEventKind kind;
	brBodyId id;
	brJointId joint; ///< Only for br_eventJointBroke, else null.
} brBodyEvent;

/// What the last step did and how long it took. Times are in seconds by the clock; nothing else depends on them.
typedef struct brStepStats
{
	int32_t bodies;          ///< Bodies in the world.
	int32_t awake;           ///< Dynamic bodies that are not asleep.
	int32_t islands;         ///< Groups of awake bodies that touch.
	int32_t pairs;           ///< Pairs of bodies whose boxes overlap.
	int32_t contacts;        ///< Manifolds solved: one for two convex bodies, up to four if one is concave.
	int32_t points;          ///< Contact points solved.
	int32_t recycled;        ///< Pairs that kept their contact points (brWorldDef.enableRecycle).
	int32_t postponed;       ///< Pairs among these that kept them only because maxSeconds was used up.
	int32_t colors;          ///< Groups of contacts that share no body, solved in parallel.
	int32_t overflow;        ///< Contacts that fit no such group and are solved one by one.
	int32_t droppedContacts; ///< Contacts left out because of brWorldDef.maxContacts.
	/// Into how many shorter steps fast bodies were stepped; 1: none were (brWorldDef.enableSweep).
	int32_t slices;
	int32_t setAside;      ///< Bodies set aside in all steps so far (br_eventBodySetAside).
	int32_t joints;        ///< Joints in the world.
	double broadSeconds;   ///< Boxes and pairs of boxes.
	double narrowSeconds;  ///< Contact points.
	double islandSeconds;  ///< Groups of touching bodies and the order of solving.
	double prepareSeconds; ///< Data of the solver.
	double solveSeconds;   ///< Substeps.
	double finishSeconds;  ///< Poses, sleep, events.
	double seconds;        ///< The whole step.
} brStepStats;

/// Gravity down z, 8 substeps, sleep, recycling and sweeps on, no limits.
BR_API brWorldDef brDefaultWorldDef(void);

/// A dynamic body at the origin, 1000 kg/m^3, friction 0.5, no bounce, without a shape.
BR_API brBodyDef brDefaultBodyDef(void);

/// A ball joint that never breaks, without bodies.
BR_API brJointDef brDefaultJointDef(void);

/// Makes an empty world. It uses the context's allocator, workers and log until it is destroyed, so these must
/// outlive it. `context` and `report` may be null.
BR_API brResult brCreateWorld(const brContext* context, const brWorldDef* def, brWorld** outWorld, brReport* report);

/// Destroys the world with all bodies and joints. `world` may be null.
BR_API void brDestroyWorld(brWorld* world);

/// Adds a body. Returns a null id if the def is refused or memory ran out; the report says why. `report` may be null.
BR_API brBodyId brWorld_CreateBody(brWorld* world, const brBodyDef* def, brReport* report);

/// Removes a body and its joints, and wakes what it touched. False if the id is stale.
BR_API bool brWorld_DestroyBody(brWorld* world, brBodyId id);

/// Joins two bodies. Returns a null id if the def is refused (a stale body, the same body twice, an axis of no
/// length) or memory ran out; the report says why. `report` may be null.
BR_API brJointId brWorld_CreateJoint(brWorld* world, const brJointDef* def, brReport* report);

/// Removes a joint and wakes its bodies. False if the id is stale.
BR_API bool brWorld_DestroyJoint(brWorld* world, brJointId id);

/// Advances the world by `dt` > 0 [s]. Use the same dt each time: 1/60 s is usual; longer steps lose accuracy and let
/// fast bodies tunnel. If memory runs out nothing has moved, and the call may be repeated. `report` may be null.
BR_API brResult brWorld_Step(brWorld* world, double dt, brReport* report);

/// Told that a step is done, from the thread that took it. Events and poses of that step may be read here.
typedef void brStepDoneFcn(brWorld* world, brResult result, void* user);

/// Starts a step on a thread of its own and returns, so that a long break does not block the caller. `done` is
/// called when it is over and may be null. Until brWorld_EndStep no other call on the world is allowed. Refuses if a
/// step is under way. Where no thread can be started, the step is taken at once. `report` may be null.
BR_API brResult brWorld_StartStep(brWorld* world, double dt, brStepDoneFcn* done, void* user, brReport* report);

/// Waits for the step that brWorld_StartStep began and returns what brWorld_Step would have. `report` may be null.
BR_API brResult brWorld_EndStep(brWorld* world, brReport* report);

// Getters. A stale id gives false, zeros or the identity.

/// Whether the id names a body that still exists.
BR_API bool brWorld_IsBody(const brWorld* world, brBodyId id);

/// Whether the id names a joint that still exists.
BR_API bool brWorld_IsJoint(const brWorld* world, brJointId id);

/// Whether the body is moving or may move in the next step.
BR_API bool brWorld_IsAwake(const brWorld* world, brBodyId id);

/// Position and rotation of the axes in which the shape or mesh was made. [m]
BR_API brTransform brWorld_GetPose(const brWorld* world, brBodyId id);

/// Center of mass in world coordinates. [m]
BR_API brDVec3 brWorld_GetCenter(const brWorld* world, brBodyId id);

/// Velocity of the center of mass. [m/s]
BR_API brDVec3 brWorld_GetVelocity(const brWorld* world, brBodyId id);

/// Angular velocity. [rad/s]
BR_API brDVec3 brWorld_GetSpin(const brWorld* world, brBodyId id);

/// Mass by density or by brBodyDef.mass. [kg]
BR_API double brWorld_GetMass(const brWorld* world, brBodyId id);

/// br_bodyStatic for a stale id.
BR_API brBodyKind brWorld_GetKind(const brWorld* world, brBodyId id);

/// What brBodyDef.userData or brWorld_SetUserData gave.
BR_API uint64_t brWorld_GetUserData(const brWorld* world, brBodyId id);

/// Bodies that exist, static ones included.
BR_API int32_t brWorld_GetBodyCount(const brWorld* world);

/// Ids of all bodies in slot order. Returns how many there are and writes at most `capacity` of them to `outIds`,
/// which may be null.
BR_API int32_t brWorld_GetBodies(const brWorld* world, brBodyId* outIds, int32_t capacity);

// Changes between steps. They wake the body; false for a stale id or values that are not finite.

/// Puts the body elsewhere at once; nothing on the way is hit. Placing it inside another body makes both fly apart.
BR_API bool brWorld_SetPose(brWorld* world, brBodyId id, brTransform pose);

/// Velocity of the center of mass [m/s] and angular velocity [rad/s].
BR_API bool brWorld_SetVelocity(brWorld* world, brBodyId id, brDVec3 velocity, brDVec3 spin);

/// New gravity for all bodies from the next step on; wakes them. [m/s^2]
BR_API bool brWorld_SetGravity(brWorld* world, brDVec3 gravity);

/// Changes the velocity by an impulse at a point in the world. For a force over a step of dt give force times dt. [N
/// s]
BR_API bool brWorld_ApplyImpulse(brWorld* world, brBodyId id, brDVec3 impulse, brDVec3 point);

/// Changes the spin by an angular impulse about the center of mass. [N m s]
BR_API bool brWorld_ApplyAngularImpulse(brWorld* world, brBodyId id, brDVec3 impulse);

/// Wakes the body and changes nothing else. False for a stale id and for static and kinematic bodies.
BR_API bool brWorld_WakeBody(brWorld* world, brBodyId id);

// Settings of brBodyDef, changed between steps. They wake the body, and in the next step what it touches. False for a
// stale id and for values that brWorld_CreateBody would refuse.

/// As brBodyDef.category and brBodyDef.collidesWith.
BR_API bool brWorld_SetFilter(brWorld* world, brBodyId id, uint32_t category, uint32_t collidesWith);

/// As brBodyDef.friction and brBodyDef.restitution.
BR_API bool brWorld_SetSurface(brWorld* world, brBodyId id, double friction, double restitution);

/// Gives a dynamic body another mass, > 0; its inertia is scaled with it. Wakes it. [kg]
BR_API bool brWorld_SetMass(brWorld* world, brBodyId id, double mass);

/// Asked about each pair of bodies whose boxes overlap, before their contacts are looked for: return false to let them
/// pass through each other. Called during brWorld_Step, from one thread, in the order of slots; it must not change the
/// world, and answer the same as long as nothing changed, or results differ from run to run. It is not part of a
/// snapshot.
typedef struct brPairFilter
{
	bool (*accept)(const brWorld* world, brBodyId a, brBodyId b, void* user); ///< Null: all pairs.
	void* user;                                                               ///< Yours, handed to `accept`.
} brPairFilter;

/// Sets the filter of a world in addition to categories. Null takes it away. Bodies in contact that are refused part in
/// the next step.
BR_API void brWorld_SetPairFilter(brWorld* world, const brPairFilter* filter);

/// Poses of all bodies in slot order as of brWorld_GetBodies, each with the bits of brWorld_GetPose. Returns the number
/// of bodies; writes at most `capacity` of them to `outPoses`, which may be null.
BR_API int32_t brWorld_GetPoses(const brWorld* world, brTransform* outPoses, int32_t capacity);

/// What the getters say about one body, in one struct.
typedef struct brBodyState
{
	brBodyId id;
	brBodyKind kind;
	bool isAwake;     ///< As of brWorld_IsAwake.
	brTransform pose; ///< As of brWorld_GetPose. [m]
	brDVec3 center;   ///< Center of mass. [m]
	brDVec3 velocity; ///< Of the center of mass. [m/s]
	brDVec3 spin;     ///< Angular velocity. [rad/s]
	double mass;      ///< [kg]
} brBodyState;

/// States of all bodies in slot order as of brWorld_GetBodies. Returns the number of bodies; writes at most `capacity`
/// of them to `outStates`, which may be null.
BR_API int32_t brWorld_GetStates(const brWorld* world, brBodyState* outStates, int32_t capacity);

/// Poses of all bodies as seven floats each, in slot order as of brWorld_GetBodies: position [m] and quaternion x y z w
/// of the axes in which the shape was made. Returns the number of bodies; writes at most `capacity` of them to
/// `outFloats`, which has room for 7 * capacity and may be null. For instanced drawing.
BR_API int32_t brWorld_GetTransforms(const brWorld* world, float* outFloats, int32_t capacity);

/// As brBodyDef.gravityScale.
BR_API bool brWorld_SetGravityScale(brWorld* world, brBodyId id, double gravityScale);

/// As brBodyDef.userData. Wakes nothing.
BR_API bool brWorld_SetUserData(brWorld* world, brBodyId id, uint64_t userData);

/// Energy and momentum of all dynamic bodies together, and where energy has gone in all steps so far. The sum kinetic +
/// potential + fracture + friction + restitution + damping + solver is what was put in by new bodies, impulses and
/// `driven`, less `dust`.
typedef struct brWorldEnergy
{
	double kinetic;          ///< Of motion and spin. [J]
	double potential;        ///< Of height under gravity, zero at the origin. [J]
	brDVec3 momentum;        ///< Linear. [kg m/s]
	brDVec3 angularMomentum; ///< About the origin of the world. [kg m^2/s]
	double fracture;         ///< Lost to new surface. [J]
	double friction;         ///< Lost by sliding, rolling and twisting contacts. [J]
	double restitution;      ///< Lost by hits and pressing contacts, along their normals. [J]
	double damping;          ///< Lost by damping of bodies, the extra damping of slow ones included. [J]
	/// Lost in the solver: overlap pushed out, bodies that were set back or put to sleep, pieces that were slowed,
	/// joints with their motors and springs. Below 0: it added energy. [J]
	double solver;
	double driven; ///< Came from kinematic bodies. [J]
	double dust;   ///< Kinetic and potential energy of dust when it was removed. [J]
} brWorldEnergy;

/// Adds up all dynamic bodies.
BR_API brWorldEnergy brWorld_ComputeEnergy(const brWorld* world);

/// Counts and times of the last step.
BR_API brStepStats brWorld_GetStats(const brWorld* world);

/// Contact events of the last step, sorted by bodies. The world's; valid until the next step.
BR_API const brContactEvent* brWorld_GetContactEvents(const brWorld* world, int32_t* outCount);

/// Body events since the step before: first those between the steps, then those of the step, sorted by bodies. The
/// world's; valid until the next step.
BR_API const brBodyEvent* brWorld_GetBodyEvents(const brWorld* world, int32_t* outCount);

/// A hash of everything that decides what happens next. Equal hashes mean that two runs are bit for bit in the same
/// state.
BR_API uint64_t brWorld_ComputeHash(const brWorld* world);

/// The whole state as one block of bytes, for the same build of the library. Returns the size, and writes the block
/// if `capacity` is large enough. `outBytes` may be null to ask for the size. [bytes]
BR_API size_t brWorld_Save(const brWorld* world, void* outBytes, size_t capacity);

/// Makes a world that goes on exactly as the saved one would have. Sizes, a hash and every index are checked, so a
/// damaged block is refused. `context` and `report` may be null.
BR_API brResult brRestoreWorld(const brContext* context, const void* bytes, size_t byteCount, brWorld** outWorld,
							   brReport* report);
