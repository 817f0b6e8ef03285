// SPDX-License-Identifier: MIT
#pragma once

// A client of a live world, as the page is one: takes its messages and knows what is there. Fails the test on a message
// that breaks the rules.

#include "brittle/live.h"
#include "live/view.h"

typedef struct LiveClientBody
{
	brBodyId id;
	uint32_t number, parent, mesh;
	int32_t kind;
	float stress;
	float rope[3]; // of a ball that hangs
	brLivePose pose, change;
} LiveClientBody;

typedef struct LiveTestClient
{
	int32_t number; // at the server
	double unit, dt;
	float ballRadius, throwSpeed;
	bool isDriver;
	int32_t clientCount, material;
	float speed;
	double time;
	int32_t bodyCount, pieceCount, breaks; // as said
	LiveClientBody* bodies;                // [count] rising by number
	int32_t count, capacity;
	int64_t messages, bytes, moves, forgets;
} LiveTestClient;

/// Joins.
void liveClient_Join(LiveTestClient* client, brLive* live);
void liveClient_Destroy(LiveTestClient* client);

/// Takes all that waits. Returns the number of messages.
int32_t liveClient_Take(LiveTestClient* client, brLive* live);

/// What it knows is what is in the world, each pose to the step.
void liveClient_Check(const LiveTestClient* client, const brLive* live);

/// First body of a kind, or null.
const LiveClientBody* liveClient_Find(const LiveTestClient* client, int32_t kind);
