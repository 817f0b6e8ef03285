// SPDX-License-Identifier: MIT
#pragma once

// On which side? The exact sign, -1, 0 or +1, of four polynomials in the coordinates of points.
//
// A filter in plain double arithmetic answers almost always: the rounded value is farther from zero than its rounding
// error can be. The bounds are those of Shewchuk (1997), a little widened, plus a term that covers what underflow can
// lose; overflow makes the bound infinite or not a number, and then the filter does not answer. Otherwise the value is
// found exactly, in integers (predicates.c). The sign is right for all finite doubles, denormals and the largest
// included, and antisymmetric: swapping two points of a triangle, tet... turns it around. Coordinates must be finite.

#include "brittle/math.h"

// Half an ulp of 1. All bounds count in it.
#define BR_PREDICATE_U 0x1p-53

// A product that underflows loses at most 2^-1075, and each such loss is multiplied by factors of which a bound is at
// hand; 2^-900 times these factors is more than all losses together, and cheaper than a denormal constant.
#define BR_PREDICATE_TINY 0x1p-900

int32_t brOrient2d_Exact(brDVec2 a, brDVec2 b, brDVec2 c);
int32_t brOrient3d_Exact(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d);

/// +1: a, b, c turn left (counter-clockwise). 0: on one line.
static inline int32_t brOrient2d(brDVec2 a, brDVec2 b, brDVec2 c)
{
	double left = (a.x - c.x) * (b.y - c.y);
	double right = (a.y - c.y) * (b.x - c.x);
	double det = left - right;
	double bound = 4.0 * BR_PREDICATE_U * (fabs(left) + fabs(right)) + BR_PREDICATE_TINY;
	if (fabs(det) > bound)
	{
		return (det > 0.0) - (det < 0.0);
	}
	return brOrient2d_Exact(a, b, c);
}

/// +1: (b-a) x (c-a) . (d-a) > 0, a positive tet: from d, triangle a, b, c turns clockwise. 0: in one plane.
static inline int32_t brOrient3d(brDVec3 a, brDVec3 b, brDVec3 c, brDVec3 d)
{
	double adx = a.x - d.x, ady = a.y - d.y, adz = a.z - d.z;
	double bdx = b.x - d.x, bdy = b.y - d.y, bdz = b.z - d.z;
	double cdx = c.x - d.x, cdy = c.y - d.y, cdz = c.z - d.z;
	double bxcy = bdx * cdy, cxby = cdx * bdy;
	double cxay = cdx * ady, axcy = adx * cdy;
	double axby = adx * bdy, bxay = bdx * ady;
	double det = adz * (cxby - bxcy) + bdz * (axcy - cxay) + cdz * (bxay - axby);
	double az = fabs(adz), bz = fabs(bdz), cz = fabs(cdz);
	double permanent = (fabs(bxcy) + fabs(cxby)) * az + (fabs(cxay) + fabs(axcy)) * bz + (fabs(axby) + fabs(bxay)) * cz;
	double bound = 8.0 * BR_PREDICATE_U * permanent + BR_PREDICATE_TINY * (az + bz + cz + 1.0);
	if (fabs(det) > bound)
	{
		return (det > 0.0) - (det < 0.0);
	}
	return brOrient3d_Exact(a, b, c, d);
}

/// For a, b, c turning left: +1 if d is inside their circle, 0 on it, -1 outside; the other way round if they turn
/// right.
int32_t brInCircle(brDVec2 a, brDVec2 b, brDVec2 c, brDVec2 d);

/// The exact stage alone, for tests and benchmarks.
int32_t brInCircle_Exact(brDVec2 a, brDVec2 b, brDVec2 c, brDVec2 d);
