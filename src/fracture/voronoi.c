// SPDX-License-Identifier: MIT

// All cells: bins of sites, cells on workers, then vertices by name.
//
// Bins are cubes of a few sites, cells are made in the order of bins, so that a block of cells reads the same
// neighborhood. Each block writes its cells to arrays of its own; these are put together in the order of sites.

#include "fracture/voronoi.h"

#include "base/assert.h"
#include "base/buckets.h"
#include "base/hash.h"
#include "base/report.h"
#include "base/slots.h"
#include "fracture/voronoi_cell.h"
#include "math/power.h"

#include <stdlib.h>
#include <string.h>

#define VORONOI_SITES_A_BIN 5
#define VORONOI_BLOCK 64
#define VORONOI_SPARE 8 // places behind the last that wide code may read

// Cells of one block, one after the other.
typedef struct VoronoiBlock
{
	BR_ARRAY(int32_t) facetSites;
	BR_ARRAY(int32_t) facetSizes;
	BR_ARRAY(int32_t) corners; // into names
	BR_ARRAY(int32_t) beyond;
	BR_ARRAY(int32_t) names; // four of each corner of a cell
	bool isFull;             // no memory
} VoronoiBlock;

typedef struct VoronoiScratch
{
	brVoronoiCell cell;
	brCellCandidates candidates; // of one shell
} VoronoiScratch;

typedef struct VoronoiBuild
{
	const brContext* context;
	brAllocator allocator;
	brVoronoi* voronoi;
	bool onlyVolumes;
	int32_t binCounts[3];
	int32_t binWidth; // [steps]
	int32_t binTotal;
	int32_t* binStarts; // [binTotal + 1] into order
	int32_t* bins;      // [siteCount] of each site
	int32_t* order;     // [siteCount] sites by bin
	int32_t* places[3]; // [siteCount + VORONOI_SPARE] x, y, z in that order
	int32_t blockCount;
	VoronoiBlock* blocks;
	int32_t scratchCount;
	VoronoiScratch* scratch;
	int32_t* facetCounts;  // [siteCount]
	int32_t* cornerCounts; // [siteCount]
} VoronoiBuild;

void brDestroyVoronoi(brVoronoi* voronoi)
{
	if (voronoi == NULL)
	{
		return;
	}
	brAllocator allocator = voronoi->allocator;
	BR_FREE(&allocator, voronoi->places, voronoi->siteCount);
	BR_FREE(&allocator, voronoi->sites, voronoi->siteCount);
	BR_FREE(&allocator, voronoi->volumes, voronoi->siteCount);
	BR_FREE(&allocator, voronoi->cellStarts, (int64_t)voronoi->siteCount + 1);
	BR_FREE(&allocator, voronoi->facetSites, voronoi->facetCount);
	BR_FREE(&allocator, voronoi->facetStarts, (int64_t)voronoi->facetCount + 1);
	BR_FREE(&allocator, voronoi->corners, voronoi->cornerCount);
	BR_FREE(&allocator, voronoi->beyond, voronoi->cornerCount);
	BR_FREE(&allocator, voronoi->vertices, voronoi->vertexCount);
	BR_FREE(&allocator, voronoi->names, voronoi->vertexCount);
	BR_FREE(&allocator, voronoi, 1);
}

