// SPDX-License-Identifier: MIT

// Concave bodies that must stand still, or move as they should. Sleeping is off in all of them.

#include "harness.h"
#include "mesh_scenes.h"
#include "world/world_state.h"

#include <math.h>
#include <stdlib.h>

static brTransform meshPoses[4096];

// Under sanitizers a few steps must do: nothing has come to rest by then, but everything has been walked through.
static bool meshIsShort(const brTest* test)
{
	return test->intensity < 0.5;
}

static void meshTower(brWorld* world, int32_t count, int32_t parts)
{
	brScene_Ground(world);
	brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, parts);
	for (int32_t i = 0; i < count; ++i)
	{
		brScene_Body(world, brick, 0.0, 0.0, 0.05 + 0.1 * i);
	}
	brDestroyShape(brick);
}

BR_TEST(mesh_towers_of_bricks_stand_still)
{
	// Bricks of 12 triangles and of many; twenty need 16 substeps.
	static const int32_t counts[3] = {10, 10, 20}, parts[3] = {1, 4, 1}, substeps[3] = {8, 8, 16};
	for (int32_t k = 0; k < 3; ++k)
	{
		brWorldDef def = brDefaultWorldDef();
		def.enableSleep = false;
		def.substeps = substeps[k];
		brWorld* world = brScene_World(NULL, &def);
		meshTower(world, counts[k], parts[k]);
		if (meshIsShort(test))
		{
			brScene_Run(world, 10);
			brDestroyWorld(world);
			continue;
		}
		brScene_Run(world, 600);
		for (int32_t minute = 0; minute < brTest_Rounds(test, 1); ++minute)
		{
			brScene_Poses(world, meshPoses);
			brScene_Run(world, 3600);
			double angle;
			double drift = brScene_Drift(world, meshPoses, &angle);
			CHECK_MESSAGE(drift < 1e-4, "%d bricks: drift %g m in minute %d", counts[k], drift, minute);
			CHECK_MESSAGE(angle < 0.01 * BR_PI / 180.0, "%d bricks: tilt %g rad", counts[k], angle);
		}
		CHECK_NEAR(meshPoses[10].p.z, 0.95, 0.005); // soft contacts sag under the load
		brDestroyWorld(world);
	}
}

BR_TEST(mesh_pyramid_stands_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, 1);
	const int32_t rows = 10;
	for (int32_t row = 0; row < rows; ++row)
	{
		for (int32_t i = 0; i < rows - row; ++i)
		{
			brScene_Body(world, brick, 0.21 * (i + 0.5 * row), 0.0, 0.05 + 0.1 * row);
		}
	}
	brDestroyShape(brick);
	brScene_Run(world, meshIsShort(test) ? 10 : 600);
	brScene_Poses(world, meshPoses);
	brScene_Run(world, meshIsShort(test) ? 1 : brTest_Rounds(test, 600));
	double drift = brScene_Drift(world, meshPoses, NULL);
	CHECK_MESSAGE(drift < 5e-5 || meshIsShort(test), "drift %g m", drift);
	brDestroyWorld(world);
}

BR_TEST(mesh_crossed_layers_stand_still)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, 2);
	for (int32_t layer = 0; layer < 6; ++layer)
	{
		for (int32_t k = -1; k <= 1; k += 2)
		{
			brBodyDef def = brDefaultBodyDef();
			def.shape = brick;
			def.density = 2000.0;
			double off = 0.051 * k;
			def.pose.p = brMakeDVec3(layer % 2 == 0 ? 0.0 : off, layer % 2 == 0 ? off : 0.0, 0.05 + 0.1 * layer);
			def.pose.q = brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), layer % 2 == 0 ? 0.0 : 0.5 * BR_PI);
			brWorld_CreateBody(world, &def, NULL);
		}
	}
	brDestroyShape(brick);
	brScene_Run(world, meshIsShort(test) ? 10 : 600);
	brScene_Poses(world, meshPoses);
	brScene_Run(world, meshIsShort(test) ? 1 : brTest_Rounds(test, 600));
	double drift = brScene_Drift(world, meshPoses, NULL);
	CHECK_MESSAGE(drift < 5e-5 || meshIsShort(test), "drift %g m", drift);
	brDestroyWorld(world);
}

