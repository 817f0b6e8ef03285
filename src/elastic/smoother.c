// SPDX-License-Identifier: MIT

// What the smoother of a level needs: inverse diagonal blocks, and a bound of the eigenvalues of D^-1 A.

#include "elastic/coarsen.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

// Pivots below this share of their first size are rounding: the aggregate cannot turn that way.
#define SMOOTHER_PIVOT 1e-5

// Steps of the search for the largest eigenvalue, and what its bound is raised by.
#define SMOOTHER_LANCZOS_STEPS 10
#define SMOOTHER_LANCZOS_MARGIN 1.05

// Inverse of a symmetric block by elimination; directions without stiffness stay zero.
static void smootherInvert(const float* block, const float* noises, int32_t n, float* inverse)
{
	double a[6][12], scale[6], least[6];
	for (int r = 0; r < n; ++r)
	{
		double diagonal = block[r + n * r];
		scale[r] = diagonal > BR_LEVEL_MIN_SIGNAL * (double)noises[r] ? 1.0 / sqrt(diagonal) : 0.0;
		least[r] = SMOOTHER_PIVOT + scale[r] * scale[r] * (double)noises[r];
	}
	for (int r = 0; r < n; ++r)
	{
		for (int c = 0; c < n; ++c)
		{
			a[r][c] = scale[r] * scale[c] * 0.5 * ((double)block[r + n * c] + (double)block[c + n * r]);
			a[r][n + c] = r == c ? 1.0 : 0.0;
		}
	}
	for (int p = 0; p < n; ++p)
	{
		bool isGood = a[p][p] > least[p];
		double pivot = isGood ? 1.0 / a[p][p] : 0.0;
		for (int c = 0; c < 2 * n; ++c)
		{
			a[p][c] *= pivot;
		}
		for (int r = 0; r < n; ++r)
		{
			double factor = r != p ? a[r][p] : 0.0;
			for (int c = 0; c < 2 * n && factor != 0.0; ++c)
			{
				a[r][c] -= factor * a[p][c];
			}
		}
		for (int r = 0; r < n && !isGood; ++r)
		{
			a[r][p] = 0.0;
			a[r][n + p] = 0.0;
		}
	}
	for (int r = 0; r < n; ++r)
	{
		for (int c = 0; c < n; ++c)
		{
			inverse[r + n * c] = (float)(scale[r] * scale[c] * a[r][n + c]);
		}
	}
}

// Inverses of diagonal blocks. Vectors start at zero: who touches memory first waits for it, so that workers share this
// too.
static void smootherInvertRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brLevel* level = user;
	int32_t n = level->size;
	float* vectors[] = {level->load, level->values[0], level->values[1], level->residual};
	for (int32_t k = 0; k < 4; ++k)
	{
		memset(vectors[k] + (size_t)n * (size_t)begin, 0, (size_t)n * (size_t)(end - begin) * sizeof(float));
	}
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t k = level->starts[i];
		while (k < level->starts[i + 1] && level->columns[k] != i)
		{
			k += 1;
		}
		float* inverse = level->inverses + (size_t)(n * n) * (size_t)i;
		memset(inverse, 0, (size_t)(n * n) * sizeof(float));
		if (k < level->starts[i + 1])
		{
			smootherInvert(brLevel_Block(level, i, k), level->noises + (size_t)n * (size_t)i, n, inverse);
		}
	}
}

// Vectors of the search for the largest eigenvalue, and what a loop over them does.
typedef struct LanczosJob
{
	int32_t size; // numbers a node
	float *r, *z, *p, *q;
	float alpha, beta;
	double* sums; // [blocks]
} LanczosJob;

