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

/// Part `t` of the way from one pose to the next by a turn about a fixed axis. What the turn misses of the second pose is
/// made up for evenly.
brTransform brRecording_Between(brTransform from, brTransform to, brDVec3 turn, double t);

/// Appends the whole file. `isExact` keeps vertex positions as doubles, for checkpoints. False without memory.
bool brRecording_Write(const brRecording* recording, bool isExact, brByteArray* out);

/// Appends one mesh as it stands in the file.
void brByteArray_PutMesh(brByteArray* out, const brMesh* mesh, bool isExact);

/// br_errorFormat if the bytes are none. `context` and `report` may be null.
brResult brByteCursor_GetMesh(brByteCursor* cursor, const brContext* context, brMesh** outMesh, brReport* report);
