// SPDX-License-Identifier: MIT
#pragma once

// Splinters along any direction. Cells are stretched along x by a power of two, which moves no bit; for another
// direction the model is turned so that it lies along x, broken, and turned back. Vertices of the model get their own
// bits back, all others one rounding each.

#include "fracture/surface_clip.h"

#include "brittle/shatter.h"

/// As brCreateShatterBy, for a def whose `along` is no multiple of x.
brResult brCreateTurnedShatter(const brContext* context, const brMesh* mesh, const brCellDevice* device,
							   const brShatterDef* def, brShatter** outShatter, brReport* report);
