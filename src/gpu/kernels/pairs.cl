// SPDX-License-Identifier: MIT

// All overlapping pairs of leaves of one tree, each once: the lower place along the curve asks, the higher answers.
//
// A group asks for a few neighboring leaves at once: 16, or 8 where fewer make the longest group shorter. Nodes that
// overlap the box of all askers wait on a stack in local memory; some come off at a time and each thread tests one of
// their children. Children that are leaves are tested against the askers one by one. Pairs collect in local memory and
// leave in runs, so that groups meet at the global counter once in a thousand pairs.
//
// Each turn takes the last nodes off and puts a group's worth at most on: the stack never holds more than PAIR_TOP +
// PAIR_GROUP * levels. Pairs beyond the capacity are counted and not written: the host looks at the count, makes room
// and runs this again.

#define PAIR_GROUP 128
#define PAIR_NODES (PAIR_GROUP / 32)          // taken off at once
#define PAIR_TOP 256                          // nodes of the highest level, at most
#define PAIR_STACK (PAIR_TOP + 8 * PAIR_GROUP)
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

// Where pairs go. Those that share a corner are left out, unless `cornersEach` is 0.
typedef struct PairList
{
	__global const int* corners;
	uint cornersEach;
	__global ulong* pairs;
	uint capacity;
	volatile __global uint* counters;
	uint counter;
} PairList;

// Pairs from local memory to the list. All threads of the group must call.
inline void pairFlush(const PairList* list, __local const ulong* found, uint held, __local uint* keptCount,
					  __local ulong* run)
{
	const uint t = get_local_id(0);
	const uint cornersEach = list->cornersEach;
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
			bool isKept = i < held && !pairAreNeighbors(list->corners, cornersEach, found[i]);
			keeps |= isKept ? 1u << k : 0u;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		slot = keeps != 0 ? atomic_add(keptCount, popcount(keeps)) : 0u;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
	{
		*run = pairReserve(list->counters, list->counter, cornersEach > 0 ? *keptCount : held);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const ulong first = *run;
	for (uint k = 0; k < PAIR_ROOM / PAIR_GROUP; ++k)
	{
		uint i = k * PAIR_GROUP + t;
		if (cornersEach > 0 ? (keeps >> k & 1u) != 0 : i < held)
		{
			ulong place = first + (cornersEach > 0 ? slot++ : i);
			if (place < list->capacity)
			{
				list->pairs[place] = found[i];
			}
		}
	}
}

// One pair straight to the list.
inline void pairListOne(const PairList* list, ulong pair)
{
	if (list->cornersEach == 0 || !pairAreNeighbors(list->corners, list->cornersEach, pair))
	{
		ulong place = pairReserve(list->counters, list->counter, 1);
		if (place < list->capacity)
		{
			list->pairs[place] = pair;
		}
	}
}

typedef struct PairBox
{
	float4 lower, upper;
} PairBox;

// A tree along the curve. shape: count and first node of each level.
typedef struct PairTree
{
	__global const float4* leaves;
	__global const float4* nodes;
	__constant uint* shape;
	uint count; // of leaves
} PairTree;

// What a group works on.
typedef struct PairGroup
{
	float4 lowers[PAIR_GROUP], uppers[PAIR_GROUP]; // of leaves that answer
	ulong found[PAIR_ROOM];
	ulong run;
	uint places[PAIR_GROUP]; // of leaves that answer, along the curve
	uint stack[PAIR_STACK];
	uint stackCount, answerCount, roundCount, foundCount, keptCount;
} PairGroup;

// Who asks: its box, with its object and number, its place along the curve, and its share of threads.
typedef struct PairAsker
{
	PairBox box;
	uint place, share, shares;
} PairAsker;

// Puts a node on the stack if it meets the box of all askers. Those all of whose leaves are at or before `first` have
// asked themselves.
inline void pairPush(__local PairGroup* group, const PairTree* tree, uint level, uint node, uint first,
					 const PairBox* asked)
{
	const ulong end = (ulong)(node + 1) << (5 * (level + 1)); // one beyond its last leaf
	const uint at = 2 * (tree->shape[2 * level + 1] + node);
	if (end > first + 1 && pairOverlaps(tree->nodes[at], tree->nodes[at + 1], asked->lower, asked->upper))
	{
		group->stack[atomic_inc(&group->stackCount)] = level << 27 | node;
	}
}

// Goes down to a child of a node, if it meets the box of all askers: a leaf answers, a node is put on the stack.
inline void pairDescend(__local PairGroup* group, const PairTree* tree, uint node, uint first, const PairBox* asked)
{
	const uint level = node >> 27, child = (node & 0x07FFFFFFu) * 32 + (get_local_id(0) & 31);
	if (level == 0)
	{
		if (child < tree->count && child > first)
		{
			float4 lower = tree->leaves[2 * child], upper = tree->leaves[2 * child + 1];
			if (pairOverlaps(lower, upper, asked->lower, asked->upper))
			{
				uint slot = atomic_inc(&group->answerCount);
				group->lowers[slot] = lower;
				group->uppers[slot] = upper;
				group->places[slot] = child;
			}
		}
		return;
	}
	if (child < tree->shape[2 * (level - 1)])
	{
		pairPush(group, tree, level - 1, child, first, asked);
	}
}

// Threads of one asker take turns with the answers: a bit for each that makes a pair.
inline uint pairHits(__local const PairGroup* group, uint answers, const PairAsker* asker, uint flags)
{
	uint hits = 0;
	for (uint k = 0, i = asker->share; i < answers; ++k, i += asker->shares)
	{
		bool isSame = as_uint(group->uppers[i].w) == as_uint(asker->box.upper.w);
		bool isWanted = (flags & (isSame ? PAIR_SELF : PAIR_INTER)) != 0;
		bool isHit = isWanted && group->places[i] > asker->place &&
					 pairOverlaps(group->lowers[i], group->uppers[i], asker->box.lower, asker->box.upper);
		hits |= (isHit ? 1u : 0u) << k;
	}
	return hits;
}

// Pairs of this thread's hits, kept in local memory or, if there are more at once than there is room for, straight to
// the list. All threads of the group must call. Returns how many the group has.
inline uint pairKeep(__local PairGroup* group, const PairList* list, const PairAsker* asker, uint hits)
{
	const uint t = get_local_id(0);
	uint slot = hits != 0 ? atomic_add(&group->roundCount, popcount(hits)) : 0u;
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint round = group->roundCount, held = group->foundCount;
	if (held + round > PAIR_ROOM)
	{
		pairFlush(list, group->found, held, &group->keptCount, &group->run);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0)
		{
			group->foundCount = 0;
		}
	}
	const uint isLarge = round > PAIR_ROOM ? 1u : 0u;
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint base = group->foundCount;
	for (uint bits = hits; bits != 0; bits &= bits - 1)
	{
		uint i = asker->share + asker->shares * (31 - clz(bits & -bits));
		ulong pair = pairName(as_uint(asker->box.lower.w), as_uint(group->lowers[i].w));
		if (isLarge == 0)
		{
			group->found[base + slot] = pair;
		}
		else
		{
			pairListOne(list, pair);
		}
		slot += 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t == 0 && isLarge == 0)
	{
		group->foundCount = base + round;
	}
	return round;
}

