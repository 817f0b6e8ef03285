// SPDX-License-Identifier: MIT
#include "brittle/research.h"
#include "harness.h"
#include "index/pairs.h"
#include "pair_sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Scenes that are hard on trees: touching, flat, point-like, equal, far apart.

enum
{
	maxBoxes = 700,
	maxTrees = 24,
	kindCount = 8,
};

static float pick(brRandom* random, bool onGrid, double span)
{
	double x = brRandom_Range(random, -span, span);
	return (float)(onGrid ? floor(x) : x);
}

static void drawBoxes(brRandom* random, uint32_t kind, int32_t count, brBox3* boxes)
{
	double span = kind == 6 ? 1e30 : 10.0;
	for (int32_t i = 0; i < count; ++i)
	{
		bool onGrid = kind == 1 || kind == 2;
		float size = kind == 0 ? 2.0f : kind == 2 ? 0.0f : kind == 3 ? 0.0f : kind == 4 ? 30.0f : 1.0f;
		brVec3 p = {pick(random, onGrid, span), pick(random, onGrid, span), pick(random, onGrid, span)};
		brVec3 s = {onGrid ? 1.0f : size * (float)brRandom_Unit(random), size * (float)brRandom_Unit(random), size};
		if (kind == 5) // one outlier stretches the grid until all others share a cell
		{
			p = i == 0 ? brMakeVec3(1e8f, 1e8f, 1e8f) : brMul(0.1f, p);
		}
		if (kind == 7) // nothing but copies
		{
			p = brMakeVec3(1.0f, 2.0f, 3.0f);
			s = brMakeVec3(0.0f, 0.0f, 1.0f);
		}
		s = kind == 1 ? brMakeVec3(1.0f, 1.0f, (float)brRandom_Below(random, 2)) : s;
		s = kind == 2 || kind == 3 ? brMakeVec3(0.0f, 0.0f, 0.0f) : s;
		boxes[i] = (brBox3){p, brAdd(p, s)};
		if (i > 0 && brRandom_Below(random, 10) == 0)
		{
			boxes[i] = boxes[brRandom_Below(random, (uint32_t)i)];
		}
	}
}

static void checkSamePairs(const brPairBuffer* found, brPair* expected, int64_t expectedCount, bool isSorted)
{
	CHECK_EQUAL(found->count, expectedCount);
	if (!isSorted && found->count > 0)
	{
		qsort(found->pairs, (size_t)found->count, sizeof(brPair), brTest_ComparePairs);
	}
	CHECK(expectedCount == 0 || memcmp(found->pairs, expected, (size_t)expectedCount * sizeof(brPair)) == 0);
}

