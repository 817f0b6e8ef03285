// SPDX-License-Identifier: MIT

// Breaking in a world: when, where, and that nothing is lost.

#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"
#include "world/break_state.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double breakStep = 1.0 / 60.0;

static brMesh* breakBall(double radius, int32_t levels)
{
	brMesh* mesh = brShape_Sphere(levels);
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		mesh->positions[i] = brDMul(radius, mesh->positions[i]);
	}
	return mesh;
}

// A box about the origin.
static brMesh* breakBlock(double x, double y, double z)
{
	brMesh* mesh = brShape_Box(x, y, z);
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		mesh->positions[i] = brDSub(mesh->positions[i], brMakeDVec3(0.5 * x, 0.5 * y, 0.5 * z));
	}
	return mesh;
}

static brBodyId breakAdd(brWorld* world, const brBodyDef* body, const brBreakDef* breaking)
{
	brReport report = {0};
	brBodyId id = brWorld_CreateBreakable(world, body, breaking, &report);
	CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
	return id;
}

static void breakRun(brWorld* world)
{
	brReport report = {0};
	CHECK_RESULT(brWorld_Step(world, breakStep, &report), &report);
}

static int32_t breakCount(const brWorld* world)
{
	int32_t count;
	brWorld_GetBreakEvents(world, &count);
	return count;
}

static double breakMass(const brWorld* world)
{
	brBodyId ids[4096];
	int32_t count = brWorld_GetBodies(world, ids, 4096);
	double sum = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		sum += brWorld_GetMass(world, ids[i]);
	}
	return sum;
}

// Whether a body dropped from that height breaks when it lands.
static bool breakDrops(const brBreakDef* breaking, const brShape* shape, double lowest, double height)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.pose.p.z = height - lowest;
	brBodyId id = breakAdd(world, &body, breaking);
	bool hasBroken = false;
	int32_t steps = (int32_t)(sqrt(2.0 * height / 9.81) / breakStep) + 4;
	for (int32_t i = 0; i < steps && !hasBroken; ++i)
	{
		breakRun(world);
		hasBroken = breakCount(world) > 0;
	}
	CHECK(hasBroken != brWorld_IsBody(world, id));
	brDestroyWorld(world);
	return hasBroken;
}

BR_TEST(break_shapes_are_the_same_at_any_density)
{
	// Pieces of cracks come with the density of their material; once their hulls turned as if they were that much
	// heavier.
	static const char* const models[3] = {"box", "brick", "bowl"};
	for (int32_t i = 0; i < 9; ++i)
	{
		brMesh* mesh = brShape_Model(models[i / 3], 6);
		brMassProperties light = brMesh_ComputeMass(mesh, 1.0), heavy = brMesh_ComputeMass(mesh, 4096.0);
		brBreakFit fit = (brBreakFit)(i % 3);
		brShape *a = NULL, *b = NULL;
		double area = brMesh_ComputeArea(mesh);
		CHECK_RESULT(brMakeBreakShape(NULL, mesh, &light, area, fit, &a, NULL), NULL);
		CHECK_RESULT(brMakeBreakShape(NULL, mesh, &heavy, area, fit, &b, NULL), NULL);
		CHECK(a->kind == b->kind && a->hash == b->hash);
		CHECK_NEAR(brShape_ComputeMass(b, 1.0).inertia.cx.x / light.inertia.cx.x, 1.0, 1e-9);
		brDestroyShape(a);
		brDestroyShape(b);
		brDestroyMesh(mesh);
	}
}

// Height from which a body falls flat on rigid ground before the model says that it breaks.
static double breakHeight(const brBreakDef* def, double strength)
{
	brImpactModelDef modelDef = brDefaultImpactModelDef();
	modelDef.mesh = def->mesh, modelDef.material = def->material;
	brImpactModel* model = BR_MADE(brImpactModel, brCreateImpactModel, NULL, &modelDef);
	brStrike strike = brImpactModel_Drop(model, brMakeDVec3(0.0, 0.0, -1.0), NULL);
	strike.strength = strength;
	double height = brImpactModel_ThresholdEnergy(model, &strike) / (9.81 * strike.mass);
	brDestroyImpactModel(model);
	return height;
}

BR_TEST(break_threshold_in_a_world_is_that_of_the_model)
{
	double radius = 0.02;
	brMesh *ball = breakBall(radius, 5), *block = breakBlock(0.2, 0.2, 0.01);
	brShape* shape = brScene_Sphere(radius);
	for (int32_t i = 0; i < 2 * brGetMaterialCount(); i += test->intensity < 1.0 ? 5 : 1)
	{
		brBreakDef def = brDefaultBreakDef();
		bool isBall = i % 2 == 0;
		def.mesh = isBall ? ball : block;
		def.material = *brGetMaterial(i / 2);
		def.material.film = 0.0; // holds pieces together long after the glass has cracked: break_fast_tempered
		def.seed = 5 + (uint64_t)i;
		def.strength = 4.0; // below that a block falls too gently to pay for a crack
		double strength = def.strength * brMaterial_SampleStrength(&def.material, def.seed);
		double height = breakHeight(&def, strength), low = isBall ? radius : 0.005;
		// A ball of facets lands on another of them, since directions are rounded. A block lands on all of its corners,
		// and the worst one counts.
		double least = isBall ? 0.8 : 0.4;
		CHECK_MESSAGE(!breakDrops(&def, isBall ? shape : NULL, -low, least * height), "%s %s breaks below %g m",
					  def.material.name, isBall ? "ball" : "block", height);
		CHECK_MESSAGE(breakDrops(&def, isBall ? shape : NULL, -low, 1.25 * height), "%s %s holds above %g m",
					  def.material.name, isBall ? "ball" : "block", height);
	}
	brDestroyShape(shape);
	brDestroyMesh(ball);
	brDestroyMesh(block);
}

