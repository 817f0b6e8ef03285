// SPDX-License-Identifier: MIT
#pragma once

/// @file cut.h
/// Cuts any polygon mesh by any surface, exactly: pieces of a solid are closed solids again.
///
///     brCutDef def = brDefaultCutDef();             // split the source along the cutter
///     brCutResult* cut;
///     if (brCutMesh(NULL, vase, crack, &def, &cut, &report) >= 0)
///     {
///         for (int32_t i = 0; i < cut->pieceCount; ++i) show(cut->pieces[i].mesh);
///         brDestroyCutResult(cut);
///     }
///
/// The cutter may be open or closed and may cross itself. All decisions are exact for the given coordinates; touching,
/// coplanar and identical geometry is recognized, never nudged. New vertices are the nearest doubles to the exact
/// places. See docs/cutting.md for the method, the guarantee and its limits.

#include "brittle/mesh.h"

typedef enum brCutOp
{
	br_cutSplit = 0,        ///< A closed source along any cutter. A cutter that ends inside leaves an incision.
	br_cutUnion = 1,        ///< Source or cutter; both closed, as for the next two.
	br_cutIntersection = 2, ///< Source and cutter.
	br_cutDifference = 3,   ///< Source without cutter.
	br_cutSurface = 4,      ///< The surface of the source, open or closed, is separated along the cutter; no caps.
	/// As br_cutSurface, with caps where the generalized winding number of the source is above 1/2: for a source with
	/// holes. Pieces whose every edge has two faces are closed; other edges are counted.
	br_cutFill = 5,
} brCutOp;

/// Where a face of a piece comes from.
typedef enum brCutFaceKind
{
	br_faceSource = 0,      ///< A face of the source, or part of one.
	br_faceCapPositive = 1, ///< A cap on the side of the cutter that its normals point to; outside a closed cutter.
	br_faceCapNegative = 2, ///< A cap on the other side; inside a closed cutter.
} brCutFaceKind;

/// One connected body of the result with the cavities inside it.
typedef struct brCutPiece
{
	brMesh* mesh;         ///< Owned by the result.
	int32_t* faceParents; ///< [mesh->faceCount] face of the source, or of its cutter for caps.
	int32_t* faceCutters; ///< [mesh->faceCount] which cutter made a cap; -1 for faces of the source.
	uint8_t* faceKinds;   ///< [mesh->faceCount] brCutFaceKind
	bool isClosed;
	int8_t side;   ///< +1: all caps are positive, -1: all are negative, 0: both or none.
	double volume; ///< Signed, bent polygons as triangulated by brTriangulateMesh; 0 if not closed. [m^3]
} brCutPiece;

/// What happened on the way.
typedef struct brCutStats
{
	int32_t contacts;       ///< Pairs of triangles that meet.
	int32_t newVertices;    ///< Places that are no vertex of the input.
	int32_t removedFlat;    ///< Triangles without area that were joined to neighbors.
	int32_t crumbs;         ///< Pieces dropped because nothing of their volume survives rounding.
	double crumbVolume;     ///< Their signed volume. [m^3]
	int32_t joined;         ///< Pieces below brCutDef.minShare that joined a neighbor.
	int32_t lowestWinding;  ///< Of the source where the cutter meets it; 0 and 1 for a clean solid.
	int32_t highestWinding; ///< Others tell that the source crosses itself or is inside out.
	int32_t openEdges;      ///< Edges of pieces with one face; br_cutSurface and br_cutFill only.
	int32_t selfCrossings;  ///< Pairs of triangles of one piece that cross, exactly, after rounding; -1: not asked for.
	int64_t exactTests;     ///< Questions that plain arithmetic could not answer.
	/// Of the source; 0 for br_cutSurface and if it is open. A bent polygon counts as its triangles. [m^3]
	double volumeIn;
	double volumeOut; ///< Of all pieces. [m^3]
} brCutStats;

/// Pieces in the order of their lowest source face, then lowest cutter face.
typedef struct brCutResult
{
	int32_t pieceCount;
	brCutPiece* pieces; ///< [pieceCount]
	brCutStats stats;
	brAllocator allocator;
} brCutResult;

