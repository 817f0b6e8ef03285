// SPDX-License-Identifier: MIT
#pragma once

// What differs between operating systems, in one place: memory, time, threads, files, folders, processes, libraries.
// os_posix.c has the bodies for Linux and macOS, os_windows.c those for Windows.
//
// Names of files are UTF-8 everywhere, with '/' between folders; on Windows '\\' is one too, and names may be longer
// than 260 characters. A call that fails sets errno.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef _WIN32
#include <pthread.h>
#endif

// Memory

/// Null without memory. `alignment` is a power of two; large blocks ask for large pages.
void* brOs_AllocAligned(size_t alignment, size_t bytes);
void brOs_FreeAligned(void* memory);

/// Gives pages that lie wholly in this memory back to the system; what they held is lost, the memory stays allocated. A
/// wish.
void brOs_ForgetPages(void* memory, size_t bytes);

// Time

/// Nanoseconds since some moment; never goes back.
int64_t brOs_Nanoseconds(void);

// Threads

#ifdef _WIN32
typedef struct brMutex
{
	void* lock; // an SRWLOCK
} brMutex;
typedef struct brCondition
{
	void* variable; // a CONDITION_VARIABLE
} brCondition;
typedef void* brThreadHandle;
#define BR_MUTEX_INIT                                                                                                  \
	{                                                                                                                  \
		NULL                                                                                                           \
	}
#else
typedef pthread_mutex_t brMutex;
typedef pthread_cond_t brCondition;
typedef pthread_t brThreadHandle;
#define BR_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#endif

/// Stays where it is until it is joined. The new thread reads what to do from it and takes no memory for it: a thread's
/// first block makes glibc set 64 MB of addresses aside, which a process with little room lacks later.
typedef struct brThread
{
	brThreadHandle handle;
	void (*run)(void* argument);
	void* argument;
} brThread;

void brMutex_Init(brMutex* mutex);
void brMutex_Destroy(brMutex* mutex);
void brMutex_Lock(brMutex* mutex);
void brMutex_Unlock(brMutex* mutex);
void brCondition_Init(brCondition* condition);
void brCondition_Destroy(brCondition* condition);
/// Lets go of the mutex, waits, and has it again. May return without a signal.
void brCondition_Wait(brCondition* condition, brMutex* mutex);
void brCondition_Signal(brCondition* condition);
void brCondition_SignalAll(brCondition* condition);
bool brThread_Start(brThread* thread, void (*run)(void* argument), void* argument);
void brThread_Join(brThread* thread);

/// Lends the core to another thread that wants it.
void brThread_Yield(void);

/// How this thread rounds, and what it does with numbers below the normal ones.
#if defined(_WIN32) && defined(__SSE2__) // fesetenv of mingw-w64 leaves this register alone
#include <xmmintrin.h>
typedef unsigned int brFloatMode;
#define brFloatMode_Get(mode) ((void)(*(mode) = _mm_getcsr()))
#define brFloatMode_Set(mode) _mm_setcsr(*(mode))
#else
#include <fenv.h>
typedef fenv_t brFloatMode;
#define brFloatMode_Get(mode) ((void)fegetenv(mode))
#define brFloatMode_Set(mode) ((void)fesetenv(mode))
#endif

/// Processors this process may run on, at least 1.
int32_t brOs_CoreCount(void);

// Libraries

/// Null if it is not there. It stays open until the process ends.
void* brOs_OpenLibrary(const char* name);
void* brOs_FindSymbol(void* library, const char* name);

// Files

#define BR_OS_MAX_PATH 4096

typedef enum brFileKind
{
	br_fileAbsent,
	br_fileRegular,
	br_fileFolder,
	br_fileOther, // a device or a pipe
} brFileKind;

typedef struct brFileInfo
{
	brFileKind kind;
	int64_t bytes;
	uint64_t device, node; // the same two numbers: the same file
	int64_t modified;      // seconds, or another number that changes with the content
} brFileInfo;

/// Where the name of the folder ends: the last '/', on Windows '\\' too. Null if there is no folder in the name.
static inline const char* brOs_LastSlash(const char* path)
{
	const char* slash = strrchr(path, '/');
#ifdef _WIN32
	const char* other = strrchr(slash != NULL ? slash : path, '\\');
	slash = other != NULL ? other : slash;
#endif
	return slash;
}

/// A name that does not depend on a folder: "/a", on Windows "\\a" and "C:a" too.
static inline bool brOs_IsAbsolute(const char* path)
{
#ifdef _WIN32
	return path[0] == '/' || path[0] == '\\' || (path[0] != 0 && path[1] == ':');
#else
	return path[0] == '/';
#endif
}

/// Links are followed; what is not there is br_fileAbsent.
brFileInfo brOs_FileInfo(const char* path);
brFileInfo brOs_OpenFileInfo(int file);
bool brOs_IsLink(const char* path);

/// Descriptors, or -1. Opening for reading never waits for the other end of a pipe.
int brOs_OpenRead(const char* path);
/// A device or pipe, to be written to as it is.
int brOs_OpenDevice(const char* path);
/// Makes the file or takes one that is there, empties it and locks it until it is closed or the process ends. EEXIST: it
/// is locked by another.
int brOs_OpenLocked(const char* path);
/// At most `count` bytes, as pread and write have it, begun again after a signal.
int64_t brOs_ReadAt(int file, void* bytes, size_t count, int64_t offset);
int64_t brOs_Write(int file, const void* bytes, size_t count);
/// Bytes are on the disk when it returns 0. What cannot be synced counts as synced.
int brOs_Sync(int file);
void brOs_Close(int file);

/// A stream, or null; as fopen.
FILE* brOs_OpenStream(const char* path, const char* mode);

/// 0 or -1. Rename replaces a file that is there; Remove takes files only, MakeFolder makes one folder.
int brOs_Rename(const char* from, const char* to);
int brOs_Remove(const char* path);
int brOs_MakeFolder(const char* path);

/// The one absolute name of what is there, links followed, '/' between folders. `out` has BR_OS_MAX_PATH bytes.
bool brOs_RealPath(const char* path, char* out);

/// Names in a folder, in no order, one a call, "." and ".." left out; null at the end.
typedef struct brFolderNames brFolderNames;
brFolderNames* brOs_OpenFolder(const char* path);
const char* brOs_NextName(brFolderNames* names);
void brOs_CloseFolder(brFolderNames* names);

int64_t brOs_ProcessId(void);

/// Calls `work` in a copy of this process and tells whether the copy lived to its end: for libraries that abort on what
/// they are given. Nothing that it does is seen here. One that takes longer than `seconds` is ended and has not lived.
/// True where processes cannot be copied.
bool brOs_Survives(void (*work)(void* argument), void* argument, double seconds);
