// SPDX-License-Identifier: MIT

// Bodies of a device's world break there: a shatterer's pieces become bodies with hulls (births.cl). The host reads how
// many there are, and makes room.

#include "brittle/gpu.h"

#ifdef BR_HAVE_OPENCL

#include "base/report.h"
#include "gpu/gpu_shatterer.h"
#include "gpu/gpu_world.h"

#include <string.h>

enum
{
	birthGroup = 128,
	birthHullGroup = 32,     // BIRTH_GROUP of births.cl; 1 on a processor
	birthNumbersGroup = 256, // BIRTH_NUMBERS
	birthCorners = 32,       // of one hull
	birthTriangles = 60,
	birthEdges = 90,
	birthLoops = 180,
	birthOrigin = 8, // doubles
};

// Birth of births.cl.
typedef struct Birth
{
	brQuat turn;
	brDVec3 origin;
	int32_t body;
	int32_t firstCell, cellCount;
	int32_t padding;
} Birth;

// BirthParent.
typedef struct BirthParent
{
	double numbers[8];
	StepMotion motion;
	StepBody body;
} BirthParent;

_Static_assert(sizeof(Birth) == 72, "as in births.cl");

// The number of a body with a box that came from the CPU, or -1. These come first, rising by slot.
static int32_t birthFind(const brGpuWorld* world, brBodyId id)
{
	int32_t end = world->slotCount - (world->bodyCount - world->boxedCount);
	int32_t low = 0, high = end, slot = id.index1 - 1;
	while (low < high)
	{
		int32_t middle = (low + high) / 2;
		low = world->slots[middle] < slot ? middle + 1 : low;
		high = world->slots[middle] < slot ? high : middle;
	}
	return low < end && world->slots[low] == slot ? low : -1;
}

// What breaks, of which nothing can break again. `outCount`: how many were described.
static brResult birthDescribe(brGpuWorld* world, const brBodyId* bodies, const brGpuBreak* breaks, int32_t count,
							  Birth* out, int32_t* outCount, brReport* report)
{
	int64_t first = 0; // the shatterer refuses breaks of too many sites
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t body = birthFind(world, bodies[i]);
		if (body < 0 || !world->origins[body].canBreak)
		{
			return brFailAt(report, br_errorMisuse, i,
							"body %d of the breaks is not there, not dynamic, there twice, or broken", i);
		}
		brTransform frame = world->origins[body].frame;
		brDVec3 origin = brTransform_InvPoint(frame, brMakeDVec3(0.0, 0.0, 0.0));
		out[i] = (Birth){brQuat_Conjugate(frame.q), origin, body, (int32_t)first, breaks[i].siteCount, 0};
		world->origins[body].canBreak = false;
		first += breaks[i].siteCount;
		*outCount = i + 1;
	}
	return br_success;
}

// Bodies that are no pieces have their own axes.
static brResult birthMakeOrigins(brGpuWorld* world, brReport* report)
{
	int64_t count = birthOrigin * (int64_t)world->boxedCount;
	double* origins = BR_ALLOC_ZERO(&world->allocator, double, count);
	if (origins == NULL)
	{
		return brFailMemory(report);
	}
	for (int64_t i = 3; i < count; i += birthOrigin)
	{
		origins[i] = 1.0;
	}
	brGpu_Ensure(world->gpu, &world->birthOrigins, count, sizeof(double));
	brGpu_Write(world->gpu, &world->birthOrigins, 0, origins, (size_t)count * sizeof(double));
	BR_FREE(&world->allocator, origins, count);
	brResult result = brGpu_Finish(world->gpu, report);
	world->hasPieces = result >= 0;
	return result;
}

