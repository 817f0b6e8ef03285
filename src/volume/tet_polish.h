// SPDX-License-Identifier: MIT
#pragma once

// Better angles for the few tets that need them, by moving their nodes.

#include "volume/surface_tree.h"

#include "brittle/mesh.h"

/// Moves nodes until dihedral angles lie between `least` and `most` [rad], or nothing helps any more. Nodes with
/// `isOnSurface` set [nodeCount] go along the surface, up to `offset` outside of it. False without memory.
bool brPolishTets(const brAllocator* allocator, brTetMesh* mesh, const brSurfaceTree* tree, double offset,
				  const uint8_t* isOnSurface, double least, double most);
