// SPDX-License-Identifier: MIT

#include "gpu/gpu_pairs.h"

#ifdef BR_HAVE_OPENCL

#include <string.h>

enum
{
	pairsGroup = 256,
	pairsTile = 1024,    // TREE_TILE of tree.cl
	pairsArity = 32,     //
	pairsTop = 256,      // PAIR_TOP of pairs.cl
	pairsAskers = 16,    // leaves that a group asks for,
	pairsFewAskers = 4,  // if elements are few
	pairsAskGroup = 128, // PAIR_GROUP
	pairsCounters = BR_GPU_STATE_COUNTERS,
	pairsMeetGroups = 8, // work-groups of the triangle test a compute unit
	pairsBits = 30,      // of a curve code
	pairsFew = 1 << 20,  // up to so many elements
	pairsFewBits = 24,   // the code's upper bits do,
	pairsFewer = 32768,  //
	pairsFewerBits = 16, //
	pairsTetGroup = 128, // TETS_GROUP of tets.cl
	pairsLeast = 4096,   // room in every list
};

void brGpuPairs_Init(brGpuPairs* pairs, brGpu* gpu)
{
	memset(pairs, 0, sizeof(*pairs));
	pairs->gpu = gpu;
}

bool brGpuPairs_SetEngine(brGpuPairs* pairs, const brPairEngine* engine)
{
	pairs->method = engine->device;
	pairs->kdet = engine->kdet;
	if (engine->device != br_deviceEngine)
	{
		return true;
	}
	pairs->engineState = brAllocZeroArray(&pairs->gpu->allocator, 1, engine->gpu->stateBytes);
	if (pairs->engineState == NULL)
	{
		return false;
	}
	pairs->engine = engine->gpu;
	pairs->engine->init(pairs->engineState, engine);
	return true;
}

void brGpuPairs_Free(brGpuPairs* pairs)
{
	BR_GPU_FREE(pairs->gpu, &pairs->vertices, &pairs->penetrations, &pairs->corners, &pairs->objects,
				&pairs->elementCount, &pairs->state, &pairs->boxes, &pairs->leaves, &pairs->nodes, &pairs->shape,
				&pairs->unsure, &pairs->candidates[0], &pairs->candidates[1], &pairs->meeting[0], &pairs->meeting[1],
				&pairs->laterStates[0], &pairs->laterStates[1]);
	brGpuPairs_FreeGrid(pairs);
	if (pairs->engine != NULL)
	{
		pairs->engine->free(pairs);
		brFree(&pairs->gpu->allocator, pairs->engineState, pairs->engine->stateBytes);
	}
	brGpuPairs_FreeFront(pairs);
	brGpuSorter_Free(pairs->gpu, &pairs->sorter);
}

// Levels above `count` leaves, two by two as the kernels make them, until one has few enough nodes to begin with: 32,
// or as many as a launch less is worth where only brk_findPairs reads them.
static void pairsShape(brGpuPairs* pairs, int32_t count)
{
	const uint32_t most = pairs->method == br_deviceEngine ? pairsArity : pairsTop;
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
	} while (below > most);
}

