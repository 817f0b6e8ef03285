// SPDX-License-Identifier: MIT

// Bodies of a world on a device, and their steps. step.cl says how; here are the copies there and back and the order of
// launches.
//
// One wait a step: when contacts have colors the host asks how many of each there are, and whether lists were long
// enough. Until then nothing has moved, so a step that found its lists short starts again with longer ones.

#include "brittle/gpu.h"

#ifdef BR_HAVE_OPENCL

#include "base/report.h"
#include "gpu/gpu_pairs.h"
#include "world/world_state.h"

#include <string.h>

enum
{
	stepGroup = 128,      // STEP_GROUP of step.cl
	stepTailGroup = 256,  // TAIL_GROUP
	stepColors = 64,      // the last is for what fits none
	stepFields = 25 + 48, // of a contact in the solver
	stepCounters = 136,   // STEP_ALL
	stepLeft = 4,         // STEP_LEFT
	stepCounts = 8,       // STEP_COUNTS
	stepFewRounds = 8,    // of colors
	stepMostRounds = 192, // in one step
	stepForceRound = 255, // no more
	stepTail = 256,       // colors with so few contacts go together
	stepPairsEach = 12,   // room at first, a body
	stepWarm = 0,         // passes
	stepBiased = 1,
	stepRelax = 2,
	stepBounce = 3,
};

// The structures of step.cl and contacts.cl.
// Rolling resistance up to that of hard materials is left out: it slows a ball by less than 0.2 m/s^2.
#define STEP_WEAKEST_ROLLING 0.02f

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

typedef struct StepBody
{
	float invMass, gravityScale, linearDamping, angularDamping;
	float inertia[3], friction;
	float invInertia[3], restitution;
	int32_t kind, shape;
	float spinning;
	int32_t padding;
} StepBody;

typedef struct StepMotion
{
	brDVec3 position;
	brQuat rotation;
	brDVec3 velocity, spin;
	int32_t isAside, level;
} StepMotion;

typedef struct StepShape
{
	int32_t kind;
	int32_t vertexStart, vertexCount;
	int32_t faceStart, faceCount;
	int32_t cornerStart, loopStart;
	int32_t edgeStart, edgeCount;
	float radius, thickness, round;
	float half[3], center[3];
	int32_t padding[2];
} StepShape;

_Static_assert(sizeof(StepNumbers) == 96 && sizeof(StepBody) == 64 && sizeof(StepMotion) == 112 &&
				   sizeof(StepShape) == 80,
			   "as in step.cl");

struct brGpuWorld
{
	brGpu* gpu;
	brAllocator allocator;
	brWorldDef def;
	int32_t bodyCount, boxedCount;
	int32_t* slots; // [bodyCount] of the world, by number here: half-spaces last
	bool hasBounce;
	int32_t rounds; // of colors that the last step needed
	int32_t turn;   // which of the two lists of contacts is the new one
	brGpuStepStats stats;
	uint32_t counts[stepColors];
	brGpuPairs pairs;
	brGpuBuffer numbers, bodies, shapes, vertices, planes, faceStarts, corners, edges;
	brGpuBuffer motions, frames, states, masks, bests, levels, counters;
	brGpuBuffer manifolds[2], keys[2], keyCounts[2];
	brGpuBuffer data, links;
	int64_t capacity; // of contacts
};

