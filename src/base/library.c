// SPDX-License-Identifier: MIT
#include "base/library.h"

#include "base/os.h"

#include <string.h>

#ifndef BR_PETSC_FILE
#define BR_PETSC_FILE "libpetsc_real.so"
#endif

#ifdef BR_HAVE_ASSIMP
#define BUILT_ASSIMP true
#else
#define BUILT_ASSIMP false
#endif
#ifdef BR_HAVE_MESHOPTIMIZER
#define BUILT_MESHOPTIMIZER true
#else
#define BUILT_MESHOPTIMIZER false
#endif
#ifdef BR_HAVE_OPENCL
#define BUILT_OPENCL true
#else
#define BUILT_OPENCL false
#endif

#ifdef BR_HAVE_PETSC
#define BUILT_PETSC true
#else
#define BUILT_PETSC false
#endif

// What it adds, what is missing without it, the files to try, and who has them: to run, and to build.
typedef struct LibraryRow
{
	brCapability capability;
	const char* what;
	const char* files[2];
	const char* devPackage;
} LibraryRow;

#ifdef _WIN32
#define FILES(linuxFirst, linuxSecond, windowsFirst, windowsSecond)                                                    \
	{                                                                                                                  \
		windowsFirst, windowsSecond                                                                                    \
	}
#else
#define FILES(linuxFirst, linuxSecond, windowsFirst, windowsSecond)                                                    \
	{                                                                                                                  \
		linuxFirst, linuxSecond                                                                                        \
	}
#endif

static const LibraryRow libraryRows[br_libraryCount] = {
	[br_libraryAssimp] = {{"assimp", "reads FBX, COLLADA, 3MF, X3D and Blender files", "libassimp5", BUILT_ASSIMP},
						  "files of this kind are read by assimp",
						  FILES("libassimp.so.5", "libassimp.so", "libassimp-5.dll", "assimp-vc143-mt.dll"),
						  "libassimp-dev"},
	[br_libraryMeshoptimizer] = {{"meshoptimizer", "decimates surfaces", "libmeshoptimizer2d", BUILT_MESHOPTIMIZER},
								 "decimation needs meshoptimizer",
								 FILES("libmeshoptimizer.so.2d", "libmeshoptimizer.so", "meshoptimizer.dll", NULL),
								 "libmeshoptimizer-dev"},
	[br_libraryOpenCl] = {{"opencl", "runs on devices",
						   "ocl-icd-libopencl1 and a driver, or pocl-opencl-icd for the processor", BUILT_OPENCL},
						  "there is no OpenCL on this machine",
						  FILES("libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll", NULL),
						  "opencl-c-headers"},
	// Its functions are those of one version: no other than that of the headers.
	[br_libraryPetsc] = {{"petsc", "solves large elastic bodies, on many ranks", "libpetsc-real3.18", BUILT_PETSC},
						 "this solver is PETSc",
						 FILES(BR_PETSC_FILE, NULL, "libpetsc.dll", NULL),
						 "libpetsc-real-dev"},
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

static brMutex libraryLock = BR_MUTEX_INIT;
static void* libraryHandles[br_libraryCount]; // under the lock

// The handle, or null. Under the lock.
static void* libraryOpen(brLibrary library, brReport* report)
{
	const LibraryRow* row = &libraryRows[library];
	for (size_t i = 0; i < 2 && libraryHandles[library] == NULL && row->files[i] != NULL; ++i)
	{
		libraryHandles[library] = brOs_OpenLibrary(row->files[i]);
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
	brMutex_Lock(&libraryLock);
	bool isOpen = libraryOpen(library, report) != NULL;
	brMutex_Unlock(&libraryLock);
	return isOpen;
}

bool brLibrary_Find(brLibrary library, const char* const* names, int32_t count, void* table, brReport* report)
{
	void** functions = table;
	brMutex_Lock(&libraryLock);
	void* handle = libraryOpen(library, report);
	// The last entry is written last: a table that has it is complete.
	for (int32_t i = 0; handle != NULL && functions[count - 1] == NULL && i < count; ++i)
	{
		functions[i] = brOs_FindSymbol(handle, names[i]);
		if (functions[i] == NULL)
		{
			brFail(report, br_errorUnavailable, "%s: %s has no function %s (Debian: %s)", libraryRows[library].what,
				   libraryRows[library].files[0], names[i], libraryRows[library].capability.package);
			break;
		}
	}
	bool isComplete = handle != NULL && functions[count - 1] != NULL;
	brMutex_Unlock(&libraryLock);
	return isComplete;
}
