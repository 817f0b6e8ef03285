// SPDX-License-Identifier: MIT
#pragma once

// Who makes which sample. One process hands out samples one at a time, so a slow one holds nobody up, and shards once
// all their samples are there. Its own threads take them from memory; with MPI the other ranks ask by messages.

#include "dataset_store.h"
#include "ranks.h"

/// What the work came to, summed over all ranks.
typedef struct WorkTotals
{
	int32_t made[5];   // by method; the last: samples that could not be made
	double seconds[5]; // of these, by the clock of who made them
	int64_t pieces, bytes;
	int32_t workers; // of all ranks together
	int32_t shards;
} WorkTotals;

/// Makes all samples of our part that are not there yet, with `workerCount` threads in each process.
brResult makeSamples(Dataset* dataset, int32_t workerCount, WorkTotals* outTotals, brReport* report);

// Messages: ranks.c.

/// A message between a rank that works and the one that hands out.
typedef struct RankMessage
{
	int32_t kind, index; // of a task: what was done, or what is to be done
	int32_t failed;      // the task failed, and `text` says why
	int32_t workers;     // of the rank, in its first message
	SampleOutcome outcome;
	char text[512];
} RankMessage;

/// Tells rank 0 what was done and returns what to do next. One thread at a time.
RankMessage askRank0(const RankMessage* done);

/// A message that waits for rank 0, if there is one. `outRank` is who sent it and gets the answer.
bool receiveFromRank(RankMessage* outMessage, int32_t* outRank);
void answerRank(const RankMessage* message, int32_t rank);
