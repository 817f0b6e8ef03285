// SPDX-License-Identifier: MIT

#include "fracture/surface_clip.h"

#include "base/assert.h"
#include "base/buckets.h"
#include "base/hash.h"
#include "base/report.h"
#include "fracture/cell_side.h"

#include <string.h>

#define CLIP_BLOCK 256

// Labels of a triangle's own edges are -1, -2, -3; all others are sites.
typedef BR_ARRAY(int32_t) ClipInts;

typedef struct ClipBlock
{
	ClipInts cells, triangles, sizes, labels;
	int32_t cornerCount;               // whole faces counted too
	int32_t firstPolygon, firstCorner; // in the list of all
	bool isFull;
} ClipBlock;

typedef struct ClipScratch
{
	ClipInts ring, next, sides; // labels, and the side of the corner before each label
	ClipInts visited;
} ClipScratch;

typedef struct ClipBuild
{
	brSurfaceClip* clip;
	int32_t blockCount;
	ClipBlock* blocks;
	int32_t scratchCount;
	ClipScratch* scratch;
	int32_t startCell;        // some cell that is not empty
	const brClipRings* rings; // or null
	brBuckets pairs;          // of them, by triangle
} ClipBuild;

void brClipRings_Free(brClipRings* rings)
{
	brFreeArray(&rings->allocator, rings->pairs, rings->count, sizeof(int32_t[2]));
	BR_FREE(&rings->allocator, rings->sizes, rings->count);
	BR_FREE(&rings->allocator, rings->labels, BR_CLIP_RING * (int64_t)rings->count);
	*rings = (brClipRings){0};
}

void brSurfaceClip_Free(brSurfaceClip* clip)
{
	const brAllocator* a = &clip->allocator;
	brDestroyClipMesh(clip->own);
	BR_FREE(a, clip->vertexCells, clip->mesh->vertexCount);
	BR_FREE_ARRAY(a, &clip->polygonCells);
	BR_FREE_ARRAY(a, &clip->polygonTriangles);
	BR_FREE_ARRAY(a, &clip->polygonStarts);
	BR_FREE_ARRAY(a, &clip->corners);
	BR_FREE_ARRAY(a, &clip->beyond);
	BR_FREE_ARRAY(a, &clip->points);
	BR_FREE_ARRAY(a, &clip->positions);
}

// Walks from cell to cell towards p. The walk ends: each step is to a site that is nearer, ties settled.
static void clipRunVertices(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	ClipBuild* build = user;
	brSurfaceClip* clip = build->clip;
	const brVoronoi* voronoi = clip->voronoi;
	int32_t cell = build->startCell;
	for (int32_t v = begin; v < end; ++v)
	{
		if (clip->vertexCells[v] >= 0)
		{
			cell = clip->vertexCells[v];
			continue;
		}
		brDVec3 p = clip->mesh->positions[v];
		for (int32_t f = voronoi->cellStarts[cell]; f < voronoi->cellStarts[cell + 1]; ++f)
		{
			int32_t other = voronoi->facetSites[f];
			if (other >= 0 && brCellSide(voronoi->sites, cell, other, p) < 0)
			{
				cell = other;
				f = voronoi->cellStarts[cell] - 1;
			}
		}
		clip->vertexCells[v] = cell;
	}
}

// The side of site l of the corner between two labels of a ring in cell i; `own` are the sides of the triangle's
// corners.
static int32_t clipSide(const brDVec3* sites, const brDVec3 points[3], int32_t i, int32_t l, const int32_t own[3],
						int32_t before, int32_t after)
{
	if (before < 0 && after < 0)
	{
		return own[-1 - after]; // edge e starts at corner e
	}
	if (before >= 0 && after >= 0)
	{
		return brCellSide_OnFace(sites, i, before, after, l, points[0], points[1], points[2]);
	}
	int32_t edge = -1 - (before < 0 ? before : after);
	int32_t site = before < 0 ? after : before;
	int32_t next = edge == 2 ? 0 : edge + 1;
	if (own[edge] == own[next])
	{
		return own[edge]; // between two points of one side
	}
	return brCellSide_OnEdge(sites, i, site, l, points[edge], points[next]);
}

