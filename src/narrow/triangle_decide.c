// SPDX-License-Identifier: MIT

// Signs of volumes with a certain bound, eight pairs at a time.
//
// The six sides (corners of each triangle against the plane of the other) are determinants of differences from one
// corner
// of the plane's triangle, so the bound of the orientation predicate holds: |error| <= 8 u times the sum of the absolute
// values of the products. A sign is known if the value is beyond the bound. With known sides:
//   no corner shared   - all on one side: apart. Else the intervals on the common line are compared by two more volumes
//                        (Guigue and Devillers 2003).
//   one corner shared  - all others on one side: nothing else in common. Else the four sides are the coefficients of the
//                        dependency of the four edges at that corner, and their signs decide (see triangle_pair.c).
//   two corners shared - the third off the plane: nothing else in common.
// Whatever is not known, coplanar or flat is handed on.

#include "narrow/triangle_decide.h"

#include "math/predicates.h"

#if defined(__x86_64__) && !defined(BR_SCALAR)
#include <immintrin.h>

#define BR_DECIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")))

typedef struct Decide3
{
	__m512d x, y, z;
} Decide3;

// Signs that are known.
typedef struct DecideSign
{
	__mmask8 above, below;
} DecideSign;

// Two positions, one to a half: x, y, z, 0.
BR_DECIDE static inline __m512d decideLoad(const brDVec3* a, const brDVec3* b)
{
	__m512d low = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, &a->x));
	return _mm512_insertf64x4(low, _mm256_maskz_loadu_pd(7, &b->x), 1);
}

// Eight positions, axis by axis. Loads and shuffles: a gather costs four times as much.
BR_DECIDE static inline Decide3 decideGather(const brDVec3* p, const int32_t v[8])
{
	__m512d r0 = decideLoad(&p[v[0]], &p[v[4]]), r1 = decideLoad(&p[v[1]], &p[v[5]]);
	__m512d r2 = decideLoad(&p[v[2]], &p[v[6]]), r3 = decideLoad(&p[v[3]], &p[v[7]]);
	__m512d xz01 = _mm512_unpacklo_pd(r0, r1), xz23 = _mm512_unpacklo_pd(r2, r3);
	__m512d y01 = _mm512_unpackhi_pd(r0, r1), y23 = _mm512_unpackhi_pd(r2, r3);
	const __m512i first = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
	const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
	return (Decide3){_mm512_permutex2var_pd(xz01, first, xz23), _mm512_permutex2var_pd(y01, first, y23),
					 _mm512_permutex2var_pd(xz01, second, xz23)};
}

BR_DECIDE static inline Decide3 decideSub(Decide3 a, Decide3 b)
{
	return (Decide3){_mm512_sub_pd(a.x, b.x), _mm512_sub_pd(a.y, b.y), _mm512_sub_pd(a.z, b.z)};
}

BR_DECIDE static inline Decide3 decideSelect(__mmask8 mask, Decide3 a, Decide3 b)
{
	return (Decide3){_mm512_mask_blend_pd(mask, a.x, b.x), _mm512_mask_blend_pd(mask, a.y, b.y),
					 _mm512_mask_blend_pd(mask, a.z, b.z)};
}

// Cross product of two edges, and the sums of the absolute values of its products.
BR_DECIDE static inline void decideCross(Decide3 e, Decide3 f, Decide3* outCross, Decide3* outSize)
{
	__m512d yz = _mm512_mul_pd(e.y, f.z), zy = _mm512_mul_pd(e.z, f.y);
	__m512d zx = _mm512_mul_pd(e.z, f.x), xz = _mm512_mul_pd(e.x, f.z);
	__m512d xy = _mm512_mul_pd(e.x, f.y), yx = _mm512_mul_pd(e.y, f.x);
	*outCross = (Decide3){_mm512_sub_pd(yz, zy), _mm512_sub_pd(zx, xz), _mm512_sub_pd(xy, yx)};
	*outSize = (Decide3){_mm512_add_pd(_mm512_abs_pd(yz), _mm512_abs_pd(zy)),
						 _mm512_add_pd(_mm512_abs_pd(zx), _mm512_abs_pd(xz)),
						 _mm512_add_pd(_mm512_abs_pd(xy), _mm512_abs_pd(yx))};
}

