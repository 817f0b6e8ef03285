// SPDX-License-Identifier: MIT

// What a build without OpenCL answers to all of gpu.h.

#include "brittle/gpu.h"

#ifndef BR_HAVE_OPENCL

#include "base/report.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static brResult gpuAbsent(brReport* report)
{
	return brFail(report, br_errorUnavailable,
				  "this build has no OpenCL: its headers were missing (Debian: opencl-c-headers)");
}

#define GPU_FAILS(call)                                                                                                \
	brResult call                                                                                                      \
	{                                                                                                                  \
		return gpuAbsent(report);                                                                                      \
	}
#define GPU_NOTHING(call)                                                                                              \
	void call                                                                                                          \
	{                                                                                                                  \
	}
#define GPU_EMPTY(type, call)                                                                                          \
	type call                                                                                                          \
	{                                                                                                                  \
		return (type){0};                                                                                              \
	}

GPU_EMPTY(bool, brGetGpuInfo(int32_t index, brGpuInfo* outInfo))
GPU_FAILS(brOpenGpu(const brContext* context, const brGpuDef* def, brGpu** outGpu, brReport* report))
GPU_NOTHING(brCloseGpu(brGpu* gpu))
GPU_EMPTY(brGpuInfo, brGpu_GetInfo(const brGpu* gpu))

GPU_FAILS(brGpu_CollideBoxes(brGpu* gpu, const brContext* context, const brBox3* boxes, int32_t count,
							 const int32_t* groupStarts, int32_t groupCount, const brCollideDef* def,
							 brCollision** outCollision, brReport* report))
GPU_FAILS(brGpu_CollideMeshes(brGpu* gpu, const brContext* context, const brMesh* const* meshes, int32_t meshCount,
							  const brCollideDef* def, brCollision** outCollision, brReport* report))
GPU_FAILS(brGpu_CollideTets(brGpu* gpu, const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
							const brCollideDef* def, brCollision** outCollision, brReport* report))

GPU_FAILS(brCreateGpuTracker(const brContext* context, brGpu* gpu, const brTrackDef* def, brGpuTracker** outTracker,
							 brReport* report))
GPU_NOTHING(brDestroyGpuTracker(brGpuTracker* tracker))
GPU_FAILS(brGpuTracker_UpdateMeshes(brGpuTracker* tracker, const brContext* context, const brMesh* const* meshes,
									int32_t meshCount, brReport* report))
GPU_EMPTY(brTrackStats, brGpuTracker_GetStats(const brGpuTracker* tracker))

GPU_FAILS(brGpu_CreateShatter(brGpu* gpu, const brContext* context, const brMesh* mesh, const brShatterDef* def,
							  brShatter** outShatter, brReport* report))
GPU_FAILS(brCreateGpuShatterer(const brContext* context, brGpu* gpu, const brMesh* const* meshes, int32_t meshCount,
							   brGpuShatterer** outShatterer, brReport* report))
GPU_NOTHING(brDestroyGpuShatterer(brGpuShatterer* shatterer))
GPU_FAILS(brGpuShatterer_Break(brGpuShatterer* shatterer, const brGpuBreak* breaks, int32_t breakCount,
							   brGpuShatter* outShatter, brReport* report))

GPU_FAILS(brCreateGpuElastic(const brContext* context, brGpu* gpu, brElasticDevice** outDevice, brReport* report))
GPU_NOTHING(brDestroyGpuElastic(brElasticDevice* device))

GPU_FAILS(brCreateGpuWorld(const brContext* context, brGpu* gpu, const brWorld* world, brGpuWorld** outWorld,
						   brReport* report))
GPU_NOTHING(brDestroyGpuWorld(brGpuWorld* world))
GPU_FAILS(brGpuWorld_Step(brGpuWorld* world, double dt, brReport* report))
GPU_FAILS(brGpuWorld_Download(brGpuWorld* gpuWorld, brWorld* world, brReport* report))
GPU_EMPTY(brGpuStepStats, brGpuWorld_GetStats(const brGpuWorld* world))
GPU_FAILS(brGpuWorld_Break(brGpuWorld* world, brGpuShatterer* shatterer, const brBodyId* bodies,
						   const brGpuBreak* breaks, int32_t breakCount, bool* outIsBroken, brGpuBirths* outBirths,
						   brReport* report))

GPU_FAILS(brCreateGpuStages(const brContext* context, brGpu* gpu, brGpuStages** outStages, brReport* report))
GPU_NOTHING(brDestroyGpuStages(brGpuStages* stages))
GPU_NOTHING(brWorld_SetGpuStages(brWorld* world, brGpuStages* stages))
GPU_EMPTY(bool, brWorld_HasGpuStages(const brWorld* world))
GPU_EMPTY(int64_t, brGpuStages_GetBreakCount(const brGpuStages* stages))

int32_t brGpuWorld_ReadBodies(brGpuWorld* world, brGpuBody* outBodies, int32_t capacity, brReport* report)
{
	(void)world, (void)outBodies, (void)capacity;
	return (int32_t)gpuAbsent(report);
}

int32_t brGetGpuCount(brReport* report)
{
	gpuAbsent(report);
	return -1;
}

const brPair* brGpuTracker_GetPairs(const brGpuTracker* tracker, int64_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = 0;
	}
	return NULL;
}

#endif
