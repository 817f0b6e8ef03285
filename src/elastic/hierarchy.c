// SPDX-License-Identifier: MIT

// The hierarchy: levels until few nodes are left, a dense factor for those, and the cycle through them.

#include "elastic/hierarchy.h"

#include "elastic/coarsen.h"

#include <string.h>

// Levels of no more nodes than this are solved densely: 192 numbers, about a tenth of a millisecond a solve.
#define HIERARCHY_DENSE_NODES 32

// What cannot be made smaller (many loose parts) is solved densely up to here, and smoothed beyond.
#define HIERARCHY_MAX_DENSE_NODES 128

// Coarsening by less than this is given up.
#define HIERARCHY_MIN_GAIN 0.7

// The smoother works on the upper part of the spectrum, from the largest eigenvalue down to this share of it. One step
// each way: two save two iterations in twenty on the finest level and cost a third more, one in twenty on the others
// and cost a fifth more.
#define HIERARCHY_SMOOTH_SHARE 0.1f

void brHierarchy_Destroy(brHierarchy* hierarchy)
{
	if (hierarchy == NULL)
	{
		return;
	}
	brAllocator allocator = hierarchy->allocator;
	BR_FREE(&allocator, hierarchy->held, hierarchy->levels[0].nodeCount);
	for (int32_t l = 0; l < BR_MAX_LEVELS; ++l)
	{
		brLevel_Free(&hierarchy->levels[l], &allocator);
	}
	BR_FREE(&allocator, hierarchy->dense, (int64_t)hierarchy->denseSize * hierarchy->denseSize);
	BR_FREE(&allocator, hierarchy->denseVector, hierarchy->denseSize);
	BR_FREE(&allocator, hierarchy, 1);
}

int32_t brHierarchy_LevelCount(const brHierarchy* hierarchy)
{
	return hierarchy->levelCount;
}

// Free rigid motions as numbers of the last level, added as outer products: the factor then exists, and loads that the
// motions do no work on are answered as if nothing were there.
static void hierarchyAddModes(brHierarchy* hierarchy, const brHierarchyDef* def)
{
	const brLevel* level = &hierarchy->levels[hierarchy->levelCount - 1];
	int32_t size = hierarchy->denseSize;
	double* z = hierarchy->denseVector;
	double trace = 0.0;
	for (int32_t i = 0; i < size; ++i)
	{
		trace += hierarchy->dense[(size_t)i * (size_t)size + (size_t)i];
	}
	for (int32_t p = 0; p < def->componentCount; ++p)
	{
		for (int32_t m = def->modeStarts[p]; m < def->modeStarts[p + 1]; ++m)
		{
			double square = 0.0;
			for (int32_t a = 0; a < level->nodeCount; ++a)
			{
				brDVec3 shift = {0.0, 0.0, 0.0}, turn = {0.0, 0.0, 0.0};
				if (level->parts[a] == p)
				{
					brDVec3 r = brDSub(level->places[a], def->centers[p]);
					shift = brDAdd(def->shifts[m], brDCross(def->turns[m], r));
					turn = level->size == 6 ? brDMul(level->lengths[a], def->turns[m]) : turn;
				}
				double parts[6] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
				for (int k = 0; k < level->size; ++k)
				{
					z[level->size * a + k] = parts[k];
					square += parts[k] * parts[k];
				}
			}
			double weight = square > 0.0 ? trace / size / square : 0.0;
			for (int32_t i = 0; i < size; ++i)
			{
				for (int32_t j = 0; j < size && z[i] != 0.0; ++j)
				{
					hierarchy->dense[(size_t)i * (size_t)size + (size_t)j] += weight * z[i] * z[j];
				}
			}
		}
	}
}

static void hierarchyFactor(double* a, int32_t n)
{
	for (int32_t j = 0; j < n; ++j)
	{
		double* rowJ = a + (size_t)j * (size_t)n;
		double first = rowJ[j];
		for (int32_t i = 0; i <= j; ++i)
		{
			// Row j of the factor from the rows above it.
			const double* rowI = a + (size_t)i * (size_t)n;
			double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
			int32_t k = 0;
			for (; k + 4 <= i; k += 4)
			{
				s0 += rowI[k] * rowJ[k];
				s1 += rowI[k + 1] * rowJ[k + 1];
				s2 += rowI[k + 2] * rowJ[k + 2];
				s3 += rowI[k + 3] * rowJ[k + 3];
			}
			for (; k < i; ++k)
			{
				s0 += rowI[k] * rowJ[k];
			}
			double value = rowJ[i] - ((s0 + s1) + (s2 + s3));
			if (i < j)
			{
				rowJ[i] = value * rowI[i];
			}
			else
			{
				// A number that nothing resists is left at zero. The diagonal holds its inverse.
				rowJ[j] = value > 1e-6 * first && first > 0.0 ? 1.0 / sqrt(value) : 0.0;
			}
		}
	}
}

