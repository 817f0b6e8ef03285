// SPDX-License-Identifier: MIT

// Bullets and panes: what is thin breaks whatever hits it, at any speed and any frame rate, and what is behind a wall
// does not.

#include "brittle/brittle.h"
#include "harness.h"
#include "shapes.h"
#include "world_scenes.h"

#include <math.h>

#define PANE_SIZE 0.6

typedef struct FastShot
{
	double thickness, speed, frameRate, tilt; // tilt: of the bullet's way against the pane's normal
	bool isHeld;
	bool isHull; // the bullet: a box, else a ball
	double phase;
} FastShot;

#define FAST_STEEL 7800.0
#define FAST_LEAD 16000.0 // 8.4 g

// A pane across x, its front at x = 0.
static brBodyId fastPane(brWorld* world, double thickness, double x, bool isHeld)
{
	brMesh* mesh = brShape_Box(thickness, PANE_SIZE, PANE_SIZE);
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh;
	breaking.material = *brFindMaterial("glass");
	breaking.pieces = 12;
	breaking.generations = 1;
	brBodyDef body = brDefaultBodyDef();
	body.kind = isHeld ? br_bodyStatic : br_bodyDynamic;
	body.pose.p = brMakeDVec3(x, -0.5 * PANE_SIZE, -0.5 * PANE_SIZE);
	brReport report = {0};
	brBodyId id = brWorld_CreateBreakable(world, &body, &breaking, &report);
	CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
	brDestroyMesh(mesh);
	return id;
}

static brBodyId fastBullet(brWorld* world, const FastShot* shot, double ahead, double density)
{
	brShapeDef def = brDefaultShapeDef(shot->isHull ? br_shapeBox : br_shapeSphere);
	def.radius = 0.005;
	def.halfExtents = brMakeDVec3(0.008, 0.004, 0.004);
	brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &def);
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.density = density;
	brDVec3 way = brMakeDVec3(cos(shot->tilt), sin(shot->tilt), 0.0);
	body.pose.p = brDMulAdd(brMakeDVec3(0.0, 0.05, 0.03), -ahead, way);
	body.velocity = brDMul(shot->speed, way);
	brBodyId id = brWorld_CreateBody(world, &body, NULL);
	brDestroyShape(shape);
	return id;
}

static brWorld* fastWorld(void)
{
	brWorldDef def = brDefaultWorldDef();
	def.gravity = brMakeDVec3(0.0, 0.0, 0.0);
	return brScene_World(NULL, &def);
}

static void fastShoot(const FastShot* shot)
{
	brWorld* world = fastWorld();
	brBodyId pane = fastPane(world, shot->thickness, 0.0, shot->isHeld);
	double step = shot->speed / shot->frameRate, ahead = 0.02 + (1.0 + shot->phase) * step;
	brBodyId bullet = fastBullet(world, shot, ahead, FAST_STEEL);
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	// Two steps later it would be well past the pane.
	for (int32_t i = 0; i < 3; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / shot->frameRate, NULL), NULL);
	}
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	CHECK_MESSAGE(!brWorld_IsBody(world, pane),
				  "%g mm, %s, %g m/s, %g Hz, tilt %g, %s, phase %g: the pane is whole, the bullet at x = %g",
				  1e3 * shot->thickness, shot->isHeld ? "held" : "free", shot->speed, shot->frameRate, shot->tilt,
				  shot->isHull ? "box" : "ball", shot->phase, brWorld_GetCenter(world, bullet).x);
	CHECK(brWorld_IsBody(world, bullet));
	// It gave something to the pieces; if these are heavier than four grams of steel it may come back.
	double x = brWorld_GetVelocity(world, bullet).x, came = shot->speed * cos(shot->tilt);
	CHECK_MESSAGE(x < came && x > -0.6 * came, "%g m/s from %g, %g mm, %s, %g Hz", x, came, 1e3 * shot->thickness,
				  shot->isHeld ? "held" : "free", shot->frameRate);
	CHECK_MESSAGE(after.kinetic <= before.kinetic * (1.0 + 1e-9),
				  "%.12g J after %.12g, %g mm, %s, %g m/s, %g Hz, tilt %g, %s", after.kinetic, before.kinetic,
				  1e3 * shot->thickness, shot->isHeld ? "held" : "free", shot->speed, shot->frameRate, shot->tilt,
				  shot->isHull ? "box" : "ball");
	if (!shot->isHeld)
	{
		CHECK(brDDistance(after.momentum, before.momentum) < 1e-5 * brDLength(before.momentum));
	}
	brDestroyWorld(world);
}

