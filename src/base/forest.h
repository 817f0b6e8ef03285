// SPDX-License-Identifier: MIT

// Union-find: which of `count` things hang together. Every parent is at most its child and the lowest of a set is its
// root, so the outcome does not depend on the order of joins.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Everything for itself.
static inline void brResetForest(int32_t* parents, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		parents[i] = i;
	}
}

/// Root of a union-find forest where every parent is lower than its child, halving the path. Roots are their own
/// parents.
static inline int32_t brFindRoot(int32_t* parents, int32_t i)
{
	while (parents[i] != i)
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

/// Joins two sets under the lower root. True if they were two.
static inline bool brJoinRoots(int32_t* parents, int32_t a, int32_t b)
{
	a = brFindRoot(parents, a);
	b = brFindRoot(parents, b);
	if (a < b)
	{
		parents[b] = a;
	}
	else
	{
		parents[a] = b;
	}
	return a != b;
}

/// The root without a change to the forest, for several readers at once.
static inline int32_t brReadRoot(const int32_t* parents, int32_t i)
{
	while (parents[i] != i)
	{
		i = parents[i];
	}
	return i;
}
