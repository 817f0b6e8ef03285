// SPDX-License-Identifier: MIT

// Pairs of tetrahedral meshes by every method, and how crowded they are.

#include "brittle/crowding.h"
#include "brittle/research.h"
#include "harness.h"
#include "narrow/tet_pair.h"
#include "narrow/tet_search.h"
#include "pair_sequence.h"

#include <stdlib.h>
#include <string.h>

enum
{
	maxNodes = 80,
	maxTets = 60,
	kindCount = 7,
};

static brTetMesh* drawMesh(brRandom* random, uint32_t kind)
{
	brDVec3 nodes[maxNodes];
	int32_t tets[maxTets][4];
	int32_t nodeCount = 4 + (int32_t)brRandom_Below(random, maxNodes - 3);
	int32_t tetCount = (int32_t)brRandom_Below(random, maxTets + 1);
	for (int32_t i = 0; i < nodeCount; ++i)
	{
		nodes[i] = brMakeDVec3(brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
							   brRandom_Range(random, -1.0, 1.0));
		if (kind == 1) // touching and flat
		{
			nodes[i] = brMakeDVec3(floor(3.0 * nodes[i].x), floor(3.0 * nodes[i].y), floor(3.0 * nodes[i].z));
		}
		if (kind == 2) // a large one around specks
		{
			nodes[i] = brDMul(i < 4 ? 10.0 : 1e-3, nodes[i]);
		}
		if (kind == 3) // slivers
		{
			nodes[i].z *= 1e-5;
		}
		if (kind == 4)
		{
			nodes[i] = brDMul(1e-6, nodes[i]);
		}
		if (kind == 5)
		{
			nodes[i] = brDAdd(brDMul(1e3, nodes[i]), brMakeDVec3(1e6, 1e6, 1e6));
		}
	}
	for (int32_t t = 0; t < tetCount; ++t)
	{
		for (int k = 0; k < 4; ++k)
		{
			// Nearby in number: tets of a mesh share corners with few others.
			tets[t][k] = (int32_t)brRandom_Below(random, (uint32_t)nodeCount);
			tets[t][k] = kind == 2 && t == 0 ? k : tets[t][k];
		}
		if (kind == 6 && t > 0 && t % 3 == 0)
		{
			memcpy(tets[t], tets[t - 1], sizeof(tets[t])); // the same again
		}
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = nodeCount, def.tetCount = tetCount;
	def.nodes = nodes, def.tets = (const int32_t(*)[4])tets;
	return BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
}

static void checkSameLists(brPair* a, int64_t countA, brPair* b, int64_t countB)
{
	CHECK_EQUAL(countA, countB);
	if (countA > 0)
	{
		qsort(a, (size_t)countA, sizeof(brPair), brTest_ComparePairs);
		qsort(b, (size_t)countB, sizeof(brPair), brTest_ComparePairs);
		CHECK(memcmp(a, b, (size_t)countA * sizeof(brPair)) == 0);
	}
}

// One of the other hashes, or a number that is none: Morton's.
static brResearchMethod drawHash(brRandom* random)
{
	return (brResearchMethod)(br_researchKdetDjb2 + (int32_t)brRandom_Below(random, 4));
}

BR_TEST(collide_tets_methods_agree_with_exact_brute_force)
{
	brRandom random = brTest_Random(test);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(3)};
	int64_t pairs = 0, candidates = 0;
	for (int32_t round = 0; round < kindCount * brTest_Rounds(test, 20); ++round)
	{
		uint32_t kind = (uint32_t)(round % kindCount);
		brTetMesh* meshes[3];
		int32_t meshCount = 1 + (int32_t)brRandom_Below(&random, 3);
		for (int32_t i = 0; i < meshCount; ++i)
		{
			meshes[i] = drawMesh(&random, kind);
		}
		const brTetMesh* const* list = (const brTetMesh* const*)meshes;
		brCollideDef def = brDefaultCollideDef();
		def.enableSelf = brRandom_Below(&random, 3) > 0;
		def.enableInter = brRandom_Below(&random, 3) > 0;
		def.keepNeighbors = brRandom_Below(&random, 4) == 0;
		def.keepCandidates = true;
		def.method = br_pairsBrute;
		def.tetTest = br_tetExact;
		brCollision* slow;
		CHECK_RESULT(brCollideTets(NULL, list, meshCount, &def, &slow, NULL), NULL);
		pairs += slow->pairCount, candidates += slow->candidateCount;
		for (int32_t i = 0; i < 4; ++i)
		{
			def.method = i == 1 || i == 2 ? br_pairsKdet : br_pairsOi;
			def.engine = i == 0 ? NULL : brGetResearchEngine(i == 3 ? br_researchBsp : drawHash(&random));
			def.tetTest = br_tetSat;
			def.lanes = i == 2 ? 1 : 0;
			brContext context = {.workers = workers[brRandom_Below(&random, 3)]};
			brCollision* fast;
			CHECK_RESULT(brCollideTets(&context, list, meshCount, &def, &fast, NULL), NULL);
			CHECK(fast->penetrations == NULL);
			checkSameLists(fast->candidates, fast->candidateCount, slow->candidates, slow->candidateCount);
			checkSameLists(fast->pairs, fast->pairCount, slow->pairs, slow->pairCount);
			brDestroyCollision(fast);
		}
		// Planes of faces alone never lose a pair.
		def.tetTest = br_tetSatNoEdges;
		brCollision* more;
		CHECK_RESULT(brCollideTets(NULL, list, meshCount, &def, &more, NULL), NULL);
		CHECK(kind == 1 || kind == 3 || kind == 2 || more->pairCount >= slow->pairCount);
		brDestroyCollision(more);
		brDestroyCollision(slow);
		for (int32_t i = 0; i < meshCount; ++i)
		{
			brDestroyTetMesh(meshes[i]);
		}
	}
	CHECK(pairs > 0 && candidates > pairs);
	brDestroyWorkers(workers[1]);
	brDestroyWorkers(workers[2]);
}

