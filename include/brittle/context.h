// SPDX-License-Identifier: MIT
#pragma once

/// @file context.h
/// What the host lends to a call: memory, workers, a log and a way to say stop.
///
/// A context is a plain struct, all zero by default, passed by pointer to every call that allocates or takes long. A
/// null context means the C allocator, the calling thread alone, no log, never canceled. The library keeps no global
/// state: two contexts never meet.
///
///     brWorkersDef def = brDefaultWorkersDef();
///     brContext context = {0};
///     context.workers = brCreateWorkers(&def);
///     ...
///     brDestroyWorkers(context.workers);

#include "brittle/result.h"

/// Memory hooks. `alloc` returns storage aligned to 64 bytes, or null; `free` gets the same byte count back.
/// Both may be called from any worker at once.
typedef struct brAllocator
{
	void* (*alloc)(size_t bytes, void* user);
	void (*free)(void* memory, size_t bytes, void* user);
	void* user;
} brAllocator;

/// A team of threads that share loops; opaque. See brCreateWorkers.
typedef struct brWorkers brWorkers;

typedef enum brLogLevel
{
	br_logInfo = 1,    ///< What was chosen: the device that was opened.
	br_logWarning = 2, ///< Trouble that was counted and lived with: a body set aside, a break given up.
} brLogLevel;

/// Takes one line of text without newline. May be called from any worker, never at the same time by two.
typedef void brLogFcn(brLogLevel level, const char* text, void* user);

/// Asked now and then by long work, from the calling thread only. True stops the call with br_errorCanceled.
/// `progress` runs from 0 to 1, never backwards, so the same callback can draw a bar.
typedef bool brCancelFcn(double progress, void* user);

/// What a call may use: memory, threads, a log and a way to cancel. A plain struct of the caller's, start from {0};
/// it must outlive the call, and what it points to must outlive everything made with it.
typedef struct brContext
{
	const brAllocator* allocator; ///< Null: malloc and free. Must outlive everything made with it.
	/// Null: the calling thread alone. May be shared by several contexts; a loop that finds the workers busy runs on
	/// its own thread.
	brWorkers* workers;
	brLogFcn* log; ///< Null: silent.
	void* logUser;
	brCancelFcn* cancel; ///< Null: never. Called now and then from the calling thread.
	void* cancelUser;
} brContext;

/// Runs one task; given to the host's `enqueue`.
typedef void brTaskFcn(void* task);

/// How to make workers. Start from brDefaultWorkersDef().
typedef struct brWorkersDef
{
	const brAllocator* allocator; ///< Null: malloc.

	/// Threads that work on a loop, the caller included. 0: one per core of this machine; at most BR_MAX_WORKERS.
	int32_t workerCount;

	/// The host may lend its own threads: `enqueue` starts `run(task)` on some thread and returns a handle (null if it
	/// ran at once), `finish` returns when that task is done. Both null: the library starts its own threads.
	void* (*enqueue)(brTaskFcn* run, void* task, void* user);
	void (*finish)(void* handle, void* user);
	void* user;

	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brWorkersDef;

#define BR_MAX_WORKERS 64

BR_API brWorkersDef brDefaultWorkersDef(void);

/// Starts a team of threads, or takes the host's; a smaller team if the system has no more threads. Null if memory
/// cannot be had, or the def is refused. Must outlive every context and world that uses it.
BR_API brWorkers* brCreateWorkers(const brWorkersDef* def);

/// Ends the threads. No loop may be running on them. `workers` may be null.
BR_API void brDestroyWorkers(brWorkers* workers);

/// How many threads may work at once, the calling one included. 1 for null.
BR_API int32_t brWorkers_GetCount(const brWorkers* workers);

/// Works on [begin, end). `worker` is below brWorkers_GetCount and never shared by two running blocks of one loop:
/// index scratch with it, never results, so that the outcome is the same for any number of workers. It runs under the
/// rounding and denormal modes of the thread that started the loop.
typedef void brRangeFcn(int32_t begin, int32_t end, int32_t worker, void* user);

/// Cuts [0, count) into blocks of `blockSize` (the last may be smaller), which workers claim until none is left;
/// returns when all are done. Block boundaries do not depend on the number of workers. A loop started inside a loop
/// runs on the thread that started it, under the worker index of the block that it is in; so does one started from
/// another thread while the team is busy, as worker 0. `workers` may be null.
BR_API void brParallelFor(brWorkers* workers, int32_t count, int32_t blockSize, brRangeFcn* run, void* user);
