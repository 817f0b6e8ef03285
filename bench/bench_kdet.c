// SPDX-License-Identifier: MIT

// Pairs of tetrahedra: the hashed grid beside trees and CGAL's boxes, time against size and depth, and the benchmark
// tool of the kDet thesis (appendix A.1) with its flags and its file:
//
//     brittle-bench kdet                                            the table
//     brittle-bench kdet --csv buddha_and_armadillo -r 2 -n 5 -c gpu_no_loop -o sat-mtv -g 64 -s yes -d DIR
//     brittle-bench kdet --plots DIR                                time against size and depth as PNG

#include "bench_kdet.h"
#include "bench.h"
#include "kdet_device.h"
#include "plot_csv.h"

#include "base/clock.h"
#include "brittle/research.h"
#include "narrow/tet_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum
{
	kdetRuns = 7,
	kdetFrames = 60,
	kdetSweepSizes = 5,
	kdetSweepDepths = 31,
};

// Memory, counted

typedef struct Counter
{
	int64_t now, most;
} Counter;

static void* countedAlloc(size_t bytes, void* user)
{
	Counter* counter = user;
	counter->now += (int64_t)bytes;
	counter->most = counter->now > counter->most ? counter->now : counter->most;
	void* memory = NULL;
	return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;
}

static void countedFree(void* memory, size_t bytes, void* user)
{
	((Counter*)user)->now -= (int64_t)bytes;
	free(memory);
}

// One way to search

typedef struct Searcher
{
	brTetSearch search;
	Counter counter;
	brAllocator allocator;
	brContext context;
} Searcher;

typedef struct SearchWay
{
	brPairMethod method;
	int32_t hash; // 0 is Morton's
	bool isBsp;
	brTetTest test;
	bool isSelf;
	int32_t workers;
} SearchWay;

static void beginSearcher(Searcher* searcher, const SearchWay* way)
{
	memset(searcher, 0, sizeof(*searcher));
	searcher->allocator = (brAllocator){.alloc = countedAlloc, .free = countedFree, .user = &searcher->counter};
	if (way->workers > 1)
	{
		brWorkersDef def = brDefaultWorkersDef();
		def.workerCount = way->workers;
		searcher->context.workers = brCreateWorkers(&def);
	}
	brResearchMethod other = way->isBsp ? br_researchBsp : (brResearchMethod)(br_researchKdetDjb2 + way->hash - 1);
	brPairSearchDef def = {.method = way->method,
						   .engine = way->isBsp || way->hash > 0 ? brGetResearchEngine(other) : NULL,
						   .enableSelf = way->isSelf,
						   .enableInter = true};
	brTetSearch_Init(&searcher->search, &searcher->allocator, &def, way->test, false);
}

static void endSearcher(Searcher* searcher)
{
	brTetSearch_Free(&searcher->search);
	brDestroyWorkers(searcher->context.workers);
}

