// SPDX-License-Identifier: MIT
#include "brittle/brittle.h"
#include "brittle/swept_pairs.h"
#include "harness.h"
#include "narrow/triangle_pair.h"
#include "narrow/triangle_search.h"
#include "narrow/triangle_soup.h"
#include "pair_sequence.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Triangles that share vertices, lie in common planes, touch, are flat or far from the origin.
static brMesh* drawSoup(brRandom* random, uint32_t kind)
{
	brDVec3 positions[60];
	int32_t corners[300];
	int32_t vertexCount = 3 + (int32_t)brRandom_Below(random, 57), faceCount = (int32_t)brRandom_Below(random, 100);
	double scale = kind == 2 ? 1e-3 : kind == 3 ? 1e30 : kind == 4 ? 1e-30 : 1.0, offset = kind == 2 ? 1e4 : 0.0;
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		brDVec3 p = {brRandom_Range(random, 0.0, 5.0), brRandom_Range(random, 0.0, 5.0),
					 brRandom_Range(random, 0.0, 5.0)};
		if (kind == 0)
		{
			p = brMakeDVec3(floor(p.x), floor(p.y), floor(p.z / 2.0));
		}
		positions[i] = brDMulAdd(brMakeDVec3(offset, offset, offset), scale, p);
	}
	for (int32_t i = 0; i < 3 * faceCount; ++i)
	{
		corners[i] = (int32_t)brRandom_Below(random, (uint32_t)vertexCount);
	}
	if (kind == 5 && faceCount > 0) // a speck among large ones
	{
		for (int k = 0; k < 3; ++k)
		{
			positions[k] = brDMulAdd(positions[0], 1e-9 * k, brMakeDVec3(1.0, k - 1.0, 0.5));
			corners[k] = k;
		}
	}
	return brShape_Make(positions, vertexCount, corners, NULL, faceCount);
}

static void checkSameLists(brPair* a, int64_t countA, brPair* b, int64_t countB)
{
	CHECK_EQUAL(countA, countB);
	if (countA == 0)
	{
		return;
	}
	qsort(a, (size_t)countA, sizeof(brPair), brTest_ComparePairs);
	qsort(b, (size_t)countB, sizeof(brPair), brTest_ComparePairs);
	CHECK(memcmp(a, b, (size_t)countA * sizeof(brPair)) == 0);
}

BR_TEST(collide_meshes_equals_brute_force)
{
	brRandom random = brTest_Random(test);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(3)};
	int64_t pairs = 0, candidates = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 1200); ++round)
	{
		brMesh* meshes[3];
		int32_t meshCount = 1 + (int32_t)brRandom_Below(&random, 3);
		uint32_t kind = brRandom_Below(&random, 6);
		for (int32_t i = 0; i < meshCount; ++i)
		{
			meshes[i] = drawSoup(&random, kind);
		}
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = brRandom_Below(&random, 2) == 0;
		def.keepNeighbors = brRandom_Below(&random, 2) == 0;
		def.keepCandidates = true;
		def.method = br_pairsBrute;
		const brMesh* const* list = (const brMesh* const*)meshes;
		brCollision *slow, *fast;
		CHECK_RESULT(brCollideMeshes(NULL, list, meshCount, &def, &slow, NULL), NULL);
		def.method = br_pairsOi;
		def.lanes = (int32_t[]){1, 8, 16}[round % 3];
		brContext context = {.workers = workers[brRandom_Below(&random, 3)]};
		CHECK_RESULT(brCollideMeshes(&context, list, meshCount, &def, &fast, NULL), NULL);
		CHECK_EQUAL(fast->primitiveCount, slow->primitiveCount);
		checkSameLists(fast->candidates, fast->candidateCount, slow->candidates, slow->candidateCount);
		checkSameLists(fast->pairs, fast->pairCount, slow->pairs, slow->pairCount);
		pairs += slow->pairCount, candidates += slow->candidateCount;
		brDestroyCollision(slow);
		brDestroyCollision(fast);
		for (int32_t i = 0; i < meshCount; ++i)
		{
			brDestroyMesh(meshes[i]);
		}
	}
	CHECK(pairs > 0 && candidates > pairs);
	brDestroyWorkers(workers[1]);
	brDestroyWorkers(workers[2]);
}

