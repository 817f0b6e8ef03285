// SPDX-License-Identifier: MIT

// The test program: runs each test in a child process, some at a time, and counts.

#include "harness.h"

#include "harness_process.h"

#include "base/clock.h"
#include "base/os.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_FAILED 1
#define EXIT_SKIPPED 77
#define MAX_JOBS 16
#define MAX_NAMES 256 // on the command line

static brTest* allTests;
static char scratchFolder[BR_TEST_MAX_FOLDER];
static char programFolder[BR_OS_MAX_PATH];

void brTest_Register(brTest* test)
{
	// In order of file and name, so that the run does not depend on link order.
	brTest** place = &allTests;
	while (*place != NULL)
	{
		int order = strcmp((*place)->file, test->file);
		if (order > 0 || (order == 0 && strcmp((*place)->name, test->name) > 0))
		{
			break;
		}
		place = &(*place)->next;
	}
	test->next = *place;
	*place = test;
}

void brTest_Fail(const char* file, int line, const char* format, ...)
{
	const char* base = strrchr(file, '/');
	printf("  %s:%d: ", base != NULL ? base + 1 : file, line);
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	_exit(EXIT_FAILED);
}

void brTest_Skip(const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	_exit(EXIT_SKIPPED);
}

void brTest_CheckEqual(int64_t actual, int64_t expected, const char* text, const char* file, int line)
{
	if (actual != expected)
	{
		brTest_Fail(file, line, "%s is %lld, expected %lld", text, (long long)actual, (long long)expected);
	}
}

void brTest_CheckNear(double actual, double expected, double tolerance, const char* text, const char* file, int line)
{
	if (!(fabs(actual - expected) <= tolerance))
	{
		brTest_Fail(file, line, "%s is %.17g, expected %.17g within %g, off by %g", text, actual, expected, tolerance,
					fabs(actual - expected));
	}
}

void brTest_CheckResult(brResult result, const brReport* report, const char* text, const char* file, int line)
{
	if (result < 0)
	{
		brTest_Fail(file, line, "%s: %s: %s", text, brResult_GetName(result), report != NULL ? report->text : "");
	}
}

brRandom brTest_Random(const brTest* test)
{
	return brMakeRandom(test->seed, 0);
}

int32_t brTest_Rounds(const brTest* test, int32_t rounds)
{
	double scaled = ceil(rounds * test->intensity);
	return scaled < 1.0 ? 1 : scaled > 2e9 ? 2000000000 : (int32_t)scaled;
}

const char* brTest_DataPath(const char* relative)
{
	static char path[2048];
	const char* folder = getenv("BRITTLE_DATA");
	snprintf(path, sizeof(path), "%s/%s", folder != NULL ? folder : BR_SOURCE_DIR "/../shared/data", relative);
	return brOs_FileInfo(path).kind != br_fileAbsent ? path : NULL;
}

const char* brTest_ScratchPath(const char* name)
{
	static char paths[16][256];
	static int next;
	char* path = paths[next++ % 16];
	snprintf(path, sizeof(paths[0]), "%s/%d_%s", scratchFolder, (int)getpid(), name);
	return path;
}

const char* brTest_Program(void)
{
	static char path[BR_OS_MAX_PATH + 16];
	const char* other = getenv("BRITTLE_PROGRAM"); // a script that runs it by an emulator
	snprintf(path, sizeof(path), "%s/brittle" BR_TEST_PROGRAM_ENDING, programFolder);
	return other != NULL ? other : path;
}

char* brTest_NextField(char** rest, char separator)
{
	char* field = *rest;
	char* end = field != NULL ? strchr(field, separator) : NULL;
	if (end != NULL)
	{
		*end++ = 0;
	}
	*rest = end;
	return field;
}

// The counting allocator. A header in front of each block remembers its size.

#define BLOCK_HEADER 64