void brDestroyGpuWorld(brGpuWorld* world)
{
	if (world == NULL)
	{
		return;
	}
	brGpuBuffer* all[] = {&world->numbers,      &world->bodies,     &world->shapes,   &world->vertices,
						  &world->planes,       &world->faceStarts, &world->corners,  &world->edges,
						  &world->motions,      &world->frames,     &world->states,   &world->masks,
						  &world->bests,        &world->levels,     &world->counters, &world->manifolds[0],
						  &world->manifolds[1], &world->keys[0],    &world->keys[1],  &world->keyCounts[0],
						  &world->keyCounts[1], &world->data,       &world->links};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brGpu_Free(world->gpu, all[i]);
	}
	brGpuPairs_Free(&world->pairs);
	brAllocator allocator = world->allocator;
	BR_FREE(&allocator, world->slots, world->bodyCount);
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
		if (brBody_IsThere(body) && (body->category != 1 || body->collidesWith != UINT32_MAX))
		{
			return brFailAt(report, br_errorUnavailable, i,
							"body %d does not meet all others: its world steps on the CPU", i);
		}
		if (!brBody_IsThere(body))
		{
			continue;
		}
		int32_t kind = dynamics->shapes.data[body->shape].shape->kind;
		if (kind == br_shapeCapsule || brShapeKind_IsConcave(kind))
		{
			return brFailAt(report, br_errorUnavailable, i,
							"body %d is a capsule, a mesh or a surface: its world steps on the CPU", i);
		}
		if (body->rolling > STEP_WEAKEST_ROLLING && kind == br_shapeSphere)
		{
			return brFailAt(report, br_errorUnavailable, i,
							"body %d has rolling resistance: its world steps on the CPU", i);
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

static bool stepAddShape(const brAllocator* a, StepShapes* out, const brShape* shape)
{
	StepShape entry = {.kind = -1};
	bool done = true;
	if (shape != NULL && shape->kind <= br_shapeHull)
	{
		entry = (StepShape){.kind = shape->kind,
							.vertexStart = out->vertices.count,
							.vertexCount = shape->vertexCount,
							.faceStart = out->planes.count,
							.faceCount = shape->faceCount,
							.cornerStart = out->corners.count,
							.loopStart = out->faceStarts.count,
							.edgeStart = out->edges.count,
							.edgeCount = shape->edgeCount,
							.radius = shape->radius,
							.thickness = shape->thickness,
							.round = shape->round,
							.half = {shape->half.x, shape->half.y, shape->half.z},
							.center = {shape->boxCenter.x, shape->boxCenter.y, shape->boxCenter.z}};
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
	}
	return done && BR_PUSH(a, &out->shapes, entry);
}

static void stepPut(brGpu* gpu, brGpuBuffer* buffer, const void* data, int64_t count, size_t bytes)
{
	brGpu_Ensure(gpu, buffer, count, bytes);
	brGpu_Write(gpu, buffer, 0, data, (size_t)count * bytes);
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
	if (done)
	{
		stepPut(gpu, &world->shapes, shapes.shapes.data, shapes.shapes.count, sizeof(StepShape));
		stepPut(gpu, &world->vertices, shapes.vertices.data, shapes.vertices.count, sizeof(cl_float4));
		stepPut(gpu, &world->planes, shapes.planes.data, shapes.planes.count, sizeof(cl_float4));
		stepPut(gpu, &world->faceStarts, shapes.faceStarts.data, shapes.faceStarts.count, sizeof(int32_t));
		stepPut(gpu, &world->corners, shapes.corners.data, shapes.corners.count, sizeof(int32_t));
		stepPut(gpu, &world->edges, shapes.edges.data, shapes.edges.count, sizeof(cl_int4));
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
							   .invInertia = {inverse.x, inverse.y, inverse.z},
							   .restitution = from->restitution,
							   .kind = from->kind,
							   .shape = from->shape};
		motions[i] = (StepMotion){from->position, from->rotation,   from->velocity,
								  from->spin,     from->isSetAside, from->kind == br_bodyStatic ? 0 : 255};
		world->hasBounce = world->hasBounce || from->restitution > 0.0f;
	}
	if (result >= 0)
	{
		uint32_t none = 0;
		stepPut(gpu, &world->bodies, bodies, n, sizeof(StepBody));
		stepPut(gpu, &world->motions, motions, n, sizeof(StepMotion));
		brGpu_Ensure(gpu, &world->numbers, 1, sizeof(StepNumbers));
		brGpu_Ensure(gpu, &world->frames, n, 80);
		brGpu_Ensure(gpu, &world->states, n, 96);
		brGpu_Ensure(gpu, &world->masks, 2 * n, sizeof(uint32_t));
		brGpu_Ensure(gpu, &world->bests, 2 * n, sizeof(uint32_t));
		brGpu_Ensure(gpu, &world->levels, n, sizeof(int32_t));
		brGpu_Ensure(gpu, &world->counters, stepCounters, sizeof(uint32_t));
		brGpu_Clear(gpu, &world->counters, stepCounters);
		stepPut(gpu, &world->keyCounts[0], &none, 1, sizeof(uint32_t));
		stepPut(gpu, &world->keyCounts[1], &none, 1, sizeof(uint32_t));
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
	if (made == NULL || slots == NULL)
	{
		BR_FREE(&allocator, made, 1);
		BR_FREE(&allocator, slots, dynamics->bodyCount);
		return brFailMemory(report);
	}
	made->gpu = gpu;
	made->allocator = allocator;
	made->def = dynamics->def;
	made->bodyCount = dynamics->bodyCount;
	made->slots = slots;
	made->rounds = stepFewRounds;
	brGpuPairs_Init(&made->pairs, gpu);
	stepOrder(made, dynamics);
	result = stepCopyShapes(made, dynamics, report);
	result = result < 0 ? result : stepCopyBodies(made, dynamics, report);
	if (result >= 0 && made->boxedCount > 0)
	{
		brBoxSource source = {.count = made->boxedCount};
		result = brGpuPairs_SetElements(&made->pairs, &source, NULL, report);
		made->pairs.arePositions = false;
		brGpu_Ensure(gpu, &made->pairs.vertices, made->boxedCount, sizeof(brTreeBox));
		stepFitPairs(made, (int64_t)stepPairsEach * made->boxedCount + 4096);
	}
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
		brGpu_Ensure(gpu, &world->manifolds[i], world->pairs.capacity.candidates, 192);
		brGpu_Ensure(gpu, &world->keys[i], world->pairs.capacity.candidates, sizeof(uint64_t));
		brGpu_Write(gpu, &world->keyCounts[i], 0, &none, sizeof(none));
	}
	brGpu_Ensure(gpu, &world->data, stepFields * world->pairs.capacity.candidates, sizeof(float));
	brGpu_Ensure(gpu, &world->links, world->pairs.capacity.candidates, sizeof(cl_int4));
	world->capacity = world->pairs.capacity.candidates;
}

