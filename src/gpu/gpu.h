// SPDX-License-Identifier: MIT
#pragma once

// One open device: its queue, its memory, its kernels.
//
// Work is enqueued in order on one queue and nothing waits until somebody reads. A failed call is remembered in the
// device and answered once, by brGpu_Finish or brGpu_Read: a stage is a straight list of launches.
//
//     BR_GPU_RUN(gpu, kernel_brk_scanTiles, groups, 256, brBufferArg(&counts), brUintArg(n));
//     result = brGpu_Read(gpu, &total, 0, &out, sizeof(out), report);

#include "brittle/gpu.h"

#include "gpu/opencl.h"

#ifdef BR_HAVE_OPENCL

#include "base/memory.h"

/// The kernels, in the order of kernels.c.
#define BR_GPU_KERNELS(X)                                                                                              \
	X(brk_clear)                                                                                                       \
	X(brk_scanSums)                                                                                                    \
	X(brk_scanTops)                                                                                                    \
	X(brk_scanTiles)                                                                                                   \
	X(brk_sortCount)                                                                                                   \
	X(brk_sortStarts)                                                                                                  \
	X(brk_sortScatter)                                                                                                 \
	X(brk_boundVertices)                                                                                               \
	X(brk_curveItems)                                                                                                  \
	X(brk_packLeaves)                                                                                                  \
	X(brk_packNodes)                                                                                                   \
	X(brk_findPairs)                                                                                                   \
	X(brk_frontBoxes)                                                                                                  \
	X(brk_frontPairs)                                                                                                  \
	X(brk_meetTriangles)                                                                                               \
	X(brk_gridBoxes)                                                                                                   \
	X(brk_gridLayers)                                                                                                  \
	X(brk_gridKeys)                                                                                                    \
	X(brk_gridStarts)                                                                                                  \
	X(brk_gridPlace)                                                                                                   \
	X(brk_gridPairs)                                                                                                   \
	X(brk_gridPairsSized)                                                                                              \
	X(brk_bruteElements)                                                                                               \
	X(brk_brutePairs)                                                                                                  \
	X(brk_meetTets)                                                                                                    \
	X(brk_measureTets)                                                                                                 \
	X(brk_lbvhRanges)                                                                                                  \
	X(brk_lbvhCounts)                                                                                                  \
	X(brk_lbvhNodes)                                                                                                   \
	X(brk_lbvhWalk)                                                                                                    \
	X(brk_oiBounds)                                                                                                    \
	X(brk_oiItems)                                                                                                     \
	X(brk_oiLeaves)                                                                                                    \
	X(brk_bspStep)                                                                                                     \
	X(brk_oiBuild)                                                                                                     \
	X(brk_voronoiSnap)                                                                                                 \
	X(brk_voronoiBins)                                                                                                 \
	X(brk_voronoiCells)                                                                                                \
	X(brk_voronoiVertices)                                                                                             \
	X(brk_voronoiOwners)                                                                                               \
	X(brk_clipPairs)                                                                                                   \
	X(brk_clipTriangles)                                                                                               \
	X(brk_clipRings)                                                                                                   \
	X(brk_clipWindings)                                                                                                \
	X(brk_clipSpread)                                                                                                  \
	X(brk_capFill)                                                                                                     \
	X(brk_capEars)                                                                                                     \
	X(brk_pieceWrite)                                                                                                  \
	X(brk_stepFrames)                                                                                                  \
	X(brk_stepPlanes)                                                                                                  \
	X(brk_stepTouch)                                                                                                   \
	X(brk_stepColor)                                                                                                   \
	X(brk_stepTake)                                                                                                    \
	X(brk_stepPrepare)                                                                                                 \
	X(brk_stepBodies)                                                                                                  \
	X(brk_stepPass)                                                                                                    \
	X(brk_stepSolve)                                                                                                   \
	X(brk_stepKeep)                                                                                                    \
	X(brk_stepFinish)                                                                                                  \
	X(brk_birthNumbers)                                                                                                \
	X(brk_birthPlanes)                                                                                                 \
	X(brk_birthBodies)                                                                                                 \
	X(brk_birthHulls)                                                                                                  \
	X(brk_blocksBodies)                                                                                                \
	X(brk_blocksColor)                                                                                                 \
	X(brk_blocksPasses)                                                                                                \
	X(brk_blocksKeep)                                                                                                  \
	X(brk_elasticRound)                                                                                                \
	X(brk_elasticSmooth)                                                                                               \
	X(brk_elasticResidual)                                                                                             \
	X(brk_elasticRestrict)                                                                                             \
	X(brk_elasticProlong)                                                                                              \
	X(brk_elasticDense)                                                                                                \
	X(brk_elasticProducts)                                                                                             \
	X(brk_elasticDecide)                                                                                               \
	X(brk_elasticDirect)                                                                                               \
	X(brk_elasticMultiplyFloat)                                                                                        \
	X(brk_elasticMultiply)                                                                                             \
	X(brk_elasticStep)                                                                                                 \
	X(brk_elasticLeft)                                                                                                 \
	X(brk_meshBegin)                                                                                                   \
	X(brk_meshPoints)                                                                                                  \
	X(brk_meshFields)                                                                                                  \
	X(brk_meshVisits)                                                                                                  \
	X(brk_meshGather)                                                                                                  \
	X(brk_meshEdges)                                                                                                   \
	X(brk_meshRounds)                                                                                                  \
	X(brk_meshFinish)                                                                                                  \
	X(brk_expandTets)

typedef enum brGpuKernel
{
#define BR_GPU_ENUM(name) kernel_##name,
	BR_GPU_KERNELS(BR_GPU_ENUM)
#undef BR_GPU_ENUM
		br_gpuKernelCount,
} brGpuKernel;

