// SPDX-License-Identifier: MIT

#include "world_scenes.h"

#include "harness.h"
#include "mesh_scenes.h"

#include <math.h>

brWorld* brScene_World(const brContext* context, const brWorldDef* def)
{
	brWorldDef normal = brDefaultWorldDef();
	normal.enableSleep = false;
	return BR_MADE(brWorld, brCreateWorld, context, def != NULL ? def : &normal);
}

static brShape* sceneShape(const brShapeDef* def)
{
	return BR_MADE(brShape, brCreateShape, NULL, def);
}

brShape* brScene_Box(double x, double y, double z)
{
	brShapeDef def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents = brMakeDVec3(0.5 * x, 0.5 * y, 0.5 * z);
	return sceneShape(&def);
}

brShape* brScene_Sphere(double radius)
{
	brShapeDef def = brDefaultShapeDef(br_shapeSphere);
	def.radius = radius;
	return sceneShape(&def);
}

brShape* brScene_Capsule(double radius, double halfLength)
{
	brShapeDef def = brDefaultShapeDef(br_shapeCapsule);
	def.radius = radius;
	def.halfLength = halfLength;
	return sceneShape(&def);
}

static brBodyId scenePlane(brWorld* world, brDVec3 normal, double offset)
{
	brShapeDef def = brDefaultShapeDef(br_shapeHalfSpace);
	def.normal = normal;
	def.offset = offset;
	brShape* shape = sceneShape(&def);
	brBodyDef body = brDefaultBodyDef();
	body.kind = br_bodyStatic;
	body.shape = shape;
	brBodyId id = brWorld_CreateBody(world, &body, NULL);
	CHECK(id.index1 != 0);
	brDestroyShape(shape);
	return id;
}

brBodyId brScene_Ground(brWorld* world)
{
	return scenePlane(world, brMakeDVec3(0.0, 0.0, 1.0), 0.0);
}

brBodyId brScene_Body(brWorld* world, const brShape* shape, double x, double y, double z)
{
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.density = 2000.0;
	body.pose.p = brMakeDVec3(x, y, z);
	brReport report = {0};
	brBodyId id = brWorld_CreateBody(world, &body, &report);
	CHECK_MESSAGE(id.index1 != 0, "%s", report.text);
	return id;
}

void brScene_Tower(brWorld* world, int32_t count)
{
	brScene_Ground(world);
	brShape* brick = brScene_Box(0.2, 0.1, 0.1);
	for (int32_t i = 0; i < count; ++i)
	{
		brScene_Body(world, brick, 0.0, 0.0, 0.05 + 0.1 * i);
	}
	brDestroyShape(brick);
}

void brScene_Pyramid(brWorld* world, int32_t rows)
{
	brScene_Ground(world);
	brShape* brick = brScene_Box(0.2, 0.1, 0.1);
	for (int32_t row = 0; row < rows; ++row)
	{
		for (int32_t i = 0; i < rows - row; ++i)
		{
			brScene_Body(world, brick, 0.21 * (i + 0.5 * row), 0.0, 0.05 + 0.1 * row);
		}
	}
	brDestroyShape(brick);
}

static void sceneTurned(brWorld* world, const brShape* shape, brDVec3 place, brDVec3 axis, double angle)
{
	brBodyDef body = brDefaultBodyDef();
	body.shape = shape;
	body.density = 2000.0;
	body.pose = (brTransform){place, brMakeQuatAxisAngle(axis, angle)};
	CHECK(brWorld_CreateBody(world, &body, NULL).index1 != 0);
}

void brScene_Crossed(brWorld* world)
{
	brScene_Ground(world);
	brShape* brick = brScene_Box(0.2, 0.1, 0.1);
	const brDVec3 up = {0.0, 0.0, 1.0};
	for (int32_t layer = 0; layer < 6; ++layer)
	{
		for (int32_t k = 0; k < 2; ++k)
		{
			double off = 0.1 * k - 0.05, z = 0.05 + 0.1 * layer;
			bool isAcross = layer % 2 == 1;
			sceneTurned(world, brick, brMakeDVec3(isAcross ? off : 0.0, isAcross ? 0.0 : off, z), up,
						isAcross ? 0.5 * BR_PI : 0.0);
		}
	}
	brDestroyShape(brick);
}

