// SPDX-License-Identifier: MIT
#pragma once

// Concave bodies for tests, on top of world_scenes.h.

#include "world_scenes.h"

/// A built-in model scaled so that its longest side is `size`, centered.
brMesh* brScene_Model(const char* name, int32_t resolution, double size);
brShape* brScene_MeshModel(const char* name, int32_t resolution, double size, bool keepMesh);

/// A box as a mesh that stays one; each side cut into so many parts.
brShape* brScene_MeshBox(double x, double y, double z, int32_t parts);
brShape* brScene_SurfaceOf(const brMesh* mesh);

/// Bodies of these shapes in turn, dropped into a walled square box `wall` from middle to side, `step` apart.
void brScene_MeshPile(brWorld* world, brShape* const* shapes, int32_t shapeCount, int32_t count, double wall,
					  double step, uint64_t seed);

/// Deepest overlap of all points of the last step, at its end. [m]
double brScene_Depth(const brWorld* world);
