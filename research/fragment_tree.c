// SPDX-License-Identifier: MIT

#include "research/fragment_tree.h"

#include "base/report.h"
#include "contact/point_order.h"

#include <string.h>

// Children of all from their parents; siblings rise.
static void treeLinkChildren(brFragmentTree* tree)
{
	brFragmentPoint* points = tree->points.data;
	for (int32_t i = 0; i < tree->points.count; ++i)
	{
		points[i].firstChild = -1;
		points[i].nextSibling = -1;
	}
	for (int32_t i = tree->points.count - 1; i >= 0; --i)
	{
		if (points[i].parent >= 0)
		{
			points[i].nextSibling = points[points[i].parent].firstChild;
			points[points[i].parent].firstChild = i;
		}
	}
}

bool brOrderPoints(const brAllocator* allocator, const brVec3* places, int32_t count, int32_t direct, int32_t* outOrder,
				   int32_t* outParents)
{
	if (count <= 0)
	{
		return count == 0;
	}
	size_t bytes = brOrderPointsBytes(count, direct);
	void* scratch = brAlloc(allocator, bytes);
	if (scratch == NULL)
	{
		return false;
	}
	brOrderPointsIn(scratch, brCpu_Best(), places, count, direct, outOrder, outParents);
	brFree(allocator, scratch, bytes);
	return true;
}

// Orders the points [begin, end) of one fragment and hangs them on each other.
static bool treeOrderRange(brFragmentTree* tree, int32_t begin, int32_t end)
{
	const brAllocator* allocator = &tree->allocator;
	int32_t count = end - begin;
	brVec3* places = BR_ALLOC(allocator, brVec3, count);
	int32_t* order = BR_ALLOC(allocator, int32_t, count);
	int32_t* parents = BR_ALLOC(allocator, int32_t, count);
	float* radii = BR_ALLOC(allocator, float, count);
	brFragmentPoint* points = BR_ALLOC(allocator, brFragmentPoint, count);
	bool isGood = places != NULL && order != NULL && parents != NULL && radii != NULL && points != NULL;
	for (int32_t i = 0; i < count && isGood; ++i)
	{
		points[i] = tree->points.data[begin + i];
		places[i] = points[i].place;
	}
	isGood = isGood && brOrderPoints(allocator, places, count, -1, order, parents);
	if (isGood)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			places[i] = points[order[i]].place;
		}
		brMeasurePointTree(places, parents, count, radii);
		for (int32_t i = 0; i < count; ++i)
		{
			brFragmentPoint* out = &tree->points.data[begin + i];
			*out = points[order[i]];
			out->parent = out->above = parents[i] >= 0 ? begin + parents[i] : -1;
			out->radius = radii[i];
		}
	}
	BR_FREE(allocator, places, count);
	BR_FREE(allocator, order, count);
	BR_FREE(allocator, parents, count);
	BR_FREE(allocator, radii, count);
	BR_FREE(allocator, points, count);
	return isGood;
}

brResult brCreateFragmentTree(const brContext* context, const brTetMesh* mesh, brFragmentTree** outTree,
							  brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brMesh* surface = NULL;
	if (mesh->nodeCount > BR_FRAGMENT_MAX_POINTS / 2)
	{
		return brFail(report, br_errorLimit, "a fragment tree over %d nodes; %d are allowed", mesh->nodeCount,
					  BR_FRAGMENT_MAX_POINTS / 2);
	}
	brResult result = brTetMesh_MakeSurface(mesh, context, &surface, report);
	if (result < 0)
	{
		return result;
	}
	brFragmentTree* tree = BR_ALLOC_ZERO(&allocator, brFragmentTree, 1);
	bool isGood = tree != NULL;
	if (isGood)
	{
		tree->allocator = allocator;
		tree->nodeCount = mesh->nodeCount;
		tree->pointOf = BR_ALLOC(&allocator, int32_t, mesh->nodeCount);
		isGood = tree->pointOf != NULL && BR_RESERVE(&allocator, &tree->points, mesh->nodeCount);
	}
	if (isGood)
	{
		for (int32_t i = 0; i < mesh->nodeCount; ++i)
		{
			tree->points.data[i] = (brFragmentPoint){
				.place = brToVec3(mesh->nodes[i]), .parent = -1, .above = -1, .node = i, .isNode = true};
		}
		tree->points.count = mesh->nodeCount;
		// Vertices of the surface are nodes in their order.
		for (int32_t i = 0, node = 0; i < surface->vertexCount; ++i, ++node)
		{
			while (node < mesh->nodeCount && brDLengthSq(brDSub(mesh->nodes[node], surface->positions[i])) > 0.0)
			{
				node += 1;
			}
			if (node < mesh->nodeCount)
			{
				tree->points.data[node].isSurface = true;
			}
		}
		isGood = treeOrderRange(tree, 0, mesh->nodeCount);
	}
	brDestroyMesh(surface);
	if (!isGood)
	{
		brDestroyFragmentTree(tree);
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < tree->points.count; ++i)
	{
		tree->pointOf[tree->points.data[i].node] = i;
	}
	treeLinkChildren(tree);
	*outTree = tree;
	return br_success;
}