/// Start from brDefaultCutDef().
typedef struct brCutDef
{
	brCutOp op;              ///< What to do with source and cutter. Split by default.
	bool assumeCutterSimple; ///< Do not look where the cutter crosses or touches itself. Off by default.
	bool keepCrumbs;         ///< Keep pieces that are thinner than rounding. Off by default.
	bool keepTriangles; ///< Leave cut faces as triangles instead of joining them to polygons again. Off by default.
	/// Count the places where rounding made pieces cross themselves (stats.selfCrossings). Costs a self-intersection
	/// test. Off by default.
	bool countCrossings;

	/// Split and fill only. Pieces below this share of the source's volume join the neighbor with which they share
	/// most of the cutter's faces, smallest first. Exact: the faces between them go, nothing moves. 0, the default:
	/// they stay. [1]
	double minShare;

	/// Split and fill only. Incisions close again: faces of a cutter with the same piece on both sides go. Off by
	/// default.
	bool healIncisions;

	/// A cut polygon is one face again in each piece if its vertices are this close to its plane, relative to the
	/// largest coordinate; else it stays in triangles so that no volume moves. Looks only, never topology. [1]
	double flatTolerance;

	/// Of caps where the cutter has no material; null: a default one named "interior".
	const brSurfaceMaterial* interior;
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brCutDef;

BR_API brCutDef brDefaultCutDef(void);

/// Cuts `source` by `cutter`, or combines the two (brCutDef.op). Both stay unchanged and may be the same mesh.
/// Refuses what it cannot cut right and names the element: an open source (except for br_cutSurface and br_cutFill),
/// a cutter with a border for union, intersection and difference. `context`, `def` and `report` may be null.
BR_API brResult brCutMesh(const brContext* context, const brMesh* source, const brMesh* cutter, const brCutDef* def,
						  brCutResult** outResult, brReport* report);

/// Cuts by one or more cutters at once, which may cross each other. Caps know which cutter made them, the first where
/// several coincide. Union, intersection and difference take the cutters as one solid: what is inside any of them.
/// `context`, `def` and `report` may be null.
BR_API brResult brCutMeshByMany(const brContext* context, const brMesh* source, const brMesh* const* cutters,
								int32_t cutterCount, const brCutDef* def, brCutResult** outResult, brReport* report);

/// Turns a closed mesh that crosses or overlaps itself into the clean solids that it bounds: everywhere its winding
/// number is 1 or more. All faces are of kind br_faceSource. Refuses an open mesh and names the edge. brCutDef.op is
/// not read. `context`, `def` and `report` may be null.
BR_API brResult brResolveMesh(const brContext* context, const brMesh* mesh, const brCutDef* def,
							  brCutResult** outResult, brReport* report);

/// Everything that is inside one of `count` >= 1 closed meshes, as one mesh of clean solids. `context` and `report` may
/// be null.
BR_API brResult brUniteMeshes(const brContext* context, const brMesh* const* meshes, int32_t count, brMesh** outMesh,
							  brReport* report);

/// Splits by the plane through `point` [m] with that `normal` (not zero). Caps of kind br_faceCapPositive lie on
/// pieces on the side that the normal points to. The plane is exact if the normal is along an axis, else within
/// rounding of the given one. The op of `def` is br_cutSplit, br_cutSurface or br_cutFill. `context`, `def` and
/// `report` may be null.
BR_API brResult brCutMeshByPlane(const brContext* context, const brMesh* source, brDVec3 point, brDVec3 normal,
								 const brCutDef* def, brCutResult** outResult, brReport* report);

/// Frees `result`, which may be null.
BR_API void brDestroyCutResult(brCutResult* result);

/// Splits a mesh into its connected solids, each with the cavities inside it. Faces keep their order and attributes.
/// `context` and `report` may be null.
BR_API brResult brSeparateMesh(const brContext* context, const brMesh* mesh, brCutResult** outResult, brReport* report);
