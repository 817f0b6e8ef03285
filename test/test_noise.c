// SPDX-License-Identifier: MIT

// Noise fields: bounded, smooth, without a bias, different for each seed, the same bits everywhere.

#include "base/hash.h"
#include "harness.h"
#include "math/noise.h"

static brDVec3 randomPoint(brRandom* random, double reach)
{
	double x = brRandom_Range(random, -reach, reach), y = brRandom_Range(random, -reach, reach);
	return brMakeDVec3(x, y, brRandom_Range(random, -reach, reach));
}

BR_TEST(noise_is_bounded_and_smooth)
{
	brRandom random = brTest_Random(test);
	double lowest = 0.0, highest = 0.0, sum = 0.0, squares = 0.0;
	int32_t rounds = brTest_Rounds(test, 200000);
	for (int32_t i = 0; i < rounds; ++i)
	{
		brDVec3 p = randomPoint(&random, 1000.0);
		double value = brNoise3(7, p);
		lowest = fmin(lowest, value), highest = fmax(highest, value);
		sum += value, squares += value * value;
		// The steepest slope is that of a gradient, sqrt(3) / 1.5, plus what the fade adds (its slope is at most 15 / 8
		// over corner values that differ by at most 2): small steps change little, over cell borders too.
		const double step = 1e-6;
		double near = brNoise3(7, brMakeDVec3(p.x + step, p.y - step, p.z + step));
		CHECK(fabs(near - value) < 12.0 * step);
		double fractal = brFractalNoise3(7, p, 1 + i % 8, 0.5);
		CHECK(fractal >= -1.0 && fractal <= 1.0);
	}
	CHECK(lowest > -1.0 && highest < 1.0 && lowest < -0.4 && highest > 0.4);
	// Mean zero within five standard errors; samples are nearly independent over 10^9 cells.
	double deviation = sqrt(squares / rounds);
	CHECK(deviation > 0.1 && deviation < 0.3);
	CHECK_NEAR(sum / rounds, 0.0, 5.0 * deviation / sqrt(rounds));
}

BR_TEST(noise_vanishes_on_its_lattice_and_differs_by_seed)
{
	brRandom random = brTest_Random(test);
	double product = 0.0, squares = 0.0;
	for (int32_t i = 0; i < 20000; ++i)
	{
		brDVec3 p = randomPoint(&random, 50.0);
		CHECK(brNoise3(3, brMakeDVec3(floor(p.x), floor(p.y), floor(p.z))) == 0.0);
		double a = brNoise3(3, p), b = brNoise3(4, p);
		product += a * b, squares += a * a;
	}
	CHECK(fabs(product) < 0.05 * squares);
}

// What a slice remembers of lattice points changes no bit.
BR_TEST(noise_of_a_slice_is_that_of_space)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		brNoiseSlice slice;
		uint64_t seed = brRandom_Next(&random);
		double z = brRandom_Range(&random, -3.0, 3.0), gain = brRandom_Range(&random, 0.1, 0.9), wrong = 0.0;
		int32_t octaves = 1 + round % BR_NOISE_OCTAVES;
		brNoiseSlice_Begin(&slice, seed, z, octaves, gain);
		for (int32_t i = 0; i < 500; ++i)
		{
			// Near each other, and now and then far away: places of the table change hands.
			double reach = i % 10 == 0 ? 1000.0 : 2.0;
			brDVec3 p = randomPoint(&random, reach);
			p.z = z;
			wrong += brNoiseSlice_At(&slice, p.x, p.y) != brFractalNoise3(seed, p, octaves, gain);
		}
		CHECK(wrong == 0.0);
	}
}

BR_TEST(noise_keeps_its_bits)
{
	uint64_t hash = BR_HASH_SEED;
	for (int32_t i = 0; i < 1000; ++i)
	{
		double value = brFractalNoise3(11, brMakeDVec3(0.37 * i, -0.11 * i, 0.013 * i * i), 5, 0.5);
		hash = brHashBytes(hash, &value, sizeof(value));
	}
	CHECK_MESSAGE(hash == 0x353b72a8c7632838u, "noise now has hash 0x%016llx", (unsigned long long)hash);
}
