// SPDX-License-Identifier: MIT

// Boxes -> codes -> order.
//
// A least-digit-first sort of (code, index) in three passes of ten bits. With one worker the digits of all passes are
// counted while the codes are made, the first pass reads codes alone and the last writes indices alone. With many, each
// deals its run of primitives to stretches of the curve, and then sorts one stretch by itself: two loops, and half the
// keys stay in the cache of one core.

#include "index/curve_order.h"

#include "base/clock.h"

#include <string.h>

enum
{
	curveBlock = 1024, // primitives whose boxes are made and coded in one go
	curveSmall = 4096, // below this one run is enough
	curveMostRuns = BR_MAX_WORKERS,
};

typedef struct CurveJob
{
	brCurveOrder* order;
	int32_t count;
	int32_t runCount;
	const int32_t* treeStarts;
	int32_t treeCount;
	const int32_t* outStarts;
	uint32_t* outOrder;
	int32_t partStarts[curveMostRuns + 1];
	uint8_t partOf[BR_CURVE_DIGITS]; // by highest digit
} CurveJob;

static int32_t curveRunStart(const CurveJob* job, int32_t run)
{
	return (int32_t)((int64_t)job->count * run / job->runCount);
}

// Ten bits an axis over the longest side: cells are cubes, so that no direction is finer than another.
static brCurveGrid curveMakeGrid(const brTreeBox* bounds)
{
	brCurveGrid grid;
	memset(&grid, 0, sizeof(grid));
	float longest = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		grid.origin[k] = bounds->lower[k];
		float side = -0.5f * bounds->negUpper[k] - 0.5f * bounds->lower[k];
		longest = side > longest ? side : longest;
	}
	// Half sides, because a whole one may be too large for a float; a point gets scale 0 and code 0.
	float scale = longest > 0.0f ? (0.5f * (float)(1 << BR_CURVE_AXIS_BITS)) / longest : 0.0f;
	scale = scale <= 0x1p126f ? scale : 0x1p126f;
	for (int k = 0; k < 3; ++k)
	{
		grid.scale[k] = scale;
	}
	return grid;
}

// Codes of one run, tree by tree; with one tree its boxes are made here too.
static void curveCodeRun(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CurveJob* job = user;
	brCurveOrder* order = job->order;
	const brWideKernels* kernels = order->maker.kernels;
	brTreeBox* boxes = order->boxes.data;
	uint32_t* codes = order->codes.data;
	for (int32_t run = begin; run < end; ++run)
	{
		brCurveCounts* counts = (brCurveCounts*)order->counts.data + run;
		memset(counts, 0, sizeof(*counts));
		int32_t first = curveRunStart(job, run), last = curveRunStart(job, run + 1);
		if (job->treeCount == 1)
		{
			brCurveGrid grid = curveMakeGrid(&order->maker.bounds);
			for (int32_t i = first; i < last; i += curveBlock)
			{
				int32_t stop = last - i < curveBlock ? last : i + curveBlock;
				brBoxMaker_Fill(&order->maker, i, stop, boxes + i);
				kernels->curveCodes(boxes + i, stop - i, &grid, codes + i, counts);
			}
			continue;
		}
		const uint32_t* trees = order->trees.data;
		for (int32_t i = first; i < last;)
		{
			uint32_t tree = trees[i];
			int32_t stop = job->treeStarts[tree + 1] < last ? job->treeStarts[tree + 1] : last;
			brCurveGrid grid = curveMakeGrid((const brTreeBox*)order->bounds.data + tree);
			kernels->curveCodes(boxes + i, stop - i, &grid, codes + i, counts);
			i = stop;
		}
	}
}

// Boxes, bounds and tree numbers of some trees, when there are many.
static void curveBoxTrees(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CurveJob* job = user;
	brCurveOrder* order = job->order;
	brTreeBox* boxes = order->boxes.data;
	uint32_t* trees = order->trees.data;
	for (int32_t tree = begin; tree < end; ++tree)
	{
		int32_t first = job->treeStarts[tree], last = job->treeStarts[tree + 1];
		brTreeBox* bounds = (brTreeBox*)order->bounds.data + tree;
		*bounds = brMakeTreeBoxEmpty();
		for (int32_t i = first; i < last; i += curveBlock)
		{
			int32_t stop = last - i < curveBlock ? last : i + curveBlock;
			brBoxMaker_Fill(&order->maker, i, stop, boxes + i);
			order->maker.kernels->boundBoxes(boxes + i, stop - i, bounds);
		}
		for (int32_t i = first; i < last; ++i)
		{
			trees[i] = (uint32_t)tree;
		}
	}
}

