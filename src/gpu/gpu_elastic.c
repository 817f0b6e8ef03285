// SPDX-License-Identifier: MIT

// Elastic solves on a device (kernels/elastic.cl): matrix, hierarchy and vectors lie there, the host sends a right side
// and asks every few iterations how far it got.

#include "brittle/gpu.h"

#include "gpu/gpu_upload.h"

#ifdef BR_HAVE_OPENCL

#include "elastic/elastic_device.h"

#include "base/report.h"

#include <string.h>

enum
{
	elasticGroup = 256,     // ELASTIC_GROUP of elastic.cl
	elasticTileGroup = 192, // ELASTIC_TILE_GROUP
	elasticTile = 192,      // ELASTIC_TILE
	elasticSumGroup = 64,   // ELASTIC_SUM_GROUP
	elasticDense = 768,     // ELASTIC_DENSE
	elasticAhead = 4,       // iterations between two looks at the residual: more leave launches that find nothing to do
};

// Rows of the smallest matrix that is solved faster there than here.
#define ELASTIC_LEAST_ROWS 4096

// ElasticState of elastic.cl.
typedef struct ElasticState
{
	double size, limit;
	double matrixScale, valuesScale;
	double zr, alpha, beta;
	int32_t status, count;
} ElasticState;

typedef enum ElasticStatus
{
	elastic_runs,
	elastic_there,
	elastic_stuck,
} ElasticStatus;

// brLevel, there.
typedef struct ElasticLevel
{
	brGpuBuffer starts, columns, firsts, blocks, inverses;
	brGpuBuffer upStarts, upColumns, upBlocks, downStarts, downNodes, downBlocks;
	brGpuBuffer load, values[2], residual;
} ElasticLevel;

typedef struct GpuElastic
{
	brElasticDevice device; // first: the one is the other
	brAllocator allocator;
	brGpu* gpu;
	brWorkers* workers; // of the one who copies
	brGpuUpload upload;
	const brHierarchy* hierarchy; // whose copy is there
	ElasticLevel levels[BR_MAX_LEVELS];
	brGpuBuffer blocks; // of the matrix in double; its rows are those of the finest level
	brGpuBuffer factor, held;
	brGpuBuffer state, sums, kept, b, x, r, z, p, q;
} GpuElastic;

// As many groups as `count` threads make, or fewer that go on where they ended.
static int64_t elasticGroups(const GpuElastic* elastic, int64_t count)
{
	int64_t groups = (count + elasticGroup - 1) / elasticGroup, most = 64 * (int64_t)elastic->gpu->info.computeUnits;
	return groups < most ? groups : most;
}

// Groups of kernels whose group has threads of its own number.
static uint32_t elasticThreads(const GpuElastic* elastic, uint32_t threads)
{
	return elastic->gpu->info.kind == br_gpuKindCpu ? 1 : threads;
}

static void elasticPut(GpuElastic* elastic, brGpuBuffer* buffer, const void* from, int64_t count, size_t elementBytes)
{
	brGpu_Ensure(elastic->gpu, buffer, count, elementBytes);
	brGpuUpload_Write(&elastic->upload, elastic->gpu, elastic->workers, buffer, from, (size_t)count * elementBytes);
}

static void elasticHoldLevel(GpuElastic* elastic, const brLevel* level, ElasticLevel* there)
{
	brGpu* gpu = elastic->gpu;
	int64_t rows = level->nodeCount, size = level->size, length = rows * size, count = level->starts[rows];
	elasticPut(elastic, &there->starts, level->starts, rows + 1, sizeof(int32_t));
	elasticPut(elastic, &there->columns, level->columns, count, sizeof(int32_t));
	elasticPut(elastic, &there->firsts, level->firsts, rows, sizeof(int32_t));
	elasticPut(elastic, &there->blocks, level->blocks, size * size * level->blockCount, sizeof(float));
	elasticPut(elastic, &there->inverses, level->inverses, size * length, sizeof(float));
	brGpu_Ensure(gpu, &there->load, length, sizeof(float));
	brGpu_Ensure(gpu, &there->values[0], length, sizeof(float));
	brGpu_Ensure(gpu, &there->values[1], length, sizeof(float));
	brGpu_Ensure(gpu, &there->residual, length, sizeof(float));
	if (level->coarseCount > 0)
	{
		int64_t ups = level->upStarts[rows];
		elasticPut(elastic, &there->upStarts, level->upStarts, rows + 1, sizeof(int32_t));
		elasticPut(elastic, &there->upColumns, level->upColumns, ups, sizeof(int32_t));
		elasticPut(elastic, &there->upBlocks, level->upBlocks, 6 * size * ups, sizeof(float));
		elasticPut(elastic, &there->downStarts, level->downStarts, (int64_t)level->coarseCount + 1, sizeof(int32_t));
		elasticPut(elastic, &there->downNodes, level->downNodes, ups, sizeof(int32_t));
		elasticPut(elastic, &there->downBlocks, level->downBlocks, ups, sizeof(int32_t));
	}
}

