// SPDX-License-Identifier: MIT

// Exact points. Filters work on the rounded coordinates, whose error is at most u times the largest; what they cannot
// tell is asked in integers.

#include "cut/cut_points.h"

#include "base/assert.h"
#include "cut/cut_ball.h"
#include "math/predicates.h"

#include <string.h>

typedef struct CutHomogeneous
{
	brExact c[3];
	brExact w;
} CutHomogeneous;

typedef struct CutExactVector
{
	brExact c[3];
} CutExactVector;

static const uint64_t cutOneLimb[1] = {1};
static const uint64_t cutThreeLimb[1] = {3};

static brExactPool cutPool(brCutSpace* space)
{
	space->exactCount += 1;
	return (brExactPool){space->limbs, space->limbCapacity, 0, false};
}

static int32_t cutAnswer(brCutSpace* space, const brExactPool* pool, int32_t sign)
{
	space->isFull |= pool->isFull;
	return pool->isFull ? 0 : sign;
}

int64_t brCutSpace_LimbsNeeded(int32_t bits)
{
	// The largest question has three points of degree 7 (some 120 numbers of up to degree 7 each for a mean of such)
	// and a determinant of degree 60 of a dozen numbers; one limb more for each number.
	int64_t limbs = bits / 64 + 2;
	return 3 * 3 * 160 * 8 * limbs + 40 * 64 * limbs;
}

static CutExactVector cutVector(brCutSpace* space, brExactPool* pool, brDVec3 p)
{
	return (CutExactVector){{brExact_FromDouble(pool, p.x, space->exponent),
							 brExact_FromDouble(pool, p.y, space->exponent),
							 brExact_FromDouble(pool, p.z, space->exponent)}};
}

static CutExactVector cutDifference(brExactPool* pool, const CutExactVector* a, const CutExactVector* b)
{
	return (CutExactVector){{brExact_Sub(pool, a->c[0], b->c[0]), brExact_Sub(pool, a->c[1], b->c[1]),
							 brExact_Sub(pool, a->c[2], b->c[2])}};
}

// a b - c d
static brExact cutCrossTerm(brExactPool* pool, brExact a, brExact b, brExact c, brExact d)
{
	return brExact_Sub(pool, brExact_Mul(pool, a, b), brExact_Mul(pool, c, d));
}

static CutExactVector cutCross(brExactPool* pool, const CutExactVector* a, const CutExactVector* b)
{
	return (CutExactVector){{cutCrossTerm(pool, a->c[1], b->c[2], a->c[2], b->c[1]),
							 cutCrossTerm(pool, a->c[2], b->c[0], a->c[0], b->c[2]),
							 cutCrossTerm(pool, a->c[0], b->c[1], a->c[1], b->c[0])}};
}

static brExact cutDot(brExactPool* pool, const brExact* a, const brExact* b)
{
	brExact sum = brExact_Add(pool, brExact_Mul(pool, a[0], b[0]), brExact_Mul(pool, a[1], b[1]));
	return brExact_Add(pool, sum, brExact_Mul(pool, a[2], b[2]));
}

// Normal of the plane and its product with the plane's first vertex.
static CutExactVector cutPlane(brCutSpace* space, brExactPool* pool, brDVec3 a, brDVec3 b, brDVec3 c,
							   brExact* outOffset)
{
	CutExactVector p = cutVector(space, pool, a), q = cutVector(space, pool, b), r = cutVector(space, pool, c);
	CutExactVector u = cutDifference(pool, &q, &p), v = cutDifference(pool, &r, &p);
	CutExactVector normal = cutCross(pool, &u, &v);
	*outOffset = cutDot(pool, normal.c, p.c);
	return normal;
}

// The point (q s - p t) / (s - t) of a line through p and q, where s and t are the heights of p and q.
static CutHomogeneous cutOnLine(brExactPool* pool, const CutExactVector* p, const CutExactVector* q, brExact s,
								brExact t)
{
	CutHomogeneous point;
	for (int k = 0; k < 3; ++k)
	{
		point.c[k] = cutCrossTerm(pool, q->c[k], s, p->c[k], t);
	}
	point.w = brExact_Sub(pool, s, t);
	return point;
}

