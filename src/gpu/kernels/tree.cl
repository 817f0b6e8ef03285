// SPDX-License-Identifier: MIT

// Boxes of elements, their order along the Hilbert curve, and the implicit tree of 32 children a node above them.
//
// A box is two float4: lower corner and the element's number, upper corner and its object's, as bits. Leaves lie in
// curve order; node i of a level is over nodes [32 i, 32 i + 32) of the level below, level 0 over leaves. What has
// nothing below it is not stored, and what is missing in the last node is (+inf, -inf), which overlaps nothing.

#define TREE_GROUP 256
#define TREE_TILE 1024 // children of one launch's group: two levels at once
#define TREE_ARITY 32

// Floats in the order of unsigned numbers, for atomic minimum and maximum.
inline uint treeOrdered(float x)
{
	uint bits = as_uint(x);
	return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

inline float treeUnordered(uint bits)
{
	return as_float((bits & 0x80000000u) != 0 ? bits & 0x7FFFFFFFu : ~bits);
}

// Bounds of the boxes of a whole group into six ordered numbers: lower as complements, so that all start from 0 and
// grow.
inline void treeGrowBounds(float4 lower, float4 upper, __local uint* local6, __global uint* bounds)
{
	const uint t = get_local_id(0);
	if (t < 6)
	{
		local6[t] = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lower.x <= upper.x)
	{
		atomic_max(&local6[0], ~treeOrdered(lower.x));
		atomic_max(&local6[1], ~treeOrdered(lower.y));
		atomic_max(&local6[2], ~treeOrdered(lower.z));
		atomic_max(&local6[3], treeOrdered(upper.x));
		atomic_max(&local6[4], treeOrdered(upper.y));
		atomic_max(&local6[5], treeOrdered(upper.z));
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 6)
	{
		atomic_max(&bounds[t], local6[t]);
	}
}

// A box grows around a vertex: a position in doubles, rounded outward here, or a box with its upper corner negated.
inline void treeAddVertex(__global const void* vertices, uint arePositions, uint v, float4* lower, float4* upper)
{
#ifdef cl_khr_fp64
	if (arePositions != 0)
	{
		double3 p = vload3(v, (__global const double*)vertices);
		lower->xyz = fmin(lower->xyz, convert_float3_rtn(p));
		upper->xyz = fmax(upper->xyz, convert_float3_rtp(p));
		return;
	}
#endif
	__global const float4* boxes = (__global const float4*)vertices;
	*lower = fmin(*lower, boxes[2 * v]);
	*upper = fmax(*upper, -boxes[2 * v + 1]);
}

// The smallest box around an element's corners. Elements of one corner are the vertices themselves.
inline void treeElementBox(__global const void* vertices, uint arePositions, __global const int* corners,
						   uint cornersEach, uint i, float4* outLower, float4* outUpper)
{
	float4 lower = (float4)(INFINITY), upper = (float4)(-INFINITY);
	if (cornersEach == 3)
	{
		int3 v = vload3(i, corners);
		treeAddVertex(vertices, arePositions, (uint)v.x, &lower, &upper);
		treeAddVertex(vertices, arePositions, (uint)v.y, &lower, &upper);
		treeAddVertex(vertices, arePositions, (uint)v.z, &lower, &upper);
	}
	else
	{
		for (uint k = 0; k < cornersEach; ++k)
		{
			treeAddVertex(vertices, arePositions, cornersEach > 1 ? (uint)corners[i * cornersEach + k] : i, &lower,
						  &upper);
		}
	}
	*outLower = lower;
	*outUpper = upper;
}

// Bounds of all vertices.
__kernel __attribute__((reqd_work_group_size(TREE_GROUP, 1, 1))) void
brk_boundVertices(__global const void* vertices, uint arePositions, uint count, __global uint* bounds)
{
	__local uint local6[6];
	float4 lower = (float4)(INFINITY), upper = (float4)(-INFINITY);
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		treeAddVertex(vertices, arePositions, i, &lower, &upper);
	}
	treeGrowBounds(lower, upper, local6, bounds);
}