BR_TEST(break_happens_where_it_is_hit_and_the_far_side_stays_whole)
{
	brMesh* mesh = breakBlock(1.0, 1.0, 1.0);
	brMesh* ballMesh = breakBall(0.05, 2);
	brShape* ball = brScene_Sphere(0.05);
	brRandom random = brTest_Random(test);
	int32_t sum = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 12); ++round)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
		brWorld* world = brScene_World(NULL, &worldDef);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("concrete");
		def.seed = (uint64_t)round;
		brBodyDef body = brDefaultBodyDef();
		brBodyId block = breakAdd(world, &body, &def);
		brDVec3 target = {brRandom_Range(&random, -0.4, 0.4), brRandom_Range(&random, -0.4, 0.4), 0.5};
		brBodyDef shot = brDefaultBodyDef();
		shot.shape = ball;
		shot.density = 7800.0;
		shot.pose.p = brDAdd(target, brMakeDVec3(0.0, 0.0, 0.06)); // moving bodies see each other half a radius ahead
		shot.velocity = brMakeDVec3(0.0, 0.0, -20.0);
		brWorld_CreateBody(world, &shot, NULL);
		int32_t count = 0;
		for (int32_t i = 0; i < 5 && count == 0; ++i)
		{
			breakRun(world);
			count = breakCount(world);
		}
		CHECK_EQUAL(count, 1);
		const brBreakEvent* event = brWorld_GetBreakEvents(world, &count);
		CHECK(event->parent.index1 == block.index1 && !brWorld_IsBody(world, block));
		CHECK_NEAR(brDDistance(event->point, target), 0.0, 0.02);
		CHECK(event->normal.z < -0.99 && event->speed > 15.0 && event->ratio >= 1.0 && event->force > 0.0);
		CHECK(event->energy > 0.0 && event->area > 0.0);
		int32_t pieceCount;
		const brBodyId* pieces = brWorld_GetBreakPieces(world, &pieceCount);
		CHECK(event->pieceCount == pieceCount && pieceCount >= 2);
		sum += pieceCount;
		double largest = 0.0, far = 0.0;
		for (int32_t k = 0; k < pieceCount; ++k)
		{
			double volume = brMesh_ComputeMass(brWorld_GetMesh(world, pieces[k]), 1.0).volume;
			largest = fmax(largest, volume);
			CHECK(brWorld_GetGeneration(world, pieces[k]) == 1);
			CHECK(brWorld_GetParent(world, pieces[k]).index1 == block.index1);
			if (volume < 0.03)
			{
				far = fmax(far, brDDistance(brMesh_ComputeMass(brWorld_GetMesh(world, pieces[k]), 1.0).center, target));
			}
		}
		CHECK_MESSAGE(largest > 0.6, "the largest piece is %g of the block", largest);
		CHECK_MESSAGE(far < 0.6, "a small piece is %g m from the hit", far);
		brDestroyWorld(world);
	}
	// One chip may come off whole; in the mean there is rubble.
	CHECK(sum >= 8 * brTest_Rounds(test, 12));
	brDestroyShape(ball);
	brDestroyMesh(ballMesh);
	brDestroyMesh(mesh);
}

BR_TEST(break_more_energy_makes_more_pieces)
{
	brMesh* mesh = breakBlock(0.2, 0.2, 0.2);
	for (int32_t pattern = br_sitesUniform; pattern <= br_sitesSlices; ++pattern)
	{
		int32_t last = 0;
		for (int32_t k = 0; k < 4; ++k)
		{
			brWorld* world = brScene_World(NULL, NULL);
			brBodyDef body = brDefaultBodyDef();
			brBreakDef def = brDefaultBreakDef();
			def.mesh = mesh;
			def.pattern = (brSitePattern)pattern;
			def.pieces = 100;
			brBodyId id = breakAdd(world, &body, &def);
			double energy = 0.05 * pow(6.0, k);
			CHECK(brWorld_BreakBody(world, id, brMakeDVec3(0.1, 0.0, 0.0), brMakeDVec3(-1.0, 0.0, 0.0), energy));
			breakRun(world);
			int32_t count;
			brWorld_GetBreakPieces(world, &count);
			CHECK_MESSAGE(count >= 2 && count <= 130, "%d pieces", count);
			// Spokes follow the speed of the hit and arcs the spokes: their product may fall where the arcs become
			// fewer.
			CHECK_MESSAGE(count >= last || count > 90 || pattern == br_sitesRadial, "pattern %d: %d pieces after %d",
						  pattern, count, last);
			last = count;
			brDestroyWorld(world);
		}
		CHECK_MESSAGE(last >= 20, "pattern %d: %d pieces", pattern, last);
	}
	brDestroyMesh(mesh);
}

// Two bodies that meet at random in empty space, seldom both breakable.
static void breakRandomImpact(brRandom* random, const brMesh* const* meshes, int32_t meshCount, brShape* ball,
							  double* worst, int32_t* breaks)
{
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	worldDef.enableSleep = false;
	brWorld* world = brScene_World(NULL, &worldDef);
	double speed = brRandom_Range(random, 1.0, 30.0);
	for (int32_t k = 0; k < 2; ++k)
	{
		brBodyDef body = brDefaultBodyDef();
		brBreakDef def = brDefaultBreakDef();
		def.mesh = meshes[brRandom_Below(random, (uint32_t)meshCount)];
		def.material = *brGetMaterial((int32_t)brRandom_Below(random, 8));
		def.pattern = (brSitePattern)brRandom_Below(random, 5);
		def.pieces = 5 + (int32_t)brRandom_Below(random, 40);
		def.seed = brRandom_Next(random);
		body.pose.p = brMakeDVec3(k == 0 ? -0.25 : 0.25, brRandom_Range(random, -0.05, 0.05),
								  brRandom_Range(random, -0.05, 0.05));
		brDVec3 axis = {brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0), 1.0};
		body.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(random, 0.0, 6.0));
		body.velocity = brMakeDVec3(k == 0 ? speed : -speed, 0.0, 0.0);
		body.spin = brDMul(brRandom_Range(random, 0.0, 10.0), axis);
		if (k == 0 || brRandom_Below(random, 2) == 0)
		{
			breakAdd(world, &body, &def);
		}
		else
		{
			body.shape = ball;
			body.density = 7800.0;
			brWorld_CreateBody(world, &body, NULL);
		}
	}
	double mass = breakMass(world);
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	double scale = 0.0;
	brBodyId ids[2];
	brWorld_GetBodies(world, ids, 2);
	for (int32_t k = 0; k < 2; ++k)
	{
		scale += brWorld_GetMass(world, ids[k]) * speed;
	}
	for (int32_t i = 0; i < 12; ++i)
	{
		double kinetic = brWorld_ComputeEnergy(world).kinetic;
		breakRun(world);
		brWorldEnergy now = brWorld_ComputeEnergy(world);
		*breaks += breakCount(world);
		double dust = brWorld_GetBreakStats(world).dustMass; // crumbs too small for bodies
		CHECK_NEAR((breakMass(world) + dust) / mass, 1.0, 1e-9);
		worst[0] = fmax(worst[0], brDDistance(now.momentum, before.momentum) / scale);
		// Later on the world's own limits hold: a free top keeps its energy within 0.1% only.
		double growth = (now.kinetic - kinetic) / before.kinetic;
		worst[breakCount(world) > 0 ? 1 : 2] = fmax(worst[breakCount(world) > 0 ? 1 : 2], growth);
	}
	double left = brWorld_ComputeEnergy(world).kinetic / before.kinetic;
	CHECK_MESSAGE(left < 1.0 + 5e-3, "%g of the energy is left, %d bodies", left, brWorld_GetBodyCount(world));
	CHECK_EQUAL(brWorld_GetStats(world).setAside, 0);
	brDestroyWorld(world);
}

