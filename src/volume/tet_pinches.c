// SPDX-License-Identifier: MIT

// A boundary without pinches: tets that hang together through faces alone.
//
// Coarse lattices leave tets that touch at a node or along an edge. There the boundary has edges of four faces. First
// each node is doubled until the tets around every copy hang together through faces that have it. Tets around an edge
// may still fall into groups that hang together elsewhere around both ends, as the rungs of a ladder do: such an edge
// is halved, and each group gets a middle of its own, a little on its own side.

#include "base/forest.h"
#include "base/sort.h"
#include "mesh/mesh_build.h"
#include "mesh/tet_faces.h"
#include "volume/tet_parts.h"

#include <string.h>

#define PINCH_APART 0.02 // how far a middle moves toward the tets around it
#define PINCH_ROUNDS 8   // halved edges of one tet take a round each

static const uint8_t pinchEnds[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Joins corners (`count` 4) or edges (6) of tets that have them in a shared face.
static void pinchJoin(const brTetMesh* mesh, const brTetFaces* faces, int32_t count, int32_t* parents)
{
	brResetForest(parents, count * mesh->tetCount);
	for (int32_t node = 0; node < mesh->nodeCount; ++node)
	{
		for (int32_t i = faces->starts[node], end; i < faces->starts[node + 1]; i = end)
		{
			end = brTetFaces_RunEnd(faces, node, i);
			int32_t first = (int32_t)(faces->items[i] / 4);
			for (int32_t k = i + 1; k < end; ++k)
			{
				int32_t other = (int32_t)(faces->items[k] / 4);
				const int32_t *p = mesh->tets[first], *q = mesh->tets[other];
				for (int32_t a = 0; a < count; ++a)
				{
					for (int32_t b = 0; b < count; ++b)
					{
						int32_t p0 = count == 4 ? p[a] : p[pinchEnds[a][0]],
								q0 = count == 4 ? q[b] : q[pinchEnds[b][0]];
						int32_t p1 = count == 4 ? p0 : p[pinchEnds[a][1]], q1 = count == 4 ? q0 : q[pinchEnds[b][1]];
						if ((p0 == q0 && p1 == q1) || (p0 == q1 && p1 == q0))
						{
							brJoinRoots(parents, count * first + a, count * other + b);
						}
					}
				}
			}
		}
	}
}

// A copy of each node for each fan around it, in the order of the tets; the first stays.
static brTetMesh* pinchSplit(const brAllocator* allocator, const brTetMesh* mesh, const brTetFaces* faces)
{
	brTetMeshShape shape = {.nodeCount = mesh->nodeCount, .tetCount = mesh->tetCount};
	int32_t corners = 4 * mesh->tetCount;
	int32_t* parents = BR_ALLOC(allocator, int32_t, corners);
	int32_t* ids = BR_ALLOC(allocator, int32_t, corners);
	uint8_t* isTaken = BR_ALLOC_ZERO(allocator, uint8_t, mesh->nodeCount);
	brTetMesh* split = NULL;
	if (parents != NULL && ids != NULL && isTaken != NULL)
	{
		pinchJoin(mesh, faces, 4, parents);
		for (int32_t c = 0; c < corners; ++c)
		{
			int32_t node = mesh->tets[c / 4][c % 4];
			bool isFirst = parents[c] == c;
			ids[c] = !isFirst ? ids[brFindRoot(parents, c)] : isTaken[node] ? shape.nodeCount++ : node;
			isTaken[node] = 1;
		}
		split = brAllocTetMesh(allocator, &shape);
	}
	if (split != NULL)
	{
		memcpy(split->nodes, mesh->nodes, (size_t)mesh->nodeCount * sizeof(brDVec3));
		for (int32_t c = 0; c < corners; ++c)
		{
			split->tets[c / 4][c % 4] = ids[c];
			split->nodes[ids[c]] = mesh->nodes[mesh->tets[c / 4][c % 4]];
		}
	}
	BR_FREE(allocator, parents, corners);
	BR_FREE(allocator, ids, corners);
	BR_FREE(allocator, isTaken, mesh->nodeCount);
	return split;
}

typedef struct PinchEdges
{
	int32_t* parents;  // [6 tetCount] groups of tets around edges
	uint64_t* keys;    // [2 * 6 tetCount] ends of edges, sorted; behind them room to sort
	uint32_t* items;   // [2 * 6 tetCount] 6 tet + edge
	uint8_t* isHalved; // [tetCount]
	int32_t* middles;  // [6 tetCount] of halved edges
} PinchEdges;

// Marks tets around edges of several groups, none of which has such an edge twice. How many nodes and tets they want.
static void pinchMark(const brTetMesh* mesh, PinchEdges* edges, brTetMeshShape* shape)
{
	int32_t count = 6 * mesh->tetCount;
	for (int32_t i = 0, end; i < count; i = end)
	{
		bool isOne = true, isFree = true;
		int32_t root = brFindRoot(edges->parents, (int32_t)edges->items[i]);
		for (end = i; end < count && edges->keys[end] == edges->keys[i]; ++end)
		{
			isOne = isOne && brFindRoot(edges->parents, (int32_t)edges->items[end]) == root;
			isFree = isFree && edges->isHalved[edges->items[end] / 6] == 0;
		}
		for (int32_t k = i; k < end && !isOne && isFree; ++k)
		{
			int32_t item = (int32_t)edges->items[k], own = brFindRoot(edges->parents, item);
			edges->isHalved[item / 6] = (uint8_t)(1 + item % 6);
			edges->middles[item] = own == item ? shape->nodeCount++ : edges->middles[own];
			shape->tetCount += 1;
		}
	}
}

// The mesh with each marked tet in two.
static brTetMesh* pinchHalve(const brAllocator* allocator, const brTetMesh* mesh, const PinchEdges* edges,
							 const brTetMeshShape* shape)
{
	brTetMesh* halved = brAllocTetMesh(allocator, shape);
	if (halved == NULL)
	{
		return NULL;
	}
	memcpy(halved->nodes, mesh->nodes, (size_t)mesh->nodeCount * sizeof(brDVec3));
	memcpy(halved->tets, mesh->tets, (size_t)mesh->tetCount * sizeof(mesh->tets[0]));
	int32_t count = mesh->tetCount;
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		if (edges->isHalved[t] == 0)
		{
			continue;
		}
		const uint8_t* ends = pinchEnds[edges->isHalved[t] - 1];
		int32_t item = 6 * t + edges->isHalved[t] - 1, middle = edges->middles[item];
		const int32_t* tet = mesh->tets[t];
		brDVec3 p = brDMul(0.5, brDAdd(mesh->nodes[tet[ends[0]]], mesh->nodes[tet[ends[1]]]));
		if (brFindRoot(edges->parents, item) == item)
		{
			halved->nodes[middle] = p;
		}
		// Each tet of the group draws a little, less the more there have been: it stays between them.
		brDVec3 far = brMakeDVec3(0.0, 0.0, 0.0);
		for (int32_t k = 0; k < 4; ++k)
		{
			far = brDMulAdd(far, k == ends[0] || k == ends[1] ? 0.0 : 0.5, mesh->nodes[tet[k]]);
		}
		halved->nodes[middle] = brDMulAdd(halved->nodes[middle], PINCH_APART, brDSub(far, halved->nodes[middle]));
		memcpy(halved->tets[count], tet, sizeof(mesh->tets[0]));
		halved->tets[t][ends[0]] = middle;
		halved->tets[count++][ends[1]] = middle;
	}
	return halved;
}

