// SPDX-License-Identifier: MIT

// When do two moving features meet? In ccd_kernels.c once for each set of lanes (base/lanes.h): LANE_DOUBLES pairs side
// by side.
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

#define CV LANE(brDoubles)
#define CM LANE(brLongs)
#define C3 LANE(Ccd3)

typedef struct C3
{
	CV x, y, z;
} C3;

#define CCD_MIN(a, b) LANE(brChoose)((a) < (b), a, b)
#define CCD_MAX(a, b) LANE(brChoose)((a) > (b), a, b)
#define CCD_ALL(value) ((value) - (CV){0})

LANE_INLINE CV LANE(ccdDot)(C3 a, C3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_INLINE C3 LANE(ccdSub)(C3 a, C3 b)
{
	return (C3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_INLINE C3 LANE(ccdMulAdd)(C3 a, CV s, C3 b)
{
	return (C3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

LANE_INLINE C3 LANE(ccdCross)(C3 a, C3 b)
{
	return (C3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANE_INLINE C3 LANE(ccdSelect)(CM mask, C3 a, C3 b)
{
	return (C3){LANE(brChoose)(mask, a.x, b.x), LANE(brChoose)(mask, a.y, b.y), LANE(brChoose)(mask, a.z, b.z)};
}

// The sieve

// Vertices of all lanes, both frames, axis by axis: their cache lines turned.
#if LANE_BYTES == 64
LANE_INLINE void LANE(ccdLoadCorner)(const brCcdRecord* const rows[8], C3* outStart, C3* outEnd)
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
#elif LANE_BYTES == 32
LANE_INLINE C3 LANE(ccdTurn)(const double* p, const double* q, const double* r, const double* s)
{
	CV a = *(const CV*)p, b = *(const CV*)q, c = *(const CV*)r, d = *(const CV*)s;
	CV xz0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), xz1 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
	CV y0 = __builtin_shufflevector(a, b, 1, 5, 3, 7), y1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
	return (C3){__builtin_shufflevector(xz0, xz1, 0, 1, 4, 5), __builtin_shufflevector(y0, y1, 0, 1, 4, 5),
				__builtin_shufflevector(xz0, xz1, 2, 3, 6, 7)};
}

LANE_INLINE void LANE(ccdLoadCorner)(const brCcdRecord* const rows[4], C3* outStart, C3* outEnd)
{
	*outStart = LANE(ccdTurn)(rows[0]->start, rows[1]->start, rows[2]->start, rows[3]->start);
	*outEnd = LANE(ccdTurn)(rows[0]->end, rows[1]->end, rows[2]->end, rows[3]->end);
}
#else
LANE_INLINE void LANE(ccdLoadCorner)(const brCcdRecord* const rows[2], C3* outStart, C3* outEnd)
{
	const double *a = rows[0]->start, *b = rows[1]->start;
	*outStart = (C3){{a[0], b[0]}, {a[1], b[1]}, {a[2], b[2]}};
	a = rows[0]->end, b = rows[1]->end;
	*outEnd = (C3){{a[0], b[0]}, {a[1], b[1]}, {a[2], b[2]}};
}
#endif

LANE_INLINE CV LANE(ccdReach)(CV reach, C3 w)
{
	CV x = LANE(brAbs)(w.x), y = LANE(brAbs)(w.y), z = LANE(brAbs)(w.z);
	x = CCD_MAX(x, reach), y = CCD_MAX(y, z);
	return CCD_MAX(x, y);
}

// Lanes of which all corners are beyond the plane across `n` at both ends. `outLeast` and `outCorner` are where they
// are least so.
LANE_INLINE CM LANE(ccdIsBeyond)(int count, const C3* w, C3 n, CV reach, CV separation, CV* outLeast, C3* outCorner)
{
	CV size = LANE(brAbs)(n.x) + LANE(brAbs)(n.y) + LANE(brAbs)(n.z);
	// Products are off by 4 u of size and reach; the rest is for the rounding of the bound, with a separation as large
	// as the reach.
	CV bound = size * (0x1p-49 * reach + separation) + CCD_TINY;
	CV least = LANE(ccdDot)(n, w[0]);
	CM isBeyond = least > bound; // of each, because a minimum can step over a NaN
	C3 corner = w[0];
	BR_UNROLL
	for (int k = 1; k < count; ++k)
	{
		CV d = LANE(ccdDot)(n, w[k]);
		isBeyond &= d > bound;
		CM isLess = d < least;
		least = LANE(brChoose)(isLess, d, least);
		corner = LANE(ccdSelect)(isLess, w[k], corner);
	}
	*outLeast = least;
	*outCorner = corner;
	return isBeyond;
}

// Bits of the items of up to all lanes that no tried direction keeps apart. The first direction is the mean of all
// corners; each further one is the point nearest to the origin between the last one and the corner that it failed on
// (Gilbert 1966).
LANE_INLINE uint32_t LANE(ccdSieveSome)(brCcdKind kind, int32_t sieve, const brCcdRecord* records,
										const brCcdItem* items, const int32_t* order, int32_t count, double separation)
{
	C3 start[4], end[4];
	BR_UNROLL
	for (int c = 0; c < 4; ++c)
	{
		const brCcdRecord* rows[LANE_DOUBLES];
		BR_UNROLL
		for (int i = 0; i < LANE_DOUBLES; ++i)
		{
			rows[i] = &records[items[order[i < count ? i : count - 1]].corners[c]];
		}
		LANE(ccdLoadCorner)(rows, &start[c], &end[c]);
	}
	C3 w[8];
	const int K = kind == br_ccdVertexFace ? 3 : 4;
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		int first = kind == br_ccdVertexFace ? 0 : (k == 1 || k == 2);
		int second = kind == br_ccdVertexFace ? k + 1 : 2 + k / 2;
		w[k] = LANE(ccdSub)(start[first], start[second]);
		w[K + k] = LANE(ccdSub)(end[first], end[second]);
	}
	CV reach = {0};
	C3 n = {reach, reach, reach};
	BR_UNROLL
	for (int k = 0; k < 2 * K; ++k)
	{
		reach = LANE(ccdReach)(reach, w[k]);
		n = (C3){n.x + w[k].x, n.y + w[k].y, n.z + w[k].z};
	}
	n.x *= 0.5 / K, n.y *= 0.5 / K, n.z *= 0.5 / K;
	CV wideSeparation = CCD_ALL(separation), least;
	C3 corner;
	CM isGood = reach <= CCD_SIEVE_LARGEST;
	CM apart = LANE(ccdIsBeyond)(2 * K, w, n, reach, wideSeparation, &least, &corner);
	for (int32_t i = 0; i < 2 * sieve; ++i)
	{
		C3 edge = LANE(ccdSub)(corner, n);
		CV part = (LANE(ccdDot)(n, n) - least) / LANE(ccdDot)(edge, edge);
		part = CCD_MIN(part, CCD_ALL(1.0));
		n = LANE(ccdMulAdd)(n, part, edge);
		apart |= LANE(ccdIsBeyond)(2 * K, w, n, reach, wideSeparation, &least, &corner);
	}
	CM left = ~(apart & isGood);
	return LANE(brBits)(left) & ((1u << count) - 1u);
}

LANE_INLINE int32_t LANE(ccdSieveAll)(brCcdKind kind, int32_t sieve, const brCcdRecord* records, const brCcdItem* items,
									  int32_t* order, int32_t count, double separation)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < count; i += LANE_DOUBLES)
	{
		int32_t some = count - i < LANE_DOUBLES ? count - i : LANE_DOUBLES;
		uint32_t bits = LANE(ccdSieveSome)(kind, sieve, records, items, order + i, some, separation);
		for (; bits != 0; bits &= bits - 1)
		{
			order[kept++] = order[i + __builtin_ctz(bits)];
		}
	}
	return kept;
}

LANE_TARGET static int32_t LANE(ccdSieve)(brCcdKind kind, int32_t sieve, const brCcdRecord* records,
										  const brCcdItem* items, int32_t* order, int32_t count, double separation)
{
	// The kind and the number of directions become constants.
	if (kind == br_ccdVertexFace)
	{
		return sieve == 0 ? LANE(ccdSieveAll)(br_ccdVertexFace, 0, records, items, order, count, separation)
						  : LANE(ccdSieveAll)(br_ccdVertexFace, 1, records, items, order, count, separation);
	}
	return sieve == 0 ? LANE(ccdSieveAll)(br_ccdEdgeEdge, 0, records, items, order, count, separation)
					  : LANE(ccdSieveAll)(br_ccdEdgeEdge, 1, records, items, order, count, separation);
}

// The march

typedef struct LANE(CcdMarch)
{
	C3 start[4], end[4]; // the polygon at the ends of the step, scaled
	C3 corners[4];       // at `time`
	C3 aim;              // the direction at `time`
	CV time;             // certified until here; below 0: nothing yet
	CV gap;              // at `time`
	CV next;             // the time to try
	CV tolerance;
	CV separation; // scaled

	int32_t steps[LANE_DOUBLES];
} LANE(CcdMarch);

// The direction of length 1 that keeps the polygon farthest from the origin, and how far that is: across its plane, or
// towards the nearest point of its edges.
LANE_INLINE CV LANE(ccdFindAim)(int K, const C3* w, C3* outAim)
{
	const CV none = CCD_ALL(-INFINITY), one = CCD_ALL(1.0), zero = {0};
	C3 normal = LANE(ccdCross)(LANE(ccdSub)(w[1], w[0]), LANE(ccdSub)(w[K - 1], w[0]));
	CV low = LANE(ccdDot)(normal, w[0]), high = low;
	C3 nearest = {zero, zero, zero}, edge = nearest;
	CV nearestSq = CCD_ALL(INFINITY), edgeSq = one;
	CM isInner = {0};
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		CV d = LANE(ccdDot)(normal, w[k]);
		low = CCD_MIN(d, low), high = CCD_MAX(d, high);

		C3 e = LANE(ccdSub)(w[(k + 1) % K], w[k]);
		CV ee = LANE(ccdDot)(e, e), part = -LANE(ccdDot)(w[k], e) / ee;
		part = CCD_MAX(part, zero); // 0 for the 0 / 0 of an edge without length
		part = CCD_MIN(part, one);
		C3 c = LANE(ccdMulAdd)(w[k], part, e);
		CV cc = LANE(ccdDot)(c, c);
		CM isInside = (part > zero) & (part < one);
		CM isLess = cc < nearestSq;
		nearest = LANE(ccdSelect)(isLess, c, nearest);
		edge = LANE(ccdSelect)(isLess, e, edge);
		nearestSq = LANE(brChoose)(isLess, cc, nearestSq);
		edgeSq = LANE(brChoose)(isLess, ee, edgeSq);
		isInner = (isLess & isInside) | (~isLess & isInner);
	}
	// Square to the edge once more: the difference of nearly equal numbers was not quite.
	CV slip = LANE(brChoose)(isInner, LANE(ccdDot)(nearest, edge) / edgeSq, zero);
	nearest = LANE(ccdMulAdd)(nearest, -slip, edge);
	CV gap = LANE(ccdDot)(nearest, w[0]);
	BR_UNROLL
	for (int k = 1; k < K; ++k)
	{
		CV d = LANE(ccdDot)(nearest, w[k]);
		gap = CCD_MIN(d, gap);
	}
	CV length = LANE(brRoot)(LANE(ccdDot)(nearest, nearest)), normalLength = LANE(brRoot)(LANE(ccdDot)(normal, normal));
	gap = gap / length;
	CM isBehind = high + low < zero;
	CV planeGap = LANE(brChoose)(isBehind, -high, low) / normalLength;
	planeGap = LANE(brChoose)(planeGap > none, planeGap, none); // a flat polygon has no plane
	CM usePlane = ~(gap >= planeGap);
	CV scale = one / LANE(brChoose)(usePlane, LANE(brChoose)(isBehind, -normalLength, normalLength), length);
	C3 aim = LANE(ccdSelect)(usePlane, normal, nearest);
	*outAim = (C3){aim.x * scale, aim.y * scale, aim.z * scale};
	return LANE(brChoose)(usePlane, planeGap, gap);
}

// Puts a pair into a lane. False: the numbers are too large or none.
LANE_INLINE bool LANE(ccdBeginLane)(LANE(CcdMarch) * march, brCcdKind kind, const brCcdRecord* records,
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
			((double*)&march->start[k])[LANE_DOUBLES * axis + lane] = scale * (lift * w[0][k][axis]);
			((double*)&march->end[k])[LANE_DOUBLES * axis + lane] = scale * (lift * w[1][k][axis]);
		}
	}
	march->time[lane] = -1.0, march->next[lane] = 0.0, march->gap[lane] = 0.0;
	march->tolerance[lane] = tolerance;
	march->separation[lane] = scale * (lift * separation) * (1.0 + 0x1p-48);
	march->steps[lane] = 0;
	return true;
}

