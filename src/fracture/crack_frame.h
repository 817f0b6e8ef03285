// SPDX-License-Identifier: MIT
#pragma once

// The axes of a body, in which the lattice and the grid of strengths lie: turned bodies break as they did before they
// were turned.

#include "brittle/crack.h"
#include "brittle/mesh.h"

/// Columns: the axes of inertia of the mesh, directed by the load; where two are alike, by the load too. `body`: what
/// the mesh weighs at density 1.
brMat3 brCrackFrame(const brMesh* mesh, const brMassProperties* body, const brCrackDef* def);

/// The frame with the caller's turn: of the lattice alone, the grid of strengths is the same however the lattice lies.
brMat3 brCrackFrame_OfLattice(const brMat3* frame, const brCrackDef* def);

/// Puts a mesh into the frame, rounded to 2^-36 of its size: what turning it back and forth does to the last digits
/// must not decide on which side of a lattice plane a face lies.
void brCrackFrame_Turn(const brMat3* frame, brDVec3 origin, brMesh* mesh);

/// A point of the frame, back in the model.
static inline brDVec3 brCrackFrame_From(const brMat3* frame, brDVec3 origin, brDVec3 point)
{
	return brDAdd(origin, brMat3_MulV(frame, point));
}
