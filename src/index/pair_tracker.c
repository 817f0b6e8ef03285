// SPDX-License-Identifier: MIT

// The frame of a tracker: with the front or without, and what to do in the next.

#include "index/pair_tracker.h"

#include "index/tracker_costs.h"

#include <string.h>

enum
{
	trackSample = 16,     // of how many boxes one is looked at for speed
	trackPatience = 16,   // frames of the first pause
	trackMostPause = 512, // of later ones
	trackTrial = 8,       // frames after which a front is judged
	trackBlind = 128,     // frames without a front after which one is tried whatever the speed
};

// A front is seldom worth trying when boxes move by more than this part of their size in a frame: only if they move
// together.
static const double trackMostSpeed = 0.1;

void brPairTracker_Init(brPairTracker* tracker, const brAllocator* allocator, const brPairSearchDef* def,
						brTrackerMode mode)
{
	memset(tracker, 0, sizeof(*tracker));
	tracker->allocator = *allocator;
	tracker->mode = mode;
	brPairSearchDef searchDef = {
		.method = br_pairsOi, .lanes = def->lanes, .enableSelf = def->enableSelf, .enableInter = def->enableInter};
	brPairSearch_Init(&tracker->search, allocator, &searchDef);
	brGroupFront_Init(&tracker->front, allocator, &searchDef);
	tracker->treeCount = -1;
	tracker->isFront = mode == br_trackerFront;
	tracker->patience = trackPatience;
	tracker->limit = def->perLeaf > 0 ? def->perLeaf : BR_TRACKER_LIMIT;
}

void brPairTracker_Free(brPairTracker* tracker)
{
	brPairSearch_Free(&tracker->search);
	brGroupFront_Free(&tracker->front);
	brStageMemory* all[] = {&tracker->names, &tracker->treeStarts, &tracker->samples};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
	{
		brStageMemory_Free(all[i], &tracker->allocator);
	}
	tracker->treeCount = -1;
}

static double trackRebuildCost(double elements, double pairs)
{
	return BR_COST_REBUILD_ELEMENT * elements + BR_COST_REBUILD_PAIR * pairs;
}

static double trackFrontCost(const brGroupStats* stats, double elements)
{
	double cost = BR_COST_FRONT_ELEMENT * elements + BR_COST_GROUP_PAIR * (double)stats->groupPairs;
	cost += stats->isSorted ? BR_COST_SORT_ELEMENT * elements : 0.0;
	cost += stats->isRefreshed ? BR_COST_REFRESH_PAIR * (double)stats->groupPairs : 0.0;
	cost += BR_COST_LOOK * (double)stats->looked + BR_COST_DUE * (double)stats->due;
	cost += BR_COST_SEARCH * (double)stats->searched;
	double perPair = stats->groupPairs > 0 ? (double)stats->listed / (double)stats->groupPairs : 0.0;
	return cost + BR_COST_LIST * perPair * (double)stats->searched;
}

// Speed over size from one box in sixteen; -1 if there is nothing to compare with. False without memory.
static bool trackSpeed(brPairTracker* tracker, int32_t count, bool isSame, double* outSpeed)
{
	const brTreeBox* boxes = tracker->search.trees[0].order.boxes.data;
	int64_t sampleCount = ((int64_t)count + trackSample - 1) / trackSample;
	bool hasBefore = tracker->hasSamples && isSame;
	if (!hasBefore && !brStageMemory_Ensure(&tracker->samples, &tracker->allocator, sampleCount, sizeof(brTreeBox)))
	{
		tracker->hasSamples = false;
		return false;
	}
	brTreeBox* sample = tracker->samples.data;
	double size = 0.0, speed = 0.0;
	for (int32_t i = 0; i < count; i += trackSample, ++sample)
	{
		for (int k = 0; k < 3; ++k)
		{
			size -= (double)boxes[i].lower[k] + (double)boxes[i].negUpper[k];
			double low = fabs((double)boxes[i].lower[k] - (double)sample->lower[k]);
			double high = fabs((double)boxes[i].negUpper[k] - (double)sample->negUpper[k]);
			speed = hasBefore && low > speed ? low : speed;
			speed = hasBefore && high > speed ? high : speed;
		}
		*sample = boxes[i];
	}
	tracker->hasSamples = true;
	size = sampleCount > 0 ? size / (3.0 * (double)sampleCount) : 0.0;
	*outSpeed = !hasBefore ? -1.0 : speed == 0.0 ? 0.0 : size > 0.0 ? speed / size : (double)INFINITY;
	return true;
}

