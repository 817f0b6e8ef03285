// SPDX-License-Identifier: MIT
#pragma once

// Where meshes touch, on a device (kernels/meshes.cl).

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

#include "base/array.h"
#include "dynamics/dynamics.h"

/// A shape on the device, by its slot in the world.
typedef struct brGpuShape
{
	uint64_t hash;
	uint64_t byteCount; // 0: not there
	uint64_t place;
} brGpuShape;

typedef struct brGpuTouch
{
	brGpu* gpu;
	brAllocator allocator;
	brGpuBuffer shapes;           // one behind the other
	uint64_t usedBytes;           // of them, with those that nobody needs any more
	BR_ARRAY(brGpuShape) places;  //
	brStageMemory fresh, answers; // bytes of shapes on their way; brTouchAnswer
	brStageMemory firsts;         // uint32_t: where the points of each side begin
	brGpuBuffer queries, answersThere;
	brGpuBuffer states, firstsThere, known, founds, edges, said; // between the stages of meshes.cl
} brGpuTouch;

void brGpuTouch_Init(brGpuTouch* touch, brGpu* gpu, const brAllocator* allocator);
void brGpuTouch_Free(brGpuTouch* touch);

/// Copies all shapes of a world, for queries that are made on the device by `places`. False without memory.
bool brGpuTouch_SendShapes(brGpuTouch* touch, const brDynamics* dynamics);

/// Room for so many queries in `queries` and `firstsThere`.
void brGpuTouch_EnsureQueries(brGpuTouch* touch, int64_t count);

/// From queries on the device to `answersThere`; their shapes have so many points together.
void brGpuTouch_Enqueue(brGpuTouch* touch, int32_t count, int64_t points);

/// As the world's step takes it; nothing on hosts whose shapes no device lays out in the same way.
brTouchDevice brGpuTouch_Device(brGpuTouch* touch);

#endif