// Clips the triangle to cell i; the ring is empty if they do not meet. False without memory.
static bool clipTriangle(const ClipBuild* build, ClipScratch* scratch, const brDVec3 points[3], int32_t i)
{
	const brAllocator* a = &build->clip->allocator;
	const brVoronoi* voronoi = build->clip->voronoi;
	scratch->ring.count = 0;
	if (!BR_PUSH(a, &scratch->ring, -1) || !BR_PUSH(a, &scratch->ring, -2) || !BR_PUSH(a, &scratch->ring, -3))
	{
		return false;
	}
	for (int32_t f = voronoi->cellStarts[i]; f < voronoi->cellStarts[i + 1] && scratch->ring.count > 0; ++f)
	{
		int32_t l = voronoi->facetSites[f];
		if (l < 0)
		{
			continue;
		}
		int32_t own[3];
		for (int32_t n = 0; n < 3; ++n)
		{
			own[n] = brCellSide(voronoi->sites, i, l, points[n]);
		}
		if (own[0] + own[1] + own[2] == 3)
		{
			continue;
		}
		// Edges with an end on our side stay; the new edge goes where the ring leaves our side.
		int32_t count = scratch->ring.count;
		const int32_t* ring = scratch->ring.data;
		scratch->sides.count = 0;
		scratch->next.count = 0;
		if (!BR_RESERVE(a, &scratch->sides, count) || !BR_RESERVE(a, &scratch->next, count + 1))
		{
			return false;
		}
		int32_t* sides = scratch->sides.data;
		for (int32_t c = 0; c < count; ++c)
		{
			sides[c] = clipSide(voronoi->sites, points, i, l, own, ring[c == 0 ? count - 1 : c - 1], ring[c]);
		}
		for (int32_t c = 0; c < count; ++c)
		{
			int32_t side = sides[c], after = sides[c + 1 < count ? c + 1 : 0];
			if (side > 0 || after > 0)
			{
				scratch->next.data[scratch->next.count++] = ring[c];
			}
			if (side > 0 && after < 0)
			{
				BR_ASSERT(scratch->next.count <= count);
				scratch->next.data[scratch->next.count++] = l;
			}
		}
		ClipInts swap = scratch->ring;
		scratch->ring = scratch->next;
		scratch->next = swap;
	}
	return true;
}

// The same from the rings of a device, if it has settled that one.
static bool clipRing(const ClipBuild* build, ClipScratch* scratch, const brDVec3 points[3], int32_t triangle, int32_t i)
{
	const brClipRings* rings = build->rings;
	for (int32_t k = rings != NULL ? build->pairs.starts[triangle] : 0,
				 end = rings != NULL ? build->pairs.starts[triangle + 1] : 0;
		 k < end; ++k)
	{
		int32_t pair = build->pairs.items[k], size = rings->sizes[pair];
		const int8_t* labels = rings->labels + BR_CLIP_RING * (int64_t)pair;
		if (rings->pairs[pair][0] != i || (size == 0 && labels[0] == BR_CLIP_OPEN))
		{
			continue;
		}
		scratch->ring.count = 0;
		if (!BR_RESERVE(&build->clip->allocator, &scratch->ring, size))
		{
			return false;
		}
		const int32_t* facets = build->clip->voronoi->facetSites + build->clip->voronoi->cellStarts[i];
		for (; scratch->ring.count < size; ++scratch->ring.count)
		{
			int32_t label = labels[scratch->ring.count];
			scratch->ring.data[scratch->ring.count] = label < 0 ? label : facets[label];
		}
		return true;
	}
	return clipTriangle(build, scratch, points, i);
}

