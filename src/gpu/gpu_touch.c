// SPDX-License-Identifier: MIT

#include "gpu/gpu_touch.h"

#ifdef BR_HAVE_OPENCL

#include "contact/mesh_pair.h"
#include "contact/solid.h"

#include <stddef.h>
#include <string.h>

enum
{
	touchGroup = 32,      // MESH_GROUP of meshes.cl
	touchFewest = 128,    // pairs; fewer are found sooner on the CPU: docs/gpu.md
	touchRoom = 1 << 24,  // for shapes at first
	touchShapeHead = 240, // bytes of brShape where pointers have 8
	touchShapeKind = 28,
	touchState = 168,        // bytes of MeshState
	touchKnown = 96,         // of MeshKnown, a point
	touchEdge = 40,          // of MeshEdgeAnswer
	touchThreads = 128,      // for the points of a side, or the edges of a pair
	touchRoomForGroups = 32, // a compute unit
	touchShare = 64,         // this part of the device's memory is for what lies between stages
};

// Bytes between stages for each pair, without its points.
#define TOUCH_PAIR                                                                                                     \
	(touchState + sizeof(brMeshFound) + 2 * (uint64_t)BR_MESH_MAX_EDGES * (sizeof(brMeshEdge) + touchEdge))

_Static_assert(sizeof(brTouchQuery) == 272 && sizeof(brTouchAnswer) == 404 && sizeof(brTriangleGroup) == 17 * 32 &&
				   sizeof(brTreeBoxes) == 6 * 32 && sizeof(brSolidPoint) == 32 && sizeof(brPointNormals) == 40 &&
				   sizeof(brPointCurve) == 40 && sizeof(brSolidEdge) == 32 && sizeof(brMeshEdge) == 68 &&
				   sizeof(brMeshVerdict) == 36 && sizeof(brCandidate) == 32,
			   "a device lays these out in the same way");
_Static_assert(br_shapeHalfSpace == 0 && br_shapeCapsule == 2 && br_shapeSurface == 6 && BR_HULL_MAX_FACES == 128,
			   "as in mesh_memory.cl");

void brGpuTouch_Init(brGpuTouch* touch, brGpu* gpu, const brAllocator* allocator)
{
	*touch = (brGpuTouch){.gpu = gpu, .allocator = *allocator};
}

void brGpuTouch_Free(brGpuTouch* touch)
{
	BR_GPU_FREE(touch->gpu, &touch->shapes, &touch->queries, &touch->answersThere, &touch->states, &touch->firstsThere,
				&touch->known, &touch->founds, &touch->edges, &touch->said);
	BR_FREE_ARRAY(&touch->allocator, &touch->places);
	brStageMemory_Free(&touch->fresh, &touch->allocator);
	brStageMemory_Free(&touch->answers, &touch->allocator);
	brStageMemory_Free(&touch->firsts, &touch->allocator);
}

// From the struct on, arrays included.
static uint64_t touchShapeSize(const brShape* shape)
{
	return brSolidAlign(offsetof(brShape, version) + (size_t)shape->byteCount);
}

// A place for a shape, if it is new to the device. False if there is no room.
static bool touchGivePlace(brGpuTouch* touch, const brShape* shape, brGpuShape* place)
{
	if (place->hash != shape->hash || place->byteCount != shape->byteCount)
	{
		uint64_t bytes = touchShapeSize(shape);
		if (touch->usedBytes + bytes > touch->shapes.bytes)
		{
			return false;
		}
		*place = (brGpuShape){shape->hash, shape->byteCount, touch->usedBytes};
		touch->usedBytes += bytes;
	}
	return true;
}

// The same for the shapes of queries.
static bool touchGivePlaces(brGpuTouch* touch, const brDynamics* dynamics, const brTouchQuery* queries, int32_t count)
{
	bool done = true;
	for (int32_t i = 0; i < 2 * count && done; ++i)
	{
		uint64_t slot = queries[i / 2].shapes[i % 2];
		done = touchGivePlace(touch, dynamics->shapes.data[slot].shape, &touch->places.data[slot]);
	}
	return done;
}

