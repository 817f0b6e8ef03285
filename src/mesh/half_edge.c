// SPDX-License-Identifier: MIT

// Half-edges by one sort: corners with equal (lesser, greater) vertex are neighbours in the sorted list, in rising order.
//
// The key packs both vertices into as many bits as they need, so the sort makes few passes. Filling keys goes to workers in
// blocks of faces, the sort shares itself out, and the walk over the sorted list is serial: it costs about a quarter.

#include "mesh/half_edge.h"

#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

#define HALF_EDGE_BLOCK 8192

typedef struct HalfEdgeJob
{
	const brMesh* mesh;
	int32_t* faces;
	uint64_t* keys;
	uint32_t* corners;
	int bits; // of a vertex
} HalfEdgeJob;

// All bits set: void half-edges sort behind every edge.
#define HALF_EDGE_VOID(bits) ((2 * (bits) >= 64) ? UINT64_MAX : ((uint64_t)1 << (2 * (bits))) - 1)

static void fillHalfEdgeKeys(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	HalfEdgeJob* job = user;
	const brMesh* mesh = job->mesh;
	for (int32_t f = begin; f < end; ++f)
	{
		int32_t start = mesh->faceStarts[f], stop = mesh->faceStarts[f + 1];
		for (int32_t c = start; c < stop; ++c)
		{
			uint64_t a = (uint64_t)mesh->corners[c];
			uint64_t b = (uint64_t)mesh->corners[c + 1 < stop ? c + 1 : start];
			uint64_t lesser = a < b ? a : b, greater = a < b ? b : a;
			job->keys[c] = a != b ? (lesser << job->bits) | greater : HALF_EDGE_VOID(job->bits);
			job->corners[c] = (uint32_t)c;
			job->faces[c] = f;
		}
	}
}

// Bits that hold every vertex index and leave the key of all ones unused.
static int countVertexBits(int32_t vertexCount)
{
	int bits = 1;
	while (((int64_t)1 << bits) <= vertexCount)
	{
		bits += 1;
	}
	return bits;
}

// Cuts the sorted list into edges.
static void linkEdges(const uint64_t* keys, uint64_t voidKey, brHalfEdges* edges)
{
	const brMesh* mesh = edges->mesh;
	int32_t edgeCount = 0, begin = 0;
	while (begin < mesh->cornerCount && keys[begin] != voidKey)
	{
		int32_t end = begin + 1;
		while (end < mesh->cornerCount && keys[end] == keys[begin])
		{
			end += 1;
		}
		const int32_t* corners = edges->edgeCorners + begin;
		edges->edgeStarts[edgeCount++] = begin;
		if (end - begin == 1)
		{
			edges->twins[corners[0]] = br_twinBoundary;
		}
		else if (end - begin == 2)
		{
			bool isOpposite = mesh->corners[corners[0]] != mesh->corners[corners[1]];
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
		begin = end;
	}
	edges->edgeCount = edgeCount;
	edges->halfEdgeCount = begin;
	edges->edgeStarts[edgeCount] = begin;
	for (; begin < mesh->cornerCount; ++begin)
	{
		edges->twins[edges->edgeCorners[begin]] = br_twinVoid;
	}
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
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int32_t count = mesh->cornerCount;
	brHalfEdges edges = {.mesh = mesh, .edgeCapacity = count, .allocator = allocator};
	edges.twins = BR_ALLOC(&allocator, int32_t, count);
	edges.faces = BR_ALLOC(&allocator, int32_t, count);
	edges.vertexCorners = BR_ALLOC(&allocator, int32_t, mesh->vertexCount);
	edges.edgeStarts = BR_ALLOC(&allocator, int32_t, (int64_t)count + 1);
	edges.edgeCorners = BR_ALLOC(&allocator, int32_t, count);
	uint64_t* keys = BR_ALLOC(&allocator, uint64_t, count);
	uint64_t* scratchKeys = BR_ALLOC(&allocator, uint64_t, count);

	bool complete = edges.twins != NULL && edges.faces != NULL && edges.vertexCorners != NULL &&
					edges.edgeStarts != NULL && edges.edgeCorners != NULL && keys != NULL && scratchKeys != NULL;
	if (complete)
	{
		HalfEdgeJob job = {mesh, edges.faces, keys, (uint32_t*)edges.edgeCorners, countVertexBits(mesh->vertexCount)};
		brParallelFor(workers, mesh->faceCount, HALF_EDGE_BLOCK, fillHalfEdgeKeys, &job);
		// The twins are not written yet and serve as scratch.
		complete = brSortPairs64(workers, &allocator, keys, (uint32_t*)edges.edgeCorners, scratchKeys,
								 (uint32_t*)edges.twins, count);
		if (complete)
		{
			linkEdges(keys, HALF_EDGE_VOID(job.bits), &edges);
			startFans(&edges);
		}
	}
	BR_FREE(&allocator, keys, count);
	BR_FREE(&allocator, scratchKeys, count);
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
