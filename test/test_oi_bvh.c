// SPDX-License-Identifier: MIT
#include "harness.h"
#include "index/wide_bvh.h"
#include "research/oi_bvh.h"

#include <string.h>

static void drawBoxes(brRandom* random, int32_t count, brBox3* boxes)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 p = {(float)brRandom_Range(random, -5, 5), (float)brRandom_Range(random, -5, 5),
					(float)brRandom_Range(random, -1, 1)};
		brVec3 s = {(float)brRandom_Unit(random), (float)brRandom_Unit(random), (float)brRandom_Unit(random)};
		boxes[i] = (brBox3){p, brAdd(p, s)};
	}
}

static bool sameBox(brBox3 a, brBox3 b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

enum
{
	most = 1500,
	maxTrees = 6
};

// Every node is exactly the union of the primitives below it, in memory of exactly the least size.
static void checkOi(const brOiBvh* bvh, const brBox3* boxes, const int32_t* starts)
{
	int64_t total = 0;
	bool seen[most] = {false};
	for (int32_t tree = 0; tree < bvh->treeCount; ++tree)
	{
		const brOiLayout* layout = &bvh->layouts[tree];
		uint32_t t = (uint32_t)(starts[tree + 1] - starts[tree]);
		CHECK_EQUAL(layout->leafCount, t);
		if (t == 0)
		{
			continue;
		}
		total += brBinary_NodeCount(t);
		for (uint32_t level = 0; level <= layout->leafLevel; ++level)
		{
			uint32_t span = 1u << (layout->leafLevel - level);
			for (uint32_t n = 0; n < brBinary_RealOnLevel(t, layout->leafLevel, level); ++n)
			{
				brBox3 all = brMakeBox3Empty();
				for (uint32_t leaf = n * span; leaf < (n + 1) * span && leaf < t; ++leaf)
				{
					uint32_t id = bvh->ids[layout->firstLeaf + leaf];
					CHECK((int32_t)id >= starts[tree] && (int32_t)id < starts[tree + 1]);
					all = brBox3_Union(all, boxes[id]);
					if (level == 0)
					{
						CHECK(!seen[id]);
						seen[id] = true;
					}
				}
				CHECK(sameBox(all, *brOiBvh_Node(bvh, layout, (1u << level) - 1u + n)));
			}
		}
	}
	CHECK_EQUAL(bvh->nodeCount, total);
}

// Lanes hold the right boxes, empty ones are empty, parents hold unions.
static void checkWide(const brWideBvh* bvh, const brBox3* boxes, const int32_t* starts)
{
	for (int32_t tree = 0; tree < bvh->treeCount; ++tree)
	{
		const brWideTree* wide = brWideBvh_Tree(bvh, tree);
		int32_t width = starts[tree + 1] - starts[tree], span = 1;
		for (int32_t level = 0; level < wide->levelCount; ++level)
		{
			int32_t groups = (width + 15) / 16;
			for (int32_t i = 0; i < 16 * groups; ++i)
			{
				const brLaneBoxes* group = &wide->levels[level][i / 16];
				brBox3 found = {{group->lower[0][i % 16], group->lower[1][i % 16], group->lower[2][i % 16]},
								{group->upper[0][i % 16], group->upper[1][i % 16], group->upper[2][i % 16]}};
				brBox3 all = brMakeBox3Empty();
				for (int64_t leaf = (int64_t)i * span;
					 leaf < (int64_t)(i + 1) * span && leaf < starts[tree + 1] - starts[tree]; ++leaf)
				{
					all = brBox3_Union(all, boxes[wide->ids[leaf]]);
				}
				CHECK(sameBox(all, found));
			}
			width = groups;
			span *= 16;
		}
	}
}

BR_TEST(oi_trees_hold_the_unions_of_their_leaves)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	static brBox3 boxes[most];
	brWorkers* workers = brTest_Workers(3);
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		int32_t count = (int32_t)brRandom_Below(&random, most + 1),
				treeCount = 1 + (int32_t)brRandom_Below(&random, maxTrees);
		int32_t starts[maxTrees + 1] = {0};
		for (int32_t k = 1; k < treeCount; ++k)
		{
			int32_t step = (int32_t)brRandom_Below(&random, (uint32_t)(count / 2 + 1));
			starts[k] = starts[k - 1] + step < count ? starts[k - 1] + step : count;
		}
		starts[treeCount] = count;
		brBoxSource source = {.count = count, .boxes = boxes};
		brOiBvh oi;
		brWideBvh wide;
		brOiBvh_Init(&oi, &allocator, 0);
		brWideBvh_Init(&wide, &allocator, (int32_t[]){1, 8, 16}[round % 3]);
		drawBoxes(&random, count, boxes);
		CHECK_RESULT(brOiBvh_Build(&oi, workers, &source, starts, treeCount, NULL), NULL);
		CHECK_RESULT(brWideBvh_Build(&wide, workers, &source, starts, treeCount, NULL), NULL);
		checkOi(&oi, boxes, starts);
		checkWide(&wide, boxes, starts);

		// A tree that is built again asks for no more memory than the first time.
		int64_t groupTotal = wide.groupTotal, nodeCount = oi.nodeCount;
		CHECK_RESULT(brOiBvh_Build(&oi, workers, &source, starts, treeCount, NULL), NULL);
		CHECK_RESULT(brWideBvh_Build(&wide, workers, &source, starts, treeCount, NULL), NULL);
		CHECK(wide.groupTotal == groupTotal && oi.nodeCount == nodeCount);
		checkOi(&oi, boxes, starts);
		checkWide(&wide, boxes, starts);
		brOiBvh_Free(&oi);
		brWideBvh_Free(&wide);
	}
	brDestroyWorkers(workers);
}
