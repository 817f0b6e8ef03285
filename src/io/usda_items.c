// SPDX-License-Identifier: MIT

// The text of many parts or shapes, made by all workers: runs of items go into memory side by side and are appended in
// order, so the file is the same for any number of workers. What is too large to be held is written as it is made.

#include "io/usda_writer.h"

#define USDA_RUN_CORNERS 50000    // of the items of a run: about 2 MB of text
#define USDA_ALONE_CORNERS 200000 // of an item that is written by the calling thread
#define USDA_BATCH_RUNS 16        // that are held at once

// Items [begin, end), with a writer of their own.
typedef struct UsdaRun
{
	brUsdaWriter writer;
	brWriteJob job;
	brReport report;
	int32_t begin, end;
	brResult result;
} UsdaRun;

typedef struct UsdaBatch
{
	const brUsdaItems* items;
	UsdaRun* runs;
} UsdaBatch;

static void usdaWriteRuns(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const UsdaBatch* batch = user;
	for (int32_t i = begin; i < end; ++i)
	{
		UsdaRun* run = &batch->runs[i];
		run->result = brOutput_OpenMemory(&run->writer.output, &run->job.allocator, &run->report);
		for (int32_t k = run->begin; k < run->end && run->result >= 0; ++k)
		{
			run->result = batch->items->write(&run->writer, k);
		}
	}
}

// What a run has to tell at the end.
static void usdaKeepRemarks(brUsdaWriter* writer, const brUsdaWriter* from)
{
	writer->hasRounded |= from->hasRounded;
	writer->hasFixedValues |= from->hasFixedValues;
	writer->hasGroups |= from->hasGroups;
	writer->hasTets |= from->hasTets;
	writer->hasTriangulated |= from->hasTriangulated;
}

// The first item after `begin` that is not of its run.
static int32_t usdaRunEnd(const brUsdaWriter* writer, const brUsdaItems* items, int32_t begin)
{
	int32_t end = begin;
	for (int64_t corners = 0; end < items->count && corners < USDA_RUN_CORNERS; ++end)
	{
		int64_t more = items->corners(writer, end);
		if (end > begin && more >= USDA_ALONE_CORNERS)
		{
			break;
		}
		corners += more;
	}
	return end;
}

// Runs from `begin` on; returns where they end.
static int32_t usdaWriteBatch(brUsdaWriter* writer, const brUsdaItems* items, int32_t begin, UsdaRun* runs,
							  brResult* outResult)
{
	const brWriteJob* job = writer->job;
	brContext context = *job->context;
	context.cancel = NULL; // workers may not ask
	int32_t count = 0;
	for (; count < USDA_BATCH_RUNS && begin < items->count; ++count)
	{
		if (items->corners(writer, begin) >= USDA_ALONE_CORNERS)
		{
			break;
		}
		UsdaRun* run = &runs[count];
		*run = (UsdaRun){.writer = *writer, .job = *job, .begin = begin, .end = usdaRunEnd(writer, items, begin)};
		run->job.context = &context;
		run->job.report = &run->report;
		run->writer.job = &run->job;
		begin = run->end;
	}
	brParallelFor(context.workers, count, 1, usdaWriteRuns, &(UsdaBatch){items, runs});
	for (int32_t i = 0; i < count; ++i)
	{
		if (*outResult >= 0 && runs[i].result < 0)
		{
			*outResult = runs[i].result;
			if (job->report != NULL)
			{
				*job->report = runs[i].report;
			}
		}
		brOutput_Move(&writer->output, &runs[i].writer.output);
		usdaKeepRemarks(writer, &runs[i].writer);
	}
	return begin;
}

brResult brUsdaWriter_WriteItems(brUsdaWriter* writer, const brUsdaItems* items)
{
	const brWriteJob* job = writer->job;
	bool isShared = job->context != NULL && brWorkers_GetCount(job->context->workers) > 1 && items->count > 1;
	UsdaRun* runs = isShared ? BR_ALLOC(&job->allocator, UsdaRun, USDA_BATCH_RUNS) : NULL;
	brResult result = isShared && runs == NULL ? brFailMemory(job->report) : br_success;
	for (int32_t at = 0; at < items->count && result >= 0;)
	{
		if (brIsCanceled(job->context, (double)at / items->count))
		{
			result = brFail(job->report, br_errorCanceled, "writing %.100s was canceled", job->path);
		}
		else if (isShared && items->corners(writer, at) < USDA_ALONE_CORNERS)
		{
			at = usdaWriteBatch(writer, items, at, runs, &result);
		}
		else
		{
			result = items->write(writer, at++);
		}
	}
	BR_FREE(&job->allocator, runs, USDA_BATCH_RUNS);
	return result;
}
