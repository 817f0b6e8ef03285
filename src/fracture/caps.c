// SPDX-License-Identifier: MIT

// Sites i < j < k share an edge of the diagram. It is listed in facet j of cell i at the corner where k is beyond; that
// corner's index names it. Its direction there, counter-clockwise seen from outside of i, is (s_j - s_i) x (s_k - s_i).
// In a clipped triangle of cell i, which also turns left seen from outside, a corner between bisector j and then k is
// where this direction leaves the model, and one between k and then j where it enters.

#include "fracture/caps.h"

#include "base/assert.h"
#include "base/report.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct CapCrossing
{
	double along; // place on the edge, growing with its direction
	int32_t edge;
	int32_t point;
	bool enters;
} CapCrossing;

typedef struct CapLink
{
	int32_t key; // edge of the diagram, or facet
	int32_t from, to;
} CapLink;

typedef BR_ARRAY(CapLink) CapLinks;

typedef struct CapBuild
{
	const brSurfaceClip* clip;
	const brVoronoi* voronoi;
	brCaps* caps;
	brAllocator allocator;
	BR_ARRAY(CapCrossing) crossings;
	CapLinks segments;       // of the surface, by facet
	CapLinks stretches;      // of edges inside the model, by edge
	int32_t* crossingStarts; // [cornerCount + 1] by edge
	int32_t* segmentStarts;  // [facetCount + 1]
	int32_t* stretchStarts;  // [cornerCount + 1]
	double spacing;          // of points inside caps; 0: none
	int32_t* stretchPoints;  // [stretches.count + 1] first of the points that divide a stretch
	int32_t* windings;       // [vertexCount] of the diagram
	int32_t* copyStarts;     // [vertexCount] first copy of a vertex
	BR_ARRAY(int32_t) stack;
	int32_t* nexts;        // [points] where the outline of a facet goes on
	int32_t* stamps;       // [points] facet + 1 that wrote it
	int32_t outlinedCount; // of nexts and stamps
	int32_t pointCount;
	brOutline outline;
} CapBuild;

void brCaps_Free(brCaps* caps)
{
	BR_FREE_ARRAY(&caps->allocator, &caps->places);
	BR_FREE_ARRAY(&caps->allocator, &caps->faceCells);
	BR_FREE_ARRAY(&caps->allocator, &caps->faceStarts);
	BR_FREE_ARRAY(&caps->allocator, &caps->corners);
}

static int32_t capFacet(const brVoronoi* voronoi, int32_t cell, int32_t site)
{
	int32_t f = voronoi->cellStarts[cell];
	while (voronoi->facetSites[f] != site)
	{
		++f;
		BR_ASSERT(f < voronoi->cellStarts[cell + 1]);
	}
	return f;
}

// The name of the edge between three sites.
static int32_t capEdge(const brVoronoi* voronoi, int32_t a, int32_t b, int32_t c)
{
	int32_t low = a < b ? (a < c ? a : c) : (b < c ? b : c);
	int32_t high = a > b ? (a > c ? a : c) : (b > c ? b : c);
	int32_t facet = capFacet(voronoi, low, a ^ b ^ c ^ low ^ high);
	int32_t corner = voronoi->facetStarts[facet];
	while (voronoi->beyond[corner] != high)
	{
		++corner;
		BR_ASSERT(corner < voronoi->facetStarts[facet + 1]);
	}
	return corner;
}

