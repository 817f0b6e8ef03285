// SPDX-License-Identifier: MIT

// Bodies that step on a device: closed forms, stacks, momentum, energy, the same bits again, and the CPU beside them.
// Runs on the first OpenCL device there is, PoCL in most cases.

#include "base/hash.h"
#include "brittle/brittle.h"
#include "gpu/gpu_world.h"
#include "gpu_help.h"
#include "harness.h"
#include "mesh_scenes.h"
#include "random_scene.h"
#include "world/world_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_OPENCL

static brWorld* makeWorld(brDVec3 gravity)
{
	brWorldDef def = brDefaultWorldDef();
	def.gravity = gravity;
	def.enableSleep = false;
	return BR_MADE(brWorld, brCreateWorld, NULL, &def);
}

static brShape* makeShape(brShapeKind kind, double size)
{
	brShapeDef def = brDefaultShapeDef(kind);
	def.radius = size;
	def.halfExtents = brMakeDVec3(size, size, size);
	// A wedge, so that hulls are no boxes.
	const brDVec3 points[6] = {{-size, -size, -size}, {size, -size, -size}, {size, size, -size},
							   {-size, size, -size},  {-size, 0.0, size},   {size, 0.0, size}};
	def.points = points, def.pointCount = 6;
	return BR_MADE(brShape, brCreateShape, NULL, &def);
}

static brBodyId addBody(brWorld* world, const brShape* shape, brDVec3 place, const brBodyDef* like)
{
	brBodyDef def = like != NULL ? *like : brDefaultBodyDef();
	def.shape = shape;
	def.pose.p = place;
	brReport report = {0};
	brBodyId id = brWorld_CreateBody(world, &def, &report);
	CHECK_MESSAGE(id.index1 > 0, "%s", report.text);
	return id;
}

static void addFloor(brWorld* world, const brBodyDef* like)
{
	brShape* floor = makeShape(br_shapeHalfSpace, 1.0);
	brBodyDef def = like != NULL ? *like : brDefaultBodyDef();
	def.kind = br_bodyStatic;
	addBody(world, floor, brMakeDVec3(0.0, 0.0, 0.0), &def);
	brDestroyShape(floor);
}

// Steps on the device and brings the result back.
// `solveGroups` solve in one launch, -1: as it is chosen for the device.
static void runStepsBy(brGpu* gpu, brWorld* world, int32_t steps, double dt, int32_t solveGroups)
{
	brReport report = {0};
	brGpuWorld* device = BR_MADE(brGpuWorld, brCreateGpuWorld, NULL, gpu, world);
	device->solveGroups = solveGroups >= 0 ? solveGroups : device->solveGroups;
	for (int32_t i = 0; i < steps; ++i)
	{
		CHECK_RESULT(brGpuWorld_Step(device, dt, &report), &report);
	}
	CHECK_RESULT(brGpuWorld_Download(device, world, &report), &report);
	brDestroyGpuWorld(device);
}

static void runSteps(brGpu* gpu, brWorld* world, int32_t steps, double dt)
{
	runStepsBy(gpu, world, steps, dt, -1);
}

