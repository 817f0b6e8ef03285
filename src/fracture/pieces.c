// SPDX-License-Identifier: MIT

#include "fracture/pieces.h"
#include "base/forest.h"

#include "base/assert.h"
#include "base/report.h"
#include "math/predicates.h"

#include <string.h>

// A part is a crumb if its volume is within rounding of none: 16 roundings of its coordinates over its area.
#define PART_CRUMB 16.0

#define PART_BLOCK 4 // cells

void brPieceParts_Free(brPieceParts* parts)
{
	const brAllocator* a = &parts->allocator;
	BR_FREE(a, parts->aliases, parts->pointCount);
	BR_FREE(a, parts->entryParts, parts->entryCount);
	BR_FREE_ARRAY(a, &parts->partCells);
	BR_FREE_ARRAY(a, &parts->partVolumes);
	BR_FREE_ARRAY(a, &parts->partAreas);
	BR_FREE_ARRAY(a, &parts->partOwners);
}

static const int32_t* partOutline(const brPieceParts* parts, int32_t entry, int32_t* outSize, bool* outIsTurned)
{
	int32_t polygons = parts->clip->polygonCells.count;
	int32_t cap = (entry - polygons) / 2;
	const int32_t* starts =
		entry < polygons ? parts->clip->polygonStarts.data + entry : parts->caps->faceStarts.data + cap;
	*outSize = starts[1] - starts[0];
	*outIsTurned = entry >= polygons && (entry - polygons) % 2 == 1;
	return (entry < polygons ? parts->clip->corners.data : parts->caps->corners.data) + starts[0];
}

int32_t brPieceParts_FaceSize(const brPieceParts* parts, int32_t entry)
{
	int32_t size;
	bool isTurned;
	partOutline(parts, entry, &size, &isTurned);
	return size;
}

int32_t brPieceParts_Face(const brPieceParts* parts, int32_t entry, int32_t* out)
{
	int32_t size;
	bool isTurned;
	const int32_t* outline = partOutline(parts, entry, &size, &isTurned);
	if (!parts->hasAliases)
	{
		for (int32_t n = 0; n < size; ++n)
		{
			out[n] = outline[isTurned ? size - 1 - n : n];
		}
		return size;
	}
	int32_t count = 0;
	for (int32_t n = 0; n < size; ++n)
	{
		int32_t point = parts->aliases[outline[n]];
		if (count >= 1 && out[count - 1] == point)
		{
			continue;
		}
		if (count >= 2 && out[count - 2] == point)
		{
			--count; // there and back
			continue;
		}
		out[count++] = point;
	}
	// The same across the seam.
	int32_t first = 0;
	while (count - first >= 2)
	{
		if (out[first] == out[count - 1])
		{
			--count;
		}
		else if (count - first >= 3 && out[first + 1] == out[count - 1])
		{
			++first;
			--count;
		}
		else if (count - first >= 3 && out[first] == out[count - 2])
		{
			count -= 2;
		}
		else
		{
			break;
		}
	}
	count -= first;
	memmove(out, out + first, (size_t)(count > 0 ? count : 0) * sizeof(int32_t));
	for (int32_t n = 0; isTurned && n < count / 2; ++n)
	{
		int32_t swap = out[n];
		out[n] = out[count - 1 - n];
		out[count - 1 - n] = swap;
	}
	return count;
}

// Cuts through vertices of the model leave edges of no length; their ends become one point. Vertices of the model are
// left apart even if they are at one place: that is the model's affair.
static bool partMakeAliases(brPieceParts* parts)
{
	const brSurfaceClip* clip = parts->clip;
	int32_t vertices = clip->mesh->vertexCount;
	parts->pointCount = vertices + clip->points.count + parts->caps->places.count;
	parts->aliases = BR_ALLOC(&parts->allocator, int32_t, parts->pointCount);
	if (parts->aliases == NULL)
	{
		return false;
	}
	brResetForest(parts->aliases, parts->pointCount);
	for (int32_t entry = 0; entry < parts->entryCount; ++entry)
	{
		if (entry < clip->polygonCells.count && clip->polygonTriangles.data[entry] < 0)
		{
			continue; // a whole face
		}
		int32_t size;
		bool isTurned;
		const int32_t* outline = partOutline(parts, entry, &size, &isTurned);
		for (int32_t n = 0; n < size && !isTurned; ++n)
		{
			int32_t a = outline[n], b = outline[n + 1 < size ? n + 1 : 0];
			if (a < vertices && b < vertices)
			{
				continue;
			}
			brDVec3 p = brPieceParts_Position(parts, a), q = brPieceParts_Position(parts, b);
			if (p.x == q.x && p.y == q.y && p.z == q.z)
			{
				int32_t ra = brFindRoot(parts->aliases, a), rb = brFindRoot(parts->aliases, b);
				if (ra >= vertices || rb >= vertices)
				{
					brJoinRoots(parts->aliases, ra, rb);
					parts->hasAliases = true;
				}
			}
		}
	}
	for (int32_t n = 0; n < parts->pointCount; ++n)
	{
		parts->aliases[n] = brFindRoot(parts->aliases, n);
	}
	return true;
}

