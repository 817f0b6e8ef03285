// SPDX-License-Identifier: MIT
#pragma once

// A recording as bytes. docs/formats.md describes them.

#include "brittle/recording.h"

#include "base/report.h"
#include "scene/byte_stream.h"

/// Appends the whole file. `isExact` keeps vertex positions as doubles, for checkpoints. False without memory.
bool brRecording_Write(const brRecording* recording, bool isExact, brByteArray* out);

/// Appends one mesh as it stands in the file.
void brByteArray_PutMesh(brByteArray* out, const brMesh* mesh, bool isExact);

/// br_errorFormat if the bytes are none. `context` and `report` may be null.
brResult brByteCursor_GetMesh(brByteCursor* cursor, const brContext* context, brMesh** outMesh, brReport* report);
