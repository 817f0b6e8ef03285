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

// Whether an edge may part the two by more than a floor above 0, by places that are above one of its faces or both.
static bool viewMayPart(const brViewFloor* floor, const int32_t* edge)
{
	const brPolytopeView* view = floor->view;
	int32_t count = view->placeCount < BR_VIEW_PLACES ? view->placeCount : BR_VIEW_PLACES;
	const brVec4 *p = &brShape_Planes(view->shape)[edge[2]], *q = &brShape_Planes(view->shape)[edge[3]];
	// With n = (s p + t q) / |s p + t q| a place above p and q is higher above n than above both, by the cosine of half
	// the angle between them at most.
	float cosine = p->x * q->x + p->y * q->y + p->z * q->z,
		  limit = 0.5f * floor->floor * floor->floor * (1.0f + cosine);
	int32_t isLower = 0;
	for (int32_t k = 0; k < count; ++k)
	{
		const float* heights = (const float*)view->heights[k];
		float higher = heights[edge[2]] > heights[edge[3]] ? heights[edge[2]] : heights[edge[3]];
		isLower |= higher * higher <= limit;
	}
	return isLower == 0;
}

// Few edges count, and which cannot be foretold: so there are no branches.
int32_t brViewFloor_FindEdges(const brViewFloor* floor, int32_t* outEdges)
{
	const brShape* shape = floor->view->shape;
	const int32_t(*edges)[4] = brShape_Edges(shape);
	int32_t found = 0, count = 0;
	// A place below both faces is below a direction between their normals by more than below the nearer one.
	for (int32_t i = 0; i < shape->edgeCount; ++i)
	{
		outEdges[found] = i;
		found += (floor->above[edges[i][2]] | floor->above[edges[i][3]]) == floor->all;
	}
	for (int32_t i = 0; i < found; ++i)
	{
		outEdges[count] = outEdges[i];
		count += floor->floor <= 0.0f || viewMayPart(floor, edges[outEdges[i]]);
	}
	return count;
}
