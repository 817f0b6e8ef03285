// SPDX-License-Identifier: MIT

// The kernels of a device: compiled from the sources inside the library, or taken from a file that an earlier run left.
//
// Kernels that are used together are one program, a kit: what a run does not need it does not wait for. A cache file is
// named for a hash of everything that decides the code (sources, options, device, driver); a file that does not load is
// overwritten.

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

#include "base/assert.h"
#include "base/hash.h"
#include "base/os.h"
#include "io/deflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char programOptions[] = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
static const char programPlainOptions[] = "-cl-std=CL1.2";
static const char programProcessor[] = " -DBR_PROCESSOR"; // some kernels give a processor smaller groups
static const char programNvidia[] = " -DBR_NVIDIA";       // threads of a warp can wait for each other alone

// Sources by their number in kernels.c (CMakeLists.txt has the list); kernels from `first` to the next kit's.
typedef struct ProgramKit
{
	brGpuKernel first;
	struct
	{
		int32_t first, count;
	} runs[4]; // of sources in their order
} ProgramKit;

enum
{
	source_binaryTree,
	source_curveCode,
	source_gridKey,
	source_scan,
	source_sort,
	source_tree,
	source_pairs,
	source_pairFront,
	source_triangles,
	source_oiBuild,
	source_grid,
	source_brute,
	source_tets,
	source_bsp,
	source_lbvh,
	source_voronoi,
	source_clip,
	source_caps,
	source_contacts,
	source_step,
	source_stepTouch,
	source_solve,
	source_births,
	source_far,
	source_vectors,
	source_blockMemory,
	source_solverBlock,
	source_blockLane,
	source_solverBodies,
	source_solverPasses,
	source_blocks,
	source_elastic,
	source_meshMemory,
	source_shape,
	source_manifold,
	source_selectHead,
	source_boxTree,
	source_boxTreeLanes,
	source_solid,
	source_collideMeshHead,
	source_meshPair,
	source_select,
	source_solidLayout,
	source_triangleKernels,
	source_triangleTree,
	source_polytopeField,
	source_meshScan,
	source_meshPoints,
	source_meshEdges,
	source_meshApart,
	source_meshKnown,
	source_collideMesh,
	source_meshState,
	source_meshes,
	source_collideRound,
	source_meshTouches,
	source_depthMemory,
	source_tetGjk,
	source_tetMeasure,
	source_tetEpa,
	source_tetEpaLanes,
	source_depths,
	source_count,
};

#define PROGRAM_RUN(first, last)                                                                                       \
	{                                                                                                                  \
		first, last - first + 1                                                                                        \
	}
static const ProgramKit programKits[br_gpuKitCount] = {
	{kernel_brk_clear, {PROGRAM_RUN(source_scan, source_sort)}},
	{kernel_brk_boundVertices,
	 {PROGRAM_RUN(source_binaryTree, source_curveCode), PROGRAM_RUN(source_tree, source_triangles)}},
	{kernel_brk_gridBoxes,
	 {PROGRAM_RUN(source_binaryTree, source_scan), PROGRAM_RUN(source_tree, source_pairs),
	  PROGRAM_RUN(source_triangles, source_triangles), PROGRAM_RUN(source_grid, source_tets)}},
	{kernel_brk_lbvhRanges,
	 {PROGRAM_RUN(source_binaryTree, source_curveCode), PROGRAM_RUN(source_tree, source_pairs),
	  PROGRAM_RUN(source_oiBuild, source_oiBuild), PROGRAM_RUN(source_bsp, source_lbvh)}},
	{kernel_brk_voronoiSnap, {PROGRAM_RUN(source_voronoi, source_caps)}},
	{kernel_brk_stepFrames, {PROGRAM_RUN(source_contacts, source_births)}},
	{kernel_brk_blocksBodies,
	 {PROGRAM_RUN(source_far, source_blockLane), PROGRAM_RUN(source_solverBlock, source_solverBlock),
	  PROGRAM_RUN(source_solverBodies, source_blocks)}},
	{kernel_brk_elasticRound, {PROGRAM_RUN(source_elastic, source_elastic)}},
	{kernel_brk_meshBegin,
	 {PROGRAM_RUN(source_far, source_vectors), PROGRAM_RUN(source_meshMemory, source_meshPair),
	  PROGRAM_RUN(source_solidLayout, source_meshes)}},
	{kernel_brk_meshRounds,
	 {PROGRAM_RUN(source_far, source_vectors), PROGRAM_RUN(source_meshMemory, source_meshState),
	  PROGRAM_RUN(source_collideRound, source_meshTouches)}},
	{kernel_brk_expandTets,
	 {PROGRAM_RUN(source_vectors, source_vectors), PROGRAM_RUN(source_depthMemory, source_depths)}},
};

