// SPDX-License-Identifier: MIT

// The binary implicit trees of a scene, all at once, ten levels a launch (Chitalu 2020, section 3.3).
//
// A group takes 1024 neighbors of one level of one tree and makes the 512, 256, ... 1 boxes above them: two levels in
// registers, the rest in local memory. Which tree a group works for it finds in the running sum of groups. Nodes lie as
// binary_tree.h says: level by level, no gaps. A launch reads its level once and writes each box above it once.

#define OI_GROUP 256
#define OI_TILE 1024
#define OI_LEVELS 10

// One tree: leaves, level of the leaves, virtual leaves, first node.
#define OI_LAYOUT 4

inline void oiStore(__global float4* nodes, uint slot, float4 lower, float4 upper)
{
	nodes[2 * slot] = lower;
	nodes[2 * slot + 1] = upper;
}

// Slot of the first node of a level.
inline uint oiLevelSlot(uint firstNode, uint virtualLeaves, uint leafLevel, uint level)
{
	return firstNode + (1u << level) - 1u - brBinary_VirtualAbove(virtualLeaves, leafLevel, level);
}

// The tree whose run of groups holds this one.
inline uint oiTree(__global const uint* starts, uint treeCount, uint group)
{
	uint low = 0, high = treeCount;
	while (high - low > 1)
	{
		uint middle = (low + high) / 2;
		low = starts[middle] <= group ? middle : low;
		high = starts[middle] <= group ? high : middle;
	}
	return low;
}

