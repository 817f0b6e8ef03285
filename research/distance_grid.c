// SPDX-License-Identifier: MIT

// Distances on a grid in three steps: exact ones along the surface, by the tree; the rest by sweeping, each node taking
// the nearest point of a neighbor and measuring the triangle that it lies on; signs from lines along x. The sweep costs
// the same whatever the surface is.

#include "brittle/distance_grid.h"
#include "base/assert.h"
#include "base/report.h"
#include "research/grid_sweep.h"
#include "volume/lattice.h"

#include <string.h>

// Nodes off the band are too large by less than this part of a cell; measured on all models: 0.39.
#define SWEEP_SLACK 0.5
#define SWEEP_NEAR 4.0 // cells

#define GRID_MAX_NODES ((int64_t)1 << 31)

brDistanceGridDef brDefaultDistanceGridDef(void)
{
	return (brDistanceGridDef){
		.resolution = 64, .padding = 4, .isSigned = true, .band = 1, .stamp = BR_STAMP(brDistanceGridDef)};
}

typedef struct GridJob
{
	const brContext* context;
	const brSurfaceTree* tree;
	brDistanceGrid* grid;
	brGridSweep sweep;
	uint8_t* nodes;       // [nodes] not zero: near the surface, so that the value is exact
	const int32_t* cells; // [brickCount] cell of each brick
	double reach;         // beyond which a near node cannot be
	int32_t* placeOf;     // [triangles] place of a triangle in the tree
} GridJob;

static inline brDVec3 gridNode(const brDistanceGrid* grid, int64_t x, int64_t y, int64_t z)
{
	return (brDVec3){grid->origin.x + grid->spacing * (double)x, grid->origin.y + grid->spacing * (double)y,
					 grid->origin.z + grid->spacing * (double)z};
}

// Marks the nodes around each triangle's box, grown by the band; large triangles are cut into smaller ones first.
static void markNear(const brDistanceGrid* grid, uint8_t* nodes, double band, brDVec3 a, brDVec3 b, brDVec3 c,
					 int depth)
{
	brDVec3 lower = brDMin(a, brDMin(b, c)), upper = brDMax(a, brDMax(b, c));
	brDVec3 size = brDSub(upper, lower);
	if (fmax(size.x, fmax(size.y, size.z)) > 2.0 * grid->spacing && depth < 60)
	{
		double ab = brDLengthSq(brDSub(b, a)), bc = brDLengthSq(brDSub(c, b)), ca = brDLengthSq(brDSub(a, c));
		brDVec3 turned[3] = {a, b, c};
		int first = ab >= bc && ab >= ca ? 0 : bc >= ca ? 1 : 2;
		brDVec3 p = turned[first], q = turned[(first + 1) % 3], r = turned[(first + 2) % 3];
		brDVec3 middle = brDLerp(p, q, 0.5);
		markNear(grid, nodes, band, p, middle, r, depth + 1);
		markNear(grid, nodes, band, middle, q, r, depth + 1);
		return;
	}
	int64_t low[3], high[3];
	for (int k = 0; k < 3; ++k)
	{
		double first = ceil(((&lower.x)[k] - (&grid->origin.x)[k]) / grid->spacing - band);
		double last = floor(((&upper.x)[k] - (&grid->origin.x)[k]) / grid->spacing + band);
		low[k] = first > 0.0 ? (int64_t)first : 0;
		high[k] = last < grid->counts[k] - 1 ? (int64_t)last : grid->counts[k] - 1;
	}
	for (int64_t z = low[2]; z <= high[2]; ++z)
	{
		for (int64_t y = low[1]; y <= high[1]; ++y)
		{
			int64_t row = grid->counts[0] * (y + grid->counts[1] * z);
			if (high[0] >= low[0])
			{
				memset(nodes + row + low[0], 1, (size_t)(high[0] - low[0] + 1));
			}
		}
	}
}

// A limit that the nearest triangle is below, by a triangle that may be it: so little above its distance that the
// search finds what it would have found without.
static double gridLimit(const GridJob* job, int32_t place, brDVec3 p, double limit)
{
	brSurfaceFeature feature;
	int32_t index;
	brDVec3 q = brTriangleClosest(job->tree->corners[place], p, &feature, &index);
	double distance = brDDistance(p, q) * (1.0 + 0x1p-48);
	return distance > 0.0 && distance < limit ? distance : limit;
}

