// SPDX-License-Identifier: MIT
#include "collide_frames.h"

#include "collide_pairs.h"

#include "aside.h"
#include "brittle/research.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FrameMeshes
{
	brMesh* file; // one, or
	brMovingScene* motion;
} FrameMeshes;

// The rebuild is --method oi. Those from the third on are of research.h.
static const struct
{
	const char* name;
	brTrackMethod method;
	brResearchMethod engine;
} frameStrategies[] = {{"auto", br_trackAuto, 0},
					   {"groups", br_trackGroups, 0},
					   {"unordered", br_trackAuto, br_researchUnordered},
					   {"static", br_trackAuto, br_researchStatic},
					   {"periodic", br_trackAuto, br_researchPeriodic},
					   {"restructure", br_trackAuto, br_researchRestructure},
					   {"reference", br_trackAuto, br_researchReference}};

static int32_t findStrategy(const char* name)
{
	for (size_t i = 0; i < sizeof(frameStrategies) / sizeof(frameStrategies[0]); ++i)
	{
		if (strcmp(frameStrategies[i].name, name) == 0)
		{
			return (int32_t)i;
		}
	}
	return -1;
}

bool isFrontStrategy(const char* name)
{
	return findStrategy(name) >= 0;
}

static int frameRead(CommandLine* line, const FramesArgs* args, const FramesInput* input, int32_t index,
					 FrameMeshes* outMeshes)
{
	brReport report = {0};
	*outMeshes = (FrameMeshes){NULL, NULL};
	if (input->scene == NULL)
	{
		brResult result = brLoadMesh(&line->context, line->positional[index], &outMeshes->file, &report);
		if (result >= 0)
		{
			sayRemark(line, result, &report);
		}
		return result < 0 ? failData(line, &report) : exit_done;
	}
	brMovingSceneDef def = brDefaultMovingSceneDef(input->scene);
	def.frame = input->frame + args->step * index;
	def.resolution = input->resolution;
	def.seed = line->seed;
	return brMakeMovingScene(&line->context, &def, &outMeshes->motion, &report) < 0 ? failData(line, &report)
																					: exit_done;
}

static int frameWritePairs(CommandLine* line, const char* path, const brPair* pairs, int64_t count)
{
	brPair* sorted = malloc((size_t)count * sizeof(brPair) + 1);
	Aside aside;
	bool isOpen = sorted != NULL && openAside(&aside, path);
	bool isGood = isOpen && fputs("a,b\n", aside.file) >= 0;
	if (isGood && count > 0)
	{
		memcpy(sorted, pairs, (size_t)count * sizeof(brPair));
		qsort(sorted, (size_t)count, sizeof(brPair), comparePairs);
	}
	for (int64_t i = 0; i < count && isGood; ++i)
	{
		isGood = fprintf(aside.file, "%d,%d\n", sorted[i].a, sorted[i].b) > 0;
	}
	isGood = isOpen && finishAside(&aside, isGood);
	free(sorted);
	return isGood ? exit_done : failDataText(line, "%s cannot be written (%s)", path, strerror(errno));
}

