// SPDX-License-Identifier: MIT
#pragma once

// Large copies to a device through memory that it reads by itself. A driver copies other memory there with one thread
// first, which takes most of the time; here all workers do, while the device fetches what they copied before.

#include "brittle/context.h"
#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

#define BR_UPLOAD_PARTS 4

/// Memory of the host that the device reaches by itself: copies from and to it are several times as fast as others. All
/// zero at first.
typedef struct brGpuPinned
{
	cl_mem memory;
	void* bytes; // as the host sees it
	size_t size;
} brGpuPinned;

/// Room for so many bytes; what was in it is lost when it grows. False if the device has no such memory.
bool brGpuPinned_Ensure(brGpuPinned* pinned, brGpu* gpu, size_t size);

void brGpuPinned_Free(brGpuPinned* pinned, brGpu* gpu);

/// All zero at first: memory is asked for when it is needed, and kept.
typedef struct brGpuUpload
{
	brGpuPinned pinned;                // in parts that take turns
	cl_event fetched[BR_UPLOAD_PARTS]; // null: nobody waits for it
} brGpuUpload;

/// brGpu_Write, from its start. `bytes` may change at once; the device has them when it is finished.
void brGpuUpload_Write(brGpuUpload* upload, brGpu* gpu, brWorkers* workers, const brGpuBuffer* buffer,
					   const void* bytes, size_t byteCount);

void brGpuUpload_Free(brGpuUpload* upload, brGpu* gpu);

#endif
