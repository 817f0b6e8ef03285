// SPDX-License-Identifier: MIT

// The set of inner loops for processors with AVX2: a group of sixteen boxes is two registers a coordinate.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "index/wide_kernels.h"

#include <immintrin.h>

#define BR_AVX2 __attribute__((target("avx2,bmi,lzcnt,popcnt")))

// Doubles to the largest floats not above them.
BR_AVX2 static inline __m128 avx2RoundDown(__m256d x)
{
	__m128 f = _mm256_cvtpd_ps(x);
	__m256d isAbove64 = _mm256_cmp_pd(_mm256_cvtps_pd(f), x, _CMP_GT_OQ);
	// One step down where the nearest float was above: bits - 1 for positive, + 1 for negative numbers. A zero can only
	// be above a tiny negative number, whose float is -0 with the smallest negative float one step further.
	__m256i packed =
		_mm256_permutevar8x32_epi32(_mm256_castpd_si256(isAbove64), _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
	__m128i isAbove = _mm256_castsi256_si128(packed);
	__m128i bits = _mm_castps_si128(f);
	__m128i step = _mm_or_si128(_mm_srai_epi32(_mm_xor_si128(bits, _mm_set1_epi32(-1)), 31), _mm_set1_epi32(1));
	return _mm_castsi128_ps(_mm_add_epi32(bits, _mm_and_si128(step, isAbove)));
}

BR_AVX2 static void avx2BoxVertices(const brDVec3* positions, int32_t count, brTreeBox* outBoxes, brTreeBox* bounds)
{
	const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
	const __m256d signs = _mm256_set_pd(0.0, -0.0, -0.0, -0.0);
	__m256 all = _mm256_load_ps(bounds->lower);
	for (int32_t i = 0; i < count; ++i)
	{
		__m256d p = _mm256_maskload_pd(&positions[i].x, three);
		__m256 box = _mm256_set_m128(avx2RoundDown(_mm256_xor_pd(p, signs)), avx2RoundDown(p));
		_mm256_store_ps(outBoxes[i].lower, box);
		all = _mm256_min_ps(all, box);
	}
	_mm256_store_ps(bounds->lower, all);
}

BR_AVX2 static void avx2BoxTriangles(const brTreeBox* vertexBoxes, const int32_t (*triangles)[3], int32_t count,
									 brTreeBox* outBoxes)
{
	for (int32_t i = 0; i < count; ++i)
	{
		__m256 a = _mm256_load_ps(vertexBoxes[triangles[i][0]].lower);
		__m256 b = _mm256_load_ps(vertexBoxes[triangles[i][1]].lower);
		__m256 c = _mm256_load_ps(vertexBoxes[triangles[i][2]].lower);
		_mm256_store_ps(outBoxes[i].lower, _mm256_min_ps(_mm256_min_ps(a, b), c));
	}
}

BR_AVX2 static void avx2BoundBoxes(const brTreeBox* boxes, int32_t count, brTreeBox* bounds)
{
	__m256 all = _mm256_load_ps(bounds->lower);
	for (int32_t i = 0; i < count; ++i)
	{
		all = _mm256_min_ps(all, _mm256_load_ps(boxes[i].lower));
	}
	_mm256_store_ps(bounds->lower, all);
}

BR_AVX2 static inline __m128 avx2Center(const brTreeBox* box)
{
	const __m256 half = _mm256_set1_ps(0.5f);
	__m256 b = _mm256_mul_ps(_mm256_load_ps(box->lower), half);
	return _mm_sub_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
}

// Ten bits, two zeros after each.
BR_AVX2 static inline __m256i avx2Spread(__m256i x)
{
	x = _mm256_and_si256(_mm256_or_si256(x, _mm256_slli_epi32(x, 16)), _mm256_set1_epi32(0x030000FF));
	x = _mm256_and_si256(_mm256_or_si256(x, _mm256_slli_epi32(x, 8)), _mm256_set1_epi32(0x0300F00F));
	x = _mm256_and_si256(_mm256_or_si256(x, _mm256_slli_epi32(x, 4)), _mm256_set1_epi32(0x030C30C3));
	return _mm256_and_si256(_mm256_or_si256(x, _mm256_slli_epi32(x, 2)), _mm256_set1_epi32(0x09249249));
}

// One axis of one level of brCurveCode_Hilbert.
BR_AVX2 static inline void avx2Unturn(__m256i* x, __m256i* y, __m256i bit, __m256i low)
{
	__m256i isSet = _mm256_cmpeq_epi32(_mm256_and_si256(*y, bit), bit);
	__m256i swap = _mm256_and_si256(_mm256_xor_si256(*x, *y), low);
	*x = _mm256_xor_si256(*x, _mm256_blendv_epi8(swap, low, isSet));
	*y = _mm256_xor_si256(*y, _mm256_andnot_si256(isSet, swap));
}

BR_AVX2 static inline __m256i avx2Hilbert(__m256i x, __m256i y, __m256i z)
{
	BR_UNROLL
	for (int32_t k = BR_CURVE_AXIS_BITS - 1; k > 0; --k)
	{
		int32_t level = 1 << k;
		__m256i bit = _mm256_set1_epi32(level), low = _mm256_set1_epi32(level - 1);
		x = _mm256_xor_si256(x, _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_and_si256(x, bit), bit), low));
		avx2Unturn(&x, &y, bit, low);
		avx2Unturn(&x, &z, bit, low);
	}
	y = _mm256_xor_si256(y, x);
	z = _mm256_xor_si256(z, y);
	__m256i turns = _mm256_xor_si256(z, _mm256_srli_epi32(z, 1));
	turns = _mm256_xor_si256(turns, _mm256_srli_epi32(turns, 2));
	turns = _mm256_xor_si256(turns, _mm256_srli_epi32(turns, 4));
	turns = _mm256_srli_epi32(_mm256_xor_si256(turns, _mm256_srli_epi32(turns, 8)), 1);
	x = _mm256_slli_epi32(avx2Spread(_mm256_xor_si256(x, turns)), 2);
	y = _mm256_slli_epi32(avx2Spread(_mm256_xor_si256(y, turns)), 1);
	return _mm256_or_si256(_mm256_or_si256(x, y), avx2Spread(_mm256_xor_si256(z, turns)));
}