// One step of all lanes. Bits of lanes that arrived at the end, and of those that cannot go on.
LANE_INLINE void LANE(ccdStep)(LANE(CcdMarch) * march, int K, uint32_t* outApart, uint32_t* outStuck)
{
	const CV one = CCD_ALL(1.0), zero = {0};
	const CV time = march->time, next = march->next, oldGap = march->gap, tolerance = march->tolerance;
	const CV level = march->separation + CCD_ERROR;
	const C3 aim = march->aim;
	C3 w[4], nextAim;
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		w[k] = LANE(ccdMulAdd)(march->start[k], next, LANE(ccdSub)(march->end[k], march->start[k]));
		// The ends are as given, so that their rounding is not more than of a difference.
		w[k] = LANE(ccdSelect)(next >= one, march->end[k], w[k]);
	}
	CV gap = LANE(ccdFindAim)(K, w, &nextAim);
	CM isFirst = time<zero, isOpen = gap> level;
	CM isTurning = ~isFirst; // the middle coefficient, twice
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		isTurning &= LANE(ccdDot)(aim, w[k]) + LANE(ccdDot)(nextAim, march->corners[k]) > 2.0 * level;
	}
	CM passes = isOpen & (isFirst | isTurning);

	// When the gap closes, from its last change: beyond a contact it counts as negative.
	CV stride = next - time;
	CM isThrough = ~passes & (LANE(ccdDot)(aim, nextAim) < zero);
	CV closing = (oldGap - LANE(brChoose)(isThrough, -gap, gap)) / stride;
	CV room = LANE(brChoose)(passes, gap, oldGap) - march->separation;
	CV advance = LANE(brChoose)(closing > zero, room / closing, one);
	advance *= CCD_SHORT;
	CV half = 0.5 * stride;
	advance = LANE(brChoose)(passes, advance, CCD_MIN(advance, half));
	advance = LANE(brChoose)(isFirst, one, advance);
	advance = LANE(brChoose)(advance > 1.25 * tolerance, advance, tolerance);

	CM isStuck = ~passes & (isFirst | (stride <= 1.125 * tolerance));
	CM isApart = passes & (next >= one);
	*outStuck = LANE(brBits)(isStuck);
	*outApart = LANE(brBits)(isApart);
	CV newTime = LANE(brChoose)(passes, next, time);
	CV newNext = newTime + advance;
	march->time = newTime;
	march->next = CCD_MIN(newNext, one);
	march->gap = LANE(brChoose)(passes, gap, oldGap);
	march->aim = LANE(ccdSelect)(passes, nextAim, aim);
	BR_UNROLL
	for (int k = 0; k < K; ++k)
	{
		march->corners[k] = LANE(ccdSelect)(passes, w[k], march->corners[k]);
	}
}

