// SPDX-License-Identifier: MIT
#pragma once

// Pairs on the device: elements stay there from frame to frame, positions go over, and the whole way from boxes to
// pairs that meet is enqueued without a wait.
//
//     positions -> boxes, bounds -> curve codes -> sort -> tree -> candidate pairs -> triangles or tets that meet
//     positions -> boxes -> pairs that are kept -> candidate pairs -> triangles or tets that meet
//     positions -> boxes, sizes -> layers -> cells -> places -> candidate pairs -> triangles or tets that meet

#include "gpu/gpu.h"
#include "gpu/gpu_sort.h"
#include "index/box_source.h"
#include "index/pairs.h"

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

typedef struct brGpuPairs brGpuPairs;

/// A way to find pairs that is kept to be compared with, from research/: what it does in place of the tree along the
/// curve and its search. `pairs->engineState` is its own.
struct brGpuEngine
{
	size_t stateBytes;
	bool isAlongCurve;                                     // it is made from that tree
	void (*init)(void* state, const brPairEngine* engine); // of zeros
	void (*free)(brGpuPairs* pairs);
	brResult (*ensure)(brGpuPairs* pairs, const uint32_t* objects, brReport* report);
	void (*build)(brGpuPairs* pairs, uint32_t lowBit); // the sort left out so many bits of the codes
	void (*search)(brGpuPairs* pairs, uint32_t flags);
	bool (*grow)(brGpuPairs* pairs,
				 const uint32_t* state); // whether a list of its own was too short, which has room now; or null
};

typedef enum brGpuFrontMode
{
	br_gpuFrontKeep,  // the frame looks at the pairs that are kept
	br_gpuFrontRenew, // and finds these first
	br_gpuFrontPlain, // a frame of br_deviceOi
} brGpuFrontMode;

/// Pairs of boxes with a margin, kept while every box stays in its own; see pair_front.cl and gpu_front.c.
typedef struct brGpuFront
{
	brGpuFrontMode mode;
	bool isKept;       // there is a front,
	uint32_t flags;    // for these pairs,
	int32_t survived;  // and so many frames went by it
	int32_t plainLeft; // plain frames until the next one is tried
	int32_t plainNext; // so many the next time
	float spacing;     // of elements, more or less: the margin is a part of it
	float margin;
	float marginLimit; // beyond which fronts were too long
	int64_t renewals;  // for who is curious
	int64_t escapes;
	int64_t length; // pairs
	int64_t capacity;
	brGpuBuffer list; // uint64_t a pair
} brGpuFront;

/// Lengths of the three lists.
typedef struct brGpuCounts
{
	int64_t candidates, meeting, unsure;
} brGpuCounts;

struct brGpuPairs
{
	brGpu* gpu;
	brDeviceMethod method; // set it before the elements
	brKdetSettings kdet;   // of the grid; groups of their size search by br_deviceBrute too
	bool isPairwise;       // br_deviceBrute: a thread for each pair, else one for each element
	brTetTest tetTest;     // br_tetSat, br_tetSatNoEdges or br_tetSatMtv, which finds what br_tetSat does
	bool dropNeighbors;    // candidates that share a corner are counted, but not in the list
	int32_t sortEvery;     // br_deviceOi: so many frames share one order along the curve; 0 and 1: each has its own
	int32_t sortedFor;     // frames since the last sort
	int32_t count;         // elements
	int32_t cornersEach;
	int32_t levelCount;
	uint32_t levelCounts[BR_GPU_TREE_LEVELS];
	uint32_t levelStarts[BR_GPU_TREE_LEVELS];
	brGpuSorter sorter;
	brGpuGrid grid;
	const brGpuEngine* engine; // of br_deviceEngine
	void* engineState;
	brGpuFront front;
	bool arePositions; // else boxes
	int32_t vertexCount;
	brGpuBuffer vertices; // double[3] or brTreeBox
	brGpuBuffer corners;  // int32_t
	bool hasObjects;
	uint32_t objectCount;
	brGpuBuffer objects; // uint32_t: object of each element
	brGpuBuffer elementCount;
	brGpuBuffer state;          // bounds, then counters
	brGpuBuffer laterStates[2]; // of the next frame and the one after, for trees along the curve
	bool isStarted;             // the state has bounds of an earlier frame
	brGpuBuffer boxes;          // float4[2], for the grid and the front
	brGpuBuffer leaves;         // float4[2]; the sort borrows it
	brGpuBuffer nodes;          // float4[2]
	brGpuBuffer shape;          // count and first node of each level
	brGpuBuffer candidates[2];  // the sort borrows the first
	brGpuBuffer meeting[2];
	brGpuBuffer unsure;
	brGpuBuffer penetrations;
	brGpuCounts capacity; // of the lists
	brGpuCounts last;     // what the last frame put into them
	bool isCounted;       // by brGpuPairs_Run: else lists stay as long as their owner made them
};

/// What a frame found.
typedef struct brGpuFound
{
	int64_t candidateCount; // overlapping boxes
	int64_t meetingCount;   // certain ones
	int64_t unsureCount;
} brGpuFound;

