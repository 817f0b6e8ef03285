// SPDX-License-Identifier: MIT

// Bulk-synchronous simultaneous traversal of all binary implicit trees of a scene (Chitalu 2020, chapters 2 and 3.6),
// as oi_traverse.c does it.
//
// One launch tests a front of node pairs and replaces those that overlap by the pairs of their descendants some levels
// down. The first front is never stored: it is every pair of the nodes on the entry level of all trees, numbered by a
// triangle. Later ones are lists whose lengths stay on the device; the host enqueues as many launches as the deepest
// tree needs, and those after the end find nothing.
//
// New pairs go through a queue in local memory of `queueCapacity` and leave in runs (algorithm 2; the constant kappa
// there is the capacity). Any group size, and 16 bytes of local memory for each place in the queue. A list that is too
// short is counted to its end and not written beyond; what follows from the missing pairs is missing too, so the host
// makes room and runs all again.

#define BSP_NONE 0xFFFFFFFFu

inline uint4 bspLayout(__global const uint* layouts, ulong node)
{
	return vload4((uint)(node >> 32), layouts); // leaves, level of the leaves, virtual leaves, first node
}

// The descendants of a node one step down: the first, how many are real, and whether they are leaves.
inline uint3 bspDescend(uint4 layout, uint index, uint depthStep)
{
	uint level = brBinary_Level(index), left = layout.y - level, step = min(left, depthStep);
	uint first = brBinary_Descendant(index, step, 0), start = (1u << (level + step)) - 1u;
	uint real = brBinary_RealOnLevel(layout.x, layout.y, level + step) - (first - start);
	return (uint3)(first, min(real, 1u << step), step == left ? 1u : 0u);
}

// What pairs of a front are tested against.
typedef struct BspTrees
{
	__global const float4* nodes;
	__global const uint* layouts;
	__global const int* corners;
	uint cornersEach;
	uint depthStep, flags;
} BspTrees;

// A pair of nodes and what becomes of it. Words for what is true or not: PoCL 3.1 loses a bool at a barrier.
typedef struct BspPair
{
	ulong2 pair;
	ulong name;   // if it is one of leaves
	uint3 a, b;   // see bspDescend
	uint size;    // pairs that it becomes
	uint isSame;  // a node and itself
	uint isLeaf;  // two leaves that overlap
	uint isListed;
} BspPair;

inline void bspTest(const BspTrees* trees, BspPair* of)
{
	const ulong2 pair = of->pair;
	const uint4 layoutA = bspLayout(trees->layouts, pair.x), layoutB = bspLayout(trees->layouts, pair.y);
	const uint slotA = 2 * (layoutA.w + brBinary_Slot(layoutA.z, layoutA.y, (uint)pair.x));
	const uint slotB = 2 * (layoutB.w + brBinary_Slot(layoutB.z, layoutB.y, (uint)pair.y));
	const float4 lowerA = trees->nodes[slotA], lowerB = trees->nodes[slotB];
	of->isSame = pair.x == pair.y ? 1u : 0u;
	if (of->isSame == 0 && !pairOverlaps(lowerA, trees->nodes[slotA + 1], lowerB, trees->nodes[slotB + 1]))
	{
		return;
	}
	const uint3 a = bspDescend(layoutA, (uint)pair.x, trees->depthStep);
	const uint3 b = bspDescend(layoutB, (uint)pair.y, trees->depthStep);
	of->a = a, of->b = b;
	if (a.x != (uint)pair.x || b.x != (uint)pair.y)
	{
		of->size = of->isSame == 0 ? a.y * b.y : a.z != 0 ? a.y * (a.y - 1) / 2 : a.y * (a.y + 1) / 2;
		return;
	}
	of->isLeaf = of->isSame == 0 ? 1u : 0u;
	if (of->isLeaf != 0)
	{
		uint first = as_uint(lowerA.w), second = as_uint(lowerB.w);
		bool isDropped = (trees->flags & PAIR_DROP_NEIGHBORS) != 0 &&
						 pairAreNeighbors(trees->corners, trees->cornersEach, pairName(first, second));
		of->isListed = isDropped ? 0u : 1u;
		of->name = pairName(first, second);
	}
}

