// SPDX-License-Identifier: MIT

// Binary numbers to the shortest decimal text that reads back as the same bits.
//
// Schubfach (Giulietti 2020): scale the number and the ends of its rounding interval by a power of ten such that the
// interval is between 2 and 20 units wide; then a multiple of ten inside it is shorter by a digit, else one of the two
// integers around the number is inside. The products are rounded to odd, which keeps every comparison exact. One table
// look-up and three 64 x 128 bit products a number.

#include "io/number.h"
#include "io/text.h"

#include <string.h>

typedef struct ShortDecimal
{
	uint64_t digits; // may end in zeros
	int32_t exponent;
} ShortDecimal;

// Upper 64 bits of the 192-bit product, the lowest set if anything was cut off.
static inline uint64_t shortestMultiply(const uint64_t power[2], uint64_t factor)
{
	brTwoWords lower = brWide_MultiplyAdd(power[1], factor, 0);
	brTwoWords upper = brWide_MultiplyAdd(power[0], factor, lower.high);
	return upper.high | (upper.low > 1);
}

// Finite and not zero, sign taken off.
static inline ShortDecimal shortestDecimal(uint64_t bits, brFloatShape shape)
{
	uint64_t hidden = (uint64_t)1 << shape.mantissaBits;
	uint64_t fraction = bits & (hidden - 1);
	int32_t field = (int32_t)(bits >> shape.mantissaBits);
	uint64_t c = field > 0 ? fraction | hidden : fraction;
	int32_t q = (field > 0 ? field : 1) - 1 + shape.minPower; // the number is c * 2^q

	// Small integers are their own shortest text.
	if (q <= 0 && -q <= shape.mantissaBits && (c & (((uint64_t)1 << -q) - 1)) == 0)
	{
		return (ShortDecimal){c >> -q, 0};
	}

	// Below a power of two the numbers lie twice as close.
	bool isLowerCloser = fraction == 0 && field > 1;
	uint64_t isOdd = c & 1;                                         // an even number owns the ends of its interval
	int32_t k = (q * 1262611 - (isLowerCloser ? 524031 : 0)) >> 22; // floor(log10(2^q)), of 3/4 of it if closer
	int32_t h = q + ((-k * 1741647) >> 19) + 1;
	int32_t row = -k - BR_LOWEST_POWER;
	uint64_t power[2] = {brPowersOfTen[row][0], brPowersOfTen[row][1]};
	if (k < -55 || k > 27)
	{
		power[1] += 1; // the table cuts these off, here they are rounded up
		power[0] += power[1] == 0;
	}
	uint64_t value = shortestMultiply(power, (4 * c) << h);
	uint64_t lower = shortestMultiply(power, (4 * c - 2 + isLowerCloser) << h) + isOdd;
	uint64_t upper = shortestMultiply(power, (4 * c + 2) << h) - isOdd;

	uint64_t s = value / 4;
	if (s >= 10)
	{
		uint64_t tens = s / 10;
		bool isFloorInside = lower <= 40 * tens;
		bool isCeilInside = 40 * tens + 40 <= upper;
		if (isFloorInside != isCeilInside)
		{
			return (ShortDecimal){tens + isCeilInside, k + 1};
		}
	}
	bool isFloorInside = lower <= 4 * s;
	bool isCeilInside = 4 * s + 4 <= upper;
	if (isFloorInside != isCeilInside)
	{
		return (ShortDecimal){s + isCeilInside, k};
	}
	uint64_t middle = 4 * s + 2;
	return (ShortDecimal){s + (value > middle || (value == middle && (s & 1) != 0)), k};
}

static const char numberPairs[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
									 "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
									 "8081828384858687888990919293949596979899";

// Writes the digits so that they end before `end` and returns where they start.
static inline char* numberPrintBackward(char* end, uint64_t value)
{
	while (value >= 100)
	{
		uint64_t rest = value / 100;
		end -= 2;
		memcpy(end, numberPairs + 2 * (value - 100 * rest), 2);
		value = rest;
	}
	if (value >= 10)
	{
		end -= 2;
		memcpy(end, numberPairs + 2 * value, 2);
		return end;
	}
	*--end = (char)('0' + value);
	return end;
}

int32_t brPrintInt(char* buffer, int64_t value)
{
	char digits[24];
	char* start = numberPrintBackward(digits + sizeof(digits), value < 0 ? 0u - (uint64_t)value : (uint64_t)value);
	int32_t count = (int32_t)(digits + sizeof(digits) - start);
	buffer[0] = '-';
	memcpy(buffer + (value < 0), start, (size_t)count);
	return count + (value < 0);
}

// Sizes a reader grasps at a glance are written without exponent: 0.00001 up to 17 digits before the point.
#define PLAIN_LOWEST (-5)
#define PLAIN_HIGHEST 17

// Copies without the terminator.
static char* numberPut(char* at, const char* text)
{
	while (*text != 0)
	{
		*at++ = *text++;
	}
	return at;
}

static int32_t numberPrintDecimal(char* buffer, ShortDecimal decimal)
{
	char digits[24] = {0};
	char* end = digits + sizeof(digits);
	char* start = numberPrintBackward(end, decimal.digits);
	while (end[-1] == '0')
	{
		end -= 1;
		decimal.exponent += 1;
	}
	int32_t count = (int32_t)(end - start);
	int32_t point = count + decimal.exponent; // digits before the point
	char* at = buffer;
	if (point > PLAIN_LOWEST && point <= 0)
	{
		numberPut(at, "0.00000");
		at += 2 - point;
		memcpy(at, start, (size_t)count);
		at += count;
	}
	else if (point > 0 && point <= PLAIN_HIGHEST && point >= count)
	{
		memcpy(at, start, (size_t)count);
		memset(at + count, '0', (size_t)(point - count));
		at += point;
	}
	else if (point > 0 && point <= PLAIN_HIGHEST)
	{
		memcpy(at, start, (size_t)point);
		at[point] = '.';
		memcpy(at + point + 1, start + point, (size_t)(count - point));
		at += count + 1;
	}
	else
	{
		*at++ = start[0];
		if (count > 1)
		{
			*at++ = '.';
			memcpy(at, start + 1, (size_t)(count - 1));
			at += count - 1;
		}
		*at++ = 'e';
		at += brPrintInt(at, point - 1);
	}
	return (int32_t)(at - buffer);
}

static int32_t numberPrintBits(char* buffer, uint64_t bits, bool isNegative, brFloatShape shape)
{
	uint64_t infinity = (uint64_t)shape.infinity << shape.mantissaBits;
	if (bits > infinity)
	{
		return (int32_t)(numberPut(buffer, "nan") - buffer);
	}
	buffer[0] = '-';
	char* at = buffer + isNegative;
	if (bits == infinity)
	{
		return (int32_t)(numberPut(at, "inf") - buffer);
	}
	if (bits == 0)
	{
		*at = '0';
		return 1 + isNegative;
	}
	return numberPrintDecimal(at, shortestDecimal(bits, shape)) + isNegative;
}

int32_t brPrintDouble(char* buffer, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return numberPrintBits(buffer, bits & INT64_MAX, bits >> 63 != 0, BR_SHAPE_DOUBLE);
}

int32_t brPrintFloat(char* buffer, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return numberPrintBits(buffer, bits & INT32_MAX, bits >> 31 != 0, BR_SHAPE_FLOAT);
}
