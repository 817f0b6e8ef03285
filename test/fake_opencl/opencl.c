// SPDX-License-Identifier: MIT

// An OpenCL loader as broken as some are: asked for platforms it aborts, or with FAKE_OPENCL=hang never answers. Tests
// put it in the way of the real one.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUB(name)                                                                                                     \
	int name(void);                                                                                                    \
	int name(void)                                                                                                     \
	{                                                                                                                  \
		return -1;                                                                                                     \
	}

int clGetPlatformIDs(void);
int clGetPlatformIDs(void)
{
	const char* how = getenv("FAKE_OPENCL");
	while (how != NULL && strcmp(how, "hang") == 0)
	{
		sleep(1);
	}
	abort();
}

STUB(clGetDeviceIDs)
STUB(clGetDeviceInfo)
STUB(clCreateContext)
STUB(clReleaseContext)
STUB(clCreateCommandQueue)
STUB(clReleaseCommandQueue)
STUB(clCreateBuffer)
STUB(clReleaseMemObject)
STUB(clEnqueueReadBuffer)
STUB(clEnqueueWriteBuffer)
STUB(clEnqueueCopyBuffer)
STUB(clEnqueueMapBuffer)
STUB(clEnqueueUnmapMemObject)
STUB(clCreateProgramWithSource)
STUB(clCreateProgramWithBinary)
STUB(clBuildProgram)
STUB(clGetProgramBuildInfo)
STUB(clGetProgramInfo)
STUB(clReleaseProgram)
STUB(clCreateKernel)
STUB(clReleaseKernel)
STUB(clSetKernelArg)
STUB(clEnqueueNDRangeKernel)
STUB(clGetEventProfilingInfo)
STUB(clWaitForEvents)
STUB(clReleaseEvent)
STUB(clFlush)
STUB(clFinish)
