// SPDX-License-Identifier: MIT

#include "gpu/gpu_solver.h"

#ifdef BR_HAVE_OPENCL

#include "dynamics/solver.h"

#include <stddef.h>
#include <string.h>

enum
{
	solverGroup = 128,
	solverOneGroup = 512, // BLOCKS_GROUP of blocks.cl
	solverKept = 20,      // BLOCKS_KEPT
};

// The structures of blocks.cl.
typedef struct SolverTime
{
	float h, ahead, invH;
	uint32_t stateCount;
} SolverTime;

_Static_assert(offsetof(brContactBlock, normal) == 128 && sizeof(brContactBlock) == 128 + 32 * (57 + 4 * 13) &&
				   sizeof(brSolverState) == 64 && sizeof(brSolverBody) == 200 && sizeof(brSolverAxes) == 36,
			   "a device lays these out in the same way");
_Static_assert(br_solverMove == 2 && br_solverWarm == 3 && br_solverRelax == 6, "as in blocks.cl");

void brGpuSolver_Init(brGpuSolver* solver, brGpu* gpu, const brAllocator* allocator)
{
	*solver = (brGpuSolver){.gpu = gpu, .allocator = *allocator, .fewBlocks = 1024};
}

void brGpuSolver_Free(brGpuSolver* solver)
{
	BR_GPU_FREE(solver->gpu, &solver->times, &solver->ranges, &solver->list, &solver->blocks, &solver->states,
				&solver->bodies, &solver->bodyAxes, &solver->hitBits, &solver->keptBlocks);
	brStageMemory_Free(&solver->axes, &solver->allocator);
	brStageMemory_Free(&solver->kept, &solver->allocator);
	brStageMemory_Free(&solver->hits, &solver->allocator);
}

static int64_t solverGroups(const brGpuSolver* solver, int64_t count)
{
	int64_t groups = (count + solverGroup - 1) / solverGroup, most = 64 * (int64_t)solver->gpu->info.computeUnits;
	return groups < 1 ? 1 : groups < most ? groups : most;
}

// A list of passes by one group, over these colors.
static void solverRunAlone(brGpuSolver* solver, int32_t range, int32_t endRange, int32_t pass, int32_t endPass)
{
	bool isGpu = solver->gpu->info.kind != br_gpuKindCpu;
	BR_GPU_RUN(solver->gpu, kernel_brk_blocksPasses, 1, isGpu ? solverOneGroup : 1, brBufferArg(&solver->times),
			   brBufferArg(&solver->blocks), brBufferArg(&solver->states), brBufferArg(&solver->bodies),
			   brBufferArg(&solver->bodyAxes), brBufferArg(&solver->hitBits), brBufferArg(&solver->ranges),
			   brUintArg((uint32_t)range), brUintArg((uint32_t)endRange), brBufferArg(&solver->list),
			   brUintArg((uint32_t)pass), brUintArg((uint32_t)endPass));
}

static void solverRunColor(brGpuSolver* solver, const brGpuColorRange* range, uint32_t pass)
{
	BR_GPU_RUN(solver->gpu, kernel_brk_blocksColor,
			   solverGroups(solver, BR_SOLVER_LANES * (int64_t)(range->end - range->begin)), solverGroup,
			   brBufferArg(&solver->times), brBufferArg(&solver->blocks), brBufferArg(&solver->states),
			   brBufferArg(&solver->hitBits), brUintArg(pass), brUintArg((uint32_t)range->begin),
			   brUintArg((uint32_t)range->end));
}