BR_TEST(break_books_of_random_impacts_balance)
{
	brRandom random = brTest_Random(test);
	brMesh* meshes[4] = {breakBall(0.1, 3), breakBlock(0.2, 0.15, 0.1), breakBlock(0.3, 0.25, 0.01), NULL};
	brModelDef bowl = brDefaultModelDef("bowl");
	bowl.resolution = 16;
	CHECK_RESULT(brMakeModel(NULL, &bowl, &meshes[3], NULL), NULL);
	brShape* ball = brScene_Sphere(0.05);
	double worst[3] = {0.0, 0.0, 0.0};
	int32_t breaks = 0, rounds = brTest_Rounds(test, 30);
	for (int32_t i = 0; i < rounds; ++i)
	{
		breakRandomImpact(&random, (const brMesh* const*)meshes, 4, ball, worst, &breaks);
	}
	CHECK_MESSAGE(breaks > rounds / 2, "%d breaks of %d", breaks, rounds);
	CHECK_MESSAGE(worst[0] < 1e-5, "momentum is off by %g", worst[0]);
	CHECK_MESSAGE(worst[1] < 1e-9, "kinetic energy grows by %g in a break", worst[1]);
	CHECK_MESSAGE(worst[2] < 2e-2, "kinetic energy grows by %g after a break", worst[2]);
	brDestroyShape(ball);
	for (int32_t i = 0; i < 4; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
}

// The instant of breaking alone, before the solver: what it leaves must be what was there.
BR_TEST(break_keeps_mass_momentum_and_spin_to_rounding)
{
	brRandom random = brTest_Random(test);
	brMesh* meshes[3] = {breakBlock(0.3, 0.2, 0.1), breakBall(0.1, 3), NULL};
	brModelDef bowl = brDefaultModelDef("bowl");
	bowl.resolution = 16;
	CHECK_RESULT(brMakeModel(NULL, &bowl, &meshes[2], NULL), NULL);
	for (int32_t round = 0; round < brTest_Rounds(test, 30); ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(10.0, -20.0, 30.0);
		body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.6, 0.0, 0.8), brRandom_Range(&random, 0.0, 6.0));
		body.velocity = brMakeDVec3(3.0, -2.0, 1.0);
		body.spin = brMakeDVec3(brRandom_Range(&random, -5.0, 5.0), brRandom_Range(&random, -5.0, 5.0), 20.0);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = meshes[round % 3];
		def.seed = (uint64_t)round;
		def.pattern = round % 2 == 0 ? br_sitesUniform : br_sitesClustered;
		brBodyId id = breakAdd(world, &body, &def);
		brWorldEnergy before = brWorld_ComputeEnergy(world);
		double mass = brWorld_GetMass(world, id);
		brWorld_BreakBody(world, id, brMakeDVec3(10.0, -20.0, 30.1), brMakeDVec3(0.0, 0.0, -1.0), 1.0);
		bool isChanged = false;
		brBreaking_Begin(world);
		CHECK_RESULT(brBreaking_Run(world, breakStep, &isChanged, NULL), NULL);
		CHECK(isChanged && breakCount(world) == 1 && brWorld_GetBodyCount(world) > 2);
		brWorldEnergy after = brWorld_ComputeEnergy(world);
		CHECK_NEAR(breakMass(world) / mass, 1.0, 1e-14);
		CHECK_NEAR(brDDistance(after.momentum, before.momentum) / brDLength(before.momentum), 0.0, 1e-13);
		double turning = brDLength(before.angularMomentum);
		CHECK_NEAR(brDDistance(after.angularMomentum, before.angularMomentum) / turning, 0.0, 1e-12);
		CHECK_NEAR(after.kinetic / before.kinetic, 1.0, 1e-9);
		CHECK(brWorld_GetBreakStats(world).massError < 1e-12);
		brDestroyWorld(world);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
}

// The energy of the surface is taken without touching momentum, linear or angular.
BR_TEST(break_takes_the_energy_of_the_surface_from_the_two_that_hit)
{
	brMesh* mesh = breakBlock(0.3, 0.2, 0.1);
	brShape* ball = brScene_Sphere(0.05);
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 20); ++round)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
		brWorld* world = brScene_World(NULL, &worldDef);
		brBodyDef body = brDefaultBodyDef();
		body.spin = brMakeDVec3(brRandom_Range(&random, -2.0, 2.0), 1.0, 0.0);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("marble");
		def.seed = (uint64_t)round;
		breakAdd(world, &body, &def);
		brBodyDef shot = brDefaultBodyDef();
		shot.shape = ball;
		shot.density = 7800.0;
		shot.pose.p = brMakeDVec3(brRandom_Range(&random, -0.1, 0.1), 0.03, 0.11);
		shot.velocity = brMakeDVec3(1.0, 0.0, -brRandom_Range(&random, 15.0, 30.0));
		brWorld_CreateBody(world, &shot, NULL);
		brWorldEnergy before = brWorld_ComputeEnergy(world);
		// Contacts as the step finds them, then the break alone.
		brBreaking_Begin(world);
		CHECK_RESULT(brDynamics_FindPairs(&world->dynamics, breakStep, NULL), NULL);
		brDynamics_Touch(&world->dynamics, breakStep);
		bool isChanged = false;
		CHECK_RESULT(brBreaking_Run(world, breakStep, &isChanged, NULL), NULL);
		CHECK_EQUAL(breakCount(world), 1);
		int32_t count;
		const brBreakEvent* event = brWorld_GetBreakEvents(world, &count);
		brWorldEnergy after = brWorld_ComputeEnergy(world);
		CHECK(event->energy > 0.0);
		CHECK_NEAR(event->energy / (event->area * brMaterial_GetFractureEnergy(&def.material)), 1.0, 1e-9);
		CHECK_NEAR(before.kinetic - after.kinetic, event->energy, 1e-9 * before.kinetic);
		double gone = event->dust / event->mass; // crumbs take theirs along
		CHECK_NEAR(brDDistance(after.momentum, before.momentum) / brDLength(before.momentum), 0.0, 1e-13 + gone);
		double turning = brDLength(before.angularMomentum);
		CHECK_NEAR(brDDistance(after.angularMomentum, before.angularMomentum) / turning, 0.0, 1e-11 + gone);
		CHECK_NEAR(brWorld_GetBreakStats(world).energy, event->energy, 1e-15);
		brDestroyWorld(world);
	}
	brDestroyShape(ball);
	brDestroyMesh(mesh);
}

