// SPDX-License-Identifier: MIT
#pragma once

#include "base/random.h"
#include "brittle/math.h"

/// The rotation with these orthonormal, right-handed columns.
brQuat brMakeQuatFromMat3(const brMat3* m);

/// The inverse; all zero if there is none.
brMat3 brInvertMat3(const brMat3* m);

/// A unit vector across this one, which is of length 1.
brDVec3 brDAcross(brDVec3 n);

/// A unit vector, every direction as likely as any other.
brDVec3 brRandomDirection(brRandom* random);