// Whether there is a tree along the curve.
static bool pairsIsAlongCurve(const brGpuPairs* pairs)
{
	return pairs->method == br_deviceOi || pairs->method == br_deviceFront ||
		   (pairs->method == br_deviceEngine && pairs->engine->isAlongCurve);
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
	pairs->isStarted = false;
	bool areBoxes = source->corners == NULL; // then every element is its own corner
	pairs->cornersEach = areBoxes ? 1 : source->cornersEach;
	pairs->vertexCount = areBoxes ? source->count : source->vertexCount;
	pairsShape(pairs, source->count);
	int32_t last = pairs->levelCount - 1;
	int64_t nodeCount = (int64_t)pairs->levelStarts[last] + (int64_t)pairs->levelCounts[last] + 1;
	int64_t leafCount = ((int64_t)source->count + pairsTile - 1) / pairsTile * pairsTile;
	int64_t cornerCount = (int64_t)source->count * pairs->cornersEach;

	pairs->hasObjects = objects != NULL;
	pairs->objectCount = objects != NULL ? objects[source->count - 1] + 1u : 1u;
	brGpu_Ensure(gpu, &pairs->corners, areBoxes ? 1 : cornerCount, sizeof(int32_t));
	brGpu_Ensure(gpu, &pairs->objects, pairs->hasObjects ? source->count : 1, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pairs->elementCount, 1, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pairs->leaves, 2 * leafCount, sizeof(cl_float4));
	brGpu_Ensure(gpu, &pairs->shape, 2 * BR_GPU_TREE_LEVELS, sizeof(uint32_t));
	if (pairs->method == br_deviceKdet)
	{
		brGpuPairs_EnsureGrid(pairs);
	}
	else if (pairs->method == br_deviceBrute)
	{
		brGpuPairs_EnsureBrute(pairs);
	}
	else if (pairsIsAlongCurve(pairs))
	{
		brGpu_Ensure(gpu, &pairs->state, BR_GPU_STATE_SIZE, sizeof(uint32_t));
		brGpu_Ensure(gpu, &pairs->nodes, 2 * nodeCount, sizeof(cl_float4));
	}
	if (pairs->method == br_deviceEngine)
	{
		result = pairs->engine->ensure(pairs, objects, report);
	}
	else if (pairs->method == br_deviceFront)
	{
		brGpuPairs_EnsureFront(pairs);
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
	brGpu_Write(gpu, &pairs->objects, 0, objects, objects != NULL ? (size_t)source->count * sizeof(uint32_t) : 0);
	brGpu_Write(gpu, &pairs->corners, 0, source->corners, areBoxes ? 0 : (size_t)cornerCount * sizeof(int32_t));
	brResult finished = brGpu_Finish(gpu, report);
	return result < 0 ? result : finished;
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
	pairs->vertexCount = (int32_t)count;
	brGpu_Ensure(gpu, &pairs->vertices, count, each);
	brGpu_Write(gpu, &pairs->vertices, 0, vertices, (size_t)count * each);
}

// The state with the bounds of the last frame, which is empty otherwise; the first frame has to find its bounds.
static void pairsTurnStates(brGpuPairs* pairs)
{
	brGpu* gpu = pairs->gpu;
	if (pairs->isStarted)
	{
		brGpuBuffer old = pairs->state;
		pairs->state = pairs->laterStates[0];
		pairs->laterStates[0] = pairs->laterStates[1];
		pairs->laterStates[1] = old;
		return;
	}
	brGpu_Ensure(gpu, &pairs->laterStates[0], BR_GPU_STATE_SIZE, sizeof(uint32_t));
	brGpu_Ensure(gpu, &pairs->laterStates[1], BR_GPU_STATE_SIZE, sizeof(uint32_t));
	brGpu_Clear(gpu, &pairs->state, BR_GPU_STATE_SIZE);
	brGpu_Clear(gpu, &pairs->laterStates[0], BR_GPU_STATE_SIZE);
	BR_GPU_RUN(gpu, kernel_brk_boundVertices, brGpuPairs_Groups(pairs, pairs->vertexCount), pairsGroup,
			   brBufferArg(&pairs->vertices), brUintArg(pairs->arePositions), brUintArg((uint32_t)pairs->vertexCount),
			   brBufferArg(&pairs->state));
	pairs->isStarted = true;
}

// Elements along the curve, in the list of candidates. Returns how many lower bits of the codes were left out.
static uint32_t pairsEnqueueOrder(brGpuPairs* pairs)
{
	brGpu* gpu = pairs->gpu;
	uint32_t count = (uint32_t)pairs->count;
	pairsTurnStates(pairs);
	// Few elements are told apart by the upper bits, with a pass or two less: what stays together is in the order of
	// the mesh. The sort works in the lists of candidates and of leaves, which are not filled yet, and ends in the
	// first.
	uint32_t bits = count < pairsFewer ? pairsFewerBits : count < pairsFew ? pairsFewBits : pairsBits;
	uint32_t lowBit = pairsBits - bits;
	int32_t start = (int32_t)((bits + 7) / 8) % 2;
	brGpuBuffer items[2] = {pairs->candidates[0], pairs->leaves};
	brGpuKeyBits keys = {32 + lowBit, 32 + pairsBits};
	brGpuSortCounts counts = brGpu_BeginSort(gpu, &pairs->sorter, count);
	BR_GPU_RUN(gpu, kernel_brk_curveItems, brGpuPairs_Groups(pairs, count), pairsGroup, brBufferArg(&pairs->vertices),
			   brUintArg(pairs->arePositions), brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach),
			   brUintArg(count), brBufferArg(&pairs->state), brBufferArg(&items[start]),
			   brBufferArg(&pairs->laterStates[0]), brBufferArg(&pairs->laterStates[1]), brUintArg(BR_GPU_STATE_SIZE),
			   brBufferArg(counts.counts), brUintArg(counts.at), brUintArg(counts.isWanted ? counts.tiles : 0),
			   brUintArg(counts.tile), brUintArg(lowBit));
	counts.isWanted ? brGpu_SortCounted(gpu, &pairs->sorter, items, start, &pairs->elementCount, 0, keys)
					: brGpu_Sort(gpu, &pairs->sorter, items, start, &pairs->elementCount, 0, count, keys);
	return lowBit;
}

