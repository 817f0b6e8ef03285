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
