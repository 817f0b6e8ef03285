// SPDX-License-Identifier: MIT

// Hash, random numbers, clock, processor: small things that everything else trusts.

#include "base/clock.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "brittle/info.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BR_TEST(hash_values_never_change)
{
	CHECK(brHash64(0) == 0);
	CHECK(brHash64(1) == 0x5692161d100b05e5u);
	CHECK(brHash64(UINT64_MAX) == 0xb4d055fcf2cbbd7bu);
	static const struct
	{
		const char* text;
		uint64_t hash;
	} golden[] = {{"", 0xf31f5f3eebe6e8a5u},
				  {"a", 0xf72170d1f844595bu},
				  {"brittle", 0x629b48f343076164u},
				  {"eight ch", 0x0532a92f60144cdeu},
				  {"closed solids in", 0x138445236122959du}};
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); ++i)
	{
		uint64_t hash = brHashBytes(BR_HASH_SEED, golden[i].text, strlen(golden[i].text));
		CHECK_MESSAGE(hash == golden[i].hash, "\"%s\" gives 0x%016llx", golden[i].text, (unsigned long long)hash);
	}
}

BR_TEST(hash_tells_lengths_and_alignments_apart)
{
	unsigned char zeros[64] = {0};
	uint64_t seen[64];
	for (size_t length = 0; length < 64; ++length)
	{
		seen[length] = brHashBytes(BR_HASH_SEED, zeros, length);
		for (size_t k = 0; k < length; ++k)
		{
			CHECK(seen[k] != seen[length]);
		}
	}
	unsigned char shifted[80];
	for (size_t offset = 0; offset < 8; ++offset)
	{
		for (size_t i = 0; i < 70; ++i)
		{
			shifted[offset + i] = (unsigned char)(37 * i);
		}
		uint64_t hash = brHashBytes(5, shifted + offset, 70);
		seen[0] = offset == 0 ? hash : seen[0];
		CHECK(hash == seen[0]);
	}
}

