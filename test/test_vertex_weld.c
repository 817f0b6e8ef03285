// SPDX-License-Identifier: MIT
#include "harness.h"
#include "io/vertex_weld.h"

#include <stdlib.h>
#include <string.h>

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
	// The last steps are h = (g ^ g >> 32) * K with g = (f ^ f >> 32 ^ z) * K, f = (y << 32 | x) * C. For a wanted h whose
	// top bits are zero, g follows; with z fixed f follows, and x, y from f.
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
