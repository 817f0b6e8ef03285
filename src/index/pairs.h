// SPDX-License-Identifier: MIT
#pragma once

// Candidate pairs through one door: sources of boxes in, overlapping pairs out. Wide trees and the test of every pair
// are here; other ways are engines that make their state when they are first asked, so a search carries none that it
// does not use.
//
// A search keeps its memory from run to run, so a loop over frames stops allocating after the first. Pairs come in an
// order that depends on the boxes and the method alone.

#include "brittle/track.h"

#include "index/wide_bvh.h"

typedef struct brPairSearchDef
{
	brPairMethod method;
	int32_t lanes;     // as in brGetWideKernels
	bool enableSelf;   // pairs within a tree
	bool enableInter;  // pairs of different trees
	bool enableFilter; // triangles: leave out of the result what is certainly apart, by the rule
	brNeighborRule rule;
	bool skipNeighbors;         // kdet: elements that share a corner count as candidates but are left out of the pairs
	const brPairEngine* engine; // or null: `method`
	int32_t cycle,
		perLeaf;           // engines that look back: frames from update to update, entries a primitive; 0: their choice
	const void* engineDef; // what else an engine wants to know, or null
} brPairSearchDef;

typedef struct brPairSearch brPairSearch;

/// One source of many trees, as for brPairSearch_RunObjects.
typedef struct brPairRun
{
	const brContext* context;
	const brBoxSource* source;
	const int32_t* treeStarts;
	int32_t treeCount;
	const uint64_t* objects; // or null
} brPairRun;

/// What a device runs.
typedef enum brDeviceMethod
{
	br_deviceNone = -1,
	br_deviceOi,
	br_deviceKdet,
	br_deviceFront,  // br_deviceOi that looks back at the last frame
	br_deviceBrute,  // every pair
	br_deviceEngine, // brPairEngine.gpu
} brDeviceMethod;

/// How trees are traversed level by level (Chitalu 2020, 2.6); 0 means the default, in all of them.
typedef struct brBspSettings
{
	int32_t entry;     // level of the first front, from 1: one less is meant
	int32_t depthStep; // levels gone down at a time, mu of the thesis
	int32_t groupSize; // threads of a group on a device
	int32_t queue;     // pairs in local memory of a device, capacityQ
} brBspSettings;

/// How the layered grid is made and searched; 0 means the default, in all of them.
typedef struct brKdetSettings
{
	uint32_t hash;     // as in grid_key.h
	int32_t layers;    // sizes of cells at most, up to BR_GRID_LAYERS - 3; 1: a uniform grid
	int32_t pairsEach; // pairs an element that the list has room for at first: k of k-free
	int32_t groupSize; // threads of a group on a device
} brKdetSettings;

typedef struct brGpuEngine brGpuEngine; // gpu/gpu_pairs.h

/// Another way to find the pairs of one source.
struct brPairEngine
{
	brPairMethod method; // without `find`: this one
	brDeviceMethod device;
	const brGpuEngine* gpu; // of br_deviceEngine; null in builds without devices
	int32_t variant;        // the engine's own
	brBspSettings bsp;      // the same
	brKdetSettings kdet;    // of br_pairsKdet and br_deviceKdet
	size_t stateBytes;
	void (*init)(void* state, const brPairSearch* search); // of zeros
	void (*free)(void* state);
	brResult (*find)(void* state, brPairSearch* search, const brPairRun* run, brReport* report);
	void (*getStats)(const void* state, brTrackStats* outStats); // null: it does not look back
};

struct brPairSearch
{
	brAllocator allocator;
	brPairSearchDef def;
	// null, or for br_neighborsBeyond: vertices whose triangles do not meet beyond what they share
	const uint8_t* settled;
	brWideBvh trees[3];         // of the first source, of the second, and over the bounds of trees
	const brPairEngine* engine; // of `state`, or null
	void* state;
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
};

void brPairSearch_Init(brPairSearch* search, const brAllocator* allocator, const brPairSearchDef* def);
void brPairSearch_Free(brPairSearch* search);

/// Pairs of one source of many trees: tree k is over elements [treeStarts[k], treeStarts[k + 1]), null `treeStarts` is
/// one tree. Smaller element first. The result is in search->pairs, valid until the next run.
brResult brPairSearch_Run(brPairSearch* search, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, brReport* report);

/// The same with names of trees, for engines that look back at the last run. `objects` [treeCount] are names, or null:
/// each tree is named by its number. A tree with the name and the number of elements of one in the last run is the same
/// tree in motion: element k is element k of then. Others are new.
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

// Each method finds all pairs of `source`; `second` is null or the other side.

/// Every box against every other. n^2 / 2 tests.
brResult brFindPairsBrute(brPairSearch* search, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, const brBoxSource* second, brReport* report);

/// A hierarchical hashed grid. Not for two sources.
extern const brPairEngine brKdetEngine;