// Plates and a bowl dropped on each other, with a ball; a budget that makes some wait.
static brWorld* breakScene(const brContext* context, uint64_t seed)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(context, &worldDef);
	brScene_Ground(world);
	brMesh* plate = breakBlock(0.25, 0.2, 0.008);
	brMesh* lump = breakBall(0.06, 2);
	brRandom random = brMakeRandom(seed, 0);
	for (int32_t i = 0; i < 6; ++i)
	{
		brBreakDef def = brDefaultBreakDef();
		def.mesh = i % 3 == 2 ? lump : plate;
		def.material = *brGetMaterial((int32_t)brRandom_Below(&random, 8));
		def.pieces = 12;
		def.seed = seed + (uint64_t)i;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p =
			brMakeDVec3(brRandom_Range(&random, -0.05, 0.05), brRandom_Range(&random, -0.05, 0.05), 0.3 + 0.15 * i);
		body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(1.0, 0.0, 0.0), brRandom_Range(&random, 0.0, 3.0));
		body.velocity.z = -3.0;
		breakAdd(world, &body, &def);
	}
	brBreakBudget budget = brDefaultBreakBudget();
	budget.piecesPerStep = 20;
	budget.dustSize = 0.008;
	budget.dustTime = 0.3;
	CHECK_RESULT(brWorld_SetBreakBudget(world, &budget, NULL), NULL);
	brDestroyMesh(plate);
	brDestroyMesh(lump);
	return world;
}

static uint64_t breakHashOf(int32_t workerCount, int32_t steps, int32_t restoreAt)
{
	brContext context = {0};
	context.workers = workerCount > 0 ? brTest_Workers(workerCount) : NULL;
	brWorld* world = breakScene(&context, 7);
	int32_t breaks = 0;
	for (int32_t i = 0; i < steps; ++i)
	{
		if (i == restoreAt)
		{
			size_t bytes = brWorld_Save(world, NULL, 0);
			char* memory = malloc(bytes + 1);
			CHECK(brWorld_Save(world, memory + 1, bytes) == bytes); // not aligned on purpose
			uint64_t hash = brWorld_ComputeHash(world);
			brDestroyWorld(world);
			brReport report = {0};
			CHECK_RESULT(brRestoreWorld(&context, memory + 1, bytes, &world, &report), &report);
			CHECK(brWorld_ComputeHash(world) == hash);
			free(memory);
		}
		breakRun(world);
		breaks += breakCount(world);
	}
	CHECK(breaks >= 4);
	uint64_t hash = brWorld_ComputeHash(world);
	brDestroyWorld(world);
	brDestroyWorkers(context.workers);
	return hash;
}

BR_TEST(break_gives_the_same_bits_for_any_workers_and_after_restore)
{
	int32_t steps = brTest_Rounds(test, 16) + 20;
	uint64_t hash = breakHashOf(0, steps, -1);
	static const int32_t workers[4] = {1, 2, 3, 8};
	for (int32_t k = 0; k < 4; ++k)
	{
		CHECK(breakHashOf(workers[k], steps, -1) == hash);
	}
	for (int32_t at = 3; at < steps; at += 11)
	{
		CHECK_MESSAGE(breakHashOf(2, steps, at) == hash, "restored before step %d", at);
	}
}

BR_TEST(break_damaged_snapshots_are_refused)
{
	brWorld* world = breakScene(NULL, 3);
	brScene_Run(world, 20);
	size_t bytes = brWorld_Save(world, NULL, 0);
	char* memory = malloc(bytes);
	brWorld_Save(world, memory, bytes);
	brDestroyWorld(world);
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 200); ++i)
	{
		size_t at = (size_t)(brRandom_Unit(&random) * (double)bytes);
		char old = memory[at];
		memory[at] = (char)(old ^ (1 << brRandom_Below(&random, 8)));
		brWorld* copy = NULL;
		CHECK(brRestoreWorld(NULL, memory, bytes, &copy, NULL) < 0 && copy == NULL);
		memory[at] = old;
		CHECK(brRestoreWorld(NULL, memory, at, &copy, NULL) < 0);
	}
	free(memory);
}

enum
{
	breakMany = 24
};

// Blocks that land on their corners in one step, within a budget of seconds. The ratio and the force of the event of
// each; returns how many were at first only known to break.
static int32_t breakLandMany(const brMesh* mesh, double seconds, double ratios[breakMany], double forces[breakMany])
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brBreakBudget budget = brDefaultBreakBudget();
	budget.secondsPerStep = seconds;
	CHECK_RESULT(brWorld_SetBreakBudget(world, &budget, NULL), NULL);
	brRandom random = brMakeRandom(5, 0);
	brBodyId ids[breakMany];
	int32_t rough = 0;
	for (int32_t i = 0; i < breakMany; ++i)
	{
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("plaster");
		def.pieces = 10;
		def.generations = 1;
		brBodyDef body = brDefaultBodyDef();
		double x = brRandom_Range(&random, -1.0, 1.0), y = brRandom_Range(&random, -1.0, 1.0);
		body.pose.q = brQuat_Normalize((brQuat){x, y, brRandom_Range(&random, -1.0, 1.0), 0.5});
		body.pose.p = brMakeDVec3(0.5 * i, 0.0, 0.2);
		body.velocity = brMakeDVec3(0.0, 0.0, -20.0);
		ids[i] = breakAdd(world, &body, &def);
		ratios[i] = forces[i] = 0.0;
	}
	for (int32_t step = 0; step < 40; ++step)
	{
		breakRun(world);
		int32_t count;
		const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
		for (int32_t i = 0; i < breakMany; ++i)
		{
			const brBreakBody* record = brBreaking_Body(&world->breaking, ids[i].index1 - 1);
			rough += step == 0 && record != NULL && record->hit.isThere && record->hit.isRough;
			for (int32_t k = 0; k < count; ++k)
			{
				bool isIts =
					events[k].parent.index1 == ids[i].index1 && events[k].parent.generation == ids[i].generation;
				ratios[i] = isIts ? events[k].ratio : ratios[i];
				forces[i] = isIts ? events[k].force : forces[i];
			}
		}
	}
	brDestroyWorld(world);
	return rough;
}