// Lines of the surface on facets, and its crossings with edges, from the lowest cell that sees them.
static bool capGather(CapBuild* build)
{
	const brSurfaceClip* clip = build->clip;
	const brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	for (int32_t p = 0; p < clip->polygonCells.count; ++p)
	{
		int32_t cell = clip->polygonCells.data[p];
		int32_t first = clip->polygonStarts.data[p], last = clip->polygonStarts.data[p + 1];
		for (int32_t c = first; c < last; ++c)
		{
			int32_t after = clip->beyond.data[c], before = clip->beyond.data[c == first ? last - 1 : c - 1];
			int32_t from = clip->corners.data[c], to = clip->corners.data[c + 1 < last ? c + 1 : first];
			if (after > cell && !BR_PUSH(a, &build->segments, (CapLink){capFacet(voronoi, cell, after), to, from}))
			{
				return false;
			}
			if (after > cell && before > cell)
			{
				int32_t edge = capEdge(voronoi, cell, before, after);
				const int32_t *o = voronoi->places[cell], *l = voronoi->places[before < after ? before : after],
							  *h = voronoi->places[before < after ? after : before];
				double u[3] = {l[0] - o[0], l[1] - o[1], l[2] - o[2]}, v[3] = {h[0] - o[0], h[1] - o[1], h[2] - o[2]};
				brDVec3 direction = brDCross(brMakeDVec3(u[0], u[1], u[2]), brMakeDVec3(v[0], v[1], v[2]));
				brDVec3 place = brDSub(brCaps_Position(clip, build->caps, from), voronoi->sites[cell]);
				CapCrossing crossing = {brDDot(direction, place), edge, from, before > after};
				if (!BR_PUSH(a, &build->crossings, crossing))
				{
					return false;
				}
			}
		}
	}
	return true;
}

// Doubles as integers of the same order.
static uint64_t capOrderedBits(double value)
{
	uint64_t bits;
	value += 0.0; // no negative zero
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 != 0 ? ~bits : bits | 1ull << 63;
}

// Room to sort by key: what is sorted is read through `order`.
typedef struct CapSorter
{
	int32_t count;
	uint64_t* keys;  // [2 count]
	uint32_t* order; // [2 count]
} CapSorter;

static bool capBeginSort(const brAllocator* a, CapSorter* sorter, int32_t count)
{
	*sorter = (CapSorter){count, BR_ALLOC(a, uint64_t, 2 * (int64_t)count), BR_ALLOC(a, uint32_t, 2 * (int64_t)count)};
	for (int32_t n = 0; sorter->order != NULL && n < count; ++n)
	{
		sorter->order[n] = (uint32_t)n;
	}
	return sorter->keys != NULL && sorter->order != NULL;
}

// Stable, so that the least of several keys is sorted by first.
static bool capSort(const brAllocator* a, CapSorter* sorter)
{
	int32_t count = sorter->count;
	return brSortPairs64(NULL, a, sorter->keys, sorter->order, sorter->keys + count, sorter->order + count, count);
}

static void capEndSort(const brAllocator* a, CapSorter* sorter)
{
	BR_FREE(a, sorter->keys, 2 * (int64_t)sorter->count);
	BR_FREE(a, sorter->order, 2 * (int64_t)sorter->count);
}

// By edge, then along it, then by point.
static bool capSortCrossings(CapBuild* build)
{
	const brAllocator* a = &build->allocator;
	int32_t count = build->crossings.count;
	CapSorter sorter;
	CapCrossing* sorted = BR_ALLOC(a, CapCrossing, count);
	const CapCrossing* crossings = build->crossings.data;
	bool done = capBeginSort(a, &sorter, count) && sorted != NULL;
	for (int32_t pass = 0; done && pass < 3; ++pass)
	{
		for (int32_t n = 0; n < count; ++n)
		{
			const CapCrossing* crossing = &crossings[sorter.order[n]];
			sorter.keys[n] = pass == 0   ? (uint32_t)crossing->point
							 : pass == 1 ? capOrderedBits(crossing->along)
										 : (uint32_t)crossing->edge;
		}
		done = capSort(a, &sorter);
	}
	for (int32_t n = 0; done && n < count; ++n)
	{
		sorted[n] = crossings[sorter.order[n]];
	}
	if (done && count > 0)
	{
		memcpy(build->crossings.data, sorted, (size_t)count * sizeof(CapCrossing));
	}
	capEndSort(a, &sorter);
	BR_FREE(a, sorted, count);
	return done;
}

