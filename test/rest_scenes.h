// SPDX-License-Identifier: MIT
#pragma once

// Thin and concave things that must come to rest, for tests.

#include "mesh_scenes.h"

/// Links of 120 mm that lie flat and stand upright in turn, in a closed ring over the ground: nothing can come off but
/// through another. Ids of all, and the radius of the middle line of one.
double brScene_Ring(brWorld* world, int32_t count, brBodyId* outIds);

/// Spoons one after the other dropped into a bowl of 0.4 m that stands still. Body 0 is the bowl.
void brScene_Spoons(brWorld* world, int32_t count);

/// Pieces of so many wine glasses dropped into a walled box. Bodies 0 to 4 are ground and walls. Returns the number of
/// pieces.
int32_t brScene_Glasses(brWorld* world, int32_t count, double wall);

/// Plates of 0.27 m in 11 pieces each, lying over each other in place, 0.1 m over the ground, which is body 0.
void brScene_PlatePieces(brWorld* world, int32_t count);
