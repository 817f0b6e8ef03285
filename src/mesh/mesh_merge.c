// SPDX-License-Identifier: MIT

// Moving meshes, and making one out of many.
//
// Merging and flattening are the same thing: a list of sources, each a mesh with an optional map, appended in order and
// moved where they end up, so that no source is copied twice.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/assembly.h"
#include "mesh/mesh_build.h"

#include <stdio.h>
#include <string.h>

// Moving

// The linear part, brought to entries of at most 1 so that its determinant and cofactors stay in range.
static brMat3 scaleMapLinear(const brMat3* m)
{
	brDVec3 columns[3] = {m->cx, m->cy, m->cz};
	double largest = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		largest = fmax(largest, fmax(fabs(columns[i].x), fmax(fabs(columns[i].y), fabs(columns[i].z))));
	}
	double scale = largest > 0.0 ? 1.0 / largest : 1.0;
	return (brMat3){brDMul(scale, m->cx), brDMul(scale, m->cy), brDMul(scale, m->cz)};
}

// Outward normals go with the inverse transpose, which is the cofactor matrix over the determinant; only the sign of
// the latter matters for a direction.
static void mapNormals(brVec3* normals, int32_t count, const brAffine* map)
{
	brMat3 linear = scaleMapLinear(&map->m);
	brMat3 cofactor = brMat3_Cofactor(&linear);
	double sign = brMat3_Determinant(&linear) < 0.0 ? -1.0 : 1.0;
	for (int32_t c = 0; c < count; ++c)
	{
		brDVec3 n = brMat3_MulV(&cofactor, brToDVec3(normals[c]));
		normals[c] = brToVec3(brDMul(sign, brDNormalize(n)));
	}
}

static void turnBytes(void* items, int32_t begin, int32_t end, size_t itemBytes)
{
	char* bytes = items;
	for (int32_t i = begin, j = end - 1; i < j; ++i, --j)
	{
		char swap[16];
		memcpy(swap, bytes + (size_t)i * itemBytes, itemBytes);
		memcpy(bytes + (size_t)i * itemBytes, bytes + (size_t)j * itemBytes, itemBytes);
		memcpy(bytes + (size_t)j * itemBytes, swap, itemBytes);
	}
}

void brMesh_TurnFace(brMesh* mesh, int32_t face)
{
	int32_t begin = mesh->faceStarts[face] + 1;
	int32_t end = mesh->faceStarts[face + 1];
	turnBytes(mesh->corners, begin, end, sizeof(int32_t));
	if (mesh->uvs != NULL)
	{
		turnBytes(mesh->uvs, begin, end, sizeof(brVec2));
	}
	if (mesh->normals != NULL)
	{
		turnBytes(mesh->normals, begin, end, sizeof(brVec3));
	}
}

// Vertices and faces from the given ones to the end.
static void mapMeshTail(brMesh* mesh, int32_t firstVertex, int32_t firstFace, const brAffine* map)
{
	if (brAffine_IsIdentity(map))
	{
		return;
	}
	for (int32_t v = firstVertex; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = brAffine_Point(map, mesh->positions[v]);
	}
	int32_t firstCorner = mesh->faceStarts[firstFace];
	if (mesh->normals != NULL)
	{
		mapNormals(mesh->normals + firstCorner, mesh->cornerCount - firstCorner, map);
	}
	brMat3 linear = scaleMapLinear(&map->m);
	if (brMat3_Determinant(&linear) < 0.0)
	{
		for (int32_t f = firstFace; f < mesh->faceCount; ++f)
		{
			brMesh_TurnFace(mesh, f);
		}
	}
}

void brMesh_Transform(brMesh* mesh, const brAffine* map)
{
	if (mesh == NULL || map == NULL)
	{
		return;
	}
	mapMeshTail(mesh, 0, 0, map);
}

// Merging

