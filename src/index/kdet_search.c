// SPDX-License-Identifier: MIT

// All pairs of a hashed grid. A cell looks at itself, at the thirteen neighbors ahead of it on its own layer, and on
// each coarser layer at the cells that may hold something which reaches it. Every pair of cells is met once.

#include "index/kdet_grid.h"

#include "base/clock.h"
#include "index/pairs.h"

#if defined(__x86_64__) && !defined(BR_SCALAR)
#include <immintrin.h>
#endif

enum
{
	gridCellBlock = 32, // cells a worker takes at a time
	gridStretches = 16, // stretches of sixteen elements matched in one go
	gridFewCells = 27,  // a layer with no more than these is looked through, not looked up
};

typedef struct GridSearch
{
	brKdetGrid* grid;
	bool enableSelf, enableInter;
	bool isFiltered; // by object
	// Appends the pairs of two cells, or of one with itself, and returns how many boxes overlap.
	int64_t (*match)(const struct GridSearch* search, const brGridCell* a, const brGridCell* b, brPairBuffer* pairs);
	const int32_t* layerStarts; // first of the cells of each layer in layerList
	const int32_t* layerList;   // cells of layers with few of them
} GridSearch;

static bool gridBoundsTouch(const brGridCell* a, const brGridCell* b)
{
	bool touch = true;
	for (int k = 0; k < 3; ++k)
	{
		touch &= a->lower[k] <= b->upper[k] && b->lower[k] <= a->upper[k];
	}
	return touch;
}

// One by one

static bool gridSharesCorner(const brGridColumns* columns, int32_t i, int32_t j)
{
	for (int32_t k = 0; k < columns->cornersEach; ++k)
	{
		for (int32_t l = 0; l < columns->cornersEach; ++l)
		{
			if (columns->corners[k][i] == columns->corners[l][j])
			{
				return true;
			}
		}
	}
	return false;
}

static int64_t gridMatchScalar(const GridSearch* search, const brGridCell* a, const brGridCell* b, brPairBuffer* pairs)
{
	const brGridColumns* columns = &search->grid->columns;
	int64_t candidates = 0;
	for (int32_t i = a->begin; i < a->end; ++i)
	{
		for (int32_t j = a == b ? i + 1 : b->begin; j < b->end; ++j)
		{
			bool overlaps = true;
			for (int k = 0; k < 3; ++k)
			{
				overlaps &=
					columns->lower[k][i] <= columns->upper[k][j] && columns->lower[k][j] <= columns->upper[k][i];
			}
			bool isSame = !search->isFiltered || columns->objects == NULL || columns->objects[i] == columns->objects[j];
			if (!overlaps || !(isSame ? search->enableSelf : search->enableInter))
			{
				continue;
			}
			candidates += 1;
			if (gridSharesCorner(columns, i, j))
			{
				continue;
			}
			if (!brPairBuffer_Reserve(pairs, 1))
			{
				return candidates;
			}
			uint32_t x = columns->ids[i], y = columns->ids[j];
			pairs->pairs[pairs->count++] = (brPair){(int32_t)(x < y ? x : y), (int32_t)(x < y ? y : x)};
		}
	}
	return candidates;
}

// Sixteen at a time

#if defined(__x86_64__) && !defined(BR_SCALAR)
#define BR_GRID_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")))

BR_GRID_AVX512 static inline __mmask16 gridPresent(int32_t begin, int32_t end)
{
	int32_t count = end - begin < 16 ? end - begin : 16;
	return (__mmask16)((1u << count) - 1u);
}

