// SPDX-License-Identifier: MIT
#pragma once

// Decimal text to binary numbers and back: exact, fast, blind to the locale.
//
// Reading rounds correctly for every input (number_read.c); printing gives the shortest digits that read back as the same
// bits, the closest of them where there are several (number_print.c). Both stand on one table of powers of ten.

#include <stdbool.h>
#include <stdint.h>

/// Reads a number that starts at `at`: sign, digits, point, exponent; or nan, inf, infinity in any case. Returns the first
/// character after it, null if there is no number. Too large is infinite, too small is zero. *end must be readable and no
/// part of a number, such as the zero byte behind a text.
const char* brScanDouble(const char* at, const char* end, double* outValue);

/// Likewise, rounded once: not the same as a double made float.
const char* brScanFloat(const char* at, const char* end, float* outValue);

/// Leading 128 bits of 10^q, highest bit set, as {upper, lower} for BR_LOWEST_POWER <= q. See tools/make_powers.py.
#define BR_LOWEST_POWER (-342)
#define BR_HIGHEST_POWER 324
#define BR_POWER_COUNT (BR_HIGHEST_POWER - BR_LOWEST_POWER + 1)
extern const uint64_t brPowersOfTen[BR_POWER_COUNT][2];

__extension__ typedef unsigned __int128 brUint128;

/// The two kinds of floating-point number, as far as their bits go.
typedef struct brFloatShape
{
	int32_t mantissaBits; // stored, without the hidden one
	int32_t infinity;     // exponent field of infinity
	int32_t minPower;     // the lowest bit of a denormal is worth 2^minPower
	int32_t lowestTie;    // an integer of 64 bits times 10^q can lie halfway between two of them only for these q
	int32_t highestTie;
} brFloatShape;

#define BR_SHAPE_DOUBLE ((brFloatShape){52, 0x7FF, -1074, -4, 23})
#define BR_SHAPE_FLOAT ((brFloatShape){23, 0xFF, -149, -17, 10})
