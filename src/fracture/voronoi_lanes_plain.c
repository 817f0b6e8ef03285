// SPDX-License-Identifier: MIT

// Cell cutting in whatever instructions every processor of this kind has.

#include "fracture/voronoi_cell.h"

#define CELL_NAME(name) cellPlain_##name
#define CELL_TARGET

#if defined(__x86_64__)

#include <emmintrin.h>

#define CELL_BITS(mask)                                                                                                \
	((uint64_t)(_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 0, 1)) |                                  \
				_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 2, 3)) << 2 |                             \
				_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 4, 5)) << 4 |                             \
				_mm_movemask_pd((__m128d)__builtin_shufflevector(mask, mask, 6, 7)) << 6))

#else

#define CELL_BITS(mask) cellPlainBits((const int64_t*)&(CELL_NAME(Mask)){mask}) // vectors alias their lanes

static inline uint64_t cellPlainBits(const int64_t* lanes)
{
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
