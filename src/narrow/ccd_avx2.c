// SPDX-License-Identifier: MIT

// Continuous tests for processors with AVX2.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "narrow/ccd_kernels.h"

#include <immintrin.h>

#define CCD_NAME(name) ccdAvx2_##name
#define CCD_TARGET __attribute__((target("avx2,bmi")))

#define CCD_WIDTH 4
#define CCD_BITS(mask) ((uint32_t)_mm256_movemask_pd((__m256d)(mask)))
#define CCD_SQRT(v) ((CV)_mm256_sqrt_pd((__m256d)(v)))

#include "narrow/ccd_lanes.h"

const brCcdKernels brCcdKernelsAvx2 = CCD_KERNELS;

#else
typedef int brCcdAvx2IsNotHere;
#endif
