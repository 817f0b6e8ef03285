// SPDX-License-Identifier: MIT

#include "gpu/opencl.h"

#ifdef BR_HAVE_OPENCL

#include "base/library.h"
#include "base/memory.h"

static brOpenCl openclTable;

const brOpenCl* brGetOpenCl(brReport* report)
{
#define OPENCL_NAME(name) #name,
	static const char* const names[] = {BR_CL_FUNCTIONS(OPENCL_NAME)};
#undef OPENCL_NAME
	int32_t count = BR_COUNT(names);
	return brLibrary_Find(br_libraryOpenCl, names, count, &openclTable, report) ? &openclTable : NULL;
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
