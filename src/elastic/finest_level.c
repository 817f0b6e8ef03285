// SPDX-License-Identifier: MIT

// The finest level: the stiffness in float, rows and columns of held axes replaced by those of the identity.
//
// Inside a lattice one row is like another, and reading the matrix is most of what an iteration costs. So rows of large
// bodies that are alike share their blocks: those of a lattice then stay in the cache, and three million unknowns need
// a third of the memory. Entries that would be 0 but for the rounding of nodes' places would tell such rows apart, so
// they are rounded to it.

#include "elastic/coarsen.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

// Smaller matrices stay in the cache whole.
#define FINEST_SHARED_COUNT 8192

#define FINEST_BITS 40          // below the largest entry of a row: what is smaller is rounding of the places of nodes
#define FINEST_ROUNDER 0x1.8p52 // times a step: added and taken away, it leaves a double a multiple of that step

typedef struct FinestJob
{
	const brHierarchyDef* def;
	brLevel* level;
	double scale;
	uint64_t* hashes;  // [rows] of what is in them; null: none shares
	uint8_t* isShared; // [rows] has the blocks of an earlier one
} FinestJob;

static double finestRounder(const brBlockMatrix* matrix, double scale, int32_t row)
{
	double most = 0.0;
	for (int64_t i = 9 * (int64_t)matrix->starts[row]; i < 9 * (int64_t)matrix->starts[row + 1]; ++i)
	{
		double size = fabs(matrix->blocks[i]);
		most = size > most ? size : most;
	}
	int exponent;
	frexp(scale * most, &exponent);
	return ldexp(FINEST_ROUNDER, exponent - FINEST_BITS);
}

// The k-th block, in this row.
static void finestBlock(const FinestJob* job, int32_t row, int32_t k, double rounder, float to[9])
{
	const brBlockMatrix* matrix = job->def->matrix;
	int32_t column = matrix->columns[k];
	const double* from = matrix->blocks + 9 * (size_t)k;
	uint32_t heldRow = job->def->held[row], heldColumn = job->def->held[column];
	for (int i = 0; i < 9; ++i)
	{
		to[i] = (float)(job->scale * from[i] + rounder - rounder);
	}
	for (int i = 0; i < 9 && (heldRow | heldColumn) != 0; ++i)
	{
		bool isHeld = (heldRow >> i % 3 & 1) != 0 || (heldColumn >> i / 3 & 1) != 0;
		to[i] = isHeld ? (row == column && i % 3 == i / 3 ? 1.0f : 0.0f) : to[i];
	}
}

static void finestHashRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FinestJob* job = user;
	const brBlockMatrix* matrix = job->def->matrix;
	for (int32_t row = begin; row < end; ++row)
	{
		double rounder = finestRounder(matrix, job->scale, row);
		uint64_t hash = BR_HASH_SEED;
		for (int32_t k = matrix->starts[row]; k < matrix->starts[row + 1]; ++k)
		{
			float block[10] = {0.0f};
			uint64_t words[5];
			finestBlock(job, row, k, rounder, block);
			memcpy(words, block, sizeof(words));
			hash = brHash64(hash ^ brHashFold(words[0] ^ 0x9e3779b97f4a7c15u, words[1] ^ 0xbf58476d1ce4e5b9u) ^
							brHashFold(words[2] ^ 0x94d049bb133111ebu, words[3] ^ 0xc2b2ae3d27d4eb4fu) ^
							brHash64(words[4] + 1));
		}
		job->hashes[row] = hash;
	}
}

static void finestFillRows(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	FinestJob* job = user;
	const brBlockMatrix* matrix = job->def->matrix;
	const brLevel* level = job->level;
	for (int32_t row = begin; row < end; ++row)
	{
		if (job->hashes != NULL && job->isShared[row] != 0)
		{
			continue;
		}
		double rounder = job->hashes != NULL ? finestRounder(matrix, job->scale, row) : 0.0;
		float* to = level->blocks + 9 * (size_t)level->firsts[row];
		for (int32_t k = matrix->starts[row]; k < matrix->starts[row + 1]; ++k, to += 9)
		{
			finestBlock(job, row, k, rounder, to);
		}
	}
}

// Rows of the same hash share the blocks of the first one: by 64 bits that they are not alike is as good as impossible,
// and would cost iterations only. Returns how many blocks there are.
static int32_t finestShare(const FinestJob* job, int32_t* table, uint32_t tableSize)
{
	const brLevel* level = job->level;
	const int32_t* starts = level->starts;
	int32_t total = 0;
	memset(table, 0xff, tableSize * sizeof(int32_t));
	for (int32_t row = 0; row < level->nodeCount; ++row)
	{
		uint32_t slot = (uint32_t)job->hashes[row] & (tableSize - 1);
		int32_t count = starts[row + 1] - starts[row], other = table[slot];
		while (other >= 0 && (job->hashes[other] != job->hashes[row] || starts[other + 1] - starts[other] != count))
		{
			slot = (slot + 1) & (tableSize - 1);
			other = table[slot];
		}
		job->isShared[row] = other >= 0 ? 1 : 0;
		table[slot] = other >= 0 ? other : row;
		level->firsts[row] = other >= 0 ? level->firsts[other] : total;
		total += other >= 0 ? 0 : count;
	}
	return total;
}