BR_TEST(pairs_equal_brute_force_for_all_widths_and_workers)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	brWorkers* workers[4] = {NULL, brTest_Workers(2), brTest_Workers(3), brTest_Workers(4)};
	brBox3* boxes = BR_ALLOC(&allocator, brBox3, maxBoxes);
	brPair* expected = BR_ALLOC(&allocator, brPair, maxBoxes * maxBoxes);
	brPair* plain = BR_ALLOC(&allocator, brPair, maxBoxes * maxBoxes);
	static const int32_t widths[3] = {1, 8, 16};
	brPairSearch searches[3]; // kept over all scenes: memory that is used again must not matter
	for (int i = 0; i < 3; ++i)
	{
		brPairSearchDef def = {.lanes = widths[i]};
		brPairSearch_Init(&searches[i], &allocator, &def);
	}
	int32_t drawn[kindCount] = {0};
	int64_t pairTotal = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 4000); ++round)
	{
		uint32_t kind = brRandom_Below(&random, kindCount);
		uint32_t most = round % 40 == 0 ? maxBoxes : kind == 4 || kind == 7 ? 40 : 130;
		int32_t count = (int32_t)brRandom_Below(&random, most + 1);
		drawBoxes(&random, kind, count, boxes);
		drawn[kind] += 1;

		int32_t treeCount = 1 + (int32_t)brRandom_Below(&random, brRandom_Below(&random, 2) ? maxTrees : 1);
		int32_t starts[maxTrees + 1] = {0};
		for (int32_t k = 1; k < treeCount; ++k)
		{
			int32_t step = (int32_t)brRandom_Below(&random, (uint32_t)(2 * count / treeCount + 1));
			starts[k] = starts[k - 1] + step < count ? starts[k - 1] + step : count;
		}
		starts[treeCount] = count;
		bool self = brRandom_Below(&random, 3) > 0, inter = brRandom_Below(&random, 3) > 0;

		int64_t expectedCount = 0;
		for (int32_t i = 0, tree = 0; i < count; ++i)
		{
			for (; i >= starts[tree + 1]; ++tree)
			{
			}
			for (int32_t j = i + 1; j < count; ++j)
			{
				if ((j < starts[tree + 1] ? self : inter) && brBox3_Overlaps(boxes[i], boxes[j]))
				{
					expected[expectedCount++] = (brPair){i, j};
				}
			}
		}
		pairTotal += expectedCount;

		brBoxSource source = {.count = count, .boxes = boxes};
		for (int i = 0; i < 3; ++i)
		{
			brContext context = {.workers = workers[brRandom_Below(&random, 4)]};
			searches[i].def.method = br_pairsOi;
			searches[i].def.enableSelf = self;
			searches[i].def.enableInter = inter;
			brReport report = {0};
			CHECK_RESULT(brPairSearch_Run(&searches[i], &context, &source, starts, treeCount, &report), &report);
			// The same list in the same order whatever the width and the workers.
			const brPairBuffer* found = &searches[i].pairs;
			CHECK_EQUAL(found->count, expectedCount);
			if (i == 0 && expectedCount > 0)
			{
				memcpy(plain, found->pairs, (size_t)expectedCount * sizeof(brPair));
			}
			CHECK(expectedCount == 0 || memcmp(plain, found->pairs, (size_t)expectedCount * sizeof(brPair)) == 0);
			checkSamePairs(found, expected, expectedCount, false);
		}
		brContext team = {.workers = workers[brRandom_Below(&random, 4)]};
		searches[0].def.engine = brGetResearchEngine(br_researchBsp);
		CHECK_RESULT(brPairSearch_Run(&searches[0], &team, &source, starts, treeCount, NULL), NULL);
		checkSamePairs(&searches[0].pairs, expected, expectedCount, false);
		for (int i = 0; i < 2; ++i) // twice: the order of pairs must not depend on workers either
		{
			team.workers = workers[i == 0 ? 0 : 1 + brRandom_Below(&random, 3)];
			searches[0].def.engine = brGetResearchEngine(br_researchLbvh);
			CHECK_RESULT(brPairSearch_Run(&searches[0], &team, &source, starts, treeCount, NULL), NULL);
			CHECK_EQUAL(searches[0].pairs.count, expectedCount);
			if (i == 0 && expectedCount > 0)
			{
				memcpy(plain, searches[0].pairs.pairs, (size_t)expectedCount * sizeof(brPair));
			}
			CHECK(expectedCount == 0 ||
				  memcmp(plain, searches[0].pairs.pairs, (size_t)expectedCount * sizeof(brPair)) == 0);
			checkSamePairs(&searches[0].pairs, expected, expectedCount, false);
		}
		searches[0].def.engine = NULL;
		searches[0].def.method = br_pairsBrute;
		CHECK_RESULT(brPairSearch_Run(&searches[0], NULL, &source, starts, treeCount, NULL), NULL);
		checkSamePairs(&searches[0].pairs, expected, expectedCount, true);
	}
	for (int i = 0; i < 3; ++i)
	{
		brPairSearch_Free(&searches[i]);
	}
	for (int i = 1; i < 4; ++i)
	{
		brDestroyWorkers(workers[i]);
	}
	BR_FREE(&allocator, boxes, maxBoxes);
	BR_FREE(&allocator, expected, maxBoxes * maxBoxes);
	BR_FREE(&allocator, plain, maxBoxes * maxBoxes);
	CHECK(pairTotal > 0);
	for (int32_t kind = 0; kind < kindCount; ++kind)
	{
		CHECK_MESSAGE(drawn[kind] > 0, "kind %d was never drawn", kind);
	}
}

BR_TEST(pairs_between_two_sets_equal_brute_force)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	brBox3* boxes[2] = {BR_ALLOC(&allocator, brBox3, maxBoxes), BR_ALLOC(&allocator, brBox3, maxBoxes)};
	brWorkers* workers = brTest_Workers(3);
	brContext context = {.workers = workers};
	for (int32_t round = 0; round < brTest_Rounds(test, 300); ++round)
	{
		int32_t counts[2];
		for (int i = 0; i < 2; ++i)
		{
			counts[i] = (int32_t)brRandom_Below(&random, 200);
			drawBoxes(&random, brRandom_Below(&random, 4), counts[i], boxes[i]);
		}
		brBoxSource first = {.count = counts[0], .boxes = boxes[0]}, second = {.count = counts[1], .boxes = boxes[1]};
		brPairSearchDef oi = {.lanes = (int32_t[]){1, 8, 16}[round % 3]}, brute = {.method = br_pairsBrute};
		brPairSearch ours, slow;
		brPairSearch_Init(&ours, &allocator, &oi);
		brPairSearch_Init(&slow, &allocator, &brute);
		CHECK_RESULT(brPairSearch_RunBetween(&ours, &context, &first, &second, NULL), NULL);
		CHECK_RESULT(brPairSearch_RunBetween(&slow, NULL, &first, &second, NULL), NULL);
		checkSamePairs(&ours.pairs, slow.pairs.pairs, slow.pairs.count, false);
		brPairSearch_Free(&ours);
		brPairSearch_Free(&slow);
	}
	brDestroyWorkers(workers);
	BR_FREE(&allocator, boxes[0], maxBoxes);
	BR_FREE(&allocator, boxes[1], maxBoxes);
}

