// SPDX-License-Identifier: MIT
#pragma once

// The place of a cell along the Hilbert curve, ten bits an axis. Compiles as C17 and as OpenCL C 1.2.

#define BR_CURVE_CODE_AXIS_BITS 10

#ifdef __OPENCL_VERSION__
typedef uint brCurveCode;
#else
#include <stdint.h>
typedef uint32_t brCurveCode;
#endif

/// Ten bits, two zeros after each.
static inline brCurveCode brCurveCode_Spread(brCurveCode x)
{
	x = (x | x << 16) & 0x030000FFu;
	x = (x | x << 8) & 0x0300F00Fu;
	x = (x | x << 4) & 0x030C30C3u;
	return (x | x << 2) & 0x09249249u;
}

/// Undoes the turns of each level from the coarsest down, then the Gray code, then interleaves (Skilling, "Programming
/// the Hilbert curve", 2004).
static inline brCurveCode brCurveCode_Hilbert(brCurveCode x, brCurveCode y, brCurveCode z)
{
	for (brCurveCode bit = 1u << (BR_CURVE_CODE_AXIS_BITS - 1); bit > 1; bit >>= 1)
	{
		brCurveCode low = bit - 1;
		x ^= (x & bit) != 0 ? low : 0;
		brCurveCode swap = (x ^ y) & low;
		x ^= (y & bit) != 0 ? low : swap;
		y ^= (y & bit) != 0 ? 0 : swap;
		swap = (x ^ z) & low;
		x ^= (z & bit) != 0 ? low : swap;
		z ^= (z & bit) != 0 ? 0 : swap;
	}
	y ^= x;
	z ^= y;
	// Every bit turns over all bits below it.
	brCurveCode turns = z ^ z >> 1;
	turns ^= turns >> 2;
	turns ^= turns >> 4;
	turns = (turns ^ turns >> 8) >> 1;
	return brCurveCode_Spread(x ^ turns) << 2 | brCurveCode_Spread(y ^ turns) << 1 | brCurveCode_Spread(z ^ turns);
}