static void exactRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const GridJob* job = user;
	const brDistanceGrid* grid = job->grid;
	double cells = 1.0 / grid->spacing;
	for (int32_t row = begin; row < end; ++row)
	{
		int64_t first = (int64_t)grid->counts[0] * row, swept = job->sweep.rowLength * row;
		double last = INFINITY; // distance at the node before
		int32_t place = -1;     // and its triangle
		for (int32_t x = 0; x < grid->counts[0]; ++x)
		{
			if (job->nodes[first + x] == 0)
			{
				last = INFINITY;
				continue;
			}
			brDVec3 p = gridNode(grid, x, row % grid->counts[1], row / grid->counts[1]);
			double limit = 1.0001 * (last + grid->spacing);
			limit = limit < job->reach ? limit : job->reach;
			limit = place >= 0 ? gridLimit(job, place, p, limit) : limit;
			brClosestPoint closest = brSurfaceTree_ClosestWithin(job->tree, p, limit);
			job->nodes[first + x] = closest.triangle >= 0;
			if (closest.triangle >= 0)
			{
				place = job->placeOf[closest.triangle];
				last = closest.distance;
				grid->values[first + x] = (float)last;
				brDVec3 way = brDMul(cells, brDSub(closest.point, p));
				job->sweep.ways[0][swept + x] = (float)way.x;
				job->sweep.ways[1][swept + x] = (float)way.y;
				job->sweep.ways[2][swept + x] = (float)way.z;
				job->sweep.triangles[swept + x] = place;
			}
		}
	}
}

static inline double triangleDistance(const GridJob* job, int32_t place, brDVec3 p)
{
	brSurfaceFeature feature;
	int32_t index;
	return brDDistance(p, brTriangleClosest(job->tree->corners[place], p, &feature, &index));
}

// Nodes off the band: how far the triangle is whose point was handed to them. Near the surface, where it most often is
// not the nearest, those of the six neighbors are tried too.
static void farRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const GridJob* job = user;
	const brDistanceGrid* grid = job->grid;
	const int32_t* triangles = job->sweep.triangles;
	int64_t strideY = job->sweep.rowLength, strideZ = strideY * grid->counts[1], count = strideZ * grid->counts[2];
	const int64_t steps[6] = {-1, 1, -strideY, strideY, -strideZ, strideZ};
	for (int32_t row = begin; row < end; ++row)
	{
		int64_t first = (int64_t)grid->counts[0] * row;
		for (int32_t x = 0; x < grid->counts[0]; ++x)
		{
			if (job->nodes[first + x] != 0)
			{
				continue;
			}
			int64_t i = strideY * row + x;
			brDVec3 p = gridNode(grid, x, row % grid->counts[1], row / grid->counts[1]);
			double best = triangleDistance(job, triangles[i], p);
			for (int k = 0; k < 6 && best < SWEEP_NEAR * grid->spacing; ++k)
			{
				// Across the rim that is some other node, whose triangle is tried for nothing.
				int64_t other = i + steps[k];
				if (other >= 0 && other < count && triangles[other] >= 0 && triangles[other] != triangles[i])
				{
					best = fmin(best, triangleDistance(job, triangles[other], p));
				}
			}
			grid->values[first + x] = (float)best;
		}
	}
}

