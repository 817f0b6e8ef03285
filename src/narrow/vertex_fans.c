// SPDX-License-Identifier: MIT

// Closed fans that are graphs over a plane.
//
// Let r_0 ... r_k-1 be the neighbors of v in turn, seen from v, and n any direction. If n . (r_i x r_i+1) > 0 for all
// i, then seen along n every triangle is a sector that turns forward by less than a half turn. If the sectors go around
// once they cover each direction once, so two triangles share only v, or the edge to the neighbor they have in common.
// They go around more than once exactly if some sector i = 1 ... k-2 passes r_0 again; with s_i = n . (r_0 x r_i) that
// needs s_i <= 0 <= s_i+1. So it is enough that for each of them s_i > 0 or s_i+1 < 0.
//
// n is the sum of the normals, but any n will do, so its rounding does not matter. Differences are taken in doubles and
// rounded to floats: with u = 2^-24, M the largest coordinate of the r_i and N that of n, the volumes are off by less
// than 48 u N M^2, and by a few times 2^-149 where they underflow. We ask for 128 u N M^2 + 2^-120, with M between
// 2^-25 and 2^25 so that nothing overflows. What fails is tested pair by pair.

#include "narrow/vertex_fans.h"

#include "base/lanes.h"
#include "index/wide_kernels.h"

#include <string.h>

enum
{
	fanBlock = 2048 // vertices in one go
};

static const float fanError = 0x1p-17f, fanTiny = 0x1p-120f, fanSmallest = 0x1p-25f, fanLargest = 0x1p25f;

// Triangles at a vertex, by the edge opposite to it.
typedef struct FanCorners
{
	_Alignas(16) int32_t starts[BR_FAN_MAX];
	int32_t ends[BR_FAN_MAX];
} FanCorners;

void brVertexFans_Init(brVertexFans* fans, const brAllocator* allocator)
{
	memset(fans, 0, sizeof(*fans));
	fans->allocator = *allocator;
}

void brVertexFans_Free(brVertexFans* fans)
{
	brStageMemory* all[] = {&fans->rings, &fans->sizes, &fans->corners, &fans->settled};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &fans->allocator);
	}
	fans->vertexCount = 0;
}

// Which triangles begin at a vertex, one bit each.
static inline uint32_t fanStartsAt(const FanCorners* corners, int32_t vertex)
{
	const brInt4 *starts = (const brInt4*)(const void*)corners->starts, wanted = {vertex, vertex, vertex, vertex};
	return BR_BITS4(starts[0] == wanted) | BR_BITS4(starts[1] == wanted) << 4;
}

// Which triangle of the fan begins where another ends, or -1 unless there is exactly one.
static inline int32_t fanNext(const FanCorners* corners, int32_t size, int32_t end)
{
	uint32_t mask = fanStartsAt(corners, end) & ((1u << size) - 1u);
	return mask != 0 && (mask & (mask - 1)) == 0 ? __builtin_ctz(mask) : -1;
}

// Puts the fan's triangles in turn. False if they are not one cycle.
static bool fanOrder(const FanCorners* corners, int32_t size, int32_t ring[BR_FAN_MAX])
{
	int32_t at = 0;
	for (int32_t i = 0; i < size; ++i)
	{
		if (at < 0 || (i > 0 && at == 0))
		{
			return false;
		}
		ring[i] = corners->starts[at];
		at = fanNext(corners, size, corners->ends[at]);
	}
	for (int32_t i = size; i < BR_FAN_MAX; ++i)
	{
		ring[i] = ring[0];
	}
	return at == 0;
}

static void fanOrderBlock(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	brVertexFans* fans = user;
	const FanCorners* corners = fans->corners.data;
	int32_t(*rings)[BR_FAN_MAX] = fans->rings.data;
	uint8_t* sizes = fans->sizes.data;
	for (int32_t v = begin; v < end; ++v)
	{
		bool isFan = sizes[v] >= 3 && sizes[v] <= BR_FAN_MAX && fanOrder(&corners[v], sizes[v], rings[v]);
		sizes[v] = isFan ? sizes[v] : 0;
	}
}

bool brVertexFans_Build(brVertexFans* fans, brWorkers* workers, const int32_t (*triangles)[3], int32_t triangleCount,
						int32_t vertexCount)
{
	const brAllocator* allocator = &fans->allocator;
	fans->vertexCount = 0;
	if (!brStageMemory_Ensure(&fans->rings, allocator, vertexCount, sizeof(int32_t[BR_FAN_MAX])) ||
		!brStageMemory_Ensure(&fans->sizes, allocator, vertexCount, sizeof(uint8_t)) ||
		!brStageMemory_Ensure(&fans->corners, allocator, vertexCount, sizeof(FanCorners)))
	{
		return false;
	}
	fans->vertexCount = vertexCount;
	FanCorners* corners = fans->corners.data;
	uint8_t* sizes = fans->sizes.data;
	if (vertexCount > 0)
	{
		memset(sizes, 0, (size_t)vertexCount);
	}
	// A vertex of too many triangles, or of one that has it twice, stays beyond the limit and is none.
	const uint8_t tooMany = BR_FAN_MAX + 1;
	for (int32_t i = 0; i < triangleCount; ++i)
	{
		const int32_t* t = triangles[i];
		bool isFlat = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = t[k];
			if (sizes[v] < BR_FAN_MAX && !isFlat)
			{
				corners[v].starts[sizes[v]] = t[(k + 1) % 3];
				corners[v].ends[sizes[v]] = t[(k + 2) % 3];
				sizes[v] += 1;
			}
			else
			{
				sizes[v] = tooMany;
			}
		}
	}
	brParallelFor(workers, vertexCount, fanBlock, fanOrderBlock, fans);
	return true;
}

typedef struct FanJob
{
	const brVertexFans* fans;
	const brDVec3* positions;
	uint8_t* settled;
} FanJob;

// What is left of the signs: all sectors turn forward, and none passes the first neighbor again.
static inline bool fanIsGraph(uint32_t forward, uint32_t ahead, uint32_t behind, int32_t size)
{
	uint32_t all = (1u << size) - 1u, middle = (all >> 1) & ~1u;
	return (forward & all) == all && ((ahead | behind >> 1) & middle) == middle;
}

#define BR_LANES_WIDEST
#define BR_LANES_FILE "narrow/fan_lanes.h"
#include "base/each_lanes.h"

const uint8_t* brVertexFans_Settle(brVertexFans* fans, brWorkers* workers, const brDVec3* positions, int32_t lanes)
{
	if (!brStageMemory_Ensure(&fans->settled, &fans->allocator, fans->vertexCount, sizeof(uint8_t)))
	{
		return NULL;
	}
	FanJob job = {fans, positions, fans->settled.data};
	brParallelFor(workers, fans->vertexCount, fanBlock, BR_WIDEST(brCpu_Within(lanes), fanSettle), &job);
	return job.settled;
}
