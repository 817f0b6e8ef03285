// SPDX-License-Identifier: MIT
#pragma once

// Bytes as text, six bits a digit.

#include "io/file.h"

/// Encodes bytes that come in pieces: up to two wait for the next piece.
typedef struct brBase64Encoder
{
	brOutput* output;
	uint8_t rest[3];
	int32_t restCount;
} brBase64Encoder;

void brBase64Encoder_Write(brBase64Encoder* encoder, const void* bytes, size_t byteCount);

/// Writes what waits, padded.
void brBase64Encoder_Finish(brBase64Encoder* encoder);

/// Decodes up to `count` bytes and returns how many there were; `outStop` is the first character that was not used.
/// Both alphabets are read, white space is passed over. A padded group may be followed by another run; at the end of
/// the text the padding may be missing.
size_t brBase64_Decode(const char* text, const char* end, uint8_t* out, size_t count, const char** outStop);
