// SPDX-License-Identifier: MIT

// When do two moving features meet? Written once for pairs side by side and compiled for each set of instructions.
// Whoever includes this file has defined
//   CCD_NAME(name)  the name of a function in this set
//   CCD_TARGET      the attribute that lets the compiler use the set's instructions
//   CCD_WIDTH       pairs side by side: 8, 4 or 2 doubles are a vector of the set
//   CCD_BITS(mask)  the sign bits of the lanes as an integer
//   CCD_SQRT(v)     square roots of the lanes
//
// The polygon. Seen from a moving vertex, the three corners of a face are at w_k(t) = vertex - corner; the two meet
// when this triangle holds the origin. Two edges a and b meet when the parallelogram of a_i - b_j holds it. So both
// questions are one: does a flat convex polygon of three or four corners, each moving straight, ever hold the origin?
//
// The certificate. A direction n with n . w_k > 0 for all corners at both ends of a time interval keeps the origin out
// all the while, since each n . w_k is linear in time. A direction that turns, n(t) = (1 - s) n0 + s n1, makes it a
// quadratic, which is positive if its three Bernstein coefficients n0 . w_k(t0), (n0 . w_k(t1) + n1 . w_k(t0)) / 2 and
// n1 . w_k(t1) are. Nothing else is believed: directions come from rounded arithmetic and may be bad, the signs of the
// coefficients are beyond their rounding errors. What is not certified is reported, so no contact is ever missed.
//
// The march. From t = 0 with the direction to the nearest point of the polygon, take a step to just before the time at
// which the gap would close, find the direction there, and certify the step; else take a shorter one. Because
// directions turn with the polygon, the error of a certificate is quadratic in the step, and steps end next to the
// contact, not where rotation makes the corners swing. When a step h as short as the tolerance fails, the pair is
// reported. If corners move by V in all, a gap d cannot fail with d > 1.5 h V: no coefficient is then below d - 1.5 h
// V, for unit directions to the nearest points. So what is reported has a gap below 2 tolerance V, up to rounding.
//
// Rounding. Polygons are scaled by a power of two so that the largest number is in [1, 2). With u = 2^-53, corners are
// off by 2 u at the ends and 14 u between, products of a unit direction (sum of its parts below 1.74) with them by less
// than 40 u, and another 14 u cover that gaps are taken before the direction is rounded. CCD_ERROR is 128 u.

#include "narrow/ccd_kernels.h"

#include "index/wide_kernels.h"

#include <math.h>

#define CCD_INLINE CCD_TARGET static inline __attribute__((always_inline))
#define CV CCD_NAME(Lanes)
#define CM CCD_NAME(Mask)
#define C3 CCD_NAME(Lanes3)

typedef double CV __attribute__((vector_size(8 * CCD_WIDTH), may_alias));
typedef int64_t CM __attribute__((vector_size(8 * CCD_WIDTH), may_alias));

typedef struct C3
{
	CV x, y, z;
} C3;

#define CCD_SELECT(mask, a, b) ((CV)(((mask) & (CM)(a)) | (~(mask) & (CM)(b))))
#define CCD_ABS(a) ((CV)((CM)(a)&INT64_MAX))
#define CCD_MIN(a, b) CCD_SELECT((a) < (b), a, b)
#define CCD_MAX(a, b) CCD_SELECT((a) > (b), a, b)
#define CCD_ALL(value) ((value) - (CV){0})

#ifndef CCD_ERROR
#define CCD_ERROR 0x1p-46
#define CCD_TINY 0x1p-1000        // more than what underflow loses in a product of numbers below 2
#define CCD_LARGEST 0x1p1000      // differences beyond are not looked at
#define CCD_SIEVE_LARGEST 0x1p300 // the sieve does not scale, and its products must not overflow
#define CCD_SHORT 0.95            // of the way to where the gap seems to close
#define CCD_PATIENCE 64           // steps after which the tolerance is doubled, and again after as many
#endif