static void stepEnqueueRounds(brGpuWorld* world, uint32_t first, uint32_t end)
{
	for (uint32_t round = first; round < end; ++round)
	{
		brGpu_Run(world->gpu, kernel_brk_stepColor, stepGroups(world, world->capacity), stepGroup,
				  (brGpuArg[]){brBufferArg(&world->manifolds[world->turn]), brBufferArg(&world->pairs.state),
							   brUintArg(BR_GPU_STATE_COUNTERS), brUintArg((uint32_t)world->capacity),
							   brBufferArg(&world->frames), brBufferArg(&world->masks), brBufferArg(&world->bests),
							   brUintArg(round)},
				  8);
	}
	brGpu_Run(world->gpu, kernel_brk_stepCount, stepGroups(world, world->capacity / 8), stepGroup,
			  (brGpuArg[]){brBufferArg(&world->manifolds[world->turn]), brBufferArg(&world->pairs.state),
						   brUintArg(BR_GPU_STATE_COUNTERS), brUintArg((uint32_t)world->capacity),
						   brBufferArg(&world->counters)},
			  5);
}

// From poses to contacts with colors. The sorted pairs come to lie in keys[turn].
static void stepEnqueueContacts(brGpuWorld* world)
{
	brGpu* gpu = world->gpu;
	brGpuPairs* pairs = &world->pairs;
	int32_t turn = world->turn;
	stepEnsure(world);
	brGpu_Run(gpu, kernel_brk_stepFrames,
			  stepGroups(world, world->bodyCount > stepCounters ? world->bodyCount : stepCounters), stepGroup,
			  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->bodies), brBufferArg(&world->shapes),
						   brBufferArg(&world->motions), brBufferArg(&world->frames), brBufferArg(&pairs->vertices),
						   brBufferArg(&world->masks), brBufferArg(&world->bests), brBufferArg(&world->levels),
						   brBufferArg(&world->counters)},
			  10);
	brGpuPairs_Enqueue(pairs, true, true, false, false);
	if (world->bodyCount > world->boxedCount)
	{
		int64_t tests = (int64_t)world->boxedCount * (world->bodyCount - world->boxedCount);
		brGpu_Run(gpu, kernel_brk_stepPlanes, stepGroups(world, tests), stepGroup,
				  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->bodies), brBufferArg(&world->shapes),
							   brBufferArg(&world->motions), brBufferArg(&world->frames),
							   brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity.candidates),
							   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS)},
				  9);
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
	brGpu_Run(gpu, kernel_brk_stepTouch, stepGroups(world, world->capacity), stepGroup,
			  (brGpuArg[]){brBufferArg(&world->numbers),
						   brBufferArg(&world->bodies),
						   brBufferArg(&world->shapes),
						   brBufferArg(&world->vertices),
						   brBufferArg(&world->planes),
						   brBufferArg(&world->faceStarts),
						   brBufferArg(&world->corners),
						   brBufferArg(&world->edges),
						   brBufferArg(&world->motions),
						   brBufferArg(&world->frames),
						   brBufferArg(&world->keys[turn]),
						   brBufferArg(&pairs->state),
						   brUintArg(BR_GPU_STATE_COUNTERS),
						   brUintArg((uint32_t)world->capacity),
						   brBufferArg(&world->keys[1 - turn]),
						   brBufferArg(&world->manifolds[1 - turn]),
						   brBufferArg(&world->keyCounts[1 - turn]),
						   brBufferArg(&world->manifolds[turn]),
						   brBufferArg(&world->masks),
						   brBufferArg(&world->levels),
						   brBufferArg(&world->counters)},
			  21);
	stepEnqueueRounds(world, 0, (uint32_t)world->rounds);
}

