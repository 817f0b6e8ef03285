// SPDX-License-Identifier: MIT
#pragma once

// How the faces of a mesh hang together: everything brMesh_Check tells but self-intersections.

#include "brittle/check.h"

/// Fills all of `outCheck`, with selfIntersections = -1 and isSolid and the verdict as if there were none.
/// br_errorMemory is the only failure and leaves it untouched. `context` and `report` may be null.
brResult brCheckTopology(const brContext* context, const brMesh* mesh, brMeshCheck* outCheck, brReport* report);

/// Whether all corners of a face lie on one line, exactly.
bool brMesh_FaceIsFlat(const brMesh* mesh, int32_t face);

/// Whether three points lie on one line, exactly.
bool brIsCollinear(brDVec3 a, brDVec3 b, brDVec3 c);
