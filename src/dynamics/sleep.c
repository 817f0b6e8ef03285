// SPDX-License-Identifier: MIT

// Falling asleep, by parts of islands: what is ready sleeps together. One splinter that does not come to rest keeps no
// heap awake.

#include "base/forest.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

#include <string.h>

// Has one of the two come to lie there just now? What could be lifted has been by then.
static bool sleepIsNew(const brDynamics* dynamics, const brContact* contact)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	float calm = fminf(a->invMass > 0.0 ? a->calmTime : INFINITY, b->invMass > 0.0 ? b->calmTime : INFINITY);
	return (double)calm < BR_LIFT_CALM;
}

// What still moves after all real motion has been taken out of it for seconds is moved by contacts that do not agree on
// their last point.
static double sleepSpeed(const brDynamics* dynamics, const brBody* body)
{
	double since = fmax((double)body->calmTime - BR_CALM_LONG, 0.0);
	return dynamics->def.sleepSpeed * fmin(1.0 + BR_CALM_GROWS * since, BR_CALM_LIMIT);
}

// What rattles moves to and fro from step to step; over two of them it is slower.
static double sleepNetSpeed(const brBody* body, const brBodyFrame* frame, const brShape* shape)
{
	brBody mean = *body;
	mean.velocity = brDMul(0.5, brDAdd(body->velocity, brToDVec3(frame->velocity)));
	mean.spin = brDMul(0.5, brDAdd(body->spin, brToDVec3(frame->spin)));
	return brBody_Speed(&mean, shape);
}

// Without friction nothing dies out, and what slides down a slope goes on sliding.
static void sleepCountCalm(const brDynamics* dynamics, int32_t index, double dt)
{
	brBody* body = &dynamics->bodies.data[index];
	const brShape* shape = dynamics->shapes.data[body->shape].shape;
	const brBodyFrame* frame = &brDynamics_Frames(dynamics)[index];
	double creep = BR_CALM_CREEP * dynamics->def.sleepSpeed * (double)body->calmTime;
	double way = fmax(BR_CALM_WAY * (double)shape->radius, creep);
	bool isCalm = body->friction > 0.0f && frame->state >= 0 &&
				  sleepNetSpeed(body, frame, shape) < BR_CALM_SPEEDS * dynamics->def.sleepSpeed &&
				  brDDistance(body->position, body->calmPlace) <= way;
	body->calmPlace = isCalm ? body->calmPlace : body->position;
	body->calmTime = isCalm ? body->calmTime + (float)dt : 0.0f;
}

// What leans on nothing but static things and has left its place by less than nothing worth the name has come to rest,
// whatever its speed is: a splinter between contacts that do not agree rattles for ever, and keeps a heap awake.
static void sleepCountStill(const brDynamics* dynamics, int32_t index, double dt)
{
	brBody* body = &dynamics->bodies.data[index];
	const brShape* shape = dynamics->shapes.data[body->shape].shape;
	double x = body->rotation.x - (double)body->stillTurn[0], y = body->rotation.y - (double)body->stillTurn[1];
	double z = body->rotation.z - (double)body->stillTurn[2], w = body->rotation.w - (double)body->stillTurn[3];
	double turned = 2.0 * sqrt(x * x + y * y + z * z + w * w); // the chord of a unit quaternion is half the angle
	double way = brDDistance(body->position, body->stillPlace) + (double)shape->radius * turned;
	double reach = fmin(BR_STILL_REACH * sleepSpeed(dynamics, body), BR_STILL_RADIUS * (double)shape->radius);
	bool isStill =
		body->calmTime > 0.0f && brDynamics_Frames(dynamics)[index].leansOn == BR_LEANS_ON_STATIC && way <= reach;
	body->stillTime = isStill ? body->stillTime + (float)dt : 0.0f;
	if (!isStill)
	{
		body->stillPlace = body->position;
		body->stillTurn[0] = (float)body->rotation.x, body->stillTurn[1] = (float)body->rotation.y;
		body->stillTurn[2] = (float)body->rotation.z, body->stillTurn[3] = (float)body->rotation.w;
	}
}

