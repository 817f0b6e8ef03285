// SPDX-License-Identifier: MIT
#pragma once

// A tet cut by several surfaces, each given by its distances at the corners: volume and center of every combination of
// sides.

#include "elastic/body.h"

#define BR_MAX_SIGNS (1 << BR_MAX_CRACKS_PER_TET)

typedef struct brTetShares
{
	double volumes[BR_MAX_SIGNS];    // share of the tet with these signs, bit k set: + side of surface k; they sum to 1
	double centers[BR_MAX_SIGNS][4]; // barycentric, of those with a volume
} brTetShares;

/// Linear between the corners; a corner at 0 is on the + side. `surfaceCount` <= BR_MAX_CRACKS_PER_TET.
void brSplitTet(const double (*phi)[4], int32_t surfaceCount, brTetShares* outShares);

/// Likewise for a triangle; centers have three weights.
void brSplitTriangle(const double (*phi)[3], int32_t surfaceCount, brTetShares* outShares);
