// SPDX-License-Identifier: MIT
#include "collide_ccd.h"
#include "collide_frames.h"
#include "collide_pairs.h"
#include "command.h"
#include "loading.h"
#include "tet_stage.h"

#include "brittle/crowding.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Shortest part of a step that --ccd looks at, unless --tolerance says otherwise.
#define CCD_TOLERANCE 1e-8

typedef struct CollideArgs
{
	bool self;
	bool keepNeighbors;
	const char* prims;
	const char* method;
	const char* pairsPath;
	const char* candidatesPath;
	TextList next;
	const char* scene;
	double frame;
	Moment moment;
	int32_t resolution;
	const char* test;
	const char* hash;
	SearchWay way;
	int32_t groupSize; // of either method
	brPairEngine* own; // by --entry, --layers and the like, or null
	bool isFront;      // --method front
	bool crowd;
	CcdArgs ccd;
	FramesArgs frames;

	// Found by the checks
	brCollideDef def;
	bool areBoxes;  // box files, not meshes
	bool areTets;   // tet meshes
	bool areFrames; // many, one after another
	brGpu* gpu;     // null: on the CPU
} CollideArgs;

// What is reported in the end, whichever way it was found.
typedef struct CollideAnswer
{
	int64_t primitives;
	int64_t candidates;
	int64_t pairs;                  // -1: not looked for
	int64_t vertexFaces, edgeEdges; // -1: not swept
	brPairStages stages;
	brKFreeness crowd; // k 0: not looked for
} CollideAnswer;

static bool isBoxFile(const char* path)
{
	const char* dot = strrchr(path, '.');
	return dot != NULL && strcmp(dot, ".bin") == 0;
}

// Box files: six little-endian floats a box, lower corner and upper corner.

static int readBoxes(CommandLine* line, const char* path, brBox3** boxes, int32_t* count)
{
	FILE* file = brOs_OpenStream(path, "rb");
	if (file == NULL)
	{
		return failDataText(line, "%s cannot be opened (%s)", path, strerror(errno));
	}
	int exitCode = exit_done;
	long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	rewind(file);
	if (bytes < 0 || bytes % 24 != 0)
	{
		exitCode =
			failDataText(line, "%s: %ld bytes are not a whole number of boxes of six 32-bit floats", path, bytes);
	}
	else if (bytes / 24 > INT32_MAX / 16 - *count)
	{
		exitCode = failDataText(line, "%s: more than %d boxes in all", path, INT32_MAX / 16);
	}
	else if (bytes > 0)
	{
		brBox3* more = realloc(*boxes, (size_t)*count * sizeof(brBox3) + (size_t)bytes);
		if (more == NULL)
		{
			exitCode = failDataText(line, "%s: there is no memory for %ld boxes", path, bytes / 24);
		}
		else
		{
			*boxes = more;
			if (fread(more + *count, 1, (size_t)bytes, file) != (size_t)bytes)
			{
				exitCode = failDataText(line, "%s cannot be read", path);
			}
			*count += (int32_t)(bytes / 24);
		}
	}
	fclose(file);
	return exitCode;
}

static int collideBoxFiles(CommandLine* line, const CollideArgs* args, CollideAnswer* answer)
{
	brBox3* boxes = NULL;
	int32_t count = 0;
	int32_t starts[65] = {0};
	int exitCode = exit_done;
	for (int32_t i = 0; i < line->positionalCount && exitCode == exit_done; ++i)
	{
		exitCode = readBoxes(line, line->positional[i], &boxes, &count);
		starts[i + 1] = count;
	}
	brCollision* collision = NULL;
	brReport report = {0};
	if (exitCode == exit_done)
	{
		nextWork(line, "searching");
		brResult result = args->gpu != NULL ? brGpu_CollideBoxes(args->gpu, &line->context, boxes, count, starts,
																 line->positionalCount, &args->def, &collision, &report)
											: brCollideBoxes(&line->context, boxes, count, starts,
															 line->positionalCount, &args->def, &collision, &report);
		if (result < 0)
		{
			exitCode = failData(line, &report);
		}
	}
	if (exitCode == exit_done)
	{
		answer->primitives = count;
		answer->candidates = collision->candidateCount;
		answer->stages = collision->stages;
		exitCode = writeSortedPairs(line, args->pairsPath, collision->candidates, collision->candidateCount);
		if (exitCode == exit_done)
		{
			exitCode = writeSortedPairs(line, args->candidatesPath, collision->candidates, collision->candidateCount);
		}
	}
	brDestroyCollision(collision);
	free(boxes);
	return exitCode;
}