// By key, then by start.
static bool capSortLinks(const brAllocator* a, CapLinks* links)
{
	int32_t count = links->count;
	CapSorter sorter;
	CapLink* sorted = BR_ALLOC(a, CapLink, count);
	bool done = capBeginSort(a, &sorter, count) && sorted != NULL;
	for (int32_t n = 0; done && n < count; ++n)
	{
		sorter.keys[n] = (uint64_t)links->data[n].key << 32 | (uint32_t)links->data[n].from;
	}
	done = done && capSort(a, &sorter);
	for (int32_t n = 0; done && n < count; ++n)
	{
		sorted[n] = links->data[sorter.order[n]];
	}
	if (done && count > 0)
	{
		memcpy(links->data, sorted, (size_t)count * sizeof(CapLink));
	}
	capEndSort(a, &sorter);
	BR_FREE(a, sorted, count);
	return done;
}

// starts[key] .. starts[key + 1] for links sorted by key.
static void capIndexLinks(const CapLinks* links, int32_t* starts, int32_t keyCount)
{
	int32_t n = 0;
	for (int32_t key = 0; key <= keyCount; ++key)
	{
		while (n < links->count && links->data[n].key < key)
		{
			++n;
		}
		starts[key] = n;
	}
}

static bool capIsEdge(const brVoronoi* voronoi, int32_t cell, int32_t facet, int32_t corner)
{
	return voronoi->facetSites[facet] > cell && voronoi->beyond[corner] > voronoi->facetSites[facet];
}

static int32_t capEdgeEnd(const brVoronoi* voronoi, int32_t facet, int32_t corner)
{
	return voronoi->corners[corner + 1 < voronoi->facetStarts[facet + 1] ? corner + 1 : voronoi->facetStarts[facet]];
}

#define CAP_UNKNOWN INT32_MIN
#define CAP_MAX_PARTS 4096.0 // of a stretch

// Windings of the diagram's vertices, from the box inward along edges. From any vertex some edge goes up in any
// direction, so the box is reached from everywhere. Rounds over all edges would do; a list per vertex makes it linear.
static bool capSpreadWindings(CapBuild* build)
{
	const brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	CapLinks ends = {0}; // by vertex: the edge's other end, and how the winding changes on the way there
	bool done = true;
	for (int32_t cell = 0; cell < voronoi->siteCount && done; ++cell)
	{
		for (int32_t f = voronoi->cellStarts[cell]; f < voronoi->cellStarts[cell + 1] && done; ++f)
		{
			for (int32_t c = voronoi->facetStarts[f]; c < voronoi->facetStarts[f + 1] && done; ++c)
			{
				if (!capIsEdge(voronoi, cell, f, c))
				{
					continue;
				}
				int32_t change = 0;
				for (int32_t n = build->crossingStarts[c]; n < build->crossingStarts[c + 1]; ++n)
				{
					change += build->crossings.data[n].enters ? 1 : -1;
				}
				int32_t start = voronoi->corners[c], end = capEdgeEnd(voronoi, f, c);
				done = BR_PUSH(a, &ends, (CapLink){start, end, change}) &&
					   BR_PUSH(a, &ends, (CapLink){end, start, -change});
			}
		}
	}
	int32_t* starts = BR_ALLOC(a, int32_t, (int64_t)voronoi->vertexCount + 1);
	done = done && starts != NULL && capSortLinks(a, &ends);
	if (done)
	{
		capIndexLinks(&ends, starts, voronoi->vertexCount);
		build->stack.count = 0;
		for (int32_t v = 0; v < voronoi->vertexCount && done; ++v)
		{
			bool isOnBox = voronoi->names[v][0] < 0;
			build->windings[v] = isOnBox ? 0 : CAP_UNKNOWN;
			done = !isOnBox || BR_PUSH(a, &build->stack, v);
		}
		while (done && build->stack.count > 0)
		{
			int32_t v = build->stack.data[--build->stack.count];
			for (int32_t n = starts[v]; n < starts[v + 1] && done; ++n)
			{
				int32_t other = ends.data[n].from, winding = build->windings[v] + ends.data[n].to;
				BR_ASSERT(build->windings[other] == CAP_UNKNOWN || build->windings[other] == winding);
				if (build->windings[other] == CAP_UNKNOWN)
				{
					build->windings[other] = winding;
					done = BR_PUSH(a, &build->stack, other);
				}
			}
		}
	}
	BR_FREE(a, starts, (int64_t)voronoi->vertexCount + 1);
	BR_FREE_ARRAY(a, &ends);
	return done;
}

