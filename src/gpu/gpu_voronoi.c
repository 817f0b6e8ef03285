// SPDX-License-Identifier: MIT

#include "gpu/gpu_voronoi.h"

#ifdef BR_HAVE_OPENCL

#include "base/report.h"
#include "math/power.h"

#include <string.h>

enum
{
	cellsGroup = 32, // CELL_GROUP of voronoi.cl; 1 on a processor
	cellsPlain = 128,
	cellsSitesABin = 5,
	cellsCornersEach = 32, // room at first; evenly spread sites have 27
	cellsCounters = 4,
};

void brGpuVoronoi_Init(brGpuVoronoi* voronoi, brGpu* gpu)
{
	memset(voronoi, 0, sizeof(*voronoi));
	voronoi->gpu = gpu;
}

void brGpuVoronoi_Free(brGpuVoronoi* voronoi)
{
	BR_GPU_FREE(voronoi->gpu, &voronoi->sites, &voronoi->bodies, &voronoi->troubles, &voronoi->count, &voronoi->places,
				&voronoi->sorted, &voronoi->items[0], &voronoi->items[1], &voronoi->binStarts, &voronoi->infos,
				&voronoi->volumes, &voronoi->cornerNames, &voronoi->vertices, &voronoi->owners, &voronoi->loops,
				&voronoi->facetSites, &voronoi->facetStarts, &voronoi->counters);
	brGpuSorter_Free(voronoi->gpu, &voronoi->sorter);
}

// CellBody of voronoi.cl.
typedef struct CellBody
{
	double lattice[4];
	int32_t bins[3], width;
	int32_t size[3], firstBin;
	int32_t firstSite, siteCount;
	int32_t firstTriangle, triangleCount, firstBlock;
	int32_t padding[3];
} CellBody;

_Static_assert(sizeof(CellBody) == 96, "as in voronoi.cl");

// Bins of five sites each. False: the box has no lattice.
static bool cellsMakeBody(const brGpuCellBody* from, brSiteLattice* lattice, CellBody* out)
{
	if (!brMakeSiteLattice(from->cells.box, lattice))
	{
		return false;
	}
	double volume = (double)lattice->size[0] * lattice->size[1] * lattice->size[2];
	double width = fmax(ceil(brPower(volume * cellsSitesABin / from->cells.siteCount, 1.0 / 3.0)),
						(double)BR_LATTICE_STEPS / 512.0);
	*out = (CellBody){.lattice = {lattice->origin.x, lattice->origin.y, lattice->origin.z, lattice->step},
					  .width = (int32_t)fmin(width, BR_LATTICE_STEPS),
					  .siteCount = from->cells.siteCount,
					  .firstTriangle = from->firstTriangle,
					  .triangleCount = from->triangleCount,
					  .firstBlock = from->firstBlock};
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		out->bins[axis] = lattice->size[axis] / out->width + 1;
		out->size[axis] = lattice->size[axis];
	}
	return true;
}

// One behind the other: what they are, and their sites. False: one has no lattice, or they are too many.
static bool cellsMakeBodies(brGpuVoronoi* voronoi, const brGpuCellBody* from, int32_t count, CellBody* out,
							brDVec3* outSites)
{
	int64_t sites = 0, bins = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		brSiteLattice lattice;
		if (!cellsMakeBody(&from[i], &lattice, &out[i]))
		{
			return false;
		}
		voronoi->lattice = i == 0 ? lattice : voronoi->lattice;
		out[i].firstSite = (int32_t)sites, out[i].firstBin = (int32_t)bins;
		memcpy(outSites + sites, from[i].cells.sites, (size_t)out[i].siteCount * sizeof(brDVec3));
		sites += out[i].siteCount;
		bins += (int64_t)out[i].bins[0] * out[i].bins[1] * out[i].bins[2];
		if (bins > INT32_MAX / 2)
		{
			return false;
		}
	}
	voronoi->binCount = (int32_t)bins;
	return true;
}