// Nothing is on the device; there is twice the room that all shapes of the world need.
static void touchClear(brGpuTouch* touch, const brDynamics* dynamics)
{
	uint64_t bytes = 0;
	for (int32_t i = 0; i < dynamics->shapes.count; ++i)
	{
		const brShape* shape = dynamics->shapes.data[i].shape;
		bytes += shape != NULL ? touchShapeSize(shape) : 0;
	}
	touch->usedBytes = 0;
	memset(touch->places.data, 0, sizeof(brGpuShape) * (size_t)touch->places.count);
	brGpu_Ensure(touch->gpu, &touch->shapes, (int64_t)(2 * bytes > touchRoom ? 2 * bytes : touchRoom), 1);
}

// Copies the shapes that lie from `first` on to the device.
static bool touchSendShapes(brGpuTouch* touch, const brDynamics* dynamics, uint64_t first)
{
	uint64_t bytes = touch->usedBytes - first;
	if (bytes == 0)
	{
		return true;
	}
	if (!brStageMemory_Ensure(&touch->fresh, &touch->allocator, (int64_t)bytes, 1))
	{
		return false;
	}
	const size_t head = offsetof(brShape, version); // what lies before it is the host's affair
	for (int32_t i = 0; i < touch->places.count; ++i)
	{
		const brGpuShape* place = &touch->places.data[i];
		if (place->byteCount > 0 && place->place >= first)
		{
			char* to = (char*)touch->fresh.data + (place->place - first);
			memset(to, 0, head);
			memcpy(to + head, (const char*)dynamics->shapes.data[i].shape + head, (size_t)place->byteCount);
		}
	}
	brGpu_Write(touch->gpu, &touch->shapes, (size_t)first, touch->fresh.data, (size_t)bytes);
	return true;
}

static bool touchGrow(brGpuTouch* touch, int32_t slotCount)
{
	int32_t more = slotCount - touch->places.count;
	if (more > 0 && !BR_RESERVE(&touch->allocator, &touch->places, more))
	{
		return false;
	}
	for (; more > 0; --more)
	{
		touch->places.data[touch->places.count++] = (brGpuShape){0};
	}
	return true;
}

bool brGpuTouch_SendShapes(brGpuTouch* touch, const brDynamics* dynamics)
{
	bool done = touchGrow(touch, dynamics->shapes.count);
	if (done)
	{
		touchClear(touch, dynamics);
	}
	for (int32_t i = 0; i < dynamics->shapes.count && done; ++i)
	{
		const brShape* shape = dynamics->shapes.data[i].shape;
		done = shape == NULL || touchGivePlace(touch, shape, &touch->places.data[i]);
	}
	return done && touchSendShapes(touch, dynamics, 0);
}

// Where the points of both sides of each pair begin, and how many there are in all.
static int64_t touchPlacePoints(const brDynamics* dynamics, const brTouchQuery* queries, int32_t count,
								uint32_t* outFirsts)
{
	int64_t points = 0;
	for (int32_t i = 0; i < 2 * count; ++i)
	{
		outFirsts[i] = (uint32_t)points;
		points += dynamics->shapes.data[queries[i / 2].shapes[i % 2]].shape->vertexCount;
	}
	return points;
}

// How many of the pairs go at once: as much as what lies between stages has room for, one at least.
static int32_t touchBatch(const brGpuTouch* touch, const brDynamics* dynamics, const brTouchQuery* queries,
						  int32_t count)
{
	uint64_t room = touch->gpu->info.memoryBytes / touchShare, used = 0;
	int32_t batch = 0;
	while (batch < count)
	{
		for (int32_t s = 0; s < 2; ++s)
		{
			const brShape* shape = dynamics->shapes.data[queries[batch].shapes[s]].shape;
			used += (uint64_t)touchKnown * (uint64_t)shape->vertexCount;
		}
		used += TOUCH_PAIR;
		if (batch > 0 && used > room)
		{
			break;
		}
		batch += 1;
	}
	return batch;
}

