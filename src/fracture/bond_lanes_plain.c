// SPDX-License-Identifier: MIT

// The iteration on bonds in whatever instructions every processor of this kind has.

#include "fracture/bond_system.h"

#include <math.h>

#define BOND_NAME(name) bondPlain_##name
#define BOND_TARGET
#define BOND_SQRT(out, x)                                                                                              \
	do                                                                                                                 \
	{                                                                                                                  \
		bondPlain_Lanes square = (x);                                                                                  \
		(out) = (bondPlain_Lanes){sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};                 \
	} while (0)

#include "fracture/bond_lanes.h"

const brBondKernels brBondKernelsPlain = BOND_KERNELS;
