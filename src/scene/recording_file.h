// SPDX-License-Identifier: MIT
#pragma once

// A recording as bytes. docs/formats.md describes them.

#include "brittle/recording.h"

#include "base/array.h"
#include "base/report.h"

typedef struct brByteArray
{
	brAllocator allocator;
	BR_ARRAY(uint8_t) bytes;
	bool failed; // out of memory; later calls do nothing
} brByteArray;

void brByteArray_Add(brByteArray* array, const void* bytes, size_t byteCount);
void brByteArray_Destroy(brByteArray* array);

/// Appends the whole file. `isExact` keeps vertex positions as doubles, for checkpoints. False without memory.
bool brRecording_Write(const brRecording* recording, bool isExact, brByteArray* out);
