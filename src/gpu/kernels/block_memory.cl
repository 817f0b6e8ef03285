// SPDX-License-Identifier: MIT

// Before dynamics/solver_block.h as it lies in memory: eight contacts side by side.

#define BR_SOLVER_LANES 8
#define brLanes float8
#define brPointLanes GpuPointLanes
#define brContactBlock GpuContactBlock