/// Kernels that are compiled together, when the first of them is needed.
typedef enum brGpuKit
{
	br_gpuKitBasics, // clearing, running sums, sorting
	br_gpuKitPairs,  // of boxes, triangles
	br_gpuKitGrids,  // tets in a layered grid
	br_gpuKitTrees,  // binary trees: linear, implicit
	br_gpuKitPieces,
	br_gpuKitSteps,
	br_gpuKitBlocks, // passes of the CPU's solver
	br_gpuKitElastic,
	br_gpuKitMeshes,  // where points and edges of meshes touch
	br_gpuKitTouches, // what is made of that
	br_gpuKitDepths,  // of tets, by expanding polytopes
	br_gpuKitCount,
} brGpuKit;

/// Device memory that grows and is kept; what was in it is lost when it grows. All zero at first.
typedef struct brGpuBuffer
{
	cl_mem memory;
	size_t bytes;
} brGpuBuffer;

struct brGpu
{
	brAllocator allocator;
	const brOpenCl* cl;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program programs[br_gpuKitCount]; // null: not needed yet
	cl_kernel kernels[br_gpuKernelCount];
	brGpuInfo info;
	char cacheFolder[512]; // empty: none
	cl_int trouble;        // the first error since the last answer
	const char* troubleAt;
	brReport refusal; // why the last kernels that the device did not take were refused
	bool isProfiling;
	double profile[br_gpuKernelCount]; // seconds spent in each kernel while profiling
	int64_t launches[br_gpuKernelCount];
	size_t bytesHeld; // of all buffers
};

typedef enum brGpuArgKind
{
	br_gpuArgBuffer,
	br_gpuArgUint,
	br_gpuArgFloat,
	br_gpuArgLocal,
} brGpuArgKind;

typedef struct brGpuArg
{
	brGpuArgKind kind;
	union
	{
		cl_mem buffer;
		cl_uint u;
		cl_float f;
		cl_uint bytes; // of local memory
	} value;
} brGpuArg;

static inline brGpuArg brBufferArg(const brGpuBuffer* buffer)
{
	return (brGpuArg){br_gpuArgBuffer, {.buffer = buffer->memory}};
}

static inline brGpuArg brUintArg(uint32_t u)
{
	return (brGpuArg){br_gpuArgUint, {.u = u}};
}

static inline brGpuArg brFloatArg(float f)
{
	return (brGpuArg){br_gpuArgFloat, {.f = f}};
}

static inline brGpuArg brLocalArg(uint32_t bytes)
{
	return (brGpuArg){br_gpuArgLocal, {.bytes = bytes}};
}

/// Compiles the first kernels if that has not happened yet: a device that takes none is refused here. The others are
/// compiled when they are run for the first time.
brResult brGpu_Prepare(brGpu* gpu, brReport* report);

/// The kernel, compiled; null if the device does not take it, which the report says.
cl_kernel brGpu_Kernel(brGpu* gpu, brGpuKernel kernel, brReport* report);

/// Remembers an error of a call of the driver, if it is the first one. The next answer has it.
void brGpu_Note(brGpu* gpu, cl_int error, const char* where);

/// Room for `count` elements at least.
void brGpu_Ensure(brGpu* gpu, brGpuBuffer* buffer, int64_t count, size_t elementBytes);
void brGpu_Free(brGpu* gpu, brGpuBuffer* buffer);
void brGpu_FreeEach(brGpu* gpu, brGpuBuffer* const* buffers, int32_t count);
#define BR_GPU_FREE(gpu, ...)                                                                                          \
	brGpu_FreeEach(gpu, (brGpuBuffer* const[]){__VA_ARGS__}, BR_COUNT(((brGpuBuffer* const[]){__VA_ARGS__})))

/// The same, and the first `keptBytes` stay. Without memory it stays as it was.
void brGpu_Grow(brGpu* gpu, brGpuBuffer* buffer, size_t keptBytes, int64_t count, size_t elementBytes);

/// `groupCount` work-groups of `groupSize`; nothing for 0.
void brGpu_Run(brGpu* gpu, brGpuKernel kernel, int64_t groupCount, uint32_t groupSize, const brGpuArg* args,
			   uint32_t argCount);

/// The same, with the arguments written out.
#define BR_GPU_RUN(gpu, kernel, groupCount, groupSize, ...)                                                            \
	brGpu_Run(gpu, kernel, groupCount, groupSize, (const brGpuArg[]){__VA_ARGS__},                                     \
			  sizeof((const brGpuArg[]){__VA_ARGS__}) / sizeof(brGpuArg))

/// Copies to the device; the host memory may be used again at once.
void brGpu_Write(brGpu* gpu, const brGpuBuffer* buffer, size_t offset, const void* bytes, size_t byteCount);

/// Waits for all work and copies from the device. The result is that of everything since the last answer.
brResult brGpu_Read(brGpu* gpu, const brGpuBuffer* buffer, size_t offset, void* outBytes, size_t byteCount,
					brReport* report);
brResult brGpu_Finish(brGpu* gpu, brReport* report);

/// Zeroes elements of 32 bits.
void brGpu_Clear(brGpu* gpu, const brGpuBuffer* buffer, int64_t count);

/// From now on each launch is timed into gpu->profile, which is emptied; this makes launches wait for each other.
brResult brGpu_Profile(brGpu* gpu, bool enable, brReport* report);
const char* brGpuKernel_Name(brGpuKernel kernel);

// The embedded sources, made by the build: one text, packed (brInflateRaw), and the sizes of its parts.
extern const uint8_t brGpuPacked[];
extern const size_t brGpuPackedBytes;
extern const size_t brGpuTextBytes;
extern const size_t brGpuSourceBytes[];
extern const int32_t brGpuSourceCount;

#endif
