// SPDX-License-Identifier: MIT
#pragma once

// What cutting a face into triangles asks of its corners: their plane, their order, and what rounding may have done to
// them.

#include "brittle/mesh.h"

static inline int brComparePlaces(brDVec3 a, brDVec3 b)
{
	if (a.x != b.x)
	{
		return a.x < b.x ? -1 : 1;
	}
	if (a.y != b.y)
	{
		return a.y < b.y ? -1 : 1;
	}
	return a.z != b.z ? (a.z < b.z ? -1 : 1) : 0;
}

// The plane that the largest part of a normal leaves, z before y before x when parts are equal. It may mirror; outlines
// are turned to the left when their orientation is known.
static inline brDVec2 brFlatten(brDVec3 point, brDVec3 normal)
{
	double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
	if (z >= x && z >= y)
	{
		return (brDVec2){point.x, point.y};
	}
	return y >= x ? (brDVec2){point.z, point.x} : (brDVec2){point.y, point.z};
}

static inline double brLargerOf(double a, double b)
{
	return a > b ? a : b;
}

static inline double brLargestCoordinate(const brMesh* mesh, const int32_t* corners, int32_t count)
{
	double largest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = mesh->positions[corners[i]];
		largest = brLargerOf(largest, brLargerOf(fabs(p.x), brLargerOf(fabs(p.y), fabs(p.z))));
	}
	return largest;
}

// A power of two that brings the face into the range where the products in its normal neither overflow nor vanish. 1
// for every face of ordinary size.
static inline double brFaceScale(const brMesh* mesh, const int32_t* corners, int32_t count)
{
	double largest = brLargestCoordinate(mesh, corners, count);
	if (largest == 0.0 || (largest > 0x1p-300 && largest < 0x1p300))
	{
		return 1.0;
	}
	int exponent = 0;
	frexp(largest, &exponent);
	return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

// Triangles this much flatter than long are taken only if nothing else is left: where corners lie in a row, rounding may
// have put a middle one on the wrong side of the line, and a triangle of the three would lie upside down.
#define BR_FACE_THIN 1e-7

// A height that rounding may have made, as a share of the largest coordinate of the face: the rounding of floats for a
// face whose corners are floats, else of doubles.
#define EAR_GRAIN_FLOAT 2e-7
#define EAR_GRAIN_DOUBLE 4e-16

static inline double brFaceGrain(const brMesh* mesh, const int32_t* corners, int32_t count)
{
	bool areFloats = true;
	for (int32_t k = 0; k < count; ++k)
	{
		brDVec3 p = mesh->positions[corners[k]], f = brToDVec3(brToVec3(p));
		areFloats = areFloats && p.x == f.x && p.y == f.y && p.z == f.z;
	}
	return brLargestCoordinate(mesh, corners, count) * (areFloats ? EAR_GRAIN_FLOAT : EAR_GRAIN_DOUBLE);
}

// Whether the height of a triangle is next to nothing: a share of its length, or less than rounding makes. The same
// bits for all orders of its corners.
static inline bool brIsThin(brDVec2 a, brDVec2 b, brDVec2 c, double share, double grain)
{
	brDVec2 p[3] = {a, b, c};
	for (int k = 0; k < 3; ++k)
	{
		int low = k < 2 ? k : 0;
		bool isAfter = p[low].x > p[low + 1].x || (p[low].x == p[low + 1].x && p[low].y > p[low + 1].y);
		brDVec2 swap = p[low];
		p[low] = isAfter ? p[low + 1] : p[low];
		p[low + 1] = isAfter ? swap : p[low + 1];
	}
	brDVec2 u = {p[1].x - p[0].x, p[1].y - p[0].y}, v = {p[2].x - p[0].x, p[2].y - p[0].y};
	brDVec2 w = {p[2].x - p[1].x, p[2].y - p[1].y};
	double longestSq = brLargerOf(u.x * u.x + u.y * u.y, brLargerOf(v.x * v.x + v.y * v.y, w.x * w.x + w.y * w.y));
	double least = brLargerOf(share * longestSq, grain * sqrt(longestSq));
	return !(fabs(u.x * v.y - u.y * v.x) > least);
}
