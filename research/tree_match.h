// SPDX-License-Identifier: MIT
#pragma once

// Objects by name from frame to frame: which tree of now is which of the last frame.

#include "index/box_source.h"

typedef struct brTreeMatch
{
	brAllocator allocator;
	int32_t* before; // [trees of now] number in the last frame, or -1
	int32_t* after;  // [trees of then] number now, or -1
	int32_t* table;  // hash table of the names of then
	int32_t tableSize;
	int64_t wordCount;
	int64_t kept; // elements of trees that are the same
	bool isSame;  // all trees are, under the same numbers
} brTreeMatch;

/// A tree is that of the last frame if name and number of elements are equal; of equal names the first counts. `names`
/// and `starts` are those of the last frame; `objects` may be null: trees are named by number. False without memory.
bool brTreeMatch_Make(brTreeMatch* match, const brAllocator* allocator, const uint64_t* names, const int32_t* starts,
					  int32_t oldCount, const uint64_t* objects, const int32_t* treeStarts, int32_t treeCount);
