// SPDX-License-Identifier: MIT

// Nothing rests in what it lies on: hulls that reach what is visible, bodies that turn over the ground, loads on light
// things, and scenes in which things break and come to rest.

#include "brittle/brittle.h"
#include "dynamics/dynamics.h"
#include "harness.h"
#include "mesh/hull.h"
#include "mesh_scenes.h"
#include "shapes.h"
#include "world/world_state.h"
#include "world_scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The hull of chosen corners must reach all points in all directions.
static double restLack(const brHullFit* fit, const brDVec3* points, int32_t count, brRandom* random)
{
	double worst = 0.0;
	for (int32_t k = 0; k < 500; ++k)
	{
		brDVec3 d = brMakeDVec3(brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0),
								brRandom_Range(random, -1.0, 1.0));
		d = brDNormalize(d);
		double all = -INFINITY, chosen = -INFINITY;
		for (int32_t i = 0; i < count; ++i)
		{
			all = fmax(all, brDDot(d, points[i]));
		}
		for (int32_t i = 0; i < fit->count; ++i)
		{
			chosen = fmax(chosen, brDDot(d, fit->corners[i]));
		}
		worst = fmax(worst, all - chosen);
	}
	return worst;
}

BR_TEST(rest_fitted_hulls_reach_all_points)
{
	brRandom random = brTest_Random(test);
	static brDVec3 points[400];
	brAllocator allocator = brContext_Allocator(NULL);
	for (int32_t round = 0; round < brTest_Rounds(test, 60); ++round)
	{
		int32_t count = 10 + (int32_t)brRandom_Below(&random, 390);
		// Lumps, plates and needles.
		brDVec3 size = brMakeDVec3(1.0, round % 3 > 0 ? 1e-2 : 1.0, round % 3 > 1 ? 1e-2 : 1.0);
		for (int32_t i = 0; i < count; ++i)
		{
			brDVec3 p = brMakeDVec3(brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0),
									brRandom_Range(&random, -1.0, 1.0));
			p = round % 2 == 0 ? brDNormalize(p) : p; // the round ones need many corners
			points[i] = brMakeDVec3(size.x * p.x, size.y * p.y, size.z * p.z);
		}
		brHullFit fit = {.tolerance = 1e-3, .most = 4 + (int32_t)brRandom_Below(&random, 61)};
		CHECK_RESULT(brFitHull(&allocator, points, count, &fit, NULL), NULL);
		CHECK(fit.count >= 4 && fit.count <= fit.most);
		double lack = restLack(&fit, points, count, &random);
		CHECK_MESSAGE(lack <= fit.error + 1e-12, "round %d: %d corners lack %g, said %g", round, fit.count, lack,
					  fit.error);
		CHECK(fit.error <= fit.tolerance || fit.count == fit.most);
		// A limit that is not reached changes nothing, and one that is ends it.
		brMesh* hull;
		CHECK_RESULT(brMakeHull(NULL, fit.corners, fit.count, 0.0, &hull, NULL), NULL);
		double volume = brMesh_ComputeMass(hull, 1.0).volume;
		brDestroyMesh(hull);
		brHullFit within = {.tolerance = fit.tolerance, .most = fit.most, .mostVolume = 1.001 * volume};
		CHECK_RESULT(brFitHull(&allocator, points, count, &within, NULL), NULL);
		CHECK(!within.isTooLarge && within.count == fit.count && within.error == fit.error);
		brHullFit beyond = {.tolerance = fit.tolerance, .most = fit.most, .mostVolume = 0.5 * volume};
		CHECK_RESULT(brFitHull(&allocator, points, count, &beyond, NULL), NULL);
		CHECK(beyond.isTooLarge || round % 6 > 0 || count < 300);
	}
}

// A plate or rod that lands on a corner at speed turns by more than a radian in the step: its other side may not end in
// the ground. How deep it dips at most, and how deep it is at the end.
static double restDip(brRandom* random, const brShape* floor, brDVec3 size, bool isMesh, double* outEnd)
{
	brWorld* world = brScene_World(NULL, NULL);
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = floor;
	if (floor == NULL)
	{
		brScene_Ground(world);
	}
	else
	{
		brWorld_CreateBody(world, &def, NULL);
	}
	brShape* shape = isMesh ? brScene_MeshBox(size.x, size.y, size.z, 2) : brScene_Box(size.x, size.y, size.z);
	def = brDefaultBodyDef();
	def.shape = shape;
	def.density = 2000.0;
	def.pose.p.z = 1.5 * size.x;
	def.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, 0.3, 0.0)), brRandom_Range(random, 0.0, 3.0));
	def.velocity = brMakeDVec3(2.0, 0.0, brRandom_Range(random, -8.0, -2.0));
	def.spin = brMakeDVec3(brRandom_Range(random, -40.0, 40.0), brRandom_Range(random, -40.0, 40.0), 0.0);
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(shape);
	double worst = 0.0;
	for (int32_t step = 0; step < 120; ++step)
	{
		brScene_Run(world, 1);
		brTransform pose = {brWorld_GetCenter(world, id), brWorld_GetPose(world, id).q};
		*outEnd = 0.0;
		for (int32_t k = 0; k < 8; ++k)
		{
			brDVec3 corner = {k & 1 ? 0.5 * size.x : -0.5 * size.x, k & 2 ? 0.5 * size.y : -0.5 * size.y,
							  k & 4 ? 0.5 * size.z : -0.5 * size.z};
			*outEnd = fmax(*outEnd, -brTransform_Point(pose, corner).z);
		}
		worst = fmax(worst, *outEnd);
	}
	brDestroyWorld(world);
	return worst;
}

