// SPDX-License-Identifier: MIT

#include "index/group_front.h"

#include "base/lanes.h"

#include <string.h>

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

#define BR_LANES_WIDEST
#define BR_LANES_FILE "index/group_lanes.h"
#include "base/each_lanes.h"

const brGroupKernels* brGetGroupKernels(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), groupKernels);
}

float brGroupFront_Bound(const brGroupStep* a, const brGroupStep* b)
{
	const brFloat4 *up = (const brFloat4*)(const void*)a->reach, *other = (const brFloat4*)(const void*)b->reach;
	brFloat4 most = BR_MAX4(up[0] + other[1], up[1] + other[0]); // the fourth is 0
	most = BR_MAX4(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
	return most[0] > most[1] ? most[0] : most[1];
}
