// SPDX-License-Identifier: MIT

// The inner loops on a level for one set of vector instructions (base/lanes.h). Lanes are the numbers of one node, or
// those of several columns of a block; sums run over blocks in order, so that all sets give the same bits.

LANE_INLINE brFloat8 LANE(levelColumn)(const float* from)
{
	brFloat8 lanes;
	memcpy(&lanes, from, sizeof(lanes));
	return lanes;
}

// The three numbers of a node; a worker must not touch the next one's.
LANE_INLINE brFloat4 LANE(levelThree)(const float* from)
{
#if LANE_BYTES == 64
	return (brFloat4)_mm_maskz_loadu_ps(7, from);
#else
	return (brFloat4){from[0], from[1], from[2], 0};
#endif
}

LANE_INLINE void LANE(levelPutThree)(float* to, brFloat4 lanes)
{
#if LANE_BYTES == 64
	_mm_mask_storeu_ps(to, 7, (__m128)lanes);
#else
	to[0] = lanes[0], to[1] = lanes[1], to[2] = lanes[2];
#endif
}

#if LANE_BYTES == 64

// Sum of the blocks of a row times x, for nodes of three: the three columns of a block side by side.
LANE_INLINE brFloat4 LANE(levelRow3)(const brLevel* level, int32_t row, const float* x)
{
	const __m512i spread = _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
	const __m512i second = _mm512_setr_epi32(3, 4, 5, 5, 3, 4, 5, 5, 3, 4, 5, 5, 3, 4, 5, 5);
	const __m512i third = _mm512_setr_epi32(6, 7, 8, 8, 6, 7, 8, 8, 6, 7, 8, 8, 6, 7, 8, 8);
	__m512 sum = _mm512_setzero_ps();
	const float* block = level->blocks + 9 * (size_t)level->firsts[row];
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i, block += 9)
	{
		__m512 v = _mm512_castps128_ps512(_mm_loadu_ps(x + 3 * (size_t)level->columns[i]));
		sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_maskz_loadu_ps(0x1ff, block), _mm512_permutexvar_ps(spread, v)));
	}
	brFloat4 s0 = (brFloat4)_mm512_castps512_ps128(sum);
	brFloat4 s1 = (brFloat4)_mm512_castps512_ps128(_mm512_permutexvar_ps(second, sum));
	brFloat4 s2 = (brFloat4)_mm512_castps512_ps128(_mm512_permutexvar_ps(third, sum));
	return (s0 + s1) + s2;
}

// Two columns side by side.
LANE_INLINE __m512 LANE(levelBlock6)(const float* block, const float* v)
{
	const __m512i spread = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
				  two = _mm512_set1_epi32(2);
	const __m512i upper = _mm512_setr_epi32(6, 7, 8, 9, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11);
	__m512 x = _mm512_castps256_ps512(_mm256_loadu_ps(v));
	__m512i next = _mm512_add_epi32(spread, two), last = _mm512_add_epi32(next, two);
	__m512 sum = _mm512_mul_ps(_mm512_maskz_loadu_ps(0xfff, block), _mm512_permutexvar_ps(spread, x));
	sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_maskz_loadu_ps(0xfff, block + 12), _mm512_permutexvar_ps(next, x)));
	sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_maskz_loadu_ps(0xfff, block + 24), _mm512_permutexvar_ps(last, x)));
	return _mm512_add_ps(sum, _mm512_permutexvar_ps(upper, sum));
}

LANE_INLINE brFloat8 LANE(levelTimes6)(const float* block, const float* v)
{
	return (brFloat8)_mm512_castps512_ps256(LANE(levelBlock6)(block, v));
}

LANE_INLINE brFloat8 LANE(levelRow6)(const brLevel* level, int32_t row, const float* x)
{
	__m512 sum = _mm512_setzero_ps();
	const float* block = level->blocks + 36 * (size_t)level->firsts[row];
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i, block += 36)
	{
		sum = _mm512_add_ps(sum, LANE(levelBlock6)(block, x + 6 * (size_t)level->columns[i]));
	}
	return (brFloat8)_mm512_castps512_ps256(sum);
}

