// SPDX-License-Identifier: MIT

// Finding points at the same place, by a hash of positions or of cells.
//
// Exact: one open table, filled in order, so the first of equal points is the one that stays. Random access to memory
// is what welding costs, so points are taken in batches: all entries of a batch are fetched first, then, if the batch
// before was scattered over the list, all positions they name, then the batch is resolved in order. Points made to
// collide would turn this quadratic: steps are counted, and when there are more than honest points need the table is
// hashed anew with a salt taken from the points themselves.
//
// Within a distance d: cells of side d / sqrt(3), so that all points of a cell belong together without a look, and only
// cells up to two steps apart need one. For each such pair points are compared until one pair is near enough, and not
// at all if the cells are already joined. Cost is linear for points that are not crowded at distances just beyond d.

#include "mesh/weld.h"
#include "base/forest.h"

#include "base/hash.h"

#include <string.h>

#define WELD_BATCH 64
#define WELD_STEPS_PER_POINT 8 // a table at most half full needs less than two
#define WELD_MAX_DEBT 4096
#define WELD_NEAR 16384 // positions that were entered this recently are still in the cache

static inline uint64_t weldBits(double x)
{
	x += 0.0; // -0 becomes 0
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline uint64_t weldHash(brDVec3 p, uint64_t salt)
{
	uint64_t xy = brHashFold(weldBits(p.x) ^ salt ^ 0x9e3779b97f4a7c15u, weldBits(p.y) ^ salt ^ 0xbf58476d1ce4e5b9u);
	return brHashFold(xy ^ weldBits(p.z), salt ^ 0x94d049bb133111ebu);
}

static inline bool weldEqual(brDVec3 a, brDVec3 b)
{
	return (a.x == b.x) & (a.y == b.y) & (a.z == b.z);
}

// The table

static inline int64_t weldCapacity(const brWeldTable* table)
{
	return (int64_t)1 << table->logCapacity;
}

static inline uint64_t weldSlot(const brWeldTable* table, uint64_t hash)
{
	return hash >> (64 - table->logCapacity);
}

// Of the bits of an entry that hold number + 1. Half the capacity and more is never reached, nor 2^31.
static inline uint32_t weldNumberMask(const brWeldTable* table)
{
	return ((uint32_t)1 << (table->logCapacity < 31 ? table->logCapacity : 31)) - 1;
}

static bool weldAllocTable(brWeldTable* table, const brAllocator* allocator, int64_t expectedPoints)
{
	table->logCapacity = 8;
	while (weldCapacity(table) < 3 * expectedPoints)
	{
		table->logCapacity += 1;
	}
	table->entries = BR_ALLOC_ZERO(allocator, uint32_t, weldCapacity(table));
	return table->entries != NULL;
}

static void weldFreeTable(brWeldTable* table, const brAllocator* allocator)
{
	BR_FREE(allocator, table->entries, weldCapacity(table));
	table->entries = NULL;
}

// The number of the point at p, or -1.
static int32_t weldFind(const brWeldTable* table, const brDVec3* points, brDVec3 p)
{
	uint64_t hash = weldHash(p, table->salt);
	uint32_t numberMask = weldNumberMask(table);
	uint64_t slotMask = (uint64_t)weldCapacity(table) - 1;
	for (uint64_t slot = weldSlot(table, hash); table->entries[slot] != 0; slot = (slot + 1) & slotMask)
	{
		uint32_t entry = table->entries[slot];
		int32_t number = (int32_t)(entry & numberMask) - 1;
		if (((entry ^ (uint32_t)hash) & ~numberMask) == 0 && weldEqual(points[number], p))
		{
			return number;
		}
	}
	return -1;
}

// Enters all points that are the first at their place into an empty table; `first` null: all are.
static void weldFillTable(brWeldTable* table, const brDVec3* points, int32_t count, const int32_t* first)
{
	uint32_t numberMask = weldNumberMask(table);
	uint64_t slotMask = (uint64_t)weldCapacity(table) - 1;
	for (int32_t i = 0; i < count; ++i)
	{
		if (first == NULL || first[i] == i)
		{
			uint64_t hash = weldHash(points[i], table->salt);
			uint64_t slot = weldSlot(table, hash);
			while (table->entries[slot] != 0)
			{
				slot = (slot + 1) & slotMask;
			}
			table->entries[slot] = ((uint32_t)hash & ~numberMask) | ((uint32_t)i + 1);
		}
	}
}

static void weldResaltIfSlow(brWeldTable* table, const brDVec3* points, int32_t count, const int32_t* first)
{
	if (table->debt > WELD_MAX_DEBT)
	{
		table->salt = brHashBytes(table->salt, points, (size_t)count * sizeof(brDVec3));
		table->debt = 0;
		memset(table->entries, 0, (size_t)weldCapacity(table) * sizeof(uint32_t));
		weldFillTable(table, points, count, first);
	}
}

// Looks up a batch of points and enters the new ones, which either are vertices already, the first of the batch being
// number `used`, or become vertices in order from there on. Returns the number of the next. The table has room for all.
// Inlined, so that each of the two kinds gets a loop of its own.
__attribute__((always_inline)) static inline int32_t weldBatch(brWeldTable* table, brDVec3* vertices, int32_t used,
															   const brDVec3* points, int32_t count, bool areVertices,
															   int32_t* outNumbers)
{
	uint32_t* entries = table->entries;
	uint32_t numberMask = weldNumberMask(table);
	uint64_t slotMask = (uint64_t)weldCapacity(table) - 1;
	uint64_t hashes[WELD_BATCH];
	for (int32_t i = 0; i < count; ++i)
	{
		hashes[i] = weldHash(points[i], table->salt);
		__builtin_prefetch(&entries[weldSlot(table, hashes[i])], 1);
	}
	for (int32_t i = 0; i < count && table->isScattered; ++i)
	{
		uint32_t entry = entries[weldSlot(table, hashes[i])];
		__builtin_prefetch(&vertices[entry != 0 ? (int32_t)(entry & numberMask) - 1 : used]);
	}
	int64_t steps = 0;
	int32_t farCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t next = areVertices ? used + i : used;
		uint32_t tag = (uint32_t)hashes[i] & ~numberMask;
		for (uint64_t slot = weldSlot(table, hashes[i]);; slot = (slot + 1) & slotMask, ++steps)
		{
			uint32_t entry = entries[slot];
			int32_t number = (int32_t)(entry & numberMask) - 1;
			if (entry == 0)
			{
				entries[slot] = tag | ((uint32_t)next + 1);
				outNumbers[i] = next;
				if (!areVertices)
				{
					vertices[used++] = points[i];
				}
				break;
			}
			if ((entry & ~numberMask) == tag && weldEqual(vertices[number], points[i]))
			{
				outNumbers[i] = number;
				farCount += next - number > WELD_NEAR;
				break;
			}
		}
	}
	table->isScattered = farCount > count / 8;
	table->debt += steps - WELD_STEPS_PER_POINT * (int64_t)count;
	return areVertices ? used + count : used;
}

