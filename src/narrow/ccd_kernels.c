// SPDX-License-Identifier: MIT
#include "narrow/ccd_kernels.h"

#include "base/lanes.h"
#include "index/wide_kernels.h"

#define CCD_ERROR 0x1p-46
#define CCD_TINY 0x1p-1000        // more than what underflow loses in a product of numbers below 2
#define CCD_LARGEST 0x1p1000      // differences beyond are not looked at
#define CCD_SIEVE_LARGEST 0x1p300 // the sieve does not scale, and its products must not overflow
#define CCD_SHORT 0.95            // of the way to where the gap seems to close
#define CCD_PATIENCE 64           // steps after which the tolerance is doubled, and again after as many

#define BR_LANES_WIDEST
#define BR_LANES_FILE "narrow/ccd_lanes.h"
#include "base/each_lanes.h"

const brCcdKernels* brGetCcdKernels(int32_t lanes)
{
	return BR_WIDEST(brCpu_Within(lanes), ccdKernels);
}
