// SPDX-License-Identifier: MIT

// Bonds: stress against closed forms, clusters that hold, give way and fall.

#include "base/memory.h"
#include "brittle/brittle.h"
#include "fracture/bonds.h"
#include "harness.h"
#include "shapes.h"
#include "world_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A row of unit cubes along x, held at the first.
static void clusterRow(int32_t count, brBondNode* nodes, brBondLink* links)
{
	for (int32_t i = 0; i < count; ++i)
	{
		nodes[i] = (brBondNode){.center = {i, 0.0, 0.0}, .volume = 1.0, .isFixed = i == 0};
		links[i] = (brBondLink){{i, i + 1}, 1.0, {i + 0.5, 0.0, 0.0}, {1.0, 0.0, 0.0}, 1.0};
	}
}

static int32_t clusterSolve(const brBondNode* nodes, int32_t nodeCount, const brBondLink* links, int32_t linkCount,
							const brBondLoad* loads, brBondStress* stress)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brBondSystem* system = brCreateBondSystem(&allocator, nodes, nodeCount, links, linkCount);
	CHECK(system != NULL);
	int32_t iterations = brBondSystem_Solve(system, loads, stress);
	brDestroyBondSystem(system);
	return iterations;
}

BR_TEST(bonds_of_a_hanging_row_carry_what_hangs_below)
{
	brBondNode nodes[12];
	brBondLink links[12];
	brBondLoad loads[12];
	brBondStress stress[12];
	for (int32_t sense = -1; sense <= 1; sense += 2)
	{
		clusterRow(12, nodes, links);
		memset(loads, 0, sizeof(loads));
		for (int32_t i = 0; i < 12; ++i)
		{
			loads[i].force.x = sense * 2.0;
		}
		clusterSolve(nodes, 12, links, 11, loads, stress);
		for (int32_t k = 0; k < 11; ++k)
		{
			double expected = 2.0 * (11 - k);
			CHECK_NEAR(stress[k].tension, sense > 0 ? expected : 0.0, 0.02);
			CHECK_NEAR(stress[k].compression, sense > 0 ? 0.0 : expected, 0.02);
		}
	}
}

BR_TEST(bonds_of_a_cantilever_bend_as_a_beam)
{
	// A force F across the end, at distance L from a bond: shear F / A, bending moment F L.
	brBondNode nodes[8];
	brBondLink links[8];
	brBondLoad loads[8] = {0};
	brBondStress stress[8];
	clusterRow(8, nodes, links);
	loads[7].force.z = 3.0;
	clusterSolve(nodes, 8, links, 7, loads, stress);
	for (int32_t k = 0; k < 7; ++k)
	{
		double rim = 3.0 * (7.0 - (k + 0.5)) * 4.0 * sqrt(3.14159265358979);
		double tension = 0.5 * rim + sqrt(0.25 * rim * rim + 9.0);
		CHECK_NEAR(stress[k].tension / tension, 1.0, 2e-3);
		CHECK_NEAR(stress[k].compression / rim, 1.0, 2e-3);
	}
}