BR_TEST(break_fast_bullets_break_thin_panes_at_any_speed)
{
	brRandom random = brTest_Random(test);
	const double thicknesses[3] = {0.001, 0.002, 0.004}, rates[3] = {30.0, 60.0, 240.0};
	const double speeds[5] = {30.0, 100.0, 300.0, 700.0, 1000.0};
	for (int32_t i = 0; i < 90; ++i)
	{
		FastShot shot = {thicknesses[i % 3], speeds[i / 3 % 5], rates[i / 15 % 3], 0.0, i / 45 == 0, false, 0.0};
		shot.tilt = brRandom_Range(&random, -0.6, 0.6);
		shot.isHull = brRandom_Unit(&random) < 0.4;
		shot.phase = brRandom_Unit(&random);
		fastShoot(&shot);
	}
	for (int32_t i = 90; i < brTest_Rounds(test, 90); ++i)
	{
		FastShot shot = {brRandom_Range(&random, 0.001, 0.004),
						 brRandom_Range(&random, 30.0, 1000.0),
						 brRandom_Range(&random, 24.0, 500.0),
						 brRandom_Range(&random, -0.7, 0.7),
						 brRandom_Unit(&random) < 0.5,
						 brRandom_Unit(&random) < 0.4,
						 brRandom_Unit(&random)};
		fastShoot(&shot);
	}
}

BR_TEST(break_fast_bullet_breaks_panes_one_behind_the_other_but_not_behind_a_wall)
{
	for (int32_t hasWall = 0; hasWall < 2; ++hasWall)
	{
		brWorld* world = fastWorld();
		brBodyId first = fastPane(world, 0.002, 0.0, false), second = fastPane(world, 0.002, 0.4, false);
		if (hasWall)
		{
			brShapeDef wall = brDefaultShapeDef(br_shapeBox);
			wall.halfExtents = brMakeDVec3(0.05, 0.5, 0.5);
			brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &wall);
			brBodyDef body = brDefaultBodyDef();
			body.kind = br_bodyStatic;
			body.shape = shape;
			body.pose.p.x = 0.2;
			brWorld_CreateBody(world, &body, NULL);
			brDestroyShape(shape);
		}
		FastShot shot = {0.002, 400.0, 60.0, 0.0, false, false, 0.0};
		brBodyId bullet = fastBullet(world, &shot, 1.0, FAST_STEEL);
		for (int32_t i = 0; i < 4; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		CHECK(!brWorld_IsBody(world, first));
		CHECK_EQUAL((int)brWorld_IsBody(world, second), hasWall);
		CHECK(!hasWall || brWorld_GetCenter(world, bullet).x < 0.2);
		brDestroyWorld(world);
	}
}

// The same for a pane of bonded pieces that is held all round.
BR_TEST(break_fast_bullets_break_bonded_panes)
{
	const double speeds[3] = {60.0, 300.0, 1000.0};
	for (int32_t i = 0; i < 3; ++i)
	{
		brWorld* world = fastWorld();
		brMesh* mesh = brShape_Box(0.003, PANE_SIZE, PANE_SIZE);
		brClusterDef def = brDefaultClusterDef();
		def.breaking.mesh = mesh;
		def.breaking.material = *brFindMaterial("glass");
		def.breaking.pieces = 60;
		brDBox3 anchors[2] = {{{-1.0, -1.0, -1.0}, {1.0, 1.0, 0.05}},
							  {{-1.0, -1.0, PANE_SIZE - 0.05}, {1.0, 1.0, 1.0}}};
		def.anchors = anchors, def.anchorCount = 2;
		brBodyDef body = brDefaultBodyDef();
		body.pose.p = brMakeDVec3(0.0, -0.5 * PANE_SIZE, -0.5 * PANE_SIZE);
		brReport report = {0};
		brBodyId pane = brWorld_CreateCluster(world, &body, &def, &report);
		CHECK_MESSAGE(pane.index1 != 0, "%s", report.text);
		FastShot shot = {0.003, speeds[i], 60.0, 0.2, true, false, 0.0};
		fastBullet(world, &shot, 0.02 + 1.3 * speeds[i] / 60.0, FAST_STEEL);
		for (int32_t k = 0; k < 4; ++k)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		CHECK_MESSAGE(!brWorld_IsBody(world, pane), "whole after %g m/s", speeds[i]);
		CHECK(brWorld_GetBodyCount(world) > 2);
		brDestroyMesh(mesh);
		brDestroyWorld(world);
	}
}