// One point for every layer of material around a vertex.
static bool capMakeCopies(CapBuild* build)
{
	const brVoronoi* voronoi = build->voronoi;
	int32_t next = build->clip->mesh->vertexCount + build->clip->points.count;
	for (int32_t v = 0; v < voronoi->vertexCount; ++v)
	{
		build->copyStarts[v] = next;
		for (int32_t n = abs(build->windings[v]); n > 0; --n, ++next)
		{
			if (!BR_PUSH(&build->allocator, &build->caps->places, voronoi->vertices[v]))
			{
				return false;
			}
		}
	}
	build->pointCount = next;
	return true;
}

// Stretches inside the model on one edge. Open ends wait on a stack; `depth` > 0: entrances, < 0: exits that came first.
static bool capMatchEdge(CapBuild* build, int32_t edge, int32_t start, int32_t end)
{
	const brAllocator* a = &build->allocator;
	int32_t depth = build->windings[start];
	build->stack.count = 0;
	for (int32_t n = 0; n < abs(depth); ++n)
	{
		if (!BR_PUSH(a, &build->stack, build->copyStarts[start] + n))
		{
			return false;
		}
	}
	CapCrossing* crossings = build->crossings.data;
	for (int32_t n = build->crossingStarts[edge]; n < build->crossingStarts[edge + 1]; ++n)
	{
		// Of crossings at one place, one that closes a stretch comes first.
		for (int32_t m = n + 1; m < build->crossingStarts[edge + 1] && crossings[m].along == crossings[n].along &&
								depth != 0 && crossings[n].enters == (depth > 0);
			 ++m)
		{
			if (crossings[m].enters != crossings[n].enters)
			{
				CapCrossing swap = crossings[m];
				crossings[m] = crossings[n];
				crossings[n] = swap;
			}
		}
		int32_t point = crossings[n].point;
		bool enters = crossings[n].enters;
		if (depth == 0 || enters == (depth > 0))
		{
			if (!BR_PUSH(a, &build->stack, point))
			{
				return false;
			}
		}
		else
		{
			int32_t open = build->stack.data[--build->stack.count];
			CapLink stretch = {edge, enters ? point : open, enters ? open : point};
			if (!BR_PUSH(a, &build->stretches, stretch))
			{
				return false;
			}
		}
		depth += enters ? 1 : -1;
	}
	BR_ASSERT(depth == build->windings[end] && build->stack.count == abs(depth));
	for (int32_t n = 0; n < build->stack.count; ++n)
	{
		int32_t open = build->stack.data[n], copy = build->copyStarts[end] + n;
		if (!BR_PUSH(a, &build->stretches, (CapLink){edge, depth > 0 ? open : copy, depth > 0 ? copy : open}))
		{
			return false;
		}
	}
	return true;
}

static bool capMatchEdges(CapBuild* build)
{
	const brVoronoi* voronoi = build->voronoi;
	for (int32_t cell = 0; cell < voronoi->siteCount; ++cell)
	{
		for (int32_t f = voronoi->cellStarts[cell]; f < voronoi->cellStarts[cell + 1]; ++f)
		{
			for (int32_t c = voronoi->facetStarts[f]; c < voronoi->facetStarts[f + 1]; ++c)
			{
				if (capIsEdge(voronoi, cell, f, c) &&
					!capMatchEdge(build, c, voronoi->corners[c], capEdgeEnd(voronoi, f, c)))
				{
					return false;
				}
			}
		}
	}
	return true; // made in the order of edges, so already sorted
}

