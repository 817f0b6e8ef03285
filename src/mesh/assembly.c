// SPDX-License-Identifier: MIT

// Assemblies: meshes, and the parts that place them.

#include "brittle/assembly.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/report.h"

#include <stdio.h>
#include <string.h>

brPart brDefaultPart(void)
{
	brPart part;
	memset(&part, 0, sizeof(part));
	part.mesh = -1;
	part.tetMesh = -1;
	part.placement = brMakeAffineIdentity();
	part.bornTime = -INFINITY;
	part.goneTime = INFINITY;
	part.group = -1;
	part.parent = -1;
	return part;
}

brAssembly* brCreateAssembly(const brContext* context)
{
	brAllocator allocator = brContext_Allocator(context);
	brAssembly* assembly = BR_ALLOC_ZERO(&allocator, brAssembly, 1);
	if (assembly != NULL)
	{
		assembly->allocator = allocator;
		assembly->gravity = brMakeDVec3(0.0, 0.0, -9.81);
	}
	return assembly;
}

void brDestroyAssembly(brAssembly* assembly)
{
	if (assembly == NULL)
	{
		return;
	}
	for (int32_t i = 0; i < assembly->meshCount; ++i)
	{
		brDestroyMesh(assembly->meshes[i]);
	}
	for (int32_t i = 0; i < assembly->tetMeshCount; ++i)
	{
		brDestroyTetMesh(assembly->tetMeshes[i]);
	}
	brAllocator allocator = assembly->allocator;
	BR_FREE(&allocator, assembly->meshes, assembly->meshCapacity);
	BR_FREE(&allocator, assembly->tetMeshes, assembly->tetMeshCapacity);
	BR_FREE(&allocator, assembly->parts, assembly->partCapacity);
	BR_FREE(&allocator, assembly->keys, assembly->keyCapacity);
	brFreeArray(&allocator, assembly->groups, assembly->groupCapacity, sizeof(*assembly->groups));
	BR_FREE(&allocator, assembly->joints, assembly->jointCapacity);
	BR_FREE(&allocator, assembly, 1);
}

static bool growList(brAssembly* assembly, void** data, int32_t count, int32_t* capacity, int32_t extra,
					 size_t elementBytes)
{
	return extra <= *capacity - count || brGrowArray(&assembly->allocator, data, count, capacity, extra, elementBytes);
}

int32_t brAssembly_AddMesh(brAssembly* assembly, brMesh* mesh)
{
	if (assembly == NULL || mesh == NULL)
	{
		return -1;
	}
	if (!growList(assembly, (void**)&assembly->meshes, assembly->meshCount, &assembly->meshCapacity, 1,
				  sizeof(brMesh*)))
	{
		return -1;
	}
	assembly->meshes[assembly->meshCount] = mesh;
	return assembly->meshCount++;
}

int32_t brAssembly_AddTetMesh(brAssembly* assembly, brTetMesh* mesh)
{
	if (assembly == NULL || mesh == NULL)
	{
		return -1;
	}
	if (!growList(assembly, (void**)&assembly->tetMeshes, assembly->tetMeshCount, &assembly->tetMeshCapacity, 1,
				  sizeof(brTetMesh*)))
	{
		return -1;
	}
	assembly->tetMeshes[assembly->tetMeshCount] = mesh;
	return assembly->tetMeshCount++;
}

int32_t brAssembly_AddGroup(brAssembly* assembly, const char* name)
{
	if (assembly == NULL || name == NULL)
	{
		return -1;
	}
	if (!growList(assembly, (void**)&assembly->groups, assembly->groupCount, &assembly->groupCapacity, 1,
				  sizeof(*assembly->groups)))
	{
		return -1;
	}
	char* copy = assembly->groups[assembly->groupCount];
	memset(copy, 0, sizeof(*assembly->groups));
	snprintf(copy, sizeof(*assembly->groups), "%s", name);
	return assembly->groupCount++;
}

int32_t brAssembly_AddPart(brAssembly* assembly, const char* name, const brPart* part)
{
	if (assembly == NULL || part == NULL)
	{
		return -1;
	}
	if (!growList(assembly, (void**)&assembly->parts, assembly->partCount, &assembly->partCapacity, 1, sizeof(brPart)))
	{
		return -1;
	}
	brPart* copy = &assembly->parts[assembly->partCount];
	*copy = *part;
	if (name != NULL)
	{
		memset(copy->name, 0, sizeof(copy->name));
		snprintf(copy->name, sizeof(copy->name), "%s", name);
	}
	copy->firstKey = 0;
	copy->keyCount = 0;
	return assembly->partCount++;
}