void brGpuPairs_Init(brGpuPairs* pairs, brGpu* gpu);

/// Before the elements: pairs are found as the engine says. False without memory.
bool brGpuPairs_SetEngine(brGpuPairs* pairs, const brPairEngine* engine);

void brGpuPairs_Free(brGpuPairs* pairs);

/// Takes over which elements there are. `objects` says which object each belongs to, rising by one from 0; null: one.
brResult brGpuPairs_SetElements(brGpuPairs* pairs, const brBoxSource* source, const uint32_t* objects,
								brReport* report);

/// The positions of corners of a prepared source, or boxes of elements.
void brGpuPairs_SetFrame(brGpuPairs* pairs, const brBoxMaker* maker, const brTreeBox* boxes);

/// Enqueues a frame and nothing else: boxes, order, tree, pairs, and what meets if `findTrue`.
void brGpuPairs_Enqueue(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbors);

/// Runs a frame and looks at its counts; makes room and runs again while there are more candidates than room.
brResult brGpuPairs_Run(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbors,
						brGpuFound* outFound, brReport* report);

/// Sorts a list of the last frame on the device and copies it here. `isMeeting`: those that meet, else the candidates,
/// which are all there if no neighbors were dropped.
brResult brGpuPairs_Read(brGpuPairs* pairs, bool isMeeting, int64_t count, brPair* outPairs, brReport* report);

/// The pairs that need an exact look, in no order.
brResult brGpuPairs_ReadUnsure(brGpuPairs* pairs, int64_t count, brPair* outPairs, brReport* report);

/// How deep and which way tets of these pairs are in each other.
brResult brGpuPairs_Measure(brGpuPairs* pairs, const brPair* list, int64_t count, brPenetration* outPenetrations,
							brReport* report);

// The parts of gpu_grid.c and gpu_pair_front.c. Where things are in `state` is said in grid.cl.

#define BR_GPU_STATE_COUNTERS 8    // listed (low, high), meeting, unsure, overlapping (low, high)
#define BR_GPU_STATE_FRONTS 16     // lengths of fronts (low, high), of the kept one also overlapping ones as above
#define BR_GPU_STATE_ESCAPED 24    // a box left its larger one
#define BR_GPU_STATE_SIZE 96       // 32-bit numbers
#define BR_GPU_STATE_BUCKETS 2336  // the grid's buckets begin here
#define BR_GPU_FLAG_SELF 1u        // PAIR_SELF of pairs.cl
#define BR_GPU_FLAG_INTER 2u       // PAIR_INTER
#define BR_GPU_FLAG_NO_NEIGHBOR 4u // PAIR_DROP_NEIGHBORS

/// Pairs of leaves of the tree into `list`; counters of its length begin at `counter`.
void brGpuPairs_EnqueueTreeSearch(brGpuPairs* pairs, uint32_t flags, const brGpuBuffer* list, int64_t capacity,
								  uint32_t counter);

void brGpuPairs_EnsureGrid(brGpuPairs* pairs);
void brGpuPairs_EnqueueGrid(brGpuPairs* pairs, uint32_t flags);
void brGpuPairs_EnqueueGridSearch(brGpuPairs* pairs, uint32_t flags);
void brGpuPairs_FreeGrid(brGpuPairs* pairs);

/// Every pair of boxes; see brute.cl.
void brGpuPairs_EnsureBrute(brGpuPairs* pairs);
void brGpuPairs_EnqueueBrute(brGpuPairs* pairs);
void brGpuPairs_EnqueueBruteSearch(brGpuPairs* pairs, uint32_t flags);

void brGpuPairs_EnsureFront(brGpuPairs* pairs);
void brGpuPairs_FreeFront(brGpuPairs* pairs);

/// How the next frame goes.
void brGpuPairs_ChooseFront(brGpuPairs* pairs, uint32_t flags);
void brGpuPairs_EnqueueFrontSearch(brGpuPairs* pairs);

typedef enum brGpuFrontAnswer
{
	br_gpuFrontHolds, // the frame is right
	br_gpuFrontShort, // the front was too long for its list: search again
	br_gpuFrontFails, // a box left or the front is too long: another frame
} brGpuFrontAnswer;

/// Looks at what a frame of the front left behind. Candidates that share a corner and are not listed are counted.
brGpuFrontAnswer brGpuPairs_JudgeFront(brGpuPairs* pairs, const uint32_t* state, int64_t* outDropped);

/// Room for a list of `count`, with an eighth to spare.
static inline int64_t brGpuPairs_Room(int64_t count)
{
	return count + count / 8 < UINT32_MAX ? count + count / 8 : UINT32_MAX - 1;
}

/// Work-groups for a kernel that walks on over `count`.
static inline int64_t brGpuPairs_Groups(const brGpuPairs* pairs, int64_t count)
{
	int64_t groups = (count + 255) / 256, most = 16 * (int64_t)pairs->gpu->info.computeUnits;
	return groups < most ? groups : most;
}

#endif