// Vertices lie in the cells that have rings with them. False without memory.
static bool clipTakeRings(ClipBuild* build)
{
	const brSurfaceClip* clip = build->clip;
	const brClipRings* rings = build->rings;
	if (rings == NULL)
	{
		return true;
	}
	int32_t* triangles = BR_ALLOC(&clip->allocator, int32_t, rings->count);
	for (int32_t pair = 0; triangles != NULL && pair < rings->count; ++pair)
	{
		int32_t size = rings->sizes[pair];
		const int8_t* labels = rings->labels + BR_CLIP_RING * (int64_t)pair;
		triangles[pair] = rings->pairs[pair][1];
		for (int32_t c = 0; c < size; ++c)
		{
			if (labels[c] < 0 && labels[c == 0 ? size - 1 : c - 1] < 0)
			{
				clip->vertexCells[brSurfaceClip_Vertex(clip, triangles[pair], -1 - labels[c])] = rings->pairs[pair][0];
			}
		}
	}
	bool isGood = triangles != NULL && brBuckets_Make(&build->pairs, &clip->allocator, triangles, rings->count,
													  clip->triangles->triangleCount);
	BR_FREE(&clip->allocator, triangles, rings->count);
	return isGood;
}

static bool clipStore(const brAllocator* a, ClipBlock* block, int32_t cell, int32_t triangle, const int32_t* labels,
					  int32_t count)
{
	if (!BR_PUSH(a, &block->cells, cell) || !BR_PUSH(a, &block->triangles, triangle) ||
		!BR_PUSH(a, &block->sizes, count) || !BR_RESERVE(a, &block->labels, count))
	{
		return false;
	}
	for (int32_t n = 0; n < count; ++n)
	{
		block->labels.data[block->labels.count++] = labels[n];
	}
	return true;
}

// All cells that a triangle meets.
static bool clipFlood(const ClipBuild* build, ClipScratch* scratch, ClipBlock* block, int32_t triangle)
{
	const brSurfaceClip* clip = build->clip;
	const brAllocator* a = &clip->allocator;
	brDVec3 points[3];
	int32_t cells[3];
	for (int32_t n = 0; n < 3; ++n)
	{
		int32_t vertex = brSurfaceClip_Vertex(clip, triangle, n);
		points[n] = clip->mesh->positions[vertex];
		cells[n] = clip->vertexCells[vertex];
	}
	if (cells[0] == cells[1] && cells[1] == cells[2])
	{
		return clipStore(a, block, cells[0], triangle, (int32_t[]){-1, -2, -3}, 3);
	}
	scratch->visited.count = 0;
	if (!BR_PUSH(a, &scratch->visited, cells[0]))
	{
		return false;
	}
	for (int32_t n = 0; n < scratch->visited.count; ++n)
	{
		int32_t cell = scratch->visited.data[n];
		if (!clipRing(build, scratch, points, triangle, cell) ||
			!clipStore(a, block, cell, triangle, scratch->ring.data, scratch->ring.count))
		{
			return false;
		}
		for (int32_t c = 0; c < scratch->ring.count; ++c)
		{
			int32_t other = scratch->ring.data[c];
			int32_t seen = other < 0 ? 0 : scratch->visited.count;
			for (int32_t s = 0; other >= 0 && s < scratch->visited.count; ++s)
			{
				seen = scratch->visited.data[s] == other ? s : seen;
			}
			if (other >= 0 && seen == scratch->visited.count && !BR_PUSH(a, &scratch->visited, other))
			{
				return false;
			}
		}
	}
	return true;
}

static void clipRunFaces(int32_t begin, int32_t end, int32_t worker, void* user)
{
	ClipBuild* build = user;
	const brSurfaceClip* clip = build->clip;
	const brMesh* mesh = clip->mesh;
	ClipBlock* block = &build->blocks[begin / CLIP_BLOCK];
	for (int32_t face = begin; face < end && !block->isFull; ++face)
	{
		int32_t first = mesh->faceStarts[face], last = mesh->faceStarts[face + 1];
		int32_t cell = clip->vertexCells[mesh->corners[first]];
		bool isWhole = !clip->known->isSplit[face];
		for (int32_t c = first; c < last; ++c)
		{
			isWhole = isWhole && clip->vertexCells[mesh->corners[c]] == cell;
		}
		bool done = !isWhole || clipStore(&clip->allocator, block, cell, -1 - face, NULL, 0);
		block->cornerCount += isWhole ? last - first : 0;
		// A face of k corners has k - 2 triangles, and they are in the order of faces.
		for (int32_t t = first - 2 * face; done && !isWhole && t < last - 2 * (face + 1); ++t)
		{
			done = clipFlood(build, &build->scratch[worker], block, t);
		}
		block->isFull = !done;
	}
	block->cornerCount += block->labels.count;
}

