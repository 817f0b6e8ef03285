// SPDX-License-Identifier: MIT

// Gradient noise hashed from lattice coordinates. Cost: fourteen hashes per octave.

#include "math/noise.h"

#include "base/assert.h"
#include "base/hash.h"

// The slope of a lattice point times the offset from it. Slopes have components of 21 random bits in (-1, 1) and are
// left unnormalized: a cube of slopes is a little uneven over directions, which octaves hide, and saves a square root.
static double noiseSlope(uint64_t column, int64_t z, double dx, double dy, double dz)
{
	uint64_t hash = brHash64(column + (uint64_t)z * 0x165667b19e3779f9u);
	double sx = (double)(hash & 0x1fffff) * 0x1p-20 - 1.0;
	double sy = (double)((hash >> 21) & 0x1fffff) * 0x1p-20 - 1.0;
	double sz = (double)((hash >> 42) & 0x1fffff) * 0x1p-20 - 1.0;
	return sx * dx + sy * dy + sz * dz;
}

// 6t^5 - 15t^4 + 10t^3: slope and curvature vanish at both ends.
static double noiseFade(double t)
{
	return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

static double noiseMix(double a, double b, double t)
{
	return a + t * (b - a);
}

double brNoise3(uint64_t seed, brDVec3 point)
{
	BR_ASSERT(brDIsFinite(point) && fabs(point.x) < 0x1p62 && fabs(point.y) < 0x1p62 && fabs(point.z) < 0x1p62);
	brDVec3 cell = {floor(point.x), floor(point.y), floor(point.z)};
	int64_t x = (int64_t)cell.x, y = (int64_t)cell.y, z = (int64_t)cell.z;
	double dx = point.x - cell.x, dy = point.y - cell.y, dz = point.z - cell.z;
	double u = noiseFade(dx), v = noiseFade(dy), w = noiseFade(dz);

	uint64_t columns[2][2]; // of lattice points, by x and y
	for (int32_t i = 0; i < 2; ++i)
	{
		uint64_t plane = brHash64(seed + (uint64_t)(x + i) * 0x9e3779b97f4a7c15u);
		columns[i][0] = brHash64(plane + (uint64_t)y * 0xc2b2ae3d27d4eb4fu);
		columns[i][1] = brHash64(plane + (uint64_t)(y + 1) * 0xc2b2ae3d27d4eb4fu);
	}
	double rows[4];
	for (int32_t i = 0; i < 4; ++i)
	{
		int32_t j = i & 1, k = i >> 1;
		rows[i] = noiseMix(noiseSlope(columns[0][j], z + k, dx, dy - j, dz - k),
						   noiseSlope(columns[1][j], z + k, dx - 1.0, dy - j, dz - k), u);
	}
	// With all slopes at a corner of their cube the mix is at most 3 / 2 in the middle of a cell.
	return noiseMix(noiseMix(rows[0], rows[1], v), noiseMix(rows[2], rows[3], v), w) / 1.5;
}

double brFractalNoise3(uint64_t seed, brDVec3 point, int32_t octaves, double gain)
{
	BR_ASSERT(octaves >= 1 && octaves <= 16 && gain > 0.0);
	double sum = 0.0, height = 1.0, heights = 0.0;
	for (int32_t i = 0; i < octaves; ++i)
	{
		// A seed of its own for each octave: the lattice points of all of them meet at the origin.
		sum += height * brNoise3(brHash64(seed + (uint64_t)i), point);
		heights += height;
		height *= gain;
		point = brDMul(2.0, point);
	}
	return sum / heights;
}