BR_TEST(collide_tets_measures_depth)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brTetMesh* meshes[2] = {drawMesh(&random, 0), drawMesh(&random, 0)};
		const brTetMesh* const* list = (const brTetMesh* const*)meshes;
		brCollideDef def = brDefaultCollideDef();
		def.method = br_pairsKdet;
		brCollision* found[2];
		for (int i = 0; i < 2; ++i)
		{
			def.tetTest = i == 0 ? br_tetSatMtv : br_tetGjk;
			CHECK_RESULT(brCollideTets(NULL, list, 2, &def, &found[i], NULL), NULL);
		}
		CHECK_EQUAL(found[0]->pairCount, found[1]->pairCount);
		for (int64_t i = 0; i < found[0]->pairCount; ++i)
		{
			CHECK(memcmp(&found[0]->pairs[i], &found[1]->pairs[i], sizeof(brPair)) == 0);
			CHECK_NEAR(found[0]->penetrations[i].depth, found[1]->penetrations[i].depth, 1e-9);
			CHECK_NEAR(brDLengthSq(found[0]->penetrations[i].direction), 1.0, 1e-12);
		}
		for (int i = 0; i < 2; ++i)
		{
			brDestroyCollision(found[i]);
			brDestroyTetMesh(meshes[i]);
		}
	}
}

BR_TEST(collide_tets_counts_the_crowd)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brTetMesh* mesh = drawMesh(&random, brRandom_Below(&random, 2) * 6);
		brKFreeness found;
		CHECK_RESULT(brMeasureKFreeness(NULL, (const brTetMesh* const*)&mesh, 1, &found, NULL), NULL);
		int32_t most = 0;
		double sum = 0.0;
		for (int32_t i = 0; i < mesh->tetCount; ++i)
		{
			brDVec3 a[4], b[4];
			int32_t count = 0;
			for (int k = 0; k < 4; ++k)
			{
				a[k] = mesh->nodes[mesh->tets[i][k]];
			}
			double d = brTet_SphereDiameter(a);
			for (int32_t j = 0; j < mesh->tetCount; ++j)
			{
				for (int k = 0; k < 4; ++k)
				{
					b[k] = mesh->nodes[mesh->tets[j][k]];
				}
				count += i != j && d <= brTet_SphereDiameter(b) && brTetPair_Gjk(a, b) <= 0.25 * d;
			}
			most = count + 1 > most ? count + 1 : most;
			sum += count + 1;
		}
		CHECK_EQUAL(found.k, most);
		CHECK_NEAR(found.mean * mesh->tetCount, sum, 0.5);
		CHECK(mesh->tetCount == 0 || (found.mostCrowded >= 0 && found.smallest <= found.largest));
		brDestroyTetMesh(mesh);
	}
}

static brResult collideOnce(const brContext* context, void* user)
{
	brTetMesh** meshes = user;
	const brTetMesh* const* list = (const brTetMesh* const*)meshes;
	brCollideDef def = brDefaultCollideDef();
	def.enableSelf = true;
	def.method = br_pairsKdet;
	def.tetTest = br_tetSatMtv;
	def.keepCandidates = true;
	brCollision* collision = NULL;
	brResult result = brCollideTets(context, list, 2, &def, &collision, NULL);
	CHECK(result < 0 || collision->pairCount > 0);
	brDestroyCollision(collision);
	brKFreeness freeness;
	return result < 0 ? result : brMeasureKFreeness(context, list, 2, &freeness, NULL);
}

BR_TEST(collide_tets_survives_lack_of_memory)
{
	brRandom random = brTest_Random(test);
	brTetMesh* meshes[2] = {drawMesh(&random, 0), drawMesh(&random, 0)};
	CHECK(brTest_WalkAllocations(collideOnce, meshes) > 10);
	brDestroyTetMesh(meshes[0]);
	brDestroyTetMesh(meshes[1]);
}

BR_TEST(collide_tets_refuses_bad_calls)
{
	brCollision* collision = NULL;
	brCollideDef def = brDefaultCollideDef();
	def.stamp = 0;
	brTetMesh* meshes[1] = {NULL};
	CHECK_EQUAL(brCollideTets(NULL, (const brTetMesh* const*)meshes, 0, &def, &collision, NULL), br_errorMisuse);
	CHECK_EQUAL(brCollideTets(NULL, NULL, 0, NULL, &collision, NULL), br_errorMisuse);
	CHECK(collision == NULL);
	CHECK_RESULT(brCollideTets(NULL, (const brTetMesh* const*)meshes, 0, NULL, &collision, NULL), NULL);
	CHECK_EQUAL(collision->pairCount, 0);
	brDestroyCollision(collision);
}