// Which of elements [begin, end) touch the bounds of a cell.
BR_GRID_AVX512 static inline uint32_t gridRowsNear(const brGridColumns* columns, int32_t begin, int32_t end,
												   const brGridCell* cell)
{
	__mmask16 rows = gridPresent(begin, end);
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		rows = _mm512_mask_cmp_ps_mask(rows, _mm512_loadu_ps(columns->lower[k] + begin), _mm512_set1_ps(cell->upper[k]),
									   _CMP_LE_OQ);
		rows = _mm512_mask_cmp_ps_mask(rows, _mm512_loadu_ps(columns->upper[k] + begin), _mm512_set1_ps(cell->lower[k]),
									   _CMP_GE_OQ);
	}
	return rows;
}

// Sixteen pairs of a row and a lane of two stretches of sixteen.
typedef struct GridBatch
{
	int32_t firstRow, firstLane;
	__m512i rows, lanes; // only the lowest four bits count
} GridBatch;

// Pairs that share no corner.
BR_GRID_AVX512 static inline __mmask16 gridDropNeighbors(const brGridColumns* columns, const GridBatch* batch,
														 __mmask16 mask)
{
	__m512i mine[4], others[4];
	int32_t count = columns->cornersEach;
	BR_UNROLL
	for (int k = 0; k < 4; ++k)
	{
		// What there is too few of is repeated.
		const int32_t* column = columns->corners[k < count ? k : 0];
		mine[k] = _mm512_permutexvar_epi32(batch->rows, _mm512_loadu_si512(column + batch->firstRow));
		others[k] = _mm512_permutexvar_epi32(batch->lanes, _mm512_loadu_si512(column + batch->firstLane));
	}
	__mmask16 left[4];
	BR_UNROLL
	for (int k = 0; k < 4; ++k)
	{
		left[k] = _mm512_mask_cmpneq_epi32_mask(mask, mine[k], others[0]);
		left[k] = _mm512_mask_cmpneq_epi32_mask(left[k], mine[k], others[1]);
		left[k] = _mm512_mask_cmpneq_epi32_mask(left[k], mine[k], others[2]);
		left[k] = _mm512_mask_cmpneq_epi32_mask(left[k], mine[k], others[3]);
	}
	return left[0] & left[1] & left[2] & left[3];
}

// Pairs of objects that are asked for.
BR_GRID_AVX512 static inline __mmask16 gridDropObjects(const GridSearch* search, const GridBatch* batch, __mmask16 mask)
{
	const uint32_t* objects = search->grid->columns.objects;
	__m512i mine = _mm512_permutexvar_epi32(batch->rows, _mm512_loadu_si512(objects + batch->firstRow));
	__m512i others = _mm512_permutexvar_epi32(batch->lanes, _mm512_loadu_si512(objects + batch->firstLane));
	return search->enableSelf ? _mm512_mask_cmpeq_epi32_mask(mask, mine, others)
							  : _mm512_mask_cmpneq_epi32_mask(mask, mine, others);
}

// Writes pairs of lanes of a and b, smaller first.
BR_GRID_AVX512 static inline void gridEmit(__m512i a, __m512i b, int32_t count, brPair* out)
{
	const __m512i first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
	const __m512i second = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
	__m512i smaller = _mm512_min_epu32(a, b), larger = _mm512_max_epu32(a, b);
	_mm512_storeu_si512(out, _mm512_permutex2var_epi32(smaller, first, larger));
	if (count > 8)
	{
		_mm512_storeu_si512(out + 8, _mm512_permutex2var_epi32(smaller, second, larger));
	}
}

