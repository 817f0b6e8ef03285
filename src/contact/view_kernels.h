// SPDX-License-Identifier: MIT

// A place over eight faces at a time, in polytope_view.c once for each set of lanes (base/lanes.h).

// Eight places in a row of numbers to lanes of x, y and z.
LANE_INLINE void LANE(viewLoadCorners)(const float* from, brFloat8 out[3])
{
	typedef float Loose8 __attribute__((vector_size(32), aligned(4), may_alias));
	const brFloat8 a = *(const Loose8*)from, b = *(const Loose8*)(from + 8), c = *(const Loose8*)(from + 16);
	brFloat8 x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
	brFloat8 y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
	brFloat8 z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
	out[0] = __builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13);
	out[1] = __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14);
	out[2] = __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15);
}

// Eight planes likewise.
LANE_INLINE void LANE(viewLoadPlanes)(const float* from, brFloat8 out[4])
{
	typedef float Loose8 __attribute__((vector_size(32), aligned(4), may_alias));
	brFloat8 rows[4];
	for (int k = 0; k < 4; ++k)
	{
		rows[k] = *(const Loose8*)(from + 8 * k);
	}
	for (int k = 0; k < 2; ++k)
	{
		// x and y of four planes, then z and w.
		brFloat8 low = k == 0 ? __builtin_shufflevector(rows[0], rows[1], 0, 4, 8, 12, 1, 5, 9, 13)
							  : __builtin_shufflevector(rows[0], rows[1], 2, 6, 10, 14, 3, 7, 11, 15);
		brFloat8 high = k == 0 ? __builtin_shufflevector(rows[2], rows[3], 0, 4, 8, 12, 1, 5, 9, 13)
							   : __builtin_shufflevector(rows[2], rows[3], 2, 6, 10, 14, 3, 7, 11, 15);
		out[2 * k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
		out[2 * k + 1] = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

LANE_TARGET static void LANE(viewLoad)(brPolytopeView* view, const brShape* shape)
{
	const brVec3* corners = brShape_Vertices(shape);
	const brVec4* planes = brShape_Planes(shape);
	brVec3 lastCorners[8];
	brVec4 lastPlanes[8];
	for (int32_t k = 0; k < 8; ++k)
	{
		int32_t corner = 8 * (view->cornerBlocks - 1) + k, face = 8 * (view->blockCount - 1) + k;
		lastCorners[k] = corners[corner < shape->vertexCount ? corner : shape->vertexCount - 1];
		lastPlanes[k] = face < shape->faceCount ? planes[face] : (brVec4){0.0f, 0.0f, 0.0f, INFINITY};
	}
	for (int32_t i = 0; i < view->cornerBlocks; ++i)
	{
		bool isLast = i + 1 == view->cornerBlocks;
		LANE(viewLoadCorners)(&(isLast ? lastCorners : corners + 8 * i)->x, view->corners[i]);
	}
	for (int32_t i = 0; i < view->blockCount; ++i)
	{
		bool isLast = i + 1 == view->blockCount;
		LANE(viewLoadPlanes)(&(isLast ? lastPlanes : planes + 8 * i)->x, view->planes[i]);
		view->lowest[i] = LANE(brSplat8)(INFINITY);
	}
}

// The first of the least of n . x over vectors in blocks of eight, of which the numbers beyond x, y and z are passed
// over.
LANE_TARGET static brViewLowest LANE(viewLowest)(const brFloat8* blocks, int32_t stride, int32_t count, brVec3 n)
{
	const brFloat8 x = LANE(brSplat8)(n.x), y = LANE(brSplat8)(n.y), z = LANE(brSplat8)(n.z);
	brFloat8 least = LANE(brSplat8)(INFINITY);
	brInt8 places = {0}, here = {0, 1, 2, 3, 4, 5, 6, 7};
	for (int32_t i = 0; i < count; ++i)
	{
		const brFloat8* block = blocks + stride * i;
		brFloat8 d = x * block[0] + y * block[1] + z * block[2];
		brInt8 isLess = LANE(brLess8)(d, least);
		least = LANE(brMin8)(d, least);
		places = (isLess & here) | (~isLess & places);
		here += 8;
	}
	// Lanes against those four, two and one apart.
#define VIEW_FOLD(...)                                                                                                 \
	do                                                                                                                 \
	{                                                                                                                  \
		brFloat8 other = __builtin_shufflevector(least, least, __VA_ARGS__);                                           \
		brInt8 there = __builtin_shufflevector(places, places, __VA_ARGS__);                                           \
		brInt8 isBetter =                                                                                              \
			LANE(brLess8)(other, least) | (LANE(brEqual8)(other, least) & LANE(brIntLess8)(there, places));            \
		least = LANE(brMin8)(other, least);                                                                            \
		places = (isBetter & there) | (~isBetter & places);                                                            \
	} while (0)
	VIEW_FOLD(4, 5, 6, 7, 0, 1, 2, 3);
	VIEW_FOLD(2, 3, 0, 1, 6, 7, 4, 5);
	VIEW_FOLD(1, 0, 3, 2, 5, 4, 7, 6);
#undef VIEW_FOLD
	return (brViewLowest){least[0], places[0]};
}

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

LANE_TARGET static void LANE(viewHigher)(const brPolytopeView* view, float height, uint8_t* outFaces)
{
	brFloat8 limit = LANE(brSplat8)(height);
	for (int32_t i = 0; i < view->blockCount; ++i)
	{
		outFaces[i] = (uint8_t)LANE(brBits8)(LANE(brMore8)(view->lowest[i], limit));
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
