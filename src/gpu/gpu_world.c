// SPDX-License-Identifier: MIT

// Bodies of a world on a device, and their steps. step.cl says how; here are the copies there and back and the order of
// launches.
//
// One wait a step, at its end: the host asks whether lists were long enough and all groups came together in the solver.
// If not nothing has moved, and the step starts again with longer lists or with a launch for each color.

#include "gpu/gpu_world.h"

#ifdef BR_HAVE_OPENCL

#include "base/report.h"
#include "contact/mesh_pair.h"
#include "world/world_state.h"

#include <string.h>

enum
{
	stepGroup = 128,      // STEP_GROUP of step.cl
	stepSolveGroup = 256, // SOLVE_GROUP, but on processors
	stepFields = 29 + 48, // of a contact in the solver
	stepManifold = 208,   // bytes of GpuManifold
	stepMade = 36,        // of GpuMade
	stepSolidEach = 4,    // SOLIDS_EACH
	stepSortEvery = 8,    // steps share an order along the curve
	stepLost = 7,         // STEP_LOST
	stepCounts = 8,       // STEP_COUNTS
	stepAsked = 200,      // STEP_ASKED
	stepOldCounts = 3,    // of contacts, then which colors are kept
	stepCounters = 204,   // STEP_ALL
	stepPairsEach = 12,   // room at first, a body
	stepPairsBorn = 20,   // likewise where pieces lie close
	stepSeenEach = 16384, // bodies that a worker takes over: fewer are not worth waking one
	stepWarm = 0,         // passes
	stepBiased = 1,
	stepRelax = 2,
	stepBounce = 3,
	stepForces = 4,
	stepForcesAgain = 5,
	stepMove = 6,
};

typedef struct StepNumbers
{
	double gravity[3];
	double dt, h;
	float rate[2], massScale[2], impulseScale[2];
	float pushSpeed, sleepSpeed, slowDamping, restitutionSpeed;
	int32_t bodyCount, boxedCount;
	int32_t substeps;
	float invH;
} StepNumbers;

_Static_assert(sizeof(StepNumbers) == 96 && sizeof(StepBody) == 80 && sizeof(StepMotion) == 120 &&
				   sizeof(StepShape) == 80,
			   "as in step.cl");

void brDestroyGpuWorld(brGpuWorld* world)
{
	if (world == NULL)
	{
		return;
	}
	BR_GPU_FREE(world->gpu, &world->numbers, &world->bodies, &world->shapes, &world->vertices, &world->planes,
				&world->faceStarts, &world->corners, &world->edges, &world->motions, &world->frames, &world->states,
				&world->masks, &world->bests, &world->levels, &world->counters, &world->fresh, &world->manifolds[0],
				&world->manifolds[1], &world->keys[0], &world->keys[1], &world->keyCounts[0], &world->keyCounts[1],
				&world->data, &world->links, &world->births, &world->parents, &world->birthNumbers, &world->birthTotals,
				&world->birthStarts, &world->birthOrigins, &world->places, &world->made[0], &world->made[1],
				&world->askers);
	brGpuPairs_Free(&world->pairs);
	brGpuPinned_Free(&world->seen, world->gpu);
	brGpuTouch_Free(&world->touch);
	brAllocator allocator = world->allocator;
	BR_FREE(&allocator, world->slots, world->slotCount);
	BR_FREE(&allocator, world->origins, world->slotCount);
	BR_FREE(&allocator, world, 1);
}

// Whether a device has all that this world needs.
static brResult stepRefuse(const brGpu* gpu, const brWorld* world, brReport* report)
{
	const brDynamics* dynamics = &world->dynamics;
	if (!gpu->info.hasDouble)
	{
		return brFail(report, br_errorUnavailable, "%s has no doubles, which poses need", gpu->info.name);
	}
	if (dynamics->jointCount > 0)
	{
		return brFail(report, br_errorUnavailable, "a world with joints steps on the CPU");
	}
	for (int32_t i = 0; i < world->breaking.bodies.count; ++i)
	{
		// Bodies of a material that is only to be hit have no mesh to break.
		const brBreakBody* record = &world->breaking.bodies.data[i];
		bool canChange = record->cluster >= 0 || record->strength < INFINITY || record->dustAge >= 0.0;
		if (record->settings >= 0 && canChange && i < dynamics->bodies.count &&
			brBody_IsThere(&dynamics->bodies.data[i]))
		{
			return brFailAt(report, br_errorUnavailable, i, "body %d can break: its world steps on the CPU", i);
		}
	}
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		const brShape* shape = brBody_IsThere(body) ? dynamics->shapes.data[body->shape].shape : NULL;
		if (shape != NULL && brShapeKind_IsConcave(shape->kind) && shape->vertexCount > BR_MESH_FLAT_POINTS)
		{
			return brFailAt(report, br_errorUnavailable, i,
							"body %d has %d contact points, more than %d: its world steps on the CPU", i,
							shape->vertexCount, BR_MESH_FLAT_POINTS);
		}
	}
	return br_success;
}