// A stone of 100 g that flies along x.
static void fastStone(brWorld* world, brDVec3 position, double speed)
{
	brShape* shape = brScene_Sphere(0.0206);
	brBodyDef stone = brDefaultBodyDef();
	stone.shape = shape, stone.density = 2700.0;
	stone.pose.p = position, stone.velocity.x = speed;
	brWorld_CreateBody(world, &stone, NULL);
	brDestroyShape(shape);
}

// A stone of 100 g thrown at a window of 4 mm: it holds at 2 m/s, gives way at 8, and once it does it does so for all
// that is faster.
BR_TEST(break_fast_stone_breaks_a_window_from_2_to_8_metres_a_second)
{
	for (int32_t seed = 0; seed < 2; ++seed)
	{
		bool wasBroken = false;
		for (double speed = 2.0; speed < 33.0; speed *= sqrt(2.0))
		{
			brWorld* world = fastWorld();
			brMesh* mesh = brShape_Box(0.004, 0.8, 0.6);
			brBreakDef breaking = brDefaultBreakDef();
			breaking.mesh = mesh, breaking.material = *brFindMaterial("glass");
			breaking.pieces = 12, breaking.seed = (uint64_t)seed;
			brBodyDef body = brDefaultBodyDef();
			body.kind = br_bodyStatic, body.pose.p = brMakeDVec3(0.0, -0.4, -0.3);
			brBodyId pane = brWorld_CreateBreakable(world, &body, &breaking, NULL);
			fastStone(world, brMakeDVec3(-0.05, 0.05, 0.03), speed);
			for (int32_t i = 0; i < 4; ++i)
			{
				CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
			}
			bool isBroken = !brWorld_IsBody(world, pane);
			CHECK_MESSAGE(isBroken || !wasBroken, "seed %d: whole at %g m/s", seed, speed);
			CHECK_MESSAGE(isBroken ? speed > 2.1 : speed < 7.9, "seed %d: %s at %g m/s", seed,
						  isBroken ? "broken" : "whole", speed);
			wasBroken = isBroken;
			brDestroyWorld(world);
			brDestroyMesh(mesh);
		}
	}
}