static void cellsWrite(brGpuVoronoi* voronoi, const CellBody* bodies, const brDVec3* sites)
{
	brGpu* gpu = voronoi->gpu;
	int32_t n = voronoi->siteCount;
	uint32_t count = (uint32_t)n;
	brGpu_Ensure(gpu, &voronoi->sites, n, sizeof(brDVec3));
	brGpu_Ensure(gpu, &voronoi->bodies, voronoi->bodyCount, sizeof(CellBody));
	brGpu_Ensure(gpu, &voronoi->troubles, voronoi->bodyCount, sizeof(uint32_t));
	brGpu_Ensure(gpu, &voronoi->count, 1, sizeof(uint32_t));
	brGpu_Ensure(gpu, &voronoi->places, n, sizeof(cl_int4));
	brGpu_Ensure(gpu, &voronoi->sorted, n, sizeof(cl_int4));
	brGpu_Ensure(gpu, &voronoi->items[0], n, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &voronoi->items[1], n, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &voronoi->binStarts, (int64_t)voronoi->binCount + 1, sizeof(uint32_t));
	brGpu_Ensure(gpu, &voronoi->infos, n, sizeof(cl_uint4));
	brGpu_Ensure(gpu, &voronoi->volumes, n, sizeof(double));
	brGpu_Ensure(gpu, &voronoi->counters, cellsCounters, sizeof(uint32_t));
	brGpu_Write(gpu, &voronoi->sites, 0, sites, (size_t)n * sizeof(brDVec3));
	brGpu_Write(gpu, &voronoi->bodies, 0, bodies, (size_t)voronoi->bodyCount * sizeof(CellBody));
	brGpu_Write(gpu, &voronoi->count, 0, &count, sizeof(count));
	int64_t capacity = (int64_t)cellsCornersEach * n + 256;
	voronoi->capacity = capacity > voronoi->capacity ? capacity : voronoi->capacity;
}

brResult brGpuVoronoi_SetBodies(brGpuVoronoi* voronoi, const brGpuCellBody* bodies, int32_t count, brReport* report)
{
	brGpu* gpu = voronoi->gpu;
	brResult result = brGpu_Prepare(gpu, report);
	if (result < 0)
	{
		return result;
	}
	if (!gpu->info.hasDouble)
	{
		return brFail(report, br_errorUnavailable, "%s has no doubles, which cells need", gpu->info.name);
	}
	int64_t n = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		n += bodies[i].cells.siteCount;
	}
	CellBody* made = n <= INT32_MAX / 32 ? BR_ALLOC(&gpu->allocator, CellBody, count) : NULL;
	brDVec3* sites = made != NULL ? BR_ALLOC(&gpu->allocator, brDVec3, n) : NULL;
	if (sites == NULL)
	{
		result = brFailMemory(report);
	}
	else if (!cellsMakeBodies(voronoi, bodies, count, made, sites))
	{
		result =
			brFail(report, br_errorGeometry, "the box of the sites is empty, not finite or too far from the origin");
	}
	else
	{
		voronoi->siteCount = (int32_t)n, voronoi->bodyCount = count;
		cellsWrite(voronoi, made, sites);
	}
	BR_FREE(&gpu->allocator, sites, n);
	BR_FREE(&gpu->allocator, made, count);
	return result;
}

static int64_t cellsGroups(const brGpu* gpu, int64_t count)
{
	int64_t groups = (count + cellsPlain - 1) / cellsPlain, most = 16 * (int64_t)gpu->info.computeUnits;
	return groups < most ? groups : most; // the kernels walk on from there
}