CCD_INLINE CV CCD_NAME(dot)(C3 a, C3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

CCD_INLINE C3 CCD_NAME(sub)(C3 a, C3 b)
{
	return (C3){a.x - b.x, a.y - b.y, a.z - b.z};
}

CCD_INLINE C3 CCD_NAME(mulAdd)(C3 a, CV s, C3 b)
{
	return (C3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

CCD_INLINE C3 CCD_NAME(cross)(C3 a, C3 b)
{
	return (C3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

CCD_INLINE C3 CCD_NAME(select)(CM mask, C3 a, C3 b)
{
	return (C3){CCD_SELECT(mask, a.x, b.x), CCD_SELECT(mask, a.y, b.y), CCD_SELECT(mask, a.z, b.z)};
}

// The sieve

// Vertices of all lanes, both frames, axis by axis: their cache lines turned.
#if CCD_WIDTH == 8
CCD_INLINE void CCD_NAME(loadCorner)(const brCcdRecord* const rows[8], C3* outStart, C3* outEnd)
{
	CV even[4], odd[4]; // numbers 0 2 4 6 and 1 3 5 7 of two rows
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		CV a = *(const CV*)rows[2 * i], b = *(const CV*)rows[2 * i + 1];
		even[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
		odd[i] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
	}
	CV x0 = __builtin_shufflevector(even[0], even[1], 0, 1, 4, 5, 8, 9, 12, 13);
	CV x1 = __builtin_shufflevector(even[2], even[3], 0, 1, 4, 5, 8, 9, 12, 13);
	CV y0 = __builtin_shufflevector(odd[0], odd[1], 0, 1, 4, 5, 8, 9, 12, 13);
	CV y1 = __builtin_shufflevector(odd[2], odd[3], 0, 1, 4, 5, 8, 9, 12, 13);
	CV z0 = __builtin_shufflevector(even[0], even[1], 2, 3, 6, 7, 10, 11, 14, 15);
	CV z1 = __builtin_shufflevector(even[2], even[3], 2, 3, 6, 7, 10, 11, 14, 15);
	outStart->x = __builtin_shufflevector(x0, x1, 0, 1, 4, 5, 8, 9, 12, 13);
	outEnd->x = __builtin_shufflevector(x0, x1, 2, 3, 6, 7, 10, 11, 14, 15);
	outStart->y = __builtin_shufflevector(y0, y1, 0, 1, 4, 5, 8, 9, 12, 13);
	outEnd->y = __builtin_shufflevector(y0, y1, 2, 3, 6, 7, 10, 11, 14, 15);
	outStart->z = __builtin_shufflevector(z0, z1, 0, 1, 4, 5, 8, 9, 12, 13);
	outEnd->z = __builtin_shufflevector(z0, z1, 2, 3, 6, 7, 10, 11, 14, 15);
}
#elif CCD_WIDTH == 4
CCD_INLINE C3 CCD_NAME(turn)(const double* p, const double* q, const double* r, const double* s)
{
	CV a = *(const CV*)p, b = *(const CV*)q, c = *(const CV*)r, d = *(const CV*)s;
	CV xz0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), xz1 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
	CV y0 = __builtin_shufflevector(a, b, 1, 5, 3, 7), y1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
	return (C3){__builtin_shufflevector(xz0, xz1, 0, 1, 4, 5), __builtin_shufflevector(y0, y1, 0, 1, 4, 5),
				__builtin_shufflevector(xz0, xz1, 2, 3, 6, 7)};
}

CCD_INLINE void CCD_NAME(loadCorner)(const brCcdRecord* const rows[4], C3* outStart, C3* outEnd)
{
	*outStart = CCD_NAME(turn)(rows[0]->start, rows[1]->start, rows[2]->start, rows[3]->start);
	*outEnd = CCD_NAME(turn)(rows[0]->end, rows[1]->end, rows[2]->end, rows[3]->end);
}
#else
CCD_INLINE void CCD_NAME(loadCorner)(const brCcdRecord* const rows[2], C3* outStart, C3* outEnd)
{
	const double *a = rows[0]->start, *b = rows[1]->start;
	*outStart = (C3){{a[0], b[0]}, {a[1], b[1]}, {a[2], b[2]}};
	a = rows[0]->end, b = rows[1]->end;
	*outEnd = (C3){{a[0], b[0]}, {a[1], b[1]}, {a[2], b[2]}};
}
#endif

CCD_INLINE CV CCD_NAME(reach)(CV reach, C3 w)
{
	CV x = CCD_ABS(w.x), y = CCD_ABS(w.y), z = CCD_ABS(w.z);
	x = CCD_MAX(x, reach), y = CCD_MAX(y, z);
	return CCD_MAX(x, y);
}

// Lanes of which all corners are beyond the plane across `n` at both ends. `outLeast` and `outCorner` are where they
// are least so.
CCD_INLINE CM CCD_NAME(isBeyond)(int count, const C3* w, C3 n, CV reach, CV separation, CV* outLeast, C3* outCorner)
{
	CV size = CCD_ABS(n.x) + CCD_ABS(n.y) + CCD_ABS(n.z);
	// Products are off by 4 u of size and reach; the rest is for the rounding of the bound, with a separation as large
	// as the reach.
	CV bound = size * (0x1p-49 * reach + separation) + CCD_TINY;
	CV least = CCD_NAME(dot)(n, w[0]);
	CM isBeyond = least > bound; // of each, because a minimum can step over a NaN
	C3 corner = w[0];
	BR_UNROLL
	for (int k = 1; k < count; ++k)
	{
		CV d = CCD_NAME(dot)(n, w[k]);
		isBeyond &= d > bound;
		CM isLess = d < least;
		least = CCD_SELECT(isLess, d, least);
		corner = CCD_NAME(select)(isLess, w[k], corner);
	}
	*outLeast = least;
	*outCorner = corner;
	return isBeyond;
}

// Bits of the items of up to all lanes that no tried direction keeps apart. The first direction is the mean of all
// corners; each further one is the point nearest to the origin between the last one and the corner that it failed on
// (Gilbert 1966).
CCD_INLINE uint32_t CCD_NAME(sieveSome)(brCcdKind kind, int32_t sieve, const brCcdRecord* records,
										const brCcdItem* items, const int32_t* order, int32_t count, double separation)
{
	C3 start[4], end[4];
	BR_UNROLL
	for (int c = 0; c < 4; ++c)
	{
		const brCcdRecord* rows[CCD_WIDTH];
		BR_UNROLL
		for (int i = 0; i < CCD_WIDTH; ++i)
		{
			rows[i] = &records[items[order[i < count ? i : count - 1]].corners[c]];
		}
		CCD_NAME(loadCorner)(rows, &start[c], &end[c]);
	}
	C3 w[8];
	const int K = kind == br_ccdVertexFace ? 3 : 4;
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		int first = kind == br_ccdVertexFace ? 0 : (k == 1 || k == 2);
		int second = kind == br_ccdVertexFace ? k + 1 : 2 + k / 2;
		w[k] = CCD_NAME(sub)(start[first], start[second]);
		w[K + k] = CCD_NAME(sub)(end[first], end[second]);
	}
	CV reach = {0};
	C3 n = {reach, reach, reach};
	BR_UNROLL
	for (int k = 0; k < 2 * K; ++k)
	{
		reach = CCD_NAME(reach)(reach, w[k]);
		n = (C3){n.x + w[k].x, n.y + w[k].y, n.z + w[k].z};
	}
	n.x *= 0.5 / K, n.y *= 0.5 / K, n.z *= 0.5 / K;
	CV wideSeparation = CCD_ALL(separation), least;
	C3 corner;
	CM isGood = reach <= CCD_SIEVE_LARGEST;
	CM apart = CCD_NAME(isBeyond)(2 * K, w, n, reach, wideSeparation, &least, &corner);
	for (int32_t i = 0; i < 2 * sieve; ++i)
	{
		C3 edge = CCD_NAME(sub)(corner, n);
		CV part = (CCD_NAME(dot)(n, n) - least) / CCD_NAME(dot)(edge, edge);
		part = CCD_MIN(part, CCD_ALL(1.0));
		n = CCD_NAME(mulAdd)(n, part, edge);
		apart |= CCD_NAME(isBeyond)(2 * K, w, n, reach, wideSeparation, &least, &corner);
	}
	CM left = ~(apart & isGood);
	return CCD_BITS(left) & ((1u << count) - 1u);
}

CCD_INLINE int32_t CCD_NAME(sieveAll)(brCcdKind kind, int32_t sieve, const brCcdRecord* records, const brCcdItem* items,
									  int32_t* order, int32_t count, double separation)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < count; i += CCD_WIDTH)
	{
		int32_t some = count - i < CCD_WIDTH ? count - i : CCD_WIDTH;
		uint32_t bits = CCD_NAME(sieveSome)(kind, sieve, records, items, order + i, some, separation);
		for (; bits != 0; bits &= bits - 1)
		{
			order[kept++] = order[i + __builtin_ctz(bits)];
		}
	}
	return kept;
}

CCD_TARGET static int32_t CCD_NAME(sieve)(brCcdKind kind, int32_t sieve, const brCcdRecord* records,
										  const brCcdItem* items, int32_t* order, int32_t count, double separation)
{
	// The kind and the number of directions become constants.
	if (kind == br_ccdVertexFace)
	{
		return sieve == 0 ? CCD_NAME(sieveAll)(br_ccdVertexFace, 0, records, items, order, count, separation)
						  : CCD_NAME(sieveAll)(br_ccdVertexFace, 1, records, items, order, count, separation);
	}
	return sieve == 0 ? CCD_NAME(sieveAll)(br_ccdEdgeEdge, 0, records, items, order, count, separation)
					  : CCD_NAME(sieveAll)(br_ccdEdgeEdge, 1, records, items, order, count, separation);
}

// The march

typedef struct CCD_NAME(March)
{
	C3 start[4], end[4]; // the polygon at the ends of the step, scaled
	C3 corners[4];       // at `time`
	C3 aim;              // the direction at `time`
	CV time;             // certified until here; below 0: nothing yet
	CV gap;              // at `time`
	CV next;             // the time to try
	CV tolerance;
	CV separation; // scaled

	int32_t steps[CCD_WIDTH];
} CCD_NAME(March);

// The direction of length 1 that keeps the polygon farthest from the origin, and how far that is: across its plane, or
// towards the nearest point of its edges.
CCD_INLINE CV CCD_NAME(findAim)(int K, const C3* w, C3* outAim)
{
	const CV none = CCD_ALL(-INFINITY), one = CCD_ALL(1.0), zero = {0};
	C3 normal = CCD_NAME(cross)(CCD_NAME(sub)(w[1], w[0]), CCD_NAME(sub)(w[K - 1], w[0]));
	CV low = CCD_NAME(dot)(normal, w[0]), high = low;
	C3 nearest = {zero, zero, zero}, edge = nearest;
	CV nearestSq = CCD_ALL(INFINITY), edgeSq = one;
	CM isInner = {0};
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		CV d = CCD_NAME(dot)(normal, w[k]);
		low = CCD_MIN(d, low), high = CCD_MAX(d, high);

		C3 e = CCD_NAME(sub)(w[(k + 1) % K], w[k]);
		CV ee = CCD_NAME(dot)(e, e), part = -CCD_NAME(dot)(w[k], e) / ee;
		part = CCD_MAX(part, zero); // 0 for the 0 / 0 of an edge without length
		part = CCD_MIN(part, one);
		C3 c = CCD_NAME(mulAdd)(w[k], part, e);
		CV cc = CCD_NAME(dot)(c, c);
		CM isInside = (part > zero) & (part < one);
		CM isLess = cc < nearestSq;
		nearest = CCD_NAME(select)(isLess, c, nearest);
		edge = CCD_NAME(select)(isLess, e, edge);
		nearestSq = CCD_SELECT(isLess, cc, nearestSq);
		edgeSq = CCD_SELECT(isLess, ee, edgeSq);
		isInner = (isLess & isInside) | (~isLess & isInner);
	}
	// Square to the edge once more: the difference of nearly equal numbers was not quite.
	CV slip = CCD_SELECT(isInner, CCD_NAME(dot)(nearest, edge) / edgeSq, zero);
	nearest = CCD_NAME(mulAdd)(nearest, -slip, edge);
	CV gap = CCD_NAME(dot)(nearest, w[0]);
	BR_UNROLL
	for (int k = 1; k < K; ++k)
	{
		CV d = CCD_NAME(dot)(nearest, w[k]);
		gap = CCD_MIN(d, gap);
	}
	CV length = CCD_SQRT(CCD_NAME(dot)(nearest, nearest)), normalLength = CCD_SQRT(CCD_NAME(dot)(normal, normal));
	gap = gap / length;
	CM isBehind = high + low < zero;
	CV planeGap = CCD_SELECT(isBehind, -high, low) / normalLength;
	planeGap = CCD_SELECT(planeGap > none, planeGap, none); // a flat polygon has no plane
	CM usePlane = ~(gap >= planeGap);
	CV scale = one / CCD_SELECT(usePlane, CCD_SELECT(isBehind, -normalLength, normalLength), length);
	C3 aim = CCD_NAME(select)(usePlane, normal, nearest);
	*outAim = (C3){aim.x * scale, aim.y * scale, aim.z * scale};
	return CCD_SELECT(usePlane, planeGap, gap);
}

