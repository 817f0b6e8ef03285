// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/math.h"

/// The rotation with these orthonormal, right-handed columns.
brQuat brMakeQuatFromMat3(const brMat3* m);