// A block is told from itself with any one bit turned, cut short or begun elsewhere; its value stays.
BR_TEST(hash_of_a_block_sees_every_bit)
{
	enum
	{
		bytes = 200
	};
	unsigned char block[bytes + 8];
	for (int i = 0; i < bytes; ++i)
	{
		block[i] = (unsigned char)(53 * i + 7);
	}
	uint64_t whole = brHashBlock(BR_HASH_SEED, block, bytes);
	CHECK_MESSAGE(whole == 0xb90e4da102ff63ebu, "a block gives 0x%016llx", (unsigned long long)whole);
	CHECK(brHashBlock(1, block, bytes) != whole);
	for (int bit = 0; bit < 8 * bytes; ++bit)
	{
		block[bit / 8] ^= (unsigned char)(1 << bit % 8);
		CHECK_MESSAGE(brHashBlock(BR_HASH_SEED, block, bytes) != whole, "bit %d", bit);
		block[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	uint64_t seen[bytes];
	memset(block, 0, sizeof(block));
	for (int length = 0; length < bytes; ++length)
	{
		seen[length] = brHashBlock(BR_HASH_SEED, block, (size_t)length);
		for (int k = 0; k < length; ++k)
		{
			CHECK(seen[k] != seen[length]);
		}
	}
}

// Turning one bit of the input turns each bit of the output about half the time.
BR_TEST(hash_mixes_every_bit)
{
	brRandom random = brTest_Random(test);
	enum
	{
		samples = 2000
	};
	static int32_t flips[2][64][64];
	for (int i = 0; i < samples; ++i)
	{
		uint64_t x = (uint64_t)brRandom_Next(&random) << 32 | brRandom_Next(&random);
		for (int in = 0; in < 64; ++in)
		{
			uint64_t y = x ^ (uint64_t)1 << in;
			uint64_t changes[2] = {brHash64(x) ^ brHash64(y), brHashBytes(1, &x, 8) ^ brHashBytes(1, &y, 8)};
			for (int out = 0; out < 64; ++out)
			{
				flips[0][in][out] += (int32_t)(changes[0] >> out & 1);
				flips[1][in][out] += (int32_t)(changes[1] >> out & 1);
			}
		}
	}
	// 8192 binomials of standard deviation 22: six of these are reached once in a hundred thousand runs.
	for (int in = 0; in < 64; ++in)
	{
		for (int out = 0; out < 64; ++out)
		{
			CHECK_MESSAGE(abs(flips[0][in][out] - samples / 2) < 135, "bit %d to %d: %d", in, out, flips[0][in][out]);
			CHECK_MESSAGE(abs(flips[1][in][out] - samples / 2) < 135, "bit %d to %d: %d", in, out, flips[1][in][out]);
		}
	}
}

BR_TEST(random_numbers_are_those_of_pcg32)
{
	// The demonstration of the PCG paper's own code: seed 42, stream 54
	static const uint32_t expected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e};
	brRandom random = brMakeRandom(42, 54);
	for (int i = 0; i < 6; ++i)
	{
		CHECK_EQUAL(brRandom_Next(&random), expected[i]);
	}
}

BR_TEST(random_streams_differ)
{
	brRandom a = brMakeRandom(1, 0), b = brMakeRandom(1, 1), c = brMakeRandom(2, 0);
	int same = 0;
	for (int i = 0; i < 1000; ++i)
	{
		uint32_t x = brRandom_Next(&a), y = brRandom_Next(&b), z = brRandom_Next(&c);
		same += (x == y) + (x == z) + (y == z);
	}
	CHECK(same <= 1);
}

BR_TEST(random_units_fill_the_interval)
{
	brRandom random = brTest_Random(test);
	double sum = 0.0, sumSq = 0.0, lowest = 1.0, highest = 0.0;
	int32_t count = 200000;
	for (int32_t i = 0; i < count; ++i)
	{
		double u = brRandom_Unit(&random);
		CHECK(u >= 0.0 && u < 1.0);
		sum += u, sumSq += u * u;
		lowest = u < lowest ? u : lowest, highest = u > highest ? u : highest;
		double r = brRandom_Range(&random, -3.0, 5.0);
		CHECK(r >= -3.0 && r <= 5.0);
	}
	CHECK_NEAR(sum / count, 0.5, 6.0 * sqrt(1.0 / 12.0 / count)); // six standard deviations
	CHECK_NEAR(sumSq / count, 1.0 / 3.0, 6.0 * sqrt(4.0 / 45.0 / count));
	CHECK(lowest < 1e-4 && highest > 1.0 - 1e-4);
}

BR_TEST(random_below_has_no_bias)
{
	static const uint32_t counts[] = {1, 2, 3, 7, 10, 100};
	brRandom random = brTest_Random(test);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c)
	{
		int32_t seen[100] = {0};
		int32_t draws = 100000;
		for (int32_t i = 0; i < draws; ++i)
		{
			uint32_t x = brRandom_Below(&random, counts[c]);
			CHECK(x < counts[c]);
			seen[x] += 1;
		}
		double expected = (double)draws / counts[c];
		for (uint32_t i = 0; i < counts[c]; ++i)
		{
			CHECK_NEAR(seen[i], expected, 6.0 * sqrt(expected));
		}
	}
	// With 3 * 2^30 possible answers a plain remainder would give the lower third twice as often as the rest.
	int32_t lower = 0;
	for (int32_t i = 0; i < 90000; ++i)
	{
		lower += brRandom_Below(&random, 3u << 30) < 1u << 30;
	}
	CHECK_NEAR(lower, 30000, 6.0 * sqrt(20000.0));
}

BR_TEST(clock_never_goes_back)
{
	int64_t last = brClockNanoseconds();
	for (int i = 0; i < 10000; ++i)
	{
		int64_t now = brClockNanoseconds();
		CHECK(now >= last);
		last = now;
	}
	CHECK(brSecondsSince(last) >= 0.0 && brSecondsSince(last) < 60.0);
	CHECK(brSecondsSince(brClockNanoseconds() - 2000000000) >= 2.0);
}

BR_TEST(cpu_paths_have_names_and_a_limit)
{
	brCpuPath best = brCpu_Best();
	CHECK(strcmp(brGetVectorPath(), brCpuPath_Name(best)) == 0);
	for (brCpuPath path = br_cpuScalar; path < br_cpuAvx512; ++path)
	{
		CHECK(strcmp(brCpuPath_Name(path), brCpuPath_Name(path + 1)) != 0);
	}
#if defined(__x86_64__)
	CHECK(best >= br_cpuSse2);
#endif
}

BR_TEST(info_lists_its_features)
{
	CHECK(brGetCapabilityCount() > 0 && brGetCapability(-1) == NULL && brGetCapability(brGetCapabilityCount()) == NULL);
	for (int32_t i = 0; i < brGetCapabilityCount(); ++i)
	{
		CHECK(brGetCapability(i)->name[0] != 0 && brGetCapability(i)->gives[0] != 0);
	}
	CHECK(brGetCoreCount() >= 1 && brGetCoreCount() <= BR_MAX_WORKERS);
	int major, minor, patch;
	CHECK(sscanf(brGetVersion(), "%d.%d.%d", &major, &minor, &patch) == 3);
	CHECK(major == BR_VERSION_MAJOR && minor == BR_VERSION_MINOR && patch == BR_VERSION_PATCH);
}
