// SPDX-License-Identifier: MIT

// A place over eight faces at a time, in polytope_view.c once for each set of lanes (base/lanes.h).

LANE_TARGET static void LANE(viewAdd)(brPolytopeView* view, brVec3 place)
{
	brFloat8 x = LANE(brSplat8)(place.x), y = LANE(brSplat8)(place.y), z = LANE(brSplat8)(place.z);
	brFloat8* heights = view->heights[view->placeCount % BR_VIEW_PLACES];
	for (int32_t i = 0; i < view->blockCount; ++i)
	{
		const brFloat8* plane = view->planes[i];
		heights[i] = plane[0] * x + plane[1] * y + plane[2] * z - plane[3];
		view->lowest[i] = LANE(brMin8)(view->lowest[i], heights[i]);
	}
}

LANE_TARGET static void LANE(viewAbove)(const brPolytopeView* view, int32_t placeCount, float floor, int32_t* outAbove)
{
	brFloat8 limit = LANE(brSplat8)(floor);
	for (int32_t i = 0; i < view->blockCount; ++i)
	{
		brInt8 above = {0};
		for (int32_t k = 0; k < placeCount; ++k)
		{
			above |= LANE(brMore8)(view->heights[k][i], limit) & (1 << k);
		}
		*(brInt8*)(outAbove + 8 * i) = above;
	}
}