BR_TEST(bonds_of_a_free_body_carry_its_inertia)
{
	// A row pushed at one end: the bond after node k accelerates what is beyond it.
	brBondNode nodes[10];
	brBondLink links[10];
	brBondLoad loads[10] = {0};
	brBondStress stress[10];
	int32_t sets[10] = {0};
	clusterRow(10, nodes, links);
	nodes[0].isFixed = false;
	loads[0].force.x = 5.0;
	brBalanceLoads(nodes, 10, sets, 0, loads);
	int32_t iterations = clusterSolve(nodes, 10, links, 9, loads, stress);
	for (int32_t k = 0; k < 9; ++k)
	{
		CHECK_NEAR(stress[k].compression, 5.0 * (9 - k) / 10.0, 0.02);
	}
	CHECK(iterations < 60);
	// Loads on nothing that can carry them are taken back altogether.
	brBondLoad alone = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
	brBalanceLoads(nodes, 1, sets, 0, &alone);
	CHECK(brDLength(alone.force) < 1e-12 && brDLength(alone.torque) < 1e-12);
	// Wherever it is: its lever is all rounding, and the inertia that goes with it.
	brRandom random = brMakeRandom(3, 0);
	for (int32_t i = 0; i < 200; ++i)
	{
		nodes[0].center = brMakeDVec3(brRandom_Unit(&random), brRandom_Unit(&random), brRandom_Unit(&random));
		nodes[0].volume = brRandom_Unit(&random);
		alone = (brBondLoad){{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
		brBalanceLoads(nodes, 1, sets, 0, &alone);
		CHECK_MESSAGE(brDLength(alone.force) == 0.0 && brDLength(alone.torque) == 0.0, "%g N, %g N m",
					  brDLength(alone.force), brDLength(alone.torque));
	}
}

BR_TEST(bonds_components_are_numbered_by_their_lowest_node)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		brBondLink links[40];
		int32_t nodeCount = 1 + (int32_t)brRandom_Below(&random, 40), linkCount = 0, got[40], slow[40];
		for (int32_t k = 0; k < 40 && nodeCount > 1; ++k)
		{
			int32_t a = (int32_t)brRandom_Below(&random, (uint32_t)nodeCount);
			int32_t b = (int32_t)brRandom_Below(&random, (uint32_t)nodeCount);
			if (a != b && brRandom_Below(&random, 2) == 0)
			{
				links[linkCount++] = (brBondLink){.nodes = {a < b ? a : b, a < b ? b : a}};
			}
		}
		int32_t count = brBondComponents(nodeCount, links, linkCount, got);
		for (int32_t i = 0; i < nodeCount; ++i)
		{
			slow[i] = i;
		}
		for (int32_t pass = 0; pass < nodeCount; ++pass)
		{
			for (int32_t k = 0; k < linkCount; ++k)
			{
				int32_t low = slow[links[k].nodes[0]] < slow[links[k].nodes[1]] ? slow[links[k].nodes[0]]
																				: slow[links[k].nodes[1]];
				slow[links[k].nodes[0]] = slow[links[k].nodes[1]] = low;
			}
		}
		int32_t next = 0;
		for (int32_t i = 0; i < nodeCount; ++i)
		{
			CHECK(slow[i] == i ? got[i] == next++ : got[i] == got[slow[i]]);
		}
		CHECK_EQUAL(count, next);
	}
}

// A wall on the plane y = 0, from z = 0 up, with anchors at the bottom.
static brBodyId clusterWall(brWorld* world, const brMesh* mesh, double strength, uint64_t seed, bool isHeld)
{
	brClusterDef def = brDefaultClusterDef();
	def.breaking.mesh = mesh;
	def.breaking.material = *brFindMaterial("brick");
	def.breaking.pieces = 40;
	def.breaking.seed = seed;
	def.bondStrength = strength;
	brDBox3 anchor = {{-10.0, -10.0, -10.0}, {10.0, 10.0, 0.12}};
	def.anchors = &anchor;
	def.anchorCount = isHeld;
	brBodyDef body = brDefaultBodyDef();
	brReport report = {0};
	brBodyId id = brWorld_CreateCluster(world, &body, &def, &report);
	CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
	return id;
}

static brMesh* clusterSlab(double x, double y, double z)
{
	brMesh* mesh = brShape_Box(x, y, z);
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		mesh->positions[i] = brDSub(mesh->positions[i], brMakeDVec3(0.5 * x, 0.5 * y, 0.0));
	}
	return mesh;
}