// The rule for neighbors of one surface, against asking the exact test about every pair.
BR_TEST(collide_finds_neighbors_that_meet_beyond)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	int64_t neighbors = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 500); ++round)
	{
		brMesh* mesh = drawSoup(&random, brRandom_Below(&random, 6));
		brTriangleSoup soup;
		CHECK_RESULT(brTriangleSoup_Make(&soup, NULL, (const brMesh* const*)&mesh, 1, NULL), NULL);
		brPairSearchDef def = {
			.lanes = (int32_t[]){1, 8, 16}[round % 3], .enableSelf = true, .rule = br_neighborsBeyond};
		brTriangleSearch search;
		brTriangleSearch_Init(&search, &allocator, &def);
		brBoxSource source = brTriangleSoup_Source(&soup);
		CHECK_RESULT(brTriangleSearch_Run(&search, NULL, &source, NULL, 1, NULL), NULL);
		brPairBuffer* pairs = &search.search.pairs;
		if (pairs->count > 0)
		{
			qsort(pairs->pairs, (size_t)pairs->count, sizeof(brPair), brTest_ComparePairs);
		}
		int64_t at = 0;
		for (int32_t i = 0; i < soup.triangleCount; ++i)
		{
			for (int32_t j = i + 1; j < soup.triangleCount; ++j)
			{
				const int32_t *ia = soup.triangles[i], *ib = soup.triangles[j];
				brDVec3 a[3], b[3];
				bool isNeighbor = false;
				for (int k = 0; k < 3; ++k)
				{
					a[k] = soup.positions[ia[k]], b[k] = soup.positions[ib[k]];
					isNeighbor |= ia[k] == ib[0] || ia[k] == ib[1] || ia[k] == ib[2];
				}
				if (brTrianglePair_MeetsBeyond(a, ia, b, ib))
				{
					CHECK(at < pairs->count && pairs->pairs[at].a == i && pairs->pairs[at].b == j);
					at += 1;
					neighbors += isNeighbor;
				}
			}
		}
		CHECK_EQUAL(at, pairs->count);
		brTriangleSearch_Free(&search);
		brTriangleSoup_Free(&soup);
		brDestroyMesh(mesh);
	}
	CHECK(neighbors > 0);
}

static brResult collideOnce(const brContext* context, void* user)
{
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	def.keepCandidates = true;
	brCollision* collision = NULL;
	brResult result = brCollideMeshes(context, user, 2, &def, &collision, NULL);
	CHECK(result < 0 ? collision == NULL : collision->pairCount > 0);
	brDestroyCollision(collision);
	return result;
}

static brResult sweepOnce(const brContext* context, void* user)
{
	const brMesh* const* frames = user;
	brSweptPairs* sweep = NULL;
	brResult result = brFindSweptPairs(context, frames[0], frames[0], NULL, &sweep, NULL);
	CHECK(result < 0 ? sweep == NULL : sweep->edgeCount > 0);
	brDestroySweptPairs(sweep);
	return result;
}

static brResult checkOnce(const brContext* context, void* user)
{
	const brMesh* const* meshes = user;
	brMeshCheck check;
	return brMesh_Check(meshes[0], context, NULL, &check, NULL);
}

BR_TEST(collide_survives_lack_of_memory)
{
	brMesh* meshes[2] = {brShape_Sphere(2), brShape_Box(1.0, 1.0, 1.0)};
	CHECK(brTest_WalkAllocations(collideOnce, meshes) > 20);
	CHECK(brTest_WalkAllocations(sweepOnce, meshes) > 20);
	CHECK(brTest_WalkAllocations(checkOnce, meshes) > 20);
	brDestroyMesh(meshes[0]);
	brDestroyMesh(meshes[1]);
}

BR_TEST(collide_refuses_bad_calls)
{
	brBox3 boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
	brCollision* collision = NULL;
	brCollideDef def = brDefaultCollideDef();
	int32_t falling[3] = {0, 2, 1}, shorter[2] = {0, 1};
	CHECK_EQUAL(brCollideBoxes(NULL, boxes, 2, falling, 2, &def, &collision, NULL), br_errorMisuse);
	CHECK_EQUAL(brCollideBoxes(NULL, boxes, 2, shorter, 1, &def, &collision, NULL), br_errorMisuse);
	def.stamp = 0;
	CHECK_EQUAL(brCollideBoxes(NULL, boxes, 2, NULL, 0, &def, &collision, NULL), br_errorMisuse);
	def = brDefaultCollideDef();
	def.lanes = 3;
	CHECK_EQUAL(brCollideBoxes(NULL, boxes, 2, NULL, 0, &def, &collision, NULL), br_errorMisuse);
	CHECK_EQUAL(brCollideMeshes(NULL, NULL, 1, NULL, &collision, NULL), br_errorMisuse);
	CHECK(collision == NULL);
	CHECK_RESULT(brCollideBoxes(NULL, boxes, 2, NULL, 0, NULL, &collision, NULL), NULL);
	CHECK_EQUAL(collision->candidateCount, 1);
	brDestroyCollision(collision);
	CHECK_RESULT(brCollideBoxes(NULL, NULL, 0, NULL, 0, NULL, &collision, NULL), NULL);
	CHECK_EQUAL(collision->candidateCount, 0);
	brDestroyCollision(collision);

	brMesh *box = brShape_Box(1.0, 1.0, 1.0), *sphere = brShape_Sphere(1);
	brSweptPairs* sweep = NULL;
	CHECK_EQUAL(brFindSweptPairs(NULL, box, sphere, NULL, &sweep, NULL), br_errorGeometry);
	CHECK(sweep == NULL);
	brDestroyMesh(box);
	brDestroyMesh(sphere);
}