// Open addressing over names of five numbers.
typedef struct ClipTable
{
	int32_t (*names)[5]; // by point
	int32_t nameCapacity;
	int32_t* slots;
	int64_t slotCount;
} ClipTable;

// The point of that name, new or known; -1 without memory.
static int32_t clipIntern(brSurfaceClip* clip, ClipTable* table, const int32_t name[5], const brClipPoint* point)
{
	uint64_t hash = brHash64((uint64_t)(uint32_t)name[0] << 32 | (uint32_t)name[1]);
	hash = brHash64(hash ^ ((uint64_t)(uint32_t)name[2] << 32 | (uint32_t)name[3]));
	int64_t slot = (int64_t)(brHash64(hash ^ (uint32_t)name[4]) & (uint64_t)(table->slotCount - 1));
	while (table->slots[slot] >= 0 && memcmp(table->names[table->slots[slot]], name, sizeof(int32_t[5])) != 0)
	{
		slot = (slot + 1) & (table->slotCount - 1);
	}
	if (table->slots[slot] < 0)
	{
		BR_ASSERT(clip->points.count < table->nameCapacity);
		table->slots[slot] = clip->points.count;
		memcpy(table->names[clip->points.count], name, sizeof(int32_t[5]));
		if (!BR_PUSH(&clip->allocator, &clip->points, *point))
		{
			return -1;
		}
	}
	return clip->mesh->vertexCount + table->slots[slot];
}

static void clipSort(int32_t* sites, int32_t count)
{
	for (int32_t n = 1; n < count; ++n)
	{
		for (int32_t m = n; m > 0 && sites[m - 1] > sites[m]; --m)
		{
			int32_t swap = sites[m];
			sites[m] = sites[m - 1];
			sites[m - 1] = swap;
		}
	}
}

// The point between two labels.
static int32_t clipPoint(brSurfaceClip* clip, ClipTable* table, int32_t triangle, int32_t cell, int32_t before,
						 int32_t after)
{
	if (before < 0 && after < 0)
	{
		return brSurfaceClip_Vertex(clip, triangle, -1 - after);
	}
	if (before >= 0 && after >= 0)
	{
		brClipPoint point = {.kind = br_clipFace, .triangle = triangle, .edge = -1, .sites = {cell, before, after}};
		clipSort(point.sites, 3);
		int32_t name[5] = {-1, triangle, point.sites[0], point.sites[1], point.sites[2]};
		return clipIntern(clip, table, name, &point);
	}
	int32_t edge = -1 - (before < 0 ? before : after);
	brClipPoint point = {
		.kind = br_clipEdge, .triangle = triangle, .edge = edge, .sites = {cell, before < 0 ? after : before, -1}};
	clipSort(point.sites, 2);
	// An edge of the model is named by the lower of its two corners, a diagonal by its ends.
	int32_t c = clip->triangles->corners[3 * triangle + edge];
	int32_t d = clip->triangles->corners[3 * triangle + (edge == 2 ? 0 : edge + 1)];
	int32_t name[5] = {c < d ? c : d, c < d ? d : c, -1, point.sites[0], point.sites[1]};
	int32_t face = clip->triangles->faces[triangle];
	if ((c + 1 < clip->mesh->faceStarts[face + 1] ? c + 1 : clip->mesh->faceStarts[face]) == d)
	{
		int32_t twin = clip->known->twins[c];
		name[0] = c < twin ? c : twin;
		name[1] = -1;
	}
	return clipIntern(clip, table, name, &point);
}

