// SPDX-License-Identifier: MIT
#pragma once

// What must hold for everything a reader lets through, whatever the bytes were. Null if it does, else what does not.

#include "brittle/io.h"

#include <math.h>
#include <string.h>

static inline const char* brMeshInvariant(const brMesh* mesh)
{
	if (mesh->vertexCount < 0 || mesh->faceCount < 0 || mesh->cornerCount < 0 || mesh->materialCount < 0 ||
		mesh->groupCount < 0)
	{
		return "a count is negative";
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		if (!brDIsFinite(mesh->positions[v]))
		{
			return "a position is not finite";
		}
	}
	if (mesh->faceStarts[0] != 0 || mesh->faceStarts[mesh->faceCount] != mesh->cornerCount)
	{
		return "the face starts do not span the corners";
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		if (mesh->faceStarts[f + 1] - mesh->faceStarts[f] < 3)
		{
			return "a face has fewer than three corners";
		}
		if (mesh->faceMaterials != NULL &&
			(mesh->faceMaterials[f] < -1 || mesh->faceMaterials[f] >= mesh->materialCount))
		{
			return "a face names a material that is not there";
		}
		if (mesh->faceGroups != NULL && (mesh->faceGroups[f] < -1 || mesh->faceGroups[f] >= mesh->groupCount))
		{
			return "a face names a group that is not there";
		}
	}
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		if (mesh->corners[c] < 0 || mesh->corners[c] >= mesh->vertexCount)
		{
			return "a corner names a vertex that is not there";
		}
		if (mesh->uvs != NULL && (!isfinite(mesh->uvs[c].x) || !isfinite(mesh->uvs[c].y)))
		{
			return "a texture coordinate is not finite";
		}
		const brVec3* n = mesh->normals != NULL ? &mesh->normals[c] : NULL;
		if (n != NULL && (!isfinite(n->x) || !isfinite(n->y) || !isfinite(n->z)))
		{
			return "a normal is not finite";
		}
	}
	for (int32_t v = 0; v < mesh->vertexCount && mesh->colors != NULL; ++v)
	{
		const brVec4* c = &mesh->colors[v];
		if (!isfinite(c->x) || !isfinite(c->y) || !isfinite(c->z) || !isfinite(c->w))
		{
			return "a color is not finite";
		}
	}
	for (int32_t m = 0; m < mesh->materialCount; ++m)
	{
		const brSurfaceMaterial* material = &mesh->materials[m];
		if (memchr(material->name, 0, sizeof(material->name)) == NULL ||
			memchr(material->texture, 0, sizeof(material->texture)) == NULL)
		{
			return "a name of a material does not end";
		}
		float sum = material->baseColor.x + material->baseColor.y + material->baseColor.z + material->baseColor.w +
					material->metallic + material->roughness + material->emission.x + material->emission.y +
					material->emission.z;
		if (isnan(sum))
		{
			return "a material is not a number";
		}
	}
	for (int32_t g = 0; g < mesh->groupCount; ++g)
	{
		if (memchr(mesh->groupNames[g], 0, sizeof(mesh->groupNames[g])) == NULL)
		{
			return "a name of a group does not end";
		}
	}
	return NULL;
}

static inline const char* brTetMeshInvariant(const brTetMesh* mesh)
{
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		if (!brDIsFinite(mesh->nodes[v]))
		{
			return "a node is not finite";
		}
	}
	for (int32_t t = 0; t < mesh->tetCount; ++t)
	{
		for (int32_t k = 0; k < 4; ++k)
		{
			if (mesh->tets[t][k] < 0 || mesh->tets[t][k] >= mesh->nodeCount)
			{
				return "a tetrahedron names a node that is not there";
			}
		}
	}
	for (int32_t t = 0; t < mesh->triangleCount; ++t)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			if (mesh->triangles[t][k] < 0 || mesh->triangles[t][k] >= mesh->nodeCount)
			{
				return "a triangle names a node that is not there";
			}
		}
	}
	return NULL;
}

static inline const char* brAssemblyInvariant(const brAssembly* assembly)
{
	const char* broken = NULL;
	for (int32_t m = 0; m < assembly->meshCount && broken == NULL; ++m)
	{
		broken = brMeshInvariant(assembly->meshes[m]);
	}
	for (int32_t m = 0; m < assembly->tetMeshCount && broken == NULL; ++m)
	{
		broken = brTetMeshInvariant(assembly->tetMeshes[m]);
	}
	for (int32_t p = 0; p < assembly->partCount && broken == NULL; ++p)
	{
		const brPart* part = &assembly->parts[p];
		bool hasMesh = part->mesh >= 0 && part->mesh < assembly->meshCount;
		bool hasTets = part->tetMesh >= 0 && part->tetMesh < assembly->tetMeshCount;
		if (hasMesh == hasTets || part->mesh < -1 || part->tetMesh < -1)
		{
			return "a part shows no mesh or two";
		}
		if (memchr(part->name, 0, sizeof(part->name)) == NULL)
		{
			return "a name of a part does not end";
		}
		const double* numbers = (const double*)&part->placement;
		for (size_t i = 0; i < sizeof(brAffine) / sizeof(double); ++i)
		{
			if (!isfinite(numbers[i]))
			{
				return "a placement is not finite";
			}
		}
		if (part->keyCount < 0 || part->firstKey < 0 || part->keyCount > assembly->keyCount - part->firstKey)
		{
			return "the keys of a part are out of range";
		}
	}
	return broken;
}
