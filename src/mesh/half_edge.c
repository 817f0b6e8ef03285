// SPDX-License-Identifier: MIT

// Half-edges by counting: every half-edge goes into the bucket of the lesser of its two vertices, in corner order, and
// each bucket is sorted by the greater one. Buckets of ordinary meshes hold about three, so insertion does it; large
// ones, the hub of a fan of thousands, go to the radix sort. Half-edges of one edge are then neighbors, in rising
// order.
//
// One scatter over all half-edges instead of the five passes of a radix sort over vertex pairs, and half the memory.

#include "mesh/half_edge.h"

#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

#define HALF_EDGE_INSERTION_COUNT 32

static int32_t halfEdgeEnd(const brMesh* mesh, int32_t face, int32_t corner)
{
	return mesh->corners[corner + 1 < mesh->faceStarts[face + 1] ? corner + 1 : mesh->faceStarts[face]];
}

// Counts half-edges by lesser vertex, names the face of each corner and marks the void ones. After it bucketEnds[v] is
// where the bucket of v starts.
static void countHalfEdges(brHalfEdges* edges, int32_t* bucketEnds)
{
	const brMesh* mesh = edges->mesh;
	memset(bucketEnds, 0, (size_t)mesh->vertexCount * sizeof(int32_t));
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			int32_t a = mesh->corners[c], b = halfEdgeEnd(mesh, f, c);
			edges->faces[c] = f;
			edges->twins[c] = br_twinVoid;
			bucketEnds[a < b ? a : b] += a != b;
		}
	}
	int32_t start = 0;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		int32_t count = bucketEnds[v];
		bucketEnds[v] = start;
		start += count;
	}
	edges->halfEdgeCount = start;
}

// Puts half-edges into their buckets, with the greater vertex beside them. After it bucketEnds[v] is where they end.
static void fillBuckets(brHalfEdges* edges, int32_t* bucketEnds, uint32_t* greater)
{
	const brMesh* mesh = edges->mesh;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			int32_t a = mesh->corners[c], b = halfEdgeEnd(mesh, f, c);
			if (a != b)
			{
				int32_t place = bucketEnds[a < b ? a : b]++;
				edges->edgeCorners[place] = c;
				greater[place] = (uint32_t)(a < b ? b : a);
			}
		}
	}
}

static bool sortBucket(const brContext* context, const brAllocator* allocator, uint32_t* greater, int32_t* corners,
					   int32_t count)
{
	if (count <= HALF_EDGE_INSERTION_COUNT)
	{
		for (int32_t i = 1; i < count; ++i)
		{
			uint32_t key = greater[i];
			int32_t corner = corners[i], k = i;
			for (; k > 0 && greater[k - 1] > key; --k)
			{
				greater[k] = greater[k - 1];
				corners[k] = corners[k - 1];
			}
			greater[k] = key;
			corners[k] = corner;
		}
		return true;
	}
	uint32_t* scratch = BR_ALLOC(allocator, uint32_t, 2 * (int64_t)count);
	bool complete = scratch != NULL && brSortPairs32(context != NULL ? context->workers : NULL, allocator, greater,
													 (uint32_t*)corners, scratch, scratch + count, count);
	BR_FREE(allocator, scratch, 2 * (int64_t)count);
	return complete;
}

// Half-edges [begin, end) of the sorted list are one edge.
static void linkEdge(brHalfEdges* edges, int32_t begin, int32_t end)
{
	const int32_t* corners = edges->edgeCorners + begin;
	edges->edgeStarts[edges->edgeCount++] = begin;
	if (end - begin == 1)
	{
		edges->twins[corners[0]] = br_twinBoundary;
	}
	else if (end - begin == 2)
	{
		bool isOpposite = edges->mesh->corners[corners[0]] != edges->mesh->corners[corners[1]];
		edges->twins[corners[0]] = isOpposite ? corners[1] : br_twinMisoriented;
		edges->twins[corners[1]] = isOpposite ? corners[0] : br_twinMisoriented;
	}
	else
	{
		for (int32_t k = 0; k < end - begin; ++k)
		{
			edges->twins[corners[k]] = br_twinNonmanifold;
		}
	}
}

static bool linkBuckets(const brContext* context, brHalfEdges* edges, const int32_t* bucketEnds, uint32_t* greater)
{
	int32_t begin = 0;
	for (int32_t v = 0; v < edges->mesh->vertexCount; ++v)
	{
		int32_t end = bucketEnds[v];
		if (!sortBucket(context, &edges->allocator, greater + begin, edges->edgeCorners + begin, end - begin))
		{
			return false;
		}
		while (begin < end)
		{
			int32_t next = begin + 1;
			while (next < end && greater[next] == greater[begin])
			{
				next += 1;
			}
			linkEdge(edges, begin, next);
			begin = next;
		}
	}
	edges->edgeStarts[edges->edgeCount] = begin;
	return true;
}

static void startFans(brHalfEdges* edges)
{
	const brMesh* mesh = edges->mesh;
	memset(edges->vertexCorners, 0xff, (size_t)mesh->vertexCount * sizeof(int32_t));
	for (int32_t c = mesh->cornerCount - 1; c >= 0; --c)
	{
		int32_t* first = &edges->vertexCorners[mesh->corners[c]];
		if (*first < 0 || edges->twins[c] < 0 || edges->twins[*first] >= 0)
		{
			*first = c;
		}
	}
}

brResult brMakeHalfEdges(const brContext* context, const brMesh* mesh, brHalfEdges* outEdges)
{
	brAllocator allocator = brContext_Allocator(context);
	int32_t count = mesh->cornerCount;
	brHalfEdges edges = {.mesh = mesh, .edgeCapacity = count, .allocator = allocator};
	edges.twins = BR_ALLOC(&allocator, int32_t, count);
	edges.faces = BR_ALLOC(&allocator, int32_t, count);
	edges.vertexCorners = BR_ALLOC(&allocator, int32_t, mesh->vertexCount);
	edges.edgeStarts = BR_ALLOC(&allocator, int32_t, (int64_t)count + 1);
	edges.edgeCorners = BR_ALLOC(&allocator, int32_t, count);
	uint32_t* greater = BR_ALLOC(&allocator, uint32_t, count);
	bool complete = edges.twins != NULL && edges.faces != NULL && edges.vertexCorners != NULL &&
					edges.edgeStarts != NULL && edges.edgeCorners != NULL && greater != NULL;
	if (complete)
	{
		// The first corners of vertices are found last; until then their array counts.
		countHalfEdges(&edges, edges.vertexCorners);
		fillBuckets(&edges, edges.vertexCorners, greater);
		complete = linkBuckets(context, &edges, edges.vertexCorners, greater);
	}
	if (complete)
	{
		startFans(&edges);
	}
	BR_FREE(&allocator, greater, count);
	if (!complete)
	{
		brFreeHalfEdges(&edges);
		return br_errorMemory;
	}
	*outEdges = edges;
	return br_success;
}

void brFreeHalfEdges(brHalfEdges* edges)
{
	const brMesh* mesh = edges->mesh;
	if (mesh == NULL)
	{
		return;
	}
	BR_FREE(&edges->allocator, edges->twins, mesh->cornerCount);
	BR_FREE(&edges->allocator, edges->faces, mesh->cornerCount);
	BR_FREE(&edges->allocator, edges->vertexCorners, mesh->vertexCount);
	BR_FREE(&edges->allocator, edges->edgeStarts, (int64_t)edges->edgeCapacity + 1);
	BR_FREE(&edges->allocator, edges->edgeCorners, mesh->cornerCount);
	*edges = (brHalfEdges){0};
}
