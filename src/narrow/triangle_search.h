// SPDX-License-Identifier: MIT
#pragma once

// All pairs of triangles that truly meet: candidates from the trees, on the way a quick rejection of neighbors by fans
// and of others by planes, exact signs for what is left.

#include "index/pairs.h"
#include "narrow/vertex_fans.h"

typedef struct brTriangleSearch
{
	brPairSearch search;
	brVertexFans fans;
	brStageMemory kept; // int64_t per block
} brTriangleSearch;

void brTriangleSearch_Init(brTriangleSearch* search, const brAllocator* allocator, const brPairSearchDef* def);
void brTriangleSearch_Free(brTriangleSearch* search);

/// Pairs of triangles of `source` (three corners each) that meet by the def's neighbor rule, in search->search.pairs;
/// search->search.candidateCount counts overlapping boxes. Trees as in brPairSearch_Run.
brResult brTriangleSearch_Run(brTriangleSearch* search, const brContext* context, const brBoxSource* source,
							  const int32_t* treeStarts, int32_t treeCount, brReport* report);
