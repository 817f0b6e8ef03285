// SPDX-License-Identifier: MIT

// Filling the grid: every pass is a loop over elements or buckets, cut into ranges for workers; places come from prefix
// sums, so the order of elements does not depend on who works.

#include "index/kdet_grid.h"

#include <string.h>

enum
{
	gridBlock = 4096,       // elements in one go
	gridBucketBlock = 1024, // buckets in one go
	gridSizeBins = 2048,    // eight to an octave, over all floats
	gridMostRuns = 8,
	gridMostObjects = 4096, // more are not looked at for where they may meet
};

static const uint64_t gridLeftOut = UINT64_MAX;
static const double gridMostCells = 0x1p18; // on an axis of the finest layer

typedef struct GridJob
{
	brKdetGrid* grid;
	const brGridDef* def;
	int32_t runCount;
	bool leavesOut;       // elements that no other object's box touches
	int64_t columnLength; // elements and 16 more
} GridJob;

// Boxes

// The longest side, never rounded down.
static float gridSizeOf(const brTreeBox* box)
{
	float size = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		float side = -box->negUpper[k] - box->lower[k];
		size = side > size ? side : size;
	}
	return size < 0x1p126f ? size * (1.0f + 0x1p-22f) : 0x1p127f;
}

// Floats that are not negative are in the order of their bits: the exponent, then three bits more.
static int32_t gridSizeBin(float size)
{
	uint32_t bits;
	memcpy(&bits, &size, sizeof(bits));
	return (int32_t)(bits >> 20) & (gridSizeBins - 1);
}

// The smallest number beyond a bin.
static double gridBinEnd(int32_t bin)
{
	int32_t exponent = (bin + 1) >> 3, eighths = (bin + 1) & 7;
	return exponent == 0 ? ldexp(eighths, -129) : ldexp(8 + eighths, exponent - 130);
}

static int32_t gridObjectOf(const brGridDef* def, int32_t element)
{
	int32_t low = 0, high = def->objectCount;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		*(def->objectStarts[middle] <= element ? &low : &high) = middle;
	}
	return low;
}

static void gridFillBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	GridJob* job = user;
	brKdetGrid* grid = job->grid;
	brTreeBox* boxes = grid->boxes.data;
	brBoxMaker_Fill(&grid->maker, begin, end, boxes + begin);
	int32_t* sizes = (int32_t*)grid->sizes.data + (int64_t)worker * gridSizeBins;
	for (int32_t i = begin; i < end; ++i)
	{
		sizes[gridSizeBin(gridSizeOf(&boxes[i]))] += 1;
	}
	if (job->def->objectCount > 1)
	{
		uint32_t* objects = grid->objects.data;
		int32_t object = gridObjectOf(job->def, begin);
		for (int32_t i = begin; i < end; ++i)
		{
			while (i >= job->def->objectStarts[object + 1])
			{
				object += 1;
			}
			objects[i] = (uint32_t)object;
		}
	}
}

// Where objects may meet

static void gridBoundObjects(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	const int32_t* starts = job->def->objectStarts;
	const brTreeBox* boxes = job->grid->boxes.data;
	for (int32_t i = begin; i < end; ++i)
	{
		brTreeBox* bounds = (brTreeBox*)job->grid->bounds.data + i;
		*bounds = brMakeTreeBoxEmpty();
		job->grid->maker.kernels->boundBoxes(boxes + starts[i], starts[i + 1] - starts[i], bounds);
	}
}

