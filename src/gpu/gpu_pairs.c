// SPDX-License-Identifier: MIT

#include "gpu/gpu_pairs.h"

#ifdef BR_HAVE_OPENCL

#include <string.h>

enum
{
	pairsGroup = 256,
	pairsTile = 1024,    // TREE_TILE of tree.cl
	pairsArity = 32,     //
	pairsAskers = 16,    // PAIR_ASKERS of pairs.cl
	pairsAskGroup = 256, // PAIR_GROUP
	pairsCounters = BR_GPU_STATE_COUNTERS,
	pairsMeetGroups = 8, // work-groups of the triangle test a compute unit
	pairsBits = 30,      // of a curve code
	pairsFew = 65536,    // up to so many elements
	pairsFewBits = 24,   // the code's upper bits do
	pairsTetGroup = 128, // TETS_GROUP of tets.cl
};

void brGpuPairs_Init(brGpuPairs* pairs, brGpu* gpu)
{
	memset(pairs, 0, sizeof(*pairs));
	pairs->gpu = gpu;
}

void brGpuPairs_Free(brGpuPairs* pairs)
{
	brGpuBuffer* all[] = {&pairs->vertices,      &pairs->penetrations,  &pairs->corners,    &pairs->objects,
						  &pairs->elementCount,  &pairs->state,         &pairs->boxes,      &pairs->items[0],
						  &pairs->items[1],      &pairs->leaves,        &pairs->nodes,      &pairs->shape,
						  &pairs->candidates[0], &pairs->candidates[1], &pairs->meeting[0], &pairs->meeting[1],
						  &pairs->unsure};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brGpu_Free(pairs->gpu, all[i]);
	}
	brGpuPairs_FreeGrid(pairs);
	brGpuSorter_Free(pairs->gpu, &pairs->sorter);
}

// Levels above `count` leaves, two by two as the kernels make them, until one has 32 nodes at most.
static void pairsShape(brGpuPairs* pairs, int32_t count)
{
	uint32_t below = (uint32_t)count, start = 0;
	pairs->levelCount = 0;
	do
	{
		uint32_t groups = (below + pairsTile - 1) / pairsTile;
		for (int32_t k = 0; k < 2; ++k)
		{
			int32_t level = pairs->levelCount++;
			pairs->levelCounts[level] = (below + pairsArity - 1) / pairsArity;
			pairs->levelStarts[level] = start;
			start += k == 0 ? groups * pairsArity : groups;
			below = pairs->levelCounts[level];
		}
	} while (below > pairsArity);
}

brResult brGpuPairs_SetElements(brGpuPairs* pairs, const brBoxSource* source, const uint32_t* objects, brReport* report)
{
	brGpu* gpu = pairs->gpu;
	brResult result = brGpu_Prepare(gpu, report);
	if (result < 0)
	{
		return result;
	}
	pairs->count = source->count;
	bool areBoxes = source->corners == NULL; // then every element is its own corner
	pairs->cornersEach = areBoxes ? 1 : source->cornersEach;
	pairsShape(pairs, source->count);
	int32_t last = pairs->levelCount - 1;
	int64_t nodeCount = (int64_t)pairs->levelStarts[last] + (int64_t)pairs->levelCounts[last] + 1;
	int64_t leafCount = ((int64_t)source->count + pairsTile - 1) / pairsTile * pairsTile;
	int64_t cornerCount = (int64_t)source->count * pairs->cornersEach;

	brGpu_Ensure(gpu, &pairs->corners, cornerCount, sizeof(int32_t));
	brGpu_Ensure(gpu, &pairs->objects, source->count, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pairs->elementCount, 1, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pairs->boxes, 2 * (int64_t)source->count, sizeof(cl_float4));
	brGpu_Ensure(gpu, &pairs->leaves, 2 * leafCount, sizeof(cl_float4));
	brGpu_Ensure(gpu, &pairs->shape, 2 * BR_GPU_TREE_LEVELS, sizeof(uint32_t));
	if (pairs->method == br_pairsKdet)
	{
		brGpuPairs_EnsureGrid(pairs);
	}
	else
	{
		brGpu_Ensure(gpu, &pairs->state, BR_GPU_STATE_SIZE, sizeof(uint32_t));
		brGpu_Ensure(gpu, &pairs->items[0], source->count, sizeof(cl_ulong));
		brGpu_Ensure(gpu, &pairs->items[1], source->count, sizeof(cl_ulong));
		brGpu_Ensure(gpu, &pairs->nodes, 2 * nodeCount, sizeof(cl_float4));
	}
	uint32_t shape[2 * BR_GPU_TREE_LEVELS] = {0};
	for (int32_t i = 0; i < pairs->levelCount; ++i)
	{
		shape[2 * i] = pairs->levelCounts[i];
		shape[2 * i + 1] = pairs->levelStarts[i];
	}
	uint32_t count = (uint32_t)source->count;
	brGpu_Write(gpu, &pairs->shape, 0, shape, sizeof(shape));
	brGpu_Write(gpu, &pairs->elementCount, 0, &count, sizeof(count));
	if (objects != NULL)
	{
		brGpu_Write(gpu, &pairs->objects, 0, objects, (size_t)source->count * sizeof(uint32_t));
	}
	else
	{
		brGpu_Clear(gpu, &pairs->objects, source->count);
	}
	if (!areBoxes)
	{
		brGpu_Write(gpu, &pairs->corners, 0, source->corners, (size_t)cornerCount * sizeof(int32_t));
		return brGpu_Finish(gpu, report);
	}
	int32_t* numbers = BR_ALLOC(&gpu->allocator, int32_t, source->count);
	if (numbers == NULL)
	{
		brGpu_Finish(gpu, NULL);
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < source->count; ++i)
	{
		numbers[i] = i;
	}
	brGpu_Write(gpu, &pairs->corners, 0, numbers, (size_t)source->count * sizeof(int32_t));
	BR_FREE(&gpu->allocator, numbers, source->count);
	return brGpu_Finish(gpu, report);
}

