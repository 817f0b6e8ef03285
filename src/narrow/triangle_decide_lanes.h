// SPDX-License-Identifier: MIT

// Signs of volumes with a certain bound, in triangle_decide.c once for each set of lanes (base/lanes.h): LANE_DOUBLES
// pairs side by side. Masks are bits, one a lane.

#define DV LANE(brDoubles)
#define D3 LANE(Decide3)

typedef struct D3
{
	DV x, y, z;
} D3;

#if LANE_BYTES == 64
// Two positions, one to a half: x, y, z, 0.
LANE_INLINE __m512d LANE(decideLoad)(const brDVec3* a, const brDVec3* b)
{
	__m512d low = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, &a->x));
	return _mm512_insertf64x4(low, _mm256_maskz_loadu_pd(7, &b->x), 1);
}

// Eight positions, axis by axis. Loads and shuffles: a gather costs four times as much.
LANE_INLINE D3 LANE(decideGather)(const brDVec3* p, const int32_t v[8])
{
	__m512d r0 = LANE(decideLoad)(&p[v[0]], &p[v[4]]), r1 = LANE(decideLoad)(&p[v[1]], &p[v[5]]);
	__m512d r2 = LANE(decideLoad)(&p[v[2]], &p[v[6]]), r3 = LANE(decideLoad)(&p[v[3]], &p[v[7]]);
	__m512d xz01 = _mm512_unpacklo_pd(r0, r1), xz23 = _mm512_unpacklo_pd(r2, r3);
	__m512d y01 = _mm512_unpackhi_pd(r0, r1), y23 = _mm512_unpackhi_pd(r2, r3);
	const __m512i first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
	const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
	return (D3){(DV)_mm512_permutex2var_pd(xz01, first, xz23), (DV)_mm512_permutex2var_pd(y01, first, y23),
				(DV)_mm512_permutex2var_pd(xz01, second, xz23)};
}
#else
// Positions, axis by axis.
LANE_INLINE D3 LANE(decideGather)(const brDVec3* p, const int32_t* v)
{
#if LANE_BYTES == 32
	const brDVec3 *a = &p[v[0]], *b = &p[v[1]], *c = &p[v[2]], *d = &p[v[3]];
	return (D3){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
#else
	const brDVec3 *a = &p[v[0]], *b = &p[v[1]];
	return (D3){{a->x, b->x}, {a->y, b->y}, {a->z, b->z}};
#endif
}
#endif

LANE_INLINE D3 LANE(decideSub)(D3 a, D3 b)
{
	return (D3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// b where the bit of a lane is set, else a.
LANE_INLINE D3 LANE(decideSelect)(uint32_t bits, D3 a, D3 b)
{
	LANE(brLongs) mask = LANE(brMaskOf)(bits);
	return (D3){LANE(brChoose)(mask, b.x, a.x), LANE(brChoose)(mask, b.y, a.y), LANE(brChoose)(mask, b.z, a.z)};
}

// Cross product of two edges, and the sums of the absolute values of its products.
LANE_INLINE void LANE(decideCross)(D3 e, D3 f, D3* outCross, D3* outSize)
{
	DV yz = e.y * f.z, zy = e.z * f.y, zx = e.z * f.x, xz = e.x * f.z, xy = e.x * f.y, yx = e.y * f.x;
	*outCross = (D3){yz - zy, zx - xz, xy - yx};
	*outSize =
		(D3){LANE(brAbs)(yz) + LANE(brAbs)(zy), LANE(brAbs)(zx) + LANE(brAbs)(xz), LANE(brAbs)(xy) + LANE(brAbs)(yx)};
}

LANE_INLINE DecideSign LANE(decideSign)(D3 cross, D3 size, D3 d)
{
	DV ax = LANE(brAbs)(d.x), ay = LANE(brAbs)(d.y), az = LANE(brAbs)(d.z);
	DV value = cross.x * d.x + cross.y * d.y + cross.z * d.z;
	DV sum = size.x * ax + size.y * ay + size.z * az, reach = (ax + ay) + (az + 1.0);
	DV bound = sum * (8.0 * BR_PREDICATE_U) + reach * BR_PREDICATE_TINY;
	return (DecideSign){LANE(brMoreBits)(value, bound), LANE(brMoreBits)(-bound, value)};
}

// Sign of the volume of a, b, c, d, all from a.
LANE_INLINE DecideSign LANE(decideVolume)(D3 a, D3 b, D3 c, D3 d)
{
	D3 cross, size;
	LANE(decideCross)(LANE(decideSub)(b, a), LANE(decideSub)(c, a), &cross, &size);
	return LANE(decideSign)(cross, size, LANE(decideSub)(d, a));
}

// Sides of three corners of the plane of t.
LANE_INLINE void LANE(decideSides)(const D3 t[3], const D3 corners[3], DecideSign outSides[3])
{
	D3 cross, size;
	LANE(decideCross)(LANE(decideSub)(t[1], t[0]), LANE(decideSub)(t[2], t[0]), &cross, &size);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		outSides[k] = LANE(decideSign)(cross, size, LANE(decideSub)(corners[k], t[0]));
	}
}

// Pairs whose corners, shared ones left out, are all on one side; not those that share all three.
LANE_INLINE uint32_t LANE(decideOneSided)(const DecideSign sides[3], const uint32_t shared[3])
{
	uint32_t above = ~0u, below = ~0u;
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		above &= sides[k].above | shared[k];
		below &= sides[k].below | shared[k];
	}
	return (above | below) & ~(shared[0] & shared[1] & shared[2]);
}

// Moves the corner that is alone on its side to the front, keeping the turn, and tells whether it is above. The sides
// are known and not all the same.
LANE_INLINE void LANE(decideRotate)(const D3 t[3], const DecideSign sides[3], D3 out[3], uint32_t* outAbove)
{
	uint32_t a0 = sides[0].above, a1 = sides[1].above, a2 = sides[2].above;
	uint32_t isFirst = ~(a1 ^ a2), isSecond = ~(a0 ^ a2) & (a1 ^ a2);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		D3 second = LANE(decideSelect)(isSecond, t[(k + 2) % 3], t[(k + 1) % 3]);
		out[k] = LANE(decideSelect)(isFirst, second, t[k]);
	}
	*outAbove = (isFirst & a0) | (isSecond & a1) | (~(isFirst | isSecond) & a2);
}

