// SPDX-License-Identifier: MIT
#pragma once

// A live world inside: the world with what the driver has set, and those who watch.

#include "brittle/live.h"

#include "live/command.h"
#include "live/hand.h"
#include "live/view.h"
#include "scene/scene_world.h"

#define BR_LIVE_BALL_SIZE 0.035 // default radius against the scene's size

typedef struct brLiveClient
{
	bool isThere;
	bool needsAll;           // is to be told everything before anything else
	int64_t order;           // who came first
	double allowance;        // messages
	BR_ARRAY(uint8_t) queue; // messages, each after its size in 8 bytes
	int32_t head;            // of the oldest
} brLiveClient;

struct brLive
{
	brContext context;
	brAllocator allocator;
	const brScene* scene;
	brLiveDef def;
	brWorld* world;
	brGpuStages* stages; // null: no device
	brBodyId ground;
	brBodyId* ids; // [scene->bodyCount]
	int32_t nextEvent;
	int64_t step, worldStep;
	double dt, debt;
	double size; // of the scene [m]
	brDBox3 box;

	double speed;
	brDVec3 gravity; // as the driver wants it
	bool hasGravity;
	int32_t material; // 0: the scene's
	brSceneMaterial instead;
	brHand hand;

	BR_ARRAY(brLiveCommand) commands;
	brLiveView view;
	brLiveNumbers numbers;
	brByteArray message;
	brLiveClient* clients; // [def.maxClients]
	int64_t nextOrder;
	bool isStatusDue;
	bool isFrameDue;
	int32_t refused;
	uint64_t sentBytes;
	double windowWanted, windowDone;
};

/// The scene from its start, with the driver's settings. What was there stays if it fails.
brResult brLive_Begin(brLive* live, brReport* report);

/// One step of the world: events of the scene that are due, the hand, then everything.
brResult brLive_StepWorld(brLive* live, brReport* report);

/// Carries out one command, and tells the log.
brResult brLive_CarryOut(brLive* live, const brLiveCommand* command, brReport* report);
