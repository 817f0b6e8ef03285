// SPDX-License-Identifier: MIT

// Making tetrahedral meshes. All arrays of a mesh come from the allocator it remembers.

#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"
#include "mesh/mesh_build.h"

#include <string.h>

brTetMeshDef brDefaultTetMeshDef(void)
{
	return (brTetMeshDef){.stamp = BR_STAMP(brTetMeshDef)};
}

brTetMesh* brAllocTetMesh(const brAllocator* allocator, const brTetMeshShape* shape)
{
	brTetMesh* mesh = BR_ALLOC_ZERO(allocator, brTetMesh, 1);
	if (mesh == NULL)
	{
		return NULL;
	}
	mesh->allocator = *allocator;
	mesh->nodeCount = shape->nodeCount;
	mesh->tetCount = shape->tetCount;
	mesh->triangleCount = shape->triangleCount;

	bool complete = (mesh->nodes = BR_ALLOC(allocator, brDVec3, shape->nodeCount)) != NULL &&
					(mesh->tets = brAllocArray(allocator, shape->tetCount, sizeof(int32_t[4]))) != NULL;
	if (complete && shape->hasTetTags)
	{
		complete = (mesh->tetTags = BR_ALLOC(allocator, int32_t, shape->tetCount)) != NULL;
	}
	if (complete && shape->triangleCount > 0)
	{
		complete = (mesh->triangles = brAllocArray(allocator, shape->triangleCount, sizeof(int32_t[3]))) != NULL;
	}
	if (complete && shape->triangleCount > 0 && shape->hasTriangleTags)
	{
		complete = (mesh->triangleTags = BR_ALLOC(allocator, int32_t, shape->triangleCount)) != NULL;
	}
	if (!complete)
	{
		brDestroyTetMesh(mesh);
		return NULL;
	}
	return mesh;
}

void brDestroyTetMesh(brTetMesh* mesh)
{
	if (mesh == NULL)
	{
		return;
	}
	brAllocator allocator = mesh->allocator;
	BR_FREE(&allocator, mesh->nodes, mesh->nodeCount);
	BR_FREE(&allocator, mesh->tets, mesh->tetCount);
	BR_FREE(&allocator, mesh->tetTags, mesh->tetCount);
	BR_FREE(&allocator, mesh->triangles, mesh->triangleCount);
	BR_FREE(&allocator, mesh->triangleTags, mesh->triangleCount);
	BR_FREE(&allocator, mesh, 1);
}

static brResult checkNodeIndices(const int32_t* indices, int32_t elementCount, int32_t size, int32_t nodeCount,
								 const char* kind, brReport* report)
{
	for (int32_t e = 0; e < elementCount; ++e)
	{
		for (int32_t k = 0; k < size; ++k)
		{
			int32_t node = indices[(int64_t)size * e + k];
			if (node < 0 || node >= nodeCount)
			{
				return brFailAt(report, br_errorGeometry, e, "%s %d names node %d, there are %d", kind, e, node,
								nodeCount);
			}
		}
	}
	return br_success;
}

brResult brCreateTetMesh(const brContext* context, const brTetMeshDef* def, brTetMesh** outMesh, brReport* report)
{
	if (def == NULL || def->stamp != BR_STAMP(*def) || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse,
					  "a tet mesh needs a def from brDefaultTetMeshDef and a place for the result");
	}
	if (def->nodeCount < 0 || def->tetCount < 0 || def->triangleCount < 0 ||
		(def->nodeCount > 0 && def->nodes == NULL) || (def->tetCount > 0 && def->tets == NULL) ||
		(def->triangleCount > 0 && def->triangles == NULL))
	{
		return brFail(report, br_errorMisuse, "a count of the tet mesh def is negative or its array is null");
	}
	for (int32_t v = 0; v < def->nodeCount; ++v)
	{
		if (!brDIsFinite(def->nodes[v]))
		{
			return brFailAt(report, br_errorGeometry, v, "node %d is not finite", v);
		}
	}
	brResult result = checkNodeIndices((const int32_t*)def->tets, def->tetCount, 4, def->nodeCount, "tet", report);
	if (result >= 0)
	{
		result =
			checkNodeIndices((const int32_t*)def->triangles, def->triangleCount, 3, def->nodeCount, "triangle", report);
	}
	if (result < 0)
	{
		return result;
	}
	brTetMeshShape shape = {
		.nodeCount = def->nodeCount,
		.tetCount = def->tetCount,
		.triangleCount = def->triangleCount,
		.hasTetTags = def->tetTags != NULL,
		.hasTriangleTags = def->triangleTags != NULL,
	};
	brAllocator allocator = brContext_Allocator(context);
	brTetMesh* mesh = brAllocTetMesh(&allocator, &shape);
	if (mesh == NULL)
	{
		return brFailMemory(report);
	}
	if (def->nodeCount > 0)
	{
		memcpy(mesh->nodes, def->nodes, (size_t)def->nodeCount * sizeof(brDVec3));
	}
	if (def->tetCount > 0)
	{
		memcpy(mesh->tets, def->tets, (size_t)def->tetCount * sizeof(int32_t[4]));
	}
	if (mesh->tetTags != NULL && def->tetCount > 0)
	{
		memcpy(mesh->tetTags, def->tetTags, (size_t)def->tetCount * sizeof(int32_t));
	}
	if (mesh->triangles != NULL)
	{
		memcpy(mesh->triangles, def->triangles, (size_t)def->triangleCount * sizeof(int32_t[3]));
	}
	if (mesh->triangleTags != NULL)
	{
		memcpy(mesh->triangleTags, def->triangleTags, (size_t)def->triangleCount * sizeof(int32_t));
	}
	*outMesh = mesh;
	return brSucceed(report);
}
