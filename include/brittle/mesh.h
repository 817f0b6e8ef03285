// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh.h
/// Surfaces made of polygons, with attributes; and solids made of tetrahedra.
///
/// Both are plain structs of arrays: read them freely, change positions and attributes in place if you own them, but
/// make them with the functions here so that all arrays come from one allocator. Faces may have any number of corners
/// from three up and may be concave.
///
///     double tetra[4][3] = {{0,0,0}, {1,0,0}, {0,1,0}, {0,0,1}};
///     int32_t corners[12] = {0,2,1, 0,1,3, 1,2,3, 2,0,3};
///     brMeshDef def = brDefaultMeshDef();
///     def.vertexCount = 4, def.positions = (brDVec3*)tetra;
///     def.faceCount = 4, def.corners = corners;            // no faceStarts: all triangles
///     brMesh* mesh;
///     brCreateMesh(NULL, &def, &mesh, NULL);
///     printf("%g m^3\n", brMesh_ComputeMass(mesh, 1.0).mass);
///     brDestroyMesh(mesh);

#include "brittle/context.h"
#include "brittle/math.h"

/// How a face looks. Physical materials are another thing.
typedef struct brSurfaceMaterial
{
	char name[64];     ///< UTF-8, terminated, longer names are cut. May be empty.
	brVec4 baseColor;  ///< Linear RGBA, 0 to 1. [1]
	float metallic;    ///< 0 to 1. [1]
	float roughness;   ///< 0 to 1. [1]
	brVec3 emission;   ///< Linear RGB, 0 and up. [1]
	char texture[192]; ///< Path or URI of the base color texture as the file gave it, or empty.
} brSurfaceMaterial;

/// Gray, rough, opaque, nameless.
BR_API brSurfaceMaterial brDefaultSurfaceMaterial(void);

/// Polygon mesh. Corner c of face f is corners[faceStarts[f] + c]. Optional arrays are null when absent.
typedef struct brMesh
{
	int32_t vertexCount;
	int32_t faceCount;
	int32_t cornerCount;   ///< faceStarts[faceCount].
	int32_t materialCount; ///< May be 0.
	int32_t groupCount;    ///< May be 0.

	brDVec3* positions;  ///< [vertexCount], finite. [m]
	int32_t* faceStarts; ///< [faceCount + 1], rising by 3 or more.
	int32_t* corners;    ///< [cornerCount], vertex indices, in range.

	brVec2* uvs;            ///< [cornerCount] or null. Origin at the lower left of the texture. [1]
	brVec3* normals;        ///< [cornerCount] or null. Unit length as far as the source was. [1]
	brVec4* colors;         ///< [vertexCount] or null. RGBA, 0 to 1, as stored by the source. [1]
	int32_t* faceMaterials; ///< [faceCount] or null. Index of a material, or -1.
	int32_t* faceGroups;    ///< [faceCount] or null. Index of a group, or -1. Objects and groups of a file.

	brSurfaceMaterial* materials; ///< [materialCount] or null.
	char (*groupNames)[64];       ///< [groupCount] or null. UTF-8, terminated.

	brAllocator allocator; ///< Who made the arrays.
} brMesh;