// From a point to its cell of the curve: the longest side of the bounds has all cells.
typedef struct TreeCurve
{
	float3 origin;
	float scale;
} TreeCurve;

inline TreeCurve treeCurve(__global const uint* bounds)
{
	TreeCurve curve;
	float3 origin = (float3)(treeUnordered(~bounds[0]), treeUnordered(~bounds[1]), treeUnordered(~bounds[2]));
	float3 top = (float3)(treeUnordered(bounds[3]), treeUnordered(bounds[4]), treeUnordered(bounds[5]));
	float3 half_ = 0.5f * top - 0.5f * origin; // a whole side may be too large for a float
	float longest = fmax(half_.x, fmax(half_.y, half_.z));
	curve.origin = origin;
	curve.scale = longest > 0.0f ? fmin((0.5f * (float)(1 << BR_CURVE_CODE_AXIS_BITS)) / longest, 0x1p126f) : 0.0f;
	return curve;
}

inline uint treeCurveCode(const TreeCurve* curve, float4 lower, float4 upper)
{
	float3 place = (0.5f * lower.xyz + 0.5f * upper.xyz - curve->origin) * curve->scale;
	uint3 cell = convert_uint3(clamp(place, 0.0f, (float)((1 << BR_CURVE_CODE_AXIS_BITS) - 1)));
	return brCurveCode_Hilbert(cell.x, cell.y, cell.z);
}

// Items to sort: place of the box's center along the curve, and the element. Boxes are made here and again for the
// leaves, which costs less than to keep them. The bounds are those of the frame before: the order decides how fast
// pairs are found, not which, so this kernel finds the bounds for the next frame on its way and empties the state of
// the one after. With tiles it counts first digits for the sort, as gpu_sort.h says.
__kernel __attribute__((reqd_work_group_size(TREE_GROUP, 1, 1))) void
brk_curveItems(__global const void* vertices, uint arePositions, __global const int* corners, uint cornersEach,
			   uint count, __global const uint* bounds, __global ulong* items, __global uint* nextBounds,
			   __global uint* emptied, uint stateSize, volatile __global uint* digitCounts, uint countsAt,
			   uint tileCount, uint tile, uint shift)
{
	__local uint local6[6];
	const TreeCurve curve = treeCurve(bounds);
	float4 allLower = (float4)(INFINITY), allUpper = (float4)(-INFINITY);
	if (get_group_id(0) == 0 && get_local_id(0) < stateSize)
	{
		emptied[get_local_id(0)] = 0;
	}
	for (uint i = get_global_id(0); i < count; i += get_global_size(0))
	{
		float4 lower, upper;
		treeElementBox(vertices, arePositions, corners, cornersEach, i, &lower, &upper);
		allLower = fmin(allLower, lower);
		allUpper = fmax(allUpper, upper);
		const uint code = treeCurveCode(&curve, lower, upper);
		items[i] = (ulong)code << 32 | i;
		if (tileCount > 0)
		{
			atomic_inc(&digitCounts[countsAt + (code >> shift & 255u) * tileCount + i / tile]);
		}
	}
	treeGrowBounds(allLower, allUpper, local6, nextBounds);
}

