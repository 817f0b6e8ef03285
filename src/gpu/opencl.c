// SPDX-License-Identifier: MIT

#include "gpu/opencl.h"

#ifdef BR_HAVE_OPENCL

#include <dlfcn.h>
#include <pthread.h>

static brOpenCl openclTable;
static const char* openclTrouble; // what was missing, or null
static pthread_once_t openclOnce = PTHREAD_ONCE_INIT;

static void openclLoad(void)
{
	void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	library = library != NULL ? library : dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
	{
		openclTrouble = "libOpenCL.so.1";
		return;
	}
#define OPENCL_FIND(name)                                                                                              \
	*(void**)&openclTable.name = dlsym(library, #name);                                                                \
	if (openclTable.name == NULL)                                                                                      \
	{                                                                                                                  \
		openclTrouble = #name;                                                                                         \
		return;                                                                                                        \
	}
	BR_CL_FUNCTIONS(OPENCL_FIND)
#undef OPENCL_FIND
}

const brOpenCl* brGetOpenCl(brReport* report)
{
	pthread_once(&openclOnce, openclLoad);
	if (openclTrouble != NULL)
	{
		brFail(report, br_errorUnavailable,
			   "there is no OpenCL on this machine: %s was not found (Debian: ocl-icd-libopencl1 and a driver, or "
			   "pocl-opencl-icd for the processor)",
			   openclTrouble);
		return NULL;
	}
	return &openclTable;
}

const char* brOpenCl_ErrorName(cl_int error)
{
#define OPENCL_NAME(code)                                                                                              \
	case code:                                                                                                         \
		return #code;
	switch (error)
	{
		OPENCL_NAME(CL_DEVICE_NOT_FOUND)
		OPENCL_NAME(CL_DEVICE_NOT_AVAILABLE)
		OPENCL_NAME(CL_COMPILER_NOT_AVAILABLE)
		OPENCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
		OPENCL_NAME(CL_OUT_OF_RESOURCES)
		OPENCL_NAME(CL_OUT_OF_HOST_MEMORY)
		OPENCL_NAME(CL_BUILD_PROGRAM_FAILURE)
		OPENCL_NAME(CL_INVALID_VALUE)
		OPENCL_NAME(CL_INVALID_BUFFER_SIZE)
		OPENCL_NAME(CL_INVALID_BINARY)
		OPENCL_NAME(CL_INVALID_KERNEL_NAME)
		OPENCL_NAME(CL_INVALID_KERNEL_ARGS)
		OPENCL_NAME(CL_INVALID_WORK_GROUP_SIZE)
		OPENCL_NAME(CL_INVALID_ARG_SIZE)
		default:
			return "an error of the driver";
	}
#undef OPENCL_NAME
}

#endif
