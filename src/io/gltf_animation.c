// SPDX-License-Identifier: MIT

// A part's place over time is a product of its nodes: those down to the deepest that is animated give a pose, the rest
// is its placement. Where the pose is no rigid motion (a scale that changes) the rigid part of it is kept. Splines go
// straight from key to key.

#include "io/gltf_animation.h"

#include "math/rotation.h"

#include <stdlib.h>
#include <string.h>

#define GLTF_BENT 1e-3    // relative change of a part's axes that counts as another shape
#define GLTF_KEY_COST 16  // of the file's allowance, in corners
#define GLTF_NOTHING 1e-6 // scales below hide a part

enum
{
	gltf_translation,
	gltf_rotation,
	gltf_scale,
	gltf_pathCount,
};

static const int32_t s_components[gltf_pathCount] = {3, 4, 3};

static brResult gltfReadChannel(brGltfAnimation* animation, const brJson* samplers, const brJson* json)
{
	static const char* const paths[gltf_pathCount] = {"translation", "rotation", "scale"};
	brGltf* gltf = animation->gltf;
	const brJson* target = brGltf_Get(json, "target");
	char path[16], interpolation[16];
	brGltf_CopyString(path, sizeof(path), brGltf_Get(target, "path"));
	int32_t kind = 0, node;
	while (kind < gltf_pathCount && strcmp(path, paths[kind]) != 0)
	{
		kind += 1;
	}
	int64_t number;
	if (!brGltf_Index(target, "node", &gltf->nodes, &node) || !brGltf_Integer(json, "sampler", -1, &number))
	{
		return brGltf_Fail(gltf, br_errorFormat, "an animation moves a node that does not exist");
	}
	if (kind == gltf_pathCount || node < 0 || animation->slots[3 * node + kind] >= 0)
	{
		return br_success; // weights of morph targets, targets of extensions, a second animation
	}
	const brJson* sampler = samplers != NULL ? samplers->child : NULL;
	for (int64_t i = 0; i < number && sampler != NULL; ++i)
	{
		sampler = sampler->next;
	}
	brGltfFloatsDef times = {-1, 1, 1, false, "time"};
	brGltfFloatsDef values = {-1, s_components[kind], s_components[kind], kind == gltf_rotation, paths[kind]};
	if (sampler == NULL || number < 0 || !brGltf_Index(sampler, "input", &gltf->accessors, &times.accessor) ||
		!brGltf_Index(sampler, "output", &gltf->accessors, &values.accessor) || times.accessor < 0 ||
		values.accessor < 0)
	{
		return brGltf_Fail(gltf, br_errorFormat, "an animation has a sampler or accessor that does not exist");
	}
	brGltf_CopyString(interpolation, sizeof(interpolation), brGltf_Get(sampler, "interpolation"));
	brGltfChannel* channel = &animation->channels[animation->channelCount++];
	channel->isCubic = strcmp(interpolation, "CUBICSPLINE") == 0;
	brResult result = brGltf_Floats(gltf, &times, &channel->times);
	result = result < 0 ? result : brGltf_Floats(gltf, &values, &channel->values);
	if (result < 0)
	{
		return result;
	}
	if (channel->times.count < 1 || channel->values.count != channel->times.count * (channel->isCubic ? 3 : 1))
	{
		return brGltf_Fail(gltf, br_errorFormat, "an animation has %d times and %d values", channel->times.count,
						   channel->values.count);
	}
	animation->slots[3 * node + kind] = animation->channelCount - 1;
	return br_success;
}

