// SPDX-License-Identifier: MIT

// Elastic solves on a device: the CPU's bits, whatever the body is like and whatever becomes of the device. Runs on the
// first OpenCL device there is, PoCL in most cases.

#include "base/report.h"
#include "brittle/brittle.h"
#include "elastic/elastic_device.h"
#include "elastic_cases.h"
#include "gpu_help.h"
#include "harness.h"
#include "shapes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

typedef enum BodyKind
{
	body_cracked, // free, with a crack that grows
	body_held,    // some axes, some at a distance
	body_loose,   // so many parts that the last level is smoothed
	body_large,   // so large that the iteration multiplies in float
	body_kindCount,
} BodyKind;

// A simulator of every work item wants few cells and few iterations.
static bool isSimulated(const brTest* test)
{
	return test->intensity < 0.05;
}

static int32_t cellsOf(const brTest* test, BodyKind kind)
{
	return isSimulated(test) ? 2 : kind == body_large ? 16 : 7;
}

static brTetMesh* makeTets(const brTest* test, BodyKind kind)
{
	if (kind != body_loose)
	{
		LatticeAxis axis = makeEvenAxis(0.0, 1.0, cellsOf(test, kind));
		return makeLatticeBlock(&axis, &axis, &axis, 0.12, test->seed);
	}
	enum
	{
		parts = 150
	};
	brDVec3 nodes[4 * parts];
	int32_t tets[parts][4];
	brRandom random = brMakeRandom(test->seed, 5);
	for (int32_t i = 0; i < parts; ++i)
	{
		double at = 2.0 * i, size = brRandom_Range(&random, 0.5, 1.5);
		nodes[4 * i] = brMakeDVec3(at, 0.0, 0.0);
		nodes[4 * i + 1] = brMakeDVec3(at + size, 0.0, 0.0);
		nodes[4 * i + 2] = brMakeDVec3(at, 1.0, 0.0);
		nodes[4 * i + 3] = brMakeDVec3(at, 0.0, size);
		for (int32_t k = 0; k < 4; ++k)
		{
			tets[i][k] = 4 * i + k;
		}
	}
	brTetMeshDef def = brDefaultTetMeshDef();
	def.nodeCount = 4 * parts, def.nodes = nodes;
	def.tetCount = parts, def.tets = (const int32_t(*)[4])tets;
	return BR_MADE(brTetMesh, brCreateTetMesh, NULL, &def);
}

static brElasticBody* makeKind(const brTetMesh* mesh, BodyKind kind)
{
	brElasticDef def = brDefaultElasticDef();
	def.mesh = mesh;
	brReport report = {0};
	brElasticBody* body = BR_MADE(brElasticBody, brCreateElasticBody, NULL, &def);
	if (kind == body_held)
	{
		TestSupports supports = {0};
		holdPlane(&supports, mesh, 0, 0.0, BR_AXIS_X | BR_AXIS_Z);
		holdNode(&supports, mesh->nodeCount - 1, BR_AXIS_Y, brMakeDVec3(0.0, 1e-5, 0.0));
		CHECK_RESULT(brElasticBody_SetSupports(body, NULL, supports.nodes, supports.axes, supports.values,
											   supports.count, &report),
					 &report);
		freeTestSupports(&supports);
	}
	return body;
}

typedef struct Answer
{
	brElasticStats stats;
	brDVec3* displacements; // [nodeCount]
} Answer;

