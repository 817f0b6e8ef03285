// SPDX-License-Identifier: MIT
#pragma once

// Sources and cutters for tests of the cutter: seeded, many of them deliberately degenerate; and the checks that every
// result must pass.

#include "base/random.h"
#include "brittle/cut.h"

typedef enum brCutCaseKind
{
	br_cutCasePlane,     // a plane in general position
	br_cutCaseSheet,     // a bumpy sheet that passes through
	br_cutCaseFold,      // a sheet that crosses itself
	br_cutCaseIncision,  // a sheet that ends inside
	br_cutCaseSolid,     // a closed solid, moved and turned
	br_cutCaseCoplanar,  // a solid with faces in the planes of the source's
	br_cutCaseIdentical, // the source itself, or all but a few vertices of it
	br_cutCaseVertices,  // a plane through vertices of the source
	br_cutCaseTouching,  // a copy moved by exactly its size
	br_cutCaseGrid,      // two solids with small integer coordinates
	br_cutCaseCount,
} brCutCaseKind;

typedef struct brCutCase
{
	brCutCaseKind kind;
	brMesh* source;
	brMesh* cutter;
	bool isCutterClosed;
	bool isClean; // neither crosses itself
} brCutCase;

/// A case of a kind, all from `random`. Scales run from 1e-6 to 1e6.
brCutCase brCutCase_Make(brRandom* random, brCutCaseKind kind);
void brCutCase_Free(brCutCase* test);

/// A closed random solid; a box now and then.
brMesh* brCutCase_Solid(brRandom* random, int32_t size);

/// A flat or bumpy sheet of n x n quads or triangles across [-1, 1]^2 at z = 0.
brMesh* brCutCase_Sheet(brRandom* random, int32_t n, double bump, bool triangles);

/// Null if every piece is closed, oriented and manifold with sane parents, else what is wrong. `context` is for
/// messages.
const char* brCutCase_Flaw(const brCutResult* result);

/// How far the volume of the pieces may be off: rounding of new vertices and joining of polygons, see docs/cutting.md.
double brCutCase_VolumeBound(const brMesh* source, const brMesh* cutter);

/// A hash of everything in a result.
uint64_t brCutCase_Hash(const brCutResult* result);