static void voronoiFreeBuild(VoronoiBuild* build)
{
	const brAllocator* a = &build->allocator;
	int32_t n = build->voronoi != NULL ? build->voronoi->siteCount : 0;
	BR_FREE(a, build->binStarts, (int64_t)build->binTotal + 1);
	BR_FREE(a, build->order, n);
	BR_FREE(a, build->bins, n);
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		BR_FREE(a, build->places[axis], (int64_t)n + VORONOI_SPARE);
	}
	BR_FREE(a, build->facetCounts, n);
	BR_FREE(a, build->cornerCounts, n);
	for (int32_t i = 0; build->blocks != NULL && i < build->blockCount; ++i)
	{
		BR_FREE_ARRAY(a, &build->blocks[i].facetSites);
		BR_FREE_ARRAY(a, &build->blocks[i].facetSizes);
		BR_FREE_ARRAY(a, &build->blocks[i].corners);
		BR_FREE_ARRAY(a, &build->blocks[i].beyond);
		BR_FREE_ARRAY(a, &build->blocks[i].names);
	}
	BR_FREE(a, build->blocks, build->blockCount);
	for (int32_t i = 0; build->scratch != NULL && i < build->scratchCount; ++i)
	{
		brVoronoiCell_Free(&build->scratch[i].cell);
		brCellCandidates_Free(&build->scratch[i].candidates, a);
	}
	BR_FREE(a, build->scratch, build->scratchCount);
}

static int32_t voronoiBin(const VoronoiBuild* build, const int32_t place[3])
{
	int32_t x = place[0] / build->binWidth, y = place[1] / build->binWidth, z = place[2] / build->binWidth;
	return (z * build->binCounts[1] + y) * build->binCounts[0] + x;
}

// Sorts the sites into bins by counting.
static bool voronoiMakeBins(VoronoiBuild* build)
{
	const brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	int32_t n = voronoi->siteCount;
	const int32_t* size = voronoi->lattice.size;
	double volume = (double)size[0] * size[1] * size[2];
	double width = brPower(volume * VORONOI_SITES_A_BIN / (n > 0 ? n : 1), 1.0 / 3.0);
	width = fmax(ceil(width), (double)BR_LATTICE_STEPS / 512.0); // at most 513 bins an axis
	build->binWidth = (int32_t)fmin(width, BR_LATTICE_STEPS);
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		build->binCounts[axis] = size[axis] / build->binWidth + 1;
	}
	build->binTotal = build->binCounts[0] * build->binCounts[1] * build->binCounts[2];
	build->binStarts = BR_ALLOC_ZERO(a, int32_t, (int64_t)build->binTotal + 1);
	build->order = BR_ALLOC(a, int32_t, n);
	build->bins = BR_ALLOC(a, int32_t, n);
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		build->places[axis] = BR_ALLOC_ZERO(a, int32_t, (int64_t)n + VORONOI_SPARE);
	}
	if (build->binStarts == NULL || build->order == NULL || build->bins == NULL || build->places[0] == NULL ||
		build->places[1] == NULL || build->places[2] == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < n; ++i)
	{
		build->bins[i] = voronoiBin(build, voronoi->places[i]);
	}
	brFillBuckets(build->bins, n, build->binTotal, build->binStarts, build->order);
	for (int32_t slot = 0; slot < n; ++slot)
	{
		for (int32_t axis = 0; axis < 3; ++axis)
		{
			build->places[axis][slot] = voronoi->places[build->order[slot]][axis];
		}
	}
	return true;
}

// Steps from the site to a bin along an axis; 0 inside.
static inline double voronoiAxisDistance(int32_t binWidth, int32_t place, int32_t bin)
{
	double lower = (double)bin * binWidth;
	double upper = lower + binWidth;
	return place < lower ? lower - place : place > upper ? place - upper : 0.0;
}

// A cell at work.
typedef struct VoronoiHome
{
	int32_t place[3];
	int32_t bin[3];
	double reachSq;
} VoronoiHome;

// Sites of bins x to y of a row, all in one run, that may still cut.
static bool voronoiGather(const VoronoiBuild* build, VoronoiScratch* scratch, const VoronoiHome* home, int32_t row,
						  int32_t firstX, int32_t lastX)
{
	firstX = firstX < 0 ? 0 : firstX;
	lastX = lastX < build->binCounts[0] ? lastX : build->binCounts[0] - 1;
	if (firstX > lastX)
	{
		return true;
	}
	int32_t begin = build->binStarts[row + firstX], end = build->binStarts[row + lastX + 1];
	if (begin == end)
	{
		return true;
	}
	if (!brCellCandidates_Reserve(&scratch->candidates, &build->allocator, end - begin))
	{
		return false;
	}
	brCellSites sites = {build->places[0], build->places[1], build->places[2]};
	scratch->cell.kernels->gather(&scratch->candidates, &sites, begin, end, home->place, home->reachSq);
	return true;
}

