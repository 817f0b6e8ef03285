// SPDX-License-Identifier: MIT

// The exact stage of the predicates, and the filters that are too long to be inline.
//
// Exact means integers: the points of a question are scaled by a common power of two, the differences to the last point
// are taken exactly, and the determinant is multiplied out. For the two orientations there is a quick way in machine
// words when the coordinates span at most 61 bits, which those of one small shape almost always do; expansions of
// doubles (Shewchuk) would need care at both ends of the exponents, integers need none. All else goes through
// math/exact.h. Its pools are on the stack, sized for coordinates that span all exponents of a double, 33 limbs each,
// and so 66, 99, 165 limbs for terms of degree 2, 3, 5: in all 1782 limbs for orient3d, 2312 for the circle, 6534 for
// the sphere (64 KiB).

#include "math/predicates.h"

#include "base/assert.h"
#include "base/wide_int.h"
#include "math/exact.h"

#include <string.h>

// Values as integers below 2^61 in magnitude; false if they need more bits than that.
static bool narrowFromDoubles(const double* values, int32_t count, int64_t* out)
{
	int32_t e = brExact_Exponent(values, count);
	for (int32_t i = 0; i < count; ++i)
	{
		uint64_t bits;
		memcpy(&bits, &values[i], sizeof(bits));
		int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
		int64_t mantissa = (int64_t)(bits & 0xfffffffffffffu) | (int64_t)(biased > 0) << 52;
		int32_t shift = (biased > 0 ? biased - 1075 : -1074) - e;
		if (shift > 61 - 53 && mantissa != 0)
		{
			return false;
		}
		// The bits that a shift to the right drops are zeros, by the choice of e. A mantissa of zero has no say in e.
		int64_t magnitude = mantissa == 0 ? 0 : shift >= 0 ? mantissa << shift : mantissa >> -shift;
		out[i] = (bits >> 63) != 0 ? -magnitude : magnitude;
	}
	return true;
}

// Sign of the sum of three products of a word below 2^62 and a double word below 2^125, added up in three words.
static int32_t narrowRiseSign(const int64_t a[3], const brInt128 b[3])
{
	brInt128 high = brInt128_Product(0, 0);
	brTwoWords low = {0, 0};
	for (int i = 0; i < 3; ++i)
	{
		brTwoWords words = brInt128_Words(b[i]), lowProduct = brWide_MultiplySigned(a[i], words.low);
		high = brInt128_Add(high, brInt128_Product(a[i], (int64_t)words.high));
		high = brInt128_Add(high, brInt128_Product((int64_t)lowProduct.high, 1));
		low = brTwo_Add(low, (brTwoWords){lowProduct.low, 0});
	}
	int32_t sign = brInt128_Sign(brInt128_Add(high, brInt128_Product((int64_t)low.high, 1)));
	return sign != 0 ? sign : low.low != 0;
}

// a b - c d
static brInt128 narrowTurn(int64_t a, int64_t b, int64_t c, int64_t d)
{
	return brInt128_Add(brInt128_Product(a, b), brInt128_Negate(brInt128_Product(c, d)));
}

typedef struct ExactVector
{
	brExact x, y, z;
} ExactVector;

// Points minus the last one, as integers.
static void exactDifferences2(brExactPool* pool, const brDVec2* points, int32_t count, ExactVector* out)
{
	int32_t e = brExact_Exponent((const double*)points, 2 * count);
	brExact x = brExact_FromDouble(pool, points[count - 1].x, e);
	brExact y = brExact_FromDouble(pool, points[count - 1].y, e);
	for (int32_t i = 0; i < count - 1; ++i)
	{
		out[i].x = brExact_Sub(pool, brExact_FromDouble(pool, points[i].x, e), x);
		out[i].y = brExact_Sub(pool, brExact_FromDouble(pool, points[i].y, e), y);
	}
}

static void exactDifferences3(brExactPool* pool, const brDVec3* points, int32_t count, ExactVector* out)
{
	int32_t e = brExact_Exponent((const double*)points, 3 * count);
	brExact x = brExact_FromDouble(pool, points[count - 1].x, e);
	brExact y = brExact_FromDouble(pool, points[count - 1].y, e);
	brExact z = brExact_FromDouble(pool, points[count - 1].z, e);
	for (int32_t i = 0; i < count - 1; ++i)
	{
		out[i].x = brExact_Sub(pool, brExact_FromDouble(pool, points[i].x, e), x);
		out[i].y = brExact_Sub(pool, brExact_FromDouble(pool, points[i].y, e), y);
		out[i].z = brExact_Sub(pool, brExact_FromDouble(pool, points[i].z, e), z);
	}
}

// a.x b.y - a.y b.x
static brExact exactTurn(brExactPool* pool, ExactVector a, ExactVector b)
{
	return brExact_Sub(pool, brExact_Mul(pool, a.x, b.y), brExact_Mul(pool, a.y, b.x));
}

