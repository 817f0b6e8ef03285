// SPDX-License-Identifier: MIT

// The public tracker: boxes or meshes of a frame in, pairs out, by the tracker of groups or by an engine that is here
// to be compared with.

#include "brittle/track.h"

#include "base/assert.h"
#include "base/clock.h"
#include "index/pair_tracker.h"
#include "narrow/triangle_soup.h"

#include <string.h>

struct brTracker
{
	brAllocator allocator;
	brTrackDef def;
	brPairTracker groups; // without an engine
	brPairSearch search;  // with one
	const brPair* pairs;
	brTrackStats stats;
};

brTrackDef brDefaultTrackDef(void)
{
	return (brTrackDef){.enableSelf = true, .enableInter = true, .stamp = BR_STAMP(brTrackDef)};
}

brResult brCreateTracker(const brContext* context, const brTrackDef* def, brTracker** outTracker, brReport* report)
{
	brTrackDef defaults = brDefaultTrackDef();
	def = def != NULL ? def : &defaults;
	if (outTracker == NULL || def->stamp != BR_STAMP(*def) || def->method < br_trackAuto ||
		def->method > br_trackGroups || (def->engine != NULL && def->engine->getStats == NULL) || def->cycle < 0 ||
		def->entriesPerPrimitive < 0 || !(def->lanes == 0 || def->lanes == 1 || def->lanes == 8 || def->lanes == 16))
	{
		return brFail(report, br_errorMisuse, "brCreateTracker needs a place for the tracker and a def with its stamp");
	}
	brAllocator allocator = brContext_Allocator(context);
	brTracker* tracker = BR_ALLOC_ZERO(&allocator, brTracker, 1);
	if (tracker == NULL)
	{
		return brFailMemory(report);
	}
	tracker->allocator = allocator;
	tracker->def = *def;
	brPairSearchDef searchDef = {.lanes = def->lanes,
								 .enableSelf = def->enableSelf,
								 .enableInter = def->enableInter,
								 .engine = def->engine,
								 .cycle = def->cycle,
								 .perLeaf = def->entriesPerPrimitive};
	if (tracker->def.engine != NULL)
	{
		brPairSearch_Init(&tracker->search, &allocator, &searchDef);
	}
	else
	{
		static const brTrackerMode modes[3] = {br_trackerAuto, br_trackerRebuild, br_trackerFront};
		brPairTracker_Init(&tracker->groups, &allocator, &searchDef, modes[def->method]);
	}
	*outTracker = tracker;
	return brSucceed(report);
}

void brDestroyTracker(brTracker* tracker)
{
	if (tracker == NULL)
	{
		return;
	}
	if (tracker->def.engine != NULL)
	{
		brPairSearch_Free(&tracker->search);
	}
	else
	{
		brPairTracker_Free(&tracker->groups);
	}
	brAllocator allocator = tracker->allocator;
	BR_FREE(&allocator, tracker, 1);
}

static void trackEngineStats(brTracker* tracker)
{
	tracker->pairs = tracker->search.pairs.pairs;
	tracker->stats = (brTrackStats){.pairCount = tracker->search.pairs.count};
	tracker->def.engine->getStats(tracker->search.state, &tracker->stats);
}

static void trackGroupStats(brTracker* tracker)
{
	const brTrackerStats* from = &tracker->groups.stats;
	tracker->pairs = tracker->groups.pairs;
	tracker->stats =
		(brTrackStats){.operation = !from->isFront                                        ? br_operationRebuild
									: from->front.isSorted                                ? br_operationGenerate
									: from->front.isRefreshed || from->front.searched > 0 ? br_operationUpdate
																						  : br_operationPreserve,
					   .pairCount = tracker->groups.pairCount,
					   .entryCount = from->front.listed + from->front.settled,
					   .testCount = from->front.due,
					   .changeCount = from->front.changed,
					   .speed = from->speed,
					   .bytes = from->front.bytes};
}

static brResult trackFrame(brTracker* tracker, const brContext* context, const brBoxSource* source,
						   const int32_t* starts, int32_t objectCount, const uint64_t* names, brReport* report)
{
	int64_t start = brClockNanoseconds();
	brResult result =
		tracker->def.engine != NULL
			? brPairSearch_RunObjects(&tracker->search, context, source, starts, objectCount, names, report)
			: brPairTracker_Run(&tracker->groups, context, source, starts, objectCount, names, report);
	if (result < 0)
	{
		tracker->pairs = NULL;
		tracker->stats = (brTrackStats){0};
		return result;
	}
	if (tracker->def.engine != NULL)
	{
		trackEngineStats(tracker);
	}
	else
	{
		trackGroupStats(tracker);
	}
	tracker->stats.primitiveCount = source->count;
	tracker->stats.seconds = brSecondsSince(start);
	return brSucceed(report);
}

brResult brTracker_UpdateBoxes(brTracker* tracker, const brContext* context, const brBox3* boxes, int32_t count,
							   const int32_t* objectStarts, int32_t objectCount, const uint64_t* names,
							   brReport* report)
{
	int32_t whole[2] = {0, count};
	objectCount = objectStarts != NULL ? objectCount : 1;
	objectStarts = objectStarts != NULL ? objectStarts : whole;
	bool isGood =
		tracker != NULL && (boxes != NULL || count == 0) && count >= 0 && count <= INT32_MAX / 16 && objectCount >= 0;
	for (int32_t i = 0; i < objectCount && isGood; ++i)
	{
		isGood = objectStarts[i] <= objectStarts[i + 1] && (i > 0 || objectStarts[0] == 0);
	}
	if (!isGood || (objectCount > 0 ? objectStarts[objectCount] : 0) != count)
	{
		return brFail(report, br_errorMisuse,
					  "brTracker_UpdateBoxes needs a tracker, boxes and rising starts of objects");
	}
	static const brBox3 none[1]; // an empty list still needs an address
	static const int32_t nothing[1] = {0};
	brBoxSource source = {.count = count, .boxes = boxes != NULL ? boxes : none};
	return trackFrame(tracker, context, &source, objectCount > 0 ? objectStarts : nothing, objectCount, names, report);
}

brResult brTracker_UpdateMeshes(brTracker* tracker, const brContext* context, const brMesh* const* meshes,
								int32_t meshCount, const uint64_t* names, brReport* report)
{
	if (tracker == NULL || (meshes == NULL && meshCount > 0) || meshCount < 0)
	{
		return brFail(report, br_errorMisuse, "brTracker_UpdateMeshes needs a tracker and meshes");
	}
	brTriangleSoup soup;
	brResult result = brTriangleSoup_Make(&soup, context, meshes, meshCount, report);
	if (result < 0)
	{
		return result;
	}
	brBoxSource source = brTriangleSoup_Source(&soup);
	result = trackFrame(tracker, context, &source, soup.meshStarts, meshCount, names, report);
	brTriangleSoup_Free(&soup);
	return result;
}

const brPair* brTracker_GetPairs(const brTracker* tracker, int64_t* outCount)
{
	if (outCount != NULL)
	{
		*outCount = tracker->stats.pairCount;
	}
	return tracker->pairs;
}

brTrackStats brTracker_GetStats(const brTracker* tracker)
{
	return tracker->stats;
}
