// SPDX-License-Identifier: MIT

// Temporal coherence: eight sequences by every way of keeping pairs, and the figures of Wang et al. 2018. One thread;
// times are those of the processor, least of three runs frame by frame, so that other programs matter little.
//
//     brittle-bench fronts                     tables
//     brittle-bench fronts --plots FOLDER      curves

#include "bench_fronts.h"
#include "bench.h"

#include "brittle/brittle.h"
#include "brittle/research.h"
#include "index/pair_tracker.h"
#include "narrow/triangle_soup.h"
#include "plot_csv.h"
#include "research/pair_front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
	maxFrames = 100,
	warmFrames = 8, // that are not counted: a tracker learns
};

static int timedRuns = 3;

typedef struct Sequence
{
	const char* name;
	const char* motion; // by formula, or null
	double first, step;
	const char* files[2]; // two public frames, gone through in equal steps
	int32_t frameCount;
	bool self;
} Sequence;

// Steps of a simulation, then frames of a film. The formula's cloth moves by 7.5 of its triangles a frame, the funnel's
// by 0.5.
static const Sequence sequences[] = {
	{"cloth-ball, 1/500 frame", "cloth_ball", 60, 0.002, {NULL, NULL}, 80, true},
	{"cloth-ball, 1/100 frame", "cloth_ball", 60, 0.01, {NULL, NULL}, 80, true},
	{"cloth-ball, whole frames", "cloth_ball", 10, 1, {NULL, NULL}, 80, true},
	{"funnel, 1/50 frame", "funnel", 250, 0.02, {NULL, NULL}, 100, true},
	{"funnel, whole frames", "funnel", 200, 1, {NULL, NULL}, 100, true},
	{"n-body between bodies, 1/200 frame", "bodies", 10, 0.005, {NULL, NULL}, 60, false},
	{"n-body between bodies, whole frames", "bodies", 5, 1, {NULL, NULL}, 60, false},
	{"public cloth-ball 92 to 93, 1/2000",
	 "cloth_ball",
	 80,
	 0.0005,
	 {"ccd/cloth-ball/frames/cloth_ball92.ply", "ccd/cloth-ball/frames/cloth_ball93.ply"},
	 80,
	 true},
};

// Frames in memory: one soup, positions for each.
typedef struct Film
{
	brTriangleSoup soup;
	brMovingScene* motion;
	brMesh* mesh;
	brDVec3* positions[maxFrames];
	int32_t frameCount;
	bool self;
} Film;

