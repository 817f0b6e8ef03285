// SPDX-License-Identifier: MIT

// The inner loops on a level, compiled for plain vectors and for AVX2. Lanes are the numbers of one node, sums run over blocks in
// order, so both give the same bits.

#include "elastic/level.h"

#include "base/lanes.h"

#include <string.h>

// Rows that a worker takes at a time, some microseconds of work: those of coarse levels are ten times as heavy. Below a few such blocks waking
// a worker costs more than it saves.
#define LEVEL_FINE_ROWS 256
#define LEVEL_COARSE_ROWS 24
#define LEVEL_SHARE_BLOCKS 2

#define LEVEL_INLINE static inline __attribute__((always_inline))

void brLevel_Free(brLevel* level, const brAllocator* allocator)
{
	int64_t blockCount = level->starts != NULL ? level->starts[level->nodeCount] : 0;
	int64_t upCount = level->upStarts != NULL ? level->upStarts[level->nodeCount] : 0;
	int64_t square = (int64_t)level->size * level->size;
	int64_t length = (int64_t)level->nodeCount * level->size + BR_LEVEL_PADDING;
	BR_FREE(allocator, level->columns, blockCount);
	BR_FREE(allocator, level->blocks, square * blockCount + BR_LEVEL_PADDING);
	BR_FREE(allocator, level->starts, level->nodeCount + 1);
	BR_FREE(allocator, level->inverses, square * level->nodeCount + BR_LEVEL_PADDING);
	BR_FREE(allocator, level->upColumns, upCount);
	BR_FREE(allocator, level->upBlocks, 6 * level->size * upCount + BR_LEVEL_PADDING);
	BR_FREE(allocator, level->downNodes, upCount);
	BR_FREE(allocator, level->downBlocks, upCount);
	BR_FREE(allocator, level->upStarts, level->nodeCount + 1);
	BR_FREE(allocator, level->downStarts, level->coarseCount + 1);
	BR_FREE(allocator, level->noises, (int64_t)level->nodeCount * level->size);
	BR_FREE(allocator, level->places, level->nodeCount);
	BR_FREE(allocator, level->lengths, level->nodeCount);
	BR_FREE(allocator, level->parts, level->nodeCount);
	BR_FREE(allocator, level->load, length);
	BR_FREE(allocator, level->values[0], length);
	BR_FREE(allocator, level->values[1], length);
	BR_FREE(allocator, level->step, length);
	BR_FREE(allocator, level->residual, length);
	BR_FREE(allocator, level->gathered, (int64_t)BR_LEVEL_RANGES * BR_LEVEL_STRIDE * level->coarseCount);
	memset(level, 0, sizeof(*level));
}

typedef struct LevelJob
{
	const brLevel* level;
	const float* load;
	const float* x;
	float* out;
	float* step;
	float a, b;
	int32_t rangeRows; // of a restriction

	// Of the product in double
	const brDVec3* doubleX;
	brDVec3* doubleY;
	const uint8_t* held;
	double scale;
	double* sums;
} LevelJob;

// Sum of the blocks of a row times x, for nodes of three. One sum a column: three chains of additions run side by side.
LEVEL_INLINE brFloat4 levelRow3(const brLevel* level, int32_t row, const float* x)
{
	brFloat4 s0 = {0, 0, 0, 0}, s1 = s0, s2 = s0;
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i)
	{
		const float* block = level->blocks + 9 * (size_t)i;
		const float* v = x + 3 * (size_t)level->columns[i];
		brFloat4 c0, c1, c2;
		memcpy(&c0, block, sizeof(c0));
		memcpy(&c1, block + 3, sizeof(c1));
		memcpy(&c2, block + 6, sizeof(c2));
		s0 += c0 * v[0];
		s1 += c1 * v[1];
		s2 += c2 * v[2];
	}
	return (s0 + s1) + s2;
}

LEVEL_INLINE brFloat8 levelColumn(const float* from)
{
	brFloat8 lanes;
	memcpy(&lanes, from, sizeof(lanes));
	return lanes;
}

