// SPDX-License-Identifier: MIT
#pragma once

// Sparse matrices of 3x3 blocks in double, rows complete, columns rising.
//
// The stiffness is symmetric, but both halves are kept: then a row is one worker's own sum in one fixed order, and the
// product has the same bits for any number of workers without colors or a second pass. A block is stored by columns, so
// that one vector holds a part of three rows.

#include "base/memory.h"
#include "brittle/math.h"

typedef struct brBlockMatrix
{
	int32_t rowCount;
	int32_t* starts;  // [rowCount + 1]
	int32_t* columns; // [starts[rowCount]]
	double*
		blocks; // [9 * starts[rowCount] + 3] by columns; the last three are not part of it, vectors read over the end
} brBlockMatrix;

#define BR_BLOCK_PADDING 3

void brBlockMatrix_Free(brBlockMatrix* matrix, const brAllocator* allocator);

/// Rows that one worker takes at a time; sums over vectors are sums over these blocks, in order.
#define BR_VECTOR_BLOCK 512

static inline int32_t brVectorBlocks(int32_t count)
{
	return (count + BR_VECTOR_BLOCK - 1) / BR_VECTOR_BLOCK;
}

/// y = A x on rows whose axes are not held; `held` has a byte a row with bits for held axes, or is null. y and x
/// differ. `sums` may be null, else it gets x . y for each block of rows.
void brBlockMatrix_Multiply(const brBlockMatrix* matrix, brWorkers* workers, const brDVec3* x, const uint8_t* held,
							brDVec3* y, double* sums);

/// Sum of block sums, in order.
double brSumBlocks(const double* sums, int32_t blockCount);

/// Scalar product with a fixed order of sums.
double brDotVectors(const brDVec3* a, const brDVec3* b, int32_t count);