// The part of an object's box that others' boxes touch, as one box.
static void gridMeetObjects(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	int32_t objectCount = job->def->objectCount;
	const brTreeBox* bounds = job->grid->bounds.data;
	for (int32_t i = begin; i < end; ++i)
	{
		brTreeBox* meeting = (brTreeBox*)job->grid->bounds.data + objectCount + i;
		*meeting = brMakeTreeBoxEmpty();
		for (int32_t j = 0; j < objectCount; ++j)
		{
			brTreeBox common;
			bool isEmpty = j == i;
			for (int k = 0; k < 4; ++k)
			{
				common.lower[k] = fmaxf(bounds[i].lower[k], bounds[j].lower[k]);
				common.negUpper[k] = fmaxf(bounds[i].negUpper[k], bounds[j].negUpper[k]);
				isEmpty |= common.lower[k] > -common.negUpper[k];
			}
			*meeting = isEmpty ? *meeting : brTreeBox_Union(meeting, &common);
		}
	}
}

static bool gridTouches(const brTreeBox* a, const brTreeBox* b)
{
	bool touches = true;
	for (int k = 0; k < 3; ++k)
	{
		touches &= a->lower[k] <= -b->negUpper[k] && b->lower[k] <= -a->negUpper[k];
	}
	return touches;
}

// Layers

// Side of the smallest cells for elements up to `size`, if the largest have side `top` and are halved `most` times at
// most.
static double gridSideFor(double top, double finest, int32_t most, double size, int32_t* outHalvings)
{
	double side = top;
	int32_t halvings = 0;
	while (0.5 * side >= size && 0.5 * side >= finest && halvings < most)
	{
		side *= 0.5;
		halvings += 1;
	}
	*outHalvings = halvings;
	return side;
}

// Cells of layer l have side cellSize 2^l. Of eight ways to place the sizes in octaves the one is taken whose cells
// hold the least space in all; none is finer than fits the keys.
static void gridChooseLayers(brKdetGrid* grid, int32_t layers, int32_t workerCount)
{
	int32_t most = layers > 0 ? layers - 1 : BR_GRID_LAYERS - 3;
	int32_t* sizes = grid->sizes.data;
	int32_t first = -1, last = 0;
	for (int32_t bin = 0; bin < gridSizeBins; ++bin)
	{
		for (int32_t worker = 1; worker < workerCount; ++worker)
		{
			sizes[bin] += sizes[(int64_t)worker * gridSizeBins + bin];
		}
		first = first < 0 && sizes[bin] > 0 ? bin : first;
		last = sizes[bin] > 0 ? bin : last;
	}
	first = first < 0 ? 0 : first;
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		grid->origin[k] = (double)grid->maker.bounds.lower[k];
		extent = fmax(extent, -(double)grid->maker.bounds.negUpper[k] - grid->origin[k]);
	}
	double finest = extent / gridMostCells, bestCost = INFINITY, bestTop = 0.0;
	int32_t halvings, bestHalvings = 0;
	for (int32_t offset = 0; offset < 8; ++offset)
	{
		double top = fmax(gridBinEnd(last + offset), finest), cost = 0.0;
		for (int32_t bin = first; bin <= last; ++bin)
		{
			if (sizes[bin] > 0)
			{
				double side = gridSideFor(top, finest, most, gridBinEnd(bin), &halvings) / gridBinEnd(last);
				cost += sizes[bin] * side * side * side;
			}
		}
		if (cost < bestCost)
		{
			bestCost = cost;
			bestTop = top;
			gridSideFor(top, finest, most, gridBinEnd(first), &bestHalvings);
		}
	}
	// One layer more, for elements that rounding lets reach into a third cell.
	grid->layerCount = bestHalvings + 2;
	grid->cellSize = bestTop > 0.0 ? ldexp(bestTop, -bestHalvings) : 1.0;
	for (int32_t layer = 0; layer < BR_GRID_LAYERS; ++layer)
	{
		grid->invCellSize[layer] = ldexp(1.0 / grid->cellSize, -layer);
	}
}

// Keys