void brGpuPairs_SetFrame(brGpuPairs* pairs, const brBoxMaker* maker, const brTreeBox* boxes)
{
	brGpu* gpu = pairs->gpu;
	const brBoxSource* source = &maker->source;
	int64_t count = boxes != NULL ? source->count : source->vertexCount;
	pairs->arePositions = boxes == NULL && gpu->info.hasDouble;
	size_t each = pairs->arePositions ? sizeof(brDVec3) : sizeof(brTreeBox);
	const void* vertices = pairs->arePositions ? (const void*)source->positions
						   : boxes != NULL     ? (const void*)boxes
											   : maker->vertexBoxes.data;
	brGpu_Ensure(gpu, &pairs->vertices, count, each);
	brGpu_Write(gpu, &pairs->vertices, 0, vertices, (size_t)count * each);
}

static void pairsEnqueueTree(brGpuPairs* pairs)
{
	brGpu* gpu = pairs->gpu;
	uint32_t count = (uint32_t)pairs->count;
	brGpu_Clear(gpu, &pairs->state, BR_GPU_STATE_SIZE);
	brGpu_Run(gpu, kernel_brk_boxElements, brGpuPairs_Groups(pairs, count), pairsGroup,
			  (brGpuArg[]){brBufferArg(&pairs->vertices), brUintArg(pairs->arePositions), brBufferArg(&pairs->corners),
						   brUintArg((uint32_t)pairs->cornersEach), brBufferArg(&pairs->objects), brUintArg(count),
						   brBufferArg(&pairs->boxes), brBufferArg(&pairs->state)},
			  8);
	brGpu_Run(gpu, kernel_brk_curveItems, brGpuPairs_Groups(pairs, count), pairsGroup,
			  (brGpuArg[]){brBufferArg(&pairs->boxes), brUintArg(count), brBufferArg(&pairs->state),
						   brBufferArg(&pairs->items[0])},
			  4);
	// Few elements are told apart by the upper bits, and a pass less.
	uint32_t unused = count < pairsFew ? pairsBits - pairsFewBits : 0;
	int32_t sorted =
		brGpu_Sort(gpu, &pairs->sorter, pairs->items, 0, &pairs->elementCount, 0, count, 32 + unused, 32 + pairsBits);

	int64_t groups = ((int64_t)count + pairsTile - 1) / pairsTile;
	brGpu_Run(gpu, kernel_brk_packLeaves, groups, pairsGroup,
			  (brGpuArg[]){brBufferArg(&pairs->items[sorted]), brBufferArg(&pairs->boxes), brUintArg(count),
						   brBufferArg(&pairs->leaves), brBufferArg(&pairs->nodes), brUintArg(pairs->levelStarts[0]),
						   brUintArg(pairs->levelStarts[1])},
			  7);
	for (int32_t level = 2; level < pairs->levelCount; level += 2)
	{
		uint32_t below = pairs->levelCounts[level - 1];
		brGpu_Run(gpu, kernel_brk_packNodes, (below + pairsTile - 1) / pairsTile, pairsGroup,
				  (brGpuArg[]){brBufferArg(&pairs->nodes), brUintArg(pairs->levelStarts[level - 1]), brUintArg(below),
							   brUintArg(pairs->levelStarts[level]), brUintArg(pairs->levelStarts[level + 1])},
				  5);
	}
}

