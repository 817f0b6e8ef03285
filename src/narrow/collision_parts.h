// SPDX-License-Identifier: MIT
#pragma once

// What the public calls have in common.

#include "index/pairs.h"

bool brCollideDef_IsGood(const brCollideDef* def);
brPairSearchDef brCollideDef_Search(const brCollideDef* def);

/// Nothing found yet. Null without memory.
brCollision* brCollision_Alloc(const brAllocator* allocator);

/// The pairs of a search as a block of their exact size. Null without memory.
brPair* brCollision_Copy(const brAllocator* allocator, const brPairBuffer* pairs);

/// Number of candidates, their stages, and the list if it is to be kept.
brResult brCollision_FindCandidates(brCollision* collision, const brContext* context, const brBoxSource* source,
									const int32_t* starts, int32_t startCount, const brCollideDef* def,
									brReport* report);