// By what a body keeps its neighbors awake.
enum
{
	sleepReady, // nothing: it may sleep
	sleepCalm,  // nothing either, but it does not come to rest
	sleepBusy,
};

static uint8_t sleepCount(brDynamics* dynamics, int32_t index, double dt)
{
	brBody* body = &dynamics->bodies.data[index];
	bool maySleep = dynamics->def.enableSleep && body->canSleep;
	double speed = brBody_Speed(body, dynamics->shapes.data[body->shape].shape);
	bool isSlow = maySleep && speed < sleepSpeed(dynamics, body);
	body->sleepTime = isSlow ? body->sleepTime + (float)dt : 0.0f;
	sleepCountCalm(dynamics, index, dt);
	sleepCountStill(dynamics, index, dt);
	bool isLong = isSlow && (double)body->sleepTime >= dynamics->def.sleepTime;
	bool isStill = maySleep && (double)body->stillTime >= fmax(BR_STILL_TIME, dynamics->def.sleepTime);
	bool isCalm =
		(double)body->calmTime > BR_CALM_TIME && brDynamics_Frames(dynamics)[index].leansOn == BR_LEANS_ON_STATIC;
	return isLong || isStill ? sleepReady : isCalm ? sleepCalm : sleepBusy;
}

// Is a contact still on its way out? One that is lifted says so; what is deep in the ground is, unless nothing moves
// it. What is lifted has no velocity of it, so its way is asked.
static bool sleepIsRising(const brDynamics* dynamics, const brContact* contact, double dt)
{
	const brBody *a = &dynamics->bodies.data[contact->bodyA], *b = &dynamics->bodies.data[contact->bodyB];
	if (brBody_IsSensed(a, b))
	{
		return false;
	}
	const brBodyFrame* frames = brDynamics_Frames(dynamics);
	float thickness = brSmallerSize(frames[contact->bodyA].thickness, frames[contact->bodyB].thickness);
	float deep = fmaxf((float)BR_SUNK_LEAST, (float)BR_SUNK_THICKNESS * thickness);
	float least = (float)(BR_RISING_SPEED * dynamics->def.sleepSpeed * dt);
	if (brLength(frames[contact->bodyA].moved) < least && brLength(frames[contact->bodyB].moved) < least)
	{
		return false;
	}
	bool isRising = false;
	for (int32_t k = 0; k < contact->manifoldCount; ++k)
	{
		const brManifold* manifold = brContact_Manifold(dynamics, contact, k);
		isRising = isRising || manifold->isLifting != 0;
		for (int32_t n = 0; n < manifold->pointCount; ++n)
		{
			isRising = isRising || manifold->points[n].separation < -deep;
		}
	}
	return isRising;
}

// What is still on its way out of what it lies in is not at rest, however slow, nor is what lies on it.
static void sleepNotYet(brDynamics* dynamics, uint8_t* states, double dt)
{
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		if (!sleepIsRising(dynamics, contact, dt) || !sleepIsNew(dynamics, contact))
		{
			continue;
		}
		for (int side = 0; side < 2; ++side)
		{
			int32_t index = side == 0 ? contact->bodyA : contact->bodyB;
			brBody* body = &dynamics->bodies.data[index];
			if (body->kind == br_bodyDynamic && brBody_IsMoving(body))
			{
				body->sleepTime = body->stillTime = 0.0f;
				states[index] = sleepBusy;
			}
		}
	}
}

// What is calm and touches something busy stays awake itself, and keeps nothing else awake: a boulder that rocks
// against a heap does not keep all of it from its sleep.
static void sleepMakeBorder(const brDynamics* dynamics, uint8_t* states)
{
	const brBody* bodies = dynamics->bodies.data;
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		int32_t a = contact->bodyA, b = contact->bodyB;
		if (contact->isTouching && (states[a] == sleepBusy) != (states[b] == sleepBusy))
		{
			int32_t other = states[a] == sleepBusy ? b : a;
			bool isCalm = brBody_IsMoving(&bodies[other]) && (double)bodies[other].calmTime > BR_CALM_TIME;
			states[other] = isCalm && states[other] == sleepReady ? sleepCalm : states[other];
		}
	}
}

