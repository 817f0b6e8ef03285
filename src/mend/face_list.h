// SPDX-License-Identifier: MIT
#pragma once

// Faces in the making: a mesh written anew with some faces changed, left out or added. Each corner remembers the corner
// of the old mesh that gives its attributes, so that stages handle integers and attributes are fetched once at the end.

#include "base/array.h"
#include "brittle/mesh.h"

typedef struct brFaceList
{
	const brMesh* source;
	brAllocator allocator;
	BR_ARRAY(brDVec3) positions;     // the source's vertices first
	BR_ARRAY(int32_t) vertexSources; // vertex of the source whose color this one has
	BR_ARRAY(int32_t) faceStarts;
	BR_ARRAY(int32_t) faceSources; // face of the source whose material and group this one has
	BR_ARRAY(int32_t) corners;
	BR_ARRAY(int32_t) cornerSources; // corner of the source whose UV and normal this one has
	bool failed;                     // out of memory: later calls do nothing
} brFaceList;

/// Starts with the vertices of `source` and no face.
void brFaceList_Init(brFaceList* list, const brAllocator* allocator, const brMesh* source);
void brFaceList_Free(brFaceList* list);

/// A new vertex; its number.
int32_t brFaceList_AddVertex(brFaceList* list, brDVec3 position, int32_t source);

/// A face begins with brFaceList_Begin, gets corners, and ends with the next one or with brFaceList_Finish.
void brFaceList_Begin(brFaceList* list, int32_t faceSource);
void brFaceList_AddCorner(brFaceList* list, int32_t vertex, int32_t cornerSource);

/// A face of the source as it is, through a map of vertices (null: the same numbers).
void brFaceList_CopyFace(brFaceList* list, int32_t face, const int32_t* vertexMap);

/// The mesh, null without memory.
brMesh* brFaceList_Finish(brFaceList* list);
