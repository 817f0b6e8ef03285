// SPDX-License-Identifier: MIT
#pragma once

// BR_ASSERT names an invariant that only a bug in the calling code can break; it has no side effects and vanishes in
// release builds. BR_VALIDATE is for checks that walk a whole structure; it is on in debug and sanitizer builds only.

#include "brittle/api.h"

#include <assert.h>

#define BR_ASSERT(condition) assert(condition)

#ifdef BR_ENABLE_VALIDATE
#define BR_VALIDATE(condition) assert(condition)
#else
#define BR_VALIDATE(condition) ((void)0)
#endif

// The mark that a default function writes into its def. It names the version and the size of the struct, so a def that
// was never given its defaults, or was laid out by other headers, is refused.
#define BR_STAMP(def) BR_STAMP_FOR(sizeof(def))
