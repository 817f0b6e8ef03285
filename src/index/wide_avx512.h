// SPDX-License-Identifier: MIT

// The walk and the triangles of wide_lanes.h for registers of 64 bytes: a group of sixteen boxes is one register a
// coordinate, and masks are bits.

// Four registers of two boxes each (four quarters: lower and negUpper of one, of the other) to x, y and z of all.
LANE_TARGET static inline void avx512Transpose(__m512 r0, __m512 r1, __m512 r2, __m512 r3, __m512 out[3])
{
	__m512 xy01 = _mm512_unpacklo_ps(r0, r1), xy23 = _mm512_unpacklo_ps(r2, r3);
	__m512 z01 = _mm512_unpackhi_ps(r0, r1), z23 = _mm512_unpackhi_ps(r2, r3);
	out[0] = _mm512_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0));
	out[1] = _mm512_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2));
	out[2] = _mm512_shuffle_ps(z01, z23, _MM_SHUFFLE(1, 0, 1, 0));
}

LANE_TARGET static inline void avx512Pack(const float* const rows[BR_WIDE_ARITY], brLaneBoxes* group,
										  brTreeBox* groupBox)
{
	__m512 r[8];
	BR_UNROLL
	for (int k = 0; k < 8; ++k)
	{
		__m512 low = _mm512_castps256_ps512(_mm256_load_ps(rows[k]));
		r[k] = _mm512_insertf32x8(low, _mm256_load_ps(rows[k + 8]), 1);
	}
	__m512 all = _mm512_min_ps(_mm512_min_ps(_mm512_min_ps(r[0], r[1]), _mm512_min_ps(r[2], r[3])),
							   _mm512_min_ps(_mm512_min_ps(r[4], r[5]), _mm512_min_ps(r[6], r[7])));
	_mm256_store_ps(groupBox->lower, _mm256_min_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1)));

	__m512 a[3], b[3];
	avx512Transpose(r[0], r[1], r[2], r[3], a);
	avx512Transpose(r[4], r[5], r[6], r[7], b);
	// Quarters of a: lower 0-3, negUpper 0-3, lower 8-11, negUpper 8-11; of b the same from 4 and 12.
	const __m512i lower = _mm512_set_epi32(27, 26, 25, 24, 11, 10, 9, 8, 19, 18, 17, 16, 3, 2, 1, 0);
	const __m512i upper = _mm512_set_epi32(31, 30, 29, 28, 15, 14, 13, 12, 23, 22, 21, 20, 7, 6, 5, 4);
	const __m512 sign = _mm512_set1_ps(-0.0f);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		_mm512_store_ps(group->lower[k], _mm512_permutex2var_ps(a[k], lower, b[k]));
		_mm512_store_ps(group->upper[k], _mm512_xor_ps(_mm512_permutex2var_ps(a[k], upper, b[k]), sign));
	}
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
				_mm_prefetch((const char*)&boxes[order[i + ahead]], _MM_HINT_T0);
			}
			rows[lane] = i >= count ? empty.lower : boxes[order != NULL ? order[i] : (uint32_t)i].lower;
		}
		avx512Pack(rows, &outGroups[first / BR_WIDE_ARITY], &outGroupBoxes[first / BR_WIDE_ARITY]);
	}
}

// One corner about the group's: scaled in doubles, then rounded.
LANE_TARGET static inline __m128 avx512Corner(const brDVec3* position, __m256d center, __m256d scale, __m256d shift)
{
	__m256d p = _mm256_maskz_loadu_pd(7, &position->x);
	return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_mul_pd(_mm256_sub_pd(p, center), scale), shift));
}

// Corner k of sixteen triangles, axis by axis.
LANE_TARGET static inline void avx512Corners(const brDVec3* positions, const int32_t* const rows[BR_WIDE_ARITY], int k,
											 __m256d center, __m256d scale, __m256d shift, __m512 out[3])
{
	__m512 quads[4];
	BR_UNROLL
	for (int i = 0; i < 4; ++i)
	{
		// Rows i, i + 4, i + 8 and i + 12, one to a quarter.
		quads[i] = _mm512_castps128_ps512(avx512Corner(&positions[rows[i][k]], center, scale, shift));
		quads[i] = _mm512_insertf32x4(quads[i], avx512Corner(&positions[rows[i + 4][k]], center, scale, shift), 1);
		quads[i] = _mm512_insertf32x4(quads[i], avx512Corner(&positions[rows[i + 8][k]], center, scale, shift), 2);
		quads[i] = _mm512_insertf32x4(quads[i], avx512Corner(&positions[rows[i + 12][k]], center, scale, shift), 3);
	}
	avx512Transpose(quads[0], quads[1], quads[2], quads[3], out);
}