// Pairs of properly crossing triangles: which intervals meet, and for which that is known.
LANE_INLINE void LANE(decideIntervals)(const D3 a[3], const DecideSign sideOfB[3], const D3 b[3],
									   const DecideSign sideOfA[3], uint32_t* outMeets, uint32_t* outKnown)
{
	D3 p[3], s[3];
	uint32_t isAboveB, isAboveA;
	LANE(decideRotate)(a, sideOfB, p, &isAboveB);
	LANE(decideRotate)(b, sideOfA, s, &isAboveA);
	// As in triangle_pair.c: a lone corner below turns the other triangle over.
	uint32_t flipA = ~isAboveA, flipB = ~isAboveB;
	D3 q = LANE(decideSelect)(flipA, p[1], p[2]), r = LANE(decideSelect)(flipA, p[2], p[1]);
	D3 t = LANE(decideSelect)(flipB, s[1], s[2]), u = LANE(decideSelect)(flipB, s[2], s[1]);
	DecideSign first = LANE(decideVolume)(p[0], q, s[0], t), second = LANE(decideVolume)(p[0], r, u, s[0]);
	*outMeets = first.below & second.below;
	*outKnown = *outMeets | first.above | second.above;
}

LANE_INLINE void LANE(decideSome)(const brDVec3* positions, const int32_t (*triangles)[3], const brPair* pairs,
								  int32_t count, brNeighborRule rule, uint32_t* outMeets, uint32_t* outUnsure)
{
	// Pairs past the end repeat the last.
	int32_t ids[2][LANE_DOUBLES];
	for (int32_t i = 0; i < LANE_DOUBLES; ++i)
	{
		brPair pair = pairs[i < count ? i : count - 1];
		ids[0][i] = pair.a, ids[1][i] = pair.b;
	}
	int32_t va[3][LANE_DOUBLES], vb[3][LANE_DOUBLES];
	D3 a[3], b[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		for (int32_t i = 0; i < LANE_DOUBLES; ++i)
		{
			va[k][i] = triangles[ids[0][i]][k], vb[k][i] = triangles[ids[1][i]][k];
		}
		a[k] = LANE(decideGather)(positions, va[k]);
		b[k] = LANE(decideGather)(positions, vb[k]);
	}
	uint32_t sharedA[3] = {0, 0, 0}, sharedB[3] = {0, 0, 0};
	BR_UNROLL
	for (int i = 0; i < 3 && rule != br_neighborsKeep; ++i)
	{
		BR_UNROLL
		for (int j = 0; j < 3; ++j)
		{
			uint32_t same = LANE(brSameBits)(va[i], vb[j]);
			sharedA[i] |= same, sharedB[j] |= same;
		}
	}
	DecideSign sideOfA[3], sideOfB[3];
	LANE(decideSides)(a, b, sideOfA);
	LANE(decideSides)(b, a, sideOfB);
	uint32_t isNeighbor = sharedA[0] | sharedA[1] | sharedA[2];
	uint32_t isSettled = LANE(decideOneSided)(sideOfA, sharedB) | LANE(decideOneSided)(sideOfB, sharedA);
	isSettled |= rule == br_neighborsSkip ? isNeighbor : 0;

	// No corner shared and all sides known.
	uint32_t known = ~0u;
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		known &=
			(sideOfA[k].above | sideOfA[k].below | sharedB[k]) & (sideOfB[k].above | sideOfB[k].below | sharedA[k]);
	}
	uint32_t meets = 0, crossing = known & ~isNeighbor & ~isSettled;
	if (crossing != 0)
	{
		uint32_t intervalMeets, intervalKnown;
		LANE(decideIntervals)(a, sideOfB, b, sideOfA, &intervalMeets, &intervalKnown);
		meets |= crossing & intervalMeets;
		isSettled |= crossing & intervalKnown;
	}

	// One corner shared: with others on both sides both ways, the corner after next of a and the next of b agree.
	uint32_t oneA = (sharedA[0] ^ sharedA[1] ^ sharedA[2]) & ~(sharedA[0] & sharedA[1] & sharedA[2]);
	uint32_t oneB = (sharedB[0] ^ sharedB[1] ^ sharedB[2]) & ~(sharedB[0] & sharedB[1] & sharedB[2]);
	uint32_t cones = known & oneA & oneB & ~isSettled;
	uint32_t above = ~0u, below = ~0u;
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		above &= ~sharedA[k] | sideOfB[(k + 2) % 3].above;
		below &= ~sharedA[k] | sideOfB[(k + 2) % 3].below;
		above &= ~sharedB[k] | sideOfA[(k + 1) % 3].above;
		below &= ~sharedB[k] | sideOfA[(k + 1) % 3].below;
	}
	meets |= cones & (above | below);
	isSettled |= cones;

	uint32_t wanted = (1u << count) - 1u;
	*outMeets = meets & wanted;
	*outUnsure = ~isSettled & wanted;
}

LANE_TARGET static void LANE(decide)(const brDVec3* positions, const int32_t (*triangles)[3], const brPair* pairs,
									 int32_t count, brNeighborRule rule, uint32_t* outMeets, uint32_t* outUnsure)
{
	*outMeets = *outUnsure = 0;
	for (int32_t i = 0; i < count; i += LANE_DOUBLES)
	{
		uint32_t meets, unsure;
		int32_t some = count - i < LANE_DOUBLES ? count - i : LANE_DOUBLES;
		LANE(decideSome)(positions, triangles, pairs + i, some, rule, &meets, &unsure);
		*outMeets |= meets << i;
		*outUnsure |= unsure << i;
	}
}

#undef DV
#undef D3