BR_AVX2 static inline __m256i avx2Cell(const float centers[8], float origin, float scale)
{
	__m256 place =
		_mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(centers), _mm256_set1_ps(origin)), _mm256_set1_ps(scale));
	place = _mm256_max_ps(place, _mm256_setzero_ps());
	return _mm256_cvttps_epi32(_mm256_min_ps(place, _mm256_set1_ps((float)((1 << BR_CURVE_AXIS_BITS) - 1))));
}

BR_AVX2 static void avx2CurveCodes(const brTreeBox* boxes, int32_t count, const brCurveGrid* grid, uint32_t* outCodes,
								   brCurveCounts* counts)
{
	for (int32_t i = 0; i < count; i += 8)
	{
		// At the end the last box is repeated and its extra codes are not kept.
		int32_t n = count - i < 8 ? count - i : 8;
		float centers[3][8];
		for (int32_t k = 0; k < 8; ++k)
		{
			float center[4];
			_mm_storeu_ps(center, avx2Center(&boxes[i + (k < n ? k : n - 1)]));
			centers[0][k] = center[0], centers[1][k] = center[1], centers[2][k] = center[2];
		}
		uint32_t codes[8];
		_mm256_storeu_si256((__m256i*)codes, avx2Hilbert(avx2Cell(centers[0], grid->origin[0], grid->scale[0]),
														 avx2Cell(centers[1], grid->origin[1], grid->scale[1]),
														 avx2Cell(centers[2], grid->origin[2], grid->scale[2])));
		for (int32_t k = 0; k < n; ++k)
		{
			uint32_t code = codes[k];
			outCodes[i + k] = code;
			counts->digits[0][code & (BR_CURVE_DIGITS - 1)] += 1;
			counts->digits[1][code >> BR_CURVE_DIGIT_BITS & (BR_CURVE_DIGITS - 1)] += 1;
			counts->digits[2][code >> (2 * BR_CURVE_DIGIT_BITS)] += 1;
		}
	}
}