// Of a worker.
typedef struct PartScratch
{
	int32_t* owners;  // [pointCount] a face of the cell at work that has the point
	int32_t* stamps;  // [pointCount] cell + 1
	int32_t* corners; // [largest face]
} PartScratch;

// Faces sorted by cell. Cells have nothing to do with each other, so workers share them.
typedef struct PartRows
{
	brPieceParts* parts;
	int32_t* starts;     // [siteCount + 1]
	int32_t* entries;    // [entryCount]
	int32_t* parents;    // [entryCount] of the union
	int32_t* partStarts; // [siteCount + 1]; before that how many parts a cell has
	int32_t* crumbs;     // [siteCount]
	PartScratch* scratch;
	int32_t scratchCount;
	int32_t largest;
	double magnitude; // of coordinates
} PartRows;

static int32_t partCell(const brPieceParts* parts, int32_t entry)
{
	int32_t polygons = parts->clip->polygonCells.count;
	return entry < polygons ? parts->clip->polygonCells.data[entry] : parts->caps->faceCells.data[entry - polygons];
}

// Volume about `origin` times six, and twice the area.
static void partMeasure(const brPieceParts* parts, const int32_t* corners, int32_t count, brDVec3 origin,
						double* outVolume, double* outArea)
{
	brDVec3 first = brDSub(brPieceParts_Position(parts, corners[0]), origin);
	brDVec3 area = {0.0, 0.0, 0.0};
	double volume = 0.0;
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		brDVec3 p = brDSub(brPieceParts_Position(parts, corners[n]), origin);
		brDVec3 q = brDSub(brPieceParts_Position(parts, corners[n + 1]), origin);
		brDVec3 cross = brDCross(brDSub(p, first), brDSub(q, first));
		area = brDAdd(area, cross);
		volume += brDDot(first, cross);
	}
	*outVolume = volume;
	*outArea = brDLength(area);
}

// Divides the faces of one cell into parts. Returns how many.
static int32_t partDivideCell(brPieceParts* parts, const PartRows* rows, PartScratch* scratch, int32_t cell)
{
	int32_t begin = rows->starts[cell], end = rows->starts[cell + 1];
	for (int32_t r = begin; r < end; ++r)
	{
		int32_t entry = rows->entries[r];
		int32_t count = brPieceParts_Face(parts, entry, scratch->corners);
		rows->parents[r] = r;
		parts->entryParts[entry] = count < 3 ? -1 : 0;
		for (int32_t n = 0; count >= 3 && n < count; ++n)
		{
			int32_t point = scratch->corners[n];
			if (scratch->stamps[point] == cell + 1)
			{
				brJoinRoots(rows->parents, r, scratch->owners[point]);
			}
			scratch->stamps[point] = cell + 1;
			scratch->owners[point] = r;
		}
	}
	int32_t partCount = 0;
	for (int32_t r = begin; r < end; ++r)
	{
		partCount += parts->entryParts[rows->entries[r]] >= 0 && rows->parents[r] == r;
	}
	return partCount;
}

// Numbers the parts of a cell by their first faces, and measures them.
static void partMeasureCell(brPieceParts* parts, const PartRows* rows, PartScratch* scratch, int32_t cell)
{
	brDVec3 origin = parts->clip->voronoi->sites[cell];
	int32_t next = rows->partStarts[cell];
	for (int32_t r = rows->starts[cell]; r < rows->starts[cell + 1]; ++r)
	{
		int32_t entry = rows->entries[r];
		if (parts->entryParts[entry] < 0)
		{
			continue;
		}
		int32_t root = brFindRoot(rows->parents, r);
		if (root == r)
		{
			parts->partCells.data[next] = cell;
			parts->partVolumes.data[next] = parts->partAreas.data[next] = 0.0;
			parts->partOwners.data[next] = next;
			parts->entryParts[entry] = next++;
		}
		int32_t part = parts->entryParts[rows->entries[root]];
		parts->entryParts[entry] = part;
		double volume, area;
		int32_t count = brPieceParts_Face(parts, entry, scratch->corners);
		partMeasure(parts, scratch->corners, count, origin, &volume, &area);
		parts->partVolumes.data[part] += volume / 6.0;
		parts->partAreas.data[part] += area / 2.0;
	}
}

