// SPDX-License-Identifier: MIT

// Trees and pairs beside Embree (linked), CGAL, FCL and Bullet (programs of their own). Ours and the linked peer take
// turns in one loop, so that whatever else the machine does falls on both; the figures are the least of all runs.

#include "bench.h"
#include "collide_scenes.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef BR_HAVE_EMBREE
#include <embree3/rtcore.h>
#endif

enum
{
	collideRuns = 15,
	teamWarmUps = 8,
};

// Ours

typedef struct Ours
{
	brMesh* mesh;
	brTriangleSoup soup;
	brBoxSource source;
	brContext contexts[2]; // one worker, two
	brWideBvh trees;
	brPairSearch pairs;
	brTriangleSearch crossings;
} Ours;

static void beginOurs(Ours* ours, const CollideScene* scene, bool* isPublic)
{
	memset(ours, 0, sizeof(*ours));
	ours->mesh = collideLoadScene(scene, isPublic);
	if (brTriangleSoup_Make(&ours->soup, NULL, (const brMesh* const*)&ours->mesh, 1, NULL) < 0)
	{
		brBench_Fail("no memory");
	}
	ours->source = brTriangleSoup_Source(&ours->soup);
	brWorkersDef def = brDefaultWorkersDef();
	def.workerCount = 2;
	ours->contexts[1].workers = brCreateWorkers(&def);
	brPairSearchDef searchDef = {.enableSelf = true, .rule = br_neighborsBeyond};
	brWideBvh_Init(&ours->trees, &ours->soup.allocator, 0);
	brPairSearch_Init(&ours->pairs, &ours->soup.allocator, &searchDef);
	brTriangleSearch_Init(&ours->crossings, &ours->soup.allocator, &searchDef);
}

static void endOurs(Ours* ours)
{
	brWideBvh_Free(&ours->trees);
	brPairSearch_Free(&ours->pairs);
	brTriangleSearch_Free(&ours->crossings);
	brTriangleSoup_Free(&ours->soup);
	brDestroyWorkers(ours->contexts[1].workers);
	brDestroyMesh(ours->mesh);
}

static double timeBuild(Ours* ours, int workers)
{
	int64_t start = brClockNanoseconds();
	brWideBvh_Build(&ours->trees, ours->contexts[workers].workers, &ours->source, NULL, 1, NULL);
	return brSecondsSince(start);
}

static double timePairs(Ours* ours, int workers)
{
	int64_t start = brClockNanoseconds();
	brPairSearch_Run(&ours->pairs, &ours->contexts[workers], &ours->source, NULL, 1, NULL);
	return brSecondsSince(start);
}

static double timeCrossings(Ours* ours, brTriangleSearch* search, int workers)
{
	int64_t start = brClockNanoseconds();
	brTriangleSearch_Run(search, &ours->contexts[workers], &ours->source, NULL, 1, NULL);
	return brSecondsSince(start);
}

// The least of all runs: on a machine that does other things too, that is what the work costs.
static double least(const double* times)
{
	double best = times[0];
	for (int i = 1; i < collideRuns; ++i)
	{
		best = times[i] < best ? times[i] : best;
	}
	return best;
}

// Embree

typedef struct Embree
{
#ifdef BR_HAVE_EMBREE
	RTCDevice device;
	RTCScene triangles; // for building: the triangles themselves
	RTCScene refitted;
	RTCScene boxes; // for rtcCollide, which wants primitives of the user
	RTCGeometry triangleGeometry, refitGeometry;
	float* vertices;
	int64_t pairs;
	const Ours* ours;
#endif
	int unused;
} Embree;

#ifdef BR_HAVE_EMBREE
static void embreeBounds(const struct RTCBoundsFunctionArguments* arguments)
{
	const Embree* embree = arguments->geometryUserPtr;
	const int32_t* triangle = embree->ours->soup.triangles[arguments->primID];
	float lower[3], upper[3];
	for (int k = 0; k < 3; ++k)
	{
		float a = embree->vertices[3 * triangle[0] + k], b = embree->vertices[3 * triangle[1] + k];
		float c = embree->vertices[3 * triangle[2] + k];
		lower[k] = a < b ? (a < c ? a : c) : (b < c ? b : c);
		upper[k] = a > b ? (a > c ? a : c) : (b > c ? b : c);
	}
	*arguments->bounds_o = (struct RTCBounds){lower[0], lower[1], lower[2], 0.0f, upper[0], upper[1], upper[2], 0.0f};
}

static void embreeCollide(void* user, struct RTCCollision* collisions, unsigned int count)
{
	Embree* embree = user;
	for (unsigned int i = 0; i < count; ++i)
	{
		embree->pairs += collisions[i].primID0 < collisions[i].primID1;
	}
}

