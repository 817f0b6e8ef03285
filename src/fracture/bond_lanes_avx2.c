// SPDX-License-Identifier: MIT

// The iteration on bonds for processors with AVX2.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "fracture/bond_system.h"

#include <immintrin.h>

#define BOND_NAME(name) bondAvx2_##name
#define BOND_TARGET __attribute__((target("avx2")))
#define BOND_SQRT(out, x) ((out) = (bondAvx2_Lanes)_mm256_sqrt_pd((__m256d)(x)))

#include "fracture/bond_lanes.h"

const brBondKernels brBondKernelsAvx2 = BOND_KERNELS;

#else
typedef int brBondAvx2IsNotHere;
#endif
