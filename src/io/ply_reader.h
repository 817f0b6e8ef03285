// SPDX-License-Identifier: MIT
#pragma once

// A PLY file while it is read, between the walk that measures it (ply_measure.c) and the one that fills the mesh
// (ply.c).

#include "io/ply.h"

typedef BR_ARRAY(int32_t) brPlyInts;

// A stretch of whole lines of text, and the lists in it.
typedef struct brPlyPart
{
	brTextCursor cursor; // line: as counted from where the text was cut
	int64_t lines;
	brTextCursor rest; // behind the last row that was read
	bool isInOrder, isCanceled;
	brPlyInts corners;
	brPlyInts faceEnds;
} brPlyPart;

typedef struct brPlyReader
{
	const brReadJob* job;
	const brAllocator* allocator;
	brPlyHeader header;
	brTextCursor* starts; // [elements] where each begins
	brPlySource source;

	const brPlyElement* vertices; // or null
	const brPlyElement* faces;
	const brPlyElement* materials;
	const brPlyElement* groups;
	int32_t vertexCount;
	int64_t cornerCount;
	uint32_t vertexRoles; // bits of the roles that are there
	uint32_t faceRoles;

	brMesh* mesh;
	brVec2* vertexUvs; // [vertexCount] or null
	brVec3* vertexNormals;
	int32_t materialLimit; // faces name materials below this
	int32_t groupLimit;
	int32_t usedMaterials; // 1 + largest that is named
	int32_t usedGroups;
	int64_t oddValues;           // attributes that were not finite, indices of materials and groups out of range
	int32_t skippedFaces;        // with fewer than three corners
	BR_ARRAY(double) lists[3];   // corners, uvs, normals of the row
	BR_ARRAY(brDVec3) positions; // of plain vertices and faces in text, kept from the first walk
	brPlyInts corners;
	brPlyInts faceEnds;
	BR_ARRAY(char) text;
	brPlyPart* parts; // of the text from the first plain element on
	int32_t partCount, partCapacity;
} brPlyReader;

/// A sentence about a row of an element, with its line or byte.
brResult brPly_Fail(brPlyReader* reader, const brPlyElement* element, int32_t row, const char* what);

brResult brPly_CheckCancel(brPlyReader* reader);

static inline brWorkers* brPly_Workers(const brPlyReader* reader)
{
	return reader->job->context != NULL ? reader->job->context->workers : NULL;
}

/// Calls `read` for the rows of an element in turn, until one fails or the caller's context cancels.
typedef brResult brPlyRowFcn(brPlyReader* reader, const brPlyElement* element, int32_t row);
brResult brPly_WalkRows(brPlyReader* reader, const brPlyElement* element, brPlyRowFcn* read);

/// Null for an element without any.
static inline const brPlyProperty* brPly_Properties(const brPlyReader* reader, const brPlyElement* element)
{
	return element->propertyCount > 0 ? reader->header.properties.data + element->firstProperty : NULL;
}

/// A list of corners with a byte before it and nothing around it, as nearly every file has.
bool brPly_IsPlainList(const brPlyReader* reader, const brPlyElement* element);

/// The first walk: where each element starts, which are there, how many corners; all of it proved to be in the file.
brResult brPly_Measure(brPlyReader* reader);
