// SPDX-License-Identifier: MIT
#pragma once

// All pairs of tetrahedra that meet: candidates from grid or trees, then the wide test, then doubles and exact signs
// for what is left.

#include "index/pairs.h"

typedef struct brTetSearch
{
	brPairSearch search;
	brTetTest test;
	bool keepNeighbors;         // else tets that share a corner are left out
	brStageMemory records;      // brTetRecord per tet
	brStageMemory kept;         // int64_t per block
	brStageMemory penetrations; // brPenetration per pair, by tests that measure
	int64_t tested;             // pairs that were not neighbors
} brTetSearch;

void brTetSearch_Init(brTetSearch* search, const brAllocator* allocator, const brPairSearchDef* def, brTetTest test,
					  bool keepNeighbors);
void brTetSearch_Free(brTetSearch* search);

static inline bool brTetTest_Measures(brTetTest test)
{
	return test == br_tetSatMtv || test == br_tetGjk;
}

/// Pairs of tets of `source` (four corners each) that meet, in search->search.pairs; search->search.candidateCount
/// counts overlapping boxes. Trees as in brPairSearch_Run.
brResult brTetSearch_Run(brTetSearch* search, const brContext* context, const brBoxSource* source,
						 const int32_t* treeStarts, int32_t treeCount, brReport* report);
