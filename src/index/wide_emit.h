// SPDX-License-Identifier: MIT

// Steps of the walk of wide_query.h, in wide_lanes.h once for each set of lanes. Both may write 16 entries.

#if LANE_BYTES == 32

// The numbers of the set bits of a mask of eight, the lowest first; what is behind them is any.
LANE_INLINE __m256i LANE(wideChosen)(uint32_t mask)
{
	uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xFF;
	return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)_pext_u64(0x0706050403020100u, bytes)));
}

LANE_INLINE int32_t LANE(wide_append)(uint32_t mask, int32_t base, int32_t* out)
{
	__m256i low = _mm256_add_epi32(LANE(wideChosen)(mask & 0xFFu), _mm256_set1_epi32(base));
	__m256i high = _mm256_add_epi32(LANE(wideChosen)(mask >> 8 & 0xFFu), _mm256_set1_epi32(base + 8));
	int32_t count = __builtin_popcount(mask & 0xFFu);
	_mm256_storeu_si256((__m256i*)(void*)out, low);
	_mm256_storeu_si256((__m256i*)(void*)(out + count), high);
	return count + __builtin_popcount(mask & 0xFF00u);
}

// The pairs of one primitive with lanes of eight.
LANE_INLINE int32_t LANE(wideEmit8)(uint32_t mask, uint32_t id, const uint32_t* ids, bool isOrdered, brPair* out)
{
	__m256i b = _mm256_loadu_si256((const __m256i*)(const void*)ids), a = _mm256_set1_epi32((int32_t)id);
	b = _mm256_permutevar8x32_epi32(b, LANE(wideChosen)(mask));
	if (isOrdered)
	{
		__m256i smaller = _mm256_min_epu32(a, b);
		b = _mm256_max_epu32(a, b), a = smaller;
	}
	__m256i even = _mm256_unpacklo_epi32(a, b), odd = _mm256_unpackhi_epi32(a, b);
	_mm256_storeu_si256((__m256i*)(void*)out, _mm256_permute2x128_si256(even, odd, 0x20));
	_mm256_storeu_si256((__m256i*)(void*)(out + 4), _mm256_permute2x128_si256(even, odd, 0x31));
	return __builtin_popcount(mask);
}

LANE_INLINE int32_t LANE(wide_emit)(uint32_t mask, uint32_t id, const uint32_t* ids, bool isOrdered, brPair* out)
{
	int32_t count = LANE(wideEmit8)(mask & 0xFFu, id, ids, isOrdered, out);
	return (mask & 0xFF00u) == 0 ? count
								 : count + LANE(wideEmit8)(mask >> 8 & 0xFFu, id, ids + 8, isOrdered, out + count);
}

#else

// Masks of three lanes are the most frequent: four entries are written in any case, and a loop writes what is left. How
// often a loop turns is what the processor cannot foresee.

LANE_INLINE int32_t LANE(wide_append)(uint32_t mask, int32_t base, int32_t* out)
{
	uint32_t bits = mask & 0xFFFFu;
	int32_t count = 0;
	BR_UNROLL
	for (int32_t i = 0; i < 4; ++i)
	{
		out[i] = base + __builtin_ctz(bits | 0x10000u);
		count += bits != 0;
		bits &= bits - 1;
	}
	for (; bits != 0; bits &= bits - 1)
	{
		out[count++] = base + __builtin_ctz(bits);
	}
	return count;
}

LANE_INLINE brPair LANE(widePair)(uint32_t id, uint32_t other, bool isOrdered)
{
	// Without a branch: which id is the smaller is what the processor cannot foresee either.
	uint32_t swap = (id ^ other) & (0u - (uint32_t)(isOrdered & (other < id)));
	return (brPair){(int32_t)(id ^ swap), (int32_t)(other ^ swap)};
}

LANE_INLINE int32_t LANE(wide_emit)(uint32_t mask, uint32_t id, const uint32_t* ids, bool isOrdered, brPair* out)
{
	uint32_t bits = mask & 0xFFFFu;
	int32_t count = 0;
	BR_UNROLL
	for (int32_t i = 0; i < 4; ++i)
	{
		out[i] = LANE(widePair)(id, ids[__builtin_ctz(bits | 0x8000u)], isOrdered);
		count += bits != 0;
		bits &= bits - 1;
	}
	for (; bits != 0; bits &= bits - 1)
	{
		out[count++] = LANE(widePair)(id, ids[__builtin_ctz(bits)], isOrdered);
	}
	return count;
}

#endif
