// SPDX-License-Identifier: MIT

// The pile in Bullet (libbullet-dev), as its own samples set a world up.

#include "peer_world.h"

#include <btBulletDynamicsCommon.h>

#include <vector>

namespace
{
struct Pile
{
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher{&configuration};
	btDbvtBroadphase broadphase;
	btSequentialImpulseConstraintSolver solver;
	btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
	btBoxShape cube{btVector3(0.5f, 0.5f, 0.5f)};
	btConvexHullShape hull;
	std::vector<btStaticPlaneShape*> planes;
	std::vector<btRigidBody*> bodies;
	int32_t count = 0;
};

void* create(int32_t count, double halfWidth, bool isHull)
{
	Pile* pile = new Pile;
	pile->world.setGravity(btVector3(0, 0, -9.81f));
	pile->count = count;
	btVector3 inertia;
	double points[16][3];
	brBenchPile_Hull(points);
	for (auto& p : points)
	{
		pile->hull.addPoint(btVector3((btScalar)p[0], (btScalar)p[1], (btScalar)p[2]), false);
	}
	pile->hull.recalcLocalAabb();
	btCollisionShape* solid = isHull ? (btCollisionShape*)&pile->hull : &pile->cube;
	solid->calculateLocalInertia(1000.0f, inertia);
	for (int32_t i = 0; i < count; ++i)
	{
		double p[3], q[4];
		brBenchPile_Place(i, p, q);
		btRigidBody::btRigidBodyConstructionInfo info(1000.0f, nullptr, solid, inertia);
		info.m_startWorldTransform =
			btTransform(btQuaternion((btScalar)q[0], (btScalar)q[1], (btScalar)q[2], (btScalar)q[3]),
						btVector3((btScalar)p[0], (btScalar)p[1], (btScalar)p[2]));
		info.m_friction = 0.70710678f; // Bullet takes the product
		btRigidBody* body = new btRigidBody(info);
		body->setActivationState(DISABLE_DEACTIVATION);
		pile->world.addRigidBody(body);
		pile->bodies.push_back(body);
	}
	const btVector3 normals[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
	for (int k = 0; k < 5; ++k)
	{
		pile->planes.push_back(new btStaticPlaneShape(normals[k], k == 0 ? btScalar(0) : btScalar(-halfWidth)));
		btRigidBody::btRigidBodyConstructionInfo info(0.0f, nullptr, pile->planes.back());
		info.m_friction = 0.70710678f;
		btRigidBody* body = new btRigidBody(info);
		pile->world.addRigidBody(body);
		pile->bodies.push_back(body);
	}
	return pile;
}

void step(void* world)
{
	static_cast<Pile*>(world)->world.stepSimulation(1.0f / 60.0f, 0);
}

double lowest(void* world)
{
	Pile* pile = static_cast<Pile*>(world);
	double z = 1e30;
	for (int32_t i = 0; i < pile->count; ++i)
	{
		double here = pile->bodies[(size_t)i]->getWorldTransform().getOrigin().z();
		z = here < z ? here : z;
	}
	return z;
}

void destroy(void* world)
{
	Pile* pile = static_cast<Pile*>(world);
	for (btRigidBody* body : pile->bodies)
	{
		pile->world.removeRigidBody(body);
		delete body;
	}
	for (btStaticPlaneShape* plane : pile->planes)
	{
		delete plane;
	}
	delete pile;
}

const brPeerWorld bullet = {"Bullet", create, step, lowest, destroy};
} // namespace

extern "C" const brPeerWorld* brPeerWorld_Bullet(void)
{
	return &bullet;
}
