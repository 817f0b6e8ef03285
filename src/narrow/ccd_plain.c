// SPDX-License-Identifier: MIT

// Continuous tests in whatever instructions every processor of this kind has, and the choice between the sets.

#include "narrow/ccd_kernels.h"

#include "base/cpu.h"

#include <math.h>

#define CCD_NAME(name) ccdPlain_##name
#define CCD_TARGET

#define CCD_WIDTH 2
#define CCD_BITS(mask) ((uint32_t)((mask)[0] < 0) | (uint32_t)((mask)[1] < 0) << 1)
#define CCD_SQRT(v) ((CV){sqrt((v)[0]), sqrt((v)[1])})

#include "narrow/ccd_lanes.h"

const brCcdKernels brCcdKernelsPlain = CCD_KERNELS;

const brCcdKernels* brGetCcdKernels(int32_t lanes)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	brCpuPath best = brCpu_Best();
	if (best >= br_cpuAvx512 && (lanes == 0 || lanes == 16))
	{
		return &brCcdKernelsAvx512;
	}
	if (best >= br_cpuAvx2 && lanes != 1)
	{
		return &brCcdKernelsAvx2;
	}
#else
	(void)lanes;
#endif
	return &brCcdKernelsPlain;
}