// Blocks become one list, points that are still to be named left out.
static void clipRunBlocks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ClipBuild* build = user;
	brSurfaceClip* clip = build->clip;
	for (int32_t b = begin; b < end; ++b)
	{
		const ClipBlock* block = &build->blocks[b];
		const int32_t* labels = block->labels.data;
		int32_t at = block->firstCorner;
		for (int32_t p = 0; p < block->cells.count; ++p)
		{
			int32_t triangle = block->triangles.data[p], polygon = block->firstPolygon + p, face = -1 - triangle;
			int32_t count = triangle < 0 ? brMesh_GetFaceSize(clip->mesh, face) : block->sizes.data[p];
			clip->polygonCells.data[polygon] = block->cells.data[p];
			clip->polygonTriangles.data[polygon] = triangle;
			for (int32_t c = 0; c < count && triangle < 0; ++c)
			{
				clip->corners.data[at + c] = clip->mesh->corners[clip->mesh->faceStarts[face] + c];
				clip->beyond.data[at + c] = -1;
			}
			for (int32_t c = 0; c < count && triangle >= 0; ++c)
			{
				bool isVertex = labels[c] < 0 && labels[c == 0 ? count - 1 : c - 1] < 0;
				clip->corners.data[at + c] = isVertex ? brSurfaceClip_Vertex(clip, triangle, -1 - labels[c]) : -1;
				clip->beyond.data[at + c] = labels[c] >= 0 ? labels[c] : -1;
			}
			labels = triangle < 0 ? labels : labels + count; // without any triangle there is no list
			at += count;
			clip->polygonStarts.data[polygon + 1] = at;
		}
	}
}

// Names become points, in the order of polygons.
static bool clipName(ClipBuild* build, ClipTable* table)
{
	brSurfaceClip* clip = build->clip;
	for (int32_t b = 0; b < build->blockCount; ++b)
	{
		const ClipBlock* block = &build->blocks[b];
		const int32_t* labels = block->labels.data;
		for (int32_t p = 0; p < block->cells.count && block->labels.count > 0; ++p)
		{
			int32_t count = block->sizes.data[p], first = clip->polygonStarts.data[block->firstPolygon + p];
			for (int32_t c = 0; c < count; ++c)
			{
				int32_t* corner = &clip->corners.data[first + c];
				if (*corner < 0)
				{
					*corner = clipPoint(clip, table, block->triangles.data[p], block->cells.data[p],
										labels[c == 0 ? count - 1 : c - 1], labels[c]);
				}
				if (*corner < 0)
				{
					return false;
				}
			}
			labels += count;
		}
	}
	return true;
}

static bool clipCollect(ClipBuild* build, ClipTable* table)
{
	brSurfaceClip* clip = build->clip;
	const brAllocator* a = &clip->allocator;
	int64_t polygonCount = 0, cornerCount = 0;
	for (int32_t b = 0; b < build->blockCount && cornerCount < INT32_MAX; ++b)
	{
		ClipBlock* block = &build->blocks[b];
		block->firstPolygon = (int32_t)polygonCount, block->firstCorner = (int32_t)cornerCount;
		polygonCount += block->cells.count;
		cornerCount += block->cornerCount;
	}
	if (cornerCount >= INT32_MAX)
	{
		return false;
	}
	int32_t polygons = (int32_t)polygonCount, corners = (int32_t)cornerCount;
	if (!BR_RESERVE(a, &clip->polygonCells, polygons) || !BR_RESERVE(a, &clip->polygonTriangles, polygons) ||
		!BR_RESERVE(a, &clip->polygonStarts, polygons + 1) || !BR_RESERVE(a, &clip->corners, corners) ||
		!BR_RESERVE(a, &clip->beyond, corners))
	{
		return false;
	}
	clip->polygonCells.count = clip->polygonTriangles.count = polygons;
	clip->polygonStarts.count = polygons + 1;
	clip->polygonStarts.data[0] = 0;
	clip->corners.count = clip->beyond.count = corners;
	brParallelFor(clip->context != NULL ? clip->context->workers : NULL, build->blockCount, 1, clipRunBlocks, build);
	return clipName(build, table);
}

