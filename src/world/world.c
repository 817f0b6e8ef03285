// SPDX-License-Identifier: MIT

// The public face of a world: ids to slots and back, defs checked, shapes shared.

#include "brittle/world.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/report.h"
#include "dynamics/tuning.h"
#include "world/world_state.h"

#include <string.h>

// What carries more than so many times its mass in one body gives way by several percent of its size at fewer substeps.
#define WORLD_HEAVY 300.0
#define WORLD_HEAVY_SUBSTEPS 16

brWorldDef brDefaultWorldDef(void)
{
	return (brWorldDef){
		.gravity = {0.0, 0.0, -9.81},
		.substeps = 8,
		.contactDamping = 3.0,
		.pushSpeed = 3.0,
		.restitutionSpeed = 1.0,
		.sleepSpeed = 0.01,
		.sleepTime = 0.5,
		.slowDamping = 2.0,
		.eventImpulse = INFINITY,
		.enableSleep = true,
		.enableRecycle = true,
		.enableSweep = true,
		.stamp = BR_STAMP(brWorldDef),
	};
}

brBodyDef brDefaultBodyDef(void)
{
	return (brBodyDef){
		.kind = br_bodyDynamic,
		.pose = brMakeTransformIdentity(),
		.density = 1000.0,
		.friction = 0.5,
		.spinning = 0.02,
		.gravityScale = 1.0,
		.category = 1,
		.collidesWith = UINT32_MAX,
		.enableSleep = true,
		.stamp = BR_STAMP(brBodyDef),
	};
}

brJointDef brDefaultJointDef(void)
{
	return (brJointDef){
		.kind = br_jointBall,
		.axis = {0.0, 0.0, 1.0},
		.breakForce = INFINITY,
		.breakTorque = INFINITY,
		.springDamping = 1.0,
		.stamp = BR_STAMP(brJointDef),
	};
}

static bool worldIsPlace(brDVec3 p)
{
	return fabs(p.x) < BR_MAX_POSITION && fabs(p.y) < BR_MAX_POSITION && fabs(p.z) < BR_MAX_POSITION;
}

static bool worldIsMotion(brDVec3 velocity, brDVec3 spin)
{
	return brDLengthSq(velocity) < BR_MAX_SPEED * BR_MAX_SPEED && brDLengthSq(spin) < BR_MAX_SPEED * BR_MAX_SPEED;
}

static bool worldIsNumber(double x, double lower)
{
	return x >= lower && isfinite(x);
}

static brResult worldCheckDef(const brWorldDef* def, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "a world needs a def from brDefaultWorldDef");
	}
	if (def->substeps < 1 || def->substeps > 64)
	{
		return brFail(report, br_errorMisuse, "a step has 1 to 64 substeps, not %d", def->substeps);
	}
	if (!brDIsFinite(def->gravity) || !worldIsNumber(def->contactHertz, 0.0) ||
		!worldIsNumber(def->contactDamping, 0.0) || !worldIsNumber(def->pushSpeed, 0.0) ||
		!worldIsNumber(def->restitutionSpeed, 0.0) || !worldIsNumber(def->sleepSpeed, 0.0) ||
		!worldIsNumber(def->sleepTime, 0.0) || !worldIsNumber(def->slowDamping, 0.0) || !(def->eventImpulse >= 0.0) ||
		def->maxBodies < 0 || def->maxContacts < 0 || !worldIsNumber(def->maxSeconds, 0.0) ||
		(def->lanes != 0 && def->lanes != 1 && def->lanes != 8))
	{
		return brFail(report, br_errorMisuse, "a number of the world's def is negative, not finite or unknown");
	}
	return br_success;
}

