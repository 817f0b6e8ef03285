// SPDX-License-Identifier: MIT

// Inner loops of the front on groups, in group_kernels.c once for each set of lanes (base/lanes.h): sixteen boxes in as
// many registers as it takes.

#define GROUP_WIDTH (LANE_BYTES / 4)
#define FLOATS LANE(brFloats)

LANE_INLINE FLOATS LANE(groupSplat)(float x)
{
	return (FLOATS){0} + x;
}

LANE_TARGET static float LANE(groupAdvance)(const brLaneBoxes* now, const brLaneBoxes* before, brGroupStep* step)
{
	float low[3], high[3];
	for (int k = 0; k < 3; ++k)
	{
		// Empty lanes give infinity less infinity, which is no number and is left out.
		FLOATS least = LANE(groupSplat)(INFINITY), most = LANE(groupSplat)(-INFINITY);
		for (int i = 0; i < BR_WIDE_ARITY; i += GROUP_WIDTH)
		{
			FLOATS a =
				*(const FLOATS*)(const void*)(now->lower[k] + i) - *(const FLOATS*)(const void*)(before->lower[k] + i);
			FLOATS b =
				*(const FLOATS*)(const void*)(now->upper[k] + i) - *(const FLOATS*)(const void*)(before->upper[k] + i);
			least = LANE(brMinFloats)(b, LANE(brMinFloats)(a, least));
			most = LANE(brMaxFloats)(b, LANE(brMaxFloats)(a, most));
		}
		low[k] = least[0], high[k] = most[0];
		for (int i = 1; i < GROUP_WIDTH; ++i)
		{
			low[k] = least[i] < low[k] ? least[i] : low[k];
			high[k] = most[i] > high[k] ? most[i] : high[k];
		}
	}
	return groupSetStep(step, low, high);
}

LANE_TARGET static uint32_t LANE(groupGaps)(const brLaneBoxes* box, int32_t lane, const brLaneBoxes* others,
											float margin, float outGaps[BR_WIDE_ARITY])
{
	uint32_t apart = 0;
	for (int i = 0; i < BR_WIDE_ARITY; i += GROUP_WIDTH)
	{
		FLOATS gap = LANE(groupSplat)(-INFINITY);
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			FLOATS x = *(const FLOATS*)(const void*)(others->lower[k] + i) - box->upper[k][lane];
			FLOATS y = box->lower[k][lane] - *(const FLOATS*)(const void*)(others->upper[k] + i);
			gap = LANE(brMaxFloats)(gap, LANE(brMaxFloats)(x, y));
		}
		memcpy(outGaps + i, &gap, sizeof(gap));
		apart |= (uint32_t)LANE(brMoreFloats)(gap, LANE(groupSplat)(margin)) << i;
	}
	return ~apart & 0xFFFFu;
}

static const brGroupKernels LANE(groupKernels) = {LANE(groupAdvance), LANE(groupGaps)};

#undef GROUP_WIDTH
#undef FLOATS
