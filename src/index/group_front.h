// SPDX-License-Identifier: MIT
#pragma once

// A front on the wide implicit tree: which groups of sixteen are near each other, and which of their pairs can change
// soon.
//
// Two levels of temporal coherence, each with the coarsest test that decides it:
//
//   groups    Pairs of groups whose boxes, grown by a margin, overlap. Found again, by a search over groups as if they were
//             primitives, when a group has moved by more than the margin.
//   pairs     Of two near groups every pair that overlaps or is less than a margin apart, with its slack: the depth of the
//             overlap or the width of the gap. How far any face of a box of a group has gone up and down each axis in a frame
//             bounds, for two groups together, how far pairs of the two have moved *relative to each other*: what moves together
//             costs nothing. An odometer adds this up. A pair is looked at when it has advanced by the pair's slack; the two
//             groups are searched again, 16 by 16, when it has passed the margin.
//
// Elements that share a corner overlap for ever: such pairs are settled once and never looked at. The result is a list
// with pairs taken out and put in where they change; its order follows from the frames, not from the workers.
//
// All is exact: boxes are compared as they are, rounding only makes a pair due early. The tree is never rebuilt while
// it serves, only refitted; as groups spread there are more near pairs of them, and then order and tree are made anew.

#include "index/pairs.h"

/// What a frame did.
typedef struct brGroupStats
{
	int64_t groupPairs; // near each other
	int64_t listed;     // pairs with a slack
	int64_t settled;
	int64_t looked;   // pairs of groups of which some are due
	int64_t due;      // pairs looked at
	int64_t searched; // pairs of groups searched
	int64_t changed;  // pairs that began or ended
	bool isRefreshed; // groups were paired anew
	bool isSorted;    // tree and order were made anew
	int64_t bytes;
} brGroupStats;

/// Two groups near each other.
typedef struct brGroupPair
{
	int32_t a, b;         // groups, a <= b
	float odometer;       // how far pairs of the two may have moved relative to each other since they were searched,
						  // as of the last time that something was done
	float margin;         // what is listed: pairs at most this far apart; -1: not searched yet
	float due;            // least slack
	int32_t first, count; // its pairs in the lists
	int32_t born;         // frame of the search
	int32_t mask;         // which of its pairs are settled: rows of sixteen bits, -1: none, -2: not known yet
	int32_t changed;      // pairs that changed in this frame, until they are entered
} brGroupPair;

/// What is read of it in every frame.
typedef struct brGroupGuard
{
	int32_t a, b;
	float odometer;
	float limit; // where something is to be done: the less of due and margin
} brGroupGuard;

/// How far faces of boxes in a group have gone up at most (0 to 2) and down at most (4 to 6) in a frame; -1 down is 1
/// up.
typedef struct brGroupStep
{
	_Alignas(32) float reach[8];
} brGroupStep;

/// Where a group is.
typedef struct brGroupPlace
{
	int32_t group; // among all groups of the tree's buffer
	int32_t tree;
	int32_t leaf; // first of sixteen in ids
} brGroupPlace;

typedef struct brGroupKernels brGroupKernels;

