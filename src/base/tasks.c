// SPDX-License-Identifier: MIT

// Workers that share a loop.
//
// A loop is a counter of blocks that everyone adds one to. The caller always works too, so a team of one has no
// threads. Whoever starts a loop while the team is busy (from inside a loop, or from another thread) runs it alone.
//
// The built-in threads wait between loops: they look at one word for some microseconds, then sleep. That word holds the
// number of the loop, whether it is open, and how many threads have joined it:
//
//     63            16   15   14      0
//     | loop number    | open | joined |
//
// A thread joins by adding one while the loop is open. When no block is left the caller closes the loop and waits for
// those who joined, not for those who overslept: a loop never takes longer because a thread was slow to wake. A host's
// threads get one task each per loop instead.
//
// Workers run under the caller's rounding and denormal modes, so that these cannot make a result depend on who ran it.

#include "base/assert.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/phases.h"
#include "brittle/context.h"
#include "brittle/info.h"

#include <stdatomic.h>

// How long to look before sleeping. A sleep and a wake cost about 5 us here, loops inside a step follow within that.
#define TASKS_SPIN_NANOSECONDS 20000
#define TASKS_SPINS_PER_LOOK 32

#define TASKS_OPEN ((uint64_t)1 << 15)
#define TASKS_JOINED (TASKS_OPEN - 1)
#define TASKS_NUMBER_SHIFT 16

typedef struct Loop
{
	brRangeFcn* run;
	void* user;
	int32_t count;
	int32_t blockSize;
	brFloatMode floatMode; // of the caller
	_Atomic int64_t nextBegin;
} Loop;

typedef struct WorkerStart
{
	brWorkers* workers;
	int32_t index;
} WorkerStart;

struct brWorkers
{
	brAllocator allocator;
	int32_t count;
	atomic_flag isBusy;
	Loop loop;

	// The host's threads
	void* (*enqueue)(brTaskFcn* run, void* task, void* user);
	void (*finish)(void* handle, void* user);
	void* user;

	// Our own threads
	_Atomic uint64_t state; // see above
	_Atomic int32_t sleepers;
	_Atomic bool callerSleeps;
	_Atomic bool quit;
	int64_t spinNanoseconds;
	brMutex mutex; // only around sleeping and waking
	brCondition wake;
	brCondition done;
	int32_t threadCount;
	brThread threads[BR_MAX_WORKERS];
	WorkerStart starts[BR_MAX_WORKERS];
};

// The loops this thread is inside of, innermost first: a loop started inside a block keeps that block's worker index.
typedef struct LoopFrame
{
	const brWorkers* workers;
	int32_t worker;
	struct LoopFrame* outer;
} LoopFrame;

static _Thread_local LoopFrame* innermostFrame;

static int32_t currentWorker(const brWorkers* workers)
{
	for (LoopFrame* frame = innermostFrame; workers != NULL && frame != NULL; frame = frame->outer)
	{
		if (frame->workers == workers)
		{
			return frame->worker;
		}
	}
	return 0;
}

static void claimBlocks(Loop* loop, const brWorkers* workers, int32_t worker)
{
	LoopFrame frame = {workers, worker, innermostFrame};
	innermostFrame = &frame;
	for (;;)
	{
		int64_t begin = atomic_fetch_add_explicit(&loop->nextBegin, loop->blockSize, memory_order_relaxed);
		if (begin >= loop->count)
		{
			break;
		}
		int64_t end = begin + loop->blockSize;
		loop->run((int32_t)begin, (int32_t)(end < loop->count ? end : loop->count), worker, loop->user);
	}
	innermostFrame = frame.outer;
}

// On a thread that is not the caller's.
static void helpLoop(brWorkers* workers, int32_t worker)
{
	brFloatMode own;
	brFloatMode_Get(&own);
	brFloatMode_Set(&workers->loop.floatMode);
	claimBlocks(&workers->loop, workers, worker);
	brFloatMode_Set(&own);
}

static void hostTask(void* argument)
{
	WorkerStart* start = argument;
	helpLoop(start->workers, start->index);
}

// True while there is time left to look once more.
static bool keepsSpinning(const brWorkers* workers, int64_t start)
{
	for (int32_t i = 0; i < TASKS_SPINS_PER_LOOK && workers->spinNanoseconds > 0; ++i)
	{
		brSpinOnce();
	}
	return workers->spinNanoseconds > 0 && brClockNanoseconds() - start < workers->spinNanoseconds;
}

