// SPDX-License-Identifier: MIT
#pragma once

// Integers of 128 bits. Where the compiler has them they are used; elsewhere (32-bit machines, MSVC) two words do the
// same.
//
// The two-word bodies are always compiled, as brTwo_*, so that a test can hold them against the compiler's own.

#include <stdbool.h>
#include <stdint.h>

/// The product of two words, upper and lower half.
typedef struct brTwoWords
{
	uint64_t low, high;
} brTwoWords;

static inline brTwoWords brTwo_Multiply(uint64_t a, uint64_t b)
{
	uint64_t aLow = (uint32_t)a, aHigh = a >> 32, bLow = (uint32_t)b, bHigh = b >> 32;
	uint64_t lowLow = aLow * bLow, lowHigh = aLow * bHigh, highLow = aHigh * bLow, highHigh = aHigh * bHigh;
	uint64_t middle = (lowLow >> 32) + (uint32_t)lowHigh + (uint32_t)highLow;
	return (brTwoWords){middle << 32 | (uint32_t)lowLow, highHigh + (lowHigh >> 32) + (highLow >> 32) + (middle >> 32)};
}

static inline brTwoWords brTwo_Add(brTwoWords a, brTwoWords b)
{
	uint64_t low = a.low + b.low;
	return (brTwoWords){low, a.high + b.high + (low < a.low)};
}

static inline brTwoWords brTwo_Negate(brTwoWords a)
{
	return (brTwoWords){~a.low + 1, ~a.high + (a.low == 0)};
}

/// Two words as a signed number: two's complement.
static inline int32_t brTwo_Sign(brTwoWords a)
{
	return (a.high >> 63) != 0 ? -1 : (a.high | a.low) != 0;
}

/// Rounded to nearest even, as a conversion of the compiler's own type.
static inline double brTwo_ToDouble(brTwoWords a)
{
	bool isNegative = brTwo_Sign(a) < 0;
	a = isNegative ? brTwo_Negate(a) : a;
	double value;
	if (a.high == 0)
	{
		value = (double)a.low;
	}
	else
	{
		// The upper 64 bits, the last of them set if anything below is: it only decides how the last place rounds.
		int32_t shift = __builtin_clzll(a.high);
		uint64_t upper = shift == 0 ? a.high : a.high << shift | a.low >> (64 - shift);
		upper |= (a.low << shift) != 0;
		value = (double)upper * (double)((uint64_t)1 << (63 - shift)) * 2.0;
	}
	return isNegative ? -value : value;
}

#if defined(__SIZEOF_INT128__) && !defined(BR_NO_INT128)

__extension__ typedef __int128 brInt128;
__extension__ typedef unsigned __int128 brUint128;

/// a * b + c, which always fits.
static inline brTwoWords brWide_MultiplyAdd(uint64_t a, uint64_t b, uint64_t c)
{
	brUint128 product = (brUint128)a * b + c;
	return (brTwoWords){(uint64_t)product, (uint64_t)(product >> 64)};
}

static inline brInt128 brInt128_Product(int64_t a, int64_t b)
{
	return (brInt128)a * b;
}

static inline brInt128 brInt128_Scale(brInt128 a, int64_t b)
{
	return a * b;
}

static inline brInt128 brInt128_Add(brInt128 a, brInt128 b)
{
	return a + b;
}

static inline brInt128 brInt128_Negate(brInt128 a)
{
	return -a;
}

static inline int32_t brInt128_Sign(brInt128 a)
{
	return (a > 0) - (a < 0);
}

static inline double brInt128_ToDouble(brInt128 a)
{
	return (double)a;
}

static inline brTwoWords brInt128_Words(brInt128 a)
{
	return (brTwoWords){(uint64_t)a, (uint64_t)((brUint128)a >> 64)};
}

static inline brInt128 brInt128_FromWords(brTwoWords words)
{
	return (brInt128)((brUint128)words.high << 64 | words.low);
}

#else

typedef brTwoWords brInt128;

static inline brTwoWords brWide_MultiplyAdd(uint64_t a, uint64_t b, uint64_t c)
{
	return brTwo_Add(brTwo_Multiply(a, b), (brTwoWords){c, 0});
}

static inline brInt128 brInt128_Product(int64_t a, int64_t b)
{
	brTwoWords product = brTwo_Multiply(a < 0 ? 0 - (uint64_t)a : (uint64_t)a, b < 0 ? 0 - (uint64_t)b : (uint64_t)b);
	return (a < 0) != (b < 0) ? brTwo_Negate(product) : product;
}

static inline brInt128 brInt128_Scale(brInt128 a, int64_t b)
{
	uint64_t size = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
	brTwoWords product = brTwo_Multiply(a.low, size);
	product.high += a.high * size;
	return b < 0 ? brTwo_Negate(product) : product;
}

static inline brInt128 brInt128_Add(brInt128 a, brInt128 b)
{
	return brTwo_Add(a, b);
}

static inline brInt128 brInt128_Negate(brInt128 a)
{
	return brTwo_Negate(a);
}

static inline int32_t brInt128_Sign(brInt128 a)
{
	return brTwo_Sign(a);
}

static inline double brInt128_ToDouble(brInt128 a)
{
	return brTwo_ToDouble(a);
}

static inline brTwoWords brInt128_Words(brInt128 a)
{
	return a;
}

static inline brInt128 brInt128_FromWords(brTwoWords words)
{
	return words;
}

#endif

/// A signed word times an unsigned one, the upper half rounded down.
static inline brTwoWords brWide_MultiplySigned(int64_t a, uint64_t b)
{
	brTwoWords product = brWide_MultiplyAdd(a < 0 ? 0 - (uint64_t)a : (uint64_t)a, b, 0);
	return a < 0 ? brTwo_Negate(product) : product;
}
