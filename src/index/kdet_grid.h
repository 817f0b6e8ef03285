// SPDX-License-Identifier: MIT
#pragma once

// A hierarchical hashed grid over boxes (kDet: Weller, Debowski and Zachmann 2017; Mirzayousef Jadid 2023).
//
// Each size of element has a layer of cubic cells of its own, twice as large from layer to layer. An element is kept
// once, in the cell of its lower corner on the finest layer where it reaches no farther than the next cell on each
// axis. So elements that overlap are at most one cell apart on the coarser of their layers: with k-free sets that is a
// constant number of cells of a bounded number of elements each, and all pairs come in linear time. Since an element
// has one place, and a pair of cells is looked at from one side only, each pair comes once without any sort or mark.
//
//     elements -> boxes -> layer and cell -> counting sort by the hash of the cell -> cells in columns
//
// Cells that share a bucket are told apart by their keys. Memory is about 100 bytes an element, whatever the space it
// is in.

#include "brittle/collide.h"

#include "index/box_source.h"
#include "index/grid_key.h"

static inline uint64_t brGridKey(int32_t layer, const int32_t cell[3])
{
	return brGridName_Make((uint32_t)layer, (uint32_t)cell[0], (uint32_t)cell[1], (uint32_t)cell[2]);
}

static inline int32_t brGridKey_Axis(uint64_t key, int axis)
{
	return (int32_t)brGridName_Axis(key, axis);
}

static inline int32_t brGridKey_Layer(uint64_t key)
{
	return (int32_t)brGridName_Layer(key);
}

/// A cell that holds something.
typedef struct brGridCell
{
	uint64_t key;
	int32_t begin, end; // elements in sorted order
	float lower[3];     // around all of them
	float upper[3];
} brGridCell;

/// Elements in sorted order, one column a number; each column has room for 16 beyond the last.
typedef struct brGridColumns
{
	const float* lower[3];
	const float* upper[3];
	const uint32_t* ids;
	const uint32_t* objects;   // null with one object
	const int32_t* corners[4]; // null unless neighbors are told
	int32_t cornersEach;       // 0 unless neighbors are told
} brGridColumns;

typedef struct brKdetGrid
{
	brBoxMaker maker;
	uint32_t hash;        // as in grid_key.h
	int32_t elementCount; // of the source
	int32_t keptCount;    // in the grid
	int32_t bucketBits;
	double origin[3];
	double cellSize; // of layer 0
	double invCellSize[BR_GRID_LAYERS];
	int32_t layerCount;
	int32_t layerCells[BR_GRID_LAYERS]; // cells that hold something
	int32_t cellCount;
	brGridColumns columns;
	brStageMemory boxes;      // brTreeBox [elementCount]
	brStageMemory keys;       // uint64_t [elementCount]
	brStageMemory objects;    // uint32_t [elementCount], if there are many
	brStageMemory bounds;     // brTreeBox [2 * objects]: of each object, and of where it may meet others
	brStageMemory sizes;      // int32_t [workers][gridSizeBins]
	brStageMemory counts;     // uint32_t [runs][buckets]
	brStageMemory order;      // uint32_t [keptCount + 16]
	brStageMemory cellStarts; // int32_t [buckets + 1]
	brStageMemory cells;      // brGridCell [cellCount]
	brStageMemory floats;     // the columns
	brStageMemory ints;
} brKdetGrid;

/// What goes into a grid.
typedef struct brGridDef
{
	const brBoxSource* source;
	const int32_t* objectStarts; // [objectCount + 1]
	int32_t objectCount;
	bool enableSelf;  // pairs within an object are wanted; if not, elements that no other object's box touches stay out
	bool tellCorners; // columns of corners, if the source has them
	uint32_t hash;    // as in grid_key.h
	int32_t layers;   // sizes of cells at most; 0: as many as there are sizes of elements
} brGridDef;

brResult brKdetGrid_Build(brKdetGrid* grid, const brAllocator* allocator, const brWideKernels* kernels,
						  brWorkers* workers, const brGridDef* def, brReport* report);
void brKdetGrid_Free(brKdetGrid* grid, const brAllocator* allocator);

/// The coordinate of a cell on an axis. Never falls as `x` rises, which is all the search relies on.
static inline int32_t brKdetGrid_CellOf(const brKdetGrid* grid, int32_t layer, int axis, float x)
{
	return 1 + (int32_t)(((double)x - grid->origin[axis]) * grid->invCellSize[layer]);
}

static inline uint32_t brKdetGrid_Bucket(const brKdetGrid* grid, uint64_t key)
{
	return brGridName_Hash(key, grid->hash) & ((1u << grid->bucketBits) - 1u);
}

/// The cell with this key, or null.
static inline const brGridCell* brKdetGrid_Find(const brKdetGrid* grid, uint64_t key)
{
	const int32_t* starts = (const int32_t*)grid->cellStarts.data + brKdetGrid_Bucket(grid, key);
	const brGridCell* cells = (const brGridCell*)grid->cells.data;
	for (int32_t i = starts[0]; i < starts[1]; ++i)
	{
		if (cells[i].key == key)
		{
			return &cells[i];
		}
	}
	return NULL;
}
