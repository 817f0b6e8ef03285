// SPDX-License-Identifier: MIT
#pragma once

// What the formats of finite element programs have in common: nodes with numbers of their own, cells of many kinds, and
// region numbers. Their readers fill a brFileCells, which becomes a tet mesh or a surface in one place; their writers
// start from a brCellSource, which is one tet mesh or one surface whatever the assembly was.
//
//     file -> nodes, cells, tags -> brFileCells -> brFileCells_Finish -> brTetMesh (there are tets) or brMesh (there are none)
//
// A tag of 0 means none in all of these formats: an array of zeros comes back as no array.

#include "io/bytes.h"
#include "io/formats.h"

/// Node numbers of a file to positions in its list: a plain table when the numbers are dense, a hash table when not.
typedef struct brTagMap
{
	brAllocator allocator;
	int64_t first;     // number of slot 0 of a plain table
	int64_t slotCount; // a power of two for a hash table
	int32_t* values;   // [slotCount], -1: free
	int64_t* keys;     // [slotCount], null for a plain table
} brTagMap;

/// False without memory. `outTwice` is the position of the first number seen before, or -1; the map is then incomplete.
bool brTagMap_Build(brTagMap* map, const brAllocator* allocator, const int64_t* tags, int32_t count, int32_t* outTwice);
void brTagMap_Free(brTagMap* map);
int32_t brTagMap_FindHashed(const brTagMap* map, int64_t tag);

/// Position of a number, or -1.
static inline int32_t brTagMap_Find(const brTagMap* map, int64_t tag)
{
	if (map->keys != NULL)
	{
		return brTagMap_FindHashed(map, tag);
	}
	uint64_t slot = (uint64_t)tag - (uint64_t)map->first;
	return slot < (uint64_t)map->slotCount ? map->values[slot] : -1;
}

/// Different values of `tags` in rising order, without 0. False without memory; freed with BR_FREE_ARRAY.
typedef BR_ARRAY(int64_t) brTagList;
bool brListTags(const brAllocator* allocator, const int32_t* tags, int32_t count, brTagList* list);

/// Cells that neither a surface nor a tet mesh holds.
typedef enum brDroppedKind
{
	br_droppedPoints,
	br_droppedLines,
	br_droppedQuads, // polygons of a file with tets
	br_droppedHexahedra,
	br_droppedPrisms,
	br_droppedPyramids,
	br_droppedOthers,
	br_droppedKindCount,
} brDroppedKind;

typedef struct brTetNodes
{
	int32_t n[4];
} brTetNodes;

typedef struct brGroupName
{
	int32_t tag;
	char name[64];
} brGroupName;

typedef struct brFileCells
{
	brAllocator allocator;
	BR_ARRAY(brDVec3) nodes;
	BR_ARRAY(brTetNodes) tets;
	BR_ARRAY(int32_t) tetTags; // one a tet
	BR_ARRAY(int32_t) corners; // of faces, one after the other
	BR_ARRAY(int32_t) faceEnds;
	BR_ARRAY(int32_t) faceTags;       // one a face
	BR_ARRAY(brGroupName) groupNames; // of face tags, where the file has names
	int64_t dropped[br_droppedKindCount];
	int64_t flattened; // curved cells of which only the corners were kept

	// Attributes of a surface by node, or null; owned.
	int32_t attributeCount; // the number of nodes
	brVec3* normals;
	brVec2* uvs;
	brVec4* colors;
} brFileCells;

void brFileCells_Init(brFileCells* cells, const brAllocator* allocator);
void brFileCells_Free(brFileCells* cells);

/// Room for `count` more tets, where a reader knows how many come. False without memory.
static inline bool brFileCells_ReserveTets(brFileCells* cells, int64_t count)
{
	return BR_RESERVE(&cells->allocator, &cells->tets, count) && BR_RESERVE(&cells->allocator, &cells->tetTags, count);
}

/// False without memory. Nodes are in range: the reader has checked.
static inline bool brFileCells_AddTet(brFileCells* cells, const int32_t* nodes, int32_t tag)
{
	brTetNodes tet = {{nodes[0], nodes[1], nodes[2], nodes[3]}};
	return BR_PUSH(&cells->allocator, &cells->tets, tet) && BR_PUSH(&cells->allocator, &cells->tetTags, tag);
}

/// Same for a face; one with fewer than three corners is counted as dropped.
bool brFileCells_AddFace(brFileCells* cells, const int32_t* nodes, int32_t size, int32_t tag);

/// Makes the mesh and its part. With tets: a tet mesh with the triangles beside them. Without: a surface with every
/// node as a vertex and a group for each tag. Cells that are all of dropped kinds are refused. The cells are empty
/// afterwards.
brResult brFileCells_Finish(brFileCells* cells, const brReadJob* job, brAssembly* assembly, brRemarks* remarks);

/// What a writer writes: `tets` or `surface`, the other one is null.
typedef struct brCellSource
{
	const brTetMesh* tets;
	const brMesh* surface;
	brTetMesh* ownTets;
	brMesh* ownSurface;
} brCellSource;

/// Parts that are all tets become one tet mesh, anything else one surface, both in world coordinates.
brResult brCellSource_Open(brCellSource* source, const brWriteJob* job, brRemarks* remarks);
void brCellSource_Close(brCellSource* source);

/// Adds a remark on the attributes the surface has and the format has no place for.
typedef struct brSurfaceHolds
{
	bool uvs, normals, colors, groups;
} brSurfaceHolds;

void brRemarkSurfaceLosses(const brMesh* surface, brSurfaceHolds holds, const char* format, brRemarks* remarks);

/// Faces of a surface as the format can hold them: as they are, or as triangles of all faces above `maxSize` corners.
typedef struct brWriteFaces
{
	brAllocator allocator;
	int32_t count;
	const int32_t* starts;  // [count + 1]
	const int32_t* corners; // vertices
	const int32_t* origins; // face of the surface, null: the same
	int32_t* ownStarts;
	int32_t* ownCorners;
	int32_t* ownOrigins;
	int32_t ownCornerCount;
} brWriteFaces;

brResult brWriteFaces_Open(brWriteFaces* faces, const brWriteJob* job, const brMesh* surface, int32_t maxSize,
						   brRemarks* remarks);
void brWriteFaces_Close(brWriteFaces* faces);

/// Tag of each group: its name where all names are rising numbers (as brFileCells_Finish makes them), else its index + 1
/// and `outNamed` true. [groupCount], freed with BR_FREE; null without memory.
int32_t* brMakeGroupTags(const brAllocator* allocator, const brMesh* surface, bool* outNamed);

/// Tag of a face, 0: none. `groupTags` may be null.
static inline int32_t brFaceTag(const brMesh* surface, const int32_t* groupTags, int32_t face)
{
	return surface->faceGroups != NULL && groupTags != NULL && surface->faceGroups[face] >= 0
			   ? groupTags[surface->faceGroups[face]]
			   : 0;
}