// Sites of the bins at distance `from` to `to` from home, counted in bins along the axis that is farthest.
static bool voronoiGatherShell(const VoronoiBuild* build, VoronoiScratch* scratch, const VoronoiHome* home,
							   int32_t from, int32_t to)
{
	int32_t width = build->binWidth;
	const int32_t *counts = build->binCounts, *bin = home->bin;
	for (int32_t z = bin[2] - to < 0 ? 0 : bin[2] - to; z <= bin[2] + to && z < counts[2]; ++z)
	{
		double dz = voronoiAxisDistance(width, home->place[2], z);
		for (int32_t y = bin[1] - to < 0 ? 0 : bin[1] - to; y <= bin[1] + to && y < counts[1]; ++y)
		{
			double dy = voronoiAxisDistance(width, home->place[1], y);
			if (dy * dy + dz * dz > home->reachSq)
			{
				continue;
			}
			int32_t row = (z * counts[1] + y) * counts[0];
			bool isWhole = abs(z - bin[2]) >= from || abs(y - bin[1]) >= from;
			bool done = isWhole ? voronoiGather(build, scratch, home, row, bin[0] - to, bin[0] + to)
								: voronoiGather(build, scratch, home, row, bin[0] - to, bin[0] - from) &&
									  voronoiGather(build, scratch, home, row, bin[0] + from, bin[0] + to);
			if (!done)
			{
				return false;
			}
		}
	}
	return true;
}

// Cuts the cell of the site at `self` in the order of bins.
static bool voronoiMakeCell(const VoronoiBuild* build, VoronoiScratch* scratch, int32_t self)
{
	brVoronoiCell* cell = &scratch->cell;
	VoronoiHome home = {.place = {build->places[0][self], build->places[1][self], build->places[2][self]}};
	if (!brVoronoiCell_Start(cell, build->order[self], home.place, build->voronoi->lattice.size))
	{
		return false;
	}
	int32_t widest = 0;
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		home.bin[axis] = home.place[axis] / build->binWidth;
		int32_t toEnd = build->binCounts[axis] - 1 - home.bin[axis];
		widest = home.bin[axis] > widest ? home.bin[axis] : widest;
		widest = toEnd > widest ? toEnd : widest;
	}
	// The cube of bins about home first, then shell by shell.
	for (int32_t from = 0, to = 1; from <= widest; from = ++to)
	{
		// Nothing in this shell is nearer than the walls of the cube of bins inside it.
		double nearest = INFINITY;
		for (int32_t axis = 0; axis < 3; ++axis)
		{
			double below = home.place[axis] - (double)(home.bin[axis] - from + 1) * build->binWidth;
			double above = (double)(home.bin[axis] + from) * build->binWidth - home.place[axis];
			nearest = fmin(nearest, fmin(below, above));
		}
		if (from > 0 && nearest * nearest > cell->reachSq)
		{
			break;
		}
		scratch->candidates.count = 0;
		home.reachSq = cell->reachSq;
		if (!voronoiGatherShell(build, scratch, &home, from, to))
		{
			return false;
		}
		brCellCandidates_Sort(&scratch->candidates);
		if (!brVoronoiCell_Cut(cell, &scratch->candidates, build->order))
		{
			return false;
		}
	}
	return true;
}