static bool hierarchyMakeDense(brHierarchy* hierarchy, const brHierarchyDef* def)
{
	const brLevel* level = &hierarchy->levels[hierarchy->levelCount - 1];
	if (level->nodeCount > HIERARCHY_MAX_DENSE_NODES)
	{
		return true;
	}
	int32_t n = level->size, size = n * level->nodeCount;
	hierarchy->denseSize = size;
	hierarchy->dense = BR_ALLOC_ZERO(&hierarchy->allocator, double, (int64_t)size* size);
	hierarchy->denseVector = BR_ALLOC(&hierarchy->allocator, double, size);
	if (hierarchy->dense == NULL || hierarchy->denseVector == NULL)
	{
		return false;
	}
	for (int32_t row = 0; row < level->nodeCount; ++row)
	{
		for (int32_t k = level->starts[row]; k < level->starts[row + 1]; ++k)
		{
			for (int32_t i = 0; i < n * n; ++i)
			{
				size_t r = (size_t)(n * row + i % n), c = (size_t)(n * level->columns[k] + i / n);
				double half = 0.5 * brLevel_Block(level, row, k)[i];
				hierarchy->dense[r * (size_t)size + c] += half;
				hierarchy->dense[c * (size_t)size + r] += half;
			}
		}
	}
	for (int32_t i = 0; i < size; ++i)
	{
		if (!(hierarchy->dense[(size_t)i * (size_t)size + (size_t)i] > BR_LEVEL_MIN_SIGNAL * (double)level->noises[i]))
		{
			for (int32_t j = 0; j < size; ++j)
			{
				hierarchy->dense[(size_t)i * (size_t)size + (size_t)j] = 0.0;
				hierarchy->dense[(size_t)j * (size_t)size + (size_t)i] = 0.0;
			}
		}
	}
	hierarchyAddModes(hierarchy, def);
	hierarchyFactor(hierarchy->dense, size);
	return true;
}

brHierarchy* brHierarchy_Create(const brAllocator* allocator, brWorkers* workers, const brHierarchyDef* def)
{
	brHierarchy* hierarchy = BR_ALLOC_ZERO(allocator, brHierarchy, 1);
	if (hierarchy == NULL)
	{
		return NULL;
	}
	hierarchy->allocator = *allocator;
	int32_t rows = def->matrix->rowCount;
	hierarchy->levels[0].nodeCount = rows;
	hierarchy->held = BR_ALLOC(allocator, uint8_t, rows);
	int32_t* aggregates = BR_ALLOC(allocator, int32_t, rows);
	uint8_t* isLeftOut = BR_ALLOC(allocator, uint8_t, rows);
	bool good = aggregates != NULL && isLeftOut != NULL && hierarchy->held != NULL &&
				brLevel_MakeFinest(&hierarchy->levels[0], def, allocator, workers, &hierarchy->scale);
	hierarchy->levelCount = 1;
	for (int32_t i = 0; good && i < rows; ++i)
	{
		hierarchy->held[i] = def->held[i];
		isLeftOut[i] = def->held[i] == 7 || def->parts[i] < 0;
	}
	while (good && hierarchy->levelCount < BR_MAX_LEVELS)
	{
		int32_t l = hierarchy->levelCount - 1;
		brLevel *level = &hierarchy->levels[l], *coarse = &hierarchy->levels[l + 1];
		if (level->nodeCount <= HIERARCHY_DENSE_NODES)
		{
			break;
		}
		int32_t count = brLevel_Aggregate(level, l == 0 ? isLeftOut : NULL, allocator, workers, aggregates);
		good = count >= 0;
		if (count <= 0 || count > HIERARCHY_MIN_GAIN * level->nodeCount)
		{
			break;
		}
		good = brLevel_Coarsen(level, coarse, aggregates, count, l == 0 ? def->held : NULL, allocator, workers) &&
			   brLevel_Finish(coarse, allocator, workers);
		hierarchy->levelCount += 1;
	}
	good = good && hierarchyMakeDense(hierarchy, def);
	BR_FREE(allocator, aggregates, rows);
	BR_FREE(allocator, isLeftOut, rows);
	if (!good)
	{
		brHierarchy_Destroy(hierarchy);
		return NULL;
	}
	return hierarchy;
}

