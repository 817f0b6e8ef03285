// SPDX-License-Identifier: MIT

// A world that lives on the CPU with a device that solves its contacts: the same bits, whatever is in it and whatever
// becomes of the device. Runs on the first OpenCL device there is, PoCL in most cases.

#include "brittle/brittle.h"
#include "gpu/gpu_solver.h"
#include "gpu_help.h"
#include "harness.h"
#include "shapes.h"
#include "world/world_state.h"

#include <string.h>

#ifdef BR_HAVE_OPENCL

static brBodyId addKind(brWorld* world, const brShapeDef* shapeDef, brDVec3 place, const brBodyDef* like)
{
	brReport report = {0};
	brShape* shape = BR_MADE(brShape, brCreateShape, NULL, shapeDef);
	brBodyDef def = like != NULL ? *like : brDefaultBodyDef();
	def.shape = shape;
	def.pose.p = place;
	brBodyId id = brWorld_CreateBody(world, &def, &report);
	CHECK_MESSAGE(id.index1 > 0, "%s", report.text);
	brDestroyShape(shape);
	return id;
}

// Every kind of body, some that bounce, roll, and do not meet others; a concave mesh, a surface, and joints of each
// kind if asked for.
static brWorld* makeMixture(const brContext* context, bool withJoints)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = BR_MADE(brWorld, brCreateWorld, context, &worldDef);
	brBodyDef still = brDefaultBodyDef(), lively = brDefaultBodyDef();
	still.kind = br_bodyStatic;
	lively.restitution = 0.6;
	lively.rolling = 0.1;
	brShapeDef def = brDefaultShapeDef(br_shapeHalfSpace);
	addKind(world, &def, brMakeDVec3(0.0, 0.0, 0.0), &still);
	brMesh* bowl = brShape_Model("bowl", 8);
	def = brDefaultShapeDef(br_shapeSurface);
	def.mesh = bowl;
	addKind(world, &def, brMakeDVec3(0.0, 0.0, 0.3), &still);
	def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = bowl;
	addKind(world, &def, brMakeDVec3(0.02, 0.0, 0.45), NULL);
	brDestroyMesh(bowl);
	def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents = brMakeDVec3(0.1, 0.07, 0.05);
	brBodyId boxes[4];
	for (int32_t i = 0; i < 4; ++i)
	{
		boxes[i] = addKind(world, &def, brMakeDVec3(1.0 + 0.01 * i, 0.0, 0.06 + 0.11 * i), NULL);
	}
	def = brDefaultShapeDef(br_shapeCapsule);
	def.radius = 0.05, def.halfLength = 0.1;
	lively.spin = brMakeDVec3(3.0, 1.0, -2.0);
	addKind(world, &def, brMakeDVec3(1.0, 0.05, 0.6), &lively);
	def = brDefaultShapeDef(br_shapeSphere);
	def.radius = 0.06;
	lively.velocity = brMakeDVec3(4.0, 0.0, -3.0);
	brBodyId ball = addKind(world, &def, brMakeDVec3(0.7, 0.0, 0.3), &lively);
	lively.category = 2, lively.collidesWith = 1;
	addKind(world, &def, brMakeDVec3(0.7, 0.02, 0.45), &lively);
	if (withJoints)
	{
		brJointDef joint = brDefaultJointDef();
		joint.kind = br_jointHinge;
		joint.bodyA = boxes[2], joint.bodyB = boxes[3];
		joint.anchor = brMakeDVec3(1.0, 0.0, 0.33);
		joint.axis = brMakeDVec3(0.0, 1.0, 0.0);
		joint.enableMotor = true, joint.motorSpeed = 2.0, joint.motorTorque = 5.0;
		CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 > 0);
		joint = brDefaultJointDef();
		joint.bodyA = boxes[0], joint.bodyB = ball;
		joint.anchor = brMakeDVec3(0.8, 0.0, 0.2);
		CHECK(brWorld_CreateJoint(world, &joint, NULL).index1 > 0);
	}
	return world;
}

// A board that carries more balls than there are colors, so that some contacts are solved one after the other.
static brWorld* makeTray(const brContext* context)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = BR_MADE(brWorld, brCreateWorld, context, &worldDef);
	brBodyDef still = brDefaultBodyDef();
	still.kind = br_bodyStatic;
	brShapeDef def = brDefaultShapeDef(br_shapeHalfSpace);
	addKind(world, &def, brMakeDVec3(0.0, 0.0, 0.0), &still);
	def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents = brMakeDVec3(1.0, 1.0, 0.05);
	addKind(world, &def, brMakeDVec3(0.0, 0.0, 0.05), NULL);
	def = brDefaultShapeDef(br_shapeSphere);
	def.radius = 0.05;
	for (int32_t i = 0; i < 81; ++i)
	{
		addKind(world, &def, brMakeDVec3(0.2 * (i % 9) - 0.8, 0.2 * (i / 9) - 0.8, 0.15), NULL);
	}
	return world;
}

