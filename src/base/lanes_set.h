// SPDX-License-Identifier: MIT

// What operators lack, for one set of instructions. Read by base/each_lanes.h, once for each set.
//
// Comparisons are here because gcc makes those of vectors wider than its registers lane by lane, at four times the cost:
// they are made of registers by hand. A number that is none compares as false.

#if LANE_BYTES == 16

#define LANE_COMPARE(name, type, half, sign)                                                                           \
	LANE_INLINE brInt8 LANE(name)(type a, type b)                                                                      \
	{                                                                                                                  \
		union                                                                                                          \
		{                                                                                                              \
			type all;                                                                                                  \
			half halves[2];                                                                                            \
		} x = {a}, y = {b};                                                                                            \
		union                                                                                                          \
		{                                                                                                              \
			brInt4 halves[2];                                                                                          \
			brInt8 all;                                                                                                \
		} mask = {{x.halves[0] sign y.halves[0], x.halves[1] sign y.halves[1]}};                                       \
		return mask.all;                                                                                               \
	}

#define LANE_EACH2(name, EACH)                                                                                         \
	LANE_INLINE brFloat8 LANE(name)(brFloat8 a, brFloat8 b)                                                            \
	{                                                                                                                  \
		union                                                                                                          \
		{                                                                                                              \
			brFloat8 all;                                                                                              \
			brFloat4 halves[2];                                                                                        \
		} x = {a}, y = {b};                                                                                            \
		x.halves[0] = EACH(x.halves[0], y.halves[0]);                                                                  \
		x.halves[1] = EACH(x.halves[1], y.halves[1]);                                                                  \
		return x.all;                                                                                                  \
	}

/// The same number in all lanes: by halves, as gcc would write one lane after the other to memory.
LANE_INLINE brFloat8 LANE(brSplat8)(float x)
{
	union
	{
		brFloat4 halves[2];
		brFloat8 all;
	} splat = {{(brFloat4){x, x, x, x}, (brFloat4){x, x, x, x}}};
	return splat.all;
}

/// Eight of two fours, and the lower and upper four of eight.
LANE_INLINE brFloat8 LANE(brJoin8)(brFloat4 low, brFloat4 high)
{
	union
	{
		brFloat4 halves[2];
		brFloat8 all;
	} joined = {{low, high}};
	return joined.all;
}

LANE_INLINE brFloat4 LANE(brHalf8)(brFloat8 a, int half)
{
	union
	{
		brFloat8 all;
		brFloat4 halves[2];
	} x = {a};
	return x.halves[half];
}

LANE_EACH2(brMax8, BR_MAX4)
LANE_EACH2(brMin8, BR_MIN4)
#undef LANE_EACH2

LANE_INLINE brFloat8 LANE(brRoot8)(brFloat8 a)
{
	union
	{
		brFloat8 all;
		brFloat4 halves[2];
	} x = {a};
	x.halves[0] = BR_ROOT4(x.halves[0]);
	x.halves[1] = BR_ROOT4(x.halves[1]);
	return x.all;
}

LANE_INLINE uint32_t LANE(brBits8)(brInt8 mask)
{
	union
	{
		brInt8 all;
		brInt4 halves[2];
	} x = {mask};
	return BR_BITS4(x.halves[0]) | BR_BITS4(x.halves[1]) << 4;
}

/// Rows of eight to columns.
LANE_INLINE void LANE(brTranspose8)(brFloat8 r[8])
{
	typedef union
	{
		brFloat8 all;
		brFloat4 halves[2];
	} Row;
	Row out[8];
	for (int half = 0; half < 4; ++half)
	{
		const int to = half % 2, from = half / 2; // columns 4 to ..., of rows 4 from ...
		brFloat4 a = ((Row){r[4 * from]}).halves[to], b = ((Row){r[4 * from + 1]}).halves[to];
		brFloat4 c = ((Row){r[4 * from + 2]}).halves[to], d = ((Row){r[4 * from + 3]}).halves[to];
		brFloat4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
		out[4 * to].halves[from] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
		out[4 * to + 1].halves[from] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
		ab = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
		out[4 * to + 2].halves[from] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
		out[4 * to + 3].halves[from] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
	}
	for (int i = 0; i < 8; ++i)
	{
		r[i] = out[i].all;
	}
}