// Points in a stream

bool brPointWeld_Init(brPointWeld* weld, const brAllocator* allocator, int64_t expectedVertices)
{
	memset(weld, 0, sizeof(*weld));
	weld->allocator = *allocator;
	expectedVertices = expectedVertices < INT32_MAX ? expectedVertices : INT32_MAX;
	return weldAllocTable(&weld->table, allocator, expectedVertices) &&
		   BR_RESERVE(allocator, &weld->positions, expectedVertices);
}

void brPointWeld_Free(brPointWeld* weld)
{
	BR_FREE_ARRAY(&weld->allocator, &weld->positions);
	weldFreeTable(&weld->table, &weld->allocator);
}

static bool weldGrow(brPointWeld* weld)
{
	brWeldTable larger = {.salt = weld->table.salt, .debt = weld->table.debt};
	if (!weldAllocTable(&larger, &weld->allocator, weldCapacity(&weld->table)))
	{
		return false;
	}
	weldFillTable(&larger, weld->positions.data, weld->positions.count, NULL);
	weldFreeTable(&weld->table, &weld->allocator);
	weld->table = larger;
	return true;
}

bool brPointWeld_Add(brPointWeld* weld, const brDVec3* points, int32_t count, int32_t* outVertices)
{
	for (int32_t begin = 0; begin < count; begin += WELD_BATCH)
	{
		int32_t batch = count - begin < WELD_BATCH ? count - begin : WELD_BATCH;
		int64_t needed = 2 * ((int64_t)weld->positions.count + batch);
		if ((needed > weldCapacity(&weld->table) && !weldGrow(weld)) ||
			!BR_RESERVE(&weld->allocator, &weld->positions, batch))
		{
			return false;
		}
		weld->positions.count = weldBatch(&weld->table, weld->positions.data, weld->positions.count, points + begin,
										  batch, false, outVertices + begin);
		weldResaltIfSlow(&weld->table, weld->positions.data, weld->positions.count, NULL);
	}
	return true;
}

