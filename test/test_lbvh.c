// SPDX-License-Identifier: MIT
#include "harness.h"
#include "research/lbvh.h"

#include <string.h>

enum
{
	maxLeaves = 3000,
	maxTrees = 12,
};

static void drawBoxes(brRandom* random, int32_t count, brBox3* boxes)
{
	bool areCopies = brRandom_Below(random, 4) == 0; // equal codes: the tree goes by number
	for (int32_t i = 0; i < count; ++i)
	{
		brVec3 p = {(float)brRandom_Range(random, -5, 5), (float)brRandom_Range(random, -5, 5),
					(float)brRandom_Range(random, -1, 1)};
		p = areCopies ? brMakeVec3((float)brRandom_Below(random, 3), 0.0f, 0.0f) : p;
		boxes[i] = (brBox3){p, brAdd(p, brMakeVec3((float)brRandom_Unit(random), (float)brRandom_Unit(random), 0.1f))};
	}
}

static bool isSameBox(const brLbvhNode* node, brBox3 box)
{
	return node->lower[0] == box.lower.x && node->lower[1] == box.lower.y && node->lower[2] == box.lower.z &&
		   -node->negUpper[0] == box.upper.x && -node->negUpper[1] == box.upper.y && -node->negUpper[2] == box.upper.z;
}

// The slow twin of the layout: goes down by recursion, counts places on its way, and checks every node.
typedef struct Twin
{
	const brLbvh* bvh;
	const brBox3* boxes;
	int32_t place;     // next of the walk
	int32_t firstLeaf; // of the tree
	bool isFresh;      // built just now over the whole scene: splits are known
	int32_t deepest;
} Twin;

static brBox3 checkNode(Twin* twin, int32_t begin, int32_t end, int32_t father, int32_t depth)
{
	const brLbvh* bvh = twin->bvh;
	const brLbvhNode* nodes = bvh->nodes.data;
	int32_t place = twin->place++;
	CHECK_EQUAL(nodes[place].first, begin);
	CHECK_EQUAL(nodes[place].escape, place + 2 * (end - begin) - 1);
	CHECK_EQUAL(brLbvh_LeafCount(nodes, place), end - begin);
	CHECK_EQUAL(brLbvh_Last(nodes, place), end - 1);
	CHECK_EQUAL(((const int32_t*)bvh->parents.data)[place], father);
	twin->deepest = depth > twin->deepest ? depth : twin->deepest;
	brBox3 box;
	if (end - begin == 1)
	{
		CHECK(brLbvh_IsLeaf(nodes, place));
		CHECK_EQUAL(((const int32_t*)bvh->places.data)[begin], place);
		box = twin->boxes[((const uint32_t*)bvh->ids.data)[begin]];
	}
	else
	{
		CHECK(!brLbvh_IsLeaf(nodes, place));
		int32_t split = brLbvh_Last(nodes, place + 1);
		CHECK(split >= begin && split + 1 < end);
		if (twin->isFresh)
		{
			// Where the highest bit of code and number changes, found by looking at all.
			const uint32_t *ids = bvh->ids.data, *codes = bvh->order.codes.data;
			int highest = -1, expected = -1;
			for (int32_t i = begin; i + 1 < end; ++i)
			{
				int level = brLbvh_SplitLevel(codes[ids[i]], codes[ids[i + 1]], i - twin->firstLeaf);
				expected = level > highest ? i : expected;
				highest = level > highest ? level : highest;
			}
			CHECK_EQUAL(split, expected);
		}
		brBox3 left = checkNode(twin, begin, split + 1, place, depth + 1);
		CHECK_EQUAL(twin->place, brLbvh_RightChild(nodes, place));
		box = brBox3_Union(left, checkNode(twin, split + 1, end, place, depth + 1));
	}
	CHECK(isSameBox(&nodes[place], box));
	CHECK_EQUAL(twin->place, nodes[place].escape);
	return box;
}

