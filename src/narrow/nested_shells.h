// SPDX-License-Identifier: MIT
#pragma once

// Shells of a closed surface that do not bound one solid together: a shell turned outward belongs outside of all
// others, one turned inward, a cavity, inside of one.

#include "narrow/triangle_soup.h"

typedef struct brNestedShells
{
	int32_t count;    // shells that are where they should not be
	int32_t vertex;   // of the first of them, or -1
	bool isInsideOut; // that one is turned inward
} brNestedShells;

/// Shells are triangles that hang together by vertices of the soup. They must be closed and meet nowhere.
brResult brFindNestedShells(const brTriangleSoup* soup, brNestedShells* outShells, brReport* report);
