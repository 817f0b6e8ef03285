// SPDX-License-Identifier: MIT

// Decimal text to the nearest double or float, ties to even.
//
// Three ways, each for what the one before cannot settle:
//  1. at most 15 digits or so and a small power of ten: one exact multiplication or division (Clinger 1990);
//  2. up to 19 digits: 64 x 128 bit product with a rounded power of ten (Lemire 2021; Mushtak and Lemire 2023 prove that it
//     always decides; the doubtful product they rule out is still sent on);
//  3. more digits, when the first 19 leave two answers: the text is compared with the halfway points around the candidate in
//     big integers. A halfway point has at most 767 digits, so further ones only say "more than that".

#include "io/number.h"

#include "base/assert.h"

#include <stddef.h>
#include <string.h>

#define FAST_DIGITS 19   // always fit 64 bits
#define EXACT_DIGITS 780 // more than any halfway point has
#define BIG_LIMBS 128    // 4096 bits; the comparison below needs less than 2800

// One body each for doubles and floats, with the shape known.
#define NUMBER_INLINE __attribute__((always_inline)) static inline

typedef struct NumberText
{
	uint64_t mantissa; // the first 19 significant digits
	int64_t exponent;  // value is mantissa * 10^exponent, and a little more if hasMore
	bool hasMore;
	const char* digits; // first significant digit, for the exact way
	const char* digitsEnd;
} NumberText;

// The exponent after 'e', or null if none follows. Saturates far beyond what any text's digits could make up for.
static const char* numberScanExponent(const char* at, int64_t* outExponent)
{
	bool isNegative = *at == '-';
	at += *at == '-' || *at == '+';
	if (!brIsDigit(*at))
	{
		return NULL;
	}
	int64_t value = 0;
	for (; brIsDigit(*at); ++at)
	{
		value = value < 1000000000000000 ? value * 10 + (*at - '0') : value;
	}
	*outExponent = isNegative ? -value : value;
	return at;
}

// Of texts with many digits: the first 19 significant ones again, with care.
static void numberTakeLeading(NumberText* text, const char* digits, const char* point)
{
	int64_t leadingExponent = text->exponent;
	text->mantissa = 0;
	int32_t taken = 0;
	const char* at = digits;
	for (; at < text->digitsEnd && (*at == '0' || *at == '.'); ++at)
	{
	}
	text->digits = at;
	for (; at < text->digitsEnd && taken < FAST_DIGITS; ++at)
	{
		if (*at != '.')
		{
			text->mantissa = text->mantissa * 10 + (uint64_t)(*at - '0');
			taken += 1;
		}
	}
	int64_t leftOut = text->digitsEnd - at;
	if (point != NULL && point >= at)
	{
		leftOut -= 1;
	}
	text->exponent = leadingExponent + leftOut;
	text->hasMore = leftOut > 0;
}

// Splits the text into its parts. Null if no digit is there.
NUMBER_INLINE const char* numberScan(const char* at, const char* end, NumberText* text)
{
	const char* digits = at;
	const char* point = NULL;
	text->mantissa = 0;
	text->hasMore = false;
	if (brIsDigit(*at) && !brIsDigit(at[1]))
	{
		text->mantissa = (uint64_t)(*at++ - '0'); // one digit before the point is the most common number
	}
	else
	{
		at = brScanDigits(at, end, &text->mantissa);
	}
	int64_t digitCount = at - digits;
	int64_t exponent = 0;
	if (*at == '.')
	{
		point = at;
		at = brScanDigits(at + 1, end, &text->mantissa);
		exponent = -(at - point - 1);
		digitCount -= exponent;
	}
	if (digitCount == 0)
	{
		return NULL;
	}
	text->digits = digits;
	text->digitsEnd = at;
	if (*at == 'e' || *at == 'E')
	{
		int64_t written;
		const char* after = numberScanExponent(at + 1, &written);
		if (after != NULL)
		{
			at = after;
			exponent += written;
		}
	}
	text->exponent = exponent;
	if (digitCount > FAST_DIGITS)
	{
		numberTakeLeading(text, digits, point);
	}
	return at;
}

static inline int32_t numberLeadingZeros(uint64_t x)
{
	return __builtin_clzll(x);
}

