// SPDX-License-Identifier: MIT

// A thousand boxes, balls and capsules poured into a box: how long a step takes, and when everything sleeps.
//
//     cc pile.c $(pkg-config --cflags --libs --static brittle) -o pile && ./pile 1000

#include "brittle/brittle.h"

#include <stdio.h>
#include <stdlib.h>

// A shape for each kind; null where there was no memory.
static brShape* makeShape(brShapeKind kind)
{
	brShapeDef def = brDefaultShapeDef(kind);
	def.radius = 0.06;
	def.halfLength = 0.06;
	def.halfExtents = brMakeDVec3(0.1, 0.05, 0.05);
	brShape* shape = NULL;
	brCreateShape(NULL, &def, &shape, NULL);
	return shape;
}

// Floor and four walls; the room is 2 m wide and deep.
static void addRoom(brWorld* world)
{
	const brDVec3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int32_t i = 0; i < 5; ++i)
	{
		brShapeDef def = brDefaultShapeDef(br_shapeHalfSpace);
		def.normal = normals[i];
		def.offset = i == 0 ? 0.0 : -1.0;
		brShape* plane = NULL;
		brCreateShape(NULL, &def, &plane, NULL);
		brBodyDef body = brDefaultBodyDef();
		body.kind = br_bodyStatic;
		body.shape = plane;
		brWorld_CreateBody(world, &body, NULL);
		brDestroyShape(plane);
	}
}

int main(int argumentCount, char** arguments)
{
	int32_t count = argumentCount > 1 ? atoi(arguments[1]) : 1000;
	brWorkersDef workersDef = brDefaultWorkersDef();
	brContext context = {.workers = brCreateWorkers(&workersDef)};
	brWorldDef def = brDefaultWorldDef();
	brWorld* world = NULL;
	brReport report = {0};
	if (brCreateWorld(&context, &def, &world, &report) < 0)
	{
		fprintf(stderr, "%s\n", report.text);
		brDestroyWorkers(context.workers);
		return 1;
	}
	addRoom(world);
	brShape* shapes[3] = {makeShape(br_shapeBox), makeShape(br_shapeSphere), makeShape(br_shapeCapsule)};
	for (int32_t i = 0; i < count; ++i)
	{
		brBodyDef body = brDefaultBodyDef();
		body.shape = shapes[i % 3];
		body.density = 2000.0;
		body.rolling = 0.05;
		// Layers of 7 x 7, each turned a little further than the last.
		body.pose.p = brMakeDVec3(0.26 * (i % 7 - 3), 0.26 * (int)(i / 7 % 7 - 3), 0.2 + 0.26 * (int)(i / 49));
		body.pose.q = brMakeQuatAxisAngle(brDNormalize(brMakeDVec3(1.0, 0.1 * (i % 11), 0.5)), 0.37 * i);
		if (brWorld_CreateBody(world, &body, &report).index1 == 0)
		{
			fprintf(stderr, "%s\n", report.text);
			break;
		}
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyShape(shapes[i]); // the world has copies
	}

	printf("     s   step ms   awake   contacts   kept\n");
	brStepStats stats = {0};
	for (int32_t step = 1; step <= 3600; ++step)
	{
		if (brWorld_Step(world, 1.0 / 60.0, &report) < 0)
		{
			fprintf(stderr, "%s\n", report.text);
			break;
		}
		stats = brWorld_GetStats(world);
		bool isAsleep = step > 60 && stats.awake == 0;
		if (step % 60 == 0 || isAsleep)
		{
			printf("%6.1f %9.2f %7d %10d %5d%%\n", step / 60.0, 1e3 * stats.seconds, stats.awake, stats.contacts,
				   stats.pairs > 0 ? 100 * stats.recycled / stats.pairs : 0);
		}
		if (isAsleep)
		{
			break;
		}
	}
	printf("%s, state %016llx\n", stats.awake == 0 ? "everything sleeps" : "something still moves",
		   (unsigned long long)brWorld_ComputeHash(world));
	brDestroyWorld(world);
	brDestroyWorkers(context.workers);
	return 0;
}
