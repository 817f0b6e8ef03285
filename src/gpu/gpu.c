// SPDX-License-Identifier: MIT

// Which devices there are, opening one, and the few things done with it: memory, launches, copies.

#include "gpu/gpu.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

brGpuDef brDefaultGpuDef(void)
{
	return (brGpuDef){.stamp = BR_STAMP(brGpuDef)};
}

#ifdef BR_HAVE_OPENCL

enum
{
	gpuMaxDevices = 64,
	gpuMaxPlatforms = 16,
};

typedef struct GpuList
{
	int32_t count;
	cl_device_id devices[gpuMaxDevices];
} GpuList;

// Every device of every platform, in the loader's order. False without a loader.
static bool gpuList(GpuList* list, const brOpenCl** outCl, brReport* report)
{
	list->count = 0;
	*outCl = brGetOpenCl(report);
	if (*outCl == NULL)
	{
		return false;
	}
	cl_platform_id platforms[gpuMaxPlatforms];
	cl_uint platformCount = 0;
	if ((*outCl)->clGetPlatformIDs(gpuMaxPlatforms, platforms, &platformCount) != CL_SUCCESS)
	{
		return true; // a loader without drivers says so by an error
	}
	for (cl_uint i = 0; i < platformCount && i < gpuMaxPlatforms; ++i)
	{
		cl_uint count = 0;
		cl_uint room = (cl_uint)(gpuMaxDevices - list->count);
		if (room > 0 && (*outCl)->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, room, list->devices + list->count,
												 &count) == CL_SUCCESS)
		{
			list->count += (int32_t)(count < room ? count : room);
		}
	}
	return true;
}

static brGpuInfo gpuInfo(const brOpenCl* cl, cl_device_id device)
{
	brGpuInfo info;
	memset(&info, 0, sizeof(info));
	cl_device_type type = 0;
	cl_uint units = 0;
	cl_ulong memory = 0, local = 0;
	cl_device_fp_config doubles = 0;
	cl->clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(info.name) - 1, info.name, NULL);
	cl->clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof(info.vendor) - 1, info.vendor, NULL);
	cl->clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof(info.driver) - 1, info.driver, NULL);
	cl->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	cl->clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
	cl->clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL);
	cl->clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local), &local, NULL);
	cl->clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(doubles), &doubles, NULL);
	info.kind = (type & CL_DEVICE_TYPE_GPU) != 0   ? br_gpuKindGpu
				: (type & CL_DEVICE_TYPE_CPU) != 0 ? br_gpuKindCpu
												   : br_gpuKindOther;
	info.computeUnits = (int32_t)units;
	info.memoryBytes = memory;
	info.localMemoryBytes = local;
	info.hasDouble = doubles != 0;
	return info;
}

int32_t brGetGpuCount(brReport* report)
{
	GpuList list;
	const brOpenCl* cl;
	return gpuList(&list, &cl, report) ? list.count : -1;
}

bool brGetGpuInfo(int32_t index, brGpuInfo* outInfo)
{
	GpuList list;
	const brOpenCl* cl;
	if (outInfo == NULL || !gpuList(&list, &cl, NULL) || index < 0 || index >= list.count)
	{
		return false;
	}
	*outInfo = gpuInfo(cl, list.devices[index]);
	return true;
}

// The number or the part of a name; -1 if no device is meant by it.
static int32_t gpuChoose(const GpuList* list, const brOpenCl* cl, const char* wanted)
{
	if (wanted == NULL)
	{
		for (int32_t i = 0; i < list->count; ++i)
		{
			if (gpuInfo(cl, list->devices[i]).kind == br_gpuKindGpu)
			{
				return i;
			}
		}
		return list->count > 0 ? 0 : -1;
	}
	char* end;
	long number = strtol(wanted, &end, 10);
	if (*wanted != '\0' && *end == '\0')
	{
		return number >= 0 && number < list->count ? (int32_t)number : -1;
	}
	for (int32_t i = 0; i < list->count; ++i)
	{
		if (strstr(gpuInfo(cl, list->devices[i]).name, wanted) != NULL)
		{
			return i;
		}
	}
	return -1;
}

static cl_command_queue gpuMakeQueue(const brGpu* gpu, bool isProfiling, cl_int* outError)
{
	return gpu->cl->clCreateCommandQueue(gpu->context, gpu->device, isProfiling ? CL_QUEUE_PROFILING_ENABLE : 0,
										 outError);
}

