// SPDX-License-Identifier: MIT
#pragma once

// Isosurface stuffing: a lattice warped and cut to the surface (Labelle and Shewchuk 2007).

#include "volume/lattice.h"

/// The solid inside the surface as a new tet mesh; every boundary node lies on the surface, or `offset` outside it if
/// the lattice was made with one. May have no tets at all.
brResult brStuffLattice(const brContext* context, const brLattice* lattice, const brSurfaceTree* tree, bool isInverted,
						double offset, brTetMesh** outMesh, brReport* report);