// Self-intersections as brMesh_Check counts them

static brMeshCheck checkMesh(const brMesh* mesh)
{
	brMeshCheck check;
	brReport report = {0};
	CHECK_RESULT(brMesh_Check(mesh, NULL, NULL, &check, &report), &report);
	return check;
}

BR_TEST(mesh_check_finds_crossings)
{
	brMesh* sphere = brShape_Sphere(3);
	brMeshCheck check = checkMesh(sphere);
	CHECK_EQUAL(check.selfIntersections, 0);
	CHECK(check.isSolid);

	// Split into corners it is open, but does not cross itself.
	brMesh* soup = brShape_Soup(sphere);
	check = checkMesh(soup);
	CHECK_EQUAL(check.selfIntersections, 0);
	CHECK(!check.isSolid);
	brDestroyMesh(soup);

	// Two spheres that overlap are closed, oriented and manifold, and yet no solid.
	brMesh* other = brShape_Sphere(3);
	brAffine shift = brMakeAffineIdentity();
	shift.p = brMakeDVec3(0.7, 0.3, 0.1);
	brMesh_Transform(other, &shift);
	const brMesh* both[2] = {sphere, other};
	brMesh* merged;
	CHECK_RESULT(brMergeMeshes(NULL, both, 2, &merged, NULL), NULL);
	check = checkMesh(merged);
	CHECK(check.isClosed && check.isOriented && check.isManifold && !check.isSolid);
	CHECK(check.selfIntersections > 50);
	CHECK_MESSAGE(strstr(check.verdict, "meets face") != NULL, "verdict: %s", check.verdict);
	brDestroyMesh(merged);

	// The same sphere twice: every triangle meets its copy and its copy's neighbors only along shared edges.
	both[1] = sphere;
	CHECK_RESULT(brMergeMeshes(NULL, both, 2, &merged, NULL), NULL);
	check = checkMesh(merged);
	CHECK_EQUAL(check.selfIntersections, sphere->faceCount);
	brDestroyMesh(merged);
	brDestroyMesh(other);
	brDestroyMesh(sphere);

	brMeshCheckDef def = brDefaultMeshCheckDef();
	def.findSelfIntersections = false;
	brMesh* prism = brShape_LPrism();
	CHECK_RESULT(brMesh_Check(prism, NULL, &def, &check, NULL), NULL);
	CHECK_EQUAL(check.selfIntersections, -1);
	CHECK_EQUAL(checkMesh(prism).selfIntersections, 0);
	brDestroyMesh(prism);
}

// The counts of others on public data

