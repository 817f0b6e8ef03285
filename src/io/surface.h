// SPDX-License-Identifier: MIT
#pragma once

// What the writers of single surfaces share: one mesh out of the assembly, and a sentence about what did not fit.

#include "base/buckets.h"
#include "io/formats.h"

/// What a mesh can have and a format can hold.
typedef enum brHolds
{
	br_holdsDoubles = 1 << 0, // coordinates beyond float
	br_holdsPolygons = 1 << 1,
	br_holdsUvs = 1 << 2,
	br_holdsNormals = 1 << 3,
	br_holdsColors = 1 << 4,
	br_holdsMaterials = 1 << 5,
	br_holdsGroups = 1 << 6,
	br_holdsMotion = 1 << 7,
	br_holdsTets = 1 << 8,
	br_holdsVertexUvs = 1 << 9, // one for all corners of a vertex
	br_holdsVertexNormals = 1 << 10,
} brHolds;

typedef struct brSurface
{
	const brMesh* mesh;
	brMesh* owned;     // null if the mesh is the assembly's
	uint32_t contents; // brHolds that the assembly has
} brSurface;

/// All parts as one mesh: the assembly's own if it is alone and in place, flattened otherwise; faces split into
/// triangles if the job asks for it or `holds` has no polygons. Ends with brSurface_Close, also after a failure.
brResult brSurface_Open(brSurface* surface, const brWriteJob* job, uint32_t holds);
void brSurface_Close(brSurface* surface, const brWriteJob* job);

/// Success, or the remark that names what of the contents `holds` has not.
brResult brSurface_Remark(const brSurface* surface, const brWriteJob* job, uint32_t holds);

/// For each vertex its first corner, or -1: [vertexCount], freed with BR_FREE. Null without memory.
int32_t* brFirstCorners(const brAllocator* allocator, const brMesh* mesh);

/// Do all corners of each vertex have the same bits? `values` has one element of `elementBytes` a corner.
bool brCornersAgree(const brMesh* mesh, const int32_t* firstCorners, const void* values, size_t elementBytes);

/// True if every coordinate is a float.
bool brPositionsAreFloats(const brMesh* mesh);

/// Faces, or triangles if there are some, by material; those without one come last. False without memory.
bool brSortByMaterial(const brAllocator* allocator, const brMesh* mesh, const brTriangulation* triangles,
					  brBuckets* outOrder);

/// The triangles of a mesh whose coordinates will be written as floats: chosen for the places where the corners will be,
/// so that none lies upside down.
brResult brTriangulateFloats(const brContext* context, const brMesh* mesh, brTriangulation** outTriangles,
							 brReport* report);