// Arrays of all shapes, one behind the other.
typedef struct StepShapes
{
	BR_ARRAY(StepShape) shapes;
	BR_ARRAY(cl_float4) vertices;
	BR_ARRAY(cl_float4) planes;
	BR_ARRAY(int32_t) faceStarts;
	BR_ARRAY(int32_t) corners;
	BR_ARRAY(cl_int4) edges;
} StepShapes;

static bool stepAddHull(const brAllocator* a, StepShapes* out, const brShape* shape)
{
	bool done = true;
	for (int32_t i = 0; i < shape->vertexCount && done; ++i)
	{
		brVec3 v = brShape_Vertices(shape)[i];
		done = BR_PUSH(a, &out->vertices, (cl_float4){{v.x, v.y, v.z, 0.0f}});
	}
	for (int32_t i = 0; i < shape->faceCount && done; ++i)
	{
		brVec4 p = brShape_Planes(shape)[i];
		done = BR_PUSH(a, &out->planes, (cl_float4){{p.x, p.y, p.z, p.w}});
	}
	for (int32_t i = 0; shape->faceCount > 0 && i <= shape->faceCount && done; ++i)
	{
		done = BR_PUSH(a, &out->faceStarts, brShape_FaceStarts(shape)[i]);
	}
	for (int32_t i = 0; i < shape->cornerCount && done; ++i)
	{
		done = BR_PUSH(a, &out->corners, brShape_Corners(shape)[i]);
	}
	for (int32_t i = 0; i < shape->edgeCount && done; ++i)
	{
		const int32_t* e = brShape_Edges(shape)[i];
		done = BR_PUSH(a, &out->edges, (cl_int4){{e[0], e[1], e[2], e[3]}});
	}
	return done;
}

static bool stepAddShape(const brAllocator* a, StepShapes* out, const brShape* shape)
{
	StepShape entry = {.kind = -1};
	if (shape != NULL)
	{
		bool isHull = shape->kind <= br_shapeHull;
		entry = (StepShape){.kind = shape->kind,
							.vertexStart = out->vertices.count,
							.vertexCount = shape->vertexCount,
							.faceStart = out->planes.count,
							.faceCount = isHull ? shape->faceCount : 0,
							.cornerStart = out->corners.count,
							.loopStart = out->faceStarts.count,
							.edgeStart = out->edges.count,
							.edgeCount = isHull ? shape->edgeCount : 0,
							.radius = shape->radius,
							.thickness = shape->thickness,
							.round = shape->round,
							.center = {shape->boxCenter.x, shape->boxCenter.y, shape->boxCenter.z},
							.along = shape->halfLength,
							.rolls = brShape_Rolls(shape)};
		if (shape->kind >= br_shapeBox)
		{
			memcpy(entry.half, &shape->half, sizeof(entry.half));
		}
		if (isHull && !stepAddHull(a, out, shape))
		{
			return false;
		}
	}
	return BR_PUSH(a, &out->shapes, entry);
}

static void stepPut(brGpu* gpu, brGpuBuffer* buffer, const void* data, int64_t count, size_t bytes)
{
	brGpu_Ensure(gpu, buffer, count, bytes);
	brGpu_Write(gpu, buffer, 0, data, (size_t)count * bytes);
}

// Shapes as the CPU has them, for meshes.cl.
static brResult stepCopySolids(brGpuWorld* world, const brDynamics* dynamics, brReport* report)
{
	const brAllocator* a = &world->allocator;
	int64_t count = dynamics->shapes.count;
	uint64_t* places = BR_ALLOC_ZERO(a, uint64_t, count);
	bool done = places != NULL && brGpuTouch_SendShapes(&world->touch, dynamics);
	for (int64_t i = 0; i < count && done; ++i)
	{
		places[i] = world->touch.places.data[i].place;
	}
	if (done)
	{
		stepPut(world->gpu, &world->places, places, count, sizeof(uint64_t));
	}
	BR_FREE(a, places, count);
	return done ? br_success : brFailMemory(report);
}