// The factor of the last level as the two passes of brk_elasticDense read it.
static brResult elasticHoldFactor(GpuElastic* elastic, const brHierarchy* hierarchy, brReport* report)
{
	int64_t n = hierarchy->denseSize;
	if (n > elasticDense)
	{
		return brFail(report, br_errorUnavailable, "the last level has %d unknowns, a device takes %d", (int)n,
					  elasticDense);
	}
	double* factor = BR_ALLOC(&elastic->allocator, double, 2 * n * n);
	if (factor == NULL)
	{
		return brFailMemory(report);
	}
	for (int64_t i = 0; i < n; ++i)
	{
		for (int64_t k = 0; k < n; ++k)
		{
			factor[i * n + k] = hierarchy->dense[k * n + i];
			factor[(n + i) * n + k] = hierarchy->dense[(n - 1 - i) * n + n - 1 - k];
		}
	}
	elasticPut(elastic, &elastic->factor, factor, 2 * n * n, sizeof(double));
	BR_FREE(&elastic->allocator, factor, 2 * n * n);
	return br_success;
}

static brResult elasticHold(brElasticDevice* device, brWorkers* workers, const brBlockMatrix* matrix,
							brHierarchy* hierarchy, brReport* report)
{
	GpuElastic* elastic = (GpuElastic*)device;
	brGpu* gpu = elastic->gpu;
	if (hierarchy->holder == elastic && elastic->hierarchy == hierarchy)
	{
		return br_success;
	}
	elastic->hierarchy = NULL;
	elastic->workers = workers;
	int64_t rows = matrix->rowCount, length = 3 * rows;
	for (int32_t l = 0; l < hierarchy->levelCount; ++l)
	{
		elasticHoldLevel(elastic, &hierarchy->levels[l], &elastic->levels[l]);
	}
	brResult result = hierarchy->dense != NULL ? elasticHoldFactor(elastic, hierarchy, report) : br_success;
	if (result < 0)
	{
		return result;
	}
	elasticPut(elastic, &elastic->blocks, matrix->blocks, 9 * (int64_t)matrix->starts[rows], sizeof(double));
	elasticPut(elastic, &elastic->held, hierarchy->held, rows, sizeof(uint8_t));
	brGpu_Ensure(gpu, &elastic->state, 1, sizeof(ElasticState));
	brGpu_Ensure(gpu, &elastic->sums, 2 * (int64_t)brVectorBlocks((int32_t)rows), sizeof(double));
	brGpu_Ensure(gpu, &elastic->kept, 2 * BR_SOLVE_COEFFICIENTS, sizeof(double));
	brGpuBuffer* vectors[] = {&elastic->b, &elastic->x, &elastic->r, &elastic->z, &elastic->p, &elastic->q};
	for (int32_t i = 0; i < BR_COUNT(vectors); ++i)
	{
		brGpu_Ensure(gpu, vectors[i], length, sizeof(double));
	}
	result = brGpu_Finish(gpu, report);
	if (result >= 0)
	{
		elastic->hierarchy = hierarchy;
		hierarchy->holder = elastic;
	}
	return result;
}

// q = K p by the matrix in float.
static void elasticRunMultiplyFloat(GpuElastic* elastic)
{
	const ElasticLevel* finest = &elastic->levels[0];
	int32_t rows = elastic->hierarchy->levels[0].nodeCount;
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticMultiplyFloat, brVectorBlocks(rows),
			   elasticThreads(elastic, elasticGroup), brBufferArg(&elastic->state), brBufferArg(&finest->starts),
			   brBufferArg(&finest->columns), brBufferArg(&finest->firsts), brBufferArg(&finest->blocks),
			   brBufferArg(&elastic->p), brBufferArg(&elastic->held), brBufferArg(&elastic->q),
			   brBufferArg(&elastic->sums), brUintArg((uint32_t)rows));
}

