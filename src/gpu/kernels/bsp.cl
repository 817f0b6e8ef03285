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

// Counters as brk_findPairs. Lengths of fronts are 64 bits in two: `from` of the front read, `to` of the one written.
__kernel void brk_bspStep(__global const float4* nodes, __global const uint* layouts, __global const ulong* entries,
						  uint entryCount, __global const ulong2* source, volatile __global uint* counters, uint from,
						  __global ulong2* target, uint to, uint frontCapacity, uint depthStep, uint flags,
						  __global const int* corners, uint cornersEach, __global ulong* pairs, uint capacity,
						  uint counter, __local ulong2* queue, uint queueCapacity)
{
	__local uint queued, leafCount, overlapCount;
	__local ulong run;
	const uint t = get_local_id(0), groupSize = get_local_size(0);
	const ulong listed = (ulong)counters[from + 1] << 32 | counters[from];
	const bool isFirst = entryCount > 0;
	const ulong count = isFirst ? (ulong)entryCount * (entryCount + 1) / 2 : min(listed, (ulong)frontCapacity);
	for (ulong start = (ulong)get_group_id(0) * groupSize; start < count; start += get_global_size(0))
	{
		// Test.
		ulong2 pair = (ulong2)(0);
		ulong name = 0;
		uint size = 0; // pairs that this one becomes
		uint3 a = (uint3)(0), b = (uint3)(0);
		uint isLeaf = 0, isSame = 0, isListed = 0; // PoCL 3.1 loses a bool at a barrier
		if (start + t < count)
		{
			bool isWanted = true;
			if (isFirst)
			{
				uint2 which = pairTriangle(start + t);
				pair = (ulong2)(entries[which.y], entries[which.x]);
				isWanted = (flags & (pair.x >> 32 == pair.y >> 32 ? PAIR_SELF : PAIR_INTER)) != 0;
			}
			else
			{
				pair = source[start + t];
			}
			const uint4 layoutA = bspLayout(layouts, pair.x), layoutB = bspLayout(layouts, pair.y);
			const uint slotA = 2 * (layoutA.w + brBinary_Slot(layoutA.z, layoutA.y, (uint)pair.x));
			const uint slotB = 2 * (layoutB.w + brBinary_Slot(layoutB.z, layoutB.y, (uint)pair.y));
			const float4 lowerA = nodes[slotA], lowerB = nodes[slotB];
			isSame = pair.x == pair.y ? 1u : 0u;
			if (isWanted && (isSame != 0 || pairOverlaps(lowerA, nodes[slotA + 1], lowerB, nodes[slotB + 1])))
			{
				a = bspDescend(layoutA, (uint)pair.x, depthStep);
				b = bspDescend(layoutB, (uint)pair.y, depthStep);
				bool areLeaves = a.x == (uint)pair.x && b.x == (uint)pair.y;
				size = isSame == 0 ? a.y * b.y : a.z != 0 ? a.y * (a.y - 1) / 2 : a.y * (a.y + 1) / 2;
				size = areLeaves ? 0u : size;
				isLeaf = areLeaves && isSame == 0 ? 1u : 0u;
			}
			if (isLeaf != 0)
			{
				uint first = as_uint(lowerA.w), second = as_uint(lowerB.w);
				bool isDropped = (flags & PAIR_DROP_NEIGHBORS) != 0 &&
								 pairSharesCorner(pairCorners(corners, cornersEach, first),
												  pairCorners(corners, cornersEach, second));
				isListed = isDropped ? 0u : 1u;
				name = pairName(first, second);
			}
		}

		// Pairs of leaves: one at most a thread.
		if (t == 0)
		{
			leafCount = 0;
			overlapCount = 0;
			queued = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint slot = isListed != 0 ? atomic_inc(&leafCount) : BSP_NONE;
		if (isLeaf != 0)
		{
			atomic_inc(&overlapCount);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0 && overlapCount > 0)
		{
			run = pairReserve(counters, counter, leafCount);
			pairReserve(counters, counter + 4, overlapCount);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (slot != BSP_NONE && run + slot < capacity)
		{
			pairs[run + slot] = name;
		}

		// Descendants: write, wait, flush, until all are out.
		const ulong treeA = pair.x & 0xFFFFFFFF00000000ul, treeB = pair.y & 0xFFFFFFFF00000000ul;
		uint written = 0, row = 0, column = isSame != 0 ? a.z : 0u;
		for (;;)
		{
			const uint left = size - written;
			const uint place = left > 0 ? atomic_add(&queued, left) : queueCapacity;
			const uint end = place < queueCapacity ? written + min(left, queueCapacity - place) : written;
			for (uint at = place; written < end; ++written, ++at)
			{
				queue[at] = (ulong2)(treeA | (a.x + row), treeB | (b.x + column));
				column += 1;
				if (column == b.y)
				{
					row += 1;
					column = isSame != 0 ? row + a.z : 0u;
				}
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			const uint held = min(queued, queueCapacity);
			if (held == 0)
			{
				break;
			}
			if (t == 0)
			{
				run = pairReserve(counters, to, held);
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			for (uint i = t; i < held; i += groupSize)
			{
				if (run + i < frontCapacity)
				{
					target[run + i] = queue[i];
				}
			}
			barrier(CLK_LOCAL_MEM_FENCE);
			if (t == 0)
			{
				queued = 0;
			}
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
