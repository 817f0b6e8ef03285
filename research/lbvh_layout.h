// SPDX-License-Identifier: MIT
#pragma once

// The radix tree over sorted codes, laid out in depth-first order: who is whose relative, by arithmetic on places.
//
// Leaves are numbered 0 to n - 1 in curve order. An inner node splits its leaves [first, last] behind leaf s where the
// highest bit changes (Karras 2012); inner nodes are known by s, so there are n - 1 of them, and s is at once the one
// between whose neighbors the codes differ most (Apetrei 2014). All 2n - 1 nodes lie in one array in the order of a
// depth-first walk:
//
//   place   0 1 2 3 4 5 6 7 8       ( ) inner nodes that begin with leaf f stand before it, the largest first: their number is
//           (   )a(b)c d(e)f          the count of left-child levels of f, and its exclusive sum over leaves plus f
//                                     is where the segment of f starts (Damkjaer 2007; Wang et al. 2018, 3.2)
//
// From that order everything follows:
//   left child = place + 1             right child = escape of the left child        subtree = [place, escape)
//   leaves below = (escape - place + 1) / 2               node is a leaf if escape = place + 1
//   left child itself if parent = place - 1               next node of a walk: overlaps ? place + 1 : escape
//   all nodes that cover leaves after leaf i of a walk: from place(i) + 1 on
//
// Trees of a scene follow each other in the array; an escape out of a tree is where the next one begins. Compiles as
// C17 and as OpenCL C 1.2.

#ifdef __OPENCL_VERSION__
typedef uint brLbvhCode;
#define BR_LBVH_LOG(x) (31 - (int)clz(x))
#else
#include <stdint.h>
typedef uint32_t brLbvhCode;
#define BR_LBVH_LOG(x) (31 - __builtin_clz(x))
#endif

/// 32 bytes: the box with its upper corner negated, as in brTreeBox, and two numbers in what it leaves free.
typedef struct brLbvhNode
{
	float lower[3];
	int escape; // place of the next node that is not below this one
	float negUpper[3];
	int first; // leftmost leaf below, over all trees
} brLbvhNode;

/// How early two neighbors on the curve part: 32 and more by their codes, else by their numbers, which differ always.
/// 0 to 63; of the splits inside a range exactly one has the highest level, so ties never meet.
static inline int brLbvh_SplitLevel(brLbvhCode code, brLbvhCode nextCode, int leaf)
{
	brLbvhCode differs = code ^ nextCode;
	return differs != 0 ? 32 + BR_LBVH_LOG(differs) : BR_LBVH_LOG((brLbvhCode)leaf ^ (brLbvhCode)(leaf + 1));
}

/// Most nodes on a way from the root to a leaf: one for each level.
#define BR_LBVH_MAX_DEPTH 64

static inline int brLbvh_IsLeaf(const brLbvhNode* nodes, int place)
{
	return nodes[place].escape == place + 1;
}

static inline int brLbvh_LeafCount(const brLbvhNode* nodes, int place)
{
	return (nodes[place].escape - place + 1) / 2;
}

static inline int brLbvh_Last(const brLbvhNode* nodes, int place)
{
	return nodes[place].first + brLbvh_LeafCount(nodes, place) - 1;
}

static inline int brLbvh_RightChild(const brLbvhNode* nodes, int place)
{
	return nodes[place + 1].escape;
}

/// Where a node that is over [first, last] hangs, as the split of its father: Apetrei's rule. Levels outside the tree
/// count as
/// 64. The node is a left child if that is `last`, a right child if it is first - 1.
static inline int brLbvh_FatherSplit(int first, int last, int levelBefore, int levelBehind)
{
	return levelBehind < levelBefore ? last : first - 1;
}