// Makes the passes that were asked for so far.
static void solverFlush(brGpuSolver* solver)
{
	int32_t count = solver->passCount;
	solver->passCount = 0;
	if (count == 0)
	{
		return;
	}
	brGpu_Write(solver->gpu, &solver->list, 0, solver->passes, (size_t)count * sizeof(uint32_t));
	if (solver->blockCount <= solver->fewBlocks)
	{
		solverRunAlone(solver, 0, solver->rangeCount, 0, count);
		return;
	}
	for (int32_t p = 0; p < count; ++p)
	{
		uint32_t pass = solver->passes[p];
		if (pass <= br_solverMove)
		{
			BR_GPU_RUN(solver->gpu, kernel_brk_blocksBodies, solverGroups(solver, solver->stateCount), solverGroup,
					   brBufferArg(&solver->times), brBufferArg(&solver->states), brBufferArg(&solver->bodies),
					   brBufferArg(&solver->bodyAxes), brUintArg(pass));
			continue;
		}
		int32_t together = solver->hasSerial ? solver->rangeCount - 1 : solver->rangeCount;
		for (int32_t r = 0; r < together; ++r)
		{
			solverRunColor(solver, &solver->colors[r], pass);
		}
		if (together < solver->rangeCount)
		{
			solverRunAlone(solver, together, solver->rangeCount, p, p + 1);
		}
	}
}

// What the device says about all that was asked of it.
static bool solverAnswer(brGpuSolver* solver, brResult result)
{
	solver->isLost = solver->isLost || result < 0;
	return result >= 0;
}

// What passes change of a block, close together as blocks.cl has it.
static void solverPutKept(brContactBlock* block, const float* kept)
{
	for (int32_t k = 0; k < BR_MANIFOLD_POINTS; ++k)
	{
		memcpy(&block->points[k].impulse, kept + 16 * k, sizeof(brLanes));
		memcpy(&block->points[k].total, kept + 16 * k + 8, sizeof(brLanes));
	}
	memcpy(block->tangentImpulse, kept + 64, 2 * sizeof(brLanes));
	memcpy(&block->twistImpulse, kept + 80, sizeof(brLanes));
	memcpy(block->rollingImpulse, kept + 88, 3 * sizeof(brLanes));
	memcpy(block->tangentTotal, kept + 112, 2 * sizeof(brLanes));
	memcpy(&block->twistTotal, kept + 128, sizeof(brLanes));
	memcpy(block->rollingTotal, kept + 136, 3 * sizeof(brLanes));
}

static void solverKeep(const brContactBlock* block, float* kept)
{
	for (int32_t k = 0; k < BR_MANIFOLD_POINTS; ++k)
	{
		memcpy(kept + 16 * k, &block->points[k].impulse, sizeof(brLanes));
		memcpy(kept + 16 * k + 8, &block->points[k].total, sizeof(brLanes));
	}
	memcpy(kept + 64, block->tangentImpulse, 2 * sizeof(brLanes));
	memcpy(kept + 80, &block->twistImpulse, sizeof(brLanes));
	memcpy(kept + 88, block->rollingImpulse, 3 * sizeof(brLanes));
	memcpy(kept + 112, block->tangentTotal, 2 * sizeof(brLanes));
	memcpy(kept + 128, &block->twistTotal, sizeof(brLanes));
	memcpy(kept + 136, block->rollingTotal, 3 * sizeof(brLanes));
}

// On the device: from blocks to what is kept of them, or back.
static void solverRunKeep(brGpuSolver* solver, bool isBack)
{
	BR_GPU_RUN(solver->gpu, kernel_brk_blocksKeep, solverGroups(solver, BR_SOLVER_LANES * (int64_t)solver->blockCount),
			   solverGroup, brBufferArg(&solver->blocks), brBufferArg(&solver->keptBlocks),
			   brUintArg((uint32_t)solver->blockCount), brUintArg(isBack));
}