brResult brCreateWorld(const brContext* context, const brWorldDef* def, brWorld** outWorld, brReport* report)
{
	if (outWorld == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateWorld needs outWorld");
	}
	brResult result = worldCheckDef(def, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	brWorld* world = BR_ALLOC_ZERO(&allocator, brWorld, 1);
	if (world == NULL)
	{
		return brFailMemory(report);
	}
	world->queries = brCreateQueryTree(&allocator);
	if (world->queries == NULL)
	{
		BR_FREE(&allocator, world, 1);
		return brFailMemory(report);
	}
	brDynamics_Init(&world->dynamics, context, def);
	brBreaking_Init(&world->breaking);
	*outWorld = world;
	return brSucceed(report);
}

void brDestroyWorld(brWorld* world)
{
	if (world != NULL)
	{
		brAllocator allocator = world->dynamics.allocator;
		brBreaking_Free(&world->breaking, &allocator);
		brDynamics_Free(&world->dynamics);
		brDestroyQueryTree(world->queries);
		BR_FREE(&allocator, world, 1);
	}
}

// Slot of an id, or -1.
static int32_t worldBody(const brWorld* world, brBodyId id)
{
	int32_t index = id.index1 > 0 ? id.index1 - 1 : -1;
	bool isThere = world != NULL && index >= 0 && index < world->dynamics.bodies.count &&
				   brBody_IsThere(&world->dynamics.bodies.data[index]) &&
				   world->dynamics.bodies.data[index].generation == id.generation;
	return isThere ? index : -1;
}

static int32_t worldJoint(const brWorld* world, brJointId id)
{
	int32_t index = id.index1 > 0 ? id.index1 - 1 : -1;
	bool isThere = world != NULL && index >= 0 && index < world->dynamics.joints.count &&
				   world->dynamics.joints.data[index].kind >= 0 &&
				   world->dynamics.joints.data[index].generation == id.generation;
	return isThere ? index : -1;
}

// The world's own copy of a shape, made on first use; -1 without memory.
static int32_t worldShape(brDynamics* dynamics, const brShape* shape)
{
	int32_t slot = -1;
	for (int32_t i = dynamics->shapes.count - 1; i >= 0; --i)
	{
		const brShape* own = dynamics->shapes.data[i].shape;
		if (own == NULL)
		{
			slot = i;
		}
		else if (own->hash == shape->hash && own->byteCount == shape->byteCount &&
				 memcmp(&own->version, &shape->version, (size_t)shape->byteCount) == 0)
		{
			return i;
		}
	}
	if (slot < 0 && !BR_RESERVE(&dynamics->allocator, &dynamics->shapes, 1))
	{
		return -1;
	}
	brShape* copy = brCopyShape(&dynamics->allocator, shape);
	if (copy == NULL)
	{
		return -1;
	}
	slot = slot < 0 ? dynamics->shapes.count++ : slot;
	dynamics->shapes.data[slot] = (brShapeEntry){copy, 0};
	return slot;
}

static void worldReleaseShape(brDynamics* dynamics, int32_t slot)
{
	brShapeEntry* entry = &dynamics->shapes.data[slot];
	if (entry->users == 0)
	{
		brDestroyShape(entry->shape);
		*entry = (brShapeEntry){NULL, 0};
	}
}

static brResult worldCheckBody(const brDynamics* dynamics, const brBodyDef* def, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || def->shape == NULL)
	{
		return brFail(report, br_errorMisuse, "a body needs a def from brDefaultBodyDef and a shape");
	}
	if (def->kind < br_bodyStatic || def->kind > br_bodyDynamic)
	{
		return brFail(report, br_errorMisuse, "there is no kind of body %d", (int)def->kind);
	}
	if ((def->shape->kind == br_shapeHalfSpace || def->shape->kind == br_shapeSurface) && def->kind != br_bodyStatic)
	{
		return brFail(report, br_errorMisuse, "a half-space or surface can only be static");
	}
	brQuat q = def->pose.q;
	double length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
	if (!worldIsPlace(def->pose.p) || !worldIsMotion(def->velocity, def->spin) || !(fabs(length - 1.0) < 1e-3))
	{
		return brFail(report, br_errorMisuse,
					  "the pose or velocity of a body is not finite, or its rotation is no unit quaternion");
	}
	if (!worldIsNumber(def->friction, 0.0) || !worldIsNumber(def->restitution, 0.0) || def->restitution > 1.0 ||
		!worldIsNumber(def->rolling, 0.0) || !worldIsNumber(def->spinning, 0.0) ||
		!worldIsNumber(def->linearDamping, 0.0) || !worldIsNumber(def->angularDamping, 0.0) ||
		!isfinite(def->gravityScale) || !worldIsNumber(def->mass, 0.0) || !worldIsNumber(def->density, 0.0) ||
		(def->kind == br_bodyDynamic && !(def->density > 0.0) && !(def->mass > 0.0)))
	{
		return brFail(report, br_errorMisuse, "a number of the body's def is negative, too large or not finite");
	}
	if (dynamics->def.maxBodies > 0 && dynamics->bodyCount >= dynamics->def.maxBodies)
	{
		return brFail(report, br_errorLimit, "the world holds its limit of %d bodies", dynamics->def.maxBodies);
	}
	return br_success;
}

