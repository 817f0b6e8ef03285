// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "base/os.h"
#include "base/phases.h"
#include "brittle/info.h"
#include "harness.h"

#include <fenv.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define COVER_CAPACITY 5000

typedef struct Cover
{
	int32_t count;
	int32_t blockSize;
	int32_t workerCount;
	_Atomic int32_t visits[COVER_CAPACITY];
	_Atomic bool isInside[BR_MAX_WORKERS]; // a block of this worker is running
	_Atomic int32_t wrong;
} Cover;

static void coverBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	Cover* cover = user;
	int32_t last = begin + cover->blockSize < cover->count ? begin + cover->blockSize : cover->count;
	bool isValid = worker >= 0 && worker < cover->workerCount && begin % cover->blockSize == 0 && end == last;
	if (!isValid || atomic_exchange(&cover->isInside[worker], true))
	{
		atomic_fetch_add(&cover->wrong, 1);
		return;
	}
	for (int32_t i = begin; i < end; ++i)
	{
		atomic_fetch_add_explicit(&cover->visits[i], 1, memory_order_relaxed);
	}
	atomic_store(&cover->isInside[worker], false);
}

static void coverOnce(brWorkers* workers, Cover* cover, int32_t count, int32_t blockSize)
{
	memset(cover, 0, sizeof(*cover));
	cover->count = count;
	cover->blockSize = blockSize;
	cover->workerCount = brWorkers_GetCount(workers);
	brParallelFor(workers, count, blockSize, coverBlock, cover);
	CHECK_EQUAL(cover->wrong, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		CHECK_MESSAGE(cover->visits[i] == 1, "index %d of %d in blocks of %d was visited %d times", i, count, blockSize,
					  cover->visits[i]);
	}
}

BR_TEST(tasks_cover_every_index_once_for_any_team)
{
	static const int32_t teams[] = {1, 2, 3, 5, 8, 16, 64};
	static Cover cover;
	brRandom random = brTest_Random(test);
	for (size_t t = 0; t < sizeof(teams) / sizeof(teams[0]); ++t)
	{
		brWorkers* workers = brTest_Workers(teams[t]);
		CHECK_EQUAL(brWorkers_GetCount(workers), teams[t]);
		int32_t rounds = brTest_Rounds(test, 100);
		for (int32_t i = 0; i < rounds; ++i)
		{
			coverOnce(workers, &cover, (int32_t)brRandom_Below(&random, COVER_CAPACITY + 1),
					  1 + (int32_t)brRandom_Below(&random, 300));
		}
		brDestroyWorkers(workers);
	}
	coverOnce(NULL, &cover, 777, 10);
	CHECK_EQUAL(brWorkers_GetCount(NULL), 1);
}

#define PHASES_CAPACITY 40

typedef struct Stairs
{
	int32_t ends[PHASES_CAPACITY];
	_Atomic int32_t done, wrong;
	_Atomic int32_t visits[COVER_CAPACITY];
} Stairs;

// All items of the phases before are done, none of those after has begun.
static void climb(int32_t phase, int32_t item, void* user)
{
	Stairs* stairs = user;
	int32_t begin = phase > 0 ? stairs->ends[phase - 1] : 0, end = stairs->ends[phase];
	int32_t before = atomic_load(&stairs->done);
	atomic_fetch_add(&stairs->visits[item], 1);
	for (int32_t i = 0; i < item % 7 * 20; ++i)
	{
		brSpinOnce(); // some take longer
	}
	int32_t after = atomic_fetch_add(&stairs->done, 1);
	bool isRight = item >= begin && item < end && before >= begin && after < end;
	atomic_fetch_add(&stairs->wrong, !isRight);
}

BR_TEST(tasks_of_a_phase_begin_when_those_before_are_done)
{
	static const int32_t teams[] = {1, 2, 3, 8};
	static Stairs stairs;
	brRandom random = brTest_Random(test);
	for (size_t t = 0; t < sizeof(teams) / sizeof(teams[0]); ++t)
	{
		brWorkers* workers = brTest_Workers(teams[t]);
		int32_t rounds = brTest_Rounds(test, 50);
		for (int32_t i = 0; i < rounds; ++i)
		{
			memset(&stairs, 0, sizeof(stairs));
			int32_t phaseCount = (int32_t)brRandom_Below(&random, PHASES_CAPACITY + 1), count = 0;
			for (int32_t k = 0; k < phaseCount; ++k)
			{
				count += (int32_t)brRandom_Below(&random, 12); // none is allowed
				stairs.ends[k] = count;
			}
			brParallelPhases(workers, stairs.ends, phaseCount, climb, &stairs);
			CHECK_EQUAL(stairs.wrong, 0);
			CHECK_EQUAL(stairs.done, count);
			for (int32_t k = 0; k < count; ++k)
			{
				CHECK_EQUAL(stairs.visits[k], 1);
			}
		}
		brDestroyWorkers(workers);
	}
}

