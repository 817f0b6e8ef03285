// SPDX-License-Identifier: MIT

// Coarsening. The cost is that of two sparse products, A P and P^T (A P); rows are independent and go to workers.

#include "elastic/coarsen.h"

#include "base/lanes.h"

#include <string.h>

#define COARSEN_INLINE static inline __attribute__((always_inline))

// Lanes of a row of six, with room for whole registers.
#define COARSEN_STRIDE 8

// Rounding of a sum of floats, and how far above it a stiffness must be to be one: an aggregate that is a whole loose
// part has none.
#define COARSEN_EPSILON 2e-7f

// Square of the share of its nodes' own stiffness that a block must have to hold them together.
#define COARSEN_STRONG 1e-4f

// Weight of the smoothing of the interpolation, over the largest eigenvalue: the best for its upper part.
#define COARSEN_OMEGA (4.0f / 3.0f)

// Square of a block's norm. Columns are sums of their own, which run side by side.
static float coarsenBlockSq(const brLevel* level, int32_t row, int32_t k)
{
	int32_t n = level->size;
	const float* block = brLevel_Block(level, row, k);
	float sums[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
	for (int32_t r = 0; r < n; ++r)
	{
		for (int32_t c = 0; c < n; ++c)
		{
			sums[c] += block[r + n * c] * block[r + n * c];
		}
	}
	return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (sums[4] + sums[5]);
}

typedef struct StrongJob
{
	const brLevel* level;
	float* squares;    // [nodeCount] of the diagonal blocks
	uint8_t* isStrong; // [blocks]
} StrongJob;

static void coarsenSquareRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const StrongJob* job = user;
	const brLevel* level = job->level;
	for (int32_t i = begin; i < end; ++i)
	{
		job->squares[i] = 0.0f;
		for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
		{
			job->squares[i] = level->columns[k] == i ? coarsenBlockSq(level, i, k) : job->squares[i];
		}
	}
}

// Whether each block holds its two nodes together; one on the diagonal does. Parts that hang on by a sliver beside a
// crack must move freely on coarse levels too, so no aggregate may reach over one.
static void coarsenStrongRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const StrongJob* job = user;
	const brLevel* level = job->level;
	for (int32_t i = begin; i < end; ++i)
	{
		for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
		{
			int32_t j = level->columns[k];
			float square = coarsenBlockSq(level, i, k);
			bool isStrong =
				j == i || square * square > COARSEN_STRONG * COARSEN_STRONG * job->squares[i] * job->squares[j];
			job->isStrong[k] = isStrong ? 1 : 0;
		}
	}
}

// Every open node that node i holds joins its aggregate, and i itself.
static void coarsenTake(const brLevel* level, const uint8_t* isStrong, int32_t i, int32_t open, int32_t aggregate,
						int32_t* aggregates)
{
	for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
	{
		int32_t j = level->columns[k];
		aggregates[j] = aggregates[j] == open && isStrong[k] != 0 ? aggregate : aggregates[j];
	}
}

static int32_t coarsenGather(const brLevel* level, const uint8_t* isLeftOut, const uint8_t* isStrong,
							 int32_t* outAggregates)
{
	enum
	{
		leftOut = -2,
		open = -1
	};
	int32_t count = 0;
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		outAggregates[i] = isLeftOut != NULL && isLeftOut[i] ? leftOut : open;
	}
	// Whole neighborhoods that nobody has taken from.
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		bool isFree = outAggregates[i] == open;
		for (int32_t k = level->starts[i]; isFree && k < level->starts[i + 1]; ++k)
		{
			isFree = outAggregates[level->columns[k]] < 0 || isStrong[k] == 0;
		}
		if (isFree)
		{
			coarsenTake(level, isStrong, i, open, count++, outAggregates);
		}
	}
	// What is left joins a neighbor; written as a negative number first, so that aggregates grow by one ring only.
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		for (int32_t k = level->starts[i]; outAggregates[i] == open && k < level->starts[i + 1]; ++k)
		{
			int32_t taken = outAggregates[level->columns[k]];
			outAggregates[i] = taken >= 0 && isStrong[k] != 0 ? -3 - taken : open;
		}
	}
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		outAggregates[i] = outAggregates[i] <= -3 ? -3 - outAggregates[i] : outAggregates[i];
	}
	// Neighbors of nodes left out or of weakly held ones only: aggregates of their own.
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		if (outAggregates[i] == open)
		{
			coarsenTake(level, isStrong, i, open, count++, outAggregates);
		}
	}
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		outAggregates[i] = outAggregates[i] < 0 ? -1 : outAggregates[i];
	}
	return count;
}