// Puts a pair into a lane. False: the numbers are too large or none.
CCD_INLINE bool CCD_NAME(beginLane)(CCD_NAME(March) * march, brCcdKind kind, const brCcdRecord* records,
									const brCcdItem* items, int32_t item, int32_t lane, double separation,
									double tolerance)
{
	const int32_t* corners = items[item].corners;
	const int K = kind == br_ccdVertexFace ? 3 : 4;
	double w[2][4][3], reach = 0.0;
	bool isGood = true;
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		int first = kind == br_ccdVertexFace ? 0 : (k == 1 || k == 2);
		int second = kind == br_ccdVertexFace ? k + 1 : 2 + k / 2;
		const brCcdRecord *p = &records[corners[first]], *q = &records[corners[second]];
		for (int axis = 0; axis < 3; ++axis)
		{
			w[0][k][axis] = p->start[axis] - q->start[axis];
			w[1][k][axis] = p->end[axis] - q->end[axis];
			double x = fabs(w[0][k][axis]), y = fabs(w[1][k][axis]);
			isGood &= x <= CCD_LARGEST && y <= CCD_LARGEST;
			x = x > y ? x : y;
			reach = x > reach ? x : reach;
		}
	}
	if (!isGood)
	{
		return false;
	}
	// Two factors, since the inverse of the smallest numbers is beyond the largest.
	int exponent = 0;
	frexp(reach, &exponent);
	double lift = exponent < -900 ? 0x1p200 : 1.0, scale = ldexp(1.0, 1 - exponent - (exponent < -900 ? 200 : 0));
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			((double*)&march->start[k])[CCD_WIDTH * axis + lane] = scale * (lift * w[0][k][axis]);
			((double*)&march->end[k])[CCD_WIDTH * axis + lane] = scale * (lift * w[1][k][axis]);
		}
	}
	march->time[lane] = -1.0, march->next[lane] = 0.0, march->gap[lane] = 0.0;
	march->tolerance[lane] = tolerance;
	march->separation[lane] = scale * (lift * separation) * (1.0 + 0x1p-48);
	march->steps[lane] = 0;
	return true;
}