LEVEL_INLINE brFloat8 levelTimes6(const float* block, const float* v)
{
	brFloat8 s0 = levelColumn(block) * v[0], s1 = levelColumn(block + 6) * v[1];
	s0 += levelColumn(block + 12) * v[2];
	s1 += levelColumn(block + 18) * v[3];
	s0 += levelColumn(block + 24) * v[4];
	s1 += levelColumn(block + 30) * v[5];
	return s0 + s1;
}

LEVEL_INLINE brFloat8 levelRow6(const brLevel* level, int32_t row, const float* x)
{
	brFloat8 sum = {0, 0, 0, 0, 0, 0, 0, 0};
	for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i)
	{
		sum += levelTimes6(level->blocks + 36 * (size_t)i, x + 6 * (size_t)level->columns[i]);
	}
	return sum;
}

LEVEL_INLINE void levelResidualRows(const LevelJob* job, int32_t begin, int32_t end)
{
	const brLevel* level = job->level;
	for (int32_t row = begin; row < end; ++row)
	{
		if (level->size == 3)
		{
			brFloat4 sum = levelRow3(level, row, job->x);
			for (int k = 0; k < 3; ++k)
			{
				size_t i = 3 * (size_t)row + (size_t)k;
				job->out[i] = job->load != NULL ? job->load[i] - sum[k] : sum[k];
			}
		}
		else
		{
			brFloat8 sum = levelRow6(level, row, job->x);
			for (int k = 0; k < 6; ++k)
			{
				size_t i = 6 * (size_t)row + (size_t)k;
				job->out[i] = job->load != NULL ? job->load[i] - sum[k] : sum[k];
			}
		}
	}
}

LEVEL_INLINE void levelSmoothRows(const LevelJob* job, int32_t begin, int32_t end)
{
	const brLevel* level = job->level;
	for (int32_t row = begin; row < end; ++row)
	{
		float r[8], d[8] = {0};
		int32_t n = level->size;
		size_t first = (size_t)n * (size_t)row;
		for (int k = 0; k < n; ++k)
		{
			r[k] = job->load[first + (size_t)k];
		}
		if (n == 3)
		{
			if (job->x != NULL)
			{
				brFloat4 sum = levelRow3(level, row, job->x);
				r[0] -= sum[0], r[1] -= sum[1], r[2] -= sum[2];
			}
			const float* block = level->inverses + 9 * (size_t)row;
			for (int k = 0; k < 3; ++k)
			{
				d[k] = block[k] * r[0] + block[3 + k] * r[1] + block[6 + k] * r[2];
			}
		}
		else
		{
			if (job->x != NULL)
			{
				brFloat8 sum = levelRow6(level, row, job->x);
				for (int k = 0; k < 6; ++k)
				{
					r[k] -= sum[k];
				}
			}
			brFloat8 z = levelTimes6(level->inverses + 36 * (size_t)row, r);
			for (int k = 0; k < 6; ++k)
			{
				d[k] = z[k];
			}
		}
		for (int k = 0; k < n; ++k)
		{
			size_t i = first + (size_t)k;
			float step = job->b * d[k] + (job->a != 0.0f ? job->a * job->step[i] : 0.0f);
			job->step[i] = step;
			job->out[i] = (job->x != NULL ? job->x[i] : 0.0f) + step;
		}
	}
}

LEVEL_INLINE void levelGatherRow(const LevelJob* job, int32_t row, int32_t n, float* sums)
{
	const brLevel* level = job->level;
	float r[8];
	if (n == 3)
	{
		brFloat4 sum = levelRow3(level, row, job->x);
		for (int k = 0; k < 3; ++k)
		{
			r[k] = job->load[3 * (size_t)row + (size_t)k] - sum[k];
		}
	}
	else
	{
		brFloat8 sum = levelRow6(level, row, job->x);
		for (int k = 0; k < 6; ++k)
		{
			r[k] = job->load[6 * (size_t)row + (size_t)k] - sum[k];
		}
	}
	for (int32_t i = level->upStarts[row]; i < level->upStarts[row + 1]; ++i)
	{
		const float* block = level->upBlocks + 6 * (size_t)n * (size_t)i;
		float* to = sums + BR_LEVEL_STRIDE * (size_t)level->upColumns[i];
		brFloat8 sum = levelColumn(to);
		for (int k = 0; k < n; ++k)
		{
			sum += levelColumn(block + 6 * k) * r[k];
		}
		memcpy(to, &sum, sizeof(sum));
	}
}

