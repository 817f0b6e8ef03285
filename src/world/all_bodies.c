// SPDX-License-Identifier: MIT

// All bodies of a world in one call, in slot order: for drawing, recording and other languages.

#include "base/lanes.h"
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
	POSE_AHEAD = 16, // bodies that are asked of memory beforehand
};

/// Some bodies, and the frames of their shapes member by member.
typedef struct PoseBlock
{
	const brBody* bodies[POSE_LANES];
	double position[3][POSE_LANES];
	double rotation[4][POSE_LANES];
	double framePosition[3][POSE_LANES];
	double frameRotation[4][POSE_LANES];
} PoseBlock;

static inline bool poseHasFrame(const brWorld* world, const brBody* body)
{
	return !brTransform_IsIdentity(&world->dynamics.shapes.data[body->shape].shape->frame);
}

// Memory fetches a body that is read soon: each lies on other lines than the one before.
static inline void poseAskFor(const brBody* body)
{
	__builtin_prefetch(&body->position);
	__builtin_prefetch(&body->rotation.w);
}

// Bodies from slot `*slot` on that all have a frame; up to `most` of them.
static int32_t poseGather(PoseBlock* block, const brWorld* world, int32_t* slot, int32_t most)
{
	int32_t count = 0, framed = -1; // a shape that was looked at
	most = most < POSE_LANES ? most : POSE_LANES;
	while (count < most)
	{
		int32_t before = *slot;
		const brBody* body = worldNextBody(world, slot);
		if (body == NULL || (body->shape != framed && !poseHasFrame(world, body)))
		{
			*slot = body == NULL ? *slot : before;
			break;
		}
		poseAskFor(&body[POSE_AHEAD]);
		framed = body->shape;
		block->bodies[count++] = body;
	}
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
static inline __attribute__((always_inline)) void poseComputeFramed(PoseBlock* block)
{
	for (int32_t i = 0; i < POSE_LANES; ++i)
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

static inline __attribute__((always_inline)) void poseWriteFramed(PoseBlock* block, int32_t count, brTransform* out)
{
	poseComputeFramed(block);
	for (int32_t i = 0; i < count; ++i)
	{
		out[i] =
			(brTransform){{block->position[0][i], block->position[1][i], block->position[2][i]},
						  {block->rotation[0][i], block->rotation[1][i], block->rotation[2][i], block->rotation[3][i]}};
	}
}

typedef brLooseDouble4 PoseQuat;

// Four bodies in their own axes: their rotations are turned into rows of x, y, z and w, so that one square root and one
// division serve four.
static inline __attribute__((always_inline)) void poseWriteFour(const brBody* bodies, brTransform* out)
{
	PoseQuat a = *(const PoseQuat*)&bodies[0].rotation, b = *(const PoseQuat*)&bodies[1].rotation;
	PoseQuat c = *(const PoseQuat*)&bodies[2].rotation, d = *(const PoseQuat*)&bodies[3].rotation;
	PoseQuat x = {a[0], b[0], c[0], d[0]}, y = {a[1], b[1], c[1], d[1]};
	PoseQuat z = {a[2], b[2], c[2], d[2]}, w = {a[3], b[3], c[3], d[3]};
	PoseQuat scale = x * x + y * y + z * z + w * w;
	for (int32_t i = 0; i < 4; ++i)
	{
		scale[i] = sqrt(scale[i]);
	}
	scale = 1.0 / scale;
	a *= scale[0], b *= scale[1], c *= scale[2], d *= scale[3];
	out[0].p = bodies[0].position, *(PoseQuat*)&out[0].q = a;
	out[1].p = bodies[1].position, *(PoseQuat*)&out[1].q = b;
	out[2].p = bodies[2].position, *(PoseQuat*)&out[2].q = c;
	out[3].p = bodies[3].position, *(PoseQuat*)&out[3].q = d;
}

// Whether every slot has a body and no shape has a frame: then nothing of a body is read but its pose.
static bool poseIsSimple(const brWorld* world)
{
	const brDynamics* dynamics = &world->dynamics;
	for (int32_t i = 0; i < dynamics->shapes.count; ++i)
	{
		const brShape* shape = dynamics->shapes.data[i].shape;
		if (shape != NULL && !brTransform_IsIdentity(&shape->frame))
		{
			return false;
		}
	}
	return dynamics->bodyCount == dynamics->bodies.count;
}

// Bodies from `slot` on, four at a time, until one is missing or has a frame. Returns how many it wrote.
static inline __attribute__((always_inline)) int32_t poseWriteFours(const brWorld* world, int32_t slot, bool isSimple,
																	int32_t most, brTransform* out)
{
	int32_t left = world->dynamics.bodies.count - slot, count = 0, unframed = -1;
	most = most < left ? most : left;
	for (; count + 4 <= most; count += 4)
	{
		const brBody* four = &world->dynamics.bodies.data[slot + count];
		for (int32_t i = 0; i < 4; ++i)
		{
			poseAskFor(&four[i + POSE_AHEAD]);
			if (isSimple)
			{
				continue;
			}
			__builtin_prefetch(&four[i + POSE_AHEAD].kind);
			if (!brBody_IsThere(&four[i]) || (four[i].shape != unframed && poseHasFrame(world, &four[i])))
			{
				return count;
			}
			unframed = four[i].shape;
		}
		poseWriteFour(four, &out[count]);
	}
	return count;
}

typedef struct PosePath
{
	void (*framed)(PoseBlock* block, int32_t count, brTransform* out);
	int32_t (*fours)(const brWorld* world, int32_t slot, bool isSimple, int32_t most, brTransform* out);
} PosePath;

#define POSE_PATH(NAME, TARGET)                                                                                        \
	TARGET static void framed##NAME(PoseBlock* block, int32_t count, brTransform* out)                                 \
	{                                                                                                                  \
		poseWriteFramed(block, count, out);                                                                            \
	}                                                                                                                  \
	TARGET static int32_t fours##NAME(const brWorld* world, int32_t slot, bool isSimple, int32_t most,                 \
									  brTransform* out)                                                                \
	{                                                                                                                  \
		return poseWriteFours(world, slot, isSimple, most, out);                                                       \
	}                                                                                                                  \
	static const PosePath path##NAME = {framed##NAME, fours##NAME};

POSE_PATH(Plain, )
#if BR_LANES_X86
POSE_PATH(Avx2, __attribute__((target("avx2"))))
POSE_PATH(Avx512, __attribute__((target("avx512f,avx512dq,avx512vl"))))
#endif

int32_t brWorld_GetPoses(const brWorld* world, brTransform* outPoses, int32_t capacity)
{
	const PosePath* path = BR_WIDEST(brCpu_Best(), path);
	PoseBlock block;
	memset(&block, 0, sizeof(block)); // lanes without a body hold no rubbish
	int32_t count = 0, slot = 0, end = world != NULL && outPoses != NULL ? world->dynamics.bodies.count : 0;
	bool isSimple = end > 0 && poseIsSimple(world);
	while (slot < end && count < capacity)
	{
		int32_t written = path->fours(world, slot, isSimple, capacity - count, &outPoses[count]);
		count += written, slot += written;
		int32_t gathered = poseGather(&block, world, &slot, capacity - count);
		if (gathered > 0)
		{
			poseLoad(&block, world, gathered);
			path->framed(&block, gathered, &outPoses[count]);
			count += gathered;
			continue;
		}
		const brBody* body = count < capacity ? worldNextBody(world, &slot) : NULL;
		if (body != NULL)
		{
			outPoses[count++] = brWorld_PoseOf(world, body);
		}
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
