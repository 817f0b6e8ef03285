// SPDX-License-Identifier: MIT

// Cell cutting in whatever instructions every processor of this kind has.

#include "fracture/voronoi_cell.h"

#include <string.h>

#define CELL_NAME(name) cellPlain_##name
#define CELL_TARGET

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include <emmintrin.h>

#define CELL_BITS(mask)                                                                                                \
	((uint64_t)(_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 0, 1)) |                                  \
				_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 2, 3)) << 2 |                             \
				_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 4, 5)) << 4 |                             \
				_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 6, 7)) << 6))

#else

// A vector in braces would be the value of its first lane to some compilers: it goes as the member of a struct.
#define CELL_BITS(mask) cellPlainBits(&(struct { CELL_NAME(Mask) lanes; }){mask})

static inline uint64_t cellPlainBits(const void* mask)
{
	int64_t lanes[8];
	memcpy(lanes, mask, sizeof(lanes));
	uint64_t bits = 0;
	for (int32_t lane = 0; lane < 8; ++lane)
	{
		bits |= (uint64_t)(lanes[lane] < 0) << lane;
	}
	return bits;
}

#endif

#include "fracture/voronoi_lanes.h"

const brCellKernels brCellKernelsPlain = CELL_KERNELS;
