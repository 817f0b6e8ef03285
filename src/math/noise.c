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

void brNoiseSlice_Begin(brNoiseSlice* slice, uint64_t seed, double z, int32_t octaves, double gain)
{
	BR_ASSERT(octaves >= 1 && octaves <= BR_NOISE_OCTAVES && gain > 0.0);
	slice->seed = seed;
	slice->z = z, slice->gain = gain, slice->octaves = octaves;
	for (int32_t i = 0; i < BR_NOISE_OCTAVES; ++i)
	{
		slice->used[i] = 0;
	}
}

static void sliceFill(const brNoiseSlice* slice, int32_t octave, brNoisePoint* out)
{
	double z = slice->z * (double)(1 << octave), cell = floor(z);
	uint64_t seed = brHash64(slice->seed + (uint64_t)octave);
	uint64_t plane = brHash64(seed + (uint64_t)out->x * 0x9e3779b97f4a7c15u);
	uint64_t column = brHash64(plane + (uint64_t)out->y * 0xc2b2ae3d27d4eb4fu);
	for (int32_t k = 0; k < 2; ++k)
	{
		out->slopesX[k] = noiseSlope(column, (int64_t)cell + k, 1.0, 0.0, 0.0);
		out->slopesY[k] = noiseSlope(column, (int64_t)cell + k, 0.0, 1.0, 0.0);
		out->rises[k] = noiseSlope(column, (int64_t)cell + k, 0.0, 0.0, z - cell - k);
	}
}

static const brNoisePoint* slicePoint(brNoiseSlice* slice, int32_t octave, int64_t x, int64_t y)
{
	int32_t n = (int32_t)(x & 7) | (int32_t)(y & 7) << 3;
	brNoisePoint* point = &slice->points[octave][n];
	if ((slice->used[octave] >> n & 1) == 0 || point->x != x || point->y != y)
	{
		slice->used[octave] |= (uint64_t)1 << n;
		point->x = x, point->y = y;
		sliceFill(slice, octave, point);
	}
	return point;
}

double brNoiseSlice_At(brNoiseSlice* slice, double x, double y)
{
	BR_ASSERT(fabs(x) < 0x1p60 && fabs(y) < 0x1p60);
	double sum = 0.0, height = 1.0, heights = 0.0, z = slice->z;
	for (int32_t i = 0; i < slice->octaves; ++i, x *= 2.0, y *= 2.0, z *= 2.0)
	{
		int64_t cx = (int64_t)x, cy = (int64_t)y;
		cx -= (double)cx > x, cy -= (double)cy > y;
		double dx = x - (double)cx, dy = y - (double)cy, u = noiseFade(dx), v = noiseFade(dy);
		double w = noiseFade(z - floor(z)), layers[2], rows[2][2];
		for (int32_t j = 0; j < 2; ++j)
		{
			const brNoisePoint *a = slicePoint(slice, i, cx, cy + j), *b = slicePoint(slice, i, cx + 1, cy + j);
			for (int32_t k = 0; k < 2; ++k)
			{
				double left = a->slopesX[k] * dx + a->slopesY[k] * (dy - j) + a->rises[k];
				double right = b->slopesX[k] * (dx - 1.0) + b->slopesY[k] * (dy - j) + b->rises[k];
				rows[k][j] = noiseMix(left, right, u);
			}
		}
		for (int32_t k = 0; k < 2; ++k)
		{
			layers[k] = noiseMix(rows[k][0], rows[k][1], v);
		}
		sum += height * (noiseMix(layers[0], layers[1], w) / 1.5);
		heights += height;
		height *= slice->gain;
	}
	return sum / heights;
}
