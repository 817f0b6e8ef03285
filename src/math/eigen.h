// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/math.h"

/// brEigenSymmetric of four matrices side by side, with its bits: xx, yy, zz, xy, xz, yz of each.
void brEigenSymmetricFour(const double matrices[4][6], double outValues[4][3], brMat3 outVectors[4]);
