// SPDX-License-Identifier: MIT

// A ball rolls through a swing door with a spring-like end, past a light barrier, and a cast asks how far it could go: joints with limits and a
// motor, a compound body, a sensor, a shape cast, a filter, poses as floats and lines for debugging, in one small world.
//
//     cc gate.c $(pkg-config --cflags --libs --static brittle) -o gate && ./gate

#include "brittle/brittle.h"

#include <stdio.h>

static brShape* makeBox(double x, double y, double z)
{
	brShapeDef def = brDefaultShapeDef(br_shapeBox);
	def.halfExtents = brMakeDVec3(0.5 * x, 0.5 * y, 0.5 * z);
	brShape* shape = NULL;
	return brCreateShape(NULL, &def, &shape, NULL) < 0 ? NULL : shape;
}

// The leaf of a door with a knob on it, three times as heavy as the wood: one body of two parts.
static brShape* makeLeaf(void)
{
	brShapePart parts[2] = {brDefaultShapePart(br_shapeBox), brDefaultShapePart(br_shapeSphere)};
	parts[0].shape.halfExtents = brMakeDVec3(0.025, 0.5, 0.5);
	parts[1].shape.radius = 0.04;
	parts[1].pose.p = brMakeDVec3(-0.05, 0.4, 0.0);
	parts[1].density = 3.0;
	brShape* shape = NULL;
	return brCreateCompound(NULL, parts, 2, &shape, NULL) < 0 ? NULL : shape;
}

// The ghost goes through everything but the ground, which has the first slot.
static bool isSolid(const brWorld* world, brBodyId a, brBodyId b, void* user)
{
	(void)world;
	const brBodyId* ghost = user;
	bool isGhost = a.index1 == ghost->index1 || b.index1 == ghost->index1;
	return !isGhost || a.index1 == 1 || b.index1 == 1;
}

// A game's renderer would draw the line; here it is counted.
static void countLine(brDVec3 from, brDVec3 to, uint32_t color, void* user)
{
	(void)from, (void)to, (void)color;
	*(int*)user += 1;
}

int main(void)
{
	brWorldDef worldDef = brDefaultWorldDef();
	brWorld* world = NULL;
	if (brCreateWorld(NULL, &worldDef, &world, NULL) < 0)
	{
		return 1;
	}
	brShapeDef ballDef = brDefaultShapeDef(br_shapeSphere);
	ballDef.radius = 0.2;
	brShape *ground = makeBox(20.0, 20.0, 1.0), *leaf = makeLeaf(), *barrier = makeBox(0.1, 2.0, 1.0);
	brShape* ball = NULL;
	if (ground == NULL || leaf == NULL || barrier == NULL || brCreateShape(NULL, &ballDef, &ball, NULL) < 0)
	{
		return 1;
	}
	brBodyDef def = brDefaultBodyDef();
	def.kind = br_bodyStatic;
	def.shape = ground;
	def.pose.p.z = -0.5;
	brBodyId floor = brWorld_CreateBody(world, &def, NULL);
	def.shape = barrier;
	def.pose.p = brMakeDVec3(2.0, 0.0, 0.5);
	def.isSensor = true;
	brBodyId sensor = brWorld_CreateBody(world, &def, NULL);
	def = brDefaultBodyDef();
	def.shape = leaf;
	def.pose.p = brMakeDVec3(0.0, 0.0, 0.6);
	brBodyId door = brWorld_CreateBody(world, &def, NULL);
	brWorld_SetMass(world, door, 5.0);
	def.shape = ball;
	def.pose.p = brMakeDVec3(-2.0, 0.2, 0.2);
	def.velocity.x = 5.0;
	def.spin.y = 25.0;
	brBodyId runner = brWorld_CreateBody(world, &def, NULL);
	def.pose.p.y = 3.0;
	brBodyId ghost = brWorld_CreateBody(world, &def, NULL);
	brPairFilter filter = {isSolid, &ghost};
	brWorld_SetPairFilter(world, &filter);

	// The door opens by up to 1.5 rad, and a weak motor closes it again.
	brJointDef hinge = brDefaultJointDef();
	hinge.kind = br_jointHinge;
	hinge.bodyA = floor, hinge.bodyB = door;
	hinge.anchor = brMakeDVec3(0.0, -0.5, 0.6);
	hinge.enableLimit = true;
	hinge.lowerAngle = -1.5, hinge.upperAngle = 0.0;
	hinge.enableMotor = true;
	hinge.motorSpeed = 1.0, hinge.motorTorque = 2.0;
	brWorld_CreateJoint(world, &hinge, NULL);

	brShapeHit hit;
	if (brWorld_CastShape(world, ball, brWorld_GetPose(world, runner), brMakeDVec3(10.0, 0.0, 0.0), NULL, &hit))
	{
		printf("the way is free for %.2f m\n", hit.distance);
	}
	for (int frame = 0; frame < 180; ++frame)
	{
		brWorld_Step(world, 1.0 / 60.0, NULL);
		int32_t count = 0;
		const brContactEvent* events = brWorld_GetContactEvents(world, &count);
		for (int32_t i = 0; i < count; ++i)
		{
			bool isBarrier = events[i].bodyA.index1 == sensor.index1 || events[i].bodyB.index1 == sensor.index1;
			if (isBarrier && events[i].isBegin)
			{
				printf("something is in the barrier after %.2f s\n", frame / 60.0);
			}
		}
	}
	float poses[7 * 8];
	int32_t bodies = brWorld_GetTransforms(world, poses, 8);
	printf("%d bodies, the runner is at x = %.2f\n", (int)bodies, (double)poses[7 * (runner.index1 - 1)]);
	int lines = 0;
	brDebugDraw draw = brDefaultDebugDraw();
	draw.line = countLine;
	draw.user = &lines;
	brWorld_DebugDraw(world, &draw);
	printf("the world has %d lines to draw\n", lines);
	brDestroyShape(ground);
	brDestroyShape(leaf);
	brDestroyShape(barrier);
	brDestroyShape(ball);
	brDestroyWorld(world);
	return 0;
}
