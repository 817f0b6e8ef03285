// SPDX-License-Identifier: MIT
#pragma once

// Pieces gathered into clusters, clusters into larger ones: levels of how coarsely a model may break.

#include "brittle/shatter.h"

/// Adds levels of clusters of `size` nodes of the level below, at most `most` of them; stops where nothing is joined
/// any more. The pieces and bonds are there. br_errorMemory is the only failure; what was added then belongs to
/// `shatter`.
brResult brShatter_AddLevels(brShatter* shatter, int32_t size, int32_t most);
