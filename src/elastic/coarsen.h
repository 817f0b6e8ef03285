// SPDX-License-Identifier: MIT
#pragma once

// From one level of the hierarchy to the next: aggregates, smoothed interpolation, and the coarse matrix P^T A P.

#include "elastic/hierarchy.h"
#include "elastic/level.h"

/// The finest level, `outScale` times the stiffness. False without memory.
bool brLevel_MakeFinest(brLevel* level, const brHierarchyDef* def, const brAllocator* allocator, brWorkers* workers,
						double* outScale);

/// Gathers the nodes of a level along its graph. `outAggregates` [nodeCount]: aggregate, or -1 for nodes left out
/// (`isLeftOut` may be null). Returns how many there are, -1 without memory.
int32_t brLevel_Aggregate(const brLevel* level, const uint8_t* isLeftOut, const brAllocator* allocator,
						  brWorkers* workers, int32_t* outAggregates);

/// Fills the interpolation of `level` from its aggregates, and `coarse` with matrix, places, lengths and parts. `held`
/// has bits of held axes of level 0, or is null. False without memory.
bool brLevel_Coarsen(brLevel* level, brLevel* coarse, const int32_t* aggregates, int32_t aggregateCount,
					 const uint8_t* held, const brAllocator* allocator, brWorkers* workers);

/// Inverse diagonal blocks and the bound of the eigenvalues, for a level that has its matrix. False without memory.
bool brLevel_Finish(brLevel* level, const brAllocator* allocator, brWorkers* workers);