LANE_TARGET static void LANE(widePackTriangles)(const brTrianglePack* pack, const uint32_t* ids, int32_t count,
												const brLaneBoxes* boxes, brLaneTriangles* outGroups)
{
	const int32_t ahead = 48; // triangles fetched in advance
	const brDVec3* positions = pack->positions;
	const __m256d center = _mm256_maskz_loadu_pd(7, &pack->center.x), scale = _mm256_set1_pd(pack->scale);
	const __m512 floatScale = _mm512_set1_ps((float)pack->scale);
	const int32_t* rows[BR_WIDE_ARITY];
	for (int32_t first = 0; first < count; first += BR_WIDE_ARITY)
	{
		brLaneTriangles* group = &outGroups[first / BR_WIDE_ARITY];
		const brLaneBoxes* box = &boxes[first / BR_WIDE_ARITY];
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			int32_t i = first + lane < count ? first + lane : count - 1; // empty lanes repeat the last, unread
			rows[lane] = pack->triangles[ids[i]];
			if (i + 2 * ahead < count)
			{
				_mm_prefetch((const char*)pack->triangles[ids[i + 2 * ahead]], _MM_HINT_T0);
				const int32_t* next = pack->triangles[ids[i + ahead]];
				_mm_prefetch((const char*)&positions[next[0]], _MM_HINT_T0);
				_mm_prefetch((const char*)&positions[next[1]], _MM_HINT_T0);
				_mm_prefetch((const char*)&positions[next[2]], _MM_HINT_T0);
			}
			group->vertex[0][lane] = brTrianglePack_Name(pack, rows[lane][0]);
			group->vertex[1][lane] = brTrianglePack_Name(pack, rows[lane][1]);
			group->vertex[2][lane] = brTrianglePack_Name(pack, rows[lane][2]);
		}
		__m128 about = avx512Corner(&positions[rows[0][0]], center, scale, _mm256_setzero_pd());
		__m256d shift = _mm256_cvtps_pd(about);
		_mm_mask_storeu_ps(group->center, 7, about);

		__m512 a[3], b[3], c[3], n[3], size = _mm512_setzero_ps(), extent = _mm512_setzero_ps();
		avx512Corners(positions, rows, 0, center, scale, shift, a);
		avx512Corners(positions, rows, 1, center, scale, shift, b);
		avx512Corners(positions, rows, 2, center, scale, shift, c);
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			_mm512_store_ps(group->corner[0][k], a[k]);
			_mm512_store_ps(group->corner[1][k], b[k]);
			_mm512_store_ps(group->corner[2][k], c[k]);
			extent = _mm512_max_ps(
				extent, _mm512_max_ps(_mm512_abs_ps(a[k]), _mm512_max_ps(_mm512_abs_ps(b[k]), _mm512_abs_ps(c[k]))));
			size = _mm512_max_ps(
				size,
				_mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(box->upper[k]), _mm512_load_ps(box->lower[k])), floatScale));
			b[k] = _mm512_sub_ps(b[k], a[k]);
			c[k] = _mm512_sub_ps(c[k], a[k]);
		}
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			int y = (k + 1) % 3, z = (k + 2) % 3;
			n[k] = _mm512_fmsub_ps(b[y], c[z], _mm512_mul_ps(b[z], c[y]));
			_mm512_store_ps(group->plane[k], n[k]);
		}
		__m512 offset = _mm512_mul_ps(n[0], a[0]);
		offset = _mm512_fmadd_ps(n[1], a[1], offset);
		_mm512_store_ps(group->plane[3], _mm512_fmadd_ps(n[2], a[2], offset));
		group->extent = _mm512_reduce_max_ps(extent);
		_mm512_store_ps(group->size, _mm512_fmadd_ps(size, _mm512_set1_ps(1.0f + 0x1p-20f),
													 _mm512_set1_ps(0x1p-21f * group->extent)));
	}
}

// The walk

