// SPDX-License-Identifier: MIT
#pragma once

// For files that are C17 and OpenCL C 1.2 alike: BR_FAR is memory of a device, which its threads share; what is without
// it is a thread's own. In C there is but one kind.

#ifdef __OPENCL_VERSION__
#define BR_FAR __global
#else
#define BR_FAR
#endif

// Functions that are large and called from many places: compilers of devices put a copy into each of them else, and
// take minutes.
#ifdef __OPENCL_VERSION__
#define BR_ALONE __attribute__((noinline))
#else
#define BR_ALONE
#endif