// Threads of a group that each go their own way: one of them, as long as the device has room for as many groups. Those
// that run in step wait for each other at every turn.
static uint32_t touchGroupFor(const brGpuTouch* touch, int64_t count)
{
	uint32_t group = 1;
	bool isGpu = touch->gpu->info.kind != br_gpuKindCpu;
	while (isGpu && group < touchGroup && count > (int64_t)touchRoomForGroups * touch->gpu->info.computeUnits * group)
	{
		group *= 2;
	}
	return group;
}

// A kernel with a thread for each of so many.
static void touchRunThreads(brGpuTouch* touch, brGpuKernel kernel, int32_t count, const brGpuArg* args,
							uint32_t argCount)
{
	uint32_t group = touchGroupFor(touch, count);
	brGpu_Run(touch->gpu, kernel, (count + (int32_t)group - 1) / (int32_t)group, group, args, argCount);
}

// A kernel with so many threads for each of so many, in some groups: its last argument says how many.
static void touchRunParts(brGpuTouch* touch, brGpuKernel kernel, int32_t count, brGpuArg args[6])
{
	bool isGpu = touch->gpu->info.kind != br_gpuKindCpu;
	uint32_t group = touchGroupFor(touch, (int64_t)count * touchThreads), parts = isGpu ? touchThreads / group : 1;
	args[5] = brUintArg(parts);
	brGpu_Run(touch->gpu, kernel, (int64_t)count * parts, group, args, 6);
}

// All stages of meshes.cl for pairs whose queries and shapes are there.
static void touchRunStages(brGpuTouch* touch, int32_t count)
{
	brGpuArg queries = brBufferArg(&touch->queries), shapes = brBufferArg(&touch->shapes);
	brGpuArg states = brBufferArg(&touch->states), firsts = brBufferArg(&touch->firstsThere);
	brGpuArg known = brBufferArg(&touch->known), founds = brBufferArg(&touch->founds);
	brGpuArg edges = brBufferArg(&touch->edges), said = brBufferArg(&touch->said);
	brGpuArg answers = brBufferArg(&touch->answersThere), number = brUintArg((uint32_t)count);
	brGpuArg points[6] = {queries, shapes, states, firsts, known};
	bool isGpu = touch->gpu->info.kind != br_gpuKindCpu;
	touchRunThreads(touch, kernel_brk_meshBegin, count, (brGpuArg[]){queries, shapes, states, answers, number}, 5);
	touchRunThreads(touch, kernel_brk_meshRounds, count, (brGpuArg[]){queries, shapes, answers, number}, 4);
	brGpu_Run(touch->gpu, kernel_brk_meshPoints, 2 * (int64_t)count, isGpu ? touchGroup : 1, points, 5);
	touchRunParts(touch, kernel_brk_meshFields, 2 * count, points);
	touchRunParts(touch, kernel_brk_meshVisits, 2 * count, points);
	touchRunThreads(touch, kernel_brk_meshGather, count,
					(brGpuArg[]){queries, shapes, states, firsts, known, founds, edges, answers, number}, 9);
	touchRunParts(touch, kernel_brk_meshEdges, count, (brGpuArg[6]){queries, shapes, states, edges, said});
	touchRunThreads(touch, kernel_brk_meshFinish, count,
					(brGpuArg[]){queries, shapes, states, founds, said, answers, number}, 7);
}

void brGpuTouch_EnsureQueries(brGpuTouch* touch, int64_t count)
{
	brGpu_Ensure(touch->gpu, &touch->queries, count, sizeof(brTouchQuery));
	brGpu_Ensure(touch->gpu, &touch->firstsThere, 2 * count, sizeof(uint32_t));
}