static brResult stepCopyShapes(brGpuWorld* world, const brDynamics* dynamics, brReport* report)
{
	const brAllocator* a = &world->allocator;
	StepShapes shapes = {0};
	bool done = true;
	for (int32_t i = 0; i < dynamics->shapes.count && done; ++i)
	{
		done = stepAddShape(a, &shapes, dynamics->shapes.data[i].shape);
	}
	brGpu* gpu = world->gpu;
	brResult result = done ? br_success : brFailMemory(report);
	brGpu_Ensure(gpu, &world->places, 1, sizeof(uint64_t)); // for kernels that have nothing to read there
	if (done && world->each > 1)
	{
		result = stepCopySolids(world, dynamics, report);
	}
	if (result >= 0)
	{
		stepPut(gpu, &world->shapes, shapes.shapes.data, shapes.shapes.count, sizeof(StepShape));
		stepPut(gpu, &world->vertices, shapes.vertices.data, shapes.vertices.count, sizeof(cl_float4));
		stepPut(gpu, &world->planes, shapes.planes.data, shapes.planes.count, sizeof(cl_float4));
		stepPut(gpu, &world->faceStarts, shapes.faceStarts.data, shapes.faceStarts.count, sizeof(int32_t));
		stepPut(gpu, &world->corners, shapes.corners.data, shapes.corners.count, sizeof(int32_t));
		stepPut(gpu, &world->edges, shapes.edges.data, shapes.edges.count, sizeof(cl_int4));
		world->shapeCounts = (brGpuShapeCounts){shapes.shapes.count,     shapes.vertices.count, shapes.planes.count,
												shapes.faceStarts.count, shapes.corners.count,  shapes.edges.count};
		result = brGpu_Finish(gpu, report);
	}
	BR_FREE_ARRAY(a, &shapes.shapes);
	BR_FREE_ARRAY(a, &shapes.vertices);
	BR_FREE_ARRAY(a, &shapes.planes);
	BR_FREE_ARRAY(a, &shapes.faceStarts);
	BR_FREE_ARRAY(a, &shapes.corners);
	BR_FREE_ARRAY(a, &shapes.edges);
	return result;
}

static bool stepHasSolids(const brDynamics* dynamics)
{
	bool isAny = false;
	for (int32_t i = 0; i < dynamics->bodies.count; ++i)
	{
		const brBody* body = &dynamics->bodies.data[i];
		isAny =
			isAny || (brBody_IsThere(body) && brShapeKind_IsConcave(dynamics->shapes.data[body->shape].shape->kind));
	}
	return isAny;
}

// Bodies with a box first, then half-spaces.
static void stepOrder(brGpuWorld* world, const brDynamics* dynamics)
{
	int32_t count = 0;
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t i = 0; i < dynamics->bodies.count; ++i)
		{
			const brBody* body = &dynamics->bodies.data[i];
			bool isPlane = brBody_IsThere(body) && dynamics->shapes.data[body->shape].shape->kind == br_shapeHalfSpace;
			if (brBody_IsThere(body) && isPlane == (pass == 1))
			{
				world->origins[count] = (brGpuOrigin){dynamics->shapes.data[body->shape].shape->frame,
													  body->kind == br_bodyDynamic && !isPlane};
				world->slots[count++] = i;
			}
		}
		world->boxedCount = pass == 0 ? count : world->boxedCount;
	}
}

static brResult stepCopyBodies(brGpuWorld* world, const brDynamics* dynamics, brReport* report)
{
	const brAllocator* a = &world->allocator;
	brGpu* gpu = world->gpu;
	int64_t n = world->bodyCount;
	StepBody* bodies = BR_ALLOC_ZERO(a, StepBody, n);
	StepMotion* motions = BR_ALLOC_ZERO(a, StepMotion, n);
	brResult result = bodies != NULL && motions != NULL ? br_success : brFailMemory(report);
	for (int64_t i = 0; result >= 0 && i < n; ++i)
	{
		const brBody* from = &dynamics->bodies.data[world->slots[i]];
		brVec3 inertia = brToVec3(from->inertia), inverse = brToVec3(from->invInertia);
		bodies[i] = (StepBody){.invMass = (float)from->invMass,
							   .gravityScale = from->gravityScale,
							   .linearDamping = from->linearDamping,
							   .angularDamping = from->angularDamping,
							   .inertia = {inertia.x, inertia.y, inertia.z},
							   .friction = from->friction,
							   .spinning = from->spinning,
							   .rolling = from->rolling,
							   .category = from->isSensor ? 0 : from->category, // what only tells touches nothing
							   .collidesWith = from->collidesWith,
							   .invInertia = {inverse.x, inverse.y, inverse.z},
							   .restitution = from->restitution,
							   .kind = from->kind,
							   .shape = from->shape};
		motions[i] = (StepMotion){from->position,
								  from->rotation,
								  from->velocity,
								  from->spin,
								  from->isSetAside,
								  from->kind == br_bodyStatic ? 0 : 255,
								  0.0};
		world->dynamicCount += from->kind == br_bodyDynamic;
		world->hasBounce = world->hasBounce || from->restitution > 0.0f;
	}
	if (result >= 0)
	{
		const uint32_t none[stepOldCounts] = {0};
		stepPut(gpu, &world->bodies, bodies, n, sizeof(StepBody));
		stepPut(gpu, &world->motions, motions, n, sizeof(StepMotion));
		brGpu_Ensure(gpu, &world->numbers, 1, sizeof(StepNumbers));
		brGpu_Ensure(gpu, &world->counters, stepCounters, sizeof(uint32_t));
		brGpu_Clear(gpu, &world->counters, stepCounters);
		stepPut(gpu, &world->keyCounts[0], none, stepOldCounts, sizeof(uint32_t));
		stepPut(gpu, &world->keyCounts[1], none, stepOldCounts, sizeof(uint32_t));
		result = brGpu_Finish(gpu, report);
	}
	BR_FREE(a, bodies, n);
	BR_FREE(a, motions, n);
	return result;
}

