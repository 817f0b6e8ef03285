// SPDX-License-Identifier: MIT
#include "base/forest.h"
#include "harness.h"
#include "io/vertex_weld.h"
#include "mesh/weld.h"

#include <stdlib.h>
#include <string.h>

// Points

// The weld against all pairs.
BR_TEST(point_weld_equals_brute_force)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t merged = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		enum
		{
			pointCount = 700
		};
		brDVec3 points[pointCount];
		int32_t vertices[pointCount];
		uint32_t range = 1 + brRandom_Below(&random, 12);
		for (int32_t i = 0; i < pointCount; ++i)
		{
			double* p = &points[i].x;
			for (int32_t k = 0; k < 3; ++k)
			{
				p[k] = (double)brRandom_Below(&random, range) * 0.5;
				p[k] = brRandom_Below(&random, 2) == 0 ? p[k] : -p[k];
			}
		}
		brPointWeld weld;
		CHECK(brPointWeld_Init(&weld, &allocator, round % 3 == 0 ? 0 : 400));
		int32_t done = 0;
		while (done < pointCount)
		{
			int32_t count = 1 + (int32_t)brRandom_Below(&random, 200);
			count = count < pointCount - done ? count : pointCount - done;
			CHECK(brPointWeld_Add(&weld, points + done, count, vertices + done));
			done += count;
		}
		int32_t next = 0;
		for (int32_t i = 0; i < pointCount; ++i)
		{
			int32_t first = 0;
			while (points[first].x != points[i].x || points[first].y != points[i].y || points[first].z != points[i].z)
			{
				first += 1;
			}
			int32_t expected = first < i ? vertices[first] : next++;
			merged += first < i;
			CHECK_EQUAL(vertices[i], expected);
			CHECK(memcmp(&weld.positions.data[vertices[i]], &points[first], sizeof(brDVec3)) == 0);
		}
		CHECK_EQUAL(weld.positions.count, next);
		brPointWeld_Free(&weld);
	}
	CHECK(merged > 0);
}

// Points that all have one hash as long as nobody has changed the salt: a product with zero.
BR_TEST(point_weld_keeps_its_pace_on_hostile_points)
{
	brAllocator allocator = brContext_Allocator(NULL);
	enum
	{
		pointCount = 200000
	};
	brDVec3* points = malloc(pointCount * sizeof(brDVec3));
	int32_t* vertices = malloc(pointCount * sizeof(int32_t));
	uint64_t bits = 0xbf58476d1ce4e5b9u;
	for (int32_t i = 0; i < pointCount; ++i)
	{
		points[i] = (brDVec3){i % (pointCount / 2), 0.0, 1.0};
		memcpy(&points[i].y, &bits, sizeof(bits));
	}
	brPointWeld weld;
	CHECK(brPointWeld_Init(&weld, &allocator, 0));
	CHECK(brPointWeld_Add(&weld, points, pointCount, vertices));
	CHECK(weld.table.salt != 0); // it did notice
	CHECK_EQUAL(weld.positions.count, pointCount / 2);
	for (int32_t i = 0; i < pointCount; ++i)
	{
		CHECK_EQUAL(vertices[i], i % (pointCount / 2));
	}
	brPointWeld_Free(&weld);
	CHECK_EQUAL(brFindEqualPositions(&allocator, points, pointCount, vertices), pointCount / 2);
	for (int32_t i = 0; i < pointCount; ++i)
	{
		CHECK_EQUAL(vertices[i], i % (pointCount / 2));
	}
	free(points);
	free(vertices);
}

BR_TEST(weld_finds_equal_and_near_positions)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	int32_t nearer = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		brDVec3 positions[120];
		int32_t first[120], expected[120];
		int32_t count = 1 + (int32_t)brRandom_Below(&random, 120);
		double distance = brRandom_Range(&random, 0.05, 3.0);
		for (int32_t i = 0; i < count; ++i)
		{
			positions[i] = (brDVec3){brRandom_Below(&random, 9), (brRandom_Below(&random, 9) - 4.0) * 0.5,
									 brRandom_Below(&random, 2) != 0 ? 0.0 : -0.0};
			positions[i].x += brRandom_Below(&random, 3) == 0 ? brRandom_Range(&random, -1.0, 1.0) : 0.0;
			expected[i] = i;
		}
		int32_t repeated = brFindEqualPositions(&allocator, positions, count, first);
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t k = 0;
			while (positions[k].x != positions[i].x || positions[k].y != positions[i].y)
			{
				k += 1;
			}
			CHECK_EQUAL(first[i], k);
			repeated -= k != i;
		}
		CHECK_EQUAL(repeated, 0);

		int32_t joined = brFindNearPositions(&allocator, positions, count, distance, first);
		for (int32_t i = 0; i < count; ++i)
		{
			for (int32_t k = 0; k < i; ++k)
			{
				if (brDLengthSq(brDSub(positions[i], positions[k])) <= distance * distance)
				{
					joined -= brJoinRoots(expected, i, k);
				}
			}
		}
		CHECK_EQUAL(joined, 0);
		for (int32_t i = 0; i < count; ++i)
		{
			CHECK_EQUAL(first[i], brFindRoot(expected, i));
			nearer += first[i] != i;
		}
	}
	CHECK(nearer > 0);
	// Distances that coordinates cannot resolve join equal places only.
	brDVec3 far[3] = {{1e300, 0, 0}, {1.0000000000000002e300, 0, 0}, {1e300, 0, 0}};
	int32_t first[3];
	CHECK_EQUAL(brFindNearPositions(&allocator, far, 3, 1e-9, first), 1);
	CHECK_EQUAL(first[2], 0);
}