// Rows whose boxes overlap those of sixteen lanes, as 16 row + lane. Returns how many; may write 16 more.
BR_GRID_AVX512 static inline int32_t gridMatchLanes(const brGridColumns* columns, int32_t firstRow, uint32_t rows,
													int32_t firstLane, int32_t end, bool isSame, int32_t* outPlaces)
{
	const __m512i counting = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	__mmask16 present = gridPresent(firstLane, end);
	__m512 lower[3], upper[3];
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		lower[k] = _mm512_loadu_ps(columns->lower[k] + firstLane);
		upper[k] = _mm512_loadu_ps(columns->upper[k] + firstLane);
	}
	int32_t count = 0;
	for (; rows != 0; rows &= rows - 1)
	{
		uint32_t row = (uint32_t)__builtin_ctz(rows);
		int32_t at = firstRow + (int32_t)row;
		__mmask16 below = (__mmask16)(isSame ? 0xFFFEu << row : 0xFFFFu) & present, above = 0xFFFF;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			below = _mm512_mask_cmp_ps_mask(below, lower[k], _mm512_set1_ps(columns->upper[k][at]), _CMP_LE_OQ);
			above = _mm512_mask_cmp_ps_mask(above, upper[k], _mm512_set1_ps(columns->lower[k][at]), _CMP_GE_OQ);
		}
		__mmask16 mask = below & above;
		__m512i places = _mm512_add_epi32(counting, _mm512_set1_epi32((int32_t)(16 * row)));
		_mm512_storeu_si512(outPlaces + count, _mm512_maskz_compress_epi32(mask, places));
		count += __builtin_popcount(mask);
	}
	return count;
}

// Drops what is not asked for and writes the rest.
BR_GRID_AVX512 static inline int64_t gridEmitPlaces(const GridSearch* search, int32_t firstRow, int32_t firstLane,
													const int32_t* places, int32_t count, brPairBuffer* pairs)
{
	const brGridColumns* columns = &search->grid->columns;
	__m512i myIds = _mm512_loadu_si512(columns->ids + firstRow), ids = _mm512_loadu_si512(columns->ids + firstLane);
	brPair* out = pairs->pairs + pairs->count;
	int64_t candidates = 0;
	for (int32_t i = 0; i < count; i += 16)
	{
		__mmask16 mask = gridPresent(i, count);
		GridBatch batch = {.firstRow = firstRow, .firstLane = firstLane, .lanes = _mm512_loadu_si512(places + i)};
		batch.rows = _mm512_srli_epi32(batch.lanes, 4);
		mask = search->isFiltered ? gridDropObjects(search, &batch, mask) : mask;
		candidates += __builtin_popcount(mask);
		mask = columns->cornersEach > 0 ? gridDropNeighbors(columns, &batch, mask) : mask;
		__m512i a = _mm512_maskz_compress_epi32(mask, _mm512_permutexvar_epi32(batch.rows, myIds));
		__m512i b = _mm512_maskz_compress_epi32(mask, _mm512_permutexvar_epi32(batch.lanes, ids));
		int32_t kept = __builtin_popcount(mask);
		gridEmit(a, b, kept, out);
		out += kept;
	}
	pairs->count = out - pairs->pairs;
	return candidates;
}

// All places of a stretch of rows are listed before any is read, so that none is read on its way to memory.
BR_GRID_AVX512 static int64_t gridMatchAvx512(const GridSearch* search, const brGridCell* a, const brGridCell* b,
											  brPairBuffer* pairs)
{
	const brGridColumns* columns = &search->grid->columns;
	int32_t places[(16 * gridStretches + 1) * 16], ends[gridStretches];
	int64_t candidates = 0;
	for (int32_t i = a->begin; i < a->end; i += 16)
	{
		uint32_t rows = gridRowsNear(columns, i, a->end, b);
		for (int32_t j = a == b ? i : b->begin; j < b->end && rows != 0; j += 16 * gridStretches)
		{
			int32_t count = 0, stretches = 0, from = 0;
			for (int32_t k = j; k < b->end && stretches < gridStretches; k += 16)
			{
				count += gridMatchLanes(columns, i, rows, k, b->end, a == b && i == k, places + count);
				ends[stretches++] = count;
			}
			if (pairs->capacity - pairs->count < count + 16 && !brPairBuffer_Reserve(pairs, count + 16))
			{
				return candidates;
			}
			for (int32_t k = 0; k < stretches; ++k)
			{
				candidates += gridEmitPlaces(search, i, j + 16 * k, places + from, ends[k] - from, pairs);
				from = ends[k];
			}
		}
	}
	return candidates;
}
#endif

