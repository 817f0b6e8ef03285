// SPDX-License-Identifier: MIT
#pragma once

// Pairs on the device: elements stay there from frame to frame, positions go over, and the whole way from boxes to pairs that meet is
// enqueued without a wait.
//
//     positions -> boxes, bounds -> curve codes -> sort -> tree -> candidate pairs -> triangles that meet

#include "gpu/gpu_sort.h"
#include "index/box_source.h"

#ifdef BR_HAVE_OPENCL

#define BR_GPU_TREE_LEVELS 7

typedef struct brGpuPairs
{
	brGpu* gpu;
	int32_t count; // elements
	int32_t cornersEach;
	int32_t levelCount;
	uint32_t levelCounts[BR_GPU_TREE_LEVELS];
	uint32_t levelStarts[BR_GPU_TREE_LEVELS];
	brGpuSorter sorter;
	brGpuBuffer vertexBoxes; // brTreeBox
	brGpuBuffer positions;   // double[3], for triangles
	brGpuBuffer corners;     // int32_t
	brGpuBuffer objects;     // uint32_t: object of each element
	brGpuBuffer elementCount;
	brGpuBuffer state; // bounds, then counters
	brGpuBuffer boxes; // float4[2]
	brGpuBuffer items[2];
	brGpuBuffer leaves; // float4[2]
	brGpuBuffer nodes;  // float4[2]
	brGpuBuffer shape;  // count and first node of each level
	brGpuBuffer candidates[2];
	brGpuBuffer meeting[2];
	brGpuBuffer unsure;
	int64_t capacity;        // of candidates
	int64_t meetingCapacity; // of what meets, and of what is unsure
} brGpuPairs;

/// What a frame found.
typedef struct brGpuFound
{
	int64_t candidateCount;
	int64_t meetingCount; // certain ones
	int64_t unsureCount;
} brGpuFound;

void brGpuPairs_Init(brGpuPairs* pairs, brGpu* gpu);
void brGpuPairs_Free(brGpuPairs* pairs);

/// Takes over which elements there are. `objects` says which object each belongs to, null: one.
brResult brGpuPairs_SetElements(brGpuPairs* pairs, const brBoxSource* source, const uint32_t* objects,
								brReport* report);

/// The boxes of corners (or elements) of a prepared source, and positions if triangles are to be tested.
void brGpuPairs_SetFrame(brGpuPairs* pairs, const brBoxMaker* maker, const brTreeBox* boxes);

/// Enqueues a frame and nothing else: boxes, order, tree, pairs, and what meets if `findTrue`.
void brGpuPairs_Enqueue(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbours);

/// Runs a frame and looks at its counts; makes room and runs again while there are more candidates than room.
brResult brGpuPairs_Run(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbours,
						brGpuFound* outFound, brReport* report);

/// Sorts a list of the last frame on the device and copies it here. `isMeeting`: those that meet, else the candidates.
brResult brGpuPairs_Read(brGpuPairs* pairs, bool isMeeting, int64_t count, brPair* outPairs, brReport* report);

/// The pairs that need an exact look, in no order.
brResult brGpuPairs_ReadUnsure(brGpuPairs* pairs, int64_t count, brPair* outPairs, brReport* report);

#endif