LANE_TARGET static inline uint32_t LANE(wide_test)(const brLaneBoxes* group, const brLaneBoxes* box, int32_t lane)
{
	__mmask16 lower =
		_mm512_cmp_ps_mask(_mm512_load_ps(group->lower[0]), _mm512_set1_ps(box->upper[0][lane]), _CMP_LE_OQ);
	__mmask16 upper =
		_mm512_cmp_ps_mask(_mm512_load_ps(group->upper[0]), _mm512_set1_ps(box->lower[0][lane]), _CMP_GE_OQ);
	BR_UNROLL
	for (int k = 1; k < 3; ++k)
	{
		lower = _mm512_mask_cmp_ps_mask(lower, _mm512_load_ps(group->lower[k]), _mm512_set1_ps(box->upper[k][lane]),
										_CMP_LE_OQ);
		upper = _mm512_mask_cmp_ps_mask(upper, _mm512_load_ps(group->upper[k]), _mm512_set1_ps(box->lower[k][lane]),
										_CMP_GE_OQ);
	}
	return lower & upper;
}

LANE_TARGET static inline int32_t LANE(wide_append)(uint32_t mask, int32_t base, int32_t* out)
{
	const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	// Compressing in a register and storing all of it is far quicker than a compressing store.
	_mm512_storeu_si512(out,
						_mm512_maskz_compress_epi32((__mmask16)mask, _mm512_add_epi32(lanes, _mm512_set1_epi32(base))));
	return __builtin_popcount(mask & 0xFFFFu);
}

// Writes pairs of lanes of a and b.
LANE_TARGET static inline int32_t avx512Emit(__m512i a, __m512i b, int32_t count, bool isOrdered, brPair* out)
{
	if (isOrdered)
	{
		__m512i smaller = _mm512_min_epu32(a, b);
		b = _mm512_max_epu32(a, b);
		a = smaller;
	}
	const __m512i first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
	const __m512i second = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
	_mm512_storeu_si512(out, _mm512_permutex2var_epi32(a, first, b));
	if (count > 8)
	{
		_mm512_storeu_si512(out + 8, _mm512_permutex2var_epi32(a, second, b));
	}
	return count;
}

LANE_TARGET static inline int32_t LANE(wide_emit)(uint32_t mask, uint32_t id, const uint32_t* ids, bool isOrdered,
												  brPair* out)
{
	__m512i b = _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(ids));
	return avx512Emit(_mm512_set1_epi32((int32_t)id), b, __builtin_popcount(mask & 0xFFFFu), isOrdered, out);
}

#include "index/wide_query.h"

// Triangles

// Sixteen pairs of one row of mine and one lane of the others each.
typedef struct Avx512Batch
{
	const brLaneTriangles *mine, *others;
	__m512i rows, lanes; // only the lowest four bits count
} Avx512Batch;

LANE_TARGET static inline __m512 avx512Pick(__m512i places, const float values[BR_WIDE_ARITY])
{
	return _mm512_permutexvar_ps(places, _mm512_load_ps(values));
}

LANE_TARGET static inline __m512i avx512PickVertex(__m512i places, const int32_t values[BR_WIDE_ARITY])
{
	return _mm512_permutexvar_epi32(places, _mm512_load_si512(values));
}

// Pairs that do not share a settled vertex. A vertex that is not settled becomes one that nobody has.
LANE_TARGET static inline __mmask16 avx512NotSettled(const Avx512Batch* batch, __mmask16 kept)
{
	const __m512i nobody = _mm512_set1_epi32(INT32_MIN);
	__m512i v0 = avx512PickVertex(batch->lanes, batch->others->vertex[0]);
	__m512i v1 = avx512PickVertex(batch->lanes, batch->others->vertex[1]);
	__m512i v2 = avx512PickVertex(batch->lanes, batch->others->vertex[2]);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		__m512i v = avx512PickVertex(batch->rows, batch->mine->vertex[k]);
		v = _mm512_mask_mov_epi32(nobody, _mm512_movepi32_mask(v), v);
		kept = _mm512_mask_cmpneq_epi32_mask(kept, v0, v);
		kept = _mm512_mask_cmpneq_epi32_mask(kept, v1, v);
		kept = _mm512_mask_cmpneq_epi32_mask(kept, v2, v);
	}
	return kept;
}