BR_TEST(cluster_stands_and_breaks_when_hit)
{
	brMesh* mesh = clusterSlab(1.0, 0.1, 0.8);
	brShape* ball = brScene_Sphere(0.08);
	for (int32_t round = 0; round < 2; ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBodyId wall = clusterWall(world, mesh, 0.5, 1, true);
		CHECK_EQUAL(brWorld_GetClusterPieceCount(world, wall), 40);
		CHECK(brWorld_GetClusterBondCount(world, wall) > 60);
		brBodyDef shot = brDefaultBodyDef();
		shot.shape = ball;
		shot.density = 7800.0;
		shot.pose.p = brMakeDVec3(0.0, -0.5, 0.5);
		shot.velocity = brMakeDVec3(0.0, round == 0 ? 0.05 : 15.0, 0.0);
		brBodyId ballId = brWorld_CreateBody(world, &shot, NULL);
		int32_t breaks = 0;
		double speed = NAN; // of the ball, right behind the first break: later it falls on what is left
		for (int32_t i = 0; i < 40; ++i)
		{
			brWorldEnergy before = brWorld_ComputeEnergy(world);
			brScene_Run(world, 1);
			int32_t count;
			const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
			speed = count > 0 && breaks == 0 ? brWorld_GetVelocity(world, ballId).y : speed;
			breaks += count;
			brWorldEnergy after = brWorld_ComputeEnergy(world);
			// What was held joins the books when it comes loose.
			CHECK(count > 0 || after.kinetic + after.potential < (before.kinetic + before.potential) * 1.01 + 0.5);
			CHECK(count == 0 || events[0].pieceCount >= 2);
		}
		CHECK_EQUAL(brWorld_GetBreakStats(world).failed, 0);
		CHECK_EQUAL(brWorld_GetStats(world).setAside, 0);
		if (round == 0)
		{
			CHECK(breaks == 0 && brWorld_IsBody(world, wall));
		}
		else
		{
			// The ball goes on, slower; what the anchors hold still stands.
			CHECK(breaks > 0 && !brWorld_IsBody(world, wall) && brWorld_GetBodyCount(world) > 5);
			CHECK_MESSAGE(speed > -1.0 && speed < 14.9, "%g m/s", speed);
			brBodyId ids[256];
			int32_t count = brWorld_GetBodies(world, ids, 256), held = 0, fallen = 0;
			for (int32_t i = 0; i < count; ++i)
			{
				if (brWorld_GetMesh(world, ids[i]) != NULL)
				{
					held += brWorld_GetMass(world, ids[i]) == 0.0;
					fallen += brWorld_GetMass(world, ids[i]) > 0.0;
				}
			}
			CHECK(held >= 1 && fallen >= 3);
		}
		brDestroyWorld(world);
	}
	brDestroyShape(ball);
	brDestroyMesh(mesh);
}

// What is held is no wall: a heavy ball takes out the foot of a pillar, and momentum goes on with the ball and what it
// drives.
BR_TEST(cluster_pillar_lets_a_heavy_ball_through)
{
	brMesh* mesh = clusterSlab(0.6, 0.6, 2.4);
	brShape* ball = brScene_Sphere(0.3);
	const double speeds[2] = {10.0, 20.0};
	for (int32_t round = 0; round < 2; ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brScene_Ground(world);
		brBodyId pillar = clusterWall(world, mesh, 0.3, 3, true);
		brBodyDef shot = brDefaultBodyDef();
		shot.shape = ball;
		shot.density = 7800.0;
		shot.pose.p = brMakeDVec3(-0.8, 0.05, 0.9);
		shot.velocity = brMakeDVec3(speeds[round], 0.0, 0.0);
		brBodyId id = brWorld_CreateBody(world, &shot, NULL);
		double momentum = brWorld_GetMass(world, id) * speeds[round];
		for (int32_t i = 0; i < 30 && brWorld_IsBody(world, pillar); ++i)
		{
			brScene_Run(world, 1);
		}
		double after = brWorld_ComputeEnergy(world).momentum.x;
		CHECK(!brWorld_IsBody(world, pillar));
		CHECK_MESSAGE(after > 0.6 * momentum && after < 1.001 * momentum, "%g of %g N s left", after, momentum);
		CHECK_EQUAL(brWorld_GetBreakStats(world).failed, 0);
		brScene_Run(world, 45);
		double x = brWorld_GetPose(world, id).p.x;
		CHECK_MESSAGE(x > 0.3, "the ball that came at %g m/s is at x = %g", speeds[round], x);
		brDestroyWorld(world);
	}
	brDestroyShape(ball);
	brDestroyMesh(mesh);
}