BR_TEST(pairs_of_elements_use_outward_boxes_of_both_frames)
{
	// Doubles that are no floats: the box of an element holds its corners, and every width gives the same bits.
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	enum
	{
		vertices = 200,
		elements = 300
	};
	brDVec3 positions[2][vertices];
	int32_t corners[4 * elements];
	brTreeBox made[3][elements];
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		double scale = round % 3 == 0 ? 1e-44 : round % 3 == 1 ? 1.0 : 1e37; // denormal floats, plain, near the largest
		for (int32_t i = 0; i < vertices; ++i)
		{
			for (int frame = 0; frame < 2; ++frame)
			{
				positions[frame][i] =
					brMakeDVec3(scale * brRandom_Range(&random, -1.0, 1.0), scale * brRandom_Range(&random, -1.0, 1.0),
								brRandom_Below(&random, 2) ? 0.0 : (double)(float)(scale * 0.3));
			}
		}
		int32_t each = 1 + (int32_t)brRandom_Below(&random, 4);
		for (int32_t i = 0; i < each * elements; ++i)
		{
			corners[i] = (int32_t)brRandom_Below(&random, vertices);
		}
		bool isMoving = brRandom_Below(&random, 2) == 0;
		brBoxSource source = {elements, NULL,    vertices, positions[0], isMoving ? positions[1] : NULL,
							  each,     corners, 0.0};
		for (int i = 0; i < 3; ++i)
		{
			brBoxMaker maker = {.allocator = allocator, .kernels = brGetWideKernels((int32_t[]){1, 8, 16}[i])};
			CHECK_RESULT(brBoxMaker_Prepare(&maker, NULL, &source, NULL), NULL);
			brBoxMaker_Fill(&maker, 0, elements, made[i]);
			brBoxMaker_Free(&maker);
		}
		for (int32_t i = 0; i < elements; ++i)
		{
			brDBox3 exact = brMakeDBox3Empty();
			for (int32_t k = 0; k < each; ++k)
			{
				int32_t corner = corners[each * i + k];
				exact = brDBox3_Include(exact, positions[0][corner]);
				exact = isMoving ? brDBox3_Include(exact, positions[1][corner]) : exact;
			}
			brBox3 expected = brMakeBox3Outward(exact);
			for (int w = 0; w < 3; ++w)
			{
				brBox3 box = brTreeBox_Box(&made[w][i]);
				CHECK(box.lower.x == expected.lower.x && box.lower.y == expected.lower.y &&
					  box.lower.z == expected.lower.z);
				CHECK(box.upper.x == expected.upper.x && box.upper.y == expected.upper.y &&
					  box.upper.z == expected.upper.z);
			}
		}
	}
}

BR_TEST(pairs_refuse_what_is_not_finite)
{
	brAllocator allocator = brContext_Allocator(NULL);
	static const float bad[3] = {NAN, INFINITY, -INFINITY};
	for (int32_t place = 0; place < 6; ++place)
	{
		for (int32_t which = 0; which < 3; ++which)
		{
			for (int32_t method = 0; method <= br_pairsKdet + 1 + br_researchReference; ++method)
			{
				brBox3 boxes[40];
				for (int32_t i = 0; i < 40; ++i)
				{
					boxes[i] = (brBox3){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
				}
				memcpy((char*)&boxes[33] + 4 * place, &bad[which], 4);
				brPairSearchDef def = {.method = method <= br_pairsKdet ? (brPairMethod)method : br_pairsOi,
									   .engine = brGetResearchEngine((brResearchMethod)(method - 1 - br_pairsKdet)),
									   .enableSelf = true};
				brPairSearch search;
				brPairSearch_Init(&search, &allocator, &def);
				brBoxSource source = {.count = 40, .boxes = boxes};
				brReport report = {0};
				CHECK_EQUAL(brPairSearch_Run(&search, NULL, &source, NULL, 1, &report), br_errorGeometry);
				CHECK_EQUAL(report.element, 33);

				// The same as a vertex of a mesh.
				brDVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
				((double*)positions)[place] = bad[which];
				int32_t corners[3] = {0, 1, 2};
				brBoxSource mesh = {
					.count = 1, .vertexCount = 3, .positions = positions, .cornersEach = 3, .corners = corners};
				CHECK_EQUAL(brPairSearch_Run(&search, NULL, &mesh, NULL, 1, &report), br_errorGeometry);
				CHECK_EQUAL(report.element, place / 3);
				brPairSearch_Free(&search);
			}
		}
	}
	brBox3 inverted[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 2, 0}, {1, 1, 1}}};
	brPairSearchDef def = {.enableSelf = true};
	brPairSearch search;
	brPairSearch_Init(&search, &allocator, &def);
	brBoxSource source = {.count = 2, .boxes = inverted};
	brReport report = {0};
	CHECK_EQUAL(brPairSearch_Run(&search, NULL, &source, NULL, 1, &report), br_errorGeometry);
	CHECK_EQUAL(report.element, 1);
	brPairSearch_Free(&search);
}