BR_TEST(gpu_step_falls_and_spins_freely)
{
	brGpu* gpu = openAnyWithDoubles();
	brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
	brShape* wedge = makeShape(br_shapeHull, 0.5);
	brBodyDef def = brDefaultBodyDef();
	def.velocity = brMakeDVec3(1.0, 2.0, 3.0);
	def.spin = brMakeDVec3(2.0, 0.3, -1.0);
	brBodyId id = addBody(world, wedge, brMakeDVec3(0.0, 0.0, 50.0), &def);
	brDVec3 start = brWorld_GetCenter(world, id);
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	double seconds = test->intensity < 0.05 ? 1.0 / 60.0 : 1.0; // a simulator is slow
	runSteps(gpu, world, (int32_t)(60.0 * seconds + 0.5), 1.0 / 60.0);
	// The parabola to rounding, angular momentum about the center likewise, energy to second order.
	brDVec3 at = brWorld_GetCenter(world, id);
	CHECK_NEAR(at.x, start.x + seconds, 1e-12);
	CHECK_NEAR(at.z, start.z + 3.0 * seconds - 5.0 * seconds * seconds, 1e-11);
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK_NEAR(after.kinetic + after.potential, before.kinetic + before.potential, 1e-4 * before.kinetic);
	brDVec3 velocity = brWorld_GetVelocity(world, id);
	CHECK_NEAR(velocity.z, 3.0 - 10.0 * seconds, 1e-12);
	double mass = brWorld_GetMass(world, id);
	brDVec3 spinBefore = brDSub(before.angularMomentum, brDMul(mass, brDCross(start, brMakeDVec3(1.0, 2.0, 3.0))));
	brDVec3 spinAfter = brDSub(after.angularMomentum, brDMul(mass, brDCross(at, velocity)));
	CHECK(brDDistance(spinBefore, spinAfter) < 1e-6 * brDLength(spinBefore));
	brDestroyShape(wedge);
	brDestroyWorld(world);
	brCloseGpu(gpu);
}

// A box on a slope: stays below the friction angle, beyond it slides with g (sin - mu cos).
BR_TEST(gpu_step_slides_on_a_slope)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	for (int32_t k = 0; k < 2; ++k)
	{
		double mu = 0.5, slope = k == 0 ? 0.4 : 0.6; // atan 0.5 is 0.4636
		brWorld* world = makeWorld(brMakeDVec3(10.0 * sin(slope), 0.0, -10.0 * cos(slope)));
		brShape* box = makeShape(br_shapeBox, 0.5);
		brBodyDef def = brDefaultBodyDef();
		def.friction = mu;
		addFloor(world, &def);
		brBodyId id = addBody(world, box, brMakeDVec3(0.0, 0.0, 0.5), &def);
		int32_t steps = 60;
		runSteps(gpu, world, steps, 1.0 / 60.0);
		double expected = k == 0 ? 0.0 : 10.0 * (sin(slope) - mu * cos(slope)) * steps / 60.0;
		CHECK_NEAR(brWorld_GetVelocity(world, id).x, expected, k == 0 ? 1e-3 : 0.03 * expected + 0.01);
		CHECK_NEAR(brWorld_GetCenter(world, id).z, 0.5, 2e-3);
		brDestroyShape(box);
		brDestroyWorld(world);
	}
	brCloseGpu(gpu);
}

BR_TEST(gpu_step_bounces_as_high_as_it_should)
{
	brGpu* gpu = openAnyWithDoubles();
	brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
	brShape* ball = makeShape(br_shapeSphere, 0.25);
	brBodyDef def = brDefaultBodyDef();
	def.restitution = 0.5;
	addFloor(world, &def);
	brBodyId id = addBody(world, ball, brMakeDVec3(0.0, 0.0, 0.26), &def);
	brWorld_SetVelocity(world, id, brMakeDVec3(0.0, 0.0, -4.0), brMakeDVec3(0.0, 0.0, 0.0));
	runSteps(gpu, world, 1, 1.0 / 60.0);
	double speed = sqrt(16.0 + 2.0 * 10.0 * 0.01);
	CHECK_NEAR(brWorld_GetVelocity(world, id).z, 0.5 * speed, 0.15);
	brDestroyShape(ball);
	brDestroyWorld(world);
	brCloseGpu(gpu);
}

