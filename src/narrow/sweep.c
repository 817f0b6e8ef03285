// SPDX-License-Identifier: MIT

// Boxes around the paths of vertices, edges and triangles between two frames.

#include "narrow/sweep.h"
#include "base/sort.h"
#include "index/pairs.h"

brEdge* brFindEdges(const brAllocator* allocator, brWorkers* workers, const brTriangleSoup* soup, int32_t* outCount)
{
	if (soup->triangleCount > brSweepMostTriangles)
	{
		return NULL;
	}
	int64_t most = 3 * (int64_t)soup->triangleCount;
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, most);
	uint64_t* scratch = BR_ALLOC(allocator, uint64_t, most);
	brEdge* edges = NULL;
	int32_t count = 0;
	if (keys != NULL && scratch != NULL)
	{
		for (int64_t i = 0; i < most; ++i)
		{
			const int32_t* triangle = soup->triangles[i / 3];
			uint32_t a = (uint32_t)triangle[i % 3], b = (uint32_t)triangle[(i + 1) % 3];
			keys[i] = a < b ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
		}
		if (brSortKeys64(workers, allocator, keys, scratch, (int32_t)most))
		{
			for (int64_t i = 0; i < most; ++i)
			{
				bool isEdge = (uint32_t)keys[i] != (uint32_t)(keys[i] >> 32) && (i == 0 || keys[i] != keys[i - 1]);
				keys[count] = keys[i];
				count += isEdge;
			}
			edges = BR_ALLOC(allocator, brEdge, count);
		}
	}
	for (int32_t i = 0; i < count && edges != NULL; ++i)
	{
		edges[i][0] = (int32_t)(uint32_t)keys[i];
		edges[i][1] = (int32_t)(keys[i] >> 32);
	}
	BR_FREE(allocator, keys, most);
	BR_FREE(allocator, scratch, most);
	*outCount = edges != NULL ? count : 0;
	return edges;
}

brBoxSource brSweepTriangles(const brTriangleSoup* soup, const brDVec3* next, double margin)
{
	brBoxSource source = brTriangleSoup_Source(soup);
	source.nextPositions = next;
	source.margin = margin;
	return source;
}

brBoxSource brSweepVertices(const brTriangleSoup* soup, const brDVec3* next, double margin)
{
	brBoxSource source = brSweepTriangles(soup, next, margin);
	source.count = soup->vertexCount, source.cornersEach = 1, source.corners = NULL;
	return source;
}

brBoxSource brSweepEdges(const brTriangleSoup* soup, const brDVec3* next, double margin, const brEdge* edges,
						 int32_t edgeCount)
{
	brBoxSource source = brSweepTriangles(soup, next, margin);
	source.count = edgeCount, source.cornersEach = 2, source.corners = &edges[0][0];
	return source;
}

void brPairStages_Add(brPairStages* sum, const brPairStages* stages)
{
	sum->boxes += stages->boxes;
	sum->sort += stages->sort;
	sum->build += stages->build;
	sum->search += stages->search;
}
