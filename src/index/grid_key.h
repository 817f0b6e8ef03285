// SPDX-License-Identifier: MIT
#pragma once

// Names of the cells of a layered grid, and their hashes. Compiles as C17 and as OpenCL C 1.2.

#define BR_GRID_LAYERS 32
#define BR_GRID_AXIS_BITS 19

#ifdef __OPENCL_VERSION__
typedef uint brGridWord;
typedef ulong brGridName;
#else
#include <stdint.h>
typedef uint32_t brGridWord;
typedef uint64_t brGridName;
#endif

/// Layer and coordinates of a cell in one word; coordinates begin at 1, so that neighbors have names too.
static inline brGridName brGridName_Make(brGridWord layer, brGridWord x, brGridWord y, brGridWord z)
{
	return (brGridName)layer << (3 * BR_GRID_AXIS_BITS) | (brGridName)z << (2 * BR_GRID_AXIS_BITS) |
		   (brGridName)y << BR_GRID_AXIS_BITS | (brGridName)x;
}

static inline brGridWord brGridName_Axis(brGridName name, int axis)
{
	return (brGridWord)(name >> (axis * BR_GRID_AXIS_BITS)) & ((1u << BR_GRID_AXIS_BITS) - 1u);
}

static inline brGridWord brGridName_Layer(brGridName name)
{
	return (brGridWord)(name >> (3 * BR_GRID_AXIS_BITS));
}

/// Ten bits, two zeros after each.
static inline brGridWord brGridSpread(brGridWord x)
{
	x &= 0x3FFu;
	x = (x | x << 16) & 0x030000FFu;
	x = (x | x << 8) & 0x0300F00Fu;
	x = (x | x << 4) & 0x030C30C3u;
	return (x | x << 2) & 0x09249249u;
}

/// `hash` 0 is the product's, others are here to be compared with: 1 djb2, 2 FNV-1a, 3 a sum of coordinates times
/// primes.
static inline brGridWord brGridName_Hash(brGridName name, brGridWord hash)
{
	brGridWord words[4] = {brGridName_Layer(name), brGridName_Axis(name, 0), brGridName_Axis(name, 1),
						   brGridName_Axis(name, 2)};
	brGridWord h;
	switch (hash)
	{
		case 1: // djb2
			h = 5381u;
			for (int k = 0; k < 4; ++k)
			{
				h = (h << 5) + h + words[k];
			}
			return h;
		case 2: // FNV-1a
			h = 2166136261u;
			for (int k = 0; k < 4; ++k)
			{
				h = (h ^ words[k]) * 16777619u;
			}
			return h;
		case 3: // primes of Ericson 2004, and one for the layer
			return words[1] * 0x8da6b343u + words[2] * 0xd8163841u + words[3] * 0xcb1ab31fu + words[0] * 0x9e3779b1u;
		default: // Morton; layers begin at scattered places, so that they do not fill the same buckets
			h = brGridSpread(words[1]) | brGridSpread(words[2]) << 1 | brGridSpread(words[3]) << 2;
			return h + words[0] * 0x9e3779b1u;
	}
}