// a.z p + b.z q + c.z r
static brExact exactRise(brExactPool* pool, brExact az, brExact p, brExact bz, brExact q, brExact cz, brExact r)
{
	brExact sum = brExact_Add(pool, brExact_Mul(pool, az, p), brExact_Mul(pool, bz, q));
	return brExact_Add(pool, sum, brExact_Mul(pool, cz, r));
}

static brExact exactSquare(brExactPool* pool, ExactVector a)
{
	return exactRise(pool, a.x, a.x, a.y, a.y, a.z, a.z);
}

static int32_t exactOrient2dWide(const brDVec2* points)
{
	uint64_t limbs[512];
	brExactPool pool = {limbs, 512, 0, false};
	ExactVector v[2];
	exactDifferences2(&pool, points, 3, v);
	brExact det = exactTurn(&pool, v[0], v[1]);
	BR_ASSERT(!pool.isFull);
	return det.sign;
}

int32_t brOrient2d_Exact(brDVec2 a, brDVec2 b, brDVec2 c)
{
	brDVec2 points[3] = {a, b, c};
	int64_t n[6];
	if (!narrowFromDoubles((const double*)points, 6, n))
	{
		return exactOrient2dWide(points);
	}
	return brInt128_Sign(narrowTurn(n[0] - n[4], n[3] - n[5], n[1] - n[5], n[2] - n[4]));
}

static int32_t exactOrient3dWide(const brDVec3* points)
{
	uint64_t limbs[2048];
	brExactPool pool = {limbs, 2048, 0, false};
	ExactVector v[3];
	exactDifferences3(&pool, points, 4, v);
	brExact det = exactRise(&pool, v[0].z, exactTurn(&pool, v[2], v[1]), v[1].z, exactTurn(&pool, v[0], v[2]), v[2].z,
							exactTurn(&pool, v[1], v[0]));
	BR_ASSERT(!pool.isFull);
	return det.sign;
}

int32_t brOrient3d_Exact(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	brDVec3 points[4] = {a, b, c, d};
	int64_t n[12];
	if (!narrowFromDoubles((const double*)points, 12, n))
	{
		return exactOrient3dWide(points);
	}
	int64_t x[3], y[3], z[3];
	for (int i = 0; i < 3; ++i)
	{
		x[i] = n[3 * i] - n[9];
		y[i] = n[3 * i + 1] - n[10];
		z[i] = n[3 * i + 2] - n[11];
	}
	brInt128 turns[3] = {narrowTurn(x[2], y[1], y[2], x[1]), narrowTurn(x[0], y[2], y[0], x[2]),
						 narrowTurn(x[1], y[0], y[1], x[0])};
	return narrowRiseSign(z, turns);
}

int32_t brInCircle_Exact(brDVec2 a, brDVec2 b, brDVec2 c, brDVec2 d)
{
	uint64_t limbs[2560];
	brExactPool pool = {limbs, 2560, 0, false};
	ExactVector v[3] = {0};
	exactDifferences2(&pool, (brDVec2[]){a, b, c, d}, 4, v);
	brExact det = exactRise(&pool, exactSquare(&pool, v[0]), exactTurn(&pool, v[1], v[2]), exactSquare(&pool, v[1]),
							exactTurn(&pool, v[2], v[0]), exactSquare(&pool, v[2]), exactTurn(&pool, v[0], v[1]));
	BR_ASSERT(!pool.isFull);
	return det.sign;
}

int32_t brInCircle(brDVec2 a, brDVec2 b, brDVec2 c, brDVec2 d)
{
	double adx = a.x - d.x, ady = a.y - d.y;
	double bdx = b.x - d.x, bdy = b.y - d.y;
	double cdx = c.x - d.x, cdy = c.y - d.y;
	double bxcy = bdx * cdy, cxby = cdx * bdy;
	double cxay = cdx * ady, axcy = adx * cdy;
	double axby = adx * bdy, bxay = bdx * ady;
	double aSq = adx * adx + ady * ady;
	double bSq = bdx * bdx + bdy * bdy;
	double cSq = cdx * cdx + cdy * cdy;
	double det = aSq * (bxcy - cxby) + bSq * (cxay - axcy) + cSq * (axby - bxay);
	double bc = fabs(bxcy) + fabs(cxby);
	double ca = fabs(cxay) + fabs(axcy);
	double ab = fabs(axby) + fabs(bxay);
	double permanent = bc * aSq + ca * bSq + ab * cSq;
	double bound = 12.0 * BR_PREDICATE_U * permanent + BR_PREDICATE_TINY * (aSq + bSq + cSq + bc + ca + ab + 1.0);
	if (fabs(det) > bound)
	{
		return (det > 0.0) - (det < 0.0);
	}
	return brInCircle_Exact(a, b, c, d);
}
