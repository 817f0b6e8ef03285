// SPDX-License-Identifier: MIT
#pragma once

// Decimal text to binary numbers and back: exact, fast, blind to the locale.
//
// Reading rounds correctly for every input (number_read.c); printing gives the shortest digits that read back as the
// same bits, the closest of them where there are several (number_print.c). Both stand on one table of powers of ten.

#include "base/wide_int.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool brIsDigit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/// What eight digits add up to, the first of them in the lowest byte: as pairs, pairs of pairs, and so on.
static inline uint32_t brSumDigits(uint64_t word)
{
	word = word * 2561 >> 8;
	word = (word & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
	return (uint32_t)((word & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32);
}

/// Appends the digits from `at` on to *value, which wraps around: up to 19 of them always fit. Returns the first
/// character that is no digit. *end must be readable and no digit.
static inline const char* brScanDigits(const char* at, const char* end, uint64_t* value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	// Eight characters at once. The lowest byte that is more than 9 ends the number (a carry only spoils the bytes
	// above it); those before it are moved up behind zeros.
	static const uint32_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	while (end - at >= 8)
	{
		uint64_t word;
		__builtin_memcpy(&word, at, sizeof(word));
		word ^= 0x3030303030303030u;
		uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
		int32_t bits = others != 0 ? __builtin_ctzll(others) & ~7 : 64;
		if (bits == 0)
		{
			return at;
		}
		uint32_t sum = brSumDigits(word << (64 - bits));
		at += bits / 8;
		if (bits < 64)
		{
			*value = *value * powers[bits / 8] + sum;
			return at;
		}
		*value = *value * 100000000u + sum;
	}
#else
	(void)end;
#endif
	for (; brIsDigit(*at); ++at)
	{
		*value = *value * 10 + (uint64_t)(*at - '0');
	}
	return at;
}

/// Up to seven digits, read at once. `*length` is how many the number before had, most often as many as this one, and
/// then how many this one has: the processor goes on with what follows before it has counted. False, and nothing is
/// read, if there are none or more, or if the text ends within eight characters.
static inline bool brScanFewDigits(const char** at, const char* end, int32_t* length, int32_t* outValue)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (end - *at < 8)
	{
		return false;
	}
	uint64_t word;
	__builtin_memcpy(&word, *at, sizeof(word));
	word ^= 0x3030303030303030u;
	uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
	int32_t count = others != 0 ? __builtin_ctzll(others) >> 3 : 0, known = *length;
	if (count == 0)
	{
		return false;
	}
	if (count != known)
	{
		known = count;
		__asm__ volatile("" : "+r"(known)); // so that it is a branch, which is foreseen; a choice would have to wait
		*length = known;
	}
	*outValue = (int32_t)brSumDigits(word << (64 - 8 * known));
	*at += known;
	return true;
#else
	(void)at, (void)end, (void)length, (void)outValue;
	return false;
#endif
}

/// Reads a number that starts at `at`: sign, digits, point, exponent; or nan, inf, infinity in any case. Returns the
/// first character after it, null if there is no number. Too large is infinite, too small is zero. *end must be
/// readable and no part of a number, such as the zero byte behind a text.
const char* brScanDouble(const char* at, const char* end, double* outValue);

/// Likewise, rounded once: not the same as a double made float.
const char* brScanFloat(const char* at, const char* end, float* outValue);

/// Leading 128 bits of 10^q, highest bit set, as {upper, lower} for BR_LOWEST_POWER <= q. See tools/make_powers.py.
#define BR_LOWEST_POWER (-342)
#define BR_HIGHEST_POWER 324
#define BR_POWER_COUNT (BR_HIGHEST_POWER - BR_LOWEST_POWER + 1)
extern const uint64_t brPowersOfTen[BR_POWER_COUNT][2];

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