static void pairsEnqueueTree(brGpuPairs* pairs)
{
	brGpu* gpu = pairs->gpu;
	uint32_t count = (uint32_t)pairs->count;
	// Leaves remember their elements, so a frame that is like the last can do without an order of its own. Pairs are
	// the same.
	bool isRefit = pairs->method == br_deviceOi && pairs->isStarted && pairs->sortedFor < pairs->sortEvery;
	pairs->sortedFor = isRefit ? pairs->sortedFor + 1 : 1;
	uint32_t lowBit = isRefit ? 0 : pairsEnqueueOrder(pairs);
	bool isRenewed = pairs->method == br_deviceFront && pairs->front.mode == br_gpuFrontRenew;
	int64_t groups = ((int64_t)count + pairsTile - 1) / pairsTile;
	BR_GPU_RUN(gpu, kernel_brk_packLeaves, groups, pairsGroup, brBufferArg(&pairs->candidates[0]),
			   brBufferArg(&pairs->vertices), brUintArg(pairs->arePositions), brBufferArg(&pairs->corners),
			   brUintArg((uint32_t)pairs->cornersEach), brBufferArg(&pairs->objects), brUintArg(pairs->hasObjects),
			   brUintArg(count), brBufferArg(&pairs->leaves), brBufferArg(&pairs->nodes),
			   brUintArg(pairs->levelStarts[0]), brUintArg(pairs->levelStarts[1]), brUintArg(isRefit),
			   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_FRONTS),
			   brFloatArg(isRenewed ? pairs->front.margin : 0.0f));
	for (int32_t level = 2; level < pairs->levelCount; level += 2)
	{
		uint32_t below = pairs->levelCounts[level - 1];
		BR_GPU_RUN(gpu, kernel_brk_packNodes, (below + pairsTile - 1) / pairsTile, pairsGroup,
				   brBufferArg(&pairs->nodes), brUintArg(pairs->levelStarts[level - 1]), brUintArg(below),
				   brUintArg(pairs->levelStarts[level]), brUintArg(pairs->levelStarts[level + 1]));
	}
	if (pairs->method == br_deviceEngine)
	{
		pairs->engine->build(pairs, lowBit);
	}
}

void brGpuPairs_EnqueueTreeSearch(brGpuPairs* pairs, uint32_t flags, const brGpuBuffer* list, int64_t capacity,
								  uint32_t counter)
{
	uint32_t count = (uint32_t)pairs->count;
	uint32_t askers = count < pairsFewer ? pairsFewAskers : pairsAskers;
	BR_GPU_RUN(pairs->gpu, kernel_brk_findPairs, (count + askers - 1) / askers, pairsAskGroup,
			   brBufferArg(&pairs->leaves), brBufferArg(&pairs->nodes), brBufferArg(&pairs->shape),
			   brUintArg((uint32_t)pairs->levelCount), brUintArg(count), brUintArg(askers), brUintArg(flags),
			   brBufferArg(&pairs->corners), brUintArg((uint32_t)pairs->cornersEach), brBufferArg(list),
			   brUintArg((uint32_t)capacity), brBufferArg(&pairs->state), brUintArg(counter));
}

static void pairsEnqueueNarrow(brGpuPairs* pairs, bool keepNeighbors)
{
	brGpu* gpu = pairs->gpu;
	brGpuArg args[12] = {brBufferArg(&pairs->candidates[0]),
						 brUintArg((uint32_t)pairs->capacity.candidates),
						 brBufferArg(&pairs->state),
						 brUintArg(pairsCounters),
						 brBufferArg(&pairs->corners),
						 brBufferArg(&pairs->vertices),
						 brUintArg(keepNeighbors)};
	bool areTets = pairs->cornersEach == 4;
	uint32_t argCount = 7;
	if (areTets)
	{
		args[argCount++] = brUintArg(pairs->tetTest == br_tetSatNoEdges);
	}
	args[argCount++] = brBufferArg(&pairs->meeting[0]);
	args[argCount++] = brBufferArg(&pairs->unsure);
	args[argCount++] = brUintArg((uint32_t)pairs->capacity.meeting);
	args[argCount++] = brUintArg((uint32_t)pairs->capacity.unsure);
	brGpu_Run(gpu, areTets ? kernel_brk_meetTets : kernel_brk_meetTriangles,
			  (areTets ? 2 : 1) * pairsMeetGroups * (int64_t)gpu->info.computeUnits,
			  areTets ? pairsTetGroup : pairsGroup, args, argCount);
}

