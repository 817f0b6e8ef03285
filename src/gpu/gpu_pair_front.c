// SPDX-License-Identifier: MIT

// Fronts that frames share, see pair_front.cl: the launches, and when a front is worth it.
//
// A frame goes by the kept front and says on its way whether a box left its larger one; if so the frame is made again
// with a new front, so a pair is never lost. The margin follows how long fronts last and how many pairs they hold;
// where they do not last, plain frames come between.

#include "gpu/gpu_pairs.h"

#ifdef BR_HAVE_OPENCL

#include <math.h>
#include <string.h>

enum
{
	frontGroup = 256, // FRONT_GROUP of pair_front.cl
	frontTilesAUnit = 8,
	frontCounterCount = 6,
	frontWanted = 16, // frames that a front should last
	frontLeast = 2,   // below this it is not worth having
	frontFirstPlain = 4,
	frontMostPlain = 64,
};

// Parts of the spacing.
static const float frontFirstMargin = 0.125f, frontMostMargin = 1.0f;

void brGpuPairs_EnsureFront(brGpuPairs* pairs)
{
	brGpuFront* front = &pairs->front;
	brGpu_Ensure(pairs->gpu, &pairs->boxes, 2 * (int64_t)pairs->count, sizeof(cl_float4));
	front->isKept = false;
	front->plainLeft = 1; // which says how large everything is
	front->plainNext = frontFirstPlain;
	front->spacing = 0.0f;
	front->margin = -1.0f;
}

void brGpuPairs_FreeFront(brGpuPairs* pairs)
{
	brGpu_Free(pairs->gpu, &pairs->front.list);
}

void brGpuPairs_ChooseFront(brGpuPairs* pairs, uint32_t flags)
{
	brGpuFront* front = &pairs->front;
	front->isKept = front->isKept && front->flags == flags;
	front->mode = front->isKept ? br_gpuFrontKeep : front->plainLeft == 0 ? br_gpuFrontRenew : br_gpuFrontPlain;
	front->flags = flags;
	if (front->mode == br_gpuFrontPlain)
	{
		front->plainLeft -= 1;
	}
	else if (front->mode == br_gpuFrontRenew)
	{
		int64_t least = pairs->count + pairs->last.candidates;
		if (front->capacity < least || front->capacity > 8 * least)
		{
			brGpu_Free(pairs->gpu, &front->list);
			front->capacity = brGpuPairs_Room(least);
		}
		brGpu_Ensure(pairs->gpu, &front->list, front->capacity, sizeof(cl_ulong));
	}
}

void brGpuPairs_EnqueueFrontSearch(brGpuPairs* pairs)
{
	brGpu* gpu = pairs->gpu;
	brGpuFront* front = &pairs->front;
	uint32_t count = (uint32_t)pairs->count;
	if (front->mode == br_gpuFrontRenew)
	{
		brGpuPairs_EnqueueTreeSearch(pairs, front->flags, &front->list, front->capacity, BR_GPU_STATE_FRONTS);
	}
	BR_GPU_RUN(gpu, kernel_brk_frontBoxes, brGpuPairs_Groups(pairs, count), frontGroup, brBufferArg(&pairs->leaves),
			   brBufferArg(&pairs->vertices), brUintArg(pairs->arePositions), brBufferArg(&pairs->corners),
			   brUintArg((uint32_t)pairs->cornersEach), brUintArg(count), brBufferArg(&pairs->boxes),
			   brBufferArg(&pairs->state), brUintArg(BR_GPU_STATE_COUNTERS), brUintArg(frontCounterCount),
			   brUintArg(BR_GPU_STATE_ESCAPED));
	BR_GPU_RUN(gpu, kernel_brk_frontPairs, frontTilesAUnit * (int64_t)gpu->info.computeUnits, frontGroup,
			   brBufferArg(&front->list), brUintArg((uint32_t)front->capacity), brUintArg(BR_GPU_STATE_FRONTS),
			   brBufferArg(&pairs->boxes), brBufferArg(&pairs->candidates[0]),
			   brUintArg((uint32_t)pairs->capacity.candidates), brBufferArg(&pairs->state),
			   brUintArg(BR_GPU_STATE_COUNTERS), brUintArg(BR_GPU_STATE_ESCAPED));
}