// The second way: bits of the number nearest to mantissa * 10^exponent. `*isSure` is cleared when the product cannot
// tell.
NUMBER_INLINE uint64_t numberRoundProduct(uint64_t mantissa, int64_t exponent, brFloatShape shape, bool* isSure)
{
	uint64_t infinity = (uint64_t)shape.infinity << shape.mantissaBits;
	if (mantissa == 0 || exponent < BR_LOWEST_POWER)
	{
		return 0; // below half of the smallest denormal
	}
	if (exponent > 308)
	{
		return infinity;
	}
	int32_t q = (int32_t)exponent;
	const uint64_t* power = brPowersOfTen[q - BR_LOWEST_POWER];
	int32_t shift = numberLeadingZeros(mantissa);
	uint64_t scaled = mantissa << shift;

	// The upper half of the power is enough unless all bits below the rounding bit are ones.
	brTwoWords product = brWide_MultiplyAdd(scaled, power[0], 0);
	uint64_t high = product.high, low = product.low;
	uint64_t below = UINT64_MAX >> (shape.mantissaBits + 3);
	if ((high & below) == below)
	{
		uint64_t carry = brWide_MultiplyAdd(scaled, power[1], 0).high;
		low += carry;
		high += low < carry;
		*isSure = *isSure && (low != UINT64_MAX || (q >= -27 && q <= 55));
	}

	// Mantissa with one bit to round by. 217706 / 65536 is log2(10) to enough digits for this range.
	int32_t upperBit = (int32_t)(high >> 63);
	int32_t drop = upperBit + 64 - shape.mantissaBits - 3;
	uint64_t bits = high >> drop;
	int32_t field = ((217706 * q) >> 16) + 63 + upperBit - shift + 1 - shape.minPower - shape.mantissaBits;
	if (field <= 0)
	{
		if (1 - field >= 64)
		{
			return 0;
		}
		bits >>= 1 - field;
		return (bits + (bits & 1)) >> 1; // may become the smallest normal number, whose bits are just these
	}

	// Exactly halfway, which only small powers can give: to even, so not up if the last bit is 0.
	if (low <= 1 && q >= shape.lowestTie && q <= shape.highestTie && (bits & 3) == 1 && bits << drop == high)
	{
		bits &= ~(uint64_t)1;
	}
	bits = (bits + (bits & 1)) >> 1;
	uint64_t result = bits - ((uint64_t)1 << shape.mantissaBits) + ((uint64_t)field << shape.mantissaBits);
	return result < infinity ? result : infinity; // a carry out of the mantissa has moved the exponent up by itself
}

// The third way

typedef struct BigNumber
{
	uint32_t limbs[BIG_LIMBS]; // lowest first
	int32_t count;
} BigNumber;

static void bigMulAdd(BigNumber* big, uint32_t factor, uint32_t term)
{
	uint64_t carry = term;
	for (int32_t i = 0; i < big->count; ++i)
	{
		carry += (uint64_t)big->limbs[i] * factor;
		big->limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry > 0)
	{
		BR_ASSERT(big->count < BIG_LIMBS);
		big->limbs[big->count++] = (uint32_t)carry;
	}
}

static void bigMulPowerOfFive(BigNumber* big, int64_t exponent)
{
	for (; exponent >= 13; exponent -= 13)
	{
		bigMulAdd(big, 1220703125u, 0); // 5^13, the largest that fits
	}
	for (; exponent > 0; --exponent)
	{
		bigMulAdd(big, 5, 0);
	}
}

static void bigShiftLeft(BigNumber* big, int64_t bits)
{
	int32_t whole = (int32_t)(bits / 32);
	bigMulAdd(big, (uint32_t)1 << (bits % 32), 0);
	if (whole > 0 && big->count > 0)
	{
		BR_ASSERT(big->count + whole <= BIG_LIMBS);
		memmove(big->limbs + whole, big->limbs, (size_t)big->count * sizeof(uint32_t));
		memset(big->limbs, 0, (size_t)whole * sizeof(uint32_t));
		big->count += whole;
	}
}

static int bigCompare(const BigNumber* a, const BigNumber* b)
{
	if (a->count != b->count)
	{
		return a->count < b->count ? -1 : 1;
	}
	for (int32_t i = a->count - 1; i >= 0; --i)
	{
		if (a->limbs[i] != b->limbs[i])
		{
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
		}
	}
	return 0;
}

static void bigFromWord(BigNumber* big, uint64_t word)
{
	big->limbs[0] = (uint32_t)word;
	big->limbs[1] = (uint32_t)(word >> 32);
	big->count = big->limbs[1] != 0 ? 2 : big->limbs[0] != 0;
}

// All digits that can matter, as an integer times 10^exponent.
static void bigFromText(const NumberText* text, BigNumber* big, int64_t* outExponent)
{
	big->count = 0;
	if (!text->hasMore)
	{
		bigFromWord(big, text->mantissa);
		*outExponent = text->exponent;
		return;
	}
	int32_t taken = 0;
	bool isMore = false;
	for (const char* at = text->digits; at < text->digitsEnd; ++at)
	{
		if (*at == '.')
		{
			continue;
		}
		if (taken < EXACT_DIGITS)
		{
			bigMulAdd(big, 10, (uint32_t)(*at - '0'));
			taken += 1;
		}
		else
		{
			isMore = isMore || *at != '0';
		}
	}
	*outExponent = text->exponent + FAST_DIGITS - taken;
	if (isMore)
	{
		bigMulAdd(big, 10, 1);
		*outExponent -= 1;
	}
}