void brGpuVoronoi_Enqueue(brGpuVoronoi* voronoi, bool isLinked)
{
	brGpu* gpu = voronoi->gpu;
	int32_t n = voronoi->siteCount;
	brGpu_Ensure(gpu, &voronoi->cornerNames, voronoi->capacity, sizeof(cl_int4));
	brGpu_Ensure(gpu, &voronoi->vertices, voronoi->capacity, sizeof(brDVec3));
	brGpu_Ensure(gpu, &voronoi->facetSites, voronoi->capacity, sizeof(int32_t));
	brGpu_Ensure(gpu, &voronoi->facetStarts, voronoi->capacity, sizeof(uint32_t));
	brGpu_Ensure(gpu, &voronoi->loops, 3 * voronoi->capacity, sizeof(cl_int2));
	brGpu_Ensure(gpu, &voronoi->owners, isLinked ? voronoi->capacity : 1, sizeof(uint32_t));
	brGpu_Clear(gpu, &voronoi->counters, cellsCounters);
	brGpu_Clear(gpu, &voronoi->troubles, voronoi->bodyCount);
	BR_GPU_RUN(gpu, kernel_brk_voronoiSnap, cellsGroups(gpu, n), cellsPlain, brBufferArg(&voronoi->sites),
			   brUintArg((uint32_t)n), brBufferArg(&voronoi->bodies), brUintArg((uint32_t)voronoi->bodyCount),
			   brBufferArg(&voronoi->places), brBufferArg(&voronoi->items[0]));
	uint32_t bits = 1;
	while ((1 << bits) < voronoi->binCount)
	{
		bits += 1;
	}
	int32_t sorted =
		brGpu_Sort(gpu, &voronoi->sorter, voronoi->items, 0, &voronoi->count, 0, n, (brGpuKeyBits){32, 32 + bits});
	BR_GPU_RUN(gpu, kernel_brk_voronoiBins, cellsGroups(gpu, n), cellsPlain, brBufferArg(&voronoi->items[sorted]),
			   brUintArg((uint32_t)n), brBufferArg(&voronoi->places), brBufferArg(&voronoi->sorted),
			   brBufferArg(&voronoi->binStarts), brUintArg((uint32_t)voronoi->binCount));
	BR_GPU_RUN(gpu, kernel_brk_voronoiCells, n, gpu->info.kind == br_gpuKindCpu ? 1 : cellsGroup,
			   brBufferArg(&voronoi->sorted), brBufferArg(&voronoi->places), brBufferArg(&voronoi->binStarts),
			   brBufferArg(&voronoi->bodies), brBufferArg(&voronoi->infos), brBufferArg(&voronoi->volumes),
			   brBufferArg(&voronoi->cornerNames), brBufferArg(&voronoi->vertices), brBufferArg(&voronoi->facetSites),
			   brBufferArg(&voronoi->facetStarts), brBufferArg(&voronoi->loops), brBufferArg(&voronoi->troubles),
			   brBufferArg(&voronoi->counters), brUintArg((uint32_t)voronoi->capacity));
	if (!isLinked)
	{
		return;
	}
	int64_t groups = cellsGroups(gpu, voronoi->capacity);
	BR_GPU_RUN(gpu, kernel_brk_voronoiVertices, groups, cellsPlain, brBufferArg(&voronoi->places),
			   brBufferArg(&voronoi->bodies), brBufferArg(&voronoi->cornerNames), brBufferArg(&voronoi->counters),
			   brUintArg((uint32_t)voronoi->capacity), brBufferArg(&voronoi->vertices));
	BR_GPU_RUN(gpu, kernel_brk_voronoiOwners, groups, cellsPlain, brBufferArg(&voronoi->infos),
			   brBufferArg(&voronoi->cornerNames), brBufferArg(&voronoi->counters),
			   brUintArg((uint32_t)voronoi->capacity), brBufferArg(&voronoi->owners));
}

brResult brGpuVoronoi_Run(brGpuVoronoi* voronoi, bool isLinked, brGpuCells* outCells, brReport* report)
{
	for (;;)
	{
		brGpuVoronoi_Enqueue(voronoi, isLinked);
		uint32_t counters[cellsCounters] = {0};
		brResult result = brGpu_Read(voronoi->gpu, &voronoi->counters, 0, counters, sizeof(counters), report);
		if (result < 0)
		{
			return result;
		}
		if (counters[0] <= voronoi->capacity)
		{
			*outCells = (brGpuCells){counters[0], counters[1], counters[2]};
			return br_success;
		}
		voronoi->capacity = (int64_t)counters[0] + counters[0] / 8;
		if (voronoi->capacity > INT32_MAX / 3)
		{
			return brFail(report, br_errorLimit, "%d sites make more than 2^31 corners of cells", voronoi->siteCount);
		}
	}
}