// Of bodies that have to wait it is enough to know that they break. What they are broken by is the same as without a
// budget.
BR_TEST(break_that_waits_is_asked_about_when_it_is_its_turn)
{
	brMesh* mesh = breakBlock(0.1, 0.1, 0.1);
	double ratios[breakMany], forces[breakMany], waited[breakMany], waitedForces[breakMany];
	CHECK_EQUAL(breakLandMany(mesh, 0.0, ratios, forces), 0);
	int32_t rough = breakLandMany(mesh, 0.002, waited, waitedForces);
	CHECK_MESSAGE(rough > 4, "%d of %d", rough, (int)breakMany);
	for (int32_t i = 0; i < breakMany; ++i)
	{
		CHECK_MESSAGE(waited[i] == ratios[i] && waitedForces[i] == forces[i], "block %d: %g and %g, %g and %g", i,
					  ratios[i], waited[i], forces[i], waitedForces[i]);
	}
	brDestroyMesh(mesh);
}

// Pieces that are hit as they are born and have to wait: where on their surface that was is not asked before their turn,
// and then it is.
BR_TEST(break_pieces_that_wait_have_no_surface_yet)
{
	brMesh* mesh = breakBlock(0.1, 0.1, 0.1);
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brBreakBudget budget = brDefaultBreakBudget();
	budget.secondsPerStep = 0.002;
	CHECK_RESULT(brWorld_SetBreakBudget(world, &budget, NULL), NULL);
	brBreakDef def = brDefaultBreakDef();
	def.mesh = mesh;
	def.material = *brFindMaterial("plaster");
	def.pieces = 20;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p = brMakeDVec3(0.0, 0.0, 0.1);
	body.velocity = brMakeDVec3(0.0, 0.0, -20.0);
	breakAdd(world, &body, &def);
	int32_t waiting = 0, broken = 0;
	for (int32_t step = 0; step < 20; ++step)
	{
		breakRun(world);
		int32_t count;
		const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
		for (int32_t i = 0; i < world->breaking.bodies.count; ++i)
		{
			const brBreakBody* record = brBreaking_Body(&world->breaking, i);
			bool isOff = record != NULL && record->hit.isThere && record->hit.isOff;
			waiting += isOff && record->hit.isWaiting && world->breaking.ready.data[i].surface == NULL;
			CHECK(!isOff || record->hit.isWaiting);
		}
		for (int32_t k = 0; k < count; ++k)
		{
			broken += step > 0 && brDIsFinite(events[k].point);
		}
	}
	CHECK_MESSAGE(waiting > 0 && broken > 0, "%d waited, %d broke", waiting, broken);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
}

BR_TEST(break_budget_lets_breaks_wait_and_all_happen)
{
	brMesh* mesh = breakBlock(0.1, 0.1, 0.1);
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brBreakBudget budget = brDefaultBreakBudget();
	budget.piecesPerStep = 25;
	budget.secondsPerStep = 0.0;
	CHECK_RESULT(brWorld_SetBreakBudget(world, &budget, NULL), NULL);
	for (int32_t i = 0; i < 8; ++i)
	{
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("plaster");
		def.pieces = 10;
		def.generations = 1;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(0.5 * i, 0.0, 4.0);
		breakAdd(world, &body, &def);
	}
	int32_t breaks = 0, stepsWithBreaks = 0, waited = 0;
	for (int32_t i = 0; i < 80; ++i)
	{
		breakRun(world);
		brBreakStats stats = brWorld_GetBreakStats(world);
		CHECK_MESSAGE(stats.pieces <= 30, "%d pieces in a step", stats.pieces);
		breaks += stats.breaks;
		stepsWithBreaks += stats.breaks > 0;
		waited += stats.waiting;
	}
	CHECK_EQUAL(breaks, 8);
	CHECK(stepsWithBreaks >= 3 && waited > 0);
	brDestroyWorld(world);

	// A limit of bodies: nothing is lost, the rest stays whole.
	world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	budget.bodies = 20;
	CHECK_RESULT(brWorld_SetBreakBudget(world, &budget, NULL), NULL);
	for (int32_t i = 0; i < 4; ++i)
	{
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("plaster");
		def.pieces = 10;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(0.5 * i, 0.0, 2.0);
		breakAdd(world, &body, &def);
	}
	double mass = breakMass(world);
	for (int32_t i = 0; i < 80; ++i)
	{
		breakRun(world);
		CHECK_MESSAGE(brWorld_GetBodyCount(world) <= 24, "%d bodies", brWorld_GetBodyCount(world));
	}
	CHECK(brWorld_GetBodyCount(world) > 10);
	CHECK_NEAR(breakMass(world) / mass, 1.0, 1e-12);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
}

BR_TEST(break_dust_goes_and_its_mass_is_booked)
{
	brMesh* mesh = breakBlock(0.1, 0.1, 0.1);
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brBreakBudget budget = brDefaultBreakBudget();
	budget.dustSize = 0.03;
	budget.dustTime = 0.25;
	CHECK_RESULT(brWorld_SetBreakBudget(world, &budget, NULL), NULL);
	brBreakDef def = brDefaultBreakDef();
	def.mesh = mesh;
	def.material = *brFindMaterial("plaster");
	brBodyDef body = brDefaultBodyDef();
	body.pose.p.z = 1.0;
	body.velocity.z = -20.0;
	breakAdd(world, &body, &def);
	double mass = breakMass(world);
	int32_t most = 0;
	for (int32_t i = 0; i < 60; ++i)
	{
		breakRun(world);
		most = brWorld_GetBodyCount(world) > most ? brWorld_GetBodyCount(world) : most;
		brBreakStats stats = brWorld_GetBreakStats(world);
		CHECK_NEAR((breakMass(world) + stats.dustMass) / mass, 1.0, 1e-9);
	}
	CHECK(brWorld_GetBreakStats(world).dustGone > 5 && brWorld_GetBodyCount(world) < most);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
}