typedef struct Stages
{
	uint64_t hash;
	brEnergyBooks books;
	int32_t overflow, bounces; // the most of any step; steps in which something could bounce
} Stages;

static Stages playStages(brWorld* world, int32_t steps)
{
	brReport report = {0};
	Stages played = {0};
	for (int32_t i = 0; i < steps; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
		int32_t overflow = world->dynamics.stats.overflow;
		played.overflow = overflow > played.overflow ? overflow : played.overflow;
		played.bounces += world->dynamics.step.hasBounces;
	}
	played.hash = brWorld_ComputeHash(world);
	played.books = world->dynamics.books;
	return played;
}

// On the CPU, by one group, by a launch for each color.
BR_TEST(gpu_stages_have_the_bits_of_the_cpu)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAny();
	brAllocator allocator = brContext_Allocator(NULL);
	brGpuSolver solver;
	brGpuSolver_Init(&solver, gpu, &allocator);
	for (int32_t kind = 0; kind < 3; ++kind)
	{
		Stages played[3];
		for (int32_t k = 0; k < 3; ++k)
		{
			brWorld* world = kind == 2 ? makeTray(NULL) : makeMixture(NULL, kind == 1);
			solver.fewBlocks = k == 1 ? INT32_MAX : 0;
			world->dynamics.solver = k > 0 ? brGpuSolver_Device(&solver) : (brSolverDevice){0};
			// A launch costs a processor as much as the work of many.
			played[k] = playStages(world, kind == 2 ? 4 : 20);
			CHECK(k == 0 || world->dynamics.solver.begin != NULL);
			brDestroyWorld(world);
		}
		CHECK_EQUAL(played[0].hash, played[1].hash);
		CHECK_EQUAL(played[0].hash, played[2].hash);
		// Steps with hits and tops are booked by substep on the CPU, as a whole with a device.
		for (int32_t k = 1; k < 3 && kind == 2; ++k)
		{
			CHECK(memcmp(&played[0].books, &played[k].books, sizeof(brEnergyBooks)) == 0);
		}
		CHECK(kind != 2 || played[0].overflow > 0);
		CHECK(kind == 2 || played[0].bounces > 0);
	}
	brGpuSolver_Free(&solver);
	brCloseGpu(gpu);
}

// A device that answers some times and then no more.
typedef struct Mortal
{
	brSolverDevice works;
	int32_t left;
	int32_t told; // sentences in the log
} Mortal;

static bool mortalBegin(void* user, const brDynamics* dynamics, const brStepTime* time)
{
	Mortal* mortal = user;
	return mortal->works.begin(mortal->works.user, dynamics, time);
}

static bool mortalPass(void* user, brSolverPass pass)
{
	Mortal* mortal = user;
	return mortal->works.pass(mortal->works.user, pass);
}

static bool mortalSend(void* user, const brDynamics* dynamics, brSolverPart part)
{
	Mortal* mortal = user;
	return mortal->works.send(mortal->works.user, dynamics, part);
}

static bool mortalFetch(void* user, brDynamics* dynamics, brSolverPart part)
{
	Mortal* mortal = user;
	bool isDone = mortal->works.fetch(mortal->works.user, dynamics, part);
	return isDone && mortal->left-- > 0;
}

static bool mortalFetchHits(void* user, brDynamics* dynamics, bool* outIsAny)
{
	Mortal* mortal = user;
	return mortal->works.fetchHits(mortal->works.user, dynamics, outIsAny);
}

static void mortalLog(brLogLevel level, const char* text, void* user)
{
	(void)level;
	Mortal* mortal = user;
	mortal->told += strstr(text, "device") != NULL;
}

BR_TEST(gpu_stages_survive_the_device)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAny();
	brAllocator allocator = brContext_Allocator(NULL);
	brGpuSolver solver;
	brGpuSolver_Init(&solver, gpu, &allocator);
	for (int32_t k = 0; k < 2; ++k)
	{
		Mortal mortal = {.works = brGpuSolver_Device(&solver), .left = k == 0 ? 3 : 17};
		brContext context = {.log = mortalLog, .logUser = &mortal};
		brWorld *here = makeMixture(NULL, k == 1), *there = makeMixture(&context, k == 1);
		there->dynamics.solver =
			(brSolverDevice){mortalBegin, mortalPass, mortalSend, mortalFetch, mortalFetchHits, 0, &mortal};
		CHECK_EQUAL(playStages(here, 10).hash, playStages(there, 10).hash);
		CHECK(there->dynamics.solver.begin == NULL);
		CHECK_EQUAL(mortal.told, 1);
		brDestroyWorld(here);
		brDestroyWorld(there);
	}
	brGpuSolver_Free(&solver);
	brCloseGpu(gpu);
}

#endif