// The same in double, eight of nine numbers side by side.
LANE_INLINE brDVec3 LANE(levelDoubleRow)(const brLevel* level, int32_t row, const brDVec3* x, double scale)
{
	const __m512i spread = _mm512_setr_epi64(0, 0, 0, 1, 1, 1, 2, 2);
	__m512d sum = _mm512_setzero_pd();
	double last = 0.0, s[8];
	const float* block = level->blocks + 9 * (size_t)level->firsts[row];
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i, block += 9)
	{
		const double* from = &x[level->columns[i]].x;
		__m512d v = _mm512_permutexvar_pd(spread, _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, from)));
		sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_cvtps_pd(_mm256_loadu_ps(block)), v));
		last += (double)block[8] * from[2];
	}
	memcpy(s, &sum, sizeof(s));
	return (brDVec3){((s[0] + s[3]) + s[6]) * scale, ((s[1] + s[4]) + s[7]) * scale, ((s[2] + s[5]) + last) * scale};
}

#else

// Sum of the blocks of a row times x, for nodes of three. One sum a column: three chains of additions run side by side.
LANE_INLINE brFloat4 LANE(levelRow3)(const brLevel* level, int32_t row, const float* x)
{
	brFloat4 s0 = {0, 0, 0, 0}, s1 = s0, s2 = s0;
	const float* block = level->blocks + 9 * (size_t)level->firsts[row];
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i, block += 9)
	{
		const float* v = x + 3 * (size_t)level->columns[i];
		brFloat4 c0, c1, c2;
		memcpy(&c0, block, sizeof(c0));
		memcpy(&c1, block + 3, sizeof(c1));
		memcpy(&c2, block + 6, sizeof(c2));
		s0 += c0 * v[0];
		s1 += c1 * v[1];
		s2 += c2 * v[2];
	}
	return (s0 + s1) + s2;
}

LANE_INLINE brFloat8 LANE(levelTimes6)(const float* block, const float* v)
{
	brFloat8 s0 = LANE(levelColumn)(block) * v[0], s1 = LANE(levelColumn)(block + 6) * v[1];
	s0 += LANE(levelColumn)(block + 12) * v[2];
	s1 += LANE(levelColumn)(block + 18) * v[3];
	s0 += LANE(levelColumn)(block + 24) * v[4];
	s1 += LANE(levelColumn)(block + 30) * v[5];
	return s0 + s1;
}

LANE_INLINE brFloat8 LANE(levelRow6)(const brLevel* level, int32_t row, const float* x)
{
	brFloat8 sum = {0, 0, 0, 0, 0, 0, 0, 0};
	const float* block = level->blocks + 36 * (size_t)level->firsts[row];
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i, block += 36)
	{
		sum += LANE(levelTimes6)(block, x + 6 * (size_t)level->columns[i]);
	}
	return sum;
}

LANE_INLINE brDouble4 LANE(levelWiden)(const float* from)
{
	brFloat4 lanes;
	memcpy(&lanes, from, sizeof(lanes));
	return __builtin_convertvector(lanes, brDouble4);
}

LANE_INLINE brDVec3 LANE(levelDoubleRow)(const brLevel* level, int32_t row, const brDVec3* x, double scale)
{
	brDouble4 s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0;
	const float* block = level->blocks + 9 * (size_t)level->firsts[row];
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i, block += 9)
	{
		brDVec3 v = x[level->columns[i]];
		s0 += LANE(levelWiden)(block) * v.x;
		s1 += LANE(levelWiden)(block + 3) * v.y;
		s2 += LANE(levelWiden)(block + 6) * v.z;
	}
	brDouble4 sum = ((s0 + s1) + s2) * scale;
	return (brDVec3){sum[0], sum[1], sum[2]};
}

#endif

LANE_INLINE void LANE(levelResidualRows)(const LevelJob* job, int32_t begin, int32_t end)
{
	const brLevel* level = job->level;
	for (int32_t row = begin; row < end; ++row)
	{
		if (level->size == 3)
		{
			brFloat4 sum = LANE(levelRow3)(level, row, job->x);
			for (int k = 0; k < 3; ++k)
			{
				size_t i = 3 * (size_t)row + (size_t)k;
				job->out[i] = job->load != NULL ? job->load[i] - sum[k] : sum[k];
			}
		}
		else
		{
			brFloat8 sum = LANE(levelRow6)(level, row, job->x);
			for (int k = 0; k < 6; ++k)
			{
				size_t i = 6 * (size_t)row + (size_t)k;
				job->out[i] = job->load != NULL ? job->load[i] - sum[k] : sum[k];
			}
		}
	}
}

