// SPDX-License-Identifier: MIT

// Workers that share a loop.
//
// A loop is a counter of blocks that everyone adds one to. The threads of the built-in team sleep on a condition variable
// between loops; a host's threads get one task each per loop. The caller always works too, so a team of one has no
// threads. Whoever starts a loop while the team is busy (from inside a loop, or from another thread) runs it alone.

#include "base/assert.h"
#include "base/memory.h"
#include "brittle/context.h"
#include "brittle/info.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct Loop
{
	brRangeFcn* run;
	void* user;
	int32_t count;
	int32_t blockSize;
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
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	pthread_cond_t done;
	uint64_t loopNumber; // rises with each loop
	int32_t running;     // threads still in the current loop
	bool quit;
	int32_t threadCount;
	pthread_t threads[BR_MAX_WORKERS];
	WorkerStart starts[BR_MAX_WORKERS];
};

static void claimBlocks(Loop* loop, int32_t worker)
{
	for (;;)
	{
		int64_t begin = atomic_fetch_add_explicit(&loop->nextBegin, loop->blockSize, memory_order_relaxed);
		if (begin >= loop->count)
		{
			return;
		}
		int64_t end = begin + loop->blockSize;
		loop->run((int32_t)begin, (int32_t)(end < loop->count ? end : loop->count), worker, loop->user);
	}
}

static void* threadMain(void* argument)
{
	WorkerStart* start = argument;
	brWorkers* workers = start->workers;
	uint64_t seen = 0;
	pthread_mutex_lock(&workers->mutex);
	for (;;)
	{
		while (workers->loopNumber == seen && !workers->quit)
		{
			pthread_cond_wait(&workers->wake, &workers->mutex);
		}
		if (workers->quit)
		{
			break;
		}
		seen = workers->loopNumber;
		pthread_mutex_unlock(&workers->mutex);

		claimBlocks(&workers->loop, start->index);

		pthread_mutex_lock(&workers->mutex);
		workers->running -= 1;
		if (workers->running == 0)
		{
			pthread_cond_signal(&workers->done);
		}
	}
	pthread_mutex_unlock(&workers->mutex);
	return NULL;
}

static void hostTask(void* argument)
{
	WorkerStart* start = argument;
	claimBlocks(&start->workers->loop, start->index);
}

int32_t brCoreCount(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : count < BR_MAX_WORKERS ? (int32_t)count : BR_MAX_WORKERS;
}

brWorkersDef brDefaultWorkersDef(void)
{
	return (brWorkersDef){.stamp = BR_STAMP};
}

brWorkers* brCreateWorkers(const brWorkersDef* def)
{
	if (def == NULL || def->stamp != BR_STAMP || def->workerCount < 0 || def->workerCount > BR_MAX_WORKERS ||
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
	workers->count = def->workerCount > 0 ? def->workerCount : brCoreCount();
	workers->enqueue = def->enqueue;
	workers->finish = def->finish;
	workers->user = def->user;
	atomic_flag_clear(&workers->isBusy);
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->wake, NULL);
	pthread_cond_init(&workers->done, NULL);
	for (int32_t i = 0; i < BR_MAX_WORKERS; ++i)
	{
		workers->starts[i] = (WorkerStart){workers, i};
	}
	for (int32_t i = 1; i < workers->count && workers->enqueue == NULL; ++i)
	{
		if (pthread_create(&workers->threads[i], NULL, threadMain, &workers->starts[i]) != 0)
		{
			brDestroyWorkers(workers);
			return NULL;
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
	pthread_mutex_lock(&workers->mutex);
	workers->quit = true;
	pthread_cond_broadcast(&workers->wake);
	pthread_mutex_unlock(&workers->mutex);
	for (int32_t i = 1; i <= workers->threadCount; ++i)
	{
		pthread_join(workers->threads[i], NULL);
	}
	pthread_cond_destroy(&workers->done);
	pthread_cond_destroy(&workers->wake);
	pthread_mutex_destroy(&workers->mutex);
	brAllocator allocator = workers->allocator;
	BR_FREE(&allocator, workers, 1);
}

int32_t brWorkers_Count(const brWorkers* workers)
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
	claimBlocks(&workers->loop, 0);
	for (int32_t i = 1; i <= helpers; ++i)
	{
		if (handles[i] != NULL)
		{
			workers->finish(handles[i], workers->user);
		}
	}
}

static void runOnTeam(brWorkers* workers)
{
	pthread_mutex_lock(&workers->mutex);
	workers->running = workers->threadCount;
	workers->loopNumber += 1;
	pthread_cond_broadcast(&workers->wake);
	pthread_mutex_unlock(&workers->mutex);

	claimBlocks(&workers->loop, 0);

	pthread_mutex_lock(&workers->mutex);
	while (workers->running > 0)
	{
		pthread_cond_wait(&workers->done, &workers->mutex);
	}
	pthread_mutex_unlock(&workers->mutex);
}

void brParallelFor(brWorkers* workers, int32_t count, int32_t blockSize, brRangeFcn* run, void* user)
{
	BR_ASSERT(blockSize > 0);
	if (count <= 0)
	{
		return;
	}
	int32_t blockCount = (int32_t)(((int64_t)count + blockSize - 1) / blockSize);
	bool shared = workers != NULL && workers->count > 1 && blockCount > 1 &&
				  !atomic_flag_test_and_set_explicit(&workers->isBusy, memory_order_acquire);
	if (!shared)
	{
		// The same blocks as on a team, so that per-block results do not depend on who runs them.
		Loop loop = {run, user, count, blockSize, 0};
		claimBlocks(&loop, 0);
		return;
	}
	workers->loop.run = run;
	workers->loop.user = user;
	workers->loop.count = count;
	workers->loop.blockSize = blockSize;
	atomic_store_explicit(&workers->loop.nextBegin, 0, memory_order_relaxed);
	if (workers->enqueue != NULL)
	{
		int32_t helpers = workers->count - 1;
		runOnHost(workers, helpers < blockCount - 1 ? helpers : blockCount - 1);
	}
	else
	{
		runOnTeam(workers);
	}
	atomic_flag_clear_explicit(&workers->isBusy, memory_order_release);
}