BR_TEST(break_joints_hold_on_to_the_nearest_piece)
{
	brMesh* mesh = breakBlock(1.0, 0.2, 0.2);
	brWorld* world = brScene_World(NULL, NULL);
	brBodyId ground = brScene_Ground(world);
	brBreakDef def = brDefaultBreakDef();
	def.mesh = mesh;
	def.material = *brFindMaterial("plaster");
	def.pattern = br_sitesUniform;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p.z = 2.0;
	brBodyId id = breakAdd(world, &body, &def);
	brJointDef joint = brDefaultJointDef();
	joint.kind = br_jointFixed;
	joint.bodyA = ground, joint.bodyB = id;
	joint.anchor = brMakeDVec3(-0.5, 0.0, 2.0);
	brJointId jointId = brWorld_CreateJoint(world, &joint, NULL);
	CHECK(jointId.index1 != 0);
	brWorld_BreakBody(world, id, brMakeDVec3(0.5, 0.0, 2.0), brMakeDVec3(-1.0, 0.0, 0.0), 5.0);
	breakRun(world);
	CHECK_EQUAL(breakCount(world), 1);
	CHECK(brWorld_IsJoint(world, jointId));
	brScene_Run(world, 200);
	// All but what the joint holds has fallen.
	static brBodyId ids[4096];
	int32_t count = brWorld_GetBodies(world, ids, 4096), high = 0;
	CHECK(count <= 4096);
	for (int32_t i = 0; i < count; ++i)
	{
		high += brWorld_GetMesh(world, ids[i]) != NULL && brWorld_GetCenter(world, ids[i]).z > 1.5;
	}
	CHECK_EQUAL(high, 1);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
}

// A bar that falls on its middle parts by a crack there, and its books balance.
BR_TEST(break_by_cracks_parts_a_bar_that_falls_hard)
{
	for (int32_t hard = 0; hard < 2; ++hard)
	{
		brMesh* mesh = breakBlock(0.4, 0.08, 0.05);
		brWorld* world = brScene_World(NULL, NULL);
		brShapeDef edgeDef = brDefaultShapeDef(br_shapeBox);
		edgeDef.halfExtents = brMakeDVec3(0.01, 0.2, 0.05);
		brShape* edge = BR_MADE(brShape, brCreateShape, NULL, &edgeDef);
		brBodyDef table = brDefaultBodyDef();
		table.kind = br_bodyStatic, table.shape = edge;
		CHECK(brWorld_CreateBody(world, &table, NULL).index1 != 0);
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh, def.method = br_breakCrack, def.generations = 1;
		def.material = *brFindMaterial("concrete");
		brBodyDef body = brDefaultBodyDef();
		// From 1 mm up it has less than the 0.05 J of strain that a bent bar stands.
		body.pose.p.z = hard ? 0.1 : 0.076;
		body.velocity.z = hard ? -15.0 : -0.02;
		brReport report = {0};
		brBodyId id = brWorld_CreateBreakable(world, &body, &def, &report);
		CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
		double mass = brWorld_GetMass(world, id), sum = 0.0;
		for (int32_t step = 0; step < 60; ++step)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 240.0, &report), &report);
		}
		brBodyId ids[512];
		int32_t count = brWorld_GetBodies(world, ids, 512);
		for (int32_t i = 0; i < count && i < 512; ++i)
		{
			sum += brWorld_GetMesh(world, ids[i]) != NULL ? brWorld_GetMass(world, ids[i]) : 0.0;
		}
		CHECK_NEAR(sum + brWorld_GetBreakStats(world).dustMass, mass, 1e-9 * mass);
		CHECK_MESSAGE(hard ? count > 2 : count == 2, "%d bodies after a %s fall", count, hard ? "hard" : "soft");
		brDestroyWorld(world);
		brDestroyShape(edge);
		brDestroyMesh(mesh);
	}
}

BR_TEST(break_bad_defs_are_refused_in_a_sentence)
{
	brMesh* mesh = breakBlock(0.1, 0.1, 0.1);
	brWorld* world = brScene_World(NULL, NULL);
	for (int32_t k = 0; k < 14; ++k)
	{
		brBreakDef def = brDefaultBreakDef();
		brBodyDef body = brDefaultBodyDef();
		def.mesh = mesh;
		switch (k)
		{
			case 0:
				def.stamp = 0;
				break;
			case 1:
				body.stamp = 0;
				break;
			case 2:
				def.mesh = NULL;
				break;
			case 3:
				def.method = (brBreakMethod)-1;
				break;
			case 4:
				def.method = (brBreakMethod)7;
				break;
			case 5:
				def.pieces = 1;
				break;
			case 6:
				def.pieces = 1000000;
				break;
			case 7:
				def.strength = 0.0;
				break;
			case 8:
				def.efficiency = 1.5;
				break;
			case 9:
				def.smallest = NAN;
				break;
			case 10:
				def.material.density = -1.0;
				break;
			case 11:
				def.pattern = br_sitesDensity;
				break;
			case 12:
				def.generations = -1;
				break;
			default:
				body.pose.p.x = NAN;
				break;
		}
		brReport report = {0};
		brBodyId id = brWorld_CreateBreakable(world, &body, &def, &report);
		CHECK_MESSAGE(id.index1 == 0 && report.code < 0 && report.text[0] != 0, "case %d", k);
	}
	CHECK_EQUAL(brWorld_GetBodyCount(world), 0);
	brBreakBudget budget = {0};
	CHECK(brWorld_SetBreakBudget(world, &budget, NULL) == br_errorMisuse);
	brBodyId none = {0, 0};
	CHECK(!brWorld_BreakBody(world, none, brMakeDVec3(0, 0, 0), brMakeDVec3(0, 0, 1), 1.0));
	CHECK(brWorld_GetMesh(world, none) == NULL && brWorld_GetMaterial(world, none) == NULL);
	CHECK(brWorld_GetStrength(world, none) == 0.0 && brWorld_GetGeneration(world, none) == 0);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
}

static brResult breakMemoryWalk(const brContext* context, void* user)
{
	const brMesh* mesh = user;
	brReport report = {0};
	brWorld *world = NULL, *copy = NULL;
	void* memory = NULL;
	brWorldDef def = brDefaultWorldDef();
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh;
	breaking.pattern = br_sitesClustered; // cascades have such a test of their own
	breaking.pieces = 6;
	brBodyDef body = brDefaultBodyDef();
	brResult result = brCreateWorld(context, &def, &world, &report);
	if (result >= 0)
	{
		brBodyId id = brWorld_CreateBreakable(world, &body, &breaking, &report);
		result = id.index1 != 0 ? br_success : report.code;
		brWorld_BreakBody(world, id, brMakeDVec3(0.1, 0.0, 0.0), brMakeDVec3(-1.0, 0.0, 0.0), 1.0);
	}
	for (int32_t i = 0; i < 2 && result >= 0; ++i)
	{
		result = brWorld_Step(world, breakStep, &report);
		// A break without memory is given up and counted; the body stays whole, the step goes on.
		result = result >= 0 && brWorld_GetBreakStats(world).failed > 0 ? br_errorMemory : result;
		if (result == br_errorMemory)
		{
			CHECK(brWorld_GetBodyCount(world) >= 1);
		}
	}
	if (result >= 0)
	{
		CHECK(brWorld_GetBodyCount(world) >= 2);
		size_t bytes = brWorld_Save(world, NULL, 0);
		memory = malloc(bytes);
		brWorld_Save(world, memory, bytes);
		result = brRestoreWorld(context, memory, bytes, &copy, &report);
	}
	free(memory);
	brDestroyWorld(copy);
	brDestroyWorld(world);
	return result;
}

