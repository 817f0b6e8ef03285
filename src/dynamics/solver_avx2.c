// SPDX-License-Identifier: MIT

// The solver's passes for processors with AVX2.

#if defined(__x86_64__) && !defined(BR_SCALAR)

#include "dynamics/solver.h"

#include <immintrin.h>

#define SOLVER_NAME(name) solverAvx2_##name
#define SOLVER_TARGET __attribute__((target("avx2")))
#define SOLVER_SQRT(out, x) ((out) = (brLanes)_mm256_sqrt_ps((__m256)(x)))

#include "dynamics/solver_passes.h"

const brSolverKernels brSolverKernelsAvx2 = SOLVER_KERNELS("avx2");

#else
typedef int brSolverAvx2IsNotHere;
#endif