LANE_INLINE void LANE(ccdSolveAll)(brCcdKind kind, const brCcdRecord* records, const brCcdItem* items,
								   const int32_t* order, int32_t count, double separation, double tolerance,
								   brCcdAnswer* outAnswers)
{
	LANE(CcdMarch) march = {0};
	uint32_t busy = 0;
	int32_t begun = 0, places[LANE_DOUBLES];
	const int K = kind == br_ccdVertexFace ? 3 : 4;
	for (;;)
	{
		// Fill the lanes that are free.
		for (uint32_t idle = ~busy & ((1u << LANE_DOUBLES) - 1u); idle != 0 && begun < count; ++begun)
		{
			int32_t lane = __builtin_ctz(idle);
			outAnswers[begun] = (brCcdAnswer){0.0, 1.0};
			if (LANE(ccdBeginLane)(&march, kind, records, items, order[begun], lane, separation, tolerance))
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
		LANE(ccdStep)(&march, K, &apart, &stuck);
		for (uint32_t ended = (apart | stuck) & busy; ended != 0; ended &= ended - 1)
		{
			int32_t lane = __builtin_ctz(ended);
			bool isApart = (apart >> lane & 1u) != 0;
			double time = march.time[lane] > 0.0 ? march.time[lane] : 0.0;
			outAnswers[places[lane]] = (brCcdAnswer){isApart ? 2.0 : time, isApart ? 0.0 : march.tolerance[lane]};
			busy &= ~(1u << lane);
		}
		for (int32_t lane = 0; lane < LANE_DOUBLES; ++lane)
		{
			march.steps[lane] += 1;
			if (march.steps[lane] % CCD_PATIENCE == 0)
			{
				march.tolerance[lane] *= 2.0;
			}
		}
	}
}

LANE_TARGET static void LANE(ccdSolve)(brCcdKind kind, const brCcdRecord* records, const brCcdItem* items,
									   const int32_t* order, int32_t count, double separation, double tolerance,
									   brCcdAnswer* outAnswers)
{
	if (kind == br_ccdVertexFace)
	{
		LANE(ccdSolveAll)(br_ccdVertexFace, records, items, order, count, separation, tolerance, outAnswers);
	}
	else
	{
		LANE(ccdSolveAll)(br_ccdEdgeEdge, records, items, order, count, separation, tolerance, outAnswers);
	}
}

static const brCcdKernels LANE(ccdKernels) = {LANE(ccdSieve), LANE(ccdSolve)};

#undef CV
#undef CM
#undef C3
#undef CCD_MIN
#undef CCD_MAX
#undef CCD_ALL
