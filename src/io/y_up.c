// SPDX-License-Identifier: MIT

// An assembly that stands on z, turned so that it stands on y: (x, y, z) becomes (x, z, -y) in meshes, placements and
// poses alike. No node of the file is then turned: a part's own axes are those of the world when it is not rotated.

#include "io/scene_parts.h"

#include <string.h>

static brDVec3 yUpVector(brDVec3 v)
{
	return brMakeDVec3(v.x, v.z, 0.0 - v.y); // no zero turns negative: an identity stays one
}

static brTransform yUpPose(brTransform pose)
{
	return (brTransform){yUpVector(pose.p), {pose.q.x, pose.q.z, -pose.q.y, pose.q.w}};
}

// The turn before, undone after.
static brAffine yUpAffine(const brAffine* map)
{
	return (brAffine){
		{yUpVector(map->m.cx), yUpVector(map->m.cz), brDSub(brMakeDVec3(0.0, 0.0, 0.0), yUpVector(map->m.cy))},
		yUpVector(map->p)};
}

static brResult yUpMesh(const brWriteJob* job, int32_t shape, brAssembly* turned)
{
	const brAssembly* assembly = job->assembly;
	brMesh* mesh = NULL;
	brResult result =
		shape < assembly->meshCount
			? brCopyMesh(job->context, assembly->meshes[shape], &mesh, job->report)
			: brTetMesh_MakeSurface(assembly->tetMeshes[shape - assembly->meshCount], job->context, &mesh, job->report);
	if (result < 0)
	{
		return result;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = yUpVector(mesh->positions[v]);
	}
	for (int32_t c = 0; c < mesh->cornerCount && mesh->normals != NULL; ++c)
	{
		mesh->normals[c] = brMakeVec3(mesh->normals[c].x, mesh->normals[c].z, 0.0f - mesh->normals[c].y);
	}
	if (brAssembly_AddMesh(turned, mesh) < 0)
	{
		brDestroyMesh(mesh);
		return brFailMemory(job->report);
	}
	return br_success;
}

static bool yUpParts(const brAssembly* assembly, brAssembly* turned)
{
	for (int32_t i = 0; i < assembly->groupCount; ++i)
	{
		if (brAssembly_AddGroup(turned, assembly->groups[i]) < 0)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		brPart part = assembly->parts[i];
		int32_t firstKey = part.firstKey, keyCount = part.keyCount;
		part.placement = yUpAffine(&part.placement);
		part.mesh = part.mesh >= 0 ? part.mesh : assembly->meshCount + part.tetMesh;
		part.tetMesh = -1;
		int32_t index = brAssembly_AddPart(turned, NULL, &part);
		if (index < 0 || (keyCount > 0 && !brAssembly_SetMotion(turned, index, assembly->keys + firstKey, keyCount)))
		{
			return false;
		}
	}
	for (int32_t k = 0; k < turned->keyCount; ++k)
	{
		turned->keys[k].pose = yUpPose(turned->keys[k].pose);
	}
	for (int32_t i = 0; i < assembly->jointCount; ++i)
	{
		brAssemblyJoint joint = assembly->joints[i];
		joint.frames[0] = yUpPose(joint.frames[0]);
		joint.frames[1] = yUpPose(joint.frames[1]);
		if (!brAssembly_AddJoint(turned, &joint))
		{
			return false;
		}
	}
	turned->camera = assembly->camera;
	// A camera's own axes stay what they are: it is turned once, not before and after.
	const double half = 0.70710678118654752440;
	turned->gravity = yUpVector(assembly->gravity);
	turned->camera.pose.p = yUpVector(assembly->camera.pose.p);
	turned->camera.pose.q = brQuat_Mul((brQuat){-half, 0.0, 0.0, half}, assembly->camera.pose.q);
	return true;
}

brResult brMakeYUpAssembly(const brWriteJob* job, brAssembly** outAssembly)
{
	brResult result = brCheckParts(job);
	if (result < 0)
	{
		return result;
	}
	brAssembly* turned = brCreateAssembly(job->context);
	if (turned == NULL)
	{
		return brFailMemory(job->report);
	}
	const brAssembly* assembly = job->assembly;
	for (int32_t i = 0; i < assembly->meshCount + assembly->tetMeshCount && result >= 0; ++i)
	{
		result = yUpMesh(job, i, turned);
	}
	if (result >= 0 && !yUpParts(assembly, turned))
	{
		result = brFailMemory(job->report);
	}
	if (result < 0)
	{
		brDestroyAssembly(turned);
		return result;
	}
	*outAssembly = turned;
	return br_success;
}
