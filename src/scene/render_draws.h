// SPDX-License-Identifier: MIT
#pragma once

// The numbers that place a sample: points of scrambled Sobol sequences, made when they are asked for, since most rays of
// a picture meet nothing that needs them.

#include <stdint.h>

// What a pair of numbers is for.
typedef enum brRenderDrawUse
{
	br_drawPixel,  // where in the pixel
	br_drawLight,  // where on the key light
	br_drawBounce, // the direction of the bounce
	br_drawSecond, // where on the key light, at the bounce
	br_drawLens,
	br_drawTime,
	br_drawUses,
} brRenderDrawUse;

/// A sample: its number in the picture, and the picture's seeds by use.
typedef struct brRenderDraws
{
	uint32_t index;
	uint32_t seeds[br_drawUses];
} brRenderDraws;

static inline uint32_t brDraw_Reverse(uint32_t x)
{
	x = __builtin_bswap32(x);
	x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
	x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
	return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}

// A random permutation of fractions that keeps every binary interval together (Owen 1995), on reversed bits: products
// with even numbers let each bit depend on those below it only (Laine and Karras 2011).
static inline uint32_t brDraw_Scramble(uint32_t x, uint32_t seed)
{
	x += seed;
	x ^= x * 0x6c50b47cu;
	x ^= x * 0xb82f1e52u;
	x ^= x * 0xc7afe638u;
	x ^= x * 0x8d22f6e6u;
	return x;
}

/// The number of a pixel along the curve of Z: blocks of 2 x 2, 4 x 4, ... pixels are numbered together.
static inline uint32_t brDraw_Curve(uint32_t x, uint32_t y)
{
	uint32_t halves[2] = {x, y};
	for (int32_t i = 0; i < 2; ++i)
	{
		uint32_t v = halves[i] & 0xffffu;
		v = (v | v << 8) & 0x00ff00ffu;
		v = (v | v << 4) & 0x0f0f0f0fu;
		v = (v | v << 2) & 0x33333333u;
		halves[i] = (v | v << 1) & 0x55555555u;
	}
	return halves[0] | halves[1] << 1;
}

/// A point in [0, 1)^2 of a shuffled and scrambled Sobol sequence. Every run of 2^k numbers that begins at a multiple of
/// 2^k is evenly spread, and pairs for different uses are independent of each other (Burley 2020). Numbers run along the
/// curve of Z, so that the samples of a pixel are, and those of each small block of pixels together: what noise is left
/// has a mean near zero there, and smoothing takes it out (Ahmed and Wonka 2020).
static inline void brRenderDraws_Make(const brRenderDraws* draws, brRenderDrawUse use, float out[2])
{
	uint32_t seed = draws->seeds[use], x = brDraw_Reverse(brDraw_Scramble(brDraw_Reverse(draws->index), seed)), y = x;
	// The second coordinate: x as a polynomial over {0, 1}, with its variable raised by one, half by half.
	y ^= y >> 16;
	y ^= y >> 8 & 0x00ff00ffu;
	y ^= y >> 4 & 0x0f0f0f0fu;
	y ^= y >> 2 & 0x33333333u;
	y ^= y >> 1 & 0x55555555u;
	x = brDraw_Reverse(brDraw_Scramble(x, seed * 0x9e3779b9u + 1));
	y = brDraw_Reverse(brDraw_Scramble(y, seed * 0x85ebca6bu + 2));
	// 24 bits fit a float below 1.
	out[0] = (float)(x >> 8) * 0x1p-24f;
	out[1] = (float)(y >> 8) * 0x1p-24f;
}