static CutHomogeneous cutHomogeneous(brCutSpace* space, brExactPool* pool, const brCutPoint* point);

static CutHomogeneous cutMean(brCutSpace* space, brExactPool* pool, const brCutPoint* point)
{
	CutHomogeneous p[3];
	for (int i = 0; i < 3; ++i)
	{
		p[i] = cutHomogeneous(space, pool, &space->points[point->makers[i]]);
	}
	brExact w12 = brExact_Mul(pool, p[1].w, p[2].w);
	brExact w20 = brExact_Mul(pool, p[2].w, p[0].w);
	brExact w01 = brExact_Mul(pool, p[0].w, p[1].w);
	CutHomogeneous mean;
	for (int k = 0; k < 3; ++k)
	{
		brExact terms[3] = {p[0].c[k], p[1].c[k], p[2].c[k]}, weights[3] = {w12, w20, w01};
		mean.c[k] = cutDot(pool, terms, weights);
	}
	mean.w = brExact_Mul(pool, (brExact){1, 1, cutThreeLimb}, brExact_Mul(pool, w12, p[0].w));
	return mean;
}

static CutHomogeneous cutHomogeneous(brCutSpace* space, brExactPool* pool, const brCutPoint* point)
{
	const int32_t* m = point->makers;
	const brCutPoint* points = space->points;
	switch (point->kind)
	{
		case br_cutPointLinePlane:
		{
			CutExactVector p = cutVector(space, pool, points[m[0]].at), q = cutVector(space, pool, points[m[1]].at);
			brExact offset;
			CutExactVector normal = cutPlane(space, pool, points[m[2]].at, points[m[3]].at, points[m[4]].at, &offset);
			brExact s = brExact_Sub(pool, cutDot(pool, normal.c, p.c), offset);
			brExact t = brExact_Sub(pool, cutDot(pool, normal.c, q.c), offset);
			return cutOnLine(pool, &p, &q, s, t);
		}
		case br_cutPointLines:
		{
			CutExactVector p = cutVector(space, pool, points[m[0]].at), q = cutVector(space, pool, points[m[1]].at);
			CutExactVector a = cutVector(space, pool, points[m[2]].at), b = cutVector(space, pool, points[m[3]].at);
			int i = (point->axis + 1) % 3, j = (point->axis + 2) % 3;
			CutExactVector along = cutDifference(pool, &b, &a);
			CutExactVector toP = cutDifference(pool, &p, &a), toQ = cutDifference(pool, &q, &a);
			brExact s = cutCrossTerm(pool, along.c[i], toP.c[j], along.c[j], toP.c[i]);
			brExact t = cutCrossTerm(pool, along.c[i], toQ.c[j], along.c[j], toQ.c[i]);
			return cutOnLine(pool, &p, &q, s, t);
		}
		case br_cutPointPlanes:
		{
			CutExactVector normals[3], crosses[3];
			brExact offsets[3];
			for (int i = 0; i < 3; ++i)
			{
				const int32_t* t = space->triangles[m[i]];
				normals[i] = cutPlane(space, pool, points[t[0]].at, points[t[1]].at, points[t[2]].at, &offsets[i]);
			}
			for (int i = 0; i < 3; ++i)
			{
				crosses[i] = cutCross(pool, &normals[(i + 1) % 3], &normals[(i + 2) % 3]);
			}
			CutHomogeneous result;
			for (int k = 0; k < 3; ++k)
			{
				brExact parts[3] = {crosses[0].c[k], crosses[1].c[k], crosses[2].c[k]};
				result.c[k] = cutDot(pool, offsets, parts);
			}
			result.w = cutDot(pool, normals[0].c, crosses[0].c);
			return result;
		}
		case br_cutPointMean:
			return cutMean(space, pool, point);
		default:
		{
			CutExactVector p = cutVector(space, pool, point->at);
			return (CutHomogeneous){{p.c[0], p.c[1], p.c[2]}, {1, 1, cutOneLimb}};
		}
	}
}

// The number as m * 2^exponent, m of at most 64 correct bits.
static double cutApproximate(brExact a, int32_t* exponent)
{
	if (a.sign == 0)
	{
		*exponent = 0;
		return 0.0;
	}
	double m = (double)a.limbs[a.count - 1];
	*exponent = 64 * (a.count - 1);
	if (a.count > 1)
	{
		m += ldexp((double)a.limbs[a.count - 2], -64);
	}
	return a.sign * m;
}