LANE_INLINE void LANE(levelSmoothRow3)(const LevelJob* job, int32_t row)
{
	const brLevel* level = job->level;
	size_t first = 3 * (size_t)row;
	brFloat4 r = LANE(levelThree)(job->load + first);
	if (job->x != NULL)
	{
		r -= LANE(levelRow3)(level, row, job->x);
	}
	const float* block = level->inverses + 3 * first;
	brFloat4 c0, c1, c2;
	memcpy(&c0, block, sizeof(c0));
	memcpy(&c1, block + 3, sizeof(c1));
	memcpy(&c2, block + 6, sizeof(c2));
	brFloat4 out = ((c0 * r[0] + c1 * r[1]) + c2 * r[2]) * job->weight;
	if (job->x != NULL)
	{
		out += LANE(levelThree)(job->x + first);
	}
	LANE(levelPutThree)(job->out + first, out);
}

LANE_INLINE void LANE(levelSmoothRow6)(const LevelJob* job, int32_t row)
{
	const brLevel* level = job->level;
	float r[8] = {0};
	size_t first = 6 * (size_t)row;
	memcpy(r, job->load + first, 6 * sizeof(float));
	if (job->x != NULL)
	{
		brFloat8 sum = LANE(levelRow6)(level, row, job->x);
		for (int k = 0; k < 6; ++k)
		{
			r[k] -= sum[k];
		}
	}
	brFloat8 d = LANE(levelTimes6)(level->inverses + 6 * first, r);
	for (int k = 0; k < 6; ++k)
	{
		size_t i = first + (size_t)k;
		job->out[i] = (job->x != NULL ? job->x[i] : 0.0f) + job->weight * d[k];
	}
}

LANE_INLINE void LANE(levelSmoothRows)(const LevelJob* job, int32_t begin, int32_t end)
{
	for (int32_t row = begin; row < end; ++row)
	{
		if (job->level->size == 3)
		{
			LANE(levelSmoothRow3)(job, row);
		}
		else
		{
			LANE(levelSmoothRow6)(job, row);
		}
	}
}

LANE_INLINE void LANE(levelGatherRow)(const LevelJob* job, int32_t row, int32_t n, float* sums)
{
	const brLevel* level = job->level;
	float r[8];
	if (n == 3)
	{
		brFloat4 sum = LANE(levelRow3)(level, row, job->x);
		for (int k = 0; k < 3; ++k)
		{
			r[k] = job->load[3 * (size_t)row + (size_t)k] - sum[k];
		}
	}
	else
	{
		brFloat8 sum = LANE(levelRow6)(level, row, job->x);
		for (int k = 0; k < 6; ++k)
		{
			r[k] = job->load[6 * (size_t)row + (size_t)k] - sum[k];
		}
	}
	for (int32_t i = level->upStarts[row]; i < level->upStarts[row + 1]; ++i)
	{
		const float* block = level->upBlocks + 6 * (size_t)n * (size_t)i;
		float* to = sums + BR_LEVEL_STRIDE * (size_t)level->upColumns[i];
		brFloat8 sum = LANE(levelColumn)(to);
		for (int k = 0; k < n; ++k)
		{
			sum += LANE(levelColumn)(block + 6 * k) * r[k];
		}
		memcpy(to, &sum, sizeof(sum));
	}
}

// One range of rows.
LANE_INLINE void LANE(levelGatherRows)(const LevelJob* job, int32_t begin, int32_t end)
{
	size_t length = BR_LEVEL_STRIDE * (size_t)job->level->coarseCount;
	float* sums = job->level->gathered + length * (size_t)(begin / job->rangeRows);
	memset(sums, 0, length * sizeof(float));
	for (int32_t row = begin; row < end; ++row)
	{
		if (job->level->size == 3)
		{
			LANE(levelGatherRow)(job, row, 3, sums);
		}
		else
		{
			LANE(levelGatherRow)(job, row, 6, sums);
		}
	}
}