BR_TEST(cluster_too_weak_for_its_weight_comes_down)
{
	// A beam held at one end: stress at the root is of the order rho g L^2 / h.
	brMesh* mesh = clusterSlab(2.0, 0.2, 0.2);
	for (int32_t k = 0; k < 2; ++k)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brClusterDef def = brDefaultClusterDef();
		def.breaking.mesh = mesh;
		def.breaking.material = *brFindMaterial("concrete");
		def.breaking.pieces = 30;
		def.breaking.pattern = br_sitesSlices;
		def.bondStrength = k == 0 ? 1.0 : 0.1;
		brDBox3 anchor = {{-2.0, -1.0, -1.0}, {-0.8, 1.0, 1.0}};
		def.anchors = &anchor;
		def.anchorCount = 1;
		// A row along x.
		brDVec3 sites[20];
		for (int32_t i = 0; i < 20; ++i)
		{
			sites[i] = brMakeDVec3(-0.95 + 0.1 * i, 0.0, 0.1);
		}
		def.sites = sites, def.siteCount = 20;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p.z = 3.0;
		brBodyId id = brWorld_CreateCluster(world, &body, &def, NULL);
		CHECK_EQUAL(brWorld_GetClusterPieceCount(world, id), 20);
		CHECK_EQUAL(brWorld_GetClusterBondCount(world, id), 19);
		brScene_Run(world, 30);
		if (k == 0)
		{
			CHECK(brWorld_IsBody(world, id) && brWorld_GetClusterBondCount(world, id) == 19);
		}
		else
		{
			// It breaks near the root; the loose end falls as one, still bonded.
			CHECK(!brWorld_IsBody(world, id));
			brBodyId ids[16];
			int32_t count = brWorld_GetBodies(world, ids, 16);
			CHECK_EQUAL(count, 2);
			for (int32_t i = 0; i < 2; ++i)
			{
				bool isHeld = brWorld_GetMass(world, ids[i]) == 0.0;
				double z = brWorld_GetCenter(world, ids[i]).z;
				CHECK(isHeld ? z == brWorld_GetCenter(world, ids[i]).z && z > 3.0 : z < 2.9);
				CHECK(isHeld || brWorld_GetClusterPieceCount(world, ids[i]) > 10);
			}
		}
		brDestroyWorld(world);
	}
	brDestroyMesh(mesh);
}

// Twenty slabs in a row along x, 2 m by 0.1 by 0.1, with something on it. Tells whether all bonds hold.
static bool clusterBeamHolds(const brMesh* mesh, const brDBox3* anchor, bool isHeld, double x, double mass)
{
	brWorld* world = brScene_World(NULL, NULL);
	brShape *weight = brScene_Box(0.1, 0.1, 0.1), *stand = brScene_Box(0.02, 0.2, 1.0);
	brClusterDef def = brDefaultClusterDef();
	def.breaking.mesh = mesh;
	def.breaking.material = *brFindMaterial("plaster");
	def.anchors = anchor, def.anchorCount = isHeld;
	brDVec3 sites[20];
	for (int32_t i = 0; i < 20; ++i)
	{
		sites[i] = brMakeDVec3(-0.95 + 0.1 * i, 0.0, 0.05);
	}
	def.sites = sites, def.siteCount = 20;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p.z = 1.0;
	brBodyId id = brWorld_CreateCluster(world, &body, &def, NULL);
	CHECK_EQUAL(brWorld_GetClusterBondCount(world, id), 19);
	for (int32_t side = -1; !isHeld && side <= 1; side += 2)
	{
		brBodyDef post = brDefaultBodyDef();
		post.kind = br_bodyStatic;
		post.shape = stand;
		post.pose.p = brMakeDVec3(0.9 * side, 0.0, 0.5);
		brWorld_CreateBody(world, &post, NULL);
	}
	brBodyDef load = brDefaultBodyDef();
	load.shape = weight;
	load.mass = mass;
	load.pose.p = brMakeDVec3(x, 0.0, 1.15);
	brWorld_CreateBody(world, &load, NULL);
	brScene_Run(world, 40);
	bool holds = brWorld_IsBody(world, id) && brWorld_GetClusterBondCount(world, id) == 19;
	brDestroyWorld(world);
	brDestroyShape(weight);
	brDestroyShape(stand);
	return holds;
}