// Room for pairs: whole tiles of the sort, which looks no further than that where a list was too short. The search
// makes its list shorter if the last one was, so that is said to have been as long.
static void stepFitPairs(brGpuWorld* world, int64_t count)
{
	int64_t room = (count + 2047) / 2048 * 2048;
	world->pairs.capacity.candidates = room;
	world->pairs.last.candidates = room;
}

// What a step needs for each body, and room for pairs at first.
static brResult stepMakeRoom(brGpuWorld* world, int32_t pairsEach, brReport* report)
{
	brGpu* gpu = world->gpu;
	int64_t n = world->bodyCount;
	brGpu_Ensure(gpu, &world->frames, n, 80);
	brGpu_Ensure(gpu, &world->states, n, 96);
	brGpu_Ensure(gpu, &world->masks, 2 * n, sizeof(uint32_t));
	brGpu_Ensure(gpu, &world->bests, n, sizeof(uint32_t));
	brGpu_Ensure(gpu, &world->levels, n, sizeof(int32_t));
	if (world->boxedCount == 0)
	{
		return br_success;
	}
	brBoxSource source = {.count = world->boxedCount};
	brResult result = brGpuPairs_SetElements(&world->pairs, &source, NULL, report);
	world->pairs.arePositions = false;
	brGpu_Ensure(gpu, &world->pairs.vertices, world->boxedCount, sizeof(brTreeBox));
	stepFitPairs(world, (int64_t)pairsEach * world->boxedCount + 4096);
	return result;
}

brResult brGpuWorld_SetBoxed(brGpuWorld* world, int32_t boxedCount, brReport* report)
{
	static const uint32_t none[stepOldCounts];
	world->bodyCount += boxedCount - world->boxedCount;
	world->dynamicCount += boxedCount - world->boxedCount;
	world->boxedCount = boxedCount;
	world->dt = 0.0; // the numbers of a step have these counts
	brResult result = stepMakeRoom(world, stepPairsBorn, report);
	brGpu_Write(world->gpu, &world->keyCounts[0], 0, none, sizeof(none));
	brGpu_Write(world->gpu, &world->keyCounts[1], 0, none, sizeof(none));
	return result;
}

brResult brCreateGpuWorld(const brContext* context, brGpu* gpu, const brWorld* world, brGpuWorld** outWorld,
						  brReport* report)
{
	if (gpu == NULL || world == NULL || outWorld == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateGpuWorld needs a device, a world and a place for the result");
	}
	brResult result = stepRefuse(gpu, world, report);
	result = result < 0 ? result : brGpu_Prepare(gpu, report);
	if (result < 0)
	{
		return result;
	}
	const brDynamics* dynamics = &world->dynamics;
	brAllocator allocator = brContext_Allocator(context);
	brGpuWorld* made = BR_ALLOC_ZERO(&allocator, brGpuWorld, 1);
	int32_t* slots = BR_ALLOC(&allocator, int32_t, dynamics->bodyCount);
	brGpuOrigin* origins = BR_ALLOC(&allocator, brGpuOrigin, dynamics->bodyCount);
	if (made == NULL || slots == NULL || origins == NULL)
	{
		BR_FREE(&allocator, made, 1);
		BR_FREE(&allocator, slots, dynamics->bodyCount);
		BR_FREE(&allocator, origins, dynamics->bodyCount);
		return brFailMemory(report);
	}
	made->gpu = gpu;
	made->allocator = allocator;
	made->def = dynamics->def;
	made->bodyCount = dynamics->bodyCount;
	made->slotCount = dynamics->bodyCount;
	made->slots = slots;
	made->origins = origins;
	made->solveGroups = strstr(gpu->info.vendor, "NVIDIA") != NULL ? gpu->info.computeUnits : 0;
	brGpuPairs_Init(&made->pairs, gpu);
	made->pairs.sortEvery = stepSortEvery;
	brGpuTouch_Init(&made->touch, gpu, &made->allocator);
	made->each = stepHasSolids(dynamics) ? stepSolidEach : 1;
	stepOrder(made, dynamics);
	result = stepCopyShapes(made, dynamics, report);
	result = result < 0 ? result : stepCopyBodies(made, dynamics, report);
	result = result < 0 ? result : stepMakeRoom(made, stepPairsEach, report);
	if (result < 0)
	{
		brDestroyGpuWorld(made);
		return result;
	}
	*outWorld = made;
	return brSucceed(report);
}

