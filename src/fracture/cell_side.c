// SPDX-License-Identifier: MIT

#include "fracture/cell_side.h"

#include "base/assert.h"
#include "math/exact.h"

static inline int32_t sideSign(double value)
{
	return (value > 0.0) - (value < 0.0);
}

// Exact values: all coordinates as integers of one power of two.
#define SIDE_LIMBS 16384

typedef struct SideExact
{
	brExactPool pool;
	int32_t exponent;
	uint64_t limbs[SIDE_LIMBS];
} SideExact;

static void sideStart(SideExact* exact, const brDVec3* points, int32_t count)
{
	exact->pool = (brExactPool){exact->limbs, SIDE_LIMBS, 0, false};
	exact->exponent = brExact_Exponent((const double*)points, 3 * count);
}

static brExact sideAxis(SideExact* exact, double si, double sj, double p)
{
	brExactPool* pool = &exact->pool;
	brExact a = brExact_FromDouble(pool, si, exact->exponent), b = brExact_FromDouble(pool, sj, exact->exponent);
	brExact c = brExact_FromDouble(pool, p, exact->exponent);
	brExact m = brExact_Sub(pool, brExact_Sub(pool, brExact_Add(pool, c, c), a), b);
	return brExact_Mul(pool, brExact_Sub(pool, a, b), m);
}

static brExact sideExact(SideExact* exact, brDVec3 si, brDVec3 sj, brDVec3 p)
{
	brExact x = sideAxis(exact, si.x, sj.x, p.x), y = sideAxis(exact, si.y, sj.y, p.y),
			z = sideAxis(exact, si.z, sj.z, p.z);
	return brExact_Add(&exact->pool, brExact_Add(&exact->pool, x, y), z);
}

// a d - b c
static brExact sideTurn(brExactPool* pool, brExact a, brExact b, brExact c, brExact d)
{
	return brExact_Sub(pool, brExact_Mul(pool, a, d), brExact_Mul(pool, b, c));
}

// The sign of the coefficient that rules: the lowest index whose coefficient is not zero.
static int32_t sideRule(const int32_t* indices, const int32_t* signs, int32_t count)
{
	int32_t ruler = -1;
	for (int32_t n = 0; n < count; ++n)
	{
		ruler = signs[n] != 0 && (ruler < 0 || indices[n] < indices[ruler]) ? n : ruler;
	}
	BR_ASSERT(ruler >= 0);
	return ruler >= 0 ? signs[ruler] : 1;
}

int32_t brCellSide_Exact(const brDVec3* sites, int32_t i, int32_t j, brDVec3 p)
{
	SideExact exact;
	sideStart(&exact, (brDVec3[]){sites[i], sites[j], p}, 3);
	int32_t sign = sideExact(&exact, sites[i], sites[j], p).sign;
	BR_ASSERT(!exact.pool.isFull);
	return sign != 0 ? sign : i < j ? 1 : -1;
}

// o_il at the point is (b_p a_q - b_q a_p) / (a_q - a_p) with a = o_ij, b = o_il.
static int32_t sideOnEdgeExact(const brDVec3* sites, int32_t i, int32_t j, int32_t l, brDVec3 p, brDVec3 q)
{
	SideExact exact;
	brExactPool* pool = &exact.pool;
	sideStart(&exact, (brDVec3[]){sites[i], sites[j], sites[l], p, q}, 5);
	brExact ap = sideExact(&exact, sites[i], sites[j], p), aq = sideExact(&exact, sites[i], sites[j], q);
	brExact bp = sideExact(&exact, sites[i], sites[l], p), bq = sideExact(&exact, sites[i], sites[l], q);
	brExact a = brExact_Sub(pool, aq, ap), b = brExact_Sub(pool, bp, bq);
	int32_t sign = sideTurn(pool, bp, bq, ap, aq).sign;
	if (sign == 0)
	{
		// The weight of i counts for both, those of j and l against.
		int32_t indices[3] = {i, j, l};
		int32_t signs[3] = {brExact_Add(pool, a, b).sign, -b.sign, -a.sign};
		sign = sideRule(indices, signs, 3);
	}
	BR_ASSERT(!pool->isFull);
	return sign * a.sign;
}

