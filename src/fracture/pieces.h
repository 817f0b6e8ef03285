// SPDX-License-Identifier: MIT
#pragma once

// Faces of the clipped surface and caps, put together as solids.
//
// Every cell's faces fall into parts that share no point. A part with negative volume is a cavity and belongs to the
// part around it; a part with no thickness is a crumb. Pieces are sets of parts.

#include "fracture/caps.h"

// A face of a part: polygon n of the clip as n, cap n as seen from its cells as P + 2 n and P + 2 n + 1, P polygons in
// all.
typedef struct brPieceParts
{
	brAllocator allocator;
	const brSurfaceClip* clip;
	const brCaps* caps;
	int32_t entryCount;
	int32_t partCount;
	int32_t* aliases; // [pointCount] points at one place joined by an edge: the one that stands for them
	int32_t pointCount;
	bool hasAliases;
	int32_t* entryParts; // [entryCount] part of each face, -1 - nothing for faces that vanished
	BR_ARRAY(int32_t) partCells;
	BR_ARRAY(double) partVolumes;
	BR_ARRAY(double) partAreas;
	BR_ARRAY(int32_t) partOwners; // itself; of a cavity the part around it; -1 for a crumb
	int32_t crumbCount;
} brPieceParts;

/// br_errorMemory is the only failure; nothing is left then.
brResult brPieceParts_Make(const brSurfaceClip* clip, const brCaps* caps, brPieceParts* outParts, brReport* report);
void brPieceParts_Free(brPieceParts* parts);

/// Points of a face with aliases put in and what that made flat taken out; fewer than three: the face has vanished.
/// `out` has room for brPieceParts_FaceSize.
int32_t brPieceParts_Face(const brPieceParts* parts, int32_t entry, int32_t* out);
int32_t brPieceParts_FaceSize(const brPieceParts* parts, int32_t entry);

static inline brDVec3 brPieceParts_Position(const brPieceParts* parts, int32_t point)
{
	return brCaps_Position(parts->clip, parts->caps, point);
}

/// Points that became one, merging, and models that touch themselves may pinch a piece at a vertex or an edge; such
/// places are taken apart. `suspects` [vertexCount] are the vertices where that may be, null: all of them. Fails on
/// memory only; the mesh stays as it was then.
brResult brUntangle(const brAllocator* allocator, const bool* suspects, brMesh** mesh);