static double smootherDot(const LanczosJob* job, const float* a, const float* b, int32_t begin, int32_t end)
{
	double sums[4] = {0.0, 0.0, 0.0, 0.0};
	int64_t i = (int64_t)begin * job->size, last = (int64_t)end * job->size;
	for (; i + 4 <= last; i += 4)
	{
		for (int k = 0; k < 4; ++k)
		{
			sums[k] += (double)a[i + k] * b[i + k];
		}
	}
	for (; i < last; ++i)
	{
		sums[0] += (double)a[i] * b[i];
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void smootherDotZr(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const LanczosJob* job = user;
	job->sums[begin / BR_VECTOR_BLOCK] = smootherDot(job, job->z, job->r, begin, end);
}

static void smootherDotPq(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const LanczosJob* job = user;
	job->sums[begin / BR_VECTOR_BLOCK] = smootherDot(job, job->p, job->q, begin, end);
}

// p = z + beta p
static void smootherTurn(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const LanczosJob* job = user;
	for (int64_t i = (int64_t)begin * job->size; i < (int64_t)end * job->size; ++i)
	{
		job->p[i] = job->z[i] + job->beta * job->p[i];
	}
}

// r -= alpha q
static void smootherStep(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const LanczosJob* job = user;
	for (int64_t i = (int64_t)begin * job->size; i < (int64_t)end * job->size; ++i)
	{
		job->r[i] -= job->alpha * job->q[i];
	}
}

// How many eigenvalues of the tridiagonal matrix are below x.
static int32_t smootherCountBelow(const double* diagonal, const double* offDiagonal, int32_t n, double x)
{
	int32_t below = 0;
	double d = 1.0;
	for (int32_t i = 0; i < n; ++i)
	{
		d = diagonal[i] - x - (i > 0 ? offDiagonal[i] * offDiagonal[i] / d : 0.0);
		d = d == 0.0 ? 1e-300 : d;
		below += d < 0.0;
	}
	return below;
}

// A bound of the eigenvalues of D^-1 A: that of the Lanczos matrix after some steps, which conjugate gradients give,
// plus what the next step could still add (the residual of its eigenvector). Too small a bound would make the smoother
// amplify, so plain power iteration will not do.
static double smootherLargest(const brLevel* level, brWorkers* workers, double* sums)
{
	int64_t length = (int64_t)level->nodeCount * level->size;
	int32_t nodes = level->nodeCount, blocks = brVectorBlocks(nodes);
	LanczosJob job = {.size = level->size, .r = level->load, .z = level->values[0], .p = level->values[1]};
	job.q = level->residual, job.sums = sums;
	double diagonal[SMOOTHER_LANCZOS_STEPS], offDiagonal[SMOOTHER_LANCZOS_STEPS + 1];
	brRandom random = brMakeRandom(1, 2);
	for (int64_t i = 0; i < length; ++i)
	{
		job.r[i] = (float)brRandom_Unit(&random) - 0.5f;
	}
	int32_t n = 0;
	double zr = 0.0, previousAlpha = 1.0, beta = 0.0, largest = 1.0;
	offDiagonal[0] = 0.0;
	while (n < SMOOTHER_LANCZOS_STEPS)
	{
		brLevel_Smooth(level, workers, job.r, NULL, 1.0f, job.z);
		brParallelFor(workers, nodes, BR_VECTOR_BLOCK, smootherDotZr, &job);
		double next = brSumBlocks(sums, blocks);
		if (!(next > 1e-12 * zr) || !(next > 0.0))
		{
			offDiagonal[n] = 0.0;
			break;
		}
		beta = n > 0 ? next / zr : 0.0;
		zr = next;
		job.beta = (float)beta;
		brParallelFor(workers, nodes, BR_VECTOR_BLOCK, smootherTurn, &job);
		brLevel_Residual(level, workers, NULL, job.p, job.q);
		brParallelFor(workers, nodes, BR_VECTOR_BLOCK, smootherDotPq, &job);
		double pq = brSumBlocks(sums, blocks);
		offDiagonal[n] = n > 0 ? sqrt(beta) / previousAlpha : 0.0;
		if (!(pq > 1e-12 * zr))
		{
			break; // rigid
		}
		double alpha = zr / pq;
		diagonal[n] = 1.0 / alpha + (n > 0 ? beta / previousAlpha : 0.0);
		previousAlpha = alpha;
		job.alpha = (float)alpha;
		brParallelFor(workers, nodes, BR_VECTOR_BLOCK, smootherStep, &job);
		n += 1;
		offDiagonal[n] = n == SMOOTHER_LANCZOS_STEPS ? sqrt(beta > 0.0 ? beta : 1.0) / alpha : 0.0;
	}
	if (n > 0)
	{
		double low = 0.0, high = 0.0;
		for (int32_t i = 0; i < n; ++i)
		{
			double reach = diagonal[i] + offDiagonal[i] + offDiagonal[i + 1];
			high = reach > high ? reach : high;
		}
		for (int k = 0; k < 60; ++k)
		{
			double middle = 0.5 * (low + high);
			bool isAbove = smootherCountBelow(diagonal, offDiagonal, n, middle) == n;
			high = isAbove ? middle : high;
			low = isAbove ? low : middle;
		}
		// Its eigenvector by the recurrence; the last part tells how much it leans on steps not taken.
		double y = 1.0, before = 0.0, square = 1.0;
		for (int32_t i = 0; i + 1 < n; ++i)
		{
			double after = ((high - diagonal[i]) * y - offDiagonal[i] * before) / offDiagonal[i + 1];
			before = y;
			y = after;
			square += y * y;
		}
		largest = high + offDiagonal[n] * fabs(y) / sqrt(square);
	}
	memset(level->load, 0, (size_t)length * sizeof(float));
	return largest;
}

bool brLevel_Finish(brLevel* level, const brAllocator* allocator, brWorkers* workers)
{
	int64_t length = (int64_t)level->nodeCount * level->size;
	int64_t inverseLength = level->size * length;
	level->inverses = BR_ALLOC(allocator, float, inverseLength + BR_LEVEL_PADDING);
	level->load = BR_ALLOC(allocator, float, length + BR_LEVEL_PADDING);
	level->values[0] = BR_ALLOC(allocator, float, length + BR_LEVEL_PADDING);
	level->values[1] = BR_ALLOC(allocator, float, length + BR_LEVEL_PADDING);
	level->residual = BR_ALLOC(allocator, float, length + BR_LEVEL_PADDING);
	double* sums = BR_ALLOC(allocator, double, brVectorBlocks(level->nodeCount));
	if (level->inverses == NULL || level->load == NULL || level->values[0] == NULL || level->values[1] == NULL ||
		level->residual == NULL || sums == NULL)
	{
		BR_FREE(allocator, sums, brVectorBlocks(level->nodeCount));
		return false;
	}
	brParallelFor(workers, level->nodeCount, 512, smootherInvertRange, level);
	float* ends[] = {level->inverses + inverseLength, level->load + length, level->values[0] + length,
					 level->values[1] + length, level->residual + length};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); ++i)
	{
		memset(ends[i], 0, BR_LEVEL_PADDING * sizeof(float));
	}
	level->largest = (float)(SMOOTHER_LANCZOS_MARGIN * smootherLargest(level, workers, sums));
	BR_FREE(allocator, sums, brVectorBlocks(level->nodeCount));
	return true;
}