// Mesh files

static void destroyMeshes(brMesh** meshes, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
}

// Loads files; on failure says why and frees all.
static int loadMeshes(CommandLine* line, const char* const* paths, const Moment* moment, int32_t count, brMesh** meshes)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brReport report = {0};
		meshes[i] = NULL;
		brResult result = loadSurface(line, paths[i], moment, &meshes[i], &report);
		if (result < 0)
		{
			destroyMeshes(meshes, i);
			return failData(line, &report);
		}
		sayRemark(line, result, &report);
	}
	return exit_done;
}

static int collideMeshFiles(CommandLine* line, const CollideArgs* args, brMesh** meshes, int32_t meshCount,
							CollideAnswer* answer)
{
	brCollision* collision = NULL;
	brReport report = {0};
	const brMesh* const* list = (const brMesh* const*)meshes;
	brResult result =
		args->gpu != NULL
			? brGpu_CollideMeshes(args->gpu, &line->context, list, meshCount, &args->def, &collision, &report)
			: brCollideMeshes(&line->context, list, meshCount, &args->def, &collision, &report);
	if (result < 0)
	{
		return failData(line, &report);
	}
	answer->primitives = collision->primitiveCount;
	answer->candidates = collision->candidateCount;
	answer->pairs = collision->pairCount;
	answer->stages = collision->stages;
	bool hasTrue = collision->pairCount >= 0;
	int exitCode = writeSortedPairs(line, args->pairsPath, hasTrue ? collision->pairs : collision->candidates,
									hasTrue ? collision->pairCount : collision->candidateCount);
	if (exitCode == exit_done)
	{
		exitCode = writeSortedPairs(line, args->candidatesPath, collision->candidates, collision->candidateCount);
	}
	brDestroyCollision(collision);
	return exitCode;
}

// Tet files

static int reportTets(CommandLine* line, const CollideArgs* args, const brTetMesh* const* meshes, CollideAnswer* answer)
{
	brCollision* collision = NULL;
	brReport report = {0};
	int32_t count = line->positionalCount;
	brResult result = args->gpu != NULL
						  ? brGpu_CollideTets(args->gpu, &line->context, meshes, count, &args->def, &collision, &report)
						  : brCollideTets(&line->context, meshes, count, &args->def, &collision, &report);
	if (result < 0 || (args->crowd && brMeasureKFreeness(&line->context, meshes, count, &answer->crowd, &report) < 0))
	{
		brDestroyCollision(collision);
		return failData(line, &report);
	}
	answer->primitives = collision->primitiveCount;
	answer->candidates = collision->candidateCount;
	answer->pairs = collision->pairCount;
	answer->stages = collision->stages;
	int exitCode = exit_done;
	if (args->pairsPath != NULL)
	{
		exitCode = collision->penetrations != NULL
					   ? writeMeasuredPairs(line, args->pairsPath, collision)
					   : writeSortedPairs(line, args->pairsPath, collision->pairs, collision->pairCount);
	}
	if (exitCode == exit_done)
	{
		exitCode = writeSortedPairs(line, args->candidatesPath, collision->candidates, collision->candidateCount);
	}
	brDestroyCollision(collision);
	return exitCode;
}

static int collideTetFiles(CommandLine* line, const CollideArgs* args, CollideAnswer* answer)
{
	brTetMesh* meshes[64] = {NULL};
	int exitCode = exit_done;
	for (int32_t i = 0; i < line->positionalCount && exitCode == exit_done; ++i)
	{
		brReport report = {0};
		brResult result = brLoadTetMesh(&line->context, line->positional[i], &meshes[i], &report);
		exitCode = result < 0 ? failData(line, &report) : exit_done;
		if (result >= 0)
		{
			sayRemark(line, result, &report);
		}
	}
	if (exitCode == exit_done)
	{
		nextWork(line, "searching");
		exitCode = reportTets(line, args, (const brTetMesh* const*)meshes, answer);
	}
	for (int32_t i = 0; i < line->positionalCount; ++i)
	{
		brDestroyTetMesh(meshes[i]);
	}
	return exitCode;
}

