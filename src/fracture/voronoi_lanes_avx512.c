// SPDX-License-Identifier: MIT

// Cell cutting for processors with AVX-512: eight corners are one register a coordinate.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "fracture/voronoi_cell.h"

#include <immintrin.h>

#define CELL_NAME(name) cellAvx512_##name
#define CELL_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,popcnt")))
#define CELL_BITS(mask) ((uint64_t)_mm512_movepi64_mask((__m512i)(mask)))
#define CELL_APPEND cellAvx512Append

// Compressed in registers: the instruction that compresses into memory is slow on some processors. Lanes behind the last one
// are overwritten later; there is room for them.
CELL_TARGET static inline __attribute__((always_inline)) void cellAvx512Append(brCellCandidates* candidates,
																			   uint32_t bits, int32_t first,
																			   const void* x, const void* y,
																			   const void* z, const void* distanceSq)
{
	__mmask8 mask = (__mmask8)bits;
	int32_t n = candidates->count;
	_mm512_storeu_pd(candidates->x + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)x));
	_mm512_storeu_pd(candidates->y + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)y));
	_mm512_storeu_pd(candidates->z + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)z));
	_mm512_storeu_pd(candidates->distanceSq + n, _mm512_maskz_compress_pd(mask, *(const __m512d*)distanceSq));
	__m256i indices = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	_mm256_storeu_si256((__m256i*)(candidates->indices + n), _mm256_maskz_compress_epi32(mask, indices));
	candidates->count = n + __builtin_popcount(bits);
}

#include "fracture/voronoi_lanes.h"

const brCellKernels brCellKernelsAvx512 = CELL_KERNELS;

#else
typedef int brCellAvx512IsNotHere;
#endif
