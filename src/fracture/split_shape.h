// SPDX-License-Identifier: MIT
#pragma once

// The surface that a piece is split along: a plane with a bend and bumps, or a ball with bumps.
//
// Both have coordinates in a plane: a plane its own, a ball those of Lambert's projection from the side that the
// blow comes from, which keeps areas. So cut faces are filled as flat outlines and lifted back. Bumps are a height over
// these coordinates, the same for both sides of the split, up to the outer surface and on it.

#include "brittle/math.h"
#include "math/noise.h"

#define BR_SPLIT_HIGHEST 0.6 // of the height that is asked for: no bump is higher, and nearly none would be

typedef struct brSplitShape
{
	brDVec3 origin;  // a point of the plane, or the middle of the ball
	brDVec3 u, v, n; // unit, right-handed; n is across the plane, and for a ball the direction of the blow
	double radius;   // of the ball; 0: a plane
	double bend;     // the plane rises so much per length on both sides of u = 0 [1]
	double height;   // of the bumps [m]
	double length;   // of the largest bumps [m]
	double gain;     // of the bumps of half the length, over that of the whole; 0: there are none
	uint64_t seed;
} brSplitShape;

// A shape at work, and what it keeps of its bumps.
typedef struct brSplitSurface
{
	brSplitShape shape;
	brNoiseSlice slice;
} brSplitSurface;

void brSplitSurface_Begin(brSplitSurface* surface, const brSplitShape* shape);

/// Two unit directions that make a right-handed frame with unit n.
void brSplitShape_SetNormal(brSplitShape* shape, brDVec3 n);

/// How far p is above the plane or outside of the ball; exact in sign, about right in size near the surface.
double brSplitSurface_Value(brSplitSurface* surface, brDVec3 p);

/// Plane coordinates of a point of the surface. [m]
brDVec2 brSplitShape_Project(const brSplitShape* shape, brDVec3 p);

/// The point of the surface that has these coordinates.
brDVec3 brSplitSurface_Lift(brSplitSurface* surface, brDVec2 q);

/// Where the line from p to q, on two sides of the surface, goes through it: share of the way, within 0 and 1.
double brSplitSurface_Crossing(brSplitSurface* surface, brDVec3 p, double atP, brDVec3 q, double atQ);
