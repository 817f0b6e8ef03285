// SPDX-License-Identifier: MIT
#pragma once

// Pairs frame after frame by whatever is cheaper: trees built anew, or a front on groups.
//
// Which one is decided from counts and from how fast boxes move compared with their size, never from a clock: the same
// frames give the same decisions, and so pairs in the same order, on every machine. The set of pairs does not depend on
// it.
//
// A front is tried when boxes move by a small part of their size in a frame, and now and then anyway. Its frames are
// charged what they did by the figures of tracker_costs.h; when their running mean is above what rebuilds would cost,
// the front is dropped and not tried again for a while, twice as long each time it fails.

#include "index/group_front.h"

typedef enum brTrackerMode
{
	br_trackerAuto,
	br_trackerRebuild, // trees in every frame
	br_trackerFront,   // the front in every frame
} brTrackerMode;

/// What a frame did.
typedef struct brTrackerStats
{
	bool isFront;
	double speed;       // largest motion in the last frame, over mean size
	double costFront;   // estimated, running mean. [ns]
	double costRebuild; // estimated. [ns]
	brGroupStats front;
} brTrackerStats;

typedef struct brPairTracker
{
	brAllocator allocator;
	brTrackerMode mode;
	brPairSearch search;
	brGroupFront front;
	brStageMemory names;      // uint64_t [treeCount] of the last frame
	brStageMemory treeStarts; // int32_t [treeCount + 1] of the last frame
	brStageMemory samples;    // brTreeBox: some boxes of the last frame without a front
	int32_t treeCount;        // of the last frame, -1 at first
	bool isFront;
	bool hasSamples;
	int32_t limit;      // pairs of a front for each primitive
	int32_t pause;      // frames until a front may be tried
	int32_t patience;   // how long the next pause is
	int32_t age;        // frames of the front
	int32_t sinceFront; // frames without one
	int32_t failures;   // fronts that did not pay, in a row
	double meanCost;
	const brPair* pairs; // of the last frame, not to be written, valid until the next
	int64_t pairCount;
	brTrackerStats stats;
} brPairTracker;

/// Pairs of a front for each primitive. A listed pair takes 33 bytes with its place in the result, so 106 MB for
/// 100,000 primitives; beyond that there is no front.
#define BR_TRACKER_LIMIT 32

void brPairTracker_Init(brPairTracker* tracker, const brAllocator* allocator, const brPairSearchDef* def,
						brTrackerMode mode);
void brPairTracker_Free(brPairTracker* tracker);

/// One frame; trees and `objects` as in brPairSearch_RunObjects. When other objects come the front begins again.
brResult brPairTracker_Run(brPairTracker* tracker, const brContext* context, const brBoxSource* source,
						   const int32_t* treeStarts, int32_t treeCount, const uint64_t* objects, brReport* report);

/// Remembers the names of trees for the next frame; null `objects` are named by number. False without memory.
static inline bool brKeepNames(brStageMemory* names, const brAllocator* allocator, int32_t treeCount,
							   const uint64_t* objects)
{
	if (!brStageMemory_Ensure(names, allocator, treeCount, sizeof(uint64_t)))
	{
		return false;
	}
	for (int32_t tree = 0; tree < treeCount; ++tree)
	{
		((uint64_t*)names->data)[tree] = objects != NULL ? objects[tree] : (uint64_t)tree;
	}
	return true;
}
