// SPDX-License-Identifier: MIT
#pragma once

// Index algebra of the binary implicit tree (Chitalu 2020, ch. 3): who is whose parent, where a node lies in memory, by
// bits alone.
//
// A tree over t leaves, of which there are 2^31 at most, is the perfect binary tree whose leaf level is just wide
// enough. Nodes are numbered level by level from the root, 0. Leaves fill the last level from the left; what has no
// leaf below it is virtual and is not stored. The slot of a real node is its index less the virtual nodes on the levels
// above it. Compiles as C17 and as OpenCL C 1.2; research/brittle/implicit_tree.h has any arity.

#ifdef __OPENCL_VERSION__
typedef uint brNodeIndex;
#define BR_NODE_BITS(x) popcount(x)
#define BR_NODE_LOG(x) (31u - clz(x))
#else
#include <stdint.h>
typedef uint32_t brNodeIndex;
#define BR_NODE_BITS(x) ((brNodeIndex)__builtin_popcount(x))
#define BR_NODE_LOG(x) (31u - (brNodeIndex)__builtin_clz(x))
#endif

static inline brNodeIndex brBinary_Level(brNodeIndex i)
{
	return BR_NODE_LOG(i + 1u);
}

static inline brNodeIndex brBinary_Descendant(brNodeIndex i, brNodeIndex n, brNodeIndex j)
{
	return ((i + 1u) << n) - 1u + j;
}

static inline brNodeIndex brBinary_LeafLevel(brNodeIndex leafCount)
{
	return leafCount <= 1u ? 0u : BR_NODE_LOG(leafCount - 1u) + 1u;
}

static inline brNodeIndex brBinary_VirtualLeaves(brNodeIndex leafCount)
{
	return (1u << brBinary_LeafLevel(leafCount)) - leafCount;
}

// Real nodes on a level: ceil(t / 2^(leafLevel - level)).
static inline brNodeIndex brBinary_RealOnLevel(brNodeIndex leafCount, brNodeIndex leafLevel, brNodeIndex level)
{
	return (leafCount - 1u) / (1u << (leafLevel - level)) + 1u;
}

static inline brNodeIndex brBinary_VirtualAbove(brNodeIndex virtualLeaves, brNodeIndex leafLevel, brNodeIndex level)
{
	brNodeIndex v = level == 0u ? 0u : virtualLeaves >> (leafLevel - level + 1u);
	return 2u * v - BR_NODE_BITS(v);
}

// Stored nodes: 2 t - 1 + popcount(virtual leaves).
static inline brNodeIndex brBinary_NodeCount(brNodeIndex leafCount)
{
	return 2u * leafCount - 1u + BR_NODE_BITS(brBinary_VirtualLeaves(leafCount));
}

static inline brNodeIndex brBinary_Slot(brNodeIndex virtualLeaves, brNodeIndex leafLevel, brNodeIndex i)
{
	return i - brBinary_VirtualAbove(virtualLeaves, leafLevel, brBinary_Level(i));
}