// Whether the stretch between two points is on the surface as well: then it stays whole, as the surface does. Its ends
// are where an edge of the diagram crosses triangles, or vertices of the diagram; an edge in the plane of a triangle
// has both ends on it.
static bool capIsOnSurface(const CapBuild* build, const CapLink* link)
{
	int32_t first = build->clip->mesh->vertexCount, count = build->clip->points.count;
	int32_t from = link->from - first, to = link->to - first;
	bool areClipped = from >= 0 && from < count && to >= 0 && to < count;
	return areClipped && build->clip->points.data[from].triangle == build->clip->points.data[to].triangle;
}

// Points that divide stretches, once for all the facets that meet there.
static bool capDivideStretches(CapBuild* build)
{
	const brAllocator* a = &build->allocator;
	build->stretchPoints = BR_ALLOC(a, int32_t, (int64_t)build->stretches.count + 1);
	if (build->stretchPoints == NULL)
	{
		return false;
	}
	for (int32_t n = 0; n < build->stretches.count; ++n)
	{
		const CapLink* link = &build->stretches.data[n];
		build->stretchPoints[n] = build->pointCount;
		brDVec3 from = brCaps_Position(build->clip, build->caps, link->from);
		brDVec3 to = brCaps_Position(build->clip, build->caps, link->to);
		double parts = build->spacing > 0.0 && !capIsOnSurface(build, link)
						   ? fmin(floor(brDDistance(from, to) / build->spacing + 0.5), CAP_MAX_PARTS)
						   : 1.0;
		for (double part = 1.0; part < parts; part += 1.0)
		{
			if (!BR_PUSH(a, &build->caps->places, brDLerp(from, to, part / parts)))
			{
				return false;
			}
			++build->pointCount;
		}
	}
	build->stretchPoints[build->stretches.count] = build->pointCount;
	return true;
}

static void capSetNext(CapBuild* build, int32_t facet, int32_t from, int32_t to)
{
	BR_ASSERT(build->stamps[from] != facet + 1);
	build->nexts[from] = to;
	build->stamps[from] = facet + 1;
}

// Points in the plane of a facet: the axis of the largest part of the normal is left out, so that left turns stay left.
static brDVec2 capFlatten(brDVec3 p, brDVec3 normal)
{
	double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
	if (x >= y && x >= z)
	{
		return normal.x > 0.0 ? (brDVec2){p.y, p.z} : (brDVec2){p.z, p.y};
	}
	if (y >= z)
	{
		return normal.y > 0.0 ? (brDVec2){p.z, p.x} : (brDVec2){p.x, p.z};
	}
	return normal.z > 0.0 ? (brDVec2){p.x, p.y} : (brDVec2){p.y, p.x};
}

// Back to the plane through `middle`.
static brDVec3 capLift(brDVec2 p, brDVec3 middle, brDVec3 normal)
{
	double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
	brDVec3 q;
	if (x >= y && x >= z)
	{
		q.y = normal.x > 0.0 ? p.x : p.y, q.z = normal.x > 0.0 ? p.y : p.x;
		q.x = middle.x - (normal.y * (q.y - middle.y) + normal.z * (q.z - middle.z)) / normal.x;
	}
	else if (y >= z)
	{
		q.z = normal.y > 0.0 ? p.x : p.y, q.x = normal.y > 0.0 ? p.y : p.x;
		q.y = middle.y - (normal.z * (q.z - middle.z) + normal.x * (q.x - middle.x)) / normal.y;
	}
	else
	{
		q.x = normal.z > 0.0 ? p.x : p.y, q.y = normal.z > 0.0 ? p.y : p.x;
		q.z = middle.z - (normal.x * (q.x - middle.x) + normal.y * (q.y - middle.y)) / normal.z;
	}
	return q;
}