// Bodies that are ready and touch each other sleep together, unless one of them touches what is busy. What hangs on a
// joint is one.
static void sleepJoin(const brDynamics* dynamics, const uint8_t* states, int32_t* parents, uint8_t* isAwake)
{
	const brBody* bodies = dynamics->bodies.data;
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		int32_t a = contact->bodyA, b = contact->bodyB;
		if (contact->isTouching && bodies[a].invMass > 0.0 && bodies[b].invMass > 0.0 && states[a] == sleepReady &&
			states[b] == sleepReady)
		{
			brJoinRoots(parents, a, b);
		}
	}
	for (int32_t i = 0; i < dynamics->joints.count; ++i)
	{
		const brJoint* joint = &dynamics->joints.data[i];
		if (joint->kind >= 0 && bodies[joint->bodyA].invMass > 0.0 && bodies[joint->bodyB].invMass > 0.0)
		{
			brJoinRoots(parents, joint->bodyA, joint->bodyB);
		}
	}
	for (int32_t i = 0; i < dynamics->touchingCount; ++i)
	{
		const brContact* contact = brDynamics_Touching(dynamics, i);
		int32_t a = contact->bodyA, b = contact->bodyB;
		if (contact->isTouching && bodies[a].invMass > 0.0 && bodies[b].invMass > 0.0)
		{
			isAwake[brFindRoot(parents, a)] |= states[b] == sleepBusy;
			isAwake[brFindRoot(parents, b)] |= states[a] == sleepBusy;
		}
	}
}

typedef struct SleepWork
{
	brDynamics* dynamics;
	double dt;
} SleepWork;

static void sleepCounts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const SleepWork* work = user;
	const brBody* bodies = work->dynamics->bodies.data;
	uint8_t* states = work->dynamics->islandLeansOn.data;
	for (int32_t i = begin; i < end; ++i)
	{
		bool isMoving = bodies[i].kind == br_bodyDynamic && brBody_IsMoving(&bodies[i]);
		states[i] = isMoving ? sleepCount(work->dynamics, i, work->dt) : sleepReady;
	}
}

void brDynamics_Sleep(brDynamics* dynamics, double dt)
{
	brBody* bodies = dynamics->bodies.data;
	int32_t count = dynamics->bodies.count;
	int32_t* parents = dynamics->parents.data;
	uint8_t *isAwake = dynamics->islandAwake.data, *states = dynamics->islandLeansOn.data;
	memset(isAwake, 0, (size_t)count);
	SleepWork work = {dynamics, dt};
	brParallelFor(dynamics->context.workers, count, 256, sleepCounts, &work);
	bool isAny = false;
	for (int32_t i = 0; i < count && !isAny; ++i)
	{
		isAny = states[i] == sleepReady && bodies[i].kind == br_bodyDynamic && brBody_IsMoving(&bodies[i]);
	}
	if (!isAny)
	{
		return;
	}
	sleepNotYet(dynamics, states, dt);
	sleepMakeBorder(dynamics, states);
	brResetForest(parents, count);
	sleepJoin(dynamics, states, parents, isAwake);
	for (int32_t i = 0; i < count; ++i)
	{
		isAwake[brFindRoot(parents, i)] |= states[i] != sleepReady;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &bodies[i];
		if (body->kind == br_bodyDynamic && brBody_IsMoving(body) && !isAwake[brFindRoot(parents, i)])
		{
			body->isAwake = false;
			body->velocity = brMakeDVec3(0.0, 0.0, 0.0);
			body->spin = brMakeDVec3(0.0, 0.0, 0.0);
			dynamics->bodyEvents.data[dynamics->bodyEvents.count++] =
				(brBodyEvent){.kind = br_eventBodyFellAsleep, .id = brDynamics_BodyId(dynamics, i)};
		}
	}
}
