// SPDX-License-Identifier: MIT

// Products of 3x3 block matrices with vectors.
//
// A block's columns are read as vectors of four, the fourth lane is not used. Lanes are the three rows, so a wide and a
// plain build add in the same order and give the same bits.

#include "elastic/block_matrix.h"

#include "base/lanes.h"

#include <string.h>

void brBlockMatrix_Free(brBlockMatrix* matrix, const brAllocator* allocator)
{
	int64_t count = matrix->starts != NULL ? matrix->starts[matrix->rowCount] : 0;
	BR_FREE(allocator, matrix->columns, count);
	BR_FREE(allocator, matrix->blocks, 9 * count + BR_BLOCK_PADDING);
	BR_FREE(allocator, matrix->starts, matrix->rowCount + 1);
	memset(matrix, 0, sizeof(*matrix));
}

typedef struct MultiplyJob
{
	const brBlockMatrix* matrix;
	const brDVec3* x;
	const uint8_t* held;
	brDVec3* y;
	double* sums;
} MultiplyJob;

static inline __attribute__((always_inline)) void blockMultiplyRows(const MultiplyJob* job, int32_t begin, int32_t end)
{
	const brBlockMatrix* matrix = job->matrix;
	double product = 0.0;
	for (int32_t row = begin; row < end; ++row)
	{
		// One sum a column: three chains of additions run side by side.
		brDouble4 s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0;
		for (int32_t i = matrix->starts[row]; i < matrix->starts[row + 1]; ++i)
		{
			const double* block = matrix->blocks + 9 * (size_t)i;
			brDVec3 x = job->x[matrix->columns[i]];
			brDouble4 a, b, c;
			memcpy(&a, block, sizeof(a));
			memcpy(&b, block + 3, sizeof(b));
			memcpy(&c, block + 6, sizeof(c));
			s0 += a * x.x;
			s1 += b * x.y;
			s2 += c * x.z;
		}
		brDouble4 sum = (s0 + s1) + s2;
		uint8_t held = job->held != NULL ? job->held[row] : 0;
		brDVec3 y = {(held & 1) != 0 ? 0.0 : sum[0], (held & 2) != 0 ? 0.0 : sum[1], (held & 4) != 0 ? 0.0 : sum[2]};
		product += brDDot(job->x[row], y);
		job->y[row] = y;
	}
	if (job->sums != NULL)
	{
		job->sums[begin / BR_VECTOR_BLOCK] = product;
	}
}

static void blockMultiplyPlain(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	blockMultiplyRows(user, begin, end);
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
__attribute__((target("avx2"))) static void blockMultiplyAvx2(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	blockMultiplyRows(user, begin, end);
}
#endif

void brBlockMatrix_Multiply(const brBlockMatrix* matrix, brWorkers* workers, const brDVec3* x, const uint8_t* held,
							brDVec3* y, double* sums)
{
	MultiplyJob job = {matrix, x, held, y, sums};
	brRangeFcn* run = blockMultiplyPlain;
#if defined(__x86_64__) && !defined(BR_SCALAR)
	run = brCpu_Best() >= br_cpuAvx2 ? blockMultiplyAvx2 : run;
#endif
	brParallelFor(workers, matrix->rowCount, BR_VECTOR_BLOCK, run, &job);
}

double brSumBlocks(const double* sums, int32_t blockCount)
{
	double sum = 0.0;
	for (int32_t i = 0; i < blockCount; ++i)
	{
		sum += sums[i];
	}
	return sum;
}

double brDotVectors(const brDVec3* a, const brDVec3* b, int32_t count)
{
	// Three sums, one an axis: independent, so they can run side by side.
	double x = 0.0, y = 0.0, z = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		x += a[i].x * b[i].x;
		y += a[i].y * b[i].y;
		z += a[i].z * b[i].z;
	}
	return x + y + z;
}
