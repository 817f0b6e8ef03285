// SPDX-License-Identifier: MIT
#pragma once

// A recording as bytes. docs/formats.md describes them.

#include "brittle/recording.h"

#include "base/report.h"
#include "scene/byte_stream.h"

/// A body that turns by more than this between two frames gets keys between them. [rad]
#define BR_RECORDING_QUARTER (0.5 * BR_PI)

/// brRecording_MoveBody with the pose in steps.
bool brRecording_MoveBodyTo(brRecording* recording, int32_t body, const brRecordedPose* pose, brDVec3 spin);

/// The turn of a key as axis times angle. [rad]
brDVec3 brRecordedTurn(const int16_t turn[3]);

/// Part `t` of the way from one pose to the next by a turn about a fixed axis. What the turn misses of the second pose
/// is made up for evenly.
brTransform brRecording_Between(brTransform from, brTransform to, brDVec3 turn, double t);

/// Appends the whole file. `isExact` keeps vertex positions as doubles, for checkpoints. False without memory. `context`
/// may be null.
bool brRecording_Write(const brContext* context, const brRecording* recording, bool isExact, brByteArray* out);

/// Steps, at most; differences of a damaged file are cut to it.
#define BR_RECORDING_FARTHEST ((int64_t)1 << 52)

/// A power of two that cuts the mesh's longest side, or its distance from the origin if that is more, into 2^17 to 2^18
/// steps. A rounded mesh has the same step, or a finer one that holds it too.
double brRecordedStep(const brMesh* mesh);

/// Appends one mesh as it stands in the file.
void brByteArray_PutMesh(brByteArray* out, const brMesh* mesh, bool isExact);

/// br_errorFormat if the bytes are none. `context` may be null.
brResult brByteCursor_GetMesh(brByteCursor* cursor, const brContext* context, brMesh** outMesh);

/// Goes past one mesh. What is wrong with it is told by reading it, or the cursor has failed: it does not end.
void brByteCursor_SkipMesh(brByteCursor* cursor);