// One round over the edges that nodes alone could not part. Null without memory.
static brTetMesh* pinchHalveEdges(const brAllocator* allocator, const brTetMesh* mesh, const brTetFaces* faces)
{
	int64_t count = 6 * (int64_t)mesh->tetCount;
	PinchEdges edges = {
		.parents = BR_ALLOC(allocator, int32_t, count),
		.keys = BR_ALLOC(allocator, uint64_t, 2 * count),
		.items = BR_ALLOC(allocator, uint32_t, 2 * count),
		.isHalved = BR_ALLOC_ZERO(allocator, uint8_t, mesh->tetCount),
		.middles = BR_ALLOC(allocator, int32_t, count),
	};
	bool isReady = edges.parents != NULL && edges.keys != NULL && edges.items != NULL && edges.isHalved != NULL &&
				   edges.middles != NULL;
	for (int32_t i = 0; i < count && isReady; ++i)
	{
		uint32_t a = (uint32_t)mesh->tets[i / 6][pinchEnds[i % 6][0]];
		uint32_t b = (uint32_t)mesh->tets[i / 6][pinchEnds[i % 6][1]];
		edges.keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
		edges.items[i] = (uint32_t)i;
	}
	brTetMesh* halved = NULL;
	if (isReady && brSortPairs64(NULL, allocator, edges.keys, edges.items, edges.keys + count, edges.items + count,
								 (int32_t)count))
	{
		brTetMeshShape shape = {.nodeCount = mesh->nodeCount, .tetCount = mesh->tetCount};
		pinchJoin(mesh, faces, 6, edges.parents);
		pinchMark(mesh, &edges, &shape);
		halved = pinchHalve(allocator, mesh, &edges, &shape);
	}
	BR_FREE(allocator, edges.parents, count);
	BR_FREE(allocator, edges.keys, 2 * count);
	BR_FREE(allocator, edges.items, 2 * count);
	BR_FREE(allocator, edges.isHalved, mesh->tetCount);
	BR_FREE(allocator, edges.middles, count);
	return halved;
}

