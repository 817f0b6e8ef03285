// SPDX-License-Identifier: MIT
#pragma once

// Whole lattice tets that carry how much of them is solid.

#include "volume/lattice.h"

/// The lattice as a mesh; fills `info->fills`, which replace those of an earlier call, and the volume inside.
brResult brEmbedLattice(const brContext* context, const brLattice* lattice, const brSurfaceTree* tree, bool isInverted,
						brTetMesh** outMesh, brTetInfo* info, brReport* report);