typedef struct MergeSource
{
	const brMesh* mesh;
	brMesh* surface;     // made for this list from a tet mesh, or null
	const brAffine* map; // null: stays where it is
	char group[64];      // of all its faces if it has no groups; empty: none
} MergeSource;

static bool sameMaterial(const brSurfaceMaterial* a, const brSurfaceMaterial* b)
{
	return strncmp(a->name, b->name, sizeof(a->name)) == 0 &&
		   strncmp(a->texture, b->texture, sizeof(a->texture)) == 0 && a->baseColor.x == b->baseColor.x &&
		   a->baseColor.y == b->baseColor.y && a->baseColor.z == b->baseColor.z && a->baseColor.w == b->baseColor.w &&
		   a->metallic == b->metallic && a->roughness == b->roughness && a->emission.x == b->emission.x &&
		   a->emission.y == b->emission.y && a->emission.z == b->emission.z;
}

// Index of an equal material, added if there is none. The first source keeps its list as it is, doubles included.
static int32_t shareMaterial(brSurfaceMaterial* materials, int32_t* count, const brSurfaceMaterial* material,
							 bool isFirstSource)
{
	for (int32_t i = 0; i < *count && !isFirstSource; ++i)
	{
		if (sameMaterial(&materials[i], material))
		{
			return i;
		}
	}
	materials[*count] = *material;
	return (*count)++;
}

static brResult countSources(const MergeSource* sources, int32_t count, brMeshShape* outShape, brReport* report)
{
	int64_t vertices = 0, faces = 0, corners = 0, materials = 0, groups = 0;
	brMeshShape shape = {0};
	for (int32_t i = 0; i < count; ++i)
	{
		const brMesh* mesh = sources[i].mesh;
		vertices += mesh->vertexCount;
		faces += mesh->faceCount;
		corners += mesh->cornerCount;
		materials += mesh->materialCount;
		bool addsGroup = mesh->groupCount == 0 && sources[i].group[0] != 0;
		groups += addsGroup ? 1 : mesh->groupCount;
		shape.hasUvs |= mesh->uvs != NULL;
		shape.hasNormals |= mesh->normals != NULL;
		shape.hasColors |= mesh->colors != NULL;
		shape.hasFaceMaterials |= mesh->faceMaterials != NULL;
		shape.hasFaceGroups |= mesh->faceGroups != NULL || addsGroup;
	}
	if (vertices > INT32_MAX || faces >= INT32_MAX || corners > INT32_MAX || materials > INT32_MAX ||
		groups > INT32_MAX)
	{
		return brFail(report, br_errorLimit, "%lld vertices and %lld corners together are more than 32 bits can count",
					  (long long)vertices, (long long)corners);
	}
	shape.vertexCount = (int32_t)vertices;
	shape.faceCount = (int32_t)faces;
	shape.cornerCount = (int32_t)corners;
	shape.materialCount = (int32_t)materials;
	shape.groupCount = (int32_t)groups;
	*outShape = shape;
	return br_success;
}

static void appendCorners(brMesh* target, const brMesh* mesh)
{
	int32_t vertexBase = target->vertexCount;
	int32_t cornerBase = target->cornerCount;
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		target->corners[cornerBase + c] = mesh->corners[c] + vertexBase;
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		target->faceStarts[target->faceCount + f + 1] = cornerBase + mesh->faceStarts[f + 1];
	}
	if (mesh->uvs != NULL && mesh->cornerCount > 0)
	{
		memcpy(target->uvs + cornerBase, mesh->uvs, (size_t)mesh->cornerCount * sizeof(brVec2));
	}
	if (mesh->normals != NULL && mesh->cornerCount > 0)
	{
		memcpy(target->normals + cornerBase, mesh->normals, (size_t)mesh->cornerCount * sizeof(brVec3));
	}
}