int32_t brLevel_Aggregate(const brLevel* level, const uint8_t* isLeftOut, const brAllocator* allocator,
						  brWorkers* workers, int32_t* outAggregates)
{
	int64_t blockCount = level->starts[level->nodeCount];
	StrongJob job = {.level = level, .squares = level->residual}; // not used any more
	job.isStrong = BR_ALLOC(allocator, uint8_t, blockCount);
	if (job.isStrong == NULL)
	{
		return -1;
	}
	brParallelFor(workers, level->nodeCount, BR_VECTOR_BLOCK, coarsenSquareRange, &job);
	brParallelFor(workers, level->nodeCount, BR_VECTOR_BLOCK, coarsenStrongRange, &job);
	int32_t count = coarsenGather(level, isLeftOut, job.isStrong, outAggregates);
	BR_FREE(allocator, job.isStrong, blockCount);
	return count;
}

// What one worker needs to collect a row.
typedef struct CoarsenScratch
{
	int32_t* marks;   // [coarseCount] place in the row, or -1
	int32_t* columns; // [coarseCount]
	float* sums;      // [longest row] blocks of six registers
} CoarsenScratch;

// Rows of blocks with `size` registers each: A P while it is needed.
typedef struct CoarsenRows
{
	int32_t* starts;
	int32_t* columns;
	float* blocks;
} CoarsenRows;

typedef struct CoarsenJob
{
	brLevel* level;
	brLevel* coarse;
	const int32_t* aggregates;
	const uint8_t* held;   // [nodeCount] axes, or null
	int32_t* memberStarts; // [aggregates + 1] nodes of each,
	int32_t* members;      // rising
	float* tentative;      // [nodeCount] size rows of COARSEN_STRIDE: rigid motion of the aggregate at the node
	CoarsenRows product;
	CoarsenScratch* scratch;
	bool isCounting;
} CoarsenJob;

COARSEN_INLINE int32_t coarsenPlace(CoarsenScratch* scratch, int32_t column, int32_t* count)
{
	int32_t place = scratch->marks[column];
	if (place < 0)
	{
		place = (*count)++;
		scratch->marks[column] = place;
		scratch->columns[place] = column;
	}
	return place;
}

COARSEN_INLINE void coarsenForget(CoarsenScratch* scratch, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		scratch->marks[scratch->columns[i]] = -1;
	}
}

COARSEN_INLINE brFloat8 coarsenLoad(const float* from)
{
	brFloat8 lanes;
	memcpy(&lanes, from, sizeof(lanes));
	return lanes;
}

COARSEN_INLINE void coarsenStore(float* to, brFloat8 lanes)
{
	memcpy(to, &lanes, sizeof(lanes));
}