// The finest layer on which the element reaches at most into the next cell.
static uint64_t gridKeyOf(const brKdetGrid* grid, const brTreeBox* box)
{
	float size = gridSizeOf(box);
	int32_t layer = 0;
	while (layer < grid->layerCount - 1 && (double)size * grid->invCellSize[layer] > 1.0)
	{
		layer += 1;
	}
	for (;; ++layer)
	{
		int32_t lower[3];
		bool fits = true;
		for (int k = 0; k < 3; ++k)
		{
			lower[k] = brKdetGrid_CellOf(grid, layer, k, box->lower[k]);
			fits &= brKdetGrid_CellOf(grid, layer, k, -box->negUpper[k]) - lower[k] <= 1;
		}
		if (fits || layer == grid->layerCount - 1)
		{
			return brGridKey(layer, lower);
		}
	}
}

static int32_t gridRunStart(const GridJob* job, int32_t run)
{
	return (int32_t)((int64_t)job->grid->elementCount * run / job->runCount);
}

static void gridKeyBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	brKdetGrid* grid = job->grid;
	const brTreeBox* boxes = grid->boxes.data;
	const uint32_t* objects = grid->objects.data;
	const brTreeBox* meeting = job->leavesOut ? (const brTreeBox*)grid->bounds.data + job->def->objectCount : NULL;
	uint64_t* keys = grid->keys.data;
	for (int32_t i = begin; i < end; ++i)
	{
		bool isOut = job->leavesOut && !gridTouches(&boxes[i], &meeting[objects[i]]);
		keys[i] = isOut ? gridLeftOut : gridKeyOf(grid, &boxes[i]);
	}
}

// Counting sort by bucket

static void gridCountRun(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	brKdetGrid* grid = job->grid;
	const uint64_t* keys = grid->keys.data;
	for (int32_t run = begin; run < end; ++run)
	{
		uint32_t* counts = (uint32_t*)grid->counts.data + ((size_t)run << grid->bucketBits);
		memset(counts, 0, sizeof(uint32_t) << grid->bucketBits);
		int32_t last = gridRunStart(job, run + 1);
		for (int32_t i = gridRunStart(job, run); i < last; ++i)
		{
			if (keys[i] != gridLeftOut)
			{
				counts[brKdetGrid_Bucket(grid, keys[i])] += 1;
			}
		}
	}
}

// Counts to places: bucket by bucket, within a bucket run by run. The ends of buckets stay in `cellStarts` for now.
static void gridPlaces(const GridJob* job)
{
	brKdetGrid* grid = job->grid;
	uint32_t* counts = grid->counts.data;
	int32_t* ends = grid->cellStarts.data;
	uint32_t place = 0;
	for (int64_t bucket = 0; bucket < (int64_t)1 << grid->bucketBits; ++bucket)
	{
		for (int32_t run = 0; run < job->runCount; ++run)
		{
			uint32_t* count = &counts[((size_t)run << grid->bucketBits) + (size_t)bucket];
			uint32_t here = *count;
			*count = place;
			place += here;
		}
		ends[bucket] = (int32_t)place;
	}
	grid->keptCount = (int32_t)place;
}

static void gridScatterRun(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	brKdetGrid* grid = job->grid;
	const uint64_t* keys = grid->keys.data;
	uint32_t* order = grid->order.data;
	for (int32_t run = begin; run < end; ++run)
	{
		uint32_t* places = (uint32_t*)grid->counts.data + ((size_t)run << grid->bucketBits);
		int32_t last = gridRunStart(job, run + 1);
		for (int32_t i = gridRunStart(job, run); i < last; ++i)
		{
			if (keys[i] != gridLeftOut)
			{
				order[places[brKdetGrid_Bucket(grid, keys[i])]++] = (uint32_t)i;
			}
		}
	}
}

// Cells

static bool gridIsBefore(const uint64_t* keys, uint32_t a, uint32_t b)
{
	return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
}

