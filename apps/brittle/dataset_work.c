// SPDX-License-Identifier: MIT
#include "dataset_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Between two looks for messages, which cost 0.1 ms each of a processor that has samples to make: seldom while samples
// are long. A rank waits for half of it. [s]
#define DESK_SHORTEST 0.00025
#define DESK_LONGEST 0.002
#define DESK_ALONE 0.02 // only the bar is drawn

enum
{
	task_none = 0, // nothing right now: ask again
	task_sample = 1,
	task_shard = 2,
	task_stop = 3,
	workMaxThreads = 256,
};

// Kept by the process that hands out, under its lock.
typedef struct Desk
{
	brMutex lock;
	Dataset* dataset;
	uint8_t* isDone; // [sampleCount] made before, or handed out
	int32_t* left;   // [shardCount] samples that are not there yet; -1: the shard is done or not ours
	int32_t* ready;  // [shardCount] shards whose samples are all there, a stack
	int32_t readyCount;
	int32_t nextSample;
	int32_t open;            // tasks handed out and not done
	int32_t total, finished; // samples of this run
	bool isStopped;
	brReport failure; // of the first task that failed
	WorkTotals totals;
} Desk;

static void deskDone(Desk* desk, const RankMessage* done)
{
	desk->totals.workers += done->workers;
	if (done->kind == task_none)
	{
		return;
	}
	desk->open -= 1;
	if (done->failed != 0)
	{
		if (desk->failure.code == 0)
		{
			desk->failure.code = done->failed;
			snprintf(desk->failure.text, sizeof(desk->failure.text), "%.470s", done->text);
		}
		desk->isStopped = true;
		return;
	}
	if (done->kind == task_shard)
	{
		desk->totals.shards += 1;
		return;
	}
	int32_t method = done->outcome.method >= 0 ? done->outcome.method : 4;
	desk->totals.made[method] += 1;
	desk->totals.seconds[method] += done->outcome.seconds;
	desk->totals.pieces += done->outcome.pieces;
	desk->totals.bytes += done->outcome.bytes;
	desk->finished += 1;
	int32_t shard = done->index / desk->dataset->info.samplesPerShard;
	desk->left[shard] -= 1;
	if (desk->left[shard] == 0)
	{
		desk->ready[desk->readyCount++] = shard;
	}
}

static RankMessage deskNext(Desk* desk)
{
	const Dataset* dataset = desk->dataset;
	RankMessage next = {.kind = task_stop};
	if (desk->isStopped)
	{
		return next;
	}
	if (desk->readyCount > 0)
	{
		next.kind = task_shard;
		next.index = desk->ready[--desk->readyCount];
		desk->open += 1;
		return next;
	}
	for (; desk->nextSample < dataset->info.sampleCount; ++desk->nextSample)
	{
		int32_t shard = desk->nextSample / dataset->info.samplesPerShard;
		if (desk->left[shard] > 0 && !desk->isDone[desk->nextSample])
		{
			next.kind = task_sample;
			next.index = desk->nextSample++;
			desk->open += 1;
			return next;
		}
	}
	next.kind = desk->open > 0 ? task_none : task_stop; // what is open may make a shard ready
	return next;
}

static RankMessage deskTurn(Desk* desk, const RankMessage* done)
{
	brMutex_Lock(&desk->lock);
	deskDone(desk, done);
	RankMessage next = deskNext(desk);
	brMutex_Unlock(&desk->lock);
	return next;
}

// What is there already.
static brResult deskOpen(Desk* desk, Dataset* dataset, brReport* report)
{
	int32_t samples = dataset->info.sampleCount, shards = dataset->shardCount;
	*desk = (Desk){.dataset = dataset};
	brMutex_Init(&desk->lock);
	desk->isDone = calloc((size_t)samples, 1);
	desk->left = calloc((size_t)shards, sizeof(int32_t));
	desk->ready = calloc((size_t)shards, sizeof(int32_t));
	if (desk->isDone == NULL || desk->left == NULL || desk->ready == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is no memory for a list of %d samples", (int)samples);
		return report->code = br_errorMemory;
	}
	brResult result = findParts(dataset, desk->isDone, report);
	for (int32_t i = 0; i < shards && result >= 0; ++i)
	{
		bool isOurs = i % dataset->partCount == dataset->part && !isShardDone(dataset, i);
		desk->left[i] = isOurs ? 0 : -1;
		for (int32_t k = 0; isOurs && k < shardSize(dataset, i); ++k)
		{
			desk->left[i] += desk->isDone[i * dataset->info.samplesPerShard + k] == 0;
		}
		desk->total += isOurs ? desk->left[i] : 0;
		if (desk->left[i] == 0)
		{
			desk->ready[desk->readyCount++] = i;
		}
	}
	return result;
}

static void deskClose(Desk* desk)
{
	free(desk->isDone);
	free(desk->left);
	free(desk->ready);
	brMutex_Destroy(&desk->lock);
}