// Row i of P = P0 - w D^-1 A P0.
COARSEN_INLINE void coarsenSmoothRow(CoarsenJob* job, CoarsenScratch* scratch, int32_t i, int32_t n)
{
	brLevel* level = job->level;
	int32_t count = 0;
	if (job->aggregates[i] >= 0)
	{
		coarsenPlace(scratch, job->aggregates[i], &count);
	}
	for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
	{
		int32_t aggregate = job->aggregates[level->columns[k]];
		if (aggregate >= 0)
		{
			coarsenPlace(scratch, aggregate, &count);
		}
	}
	if (job->isCounting)
	{
		level->upStarts[i + 1] = count;
		coarsenForget(scratch, count);
		return;
	}
	memset(scratch->sums, 0, (size_t)count * (size_t)n * COARSEN_STRIDE * sizeof(float));
	for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
	{
		int32_t j = level->columns[k];
		if (job->aggregates[j] < 0)
		{
			continue;
		}
		const float* block = brLevel_Block(level, i, k);
		const float* rows = job->tentative + (size_t)(n * COARSEN_STRIDE) * (size_t)j;
		float* sums = scratch->sums + (size_t)(n * COARSEN_STRIDE) * (size_t)scratch->marks[job->aggregates[j]];
		for (int r = 0; r < n; ++r)
		{
			brFloat8 sum = coarsenLoad(sums + COARSEN_STRIDE * r);
			for (int c = 0; c < n; ++c)
			{
				sum += coarsenLoad(rows + COARSEN_STRIDE * c) * block[r + n * c];
			}
			coarsenStore(sums + COARSEN_STRIDE * r, sum);
		}
	}
	const float* inverse = level->inverses + (size_t)(n * n) * (size_t)i;
	float weight = COARSEN_OMEGA / level->largest;
	for (int32_t p = 0; p < count; ++p)
	{
		size_t at = (size_t)(level->upStarts[i] + p);
		const float* sums = scratch->sums + (size_t)(n * COARSEN_STRIDE) * (size_t)p;
		level->upColumns[at] = scratch->columns[p];
		bool isOwn = scratch->columns[p] == job->aggregates[i];
		const float* own = job->tentative + (size_t)(n * COARSEN_STRIDE) * (size_t)i;
		for (int r = 0; r < n; ++r)
		{
			brFloat8 sum = {0, 0, 0, 0, 0, 0, 0, 0};
			for (int c = 0; c < n; ++c)
			{
				sum += coarsenLoad(sums + COARSEN_STRIDE * c) * (-weight * inverse[r + n * c]);
			}
			sum += isOwn ? coarsenLoad(own + COARSEN_STRIDE * r) : (brFloat8){0, 0, 0, 0, 0, 0, 0, 0};
			memcpy(level->upBlocks + 6 * (at * (size_t)n + (size_t)r), &sum, 6 * sizeof(float));
		}
	}
	coarsenForget(scratch, count);
}

// Row i of A P.
COARSEN_INLINE void coarsenProductRow(CoarsenJob* job, CoarsenScratch* scratch, int32_t i, int32_t n)
{
	brLevel* level = job->level;
	int32_t count = 0;
	for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
	{
		int32_t j = level->columns[k];
		for (int32_t p = level->upStarts[j]; p < level->upStarts[j + 1]; ++p)
		{
			coarsenPlace(scratch, level->upColumns[p], &count);
		}
	}
	if (job->isCounting)
	{
		job->product.starts[i + 1] = count;
		coarsenForget(scratch, count);
		return;
	}
	size_t blockLength = (size_t)(n * COARSEN_STRIDE);
	memset(scratch->sums, 0, blockLength * (size_t)count * sizeof(float));
	memcpy(job->product.columns + job->product.starts[i], scratch->columns, (size_t)count * sizeof(int32_t));
	for (int32_t k = level->starts[i]; k < level->starts[i + 1]; ++k)
	{
		int32_t j = level->columns[k];
		const float* block = brLevel_Block(level, i, k);
		for (int32_t p = level->upStarts[j]; p < level->upStarts[j + 1]; ++p)
		{
			const float* rows = level->upBlocks + (size_t)(6 * n) * (size_t)p;
			float* to = scratch->sums + blockLength * (size_t)scratch->marks[level->upColumns[p]];
			for (int r = 0; r < n; ++r)
			{
				brFloat8 sum = coarsenLoad(to + COARSEN_STRIDE * r);
				for (int c = 0; c < n; ++c)
				{
					sum += coarsenLoad(rows + 6 * c) * block[r + n * c];
				}
				coarsenStore(to + COARSEN_STRIDE * r, sum);
			}
		}
	}
	// The product is the largest that a solve ever has in memory: without the room for whole registers.
	float* row = job->product.blocks + 6 * (size_t)n * (size_t)job->product.starts[i];
	for (int32_t r = 0; r < n * count; ++r)
	{
		memcpy(row + 6 * (size_t)r, scratch->sums + COARSEN_STRIDE * (size_t)r, 6 * sizeof(float));
	}
	coarsenForget(scratch, count);
}

