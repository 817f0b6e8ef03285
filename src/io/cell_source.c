// SPDX-License-Identifier: MIT

// From an assembly to the one tet mesh or the one surface that a format of cells can hold.

#include "io/cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All tet parts in world coordinates, one after the other. A mirroring placement swaps two nodes of each tet and
// triangle, so that positive stays positive and outward stays outward.
static brResult sourceMergeTetParts(const brWriteJob* job, brTetMesh** outMesh)
{
	const brAssembly* assembly = job->assembly;
	int64_t nodeCount = 0;
	int64_t tetCount = 0;
	int64_t triangleCount = 0;
	brTetMeshShape shape = {0};
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		if (assembly->parts[p].tetMesh >= 0)
		{
			const brTetMesh* mesh = assembly->tetMeshes[assembly->parts[p].tetMesh];
			nodeCount += mesh->nodeCount;
			tetCount += mesh->tetCount;
			triangleCount += mesh->triangleCount;
			shape.hasTetTags = shape.hasTetTags || mesh->tetTags != NULL;
			shape.hasTriangleTags = shape.hasTriangleTags || mesh->triangleTags != NULL;
		}
	}
	if (nodeCount > INT32_MAX || tetCount > INT32_MAX || triangleCount > INT32_MAX)
	{
		return brFail(job->report, br_errorLimit, "%s: all parts together are more than 32 bits can count", job->path);
	}
	shape.nodeCount = (int32_t)nodeCount;
	shape.tetCount = (int32_t)tetCount;
	shape.triangleCount = (int32_t)triangleCount;
	brTetMesh* merged = brAllocTetMesh(&job->allocator, &shape);
	if (merged == NULL)
	{
		return brFailMemory(job->report);
	}

	int32_t node = 0;
	int32_t tet = 0;
	int32_t triangle = 0;
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		const brPart* part = &assembly->parts[p];
		if (part->tetMesh < 0)
		{
			continue;
		}
		const brTetMesh* mesh = assembly->tetMeshes[part->tetMesh];
		bool isMirrored = brMat3_Determinant(&part->placement.m) < 0.0;
		for (int32_t t = 0; t < mesh->tetCount; ++t, ++tet)
		{
			for (int32_t k = 0; k < 4; ++k)
			{
				merged->tets[tet][k] = node + mesh->tets[t][isMirrored && k >= 2 ? 5 - k : k];
			}
			if (merged->tetTags != NULL)
			{
				merged->tetTags[tet] = mesh->tetTags != NULL ? mesh->tetTags[t] : 0;
			}
		}
		for (int32_t t = 0; t < mesh->triangleCount; ++t, ++triangle)
		{
			for (int32_t k = 0; k < 3; ++k)
			{
				merged->triangles[triangle][k] = node + mesh->triangles[t][isMirrored && k >= 1 ? 3 - k : k];
			}
			if (merged->triangleTags != NULL)
			{
				merged->triangleTags[triangle] = mesh->triangleTags != NULL ? mesh->triangleTags[t] : 0;
			}
		}
		for (int32_t v = 0; v < mesh->nodeCount; ++v, ++node)
		{
			merged->nodes[node] = brAffine_Point(&part->placement, mesh->nodes[v]);
		}
	}
	*outMesh = merged;
	return br_success;
}

brResult brCellSource_Open(brCellSource* source, const brWriteJob* job, brRemarks* remarks)
{
	memset(source, 0, sizeof(*source));
	const brAssembly* assembly = job->assembly;
	int32_t surfaceParts = 0;
	int32_t tetParts = 0;
	bool isPlaced = false;
	bool isMoving = false;
	const brPart* first = NULL;
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		const brPart* part = &assembly->parts[p];
		surfaceParts += part->mesh >= 0;
		tetParts += part->tetMesh >= 0;
		isPlaced = isPlaced || !brAffine_IsIdentity(&part->placement);
		isMoving = isMoving || part->keyCount > 0 || part->bornTime > -INFINITY || part->goneTime < INFINITY;
		first = first == NULL && (part->mesh >= 0 || part->tetMesh >= 0) ? part : first;
	}
	if (first == NULL)
	{
		return brFail(job->report, br_errorGeometry, "%s: there is no mesh to write", job->path);
	}
	if (isMoving)
	{
		brRemarks_Add(remarks, br_remarkApproximate, "parts stand still where they are placed");
	}
	bool isOne = surfaceParts + tetParts == 1 && !isPlaced;
	if (surfaceParts == 0)
	{
		brResult result = isOne ? br_success : sourceMergeTetParts(job, &source->ownTets);
		source->tets = isOne ? assembly->tetMeshes[first->tetMesh] : source->ownTets;
		return result;
	}
	if (tetParts > 0)
	{
		brRemarks_Add(remarks, br_remarkApproximate, "tets beside surfaces are written as their boundary");
	}
	brResult result = isOne ? br_success : brAssembly_Flatten(assembly, job->context, &source->ownSurface, job->report);
	source->surface = isOne ? assembly->meshes[first->mesh] : source->ownSurface;
	return result;
}

void brCellSource_Close(brCellSource* source)
{
	brDestroyTetMesh(source->ownTets);
	brDestroyMesh(source->ownSurface);
	memset(source, 0, sizeof(*source));
}