// A process with its threads.
typedef struct Crew
{
	Dataset* dataset;
	Desk* desk;      // null: rank 0 is another process
	brMutex talk;    // one thread at a time asks rank 0
	bool isCanceled; // by a signal
	int32_t threads, running;
} Crew;

static bool crewIsCanceled(double progress, void* user)
{
	(void)progress;
	const Crew* crew = user;
	return crew->isCanceled || endSignal() != 0;
}

static RankMessage crewTurn(Crew* crew, const RankMessage* done)
{
	if (crew->desk != NULL)
	{
		return deskTurn(crew->desk, done);
	}
	brMutex_Lock(&crew->talk);
	RankMessage next = askRank0(done);
	brMutex_Unlock(&crew->talk);
	return next;
}

static void crewWork(void* argument)
{
	Crew* crew = argument;
	brContext context = {.cancel = crewIsCanceled, .cancelUser = crew}; // one thread a sample: many samples at once
	RankMessage message = {.kind = task_none, .workers = 1};
	for (;;)
	{
		RankMessage next = crewTurn(crew, &message);
		message = (RankMessage){.kind = next.kind, .index = next.index};
		brReport report = {0};
		brResult result = br_success;
		if (next.kind == task_stop)
		{
			break;
		}
		if (next.kind == task_none)
		{
			sleepFor(0.002);
			continue;
		}
		if (next.kind == task_sample)
		{
			result = saveSample(crew->dataset, &context, next.index, &message.outcome, &report);
		}
		else
		{
			result = saveShard(crew->dataset, next.index, &report);
		}
		message.failed = result < 0 ? result : 0;
		snprintf(message.text, sizeof(message.text), "%s", report.text);
	}
	brMutex_Lock(&crew->talk);
	crew->running -= 1;
	brMutex_Unlock(&crew->talk);
}

// Rank 0 between its own threads and the other ranks: answers, draws the bar, hears signals.
static void deskServe(Desk* desk, Crew* crew)
{
	int32_t asking = rankCount() - 1; // ranks that have not been told to stop; each thread of a rank counts
	brContext* context = (brContext*)&crew->dataset->line->context;
	int32_t* threadsOf = calloc((size_t)rankCount(), sizeof(int32_t));
	double pause = DESK_SHORTEST;
	for (;;)
	{
		RankMessage message;
		int32_t rank = 0;
		bool isTold = false;
		while (receiveFromRank(&message, &rank))
		{
			RankMessage next = deskTurn(desk, &message);
			answerRank(&next, rank);
			isTold = true;
			if (threadsOf != NULL)
			{
				threadsOf[rank] += message.workers;
				threadsOf[rank] -= next.kind == task_stop;
				asking -= next.kind == task_stop && threadsOf[rank] == 0;
			}
		}
		brMutex_Lock(&desk->lock);
		double progress = desk->total > 0 ? (double)desk->finished / desk->total : 1.0;
		desk->isStopped = desk->isStopped || endSignal() != 0;
		brMutex_Unlock(&desk->lock);
		brMutex_Lock(&crew->talk);
		int32_t running = crew->running;
		brMutex_Unlock(&crew->talk);
		if (running == 0 && asking <= 0)
		{
			break;
		}
		showProgress(progress, context->cancelUser);
		pause = isTold ? DESK_SHORTEST : fmin(2.0 * pause, rankCount() > 1 ? DESK_LONGEST : DESK_ALONE);
		if (!isTold)
		{
			sleepFor(pause);
		}
	}
	free(threadsOf);
}

static int32_t crewStart(Crew* crew, brThread* threads, int32_t count)
{
	crew->running = count;
	for (int32_t i = 0; i < count; ++i)
	{
		if (!brThread_Start(&threads[i], crewWork, crew))
		{
			brMutex_Lock(&crew->talk);
			crew->running -= count - i;
			brMutex_Unlock(&crew->talk);
			return i;
		}
	}
	return count;
}

brResult makeSamples(Dataset* dataset, int32_t workerCount, WorkTotals* outTotals, brReport* report)
{
	Desk desk;
	Crew crew = {.dataset = dataset};
	brThread threads[workMaxThreads];
	bool isDesk = rankNumber() == 0;
	brResult result = isDesk ? deskOpen(&desk, dataset, report) : br_success;
	if (shareNumber(result) < 0) // the others need not begin
	{
		return result;
	}
	crew.desk = isDesk ? &desk : NULL;
	brMutex_Init(&crew.talk);
	int32_t count = crewStart(&crew, threads, workerCount < workMaxThreads ? workerCount : workMaxThreads);
	if (isDesk)
	{
		deskServe(&desk, &crew);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brThread_Join(&threads[i]);
	}
	brMutex_Destroy(&crew.talk);
	if (isDesk)
	{
		*outTotals = desk.totals;
		*report = desk.failure;
		result = desk.failure.code;
		deskClose(&desk);
	}
	if (count == 0)
	{
		snprintf(report->text, sizeof(report->text), "no thread could be started");
		return report->code = br_errorMemory;
	}
	return result;
}