// Puts the elements of one bucket in the order of keys, then of elements: by insertion if they are few, else by a heap.
static void gridSortBucket(const uint64_t* keys, uint32_t* order, int32_t count)
{
	for (int32_t i = 1; i < count && count <= 64; ++i)
	{
		uint32_t moved = order[i];
		int32_t at = i;
		for (; at > 0 && gridIsBefore(keys, moved, order[at - 1]); --at)
		{
			order[at] = order[at - 1];
		}
		order[at] = moved;
	}
	for (int32_t step = count / 2 + count - 1; step > 0 && count > 64; --step)
	{
		// First the heap is made from the middle down, then its largest goes to the end again and again.
		int32_t root = step >= count ? step - count : 0, size = step >= count ? count : step;
		if (step < count)
		{
			uint32_t largest = order[0];
			order[0] = order[step];
			order[step] = largest;
		}
		for (int32_t child; (child = 2 * root + 1) < size; root = child)
		{
			child += child + 1 < size && gridIsBefore(keys, order[child], order[child + 1]);
			if (!gridIsBefore(keys, order[root], order[child]))
			{
				break;
			}
			uint32_t swap = order[root];
			order[root] = order[child];
			order[child] = swap;
		}
	}
}

// Sorts buckets that hold more than one cell, and counts cells.
static void gridCountCells(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	brKdetGrid* grid = job->grid;
	const uint64_t* keys = grid->keys.data;
	const int32_t* ends = grid->cellStarts.data;
	uint32_t* order = grid->order.data;
	uint32_t* cellCounts = grid->counts.data; // places are spent
	for (int32_t bucket = begin; bucket < end; ++bucket)
	{
		int32_t first = bucket > 0 ? ends[bucket - 1] : 0, last = ends[bucket];
		bool isMixed = false;
		for (int32_t i = first + 1; i < last; ++i)
		{
			isMixed |= keys[order[i]] != keys[order[first]];
		}
		if (isMixed)
		{
			gridSortBucket(keys, order + first, last - first);
		}
		uint32_t cellCount = last > first;
		for (int32_t i = first + 1; i < last && isMixed; ++i)
		{
			cellCount += keys[order[i]] != keys[order[i - 1]];
		}
		cellCounts[bucket] = cellCount;
	}
}

// One element to its place in the columns; the cell grows around it.
static void gridFillElement(const GridJob* job, int32_t at, brGridCell* cell)
{
	brKdetGrid* grid = job->grid;
	uint32_t element = ((const uint32_t*)grid->order.data)[at];
	const brTreeBox* box = (const brTreeBox*)grid->boxes.data + element;
	for (int k = 0; k < 3; ++k)
	{
		float lower = box->lower[k], upper = -box->negUpper[k];
		((float*)grid->floats.data)[(int64_t)k * job->columnLength + at] = lower;
		((float*)grid->floats.data)[(int64_t)(k + 3) * job->columnLength + at] = upper;
		cell->lower[k] = lower < cell->lower[k] ? lower : cell->lower[k];
		cell->upper[k] = upper > cell->upper[k] ? upper : cell->upper[k];
	}
	int32_t* ints = grid->ints.data;
	for (int32_t k = 0; k < grid->columns.cornersEach; ++k)
	{
		const brBoxSource* source = job->def->source;
		int64_t corner = (int64_t)source->cornersEach * (int32_t)element + k;
		ints[k * job->columnLength + at] = source->corners != NULL ? source->corners[corner] : (int32_t)element;
	}
	if (job->def->objectCount > 1)
	{
		ints[grid->columns.cornersEach * job->columnLength + at] = ((const int32_t*)grid->objects.data)[element];
	}
}