static void appendVertices(brMesh* target, const brMesh* mesh)
{
	int32_t vertexBase = target->vertexCount;
	if (mesh->vertexCount > 0)
	{
		memcpy(target->positions + vertexBase, mesh->positions, (size_t)mesh->vertexCount * sizeof(brDVec3));
	}
	for (int32_t v = 0; v < mesh->vertexCount && target->colors != NULL; ++v)
	{
		target->colors[vertexBase + v] = mesh->colors != NULL ? mesh->colors[v] : (brVec4){1.0f, 1.0f, 1.0f, 1.0f};
	}
}

// `materialMap` has room for the source's materials.
static void appendFaceLabels(brMesh* target, const MergeSource* source, int32_t* materialMap, bool isFirst)
{
	const brMesh* mesh = source->mesh;
	for (int32_t m = 0; m < mesh->materialCount; ++m)
	{
		materialMap[m] = shareMaterial(target->materials, &target->materialCount, &mesh->materials[m], isFirst);
	}
	int32_t groupBase = target->groupCount;
	bool addsGroup = mesh->groupCount == 0 && source->group[0] != 0;
	if (addsGroup)
	{
		memcpy(target->groupNames[groupBase], source->group, sizeof(source->group));
		target->groupCount += 1;
	}
	else if (mesh->groupCount > 0)
	{
		memcpy(target->groupNames[groupBase], mesh->groupNames[0], (size_t)mesh->groupCount * sizeof(char[64]));
		target->groupCount += mesh->groupCount;
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t face = target->faceCount + f;
		if (target->faceMaterials != NULL)
		{
			int32_t material = mesh->faceMaterials != NULL ? mesh->faceMaterials[f] : -1;
			target->faceMaterials[face] = material >= 0 ? materialMap[material] : -1;
		}
		if (target->faceGroups != NULL)
		{
			int32_t group = addsGroup ? 0 : (mesh->faceGroups != NULL ? mesh->faceGroups[f] : -1);
			target->faceGroups[face] = group >= 0 ? groupBase + group : -1;
		}
	}
}

// Gives unused material slots back, so that counts and block sizes agree.
static bool trimMaterials(brMesh* mesh, int32_t allocated)
{
	if (mesh->materialCount == allocated)
	{
		return true;
	}
	brSurfaceMaterial* trimmed = BR_ALLOC(&mesh->allocator, brSurfaceMaterial, mesh->materialCount);
	if (trimmed == NULL)
	{
		return false;
	}
	memcpy(trimmed, mesh->materials, (size_t)mesh->materialCount * sizeof(brSurfaceMaterial));
	BR_FREE(&mesh->allocator, mesh->materials, allocated);
	mesh->materials = trimmed;
	return true;
}

static brResult mergeSources(const brContext* context, const MergeSource* sources, int32_t count, brMesh** outMesh,
							 brReport* report)
{
	brMeshShape shape;
	brResult result = countSources(sources, count, &shape, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	brMesh* mesh = brAllocMesh(&allocator, &shape);
	int32_t* materialMap = BR_ALLOC(&allocator, int32_t, shape.materialCount);
	if (mesh == NULL || materialMap == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}

	// Counts start at zero and grow with each source; at the end they are those of the shape again, but for materials.
	mesh->vertexCount = mesh->faceCount = mesh->cornerCount = mesh->materialCount = mesh->groupCount = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const brMesh* source = sources[i].mesh;
		int32_t firstVertex = mesh->vertexCount, firstFace = mesh->faceCount;
		appendVertices(mesh, source);
		appendCorners(mesh, source);
		appendFaceLabels(mesh, &sources[i], materialMap, i == 0);
		mesh->vertexCount += source->vertexCount;
		mesh->faceCount += source->faceCount;
		mesh->cornerCount += source->cornerCount;
		if (sources[i].map != NULL)
		{
			mapMeshTail(mesh, firstVertex, firstFace, sources[i].map);
		}
		for (int32_t v = firstVertex; v < mesh->vertexCount && result >= 0 && sources[i].map != NULL; ++v)
		{
			if (!brDIsFinite(mesh->positions[v]))
			{
				result = brFailAt(report, br_errorGeometry, i,
								  "the placement of part %d takes its vertex %d to a place that is not finite", i,
								  v - firstVertex);
			}
		}
	}
	if (!trimMaterials(mesh, shape.materialCount))
	{
		mesh->materialCount = shape.materialCount;
		result = brFailMemory(report);
	}

done:
	BR_FREE(&allocator, materialMap, shape.materialCount);
	if (result < 0)
	{
		brDestroyMesh(mesh);
		return result;
	}
	*outMesh = mesh;
	return brSucceed(report);
}