static int collideScene(CommandLine* line, const CollideArgs* args, CollideAnswer* answer)
{
	brMovingSceneDef motionDef = brDefaultMovingSceneDef(args->scene);
	motionDef.frame = args->frame;
	motionDef.resolution = args->resolution;
	motionDef.seed = line->seed;
	brMovingScene* motion = NULL;
	brReport report = {0};
	if (brMakeMovingScene(&line->context, &motionDef, &motion, &report) < 0)
	{
		return failData(line, &report);
	}
	int exitCode = collideMeshFiles(line, args, motion->meshes, motion->meshCount, answer);
	brDestroyMovingScene(motion);
	return exitCode;
}

static int sweepMeshFiles(CommandLine* line, const CollideArgs* args, brMesh** meshes, CollideAnswer* answer)
{
	brMesh* next[64];
	int exitCode = loadMeshes(line, args->next.items, &args->moment, args->next.count, next);
	if (exitCode != exit_done)
	{
		return exitCode;
	}
	brReport report = {0};
	brMesh* frames[2] = {NULL, NULL};
	brSweptPairs* sweep = NULL;
	int32_t count = args->next.count;
	brResult result = brMergeMeshes(&line->context, (const brMesh* const*)meshes, count, &frames[0], &report);
	result =
		result < 0 ? result : brMergeMeshes(&line->context, (const brMesh* const*)next, count, &frames[1], &report);
	if (result >= 0)
	{
		result =
			args->gpu != NULL
				? brGpu_FindSweptPairs(args->gpu, &line->context, frames[0], frames[1], &args->def, &sweep, &report)
				: brFindSweptPairs(&line->context, frames[0], frames[1], &args->def, &sweep, &report);
	}
	if (result < 0)
	{
		exitCode = failData(line, &report);
	}
	else
	{
		answer->primitives = (int64_t)sweep->vertexCount + sweep->edgeCount + sweep->triangleCount;
		answer->vertexFaces = sweep->vertexFaceCount;
		answer->edgeEdges = sweep->edgeEdgeCount;
		answer->candidates = sweep->vertexFaceCount + sweep->edgeEdgeCount;
		answer->stages = sweep->stages;
		exitCode = writeSweep(line, args->pairsPath, sweep);
		exitCode = exitCode == exit_done ? writeSweep(line, args->candidatesPath, sweep) : exitCode;
	}
	brDestroySweptPairs(sweep);
	brDestroyMesh(frames[0]);
	brDestroyMesh(frames[1]);
	destroyMeshes(next, count);
	return exitCode;
}

// The answer

static void writeAnswerJson(const CommandLine* line, const CollideArgs* args, const CollideAnswer* answer)
{
	const brPairStages* stages = &answer->stages;
	Json json = beginJson();
	jsonInt(&json, "primitives", answer->primitives);
	jsonInt(&json, "candidates", answer->candidates);
	answer->pairs >= 0 ? jsonInt(&json, "pairs", answer->pairs) : jsonNumber(&json, "pairs", NAN);
	if (answer->vertexFaces >= 0)
	{
		jsonInt(&json, "vertex_face", answer->vertexFaces);
		jsonInt(&json, "edge_edge", answer->edgeEdges);
	}
	jsonText(&json, "method", args->method);
	if (args->areTets)
	{
		jsonText(&json, "test", args->test);
	}
	if (answer->crowd.k > 0)
	{
		jsonInt(&json, "k", answer->crowd.k);
		jsonNumber(&json, "k_mean", answer->crowd.mean);
		jsonInt(&json, "most_crowded", answer->crowd.mostCrowded);
	}
	brGpuInfo gpu = args->gpu != NULL ? brGpu_GetInfo(args->gpu) : (brGpuInfo){.name = "cpu"};
	jsonText(&json, "device", gpu.name);
	jsonOpen(&json, "stages", '{');
	jsonNumber(&json, "boxes", stages->boxes);
	jsonNumber(&json, "sort", stages->sort);
	jsonNumber(&json, "build", stages->build);
	jsonNumber(&json, "search", stages->search);
	jsonNumber(&json, "narrow", stages->narrow);
	jsonClose(&json, '}');
	endJson(&json, line);
}

