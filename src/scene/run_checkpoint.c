// SPDX-License-Identifier: MIT

// Checkpoints: everything that a run needs to go on, in one file for the same build. Structs go as they are in memory;
// the world and the recording bring their own checks, the rest is covered by the hash.
//
//     header | run | ids | meshes of models | live bodies | slots | rows | world | recording

#include "scene/run_state.h"

#include "base/hash.h"
#include "io/file.h"
#include "scene/recording_file.h"

#include <string.h>

#define CHECKPOINT_MAGIC 0x50435242u // "BRCP"
#define CHECKPOINT_VERSION 3
#define CHECKPOINT_MAX_CENTER (BR_RECORDING_UNIT * INT32_MAX) // [m] as far as a recording reaches

static size_t checkpointFixedBytes(const brCheckpointHeader* header)
{
	return sizeof(brBodyId) * (size_t)header->bodyCount + sizeof(int32_t) * (size_t)header->modelCount +
		   sizeof(brRunLive) * (size_t)header->liveCount + sizeof(brRunSlot) * (size_t)header->slotCount +
		   sizeof(brRunStep) * (size_t)header->stepCount;
}

brResult brRun_SaveCheckpoint(const brRun* run, const brContext* context, const char* path, brReport* report)
{
	if (run == NULL || path == NULL)
	{
		return brFail(report, br_errorMisuse, "brRun_SaveCheckpoint needs run and path");
	}
	brByteArray bytes = {.allocator = brContext_Allocator(context)};
	brCheckpointHeader header;
	memset(&header, 0, sizeof(header));
	header.magic = CHECKPOINT_MAGIC;
	header.version = CHECKPOINT_VERSION;
	header.rowBytes = sizeof(brRunStep);
	header.bodyCount = run->scene->bodyCount;
	header.modelCount = run->scene->modelCount;
	header.liveCount = run->live.count;
	header.slotCount = run->slots.count;
	header.stepCount = run->steps.count;
	header.sceneHash = run->scene->hash;
	header.frame = run->frame;
	header.step = run->step;
	header.nextEvent = run->nextEvent;
	header.breakCount = run->breakCount;
	header.pieceCount = run->pieceCount;
	header.energyIn = run->energyIn;
	header.massIn = run->massIn;
	header.ground = run->ground;
	size_t worldBytes = brWorld_Save(run->world, NULL, 0);
	void* world = BR_ALLOC(&bytes.allocator, uint8_t, (int64_t)worldBytes);
	bool isReady = world != NULL && brWorld_Save(run->world, world, worldBytes) == worldBytes;
	brByteArray_Add(&bytes, run->ids, sizeof(brBodyId) * (size_t)header.bodyCount);
	brByteArray_Add(&bytes, run->modelMeshes, sizeof(int32_t) * (size_t)header.modelCount);
	brByteArray_Add(&bytes, run->live.data, sizeof(brRunLive) * (size_t)header.liveCount);
	brByteArray_Add(&bytes, run->slots.data, sizeof(brRunSlot) * (size_t)header.slotCount);
	brByteArray_Add(&bytes, run->steps.data, sizeof(brRunStep) * (size_t)header.stepCount);
	if (isReady)
	{
		brByteArray_Add(&bytes, world, worldBytes);
	}
	BR_FREE(&bytes.allocator, (uint8_t*)world, (int64_t)worldBytes);
	int32_t before = bytes.bytes.count;
	isReady = isReady && brRecording_Write(context, run->recording, true, &bytes);
	header.worldBytes = worldBytes;
	header.recordingBytes = (uint64_t)(bytes.bytes.count - before);
	brResult result = isReady && !bytes.failed ? br_success : brFailMemory(report);
	brOutput output;
	result = result < 0 ? result : brOutput_Open(&output, &bytes.allocator, path, report);
	if (result >= 0)
	{
		header.hash = brHashFile(&header, sizeof(header), offsetof(brCheckpointHeader, hash), bytes.bytes.data,
								 (size_t)bytes.bytes.count);
		brOutput_Write(&output, &header, sizeof(header));
		brOutput_Write(&output, bytes.bytes.data, (size_t)bytes.bytes.count);
		result = brOutput_Commit(&output, report);
	}
	brByteArray_Destroy(&bytes);
	return result;
}

// The next bytes into an array; the sum of sizes was checked before.
static const uint8_t* checkpointTake(const uint8_t* at, void* target, size_t byteCount)
{
	if (byteCount > 0)
	{
		memcpy(target, at, byteCount);
	}
	return at + byteCount;
}

// Whether every number of the header is what the recording, the rows and the scene say it is.
static bool checkpointHeaderHolds(const brRun* run, const brCheckpointHeader* header)
{
	const brScene* scene = run->scene;
	if (header->frame < 0 || run->recording->frameCount - 1 != header->frame ||
		header->step != (int64_t)header->frame * scene->stepsPerFrame || header->stepCount != header->step)
	{
		return false;
	}
	int64_t breaks = 0, pieces = 0;
	for (int32_t i = 0; i < run->steps.count; ++i)
	{
		const brRunStep* row = &run->steps.data[i];
		if (row->step != i + 1 || row->breaks < 0 || row->pieces < 0)
		{
			return false;
		}
		breaks += row->breaks;
		pieces += row->pieces;
	}
	int32_t played = 0; // events up to the start of the last step
	double dt = 1.0 / (scene->frameRate * scene->stepsPerFrame);
	while (header->step > 0 && played < scene->eventCount && scene->events[played].time <= (header->step - 1) * dt)
	{
		played += 1;
	}
	const brRunStep* last = run->steps.count > 0 ? &run->steps.data[run->steps.count - 1] : NULL;
	double dustMass = brWorld_GetBreakStats(run->world).dustMass;
	brWorldEnergy energy = brWorld_ComputeEnergy(run->world);
	double energyIn = header->energyIn + energy.driven - energy.dust;
	return header->breakCount == breaks && header->pieceCount == pieces && header->nextEvent == played &&
		   isfinite(header->energyIn) && isfinite(header->massIn) && header->massIn >= 0.0 &&
		   (last == NULL || (last->energyIn == energyIn && last->massIn == header->massIn - dustMass)) &&
		   (header->ground.index1 == 0 || brWorld_IsBody(run->world, header->ground));
}

