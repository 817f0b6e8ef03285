// SPDX-License-Identifier: MIT

// Null where a pointer is needed: api.h promises br_errorMisuse, none, null, 0 or false, never a crash. Every function
// of the public headers is called with nothing but zeros, found by name in the shared library, so that a new one is
// covered on the day it is written. Each call runs in a process of its own.

#include "brittle/break.h"
#include "brittle/io.h"
#include "harness.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)

// More zeros than any function takes, in registers and behind them: structs by value lie there too.
typedef long (*NullCall)(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long,
						 long, long, long, long, long, long, long, long, long, long, long, long, long, long, long,
						 long);

static long callWithZeros(void* function)
{
	NullCall call = NULL;
	memcpy(&call, &function, sizeof(call));
	return call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

// What comes back in a register; larger structs have a hidden argument, which zero would not do for.
static bool isPlainType(const char* type)
{
	static const char* const plain[] = {"brResult", "bool",   "void",     "int32_t",  "int64_t",
										"uint64_t", "size_t", "brBodyId", "brJointId"};
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); ++i)
	{
		if (strcmp(type, plain[i]) == 0)
		{
			return true;
		}
	}
	return strchr(type, '*') != NULL;
}

static void checkFunction(void* library, const char* type, const char* name, char* outFailures, size_t bytes)
{
	void* function = dlsym(library, name);
	CHECK_MESSAGE(function != NULL, "%s is in a header and not in the library", name);
	pid_t child = fork();
	if (child == 0)
	{
		FILE* quiet = freopen("/dev/null", "w", stderr);
		alarm(20);
		long answer = callWithZeros(function);
		// A build without an optional library says that before it looks at the arguments.
		bool isAnswered = (int32_t)answer == br_errorMisuse || (int32_t)answer == br_errorUnavailable;
		_exit(quiet != NULL && (strcmp(type, "brResult") != 0 || isAnswered) ? 0 : 1);
	}
	int status = 0;
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
	{
		size_t used = strlen(outFailures);
		snprintf(outFailures + used, bytes - used, " %s%s", name, WIFEXITED(status) ? "" : "(crash)");
	}
}

// "BR_API TYPE name(": the functions of one header.
static int32_t checkHeader(void* library, const char* path, char* outFailures, size_t bytes)
{
	FILE* file = fopen(path, "r");
	CHECK(file != NULL);
	char line[512];
	int32_t count = 0;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char* open = strncmp(line, "BR_API ", 7) == 0 ? strchr(line, '(') : NULL;
		if (open == NULL)
		{
			continue;
		}
		*open = 0;
		char* name = strrchr(line, ' ') + 1;
		char type[128];
		snprintf(type, sizeof(type), "%.*s", (int)(name - 1 - (line + 7)), line + 7);
		if (isPlainType(type))
		{
			checkFunction(library, type, name, outFailures, bytes);
			count += 1;
		}
	}
	fclose(file);
	return count;
}

// One null among good arguments.
BR_TEST(api_answers_one_null_with_misuse)
{
	brReport report = {0};
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = BR_MADE(brWorld, brCreateWorld, NULL, &def);
	CHECK(brCreateWorld(NULL, &def, NULL, &report) == br_errorMisuse && brCreateWorld(NULL, NULL, &world, NULL) < 0);
	CHECK(brWorld_Step(NULL, 0.01, &report) == br_errorMisuse && report.text[0] != 0);
	brBodyDef body = brDefaultBodyDef();
	CHECK(brWorld_CreateBody(NULL, &body, &report).index1 == 0 && report.code == br_errorMisuse);
	CHECK(brWorld_CreateBody(world, NULL, &report).index1 == 0);
	CHECK(brWorld_GetContactEvents(world, NULL) == NULL || brWorld_GetBodyCount(world) == 0);
	brWorld_GetBodyEvents(world, NULL);
	brWorld_GetBreakEvents(world, NULL);
	brWorld_GetBreakPieces(world, NULL);
	int32_t count = 7;
	CHECK(brWorld_GetBodyEvents(NULL, &count) == NULL && count == 0);
	CHECK(brLoadMesh(NULL, "any.obj", NULL, &report) == br_errorMisuse);
	CHECK(brLoadTetMesh(NULL, "any.msh", NULL, &report) == br_errorMisuse);
	CHECK(brWorld_GetStats(NULL).bodies == 0 && brWorld_ComputeEnergy(NULL).kinetic == 0.0);
	brDestroyWorld(world);
}

BR_TEST(api_answers_null_with_misuse)
{
	char path[1024], failures[8192] = "";
	snprintf(path, sizeof(path), "%s", brTest_Program());
	snprintf(strrchr(path, '/'), 32, "/libbrittle.so");
	void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK_MESSAGE(library != NULL, "%s", dlerror());
	DIR* folder = opendir(BR_SOURCE_DIR "/include/brittle");
	CHECK(folder != NULL);
	int32_t count = 0;
	for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder))
	{
		if (strstr(entry->d_name, ".h") != NULL)
		{
			snprintf(path, sizeof(path), "%s/include/brittle/%s", BR_SOURCE_DIR, entry->d_name);
			count += checkHeader(library, path, failures, sizeof(failures));
		}
	}
	closedir(folder);
	CHECK(count > 100);
	CHECK_MESSAGE(failures[0] == 0, "of %d functions these do not bear null:%s", count, failures);
}

#endif
