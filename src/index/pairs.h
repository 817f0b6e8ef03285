// SPDX-License-Identifier: MIT
#pragma once

// Candidate pairs by any method, through one door: sources of boxes in, overlapping pairs out.
//
// A search keeps its memory from run to run, so a loop over frames stops allocating after the first. Pairs come in an
// order that depends on the boxes and the method alone.

#include "brittle/collide.h"

#include "index/kdet_grid.h"
#include "index/pair_front.h"
#include "index/wide_bvh.h"

typedef struct brPairSearchDef
{
	brPairMethod method;
	int32_t lanes;     // as in brGetWideKernels
	bool enableSelf;   // pairs within a tree
	bool enableInter;  // pairs of different trees
	bool enableFilter; // triangles: leave out of the result what is certainly apart, by the rule
	brNeighborRule rule;
	brGridHash hash;      // kdet
	brPairFrontDef front; // front
	bool skipNeighbors;   // kdet: elements that share a corner count as candidates but are left out of the pairs
} brPairSearchDef;

typedef struct brPairSearch
{
	brAllocator allocator;
	brPairSearchDef def;
	// null, or for br_neighborsBeyond: vertices whose triangles do not meet beyond what they share
	const uint8_t* settled;
	brWideBvh trees[3]; // of the first source, of the second, and over the bounds of trees
	brKdetGrid grid;
	brLbvh lbvh;
	brPairFront front;
	brStageMemory jobs;        // PairJob
	brStageMemory spans;       // PairSpan
	brStageMemory blocks;      // PairBlock
	brStageMemory treeBoxes;   // brBox3 [treeCount]
	brStageMemory lists;       // int32_t, two lists a worker
	brPairBuffer* workerPairs; // [workerCount]
	int32_t workerCount;
	brPairBuffer treePairs;
	brPairBuffer pairs;     // the result
	int64_t candidateCount; // overlapping boxes; as many as pairs unless filtered
	brPairStages stages;
} brPairSearch;

void brPairSearch_Init(brPairSearch* search, const brAllocator* allocator, const brPairSearchDef* def);
void brPairSearch_Free(brPairSearch* search);

/// Pairs of one source of many trees: tree k is over elements [treeStarts[k], treeStarts[k + 1]), null `treeStarts` is
/// one tree. Smaller element first. The result is in search->pairs, valid until the next run.
brResult brPairSearch_Run(brPairSearch* search, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, brReport* report);

/// The same with names of trees, for methods that look back at the last run: see brPairFront_Run. `objects` may be
/// null.
brResult brPairSearch_RunObjects(brPairSearch* search, const brContext* context, const brBoxSource* source,
								 const int32_t* treeStarts, int32_t treeCount, const uint64_t* objects,
								 brReport* report);

/// Pairs of an element of `first` and an element of `second`, in that order.
brResult brPairSearch_RunBetween(brPairSearch* search, const brContext* context, const brBoxSource* first,
								 const brBoxSource* second, brReport* report);

/// Looks into one block, appends what it finds to `pairs` and returns how many boxes overlap.
typedef int64_t brCollectFcn(int32_t block, int32_t worker, brPairBuffer* pairs, void* user);

/// Pairs of all blocks in their order, in search->pairs; candidates are added to search->candidateCount. `room` is a
/// guess at the number of pairs.
brResult brCollectPairs(brPairSearch* search, brWorkers* workers, int32_t blockCount, int64_t room, brCollectFcn* find,
						void* user, brReport* report);

/// Pairs of trees with overlapping bounds, in search->treePairs; trees of nothing have none.
brResult brFindTreePairs(brPairSearch* search, const brTreeBox* bounds, const int32_t* treeStarts, int32_t treeCount,
						 brReport* report);

/// The same for the trees of search->lbvh; none unless pairs of different trees are asked for.
brResult brFindTreePairsLbvh(brPairSearch* search, brReport* report);

// Each method finds all pairs of `source`; `second` is null or the other side.

/// Every box against every other. n^2 / 2 tests.
brResult brFindPairsBrute(brPairSearch* search, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, const brBoxSource* second, brReport* report);

/// Binary implicit trees, all traversed at once level by level. Not for two sources.
brResult brFindPairsBsp(brPairSearch* search, const brContext* context, const brBoxSource* source,
						const int32_t* treeStarts, int32_t treeCount, brReport* report);

/// A hierarchical hashed grid. Not for two sources.
brResult brFindPairsKdet(brPairSearch* search, const brContext* context, const brBoxSource* source,
						 const int32_t* treeStarts, int32_t treeCount, brReport* report);

/// Radix trees, walked leaf by leaf without a stack. Not for two sources.
brResult brFindPairsLbvh(brPairSearch* search, const brContext* context, const brBoxSource* source,
						 const int32_t* treeStarts, int32_t treeCount, brReport* report);
