// SPDX-License-Identifier: MIT
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#ifndef BR_MUMPS_FILE
#define BR_MUMPS_FILE "libdmumps_seq.so"
#endif

// What is missing without it, the files to try, and who has them.
typedef struct LibraryRow
{
	const char* what;
	const char* files[2];
	const char* packages;
} LibraryRow;

static const LibraryRow libraryRows[br_libraryCount] = {
	[br_libraryAssimp] = {"files of this kind are read by assimp", {"libassimp.so.5", "libassimp.so"}, "libassimp5"},
	[br_libraryEmbree] = {"pictures need Embree", {"libembree3.so.3", "libembree3.so"}, "libembree3-3"},
	// The struct that calls take changes from version to version: no other than the one of the header.
	[br_libraryMumps] = {"the direct solver is MUMPS", {BR_MUMPS_FILE, NULL}, "libmumps-seq-5.5"},
	[br_libraryOpenCl] = {"there is no OpenCL on this machine",
						  {"libOpenCL.so.1", "libOpenCL.so"},
						  "ocl-icd-libopencl1 and a driver, or pocl-opencl-icd for the processor"},
};

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
			   row->packages);
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
				   libraryRows[library].files[0], names[i], libraryRows[library].packages);
			break;
		}
	}
	bool isComplete = handle != NULL && functions[count - 1] != NULL;
	pthread_mutex_unlock(&libraryLock);
	return isComplete;
}