static bool solverSend(void* user, const brDynamics* dynamics, brSolverPart part)
{
	brGpuSolver* solver = user;
	solverFlush(solver);
	brGpu_Write(solver->gpu, &solver->states, 0, dynamics->states.data,
				(size_t)solver->stateCount * sizeof(brSolverState));
	if (part == br_solverStates)
	{
		return true;
	}
	brGpu_Write(solver->gpu, &solver->bodies, 0, dynamics->stateBodies.data,
				(size_t)solver->stateCount * sizeof(brSolverBody));
	solver->didMoveBodies = false;
	const brContactBlock* blocks = dynamics->blocks.data;
	if (part == br_solverAll)
	{
		brGpu_Write(solver->gpu, &solver->blocks, 0, blocks, (size_t)solver->blockCount * sizeof(brContactBlock));
		return true;
	}
	int64_t keptCount = BR_SOLVER_LANES * solverKept * (int64_t)solver->blockCount;
	if (!brStageMemory_Ensure(&solver->kept, &solver->allocator, keptCount, sizeof(float)))
	{
		return solverAnswer(solver, br_errorMemory);
	}
	for (int32_t i = 0; i < solver->blockCount; ++i)
	{
		solverKeep(&blocks[i], (float*)solver->kept.data + BR_SOLVER_LANES * solverKept * (int64_t)i);
	}
	brGpu_Write(solver->gpu, &solver->keptBlocks, 0, solver->kept.data, (size_t)keptCount * sizeof(float));
	solverRunKeep(solver, true);
	return true;
}