// What hits loses what the pane's glass takes, whatever of the pane its frame holds: crumbs and shards of the rim that
// are in its way stop nothing.
BR_TEST(break_fast_heavy_balls_go_through_a_held_pane)
{
	const double radii[4] = {0.05, 0.14, 0.15, 0.175};
	for (int32_t k = 0; k < 4; ++k)
	{
		brWorld* world = fastWorld();
		brMesh* mesh = brShape_Box(0.004, 1.2, 0.9);
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = mesh, breaking.material = *brFindMaterial("glass"), breaking.pieces = 40;
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic, body.pose.p = brMakeDVec3(0.0, -0.6, -0.6);
		brBodyId pane = brWorld_CreateBreakable(world, &body, &breaking, NULL);
		brShape* sphere = brScene_Sphere(radii[k]);
		brBodyDef ball = brDefaultBodyDef();
		ball.shape = sphere, ball.density = 7800.0;
		ball.pose.p = brMakeDVec3(-0.5, 0.15, 0.05), ball.velocity = brMakeDVec3(12.0, 0.0, 0.0);
		brBodyId id = brWorld_CreateBody(world, &ball, NULL);
		for (int32_t i = 0; i < 6; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		double speed = brWorld_GetVelocity(world, id).x;
		CHECK(!brWorld_IsBody(world, pane) && brWorld_GetBreakStats(world).failed == 0);
		CHECK_MESSAGE(speed > 10.0 && speed < 12.0, "radius %g: %g m/s behind the pane", radii[k], speed);
		brDestroyWorld(world);
		brDestroyShape(sphere);
		brDestroyMesh(mesh);
	}
}

// What a ball of steel keeps of its speed behind a pane of 4 mm. `outForm`: by closed form, from the energy of the
// cracks and the mass of the cone that is driven out; 0 for a bullet, which crushes what is in its way.
static double fastKept(double mass, double speed, bool isHeld, double frameRate, double* outForm)
{
	brWorld* world = fastWorld();
	brMesh* mesh = brShape_Box(0.004, 0.8, 0.8);
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh, breaking.material = *brFindMaterial("glass");
	brBodyDef body = brDefaultBodyDef();
	body.kind = isHeld ? br_bodyStatic : br_bodyDynamic, body.pose.p = brMakeDVec3(0.0, -0.45, -0.43);
	brBodyId pane = brWorld_CreateBreakable(world, &body, &breaking, NULL);
	double radius = cbrt(0.75 * mass / (BR_PI * FAST_STEEL)), plug = 0.0;
	brShape* sphere = brScene_Sphere(radius);
	brBodyDef ball = brDefaultBodyDef();
	ball.shape = sphere, ball.density = FAST_STEEL;
	ball.pose.p.x = -0.02 - radius - 0.3 * speed / frameRate, ball.velocity.x = speed;
	brBodyId id = brWorld_CreateBody(world, &ball, NULL);
	brWorldEnergy before = brWorld_ComputeEnergy(world);
	for (int32_t i = 0; i < 2 + (int32_t)(0.05 * frameRate); ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / frameRate, NULL), NULL);
		int32_t count;
		const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
		const brBodyId* ids = brWorld_GetBreakPieces(world, NULL);
		for (int32_t k = 0; count > 0 && k < events->pieceCount; ++k)
		{
			brMassProperties piece = brMesh_ComputeMass(brWorld_GetMesh(world, ids[k]), breaking.material.density);
			bool isNear = hypot(piece.center.y - 0.45, piece.center.z - 0.43) < radius + 0.004;
			plug += isNear && brWorld_GetVelocity(world, ids[k]).x > 0.3 * speed ? piece.mass : 0.0;
		}
	}
	CHECK(!brWorld_IsBody(world, pane));
	brWorldEnergy after = brWorld_ComputeEnergy(world);
	double went = after.fracture + after.friction + after.restitution + after.damping + after.solver + after.dust;
	CHECK_MESSAGE(
		fabs(after.kinetic + went - before.kinetic) < 0.01 * before.kinetic && after.solver < 0.01 * before.kinetic,
		"%g J of %g J left, %g J went, %g J by the solver", after.kinetic, before.kinetic, went, after.solver);
	double kept = brWorld_GetVelocity(world, id).x / speed;
	*outForm = plug > 0.0 ? mass / (mass + plug) * sqrt(1.0 - after.fracture / before.kinetic) : 0.0;
	brDestroyWorld(world);
	brDestroyShape(sphere);
	brDestroyMesh(mesh);
	return kept;
}

// A ball loses what the cracks take and what the cone before it gets, no more: the rest of the pane is out of its way.
// It had pushed a disc of more than twice its width along, whose wedges jammed, and hit the shards of the rim. The same
// for a free pane, which is far heavier, and for any length of a step.
BR_TEST(break_fast_balls_keep_what_the_hole_does_not_take)
{
	static const struct
	{
		double mass, speed;
	} shots[] = {{0.05, 10.0}, {0.05, 20.0}, {0.05, 60.0}, {0.05, 110.0}, {0.005, 60.0}, {0.008, 350.0}};
	double slower = 0.0;
	for (int32_t i = 0; i < 6; ++i)
	{
		double form[3], kept[3];
		kept[0] = fastKept(shots[i].mass, shots[i].speed, true, 60.0, &form[0]);
		kept[1] = fastKept(shots[i].mass, shots[i].speed, false, 60.0, &form[1]);
		kept[2] = fastKept(shots[i].mass, shots[i].speed, true, 240.0, &form[2]);
		for (int32_t k = 0; k < 3; ++k)
		{
			CHECK_MESSAGE(i == 5 ? kept[k] >= 0.9 : fabs(kept[k] - form[k]) < 0.02,
						  "%g kg at %g m/s keeps %g of it, %g by closed form", shots[i].mass, shots[i].speed, kept[k],
						  form[k]);
			CHECK_MESSAGE(fabs(kept[k] - kept[0]) < 0.02, "%g kg at %g m/s keeps %g, held %g", shots[i].mass,
						  shots[i].speed, kept[k], kept[0]);
		}
		CHECK(i >= 4 || kept[0] > slower);
		slower = kept[0];
	}
}

