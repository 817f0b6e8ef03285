// SPDX-License-Identifier: MIT
#pragma once

// A world that lives on a device; gpu_world.c steps it, step.cl says how.

#include "gpu/gpu.h"

#ifdef BR_HAVE_OPENCL

#include "brittle/world.h"
#include "gpu/gpu_pairs.h"
#include "gpu/gpu_touch.h"
#include "gpu/gpu_upload.h"

#define BR_GPU_STEP_COLORS 64 // the last is for what fits none

/// How many there are of what shapes are made of, in the lists of a world.
typedef struct brGpuShapeCounts
{
	int32_t shapes, vertices, planes, faceStarts, corners, edges;
} brGpuShapeCounts;

/// What breaking needs to know of a body that came from the CPU.
typedef struct brGpuOrigin
{
	brTransform frame; // shape axes to the caller's
	bool canBreak;
} brGpuOrigin;

// The structures of step.cl and contacts.cl.
typedef struct StepBody
{
	float invMass, gravityScale, linearDamping, angularDamping;
	float inertia[3], friction;
	float invInertia[3], restitution;
	int32_t kind, shape;
	float spinning, rolling;
	uint32_t category, collidesWith;
	int32_t padding[2];
} StepBody;

typedef struct StepMotion
{
	brDVec3 position;
	brQuat rotation;
	brDVec3 velocity, spin;
	int32_t isAside, level;
	double lost;
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
	float along;
	int32_t rolls;
} StepShape;

struct brGpuWorld
{
	brGpu* gpu;
	brAllocator allocator;
	brWorldDef def;
	int32_t bodyCount, boxedCount, dynamicCount;
	int32_t slotCount;
	int32_t* slots;       // [slotCount] of the world, by number here: half-spaces last
	brGpuOrigin* origins; // [slotCount]
	brGpuShapeCounts shapeCounts;
	bool hasBounce;
	int32_t turn;        // which of the two lists of contacts is the new one
	int32_t solveGroups; // that run side by side and solve all colors in one launch; 0: a launch for each color
	double dt;           // of the last step
	double lost;         // energy, until the last copy back [J]
	brGpuStepStats stats;
	brGpuPinned seen; // StepMotion [bodyCount] of the last copy back
	bool isFetched;   // that is of the last step
	bool isWatched;   // it was asked for after the last step
	brGpuPairs pairs;
	brGpuBuffer numbers, bodies, shapes, vertices, planes, faceStarts, corners, edges;
	brGpuBuffer motions, frames, states, masks, bests, levels, counters, fresh;
	brGpuBuffer manifolds[2], keys[2], keyCounts[2];
	brGpuBuffer data, links;
	int64_t capacity; // of pairs
	// Of meshes and surfaces, if there are any.
	int32_t each; // contacts for which a pair has room
	brGpuTouch touch;
	brGpuBuffer places, made[2], askers;

	// Of gpu_births.c, empty until something breaks.
	bool hasPieces;
	brGpuBuffer births, parents, birthNumbers, birthTotals, birthStarts, birthOrigins;
};

/// More bodies with a box than so far. They are in `bodies` and `motions`, half-spaces behind them. What was kept of
/// contacts is forgotten.
brResult brGpuWorld_SetBoxed(brGpuWorld* world, int32_t boxedCount, brReport* report);

#endif
