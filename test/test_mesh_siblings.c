// SPDX-License-Identifier: MIT

// Bodies born side by side: first contacts from the facets they share, and depths against the pose at birth.

#include "contact/collide_mesh.h"
#include "contact/siblings.h"
#include "harness.h"
#include "mesh_scenes.h"

#include <math.h>

BR_TEST(mesh_siblings_touch_all_over_their_crack)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		// A bumpy sheet of quads over the unit square with a step in it: two or three directions.
		enum
		{
			cells = 8
		};
		static brVec3 corners[3 * 2 * cells * cells];
		static brVec3 normals[2 * cells * cells];
		static int32_t starts[2 * cells * cells + 1];
		double heights[cells + 1][cells + 1];
		double bump = brRandom_Range(&random, 0.0, 0.01),
			   step = round % 2 == 0 ? 0.0 : brRandom_Range(&random, 0.2, 0.5);
		for (int32_t i = 0; i <= cells; ++i)
		{
			for (int32_t k = 0; k <= cells; ++k)
			{
				heights[i][k] = brRandom_Range(&random, -bump, bump) + (i > cells / 2 ? step : 0.0);
			}
		}
		int32_t count = 0;
		for (int32_t i = 0; i < 2 * cells * cells; ++i)
		{
			int32_t x = i / 2 % cells, y = i / 2 / cells;
			const int32_t at[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
			brVec3 p[3];
			for (int32_t c = 0; c < 3; ++c)
			{
				int32_t u = x + at[i % 2][c][0], v = y + at[i % 2][c][1];
				p[c] = brMakeVec3((float)u / cells, (float)v / cells, (float)heights[u][v]);
				corners[3 * count + c] = p[c];
			}
			normals[count] = brNormalize(brCross(brSub(p[1], p[0]), brSub(p[2], p[0])));
			starts[count] = 3 * count;
			count += 1;
		}
		starts[count] = 3 * count;
		brSharedFacets facets = {count, starts, corners, normals};
		brTouch touches[BR_PAIR_MANIFOLDS];
		int32_t touchCount = brTouchSiblings(&facets, touches);
		CHECK(touchCount >= 1 && touchCount <= BR_PAIR_MANIFOLDS);
		CHECK(touchCount > 1 || step == 0.0);
		if (touchCount > 1 && touches[1].normal.z > touches[0].normal.z)
		{
			brTouch swap = touches[0];
			touches[0] = touches[1], touches[1] = swap;
		}
		CHECK(touches[0].normal.z > 0.98f);
		// The four points of the main one span the square.
		CHECK_EQUAL(touches[0].count, 4);
		float area = 0.0f;
		brVec3 n = {0.0f, 0.0f, 1.0f};
		for (int32_t k = 1; k < 3; ++k)
		{
			for (int32_t m = k + 1; m < 4; ++m)
			{
				area = fmaxf(area, fabsf(brDot(n, brCross(brSub(touches[0].points[k], touches[0].points[0]),
														  brSub(touches[0].points[m], touches[0].points[0])))));
			}
		}
		CHECK_MESSAGE(area > 0.7f, "the points span %g", (double)area);
		uint32_t ids[16];
		int32_t idCount = 0;
		for (int32_t t = 0; t < touchCount; ++t)
		{
			CHECK(touches[t].count >= 1 && fabsf(brLength(touches[t].normal) - 1.0f) < 1e-4f);
			for (int32_t k = 0; k < touches[t].count; ++k)
			{
				CHECK(touches[t].separations[k] == 0.0f);
				for (int32_t m = 0; m < idCount; ++m)
				{
					CHECK(ids[m] != touches[t].ids[k]);
				}
				ids[idCount++] = touches[t].ids[k];
			}
		}
	}
	brTouch none[BR_PAIR_MANIFOLDS];
	CHECK_EQUAL(brTouchSiblings(&(brSharedFacets){0}, none), 0);
}
