// SPDX-License-Identifier: MIT

// Where meshes touch, found by a device: the same bits as the CPU's, whatever meets whatever, and whatever becomes of
// the device. Runs on the first OpenCL device there is, PoCL in most cases.

#include "base/random.h"
#include "brittle/brittle.h"
#include "contact/collide_mesh.h"
#include "gpu/gpu_touch.h"
#include "gpu_help.h"
#include "harness.h"
#include "math/rotation.h"
#include "shapes.h"
#include "world/world_state.h"

#include <string.h>

#ifdef BR_HAVE_OPENCL

enum
{
	shapeKinds = 9,
};

// All kinds, in the order of kinds; meshes small and large, with curves and without.
static void makeShapes(brShapeEntry entries[shapeKinds])
{
	static const char* const models[] = {"bowl", "torus", "vase", "bowl"};
	brReport report = {0};
	for (int32_t i = 0; i < shapeKinds; ++i)
	{
		static const brShapeKind kinds[shapeKinds] = {br_shapeHalfSpace, br_shapeSphere, br_shapeCapsule,
													  br_shapeBox,       br_shapeHull,   br_shapeMesh,
													  br_shapeMesh,      br_shapeMesh,   br_shapeSurface};
		brShapeDef def = brDefaultShapeDef(kinds[i]);
		const brDVec3 corners[5] = {
			{0.1, 0.0, 0.0}, {-0.1, 0.05, 0.0}, {-0.1, -0.07, 0.0}, {0.0, 0.0, 0.2}, {0.0, 0.1, 0.1}};
		def.radius = 0.05, def.halfLength = 0.08;
		def.halfExtents = brMakeDVec3(0.1, 0.06, 0.03);
		def.points = corners, def.pointCount = 5;
		brMesh* mesh = i >= 5 ? brShape_Model(models[i - 5], i == 7 ? 40 : 8) : NULL;
		def.mesh = mesh;
		CHECK_RESULT(brCreateShape(NULL, &def, &entries[i].shape, &report), &report);
		brDestroyMesh(mesh);
	}
}

static double drawRange(brRandom* random, double low, double high)
{
	return low + (high - low) * brRandom_Unit(random);
}

static brRelativePose makePose(brRandom* random, const brShape* a, const brShape* b)
{
	brQuat q = {drawRange(random, -1.0, 1.0), drawRange(random, -1.0, 1.0), drawRange(random, -1.0, 1.0),
				drawRange(random, -1.0, 1.0)};
	brMat3 m = brMakeMat3FromQuat(brQuat_Normalize(q));
	double reach = (double)(a->radius + b->radius);
	brDVec3 p = {drawRange(random, -0.7, 0.7) * reach, drawRange(random, -0.7, 0.7) * reach,
				 drawRange(random, -0.7, 0.7) * reach};
	return (brRelativePose){brToVec3(m.cx), brToVec3(m.cy), brToVec3(m.cz), brToVec3(p)};
}

static void keepTouches(const brTouch* touches, int32_t count, brKeptTouches* out)
{
	*out = (brKeptTouches){.count = count};
	for (int32_t i = 0; i < count; ++i)
	{
		brKeptTouch* kept = &out->touches[i];
		kept->normal = touches[i].normal, kept->count = touches[i].count;
		memcpy(kept->separations, touches[i].separations, sizeof(float) * (size_t)kept->count);
		memcpy(kept->ids, touches[i].ids, sizeof(uint32_t) * (size_t)kept->count);
	}
}

static bool areSame(const brTouchAnswer* a, const brTouchAnswer* b)
{
	bool isSame = a->count == b->count && (a->count > 0 || a->touches[0].apart == b->touches[0].apart);
	for (int32_t i = 0; isSame && i < a->count; ++i)
	{
		const brTouch *x = &a->touches[i], *y = &b->touches[i];
		size_t points = (size_t)x->count;
		isSame = x->count == y->count && memcmp(&x->normal, &y->normal, sizeof(brVec3)) == 0 &&
				 memcmp(x->points, y->points, points * sizeof(brVec3)) == 0 &&
				 memcmp(x->separations, y->separations, points * sizeof(float)) == 0 &&
				 memcmp(x->ids, y->ids, points * sizeof(uint32_t)) == 0;
	}
	return isSame;
}