// Solid angle of a part's faces seen from a point, over that of the sphere.
static double partWinding(const brPieceParts* parts, const PartRows* rows, PartScratch* scratch, int32_t part,
						  brDVec3 point)
{
	int32_t cell = parts->partCells.data[part];
	double sum = 0.0;
	for (int32_t r = rows->starts[cell]; r < rows->starts[cell + 1]; ++r)
	{
		if (parts->entryParts[rows->entries[r]] != part)
		{
			continue;
		}
		int32_t count = brPieceParts_Face(parts, rows->entries[r], scratch->corners);
		brDVec3 a = brDNormalize(brDSub(brPieceParts_Position(parts, scratch->corners[0]), point));
		for (int32_t n = 1; n + 1 < count; ++n)
		{
			brDVec3 b = brDNormalize(brDSub(brPieceParts_Position(parts, scratch->corners[n]), point));
			brDVec3 c = brDNormalize(brDSub(brPieceParts_Position(parts, scratch->corners[n + 1]), point));
			sum += brAtan2(brDDot(a, brDCross(b, c)), 1.0 + brDDot(a, b) + brDDot(b, c) + brDDot(c, a));
		}
	}
	return sum / (2.0 * BR_PI);
}

// Gives cavities of a cell to the smallest part around them, and marks crumbs.
static void partAssignCell(brPieceParts* parts, const PartRows* rows, PartScratch* scratch, int32_t cell)
{
	int32_t firstPart = rows->partStarts[cell], endPart = rows->partStarts[cell + 1];
	for (int32_t part = firstPart; part < endPart; ++part)
	{
		double volume = parts->partVolumes.data[part];
		if (fabs(volume) <= PART_CRUMB * BR_PREDICATE_U * rows->magnitude * parts->partAreas.data[part])
		{
			parts->partOwners.data[part] = -1;
			++rows->crumbs[cell];
			continue;
		}
		if (volume > 0.0)
		{
			continue;
		}
		int32_t corner = -1;
		for (int32_t r = rows->starts[cell]; r < rows->starts[cell + 1] && corner < 0; ++r)
		{
			if (parts->entryParts[rows->entries[r]] == part &&
				brPieceParts_Face(parts, rows->entries[r], scratch->corners) > 0)
			{
				corner = scratch->corners[0];
			}
		}
		double least = INFINITY;
		for (int32_t other = firstPart; other < endPart; ++other)
		{
			double otherVolume = parts->partVolumes.data[other];
			if (other != part && otherVolume > -volume && otherVolume < least &&
				partWinding(parts, rows, scratch, other, brPieceParts_Position(parts, corner)) > 0.5)
			{
				least = otherVolume;
				parts->partOwners.data[part] = other;
			}
		}
	}
}

static void partRunDivide(int32_t begin, int32_t end, int32_t worker, void* user)
{
	PartRows* rows = user;
	for (int32_t cell = begin; cell < end; ++cell)
	{
		rows->partStarts[cell] = partDivideCell(rows->parts, rows, &rows->scratch[worker], cell);
	}
}

static void partRunMeasure(int32_t begin, int32_t end, int32_t worker, void* user)
{
	PartRows* rows = user;
	for (int32_t cell = begin; cell < end; ++cell)
	{
		partMeasureCell(rows->parts, rows, &rows->scratch[worker], cell);
		partAssignCell(rows->parts, rows, &rows->scratch[worker], cell);
	}
}

// Faces by cell.
static void partSort(const brPieceParts* parts, PartRows* rows, int32_t cells)
{
	for (int32_t entry = 0; entry < parts->entryCount; ++entry)
	{
		++rows->starts[partCell(parts, entry) + 1];
	}
	for (int32_t cell = 0; cell < cells; ++cell)
	{
		rows->starts[cell + 1] += rows->starts[cell];
	}
	for (int32_t entry = 0; entry < parts->entryCount; ++entry)
	{
		rows->entries[rows->starts[partCell(parts, entry)]++] = entry;
	}
	memmove(rows->starts + 1, rows->starts, (size_t)cells * sizeof(int32_t));
	rows->starts[0] = 0;
}

