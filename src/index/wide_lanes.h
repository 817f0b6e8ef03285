// SPDX-License-Identifier: MIT

// The inner loops of the trees, eight boxes in one go, in wide_lanes.c once for each set of lanes (base/lanes.h).

// Boxes

LANE_INLINE brFloat8 LANE(wideLoad)(const float* eight)
{
	return *(const brFloat8*)(const void*)eight;
}

LANE_INLINE void LANE(wideStore)(float* eight, brFloat8 values)
{
	*(brFloat8*)(void*)eight = values;
}

LANE_TARGET static void LANE(wideBoxVertices)(const brDVec3* positions, int32_t count, brTreeBox* outBoxes,
											  brTreeBox* bounds)
{
	brFloat8 all = LANE(wideLoad)(bounds->lower);
	for (int32_t i = 0; i < count; ++i)
	{
#if LANE_BYTES == 64
		// x y z 0 -x -y -z 0, rounded down: the float below x, and the negated float above it.
		const __m512d signs = _mm512_set_pd(0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0);
		__m256d p = _mm256_maskz_loadu_pd(7, &positions[i].x);
		__m512d both = _mm512_xor_pd(_mm512_broadcast_f64x4(p), signs);
		brFloat8 box = (brFloat8)_mm512_cvt_roundpd_ps(both, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
		brDVec3 p = positions[i];
		brFloat8 box = {wideRoundDown(p.x),  wideRoundDown(p.y),  wideRoundDown(p.z),  0.0f,
						wideRoundDown(-p.x), wideRoundDown(-p.y), wideRoundDown(-p.z), 0.0f};
#endif
		LANE(wideStore)(outBoxes[i].lower, box);
		all = LANE(brMin8)(all, box);
	}
	LANE(wideStore)(bounds->lower, all);
}

LANE_TARGET static void LANE(wideBoxTriangles)(const brTreeBox* vertexBoxes, const int32_t (*triangles)[3],
											   int32_t count, brTreeBox* outBoxes)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brFloat8 a = LANE(wideLoad)(vertexBoxes[triangles[i][0]].lower);
		brFloat8 b = LANE(wideLoad)(vertexBoxes[triangles[i][1]].lower);
		brFloat8 c = LANE(wideLoad)(vertexBoxes[triangles[i][2]].lower);
		LANE(wideStore)(outBoxes[i].lower, LANE(brMin8)(LANE(brMin8)(a, b), c));
	}
}

LANE_TARGET static void LANE(wideBoundBoxes)(const brTreeBox* boxes, int32_t count, brTreeBox* bounds)
{
	brFloat8 all = LANE(wideLoad)(bounds->lower);
	for (int32_t i = 0; i < count; ++i)
	{
		all = LANE(brMin8)(all, LANE(wideLoad)(boxes[i].lower));
	}
	LANE(wideStore)(bounds->lower, all);
}

// Codes along the curve

// As many cells as fit a register, eight at least.
#if LANE_BYTES == 64
#define WIDE_INTS brInt16
#define WIDE_CODES 16
#define WIDE_JOIN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#else
#define WIDE_INTS brInt8
#define WIDE_CODES 8
#define WIDE_JOIN(a, b) (a)
#endif

// Ten bits, two zeros after each.
LANE_INLINE WIDE_INTS LANE(wideSpread)(WIDE_INTS x)
{
	x = (x | x << 16) & 0x030000FF;
	x = (x | x << 8) & 0x0300F00F;
	x = (x | x << 4) & 0x030C30C3;
	return (x | x << 2) & 0x09249249;
}

// brCurveCode_Hilbert of several cells.
LANE_INLINE WIDE_INTS LANE(wideHilbert)(WIDE_INTS x, WIDE_INTS y, WIDE_INTS z)
{
	BR_UNROLL
	for (int32_t k = BR_CURVE_AXIS_BITS - 1; k > 0; --k)
	{
		// All bits of a lane where bit k is set, else none.
		const int32_t low = (1 << k) - 1;
		x ^= (x << (31 - k) >> 31) & low;
		WIDE_INTS isSet = y << (31 - k) >> 31, swap = (x ^ y) & low;
		x ^= (isSet & low) | (~isSet & swap);
		y ^= ~isSet & swap;
		isSet = z << (31 - k) >> 31, swap = (x ^ z) & low;
		x ^= (isSet & low) | (~isSet & swap);
		z ^= ~isSet & swap;
	}
	y ^= x;
	z ^= y;
	WIDE_INTS turns = z ^ z >> 1;
	turns ^= turns >> 2;
	turns ^= turns >> 4;
	turns = (turns ^ turns >> 8) >> 1;
	return LANE(wideSpread)(x ^ turns) << 2 | LANE(wideSpread)(y ^ turns) << 1 | LANE(wideSpread)(z ^ turns);
}

LANE_INLINE brInt8 LANE(wideCell)(brFloat8 center, float origin, float scale)
{
	const brFloat8 zero = {0}, top = LANE(brSplat8)((float)((1 << BR_CURVE_AXIS_BITS) - 1));
	brFloat8 place = (center - LANE(brSplat8)(origin)) * LANE(brSplat8)(scale);
	return __builtin_convertvector(LANE(brMin8)(LANE(brMax8)(place, zero), top), brInt8);
}

