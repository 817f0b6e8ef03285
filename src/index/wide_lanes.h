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

#if LANE_BYTES < 64
// One float down where the mask is set: bits - 1 for positive, + 1 for negative numbers. A zero can only be above a tiny
// negative number, and its float is -0.
LANE_INLINE brFloat4 LANE(wideStepDown)(brFloat4 a, brInt4 mask)
{
	brInt4 bits = (brInt4)a;
	return (brFloat4)(bits + (mask & (~bits >> 31 | 1)));
}
#endif

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
		brDouble4 p = LANE(brPoint)(&positions[i].x);
		brFloat4 nearest = LANE(brRound4)(p);
		brDouble4 back = LANE(brWiden4)(nearest);
		const brInt4 signs = {INT32_MIN, INT32_MIN, INT32_MIN, 0};
		brFloat4 negated = (brFloat4)((brInt4)nearest ^ signs);
		brFloat8 box = LANE(brJoin8)(LANE(wideStepDown)(nearest, LANE(brMore4)(back, p)),
									 LANE(wideStepDown)(negated, LANE(brMore4)(p, back)));
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

// Centers of eight boxes from `first` on, those behind `last` as that one: in each register the centers of two boxes,
// then turned into x, y, z.
LANE_INLINE void LANE(wideCenters)(const brTreeBox* boxes, int32_t first, int32_t last, brFloat8 out[3])
{
	brFloat8 r[4];
	BR_UNROLL
	for (int32_t k = 0; k < 4; ++k)
	{
		const float* a = boxes[first + k < last ? first + k : last].lower;
		const float* b = boxes[first + k + 4 < last ? first + k + 4 : last].lower;
		brFloat8 lower = LANE(brJoin8)(*(const brFloat4*)(const void*)a, *(const brFloat4*)(const void*)b);
		brFloat8 upper = LANE(brJoin8)(*(const brFloat4*)(const void*)(a + 4), *(const brFloat4*)(const void*)(b + 4));
		// The upper side is negated: half of their difference is the center.
		r[k] = lower * LANE(brSplat8)(0.5f) - upper * LANE(brSplat8)(0.5f);
	}
	brFloat8 xy[2], zw[2];
	BR_UNROLL
	for (int32_t k = 0; k < 2; ++k)
	{
		xy[k] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		zw[k] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	out[0] = __builtin_shufflevector(xy[0], xy[1], 0, 1, 8, 9, 4, 5, 12, 13);
	out[1] = __builtin_shufflevector(xy[0], xy[1], 2, 3, 10, 11, 6, 7, 14, 15);
	out[2] = __builtin_shufflevector(zw[0], zw[1], 0, 1, 8, 9, 4, 5, 12, 13);
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
			brFloat8 centers[3];
			LANE(wideCenters)(boxes + i, 8 * eight, n - 1, centers);
			BR_UNROLL
			for (int32_t k = 0; k < 3; ++k)
			{
				cells[k][eight] = LANE(wideCell)(centers[k], grid->origin[k], grid->scale[k]);
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

// Triangles

#define FLOATS LANE(brFloats)
#define WIDE_FLOATS(values) (*(FLOATS*)(void*)(values))

// Corners of four triangles about the group's, scaled in doubles and then rounded, into lanes [at, at + 4).
LANE_INLINE void LANE(widePackCorners)(const brTrianglePack* pack, const int32_t* const rows[4], brDouble4 shift,
									   brLaneTriangles* group, int32_t at)
{
	const brDouble4 center = LANE(brPoint)(&pack->center.x);
	for (int k = 0; k < 3; ++k)
	{
		brFloat4 corners[4], columns[3];
		BR_UNROLL
		for (int i = 0; i < 4; ++i)
		{
			int32_t vertex = rows[i][k];
			brDouble4 p = LANE(brPoint)(&pack->positions[vertex].x);
			corners[i] = LANE(brRound4)((p - center) * pack->scale - shift);
			group->vertex[k][at + i] = brTrianglePack_Name(pack, vertex);
		}
		LANE(brColumns4)(corners, columns);
		BR_UNROLL
		for (int axis = 0; axis < 3; ++axis)
		{
			*(brFloat4*)(void*)(group->corner[k][axis] + at) = columns[axis];
		}
	}
}

// Planes and sizes of as many triangles as fit a register, from lane `at` on. `extent` grows.
LANE_INLINE void LANE(widePackPlanes)(const brLaneBoxes* box, float scale, brLaneTriangles* group, int32_t at,
									  FLOATS* extent)
{
	FLOATS sides[2][3], offset = {0}, size = {0};
	BR_UNROLL
	for (int axis = 0; axis < 3; ++axis)
	{
		FLOATS a = WIDE_FLOATS(group->corner[0][axis] + at), b = WIDE_FLOATS(group->corner[1][axis] + at);
		FLOATS c = WIDE_FLOATS(group->corner[2][axis] + at);
		sides[0][axis] = b - a, sides[1][axis] = c - a;
		FLOATS most = LANE(brMaxFloats)(LANE(brAbsFloats)(a), LANE(brAbsFloats)(b));
		*extent = LANE(brMaxFloats)(*extent, LANE(brMaxFloats)(most, LANE(brAbsFloats)(c)));
		FLOATS lower = *(const FLOATS*)(const void*)(box->lower[axis] + at);
		FLOATS upper = *(const FLOATS*)(const void*)(box->upper[axis] + at);
		size = LANE(brMaxFloats)(size, (upper - lower) * scale);
	}
	BR_UNROLL
	for (int axis = 0; axis < 3; ++axis)
	{
		const int y = (axis + 1) % 3, z = (axis + 2) % 3;
		FLOATS n = sides[0][y] * sides[1][z] - sides[0][z] * sides[1][y];
		WIDE_FLOATS(group->plane[axis] + at) = n;
		offset += n * WIDE_FLOATS(group->corner[0][axis] + at);
	}
	WIDE_FLOATS(group->plane[3] + at) = offset;
	WIDE_FLOATS(group->size + at) = size * (1.0f + 0x1p-20f);
}

LANE_TARGET static void LANE(widePackTriangles)(const brTrianglePack* pack, const uint32_t* ids, int32_t count,
												const brLaneBoxes* boxes, brLaneTriangles* outGroups)
{
	const int32_t ahead = 48; // triangles fetched in advance
	const int32_t* rows[BR_WIDE_ARITY];
	for (int32_t first = 0; first < count; first += BR_WIDE_ARITY)
	{
		brLaneTriangles* group = &outGroups[first / BR_WIDE_ARITY];
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			int32_t i = first + lane < count ? first + lane : count - 1; // empty lanes repeat the last, unread
			rows[lane] = pack->triangles[ids[i]];
			if (i + 2 * ahead < count)
			{
				__builtin_prefetch(pack->triangles[ids[i + 2 * ahead]]);
				const int32_t* next = pack->triangles[ids[i + ahead]];
				__builtin_prefetch(&pack->positions[next[0]]);
				__builtin_prefetch(&pack->positions[next[1]]);
				__builtin_prefetch(&pack->positions[next[2]]);
			}
		}
		const brDVec3* origin = &pack->positions[rows[0][0]];
		group->center[0] = (float)((origin->x - pack->center.x) * pack->scale);
		group->center[1] = (float)((origin->y - pack->center.y) * pack->scale);
		group->center[2] = (float)((origin->z - pack->center.z) * pack->scale);
		const double shift[3] = {group->center[0], group->center[1], group->center[2]};
		for (int32_t at = 0; at < BR_WIDE_ARITY; at += 4)
		{
			LANE(widePackCorners)(pack, rows + at, LANE(brPoint)(shift), group, at);
		}
		FLOATS extents = {0};
		for (int32_t at = 0; at < BR_WIDE_ARITY; at += LANE_BYTES / 4)
		{
			LANE(widePackPlanes)(&boxes[first / BR_WIDE_ARITY], (float)pack->scale, group, at, &extents);
		}
		group->extent = 0.0f;
		for (int32_t i = 0; i < LANE_BYTES / 4; ++i)
		{
			group->extent = extents[i] > group->extent ? extents[i] : group->extent;
		}
		for (int32_t at = 0; at < BR_WIDE_ARITY; at += LANE_BYTES / 4)
		{
			WIDE_FLOATS(group->size + at) += 0x1p-21f * group->extent;
		}
	}
}

// The walk

LANE_INLINE uint32_t LANE(wide_test)(const brLaneBoxes* group, const brLaneBoxes* box, int32_t lane)
{
	enum
	{
		width = LANE_BYTES / 4
	};
	LANE(brInts) masks[BR_WIDE_ARITY / width];
	BR_UNROLL
	for (int i = 0; i < BR_WIDE_ARITY / width; ++i)
	{
		masks[i] = ~(LANE(brInts)){0};
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			FLOATS lower = *(const FLOATS*)(const void*)(group->lower[k] + width * i);
			FLOATS upper = *(const FLOATS*)(const void*)(group->upper[k] + width * i);
			masks[i] &= (lower <= box->upper[k][lane]) & (upper >= box->lower[k][lane]);
		}
	}
#if LANE_BYTES == 32
	return LANE(brBits8)(masks[0]) | LANE(brBits8)(masks[1]) << 8;
#else
	return BR_BITS16(masks[0], masks[1], masks[2], masks[3]);
#endif
}

#include "index/wide_emit.h"
#include "index/wide_query.h"

#include "index/wide_filter.h"

#undef FLOATS
#undef WIDE_FLOATS
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
	.packTriangles = LANE(widePackTriangles),
	.findPairs = LANE(wide_findPairs),
	.findTriangles = LANE(wide_findTriangles),
};
