// SPDX-License-Identifier: MIT

// Which subtrees have become bad, and how trees and fronts are mended there (Wang et al. 2018, 4).
//
// Bad is what needs half as many entries again for each pair and leaf as when it was new. The subtree is built anew
// over the same leaves, which changes their order among themselves; all outside stays. An entry is invalid if its node
// is strictly inside. The one at the first leaf of the subtree is replaced by the subtree's top, the others are
// dropped. Leaves inside are renamed, and start again from the right-hand relatives on their way up to the top.

#include "research/pair_front.h"

#include <string.h>

enum
{
	qualityLeast = 64,    // leaves of a subtree that is looked at
	qualityEntries = 256, // entries at leaves below which it does not matter
};

static const double qualityWorse = 1.5;

int32_t brPairFront_Inspect(brPairFront* front, const brLbvh* bvh, int64_t* outLeaves)
{
	*outLeaves = 0;
	const brLbvhNode* nodes = bvh->nodes.data;
	if (front->logs[0].data == NULL || front->logs[1].data == NULL || front->logs[2].data == NULL)
	{
		return 0;
	}
	if (!brStageMemory_Ensure(&front->badTrees, &front->allocator, bvh->primitiveCount / qualityLeast + 1,
							  sizeof(int32_t)))
	{
		return -1;
	}
	const int32_t* external = front->logs[1].data;
	float* baseline = front->baseline.data;
	int32_t *bad = front->badTrees.data, badCount = 0;
	// No subtree of more than an eighth of its tree: that is for a rebuild.
	for (int32_t place = 0; place < bvh->nodeCount;)
	{
		int32_t leaves = brLbvh_LeafCount(nodes, place), end = nodes[place].escape;
		if (leaves < qualityLeast || external[end] - external[place] < qualityEntries)
		{
			place = leaves < qualityLeast ? end : place + 1;
			continue;
		}
		double burden = brPairFront_Burden(front, nodes, place);
		if (baseline[place] == 0.0f)
		{
			baseline[place] = (float)burden;
		}
		bool isBad = burden > qualityWorse * (double)baseline[place] && leaves <= bvh->primitiveCount / 8;
		if (isBad)
		{
			bad[badCount++] = place;
			*outLeaves += leaves;
		}
		place = isBad ? end : place + 1;
	}
	return badCount;
}

typedef struct Mending
{
	brPairFront* front;
	const brLbvh* bvh;
	const int32_t* bad; // sorted, apart from each other
	int32_t badCount;
	const int32_t* renamed;
} Mending;

// The bad subtree that a place is in, or -1.
static int32_t mendFind(const Mending* mending, int32_t place)
{
	int32_t low = -1, high = mending->badCount;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		*(mending->bad[middle] <= place ? &low : &high) = middle;
	}
	const brLbvhNode* nodes = mending->bvh->nodes.data;
	return low >= 0 && place < nodes[mending->bad[low]].escape ? mending->bad[low] : -1;
}

// Entries of one channel: invalid ones out or up, leaves renamed. What goes up leaves the external front, so `outUp`
// gets it.
static bool mendEntries(const Mending* mending, brPairBuffer* entries, const uint8_t* wasFirst, brPairBuffer* outUp)
{
	int64_t kept = 0;
	for (int64_t i = 0; i < entries->count; ++i)
	{
		brPair entry = entries->pairs[i];
		int32_t top = mendFind(mending, entry.b);
		int32_t leaf = mending->renamed[entry.a];
		if (top < 0 || top == entry.b)
		{
			entries->pairs[kept++] = (brPair){leaf, entry.b};
			continue;
		}
		bool isInside = mendFind(mending, ((const int32_t*)mending->bvh->places.data)[leaf]) == top;
		if (!isInside && wasFirst[entry.b])
		{
			if (!brPairBuffer_Reserve(outUp, 1))
			{
				return false;
			}
			outUp->pairs[outUp->count++] = (brPair){leaf, top};
		}
	}
	entries->count = kept;
	return true;
}

