// SPDX-License-Identifier: MIT
#pragma once

/// @file math.h
/// Vectors, quaternions, transforms and boxes: brVec3 and friends are float, brDVec3 and friends are double.
///
/// Converting between the two is always a named call. All functions are pure and inline; nothing here decides
/// topology, for that see the exact predicates inside the library.

#include "brittle/api.h"

#include <math.h>
#include <string.h>

typedef struct brVec2
{
	float x, y;
} brVec2;

typedef struct brVec3
{
	float x, y, z;
} brVec3;

typedef struct brVec4
{
	float x, y, z, w;
} brVec4;

typedef struct brDVec2
{
	double x, y;
} brDVec2;

typedef struct brDVec3
{
	double x, y, z;
} brDVec3;

/// Rotation as a unit quaternion, v = (x, y, z), s = w.
typedef struct brQuat
{
	double x, y, z, w;
} brQuat;

/// Columns of a 3x3 matrix.
typedef struct brMat3
{
	brDVec3 cx, cy, cz;
} brMat3;

/// Rigid motion: rotate, then translate.
typedef struct brTransform
{
	brDVec3 p;
	brQuat q;
} brTransform;

/// Affine map x -> m x + p.
typedef struct brAffine
{
	brMat3 m;
	brDVec3 p;
} brAffine;

/// Closed box in float. Empty when lower > upper on some axis.
typedef struct brBox3
{
	brVec3 lower, upper;
} brBox3;

/// Closed box in double.
typedef struct brDBox3
{
	brDVec3 lower, upper;
} brDBox3;

#define BR_PI 3.14159265358979323846

// Values

static inline brVec2 brMakeVec2(float x, float y)
{
	return BR_LITERAL(brVec2){x, y};
}

static inline brVec3 brMakeVec3(float x, float y, float z)
{
	return BR_LITERAL(brVec3){x, y, z};
}

static inline brDVec3 brMakeDVec3(double x, double y, double z)
{
	return BR_LITERAL(brDVec3){x, y, z};
}

/// Rounds to nearest.
static inline brVec3 brToVec3(brDVec3 a)
{
	return BR_LITERAL(brVec3){BR_CAST(float, a.x), BR_CAST(float, a.y), BR_CAST(float, a.z)};
}

static inline brDVec3 brToDVec3(brVec3 a)
{
	return BR_LITERAL(brDVec3){BR_CAST(double, a.x), BR_CAST(double, a.y), BR_CAST(double, a.z)};
}

// Double vectors

