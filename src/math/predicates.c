// SPDX-License-Identifier: MIT

// The exact stage of the predicates, and the filters that are too long to be inline.
//
// Exact means integers (math/exact.h): the points of a question are scaled to integers by a common power of two, the
// differences to the last point are taken exactly, and the determinant is multiplied out. Pools are on the stack, sized
// for coordinates that span all exponents of a double, 33 limbs each, and so 66, 99, 165 limbs for terms of degree 2, 3,
// 5: in all 1782 limbs for orient3d, 2312 for the circle, 6534 for the sphere (64 KiB, the most).

#include "math/predicates.h"

#include "base/assert.h"
#include "math/exact.h"

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

int32_t brOrient2d_Exact(brDVec2 a, brDVec2 b, brDVec2 c)
{
	uint64_t limbs[512];
	brExactPool pool = {limbs, 512, 0, false};
	ExactVector v[2];
	exactDifferences2(&pool, (brDVec2[]){a, b, c}, 3, v);
	brExact det = exactTurn(&pool, v[0], v[1]);
	BR_ASSERT(!pool.isFull);
	return det.sign;
}

int32_t brOrient3d_Exact(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	uint64_t limbs[2048];
	brExactPool pool = {limbs, 2048, 0, false};
	ExactVector v[3];
	exactDifferences3(&pool, (brDVec3[]){a, b, c, d}, 4, v);
	brExact det = exactRise(&pool, v[0].z, exactTurn(&pool, v[2], v[1]), v[1].z, exactTurn(&pool, v[0], v[2]), v[2].z,
							exactTurn(&pool, v[1], v[0]));
	BR_ASSERT(!pool.isFull);
	return det.sign;
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

int32_t brInSphere_Exact(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d, brDVec3 e)
{
	uint64_t limbs[8192];
	brExactPool pool = {limbs, 8192, 0, false};
	ExactVector v[4];
	exactDifferences3(&pool, (brDVec3[]){a, b, c, d, e}, 5, v);
	brExact ab = exactTurn(&pool, v[0], v[1]);
	brExact bc = exactTurn(&pool, v[1], v[2]);
	brExact cd = exactTurn(&pool, v[2], v[3]);
	brExact da = exactTurn(&pool, v[3], v[0]);
	brExact ac = exactTurn(&pool, v[0], v[2]);
	brExact bd = exactTurn(&pool, v[1], v[3]);
	brExact bcd = exactRise(&pool, v[1].z, cd, v[2].z, brExact_Neg(bd), v[3].z, bc);
	brExact cda = exactRise(&pool, v[2].z, da, v[3].z, ac, v[0].z, cd);
	brExact dab = exactRise(&pool, v[3].z, ab, v[0].z, bd, v[1].z, da);
	brExact abc = exactRise(&pool, v[0].z, bc, v[1].z, brExact_Neg(ac), v[2].z, ab);
	brExact abPart = brExact_Sub(&pool, brExact_Mul(&pool, exactSquare(&pool, v[0]), bcd),
								 brExact_Mul(&pool, exactSquare(&pool, v[1]), cda));
	brExact cdPart = brExact_Sub(&pool, brExact_Mul(&pool, exactSquare(&pool, v[2]), dab),
								 brExact_Mul(&pool, exactSquare(&pool, v[3]), abc));
	brExact det = brExact_Add(&pool, abPart, cdPart);
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
	if (det > bound || -det > bound)
	{
		return det > 0.0 ? 1 : -1;
	}
	return brInCircle_Exact(a, b, c, d);
}

int32_t brInSphere(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d, brDVec3 e)
{
	double aex = a.x - e.x, aey = a.y - e.y, aez = a.z - e.z;
	double bex = b.x - e.x, bey = b.y - e.y, bez = b.z - e.z;
	double cex = c.x - e.x, cey = c.y - e.y, cez = c.z - e.z;
	double dex = d.x - e.x, dey = d.y - e.y, dez = d.z - e.z;
	double axby = aex * bey, bxay = bex * aey, ab = axby - bxay;
	double bxcy = bex * cey, cxby = cex * bey, bc = bxcy - cxby;
	double cxdy = cex * dey, dxcy = dex * cey, cd = cxdy - dxcy;
	double dxay = dex * aey, axdy = aex * dey, da = dxay - axdy;
	double axcy = aex * cey, cxay = cex * aey, ac = axcy - cxay;
	double bxdy = bex * dey, dxby = dex * bey, bd = bxdy - dxby;
	double abc = aez * bc - bez * ac + cez * ab;
	double bcd = bez * cd - cez * bd + dez * bc;
	double cda = cez * da + dez * ac + aez * cd;
	double dab = dez * ab + aez * bd + bez * da;
	double aSq = aex * aex + aey * aey + aez * aez;
	double bSq = bex * bex + bey * bey + bez * bez;
	double cSq = cex * cex + cey * cey + cez * cez;
	double dSq = dex * dex + dey * dey + dez * dez;
	double det = (cSq * dab - dSq * abc) + (aSq * bcd - bSq * cda);

	double az = fabs(aez), bz = fabs(bez), cz = fabs(cez), dz = fabs(dez);
	double pab = fabs(axby) + fabs(bxay), pbc = fabs(bxcy) + fabs(cxby), pcd = fabs(cxdy) + fabs(dxcy);
	double pda = fabs(dxay) + fabs(axdy), pac = fabs(axcy) + fabs(cxay), pbd = fabs(bxdy) + fabs(dxby);
	double pbcd = pcd * bz + pbd * cz + pbc * dz;
	double pcda = pda * cz + pac * dz + pcd * az;
	double pdab = pab * dz + pbd * az + pda * bz;
	double pabc = pbc * az + pac * bz + pab * cz;
	double permanent = pbcd * aSq + pcda * bSq + pdab * cSq + pabc * dSq;
	double factors = (aSq + bSq + cSq + dSq + 1.0) * (az + bz + cz + dz + 1.0) + pbcd + pcda + pdab + pabc;
	double bound = 18.0 * BR_PREDICATE_U * permanent + BR_PREDICATE_TINY * factors;
	if (det > bound || -det > bound)
	{
		return det > 0.0 ? 1 : -1;
	}
	return brInSphere_Exact(a, b, c, d, e);
}
