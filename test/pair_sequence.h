// SPDX-License-Identifier: MIT
#pragma once

// Boxes in motion for tests of methods that look back at the last frame: gentle, wild and hostile, in objects that
// come, go and break.

#include "base/random.h"
#include "brittle/collide.h"

enum
{
	sequenceMostBoxes = 420,
	sequenceMostObjects = 14,
	sequenceKinds = 8,
};

typedef struct PairSequence
{
	brRandom random;
	// 0 gentle, 1 waves, 2 jumps, 3 teleports, 4 flips, 5 collapses to a point, 6 noise, 7 a grid that touches
	uint32_t kind;
	int32_t frame;
	int32_t count;
	int32_t objectCount;
	bool breaks; // objects are renamed, split and dropped now and then
	int32_t starts[sequenceMostObjects + 1];
	uint64_t names[sequenceMostObjects];
	uint64_t nextName;
	brVec3 centers[sequenceMostBoxes];
	brVec3 speeds[sequenceMostBoxes];
	brVec3 sizes[sequenceMostBoxes];
	brBox3 boxes[sequenceMostBoxes];
} PairSequence;

void pairSequence_Begin(PairSequence* sequence, brRandom random, uint32_t kind, int32_t count, int32_t objectCount,
						bool breaks);
void pairSequence_Next(PairSequence* sequence);

/// All pairs of the present frame by testing all, sorted; returns their number.
int64_t pairSequence_Brute(const PairSequence* sequence, bool self, bool inter, brPair* outPairs);

/// For qsort: by a, then b.
int brTest_ComparePairs(const void* left, const void* right);