static int64_t stepGroups(const brGpuWorld* world, int64_t count)
{
	int64_t groups = (count + stepGroup - 1) / stepGroup, most = 64 * (int64_t)world->gpu->info.computeUnits;
	return groups < 1 ? 1 : groups < most ? groups : most;
}

static uint32_t stepSolverGroup(const brGpuWorld* world)
{
	return world->gpu->info.kind == br_gpuKindCpu ? 1 : stepSolveGroup;
}

static uint32_t stepContactRoom(const brGpuWorld* world)
{
	return (uint32_t)(world->each * world->capacity);
}

// Lists for as many contacts as there may be pairs.
static void stepEnsure(brGpuWorld* world)
{
	brGpu* gpu = world->gpu;
	if (world->capacity >= world->pairs.capacity.candidates)
	{
		return;
	}
	// What was carried over is lost with the old list: a step of a growing world starts cold.
	uint32_t none = 0;
	for (int32_t i = 0; i < 2; ++i)
	{
		brGpu_Ensure(gpu, &world->manifolds[i], world->each * world->pairs.capacity.candidates, stepManifold);
		brGpu_Ensure(gpu, &world->made[i], world->pairs.capacity.candidates, stepMade);
		brGpu_Ensure(gpu, &world->keys[i], world->pairs.capacity.candidates, sizeof(uint64_t));
		brGpu_Write(gpu, &world->keyCounts[i], 0, &none, sizeof(none));
	}
	brGpu_Ensure(gpu, &world->data, (int64_t)stepFields * world->each * world->pairs.capacity.candidates,
				 sizeof(float));
	brGpu_Ensure(gpu, &world->fresh, 2 * world->each * world->pairs.capacity.candidates, sizeof(uint32_t));
	int64_t askers = world->each > 1 ? world->pairs.capacity.candidates : 1;
	brGpu_Ensure(gpu, &world->askers, askers, sizeof(uint32_t));
	brGpuTouch_EnsureQueries(&world->touch, askers);
	brGpu_Ensure(gpu, &world->links, world->each * world->pairs.capacity.candidates, sizeof(cl_int4));
	world->capacity = world->pairs.capacity.candidates;
}

// From poses to contacts with colors. The sorted pairs come to lie in keys[turn].
static void stepEnqueueContacts(brGpuWorld* world)
{
	brGpu* gpu = world->gpu;
	brGpuPairs* pairs = &world->pairs;
	int32_t turn = world->turn;
	stepEnsure(world);
	BR_GPU_RUN(gpu, kernel_brk_stepFrames,
			   stepGroups(world, world->bodyCount > stepCounters ? world->bodyCount : stepCounters), stepGroup,
			   brBufferArg(&world->numbers), brBufferArg(&world->bodies), brBufferArg(&world->shapes),
			   brBufferArg(&world->motions), brBufferArg(&world->frames), brBufferArg(&pairs->vertices),
			   brBufferArg(&world->masks), brBufferArg(&world->bests), brBufferArg(&world->levels),
			   brBufferArg(&world->counters));
	brGpuPairs_Enqueue(pairs, true, true, false, false);
	if (world->bodyCount > world->boxedCount)
	{
		int64_t tests = (int64_t)world->boxedCount * (world->bodyCount - world->boxedCount);
		BR_GPU_RUN(gpu, kernel_brk_stepPlanes, stepGroups(world, tests), stepGroup, brBufferArg(&world->numbers),
				   brBufferArg(&world->bodies), brBufferArg(&world->shapes), brBufferArg(&world->motions),
				   brBufferArg(&world->frames), brBufferArg(&pairs->candidates[0]),
				   brUintArg((uint32_t)pairs->capacity.candidates), brBufferArg(&pairs->state),
				   brUintArg(BR_GPU_STATE_COUNTERS));
	}
	uint32_t bits = 1;
	while ((1 << bits) < world->bodyCount)
	{
		bits += 1;
	}
	// A list that was too short is sorted as far as it goes, and then made again.
	brGpu_Ensure(gpu, &pairs->candidates[1], pairs->capacity.candidates, sizeof(uint64_t));
	int32_t sorted = brGpu_Sort(gpu, &pairs->sorter, pairs->candidates, 0, &pairs->state, BR_GPU_STATE_COUNTERS,
								pairs->capacity.candidates, (brGpuKeyBits){0, bits});
	sorted = brGpu_Sort(gpu, &pairs->sorter, pairs->candidates, sorted, &pairs->state, BR_GPU_STATE_COUNTERS,
						pairs->capacity.candidates, (brGpuKeyBits){32, 32 + bits});
	brGpuBuffer swap = world->keys[turn];
	world->keys[turn] = pairs->candidates[sorted];
	pairs->candidates[sorted] = swap;
	BR_GPU_RUN(gpu, kernel_brk_stepTouch, stepGroups(world, world->capacity), stepGroup, brBufferArg(&world->numbers),
			   brBufferArg(&world->bodies), brBufferArg(&world->shapes), brBufferArg(&world->vertices),
			   brBufferArg(&world->planes), brBufferArg(&world->faceStarts), brBufferArg(&world->corners),
			   brBufferArg(&world->edges), brBufferArg(&world->motions), brBufferArg(&world->frames),
			   brBufferArg(&world->keys[turn]), brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS),
			   brUintArg((uint32_t)world->capacity), brUintArg((uint32_t)world->each),
			   brBufferArg(&world->keys[1 - turn]), brBufferArg(&world->manifolds[1 - turn]),
			   brBufferArg(&world->made[1 - turn]), brBufferArg(&world->keyCounts[1 - turn]),
			   brBufferArg(&world->manifolds[turn]), brBufferArg(&world->made[turn]), brBufferArg(&world->masks),
			   brBufferArg(&world->levels), brBufferArg(&world->fresh), brBufferArg(&world->places),
			   brBufferArg(&world->touch.queries), brBufferArg(&world->touch.firstsThere), brBufferArg(&world->askers),
			   brBufferArg(&world->counters));
}