// Colors until all have one, and what they came to. `outIsShort`: there are more pairs than room, nothing is of use.
static brResult stepFinishColors(brGpuWorld* world, bool* outIsShort, brReport* report)
{
	brGpu* gpu = world->gpu;
	uint32_t counters[stepCounters];
	int32_t done = world->rounds;
	brResult result = brGpu_Read(gpu, &world->counters, 0, counters, sizeof(counters), report);
	*outIsShort = result >= 0 && counters[0] > world->pairs.capacity.candidates;
	if (*outIsShort)
	{
		stepFitPairs(world, (int64_t)counters[0] + counters[0] / 4);
		return br_success;
	}
	while (result >= 0 && counters[stepLeft] > 0)
	{
		static const uint32_t none[stepCounts + stepColors - stepLeft];
		brGpu_Write(gpu, &world->counters, stepLeft * sizeof(uint32_t), none, sizeof(none));
		int32_t next = done < stepMostRounds ? done + 16 : stepForceRound + 1;
		stepEnqueueRounds(world, (uint32_t)(done < stepMostRounds ? done : stepForceRound), (uint32_t)next);
		done = next;
		result = brGpu_Read(gpu, &world->counters, 0, counters, sizeof(counters), report);
	}
	if (result < 0)
	{
		return result;
	}
	// As many rounds next time, or one less where they were enough.
	world->rounds = done > world->rounds ? (done < 96 ? done : 96) : world->rounds;
	world->rounds -= world->rounds > stepFewRounds ? 1 : 0;
	memcpy(world->counts, counters + stepCounts, sizeof(world->counts));
	world->stats =
		(brGpuStepStats){(int32_t)counters[0], (int32_t)counters[2], (int32_t)counters[1], 0, (int32_t)counters[3]};
	for (int32_t c = 0; c < stepColors; ++c)
	{
		world->stats.colors = world->counts[c] > 0 ? c + 1 : world->stats.colors;
	}
	return br_success;
}

// One pass over all contacts, color by color; small colors at the end go together.
static void stepEnqueuePass(brGpuWorld* world, uint32_t pass)
{
	brGpu* gpu = world->gpu;
	int32_t colors = world->stats.colors, tail = colors;
	bool isGpu = gpu->info.kind != br_gpuKindCpu;
	while (tail > 0 && (world->counts[tail - 1] <= stepTail || tail == stepColors) && (isGpu || tail == stepColors))
	{
		tail -= 1;
	}
	tail = colors - tail == 1 && colors < stepColors ? colors : tail; // one alone is as good on its own
	uint32_t first = 0;
	for (int32_t c = 0; c < tail; ++c)
	{
		brGpu_Run(gpu, kernel_brk_stepSolve, world->counts[c] > 0 ? stepGroups(world, world->counts[c]) : 0, stepGroup,
				  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->data), brBufferArg(&world->links),
							   brUintArg((uint32_t)world->capacity), brBufferArg(&world->states),
							   brBufferArg(&world->frames), brUintArg(pass), brUintArg(first),
							   brUintArg(world->counts[c])},
				  9);
		first += world->counts[c];
	}
	if (tail < colors)
	{
		brGpu_Run(gpu, kernel_brk_stepSolveTail, 1, stepTailGroup,
				  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->data), brBufferArg(&world->links),
							   brUintArg((uint32_t)world->capacity), brBufferArg(&world->states),
							   brBufferArg(&world->frames), brUintArg(pass), brBufferArg(&world->counters),
							   brUintArg(first), brUintArg((uint32_t)tail), brUintArg((uint32_t)colors)},
				  11);
	}
}