static bool isNewLoop(brWorkers* workers, uint64_t seen)
{
	return atomic_load(&workers->state) >> TASKS_NUMBER_SHIFT != seen || atomic_load(&workers->quit);
}

// Looks for a while, then sleeps. The sleeper counts itself before its last look and the caller opens the loop before
// it looks for sleepers, so one of the two always sees the other.
static void waitForLoop(brWorkers* workers, uint64_t seen)
{
	int64_t start = brClockNanoseconds();
	do
	{
		if (isNewLoop(workers, seen))
		{
			return;
		}
	} while (keepsSpinning(workers, start));
	brMutex_Lock(&workers->mutex);
	atomic_fetch_add(&workers->sleepers, 1);
	while (!isNewLoop(workers, seen))
	{
		brCondition_Wait(&workers->wake, &workers->mutex);
	}
	atomic_fetch_sub(&workers->sleepers, 1);
	brMutex_Unlock(&workers->mutex);
}

// Joins the current loop unless it is closed already. Either way its number has been seen.
static bool joinLoop(brWorkers* workers, uint64_t* seen)
{
	uint64_t state = atomic_load(&workers->state);
	while ((state & TASKS_OPEN) != 0)
	{
		if (atomic_compare_exchange_weak(&workers->state, &state, state + 1))
		{
			break;
		}
	}
	*seen = state >> TASKS_NUMBER_SHIFT;
	return (state & TASKS_OPEN) != 0;
}

static void leaveLoop(brWorkers* workers)
{
	uint64_t before = atomic_fetch_sub(&workers->state, 1);
	bool isLast = (before & TASKS_OPEN) == 0 && (before & TASKS_JOINED) == 1;
	if (isLast && atomic_load(&workers->callerSleeps))
	{
		brMutex_Lock(&workers->mutex);
		brCondition_Signal(&workers->done);
		brMutex_Unlock(&workers->mutex);
	}
}

static void threadMain(void* argument)
{
	WorkerStart* start = argument;
	brWorkers* workers = start->workers;
	uint64_t seen = 0;
	for (;;)
	{
		waitForLoop(workers, seen);
		if (atomic_load(&workers->quit))
		{
			return;
		}
		if (joinLoop(workers, &seen))
		{
			helpLoop(workers, start->index);
			leaveLoop(workers);
		}
	}
}

int32_t brGetCoreCount(void)
{
	int32_t count = brOs_CoreCount();
	return count < BR_MAX_WORKERS ? count : BR_MAX_WORKERS;
}

brWorkersDef brDefaultWorkersDef(void)
{
	return (brWorkersDef){.stamp = BR_STAMP(brWorkersDef)};
}

brWorkers* brCreateWorkers(const brWorkersDef* def)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || def->workerCount < 0 || def->workerCount > BR_MAX_WORKERS ||
		(def->enqueue == NULL) != (def->finish == NULL))
	{
		return NULL;
	}
	brContext context = {.allocator = def->allocator};
	brAllocator allocator = brContext_Allocator(&context);
	brWorkers* workers = BR_ALLOC_ZERO(&allocator, brWorkers, 1);
	if (workers == NULL)
	{
		return NULL;
	}
	workers->allocator = allocator;
	workers->count = def->workerCount > 0 ? def->workerCount : brGetCoreCount();
	workers->enqueue = def->enqueue;
	workers->finish = def->finish;
	workers->user = def->user;
	// On a machine with fewer cores than workers a thread that looks keeps another from working.
	workers->spinNanoseconds = workers->count <= brGetCoreCount() ? TASKS_SPIN_NANOSECONDS : 0;
	atomic_flag_clear(&workers->isBusy);
	brMutex_Init(&workers->mutex);
	brCondition_Init(&workers->wake);
	brCondition_Init(&workers->done);
	for (int32_t i = 0; i < BR_MAX_WORKERS; ++i)
	{
		workers->starts[i] = (WorkerStart){workers, i};
	}
	for (int32_t i = 1; i < workers->count && workers->enqueue == NULL; ++i)
	{
		if (!brThread_Start(&workers->threads[i], threadMain, &workers->starts[i]))
		{
			workers->count = i; // no memory for more stacks: results do not depend on how many there are
			break;
		}
		workers->threadCount += 1;
	}
	return workers;
}