// Contacts of the pairs with meshes and surfaces that ask for their points. The host waits once, to know how many.
static brResult stepEnqueueSolids(brGpuWorld* world, brReport* report)
{
	brGpu* gpu = world->gpu;
	brGpuTouch* touch = &world->touch;
	int32_t turn = world->turn;
	uint32_t asked[2];
	brResult result = brGpu_Read(gpu, &world->counters, stepAsked * sizeof(uint32_t), asked, sizeof(asked), report);
	if (result < 0 || asked[0] == 0)
	{
		return result;
	}
	brGpuTouch_Enqueue(touch, (int32_t)asked[0], asked[1]);
	BR_GPU_RUN(gpu, kernel_brk_stepTake, stepGroups(world, asked[0]), stepGroup, brBufferArg(&world->bodies),
			   brBufferArg(&world->shapes), brBufferArg(&world->motions), brBufferArg(&world->frames),
			   brBufferArg(&world->keys[turn]), brBufferArg(&world->keys[1 - turn]),
			   brBufferArg(&world->manifolds[1 - turn]), brBufferArg(&world->keyCounts[1 - turn]),
			   brBufferArg(&world->manifolds[turn]), brBufferArg(&world->made[turn]), brBufferArg(&world->masks),
			   brBufferArg(&world->levels), brBufferArg(&world->fresh), brBufferArg(&touch->queries),
			   brBufferArg(&touch->answersThere), brBufferArg(&world->askers), brUintArg(asked[0]),
			   brBufferArg(&world->counters));
	return br_success;
}

// Colors, and the solver's data.
static void stepEnqueuePrepare(brGpuWorld* world)
{
	brGpu* gpu = world->gpu;
	int32_t turn = world->turn;
	BR_GPU_RUN(gpu, kernel_brk_stepColor, 1, stepSolverGroup(world), brBufferArg(&world->manifolds[turn]),
			   brBufferArg(&world->frames), brBufferArg(&world->masks), brBufferArg(&world->bests),
			   brBufferArg(&world->fresh), brUintArg(stepContactRoom(world)), brUintArg((uint32_t)world->capacity),
			   brBufferArg(&world->keyCounts[turn]), brBufferArg(&world->counters));
	BR_GPU_RUN(gpu, kernel_brk_stepPrepare, stepGroups(world, stepContactRoom(world)), stepGroup,
			   brBufferArg(&world->numbers), brBufferArg(&world->manifolds[turn]), brUintArg((uint32_t)world->capacity),
			   brUintArg((uint32_t)world->each), brBufferArg(&world->bodies), brBufferArg(&world->shapes),
			   brBufferArg(&world->frames), brBufferArg(&world->motions), brBufferArg(&world->data),
			   brBufferArg(&world->links), brUintArg(stepContactRoom(world)), brBufferArg(&world->counters));
}

// A pass over bodies as a launch.
static void stepEnqueueBodies(brGpuWorld* world, uint32_t pass)
{
	BR_GPU_RUN(world->gpu, kernel_brk_stepBodies, stepGroups(world, world->bodyCount), stepGroup,
			   brBufferArg(&world->numbers), brBufferArg(&world->bodies), brBufferArg(&world->motions),
			   brBufferArg(&world->frames), brBufferArg(&world->levels), brBufferArg(&world->states), brUintArg(pass));
}

// A pass over contacts, each color a launch.
static void stepEnqueueColors(brGpuWorld* world, const uint32_t* counts, uint32_t pass)
{
	for (uint32_t color = 0; color < BR_GPU_STEP_COLORS; ++color)
	{
		if (counts[color] > 0)
		{
			uint32_t group = stepSolverGroup(world);
			int64_t groups = ((int64_t)counts[color] + group - 1) / group;
			BR_GPU_RUN(world->gpu, kernel_brk_stepPass, groups, group, brBufferArg(&world->numbers),
					   brBufferArg(&world->frames), brBufferArg(&world->states), brBufferArg(&world->data),
					   brBufferArg(&world->links), brUintArg(stepContactRoom(world)), brBufferArg(&world->counters),
					   brUintArg(pass), brUintArg(color));
		}
	}
}

