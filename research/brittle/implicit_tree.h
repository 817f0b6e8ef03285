// SPDX-License-Identifier: MIT
#pragma once

/// @file implicit_tree.h
/// Index algebra of implicit trees, for any arity: who is whose parent, where a node lies in memory.
///
/// A tree of arity k over t leaves is the perfect k-ary tree whose leaf level l' = ceil(log_k t) is just wide enough,
/// with nodes numbered level by level from the root (implicit index 0). Leaves fill the last level from the left; what
/// has no leaf below it is virtual and is not stored. Real nodes are stored without gaps in the order of their indices,
/// so the memory slot of a node is its index less the virtual nodes on the levels above it.
///
///              0              t = 5, k = 2:  level 0: 1 real            slots 0
///          1       2                         level 1: 2 real            1 2
///        3   4   5  (6)                      level 2: 3 real, 1 virtual 3 4 5
///       7 8 9 10 11 (12 13 14)               level 3: 5 real, 3 virtual 6 7 8 9 10
///
/// Chitalu, "Accelerating and Simulating Detected Physical Interactions", 2020: relatives by eq. 4.17-4.22, counts and
/// slots by eq. 3.1-3.10, any arity by appendix B with these corrections: the virtual nodes on levels above l number
/// (k V - digitsum_k(V)) / (k - 1) where V = floor(Lv / k^(l' - l + 1)) and Lv counts the virtual leaves.
///
/// Everything is closed form except what needs a logarithm or a digit sum in an arity that is no power of two; those
/// take a loop of at most 32 turns. Indices are 64-bit, since a perfect tree over 2^31 leaves may have more than 2^32
/// nodes. brittle's own trees have arity 2 and 32-bit indices (src/index/binary_tree.h), or 16 (src/index/wide_bvh.h).

#include "brittle/api.h"

#include <stdint.h>

typedef uint32_t brIndex32;
typedef uint64_t brIndex64;
#define BR_INDEX_LOG32(x) (31u - BR_CAST(brIndex32, __builtin_clz(x)))
#define BR_INDEX_LOG64(x) (63u - BR_CAST(brIndex32, __builtin_clzll(x)))

// Any arity k >= 2

/// k^n. The caller keeps it below 2^64.
static inline brIndex64 brIndex_Power(brIndex32 k, brIndex32 n)
{
	if ((k & (k - 1u)) == 0u)
	{
		return BR_CAST(brIndex64, 1) << (n * BR_INDEX_LOG32(k));
	}
	brIndex64 power = 1;
	for (brIndex32 i = 0; i < n; ++i)
	{
		power *= k;
	}
	return power;
}

/// Index of the first node of a level: nodes on all levels above. (k^l - 1) / (k - 1)
static inline brIndex64 brIndex_LevelStart(brIndex32 k, brIndex32 level)
{
	return (brIndex_Power(k, level) - 1u) / (k - 1u);
}

static inline brIndex32 brIndex_Level(brIndex32 k, brIndex64 i)
{
	if ((k & (k - 1u)) == 0u)
	{
		return BR_INDEX_LOG64(i * (k - 1u) + 1u) / BR_INDEX_LOG32(k);
	}
	brIndex32 level = 0;
	for (brIndex64 width = 1; i >= width; width *= k)
	{
		i -= width;
		level += 1;
	}
	return level;
}

/// `i` > 0.
static inline brIndex64 brIndex_Parent(brIndex32 k, brIndex64 i)
{
	return (i - 1u) / k;
}

/// Child `j` of 0 to k - 1.
static inline brIndex64 brIndex_Child(brIndex32 k, brIndex64 i, brIndex32 j)
{
	return k * i + 1u + j;
}

/// Descendant `j` of 0 to k^n - 1, n levels below: k^n i + (k^n - 1) / (k - 1) + j
static inline brIndex64 brIndex_Descendant(brIndex32 k, brIndex64 i, brIndex32 n, brIndex64 j)
{
	return brIndex_Power(k, n) * i + brIndex_LevelStart(k, n) + j;
}