static void printAnswer(const CollideArgs* args, const CollideAnswer* answer)
{
	const brPairStages* stages = &answer->stages;
	printf("primitives   %lld\n", (long long)answer->primitives);
	printf("candidates   %lld\n", (long long)answer->candidates);
	if (answer->pairs >= 0)
	{
		printf("pairs        %lld\n", (long long)answer->pairs);
	}
	if (answer->vertexFaces >= 0)
	{
		printf("vertex-face  %lld\nedge-edge    %lld\n", (long long)answer->vertexFaces, (long long)answer->edgeEdges);
	}
	printf("method       %s\n", args->method);
	if (answer->crowd.k > 0)
	{
		printf("k-free       %d (tet %d), %.1f on average\n", answer->crowd.k, answer->crowd.mostCrowded,
			   answer->crowd.mean);
	}
	printf("ms           boxes %.2f, sort %.2f, build %.2f, search %.2f, narrow %.2f\n", 1e3 * stages->boxes,
		   1e3 * stages->sort, 1e3 * stages->build, 1e3 * stages->search, 1e3 * stages->narrow);
}

static bool readCollideWords(CommandLine* line, CollideArgs* args)
{
	const Option options[] = {
		{"self", 0, option_flag, &args->self, NULL, "pairs within one file too (always with one file or a scene)"},
		{"next", 0, option_inputs, &args->next, "FILE",
		 "the next frame of each file, in order: paths of motion collide"},
		{"prims", 0, option_text, &args->prims, "KIND",
		 "boxes, triangles or tets; boxes or triangles by the file if not given"},
		{"method", 0, option_text, &args->method, "NAME",
		 "oi (wide implicit trees, the default), bsp (binary ones, level by level), lbvh (radix trees), front (these "
		 "with a memory of the last frame), kdet (hashed grid) or brute"},
		{"test", 0, option_text, &args->test, "NAME",
		 "for tets: sat (exact, the default), sat-no-edges, sat-mtv, gjk (both with depths) or exact"},
		{"hash", 0, option_text, &args->hash, "NAME", "for kdet: morton (the default), djb2, fnv-1a or simple"},
		{"layers", 0, option_int, &args->way.kdet.layers, "N",
		 "for kdet: sizes of cells at most, 1 to 29; 1 is a uniform grid (0: as sizes ask)"},
		{"k", 0, option_int, &args->way.kdet.pairsEach, "K",
		 "for kdet: pairs an element that the list has room for at first, 1 to 1024 (0: a guess)"},
		{"entry", 0, option_int, &args->way.bsp.entry, "L",
		 "for bsp: level of the first front, 0 to 12; -1: by size (-1)"},
		{"depth-step", 0, option_int, &args->way.bsp.depthStep, "N",
		 "for bsp: levels gone down at a time, 1 to 4; 0: the most by which the pairs of --writers fit --queue (2)"},
		{"writers", 0, option_int, &args->way.bsp.writers, "N",
		 "for --depth-step 0: threads whose pairs surely fit (0: the fourth root of the queue)"},
		{"group-size", 0, option_int, &args->groupSize, "N",
		 "for bsp and kdet on a device: threads of a group (0: its own); kdet takes 16, 32, 64, 128 or 256"},
		{"queue", 0, option_int, &args->way.bsp.queue, "N", "for bsp on a device: pairs in local memory (0: its own)"},
		{"k-free", 0, option_flag, &args->crowd, NULL, "for tets: how crowded they are, the k of k-free"},
		{"pairs", 0, option_output, &args->pairsPath, "FILE.csv", "write the pairs, two columns, sorted"},
		{"candidates", 0, option_output, &args->candidatesPath, "FILE.csv", "write the pairs of overlapping boxes"},
		{"keep-neighbors", 0, option_flag, &args->keepNeighbors, NULL, "keep true pairs that share a vertex"},
		{"scene", 0, option_text, &args->scene, "NAME",
		 "a made-up scene instead of files: bodies, cloth_ball or funnel"},
		MOMENT_OPTIONS(&args->moment),
		{"frame", 0, option_double, &args->frame, "K", "frame of the scene (default 0)"},
		{"res", 0, option_int, &args->resolution, "N", "resolution of the scene"},
		{"sequence", 0, option_flag, &args->frames.isSequence, NULL,
		 "files are frames of one object, in order: overlapping boxes of each, by --method front or oi"},
		{"frames", 0, option_int, &args->frames.count, "N", "the same for so many frames of a scene"},
		{"step", 0, option_double, &args->frames.step, "S", "from frame to frame of the scene (default 1)"},
		{"strategy", 0, option_text, &args->frames.strategy, "NAME",
		 "for front: auto (the default), groups, unordered, static, periodic, restructure or reference"},
		{"cycle", 0, option_int, &args->frames.cycle, "N",
		 "for front: frames from update to update, 0: as motion asks for"},
		{"ccd", 0, option_flag, &args->ccd.isWanted, NULL,
		 "what meets between frames, and when: files are frames in order, or objects with --next"},
		{"separation", 0, option_double, &args->ccd.separation, "D",
		 "for --ccd: as near as this counts as meeting [m]"},
		{"tolerance", 0, option_double, &args->ccd.tolerance, "T",
		 "for --ccd: shortest time looked at, as a part of a step (default 1e-8)"},
	};
	return readOptions(line, options, sizeof(options) / sizeof(options[0]), 0, 64);
}

