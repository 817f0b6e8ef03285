// SPDX-License-Identifier: MIT
#pragma once

// The triangles around each vertex, and for which vertices they certainly meet in nothing but what they share. Half of
// all overlapping boxes of a surface are neighbors; this settles nearly all of them at a vertex's price, not at a
// pair's.

#include "index/box_source.h"

#define BR_FAN_MAX 8

typedef struct brVertexFans
{
	brAllocator allocator;
	int32_t vertexCount;
	brStageMemory rings;   // int32_t [vertexCount][BR_FAN_MAX] neighbors in turn, the first repeated to the end
	brStageMemory sizes;   // uint8_t [vertexCount] neighbors, 0: not a closed fan of 3 to 8 triangles
	brStageMemory corners; // FanCorners [vertexCount], while building
	brStageMemory settled; // uint8_t [vertexCount]
} brVertexFans;

void brVertexFans_Init(brVertexFans* fans, const brAllocator* allocator);
void brVertexFans_Free(brVertexFans* fans);

/// Finds the closed fans. Depends on indices only. False without memory.
bool brVertexFans_Build(brVertexFans* fans, brWorkers* workers, const int32_t (*triangles)[3], int32_t triangleCount,
						int32_t vertexCount);

/// One byte a vertex: 1 if no two triangles of its closed fan meet outside what they share. Null without memory;
/// valid until the next call.
const uint8_t* brVertexFans_Settle(brVertexFans* fans, brWorkers* workers, const brDVec3* positions, int32_t lanes);