static Answer solveOn(const brTest* test, const brContext* context, brElasticDevice* device, brElasticBody* body,
					  const brTetMesh* mesh, bool isWarm)
{
	// Forces at all nodes, out of balance: what nothing holds is balanced by its own inertia.
	brElasticLoad load = brDefaultElasticLoad();
	int32_t* nodes = malloc((size_t)mesh->nodeCount * sizeof(int32_t));
	brDVec3* forces = malloc((size_t)mesh->nodeCount * sizeof(brDVec3));
	brRandom random = brMakeRandom(3, 4);
	for (int32_t i = 0; i < mesh->nodeCount; ++i)
	{
		nodes[i] = i;
		forces[i] =
			brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), mesh->nodes[i].x, brRandom_Range(&random, -1.0, 1.0));
	}
	load.forceCount = mesh->nodeCount, load.forceNodes = nodes, load.forces = forces;
	brElasticSolveDef def = brDefaultElasticSolveDef();
	def.device = device;
	def.enableWarmStart = isWarm;
	def.maxIterations = isSimulated(test) ? 2 : def.maxIterations;
	Answer answer = {.displacements = malloc((size_t)mesh->nodeCount * sizeof(brDVec3))};
	brReport report = {0};
	CHECK_RESULT(brElasticBody_Solve(body, context, &load, &def, &answer.stats, &report), &report);
	brElasticBody_GetDisplacements(body, answer.displacements);
	free(nodes);
	free(forces);
	return answer;
}

static void checkSameAnswer(const Answer* a, const Answer* b, const brTetMesh* mesh)
{
	CHECK_EQUAL(a->stats.iterations, b->stats.iterations);
	CHECK(a->stats.residual == b->stats.residual);
	CHECK(a->stats.condition == b->stats.condition);
	CHECK(a->stats.energy == b->stats.energy);
	CHECK(memcmp(a->displacements, b->displacements, (size_t)mesh->nodeCount * sizeof(brDVec3)) == 0);
}

// One body on both, as its crack grows.
static void compareKind(const brTest* test, brElasticDevice* device, BodyKind kind)
{
	brTetMesh* mesh = makeTets(test, kind);
	brElasticBody *here = makeKind(mesh, kind), *there = makeKind(mesh, kind);
	brReport report = {0};
	for (int32_t step = 0; step < (kind != body_cracked || isSimulated(test) ? 1 : 3); ++step)
	{
		if (step > 0)
		{
			TestCrack crack = makeSheetCrack(brMakeDVec3(-0.5, -0.5, 0.463), brMakeDVec3(0.6 + 0.25 * step, 0.0, 0.0),
											 brMakeDVec3(0.0, 2.0, 0.0), 7, 9);
			CHECK_RESULT(brElasticBody_SetCracks(here, NULL, &crack.surface, 1, &report), &report);
			CHECK_RESULT(brElasticBody_SetCracks(there, NULL, &crack.surface, 1, &report), &report);
			freeTestCrack(&crack);
		}
		Answer expected = solveOn(test, NULL, NULL, here, mesh, step > 0);
		Answer answer = solveOn(test, NULL, device, there, mesh, step > 0);
		CHECK(answer.stats.isOnDevice && !expected.stats.isOnDevice);
		CHECK(answer.stats.iterations > 1);
		CHECK((answer.stats.levelCount > 1) == (mesh->nodeCount > 32));
		CHECK(kind != body_large || mesh->nodeCount >= 8192 || isSimulated(test));
		checkSameAnswer(&expected, &answer, mesh);
		free(expected.displacements);
		free(answer.displacements);
	}
	brDestroyElasticBody(here);
	brDestroyElasticBody(there);
	brDestroyTetMesh(mesh);
}

static brElasticDevice* makeDevice(brGpu* gpu)
{
	brElasticDevice* device = BR_MADE(brElasticDevice, brCreateGpuElastic, NULL, gpu);
	device->leastRows = 0;
	return device;
}

BR_TEST(gpu_elastic_has_the_bits_of_the_cpu)
{
	brGpu* gpu = openAnyWithDoubles();
	brElasticDevice* device = makeDevice(gpu);
	for (int32_t kind = 0; kind < body_kindCount; ++kind)
	{
		if (isSimulated(test) && kind >= body_loose)
		{
			continue;
		}
		compareKind(test, device, (BodyKind)kind);
	}
	brDestroyGpuElastic(device);
	brCloseGpu(gpu);
}