// 1024 boxes in local memory to 32 boxes and one.
inline void treeTwoLevels(__local float4* lower, __local float4* upper, __global float4* first, __global float4* second)
{
	const uint t = get_local_id(0);
	float4 low = (float4)(INFINITY), high = (float4)(-INFINITY);
	for (uint k = 0; k < 4; ++k)
	{
		low = fmin(low, lower[4 * t + k]);
		high = fmax(high, upper[4 * t + k]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	lower[t] = low;
	upper[t] = high;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 32)
	{
		low = (float4)(INFINITY), high = (float4)(-INFINITY);
		for (uint k = 0; k < 8; ++k)
		{
			low = fmin(low, lower[8 * t + k]);
			high = fmax(high, upper[8 * t + k]);
		}
		first[2 * t] = low;
		first[2 * t + 1] = high;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 32)
	{
		lower[t] = low;
		upper[t] = high;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t == 0)
	{
		for (uint k = 1; k < 32; ++k)
		{
			low = fmin(low, lower[k]);
			high = fmax(high, upper[k]);
		}
		second[0] = low;
		second[1] = high;
	}
}

// Leaves in curve order with levels 0 and 1. One group for 1024 leaves; what is beyond the count becomes nothing.
// `objects` says which object an element belongs to, if there are many. With `isRefit` leaves keep the order that they
// have, and the counters are emptied here, since no earlier kernel of such a frame could. Boxes are larger by `margin`
// to all sides.
__kernel __attribute__((reqd_work_group_size(TREE_GROUP, 1, 1))) void
brk_packLeaves(__global const ulong* items, __global const void* vertices, uint arePositions,
			   __global const int* corners, uint cornersEach, __global const uint* objects, uint hasObjects, uint count,
			   __global float4* leaves, __global float4* nodes, uint level0, uint level1, uint isRefit,
			   __global uint* counters, uint counterCount, float margin)
{
	__local float4 lower[TREE_TILE], upper[TREE_TILE];
	const uint group = get_group_id(0);
	if (isRefit != 0 && group == 0 && get_local_id(0) < counterCount)
	{
		counters[get_local_id(0)] = 0;
	}
	// The way from item to corners to vertices is long, so a thread's four leaves go it side by side.
	float4 low[TREE_TILE / TREE_GROUP], high[TREE_TILE / TREE_GROUP];
#pragma unroll
	for (uint k = 0; k < TREE_TILE / TREE_GROUP; ++k)
	{
		uint leaf = group * TREE_TILE + k * TREE_GROUP + get_local_id(0);
		uint element = 0; // for those beyond the end
		if (leaf < count)
		{
			element = isRefit != 0 ? as_uint(leaves[2 * leaf].w) : (uint)items[leaf];
		}
		treeElementBox(vertices, arePositions, corners, cornersEach, element, &low[k], &high[k]);
		low[k] -= margin;
		high[k] += margin;
		low[k].w = as_float(element);
		high[k].w = as_float(hasObjects != 0 ? objects[element] : 0u);
	}
#pragma unroll
	for (uint k = 0; k < TREE_TILE / TREE_GROUP; ++k)
	{
		uint i = k * TREE_GROUP + get_local_id(0), leaf = group * TREE_TILE + i;
		low[k] = leaf < count ? low[k] : (float4)(INFINITY);
		high[k] = leaf < count ? high[k] : (float4)(-INFINITY);
		leaves[2 * leaf] = low[k];
		leaves[2 * leaf + 1] = high[k];
		low[k].w = high[k].w = 0.0f;
		lower[i] = low[k];
		upper[i] = high[k];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	treeTwoLevels(lower, upper, nodes + 2 * (level0 + 32 * group), nodes + 2 * (level1 + group));
}

// The next two levels above a level of `count` nodes.
__kernel __attribute__((reqd_work_group_size(TREE_GROUP, 1, 1))) void
brk_packNodes(__global float4* nodes, uint below, uint count, uint first, uint second)
{
	__local float4 lower[TREE_TILE], upper[TREE_TILE];
	const uint group = get_group_id(0);
	for (uint i = get_local_id(0); i < TREE_TILE; i += TREE_GROUP)
	{
		uint node = group * TREE_TILE + i;
		lower[i] = node < count ? nodes[2 * (below + node)] : (float4)(INFINITY);
		upper[i] = node < count ? nodes[2 * (below + node) + 1] : (float4)(-INFINITY);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	treeTwoLevels(lower, upper, nodes + 2 * (first + 32 * group), nodes + 2 * (second + group));
}