// The facet of a plane, walked round from some corner of it: edges, as brVoronoiCell has them, from that to the plane
// with the lowest name on. Returns how many there are.
static int32_t voronoiWalkFacet(const brVoronoiCell* cell, int32_t start, int32_t* outEdges)
{
	int32_t size = 0, first = 0, lowest = INT32_MAX, edge = start;
	do
	{
		// The edge before the facet's own plane leads on, and at its other end comes before that plane again.
		edge = (edge & 3) == 0 ? edge + 2 : edge - 1;
		int32_t name = cell->names.data[cell->corners[edge]];
		first = name < lowest ? size : first;
		lowest = name < lowest ? name : lowest;
		outEdges[size++] = edge;
		edge = cell->twins[edge];
	} while (edge != start);
	for (int32_t n = 0; n < first; ++n)
	{
		outEdges[size + n] = outEdges[n];
	}
	memmove(outEdges, outEdges + first, (size_t)size * sizeof(int32_t));
	return size;
}

// Appends the finished cell to its block. Facets rise by the names beyond them, and each begins with the edge to the
// lowest one, so that it does not matter in which order the cell was cut.
static bool voronoiStoreCell(const VoronoiBuild* build, VoronoiBlock* block, brVoronoiCell* cell)
{
	const brAllocator* a = &build->allocator;
	int32_t count = cell->count, planes = cell->names.count;
	int32_t firstName = block->names.count / 4;
	if (!BR_RESERVE(a, &block->names, 4 * (int64_t)count) || !BR_RESERVE(a, &block->corners, 3 * (int64_t)count) ||
		!BR_RESERVE(a, &block->beyond, 3 * (int64_t)count) ||
		!BR_RESERVE(a, &cell->starts, 2 * ((int64_t)planes + count)))
	{
		return false;
	}
	int32_t *starts = cell->starts.data, *order = starts + planes, *edges = order + planes;
	for (int32_t p = 0; p < planes; ++p)
	{
		starts[p] = -1;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t* name = block->names.data + block->names.count;
		block->names.count += 4;
		name[0] = cell->site;
		for (int32_t e = 0; e < 3; ++e)
		{
			int32_t plane = cell->corners[4 * i + e];
			starts[plane] = 4 * i + e;
			name[e + 1] = cell->names.data[plane];
		}
		brVoronoi_SortName(name);
	}
	int32_t facets = 0;
	for (int32_t p = 0; p < planes; ++p)
	{
		if (starts[p] < 0)
		{
			continue; // cut away
		}
		int32_t n = facets++;
		for (; n > 0 && cell->names.data[order[n - 1]] > cell->names.data[p]; --n)
		{
			order[n] = order[n - 1];
		}
		order[n] = p;
	}
	for (int32_t f = 0; f < facets; ++f)
	{
		int32_t size = voronoiWalkFacet(cell, starts[order[f]], edges);
		for (int32_t n = 0; n < size; ++n)
		{
			block->corners.data[block->corners.count++] = firstName + (edges[n] >> 2);
			block->beyond.data[block->beyond.count++] = cell->names.data[cell->corners[edges[n]]];
		}
		if (!BR_PUSH(a, &block->facetSites, cell->names.data[order[f]]) || !BR_PUSH(a, &block->facetSizes, size))
		{
			return false;
		}
	}
	build->facetCounts[cell->site] = facets;
	build->cornerCounts[cell->site] = 3 * count;
	return true;
}

static void voronoiRunCells(int32_t begin, int32_t end, int32_t worker, void* user)
{
	VoronoiBuild* build = user;
	VoronoiScratch* scratch = &build->scratch[worker];
	VoronoiBlock* block = &build->blocks[begin / VORONOI_BLOCK];
	double step = build->voronoi->lattice.step;
	for (int32_t self = begin; self < end && !block->isFull; ++self)
	{
		if (!voronoiMakeCell(build, scratch, self) ||
			(!build->onlyVolumes && !voronoiStoreCell(build, block, &scratch->cell)))
		{
			block->isFull = true;
			return;
		}
		build->voronoi->volumes[build->order[self]] = brVoronoiCell_Volume(&scratch->cell) * (step * step * step);
	}
}

