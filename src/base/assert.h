// SPDX-License-Identifier: MIT
#pragma once

// BR_ASSERT names an invariant that only a bug in the calling code can break; it has no side effects and vanishes in
// release builds. BR_VALIDATE is for checks that walk a whole structure; it is on in debug and sanitizer builds only.

#include <assert.h>

#define BR_ASSERT(condition) assert(condition)

#ifdef BR_ENABLE_VALIDATE
#define BR_VALIDATE(condition) assert(condition)
#else
#define BR_VALIDATE(condition) ((void)0)
#endif

// Def structs carry this mark so that one that was never given its defaults is caught.
#define BR_STAMP 0x42726974u