static bool clipNumber(ClipBuild* build)
{
	brSurfaceClip* clip = build->clip;
	const brAllocator* a = &clip->allocator;
	int64_t labels = 0;
	for (int32_t b = 0; b < build->blockCount; ++b)
	{
		labels += build->blocks[b].labels.count;
	}
	ClipTable table = {.nameCapacity = (int32_t)labels, .slotCount = 16};
	while (table.slotCount < 2 * labels)
	{
		table.slotCount *= 2;
	}
	table.names = brAllocArray(a, labels, sizeof(int32_t[5]));
	table.slots = BR_ALLOC(a, int32_t, table.slotCount);
	bool done = table.names != NULL && table.slots != NULL && labels < INT32_MAX;
	if (done)
	{
		memset(table.slots, 0xff, (size_t)table.slotCount * sizeof(int32_t));
		done = clipCollect(build, &table) && BR_RESERVE(a, &clip->positions, clip->points.count);
	}
	brFreeArray(a, table.names, labels, sizeof(int32_t[5]));
	BR_FREE(a, table.slots, table.slotCount);
	return done;
}

// Places from names alone: edges run from the lower vertex, sites rise.
static void clipRunPoints(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brSurfaceClip* clip = user;
	const brDVec3* sites = clip->voronoi->sites;
	for (int32_t n = begin; n < end; ++n)
	{
		brClipPoint* point = &clip->points.data[n];
		int32_t vertices[3];
		brDVec3 places[3];
		for (int32_t c = 0; c < 3; ++c)
		{
			vertices[c] = brSurfaceClip_Vertex(clip, point->triangle, c);
			places[c] = clip->mesh->positions[vertices[c]];
		}
		if (point->kind == br_clipEdge)
		{
			int32_t low = point->edge, high = point->edge == 2 ? 0 : point->edge + 1;
			if (vertices[low] > vertices[high])
			{
				int32_t swap = low;
				low = high;
				high = swap;
			}
			double t = brCellCrossing_OnEdge(sites, point->sites[0], point->sites[1], places[low], places[high]);
			point->parts[low] = 1.0 - t;
			point->parts[high] = t;
			clip->positions.data[n] = brDLerp(places[low], places[high], t);
			continue;
		}
		double* s = point->parts;
		brCellCrossing_OnFace(sites, point->sites[0], point->sites[1], point->sites[2], places[0], places[1], places[2],
							  s);
		// About the corner with the largest part, so that rounding is that of the triangle's size.
		int32_t o = s[0] >= s[1] ? (s[0] >= s[2] ? 0 : 2) : (s[1] >= s[2] ? 1 : 2);
		int32_t p = (o + 1) % 3, q = (o + 2) % 3;
		brDVec3 offset = brDAdd(brDMul(s[p], brDSub(places[p], places[o])), brDMul(s[q], brDSub(places[q], places[o])));
		clip->positions.data[n] = brDAdd(places[o], offset);
	}
}

// Parts of a place in the plane of a triangle, by areas; all to the first corner for a triangle without area.
static void clipPartsAt(const brSurfaceClip* clip, int32_t triangle, brDVec3 place, double outParts[3])
{
	brDVec3 p[3];
	for (int32_t c = 0; c < 3; ++c)
	{
		p[c] = clip->mesh->positions[brSurfaceClip_Vertex(clip, triangle, c)];
	}
	brDVec3 normal = brDNormalize(brDCross(brDSub(p[1], p[0]), brDSub(p[2], p[0])));
	double areas[3], sum = 0.0;
	for (int32_t c = 0; c < 3; ++c)
	{
		brDVec3 q = p[(c + 1) % 3], r = p[(c + 2) % 3];
		areas[c] = fmax(0.0, brDDot(normal, brDCross(brDSub(q, place), brDSub(r, place))));
		sum += areas[c];
	}
	for (int32_t c = 0; c < 3; ++c)
	{
		outParts[c] = sum > 0.0 ? areas[c] / sum : c == 0 ? 1.0 : 0.0;
	}
}

void brSurfaceClip_Parts(const brSurfaceClip* clip, int32_t triangle, int32_t point, brDVec3 place, double outParts[3])
{
	int32_t made = point - clip->mesh->vertexCount;
	outParts[0] = outParts[1] = outParts[2] = 0.0;
	if (made >= 0 && made < clip->points.count && clip->points.data[made].triangle == triangle)
	{
		memcpy(outParts, clip->points.data[made].parts, sizeof(double[3]));
		return;
	}
	for (int32_t c = 0; made < 0 && c < 3; ++c)
	{
		if (brSurfaceClip_Vertex(clip, triangle, c) == point)
		{
			outParts[c] = 1.0;
			return;
		}
	}
	// A point of the edge to the next triangle, or one at the same place that stands for ours.
	clipPartsAt(clip, triangle, place, outParts);
}