brResult brOpenGpu(const brContext* context, const brGpuDef* def, brGpu** outGpu, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || outGpu == NULL ||
		(def->cacheFolder != NULL && strlen(def->cacheFolder) >= sizeof(((brGpu*)0)->cacheFolder)))
	{
		return brFail(report, br_errorMisuse, "brOpenGpu needs a def with its stamp and a short cache folder");
	}
	GpuList list;
	const brOpenCl* cl;
	if (!gpuList(&list, &cl, report))
	{
		return br_errorUnavailable;
	}
	int32_t index = gpuChoose(&list, cl, def->device);
	if (index < 0)
	{
		return def->device == NULL || list.count == 0
				   ? brFail(report, br_errorUnavailable, "OpenCL has no device here: no driver is installed")
				   : brFail(report, br_errorUnavailable, "there is no OpenCL device '%s' among the %d of this machine",
							def->device, list.count);
	}
	brAllocator allocator = brContext_Allocator(context);
	brGpu* gpu = BR_ALLOC_ZERO(&allocator, brGpu, 1);
	if (gpu == NULL)
	{
		return brFailMemory(report);
	}
	gpu->allocator = allocator;
	gpu->cl = cl;
	gpu->device = list.devices[index];
	gpu->info = gpuInfo(cl, gpu->device);
	if (def->cacheFolder != NULL)
	{
		memcpy(gpu->cacheFolder, def->cacheFolder, strlen(def->cacheFolder) + 1);
	}
	cl_int error;
	gpu->context = cl->clCreateContext(NULL, 1, &gpu->device, NULL, NULL, &error);
	gpu->queue = gpu->context != NULL ? gpuMakeQueue(gpu, false, &error) : NULL;
	if (gpu->queue == NULL)
	{
		brFail(report, br_errorUnavailable, "%s does not open: %s", gpu->info.name, brOpenCl_ErrorName(error));
		brCloseGpu(gpu);
		return br_errorUnavailable;
	}
	brLog(context, br_logInfo, "OpenCL device: %s", gpu->info.name);
	*outGpu = gpu;
	return brSucceed(report);
}

void brCloseGpu(brGpu* gpu)
{
	if (gpu == NULL)
	{
		return;
	}
	for (int32_t i = 0; i < br_gpuKernelCount; ++i)
	{
		if (gpu->kernels[i] != NULL)
		{
			gpu->cl->clReleaseKernel(gpu->kernels[i]);
		}
	}
	for (int32_t kit = 0; kit < br_gpuKitCount; ++kit)
	{
		if (gpu->programs[kit] != NULL)
		{
			gpu->cl->clReleaseProgram(gpu->programs[kit]);
		}
	}
	if (gpu->queue != NULL)
	{
		gpu->cl->clFinish(gpu->queue);
		gpu->cl->clReleaseCommandQueue(gpu->queue);
	}
	if (gpu->context != NULL)
	{
		gpu->cl->clReleaseContext(gpu->context);
	}
	brAllocator allocator = gpu->allocator;
	BR_FREE(&allocator, gpu, 1);
}

brGpuInfo brGpu_GetInfo(const brGpu* gpu)
{
	return gpu->info;
}

void brGpu_Note(brGpu* gpu, cl_int error, const char* where)
{
	if (error != CL_SUCCESS && gpu->trouble == CL_SUCCESS)
	{
		gpu->trouble = error;
		gpu->troubleAt = where;
	}
}

// The first trouble since the last answer, which this is.
static brResult gpuAnswer(brGpu* gpu, brReport* report)
{
	cl_int error = gpu->trouble;
	if (error == CL_SUCCESS)
	{
		return br_success;
	}
	gpu->trouble = CL_SUCCESS;
	if (error == CL_BUILD_PROGRAM_FAILURE)
	{
		return brFail(report, br_errorUnavailable, "%s", gpu->refusal.text);
	}
	bool isMemory =
		error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_INVALID_BUFFER_SIZE || error == CL_OUT_OF_HOST_MEMORY;
	return brFail(report, isMemory ? br_errorMemory : br_errorUnavailable, "%s: %s in %s", gpu->info.name,
				  brOpenCl_ErrorName(error), gpu->troubleAt);
}

void brGpu_Ensure(brGpu* gpu, brGpuBuffer* buffer, int64_t count, size_t elementBytes)
{
	size_t bytes = brCheckedBytes(count > 0 ? count : 1, elementBytes);
	if (bytes <= buffer->bytes || gpu->trouble != CL_SUCCESS)
	{
		return;
	}
	// An eighth more when it grows, so that a scene that grows slowly does not ask every frame.
	size_t room = buffer->bytes > 0 ? bytes + bytes / 8 : bytes;
	brGpu_Free(gpu, buffer);
	cl_int error;
	cl_mem memory = gpu->cl->clCreateBuffer(gpu->context, CL_MEM_READ_WRITE, room, NULL, &error);
	brGpu_Note(gpu, error, "a request for memory");
	if (memory != NULL && error == CL_SUCCESS)
	{
		buffer->memory = memory;
		buffer->bytes = room;
		gpu->bytesHeld += room;
	}
}

void brGpu_Grow(brGpu* gpu, brGpuBuffer* buffer, size_t keptBytes, int64_t count, size_t elementBytes)
{
	brGpuBuffer larger = {0};
	size_t bytes = brCheckedBytes(count, elementBytes);
	if (bytes <= buffer->bytes || gpu->trouble != CL_SUCCESS)
	{
		return;
	}
	brGpu_Ensure(gpu, &larger, count + count / 8, elementBytes);
	if (larger.memory == NULL)
	{
		return;
	}
	if (keptBytes > 0)
	{
		cl_int error =
			gpu->cl->clEnqueueCopyBuffer(gpu->queue, buffer->memory, larger.memory, 0, 0, keptBytes, 0, NULL, NULL);
		brGpu_Note(gpu, error, "a copy on the device");
	}
	brGpu_Free(gpu, buffer);
	*buffer = larger;
}

