// SPDX-License-Identifier: MIT

// The grid and the tests of tetrahedra on a device against the CPU's. Runs on the first OpenCL device there is, PoCL in
// most cases.

#include "brittle/brittle.h"
#include "brittle/research.h"
#include "gpu/gpu_pairs.h"
#include "gpu_help.h"
#include "harness.h"
#include "shapes.h"
#include "tet_samples.h"

#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

// Hard on grids: sizes over twelve decades, one far out, all of one size in one cell, the ends of the floats, points.
static void drawLayers(brRandom* random, brBox3* boxes, int32_t count, uint32_t kind)
{
	for (int32_t i = 0; i < count; ++i)
	{
		float low[3], side[3];
		float size = kind == 0 ? exp2f((float)brRandom_Range(random, -40.0, 0.0)) : 0.1f;
		float scale = kind == 3 ? 1e38f : kind == 4 ? 1e-39f : 1.0f;
		for (int k = 0; k < 3; ++k)
		{
			low[k] = scale * (float)brRandom_Range(random, -1.0, 1.0) * (kind == 1 ? 0.01f : 1.0f);
			side[k] = scale * size * (float)brRandom_Range(random, 0.0, 2.0);
			side[k] = kind == 5 ? 0.0f : side[k];
			low[k] = kind == 5 ? floorf(3.0f * low[k]) : low[k];
		}
		boxes[i] = (brBox3){{low[0], low[1], low[2]}, {low[0] + side[0], low[1] + side[1], low[2] + side[2]}};
	}
	if (kind == 2 && count > 0)
	{
		boxes[0] = (brBox3){{1e20f, 1e20f, 1e20f}, {1.1e20f, 1e20f, 1e20f}};
	}
	if (kind == 3 && count > 0)
	{
		boxes[0] = (brBox3){{-3.4e38f, -3.4e38f, -3.4e38f}, {3.4e38f, 3.4e38f, 3.4e38f}};
	}
}

static void compareBoxes(brGpu* gpu, const brBox3* boxes, int32_t count, int32_t round, int64_t* total)
{
	int32_t starts[4] = {0, count / 3, count / 2, count};
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = round % 3 != 1;
	def.enableInter = round % 3 != 2;
	def.keepCandidates = true;
	brCollision *device = NULL, *host = NULL;
	brReport report = {0};
	CHECK_RESULT(brCollideBoxes(NULL, boxes, count, starts, 3, &def, &host, &report), &report);
	// Hashes, sizes of cells, room for pairs, groups.
	static const int32_t layers[] = {0, 0, 1, 3, 29}, groups[] = {0, 16, 32, 64, 128, 256};
	brKdetDef kdet = {round % 4, layers[round % 5], round % 7 == 0 ? 1 : 0, groups[round % 6]};
	brPairEngine* engine = BR_MADE(brPairEngine, brCreateKdetEngine, NULL, &kdet);
	def.engine = engine;
	CHECK_RESULT(brGpu_CollideBoxes(gpu, NULL, boxes, count, starts, 3, &def, &device, &report), &report);
	checkSame(device->candidates, device->candidateCount, host->candidates, host->candidateCount);
	*total += host->candidateCount;
	brDestroyEngine(NULL, engine);
	brDestroyCollision(device);
	brDestroyCollision(host);
}

// Every pair tested in one of the two ways, in groups of some size, against what the host found.
static void compareBrute(brGpu* gpu, const brBox3* boxes, int32_t count, int32_t round, const brCollision* host)
{
	static const int32_t groups[] = {0, 16, 32, 64, 128, 256};
	brTreeBox* frameBoxes = malloc((size_t)count * sizeof(brTreeBox));
	uint32_t* objects = malloc((size_t)count * sizeof(uint32_t));
	brPair* found = malloc(((size_t)host->candidateCount + 1) * sizeof(brPair));
	for (int32_t i = 0; i < count; ++i)
	{
		objects[i] = i > count / 3 ? 1u : 0u;
	}
	brBoxMaker maker = {.source = {.count = count, .boxes = boxes}};
	brBoxMaker_Fill(&maker, 0, count, frameBoxes);
	for (int32_t way = 0; way < 2; ++way)
	{
		brReport report = {0};
		brGpuPairs pairs;
		brGpuPairs_Init(&pairs, gpu);
		pairs.method = br_deviceBrute;
		pairs.isPairwise = way == 1;
		pairs.kdet.groupSize = groups[(round + way) % 6];
		CHECK_RESULT(brGpuPairs_SetElements(&pairs, &maker.source, objects, &report), &report);
		brGpuPairs_SetFrame(&pairs, &maker, frameBoxes);
		brGpuFound counts = {0};
		CHECK_RESULT(brGpuPairs_Run(&pairs, round % 3 != 1, round % 3 != 2, false, false, &counts, &report), &report);
		CHECK_EQUAL(counts.candidateCount, host->candidateCount);
		CHECK_RESULT(brGpuPairs_Read(&pairs, false, counts.candidateCount, found, &report), &report);
		checkSame(found, counts.candidateCount, host->candidates, host->candidateCount);
		brGpuPairs_Free(&pairs);
	}
	free(found);
	free(objects);
	free(frameBoxes);
}

