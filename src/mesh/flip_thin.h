// SPDX-License-Identifier: MIT
#pragma once

// Thin triangles of a flat outline, flipped away. Ears are taken as they come, and the last ones may lie along a row of
// corners; read back from floats such a triangle stands in the plane of its neighbor and crosses it.

#include "brittle/math.h"

typedef struct brFlat
{
	const brDVec2* points;
	int32_t* corners; // [3 count] points of triangles that turn left
	int32_t* links;   // [3 count] beyond the side from corner k to the next: 3 t + k there, or -1 at the outline
	int32_t count;
	double thin; // height of a triangle that is thin
} brFlat;

/// Replaces sides of thin triangles by the other diagonal of the quad around them where that makes the thinner of the
/// two triangles higher. Cost: linear, times the depth to which thin ones lie behind each other.
void brFlipThin(brFlat* flat);