// Row of P^T (A P), six numbers a node.
COARSEN_INLINE void coarsenMatrixRow(CoarsenJob* job, CoarsenScratch* scratch, int32_t row, int32_t n)
{
	brLevel *level = job->level, *coarse = job->coarse;
	int32_t count = 0;
	coarsenPlace(scratch, row, &count);
	for (int32_t d = level->downStarts[row]; d < level->downStarts[row + 1]; ++d)
	{
		int32_t i = level->downNodes[d];
		for (int32_t p = job->product.starts[i]; p < job->product.starts[i + 1]; ++p)
		{
			coarsenPlace(scratch, job->product.columns[p], &count);
		}
	}
	if (job->isCounting)
	{
		coarse->starts[row + 1] = count;
		coarsenForget(scratch, count);
		return;
	}
	memset(scratch->sums, 0, (size_t)count * 6 * COARSEN_STRIDE * sizeof(float));
	for (int32_t d = level->downStarts[row]; d < level->downStarts[row + 1]; ++d)
	{
		int32_t i = level->downNodes[d];
		const float* rows = level->upBlocks + (size_t)(6 * n) * (size_t)level->downBlocks[d];
		brFloat8 left[6];
		for (int k = 0; k < n; ++k)
		{
			left[k] = coarsenLoad(rows + 6 * k);
		}
		for (int32_t p = job->product.starts[i]; p < job->product.starts[i + 1]; ++p)
		{
			const float* right = job->product.blocks + 6 * (size_t)n * (size_t)p;
			float* to = scratch->sums + 6 * COARSEN_STRIDE * (size_t)scratch->marks[job->product.columns[p]];
			for (int c = 0; c < 6; ++c)
			{
				brFloat8 sum = coarsenLoad(to + COARSEN_STRIDE * c);
				for (int k = 0; k < n; ++k)
				{
					sum += left[k] * right[6 * k + c];
				}
				coarsenStore(to + COARSEN_STRIDE * c, sum);
			}
		}
	}
	for (int32_t p = 0; p < count; ++p)
	{
		size_t at = (size_t)(coarse->starts[row] + p);
		coarse->columns[at] = scratch->columns[p];
		for (int c = 0; c < 6; ++c)
		{
			memcpy(coarse->blocks + 36 * at + 6 * (size_t)c,
				   scratch->sums + COARSEN_STRIDE * (6 * (size_t)p + (size_t)c), 6 * sizeof(float));
		}
	}
	coarsenForget(scratch, count);
}