// Points in an array

// Enters all points into the table and gives each the first at its place. Returns how many are not the first.
static int32_t weldInPlace(brWeldTable* table, const brDVec3* points, int32_t count, int32_t* outFirst)
{
	int32_t repeated = 0;
	for (int32_t begin = 0; begin < count; begin += WELD_BATCH)
	{
		int32_t batch = count - begin < WELD_BATCH ? count - begin : WELD_BATCH;
		weldBatch(table, (brDVec3*)points, begin, points + begin, batch, true, outFirst + begin); // nothing is stored
		weldResaltIfSlow(table, points, begin + batch, outFirst);
		for (int32_t i = begin; i < begin + batch; ++i)
		{
			repeated += outFirst[i] != i;
		}
	}
	return repeated;
}

int32_t brFindEqualPositions(const brAllocator* allocator, const brDVec3* positions, int32_t count, int32_t* outFirst)
{
	brWeldTable table = {0};
	int32_t repeated = weldAllocTable(&table, allocator, count) ? weldInPlace(&table, positions, count, outFirst) : -1;
	weldFreeTable(&table, allocator);
	return repeated;
}

// Points within a distance

typedef struct WeldGrid
{
	const brDVec3* positions;
	brDVec3* cells;    // of each point, as whole numbers; equal cells are chained
	brWeldTable table; // first point of each cell
	int32_t* nextInCell;
	int32_t* parents;
	double distanceSq;
} WeldGrid;

// A whole number, unless the distance is but a few units in the last place of the coordinate: then only equal ones
// meet.
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
	for (int32_t step = 63; step < 125; ++step) // the half of the 5^3 neighbors behind the middle one
	{
		brDVec3 cell = brDAdd(grid->cells[first], (brDVec3){step / 25 - 2, step / 5 % 5 - 2, step % 5 - 2});
		int32_t other = weldFind(&grid->table, grid->cells, cell);
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
	grid.cells = BR_ALLOC(allocator, brDVec3, count);
	grid.nextInCell = BR_ALLOC(allocator, int32_t, count);
	bool hasTable = weldAllocTable(&grid.table, allocator, count);
	int32_t joined = -1;
	if (grid.cells == NULL || grid.nextInCell == NULL || !hasTable)
	{
		goto done;
	}

	// A little less than d / sqrt(3), so that rounding cannot put two points into one cell that are further apart.
	double invSide = 1.0 / (distance * 0.57735);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = positions[i];
		grid.cells[i] = (brDVec3){weldCell(p.x, invSide), weldCell(p.y, invSide), weldCell(p.z, invSide)};
		outFirst[i] = i;
	}
	weldInPlace(&grid.table, grid.cells, count, grid.nextInCell);

	// The first of its cell becomes the head of a list, the others go in behind it.
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t first = grid.nextInCell[i];
		grid.nextInCell[i] = -1;
		if (first != i)
		{
			grid.nextInCell[i] = grid.nextInCell[first];
			grid.nextInCell[first] = i;
			brJoinRoots(outFirst, first, i);
		}
	}
	for (int64_t s = 0; s < weldCapacity(&grid.table); ++s)
	{
		if (grid.table.entries[s] != 0)
		{
			joinAroundCell(&grid, (int32_t)(grid.table.entries[s] & weldNumberMask(&grid.table)) - 1);
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
	weldFreeTable(&grid.table, allocator);
	return joined;
}
