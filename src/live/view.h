// SPDX-License-Identifier: MIT
#pragma once

// What clients have been told, and the messages that tell them more.
//
// Bodies get numbers that only rise. A pose is seven whole numbers: position in steps of `unit`, quaternion in steps of
// 2^-12. Both ends keep the last pose and the last change; what is sent is the difference from going on the same way,
// so that a body in free flight costs a byte a number. What is not in a frame's list stands still. Layout in
// docs/live.md. Meshes and poses are about the center of mass: a page that interpolates position and rotation apart then
// moves the center on a true path.

#include "brittle/live.h"

#include "scene/byte_stream.h"

#define BR_LIVE_VERSION 3 // 1: bodies about the origins of their models, not their centers; 2: no ropes
#define BR_LIVE_ROTATION_STEP 0x1p-12
#define BR_LIVE_BALL UINT64_MAX // user data of balls

typedef enum brLiveMessageKind
{
	br_liveHello = 1,
	br_liveStatus = 2,
	br_liveFrame = 3,
} brLiveMessageKind;

typedef enum brLiveBodyKind
{
	br_liveBody = 0,
	br_livePiece = 1,
	br_liveGround = 2,
	br_liveBall = 3,
	br_liveHungBall = 4, // on a rope
} brLiveBodyKind;

typedef struct brLivePose
{
	int32_t steps[7];
} brLivePose;

/// A ball that somebody threw, or hung up.
typedef struct brLiveBall
{
	brBodyId id;
	brBodyId hook; // static, from which it hangs; none: it was thrown
	brDVec3 rope;  // from its center to the hook, in its axes: they turn with the rope, which does not give
} brLiveBall;

/// One body that clients know.
typedef struct brLiveKnown
{
	brBodyId id;
	uint32_t number;
	uint32_t parent; // number, or 0
	uint32_t mesh;   // number
	int32_t model;   // of the scene, whose mesh it shares; or -1: it has its own
	brLiveBodyKind kind;
	float stress;   // of the break that it came from [Pa]
	brDVec3 center; // of mass, in the body's axes: the origin of what clients get
	brDVec3 rope;   // of a ball that hangs
	brLivePose pose, change;
} brLiveKnown;

typedef struct brLiveSlot
{
	uint32_t generation; // 0: none yet
	uint32_t number;
} brLiveSlot;

/// A break since the last frame.
typedef struct brLiveBreak
{
	brBodyId parent;
	float stress;
} brLiveBreak;

/// A few numbers with each frame.
typedef struct brLiveNumbers
{
	double time;
	int32_t awake, contacts, breaks;
	double stepSeconds, detectSeconds, solveSeconds, breakSeconds, rate;
} brLiveNumbers;

typedef struct brLiveView
{
	brAllocator allocator;
	const brScene* scene;
	const brWorld* world;
	brMesh* ground; // may be null
	brTransform groundPose;
	double unit; // [m]
	uint32_t lastNumber, lastMesh;
	uint32_t* modelMeshes;       // [scene->modelCount] number, or 0: not yet sent
	uint8_t* modelMarks;         // [scene->modelCount] of one snapshot
	BR_ARRAY(brLiveKnown) known; // rising by number
	BR_ARRAY(brLiveSlot) slots;  // by slot of the world
	BR_ARRAY(brLiveBreak) breaks;
	BR_ARRAY(brLiveBall) balls; // in the world, oldest first
	BR_ARRAY(brBodyId) ids;     // scratch
	brByteArray moves, gones;   // scratch
	brByteArray births;         // scratch
	int32_t pieceCount, ballCount, bodyCount;
	bool isFresh; // nobody has been told anything of this world
} brLiveView;

brResult brLiveView_Init(brLiveView* view, const brContext* context, const brScene* scene, brReport* report);
void brLiveView_Destroy(brLiveView* view);

/// Everything from now on is of another world; the next frame makes clients forget the old one. Numbers go on.
void brLiveView_SetWorld(brLiveView* view, const brWorld* world);

/// Meshes of models look different from now on.
void brLiveView_ForgetModels(brLiveView* view);

/// After each step: what broke in it.
bool brLiveView_NoteBreaks(brLiveView* view);

/// Appends a frame: what has changed since the last one. False without memory; the clients must then be sent a
/// snapshot.
bool brLiveView_Frame(brLiveView* view, const brLiveNumbers* numbers, brByteArray* out);

/// Appends a frame that says everything to somebody new, as of the last frame.
bool brLiveView_Snapshot(brLiveView* view, const brLiveNumbers* numbers, brByteArray* out);

/// What a body of the world looks like. Null if it is gone or is the ground.
const brMesh* brLiveView_Mesh(const brLiveView* view, brBodyId id);

/// Nearest pose in steps; of the two quaternions that mean the same the one nearer to `last`.
brLivePose brLivePose_From(brTransform pose, double unit, const brLivePose* last);
