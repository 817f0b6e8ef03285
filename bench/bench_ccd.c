// SPDX-License-Identifier: MIT

// Continuous tests of a whole step beside FCL's (a program of its own, one pair after another) and beside our own
// narrower sets of instructions. Answers first: candidates and contacts of the public frames are known. Figures are the
// least of all runs; the tests alone run on one thread and are given in processor time, as the peer's.

#include "bench.h"
#include "collide_scenes.h"

#include "brittle/brittle.h"
#include "brittle/swept_pairs.h"
#include "narrow/ccd_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum
{
	ccdRuns = 9,
	ccdBlock = 1024,       // pairs in one go, as brCollideMovingMeshes takes them
	ccdFclMost = 10000000, // pairs; more would take long to hand over
};

typedef struct CcdScene
{
	const char* name;
	const char* files[2]; // in the collection
	const char* motion;   // made instead if the files are not there
	double frame;
	int64_t candidates[2]; // vertex-face, edge-edge: as two other programs count
	int64_t contacts[2];   // as Mathematica decides
} CcdScene;

static const CcdScene ccdScenes[] = {
	{"cloth-ball",
	 {"ccd/cloth-ball/frames/cloth_ball92.ply", "ccd/cloth-ball/frames/cloth_ball93.ply"},
	 "cloth_ball",
	 92.0,
	 {1655541, 5197332},
	 {19032, 94822}},
	{"n-body",
	 {"ccd/n-body-simulation/frames/balls16_18.ply", "ccd/n-body-simulation/frames/balls16_19.ply"},
	 "bodies",
	 18.0,
	 {9396388, 22366873},
	 {9459, 41031}},
};

static brMesh* ccdLoadFrame(const CcdScene* scene, int which, bool* outIsPublic)
{
	return collideLoadFrame(scene->files[which], scene->motion, scene->frame + which, 0, outIsPublic);
}

typedef struct CcdTimes
{
	double broad, narrow; // least, in seconds
	int64_t candidates[2], contacts[2];
	double firstTime;
} CcdTimes;