static void hierarchySolveDense(const brHierarchy* hierarchy, const float* load, float* x)
{
	int32_t n = hierarchy->denseSize;
	const double* factor = hierarchy->dense;
	double* v = hierarchy->denseVector;
	for (int32_t i = 0; i < n; ++i)
	{
		const double* row = factor + (size_t)i * (size_t)n;
		double sum = load[i];
		for (int32_t k = 0; k < i; ++k)
		{
			sum -= row[k] * v[k];
		}
		v[i] = sum * row[i];
	}
	for (int32_t i = n - 1; i >= 0; --i)
	{
		const double* row = factor + (size_t)i * (size_t)n;
		v[i] *= row[i];
		for (int32_t k = 0; k < i; ++k)
		{
			v[k] -= row[k] * v[i];
		}
		x[i] = (float)v[i];
	}
}

float brLevel_SmoothWeight(const brLevel* level)
{
	return 2.0f / ((1.0f + HIERARCHY_SMOOTH_SHARE) * level->largest);
}

// One step from x (null: zero), between values[0] and values[1]. Returns where the result is.
static float* hierarchySmooth(const brLevel* level, brWorkers* workers, const float* x)
{
	float* out = x == level->values[0] ? level->values[1] : level->values[0];
	brLevel_Smooth(level, workers, level->load, x, brLevel_SmoothWeight(level), out);
	return out;
}

static float* hierarchyCycle(const brHierarchy* hierarchy, brWorkers* workers, int32_t l)
{
	const brLevel* level = &hierarchy->levels[l];
	if (l == hierarchy->levelCount - 1 && hierarchy->dense != NULL)
	{
		hierarchySolveDense(hierarchy, level->load, level->values[0]);
		return level->values[0];
	}
	float* x = hierarchySmooth(level, workers, NULL);
	if (l < hierarchy->levelCount - 1)
	{
		const brLevel* coarse = &hierarchy->levels[l + 1];
		brLevel_RestrictResidual(level, workers, level->load, x, coarse->load);
		float* correction = hierarchyCycle(hierarchy, workers, l + 1);
		brLevel_Prolong(level, workers, correction, x);
	}
	return hierarchySmooth(level, workers, x);
}

typedef struct ConvertJob
{
	const brHierarchy* hierarchy;
	const brDVec3* r;
	brDVec3* z;
	const float* x;
	double scale;
} ConvertJob;

static void hierarchyToFloat(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ConvertJob* job = user;
	const double* from = &job->r[0].x;
	float* to = job->hierarchy->levels[0].load;
	for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i)
	{
		to[i] = (float)(job->scale * from[i]);
	}
}

static void hierarchyToDouble(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ConvertJob* job = user;
	for (int32_t i = begin; i < end; ++i)
	{
		uint32_t held = job->hierarchy->held[i];
		const float* x = job->x + 3 * (size_t)i;
		job->z[i].x = (held & 1) != 0 ? 0.0 : job->scale * x[0];
		job->z[i].y = (held & 2) != 0 ? 0.0 : job->scale * x[1];
		job->z[i].z = (held & 4) != 0 ? 0.0 : job->scale * x[2];
	}
}

void brHierarchy_Apply(const brHierarchy* hierarchy, brWorkers* workers, const brDVec3* r, double size, brDVec3* z)
{
	int32_t count = hierarchy->levels[0].nodeCount;
	ConvertJob job = {.hierarchy = hierarchy, .r = r, .z = z, .scale = 1.0 / size};
	brParallelFor(workers, count, 2048, hierarchyToFloat, &job);
	job.x = hierarchyCycle(hierarchy, workers, 0);
	job.scale = size * hierarchy->scale;
	brParallelFor(workers, count, 2048, hierarchyToDouble, &job);
}

void brHierarchy_Multiply(const brHierarchy* hierarchy, brWorkers* workers, const brDVec3* p, brDVec3* q, double* sums)
{
	brLevel_MultiplyDouble(&hierarchy->levels[0], workers, p, hierarchy->held, 1.0 / hierarchy->scale, q, sums);
}
