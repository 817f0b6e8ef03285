// SPDX-License-Identifier: MIT
#pragma once

// One level of the hierarchy, and the inner loops on it.
//
// A level has nodes of three numbers (the finest) or six. Matrix blocks are stored by columns, blocks of the
// interpolation by rows of six: both ways one vector register holds what belongs to one node. Reads go over the end of
// a block, so every array has LEVEL_PADDING more.

#include "base/memory.h"
#include "brittle/math.h"
#include "elastic/block_matrix.h"

#define BR_LEVEL_PADDING 8
#define BR_MAX_LEVELS 12

// Ranges of rows that a restriction is dealt out in, and numbers a sum of six takes.
#define BR_LEVEL_RANGES 8
#define BR_LEVEL_STRIDE 8

// A diagonal of less than this many times its noise is none.
#define BR_LEVEL_MIN_SIGNAL 10.0

typedef struct brLevel
{
	int32_t nodeCount;
	int32_t size; // numbers a node: 3 or 6
	int32_t* starts;
	int32_t* columns;
	int32_t* firsts; // [nodeCount] first block of each row; `starts`, or rows that are alike share theirs
	int32_t blockCount;
	float* blocks;   // [blockCount] size * size each, by columns
	float* inverses; // [nodeCount] inverse diagonal blocks, by columns
	float* noises;   // [nodeCount * size] what rounding alone can leave on the diagonal
	float largest;   // bound of the eigenvalues of D^-1 A

	// To the next level
	int32_t coarseCount;
	int32_t* upStarts;   // [nodeCount + 1]
	int32_t* upColumns;  // aggregates
	float* upBlocks;     // size rows of 6
	int32_t* downStarts; // [coarseCount + 1] the same by aggregate
	int32_t* downNodes;
	int32_t* downBlocks; // which block

	// What the nodes are
	brDVec3* places;
	double* lengths; // of turns, on levels of six
	int32_t* parts;

	// Scratch for the cycle
	float* load;
	float* values[2];
	float* residual;
	float* gathered; // [BR_LEVEL_RANGES * coarseCount * BR_LEVEL_STRIDE] sums of each range of rows
} brLevel;

/// The block of a row at columns[k].
static inline const float* brLevel_Block(const brLevel* level, int32_t row, int32_t k)
{
	int64_t at = level->firsts[row] + (k - level->starts[row]);
	return level->blocks + level->size * level->size * at;
}

void brLevel_Free(brLevel* level, const brAllocator* allocator);

/// y = load - A x. `load` may be null: y = A x.
void brLevel_Residual(const brLevel* level, brWorkers* workers, const float* load, const float* x, float* y);

/// out = x + weight D^-1 (load - A x). x null stands for zero; out differs from x.
void brLevel_Smooth(const brLevel* level, brWorkers* workers, const float* load, const float* x, float weight,
					float* out);

/// coarse = P^T (load - A x), in one pass over the rows. They are dealt out in a few ranges, each with a sum of its own
/// for every aggregate, so that the interpolation is read in order too.
void brLevel_RestrictResidual(const brLevel* level, brWorkers* workers, const float* load, const float* x,
							  float* coarse);

/// Rows of such a range.
int32_t brLevel_RangeRows(const brLevel* level);

/// fine += P coarse.
void brLevel_Prolong(const brLevel* level, brWorkers* workers, const float* coarse, float* fine);

/// y = scale A x on axes that are not held, with sums in double, for a level of three numbers a node. `sums` gets x . y
/// for each block of rows.
void brLevel_MultiplyDouble(const brLevel* level, brWorkers* workers, const brDVec3* x, const uint8_t* held,
							double scale, brDVec3* y, double* sums);