BR_TEST(mesh_pile_of_bricks_comes_to_rest)
{
	// A hundred bricks and six seeds in long runs.
	bool isLong = test->intensity > 1.5;
	for (uint64_t seed = 0; seed < (isLong ? 6u : 1u); ++seed)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, 1);
		brScene_MeshPile(world, &brick, 1, isLong ? 100 : 40, 0.3, 0.24, seed);
		brDestroyShape(brick);
		// A high pile shifts now and then for up to a minute; from the first second of stillness on it must stay so.
		int32_t still = 0;
		for (int32_t step = 0; step < (isLong ? 3600 : meshIsShort(test) ? 40 : 700) && still < 60; ++step)
		{
			brScene_Run(world, 1);
			still = brWorld_ComputeEnergy(world).kinetic < 1e-8 ? still + 1 : 0;
		}
		brScene_Poses(world, meshPoses);
		brScene_Run(world, meshIsShort(test) ? 1 : 200);
		double drift = brScene_Drift(world, meshPoses, NULL), depth = brScene_Depth(world);
		double energy = brWorld_ComputeEnergy(world).kinetic;
		CHECK_MESSAGE(meshIsShort(test) || (drift < 1e-4 && depth < 0.004 && energy < 4e-5),
					  "seed %d: drift %g m, depth %g m, kinetic energy %g J", (int)seed, drift, depth, energy);
		brDestroyWorld(world);
	}
}

BR_TEST(mesh_edge_across_edge_does_not_sink)
{
	// A brick balanced on its long edge in a groove of two stays up by its edge on the edge of another across it.
	for (int32_t parts = 1; parts <= 5; ++parts)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brShape* brick = brScene_MeshBox(0.2, 0.1, 0.1, parts);
		brBodyDef def = brDefaultBodyDef();
		def.shape = brick;
		def.kind = br_bodyStatic;
		double turn = 0.25 * BR_PI, half = 0.05 * sqrt(2.0);
		def.pose.q = brMakeQuatAxisAngle(brMakeDVec3(1.0, 0.0, 0.0), turn);
		brWorld_CreateBody(world, &def, NULL);
		// The other lies across with its own edge down. Nothing but these edges touch; its spin is damped away.
		def.kind = br_bodyDynamic;
		def.density = 2000.0;
		def.angularDamping = 1e6;
		def.pose.p = brMakeDVec3(0.013, 0.007, 2.0 * half + 0.001);
		def.pose.q = brQuat_Mul(brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), 0.5 * BR_PI), def.pose.q);
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(brick);
		brScene_Run(world, 60);
		double sunk = 2.0 * half - brWorld_GetCenter(world, id).z;
		CHECK_MESSAGE(sunk < 0.002, "%d parts: sunk by %g m", parts, sunk);
		brDestroyWorld(world);
	}
}

// Drops one of each shape onto a body and looks at how deep it is and whether it is still.
static void meshDropAll(const brShape* below, double height, double expected)
{
	brShape* shapes[6] = {brScene_Sphere(0.05),
						  brScene_Capsule(0.04, 0.06),
						  brScene_Box(0.1, 0.08, 0.06),
						  brScene_MeshModel("box", 2, 0.1, false),
						  brScene_MeshBox(0.1, 0.08, 0.06, 1),
						  brScene_MeshModel("torus", 12, 0.12, true)};
	for (int32_t i = 0; i < 6; ++i)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.shape = below;
		def.kind = br_bodyStatic;
		brWorld_CreateBody(world, &def, NULL);
		def.kind = br_bodyDynamic;
		def.shape = shapes[i];
		def.density = 1000.0;
		def.rolling = 0.1;
		def.pose.p = brMakeDVec3(0.01, 0.02, height);
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brScene_Run(world, 240);
		brDVec3 p = brWorld_GetCenter(world, id), v = brWorld_GetVelocity(world, id);
		double depth = brScene_Depth(world);
		CHECK_MESSAGE(p.z > expected && p.z < height + 1e-6, "shape %d is at %g %g %g", i, p.x, p.y, p.z);
		CHECK_MESSAGE(depth < 0.002, "shape %d is %g m deep", i, depth);
		CHECK_MESSAGE(brDLength(v) < 0.02, "shape %d moves at %g m/s", i, brDLength(v));
		brDestroyWorld(world);
	}
	for (int32_t i = 0; i < 6; ++i)
	{
		brDestroyShape(shapes[i]);
	}
}

BR_TEST(mesh_carries_every_kind)
{
	brShape* slab = brScene_MeshBox(0.6, 0.6, 0.1, 2);
	meshDropAll(slab, 0.15, 0.06);
	brDestroyShape(slab);
	// Into a bowl: all end up within it.
	brShape* bowl = brScene_MeshModel("bowl", 24, 0.6, true);
	meshDropAll(bowl, 0.2, -0.15);
	brDestroyShape(bowl);
}

