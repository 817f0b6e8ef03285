// SPDX-License-Identifier: MIT

// Making, copying and merging polygon meshes. All arrays of a mesh come from the allocator it remembers.

#include "mesh/mesh_build.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"

#include <string.h>

brSurfaceMaterial brDefaultSurfaceMaterial(void)
{
	brSurfaceMaterial material;
	memset(&material, 0, sizeof(material));
	material.baseColor = (brVec4){0.8f, 0.8f, 0.8f, 1.0f};
	material.roughness = 0.9f;
	return material;
}

brMeshDef brDefaultMeshDef(void)
{
	return (brMeshDef){.stamp = BR_STAMP(brMeshDef)};
}

brMeshShape brMakeShapeLike(const brMesh* mesh, int32_t vertexCount, int32_t faceCount, int32_t cornerCount)
{
	return (brMeshShape){
		.vertexCount = vertexCount,
		.faceCount = faceCount,
		.cornerCount = cornerCount,
		.materialCount = mesh->materialCount,
		.groupCount = mesh->groupCount,
		.hasUvs = mesh->uvs != NULL,
		.hasNormals = mesh->normals != NULL,
		.hasColors = mesh->colors != NULL,
		.hasFaceMaterials = mesh->faceMaterials != NULL,
		.hasFaceGroups = mesh->faceGroups != NULL,
	};
}

brMesh* brAllocMesh(const brAllocator* allocator, const brMeshShape* shape)
{
	brMesh* mesh = BR_ALLOC_ZERO(allocator, brMesh, 1);
	if (mesh == NULL)
	{
		return NULL;
	}
	mesh->allocator = *allocator;
	mesh->vertexCount = shape->vertexCount;
	mesh->faceCount = shape->faceCount;
	mesh->cornerCount = shape->cornerCount;
	mesh->materialCount = shape->materialCount;
	mesh->groupCount = shape->groupCount;

	bool complete = (mesh->positions = BR_ALLOC(allocator, brDVec3, shape->vertexCount)) != NULL &&
					(mesh->faceStarts = BR_ALLOC(allocator, int32_t, (int64_t)shape->faceCount + 1)) != NULL &&
					(mesh->corners = BR_ALLOC(allocator, int32_t, shape->cornerCount)) != NULL;
	if (complete && shape->hasUvs)
	{
		complete = (mesh->uvs = BR_ALLOC_ZERO(allocator, brVec2, shape->cornerCount)) != NULL;
	}
	if (complete && shape->hasNormals)
	{
		complete = (mesh->normals = BR_ALLOC_ZERO(allocator, brVec3, shape->cornerCount)) != NULL;
	}
	if (complete && shape->hasColors)
	{
		complete = (mesh->colors = BR_ALLOC_ZERO(allocator, brVec4, shape->vertexCount)) != NULL;
	}
	if (complete && shape->hasFaceMaterials)
	{
		complete = (mesh->faceMaterials = BR_ALLOC_ZERO(allocator, int32_t, shape->faceCount)) != NULL;
	}
	if (complete && shape->hasFaceGroups)
	{
		complete = (mesh->faceGroups = BR_ALLOC_ZERO(allocator, int32_t, shape->faceCount)) != NULL;
	}
	if (complete && shape->materialCount > 0)
	{
		complete = (mesh->materials = BR_ALLOC_ZERO(allocator, brSurfaceMaterial, shape->materialCount)) != NULL;
	}
	if (complete && shape->groupCount > 0)
	{
		complete = (mesh->groupNames = brAllocZeroArray(allocator, shape->groupCount, sizeof(char[64]))) != NULL;
	}
	if (!complete)
	{
		brDestroyMesh(mesh);
		return NULL;
	}
	mesh->faceStarts[0] = 0;
	return mesh;
}

static void copyArray(void* target, const void* source, int64_t count, size_t elementBytes)
{
	if (target != NULL && source != NULL && count > 0)
	{
		memcpy(target, source, (size_t)count * elementBytes);
	}
}

void brMesh_InheritLists(brMesh* mesh, const brMesh* source)
{
	copyArray(mesh->materials, source->materials, source->materialCount, sizeof(brSurfaceMaterial));
	copyArray(mesh->groupNames, source->groupNames, source->groupCount, sizeof(char[64]));
}