// What was read from the device.
typedef struct CellsRead
{
	int64_t siteCount, cornerCount, facetCount;
	cl_uint4* infos;
	cl_int4* names;
	brDVec3* vertices;
	uint32_t* owners;
	int32_t* facetSites;
	uint32_t* facetStarts;
	cl_int2* loops;
	cl_int4* places;
	int32_t* numbers; // of a vertex, by the corner that stands for it
} CellsRead;

static void cellsFree(const brAllocator* allocator, CellsRead* read)
{
	BR_FREE(allocator, read->infos, read->siteCount);
	BR_FREE(allocator, read->names, read->cornerCount);
	BR_FREE(allocator, read->vertices, read->cornerCount);
	BR_FREE(allocator, read->owners, read->cornerCount);
	BR_FREE(allocator, read->facetSites, read->facetCount);
	BR_FREE(allocator, read->facetStarts, read->facetCount);
	BR_FREE(allocator, read->loops, 3 * read->cornerCount);
	BR_FREE(allocator, read->places, read->siteCount);
	BR_FREE(allocator, read->numbers, read->cornerCount);
}

// Everything but volumes. What was allocated is the caller's to free, on failure too.
static brResult cellsRead(brGpuVoronoi* device, const brAllocator* allocator, CellsRead* read, brReport* report)
{
	int64_t n = read->siteCount, corners = read->cornerCount, facets = read->facetCount;
	read->infos = BR_ALLOC(allocator, cl_uint4, n);
	read->names = BR_ALLOC(allocator, cl_int4, corners);
	read->vertices = BR_ALLOC(allocator, brDVec3, corners);
	read->owners = BR_ALLOC(allocator, uint32_t, corners);
	read->facetSites = BR_ALLOC(allocator, int32_t, facets);
	read->facetStarts = BR_ALLOC(allocator, uint32_t, facets);
	read->loops = BR_ALLOC(allocator, cl_int2, 3 * corners);
	read->places = BR_ALLOC(allocator, cl_int4, n);
	read->numbers = BR_ALLOC(allocator, int32_t, corners);
	const struct
	{
		const brGpuBuffer* from;
		void* to;
		size_t bytes;
	} copies[] = {{&device->infos, read->infos, (size_t)n * sizeof(cl_uint4)},
				  {&device->cornerNames, read->names, (size_t)corners * sizeof(cl_int4)},
				  {&device->vertices, read->vertices, (size_t)corners * sizeof(brDVec3)},
				  {&device->owners, read->owners, (size_t)corners * sizeof(uint32_t)},
				  {&device->facetSites, read->facetSites, (size_t)facets * sizeof(int32_t)},
				  {&device->facetStarts, read->facetStarts, (size_t)facets * sizeof(uint32_t)},
				  {&device->loops, read->loops, (size_t)corners * 3 * sizeof(cl_int2)},
				  {&device->places, read->places, (size_t)n * sizeof(cl_int4)}};
	brResult result = read->numbers != NULL ? br_success : brFailMemory(report);
	for (int32_t i = 0; i < BR_COUNT(copies) && result >= 0; ++i)
	{
		result = copies[i].to != NULL
					 ? brGpu_Read(device->gpu, copies[i].from, 0, copies[i].to, copies[i].bytes, report)
					 : brFailMemory(report);
	}
	return result;
}