// Parts: stretches of the curve with about as many primitives each, cut between values of the highest digit.
static void curveCutParts(CurveJob* job)
{
	const brCurveCounts* counts = job->order->counts.data;
	const int highest = BR_CURVE_PASSES - 1;
	int32_t part = 0, before = 0;
	memset(job->partStarts, 0, sizeof(job->partStarts));
	for (int32_t digit = 0; digit < BR_CURVE_DIGITS; ++digit)
	{
		// A part ends where its share of the primitives is reached.
		while (part + 1 < job->runCount && before >= curveRunStart(job, part + 1))
		{
			part += 1;
			job->partStarts[part] = before;
		}
		job->partOf[digit] = (uint8_t)part;
		for (int32_t run = 0; run < job->runCount; ++run)
		{
			before += (int32_t)counts[run].digits[highest][digit];
		}
	}
	for (part += 1; part <= job->runCount; ++part)
	{
		job->partStarts[part] = job->count;
	}
}

// Sends the primitives of some runs to their parts, kept in order.
static void curveDealRun(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CurveJob* job = user;
	const brCurveCounts* counts = job->order->counts.data;
	const uint32_t* codes = job->order->codes.data;
	uint64_t* to = job->order->keys[1].data;
	const int highest = BR_CURVE_PASSES - 1;
	for (int32_t run = begin; run < end; ++run)
	{
		int32_t places[curveMostRuns];
		memcpy(places, job->partStarts, sizeof(places));
		for (int32_t digit = 0; digit < BR_CURVE_DIGITS; ++digit)
		{
			for (int32_t other = 0; other < run; ++other)
			{
				places[job->partOf[digit]] += (int32_t)counts[other].digits[highest][digit];
			}
		}
		int32_t last = curveRunStart(job, run + 1);
		for (int32_t i = curveRunStart(job, run); i < last; ++i)
		{
			uint32_t code = codes[i];
			to[places[job->partOf[code >> (highest * BR_CURVE_DIGIT_BITS)]]++] = (uint64_t)code << 32 | (uint32_t)i;
		}
	}
}

// Counts to places.
static void curvePlaces(uint32_t digits[BR_CURVE_DIGITS], int32_t first)
{
	uint32_t place = (uint32_t)first;
	for (int32_t digit = 0; digit < BR_CURVE_DIGITS; ++digit)
	{
		uint32_t count = digits[digit];
		digits[digit] = place;
		place += count;
	}
}

// Sorts places [first, last) of the keys by all digits; with one part the keys are still to be made.
static void curveSortPart(CurveJob* job, brCurveCounts* counts, int32_t first, int32_t last)
{
	const uint32_t mask = BR_CURVE_DIGITS - 1;
	const uint32_t* codes = job->order->codes.data;
	uint64_t *a = job->order->keys[0].data, *b = job->order->keys[1].data;
	for (int pass = 0; pass < BR_CURVE_PASSES; ++pass)
	{
		curvePlaces(counts->digits[pass], first);
	}
	uint32_t* places = counts->digits[0];
	for (int32_t i = first; i < last && job->runCount == 1; ++i)
	{
		a[places[codes[i] & mask]++] = (uint64_t)codes[i] << 32 | (uint32_t)i;
	}
	for (int32_t i = first; i < last && job->runCount > 1; ++i)
	{
		a[places[b[i] >> 32 & mask]++] = b[i];
	}
	places = counts->digits[1];
	for (int32_t i = first; i < last; ++i)
	{
		b[places[a[i] >> (32 + BR_CURVE_DIGIT_BITS) & mask]++] = a[i];
	}
	places = counts->digits[2];
	if (job->treeCount > 1)
	{
		for (int32_t i = first; i < last; ++i)
		{
			a[places[b[i] >> (32 + 2 * BR_CURVE_DIGIT_BITS)]++] = b[i];
		}
		return;
	}
	uint32_t* out = job->outOrder + job->outStarts[0];
	for (int32_t i = first; i < last; ++i)
	{
		out[places[b[i] >> (32 + 2 * BR_CURVE_DIGIT_BITS)]++] = (uint32_t)b[i];
	}
}