// One step of all lanes. Bits of lanes that arrived at the end, and of those that cannot go on.
CCD_INLINE void CCD_NAME(step)(CCD_NAME(March) * march, int K, uint32_t* outApart, uint32_t* outStuck)
{
	const CV one = CCD_ALL(1.0), zero = {0};
	const CV time = march->time, next = march->next, oldGap = march->gap, tolerance = march->tolerance;
	const CV level = march->separation + CCD_ERROR;
	const C3 aim = march->aim;
	C3 w[4], nextAim;
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		w[k] = CCD_NAME(mulAdd)(march->start[k], next, CCD_NAME(sub)(march->end[k], march->start[k]));
		// The ends are as given, so that their rounding is not more than of a difference.
		w[k] = CCD_NAME(select)(next >= one, march->end[k], w[k]);
	}
	CV gap = CCD_NAME(findAim)(K, w, &nextAim);
	CM isFirst = time<zero, isOpen = gap> level;
	CM isTurning = ~isFirst; // the middle coefficient, twice
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		isTurning &= CCD_NAME(dot)(aim, w[k]) + CCD_NAME(dot)(nextAim, march->corners[k]) > 2.0 * level;
	}
	CM passes = isOpen & (isFirst | isTurning);

	// When the gap closes, from its last change: beyond a contact it counts as negative.
	CV stride = next - time;
	CM isThrough = ~passes & (CCD_NAME(dot)(aim, nextAim) < zero);
	CV closing = (oldGap - CCD_SELECT(isThrough, -gap, gap)) / stride;
	CV room = CCD_SELECT(passes, gap, oldGap) - march->separation;
	CV advance = CCD_SELECT(closing > zero, room / closing, one);
	advance *= CCD_SHORT;
	CV half = 0.5 * stride;
	advance = CCD_SELECT(passes, advance, CCD_MIN(advance, half));
	advance = CCD_SELECT(isFirst, one, advance);
	advance = CCD_SELECT(advance > 1.25 * tolerance, advance, tolerance);

	CM isStuck = ~passes & (isFirst | (stride <= 1.125 * tolerance));
	CM isApart = passes & (next >= one);
	*outStuck = CCD_BITS(isStuck);
	*outApart = CCD_BITS(isApart);
	CV newTime = CCD_SELECT(passes, next, time);
	CV newNext = newTime + advance;
	march->time = newTime;
	march->next = CCD_MIN(newNext, one);
	march->gap = CCD_SELECT(passes, gap, oldGap);
	march->aim = CCD_NAME(select)(passes, nextAim, aim);
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		march->corners[k] = CCD_NAME(select)(passes, w[k], march->corners[k]);
	}
}

