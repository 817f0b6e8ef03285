// SPDX-License-Identifier: MIT
#pragma once

// Numbers into bytes and out of them, for recordings, checkpoints and what goes to browsers. Little-endian; a count is
// of variable length: seven bits a byte, lowest first, the high bit says that more follow; a signed number is folded
// (0, -1, 1, -2...) first; a text is a count of bytes and the bytes.
//
// Errors stick: a call after the first that failed does nothing or gives 0, so that a writer or reader asks once, at
// its end.

#include "base/array.h"

typedef struct brByteArray
{
	brAllocator allocator;
	BR_ARRAY(uint8_t) bytes;
	bool failed; // out of memory; later calls do nothing
} brByteArray;

void brByteArray_Add(brByteArray* array, const void* bytes, size_t byteCount);
void brByteArray_Destroy(brByteArray* array);
void brByteArray_Put32(brByteArray* array, uint32_t value);
void brByteArray_Put64(brByteArray* array, uint64_t value);
void brByteArray_PutFloat(brByteArray* array, float value);
void brByteArray_PutDouble(brByteArray* array, double value);
void brByteArray_PutCount(brByteArray* array, uint64_t value);
static inline void brByteArray_PutSigned(brByteArray* array, int64_t value)
{
	brByteArray_PutCount(array, value < 0 ? ((uint64_t) - (value + 1) << 1) | 1 : (uint64_t)value << 1);
}
void brByteArray_PutText(brByteArray* array, const char* text);

typedef struct brByteCursor
{
	const uint8_t* at;
	const uint8_t* end;
	bool failed; // the bytes ended or a number was out of range; later reads give 0
} brByteCursor;

uint32_t brByteCursor_Get32(brByteCursor* cursor);
uint64_t brByteCursor_Get64(brByteCursor* cursor);

/// Finite ones only.
float brByteCursor_GetFloat(brByteCursor* cursor);
double brByteCursor_GetDouble(brByteCursor* cursor);

/// A count of at most `limit`.
int64_t brByteCursor_GetCount(brByteCursor* cursor, int64_t limit);
static inline int64_t brByteCursor_GetSigned(brByteCursor* cursor)
{
	int64_t folded = brByteCursor_GetCount(cursor, INT64_MAX / 2);
	return folded & 1 ? -(folded >> 1) - 1 : folded >> 1;
}

/// Goes past so many bytes, or counts of any size.
void brByteCursor_Skip(brByteCursor* cursor, uint64_t byteCount);
void brByteCursor_SkipCounts(brByteCursor* cursor, int64_t count);

/// Fills all of `text` and ends it.
void brByteCursor_GetText(brByteCursor* cursor, char* text, size_t capacity);

/// A count in 32 bits of things that take at least `least` bytes each.
int32_t brByteCursor_GetSize(brByteCursor* cursor, uint64_t least);
