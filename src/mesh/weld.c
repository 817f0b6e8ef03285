// SPDX-License-Identifier: MIT

// Finding vertices at the same place, by a hash of positions or of cells.
//
// Exact: one open table of positions, filled in index order, so the first of equal ones is the one that stays.
//
// Within a distance d: cells of side d / sqrt(3), so that all points of a cell belong together without a look, and only
// cells up to two steps apart need one. For each such pair points are compared until one pair is near enough, and not
// at all if the cells are already joined. Cost is linear for points that are not crowded at distances just beyond d.

#include "mesh/weld.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

static uint64_t hashPosition(brDVec3 p)
{
	// Adding zero makes -0 and 0 the same bits.
	double coordinates[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
	uint64_t words[3];
	memcpy(words, coordinates, sizeof(words));
	return brHash64(words[0] + 0x9e3779b97f4a7c15u * brHash64(words[1] + 0x9e3779b97f4a7c15u * brHash64(words[2])));
}

static bool equalPositions(brDVec3 a, brDVec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Twice the count, rounded up to a power of two.
static int64_t weldTableSize(int32_t count)
{
	int64_t size = 16;
	while (size < 2 * (int64_t)count)
	{
		size *= 2;
	}
	return size;
}

// The slot that holds a position equal to p, or the empty one where it belongs.
static int32_t* findSlot(int32_t* table, int64_t tableSize, const brDVec3* positions, brDVec3 p)
{
	uint64_t mask = (uint64_t)tableSize - 1;
	uint64_t slot = hashPosition(p) & mask;
	while (table[slot] >= 0 && !equalPositions(positions[table[slot]], p))
	{
		slot = (slot + 1) & mask;
	}
	return &table[slot];
}

int32_t brFindEqualPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, int32_t* outFirst)
{
	int64_t tableSize = weldTableSize(count);
	int32_t* table = BR_ALLOC(allocator, int32_t, tableSize);
	if (table == NULL)
	{
		return -1;
	}
	memset(table, 0xff, (size_t)tableSize * sizeof(int32_t));
	int32_t repeated = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t* slot = findSlot(table, tableSize, positions, positions[i]);
		repeated += *slot >= 0;
		*slot = *slot >= 0 ? *slot : i;
		outFirst[i] = *slot;
	}
	BR_FREE(allocator, table, tableSize);
	return repeated;
}

typedef struct WeldGrid
{
	const brDVec3* positions;
	brDVec3* cells; // of each point, as whole numbers; equal cells are chained
	int32_t* table; // first point of each cell
	int32_t* nextInCell;
	int32_t* parents;
	int64_t tableSize;
	double distanceSq;
} WeldGrid;

// A whole number, unless the distance is but a few units in the last place of the coordinate: then only equal ones meet.
static double weldCell(double coordinate, double invSide)
{
	double cell = floor(coordinate * invSide);
	return fabs(cell) < 0x1p52 ? cell : coordinate;
}

static void joinNearCells(WeldGrid* grid, int32_t first, int32_t other)
{
	if (brFindRoot(grid->parents, first) == brFindRoot(grid->parents, other))
	{
		return;
	}
	for (int32_t a = first; a >= 0; a = grid->nextInCell[a])
	{
		for (int32_t b = other; b >= 0; b = grid->nextInCell[b])
		{
			if (brDLengthSq(brDSub(grid->positions[a], grid->positions[b])) <= grid->distanceSq)
			{
				brJoinRoots(grid->parents, a, b);
				return;
			}
		}
	}
}

static void joinAroundCell(WeldGrid* grid, int32_t first)
{
	for (int32_t step = 63; step < 125; ++step) // the half of the 5^3 neighbours behind the middle one
	{
		brDVec3 cell = brDAdd(grid->cells[first], (brDVec3){step / 25 - 2, step / 5 % 5 - 2, step % 5 - 2});
		int32_t other = *findSlot(grid->table, grid->tableSize, grid->cells, cell);
		if (other >= 0 && other != first)
		{
			joinNearCells(grid, first, other);
		}
	}
}

int32_t brFindNearPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, double distance,
							int32_t* outFirst)
{
	WeldGrid grid = {.positions = positions, .parents = outFirst, .distanceSq = distance * distance};
	grid.tableSize = weldTableSize(count);
	grid.cells = BR_ALLOC(allocator, brDVec3, count);
	grid.nextInCell = BR_ALLOC(allocator, int32_t, count);
	grid.table = BR_ALLOC(allocator, int32_t, grid.tableSize);
	int32_t joined = -1;
	if (grid.cells == NULL || grid.nextInCell == NULL || grid.table == NULL)
	{
		goto done;
	}

	// A little less than d / sqrt(3), so that rounding cannot put two points into one cell that are further apart.
	double invSide = 1.0 / (distance * 0.57735);
	memset(grid.table, 0xff, (size_t)grid.tableSize * sizeof(int32_t));
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = positions[i];
		grid.cells[i] = (brDVec3){weldCell(p.x, invSide), weldCell(p.y, invSide), weldCell(p.z, invSide)};
		outFirst[i] = i;
		grid.nextInCell[i] = -1;
		int32_t* slot = findSlot(grid.table, grid.tableSize, grid.cells, grid.cells[i]);
		if (*slot < 0)
		{
			*slot = i;
			continue;
		}
		grid.nextInCell[i] = grid.nextInCell[*slot];
		grid.nextInCell[*slot] = i;
		brJoinRoots(outFirst, *slot, i);
	}
	for (int64_t s = 0; s < grid.tableSize; ++s)
	{
		if (grid.table[s] >= 0)
		{
			joinAroundCell(&grid, grid.table[s]);
		}
	}
	joined = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		outFirst[i] = brFindRoot(outFirst, i);
		joined += outFirst[i] != i;
	}

done:
	BR_FREE(allocator, grid.cells, count);
	BR_FREE(allocator, grid.nextInCell, count);
	BR_FREE(allocator, grid.table, grid.tableSize);
	return joined;
}