void brRemarkSurfaceLosses(const brMesh* surface, brSurfaceHolds holds, const char* format, brRemarks* remarks)
{
	const struct
	{
		bool isLost;
		const char* name;
	} losses[] = {
		{surface->uvs != NULL && !holds.uvs, "UVs"},
		{surface->normals != NULL && !holds.normals, "normals"},
		{surface->colors != NULL && !holds.colors, "colors"},
		{surface->faceMaterials != NULL, "materials"},
		{surface->faceGroups != NULL && !holds.groups, "group names"},
	};
	char text[100] = "";
	size_t used = 0;
	for (int32_t i = 0; i < BR_COUNT(losses); ++i)
	{
		if (losses[i].isLost)
		{
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? ", " : "", losses[i].name);
		}
	}
	if (used > 0)
	{
		brRemarks_Add(remarks, br_remarkApproximate, "%s have no place in %s", text, format);
	}
}

// Faces

static brResult sourceSplitLargeFaces(brWriteFaces* faces, const brWriteJob* job, const brMesh* surface,
									  int32_t maxSize)
{
	brTriangulation* triangles = NULL;
	brResult result = brTriangulateMesh(job->context, surface, &triangles, job->report);
	if (result < 0)
	{
		return result;
	}
	int64_t count = 0;
	int64_t cornerCount = 0;
	for (int32_t f = 0; f < surface->faceCount; ++f)
	{
		int32_t size = brMesh_GetFaceSize(surface, f);
		count += size <= maxSize ? 1 : size - 2;
		cornerCount += size <= maxSize ? size : 3 * ((int64_t)size - 2);
	}
	if (cornerCount > INT32_MAX)
	{
		brDestroyTriangulation(triangles);
		return brFail(job->report, br_errorLimit, "%s: the triangles have more corners than 32 bits can count",
					  job->path);
	}
	faces->count = (int32_t)count;
	faces->ownCornerCount = (int32_t)cornerCount;
	faces->ownStarts = BR_ALLOC(&faces->allocator, int32_t, count + 1);
	faces->ownCorners = BR_ALLOC(&faces->allocator, int32_t, cornerCount);
	faces->ownOrigins = BR_ALLOC(&faces->allocator, int32_t, count);
	if (faces->ownStarts == NULL || faces->ownCorners == NULL || faces->ownOrigins == NULL)
	{
		brDestroyTriangulation(triangles);
		return brFailMemory(job->report);
	}

	int32_t out = 0;
	int32_t corner = 0;
	int32_t triangle = 0;
	faces->ownStarts[0] = 0;
	for (int32_t f = 0; f < surface->faceCount; ++f)
	{
		int32_t size = brMesh_GetFaceSize(surface, f);
		int32_t pieces = size <= maxSize ? 1 : size - 2;
		for (int32_t piece = 0; piece < pieces; ++piece)
		{
			for (int32_t k = 0; k < (size <= maxSize ? size : 3); ++k)
			{
				int32_t c =
					size <= maxSize ? surface->faceStarts[f] + k : triangles->corners[3 * (triangle + piece) + k];
				faces->ownCorners[corner++] = surface->corners[c];
			}
			faces->ownOrigins[out++] = f;
			faces->ownStarts[out] = corner;
		}
		triangle += size - 2;
	}
	brDestroyTriangulation(triangles);
	faces->starts = faces->ownStarts;
	faces->corners = faces->ownCorners;
	faces->origins = faces->ownOrigins;
	return br_success;
}

brResult brWriteFaces_Open(brWriteFaces* faces, const brWriteJob* job, const brMesh* surface, int32_t maxSize,
						   brRemarks* remarks)
{
	memset(faces, 0, sizeof(*faces));
	faces->allocator = job->allocator;
	int32_t largest = 0;
	for (int32_t f = 0; f < surface->faceCount; ++f)
	{
		int32_t size = brMesh_GetFaceSize(surface, f);
		largest = size > largest ? size : largest;
	}
	maxSize = job->def->triangulate ? 3 : maxSize;
	if (largest <= maxSize)
	{
		faces->count = surface->faceCount;
		faces->starts = surface->faceStarts;
		faces->corners = surface->corners;
		return br_success;
	}
	if (!job->def->triangulate)
	{
		brRemarks_Add(remarks, br_remarkApproximate, "faces with more than %d corners are split into triangles",
					  maxSize);
	}
	return sourceSplitLargeFaces(faces, job, surface, maxSize);
}

void brWriteFaces_Close(brWriteFaces* faces)
{
	BR_FREE(&faces->allocator, faces->ownStarts, (int64_t)faces->count + 1);
	BR_FREE(&faces->allocator, faces->ownCorners, faces->ownCornerCount);
	BR_FREE(&faces->allocator, faces->ownOrigins, faces->count);
	memset(faces, 0, sizeof(*faces));
}

int32_t* brMakeGroupTags(const brAllocator* allocator, const brMesh* surface, bool* outNamed)
{
	int32_t* tags = BR_ALLOC(allocator, int32_t, surface->groupCount);
	if (tags == NULL)
	{
		return NULL;
	}
	bool isNumbered = true;
	int64_t previous = (int64_t)INT32_MIN - 1;
	for (int32_t g = 0; g < surface->groupCount && isNumbered; ++g)
	{
		const char* name = surface->groupNames[g];
		char canonical[64];
		int64_t value = strtoll(name, NULL, 10);
		snprintf(canonical, sizeof(canonical), "%lld", (long long)value);
		isNumbered = strcmp(name, canonical) == 0 && value != 0 && value > previous && value <= INT32_MAX;
		previous = value;
		tags[g] = isNumbered ? (int32_t)value : 0;
	}
	for (int32_t g = 0; g < surface->groupCount && !isNumbered; ++g)
	{
		tags[g] = g + 1;
	}
	*outNamed = !isNumbered;
	return tags;
}