static bool partAllocRows(brPieceParts* parts, PartRows* rows, int32_t cells)
{
	const brAllocator* a = &parts->allocator;
	rows->starts = BR_ALLOC_ZERO(a, int32_t, (int64_t)cells + 1);
	rows->entries = BR_ALLOC(a, int32_t, parts->entryCount);
	rows->parents = BR_ALLOC(a, int32_t, parts->entryCount);
	rows->partStarts = BR_ALLOC_ZERO(a, int32_t, (int64_t)cells + 1);
	rows->crumbs = BR_ALLOC_ZERO(a, int32_t, cells);
	rows->scratch = BR_ALLOC_ZERO(a, PartScratch, rows->scratchCount);
	parts->entryParts = BR_ALLOC(a, int32_t, parts->entryCount);
	bool isDone = rows->starts != NULL && rows->entries != NULL && rows->parents != NULL && rows->partStarts != NULL &&
				  rows->crumbs != NULL && rows->scratch != NULL && parts->entryParts != NULL;
	for (int32_t entry = 0; entry < parts->entryCount; ++entry)
	{
		int32_t size = brPieceParts_FaceSize(parts, entry);
		rows->largest = size > rows->largest ? size : rows->largest;
	}
	for (int32_t n = 0; isDone && n < rows->scratchCount; ++n)
	{
		rows->scratch[n].owners = BR_ALLOC(a, int32_t, parts->pointCount);
		rows->scratch[n].stamps = BR_ALLOC_ZERO(a, int32_t, parts->pointCount);
		rows->scratch[n].corners = BR_ALLOC(a, int32_t, rows->largest);
		isDone = rows->scratch[n].owners != NULL && rows->scratch[n].stamps != NULL && rows->scratch[n].corners != NULL;
	}
	return isDone;
}

static void partFreeRows(const brPieceParts* parts, PartRows* rows, int32_t cells)
{
	const brAllocator* a = &parts->allocator;
	for (int32_t n = 0; rows->scratch != NULL && n < rows->scratchCount; ++n)
	{
		BR_FREE(a, rows->scratch[n].owners, parts->pointCount);
		BR_FREE(a, rows->scratch[n].stamps, parts->pointCount);
		BR_FREE(a, rows->scratch[n].corners, rows->largest);
	}
	BR_FREE(a, rows->scratch, rows->scratchCount);
	BR_FREE(a, rows->starts, (int64_t)cells + 1);
	BR_FREE(a, rows->entries, parts->entryCount);
	BR_FREE(a, rows->parents, parts->entryCount);
	BR_FREE(a, rows->partStarts, (int64_t)cells + 1);
	BR_FREE(a, rows->crumbs, cells);
}

static bool partDivide(brPieceParts* parts, PartRows* rows, int32_t cells)
{
	const brAllocator* a = &parts->allocator;
	brWorkers* workers = parts->clip->context != NULL ? parts->clip->context->workers : NULL;
	brDBox3 box = brSiteLattice_Box(&parts->clip->voronoi->lattice);
	rows->magnitude = fmax(fmax(fabs(box.lower.x), fmax(fabs(box.lower.y), fabs(box.lower.z))),
						   fmax(fabs(box.upper.x), fmax(fabs(box.upper.y), fabs(box.upper.z))));
	rows->scratchCount = brWorkers_GetCount(workers);
	if (!partAllocRows(parts, rows, cells))
	{
		return false;
	}
	partSort(parts, rows, cells);
	brParallelFor(workers, cells, PART_BLOCK, partRunDivide, rows);
	for (int32_t cell = 0; cell < cells; ++cell)
	{
		int32_t count = rows->partStarts[cell];
		rows->partStarts[cell] = parts->partCount;
		parts->partCount += count;
	}
	rows->partStarts[cells] = parts->partCount;
	int32_t count = parts->partCount;
	if (!BR_RESERVE(a, &parts->partCells, count) || !BR_RESERVE(a, &parts->partVolumes, count) ||
		!BR_RESERVE(a, &parts->partAreas, count) || !BR_RESERVE(a, &parts->partOwners, count))
	{
		return false;
	}
	parts->partCells.count = parts->partVolumes.count = parts->partAreas.count = parts->partOwners.count = count;
	brParallelFor(workers, cells, PART_BLOCK, partRunMeasure, rows);
	for (int32_t cell = 0; cell < cells; ++cell)
	{
		parts->crumbCount += rows->crumbs[cell];
	}
	return true;
}

brResult brPieceParts_Make(const brSurfaceClip* clip, const brCaps* caps, brPieceParts* outParts, brReport* report)
{
	brPieceParts parts = {.allocator = clip->allocator, .clip = clip, .caps = caps};
	int64_t entries = (int64_t)clip->polygonCells.count + caps->faceCells.count;
	if (entries >= INT32_MAX)
	{
		return brFail(report, br_errorLimit, "the pieces have more than 2^31 faces");
	}
	parts.entryCount = (int32_t)entries;
	PartRows rows = {.parts = &parts};
	bool done = partMakeAliases(&parts) && partDivide(&parts, &rows, clip->voronoi->siteCount);
	partFreeRows(&parts, &rows, clip->voronoi->siteCount);
	if (!done)
	{
		brPieceParts_Free(&parts);
		return brFailMemory(report);
	}
	*outParts = parts;
	return br_success;
}
