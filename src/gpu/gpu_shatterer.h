// SPDX-License-Identifier: MIT
#pragma once

// The pieces of a shatterer's breaks while they are on the device.

#include "gpu/gpu_pieces.h"

#ifdef BR_HAVE_OPENCL

/// Makes the pieces of breaks, which are checked. They are in `outPieces`; bodies whose number in
/// `outPieces->voronoi.troubles` is not 0 have none that are of use.
brResult brGpuShatterer_Run(brGpuShatterer* shatterer, const brGpuBreak* breaks, int32_t breakCount,
							const brGpuPieces** outPieces, brGpuPieceCounts* outCounts, brReport* report);

brGpu* brGpuShatterer_Device(const brGpuShatterer* shatterer);

#endif