static brMesh* loadData(const char* name)
{
	const char* path = brTest_DataPath(name);
	if (path == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	return BR_MADE(brMesh, brLoadMesh, NULL, path);
}

static void checkCounts(const char* name, int64_t candidates, int64_t crossings)
{
	brMesh* mesh = loadData(name);
	brWorkers* workers = brTest_Workers(2);
	brContext context = {.workers = workers};
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	brCollision* collision;
	CHECK_RESULT(brCollideMeshes(&context, (const brMesh* const*)&mesh, 1, &def, &collision, NULL), NULL);
	CHECK_EQUAL(collision->candidateCount, candidates);
	CHECK(collision->pairCount <= crossings);
	brDestroyCollision(collision);

	// As CGAL counts: neighbors, by index, that meet beyond what they share are in.
	brTriangleSoup soup;
	CHECK_RESULT(brTriangleSoup_Make(&soup, NULL, (const brMesh* const*)&mesh, 1, NULL), NULL);
	brPairSearchDef searchDef = {.enableSelf = true, .rule = br_neighborsBeyond};
	brTriangleSearch search;
	brTriangleSearch_Init(&search, &soup.allocator, &searchDef);
	brBoxSource source = brTriangleSoup_Source(&soup);
	CHECK_RESULT(brTriangleSearch_Run(&search, &context, &source, NULL, 1, NULL), NULL);
	CHECK_EQUAL(search.search.pairs.count, crossings);
	brTriangleSearch_Free(&search);
	brTriangleSoup_Free(&soup);
	brDestroyWorkers(workers);
	brDestroyMesh(mesh);
}

BR_TEST(collide_cloth_ball_has_the_known_counts)
{
	checkCounts("ccd/cloth-ball/frames/cloth_ball92.ply", 1337359, 63602);
}

BR_TEST(collide_n_body_has_the_known_counts)
{
	checkCounts("ccd/n-body-simulation/frames/balls16_18.ply", 1063938, 4916);
}

BR_TEST(collide_bunny_has_the_known_counts)
{
	checkCounts("models/stanford-bunny.obj", 431519, 0);
}

// Pairs of global ids from a list of lists of numbers.
static int64_t readPairs(const char* name, brPair** outPairs)
{
	const char* path = brTest_DataPath(name);
	CHECK(path != NULL);
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	int64_t count = 0, capacity = 1 << 20;
	*outPairs = malloc((size_t)capacity * sizeof(brPair));
	CHECK(*outPairs != NULL);
	int32_t numbers = 0, value = -1;
	for (int c = fgetc(file); c != EOF; c = fgetc(file))
	{
		if (c >= '0' && c <= '9')
		{
			value = (value < 0 ? 0 : 10 * value) + (c - '0');
		}
		else if (value >= 0)
		{
			CHECK(count < capacity);
			*(numbers % 2 == 0 ? &(*outPairs)[count].a : &(*outPairs)[count].b) = value;
			count += numbers % 2;
			numbers += 1;
			value = -1;
		}
	}
	fclose(file);
	return count;
}

// Every pair of the list is among the candidates found.
static void checkContains(const char* name, const brPair* found, int64_t foundCount, int32_t offsetA, int32_t offsetB)
{
	brPair* listed;
	int64_t listedCount = readPairs(name, &listed);
	CHECK(listedCount > 0);
	for (int64_t i = 0; i < listedCount; ++i)
	{
		brPair p = listed[i];
		listed[i] = p.a < p.b ? (brPair){p.a - offsetA, p.b - offsetB} : (brPair){p.b - offsetA, p.a - offsetB};
	}
	qsort(listed, (size_t)listedCount, sizeof(brPair), brTest_ComparePairs);
	int64_t repeated = 0, met = 0;
	for (int64_t i = 1; i < listedCount; ++i)
	{
		repeated += brTest_ComparePairs(&listed[i - 1], &listed[i]) == 0;
	}
	for (int64_t i = 0; i < foundCount; ++i)
	{
		met += bsearch(&found[i], listed, (size_t)listedCount, sizeof(brPair), brTest_ComparePairs) != NULL;
	}
	CHECK_EQUAL(met, listedCount - repeated); // each pair is found once
	free(listed);
}

static void checkSweep(const char* frame, const char* next, const char* vertexFaces, const char* edgeEdges,
					   int64_t vertexFaceCount, int64_t edgeEdgeCount)
{
	brMesh *mesh = loadData(frame), *moved = loadData(next);
	brWorkers* workers = brTest_Workers(2);
	brContext context = {.workers = workers};
	brSweptPairs* sweep;
	CHECK_RESULT(brFindSweptPairs(&context, mesh, moved, NULL, &sweep, NULL), NULL);
	CHECK(vertexFaceCount < 0 || sweep->vertexFaceCount == vertexFaceCount);
	CHECK(edgeEdgeCount < 0 || sweep->edgeEdgeCount == edgeEdgeCount);
	int32_t firstEdge = sweep->vertexCount, firstFace = firstEdge + sweep->edgeCount;
	checkContains(vertexFaces, sweep->vertexFaces, sweep->vertexFaceCount, 0, firstFace);
	checkContains(edgeEdges, sweep->edgeEdges, sweep->edgeEdgeCount, firstEdge, firstEdge);
	brDestroySweptPairs(sweep);
	brDestroyWorkers(workers);
	brDestroyMesh(mesh);
	brDestroyMesh(moved);
}

BR_TEST(sweep_of_cloth_ball_misses_nothing)
{
	checkSweep("ccd/cloth-ball/frames/cloth_ball92.ply", "ccd/cloth-ball/frames/cloth_ball93.ply",
			   "ccd/cloth-ball/boxes/92vf.json", "ccd/cloth-ball/boxes/92ee.json", 1655541, 5197332);
}

BR_TEST(sweep_of_n_body_misses_nothing)
{
	checkSweep("ccd/n-body-simulation/frames/balls16_18.ply", "ccd/n-body-simulation/frames/balls16_19.ply",
			   "ccd/n-body-simulation/boxes/18vf.json", "ccd/n-body-simulation/boxes/18ee.json", -1, -1);
}

BR_TEST(sweep_of_funnel_misses_nothing)
{
	checkSweep("ccd/cloth-funnel/frames/227.ply", "ccd/cloth-funnel/frames/228.ply",
			   "ccd/cloth-funnel/boxes/227vf.json", "ccd/cloth-funnel/boxes/227ee.json", -1, -1);
}