static brExact cutShift(brExactPool* pool, brExact a, int32_t bits)
{
	while (bits > 0)
	{
		int32_t step = bits < 1000 ? bits : 1000;
		a = brExact_Mul(pool, a, brExact_FromDouble(pool, ldexp(1.0, step), 0));
		bits -= step;
	}
	return a;
}

// Sign of 2 numerator / denominator 2^exponent - (a + b).
static int32_t cutCompareTwice(brExactPool* pool, brExact numerator, brExact denominator, int32_t exponent, double a,
							   double b)
{
	int32_t used = pool->used;
	int32_t own = brExact_Exponent((double[]){a, b}, 2);
	int32_t common = own < exponent ? own : exponent;
	brExact sum = brExact_Add(pool, brExact_FromDouble(pool, a, common), brExact_FromDouble(pool, b, common));
	brExact left = cutShift(pool, numerator, exponent - common + 1);
	brExact difference = brExact_Sub(pool, left, brExact_Mul(pool, sum, denominator));
	pool->used = used;
	return difference.sign * denominator.sign;
}

static bool cutIsOdd(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return (bits & 1) != 0;
}

// The double nearest to numerator / denominator 2^exponent, ties to even.
static double cutNearest(brExactPool* pool, brExact numerator, brExact denominator, int32_t exponent)
{
	if (numerator.sign == 0 || pool->isFull)
	{
		return 0.0;
	}
	int32_t en, ed;
	double n = cutApproximate(numerator, &en), d = cutApproximate(denominator, &ed);
	double x = ldexp(n / d, en - ed + exponent);
	// The guess is a few ulp off at most; each step is one.
	for (int step = 0; step < 64 && !pool->isFull; ++step)
	{
		double up = nextafter(x, INFINITY), down = nextafter(x, -INFINITY);
		int32_t above = cutCompareTwice(pool, numerator, denominator, exponent, x, up);
		if (above > 0 || (above == 0 && cutIsOdd(x)))
		{
			x = up;
			continue;
		}
		int32_t below = cutCompareTwice(pool, numerator, denominator, exponent, x, down);
		if (below < 0 || (below == 0 && cutIsOdd(x)))
		{
			x = down;
			continue;
		}
		return x + 0.0;
	}
	pool->isFull = true;
	return 0.0;
}

// n . (p - a)
static brCutBall cutHeight(const brCutBall normal[3], brDVec3 p, brDVec3 a)
{
	brCutBall x = brCutBall_Mul(normal[0], brCutBall_Difference(p.x, a.x));
	brCutBall y = brCutBall_Mul(normal[1], brCutBall_Difference(p.y, a.y));
	brCutBall z = brCutBall_Mul(normal[2], brCutBall_Difference(p.z, a.z));
	return brCutBall_Add(brCutBall_Add(x, y), z);
}

static brCutBall cutBallCross(const brCutBall* u, const brCutBall* v, int i, int j)
{
	return brCutBall_Add(brCutBall_Mul(u[i], v[j]), brCutBall_Neg(brCutBall_Mul(u[j], v[i])));
}

// Of edge and plane in balls: p + (q - p) s / (s - t) with the heights s and t of p and q. False if a coordinate is too
// close to the middle between two doubles.
static bool cutPlaceQuickly(const brCutSpace* space, brCutPoint* point)
{
	const brCutPoint* points = space->points;
	const int32_t* m = point->makers;
	brDVec3 p = points[m[0]].at, q = points[m[1]].at;
	brDVec3 a = points[m[2]].at, b = points[m[3]].at, c = points[m[4]].at;
	brCutBall u[3] = {brCutBall_Difference(b.x, a.x), brCutBall_Difference(b.y, a.y), brCutBall_Difference(b.z, a.z)};
	brCutBall v[3] = {brCutBall_Difference(c.x, a.x), brCutBall_Difference(c.y, a.y), brCutBall_Difference(c.z, a.z)};
	brCutBall normal[3] = {cutBallCross(u, v, 1, 2), cutBallCross(u, v, 2, 0), cutBallCross(u, v, 0, 1)};
	brCutBall s = cutHeight(normal, p, a), t = cutHeight(normal, q, a);
	brCutBall ratio = brCutBall_Div(s, brCutBall_Add(s, brCutBall_Neg(t)));
	brCutBall x = brCutBall_Mul(brCutBall_Difference(q.x, p.x), ratio);
	brCutBall y = brCutBall_Mul(brCutBall_Difference(q.y, p.y), ratio);
	brCutBall z = brCutBall_Mul(brCutBall_Difference(q.z, p.z), ratio);
	return brCutBall_Round(brCutBall_Add((brCutBall){p.x, 0.0, 0.0}, x), &point->at.x) &&
		   brCutBall_Round(brCutBall_Add((brCutBall){p.y, 0.0, 0.0}, y), &point->at.y) &&
		   brCutBall_Round(brCutBall_Add((brCutBall){p.z, 0.0, 0.0}, z), &point->at.z);
}

