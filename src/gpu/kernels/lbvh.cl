// SPDX-License-Identifier: MIT

// The linear BVH in the depth-first order of lbvh_layout.h, and its stackless walk (Wang et al. 2018, 3.2; Damkjaer
// 2007).
//
// The CPU finds ranges of splits with a stack and places by counting down; here every split answers for itself, and no
// thread waits for another:
//   range    all leaves whose keys (code, then number) agree with the split's above the bit where it parts: a search to either side
//   places   splits that begin at the same leaf are a chain, each the left child of the next, and the next of s is the split at the
//            end of s. Walking it gives a split's place among them, and a leaf their number; running sums do the rest
//   boxes    from leaves and nodes of the wide tree over the same order, as the box of a range
// Ranges are mostly short: a search doubles its step before it halves it, and a short range reads its leaves.

inline ulong lbvhKey(__global const ulong* items, uint leaf, uint lowBit)
{
	return (items[leaf] >> (32 + lowBit)) << 32 | leaf;
}

// The farthest leaf from `leaf` in steps of `sign` that shares `prefix` above `bit`.
inline uint lbvhFarthest(__global const ulong* items, uint count, uint lowBit, uint leaf, int sign, ulong prefix, uint bit)
{
	// Everything is done in distances; what is out of range shares nothing.
	const uint room = sign > 0 ? count - 1 - leaf : leaf;
	uint known = 0, step = 1;
	while (known + step <= room && lbvhKey(items, leaf + sign * (int)(known + step), lowBit) >> bit == prefix)
	{
		known += step;
		step *= 2;
	}
	for (; step > 0; step /= 2)
	{
		if (known + step <= room && lbvhKey(items, leaf + sign * (int)(known + step), lowBit) >> bit == prefix)
		{
			known += step;
		}
	}
	return leaf + sign * (int)known;
}

// First and last leaf of each split: split s is between leaves s and s + 1.
__kernel void brk_lbvhRanges(__global const ulong* items, uint count, uint lowBit, __global uint2* ranges)
{
	for (uint s = get_global_id(0); s + 1 < count; s += get_global_size(0))
	{
		const ulong key = lbvhKey(items, s, lowBit);
		const uint bit = 64 - (uint)clz(key ^ lbvhKey(items, s + 1, lowBit)); // one above the highest that differs
		const ulong prefix = key >> bit;
		ranges[s] = (uint2)(lbvhFarthest(items, count, lowBit, s, -1, prefix, bit),
							lbvhFarthest(items, count, lowBit, s + 1, 1, prefix, bit));
	}
}

// How many splits are above s in its chain: larger ones that begin at the same leaf.
inline uint lbvhAbove(__global const uint2* ranges, uint count, uint s)
{
	const uint begin = ranges[s].x;
	uint above = 0;
	for (uint next = ranges[s].y; next + 1 < count && ranges[next].x == begin; next = ranges[next].y)
	{
		above += 1;
	}
	return above;
}

// Splits that begin at each leaf. The smallest is the leaf's own.
__kernel void brk_lbvhCounts(__global const uint2* ranges, uint count, __global uint* counts)
{
	for (uint leaf = get_global_id(0); leaf < count; leaf += get_global_size(0))
	{
		bool isFirst = leaf + 1 < count && ranges[leaf].x == leaf;
		counts[leaf] = isFirst ? 1 + lbvhAbove(ranges, count, leaf) : 0u;
	}
}

inline void lbvhStore(__global float4* nodes, uint place, float4 lower, float4 upper, uint escape, uint first)
{
	nodes[2 * place] = (float4)(lower.xyz, as_float(escape));
	nodes[2 * place + 1] = (float4)(-upper.xyz, as_float(first));
}

// The box of leaves [begin, end): ends that do not fill a node of the level above one by one, what is between from
// there.
inline void lbvhRangeBox(__global const float4* leaves, __global const float4* wide, __constant uint* shape, uint begin,
						 uint end, float4* outLower, float4* outUpper)
{
	float4 lower = (float4)(INFINITY), upper = (float4)(-INFINITY);
	__global const float4* level = leaves;
	for (uint above = 0; begin < end; ++above)
	{
		const bool isShort = end - begin <= 2 * TREE_ARITY;
		const uint inner = isShort ? end : (begin + TREE_ARITY - 1) / TREE_ARITY * TREE_ARITY;
		const uint outer = isShort ? end : end / TREE_ARITY * TREE_ARITY;
		for (uint i = begin; i < inner; ++i)
		{
			lower = fmin(lower, level[2 * i]);
			upper = fmax(upper, level[2 * i + 1]);
		}
		for (uint i = outer; i < end; ++i)
		{
			lower = fmin(lower, level[2 * i]);
			upper = fmax(upper, level[2 * i + 1]);
		}
		begin = isShort ? end : inner / TREE_ARITY;
		end = isShort ? end : outer / TREE_ARITY;
		level = wide + 2 * shape[2 * above + 1];
	}
	*outLower = lower;
	*outUpper = upper;
}

