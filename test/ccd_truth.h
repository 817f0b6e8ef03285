// SPDX-License-Identifier: MIT
#pragma once

// The public ground truth of continuous collisions (shared/data/ccd): pairs of features, whether they meet, and when.

#include "brittle/mesh.h"

typedef struct brCcdTruth
{
	brMesh* frames[2];
	int32_t count;
	int32_t (*corners)[4]; // [count] vertex and face, or two edges
	int32_t (*ids)[2];     // [count] vertex and triangle, or two edges, smaller first; edges as in brSweptPairs
	bool* meets;           // [count]
	double* times;         // [count] first root in [0, 1] of pairs that meet; -1: not given
	int32_t timeCount;
} brCcdTruth;

/// `kind` is "vf" or "ee", `step` the number in the file names. Skips the test if the data is not there.
brCcdTruth brCcdTruth_Load(const char* scene, const char* frame, const char* next, int32_t step, const char* kind);
void brCcdTruth_Free(brCcdTruth* truth);

/// Corners of pair i at the start and the end.
void brCcdTruth_Corners(const brCcdTruth* truth, int32_t i, brDVec3 outStart[4], brDVec3 outEnd[4]);