// Eight boxes, side by side into lanes [at, at + 8) of a group. Returns their union.
BR_AVX2 static inline __m256 avx2Pack(const float* const rows[8], brLaneBoxes* group, int32_t at)
{
	__m256 r[8], all = _mm256_load_ps(rows[0]);
	BR_UNROLL
	for (int k = 0; k < 8; ++k)
	{
		r[k] = _mm256_load_ps(rows[k]);
		all = _mm256_min_ps(all, r[k]);
	}
	__m256 a[2][3];
	BR_UNROLL
	for (int half = 0; half < 2; ++half)
	{
		const __m256* q = r + 4 * half;
		__m256 xy01 = _mm256_unpacklo_ps(q[0], q[1]), xy23 = _mm256_unpacklo_ps(q[2], q[3]);
		__m256 z01 = _mm256_unpackhi_ps(q[0], q[1]), z23 = _mm256_unpackhi_ps(q[2], q[3]);
		a[half][0] = _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0));
		a[half][1] = _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2));
		a[half][2] = _mm256_shuffle_ps(z01, z23, _MM_SHUFFLE(1, 0, 1, 0));
	}
	const __m256 sign = _mm256_set1_ps(-0.0f);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		_mm256_store_ps(group->lower[k] + at, _mm256_permute2f128_ps(a[0][k], a[1][k], 0x20));
		_mm256_store_ps(group->upper[k] + at, _mm256_xor_ps(_mm256_permute2f128_ps(a[0][k], a[1][k], 0x31), sign));
	}
	return all;
}

BR_AVX2 static void avx2PackGroups(const brTreeBox* boxes, const uint32_t* order, int32_t count, brLaneBoxes* outGroups,
								   brTreeBox* outGroupBoxes)
{
	const int32_t ahead = 64; // boxes fetched in advance: they lie scattered
	const brTreeBox empty = brMakeTreeBoxEmpty();
	const float* rows[BR_WIDE_ARITY];
	for (int32_t first = 0; first < count; first += BR_WIDE_ARITY)
	{
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			int32_t i = first + lane;
			if (order != NULL && i + ahead < count)
			{
				_mm_prefetch((const char*)&boxes[order[i + ahead]], _MM_HINT_T0);
			}
			rows[lane] = i >= count ? empty.lower : boxes[order != NULL ? order[i] : (uint32_t)i].lower;
		}
		brLaneBoxes* group = &outGroups[first / BR_WIDE_ARITY];
		__m256 all = _mm256_min_ps(avx2Pack(rows, group, 0), avx2Pack(rows + 8, group, 8));
		_mm256_store_ps(outGroupBoxes[first / BR_WIDE_ARITY].lower, all);
	}
}

// The walk

#define BR_WIDE_NAME(name) avx2_##name
#define BR_WIDE_TARGET BR_AVX2

BR_AVX2 static inline uint32_t avx2_test(const brLaneBoxes* group, const brLaneBoxes* box, int32_t lane)
{
	__m256 low = _mm256_cmp_ps(_mm256_load_ps(group->lower[0]), _mm256_set1_ps(box->upper[0][lane]), _CMP_LE_OQ);
	__m256 high = _mm256_cmp_ps(_mm256_load_ps(group->lower[0] + 8), _mm256_set1_ps(box->upper[0][lane]), _CMP_LE_OQ);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		__m256 upper = _mm256_set1_ps(box->upper[k][lane]), lower = _mm256_set1_ps(box->lower[k][lane]);
		if (k > 0)
		{
			low = _mm256_and_ps(low, _mm256_cmp_ps(_mm256_load_ps(group->lower[k]), upper, _CMP_LE_OQ));
			high = _mm256_and_ps(high, _mm256_cmp_ps(_mm256_load_ps(group->lower[k] + 8), upper, _CMP_LE_OQ));
		}
		low = _mm256_and_ps(low, _mm256_cmp_ps(_mm256_load_ps(group->upper[k]), lower, _CMP_GE_OQ));
		high = _mm256_and_ps(high, _mm256_cmp_ps(_mm256_load_ps(group->upper[k] + 8), lower, _CMP_GE_OQ));
	}
	return (uint32_t)_mm256_movemask_ps(low) | (uint32_t)_mm256_movemask_ps(high) << 8;
}

#include "index/wide_lane_by_lane.h"
#include "index/wide_query.h"

#include "index/wide_filter.h"

#undef BR_WIDE_NAME
#undef BR_WIDE_TARGET

const brWideKernels brWideKernelsAvx2 = {
	.name = "avx2",
	.lanes = 8,
	.boxVertices = avx2BoxVertices,
	.boxTriangles = avx2BoxTriangles,
	.boundBoxes = avx2BoundBoxes,
	.curveCodes = avx2CurveCodes,
	.packGroups = avx2PackGroups,
	.packTriangles = brPackTrianglesScalar,
	.findPairs = avx2_findPairs,
	.findTriangles = avx2_findTriangles,
};

#else
typedef int brNoAvx2; // a file may not be empty
#endif
