// SPDX-License-Identifier: MIT

// Before dynamics/solver_block.h as it lies in memory: eight contacts side by side.

#pragma OPENCL FP_CONTRACT OFF

typedef int int32_t;
typedef uchar uint8_t;

#define BR_SOLVER_LANES 8
#define brLanes float8
#define brPointLanes GpuPointLanes
#define brContactBlock GpuContactBlock