static void* testAlloc(size_t bytes, void* user)
{
	brTestAllocator* self = user;
	brMutex_Lock(self->lock);
	int64_t number = self->allocations++;
	bool refuse = self->failAt >= 0 && (number == self->failAt || (self->failAll && number > self->failAt));
	brMutex_Unlock(self->lock);
	if (refuse || (uint64_t)bytes > (uint64_t)1 << 40)
	{
		return NULL;
	}
	size_t total = (bytes + BLOCK_HEADER + 63) & ~(size_t)63;
	unsigned char* block = brOs_AllocAligned(64, total);
	if (block == NULL)
	{
		return NULL;
	}
	memset(block, 0xA5, total < 4096 ? total : 4096); // whoever reads it without writing shows
	memcpy(block, &bytes, sizeof(bytes));
	brMutex_Lock(self->lock);
	self->liveBlocks += 1;
	self->liveBytes += (int64_t)bytes;
	brMutex_Unlock(self->lock);
	return block + BLOCK_HEADER;
}

static void testFree(void* memory, size_t bytes, void* user)
{
	brTestAllocator* self = user;
	unsigned char* block = (unsigned char*)memory - BLOCK_HEADER;
	size_t allocated;
	memcpy(&allocated, block, sizeof(allocated));
	CHECK_MESSAGE(allocated == bytes, "a block of %zu bytes was freed as %zu", allocated, bytes);
	brMutex_Lock(self->lock);
	self->liveBlocks -= 1;
	self->liveBytes -= (int64_t)bytes;
	brMutex_Unlock(self->lock);
	brOs_FreeAligned(block);
}

void brTestAllocator_Init(brTestAllocator* allocator)
{
	memset(allocator, 0, sizeof(*allocator));
	allocator->allocator = (brAllocator){testAlloc, testFree, allocator};
	allocator->failAt = -1;
	allocator->lock = malloc(sizeof(brMutex));
	brMutex_Init(allocator->lock);
}

void brTestAllocator_Destroy(brTestAllocator* allocator)
{
	brMutex_Destroy(allocator->lock);
	free(allocator->lock);
}

// One run of a call, the `failAt`-th allocation of which fails (none if it is negative). Returns how many it asked for.
static int64_t failOneAllocation(brResult (*call)(const brContext* context, void* user), void* user, int64_t failAt,
								 bool canSpare)
{
	brTestAllocator allocator;
	brTestAllocator_Init(&allocator);
	allocator.failAt = failAt;
	brContext context = {.allocator = &allocator.allocator};
	brResult result = call(&context, user);
	CHECK_MESSAGE(allocator.liveBlocks == 0, "%lld blocks were left behind when allocation %lld failed",
				  (long long)allocator.liveBlocks, (long long)failAt);
	bool isGood = failAt < 0 ? result >= 0 : result == br_errorMemory;
	CHECK_MESSAGE(isGood || (canSpare && result == br_success), "when allocation %lld failed the call returned %s",
				  (long long)failAt, brResult_GetName(result));
	brTestAllocator_Destroy(&allocator);
	return allocator.allocations;
}

static int32_t walkAllocations(brResult (*call)(const brContext* context, void* user), void* user, bool canSpare)
{
	int64_t count = failOneAllocation(call, user, -1, canSpare);
	int64_t places = 20 + brTest_Rounds(allTests, 100); // all tests of a run have one seed and one intensity
	int64_t stride = count / places + 1;
	brRandom random = brTest_Random(allTests);
	for (int64_t failAt = brRandom_Below(&random, (uint32_t)stride); failAt < count; failAt += stride)
	{
		failOneAllocation(call, user, failAt, canSpare);
	}
	return (int32_t)count;
}

int32_t brTest_WalkAllocations(brResult (*call)(const brContext* context, void* user), void* user)
{
	return walkAllocations(call, user, false);
}

int32_t brTest_WalkSpareAllocations(brResult (*call)(const brContext* context, void* user), void* user)
{
	return walkAllocations(call, user, true);
}

// Running

typedef struct Job
{
	brTest* test;
	brTestProcess process;
	FILE* output;
	int64_t start;
} Job;

typedef struct Options
{
	const char* filters[MAX_NAMES];
	int filterCount;
	const char* exceptions[MAX_NAMES];
	int exceptionCount;
	int jobs;
	double intensity;
	double timeout;
	uint64_t seed;
	const char* child; // the one test of this process, where processes cannot be copied
	bool list;
	bool inProcess;
	bool verbose;
} Options;