static int32_t findName(const char* const* names, int32_t count, const char* name)
{
	for (int32_t i = 0; i < count; ++i)
	{
		if (strcmp(names[i], name) == 0)
		{
			return i;
		}
	}
	return -1;
}

// Names of methods, tests and hashes to the library's.
static int checkCollideNames(const CommandLine* line, CollideArgs* args)
{
	int32_t method = findName(searchMethods, SEARCH_METHODS, args->method);
	int32_t test = findName(searchTests, SEARCH_TESTS, args->test);
	int32_t hash = findName(searchHashes, SEARCH_HASHES, args->hash);
	if (method < 0)
	{
		return failUsage(line, "there is no method '%s'; there are oi, bsp, lbvh, front, kdet and brute", args->method);
	}
	if (test < 0)
	{
		return failUsage(line, "--test is sat, sat-no-edges, sat-mtv, gjk or exact, not '%s'", args->test);
	}
	if (hash < 0)
	{
		return failUsage(line, "--hash is morton, djb2, fnv-1a or simple, not '%s'", args->hash);
	}
	args->isFront = method == SEARCH_FRONT;
	SearchWay* way = &args->way;
	const brKdetDef kdet = brDefaultKdetDef();
	const brBspDef bsp = brDefaultBspDef();
	way->method = method, way->test = test, way->kdet.hash = hash;
	if (method != SEARCH_BSP && memcmp(&way->bsp, &bsp, sizeof(bsp)) != 0)
	{
		return failUsage(line, "--entry, --depth-step, --writers and --queue go with --method bsp");
	}
	if (method != br_pairsKdet && memcmp(&way->kdet, &kdet, sizeof(kdet)) != 0)
	{
		return failUsage(line, "--hash, --layers and --k go with --method kdet");
	}
	if (args->groupSize != 0 && method != SEARCH_BSP && method != br_pairsKdet)
	{
		return failUsage(line, "--group-size goes with --method bsp or kdet");
	}
	way->bsp.groupSize = way->kdet.groupSize = args->groupSize;
	brReport report = {0};
	if (setSearch(&args->def, way, &args->own, &report) < 0)
	{
		return failUsage(line, "%s", report.text);
	}
	return exit_done;
}