double brScene_Cards(brWorld* world, int32_t tiers, bool isMesh)
{
	brScene_Ground(world);
	const double length = 0.1, width = 0.07, thickness = 0.002, lean = 20.0 * BR_PI / 180.0;
	const double height = length * brCos(lean) + thickness * brSin(lean);
	// Pairs stand a little apart, so that the feet of the next tier are well inside the flat cards.
	const double half = 0.5 * (length * brSin(lean) + thickness * brCos(lean)), spacing = 4.0 * half + 0.004;
	const brDVec3 y = {0.0, 1.0, 0.0};
	brShape* card = isMesh ? brScene_MeshBox(thickness, width, length, 1) : brScene_Box(thickness, width, length);
	brShape* flat =
		isMesh ? brScene_MeshBox(spacing - 0.001, width, thickness, 1) : brScene_Box(spacing - 0.001, width, thickness);
	double z = 0.0;
	for (int32_t tier = 0; tier < tiers; ++tier)
	{
		int32_t pairs = tiers - tier;
		double first = -0.5 * (pairs - 1) * spacing;
		for (int32_t i = 0; i < pairs; ++i)
		{
			double x = first + i * spacing;
			sceneTurned(world, card, brMakeDVec3(x - half, 0.0, z + 0.5 * height), y, lean);
			sceneTurned(world, card, brMakeDVec3(x + half, 0.0, z + 0.5 * height), y, -lean);
		}
		z += height;
		for (int32_t i = 0; i + 1 < pairs; ++i)
		{
			brScene_Body(world, flat, first + (i + 0.5) * spacing, 0.0, z + 0.5 * thickness);
		}
		z += tier + 1 < tiers ? thickness : 0.0;
	}
	brDestroyShape(card);
	brDestroyShape(flat);
	return z;
}

// One draw after the other: the order of arguments is the compiler's choice.
static brDVec3 sceneVector(brRandom* random, double lower, double upper)
{
	double x = brRandom_Range(random, lower, upper);
	double y = brRandom_Range(random, lower, upper);
	double z = brRandom_Range(random, lower, upper);
	return brMakeDVec3(x, y, z);
}

void brScene_Pile(brWorld* world, int32_t count, uint64_t seed)
{
	brRandom random = brMakeRandom(seed, 7);
	brScene_Ground(world);
	const double wall = 0.6;
	scenePlane(world, brMakeDVec3(1.0, 0.0, 0.0), -wall);
	scenePlane(world, brMakeDVec3(-1.0, 0.0, 0.0), -wall);
	scenePlane(world, brMakeDVec3(0.0, 1.0, 0.0), -wall);
	scenePlane(world, brMakeDVec3(0.0, -1.0, 0.0), -wall);
	brDVec3 points[16];
	for (int32_t i = 0; i < 16; ++i)
	{
		points[i] = brDMul(0.1, brDNormalize(sceneVector(&random, -1.0, 1.0)));
	}
	brShapeDef hull = brDefaultShapeDef(br_shapeHull);
	hull.pointCount = 16;
	hull.points = points;
	brShape* shapes[4] = {brScene_Box(0.2, 0.1, 0.1), brScene_Sphere(0.08), brScene_Capsule(0.05, 0.08),
						  sceneShape(&hull)};
	for (int32_t i = 0; i < count; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes[i % 4];
		body.density = 2000.0;
		body.rolling = 0.05;
		brDVec3 grid = {0.3 * (i % 3 - 1), 0.3 * (int)(i / 3 % 3 - 1), 0.3 + 0.3 * (int)(i / 9)};
		body.pose.p = brDAdd(grid, sceneVector(&random, -0.02, 0.02));
		brDVec3 axis = brDNormalize(brDAdd(sceneVector(&random, -1.0, 1.0), brMakeDVec3(0.0, 0.0, 1.5)));
		body.pose.q = brMakeQuatAxisAngle(axis, brRandom_Range(&random, 0.0, 6.0));
		CHECK(brWorld_CreateBody(world, &body, NULL).index1 != 0);
	}
	for (int32_t i = 0; i < 4; ++i)
	{
		brDestroyShape(shapes[i]);
	}
}

