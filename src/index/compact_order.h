// SPDX-License-Identifier: MIT
#pragma once

// The order of trees without pointers: every aligned run of eight, of 64, of 512 ... things is compact.
//
// A range is split at the largest power of two below its size, across the longest side of the box of its centers.

#include "brittle/math.h"

/// Orders things by their centers. In the end the low half of keys[i] is the thing at place i (brCompactOrder_At);
/// `keys` has room for `count`. Equal centers keep no order but are told apart by their numbers, so the result is
/// always the same.
void brMakeCompactOrder(const brVec3* centers, uint64_t* keys, int32_t count);

static inline int32_t brCompactOrder_At(const uint64_t* keys, int32_t place)
{
	return (int32_t)(uint32_t)keys[place];
}