// Random pairs, each asked twice: as new to each other, and a little later with what they touched by.
BR_TEST(gpu_touch_has_the_bits_of_the_cpu)
{
	enum
	{
		most = 400
	};
	brGpu* gpu = openAny();
	brAllocator allocator = brContext_Allocator(NULL);
	brGpuTouch touch;
	brGpuTouch_Init(&touch, gpu, &allocator);
	brTouchDevice device = brGpuTouch_Device(&touch);
	if (device.find == NULL)
	{
		brGpuTouch_Free(&touch);
		brCloseGpu(gpu);
		brTest_Skip("this device leaves contact points of meshes to the CPU");
	}
	brShapeEntry entries[shapeKinds] = {0};
	makeShapes(entries);
	brDynamics dynamics = {0};
	dynamics.shapes.data = entries, dynamics.shapes.count = shapeKinds;
	int32_t count = test->intensity < 0.05 ? 8 : most, touching = 0, several = 0;
	brRandom random = brMakeRandom(test->seed, 31);
	static brTouchQuery queries[most];
	static brTouchAnswer here[most];
	for (int32_t round = 0; round < 2; ++round)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t b = 5 + i % 4, a = (i / 4) % (b + 1 < shapeKinds ? b + 1 : b);
			const brShape *shapeA = entries[a].shape, *shapeB = entries[b].shape;
			brTouchQuery* query = &queries[i];
			query->pose = round == 0 ? makePose(&random, shapeA, shapeB) : query->pose;
			query->pose.p.x += 1e-3f * (float)round;
			query->shapes[0] = (uint64_t)a, query->shapes[1] = (uint64_t)b;
			query->margin = (float)drawRange(&random, 0.0, 0.05);
			query->isRolling = i % 3 == 0, query->isSliding = i % 2 == 0;
			query->isKept = round == 1 && here[i].count > 0;
			keepTouches(here[i].touches, query->isKept ? here[i].count : 0, &query->kept);
			brPairMemory memory = {.isRolling = query->isRolling != 0, .isSliding = query->isSliding != 0};
			here[i].count = brCollideShapes(shapeA, shapeB, &query->pose, query->margin, &memory,
											query->isKept ? &query->kept : NULL, here[i].touches);
			touching += here[i].count > 0;
			several += here[i].count > 1;
		}
		const brTouchAnswer* there = NULL;
		brReport report = {0};
		CHECK_RESULT(device.find(device.user, &dynamics, queries, count, &there, &report), &report);
		for (int32_t i = 0; there != NULL && i < count; ++i)
		{
			CHECK_MESSAGE(areSame(&here[i], &there[i]), "pair %d of round %d", i, round);
		}
	}
	CHECK(touching > count / 4 && (several > count / 20 || count < 100));
	for (int32_t i = 0; i < shapeKinds; ++i)
	{
		brDestroyShape(entries[i].shape);
	}
	brGpuTouch_Free(&touch);
	brCloseGpu(gpu);
}

// Bowls and rings that fall on each other, into a bowl that stands, and on the floor, with a few balls and boxes among
// them.
static brWorld* makeHeap(const brContext* context)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brReport report = {0};
	brWorld* world = BR_MADE(brWorld, brCreateWorld, context, &worldDef);
	brShapeEntry entries[shapeKinds] = {0};
	makeShapes(entries);
	for (int32_t i = 0; i < 14; ++i)
	{
		static const int32_t order[14] = {0, 8, 5, 6, 5, 6, 7, 3, 4, 1, 2, 5, 6, 6};
		brBodyDef def = brDefaultBodyDef();
		def.shape = entries[order[i]].shape;
		def.kind = i < 2 ? br_bodyStatic : br_bodyDynamic;
		def.restitution = i % 4 == 3 ? 0.5 : 0.0;
		def.spin = brMakeDVec3(i % 3, i % 5, 0.0);
		def.pose.p = brMakeDVec3(0.03 * (i % 4), 0.02 * (i % 3), i == 0 ? 0.0 : 0.15 + 0.12 * (double)i);
		CHECK_MESSAGE(brWorld_CreateBody(world, &def, &report).index1 > 0, "%s", report.text);
	}
	for (int32_t i = 0; i < shapeKinds; ++i)
	{
		brDestroyShape(entries[i].shape);
	}
	return world;
}

