// SPDX-License-Identifier: MIT

// The hashed grid against testing every pair, on sets that are hard on grids.

#include "brittle/research.h"
#include "harness.h"
#include "index/kdet_grid.h"
#include "index/pairs.h"
#include "pair_sequence.h"

#include <stdlib.h>
#include <string.h>

enum
{
	maxBoxes = 900,
	maxObjects = 9,
	kindCount = 9,
};

static float between(brRandom* random, double lower, double upper)
{
	return (float)brRandom_Range(random, lower, upper);
}

static brBox3 drawBox(brRandom* random, uint32_t kind, int32_t i)
{
	double size = 1.0, span = 10.0;
	switch (kind)
	{
		case 1: // huge beside tiny
			size = ldexp(1.0, (int)brRandom_Below(random, 40) - 30);
			break;
		case 2: // all in one cell
			size = 1e-3, span = 1e-3;
			break;
		case 3: // one covers all
			size = i == 5 ? 100.0 : 0.3;
			break;
		case 4: // an outlier
			span = i == 3 ? 1e12 : 1.0;
			size = 0.1;
			break;
		case 5: // at the ends of the floats
			span = 3e38, size = 3e37;
			break;
		default:
			break;
	}
	brVec3 p = {between(random, -span, span), between(random, -span, span), between(random, -span, span)};
	brVec3 s = {between(random, 0.0, size), between(random, 0.0, size), between(random, 0.0, size)};
	if (kind == 6) // slivers and flats
	{
		float* sides[3] = {&s.x, &s.y, &s.z};
		*sides[brRandom_Below(random, 3)] = 0.0f;
		*sides[brRandom_Below(random, 3)] *= 20.0f;
	}
	if (kind == 7) // on the lines of a grid: touching everywhere
	{
		p = brMakeVec3(floorf(p.x), floorf(p.y), floorf(p.z));
		s = brMakeVec3((float)brRandom_Below(random, 3), (float)brRandom_Below(random, 3), 1.0f);
	}
	if (kind == 8) // points
	{
		p = brMakeVec3(floorf(0.3f * p.x), floorf(0.3f * p.y), floorf(0.3f * p.z));
		s = brMakeVec3(0.0f, 0.0f, 0.0f);
	}
	return (brBox3){p, brAdd(p, s)};
}

static void checkEqual(brPairBuffer* found, const brPairBuffer* expected)
{
	CHECK_EQUAL(found->count, expected->count);
	if (found->count > 0)
	{
		qsort(found->pairs, (size_t)found->count, sizeof(brPair), brTest_ComparePairs);
		CHECK(memcmp(found->pairs, expected->pairs, (size_t)found->count * sizeof(brPair)) == 0);
	}
}