BR_TEST(rest_what_tumbles_does_not_dip_into_the_ground)
{
	brRandom random = brTest_Random(test);
	double worst = 0.0, end;
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		worst = fmax(worst, restDip(&random, NULL, brMakeDVec3(0.2, 0.15, 0.01), round % 2 == 1, &end));
	}
	CHECK_MESSAGE(worst < 1.1e-3, "dips %g m deep", worst); // a tenth of the thickness
}

BR_TEST(rest_what_tumbles_does_not_dip_into_floors_that_end_somewhere)
{
	// Slabs of a box and of triangles and the open surface of one, 8 m wide, their tops at 0. Rods went 80 times their
	// thickness into the surface.
	brMesh* slab = brScene_Model("box", 9, 8.0);
	brDBox3 box = brMesh_ComputeBounds(slab);
	brAffine flat = brMakeAffineIdentity();
	flat.p = brMakeDVec3(0.0, 0.0, -box.upper.z);
	brMesh_Transform(slab, &flat);
	brDVec3 corners[8];
	for (int32_t k = 0; k < 8; ++k)
	{
		corners[k] = brMakeDVec3(k & 1 ? 4.0 : -4.0, k & 2 ? 4.0 : -4.0, k & 4 ? 0.0 : -1.0);
	}
	brShape* floors[3] = {NULL, NULL, brScene_SurfaceOf(slab)};
	brShapeDef def = brDefaultShapeDef(br_shapeHull);
	def.points = corners;
	def.pointCount = 8;
	CHECK_RESULT(brCreateShape(NULL, &def, &floors[0], NULL), NULL);
	def = brDefaultShapeDef(br_shapeMesh);
	def.mesh = slab;
	def.keepMesh = true;
	CHECK_RESULT(brCreateShape(NULL, &def, &floors[1], NULL), NULL);
	const brDVec3 sizes[3] = {{0.2, 0.15, 0.01}, {0.2, 0.15, 0.01}, {0.4, 0.01, 0.01}};
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 90); ++round)
	{
		double end, dip = restDip(&random, floors[round % 3], sizes[round / 3 % 3], round / 3 % 3 == 1, &end);
		CHECK_MESSAGE(dip < 1.1e-3, "round %d dips %g m deep", round, dip);
		CHECK_MESSAGE(end < 1e-4, "round %d rests %g m deep", round, end);
	}
	for (int32_t k = 0; k < 3; ++k)
	{
		brDestroyShape(floors[k]);
	}
	brDestroyMesh(slab);
}

BR_TEST(rest_thin_plates_under_a_cube_are_not_pressed_into_a_floor_of_triangles)
{
	// The cube falls on a plate of 1.4 mm that lies on the floor and has 900 times its weight. Overlap with a floor is
	// never let be.
	brRandom random = brTest_Random(test);
	brShape *floor = brScene_MeshBox(2.0, 2.0, 0.2, 1), *plate = brScene_MeshBox(0.02, 0.02, 0.0014, 1);
	brShape* cube = brScene_Box(0.08, 0.08, 0.08);
	for (int32_t round = 0; round < brTest_Rounds(test, 40); ++round)
	{
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.kind = br_bodyStatic;
		def.shape = floor;
		def.pose.p.z = -0.1;
		brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = plate;
		def.pose.p.z = 0.0007;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brDVec3 axis = {brRandom_Range(&random, -1.0, 1.0), brRandom_Range(&random, -1.0, 1.0), 0.3};
		def.shape = cube;
		def.pose.p = brMakeDVec3(brRandom_Range(&random, -0.03, 0.03), brRandom_Range(&random, -0.03, 0.03), 0.1);
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, 0.5));
		brWorld_CreateBody(world, &def, NULL);
		brScene_Run(world, 240);
		brTransform pose = {brWorld_GetCenter(world, id), brWorld_GetPose(world, id).q};
		double deep = 0.0;
		for (int32_t k = 0; k < 8; ++k)
		{
			brDVec3 corner = {k & 1 ? 0.01 : -0.01, k & 2 ? 0.01 : -0.01, k & 4 ? 0.0007 : -0.0007};
			deep = fmax(deep, -brTransform_Point(pose, corner).z);
		}
		CHECK_MESSAGE(deep < 2e-4, "round %d: the plate rests %g m deep", round, deep);
		brDestroyWorld(world);
	}
	brDestroyShape(floor);
	brDestroyShape(plate);
	brDestroyShape(cube);
}

