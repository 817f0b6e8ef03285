// SPDX-License-Identifier: MIT
#include "ask.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

bool cachePath(const char* name, char* outPath, size_t bytes)
{
	const char* cache = getenv("XDG_CACHE_HOME");
	const char* home = getenv("HOME");
	bool hasCache = cache != NULL && cache[0] != 0;
	if (!hasCache && (home == NULL || home[0] == 0))
	{
		return false;
	}
	int length = snprintf(outPath, bytes, "%s%s/brittle%s%s", hasCache ? cache : home, hasCache ? "" : "/.cache",
						  name != NULL ? "/" : "", name != NULL ? name : "");
	return length > 0 && (size_t)length < bytes;
}

static double askSeconds(void)
{
	const char* given = getenv("BRITTLE_ASK_SECONDS");
	double seconds = given != NULL ? atof(given) : 0.0;
	return seconds > 0.0 ? seconds : 20.0;
}

static double askClock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Reads until the child closes its end or the time is over. False: the time is over.
static bool askRead(int from, char* outText, size_t bytes)
{
	double end = askClock() + askSeconds();
	size_t used = 0;
	for (;;)
	{
		int left = (int)(1e3 * (end - askClock()));
		struct pollfd wait = {.fd = from, .events = POLLIN};
		int ready = left > 0 ? poll(&wait, 1, left) : 0;
		if (ready < 0 && errno == EINTR && endSignal() == 0)
		{
			continue;
		}
		if (ready <= 0)
		{
			return false;
		}
		char spill[256];
		bool isFull = used + 1 >= bytes;
		ssize_t got = read(from, isFull ? spill : outText + used, isFull ? sizeof(spill) : bytes - 1 - used);
		if (got <= 0)
		{
			outText[used] = 0;
			return true;
		}
		used += isFull ? 0 : (size_t)got;
	}
}

AskAnswer askLibrary(const char* name, char* outText, size_t bytes)
{
	const char* who = strcmp(name, "opencl") == 0 ? "an OpenCL driver of this machine" : name;
	int ends[2];
	outText[0] = 0;
	if (pipe(ends) != 0)
	{
		snprintf(outText, bytes, "%s was not asked: %s", name, strerror(errno));
		return ask_absent;
	}
	pid_t child = fork();
	if (child == 0)
	{
		// A driver's chatter, and what the library says as it dies, are not for the user.
		FILE* quiet = freopen("/dev/null", "w", stderr);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]), close(ends[1]);
		if (quiet != NULL)
		{
			execl("/proc/self/exe", "brittle", "info", "--ask", name, (char*)NULL);
		}
		_exit(127);
	}
	close(ends[1]);
	bool isDone = child > 0 && askRead(ends[0], outText, bytes);
	close(ends[0]);
	if (child > 0 && !isDone)
	{
		kill(child, SIGKILL);
	}
	int status = 0;
	bool hasEnded = child > 0 && waitpid(child, &status, 0) == child;
	if (hasEnded && isDone && WIFEXITED(status) && WEXITSTATUS(status) == 0)
	{
		return ask_here;
	}
	if (hasEnded && isDone && WIFEXITED(status) && WEXITSTATUS(status) == 1)
	{
		outText[strcspn(outText, "\n")] = 0; // its own sentence
		return ask_absent;
	}
	if (hasEnded && !isDone)
	{
		snprintf(outText, bytes, "%s did not answer within %g s in a process of its own, which was ended", who,
				 askSeconds());
	}
	else
	{
		snprintf(outText, bytes, "%s ended the process that asked it (%s %d)", who,
				 WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
	return ask_died;
}

// What the answer depends on

static uint64_t mixBytes(uint64_t hash, const void* bytes, size_t count)
{
	const unsigned char* at = bytes;
	for (size_t i = 0; i < count; ++i)
	{
		hash = (hash ^ at[i]) * 0x100000001b3u; // FNV-1a
	}
	return hash;
}

static uint64_t mixFile(uint64_t hash, const char* path)
{
	struct stat info;
	if (stat(path, &info) != 0)
	{
		return mixBytes(hash, "-", 1);
	}
	const int64_t numbers[3] = {(int64_t)info.st_size, (int64_t)info.st_mtime, (int64_t)info.st_ino};
	return mixBytes(hash, numbers, sizeof(numbers));
}

// The environment that drivers read, the list of drivers, the start of the kernel.
static uint64_t openClKey(void)
{
	uint64_t key = mixBytes(0xcbf29ce484222325u, brGetVersion(), strlen(brGetVersion()));
	static const char* const starts[] = {"OCL_", "OPENCL_", "POCL_", "CUDA_", "LD_", "FAKE_"};
	for (char** at = environ; *at != NULL; ++at)
	{
		for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); ++i)
		{
			key = strncmp(*at, starts[i], strlen(starts[i])) == 0 ? mixBytes(key, *at, strlen(*at)) : key;
		}
	}
	const char* vendors = getenv("OCL_ICD_VENDORS") != NULL ? getenv("OCL_ICD_VENDORS") : "/etc/OpenCL/vendors";
	DIR* folder = opendir(vendors);
	uint64_t files = 0; // a sum, since the order of a folder is not fixed
	for (struct dirent* entry = folder != NULL ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder))
	{
		char path[1024];
		snprintf(path, sizeof(path), "%s/%s", vendors, entry->d_name);
		files += mixFile(mixBytes(1, entry->d_name, strlen(entry->d_name)), path);
	}
	if (folder != NULL)
	{
		closedir(folder);
	}
	key = mixBytes(key, &files, sizeof(files));
	key = mixFile(key, "/sys/devices/system/cpu/online");
	char boot[64] = "";
	FILE* file = fopen("/proc/sys/kernel/random/boot_id", "r");
	size_t got = file != NULL ? fread(boot, 1, sizeof(boot), file) : 0;
	if (file != NULL)
	{
		fclose(file);
	}
	struct rlimit limit = {0, 0}; // a driver that dies for want of memory may live with more
	getrlimit(RLIMIT_AS, &limit);
	key = mixBytes(key, &limit.rlim_cur, sizeof(limit.rlim_cur));
	return mixBytes(key, boot, got);
}

bool canAskOpenCl(bool isFresh, char* outText, size_t bytes)
{
	char path[1024], known[1024] = "", head[32];
	bool hasPath = cachePath("opencl_answer", path, sizeof(path));
	snprintf(head, sizeof(head), "%016llx ", (unsigned long long)openClKey());
	FILE* file = hasPath && !isFresh ? fopen(path, "r") : NULL;
	if (file != NULL)
	{
		known[fread(known, 1, sizeof(known) - 1, file)] = 0;
		fclose(file);
	}
	if (strncmp(known, head, strlen(head)) == 0)
	{
		snprintf(outText, bytes, "%s", known + strlen(head));
		return strcmp(outText, "yes") == 0;
	}
	char answer[8192];
	bool isGood = askLibrary("opencl", answer, sizeof(answer)) != ask_died;
	snprintf(outText, bytes, "%s", isGood ? "yes" : answer);
	if (hasPath)
	{
		*strrchr(path, '/') = 0;
		bool hasFolder = makeFolder(path);
		path[strlen(path)] = '/';
		snprintf(known, sizeof(known), "%s%.900s", head, outText);
		hasFolder ? (void)brSaveBytes(NULL, known, strlen(known), path, NULL) : (void)0;
	}
	return isGood;
}
