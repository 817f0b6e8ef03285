// SPDX-License-Identifier: MIT
#pragma once

// The block whose elastic solves are measured.

#include "bench.h"
#include "brittle/brittle.h"

/// Cells of six tets over a box, as the peers have it.
brTetMesh* brBench_MakeBlock(int32_t nx, int32_t ny, int32_t nz);
brElasticBody* brBench_MakeElasticBody(const brContext* context, const brTetMesh* mesh);

/// The lowest layer of nodes is held, the uppermost pulled up and aside.
typedef struct PulledBlock
{
	int32_t count; // of a layer
	int32_t *held, *loaded;
	uint32_t* axes;
	brDVec3* forces;
	brElasticLoad load;
} PulledBlock;

/// `count` is that of nodes in a layer.
PulledBlock brBench_MakePull(const brTetMesh* mesh, int32_t count);
void brBench_FreePull(PulledBlock* block);
