// SPDX-License-Identifier: MIT
#include "collide_ccd.h"

#include "aside.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Objects at the start and the end of a step.
typedef struct CcdFrames
{
	brMesh* meshes[2][64];
	int32_t count;
} CcdFrames;

typedef struct CcdStep
{
	int64_t vertexFaceCandidates, edgeEdgeCandidates;
	int64_t vertexFaces, edgeEdges, coarse;
	double firstTime;
} CcdStep;

typedef struct CcdTotals
{
	int64_t primitives;
	CcdStep* steps;
	int32_t stepCount;
	brPairStages stages;
	FILE* pairs; // or null
} CcdTotals;

static void ccdDropFrame(CcdFrames* frames, int which)
{
	for (int32_t i = 0; i < frames->count; ++i)
	{
		brDestroyMesh(frames->meshes[which][i]);
		frames->meshes[which][i] = NULL;
	}
}

static int ccdLoad(CommandLine* line, const char* path, brMesh** outMesh)
{
	brReport report = {0};
	brResult result = brLoadMesh(&line->context, path, outMesh, &report);
	if (result < 0)
	{
		return failData(line, &report);
	}
	sayRemark(line, result, &report);
	return exit_done;
}

// Frame number `step` of the input as meshes.
static int ccdReadFrame(CommandLine* line, const CcdInput* input, int32_t step, CcdFrames* frames, int which)
{
	if (input->scene != NULL)
	{
		brMovingSceneDef def = brDefaultMovingSceneDef(input->scene);
		def.frame = input->frame + step, def.resolution = input->resolution, def.seed = line->seed;
		brMovingScene* motion = NULL;
		brReport report = {0};
		if (brMakeMovingScene(&line->context, &def, &motion, &report) < 0)
		{
			return failData(line, &report);
		}
		int exitCode = exit_done;
		frames->count = motion->meshCount <= 64 ? motion->meshCount : 1;
		if (motion->meshCount <= 64)
		{
			memcpy(frames->meshes[which], motion->meshes, (size_t)motion->meshCount * sizeof(brMesh*));
			memset(motion->meshes, 0, (size_t)motion->meshCount * sizeof(brMesh*));
		}
		else if (brMergeMeshes(&line->context, (const brMesh* const*)motion->meshes, motion->meshCount,
							   &frames->meshes[which][0], &report) < 0)
		{
			exitCode = failData(line, &report);
		}
		brDestroyMovingScene(motion);
		return exitCode;
	}
	if (input->next->count == 0)
	{
		frames->count = 1;
		return ccdLoad(line, line->positional[step], &frames->meshes[which][0]);
	}
	frames->count = line->positionalCount;
	int exitCode = exit_done;
	for (int32_t i = 0; i < frames->count && exitCode == exit_done; ++i)
	{
		exitCode = ccdLoad(line, step == 0 ? line->positional[i] : input->next->items[i], &frames->meshes[which][i]);
	}
	return exitCode;
}

