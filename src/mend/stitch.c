// SPDX-License-Identifier: MIT

// Seams: borders of a mesh that should be one edge but are two, or one edge here and several there.
//
// Only border vertices move or join, so details inside the surface stay whatever the distance. Vertices are found by a
// grid whose cells have the length of a typical border edge: an edge is walked in steps of a cell and looks at the cells
// around. Cost: linear in the border. Edges that are much longer than the typical one look at more; in a soup where
// most are so, the search for vertices on edges ends at STITCH_LOOKS vertices for each of the border.

#include "base/array.h"
#include "base/sort.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"
#include "mesh/half_edge.h"
#include "mesh/weld.h"

#include <math.h>

#define STITCH_CELL_BITS 21
#define STITCH_LOOKS 1000

typedef struct Insertion
{
	double t; // along the edge
	int32_t vertex;
} Insertion;

typedef struct Stitch
{
	const brMesh* mesh;
	brAllocator allocator;
	const brHalfEdges* edges;
	double distance;
	int32_t* map;        // [vertexCount] vertex that this one becomes
	int32_t* borders;    // [borderCount] border vertices
	brDVec3* positions;  // [borderCount]
	int32_t* firsts;     // [borderCount] first of each cluster
	uint64_t* keys;      // [2 * borderCount] cell of each border vertex, sorted, and scratch
	uint32_t* values;    // [2 * borderCount] its place in `borders`
	int32_t borderCount; // of vertices
	int32_t capacity;    // of these arrays
	brDVec3 origin;
	double cell;
	BR_ARRAY(Insertion) inserts; // of the edge at hand
	int32_t joined, inserted;
	int64_t looks; // vertices compared with edges, and cells
} Stitch;

static bool stitchCollect(Stitch* s)
{
	const brMesh* mesh = s->mesh;
	uint8_t* isBorder = BR_ALLOC_ZERO(&s->allocator, uint8_t, mesh->vertexCount);
	if (isBorder == NULL)
	{
		return false;
	}
	double length = 0.0;
	int32_t edgeCount = 0;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		if (s->edges->twins[c] == br_twinBoundary)
		{
			int32_t a = mesh->corners[c], b = brHalfEdges_Target(s->edges, c);
			isBorder[a] = isBorder[b] = 1;
			length += brDLength(brDSub(mesh->positions[b], mesh->positions[a]));
			edgeCount += 1;
		}
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		s->capacity += isBorder[v];
	}
	s->borders = BR_ALLOC(&s->allocator, int32_t, s->capacity);
	s->positions = BR_ALLOC(&s->allocator, brDVec3, s->capacity);
	s->firsts = BR_ALLOC(&s->allocator, int32_t, s->capacity);
	s->keys = BR_ALLOC(&s->allocator, uint64_t, 2 * (int64_t)s->capacity);
	s->values = BR_ALLOC(&s->allocator, uint32_t, 2 * (int64_t)s->capacity);
	s->map = BR_ALLOC(&s->allocator, int32_t, mesh->vertexCount);
	bool complete = s->borders != NULL && s->positions != NULL && s->firsts != NULL && s->keys != NULL &&
					s->values != NULL && s->map != NULL;
	for (int32_t v = 0; complete && v < mesh->vertexCount; ++v)
	{
		s->map[v] = v;
		if (isBorder[v])
		{
			s->borders[s->borderCount] = v;
			s->positions[s->borderCount++] = mesh->positions[v];
		}
	}
	s->cell = edgeCount > 0 ? length / edgeCount : 1.0;
	s->cell = s->cell > 2.0 * s->distance ? s->cell : 2.0 * s->distance;
	BR_FREE(&s->allocator, isBorder, mesh->vertexCount);
	return complete;
}

static bool stitchJoin(Stitch* s)
{
	s->joined = brFindNearPositions(&s->allocator, s->positions, s->borderCount, s->distance, s->firsts);
	for (int32_t i = 0; i < s->borderCount && s->joined > 0; ++i)
	{
		s->map[s->borders[i]] = s->borders[s->firsts[i]];
	}
	return s->joined >= 0;
}

static uint64_t stitchCell(double x, double cell)
{
	const double most = (double)((1 << STITCH_CELL_BITS) - 1);
	double i = floor(x / cell);
	return i > 0.0 ? (uint64_t)(i < most ? i : most) : 0;
}

// The cell of a point, or of one `dx`, `dy`, `dz` cells away. Cells along x have keys side by side.
static uint64_t stitchKey(const Stitch* s, brDVec3 p, int32_t dx, int32_t dy, int32_t dz)
{
	brDVec3 at = brDSub(p, s->origin);
	return stitchCell(at.x + dx * s->cell, s->cell) | stitchCell(at.y + dy * s->cell, s->cell) << STITCH_CELL_BITS |
		   stitchCell(at.z + dz * s->cell, s->cell) << (2 * STITCH_CELL_BITS);
}

static bool stitchSort(Stitch* s, const brContext* context)
{
	s->origin = brDSub(brMesh_ComputeBounds(s->mesh).lower, brMakeDVec3(s->cell, s->cell, s->cell));
	for (int32_t i = 0; i < s->borderCount; ++i)
	{
		s->keys[i] = stitchKey(s, s->positions[i], 0, 0, 0);
		s->values[i] = (uint32_t)i;
	}
	brWorkers* workers = context != NULL ? context->workers : NULL;
	return brSortPairs64(workers, &s->allocator, s->keys, s->values, s->keys + s->capacity, s->values + s->capacity,
						 s->borderCount);
}