// All nodes at their places. `sums` are running sums of the counts: those before each leaf.
__kernel void brk_lbvhNodes(__global const float4* leaves, __global const float4* wide, __constant uint* shape,
							__global const uint2* ranges, __global const uint* sums, uint count, __global float4* nodes,
							__global uint* places)
{
	for (uint i = get_global_id(0); i < 2 * count - 1; i += get_global_size(0))
	{
		if (i < count) // a leaf: behind the splits that begin at it
		{
			uint last = i + 1 < count ? sums[i + 1] : count - 1;
			places[i] = last + i;
			lbvhStore(nodes, last + i, leaves[2 * i], leaves[2 * i + 1], last + i + 1, i);
			continue;
		}
		const uint s = i - count;
		const uint2 range = ranges[s];
		const uint place = sums[range.x] + range.x + lbvhAbove(ranges, count, s);
		float4 lower, upper;
		lbvhRangeBox(leaves, wide, shape, range.x, range.y + 1, &lower, &upper);
		lbvhStore(nodes, place, lower, upper, place + 2 * (range.y - range.x + 1) - 1, range.x);
	}
}

#define LBVH_GROUP 128
#define LBVH_ROOM 1024

// One thread a leaf: from behind itself to the end of the tree. Counters and what is too long as brk_gridPairs.
__kernel __attribute__((reqd_work_group_size(LBVH_GROUP, 1, 1))) void
brk_lbvhWalk(__global const float4* nodes, __global const float4* leaves, __global const uint* places, uint count,
			 uint flags, __global const int* corners, uint cornersEach, __global ulong* pairs, uint capacity,
			 volatile __global uint* counters, uint counter)
{
	__local ulong found[LBVH_ROOM];
	__local uint foundCount, overlapCount;
	__local ulong run;
	const uint t = get_local_id(0), leaf = get_group_id(0) * LBVH_GROUP + t;
	if (t == 0)
	{
		foundCount = 0;
		overlapCount = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (leaf < count)
	{
		const float4 lower = leaves[2 * leaf], upper = leaves[2 * leaf + 1];
		const uint end = 2 * count - 1, mine = as_uint(lower.w);
		const bool dropsNeighbors = (flags & PAIR_DROP_NEIGHBORS) != 0;
		const int4 myCorners = dropsNeighbors ? pairCorners(corners, cornersEach, mine) : (int4)(0);
		uint overlaps = 0, node = places[leaf] + 1;
		while (node < end)
		{
			const float4 a = nodes[2 * node], b = nodes[2 * node + 1];
			const uint escape = as_uint(a.w);
			const bool isMet = pairOverlaps(a, -b, lower, upper);
			if (isMet && escape == node + 1)
			{
				const uint first = as_uint(b.w), other = as_uint(leaves[2 * first].w);
				const bool isSame = as_uint(leaves[2 * first + 1].w) == as_uint(upper.w);
				if ((flags & (isSame ? PAIR_SELF : PAIR_INTER)) != 0)
				{
					overlaps += 1;
					if (!dropsNeighbors || !pairSharesCorner(myCorners, pairCorners(corners, cornersEach, other)))
					{
						uint slot = atomic_inc(&foundCount);
						ulong pair = pairName(mine, other);
						if (slot < LBVH_ROOM)
						{
							found[slot] = pair;
						}
						else // a crowd: straight to the list
						{
							ulong place = pairReserve(counters, counter, 1);
							if (place < capacity)
							{
								pairs[place] = pair;
							}
						}
					}
				}
			}
			node = isMet ? node + 1 : escape;
		}
		if (overlaps > 0)
		{
			atomic_add(&overlapCount, overlaps);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint held = min(foundCount, (uint)LBVH_ROOM);
	if (t == 0 && overlapCount > 0)
	{
		run = pairReserve(counters, counter, held);
		pairReserve(counters, counter + 4, overlapCount);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = t; i < held; i += LBVH_GROUP)
	{
		if (run + i < capacity)
		{
			pairs[run + i] = found[i];
		}
	}
}
