// SPDX-License-Identifier: MIT
#include "base/os.h"

#ifndef _WIN32

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Big blocks ask for big pages: touching fresh memory 4 kB at a time costs as much as parsing a file into it.
#define BIG_PAGE ((size_t)2 << 20)
#define BIG_BLOCK (2 * BIG_PAGE)

// Threads of some systems have 512 kB of stack, which is not enough.
#define THREAD_STACK ((size_t)8 << 20)

void* brOs_AllocAligned(size_t alignment, size_t bytes)
{
	void* memory = NULL;
	if (posix_memalign(&memory, bytes >= BIG_BLOCK && alignment < BIG_PAGE ? BIG_PAGE : alignment, bytes) != 0)
	{
		return NULL;
	}
#ifdef MADV_HUGEPAGE
	if (bytes >= BIG_BLOCK)
	{
		madvise(memory, bytes & ~(BIG_PAGE - 1), MADV_HUGEPAGE); // a wish: no matter if it is not granted
	}
#endif
	return memory;
}

void brOs_FreeAligned(void* memory)
{
	free(memory);
}

void brOs_ForgetPages(void* memory, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)memory + page - 1) & ~(page - 1), end = ((uintptr_t)memory + bytes) & ~(page - 1);
	if (end > first)
	{
		madvise((void*)first, end - first, MADV_DONTNEED);
	}
}

int64_t brOs_Nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void brMutex_Init(brMutex* mutex)
{
	pthread_mutex_init(mutex, NULL);
}

void brMutex_Destroy(brMutex* mutex)
{
	pthread_mutex_destroy(mutex);
}

void brMutex_Lock(brMutex* mutex)
{
	pthread_mutex_lock(mutex);
}

void brMutex_Unlock(brMutex* mutex)
{
	pthread_mutex_unlock(mutex);
}

void brCondition_Init(brCondition* condition)
{
	pthread_cond_init(condition, NULL);
}

void brCondition_Destroy(brCondition* condition)
{
	pthread_cond_destroy(condition);
}

void brCondition_Wait(brCondition* condition, brMutex* mutex)
{
	pthread_cond_wait(condition, mutex);
}

void brCondition_Signal(brCondition* condition)
{
	pthread_cond_signal(condition);
}

void brCondition_SignalAll(brCondition* condition)
{
	pthread_cond_broadcast(condition);
}

static void* osThread(void* start)
{
	brThread* thread = start;
	thread->run(thread->argument);
	return NULL;
}

bool brThread_Start(brThread* thread, void (*run)(void* argument), void* argument)
{
	thread->run = run, thread->argument = argument;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	size_t stack = 0;
	if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < THREAD_STACK)
	{
		pthread_attr_setstacksize(&attributes, THREAD_STACK);
	}
	bool isStarted = pthread_create(&thread->handle, &attributes, osThread, thread) == 0;
	pthread_attr_destroy(&attributes);
	return isStarted;
}

void brThread_Join(brThread* thread)
{
	pthread_join(thread->handle, NULL);
}

void brThread_Yield(void)
{
	sched_yield();
}

int32_t brOs_CoreCount(void)
{
#ifdef __linux__
	// What this process may use: taskset, containers and job schedulers leave it a part of the machine.
	cpu_set_t cores;
	if (sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) > 0)
	{
		return CPU_COUNT(&cores);
	}
#endif
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

