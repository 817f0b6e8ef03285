// SPDX-License-Identifier: MIT
#include "dataset_report.h"
#include "dataset_work.h"

#include <stdlib.h>
#include <string.h>

typedef struct DatasetOptions
{
	const char* output;
	const char* part;
	bool isResumed;
} DatasetOptions;

static const char* const s_kinds[5] = {"shatter", "crack", "drop", "shoot", "failed"};

static bool readPart(const char* text, int32_t* outPart, int32_t* outCount)
{
	int part = 0, count = 0, end = 0;
	bool isGood = sscanf(text, "%d/%d%n", &part, &count, &end) == 2 && text[end] == 0;
	isGood = isGood && part >= 1 && part <= count && count <= 1000000;
	*outPart = part - 1;
	*outCount = count;
	return isGood;
}

static void printTotals(const CommandLine* line, const Dataset* dataset, const WorkTotals* totals, bool isWhole)
{
	int32_t made = 0;
	double seconds = secondsSinceStart(line);
	for (int32_t i = 0; i < 5; ++i)
	{
		made += totals->made[i];
	}
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "folder", dataset->folder);
		jsonInt(&json, "samples", dataset->info.sampleCount);
		jsonInt(&json, "made", made);
		jsonInt(&json, "failed", totals->made[4]);
		jsonInt(&json, "shards", totals->shards);
		jsonInt(&json, "workers", totals->workers);
		jsonInt(&json, "ranks", rankCount());
		jsonInt(&json, "pieces", totals->pieces);
		jsonInt(&json, "bytes", totals->bytes);
		jsonBool(&json, "whole", isWhole);
		jsonOpen(&json, "methods", '{');
		for (int32_t i = 0; i < 5; ++i)
		{
			jsonOpen(&json, s_kinds[i], '{');
			jsonInt(&json, "samples", totals->made[i]);
			jsonNumber(&json, "seconds", totals->seconds[i]);
			jsonClose(&json, '}');
		}
		jsonClose(&json, '}');
		endJson(&json, line);
		return;
	}
	if (made > 0)
	{
		say(line, "%d samples in %.1f s by %d worker%s in %d process%s: %.2f a second and worker; %.1f MB", (int)made,
			seconds, (int)totals->workers, totals->workers == 1 ? "" : "s", (int)rankCount(),
			rankCount() == 1 ? "" : "es", made / seconds / totals->workers, 1e-6 * (double)totals->bytes);
	}
	for (int32_t i = 0; i < 5; ++i)
	{
		if (totals->made[i] > 0)
		{
			say(line, "  %-8s %6d, %.1f ms each", s_kinds[i], (int)totals->made[i],
				1e3 * totals->seconds[i] / totals->made[i]);
		}
	}
	say(line,
		isWhole ? "%s is complete: %d samples in %d shards, see README.md there"
				: "%s: this part of %d samples in %d shards is done; the last part to end writes the manifest",
		dataset->folder, (int)dataset->info.sampleCount, (int)dataset->shardCount);
}

// With the folder open on rank 0, and found by the others.
static int makeDataset(CommandLine* line, Dataset* dataset, int32_t workerCount)
{
	brReport report = {0};
	WorkTotals totals = {0};
	if (!beginWork(line, "breaking"))
	{
		return exit_no;
	}
	brResult result = makeSamples(dataset, workerCount, &totals, &report);
	bool isWhole = false;
	if (result >= 0 && rankNumber() == 0 && endSignal() == 0)
	{
		isWhole = isDatasetWhole(dataset);
		result = isWhole ? saveReport(dataset, &report) : br_success;
	}
	endWork(line);
	if (rankNumber() != 0)
	{
		return exit_done; // rank 0 tells
	}
	if (endSignal() != 0)
	{
		say(line, "note: stopped; %s keeps what is done, and --resume goes on", dataset->folder);
		return exit_no;
	}
	if (result < 0)
	{
		return failData(line, &report);
	}
	printTotals(line, dataset, &totals, isWhole);
	return exit_done;
}