// How far the upper of two cubes of 0.2 m has sunk after 10 s, with so many times the weight of the lower.
static double restSag(double ratio, int32_t substeps, double* outMost)
{
	brWorldDef worldDef = brDefaultWorldDef();
	worldDef.enableSleep = false;
	worldDef.substeps = substeps;
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brShape* cube = brScene_Box(0.2, 0.2, 0.2);
	brBodyDef def = brDefaultBodyDef();
	def.shape = cube;
	def.mass = 1.0;
	def.pose.p.z = 0.1;
	brWorld_CreateBody(world, &def, NULL);
	def.mass = ratio;
	def.pose.p.z = 0.3;
	brBodyId id = brWorld_CreateBody(world, &def, NULL);
	brDestroyShape(cube);
	*outMost = 0.0;
	for (int32_t step = 0; step < 600; ++step)
	{
		brScene_Run(world, 1);
		*outMost = fmax(*outMost, 0.3 - brWorld_GetCenter(world, id).z);
	}
	double sag = 0.3 - brWorld_GetCenter(world, id).z;
	brDestroyWorld(world);
	return sag;
}

BR_TEST(rest_heavy_things_do_not_press_light_ones_into_the_ground)
{
	const double ratios[] = {10.0, 100.0, 1000.0, 10000.0};
	for (int32_t k = 0; k < 4; ++k)
	{
		for (int32_t substeps = 8; substeps <= 16; substeps += 8)
		{
			double most, sag = restSag(ratios[k], substeps, &most);
			CHECK_MESSAGE(fabs(sag) < 4e-4, "%g : 1 at %d substeps: %g m", ratios[k], substeps, sag);
			CHECK_MESSAGE(most < 2e-3, "%g : 1 at %d substeps sank by %g m", ratios[k], substeps, most);
		}
	}
}
// What sleeps is no firmer than it was awake: a contact with it does not push harder from then on, which set heaps in
// motion again that slept in parts.
BR_TEST(rest_what_lies_under_something_that_falls_asleep_is_not_moved)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* cube = brScene_Box(0.2, 0.2, 0.2);
	brBodyDef def = brDefaultBodyDef();
	def.shape = cube;
	def.mass = 1.0;
	def.pose.p.z = 0.1;
	brBodyId lower = brWorld_CreateBody(world, &def, NULL);
	def.mass = 15.0;
	def.pose.p.z = 0.3;
	brBodyId upper = brWorld_CreateBody(world, &def, NULL);
	brScene_Run(world, 90); // what is calm for a second does not wake what sleeps
	double before = brWorld_GetCenter(world, lower).z, most = 0.0;
	for (int32_t i = 0; i < 20; ++i)
	{
		world->dynamics.bodies.data[upper.index1 - 1].isAwake = false;
		brScene_Run(world, 1);
		most = fmax(most, fabs(brWorld_GetCenter(world, lower).z - before));
	}
	CHECK_MESSAGE(most < 3e-5, "moved by %g m", most);
	brDestroyShape(cube);
	brDestroyWorld(world);
}