static inline brDVec3 brDAdd(brDVec3 a, brDVec3 b)
{
	return BR_LITERAL(brDVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline brDVec3 brDSub(brDVec3 a, brDVec3 b)
{
	return BR_LITERAL(brDVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline brDVec3 brDMul(double s, brDVec3 a)
{
	return BR_LITERAL(brDVec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline brDVec3 brDMulAdd(brDVec3 a, double s, brDVec3 b)
{
	return BR_LITERAL(brDVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/// a + t (b - a)
static inline brDVec3 brDLerp(brDVec3 a, brDVec3 b, double t)
{
	return brDMulAdd(a, t, brDSub(b, a));
}

static inline brDVec3 brDNeg(brDVec3 a)
{
	return BR_LITERAL(brDVec3){-a.x, -a.y, -a.z};
}

static inline double brDDot(brDVec3 a, brDVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline brDVec3 brDCross(brDVec3 a, brDVec3 b)
{
	return BR_LITERAL(brDVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double brDLengthSq(brDVec3 a)
{
	return brDDot(a, a);
}

static inline double brDLength(brDVec3 a)
{
	return sqrt(brDDot(a, a));
}

static inline double brDDistance(brDVec3 a, brDVec3 b)
{
	return brDLength(brDSub(a, b));
}

/// The zero vector stays zero; no other is too short or too long.
static inline brDVec3 brDNormalize(brDVec3 a)
{
	double lengthSq = brDDot(a, a);
	if (!(lengthSq > 1e-280 && lengthSq < 1e300))
	{
		// The square has left the range of good doubles: bring the largest part to 1 first.
		double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
		double largest = x > y ? (x > z ? x : z) : (y > z ? y : z);
		if (!(largest > 0.0))
		{
			return a;
		}
		a = BR_LITERAL(brDVec3){a.x / largest, a.y / largest, a.z / largest};
		lengthSq = brDDot(a, a);
	}
	return brDMul(1.0 / sqrt(lengthSq), a);
}

static inline brDVec3 brDMin(brDVec3 a, brDVec3 b)
{
	return BR_LITERAL(brDVec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline brDVec3 brDMax(brDVec3 a, brDVec3 b)
{
	return BR_LITERAL(brDVec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

static inline bool brDIsFinite(brDVec3 a)
{
	return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Float vectors

static inline brVec3 brAdd(brVec3 a, brVec3 b)
{
	return BR_LITERAL(brVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline brVec3 brSub(brVec3 a, brVec3 b)
{
	return BR_LITERAL(brVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline brVec3 brMul(float s, brVec3 a)
{
	return BR_LITERAL(brVec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline brVec3 brMulAdd(brVec3 a, float s, brVec3 b)
{
	return BR_LITERAL(brVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float brDot(brVec3 a, brVec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline brVec3 brCross(brVec3 a, brVec3 b)
{
	return BR_LITERAL(brVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float brLength(brVec3 a)
{
	return sqrtf(brDot(a, a));
}

/// The zero vector stays zero; no other is too short or too long, as the length is taken in double.
static inline brVec3 brNormalize(brVec3 a)
{
	brDVec3 d = brToDVec3(a);
	double length = brDLength(d);
	return length > 0.0 ? BR_LITERAL(brVec3){BR_CAST(float, d.x / length), BR_CAST(float, d.y / length),
											 BR_CAST(float, d.z / length)}
						: a;
}

static inline brVec3 brMin(brVec3 a, brVec3 b)
{
	return BR_LITERAL(brVec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline brVec3 brMax(brVec3 a, brVec3 b)
{
	return BR_LITERAL(brVec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

// Matrices

static inline brMat3 brMakeMat3Identity(void)
{
	return BR_LITERAL(brMat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
}

static inline brDVec3 brMat3_MulV(const brMat3* m, brDVec3 a)
{
	return BR_LITERAL(brDVec3){m->cx.x * a.x + m->cy.x * a.y + m->cz.x * a.z,
							   m->cx.y * a.x + m->cy.y * a.y + m->cz.y * a.z,
							   m->cx.z * a.x + m->cy.z * a.y + m->cz.z * a.z};
}

static inline brMat3 brMat3_Mul(const brMat3* a, const brMat3* b)
{
	return BR_LITERAL(brMat3){brMat3_MulV(a, b->cx), brMat3_MulV(a, b->cy), brMat3_MulV(a, b->cz)};
}

static inline brMat3 brMat3_Transpose(const brMat3* m)
{
	return BR_LITERAL(brMat3){{m->cx.x, m->cy.x, m->cz.x}, {m->cx.y, m->cy.y, m->cz.y}, {m->cx.z, m->cy.z, m->cz.z}};
}

static inline double brMat3_Determinant(const brMat3* m)
{
	return brDDot(m->cx, brDCross(m->cy, m->cz));
}

/// Cofactor matrix: carries normals through the affine map `m`, mirror images included.
static inline brMat3 brMat3_Cofactor(const brMat3* m)
{
	return BR_LITERAL(brMat3){brDCross(m->cy, m->cz), brDCross(m->cz, m->cx), brDCross(m->cx, m->cy)};
}

// Quaternions and transforms

static inline brQuat brMakeQuatIdentity(void)
{
	return BR_LITERAL(brQuat){0.0, 0.0, 0.0, 1.0};
}

static inline brQuat brQuat_Mul(brQuat a, brQuat b)
{
	return BR_LITERAL(brQuat){
		a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
		a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
		a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
		a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
	};
}

static inline brQuat brQuat_Conjugate(brQuat q)
{
	return BR_LITERAL(brQuat){-q.x, -q.y, -q.z, q.w};
}

/// The zero quaternion becomes the identity.
static inline brQuat brQuat_Normalize(brQuat q)
{
	double lengthSq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
	if (!(lengthSq > 0.0))
	{
		return brMakeQuatIdentity();
	}
	double s = 1.0 / sqrt(lengthSq);
	return BR_LITERAL(brQuat){s * q.x, s * q.y, s * q.z, s * q.w};
}

static inline brDVec3 brQuat_Rotate(brQuat q, brDVec3 a)
{
	// v + 2 w (u x v) + 2 u x (u x v)
	brDVec3 u = {q.x, q.y, q.z};
	brDVec3 t = brDMul(2.0, brDCross(u, a));
	return brDAdd(brDMulAdd(a, q.w, t), brDCross(u, t));
}

static inline brDVec3 brQuat_InvRotate(brQuat q, brDVec3 a)
{
	return brQuat_Rotate(brQuat_Conjugate(q), a);
}

/// Sine and cosine in radians, the same bits on every platform, within 1 ulp for every finite x. NaN for the others.
BR_API double brSin(double x);
BR_API double brCos(double x);

/// Angle of (x, y) from the x axis in (-pi, pi], the same bits on every platform, within 1 ulp. 0 for (0, 0). Unlike in
/// libm the sign of a zero does not matter.
BR_API double brAtan2(double y, double x);

/// `axis` of unit length, `angle` in radians, right-handed.
static inline brQuat brMakeQuatAxisAngle(brDVec3 axis, double angle)
{
	double s = brSin(0.5 * angle);
	return BR_LITERAL(brQuat){s * axis.x, s * axis.y, s * axis.z, brCos(0.5 * angle)};
}

static inline brMat3 brMakeMat3FromQuat(brQuat q)
{
	return BR_LITERAL(brMat3){
		{1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)},
		{2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z + q.w * q.x)},
		{2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)},
	};
}

static inline brTransform brMakeTransformIdentity(void)
{
	return BR_LITERAL(brTransform){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
}

static inline brDVec3 brTransform_Point(brTransform t, brDVec3 a)
{
	return brDAdd(brQuat_Rotate(t.q, a), t.p);
}

static inline brDVec3 brTransform_InvPoint(brTransform t, brDVec3 a)
{
	return brQuat_InvRotate(t.q, brDSub(a, t.p));
}

/// First b, then a.
static inline brTransform brTransform_Mul(brTransform a, brTransform b)
{
	return BR_LITERAL(brTransform){brTransform_Point(a, b.p), brQuat_Mul(a.q, b.q)};
}

static inline brAffine brMakeAffineIdentity(void)
{
	return BR_LITERAL(brAffine){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
}

/// The same rigid motion as an affine map. `t.q` has unit length.
static inline brAffine brMakeAffineFromTransform(brTransform t)
{
	return BR_LITERAL(brAffine){brMakeMat3FromQuat(t.q), t.p};
}

static inline brDVec3 brAffine_Point(const brAffine* t, brDVec3 a)
{
	return brDAdd(brMat3_MulV(&t->m, a), t->p);
}

/// First b, then a.
static inline brAffine brAffine_Mul(const brAffine* a, const brAffine* b)
{
	return BR_LITERAL(brAffine){brMat3_Mul(&a->m, &b->m), brAffine_Point(a, b->p)};
}

// Boxes

static inline brDBox3 brMakeDBox3Empty(void)
{
	const double far = (double)INFINITY;
	return BR_LITERAL(brDBox3){{far, far, far}, {-far, -far, -far}};
}

static inline brBox3 brMakeBox3Empty(void)
{
	return BR_LITERAL(brBox3){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline brDBox3 brDBox3_Include(brDBox3 box, brDVec3 point)
{
	return BR_LITERAL(brDBox3){brDMin(box.lower, point), brDMax(box.upper, point)};
}

static inline brDBox3 brDBox3_Union(brDBox3 a, brDBox3 b)
{
	return BR_LITERAL(brDBox3){brDMin(a.lower, b.lower), brDMax(a.upper, b.upper)};
}

static inline brBox3 brBox3_Union(brBox3 a, brBox3 b)
{
	return BR_LITERAL(brBox3){brMin(a.lower, b.lower), brMax(a.upper, b.upper)};
}

/// Closed intervals: touching counts.
static inline bool brBox3_Overlaps(brBox3 a, brBox3 b)
{
	return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
		   a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

/// Closed intervals: touching counts.
static inline bool brDBox3_Overlaps(brDBox3 a, brDBox3 b)
{
	return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
		   a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

/// Largest float not above x. Without a branch: whether a float is above is as good as random.
static inline float brRoundDown(double x)
{
	float f = BR_CAST(float, x);
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	// A float that is above is not 0, since rounding keeps the sign; it moves to the next larger magnitude if it is
	// negative, else to the next smaller one. Written so that compilers see no branch in it.
	uint32_t isAbove = BR_CAST(double, f) > x, back = (bits >> 31) - 1u;
	bits += (isAbove ^ back) - back;
	memcpy(&f, &bits, sizeof(bits));
	return f;
}

/// Smallest float not below x.
static inline float brRoundUp(double x)
{
	return -brRoundDown(-x);
}

/// The smallest float box around a double box: a pair of boxes that touch still touch.
static inline brBox3 brMakeBox3Outward(brDBox3 box)
{
	return BR_LITERAL(brBox3){{brRoundDown(box.lower.x), brRoundDown(box.lower.y), brRoundDown(box.lower.z)},
							  {brRoundUp(box.upper.x), brRoundUp(box.upper.y), brRoundUp(box.upper.z)}};
}

/// Eigenvalues in rising order with unit eigenvectors as columns, right-handed, of the symmetric matrix given by its
/// upper triangle. Exact zeros and equal values are fine, as is any scale. Returns the eigenvectors; if an entry is not
/// finite, the identity and values of NaN.
BR_API brMat3 brEigenSymmetric(double xx, double yy, double zz, double xy, double xz, double yz, double outValues[3]);
