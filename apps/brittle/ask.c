// SPDX-License-Identifier: MIT
#include "ask.h"

#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

#ifndef _WIN32
extern char** environ;
#endif

bool cachePath(const char* name, char* outPath, size_t bytes)
{
#ifdef _WIN32
	const char *cache = getenv("LOCALAPPDATA"), *home = NULL;
#else
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
#endif
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

AskAnswer askLibrary(const char* name, char* outText, size_t bytes)
{
	const char* who = strcmp(name, "opencl") == 0 ? "an OpenCL driver of this machine" : name;
	char program[BR_OS_MAX_PATH];
	const char* words[] = {program, "info", "--ask", name, NULL};
	ProgramEnd end = {0};
	if (programPath(program, sizeof(program)))
	{
		end = runProgram(words, outText, bytes, askSeconds());
	}
	if (!end.hasStarted)
	{
		snprintf(outText, bytes, "%s was not asked: %s", name, strerror(errno));
		return ask_absent;
	}
	if (!end.isLate && end.signal == 0 && end.code == 0)
	{
		return ask_here;
	}
	if (!end.isLate && end.signal == 0 && end.code == 1)
	{
		outText[strcspn(outText, "\r\n")] = 0; // its own sentence
		return ask_absent;
	}
	if (end.isLate)
	{
		snprintf(outText, bytes, "%s did not answer within %g s in a process of its own, which was ended", who,
				 askSeconds());
	}
	else
	{
		snprintf(outText, bytes, "%s ended the process that asked it (%s %d)", who, end.signal != 0 ? "signal" : "exit",
				 end.signal != 0 ? end.signal : end.code);
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
	brFileInfo info = brOs_FileInfo(path);
	if (info.kind == br_fileAbsent)
	{
		return mixBytes(hash, "-", 1);
	}
	const int64_t numbers[3] = {info.bytes, info.modified, (int64_t)info.node};
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
	brFolderNames* folder = brOs_OpenFolder(vendors);
	uint64_t files = 0; // a sum, since the order of a folder is not fixed
	for (const char* name = folder != NULL ? brOs_NextName(folder) : NULL; name != NULL; name = brOs_NextName(folder))
	{
		char path[1024];
		snprintf(path, sizeof(path), "%s/%s", vendors, name);
		files += mixFile(mixBytes(1, name, strlen(name)), path);
	}
	brOs_CloseFolder(folder);
	key = mixBytes(key, &files, sizeof(files));
	key = mixFile(key, "/sys/devices/system/cpu/online");
	char boot[64] = "";
	FILE* file = brOs_OpenStream("/proc/sys/kernel/random/boot_id", "r");
	size_t got = file != NULL ? fread(boot, 1, sizeof(boot), file) : 0;
	if (file != NULL)
	{
		fclose(file);
	}
#ifndef _WIN32
	struct rlimit limit = {0, 0}; // a driver that dies for want of memory may live with more
	getrlimit(RLIMIT_AS, &limit);
	key = mixBytes(key, &limit.rlim_cur, sizeof(limit.rlim_cur));
#endif
	return mixBytes(key, boot, got);
}

bool canAskOpenCl(bool isFresh, char* outText, size_t bytes)
{
	char path[1024], known[1024] = "", head[32];
	bool hasPath = cachePath("opencl_answer", path, sizeof(path));
	snprintf(head, sizeof(head), "%016llx ", (unsigned long long)openClKey());
	FILE* file = hasPath && !isFresh ? brOs_OpenStream(path, "r") : NULL;
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