typedef struct brGroupFront
{
	brAllocator allocator;
	bool isOn; // there is a front
	bool isSettled;
	int32_t frame, sortedFrame;
	int32_t groupCount;
	int32_t cornersEach;
	double size;        // mean side of a box
	double groupMargin; // groups are grown by it
	double speed;       // largest motion of a group in the last frame

	int64_t firstGroupPairs; // just after sorting
	brWideBvh bvh;
	brPairSearch search;   // over groups
	brStageMemory before;  // brLaneBoxes: the groups of the frame before
	brStageMemory places;  // brGroupPlace [groupCount]
	brStageMemory steps;   // brGroupStep [groupCount]
	brStageMemory margins; // float [groupCount] by which groups were grown when they were paired
	brStageMemory masks;   // uint16_t [16] for pairs of groups with settled pairs
	int64_t maskCount;
	brStageMemory moved;      // float [groupCount] since groups were paired
	brStageMemory speeds;     // float [groupCount] in this frame
	brStageMemory boxes;      // brTreeBox [groupCount] around each group
	brStageMemory grownBoxes; // brBox3 [groupCount] for pairing groups
	brStageMemory chunks;     // brGroupChunk
	int32_t chunkCount;
	// int32_t [3 * 16 * groupCount] corners in the order of leaves, if elements are triangles
	brStageMemory leafCorners;
	brStageMemory groupTrees; // int32_t [treeCount + 1]
	brStageMemory corners;    // int32_t: those of the beginning
	brStageMemory pairs[2];   // brGroupPair, sorted by a, b; and room for the next
	brStageMemory guards[2];  // brGroupGuard, in the same order
	int64_t pairCount;
	brStageMemory keys[2]; // uint64_t: pairs of groups while they are sorted
	brStageMemory todo;    // int32_t: pairs of groups to search
	brStageMemory blocks;  // GroupBlock
	brStageMemory changes; // int32_t: pairs that changed, block by block
	brStageMemory codes;   // uint8_t [capacity] 16 row + lane of each listed pair
	brStageMemory slacks;  // float
	brStageMemory slots;   // int32_t: place in the result behind the settled ones, -1 if apart
	int64_t listUsed, listLive, listCapacity;
	brStageMemory owners; // int32_t: listed pair of each place behind the settled ones
	int64_t ownerCapacity;
	brPairBuffer* found; // [workerCount] of searches: code and slack
	int32_t workerCount;
	int64_t settledCount;
	brPairBuffer result; // settled pairs, then the others that overlap
	brGroupStats stats;
} brGroupFront;

void brGroupFront_Init(brGroupFront* front, const brAllocator* allocator, const brPairSearchDef* def);
void brGroupFront_Free(brGroupFront* front);

/// Forgets the front: the next frame makes one.
void brGroupFront_Reset(brGroupFront* front);

/// One frame; pairs in front->result, valid until the next and not to be written. The trees must be those of the frame
/// before, or the front reset. If corners have changed it begins again by itself.
brResult brGroupFront_Run(brGroupFront* front, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, brReport* report);

// The parts of a frame

/// A stretch of groups of one tree, moved in one go.
typedef struct brGroupChunk
{
	int32_t first, groupCount;
	int32_t elementCount;
} brGroupChunk;

#define BR_GROUP_CHUNK 64

/// The least that groups and pairs of them are grown by, over the mean size of a box.
#define BR_GROUP_MIN_MARGIN 0.02

/// Where all groups of a new tree are. False without memory.
bool brGroupFront_Place(brGroupFront* front);

/// Finds out which groups are near each other now.
brResult brGroupFront_Pair(brGroupFront* front, const brContext* context, brReport* report);

/// What the steps of a frame share.
typedef struct brGroupRun
{
	brGroupFront* front;
	const brLaneBoxes* groups;
	const brLaneBoxes* before;
	const brGroupPlace* places;
	const uint32_t* ids;
	const int32_t* corners; // null: nothing is settled
	const brGroupKernels* kernels;
	bool isDirect;  // boxes are made in the order of leaves
	bool isSorting; // there is no frame before
	int32_t todoCount;
	int32_t* found; // [todoCount] how many pairs each search found
} brGroupRun;

/// Looks at the pairs that are due and searches the pairs of groups that have moved too far. False without memory.
bool brGroupFront_Look(brGroupFront* front, brWorkers* workers, brGroupRun* run);

/// Closes the gaps that forgotten pairs have left. Without memory they stay.
void brGroupFront_Compact(brGroupFront* front);

void brGroupFront_FreeFound(brGroupFront* front);

/// Takes the pairs of two groups out of the result.
void brGroupFront_Forget(brGroupFront* front, brGroupPair* pair);

// Inner loops

/// Of one set of vector instructions.
struct brGroupKernels
{
	/// How far the faces of the sixteen boxes have gone; returns the farthest.
	float (*advance)(const brLaneBoxes* now, const brLaneBoxes* before, brGroupStep* outStep);

	/// Gaps of lane `lane` of one group to the sixteen of another, at most 0 if they overlap; returns which are at most
	/// `margin`.
	uint32_t (*gaps)(const brLaneBoxes* box, int32_t lane, const brLaneBoxes* others, float margin,
					 float outGaps[BR_WIDE_ARITY]);
};

/// `lanes` as in brGetWideKernels.
const brGroupKernels* brGetGroupKernels(int32_t lanes);

/// The bound on relative motion of pairs of two groups in a frame, not below 0.
float brGroupFront_Bound(const brGroupStep* a, const brGroupStep* b);