BR_TEST(gpu_step_holds_a_stack)
{
	brGpu* gpu = openAnyWithDoubles();
	int32_t height = test->intensity < 0.05 ? 1 : 8, steps = test->intensity < 0.05 ? 1 : 240;
	brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
	brShape* box = makeShape(br_shapeBox, 0.5);
	addFloor(world, NULL);
	brBodyId ids[8];
	for (int32_t i = 0; i < height; ++i)
	{
		ids[i] = addBody(world, box, brMakeDVec3(0.0, 0.0, 0.5 + i), NULL);
	}
	runSteps(gpu, world, steps, 1.0 / 60.0);
	brDVec3 before[8];
	for (int32_t i = 0; i < height; ++i)
	{
		before[i] = brWorld_GetCenter(world, ids[i]);
		CHECK_NEAR(before[i].z, 0.5 + i, 0.02);
		CHECK_NEAR(before[i].x, 0.0, 0.01);
	}
	runSteps(gpu, world, steps / 2, 1.0 / 60.0);
	for (int32_t i = 0; i < height; ++i)
	{
		CHECK(brDDistance(before[i], brWorld_GetCenter(world, ids[i])) < 1e-3);
	}
	brDestroyShape(box);
	brDestroyWorld(world);
	brCloseGpu(gpu);
}

// Bodies of all kinds in a cloud that flies together. A few are so near that they touch.
static brWorld* makeCloud(brRandom* random, int32_t count, brDVec3 gravity, bool hasFloor)
{
	double spacing = count < 10 ? 0.75 : 1.45;
	brWorld* world = makeWorld(gravity);
	brShape* shapes[3] = {makeShape(br_shapeSphere, 0.4), makeShape(br_shapeBox, 0.4), makeShape(br_shapeHull, 0.4)};
	brBodyDef def = brDefaultBodyDef();
	if (hasFloor)
	{
		addFloor(world, NULL);
	}
	int32_t side = 1;
	while (side * side * side < count)
	{
		++side;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		double jitter = brRandom_Range(random, -0.05, 0.05);
		brDVec3 place = {spacing * (i % side) + jitter, spacing * (i / side % side) - jitter,
						 1.0 + spacing * (i / side / side)};
		brDVec3 inward = brDMul(-0.7, brDSub(place, brMakeDVec3(0.7 * side, 0.7 * side, 1.0 + 0.7 * side)));
		def.velocity = inward;
		def.spin = brMakeDVec3(brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0), 0.0);
		def.pose.q = brQuat_Normalize((brQuat){brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
											   brRandom_Range(random, -1.0, 1.0), 2.0});
		addBody(world, shapes[i % 3], place, &def);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	return world;
}

BR_TEST(gpu_step_keeps_momentum_and_never_gains_energy)
{
	brGpu* gpu = openAnyWithDoubles();
	brRandom random = brTest_Random(test);
	bool isShort = test->intensity < 0.05;
	int32_t count = isShort ? 6 : 64, steps = isShort ? 1 : 90;
	brWorld* world = makeCloud(&random, count, brMakeDVec3(0.0, 0.0, 0.0), false);
	brWorldEnergy start = brWorld_ComputeEnergy(world);
	brReport report = {0};
	brGpuWorld* device = BR_MADE(brGpuWorld, brCreateGpuWorld, NULL, gpu, world);
	double energy = start.kinetic, mass = 0.0;
	int32_t contacts = 0;
	brBodyId ids[64];
	for (int32_t i = brWorld_GetBodies(world, ids, 64) - 1; i >= 0; --i)
	{
		mass += brWorld_GetMass(world, ids[i]);
	}
	for (int32_t i = 0; i < steps; ++i)
	{
		CHECK_RESULT(brGpuWorld_Step(device, 1.0 / 60.0, &report), &report);
		CHECK_RESULT(brGpuWorld_Download(device, world, &report), &report);
		brWorldEnergy now = brWorld_ComputeEnergy(world);
		// What pushing overlap out may leave behind, as in docs/world.md.
		CHECK_MESSAGE(isShort || now.kinetic <= energy + 2e-3 * start.kinetic, "step %d: %g after %g", i, now.kinetic,
					  energy);
		energy = now.kinetic;
		contacts += brGpuWorld_GetStats(device).contacts;
		// Impulses are equal and opposite in float.
		double scale = sqrt(2.0 * fmax(now.kinetic, start.kinetic) * mass);
		CHECK(brDDistance(now.momentum, start.momentum) < 1e-5 * scale);
	}
	CHECK(isShort || (contacts > steps && energy < 0.9 * start.kinetic));
	CHECK_EQUAL(brGpuWorld_GetStats(device).setAside, 0);
	brDestroyGpuWorld(device);
	brDestroyWorld(world);
	brCloseGpu(gpu);
}