BR_TEST(tasks_survive_huge_ranges_and_empty_ones)
{
	brWorkers* workers = brTest_Workers(3);
	static Cover cover;
	coverOnce(workers, &cover, 0, 1);
	coverOnce(workers, &cover, 1, 1);
	coverOnce(workers, &cover, 5, INT32_MAX);
	brParallelFor(workers, -3, 1, coverBlock, NULL);
	brDestroyWorkers(workers);
	brDestroyWorkers(NULL);
}

static void countHuge(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	atomic_fetch_add((_Atomic int64_t*)user, (int64_t)end - begin);
}

BR_TEST(tasks_do_not_overflow_at_the_largest_count)
{
	brWorkers* workers = brTest_Workers(3);
	_Atomic int64_t total = 0;
	brParallelFor(workers, INT32_MAX, INT32_MAX - 1, countHuge, &total);
	CHECK_EQUAL(total, INT32_MAX);
	total = 0;
	brParallelFor(workers, INT32_MAX, 1 << 24, countHuge, &total);
	CHECK_EQUAL(total, INT32_MAX);
	brDestroyWorkers(workers);
}

typedef struct Nest
{
	brWorkers* workers;
	_Atomic int32_t visits[64 * 64];
	_Atomic int32_t wrong;
} Nest;

typedef struct NestRow
{
	Nest* nest;
	int32_t row;
	int32_t worker;
} NestRow;

static void nestInner(int32_t begin, int32_t end, int32_t worker, void* user)
{
	NestRow* row = user;
	if (worker != row->worker)
	{
		atomic_fetch_add(&row->nest->wrong, 1);
	}
	for (int32_t i = begin; i < end; ++i)
	{
		atomic_fetch_add(&row->nest->visits[64 * row->row + i], 1);
	}
}

static void nestOuter(int32_t begin, int32_t end, int32_t worker, void* user)
{
	Nest* nest = user;
	for (int32_t i = begin; i < end; ++i)
	{
		NestRow row = {nest, i, worker};
		brParallelFor(nest->workers, 64, 5, nestInner, &row);
	}
}

BR_TEST(tasks_nest_and_keep_the_worker_of_the_outer_block)
{
	static Nest nest;
	nest.workers = brTest_Workers(4);
	int32_t rounds = brTest_Rounds(test, 50);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brParallelFor(nest.workers, 64, 1, nestOuter, &nest);
	}
	CHECK_EQUAL(nest.wrong, 0);
	for (int32_t i = 0; i < 64 * 64; ++i)
	{
		CHECK_EQUAL(nest.visits[i], rounds);
	}
	brDestroyWorkers(nest.workers);
}

typedef struct Rival
{
	brWorkers* workers;
	int32_t rounds;
	Cover cover;
} Rival;

static void rivalMain(void* argument)
{
	Rival* rival = argument;
	for (int32_t i = 0; i < rival->rounds; ++i)
	{
		coverOnce(rival->workers, &rival->cover, 1000 + i % 7, 1 + i % 50);
	}
}

BR_TEST(tasks_serve_two_threads_at_once)
{
	static Rival rivals[3];
	brWorkers* workers = brTest_Workers(3);
	brThread threads[3];
	for (int i = 0; i < 3; ++i)
	{
		rivals[i].workers = workers;
		rivals[i].rounds = brTest_Rounds(test, 300);
		CHECK(brThread_Start(&threads[i], rivalMain, &rivals[i]));
	}
	for (int i = 0; i < 3; ++i)
	{
		brThread_Join(&threads[i]);
	}
	brDestroyWorkers(workers);
}

// A host with threads of its own: one thread a task.
typedef struct HostTask
{
	brThread thread;
	brTaskFcn* run;
	void* task;
} HostTask;

typedef struct Host
{
	HostTask tasks[BR_MAX_WORKERS];
	int32_t started, finished;
	bool runsAtOnce;
} Host;

static void hostMain(void* argument)
{
	HostTask* task = argument;
	task->run(task->task);
}

static void* hostEnqueue(brTaskFcn* run, void* task, void* user)
{
	Host* host = user;
	HostTask* slot = &host->tasks[host->started++ % BR_MAX_WORKERS];
	if (host->runsAtOnce)
	{
		run(task);
		return NULL;
	}
	slot->run = run;
	slot->task = task;
	CHECK(brThread_Start(&slot->thread, hostMain, slot));
	return slot;
}

static void hostFinish(void* handle, void* user)
{
	Host* host = user;
	brThread_Join(&((HostTask*)handle)->thread);
	host->finished += 1;
}

BR_TEST(tasks_run_on_threads_that_the_host_lends)
{
	static Cover cover;
	static Host host;
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = 4;
	def.enqueue = hostEnqueue;
	def.finish = hostFinish;
	def.user = &host;
	brWorkers* workers = brCreateWorkers(&def);
	for (int32_t i = 0; i < 20; ++i)
	{
		coverOnce(workers, &cover, 500 + i, 7);
	}
	CHECK_EQUAL(host.started, 60);
	CHECK_EQUAL(host.finished, 60);
	coverOnce(workers, &cover, 2, 1); // two blocks need one helper only
	CHECK_EQUAL(host.started, 61);
	host.runsAtOnce = true;
	coverOnce(workers, &cover, 500, 7);
	CHECK_EQUAL(host.finished, 61);
	brDestroyWorkers(workers);
}

