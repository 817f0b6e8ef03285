// SPDX-License-Identifier: MIT

// Single bodies: what they are asked, and what they are told between steps.

#include "base/report.h"
#include "brittle/world.h"
#include "dynamics/tuning.h"
#include "world/world_state.h"

bool brWorld_IsBody(const brWorld* world, brBodyId id)
{
	return brWorld_BodySlot(world, id) >= 0;
}

bool brWorld_IsJoint(const brWorld* world, brJointId id)
{
	return brWorld_JointSlot(world, id) >= 0;
}

bool brWorld_IsAwake(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot >= 0 && brBody_IsMoving(&world->dynamics.bodies.data[slot]);
}

brTransform brWorld_GetPose(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0)
	{
		return brMakeTransformIdentity();
	}
	return brWorld_PoseOf(world, &world->dynamics.bodies.data[slot]);
}

brDVec3 brWorld_GetCenter(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot < 0 ? brMakeDVec3(0.0, 0.0, 0.0) : world->dynamics.bodies.data[slot].position;
}

brDVec3 brWorld_GetVelocity(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot < 0 ? brMakeDVec3(0.0, 0.0, 0.0) : world->dynamics.bodies.data[slot].velocity;
}

brDVec3 brWorld_GetSpin(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot < 0 ? brMakeDVec3(0.0, 0.0, 0.0) : world->dynamics.bodies.data[slot].spin;
}

double brWorld_GetMass(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot < 0 ? 0.0 : world->dynamics.bodies.data[slot].mass;
}

brBodyKind brWorld_GetKind(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot < 0 ? br_bodyStatic : (brBodyKind)world->dynamics.bodies.data[slot].kind;
}

uint64_t brWorld_GetUserData(const brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	return slot < 0 ? 0 : world->dynamics.bodies.data[slot].userData;
}

int32_t brWorld_GetBodyCount(const brWorld* world)
{
	if (world == NULL)
	{
		return 0;
	}
	return world->dynamics.bodyCount;
}

bool brWorld_SetPose(brWorld* world, brBodyId id, brTransform pose)
{
	int32_t slot = brWorld_BodySlot(world, id);
	double length = pose.q.x * pose.q.x + pose.q.y * pose.q.y + pose.q.z * pose.q.z + pose.q.w * pose.q.w;
	if (slot < 0 || !brIsPlace(pose.p) || !(fabs(length - 1.0) < 1e-3))
	{
		return false;
	}
	brDynamics* dynamics = &world->dynamics;
	brBody* body = &dynamics->bodies.data[slot];
	brTransform frame = dynamics->shapes.data[body->shape].shape->frame;
	brQueryTree_Forget(world->queries);
	// Old contact points mean nothing at the new place.
	(void)BR_RESERVE(&dynamics->allocator, &dynamics->contactEvents, dynamics->pairs.count);
	brDynamics_DropPairs(dynamics, slot);
	body->position = brTransform_Point(pose, frame.p);
	body->rotation = brQuat_Normalize(brQuat_Mul(pose.q, frame.q));
	brDynamics_Wake(dynamics, slot);
	return true;
}

bool brWorld_SetVelocity(brWorld* world, brBodyId id, brDVec3 velocity, brDVec3 spin)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0 || !brIsMotion(velocity, spin) || world->dynamics.bodies.data[slot].kind == br_bodyStatic ||
		world->dynamics.bodies.data[slot].isSetAside)
	{
		return false;
	}
	world->dynamics.bodies.data[slot].velocity = velocity;
	world->dynamics.bodies.data[slot].spin = spin;
	brDynamics_Wake(&world->dynamics, slot);
	return true;
}

bool brWorld_SetGravity(brWorld* world, brDVec3 gravity)
{
	if (world == NULL)
	{
		return false;
	}
	if (!brDIsFinite(gravity))
	{
		return false;
	}
	world->dynamics.def.gravity = gravity;
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		if (world->dynamics.bodies.data[i].kind == br_bodyDynamic)
		{
			brDynamics_Wake(&world->dynamics, i);
		}
	}
	return true;
}

bool brWorld_ApplyImpulse(brWorld* world, brBodyId id, brDVec3 impulse, brDVec3 point)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0 || !brDIsFinite(impulse) || !brDIsFinite(point) ||
		world->dynamics.bodies.data[slot].kind != br_bodyDynamic || world->dynamics.bodies.data[slot].isSetAside)
	{
		return false;
	}
	brBody* body = &world->dynamics.bodies.data[slot];
	brDVec3 torque = brQuat_InvRotate(body->rotation, brDCross(brDSub(point, body->position), impulse));
	brDVec3 turn = {torque.x * body->invInertia.x, torque.y * body->invInertia.y, torque.z * body->invInertia.z};
	body->velocity = brDMulAdd(body->velocity, body->invMass, impulse);
	body->spin = brDAdd(body->spin, brQuat_Rotate(body->rotation, turn));
	brDynamics_Wake(&world->dynamics, slot);
	return true;
}