// The same again, by a launch for each color, by one launch of one group, and by one of groups that may not run side by
// side: those wait for each other in vain on a processor, and the step is made again by launches.
BR_TEST(gpu_step_gives_the_same_bits_again)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	const int32_t groups[4] = {-1, 0, 1, 1000};
	uint64_t hashes[4];
	for (int32_t k = 0; k < 4; ++k)
	{
		brRandom random = brMakeRandom(17, 0);
		brWorld* world = makeCloud(&random, 125, brMakeDVec3(0.0, 0.0, -10.0), true);
		runStepsBy(gpu, world, 60, 1.0 / 60.0, groups[k]);
		hashes[k] = BR_HASH_SEED;
		brBodyId ids[200];
		int32_t count = brWorld_GetBodies(world, ids, 200);
		for (int32_t i = 0; i < count; ++i)
		{
			brTransform pose = brWorld_GetPose(world, ids[i]);
			hashes[k] = brHashBytes(hashes[k], &pose, sizeof(pose));
		}
		brDestroyWorld(world);
		CHECK_MESSAGE(hashes[k] == hashes[0], "with %d groups", groups[k]);
	}
	brCloseGpu(gpu);
}

// A pile that comes to rest as it does on the CPU: nobody below the floor, the same middle height.
BR_TEST(gpu_step_piles_up_like_the_cpu)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	double heights[2] = {0.0, 0.0};
	for (int32_t k = 0; k < 2; ++k)
	{
		brRandom random = brMakeRandom(23, 0);
		brWorld* world = makeCloud(&random, 64, brMakeDVec3(0.0, 0.0, -10.0), true);
		brReport report = {0};
		if (k == 0)
		{
			runSteps(gpu, world, 180, 1.0 / 60.0);
		}
		for (int32_t i = 0; k == 1 && i < 180; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
		}
		brBodyId ids[100];
		int32_t count = brWorld_GetBodies(world, ids, 100);
		for (int32_t i = 1; i < count; ++i)
		{
			brDVec3 at = brWorld_GetCenter(world, ids[i]);
			CHECK(at.z > 0.1);
			heights[k] += at.z / (count - 1);
		}
		brDestroyWorld(world);
	}
	CHECK_NEAR(heights[0], heights[1], 0.15);
	brCloseGpu(gpu);
}

BR_TEST(gpu_step_refuses_what_it_cannot_do)
{
	brGpu* gpu = openAnyWithDoubles();
	brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
	brShape* box = makeShape(br_shapeBox, 0.5);
	brJointDef def = brDefaultJointDef();
	def.bodyA = addBody(world, box, brMakeDVec3(0.0, 0.0, 1.0), NULL);
	def.bodyB = addBody(world, box, brMakeDVec3(0.0, 0.0, 3.0), NULL);
	CHECK(brWorld_CreateJoint(world, &def, NULL).index1 > 0);
	brGpuWorld* device = NULL;
	brReport report = {0};
	CHECK_EQUAL(brCreateGpuWorld(NULL, gpu, world, &device, &report), br_errorUnavailable);
	CHECK(device == NULL && strstr(report.text, "joints") != NULL);
	brDestroyShape(box);
	brDestroyWorld(world);
	brCloseGpu(gpu);
}