// All substeps by a launch for each color and pass, of which the host has to know how many there are.
static brResult stepEnqueuePasses(brGpuWorld* world, brReport* report)
{
	uint32_t counters[stepCounters];
	brResult result = brGpu_Read(world->gpu, &world->counters, 0, counters, sizeof(counters), report);
	const uint32_t* counts = counters + stepCounts;
	bool isAny = result >= 0 && counters[0] <= world->pairs.capacity.candidates && counters[2] > 0;
	for (int32_t substep = 0; isAny && substep < world->def.substeps; ++substep)
	{
		stepEnqueueBodies(world, substep == 0 ? stepForces : stepForcesAgain);
		if (substep == 0)
		{
			stepEnqueueColors(world, counts, stepWarm);
		}
		stepEnqueueColors(world, counts, stepBiased);
		stepEnqueueBodies(world, stepMove);
		stepEnqueueColors(world, counts, stepRelax);
	}
	if (isAny && world->hasBounce)
	{
		stepEnqueueColors(world, counts, stepBounce);
	}
	return result;
}

// Who was asked for bodies after the last step copies them after this one before anybody asks: that is one wait less.
static void stepFetch(brGpuWorld* world)
{
	brGpu* gpu = world->gpu;
	size_t size = (size_t)world->bodyCount * sizeof(StepMotion);
	world->isFetched = world->isWatched && brGpuPinned_Ensure(&world->seen, gpu, size);
	if (world->isFetched && gpu->trouble == CL_SUCCESS)
	{
		brGpu_Note(gpu,
				   gpu->cl->clEnqueueReadBuffer(gpu->queue, world->motions.memory, CL_FALSE, 0, size, world->seen.bytes,
												0, NULL, NULL),
				   "a copy from the device");
	}
}

// From contacts with colors to poses.
static brResult stepEnqueueSolve(brGpuWorld* world, brReport* report)
{
	brGpu* gpu = world->gpu;
	brResult result = br_success;
	if (world->solveGroups > 0)
	{
		BR_GPU_RUN(gpu, kernel_brk_stepSolve, world->solveGroups, stepSolverGroup(world), brBufferArg(&world->numbers),
				   brBufferArg(&world->bodies), brBufferArg(&world->motions), brBufferArg(&world->frames),
				   brBufferArg(&world->levels), brBufferArg(&world->states), brBufferArg(&world->data),
				   brBufferArg(&world->links), brUintArg(stepContactRoom(world)), brBufferArg(&world->counters),
				   brUintArg(world->hasBounce));
	}
	else
	{
		result = stepEnqueuePasses(world, report);
	}
	BR_GPU_RUN(gpu, kernel_brk_stepKeep, stepGroups(world, stepContactRoom(world)), stepGroup,
			   brBufferArg(&world->data), brBufferArg(&world->links), brUintArg(stepContactRoom(world)),
			   brBufferArg(&world->counters), brBufferArg(&world->manifolds[world->turn]));
	BR_GPU_RUN(gpu, kernel_brk_stepFinish, stepGroups(world, world->bodyCount), stepGroup, brBufferArg(&world->numbers),
			   brBufferArg(&world->bodies), brBufferArg(&world->motions), brBufferArg(&world->states),
			   brBufferArg(&world->masks), brUintArg((uint32_t)world->pairs.capacity.candidates),
			   brBufferArg(&world->counters));
	stepFetch(world);
	return result;
}

// What the step came to. `outIsDone`: it counts; else nobody has moved, and it is to be made again.
static brResult stepJudge(brGpuWorld* world, bool* outIsDone, brReport* report)
{
	uint32_t counters[stepCounters];
	brResult result = brGpu_Read(world->gpu, &world->counters, 0, counters, sizeof(counters), report);
	if (result < 0)
	{
		return result;
	}
	bool isShort = counters[0] > world->pairs.capacity.candidates, isLost = counters[stepLost] != 0;
	*outIsDone = !isShort && !isLost;
	if (isShort)
	{
		stepFitPairs(world, (int64_t)counters[0] + counters[0] / 4);
	}
	world->solveGroups = isLost ? 0 : world->solveGroups;
	world->stats = (brGpuStepStats){(int32_t)counters[0], (int32_t)counters[2], (int32_t)counters[1],
									(int32_t)counters[5], (int32_t)counters[3]};
	return br_success;
}

