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