// Two bodies in turns: each solve finds its own matrix there.
BR_TEST(gpu_elastic_takes_bodies_in_turns)
{
	if (isSimulated(test))
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	brElasticDevice* device = makeDevice(gpu);
	brTetMesh* meshes[2] = {makeTets(test, body_cracked), makeTets(test, body_loose)};
	brElasticBody *here[2], *there[2];
	for (int32_t i = 0; i < 2; ++i)
	{
		here[i] = makeKind(meshes[i], body_cracked), there[i] = makeKind(meshes[i], body_cracked);
	}
	for (int32_t i = 0; i < 4; ++i)
	{
		Answer expected = solveOn(test, NULL, NULL, here[i % 2], meshes[i % 2], false);
		Answer answer = solveOn(test, NULL, device, there[i % 2], meshes[i % 2], false);
		CHECK(answer.stats.isOnDevice && answer.stats.isHierarchyReused == (i > 1));
		checkSameAnswer(&expected, &answer, meshes[i % 2]);
		free(expected.displacements);
		free(answer.displacements);
	}
	for (int32_t i = 0; i < 2; ++i)
	{
		brDestroyElasticBody(here[i]);
		brDestroyElasticBody(there[i]);
		brDestroyTetMesh(meshes[i]);
	}
	brDestroyGpuElastic(device);
	brCloseGpu(gpu);
}

// A device that answers some times and then no more.
typedef struct Mortal
{
	brElasticDevice device;
	brElasticDevice* works;
	int32_t left;
	int32_t told; // sentences in the log
} Mortal;

static brResult mortalAnswer(Mortal* mortal, brResult result, brReport* report)
{
	return mortal->left-- > 0 ? result : brFail(report, br_errorUnavailable, "the device fell off the bus");
}

static brResult mortalHold(brElasticDevice* device, brWorkers* workers, const brBlockMatrix* matrix,
						   brHierarchy* hierarchy, brReport* report)
{
	Mortal* mortal = (Mortal*)device;
	return mortalAnswer(mortal, mortal->works->hold(mortal->works, workers, matrix, hierarchy, report), report);
}

static brResult mortalMultiply(brElasticDevice* device, const brDVec3* x, brDVec3* y, brReport* report)
{
	Mortal* mortal = (Mortal*)device;
	return mortalAnswer(mortal, mortal->works->multiply(mortal->works, x, y, report), report);
}

static brResult mortalBegin(brElasticDevice* device, const brDVec3* load, const brDVec3* x, brReport* report)
{
	Mortal* mortal = (Mortal*)device;
	return mortalAnswer(mortal, mortal->works->begin(mortal->works, load, x, report), report);
}

static brResult mortalResidual(brElasticDevice* device, brDVec3* r, brReport* report)
{
	Mortal* mortal = (Mortal*)device;
	return mortalAnswer(mortal, mortal->works->findResidual(mortal->works, r, report), report);
}

static brResult mortalIterate(brElasticDevice* device, brElasticIteration* iteration, brReport* report)
{
	Mortal* mortal = (Mortal*)device;
	return mortalAnswer(mortal, mortal->works->iterate(mortal->works, iteration, report), report);
}

static brResult mortalSolution(brElasticDevice* device, brDVec3* x, brReport* report)
{
	// What comes back before it dies is garbage.
	Mortal* mortal = (Mortal*)device;
	brResult result = mortal->works->getSolution(mortal->works, x, report);
	x[0].x = mortal->left > 0 ? x[0].x : 1e300;
	return mortalAnswer(mortal, result, report);
}

static void mortalLog(brLogLevel level, const char* text, void* user)
{
	(void)level;
	Mortal* mortal = user;
	mortal->told += strstr(text, "fell off the bus; elastic solves go on on the CPU") != NULL;
}

