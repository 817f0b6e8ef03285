// SPDX-License-Identifier: MIT

// Falling asleep, by island.

#include "dynamics/dynamics.h"

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
	// After the stage that made them roots may still be a few links away.
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &bodies[i];
		if (body->kind != br_bodyDynamic || !brBody_IsMoving(body))
		{
			continue;
		}
		int32_t root = i;
		while (parents[root] != root)
		{
			root = parents[root];
		}
		double speed = brBody_Speed(body, dynamics->shapes.data[body->shape].shape);
		bool isSlow = dynamics->def.enableSleep && body->canSleep && speed < dynamics->def.sleepSpeed;
		body->sleepTime = isSlow ? body->sleepTime + (float)dt : 0.0f;
		isAwake[root] |= !((double)body->sleepTime >= dynamics->def.sleepTime) || !isSlow;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brBody* body = &bodies[i];
		if (body->kind != br_bodyDynamic || !brBody_IsMoving(body))
		{
			continue;
		}
		int32_t root = i;
		while (parents[root] != root)
		{
			root = parents[root];
		}
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
