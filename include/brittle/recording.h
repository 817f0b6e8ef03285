// SPDX-License-Identifier: MIT
#pragma once

/// @file recording.h
/// What happened in a world, frame by frame: which bodies there were, what they look like, where they went.
///
///     brRecording* recording = brCreateRecording(NULL, 60.0);
///     ...                                              // brRun_PlayFrame of run.h fills one as it goes
///     brSaveRecording(NULL, recording, "glass.brec", NULL);
///     brAssembly* moving;
///     brRecording_MakeAssembly(recording, NULL, NULL, &moving, NULL);
///     brSaveAssembly(NULL, moving, "glass.glb", NULL, NULL);
///
/// Poses are kept in whole steps of 2^-20 m and 2^-15 of a quaternion, and only when they change: a body that rests
/// costs nothing. What the recording holds is what every file shows. A .brec file keeps the poses to the bit and the
/// meshes to 4e-6 of their size; docs/formats.md describes it.
///
/// Meshes should have their center of mass at the origin (brMesh_ComputeMass): players interpolate position and
/// rotation apart, and only the origin then follows a true path between two frames. Runs do so.

#include "brittle/assembly.h"

/// Smallest step of a position. [m]
#define BR_RECORDING_UNIT 0x1p-20

/// Gravity along z of a recording whose world had no other. [m/s^2]
#define BR_RECORDING_GRAVITY (-9.81)

/// A pose in a recording's steps. The quaternion has w >= 0.
typedef struct brRecordedPose
{
	int32_t position[3]; ///< In BR_RECORDING_UNIT; at most 2^31 - 1, bodies further out than 2 km stay there.
	int16_t rotation[4]; ///< x, y, z, w in 2^-15 of the quaternion's length, nearly.
} brRecordedPose;

/// Rounds a pose to the steps of a recording.
BR_API brRecordedPose brMakeRecordedPose(brTransform pose);

/// The pose that a recorded pose stands for.
BR_API brTransform brRecordedPose_ToTransform(brRecordedPose pose);

/// Smallest step of the turn that a body made since the frame before. [rad]
#define BR_RECORDING_TURN 0x1p-6

/// The pose of one body from one frame on.
typedef struct brRecordedKey
{
	int32_t body;
	brRecordedPose pose;
	/// How the body turned since the frame before: axis times angle, about the world's axes, in BR_RECORDING_TURN. Zero
	/// unless it was more than a quarter turn; two poses alone do not tell which way round it went, or how often.
	int16_t turn[3];
} brRecordedKey;

typedef enum brRecordedKind
{
	br_recordedBody = 0,
	br_recordedPiece = 1, ///< Came from a body that broke.
	/// The slab that stands for the ground; left out of pictures, which have a ground of their own.
	br_recordedGround = 2,
} brRecordedKind;

typedef struct brRecordedBody
{
	char name[64];
	int32_t mesh;        ///< Into meshes.
	int32_t parent;      ///< The body that it is a piece of, or -1.
	int32_t bornFrame;   ///< First frame in which the body exists.
	int32_t goneFrame;   ///< First frame in which it no longer exists; INT32_MAX: it stays.
	int32_t kind;        ///< brRecordedKind.
	brRecordedPose pose; ///< Its last one.
	int32_t generation;  ///< 0 for bodies, 1 for their pieces, 2 for pieces of those.
	float mass;          ///< 0: it does not move, or is not known. [kg]
} brRecordedBody;

/// One body that broke.
typedef struct brRecordedBreak
{
	int32_t frame;
	int32_t body;   ///< The body that broke.
	int32_t pieces; ///< How many pieces it broke into.
	float point[3]; ///< Where it was hit. [m]
	float energy;   ///< Energy spent on the new surface. [J]
	float stress;   ///< Largest tension that the hit caused; 0: not known. [Pa]
} brRecordedBreak;

/// A few numbers of each frame, for graphs. None is a time by the clock: the same scene gives the same recording, bit
/// for bit. Times are in the table that brRun_SaveStatistics writes.
typedef struct brRecordedFrame
{
	int32_t firstKey;                ///< Keys of this frame are [firstKey, next frame's firstKey), rising by body.
	int32_t bodies, awake, contacts; ///< As in brStepStats.
	float kinetic, potential;        ///< Energy of motion and of height. [J]
} brRecordedFrame;

/// How pictures of the recording are taken: as the scene says. Zero: not known.
typedef struct brRecordedCamera
{
	double azimuth, elevation, fieldOfView; ///< As in brRenderDef. [rad]
	double zoom;                            ///< 0: there is no camera. [1]
	brDBox3 frame; ///< What is shown; empty: what brRecording_FindAction finds. brRun fills it in. [m]
	bool isFixed;  ///< The scene names a frame: stills show it too, instead of what happens at their moment.
	bool ground;   ///< Whether there is a ground, and its height. [m]
	double groundHeight;
	int32_t width, height, samples; ///< Of the poster. [px]
	uint64_t seed;
} brRecordedCamera;