void brMesh_Inherit(brMesh* mesh, const brMesh* source, brMeshOrigins origins)
{
	for (int32_t v = 0; v < mesh->vertexCount && mesh->colors != NULL; ++v)
	{
		mesh->colors[v] = source->colors[origins.vertices != NULL ? origins.vertices[v] : v];
	}
	for (int32_t f = 0; f < mesh->faceCount && mesh->faceMaterials != NULL; ++f)
	{
		mesh->faceMaterials[f] = source->faceMaterials[origins.faces[f]];
	}
	for (int32_t f = 0; f < mesh->faceCount && mesh->faceGroups != NULL; ++f)
	{
		mesh->faceGroups[f] = source->faceGroups[origins.faces[f]];
	}
	for (int32_t c = 0; c < mesh->cornerCount && mesh->uvs != NULL; ++c)
	{
		mesh->uvs[c] = source->uvs[origins.corners[c]];
	}
	for (int32_t c = 0; c < mesh->cornerCount && mesh->normals != NULL; ++c)
	{
		mesh->normals[c] = source->normals[origins.corners[c]];
	}
	brMesh_InheritLists(mesh, source);
}

brMesh* brMakeTriangleMesh(const brAllocator* allocator, const brMesh* mesh, const brTriangulation* triangles)
{
	int32_t count = triangles->triangleCount;
	brMeshShape shape = brMakeShapeLike(mesh, mesh->vertexCount, count, 3 * count);
	brMesh* split = brAllocMesh(allocator, &shape);
	if (split == NULL)
	{
		return NULL;
	}
	copyArray(split->positions, mesh->positions, mesh->vertexCount, sizeof(brDVec3));
	for (int32_t t = 0; t < count; ++t)
	{
		split->faceStarts[t + 1] = 3 * (t + 1);
	}
	for (int32_t c = 0; c < split->cornerCount; ++c)
	{
		split->corners[c] = mesh->corners[triangles->corners[c]];
	}
	brMesh_Inherit(split, mesh, (brMeshOrigins){NULL, triangles->faces, triangles->corners});
	return split;
}

brMesh brMesh_Bare(const brMesh* mesh)
{
	return (brMesh){.vertexCount = mesh->vertexCount,
					.faceCount = mesh->faceCount,
					.cornerCount = mesh->cornerCount,
					.positions = mesh->positions,
					.faceStarts = mesh->faceStarts,
					.corners = mesh->corners};
}

bool brAdoptArray(const brAllocator* allocator, void* blockPointer, int32_t* countPointer, void* dataPointer,
				  int32_t* count, int32_t* capacity, size_t elementBytes)
{
	int32_t taken = *count;
	if (taken > 0)
	{
		void* block;
		void* data = brTakeArray(allocator, dataPointer, count, capacity, elementBytes);
		if (data == NULL)
		{
			return false;
		}
		memcpy(&block, blockPointer, sizeof(block)); // pointers of any type, so as bytes
		brFreeArray(allocator, block, *countPointer, elementBytes);
		memcpy(blockPointer, &data, sizeof(data));
		*countPointer = taken;
	}
	return true;
}

void brDestroyMesh(brMesh* mesh)
{
	if (mesh == NULL)
	{
		return;
	}
	brAllocator allocator = mesh->allocator;
	BR_FREE(&allocator, mesh->positions, mesh->vertexCount);
	BR_FREE(&allocator, mesh->faceStarts, (int64_t)mesh->faceCount + 1);
	BR_FREE(&allocator, mesh->corners, mesh->cornerCount);
	BR_FREE(&allocator, mesh->uvs, mesh->cornerCount);
	BR_FREE(&allocator, mesh->normals, mesh->cornerCount);
	BR_FREE(&allocator, mesh->colors, mesh->vertexCount);
	BR_FREE(&allocator, mesh->faceMaterials, mesh->faceCount);
	BR_FREE(&allocator, mesh->faceGroups, mesh->faceCount);
	BR_FREE(&allocator, mesh->materials, mesh->materialCount);
	BR_FREE(&allocator, mesh->groupNames, mesh->groupCount);
	BR_FREE(&allocator, mesh, 1);
}