static void checkTrees(const brLbvh* bvh, const brBox3* boxes, const int32_t* starts, int32_t treeCount, bool isFresh)
{
	Twin twin = {.bvh = bvh, .boxes = boxes, .isFresh = isFresh};
	for (int32_t tree = 0; tree < treeCount; ++tree)
	{
		CHECK_EQUAL(twin.place, ((const int32_t*)bvh->nodeStarts.data)[tree]);
		if (starts[tree] < starts[tree + 1])
		{
			twin.firstLeaf = starts[tree];
			checkNode(&twin, starts[tree], starts[tree + 1], -1, 0);
		}
	}
	CHECK_EQUAL(twin.place, bvh->nodeCount);
	CHECK(twin.deepest < BR_LBVH_MAX_DEPTH);
	// Every primitive once, in its own tree.
	static uint8_t seen[maxLeaves];
	memset(seen, 0, sizeof(seen));
	for (int32_t tree = 0; tree < treeCount; ++tree)
	{
		for (int32_t i = starts[tree]; i < starts[tree + 1]; ++i)
		{
			uint32_t id = ((const uint32_t*)bvh->ids.data)[i];
			CHECK((int32_t)id >= starts[tree] && (int32_t)id < starts[tree + 1] && seen[id]++ == 0);
		}
	}
}

BR_TEST(lbvh_layout_is_the_depth_first_walk)
{
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	static brBox3 boxes[maxLeaves];
	brWorkers* workers = brTest_Workers(3);
	brLbvh bvh;
	brLbvh_Init(&bvh, &allocator, 0);
	int32_t restructured = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 300); ++round)
	{
		int32_t count = (int32_t)brRandom_Below(&random, round % 10 == 0 ? maxLeaves + 1 : 200);
		int32_t starts[maxTrees + 1] = {0}, treeCount = 1 + (int32_t)brRandom_Below(&random, maxTrees);
		for (int32_t k = 1; k < treeCount; ++k)
		{
			int32_t step = (int32_t)brRandom_Below(&random, (uint32_t)(2 * count / treeCount + 1));
			starts[k] = starts[k - 1] + step < count ? starts[k - 1] + step : count;
		}
		starts[treeCount] = count;
		drawBoxes(&random, count, boxes);
		brBoxSource source = {.count = count, .boxes = boxes};
		brWorkers* team = round % 2 == 0 ? NULL : workers;
		CHECK_RESULT(brLbvh_Build(&bvh, team, &source, starts, treeCount, NULL), NULL);
		checkTrees(&bvh, boxes, starts, treeCount, true);

		drawBoxes(&random, count, boxes);
		CHECK_RESULT(brLbvh_Refit(&bvh, team, &source, NULL), NULL);
		checkTrees(&bvh, boxes, starts, treeCount, false);
		for (int32_t k = 0; k < 3 && bvh.nodeCount > 0; ++k)
		{
			// Anything below the node may change, nothing else.
			int32_t place = (int32_t)brRandom_Below(&random, (uint32_t)bvh.nodeCount);
			restructured += brLbvh_LeafCount(bvh.nodes.data, place) > 2;
			CHECK(brLbvh_Restructure(&bvh, place));
			checkTrees(&bvh, boxes, starts, treeCount, false);
		}
		drawBoxes(&random, count, boxes);
		CHECK_RESULT(brLbvh_Refit(&bvh, team, &source, NULL), NULL);
		checkTrees(&bvh, boxes, starts, treeCount, false);
	}
	CHECK(restructured > 0);
	brLbvh_Free(&bvh);
	brDestroyWorkers(workers);
}

static brResult buildOnce(const brContext* context, void* user)
{
	const brBoxSource* source = user;
	brAllocator allocator = brContext_Allocator(context);
	brLbvh bvh;
	brLbvh_Init(&bvh, &allocator, 0);
	int32_t starts[3] = {0, source->count / 3, source->count};
	brResult result = brLbvh_Build(&bvh, NULL, source, starts, 2, NULL);
	if (result >= 0)
	{
		// A restructuring that fails leaves the tree as it was.
		bool isDone = brLbvh_Restructure(&bvh, ((const int32_t*)bvh.nodeStarts.data)[1]);
		checkTrees(&bvh, source->boxes, starts, 2, !isDone);
		result = isDone ? brLbvh_Refit(&bvh, NULL, source, NULL) : br_errorMemory;
	}
	else
	{
		CHECK(bvh.treeCount == 0 && bvh.primitiveCount == 0); // a build that failed leaves no tree
	}
	brLbvh_Free(&bvh);
	return result;
}

BR_TEST(lbvh_survives_lack_of_memory)
{
	brRandom random = brTest_Random(test);
	static brBox3 boxes[200];
	drawBoxes(&random, 200, boxes);
	brBoxSource source = {.count = 200, .boxes = boxes};
	CHECK(brTest_WalkAllocations(buildOnce, &source) > 10);
}
