// SPDX-License-Identifier: MIT

// Cell cutting for processors with AVX2.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "fracture/voronoi_cell.h"

#include <immintrin.h>

#define CELL_NAME(name) cellAvx2_##name
#define CELL_TARGET __attribute__((target("avx2,bmi")))
#define CELL_BITS(mask)                                                                                                \
	((uint64_t)(_mm256_movemask_pd((__m256d)__builtin_shufflevector(mask, mask, 0, 1, 2, 3)) |                         \
				_mm256_movemask_pd((__m256d)__builtin_shufflevector(mask, mask, 4, 5, 6, 7)) << 4))

#include "fracture/voronoi_lanes.h"

const brCellKernels brCellKernelsAvx2 = CELL_KERNELS;

#else
typedef int brCellAvx2IsNotHere;
#endif
