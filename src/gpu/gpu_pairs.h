// SPDX-License-Identifier: MIT
#pragma once

// Pairs on the device: elements stay there from frame to frame, positions go over, and the whole way from boxes to pairs that meet is
// enqueued without a wait.
//
//     positions -> boxes, bounds -> curve codes -> sort -> tree -> candidate pairs -> triangles or tets that meet
//     positions -> boxes, sizes -> layers -> cells -> places -> candidate pairs -> triangles or tets that meet

#include "gpu/gpu_sort.h"
#include "index/box_source.h"

#ifdef BR_HAVE_OPENCL

#define BR_GPU_TREE_LEVELS 7

/// The layered hashed grid; see grid.cl.
typedef struct brGpuGrid
{
	uint32_t bucketCount;      // a power of two
	brGpuBuffer keys;          // uint64_t an element
	brGpuBuffer ranks;         // uint32_t an element
	brGpuBuffer starts;        // uint32_t a bucket
	brGpuBuffer placedKeys;    // uint64_t a place
	brGpuBuffer placedCorners; // int32_t[4] a place
} brGpuGrid;

typedef struct brGpuPairs
{
	brGpu* gpu;
	brPairMethod method; // br_pairsOi or br_pairsKdet; set it before the elements
	brGridHash hash;     // for the latter
	brTetTest tetTest;   // br_tetSat, br_tetSatNoEdges or br_tetSatMtv, which finds what br_tetSat does
	bool dropNeighbours; // candidates that share a corner are counted, but not in the list
	int32_t count;       // elements
	int32_t cornersEach;
	int32_t levelCount;
	uint32_t levelCounts[BR_GPU_TREE_LEVELS];
	uint32_t levelStarts[BR_GPU_TREE_LEVELS];
	brGpuSorter sorter;
	brGpuGrid grid;
	bool arePositions;    // else boxes
	brGpuBuffer vertices; // double[3] or brTreeBox
	brGpuBuffer corners;  // int32_t
	brGpuBuffer objects;  // uint32_t: object of each element
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
	brGpuBuffer penetrations;
	int64_t capacity;        // of candidates
	int64_t meetingCapacity; // of what meets, and of what is unsure
} brGpuPairs;

/// What a frame found.
typedef struct brGpuFound
{
	int64_t candidateCount; // overlapping boxes
	int64_t meetingCount;   // certain ones
	int64_t unsureCount;
} brGpuFound;

void brGpuPairs_Init(brGpuPairs* pairs, brGpu* gpu);
void brGpuPairs_Free(brGpuPairs* pairs);

/// Takes over which elements there are. `objects` says which object each belongs to, null: one.
brResult brGpuPairs_SetElements(brGpuPairs* pairs, const brBoxSource* source, const uint32_t* objects,
								brReport* report);

/// The positions of corners of a prepared source, or boxes of elements.
void brGpuPairs_SetFrame(brGpuPairs* pairs, const brBoxMaker* maker, const brTreeBox* boxes);

/// Enqueues a frame and nothing else: boxes, order, tree, pairs, and what meets if `findTrue`.
void brGpuPairs_Enqueue(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbours);

/// Runs a frame and looks at its counts; makes room and runs again while there are more candidates than room.
brResult brGpuPairs_Run(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbours,
						brGpuFound* outFound, brReport* report);

/// Sorts a list of the last frame on the device and copies it here. `isMeeting`: those that meet, else the candidates, which are
/// all there if no neighbours were dropped.
brResult brGpuPairs_Read(brGpuPairs* pairs, bool isMeeting, int64_t count, brPair* outPairs, brReport* report);

/// The pairs that need an exact look, in no order.
brResult brGpuPairs_ReadUnsure(brGpuPairs* pairs, int64_t count, brPair* outPairs, brReport* report);

/// How deep and which way tets of these pairs are in each other.
brResult brGpuPairs_Measure(brGpuPairs* pairs, const brPair* list, int64_t count, brPenetration* outPenetrations,
							brReport* report);

// The parts of gpu_grid.c. Where things are in `state` is said in grid.cl.

#define BR_GPU_STATE_COUNTERS 8     // listed (low, high), meeting, unsure, overlapping (low, high)
#define BR_GPU_STATE_SIZE 16        // 32-bit numbers
#define BR_GPU_STATE_BUCKETS 2144   // the grid's buckets begin here
#define BR_GPU_FLAG_SELF 1u         // PAIR_SELF of pairs.cl
#define BR_GPU_FLAG_INTER 2u        // PAIR_INTER
#define BR_GPU_FLAG_NO_NEIGHBOUR 4u // PAIR_DROP_NEIGHBOURS

void brGpuPairs_EnsureGrid(brGpuPairs* pairs);
void brGpuPairs_EnqueueGrid(brGpuPairs* pairs, uint32_t flags);
void brGpuPairs_EnqueueGridSearch(brGpuPairs* pairs, uint32_t flags);
void brGpuPairs_FreeGrid(brGpuPairs* pairs);

/// Work-groups for a kernel that walks on over `count`.
static inline int64_t brGpuPairs_Groups(const brGpuPairs* pairs, int64_t count)
{
	int64_t groups = (count + 255) / 256, most = 16 * (int64_t)pairs->gpu->info.computeUnits;
	return groups < most ? groups : most;
}

#endif