// One worker is timed by the processor time of its thread, so that others on the machine do not count; a team by the
// clock.
static double seconds(bool isTeam)
{
	struct timespec now;
	clock_gettime(isTeam ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double timeSearch(Searcher* searcher, const KdetBodies* bodies)
{
	brReport report = {0};
	bool isTeam = searcher->context.workers != NULL;
	double start = seconds(isTeam);
	if (brTetSearch_Run(&searcher->search, &searcher->context, &bodies->source, bodies->starts, bodies->objectCount,
						&report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return seconds(isTeam) - start;
}

// Candidates alone.
static double timeCandidates(Searcher* searcher, const KdetBodies* bodies)
{
	double start = seconds(false);
	brPairSearch_Run(&searcher->search.search, NULL, &bodies->source, bodies->starts, bodies->objectCount, NULL);
	return seconds(false) - start;
}

// The least of a few runs, with the stages of that run.
typedef struct Measured
{
	double seconds;
	double narrow; // of them in the test of pairs; one worker only
	int64_t candidates, tested, pairs, bytes;
} Measured;

static Measured measure(const SearchWay* way, const KdetBodies* bodies, int32_t runs)
{
	Searcher searcher;
	beginSearcher(&searcher, way);
	timeSearch(&searcher, bodies);
	Measured best = {.seconds = INFINITY};
	double candidates = INFINITY;
	for (int32_t i = 0; i < runs; ++i)
	{
		candidates = fmin(candidates, way->workers == 1 ? timeCandidates(&searcher, bodies) : 0.0);
		best.seconds = fmin(best.seconds, timeSearch(&searcher, bodies));
	}
	best.narrow = best.seconds - candidates;
	best.candidates = searcher.search.search.candidateCount;
	best.tested = searcher.search.tested;
	best.pairs = searcher.search.search.pairs.count;
	best.bytes = searcher.counter.most;
	endSearcher(&searcher);
	return best;
}

// CGAL

static double askCgal(const KdetBodies* bodies, int64_t expected)
{
	char folder[1024], command[2048], path[64];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[length > 0 ? length : 0] = 0;
	char* slash = strrchr(folder, '/');
	*(slash != NULL ? slash : folder) = 0;
	snprintf(command, sizeof(command), "%s/brittle-peer-cgal", folder);
	snprintf(path, sizeof(path), "/tmp/brittle_bench_%ld.bin", (long)getpid());
	FILE* file = access(command, X_OK) == 0 ? fopen(path, "wb") : NULL;
	if (file == NULL)
	{
		return 0.0;
	}
	fwrite(&bodies->source.vertexCount, 4, 1, file);
	fwrite(&bodies->source.count, 4, 1, file);
	fwrite(bodies->nodes, sizeof(brDVec3), (size_t)bodies->source.vertexCount, file);
	fwrite(bodies->tets, 16, (size_t)bodies->source.count, file);
	fclose(file);
	snprintf(command, sizeof(command), "%s/brittle-peer-cgal %s tets", folder, path);
	FILE* pipe = popen(command, "r");
	char word[64];
	long long count = 0;
	double cgalSeconds = 0.0;
	if (pipe == NULL || fscanf(pipe, "%63s %lld %lf", word, &count, &cgalSeconds) != 3)
	{
		cgalSeconds = 0.0;
	}
	else if (llabs(count - expected) > expected / 1000)
	{
		// Its boxes are of rounded corners, ours are rounded outward: a few touch that do not there.
		brBench_Fail("CGAL finds %lld pairs of boxes, we find %lld", count, (long long)expected);
	}
	if (pipe != NULL)
	{
		pclose(pipe);
	}
	remove(path);
	return cgalSeconds;
}

// The table

static void benchScenes(brBench* bench)
{
	char name[96];
	for (int32_t i = 1; i < KDET_SCENE_COUNT; ++i)
	{
		snprintf(name, sizeof(name), "%s-4", kdetScenes[i].name);
		if (!brBench_Wants(bench, name))
		{
			continue;
		}
		KdetBodies bodies = kdetMakeBodies(&kdetScenes[i], 4);
		kdetPose(&bodies, 1.0);
		SearchWay way = {.method = br_pairsKdet, .isSelf = true, .workers = 1};
		Measured one = measure(&way, &bodies, kdetRuns);
		way.method = br_pairsOi;
		Measured trees = measure(&way, &bodies, kdetRuns);
		way.method = br_pairsKdet, way.workers = 2;
		Measured two = measure(&way, &bodies, kdetRuns);
		if (one.pairs != trees.pairs || one.candidates != trees.candidates || two.pairs != one.pairs)
		{
			brBench_Fail("%s: %lld pairs by grid, %lld by trees", name, (long long)one.pairs, (long long)trees.pairs);
		}
		double cgal = askCgal(&bodies, one.candidates);
		snprintf(name, sizeof(name), "%s-4: tets (thousands)", kdetScenes[i].name);
		brBench_Row(bench, name, 1e-3 * bodies.source.count, 0.0, "k");
		snprintf(name, sizeof(name), "%s-4: pairs that meet (thousands)", kdetScenes[i].name);
		brBench_Row(bench, name, 1e-3 * (double)one.pairs, 0.0, "k");
		snprintf(name, sizeof(name), "%s-4: grid + SAT / CGAL boxes + same SAT", kdetScenes[i].name);
		brBench_Row(bench, name, 1e3 * one.seconds, cgal > 0.0 ? 1e3 * (cgal + trees.narrow) : 0.0, "ms");
		snprintf(name, sizeof(name), "%s-4: grid + SAT / trees + SAT", kdetScenes[i].name);
		brBench_Row(bench, name, 1e3 * one.seconds, 1e3 * trees.seconds, "ms");
		snprintf(name, sizeof(name), "%s-4: grid + SAT, two workers / one", kdetScenes[i].name);
		brBench_Row(bench, name, 1e3 * two.seconds, 1e3 * one.seconds, "ms");
		snprintf(name, sizeof(name), "%s-4: memory, two workers", kdetScenes[i].name);
		brBench_Row(bench, name, 1e-6 * (double)two.bytes, 0.0, "MB");
		kdetFreeBodies(&bodies);
	}
}

static void benchParameters(brBench* bench)
{
	static const char* const hashes[4] = {"morton", "djb2", "fnv-1a", "simple"};
	static const char* const tests[5] = {"sat", "sat-no-edges", "sat-mtv", "gjk", "exact"};
	char name[96];
	if (!brBench_Wants(bench, "armadillos-2: hash") && !brBench_Wants(bench, "pass_through-2: test"))
	{
		return;
	}
	KdetBodies bodies = kdetMakeBodies(&kdetScenes[3], 2);
	kdetPose(&bodies, 1.0);
	for (int32_t i = 0; i < 4; ++i)
	{
		SearchWay way = {.method = br_pairsKdet, .hash = i, .isSelf = true, .workers = 1};
		Measured m = measure(&way, &bodies, kdetRuns);
		snprintf(name, sizeof(name), "armadillos-2: hash %s, build + search", hashes[i]);
		brBench_Row(bench, name, 1e3 * (m.seconds - m.narrow), 0.0, "ms");
	}
	kdetFreeBodies(&bodies);
	bodies = kdetMakeBodies(&kdetScenes[0], 2);
	kdetPose(&bodies, 0.5);
	for (int32_t i = 0; i < 5; ++i)
	{
		SearchWay way = {.method = br_pairsKdet, .test = (brTetTest)i, .workers = 1};
		Measured m = measure(&way, &bodies, 1);
		snprintf(name, sizeof(name), "pass_through-2: test %s, narrow", tests[i]);
		brBench_Row(bench, name, 1e3 * m.narrow, 0.0, "ms");
		snprintf(name, sizeof(name), "pass_through-2: test %s, pairs (thousands)", tests[i]);
		brBench_Row(bench, name, 1e-3 * (double)m.pairs, 0.0, "k");
	}
	kdetFreeBodies(&bodies);
}

// Time against size

static const int32_t sweepSizes[kdetSweepSizes] = {20000, 65000, 200000, 650000, 2000000};

static void sweepSize(int32_t workers, double* outCounts, double* outNanoseconds)
{
	for (int32_t i = 0; i < kdetSweepSizes; ++i)
	{
		KdetBodies bodies = kdetMakeBlock(sweepSizes[i]);
		SearchWay way = {.method = br_pairsKdet, .isSelf = true, .workers = workers};
		int32_t runs = sweepSizes[i] < 300000 ? 3 * kdetRuns : kdetRuns;
		Measured m = measure(&way, &bodies, runs);
		outCounts[i] = bodies.source.count;
		outNanoseconds[i] = 1e9 * m.seconds / bodies.source.count;
		kdetFreeBodies(&bodies);
	}
}

// Time against depth

static void sweepDepth(double* outDepths, double* outMilliseconds, double* outThousands)
{
	KdetBodies bodies = kdetMakeBodies(&kdetScenes[0], 2);
	for (int32_t i = 0; i < kdetSweepDepths; ++i)
	{
		kdetPose(&bodies, 0.25 + 0.25 * i / (kdetSweepDepths - 1));
		SearchWay way = {.method = br_pairsKdet, .workers = 1};
		Measured m = measure(&way, &bodies, kdetRuns);
		outDepths[i] = 100.0 * bodies.depth;
		outMilliseconds[i] = 1e3 * m.seconds;
		outThousands[i] = 1e-3 * (double)m.tested;
	}
	kdetFreeBodies(&bodies);
}

BR_BENCH(kdet)
{
	benchScenes(bench);
	benchParameters(bench);
	char name[96];
	double counts[kdetSweepSizes], times[kdetSweepSizes];
	for (int32_t workers = 1; workers <= 2; ++workers)
	{
		snprintf(name, sizeof(name), "block, %d worker%s", workers, workers == 1 ? "" : "s");
		if (brBench_Wants(bench, name))
		{
			sweepSize(workers, counts, times);
		}
		for (int32_t i = 0; i < kdetSweepSizes && brBench_Wants(bench, name); ++i)
		{
			char row[128];
			snprintf(row, sizeof(row), "%s: %.0f tets / %.0f, a tet", name, counts[i], counts[0]);
			brBench_Row(bench, row, times[i], times[0], "ns");
		}
	}
	if (brBench_Wants(bench, "pass_through-2: depth"))
	{
		double depths[kdetSweepDepths], milliseconds[kdetSweepDepths], thousands[kdetSweepDepths];
		sweepDepth(depths, milliseconds, thousands);
		for (int32_t i = 0; i < kdetSweepDepths; i += 5)
		{
			snprintf(name, sizeof(name), "pass_through-2: depth %.0f %%, %.0f k tested", depths[i], thousands[i]);
			brBench_Row(bench, name, milliseconds[i], 0.0, "ms");
		}
	}
}

// The tool

static int writePlot(const char* folder, const char* name, PlotDef def, PlotLine line)
{
	def.lines = &line, def.lineCount = 1, def.fromZero = true;
	char path[2048];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!savePlotCsv(&def, path))
	{
		return 1;
	}
	printf("%s\n", path);
	return 0;
}

static int writePlots(const char* folder)
{
	double counts[kdetSweepSizes], times[kdetSweepSizes];
	sweepSize(1, counts, times);
	PlotDef size = {0};
	size.title = "All pairs of a block of tets, SAT included", size.xLabel = "tets", size.yLabel = "ns a tet";
	size.isLogX = true;
	double depths[kdetSweepDepths], milliseconds[kdetSweepDepths], thousands[kdetSweepDepths];
	sweepDepth(depths, milliseconds, thousands);
	PlotDef depth = {0};
	depth.title = "Pass Through Armadillos - 2, one worker", depth.xLabel = "depth, % of the width";
	PlotDef pairs = depth;
	depth.yLabel = "ms a frame", pairs.yLabel = "pairs tested, thousands";
	return writePlot(folder, "kdet_size.csv", size,
					 (PlotLine){.label = "one worker", .x = counts, .y = times, .count = kdetSweepSizes}) |
		   writePlot(
			   folder, "kdet_depth.csv", depth,
			   (PlotLine){
				   .label = "all pairs, SAT included", .x = depths, .y = milliseconds, .count = kdetSweepDepths}) |
		   writePlot(folder, "kdet_pairs.csv", pairs,
					 (PlotLine){.label = "overlapping boxes", .x = depths, .y = thousands, .count = kdetSweepDepths});
}

typedef struct ToolArgs
{
	const KdetScene* scene;
	int32_t resolution;
	int32_t runs;
	SearchWay way;
	bool isDevice, isBrute, isPairwise, withoutPairs;
	int32_t groupSize; // on a device
	const char *method, *test, *hash;
	const char* folder;
} ToolArgs;

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

static bool readFlag(ToolArgs* args, char flag, const char* value)
{
	// First in the order of the enum, then ours, then those of the thesis.
	static const char* const methods[7] = {"oi", "brute", "kdet", "bsp", "kdet_no_pairs", "gpu", "gpu_no_loop"};
	static const char* const tests[5] = {"sat", "sat-no-edges", "sat-mtv", "gjk", "exact"};
	static const char* const hashes[4] = {"morton", "djb2", "fnv-1a", "simple"};
	int32_t at;
	switch (flag)
	{
		case 'r':
			args->resolution = atoi(value);
			return args->resolution >= 1 && args->resolution <= 4;
		case 'c':
			at = findName(methods, 7, value);
			args->way.isBsp = at == 3;
			args->withoutPairs = at == 4;
			args->isBrute = at >= 5, args->isPairwise = at == 6;
			args->way.method = at < 3 ? (brPairMethod)at : at == 3 ? br_pairsOi : br_pairsKdet, args->method = value;
			return at >= 0;
		case 'g':
			args->groupSize = atoi(value);
			return args->groupSize >= 16 && args->groupSize <= 256 && (args->groupSize & (args->groupSize - 1)) == 0;
		case 'p':
			args->isDevice = strcmp(value, "gpu") == 0;
			return args->isDevice || strcmp(value, "cpu") == 0;
		case 'o':
			at = findName(tests, 5, value);
			args->way.test = (brTetTest)at, args->test = value;
			return at >= 0;
		case 'h':
			at = findName(hashes, 4, value);
			args->way.hash = at, args->hash = value;
			return at >= 0;
		case 's':
			args->way.isSelf = value[0] == 'y';
			return value[0] == 'y' || value[0] == 'n';
		case 'n':
			args->runs = atoi(value);
			return args->runs >= 1 && args->runs <= 20;
		case 'w':
			args->way.workers = atoi(value);
			return args->way.workers >= 1 && args->way.workers <= BR_MAX_WORKERS;
		case 'd':
			args->folder = value;
			return true;
		default:
			return false;
	}
}

// How many tets of each body meet the other.
static void countTets(const KdetBodies* bodies, const brPairBuffer* pairs, uint8_t* marks, int64_t outCounts[2])
{
	memset(marks, 0, (size_t)bodies->source.count);
	outCounts[0] = outCounts[1] = 0;
	for (int64_t i = 0; i < pairs->count; ++i)
	{
		brPair pair = pairs->pairs[i];
		if (pair.a < bodies->starts[1] && pair.b >= bodies->starts[1])
		{
			marks[pair.a] = marks[pair.b] = 1;
		}
	}
	for (int32_t t = 0; t < bodies->source.count; ++t)
	{
		outCounts[t >= bodies->starts[1]] += marks[t];
	}
}

// Marks of tets that meet something, as the old kDet finds them: a pair of which both are known already is not looked
// at. Returns how many pairs were.
static int64_t markTets(const KdetBodies* bodies, const brPairBuffer* candidates, uint8_t* marks)
{
	int64_t tested = 0;
	memset(marks, 0, (size_t)bodies->source.count);
	for (int64_t i = 0; i < candidates->count; ++i)
	{
		brPair pair = candidates->pairs[i];
		if (marks[pair.a] != 0 && marks[pair.b] != 0)
		{
			continue;
		}
		brDVec3 a[4], b[4];
		for (int32_t k = 0; k < 4; ++k)
		{
			a[k] = bodies->nodes[bodies->tets[pair.a][k]];
			b[k] = bodies->nodes[bodies->tets[pair.b][k]];
		}
		tested += 1;
		if (brTetPair_Meets(a, b))
		{
			marks[pair.a] = marks[pair.b] = 1;
		}
	}
	return tested;
}

// A row of the file.
typedef struct ToolFrame
{
	double host, device, build, search, narrow; // [s]
	int64_t boxes, tested, pairs, tets[2];
} ToolFrame;

static ToolFrame playWithoutPairs(const ToolArgs* args, Searcher* searcher, const KdetBodies* bodies, uint8_t* marks)
{
	ToolFrame frame = {.pairs = -1};
	for (int32_t run = 0; run < args->runs; ++run)
	{
		double candidates = timeCandidates(searcher, bodies), start = seconds(false);
		frame.tested = markTets(bodies, &searcher->search.search.pairs, marks);
		frame.search += candidates / args->runs, frame.narrow += (seconds(false) - start) / args->runs;
	}
	frame.host = frame.search + frame.narrow;
	frame.boxes = searcher->search.search.candidateCount;
	for (int32_t t = 0; t < bodies->source.count; ++t)
	{
		frame.tets[t >= bodies->starts[1]] += marks[t];
	}
	return frame;
}

static ToolFrame playHost(const ToolArgs* args, Searcher* searcher, const KdetBodies* bodies, uint8_t* marks)
{
	ToolFrame frame = {0};
	for (int32_t run = 0; run < args->runs; ++run)
	{
		frame.host += timeSearch(searcher, bodies) / args->runs;
		const brPairStages* stages = &searcher->search.search.stages;
		frame.build += (stages->boxes + stages->sort + stages->build) / args->runs;
		frame.search += stages->search / args->runs, frame.narrow += stages->narrow / args->runs;
	}
	frame.boxes = searcher->search.search.candidateCount, frame.tested = searcher->search.tested;
	frame.pairs = searcher->search.search.pairs.count;
	countTets(bodies, &searcher->search.search.pairs, marks, frame.tets);
	return frame;
}

static ToolFrame playDevice(const ToolArgs* args, KdetDevice* device, const KdetBodies* bodies, uint8_t* marks)
{
	// As in the thesis, brute force looks at the boxes of the two bodies first.
	if (args->isBrute && !args->way.isSelf && !(bodies->depth > 0.0))
	{
		return (ToolFrame){0};
	}
	KdetDeviceFrame ran;
	kdetRunDevice(device, bodies, args->runs, &ran);
	ToolFrame frame = {.host = ran.host,
					   .device = ran.build + ran.search + ran.narrow,
					   .build = ran.build,
					   .search = ran.search,
					   .narrow = ran.narrow,
					   .boxes = ran.boxes,
					   .tested = ran.tested,
					   .pairs = ran.list.count};
	countTets(bodies, &ran.list, marks, frame.tets);
	return frame;
}

static void writeHead(FILE* file, const ToolArgs* args, const KdetBodies* bodies)
{
	fprintf(file, "scene name, %s - %d\nalgorithm, %s\n", args->scene->title, args->resolution, args->method);
	fprintf(file, args->isDevice ? "block size, %d\n" : "workers, %d\n",
			args->isDevice ? args->groupSize : args->way.workers);
	fprintf(file, "overlap test, %s\nself collisions, %s\n", args->test, args->way.isSelf ? "yes" : "no");
	fprintf(file, "hashing algorithm, %s\n#frames, %d\ntotal runs for benchmark, %d\n",
			args->way.method == br_pairsKdet && !args->isBrute ? args->hash : "none", kdetFrames, args->runs);
	fprintf(file, "#tetsA, %d\n#tetsB, %d\n#verticesA, %d\n#verticesB, %d\n", bodies->starts[1],
			bodies->starts[2] - bodies->starts[1], bodies->nodeCounts[0], bodies->nodeCounts[1]);
	fprintf(file, "frame, host time, device time, build time, search time, collision time, bounding box overlap, box "
				  "pairs, tested pairs, col tets A to B, col tets B to A, collision pairs\n");
}

static void writeFrames(FILE* file, const ToolArgs* args, KdetBodies* bodies, KdetDevice* device, uint8_t* marks)
{
	Searcher searcher;
	beginSearcher(&searcher, &args->way);
	for (int32_t number = 1; number <= kdetFrames; ++number)
	{
		kdetPose(bodies, (double)(number - 1) / (kdetFrames - 1));
		ToolFrame frame = device != NULL       ? playDevice(args, device, bodies, marks)
						  : args->withoutPairs ? playWithoutPairs(args, &searcher, bodies, marks)
											   : playHost(args, &searcher, bodies, marks);
		fprintf(file, "%d, %.6g, %.6g, %.6g, %.6g, %.6g, %.6g, %lld, %lld, %lld, %lld, %lld\n", number,
				1e3 * frame.host, 1e3 * frame.device, 1e3 * frame.build, 1e3 * frame.search, 1e3 * frame.narrow,
				bodies->depth, (long long)frame.boxes, (long long)frame.tested, (long long)frame.tets[0],
				(long long)frame.tets[1], (long long)frame.pairs);
	}
	endSearcher(&searcher);
}

static int writeCsv(const ToolArgs* args)
{
	char path[2048];
	KdetBodies bodies = kdetMakeBodies(args->scene, args->resolution);
	KdetDeviceWay way = {.isBrute = args->isBrute,
						 .isPairwise = args->isPairwise,
						 .isSelf = args->way.isSelf,
						 .hash = (uint32_t)args->way.hash,
						 .groupSize = args->groupSize,
						 .test = args->way.test};
	KdetDevice* device = args->isDevice ? kdetOpenDevice(&bodies, &way) : NULL;
	snprintf(path, sizeof(path), "%s/%s_%d_%s%s_%s_%s.csv", args->folder, args->scene->name, args->resolution,
			 args->method, args->isDevice && !args->isBrute ? "_gpu" : "", args->test,
			 args->way.isSelf ? "self" : "inter");
	uint8_t* marks = malloc((size_t)bodies.source.count + 1);
	FILE* file = args->isDevice && device == NULL ? NULL : fopen(path, "w");
	bool isGood = file != NULL && marks != NULL;
	if (isGood)
	{
		writeHead(file, args, &bodies);
		writeFrames(file, args, &bodies, device, marks);
		isGood = ferror(file) == 0;
	}
	isGood = file != NULL && fclose(file) == 0 && isGood;
	fprintf(isGood ? stdout : stderr, isGood ? "%s\n" : "%s is not written\n", path);
	if (device != NULL)
	{
		kdetCloseDevice(device);
	}
	free(marks);
	kdetFreeBodies(&bodies);
	return isGood ? 0 : 1;
}

static int toolUsage(void)
{
	fprintf(stderr,
			"usage: brittle-bench kdet --csv [SCENE] [-r 1..4] [-c kdet|kdet_no_pairs|gpu|gpu_no_loop|oi|bsp|brute]\n"
			"         [-o sat|sat-no-edges|sat-mtv|gjk|exact] [-n RUNS] [-s yes|no] [-h djb2|fnv-1a|morton|simple]\n"
			"         [-p cpu|gpu] [-g 16|32|64|128|256] [-w WORKERS] [-d FOLDER]\n"
			"       gpu and gpu_no_loop are brute force on a device; -p gpu is kdet on it, -g the size of its blocks\n"
			"       brittle-bench kdet --plots FOLDER\nscenes:");
	for (int32_t i = 0; i < KDET_SCENE_COUNT; ++i)
	{
		fprintf(stderr, " %s", kdetScenes[i].name);
	}
	fprintf(stderr, "\n");
	return 2;
}

int kdetTool(int wordCount, char** words)
{
	if (strcmp(words[0], "--plots") == 0)
	{
		return wordCount == 2 ? writePlots(words[1]) : toolUsage();
	}
	// Defaults as in table A.1.
	ToolArgs args = {.scene = &kdetScenes[0],
					 .resolution = 1,
					 .runs = 10,
					 .way = {.method = br_pairsKdet, .hash = 1, .workers = 1},
					 .method = "kdet",
					 .test = "sat",
					 .hash = "djb2",
					 .groupSize = 128,
					 .folder = "."};
	for (int i = 1; i < wordCount; ++i)
	{
		const char* word = words[i];
		if (word[0] != '-')
		{
			args.scene = kdetFindScene(word);
			if (args.scene == NULL)
			{
				return toolUsage();
			}
			continue;
		}
		if (word[1] == 0 || word[2] != 0 || i + 1 == wordCount || !readFlag(&args, word[1], words[i + 1]))
		{
			return toolUsage();
		}
		i += 1;
	}
	args.isDevice = args.isDevice || args.isBrute;
	if (args.isDevice && (args.withoutPairs || args.way.isBsp || args.way.method != br_pairsKdet))
	{
		fprintf(stderr, "a device runs -c kdet, gpu and gpu_no_loop\n");
		return 2;
	}
	return writeCsv(&args);
}