// Axes of bodies by state, for what turns without a torque.
static bool solverSendAxes(brGpuSolver* solver, const brDynamics* dynamics)
{
	int32_t count = solver->stateCount;
	if (!brStageMemory_Ensure(&solver->axes, &solver->allocator, count, sizeof(brSolverAxes)))
	{
		return false;
	}
	brSolverAxes* axes = solver->axes.data;
	const brSolverBody* bodies = dynamics->stateBodies.data;
	for (int32_t i = 0; i < count; ++i)
	{
		axes[i] = (brSolverAxes){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
		if (bodies[i].isDynamic)
		{
			const brBodyFrame* frame = &brDynamics_Frames(dynamics)[bodies[i].body];
			axes[i] = (brSolverAxes){frame->x, frame->y, frame->z};
		}
	}
	brGpu_Write(solver->gpu, &solver->bodyAxes, 0, axes, (size_t)count * sizeof(brSolverAxes));
	return true;
}

static bool solverBegin(void* user, const brDynamics* dynamics, const brStepTime* time)
{
	brGpuSolver* solver = user;
	brGpu* gpu = solver->gpu;
	solver->blockCount = dynamics->blockCount, solver->stateCount = dynamics->stateCount;
	solver->rangeCount = dynamics->rangeCount;
	solver->passCount = 0;
	solver->didMoveBodies = false;
	const brColorRange* ranges = dynamics->ranges.data;
	for (int32_t i = 0; i < solver->rangeCount; ++i)
	{
		solver->colors[i] = (brGpuColorRange){ranges[i].begin, ranges[i].end, ranges[i].isSerial};
	}
	solver->hasSerial = solver->rangeCount > 0 && ranges[solver->rangeCount - 1].isSerial;
	SolverTime times = {.h = (float)time->h,
						.ahead = (float)(BR_BOUNCE_AHEAD * time->h),
						.invH = (float)(1.0 / time->h),
						.stateCount = (uint32_t)solver->stateCount};
	brGpu_Ensure(gpu, &solver->times, 1, sizeof(SolverTime));
	brGpu_Ensure(gpu, &solver->ranges, BR_SOLVER_COLORS + 1, sizeof(brGpuColorRange));
	brGpu_Ensure(gpu, &solver->list, BR_GPU_SOLVER_PASSES, sizeof(uint32_t));
	brGpu_Ensure(gpu, &solver->blocks, solver->blockCount, sizeof(brContactBlock));
	brGpu_Ensure(gpu, &solver->states, solver->stateCount, sizeof(brSolverState));
	brGpu_Ensure(gpu, &solver->bodies, solver->stateCount, sizeof(brSolverBody));
	brGpu_Ensure(gpu, &solver->bodyAxes, solver->stateCount, sizeof(brSolverAxes));
	brGpu_Ensure(gpu, &solver->hitBits, 1 + (int64_t)solver->blockCount, sizeof(uint32_t));
	brGpu_Ensure(gpu, &solver->keptBlocks, BR_SOLVER_LANES * solverKept * (int64_t)solver->blockCount, sizeof(float));
	brGpu_Write(gpu, &solver->times, 0, &times, sizeof(times));
	brGpu_Write(gpu, &solver->ranges, 0, solver->colors, (size_t)solver->rangeCount * sizeof(brGpuColorRange));
	if (dynamics->step.hasBounces)
	{
		brGpu_Clear(gpu, &solver->hitBits, 1 + (int64_t)solver->blockCount);
	}
	bool isThere = solverSendAxes(solver, dynamics) && solverSend(solver, dynamics, br_solverAll);
	return solverAnswer(solver, isThere ? br_success : br_errorMemory);
}

static bool solverPass(void* user, brSolverPass pass)
{
	brGpuSolver* solver = user;
	if (solver->passCount == BR_GPU_SOLVER_PASSES)
	{
		solverFlush(solver);
	}
	solver->passes[solver->passCount++] = pass;
	solver->didMoveBodies = solver->didMoveBodies || pass <= br_solverMove;
	return true;
}

static bool solverFetch(void* user, brDynamics* dynamics, brSolverPart part)
{
	brGpuSolver* solver = user;
	brGpu* gpu = solver->gpu;
	int64_t keptCount = BR_SOLVER_LANES * solverKept * (int64_t)solver->blockCount;
	solverFlush(solver);
	brResult result = br_success;
	if (part != br_solverStates)
	{
		if (!brStageMemory_Ensure(&solver->kept, &solver->allocator, keptCount, sizeof(float)))
		{
			return solverAnswer(solver, br_errorMemory);
		}
		solverRunKeep(solver, false);
		result = brGpu_Read(gpu, &solver->keptBlocks, 0, solver->kept.data, (size_t)keptCount * sizeof(float),
							&solver->trouble);
	}
	if (result >= 0 && part != br_solverStates && solver->didMoveBodies)
	{
		result = brGpu_Read(gpu, &solver->bodies, 0, dynamics->stateBodies.data,
							(size_t)solver->stateCount * sizeof(brSolverBody), &solver->trouble);
	}
	if (result >= 0)
	{
		result = brGpu_Read(gpu, &solver->states, 0, dynamics->states.data,
							(size_t)solver->stateCount * sizeof(brSolverState), &solver->trouble);
	}
	brContactBlock* blocks = dynamics->blocks.data;
	for (int32_t i = 0; result >= 0 && part != br_solverStates && i < solver->blockCount; ++i)
	{
		solverPutKept(&blocks[i], (const float*)solver->kept.data + BR_SOLVER_LANES * solverKept * (int64_t)i);
	}
	return solverAnswer(solver, result);
}

static bool solverFetchHits(void* user, brDynamics* dynamics, bool* outIsAny)
{
	brGpuSolver* solver = user;
	int64_t count = 1 + (int64_t)solver->blockCount;
	*outIsAny = false;
	solverFlush(solver);
	if (!brStageMemory_Ensure(&solver->hits, &solver->allocator, count, sizeof(uint32_t)))
	{
		return solverAnswer(solver, br_errorMemory);
	}
	uint32_t* hits = solver->hits.data;
	brResult result = brGpu_Read(solver->gpu, &solver->hitBits, 0, hits, sizeof(uint32_t), &solver->trouble);
	if (result < 0 || hits[0] == 0)
	{
		return solverAnswer(solver, result);
	}
	result = brGpu_Read(solver->gpu, &solver->hitBits, 0, hits, (size_t)count * sizeof(uint32_t), &solver->trouble);
	brContactBlock* blocks = dynamics->blocks.data;
	for (int32_t i = 0; i < solver->blockCount; ++i)
	{
		blocks[i].hits = (uint8_t)hits[1 + i];
	}
	brGpu_Clear(solver->gpu, &solver->hitBits, count);
	*outIsAny = true;
	return solverAnswer(solver, result);
}

brSolverDevice brGpuSolver_Device(brGpuSolver* solver)
{
	return (brSolverDevice){solverBegin, solverPass, solverSend, solverFetch, solverFetchHits, 0, solver};
}

#endif
