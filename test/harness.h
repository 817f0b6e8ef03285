// SPDX-License-Identifier: MIT
#pragma once

// A test is a function that registers itself and fails by the first check that does not hold.
//
//     BR_TEST(sort_keeps_equal_keys_in_order)
//     {
//         brRandom random = brTest_Random(test);          // seeded, printed when the test fails
//         for (int32_t i = 0; i < brTest_Rounds(test, 200); ++i) { ... CHECK(a == b); CHECK_NEAR(x, y, 1e-12); }
//     }
//
// Each test runs in its own process, so a crash or a hang fails one test. `brittle_tests --help` lists the switches.

#include "base/random.h"
#include "brittle/context.h"

typedef struct brTest
{
	const char* name;
	const char* file;
	void (*run)(struct brTest* test);
	uint64_t seed;
	double intensity; // 1 in `make test`, less under sanitizers, more in long campaigns
	struct brTest* next;
} brTest;

void brTest_Register(brTest* test);

#define BR_TEST(testName)                                                                                              \
	static void testName(brTest* test);                                                                                \
	static brTest brTest_##testName = {#testName, __FILE__, testName, 0, 0.0, NULL};                                   \
	__attribute__((constructor)) static void brTestRegister_##testName(void)                                           \
	{                                                                                                                  \
		brTest_Register(&brTest_##testName);                                                                           \
	}                                                                                                                  \
	static void testName(__attribute__((unused)) brTest* test)

/// Prints the place and the sentence and ends the test.
void brTest_Fail(const char* file, int line, const char* format, ...) BR_PRINTF_LIKE(3, 4) __attribute__((noreturn));

#define CHECK(condition) ((condition) ? (void)0 : brTest_Fail(__FILE__, __LINE__, "does not hold: %s", #condition))
#define CHECK_MESSAGE(condition, ...) ((condition) ? (void)0 : brTest_Fail(__FILE__, __LINE__, __VA_ARGS__))
#define CHECK_EQUAL(actual, expected) brTest_CheckEqual((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_NEAR(actual, expected, tolerance)                                                                        \
	brTest_CheckNear((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define CHECK_RESULT(call, report) brTest_CheckResult((call), (report), #call, __FILE__, __LINE__)

void brTest_CheckEqual(int64_t actual, int64_t expected, const char* text, const char* file, int line);
void brTest_CheckNear(double actual, double expected, double tolerance, const char* text, const char* file, int line);
/// Passes on success and remarks; a failure prints the report's sentence. `report` may be null.
void brTest_CheckResult(brResult result, const brReport* report, const char* text, const char* file, int line);

/// What a call makes whose last two arguments are a place for it and a report: BR_MADE(brMesh, brLoadMesh, NULL, path).
/// Fails the test like CHECK_RESULT.
#define BR_MADE(T, call, ...)                                                                                          \
	__extension__({                                                                                                    \
		T* made_ = NULL;                                                                                               \
		brReport madeReport_ = {0};                                                                                    \
		brTest_CheckResult(call(__VA_ARGS__, &made_, &madeReport_), &madeReport_, #call, __FILE__, __LINE__);          \
		made_;                                                                                                         \
	})

/// Leaves the test as skipped, with the reason in the summary; for what needs data or programs that may be absent.
void brTest_Skip(const char* format, ...) BR_PRINTF_LIKE(1, 2) __attribute__((noreturn));

/// A generator for this test's seed.
brRandom brTest_Random(const brTest* test);

/// `rounds` scaled by the intensity, at least 1.
int32_t brTest_Rounds(const brTest* test, int32_t rounds);

/// Path of a file in the public mesh collection beside the project, or null if the collection is not there.
/// The result is a static buffer.
const char* brTest_DataPath(const char* relative);

/// A path in a scratch folder of this run, removed at its end. The result is one of 16 static buffers used in turn.
const char* brTest_ScratchPath(const char* name);

/// Path of the built program, next to the test program.
const char* brTest_Program(void);

/// What stands before the next `separator`, cut off from `*rest`, which is null after the last one; as strsep.
char* brTest_NextField(char** rest, char separator);

/// A line of the shell, `program words >out 2>err </dev/null`; returns its exit code. A program that a signal ends
/// fails the test. On Windows cmd takes it: no more than redirections, && and cd.
int brTest_Shell(const char* line);

/// An allocator that counts, fills new blocks with garbage, checks sizes on free and can be told to fail.
typedef struct brTestAllocator
{
	brAllocator allocator; // pass its address on
	int64_t liveBlocks;
	int64_t liveBytes;
	int64_t allocations; // attempts so far
	int64_t failAt;      // the attempt with this number fails, and all after it if failAll; -1: none
	bool failAll;
	void* lock;
} brTestAllocator;

void brTestAllocator_Init(brTestAllocator* allocator);
void brTestAllocator_Destroy(brTestAllocator* allocator);

/// Runs `call` without a failure, which must succeed, and then again and again, each time with another allocation that
/// fails: all of them where they are few, else about 120 times the intensity, evenly spread from a seeded place on.
/// Each of these runs must return br_errorMemory; none may leave a block behind. `call` frees what it made. Returns how
/// many allocations it makes.
int32_t brTest_WalkAllocations(brResult (*call)(const brContext* context, void* user), void* user);

/// The same for calls that do without some of their memory, only slower: a run may also succeed.
int32_t brTest_WalkSpareAllocations(brResult (*call)(const brContext* context, void* user), void* user);

/// A team of so many; never null.
brWorkers* brTest_Workers(int32_t count);