static float frontUnordered(uint32_t bits)
{
	bits = (bits & 0x80000000u) != 0 ? bits & 0x7FFFFFFFu : ~bits;
	float x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

// How far elements are apart if they are a surface that fills the bounds, which the state of a sorted frame has.
static void frontMeasure(brGpuPairs* pairs, const uint32_t* state)
{
	brGpuFront* front = &pairs->front;
	double longest = 0.0;
	for (int32_t k = 0; k < 3; ++k)
	{
		longest = fmax(longest, (double)frontUnordered(state[3 + k]) - (double)frontUnordered(~state[k]));
	}
	double spacing = longest / sqrt((double)pairs->count);
	front->spacing = spacing < 1e30 ? (float)spacing : 0.0f;
	if (front->margin < 0.0f)
	{
		front->margin = frontFirstMargin * front->spacing;
		front->marginLimit = frontMostMargin * front->spacing;
	}
	front->marginLimit = fminf(front->marginLimit, frontMostMargin * front->spacing);
	front->margin = fminf(front->margin, front->marginLimit);
}

static void frontRest(brGpuFront* front)
{
	front->isKept = false;
	front->plainLeft = front->plainNext;
	front->plainNext = 2 * front->plainNext < frontMostPlain ? 2 * front->plainNext : frontMostPlain;
}

// A box left. A front that did not last wants a larger margin, and has a rest if that does not help.
static void frontEscape(brGpuFront* front)
{
	front->escapes += 1;
	front->isKept = false;
	bool canGrow = 1.5f * front->margin < front->marginLimit;
	if (front->survived < frontLeast && !canGrow)
	{
		frontRest(front);
	}
	else if (front->survived < frontWanted && canGrow)
	{
		front->margin = fminf(2.0f * front->margin, front->marginLimit);
	}
	front->plainNext = front->survived >= frontWanted ? frontFirstPlain : front->plainNext;
}

// A new front: is it too long to be worth it?
static brGpuFrontAnswer frontJudgeNew(brGpuPairs* pairs, int64_t length, int64_t candidates)
{
	brGpuFront* front = &pairs->front;
	// What is counted in `candidates` is too few if the front's list was short; then it is the count of the frame
	// before that says how many there should be.
	bool isShort = length > front->capacity;
	int64_t known = isShort ? pairs->last.candidates : candidates;
	if (length > 4 * known + 6 * (int64_t)pairs->count || length >= UINT32_MAX)
	{
		front->margin *= 0.5f;
		front->marginLimit = front->margin;
		front->isKept = false;
		front->plainLeft = 1; // the frame at hand
		return br_gpuFrontFails;
	}
	if (isShort)
	{
		front->capacity = brGpuPairs_Room(length);
		brGpu_Ensure(pairs->gpu, &front->list, front->capacity, sizeof(cl_ulong));
		static const uint32_t none[frontCounterCount];
		brGpu_Write(pairs->gpu, &pairs->state, BR_GPU_STATE_FRONTS * sizeof(uint32_t), none, sizeof(none));
		return br_gpuFrontShort;
	}
	// A front much longer than that costs more than it saves; one that is not lets the next have a little more, since
	// things change.
	bool isLong = length > 2 * candidates + 3 * (int64_t)pairs->count;
	front->marginLimit = isLong ? front->margin : fmaxf(1.1f * front->marginLimit, 0x1p-10f * front->spacing);
	front->mode = br_gpuFrontKeep; // also if a list of this frame is too short and it is looked through again
	front->isKept = true;
	front->length = length;
	front->survived = 0;
	front->renewals += 1;
	return br_gpuFrontHolds;
}

brGpuFrontAnswer brGpuPairs_JudgeFront(brGpuPairs* pairs, const uint32_t* state, int64_t* outDropped)
{
	brGpuFront* front = &pairs->front;
	const uint32_t* lengths = state + BR_GPU_STATE_FRONTS;
	int64_t length = (int64_t)lengths[1] << 32 | lengths[0], overlapping = (int64_t)lengths[5] << 32 | lengths[4];
	*outDropped = (front->flags & BR_GPU_FLAG_NO_NEIGHBOR) != 0 ? overlapping - length : 0;
	if (front->mode != br_gpuFrontKeep)
	{
		frontMeasure(pairs, state);
	}
	if (front->mode == br_gpuFrontPlain)
	{
		return br_gpuFrontHolds;
	}
	if (front->mode == br_gpuFrontRenew)
	{
		if (state[BR_GPU_STATE_ESCAPED] != 0) // only what is no box can leave at once
		{
			frontRest(front);
			return br_gpuFrontFails;
		}
		const uint32_t* counters = state + BR_GPU_STATE_COUNTERS;
		return frontJudgeNew(pairs, length, (int64_t)counters[1] << 32 | counters[0]);
	}
	if (state[BR_GPU_STATE_ESCAPED] != 0)
	{
		frontEscape(front);
		return br_gpuFrontFails;
	}
	front->survived += 1;
	return br_gpuFrontHolds;
}

#endif