void brScene_Bricks(brWorld* world, int32_t count, uint64_t seed)
{
	brRandom random = brMakeRandom(seed, 3);
	brScene_Ground(world);
	const double wall = 0.35;
	scenePlane(world, brMakeDVec3(1.0, 0.0, 0.0), -wall);
	scenePlane(world, brMakeDVec3(-1.0, 0.0, 0.0), -wall);
	scenePlane(world, brMakeDVec3(0.0, 1.0, 0.0), -wall);
	scenePlane(world, brMakeDVec3(0.0, -1.0, 0.0), -wall);
	brShape* brick = brScene_Box(0.2, 0.1, 0.1);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 axis = brDNormalize(brDAdd(sceneVector(&random, -1.0, 1.0), brMakeDVec3(0.0, 0.0, 1.5)));
		double angle = brRandom_Range(&random, 0.0, 6.0);
		brDVec3 place = {0.22 * (i % 3 - 1), 0.22 * (int)(i / 3 % 3 - 1), 0.2 + 0.25 * (int)(i / 9)};
		sceneTurned(world, brick, place, axis, angle);
	}
	brDestroyShape(brick);
}

void brScene_Plates(brWorld* world, int32_t count, double thickness, double speed, uint64_t seed)
{
	brRandom random = brMakeRandom(seed, 5);
	brScene_Ground(world);
	brShape* plate = brScene_Box(0.12, 0.12, thickness);
	for (int32_t i = 0; i < count; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = plate;
		body.density = 2500.0;
		brDVec3 axis = brDNormalize(brDAdd(sceneVector(&random, -1.0, 1.0), brMakeDVec3(0.0, 0.0, 0.01)));
		body.pose.q = brMakeQuatAxisAngle(axis, brRandom_Range(&random, 0.0, 6.0));
		body.pose.p = brMakeDVec3(0.18 * (i % 2) - 0.09, 0.18 * (int)(i / 2 % 2) - 0.09, 0.15 + 0.18 * (int)(i / 4));
		body.velocity.z = -speed;
		body.spin = sceneVector(&random, -3.0, 3.0);
		CHECK(brWorld_CreateBody(world, &body, NULL).index1 != 0);
	}
	brDestroyShape(plate);
}

void brScene_Run(brWorld* world, int32_t steps)
{
	brReport report = {0};
	for (int32_t i = 0; i < steps; ++i)
	{
		CHECK_RESULT(brWorld_Step(world, 1.0 / 60.0, &report), &report);
	}
}

int32_t brScene_Poses(const brWorld* world, brTransform* outPoses)
{
	static brBodyId ids[4096];
	int32_t count = brWorld_GetBodies(world, ids, 4096);
	for (int32_t i = 0; i < count; ++i)
	{
		outPoses[i] = brWorld_GetPose(world, ids[i]);
	}
	return count;
}

double brScene_Drift(const brWorld* world, const brTransform* before, double* outAngle)
{
	static brTransform now[4096];
	int32_t count = brScene_Poses(world, now);
	double drift = 0.0, angle = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		drift = fmax(drift, brDDistance(now[i].p, before[i].p));
		brQuat q = brQuat_Mul(now[i].q, brQuat_Conjugate(before[i].q));
		angle = fmax(angle, 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z));
	}
	if (outAngle != NULL)
	{
		*outAngle = angle;
	}
	return drift;
}
