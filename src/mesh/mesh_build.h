// SPDX-License-Identifier: MIT
#pragma once

// Making meshes in place, for readers and makers that know their counts: allocate, fill, done.

#include "brittle/mesh.h"

typedef struct brMeshShape
{
	int32_t vertexCount;
	int32_t faceCount;
	int32_t cornerCount;
	int32_t materialCount;
	int32_t groupCount;
	bool hasUvs;
	bool hasNormals;
	bool hasColors;
	bool hasFaceMaterials;
	bool hasFaceGroups;
} brMeshShape;

/// These counts, with the attributes, materials and groups of another mesh.
brMeshShape brMakeShapeLike(const brMesh* mesh, int32_t vertexCount, int32_t faceCount, int32_t cornerCount);

/// A mesh with all arrays of that shape; attributes, materials and names are zero, positions, starts and corners are
/// not initialized except faceStarts[0] = 0. Null without memory. Whoever fills it keeps the promises of brMesh.
brMesh* brAllocMesh(const brAllocator* allocator, const brMeshShape* shape);

/// What a mesh that is made from another one takes from it: the color of each vertex from vertices[v] of the source
/// (null: from the same vertex), material and group of each face from faces[f], UV and normal of each corner from
/// corners[c], and the lists of materials and groups. `mesh` has a shape like the source's.
typedef struct brMeshOrigins
{
	const int32_t *vertices, *faces, *corners;
} brMeshOrigins;

void brMesh_Inherit(brMesh* mesh, const brMesh* source, brMeshOrigins origins);

/// The lists of materials and groups alone. `mesh` may have more of them than the source.
void brMesh_InheritLists(brMesh* mesh, const brMesh* source);

/// A copy whose faces are these triangles of the mesh. Null without memory.
brMesh* brMakeTriangleMesh(const brAllocator* allocator, const brMesh* mesh, const brTriangulation* triangles);

/// The same mesh without attributes, materials and groups. Its arrays are the mesh's: do not destroy it.
brMesh brMesh_Bare(const brMesh* mesh);

static inline bool brAffine_IsIdentity(const brAffine* map)
{
	brAffine identity = brMakeAffineIdentity();
	const double *a = (const double*)map, *b = (const double*)&identity;
	bool isSame = true;
	for (size_t i = 0; i < sizeof(brAffine) / sizeof(double); ++i)
	{
		isSame = isSame && a[i] == b[i];
	}
	return isSame;
}

/// Gives a growable array to a mesh in place of a block of its own, whose count becomes that of the array. No copy is
/// made if the array is exactly full. False without memory, nothing changed then.
#define BR_ADOPT(allocator, blockPointer, countPointer, array)                                                         \
	brAdoptArray((allocator), (blockPointer), (countPointer), &(array)->data, &(array)->count, &(array)->capacity,     \
				 sizeof(*(array)->data))
bool brAdoptArray(const brAllocator* allocator, void* blockPointer, int32_t* countPointer, void* dataPointer,
				  int32_t* count, int32_t* capacity, size_t elementBytes);

/// Reverses the corners of a face and all that hangs on them; corner 0 stays first.
void brMesh_TurnFace(brMesh* mesh, int32_t face);

/// Likewise for tets; tags and triangles exist as asked, uninitialized.
typedef struct brTetMeshShape
{
	int32_t nodeCount;
	int32_t tetCount;
	int32_t triangleCount;
	bool hasTetTags;
	bool hasTriangleTags;
} brTetMeshShape;

brTetMesh* brAllocTetMesh(const brAllocator* allocator, const brTetMeshShape* shape);