// The data a def points to, checked before a byte is copied.
static brResult checkMeshDef(const brMeshDef* def, int32_t* outCornerCount, brReport* report)
{
	if (def->vertexCount < 0 || def->faceCount < 0 || def->materialCount < 0 || def->groupCount < 0)
	{
		return brFail(report, br_errorMisuse, "a count of the mesh def is negative");
	}
	if ((def->vertexCount > 0 && def->positions == NULL) || (def->faceCount > 0 && def->corners == NULL) ||
		(def->materialCount > 0 && def->materials == NULL) || (def->groupCount > 0 && def->groupNames == NULL))
	{
		return brFail(report, br_errorMisuse, "an array that the mesh def counts is null");
	}
	for (int32_t v = 0; v < def->vertexCount; ++v)
	{
		if (!brDIsFinite(def->positions[v]))
		{
			return brFailAt(report, br_errorGeometry, v, "vertex %d is not finite", v);
		}
	}

	// Every start of a face lies three or more behind the one before, so the last one counts the corners.
	if (def->faceStarts == NULL && def->faceCount > INT32_MAX / 3)
	{
		return brFail(report, br_errorLimit, "%d triangles have more corners than 32 bits can count", def->faceCount);
	}
	int32_t cornerCount = 3 * (def->faceStarts == NULL ? def->faceCount : 0);
	if (def->faceStarts != NULL)
	{
		if (def->faceStarts[0] != 0)
		{
			return brFail(report, br_errorMisuse, "the first face does not start at corner 0");
		}
		for (int32_t f = 0; f < def->faceCount; ++f)
		{
			int64_t size = (int64_t)def->faceStarts[f + 1] - def->faceStarts[f];
			if (size < 3)
			{
				return brFailAt(report, br_errorGeometry, f, "face %d has %lld corners, three are needed", f,
								(long long)size);
			}
		}
		cornerCount = def->faceStarts[def->faceCount];
	}
	for (int32_t c = 0; c < cornerCount; ++c)
	{
		if (def->corners[c] < 0 || def->corners[c] >= def->vertexCount)
		{
			return brFailAt(report, br_errorGeometry, c, "corner %d names vertex %d, there are %d", c, def->corners[c],
							def->vertexCount);
		}
	}
	for (int32_t f = 0; f < def->faceCount; ++f)
	{
		if (def->faceMaterials != NULL && (def->faceMaterials[f] < -1 || def->faceMaterials[f] >= def->materialCount))
		{
			return brFailAt(report, br_errorGeometry, f, "face %d names material %d, there are %d", f,
							def->faceMaterials[f], def->materialCount);
		}
		if (def->faceGroups != NULL && (def->faceGroups[f] < -1 || def->faceGroups[f] >= def->groupCount))
		{
			return brFailAt(report, br_errorGeometry, f, "face %d names group %d, there are %d", f, def->faceGroups[f],
							def->groupCount);
		}
	}
	*outCornerCount = cornerCount;
	return br_success;
}

brResult brCreateMesh(const brContext* context, const brMeshDef* def, brMesh** outMesh, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "a mesh needs a def from brDefaultMeshDef and a place for the result");
	}
	int32_t cornerCount = 0;
	brResult result = checkMeshDef(def, &cornerCount, report);
	if (result < 0)
	{
		return result;
	}
	brMeshShape shape = {
		.vertexCount = def->vertexCount,
		.faceCount = def->faceCount,
		.cornerCount = cornerCount,
		.materialCount = def->materialCount,
		.groupCount = def->groupCount,
		.hasUvs = def->uvs != NULL,
		.hasNormals = def->normals != NULL,
		.hasColors = def->colors != NULL,
		.hasFaceMaterials = def->faceMaterials != NULL,
		.hasFaceGroups = def->faceGroups != NULL,
	};
	brAllocator allocator = brContext_Allocator(context);
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	copyArray(mesh->positions, def->positions, def->vertexCount, sizeof(brDVec3));
	copyArray(mesh->faceStarts, def->faceStarts, (int64_t)def->faceCount + 1, sizeof(int32_t));
	for (int32_t f = 0; f < def->faceCount && def->faceStarts == NULL; ++f)
	{
		mesh->faceStarts[f + 1] = 3 * (f + 1);
	}
	copyArray(mesh->corners, def->corners, cornerCount, sizeof(int32_t));
	copyArray(mesh->uvs, def->uvs, cornerCount, sizeof(brVec2));
	copyArray(mesh->normals, def->normals, cornerCount, sizeof(brVec3));
	copyArray(mesh->colors, def->colors, def->vertexCount, sizeof(brVec4));
	copyArray(mesh->faceMaterials, def->faceMaterials, def->faceCount, sizeof(int32_t));
	copyArray(mesh->faceGroups, def->faceGroups, def->faceCount, sizeof(int32_t));
	copyArray(mesh->materials, def->materials, def->materialCount, sizeof(brSurfaceMaterial));
	copyArray(mesh->groupNames, def->groupNames, def->groupCount, sizeof(char[64]));
	*outMesh = mesh;
	return brSucceed(report);
}

brResult brCopyMesh(const brContext* context, const brMesh* mesh, brMesh** outMesh, brReport* report)
{
	if (mesh == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "brCopyMesh needs mesh and outMesh");
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = mesh->vertexCount;
	def.faceCount = mesh->faceCount;
	def.materialCount = mesh->materialCount;
	def.groupCount = mesh->groupCount;
	def.positions = mesh->positions;
	def.faceStarts = mesh->faceStarts;
	def.corners = mesh->corners;
	def.uvs = mesh->uvs;
	def.normals = mesh->normals;
	def.colors = mesh->colors;
	def.faceMaterials = mesh->faceMaterials;
	def.faceGroups = mesh->faceGroups;
	def.materials = mesh->materials;
	def.groupNames = (const char(*)[64])mesh->groupNames;
	return brCreateMesh(context, &def, outMesh, report);
}