void brGpu_Free(brGpu* gpu, brGpuBuffer* buffer)
{
	if (buffer->memory != NULL)
	{
		gpu->cl->clReleaseMemObject(buffer->memory);
		gpu->bytesHeld -= buffer->bytes;
	}
	*buffer = (brGpuBuffer){0};
}

void brGpu_FreeEach(brGpu* gpu, brGpuBuffer* const* buffers, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brGpu_Free(gpu, buffers[i]);
	}
}

void brGpu_Run(brGpu* gpu, brGpuKernel kernel, int64_t groupCount, uint32_t groupSize, const brGpuArg* args,
			   uint32_t argCount)
{
	if (groupCount <= 0 || gpu->trouble != CL_SUCCESS)
	{
		return;
	}
	cl_kernel code = brGpu_Kernel(gpu, kernel, &gpu->refusal);
	if (code == NULL)
	{
		brGpu_Note(gpu, CL_BUILD_PROGRAM_FAILURE, brGpuKernel_Name(kernel));
		return;
	}
	for (uint32_t i = 0; i < argCount; ++i)
	{
		bool isLocal = args[i].kind == br_gpuArgLocal;
		size_t size = isLocal                           ? args[i].value.bytes
					  : args[i].kind == br_gpuArgBuffer ? sizeof(cl_mem)
														: sizeof(cl_uint);
		brGpu_Note(gpu, gpu->cl->clSetKernelArg(code, i, size, isLocal ? NULL : &args[i].value),
				   brGpuKernel_Name(kernel));
	}
	size_t local = groupSize, global = (size_t)groupCount * groupSize;
	cl_event event = NULL;
	brGpu_Note(gpu,
			   gpu->cl->clEnqueueNDRangeKernel(gpu->queue, code, 1, NULL, &global, &local, 0, NULL,
											   gpu->isProfiling ? &event : NULL),
			   brGpuKernel_Name(kernel));
	if (event != NULL)
	{
		cl_ulong begin = 0, end = 0;
		brGpu_Note(gpu, gpu->cl->clFinish(gpu->queue), brGpuKernel_Name(kernel));
		gpu->cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL);
		gpu->cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
		gpu->cl->clReleaseEvent(event);
		gpu->profile[kernel] += 1e-9 * (double)(end - begin);
		gpu->launches[kernel] += 1;
	}
}

void brGpu_Write(brGpu* gpu, const brGpuBuffer* buffer, size_t offset, const void* bytes, size_t byteCount)
{
	if (byteCount > 0 && gpu->trouble == CL_SUCCESS)
	{
		brGpu_Note(
			gpu,
			gpu->cl->clEnqueueWriteBuffer(gpu->queue, buffer->memory, CL_TRUE, offset, byteCount, bytes, 0, NULL, NULL),
			"a copy to the device");
	}
}

brResult brGpu_Read(brGpu* gpu, const brGpuBuffer* buffer, size_t offset, void* outBytes, size_t byteCount,
					brReport* report)
{
	if (byteCount > 0 && gpu->trouble == CL_SUCCESS)
	{
		brGpu_Note(gpu,
				   gpu->cl->clEnqueueReadBuffer(gpu->queue, buffer->memory, CL_TRUE, offset, byteCount, outBytes, 0,
												NULL, NULL),
				   "a copy from the device");
	}
	return gpuAnswer(gpu, report);
}

brResult brGpu_Finish(brGpu* gpu, brReport* report)
{
	brGpu_Note(gpu, gpu->cl->clFinish(gpu->queue), "a wait for the device");
	return gpuAnswer(gpu, report);
}

void brGpu_Clear(brGpu* gpu, const brGpuBuffer* buffer, int64_t count)
{
	int64_t groups = (count + 255) / 256;
	BR_GPU_RUN(gpu, kernel_brk_clear, groups < 4096 ? groups : 4096, 256, brBufferArg(buffer),
			   brUintArg((uint32_t)count));
}

brResult brGpu_Profile(brGpu* gpu, bool enable, brReport* report)
{
	memset(gpu->profile, 0, sizeof(gpu->profile));
	memset(gpu->launches, 0, sizeof(gpu->launches));
	if (gpu->isProfiling != enable)
	{
		cl_int error;
		cl_command_queue queue = gpuMakeQueue(gpu, enable, &error);
		if (queue == NULL)
		{
			return brFail(report, br_errorUnavailable, "%s: %s for a second queue", gpu->info.name,
						  brOpenCl_ErrorName(error));
		}
		gpu->cl->clFinish(gpu->queue);
		gpu->cl->clReleaseCommandQueue(gpu->queue);
		gpu->queue = queue;
		gpu->isProfiling = enable;
	}
	return br_success;
}

#endif