// The method of cracks knows loads at rest: its pane stopped a bullet of 350 m/s, one of 100 m/s (left: 4) and a stone
// of 100 g at 10 m/s. They go through as through one that shatters.
BR_TEST(break_fast_balls_leave_a_pane_that_cracks)
{
	static const struct
	{
		double radius, mass, speed, least;
	} shots[] = {{0.0045, 0.008, 350.0, 0.9}, {0.0045, 0.008, 100.0, 0.7}, {0.0212, 0.1, 10.0, 0.7}};
	for (int32_t k = 0; k < 3; ++k)
	{
		brWorld* world = fastWorld();
		brMesh* mesh = brShape_Box(0.004, 0.8, 0.6);
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = mesh, breaking.method = br_breakCrack;
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic, body.pose.p = brMakeDVec3(0.0, -0.45, -0.33);
		brBodyId pane = brWorld_CreateBreakable(world, &body, &breaking, NULL);
		brShape* sphere = brScene_Sphere(shots[k].radius);
		brBodyDef ball = brDefaultBodyDef();
		ball.shape = sphere, ball.mass = shots[k].mass;
		ball.pose.p.x = -shots[k].radius - 0.006, ball.velocity.x = shots[k].speed;
		brBodyId id = brWorld_CreateBody(world, &ball, NULL);
		for (int32_t i = 0; i < 6; ++i)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 240.0, NULL), NULL);
		}
		double left = brWorld_GetVelocity(world, id).x;
		CHECK_MESSAGE(!brWorld_IsBody(world, pane) && left > shots[k].least * shots[k].speed, "%g of %g m/s", left,
					  shots[k].speed);
		brDestroyWorld(world);
		brDestroyShape(sphere);
		brDestroyMesh(mesh);
	}
}

// Pieces of a free pane of a material that a stone hits at 30 m/s, and the largest of them as a share of the pane.
static int32_t fastPieces(const char* material, int32_t most, double* outLargest)
{
	brWorld* world = fastWorld();
	brMesh* mesh = brShape_Box(0.005, 0.3, 0.3);
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh, breaking.material = *brFindMaterial(material);
	breaking.pieces = most, breaking.smallest = 0.003, breaking.generations = 1;
	brBodyDef body = brDefaultBodyDef();
	body.pose.p = brMakeDVec3(0.0, -0.15, -0.15);
	brBodyId pane = brWorld_CreateBreakable(world, &body, &breaking, NULL);
	fastStone(world, brMakeDVec3(-0.3, 0.02, 0.01), 30.0);
	int32_t pieces = 1;
	*outLargest = 1.0;
	for (int32_t i = 0; i < 3 && pieces == 1; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		int32_t count = 0;
		const brBreakEvent* events = brWorld_GetBreakEvents(world, &count);
		const brBodyId* ids = brWorld_GetBreakPieces(world, NULL);
		if (count > 0)
		{
			pieces = events[0].pieceCount, *outLargest = 0.0;
		}
		for (int32_t k = 0; count > 0 && k < pieces; ++k)
		{
			*outLargest = fmax(*outLargest, brWorld_GetMass(world, ids[k]) / events[0].mass);
		}
	}
	CHECK((pieces == 1) == brWorld_IsBody(world, pane));
	brDestroyWorld(world);
	brDestroyMesh(mesh);
	return pieces;
}

// Tempered glass falls into crumbs of a few millimetres all over, laminated glass stays together, plain glass does
// neither.
BR_TEST(break_fast_tempered_glass_dices_and_laminated_glass_holds)
{
	double largest = 0.0;
	int32_t plain = fastPieces("glass", 4000, &largest);
	CHECK_MESSAGE(plain > 1 && largest > 0.02, "%d pieces of glass, the largest %g", plain, largest);
	int32_t crumbs = fastPieces("tempered_glass", 4000, &largest);
	// 60 to 80 on 50 x 50 mm: 2,160 to 2,880 here; the budget of a step allows 500.
	CHECK_MESSAGE(crumbs >= 490 && largest < 0.01, "%d pieces of tempered glass, the largest %g", crumbs, largest);
	CHECK_EQUAL(fastPieces("laminated_glass", 4000, &largest), 1);
}