#define COARSEN_LOOP(name, row)                                                                                        \
	COARSEN_INLINE void name##Range(CoarsenJob* job, int32_t begin, int32_t end, int32_t worker)                       \
	{                                                                                                                  \
		for (int32_t i = begin; i < end; ++i)                                                                          \
		{                                                                                                              \
			if (job->level->size == 3)                                                                                 \
			{                                                                                                          \
				row(job, &job->scratch[worker], i, 3);                                                                 \
			}                                                                                                          \
			else                                                                                                       \
			{                                                                                                          \
				row(job, &job->scratch[worker], i, 6);                                                                 \
			}                                                                                                          \
		}                                                                                                              \
	}                                                                                                                  \
	static void name##Plain(int32_t begin, int32_t end, int32_t worker, void* user)                                    \
	{                                                                                                                  \
		name##Range(user, begin, end, worker);                                                                         \
	}                                                                                                                  \
	COARSEN_AVX2 static void name##Avx2(int32_t begin, int32_t end, int32_t worker, void* user)                        \
	{                                                                                                                  \
		name##Range(user, begin, end, worker);                                                                         \
	}                                                                                                                  \
	static void name(CoarsenJob* job, brWorkers* workers, int32_t count)                                               \
	{                                                                                                                  \
		brParallelFor(workers, count, 64, brCpu_Best() >= br_cpuAvx2 ? name##Avx2 : name##Plain, job);                 \
	}

#if defined(__x86_64__) && !defined(BR_SCALAR)
#define COARSEN_AVX2 __attribute__((target("avx2")))
#else
#define COARSEN_AVX2
#endif

COARSEN_LOOP(coarsenSmooth, coarsenSmoothRow)
COARSEN_LOOP(coarsenProduct, coarsenProductRow)
COARSEN_LOOP(coarsenMatrix, coarsenMatrixRow)

// Counts become starts. Returns the total, and the longest row.
static int32_t coarsenSumStarts(int32_t* starts, int32_t count, int32_t* outLongest)
{
	for (int32_t i = 0; i < count; ++i)
	{
		*outLongest = starts[i + 1] > *outLongest ? starts[i + 1] : *outLongest;
		starts[i + 1] += starts[i];
	}
	return starts[count];
}

// Centers, sizes and parts of the aggregates.
static void coarsenPlaces(const brLevel* level, brLevel* coarse, const int32_t* aggregates, int32_t* memberCounts)
{
	memset(coarse->places, 0, (size_t)coarse->nodeCount * sizeof(brDVec3));
	memset(coarse->lengths, 0, (size_t)coarse->nodeCount * sizeof(double));
	memset(memberCounts, 0, (size_t)coarse->nodeCount * sizeof(int32_t));
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		int32_t a = aggregates[i];
		if (a >= 0)
		{
			coarse->places[a] = brDAdd(coarse->places[a], level->places[i]);
			coarse->parts[a] = level->parts[i];
			memberCounts[a] += 1;
		}
	}
	for (int32_t a = 0; a < coarse->nodeCount; ++a)
	{
		coarse->places[a] = brDMul(1.0 / memberCounts[a], coarse->places[a]);
	}
	double all = 0.0;
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		int32_t a = aggregates[i];
		if (a >= 0)
		{
			double square = brDLengthSq(brDSub(level->places[i], coarse->places[a])) +
							(level->size == 6 ? level->lengths[i] * level->lengths[i] : 0.0);
			coarse->lengths[a] += square / memberCounts[a];
			all += square;
		}
	}
	// An aggregate of one node has no size of its own: any will do.
	double typical = all > 0.0 ? sqrt(all / level->nodeCount) : 1.0;
	for (int32_t a = 0; a < coarse->nodeCount; ++a)
	{
		double length = sqrt(coarse->lengths[a]);
		coarse->lengths[a] = length > 1e-3 * typical ? length : typical;
	}
}

// The nodes of each aggregate, in their order. `starts` has their numbers from its second place on.
static void coarsenListMembers(const CoarsenJob* job, int32_t aggregateCount)
{
	int32_t* starts = job->memberStarts;
	starts[0] = 0;
	for (int32_t a = 0; a < aggregateCount; ++a)
	{
		starts[a + 1] += starts[a];
	}
	int32_t total = starts[aggregateCount];
	for (int32_t i = job->level->nodeCount - 1; i >= 0; --i)
	{
		int32_t a = job->aggregates[i];
		if (a >= 0)
		{
			// Ends, each a place further on, move down to starts.
			job->members[--starts[a + 1]] = i;
		}
	}
	memmove(starts, starts + 1, (size_t)aggregateCount * sizeof(int32_t));
	starts[aggregateCount] = total;
}