// Cells in the order of sites; corners still name what meets there by four numbers in `cornerNames`.
static bool voronoiCollect(VoronoiBuild* build, int32_t (*cornerNames)[4])
{
	brVoronoi* voronoi = build->voronoi;
	int32_t n = voronoi->siteCount;
	// Counts are known to fit: the caller summed them.
	int32_t* cornerStarts = build->cornerCounts;
	int32_t corners = 0;
	voronoi->cellStarts[0] = 0;
	for (int32_t i = 0; i < n; ++i)
	{
		voronoi->cellStarts[i + 1] = voronoi->cellStarts[i] + build->facetCounts[i];
		int32_t count = cornerStarts[i];
		cornerStarts[i] = corners;
		corners += count;
	}
	for (int32_t b = 0; b < build->blockCount; ++b)
	{
		const VoronoiBlock* block = &build->blocks[b];
		int32_t facet = 0, corner = 0;
		int32_t end = (b + 1) * VORONOI_BLOCK < n ? (b + 1) * VORONOI_BLOCK : n;
		for (int32_t self = b * VORONOI_BLOCK; self < end; ++self)
		{
			int32_t site = build->order[self];
			int32_t to = cornerStarts[site];
			for (int32_t f = voronoi->cellStarts[site]; f < voronoi->cellStarts[site + 1]; ++f, ++facet)
			{
				voronoi->facetSites[f] = block->facetSites.data[facet];
				voronoi->facetStarts[f] = to;
				for (int32_t c = 0; c < block->facetSizes.data[facet]; ++c, ++corner, ++to)
				{
					memcpy(cornerNames[to], block->names.data + 4 * (int64_t)block->corners.data[corner],
						   sizeof(int32_t[4]));
					voronoi->beyond[to] = block->beyond.data[corner];
				}
			}
		}
	}
	voronoi->facetStarts[voronoi->facetCount] = voronoi->cornerCount;
	return true;
}

// One vertex per name, numbered as they first appear.
static bool voronoiLink(VoronoiBuild* build, int32_t (*cornerNames)[4])
{
	brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	brSlots slots;
	if (!brSlots_Init(&slots, a,
					  (voronoi->cornerCount + 1) /
						  2)) // a vertex has at least three corners; four cells mostly share it
	{
		return false;
	}
	int32_t* table = slots.values;
	int32_t count = 0;
	for (int32_t c = 0; c < voronoi->cornerCount; ++c)
	{
		const int32_t* name = cornerNames[c];
		uint64_t low = (uint64_t)(uint32_t)name[0] << 32 | (uint32_t)name[1];
		uint64_t high = (uint64_t)(uint32_t)name[2] << 32 | (uint32_t)name[3];
		int64_t slot = brSlots_First(&slots, brHash64(low ^ brHash64(high)));
		while (table[slot] >= 0 && memcmp(cornerNames[table[slot]], name, sizeof(int32_t[4])) != 0)
		{
			slot = brSlots_Next(&slots, slot);
		}
		if (table[slot] < 0)
		{
			// Names move up to the front of their own array: the place of a new vertex is never beyond c.
			table[slot] = count;
			memmove(cornerNames[count], name, sizeof(int32_t[4]));
			voronoi->corners[c] = count++;
		}
		else
		{
			voronoi->corners[c] = table[slot];
		}
	}
	brSlots_Free(&slots, a);
	voronoi->vertices = BR_ALLOC(a, brDVec3, count);
	voronoi->names = brAllocArray(a, count, sizeof(int32_t[4]));
	voronoi->vertexCount = count;
	if (voronoi->vertices == NULL || voronoi->names == NULL)
	{
		return false;
	}
	memcpy(voronoi->names, cornerNames, (size_t)count * sizeof(int32_t[4]));
	return true;
}

