// SPDX-License-Identifier: MIT

#include "contact/polytope_view.h"

#include <string.h>

// The least of some numbers, and its place among them.
typedef struct brViewLowest
{
	float value;
	int32_t index;
} brViewLowest;

#define BR_LANES_FILE "contact/view_kernels.h"
#include "base/each_lanes.h"

void brPolytopeView_Init(brPolytopeView* view, const brShape* shape)
{
	view->shape = shape;
	view->placeCount = 0;
	view->blockCount = (shape->faceCount + 7) / 8;
	view->cornerBlocks = (shape->vertexCount + 7) / 8;
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewLoad, (view, shape));
}

float brPolytopeView_LowestCorner(const brPolytopeView* view, brVec3 n, int32_t* outCorner)
{
	brViewLowest lowest =
		BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewLowest, (view->corners[0], 3, view->cornerBlocks, n));
	*outCorner = lowest.index;
	return lowest.value;
}

int32_t brPolytopeView_OpposedFace(const brPolytopeView* view, brVec3 n)
{
	return BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewLowest, (view->planes[0], 4, view->blockCount, n)).index;
}

void brPolytopeView_Add(brPolytopeView* view, brVec3 place)
{
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewAdd, (view, place));
	view->placeCount += 1;
}

void brPolytopeView_FindHigher(const brPolytopeView* view, float height, uint8_t outFaces[BR_VIEW_BLOCKS])
{
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewHigher, (view, height, outFaces));
}

void brPolytopeView_SetFloor(const brPolytopeView* view, float floor, brViewFloor* outFloor)
{
	int32_t count = view->placeCount < BR_VIEW_PLACES ? view->placeCount : BR_VIEW_PLACES;
	float limit = floor < 0.0f ? floor : 0.0f;
	outFloor->view = view;
	outFloor->floor = floor;
	outFloor->all = (1 << count) - 1;
	BR_ON_LANES(brCpu_Best() >= br_cpuAvx2, viewAbove, (view, count, limit, outFloor->above));
}

bool brViewFloor_MayPart(const brViewFloor* floor, const int32_t* edge)
{
	const brPolytopeView* view = floor->view;
	int32_t count = view->placeCount < BR_VIEW_PLACES ? view->placeCount : BR_VIEW_PLACES;
	const brVec4 *p = &brShape_Planes(view->shape)[edge[2]], *q = &brShape_Planes(view->shape)[edge[3]];
	// With n = (s p + t q) / |s p + t q| a place above p and q is higher above n than above both, by the cosine of half the angle between them at most.
	float cosine = p->x * q->x + p->y * q->y + p->z * q->z,
		  limit = 0.5f * floor->floor * floor->floor * (1.0f + cosine);
	// The last places are those where the two touch, and most often tell.
	for (int32_t k = 1; k <= count; ++k)
	{
		const float* heights = (const float*)view->heights[(view->placeCount - k) % BR_VIEW_PLACES];
		float higher = heights[edge[2]] > heights[edge[3]] ? heights[edge[2]] : heights[edge[3]];
		if (higher * higher <= limit)
		{
			return false;
		}
	}
	return true;
}
