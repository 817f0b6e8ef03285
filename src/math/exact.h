// SPDX-License-Identifier: MIT
#pragma once

// Integers of any length, for the sign of a polynomial in doubles.
//
// All doubles of one question are scaled by one power of two that makes them integers; the polynomials we ask about are
// homogeneous, so the scale does not change the sign, and nothing can under- or overflow. Numbers are values whose
// limbs lie in a pool that the caller lends (an array on the stack will do) and that is given back as a whole:
//
//     uint64_t limbs[256];
//     brExactPool pool = {limbs, 256, 0, false};
//     int32_t e = brExact_Exponent((double[]){a, b, c, d}, 4);
//     brExact det = brExact_Sub(&pool, brExact_Mul(&pool, brExact_FromDouble(&pool, a, e), ...), ...);
//     if (!pool.isFull) return det.sign;
//
// A pool that is too small sets isFull and gives zeros from then on; nothing is ever written beyond it.

#include <stdbool.h>
#include <stdint.h>

typedef struct brExactPool
{
	uint64_t* limbs;
	int32_t capacity;
	int32_t used;
	bool isFull;
} brExactPool;

typedef struct brExact
{
	int32_t sign;          // -1, 0, +1
	int32_t count;         // limbs, the last not zero; 0 for zero
	const uint64_t* limbs; // magnitude, least first
} brExact;

/// The largest e for which every value is an integer times 2^e; 0 if all are zero. Values are finite.
int32_t brExact_Exponent(const double* values, int32_t count);

/// value / 2^exponent, which must be an integer.
brExact brExact_FromDouble(brExactPool* pool, double value, int32_t exponent);

/// Needs one limb more than the longer of the two.
brExact brExact_Add(brExactPool* pool, brExact a, brExact b);
brExact brExact_Sub(brExactPool* pool, brExact a, brExact b);

/// Needs as many limbs as both together.
brExact brExact_Mul(brExactPool* pool, brExact a, brExact b);