static brGpuKit programKitOf(brGpuKernel kernel)
{
	int32_t kit = br_gpuKitCount - 1;
	while (kit > 0 && kernel < programKits[kit].first)
	{
		kit -= 1;
	}
	return (brGpuKit)kit;
}

static void programText(const brGpu* gpu, const char* options, char text[128])
{
	bool isNvidia = strstr(gpu->info.vendor, "NVIDIA") != NULL;
	snprintf(text, 128, "%s%s%s", options, gpu->info.kind == br_gpuKindCpu ? programProcessor : "",
			 isNvidia ? programNvidia : "");
}

static const char* const programKernelNames[] = {
#define PROGRAM_NAME(name) #name,
	BR_GPU_KERNELS(PROGRAM_NAME)
#undef PROGRAM_NAME
};

const char* brGpuKernel_Name(brGpuKernel kernel)
{
	return programKernelNames[kernel];
}

static void programCachePath(const brGpu* gpu, brGpuKit kit, char path[1024])
{
	uint64_t hash = brHashBytes(BR_HASH_SEED, gpu->info.name, sizeof(gpu->info.name));
	hash = brHashBytes(hash, gpu->info.driver, sizeof(gpu->info.driver));
	hash = brHashBytes(hash, programOptions, sizeof(programOptions));
	hash = brHashBytes(hash, &kit, sizeof(kit));
	hash = brHashBytes(hash, brGpuPacked, brGpuPackedBytes);
	snprintf(path, 1024, "%s/kernels-%016llx.bin", gpu->cacheFolder, (unsigned long long)hash);
}

static cl_program programFromCache(brGpu* gpu, brGpuKit kit)
{
	if (gpu->cacheFolder[0] == '\0')
	{
		return NULL;
	}
	char path[1024];
	programCachePath(gpu, kit, path);
	FILE* file = brOs_OpenStream(path, "rb");
	if (file == NULL)
	{
		return NULL;
	}
	cl_program program = NULL;
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
	unsigned char* bytes = size > 0 && size < (64l << 20) ? brAlloc(&gpu->allocator, (size_t)size) : NULL;
	if (bytes != NULL && fseek(file, 0, SEEK_SET) == 0 && fread(bytes, 1, (size_t)size, file) == (size_t)size)
	{
		const unsigned char* binary = bytes;
		size_t byteCount = (size_t)size;
		cl_int status = CL_SUCCESS, error = CL_SUCCESS;
		program =
			gpu->cl->clCreateProgramWithBinary(gpu->context, 1, &gpu->device, &byteCount, &binary, &status, &error);
		bool isBuilt = program != NULL && error == CL_SUCCESS && status == CL_SUCCESS &&
					   gpu->cl->clBuildProgram(program, 1, &gpu->device, "", NULL, NULL) == CL_SUCCESS;
		if (program != NULL && !isBuilt)
		{
			gpu->cl->clReleaseProgram(program);
			program = NULL;
		}
	}
	if (bytes != NULL)
	{
		brFree(&gpu->allocator, bytes, (size_t)size);
	}
	fclose(file);
	return program;
}

// The folder with those above it. What cannot be made shows when the file is opened.
static void programMakeFolder(const char* folder)
{
	char path[512];
	snprintf(path, sizeof(path), "%s", folder);
	for (char* slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
	{
		*slash = '\0';
		brOs_MakeFolder(path);
		*slash = '/';
	}
	brOs_MakeFolder(path);
}

// Written aside and renamed: a reader never sees half a file. Nobody minds if this fails.
static void programToCache(brGpu* gpu, brGpuKit kit, cl_program program)
{
	size_t size = 0;
	if (gpu->cacheFolder[0] == '\0' ||
		gpu->cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL) != CL_SUCCESS ||
		size == 0)
	{
		return;
	}
	unsigned char* bytes = brAlloc(&gpu->allocator, size);
	if (bytes == NULL)
	{
		return;
	}
	// Each process has its own name aside: two that compile at once must not write into one file.
	char path[1024], aside[1056];
	programCachePath(gpu, kit, path);
	snprintf(aside, sizeof(aside), "%s.%ld.tmp", path, (long)brOs_ProcessId());
	programMakeFolder(gpu->cacheFolder);
	FILE* file = NULL;
	if (gpu->cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL) == CL_SUCCESS)
	{
		file = brOs_OpenStream(aside, "wb");
	}
	if (file != NULL)
	{
		bool isWritten = fwrite(bytes, 1, size, file) == size;
		isWritten = fclose(file) == 0 && isWritten;
		if (!isWritten || brOs_Rename(aside, path) != 0)
		{
			brOs_Remove(aside);
		}
	}
	brFree(&gpu->allocator, bytes, size);
}

