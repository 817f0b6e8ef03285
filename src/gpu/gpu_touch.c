// SPDX-License-Identifier: MIT

#include "gpu/gpu_touch.h"

#ifdef BR_HAVE_OPENCL

#include "contact/solid.h"

#include <stddef.h>
#include <string.h>

enum
{
	touchGroup = 32,
	touchFewest = 64,     // pairs; fewer are found sooner on the CPU
	touchRoom = 1 << 24,  // for shapes at first
	touchShapeHead = 240, // bytes of brShape where pointers have 8
	touchShapeKind = 28,
};

_Static_assert(sizeof(brTouchQuery) == 272 && sizeof(brTouchAnswer) == 404 && sizeof(brTriangleGroup) == 17 * 32 &&
				   sizeof(brTreeBoxes) == 6 * 32 && sizeof(brSolidPoint) == 32 && sizeof(brPointNormals) == 40 &&
				   sizeof(brPointCurve) == 40 && sizeof(brSolidEdge) == 32,
			   "a device lays these out in the same way");
_Static_assert(br_shapeHalfSpace == 0 && br_shapeCapsule == 2 && br_shapeSurface == 6 && BR_HULL_MAX_FACES == 128,
			   "as in mesh_memory.cl");

void brGpuTouch_Init(brGpuTouch* touch, brGpu* gpu, const brAllocator* allocator)
{
	*touch = (brGpuTouch){.gpu = gpu, .allocator = *allocator};
}

void brGpuTouch_Free(brGpuTouch* touch)
{
	brGpu_Free(touch->gpu, &touch->shapes);
	brGpu_Free(touch->gpu, &touch->queries);
	brGpu_Free(touch->gpu, &touch->found);
	BR_FREE_ARRAY(&touch->allocator, &touch->places);
	brStageMemory_Free(&touch->fresh, &touch->allocator);
	brStageMemory_Free(&touch->answers, &touch->allocator);
}

// From the struct on, arrays included.
static uint64_t touchShapeSize(const brShape* shape)
{
	return brSolidAlign(offsetof(brShape, version) + (size_t)shape->byteCount);
}

// Gives places to the shapes of queries that are new to the device. False if there is no room for one.
static bool touchGivePlaces(brGpuTouch* touch, const brDynamics* dynamics, const brTouchQuery* queries, int32_t count)
{
	for (int32_t i = 0; i < 2 * count; ++i)
	{
		uint64_t slot = queries[i / 2].shapes[i % 2];
		const brShape* shape = dynamics->shapes.data[slot].shape;
		brGpuShape* place = &touch->places.data[slot];
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
	}
	return true;
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
	for (int32_t i = 0; i < 2 * count; ++i)
	{
		uint64_t* shape = &queries[i / 2].shapes[i % 2];
		*shape = touch->places.data[*shape].place;
	}
	brGpu_Ensure(gpu, &touch->queries, count, sizeof(brTouchQuery));
	brGpu_Ensure(gpu, &touch->found, count, sizeof(brTouchAnswer));
	brGpu_Write(gpu, &touch->queries, 0, queries, (size_t)count * sizeof(brTouchQuery));
	uint32_t group = gpu->info.kind != br_gpuKindCpu ? touchGroup : 1;
	brGpu_Run(gpu, kernel_brk_meshTouches, (count + (int32_t)group - 1) / (int32_t)group, group,
			  (brGpuArg[]){brBufferArg(&touch->queries), brBufferArg(&touch->shapes), brBufferArg(&touch->found),
						   brUintArg((uint32_t)count)},
			  4);
	*outAnswers = touch->answers.data;
	return brGpu_Read(gpu, &touch->found, 0, touch->answers.data, (size_t)count * sizeof(brTouchAnswer), report);
}

// NVIDIA's compiler (driver 580) has not come to an end with this kernel after nine minutes. Told not to optimize it takes ten seconds, but
// the kernel is then a hundred times slower than the CPU.
static bool touchIsTooMuchFor(const brGpu* gpu)
{
	return strstr(gpu->info.name, "NVIDIA") != NULL;
}

brTouchDevice brGpuTouch_Device(brGpuTouch* touch)
{
	bool isSame = sizeof(brShape) == touchShapeHead && offsetof(brShape, kind) == touchShapeKind;
	bool isTaken = isSame && !touchIsTooMuchFor(touch->gpu);
	return isTaken ? (brTouchDevice){touchFind, touchFewest, touch} : (brTouchDevice){0};
}

#endif