bool brWorld_ApplyAngularImpulse(brWorld* world, brBodyId id, brDVec3 impulse)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0 || !brDIsFinite(impulse) || world->dynamics.bodies.data[slot].kind != br_bodyDynamic ||
		world->dynamics.bodies.data[slot].isSetAside)
	{
		return false;
	}
	brBody* body = &world->dynamics.bodies.data[slot];
	brDVec3 torque = brQuat_InvRotate(body->rotation, impulse);
	brDVec3 turn = {torque.x * body->invInertia.x, torque.y * body->invInertia.y, torque.z * body->invInertia.z};
	body->spin = brDAdd(body->spin, brQuat_Rotate(body->rotation, turn));
	brDynamics_Wake(&world->dynamics, slot);
	return true;
}

bool brWorld_WakeBody(brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0 || world->dynamics.bodies.data[slot].kind != br_bodyDynamic)
	{
		return false;
	}
	brDynamics_Wake(&world->dynamics, slot);
	return true;
}

// A body that changes: itself, and what leans on it.
static brBody* worldChange(brWorld* world, brBodyId id)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0)
	{
		return NULL;
	}
	brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		bool isOwn = contact->bodyA == slot || contact->bodyB == slot;
		if (isOwn && !brBody_IsSensed(&dynamics->bodies.data[contact->bodyA], &dynamics->bodies.data[contact->bodyB]))
		{
			brDynamics_Wake(dynamics, contact->bodyA == slot ? contact->bodyB : contact->bodyA);
		}
	}
	brDynamics_Wake(dynamics, slot);
	return &dynamics->bodies.data[slot];
}

bool brWorld_SetFilter(brWorld* world, brBodyId id, uint32_t category, uint32_t collidesWith)
{
	brBody* body = worldChange(world, id);
	if (body != NULL)
	{
		body->category = category;
		body->collidesWith = collidesWith;
	}
	return body != NULL;
}

bool brWorld_SetSurface(brWorld* world, brBodyId id, double friction, double restitution)
{
	bool isGood = brIsNumberFrom(friction, 0.0) && brIsNumberFrom(restitution, 0.0) && restitution <= 1.0;
	brBody* body = isGood ? worldChange(world, id) : NULL;
	if (body != NULL)
	{
		body->friction = (float)friction;
		body->restitution = (float)restitution;
	}
	return body != NULL;
}

bool brWorld_SetGravityScale(brWorld* world, brBodyId id, double gravityScale)
{
	brBody* body = isfinite(gravityScale) ? worldChange(world, id) : NULL;
	if (body != NULL)
	{
		body->gravityScale = (float)gravityScale;
	}
	return body != NULL;
}

bool brWorld_SetMass(brWorld* world, brBodyId id, double mass)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot < 0 || !brIsNumberFrom(mass, 0.0) || !(mass > 0.0) || !(world->dynamics.bodies.data[slot].mass > 0.0))
	{
		return false;
	}
	brBody* body = &world->dynamics.bodies.data[slot];
	double scale = mass / body->mass;
	body->mass = mass;
	body->invMass = 1.0 / mass;
	body->inertia = brDMul(scale, body->inertia);
	body->invInertia = brDMul(1.0 / scale, body->invInertia);
	brDynamics_Wake(&world->dynamics, slot);
	return true;
}

static bool worldAcceptsPair(const void* owner, int32_t a, int32_t b)
{
	const brWorld* world = owner;
	const brPairFilter* filter = &world->pairFilter;
	return filter->accept(world, brDynamics_BodyId(&world->dynamics, a), brDynamics_BodyId(&world->dynamics, b),
						  filter->user);
}

void brWorld_SetPairFilter(brWorld* world, const brPairFilter* filter)
{
	if (world == NULL)
	{
		return;
	}
	world->pairFilter = filter != NULL ? *filter : (brPairFilter){0};
	world->dynamics.acceptsPair = world->pairFilter.accept != NULL ? worldAcceptsPair : NULL;
	world->dynamics.owner = world;
}

bool brWorld_SetUserData(brWorld* world, brBodyId id, uint64_t userData)
{
	int32_t slot = brWorld_BodySlot(world, id);
	if (slot >= 0)
	{
		world->dynamics.bodies.data[slot].userData = userData;
	}
	return slot >= 0;
}