BR_TEST(gpu_brute_force_finds_the_pairs_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	bool isSmall = maxElements(test) <= 5000;
	int64_t total = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		int32_t count = 2 + (int32_t)brRandom_Below(&random, isSmall ? 60 : round % 8 == 0 ? 1500 : 200);
		brBox3* boxes = malloc((size_t)count * sizeof(brBox3));
		drawBoxes(&random, boxes, count, (uint32_t)round % 7);
		int32_t starts[3] = {0, count / 3 + 1, count};
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = round % 3 != 1;
		def.enableInter = round % 3 != 2;
		def.keepCandidates = true;
		brCollision* host = BR_MADE(brCollision, brCollideBoxes, NULL, boxes, count, starts, 2, &def);
		compareBrute(gpu, boxes, count, round, host);
		total += host->candidateCount;
		brDestroyCollision(host);
		free(boxes);
	}
	CHECK(total > brTest_Rounds(test, 400) || test->intensity < 0.05);
	brCloseGpu(gpu);
}

BR_TEST(gpu_grid_pairs_are_those_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int64_t total = 0;
	bool isSmall = maxElements(test) <= 5000;
	for (int32_t round = 0; round < brTest_Rounds(test, 130); ++round)
	{
		int32_t count = (int32_t)brRandom_Below(&random, round % 8 == 0 && !isSmall ? 4000 : 200);
		uint32_t kind = (uint32_t)round % 13;
		count = kind == 2 || kind == 4 || kind == 7 || kind == 8 || kind == 12 ? count % 300 : count;
		brBox3* boxes = malloc(((size_t)count + 1) * sizeof(brBox3));
		(kind < 7 ? drawBoxes : drawLayers)(&random, boxes, count, kind < 7 ? kind : kind - 7);
		compareBoxes(gpu, boxes, count, round, &total);
		free(boxes);
	}
	CHECK(total > brTest_Rounds(test, 3000) || test->intensity < 0.05);
	brCloseGpu(gpu);
}

// More pairs than a group, and than the first list, has room for.
BR_TEST(gpu_grid_loses_no_pair_of_a_crowd)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int32_t count = maxElements(test) <= 5000 ? 200 : 900;
	brBox3* boxes = malloc((size_t)count * sizeof(brBox3));
	for (uint32_t kind = 0; kind < 2; ++kind)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			float x = (float)brRandom_Range(&random, 0.0, 1.0), size = kind == 0 ? 2.0f : 2.0f + 30.0f * x * x * x;
			boxes[i] = (brBox3){{x, -x, 0.0f}, {x + size, size - x, size}};
		}
		int64_t total = 0;
		compareBoxes(gpu, boxes, count, 0, &total);
		CHECK_EQUAL(total, (int64_t)count * (count - 1) / 2);
	}
	free(boxes);
	brCloseGpu(gpu);
}

static brTetMesh* drawTets(brRandom* random, uint32_t kind)
{
	brDVec3 nodes[80];
	int32_t tets[60][4];
	int32_t nodeCount = 4 + (int32_t)brRandom_Below(random, 77), tetCount = (int32_t)brRandom_Below(random, 61);
	double scale = kind == 4 ? 1e-6 : kind == 5 ? 1e20 : 1.0;
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		brDVec3 p = {brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
					 brRandom_Range(random, -1.0, 1.0)};
		p = kind == 1 ? brMakeDVec3(floor(3.0 * p.x), floor(3.0 * p.y), floor(3.0 * p.z)) : p; // touching and flat
		p.z *= kind == 3 ? 1e-5 : 1.0;                                                         // slivers
		nodes[i] = brDMul(kind == 2 ? (i < 4 ? 10.0 : 1e-3) : scale, p);                       // one around specks
	}
	for (int32_t i = 0; i < 4 * tetCount; ++i)
	{
		tets[i / 4][i % 4] = kind == 2 && i < 4 ? i : (int32_t)brRandom_Below(random, (uint32_t)nodeCount);
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = nodeCount, def.tetCount = tetCount;
	def.nodes = nodes, def.tets = (const int32_t(*)[4])tets;
	return BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
}