BR_TEST(break_survives_every_failing_allocation)
{
	brMesh* mesh = breakBlock(0.2, 0.2, 0.2);
	int32_t count = brTest_WalkAllocations(breakMemoryWalk, mesh);
	CHECK_MESSAGE(count > 50, "%d allocations", count);
	brDestroyMesh(mesh);
}

// An object cut beforehand, released in place: nothing may pop.
BR_TEST(break_pieces_released_in_place_stay_put)
{
	for (int32_t k = 0; k < 3; ++k)
	{
		brMesh* mesh = NULL;
		brModelDef model = brDefaultModelDef("bowl");
		model.resolution = 20;
		mesh = k == 0 ? breakBlock(0.4, 0.4, 0.4) : k == 1 ? breakBall(0.2, 3) : NULL;
		if (mesh == NULL)
		{
			CHECK_RESULT(brMakeModel(NULL, &model, &mesh, NULL), NULL);
		}
		brDBox3 box = brMesh_ComputeBounds(mesh);
		double size = brDDistance(box.lower, box.upper);
		brWorldDef worldDef = brDefaultWorldDef();
		worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
		worldDef.enableSleep = false;
		brWorld* world = brScene_World(NULL, &worldDef);
		brBodyDef body = brDefaultBodyDef();
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("marble");
		def.pattern = br_sitesUniform;
		def.pieces = 100;
		brBodyId id = breakAdd(world, &body, &def);
		double mass = brWorld_GetMass(world, id);
		CHECK(brWorld_BreakBody(world, id, brMakeDVec3(0.0, 0.0, box.upper.z), brMakeDVec3(0.0, 0.0, -1.0), 1e4));
		for (int32_t i = 0; i < 30; ++i)
		{
			breakRun(world);
			double kinetic = brWorld_ComputeEnergy(world).kinetic;
			CHECK_MESSAGE(kinetic < mass * 9.81 * 1e-3 * size, "model %d: %g J in step %d", k, kinetic, i);
		}
		CHECK(brWorld_GetBodyCount(world) >= 70);
		brBodyId ids[512];
		int32_t count = brWorld_GetBodies(world, ids, 512);
		for (int32_t i = 0; i < count; ++i)
		{
			double speed = brDLength(brWorld_GetVelocity(world, ids[i]));
			CHECK_MESSAGE(speed < 5e-3, "model %d: piece %d moves at %g m/s", k, i, speed);
		}
		brDestroyWorld(world);
		brDestroyMesh(mesh);
	}
}

// Small random scenes: anything may meet anything, nothing may be lost.
BR_TEST(break_random_scenes_keep_their_wits)
{
	brRandom random = brTest_Random(test);
	brMesh* meshes[4] = {breakBall(0.1, 2), breakBlock(0.25, 0.2, 0.1), breakBlock(0.3, 0.25, 0.01), NULL};
	brModelDef bowl = brDefaultModelDef("bowl");
	bowl.resolution = 12;
	CHECK_RESULT(brMakeModel(NULL, &bowl, &meshes[3], NULL), NULL);
	int32_t breaks = 0, rounds = brTest_Rounds(test, 12);
	for (int32_t round = 0; round < rounds; ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		double mass = 0.0, fastest = 0.0;
		int32_t count = 1 + (int32_t)brRandom_Below(&random, 3);
		for (int32_t i = 0; i < count; ++i)
		{
			brBreakDef def = brDefaultBreakDef();
			def.mesh = meshes[brRandom_Below(&random, 4)];
			def.material = *brGetMaterial((int32_t)brRandom_Below(&random, 8));
			def.pattern = (brSitePattern)brRandom_Below(&random, 5);
			def.pieces = 2 + (int32_t)brRandom_Below(&random, 25);
			def.generations = (int32_t)brRandom_Below(&random, 4);
			def.efficiency = brRandom_Range(&random, 0.0, 0.2);
			def.strength = brRandom_Range(&random, 0.05, 2.0);
			def.seed = brRandom_Next(&random);
			brBodyDef body = brDefaultBodyDef();
			body.pose.p =
				brMakeDVec3(brRandom_Range(&random, -0.3, 0.3), brRandom_Range(&random, -0.3, 0.3), 0.4 + 0.4 * i);
			body.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.6, 0.8, 0.0), brRandom_Range(&random, 0.0, 6.0));
			body.velocity = brMakeDVec3(brRandom_Range(&random, -3.0, 3.0), brRandom_Range(&random, -3.0, 3.0),
										brRandom_Range(&random, -15.0, 3.0));
			body.spin = brMakeDVec3(brRandom_Range(&random, -20.0, 20.0), brRandom_Range(&random, -20.0, 20.0), 0.0);
			brBodyId id = breakAdd(world, &body, &def);
			mass += brWorld_GetMass(world, id);
			fastest = fmax(fastest, brDLength(body.velocity) + 8.0);
		}
		for (int32_t i = 0; i < 60; ++i)
		{
			breakRun(world);
			breaks += breakCount(world);
		}
		CHECK_EQUAL(brWorld_GetStats(world).setAside, 0);
		CHECK_NEAR(breakMass(world) / mass, 1.0, 1e-9);
		brBodyId ids[4096];
		int32_t bodies = brWorld_GetBodies(world, ids, 4096);
		for (int32_t i = 0; i < bodies; ++i)
		{
			brDVec3 p = brWorld_GetCenter(world, ids[i]);
			double speed = brDLength(brWorld_GetVelocity(world, ids[i]));
			CHECK_MESSAGE(speed < 2.0 * fastest, "round %d: %g m/s", round, speed);
			CHECK_MESSAGE(p.z > -0.1 && brDLength(p) < 60.0, "round %d: a body is at %g %g %g", round, p.x, p.y, p.z);
		}
		brDestroyWorld(world);
	}
	CHECK_MESSAGE(breaks > rounds / 3, "%d breaks in %d scenes", breaks, rounds);
	for (int32_t i = 0; i < 4; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
}