// What the files hold: boxes, triangles or tets.
static int checkCollideFiles(const CommandLine* line, CollideArgs* args)
{
	if ((line->positionalCount > 0) == (args->scene != NULL))
	{
		return failUsage(line, "give files or --scene NAME");
	}
	bool wantsBoxes = args->prims != NULL && strcmp(args->prims, "boxes") == 0;
	bool wantsTriangles = args->prims != NULL && strcmp(args->prims, "triangles") == 0;
	args->areTets = args->prims != NULL && strcmp(args->prims, "tets") == 0;
	args->areBoxes = args->scene == NULL && isBoxFile(line->positional[0]);
	if (args->scene == NULL && (args->frame != 0.0 || args->resolution != 0))
	{
		return failUsage(line, "--frame and --res go with --scene");
	}
	if (args->prims != NULL && !wantsBoxes && !wantsTriangles && !args->areTets)
	{
		return failUsage(line, "--prims is boxes, triangles or tets, not '%s'", args->prims);
	}
	if (args->areBoxes && (wantsTriangles || args->areTets))
	{
		return failUsage(line, "%s holds boxes, not %s", line->positional[0], args->prims);
	}
	if (args->areTets && (args->scene != NULL || args->next.count > 0))
	{
		return failUsage(line, "--prims tets goes with files alone");
	}
	for (int32_t i = 1; i < line->positionalCount; ++i)
	{
		if (isBoxFile(line->positional[i]) != args->areBoxes)
		{
			return failUsage(line, "box files and meshes cannot be mixed");
		}
	}
	if (!args->areTets && (args->crowd || args->way.test != 0))
	{
		return failUsage(line, "--k-free and --test go with --prims tets");
	}
	if (args->next.count > 0 && args->areBoxes)
	{
		return failUsage(line, "--next needs meshes");
	}
	if (args->next.count > 0 && args->next.count != line->positionalCount)
	{
		return failUsage(line, "--next must be given once for each file");
	}
	args->def.enableSelf = args->self || line->positionalCount == 1 || args->scene != NULL;
	args->def.keepNeighbors = args->keepNeighbors;
	args->def.findTrue = !args->areBoxes && !wantsBoxes;
	args->def.keepCandidates = args->candidatesPath != NULL || (args->pairsPath != NULL && !args->def.findTrue);
	return exit_done;
}

static bool wantsDevice(const CommandLine* line)
{
	return strncmp(line->device, "gpu", 3) == 0;
}

static int checkCollideCcd(const CommandLine* line, const CollideArgs* args)
{
	if (args->ccd.isWanted && (args->areBoxes || args->areTets || args->candidatesPath != NULL || args->keepNeighbors))
	{
		return failUsage(line, "--ccd goes with meshes, without --prims tets, --candidates and --keep-neighbors");
	}
	if (!args->ccd.isWanted && (args->ccd.separation != 0.0 || args->ccd.tolerance != CCD_TOLERANCE))
	{
		return failUsage(line, "--separation and --tolerance go with --ccd");
	}
	return exit_done;
}

static int checkCollideFrames(const CommandLine* line, CollideArgs* args)
{
	const FramesArgs* frames = &args->frames;
	if (!isFrontStrategy(frames->strategy))
	{
		return failUsage(line,
						 "there is no strategy '%s'; there are auto, groups, unordered, static, periodic, restructure "
						 "and reference",
						 frames->strategy);
	}
	args->areFrames = frames->isSequence || frames->count != 0;
	if (!args->areFrames)
	{
		bool isPlain = strcmp(frames->strategy, "auto") == 0 && frames->cycle == 0 && frames->step == 1.0;
		return isPlain ? exit_done : failUsage(line, "--strategy, --cycle and --step go with --sequence or --frames");
	}
	bool isFront = args->isFront;
	if (frames->isSequence ? args->scene != NULL || args->areBoxes || args->areTets : args->scene == NULL)
	{
		return failUsage(line, "--sequence goes with mesh files, --frames with a scene");
	}
	if ((!isFront && (args->def.method != br_pairsOi || args->def.engine != NULL)) || frames->count < 0 ||
		frames->count > 100000 || frames->cycle < 0 || args->next.count > 0)
	{
		return failUsage(line, "frames are tracked by --method front or oi, up to 100000 of them");
	}
	if (wantsDevice(line) && isFront && strcmp(frames->strategy, "auto") != 0 &&
		strcmp(frames->strategy, "groups") != 0)
	{
		return failUsage(line, "a device has one front: --strategy auto");
	}
	return exit_done;
}

static int checkCollideDevice(const CommandLine* line, const CollideArgs* args)
{
	if (wantsDevice(line) && args->def.tetTest == br_tetExact)
	{
		return failUsage(line, "a device does not take --test exact; use --device cpu");
	}
	return exit_done;
}

static int trackFrames(CommandLine* line, const CollideArgs* args)
{
	FramesInput input = {.scene = args->scene,
						 .frame = args->frame,
						 .resolution = args->resolution,
						 .isFront = args->isFront,
						 .pairsPath = args->pairsPath != NULL ? args->pairsPath : args->candidatesPath};
	if (!openDevice(line, &input.gpu))
	{
		return exit_no;
	}
	int exitCode = collideFrames(line, &args->frames, &input);
	brCloseGpu(input.gpu);
	return exitCode;
}