static bool cellsReserve(const CellsRead* read, brVoronoi* voronoi)
{
	const brAllocator* a = &voronoi->allocator;
	int32_t vertices = 0;
	for (int64_t c = 0; c < read->cornerCount; ++c)
	{
		vertices += read->owners[c] == (uint32_t)c;
	}
	voronoi->siteCount = (int32_t)read->siteCount;
	voronoi->facetCount = (int32_t)read->facetCount;
	voronoi->cornerCount = (int32_t)(3 * read->cornerCount);
	voronoi->vertexCount = vertices;
	voronoi->places = brAllocArray(a, voronoi->siteCount, sizeof(int32_t[3]));
	voronoi->sites = BR_ALLOC(a, brDVec3, voronoi->siteCount);
	voronoi->volumes = BR_ALLOC(a, double, voronoi->siteCount);
	voronoi->cellStarts = BR_ALLOC(a, int32_t, (int64_t)voronoi->siteCount + 1);
	voronoi->facetSites = BR_ALLOC(a, int32_t, voronoi->facetCount);
	voronoi->facetStarts = BR_ALLOC(a, int32_t, (int64_t)voronoi->facetCount + 1);
	voronoi->corners = BR_ALLOC(a, int32_t, voronoi->cornerCount);
	voronoi->beyond = BR_ALLOC(a, int32_t, voronoi->cornerCount);
	voronoi->vertices = BR_ALLOC(a, brDVec3, vertices);
	voronoi->names = brAllocArray(a, vertices, sizeof(int32_t[4]));
	return voronoi->places != NULL && voronoi->sites != NULL && voronoi->volumes != NULL &&
		   voronoi->cellStarts != NULL && voronoi->facetSites != NULL && voronoi->facetStarts != NULL &&
		   voronoi->corners != NULL && voronoi->beyond != NULL && voronoi->vertices != NULL && voronoi->names != NULL;
}

static void cellsArrange(const CellsRead* read, brVoronoi* voronoi)
{
	int32_t facets = 0, corners = 0, vertices = 0;
	memset(read->numbers, 0xff, (size_t)read->cornerCount * sizeof(int32_t));
	for (int32_t i = 0; i < voronoi->siteCount; ++i)
	{
		const cl_int* place = read->places[i].s;
		voronoi->places[i][0] = place[0], voronoi->places[i][1] = place[1], voronoi->places[i][2] = place[2];
		voronoi->sites[i] = brSiteLattice_Point(&voronoi->lattice, voronoi->places[i]);
		voronoi->cellStarts[i] = facets;
		uint32_t first = read->infos[i].s[2], facet = read->infos[i].s[0], count = read->infos[i].s[1];
		for (uint32_t f = facet; f < facet + count; ++f)
		{
			uint32_t begin = read->facetStarts[f];
			uint32_t end = f + 1 < facet + count ? read->facetStarts[f + 1] : 3 * (first + read->infos[i].s[3]);
			voronoi->facetSites[facets] = read->facetSites[f];
			voronoi->facetStarts[facets++] = corners;
			for (uint32_t n = begin; n < end; ++n, ++corners)
			{
				// Vertices are numbered as they first appear, as on the CPU.
				uint32_t owner = read->owners[first + (uint32_t)read->loops[n].s[0]];
				if (read->numbers[owner] < 0)
				{
					read->numbers[owner] = vertices;
					voronoi->vertices[vertices] = read->vertices[owner];
					memcpy(voronoi->names[vertices], read->names[owner].s, sizeof(int32_t[4]));
					brVoronoi_SortName(voronoi->names[vertices++]);
				}
				voronoi->corners[corners] = read->numbers[owner];
				voronoi->beyond[corners] = read->loops[n].s[1];
			}
		}
	}
	voronoi->cellStarts[voronoi->siteCount] = facets;
	voronoi->facetStarts[facets] = corners;
}

brResult brGpuVoronoi_Read(brGpuVoronoi* device, const brContext* context, const brGpuCells* cells,
						   brVoronoi** outVoronoi, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brVoronoi* voronoi = BR_ALLOC_ZERO(&allocator, brVoronoi, 1);
	if (voronoi == NULL)
	{
		return brFailMemory(report);
	}
	voronoi->allocator = allocator;
	voronoi->lattice = device->lattice;
	CellsRead read = {
		.siteCount = device->siteCount, .cornerCount = cells->cornerCount, .facetCount = cells->facetCount};
	brResult result = cellsRead(device, &allocator, &read, report);
	if (result >= 0)
	{
		size_t bytes = (size_t)read.siteCount * sizeof(double);
		result = cellsReserve(&read, voronoi)
					 ? brGpu_Read(device->gpu, &device->volumes, 0, voronoi->volumes, bytes, report)
					 : brFailMemory(report);
	}
	if (result >= 0)
	{
		cellsArrange(&read, voronoi);
		*outVoronoi = voronoi;
	}
	else
	{
		brDestroyVoronoi(voronoi);
	}
	cellsFree(&allocator, &read);
	return result;
}

#endif
