// SPDX-License-Identifier: MIT

#include "contact/polytope_view.h"

#define BR_LANES_FILE "contact/view_kernels.h"
#include "base/each_lanes.h"

void brPolytopeView_Init(brPolytopeView* view, const brShape* shape)
{
	const brVec4* planes = brShape_Planes(shape);
	view->shape = shape;
	view->placeCount = 0;
	view->blockCount = (shape->faceCount + 7) / 8;
	for (int32_t i = 0; i < 8 * view->blockCount; ++i)
	{
		brVec4 plane = i < shape->faceCount ? planes[i] : (brVec4){0.0f, 0.0f, 0.0f, INFINITY};
		float* block = (float*)view->planes[i / 8] + i % 8;
		block[0] = plane.x, block[8] = plane.y, block[16] = plane.z, block[24] = plane.w;
	}
	for (int32_t i = 0; i < view->blockCount; ++i)
	{
		view->lowest[i] = brSplat8Plain(INFINITY);
	}
}

void brPolytopeView_Add(brPolytopeView* view, brVec3 place)
{
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewAdd, view, place);
	view->placeCount += 1;
}

bool brPolytopeView_EdgeCounts(const brPolytopeView* view, const int32_t* edge, float floor)
{
	int32_t first = view->placeCount < BR_VIEW_PLACES ? 0 : view->placeCount - BR_VIEW_PLACES;
	int32_t left = edge[2], right = edge[3];
	for (int32_t k = view->placeCount - 1; k >= first; --k) // the last are the best chosen
	{
		const float* heights = (const float*)view->heights[k % BR_VIEW_PLACES];
		float higher = heights[left] > heights[right] ? heights[left] : heights[right];
		if (higher > floor)
		{
			continue;
		}
		// With n = (s left + t right) / |s left + t right| a place below both is below n by more than below the nearer one. One above is higher
		// above n than above both, by the cosine of half the angle between them at most.
		const brVec4 *p = &brShape_Planes(view->shape)[left], *q = &brShape_Planes(view->shape)[right];
		if (higher <= 0.0f ||
			2.0f * higher * higher <= floor * floor * (1.0f + p->x * q->x + p->y * q->y + p->z * q->z))
		{
			return false;
		}
	}
	return true;
}
