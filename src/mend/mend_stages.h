// SPDX-License-Identifier: MIT
#pragma once

// The stages of brMendMesh that brRepairMesh and the cutter do not have. Each takes a mesh and makes another.

#include "base/report.h"
#include "brittle/mend.h"
#include "mend/face_list.h"
#include "mesh/half_edge.h"

/// Joins border vertices within `distance` of each other and puts border vertices into border edges that they lie on
/// within `distance`. Faces keep their order; some may become flat. Null if there is nothing to stitch.
brResult brStitchBorders(const brContext* context, const brHalfEdges* edges, double distance, brMesh** outMesh,
						 brMendInfo* info, brReport* report);

/// Takes away vertices that lie exactly on straight edges and that no face bends at; the surface stays where it is.
/// They stay as unused vertices. Null if there are none.
brResult brDropStraight(const brContext* context, const brMesh* mesh, brMesh** outMesh, int32_t* outCount,
						brReport* report);

/// Opens edges on which the faces of a repaired mesh disagree: seams of surfaces with one side. Copies of vertices come
/// after the old ones.
brResult brOpenSeams(const brContext* context, const brMesh* mesh, brMesh** outMesh, brReport* report);

/// Closes border loops. Needs fans split and faces oriented as brRepairMesh leaves them. A part that encloses nothing
/// once its loops are filled, or has one side, is a sheet: it becomes a wall, or goes, as `def` says. With a thickness
/// so does a part with a mouth, a bowl.
brResult brFillHoles(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
					 brMendInfo* info, brReport* report);

/// Walls in place of the marked faces, half of `thickness` to each side of them, also at edges and corners. False without
/// memory.
bool brThickenFaces(const brAllocator* allocator, const brHalfEdges* edges, const uint8_t* isThin, double thickness,
					brFaceList* list);

/// Triangles over a loop of points, outward side by the order of the loop, as count - 2 triples of places in the loop.
/// `borders` are the unit normals of the faces beyond the edge from each point to the next. False without memory.
bool brFillLoop(const brAllocator* allocator, const brDVec3* points, const brDVec3* borders, int32_t count,
				int32_t (*outTriangles)[3]);

/// A new surface where the winding number of `mesh` is above one half in size.
brResult brRemeshSurface(const brContext* context, const brMesh* mesh, const brMendDef* def, brMesh** outMesh,
						 brMendInfo* info, brReport* report);

/// Opens edges of more than two faces: two of them get a vertex in the middle of the edge that lies `step` off it. All
/// faces are triangles. Edges whose faces were cut already, and edges of more than four faces, want another call.
brResult brOpenEdges(const brContext* context, const brMesh* mesh, double step, brMesh** outMesh, brReport* report);

/// Draws vertices of marked faces onto a neighbor where no face then moves by more than `height`, at most one at each
/// face. All faces are triangles.
brResult brCollapseFlat(const brContext* context, const brMesh* mesh, const uint8_t* marks, double height,
						brMesh** outMesh, brReport* report);