void brCutSpace_Place(brCutSpace* space, brCutPoint* point)
{
	if (point->kind == br_cutPointVertex)
	{
		return;
	}
	if (point->kind == br_cutPointMean)
	{
		const brCutPoint* p = space->points;
		const int32_t* m = point->makers;
		point->at = brDMul(1.0 / 3.0, brDAdd(p[m[0]].at, brDAdd(p[m[1]].at, p[m[2]].at)));
		return;
	}
	if (point->kind == br_cutPointLinePlane && cutPlaceQuickly(space, point))
	{
		return;
	}
	brExactPool pool = cutPool(space);
	CutHomogeneous h = cutHomogeneous(space, &pool, point);
	point->at.x = cutNearest(&pool, h.c[0], h.w, space->exponent);
	point->at.y = cutNearest(&pool, h.c[1], h.w, space->exponent);
	point->at.z = cutNearest(&pool, h.c[2], h.w, space->exponent);
	space->isFull |= pool.isFull;
}

static int32_t cutCompareExact(brCutSpace* space, const brCutPoint* a, const brCutPoint* b, int32_t axis)
{
	brExactPool pool = cutPool(space);
	CutHomogeneous p = cutHomogeneous(space, &pool, a), q = cutHomogeneous(space, &pool, b);
	int32_t sign = cutCrossTerm(&pool, p.c[axis], q.w, q.c[axis], p.w).sign * p.w.sign * q.w.sign;
	return cutAnswer(space, &pool, sign);
}

int32_t brCutSpace_Compare(brCutSpace* space, int32_t a, int32_t b, int32_t axis)
{
	if (a == b)
	{
		return 0;
	}
	const brCutPoint *p = &space->points[a], *q = &space->points[b];
	double x = brCutCoordinate(&p->at, axis), y = brCutCoordinate(&q->at, axis);
	if (x != y)
	{
		return x < y ? -1 : 1;
	}
	if (p->kind == br_cutPointVertex && q->kind == br_cutPointVertex)
	{
		return 0;
	}
	return cutCompareExact(space, p, q, axis);
}

bool brCutSpace_Equal(brCutSpace* space, const brCutPoint* a, const brCutPoint* b)
{
	if (a->at.x != b->at.x || a->at.y != b->at.y || a->at.z != b->at.z)
	{
		return false;
	}
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		if (cutCompareExact(space, a, b, axis) != 0)
		{
			return false;
		}
	}
	return true;
}

static int32_t cutTurnExact(brCutSpace* space, const brCutPoint* a, const brCutPoint* b, const brCutPoint* c,
							int32_t axis)
{
	brExactPool pool = cutPool(space);
	CutHomogeneous p = cutHomogeneous(space, &pool, a), q = cutHomogeneous(space, &pool, b),
				   r = cutHomogeneous(space, &pool, c);
	int i = (axis + 1) % 3, j = (axis + 2) % 3;
	brExact minors[3] = {cutCrossTerm(&pool, p.c[i], q.c[j], p.c[j], q.c[i]),
						 cutCrossTerm(&pool, q.c[i], r.c[j], q.c[j], r.c[i]),
						 cutCrossTerm(&pool, r.c[i], p.c[j], r.c[j], p.c[i])};
	brExact weights[3] = {r.w, p.w, q.w};
	int32_t sign = cutDot(&pool, minors, weights).sign * p.w.sign * q.w.sign * r.w.sign;
	return cutAnswer(space, &pool, sign);
}