static int compareByFirst(const void* left, const void* right)
{
	const int64_t *p = left, *q = right;
	return (*p > *q) - (*p < *q);
}

// Depths in the order of sorted pairs; those by the CPU's own files to the last bit.
static void checkDepths(const brCollision* device, const brCollision* host, double scale, bool isExact)
{
	int64_t(*order)[2] = malloc(((size_t)host->pairCount + 1) * sizeof(int64_t[2]));
	for (int64_t i = 0; i < host->pairCount; ++i)
	{
		order[i][0] = (int64_t)host->pairs[i].a << 32 | host->pairs[i].b;
		order[i][1] = i;
	}
	qsort(order, (size_t)host->pairCount, sizeof(order[0]), compareByFirst);
	for (int64_t i = 0; i < host->pairCount; ++i)
	{
		brPenetration mine = device->penetrations[i], other = host->penetrations[order[i][1]];
		CHECK(!isExact || memcmp(&mine, &other, sizeof(mine)) == 0);
		CHECK_NEAR(mine.depth / scale, other.depth / scale, 1e-12);
		// Two axes may be equally short: then the direction is either.
		CHECK_NEAR(brDLengthSq(mine.direction), 1.0, 1e-12);
	}
	free(order);
}

static void compareTets(brGpu* gpu, brTetMesh** meshes, int32_t count, brCollideDef def, int64_t* total, double scale)
{
	brCollision *device = NULL, *host = NULL;
	brReport report = {0};
	const brTetMesh* const* list = (const brTetMesh* const*)meshes;
	CHECK_RESULT(brGpu_CollideTets(gpu, NULL, list, count, &def, &device, &report), &report);
	def.method = br_pairsOi;
	CHECK_RESULT(brCollideTets(NULL, list, count, &def, &host, &report), &report);
	CHECK_EQUAL(device->candidateCount, host->candidateCount);
	CHECK_EQUAL(device->primitiveCount, host->primitiveCount);
	CHECK((device->penetrations != NULL) == (host->penetrations != NULL));
	if (host->penetrations != NULL)
	{
		checkDepths(device, host, scale, def.tetTest == br_tetGjk);
	}
	checkSame(device->pairs, device->pairCount, host->pairs, host->pairCount);
	if (def.keepCandidates)
	{
		checkSame(device->candidates, device->candidateCount, host->candidates, host->candidateCount);
	}
	*total += host->pairCount;
	brDestroyCollision(device);
	brDestroyCollision(host);
}

BR_TEST(gpu_tet_pairs_are_those_of_the_cpu)
{
	brGpu* gpu = openAny();
	brRandom random = brTest_Random(test);
	int64_t totals[4] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 120); ++round)
	{
		uint32_t kind = (uint32_t)round % 6;
		brTetMesh* meshes[2] = {drawTets(&random, kind), drawTets(&random, kind)};
		brCollideDef def = brDefaultCollideDef();
		def.method = round % 4 == 3 ? br_pairsOi : round % 4 == 1 ? br_pairsBrute : br_pairsKdet;
		def.enableSelf = round % 2 == 0;
		def.keepNeighbors = round % 5 == 0;
		def.keepCandidates = round % 3 == 0;
		// What is rounded may fall either side when things touch, so those tests take the kinds where nothing does.
		static const brTetTest tests[] = {br_tetSat, br_tetSatMtv, br_tetSatNoEdges, br_tetGjk};
		int32_t which = kind == 1 ? 0 : round / 6 % 4;
		def.tetTest = tests[which];
		double scale = kind == 4 ? 1e-6 : kind == 5 ? 1e20 : kind == 2 ? 10.0 : 1.0;
		compareTets(gpu, meshes, 2, def, &totals[which], scale);
		brDestroyTetMesh(meshes[0]);
		brDestroyTetMesh(meshes[1]);
	}
	CHECK(totals[0] > brTest_Rounds(test, 500));
	CHECK(test->intensity < 0.5 || (totals[1] > 100 && totals[2] > 100 && totals[3] > 100));
	brCloseGpu(gpu);
}

