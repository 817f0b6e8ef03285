// SPDX-License-Identifier: MIT
#pragma once

// The OpenCL loader of this machine, opened at run time, as a table of the functions that we call.

#include "base/report.h"

#ifdef BR_HAVE_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define BR_CL_FUNCTIONS(X)                                                                                             \
	X(clGetPlatformIDs)                                                                                                \
	X(clGetDeviceIDs)                                                                                                  \
	X(clGetDeviceInfo)                                                                                                 \
	X(clCreateContext)                                                                                                 \
	X(clReleaseContext)                                                                                                \
	X(clCreateCommandQueue)                                                                                            \
	X(clReleaseCommandQueue)                                                                                           \
	X(clCreateBuffer)                                                                                                  \
	X(clReleaseMemObject)                                                                                              \
	X(clEnqueueReadBuffer)                                                                                             \
	X(clEnqueueWriteBuffer)                                                                                            \
	X(clEnqueueCopyBuffer)                                                                                             \
	X(clEnqueueMapBuffer)                                                                                              \
	X(clEnqueueUnmapMemObject)                                                                                         \
	X(clCreateProgramWithSource)                                                                                       \
	X(clCreateProgramWithBinary)                                                                                       \
	X(clBuildProgram)                                                                                                  \
	X(clGetProgramBuildInfo)                                                                                           \
	X(clGetProgramInfo)                                                                                                \
	X(clReleaseProgram)                                                                                                \
	X(clCreateKernel)                                                                                                  \
	X(clReleaseKernel)                                                                                                 \
	X(clSetKernelArg)                                                                                                  \
	X(clEnqueueNDRangeKernel)                                                                                          \
	X(clGetEventProfilingInfo)                                                                                         \
	X(clWaitForEvents)                                                                                                 \
	X(clReleaseEvent)                                                                                                  \
	X(clFlush)                                                                                                         \
	X(clFinish)

typedef struct brOpenCl
{
#define BR_CL_MEMBER(name) __typeof__(name)* name;
	BR_CL_FUNCTIONS(BR_CL_MEMBER)
#undef BR_CL_MEMBER
} brOpenCl;

/// The table, or null with a report.
const brOpenCl* brGetOpenCl(brReport* report);

/// "CL_OUT_OF_RESOURCES" and so on. Never null.
const char* brOpenCl_ErrorName(cl_int error);

#endif