// The rigid motion of its aggregate at each node: a shift, and a turn about the center.
static void coarsenTentativeRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const CoarsenJob* job = user;
	const brLevel *level = job->level, *coarse = job->coarse;
	const uint8_t* held = job->held;
	int32_t n = level->size;
	size_t length = (size_t)(n * COARSEN_STRIDE);
	memset(job->tentative + length * (size_t)begin, 0, length * (size_t)(end - begin) * sizeof(float));
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t a = job->aggregates[i];
		if (a < 0)
		{
			continue;
		}
		brDVec3 r = brDMul(1.0 / coarse->lengths[a], brDSub(level->places[i], coarse->places[a]));
		double rows[3][6] = {{1, 0, 0, 0, r.z, -r.y}, {0, 1, 0, -r.z, 0, r.x}, {0, 0, 1, r.y, -r.x, 0}};
		float* to = job->tentative + length * (size_t)i;
		for (int k = 0; k < 3; ++k)
		{
			bool isHeld = held != NULL && (held[i] >> k & 1) != 0;
			for (int c = 0; c < 6 && !isHeld; ++c)
			{
				to[COARSEN_STRIDE * k + c] = (float)rows[k][c];
			}
		}
		for (int k = 3; k < n; ++k)
		{
			to[COARSEN_STRIDE * k + k] = (float)(level->lengths[i] / coarse->lengths[a]);
		}
	}
}

// What rounding of a node's stiffness can leave on the diagonal of its aggregate: each sum has about an epsilon of the
// terms that cancel in it.
static void coarsenAddNoise(const brLevel* level, int32_t i, const float* tentative, float noises[6])
{
	int32_t n = level->size, k = level->starts[i];
	while (k < level->starts[i + 1] && level->columns[k] != i)
	{
		k += 1;
	}
	for (int32_t r = 0; r < n && k < level->starts[i + 1]; ++r)
	{
		float diagonal = brLevel_Block(level, i, k)[r + n * r];
		float noise = COARSEN_EPSILON * fabsf(diagonal) + level->noises[(size_t)n * (size_t)i + (size_t)r];
		const float* row = tentative + COARSEN_STRIDE * ((size_t)n * (size_t)i + (size_t)r);
		for (int c = 0; c < 6; ++c)
		{
			noises[c] += row[c] * row[c] * noise;
		}
	}
}

static void coarsenNoiseRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const CoarsenJob* job = user;
	for (int32_t a = begin; a < end; ++a)
	{
		float* noises = job->coarse->noises + 6 * (size_t)a;
		memset(noises, 0, 6 * sizeof(float));
		for (int32_t m = job->memberStarts[a]; m < job->memberStarts[a + 1]; ++m)
		{
			coarsenAddNoise(job->level, job->members[m], job->tentative, noises);
		}
	}
}

// The interpolation by aggregate.
static void coarsenTranspose(brLevel* level)
{
	int32_t total = level->upStarts[level->nodeCount];
	memset(level->downStarts, 0, ((size_t)level->coarseCount + 1) * sizeof(int32_t));
	for (int32_t p = 0; p < total; ++p)
	{
		level->downStarts[level->upColumns[p] + 1] += 1;
	}
	for (int32_t a = 0; a < level->coarseCount; ++a)
	{
		level->downStarts[a + 1] += level->downStarts[a];
	}
	for (int32_t i = 0; i < level->nodeCount; ++i)
	{
		for (int32_t p = level->upStarts[i]; p < level->upStarts[i + 1]; ++p)
		{
			int32_t at = level->downStarts[level->upColumns[p]]++;
			level->downNodes[at] = i;
			level->downBlocks[at] = p;
		}
	}
	for (int32_t a = level->coarseCount; a > 0; --a)
	{
		level->downStarts[a] = level->downStarts[a - 1];
	}
	level->downStarts[0] = 0;
}

static void coarsenFreeScratch(CoarsenScratch* scratch, const brAllocator* allocator, int32_t workerCount,
							   int32_t coarseCount, int64_t sumsLength)
{
	for (int32_t w = 0; scratch != NULL && w < workerCount; ++w)
	{
		BR_FREE(allocator, scratch[w].marks, coarseCount);
		BR_FREE(allocator, scratch[w].columns, coarseCount);
		BR_FREE(allocator, scratch[w].sums, sumsLength);
	}
	BR_FREE(allocator, scratch, workerCount);
}

