// SPDX-License-Identifier: MIT
#pragma once

// How deep pairs of tetrahedra are in each other, several pairs a call. Same bits for any vector instructions.

#include "narrow/tet_pair.h"

#define BR_MEASURE_PAIRS 8

/// The corners of two tets.
typedef struct brTetCorners
{
	brDVec3 a[4], b[4];
} brTetCorners;

#ifndef __OPENCL_VERSION__

/// Measures `count` <= BR_MEASURE_PAIRS pairs. Returns by bits which of them meet; of the others nothing is written.
typedef uint32_t brMeasureTetsFcn(const brTetCorners* pairs, int32_t count, brPenetration* outPenetrations);

/// As brTetPair_Mtv, and by an expanding polytope, those that are hardly in each other by brTetPair_Gjk first. `lanes`
/// as in brGetDecideTets.
brMeasureTetsFcn* brGetMtvTets(int32_t lanes);
brMeasureTetsFcn* brGetEpaTets(int32_t lanes);

#endif
