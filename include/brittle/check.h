// SPDX-License-Identifier: MIT
#pragma once

/// @file check.h
/// Is this mesh a clean closed solid, and if not, what is wrong and what would mend it?
///
///     brMeshCheck check;
///     brMesh_Check(mesh, NULL, &check, NULL);
///     if (!check.isSolid) puts(check.verdict);   // edge 12-40 of face 7 has no second face: the surface is open
///
/// Nothing is changed by a check; brRepairMesh works on a copy and counts every change it makes.

#include "brittle/mesh.h"

/// What brMesh_Check found. Edges are undirected pairs of different vertices that follow each other in some face; how
/// often faces run along one, not how many faces do, decides its kind. Faces with a repeated vertex or no area keep
/// their other edges. Places and flatness are compared exactly, without a tolerance.
typedef struct brMeshCheck
{
	int32_t vertices;
	int32_t faces;
	int32_t triangles; ///< Corners - 2 summed over faces.
	int32_t maxFaceSize;
	int32_t components; ///< Sets of faces joined through shared vertices.
	int32_t edges;
	int32_t euler;               ///< Vertices that faces use - edges + faces.
	int32_t boundaryEdges;       ///< Edges of one face.
	int32_t nonmanifoldEdges;    ///< Edges of three faces or more.
	int32_t misorientedEdges;    ///< Edges of two faces that run along them the same way.
	int32_t nonmanifoldVertices; ///< Vertices whose faces fall into two sets or more that share no edge there.
	int32_t repeatedIndexFaces;  ///< A vertex twice in one face.
	int32_t zeroAreaFaces;       ///< Exactly flat: all corners on one line; repeated-index faces are counted apart.
	int32_t duplicatePositions;  ///< Vertices at the place of an earlier one, used or not.
	int32_t unusedVertices;
	int32_t selfIntersections; ///< Pairs of triangles that meet beyond a shared vertex or edge, or -1: not looked for.

	bool isClosed;   ///< No boundary edges and at least one face.
	bool isOriented; ///< No misoriented edges.
	bool isManifold; ///< No non-manifold edges.
	/// All three, positive volume, no degenerate faces; if looked for, no self-intersections and no shell inside
	/// another but as a cavity.
	bool isSolid;

	double area;    ///< [m^2]
	double volume;  ///< Signed; 0 unless every edge is run along as often one way as the other. [m^3]
	brDBox3 bounds; ///< Of used vertices; empty if there is none.

	char verdict[200]; ///< One sentence naming the first offending element; says so if there is none.
} brMeshCheck;

/// What a check looks for. Start from brDefaultMeshCheckDef().
typedef struct brMeshCheckDef
{
	/// Look for triangles that cross. The most expensive part of the check. On by default.
	bool findSelfIntersections;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brMeshCheckDef;

BR_API brMeshCheckDef brDefaultMeshCheckDef(void);

/// Looks for everything that keeps a mesh from being a closed solid, and says the first thing in `outCheck->verdict`.
/// Changes nothing. `context`, `def` and `report` may be null; a null `def` means the default.
BR_API brResult brMesh_Check(const brMesh* mesh, const brContext* context, const brMeshCheckDef* def,
							 brMeshCheck* outCheck, brReport* report);

/// What brRepairMesh may do, in this order. Start from brDefaultRepairDef(): everything on, exact weld only.
typedef struct brRepairDef
{
	bool weld;             ///< Join vertices at the same place.
	double weldDistance;   ///< 0: only exactly equal positions. Else chains of steps of this length become one. [m]
	bool dropDegenerate;   ///< Remove faces with exactly no area, their corners go to neighbors; trim repeated corners.
	bool dropDuplicates;   ///< Keep one of the faces with the same outline, or none if they are a wall inside a solid.
	bool orient;           ///< Turn faces so that neighbors agree, and outermost closed parts to positive volume.
	bool splitNonManifold; ///< Give each fan at an edge or vertex its own copies, so that solids that touch come apart.
	bool dropUnused;       ///< Remove vertices no face uses.
	uint32_t stamp;        ///< Written by the default function. Leave it alone.
} brRepairDef;

/// What brRepairMesh did.
typedef struct brRepairCounts
{
	int32_t weldedVertices;
	int32_t trimmedCorners;
	/// Into neighbors of flat faces, so that no hole is left; and with new vertices at edges.
	int32_t insertedCorners;
	int32_t droppedDegenerate;
	int32_t keptDegenerate; ///< Flat faces that could not go, since vertices at the same place were not welded.
	int32_t droppedDuplicates;
	int32_t turnedFaces;
	int32_t splitVertices; ///< Copies made, and new ones in the middle of edges that copies alone cannot take apart.
	int32_t droppedVertices;
} brRepairCounts;

BR_API brRepairDef brDefaultRepairDef(void);

/// Makes a repaired copy; `mesh` is not changed. Attributes, materials and groups follow. Holes are not filled
/// (brMendMesh of mend.h does that), and none is made. A mesh with nothing wrong comes out bit for bit. A flat face
/// gives its middle corners to the faces beside it, so triangles can become quads with a straight corner. Cavities
/// keep their orientation. `context`, `def`, `outCounts` and `report` may be null.
BR_API brResult brRepairMesh(const brContext* context, const brMesh* mesh, const brRepairDef* def, brMesh** outMesh,
							 brRepairCounts* outCounts, brReport* report);