static int ccdCompareHits(const void* left, const void* right)
{
	const brCcdHit *p = left, *q = right;
	return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// With ids as in the public ground truth: vertices, then edges, then faces.
static bool ccdWriteHits(FILE* file, int32_t step, brCcdHit* hits, int64_t count, int64_t addA, int64_t addB)
{
	qsort(hits, (size_t)count, sizeof(brCcdHit), ccdCompareHits);
	for (int64_t i = 0; i < count; ++i)
	{
		fprintf(file, "%d,%lld,%lld,%.17g\n", step, (long long)(hits[i].a + addA), (long long)(hits[i].b + addB),
				hits[i].time);
	}
	return ferror(file) == 0;
}

static int ccdTestStep(CommandLine* line, const CcdInput* input, const brCcdDef* def, const CcdFrames* frames,
					   int which, int32_t step, CcdTotals* totals)
{
	brCcd* ccd = NULL;
	brReport report = {0};
	if (brCollideMovingMeshes(&line->context, (const brMesh* const*)frames->meshes[which],
							  (const brMesh* const*)frames->meshes[1 - which], frames->count, def, &ccd, &report) < 0)
	{
		return failData(line, &report);
	}
	totals->primitives = (int64_t)ccd->vertexCount + ccd->edgeCount + ccd->triangleCount;
	totals->steps[step] = (CcdStep){ccd->vertexFaceCandidates, ccd->edgeEdgeCandidates,
									ccd->vertexFaceCount,      ccd->edgeEdgeCount,
									ccd->coarseCount,          ccd->firstTime <= 1.0 ? ccd->firstTime : INFINITY};
	totals->stages.boxes += ccd->stages.boxes, totals->stages.sort += ccd->stages.sort;
	totals->stages.build += ccd->stages.build, totals->stages.search += ccd->stages.search;
	totals->stages.narrow += ccd->stages.narrow;
	int64_t firstEdge = ccd->vertexCount, firstFace = firstEdge + ccd->edgeCount;
	bool isWritten = totals->pairs == NULL ||
					 (ccdWriteHits(totals->pairs, step, ccd->vertexFaces, ccd->vertexFaceCount, 0, firstFace) &&
					  ccdWriteHits(totals->pairs, step, ccd->edgeEdges, ccd->edgeEdgeCount, firstEdge, firstEdge));
	brDestroyCcd(ccd);
	return isWritten ? exit_done : failDataText(line, "%s cannot be written (%s)", input->pairsPath, strerror(errno));
}

static int ccdRunSteps(CommandLine* line, const CcdInput* input, const brCcdDef* def, CcdTotals* totals)
{
	CcdFrames frames = {0};
	int exitCode = ccdReadFrame(line, input, 0, &frames, 0);
	for (int32_t step = 0; step < totals->stepCount && exitCode == exit_done; ++step)
	{
		// Frame `step` is in place step % 2, the next one takes the other's.
		int which = step % 2;
		int32_t count = frames.count;
		ccdDropFrame(&frames, 1 - which);
		exitCode = ccdReadFrame(line, input, step + 1, &frames, 1 - which);
		if (exitCode == exit_done && frames.count != count)
		{
			exitCode = failDataText(line, "frame %d has %d objects, the one before %d", step + 1, frames.count, count);
		}
		if (exitCode == exit_done)
		{
			nextWork(line, "searching");
			exitCode = ccdTestStep(line, input, def, &frames, which, step, totals);
		}
	}
	frames.count = 64;
	ccdDropFrame(&frames, 0);
	ccdDropFrame(&frames, 1);
	return exitCode;
}

static void ccdPrintStepJson(Json* json, const CcdStep* step)
{
	jsonInt(json, "candidates", step->vertexFaceCandidates + step->edgeEdgeCandidates);
	jsonInt(json, "pairs", step->vertexFaces + step->edgeEdges);
	jsonInt(json, "vertex_face", step->vertexFaceCandidates);
	jsonInt(json, "edge_edge", step->edgeEdgeCandidates);
	jsonInt(json, "vertex_face_pairs", step->vertexFaces);
	jsonInt(json, "edge_edge_pairs", step->edgeEdges);
	jsonInt(json, "coarse", step->coarse);
	jsonNumber(json, "first_time", step->firstTime); // null if nothing meets
}

static void ccdPrintJson(const CommandLine* line, const CcdArgs* args, const CcdInput* input, const CcdTotals* totals,
						 const CcdStep* sum)
{
	Json json = beginJson();
	jsonInt(&json, "primitives", totals->primitives);
	ccdPrintStepJson(&json, sum);
	jsonNumber(&json, "separation", args->separation);
	jsonNumber(&json, "tolerance", args->tolerance);
	jsonText(&json, "method", input->methodName);
	jsonText(&json, "device", "cpu");
	jsonOpen(&json, "steps", '[');
	for (int32_t i = 0; i < totals->stepCount; ++i)
	{
		jsonOpen(&json, NULL, '{');
		ccdPrintStepJson(&json, &totals->steps[i]);
		jsonClose(&json, '}');
	}
	jsonClose(&json, ']');
	jsonOpen(&json, "stages", '{');
	jsonNumber(&json, "boxes", totals->stages.boxes);
	jsonNumber(&json, "sort", totals->stages.sort);
	jsonNumber(&json, "build", totals->stages.build);
	jsonNumber(&json, "search", totals->stages.search);
	jsonNumber(&json, "narrow", totals->stages.narrow);
	jsonClose(&json, '}');
	endJson(&json, line);
}

static void ccdPrint(const CommandLine* line, const CcdArgs* args, const CcdInput* input, const CcdTotals* totals)
{
	// In the sum a time counts steps: 3.25 is a quarter into the fourth.
	CcdStep sum = {.firstTime = INFINITY};
	for (int32_t i = 0; i < totals->stepCount; ++i)
	{
		const CcdStep* step = &totals->steps[i];
		sum.vertexFaceCandidates += step->vertexFaceCandidates, sum.edgeEdgeCandidates += step->edgeEdgeCandidates;
		sum.vertexFaces += step->vertexFaces, sum.edgeEdges += step->edgeEdges, sum.coarse += step->coarse;
		sum.firstTime = sum.firstTime == INFINITY ? i + step->firstTime : sum.firstTime;
	}
	if (line->json)
	{
		ccdPrintJson(line, args, input, totals, &sum);
		return;
	}
	const brPairStages* stages = &totals->stages;
	printf("primitives   %lld\n", (long long)totals->primitives);
	printf("vertex-face  %lld of %lld candidates meet\n", (long long)sum.vertexFaces,
		   (long long)sum.vertexFaceCandidates);
	printf("edge-edge    %lld of %lld candidates meet\n", (long long)sum.edgeEdges, (long long)sum.edgeEdgeCandidates);
	if (sum.firstTime < INFINITY)
	{
		printf("first        after %.9g steps of %d\n", sum.firstTime, totals->stepCount);
	}
	else
	{
		printf("first        never in %d steps\n", totals->stepCount);
	}
	printf("method       %s\n", input->methodName);
	printf("ms           boxes %.2f, sort %.2f, build %.2f, search %.2f, narrow %.2f\n", 1e3 * stages->boxes,
		   1e3 * stages->sort, 1e3 * stages->build, 1e3 * stages->search, 1e3 * stages->narrow);
}

// A full disk or bad data leaves no half list.
static int ccdRunToFile(CommandLine* line, const CcdInput* input, const brCcdDef* def, CcdTotals* totals)
{
	if (input->pairsPath == NULL)
	{
		return ccdRunSteps(line, input, def, totals);
	}
	Aside aside;
	if (!openAside(&aside, input->pairsPath))
	{
		return failDataText(line, "%s cannot be written (%s)", input->pairsPath, strerror(errno));
	}
	totals->pairs = aside.file;
	fputs("step,a,b,time\n", totals->pairs);
	int exitCode = ccdRunSteps(line, input, def, totals);
	if (!finishAside(&aside, exitCode == exit_done) && exitCode == exit_done)
	{
		exitCode = failDataText(line, "%s cannot be written (%s)", input->pairsPath, strerror(errno));
	}
	return exitCode;
}

int collideCcd(CommandLine* line, const CcdArgs* args, const CcdInput* input)
{
	if (input->scene == NULL && input->next->count == 0 && line->positionalCount < 2)
	{
		return failUsage(line, "--ccd needs two frames: FILE FILE..., FILE --next FILE, or --scene");
	}
	brCcdDef def = brDefaultCcdDef();
	def.separation = args->separation, def.tolerance = args->tolerance;
	def.method = input->method;
	def.enableSelf = input->self || input->next->count <= 1;
	if (!(args->separation >= 0.0 && args->separation <= 1e300) ||
		!(args->tolerance >= 1e-12 && args->tolerance <= 1.0))
	{
		return failUsage(line, "--separation is 0 or more, --tolerance from 1e-12 to 1");
	}
	if (input->method != br_pairsOi && input->method != br_pairsBrute)
	{
		return failUsage(line, "--ccd goes with --method oi or brute");
	}
	if (strncmp(line->device, "gpu", 3) == 0)
	{
		return failUsage(line, "--ccd runs on the CPU; leave --device out");
	}
	bool areFrames = input->scene == NULL && input->next->count == 0;
	CcdTotals totals = {.stepCount = areFrames ? line->positionalCount - 1 : 1};
	totals.steps = calloc((size_t)totals.stepCount, sizeof(CcdStep));
	if (totals.steps == NULL || !beginWork(line, "loading"))
	{
		free(totals.steps);
		return exit_no;
	}
	int exitCode = ccdRunToFile(line, input, &def, &totals);
	endWork(line);
	if (exitCode == exit_done)
	{
		ccdPrint(line, args, input, &totals);
	}
	free(totals.steps);
	return exitCode;
}