// Such a body could never be cut; that it never breaks must not come as a surprise.
BR_TEST(break_refuses_open_meshes)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = BR_MADE(brWorld, brCreateWorld, NULL, &worldDef);
	brMesh* open = breakBlock(1.0, 1.0, 1.0);
	open->faceCount -= 1;
	open->cornerCount = open->faceStarts[open->faceCount];
	brBodyDef body = brDefaultBodyDef();
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = open;
	brReport report = {0};
	CHECK_EQUAL(brWorld_CreateBreakable(world, &body, &breaking, &report).index1, 0);
	CHECK(report.code == br_errorGeometry && strstr(report.text, "4 open edges") != NULL);
	CHECK_EQUAL(brWorld_GetBodyCount(world), 0);
	breaking.method = br_breakNone;
	CHECK(brWorld_CreateBreakable(world, &body, &breaking, &report).index1 != 0);
	open->faceCount += 1;
	open->cornerCount = open->faceStarts[open->faceCount];
	brDestroyMesh(open);
	brDestroyWorld(world);
}

// A slab on two sills with a weight on its middle: what rests on it, or falls on what lies on it, may break it.
typedef struct LoadedSlab
{
	brWorld* world;
	brBodyId slab;
} LoadedSlab;

static LoadedSlab breakLoadedSlab(double weight, double hammerSpeed)
{
	LoadedSlab out = {.world = brScene_World(NULL, NULL)};
	brScene_Ground(out.world);
	brShapeDef shapeDef = brDefaultShapeDef(br_shapeBox);
	shapeDef.halfExtents = brMakeDVec3(0.02, 0.1, 0.05);
	brShape *sill = NULL, *block = NULL;
	CHECK_RESULT(brCreateShape(NULL, &shapeDef, &sill, NULL), NULL);
	shapeDef.halfExtents = brMakeDVec3(0.03, 0.05, 0.05);
	CHECK_RESULT(brCreateShape(NULL, &shapeDef, &block, NULL), NULL);
	for (int k = 0; k < 2; ++k)
	{
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = sill;
		body.pose.p = brMakeDVec3(k == 0 ? -0.28 : 0.28, 0.0, 0.05);
		CHECK(brWorld_CreateBody(out.world, &body, NULL).index1 != 0);
	}
	brMesh* mesh = breakBlock(0.6, 0.1, 0.02);
	brBreakDef def = brDefaultBreakDef();
	def.mesh = mesh;
	def.material = *brFindMaterial("marble");
	def.material.weibullModulus = 0.0; // every slab as strong as the mean
	brBodyDef body = brDefaultBodyDef();
	body.pose.p.z = 0.11;
	out.slab = breakAdd(out.world, &body, &def);
	body = brDefaultBodyDef();
	body.shape = block;
	body.mass = weight;
	body.pose.p.z = 0.17;
	CHECK(brWorld_CreateBody(out.world, &body, NULL).index1 != 0);
	for (int32_t i = 0; i < 60; ++i)
	{
		breakRun(out.world);
	}
	if (hammerSpeed > 0.0)
	{
		body.mass = 2.0;
		body.pose.p.z = 0.29;
		body.velocity.z = -hammerSpeed;
		CHECK(brWorld_CreateBody(out.world, &body, NULL).index1 != 0);
		for (int32_t i = 0; i < 20; ++i)
		{
			breakRun(out.world);
		}
	}
	brDestroyMesh(mesh);
	brDestroyShape(sill);
	brDestroyShape(block);
	return out;
}

BR_TEST(break_under_a_load_that_rests_and_through_a_third_body)
{
	// Bending of a beam on two sills 0.54 m apart: sigma = 3 F l / (2 b h^2); 14 MPa at F = 690 N, 70 kg, less for the
	// volume that is stressed.
	LoadedSlab light = breakLoadedSlab(10.0, 0.0), heavy = breakLoadedSlab(300.0, 0.0);
	CHECK(brWorld_IsBody(light.world, light.slab));
	CHECK(!brWorld_IsBody(heavy.world, heavy.slab));
	brDestroyWorld(light.world);
	brDestroyWorld(heavy.world);
	// A blow on what lies on the slab goes through to it.
	LoadedSlab soft = breakLoadedSlab(2.0, 0.2), hard = breakLoadedSlab(2.0, 12.0);
	CHECK(brWorld_IsBody(soft.world, soft.slab));
	CHECK(!brWorld_IsBody(hard.world, hard.slab));
	brDestroyWorld(soft.world);
	brDestroyWorld(hard.world);
}

BR_TEST(break_by_blows_that_add_up)
{
	double radius = 0.02;
	brMesh* mesh = breakBall(radius, 4);
	brShape* shape = brScene_Sphere(radius);
	int32_t blows[2] = {0, 0};
	for (int32_t k = 0; k < 2; ++k)
	{
		brBreakDef def = brDefaultBreakDef();
		def.mesh = mesh;
		def.material = *brFindMaterial("glass");
		def.material.weibullModulus = 0.0;
		def.fatigue = k == 1;
		double speed = 0.93 * sqrt(2.0 * 9.81 * breakHeight(&def, def.material.tensileStrength)), last = 0.0;
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		brBodyId id = breakAdd(world, &body, &def);
		for (; blows[k] < 40 && brWorld_IsBody(world, id); ++blows[k])
		{
			brTransform pose = {brMakeDVec3(0.0, 0.0, radius + 0.01), brMakeQuatIdentity()};
			brWorld_SetPose(world, id, pose);
			brWorld_SetVelocity(world, id, brMakeDVec3(0.0, 0.0, -speed), brMakeDVec3(0.0, 0.0, 0.0));
			for (int32_t i = 0; i < 4; ++i)
			{
				breakRun(world);
			}
			if (brWorld_IsBody(world, id))
			{
				CHECK(brWorld_GetDamage(world, id) >= last && (brWorld_GetDamage(world, id) > 0.0) == (k == 1));
				last = brWorld_GetDamage(world, id);
				CHECK(brWorld_GetUtilization(world, id) > 0.5);
			}
		}
		brDestroyWorld(world);
	}
	CHECK_MESSAGE(blows[0] == 40 && blows[1] > 1 && blows[1] < 30, "%d and %d blows", blows[0], blows[1]);
	brDestroyShape(shape);
	brDestroyMesh(mesh);
}