static RTCScene embreeScene(Embree* embree, enum RTCBuildQuality quality, RTCGeometry* outGeometry)
{
	RTCScene scene = rtcNewScene(embree->device);
	rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
	rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
	bool areBoxes = outGeometry == NULL;
	RTCGeometry geometry =
		rtcNewGeometry(embree->device, areBoxes ? RTC_GEOMETRY_TYPE_USER : RTC_GEOMETRY_TYPE_TRIANGLE);
	const brTriangleSoup* soup = &embree->ours->soup;
	if (areBoxes)
	{
		rtcSetGeometryUserPrimitiveCount(geometry, (unsigned int)soup->triangleCount);
		rtcSetGeometryUserData(geometry, embree);
		rtcSetGeometryBoundsFunction(geometry, embreeBounds, NULL);
	}
	else
	{
		rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, embree->vertices, 0, 12,
								   (size_t)soup->vertexCount);
		rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, soup->triangles, 0, 12,
								   (size_t)soup->triangleCount);
		*outGeometry = geometry;
	}
	rtcSetGeometryBuildQuality(geometry, quality);
	rtcCommitGeometry(geometry);
	rtcAttachGeometry(scene, geometry);
	rtcReleaseGeometry(geometry);
	rtcCommitScene(scene);
	return scene;
}

static void beginEmbree(Embree* embree, const Ours* ours)
{
	memset(embree, 0, sizeof(*embree));
	embree->ours = ours;
	embree->device = rtcNewDevice("threads=1,set_affinity=0");
	embree->vertices = malloc(((size_t)ours->soup.vertexCount * 3 + 4) * sizeof(float));
	if (embree->vertices == NULL)
	{
		brBench_Fail("no memory");
	}
	for (int32_t i = 0; i < ours->soup.vertexCount; ++i)
	{
		brVec3 p = brToVec3(ours->soup.positions[i]);
		memcpy(embree->vertices + 3 * (size_t)i, &p, sizeof(p));
	}
	embree->triangles = embreeScene(embree, RTC_BUILD_QUALITY_LOW, &embree->triangleGeometry);
	embree->refitted = embreeScene(embree, RTC_BUILD_QUALITY_REFIT, &embree->refitGeometry);
	embree->boxes = embreeScene(embree, RTC_BUILD_QUALITY_LOW, NULL);
}

static void endEmbree(Embree* embree)
{
	rtcReleaseScene(embree->triangles);
	rtcReleaseScene(embree->refitted);
	rtcReleaseScene(embree->boxes);
	rtcReleaseDevice(embree->device);
	free(embree->vertices);
}

static double timeEmbreeCommit(RTCScene scene, RTCGeometry geometry)
{
	rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
	rtcCommitGeometry(geometry);
	int64_t start = brClockNanoseconds();
	rtcCommitScene(scene);
	return brSecondsSince(start);
}

static double timeEmbreeBuild(Embree* embree)
{
	return timeEmbreeCommit(embree->triangles, embree->triangleGeometry);
}

static double timeEmbreeRefit(Embree* embree)
{
	return timeEmbreeCommit(embree->refitted, embree->refitGeometry);
}

static double timeEmbreePairs(Embree* embree)
{
	embree->pairs = 0;
	rtcCommitGeometry(rtcGetGeometry(embree->boxes, 0));
	int64_t start = brClockNanoseconds();
	rtcCommitScene(embree->boxes);
	rtcCollide(embree->boxes, embree->boxes, embreeCollide, embree);
	return brSecondsSince(start);
}

static int64_t embreePairCount(const Embree* embree)
{
	return embree->pairs;
}
#else
static void beginEmbree(Embree* embree, const Ours* ours)
{
	(void)ours;
	embree->unused = 0;
}
static void endEmbree(Embree* embree)
{
	(void)embree;
}
static double timeEmbreeBuild(Embree* embree)
{
	(void)embree;
	return 0.0;
}
static double timeEmbreeRefit(Embree* embree)
{
	(void)embree;
	return 0.0;
}
static double timeEmbreePairs(Embree* embree)
{
	(void)embree;
	return 0.0;
}
static int64_t embreePairCount(const Embree* embree)
{
	(void)embree;
	return -1;
}
#endif

// Programs of their own, beside this one. Each prints lines "what count seconds".

static void writePeerFile(const Ours* ours, const char* path)
{
	FILE* file = fopen(path, "wb");
	if (file == NULL)
	{
		brBench_Fail("%s cannot be written", path);
	}
	fwrite(&ours->soup.vertexCount, 4, 1, file);
	fwrite(&ours->soup.triangleCount, 4, 1, file);
	fwrite(ours->soup.positions, sizeof(brDVec3), (size_t)ours->soup.vertexCount, file);
	fwrite(ours->soup.triangles, 12, (size_t)ours->soup.triangleCount, file);
	fclose(file);
}

