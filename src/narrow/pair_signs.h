// SPDX-License-Identifier: MIT
#pragma once

// Exact orientation signs: a filter in doubles, then sums of exact products. Stands in for math/predicates.h.

#include "brittle/math.h"

typedef struct PairSum
{
	double parts[256]; // rising magnitude, no overlap (Shewchuk 1997)
	int count;
} PairSum;

static inline void pairAdd(PairSum* sum, double x)
{
	int count = 0;
	for (int i = 0; i < sum->count; ++i)
	{
		double y = sum->parts[i], s = x + y, v = s - x;
		double error = (x - (s - v)) + (y - v);
		if (error != 0.0)
		{
			sum->parts[count++] = error;
		}
		x = s;
	}
	if (x != 0.0)
	{
		sum->parts[count++] = x;
	}
	sum->count = count;
}

static inline void pairAddProduct(PairSum* sum, double sign, double a, double b, double c)
{
	double p = a * b, e = fma(a, b, -p);
	double pc = p * c, pce = fma(p, c, -pc);
	double ec = e * c, ece = fma(e, c, -ec);
	pairAdd(sum, sign * ece);
	pairAdd(sum, sign * ec);
	pairAdd(sum, sign * pce);
	pairAdd(sum, sign * pc);
}

static inline int pairSumSign(const PairSum* sum)
{
	double top = sum->count > 0 ? sum->parts[sum->count - 1] : 0.0;
	return (top > 0.0) - (top < 0.0);
}

static inline int brOrient2D(brDVec2 a, brDVec2 b, brDVec2 c)
{
	double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
	double det = left - right, bound = 3.4e-16 * (fabs(left) + fabs(right));
	if (det > bound || -det > bound)
	{
		return det > 0.0 ? 1 : -1;
	}
	PairSum sum;
	sum.count = 0;
	pairAddProduct(&sum, 1.0, a.x, b.y, 1.0);
	pairAddProduct(&sum, -1.0, a.y, b.x, 1.0);
	pairAddProduct(&sum, 1.0, b.x, c.y, 1.0);
	pairAddProduct(&sum, -1.0, b.y, c.x, 1.0);
	pairAddProduct(&sum, 1.0, c.x, a.y, 1.0);
	pairAddProduct(&sum, -1.0, c.y, a.x, 1.0);
	return pairSumSign(&sum);
}

static inline void pairAddMinor(PairSum* sum, double sign, brDVec3 a, brDVec3 b, brDVec3 c)
{
	pairAddProduct(sum, sign, a.x, b.y, c.z);
	pairAddProduct(sum, sign, b.x, c.y, a.z);
	pairAddProduct(sum, sign, c.x, a.y, b.z);
	pairAddProduct(sum, -sign, a.x, c.y, b.z);
	pairAddProduct(sum, -sign, b.x, a.y, c.z);
	pairAddProduct(sum, -sign, c.x, b.y, a.z);
}

static inline int brOrient3D(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	brDVec3 u = brDSub(a, d), v = brDSub(b, d), w = brDSub(c, d);
	double vw = v.x * w.y, wv = w.x * v.y, wu = w.x * u.y, uw = u.x * w.y, uv = u.x * v.y, vu = v.x * u.y;
	double det = u.z * (vw - wv) + v.z * (wu - uw) + w.z * (uv - vu);
	double bound = 8e-16 * ((fabs(vw) + fabs(wv)) * fabs(u.z) + (fabs(wu) + fabs(uw)) * fabs(v.z) +
							(fabs(uv) + fabs(vu)) * fabs(w.z));
	if (det > bound || -det > bound)
	{
		return det > 0.0 ? 1 : -1;
	}
	PairSum sum;
	sum.count = 0;
	pairAddMinor(&sum, 1.0, a, b, c);
	pairAddMinor(&sum, -1.0, a, b, d);
	pairAddMinor(&sum, 1.0, a, c, d);
	pairAddMinor(&sum, -1.0, b, c, d);
	return pairSumSign(&sum);
}