static void curveSortParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CurveJob* job = user;
	const uint64_t* keys = job->order->keys[1].data;
	for (int32_t part = begin; part < end; ++part)
	{
		brCurveCounts* counts = (brCurveCounts*)job->order->counts.data + part;
		int32_t first = job->partStarts[part], last = job->partStarts[part + 1];
		if (job->runCount > 1) // the counts at hand are those of a run, not of a part
		{
			memset(counts, 0, sizeof(*counts));
			for (int32_t i = first; i < last; ++i)
			{
				uint32_t code = (uint32_t)(keys[i] >> 32);
				counts->digits[0][code & (BR_CURVE_DIGITS - 1)] += 1;
				counts->digits[1][code >> BR_CURVE_DIGIT_BITS & (BR_CURVE_DIGITS - 1)] += 1;
				counts->digits[2][code >> (2 * BR_CURVE_DIGIT_BITS)] += 1;
			}
		}
		curveSortPart(job, counts, first, last);
	}
}

// The last pass for many trees: what is in code order goes to its tree, kept in order.
static void curveDealToTrees(CurveJob* job)
{
	const uint64_t* from = job->order->keys[(BR_CURVE_PASSES - 1) & 1].data;
	const uint32_t* trees = job->order->trees.data;
	uint32_t* places = job->order->treeRuns.data;
	for (int32_t tree = 0; tree < job->treeCount; ++tree)
	{
		places[tree] = (uint32_t)job->outStarts[tree];
	}
	for (int32_t i = 0; i < job->count; ++i)
	{
		uint32_t index = (uint32_t)from[i];
		job->outOrder[places[trees[index]]++] = index;
	}
}

void brCurveOrder_Init(brCurveOrder* order, const brAllocator* allocator, const brWideKernels* kernels)
{
	memset(order, 0, sizeof(*order));
	order->allocator = *allocator;
	order->maker.allocator = *allocator;
	order->maker.kernels = kernels;
}

void brCurveOrder_Free(brCurveOrder* order)
{
	brBoxMaker_Free(&order->maker);
	brStageMemory* all[] = {&order->boxes,  &order->codes, &order->keys[0],  &order->keys[1],
							&order->counts, &order->trees, &order->treeRuns, &order->bounds};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &order->allocator);
	}
}

brResult brCurveOrder_Run(brCurveOrder* order, brWorkers* workers, const brBoxSource* source, const int32_t* treeStarts,
						  int32_t treeCount, const int32_t* outStarts, uint32_t* outOrder, brReport* report)
{
	int64_t start = brClockNanoseconds();
	int32_t count = source->count;
	CurveJob job = {.order = order,
					.count = count,
					.runCount = 1,
					.treeStarts = treeStarts,
					.treeCount = treeCount,
					.outStarts = outStarts,
					.outOrder = outOrder};
	job.runCount = count < curveSmall ? 1 : brWorkers_GetCount(workers);
	const brAllocator* allocator = &order->allocator;
	bool isMany = treeCount > 1;
	if (!brStageMemory_Ensure(&order->boxes, allocator, count, sizeof(brTreeBox)) ||
		!brStageMemory_Ensure(&order->codes, allocator, count, sizeof(uint32_t)) ||
		!brStageMemory_Ensure(&order->keys[0], allocator, count, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&order->keys[1], allocator, count, sizeof(uint64_t)) ||
		!brStageMemory_Ensure(&order->counts, allocator, job.runCount, sizeof(brCurveCounts)) ||
		(isMany && (!brStageMemory_Ensure(&order->trees, allocator, count, sizeof(uint32_t)) ||
					!brStageMemory_Ensure(&order->treeRuns, allocator, treeCount, sizeof(uint32_t)) ||
					!brStageMemory_Ensure(&order->bounds, allocator, treeCount, sizeof(brTreeBox)))))
	{
		return brFailMemory(report);
	}

	brResult result = brBoxMaker_Prepare(&order->maker, workers, source, report);
	if (result < 0)
	{
		return result;
	}
	if (isMany)
	{
		brParallelFor(workers, treeCount, 4, curveBoxTrees, &job);
	}
	brParallelFor(workers, job.runCount, 1, curveCodeRun, &job);
	order->boxSeconds = brSecondsSince(start);

	start = brClockNanoseconds();
	curveCutParts(&job);
	if (job.runCount > 1)
	{
		brParallelFor(workers, job.runCount, 1, curveDealRun, &job);
	}
	brParallelFor(workers, job.runCount, 1, curveSortParts, &job);
	if (isMany)
	{
		curveDealToTrees(&job);
	}
	order->sortSeconds = brSecondsSince(start);
	return br_success;
}