brBodyId brWorld_CreateBody(brWorld* world, const brBodyDef* def, brReport* report)
{
	if (world == NULL)
	{
		brFail(report, br_errorMisuse, "brWorld_CreateBody needs world");
		return (brBodyId){0, 0};
	}
	const brBodyId none = {0, 0};
	brDynamics* dynamics = &world->dynamics;
	if (worldCheckBody(dynamics, def, report) < 0)
	{
		return none;
	}
	if ((dynamics->freeBody < 0 && !BR_RESERVE(&dynamics->allocator, &dynamics->bodies, 1)) ||
		!BR_RESERVE(&dynamics->allocator, &dynamics->bodyEvents, 1))
	{
		brFailMemory(report);
		return none;
	}
	int32_t shapeSlot = worldShape(dynamics, def->shape);
	if (shapeSlot < 0)
	{
		brFailMemory(report);
		return none;
	}
	const brShape* shape = dynamics->shapes.data[shapeSlot].shape;
	double mass = def->mass > 0.0 ? def->mass : def->density * shape->volume;
	double density = shape->volume > 0.0 ? mass / shape->volume : 0.0;
	brDVec3 inertia = brDMul(density, shape->inertia);
	bool isDynamic = def->kind == br_bodyDynamic;
	if (isDynamic &&
		!(isfinite(1.0 / mass) && mass <= BR_MAX_MASS && inertia.x > 0.0 && inertia.y > 0.0 && inertia.z > 0.0))
	{
		brFail(report, br_errorMisuse, "a dynamic body of %g kg cannot be moved", mass);
		worldReleaseShape(dynamics, shapeSlot);
		return none;
	}

	brQueryTree_Forget(world->queries);
	int32_t slot = dynamics->freeBody;
	uint32_t generation = 1;
	if (slot >= 0)
	{
		generation = dynamics->bodies.data[slot].generation;
		dynamics->freeBody = dynamics->bodies.data[slot].next;
	}
	else
	{
		slot = dynamics->bodies.count++;
	}
	brBody* body = &dynamics->bodies.data[slot];
	memset(body, 0, sizeof(*body));
	body->kind = (int8_t)def->kind;
	body->position = brTransform_Point(def->pose, shape->frame.p);
	body->rotation = brQuat_Normalize(brQuat_Mul(def->pose.q, shape->frame.q));
	if (def->kind != br_bodyStatic)
	{
		body->velocity = def->velocity;
		body->spin = def->spin;
		body->isAwake = true;
	}
	if (isDynamic)
	{
		body->mass = mass;
		body->invMass = 1.0 / mass;
		body->inertia = inertia;
		body->invInertia = brMakeDVec3(1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z);
	}
	body->friction = (float)def->friction;
	body->restitution = (float)def->restitution;
	body->rolling = (float)def->rolling;
	body->spinning = (float)def->spinning;
	body->isSensor = def->isSensor;
	body->linearDamping = (float)def->linearDamping;
	body->angularDamping = (float)def->angularDamping;
	body->gravityScale = (float)def->gravityScale;
	body->canSleep = def->enableSleep;
	body->userData = def->userData;
	body->category = def->category;
	body->collidesWith = def->collidesWith;
	body->shape = shapeSlot;
	body->generation = generation;
	body->next = -1;
	dynamics->shapes.data[shapeSlot].users += 1;
	dynamics->bodyCount += 1;
	brBodyId id = {slot + 1, generation};
	dynamics->bodyEvents.data[dynamics->bodyEvents.count++] = (brBodyEvent){.kind = br_eventBodyCreated, .id = id};
	brSucceed(report);
	return id;
}