BR_DECIDE static inline DecideSign decideSign(Decide3 cross, Decide3 size, Decide3 d)
{
	__m512d ax = _mm512_abs_pd(d.x), ay = _mm512_abs_pd(d.y), az = _mm512_abs_pd(d.z);
	__m512d value = _mm512_add_pd(_mm512_add_pd(_mm512_mul_pd(cross.x, d.x), _mm512_mul_pd(cross.y, d.y)),
								  _mm512_mul_pd(cross.z, d.z));
	__m512d sum =
		_mm512_add_pd(_mm512_add_pd(_mm512_mul_pd(size.x, ax), _mm512_mul_pd(size.y, ay)), _mm512_mul_pd(size.z, az));
	__m512d reach = _mm512_add_pd(_mm512_add_pd(ax, ay), _mm512_add_pd(az, _mm512_set1_pd(1.0)));
	__m512d bound = _mm512_add_pd(_mm512_mul_pd(sum, _mm512_set1_pd(8.0 * BR_PREDICATE_U)),
								  _mm512_mul_pd(reach, _mm512_set1_pd(BR_PREDICATE_TINY)));
	__m512d negative = _mm512_sub_pd(_mm512_setzero_pd(), bound);
	return (DecideSign){_mm512_cmp_pd_mask(value, bound, _CMP_GT_OQ), _mm512_cmp_pd_mask(value, negative, _CMP_LT_OQ)};
}

// Sign of the volume of a, b, c, d, all from a.
BR_DECIDE static inline DecideSign decideVolume(Decide3 a, Decide3 b, Decide3 c, Decide3 d)
{
	Decide3 cross, size;
	decideCross(decideSub(b, a), decideSub(c, a), &cross, &size);
	return decideSign(cross, size, decideSub(d, a));
}

// Sides of three corners of the plane of t.
BR_DECIDE static inline void decideSides(const Decide3 t[3], const Decide3 corners[3], DecideSign outSides[3])
{
	Decide3 cross, size;
	decideCross(decideSub(t[1], t[0]), decideSub(t[2], t[0]), &cross, &size);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		outSides[k] = decideSign(cross, size, decideSub(corners[k], t[0]));
	}
}

// Pairs whose corners, shared ones left out, are all on one side; not those that share all three.
static inline uint32_t decideOneSided(const DecideSign sides[3], const uint32_t shared[3])
{
	uint32_t above = 255, below = 255;
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
BR_DECIDE static inline void decideRotate(const Decide3 t[3], const DecideSign sides[3], Decide3 out[3],
										  uint32_t* outAbove)
{
	uint32_t a0 = sides[0].above, a1 = sides[1].above, a2 = sides[2].above;
	__mmask8 isFirst = (__mmask8) ~(a1 ^ a2), isSecond = (__mmask8)(~(a0 ^ a2) & (a1 ^ a2));
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		Decide3 second = decideSelect(isSecond, t[(k + 2) % 3], t[(k + 1) % 3]);
		out[k] = decideSelect(isFirst, second, t[k]);
	}
	*outAbove = (isFirst & a0) | (isSecond & a1) | (~(uint32_t)(isFirst | isSecond) & a2);
}