static void gridFillCells(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	GridJob* job = user;
	brKdetGrid* grid = job->grid;
	const uint64_t* keys = grid->keys.data;
	const uint32_t* order = grid->order.data;
	const int32_t* starts = grid->cellStarts.data;
	brGridCell* cells = grid->cells.data;
	const uint32_t* bucketEnds = grid->counts.data;
	for (int32_t bucket = begin; bucket < end; ++bucket)
	{
		int32_t first = bucket > 0 ? (int32_t)bucketEnds[bucket - 1] : 0, last = (int32_t)bucketEnds[bucket];
		int32_t at = starts[bucket] - 1;
		for (int32_t i = first; i < last; ++i)
		{
			uint64_t key = keys[order[i]];
			if (i == first || key != cells[at].key)
			{
				at += 1;
				cells[at] = (brGridCell){.key = key,
										 .begin = i,
										 .lower = {INFINITY, INFINITY, INFINITY},
										 .upper = {-INFINITY, -INFINITY, -INFINITY}};
			}
			gridFillElement(job, i, &cells[at]);
			cells[at].end = i + 1;
		}
	}
}

// Counts of cells to the first cell of each bucket; the ends of buckets move to `counts`.
static void gridCellStarts(brKdetGrid* grid)
{
	int32_t* starts = grid->cellStarts.data;
	uint32_t* counts = grid->counts.data;
	int32_t place = 0, bucketCount = 1 << grid->bucketBits;
	for (int32_t bucket = 0; bucket < bucketCount; ++bucket)
	{
		int32_t cellCount = (int32_t)counts[bucket];
		counts[bucket] = (uint32_t)starts[bucket];
		starts[bucket] = place;
		place += cellCount;
	}
	starts[bucketCount] = place;
	grid->cellCount = place;
}

// Order of elements by cell. A table that turns out too small for its cells is made larger once.
static brResult gridSort(GridJob* job, const brAllocator* allocator, brWorkers* workers, brReport* report)
{
	brKdetGrid* grid = job->grid;
	grid->bucketBits = 4;
	while (grid->bucketBits < 28 && (int64_t)4 << grid->bucketBits < grid->elementCount)
	{
		grid->bucketBits += 1;
	}
	for (int attempt = 0;; ++attempt)
	{
		int64_t bucketCount = (int64_t)1 << grid->bucketBits;
		if (!brStageMemory_Ensure(&grid->counts, allocator, job->runCount * bucketCount, sizeof(uint32_t)) ||
			!brStageMemory_Ensure(&grid->cellStarts, allocator, bucketCount + 1, sizeof(int32_t)))
		{
			return brFailMemory(report);
		}
		brParallelFor(workers, job->runCount, 1, gridCountRun, job);
		gridPlaces(job);
		brParallelFor(workers, job->runCount, 1, gridScatterRun, job);
		brParallelFor(workers, (int32_t)bucketCount, gridBucketBlock, gridCountCells, job);
		gridCellStarts(grid);
		if (attempt > 0 || grid->cellCount <= bucketCount || grid->bucketBits >= 28)
		{
			return br_success;
		}
		while ((int64_t)1 << grid->bucketBits < grid->cellCount && grid->bucketBits < 28)
		{
			grid->bucketBits += 1;
		}
	}
}

static brResult gridMakeColumns(GridJob* job, const brAllocator* allocator, brWorkers* workers, brReport* report)
{
	brKdetGrid* grid = job->grid;
	const brBoxSource* source = job->def->source;
	bool hasObjects = job->def->objectCount > 1;
	grid->columns = (brGridColumns){0};
	grid->columns.cornersEach = job->def->tellCorners && source->boxes == NULL ? source->cornersEach : 0;
	job->columnLength = (int64_t)grid->keptCount + 16;
	int32_t intColumns = grid->columns.cornersEach + (hasObjects ? 1 : 0);
	if (!brStageMemory_Ensure(&grid->cells, allocator, grid->cellCount, sizeof(brGridCell)) ||
		!brStageMemory_Ensure(&grid->floats, allocator, 6 * job->columnLength, sizeof(float)) ||
		!brStageMemory_Ensure(&grid->ints, allocator, intColumns * job->columnLength, sizeof(int32_t)))
	{
		return brFailMemory(report);
	}
	brParallelFor(workers, 1 << grid->bucketBits, gridBucketBlock, gridFillCells, job);
	const float* floats = grid->floats.data;
	const int32_t* ints = grid->ints.data;
	for (int k = 0; k < 3; ++k)
	{
		grid->columns.lower[k] = floats + k * job->columnLength;
		grid->columns.upper[k] = floats + (k + 3) * job->columnLength;
	}
	for (int32_t k = 0; k < grid->columns.cornersEach; ++k)
	{
		grid->columns.corners[k] = ints + k * job->columnLength;
	}
	grid->columns.ids = grid->order.data;
	grid->columns.objects = hasObjects ? (const uint32_t*)(ints + grid->columns.cornersEach * job->columnLength) : NULL;
	memset(grid->layerCells, 0, sizeof(grid->layerCells));
	for (int32_t i = 0; i < grid->cellCount; ++i)
	{
		grid->layerCells[brGridKey_Layer(((const brGridCell*)grid->cells.data)[i].key)] += 1;
	}
	return br_success;
}

