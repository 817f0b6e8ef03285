// SPDX-License-Identifier: MIT
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#ifndef BR_MUMPS_FILE
#define BR_MUMPS_FILE "libdmumps_seq.so"
#endif

#ifdef BR_HAVE_ASSIMP
#define BUILT_ASSIMP true
#else
#define BUILT_ASSIMP false
#endif
#ifdef BR_HAVE_EMBREE
#define BUILT_EMBREE true
#else
#define BUILT_EMBREE false
#endif
#ifdef BR_HAVE_MESHOPTIMIZER
#define BUILT_MESHOPTIMIZER true
#else
#define BUILT_MESHOPTIMIZER false
#endif
#ifdef BR_HAVE_MUMPS
#define BUILT_MUMPS true
#else
#define BUILT_MUMPS false
#endif
#ifdef BR_HAVE_OPENCL
#define BUILT_OPENCL true
#else
#define BUILT_OPENCL false
#endif

// What it adds, what is missing without it, the files to try, and who has them: to run, and to build.
typedef struct LibraryRow
{
	brCapability capability;
	const char* what;
	const char* files[2];
	const char* devPackage;
} LibraryRow;

static const LibraryRow libraryRows[br_libraryCount] = {
	[br_libraryAssimp] = {{"assimp", "reads FBX, COLLADA, 3MF, X3D and Blender files", "libassimp5", BUILT_ASSIMP},
						  "files of this kind are read by assimp",
						  {"libassimp.so.5", "libassimp.so"},
						  "libassimp-dev"},
	[br_libraryEmbree] = {{"embree", "renders pictures", "libembree3-3", BUILT_EMBREE},
						  "pictures need Embree",
						  {"libembree3.so.3", "libembree3.so"},
						  "libembree-dev"},
	[br_libraryMeshoptimizer] = {{"meshoptimizer", "decimates surfaces", "libmeshoptimizer2d", BUILT_MESHOPTIMIZER},
								 "decimation needs meshoptimizer",
								 {"libmeshoptimizer.so.2d", "libmeshoptimizer.so"},
								 "libmeshoptimizer-dev"},
	// The struct that calls take changes from version to version: no other than the one of the header.
	[br_libraryMumps] = {{"mumps", "solves elastic bodies directly", "libmumps-seq-5.5", BUILT_MUMPS},
						 "the direct solver is MUMPS",
						 {BR_MUMPS_FILE, NULL},
						 "libmumps-seq-dev"},
	[br_libraryOpenCl] = {{"opencl", "runs on devices",
						   "ocl-icd-libopencl1 and a driver, or pocl-opencl-icd for the processor", BUILT_OPENCL},
						  "there is no OpenCL on this machine",
						  {"libOpenCL.so.1", "libOpenCL.so"},
						  "opencl-c-headers"},
};

const brCapability* brLibrary_Capability(brLibrary library)
{
	return &libraryRows[library].capability;
}

brResult brLibrary_FailAbsent(brLibrary library, brReport* report)
{
	const LibraryRow* row = &libraryRows[library];
	return brFail(report, br_errorUnavailable, "%s, which this build was made without (Debian: %s, then build again)",
				  row->what, row->devPackage);
}

static pthread_mutex_t libraryLock = PTHREAD_MUTEX_INITIALIZER;
static void* libraryHandles[br_libraryCount]; // under the lock

// The handle, or null. Under the lock.
static void* libraryOpen(brLibrary library, brReport* report)
{
	const LibraryRow* row = &libraryRows[library];
	for (size_t i = 0; i < 2 && libraryHandles[library] == NULL && row->files[i] != NULL; ++i)
	{
		libraryHandles[library] = dlopen(row->files[i], RTLD_NOW | RTLD_LOCAL);
	}
	if (libraryHandles[library] == NULL)
	{
		brFail(report, br_errorUnavailable, "%s: %s cannot be opened (Debian: %s)", row->what, row->files[0],
			   row->capability.package);
	}
	return libraryHandles[library];
}

bool brLibrary_Open(brLibrary library, brReport* report)
{
	pthread_mutex_lock(&libraryLock);
	bool isOpen = libraryOpen(library, report) != NULL;
	pthread_mutex_unlock(&libraryLock);
	return isOpen;
}

bool brLibrary_Find(brLibrary library, const char* const* names, int32_t count, void* table, brReport* report)
{
	void** functions = table;
	pthread_mutex_lock(&libraryLock);
	void* handle = libraryOpen(library, report);
	// The last entry is written last: a table that has it is complete.
	for (int32_t i = 0; handle != NULL && functions[count - 1] == NULL && i < count; ++i)
	{
		functions[i] = dlsym(handle, names[i]);
		if (functions[i] == NULL)
		{
			brFail(report, br_errorUnavailable, "%s: %s has no function %s (Debian: %s)", libraryRows[library].what,
				   libraryRows[library].files[0], names[i], libraryRows[library].capability.package);
			break;
		}
	}
	bool isComplete = handle != NULL && functions[count - 1] != NULL;
	pthread_mutex_unlock(&libraryLock);
	return isComplete;
}