BR_TEST(kdet_equals_brute_force_on_hostile_boxes)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(4)};
	brBox3* boxes = BR_ALLOC(&allocator, brBox3, maxBoxes);
	brPairSearchDef slowDef = {.method = br_pairsBrute};
	brPairSearch slow, fast[2];
	brPairSearch_Init(&slow, &allocator, &slowDef);
	for (int i = 0; i < 2; ++i)
	{
		brPairSearchDef def = {.method = br_pairsKdet, .lanes = i == 0 ? 1 : 16};
		brPairSearch_Init(&fast[i], &allocator, &def);
	}
	// Hashes, sizes of cells and room for pairs: none of them changes what is found.
	enum
	{
		engineCount = 8
	};
	static const int32_t layers[engineCount] = {0, 0, 0, 0, 1, 2, 3, 29};
	brPairEngine* engines[engineCount] = {NULL};
	for (int32_t i = 1; i < engineCount; ++i)
	{
		brKdetDef def = {.hash = i % 4, .layers = layers[i], .pairsEach = i > 3 ? i : 0};
		CHECK_RESULT(brCreateKdetEngine(NULL, &def, &engines[i], NULL), NULL);
	}
	int64_t total = 0;
	int32_t drawn[kindCount] = {0};
	for (int32_t round = 0; round < brTest_Rounds(test, 1500); ++round)
	{
		uint32_t kind = brRandom_Below(&random, kindCount);
		drawn[kind] += 1;
		int32_t count = (int32_t)brRandom_Below(&random, round % 20 == 0 ? maxBoxes : 150);
		for (int32_t i = 0; i < count; ++i)
		{
			bool isCopy = i > 0 && brRandom_Below(&random, 10) == 0;
			boxes[i] = isCopy ? boxes[brRandom_Below(&random, (uint32_t)i)] : drawBox(&random, kind, i);
		}
		int32_t starts[maxObjects + 1] = {0}, objectCount = 1 + (int32_t)brRandom_Below(&random, maxObjects);
		for (int32_t k = 1; k <= objectCount; ++k)
		{
			int32_t rest = count - starts[k - 1];
			starts[k] = k == objectCount ? count : starts[k - 1] + (int32_t)brRandom_Below(&random, (uint32_t)rest + 1);
		}
		slow.def.enableSelf = brRandom_Below(&random, 2) == 0;
		slow.def.enableInter = brRandom_Below(&random, 2) == 0;
		brBoxSource source = {.count = count, .boxes = boxes};
		CHECK_RESULT(brPairSearch_Run(&slow, NULL, &source, starts, objectCount, NULL), NULL);
		total += slow.pairs.count;
		for (int i = 0; i < 2; ++i)
		{
			fast[i].def.enableSelf = slow.def.enableSelf;
			fast[i].def.enableInter = slow.def.enableInter;
			fast[i].def.engine = engines[round % engineCount];
			brContext context = {.workers = workers[brRandom_Below(&random, 3)]};
			CHECK_RESULT(brPairSearch_Run(&fast[i], &context, &source, starts, objectCount, NULL), NULL);
			CHECK_EQUAL(fast[i].candidateCount, slow.pairs.count);
			checkEqual(&fast[i].pairs, &slow.pairs);
			int32_t most = layers[round % engineCount];
			const brKdetGrid* grid = fast[i].state;
			// One more for what rounding makes too large. Without pairs there may have been nothing to build.
			CHECK(most == 0 || slow.pairs.count == 0 || grid->layerCount <= most + 1);
		}
	}
	CHECK(total > 0);
	for (int32_t kind = 0; kind < kindCount; ++kind)
	{
		CHECK_MESSAGE(drawn[kind] > 0, "kind %d was never drawn", kind);
	}
	brPairSearch_Free(&slow);
	for (int i = 0; i < 2; ++i)
	{
		brPairSearch_Free(&fast[i]);
		brDestroyWorkers(workers[i + 1]);
	}
	for (int32_t i = 1; i < engineCount; ++i)
	{
		brDestroyEngine(NULL, engines[i]);
	}
	BR_FREE(&allocator, boxes, maxBoxes);
}

BR_TEST(kdet_settings_out_of_range_are_refused)
{
	static const brKdetDef wrong[] = {{.hash = 4},       {.hash = -1},     {.layers = 30},     {.layers = -1},
									  {.pairsEach = -1}, {.groupSize = 8}, {.groupSize = 100}, {.groupSize = 512}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i)
	{
		brPairEngine* engine = NULL;
		CHECK_EQUAL(brCreateKdetEngine(NULL, &wrong[i], &engine, NULL), br_errorMisuse);
		CHECK(engine == NULL);
	}
}

// Large enough that sorting and searching are shared out.
BR_TEST(kdet_and_oi_order_does_not_depend_on_workers)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	enum
	{
		count = 20000,
		searchCount = 5
	};
	brBox3* boxes = BR_ALLOC(&allocator, brBox3, count);
	for (int32_t round = 0; round < 4; ++round)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			boxes[i] = drawBox(&random, 0, i);
			if (round >= 2 && i > 0) // an outlier: the curve has one crowded stretch
			{
				brVec3 p = {between(&random, -10.0, 10.0), between(&random, -10.0, 10.0),
							between(&random, -10.0, 10.0)};
				boxes[i] = (brBox3){p, brAdd(p, brMakeVec3(0.3f, 0.3f, 0.3f))};
			}
		}
		boxes[0] = round >= 2 ? (brBox3){{1e4f, 1e4f, 1e4f}, {1e4f, 1e4f, 1e4f}} : boxes[0];
		brBoxSource source = {.count = count, .boxes = boxes};
		brPairSearch searches[searchCount];
		for (int32_t i = 0; i < searchCount; ++i)
		{
			brPairSearchDef def = {.method = round % 2 == 0 ? br_pairsKdet : br_pairsOi, .enableSelf = true};
			brContext context = {.workers = i == 0 ? NULL : brTest_Workers(i + 1)};
			brPairSearch_Init(&searches[i], &allocator, &def);
			CHECK_RESULT(brPairSearch_Run(&searches[i], &context, &source, NULL, 1, NULL), NULL);
			brDestroyWorkers(context.workers);
			CHECK(searches[i].pairs.count > 1000);
			CHECK_EQUAL(searches[i].pairs.count, searches[0].pairs.count);
			CHECK(memcmp(searches[i].pairs.pairs, searches[0].pairs.pairs,
						 (size_t)searches[0].pairs.count * sizeof(brPair)) == 0);
		}
		for (int32_t i = 0; i < searchCount; ++i)
		{
			brPairSearch_Free(&searches[i]);
		}
	}
	BR_FREE(&allocator, boxes, count);
}