brResult brMergeMeshes(const brContext* context, const brMesh* const* meshes, int32_t count, brMesh** outMesh,
					   brReport* report)
{
	if (count < 0 || (count > 0 && meshes == NULL) || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "merging needs meshes and a place for the result");
	}
	brAllocator allocator = brContext_Allocator(context);
	MergeSource* sources = BR_ALLOC_ZERO(&allocator, MergeSource, count);
	if (sources == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		sources[i].mesh = meshes[i];
	}
	brResult result = mergeSources(context, sources, count, outMesh, report);
	BR_FREE(&allocator, sources, count);
	return result;
}

// Flattening

brResult brAssembly_Flatten(const brAssembly* assembly, const brContext* context, brMesh** outMesh, brReport* report)
{
	if (assembly == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "flattening needs an assembly and a place for the result");
	}
	brResult result = br_success;
	brAllocator allocator = brContext_Allocator(context);
	brAssembly start = *assembly; // borrows all but its parts
	start.parts = BR_ALLOC(&allocator, brPart, assembly->partCount);
	MergeSource* sources = BR_ALLOC_ZERO(&allocator, MergeSource, assembly->partCount);
	if (sources == NULL || start.parts == NULL)
	{
		BR_FREE(&allocator, start.parts, assembly->partCount);
		BR_FREE(&allocator, sources, assembly->partCount);
		return brFailMemory(report);
	}
	if (assembly->partCount > 0)
	{
		memcpy(start.parts, assembly->parts, (size_t)assembly->partCount * sizeof(brPart));
	}
	brAssembly_Freeze(&start, -INFINITY);
	int32_t partCount = start.partCount;
	for (int32_t i = 0; i < partCount && result >= 0; ++i)
	{
		const brPart* part = &start.parts[i];
		bool hasMesh = part->mesh >= 0 && part->mesh < assembly->meshCount;
		bool hasTets = part->tetMesh >= 0 && part->tetMesh < assembly->tetMeshCount;
		if (hasMesh == hasTets)
		{
			result =
				brFailAt(report, br_errorMisuse, i, "part %d must show one mesh of the assembly, or one tet mesh", i);
			break;
		}
		if (hasTets)
		{
			result = brTetMesh_MakeSurface(assembly->tetMeshes[part->tetMesh], context, &sources[i].surface, report);
		}
		sources[i].mesh = hasTets ? sources[i].surface : assembly->meshes[part->mesh];
		sources[i].map = &part->placement;
		if (partCount > 1)
		{
			// A part alone needs no group to be told apart, so a file that holds one mesh comes out as it went in.
			snprintf(sources[i].group, sizeof(sources[i].group), "%s", part->name);
			if (part->name[0] == 0)
			{
				snprintf(sources[i].group, sizeof(sources[i].group), "part_%d", i);
			}
		}
	}
	if (result >= 0)
	{
		result = mergeSources(context, sources, partCount, outMesh, report);
	}
	for (int32_t i = 0; i < partCount; ++i)
	{
		brDestroyMesh(sources[i].surface);
	}
	BR_FREE(&allocator, sources, assembly->partCount);
	BR_FREE(&allocator, start.parts, assembly->partCount);
	return result;
}
