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

void brPolytopeView_SetFloor(const brPolytopeView* view, float floor, brViewFloor* outFloor)
{
	int32_t count = view->placeCount < BR_VIEW_PLACES ? view->placeCount : BR_VIEW_PLACES;
	float limit = floor < 0.0f ? floor : 0.0f;
	outFloor->view = view;
	outFloor->floor = floor;
	outFloor->all = (1 << count) - 1;
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewAbove, view, count, limit, outFloor->above);
}

bool brViewFloor_MayPart(const brViewFloor* floor, const int32_t* edge)
{
	const brPolytopeView* view = floor->view;
	int32_t count = view->placeCount < BR_VIEW_PLACES ? view->placeCount : BR_VIEW_PLACES;
	const brVec4 *p = &brShape_Planes(view->shape)[edge[2]], *q = &brShape_Planes(view->shape)[edge[3]];
	// With n = (s p + t q) / |s p + t q| a place above p and q is higher above n than above both, by the cosine of half the angle between them at most.
	float cosine = p->x * q->x + p->y * q->y + p->z * q->z,
		  limit = 0.5f * floor->floor * floor->floor * (1.0f + cosine);
	for (int32_t k = 0; k < count; ++k)
	{
		const float* heights = (const float*)view->heights[k];
		float higher = heights[edge[2]] > heights[edge[3]] ? heights[edge[2]] : heights[edge[3]];
		if (higher * higher <= limit)
		{
			return false;
		}
	}
	return true;
}