static void stepWriteNumbers(brGpuWorld* world, double dt)
{
	brStepTime time = brMakeStepTime(&world->def, dt, world->def.substeps);
	StepNumbers numbers = {.gravity = {world->def.gravity.x, world->def.gravity.y, world->def.gravity.z},
						   .dt = dt,
						   .h = time.h,
						   .rate = {time.rate[0], time.rate[1]},
						   .massScale = {time.massScale[0], time.massScale[1]},
						   .impulseScale = {time.impulseScale[0], time.impulseScale[1]},
						   .pushSpeed = (float)world->def.pushSpeed,
						   .sleepSpeed = (float)world->def.sleepSpeed,
						   .slowDamping = (float)world->def.slowDamping,
						   .restitutionSpeed = (float)world->def.restitutionSpeed,
						   .bodyCount = world->bodyCount,
						   .boxedCount = world->boxedCount,
						   .substeps = world->def.substeps,
						   .invH = (float)(1.0 / time.h)};
	brGpu_Write(world->gpu, &world->numbers, 0, &numbers, sizeof(numbers));
	world->dt = dt;
}

brResult brGpuWorld_Step(brGpuWorld* world, double dt, brReport* report)
{
	if (world == NULL || !(dt > 0.0) || !isfinite(dt))
	{
		return brFail(report, br_errorMisuse, "a step needs a world and a time that is more than 0");
	}
	if (world->boxedCount == 0)
	{
		return brSucceed(report);
	}
	if (dt != world->dt)
	{
		stepWriteNumbers(world, dt);
	}
	for (bool isDone = false; !isDone;)
	{
		stepEnqueueContacts(world);
		brResult result = world->each > 1 ? stepEnqueueSolids(world, report) : br_success;
		stepEnqueuePrepare(world);
		result = result < 0 ? result : stepEnqueueSolve(world, report);
		result = result < 0 ? result : stepJudge(world, &isDone, report);
		if (result < 0)
		{
			return result;
		}
	}
	world->turn = 1 - world->turn;
	world->isWatched = false;
	return brSucceed(report);
}

typedef struct StepSeen
{
	const brGpuWorld* from;
	brWorld* to;
} StepSeen;

static void stepSeeRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const StepSeen* seen = user;
	const StepMotion* motions = seen->from->seen.bytes;
	for (int32_t i = begin; i < end; ++i)
	{
		brBody* body = &seen->to->dynamics.bodies.data[seen->from->slots[i]];
		if (brBody_IsThere(body) && body->kind != br_bodyStatic)
		{
			body->position = motions[i].position;
			body->rotation = motions[i].rotation;
			body->velocity = motions[i].velocity;
			body->spin = motions[i].spin;
			body->isSetAside = motions[i].isAside != 0;
			body->isAwake = true;
			body->sleepTime = 0.0f;
		}
	}
}

brResult brGpuWorld_Download(brGpuWorld* gpuWorld, brWorld* world, brReport* report)
{
	if (gpuWorld == NULL || world == NULL || gpuWorld->hasPieces || world->dynamics.bodyCount != gpuWorld->bodyCount)
	{
		return brFail(report, br_errorMisuse, "brGpuWorld_Download needs the world that the bodies came from");
	}
	size_t size = (size_t)gpuWorld->bodyCount * sizeof(StepMotion);
	if (!brGpuPinned_Ensure(&gpuWorld->seen, gpuWorld->gpu, size))
	{
		return brFailMemory(report);
	}
	const StepMotion* motions = gpuWorld->seen.bytes;
	brResult result = gpuWorld->isFetched
						  ? br_success
						  : brGpu_Read(gpuWorld->gpu, &gpuWorld->motions, 0, gpuWorld->seen.bytes, size, report);
	if (result < 0)
	{
		return result;
	}
	gpuWorld->isFetched = gpuWorld->isWatched = true;
	StepSeen seen = {gpuWorld, world};
	brParallelFor(world->dynamics.context.workers, gpuWorld->bodyCount, stepSeenEach, stepSeeRange, &seen);
	// The books of the step; what only the CPU has stays 0.
	const brGpuStepStats* from = &gpuWorld->stats;
	brStepStats stats = {.bodies = gpuWorld->bodyCount,
						 .pairs = from->pairs,
						 .contacts = from->contacts,
						 .points = from->points,
						 .colors = from->colors,
						 .slices = 1,
						 .awake = gpuWorld->dynamicCount,
						 .setAside = from->setAside};
	double lost = 0.0; // all of it by the solver: the device does not tell why
	for (int32_t i = 0; i < gpuWorld->bodyCount; ++i)
	{
		bool isAside = motions[i].isAside != 0;
		stats.awake -= isAside && world->dynamics.bodies.data[gpuWorld->slots[i]].kind == br_bodyDynamic;
		lost += motions[i].lost;
	}
	brQueryTree_Forget(world->queries);
	world->dynamics.books.solver += lost - gpuWorld->lost;
	world->dynamics.stats = stats;
	gpuWorld->lost = lost;
	return brSucceed(report);
}

brGpuStepStats brGpuWorld_GetStats(const brGpuWorld* world)
{
	return world->stats;
}

#endif