// Seconds of one line of a peer's output, or 0 if it is not there; a count that differs ends the bench.
static double askPeer(const char* program, const char* path, const char* what, int64_t expected)
{
	char folder[1024], command[3072];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[length > 0 ? length : 0] = 0;
	char* slash = strrchr(folder, '/');
	snprintf(command, sizeof(command), "%.*s/%s", slash != NULL ? (int)(slash - folder) : 1,
			 slash != NULL ? folder : ".", program);
	if (access(command, X_OK) != 0)
	{
		return 0.0;
	}
	size_t used = strlen(command);
	snprintf(command + used, sizeof(command) - used, " %s", path);
	FILE* pipe = popen(command, "r");
	double seconds = 0.0, value;
	long long count;
	char word[64];
	while (pipe != NULL && fscanf(pipe, "%63s %lld %lf", word, &count, &value) == 3)
	{
		if (strcmp(word, what) == 0)
		{
			seconds = value;
			if (count != expected)
			{
				brBench_Fail("%s finds %lld %s, we find %lld", program, count, what, (long long)expected);
			}
		}
	}
	if (pipe != NULL)
	{
		pclose(pipe);
	}
	return seconds;
}

static void row(brBench* bench, const char* format, const char* scene, double ours, double peer)
{
	char name[96];
	snprintf(name, sizeof(name), format, scene);
	brBench_Row(bench, name, 1e3 * ours, 1e3 * peer, "ms");
}

static void benchScene(brBench* bench, const CollideScene* scene)
{
	Ours ours;
	Embree embree;
	bool isPublic;
	beginOurs(&ours, scene, &isPublic);
	beginEmbree(&embree, &ours);

	// Answers first.
	timePairs(&ours, 0);
	timeCrossings(&ours, &ours.crossings, 1);
	timeEmbreePairs(&embree);
	int64_t pairs = ours.pairs.pairs.count, crossings = ours.crossings.search.pairs.count;
	if (isPublic && (pairs != scene->candidates || crossings != scene->selfIntersections))
	{
		brBench_Fail("%s has %lld pairs and %lld self-intersections", scene->name, (long long)pairs,
					 (long long)crossings);
	}
	if (embreePairCount(&embree) >= 0 && embreePairCount(&embree) != pairs)
	{
		brBench_Fail("%s: Embree finds %lld pairs", scene->name, (long long)embreePairCount(&embree));
	}

	enum
	{
		timeCount = 9,
		teamFirst = 6, // from here on two workers
	};
	double times[timeCount][collideRuns];
	for (int r = -1; r < collideRuns; ++r) // one turn to warm up
	{
		double turn[teamFirst] = {timeBuild(&ours, 0),      timeEmbreeBuild(&embree),
								  timeEmbreeRefit(&embree), timePairs(&ours, 0),
								  timeEmbreePairs(&embree), timeCrossings(&ours, &ours.crossings, 0)};
		for (int i = 0; i < teamFirst && r >= 0; ++i)
		{
			times[i][r] = turn[i];
		}
	}
	// A loop of its own: a thread that slept through the work of others is often woken on the same core.
	for (int r = -teamWarmUps; r < collideRuns; ++r)
	{
		double turn[timeCount - teamFirst] = {timeBuild(&ours, 1), timePairs(&ours, 1),
											  timeCrossings(&ours, &ours.crossings, 1)};
		for (int i = teamFirst; i < timeCount && r >= 0; ++i)
		{
			times[i][r] = turn[i - teamFirst];
		}
	}
	double m[timeCount];
	for (int i = 0; i < timeCount; ++i)
	{
		m[i] = least(times[i]);
	}
	char path[64];
	snprintf(path, sizeof(path), "/tmp/brittle_bench_%ld.bin", (long)getpid());
	writePeerFile(&ours, path);
	row(bench, "%s: tree / Embree low-quality commit", scene->name, m[0], m[1]);
	row(bench, "%s: tree / Embree refit", scene->name, m[0], m[2]);
	row(bench, "%s: pairs with tree / Embree commit + collide", scene->name, m[3], m[4]);
	row(bench, "%s: pairs with tree / CGAL boxes", scene->name, m[3],
		askPeer("brittle-peer-cgal", path, "boxes", pairs));
	row(bench, "%s: pairs with tree / FCL", scene->name, m[3], askPeer("brittle-peer-fcl", path, "boxes", pairs));
	row(bench, "%s: pairs with tree / Bullet", scene->name, m[3], askPeer("brittle-peer-bullet", path, "boxes", pairs));
	row(bench, "%s: tree, two workers / one", scene->name, m[6], m[0]);
	row(bench, "%s: pairs with tree, two workers / one", scene->name, m[7], m[3]);
	double cgal = askPeer("brittle-peer-cgal", path, "crossings", crossings);
	row(bench, "%s: exact self-intersections / CGAL", scene->name, m[5], cgal);
	row(bench, "%s: same, two workers / CGAL", scene->name, m[8], cgal);
	remove(path);
	endEmbree(&embree);
	endOurs(&ours);
}

BR_BENCH(collide)
{
	for (int i = 0; i < COLLIDE_SCENE_COUNT; ++i)
	{
		benchScene(bench, &collideScenes[i]);
	}
}