// One range of rows.
LEVEL_INLINE void levelGatherRows(const LevelJob* job, int32_t begin, int32_t end)
{
	size_t length = BR_LEVEL_STRIDE * (size_t)job->level->coarseCount;
	float* sums = job->level->gathered + length * (size_t)(begin / job->rangeRows);
	memset(sums, 0, length * sizeof(float));
	for (int32_t row = begin; row < end; ++row)
	{
		if (job->level->size == 3)
		{
			levelGatherRow(job, row, 3, sums);
		}
		else
		{
			levelGatherRow(job, row, 6, sums);
		}
	}
}

// Aggregates: the sums of all ranges.
LEVEL_INLINE void levelCollectRows(const LevelJob* job, int32_t begin, int32_t end)
{
	const brLevel* level = job->level;
	size_t length = BR_LEVEL_STRIDE * (size_t)level->coarseCount;
	int32_t ranges = (level->nodeCount + job->rangeRows - 1) / job->rangeRows;
	for (int32_t row = begin; row < end; ++row)
	{
		const float* from = level->gathered + BR_LEVEL_STRIDE * (size_t)row;
		brFloat8 sum = levelColumn(from);
		for (int32_t i = 1; i < ranges; ++i)
		{
			sum += levelColumn(from + length * (size_t)i);
		}
		memcpy(job->out + 6 * (size_t)row, &sum, 6 * sizeof(float));
	}
}

LEVEL_INLINE void levelProlongRow(const LevelJob* job, int32_t row, int32_t n)
{
	const brLevel* level = job->level;
	brFloat8 sums[6];
	memset(sums, 0, sizeof(sums));
	for (int32_t i = level->upStarts[row]; i < level->upStarts[row + 1]; ++i)
	{
		const float* block = level->upBlocks + 6 * (size_t)n * (size_t)i;
		brFloat8 v = levelColumn(job->x + 6 * (size_t)level->upColumns[i]);
		for (int k = 0; k < n; ++k)
		{
			sums[k] += levelColumn(block + 6 * k) * v;
		}
	}
	for (int k = 0; k < n; ++k)
	{
		float* out = &job->out[(size_t)n * (size_t)row + (size_t)k];
		*out += ((sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3])) + (sums[k][4] + sums[k][5]);
	}
}

LEVEL_INLINE void levelProlongRows(const LevelJob* job, int32_t begin, int32_t end)
{
	for (int32_t row = begin; row < end; ++row)
	{
		if (job->level->size == 3)
		{
			levelProlongRow(job, row, 3);
		}
		else
		{
			levelProlongRow(job, row, 6);
		}
	}
}

LEVEL_INLINE brDouble4 levelWiden(const float* from)
{
	brFloat4 lanes;
	memcpy(&lanes, from, sizeof(lanes));
	return __builtin_convertvector(lanes, brDouble4);
}

LEVEL_INLINE void levelDoubleRows(const LevelJob* job, int32_t begin, int32_t end)
{
	const brLevel* level = job->level;
	double product = 0.0;
	for (int32_t row = begin; row < end; ++row)
	{
		brDouble4 s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0;
		for (int32_t i = level->starts[row]; i < level->starts[row + 1]; ++i)
		{
			const float* block = level->blocks + 9 * (size_t)i;
			brDVec3 x = job->doubleX[level->columns[i]];
			s0 += levelWiden(block) * x.x;
			s1 += levelWiden(block + 3) * x.y;
			s2 += levelWiden(block + 6) * x.z;
		}
		brDouble4 sum = ((s0 + s1) + s2) * job->scale;
		uint32_t held = job->held[row];
		brDVec3 y = {(held & 1) != 0 ? 0.0 : sum[0], (held & 2) != 0 ? 0.0 : sum[1], (held & 4) != 0 ? 0.0 : sum[2]};
		product += brDDot(job->doubleX[row], y);
		job->doubleY[row] = y;
	}
	job->sums[begin / BR_VECTOR_BLOCK] = product;
}