// Splinters under something a hundred million times as heavy left with up to 1,800 m/s: as soon as they no longer
// counted as heavier, since they turned fast or the load moved, impulses that carry a ton acted on their own mass; and
// those are never balanced to a milligram.
BR_TEST(rest_splinters_under_a_boulder_are_not_thrown)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 3); ++round)
	{
		brWorldDef worldDef = brDefaultWorldDef();
		brWorld* world = brScene_World(NULL, &worldDef);
		brScene_Ground(world);
		brBodyId ids[40];
		for (int32_t i = 0; i < 40; ++i)
		{
			double length = brRandom_Range(&random, 0.003, 0.016), width = brRandom_Range(&random, 0.002, 0.006);
			brShape* splinter = brScene_Box(length, width, 0.001);
			brBodyDef def = brDefaultBodyDef();
			def.shape = splinter;
			def.pose.p = brMakeDVec3(brRandom_Range(&random, -0.02, 0.02), brRandom_Range(&random, -0.02, 0.02),
									 0.008 * (1 + i % 5));
			brDVec3 axis = {brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1),
							brRandom_Range(&random, -1, 1)};
			def.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, BR_PI));
			def.spin = brDMul(300.0, axis);
			ids[i] = brWorld_CreateBody(world, &def, NULL);
			brDestroyShape(splinter);
		}
		brShape* ball = brScene_Sphere(0.5);
		brBodyDef def = brDefaultBodyDef();
		def.shape = ball;
		def.density = 2400.0;
		def.pose.p.z = 0.56;
		def.velocity.z = -1.0;
		brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(ball);
		double fastest = 0.0;
		for (int32_t step = 0; step < 90; ++step)
		{
			brScene_Run(world, 1);
			for (int32_t i = 0; i < 40; ++i)
			{
				fastest = fmax(fastest, brDLength(brWorld_GetVelocity(world, ids[i])));
			}
		}
		CHECK_MESSAGE(fastest < 5.0, "round %d: %g m/s", round, fastest);
		brDestroyWorld(world);
	}
}

// One body that does not come to rest kept all of a heap awake that it touched: now its neighbor alone.
BR_TEST(rest_what_never_rests_keeps_only_its_neighbor_awake)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brShape *cube = brScene_Box(0.1, 0.1, 0.1), *ball = brScene_Sphere(0.04);
	brBodyId row[6];
	for (int32_t i = 0; i < 6; ++i)
	{
		row[i] = brScene_Body(world, cube, 0.1 * i, 0.0, 0.05);
	}
	brBodyDef def = brDefaultBodyDef();
	def.shape = ball;
	def.density = 2000.0;
	def.friction = 0.0;
	def.pose.p.z = 0.14;
	def.spin.z = 5.0; // without friction for ever
	brBodyId top = brWorld_CreateBody(world, &def, NULL);
	brScene_Run(world, 300);
	CHECK(brWorld_IsAwake(world, top));
	for (int32_t i = 1; i < 6; ++i)
	{
		CHECK_MESSAGE(!brWorld_IsAwake(world, row[i]), "cube %d of the row is awake", i);
	}
	brDestroyShape(cube);
	brDestroyShape(ball);
	brDestroyWorld(world);
}

// A light thing that goes nowhere and loses its contact woke all that sleeps there, so that a wedged heap never slept.
// What leaned on it wakes, and what that carries: a plank that stands without its load tips under it.
BR_TEST(rest_what_is_left_wakes_with_its_load_and_no_more)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = brScene_World(NULL, &worldDef);
	brScene_Ground(world);
	brShape *cube = brScene_Box(0.2, 0.2, 0.2), *plank = brScene_Box(1.0, 0.2, 0.02);
	brBodyDef def = brDefaultBodyDef();
	def.shape = cube;
	def.mass = 5.0;
	def.pose.p.z = 0.1;
	brWorld_CreateBody(world, &def, NULL);
	brBodyId row[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		def.pose.p.x = -0.2 * (i + 1);
		row[i] = brWorld_CreateBody(world, &def, NULL);
	}
	def.pose.p = brMakeDVec3(0.45, 0.0, 0.32);
	brBodyId load = brWorld_CreateBody(world, &def, NULL);
	def.shape = plank;
	def.pose.p = brMakeDVec3(0.09, 0.0, 0.21);
	def.mass = 1.0;
	brWorld_CreateBody(world, &def, NULL);
	def.shape = cube;
	def.pose.p = brMakeDVec3(0.45, 0.0, 0.1);
	def.enableSleep = false;
	brBodyId prop = brWorld_CreateBody(world, &def, NULL);
	brScene_Run(world, 240);
	CHECK(!brWorld_IsAwake(world, load) && brWorld_IsAwake(world, prop));
	double before = brWorld_GetCenter(world, load).z;
	// It no longer touches, and is still within reach, as after a rattle.
	world->dynamics.bodies.data[prop.index1 - 1].position.y += 0.204;
	world->dynamics.bodies.data[prop.index1 - 1].calmPlace.y += 0.204;
	brScene_Run(world, 1);
	for (int32_t i = 0; i < 3; ++i)
	{
		CHECK_MESSAGE(!brWorld_IsAwake(world, row[i]), "cube %d of the row is awake", i);
	}
	brScene_Run(world, 60);
	CHECK_MESSAGE(brWorld_GetCenter(world, load).z < before - 0.05, "fell by %g m",
				  before - brWorld_GetCenter(world, load).z);
	brDestroyShape(cube);
	brDestroyShape(plank);
	brDestroyWorld(world);
}

static void restHear(brLogLevel level, const char* text, void* user)
{
	*(int32_t*)user += level == br_logWarning && strstr(text, "times as heavy") != NULL;
}