// The plane of a name as the base site sees it.
static brCellPlane voronoiPlane(const brVoronoi* voronoi, int32_t base, int32_t name)
{
	const int32_t* from = voronoi->places[base];
	if (name < 0)
	{
		int32_t side = -1 - name, axis = side / 2;
		double sign = side % 2 == 0 ? -1.0 : 1.0;
		double d = 2.0 * (side % 2 == 0 ? from[axis] : voronoi->lattice.size[axis] - from[axis]);
		return (brCellPlane){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0, d};
	}
	const int32_t* to = voronoi->places[name];
	brCellPlane plane = {to[0] - from[0], to[1] - from[1], to[2] - from[2], 0.0};
	plane.d = plane.x * plane.x + plane.y * plane.y + plane.z * plane.z;
	return plane;
}

// Places vertices from their names alone, seen from the lowest site, so that it does not matter which cell asks.
static void voronoiRunVertices(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brVoronoi* voronoi = user;
	double half = 0.5 * voronoi->lattice.step;
	brDBox3 box = brSiteLattice_Box(&voronoi->lattice);
	for (int32_t v = begin; v < end; ++v)
	{
		const int32_t* name = voronoi->names[v];
		int32_t sides = (name[0] < 0) + (name[1] < 0) + (name[2] < 0);
		int32_t base = name[sides];
		brCellPlane planes[3];
		int32_t count = 0;
		for (int32_t i = 0; i < 4; ++i)
		{
			if (i != sides)
			{
				planes[count++] = voronoiPlane(voronoi, base, name[i]);
			}
		}
		brInt128 exact[3], denominator;
		brCellCorner_Exact(&planes[0], &planes[1], &planes[2], exact, &denominator);
		double d = brInt128_ToDouble(denominator);
		brDVec3 site = voronoi->sites[base];
		double point[3] = {site.x + half * (brInt128_ToDouble(exact[0]) / d),
						   site.y + half * (brInt128_ToDouble(exact[1]) / d),
						   site.z + half * (brInt128_ToDouble(exact[2]) / d)};
		const double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
		const double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
		for (int32_t i = 0; i < sides; ++i)
		{
			int32_t side = -1 - name[i];
			point[side / 2] = side % 2 == 0 ? lower[side / 2] : upper[side / 2];
		}
		voronoi->vertices[v] = brMakeDVec3(point[0], point[1], point[2]);
	}
}

static brResult voronoiFinish(VoronoiBuild* build, brReport* report)
{
	brVoronoi* voronoi = build->voronoi;
	const brAllocator* a = &build->allocator;
	int64_t facets = 0, corners = 0;
	for (int32_t i = 0; i < voronoi->siteCount; ++i)
	{
		facets += build->facetCounts[i];
		corners += build->cornerCounts[i];
	}
	if (corners >= INT32_MAX)
	{
		return brFail(report, br_errorLimit, "%d sites make more than 2^31 corners of cells", voronoi->siteCount);
	}
	voronoi->facetCount = (int32_t)facets;
	voronoi->cornerCount = (int32_t)corners;
	voronoi->cellStarts = BR_ALLOC(a, int32_t, (int64_t)voronoi->siteCount + 1);
	voronoi->facetSites = BR_ALLOC(a, int32_t, facets);
	voronoi->facetStarts = BR_ALLOC(a, int32_t, facets + 1);
	voronoi->corners = BR_ALLOC(a, int32_t, corners);
	voronoi->beyond = BR_ALLOC(a, int32_t, corners);
	int32_t(*cornerNames)[4] = brAllocArray(a, corners, sizeof(int32_t[4]));
	brResult result = br_success;
	if (voronoi->cellStarts == NULL || voronoi->facetSites == NULL || voronoi->facetStarts == NULL ||
		voronoi->corners == NULL || voronoi->beyond == NULL || cornerNames == NULL ||
		!voronoiCollect(build, cornerNames) || !voronoiLink(build, cornerNames))
	{
		result = brFailMemory(report);
	}
	else
	{
		brWorkers* workers = build->context != NULL ? build->context->workers : NULL;
		brParallelFor(workers, voronoi->vertexCount, 1024, voronoiRunVertices, voronoi);
	}
	brFreeArray(a, cornerNames, corners, sizeof(int32_t[4]));
	return result;
}