// Cells

static int64_t gridMatchAhead(const GridSearch* search, const brGridCell* cell, brPairBuffer* pairs)
{
	int64_t candidates = 0;
	int32_t layer = brGridKey_Layer(cell->key), at[3];
	bool reaches[3]; // into the next cell
	for (int k = 0; k < 3; ++k)
	{
		at[k] = brGridKey_Axis(cell->key, k);
		reaches[k] = brKdetGrid_CellOf(search->grid, layer, k, cell->upper[k]) > at[k];
	}
	for (int32_t step = 14; step < 27; ++step) // (x, y, z) = -1 ... 1 as digits; 13 is the cell itself
	{
		int32_t d[3] = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
		if ((d[0] > 0 && !reaches[0]) || (d[1] > 0 && !reaches[1]) || (d[2] > 0 && !reaches[2]))
		{
			continue;
		}
		int32_t there[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
		const brGridCell* other = brKdetGrid_Find(search->grid, brGridKey(layer, there));
		if (other != NULL && gridBoundsTouch(cell, other))
		{
			candidates += search->match(search, cell, other, pairs);
		}
	}
	return candidates;
}

static int64_t gridMatchCoarser(const GridSearch* search, const brGridCell* cell, int32_t layer, brPairBuffer* pairs)
{
	const brKdetGrid* grid = search->grid;
	const brGridCell* cells = grid->cells.data;
	int64_t candidates = 0;
	if (grid->layerCells[layer] <= gridFewCells)
	{
		for (int32_t i = search->layerStarts[layer]; i < search->layerStarts[layer + 1]; ++i)
		{
			const brGridCell* other = &cells[search->layerList[i]];
			candidates += gridBoundsTouch(cell, other) ? search->match(search, cell, other, pairs) : 0;
		}
		return candidates;
	}
	int32_t first[3], last[3], there[3];
	for (int k = 0; k < 3; ++k)
	{
		first[k] = brKdetGrid_CellOf(grid, layer, k, cell->lower[k]) - 1; // one that reaches into its next
		last[k] = brKdetGrid_CellOf(grid, layer, k, cell->upper[k]);
	}
	for (there[2] = first[2]; there[2] <= last[2]; ++there[2])
	{
		for (there[1] = first[1]; there[1] <= last[1]; ++there[1])
		{
			for (there[0] = first[0]; there[0] <= last[0]; ++there[0])
			{
				const brGridCell* other = brKdetGrid_Find(grid, brGridKey(layer, there));
				if (other != NULL && gridBoundsTouch(cell, other))
				{
					candidates += search->match(search, cell, other, pairs);
				}
			}
		}
	}
	return candidates;
}

static int64_t gridFindInBlock(int32_t block, int32_t worker, brPairBuffer* pairs, void* user)
{
	(void)worker;
	const GridSearch* search = user;
	const brKdetGrid* grid = search->grid;
	const brGridCell* cells = grid->cells.data;
	int32_t begin = block * gridCellBlock;
	int32_t end = grid->cellCount - begin < gridCellBlock ? grid->cellCount : begin + gridCellBlock;
	int64_t candidates = 0;
	for (int32_t i = begin; i < end && !pairs->isFull; ++i)
	{
		candidates += search->match(search, &cells[i], &cells[i], pairs);
		candidates += gridMatchAhead(search, &cells[i], pairs);
		for (int32_t layer = brGridKey_Layer(cells[i].key) + 1; layer < grid->layerCount; ++layer)
		{
			candidates += grid->layerCells[layer] > 0 ? gridMatchCoarser(search, &cells[i], layer, pairs) : 0;
		}
	}
	return candidates;
}

// Lists the cells of layers with few of them.
static void gridListFew(const brKdetGrid* grid, int32_t starts[BR_GRID_LAYERS + 1],
						int32_t list[BR_GRID_LAYERS * gridFewCells])
{
	int32_t filled[BR_GRID_LAYERS];
	starts[0] = 0;
	for (int32_t layer = 0; layer < BR_GRID_LAYERS; ++layer)
	{
		filled[layer] = starts[layer];
		starts[layer + 1] = starts[layer] + (grid->layerCells[layer] <= gridFewCells ? grid->layerCells[layer] : 0);
	}
	const brGridCell* cells = grid->cells.data;
	for (int32_t i = 0; i < grid->cellCount; ++i)
	{
		int32_t layer = brGridKey_Layer(cells[i].key);
		if (grid->layerCells[layer] <= gridFewCells)
		{
			list[filled[layer]++] = i;
		}
	}
}

static void kdetInit(void* state, const brPairSearch* search)
{
	brKdetGrid* grid = state;
	grid->maker.allocator = search->allocator;
	grid->maker.kernels = search->trees[0].kernels;
}

static void kdetFree(void* state)
{
	brKdetGrid* grid = state;
	brAllocator allocator = grid->maker.allocator;
	brKdetGrid_Free(grid, &allocator);
}

static brResult kdetFind(void* state, brPairSearch* search, const brPairRun* run, brReport* report)
{
	brKdetGrid* grid = state;
	const brBoxSource* source = run->source;
	int32_t treeCount = run->treeCount;
	brWorkers* workers = run->context != NULL ? run->context->workers : NULL;
	int64_t start = brClockNanoseconds();
	const brWideKernels* kernels = search->trees[0].kernels;
	bool enableInter = search->def.enableInter && treeCount > 1, enableSelf = search->def.enableSelf;
	if (source->count == 0 || (!enableInter && !enableSelf))
	{
		// Bad boxes are still refused.
		return brBoxMaker_Prepare(&grid->maker, workers, source, report);
	}
	brKdetSettings settings = search->def.engine != NULL ? search->def.engine->kdet : (brKdetSettings){0};
	brGridDef def = {.source = source,
					 .objectStarts = run->treeStarts,
					 .objectCount = treeCount,
					 .enableSelf = enableSelf,
					 .tellCorners = search->def.skipNeighbors,
					 .hash = settings.hash,
					 .layers = settings.layers};
	brResult result = brKdetGrid_Build(grid, &search->allocator, kernels, workers, &def, report);
	if (result < 0)
	{
		return result;
	}
	search->stages.build = brSecondsSince(start);
	start = brClockNanoseconds();
	int32_t layerStarts[BR_GRID_LAYERS + 1], layerList[BR_GRID_LAYERS * gridFewCells];
	gridListFew(grid, layerStarts, layerList);
	GridSearch job = {.grid = grid,
					  .enableSelf = enableSelf,
					  .enableInter = enableInter,
					  .isFiltered = treeCount > 1 && enableSelf != enableInter,
					  .match = gridMatchScalar,
					  .layerStarts = layerStarts,
					  .layerList = layerList};
#if defined(__x86_64__) && !defined(BR_SCALAR)
	job.match = kernels->lanes == 16 ? gridMatchAvx512 : job.match;
#endif
	// A tet has about thirty neighbors ahead of it.
	int64_t each = settings.pairsEach > 0 ? settings.pairsEach : enableSelf && !def.tellCorners ? 16 : 1;
	int64_t room = each * source->count;
	int32_t blockCount = (grid->cellCount + gridCellBlock - 1) / gridCellBlock;
	result = brCollectPairs(search, workers, blockCount, room, gridFindInBlock, &job, report);
	search->stages.search = brSecondsSince(start);
	return result;
}

const brPairEngine brKdetEngine = {.method = br_pairsKdet,
								   .device = br_deviceKdet,
								   .stateBytes = sizeof(brKdetGrid),
								   .init = kdetInit,
								   .free = kdetFree,
								   .find = kdetFind};
