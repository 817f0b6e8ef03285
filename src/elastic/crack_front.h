// SPDX-License-Identifier: MIT
#pragma once

// Crack fronts as lines with frames.

#include "elastic/body.h"

/// A short piece of a front edge.
typedef struct brCrackFrontSample
{
	brDVec3 position; // its middle
	brDVec3 along;    // its length and direction
	brTetPoint place; // tet -1: outside the solid
} brCrackFrontSample;

/// All fronts of a crack.
typedef struct brCrackFront
{
	int32_t pointCount;
	brCrackFrontPoint*
		points; // chain by chain, in the direction of the front edges; a closed chain's first point is not repeated
	brTetPoint* places; // [pointCount] in the tets; tet -1: outside
	double* arcs;       // [pointCount] length along the chain up to each point [m]
	uint8_t* isAsked;   // [pointCount] it lies inside and has not ended at another crack, where there is no intensity
	double* releases;   // [pointCount] energy by the integral [J/m^2]
	double* coverage;   // [pointCount] share of the weight's hat that lies on the front, set by the integral
	int32_t chainCount;
	int32_t* chainStarts;   // [chainCount + 1] points
	double* chainLengths;   // [chainCount]
	uint8_t* chainIsClosed; // [chainCount]
	int32_t sampleCount;
	brCrackFrontSample* samples;
	int32_t* sampleStarts; // [chainCount + 1]
} brCrackFront;

/// Frames, edges and samples; intensities are zero. False without memory.
bool brCrackFront_Make(brCrackFront* front, const brElasticBody* body, int32_t crack);
void brCrackFront_Free(brCrackFront* front, const brAllocator* allocator);

/// Distance along a chain, the short way round if it is closed.
double brCrackFront_Distance(const brCrackFront* front, int32_t chain, double a, double b);

/// Cube root of a number above 0, to the last few bits, with the same bits everywhere.
double brCubeRoot(double x);
