// SPDX-License-Identifier: MIT
#pragma once

// Sparse cuts of a graph of cells: the modes of modal.h without their mechanics.

#include "base/memory.h"
#include "brittle/result.h"

/// Cells that share faces, and what a face between two costs.
typedef struct brCellEdge
{
	int32_t cells[2];
	double cost; // > 0
} brCellEdge;

typedef struct brCellGraph
{
	int32_t cellCount, edgeCount;
	const double* volumes; // [cellCount] > 0
	const brCellEdge* edges;
} brCellGraph;

/// Fills `outSides` [most * cellCount] with one row of 0 and 1 for each cut: 1 for cells of the part, which hangs
/// together and has at most about half of the volume. Cuts differ. Sets how many there are. br_errorMemory is the only
/// failure.
brResult brFindModeCuts(const brAllocator* allocator, const brCellGraph* graph, int32_t most, uint8_t* outSides,
						int32_t* outCount);