static int collideFiles(CommandLine* line, const CollideArgs* args, CollideAnswer* answer)
{
	if (args->areBoxes)
	{
		return collideBoxFiles(line, args, answer);
	}
	if (args->areTets)
	{
		return collideTetFiles(line, args, answer);
	}
	brMesh* meshes[64];
	int exitCode = loadMeshes(line, line->positional, &args->moment, line->positionalCount, meshes);
	if (exitCode == exit_done)
	{
		nextWork(line, "searching");
		exitCode = args->next.count > 0 ? sweepMeshFiles(line, args, meshes, answer)
										: collideMeshFiles(line, args, meshes, line->positionalCount, answer);
		destroyMeshes(meshes, line->positionalCount);
	}
	return exitCode;
}

static int findPairs(CommandLine* line, CollideArgs* args)
{
	CollideAnswer answer = {.pairs = -1, .vertexFaces = -1, .edgeEdges = -1};
	int exitCode = exit_no;
	if (openDevice(line, &args->gpu))
	{
		exitCode = args->scene != NULL ? collideScene(line, args, &answer) : collideFiles(line, args, &answer);
	}
	endWork(line);
	if (exitCode == exit_done)
	{
		line->json ? writeAnswerJson(line, args, &answer) : printAnswer(args, &answer);
	}
	brCloseGpu(args->gpu);
	return exitCode;
}

// What the words ask for, after they were read.
static int collideAsked(CommandLine* line, CollideArgs* args)
{
	if (checkCollideNames(line, args) != exit_done || checkCollideFiles(line, args) != exit_done ||
		checkCollideCcd(line, args) != exit_done)
	{
		return exit_usage;
	}
	if (args->ccd.isWanted)
	{
		return collideCcd(line, &args->ccd,
						  &(CcdInput){&args->next, args->scene, args->frame, args->resolution, args->pairsPath,
									  args->self, args->def.engine != NULL ? br_pairsKdet : args->def.method,
									  args->method});
	}
	if (checkCollideDevice(line, args) != exit_done || checkCollideFrames(line, args) != exit_done)
	{
		return exit_usage;
	}
	if (args->areFrames)
	{
		return trackFrames(line, args);
	}
	if (!beginWork(line, "loading"))
	{
		return exit_no;
	}
	return findPairs(line, args);
}

static int runCollide(CommandLine* line)
{
	CollideArgs args = {.method = "oi",
						.test = "sat",
						.moment = NO_MOMENT,
						.hash = "morton",
						.way = {.kdet = brDefaultKdetDef(), .bsp = brDefaultBspDef()},
						.frames = {.step = 1.0, .strategy = "auto"},
						.ccd = {.tolerance = CCD_TOLERANCE},
						.def = brDefaultCollideDef()};
	int exitCode = readCollideWords(line, &args) ? collideAsked(line, &args) : line->exitCode;
	brDestroyEngine(NULL, args.own);
	return exitCode;
}

const Command command_collide = {
	"collide",
	"finds the boxes that overlap and the triangles or tets that intersect",
	"FILE... | --scene NAME [--next FILE]... [--self] [--pairs FILE.csv] [--json]",
	"Finds all pairs of triangles of different meshes that meet, and with --self or a single file those within one\n"
	"mesh. `candidates` counts overlapping boxes (touching counts, each pair once), `pairs` the triangles that truly\n"
	"meet, exactly; neighbors that share a vertex are left out of the pairs unless --keep-neighbors. Primitives\n"
	"are numbered over all files one after another.\n"
	"With --prims tets the files are tetrahedral meshes.\n"
	"A .bin file holds boxes, six 32-bit floats each. With --next the candidates are vertex-face and edge-edge\n"
	"pairs whose paths between the two frames may meet, numbered vertices first, then edges, then faces.\n"
	"With --ccd these are decided: `pairs` are those that meet while vertices move straight from frame to frame, none\n"
	"missed, and `first_time` is a time before which none does, in steps. Without --next the files are frames of one\n"
	"object, in order; a scene goes on by one frame.\n"
	"With --sequence, or --frames of a scene, overlapping boxes of every frame are found with the help of the last "
	"one\n"
	"(--method front); --pairs then writes those of the last frame.",
	"brittle collide cloth.ply ball.obj --self --pairs pairs.csv --json",
	runCollide,
	true,
};