bool brWorld_DestroyBody(brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	if (slot < 0)
	{
		return false;
	}
	brQueryTree_Forget(world->queries);
	brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0 && (joint->bodyA == slot || joint->bodyB == slot))
		{
			brDynamics_FreeJoint(dynamics, i);
		}
	}
	// Without memory for events the body goes all the same, unsaid.
	(void)BR_RESERVE(&dynamics->allocator, &dynamics->contactEvents, dynamics->pairs.count);
	brDynamics_DropPairs(dynamics, slot);
	(void)BR_PUSH(&dynamics->allocator, &dynamics->bodyEvents, (brBodyEvent){.kind = br_eventBodyDestroyed, .id = id});
	brBreaking_Forget(world, slot);
	brBody* body = &dynamics->bodies.data[slot];
	dynamics->shapes.data[body->shape].users -= 1;
	worldReleaseShape(dynamics, body->shape);
	uint32_t generation = body->generation + 1;
	memset(body, 0, sizeof(*body));
	body->kind = -1;
	body->generation = generation;
	body->next = dynamics->freeBody;
	dynamics->freeBody = slot;
	dynamics->bodyCount -= 1;
	return true;
}

brJointId brWorld_CreateJoint(brWorld* world, const brJointDef* def, brReport* report)
{
	if (world == NULL)
	{
		brFail(report, br_errorMisuse, "brWorld_CreateJoint needs world");
		return (brJointId){0, 0};
	}
	const brJointId none = {0, 0};
	brDynamics* dynamics = &world->dynamics;
	if (def == NULL || def->stamp != BR_STAMP(*def))
	{
		brFail(report, br_errorMisuse, "a joint needs a def from brDefaultJointDef");
		return none;
	}
	int32_t a = worldBody(world, def->bodyA), b = worldBody(world, def->bodyB);
	if (a < 0 || b < 0 || a == b)
	{
		brFail(report, br_errorMisuse, "a joint needs two bodies");
		return none;
	}
	if (def->kind < br_jointBall || def->kind > br_jointFixed || !brDIsFinite(def->anchor) ||
		!(fabs(brDLengthSq(def->axis) - 1.0) < 1e-3) || !(def->breakForce > 0.0) || !(def->breakTorque > 0.0))
	{
		brFail(report, br_errorMisuse, "a joint needs a finite anchor, a unit axis and positive limits");
		return none;
	}
	bool isLimit = def->lowerAngle >= -3.0 && def->lowerAngle <= def->upperAngle && def->upperAngle <= 3.0;
	bool isMotor = isfinite(def->motorSpeed) && def->motorTorque > 0.0;
	if ((def->enableLimit && !isLimit) || (def->enableMotor && !isMotor) || !worldIsNumber(def->springHertz, 0.0) ||
		!worldIsNumber(def->springDamping, 0.0))
	{
		brFail(report, br_errorMisuse,
			   "limits of a hinge must lie in order within -3 and 3 rad, a motor needs a positive torque, a spring no "
			   "negative numbers");
		return none;
	}
	if (dynamics->freeJoint < 0 && !BR_RESERVE(&dynamics->allocator, &dynamics->joints, 1))
	{
		brFailMemory(report);
		return none;
	}
	int32_t slot = dynamics->freeJoint;
	uint32_t generation = 1;
	if (slot >= 0)
	{
		generation = dynamics->joints.data[slot].generation;
		dynamics->freeJoint = dynamics->joints.data[slot].next;
	}
	else
	{
		slot = dynamics->joints.count++;
	}
	const brBody *bodyA = &dynamics->bodies.data[a], *bodyB = &dynamics->bodies.data[b];
	dynamics->joints.data[slot] = (brJoint){
		.kind = (int32_t)def->kind,
		.bodyA = a,
		.bodyB = b,
		.next = -1,
		.generation = generation,
		.enableContact = def->enableContact,
		.anchorA = brQuat_InvRotate(bodyA->rotation, brDSub(def->anchor, bodyA->position)),
		.anchorB = brQuat_InvRotate(bodyB->rotation, brDSub(def->anchor, bodyB->position)),
		.axisA = brQuat_InvRotate(bodyA->rotation, def->axis),
		.relative = brQuat_Mul(brQuat_Conjugate(bodyA->rotation), bodyB->rotation),
		.breakForce = def->breakForce,
		.breakTorque = def->breakTorque,
		.enableLimit = def->enableLimit,
		.enableMotor = def->enableMotor,
		.lowerAngle = def->lowerAngle,
		.upperAngle = def->upperAngle,
		.motorSpeed = def->motorSpeed,
		.motorTorque = def->motorTorque,
		.springHertz = def->springHertz,
		.springDamping = def->springDamping,
	};
	dynamics->jointCount += 1;
	brDynamics_Wake(dynamics, a);
	brDynamics_Wake(dynamics, b);
	brSucceed(report);
	return (brJointId){slot + 1, generation};
}