void brGpuTouch_Enqueue(brGpuTouch* touch, int32_t count, int64_t points)
{
	brGpu* gpu = touch->gpu;
	brGpu_Ensure(gpu, &touch->answersThere, count, sizeof(brTouchAnswer));
	brGpu_Ensure(gpu, &touch->states, count, touchState);
	brGpu_Ensure(gpu, &touch->known, points, touchKnown);
	brGpu_Ensure(gpu, &touch->founds, count, sizeof(brMeshFound));
	brGpu_Ensure(gpu, &touch->edges, 2 * (int64_t)BR_MESH_MAX_EDGES * count, sizeof(brMeshEdge));
	brGpu_Ensure(gpu, &touch->said, 2 * (int64_t)BR_MESH_MAX_EDGES * count, touchEdge);
	touchRunStages(touch, count);
}

// Asks about as many pairs as go at once; their shapes are there.
static brResult touchFindBatch(brGpuTouch* touch, const brDynamics* dynamics, brTouchQuery* queries, int32_t count,
							   brTouchAnswer* outAnswers, brReport* report)
{
	brGpu* gpu = touch->gpu;
	if (!brStageMemory_Ensure(&touch->firsts, &touch->allocator, 2 * (int64_t)count, sizeof(uint32_t)))
	{
		return brFailMemory(report);
	}
	int64_t points = touchPlacePoints(dynamics, queries, count, touch->firsts.data);
	for (int32_t i = 0; i < 2 * count; ++i)
	{
		uint64_t* shape = &queries[i / 2].shapes[i % 2];
		*shape = touch->places.data[*shape].place;
	}
	brGpuTouch_EnsureQueries(touch, count);
	brGpu_Write(gpu, &touch->queries, 0, queries, (size_t)count * sizeof(brTouchQuery));
	brGpu_Write(gpu, &touch->firstsThere, 0, touch->firsts.data, 2 * (size_t)count * sizeof(uint32_t));
	brGpuTouch_Enqueue(touch, count, points);
	return brGpu_Read(gpu, &touch->answersThere, 0, outAnswers, (size_t)count * sizeof(brTouchAnswer), report);
}

static brResult touchFind(void* user, const brDynamics* dynamics, brTouchQuery* queries, int32_t count,
						  const brTouchAnswer** outAnswers, brReport* report)
{
	brGpuTouch* touch = user;
	brGpu* gpu = touch->gpu;
	if (!touchGrow(touch, dynamics->shapes.count) ||
		!brStageMemory_Ensure(&touch->answers, &touch->allocator, count, sizeof(brTouchAnswer)))
	{
		return brFailMemory(report);
	}
	uint64_t first = touch->usedBytes;
	if (!touchGivePlaces(touch, dynamics, queries, count))
	{
		touchClear(touch, dynamics);
		first = 0;
		if (!touchGivePlaces(touch, dynamics, queries, count))
		{
			brResult result = brGpu_Finish(gpu, report); // that it has no memory
			return result < 0 ? result : brFailMemory(report);
		}
	}
	if (!touchSendShapes(touch, dynamics, first))
	{
		return brFailMemory(report);
	}
	brTouchAnswer* answers = touch->answers.data;
	brResult result = br_success;
	for (int32_t done = 0; done < count && result >= 0;)
	{
		int32_t batch = touchBatch(touch, dynamics, queries + done, count - done);
		result = touchFindBatch(touch, dynamics, queries + done, batch, answers + done, report);
		done += batch;
	}
	*outAnswers = answers;
	return result;
}

brTouchDevice brGpuTouch_Device(brGpuTouch* touch)
{
	bool isSame = sizeof(brShape) == touchShapeHead && offsetof(brShape, kind) == touchShapeKind;
	return isSame ? (brTouchDevice){touchFind, touchFewest, BR_MESH_FLAT_POINTS, touch} : (brTouchDevice){0};
}

#endif