/// Arrays to copy into a new mesh; all stay the caller's. Start from brDefaultMeshDef().
typedef struct brMeshDef
{
	int32_t vertexCount;
	int32_t faceCount;
	int32_t materialCount;
	int32_t groupCount;
	const brDVec3* positions;  ///< [vertexCount]
	const int32_t* faceStarts; ///< [faceCount + 1] from 0, or null: all faces are triangles.
	const int32_t* corners;    ///< [faceStarts[faceCount]]
	const brVec2* uvs;
	const brVec3* normals;
	const brVec4* colors;
	const int32_t* faceMaterials;
	const int32_t* faceGroups;
	const brSurfaceMaterial* materials;
	const char (*groupNames)[64];
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brMeshDef;

BR_API brMeshDef brDefaultMeshDef(void);

/// Copies the arrays. Refuses indices out of range, faces with fewer than three corners and coordinates that are not
/// finite, naming the first. `context` and `report` may be null.
BR_API brResult brCreateMesh(const brContext* context, const brMeshDef* def, brMesh** outMesh, brReport* report);

/// Frees `mesh`, which may be null.
BR_API void brDestroyMesh(brMesh* mesh);

/// Copies a mesh with all its arrays. `context` and `report` may be null.
BR_API brResult brCopyMesh(const brContext* context, const brMesh* mesh, brMesh** outMesh, brReport* report);

/// Number of corners of a face.
static inline int32_t brMesh_GetFaceSize(const brMesh* mesh, int32_t face)
{
	return mesh->faceStarts[face + 1] - mesh->faceStarts[face];
}

/// Smallest box around the vertices that faces use; empty if there is none.
BR_API brDBox3 brMesh_ComputeBounds(const brMesh* mesh);

/// Area of all faces, each the length of its vector area: exact for triangles and planar polygons, concave ones
/// included; the flat shadow of a bent one. [m^2]
BR_API double brMesh_ComputeArea(const brMesh* mesh);

/// Mass, center and inertia of the solid inside a closed, oriented surface.
typedef struct brMassProperties
{
	double volume;  ///< Signed: negative if the surface is inside out. [m^3]
	double mass;    ///< [kg]
	brDVec3 center; ///< [m]
	brMat3 inertia; ///< About the center. [kg m^2]
} brMassProperties;

/// Mass, center and inertia of the solid inside a closed, outward surface of `density` > 0 [kg/m^3]. Exact for the
/// polyhedron up to rounding. A bent polygon counts as the fan from its first corner. An inside-out surface gives
/// negative mass and inertia. An open surface gives meaningless but finite numbers (sizes up to 1e60 m).
BR_API brMassProperties brMesh_ComputeMass(const brMesh* mesh, double density);

/// Moves every vertex; normals follow, and a mirroring map turns faces over so that outward stays outward.
BR_API void brMesh_Transform(brMesh* mesh, const brAffine* map);

/// One mesh out of many, in order: vertices, faces, materials and groups are appended, equal materials shared.
/// An attribute is kept if any input has it; the others get zeros (white for colors, -1 for materials and groups).
/// `meshes` holds no nulls. `context` and `report` may be null.
BR_API brResult brMergeMeshes(const brContext* context, const brMesh* const* meshes, int32_t count, brMesh** outMesh,
							  brReport* report);

/// All faces as triangles, in face order; a face of k corners always gives k - 2, turning the same way as the face.
///
/// The triangles are fixed by the geometry alone: a face listed from another corner, or the other way round, is cut
/// along the same diagonals, so facing copies match. A quad takes its shorter diagonal if both lie inside. Larger faces
/// are clipped ear by ear, exactly, on the projection along the largest part of the face normal; none of the triangles
/// of a simple outline is flat or turned over. An outline that crosses itself is cut too; some of its triangles are
/// then flat or turned over.
typedef struct brTriangulation
{
	int32_t triangleCount;
	int32_t* corners; ///< [3 * triangleCount] indices into mesh->corners, uvs and normals.
	int32_t* faces;   ///< [triangleCount] face of each triangle.
	brAllocator allocator;
} brTriangulation;

/// Splits all faces into triangles; the mesh stays as it is. `context` and `report` may be null.
BR_API brResult brTriangulateMesh(const brContext* context, const brMesh* mesh, brTriangulation** outTriangles,
								  brReport* report);

/// Frees `triangles`, which may be null.
BR_API void brDestroyTriangulation(brTriangulation* triangles);

/// Solid of tetrahedra. Positive tets have (b-a) x (c-a) . (d-a) > 0.
typedef struct brTetMesh
{
	int32_t nodeCount;
	int32_t tetCount;
	int32_t triangleCount; ///< Surface triangles that came with the file; often 0.

	brDVec3* nodes;          ///< [nodeCount], finite. [m]
	int32_t (*tets)[4];      ///< [tetCount] node indices, in range.
	int32_t* tetTags;        ///< [tetCount] or null: region numbers.
	int32_t (*triangles)[3]; ///< [triangleCount] node indices, or null.
	int32_t* triangleTags;   ///< [triangleCount] or null: boundary numbers.

	brAllocator allocator;
} brTetMesh;

/// Arrays to copy into a new tet mesh. Start from brDefaultTetMeshDef().
typedef struct brTetMeshDef
{
	int32_t nodeCount;
	int32_t tetCount;
	int32_t triangleCount;
	const brDVec3* nodes;
	const int32_t (*tets)[4];
	const int32_t* tetTags;
	const int32_t (*triangles)[3];
	const int32_t* triangleTags;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brTetMeshDef;

BR_API brTetMeshDef brDefaultTetMeshDef(void);

/// Copies the arrays into a new tet mesh. Refuses indices out of range and coordinates that are not finite. `context`
/// and `report` may be null.
BR_API brResult brCreateTetMesh(const brContext* context, const brTetMeshDef* def, brTetMesh** outMesh,
								brReport* report);

/// Frees `mesh`, which may be null.
BR_API void brDestroyTetMesh(brTetMesh* mesh);

/// What brTetMesh_Check found.
typedef struct brTetMeshStats
{
	int32_t positiveTets;
	int32_t negativeTets;
	int32_t zeroTets;          ///< Exactly flat.
	int32_t repeatedIndexTets; ///< A node twice in one tet; counted in zeroTets too.
	int32_t unusedNodes;       ///< In no tet.
	int32_t boundaryFaces;     ///< Faces of exactly one tet.
	int32_t overfullFaces;     ///< Faces of three tets or more.
	int32_t misorientedFaces;  ///< Inner faces seen the same way by both tets.
	int32_t components;        ///< Tets joined through faces.
	bool isSurfaceClosed;      ///< Every edge of the boundary faces has as many faces one way as the other.
	double volume;             ///< Sum of signed volumes. [m^3]
	double minDihedral;        ///< Over positive tets. [rad]
	double maxDihedral;        ///< [rad]
	int32_t firstBadTet;       ///< First tet that is negative or flat, or -1.
} brTetMeshStats;

/// Counts what is wrong with a tet mesh. Changes nothing. `context` and `report` may be null.
BR_API brResult brTetMesh_Check(const brTetMesh* mesh, const brContext* context, brTetMeshStats* outStats,
								brReport* report);

/// Makes a surface of the boundary faces, outward for positive tets, vertices in node order. `context` and `report`
/// may be null.
BR_API brResult brTetMesh_MakeSurface(const brTetMesh* mesh, const brContext* context, brMesh** outSurface,
									  brReport* report);