static int openAndMake(CommandLine* line, const DatasetOptions* options, brRecipe* recipe)
{
	brReport report = {0};
	Dataset dataset = {.line = line, .recipe = recipe, .info = brRecipe_GetInfo(recipe), .partCount = 1, .lock = -1};
	if (options->part != NULL && !readPart(options->part, &dataset.part, &dataset.partCount))
	{
		return failUsage(line, "--part takes K/N with K from 1 to N, not '%s'", options->part);
	}
	if (strlen(options->output) >= sizeof(dataset.folder) - 1)
	{
		return failUsage(line, "the name of the folder is too long");
	}
	snprintf(dataset.folder, sizeof(dataset.folder), "%s", options->output);
	int64_t perShard = dataset.info.samplesPerShard;
	dataset.shardCount = (int32_t)((dataset.info.sampleCount + perShard - 1) / perShard);
	// Under a launcher there is a rank a core; alone this process uses them all.
	int32_t workerCount = line->workerCount > 0 ? line->workerCount : rankCount() > 1 ? 1 : brOs_CoreCount();
	brResult result = br_success;
	if (rankNumber() == 0)
	{
		result = openDataset(&dataset, line->positional[0], options->isResumed || options->part != NULL, &report);
	}
	result = shareNumber(result);
	if (result >= 0 && rankNumber() != 0)
	{
		result = joinDataset(&dataset, &report);
	}
	if (result < 0)
	{
		closeDataset(&dataset);
		return rankNumber() == 0 ? failData(line, &report) : exit_no;
	}
	int code = makeDataset(line, &dataset, workerCount);
	closeDataset(&dataset);
	return code;
}

static int runDataset(CommandLine* line)
{
	DatasetOptions options = {0};
	const Option table[] = {
		{"output", 'o', option_text, &options.output, "DIR",
		 "folder of the data set; new, or begun before with --resume"},
		{"resume", 0, option_flag, &options.isResumed, NULL, "go on where an earlier run was ended, however it ended"},
		{"part", 0, option_text, &options.part, "K/N", "make every N-th shard from the K-th on: for array jobs"},
	};
	if (!readOptions(line, table, sizeof(table) / sizeof(table[0]), 1, 1))
	{
		return line->exitCode;
	}
	if (options.output == NULL)
	{
		return failUsage(line, "usage: brittle dataset %s", line->command->synopsis);
	}
	if (line->hasSeed)
	{
		return failUsage(line, "the recipe has the seed: 'seed: N' in it");
	}
	if (!beginRanks(line))
	{
		return exit_usage;
	}
	brRecipe* recipe = NULL;
	brGpu* gpu = NULL;
	brReport report = {0};
	int code = exit_no;
	if (brLoadRecipe(NULL, line->positional[0], &recipe, &report) < 0)
	{
		code = rankNumber() == 0 ? failData(line, &report) : exit_no;
	}
	else if (openDevice(line, &gpu))
	{
		bool isReady = gpu == NULL || brRecipe_SetDevice(recipe, gpu, &report) >= 0;
		code = isReady ? openAndMake(line, &options, recipe) : failData(line, &report);
	}
	brDestroyRecipe(recipe);
	brCloseGpu(gpu);
	endRanks();
	return code;
}

const Command command_dataset = {
	"dataset",
	"makes a data set of broken things for learning",
	"RECIPE.yaml -o DIR [--resume] [--part K/N]",
	"The recipe says what is broken, of what, and how; docs/scale.md has its keys. Sample i depends on the recipe, "
	"its\n"
	"seed and i alone: any number of workers, processes and parts makes the same bytes. A run may be ended at any\n"
	"moment; --resume goes on. Under mpirun start brittle-mpi instead.",
	"brittle dataset samples/dataset.yaml -o out/dataset",
	runDataset,
	true,
};