brResult brGltfAnimation_Open(brGltfAnimation* animation, brGltf* gltf)
{
	*animation = (brGltfAnimation){.gltf = gltf};
	const brJson* animations = brGltf_Get(gltf->root, "animations");
	int64_t count = 0;
	for (const brJson* a = animations != NULL ? animations->child : NULL; a != NULL; a = a->next)
	{
		const brJson* channels = brGltf_Get(a, "channels");
		count += channels != NULL ? channels->count : 0;
	}
	if (count == 0 || gltf->nodes.count == 0)
	{
		return br_success;
	}
	const brAllocator* allocator = &gltf->job->allocator;
	animation->channelCapacity = (int32_t)(count < INT32_MAX ? count : INT32_MAX);
	animation->channels = BR_ALLOC_ZERO(allocator, brGltfChannel, animation->channelCapacity);
	animation->slots = BR_ALLOC(allocator, int32_t, 3 * (int64_t)gltf->nodes.count);
	if (animation->channels == NULL || animation->slots == NULL)
	{
		return brFailMemory(gltf->job->report);
	}
	memset(animation->slots, 0xFF, 3 * (size_t)gltf->nodes.count * sizeof(int32_t));
	for (const brJson* a = animations->child; a != NULL; a = a->next)
	{
		const brJson* channels = brGltf_Get(a, "channels");
		for (const brJson* c = channels != NULL ? channels->child : NULL; c != NULL; c = c->next)
		{
			brResult result = gltfReadChannel(animation, brGltf_Get(a, "samplers"), c);
			if (result < 0)
			{
				return result;
			}
		}
	}
	return br_success;
}

void brGltfAnimation_Close(brGltfAnimation* animation)
{
	const brAllocator* allocator = &animation->gltf->job->allocator;
	for (int32_t i = 0; i < animation->channelCount; ++i)
	{
		brGltf_FreeFloats(animation->gltf, &animation->channels[i].times);
		brGltf_FreeFloats(animation->gltf, &animation->channels[i].values);
	}
	BR_FREE(allocator, animation->channels, animation->channelCapacity);
	BR_FREE(allocator, animation->slots, 3 * (int64_t)animation->gltf->nodes.count);
}

static double gltfFloat(const brGltfFloats* floats, int32_t index, int32_t component)
{
	float value;
	memcpy(&value, floats->bytes + (size_t)index * floats->stride + sizeof(float) * (size_t)component, sizeof(value));
	return isfinite(value) ? (double)value : 0.0;
}

static double gltfValue(const brGltfChannel* channel, int32_t key, int32_t component)
{
	return gltfFloat(&channel->values, channel->isCubic ? 3 * key + 1 : key, component);
}

// The values of a channel at a time, between keys straight from one to the next.
static void gltfSample(const brGltfChannel* channel, double time, int32_t components, double out[4])
{
	int32_t low = 0, high = channel->times.count - 1;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		*(gltfFloat(&channel->times, middle, 0) <= time ? &low : &high) = middle;
	}
	double from = gltfFloat(&channel->times, low, 0), to = gltfFloat(&channel->times, high, 0);
	double t = !(time > from) || !(to > from) ? 0.0 : time >= to ? 1.0 : (time - from) / (to - from);
	double along = 0.0;
	for (int32_t k = 0; k < components; ++k)
	{
		along += gltfValue(channel, low, k) * gltfValue(channel, high, k);
	}
	double sign = components == 4 && along < 0.0 ? -1.0 : 1.0;
	for (int32_t k = 0; k < components; ++k)
	{
		out[k] = (1.0 - t) * gltfValue(channel, low, k) + t * sign * gltfValue(channel, high, k);
	}
}

// The largest scale of a channel: that of the part while it is there.
static void gltfFullScale(const brGltfChannel* channel, double out[4])
{
	out[0] = out[1] = out[2] = 0.0;
	for (int32_t i = 0; i < channel->times.count; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			double value = gltfValue(channel, i, k);
			out[k] = fabs(value) > fabs(out[k]) ? value : out[k];
		}
	}
}

static const brGltfChannel* gltfChannel(const brGltfAnimation* animation, int32_t node, int32_t path)
{
	int32_t slot = animation->slots[3 * node + path];
	return slot >= 0 ? &animation->channels[slot] : NULL;
}

