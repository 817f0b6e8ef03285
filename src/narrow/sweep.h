// SPDX-License-Identifier: MIT
#pragma once

// What sweeps and continuous tests have in common.

#include "narrow/triangle_soup.h"

typedef int32_t brEdge[2];

/// The edges of all triangles, each once, smaller vertex first, sorted by larger then smaller vertex. Freed with
/// BR_FREE. Null without memory, or if the soup has more than brSweepMostTriangles.
brEdge* brFindEdges(const brAllocator* allocator, brWorkers* workers, const brTriangleSoup* soup, int32_t* outCount);

enum
{
	brSweepMostTriangles = INT32_MAX / 48
};

/// Sources of the boxes of the paths of vertices, edges and triangles, grown by `margin` on all sides.
brBoxSource brSweepVertices(const brTriangleSoup* soup, const brDVec3* next, double margin);
brBoxSource brSweepEdges(const brTriangleSoup* soup, const brDVec3* next, double margin, const brEdge* edges,
						 int32_t edgeCount);
brBoxSource brSweepTriangles(const brTriangleSoup* soup, const brDVec3* next, double margin);

void brPairStages_Add(brPairStages* sum, const brPairStages* stages);