// Room for all that may be born; what is there stays.
static brResult birthMakeRoom(brGpuWorld* world, int32_t cells, int32_t added, brReport* report)
{
	brGpu* gpu = world->gpu;
	const brGpuShapeCounts* there = &world->shapeCounts;
	brResult result = world->hasPieces ? br_success : birthMakeOrigins(world, report);
	if (result < 0)
	{
		return result;
	}
	const struct
	{
		brGpuBuffer* buffer;
		int64_t count, more;
		size_t bytes;
	} lists[] = {{&world->bodies, world->bodyCount, added, sizeof(StepBody)},
				 {&world->motions, world->bodyCount, added, sizeof(StepMotion)},
				 {&world->birthOrigins, world->boxedCount, added, birthOrigin * sizeof(double)},
				 {&world->shapes, there->shapes, cells, sizeof(StepShape)},
				 {&world->vertices, there->vertices, (int64_t)cells * birthCorners, sizeof(cl_float4)},
				 {&world->planes, there->planes, (int64_t)cells * birthTriangles, sizeof(cl_float4)},
				 {&world->faceStarts, there->faceStarts, (int64_t)cells * (birthTriangles + 1), sizeof(int32_t)},
				 {&world->corners, there->corners, (int64_t)cells * birthLoops, sizeof(int32_t)},
				 {&world->edges, there->edges, (int64_t)cells * birthEdges, sizeof(cl_int4)}};
	for (int32_t i = 0; i < BR_COUNT(lists); ++i)
	{
		if (lists[i].count + lists[i].more > INT32_MAX)
		{
			return brFail(report, br_errorLimit, "%d pieces are more than a device list holds", cells);
		}
		brGpu_Grow(gpu, lists[i].buffer, (size_t)lists[i].count * lists[i].bytes, lists[i].count + lists[i].more,
				   lists[i].bytes);
	}
	return brGpu_Finish(gpu, report);
}

static void birthEnqueue(brGpuWorld* world, const brGpuPieces* pieces, int32_t count, int32_t added)
{
	brGpu* gpu = world->gpu;
	brGpuShapeCounts* there = &world->shapeCounts;
	int32_t cells = pieces->voronoi.siteCount;
	const int32_t starts[5] = {there->vertices, there->planes, there->faceStarts, there->corners, there->edges};
	brGpu_Ensure(gpu, &world->birthStarts, 5, sizeof(int32_t));
	brGpu_Write(gpu, &world->birthStarts, 0, starts, sizeof(starts));
	BR_GPU_RUN(gpu, kernel_brk_birthPlanes, 1, 1, brBufferArg(&world->bodies), brBufferArg(&world->motions),
			   brUintArg((uint32_t)world->boxedCount), brUintArg((uint32_t)world->bodyCount),
			   brUintArg((uint32_t)added));
	BR_GPU_RUN(gpu, kernel_brk_birthBodies, (cells + birthGroup - 1) / birthGroup, birthGroup,
			   brBufferArg(&world->births), brUintArg((uint32_t)count), brUintArg((uint32_t)cells),
			   brBufferArg(&world->parents), brBufferArg(&pieces->masses), brBufferArg(&world->birthNumbers),
			   brUintArg((uint32_t)there->shapes), brBufferArg(&world->bodies), brBufferArg(&world->motions),
			   brBufferArg(&world->birthOrigins));
	BR_GPU_RUN(gpu, kernel_brk_birthHulls, cells, gpu->info.kind == br_gpuKindCpu ? 1 : birthHullGroup,
			   brBufferArg(&world->birthNumbers), brBufferArg(&pieces->pieces), brBufferArg(&pieces->vertices),
			   brBufferArg(&world->birthOrigins), brBufferArg(&world->birthStarts), brUintArg((uint32_t)there->shapes),
			   brBufferArg(&world->shapes), brBufferArg(&world->vertices), brBufferArg(&world->planes),
			   brBufferArg(&world->faceStarts), brBufferArg(&world->corners), brBufferArg(&world->edges));
	there->shapes += cells;
	there->vertices += cells * birthCorners, there->planes += cells * birthTriangles;
	there->faceStarts += cells * (birthTriangles + 1);
	there->corners += cells * birthLoops, there->edges += cells * birthEdges;
}