// Follows the outline from a point until it comes back, and takes it off the list.
static bool capTrace(CapBuild* build, int32_t facet, int32_t point, brDVec3 normal)
{
	const brAllocator* a = &build->allocator;
	brOutline* outline = &build->outline;
	while (build->stamps[point] == facet + 1)
	{
		brDVec3 place = brCaps_Position(build->clip, build->caps, point);
		if (!BR_PUSH(a, &outline->points, capFlatten(place, normal)) || !BR_PUSH(a, &outline->ids, point))
		{
			return false;
		}
		build->stamps[point] = 0;
		point = build->nexts[point];
	}
	return BR_PUSH(a, &outline->starts, outline->points.count);
}

static bool capFillFacet(CapBuild* build, int32_t cell, int32_t facet)
{
	const brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	brCaps* caps = build->caps;
	int32_t site = voronoi->facetSites[facet];
	build->stack.count = 0;
	for (int32_t n = build->segmentStarts[facet]; n < build->segmentStarts[facet + 1]; ++n)
	{
		const CapLink* link = &build->segments.data[n];
		capSetNext(build, facet, link->from, link->to);
		if (!BR_PUSH(a, &build->stack, link->from))
		{
			return false;
		}
	}
	for (int32_t c = voronoi->facetStarts[facet]; c < voronoi->facetStarts[facet + 1]; ++c)
	{
		int32_t third = voronoi->beyond[c];
		if (third < 0)
		{
			continue;
		}
		// Our direction is that of (cell, site, third), even or odd against the rising order.
		int32_t edge = capEdge(voronoi, cell, site, third);
		bool isOdd = third > cell && third < site;
		for (int32_t n = build->stretchStarts[edge]; n < build->stretchStarts[edge + 1]; ++n)
		{
			const CapLink* link = &build->stretches.data[n];
			int32_t first = build->stretchPoints[n], last = build->stretchPoints[n + 1] - 1;
			int32_t from = isOdd ? link->to : link->from, to = isOdd ? link->from : link->to;
			if (!BR_PUSH(a, &build->stack, from))
			{
				return false;
			}
			for (int32_t k = 0; k <= last - first; ++k)
			{
				int32_t point = isOdd ? last - k : first + k;
				capSetNext(build, facet, from, point);
				from = point;
			}
			capSetNext(build, facet, from, to);
		}
	}
	if (build->stack.count == 0)
	{
		return true;
	}
	brOutline* outline = &build->outline;
	outline->points.count = outline->ids.count = outline->starts.count = 0;
	if (!BR_PUSH(a, &outline->starts, 0))
	{
		return false;
	}
	brDVec3 normal = brDSub(voronoi->sites[site], voronoi->sites[cell]);
	for (int32_t n = 0; n < build->stack.count; ++n)
	{
		int32_t point = build->stack.data[n];
		if (build->stamps[point] == facet + 1 && !capTrace(build, facet, point, normal))
		{
			return false;
		}
	}
	int32_t outlined = outline->points.count;
	bool done = build->spacing > 0.0 ? brOutline_FillFinely(outline, build->spacing, build->pointCount, &caps->corners,
															&caps->faceStarts)
									 : brOutline_Fill(outline, &caps->corners, &caps->faceStarts);
	brDVec3 middle = brDLerp(voronoi->sites[cell], voronoi->sites[site], 0.5);
	for (int32_t n = outlined; done && n < outline->points.count; ++n)
	{
		done = BR_PUSH(a, &caps->places, capLift(outline->points.data[n], middle, normal));
		++build->pointCount;
	}
	for (int32_t n = caps->faceCells.count / 2; done && n < caps->faceStarts.count - 1; ++n)
	{
		done = BR_PUSH(a, &caps->faceCells, cell) && BR_PUSH(a, &caps->faceCells, site);
	}
	return done;
}

