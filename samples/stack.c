// SPDX-License-Identifier: MIT

// A tower of bricks, a ball that knocks it over, and the result as a file to look at.
//
//     cc stack.c $(pkg-config --cflags --libs --static brittle) -o stack && ./stack stack.glb

#include "brittle/brittle.h"

#include <stdio.h>

enum
{
	brickCount = 10,
	frameCount = 180,
	bodyCount = brickCount + 1,
};

// Adds a mesh of a built-in model to the assembly; -1 if there is none.
static int32_t addModel(brAssembly* assembly, const char* name, brDVec3 size)
{
	brModelDef model = brDefaultModelDef(name);
	brMesh* mesh = NULL;
	if (brMakeModel(NULL, &model, &mesh, NULL) < 0)
	{
		return -1;
	}
	// To the size of the shape, with the center at the origin.
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 middle = brDMul(0.5, brDAdd(box.lower, box.upper)), extent = brDSub(box.upper, box.lower);
	brAffine fit = brMakeAffineIdentity();
	fit.m.cx.x = size.x / extent.x, fit.m.cy.y = size.y / extent.y, fit.m.cz.z = size.z / extent.z;
	fit.p = brMakeDVec3(-middle.x * fit.m.cx.x, -middle.y * fit.m.cy.y, -middle.z * fit.m.cz.z);
	brMesh_Transform(mesh, &fit);
	int32_t index = brAssembly_AddMesh(assembly, mesh);
	if (index < 0)
	{
		brDestroyMesh(mesh);
	}
	return index;
}

int main(int argumentCount, char** arguments)
{
	const char* path = argumentCount > 1 ? arguments[1] : "stack.glb";
	brReport report = {0};
	brShape *plane = NULL, *brick = NULL, *ball = NULL;
	brWorld* world = NULL;
	static brMotionKey keys[bodyCount][frameCount];
	brBodyId ids[bodyCount];

	brShapeDef shape = brDefaultShapeDef(br_shapeHalfSpace);
	brResult result = brCreateShape(NULL, &shape, &plane, &report);
	shape = brDefaultShapeDef(br_shapeBox);
	shape.halfExtents = brMakeDVec3(0.1, 0.05, 0.05);
	result = result < 0 ? result : brCreateShape(NULL, &shape, &brick, &report);
	shape = brDefaultShapeDef(br_shapeSphere);
	shape.radius = 0.08;
	result = result < 0 ? result : brCreateShape(NULL, &shape, &ball, &report);
	brWorldDef def = brDefaultWorldDef();
	result = result < 0 ? result : brCreateWorld(NULL, &def, &world, &report);

	brAssembly* assembly = brCreateAssembly(NULL);
	if (result >= 0 && assembly != NULL)
	{
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = plane;
		brWorld_CreateBody(world, &body, &report);
		body = brDefaultBodyDef();
		body.shape = brick;
		body.density = 2000.0;
		for (int32_t i = 0; i < brickCount; ++i)
		{
			body.pose.p.z = 0.05 + 0.1 * i;
			ids[i] = brWorld_CreateBody(world, &body, &report);
		}
		body.shape = ball;
		body.density = 4000.0;
		body.pose.p = brMakeDVec3(-4.0, 0.02, 0.5);
		body.velocity = brMakeDVec3(6.0, 0.0, 3.0);
		ids[brickCount] = brWorld_CreateBody(world, &body, &report);

		for (int32_t frame = 0; frame < frameCount && result >= 0; ++frame)
		{
			for (int32_t i = 0; i < bodyCount; ++i)
			{
				keys[i][frame] = (brMotionKey){frame / 60.0, brWorld_GetPose(world, ids[i])};
			}
			result = brWorld_Step(world, 1.0 / 60.0, &report);
			int32_t count;
			const brContactEvent* events = brWorld_GetContactEvents(world, &count);
			for (int32_t i = 0; i < count; ++i)
			{
				if (events[i].isBegin && events[i].approachSpeed > 3.0)
				{
					printf("%.2f s: bodies %d and %d meet at %.1f m/s with %.1f N s\n", frame / 60.0,
						   events[i].bodyA.index1, events[i].bodyB.index1, events[i].approachSpeed, events[i].impulse);
				}
			}
		}
		brStepStats stats = brWorld_GetStats(world);
		printf("after %.0f s %d of %d bodies are awake\n", frameCount / 60.0, stats.awake, stats.bodies);

		int32_t meshes[2] = {addModel(assembly, "brick", brMakeDVec3(0.2, 0.1, 0.1)),
							 addModel(assembly, "icosphere", brMakeDVec3(0.16, 0.16, 0.16))};
		for (int32_t i = 0; i < bodyCount && result >= 0; ++i)
		{
			brPart part = brDefaultPart();
			part.mesh = meshes[i == brickCount];
			int32_t index =
				part.mesh >= 0 ? brAssembly_AddPart(assembly, i < brickCount ? "brick" : "ball", &part) : -1;
			if (index >= 0)
			{
				brAssembly_SetMotion(assembly, index, keys[i], frameCount);
			}
		}
		result = result < 0 ? result : brSaveAssembly(NULL, assembly, path, NULL, &report);
	}
	if (result < 0)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	brDestroyAssembly(assembly);
	brDestroyWorld(world);
	brDestroyShape(plane);
	brDestroyShape(brick);
	brDestroyShape(ball);
	return result < 0;
}
