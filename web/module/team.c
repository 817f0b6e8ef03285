// SPDX-License-Identifier: MIT

// Threads of the module, where pages may share memory.
//
// JavaScript starts workers, each with an instance of this module over the same memory and with a stack of its own
// (web/brittle/helper.js). They stay inside webHelp and wait for a share of a loop. A share that nobody has begun when
// the loop is done is taken back: a loop never waits for a worker that overslept.

#include "team.h"

#include "handles.h"

static brContext s_context; // workers: null until there is a team

const brContext* webContext(void)
{
	return &s_context;
}

#ifdef WEB_THREADS

#include <stdatomic.h>
#include <stdlib.h>

#define TEAM_LOOKS 2000 // before a sleep: shares follow each other within microseconds

typedef enum TeamState
{
	team_idle,
	team_given,
	team_running,
} TeamState;

typedef struct TeamPlace
{
	_Alignas(64) _Atomic int32_t state;
	brTaskFcn* run;
	void* task;
} TeamPlace;

static TeamPlace s_places[BR_MAX_WORKERS]; // of the workers 1, 2...
static _Atomic bool s_isBroken;            // a worker stopped in the middle of its share
static bool s_mayWait;                     // the main thread of a page may not sleep

// Sleeps while the word is this value. A call of JavaScript, not the instruction: after that the baseline compiler of V8 11
// (Node 20) has other values in locals.
__attribute__((import_module("env"), import_name("webWait"))) void webWait(_Atomic int32_t* word, int32_t value);

// Until the state is no longer `state`, or a sleep ended.
static void waitWhile(TeamPlace* place, TeamState state, bool maySleep)
{
	for (int32_t i = 0; i < TEAM_LOOKS; ++i)
	{
		if (atomic_load_explicit(&place->state, memory_order_relaxed) != (int32_t)state)
		{
			return;
		}
	}
	if (maySleep)
	{
		webWait(&place->state, (int32_t)state);
	}
}

static void setState(TeamPlace* place, TeamState state)
{
	atomic_store(&place->state, (int32_t)state);
	__builtin_wasm_memory_atomic_notify((int32_t*)&place->state, 2);
}

static void* enqueue(brTaskFcn* run, void* task, void* user)
{
	for (int32_t i = 1; i < *(const int32_t*)user; ++i)
	{
		TeamPlace* place = &s_places[i];
		if (atomic_load(&place->state) == team_idle)
		{
			place->run = run;
			place->task = task;
			setState(place, team_given);
			return place;
		}
	}
	run(task);
	return NULL;
}

static void finish(void* handle, void* user)
{
	(void)user;
	TeamPlace* place = handle;
	int32_t given = team_given;
	if (atomic_compare_exchange_strong(&place->state, &given, team_idle))
	{
		return; // the loop is done without it
	}
	while (atomic_load(&place->state) == team_running)
	{
		waitWhile(place, team_running, s_mayWait);
	}
	if (atomic_load(&s_isBroken))
	{
		__builtin_trap();
	}
}

/// Lets calls use the workers 1 to count - 1, which are in webHelp or will be.
WEB_API int32_t webStartTeam(int32_t count, int32_t mayWait)
{
	static int32_t s_count;
	s_count = count;
	s_mayWait = mayWait != 0;
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = count;
	def.enqueue = enqueue;
	def.finish = finish;
	def.user = &s_count;
	s_context.workers = brCreateWorkers(&def);
	return s_context.workers != NULL ? 0 : webFail(br_errorMemory, "there is not enough memory for %d threads", count);
}

/// Where a worker stays.
WEB_API void webHelp(int32_t worker)
{
	TeamPlace* place = &s_places[worker];
	for (;;)
	{
		int32_t given = team_given;
		if (atomic_compare_exchange_strong(&place->state, &given, team_running))
		{
			place->run(place->task);
			setState(place, team_idle);
		}
		waitWhile(place, team_idle, true);
	}
}

/// Called in place of webHelp's return: the worker stopped inside its share.
WEB_API void webLoseHelper(int32_t worker)
{
	atomic_store(&s_isBroken, true);
	setState(&s_places[worker], team_idle);
}

// The allocator of the C library is made for one thread: one at a time.

static atomic_flag s_memory = ATOMIC_FLAG_INIT;

static void takeMemory(void)
{
	while (atomic_flag_test_and_set_explicit(&s_memory, memory_order_acquire))
	{
	}
}

static void giveMemory(void)
{
	atomic_flag_clear_explicit(&s_memory, memory_order_release);
}

void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* memory, size_t bytes);
int __real_posix_memalign(void** memory, size_t alignment, size_t bytes);
void __real_free(void* memory);

void* __wrap_malloc(size_t bytes)
{
	takeMemory();
	void* memory = __real_malloc(bytes);
	giveMemory();
	return memory;
}

void* __wrap_calloc(size_t count, size_t bytes)
{
	takeMemory();
	void* memory = __real_calloc(count, bytes);
	giveMemory();
	return memory;
}

void* __wrap_realloc(void* memory, size_t bytes)
{
	takeMemory();
	void* moved = __real_realloc(memory, bytes);
	giveMemory();
	return moved;
}

int __wrap_posix_memalign(void** memory, size_t alignment, size_t bytes)
{
	takeMemory();
	int error = __real_posix_memalign(memory, alignment, bytes);
	giveMemory();
	return error;
}

void __wrap_free(void* memory)
{
	takeMemory();
	__real_free(memory);
	giveMemory();
}

#endif