// Tuples of floats

static int32_t weldSlowly(const float* keys, int32_t words, int32_t count, int32_t* map)
{
	int32_t unique = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t found = -1;
		for (int32_t j = 0; j < i && found < 0; ++j)
		{
			bool isEqual = true;
			for (int32_t w = 0; w < words; ++w)
			{
				isEqual &= keys[i * words + w] == keys[j * words + w];
			}
			found = isEqual ? map[j] : -1;
		}
		map[i] = found >= 0 ? found : unique++;
	}
	return unique;
}

BR_TEST(weld_agrees_with_comparing_all_pairs)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		float keys[7 * 300];
		int32_t map[300], slow[300];
		int32_t words = 3 + (int32_t)brRandom_Below(&random, 5);
		int32_t count = (int32_t)brRandom_Below(&random, 300);
		uint32_t variety = 1 + brRandom_Below(&random, 6);
		for (int32_t i = 0; i < words * count; ++i)
		{
			float value = (float)brRandom_Below(&random, variety);
			keys[i] = value == 0.0f && brRandom_Below(&random, 2) == 0 ? -0.0f : value;
		}
		brWeldKeys weldKeys = {(const uint8_t*)keys, (size_t)words * sizeof(float), words, count};
		CHECK_EQUAL(brWeldVertices(&allocator, &weldKeys, map), weldSlowly(keys, words, count, slow));
		CHECK(memcmp(map, slow, (size_t)count * sizeof(int32_t)) == 0);
	}
}

// Keys whose hashes all fall into a few slots, by running the hash backwards: the table would take quadratic time.
static uint64_t inverseOf(uint64_t odd)
{
	uint64_t inverse = odd;
	for (int32_t i = 0; i < 6; ++i)
	{
		inverse *= 2 - odd * inverse;
	}
	return inverse;
}

BR_TEST(weld_keeps_its_pace_on_hostile_keys)
{
	// The last steps are h = (g ^ g >> 32) * K with g = (f ^ f >> 32 ^ z) * K, f = (y << 32 | x) * C. For a wanted h
	// whose top bits are zero, g follows; with z fixed f follows, and x, y from f.
	const uint64_t K = inverseOf(0xD6E8FEB86659FD93u);
	const uint64_t C = inverseOf(0x9E3779B97F4A7C15u);
	enum
	{
		count = 60000
	};
	float* keys = malloc(sizeof(float) * 3 * count);
	int32_t* map = malloc(sizeof(int32_t) * count);
	CHECK(keys != NULL && map != NULL);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint64_t h = (uint64_t)(i + 1) << 20;
		uint64_t g = h * K;
		g ^= g >> 32;
		uint64_t f = g * K;
		f ^= f >> 32;
		uint64_t xy = f * C;
		uint32_t x[3] = {(uint32_t)xy, (uint32_t)(xy >> 32), 0};
		memcpy(keys + 3 * (size_t)i, x, sizeof(x));
	}
	memcpy(keys + 3 * (count - 1), keys, 3 * sizeof(float)); // one double
	brTestAllocator counting;
	brTestAllocator_Init(&counting);
	brWeldKeys weldKeys = {(const uint8_t*)keys, 3 * sizeof(float), 3, count};
	CHECK_EQUAL(brWeldVertices(&counting.allocator, &weldKeys, map), count - 1);
	CHECK(counting.allocations > 1); // it did take the way out
	CHECK_EQUAL(counting.liveBlocks, 0);
	CHECK_EQUAL(map[count - 1], 0);
	brTestAllocator_Destroy(&counting);
	free(keys), free(map);
}