static void fillBricks(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const GridJob* job = user;
	const brDistanceGrid* grid = job->grid;
	int32_t side = grid->brick + 1;
	int64_t nx = grid->counts[0] - 1, ny = grid->counts[1] - 1;
	double step = grid->spacing / grid->brick;
	for (int32_t b = begin; b < end; ++b)
	{
		int64_t cell = job->cells[b];
		brDVec3 corner = gridNode(grid, cell % nx, cell / nx % ny, cell / (nx * ny));
		float* values = grid->brickValues + (int64_t)b * side * side * side;
		for (int32_t i = 0; i < side * side * side; ++i)
		{
			brDVec3 p =
				brDAdd(corner, brMakeDVec3(step * (i % side), step * (i / side % side), step * (i / (side * side))));
			// The node before is a step away, or a row's length at the start of a row.
			double limit = i == 0 ? INFINITY : 1.0001 * (fabs((double)values[i - 1]) + 2.5 * grid->spacing);
			limit = i % side != 0 ? 1.0001 * (fabs((double)values[i - 1]) + step) : limit;
			double d = brSurfaceTree_ClosestWithin(job->tree, p, limit).distance;
			bool isInside = false;
			if (grid->isSigned)
			{
				double winding = job->tree->isClosed ? brSurfaceTree_CrossingsAt(job->tree, p)
													 : brSurfaceTree_WindingAt(job->tree, p);
				isInside = job->tree->leaning < 0.0 ? winding < -0.5 : winding > 0.5;
			}
			values[i] = (float)(isInside ? -d : d);
		}
	}
}

// A brick for each cell that the surface may pass: one with a corner nearer than the cell is wide.
static bool makeBricks(GridJob* job)
{
	brDistanceGrid* grid = job->grid;
	const brAllocator* allocator = &grid->allocator;
	int32_t nx = grid->counts[0] - 1, ny = grid->counts[1] - 1, nz = grid->counts[2] - 1;
	int64_t cellCount = (int64_t)nx * ny * nz;
	grid->bricks = BR_ALLOC(allocator, int32_t, cellCount);
	int32_t* cells = BR_ALLOC(allocator, int32_t, cellCount);
	bool complete = grid->bricks != NULL && cells != NULL;
	int32_t count = 0;
	for (int64_t i = 0; i < cellCount && complete; ++i)
	{
		int64_t corner = i % nx + grid->counts[0] * (i / nx % ny + grid->counts[1] * (i / ((int64_t)nx * ny)));
		// The middle of the cell is within half a diagonal of each corner.
		bool isNear = fabsf(grid->values[corner]) <= 1.7321f * (float)grid->spacing;
		grid->bricks[i] = isNear ? count : -1;
		cells[count] = (int32_t)i;
		count += isNear;
	}
	int32_t side = grid->brick + 1;
	if (complete)
	{
		grid->brickCount = count;
		grid->brickValues = BR_ALLOC(allocator, float, (int64_t)count* side* side* side);
		complete = grid->brickValues != NULL;
	}
	if (complete)
	{
		job->cells = cells;
		brParallelFor(job->context != NULL ? job->context->workers : NULL, count, 4, fillBricks, job);
	}
	BR_FREE(allocator, cells, cellCount);
	return complete;
}

static bool fillGrid(GridJob* job, const brDistanceGridDef* def)
{
	brDistanceGrid* grid = job->grid;
	const brAllocator* allocator = &grid->allocator;
	int64_t nodes = (int64_t)grid->counts[0] * grid->counts[1] * grid->counts[2];
	int32_t triangles = job->tree->triangleCount, rows = grid->counts[1] * grid->counts[2];
	uint8_t* near = BR_ALLOC_ZERO(allocator, uint8_t, nodes);
	job->placeOf = BR_ALLOC(allocator, int32_t, triangles);
	bool complete = near != NULL && job->placeOf != NULL && brGridSweep_Init(&job->sweep, allocator, grid->counts);
	if (complete)
	{
		job->nodes = near;
		// Near nodes are within the band of a box of at most two cells that a piece of triangle fills.
		job->reach = 1.8 * (def->band + 2.1) * grid->spacing;
		for (int32_t i = 0; i < triangles; ++i)
		{
			job->placeOf[job->tree->order[i]] = i;
			const brDVec3* p = job->tree->corners[i];
			markNear(grid, near, def->band + 0.01, p[0], p[1], p[2], 0);
		}
		brWorkers* workers = job->context != NULL ? job->context->workers : NULL;
		brParallelFor(workers, rows, 16, exactRows, job);
		if (memchr(near, 0, (size_t)nodes) != NULL)
		{
			brGridSweep_Run(&job->sweep);
			brParallelFor(workers, rows, 16, farRows, job);
		}
		if (grid->isSigned)
		{
			brNodeGrid box = {grid->origin, {grid->counts[0], grid->counts[1], grid->counts[2]}, grid->spacing};
			brNodeGrid_FindInside(&box, job->context, job->tree, job->tree->leaning < 0.0, job->sweep.triangles, near);
			for (int64_t i = 0; i < nodes; ++i)
			{
				grid->values[i] = near[i] != 0 ? -grid->values[i] : grid->values[i];
			}
		}
	}
	brGridSweep_Free(&job->sweep, allocator);
	BR_FREE(allocator, near, nodes);
	BR_FREE(allocator, job->placeOf, triangles);
	return complete && (grid->brick == 0 || makeBricks(job));
}