static brMovingScene* filmMotion(const char* name, double frame)
{
	brMovingSceneDef def = brDefaultMovingSceneDef(name);
	def.frame = frame;
	brMovingScene* motion = NULL;
	brReport report = {0};
	if (brMakeMovingScene(NULL, &def, &motion, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	return motion;
}

static brMesh* filmLoad(const char* file)
{
	const char* path = file != NULL ? brBench_DataPath(file) : NULL;
	brMesh* mesh = NULL;
	return path != NULL && brLoadMesh(NULL, path, &mesh, NULL) >= 0 ? mesh : NULL;
}

static brDVec3* filmFrame(Film* film, int32_t count)
{
	brDVec3* positions = malloc((size_t)count * sizeof(brDVec3));
	if (positions == NULL)
	{
		brBench_Fail("no memory");
	}
	film->positions[film->frameCount++] = positions;
	return positions;
}

static void filmOpen(Film* film, const Sequence* sequence)
{
	memset(film, 0, sizeof(*film));
	film->self = sequence->self;
	brMesh* ends[2] = {filmLoad(sequence->files[0]), filmLoad(sequence->files[1])};
	if (ends[0] != NULL && ends[1] != NULL && ends[0]->vertexCount == ends[1]->vertexCount)
	{
		film->mesh = ends[0];
		if (brTriangleSoup_Make(&film->soup, NULL, (const brMesh* const*)&film->mesh, 1, NULL) < 0)
		{
			brBench_Fail("no memory");
		}
		for (int32_t i = 0; i < sequence->frameCount; ++i)
		{
			brDVec3* to = filmFrame(film, film->soup.vertexCount);
			for (int32_t v = 0; v < film->soup.vertexCount; ++v)
			{
				to[v] = brDLerp(ends[0]->positions[v], ends[1]->positions[v], sequence->step * i);
			}
		}
		brDestroyMesh(ends[1]);
		return;
	}
	brDestroyMesh(ends[0]);
	brDestroyMesh(ends[1]);
	for (int32_t i = 0; i < sequence->frameCount; ++i)
	{
		brMovingScene* motion = filmMotion(sequence->motion, sequence->first + sequence->step * i);
		brTriangleSoup soup;
		if (brTriangleSoup_Make(&soup, NULL, (const brMesh* const*)motion->meshes, motion->meshCount, NULL) < 0)
		{
			brBench_Fail("no memory");
		}
		memcpy(filmFrame(film, soup.vertexCount), soup.positions, (size_t)soup.vertexCount * sizeof(brDVec3));
		if (i == 0)
		{
			film->soup = soup;
			film->motion = motion;
			continue;
		}
		brTriangleSoup_Free(&soup);
		brDestroyMovingScene(motion);
	}
}

static void filmClose(Film* film)
{
	for (int32_t i = 0; i < film->frameCount; ++i)
	{
		free(film->positions[i]);
	}
	brTriangleSoup_Free(&film->soup);
	brDestroyMovingScene(film->motion);
	brDestroyMesh(film->mesh);
}

static brBoxSource filmSource(const Film* film, int32_t frame)
{
	brBoxSource source = brTriangleSoup_Source(&film->soup);
	source.positions = film->positions[frame];
	return source;
}

static double processorMs(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

// One way through a film.
typedef struct Take
{
	double ms[maxFrames];
	int64_t pairs[maxFrames];
	double quality[maxFrames];
	int32_t frontFrames;
	int64_t maxBytes;
	bool isPreserved[maxFrames];
	double tests[maxFrames];
	double orderNs, radixNs; // for an entry, least of all frames
	int64_t entries[2];      // at most
} Take;

static void takeFrame(Take* take, int32_t frame, int run, double ms, int64_t pairs)
{
	take->ms[frame] = run == 0 || ms < take->ms[frame] ? ms : take->ms[frame];
	take->pairs[frame] = pairs;
}

static void takeTracked(Take* take, const Film* film, brTrackerMode mode)
{
	memset(take, 0, sizeof(*take));
	for (int run = 0; run < timedRuns; ++run)
	{
		brPairSearchDef def = {.enableSelf = film->self, .enableInter = true};
		brPairTracker tracker;
		brPairTracker_Init(&tracker, &film->soup.allocator, &def, mode);
		take->frontFrames = 0;
		for (int32_t i = 0; i < film->frameCount; ++i)
		{
			brBoxSource source = filmSource(film, i);
			double start = processorMs();
			if (brPairTracker_Run(&tracker, NULL, &source, film->soup.meshStarts, film->soup.meshCount, NULL, NULL) < 0)
			{
				brBench_Fail("the tracker failed");
			}
			takeFrame(take, i, run, processorMs() - start, tracker.pairCount);
			take->frontFrames += tracker.stats.isFront;
			int64_t bytes = tracker.stats.front.bytes;
			take->maxBytes = bytes > take->maxBytes ? bytes : take->maxBytes;
		}
		brPairTracker_Free(&tracker);
	}
}

static void takeBinary(Take* take, const Film* film, brPairFrontStrategy strategy, int32_t cycle, int runs)
{
	memset(take, 0, sizeof(*take));
	for (int run = 0; run < runs; ++run)
	{
		brPairFrontDef front = {.strategy = strategy, .cycle = cycle, .isTimed = run + 1 == runs && runs == 1};
		brPairSearchDef def = {.engine = brGetResearchEngine(br_researchUnordered),
							   .enableSelf = film->self,
							   .enableInter = true,
							   .engineDef = &front};
		brPairSearch search;
		brPairSearch_Init(&search, &film->soup.allocator, &def);
		for (int32_t i = 0; i < film->frameCount; ++i)
		{
			brBoxSource source = filmSource(film, i);
			double start = processorMs();
			if (brPairSearch_Run(&search, NULL, &source, film->soup.meshStarts, film->soup.meshCount, NULL) < 0)
			{
				brBench_Fail("the front failed");
			}
			double ms = processorMs() - start;
			const brPairFrontStats* stats = &((const brPairFront*)search.state)->stats;
			takeFrame(take, i, run, ms, search.pairs.count);
			take->quality[i] = stats->quality;
			take->maxBytes = stats->bytes > take->maxBytes ? stats->bytes : take->maxBytes;
			take->isPreserved[i] = stats->operation == br_frontPreserve;
			take->tests[i] = (double)stats->tests;
			double entries = (double)(stats->internalCount + stats->externalCount);
			if (stats->radixSeconds > 0.0 && entries > 0.0)
			{
				double order = 1e9 * (stats->orderSeconds - stats->radixSeconds) / entries;
				double radix = 1e9 * stats->radixSeconds / entries;
				take->orderNs = take->orderNs == 0.0 || order < take->orderNs ? order : take->orderNs;
				take->radixNs = take->radixNs == 0.0 || radix < take->radixNs ? radix : take->radixNs;
			}
			if (stats->internalCount > take->entries[0])
			{
				take->entries[0] = stats->internalCount, take->entries[1] = stats->externalCount;
			}
		}
		brPairSearch_Free(&search);
	}
}

static double takeMean(const Take* take, int32_t frameCount)
{
	double sum = 0.0;
	for (int32_t i = warmFrames; i < frameCount; ++i)
	{
		sum += take->ms[i];
	}
	return sum / (frameCount - warmFrames);
}

// Nanoseconds an entry in frames that preserve, refit included.
static double takePreserve(const Take* take, int32_t frameCount)
{
	double ms = 0.0, tests = 0.0;
	for (int32_t i = 0; i < frameCount; ++i)
	{
		ms += take->isPreserved[i] ? take->ms[i] : 0.0;
		tests += take->isPreserved[i] ? take->tests[i] : 0.0;
	}
	return tests > 0.0 ? 1e6 * ms / tests : 0.0;
}

static void checkSame(const char* name, const Take* a, const Take* b, int32_t frameCount)
{
	for (int32_t i = 0; i < frameCount; ++i)
	{
		if (a->pairs[i] != b->pairs[i])
		{
			brBench_Fail("%s, frame %d: %lld pairs one way, %lld the other", name, i, (long long)a->pairs[i],
						 (long long)b->pairs[i]);
		}
	}
}

static void benchSequence(brBench* bench, const Sequence* sequence)
{
	char name[128];
	if (!brBench_Wants(bench, sequence->name))
	{
		return;
	}
	static Take rebuild, groups, automatic, binary;
	Film film;
	filmOpen(&film, sequence);
	takeTracked(&rebuild, &film, br_trackerRebuild);
	takeTracked(&groups, &film, br_trackerFront);
	takeTracked(&automatic, &film, br_trackerAuto);
	takeBinary(&binary, &film, br_frontStatic, 0, timedRuns);
	int32_t count = film.frameCount;
	checkSame(sequence->name, &rebuild, &groups, count);
	checkSame(sequence->name, &rebuild, &automatic, count);
	checkSame(sequence->name, &rebuild, &binary, count);
	double base = takeMean(&rebuild, count), front = takeMean(&groups, count), policy = takeMean(&automatic, count);
	double wang = takeMean(&binary, count), best = front < base ? front : base;
	best = wang < best ? wang : best;
	snprintf(name, sizeof(name), "%s: groups over rebuild", sequence->name);
	brBench_Row(bench, name, front, base, "ms");
	snprintf(name, sizeof(name), "%s: binary front over rebuild", sequence->name);
	brBench_Row(bench, name, wang, base, "ms");
	snprintf(name, sizeof(name), "%s: policy (%d of %d by front) over best", sequence->name, automatic.frontFrames,
			 count);
	brBench_Row(bench, name, policy, best, "ms");
	snprintf(name, sizeof(name), "%s: bytes a triangle, groups over binary", sequence->name);
	brBench_Row(bench, name, (double)groups.maxBytes / film.soup.triangleCount,
				(double)binary.maxBytes / film.soup.triangleCount, "B");
	filmClose(&film);
}

// Figures

static const Sequence figureSequences[] = {
	{"funnel", "funnel", 200, 1, {NULL, NULL}, 60, true},
	{"cloth-ball", "cloth_ball", 40, 0.25, {NULL, NULL}, 48, true},
};

// Figures 6 and 7. Printed for the largest fronts: by counting 0.27 and 1.70 ms, by radix 2.5 and 13.25 (GTX 1080),
// that is 0.3 against 2.7 and 2.2 ns an entry.
static void benchOrdering(brBench* bench)
{
	static Take ordered, unordered;
	for (size_t i = 0; i < 2; ++i)
	{
		const Sequence* sequence = &figureSequences[i];
		char name[128];
		snprintf(name, sizeof(name), "figure 6, %s", sequence->name);
		if (!brBench_Wants(bench, name) && !brBench_Wants(bench, "figure 7"))
		{
			continue;
		}
		Film film;
		filmOpen(&film, sequence);
		takeBinary(&ordered, &film, br_frontStatic, 8, 1);
		snprintf(name, sizeof(name), "figure 6, %s, %lld + %lld entries: counting over radix", sequence->name,
				 (long long)ordered.entries[0], (long long)ordered.entries[1]);
		brBench_Row(bench, name, ordered.orderNs, ordered.radixNs, "ns an entry");
		takeBinary(&ordered, &film, br_frontStatic, 8, timedRuns);
		takeBinary(&unordered, &film, br_frontUnordered, 8, timedRuns);
		checkSame(sequence->name, &ordered, &unordered, film.frameCount);
		snprintf(name, sizeof(name), "figure 7, %s: preserve, ordered over unordered", sequence->name);
		brBench_Row(bench, name, takePreserve(&ordered, film.frameCount), takePreserve(&unordered, film.frameCount),
					"ns an entry");
		filmClose(&film);
	}
}

// Figure 9: whole animations at the frames of a film, boxes to pairs, by the policy. Printed with narrow phase, on a
// GTX 1080.
static void benchTable(brBench* bench)
{
	static const struct
	{
		const char *name, *motion;
		double first, step;
		int32_t frameCount;
		double printed;
	} rows[] = {{"Funnel", "funnel", 0, 5, 100, 0.6},
				{"WhirlingCloth", "cloth_ball", 0, 1, 94, 2.3},
				{"N-body", "bodies", 0, 1, 75, 4.3}};
	static Take take;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		Sequence sequence = {rows[i].name,
							 rows[i].motion,
							 rows[i].first,
							 rows[i].step,
							 {NULL, NULL},
							 rows[i].frameCount,
							 strcmp(rows[i].motion, "bodies") != 0};
		char name[128];
		snprintf(name, sizeof(name), "figure 9, %s", rows[i].name);
		if (!brBench_Wants(bench, name))
		{
			continue;
		}
		Film film;
		filmOpen(&film, &sequence);
		takeTracked(&take, &film, br_trackerAuto);
		snprintf(name, sizeof(name), "figure 9, %s, %d tri, ours over printed", rows[i].name, film.soup.triangleCount);
		brBench_Row(bench, name, takeMean(&take, film.frameCount), rows[i].printed, "ms");
		filmClose(&film);
	}
}

BR_BENCH(fronts)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); ++i)
	{
		benchSequence(bench, &sequences[i]);
	}
	benchOrdering(bench);
	benchTable(bench);
}

