// SPDX-License-Identifier: MIT
#pragma once

// Smooth random fields over space, the same bits everywhere: for bumpy models, rough crack faces and strength fields.
//
// Gradient noise (Perlin 1985, with the quintic fade of 2002) on the integer lattice; the slope at a lattice point is
// hashed from its coordinates and the seed, so there is no table and no period below 2^64 cells.

#include "brittle/math.h"

/// One octave: zero at lattice points, twice differentiable, cells of size 1, within [-1, 1] and mostly within half
/// that.
double brNoise3(uint64_t seed, brDVec3 point);

/// Sum of `octaves` copies, each of twice the frequency and `gain` times the height of the one before, divided by the
/// sum of the heights: within [-1, 1]. `octaves` from 1 to 16, `gain` > 0.
double brFractalNoise3(uint64_t seed, brDVec3 point, int32_t octaves, double gain);

#define BR_NOISE_OCTAVES 3 // of a slice, at most
#define BR_NOISE_KEPT 64   // lattice points of each

// What is known of a lattice point of a slice, below it and above: slopes, and what of the noise is due to the way up.
typedef struct brNoisePoint
{
	int64_t x, y;
	double slopesX[2], slopesY[2], rises[2];
} brNoisePoint;

/// brFractalNoise3 in the plane of one z, for many places near each other: it keeps what it knows of lattice points.
/// Start from brNoiseSlice_Begin; a slice serves one thread.
typedef struct brNoiseSlice
{
	uint64_t seed;
	double z, gain;
	int32_t octaves;
	brNoisePoint points[BR_NOISE_OCTAVES][BR_NOISE_KEPT];
	uint64_t used[BR_NOISE_OCTAVES]; // a bit a point
} brNoiseSlice;

void brNoiseSlice_Begin(brNoiseSlice* slice, uint64_t seed, double z, int32_t octaves, double gain);

/// brFractalNoise3(seed, {x, y, z}, octaves, gain), to the bit.
double brNoiseSlice_At(brNoiseSlice* slice, double x, double y);
