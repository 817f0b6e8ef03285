// SPDX-License-Identifier: MIT

#include "index/box_tree.h"

static void treeSetLane(brTreeBoxes* group, int32_t lane, brVec3 lower, brVec3 upper)
{
	group->lower[0][lane] = lower.x, group->lower[1][lane] = lower.y, group->lower[2][lane] = lower.z;
	group->upper[0][lane] = upper.x, group->upper[1][lane] = upper.y, group->upper[2][lane] = upper.z;
}

// The box around a group, empty lanes left out.
static brBox3 treeAround(const brTreeBoxes* group)
{
	brBox3 box = brMakeBox3Empty();
	for (int32_t lane = 0; lane < BR_TREE_ARITY; ++lane)
	{
		if (group->lower[0][lane] < BR_TREE_NOWHERE)
		{
			brVec3 lower = {group->lower[0][lane], group->lower[1][lane], group->lower[2][lane]};
			brVec3 upper = {group->upper[0][lane], group->upper[1][lane], group->upper[2][lane]};
			box = brBox3_Union(box, (brBox3){lower, upper});
		}
	}
	return box;
}

void brBoxTree_Fill(brBoxTree* tree, brTreeBoxes* boxes, const brBox3* things, int32_t count, float grow)
{
	const brVec3 nowhere = {BR_TREE_NOWHERE, BR_TREE_NOWHERE, BR_TREE_NOWHERE}, more = {grow, grow, grow};
	brBoxTree_Place(tree, boxes);
	for (int32_t level = 0; level < tree->levelCount; ++level)
	{
		for (int32_t i = 0; i < BR_TREE_ARITY * tree->groupCounts[level]; ++i)
		{
			brBox3 box = i >= count   ? brMakeBox3Empty()
						 : level == 0 ? things[i]
									  : treeAround(&tree->levels[level - 1][i]);
			bool isEmpty = box.lower.x > box.upper.x;
			brTreeBoxes* group = &boxes[i / BR_TREE_ARITY];
			treeSetLane(group, i % BR_TREE_ARITY, isEmpty ? nowhere : brSub(box.lower, more),
						isEmpty ? nowhere : brAdd(box.upper, more));
		}
		count = tree->groupCounts[level];
		boxes += count;
	}
}