static CcdTimes ccdTime(brMesh* const frames[2], int32_t workerCount)
{
	CcdTimes times = {.broad = 1e30, .narrow = 1e30};
	brWorkersDef workersDef = brDefaultWorkersDef();
	workersDef.workerCount = workerCount;
	brContext context = {.workers = workerCount > 1 ? brCreateWorkers(&workersDef) : NULL};
	for (int32_t run = 0; run < ccdRuns; ++run)
	{
		brCcd* ccd = NULL;
		brReport report = {0};
		if (brCollideMovingMeshes(&context, (const brMesh* const*)&frames[0], (const brMesh* const*)&frames[1], 1, NULL,
								  &ccd, &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
		const brPairStages* s = &ccd->stages;
		double broad = s->boxes + s->sort + s->build + s->search;
		times.broad = broad < times.broad ? broad : times.broad;
		times.narrow = s->narrow < times.narrow ? s->narrow : times.narrow;
		times.candidates[0] = ccd->vertexFaceCandidates, times.candidates[1] = ccd->edgeEdgeCandidates;
		times.contacts[0] = ccd->vertexFaceCount, times.contacts[1] = ccd->edgeEdgeCount;
		times.firstTime = ccd->firstTime;
		brDestroyCcd(ccd);
	}
	brDestroyWorkers(context.workers);
	return times;
}

static void ccdCheck(const CcdTimes* times, const CcdTimes* other)
{
	if (memcmp(times->candidates, other->candidates, sizeof(times->candidates)) != 0 ||
		memcmp(times->contacts, other->contacts, sizeof(times->contacts)) != 0 || times->firstTime != other->firstTime)
	{
		brBench_Fail("the number of workers changes the contacts");
	}
}

// The corners of all candidates, as tests and the peer take them.
typedef struct CcdLists
{
	int64_t counts[2];
	brCcdItem* items[2];
	brCcdRecord* records;
} CcdLists;

static CcdLists ccdMakeLists(brMesh* const frames[2])
{
	CcdLists lists = {0};
	brSweptPairs* sweep = NULL;
	if (brFindSweptPairs(NULL, frames[0], frames[1], NULL, &sweep, NULL) < 0)
	{
		brBench_Fail("no memory");
	}
	lists.counts[0] = sweep->vertexFaceCount, lists.counts[1] = sweep->edgeEdgeCount;
	lists.items[0] = malloc((size_t)(lists.counts[0] + 1) * sizeof(brCcdItem));
	lists.items[1] = malloc((size_t)(lists.counts[1] + 1) * sizeof(brCcdItem));
	size_t recordBytes = (size_t)(frames[0]->vertexCount + 1) * sizeof(brCcdRecord);
	lists.records = aligned_alloc(64, recordBytes);
	if (lists.items[0] == NULL || lists.items[1] == NULL || lists.records == NULL)
	{
		brBench_Fail("no memory");
	}
	for (int64_t i = 0; i < lists.counts[0]; ++i)
	{
		const int32_t* face = frames[0]->corners + 3 * (int64_t)sweep->vertexFaces[i].b;
		lists.items[0][i] = (brCcdItem){{sweep->vertexFaces[i].a, face[0], face[1], face[2]}};
	}
	for (int64_t i = 0; i < lists.counts[1]; ++i)
	{
		const int32_t *a = sweep->edges[sweep->edgeEdges[i].a], *b = sweep->edges[sweep->edgeEdges[i].b];
		lists.items[1][i] = (brCcdItem){{a[0], a[1], b[0], b[1]}};
	}
	for (int32_t i = 0; i < frames[0]->vertexCount; ++i)
	{
		brDVec3 p = frames[0]->positions[i], q = frames[1]->positions[i];
		lists.records[i] = (brCcdRecord){{p.x, p.y, p.z, 0.0}, {q.x, q.y, q.z, 0.0}};
	}
	brDestroySweptPairs(sweep);
	return lists;
}

static void ccdFreeLists(CcdLists* lists)
{
	free(lists->items[0]);
	free(lists->items[1]);
	free(lists->records);
}

static double ccdProcessorSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Processor time of testing all pairs on one thread, and the number of contacts.
static double ccdTimeTests(const CcdLists* lists, int32_t lanes, int64_t expected)
{
	const brCcdKernels* kernels = brGetCcdKernels(lanes);
	double best = 1e30;
	for (int run = 0; run < 3; ++run)
	{
		double start = ccdProcessorSeconds();
		int64_t contacts = 0;
		for (int kind = 0; kind < 2; ++kind)
		{
			for (int64_t first = 0; first < lists->counts[kind]; first += ccdBlock)
			{
				int32_t order[ccdBlock];
				brCcdAnswer answers[ccdBlock];
				const brCcdItem* items = lists->items[kind] + first;
				int64_t left = lists->counts[kind] - first;
				int32_t count = left < ccdBlock ? (int32_t)left : ccdBlock;
				for (int32_t i = 0; i < count; ++i)
				{
					order[i] = i;
				}
				count = kernels->sieve((brCcdKind)kind, 0, lists->records, items, order, count, 0.0);
				count = kernels->sieve((brCcdKind)kind, 1, lists->records, items, order, count, 0.0);
				kernels->solve((brCcdKind)kind, lists->records, items, order, count, 0.0, 1e-8, answers);
				for (int32_t i = 0; i < count; ++i)
				{
					contacts += answers[i].time <= 1.0;
				}
			}
		}
		double seconds = ccdProcessorSeconds() - start;
		best = seconds < best ? seconds : best;
		if (contacts != expected)
		{
			brBench_Fail("%lld contacts of pairs, %lld of meshes", (long long)contacts, (long long)expected);
		}
	}
	return best;
}

// FCL: positions of both frames, then the corners of all pairs of either kind.
static void ccdWritePairs(brMesh* const frames[2], const CcdLists* lists, const char* path)
{
	FILE* file = fopen(path, "wb");
	if (file == NULL)
	{
		brBench_Fail("%s cannot be written", path);
	}
	int64_t count = frames[0]->vertexCount;
	fwrite(&count, 8, 1, file);
	fwrite(frames[0]->positions, sizeof(brDVec3), (size_t)count, file);
	fwrite(frames[1]->positions, sizeof(brDVec3), (size_t)count, file);
	for (int kind = 0; kind < 2; ++kind)
	{
		fwrite(&lists->counts[kind], 8, 1, file);
		fwrite(lists->items[kind], sizeof(brCcdItem), (size_t)lists->counts[kind], file);
	}
	if (fclose(file) != 0)
	{
		brBench_Fail("%s cannot be written", path);
	}
}

// Seconds and contacts of FCL for both kinds; false if it is not there.
static bool ccdAskFcl(brMesh* const frames[2], const CcdLists* lists, double* outSeconds, int64_t outContacts[2])
{
	char folder[1024], command[3072], path[64];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[length > 0 ? length : 0] = 0;
	char* slash = strrchr(folder, '/');
	snprintf(command, sizeof(command), "%.*s/brittle-peer-fcl_ccd", slash != NULL ? (int)(slash - folder) : 1,
			 slash != NULL ? folder : ".");
	if (access(command, X_OK) != 0)
	{
		return false;
	}
	snprintf(path, sizeof(path), "/tmp/brittle_ccd_%d.bin", (int)getpid());
	ccdWritePairs(frames, lists, path);
	size_t used = strlen(command);
	snprintf(command + used, sizeof(command) - used, " %s", path);
	FILE* pipe = popen(command, "r");
	char word[64];
	long long count;
	double seconds;
	int32_t lines = 0;
	*outSeconds = 0.0;
	while (pipe != NULL && fscanf(pipe, "%63s %lld %lf", word, &count, &seconds) == 3)
	{
		*outSeconds += seconds;
		outContacts[strcmp(word, "edge-edge") == 0] = count;
		lines += 1;
	}
	if (pipe != NULL)
	{
		pclose(pipe);
	}
	remove(path);
	return lines == 2;
}

static void ccdRow(brBench* bench, const char* scene, const char* what, double ours, double peer, const char* unit)
{
	char name[96];
	snprintf(name, sizeof(name), "%s: %s", scene, what);
	brBench_Row(bench, name, ours, peer, unit);
}

static void benchScene(brBench* bench, const CcdScene* scene)
{
	bool isPublic;
	brMesh* frames[2] = {ccdLoadFrame(scene, 0, &isPublic), ccdLoadFrame(scene, 1, &isPublic)};
	CcdTimes one = ccdTime(frames, 1), two = ccdTime(frames, 2);
	ccdCheck(&one, &two);
	if (isPublic && (memcmp(one.candidates, scene->candidates, sizeof(one.candidates)) != 0 ||
					 memcmp(one.contacts, scene->contacts, sizeof(one.contacts)) != 0))
	{
		brBench_Fail("%s has other candidates or contacts than the ground truth", scene->name);
	}
	double count = (double)(one.candidates[0] + one.candidates[1]);
	double contacts = (double)(one.contacts[0] + one.contacts[1]);
	ccdRow(bench, scene->name, "candidates", 1e-6 * count, 0.0, "M pairs");
	ccdRow(bench, scene->name, "swept boxes to candidates", 1e3 * one.broad, 0.0, "ms");
	ccdRow(bench, scene->name, "continuous tests of these", 1e3 * one.narrow, 0.0, "ms");
	ccdRow(bench, scene->name, "all, two workers / one", 1e3 * (two.broad + two.narrow), 1e3 * (one.broad + one.narrow),
		   "ms");

	CcdLists lists = ccdMakeLists(frames);
	int64_t total = one.contacts[0] + one.contacts[1], found[2] = {0, 0};
	double tests = 1e9 * ccdTimeTests(&lists, 0, total) / count, seconds = 0.0;
	ccdRow(bench, scene->name, "a test / four lanes (AVX2)", tests, 1e9 * ccdTimeTests(&lists, 8, total) / count, "ns");
	ccdRow(bench, scene->name, "a test / two lanes (plain)", tests, 1e9 * ccdTimeTests(&lists, 1, total) / count, "ns");
	bool hasFcl = count < ccdFclMost && ccdAskFcl(frames, &lists, &seconds, found);
	ccdRow(bench, scene->name, "a test / FCL", tests, hasFcl ? 1e9 * seconds / count : 0.0, "ns");
	ccdRow(bench, scene->name, "contacts / what FCL reports", contacts, hasFcl ? (double)(found[0] + found[1]) : 0.0,
		   "pairs");
	ccdFreeLists(&lists);
	brDestroyMesh(frames[0]);
	brDestroyMesh(frames[1]);
}

BR_BENCH(ccd)
{
	for (size_t i = 0; i < sizeof(ccdScenes) / sizeof(ccdScenes[0]); ++i)
	{
		benchScene(bench, &ccdScenes[i]);
	}
}
