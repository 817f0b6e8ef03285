// SPDX-License-Identifier: MIT
#pragma once

// The polytope that grows until it tells a depth, and the rim of the hole where it grows; tet_epa_lanes.h has the rest.
// Compiles as OpenCL C too.

#include "index/wide_kernels.h"
#include "narrow/tet_measure.h"

#include <string.h>

enum
{
	epaPoints = 16,
	epaMostSteps = 64,
	epaMostFaces = 128,
	epaRoom = epaMostFaces + 8, // a register behind the last face may be written
	epaRimRoom = 3 * epaMostFaces + 8,
};

#define EPA_GAIN 0x1p-44  // less is no progress, points being of size 1
#define EPA_CLEAR 0x1p-20 // deeper than this the origin is inside beyond all doubt

// The hull of some of the points a_i - b_j, brought to size 1 by a power of two, so that nothing depends on the unit.
typedef struct EpaHull
{
	_Alignas(64) double points[3][epaPoints];
	double normals[3][epaRoom]; // of faces: outward, of length 1
	double offsets[epaRoom]; // of their planes: how far inside the origin is; infinite behind the last, for a register
	uint8_t corners[3][epaRoom];
	int32_t count;
	brDVec3 inside;
	double scale; // by which points were multiplied
} EpaHull;

// Edges of the hole that is left where faces were taken away, in the order in which they were met.
typedef struct EpaRim
{
	uint8_t from[epaRimRoom], to[epaRimRoom];
	int32_t count;
	uint16_t where[epaPoints * epaPoints]; // of the edge between two points, from 1; 0: not there
	bool hasTwins;                         // some edge is there twice, by rounding: `where` knows one of them
} EpaRim;

static inline brDVec3 epaPoint(const EpaHull* hull, int i)
{
	return brMakeDVec3(hull->points[0][i], hull->points[1][i], hull->points[2][i]);
}

// The power of two that brings a size to [1/2, 1).
static inline double epaScale(double size)
{
	uint64_t bits;
	memcpy(&bits, &size, sizeof(bits));
	uint64_t field = bits >> 52;
	if (field >= 1 && field <= 2044)
	{
		double scale;
		bits = (2045 - field) << 52;
		memcpy(&scale, &bits, sizeof(scale));
		return scale;
	}
	int exponent = 0;
	frexp(size, &exponent);
	return size > 0.0 ? ldexp(1.0, -exponent) : 1.0;
}

static inline int32_t rimFind(const EpaRim* rim, int from, int to)
{
	if (!rim->hasTwins)
	{
		return rim->where[epaPoints * from + to] - 1;
	}
	int32_t at = 0;
	while (at < rim->count && !(rim->from[at] == from && rim->to[at] == to))
	{
		at += 1;
	}
	return at < rim->count ? at : -1;
}

// Takes an edge of a face; one that is met from both sides is not on the rim.
static inline void rimTake(EpaRim* rim, int from, int to)
{
	int32_t at = rimFind(rim, to, from);
	if (at >= 0)
	{
		rim->count -= 1;
		uint8_t lastFrom = rim->from[rim->count], lastTo = rim->to[rim->count];
		rim->from[at] = lastFrom, rim->to[at] = lastTo;
		rim->where[epaPoints * lastFrom + lastTo] = (uint16_t)(at + 1);
		rim->where[epaPoints * to + from] = 0; // which may be the last itself
		return;
	}
	uint16_t* where = &rim->where[epaPoints * from + to];
	rim->hasTwins = rim->hasTwins || *where != 0;
	rim->from[rim->count] = (uint8_t)from, rim->to[rim->count] = (uint8_t)to;
	rim->count += 1;
	*where = (uint16_t)rim->count;
}

static inline void rimClear(EpaRim* rim)
{
	for (int32_t i = 0; i < rim->count; ++i)
	{
		rim->where[epaPoints * rim->from[i] + rim->to[i]] = 0;
	}
	if (rim->hasTwins)
	{
		memset(rim->where, 0, sizeof(rim->where));
	}
	rim->count = 0, rim->hasTwins = false;
}

static inline void epaMoveFace(EpaHull* hull, int32_t from, int32_t to)
{
	BR_UNROLL
	for (int k = 0; k < 3; ++k)
	{
		hull->normals[k][to] = hull->normals[k][from];
		hull->corners[k][to] = hull->corners[k][from];
	}
	hull->offsets[to] = hull->offsets[from];
}