// What may not meet passes through, what only tells touches nothing.
BR_TEST(gpu_step_lets_pass_what_may_not_meet)
{
	brGpu* gpu = openAnyWithDoubles();
	brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
	brShape* ball = makeShape(br_shapeSphere, 0.25);
	brBodyDef def = brDefaultBodyDef();
	addFloor(world, NULL);
	brBodyId rests = addBody(world, ball, brMakeDVec3(0.0, 0.0, 0.25), NULL);
	def.collidesWith = 2;
	brBodyId falls = addBody(world, ball, brMakeDVec3(1.0, 0.0, 0.25), &def);
	def = brDefaultBodyDef();
	def.isSensor = true;
	brBodyId tells = addBody(world, ball, brMakeDVec3(0.0, 0.0, 0.4), &def);
	runSteps(gpu, world, test->intensity < 0.05 ? 1 : 30, 1.0 / 60.0);
	CHECK_NEAR(brWorld_GetCenter(world, rests).z, 0.25, 2e-3);
	double way = test->intensity < 0.05 ? 0.5 * 10.0 / 3600.0 : 0.5 * 10.0 * 0.25;
	CHECK_NEAR(brWorld_GetCenter(world, falls).z, 0.25 - way, 1e-9);
	CHECK_NEAR(brWorld_GetCenter(world, tells).z, 0.4 - way, 1e-9);
	brDestroyShape(ball);
	brDestroyWorld(world);
	brCloseGpu(gpu);
}

// A ball with rolling resistance c on a floor is slowed by 5/7 c g, as on the CPU.
BR_TEST(gpu_step_slows_what_rolls)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	double speeds[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
		brShape* ball = makeShape(br_shapeSphere, 0.25);
		brBodyDef def = brDefaultBodyDef();
		def.friction = 1.0, def.rolling = 0.05;
		addFloor(world, &def);
		def.velocity = brMakeDVec3(1.0, 0.0, 0.0), def.spin = brMakeDVec3(0.0, 4.0, 0.0);
		brBodyId id = addBody(world, ball, brMakeDVec3(0.0, 0.0, 0.25), &def);
		for (int32_t i = 0; k == 1 && i < 60; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		if (k == 0)
		{
			runSteps(gpu, world, 60, 1.0 / 60.0);
		}
		speeds[k] = brWorld_GetVelocity(world, id).x;
		brDestroyShape(ball);
		brDestroyWorld(world);
	}
	CHECK_NEAR(speeds[0], 1.0 - 5.0 / 7.0 * 0.05 * 10.0, 0.02);
	CHECK_NEAR(speeds[0], speeds[1], 0.01);
	brCloseGpu(gpu);
}

// Capsules, and meshes beside all other kinds: they come to rest as on the CPU, nobody below the floor, and the same
// bits again.
static brWorld* makeMixedPile(int32_t count)
{
	brWorld* world = makeWorld(brMakeDVec3(0.0, 0.0, -10.0));
	brShape* shapes[4] = {brScene_MeshModel("bowl", 8, 0.5, true), makeShape(br_shapeBox, 0.15),
						  makeShape(br_shapeCapsule, 0.12), brScene_MeshModel("torus", 8, 0.5, true)};
	addFloor(world, NULL);
	brBodyDef wall = brDefaultBodyDef();
	wall.kind = br_bodyStatic;
	for (int32_t i = 0; i < 4; ++i)
	{
		brShapeDef plane = brDefaultShapeDef(br_shapeHalfSpace);
		plane.normal = brMakeDVec3(i < 2 ? 1.0 - 2.0 * i : 0.0, i < 2 ? 0.0 : 5.0 - 2.0 * i, 0.0);
		plane.offset = -0.5;
		brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &plane);
		addBody(world, shape, brMakeDVec3(0.0, 0.0, 0.0), &wall);
		brDestroyShape(shape);
	}
	brRandom random = brMakeRandom(5, 0);
	for (int32_t i = 0; i < count; ++i)
	{
		brBodyDef def = brDefaultBodyDef();
		def.pose.q = brQuat_Normalize((brQuat){brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
											   brRandom_Range(&random, -1.0, 1.0), 1.0});
		addBody(world, shapes[i % 4], brMakeDVec3(0.4 * (i % 2) - 0.2, 0.4 * (i / 2 % 2) - 0.2, 0.4 + 0.4 * (i / 4)),
				&def);
	}
	for (int32_t i = 0; i < 4; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	return world;
}

