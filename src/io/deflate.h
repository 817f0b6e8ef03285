// SPDX-License-Identifier: MIT
#pragma once

// Packed bytes as zlib has them (RFC 1950, 1951): in VTU files and PNG pictures.

#include "base/array.h"
#include "brittle/context.h"

typedef BR_ARRAY(uint8_t) brBytes;

/// No stream unpacks to more than this many times its size.
#define BR_INFLATE_MAX_RATIO 1032

/// Unpacks a zlib stream that must give exactly `outCount` bytes. False if it gives more or fewer, is broken, or its
/// checksum is wrong; never reads or writes out of bounds.
bool brInflate(const uint8_t* in, size_t inCount, uint8_t* out, size_t outCount);

/// The same without zlib's head and checksum: packed bytes alone (RFC 1951).
bool brInflateRaw(const uint8_t* in, size_t inCount, uint8_t* out, size_t outCount);

/// Appends `in`, packed, to `out`: the same bytes for any number of workers, which may be null. False without memory.
bool brDeflate(brWorkers* workers, const brAllocator* allocator, const uint8_t* in, size_t inCount, brBytes* out);

/// Adler-32 of RFC 1950.
uint32_t brAdler32(const uint8_t* bytes, size_t count);

/// Lengths and distances: symbol 257 + i stands for `base` and the next `extra` bits.
typedef struct brDeflateRange
{
	uint16_t base;
	uint8_t extra;
} brDeflateRange;

enum
{
	br_deflateLengthRanges = 29,
	br_deflateDistanceRanges = 30,
	br_deflateLiterals = 286,
	br_deflateMaxBits = 15,
	br_deflateCodeLengths = 19,
};

extern const brDeflateRange brDeflateLengths[br_deflateLengthRanges];
extern const brDeflateRange brDeflateDistances[br_deflateDistanceRanges];
extern const uint8_t brDeflateLengthOrder[br_deflateCodeLengths]; // in which the header of a block gives code lengths
