// SPDX-License-Identifier: MIT
#pragma once

// Do two tetrahedra meet, and how deep? One question, answered in several ways:
//
//   brTetPair_Decide    separating planes through faces and edges in doubles with a certain bound; a few pairs stay unsure
//   brTetPair_Meets     exact: Decide, then exact signs for what is left. Touching counts.
//   brTetPair_SatAxes   the textbook test: all 44 axes, rounded
//   brTetPair_SatFaces  8 of them: cheaper, and calls some pairs meeting that are not
//   brTetPair_Mtv       all 44 axes measured: how far, and which way, to push them apart
//   brTetPair_Gjk       distance by Gilbert, Johnson and Keerthi; tet_measure.h has depths by expanding polytopes
//
// Any order of corners will do; flat tets are segments, triangles or points.

#include "brittle/collide.h"

typedef enum brTetRelation
{
	br_tetsApart,
	br_tetsMeet,
	br_tetsUnsure,
} brTetRelation;

brTetRelation brTetPair_Decide(const brDVec3 a[4], const brDVec3 b[4]);
bool brTetPair_Meets(const brDVec3 a[4], const brDVec3 b[4]);

/// By exact signs alone, without a filter.
bool brTetPair_MeetsExact(const brDVec3 a[4], const brDVec3 b[4]);

bool brTetPair_SatAxes(const brDVec3 a[4], const brDVec3 b[4]);
bool brTetPair_SatFaces(const brDVec3 a[4], const brDVec3 b[4]);

/// Edges that are more parallel than this, for their lengths, have a cross product of noise; it is no axis.
#define BR_TET_AXIS_LEAST 1e-12

/// False if some axis separates them; else moving b by depth times direction leaves them touching.
bool brTetPair_Mtv(const brDVec3 a[4], const brDVec3 b[4], brPenetration* outPenetration);

/// Distance of the tets, 0 if they meet (to within rounding, relative to their size).
double brTetPair_Gjk(const brDVec3 a[4], const brDVec3 b[4]);