#else

#define LANE_COMPARE(name, type, half, sign)                                                                           \
	LANE_INLINE brInt8 LANE(name)(type a, type b)                                                                      \
	{                                                                                                                  \
		return a sign b;                                                                                               \
	}

LANE_INLINE brFloat8 LANE(brSplat8)(float x)
{
	return (brFloat8){x, x, x, x, x, x, x, x};
}

LANE_INLINE brFloat8 LANE(brJoin8)(brFloat4 low, brFloat4 high)
{
	return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

LANE_INLINE brFloat4 LANE(brHalf8)(brFloat8 a, int half)
{
	return half == 0 ? __builtin_shufflevector(a, a, 0, 1, 2, 3) : __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

/// The greater and the lesser of each lane; b if one of them is no number.
LANE_INLINE brFloat8 LANE(brMax8)(brFloat8 a, brFloat8 b)
{
	return (brFloat8)_mm256_max_ps((__m256)a, (__m256)b);
}

LANE_INLINE brFloat8 LANE(brMin8)(brFloat8 a, brFloat8 b)
{
	return (brFloat8)_mm256_min_ps((__m256)a, (__m256)b);
}

LANE_INLINE brFloat8 LANE(brRoot8)(brFloat8 a)
{
	return (brFloat8)_mm256_sqrt_ps((__m256)a);
}

/// One bit a lane.
LANE_INLINE uint32_t LANE(brBits8)(brInt8 mask)
{
	return (uint32_t)_mm256_movemask_ps((__m256)mask);
}

LANE_INLINE void LANE(brTranspose8)(brFloat8 r[8])
{
	brFloat8 t[8], u[8];
	for (int i = 0; i < 4; ++i)
	{
		t[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		t[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	for (int i = 0; i < 2; ++i)
	{
		u[4 * i] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
		u[4 * i + 1] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		u[4 * i + 2] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
		u[4 * i + 3] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
	}
	for (int i = 0; i < 4; ++i)
	{
		r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

#endif

LANE_INLINE brInt8 LANE(brIntSplat8)(int32_t x)
{
	return (brInt8){x, x, x, x, x, x, x, x};
}

LANE_COMPARE(brMore8, brFloat8, brFloat4, >)
LANE_COMPARE(brLess8, brFloat8, brFloat4, <)
LANE_COMPARE(brAtLeast8, brFloat8, brFloat4, >=)
LANE_COMPARE(brAtMost8, brFloat8, brFloat4, <=)
LANE_COMPARE(brEqual8, brFloat8, brFloat4, ==)
LANE_COMPARE(brIntLess8, brInt8, brInt4, <)
LANE_COMPARE(brIntEqual8, brInt8, brInt4, ==)
#undef LANE_COMPARE

/// The least and the greatest of eight numbers.
#define LANE_FOLD(name, EACH, sign)                                                                                    \
	LANE_INLINE float LANE(name)(brFloat8 a)                                                                           \
	{                                                                                                                  \
		union                                                                                                          \
		{                                                                                                              \
			brFloat8 all;                                                                                              \
			brFloat4 halves[2];                                                                                        \
		} x = {a};                                                                                                     \
		brFloat4 four = EACH(x.halves[0], x.halves[1]);                                                                \
		brFloat4 two = EACH(four, __builtin_shufflevector(four, four, 2, 3, 0, 1));                                    \
		return two[0] sign two[1] ? two[0] : two[1];                                                                   \
	}

LANE_FOLD(brLeast8, BR_MIN4, <)
LANE_FOLD(brMost8, BR_MAX4, >)
#undef LANE_FOLD

// As many doubles as fit a register.

typedef double LANE(brDoubles) __attribute__((vector_size(LANE_BYTES), may_alias));
typedef int64_t LANE(brLongs) __attribute__((vector_size(LANE_BYTES), may_alias));

LANE_INLINE LANE(brDoubles) LANE(brSplatDoubles)(double x)
{
	return (LANE(brDoubles)){0} + x;
}

/// Signs turned where the mask has that bit.
LANE_INLINE LANE(brDoubles) LANE(brTurnSigns)(LANE(brDoubles) a, LANE(brLongs) mask)
{
	return (LANE(brDoubles))((LANE(brLongs))a ^ mask);
}

LANE_INLINE LANE(brDoubles) LANE(brAbs)(LANE(brDoubles) a)
{
	return (LANE(brDoubles))((LANE(brLongs))a & INT64_MAX);
}

/// a where the mask is set, else b.
LANE_INLINE LANE(brDoubles) LANE(brChoose)(LANE(brLongs) mask, LANE(brDoubles) a, LANE(brDoubles) b)
{
	return (LANE(brDoubles))((mask & (LANE(brLongs))a) | (~mask & (LANE(brLongs))b));
}

/// The greater and the lesser of each lane; b if one of them is no number.
LANE_INLINE LANE(brDoubles) LANE(brMaxDoubles)(LANE(brDoubles) a, LANE(brDoubles) b)
{
#if LANE_BYTES == 64
	return (LANE(brDoubles))_mm512_max_pd((__m512d)a, (__m512d)b);
#elif LANE_BYTES == 32
	return (LANE(brDoubles))_mm256_max_pd((__m256d)a, (__m256d)b);
#elif BR_LANES_X86
	return (LANE(brDoubles))_mm_max_pd((__m128d)a, (__m128d)b);
#else
	return (LANE(brDoubles)){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

LANE_INLINE LANE(brDoubles) LANE(brMinDoubles)(LANE(brDoubles) a, LANE(brDoubles) b)
{
#if LANE_BYTES == 64
	return (LANE(brDoubles))_mm512_min_pd((__m512d)a, (__m512d)b);
#elif LANE_BYTES == 32
	return (LANE(brDoubles))_mm256_min_pd((__m256d)a, (__m256d)b);
#elif BR_LANES_X86
	return (LANE(brDoubles))_mm_min_pd((__m128d)a, (__m128d)b);
#else
	return (LANE(brDoubles)){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
#endif
}

LANE_INLINE LANE(brDoubles) LANE(brRoot)(LANE(brDoubles) a)
{
#if LANE_BYTES == 64
	return (LANE(brDoubles))_mm512_sqrt_pd((__m512d)a);
#elif LANE_BYTES == 32
	return (LANE(brDoubles))_mm256_sqrt_pd((__m256d)a);
#else
	return (LANE(brDoubles)){sqrt(a[0]), sqrt(a[1])};
#endif
}

/// The same of four doubles, whatever the registers.
LANE_INLINE brDouble4 LANE(brRoot4)(brDouble4 a)
{
#if LANE_BYTES >= 32
	return (brDouble4)_mm256_sqrt_pd((__m256d)a);
#else
	return (brDouble4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

/// x, y, z and 0 of a point of doubles.
LANE_INLINE brDouble4 LANE(brPoint)(const double* p)
{
#if LANE_BYTES == 64
	return (brDouble4)_mm256_maskz_loadu_pd(7, p);
#elif LANE_BYTES == 32
	return (brDouble4)_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_load_sd(p + 2), 1);
#else
	union
	{
		brDouble2 halves[2];
		brDouble4 all;
	} point = {{(brDouble2){p[0], p[1]}, (brDouble2){p[2], 0.0}}};
	return point.all;
#endif
}

/// Four doubles rounded to floats.
LANE_INLINE brFloat4 LANE(brRound4)(brDouble4 a)
{
#if LANE_BYTES >= 32
	return (brFloat4)_mm256_cvtpd_ps((__m256d)a);
#else
	union
	{
		brDouble4 all;
		brDouble2 halves[2];
	} x = {a};
#if BR_LANES_X86
	return (brFloat4)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)x.halves[0]), _mm_cvtpd_ps((__m128d)x.halves[1]));
#else
	return (brFloat4){(float)x.halves[0][0], (float)x.halves[0][1], (float)x.halves[1][0], (float)x.halves[1][1]};
#endif
#endif
}

/// Four floats as doubles, exactly.
LANE_INLINE brDouble4 LANE(brWiden4)(brFloat4 a)
{
#if LANE_BYTES >= 32
	return (brDouble4)_mm256_cvtps_pd((__m128)a);
#else
	union
	{
		brDouble2 halves[2];
		brDouble4 all;
	} x;
#if BR_LANES_X86
	x.halves[0] = (brDouble2)_mm_cvtps_pd((__m128)a);
	x.halves[1] = (brDouble2)_mm_cvtps_pd(_mm_movehl_ps((__m128)a, (__m128)a));
#else
	x.halves[0] = (brDouble2){(double)a[0], (double)a[1]};
	x.halves[1] = (brDouble2){(double)a[2], (double)a[3]};
#endif
	return x.all;
#endif
}

/// a > b of four doubles, as a mask of four floats.
LANE_INLINE brInt4 LANE(brMore4)(brDouble4 a, brDouble4 b)
{
#if LANE_BYTES >= 32
	brInt8 mask = (brInt8)(a > b);
	return __builtin_shufflevector(mask, mask, 0, 2, 4, 6);
#else
	union
	{
		brDouble4 all;
		brDouble2 halves[2];
	} x = {a}, y = {b};
	brInt4 low = (brInt4)(x.halves[0] > y.halves[0]), high = (brInt4)(x.halves[1] > y.halves[1]);
	return __builtin_shufflevector(low, high, 0, 2, 4, 6);
#endif
}

/// Four rows x, y, z, any to columns of x, y and z.
LANE_INLINE void LANE(brColumns4)(const brFloat4 rows[4], brFloat4 outColumns[3])
{
	brFloat4 xy = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
	brFloat4 more = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
	outColumns[0] = __builtin_shufflevector(xy, more, 0, 1, 4, 5);
	outColumns[1] = __builtin_shufflevector(xy, more, 2, 3, 6, 7);
	outColumns[2] = __builtin_shufflevector(__builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
											__builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7), 0, 1, 4, 5);
}

/// One bit a lane of a mask.
LANE_INLINE uint32_t LANE(brBits)(LANE(brLongs) mask)
{
#if LANE_BYTES == 64
	return (uint32_t)_mm512_movepi64_mask((__m512i)mask);
#elif LANE_BYTES == 32
	return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#elif BR_LANES_X86
	return (uint32_t)_mm_movemask_pd((__m128d)mask);
#else
	return (uint32_t)(mask[0] < 0) | (uint32_t)(mask[1] < 0) << 1;
#endif
}

/// Bits of the lanes where a > b.
LANE_INLINE uint32_t LANE(brMoreBits)(LANE(brDoubles) a, LANE(brDoubles) b)
{
#if LANE_BYTES == 64
	return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
#elif LANE_BYTES == 32
	return (uint32_t)_mm256_movemask_pd((__m256d)(a > b));
#elif BR_LANES_X86
	return (uint32_t)_mm_movemask_pd((__m128d)(a > b));
#else
	return (uint32_t)(a[0] > b[0]) | (uint32_t)(a[1] > b[1]) << 1;
#endif
}

/// Bits of lanes to a mask.
LANE_INLINE LANE(brLongs) LANE(brMaskOf)(uint32_t bits)
{
#if LANE_BYTES == 64
	return (LANE(brLongs))_mm512_movm_epi64((__mmask8)bits);
#elif LANE_BYTES == 32
	const LANE(brLongs) each = {1, 2, 4, 8};
	return (each & (int64_t)bits) == each;
#else
	return (LANE(brLongs)){-(int64_t)(bits & 1u), -(int64_t)(bits >> 1 & 1u)};
#endif
}

/// Bits of the lanes where two lists of so many integers are the same.
LANE_INLINE uint32_t LANE(brSameBits)(const int32_t* a, const int32_t* b)
{
#if LANE_BYTES == 64
	return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256((const __m256i*)(const void*)a),
								   _mm256_loadu_si256((const __m256i*)(const void*)b));
#elif LANE_BYTES == 32
	return BR_BITS4((brInt4)_mm_loadu_si128((const __m128i*)(const void*)a) ==
					(brInt4)_mm_loadu_si128((const __m128i*)(const void*)b));
#elif BR_LANES_X86
	__m128i same = _mm_cmpeq_epi32(_mm_loadl_epi64((const __m128i*)(const void*)a),
								   _mm_loadl_epi64((const __m128i*)(const void*)b));
	return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)) & 3u;
#else
	return (uint32_t)(a[0] == b[0]) | (uint32_t)(a[1] == b[1]) << 1;
#endif
}

// As many floats as fit a register.

typedef float LANE(brFloats) __attribute__((vector_size(LANE_BYTES), may_alias));
typedef int32_t LANE(brInts) __attribute__((vector_size(LANE_BYTES), may_alias));

#if LANE_BYTES == 64
#define LANE_FLOATS(wide, half, four, a, b) (LANE(brFloats)) wide((__m512)(a), (__m512)(b))
#elif LANE_BYTES == 32
#define LANE_FLOATS(wide, half, four, a, b) (LANE(brFloats)) half((__m256)(a), (__m256)(b))
#else
#define LANE_FLOATS(wide, half, four, a, b) four(a, b)
#endif

/// The greater and the lesser of each lane; b if one of them is no number.
LANE_INLINE LANE(brFloats) LANE(brMaxFloats)(LANE(brFloats) a, LANE(brFloats) b)
{
	return LANE_FLOATS(_mm512_max_ps, _mm256_max_ps, BR_MAX4, a, b);
}

LANE_INLINE LANE(brFloats) LANE(brMinFloats)(LANE(brFloats) a, LANE(brFloats) b)
{
	return LANE_FLOATS(_mm512_min_ps, _mm256_min_ps, BR_MIN4, a, b);
}
#undef LANE_FLOATS

LANE_INLINE LANE(brFloats) LANE(brAbsFloats)(LANE(brFloats) a)
{
	return (LANE(brFloats))((LANE(brInts))a & INT32_MAX);
}

/// a b + c, rounded once or twice: for bounds, not for results.
LANE_INLINE LANE(brFloats) LANE(brRoughMulAdd)(LANE(brFloats) a, LANE(brFloats) b, LANE(brFloats) c)
{
#if LANE_BYTES == 64
	return (LANE(brFloats))_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
	return a * b + c;
#endif
}

/// One bit a lane.
#if LANE_BYTES == 64
typedef __mmask16 LANE(brLaneBits);
#else
typedef uint32_t LANE(brLaneBits);
#endif

/// Bits of the lanes where a > b.
LANE_INLINE LANE(brLaneBits) LANE(brMoreFloats)(LANE(brFloats) a, LANE(brFloats) b)
{
#if LANE_BYTES == 64
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
#elif LANE_BYTES == 32
	return (uint32_t)_mm256_movemask_ps((__m256)(a > b));
#else
	return BR_BITS4(a > b);
#endif
}

/// a in the lanes of the bits, 0 in the others.
LANE_INLINE LANE(brFloats) LANE(brKeepFloats)(uint32_t bits, LANE(brFloats) a)
{
#if LANE_BYTES == 64
	return (LANE(brFloats))_mm512_maskz_mov_ps((__mmask16)bits, (__m512)a);
#elif LANE_BYTES == 32
	const LANE(brInts) each = {1, 2, 4, 8, 16, 32, 64, 128};
	return (LANE(brFloats))(((each & (int32_t)bits) == each) & (LANE(brInts))a);
#else
	const LANE(brInts) each = {1, 2, 4, 8};
	return (LANE(brFloats))(((each & (int32_t)bits) == each) & (LANE(brInts))a);
#endif
}

LANE_INLINE LANE(brFloats) LANE(brRootFloats)(LANE(brFloats) a)
{
#if LANE_BYTES == 64
	return (LANE(brFloats))_mm512_sqrt_ps((__m512)a);
#elif LANE_BYTES == 32
	return (LANE(brFloats))_mm256_sqrt_ps((__m256)a);
#else
	return BR_ROOT4(a);
#endif
}

/// Bits of the lanes where a == b.
LANE_INLINE LANE(brLaneBits) LANE(brSameInts)(LANE(brInts) a, LANE(brInts) b)
{
#if LANE_BYTES == 64
	return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#elif LANE_BYTES == 32
	return (uint32_t)_mm256_movemask_ps((__m256)(a == b));
#else
	return BR_BITS4(a == b);
#endif
}