static brResult clipBuild(ClipBuild* build, brReport* report)
{
	brSurfaceClip* clip = build->clip;
	const brAllocator* a = &clip->allocator;
	const brMesh* mesh = clip->mesh;
	brWorkers* workers = clip->context != NULL ? clip->context->workers : NULL;
	build->blockCount = mesh->faceCount / CLIP_BLOCK + 1;
	build->blocks = BR_ALLOC_ZERO(a, ClipBlock, build->blockCount);
	build->scratchCount = brWorkers_GetCount(workers);
	build->scratch = BR_ALLOC_ZERO(a, ClipScratch, build->scratchCount);
	clip->vertexCells = BR_ALLOC(a, int32_t, mesh->vertexCount);
	if (build->blocks == NULL || build->scratch == NULL || clip->vertexCells == NULL)
	{
		return brFailMemory(report);
	}
	memset(clip->vertexCells, 0xff, (size_t)mesh->vertexCount * sizeof(int32_t));
	if (!clipTakeRings(build))
	{
		return brFailMemory(report);
	}
	while (clip->voronoi->cellStarts[build->startCell] == clip->voronoi->cellStarts[build->startCell + 1])
	{
		++build->startCell; // the first site of a place has a cell, so there is one
	}
	brParallelFor(workers, mesh->vertexCount, 1024, clipRunVertices, build);
	brParallelFor(workers, mesh->faceCount, CLIP_BLOCK, clipRunFaces, build);
	for (int32_t b = 0; b < build->blockCount; ++b)
	{
		if (build->blocks[b].isFull)
		{
			return brFailMemory(report);
		}
	}
	if (!clipNumber(build))
	{
		return brFailMemory(report);
	}
	clip->positions.count = clip->points.count;
	brParallelFor(workers, clip->points.count, 1024, clipRunPoints, clip);
	return br_success;
}

brResult brSurfaceClip_Make(const brContext* context, const brMesh* mesh, const brClipMesh* known,
							const brClipRings* rings, const brVoronoi* voronoi, brSurfaceClip* outClip,
							brReport* report)
{
	brSurfaceClip clip = {.allocator = brContext_Allocator(context),
						  .context = context,
						  .mesh = mesh,
						  .voronoi = voronoi,
						  .known = known};
	ClipBuild build = {.clip = &clip, .rings = rings};
	brResult result = known != NULL ? br_success : brCreateClipMesh(context, mesh, &clip.own, report);
	if (result >= 0)
	{
		clip.known = known != NULL ? known : clip.own;
		clip.triangles = clip.known->triangles;
		result = clipBuild(&build, report);
	}
	const brAllocator* a = &clip.allocator;
	for (int32_t b = 0; build.blocks != NULL && b < build.blockCount; ++b)
	{
		BR_FREE_ARRAY(a, &build.blocks[b].cells);
		BR_FREE_ARRAY(a, &build.blocks[b].triangles);
		BR_FREE_ARRAY(a, &build.blocks[b].sizes);
		BR_FREE_ARRAY(a, &build.blocks[b].labels);
	}
	BR_FREE(a, build.blocks, build.blockCount);
	for (int32_t s = 0; build.scratch != NULL && s < build.scratchCount; ++s)
	{
		BR_FREE_ARRAY(a, &build.scratch[s].ring);
		BR_FREE_ARRAY(a, &build.scratch[s].next);
		BR_FREE_ARRAY(a, &build.scratch[s].sides);
		BR_FREE_ARRAY(a, &build.scratch[s].visited);
	}
	BR_FREE(a, build.scratch, build.scratchCount);
	brBuckets_Free(&build.pairs, a);
	if (result < 0)
	{
		brSurfaceClip_Free(&clip);
		return result;
	}
	*outClip = clip;
	return br_success;
}