void brDestroyWorkers(brWorkers* workers)
{
	if (workers == NULL)
	{
		return;
	}
	brMutex_Lock(&workers->mutex);
	atomic_store(&workers->quit, true);
	brCondition_SignalAll(&workers->wake);
	brMutex_Unlock(&workers->mutex);
	for (int32_t i = 1; i <= workers->threadCount; ++i)
	{
		brThread_Join(&workers->threads[i]);
	}
	brCondition_Destroy(&workers->done);
	brCondition_Destroy(&workers->wake);
	brMutex_Destroy(&workers->mutex);
	brAllocator allocator = workers->allocator;
	BR_FREE(&allocator, workers, 1);
}

int32_t brWorkers_GetCount(const brWorkers* workers)
{
	return workers != NULL ? workers->count : 1;
}

static void runOnHost(brWorkers* workers, int32_t helpers)
{
	void* handles[BR_MAX_WORKERS];
	for (int32_t i = 1; i <= helpers; ++i)
	{
		handles[i] = workers->enqueue(hostTask, &workers->starts[i], workers->user);
	}
	claimBlocks(&workers->loop, workers, 0);
	for (int32_t i = 1; i <= helpers; ++i)
	{
		if (handles[i] != NULL)
		{
			workers->finish(handles[i], workers->user);
		}
	}
}

static bool isAnyoneJoined(brWorkers* workers)
{
	return (atomic_load(&workers->state) & TASKS_JOINED) != 0;
}

static void waitForJoined(brWorkers* workers)
{
	int64_t start = brClockNanoseconds();
	do
	{
		if (!isAnyoneJoined(workers))
		{
			return;
		}
	} while (keepsSpinning(workers, start));
	brMutex_Lock(&workers->mutex);
	atomic_store(&workers->callerSleeps, true);
	while (isAnyoneJoined(workers))
	{
		brCondition_Wait(&workers->done, &workers->mutex);
	}
	atomic_store(&workers->callerSleeps, false);
	brMutex_Unlock(&workers->mutex);
}

static void runOnTeam(brWorkers* workers, int32_t helpers)
{
	uint64_t number = (atomic_load(&workers->state) >> TASKS_NUMBER_SHIFT) + 1;
	atomic_store(&workers->state, number << TASKS_NUMBER_SHIFT | TASKS_OPEN);
	if (atomic_load(&workers->sleepers) > 0)
	{
		brMutex_Lock(&workers->mutex);
		int32_t wanted = atomic_load(&workers->sleepers);
		wanted = wanted < helpers ? wanted : helpers;
		for (int32_t i = 0; i < wanted; ++i)
		{
			brCondition_Signal(&workers->wake);
		}
		brMutex_Unlock(&workers->mutex);
	}
	claimBlocks(&workers->loop, workers, 0);
	atomic_fetch_and(&workers->state, ~TASKS_OPEN);
	waitForJoined(workers);
}

void brParallelFor(brWorkers* workers, int32_t count, int32_t blockSize, brRangeFcn* run, void* user)
{
	if (count <= 0 || run == NULL)
	{
		return;
	}
	blockSize = blockSize > 0 ? blockSize : 1;
	int32_t blockCount = (int32_t)(((int64_t)count + blockSize - 1) / blockSize);
	bool shared = workers != NULL && workers->count > 1 && blockCount > 1 &&
				  !atomic_flag_test_and_set_explicit(&workers->isBusy, memory_order_acquire);
	if (!shared)
	{
		// The same blocks as on a team, so that per-block results do not depend on who runs them.
		Loop loop = {.run = run, .user = user, .count = count, .blockSize = blockSize};
		claimBlocks(&loop, workers, currentWorker(workers));
		return;
	}
	workers->loop.run = run;
	workers->loop.user = user;
	workers->loop.count = count;
	workers->loop.blockSize = blockSize;
	brFloatMode_Get(&workers->loop.floatMode);
	atomic_store_explicit(&workers->loop.nextBegin, 0, memory_order_relaxed);
	int32_t helpers = workers->count - 1 < blockCount - 1 ? workers->count - 1 : blockCount - 1;
	if (workers->enqueue != NULL)
	{
		runOnHost(workers, helpers);
	}
	else
	{
		runOnTeam(workers, helpers);
	}
	atomic_flag_clear_explicit(&workers->isBusy, memory_order_release);
}
