// SPDX-License-Identifier: MIT
#pragma once

// Values per corner of which many are equal, each kept once: as OBJ and USD have texture coordinates and normals.

#include "base/memory.h"

typedef struct brCornerValues
{
	int32_t* indices; // [cornerCount] the number of each corner's value
	int32_t* firsts;  // [cornerCount], the first `count` used: the corner that has it first
	int32_t count;    // of different values, by their bits, in the order of corners
	int32_t cornerCount;
} brCornerValues;

/// `data` has one of `elementBytes` a corner. False without memory; free it in any case.
bool brCornerValues_Find(brCornerValues* values, const brAllocator* allocator, const void* data, size_t elementBytes,
						 int32_t cornerCount);
void brCornerValues_Free(brCornerValues* values, const brAllocator* allocator);