BR_TEST(gpu_step_piles_up_meshes_and_capsules)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brGpu* gpu = openAnyWithDoubles();
	double heights[3] = {0.0, 0.0, 0.0}, kinetic[3];
	for (int32_t k = 0; k < 3; ++k)
	{
		brWorld* world = makeMixedPile(20);
		if (k < 2)
		{
			runSteps(gpu, world, 120, 1.0 / 60.0);
		}
		for (int32_t i = 0; k == 2 && i < 120; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		brBodyId ids[32];
		int32_t count = brWorld_GetBodies(world, ids, 32);
		for (int32_t i = 5; i < count; ++i)
		{
			brDVec3 at = brWorld_GetCenter(world, ids[i]);
			CHECK_MESSAGE(at.z > 0.04 && fabs(at.x) < 0.5 && fabs(at.y) < 0.5, "body %d at %g %g %g", i, at.x, at.y,
						  at.z);
			heights[k] += at.z / (count - 5);
		}
		kinetic[k] = brWorld_ComputeEnergy(world).kinetic / brWorld_ComputeEnergy(world).potential;
		brDestroyWorld(world);
	}
	CHECK(heights[0] == heights[1] && kinetic[0] == kinetic[1]);
	CHECK_NEAR(heights[0], heights[2], 0.1);
	CHECK_MESSAGE(kinetic[0] < 0.01, "still moves: %g", kinetic[0]);
	brCloseGpu(gpu);
}

static brRun* playOn(brGpu* gpu, const char* text, int32_t frames, brScene** outScene)
{
	brReport report = {0};
	brRun* run = NULL;
	CHECK_RESULT(brReadScene(NULL, text, strlen(text), NULL, NULL, outScene, &report), &report);
	CHECK_RESULT(brCreateRun(NULL, *outScene, &run, &report), &report);
	CHECK_RESULT(brRun_SetDevice(run, gpu, &report), &report);
	for (int32_t i = 0; i < frames; ++i)
	{
		CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
	}
	return run;
}

// What breaks lives on the CPU, and the device finds its pairs and solves its contacts: the same hash.
BR_TEST(gpu_run_of_what_breaks_has_the_hash_of_the_cpu)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	static const char scene[] =
		"duration: 1\nseed: 3\nground: concrete\nbodies:\n"
		"  - {name: glass, model: {make: wine_glass, res: 16}, material: glass, position: [0, 0, 1.0], rotation: [60, "
		"0, 0],\n"
		"     velocity: [0, 0, -2], fracture: {method: shatter, pieces: 20}}\n"
		"  - {name: bowl, model: bowl, material: porcelain, position: [-0.6, 0, 0.3], velocity: [0, 0, -4],\n"
		"     fracture: {method: shatter, pattern: uniform, pieces: 30}}\n"
		"  - {name: brick, model: {make: brick, res: 4}, material: brick, position: [0.5, 0, 0],\n"
		"     repeat: {grid: [2, 1, 3], spacing: [0.22, 0.1, 0.066], stagger: 0.5}}\n";
	brGpu* gpu = openAnyWithDoubles();
	uint64_t hashes[2];
	for (int32_t k = 0; k < 2; ++k)
	{
		brScene* loaded = NULL;
		brRun* run = playOn(k == 0 ? gpu : NULL, scene, 30, &loaded);
		hashes[k] = brWorld_ComputeHash(brRun_GetWorld(run));
		CHECK(brRun_GetBreakCount(run) > 0);
		int32_t count;
		brRun_GetSteps(run, &count);
		CHECK_EQUAL(brRun_GetDeviceStepCount(run), k == 0 ? count : 0);
		CHECK_EQUAL(brRun_GetDeviceBreakCount(run) > 0, k == 0);
		brDestroyRun(run);
		brDestroyScene(loaded);
	}
	CHECK(hashes[0] == hashes[1]);
	brCloseGpu(gpu);
}

