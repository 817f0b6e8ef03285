// SPDX-License-Identifier: MIT

// What the compiler must not do to our numbers.

#include "brittle/math.h"
#include "harness.h"

// Two at a time, as struct members: gcc 12.2 at -O2 copies the doubles unless told not to.
__attribute__((noinline)) static void roundPair(const double* values, brDVec3* out)
{
	brVec3 rounded = {(float)values[0], (float)values[1], (float)values[2]};
	*out = (brDVec3){(double)rounded.x, (double)rounded.y, (double)rounded.z};
}

__attribute__((noinline)) static double productPlus(double a, double b, double c)
{
	return a * b + c;
}

BR_TEST(compiler_rounds_through_float)
{
	double values[3] = {0.1, 0.2, 0.3};
	brDVec3 out;
	roundPair(values, &out);
	CHECK(out.x == 0x1.99999ap-4 && out.y == 0x1.99999ap-3 && out.z == 0x1.333334p-2);
}

BR_TEST(compiler_does_not_contract)
{
	// (1 + e)(1 - e) - 1 is -e^2, which only a fused product sees.
	CHECK(productPlus(1.0 + 0x1p-30, 1.0 - 0x1p-30, -1.0) == 0.0);
}