// A floor of triangles with a bump of this height, open.
static brMesh* meshFloor(int32_t cells, double size, double bump)
{
	static brDVec3 positions[65 * 65];
	static int32_t corners[6 * 64 * 64];
	brRandom random = brMakeRandom(5, 5);
	int32_t n = cells + 1, count = 0;
	for (int32_t i = 0; i < n * n; ++i)
	{
		double x = size * ((double)(i % n) / cells - 0.5), y = size * ((double)(i / n) / cells - 0.5);
		positions[i] = brMakeDVec3(x, y, bump * brRandom_Unit(&random));
	}
	for (int32_t i = 0; i < cells * cells; ++i)
	{
		int32_t a = i / cells * n + i % cells;
		int32_t quad[2][6] = {{a, a + 1, a + n + 1, a, a + n + 1, a + n}, {a, a + 1, a + n, a + 1, a + n + 1, a + n}};
		for (int32_t k = 0; k < 6; ++k)
		{
			corners[count++] = quad[i % 2][k];
		}
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = n * n;
	def.positions = positions;
	def.faceCount = count / 3;
	def.corners = corners;
	return BR_MADE(brMesh, brCreateMesh, NULL, &def);
}

BR_TEST(mesh_surface_carries_every_kind)
{
	brMesh* mesh = meshFloor(16, 2.0, 0.0);
	brShape* floor = brScene_SurfaceOf(mesh);
	meshDropAll(floor, 0.13, 0.0145);
	brDestroyShape(floor);
	brDestroyMesh(mesh);
	mesh = meshFloor(24, 2.0, 0.02);
	floor = brScene_SurfaceOf(mesh);
	meshDropAll(floor, 0.14, 0.0145);
	brDestroyShape(floor);
	brDestroyMesh(mesh);
}

BR_TEST(mesh_surface_has_no_bumps_between_triangles)
{
	// Things that slide or roll over a flat floor of triangles stay at their height, and go straight.
	brMesh* mesh = meshFloor(40, 8.0, 0.0);
	brShape* floor = brScene_SurfaceOf(mesh);
	brShape* shapes[5] = {brScene_Sphere(0.05), brScene_Capsule(0.05, 0.1), brScene_Box(0.3, 0.2, 0.1),
						  brScene_MeshBox(0.3, 0.2, 0.1, 2), brScene_MeshModel("torus", 16, 0.3, true)};
	for (int32_t i = 0; i < 5; ++i)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.shape = floor;
		def.kind = br_bodyStatic;
		brWorld_CreateBody(world, &def, NULL);
		def.kind = br_bodyDynamic;
		def.shape = shapes[i];
		def.density = 1000.0;
		def.friction = i == 0 ? 0.5 : 0.02;
		def.velocity = brMakeDVec3(3.0, 0.8, 0.0);
		def.pose.p = brMakeDVec3(-3.0, -0.5, 0.05);
		def.pose.q = i == 1 ? brMakeQuatAxisAngle(brMakeDVec3(0.0, 1.0, 0.0), 0.5 * BR_PI) : brMakeQuatIdentity();
		def.pose.p.z = i == 4 ? (double)fminf(shapes[i]->half.x, fminf(shapes[i]->half.y, shapes[i]->half.z)) : 0.05;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brScene_Run(world, 10);
		double z = brWorld_GetCenter(world, id).z, least = z, most = z, side = 0.0;
		for (int32_t step = 0; step < 90; ++step)
		{
			brScene_Run(world, 1);
			double now = brWorld_GetCenter(world, id).z;
			least = fmin(least, now), most = fmax(most, now);
			brDVec3 v = brWorld_GetVelocity(world, id);
			side = fmax(side, fabs(v.y / v.x - 0.8 / 3.0));
		}
		CHECK_MESSAGE(most - least < 2e-4, "shape %d jumps by %g m", i, most - least);
		// A capsule along x rolls in y, so friction turns it. Boxes turn by 0.04 on a half-space too.
		CHECK_MESSAGE(side < (i == 1 ? 0.3 : 0.06), "shape %d turns off by %g", i, side);
		CHECK(brWorld_GetCenter(world, id).x > -0.5);
		brDestroyWorld(world);
	}
	for (int32_t i = 0; i < 5; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	brDestroyShape(floor);
	brDestroyMesh(mesh);
}

// A capsule that hits the side of a box of triangles and stands out over it on both sides was pressed at one place
// anywhere along the side, and whirled off. One that lay across a ring went through one side of it.
BR_TEST(mesh_capsules_lie_on_all_that_carries_them)
{
	brShape *box = brScene_MeshBox(0.1, 0.08, 0.06, 1), *ring = brScene_MeshModel("torus", 32, 0.3, true);
	brShape* capsule = brScene_Capsule(0.025, 0.05);
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	brWorld* world = brScene_World(NULL, &worldDef);
	brBodyId target = brScene_Body(world, capsule, 0.25, 0.0, 0.0), thrown = brScene_Body(world, box, 0.0, 0.0, 0.0);
	brWorld_SetVelocity(world, thrown, brMakeDVec3(2.0, 0.0, 0.0), brMakeDVec3(0.0, 0.0, 0.0));
	brScene_Run(world, 30);
	CHECK(brWorld_GetVelocity(world, target).x > 0.5);
	double spin = brDLength(brWorld_GetSpin(world, target)) + brDLength(brWorld_GetSpin(world, thrown));
	CHECK_MESSAGE(spin < 0.01, "%g rad/s", spin);
	brDestroyWorld(world);
	brDestroyShape(capsule);

	capsule = brScene_Capsule(0.01, 0.25);
	for (int32_t i = 0; i < 4; ++i)
	{
		world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.shape = ring;
		def.kind = br_bodyStatic;
		brWorld_CreateBody(world, &def, NULL);
		double top = (double)ring->half.z;
		def.shape = capsule;
		def.kind = br_bodyDynamic;
		def.pose.p = brMakeDVec3(0.03 * i, 0.01 * i, top + 0.012);
		def.pose.q = brMakeQuatAxisAngle(brMakeDVec3(1.0, 0.0, 0.0), 0.5 * BR_PI);
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brScene_Run(world, 120);
		brDVec3 along = brQuat_Rotate(brWorld_GetPose(world, id).q, brMakeDVec3(0.0, 0.0, 1.0));
		double height = brWorld_GetCenter(world, id).z - top;
		CHECK_MESSAGE(fabs(height - 0.01) < 1e-3 && fabs(along.z) < 0.01, "place %d: %g m high, slope %g", i, height,
					  along.z);
		brDestroyWorld(world);
	}
	brDestroyShape(box);
	brDestroyShape(ring);
	brDestroyShape(capsule);
}

static uint64_t meshPileHash(brWorkers* workers, int32_t saveAt, int32_t steps)
{
	brContext context = {.workers = workers};
	brWorld* world = brScene_World(&context, NULL);
	brShape* shapes[4] = {brScene_MeshBox(0.2, 0.1, 0.1, 1), brScene_MeshModel("torus", 12, 0.2, true),
						  brScene_Sphere(0.06), brScene_Box(0.12, 0.1, 0.08)};
	brScene_MeshPile(world, shapes, 4, 32, 0.3, 0.24, 3);
	for (int32_t i = 0; i < 4; ++i)
	{
		brDestroyShape(shapes[i]);
	}
	brMesh* mesh = meshFloor(8, 1.0, 0.05);
	brShape* floor = brScene_SurfaceOf(mesh);
	brBodyDef def = brDefaultBodyDef();
	def.shape = floor;
	def.kind = br_bodyStatic;
	brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(floor);
	brDestroyMesh(mesh);
	for (int32_t i = 0; i < steps; ++i)
	{
		brScene_Run(world, 1);
		if (i == saveAt)
		{
			size_t bytes = brWorld_Save(world, NULL, 0);
			void* block = malloc(bytes);
			CHECK(brWorld_Save(world, block, bytes) == bytes);
			brDestroyWorld(world);
			brReport report = {0};
			world = NULL;
			CHECK_RESULT(brRestoreWorld(&context, block, bytes, &world, &report), &report);
			// A damaged shape is refused.
			if (workers == NULL)
			{
				brWorld* none = NULL;
				((char*)block)[bytes - 999] ^= 1;
				CHECK(brRestoreWorld(&context, block, bytes, &none, &report) < 0 && none == NULL);
			}
			free(block);
		}
	}
	uint64_t hash = brWorld_ComputeHash(world);
	brDestroyWorld(world);
	return hash;
}

BR_TEST(mesh_pile_has_one_hash_for_all_workers_and_after_a_restore)
{
	int32_t steps = brTest_Rounds(test, 90);
	uint64_t alone = meshPileHash(NULL, -1, steps);
	CHECK(meshPileHash(NULL, steps / 2, steps) == alone);
	const int32_t counts[3] = {2, 3, 8};
	for (int32_t i = 0; i < 3; ++i)
	{
		brWorkers* workers = brTest_Workers(counts[i]);
		CHECK_MESSAGE(meshPileHash(workers, -1, steps) == alone, "%d workers give another hash", counts[i]);
		brDestroyWorkers(workers);
	}
}