static void pairsEnqueueTreeSearch(brGpuPairs* pairs, uint32_t flags)
{
	uint32_t count = (uint32_t)pairs->count;
	brGpu_Run(pairs->gpu, kernel_brk_findPairs, (count + pairsAskers - 1) / pairsAskers, pairsAskGroup,
			  (brGpuArg[]){brBufferArg(&pairs->leaves), brBufferArg(&pairs->nodes), brBufferArg(&pairs->shape),
						   brUintArg((uint32_t)pairs->levelCount), brUintArg(count), brUintArg(flags),
						   brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach),
						   brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity),
						   brBufferArg(&pairs->state), brUintArg(pairsCounters)},
			  12);
}

static void pairsEnqueueNarrow(brGpuPairs* pairs, bool keepNeighbours)
{
	brGpu* gpu = pairs->gpu;
	brGpu_Ensure(gpu, &pairs->meeting[0], pairs->meetingCapacity, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &pairs->unsure, pairs->meetingCapacity, sizeof(cl_ulong));
	brGpuArg args[11] = {brBufferArg(&pairs->candidates[0]), brUintArg((uint32_t)pairs->capacity),
						 brBufferArg(&pairs->state),         brUintArg(pairsCounters),
						 brBufferArg(&pairs->corners),       brBufferArg(&pairs->vertices),
						 brUintArg(keepNeighbours)};
	bool areTets = pairs->cornersEach == 4;
	uint32_t argCount = 7;
	if (areTets)
	{
		args[argCount++] = brUintArg(pairs->tetTest == br_tetSatNoEdges);
	}
	args[argCount++] = brBufferArg(&pairs->meeting[0]);
	args[argCount++] = brBufferArg(&pairs->unsure);
	args[argCount++] = brUintArg((uint32_t)pairs->meetingCapacity);
	brGpu_Run(gpu, areTets ? kernel_brk_meetTets : kernel_brk_meetTriangles,
			  (areTets ? 2 : 1) * pairsMeetGroups * (int64_t)gpu->info.computeUnits,
			  areTets ? pairsTetGroup : pairsGroup, args, argCount);
}

static void pairsEnqueueSearch(brGpuPairs* pairs, uint32_t flags, bool findTrue, bool keepNeighbours)
{
	brGpu_Ensure(pairs->gpu, &pairs->candidates[0], pairs->capacity, sizeof(cl_ulong));
	(pairs->method == br_pairsKdet ? brGpuPairs_EnqueueGridSearch : pairsEnqueueTreeSearch)(pairs, flags);
	if (findTrue)
	{
		pairsEnqueueNarrow(pairs, keepNeighbours);
	}
}

static uint32_t pairsFlags(const brGpuPairs* pairs, bool enableSelf, bool enableInter)
{
	return (enableSelf ? BR_GPU_FLAG_SELF : 0u) | (enableInter ? BR_GPU_FLAG_INTER : 0u) |
		   (pairs->dropNeighbours && pairs->cornersEach > 1 ? BR_GPU_FLAG_NO_NEIGHBOUR : 0u);
}

void brGpuPairs_Enqueue(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbours)
{
	if (pairs->capacity == 0)
	{
		pairs->capacity = 8 * (int64_t)pairs->count + 4096;
		pairs->meetingCapacity = pairs->count + 4096;
	}
	uint32_t flags = pairsFlags(pairs, enableSelf, enableInter);
	if (pairs->method == br_pairsKdet)
	{
		brGpuPairs_EnqueueGrid(pairs, flags);
	}
	else
	{
		pairsEnqueueTree(pairs);
	}
	pairsEnqueueSearch(pairs, flags, findTrue, keepNeighbours);
}

// Room for a list that has grown to `count`, with an eighth to spare.
static int64_t pairsRoom(int64_t count, int64_t capacity)
{
	int64_t room = count + count / 8 < UINT32_MAX ? count + count / 8 : UINT32_MAX - 1;
	return count > capacity ? room : capacity;
}