static bool capFill(CapBuild* build)
{
	const brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	build->outlinedCount = build->pointCount; // points that caps add inside are on no outline
	build->nexts = BR_ALLOC(a, int32_t, build->outlinedCount);
	build->stamps = BR_ALLOC_ZERO(a, int32_t, build->outlinedCount);
	if (build->nexts == NULL || build->stamps == NULL || !BR_PUSH(a, &build->caps->faceStarts, 0))
	{
		return false;
	}
	for (int32_t cell = 0; cell < voronoi->siteCount; ++cell)
	{
		for (int32_t f = voronoi->cellStarts[cell]; f < voronoi->cellStarts[cell + 1]; ++f)
		{
			if (voronoi->facetSites[f] > cell && !capFillFacet(build, cell, f))
			{
				return false;
			}
		}
	}
	return true;
}

static bool capRun(CapBuild* build)
{
	const brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	if (!capGather(build))
	{
		return false;
	}
	build->crossingStarts = BR_ALLOC(a, int32_t, (int64_t)voronoi->cornerCount + 1);
	build->stretchStarts = BR_ALLOC(a, int32_t, (int64_t)voronoi->cornerCount + 1);
	build->segmentStarts = BR_ALLOC(a, int32_t, (int64_t)voronoi->facetCount + 1);
	build->windings = BR_ALLOC(a, int32_t, voronoi->vertexCount);
	build->copyStarts = BR_ALLOC(a, int32_t, voronoi->vertexCount);
	if (build->crossingStarts == NULL || build->stretchStarts == NULL || build->segmentStarts == NULL ||
		build->windings == NULL || build->copyStarts == NULL)
	{
		return false;
	}
	if (!capSortCrossings(build) || !capSortLinks(a, &build->segments))
	{
		return false;
	}
	for (int32_t edge = 0, n = 0; edge <= voronoi->cornerCount; ++edge)
	{
		while (n < build->crossings.count && build->crossings.data[n].edge < edge)
		{
			++n;
		}
		build->crossingStarts[edge] = n;
	}
	capIndexLinks(&build->segments, build->segmentStarts, voronoi->facetCount);
	if (!capSpreadWindings(build) || !capMakeCopies(build) || !capMatchEdges(build) || !capDivideStretches(build))
	{
		return false;
	}
	capIndexLinks(&build->stretches, build->stretchStarts, voronoi->cornerCount);
	return capFill(build);
}

brResult brCaps_Make(const brSurfaceClip* clip, double spacing, brCaps* outCaps, brReport* report)
{
	brCaps caps = {.allocator = clip->allocator};
	CapBuild build = {
		.clip = clip, .voronoi = clip->voronoi, .caps = &caps, .allocator = clip->allocator, .spacing = spacing};
	const brAllocator* a = &build.allocator;
	brOutline_Init(&build.outline, a);
	bool done = capRun(&build);
	int64_t stretchCount = build.stretches.count;
	BR_FREE_ARRAY(a, &build.crossings);
	BR_FREE_ARRAY(a, &build.segments);
	BR_FREE_ARRAY(a, &build.stretches);
	BR_FREE_ARRAY(a, &build.stack);
	BR_FREE(a, build.crossingStarts, (int64_t)clip->voronoi->cornerCount + 1);
	BR_FREE(a, build.stretchStarts, (int64_t)clip->voronoi->cornerCount + 1);
	BR_FREE(a, build.segmentStarts, (int64_t)clip->voronoi->facetCount + 1);
	BR_FREE(a, build.windings, clip->voronoi->vertexCount);
	BR_FREE(a, build.copyStarts, clip->voronoi->vertexCount);
	BR_FREE(a, build.nexts, build.outlinedCount);
	BR_FREE(a, build.stamps, build.outlinedCount);
	BR_FREE(a, build.stretchPoints, stretchCount + 1);
	brOutline_Free(&build.outline);
	if (!done)
	{
		brCaps_Free(&caps);
		return brFailMemory(report);
	}
	*outCaps = caps;
	return br_success;
}