// Numbers for all pieces. `outTotals`: how many come behind the others, and how many bodies break.
static brResult birthNumber(brGpuWorld* world, const brGpuPieces* pieces, const Birth* births, int32_t count,
							uint32_t outTotals[2], uint32_t* outTroubles, brReport* report)
{
	brGpu* gpu = world->gpu;
	brGpu_Ensure(gpu, &world->births, count, sizeof(Birth));
	brGpu_Ensure(gpu, &world->parents, count, sizeof(BirthParent));
	brGpu_Ensure(gpu, &world->birthNumbers, pieces->voronoi.siteCount, sizeof(int32_t));
	brGpu_Ensure(gpu, &world->birthTotals, 2, sizeof(uint32_t));
	brGpu_Write(gpu, &world->births, 0, births, (size_t)count * sizeof(Birth));
	BR_GPU_RUN(gpu, kernel_brk_birthNumbers, 1, gpu->info.kind == br_gpuKindCpu ? 1 : birthNumbersGroup,
			   brBufferArg(&world->births), brUintArg((uint32_t)count), brBufferArg(&pieces->voronoi.troubles),
			   brBufferArg(&pieces->pieces), brBufferArg(&pieces->masses), brBufferArg(&world->bodies),
			   brBufferArg(&world->motions), brUintArg((uint32_t)world->boxedCount), brBufferArg(&world->parents),
			   brBufferArg(&world->birthNumbers), brBufferArg(&world->birthTotals));
	brResult result = brGpu_Read(gpu, &world->birthTotals, 0, outTotals, 2 * sizeof(uint32_t), report);
	return result < 0
			   ? result
			   : brGpu_Read(gpu, &pieces->voronoi.troubles, 0, outTroubles, (size_t)count * sizeof(uint32_t), report);
}

static brResult birthRun(brGpuWorld* world, brGpuShatterer* shatterer, const brGpuBreak* breaks, const Birth* births,
						 int32_t count, uint32_t* outTroubles, brGpuBirths* out, brReport* report)
{
	const brGpuPieces* pieces = NULL;
	brGpuPieceCounts counts = {0};
	uint32_t totals[2] = {0};
	brResult result = brGpuShatterer_Run(shatterer, breaks, count, &pieces, &counts, report);
	result = result < 0 ? result : birthNumber(world, pieces, births, count, totals, outTroubles, report);
	if (result < 0 || totals[1] == 0)
	{
		*out = (brGpuBirths){.bodyCount = world->bodyCount};
		return result;
	}
	result = birthMakeRoom(world, pieces->voronoi.siteCount, (int32_t)totals[0], report);
	if (result >= 0)
	{
		birthEnqueue(world, pieces, count, (int32_t)totals[0]);
		result = brGpuWorld_SetBoxed(world, world->boxedCount + (int32_t)totals[0], report);
		result = result < 0 ? result : brGpu_Finish(world->gpu, report);
	}
	*out = (brGpuBirths){(int32_t)totals[1], (int32_t)(totals[0] + totals[1]), world->bodyCount};
	return result;
}

brResult brGpuWorld_Break(brGpuWorld* world, brGpuShatterer* shatterer, const brBodyId* bodies,
						  const brGpuBreak* breaks, int32_t breakCount, bool* outIsBroken, brGpuBirths* outBirths,
						  brReport* report)
{
	if (world == NULL || shatterer == NULL || bodies == NULL || breaks == NULL || breakCount < 1 || outBirths == NULL ||
		brGpuShatterer_Device(shatterer) != world->gpu)
	{
		return brFail(report, br_errorMisuse,
					  "brGpuWorld_Break needs a world and a shatterer of one device, bodies, "
					  "breaks and a place for the counts");
	}
	if (world->each > 1)
	{
		return brFail(report, br_errorUnavailable, "nothing breaks on a device in a world with meshes or surfaces");
	}
	Birth* births = BR_ALLOC(&world->allocator, Birth, breakCount);
	uint32_t* troubles = BR_ALLOC_ZERO(&world->allocator, uint32_t, breakCount);
	brGpuBirths made;
	int32_t described = 0;
	brResult result = births != NULL && troubles != NULL
						  ? birthDescribe(world, bodies, breaks, breakCount, births, &described, report)
						  : brFailMemory(report);
	result = result < 0 ? result : birthRun(world, shatterer, breaks, births, breakCount, troubles, &made, report);
	for (int32_t i = 0; i < described; ++i)
	{
		world->origins[births[i].body].canBreak = result < 0 || troubles[i] != 0;
		if (result >= 0 && outIsBroken != NULL)
		{
			outIsBroken[i] = troubles[i] == 0;
		}
	}
	BR_FREE(&world->allocator, births, breakCount);
	BR_FREE(&world->allocator, troubles, breakCount);
	if (result < 0)
	{
		return result;
	}
	*outBirths = made;
	return brSucceed(report);
}