static brResult trackRebuild(brPairTracker* tracker, const brContext* context, const brBoxSource* source,
							 const int32_t* treeStarts, int32_t treeCount, bool isSame, brReport* report)
{
	brResult result = brPairSearch_Run(&tracker->search, context, source, treeStarts, treeCount, report);
	if (result < 0)
	{
		return result;
	}
	tracker->pairs = tracker->search.pairs.pairs;
	tracker->pairCount = tracker->search.pairs.count;
	tracker->stats.costRebuild = trackRebuildCost(source->count, (double)tracker->pairCount);
	tracker->pause -= tracker->pause > 0;
	if (tracker->mode != br_trackerAuto || tracker->pause > 1)
	{
		tracker->hasSamples = false;
		return br_success;
	}
	double speed = -1.0;
	if (!trackSpeed(tracker, source->count, isSame, &speed))
	{
		return brFailMemory(report);
	}
	tracker->stats.speed = speed;
	tracker->sinceFront += 1;
	bool isBlind = tracker->sinceFront >= trackBlind * (1 << (tracker->failures < 4 ? tracker->failures : 4));
	tracker->isFront = tracker->pause == 0 && speed >= 0.0 && (speed < trackMostSpeed || isBlind);
	tracker->age = 0;
	return br_success;
}

static void trackStop(brPairTracker* tracker)
{
	tracker->isFront = false;
	tracker->hasSamples = false;
	tracker->sinceFront = 0;
	tracker->failures += 1;
	tracker->pause = tracker->patience;
	tracker->patience = 2 * tracker->patience < trackMostPause ? 2 * tracker->patience : trackMostPause;
}

static brResult trackFront(brPairTracker* tracker, const brContext* context, const brBoxSource* source,
						   const int32_t* treeStarts, int32_t treeCount, brReport* report)
{
	brGroupFront* front = &tracker->front;
	brResult result = brGroupFront_Run(front, context, source, treeStarts, treeCount, report);
	if (result < 0)
	{
		return result;
	}
	tracker->pairs = front->result.pairs;
	tracker->pairCount = front->result.count;
	double cost = trackFrontCost(&front->stats, source->count);
	// The first frame makes the front and is not judged; the next ones learn margins.
	double rebuild = trackRebuildCost(source->count, (double)tracker->pairCount);
	tracker->age += 1;
	tracker->meanCost = tracker->age <= 2 ? cost : tracker->meanCost + 0.125 * (cost - tracker->meanCost);
	bool isHopeless = tracker->age > 2 && cost > 2.0 * rebuild && tracker->meanCost > 2.0 * rebuild;
	tracker->stats.isFront = true;
	tracker->stats.front = front->stats;
	tracker->stats.speed = front->size > 0.0 ? front->speed / front->size : 0.0;
	tracker->stats.costFront = tracker->meanCost;
	tracker->stats.costRebuild = rebuild;
	bool isTooLong = front->listLive + front->settledCount > (int64_t)tracker->limit * source->count;
	if (tracker->mode == br_trackerAuto &&
		(isTooLong || isHopeless || (tracker->age >= trackTrial && tracker->meanCost > rebuild)))
	{
		trackStop(tracker);
	}
	else if (tracker->age > 2 * trackPatience)
	{
		tracker->patience = trackPatience; // it has paid for a while
		tracker->failures = 0;
	}
	return br_success;
}

// Whether the trees are those of the frame before. False without memory as well: then the front begins again.
static bool trackIsSame(const brPairTracker* tracker, const int32_t* treeStarts, int32_t treeCount,
						const uint64_t* objects)
{
	if (tracker->treeCount != treeCount ||
		memcmp(tracker->treeStarts.data, treeStarts, ((size_t)treeCount + 1) * sizeof(int32_t)) != 0)
	{
		return false;
	}
	const uint64_t* names = tracker->names.data;
	for (int32_t tree = 0; tree < treeCount; ++tree)
	{
		if (names[tree] != (objects != NULL ? objects[tree] : (uint64_t)tree))
		{
			return false;
		}
	}
	return true;
}

brResult brPairTracker_Run(brPairTracker* tracker, const brContext* context, const brBoxSource* source,
						   const int32_t* treeStarts, int32_t treeCount, const uint64_t* objects, brReport* report)
{
	int32_t whole[2] = {0, source->count};
	treeCount = treeStarts != NULL ? treeCount : 1;
	treeStarts = treeStarts != NULL ? treeStarts : whole;
	tracker->stats = (brTrackerStats){0};
	bool isSame = trackIsSame(tracker, treeStarts, treeCount, objects);
	if (!isSame || (!tracker->isFront && tracker->front.isOn))
	{
		brGroupFront_Reset(&tracker->front);
		tracker->isFront = tracker->mode == br_trackerFront;
	}
	brResult result = tracker->isFront ? trackFront(tracker, context, source, treeStarts, treeCount, report)
									   : trackRebuild(tracker, context, source, treeStarts, treeCount, isSame, report);
	if (result >= 0 &&
		(!brKeepNames(&tracker->names, &tracker->allocator, treeCount, objects) ||
		 !brStageMemory_Ensure(&tracker->treeStarts, &tracker->allocator, (int64_t)treeCount + 1, sizeof(int32_t))))
	{
		result = brFailMemory(report);
	}
	if (result < 0)
	{
		brGroupFront_Reset(&tracker->front);
		tracker->treeCount = -1;
		tracker->hasSamples = false;
		tracker->pairCount = 0;
		return result;
	}
	memcpy(tracker->treeStarts.data, treeStarts, ((size_t)treeCount + 1) * sizeof(int32_t));
	tracker->treeCount = treeCount;
	return br_success;
}