static brResult searchOnce(const brContext* context, void* user)
{
	const brBoxSource* source = user;
	brAllocator allocator = brContext_Allocator(context);
	brPairSearchDef def = {.enableSelf = true, .enableInter = true};
	brPairSearch search;
	brPairSearch_Init(&search, &allocator, &def);
	int32_t starts[3] = {0, source->count / 2, source->count};
	brResult result = brPairSearch_Run(&search, context, source, starts, 2, NULL);
	CHECK(result < 0 || search.pairs.count > 0);
	if (result >= 0)
	{
		search.def.engine = brGetResearchEngine(br_researchBsp);
		result = brPairSearch_Run(&search, context, source, starts, 2, NULL);
	}
	if (result >= 0)
	{
		search.def.engine = brGetResearchEngine(br_researchLbvh);
		result = brPairSearch_Run(&search, context, source, starts, 2, NULL);
		search.def.engine = NULL;
	}
	if (result >= 0)
	{
		search.def.method = br_pairsKdet;
		result = brPairSearch_Run(&search, context, source, starts, 2, NULL);
		search.def.method = br_pairsOi;
	}
	if (result >= 0)
	{
		result = brPairSearch_RunBetween(&search, context, source, source, NULL);
	}
	brPairSearch_Free(&search);
	return result;
}

BR_TEST(pairs_survive_lack_of_memory)
{
	brRandom random = brTest_Random(test);
	brBox3 boxes[300];
	drawBoxes(&random, 0, 300, boxes);
	brBoxSource source = {.count = 300, .boxes = boxes};
	CHECK(brTest_WalkAllocations(searchOnce, &source) > 10);
}

// The counts of others on public data.

static int32_t loadBoxes(const char* name, brBox3** outBoxes)
{
	const char* path = brTest_DataPath(name);
	if (path == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL);
	fseek(file, 0, SEEK_END);
	long bytes = ftell(file);
	rewind(file);
	*outBoxes = malloc((size_t)bytes);
	CHECK(*outBoxes != NULL && fread(*outBoxes, 1, (size_t)bytes, file) == (size_t)bytes);
	fclose(file);
	return (int32_t)(bytes / (long)sizeof(brBox3));
}

BR_TEST(pairs_of_dance_have_the_known_counts)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brWorkers* workers = brTest_Workers(2);
	brContext context = {.workers = workers};
	static const struct
	{
		const char *mesh, *collider;
		int64_t query, self;
	} frames[2] = {{"broadphase/dance/mesh_triangle_aabb_frame_000000.bin",
					"broadphase/dance/moving_collider_triangle_aabb_frame_000000.bin", 1310110, 950663},
				   {"broadphase/dance/mesh_triangle_aabb_frame_001000.bin",
					"broadphase/dance/moving_collider_triangle_aabb_frame_001000.bin", 1259885, 1095953}};
	for (int frame = 0; frame < 2; ++frame)
	{
		brBox3 *mesh, *collider;
		brBoxSource meshSource = {.count = loadBoxes(frames[frame].mesh, &mesh)};
		brBoxSource colliderSource = {.count = loadBoxes(frames[frame].collider, &collider)};
		meshSource.boxes = mesh, colliderSource.boxes = collider;
		CHECK_EQUAL(meshSource.count, 149845);
		CHECK_EQUAL(colliderSource.count, 83632);
		brPairSearchDef def = {.enableSelf = true};
		brPairSearch search;
		brPairSearch_Init(&search, &allocator, &def);
		CHECK_RESULT(brPairSearch_Run(&search, &context, &meshSource, NULL, 1, NULL), NULL);
		CHECK_EQUAL(search.pairs.count, frames[frame].self);
		CHECK_RESULT(brPairSearch_RunBetween(&search, &context, &meshSource, &colliderSource, NULL), NULL);
		CHECK_EQUAL(search.pairs.count, frames[frame].query);
		brPairSearch_Free(&search);
		free(mesh);
		free(collider);
	}
	brDestroyWorkers(workers);
}
