// SPDX-License-Identifier: MIT
#pragma once

// Pairs as CSV, in files that appear complete or not at all. Sorted, because a list for people and diffs should not
// follow the tree. All give an exit code and do nothing without a path.

#include "brittle/swept_pairs.h"
#include "command.h"

/// For qsort: by the first, then by the second of a pair.
int comparePairs(const void* left, const void* right);

int writeSortedPairs(const CommandLine* line, const char* path, brPair* pairs, int64_t count);

/// Pairs with how deep and which way: six columns.
int writeMeasuredPairs(const CommandLine* line, const char* path, const brCollision* collision);

/// Both kinds in one list, with ids as in the public ground truth: vertices, then edges, then faces.
int writeSweep(const CommandLine* line, const char* path, const brSweptPairs* sweep);