// q = K p by the matrix itself, on free axes or on all.
static void elasticRunMultiply(GpuElastic* elastic, const brGpuBuffer* p, bool isWhole)
{
	const ElasticLevel* finest = &elastic->levels[0];
	int32_t rows = elastic->hierarchy->levels[0].nodeCount;
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticMultiply, brVectorBlocks(rows), elasticThreads(elastic, elasticGroup),
			   brBufferArg(&elastic->state), brBufferArg(&finest->starts), brBufferArg(&finest->columns),
			   brBufferArg(&elastic->blocks), brBufferArg(p), brBufferArg(&elastic->held), brBufferArg(&elastic->q),
			   brBufferArg(&elastic->sums), brUintArg((uint32_t)rows), brUintArg(isWhole));
}

static brResult elasticMultiply(brElasticDevice* device, const brDVec3* x, brDVec3* y, brReport* report)
{
	GpuElastic* elastic = (GpuElastic*)device;
	size_t bytes = (size_t)elastic->hierarchy->levels[0].nodeCount * sizeof(brDVec3);
	brGpu_Write(elastic->gpu, &elastic->p, 0, x, bytes);
	elasticRunMultiply(elastic, &elastic->p, true);
	return brGpu_Read(elastic->gpu, &elastic->q, 0, y, bytes, report);
}

// r = b - q.
static void elasticRunLeft(GpuElastic* elastic)
{
	int64_t length = 3 * (int64_t)elastic->hierarchy->levels[0].nodeCount;
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticLeft, elasticGroups(elastic, length), elasticGroup,
			   brBufferArg(&elastic->b), brBufferArg(&elastic->q), brBufferArg(&elastic->held),
			   brBufferArg(&elastic->r), brUintArg((uint32_t)length));
}

static brResult elasticBegin(brElasticDevice* device, const brDVec3* b, const brDVec3* x, brReport* report)
{
	GpuElastic* elastic = (GpuElastic*)device;
	int64_t rows = elastic->hierarchy->levels[0].nodeCount, words = 6 * rows; // of 32 bits
	brGpu_Write(elastic->gpu, &elastic->b, 0, b, (size_t)rows * sizeof(brDVec3));
	brGpu_Write(elastic->gpu, &elastic->x, 0, x, (size_t)rows * sizeof(brDVec3));
	brGpu_Clear(elastic->gpu, &elastic->q, words);
	elasticRunLeft(elastic);
	return brGpu_Finish(elastic->gpu, report);
}

static brResult elasticFindResidual(brElasticDevice* device, brDVec3* r, brReport* report)
{
	GpuElastic* elastic = (GpuElastic*)device;
	size_t bytes = (size_t)elastic->hierarchy->levels[0].nodeCount * sizeof(brDVec3);
	elasticRunMultiply(elastic, &elastic->x, true);
	elasticRunLeft(elastic);
	return brGpu_Read(elastic->gpu, &elastic->r, 0, r, bytes, report);
}

static brResult elasticGetSolution(brElasticDevice* device, brDVec3* x, brReport* report)
{
	GpuElastic* elastic = (GpuElastic*)device;
	size_t bytes = (size_t)elastic->hierarchy->levels[0].nodeCount * sizeof(brDVec3);
	return brGpu_Read(elastic->gpu, &elastic->x, 0, x, bytes, report);
}

// hierarchySmooth: from values[from], or from zero if that is -1. Returns in which values the result is.
static int32_t elasticRunSmooth(GpuElastic* elastic, int32_t l, int32_t from)
{
	const brLevel* level = &elastic->hierarchy->levels[l];
	const ElasticLevel* there = &elastic->levels[l];
	int64_t length = (int64_t)level->nodeCount * level->size;
	int32_t to = from == 0 ? 1 : 0;
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticSmooth, (length + elasticTile - 1) / elasticTile,
			   elasticThreads(elastic, elasticTileGroup), brBufferArg(&elastic->state), brBufferArg(&there->starts),
			   brBufferArg(&there->columns), brBufferArg(&there->firsts), brBufferArg(&there->blocks),
			   brBufferArg(&there->inverses), brBufferArg(&there->load), brBufferArg(&there->values[from == 1 ? 1 : 0]),
			   brBufferArg(&there->values[to]), brFloatArg(brLevel_SmoothWeight(level)),
			   brUintArg((uint32_t)level->size), brUintArg((uint32_t)length), brUintArg(from < 0));
	return to;
}