static bool isNamed(const brTest* test, const char* const* filters, int filterCount)
{
	for (int i = 0; i < filterCount; ++i)
	{
		if (strstr(test->name, filters[i]) != NULL || strstr(test->file, filters[i]) != NULL)
		{
			return true;
		}
	}
	return false;
}

static bool isSelected(const Options* options, const brTest* test)
{
	return (options->filterCount == 0 || isNamed(test, options->filters, options->filterCount)) &&
		   !isNamed(test, options->exceptions, options->exceptionCount);
}

static Job startJob(brTest* test)
{
	Job job = {.test = test, .start = brClockNanoseconds()};
	char path[BR_TEST_MAX_FOLDER + 300];
	snprintf(path, sizeof(path), "%s/said_by_%s", scratchFolder, test->name);
	job.output = brOs_OpenStream(path, "w+b");
	fflush(stdout);
	if (job.output == NULL || !brTestProcess_Start(&job.process, test, job.output, scratchFolder))
	{
		perror("cannot start a test");
		exit(2);
	}
	return job;
}

typedef struct Tally
{
	int passed, failed, skipped;
	char skips[65536];
	char failures[65536];
} Tally;

static void appendLine(char* text, size_t capacity, const char* format, ...) BR_PRINTF_LIKE(3, 4);
static void appendLine(char* text, size_t capacity, const char* format, ...)
{
	size_t used = strlen(text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + used, capacity - used, format, arguments);
	va_end(arguments);
}

static void endJob(const Options* options, Job* job, const brTestEnd* end, bool timedOut, Tally* tally)
{
	static char output[65536];
	fseek(job->output, 0, SEEK_SET);
	output[fread(output, 1, sizeof(output) - 1, job->output)] = 0;
	fclose(job->output);
	double seconds = brSecondsSince(job->start);
	if (end->code == 0)
	{
		tally->passed += 1;
		if (options->verbose)
		{
			printf("ok      %-56s %7.3f s, %7.3f s of a processor\n%s", job->test->name, seconds, end->processorSeconds,
				   output);
		}
		return;
	}
	if (end->code == EXIT_SKIPPED)
	{
		tally->skipped += 1;
		appendLine(tally->skips, sizeof(tally->skips), "skipped %s: %s", job->test->name, output);
		return;
	}
	tally->failed += 1;
	printf("FAILED  %s: %s after %.1f s (--seed %llu --intensity %g)\n%s", job->test->name,
		   timedOut ? "took too long" : end->how, seconds, (unsigned long long)job->test->seed, job->test->intensity,
		   output);
	appendLine(tally->failures, sizeof(tally->failures), "  %s\n", job->test->name);
}

static void runAll(const Options* options, Tally* tally)
{
	Job jobs[MAX_JOBS] = {0};
	int running = 0;
	brTest* next = allTests;
	while (next != NULL || running > 0)
	{
		for (int i = 0; i < options->jobs && next != NULL; ++i)
		{
			while (next != NULL && !isSelected(options, next))
			{
				next = next->next;
			}
			if (jobs[i].test == NULL && next != NULL)
			{
				jobs[i] = startJob(next);
				running += 1;
				next = next->next;
			}
		}
		bool idle = true;
		for (int i = 0; i < options->jobs; ++i)
		{
			Job* job = &jobs[i];
			bool timedOut = brSecondsSince(job->start) > options->timeout;
			brTestEnd end = {0};
			if (job->test != NULL && brTestProcess_HasEnded(&job->process, timedOut, &end))
			{
				endJob(options, job, &end, timedOut, tally);
				job->test = NULL;
				running -= 1;
				idle = false;
			}
		}
		if (idle)
		{
			usleep(500);
		}
	}
}

static void removeFolder(const char* folder)
{
	brFolderNames* names = brOs_OpenFolder(folder);
	for (const char* name; names != NULL && (name = brOs_NextName(names)) != NULL;)
	{
		char path[BR_OS_MAX_PATH];
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (!brOs_IsLink(path) && brOs_FileInfo(path).kind == br_fileFolder)
		{
			removeFolder(path);
		}
		else
		{
			brOs_Remove(path);
		}
	}
	brOs_CloseFolder(names);
	rmdir(folder);
}