// Which corners of a are not corners of b too.
LANE_TARGET static inline void avx512NotShared(const brLaneTriangles* a, __m512i aLanes, const brLaneTriangles* b,
											   __m512i bLanes, __mmask16 outOwn[3])
{
	__m512i v0 = avx512PickVertex(bLanes, b->vertex[0]), v1 = avx512PickVertex(bLanes, b->vertex[1]);
	__m512i v2 = avx512PickVertex(bLanes, b->vertex[2]);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		__m512i v = avx512PickVertex(aLanes, a->vertex[k]);
		outOwn[k] =
			_mm512_mask_cmpneq_epi32_mask(_mm512_mask_cmpneq_epi32_mask(_mm512_cmpneq_epi32_mask(v, v0), v, v1), v, v2);
	}
}

// Lanes whose least volume is not above the error and whose largest is not below: corners may be on both sides. Volumes
// are finite, since positions were looked at and brought to size 1.
LANE_TARGET static inline __mmask16 avx512AroundZero(const __m512 s[3], __m512 error)
{
	__m512 below = _mm512_xor_ps(error, _mm512_set1_ps(-0.0f));
	__m512 least = _mm512_min_ps(_mm512_min_ps(s[0], s[1]), s[2]);
	__m512 largest = _mm512_max_ps(_mm512_max_ps(s[0], s[1]), s[2]);
	__mmask16 notAbove = _mm512_cmp_ps_mask(least, error, _CMP_NGT_UQ);
	return _mm512_mask_cmp_ps_mask(notAbove, largest, below, _CMP_NLT_UQ);
}

// Lanes that are not certainly apart: of the corners that are not shared, some is not above and some is not below. The
// masks say which corners are not shared; a comparison under a mask asks about those alone.
LANE_TARGET static inline __mmask16 avx512NotApart(const __m512 s[3], const __mmask16 own[3], __m512 error)
{
	__m512 below = _mm512_xor_ps(error, _mm512_set1_ps(-0.0f));
	__mmask16 notAbove = _kor_mask16(_mm512_mask_cmp_ps_mask(own[0], s[0], error, _CMP_NGT_UQ),
									 _kor_mask16(_mm512_mask_cmp_ps_mask(own[1], s[1], error, _CMP_NGT_UQ),
												 _mm512_mask_cmp_ps_mask(own[2], s[2], error, _CMP_NGT_UQ)));
	__mmask16 notBelow = _kor_mask16(_mm512_mask_cmp_ps_mask(own[0], s[0], below, _CMP_NLT_UQ),
									 _kor_mask16(_mm512_mask_cmp_ps_mask(own[1], s[1], below, _CMP_NLT_UQ),
												 _mm512_mask_cmp_ps_mask(own[2], s[2], below, _CMP_NLT_UQ)));
	__mmask16 kept = _kand_mask16(notAbove, notBelow);
	// Nothing of its own: the same triangle twice.
	return _kor_mask16(kept, _knot_mask16(_kor_mask16(own[0], _kor_mask16(own[1], own[2]))));
}

// Are the corners of a on both sides of the plane of b, or too close to tell? `shift` leads from the center of b to
// that of a; `mayShare`: some pairs have corners in common.
LANE_INLINE __mmask16 avx512AroundPlane(const brLaneTriangles* a, __m512i aLanes, const brLaneTriangles* b,
										__m512i bLanes, const float shift[3], float slack, bool mayShare)
{
	__m512 nx = avx512Pick(bLanes, b->plane[0]), ny = avx512Pick(bLanes, b->plane[1]);
	__m512 nz = avx512Pick(bLanes, b->plane[2]), offset = avx512Pick(bLanes, b->plane[3]);
	offset = _mm512_fnmadd_ps(nx, _mm512_set1_ps(shift[0]), offset); // the plane as a sees it
	offset = _mm512_fnmadd_ps(ny, _mm512_set1_ps(shift[1]), offset);
	offset = _mm512_fnmadd_ps(nz, _mm512_set1_ps(shift[2]), offset);
	__m512 s[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		__m512 x = avx512Pick(aLanes, a->corner[k][0]), y = avx512Pick(aLanes, a->corner[k][1]);
		__m512 z = avx512Pick(aLanes, a->corner[k][2]);
		s[k] = _mm512_fmadd_ps(nz, z, _mm512_fmadd_ps(ny, y, _mm512_fmsub_ps(nx, x, offset)));
	}
	__m512 size = avx512Pick(bLanes, b->size), wideSlack = _mm512_set1_ps(slack);
	__m512 reach = _mm512_add_ps(_mm512_add_ps(size, size), _mm512_add_ps(avx512Pick(aLanes, a->size), wideSlack));
	__m512 error = _mm512_mul_ps(_mm512_mul_ps(wideSlack, size), reach);
	if (!mayShare)
	{
		return avx512AroundZero(s, error);
	}
	__mmask16 own[3];
	avx512NotShared(a, aLanes, b, bLanes, own);
	return avx512NotApart(s, own, error);
}

