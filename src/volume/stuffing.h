// SPDX-License-Identifier: MIT
#pragma once

// Isosurface stuffing: a lattice warped and cut to the surface (Labelle and Shewchuk 2007).

#include "volume/lattice.h"

typedef struct brStuffDef
{
	bool isInverted; // the surface's normals point inward
	double offset;   // [m]
	double progress; // what the cancel callback is told meanwhile
} brStuffDef;

/// The solid inside the surface as a new tet mesh; every boundary node lies on the surface, or `offset` outside it if
/// the lattice was made with one. May have no tets at all.
brResult brStuffLattice(const brContext* context, const brLattice* lattice, const brSurfaceTree* tree,
						const brStuffDef* def, brTetMesh** outMesh, brReport* report);