void brDestroyFragmentTree(brFragmentTree* tree)
{
	if (tree != NULL)
	{
		brAllocator allocator = tree->allocator;
		BR_FREE_ARRAY(&allocator, &tree->points);
		BR_FREE(&allocator, tree->pointOf, tree->nodeCount);
		BR_FREE(&allocator, tree, 1);
	}
}

bool brFragmentTree_Update(brFragmentTree* tree, const int32_t* nodeFragments, const brEdgeCut* cuts, int32_t cutCount)
{
	if (2 * (int64_t)cutCount + tree->points.count > BR_FRAGMENT_MAX_POINTS ||
		!BR_RESERVE(&tree->allocator, &tree->points, 2 * (int64_t)cutCount))
	{
		return false;
	}
	brFragmentPoint* points = tree->points.data;
	for (int32_t i = 0; i < tree->points.count; ++i)
	{
		points[i].fragment = nodeFragments[points[i].node];
	}
	// Upwards to the closest ancestor of the same fragment. Its ball holds the point: it was an ancestor before.
	for (int32_t i = 0; i < tree->points.count; ++i)
	{
		int32_t parent = points[i].parent;
		if (parent >= 0 && points[parent].fragment != points[i].fragment)
		{
			do
			{
				parent = points[parent].above;
			} while (parent >= 0 && points[parent].fragment != points[i].fragment);
			points[i].parent = parent;
		}
	}
	// New points on both sides of each cut, and room for them in the balls above.
	for (int32_t i = 0; i < 2 * cutCount; ++i)
	{
		const brEdgeCut* cut = &cuts[i / 2];
		int32_t node = i % 2 == 0 ? cut->a : cut->b, host = tree->pointOf[node];
		points[tree->points.count++] = (brFragmentPoint){.place = cut->place,
														 .parent = host,
														 .above = host,
														 .fragment = nodeFragments[node],
														 .node = node,
														 .isSurface = true};
		for (int32_t k = host; k >= 0; k = points[k].parent)
		{
			float distance = brLength(brSub(cut->place, points[k].place)) * (1.0f + 1e-6f);
			points[k].radius = fmaxf(points[k].radius, distance);
		}
	}
	treeLinkChildren(tree);
	return true;
}

bool brFragmentTree_Rebuild(brFragmentTree* tree)
{
	const brAllocator* allocator = &tree->allocator;
	int32_t count = tree->points.count, fragmentCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t f = tree->points.data[i].fragment;
		fragmentCount = f + 1 > fragmentCount ? f + 1 : fragmentCount;
	}
	brFragmentPoint* sorted = BR_ALLOC(allocator, brFragmentPoint, count);
	int32_t* starts = BR_ALLOC_ZERO(allocator, int32_t, fragmentCount + 1);
	bool isGood = sorted != NULL && starts != NULL;
	if (isGood)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			starts[tree->points.data[i].fragment + 1] += 1;
		}
		for (int32_t f = 0; f < fragmentCount; ++f)
		{
			starts[f + 1] += starts[f];
		}
		for (int32_t i = 0; i < count; ++i)
		{
			sorted[starts[tree->points.data[i].fragment]++] = tree->points.data[i];
		}
		memcpy(tree->points.data, sorted, sizeof(brFragmentPoint) * (size_t)count);
		for (int32_t f = 0; f < fragmentCount && isGood; ++f)
		{
			isGood = treeOrderRange(tree, f > 0 ? starts[f - 1] : 0, starts[f]);
		}
		for (int32_t i = 0; i < count; ++i)
		{
			if (tree->points.data[i].isNode)
			{
				tree->pointOf[tree->points.data[i].node] = i;
			}
		}
		treeLinkChildren(tree);
	}
	BR_FREE(allocator, sorted, count);
	BR_FREE(allocator, starts, fragmentCount + 1);
	return isGood;
}

int32_t brFragmentTree_Query(const brFragmentTree* tree, int32_t fragment, float tolerance, brTreeDistanceFcn* distance,
							 void* user, int32_t* outPoints, int32_t capacity, int32_t* outVisited)
{
	const brFragmentPoint* points = tree->points.data;
	int32_t count = 0, visited = 0, total = tree->points.count;
	uint64_t bits[BR_FRAGMENT_MAX_POINTS / 64];
	int32_t words = (total + 63) / 64;
	memset(bits, 0, sizeof(uint64_t) * (size_t)words);
	for (int32_t i = 0; i < total; ++i)
	{
		if (points[i].parent < 0 && points[i].fragment == fragment)
		{
			bits[i / 64] |= (uint64_t)1 << (i % 64);
		}
	}
	for (int32_t w = 0; w < words; ++w)
	{
		while (bits[w] != 0)
		{
			int32_t i = 64 * w + __builtin_ctzll(bits[w]);
			bits[w] &= bits[w] - 1;
			visited += 1;
			float d = distance(points[i].place, points[i].radius + tolerance, user);
			if (d < points[i].radius + tolerance)
			{
				for (int32_t child = points[i].firstChild; child >= 0; child = points[child].nextSibling)
				{
					bits[child / 64] |= (uint64_t)1 << (child % 64);
				}
			}
			if (d < tolerance && points[i].isSurface)
			{
				if (count < capacity)
				{
					outPoints[count] = i;
				}
				count += 1;
			}
		}
	}
	if (outVisited != NULL)
	{
		*outVisited = visited;
	}
	return count;
}