void* brOs_OpenLibrary(const char* name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void* brOs_FindSymbol(void* library, const char* name)
{
	return dlsym(library, name);
}

static brFileInfo osInfo(bool isThere, const struct stat* info)
{
	if (!isThere)
	{
		return (brFileInfo){.kind = br_fileAbsent};
	}
	return (brFileInfo){S_ISREG(info->st_mode)   ? br_fileRegular
						: S_ISDIR(info->st_mode) ? br_fileFolder
												 : br_fileOther,
						(int64_t)info->st_size, (uint64_t)info->st_dev, (uint64_t)info->st_ino,
						(int64_t)info->st_mtime};
}

brFileInfo brOs_FileInfo(const char* path)
{
	struct stat info;
	bool isThere = stat(path, &info) == 0;
	return osInfo(isThere, &info);
}

brFileInfo brOs_OpenFileInfo(int file)
{
	struct stat info;
	bool isThere = fstat(file, &info) == 0;
	return osInfo(isThere, &info);
}

bool brOs_IsLink(const char* path)
{
	struct stat info;
	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

int brOs_OpenRead(const char* path)
{
	// Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int brOs_OpenDevice(const char* path)
{
	return open(path, O_WRONLY | O_CLOEXEC);
}

int brOs_OpenLocked(const char* path)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (file < 0)
	{
		errno = errno == ELOOP ? EEXIST : errno;
		return -1;
	}
	// The name may lead to another file by the time the lock is had.
	brFileInfo held = {.kind = br_fileAbsent}, named = {.kind = br_fileAbsent};
	bool isLocked = flock(file, LOCK_EX | LOCK_NB) == 0;
	if (isLocked)
	{
		held = brOs_OpenFileInfo(file), named = brOs_FileInfo(path);
	}
	if (held.kind == br_fileRegular && held.device == named.device && held.node == named.node &&
		ftruncate(file, 0) == 0)
	{
		return file;
	}
	close(file);
	errno = EEXIST;
	return -1;
}

int64_t brOs_ReadAt(int file, void* bytes, size_t count, int64_t offset)
{
	ssize_t got;
	do
	{
		got = pread(file, bytes, count, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got;
}

int64_t brOs_Write(int file, const void* bytes, size_t count)
{
	ssize_t put;
	do
	{
		put = write(file, bytes, count);
	} while (put < 0 && errno == EINTR);
	return put;
}

int brOs_Sync(int file)
{
	return fsync(file) != 0 && errno != EINVAL && errno != EROFS ? -1 : 0;
}

void brOs_Close(int file)
{
	close(file);
}

FILE* brOs_OpenStream(const char* path, const char* mode)
{
	return fopen(path, mode);
}

int brOs_Rename(const char* from, const char* to)
{
	return rename(from, to);
}

int brOs_Remove(const char* path)
{
	return unlink(path);
}

int brOs_MakeFolder(const char* path)
{
	return mkdir(path, 0777);
}

bool brOs_RealPath(const char* path, char* out)
{
	char* real = realpath(path, NULL);
	bool isShort = real != NULL && strlen(real) < BR_OS_MAX_PATH;
	if (isShort)
	{
		memcpy(out, real, strlen(real) + 1);
	}
	free(real);
	return isShort;
}

int64_t brOs_ProcessId(void)
{
	return (int64_t)getpid();
}

#ifdef __EMSCRIPTEN__
bool brOs_Survives(void (*work)(void* argument), void* argument, double seconds)
{
	(void)work, (void)argument, (void)seconds;
	return true;
}
#else
// The copy tells by a byte in a pipe: its exit status may be taken by a host that waits for all its children.
bool brOs_Survives(void (*work)(void* argument), void* argument, double seconds)
{
	int ends[2];
	if (pipe(ends) != 0)
	{
		return true;
	}
	pid_t child = fork();
	if (child == 0)
	{
		int nowhere = open("/dev/null", O_RDWR);
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO); // last words of a library are not ours
		for (int number = 1; number < NSIG; ++number)
		{
			signal(number, SIG_DFL); // handlers of the host are for the host
		}
		work(argument);
		_exit(write(ends[1], "", 1) == 1 ? 0 : 1);
	}
	close(ends[1]);
	struct pollfd end = {.fd = ends[0], .events = POLLIN};
	char byte;
	int64_t last = brOs_Nanoseconds() + (int64_t)(1e9 * seconds);
	int ready = 0;
	while (child > 0 && ready == 0 && brOs_Nanoseconds() < last)
	{
		ready = poll(&end, 1, 100);
		ready = ready < 0 && errno == EINTR ? 0 : ready;
	}
	bool hasLived = child < 0 || (ready > 0 && read(ends[0], &byte, 1) == 1);
	close(ends[0]);
	if (child > 0)
	{
		kill(child, SIGKILL); // late, or done
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		{
		}
	}
	return hasLived;
}
#endif

struct brFolderNames
{
	DIR* directory;
};

brFolderNames* brOs_OpenFolder(const char* path)
{
	brFolderNames* names = malloc(sizeof(*names));
	DIR* directory = names != NULL ? opendir(path) : NULL;
	if (directory == NULL)
	{
		free(names);
		return NULL;
	}
	names->directory = directory;
	return names;
}

const char* brOs_NextName(brFolderNames* names)
{
	for (struct dirent* entry = readdir(names->directory); entry != NULL; entry = readdir(names->directory))
	{
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
		{
			return entry->d_name;
		}
	}
	return NULL;
}

void brOs_CloseFolder(brFolderNames* names)
{
	if (names != NULL)
	{
		closedir(names->directory);
		free(names);
	}
}

#else
typedef int brOsPosix; // a file needs one declaration
#endif