LANE_TARGET static void LANE(wideCurveCodes)(const brTreeBox* boxes, int32_t count, const brCurveGrid* grid,
											 uint32_t* outCodes, brCurveCounts* counts)
{
	enum
	{
		last = WIDE_CODES / 8 - 1
	};
	for (int32_t i = 0; i < count; i += WIDE_CODES)
	{
		// At the end the last box is repeated and its extra codes are not kept.
		int32_t n = count - i < WIDE_CODES ? count - i : WIDE_CODES;
		brInt8 cells[3][last + 1];
		BR_UNROLL
		for (int32_t eight = 0; eight <= last; ++eight)
		{
			brFloat8 r[8];
			BR_UNROLL
			for (int32_t k = 0; k < 8; ++k)
			{
				int32_t at = 8 * eight + k < n ? 8 * eight + k : n - 1;
				r[k] = LANE(wideLoad)(boxes[i + at].lower) * LANE(brSplat8)(0.5f);
			}
			LANE(brTranspose8)(r);
			BR_UNROLL
			for (int32_t k = 0; k < 3; ++k)
			{
				cells[k][eight] = LANE(wideCell)(r[k] - r[k + 4], grid->origin[k], grid->scale[k]);
			}
		}
		WIDE_INTS codes =
			LANE(wideHilbert)(WIDE_JOIN(cells[0][0], cells[0][last]), WIDE_JOIN(cells[1][0], cells[1][last]),
							  WIDE_JOIN(cells[2][0], cells[2][last]));
		for (int32_t k = 0; k < n; ++k)
		{
			uint32_t code = (uint32_t)codes[k];
			outCodes[i + k] = code;
			counts->digits[0][code & (BR_CURVE_DIGITS - 1)] += 1;
			counts->digits[1][code >> BR_CURVE_DIGIT_BITS & (BR_CURVE_DIGITS - 1)] += 1;
			counts->digits[2][code >> (2 * BR_CURVE_DIGIT_BITS)] += 1;
		}
	}
}

#define BR_WIDE_NAME(name) LANE(wide_##name)
#define BR_WIDE_TARGET LANE_TARGET

#if LANE_BYTES == 64
#include "index/wide_avx512.h"
#else

// Groups

// Eight boxes, side by side into lanes [at, at + 8) of a group. Returns their union.
LANE_INLINE brFloat8 LANE(widePack)(const float* const rows[8], brLaneBoxes* group, int32_t at)
{
	brFloat8 r[8], all = LANE(wideLoad)(rows[0]);
	for (int k = 0; k < 8; ++k)
	{
		r[k] = LANE(wideLoad)(rows[k]);
		all = LANE(brMin8)(all, r[k]);
	}
	LANE(brTranspose8)(r);
	for (int k = 0; k < 3; ++k)
	{
		LANE(wideStore)(group->lower[k] + at, r[k]);
		LANE(wideStore)(group->upper[k] + at, -r[k + 4]);
	}
	return all;
}

LANE_TARGET static void LANE(widePackGroups)(const brTreeBox* boxes, const uint32_t* order, int32_t count,
											 brLaneBoxes* outGroups, brTreeBox* outGroupBoxes)
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
				__builtin_prefetch(&boxes[order[i + ahead]]);
			}
			rows[lane] = i >= count ? empty.lower : boxes[order != NULL ? order[i] : (uint32_t)i].lower;
		}
		brLaneBoxes* group = &outGroups[first / BR_WIDE_ARITY];
		brFloat8 low = LANE(widePack)(rows, group, 0), high = LANE(widePack)(rows + 8, group, 8);
		LANE(wideStore)(outGroupBoxes[first / BR_WIDE_ARITY].lower, LANE(brMin8)(low, high));
	}
}

// The walk

LANE_INLINE uint32_t LANE(wide_test)(const brLaneBoxes* group, const brLaneBoxes* box, int32_t lane)
{
	uint32_t bits = 0;
	BR_UNROLL
	for (int half = 0; half < 2; ++half)
	{
		brInt8 mask = BR_ALL8;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			brFloat8 lower = LANE(wideLoad)(group->lower[k] + 8 * half),
					 upper = LANE(wideLoad)(group->upper[k] + 8 * half);
			mask &= LANE(brAtMost8)(lower, LANE(brSplat8)(box->upper[k][lane]));
			mask &= LANE(brAtLeast8)(upper, LANE(brSplat8)(box->lower[k][lane]));
		}
		bits |= LANE(brBits8)(mask) << 8 * half;
	}
	return bits;
}

#include "index/wide_emit.h"
#include "index/wide_query.h"

#include "index/wide_filter.h"

#endif

#undef BR_WIDE_NAME
#undef BR_WIDE_TARGET
#undef WIDE_INTS
#undef WIDE_CODES
#undef WIDE_JOIN

static const brWideKernels LANE(brWideKernels) = {
	.lanes = LANE_BYTES / 4,
	.boxVertices = LANE(wideBoxVertices),
	.boxTriangles = LANE(wideBoxTriangles),
	.boundBoxes = LANE(wideBoundBoxes),
	.curveCodes = LANE(wideCurveCodes),
	.packGroups = LANE(widePackGroups),
#if LANE_BYTES == 64
	.packTriangles = LANE(widePackTriangles),
#else
	.packTriangles = widePackTriangles,
#endif
	.findPairs = LANE(wide_findPairs),
	.findTriangles = LANE(wide_findTriangles),
};
