// SPDX-License-Identifier: MIT
#pragma once

// What the tests of shattering share.

#include "brittle/brittle.h"

/// Breaks a mesh by sites; fails the test if that fails.
brShatter* brShatterBy(const brContext* context, const brMesh* mesh, const brDVec3* sites, int32_t count);

/// Closed, oriented, manifold, of positive volume (a model that crosses itself has parts that are inside out); volumes
/// add up to `tolerance`; what pieces were cut on is what they are bonded by.
void brCheckPiecesOf(const brShatter* shatter, double tolerance, bool isTangled);
void brCheckPieces(const brShatter* shatter, double tolerance);

/// `sites` has room for `count`; returns how many there are.
int32_t brUniformSites(const brMesh* mesh, int32_t count, uint64_t seed, brDVec3* sites);