// May rows share vertices with lanes that are left, and does it matter? Not if all their vertices are settled: who
// shares one is gone.
LANE_TARGET static inline bool avx512MayShare(brNeighborRule rule, const Avx512Batch* batch)
{
	const int32_t(*v)[BR_WIDE_ARITY] = batch->mine->vertex;
	__m512i all =
		_mm512_and_si512(_mm512_load_si512(v[0]), _mm512_and_si512(_mm512_load_si512(v[1]), _mm512_load_si512(v[2])));
	__mmask16 settled = _mm512_movepi32_mask(_mm512_permutexvar_epi32(batch->rows, all));
	return rule != br_neighborsKeep && settled != 0xFFFF;
}

LANE_TARGET static inline __mmask16 avx512NotBeside(brNeighborRule rule, const Avx512Batch* batch,
													const brLaneSight* sight)
{
	const float back[3] = {-sight->shift[0], -sight->shift[1], -sight->shift[2]};
	bool mayShare = avx512MayShare(rule, batch);
	__mmask16 kept =
		avx512AroundPlane(batch->others, batch->lanes, batch->mine, batch->rows, sight->shift, sight->slack, mayShare);
	if (kept == 0)
	{
		return 0;
	}
	return kept &
		   avx512AroundPlane(batch->mine, batch->rows, batch->others, batch->lanes, back, sight->slack, mayShare);
}

LANE_TARGET static inline __m512i avx512PickIds(__m512i places, const uint32_t* ids)
{
	return _mm512_permutexvar_epi32(places, _mm512_loadu_si512(ids));
}

// Pairs [i, count) of a list, at most sixteen; returns which lanes hold one.
LANE_TARGET static inline __mmask16 avx512LoadPairs(Avx512Batch* batch, const int32_t* places, int32_t i, int32_t count)
{
	batch->lanes = _mm512_loadu_si512(places + i);
	batch->rows = _mm512_srli_epi32(batch->lanes, 4);
	int32_t held = count - i < BR_WIDE_ARITY ? count - i : BR_WIDE_ARITY;
	return (__mmask16)((1u << held) - 1u);
}

// Pairs of mine and one other group whose boxes overlap, as 16 row + lane. Returns how many; may write 16 more.
LANE_TARGET static inline int32_t avx512MatchGroups(const brLaneBoxes* mine, uint32_t rows, const brLaneBoxes* other,
													bool isSame, int32_t* outPlaces)
{
	__m512 lower[3], upper[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		lower[k] = _mm512_load_ps(other->lower[k]);
		upper[k] = _mm512_load_ps(other->upper[k]);
	}
	int32_t count = 0;
	for (; rows != 0; rows &= rows - 1)
	{
		uint32_t row = (uint32_t)__builtin_ctz(rows);
		__mmask16 below = (__mmask16)(isSame ? 0xFFFEu << row : 0xFFFFu), above = 0xFFFF;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			below = _mm512_mask_cmp_ps_mask(below, lower[k], _mm512_set1_ps(mine->upper[k][row]), _CMP_LE_OQ);
			above = _mm512_mask_cmp_ps_mask(above, upper[k], _mm512_set1_ps(mine->lower[k][row]), _CMP_GE_OQ);
		}
		count += LANE(wide_append)(below & above, (int32_t)(BR_WIDE_ARITY * row), outPlaces + count);
	}
	return count;
}

// Drops neighbors that are settled: most of all pairs of a surface. Returns how many are left; may write 16 more.
LANE_TARGET static inline int32_t avx512DropSettled(const brLaneTriangles* mine, const brLaneTriangles* others,
													const int32_t* places, int32_t count, int32_t* outLeft)
{
	Avx512Batch batch = {.mine = mine, .others = others};
	int32_t left = 0;
	for (int32_t i = 0; i < count; i += BR_WIDE_ARITY)
	{
		__mmask16 mask = avx512LoadPairs(&batch, places, i, count);
		mask = avx512NotSettled(&batch, mask);
		_mm512_storeu_si512(outLeft + left, _mm512_maskz_compress_epi32(mask, batch.lanes));
		left += __builtin_popcount(mask);
	}
	return left;
}