brResult brCreateDistanceGrid(const brContext* context, const brSurfaceTree* tree, const brDistanceGridDef* def,
							  brDistanceGrid** outGrid, brReport* report)
{
	brDistanceGridDef standard = brDefaultDistanceGridDef();
	def = def != NULL ? def : &standard;
	if (tree == NULL || outGrid == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse,
					  "a distance grid needs a tree, a def from brDefaultDistanceGridDef and a place for the result");
	}
	if (def->resolution < 0 || (def->resolution == 0 && !(def->spacing > 0.0)) || def->padding < 1 || def->band < 1 ||
		def->brick < 0 || def->brick > 16)
	{
		return brFail(
			report, br_errorMisuse,
			"a distance grid needs a positive resolution or spacing, padding and band, and bricks of 0 to 16");
	}
	brAllocator allocator = brContext_Allocator(context);
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t t = 0; t < tree->triangleCount; ++t)
	{
		for (int k = 0; k < 3; ++k)
		{
			box = brDBox3_Include(box, tree->corners[t][k]);
		}
	}
	brDVec3 size = brDSub(box.upper, box.lower);
	double longest = fmax(size.x, fmax(size.y, size.z));
	double spacing = def->resolution > 0 ? longest / def->resolution : def->spacing;
	if (!(spacing > 0.0))
	{
		return brFail(report, br_errorGeometry, "all vertices of the surface are at one place");
	}
	brDistanceGrid* grid = BR_ALLOC_ZERO(&allocator, brDistanceGrid, 1);
	if (grid == NULL)
	{
		return brFailMemory(report);
	}
	grid->allocator = allocator;
	grid->spacing = spacing;
	grid->isSigned = def->isSigned;
	grid->slack = SWEEP_SLACK * spacing;
	grid->brick = def->brick;
	double total = 1.0;
	for (int k = 0; k < 3; ++k)
	{
		double cells = fmax(1.0, ceil((&size.x)[k] / spacing * (1.0 - 1e-12))) + 2.0 * def->padding;
		total *= cells + 1.0;
		grid->counts[k] = total < (double)GRID_MAX_NODES ? (int32_t)cells + 1 : 0;
		(&grid->origin.x)[k] = (&box.lower.x)[k] - def->padding * spacing;
	}
	if (!(total < (double)GRID_MAX_NODES))
	{
		brDestroyDistanceGrid(grid);
		return brFail(report, br_errorLimit, "a spacing of %g m gives more than %lld nodes", spacing,
					  (long long)GRID_MAX_NODES);
	}
	grid->values = BR_ALLOC(&allocator, float, (int64_t)total);
	GridJob job = {.context = context, .tree = tree, .grid = grid};
	if (grid->values == NULL || !fillGrid(&job, def))
	{
		brDestroyDistanceGrid(grid);
		return brFailMemory(report);
	}
	*outGrid = grid;
	return brSucceed(report);
}

void brDestroyDistanceGrid(brDistanceGrid* grid)
{
	if (grid == NULL)
	{
		return;
	}
	brAllocator allocator = grid->allocator;
	int64_t side = grid->brick + 1;
	BR_FREE(&allocator, grid->values, (int64_t)grid->counts[0] * grid->counts[1] * grid->counts[2]);
	BR_FREE(&allocator, grid->bricks,
			(int64_t)(grid->counts[0] - 1) * (grid->counts[1] - 1) * (int64_t)(grid->counts[2] - 1));
	BR_FREE(&allocator, grid->brickValues, grid->brickCount * side * side * side);
	BR_FREE(&allocator, grid, 1);
}