static void framePrint(const CommandLine* line, const FramesArgs* args, const FramesInput* input,
					   const brTrackStats* stats, int32_t count)
{
	static const char* const operations[] = {"rebuild", "generate", "preserve", "balance", "update"};
	double seconds = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		seconds += stats[i].seconds;
	}
	const brTrackStats* last = &stats[count - 1];
	if (line->json)
	{
		Json json = beginJson();
		jsonInt(&json, "primitives", last->primitiveCount);
		jsonInt(&json, "candidates", last->pairCount);
		jsonNumber(&json, "pairs", NAN);
		jsonText(&json, "method", input->isFront ? "front" : "oi");
		jsonText(&json, "strategy", input->isFront ? args->strategy : "rebuild");
		jsonText(&json, "device", input->gpu != NULL ? "gpu" : "cpu");
		jsonOpen(&json, "stages", '{');
		jsonNumber(&json, "search", seconds);
		jsonClose(&json, '}');
		jsonOpen(&json, "frames", '[');
		for (int32_t i = 0; i < count; ++i)
		{
			jsonOpen(&json, NULL, '{');
			jsonInt(&json, "candidates", stats[i].pairCount);
			jsonText(&json, "operation", operations[stats[i].operation]);
			jsonInt(&json, "entries", stats[i].entryCount);
			jsonInt(&json, "bytes", stats[i].bytes);
			jsonNumber(&json, "seconds", stats[i].seconds);
			jsonClose(&json, '}');
		}
		jsonClose(&json, ']');
		endJson(&json, line);
		return;
	}
	printf("primitives   %d\n", last->primitiveCount);
	printf("frame   candidates      ms  operation     entries\n");
	for (int32_t i = 0; i < count; ++i)
	{
		printf("%5d %12lld %7.2f  %-9s %11lld\n", i, (long long)stats[i].pairCount, 1e3 * stats[i].seconds,
			   operations[stats[i].operation], (long long)stats[i].entryCount);
	}
	printf("mean         %.2f ms\n", 1e3 * seconds / count);
}

int collideFrames(CommandLine* line, const FramesArgs* args, const FramesInput* input)
{
	int32_t count = input->scene != NULL ? args->count : line->positionalCount;
	brTrackDef def = brDefaultTrackDef();
	int32_t strategy = findStrategy(args->strategy);
	def.method = input->isFront ? frameStrategies[strategy].method : br_trackRebuild;
	def.engine = input->isFront && strategy >= 2 ? brGetResearchEngine(frameStrategies[strategy].engine) : NULL;
	def.cycle = args->cycle;
	brTrackStats* stats = malloc((size_t)count * sizeof(brTrackStats));
	brTracker* tracker = NULL;
	brGpuTracker* gpuTracker = NULL; // instead, on a device
	brReport report = {0};
	if (stats == NULL || !beginWork(line, "tracking"))
	{
		free(stats);
		return exit_no;
	}
	int exitCode = exit_done;
	brResult result = input->gpu != NULL ? brCreateGpuTracker(&line->context, input->gpu, &def, &gpuTracker, &report)
										 : brCreateTracker(&line->context, &def, &tracker, &report);
	if (result < 0)
	{
		exitCode = failData(line, &report);
	}
	for (int32_t i = 0; i < count && exitCode == exit_done; ++i)
	{
		FrameMeshes frame;
		exitCode = frameRead(line, args, input, i, &frame);
		const brMesh* const* meshes = (const brMesh* const*)(frame.motion != NULL ? frame.motion->meshes : &frame.file);
		int32_t meshCount = frame.motion != NULL ? frame.motion->meshCount : 1;
		if (exitCode == exit_done)
		{
			result = gpuTracker != NULL
						 ? brGpuTracker_UpdateMeshes(gpuTracker, &line->context, meshes, meshCount, &report)
						 : brTracker_UpdateMeshes(tracker, &line->context, meshes, meshCount, NULL, &report);
			exitCode = result < 0 ? failData(line, &report) : exit_done;
		}
		if (exitCode == exit_done)
		{
			stats[i] = gpuTracker != NULL ? brGpuTracker_GetStats(gpuTracker) : brTracker_GetStats(tracker);
		}
		brDestroyMesh(frame.file);
		brDestroyMovingScene(frame.motion);
	}
	if (exitCode == exit_done && input->pairsPath != NULL)
	{
		int64_t pairCount = 0;
		const brPair* pairs = gpuTracker != NULL ? brGpuTracker_GetPairs(gpuTracker, &pairCount)
												 : brTracker_GetPairs(tracker, &pairCount);
		exitCode = frameWritePairs(line, input->pairsPath, pairs, pairCount);
	}
	endWork(line);
	if (exitCode == exit_done)
	{
		framePrint(line, args, input, stats, count);
	}
	brDestroyGpuTracker(gpuTracker);
	brDestroyTracker(tracker);
	free(stats);
	return exitCode;
}