// Writes the pairs of a list that are not apart by a plane. Returns how many; may write 16 more.
LANE_TARGET static inline int32_t avx512EmitNotBeside(const brWideQuery* query, int32_t group, int32_t other,
													  const int32_t* places, int32_t count, brPair* out)
{
	const uint32_t* myIds = query->queries->ids + (size_t)BR_WIDE_ARITY * (size_t)group;
	const uint32_t* ids = query->target->ids + (size_t)BR_WIDE_ARITY * (size_t)other;
	Avx512Batch batch = {.mine = &query->queries->triangles[group], .others = &query->target->triangles[other]};
	brLaneSight sight = brLaneTriangles_Sight(batch.mine, batch.others, query->error);
	int32_t written = 0;
	for (int32_t i = 0; i < count; i += BR_WIDE_ARITY)
	{
		__mmask16 mask = avx512LoadPairs(&batch, places, i, count);
		mask &= avx512NotBeside(query->rule, &batch, &sight);
		__m512i a = _mm512_maskz_compress_epi32(mask, avx512PickIds(batch.rows, myIds));
		__m512i b = _mm512_maskz_compress_epi32(mask, avx512PickIds(batch.lanes, ids));
		written += avx512Emit(a, b, __builtin_popcount(mask), query->isOrdered, out + written);
	}
	return written;
}

enum
{
	avx512TriangleChunk = 64 // touched groups whose pairs are listed at once
};

// The filter of wide_filter.h. It takes pairs, not rows: of the sixteen lanes of a row that meets a group three are
// hit, and one of these is no settled neighbor. Sixteen pairs of a row and a lane are looked at together; the
// coordinates of either side are one permutation away. Each step goes over many groups before the next, so that no list
// is read while it is still on its way to memory.
LANE_TARGET static void LANE(wide_findTriangles)(const brWideQuery* query, int32_t begin, int32_t end,
												 brWideScratch* scratch, brPairBuffer* pairs)
{
	const brWideTree *queries = query->queries, *target = query->target;
	int32_t places[(avx512TriangleChunk * BR_WIDE_ARITY + 1) * BR_WIDE_ARITY], ends[avx512TriangleChunk];
	int32_t left[(avx512TriangleChunk * BR_WIDE_ARITY + 1) * BR_WIDE_ARITY], leftEnds[avx512TriangleChunk];
	for (int32_t group = begin; group < end; ++group)
	{
		const brLaneBoxes *mine = &queries->levels[0][group], *parent = &queries->levels[1][group / BR_WIDE_ARITY];
		int32_t touchedCount =
			LANE(wide_touchedGroups)(target, parent, group % BR_WIDE_ARITY, query->isSelf ? group : 0, scratch);
		for (int32_t chunk = 0; chunk < touchedCount; chunk += avx512TriangleChunk)
		{
			const int32_t* others = scratch->lists[0] + chunk;
			int32_t otherCount = touchedCount - chunk;
			otherCount = otherCount < avx512TriangleChunk ? otherCount : avx512TriangleChunk;
			int32_t count = 0;
			for (int32_t i = 0; i < otherCount; ++i)
			{
				int32_t other = others[i];
				uint32_t rows = LANE(wide_test)(mine, &target->levels[1][other / BR_WIDE_ARITY], other % BR_WIDE_ARITY);
				bool isSame = query->isSelf && other == group;
				count += avx512MatchGroups(mine, rows, &target->levels[0][other], isSame, places + count);
				ends[i] = count;
			}
			scratch->candidates += count;

			const int32_t *list = places, *listEnds = ends;
			if (query->rule != br_neighborsKeep)
			{
				list = left, listEnds = leftEnds;
				int32_t from = 0;
				count = 0;
				for (int32_t i = 0; i < otherCount; ++i)
				{
					count += avx512DropSettled(&queries->triangles[group], &target->triangles[others[i]], places + from,
											   ends[i] - from, left + count);
					from = ends[i];
					leftEnds[i] = count;
				}
			}
			if (pairs->capacity - pairs->count < count + BR_WIDE_ARITY &&
				!brPairBuffer_Reserve(pairs, count + BR_WIDE_ARITY))
			{
				return;
			}
			int32_t from = 0;
			for (int32_t i = 0; i < otherCount; ++i)
			{
				pairs->count += avx512EmitNotBeside(query, group, others[i], list + from, listEnds[i] - from,
													pairs->pairs + pairs->count);
				from = listEnds[i];
			}
		}
	}
}