BR_TEST(cluster_carries_what_lies_on_it_as_a_beam_does)
{
	brMesh* mesh = clusterSlab(2.0, 0.1, 0.1);
	brDBox3 anchor = {{-2.0, -1.0, -1.0}, {-0.8, 1.0, 1.0}};
	const brMaterial* plaster = brFindMaterial("plaster");
	// The moment at which the outermost fibre fails. Bonds bend as round sections of their area: W = sqrt(A^3 / pi) / 4.
	double most = plaster->tensileStrength * 0.25 * sqrt(1e-6 / 3.14159265358979);
	double line = plaster->density * 0.01 * 9.81; // weight of a metre
	// Held at one end, what lies on the other has a lever of 1.7 m. Free on two posts 1.8 m apart, slabs are loaded in
	// their middles: the joint under the load bears F (0.9 - 0.05) / 2.
	double cantilever = (most - 0.5 * line * 1.8 * 1.8) / 1.7 / 9.81;
	double bridge = (most - 0.5 * line * (0.9 * 0.9 - 0.1 * 0.1)) * 2.0 / 0.85 / 9.81;
	CHECK(clusterBeamHolds(mesh, &anchor, true, 0.9, 0.95 * cantilever));
	CHECK(!clusterBeamHolds(mesh, &anchor, true, 0.9, 1.05 * cantilever));
	CHECK(clusterBeamHolds(mesh, &anchor, false, 0.0, 0.9 * bridge));
	CHECK(!clusterBeamHolds(mesh, &anchor, false, 0.0, 1.15 * bridge));
	brDestroyMesh(mesh);
}

BR_TEST(cluster_free_keeps_mass_and_momentum_when_it_breaks)
{
	brMesh* mesh = clusterSlab(0.6, 0.1, 0.5);
	brShape* ball = brScene_Sphere(0.06);
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	brWorld* world = brScene_World(NULL, &worldDef);
	clusterWall(world, mesh, 0.3, 2, false);
	brBodyDef shot = brDefaultBodyDef();
	shot.shape = ball;
	shot.density = 7800.0;
	shot.pose.p = brMakeDVec3(0.1, -0.13, 0.3);
	shot.velocity = brMakeDVec3(0.0, 12.0, 0.0);
	brWorld_CreateBody(world, &shot, NULL);
	brBodyId ids[256];
	double mass[2] = {0.0, 0.0};
	int32_t breaks = 0;
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		int32_t count = brWorld_GetBodies(world, ids, 256);
		for (int32_t i = 0; i < count; ++i)
		{
			mass[pass] += brWorld_GetMass(world, ids[i]);
		}
		for (int32_t i = 0; i < 10 && pass == 0; ++i)
		{
			brScene_Run(world, 1);
			int32_t events;
			brWorld_GetBreakEvents(world, &events);
			breaks += events;
		}
	}
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK(breaks > 0);
	CHECK_NEAR(mass[1] / mass[0], 1.0, 1e-9);
	CHECK_NEAR(brDDistance(after.momentum, before.momentum) / brDLength(before.momentum), 0.0, 1e-5);
	CHECK(after.kinetic < before.kinetic);
	brDestroyWorld(world);
	brDestroyShape(ball);
	brDestroyMesh(mesh);
}

static uint64_t clusterHash(int32_t workerCount, int32_t restoreAt)
{
	brContext context = {0};
	context.workers = workerCount > 0 ? brTest_Workers(workerCount) : NULL;
	brMesh* mesh = clusterSlab(0.8, 0.1, 0.6);
	brShape* ball = brScene_Sphere(0.08);
	brWorld* world = brScene_World(&context, NULL);
	brScene_Ground(world);
	clusterWall(world, mesh, 0.4, 3, true);
	brBodyDef shot = brDefaultBodyDef();
	shot.shape = ball;
	shot.density = 7800.0;
	shot.pose.p = brMakeDVec3(0.05, -0.3, 0.35);
	shot.velocity = brMakeDVec3(0.0, 12.0, 0.0);
	brWorld_CreateBody(world, &shot, NULL);
	for (int32_t i = 0; i < 14; ++i)
	{
		if (i == restoreAt)
		{
			size_t bytes = brWorld_Save(world, NULL, 0);
			void* memory = malloc(bytes);
			CHECK(brWorld_Save(world, memory, bytes) == bytes);
			brDestroyWorld(world);
			brReport report = {0};
			CHECK_RESULT(brRestoreWorld(&context, memory, bytes, &world, &report), &report);
			free(memory);
		}
		brScene_Run(world, 1);
	}
	CHECK(brWorld_GetBodyCount(world) > 4);
	uint64_t hash = brWorld_ComputeHash(world);
	brDestroyWorld(world);
	brDestroyWorkers(context.workers);
	brDestroyShape(ball);
	brDestroyMesh(mesh);
	return hash;
}