static bool finestMakeBlocks(FinestJob* job, const brAllocator* allocator, brWorkers* workers)
{
	brLevel* level = job->level;
	int32_t rows = level->nodeCount;
	uint32_t tableSize = 1;
	while (tableSize < 2 * (uint32_t)rows)
	{
		tableSize *= 2;
	}
	bool isLarge = rows >= FINEST_SHARED_COUNT, good = true;
	int64_t hashCount = isLarge ? rows : 0, tableCount = isLarge ? tableSize : 0;
	uint64_t* hashes = BR_ALLOC(allocator, uint64_t, hashCount);
	job->isShared = BR_ALLOC(allocator, uint8_t, hashCount);
	int32_t* table = BR_ALLOC(allocator, int32_t, tableCount);
	level->firsts = isLarge ? BR_ALLOC(allocator, int32_t, rows) : level->starts;
	level->blockCount = level->starts[rows];
	good = hashes != NULL && job->isShared != NULL && table != NULL && level->firsts != NULL;
	if (good && isLarge)
	{
		job->hashes = hashes;
		brParallelFor(workers, rows, BR_VECTOR_BLOCK, finestHashRows, job);
		level->blockCount = finestShare(job, table, tableSize);
	}
	level->blocks = good ? BR_ALLOC(allocator, float, 9 * (int64_t)level->blockCount + BR_LEVEL_PADDING) : NULL;
	good = level->blocks != NULL;
	if (good)
	{
		memset(level->blocks + 9 * (size_t)level->blockCount, 0, BR_LEVEL_PADDING * sizeof(float));
		brParallelFor(workers, rows, BR_VECTOR_BLOCK, finestFillRows, job);
	}
	BR_FREE(allocator, hashes, hashCount);
	BR_FREE(allocator, job->isShared, hashCount);
	BR_FREE(allocator, table, tableCount);
	return good;
}

typedef struct FinestScale
{
	const brBlockMatrix* matrix;
	double* most; // [blocks of rows]
} FinestScale;

static void finestMostRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FinestScale* job = user;
	const brBlockMatrix* matrix = job->matrix;
	double most = 0.0;
	for (int32_t row = begin; row < end; ++row)
	{
		int32_t k = matrix->starts[row];
		while (k < matrix->starts[row + 1] && matrix->columns[k] != row)
		{
			k += 1;
		}
		most = k < matrix->starts[row + 1] ? fmax(most, matrix->blocks[9 * (size_t)k]) : most;
	}
	job->most[begin / BR_VECTOR_BLOCK] = most;
}

// The largest entry of a matrix of this kind is on its diagonal. False without memory.
static bool finestScale(const brBlockMatrix* matrix, const brAllocator* allocator, brWorkers* workers, double* outScale)
{
	int32_t blocks = brVectorBlocks(matrix->rowCount);
	FinestScale job = {matrix, BR_ALLOC(allocator, double, blocks)};
	if (job.most == NULL)
	{
		return false;
	}
	brParallelFor(workers, matrix->rowCount, BR_VECTOR_BLOCK, finestMostRange, &job);
	double most = 0.0;
	for (int32_t i = 0; i < blocks; ++i)
	{
		most = fmax(most, job.most[i]);
	}
	BR_FREE(allocator, job.most, blocks);
	*outScale = most > 0.0 ? 1.0 / most : 1.0;
	return true;
}

// What the level has of its own of the matrix and the body.
static void finestCopyRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const FinestJob* job = user;
	const brHierarchyDef* def = job->def;
	const brLevel* level = job->level;
	size_t first = (size_t)level->starts[begin], rows = (size_t)(end - begin);
	memcpy(level->columns + first, def->matrix->columns + first,
		   ((size_t)level->starts[end] - first) * sizeof(int32_t));
	memcpy(level->places + begin, def->positions + begin, rows * sizeof(brDVec3));
	memcpy(level->parts + begin, def->parts + begin, rows * sizeof(int32_t));
	memset(level->noises + 3 * (size_t)begin, 0, 3 * rows * sizeof(float));
}

bool brLevel_MakeFinest(brLevel* level, const brHierarchyDef* def, const brAllocator* allocator, brWorkers* workers,
						double* outScale)
{
	const brBlockMatrix* matrix = def->matrix;
	int32_t rows = matrix->rowCount, total = matrix->starts[rows];
	level->nodeCount = rows;
	level->size = 3;
	level->starts = BR_ALLOC(allocator, int32_t, rows + 1);
	if (level->starts == NULL)
	{
		return false;
	}
	memcpy(level->starts, matrix->starts, ((size_t)rows + 1) * sizeof(int32_t));
	level->columns = BR_ALLOC(allocator, int32_t, total);
	level->places = BR_ALLOC(allocator, brDVec3, rows);
	level->noises = BR_ALLOC(allocator, float, 3 * (int64_t)rows);
	level->parts = BR_ALLOC(allocator, int32_t, rows);
	if (level->columns == NULL || level->places == NULL || level->parts == NULL || level->noises == NULL)
	{
		return false;
	}
	FinestJob job = {.def = def, .level = level};
	brParallelFor(workers, rows, BR_VECTOR_BLOCK, finestCopyRange, &job);
	bool good = finestScale(matrix, allocator, workers, &job.scale);
	*outScale = job.scale;
	return good && finestMakeBlocks(&job, allocator, workers) && brLevel_Finish(level, allocator, workers);
}