bool brWorld_DestroyJoint(brWorld* world, brJointId id)
{
	int32_t slot = worldJoint(world, id);
	if (slot >= 0)
	{
		brDynamics_FreeJoint(&world->dynamics, slot);
	}
	return slot >= 0;
}

static brResult worldBreak(void* world, double dt, bool* outChanged, brReport* report)
{
	return brBreaking_Run(world, dt, outChanged, report);
}

// Trouble while running is counted and told, and the world goes on.
static void worldTellTrouble(brWorld* world, int32_t setAsideBefore, int32_t failedBefore)
{
	int32_t setAside = world->dynamics.stats.setAside - setAsideBefore;
	int32_t failed = world->breaking.stats.failed - failedBefore;
	if (setAside > 0)
	{
		brLog(&world->dynamics.context, br_logWarning, "bodies set aside, as their state was no longer finite: %d",
			  setAside);
	}
	if (failed > 0)
	{
		brLog(&world->dynamics.context, br_logWarning, "breaks given up, for want of memory or a clean cut: %d",
			  failed);
	}
	const brDynamics* dynamics = &world->dynamics;
	if ((double)dynamics->burdenRatio > WORLD_HEAVY && dynamics->def.substeps < WORLD_HEAVY_SUBSTEPS &&
		!world->isLoadTold)
	{
		world->isLoadTold = true;
		brLog(
			&dynamics->context, br_logWarning,
			"a body carries one that is %.0f times as heavy and sinks in while it settles; %d substeps or more hold it",
			(double)dynamics->burdenRatio, WORLD_HEAVY_SUBSTEPS);
	}
}

brResult brWorld_Step(brWorld* world, double dt, brReport* report)
{
	if (world == NULL)
	{
		return brFail(report, br_errorMisuse, "brWorld_Step needs world");
	}
	if (!(dt > 0.0) || !(dt <= 1.0))
	{
		return brFail(report, br_errorMisuse, "a step takes more than 0 and at most 1 s, not %g", dt);
	}
	brQueryTree_Forget(world->queries);
	int32_t setAsideBefore = world->dynamics.stats.setAside;
	int32_t failedBefore = world->breaking.stats.failed;
	brBreaking_Begin(world);
	if (!brBreaking_TellPassers(world))
	{
		return brFailMemory(report);
	}
	brDynamicsHook hook = {worldBreak, world};
	bool canBreak = world->breaking.bodies.count > 0;
	brResult result = brDynamics_Step(&world->dynamics, dt, canBreak ? &hook : NULL, report);
	if (result < 0)
	{
		return result;
	}
	brBreaking_End(world, dt);
	world->breaking.isUnfinished = false;
	worldTellTrouble(world, setAsideBefore, failedBefore);
	return brSucceed(report);
}

bool brWorld_IsBody(const brWorld* world, brBodyId id)
{
	return worldBody(world, id) >= 0;
}

bool brWorld_IsJoint(const brWorld* world, brJointId id)
{
	return worldJoint(world, id) >= 0;
}

bool brWorld_IsAwake(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	return slot >= 0 && brBody_IsMoving(&world->dynamics.bodies.data[slot]);
}

brTransform brWorld_GetPose(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	if (slot < 0)
	{
		return brMakeTransformIdentity();
	}
	return brWorld_PoseOf(world, &world->dynamics.bodies.data[slot]);
}

brDVec3 brWorld_GetCenter(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	return slot < 0 ? brMakeDVec3(0.0, 0.0, 0.0) : world->dynamics.bodies.data[slot].position;
}

brDVec3 brWorld_GetVelocity(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	return slot < 0 ? brMakeDVec3(0.0, 0.0, 0.0) : world->dynamics.bodies.data[slot].velocity;
}

brDVec3 brWorld_GetSpin(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	return slot < 0 ? brMakeDVec3(0.0, 0.0, 0.0) : world->dynamics.bodies.data[slot].spin;
}

double brWorld_GetMass(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	return slot < 0 ? 0.0 : world->dynamics.bodies.data[slot].mass;
}

brBodyKind brWorld_GetKind(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
	return slot < 0 ? br_bodyStatic : (brBodyKind)world->dynamics.bodies.data[slot].kind;
}