// A wall of bricks that do not break and a ball that is thrown at it: all steps are the device's, across the event too.
BR_TEST(gpu_run_of_convex_bodies_is_the_device_s)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	static const char scene[] =
		"duration: 1\nground: concrete\nbodies:\n"
		"  - {name: brick, model: {make: box, res: 1, with: {width: 0.2, depth: 0.1, height: 0.1}}, shape: box, "
		"position: [0, 0, 0.0],\n"
		"     repeat: {grid: [3, 1, 4], spacing: [0.21, 0.1, 0.1], stagger: 0.5}}\n"
		"events:\n"
		"  - {at: 0.3, throw: {name: ball, model: {make: icosphere, res: 3, with: {diameter: 0.15}}, shape: sphere,\n"
		"     position: [0.3, -1, 0.2], velocity: [0, 8, 0]}}\n";
	brGpu* gpu = openAnyWithDoubles();
	double heights[2] = {0.0, 0.0}, before[2] = {0.0, 0.0};
	for (int32_t k = 0; k < 2; ++k)
	{
		brScene* loaded = NULL;
		brReport report = {0};
		brRun* run = playOn(k == 0 ? gpu : NULL, scene, 15, &loaded);
		before[k] = brWorld_ComputeEnergy(brRun_GetWorld(run)).potential;
		for (int32_t i = 0; i < 45; ++i)
		{
			CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
		}
		heights[k] = brWorld_ComputeEnergy(brRun_GetWorld(run)).potential;
		int32_t count;
		brRun_GetSteps(run, &count);
		CHECK_EQUAL(brRun_GetDeviceStepCount(run), k == 0 ? count : 0);
		brDestroyRun(run);
		brDestroyScene(loaded);
	}
	// The wall stands alike; hit, it comes down alike: a collapse is chaotic, its energy is not.
	CHECK_NEAR(before[0], before[1], 0.01 * before[1]);
	CHECK_NEAR(heights[0], heights[1], 0.25 * before[1]);
	CHECK(heights[0] < 0.95 * before[0]);
	brCloseGpu(gpu);
}

static struct
{
	const brOpenCl* well;
	brOpenCl table;
	int32_t left; // launches before it fails
} lostDevice;

static cl_int CL_API_CALL lostLaunch(cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t* offset,
									 const size_t* global, const size_t* local, cl_uint count, const cl_event* events,
									 cl_event* event)
{
	lostDevice.left -= 1;
	return lostDevice.left < 0 ? CL_OUT_OF_RESOURCES
							   : lostDevice.well->clEnqueueNDRangeKernel(queue, kernel, axes, offset, global, local,
																		 count, events, event);
}

static void lostLog(brLogLevel level, const char* text, void* user)
{
	*(int32_t*)user += level == br_logWarning && strstr(text, "the CPU goes on") != NULL;
}

