// SPDX-License-Identifier: MIT
#pragma once

// A model's surface, divided among Voronoi cells.
//
// A face whose corners all lie in one cell lies in it whole, as cells are convex. Of the others each triangle is clipped
// to every cell that it meets: from the cell of a corner on, across each bisector that leaves an edge. A clipped
// triangle is a ring of labels, one per edge: its own edges and the sites beyond bisectors; a corner is known by the
// two labels at it, so that the same corner has the same name in all cells and triangles that share it, and is computed
// once.

#include "base/array.h"
#include "brittle/mesh.h"
#include "fracture/voronoi.h"

typedef enum brClipKind
{
	br_clipEdge, // of a triangle's edge with the bisector of sites 0 and 1
	br_clipFace, // of a triangle with the bisectors of sites 0, 1 and 2
} brClipKind;

// A point that is no vertex of the model.
typedef struct brClipPoint
{
	brClipKind kind;
	int32_t triangle;
	int32_t edge;     // its slot in the triangle, br_clipEdge only
	int32_t sites[3]; // rising; the last -1 for br_clipEdge
	double parts[3];  // of the triangle's corners; for an edge of the triangle in `triangle`
} brClipPoint;

/// What is known of a mesh before it is clipped. It can be made ahead.
typedef struct brClipMesh
{
	brAllocator allocator;
	const brMesh* mesh;
	brTriangulation* triangles;
	int32_t* twins;   // [cornerCount] as in brHalfEdges
	bool* isSplit;    // [faceCount] bent faces that come out as triangles even where they are not cut
	double fanExcess; // volume of the model by fans (brMesh_ComputeMass) less that by these triangles
} brClipMesh;

#define BR_CLIP_RING 24  // labels that a device has room for
#define BR_CLIP_OPEN 127 // in place of the first label: doubles did not settle it, or it is longer

/// Triangles clipped to cells by a device. Pairs that are not in the list it has not looked at. Labels are -1, -2, -3
/// for the triangle's own edges; others are facets of the cell, from 0.
typedef struct brClipRings
{
	brAllocator allocator;
	int32_t count;
	int32_t (*pairs)[2]; // [count] cell and triangle
	uint8_t* sizes;      // [count] labels; 0: they do not meet, or it is open
	int8_t* labels;      // [BR_CLIP_RING * count]
} brClipRings;

void brClipRings_Free(brClipRings* rings);

/// A device's part in breaking by cells.
typedef struct brCellDevice
{
	/// Makes the diagram with the bits of brCreateVoronoi, and rings of the known mesh's triangles in it, or none. The
	/// CPU does what the device cannot.
	brResult (*make)(void* user, const brContext* context, const brClipMesh* known, const brVoronoiDef* def,
					 brVoronoi** outVoronoi, brClipRings* outRings, brReport* report);
	void* user;
} brCellDevice;

typedef struct brSurfaceClip
{
	brAllocator allocator;
	const brContext* context;
	const brMesh* mesh;
	const brVoronoi* voronoi;
	const brClipMesh* known; // of the mesh
	brClipMesh* own;         // the same if it was made here
	const brTriangulation* triangles;
	int32_t* vertexCells; // [vertexCount]

	// Polygons, in the order of faces, then triangles, then cells as they are found.
	BR_ARRAY(int32_t) polygonCells;
	BR_ARRAY(int32_t) polygonTriangles; // or -1 - face for a whole face
	BR_ARRAY(int32_t) polygonStarts;    // one more than polygons
	BR_ARRAY(int32_t) corners;          // points: vertices of the model, then `points` from vertexCount on
	BR_ARRAY(int32_t) beyond; // site across the edge from this corner to the next, or -1 on the model's own edges
	BR_ARRAY(brClipPoint) points;
	BR_ARRAY(brDVec3) positions; // of points
} brSurfaceClip;

/// The box that a model is cut in: with room all round, so that its sides are outside.
brDBox3 brClipBox(const brMesh* mesh);

/// The mesh is closed and manifold and outlives the result.
brResult brCreateClipMesh(const brContext* context, const brMesh* mesh, brClipMesh** outKnown, brReport* report);
void brDestroyClipMesh(brClipMesh* known);

/// The mesh is closed and manifold and lies inside the diagram's box, which is brClipBox; both outlive the result.
/// `known` is the mesh's, or null, and so are `rings`, which are of its triangles. On failure nothing is left.
brResult brSurfaceClip_Make(const brContext* context, const brMesh* mesh, const brClipMesh* known,
							const brClipRings* rings, const brVoronoi* voronoi, brSurfaceClip* outClip,
							brReport* report);
void brSurfaceClip_Free(brSurfaceClip* clip);

/// Vertex of corner n of a triangle.
static inline int32_t brSurfaceClip_Vertex(const brSurfaceClip* clip, int32_t triangle, int32_t n)
{
	return clip->mesh->corners[clip->triangles->corners[3 * triangle + n]];
}

/// The parts that a triangle's three corners have in a point at `place` on it; for attributes. Any point id will do.
void brSurfaceClip_Parts(const brSurfaceClip* clip, int32_t triangle, int32_t point, brDVec3 place, double outParts[3]);