typedef struct brRecording
{
	double frameRate; ///< Frame f is at f / frameRate seconds.
	int32_t meshCount, bodyCount, frameCount, keyCount, breakCount;
	brMesh** meshes;         ///< [meshCount] owned.
	brRecordedBody* bodies;  ///< [bodyCount] rising by bornFrame.
	brRecordedFrame* frames; ///< [frameCount]
	brRecordedKey* keys;     ///< [keyCount] by frame, then body. A body has a key in the frame in which it is born.
	brRecordedBreak* breaks; ///< [breakCount] by frame.
	brRecordedCamera camera;
	int32_t jointCount;
	brAssemblyJoint* joints; ///< [jointCount] At the start; their parts are bodies here.
	brDVec3 gravity;         ///< At the start. BR_RECORDING_GRAVITY along z by default. [m/s^2]
	int32_t meshCapacity, bodyCapacity, frameCapacity, keyCapacity, breakCapacity, jointCapacity;
	brAllocator allocator;
} brRecording;

/// Makes an empty recording of `frameRate` frames per second. Null without memory. `context` may be null.
BR_API brRecording* brCreateRecording(const brContext* context, double frameRate);

/// Frees `recording`, which may be null.
BR_API void brDestroyRecording(brRecording* recording);

// Filling one, a frame at a time. -1 or false without memory: the recording is then as it was.

/// Takes ownership of the mesh and returns its index; on failure the mesh is still the caller's.
BR_API int32_t brRecording_AddMesh(brRecording* recording, brMesh* mesh);

/// Opens the next frame; the calls that follow fill it. False without memory.
BR_API bool brRecording_BeginFrame(brRecording* recording, const brRecordedFrame* frame);

/// Adds a body that exists from the open frame on. Returns its index, -1 without memory.
BR_API int32_t brRecording_AddBody(brRecording* recording, const char* name, int32_t mesh, int32_t parent,
								   brRecordedKind kind, brTransform pose);

/// Sets the pose of a body in the open frame; stored only if it differs from the last one. Call it in rising order of
/// bodies. `spin` is its angular velocity, which tells turns of more than a quarter a frame apart. [rad/s] False
/// without memory.
BR_API bool brRecording_MoveBody(brRecording* recording, int32_t body, brTransform pose, brDVec3 spin);

/// Removes a body from the open frame on.
BR_API void brRecording_EndBody(brRecording* recording, int32_t body);

/// Notes a break in the open frame. False without memory.
BR_API bool brRecording_AddBreak(brRecording* recording, const brRecordedBreak* what);

/// Notes a joint between two bodies that are there already; its parts are indices of bodies. False without memory, or
/// if it does not name such bodies.
BR_API bool brRecording_AddJoint(brRecording* recording, const brAssemblyJoint* joint);

/// The box of what happens between two times [s]: things that break, whole, their pieces (but for the few that fly
/// far), and what moves or stands beside them. `from` may be -INFINITY, `to` INFINITY. Where both are the same: what is
/// in pieces at that moment, else what will break, and what is close to it. Empty for a recording without bodies, and
/// without memory. [m]
BR_API brDBox3 brRecording_FindAction(const brRecording* recording, double from, double to);

/// The moments at which something happens between two times: `from`, `to`, and the rest of the `count` where things
/// break and move, on whole frames. [s]
BR_API void brRecording_FindMoments(const brRecording* recording, double from, double to, double* outTimes,
									int32_t count);

/// A recording of the time between `from` and `to` [s] at `frameRate` frames per second, which starts at 0: what is not
/// there then goes. Poses between two frames are interpolated; frames that fall together keep their bits. `from` may be
/// -INFINITY, `to` INFINITY, `frameRate` 0: as it is. `context` and `report` may be null.
BR_API brResult brTrimRecording(const brContext* context, const brRecording* recording, double from, double to,
								double frameRate, brRecording** outRecording, brReport* report);

/// A tolerance of keys too small to see: a quarter of a percent of a part's size.
#define BR_RECORDING_NEAR 0.005

/// Which parts of a recording become an assembly. Start from brDefaultRecordingView().
typedef struct brRecordingView
{
	bool ground; ///< With the slab of the ground. On by default.
	/// Keys are left out where the straight way between others comes this near to them, as a share of the part's radius
	/// at its farthest point. Files get smaller and are imported faster; BR_RECORDING_NEAR is what `brittle run`
	/// writes. 0, the default, keeps all.
	double keyTolerance;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brRecordingView;
BR_API brRecordingView brDefaultRecordingView(void);

/// Makes an assembly with moving parts that appear and vanish, for .glb, .usda and pictures. Meshes are copied. Pieces
/// share a group named for the thing that broke, with the whole thing as NAME_whole; what turns by more than a quarter
/// a frame gets keys between frames. `context`, `view` and `report` may be null.
BR_API brResult brRecording_MakeAssembly(const brRecording* recording, const brContext* context,
										 const brRecordingView* view, brAssembly** outAssembly, brReport* report);

/// A copy as a .brec file gives it back: what is made from it is what is made from the file.
/// `context` and `report` may be null.
BR_API brResult brRoundRecording(const brContext* context, const brRecording* recording, brRecording** outRecording,
								 brReport* report);

/// Writes a .brec file; it appears complete or not at all. Meshes are rounded, and solids that this makes touch or
/// cross themselves are taken apart (brSettleMesh): what is read back is a solid where a solid was. `context` and
/// `report` may be null.
BR_API brResult brSaveRecording(const brContext* context, const brRecording* recording, const char* path,
								brReport* report);

/// Reads a .brec file. `context` and `report` may be null.
BR_API brResult brLoadRecording(const brContext* context, const char* path, brRecording** outRecording,
								brReport* report);

/// Reads a .brec file from memory. `name` is used in messages and may be null, like `context` and `report`.
BR_API brResult brReadRecording(const brContext* context, const void* bytes, size_t byteCount, const char* name,
								brRecording** outRecording, brReport* report);