// Curves

static int savePlot(const char* folder, const char* file, const char* title, const char* yLabel, const PlotLine* lines,
					int32_t lineCount)
{
	char path[2048];
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	PlotDef def = {0};
	def.title = title, def.xLabel = "frame", def.yLabel = yLabel;
	def.lines = lines, def.lineCount = lineCount, def.fromZero = true;
	if (!savePlotCsv(&def, path))
	{
		return 1;
	}
	printf("%s\n", path);
	return 0;
}

int frontsTool(int wordCount, char** words)
{
	if (wordCount != 2 || strcmp(words[0], "--plots") != 0)
	{
		fprintf(stderr, "usage: brittle-bench fronts --plots FOLDER\n");
		return 2;
	}
	timedRuns = 1; // curves, not tables
	static const char* const labels[5] = {"unordered", "static", "periodic", "restructure", "reference"};
	static Take takes[7];
	static double frames[maxFrames];
	for (int32_t i = 0; i < maxFrames; ++i)
	{
		frames[i] = i;
	}
	int failures = 0;
	for (size_t s = 0; s < 2; ++s)
	{
		Film film;
		filmOpen(&film, &figureSequences[s]);
		PlotLine times[7], qualities[5];
		for (int32_t k = 0; k < 5; ++k)
		{
			takeBinary(&takes[k], &film, (brPairFrontStrategy)k, 8, timedRuns);
			// The first frame builds.
			times[k] = (PlotLine){labels[k], frames + 1, takes[k].ms + 1, film.frameCount - 1, false};
			qualities[k] = (PlotLine){labels[k], frames, takes[k].quality, film.frameCount, false};
		}
		takeTracked(&takes[5], &film, br_trackerRebuild);
		takeTracked(&takes[6], &film, br_trackerFront);
		times[5] = (PlotLine){"wide rebuild", frames + 1, takes[5].ms + 1, film.frameCount - 1, false};
		times[6] = (PlotLine){"front on groups", frames + 1, takes[6].ms + 1, film.frameCount - 1, false};
		bool isFunnel = s == 0;
		failures += savePlot(words[1], isFunnel ? "fronts_funnel.csv" : "fronts_cloth.csv",
							 isFunnel ? "Funnel, five strategies (Wang et al., figure 5)"
									  : "Whirling cloth, quarter frames, five strategies (figure 8)",
							 "ms a frame", times, 7);
		failures += savePlot(words[1], isFunnel ? "fronts_quality_funnel.csv" : "fronts_quality_cloth.csv",
							 isFunnel ? "Funnel, quality (figure 5)" : "Whirling cloth, quality",
							 "internal over external entries", qualities, 5);
		filmClose(&film);
	}
	// How fast motion may be: front on groups over rebuild against step.
	static const double steps[] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
	double speeds[8], ratios[8];
	for (int32_t i = 0; i < 8; ++i)
	{
		Sequence sequence = {"", "cloth_ball", 60, steps[i], {NULL, NULL}, 40, true};
		Film film;
		filmOpen(&film, &sequence);
		takeTracked(&takes[0], &film, br_trackerRebuild);
		takeTracked(&takes[1], &film, br_trackerFront);
		speeds[i] = 7.5 * steps[i];
		ratios[i] = takeMean(&takes[0], film.frameCount) / takeMean(&takes[1], film.frameCount);
		filmClose(&film);
	}
	PlotLine line = {"rebuild over front on groups", speeds, ratios, 8, false};
	char path[2048];
	snprintf(path, sizeof(path), "%s/fronts_speed.csv", words[1]);
	PlotDef def = {0};
	def.title = "What a front is worth", def.xLabel = "largest motion in a frame, over mean box size";
	def.yLabel = "times faster than a rebuild", def.isLogX = true, def.fromZero = true;
	def.lines = &line, def.lineCount = 1;
	failures += !savePlotCsv(&def, path);
	printf("%s\n", path);
	return failures > 0;
}