static bool coarsenGrowSums(CoarsenScratch* scratch, const brAllocator* allocator, int32_t workerCount,
							int64_t* sumsLength, int64_t wanted)
{
	if (wanted <= *sumsLength)
	{
		return true;
	}
	for (int32_t w = 0; w < workerCount; ++w)
	{
		BR_FREE(allocator, scratch[w].sums, *sumsLength);
		scratch[w].sums = NULL;
	}
	*sumsLength = wanted;
	for (int32_t w = 0; w < workerCount; ++w)
	{
		scratch[w].sums = BR_ALLOC(allocator, float, wanted);
		if (scratch[w].sums == NULL)
		{
			return false;
		}
	}
	return true;
}

// Memory of the new level that does not depend on how many blocks its matrix has.
static bool coarsenAllocate(const CoarsenJob* job, const brAllocator* allocator, int32_t aggregateCount)
{
	brLevel *level = job->level, *coarse = job->coarse;
	coarse->nodeCount = level->coarseCount = aggregateCount;
	coarse->size = 6;
	coarse->places = BR_ALLOC(allocator, brDVec3, aggregateCount);
	coarse->lengths = BR_ALLOC(allocator, double, aggregateCount);
	coarse->parts = BR_ALLOC(allocator, int32_t, aggregateCount);
	coarse->noises = BR_ALLOC(allocator, float, 6 * (int64_t)aggregateCount);
	coarse->starts = BR_ALLOC_ZERO(allocator, int32_t, aggregateCount + 1);
	level->upStarts = BR_ALLOC_ZERO(allocator, int32_t, level->nodeCount + 1);
	level->downStarts = BR_ALLOC(allocator, int32_t, aggregateCount + 1);
	return coarse->places != NULL && coarse->lengths != NULL && coarse->noises != NULL && coarse->parts != NULL &&
		   coarse->starts != NULL && level->upStarts != NULL && level->downStarts != NULL;
}

static bool coarsenAllocateScratch(CoarsenScratch* scratch, const brAllocator* allocator, int32_t workerCount,
								   int32_t aggregateCount)
{
	bool good = scratch != NULL;
	for (int32_t w = 0; good && w < workerCount; ++w)
	{
		scratch[w].marks = BR_ALLOC(allocator, int32_t, aggregateCount);
		scratch[w].columns = BR_ALLOC(allocator, int32_t, aggregateCount);
		good = scratch[w].marks != NULL && scratch[w].columns != NULL;
		if (good)
		{
			memset(scratch[w].marks, 0xff, (size_t)aggregateCount * sizeof(int32_t));
		}
	}
	return good;
}

// Memory that workers fill; what is read beyond its end is zero.
static float* coarsenAllocateBlocks(const brAllocator* allocator, int64_t count)
{
	float* blocks = BR_ALLOC(allocator, float, count + BR_LEVEL_PADDING);
	if (blocks != NULL)
	{
		memset(blocks + count, 0, BR_LEVEL_PADDING * sizeof(float));
	}
	return blocks;
}