// Counters: listed (low, high), two of later stages, overlapping (low, high)
// if neighbors are dropped, else as many as are listed.
__kernel __attribute__((reqd_work_group_size(PAIR_GROUP, 1, 1))) void
brk_findPairs(__global const float4* leaves, __global const float4* nodes, __constant uint* shape, uint levelCount,
			  uint count, uint askers, uint flags, __global const int* corners, uint cornersEach,
			  __global ulong* pairs, uint capacity, volatile __global uint* counters, uint counter)
{
	__local PairGroup group;
	const uint t = get_local_id(0), strip = t >> 5, first = get_group_id(0) * askers, mine = first + t % askers;
	const uint dropsNeighbors = flags & PAIR_DROP_NEIGHBORS;
	const PairList list = {corners, dropsNeighbors != 0 ? cornersEach : 0u, pairs, capacity, counters, counter};
	const PairTree tree = {leaves, nodes, shape, count};
	const PairAsker asker = {{leaves[2 * mine], leaves[2 * mine + 1]}, mine, t / askers, PAIR_GROUP / askers}; // padded with nothing
	uint overlaps = 0; // of the whole group

	// The box of all askers.
	if (t < askers)
	{
		group.lowers[t] = asker.box.lower;
		group.uppers[t] = asker.box.upper;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	PairBox asked = {group.lowers[0], group.uppers[0]};
	for (uint i = 1; i < askers; ++i)
	{
		asked.lower = fmin(asked.lower, group.lowers[i]);
		asked.upper = fmax(asked.upper, group.uppers[i]);
	}

	// Nodes of the top level that the askers meet and that end behind the first of them.
	const uint top = levelCount - 1;
	if (t == 0)
	{
		group.stackCount = 0;
		group.foundCount = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint node = t; node < shape[2 * top]; node += PAIR_GROUP)
	{
		pairPush(&group, &tree, top, node, first, &asked);
	}
	for (;;)
	{
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint waiting = group.stackCount;
		if (waiting == 0)
		{
			break;
		}
		const uint taken = min(waiting, (uint)PAIR_NODES);
		const bool hasNode = strip < taken;
		const uint node = hasNode ? group.stack[waiting - taken + strip] : 0u;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t == 0)
		{
			group.stackCount = waiting - taken;
			group.answerCount = 0;
			group.roundCount = 0;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (hasNode) // a child a thread
		{
			pairDescend(&group, &tree, node, first, &asked);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint answers = group.answerCount;
		if (answers > 0)
		{
			const uint hits = mine < count ? pairHits(&group, answers, &asker, flags) : 0u;
			overlaps += pairKeep(&group, &list, &asker, hits);
		}
	}

	if (t == 0 && dropsNeighbors != 0 && overlaps > 0)
	{
		pairReserve(counters, counter + 4, overlaps);
	}
	const uint held = group.foundCount;
	if (held > 0)
	{
		pairFlush(&list, group.found, held, &group.keptCount, &group.run);
	}
}