// A node's own map at a time. `outTurn` is the rotation in it.
static brAffine gltfLocal(const brGltfAnimation* animation, int32_t node, double time, brQuat* outTurn)
{
	const brJson* json = animation->gltf->nodes.items[node];
	double parts[gltf_pathCount][4] = {{0.0}, {0.0, 0.0, 0.0, 1.0}, {1.0, 1.0, 1.0, 0.0}};
	if (brGltf_Get(json, "matrix") != NULL)
	{
		double m[16] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
		brGltf_Numbers(json, "matrix", m, 16);
		brMat3 map = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
		brDVec3 x = brDNormalize(map.cx), z = brDNormalize(brDCross(x, map.cy));
		brMat3 axes = {x, brDCross(z, x), z};
		*outTurn = brMakeQuatFromMat3(&axes);
		return (brAffine){map, {m[12], m[13], m[14]}};
	}
	static const char* const keys[gltf_pathCount] = {"translation", "rotation", "scale"};
	for (int32_t path = 0; path < gltf_pathCount; ++path)
	{
		const brGltfChannel* channel = gltfChannel(animation, node, path);
		if (channel == NULL)
		{
			brGltf_Numbers(json, keys[path], parts[path], s_components[path]);
		}
		else if (path == gltf_scale)
		{
			gltfFullScale(channel, parts[path]);
		}
		else
		{
			gltfSample(channel, time, s_components[path], parts[path]);
		}
	}
	*outTurn = brQuat_Normalize((brQuat){parts[1][0], parts[1][1], parts[1][2], parts[1][3]});
	brMat3 turn = brMakeMat3FromQuat(*outTurn);
	return (brAffine){{brDMul(parts[2][0], turn.cx), brDMul(parts[2][1], turn.cy), brDMul(parts[2][2], turn.cz)},
					  {parts[0][0], parts[0][1], parts[0][2]}};
}

// The map from node `node` up to the scene, and the rotation in it.
static brAffine gltfWorld(const brGltfAnimation* animation, const int32_t* parents, int32_t node, double time,
						  brQuat* outTurn)
{
	brAffine world = brMakeAffineIdentity();
	*outTurn = brMakeQuatIdentity();
	for (; node >= 0; node = parents[node])
	{
		brQuat turn;
		brAffine local = gltfLocal(animation, node, time, &turn);
		world = brAffine_Mul(&local, &world);
		*outTurn = brQuat_Mul(turn, *outTurn);
	}
	return world;
}

static int gltfCompareTimes(const void* left, const void* right)
{
	double a = *(const double*)left, b = *(const double*)right;
	return (a > b) - (a < b);
}

// Times of all keys on the way up, rising, each once.
static int32_t gltfGatherTimes(const brGltfAnimation* animation, const int32_t* parents, int32_t node, double* times)
{
	int32_t count = 0;
	for (; node >= 0; node = parents[node])
	{
		for (int32_t path = 0; path < gltf_scale; ++path)
		{
			const brGltfChannel* channel = gltfChannel(animation, node, path);
			for (int32_t i = 0; channel != NULL && i < channel->times.count; ++i)
			{
				if (times != NULL)
				{
					times[count] = gltfFloat(&channel->times, i, 0);
				}
				count += 1;
			}
		}
	}
	if (times == NULL)
	{
		return count;
	}
	qsort(times, (size_t)count, sizeof(double), gltfCompareTimes);
	int32_t kept = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		if (kept == 0 || times[i] > times[kept - 1])
		{
			times[kept++] = times[i];
		}
	}
	return kept;
}

// Birth and end of a part from scales of nothing on the way up.
static void gltfFindLife(const brGltfAnimation* animation, const int32_t* parents, int32_t node, brPart* part)
{
	for (; node >= 0; node = parents[node])
	{
		const brGltfChannel* channel = gltfChannel(animation, node, gltf_scale);
		bool isThere = true;
		for (int32_t i = 0; channel != NULL && i < channel->times.count; ++i)
		{
			double size = fabs(gltfValue(channel, i, 0)) + fabs(gltfValue(channel, i, 1));
			bool isNow = size + fabs(gltfValue(channel, i, 2)) > GLTF_NOTHING;
			double time = gltfFloat(&channel->times, i, 0);
			if (i == 0 && !isNow)
			{
				part->bornTime = INFINITY;
			}
			else if (isNow && !isThere && part->bornTime == INFINITY)
			{
				part->bornTime = time;
			}
			else if (!isNow && isThere && i > 0)
			{
				part->goneTime = time < part->goneTime ? time : part->goneTime;
			}
			isThere = isNow;
		}
	}
}