bool brLevel_Coarsen(brLevel* level, brLevel* coarse, const int32_t* aggregates, int32_t aggregateCount,
					 const uint8_t* held, const brAllocator* allocator, brWorkers* workers)
{
	int32_t n = level->size, nodeCount = level->nodeCount, workerCount = brWorkers_GetCount(workers);
	int64_t sumsLength = 0, stride = n * COARSEN_STRIDE, tentativeLength = stride * nodeCount;
	int32_t longest = 0, productTotal = 0, total;
	CoarsenJob job = {.level = level, .coarse = coarse, .aggregates = aggregates, .held = held, .isCounting = true};
	job.memberStarts = BR_ALLOC(allocator, int32_t, aggregateCount + 1);
	job.members = BR_ALLOC(allocator, int32_t, nodeCount);
	job.tentative = BR_ALLOC(allocator, float, tentativeLength);
	job.scratch = BR_ALLOC_ZERO(allocator, CoarsenScratch, workerCount);
	job.product.starts = BR_ALLOC_ZERO(allocator, int32_t, nodeCount + 1);
	bool good = coarsenAllocate(&job, allocator, aggregateCount) && job.memberStarts != NULL && job.members != NULL &&
				job.tentative != NULL && job.product.starts != NULL &&
				coarsenAllocateScratch(job.scratch, allocator, workerCount, aggregateCount);
	if (!good)
	{
		goto done;
	}
	coarsenPlaces(level, coarse, aggregates, job.memberStarts + 1);
	coarsenListMembers(&job, aggregateCount);
	brParallelFor(workers, nodeCount, BR_VECTOR_BLOCK, coarsenTentativeRange, &job);
	brParallelFor(workers, aggregateCount, 64, coarsenNoiseRange, &job);

	// Interpolation: count, then fill.
	coarsenSmooth(&job, workers, nodeCount);
	total = coarsenSumStarts(level->upStarts, nodeCount, &longest);
	level->upColumns = BR_ALLOC(allocator, int32_t, total);
	level->upBlocks = coarsenAllocateBlocks(allocator, 6 * n * (int64_t)total);
	level->downNodes = BR_ALLOC(allocator, int32_t, total);
	level->downBlocks = BR_ALLOC(allocator, int32_t, total);
	level->gathered = BR_ALLOC(allocator, float, (int64_t)BR_LEVEL_RANGES* BR_LEVEL_STRIDE * level->coarseCount);
	good = level->upColumns != NULL && level->upBlocks != NULL && level->downNodes != NULL &&
		   level->downBlocks != NULL && level->gathered != NULL &&
		   coarsenGrowSums(job.scratch, allocator, workerCount, &sumsLength, stride * longest + COARSEN_STRIDE);
	if (!good)
	{
		goto done;
	}
	job.isCounting = false;
	coarsenSmooth(&job, workers, nodeCount);
	coarsenTranspose(level);
	BR_FREE(allocator, job.tentative, tentativeLength);
	job.tentative = NULL;

	// A P
	job.isCounting = true;
	longest = 0;
	coarsenProduct(&job, workers, nodeCount);
	productTotal = coarsenSumStarts(job.product.starts, nodeCount, &longest);
	job.product.columns = BR_ALLOC(allocator, int32_t, productTotal);
	job.product.blocks = BR_ALLOC(allocator, float, 6 * n * (int64_t)productTotal);
	good = job.product.columns != NULL && job.product.blocks != NULL &&
		   coarsenGrowSums(job.scratch, allocator, workerCount, &sumsLength, stride * longest);
	if (!good)
	{
		goto done;
	}
	job.isCounting = false;
	coarsenProduct(&job, workers, nodeCount);

	// P^T A P
	job.isCounting = true;
	longest = 0;
	coarsenMatrix(&job, workers, aggregateCount);
	total = coarsenSumStarts(coarse->starts, aggregateCount, &longest);
	coarse->firsts = coarse->starts;
	coarse->blockCount = total;
	coarse->columns = BR_ALLOC(allocator, int32_t, total);
	coarse->blocks = coarsenAllocateBlocks(allocator, 36 * (int64_t)total);
	good = coarse->columns != NULL && coarse->blocks != NULL &&
		   coarsenGrowSums(job.scratch, allocator, workerCount, &sumsLength, 6 * COARSEN_STRIDE * (int64_t)longest);
	if (!good)
	{
		goto done;
	}
	job.isCounting = false;
	coarsenMatrix(&job, workers, aggregateCount);
done:
	BR_FREE(allocator, job.memberStarts, aggregateCount + 1);
	BR_FREE(allocator, job.members, nodeCount);
	BR_FREE(allocator, job.tentative, tentativeLength);
	BR_FREE(allocator, job.product.starts, nodeCount + 1);
	BR_FREE(allocator, job.product.columns, productTotal);
	BR_FREE(allocator, job.product.blocks, 6 * n * (int64_t)productTotal);
	coarsenFreeScratch(job.scratch, allocator, workerCount, aggregateCount, sumsLength);
	return good;
}