CCD_INLINE void CCD_NAME(solveAll)(brCcdKind kind, const brCcdRecord* records, const brCcdItem* items,
								   const int32_t* order, int32_t count, double separation, double tolerance,
								   brCcdAnswer* outAnswers)
{
	CCD_NAME(March) march = {0};
	uint32_t busy = 0;
	int32_t begun = 0, places[CCD_WIDTH];
	const int K = kind == br_ccdVertexFace ? 3 : 4;
	for (;;)
	{
		// Fill the lanes that are free.
		for (uint32_t idle = ~busy & ((1u << CCD_WIDTH) - 1u); idle != 0 && begun < count; ++begun)
		{
			int32_t lane = __builtin_ctz(idle);
			outAnswers[begun] = (brCcdAnswer){0.0, 1.0};
			if (CCD_NAME(beginLane)(&march, kind, records, items, order[begun], lane, separation, tolerance))
			{
				places[lane] = begun;
				busy |= 1u << lane;
				idle &= idle - 1;
			}
		}
		if (busy == 0)
		{
			return;
		}
		uint32_t apart, stuck;
		CCD_NAME(step)(&march, K, &apart, &stuck);
		for (uint32_t ended = (apart | stuck) & busy; ended != 0; ended &= ended - 1)
		{
			int32_t lane = __builtin_ctz(ended);
			bool isApart = (apart >> lane & 1u) != 0;
			double time = march.time[lane] > 0.0 ? march.time[lane] : 0.0;
			outAnswers[places[lane]] = (brCcdAnswer){isApart ? 2.0 : time, isApart ? 0.0 : march.tolerance[lane]};
			busy &= ~(1u << lane);
		}
		for (int32_t lane = 0; lane < CCD_WIDTH; ++lane)
		{
			march.steps[lane] += 1;
			if (march.steps[lane] % CCD_PATIENCE == 0)
			{
				march.tolerance[lane] *= 2.0;
			}
		}
	}
}

CCD_TARGET static void CCD_NAME(solve)(brCcdKind kind, const brCcdRecord* records, const brCcdItem* items,
									   const int32_t* order, int32_t count, double separation, double tolerance,
									   brCcdAnswer* outAnswers)
{
	if (kind == br_ccdVertexFace)
	{
		CCD_NAME(solveAll)(br_ccdVertexFace, records, items, order, count, separation, tolerance, outAnswers);
	}
	else
	{
		CCD_NAME(solveAll)(br_ccdEdgeEdge, records, items, order, count, separation, tolerance, outAnswers);
	}
}

#define CCD_KERNELS                                                                                                    \
	{                                                                                                                  \
		CCD_NAME(sieve), CCD_NAME(solve)                                                                               \
	}
