// SPDX-License-Identifier: MIT
#pragma once

/// @file live.h
/// A scene that runs on while people watch it and lend a hand: what `brittle serve` shows in browsers, without the
/// sockets.
///
///     brLive* live;
///     brCreateLive(NULL, scene, NULL, &live, NULL);
///     int32_t client = brLive_Join(live);
///     for (;;)
///     {
///         while (receive(&bytes, &count)) brLive_Receive(live, client, bytes, count, NULL);
///         brLive_Advance(live, secondsSinceLastTime, NULL);
///         while ((bytes = brLive_PeekMessage(live, client, &count)) != NULL)
///             send(bytes, count), brLive_PopMessage(live, client);
///     }
///
/// Clients get binary messages: what was born with its mesh, what moved in whole steps, what is gone, a few statistics.
/// One of them, the one that has been there longest, drives: its commands throw balls, drag bodies, change gravity,
/// material and speed, and begin anew. They are checked when they come and carried out between steps, in order. The
/// commands with the numbers of their steps decide everything: brLive_Apply and brLive_Step give the same bits again.
/// docs/live.md describes the messages.

#include "brittle/gpu.h"
#include "brittle/scene.h"

/// Opaque. One thread at a time may use it.
typedef struct brLive brLive;

/// Gets each command as it is carried out, before step number `step` of this live world. `bytes` are gone after the
/// call.
typedef void brLiveCommandFcn(int64_t step, const void* bytes, size_t byteCount, void* user);

/// Start from brDefaultLiveDef().
typedef struct brLiveDef
{
	int32_t maxClients;       ///< Clients at once, 1 to 64; 16 by default.
	int32_t maxBalls;         ///< Thrown balls at once; the oldest goes when more are thrown. 24 by default.
	double messagesPerSecond; ///< Messages accepted from one client; more are dropped. 240 by default. [1/s]
	/// A client with more than this waiting is slow: it gets the whole state anew instead of every change. 8 MiB by
	/// default. [bytes]
	size_t queueBytes;
	/// brLive_Advance starts no further step after this much time by the clock; the world then runs slower than real
	/// time. 0.02 by default. [s]
	double stepSeconds;
	/// A device that takes part in the steps (brGpuStages): the world keeps the bits that it has without. It must
	/// outlive the live world. Null, the default: the CPU alone.
	brGpu* gpu;
	brLiveCommandFcn* onCommand; ///< Called for each command that is carried out, to record it. May be null.
	void* user;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brLiveDef;

/// Longest command that brLive_Receive can take. [bytes]
#define BR_LIVE_MAX_COMMAND 64

typedef struct brLiveStats
{
	int64_t step;    ///< Steps since it was made.
	double time;     ///< Time of the world since it last began. [s]
	int32_t clients; ///< Clients that are connected.
	int32_t bodies;  ///< Bodies that clients see, the ground not counted.
	int32_t pieces;  ///< Of these bodies: pieces of what broke.
	int32_t balls;   ///< Of these bodies: thrown balls.
	int32_t breaks;  ///< Bodies that broke since the world last began.
	int32_t refused; ///< Messages that were malformed, out of range, too many, or not from the driver.
	/// Seconds of the world over seconds wanted, during about the last second; below 1 it cannot keep up. [1]
	double rate;
	double speed;       ///< Wanted speed: 1 is real time, 0 stands still. [1]
	uint64_t sentBytes; ///< Of frames since it was made, to one client that was there all the time.
} brLiveStats;

BR_API brLiveDef brDefaultLiveDef(void);

/// Makes a running world of a scene. The scene must outlive it. The context's allocator and workers are used until it
/// is destroyed. `context`, `def` and `report` may be null.
BR_API brResult brCreateLive(const brContext* context, const brScene* scene, const brLiveDef* def, brLive** outLive,
							 brReport* report);

/// Frees `live`, which may be null.
BR_API void brDestroyLive(brLive* live);

/// Adds a client. Its first messages tell it its number and everything that exists. Returns the number, or -1 if
/// there are too many clients or memory ran out. Numbers are used again after brLive_Leave.
BR_API int32_t brLive_Join(brLive* live);

/// Removes a client. What it dragged is let go; if it was the driver, the client that has been there longest takes
/// over.
BR_API void brLive_Leave(brLive* live, int32_t client);

/// Whether this client's commands are carried out.
BR_API bool brLive_IsDriver(const brLive* live, int32_t client);

/// A message from a client. br_errorFormat: it is none that a good client sends, hang up. br_remarkDropped: too many,
/// or not from the driver. In both cases nothing has changed. `report` may be null.
BR_API brResult brLive_Receive(brLive* live, int32_t client, const void* bytes, size_t byteCount, brReport* report);

/// Carries out what was received, and steps the world by `seconds` [s] of real time times the speed; what is left over
/// waits for the next call, up to a quarter of a second. Then clients are told.
BR_API brResult brLive_Advance(brLive* live, double seconds, brReport* report);

/// One step of the world, and clients are told. For replays.
BR_API brResult brLive_Step(brLive* live, brReport* report);

/// Carries out one command at once, whoever drives. For replays. Unchanged on br_errorFormat. `report` may be null.
BR_API brResult brLive_Apply(brLive* live, const void* bytes, size_t byteCount, brReport* report);

/// The oldest message that waits for a client, or null. Valid until the next call with this `live`.
BR_API const void* brLive_PeekMessage(const brLive* live, int32_t client, size_t* outByteCount);

/// Removes that message from the client's queue.
BR_API void brLive_PopMessage(brLive* live, int32_t client);

/// Counts since the world was made, and since it last began.
BR_API brLiveStats brLive_GetStats(const brLive* live);

/// The world, to look at only: changes would not be in the recorded commands, and a replay would differ.
BR_API const brWorld* brLive_GetWorld(const brLive* live);
