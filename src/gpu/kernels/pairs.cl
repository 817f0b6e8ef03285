// SPDX-License-Identifier: MIT

// All overlapping pairs of leaves of one tree, each once: the lower place along the curve asks, the higher answers.
//
// A group asks for a few neighboring leaves at once: 16, or 8 where fewer make the longest group shorter. Nodes that
// overlap the box of all askers wait on a stack in local memory; some come off at a time and each thread tests one of
// their children. Children that are leaves are tested against the askers one by one. Pairs collect in local memory and
// leave in runs, so that groups meet at the global counter once in a thousand pairs.
//
// Each turn takes the last nodes off and puts a group's worth at most on: the stack never holds more than 32 +
// PAIR_GROUP * levels. Pairs beyond the capacity are counted and not written: the host looks at the count, makes room
// and runs this again.

#define PAIR_GROUP 256
#define PAIR_NODES (PAIR_GROUP / 32)          // taken off at once
#define PAIR_STACK (32 + 8 * PAIR_GROUP)
#define PAIR_ROOM 1024

#define PAIR_SELF 1u  // within one object
#define PAIR_INTER 2u // of different objects
#define PAIR_DROP_NEIGHBORS 4u // those that share a corner are counted, not listed

inline bool pairOverlaps(float4 aLower, float4 aUpper, float4 bLower, float4 bUpper)
{
	return aLower.x <= bUpper.x && aLower.y <= bUpper.y && aLower.z <= bUpper.z && bLower.x <= aUpper.x &&
		   bLower.y <= aUpper.y && bLower.z <= aUpper.z;
}

inline ulong pairName(uint a, uint b)
{
	return (ulong)min(a, b) << 32 | max(a, b);
}

// Pair p of the triangle of all pairs i >= j: p = i (i + 1) / 2 + j.
inline uint2 pairTriangle(ulong p)
{
	uint i = (uint)((sqrt(8.0f * (float)p + 1.0f) - 1.0f) * 0.5f);
	while ((ulong)i * (i + 1) / 2 > p)
	{
		i -= 1;
	}
	while (((ulong)i + 1) * (i + 2) / 2 <= p)
	{
		i += 1;
	}
	return (uint2)(i, (uint)(p - (ulong)i * (i + 1) / 2));
}

// Reserves places for `count` pairs in the list; its length is 64 bits in two counters.
inline ulong pairReserve(volatile __global uint* counters, uint counter, uint count)
{
	uint low = atomic_add(&counters[counter], count);
	uint high = low + count < low ? atomic_inc(&counters[counter + 1]) : counters[counter + 1];
	return (ulong)high << 32 | low;
}

// The corners of an element of four at most. What there is too few of is repeated.
inline int4 pairCorners(__global const int* corners, uint cornersEach, uint element)
{
	__global const int* mine = corners + element * cornersEach;
	int4 all = (int4)(mine[0]);
	all.y = cornersEach > 1 ? mine[1] : all.y;
	all.z = cornersEach > 2 ? mine[2] : all.z;
	all.w = cornersEach > 3 ? mine[3] : all.w;
	return all;
}

inline bool pairSharesCorner(int4 a, int4 b)
{
	return any(a == b) || any(a == b.yzwx) || any(a == b.zwxy) || any(a == b.wxyz);
}

inline bool pairAreNeighbors(__global const int* corners, uint cornersEach, ulong pair)
{
	return pairSharesCorner(pairCorners(corners, cornersEach, (uint)(pair >> 32)),
							pairCorners(corners, cornersEach, (uint)pair));
}

