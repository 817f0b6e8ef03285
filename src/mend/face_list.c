// SPDX-License-Identifier: MIT
#include "mend/face_list.h"

#include "mesh/mesh_build.h"

void brFaceList_Init(brFaceList* list, const brAllocator* allocator, const brMesh* source)
{
	*list = (brFaceList){.source = source, .allocator = *allocator};
	for (int32_t v = 0; v < source->vertexCount; ++v)
	{
		brFaceList_AddVertex(list, source->positions[v], v);
	}
}

void brFaceList_Free(brFaceList* list)
{
	BR_FREE_ARRAY(&list->allocator, &list->positions);
	BR_FREE_ARRAY(&list->allocator, &list->vertexSources);
	BR_FREE_ARRAY(&list->allocator, &list->faceStarts);
	BR_FREE_ARRAY(&list->allocator, &list->faceSources);
	BR_FREE_ARRAY(&list->allocator, &list->corners);
	BR_FREE_ARRAY(&list->allocator, &list->cornerSources);
}

int32_t brFaceList_AddVertex(brFaceList* list, brDVec3 position, int32_t source)
{
	list->failed = list->failed || !BR_PUSH(&list->allocator, &list->positions, position) ||
				   !BR_PUSH(&list->allocator, &list->vertexSources, source);
	return list->positions.count - 1;
}

void brFaceList_Begin(brFaceList* list, int32_t faceSource)
{
	list->failed = list->failed || !BR_PUSH(&list->allocator, &list->faceStarts, list->corners.count) ||
				   !BR_PUSH(&list->allocator, &list->faceSources, faceSource);
}

void brFaceList_AddCorner(brFaceList* list, int32_t vertex, int32_t cornerSource)
{
	list->failed = list->failed || !BR_PUSH(&list->allocator, &list->corners, vertex) ||
				   !BR_PUSH(&list->allocator, &list->cornerSources, cornerSource);
}

void brFaceList_CopyFace(brFaceList* list, int32_t face, const int32_t* vertexMap)
{
	const brMesh* source = list->source;
	brFaceList_Begin(list, face);
	for (int32_t c = source->faceStarts[face]; c < source->faceStarts[face + 1]; ++c)
	{
		int32_t vertex = source->corners[c];
		brFaceList_AddCorner(list, vertexMap != NULL ? vertexMap[vertex] : vertex, c);
	}
}

static void faceListFill(const brFaceList* list, brMesh* mesh)
{
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		mesh->positions[v] = list->positions.data[v];
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		mesh->faceStarts[f + 1] = f + 1 < mesh->faceCount ? list->faceStarts.data[f + 1] : mesh->cornerCount;
	}
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		mesh->corners[c] = list->corners.data[c];
	}
	brMeshOrigins origins = {list->vertexSources.data, list->faceSources.data, list->cornerSources.data};
	brMesh_Inherit(mesh, list->source, origins);
}

brMesh* brFaceList_Finish(brFaceList* list)
{
	const brMesh* source = list->source;
	brMeshShape shape = brMakeShapeLike(source, list->positions.count, list->faceStarts.count, list->corners.count);
	brMesh* mesh = list->failed ? NULL : brAllocMesh(&list->allocator, &shape);
	if (mesh != NULL)
	{
		faceListFill(list, mesh);
	}
	return mesh;
}
