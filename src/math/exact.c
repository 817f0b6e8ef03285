// SPDX-License-Identifier: MIT

// Sign and magnitude, 64-bit limbs, schoolbook products: the numbers here have a few limbs, a few hundred at worst.

#include "math/exact.h"

#include "base/assert.h"
#include "base/wide_int.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static uint64_t* exactTakeLimbs(brExactPool* pool, int32_t count)
{
	if (pool->isFull || count > pool->capacity - pool->used)
	{
		pool->isFull = true;
		return NULL;
	}
	uint64_t* limbs = pool->limbs + pool->used;
	pool->used += count;
	return limbs;
}

// Gives back what the top of the result did not need. `limbs` is the last block taken.
static brExact exactTrim(brExactPool* pool, int32_t sign, const uint64_t* limbs, int32_t count)
{
	while (count > 0 && limbs[count - 1] == 0)
	{
		count -= 1;
	}
	pool->used = (int32_t)(limbs - pool->limbs) + count;
	return (brExact){count > 0 ? sign : 0, count, limbs};
}

// A finite double is mantissa * 2^exponent with an integer mantissa below 2^53.
static uint64_t exactSplit(double value, int32_t* exponent)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	uint64_t mantissa = bits & 0xfffffffffffffu;
	int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
	*exponent = biased > 0 ? biased - 1075 : -1074;
	return biased > 0 ? mantissa | 0x10000000000000u : mantissa;
}

int32_t brExact_Exponent(const double* values, int32_t count)
{
	int32_t smallest = INT32_MAX;
	for (int32_t i = 0; i < count; ++i)
	{
		BR_ASSERT(isfinite(values[i]));
		int32_t exponent;
		uint64_t mantissa = exactSplit(values[i], &exponent);
		if (mantissa != 0)
		{
			exponent += __builtin_ctzll(mantissa);
			smallest = exponent < smallest ? exponent : smallest;
		}
	}
	return smallest < INT32_MAX ? smallest : 0;
}

brExact brExact_FromDouble(brExactPool* pool, double value, int32_t exponent)
{
	int32_t own;
	uint64_t mantissa = exactSplit(value, &own);
	if (mantissa == 0)
	{
		return (brExact){0};
	}
	int32_t zeros = __builtin_ctzll(mantissa);
	mantissa >>= zeros;
	int32_t shift = own + zeros - exponent;
	BR_ASSERT(shift >= 0);
	int32_t low = shift / 64;
	uint64_t* limbs = exactTakeLimbs(pool, low + 2);
	if (limbs == NULL)
	{
		return (brExact){0};
	}
	memset(limbs, 0, (size_t)low * sizeof(uint64_t));
	int32_t bit = shift % 64;
	limbs[low] = mantissa << bit;
	limbs[low + 1] = bit > 0 ? mantissa >> (64 - bit) : 0;
	return exactTrim(pool, value < 0.0 ? -1 : 1, limbs, low + 2);
}

static brExact exactNegative(brExact a)
{
	return (brExact){-a.sign, a.count, a.limbs};
}

static int exactCompareMagnitudes(brExact a, brExact b)
{
	if (a.count != b.count)
	{
		return a.count < b.count ? -1 : 1;
	}
	for (int32_t i = a.count - 1; i >= 0; --i)
	{
		if (a.limbs[i] != b.limbs[i])
		{
			return a.limbs[i] < b.limbs[i] ? -1 : 1;
		}
	}
	return 0;
}

// |a| + |b| for a.count >= b.count
static brExact exactAddMagnitudes(brExactPool* pool, int32_t sign, brExact a, brExact b)
{
	uint64_t* limbs = exactTakeLimbs(pool, a.count + 1);
	if (limbs == NULL)
	{
		return (brExact){0};
	}
	uint64_t carry = 0;
	for (int32_t i = 0; i < a.count; ++i)
	{
		uint64_t sum = a.limbs[i] + (i < b.count ? b.limbs[i] : 0);
		uint64_t over = sum < a.limbs[i];
		limbs[i] = sum + carry;
		carry = over + (limbs[i] < carry);
	}
	limbs[a.count] = carry;
	return exactTrim(pool, sign, limbs, a.count + 1);
}

// |a| - |b| for |a| >= |b|
static brExact exactSubtractMagnitudes(brExactPool* pool, int32_t sign, brExact a, brExact b)
{
	uint64_t* limbs = exactTakeLimbs(pool, a.count);
	if (limbs == NULL)
	{
		return (brExact){0};
	}
	uint64_t borrow = 0;
	for (int32_t i = 0; i < a.count; ++i)
	{
		uint64_t taken = i < b.count ? b.limbs[i] : 0, difference = a.limbs[i] - taken;
		limbs[i] = difference - borrow;
		borrow = (a.limbs[i] < taken) + (difference < borrow);
	}
	return exactTrim(pool, sign, limbs, a.count);
}

brExact brExact_Add(brExactPool* pool, brExact a, brExact b)
{
	if (a.sign == 0 || b.sign == 0)
	{
		return a.sign == 0 ? b : a;
	}
	if (a.sign == b.sign)
	{
		return a.count >= b.count ? exactAddMagnitudes(pool, a.sign, a, b) : exactAddMagnitudes(pool, a.sign, b, a);
	}
	int order = exactCompareMagnitudes(a, b);
	if (order == 0)
	{
		return (brExact){0};
	}
	return order > 0 ? exactSubtractMagnitudes(pool, a.sign, a, b) : exactSubtractMagnitudes(pool, b.sign, b, a);
}

brExact brExact_Sub(brExactPool* pool, brExact a, brExact b)
{
	return brExact_Add(pool, a, exactNegative(b));
}

brExact brExact_Mul(brExactPool* pool, brExact a, brExact b)
{
	if (a.sign == 0 || b.sign == 0)
	{
		return (brExact){0};
	}
	uint64_t* limbs = exactTakeLimbs(pool, a.count + b.count);
	if (limbs == NULL)
	{
		return (brExact){0};
	}
	memset(limbs, 0, (size_t)a.count * sizeof(uint64_t));
	for (int32_t j = 0; j < b.count; ++j)
	{
		uint64_t carry = 0;
		for (int32_t i = 0; i < a.count; ++i)
		{
			brTwoWords sum = brWide_MultiplyAdd(a.limbs[i], b.limbs[j], carry);
			limbs[i + j] += sum.low;
			carry = sum.high + (limbs[i + j] < sum.low);
		}
		limbs[a.count + j] = carry;
	}
	return exactTrim(pool, a.sign * b.sign, limbs, a.count + b.count);
}
