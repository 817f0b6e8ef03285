// SPDX-License-Identifier: MIT
#pragma once

// Exact sign of a turn in the plane.

#include "brittle/math.h"

// Exact sign of the turn a -> b -> c.
static inline int brOrient2d(brDVec2 a, brDVec2 b, brDVec2 c)
{
	// The difference of two rounded products of rounded differences is off by less than 3 + 16 u units of u times their
	// sum (Shewchuk 1997); what passes that needs no more work.
	double left = (a.x - c.x) * (b.y - c.y);
	double right = (a.y - c.y) * (b.x - c.x);
	double det = left - right;
	double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
	if (det > bound || -det > bound)
	{
		return det > 0.0 ? 1 : -1;
	}
	// Six products of inputs, each exact in two parts, summed into a list of parts that do not overlap.
	double factors[6][2] = {{a.x, b.y}, {-a.x, c.y}, {-c.x, b.y}, {-a.y, b.x}, {a.y, c.x}, {c.y, b.x}};
	double parts[12];
	int partCount = 0;
	for (int i = 0; i < 6; ++i)
	{
		double product = factors[i][0] * factors[i][1];
		double terms[2] = {fma(factors[i][0], factors[i][1], -product), product};
		for (int t = 0; t < 2; ++t)
		{
			double q = terms[t];
			for (int k = 0; k < partCount; ++k)
			{
				double sum = q + parts[k];
				double high = sum - q;
				parts[k] = (q - (sum - high)) + (parts[k] - high);
				q = sum;
			}
			parts[partCount++] = q;
		}
	}
	for (int k = partCount - 1; k >= 0; --k)
	{
		if (parts[k] != 0.0)
		{
			return parts[k] > 0.0 ? 1 : -1;
		}
	}
	return 0;
}
