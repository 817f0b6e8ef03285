// SPDX-License-Identifier: MIT
#pragma once

// Running sums on the device.

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

/// Exclusive running sums of `count` 32-bit numbers, in place. `tileSums` is scratch that is kept from one call to the
/// next.
void brGpu_Scan(brGpu* gpu, brGpuBuffer* tileSums, const brGpuBuffer* data, int64_t count);

#endif
