// SPDX-License-Identifier: MIT

// The sets of inner loops for registers of 16, 32 and 64 bytes.

#include "base/lanes.h"
#include "index/wide_kernels.h"

#include <string.h>

// The largest float not above x: one step down where the nearest one is above. Bits - 1 for positive, + 1 for negative numbers;
// a zero can only be above a tiny negative number, whose float is -0 with the smallest negative float one step further.
static inline float wideRoundDown(double x)
{
	float f = (float)x;
	int32_t bits, isAbove = -(int32_t)((double)f > x);
	memcpy(&bits, &f, sizeof(bits));
	bits += isAbove & (~bits >> 31 | 1);
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline float wideMost(float a, float b)
{
	return a > b ? a : b;
}

static void widePackTriangles(const brTrianglePack* pack, const uint32_t* ids, int32_t count, const brLaneBoxes* boxes,
							  brLaneTriangles* outGroups)
{
	const double scale = pack->scale, center[3] = {pack->center.x, pack->center.y, pack->center.z};
	for (int32_t first = 0; first < count; first += BR_WIDE_ARITY)
	{
		brLaneTriangles* group = &outGroups[first / BR_WIDE_ARITY];
		const brLaneBoxes* box = &boxes[first / BR_WIDE_ARITY];
		const double* origin = &pack->positions[pack->triangles[ids[first]][0]].x;
		for (int axis = 0; axis < 3; ++axis)
		{
			group->center[axis] = (float)((origin[axis] - center[axis]) * scale);
		}
		group->extent = 0.0f;
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			// Empty lanes repeat the last, unread.
			const int32_t* triangle = pack->triangles[ids[first + lane < count ? first + lane : count - 1]];
			for (int k = 0; k < 3; ++k)
			{
				const double* p = &pack->positions[triangle[k]].x;
				group->vertex[k][lane] = brTrianglePack_Name(pack, triangle[k]);
				for (int axis = 0; axis < 3; ++axis)
				{
					float x = (float)((p[axis] - center[axis]) * scale - (double)group->center[axis]);
					group->corner[k][axis][lane] = x;
					group->extent = wideMost(group->extent, fabsf(x));
				}
			}
			float sides[2][3], offset = 0.0f;
			for (int axis = 0; axis < 3; ++axis)
			{
				sides[0][axis] = group->corner[1][axis][lane] - group->corner[0][axis][lane];
				sides[1][axis] = group->corner[2][axis][lane] - group->corner[0][axis][lane];
			}
			for (int axis = 0; axis < 3; ++axis)
			{
				int y = (axis + 1) % 3, z = (axis + 2) % 3;
				float n = sides[0][y] * sides[1][z] - sides[0][z] * sides[1][y];
				group->plane[axis][lane] = n;
				offset += n * group->corner[0][axis][lane];
			}
			group->plane[3][lane] = offset;
		}
		for (int32_t lane = 0; lane < BR_WIDE_ARITY; ++lane)
		{
			float size = 0.0f;
			for (int axis = 0; axis < 3; ++axis)
			{
				size = wideMost(size, (box->upper[axis][lane] - box->lower[axis][lane]) * (float)scale);
			}
			group->size[lane] = size * (1.0f + 0x1p-20f) + 0x1p-21f * group->extent;
		}
	}
}

#define BR_LANES_WIDEST
#define BR_LANES_FILE "index/wide_lanes.h"
#include "base/each_lanes.h"

const brWideKernels* brGetWideKernels(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), brWideKernels);
}
