// SPDX-License-Identifier: MIT
#pragma once

// A run inside: which body of the world is which of the scene and of the recording.

#include "brittle/run.h"

#include "base/array.h"
#include "base/report.h"

typedef struct brRunLive
{
	brBodyId id;
	int32_t recorded; // body of the recording
	brDVec3 center;   // origin of its recorded mesh, in the body's axes
} brRunLive;

/// The body that was recorded last from a slot of the world.
typedef struct brRunSlot
{
	uint32_t generation; // 0: none yet
	int32_t recorded;
} brRunSlot;

/// At the start of a checkpoint.
typedef struct brCheckpointHeader
{
	uint32_t magic, version;
	uint32_t rowBytes; // another build has another one
	int32_t bodyCount, modelCount, liveCount, slotCount, stepCount;
	uint64_t worldBytes, recordingBytes;
	uint64_t sceneHash;
	uint64_t hash; // of everything, itself taken as zero
	int32_t frame, step, nextEvent, breakCount, pieceCount, padding;
	double energyIn, massIn;
	brBodyId ground;
} brCheckpointHeader;

struct brRun
{
	brContext context;
	brAllocator allocator;
	const brScene* scene;
	brWorld* world;
	brRecording* recording;
	brBodyId ground;
	brBodyId* ids;             // [scene->bodyCount] of the scene's bodies, none before they enter
	int32_t* modelMeshes;      // [scene->modelCount] mesh of the recording, or -1
	BR_ARRAY(brRunLive) live;  // bodies that were there in the last frame, rising by recorded
	BR_ARRAY(brRunSlot) slots; // by slot of the world
	BR_ARRAY(brRunStep) steps;
	brGpu* gpu; // or null
	brGpuStages* stages;
	brGpuWorld* onDevice; // the world as it is now, or null
	bool isOffDevice;     // the world, as it is since the last event, has something that a device does not do
	int32_t deviceSteps;
	int32_t frame; // played
	int32_t step;
	int32_t nextEvent;
	int32_t breakCount, pieceCount;
	double energyIn, massIn;
	bool isHeldKnown; // the two below are up to date
	double heldMass,
		heldPotential; // of what clusters with anchors still hold: it stands, and counts as if it could move
};

/// A run without a world or a recording, for brCreateRun and brRestoreRun.
brResult brRun_Make(const brContext* context, const brScene* scene, brRun** outRun, brReport* report);