// Pairs from local memory to the list, without those that share a corner unless `cornersEach` is 0. All threads of the
// group must call.
inline void pairFlush(__local const ulong* found, uint held, __global const int* corners, uint cornersEach,
					  __global ulong* pairs, uint capacity, volatile __global uint* counters, uint counter,
					  __local uint* keptCount, __local ulong* run)
{
	const uint t = get_local_id(0);
	uint keeps = 0, slot = 0;
	if (cornersEach > 0)
	{
		if (t == 0)
		{
			*keptCount = 0;
		}
#pragma unroll
		for (uint k = 0; k < PAIR_ROOM / PAIR_GROUP; ++k)
		{
			uint i = k * PAIR_GROUP + t;
			bool isKept = i < held && !pairAreNeighbors(corners, cornersEach, found[i]);
			keeps |= isKept ? 1u << k : 0u;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		slot = keeps != 0 ? atomic_add(keptCount, popcount(keeps)) : 0u;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
	{
		*run = pairReserve(counters, counter, cornersEach > 0 ? *keptCount : held);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const ulong first = *run;
	for (uint k = 0; k < PAIR_ROOM / PAIR_GROUP; ++k)
	{
		uint i = k * PAIR_GROUP + t;
		if (cornersEach > 0 ? (keeps >> k & 1u) != 0 : i < held)
		{
			ulong place = first + (cornersEach > 0 ? slot++ : i);
			if (place < capacity)
			{
				pairs[place] = found[i];
			}
		}
	}
}

// shape: count and first node of each level. Counters: listed (low, high), two of later stages, overlapping (low, high)
// if neighbors are dropped, else as many as are listed.
__kernel __attribute__((reqd_work_group_size(PAIR_GROUP, 1, 1))) void
brk_findPairs(__global const float4* leaves, __global const float4* nodes, __constant uint* shape, uint levelCount,
			  uint count, uint askers, uint flags, __global const int* corners, uint cornersEach,
			  __global ulong* pairs, uint capacity, volatile __global uint* counters, uint counter)
{
	__local uint stack[PAIR_STACK];
	__local float4 lowers[PAIR_GROUP], uppers[PAIR_GROUP]; // of leaves that answer
	__local uint places[PAIR_GROUP];                       // their places along the curve
	__local ulong found[PAIR_ROOM];
	__local uint stackCount, answerCount, roundCount, foundCount, keptCount;
	__local ulong run;
	const uint t = get_local_id(0), lane = t & 31, strip = t >> 5;
	const uint first = get_group_id(0) * askers, shares = PAIR_GROUP / askers; // threads for each asker
	const uint mine = first + t % askers, share = t / askers;
	const float4 myLower = leaves[2 * mine], myUpper = leaves[2 * mine + 1]; // padded with nothing
	const uint myObject = as_uint(myUpper.w), myElement = as_uint(myLower.w);
	const uint dropsNeighbors = flags & PAIR_DROP_NEIGHBORS;
	uint overlaps = 0; // of the whole group

	// The box of all askers.
	if (t < askers)
	{
		lowers[t] = myLower;
		uppers[t] = myUpper;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	float4 askLower = lowers[0], askUpper = uppers[0];
	for (uint i = 1; i < askers; ++i)
	{
		askLower = fmin(askLower, lowers[i]);
		askUpper = fmax(askUpper, uppers[i]);
	}

	// All nodes of the top level, of which there are 32 at most.
	const uint top = levelCount - 1;
	if (t == 0)
	{
		stackCount = shape[2 * top];
		foundCount = 0;
	}
	if (t < shape[2 * top])
	{
		stack[t] = top << 27 | t;
	}
	for (;;)
	{
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint waiting = stackCount;
		if (waiting == 0)
		{
			break;
		}
		const uint taken = min(waiting, (uint)PAIR_NODES);
		const bool hasNode = strip < taken;
		const uint node = hasNode ? stack[waiting - taken + strip] : 0u;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0)
		{
			stackCount = waiting - taken;
			answerCount = 0;
			roundCount = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);

		// A child a thread. Those all of whose leaves are at or before the first asker have asked themselves.
		const uint level = node >> 27, child = (node & 0x07FFFFFFu) * 32 + lane;
		if (hasNode && level == 0)
		{
			if (child < count && child > first)
			{
				float4 lower = leaves[2 * child], upper = leaves[2 * child + 1];
				if (pairOverlaps(lower, upper, askLower, askUpper))
				{
					uint slot = atomic_inc(&answerCount);
					lowers[slot] = lower;
					uppers[slot] = upper;
					places[slot] = child;
				}
			}
		}
		else if (hasNode)
		{
			const uint below = level - 1;
			ulong end = (ulong)(child + 1) << (5 * (below + 1)); // one beyond its last leaf
			if (child < shape[2 * below] && end > first + 1)
			{
				uint at = 2 * (shape[2 * below + 1] + child);
				if (pairOverlaps(nodes[at], nodes[at + 1], askLower, askUpper))
				{
					stack[atomic_inc(&stackCount)] = below << 27 | child;
				}
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint answers = answerCount;
		if (answers == 0)
		{
			continue;
		}

		// Threads of one asker take turns with the answers.
		uint hits = 0;
		for (uint k = 0, i = share; i < answers; ++k, i += shares)
		{
			bool isSame = as_uint(uppers[i].w) == myObject;
			bool isWanted = (flags & (isSame ? PAIR_SELF : PAIR_INTER)) != 0;
			bool isHit = isWanted && places[i] > mine && mine < count &&
						 pairOverlaps(lowers[i], uppers[i], myLower, myUpper);
			hits |= (isHit ? 1u : 0u) << k;
		}
		uint slot = hits != 0 ? atomic_add(&roundCount, popcount(hits)) : 0u;
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint round = roundCount;
		const uint held = foundCount;
		overlaps += round;
		if (held + round > PAIR_ROOM)
		{
			pairFlush(found, held, corners, dropsNeighbors != 0 ? cornersEach : 0u, pairs, capacity, counters, counter,
					  &keptCount, &run);
			barrier(CLK_LOCAL_MEM_FENCE);
			if (t == 0)
			{
				foundCount = 0;
			}
		}
		const uint isLarge = round > PAIR_ROOM ? 1u : 0u; // more at once than there is room for: straight to the list
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint base = foundCount;
		for (uint bits = hits; bits != 0; bits &= bits - 1)
		{
			uint i = share + shares * (31 - clz(bits & -bits));
			ulong pair = pairName(myElement, as_uint(lowers[i].w));
			if (isLarge == 0)
			{
				found[base + slot] = pair;
			}
			else if (dropsNeighbors == 0 || !pairAreNeighbors(corners, cornersEach, pair))
			{
				ulong place = pairReserve(counters, counter, 1);
				if (place < capacity)
				{
					pairs[place] = pair;
				}
			}
			slot += 1;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0 && isLarge == 0)
		{
			foundCount = base + round;
		}
	}

	if (t == 0 && dropsNeighbors != 0 && overlaps > 0)
	{
		pairReserve(counters, counter + 4, overlaps);
	}
	const uint held = foundCount;
	if (held > 0)
	{
		pairFlush(found, held, corners, dropsNeighbors != 0 ? cornersEach : 0u, pairs, capacity, counters, counter,
				  &keptCount, &run);
	}
}
