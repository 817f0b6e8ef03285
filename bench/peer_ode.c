// SPDX-License-Identifier: MIT

// The pile in ODE (libode-dev): quickstep with its 20 iterations, up to 8 contacts a pair.

#include "peer_world.h"

#ifdef BR_HAVE_ODE

#include <ode/ode.h>
#include <stdlib.h>

typedef struct OdePile
{
	dWorldID world;
	dSpaceID space;
	dJointGroupID contacts;
	dBodyID* bodies;
	int32_t count;
} OdePile;

static void odeCollide(void* data, dGeomID a, dGeomID b)
{
	OdePile* pile = data;
	dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
	if (bodyA == NULL && bodyB == NULL)
	{
		return;
	}
	dContact contacts[8];
	int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
	for (int i = 0; i < count; ++i)
	{
		contacts[i].surface.mode = dContactApprox1;
		contacts[i].surface.mu = 0.5;
		dJointAttach(dJointCreateContact(pile->world, pile->contacts, &contacts[i]), bodyA, bodyB);
	}
}

static void* odeCreate(int32_t count, double halfWidth, bool isHull)
{
	(void)isHull; // boxes only
	dInitODE2(0);
	OdePile* pile = malloc(sizeof(OdePile));
	pile->world = dWorldCreate();
	pile->space = dHashSpaceCreate(NULL);
	pile->contacts = dJointGroupCreate(0);
	pile->bodies = malloc(sizeof(dBodyID) * (size_t)count);
	pile->count = count;
	dWorldSetGravity(pile->world, 0.0, 0.0, -9.81);
	dWorldSetQuickStepNumIterations(pile->world, 20);
	for (int32_t i = 0; i < count; ++i)
	{
		double p[3], q[4];
		brBenchPile_Place(i, p, q);
		dBodyID body = dBodyCreate(pile->world);
		dMass mass;
		dMassSetBox(&mass, 1000.0, 1.0, 1.0, 1.0);
		dBodySetMass(body, &mass);
		dBodySetPosition(body, (dReal)p[0], (dReal)p[1], (dReal)p[2]);
		dQuaternion rotation = {(dReal)q[3], (dReal)q[0], (dReal)q[1], (dReal)q[2]};
		dBodySetQuaternion(body, rotation);
		dGeomSetBody(dCreateBox(pile->space, 1.0, 1.0, 1.0), body);
		pile->bodies[i] = body;
	}
	const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int k = 0; k < 5; ++k)
	{
		dCreatePlane(pile->space, (dReal)normals[k][0], (dReal)normals[k][1], (dReal)normals[k][2],
					 (dReal)(k == 0 ? 0.0 : -halfWidth));
	}
	return pile;
}

static void odeStep(void* world)
{
	OdePile* pile = world;
	dSpaceCollide(pile->space, pile, odeCollide);
	dWorldQuickStep(pile->world, (dReal)(1.0 / 60.0));
	dJointGroupEmpty(pile->contacts);
}

static double odeLowest(void* world)
{
	OdePile* pile = world;
	double lowest = 1e30;
	for (int32_t i = 0; i < pile->count; ++i)
	{
		double z = (double)dBodyGetPosition(pile->bodies[i])[2];
		lowest = z < lowest ? z : lowest;
	}
	return lowest;
}

static void odeDestroy(void* world)
{
	OdePile* pile = world;
	dJointGroupDestroy(pile->contacts);
	dSpaceDestroy(pile->space);
	dWorldDestroy(pile->world);
	free(pile->bodies);
	free(pile);
	dCloseODE();
}

const brPeerWorld* brPeerWorld_Ode(void)
{
	static const brPeerWorld ode = {"ODE", odeCreate, odeStep, odeLowest, odeDestroy};
	return &ode;
}

#else

const brPeerWorld* brPeerWorld_Ode(void)
{
	return 0;
}

#endif

#ifndef BR_HAVE_BULLET
const brPeerWorld* brPeerWorld_Bullet(void)
{
	return 0;
}
#endif