BR_TEST(rest_too_heavy_a_load_is_told_once)
{
	// Above 300 : 1 eight substeps are too few, sixteen are not.
	for (int32_t k = 0; k < 3; ++k)
	{
		int32_t heard = 0;
		brContext context = {.log = restHear, .logUser = &heard};
		brWorldDef worldDef = brDefaultWorldDef();
		worldDef.substeps = k == 1 ? 16 : worldDef.substeps;
		brWorld* world = brScene_World(&context, &worldDef);
		brScene_Ground(world);
		brShape* cube = brScene_Box(0.2, 0.2, 0.2);
		brBodyDef def = brDefaultBodyDef();
		def.shape = cube;
		def.mass = 1.0;
		def.pose.p.z = 0.1;
		brWorld_CreateBody(world, &def, NULL);
		def.mass = k == 2 ? 100.0 : 1000.0;
		def.pose.p.z = 0.3;
		brWorld_CreateBody(world, &def, NULL);
		brDestroyShape(cube);
		brScene_Run(world, 120);
		CHECK_EQUAL(heard, k == 0 ? 1 : 0);
		brDestroyWorld(world);
	}
}

// The lowest and the highest point of a body over the ground z = 0.
static void restEnds(const brWorld* world, brBodyId id, const brMesh* mesh, double* outLowest, double* outHighest)
{
	brTransform pose = brWorld_GetPose(world, id);
	*outLowest = INFINITY, *outHighest = -INFINITY;
	for (int32_t i = 0; i < mesh->vertexCount; ++i)
	{
		double z = brTransform_Point(pose, mesh->positions[i]).z;
		*outLowest = fmin(*outLowest, z), *outHighest = fmax(*outHighest, z);
	}
}

// A scene that nobody chose: things dropped or thrown onto the ground, some of them onto each other.
static void restRandomScene(brRandom* random, char* out, size_t size)
{
	static const char* const models[] = {"plate",  "vase",  "wine_glass", "bowl",      "brick", "box",      "pane",
										 "statue", "torus", "piggy_bank", "icosphere", "knot",  "cylinder", "column"};
	static const char* const materials[] = {"porcelain", "glass",      "plaster", "brick",
											"marble",    "terracotta", "concrete"};
	int32_t count = 1 + (int32_t)brRandom_Below(random, 3);
	int length = snprintf(out, size, "duration: 30\nground: %s\nbodies:\n", materials[brRandom_Below(random, 7)]);
	for (int32_t i = 0; i < count; ++i)
	{
		length += snprintf(
			out + length, size - (size_t)length,
			"  - {model: %s, material: %s, position: [%.3f, %.3f, %.3f], rotation: [%.0f, %.0f, %.0f], "
			"velocity: [%.2f, %.2f, %.2f], fracture: {method: shatter, pieces: %d, generations: %d}}\n",
			models[brRandom_Below(random, 14)], materials[brRandom_Below(random, 7)], brRandom_Range(random, -0.2, 0.2),
			brRandom_Range(random, -0.2, 0.2), 0.35 + 0.6 * i + brRandom_Range(random, 0.0, 1.0),
			brRandom_Range(random, 0.0, 360.0), brRandom_Range(random, 0.0, 360.0), brRandom_Range(random, 0.0, 360.0),
			brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -1.0, 1.0), brRandom_Range(random, -5.0, 0.0),
			10 + (int)brRandom_Below(random, 60), 1 + (int)brRandom_Below(random, 2));
	}
}

// Faster than this a thing goes somewhere. [m/s]
#define REST_ROLLING 0.1

// What falls from three meters at 5 m/s, and is hit by something heavier that does, is slower than this. [m/s]
#define REST_THROWN 30.0

typedef struct RestCount
{
	int32_t pieces, sunk; // sunk: more than 0.2 mm and a hundredth of the thickness in the ground
	int32_t awake;        // and not on its way: what is round may roll on
} RestCount;

