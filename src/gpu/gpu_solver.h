// SPDX-License-Identifier: MIT
#pragma once

// The passes of the CPU's contact solver on a device (kernels/blocks.cl): the same blocks and states, the same bits.

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

#include "dynamics/dynamics.h"

#define BR_GPU_SOLVER_PASSES 64

/// BlocksRange of blocks.cl.
typedef struct brGpuColorRange
{
	int32_t begin, end, isSerial;
} brGpuColorRange;

typedef struct brGpuSolver
{
	brGpu* gpu;
	brAllocator allocator;
	int32_t fewBlocks; // up to so many one group makes all passes, without a launch for each color
	bool isLost;       // the device did not answer
	brReport trouble;  // why
	// Of the step.
	int32_t blockCount, stateCount, rangeCount;
	brGpuColorRange colors[64];
	bool hasSerial;     // the last range is that of what fits no color
	bool didMoveBodies; // some pass over bodies was made there since they were sent
	uint32_t passes[BR_GPU_SOLVER_PASSES];
	int32_t passCount;  // not made yet
	brStageMemory axes; // brSolverAxes
	brStageMemory kept; // float
	brStageMemory hits; // uint32_t
	brGpuBuffer times, ranges, list, blocks, states, bodies, bodyAxes, hitBits, keptBlocks;
} brGpuSolver;

void brGpuSolver_Init(brGpuSolver* solver, brGpu* gpu, const brAllocator* allocator);
void brGpuSolver_Free(brGpuSolver* solver);

/// For a world's dynamics; it is `solver` that works.
brSolverDevice brGpuSolver_Device(brGpuSolver* solver);

#endif
