// SPDX-License-Identifier: MIT

// Fans around a vertex: what is settled must be true by the exact test of every pair.

#include "harness.h"

#include "base/random.h"
#include "narrow/triangle_pair.h"
#include "narrow/vertex_fans.h"

#include <math.h>
#include <string.h>

typedef struct Fan
{
	int32_t size;
	brDVec3 positions[BR_FAN_MAX + 3]; // the vertex, its neighbors
	int32_t triangles[BR_FAN_MAX + 2][3];
} Fan;

// A closed fan that goes around `turns` times, over a plane turned at will, rough by `roughness`.
static Fan drawFan(brRandom* random, int32_t size, int32_t turns, double roughness, double length)
{
	Fan fan = {.size = size};
	brDVec3 center = {brRandom_Unit(random), brRandom_Unit(random), brRandom_Unit(random)};
	int32_t axis = brRandom_Below(random, 3);
	fan.positions[0] = center;
	for (int32_t i = 0; i < size; ++i)
	{
		double angle = 6.283185307179586 * turns * (i + 0.3 * brRandom_Unit(random)) / size;
		double radius = length * (0.5 + brRandom_Unit(random));
		double p[3] = {radius * brCos(angle), radius * brSin(angle),
					   length * roughness * (2.0 * brRandom_Unit(random) - 1.0)};
		fan.positions[i + 1] = brDAdd(center, (brDVec3){p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]});
	}
	int32_t turn = brRandom_Below(random, size);
	for (int32_t i = 0; i < size; ++i)
	{
		int32_t at = (i + turn) % size, corners[3] = {0, at + 1, (at + 1) % size + 1};
		for (int32_t k = 0; k < 3; ++k)
		{
			fan.triangles[i][(k + at) % 3] = corners[k];
		}
	}
	return fan;
}

static bool isSettled(const Fan* fan, int32_t triangleCount, int32_t lanes)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brVertexFans fans;
	brVertexFans_Init(&fans, &allocator);
	CHECK(brVertexFans_Build(&fans, NULL, (const int32_t(*)[3])fan->triangles, triangleCount, BR_FAN_MAX + 3));
	const uint8_t* settled = brVertexFans_Settle(&fans, NULL, fan->positions, lanes);
	CHECK(settled != NULL);
	for (int32_t i = 1; i < BR_FAN_MAX + 3; ++i)
	{
		CHECK(settled[i] == 0); // no closed fan
	}
	bool result = settled[0] != 0;
	brVertexFans_Free(&fans);
	return result;
}

static bool meetsBeyond(const Fan* fan)
{
	for (int32_t i = 0; i < fan->size; ++i)
	{
		for (int32_t j = i + 1; j < fan->size; ++j)
		{
			brDVec3 a[3], b[3];
			for (int k = 0; k < 3; ++k)
			{
				a[k] = fan->positions[fan->triangles[i][k]], b[k] = fan->positions[fan->triangles[j][k]];
			}
			if (brTrianglePair_MeetsBeyond(a, fan->triangles[i], b, fan->triangles[j]))
			{
				return true;
			}
		}
	}
	return false;
}

BR_TEST(vertex_fans_settle_only_what_does_not_meet)
{
	brRandom random = brTest_Random(test);
	int32_t settledCount = 0, meetingCount = 0, foldedCount = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 20000); ++round)
	{
		int32_t size = 3 + brRandom_Below(&random, BR_FAN_MAX - 2);
		double roughness = (double[]){0.0, 1e-7, 0.3, 1.0, 3.0}[brRandom_Below(&random, 5)];
		double length = (double[]){1e-12, 1e-5, 1.0, 1e6, 1e12}[brRandom_Below(&random, 5)];
		Fan fan = drawFan(&random, size, 1, roughness, length);
		if (brRandom_Below(&random, 4) == 0)
		{
			// Fold a neighbor over onto another, or beside it by a hair.
			brDVec3* p = fan.positions + 1;
			int32_t from = brRandom_Below(&random, size), to = brRandom_Below(&random, size);
			p[from] = brDLerp(p[from], p[to], (double[]){1.0, 1.0 - 1e-9, 0.9, 1.1}[brRandom_Below(&random, 4)]);
			foldedCount += 1;
		}
		bool meets = meetsBeyond(&fan);
		meetingCount += meets;
		for (int32_t lanes = 1; lanes <= 16; lanes += 15)
		{
			bool settled = isSettled(&fan, size, lanes);
			settledCount += settled;
			CHECK_MESSAGE(!(settled && meets), "a fan of %d that meets is settled with %d lanes", size, lanes);
		}
	}
	CHECK(settledCount > 0 && meetingCount > 0 && foldedCount > 0);
}

// The ordinary vertex of a surface, and one with two sheets: the signs of its triangles alone do not tell them apart.
BR_TEST(vertex_fans_count_their_turns)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 2000); ++round)
	{
		int32_t size = 7 + brRandom_Below(&random, BR_FAN_MAX - 6);
		Fan once = drawFan(&random, size, 1, 0.1, 1.0), twice = drawFan(&random, size, 2, 0.0, 1.0);
		for (int32_t lanes = 1; lanes <= 16; lanes += 15)
		{
			CHECK(isSettled(&once, size, lanes));
			CHECK(!isSettled(&twice, size, lanes));
		}
	}
}

// Whatever is not one closed fan is none of our business.
BR_TEST(vertex_fans_are_closed_and_single)
{
	brRandom random = brTest_Random(test);
	Fan fan = drawFan(&random, 6, 1, 0.1, 1.0);
	CHECK(isSettled(&fan, 6, 0));
	CHECK(!isSettled(&fan, 5, 0)); // open

	Fan doubled = fan;
	memcpy(doubled.triangles[6], fan.triangles[2], sizeof(doubled.triangles[6]));
	CHECK(!isSettled(&doubled, 7, 0));

	Fan fin = fan; // a triangle that stands on an edge of the fan
	memcpy(fin.triangles[6], (int32_t[3]){0, fan.size, BR_FAN_MAX + 1}, sizeof(fin.triangles[6]));
	CHECK(!isSettled(&fin, 7, 0));

	Fan flat = fan;
	memcpy(flat.triangles[6], (int32_t[3]){0, 0, 1}, sizeof(flat.triangles[6]));
	CHECK(!isSettled(&flat, 7, 0));

	Fan reversed = fan; // one triangle runs the other way
	reversed.triangles[3][0] = fan.triangles[3][1], reversed.triangles[3][1] = fan.triangles[3][0];
	CHECK(!isSettled(&reversed, 6, 0));

	Fan broken = fan;
	broken.positions[2].x = NAN;
	CHECK(!isSettled(&broken, 6, 0) && !isSettled(&broken, 6, 1));
}
