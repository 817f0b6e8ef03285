// SPDX-License-Identifier: MIT
#pragma once

// Stable radix sort of keys with a payload, serial or on workers; same result either way.
//
// Least digit first. All digit counts are taken in one pass over the keys, and digits that are the same in every key
// cost nothing, so small key ranges need few passes.

#include "brittle/context.h"

/// Sorts `count` pairs by key. `scratchKeys` and `scratchValues` need `count` elements each and are overwritten;
/// the result ends in `keys` and `values`. `workers` may be null. False without memory for the histograms.
bool brSortPairs32(brWorkers* workers, const brAllocator* allocator, uint32_t* keys, uint32_t* values,
				   uint32_t* scratchKeys, uint32_t* scratchValues, int32_t count);
bool brSortPairs64(brWorkers* workers, const brAllocator* allocator, uint64_t* keys, uint32_t* values,
				   uint64_t* scratchKeys, uint32_t* scratchValues, int32_t count);

/// Keys alone.
bool brSortKeys32(brWorkers* workers, const brAllocator* allocator, uint32_t* keys, uint32_t* scratch, int32_t count);
bool brSortKeys64(brWorkers* workers, const brAllocator* allocator, uint64_t* keys, uint64_t* scratch, int32_t count);

/// The `rank` smallest of distinct keys to the front, in place, and the key of that rank there (Hoare's selection with
/// the middle as pivot). 0 <= rank < count.
uint64_t brSelectKeys64(uint64_t* keys, int32_t count, int32_t rank);