// The end of the compiler's log, which is where its error is.
static brResult programFail(brGpu* gpu, cl_program program, cl_int error, brReport* report)
{
	char log[4096] = "";
	size_t size = 0;
	gpu->cl->clGetProgramBuildInfo(program, gpu->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
	char* all = size > 0 ? brAlloc(&gpu->allocator, size + 1) : NULL;
	if (all != NULL)
	{
		gpu->cl->clGetProgramBuildInfo(program, gpu->device, CL_PROGRAM_BUILD_LOG, size, all, NULL);
		all[size] = '\0';
		const char* start = strstr(all, "error");
		snprintf(log, sizeof(log), "%s", start != NULL ? start : all);
		brFree(&gpu->allocator, all, size + 1);
	}
	return brFail(report, br_errorUnavailable, "%s does not compile the kernels (%s): %s", gpu->info.name,
				  brOpenCl_ErrorName(error), log);
}

// The sources of a kit, out of the packed text of all.
static brResult programSources(brGpu* gpu, brGpuKit kit, cl_program* outProgram, brReport* report)
{
	char* text = brAlloc(&gpu->allocator, brGpuTextBytes);
	if (text == NULL)
	{
		return brFailMemory(report);
	}
	bool isRead = brInflateRaw(brGpuPacked, brGpuPackedBytes, (uint8_t*)text, brGpuTextBytes);
	BR_ASSERT(isRead && brGpuSourceCount == source_count);
	(void)isRead;
	const char* starts[source_count];
	const char* start = text;
	for (int32_t i = 0; i < source_count; ++i)
	{
		starts[i] = start;
		start += brGpuSourceBytes[i];
	}
	const char* texts[source_count];
	size_t sizes[source_count];
	cl_uint count = 0;
	for (int32_t r = 0; r < 4; ++r)
	{
		for (int32_t i = 0; i < programKits[kit].runs[r].count; ++i)
		{
			texts[count] = starts[programKits[kit].runs[r].first + i];
			sizes[count++] = brGpuSourceBytes[programKits[kit].runs[r].first + i];
		}
	}
	cl_int error = CL_SUCCESS;
	*outProgram = gpu->cl->clCreateProgramWithSource(gpu->context, count, texts, sizes, &error);
	brFree(&gpu->allocator, text, brGpuTextBytes);
	return *outProgram != NULL ? br_success
							   : brFail(report, br_errorUnavailable, "%s takes no kernels: %s", gpu->info.name,
										brOpenCl_ErrorName(error));
}

static brResult programCompile(brGpu* gpu, brGpuKit kit, cl_program* outProgram, brReport* report)
{
	cl_program program = NULL;
	brResult made = programSources(gpu, kit, &program, report);
	if (made < 0)
	{
		return made;
	}
	char options[128];
	programText(gpu, programOptions, options);
	cl_int error = gpu->cl->clBuildProgram(program, 1, &gpu->device, options, NULL, NULL);
	if (error != CL_SUCCESS) // a device that cannot divide exactly refuses the option, and we only need it to be near
	{
		programText(gpu, programPlainOptions, options);
		error = gpu->cl->clBuildProgram(program, 1, &gpu->device, options, NULL, NULL);
	}
	if (error != CL_SUCCESS)
	{
		brResult result = programFail(gpu, program, error, report);
		gpu->cl->clReleaseProgram(program);
		return result;
	}
	programToCache(gpu, kit, program);
	*outProgram = program;
	return br_success;
}

static brResult programPrepare(brGpu* gpu, brGpuKit kit, brReport* report)
{
	cl_program program = programFromCache(gpu, kit);
	if (program == NULL)
	{
		brResult result = programCompile(gpu, kit, &program, report);
		if (result < 0)
		{
			return result;
		}
	}
	int32_t end = kit + 1 < br_gpuKitCount ? programKits[kit + 1].first : br_gpuKernelCount;
	for (int32_t i = programKits[kit].first; i < end; ++i)
	{
		cl_int error;
		gpu->kernels[i] = gpu->cl->clCreateKernel(program, programKernelNames[i], &error);
		if (gpu->kernels[i] == NULL)
		{
			gpu->cl->clReleaseProgram(program);
			return brFail(report, br_errorUnavailable, "%s has no kernel %s: %s", gpu->info.name, programKernelNames[i],
						  brOpenCl_ErrorName(error));
		}
	}
	gpu->programs[kit] = program;
	return br_success;
}

brResult brGpu_Prepare(brGpu* gpu, brReport* report)
{
	return gpu->programs[br_gpuKitBasics] != NULL ? br_success : programPrepare(gpu, br_gpuKitBasics, report);
}

cl_kernel brGpu_Kernel(brGpu* gpu, brGpuKernel kernel, brReport* report)
{
	brGpuKit kit = programKitOf(kernel);
	bool isThere = gpu->programs[kit] != NULL || programPrepare(gpu, kit, report) >= 0;
	return isThere ? gpu->kernels[kernel] : NULL;
}

#endif
