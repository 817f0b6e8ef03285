// SPDX-License-Identifier: MIT

// The sets of inner loops for registers of 16, 32 and 64 bytes.

#include "base/lanes.h"
#include "index/wide_kernels.h"

#define BR_LANES_WIDEST
#define BR_LANES_FILE "index/wide_lanes.h"
#include "base/each_lanes.h"

const brWideKernels* brGetWideKernels(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), brWideKernels);
}