// Pairs of properly crossing triangles: which intervals meet, and for which that is known.
BR_DECIDE static inline void decideIntervals(const Decide3 a[3], const DecideSign sideOfB[3], const Decide3 b[3],
											 const DecideSign sideOfA[3], uint32_t* outMeets, uint32_t* outKnown)
{
	Decide3 p[3], s[3];
	uint32_t isAboveB, isAboveA;
	decideRotate(a, sideOfB, p, &isAboveB);
	decideRotate(b, sideOfA, s, &isAboveA);
	// As in triangle_pair.c: a lone corner below turns the other triangle over.
	__mmask8 flipA = (__mmask8)~isAboveA, flipB = (__mmask8)~isAboveB;
	Decide3 q = decideSelect(flipA, p[1], p[2]), r = decideSelect(flipA, p[2], p[1]);
	Decide3 t = decideSelect(flipB, s[1], s[2]), u = decideSelect(flipB, s[2], s[1]);
	DecideSign first = decideVolume(p[0], q, s[0], t), second = decideVolume(p[0], r, u, s[0]);
	*outMeets = first.below & second.below;
	*outKnown = *outMeets | first.above | second.above;
}

BR_DECIDE static void decideAvx512(const brDVec3* positions, const int32_t (*triangles)[3], const brPair* pairs,
								   int32_t count, brNeighborRule rule, uint32_t* outMeets, uint32_t* outUnsure)
{
	// Pairs past the end repeat the last.
	int32_t ids[2][8];
	for (int32_t i = 0; i < 8; ++i)
	{
		brPair pair = pairs[i < count ? i : count - 1];
		ids[0][i] = pair.a, ids[1][i] = pair.b;
	}
	__m256i va[3], vb[3];
	Decide3 a[3], b[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		int32_t corners[2][8];
		for (int32_t i = 0; i < 8; ++i)
		{
			corners[0][i] = triangles[ids[0][i]][k], corners[1][i] = triangles[ids[1][i]][k];
		}
		va[k] = _mm256_loadu_si256((const __m256i*)corners[0]);
		vb[k] = _mm256_loadu_si256((const __m256i*)corners[1]);
		a[k] = decideGather(positions, corners[0]);
		b[k] = decideGather(positions, corners[1]);
	}
	uint32_t sharedA[3] = {0, 0, 0}, sharedB[3] = {0, 0, 0};
	BR_UNROLL
	for (int i = 0; i < 3 && rule != br_neighborsKeep; ++i)
	{
		BR_UNROLL
		for (int j = 0; j < 3; ++j)
		{
			uint32_t same = _mm256_cmpeq_epi32_mask(va[i], vb[j]);
			sharedA[i] |= same, sharedB[j] |= same;
		}
	}
	DecideSign sideOfA[3], sideOfB[3];
	decideSides(a, b, sideOfA);
	decideSides(b, a, sideOfB);
	uint32_t isNeighbor = sharedA[0] | sharedA[1] | sharedA[2];
	uint32_t isSettled = decideOneSided(sideOfA, sharedB) | decideOneSided(sideOfB, sharedA);
	isSettled |= rule == br_neighborsSkip ? isNeighbor : 0;

	// No corner shared and all sides known.
	uint32_t known = 255;
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
		decideIntervals(a, sideOfB, b, sideOfA, &intervalMeets, &intervalKnown);
		meets |= crossing & intervalMeets;
		isSettled |= crossing & intervalKnown;
	}

	// One corner shared: with others on both sides both ways, the corner after next of a and the next of b agree.
	uint32_t oneA = (sharedA[0] ^ sharedA[1] ^ sharedA[2]) & ~(sharedA[0] & sharedA[1] & sharedA[2]);
	uint32_t oneB = (sharedB[0] ^ sharedB[1] ^ sharedB[2]) & ~(sharedB[0] & sharedB[1] & sharedB[2]);
	uint32_t cones = known & oneA & oneB & ~isSettled;
	uint32_t above = 255, below = 255;
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
#endif

brDecideTrianglesFcn* brGetDecideTriangles(int32_t lanes)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	if (brGetWideKernels(lanes)->lanes == 16)
	{
		return decideAvx512;
	}
#else
	(void)lanes;
#endif
	return NULL;
}
