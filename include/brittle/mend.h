// SPDX-License-Identifier: MIT
#pragma once

/// @file mend.h
/// Any mesh as a clean closed solid: what is dirty is mended, what is open is closed, what crosses is resolved.
///
///     brMesh* solid;
///     brMendInfo info;
///     if (brMendMesh(NULL, scan, NULL, &solid, &info, &report) < 0) puts(report.text);
///     else puts(info.summary);                // "welded 354 vertices, filled 3 holes"
///     brDestroyMesh(solid);
///
/// The stages run from the least to the most invasive, and the work stops as soon as the mesh is a solid in the sense
/// of brMesh_Check: weld, drop flat and doubled faces, orient; stitch seams and T-junctions; fill holes; resolve
/// crossings; as a last resort make a new surface from the winding number. A mesh that is a solid already comes back
/// bit for bit, less vertices that no face has.

#include "brittle/check.h"

/// How far brMendMesh may go.
typedef enum brMendEffort
{
	/// Only what adds no surface: weld, stitch, orient, drop flat and doubled faces, split non-manifold places.
	br_mendGentle = 0,
	/// Also fill holes, thicken sheets if asked, and resolve crossings.
	br_mendFull = 1,
	/// Also replace the whole surface if everything else failed. UVs and materials follow the nearest old face; details
	/// smaller than a cell are lost.
	br_mendRemesh = 2,
} brMendEffort;

/// Start from brDefaultMendDef().
typedef struct brMendDef
{
	brMendEffort effort; ///< br_mendRemesh by default.

	/// Seams: border vertices this near to each other become one, border vertices this near to a border edge are put
	/// into it. The smallest of four steps up to this distance that closes anything is used. Too large a value eats
	/// details along borders. 0, the default: 1e-4 of the diagonal of the box. [m]
	double stitchDistance;

	/// Holes whose longest extent is above this share of the diagonal of the box are left open. 1 by default: all are
	/// filled. [1]
	double largestHole;

	/// Above 0: parts that enclose nothing (sheets), and parts with a hole of more than 1/500 of their surface (bowls,
	/// bottles), become walls of this thickness. 0, the default: sheets are dropped if something else encloses a
	/// volume, else the mesh is refused; bowls become solid. [m]
	double thickness;

	int32_t resolution; ///< Cells of a new surface along the longest side of the box, 8 to 512. 128 by default.
	uint32_t stamp;     ///< Written by the default function. Leave it alone.
} brMendDef;

BR_API brMendDef brDefaultMendDef(void);

/// What brMendMesh did.
typedef struct brMendInfo
{
	brRepairCounts repair;     ///< Sums over all passes of brRepairMesh.
	int32_t stitchedVertices;  ///< Border vertices that were joined.
	int32_t insertedVertices;  ///< Border vertices put into edges: T-junctions.
	int32_t filledHoles;       ///< Loops that were closed.
	int32_t leftHoles;         ///< Loops above the size limit.
	int32_t droppedSheets;     ///< Parts that enclose nothing and were left out.
	int32_t thickenedSheets;   ///< Sheets and bowls that became walls.
	int32_t resolvedCrossings; ///< Pairs of triangles that crossed and do so no more.
	int32_t droppedShells;     ///< Closed parts that vanished in the resolution: flat, or inside others.
	int32_t straightVertices;  ///< Vertices on straight edges of large fans that the surface does not need.
	double filledMouth;        ///< Largest filled hole as a share of its part's surface, if above 1/20, else 0.
	bool isRemeshed;           ///< The surface is new.
	double cell;               ///< Of the new surface. [m]
	/// No vertex of the new surface is farther from the old one, and none of the old one lies farther outside the new
	/// solid, than this: thin ends may be lost. [m]
	double deviation;
	bool isChanged;    ///< Anything was done.
	char summary[320]; ///< What was done, in words, without a full stop; "nothing to do" if nothing.
} brMendInfo;

/// A copy of `mesh` that is a solid in the sense of brMesh_Check. `mesh` is not changed. UVs, materials, normals and
/// groups survive where the surface does; faces over holes take the material beside them. br_errorGeometry with a
/// sentence that names what is left and a next step if the allowed effort does not do. `context`, `def`, `outInfo` and
/// `report` may be null; a null `def` means the default.
BR_API brResult brMendMesh(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
						   brMendInfo* outInfo, brReport* report);

/// A grid of brSettleMesh: what floats can hold.
#define BR_GRID_FLOAT (-1.0)

/// A copy of a solid that is still one when it is read back from a file, in the sense of brMesh_Check: files join
/// vertices at one place (STL, glTF) and hold floats (STL, glTF, USD) or whole steps (recordings), to which positions
/// are rounded here. `grid`: BR_GRID_FLOAT, a step [m], or 0 to leave them. Where the solid then touches or crosses
/// itself it is taken apart by a few roundings; a solid without such places keeps its vertices and faces.
/// br_remarkApproximate with an unchanged copy if that does not help; a mesh that is not closed is only copied.
/// `context` and `report` may be null.
BR_API brResult brSettleMesh(const brContext* context, const brMesh* mesh, double grid, brMesh** outMesh,
							 brReport* report);