// Two cubes of tets from one lattice, one shifted: neighbors, planes in common, and most pairs to be settled exactly.
BR_TEST(gpu_tet_cubes_pass_through_each_other)
{
	brGpu* gpu = openAny();
	bool isSmall = maxElements(test) <= 5000;
	int32_t n = isSmall ? 1 : 9;
	const double shifts[] = {0.5, 1.0, 0.3};
	for (int32_t i = isSmall ? 2 : 0; i < 3; ++i)
	{
		brTetMesh* meshes[2] = {makeTetCube(n), makeTetCube(n)};
		for (int32_t k = 0; k < meshes[1]->nodeCount; ++k)
		{
			meshes[1]->nodes[k].x += shifts[i] * (i == 2 ? 1.0 + 1e-3 * k : 1.0) / n;
		}
		brCollideDef def = brDefaultCollideDef();
		def.method = br_pairsKdet;
		def.enableSelf = i != 0;
		int64_t total = 0;
		compareTets(gpu, meshes, 2, def, &total, 1.0);
		CHECK(total > 6 * n * n);
		brDestroyTetMesh(meshes[0]);
		brDestroyTetMesh(meshes[1]);
	}
	brCloseGpu(gpu);
}

BR_TEST(gpu_grid_finds_triangles_too)
{
	brGpu* gpu = openAny();
	brMovingSceneDef motionDef = brDefaultMovingSceneDef("cloth_ball");
	motionDef.frame = 92;
	motionDef.resolution = test->intensity < 0.05 ? 10 : 40;
	brReport report = {0};
	brMovingScene* motion = BR_MADE(brMovingScene, brMakeMovingScene, NULL, &motionDef);
	const brMesh* const* meshes = (const brMesh* const*)motion->meshes;
	for (int32_t i = 0; i < 3; ++i)
	{
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = true;
		def.keepNeighbors = i == 1;
		def.keepCandidates = i == 2;
		brCollision *device = NULL, *host = NULL;
		CHECK_RESULT(brCollideMeshes(NULL, meshes, motion->meshCount, &def, &host, &report), &report);
		def.method = br_pairsKdet;
		CHECK_RESULT(brGpu_CollideMeshes(gpu, NULL, meshes, motion->meshCount, &def, &device, &report), &report);
		CHECK(host->candidateCount > 0);
		CHECK_EQUAL(device->candidateCount, host->candidateCount);
		checkSame(device->pairs, device->pairCount, host->pairs, host->pairCount);
		brDestroyCollision(device);
		brDestroyCollision(host);
	}
	brDestroyMovingScene(motion);
	brCloseGpu(gpu);
}

BR_TEST(gpu_tets_that_cannot_be_are_refused)
{
	brGpu* gpu = openAny();
	brTetMesh* mesh = makeTetCube(1);
	mesh->nodes[3].y = INFINITY;
	brCollision* collision = NULL;
	brReport report = {0};
	CHECK_EQUAL(brGpu_CollideTets(gpu, NULL, (const brTetMesh* const*)&mesh, 1, NULL, &collision, &report),
				br_errorGeometry);
	CHECK(collision == NULL && strstr(report.text, "3") != NULL);
	brCollideDef def = brDefaultCollideDef();
	def.tetTest = br_tetExact;
	CHECK_EQUAL(brGpu_CollideTets(gpu, NULL, (const brTetMesh* const*)&mesh, 1, &def, &collision, &report),
				br_errorMisuse);
	CHECK_RESULT(brGpu_CollideTets(gpu, NULL, (const brTetMesh* const*)&mesh, 0, NULL, &collision, &report), &report);
	CHECK(collision->primitiveCount == 0 && collision->pairCount == 0);
	brDestroyCollision(collision);
	brDestroyTetMesh(mesh);
	brCloseGpu(gpu);
}

static brResult collideTetsOnDevice(const brContext* context, void* user)
{
	brTetMesh* meshes[2] = {makeTetCube(1), makeTetCube(1)};
	brCollideDef def = brDefaultCollideDef();
	def.method = br_pairsKdet;
	def.tetTest = br_tetSatMtv;
	def.keepCandidates = true;
	brCollision* collision = NULL;
	brResult result = brGpu_CollideTets(user, context, (const brTetMesh* const*)meshes, 2, &def, &collision, NULL);
	brDestroyCollision(result >= 0 ? collision : NULL);
	brDestroyTetMesh(meshes[0]);
	brDestroyTetMesh(meshes[1]);
	return result;
}

BR_TEST(gpu_tets_survive_any_failed_allocation)
{
	brGpu* gpu = openAny();
	CHECK(brTest_WalkAllocations(collideTetsOnDevice, gpu) >= 8);
	brCloseGpu(gpu);
}

#endif