// 1 if the boundary has an edge of more than two faces, 0 if not, -1 without memory.
static int32_t pinchIsThere(const brAllocator* allocator, const brTetMesh* mesh, const brTetFaces* faces)
{
	int64_t room = 4 * (int64_t)mesh->tetCount;
	uint8_t* isBoundary = BR_ALLOC_ZERO(allocator, uint8_t, room);
	brTetFaces edges;
	int32_t count = 0, found = -1;
	for (int32_t node = 0; node < mesh->nodeCount && isBoundary != NULL; ++node)
	{
		for (int32_t i = faces->starts[node], end; i < faces->starts[node + 1]; i = end)
		{
			end = brTetFaces_RunEnd(faces, node, i);
			isBoundary[faces->items[i]] = end == i + 1;
			count += end == i + 1;
		}
	}
	if (isBoundary != NULL && brMakeTetFaceEdges(allocator, mesh, isBoundary, count, &edges))
	{
		found = 0;
		for (int32_t node = 0; node < mesh->nodeCount; ++node)
		{
			for (int32_t i = edges.starts[node] + 2; i < edges.starts[node + 1]; ++i)
			{
				found = edges.keys[i] == edges.keys[i - 2] ? 1 : found;
			}
		}
		brFreeTetFaces(&edges);
	}
	BR_FREE(allocator, isBoundary, room);
	return found;
}

bool brPartTetPinches(const brAllocator* allocator, brTetMesh** mesh)
{
	int32_t found = 1;
	for (int32_t round = 0; round < PINCH_ROUNDS && found > 0; ++round)
	{
		brTetFaces faces = {.allocator = *allocator};
		if ((*mesh)->tetCount > INT32_MAX / 12 || !brMakeTetFaces(allocator, *mesh, &faces))
		{
			return false;
		}
		brTetMesh* next = NULL;
		found = pinchIsThere(allocator, *mesh, &faces);
		if (found > 0)
		{
			next = round == 0 ? pinchSplit(allocator, *mesh, &faces) : pinchHalveEdges(allocator, *mesh, &faces);
			found = next != NULL ? 1 : -1;
		}
		brFreeTetFaces(&faces);
		if (next != NULL)
		{
			brDestroyTetMesh(*mesh);
			*mesh = next;
		}
	}
	return found >= 0;
}
