// SPDX-License-Identifier: MIT

// Falling asleep, by island.

#include "base/forest.h"
#include "dynamics/dynamics.h"
#include "dynamics/tuning.h"

// What is still on its way out of what it lies in is not at rest, however slow.
static void sleepNotYet(brDynamics* dynamics)
{
	for (int32_t i = 0; i < dynamics->pairs.count; ++i)
	{
		const brContact* contact = brDynamics_PairContact(dynamics, i);
		bool isLifting = false;
		for (int32_t k = 0; k < contact->manifoldCount; ++k)
		{
			isLifting = isLifting || brContact_Manifold(dynamics, contact, k)->isLifting != 0;
		}
		if (isLifting)
		{
			for (int side = 0; side < 2; ++side)
			{
				brBody* body = &dynamics->bodies.data[side == 0 ? contact->bodyA : contact->bodyB];
				body->sleepTime = body->stillTime = 0.0f;
			}
		}
	}
}

// What still moves after all real motion has been taken out of it for seconds is moved by contacts that do not agree on their last point.
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

// What leans on nothing but static things and has left its place by less than nothing worth the name has come to rest, whatever its speed is: a
// splinter between contacts that do not agree rattles for ever, and keeps a heap awake.
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

void brDynamics_Sleep(brDynamics* dynamics, double dt)
{
	brBody* bodies = dynamics->bodies.data;
	int32_t count = dynamics->bodies.count;
	const int32_t* parents = dynamics->parents.data;
	uint8_t* isAwake = dynamics->islandAwake.data;
	for (int32_t i = 0; i < count; ++i)
	{
		isAwake[i] = 0;
	}
	sleepNotYet(dynamics);
	// After the stage that made them roots may still be a few links away.
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &bodies[i];
		if (body->kind != br_bodyDynamic || !brBody_IsMoving(body))
		{
			continue;
		}
		int32_t root = brReadRoot(parents, i);
		double speed = brBody_Speed(body, dynamics->shapes.data[body->shape].shape);
		bool isSlow = dynamics->def.enableSleep && body->canSleep && speed < sleepSpeed(dynamics, body);
		body->sleepTime = isSlow ? body->sleepTime + (float)dt : 0.0f;
		sleepCountCalm(dynamics, i, dt);
		sleepCountStill(dynamics, i, dt);
		bool isLong = (double)body->sleepTime >= dynamics->def.sleepTime && isSlow;
		bool isStill = dynamics->def.enableSleep && body->canSleep &&
					   (double)body->stillTime >= fmax(BR_STILL_TIME, dynamics->def.sleepTime);
		isAwake[root] |= !isLong && !isStill;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &bodies[i];
		if (body->kind != br_bodyDynamic || !brBody_IsMoving(body))
		{
			continue;
		}
		int32_t root = brReadRoot(parents, i);
		if (!isAwake[root])
		{
			body->isAwake = false;
			body->velocity = brMakeDVec3(0.0, 0.0, 0.0);
			body->spin = brMakeDVec3(0.0, 0.0, 0.0);
			dynamics->bodyEvents.data[dynamics->bodyEvents.count++] =
				(brBodyEvent){.kind = br_eventBodyFellAsleep, .id = brDynamics_BodyId(dynamics, i)};
		}
	}
}