static void parseOptions(int argumentCount, char** arguments, Options* options)
{
	for (int i = 1; i < argumentCount; ++i)
	{
		const char* word = arguments[i];
		const char* value = i + 1 < argumentCount ? arguments[i + 1] : "";
		if (strcmp(word, "--list") == 0)
		{
			options->list = true;
		}
		else if (strcmp(word, "--in-process") == 0)
		{
			options->inProcess = true;
		}
		else if (strcmp(word, "--verbose") == 0)
		{
			options->verbose = true;
		}
		else if (strcmp(word, "--seed") == 0)
		{
			options->seed = strtoull(value, NULL, 0);
			i += 1;
		}
		else if (strcmp(word, "--intensity") == 0)
		{
			options->intensity = strtod(value, NULL);
			i += 1;
		}
		else if (strcmp(word, "--timeout") == 0)
		{
			options->timeout = strtod(value, NULL);
			i += 1;
		}
		else if (strcmp(word, "--child") == 0)
		{
			options->child = value;
			snprintf(scratchFolder, sizeof(scratchFolder), "%s", i + 2 < argumentCount ? arguments[i + 2] : "");
			i += 2;
		}
		else if (strcmp(word, "--jobs") == 0)
		{
			options->jobs = atoi(value);
			i += 1;
		}
		else if (strncmp(word, "--except=", 9) == 0 && options->exceptionCount < MAX_NAMES)
		{
			options->exceptions[options->exceptionCount++] = word + 9;
		}
		else if (word[0] == '-')
		{
			printf("usage: brittle_tests [FILTER...] [--except=FILTER]... [--list] [--verbose] [--seed N] "
				   "[--intensity X] [--timeout S] [--jobs N] [--in-process]\nA filter is a part of a test's name or "
				   "file; --in-process is for debuggers.\n");
			exit(strcmp(word, "--help") == 0 ? 0 : 2);
		}
		else if (options->filterCount < MAX_NAMES)
		{
			options->filters[options->filterCount++] = word;
		}
		else
		{
			printf("brittle_tests takes %d filters at most\n", MAX_NAMES);
			exit(2);
		}
	}
	options->jobs = options->jobs < 1 ? 1 : options->jobs > MAX_JOBS ? MAX_JOBS : options->jobs;
}

int main(int argumentCount, char** arguments)
{
	Options options = {.jobs = brOs_CoreCount(), .intensity = 1.0, .timeout = 120.0, .seed = 1};
	parseOptions(argumentCount, arguments, &options);
	signal(SIGINT, SIG_DFL); // ignored in jobs of a script, and by then in the programs that tests interrupt
#ifdef SIGHUP
	signal(SIGHUP, SIG_DFL);
#endif
	if (brOs_RealPath(arguments[0], programFolder))
	{
		*strrchr(programFolder, '/') = 0;
	}
	if (options.child == NULL && !brTest_MakeScratchFolder(scratchFolder))
	{
		perror("cannot make a scratch folder");
		return 2;
	}

	static Tally tally;
	int64_t start = brClockNanoseconds();
	for (brTest* test = allTests; test != NULL; test = test->next)
	{
		test->seed = options.seed;
		test->intensity = options.intensity;
		if (options.child != NULL && strcmp(options.child, test->name) == 0)
		{
			test->run(test);
			return 0;
		}
		if (options.list && isSelected(&options, test))
		{
			printf("%s\n", test->name);
		}
		if (!options.list && options.inProcess && isSelected(&options, test))
		{
			printf("%s\n", test->name);
			test->run(test);
			tally.passed += 1;
		}
	}
	if (!options.list && !options.inProcess)
	{
		runAll(&options, &tally);
	}
	removeFolder(scratchFolder);
	if (options.list)
	{
		return 0;
	}
	fputs(tally.skips, stdout);
	if (tally.failed > 0)
	{
		printf("failed:\n%s", tally.failures);
	}
	printf("%.1f s\n", brSecondsSince(start));
	printf("%d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.skipped);
	return tally.failed > 0 || tally.passed == 0 ? 1 : 0;
}

brWorkers* brTest_Workers(int32_t count)
{
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = count;
	brWorkers* workers = brCreateWorkers(&def);
	CHECK(workers != NULL);
	return workers;
}