// With coordinates up to m that are each off by at most 8 u m and differences up to l, each difference is off by 17 u m
// and a product by 34 u m l; two of them, and their squares, stay below 80 u m (l + 40 u m).
static int32_t cutTurnFilter(brDVec3 a, brDVec3 b, brDVec3 c, int32_t axis)
{
	brDVec2 p = brCutFlatten(a, axis), q = brCutFlatten(b, axis), r = brCutFlatten(c, axis);
	double ax = p.x - r.x, ay = p.y - r.y, bx = q.x - r.x, by = q.y - r.y;
	double det = ax * by - ay * bx;
	double m = fmax(fmax(fmax(fabs(p.x), fabs(p.y)), fmax(fabs(q.x), fabs(q.y))), fmax(fabs(r.x), fabs(r.y)));
	double l = fmax(fmax(fabs(ax), fabs(ay)), fmax(fabs(bx), fabs(by)));
	double error = BR_PREDICATE_U * m;
	double bound = 80.0 * error * (l + 40.0 * error) + BR_PREDICATE_TINY;
	return fabs(det) > bound ? (det > 0.0) - (det < 0.0) : 0;
}

int32_t brCutSpace_Turn(brCutSpace* space, int32_t a, int32_t b, int32_t c, int32_t axis)
{
	if (a == b || b == c || c == a)
	{
		return 0;
	}
	const brCutPoint *p = &space->points[a], *q = &space->points[b], *r = &space->points[c];
	if (p->kind == br_cutPointVertex && q->kind == br_cutPointVertex && r->kind == br_cutPointVertex)
	{
		return brOrient2d(brCutFlatten(p->at, axis), brCutFlatten(q->at, axis), brCutFlatten(r->at, axis));
	}
	int32_t sign = cutTurnFilter(p->at, q->at, r->at, axis);
	return sign != 0 ? sign : cutTurnExact(space, p, q, r, axis);
}

int32_t brCutSpace_TurnOf(brCutSpace* space, brDVec3 a, brDVec3 b, const brCutPoint* c, int32_t axis)
{
	if (c->kind == br_cutPointVertex)
	{
		return brOrient2d(brCutFlatten(a, axis), brCutFlatten(b, axis), brCutFlatten(c->at, axis));
	}
	int32_t sign = cutTurnFilter(a, b, c->at, axis);
	if (sign != 0)
	{
		return sign;
	}
	brCutPoint p = {.at = a, .kind = br_cutPointVertex}, q = {.at = b, .kind = br_cutPointVertex};
	return cutTurnExact(space, &p, &q, c, axis);
}

int32_t brCutSpace_Side(brCutSpace* space, brDVec3 a, brDVec3 b, brDVec3 c, const brCutPoint* point)
{
	if (point->kind == br_cutPointVertex)
	{
		return brOrient3d(a, b, c, point->at);
	}
	// Rounded place against the plane: normal and offset are off by less than 64 u m^2 and 256 u m^3 together.
	brDVec3 normal = brDCross(brDSub(b, a), brDSub(c, a));
	brDVec3 to = brDSub(point->at, a);
	double det = brDDot(normal, to);
	double l = fmax(brDLength(brDSub(b, a)), brDLength(brDSub(c, a))), r = brDLength(to);
	double m = fmax(fmax(fmax(fabs(point->at.x), fabs(point->at.y)), fabs(point->at.z)),
					fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z)) + l);
	double bound = 64.0 * BR_PREDICATE_U * l * (l + 16.0 * BR_PREDICATE_U * m) * (r + m) + BR_PREDICATE_TINY;
	if (fabs(det) > bound)
	{
		return (det > 0.0) - (det < 0.0);
	}
	brExactPool pool = cutPool(space);
	brExact offset;
	CutExactVector n = cutPlane(space, &pool, a, b, c, &offset);
	CutHomogeneous h = cutHomogeneous(space, &pool, point);
	brExact height = brExact_Sub(&pool, cutDot(&pool, n.c, h.c), brExact_Mul(&pool, offset, h.w));
	return cutAnswer(space, &pool, height.sign * h.w.sign);
}