brResult brKdetGrid_Build(brKdetGrid* grid, const brAllocator* allocator, const brWideKernels* kernels,
						  brWorkers* workers, const brGridDef* def, brReport* report)
{
	int32_t count = def->source->count, workerCount = brWorkers_GetCount(workers);
	bool hasObjects = def->objectCount > 1;
	grid->maker.allocator = *allocator;
	grid->maker.kernels = kernels;
	grid->hash = def->hash;
	grid->elementCount = count;
	GridJob job = {.grid = grid, .def = def};
	job.runCount = workerCount < gridMostRuns ? workerCount : gridMostRuns;
	job.runCount = count < gridBlock ? 1 : job.runCount;
	if (!brStageMemory_Ensure(&grid->boxes, allocator, count, sizeof(brTreeBox)) ||
		!brStageMemory_Ensure(&grid->keys, allocator, count, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&grid->order, allocator, (int64_t)count + 16, sizeof(uint32_t)) ||
		!brStageMemory_Ensure(&grid->sizes, allocator, workerCount * (int64_t)gridSizeBins, sizeof(int32_t)) ||
		(hasObjects &&
		 (!brStageMemory_Ensure(&grid->objects, allocator, count, sizeof(uint32_t)) ||
		  !brStageMemory_Ensure(&grid->bounds, allocator, 2 * (int64_t)def->objectCount, sizeof(brTreeBox)))))
	{
		return brFailMemory(report);
	}
	brResult result = brBoxMaker_Prepare(&grid->maker, workers, def->source, report);
	if (result < 0)
	{
		return result;
	}
	memset(grid->sizes.data, 0, (size_t)workerCount * gridSizeBins * sizeof(int32_t));
	brParallelFor(workers, count, gridBlock, gridFillBlock, &job);
	job.leavesOut = hasObjects && !def->enableSelf && def->objectCount <= gridMostObjects;
	if (job.leavesOut)
	{
		brParallelFor(workers, def->objectCount, 1, gridBoundObjects, &job);
		brParallelFor(workers, def->objectCount, 16, gridMeetObjects, &job);
	}
	gridChooseLayers(grid, def->layers, workerCount);
	brParallelFor(workers, count, gridBlock, gridKeyBlock, &job);
	result = gridSort(&job, allocator, workers, report);
	return result < 0 ? result : gridMakeColumns(&job, allocator, workers, report);
}

void brKdetGrid_Free(brKdetGrid* grid, const brAllocator* allocator)
{
	brStageMemory* all[] = {&grid->boxes, &grid->keys,       &grid->objects, &grid->bounds, &grid->sizes, &grid->counts,
							&grid->order, &grid->cellStarts, &grid->cells,   &grid->floats, &grid->ints};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], allocator);
	}
	if (grid->maker.kernels != NULL)
	{
		brBoxMaker_Free(&grid->maker);
	}
}