brResult brGpuPairs_Run(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbours,
						brGpuFound* outFound, brReport* report)
{
	brGpu* gpu = pairs->gpu;
	brGpuPairs_Enqueue(pairs, enableSelf, enableInter, findTrue, keepNeighbours);
	for (;;)
	{
		uint32_t counters[6] = {0};
		brResult result =
			brGpu_Read(gpu, &pairs->state, pairsCounters * sizeof(uint32_t), counters, sizeof(counters), report);
		if (result < 0)
		{
			return result;
		}
		int64_t listed = (int64_t)counters[1] << 32 | counters[0];
		int64_t candidates = (int64_t)counters[5] << 32 | counters[4];
		int64_t settled = counters[2] > counters[3] ? counters[2] : counters[3]; // the longer list
		if (listed >= UINT32_MAX)
		{
			return brFail(report, br_errorLimit, "there are more candidate pairs than a device list holds (2^32)");
		}
		if (listed <= pairs->capacity && settled <= pairs->meetingCapacity)
		{
			*outFound = (brGpuFound){candidates, counters[2], counters[3]};
			return br_success;
		}
		pairs->capacity = pairsRoom(listed, pairs->capacity);
		pairs->meetingCapacity = pairsRoom(settled, pairs->meetingCapacity);
		static const uint32_t none[6];
		brGpu_Write(gpu, &pairs->state, pairsCounters * sizeof(uint32_t), none, sizeof(none));
		pairsEnqueueSearch(pairs, pairsFlags(pairs, enableSelf, enableInter), findTrue, keepNeighbours);
	}
}

static void pairsUnpack(const cl_ulong* names, int64_t count, brPair* outPairs)
{
	for (int64_t i = 0; i < count; ++i)
	{
		cl_ulong name = names[i]; // the two lists may be one place
		outPairs[i] = (brPair){(int32_t)(name >> 32), (int32_t)(name & 0xFFFFFFFFu)};
	}
}

brResult brGpuPairs_Read(brGpuPairs* pairs, bool isMeeting, int64_t count, brPair* outPairs, brReport* report)
{
	brGpu* gpu = pairs->gpu;
	if (count == 0)
	{
		return br_success;
	}
	brGpuBuffer* lists = isMeeting ? pairs->meeting : pairs->candidates;
	brGpu_Ensure(gpu, &lists[1], count, sizeof(cl_ulong));
	uint32_t bits = 1;
	while ((1 << bits) < pairs->count)
	{
		bits += 1;
	}
	uint32_t counter = pairsCounters + (isMeeting ? 2u : 0u);
	int32_t sorted = brGpu_Sort(gpu, &pairs->sorter, lists, 0, &pairs->state, counter, count, 0, bits);
	sorted = brGpu_Sort(gpu, &pairs->sorter, lists, sorted, &pairs->state, counter, count, 32, 32 + bits);
	_Static_assert(sizeof(brPair) == sizeof(cl_ulong), "a pair is read in place");
	brResult result = brGpu_Read(gpu, &lists[sorted], 0, outPairs, (size_t)count * sizeof(cl_ulong), report);
	if (result >= 0)
	{
		pairsUnpack((const cl_ulong*)(const void*)outPairs, count, outPairs);
	}
	return result;
}

brResult brGpuPairs_ReadUnsure(brGpuPairs* pairs, int64_t count, brPair* outPairs, brReport* report)
{
	brResult result = brGpu_Read(pairs->gpu, &pairs->unsure, 0, outPairs, (size_t)count * sizeof(cl_ulong), report);
	if (result >= 0)
	{
		pairsUnpack((const cl_ulong*)(const void*)outPairs, count, outPairs);
	}
	return result;
}

brResult brGpuPairs_Measure(brGpuPairs* pairs, const brPair* list, int64_t count, brPenetration* outPenetrations,
							brReport* report)
{
	_Static_assert(sizeof(brPenetration) == 4 * sizeof(double), "as brk_measureTets writes it");
	brGpu* gpu = pairs->gpu;
	if (count == 0)
	{
		return br_success;
	}
	cl_ulong* names = BR_ALLOC(&gpu->allocator, cl_ulong, count);
	if (names == NULL)
	{
		return brFailMemory(report);
	}
	for (int64_t i = 0; i < count; ++i)
	{
		names[i] = (cl_ulong)(uint32_t)list[i].a << 32 | (uint32_t)list[i].b;
	}
	brGpu_Ensure(gpu, &pairs->meeting[1], count, sizeof(cl_ulong));
	brGpu_Ensure(gpu, &pairs->penetrations, count, sizeof(brPenetration));
	brGpu_Write(gpu, &pairs->meeting[1], 0, names, (size_t)count * sizeof(cl_ulong));
	BR_FREE(&gpu->allocator, names, count);
	brGpu_Run(gpu, kernel_brk_measureTets, 2 * brGpuPairs_Groups(pairs, count), pairsTetGroup,
			  (brGpuArg[]){brBufferArg(&pairs->meeting[1]), brUintArg((uint32_t)count), brBufferArg(&pairs->corners),
						   brBufferArg(&pairs->vertices), brBufferArg(&pairs->penetrations)},
			  5);
	return brGpu_Read(gpu, &pairs->penetrations, 0, outPenetrations, (size_t)count * sizeof(brPenetration), report);
}

#endif
