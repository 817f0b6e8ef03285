// SPDX-License-Identifier: MIT
#pragma once

// Which vertices are the same: exactly equal floats, all of them, -0 and 0 being equal.

#include "base/memory.h"

/// `count` tuples of `words` floats (3 to 7), `stride` bytes apart, at any alignment. No NaN.
typedef struct brWeldKeys
{
	const uint8_t* bytes;
	size_t stride;
	int32_t words;
	int32_t count;
} brWeldKeys;

/// Writes the number of each vertex after welding, in order of first appearance, so vertex i is the first of its kind
/// exactly if outMap[i] is greater than all before. `outMap` needs keys->count elements. Returns how many different
/// ones there are, or -1 without memory. Time is linear, for hostile keys too.
int32_t brWeldVertices(const brAllocator* allocator, const brWeldKeys* keys, int32_t* outMap);