BR_TEST(cluster_gives_the_same_bits_for_any_workers_and_after_restore)
{
	uint64_t hash = clusterHash(0, -1);
	CHECK(clusterHash(1, -1) == hash);
	CHECK(clusterHash(3, -1) == hash);
	CHECK(clusterHash(0, 1) == hash);
	CHECK(clusterHash(2, 5) == hash);
}

static brResult clusterMemoryWalk(const brContext* context, void* user)
{
	brReport report = {0};
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld *world = NULL, *copy = NULL;
	void* memory = NULL;
	brResult result = brCreateWorld(context, &worldDef, &world, &report);
	if (result < 0)
	{
		return result;
	}
	brClusterDef def = brDefaultClusterDef();
	def.breaking.mesh = user;
	def.breaking.material = *brFindMaterial("plaster");
	def.breaking.pieces = 5;
	def.bondStrength = 1e-4; // its weight is too much for it
	brDBox3 anchor = {{-10.0, -10.0, -10.0}, {10.0, 10.0, 0.4}};
	def.anchors = &anchor, def.anchorCount = 1;
	brBodyDef body = brDefaultBodyDef();
	brBodyId id = brWorld_CreateCluster(world, &body, &def, &report);
	result = id.index1 != 0 ? br_success : report.code;
	result = result < 0 ? result : brWorld_Step(world, 1.0 / 60.0, &report);
	result = result >= 0 && brWorld_GetBreakStats(world).failed > 0 ? br_errorMemory : result;
	if (result >= 0)
	{
		CHECK(!brWorld_IsBody(world, id));
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

BR_TEST(cluster_survives_every_failing_allocation)
{
	brMesh* mesh = clusterSlab(0.3, 0.2, 1.0);
	CHECK(brTest_WalkAllocations(clusterMemoryWalk, mesh) > 50);
	brDestroyMesh(mesh);
}

BR_TEST(cluster_bad_defs_are_refused_in_a_sentence)
{
	brMesh* mesh = clusterSlab(0.3, 0.2, 1.0);
	brWorld* world = brScene_World(NULL, NULL);
	for (int32_t k = 0; k < 8; ++k)
	{
		brClusterDef def = brDefaultClusterDef();
		brBodyDef body = brDefaultBodyDef();
		brDVec3 site = {0.0, 0.0, 0.0};
		def.breaking.mesh = mesh;
		switch (k)
		{
			case 0:
				def.stamp = 0;
				break;
			case 1:
				body.stamp = 0;
				break;
			case 2:
				def.breaking.mesh = NULL;
				break;
			case 3:
				def.bondStrength = 0.0;
				break;
			case 4:
				def.anchorCount = 1;
				break;
			case 5:
				def.sites = &site, def.siteCount = 1;
				break;
			case 6:
				body.kind = br_bodyKinematic;
				break;
			default:
				def.breaking.material.youngsModulus = NAN;
				break;
		}
		brReport report = {0};
		CHECK_MESSAGE(brWorld_CreateCluster(world, &body, &def, &report).index1 == 0 && report.code < 0 &&
						  report.text[0] != 0,
					  "case %d", k);
	}
	CHECK_EQUAL(brWorld_GetBodyCount(world), 0);
	CHECK(brWorld_GetClusterPieceCount(world, (brBodyId){0, 0}) == 0 &&
		  brWorld_GetClusterBondCount(world, (brBodyId){0, 0}) == 0);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
}
