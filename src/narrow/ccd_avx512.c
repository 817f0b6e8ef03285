// SPDX-License-Identifier: MIT

// Continuous tests for processors with AVX-512.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "narrow/ccd_kernels.h"

#include <immintrin.h>

#define CCD_NAME(name) ccdAvx512_##name
#define CCD_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")))

#define CCD_WIDTH 8
#define CCD_BITS(mask) ((uint32_t)_mm512_movepi64_mask((__m512i)(mask)))
#define CCD_SQRT(v) ((CV)_mm512_sqrt_pd((__m512d)(v)))

#include "narrow/ccd_lanes.h"

const brCcdKernels brCcdKernelsAvx512 = CCD_KERNELS;

#else
typedef int brCcdAvx512IsNotHere;
#endif