uint64_t brWorld_GetUserData(const brWorld* world, brBodyId id)
{
	int32_t slot = worldBody(world, id);
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
	int32_t slot = worldBody(world, id);
	double length = pose.q.x * pose.q.x + pose.q.y * pose.q.y + pose.q.z * pose.q.z + pose.q.w * pose.q.w;
	if (slot < 0 || !worldIsPlace(pose.p) || !(fabs(length - 1.0) < 1e-3))
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
	int32_t slot = worldBody(world, id);
	if (slot < 0 || !worldIsMotion(velocity, spin) || world->dynamics.bodies.data[slot].kind == br_bodyStatic ||
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
	int32_t slot = worldBody(world, id);
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
	int32_t slot = worldBody(world, id);
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
	int32_t slot = worldBody(world, id);
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
	int32_t slot = worldBody(world, id);
	if (slot < 0)
	{
		return NULL;
	}
	brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		if (contact->bodyA == slot || contact->bodyB == slot)
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
	bool isGood = worldIsNumber(friction, 0.0) && worldIsNumber(restitution, 0.0) && restitution <= 1.0;
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
	int32_t slot = worldBody(world, id);
	if (slot < 0 || !worldIsNumber(mass, 0.0) || !(mass > 0.0) || !(world->dynamics.bodies.data[slot].mass > 0.0))
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
	int32_t slot = worldBody(world, id);
	if (slot >= 0)
	{
		world->dynamics.bodies.data[slot].userData = userData;
	}
	return slot >= 0;
}

brWorldEnergy brWorld_ComputeEnergy(const brWorld* world)
{
	if (world == NULL)
	{
		return (brWorldEnergy){0};
	}
	brWorldEnergy energy = {.kinetic = 0.0};
	for (int32_t i = 0; i < world->dynamics.bodies.count; ++i)
	{
		const brBody* body = &world->dynamics.bodies.data[i];
		if (body->kind != br_bodyDynamic)
		{
			continue;
		}
		brDVec3 w = brQuat_InvRotate(body->rotation, body->spin);
		brDVec3 l = {body->inertia.x * w.x, body->inertia.y * w.y, body->inertia.z * w.z};
		brDVec3 p = brDMul(body->mass, body->velocity);
		energy.kinetic += 0.5 * brDDot(p, body->velocity) + 0.5 * brDDot(l, w);
		energy.potential -=
			body->mass * (double)body->gravityScale * brDDot(world->dynamics.def.gravity, body->position);
		energy.momentum = brDAdd(energy.momentum, p);
		energy.angularMomentum =
			brDAdd(energy.angularMomentum, brDAdd(brDCross(body->position, p), brQuat_Rotate(body->rotation, l)));
	}
	return energy;
}

brStepStats brWorld_GetStats(const brWorld* world)
{
	if (world == NULL)
	{
		return (brStepStats){0};
	}
	return world->dynamics.stats;
}

const brContactEvent* brWorld_GetContactEvents(const brWorld* world, int32_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = world != NULL ? world->dynamics.contactEventEnd : 0;
	}
	return world != NULL ? world->dynamics.contactEvents.data : NULL;
}

const brBodyEvent* brWorld_GetBodyEvents(const brWorld* world, int32_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = world != NULL ? world->dynamics.bodyEventEnd : 0;
	}
	return world != NULL ? world->dynamics.bodyEvents.data : NULL;
}

uint64_t brWorld_ComputeHash(const brWorld* world)
{
	if (world == NULL)
	{
		return 0;
	}
	const brDynamics* dynamics = &world->dynamics;
	uint64_t hash = brHashBytes(BR_HASH_SEED, dynamics->bodies.data, sizeof(brBody) * (size_t)dynamics->bodies.count);
	hash = brHashBytes(hash, dynamics->joints.data, sizeof(brJoint) * (size_t)dynamics->joints.count);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		hash = brHashBytes(hash, &dynamics->pairs.data[i].key, sizeof(uint64_t));
		hash = brHashBytes(hash, contact, offsetof(brContact, first));
		hash = contact->rest < 0.0f ? brHashBytes(hash, &contact->rest, sizeof(contact->rest)) : hash;
		for (int32_t k = 0; k < contact->manifoldCount; ++k)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, k);
			hash = brHashBytes(hash, manifold, offsetof(brManifold, points));
			hash = brHashBytes(hash, manifold->points, sizeof(brContactPoint) * (size_t)manifold->pointCount);
		}
	}
	return brBreaking_Hash(&world->breaking, hash);
}