static brResult checkpointFill(brRun* run, const brCheckpointHeader* header, const uint8_t* at, const char* path,
							   brReport* report)
{
	bool isReady = BR_RESERVE(&run->allocator, &run->live, header->liveCount) &&
				   BR_RESERVE(&run->allocator, &run->slots, header->slotCount) &&
				   BR_RESERVE(&run->allocator, &run->steps, header->stepCount);
	if (!isReady)
	{
		return brFailMemory(report);
	}
	at = checkpointTake(at, run->ids, sizeof(brBodyId) * (size_t)header->bodyCount);
	at = checkpointTake(at, run->modelMeshes, sizeof(int32_t) * (size_t)header->modelCount);
	at = checkpointTake(at, run->live.data, sizeof(brRunLive) * (size_t)header->liveCount);
	at = checkpointTake(at, run->slots.data, sizeof(brRunSlot) * (size_t)header->slotCount);
	at = checkpointTake(at, run->steps.data, sizeof(brRunStep) * (size_t)header->stepCount);
	run->live.count = header->liveCount;
	run->slots.count = header->slotCount;
	run->steps.count = header->stepCount;
	run->frame = header->frame;
	run->step = header->step;
	run->nextEvent = header->nextEvent;
	run->breakCount = header->breakCount;
	run->pieceCount = header->pieceCount;
	run->energyIn = header->energyIn;
	run->massIn = header->massIn;
	run->ground = header->ground;
	brResult result = brRestoreWorld(&run->context, at, (size_t)header->worldBytes, &run->world, report);
	at += header->worldBytes;
	result = result < 0
				 ? result
				 : brReadRecording(&run->context, at, (size_t)header->recordingBytes, path, &run->recording, report);
	if (result < 0)
	{
		return result;
	}
	bool isGood = checkpointHeaderHolds(run, header);
	for (int32_t i = 0; i < run->live.count && isGood; ++i)
	{
		const brRunLive* live = &run->live.data[i];
		isGood = live->recorded >= 0 && live->recorded < run->recording->bodyCount &&
				 brDLengthSq(live->center) < CHECKPOINT_MAX_CENTER * CHECKPOINT_MAX_CENTER;
	}
	for (int32_t i = 0; i < run->slots.count && isGood; ++i)
	{
		isGood = run->slots.data[i].recorded >= -1 && run->slots.data[i].recorded < run->recording->bodyCount;
	}
	for (int32_t i = 0; i < header->modelCount && isGood; ++i)
	{
		isGood = run->modelMeshes[i] >= -1 && run->modelMeshes[i] < run->recording->meshCount;
	}
	return isGood ? br_success : brFail(report, br_errorFormat, "%s: the checkpoint breaks its own rules", path);
}

brResult brRestoreRun(const brContext* context, const brScene* scene, const char* path, brRun** outRun,
					  brReport* report)
{
	if (scene == NULL || path == NULL || outRun == NULL)
	{
		return brFail(report, br_errorMisuse, "a checkpoint needs a scene and a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result = brReadFile(context, &allocator, path, &bytes, &byteCount, report);
	if (result < 0)
	{
		return result;
	}
	brCheckpointHeader header;
	memset(&header, 0, sizeof(header));
	brRun* run = NULL;
	if (byteCount >= sizeof(header))
	{
		memcpy(&header, bytes, sizeof(header));
	}
	bool isOurs = header.magic == CHECKPOINT_MAGIC && header.version == CHECKPOINT_VERSION &&
				  header.rowBytes == sizeof(brRunStep);
	bool isSized =
		isOurs && header.bodyCount >= 0 && header.modelCount >= 0 && header.liveCount >= 0 && header.slotCount >= 0 &&
		header.stepCount >= 0 && header.worldBytes <= byteCount && header.recordingBytes <= byteCount &&
		sizeof(header) + checkpointFixedBytes(&header) + header.worldBytes + header.recordingBytes == byteCount;
	if (!isOurs)
	{
		result = brFail(report, br_errorFormat, "%s: this is no checkpoint of this build", path);
	}
	else if (!isSized || header.hash != brHashFile(&header, sizeof(header), offsetof(brCheckpointHeader, hash),
												   bytes + sizeof(header), byteCount - sizeof(header)))
	{
		result = brFail(report, br_errorFormat, "%s: the checkpoint is cut off or damaged", path);
	}
	else if (header.sceneHash != scene->hash || header.bodyCount != scene->bodyCount ||
			 header.modelCount != scene->modelCount)
	{
		result =
			brFail(report, br_errorFormat, "%s: the checkpoint is of another scene, or the scene has changed", path);
	}
	result = result < 0 ? result : brRun_Make(context, scene, &run, report);
	result = result < 0 ? result : checkpointFill(run, &header, bytes + sizeof(header), path, report);
	BR_FREE(&allocator, bytes, byteCount + 1);
	if (result < 0)
	{
		brDestroyRun(run);
		return result;
	}
	*outRun = run;
	return brSucceed(report);
}