int32_t brCellSide_OnEdge(const brDVec3* sites, int32_t i, int32_t j, int32_t l, brDVec3 p, brDVec3 q)
{
	brSideValue ap = brCellSide_Value(sites[i], sites[j], p), aq = brCellSide_Value(sites[i], sites[j], q);
	brSideValue bp = brCellSide_Value(sites[i], sites[l], p), bq = brCellSide_Value(sites[i], sites[l], q);
	double a = aq.value - ap.value;
	double det = bp.value * aq.value - bq.value * ap.value;
	// The errors are at least eight roundings of the values, so they cover those of the products too.
	double error = 2.0 * (fabs(bp.value) * aq.error + fabs(aq.value) * bp.error + fabs(bq.value) * ap.error +
						  fabs(ap.value) * bq.error + bp.error * aq.error + bq.error * ap.error);
	if (fabs(a) > 2.0 * (ap.error + aq.error) && fabs(det) > error)
	{
		return sideSign(det) * sideSign(a);
	}
	return sideOnEdgeExact(sites, i, j, l, p, q);
}

// det [c; a; b] by its first row.
static brExact sideDeterminant(brExactPool* pool, const brExact c[3], const brExact a[3], const brExact b[3])
{
	brExact x = brExact_Mul(pool, c[0], sideTurn(pool, a[1], a[2], b[1], b[2]));
	brExact y = brExact_Mul(pool, c[1], sideTurn(pool, a[2], a[0], b[2], b[0]));
	brExact z = brExact_Mul(pool, c[2], sideTurn(pool, a[0], a[1], b[0], b[1]));
	return brExact_Add(pool, brExact_Add(pool, x, y), z);
}

// det [1; a; b]
static brExact sideSpread(brExactPool* pool, const brExact a[3], const brExact b[3])
{
	brExact x = sideTurn(pool, a[1], a[2], b[1], b[2]);
	brExact y = sideTurn(pool, a[2], a[0], b[2], b[0]);
	brExact z = sideTurn(pool, a[0], a[1], b[0], b[1]);
	return brExact_Add(pool, brExact_Add(pool, x, y), z);
}

// o_il at the point is det [c; a; b] / det [1; a; b] with a = o_ij, b = o_ik, c = o_il, columns p, q, r.
static int32_t sideOnFaceExact(const brDVec3* sites, int32_t i, int32_t j, int32_t k, int32_t l, brDVec3 p, brDVec3 q,
							   brDVec3 r)
{
	SideExact exact;
	brExactPool* pool = &exact.pool;
	sideStart(&exact, (brDVec3[]){sites[i], sites[j], sites[k], sites[l], p, q, r}, 7);
	brDVec3 points[3] = {p, q, r};
	brExact a[3], b[3], c[3];
	for (int32_t n = 0; n < 3; ++n)
	{
		a[n] = sideExact(&exact, sites[i], sites[j], points[n]);
		b[n] = sideExact(&exact, sites[i], sites[k], points[n]);
		c[n] = sideExact(&exact, sites[i], sites[l], points[n]);
	}
	brExact spread = sideSpread(pool, a, b);
	int32_t sign = sideDeterminant(pool, c, a, b).sign;
	if (sign == 0)
	{
		brExact ca = sideSpread(pool, b, c); // det [c; 1; b]
		brExact cb = sideSpread(pool, c, a); // det [c; a; 1]
		int32_t indices[4] = {i, j, k, l};
		int32_t signs[4] = {brExact_Add(pool, brExact_Add(pool, ca, cb), spread).sign, -ca.sign, -cb.sign,
							-spread.sign};
		sign = sideRule(indices, signs, 4);
	}
	BR_ASSERT(!pool->isFull && spread.sign != 0);
	return sign * spread.sign;
}

int32_t brCellSide_OnFace(const brDVec3* sites, int32_t i, int32_t j, int32_t k, int32_t l, brDVec3 p, brDVec3 q,
						  brDVec3 r)
{
	brDVec3 points[3] = {p, q, r};
	brSideValue a[3], b[3], c[3];
	double aSize = 0.0, bSize = 0.0, cSize = 0.0, aError = 0.0, bError = 0.0, cError = 0.0;
	for (int32_t n = 0; n < 3; ++n)
	{
		a[n] = brCellSide_Value(sites[i], sites[j], points[n]);
		b[n] = brCellSide_Value(sites[i], sites[k], points[n]);
		c[n] = brCellSide_Value(sites[i], sites[l], points[n]);
		aSize = fmax(aSize, fabs(a[n].value)), aError = fmax(aError, a[n].error);
		bSize = fmax(bSize, fabs(b[n].value)), bError = fmax(bError, b[n].error);
		cSize = fmax(cSize, fabs(c[n].value)), cError = fmax(cError, c[n].error);
	}
	double ab0 = a[1].value * b[2].value - a[2].value * b[1].value;
	double ab1 = a[2].value * b[0].value - a[0].value * b[2].value;
	double ab2 = a[0].value * b[1].value - a[1].value * b[0].value;
	double spread = ab0 + ab1 + ab2;
	double det = c[0].value * ab0 + c[1].value * ab1 + c[2].value * ab2;
	// Six terms, each off by the error of one factor times the size of the others; twice that covers products of errors.
	double pair = (aSize + aError) * bError + (bSize + bError) * aError;
	double error = 12.0 * ((cSize + cError) * pair + cError * aSize * bSize);
	if (fabs(spread) > 12.0 * pair && fabs(det) > error)
	{
		return sideSign(det) * sideSign(spread);
	}
	return sideOnFaceExact(sites, i, j, k, l, p, q, r);
}