static void stepEnqueueSolve(brGpuWorld* world)
{
	brGpu* gpu = world->gpu;
	int64_t bodyGroups = stepGroups(world, world->bodyCount);
	if (world->stats.contacts > 0)
	{
		brGpu_Run(gpu, kernel_brk_stepPrepare, stepGroups(world, world->stats.pairs), stepGroup,
				  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->manifolds[world->turn]),
							   brBufferArg(&world->pairs.state), brUintArg(BR_GPU_STATE_COUNTERS),
							   brUintArg((uint32_t)world->capacity), brBufferArg(&world->bodies),
							   brBufferArg(&world->shapes), brBufferArg(&world->frames), brBufferArg(&world->motions),
							   brBufferArg(&world->data), brBufferArg(&world->links),
							   brUintArg((uint32_t)world->capacity), brBufferArg(&world->counters)},
				  13);
	}
	for (int32_t substep = 0; substep < world->def.substeps && world->stats.contacts > 0; ++substep)
	{
		brGpu_Run(gpu, kernel_brk_stepForces, bodyGroups, stepGroup,
				  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->bodies), brBufferArg(&world->motions),
							   brBufferArg(&world->frames), brBufferArg(&world->levels), brBufferArg(&world->states),
							   brUintArg(substep == 0)},
				  7);
		if (substep == 0)
		{
			stepEnqueuePass(world, stepWarm);
		}
		stepEnqueuePass(world, stepBiased);
		brGpu_Run(gpu, kernel_brk_stepMove, bodyGroups, stepGroup,
				  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->states)}, 2);
		stepEnqueuePass(world, stepRelax);
	}
	if (world->stats.contacts > 0)
	{
		if (world->hasBounce)
		{
			stepEnqueuePass(world, stepBounce);
		}
		brGpu_Run(gpu, kernel_brk_stepKeep, stepGroups(world, world->stats.contacts), stepGroup,
				  (brGpuArg[]){brBufferArg(&world->data), brBufferArg(&world->links),
							   brUintArg((uint32_t)world->capacity), brUintArg((uint32_t)world->stats.contacts),
							   brBufferArg(&world->manifolds[world->turn])},
				  5);
	}
	brGpu_Run(gpu, kernel_brk_stepFinish, bodyGroups, stepGroup,
			  (brGpuArg[]){brBufferArg(&world->numbers), brBufferArg(&world->bodies), brBufferArg(&world->motions),
						   brBufferArg(&world->states), brBufferArg(&world->masks), brBufferArg(&world->counters)},
			  6);
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
	bool isShort;
	do
	{
		stepEnqueueContacts(world);
		brResult result = stepFinishColors(world, &isShort, report);
		if (result < 0)
		{
			return result;
		}
	} while (isShort);
	stepEnqueueSolve(world);
	uint32_t count = (uint32_t)world->stats.pairs;
	brGpu_Write(world->gpu, &world->keyCounts[world->turn], 0, &count, sizeof(count));
	world->turn = 1 - world->turn;
	return brSucceed(report);
}

brResult brGpuWorld_Download(brGpuWorld* gpuWorld, brWorld* world, brReport* report)
{
	if (gpuWorld == NULL || world == NULL || world->dynamics.bodyCount != gpuWorld->bodyCount)
	{
		return brFail(report, br_errorMisuse, "brGpuWorld_Download needs the world that the bodies came from");
	}
	const brAllocator* a = &gpuWorld->allocator;
	int64_t n = gpuWorld->bodyCount;
	StepMotion* motions = BR_ALLOC(a, StepMotion, n);
	if (motions == NULL)
	{
		return brFailMemory(report);
	}
	brQueryTree_Forget(world->queries);
	double lost = 0.0; // all of it by the solver: the device does not tell why
	brResult result = brGpu_Read(gpuWorld->gpu, &gpuWorld->motions, 0, motions, (size_t)n * sizeof(StepMotion), report);
	for (int64_t i = 0; result >= 0 && i < n; ++i)
	{
		brBody* body = &world->dynamics.bodies.data[gpuWorld->slots[i]];
		if (brBody_IsThere(body) && body->kind != br_bodyStatic)
		{
			lost += brBody_Energy(&world->dynamics, body);
			body->position = motions[i].position;
			body->rotation = motions[i].rotation;
			body->velocity = motions[i].velocity;
			body->spin = motions[i].spin;
			body->isSetAside = motions[i].isAside != 0;
			body->isAwake = true;
			body->sleepTime = 0.0f;
			lost -= brBody_Energy(&world->dynamics, body);
		}
	}
	world->dynamics.books.solver += lost;
	BR_FREE(a, motions, n);
	if (result < 0)
	{
		return result;
	}
	// The books of the step; what only the CPU has stays 0.
	const brGpuStepStats* from = &gpuWorld->stats;
	brStepStats stats = {.bodies = gpuWorld->bodyCount,
						 .pairs = from->pairs,
						 .contacts = from->contacts,
						 .points = from->points,
						 .colors = from->colors,
						 .slices = 1,
						 .setAside = from->setAside};
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		const brBody* body = &world->dynamics.bodies.data[i];
		stats.awake += brBody_IsThere(body) && body->kind == br_bodyDynamic && brBody_IsMoving(body);
	}
	world->dynamics.stats = stats;
	return brSucceed(report);
}

brGpuStepStats brGpuWorld_GetStats(const brGpuWorld* world)
{
	return world->stats;
}

#endif