// hold, begin, iterate, residual, solution, multiply: whichever fails, the answer is the CPU's.
BR_TEST(gpu_elastic_survives_the_device)
{
	if (isSimulated(test))
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	brElasticDevice* works = makeDevice(gpu);
	brTetMesh* mesh = makeTets(test, body_cracked);
	brElasticBody* here = makeKind(mesh, body_cracked);
	Answer expected = solveOn(test, NULL, NULL, here, mesh, false);
	for (int32_t lives = 0; lives < 6; ++lives)
	{
		Mortal mortal = {.device = {.hold = mortalHold,
									.multiply = mortalMultiply,
									.begin = mortalBegin,
									.findResidual = mortalResidual,
									.iterate = mortalIterate,
									.getSolution = mortalSolution},
						 .works = works,
						 .left = lives};
		brContext context = {.log = mortalLog, .logUser = &mortal};
		brElasticBody* there = makeKind(mesh, body_cracked);
		for (int32_t again = 0; again < 2; ++again)
		{
			Answer answer = solveOn(test, &context, &mortal.device, there, mesh, false);
			checkSameAnswer(&expected, &answer, mesh);
			free(answer.displacements);
		}
		CHECK(mortal.device.isLost);
		CHECK_EQUAL(mortal.told, 1);
		CHECK_EQUAL(mortal.device.solves, 1);
		brDestroyElasticBody(there);
	}
	free(expected.displacements);
	brDestroyElasticBody(here);
	brDestroyTetMesh(mesh);
	brDestroyGpuElastic(works);
	brCloseGpu(gpu);
}

static bool cancelNow(double progress, void* user)
{
	(void)progress, (void)user;
	return true;
}

BR_TEST(gpu_elastic_can_be_canceled)
{
	if (isSimulated(test))
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	brElasticDevice* device = makeDevice(gpu);
	brTetMesh* mesh = makeTets(test, body_cracked);
	brElasticBody* body = makeKind(mesh, body_cracked);
	Answer first = solveOn(test, NULL, device, body, mesh, false);
	brContext context = {.cancel = cancelNow};
	brElasticLoad load = brDefaultElasticLoad();
	int32_t node = 0;
	brDVec3 force = {1.0, 0.0, 0.0};
	load.forceCount = 1, load.forceNodes = &node, load.forces = &force;
	brElasticSolveDef def = brDefaultElasticSolveDef();
	def.device = device;
	CHECK_EQUAL(brElasticBody_Solve(body, &context, &load, &def, NULL, NULL), br_errorCanceled);
	CHECK(!device->isLost);
	// It is as good as before.
	Answer again = solveOn(test, NULL, device, body, mesh, false);
	CHECK(again.stats.isOnDevice);
	checkSameAnswer(&first, &again, mesh);
	free(first.displacements);
	free(again.displacements);
	brDestroyElasticBody(body);
	brDestroyTetMesh(mesh);
	brDestroyGpuElastic(device);
	brCloseGpu(gpu);
}

// A brick cracks in a world: its solves are the device's, its pieces the CPU's.
BR_TEST(gpu_elastic_cracks_a_body_of_a_world)
{
	if (isSimulated(test))
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	brReport report = {0};
	brGpuStages* stages = BR_MADE(brGpuStages, brCreateGpuStages, NULL, gpu);
	brMesh* mesh = brShape_Model("brick", 0);
	uint64_t hashes[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh, def.method = br_breakCrack, def.pieces = 2;
		def.material = *brFindMaterial("brick");
		brBodyDef body = brDefaultBodyDef();
		body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.6, 0.8, 0.0), 0.7);
		body.pose.p.z = 0.2;
		body.velocity.z = -9.0;
		CHECK_MESSAGE(brWorld_CreateBreakable(world, &body, &def, &report).index1 != 0, "%s", report.text);
		brWorld_SetGpuStages(world, k == 1 ? stages : NULL);
		if (k == 1)
		{
			world->breaking.elastic->leastRows = 0;
		}
		int32_t breaks = 0;
		for (int32_t i = 0; i < 6 && breaks == 0; ++i)
		{
			int32_t count;
			CHECK_RESULT(brWorld_Step(world, 1.0 / 120.0, &report), &report);
			brWorld_GetBreakEvents(world, &count);
			breaks += count;
		}
		CHECK(breaks > 0);
		CHECK(k == 0 || (world->breaking.elastic->solves > 0 && !world->breaking.elastic->isLost));
		hashes[k] = brWorld_ComputeHash(world);
		brDestroyWorld(world);
	}
	CHECK(hashes[0] == hashes[1]);
	brDestroyMesh(mesh);
	brDestroyGpuStages(stages);
	brCloseGpu(gpu);
}

#endif