// Leaves below a mended top start from the right-hand relatives on their way up to it, if they had a front of their own
// tree.
static bool mendInside(const Mending* mending, int32_t top)
{
	const brLbvh* bvh = mending->bvh;
	const brLbvhNode* nodes = bvh->nodes.data;
	const int32_t *parents = bvh->parents.data, *places = bvh->places.data;
	for (int32_t leaf = nodes[top].first; leaf <= brLbvh_Last(nodes, top); ++leaf)
	{
		for (int32_t at = places[leaf]; at != top; at = parents[at])
		{
			if (parents[at] != at - 1)
			{
				continue;
			}
			int32_t right = nodes[at].escape;
			brPairBuffer* out = &mending->front->fronts[brLbvh_IsLeaf(nodes, right)];
			if (!brPairBuffer_Reserve(out, 1))
			{
				return false;
			}
			out->pairs[out->count++] = (brPair){leaf, right};
		}
	}
	return true;
}

static bool mendHasSelf(const brPairFront* front, int32_t tree)
{
	for (int64_t i = 0; i < front->active.count; ++i)
	{
		if (front->active.pairs[i].a == tree && front->active.pairs[i].b == tree)
		{
			return true;
		}
	}
	return false;
}

bool brPairFront_Restructure(brPairFront* front, brLbvh* bvh, int32_t badCount)
{
	int32_t leafCount = bvh->primitiveCount;
	brLbvhNode* nodes = bvh->nodes.data;
	brPairBuffer up = {.allocator = front->allocator};
	uint8_t* wasFirst = BR_ALLOC_ZERO(&front->allocator, uint8_t, bvh->nodeCount);
	bool isDone = wasFirst != NULL &&
				  brStageMemory_Ensure(&front->renamed, &front->allocator, 2 * (int64_t)leafCount, sizeof(int32_t));
	if (isDone)
	{
		const int32_t* bad = front->badTrees.data;
		int32_t *renamed = front->renamed.data, *leafOf = renamed + leafCount;
		const uint32_t* ids = bvh->ids.data;
		for (int32_t leaf = 0; leaf < leafCount; ++leaf)
		{
			renamed[leaf] = (int32_t)ids[leaf];
		}
		for (int32_t i = 0; i < badCount && isDone; ++i)
		{
			// Nodes that began with the first leaf of the subtree, before it changes.
			for (int32_t place = bad[i]; place < nodes[bad[i]].escape; ++place)
			{
				wasFirst[place] = nodes[place].first == nodes[bad[i]].first;
			}
			isDone = brLbvh_Restructure(bvh, bad[i]);
			memset((float*)front->baseline.data + bad[i], 0, (size_t)(nodes[bad[i]].escape - bad[i]) * sizeof(float));
		}
		for (int32_t leaf = 0; leaf < leafCount; ++leaf)
		{
			leafOf[ids[leaf]] = leaf;
		}
		for (int32_t leaf = 0; leaf < leafCount; ++leaf)
		{
			renamed[leaf] = leafOf[renamed[leaf]];
		}
		Mending mending = {front, bvh, bad, badCount, renamed};
		isDone = isDone && mendEntries(&mending, &front->fronts[0], wasFirst, &up) &&
				 mendEntries(&mending, &front->fronts[1], wasFirst, &up);
		isDone = isDone && (up.count == 0 || brPairBuffer_Reserve(&front->fronts[0], up.count));
		if (isDone && up.count > 0)
		{
			memcpy(front->fronts[0].pairs + front->fronts[0].count, up.pairs, (size_t)up.count * sizeof(brPair));
			front->fronts[0].count += up.count;
		}
		for (int32_t i = 0; i < badCount && isDone; ++i)
		{
			bool hasSelf = mendHasSelf(front, ((const int32_t*)bvh->trees.data)[bad[i]]);
			isDone = !hasSelf || mendInside(&mending, bad[i]);
		}
	}
	brPairBuffer_Free(&up);
	BR_FREE(&front->allocator, wasFirst, bvh->nodeCount);
	return isDone;
}
