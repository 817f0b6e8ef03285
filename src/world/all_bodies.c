// SPDX-License-Identifier: MIT

// All bodies of a world in one call, in slot order: for drawing, recording and other languages.

#include "world/world_state.h"

// The next body from slot `*slot` on, which then points behind it; null at the end.
static const brBody* worldNextBody(const brWorld* world, int32_t* slot)
{
	while (*slot < world->dynamics.bodies.count)
	{
		const brBody* body = &world->dynamics.bodies.data[(*slot)++];
		if (brBody_IsThere(body))
		{
			return body;
		}
	}
	return NULL;
}

int32_t brWorld_GetBodies(const brWorld* world, brBodyId* outIds, int32_t capacity)
{
	int32_t count = 0, slot = 0;
	while (world != NULL && outIds != NULL && count < capacity && worldNextBody(world, &slot) != NULL)
	{
		outIds[count++] = brDynamics_BodyId(&world->dynamics, slot - 1);
	}
	return brWorld_GetBodyCount(world);
}

int32_t brWorld_GetPoses(const brWorld* world, brTransform* outPoses, int32_t capacity)
{
	int32_t count = 0, slot = 0;
	const brBody* body;
	while (world != NULL && outPoses != NULL && count < capacity && (body = worldNextBody(world, &slot)) != NULL)
	{
		outPoses[count++] = brWorld_PoseOf(world, body);
	}
	return brWorld_GetBodyCount(world);
}

int32_t brWorld_GetStates(const brWorld* world, brBodyState* outStates, int32_t capacity)
{
	int32_t count = 0, slot = 0;
	const brBody* body;
	while (world != NULL && outStates != NULL && count < capacity && (body = worldNextBody(world, &slot)) != NULL)
	{
		outStates[count++] = (brBodyState){
			.id = brDynamics_BodyId(&world->dynamics, slot - 1),
			.kind = (brBodyKind)body->kind,
			.isAwake = brBody_IsMoving(body),
			.pose = brWorld_PoseOf(world, body),
			.center = body->position,
			.velocity = body->velocity,
			.spin = body->spin,
			.mass = body->mass,
		};
	}
	return brWorld_GetBodyCount(world);
}

int32_t brWorld_GetTransforms(const brWorld* world, float* outFloats, int32_t capacity)
{
	int32_t count = 0, slot = 0;
	const brBody* body;
	while (world != NULL && outFloats != NULL && count < capacity && (body = worldNextBody(world, &slot)) != NULL)
	{
		brTransform pose = brWorld_PoseOf(world, body);
		float* out = &outFloats[7 * (size_t)count++];
		out[0] = (float)pose.p.x, out[1] = (float)pose.p.y, out[2] = (float)pose.p.z;
		out[3] = (float)pose.q.x, out[4] = (float)pose.q.y, out[5] = (float)pose.q.z, out[6] = (float)pose.q.w;
	}
	return brWorld_GetBodyCount(world);
}
