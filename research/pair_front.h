// SPDX-License-Identifier: MIT
#pragma once

// Fronts: where the walks through linear BVHs stopped in the last frame, so that the next one starts there.
//
// The front of a leaf is a set of nodes none of which is above another and which cover every leaf it may pair with
// exactly once: the later leaves of its own tree, and all leaves of a tree whose bounds overlap its own. An entry is
// (leaf, place of a node). Entries at leaves are the external front, others the internal one. Both are kept in the
// order of places, by counting (Wang et al. 2018, 3.3); what lay apart last time comes first within a place, what
// overlapped comes last, so that the two ways a test can go seldom alternate. The running sums of the counts are the
// logs from which the quality of any subtree follows by four look-ups (formula 1): entries above leaves for each entry
// at a leaf.
//
//   generate  build trees, walk, write the front                 preserve  test the front, walk below what overlaps, write nothing
//   update    what overlaps sprouts, what is apart is pruned     balance   preserve, and order anew by how the tests went
//
// Pairs never depend on which of these runs when. Errata against the paper: a pruned entry climbs while its father does
// not overlap; few bad nodes mean refit, some mean restructuring, many mean a rebuild.
//
// Memory is bounded: the front has at most `limit` entries. If it would have more, it is not written below nodes of up
// to `grain` leaves, and grain doubles until it fits; what is below such a deferred entry is walked in each frame. If
// even that does not fit there is no front, and every frame walks from the roots.

#include "index/pairs.h"
#include "research/lbvh.h"

/// How trees and fronts are kept from frame to frame (Wang et al. 2018, 5.2).
typedef enum brPairFrontStrategy
{
	br_frontUnordered = 0,   // built once, then refitted; entries stay in the order in which they were written
	br_frontStatic = 1,      // the same, ordered
	br_frontPeriodic = 2,    // every second update is a generation
	br_frontRestructure = 3, // subtrees that have become bad are built anew, everything if these are many
	br_frontReference = 4,   // a generation in every frame
} brPairFrontStrategy;

typedef enum brPairFrontOperation
{
	br_frontGenerate,
	br_frontPreserve,
	br_frontBalance,
	br_frontUpdate,
	br_frontWalk, // no front
} brPairFrontOperation;

typedef struct brPairFrontDef
{
	brPairFrontStrategy strategy;
	int32_t cycle;   // frames from update to update; 0: when what an update would save has been wasted
	int32_t perLeaf; // entries a primitive, on average; 0: BR_FRONT_PER_LEAF
	int32_t grain;   // to begin with; 0: BR_FRONT_GRAIN
	bool isTimed;    // sort by radix too, for comparison
} brPairFrontDef;

/// Entries a primitive: the least that holds the public scenes without deferring much. 20 bytes an entry while it is
/// made, so 96 MB for 100,000 primitives.
#define BR_FRONT_PER_LEAF 48
#define BR_FRONT_GRAIN 1

/// What a frame did.
typedef struct brPairFrontStats
{
	brPairFrontOperation operation;
	int64_t internalCount, externalCount;
	int64_t tests;        // entries tested
	int64_t walked;       // nodes looked at below the front
	int32_t grain;        // leaves below a deferred entry
	int32_t restructured; // leaves in subtrees built anew
	int32_t droppedTrees; // that were gone or had changed
	double quality;       // formula 1 of the whole scene
	double orderSeconds;
	double radixSeconds; // the same order by a radix sort; only if timed
	int64_t bytes;       // held by fronts, trees not counted
} brPairFrontStats;

typedef struct brPairFront
{
	brAllocator allocator;
	brPairFrontDef def;
	brLbvh bvh;
	bool hasFront;
	bool isOverLimit;    // not even the coarsest fits
	int32_t framesToTry; // until that is tried again
	int32_t grain;
	int32_t sinceUpdate;    // frames
	int32_t updates;        // since the last generation
	int64_t wasted;         // nodes walked below the front since the last update
	brPairBuffer fronts[2]; // internal, external: (leaf, place)
	brPairBuffer* lists;    // [2 * workerCount] what blocks have written
	int32_t workerCount;
	brStageMemory blocks;   // FrontBlock
	brStageMemory logs[3];  // int32_t [nodeCount + 1]: running sums of entries, internal and external, and of pairs
	brStageMemory fills;    // int32_t [2 * nodeCount] next places while ordering
	brStageMemory probes;   // brLbvhProbe [leaves]
	brStageMemory spans;    // FrontSpan
	brStageMemory baseline; // float [nodeCount] burden of subtrees when they were new; 0: not known yet
	brStageMemory renamed;  // int32_t [leaves] during restructuring: new leaf of each
	brStageMemory badTrees; // int32_t: places of subtrees to restructure
	brStageMemory objects;  // uint64_t [treeCount] names of the trees of the last frame
	brPairBuffer active;    // pairs of trees that have a front, a <= b, sorted
	brPairBuffer fresh;     // those that need one in this frame
	brPairFrontStats stats;
} brPairFront;

/// `lanes` as in brGetWideKernels.
void brPairFront_Init(brPairFront* front, const brAllocator* allocator, const brPairFrontDef* def, int32_t lanes);
void brPairFront_Free(brPairFront* front);

/// Forgets everything but the memory: the next frame generates.
void brPairFront_Reset(brPairFront* front);

// The parts of a frame

/// Orders what the blocks have written; `isOrdered` false appends it as it is. Replaces the fronts unless `isTail`,
/// which puts it behind them unordered. False without memory.
bool brPairFront_Order(brPairFront* front, brWorkers* workers, const brLbvh* bvh, int32_t blockCount, bool isOrdered,
					   bool isTail);

/// What decides here: entries for each pair and leaf of the subtree. External entries are not pairs: they swell
/// together with the internal ones when a tree gets worse, and formula 1 hardly moves.
static inline double brPairFront_Burden(const brPairFront* front, const brLbvhNode* nodes, int32_t place)
{
	const int32_t *internal = front->logs[0].data, *external = front->logs[1].data, *pairs = front->logs[2].data;
	int32_t end = nodes[place].escape;
	double entries = (double)(internal[end] - internal[place]) + (double)(external[end] - external[place]);
	return entries / (pairs[end] - pairs[place] + brLbvh_LeafCount(nodes, place));
}

/// After an update: the subtrees that have become bad, to front->badTrees. Returns how many, -1 without
/// memory; leaves in them to `outLeaves`. Remembers the quality of those that are new.
int32_t brPairFront_Inspect(brPairFront* front, const brLbvh* bvh, int64_t* outLeaves);

/// Builds those subtrees anew. Entries that have become invalid are replaced by coarser ones, from which the update
/// that follows goes down again. False without memory; the front is then gone and must be generated.
bool brPairFront_Restructure(brPairFront* front, brLbvh* bvh, int32_t badCount);

/// Which trees are those of the last frame. Their nodes and entries are kept, whatever their new numbers; trees that
/// are gone or have changed are dropped with their entries, and new ones are built. False if less than half of the
/// primitives would be kept, or on failure: the front must be generated.
bool brPairFront_Match(brPairFront* front, int32_t lanes, const brPairRun* run, brResult* outResult, brReport* report);

/// Sorts pairs of trees.
void brPairFront_SortPairs(brPair* pairs, int64_t count);

/// What one block has written.
typedef struct brPairFrontBlock
{
	int32_t worker;
	int64_t from[2];  // in the worker's lists
	int64_t count[2]; // internal, external
	int64_t tests, walked;
} brPairFrontBlock;

/// An entry that overlapped, while it is in a list.
#define BR_FRONT_MARK 0x40000000
