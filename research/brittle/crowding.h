// SPDX-License-Identifier: MIT
#pragma once

/// @file crowding.h
/// How many tets lie around each tet of a set: the number that bounds how many pairs the hashed grid of br_pairsKdet
/// looks at. `brittle collide --k-free` prints it.
///
/// Experimental, in libbrittle_research.a.

#include "brittle/collide.h"

/// How crowded a set of tets is (Weller et al. 2017; Mirzayousef Jadid 2023, definition 3.1.1). A tet whose smallest
/// enclosing sphere has diameter d is k-free if fewer than k others that are at least as large come nearer than d / 4
/// to it. All pairs of k-free sets come in linear time.
typedef struct brKFreeness
{
	int32_t k;           ///< The smallest k for which all tets are k-free.
	int32_t mostCrowded; ///< A tet that needs it, over all meshes one after another; -1 without tets.
	double mean;         ///< Of the k that each tet needs.
	double smallest;     ///< Diameter of enclosing spheres. [m]
	double largest;      ///< [m]
} brKFreeness;

/// Measures how crowded the tets of all meshes together are, neighbors included. `context` and `report` may be null.
BR_EXPERIMENTAL brResult brMeasureKFreeness(const brContext* context, const brTetMesh* const* meshes, int32_t meshCount,
											brKFreeness* outFreeness, brReport* report);

/// Diameter of the smallest sphere around a tet. [m]
BR_EXPERIMENTAL double brTet_SphereDiameter(const brDVec3 t[4]);
