// SPDX-License-Identifier: MIT

#include "gpu/gpu_upload.h"

#ifdef BR_HAVE_OPENCL

#include <string.h>

enum
{
	uploadPart = 2 << 20,   // bytes at a time
	uploadBlock = 64 << 10, // that a worker takes
	uploadLeast = 4 << 20,  // what is smaller is not worth the memory
};

typedef struct UploadJob
{
	char* to;
	const char* from;
	size_t byteCount;
} UploadJob;

static void uploadCopyRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const UploadJob* job = user;
	size_t first = (size_t)begin * uploadBlock, last = (size_t)end * uploadBlock;
	last = last < job->byteCount ? last : job->byteCount;
	memcpy(job->to + first, job->from + first, last - first);
}

bool brGpuPinned_Ensure(brGpuPinned* pinned, brGpu* gpu, size_t size)
{
	if (pinned->size >= size)
	{
		return true;
	}
	brGpuPinned_Free(pinned, gpu);
	cl_int error;
	cl_mem memory = gpu->cl->clCreateBuffer(gpu->context, CL_MEM_ALLOC_HOST_PTR, size, NULL, &error);
	void* bytes = memory == NULL ? NULL
								 : gpu->cl->clEnqueueMapBuffer(gpu->queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
															   0, size, 0, NULL, NULL, &error);
	if (bytes == NULL && memory != NULL)
	{
		gpu->cl->clReleaseMemObject(memory);
	}
	*pinned = bytes != NULL ? (brGpuPinned){memory, bytes, size} : (brGpuPinned){0};
	return bytes != NULL;
}

void brGpuPinned_Free(brGpuPinned* pinned, brGpu* gpu)
{
	if (pinned->memory != NULL)
	{
		gpu->cl->clEnqueueUnmapMemObject(gpu->queue, pinned->memory, pinned->bytes, 0, NULL, NULL);
		gpu->cl->clFinish(gpu->queue);
		gpu->cl->clReleaseMemObject(pinned->memory);
	}
	*pinned = (brGpuPinned){0};
}

static void uploadAwait(brGpuUpload* upload, brGpu* gpu, int32_t part)
{
	if (upload->fetched[part] != NULL)
	{
		brGpu_Note(gpu, gpu->cl->clWaitForEvents(1, &upload->fetched[part]), "a copy to the device");
		gpu->cl->clReleaseEvent(upload->fetched[part]);
		upload->fetched[part] = NULL;
	}
}

void brGpuUpload_Write(brGpuUpload* upload, brGpu* gpu, brWorkers* workers, const brGpuBuffer* buffer,
					   const void* bytes, size_t byteCount)
{
	if (byteCount < uploadLeast || gpu->trouble != CL_SUCCESS ||
		!brGpuPinned_Ensure(&upload->pinned, gpu, (size_t)BR_UPLOAD_PARTS * uploadPart))
	{
		brGpu_Write(gpu, buffer, 0, bytes, byteCount);
		return;
	}
	int32_t part = 0;
	for (size_t first = 0; first < byteCount && gpu->trouble == CL_SUCCESS; first += uploadPart)
	{
		size_t rest = byteCount - first, size = rest < uploadPart ? rest : uploadPart;
		UploadJob job = {(char*)upload->pinned.bytes + (size_t)part * uploadPart, (const char*)bytes + first, size};
		uploadAwait(upload, gpu, part);
		brParallelFor(workers, (int32_t)((size + uploadBlock - 1) / uploadBlock), 1, uploadCopyRange, &job);
		brGpu_Note(gpu,
				   gpu->cl->clEnqueueWriteBuffer(gpu->queue, buffer->memory, CL_FALSE, first, size, job.to, 0, NULL,
												 &upload->fetched[part]),
				   "a copy to the device");
		part = (part + 1) % BR_UPLOAD_PARTS;
	}
	// The next copy begins with the first part again.
	for (int32_t i = 0; i < BR_UPLOAD_PARTS; ++i)
	{
		uploadAwait(upload, gpu, i);
	}
}

void brGpuUpload_Free(brGpuUpload* upload, brGpu* gpu)
{
	brGpuPinned_Free(&upload->pinned, gpu);
	*upload = (brGpuUpload){0};
}

#endif