// Lets a scene play until ten seconds after its last break, and looks at what lies in the ground.
static void restPlay(const char* text, RestCount* count)
{
	brReport report = {0};
	brScene* scene = NULL;
	brRun* run = NULL;
	CHECK_RESULT(brReadScene(NULL, text, strlen(text), NULL, NULL, &scene, &report), &report);
	CHECK_RESULT(brCreateRun(NULL, scene, &run, &report), &report);
	const brWorld* world = brRun_GetWorld(run);
	int32_t lastBreak = 0, breaks = 0;
	for (int32_t frame = 0; frame < lastBreak + 600 && !brRun_IsDone(run); ++frame)
	{
		CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
		lastBreak = brRun_GetBreakCount(run) > breaks ? frame : lastBreak;
		breaks = brRun_GetBreakCount(run);
	}
	static brBodyId ids[4096];
	int32_t bodies = brWorld_GetBodies(world, ids, 4096);
	for (int32_t i = 0; i < bodies && i < 4096; ++i)
	{
		const brMesh* mesh = brWorld_GetMesh(world, ids[i]);
		if (mesh == NULL || brWorld_GetKind(world, ids[i]) != br_bodyDynamic)
		{
			continue;
		}
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brDVec3 size = brDSub(box.upper, box.lower);
		double thickness = fmin(size.x, fmin(size.y, size.z)), lowest, highest;
		restEnds(world, ids[i], mesh, &lowest, &highest);
		CHECK_MESSAGE(highest > 0.0, "body %d of %d is wholly below the ground\n%s", i, bodies, text);
		count->pieces += 1;
		count->sunk += lowest < -fmax(2e-4, 0.01 * thickness);
		double speed = brDLength(brWorld_GetVelocity(world, ids[i]));
		CHECK_MESSAGE(speed < REST_THROWN, "body %d of %d has %g m/s\n%s", i, bodies, speed, text);
		bool isRolling = speed > REST_ROLLING;
		count->awake += brWorld_IsAwake(world, ids[i]) && !isRolling;
	}
	brDestroyRun(run);
	brDestroyScene(scene);
}

// The ground breaks a hole into a pane that falls on its corner. It goes through no hole, so the pane may not go
// through it.
BR_TEST(rest_pieces_of_a_dropped_pane_stay_above_the_ground)
{
	RestCount count = {0};
	restPlay("duration: 1\nground: concrete\nbodies:\n  - {model: pane, material: concrete, position: [0, 0, 0.6], "
			 "rotation: "
			 "[60, 30, 0], velocity: [0, 0, -6], fracture: {method: shatter, pieces: 32, generations: 1}}\n",
			 &count);
	CHECK(count.pieces > 1);
}

// A splinter that something heavier pushed through the ground came out by a hundredth of a millimetre a step, and slept
// before it was out.
BR_TEST(rest_what_is_wholly_below_the_ground_comes_out_at_once)
{
	brWorld* world = brScene_World(NULL, NULL);
	brScene_Ground(world);
	brShape* splinter = brScene_Box(0.0045, 0.017, 0.0005);
	brBodyId id = brScene_Body(world, splinter, 0.0, 0.0, -0.006);
	brScene_Run(world, 2);
	CHECK_MESSAGE(brWorld_GetCenter(world, id).z > 0.0002, "%g", brWorld_GetCenter(world, id).z);
	brScene_Run(world, 120);
	CHECK_NEAR(brWorld_GetCenter(world, id).z, 0.00025, 5e-5);
	brDestroyWorld(world);
	brDestroyShape(splinter);
}

BR_TEST(rest_pieces_of_random_scenes_lie_on_the_ground)
{
	brRandom random = brTest_Random(test);
	static char text[4096];
	RestCount count = {0};
	for (int32_t i = 0; i < brTest_Rounds(test, 1); ++i)
	{
		restRandomScene(&random, text, sizeof(text));
		restPlay(text, &count);
	}
	// Of sixty random scenes a few pieces under heavy ones are left too deep; none is wholly below.
	CHECK_MESSAGE(count.sunk <= 1 + count.pieces / 20, "%d of %d pieces lie in the ground\n%s", count.sunk,
				  count.pieces, text);
	CHECK_MESSAGE(count.awake <= count.pieces / 20, "%d of %d pieces are awake\n%s", count.awake, count.pieces, text);
}

// A large mesh falls fast and askew: the bound of its distance from the ground may not let it pass, nor hang in the air.
BR_TEST(rest_large_meshes_land_however_they_are_turned)
{
	brRandom random = brTest_Random(test);
	brMesh* mesh = brShape_Model("statue", 0);
	brShapeDef shapeDef = brDefaultShapeDef(br_shapeMesh);
	shapeDef.mesh = mesh;
	brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &shapeDef);
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	brShape* plane = BR_MADE(brShape, brCreateShape, NULL, &planeDef);
	for (int32_t round = 0; round < brTest_Rounds(test, 12); ++round)
	{
		brWorldDef def = brDefaultWorldDef();
		brWorld* world = brScene_World(NULL, &def);
		brBodyDef ground = brDefaultBodyDef();
		ground.kind = br_bodyStatic;
		ground.shape = plane;
		CHECK(!brBodyId_IsNull(brWorld_CreateBody(world, &ground, NULL)));
		brBodyDef body = brDefaultBodyDef();
		body.shape = shape;
		brDVec3 axis = {brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)};
		body.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, BR_PI));
		body.pose.p = brMakeDVec3(0.0, 0.0, brRandom_Range(&random, 3.0, 4.5));
		brBodyId id = brWorld_CreateBody(world, &body, NULL);
		CHECK(!brBodyId_IsNull(id));
		for (int32_t i = 0; i < 120; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		// Two seconds after it was let go it has hit the ground and lost most of its speed.
		double speed = brDLength(brWorld_GetVelocity(world, id));
		CHECK_MESSAGE(speed < 4.0, "round %d: still at %g m/s", round, speed);
		CHECK(brWorld_GetPose(world, id).p.z > -0.1);
		brDestroyWorld(world);
	}
	brDestroyShape(plane);
	brDestroyShape(shape);
	brDestroyMesh(mesh);
}