// Numbers of twice the precision, for the places of crossings: bisectors may be all but parallel in a triangle.
typedef struct SideTwin
{
	double high, low;
} SideTwin;

static SideTwin twinSum(double a, double b)
{
	double sum = a + b, part = sum - a;
	return (SideTwin){sum, (a - (sum - part)) + (b - part)};
}

static SideTwin twinProduct(double a, double b)
{
	// Dekker's split at 27 bits. Sizes of models are far from where it overflows.
	double as = 134217729.0 * a, bs = 134217729.0 * b;
	double ah = as - (as - a), bh = bs - (bs - b);
	double al = a - ah, bl = b - bh;
	double product = a * b;
	return (SideTwin){product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

static SideTwin twinAdd(SideTwin a, SideTwin b)
{
	SideTwin sum = twinSum(a.high, b.high);
	return twinSum(sum.high, sum.low + a.low + b.low);
}

static SideTwin twinMul(SideTwin a, SideTwin b)
{
	SideTwin product = twinProduct(a.high, b.high);
	return twinSum(product.high, product.low + a.high * b.low + a.low * b.high);
}

static SideTwin twinNeg(SideTwin a)
{
	return (SideTwin){-a.high, -a.low};
}

static SideTwin twinAxis(double si, double sj, double p)
{
	SideTwin m = twinAdd(twinSum(p, -si), twinSum(p, -sj));
	return twinMul((SideTwin){si - sj, 0.0}, m);
}

static SideTwin twinSide(brDVec3 si, brDVec3 sj, brDVec3 p)
{
	return twinAdd(twinAdd(twinAxis(si.x, sj.x, p.x), twinAxis(si.y, sj.y, p.y)), twinAxis(si.z, sj.z, p.z));
}

static double sideClamp(double t)
{
	return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0; // not a number becomes 0
}

double brCellCrossing_OnEdge(const brDVec3* sites, int32_t i, int32_t j, brDVec3 p, brDVec3 q)
{
	SideTwin a = twinSide(sites[i], sites[j], p), b = twinSide(sites[i], sites[j], q);
	return sideClamp(a.high / twinAdd(a, twinNeg(b)).high);
}

void brCellCrossing_OnFace(const brDVec3* sites, int32_t i, int32_t j, int32_t k, brDVec3 p, brDVec3 q, brDVec3 r,
						   double outParts[3])
{
	brDVec3 points[3] = {p, q, r};
	SideTwin a[3], b[3], parts[3];
	for (int32_t n = 0; n < 3; ++n)
	{
		a[n] = twinSide(sites[i], sites[j], points[n]);
		b[n] = twinSide(sites[i], sites[k], points[n]);
	}
	for (int32_t n = 0; n < 3; ++n)
	{
		int32_t y = (n + 1) % 3, z = (n + 2) % 3;
		parts[n] = twinAdd(twinMul(a[y], b[z]), twinNeg(twinMul(a[z], b[y])));
	}
	double sum = twinAdd(twinAdd(parts[0], parts[1]), parts[2]).high;
	for (int32_t n = 0; n < 3; ++n)
	{
		outParts[n] = sideClamp(parts[n].high / sum);
	}
	// The largest takes up what rounding and clamping lost.
	int32_t largest =
		outParts[0] >= outParts[1] ? (outParts[0] >= outParts[2] ? 0 : 2) : (outParts[1] >= outParts[2] ? 1 : 2);
	outParts[largest] = sideClamp(1.0 - outParts[(largest + 1) % 3] - outParts[(largest + 2) % 3]);
}
