// SPDX-License-Identifier: MIT

// All bodies of a world in one call, in slot order: for drawing, recording and other languages.

#include "base/cpu.h"
#include "world/world_state.h"

#include <string.h>

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

enum
{
	POSE_LANES = 64, // bodies at once, one in each lane: enough that what was stored has arrived when it is read again
};

/// Some bodies, and the frames of their shapes member by member. Those whose shape lies in its own axes need none.
typedef struct PoseBlock
{
	const brBody* bodies[POSE_LANES];
	double scale[POSE_LANES]; // length squared of the rotation, then what brings it to 1
	double position[3][POSE_LANES];
	double rotation[4][POSE_LANES];
	double framePosition[3][POSE_LANES];
	double frameRotation[4][POSE_LANES];
} PoseBlock;

// Bodies from slot `*slot` on that all have, or all lack, a frame; up to `most` of them.
static int32_t poseGather(PoseBlock* block, const brWorld* world, int32_t* slot, int32_t most, bool* outHasFrame)
{
	int32_t count = 0, lastShape = -1;
	bool hasFrame = false;
	most = most < POSE_LANES ? most : POSE_LANES;
	while (count < most)
	{
		int32_t before = *slot;
		const brBody* body = worldNextBody(world, slot);
		if (body == NULL)
		{
			break;
		}
		if (body->shape != lastShape)
		{
			bool has = !brTransform_IsIdentity(&world->dynamics.shapes.data[body->shape].shape->frame);
			if (count > 0 && has != hasFrame)
			{
				*slot = before; // it begins the next block
				break;
			}
			hasFrame = has, lastShape = body->shape;
		}
		block->bodies[count++] = body;
	}
	*outHasFrame = hasFrame;
	return count;
}

static void poseLoad(PoseBlock* block, const brWorld* world, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		const brBody* body = block->bodies[i];
		const brTransform* frame = &world->dynamics.shapes.data[body->shape].shape->frame;
		block->position[0][i] = body->position.x, block->position[1][i] = body->position.y;
		block->position[2][i] = body->position.z;
		block->rotation[0][i] = body->rotation.x, block->rotation[1][i] = body->rotation.y;
		block->rotation[2][i] = body->rotation.z, block->rotation[3][i] = body->rotation.w;
		block->framePosition[0][i] = frame->p.x, block->framePosition[1][i] = frame->p.y;
		block->framePosition[2][i] = frame->p.z;
		block->frameRotation[0][i] = frame->q.x, block->frameRotation[1][i] = frame->q.y;
		block->frameRotation[2][i] = frame->q.z, block->frameRotation[3][i] = frame->q.w;
	}
}

// brWorld_PoseOf in every lane: the same operations in the same order, so the same bits. No rotation has length zero.
static inline __attribute__((always_inline)) void poseCompute(PoseBlock* block, bool hasFrame)
{
	for (int32_t i = 0; !hasFrame && i < POSE_LANES; ++i)
	{
		block->scale[i] = 1.0 / sqrt(block->scale[i]);
	}
	for (int32_t i = 0; hasFrame && i < POSE_LANES; ++i)
	{
		brQuat rotation = {block->rotation[0][i], block->rotation[1][i], block->rotation[2][i], block->rotation[3][i]};
		brQuat frame = {block->frameRotation[0][i], block->frameRotation[1][i], block->frameRotation[2][i],
						block->frameRotation[3][i]};
		brQuat q = brQuat_Mul(rotation, brQuat_Conjugate(frame));
		double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
		q = (brQuat){s * q.x, s * q.y, s * q.z, s * q.w};
		brDVec3 shift = {block->framePosition[0][i], block->framePosition[1][i], block->framePosition[2][i]};
		shift = brQuat_Rotate(q, shift);
		block->position[0][i] -= shift.x, block->position[1][i] -= shift.y, block->position[2][i] -= shift.z;
		block->rotation[0][i] = q.x, block->rotation[1][i] = q.y, block->rotation[2][i] = q.z,
		block->rotation[3][i] = q.w;
	}
}

static void poseComputePlain(PoseBlock* block, bool hasFrame)
{
	poseCompute(block, hasFrame);
}

#if defined(__x86_64__) && !defined(BR_SCALAR)
__attribute__((target("avx2"))) static void poseComputeAvx2(PoseBlock* block, bool hasFrame)
{
	poseCompute(block, hasFrame);
}

__attribute__((target("avx512f,avx512dq,avx512vl"))) static void poseComputeAvx512(PoseBlock* block, bool hasFrame)
{
	poseCompute(block, hasFrame);
}
#endif

typedef void PoseFcn(PoseBlock* block, bool hasFrame);

static PoseFcn* poseBest(void)
{
#if defined(__x86_64__) && !defined(BR_SCALAR)
	brCpuPath path = brCpu_Best();
	if (path >= br_cpuAvx2)
	{
		return path == br_cpuAvx512 ? poseComputeAvx512 : poseComputeAvx2;
	}
#endif
	return poseComputePlain;
}

// Poses of `count` bodies in their own axes: the square root and the division of all at once, the rest body by body.
static void poseWritePlain(PoseBlock* block, int32_t count, PoseFcn* compute, brTransform* out)
{
	for (int32_t i = 0; i < count; ++i)
	{
		brQuat q = block->bodies[i]->rotation;
		block->scale[i] = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
	}
	compute(block, false);
	for (int32_t i = 0; i < count; ++i)
	{
		brQuat q = block->bodies[i]->rotation;
		double s = block->scale[i];
		out[i] = (brTransform){block->bodies[i]->position, {s * q.x, s * q.y, s * q.z, s * q.w}};
	}
}

static void poseWriteFramed(PoseBlock* block, int32_t count, PoseFcn* compute, brTransform* out)
{
	compute(block, true);
	for (int32_t i = 0; i < count; ++i)
	{
		out[i] =
			(brTransform){{block->position[0][i], block->position[1][i], block->position[2][i]},
						  {block->rotation[0][i], block->rotation[1][i], block->rotation[2][i], block->rotation[3][i]}};
	}
}

int32_t brWorld_GetPoses(const brWorld* world, brTransform* outPoses, int32_t capacity)
{
	PoseFcn* compute = poseBest();
	PoseBlock block;
	memset(&block, 0, sizeof(block)); // lanes without a body hold no rubbish
	int32_t count = 0, slot = 0, gathered = 0;
	bool hasFrame;
	while (world != NULL && outPoses != NULL &&
		   (gathered = poseGather(&block, world, &slot, capacity - count, &hasFrame)) > 0)
	{
		if (hasFrame)
		{
			poseLoad(&block, world, gathered);
			poseWriteFramed(&block, gathered, compute, &outPoses[count]);
		}
		else
		{
			poseWritePlain(&block, gathered, compute, &outPoses[count]);
		}
		count += gathered;
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
