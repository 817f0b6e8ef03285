// SPDX-License-Identifier: MIT
#pragma once

// Numbers of about 100 bits that know how wrong they may be: the value is within `radius` of high + low. Enough to
// round nearly every made point rightly; what they cannot decide is asked in exact integers.
//
// Each operation errs by a few 2^-106 of what goes in; we count 2^-100, and the factors 1.01 cover the rounding of the
// radius itself. A product that underflows errs by less than BALL_TINY.

#include <math.h>
#include <stdbool.h>

typedef struct brCutBall
{
	double high, low, radius;
} brCutBall;

#define BALL_ERROR 0x1p-100
#define BALL_TINY 0x1p-1000

static inline brCutBall brCutBall_Sum(double a, double b)
{
	double s = a + b, t = s - a;
	return (brCutBall){s, (a - (s - t)) + (b - t), 0.0};
}

static inline brCutBall brCutBall_Difference(double a, double b)
{
	return brCutBall_Sum(a, -b);
}

static inline brCutBall brCutBall_Add(brCutBall a, brCutBall b)
{
	brCutBall s = brCutBall_Sum(a.high, b.high);
	brCutBall sum = brCutBall_Sum(s.high, s.low + (a.low + b.low));
	sum.radius = 1.01 * (a.radius + b.radius + BALL_ERROR * (fabs(a.high) + fabs(b.high)));
	return sum;
}

static inline brCutBall brCutBall_Neg(brCutBall a)
{
	return (brCutBall){-a.high, -a.low, a.radius};
}

// The upper half of the bits (Dekker).
static inline double brCutBall_Upper(double a)
{
	double c = 0x1.0000002p27 * a;
	return c - (c - a);
}

static inline brCutBall brCutBall_Mul(brCutBall a, brCutBall b)
{
	double p = a.high * b.high;
	double ah = brCutBall_Upper(a.high), al = a.high - ah, bh = brCutBall_Upper(b.high), bl = b.high - bh;
	double rest = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
	brCutBall product = brCutBall_Sum(p, rest + (a.high * b.low + a.low * b.high));
	product.radius =
		1.01 * (fabs(a.high) * b.radius + fabs(b.high) * a.radius + a.radius * b.radius + BALL_ERROR * fabs(p)) +
		BALL_TINY;
	return product;
}

// Worthless (infinite radius) if the divisor may be zero.
static inline brCutBall brCutBall_Div(brCutBall a, brCutBall b)
{
	if (!(fabs(b.high) > 4.0 * b.radius + BALL_TINY))
	{
		return (brCutBall){0.0, 0.0, INFINITY};
	}
	brCutBall first = {a.high / b.high, 0.0, 0.0};
	brCutBall left = brCutBall_Add(a, brCutBall_Neg(brCutBall_Mul(first, b)));
	double second = left.high / b.high;
	brCutBall quotient = brCutBall_Sum(first.high, second);
	quotient.radius =
		2.0 * (fabs(left.low) + left.radius + fabs(second) * (0x1p-52 * fabs(b.high) + b.radius)) / fabs(b.high) +
		BALL_TINY;
	return quotient;
}

/// The double nearest to the value, if all values it may have round alike.
static inline bool brCutBall_Round(brCutBall a, double* out)
{
	double e = 1.01 * a.radius;
	double up = a.high + (a.low + e), down = a.high + (a.low - e);
	*out = up + 0.0;
	return up == down;
}
