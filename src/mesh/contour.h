// SPDX-License-Identifier: MIT
#pragma once

// The zero set of a signed distance as a closed surface, for models and for surfaces made anew.

#include "base/memory.h"
#include "base/report.h"
#include "brittle/mesh.h"

/// Signed distance or a lower bound of it, negative inside; Lipschitz with constant 1.
typedef double brFieldFcn(brDVec3 point, void* user);

/// Whether a point is inside.
typedef bool brInsideFcn(brDVec3 point, void* user);

/// Both functions are called from several workers at once.
typedef struct brContourDef
{
	brFieldFcn* field;
	/// Null: the sign of the field tells. Else the field is a distance without sign, and dear: it is asked at the ends
	/// of crossed edges only, and normals are those of the faces.
	brInsideFcn* inside;
	void* user;
	brDBox3 box;     // the surface lies inside
	double cell;     // edge of the cubes of the lattice [m]
	bool keepsParts; // all components; else only the one with most faces, so islands that the lattice leaves are gone
} brContourDef;

/// The zero set as a closed manifold of triangles with normals. UVs are zero. `workers` and `report`
/// may be null.
brResult brContour(const brAllocator* allocator, brWorkers* workers, const brContourDef* def, brMesh** outMesh,
				   brReport* report);
