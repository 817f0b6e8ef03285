// SPDX-License-Identifier: MIT

#include "dynamics/solver.h"

#define BR_LANES_FILE "dynamics/solver_passes.h"
#include "base/each_lanes.h"

const brSolverKernels* brGetSolverKernels(int32_t lanes)
{
#if BR_LANES_X86
	if (lanes != 1 && brCpu_Best() >= br_cpuAvx2)
	{
		return &solverKernelsAvx2;
	}
#endif
	(void)lanes;
	return &solverKernelsPlain;
}