// A device that answers some times and then no more; counts what was asked.
typedef struct MortalTouch
{
	brTouchDevice works;
	int32_t left, asked, told;
} MortalTouch;

static brResult mortalFind(void* user, const brDynamics* dynamics, brTouchQuery* queries, int32_t count,
						   const brTouchAnswer** outAnswers, brReport* report)
{
	MortalTouch* mortal = user;
	brResult result = mortal->works.find(mortal->works.user, dynamics, queries, count, outAnswers, report);
	mortal->asked += count;
	return mortal->left-- > 0 ? result : brFail(report, br_errorUnavailable, "the device has gone");
}

static void mortalTouchLog(brLogLevel level, const char* text, void* user)
{
	(void)level;
	((MortalTouch*)user)->told += strstr(text, "the device has gone; the CPU") != NULL;
}

static uint64_t playHeap(brWorld* world, int32_t steps)
{
	brReport report = {0};
	for (int32_t i = 0; i < steps; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
	}
	return brWorld_ComputeHash(world);
}

// Worlds of meshes have one hash: here, with a device, with one that is lost on the way, with one that has no room for
// shapes, and with a device that is asked only about many.
BR_TEST(gpu_touch_worlds_have_one_hash)
{
	enum
	{
		steps = 40,
		worlds = 4,
	};
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAny();
	brAllocator allocator = brContext_Allocator(NULL);
	brWorld* here = makeHeap(NULL);
	uint64_t hash = playHeap(here, steps);
	brDestroyWorld(here);
	for (int32_t i = 0; i < worlds; ++i)
	{
		brGpuTouch touch;
		brGpuTouch_Init(&touch, gpu, &allocator);
		MortalTouch mortal = {.works = brGpuTouch_Device(&touch), .left = i == 1 ? 7 : INT32_MAX};
		if (mortal.works.find == NULL)
		{
			brGpuTouch_Free(&touch);
			break;
		}
		brContext context = {.log = mortalTouchLog, .logUser = &mortal};
		brWorld* there = makeHeap(&context);
		there->dynamics.toucher = (brTouchDevice){mortalFind, i == 2 ? INT32_MAX : 1, mortal.works.most, &mortal};
		if (i == 3)
		{
			// Shapes come and go: what is on the device is thrown away in the middle of it all.
			playHeap(there, steps / 2);
			touch.usedBytes = touch.shapes.bytes;
			memset(touch.places.data, 0, sizeof(brGpuShape) * (size_t)touch.places.count);
			CHECK_EQUAL(playHeap(there, steps / 2), hash);
			CHECK(touch.usedBytes < touch.shapes.bytes);
		}
		else
		{
			CHECK_EQUAL(playHeap(there, steps), hash);
		}
		CHECK_EQUAL(mortal.told, i == 1);
		CHECK((there->dynamics.toucher.find == NULL) == (i == 1));
		CHECK((mortal.asked == 0) == (i == 2));
		brDestroyWorld(there);
		brGpuTouch_Free(&touch);
	}
	brCloseGpu(gpu);
}

// A driver that says no: to one kind of call, from some call on and ever after, or to one kernel.
typedef struct Sick
{
	const brOpenCl* well;
	brOpenCl table;
	int32_t left, told;
} Sick;

static Sick sick;

static bool isSick(void)
{
	sick.left -= sick.left > 0 ? 1 : 0;
	return sick.left == 0;
}

static cl_mem CL_API_CALL sickCreate(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* error)
{
	if (isSick())
	{
		*error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		return NULL;
	}
	return sick.well->clCreateBuffer(context, flags, size, host, error);
}