// Memory of the build that does not depend on the cells.
static bool voronoiPrepare(VoronoiBuild* build, const brVoronoiDef* def)
{
	const brAllocator* a = &build->allocator;
	brVoronoi* voronoi = build->voronoi;
	int32_t n = def->siteCount;
	brWorkers* workers = build->context != NULL ? build->context->workers : NULL;
	voronoi->places = brAllocArray(a, n, sizeof(int32_t[3]));
	voronoi->sites = BR_ALLOC(a, brDVec3, n);
	voronoi->volumes = BR_ALLOC(a, double, n);
	build->facetCounts = BR_ALLOC_ZERO(a, int32_t, n);
	build->cornerCounts = BR_ALLOC_ZERO(a, int32_t, n);
	build->blockCount = n / VORONOI_BLOCK + (n % VORONOI_BLOCK != 0);
	build->blocks = BR_ALLOC_ZERO(a, VoronoiBlock, build->blockCount);
	build->scratchCount = brWorkers_GetCount(workers);
	build->scratch = BR_ALLOC_ZERO(a, VoronoiScratch, build->scratchCount);
	if (voronoi->places == NULL || voronoi->sites == NULL || voronoi->volumes == NULL || build->facetCounts == NULL ||
		build->cornerCounts == NULL || build->blocks == NULL || build->scratch == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < build->scratchCount; ++i)
	{
		brVoronoiCell_Init(&build->scratch[i].cell, a, brCpu_Best());
	}
	for (int32_t i = 0; i < n; ++i)
	{
		brSiteLattice_Snap(&voronoi->lattice, def->sites[i], voronoi->places[i]);
		voronoi->sites[i] = brSiteLattice_Point(&voronoi->lattice, voronoi->places[i]);
	}
	return voronoiMakeBins(build);
}

brResult brCreateVoronoi(const brContext* context, const brVoronoiDef* def, brVoronoi** outVoronoi, brReport* report)
{
	VoronoiBuild build = {
		.context = context, .allocator = brContext_Allocator(context), .onlyVolumes = def->onlyVolumes};
	brSiteLattice lattice;
	if (!brMakeSiteLattice(def->box, &lattice))
	{
		return brFail(report, br_errorGeometry, "the box of the sites is empty, not finite or too far from the origin");
	}
	build.voronoi = BR_ALLOC_ZERO(&build.allocator, brVoronoi, 1);
	if (build.voronoi == NULL)
	{
		return brFailMemory(report);
	}
	build.voronoi->allocator = build.allocator;
	build.voronoi->lattice = lattice;
	build.voronoi->siteCount = def->siteCount;

	brResult result = br_success;
	if (!voronoiPrepare(&build, def))
	{
		result = brFailMemory(report);
	}
	else
	{
		brWorkers* workers = context != NULL ? context->workers : NULL;
		brParallelFor(workers, def->siteCount, VORONOI_BLOCK, voronoiRunCells, &build);
		for (int32_t i = 0; i < build.blockCount && result >= 0; ++i)
		{
			result = build.blocks[i].isFull ? brFailMemory(report) : result;
		}
		if (result >= 0 && brIsCanceled(context, 0.5))
		{
			result = brFail(report, br_errorCanceled, "canceled");
		}
		if (result >= 0 && !def->onlyVolumes)
		{
			result = voronoiFinish(&build, report);
		}
	}
	voronoiFreeBuild(&build);
	if (result < 0)
	{
		brDestroyVoronoi(build.voronoi);
		return result;
	}
	*outVoronoi = build.voronoi;
	return brSucceed(report);
}