static bool pairsIsByFront(const brGpuPairs* pairs)
{
	return pairs->method == br_deviceFront && pairs->front.mode != br_gpuFrontPlain;
}

static void pairsEnqueueSearch(brGpuPairs* pairs, uint32_t flags, bool findTrue, bool keepNeighbors)
{
	switch (pairs->method)
	{
		case br_deviceKdet:
			brGpuPairs_EnqueueGridSearch(pairs, flags);
			break;
		case br_deviceBrute:
			brGpuPairs_EnqueueBruteSearch(pairs, flags);
			break;
		case br_deviceEngine:
			pairs->engine->search(pairs, flags);
			break;
		default:
			if (pairsIsByFront(pairs))
			{
				brGpuPairs_EnqueueFrontSearch(pairs);
				break;
			}
			brGpuPairs_EnqueueTreeSearch(pairs, flags, &pairs->candidates[0], pairs->capacity.candidates,
										 pairsCounters);
	}
	if (findTrue)
	{
		pairsEnqueueNarrow(pairs, keepNeighbors);
	}
}

static uint32_t pairsFlags(const brGpuPairs* pairs, bool enableSelf, bool enableInter)
{
	return (enableSelf ? BR_GPU_FLAG_SELF : 0u) | (enableInter ? BR_GPU_FLAG_INTER : 0u) |
		   (pairs->dropNeighbors && pairs->cornersEach > 1 ? BR_GPU_FLAG_NO_NEIGHBOR : 0u);
}

// A list that is much longer than the last frame needed, or too short for a sort of all elements, is made anew; what
// was in it is lost.
static void pairsFitList(brGpuPairs* pairs, brGpuBuffer* list, int64_t* capacity, int64_t last, int64_t least)
{
	int64_t wanted = brGpuPairs_Room(last > least ? last : least);
	if (*capacity < least || (pairs->isCounted && *capacity > 2 * wanted))
	{
		brGpu_Free(pairs->gpu, list);
		*capacity = wanted;
	}
	brGpu_Ensure(pairs->gpu, list, *capacity, sizeof(cl_ulong));
}

static void pairsFitLists(brGpuPairs* pairs, bool findTrue)
{
	bool isFirst = pairs->capacity.candidates == 0;
	int64_t each = pairs->kdet.pairsEach > 0 ? pairs->kdet.pairsEach : pairs->dropNeighbors ? 2 : 8;
	int64_t count = pairs->count, guess = isFirst ? each * count : 0;
	pairsFitList(pairs, &pairs->candidates[0], &pairs->capacity.candidates, pairs->last.candidates + guess, count);
	if (findTrue)
	{
		pairsFitList(pairs, &pairs->meeting[0], &pairs->capacity.meeting, pairs->last.meeting, pairsLeast);
		pairsFitList(pairs, &pairs->unsure, &pairs->capacity.unsure, pairs->last.unsure, pairsLeast);
	}
}

void brGpuPairs_Enqueue(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbors)
{
	uint32_t flags = pairsFlags(pairs, enableSelf, enableInter);
	pairsFitLists(pairs, findTrue);
	if (pairs->method == br_deviceFront)
	{
		brGpuPairs_ChooseFront(pairs, flags);
	}
	switch (pairs->method)
	{
		case br_deviceKdet:
			brGpuPairs_EnqueueGrid(pairs, flags);
			break;
		case br_deviceBrute:
			brGpuPairs_EnqueueBrute(pairs);
			break;
		default:
			if (!pairsIsAlongCurve(pairs))
			{
				pairs->engine->build(pairs, 0);
			}
			else if (!pairsIsByFront(pairs) || pairs->front.mode == br_gpuFrontRenew)
			{
				pairsEnqueueTree(pairs);
			}
	}
	pairsEnqueueSearch(pairs, flags, findTrue, keepNeighbors);
}