// Counts of a group.
typedef struct BspGroup
{
	ulong run;
	uint queued, leafCount, overlapCount;
} BspGroup;

// Takes a pair of nodes: pair `at` of all pairs of entries, or of the front. False: it is none of those asked for.
inline bool bspTake(__global const ulong* entries, __global const ulong2* source, bool isFirst, ulong at, uint flags,
					ulong2* outPair)
{
	if (!isFirst)
	{
		*outPair = source[at];
		return true;
	}
	uint2 which = pairTriangle(at);
	ulong2 pair = (ulong2)(entries[which.y], entries[which.x]);
	*outPair = pair;
	return (flags & (pair.x >> 32 == pair.y >> 32 ? PAIR_SELF : PAIR_INTER)) != 0;
}

// Counters as brk_findPairs. Lengths of fronts are 64 bits in two: `from` of the front read, `to` of the one written.
__kernel void brk_bspStep(__global const float4* nodes, __global const uint* layouts, __global const ulong* entries,
						  uint entryCount, __global const ulong2* source, volatile __global uint* counters, uint from,
						  __global ulong2* target, uint to, uint frontCapacity, uint depthStep, uint flags,
						  __global const int* corners, uint cornersEach, __global ulong* pairs, uint capacity,
						  uint counter, __local ulong2* queue, uint queueCapacity)
{
	__local BspGroup group;
	const uint t = get_local_id(0), groupSize = get_local_size(0);
	const ulong listed = (ulong)counters[from + 1] << 32 | counters[from];
	const bool isFirst = entryCount > 0;
	const ulong count = isFirst ? (ulong)entryCount * (entryCount + 1) / 2 : min(listed, (ulong)frontCapacity);
	const BspTrees trees = {nodes, layouts, corners, cornersEach, depthStep, flags};
	for (ulong start = (ulong)get_group_id(0) * groupSize; start < count; start += get_global_size(0))
	{
		BspPair of = {(ulong2)(0), 0, (uint3)(0), (uint3)(0), 0, 0, 0, 0};
		if (start + t < count && bspTake(entries, source, isFirst, start + t, flags, &of.pair))
		{
			bspTest(&trees, &of);
		}

		// Pairs of leaves: one at most a thread. Not a function of its own: PoCL 3.1 then finds none.
		if (t == 0)
		{
			group.leafCount = 0;
			group.overlapCount = 0;
			group.queued = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint slot = of.isListed != 0 ? atomic_inc(&group.leafCount) : BSP_NONE;
		if (of.isLeaf != 0)
		{
			atomic_inc(&group.overlapCount);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0 && group.overlapCount > 0)
		{
			group.run = pairReserve(counters, counter, group.leafCount);
			pairReserve(counters, counter + 4, group.overlapCount);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (slot != BSP_NONE && group.run + slot < capacity)
		{
			pairs[group.run + slot] = of.name;
		}

		// Descendants: write, wait, flush, until all are out.
		const ulong treeA = of.pair.x & 0xFFFFFFFF00000000ul, treeB = of.pair.y & 0xFFFFFFFF00000000ul;
		uint written = 0, row = 0, column = of.isSame != 0 ? of.a.z : 0u;
		for (;;)
		{
			const uint left = of.size - written;
			const uint place = left > 0 ? atomic_add(&group.queued, left) : queueCapacity;
			const uint end = place < queueCapacity ? written + min(left, queueCapacity - place) : written;
			for (uint at = place; written < end; ++written, ++at)
			{
				queue[at] = (ulong2)(treeA | (of.a.x + row), treeB | (of.b.x + column));
				column += 1;
				if (column == of.b.y)
				{
					row += 1;
					column = of.isSame != 0 ? row + of.a.z : 0u;
				}
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			const uint held = min(group.queued, queueCapacity);
			if (held == 0)
			{
				break;
			}
			if (t == 0)
			{
				group.run = pairReserve(counters, to, held);
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			for (uint i = t; i < held; i += groupSize)
			{
				if (group.run + i < frontCapacity)
				{
					target[group.run + i] = queue[i];
				}
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			if (t == 0)
			{
				group.queued = 0;
			}
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
