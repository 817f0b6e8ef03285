// SPDX-License-Identifier: MIT
#include "io/surface.h"

#include <stdio.h>
#include <string.h>

bool brPositionsAreFloats(const brMesh* mesh)
{
	const double* values = (const double*)mesh->positions;
	for (int64_t i = 0; i < 3 * (int64_t)mesh->vertexCount; ++i)
	{
		if ((double)(float)values[i] != values[i])
		{
			return false;
		}
	}
	return true;
}

int32_t* brFirstCorners(const brAllocator* allocator, const brMesh* mesh)
{
	int32_t* first = BR_ALLOC(allocator, int32_t, mesh->vertexCount);
	if (first != NULL)
	{
		memset(first, 0xFF, (size_t)mesh->vertexCount * sizeof(int32_t));
		for (int32_t c = mesh->cornerCount - 1; c >= 0; --c)
		{
			first[mesh->corners[c]] = c;
		}
	}
	return first;
}

bool brCornersAgree(const brMesh* mesh, const int32_t* firstCorners, const void* values, size_t elementBytes)
{
	const unsigned char* bytes = values;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		size_t first = (size_t)firstCorners[mesh->corners[c]];
		if (memcmp(bytes + (size_t)c * elementBytes, bytes + first * elementBytes, elementBytes) != 0)
		{
			return false;
		}
	}
	return true;
}

static bool hasPolygons(const brMesh* mesh)
{
	return mesh->cornerCount > 3 * (int64_t)mesh->faceCount;
}

static uint32_t surfaceContents(const brMesh* mesh)
{
	uint32_t contents = 0;
	contents |= brPositionsAreFloats(mesh) ? 0 : br_holdsDoubles;
	contents |= hasPolygons(mesh) ? br_holdsPolygons : 0;
	contents |= mesh->uvs != NULL ? br_holdsUvs : 0;
	contents |= mesh->normals != NULL ? br_holdsNormals : 0;
	contents |= mesh->colors != NULL ? br_holdsColors : 0;
	contents |= mesh->faceMaterials != NULL && mesh->materialCount > 0 ? br_holdsMaterials : 0;
	contents |= mesh->faceGroups != NULL && mesh->groupCount > 0 ? br_holdsGroups : 0;
	return contents;
}

bool brSortByMaterial(const brAllocator* allocator, const brMesh* mesh, const brTriangulation* triangles,
					  brBuckets* outOrder)
{
	int32_t count = triangles != NULL ? triangles->triangleCount : mesh->faceCount;
	int32_t* materials = BR_ALLOC(allocator, int32_t, count);
	for (int32_t i = 0; materials != NULL && i < count; ++i)
	{
		int32_t material = mesh->faceMaterials[triangles != NULL ? triangles->faces[i] : i];
		materials[i] = material >= 0 && material < mesh->materialCount ? material : mesh->materialCount;
	}
	*outOrder = (brBuckets){0};
	bool isGood = materials != NULL && brBuckets_Make(outOrder, allocator, materials, count, mesh->materialCount + 1);
	BR_FREE(allocator, materials, count);
	return isGood;
}

brResult brTriangulateFloats(const brContext* context, const brMesh* mesh, brTriangulation** outTriangles,
							 brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brMesh rounded = *mesh;
	rounded.positions = BR_ALLOC(&allocator, brDVec3, mesh->vertexCount);
	if (rounded.positions == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		rounded.positions[v] = brToDVec3(brToVec3(mesh->positions[v]));
	}
	brResult result = brTriangulateMesh(context, &rounded, outTriangles, report);
	BR_FREE(&allocator, rounded.positions, mesh->vertexCount);
	return result;
}

// The same mesh with its faces split.
static brResult triangulateSurface(const brWriteJob* job, const brMesh* mesh, bool asFloats, brMesh** outMesh)
{
	brTriangulation* triangles = NULL;
	brResult result = asFloats ? brTriangulateFloats(job->context, mesh, &triangles, job->report)
							   : brTriangulateMesh(job->context, mesh, &triangles, job->report);
	if (result < 0)
	{
		return result;
	}
	*outMesh = brMakeTriangleMesh(&job->allocator, mesh, triangles);
	brDestroyTriangulation(triangles);
	return *outMesh != NULL ? br_success : brFailMemory(job->report);
}

brResult brSurface_Open(brSurface* surface, const brWriteJob* job, uint32_t holds)
{
	const brAssembly* assembly = job->assembly;
	memset(surface, 0, sizeof(*surface));
	uint32_t contents = 0;
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		contents |= assembly->parts[p].keyCount > 0 ? br_holdsMotion : 0;
		contents |= assembly->parts[p].tetMesh >= 0 ? br_holdsTets : 0;
	}

	bool isAlone = assembly->partCount == 1 && assembly->parts[0].mesh >= 0 && assembly->parts[0].keyCount == 0 &&
				   brAffine_IsIdentity(&assembly->parts[0].placement);
	if (isAlone)
	{
		surface->mesh = assembly->meshes[assembly->parts[0].mesh];
	}
	else
	{
		brResult result = brAssembly_Flatten(assembly, job->context, &surface->owned, job->report);
		if (result < 0)
		{
			return result;
		}
		surface->mesh = surface->owned;
	}
	surface->contents = contents | surfaceContents(surface->mesh);

	if (hasPolygons(surface->mesh) && (job->def->triangulate || (holds & br_holdsPolygons) == 0))
	{
		brMesh* split = NULL;
		brResult result = triangulateSurface(job, surface->mesh, (holds & br_holdsDoubles) == 0, &split);
		if (result < 0)
		{
			return result;
		}
		brDestroyMesh(surface->owned);
		surface->owned = split;
		surface->mesh = split;
	}
	return br_success;
}

void brSurface_Close(brSurface* surface, const brWriteJob* job)
{
	(void)job;
	brDestroyMesh(surface->owned);
	surface->owned = NULL;
	surface->mesh = NULL;
}

brResult brSurface_Remark(const brSurface* surface, const brWriteJob* job, uint32_t holds)
{
	static const struct
	{
		uint32_t what;
		const char* name;
	} names[] = {
		{br_holdsUvs, "texture coordinates"},
		{br_holdsVertexUvs, "texture coordinates that differ at one vertex"},
		{br_holdsNormals, "normals"},
		{br_holdsVertexNormals, "normals that differ at one vertex"},
		{br_holdsColors, "colors"},
		{br_holdsMaterials, "materials"},
		{br_holdsGroups, "groups"},
		{br_holdsMotion, "motion"},
		{br_holdsTets, "tetrahedra inside"},
		{br_holdsPolygons, "polygons of more than three corners"},
		{br_holdsDoubles, "coordinates beyond float precision"},
	};
	uint32_t lost = surface->contents & ~holds;
	lost &= job->def->triangulate ? ~(uint32_t)br_holdsPolygons : UINT32_MAX;
	if (lost == 0)
	{
		return br_success;
	}
	char list[400] = "";
	size_t used = 0;
	for (int32_t i = 0; i < BR_COUNT(names); ++i)
	{
		if ((lost & names[i].what) != 0)
		{
			int written = snprintf(list + used, sizeof(list) - used, "%s%s", used > 0 ? ", " : "", names[i].name);
			used += (size_t)written;
		}
	}
	return brFail(job->report, br_remarkApproximate, "%.100s: this kind of file does not hold %s", job->path, list);
}
