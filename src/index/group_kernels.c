// SPDX-License-Identifier: MIT

// Inner loops of the front on groups, for sixteen lanes at once where the processor has them.

#include "index/group_front.h"

#if defined(__x86_64__) && !defined(BR_SCALAR)
#include <immintrin.h>
#endif

// A difference of floats is rounded to nearest; a little outward makes it a bound. Differences so small that this adds
// nothing are exact.
static inline float groupOutward(float x, float sign)
{
	return x + sign * fabsf(x) * 0x1p-21f;
}

static float groupSetStep(brGroupStep* step, const float low[3], const float high[3])
{
	float most = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		step->reach[k] = groupOutward(high[k], 1.0f);
		step->reach[k + 4] = groupOutward(-low[k], 1.0f);
		float up = fabsf(step->reach[k]), down = fabsf(step->reach[k + 4]);
		most = up > most ? up : most;
		most = down > most ? down : most;
	}
	step->reach[3] = step->reach[7] = 0.0f;
	return most;
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
__attribute__((target("avx512f"))) static float groupAdvanceAvx512(const brLaneBoxes* now, const brLaneBoxes* before,
																   brGroupStep* step)
{
	float low[3], high[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		// Empty lanes give infinity less infinity, which is no number.
		__m512 a = _mm512_sub_ps(_mm512_load_ps(now->lower[k]), _mm512_load_ps(before->lower[k]));
		__m512 b = _mm512_sub_ps(_mm512_load_ps(now->upper[k]), _mm512_load_ps(before->upper[k]));
		__mmask16 isBox = _mm512_cmp_ps_mask(a, b, _CMP_ORD_Q);
		low[k] = _mm512_mask_reduce_min_ps(isBox, _mm512_min_ps(a, b));
		high[k] = _mm512_mask_reduce_max_ps(isBox, _mm512_max_ps(a, b));
	}
	return groupSetStep(step, low, high);
}

__attribute__((target("avx512f"))) static uint32_t groupGapsAvx512(const brLaneBoxes* box, int32_t lane,
																   const brLaneBoxes* others, float margin,
																   float* outGaps)
{
	__m512 gap = _mm512_set1_ps(-INFINITY);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		__m512 x = _mm512_sub_ps(_mm512_load_ps(others->lower[k]), _mm512_set1_ps(box->upper[k][lane]));
		__m512 y = _mm512_sub_ps(_mm512_set1_ps(box->lower[k][lane]), _mm512_load_ps(others->upper[k]));
		gap = _mm512_max_ps(gap, _mm512_max_ps(x, y));
	}
	_mm512_storeu_ps(outGaps, gap);
	return _mm512_cmp_ps_mask(gap, _mm512_set1_ps(margin), _CMP_LE_OQ);
}
#endif

float brGroupFront_Advance(int32_t lanes, const brLaneBoxes* now, const brLaneBoxes* before, brGroupStep* outStep)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	if (lanes == 16)
	{
		return groupAdvanceAvx512(now, before, outStep);
	}
#else
	(void)lanes;
#endif
	float low[3], high[3];
	for (int k = 0; k < 3; ++k)
	{
		low[k] = INFINITY, high[k] = -INFINITY;
		for (int i = 0; i < BR_WIDE_ARITY && now->lower[k][i] <= now->upper[k][i]; ++i)
		{
			float a = now->lower[k][i] - before->lower[k][i], b = now->upper[k][i] - before->upper[k][i];
			low[k] = a < low[k] ? a : low[k], low[k] = b < low[k] ? b : low[k];
			high[k] = a > high[k] ? a : high[k], high[k] = b > high[k] ? b : high[k];
		}
	}
	return groupSetStep(outStep, low, high);
}

float brGroupFront_Bound(const brGroupStep* a, const brGroupStep* b)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	__m128 x = _mm_add_ps(_mm_load_ps(a->reach), _mm_load_ps(b->reach + 4));
	__m128 y = _mm_add_ps(_mm_load_ps(a->reach + 4), _mm_load_ps(b->reach));
	__m128 most = _mm_max_ps(x, y); // the fourth is 0
	most = _mm_max_ps(most, _mm_movehl_ps(most, most));
	most = _mm_max_ss(most, _mm_shuffle_ps(most, most, 1));
	return _mm_cvtss_f32(most);
#else
	float bound = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		float x = a->reach[k] + b->reach[k + 4], y = a->reach[k + 4] + b->reach[k];
		bound = x > bound ? x : bound;
		bound = y > bound ? y : bound;
	}
	return bound;
#endif
}

uint32_t brGroupFront_Gaps(int32_t lanes, const brLaneBoxes* box, int32_t lane, const brLaneBoxes* others, float margin,
						   float outGaps[BR_WIDE_ARITY])
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	if (lanes == 16)
	{
		return groupGapsAvx512(box, lane, others, margin, outGaps);
	}
#else
	(void)lanes;
#endif
	uint32_t near = 0;
	for (int i = 0; i < BR_WIDE_ARITY; ++i)
	{
		float gap = -INFINITY;
		for (int k = 0; k < 3; ++k)
		{
			float x = others->lower[k][i] - box->upper[k][lane], y = box->lower[k][lane] - others->upper[k][i];
			gap = x > gap ? x : gap;
			gap = y > gap ? y : gap;
		}
		outGaps[i] = gap;
		near |= (uint32_t)(gap <= margin) << i;
	}
	return near;
}
