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
	if (!brDIsFinite(def->gravity) || !brIsNumberFrom(def->contactHertz, 0.0) ||
		!brIsNumberFrom(def->contactDamping, 0.0) || !brIsNumberFrom(def->pushSpeed, 0.0) ||
		!brIsNumberFrom(def->restitutionSpeed, 0.0) || !brIsNumberFrom(def->sleepSpeed, 0.0) ||
		!brIsNumberFrom(def->sleepTime, 0.0) || !brIsNumberFrom(def->slowDamping, 0.0) || !(def->eventImpulse >= 0.0) ||
		def->maxBodies < 0 || def->maxContacts < 0 || !brIsNumberFrom(def->maxSeconds, 0.0) ||
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
		brWorld_EndStep(world, NULL);
		brAllocator allocator = world->dynamics.allocator;
		brBreaking_Free(&world->breaking, &allocator);
		brDynamics_Free(&world->dynamics);
		brDestroyQueryTree(world->queries);
		BR_FREE(&allocator, world, 1);
	}
}

// The world's own copy of a shape, made on first use, or the shape itself if it may be `taken`; -1 without memory.
static int32_t worldShape(brDynamics* dynamics, const brShape* shape, brShape** taken)
{
	int32_t slot = -1;
	for (int32_t i = dynamics->shapes.count - 1; i >= 0; --i)
	{
		const brShapeEntry* entry = &dynamics->shapes.data[i];
		if (entry->shape == NULL)
		{
			slot = i;
		}
		else if (entry->hash == shape->hash && entry->shape->byteCount == shape->byteCount &&
				 memcmp(&entry->shape->version, &shape->version, (size_t)shape->byteCount) == 0)
		{
			return i;
		}
	}
	if (slot < 0 && !BR_RESERVE(&dynamics->allocator, &dynamics->shapes, 1))
	{
		return -1;
	}
	brShape* own = taken != NULL ? *taken : brCopyShape(&dynamics->allocator, shape);
	if (own == NULL)
	{
		return -1;
	}
	if (taken != NULL)
	{
		*taken = NULL;
	}
	slot = slot < 0 ? dynamics->shapes.count++ : slot;
	dynamics->shapes.data[slot] = (brShapeEntry){own, own->hash, 0};
	return slot;
}

static void worldReleaseShape(brDynamics* dynamics, int32_t slot)
{
	brShapeEntry* entry = &dynamics->shapes.data[slot];
	if (entry->users == 0)
	{
		brDestroyShape(entry->shape);
		*entry = (brShapeEntry){NULL, 0, 0};
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
	if (!brIsPlace(def->pose.p))
	{
		return brFail(report, br_errorMisuse, "the place of a body is not finite or beyond %g m", BR_MAX_POSITION);
	}
	if (!brIsMotion(def->velocity, def->spin))
	{
		return brFail(report, br_errorMisuse, "the velocity or spin of a body is not finite or above %g m/s or 1/s",
					  BR_MAX_SPEED);
	}
	if (!(fabs(length - 1.0) < 1e-3))
	{
		return brFail(report, br_errorMisuse, "the rotation of a body is no unit quaternion");
	}
	if (!brIsNumberFrom(def->friction, 0.0) || !brIsNumberFrom(def->restitution, 0.0) || def->restitution > 1.0 ||
		!brIsNumberFrom(def->rolling, 0.0) || !brIsNumberFrom(def->spinning, 0.0) ||
		!brIsNumberFrom(def->linearDamping, 0.0) || !brIsNumberFrom(def->angularDamping, 0.0) ||
		!isfinite(def->gravityScale) || !brIsNumberFrom(def->mass, 0.0) || !brIsNumberFrom(def->density, 0.0) ||
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
	return brWorld_AddBody(world, def, NULL, report);
}

brBodyId brWorld_AddBody(brWorld* world, const brBodyDef* def, brShape** taken, brReport* report)
{
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
	int32_t shapeSlot = worldShape(dynamics, def->shape, taken);
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
	int32_t slot = brWorld_BodySlot(world, id);
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
	int32_t a = brWorld_BodySlot(world, def->bodyA), b = brWorld_BodySlot(world, def->bodyB);
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
	if ((def->enableLimit && !isLimit) || (def->enableMotor && !isMotor) || !brIsNumberFrom(def->springHertz, 0.0) ||
		!brIsNumberFrom(def->springDamping, 0.0))
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
	int32_t slot = brWorld_JointSlot(world, id);
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

static bool worldIsJudged(const void* user, int32_t body)
{
	const brWorld* world = user;
	const brBreakBody* record = body < world->breaking.bodies.count ? &world->breaking.bodies.data[body] : NULL;
	return record != NULL && record->settings >= 0 && (record->cluster >= 0 || record->strength < INFINITY);
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
		brLog(&dynamics->context, br_logWarning,
			  "a body carries one that is %.0f times as heavy and may sink in while it settles; %d substeps or more "
			  "hold it",
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
	brDynamicsHook hook = {worldBreak, worldIsJudged, world};
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

brWorldEnergy brWorld_ComputeEnergy(const brWorld* world)
{
	if (world == NULL)
	{
		return (brWorldEnergy){0};
	}
	const brEnergyBooks* books = &world->dynamics.books;
	brWorldEnergy energy = {
		.fracture = world->breaking.stats.energy,
		.friction = books->friction,
		.restitution = books->restitution,
		.damping = books->damping,
		.solver = books->solver,
		.driven = books->driven,
		.dust = books->dust,
	};
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

// Fields of a body, a joint, and a contact up to its manifolds, for hashes that are the same whatever the order of
// bytes.
static const brFieldRun bodyRuns[] = {{8, 22}, {4, 11}, {1, 12}, {4, 4}, {8, 6}, {4, 4}, {8, 1}};
static const brFieldRun jointRuns[] = {{4, 5}, {1, 4}, {8, 27}};
static const brFieldRun contactRuns[] = {{4, 6}, {1, 2}, {2, 3}, {4, 7}, {1, 12}};

uint64_t brWorld_ComputeHash(const brWorld* world)
{
	if (world == NULL)
	{
		return 0;
	}
	const brDynamics* dynamics = &world->dynamics;
	uint64_t hash = brHashRecords(BR_HASH_SEED, dynamics->bodies.data, (size_t)dynamics->bodies.count, bodyRuns, 7);
	hash = brHashRecords(hash, dynamics->joints.data, (size_t)dynamics->joints.count, jointRuns, 3);
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = &dynamics->contacts.data[dynamics->pairs.data[i].contact];
		hash = brHashNumbers(hash, &dynamics->pairs.data[i].key, 1, sizeof(uint64_t));
		hash = brHashRecords(hash, contact, 1, contactRuns, 5);
		hash = contact->rest < 0.0f ? brHashNumbers(hash, &contact->rest, 1, sizeof(float)) : hash;
		for (int32_t k = 0; k < contact->manifoldCount; ++k)
		{
			const brManifold* manifold = brContact_Manifold(dynamics, contact, k);
			size_t points = (size_t)manifold->pointCount * sizeof(brContactPoint);
			hash = brHashNumbers(hash, manifold, offsetof(brManifold, points) / sizeof(float), sizeof(float));
			hash = brHashNumbers(hash, manifold->points, points / sizeof(float), sizeof(float));
		}
	}
	return brBreaking_Hash(&world->breaking, hash);
}