/// n levels above; the level of `i` is n at least.
static inline brIndex64 brIndex_Ancestor(brIndex32 k, brIndex64 i, brIndex32 n)
{
	return (i - brIndex_LevelStart(k, n)) / brIndex_Power(k, n);
}

/// Digits of x in base k, added up.
static inline brIndex64 brIndex_DigitSum(brIndex32 k, brIndex64 x)
{
	brIndex64 sum = 0;
	for (; x > 0; x /= k)
	{
		sum += x % k;
	}
	return sum;
}

/// The shape of one tree, from its arity and number of leaves.
typedef struct brImplicitTree
{
	brIndex32 arity;
	brIndex32 leafCount;        ///< t >= 1, below 2^31.
	brIndex32 leafLevel;        ///< ceil(log_k t)
	brIndex32 padding;          ///< 0
	brIndex64 virtualLeafCount; ///< k^leafLevel - t
} brImplicitTree;

static inline brImplicitTree brMakeImplicitTree(brIndex32 k, brIndex32 leafCount)
{
	brImplicitTree tree;
	tree.arity = k;
	tree.leafCount = leafCount;
	tree.leafLevel = 0;
	tree.padding = 0;
	brIndex64 width = 1;
	while (width < leafCount)
	{
		width *= k;
		tree.leafLevel += 1;
	}
	tree.virtualLeafCount = width - leafCount;
	return tree;
}

/// Real and virtual nodes on one level.
static inline brIndex64 brImplicitTree_VirtualOnLevel(const brImplicitTree* tree, brIndex32 level)
{
	return tree->virtualLeafCount / brIndex_Power(tree->arity, tree->leafLevel - level);
}

static inline brIndex64 brImplicitTree_RealOnLevel(const brImplicitTree* tree, brIndex32 level)
{
	return brIndex_Power(tree->arity, level) - brImplicitTree_VirtualOnLevel(tree, level);
}

/// Virtual nodes on all levels above.
static inline brIndex64 brImplicitTree_VirtualAbove(const brImplicitTree* tree, brIndex32 level)
{
	brIndex32 k = tree->arity;
	brIndex64 v = level == 0 ? 0 : tree->virtualLeafCount / brIndex_Power(k, tree->leafLevel - level + 1u);
	return (k * v - brIndex_DigitSum(k, v)) / (k - 1u);
}

/// Slot of the first node of a level: real nodes on all levels above.
static inline brIndex64 brImplicitTree_LevelSlot(const brImplicitTree* tree, brIndex32 level)
{
	return brIndex_LevelStart(tree->arity, level) - brImplicitTree_VirtualAbove(tree, level);
}

/// Stored nodes of the whole tree (eq. 3.7).
static inline brIndex64 brImplicitTree_NodeCount(const brImplicitTree* tree)
{
	return brImplicitTree_LevelSlot(tree, tree->leafLevel) + tree->leafCount;
}

static inline int brImplicitTree_IsReal(const brImplicitTree* tree, brIndex64 i)
{
	brIndex32 level = brIndex_Level(tree->arity, i);
	return level <= tree->leafLevel &&
		   i - brIndex_LevelStart(tree->arity, level) < brImplicitTree_RealOnLevel(tree, level);
}

/// Memory slot of a real node (eq. 3.9).
static inline brIndex64 brImplicitTree_Slot(const brImplicitTree* tree, brIndex64 i)
{
	return i - brImplicitTree_VirtualAbove(tree, brIndex_Level(tree->arity, i));
}

/// The real node stored in a slot.
static inline brIndex64 brImplicitTree_Index(const brImplicitTree* tree, brIndex64 slot)
{
	// Virtual nodes only push slots down, so the level found from the slot as if it were an index is never too deep.
	brIndex32 level = brIndex_Level(tree->arity, slot);
	while (level < tree->leafLevel && slot >= brImplicitTree_LevelSlot(tree, level + 1u))
	{
		level += 1;
	}
	return slot + brImplicitTree_VirtualAbove(tree, level);
}
