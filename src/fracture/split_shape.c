// SPDX-License-Identifier: MIT

#include "fracture/split_shape.h"

#include <math.h>

#define SPLIT_STEPS 12         // of the search for a crossing
#define SPLIT_NEAR 2e-3        // share of a line that is near enough
#define SPLIT_ROUND 0.15       // of the length of bumps: how sharp a bend is
#define SPLIT_SHORT 0.1        // of the length of bumps
#define SPLIT_OCTAVES 3        // of bumps
#define SPLIT_POLE 1e-6        // directions nearer to the pole of the projection than this are held off it
#define SPLIT_OFF_LATTICE 0.37 // of the plane in the lattice of the noise
#define SPLIT_STEEPEST 0.5     // of height over length: what is steeper would fold

void brSplitShape_SetNormal(brSplitShape* shape, brDVec3 n)
{
	brDVec3 other = fabs(n.x) < 0.6 ? brMakeDVec3(1.0, 0.0, 0.0) : brMakeDVec3(0.0, 1.0, 0.0);
	shape->n = n;
	shape->u = brDNormalize(brDCross(other, n));
	shape->v = brDCross(n, shape->u);
}

void brSplitSurface_Begin(brSplitSurface* surface, const brSplitShape* shape)
{
	surface->shape = *shape;
	// Noise is nothing where coordinates are whole numbers.
	brNoiseSlice_Begin(&surface->slice, shape->seed, SPLIT_OFF_LATTICE, shape->gain > 0.0 ? SPLIT_OCTAVES : 1,
					   shape->gain > 0.0 ? shape->gain : 1.0);
}

static double splitHeight(const brSplitShape* shape, double noise)
{
	double height = fmin(shape->height, SPLIT_STEEPEST * shape->length);
	return height * fmin(fmax(noise, -BR_SPLIT_HIGHEST), BR_SPLIT_HIGHEST);
}

// Height of the bumps at a place of the plane.
static double splitBumps(brSplitSurface* surface, double x, double y)
{
	const brSplitShape* shape = &surface->shape;
	double scale = 1.0 / shape->length;
	if (shape->height == 0.0)
	{
		return 0.0;
	}
	return splitHeight(shape, brNoiseSlice_At(&surface->slice, 0.31 + scale * x, 0.57 + scale * y));
}

// The same on a ball.
static double splitBallBumps(const brSplitShape* shape, brDVec3 place)
{
	double scale = 1.0 / shape->length;
	int32_t octaves = shape->gain > 0.0 ? SPLIT_OCTAVES : 1;
	brDVec3 q = brDMulAdd(brMakeDVec3(0.31, 0.57, SPLIT_OFF_LATTICE), scale, place);
	return splitHeight(shape, brFractalNoise3(shape->seed, q, octaves, shape->gain > 0.0 ? shape->gain : 1.0));
}

// A hyperbola: straight on both sides of u = 0 and round there.
static double splitBend(const brSplitShape* shape, double a)
{
	double round = SPLIT_ROUND * shape->length;
	return shape->bend != 0.0 ? shape->bend * (sqrt(a * a + round * round) - round) : 0.0;
}

double brSplitSurface_Value(brSplitSurface* surface, brDVec3 p)
{
	const brSplitShape* shape = &surface->shape;
	brDVec3 d = brDSub(p, shape->origin);
	if (shape->radius > 0.0)
	{
		double distance = brDLength(d), above = distance - shape->radius;
		bool isNear = fabs(above) < BR_SPLIT_HIGHEST * shape->height && distance > 0.0;
		return isNear ? above - splitBallBumps(shape, brDMul(shape->radius / distance, d)) : above;
	}
	double a = brDDot(d, shape->u), above = brDDot(d, shape->n) - splitBend(shape, a);
	return fabs(above) < BR_SPLIT_HIGHEST * shape->height ? above - splitBumps(surface, a, brDDot(d, shape->v)) : above;
}

brDVec2 brSplitShape_Project(const brSplitShape* shape, brDVec3 p)
{
	brDVec3 d = brDSub(p, shape->origin);
	double scale = 1.0;
	if (shape->radius > 0.0)
	{
		d = brDNormalize(d);
		scale = shape->radius * sqrt(2.0 / fmax(1.0 + brDDot(d, shape->n), SPLIT_POLE));
	}
	return (brDVec2){scale * brDDot(d, shape->u), scale * brDDot(d, shape->v)};
}

brDVec3 brSplitSurface_Lift(brSplitSurface* surface, brDVec2 q)
{
	const brSplitShape* shape = &surface->shape;
	if (shape->radius > 0.0)
	{
		double x = q.x / shape->radius, y = q.y / shape->radius, s = fmin(x * x + y * y, 4.0);
		double across = sqrt(1.0 - 0.25 * s);
		brDVec3 d = brDMul(across * x, shape->u);
		d = brDMulAdd(brDMulAdd(d, across * y, shape->v), 1.0 - 0.5 * s, shape->n);
		return brDMulAdd(shape->origin, shape->radius + splitBallBumps(shape, brDMul(shape->radius, d)), d);
	}
	double above = splitBend(shape, q.x) + splitBumps(surface, q.x, q.y);
	return brDMulAdd(brDMulAdd(brDMulAdd(shape->origin, q.x, shape->u), q.y, shape->v), above, shape->n);
}

// Regula falsi with the Illinois rule: the end that stays twice counts half.
double brSplitSurface_Crossing(brSplitSurface* surface, brDVec3 p, double atP, brDVec3 q, double atQ)
{
	const brSplitShape* shape = &surface->shape;
	double low = 0.0, high = 1.0, atLow = atP, atHigh = atQ, t = 0.5;
	bool isRising = atLow < atHigh;
	// A short line sees a plane.
	bool isShort = brDDistance(p, q) < SPLIT_SHORT * (shape->radius > 0.0 ? shape->radius : shape->length);
	if ((isShort || shape->height == 0.0) && shape->bend == 0.0 && atLow != atHigh)
	{
		return fmin(fmax(atLow / (atLow - atHigh), 0.0), 1.0);
	}
	int32_t stayed = 0; // -1 the lower end, 1 the upper one, in the step before
	for (int32_t step = 0; step < SPLIT_STEPS && high - low > SPLIT_NEAR; ++step)
	{
		double rise = atHigh - atLow;
		t = rise != 0.0 ? low - atLow * (high - low) / rise : 0.5 * (low + high);
		t = t > low && t < high ? t : 0.5 * (low + high);
		double value = brSplitSurface_Value(surface, brDLerp(p, q, t));
		if (value == 0.0 || fmin(t - low, high - t) < 0.5 * SPLIT_NEAR)
		{
			break;
		}
		if ((value > 0.0) == isRising)
		{
			high = t, atHigh = value;
			atLow *= stayed < 0 ? 0.5 : 1.0;
			stayed = -1;
		}
		else
		{
			low = t, atLow = value;
			atHigh *= stayed > 0 ? 0.5 : 1.0;
			stayed = 1;
		}
	}
	return t;
}