static brWorld* restWorld(brShape** outPlane)
{
	brWorldDef def = brDefaultWorldDef();
	brShapeDef planeDef = brDefaultShapeDef(br_shapeHalfSpace);
	CHECK_RESULT(brCreateShape(NULL, &planeDef, outPlane, NULL), NULL);
	brWorld* world = brScene_World(NULL, &def);
	brBodyDef ground = brDefaultBodyDef();
	ground.kind = br_bodyStatic;
	ground.shape = *outPlane;
	CHECK(!brBodyId_IsNull(brWorld_CreateBody(world, &ground, NULL)));
	return world;
}

// Curved shards of a vase, dropped from half a meter, rocked at one energy for ever: 11 of 48 were awake after twelve
// seconds.
BR_TEST(rest_curved_shards_stop_rocking)
{
	brMesh* vase = brShape_Model("vase", 0);
	brSiteDef siteDef = brDefaultSiteDef();
	siteDef.count = 8;
	siteDef.seed = 5;
	brDVec3 sites[8];
	brShatterDef def = brDefaultShatterDef();
	brShatter* shards = NULL;
	CHECK_RESULT(brMakeSites(NULL, vase, &siteDef, sites, &def.siteCount, NULL), NULL);
	def.sites = sites;
	CHECK_RESULT(brCreateShatter(NULL, vase, &def, &shards, NULL), NULL);
	brBreakDef shard = brDefaultBreakDef();
	shard.mesh = shards->pieces[shards->pieceCount - 1].mesh;
	shard.material = *brFindMaterial("porcelain");
	shard.method = br_breakNone;
	for (int32_t k = 0; k < 6; ++k)
	{
		brShape* plane = NULL;
		brWorld* world = restWorld(&plane);
		brBodyDef body = brDefaultBodyDef();
		double t = 7.0 * k;
		brDVec3 axis = brDNormalize(brMakeDVec3(sin(t + 7.0), cos(3.0 * k + 7.0), sin(k - 14.0)));
		body.pose.q = brMakeQuatAxisAngle(axis, 0.9 * k);
		body.pose.p.z = 0.5;
		brBodyId id = brWorld_CreateBreakable(world, &body, &shard, NULL);
		CHECK(!brBodyId_IsNull(id));
		brScene_Run(world, 720);
		CHECK_MESSAGE(!brWorld_IsAwake(world, id), "attitude %d: still at %g rad/s", k,
					  brDLength(brWorld_GetSpin(world, id)));
		brDestroyWorld(world);
		brDestroyShape(plane);
	}
	brDestroyShatter(shards);
	brDestroyMesh(vase);
}

// Needles that fall on their tips: of 20,000 random ones 3,891 left the ground with a third more energy than they had,
// one with 328 times as much, while masses and levers were those of the step's start (tops.c).
BR_TEST(rest_needles_gain_no_energy)
{
	brRandom random = brTest_Random(test);
	for (int32_t round = 0; round < brTest_Rounds(test, 200); ++round)
	{
		brShape* plane = NULL;
		brWorld* world = restWorld(&plane);
		double thin[2] = {brRandom_Range(&random, 60.0, 160.0), brRandom_Range(&random, 60.0, 160.0)}, u[9];
		for (int32_t i = 0; i < 9; ++i)
		{
			u[i] = brRandom_Range(&random, -1.0, 1.0);
		}
		brShape* needle = brScene_Box(0.35, 0.35 / thin[0], 0.35 / thin[1]);
		brBodyDef body = brDefaultBodyDef();
		body.shape = needle;
		body.friction = body.restitution = 0.4;
		body.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(u[0], u[1], u[2])), 3.0 * u[3]);
		body.pose.p.z = 0.25;
		body.velocity = brMakeDVec3(u[4], 4.0 * u[5], -3.0 - 2.0 * fabs(u[5]));
		body.spin = brDMul(60.0, brMakeDVec3(u[6], u[7], u[8]));
		brWorld_CreateBody(world, &body, NULL);
		brWorldEnergy energy = brWorld_ComputeEnergy(world);
		double first = energy.kinetic + energy.potential, last = first;
		for (int32_t step = 0; step < 40; ++step)
		{
			brScene_Run(world, 1);
			energy = brWorld_ComputeEnergy(world);
			double now = energy.kinetic + energy.potential;
			CHECK_MESSAGE(now < last + 0.01 * first, "needle %d, step %d: %g times its energy", round, step,
						  now / first);
			last = now;
		}
		brDestroyWorld(world);
		brDestroyShape(plane);
		brDestroyShape(needle);
	}
}

