// SPDX-License-Identifier: MIT
#pragma once

// Where the samples of a data set lie while it is made and afterwards.
//
//     DIR/dataset.json             which recipe this is, written first
//     DIR/.brittle_work/N.part     a finished sample that waits for its shard
//     DIR/shard-000000.tar .jsonl  a finished shard and its rows; the rows are written last
//     DIR/OBJECT/fractured_K/...   instead of shards, if the recipe wants folders
//
// A sample is made by one process and written under a temporary name, so a process may end at any moment: what has its
// name is whole. Nothing here depends on who made what.

#include "command.h"
#include "system.h"

typedef struct Dataset
{
	const CommandLine* line;
	brRecipe* recipe;
	brRecipeInfo info;
	char folder[1024];
	int32_t shardCount;
	int32_t part, partCount; // only shards with shard % partCount == part are ours
	int lock;                // of this part, or -1
} Dataset;

/// Makes the folder, or takes one that was begun with the same recipe if `isResumed`. Refuses any other that holds
/// something. `recipePath` is copied into it.
brResult openDataset(Dataset* dataset, const char* recipePath, bool isResumed, brReport* report);

/// Waits for the folder that another process of the same run makes.
brResult joinDataset(Dataset* dataset, brReport* report);

void closeDataset(Dataset* dataset);

bool isShardDone(const Dataset* dataset, int32_t shard);

/// Sets outDone[i] for samples that wait for their shards, and clears away what is left of shards that are done.
brResult findParts(const Dataset* dataset, uint8_t* outDone, brReport* report);

/// What became of one sample.
typedef struct SampleOutcome
{
	int32_t method; // 0 to 3, or -1 if it failed
	double seconds; // by the clock
	int32_t pieces;
	int64_t bytes;
} SampleOutcome;

/// Makes a sample and writes its part. A sample that cannot be made has a row that says why, and that is no failure.
brResult saveSample(const Dataset* dataset, const brContext* context, int32_t index, SampleOutcome* outOutcome,
					brReport* report);

/// Joins the parts of a shard. The parts go.
brResult saveShard(const Dataset* dataset, int32_t shard, brReport* report);

/// Number of samples of a shard.
int32_t shardSize(const Dataset* dataset, int32_t shard);

void shardPath(const Dataset* dataset, int32_t shard, const char* ending, char* outPath, size_t bytes);

/// A file that appears whole or not at all, written piece by piece.
typedef struct WholeFile
{
	char path[1280], aside[1312];
	FILE* file;
} WholeFile;

brResult openWhole(WholeFile* whole, const char* path, brReport* report);
/// With `isSynced` its bytes are on the disk before it has its name.
brResult closeWhole(WholeFile* whole, bool isSynced, brReport* report);
void dropWhole(WholeFile* whole);