__kernel __attribute__((reqd_work_group_size(OI_GROUP, 1, 1))) void
brk_oiBuild(__global float4* nodes, __global const uint* layouts, __global const uint* groupStarts, uint treeCount,
			uint launch)
{
	__local float4 lowers[OI_GROUP], uppers[OI_GROUP];
	const uint t = get_local_id(0);
	const uint tree = oiTree(groupStarts, treeCount, get_group_id(0));
	const uint group = get_group_id(0) - groupStarts[tree];
	const uint leafCount = layouts[OI_LAYOUT * tree], leafLevel = layouts[OI_LAYOUT * tree + 1];
	const uint virtualLeaves = layouts[OI_LAYOUT * tree + 2], firstNode = layouts[OI_LAYOUT * tree + 3];
	const uint from = leafLevel - OI_LEVELS * launch; // the host gives no group to a tree that is done
	const uint count = brBinary_RealOnLevel(leafCount, leafLevel, from);
	const uint child = group * OI_TILE + 4 * t;
	const uint children = oiLevelSlot(firstNode, virtualLeaves, leafLevel, from);

	float4 low[4], high[4];
	for (uint k = 0; k < 4; ++k)
	{
		bool isThere = child + k < count;
		low[k] = isThere ? nodes[2 * (children + child + k)] : (float4)(INFINITY);
		high[k] = isThere ? nodes[2 * (children + child + k) + 1] : (float4)(-INFINITY);
	}
	if (from >= 1)
	{
		low[0] = fmin(low[0], low[1]), high[0] = fmax(high[0], high[1]);
		low[1] = fmin(low[2], low[3]), high[1] = fmax(high[2], high[3]);
		uint slot = oiLevelSlot(firstNode, virtualLeaves, leafLevel, from - 1) + child / 2;
		if (child < count)
		{
			oiStore(nodes, slot, low[0], high[0]);
		}
		if (child + 2 < count)
		{
			oiStore(nodes, slot + 1, low[1], high[1]);
		}
	}
	if (from >= 2)
	{
		low[0] = fmin(low[0], low[1]), high[0] = fmax(high[0], high[1]);
		if (child < count)
		{
			oiStore(nodes, oiLevelSlot(firstNode, virtualLeaves, leafLevel, from - 2) + child / 4, low[0], high[0]);
		}
	}
	lowers[t] = low[0];
	uppers[t] = high[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 3; step <= OI_LEVELS && step <= from; ++step)
	{
		const uint width = OI_TILE >> step;
		float4 a, b;
		if (t < width)
		{
			a = fmin(lowers[2 * t], lowers[2 * t + 1]);
			b = fmax(uppers[2 * t], uppers[2 * t + 1]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < width)
		{
			lowers[t] = a;
			uppers[t] = b;
			uint index = group * width + t;
			if (index < brBinary_RealOnLevel(leafCount, leafLevel, from - step))
			{
				oiStore(nodes, oiLevelSlot(firstNode, virtualLeaves, leafLevel, from - step) + index, a, b);
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

// Bounds of each tree, six ordered numbers as treeGrowBounds makes them. Elements come tree by tree, so a group sees
// two trees in most cases: its first and its last collect in local memory, what is between goes straight to its tree.
__kernel __attribute__((reqd_work_group_size(OI_GROUP, 1, 1))) void
brk_oiBounds(__global const void* vertices, uint arePositions, __global const int* corners, uint cornersEach,
			 __global const uint* trees, uint hasTrees, uint count, __global uint* bounds)
{
	__local uint ends[12];
	const uint t = get_local_id(0), begin = get_group_id(0) * OI_GROUP, i = begin + t;
	const uint first = hasTrees != 0 ? trees[begin] : 0u;
	const uint last = hasTrees != 0 ? trees[min(begin + OI_GROUP, count) - 1] : 0u;
	if (t < 12)
	{
		ends[t] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < count)
	{
		float4 lower, upper;
		treeElementBox(vertices, arePositions, corners, cornersEach, i, &lower, &upper);
		const uint tree = hasTrees != 0 ? trees[i] : 0u;
		uint values[6] = {~treeOrdered(lower.x), ~treeOrdered(lower.y), ~treeOrdered(lower.z),
						  treeOrdered(upper.x),  treeOrdered(upper.y),  treeOrdered(upper.z)};
		for (uint k = 0; k < 6; ++k)
		{
			if (tree == first || tree == last)
			{
				atomic_max(&ends[(tree == first ? 0 : 6) + k], values[k]);
			}
			else
			{
				atomic_max(&bounds[6 * tree + k], values[k]);
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 6)
	{
		atomic_max(&bounds[6 * first + t], ends[t]);
	}
	else if (t < 12 && first != last)
	{
		atomic_max(&bounds[6 * last + t - 6], ends[t]);
	}
}

// Items to sort: tree, then the upper bits of the place along the curve through its bounds, then the element.
__kernel __attribute__((reqd_work_group_size(OI_GROUP, 1, 1))) void
brk_oiItems(__global const void* vertices, uint arePositions, __global const int* corners, uint cornersEach,
			__global const uint* trees, uint hasTrees, uint count, __global const uint* bounds, uint codeBits,
			__global ulong* items)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		float4 lower, upper;
		treeElementBox(vertices, arePositions, corners, cornersEach, i, &lower, &upper);
		const uint tree = hasTrees != 0 ? trees[i] : 0u;
		const TreeCurve curve = treeCurve(bounds + 6 * tree);
		uint code = treeCurveCode(&curve, lower, upper) >> (3 * BR_CURVE_CODE_AXIS_BITS - codeBits);
		items[i] = ((ulong)tree << codeBits | code) << 32 | i;
	}
}

// Leaves of all trees: item i of the sorted list belongs to leaf i, tree by tree. `leafStarts` is where each tree's
// leaves begin. A leaf knows its element.
__kernel __attribute__((reqd_work_group_size(OI_GROUP, 1, 1))) void
brk_oiLeaves(__global const ulong* items, __global const void* vertices, uint arePositions, __global const int* corners,
			 uint cornersEach, __global const uint* layouts, __global const uint* leafStarts, uint treeCount, uint count,
			 __global float4* nodes)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		uint tree = oiTree(leafStarts, treeCount, i);
		uint leafLevel = layouts[OI_LAYOUT * tree + 1];
		uint slot = oiLevelSlot(layouts[OI_LAYOUT * tree + 3], layouts[OI_LAYOUT * tree + 2], leafLevel, leafLevel) + i -
					leafStarts[tree];
		uint element = (uint)items[i];
		float4 lower, upper;
		treeElementBox(vertices, arePositions, corners, cornersEach, element, &lower, &upper);
		lower.w = as_float(element);
		oiStore(nodes, slot, lower, upper);
	}
}