// Aggregates: the sums of all ranges.
LANE_INLINE void LANE(levelCollectRows)(const LevelJob* job, int32_t begin, int32_t end)
{
	const brLevel* level = job->level;
	size_t length = BR_LEVEL_STRIDE * (size_t)level->coarseCount;
	int32_t ranges = (level->nodeCount + job->rangeRows - 1) / job->rangeRows;
	for (int32_t row = begin; row < end; ++row)
	{
		const float* from = level->gathered + BR_LEVEL_STRIDE * (size_t)row;
		brFloat8 sum = LANE(levelColumn)(from);
		for (int32_t i = 1; i < ranges; ++i)
		{
			sum += LANE(levelColumn)(from + length * (size_t)i);
		}
		memcpy(job->out + 6 * (size_t)row, &sum, 6 * sizeof(float));
	}
}

// For each of three vectors the sum of its first six lanes, in pairs.
LANE_INLINE brFloat4 LANE(levelSumSix)(const brFloat8 sums[3])
{
#if LANE_BYTES >= 32
	__m256 ab = _mm256_hadd_ps((__m256)sums[0], (__m256)sums[1]), c = _mm256_hadd_ps((__m256)sums[2], (__m256)sums[2]);
	__m128 abLast = _mm256_extractf128_ps(ab, 1), cLast = _mm256_extractf128_ps(c, 1);
	__m128 firsts = _mm_hadd_ps(_mm256_castps256_ps128(ab), _mm256_castps256_ps128(c));
	return (brFloat4)_mm_add_ps(firsts, _mm_shuffle_ps(abLast, cLast, 0x88));
#else
	brFloat4 out = {0, 0, 0, 0};
	for (int k = 0; k < 3; ++k)
	{
		out[k] = ((sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3])) + (sums[k][4] + sums[k][5]);
	}
	return out;
#endif
}

LANE_INLINE void LANE(levelProlongRow)(const LevelJob* job, int32_t row, int32_t n)
{
	const brLevel* level = job->level;
	brFloat8 sums[6];
	memset(sums, 0, sizeof(sums));
	for (int32_t i = level->upStarts[row]; i < level->upStarts[row + 1]; ++i)
	{
		const float* block = level->upBlocks + 6 * (size_t)n * (size_t)i;
		brFloat8 v = LANE(levelColumn)(job->x + 6 * (size_t)level->upColumns[i]);
		for (int k = 0; k < n; ++k)
		{
			sums[k] += LANE(levelColumn)(block + 6 * k) * v;
		}
	}
	for (int k = 0; k < n; k += 3)
	{
		float* out = &job->out[(size_t)n * (size_t)row + (size_t)k];
		brFloat4 sum = LANE(levelThree)(out) + LANE(levelSumSix)(sums + k);
		LANE(levelPutThree)(out, sum);
	}
}

LANE_INLINE void LANE(levelProlongRows)(const LevelJob* job, int32_t begin, int32_t end)
{
	for (int32_t row = begin; row < end; ++row)
	{
		if (job->level->size == 3)
		{
			LANE(levelProlongRow)(job, row, 3);
		}
		else
		{
			LANE(levelProlongRow)(job, row, 6);
		}
	}
}

LANE_INLINE void LANE(levelDoubleRows)(const LevelJob* job, int32_t begin, int32_t end)
{
	double product = 0.0;
	for (int32_t row = begin; row < end; ++row)
	{
		brDVec3 sum = LANE(levelDoubleRow)(job->level, row, job->doubleX, job->scale);
		uint32_t held = job->held[row];
		brDVec3 y = {(held & 1) != 0 ? 0.0 : sum.x, (held & 2) != 0 ? 0.0 : sum.y, (held & 4) != 0 ? 0.0 : sum.z};
		product += brDDot(job->doubleX[row], y);
		job->doubleY[row] = y;
	}
	job->sums[begin / BR_VECTOR_BLOCK] = product;
}

#define LEVEL_RANGE(name)                                                                                              \
	LANE_TARGET static void LANE(name)(int32_t begin, int32_t end, int32_t worker, void* user)                         \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		LANE(name##Rows)(user, begin, end);                                                                            \
	}

LEVEL_RANGE(levelResidual)
LEVEL_RANGE(levelSmooth)
LEVEL_RANGE(levelGather)
LEVEL_RANGE(levelCollect)
LEVEL_RANGE(levelProlong)
LEVEL_RANGE(levelDouble)

#undef LEVEL_RANGE
