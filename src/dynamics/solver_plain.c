// SPDX-License-Identifier: MIT

// The solver's passes in whatever instructions every processor of this kind has.

#include "dynamics/solver.h"

#define SOLVER_NAME(name) solverPlain_##name
#define SOLVER_TARGET
#define SOLVER_SQRT(out, x)                                                                                            \
	do                                                                                                                 \
	{                                                                                                                  \
		for (int lane = 0; lane < BR_SOLVER_LANES; ++lane)                                                             \
		{                                                                                                              \
			(out)[lane] = sqrtf((x)[lane]);                                                                            \
		}                                                                                                              \
	} while (0)

#include "dynamics/solver_passes.h"

const brSolverKernels brSolverKernelsPlain = SOLVER_KERNELS("plain");
