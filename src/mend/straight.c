// SPDX-License-Identifier: MIT

// Vertices that a surface does not need: they lie exactly on a straight edge, and each side of the edge is one face, or
// a pair of triangles with a common third corner.
//
//         p                     p
//       / | \                 /   \           a run of such vertices goes to its first end: all triangles of the fan
//      a--v--b      ->       a-----b          but the last become flat and go, and no point of the surface moves
//       \ | /                 \   /
//         q                     q
//
// Fans of hundreds of needles come from drawings with many points along one edge. Every cut through the edge makes as
// many again, and triangles of one fan are compared pair by pair, so a thing with 600 of them took minutes to break.

#include "base/memory.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"
#include "mesh/topology.h"

// The neighbors of a vertex, in order; a closed fan of four is the most that can be needless.
typedef struct StraightRing
{
	int32_t neighbors[4];
	int32_t count;
	bool isOpen;
	bool hasTriangles[4]; // between this neighbor and the next
} StraightRing;

// False if there are more neighbors, or another fan.
static bool straightFindRing(const brHalfEdges* edges, int32_t vertex, int32_t cornersOfVertex, StraightRing* ring)
{
	int32_t first = edges->vertexCorners[vertex], c = first, corners = 0;
	*ring = (StraightRing){0};
	do
	{
		if (ring->count == 4)
		{
			return false;
		}
		int32_t f = edges->faces[c];
		ring->hasTriangles[ring->count] = edges->mesh->faceStarts[f + 1] - edges->mesh->faceStarts[f] == 3;
		ring->neighbors[ring->count++] = brHalfEdges_Target(edges, c);
		corners += 1;
		int32_t before = brHalfEdges_Previous(edges, c);
		c = edges->twins[before];
		if (c == br_twinBoundary)
		{
			ring->isOpen = true;
			if (ring->count == 4)
			{
				return false;
			}
			ring->neighbors[ring->count++] = edges->mesh->corners[before];
		}
	} while (c >= 0 && c != first);
	return corners == cornersOfVertex && (c == first || c == br_twinBoundary);
}

// The place in the ring of one of two neighbors between which the vertex lies; the other is outOther. -1 if there are
// none.
static int32_t straightFind(const brMesh* mesh, int32_t vertex, const StraightRing* ring, int32_t* outOther)
{
	int32_t last = ring->count - 1;
	for (int32_t i = 0; i < ring->count; ++i)
	{
		for (int32_t k = i + 1; k < ring->count; ++k)
		{
			brDVec3 a = mesh->positions[ring->neighbors[i]], b = mesh->positions[ring->neighbors[k]];
			brDVec3 at = mesh->positions[vertex];
			// Each side has one face, or two triangles.
			int32_t inner = k - i, outer = ring->count - inner;
			bool isInnerGood = inner == 1 || (inner == 2 && ring->hasTriangles[i] && ring->hasTriangles[i + 1]);
			bool isOuterGood = ring->isOpen ? i == 0 && k == last
											: outer == 1 || (outer == 2 && ring->hasTriangles[k] &&
															 ring->hasTriangles[(k + 1) % ring->count]);
			// A triangle between the two would be flat.
			bool hasFlat =
				(inner == 1 && ring->hasTriangles[i]) || (!ring->isOpen && outer == 1 && ring->hasTriangles[k]);
			if (isInnerGood && isOuterGood && !hasFlat && brIsCollinear(a, at, b) &&
				brDDot(brDSub(a, at), brDSub(b, at)) < 0.0)
			{
				*outOther = k;
				return i;
			}
		}
	}
	return -1;
}

// The neighbors between which each needless vertex lies, -1 for others. How many there are.
static int32_t straightFindEnds(const brHalfEdges* edges, int32_t* counts, int32_t (*ends)[2])
{
	const brMesh* mesh = edges->mesh;
	int32_t needless = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		counts[mesh->corners[c]] += 1;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		StraightRing ring;
		ends[v][0] = ends[v][1] = -1;
		if (counts[v] == 0 || counts[v] > 4 || !straightFindRing(edges, v, counts[v], &ring))
		{
			continue;
		}
		int32_t k = 0, i = straightFind(mesh, v, &ring, &k);
		if (i >= 0)
		{
			ends[v][0] = ring.neighbors[i], ends[v][1] = ring.neighbors[k];
			needless += 1;
		}
	}
	return needless;
}

// From one vertex of a run on to the next, away from `from`.
static int32_t straightNext(const int32_t ends[2], int32_t from)
{
	return ends[0] == from ? ends[1] : ends[0];
}

// Where each vertex goes: to an end of its run, or it stays. Runs have ends, since all their vertices lie between
// others.
static void straightMap(int32_t vertexCount, const int32_t (*ends)[2], int32_t* map)
{
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		map[v] = v;
	}
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		if (ends[v][0] < 0 || map[v] != v)
		{
			continue;
		}
		int32_t from = v, end = ends[v][0];
		while (ends[end][0] >= 0)
		{
			int32_t next = straightNext(ends[end], from);
			from = end, end = next;
		}
		for (int32_t at = from, back = end; ends[at][0] >= 0;)
		{
			int32_t next = straightNext(ends[at], back);
			map[at] = end;
			back = at, at = next;
		}
	}
}

static brMesh* straightWrite(const brMesh* mesh, const int32_t* map, const brAllocator* allocator)
{
	brFaceList list;
	brFaceList_Init(&list, allocator, mesh);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t begin = mesh->faceStarts[f], end = mesh->faceStarts[f + 1], left = 0;
		for (int32_t c = begin; c < end; ++c)
		{
			int32_t before = c > begin ? c - 1 : end - 1;
			left += map[mesh->corners[c]] != map[mesh->corners[before]];
		}
		if (left < 3)
		{
			continue;
		}
		brFaceList_Begin(&list, f);
		for (int32_t c = begin; c < end; ++c)
		{
			int32_t before = c > begin ? c - 1 : end - 1, v = map[mesh->corners[c]];
			if (v != map[mesh->corners[before]])
			{
				brFaceList_AddCorner(&list, v, c);
			}
		}
	}
	brMesh* result = brFaceList_Finish(&list);
	brFaceList_Free(&list);
	return result;
}

brResult brDropStraight(const brContext* context, const brMesh* mesh, brMesh** outMesh, int32_t* outCount,
						brReport* report)
{
	brHalfEdges edges;
	*outMesh = NULL;
	*outCount = 0;
	if (brMakeHalfEdges(context, mesh, &edges) < 0)
	{
		return brFailMemory(report);
	}
	int32_t vertices = mesh->vertexCount;
	int32_t* counts = BR_ALLOC_ZERO(&edges.allocator, int32_t, vertices);
	int32_t(*ends)[2] = brAllocArray(&edges.allocator, vertices, sizeof(int32_t[2]));
	int32_t* map = BR_ALLOC(&edges.allocator, int32_t, vertices);
	bool complete = counts != NULL && ends != NULL && map != NULL;
	*outCount = complete ? straightFindEnds(&edges, counts, ends) : 0;
	if (*outCount > 0)
	{
		straightMap(vertices, (const int32_t(*)[2])ends, map);
		*outMesh = straightWrite(mesh, map, &edges.allocator);
		complete = *outMesh != NULL;
	}
	BR_FREE(&edges.allocator, counts, vertices);
	BR_FREE(&edges.allocator, ends, vertices);
	BR_FREE(&edges.allocator, map, vertices);
	brFreeHalfEdges(&edges);
	return complete ? br_success : brFailMemory(report);
}