static int32_t stitchLowerBound(const Stitch* s, uint64_t key)
{
	int32_t low = 0, high = s->borderCount;
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		if (s->keys[middle] < key)
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

// Notes a vertex that lies on the edge from a to b, away from both ends.
static bool stitchNote(Stitch* s, int32_t v, int32_t a, int32_t b)
{
	if (v == a || v == b)
	{
		return true;
	}
	brDVec3 start = s->mesh->positions[a], way = brDSub(s->mesh->positions[b], start);
	brDVec3 to = brDSub(s->mesh->positions[v], start);
	double lengthSq = brDDot(way, way), length = sqrt(lengthSq), t = brDDot(to, way) / lengthSq;
	double off = brDLength(brDSub(to, brDMul(t, way)));
	if (!(off <= s->distance) || !(t * length > s->distance) || !((1.0 - t) * length > s->distance))
	{
		return true;
	}
	int32_t place = s->inserts.count;
	for (int32_t i = 0; i < s->inserts.count; ++i)
	{
		if (s->inserts.data[i].vertex == v)
		{
			return true;
		}
	}
	if (!BR_PUSH(&s->allocator, &s->inserts, (Insertion){t, v}))
	{
		return false;
	}
	for (; place > 0 && s->inserts.data[place - 1].t > t; --place)
	{
		s->inserts.data[place] = s->inserts.data[place - 1];
	}
	s->inserts.data[place] = (Insertion){t, v};
	return true;
}

// All border vertices on the edge from a to b, in order.
static bool stitchFindOnEdge(Stitch* s, int32_t a, int32_t b)
{
	s->inserts.count = 0;
	brDVec3 start = s->mesh->positions[a], end = s->mesh->positions[b];
	double length = brDLength(brDSub(end, start));
	int64_t steps = (int64_t)ceil(length / s->cell);
	if (a == b || !(length > 2.0 * s->distance))
	{
		return true;
	}
	for (int64_t i = 0; i <= steps && s->looks < (int64_t)STITCH_LOOKS * s->borderCount; ++i)
	{
		brDVec3 p = brDLerp(start, end, (double)i / (double)(steps > 0 ? steps : 1));
		for (int32_t n = 0; n < 9; ++n) // rows of three cells along x
		{
			uint64_t first = stitchKey(s, p, -1, n % 3 - 1, n / 3 - 1), last = stitchKey(s, p, 1, n % 3 - 1, n / 3 - 1);
			s->looks += 1;
			for (int32_t k = stitchLowerBound(s, first); k < s->borderCount && s->keys[k] <= last; ++k)
			{
				s->looks += 1;
				if (!stitchNote(s, s->map[s->borders[s->values[k]]], a, b))
				{
					return false;
				}
			}
		}
	}
	return true;
}

// Whether there is a vertex on some edge.
static bool stitchHasInsertions(Stitch* s)
{
	const brMesh* mesh = s->mesh;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		if (s->edges->twins[c] == br_twinBoundary &&
			(!stitchFindOnEdge(s, mesh->corners[c], brHalfEdges_Target(s->edges, c)) || s->inserts.count > 0))
		{
			return true; // without memory too: writing finds out
		}
	}
	return false;
}

static bool stitchWrite(Stitch* s, brFaceList* list)
{
	const brMesh* mesh = s->mesh;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brFaceList_Begin(list, f);
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			brFaceList_AddCorner(list, s->map[mesh->corners[c]], c);
			if (s->edges->twins[c] != br_twinBoundary)
			{
				continue;
			}
			if (!stitchFindOnEdge(s, s->map[mesh->corners[c]], s->map[brHalfEdges_Target(s->edges, c)]))
			{
				return false;
			}
			for (int32_t i = 0; i < s->inserts.count; ++i)
			{
				brFaceList_AddCorner(list, s->inserts.data[i].vertex, c);
			}
			s->inserted += s->inserts.count;
		}
	}
	return !list->failed;
}

brResult brStitchBorders(const brContext* context, const brHalfEdges* edges, double distance, brMesh** outMesh,
						 brMendInfo* info, brReport* report)
{
	const brMesh* mesh = edges->mesh;
	Stitch s = {.mesh = mesh, .allocator = brContext_Allocator(context), .edges = edges, .distance = distance};
	brFaceList list;
	bool complete = stitchCollect(&s) && stitchJoin(&s) && stitchSort(&s, context);
	bool isNeeded = complete && (s.joined > 0 || stitchHasInsertions(&s));
	brMesh* stitched = NULL;
	if (isNeeded)
	{
		s.looks = 0;
		brFaceList_Init(&list, &s.allocator, mesh);
		stitched = stitchWrite(&s, &list) ? brFaceList_Finish(&list) : NULL;
		brFaceList_Free(&list);
	}
	BR_FREE_ARRAY(&s.allocator, &s.inserts);
	BR_FREE(&s.allocator, s.map, mesh->vertexCount);
	BR_FREE(&s.allocator, s.borders, s.capacity);
	BR_FREE(&s.allocator, s.positions, s.capacity);
	BR_FREE(&s.allocator, s.firsts, s.capacity);
	BR_FREE(&s.allocator, s.keys, 2 * (int64_t)s.capacity);
	BR_FREE(&s.allocator, s.values, 2 * (int64_t)s.capacity);
	if (!complete || (isNeeded && stitched == NULL))
	{
		return brFailMemory(report);
	}
	info->stitchedVertices += s.joined;
	info->insertedVertices += s.inserted;
	*outMesh = stitched;
	return br_success;
}