BR_TEST(tasks_refuse_bad_defs)
{
	brWorkersDef good = brDefaultWorkersDef();
	good.workerCount = 2;
	brWorkersDef def = good;
	def.stamp = 0;
	CHECK(brCreateWorkers(&def) == NULL);
	CHECK(brCreateWorkers(NULL) == NULL);
	def = good;
	def.workerCount = -1;
	CHECK(brCreateWorkers(&def) == NULL);
	def.workerCount = BR_MAX_WORKERS + 1;
	CHECK(brCreateWorkers(&def) == NULL);
	def = good;
	def.enqueue = hostEnqueue;
	CHECK(brCreateWorkers(&def) == NULL);
	def = good;
	def.workerCount = 0;
	brWorkers* workers = brCreateWorkers(&def);
	CHECK_EQUAL(brWorkers_GetCount(workers), brGetCoreCount());
	brDestroyWorkers(workers);
}

static brResult createTeam(const brContext* context, void* user)
{
	(void)user;
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = 3;
	def.allocator = context->allocator;
	brWorkers* workers = brCreateWorkers(&def);
	if (workers == NULL)
	{
		return br_errorMemory;
	}
	brDestroyWorkers(workers);
	return br_success;
}

BR_TEST(tasks_need_one_allocation_and_survive_its_failure)
{
	CHECK_EQUAL(brTest_WalkAllocations(createTeam, NULL), 1);
}

BR_TEST(tasks_can_be_destroyed_in_any_state)
{
	static Cover cover;
	int32_t rounds = brTest_Rounds(test, 60);
	for (int32_t i = 0; i < rounds; ++i)
	{
		brWorkers* workers = brTest_Workers(1 + i % 6);
		if (i % 3 == 1)
		{
			coverOnce(workers, &cover, 100, 3); // threads that still look
		}
		if (i % 12 == 2)
		{
			usleep(300); // threads that sleep
		}
		brDestroyWorkers(workers);
	}
}

// Loops far enough apart that the threads sleep in between, and loops so close that they do not: none may hang.
BR_TEST(tasks_wake_after_pauses)
{
	static Cover cover;
	brWorkers* workers = brTest_Workers(2);
	int32_t rounds = brTest_Rounds(test, 400);
	for (int32_t i = 0; i < rounds; ++i)
	{
		coverOnce(workers, &cover, 40, 1);
		int64_t start = brClockNanoseconds();
		while (brClockNanoseconds() - start < (i % 40) * 1000) // around the time at which they fall asleep
		{
		}
	}
	brDestroyWorkers(workers);
}

typedef struct Meeting
{
	_Atomic int32_t arrived;
	_Atomic bool met;
	double thirds[2];
} Meeting;

// Two blocks that wait for each other: only two workers at once can pass.
static void meetBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)end;
	(void)worker;
	Meeting* meeting = user;
	volatile double one = 1.0;
	volatile double three = 3.0;
	meeting->thirds[begin] = one / three;
	atomic_fetch_add(&meeting->arrived, 1);
	int64_t start = brClockNanoseconds();
	while (atomic_load(&meeting->arrived) < 2 && brSecondsSince(start) < 20.0)
	{
		usleep(50);
	}
	if (atomic_load(&meeting->arrived) == 2)
	{
		atomic_store(&meeting->met, true);
	}
}

BR_TEST(tasks_really_run_side_by_side_under_the_callers_rounding)
{
	brWorkers* workers = brTest_Workers(2);
	Meeting meeting = {0};
	brParallelFor(workers, 2, 1, meetBlock, &meeting);
	CHECK(meeting.met);
	CHECK(meeting.thirds[0] == meeting.thirds[1]);
	double nearest = meeting.thirds[0];

	meeting = (Meeting){0};
	fesetround(FE_UPWARD);
	brParallelFor(workers, 2, 1, meetBlock, &meeting);
	fesetround(FE_TONEAREST);
	CHECK(meeting.met);
	CHECK(meeting.thirds[0] == meeting.thirds[1]);
	CHECK(meeting.thirds[0] > nearest);

	meeting = (Meeting){0};
	brParallelFor(workers, 2, 1, meetBlock, &meeting);
	CHECK(meeting.thirds[0] == nearest && meeting.thirds[1] == nearest);
	brDestroyWorkers(workers);
}

#ifdef __linux__
// A part of the machine, as taskset, containers and job schedulers give it. Each test is a process of its own.
BR_TEST(tasks_count_the_cores_that_may_be_used)
{
	cpu_set_t cores, one;
	CHECK_EQUAL(sched_getaffinity(0, sizeof(cores), &cores), 0);
	CHECK_EQUAL(brGetCoreCount(), CPU_COUNT(&cores));
	int32_t first = 0;
	while (!CPU_ISSET(first, &cores))
	{
		first += 1;
	}
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	CHECK_EQUAL(sched_setaffinity(0, sizeof(one), &one), 0);
	CHECK_EQUAL(brGetCoreCount(), 1);
}
#endif
