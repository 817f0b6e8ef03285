// SPDX-License-Identifier: MIT

// Levels: memory, and their inner loops (level_lanes.h) dealt out to workers.

#include "elastic/level.h"

#include "base/lanes.h"

#include <string.h>

// Rows that a worker takes at a time, some microseconds of work: those of coarse levels are ten times as heavy. Below a
// few such blocks waking a worker costs more than it saves.
#define LEVEL_FINE_ROWS 256
#define LEVEL_COARSE_ROWS 24
#define LEVEL_SHARE_BLOCKS 2

void brLevel_Free(brLevel* level, const brAllocator* allocator)
{
	int64_t blockCount = level->starts != NULL ? level->starts[level->nodeCount] : 0;
	int64_t upCount = level->upStarts != NULL ? level->upStarts[level->nodeCount] : 0;
	int64_t square = (int64_t)level->size * level->size;
	int64_t length = (int64_t)level->nodeCount * level->size + BR_LEVEL_PADDING;
	BR_FREE(allocator, level->columns, blockCount);
	BR_FREE(allocator, level->blocks, square * level->blockCount + BR_LEVEL_PADDING);
	if (level->firsts != level->starts)
	{
		BR_FREE(allocator, level->firsts, level->nodeCount);
	}
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
	float weight;
	int32_t rangeRows; // of a restriction

	// Of the product in double
	const brDVec3* doubleX;
	brDVec3* doubleY;
	const uint8_t* held;
	double scale;
	double* sums;
} LevelJob;

#define BR_LANES_WIDEST
#define BR_LANES_FILE "elastic/level_lanes.h"
#include "base/each_lanes.h"

#define LEVEL_LOOP(name)                                                                                               \
	static void name(const LevelJob* job, brWorkers* workers, int32_t count, int32_t blockRows)                        \
	{                                                                                                                  \
		brRangeFcn* run = BR_WIDEST(brCpu_Best(), name);                                                               \
		brParallelFor(count > LEVEL_SHARE_BLOCKS * blockRows ? workers : NULL, count, blockRows, run, (void*)job);     \
	}

LEVEL_LOOP(levelResidual)
LEVEL_LOOP(levelSmooth)
LEVEL_LOOP(levelGather)
LEVEL_LOOP(levelCollect)
LEVEL_LOOP(levelProlong)
LEVEL_LOOP(levelDouble)

static int32_t levelBlockRows(const brLevel* level)
{
	return level->size == 3 ? LEVEL_FINE_ROWS : LEVEL_COARSE_ROWS;
}

void brLevel_Residual(const brLevel* level, brWorkers* workers, const float* load, const float* x, float* y)
{
	LevelJob job = {.level = level, .load = load, .x = x, .out = y};
	levelResidual(&job, workers, level->nodeCount, levelBlockRows(level));
}

void brLevel_Smooth(const brLevel* level, brWorkers* workers, const float* load, const float* x, float weight,
					float* out)
{
	LevelJob job = {.level = level, .load = load, .x = x, .out = out, .weight = weight};
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