BR_TEST(kdet_leaves_neighbors_out_of_pairs_only)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	enum
	{
		vertices = 60,
		elements = 200
	};
	brDVec3 positions[vertices];
	int32_t corners[4 * elements];
	int64_t neighbors = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		for (int32_t i = 0; i < vertices; ++i)
		{
			positions[i] = brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
									   brRandom_Range(&random, -1.0, 1.0));
		}
		int32_t each = 2 + round % 3;
		for (int32_t i = 0; i < each * elements; ++i)
		{
			corners[i] = (int32_t)brRandom_Below(&random, vertices);
		}
		brBoxSource source = {elements, NULL, vertices, positions, NULL, each, corners, 0.0};
		brPairSearchDef slowDef = {.method = br_pairsBrute, .enableSelf = true};
		brPairSearchDef def = {
			.method = br_pairsKdet, .enableSelf = true, .skipNeighbors = true, .lanes = round % 2 == 0 ? 1 : 0};
		brPairSearch slow, fast;
		brPairSearch_Init(&slow, &allocator, &slowDef);
		brPairSearch_Init(&fast, &allocator, &def);
		CHECK_RESULT(brPairSearch_Run(&slow, NULL, &source, NULL, 1, NULL), NULL);
		CHECK_RESULT(brPairSearch_Run(&fast, NULL, &source, NULL, 1, NULL), NULL);
		CHECK_EQUAL(fast.candidateCount, slow.pairs.count);
		int64_t kept = 0;
		for (int64_t i = 0; i < slow.pairs.count; ++i)
		{
			brPair pair = slow.pairs.pairs[i];
			bool shares = false;
			for (int32_t k = 0; k < each * each; ++k)
			{
				shares |= corners[each * pair.a + k / each] == corners[each * pair.b + k % each];
			}
			neighbors += shares;
			slow.pairs.pairs[kept] = pair;
			kept += !shares;
		}
		slow.pairs.count = kept;
		checkEqual(&fast.pairs, &slow.pairs);
		brPairSearch_Free(&slow);
		brPairSearch_Free(&fast);
	}
	CHECK(neighbors > 0);
}

BR_TEST(kdet_table_grows_when_cells_are_many)
{
	// Specks far from each other: as many cells as elements, four times what the table starts with.
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	enum
	{
		count = 50000
	};
	brBox3* boxes = BR_ALLOC(&allocator, brBox3, count);
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 p = {between(&random, 0.0, 1000.0), between(&random, 0.0, 1000.0), between(&random, 0.0, 1000.0)};
		boxes[i] = (brBox3){p, brAdd(p, brMakeVec3(1.0f, 1.0f, 1.0f))};
	}
	brBoxSource source = {.count = count, .boxes = boxes};
	for (int32_t hash = 0; hash < 4; ++hash)
	{
		brPairSearchDef def = {.method = br_pairsKdet,
							   .enableSelf = true,
							   .engine = brGetResearchEngine((brResearchMethod)(br_researchKdetDjb2 + hash))};
		brPairSearchDef oiDef = {.enableSelf = true};
		brPairSearch search, oi;
		brPairSearch_Init(&search, &allocator, &def);
		brPairSearch_Init(&oi, &allocator, &oiDef);
		CHECK_RESULT(brPairSearch_Run(&search, NULL, &source, NULL, 1, NULL), NULL);
		CHECK_RESULT(brPairSearch_Run(&oi, NULL, &source, NULL, 1, NULL), NULL);
		CHECK_EQUAL(search.pairs.count, oi.pairs.count);
		const brKdetGrid* grid = search.state;
		CHECK(grid->cellCount > count / 2);
		CHECK_EQUAL(grid->bucketBits, 16);
		brPairSearch_Free(&search);
		brPairSearch_Free(&oi);
	}
	BR_FREE(&allocator, boxes, count);
}
