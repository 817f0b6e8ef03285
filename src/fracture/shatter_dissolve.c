// SPDX-License-Identifier: MIT

// Cuts that separate nothing. Cells of one group stay together, but each triangle of the surface was clipped to every
// one of them; where all that came of a triangle is in one piece it is given back whole.
//
// Its outline is what is left of the edges of its parts when those that two of them share are gone. Points on it that
// only such triangles have are not needed by anybody and go too: both triangles at an edge drop the same ones, so the
// surface stays closed. A point on an edge is off the line by rounding, and by no more does the volume change.

#include "fracture/shatter_build.h"

#include "base/memory.h"

// Outlines longer than this stay as they are.
#define DISSOLVE_MOST 256

typedef struct DissolveEdge
{
	int32_t from, to;
} DissolveEdge;

// Edges of all parts of a triangle, less the pairs that run both ways. Returns how many there are; more than
// DISSOLVE_MOST: too many.
static int32_t dissolveEdges(const brShatterBuild* build, int32_t begin, int32_t end, int32_t* corners,
							 DissolveEdge* edges)
{
	int32_t count = 0;
	for (int32_t entry = begin; entry < end; ++entry)
	{
		int32_t size = build->parts.entryParts[entry] >= 0 ? brPieceParts_Face(&build->parts, entry, corners) : 0;
		for (int32_t n = 0; n < size; ++n)
		{
			DissolveEdge edge = {corners[n], corners[n + 1 < size ? n + 1 : 0]};
			int32_t twin = 0;
			while (twin < count && (edges[twin].from != edge.to || edges[twin].to != edge.from))
			{
				twin += 1;
			}
			if (twin < count)
			{
				edges[twin] = edges[--count];
			}
			else if (count == DISSOLVE_MOST)
			{
				return DISSOLVE_MOST + 1;
			}
			else
			{
				edges[count++] = edge;
			}
		}
	}
	return count;
}

// The edges as one ring; false if they are none.
static bool dissolveChain(DissolveEdge* edges, int32_t count, int32_t* outRing)
{
	for (int32_t n = 0; n < count; ++n)
	{
		outRing[n] = edges[n].from;
		int32_t next = n + 1;
		while (next < count && edges[next].from != edges[n].to)
		{
			next += 1;
		}
		if (n + 1 == count)
		{
			return edges[n].to == edges[0].from;
		}
		if (next == count)
		{
			return false; // the ring closes before all are in it
		}
		DissolveEdge kept = edges[n + 1];
		edges[n + 1] = edges[next], edges[next] = kept;
		for (int32_t k = 0; k <= n; ++k)
		{
			if (edges[k].from == edges[n + 1].from)
			{
				return false; // it touches itself
			}
		}
	}
	return false;
}

// Polygons `begin` to `end` are one triangle's. Keeps their outline with the first of them if they are all of one piece.
static void dissolveTriangle(brShatterBuild* build, int32_t begin, int32_t end, int32_t* corners, int32_t* ringCount)
{
	int32_t piece = -1, partCount = 0;
	for (int32_t entry = begin; entry < end; ++entry)
	{
		int32_t part = build->parts.entryParts[entry];
		if (part < 0)
		{
			continue; // nothing is left of it
		}
		int32_t own = build->partPieces[part];
		if (own < 0 || (partCount > 0 && own != piece))
		{
			return;
		}
		piece = own;
		partCount += 1;
	}
	DissolveEdge edges[DISSOLVE_MOST];
	int32_t first = begin, count = partCount > 1 ? dissolveEdges(build, begin, end, corners, edges) : 0;
	int32_t* ring = build->rings + *ringCount;
	if (count < 3 || count > DISSOLVE_MOST || !dissolveChain(edges, count, ring))
	{
		return;
	}
	while (build->parts.entryParts[first] < 0)
	{
		first += 1;
	}
	for (int32_t entry = begin; entry < end; ++entry)
	{
		build->ringSizes[entry] = entry == first ? count : -1;
	}
	build->ringStarts[first] = *ringCount;
	*ringCount += count;
}

// Points of faces that come out as they are must stay.
static void dissolvePin(const brShatterBuild* build, int32_t* corners, bool* pinned)
{
	int32_t polygons = build->clip.polygonCells.count;
	for (int32_t entry = 0; entry < build->parts.entryCount; ++entry)
	{
		bool isRing = entry < polygons && build->ringSizes[entry] != 0;
		if (isRing || brShatterBuild_EntryPiece(build, entry) < 0)
		{
			continue;
		}
		int32_t count = brPieceParts_Face(&build->parts, entry, corners);
		for (int32_t n = 0; n < count; ++n)
		{
			pinned[corners[n]] = true;
		}
	}
}

bool brShatterBuild_Dissolve(brShatterBuild* build)
{
	const brAllocator* a = &build->allocator;
	const brSurfaceClip* clip = &build->clip;
	int32_t polygons = clip->polygonCells.count, vertexCount = clip->mesh->vertexCount, ringCount = 0;
	build->ringSizes = BR_ALLOC_ZERO(a, int32_t, polygons);
	build->ringStarts = BR_ALLOC(a, int32_t, polygons);
	build->rings = BR_ALLOC(a, int32_t, clip->corners.count);
	int32_t capacity = build->largest;
	int32_t* corners = BR_ALLOC(a, int32_t, capacity);
	bool* pinned = BR_ALLOC_ZERO(a, bool, build->parts.pointCount);
	bool isDone = build->ringSizes != NULL && build->ringStarts != NULL && build->rings != NULL && corners != NULL &&
				  pinned != NULL;
	for (int32_t begin = 0, end = 0; isDone && begin < polygons; begin = end)
	{
		for (end = begin + 1; end < polygons && clip->polygonTriangles.data[begin] >= 0 &&
							  clip->polygonTriangles.data[end] == clip->polygonTriangles.data[begin];)
		{
			end += 1;
		}
		if (end > begin + 1)
		{
			dissolveTriangle(build, begin, end, corners, &ringCount);
		}
	}
	if (isDone && ringCount > 0)
	{
		dissolvePin(build, corners, pinned);
	}
	for (int32_t entry = 0; isDone && entry < polygons; ++entry)
	{
		if (build->ringSizes[entry] <= 0)
		{
			continue;
		}
		int32_t kept = 0, *ring = build->rings + build->ringStarts[entry];
		for (int32_t n = 0; n < build->ringSizes[entry]; ++n)
		{
			ring[kept] = ring[n];
			kept += ring[n] < vertexCount || pinned[ring[n]];
		}
		build->ringSizes[entry] = kept;
		build->largest = kept > build->largest ? kept : build->largest;
	}
	BR_FREE(a, corners, capacity);
	BR_FREE(a, pinned, build->parts.pointCount);
	return isDone;
}

int32_t brShatterBuild_Face(const brShatterBuild* build, int32_t entry, int32_t* out)
{
	int32_t size = entry < build->clip.polygonCells.count ? build->ringSizes[entry] : 0;
	if (size == 0)
	{
		return brPieceParts_Face(&build->parts, entry, out);
	}
	for (int32_t n = 0; n < size; ++n)
	{
		out[n] = build->rings[build->ringStarts[entry] + n];
	}
	return size;
}
