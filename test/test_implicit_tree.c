// SPDX-License-Identifier: MIT
#include "brittle/implicit_tree.h"
#include "harness.h"
#include "index/binary_tree.h"

// Everything is compared with the tree drawn out: levels walked one by one, nodes counted by hand.

static void checkTree(uint32_t k, uint32_t t)
{
	brImplicitTree tree = brMakeImplicitTree(k, t);

	// Real nodes per level from the leaves up, by the definition: a node is real if something real is below it.
	uint64_t real[40], depth = 0;
	uint64_t width = t;
	uint64_t fromBelow[40] = {t};
	while (width > 1)
	{
		width = (width + k - 1) / k;
		fromBelow[++depth] = width;
	}
	CHECK_EQUAL(tree.leafLevel, (int64_t)depth);
	for (uint64_t level = 0; level <= depth; ++level)
	{
		real[level] = fromBelow[depth - level];
	}

	// Down the levels: first index, slots without gaps, the way back.
	uint64_t start = 0, perfect = 1, slot = 0;
	for (uint32_t level = 0; level <= depth; ++level)
	{
		CHECK_EQUAL((int64_t)brIndex_LevelStart(k, level), (int64_t)start);
		CHECK_EQUAL((int64_t)brImplicitTree_RealOnLevel(&tree, level), (int64_t)real[level]);
		CHECK_EQUAL((int64_t)brImplicitTree_VirtualOnLevel(&tree, level), (int64_t)(perfect - real[level]));
		CHECK_EQUAL((int64_t)brImplicitTree_LevelSlot(&tree, level), (int64_t)slot);
		// First, second, last two: the formulas are linear in between.
		for (uint64_t n = 0; n < real[level]; n = n == 1 && real[level] > 4 ? real[level] - 2 : n + 1)
		{
			uint64_t i = start + n;
			CHECK_EQUAL(brIndex_Level(k, i), level);
			CHECK_EQUAL((int64_t)brImplicitTree_Slot(&tree, i), (int64_t)(slot + n));
			CHECK_EQUAL((int64_t)brImplicitTree_Index(&tree, slot + n), (int64_t)i);
			CHECK(brImplicitTree_IsReal(&tree, i));
			if (k == 2)
			{
				uint32_t virtualLeaves = brBinary_VirtualLeaves(t);
				CHECK_EQUAL(brBinary_Level((uint32_t)i), level);
				CHECK_EQUAL(brBinary_Slot(virtualLeaves, tree.leafLevel, (uint32_t)i), (int64_t)(slot + n));
			}
		}
		CHECK(real[level] == perfect || !brImplicitTree_IsReal(&tree, start + real[level]));
		if (k == 2)
		{
			CHECK_EQUAL(brBinary_RealOnLevel(t, tree.leafLevel, level), (int64_t)real[level]);
			CHECK_EQUAL(brBinary_VirtualAbove(brBinary_VirtualLeaves(t), tree.leafLevel, level),
						(int64_t)(start - slot));
		}
		start += perfect;
		perfect *= k;
		slot += real[level];
	}
	CHECK_EQUAL((int64_t)brImplicitTree_NodeCount(&tree), (int64_t)slot);
	CHECK(!brImplicitTree_IsReal(&tree, start));
	if (k == 2)
	{
		CHECK_EQUAL(brBinary_NodeCount(t), (int64_t)slot);
		CHECK_EQUAL(brBinary_LeafLevel(t), tree.leafLevel);
		CHECK_EQUAL(brBinary_VirtualLeaves(t), (int64_t)tree.virtualLeafCount);
	}
}

static const uint32_t arities[] = {2, 3, 4, 5, 8, 10, 16};
enum
{
	arityCount = sizeof(arities) / sizeof(arities[0])
};

BR_TEST(implicit_tree_matches_enumeration)
{
	for (int32_t a = 0; a < arityCount; ++a)
	{
		for (uint32_t t = 1; t <= (uint32_t)brTest_Rounds(test, 5000); ++t)
		{
			checkTree(arities[a], t);
		}
	}
}

BR_TEST(implicit_tree_holds_for_large_trees)
{
	brRandom random = brTest_Random(test);
	for (int32_t a = 0; a < arityCount; ++a)
	{
		checkTree(arities[a], 0x7fffffffu);
		checkTree(arities[a], 0x40000000u);
		checkTree(arities[a], 0x40000001u);
		for (int32_t round = 0; round < brTest_Rounds(test, 1000); ++round)
		{
			checkTree(arities[a], 1u + (brRandom_Next(&random) >> (1u + brRandom_Below(&random, 20))));
		}
	}
}

BR_TEST(implicit_tree_relatives_agree_with_single_steps)
{
	for (int32_t a = 0; a < arityCount; ++a)
	{
		uint32_t k = arities[a];
		for (uint64_t i = 0; i < 600; ++i)
		{
			for (uint32_t j = 0; j < k; ++j)
			{
				CHECK_EQUAL((int64_t)brIndex_Parent(k, brIndex_Child(k, i, j)), (int64_t)i);
			}
			// First and last descendant n levels below by n steps, and back by one.
			uint64_t first = i, last = i;
			for (uint32_t n = 0; n <= 4; ++n)
			{
				uint64_t width = brIndex_Power(k, n);
				CHECK_EQUAL((int64_t)brIndex_Descendant(k, i, n, 0), (int64_t)first);
				CHECK_EQUAL((int64_t)brIndex_Descendant(k, i, n, width - 1), (int64_t)last);
				CHECK_EQUAL((int64_t)brIndex_Ancestor(k, first, n), (int64_t)i);
				CHECK_EQUAL((int64_t)brIndex_Ancestor(k, last, n), (int64_t)i);
				if (k == 2)
				{
					CHECK_EQUAL(brBinary_Descendant((uint32_t)i, n, 0), (int64_t)first);
				}
				first = brIndex_Child(k, first, 0);
				last = brIndex_Child(k, last, k - 1);
			}
		}
	}
}
