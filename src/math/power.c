// SPDX-License-Identifier: MIT

#include "math/power.h"

#include <math.h>

// ln 2 in two parts; the first has few bits, so that its multiples by exponents are exact.
#define POWER_LN2_HIGH 0x1.62e42feep-1
#define POWER_LN2_LOW 0x1.a39ef35793c76p-33

// With x = m 2^e and s = (m - 1) / (m + 1), ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...); |s| <= 0.172, so s^23 / 23 is below
// rounding.
double brLogarithm(double x)
{
	int exponent;
	double m = frexp(x, &exponent);
	if (m < 0.70710678118654752)
	{
		m *= 2.0;
		exponent -= 1;
	}
	double s = (m - 1.0) / (m + 1.0), square = s * s, sum = 0.0;
	for (int k = 21; k >= 3; k -= 2)
	{
		sum = (sum + 1.0 / k) * square;
	}
	return exponent * POWER_LN2_HIGH + (2.0 * (s + s * sum) + exponent * POWER_LN2_LOW);
}

// x = k ln 2 + r with |r| <= 0.35, then the series of e^r.
double brExponential(double x)
{
	if (!(x < 709.7))
	{
		return x >= 709.7 ? INFINITY : x;
	}
	if (x < -745.0)
	{
		return 0.0;
	}
	double k = floor(x / (POWER_LN2_HIGH + POWER_LN2_LOW) + 0.5);
	double r = (x - k * POWER_LN2_HIGH) - k * POWER_LN2_LOW, sum = 1.0;
	for (int n = 16; n >= 1; --n)
	{
		sum = 1.0 + sum * r / n;
	}
	return ldexp(sum, (int)k);
}

double brPower(double x, double y)
{
	return x > 0.0 ? brExponential(y * brLogarithm(x)) : 0.0;
}