// Longer if it was too short.
static bool pairsGrow(brGpuPairs* pairs, brGpuBuffer* list, int64_t* capacity, int64_t count)
{
	bool isShort = count > *capacity;
	*capacity = isShort ? brGpuPairs_Room(count) : *capacity;
	brGpu_Ensure(pairs->gpu, list, *capacity, sizeof(cl_ulong));
	return isShort;
}

brResult brGpuPairs_Run(brGpuPairs* pairs, bool enableSelf, bool enableInter, bool findTrue, bool keepNeighbors,
						brGpuFound* outFound, brReport* report)
{
	brGpu* gpu = pairs->gpu;
	uint32_t flags = pairsFlags(pairs, enableSelf, enableInter);
	brGpuPairs_Enqueue(pairs, enableSelf, enableInter, findTrue, keepNeighbors);
	for (;;)
	{
		uint32_t state[BR_GPU_STATE_SIZE] = {0};
		const uint32_t* counters = state + pairsCounters;
		brResult result = brGpu_Read(gpu, &pairs->state, 0, state, sizeof(state), report);
		if (result < 0)
		{
			pairs->isStarted = false; // nobody knows what is in the states
			pairs->front.isKept = false;
			return result;
		}
		int64_t listed = (int64_t)counters[1] << 32 | counters[0];
		bool isTree = pairs->method == br_deviceOi || pairs->method == br_deviceFront;
		bool areAllListed = isTree && (flags & BR_GPU_FLAG_NO_NEIGHBOR) == 0;
		int64_t candidates = areAllListed ? listed : (int64_t)counters[5] << 32 | counters[4];
		bool isShort = false;
		if (pairs->method == br_deviceFront)
		{
			bool isByFront = pairsIsByFront(pairs);
			int64_t dropped = 0;
			brGpuFrontAnswer answer = brGpuPairs_JudgeFront(pairs, state, &dropped);
			if (answer == br_gpuFrontFails)
			{
				brGpuPairs_Enqueue(pairs, enableSelf, enableInter, findTrue, keepNeighbors);
				continue;
			}
			candidates = isByFront ? listed + dropped : candidates;
			isShort = answer == br_gpuFrontShort;
		}
		if (listed >= UINT32_MAX)
		{
			return brFail(report, br_errorLimit, "there are more candidate pairs than a device list holds (2^32)");
		}
		pairs->isCounted = true;
		pairs->last = (brGpuCounts){listed, findTrue ? counters[2] : pairs->last.meeting,
									findTrue ? counters[3] : pairs->last.unsure};
		isShort |= pairsGrow(pairs, &pairs->candidates[0], &pairs->capacity.candidates, listed);
		bool hasLists = pairs->method == br_deviceEngine && pairs->engine->grow != NULL;
		isShort |= hasLists && pairs->engine->grow(pairs, state);
		if (findTrue)
		{
			isShort |= pairsGrow(pairs, &pairs->meeting[0], &pairs->capacity.meeting, counters[2]);
			isShort |= pairsGrow(pairs, &pairs->unsure, &pairs->capacity.unsure, counters[3]);
		}
		if (!isShort)
		{
			*outFound = (brGpuFound){candidates, counters[2], counters[3]};
			return br_success;
		}
		static const uint32_t none[BR_GPU_STATE_SIZE];
		// Lengths of an engine's lists too; else there is more in the state that is still needed.
		brGpu_Write(gpu, &pairs->state, pairsCounters * sizeof(uint32_t), none,
					(hasLists ? BR_GPU_STATE_SIZE - pairsCounters : 6) * sizeof(uint32_t));
		pairsEnqueueSearch(pairs, flags, findTrue, keepNeighbors);
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
	int32_t sorted = brGpu_Sort(gpu, &pairs->sorter, lists, 0, &pairs->state, counter, count, (brGpuKeyBits){0, bits});
	sorted =
		brGpu_Sort(gpu, &pairs->sorter, lists, sorted, &pairs->state, counter, count, (brGpuKeyBits){32, 32 + bits});
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
	brGpuKernel measure = pairs->tetTest == br_tetGjk ? kernel_brk_expandTets : kernel_brk_measureTets;
	BR_GPU_RUN(gpu, measure, 2 * brGpuPairs_Groups(pairs, count), pairsTetGroup, brBufferArg(&pairs->meeting[1]),
			   brUintArg((uint32_t)count), brBufferArg(&pairs->corners), brBufferArg(&pairs->vertices),
			   brBufferArg(&pairs->penetrations));
	return brGpu_Read(gpu, &pairs->penetrations, 0, outPenetrations, (size_t)count * sizeof(brPenetration), report);
}

#endif