// Origins are there if anything has broken; half-spaces have none.
static void birthFill(const StepBody* body, const StepMotion* motion, const double* origin, brGpuBody* out)
{
	brQuat axes = origin != NULL ? (brQuat){origin[0], origin[1], origin[2], origin[3]} : brMakeQuatIdentity();
	brDVec3 center = {0.0, 0.0, 0.0};
	center = origin != NULL ? brMakeDVec3(origin[4], origin[5], origin[6]) : center;
	brQuat turn = brQuat_Mul(motion->rotation, brQuat_Conjugate(axes));
	const brDVec3 units[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	*out = (brGpuBody){.pose = {brDSub(motion->position, brQuat_Rotate(turn, center)), turn},
					   .center = motion->position,
					   .velocity = motion->velocity,
					   .spin = motion->spin,
					   .mass = body->invMass > 0.0f ? 1.0 / body->invMass : 0.0};
	for (int32_t k = 0; k < 3; ++k)
	{
		brDVec3 axis = brQuat_Rotate(motion->rotation, units[k]);
		double moment = body->inertia[k];
		out->inertia.cx = brDMulAdd(out->inertia.cx, moment * axis.x, axis);
		out->inertia.cy = brDMulAdd(out->inertia.cy, moment * axis.y, axis);
		out->inertia.cz = brDMulAdd(out->inertia.cz, moment * axis.z, axis);
	}
}

int32_t brGpuWorld_ReadBodies(brGpuWorld* world, brGpuBody* outBodies, int32_t capacity, brReport* report)
{
	if (world == NULL || capacity < 0 || (outBodies == NULL && capacity > 0))
	{
		return brFail(report, br_errorMisuse, "brGpuWorld_ReadBodies needs a world and a place for bodies");
	}
	const brAllocator* a = &world->allocator;
	brGpu* gpu = world->gpu;
	int32_t n = world->bodyCount;
	int64_t origins = world->hasPieces ? birthOrigin * (int64_t)world->boxedCount : 0;
	StepBody* bodies = BR_ALLOC(a, StepBody, n);
	StepMotion* motions = BR_ALLOC(a, StepMotion, n);
	double* frames = BR_ALLOC(a, double, origins);
	bool isThere = bodies != NULL && motions != NULL && (frames != NULL || origins == 0);
	brResult result = isThere ? br_success : brFailMemory(report);
	result = result < 0 ? result : brGpu_Read(gpu, &world->bodies, 0, bodies, (size_t)n * sizeof(StepBody), report);
	result = result < 0 ? result : brGpu_Read(gpu, &world->motions, 0, motions, (size_t)n * sizeof(StepMotion), report);
	if (result >= 0 && origins > 0)
	{
		result = brGpu_Read(gpu, &world->birthOrigins, 0, frames, (size_t)origins * sizeof(double), report);
	}
	for (int32_t i = 0; i < n && i < capacity && result >= 0; ++i)
	{
		bool hasOrigin = world->hasPieces && i < world->boxedCount;
		birthFill(&bodies[i], &motions[i], hasOrigin ? frames + birthOrigin * (int64_t)i : NULL, &outBodies[i]);
	}
	BR_FREE(a, bodies, n);
	BR_FREE(a, motions, n);
	BR_FREE(a, frames, origins);
	return result < 0 ? (int32_t)result : n;
}

#endif