// A device that goes away under a world that lives on it: the CPU goes on from the step before, and somebody is told.
BR_TEST(gpu_run_survives_the_device)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	static const char text[] =
		"duration: 1\nground: concrete\nbodies:\n"
		"  - {name: brick, model: {make: box, res: 1, with: {width: 0.2, depth: 0.1, height: 0.1}}, "
		"shape: box, position: [0, 0, 0.3]}\n";
	static const int32_t launches[4] = {0, 20, 60, 400}; // the first: it never comes to live there
	for (int32_t k = 0; k < 4; ++k)
	{
		brGpu* gpu = openAnyWithDoubles();
		int32_t told = 0, count, frames = 40;
		brContext context = {.log = lostLog, .logUser = &told};
		brReport report = {0};
		brScene* scene = NULL;
		brRun* run = NULL;
		CHECK_RESULT(brReadScene(NULL, text, strlen(text), NULL, NULL, &scene, &report), &report);
		CHECK_RESULT(brCreateRun(&context, scene, &run, &report), &report);
		CHECK_RESULT(brRun_SetDevice(run, gpu, &report), &report);
		lostDevice.well = gpu->cl, lostDevice.table = *gpu->cl, lostDevice.left = launches[k];
		lostDevice.table.clEnqueueNDRangeKernel = lostLaunch;
		gpu->cl = &lostDevice.table;
		for (int32_t i = 0; i < frames; ++i)
		{
			CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
		}
		const brRunStep* steps = brRun_GetSteps(run, &count);
		CHECK(count >= frames && told == (k > 0));
		// It fell, and lies.
		CHECK(steps[count - 1].kinetic < 1e-3 * steps[0].mass);
		CHECK(steps[count - 1].mass == steps[0].mass);
		gpu->cl = lostDevice.well;
		brDestroyRun(run);
		brDestroyScene(scene);
		brCloseGpu(gpu);
	}
}

// Random scenes with the device at everything it can do, however little that is: no step without it, the CPU's hash
// where the world lives on the CPU, no mass lost, no energy gained. `make campaign-run` plays five hundred.
BR_TEST(gpu_run_campaign_of_random_scenes)
{
	if (test->intensity < 0.05)
	{
		brTest_Skip("too long for a simulator");
	}
	brRandom random = brTest_Random(test);
	brGpu* gpu = openAnyWithDoubles();
	int32_t rounds = brTest_Rounds(test, 4);
	double duration = test->intensity > 2.0 ? 2.0 : 0.4;
	for (int32_t round = 0; round < rounds; ++round)
	{
		static char text[8192];
		double fastest = 40.0 + brTest_WriteRandomScene(&random, duration, text, sizeof(text));
		uint64_t hashes[2];
		for (int32_t k = 0; k < 2; ++k)
		{
			brScene* scene = NULL;
			brRun* run = playOn(k == 0 ? gpu : NULL, text, 0, &scene);
			brDynamics* dynamics = &brRun_GetWorld(run)->dynamics;
			dynamics->finder.fewest = dynamics->toucher.fewest = dynamics->solver.fewest = 0;
			int32_t frames = (int32_t)(60.0 * duration), count;
			for (int32_t i = 0; i < frames; ++i)
			{
				CHECK_RESULT(brRun_PlayFrame(run, NULL), NULL);
			}
			const brRunStep* steps = brRun_GetSteps(run, &count);
			for (int32_t i = 0; i < count; ++i)
			{
				double speed = sqrt(2.0 * steps[i].kinetic / steps[i].mass);
				bool isSound = steps[i].setAside == 0 && isfinite(speed) && speed < fastest &&
							   fabs(steps[i].mass - steps[i].massIn) <= 1e-9 * steps[i].massIn;
				CHECK_MESSAGE(isSound, "round %d step %d: %d set aside, mass %.17g of %.17g, mean speed %g in\n%s",
							  round, i, steps[i].setAside, steps[i].mass, steps[i].massIn, speed, text);
			}
			CHECK_MESSAGE(brRun_GetDeviceStepCount(run) == (k == 0 ? count : 0), "round %d: %d of %d steps in\n%s",
						  round, brRun_GetDeviceStepCount(run), count, text);
			bool livesHere = k == 1 || brWorld_HasGpuStages(brRun_GetWorld(run));
			hashes[k] = livesHere && strstr(text, "fracture") != NULL ? brWorld_ComputeHash(brRun_GetWorld(run)) : 0;
			brDestroyRun(run);
			brDestroyScene(scene);
		}
		CHECK_MESSAGE(hashes[0] == hashes[1], "round %d has other bits in\n%s", round, text);
	}
	brCloseGpu(gpu);
}

#endif