static cl_int CL_API_CALL sickLaunch(cl_command_queue queue, cl_kernel kernel, cl_uint dimension, const size_t* offset,
									 const size_t* global, const size_t* local, cl_uint count, const cl_event* events,
									 cl_event* event)
{
	return isSick() ? CL_OUT_OF_RESOURCES
					: sick.well->clEnqueueNDRangeKernel(queue, kernel, dimension, offset, global, local, count, events,
														event);
}

static cl_int CL_API_CALL sickRead(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking, size_t offset,
								   size_t size, void* to, cl_uint count, const cl_event* events, cl_event* event)
{
	return isSick() ? CL_OUT_OF_HOST_MEMORY
					: sick.well->clEnqueueReadBuffer(queue, buffer, isBlocking, offset, size, to, count, events, event);
}

static cl_int CL_API_CALL sickWrite(cl_command_queue queue, cl_mem buffer, cl_bool isBlocking, size_t offset,
									size_t size, const void* from, cl_uint count, const cl_event* events,
									cl_event* event)
{
	return isSick()
			   ? CL_INVALID_COMMAND_QUEUE
			   : sick.well->clEnqueueWriteBuffer(queue, buffer, isBlocking, offset, size, from, count, events, event);
}

static cl_kernel CL_API_CALL sickKernel(cl_program program, const char* name, cl_int* error)
{
	if (strcmp(name, "brk_meshVisits") == 0)
	{
		*error = CL_OUT_OF_RESOURCES;
		return NULL;
	}
	return sick.well->clCreateKernel(program, name, error);
}

static void sickLog(brLogLevel level, const char* text, void* user)
{
	(void)level, (void)text;
	*(int32_t*)user += 1;
}

// Whatever call of the driver fails, the world goes on as if there had been no device, and somebody is told.
BR_TEST(gpu_touch_worlds_survive_any_call)
{
	enum
	{
		steps = 8,
		kinds = 5,
		last = kinds - 1, // a kernel that is refused
	};
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brWorld* here = makeHeap(NULL);
	uint64_t hash = playHeap(here, steps);
	brDestroyWorld(here);
	for (int32_t i = 0; i < 3 * last + 1; ++i)
	{
		static const int32_t calls[3] = {1, 12, 30};
		int32_t kind = i / 3, told = 0;
		brGpu* gpu = openAny();
		brContext context = {.log = sickLog, .logUser = &told};
		brGpuStages* stages = BR_MADE(brGpuStages, brCreateGpuStages, NULL, gpu);
		brWorld* there = makeHeap(&context);
		brWorld_SetGpuStages(there, stages);
		there->dynamics.finder.fewest = there->dynamics.solver.fewest = 0;
		there->dynamics.toucher.fewest = 1;
		sick = (Sick){.well = gpu->cl, .table = *gpu->cl, .left = calls[i % 3]};
		sick.table.clCreateBuffer = kind == 0 ? sickCreate : gpu->cl->clCreateBuffer;
		sick.table.clEnqueueNDRangeKernel = kind == 1 ? sickLaunch : gpu->cl->clEnqueueNDRangeKernel;
		sick.table.clEnqueueReadBuffer = kind == 2 ? sickRead : gpu->cl->clEnqueueReadBuffer;
		sick.table.clEnqueueWriteBuffer = kind == 3 ? sickWrite : gpu->cl->clEnqueueWriteBuffer;
		sick.table.clCreateKernel = kind == last ? sickKernel : gpu->cl->clCreateKernel;
		gpu->cl = &sick.table;
		CHECK_EQUAL(playHeap(there, steps), hash);
		CHECK_MESSAGE(told > 0, "kind %d from call %d on: nobody was told", kind, calls[i % 3]);
		CHECK(kind != last || (told == 1 && there->dynamics.toucher.find == NULL && brWorld_HasGpuStages(there)));
		gpu->cl = sick.well;
		brDestroyWorld(there);
		brDestroyGpuStages(stages);
		brCloseGpu(gpu);
	}
}

#endif
