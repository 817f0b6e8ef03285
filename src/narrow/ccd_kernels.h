// SPDX-License-Identifier: MIT
#pragma once

// The inner loops of continuous tests, two, four or eight pairs side by side, one set for each kind of vector the
// processor may have. All sets give the same bits. Nothing here allocates.

#include "brittle/math.h"

/// A vertex in both frames: one cache line. The fourth numbers are not used.
typedef struct brCcdRecord
{
	_Alignas(64) double start[4];
	double end[4];
} brCcdRecord;

/// What two moving features are: a vertex and the three of a face, or the two of one edge and the two of the other.
typedef enum brCcdKind
{
	br_ccdVertexFace = 0,
	br_ccdEdgeEdge = 1,
} brCcdKind;

/// Four records of a pair by index.
typedef struct brCcdItem
{
	int32_t corners[4];
} brCcdItem;

/// First contact of a pair.
typedef struct brCcdAnswer
{
	double time;   // no contact before it; above 1: none at all
	double spread; // no contact could be ruled out from `time` to `time + spread`
} brCcdAnswer;

typedef struct brCcdKernels
{
	/// Puts the items that are not certainly apart all the time to the front of `order`, which holds indices of
	/// `items`, in their order, and returns how many. The first sieve tries one direction, the second two more.
	int32_t (*sieve)(brCcdKind kind, int32_t sieve, const brCcdRecord* records, const brCcdItem* items, int32_t* order,
					 int32_t count, double separation);

	/// Answers for items order[0 ... count - 1], in that order.
	void (*solve)(brCcdKind kind, const brCcdRecord* records, const brCcdItem* items, const int32_t* order,
				  int32_t count, double separation, double tolerance, brCcdAnswer* outAnswers);
} brCcdKernels;

/// The set for 16 (AVX-512), 8 (AVX2) or 1 lanes of boxes as in brCollideDef, or the best one for 0; narrower if need
/// be.
const brCcdKernels* brGetCcdKernels(int32_t lanes);