// Sign of the text's value minus the point halfway between the numbers with these bits and the next.
static int numberCompareHalfway(const BigNumber* digits, int64_t exponent, uint64_t bits, brFloatShape shape)
{
	uint64_t hidden = (uint64_t)1 << shape.mantissaBits;
	uint64_t field = bits >> shape.mantissaBits;
	uint64_t mantissa = (bits & (hidden - 1)) + (field > 0 ? hidden : 0);
	int64_t power = (int64_t)(field > 0 ? field : 1) - 1 + shape.minPower - 1; // halfway is (2 m + 1) 2^power

	BigNumber left = *digits;
	BigNumber right;
	bigFromWord(&right, 2 * mantissa + 1);

	// Compare left * 10^exponent with right * 2^power, all factors moved to where they multiply.
	bigMulPowerOfFive(exponent >= 0 ? &left : &right, exponent >= 0 ? exponent : -exponent);
	int64_t twos = exponent - power;
	bigShiftLeft(twos >= 0 ? &left : &right, twos >= 0 ? twos : -twos);
	return bigCompare(&left, &right);
}

// Moves the candidate, which is off by a step at most, until the value lies between the halfway points around it.
static uint64_t numberRoundExactly(const NumberText* text, uint64_t bits, brFloatShape shape)
{
	BigNumber digits;
	int64_t exponent;
	bigFromText(text, &digits, &exponent);
	uint64_t infinity = (uint64_t)shape.infinity << shape.mantissaBits;
	for (;;)
	{
		int above = bits < infinity ? numberCompareHalfway(&digits, exponent, bits, shape) : -1;
		if (above > 0 || (above == 0 && (bits & 1) != 0))
		{
			bits += 1;
			continue;
		}
		int below = bits > 0 ? numberCompareHalfway(&digits, exponent, bits - 1, shape) : 1;
		if (below < 0 || (below == 0 && (bits & 1) != 0))
		{
			bits -= 1;
			continue;
		}
		return bits;
	}
}

NUMBER_INLINE uint64_t numberRoundMany(const NumberText* text, brFloatShape shape)
{
	bool isSure = true;
	uint64_t bits = numberRoundProduct(text->mantissa, text->exponent, shape, &isSure);
	if (isSure && text->hasMore)
	{
		isSure = numberRoundProduct(text->mantissa + 1, text->exponent, shape, &isSure) == bits && isSure;
	}
	return isSure ? bits : numberRoundExactly(text, bits, shape);
}

// nan, inf, infinity in any case; a nan may carry a parenthesis, as some libraries print it.
static const char* numberScanWord(const char* at, bool* outIsNan)
{
	static const char* const words[] = {"infinity", "inf", "nan"};
	for (int w = 0; w < 3; ++w)
	{
		size_t i = 0;
		while (words[w][i] != 0 && (at[i] | 0x20) == words[w][i])
		{
			i += 1;
		}
		if (words[w][i] != 0)
		{
			continue;
		}
		*outIsNan = w == 2;
		const char* after = at + i;
		if (w == 2 && *after == '(')
		{
			const char* close = after + 1;
			while (brIsDigit(*close) || (unsigned char)((*close | 0x20) - 'a') < 26 || *close == '_')
			{
				close += 1;
			}
			after = *close == ')' ? close + 1 : after;
		}
		return after;
	}
	return NULL;
}

// A word read where no digit is. The bits of nan are those of 0/0 made positive, the same everywhere.
static const char* numberScanSpecial(const char* at, brFloatShape shape, uint64_t* outBits)
{
	bool isNan = false;
	const char* after = numberScanWord(at, &isNan);
	*outBits = (uint64_t)shape.infinity << shape.mantissaBits;
	*outBits |= isNan ? (uint64_t)1 << (shape.mantissaBits - 1) : 0;
	return after;
}

const char* brScanDouble(const char* at, const char* end, double* outValue)
{
	static const double exactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
										 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	bool isNegative = *at == '-';
	at += *at == '-' || *at == '+';
	NumberText text;
	uint64_t bits;
	const char* after = numberScan(at, end, &text);
	if (after == NULL)
	{
		after = numberScanSpecial(at, BR_SHAPE_DOUBLE, &bits);
		if (after == NULL)
		{
			return NULL;
		}
	}
	else if (text.mantissa <= (uint64_t)1 << 53 && text.exponent >= -22 && text.exponent <= 22 && !text.hasMore)
	{
		double value = (double)text.mantissa;
		value = text.exponent < 0 ? value / exactPowers[-text.exponent] : value * exactPowers[text.exponent];
		*outValue = isNegative ? -value : value;
		return after;
	}
	else
	{
		bits = numberRoundMany(&text, BR_SHAPE_DOUBLE);
	}
	bits |= isNegative ? (uint64_t)1 << 63 : 0;
	memcpy(outValue, &bits, sizeof(bits));
	return after;
}

const char* brScanFloat(const char* at, const char* end, float* outValue)
{
	bool isNegative = *at == '-';
	at += *at == '-' || *at == '+';
	NumberText text;
	uint64_t bits;
	const char* after = numberScan(at, end, &text);
	if (after != NULL)
	{
		bits = numberRoundMany(&text, BR_SHAPE_FLOAT);
	}
	else
	{
		after = numberScanSpecial(at, BR_SHAPE_FLOAT, &bits);
		if (after == NULL)
		{
			return NULL;
		}
	}
	uint32_t word = (uint32_t)bits | (isNegative ? (uint32_t)1 << 31 : 0);
	memcpy(outValue, &word, sizeof(word));
	return after;
}
