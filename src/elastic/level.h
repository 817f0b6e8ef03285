// SPDX-License-Identifier: MIT
#pragma once

// One level of the hierarchy, and the inner loops on it.
//
// A level has nodes of three numbers (the finest) or six. Matrix blocks are stored by columns, blocks of the interpolation by rows of
// six: both ways one vector register holds what belongs to one node. Reads go over the end of a block, so every array has
// LEVEL_PADDING more.

#include "base/memory.h"
#include "brittle/math.h"

#define BR_LEVEL_PADDING 8
#define BR_MOST_LEVELS 12

// A diagonal of less than this many times its noise is none.
#define BR_LEVEL_LEAST_SIGNAL 10.0

typedef struct brLevel
{
	int32_t nodeCount;
	int32_t size; // numbers a node: 3 or 6
	int32_t* starts;
	int32_t* columns;
	float* blocks;   // size * size each, by columns
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
	float* step;
	float* residual;
} brLevel;

void brLevel_Free(brLevel* level, const brAllocator* allocator);

/// y = load - A x. `load` may be null: y = A x.
void brLevel_Residual(const brLevel* level, brWorkers* workers, const float* load, const float* x, float* y);

/// One Chebyshev step: step = a step + b D^-1 (load - A x), out = x + step. x null stands for zero; out differs from x.
void brLevel_Smooth(const brLevel* level, brWorkers* workers, const float* load, const float* x, float a, float b,
					float* out);

/// coarse = P^T fine.
void brLevel_Restrict(const brLevel* level, brWorkers* workers, const float* fine, float* coarse);

/// fine += P coarse.
void brLevel_Prolong(const brLevel* level, brWorkers* workers, const float* coarse, float* fine);