static void elasticRunRestrict(GpuElastic* elastic, int32_t l, int32_t from)
{
	const brLevel* level = &elastic->hierarchy->levels[l];
	const ElasticLevel* there = &elastic->levels[l];
	int64_t length = (int64_t)level->nodeCount * level->size;
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticResidual, elasticGroups(elastic, length), elasticGroup,
			   brBufferArg(&elastic->state), brBufferArg(&there->starts), brBufferArg(&there->columns),
			   brBufferArg(&there->firsts), brBufferArg(&there->blocks), brBufferArg(&there->load),
			   brBufferArg(&there->values[from]), brBufferArg(&there->residual), brUintArg((uint32_t)level->size),
			   brUintArg((uint32_t)length));
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticRestrict, level->coarseCount, elasticThreads(elastic, elasticSumGroup),
			   brBufferArg(&elastic->state), brBufferArg(&there->downStarts), brBufferArg(&there->downNodes),
			   brBufferArg(&there->downBlocks), brBufferArg(&there->upBlocks), brBufferArg(&there->residual),
			   brBufferArg(&elastic->levels[l + 1].load), brUintArg((uint32_t)level->size),
			   brUintArg((uint32_t)brLevel_RangeRows(level)));
}

// hierarchyCycle. Returns in which values of the level the result is.
static int32_t elasticRunCycle(GpuElastic* elastic, int32_t l)
{
	const brHierarchy* hierarchy = elastic->hierarchy;
	const brLevel* level = &hierarchy->levels[l];
	const ElasticLevel* there = &elastic->levels[l];
	bool isLast = l == hierarchy->levelCount - 1;
	if (isLast && hierarchy->dense != NULL)
	{
		BR_GPU_RUN(elastic->gpu, kernel_brk_elasticDense, 1, elasticThreads(elastic, elasticGroup),
				   brBufferArg(&elastic->state), brBufferArg(&elastic->factor), brBufferArg(&there->load),
				   brBufferArg(&there->values[0]), brUintArg((uint32_t)hierarchy->denseSize));
		return 0;
	}
	int32_t at = elasticRunSmooth(elastic, l, -1);
	if (!isLast)
	{
		elasticRunRestrict(elastic, l, at);
		int32_t coarse = elasticRunCycle(elastic, l + 1);
		int64_t length = (int64_t)level->nodeCount * level->size;
		BR_GPU_RUN(elastic->gpu, kernel_brk_elasticProlong, elasticGroups(elastic, length), elasticGroup,
				   brBufferArg(&elastic->state), brBufferArg(&there->upStarts), brBufferArg(&there->upColumns),
				   brBufferArg(&there->upBlocks), brBufferArg(&elastic->levels[l + 1].values[coarse]),
				   brBufferArg(&there->values[at]), brUintArg((uint32_t)level->size), brUintArg((uint32_t)length));
	}
	return elasticRunSmooth(elastic, l, at);
}

static void elasticRunDecide(GpuElastic* elastic, uint32_t stage)
{
	uint32_t blocks = (uint32_t)brVectorBlocks(elastic->hierarchy->levels[0].nodeCount);
	BR_GPU_RUN(elastic->gpu, kernel_brk_elasticDecide, 1, elasticThreads(elastic, elasticGroup),
			   brBufferArg(&elastic->state), brBufferArg(&elastic->sums), brBufferArg(&elastic->kept),
			   brUintArg(blocks), brUintArg(stage));
}

// One iteration of solveIterate.
static void elasticRunIteration(GpuElastic* elastic, bool isRounded)
{
	brGpu* gpu = elastic->gpu;
	int32_t rows = elastic->hierarchy->levels[0].nodeCount, blocks = brVectorBlocks(rows);
	int64_t length = 3 * (int64_t)rows;
	uint32_t threads = elasticThreads(elastic, elasticGroup);
	BR_GPU_RUN(gpu, kernel_brk_elasticRound, elasticGroups(elastic, length), elasticGroup, brBufferArg(&elastic->state),
			   brBufferArg(&elastic->r), brBufferArg(&elastic->levels[0].load), brUintArg((uint32_t)length));
	int32_t at = elasticRunCycle(elastic, 0);
	BR_GPU_RUN(gpu, kernel_brk_elasticProducts, blocks, threads, brBufferArg(&elastic->state),
			   brBufferArg(&elastic->levels[0].values[at]), brBufferArg(&elastic->held), brBufferArg(&elastic->r),
			   brBufferArg(&elastic->q), brBufferArg(&elastic->z), brBufferArg(&elastic->sums),
			   brUintArg((uint32_t)rows));
	elasticRunDecide(elastic, 0);
	BR_GPU_RUN(gpu, kernel_brk_elasticDirect, elasticGroups(elastic, length), elasticGroup,
			   brBufferArg(&elastic->state), brBufferArg(&elastic->z), brBufferArg(&elastic->p),
			   brUintArg((uint32_t)length));
	if (isRounded)
	{
		elasticRunMultiplyFloat(elastic);
	}
	else
	{
		elasticRunMultiply(elastic, &elastic->p, false);
	}
	elasticRunDecide(elastic, 1);
	BR_GPU_RUN(gpu, kernel_brk_elasticStep, blocks, threads, brBufferArg(&elastic->state), brBufferArg(&elastic->p),
			   brBufferArg(&elastic->q), brBufferArg(&elastic->x), brBufferArg(&elastic->r),
			   brBufferArg(&elastic->sums), brUintArg((uint32_t)rows));
	elasticRunDecide(elastic, 2);
}