// Each loop twice: plain, and with registers of eight where the processor has them.
#define LEVEL_LOOP(name, rows)                                                                                         \
	static void name##Plain(int32_t begin, int32_t end, int32_t worker, void* user)                                    \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		rows(user, begin, end);                                                                                        \
	}                                                                                                                  \
	LEVEL_AVX2 static void name##Avx2(int32_t begin, int32_t end, int32_t worker, void* user)                          \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		rows(user, begin, end);                                                                                        \
	}                                                                                                                  \
	static void name(const LevelJob* job, brWorkers* workers, int32_t count, int32_t blockRows)                        \
	{                                                                                                                  \
		brRangeFcn* run = brCpu_Best() >= br_cpuAvx2 ? name##Avx2 : name##Plain;                                       \
		brParallelFor(count > LEVEL_SHARE_BLOCKS * blockRows ? workers : NULL, count, blockRows, run, (void*)job);     \
	}

#if defined(__x86_64__) && !defined(BR_SCALAR)
#define LEVEL_AVX2 __attribute__((target("avx2")))
#else
#define LEVEL_AVX2
#endif

LEVEL_LOOP(levelResidual, levelResidualRows)
LEVEL_LOOP(levelSmooth, levelSmoothRows)
LEVEL_LOOP(levelGather, levelGatherRows)
LEVEL_LOOP(levelCollect, levelCollectRows)
LEVEL_LOOP(levelProlong, levelProlongRows)
LEVEL_LOOP(levelDouble, levelDoubleRows)

static int32_t levelBlockRows(const brLevel* level)
{
	return level->size == 3 ? LEVEL_FINE_ROWS : LEVEL_COARSE_ROWS;
}

void brLevel_Residual(const brLevel* level, brWorkers* workers, const float* load, const float* x, float* y)
{
	LevelJob job = {.level = level, .load = load, .x = x, .out = y};
	levelResidual(&job, workers, level->nodeCount, levelBlockRows(level));
}

void brLevel_Smooth(const brLevel* level, brWorkers* workers, const float* load, const float* x, float a, float b,
					float* out)
{
	LevelJob job = {.level = level, .load = load, .x = x, .out = out, .step = level->step, .a = a, .b = b};
	levelSmooth(&job, workers, level->nodeCount, levelBlockRows(level));
}

int32_t brLevel_RangeRows(const brLevel* level)
{
	int32_t rows = (level->nodeCount + BR_LEVEL_RANGES - 1) / BR_LEVEL_RANGES, least = 2 * levelBlockRows(level);
	return rows > least ? rows : least;
}

void brLevel_RestrictResidual(const brLevel* level, brWorkers* workers, const float* load, const float* x,
							  float* coarse)
{
	LevelJob job = {.level = level, .load = load, .x = x, .out = coarse, .rangeRows = brLevel_RangeRows(level)};
	levelGather(&job, workers, level->nodeCount, job.rangeRows);
	levelCollect(&job, workers, level->coarseCount, LEVEL_FINE_ROWS);
}

void brLevel_Prolong(const brLevel* level, brWorkers* workers, const float* coarse, float* fine)
{
	LevelJob job = {.level = level, .x = coarse, .out = fine};
	levelProlong(&job, workers, level->nodeCount, levelBlockRows(level));
}

void brLevel_MultiplyDouble(const brLevel* level, brWorkers* workers, const brDVec3* x, const uint8_t* held,
							double scale, brDVec3* y, double* sums)
{
	LevelJob job = {.level = level, .doubleX = x, .doubleY = y, .held = held, .scale = scale, .sums = sums};
	levelDouble(&job, workers, level->nodeCount, BR_VECTOR_BLOCK);
}
