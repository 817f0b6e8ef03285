// SPDX-License-Identifier: MIT
#pragma once

// Seeded random numbers, the same on every platform: PCG32 (O'Neill 2014), 64 bits of state, a stream per purpose.
//
// Give each independent item its own stream (seed, index) instead of sharing one generator between workers: the result
// then cannot depend on who drew first.

#include <stdint.h>

typedef struct brRandom
{
	uint64_t state;
	uint64_t increment; // odd: selects the stream
} brRandom;

static inline uint32_t brRandom_Next(brRandom* random)
{
	uint64_t old = random->state;
	random->state = old * 6364136223846793005u + random->increment;
	uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
	uint32_t turn = (uint32_t)(old >> 59);
	return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

static inline brRandom brMakeRandom(uint64_t seed, uint64_t stream)
{
	brRandom random = {0, (stream << 1) | 1};
	brRandom_Next(&random);
	random.state += seed;
	brRandom_Next(&random);
	return random;
}

/// Uniform in [0, 1), 53 bits.
static inline double brRandom_Unit(brRandom* random)
{
	uint64_t high = brRandom_Next(random) >> 5;
	uint64_t low = brRandom_Next(random) >> 6;
	return (double)((high << 26) | low) * 0x1p-53;
}

/// Uniform in [lower, upper); rounding may give `upper` itself.
static inline double brRandom_Range(brRandom* random, double lower, double upper)
{
	return lower + (upper - lower) * brRandom_Unit(random);
}

/// Uniform in [0, count) without bias (Lemire 2019). `count` > 0.
static inline uint32_t brRandom_Below(brRandom* random, uint32_t count)
{
	uint64_t product = (uint64_t)brRandom_Next(random) * count;
	if ((uint32_t)product < count)
	{
		uint32_t reject = (0u - count) % count;
		while ((uint32_t)product < reject)
		{
			product = (uint64_t)brRandom_Next(random) * count;
		}
	}
	return (uint32_t)(product >> 32);
}