static brResult elasticIterate(brElasticDevice* device, brElasticIteration* iteration, brReport* report)
{
	GpuElastic* elastic = (GpuElastic*)device;
	brGpu* gpu = elastic->gpu;
	int64_t rows = elastic->hierarchy->levels[0].nodeCount, most = (int64_t)iteration->most - iteration->done;
	ElasticState state = {.size = iteration->size,
						  .limit = iteration->limit,
						  .matrixScale = 1.0 / elastic->hierarchy->scale,
						  .valuesScale = elastic->hierarchy->scale,
						  .alpha = 1.0,
						  .status = iteration->size > iteration->limit ? elastic_runs : elastic_there};
	brGpu_Write(gpu, &elastic->state, 0, &state, sizeof(state));
	const int64_t words = 6 * rows; // of 32 bits
	brGpu_Clear(gpu, &elastic->p, words);
	brGpu_Clear(gpu, &elastic->q, words);
	brResult result = br_success;
	while (result >= 0 && state.status == elastic_runs && state.count < most)
	{
		if (brIsCanceled(iteration->context, (double)(iteration->done + state.count) / iteration->most))
		{
			return br_errorCanceled;
		}
		for (int32_t i = 0; i < elasticAhead && state.count + i < most; ++i)
		{
			elasticRunIteration(elastic, iteration->isRounded);
		}
		result = brGpu_Read(gpu, &elastic->state, 0, &state, sizeof(state), report);
	}
	double kept[2 * BR_SOLVE_COEFFICIENTS];
	if (result >= 0 && state.count > 0)
	{
		result = brGpu_Read(gpu, &elastic->kept, 0, kept, sizeof(kept), report);
		memcpy(iteration->alphas, kept, sizeof(iteration->alphas));
		memcpy(iteration->betas, kept + BR_SOLVE_COEFFICIENTS, sizeof(iteration->betas));
	}
	iteration->count = state.count;
	iteration->isThere = state.status == elastic_there;
	return result;
}

brResult brCreateGpuElastic(const brContext* context, brGpu* gpu, brElasticDevice** outDevice, brReport* report)
{
	if (gpu == NULL || outDevice == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateGpuElastic needs gpu and outDevice");
	}
	if (!gpu->info.hasDouble)
	{
		return brFail(report, br_errorUnavailable, "%s has no doubles, which elastic solves need", gpu->info.name);
	}
	brAllocator allocator = brContext_Allocator(context);
	brResult result = brGpu_Prepare(gpu, report);
	GpuElastic* elastic = result >= 0 ? BR_ALLOC_ZERO(&allocator, GpuElastic, 1) : NULL;
	if (elastic == NULL)
	{
		return result >= 0 ? brFailMemory(report) : result;
	}
	elastic->device = (brElasticDevice){.leastRows = ELASTIC_LEAST_ROWS,
										.hold = elasticHold,
										.multiply = elasticMultiply,
										.begin = elasticBegin,
										.findResidual = elasticFindResidual,
										.iterate = elasticIterate,
										.getSolution = elasticGetSolution};
	elastic->allocator = allocator;
	elastic->gpu = gpu;
	*outDevice = &elastic->device;
	return brSucceed(report);
}

void brDestroyGpuElastic(brElasticDevice* device)
{
	GpuElastic* elastic = (GpuElastic*)device;
	if (elastic == NULL)
	{
		return;
	}
	for (int32_t l = 0; l < BR_MAX_LEVELS; ++l)
	{
		// Nothing but buffers.
		brGpuBuffer* buffers = (brGpuBuffer*)&elastic->levels[l];
		for (size_t i = 0; i < sizeof(ElasticLevel) / sizeof(brGpuBuffer); ++i)
		{
			brGpu_Free(elastic->gpu, &buffers[i]);
		}
	}
	BR_GPU_FREE(elastic->gpu, &elastic->blocks, &elastic->factor, &elastic->held, &elastic->state, &elastic->sums,
				&elastic->kept, &elastic->b, &elastic->x, &elastic->r, &elastic->z, &elastic->p, &elastic->q);
	brGpuUpload_Free(&elastic->upload, elastic->gpu);
	brAllocator allocator = elastic->allocator;
	BR_FREE(&allocator, elastic, 1);
}

#endif