static bool gltfIsBent(const brAffine* a, const brAffine* b)
{
	double size = brDLength(a->m.cx) + brDLength(a->m.cy) + brDLength(a->m.cz);
	double off = brDDistance(a->m.cx, b->m.cx) + brDDistance(a->m.cy, b->m.cy) + brDDistance(a->m.cz, b->m.cz);
	return off > GLTF_BENT * size;
}

// The deepest node on the way up that moves, or -1.
static int32_t gltfDeepest(const brGltfAnimation* animation, const int32_t* parents, int32_t node)
{
	while (node >= 0 && animation->slots[3 * node] < 0 && animation->slots[3 * node + 1] < 0 &&
		   animation->slots[3 * node + 2] < 0)
	{
		node = parents[node];
	}
	return node;
}

brResult brGltfAnimation_Move(brGltfAnimation* animation, const int32_t* parents, int32_t node, brAssembly* assembly,
							  int32_t index)
{
	int32_t moved = animation->slots != NULL ? gltfDeepest(animation, parents, node) : -1;
	if (moved < 0)
	{
		return br_success;
	}
	brGltf* gltf = animation->gltf;
	brPart* part = &assembly->parts[index];
	gltfFindLife(animation, parents, moved, part);
	int32_t capacity = gltfGatherTimes(animation, parents, moved, NULL);
	brResult result = brGltf_Spend(gltf, GLTF_KEY_COST * (int64_t)capacity);
	if (result < 0)
	{
		return result;
	}
	const brAllocator* allocator = &gltf->job->allocator;
	double* times = BR_ALLOC(allocator, double, (int64_t)capacity + 1);
	brMotionKey* keys = BR_ALLOC(allocator, brMotionKey, (int64_t)capacity + 1);
	if (times == NULL || keys == NULL)
	{
		BR_FREE(allocator, times, (int64_t)capacity + 1);
		BR_FREE(allocator, keys, (int64_t)capacity + 1);
		return brFailMemory(gltf->job->report);
	}
	int32_t count = gltfGatherTimes(animation, parents, moved, times);
	// Without motion, only coming and going, one pose.
	times[0] = count > 0 ? times[0] : 0.0;
	int32_t keyCount = count > 0 ? count : 1;
	brAffine below = brMakeAffineIdentity(), first = below;
	brQuat turn;
	for (int32_t at = node; at != moved; at = parents[at])
	{
		brAffine local = gltfLocal(animation, at, 0.0, &turn);
		below = brAffine_Mul(&local, &below);
	}
	bool isBent = false;
	for (int32_t k = 0; k < keyCount; ++k)
	{
		brAffine world = gltfWorld(animation, parents, moved, times[k], &turn);
		keys[k] = (brMotionKey){times[k], {world.p, brQuat_Normalize(turn)}};
		brAffine pose = brMakeAffineFromTransform(keys[k].pose);
		brMat3 back = brMat3_Transpose(&pose.m);
		brAffine rest = {brMat3_Mul(&back, &world.m), {0.0, 0.0, 0.0}};
		first = k == 0 ? rest : first;
		isBent = isBent || gltfIsBent(&first, &rest);
	}
	animation->bentCount += isBent;
	part->placement = brAffine_Mul(&first, &below);
	bool done = brAssembly_SetMotion(assembly, index, keys, keyCount);
	BR_FREE(allocator, times, (int64_t)capacity + 1);
	BR_FREE(allocator, keys, (int64_t)capacity + 1);
	return done ? br_success : brFailMemory(gltf->job->report);
}
