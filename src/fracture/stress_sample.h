// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/math.h"

/// One point of the stress field that a hit makes in a body. The samples of a body fill it: their volumes add up to the
/// body's volume. They carry what the cracks ask for: how strongly, and across which plane, the body is pulled there.
typedef struct brStressSample
{
	brDVec3 position; ///< In the body's own frame, as its mesh. [m]
	double volume;    ///< Share of the body's volume, > 0. [m^3]
	double stress[3]; ///< Principal stresses of the actual load, greatest pull first; negative: pressed. [Pa]
	brDVec3 axis[3];  ///< Unit directions of the three principal stresses, at right angles.
} brStressSample;