// Scenes as they are shipped, twelve seconds: everything lies still by then but balls that roll away. One scene here,
// all in make test-long.
BR_TEST(rest_shipped_scenes_fall_asleep)
{
	static const char* const names[] = {"plates", "wine_glass", "drop_statues", "piggy_bank",
										"shelf",  "bricks",     "pane"};
	const int32_t count = (int32_t)(sizeof(names) / sizeof(names[0])), rounds = brTest_Rounds(test, 1);
	for (int32_t i = 0; i < (rounds < count ? rounds : count); ++i)
	{
		char path[512];
		snprintf(path, sizeof(path), "%s/scenes/%s.yaml", BR_SOURCE_DIR, names[i]);
		brScene* scene = NULL;
		brRun* run = NULL;
		brReport report = {0};
		CHECK_RESULT(brLoadScene(NULL, path, NULL, &scene, &report), &report);
		scene->duration = 12.0;
		CHECK_RESULT(brCreateRun(NULL, scene, &run, &report), &report);
		while (!brRun_IsDone(run))
		{
			CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
		}
		const brDynamics* dynamics = &brRun_GetWorld(run)->dynamics;
		for (int32_t k = 0; k < dynamics->bodies.count; ++k)
		{
			const brBody* body = &dynamics->bodies.data[k];
			bool isRest = body->kind != br_bodyDynamic || !brBody_IsMoving(body) ||
						  dynamics->shapes.data[body->shape].shape->kind == br_shapeSphere;
			CHECK_MESSAGE(isRest, "%s: body %d of %g kg is still awake, at %g m/s and %g rad/s", names[i], k,
						  body->mass, brDLength(body->velocity), brDLength(body->spin));
		}
		brDestroyRun(run);
		brDestroyScene(scene);
	}
}

// A tip has many faces, of which three were asked about: where they looked up a cone sank into a floor of triangles.
BR_TEST(rest_cones_do_not_sink_into_a_mesh)
{
	brRandom random = brTest_Random(test);
	brShape* floor = brScene_MeshBox(10.0, 10.0, 1.0, 1);
	for (int32_t round = 0; round < brTest_Rounds(test, 16); ++round)
	{
		enum
		{
			sides = 16
		};
		brDVec3 points[sides + 1];
		double height = brRandom_Range(&random, 0.1, 0.5);
		for (int32_t i = 0; i < sides; ++i)
		{
			double angle = 2.0 * BR_PI * i / sides;
			points[i] = brMakeDVec3(0.1 * brCos(angle), 0.1 * brSin(angle), 0.0);
		}
		points[sides] = brMakeDVec3(0.0, 0.0, height);
		brShapeDef shapeDef = brDefaultShapeDef(br_shapeHull);
		shapeDef.points = points;
		shapeDef.pointCount = sides + 1;
		brShape* cone = BR_MADE(brShape, brCreateShape, NULL, &shapeDef);
		brWorld* world = brScene_World(NULL, NULL);
		brBodyDef def = brDefaultBodyDef();
		def.kind = br_bodyStatic;
		def.shape = floor;
		def.pose.p.z = -0.5;
		brWorld_CreateBody(world, &def, NULL);
		def = brDefaultBodyDef();
		def.shape = cone;
		def.pose.p.z = 0.6;
		brDVec3 axis = {brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1), brRandom_Range(&random, -1, 1)};
		def.pose.q = brMakeQuatAxisAngle(brDNormalize(axis), brRandom_Range(&random, 0.0, 3.0));
		def.velocity.x = 1.0;
		brBodyId id = brWorld_CreateBody(world, &def, NULL);
		brScene_Run(world, 180);
		brTransform pose = brWorld_GetPose(world, id);
		double lowest = INFINITY;
		for (int32_t i = 0; i <= sides; ++i)
		{
			lowest = fmin(lowest, brTransform_Point(pose, points[i]).z);
		}
		CHECK_MESSAGE(lowest > -5e-4, "round %d, %g m high: %g m deep", round, height, -lowest);
		brDestroyWorld(world);
		brDestroyShape(cone);
	}
	brDestroyShape(floor);
}