bool brAssembly_AddJoint(brAssembly* assembly, const brAssemblyJoint* joint)
{
	bool isGood =
		assembly != NULL && joint != NULL && joint->kind >= 0 && joint->kind <= 2 && joint->parts[0] != joint->parts[1];
	for (int32_t i = 0; i < 2 && isGood; ++i)
	{
		isGood = joint->parts[i] >= -1 && joint->parts[i] < assembly->partCount;
	}
	if (!isGood || !growList(assembly, (void**)&assembly->joints, assembly->jointCount, &assembly->jointCapacity, 1,
							 sizeof(*joint)))
	{
		return false;
	}
	assembly->joints[assembly->jointCount++] = *joint;
	return true;
}

bool brAssembly_SetMotion(brAssembly* assembly, int32_t part, const brMotionKey* keys, int32_t keyCount)
{
	if (assembly == NULL)
	{
		return false;
	}
	if (part < 0 || part >= assembly->partCount || keyCount < 0 || assembly->parts[part].keyCount != 0)
	{
		return false;
	}
	for (int32_t i = 0; i < keyCount; ++i)
	{
		if (!isfinite(keys[i].time) || (i > 0 && !(keys[i].time > keys[i - 1].time)))
		{
			return false;
		}
	}
	if (!growList(assembly, (void**)&assembly->keys, assembly->keyCount, &assembly->keyCapacity, keyCount,
				  sizeof(brMotionKey)))
	{
		return false;
	}
	if (keyCount > 0)
	{
		memcpy(assembly->keys + assembly->keyCount, keys, (size_t)keyCount * sizeof(brMotionKey));
	}
	assembly->parts[part].firstKey = assembly->keyCount;
	assembly->parts[part].keyCount = keyCount;
	assembly->keyCount += keyCount;
	return true;
}

// Motion

brTransform brAssembly_FindPose(const brAssembly* assembly, int32_t index, double time)
{
	bool isThere = assembly != NULL && index >= 0 && index < assembly->partCount;
	const brPart* part = isThere ? &assembly->parts[index] : NULL;
	if (part == NULL || part->keyCount == 0)
	{
		return brMakeTransformIdentity();
	}
	const brMotionKey* keys = assembly->keys + part->firstKey;
	int32_t low = 0, high = part->keyCount - 1;
	if (!(time > keys[low].time))
	{
		return keys[low].pose;
	}
	if (time >= keys[high].time)
	{
		return keys[high].pose;
	}
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		*(keys[middle].time <= time ? &low : &high) = middle;
	}
	double t = (time - keys[low].time) / (keys[high].time - keys[low].time);
	brQuat a = keys[low].pose.q, b = keys[high].pose.q;
	// The nearer of the two quaternions that mean the same rotation.
	double turn = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0 ? -t : t;
	brQuat q = {(1.0 - t) * a.x + turn * b.x, (1.0 - t) * a.y + turn * b.y, (1.0 - t) * a.z + turn * b.z,
				(1.0 - t) * a.w + turn * b.w};
	return (brTransform){brDLerp(keys[low].pose.p, keys[high].pose.p, t), brQuat_Normalize(q)};
}

void brAssembly_Freeze(brAssembly* assembly, double time)
{
	if (assembly == NULL || isnan(time))
	{
		return;
	}
	int32_t kept = 0;
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		brPart part = assembly->parts[i];
		bool isThere = (time >= part.bornTime || part.bornTime == -INFINITY) &&
					   (time < part.goneTime || (part.goneTime == INFINITY && part.bornTime < INFINITY));
		if (!isThere)
		{
			continue;
		}
		if (part.keyCount > 0)
		{
			brAffine motion = brMakeAffineFromTransform(brAssembly_FindPose(assembly, i, time));
			part.placement = brAffine_Mul(&motion, &part.placement);
		}
		part.firstKey = part.keyCount = 0;
		part.bornTime = -INFINITY;
		part.goneTime = INFINITY;
		part.parent = -1; // it may be gone
		assembly->parts[kept++] = part;
	}
	assembly->partCount = kept;
	assembly->keyCount = 0;
	assembly->jointCount = 0;
}