typedef struct VesselShot
{
	const char* model;
	double speed, tilt, density;
	bool isHeld, isStanding;
} VesselShot;

// Of a vessel that a bullet goes through most stays in one piece, with a hole where it came in and one where it left.
// The bowl shattered as bending waves were given all the time that its wall would take to stop the bullet; so did the
// vase, which is hit by four grams of steel, too light to bend it on its way.
BR_TEST(break_fast_bullet_leaves_a_vessel_through_its_far_wall)
{
	// Off the middle the way is not along the normal. What stands is under its weight and has its own mass all the
	// same: nothing takes the momentum away.
	static const VesselShot shots[] = {
		{"vase", 350.0, 0.0, FAST_LEAD, false, false},  {"vase", 350.0, 0.0, FAST_LEAD, true, false},
		{"vase", 350.0, -0.3, FAST_LEAD, false, false}, {"vase", 350.0, 0.0, FAST_LEAD, false, true},
		{"bowl", 350.0, 0.0, FAST_LEAD, true, false},   {"vase", 150.0, 0.0, FAST_STEEL, true, false}};
	for (int32_t i = 0; i < (int32_t)(sizeof(shots) / sizeof(shots[0])); ++i)
	{
		const VesselShot* what = &shots[i];
		brMesh* mesh = brShape_Model(what->model, 0);
		brDBox3 box = brMesh_ComputeBounds(mesh);
		brWorldDef worldDef = brDefaultWorldDef();
		brWorld* world = what->isStanding ? brScene_World(NULL, &worldDef) : fastWorld();
		if (what->isStanding)
		{
			brShapeDef ground = brDefaultShapeDef(br_shapeHalfSpace);
			brBodyDef below = brDefaultBodyDef();
			brShape* shape = BR_MADE(brShape, brCreateShape, NULL, &ground);
			below.kind = br_bodyStatic;
			below.shape = shape;
			below.friction =
				0.0; // what is driven into the vessel moves it, and friction would rightly take some of that
			below.pose.p.z = 0.03 - 0.5 * (box.upper.z - box.lower.z);
			CHECK(brWorld_CreateBody(world, &below, NULL).index1 != 0);
			brDestroyShape(shape);
		}
		brBreakDef breaking = brDefaultBreakDef();
		breaking.mesh = mesh;
		breaking.material = *brFindMaterial("porcelain");
		brBodyDef body = brDefaultBodyDef();
		body.kind = what->isHeld ? br_bodyStatic : br_bodyDynamic;
		body.pose.p = brMakeDVec3(-box.lower.x, 0.05 - 0.1 * box.upper.y, 0.03 - 0.5 * (box.lower.z + box.upper.z));
		brBodyId vessel = brWorld_CreateBreakable(world, &body, &breaking, NULL);
		brMeshCheck whole, rest;
		CHECK_RESULT(brMesh_Check(mesh, NULL, NULL, &whole, NULL), NULL);
		FastShot shot = {.speed = what->speed, .tilt = what->tilt};
		brBodyId bullet = fastBullet(world, &shot, 0.05 + what->speed / 60.0, what->density);
		double momentum = brWorld_ComputeEnergy(world).momentum.x;
		for (int32_t k = 0; k < 3; ++k)
		{
			CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		}
		CHECK(!brWorld_IsBody(world, vessel));
		const brMesh* largest = NULL;
		double most = 0.0, all = brMesh_ComputeMass(mesh, 1.0).volume;
		brBodyId ids[400];
		int32_t count = brWorld_GetBodies(world, ids, 400);
		for (int32_t k = 0; k < count; ++k)
		{
			const brMesh* piece = brWorld_GetMesh(world, ids[k]);
			double volume = piece != NULL ? brMesh_ComputeMass(piece, 1.0).volume : 0.0;
			largest = volume > most ? piece : largest;
			most = fmax(most, volume);
		}
		CHECK_RESULT(brMesh_Check(largest, NULL, NULL, &rest, NULL), NULL);
		brDVec3 at = brWorld_GetCenter(world, bullet), speed = brWorld_GetVelocity(world, bullet);
		CHECK_MESSAGE(rest.euler <= whole.euler - 4, "%d: euler %d of %d, %g of the volume, bullet at %g with %g", i,
					  rest.euler, whole.euler, most / all, at.x, speed.x);
		CHECK_MESSAGE(most > 0.8 * all, "%d keeps %g", i, most / all);
		CHECK_MESSAGE(at.x > box.upper.x - box.lower.x && speed.x > 0.28 * what->speed,
					  "%d: the bullet is at %g with %g m/s", i, at.x, speed.x);
		double left = brWorld_ComputeEnergy(world).momentum.x / momentum;
		CHECK_MESSAGE(what->isHeld || fabs(left - 1.0) < 0.02, "%d: %g of the momentum is left", i, left);
		brDestroyWorld(world);
		brDestroyMesh(mesh);
	}
}

