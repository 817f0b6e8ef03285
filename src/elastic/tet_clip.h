// SPDX-License-Identifier: MIT
#pragma once

// A tet cut by the triangles of one crack that bends inside it.

#include "elastic/body.h"

/// Share of the tet on the - side of the crack, exactly up to rounding. `seeds` are triangles of the crack to start
/// looking from, `plus` the corners on the + side as bits. False if the crack does not pass cleanly (its rim or too
/// much of it lies inside).
bool brClipTet(const brCrackField* crack, const brElasticBody* body, int32_t tet, uint32_t plus, const int32_t seeds[4],
			   double* outShare);
