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
			dynamics->bodies.data[contact->bodyA].sleepTime = 0.0f;
			dynamics->bodies.data[contact->bodyB].sleepTime = 0.0f;
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
		// Without friction nothing dies out, and what slides down a slope goes on sliding.
		const brShape* shape = dynamics->shapes.data[body->shape].shape;
		const brBodyFrame* frame = &brDynamics_Frames(dynamics)[i];
		bool isCalm = body->friction > 0.0f && frame->state >= 0 &&
					  sleepNetSpeed(body, frame, shape) < BR_CALM_SPEEDS * dynamics->def.sleepSpeed &&
					  brDDistance(body->position, body->calmPlace) <= BR_CALM_WAY * (double)shape->radius;
		body->calmPlace = isCalm ? body->calmPlace : body->position;
		body->calmTime = isCalm ? body->calmTime + (float)dt : 0.0f;
		isAwake[root] |= !((double)body->sleepTime >= dynamics->def.sleepTime) || !isSlow;
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