// Pieces that reach across a ring round the hit: between them are the radial cracks.
static int32_t fastRays(double speed, uint64_t seed)
{
	brWorld* world = fastWorld();
	brMesh* mesh = brShape_Box(0.001, 0.2, 0.2);
	brBreakDef breaking = brDefaultBreakDef();
	breaking.mesh = mesh;
	breaking.material = *brFindMaterial("glass");
	breaking.seed = seed;
	brBodyDef pane = brDefaultBodyDef();
	pane.kind = br_bodyStatic;
	pane.pose.p = brMakeDVec3(0.0, -0.1, -0.1);
	CHECK(brWorld_CreateBreakable(world, &pane, &breaking, NULL).index1 != 0);
	brShape* ball = brScene_Sphere(0.002);
	brBodyDef body = brDefaultBodyDef();
	body.shape = ball;
	body.density = FAST_STEEL;
	body.pose.p = brMakeDVec3(-0.01 - 0.5 * speed / 60.0, 0.003, 0.004);
	body.velocity = brMakeDVec3(speed, 0.0, 0.0);
	brWorld_CreateBody(world, &body, NULL);
	int32_t events = 0, all = 0, rays = 0;
	const brBreakEvent* event = NULL;
	for (int32_t k = 0; k < 3 && events == 0; ++k)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, NULL), NULL);
		event = brWorld_GetBreakEvents(world, &events);
	}
	CHECK_MESSAGE(events > 0, "a pane of 1 mm stands a ball of 4 mm at %g m/s", speed);
	const brBodyId* pieces = brWorld_GetBreakPieces(world, &all);
	for (int32_t i = 0; i < event->pieceCount; ++i)
	{
		const brMesh* piece = brWorld_GetMesh(world, pieces[event->firstPiece + i]);
		double least = INFINITY, most = 0.0;
		for (int32_t v = 0; piece != NULL && v < piece->vertexCount; ++v)
		{
			double y = piece->positions[v].y - 0.103, z = piece->positions[v].z - 0.104, far = sqrt(y * y + z * z);
			least = fmin(least, far), most = fmax(most, far);
		}
		rays += least < 0.02 && most > 0.02;
	}
	brDestroyShape(ball);
	brDestroyWorld(world);
	brDestroyMesh(mesh);
	return rays;
}

// Vandenberghe, Vermorel, Villermaux, PRL 110, 174302 (2013): four times as fast, twice as many. Below 20 m/s the pane
// hardly breaks.
BR_TEST(break_fast_radial_cracks_grow_as_the_root_of_the_speed)
{
	static const double speeds[4] = {20.0, 40.0, 80.0, 120.0};
	double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, count = 0.0;
	for (int32_t i = 0; i < 8; ++i)
	{
		int32_t rays = fastRays(speeds[i / 2], (uint64_t)(i % 2) + test->seed);
		CHECK_MESSAGE(rays > 4, "%d cracks at %g m/s", rays, speeds[i / 2]);
		double a = log(speeds[i / 2]), b = log(rays);
		x += a, y += b, xx += a * a, xy += a * b, count += 1.0;
	}
	double exponent = (count * xy - x * y) / (count * xx - x * x);
	CHECK_MESSAGE(fabs(exponent - 0.5) < 0.1, "cracks go as the speed to %g", exponent);
}
