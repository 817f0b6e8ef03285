// SPDX-License-Identifier: MIT
#include "brittle/research.h"
#include "harness.h"
#include "index/pair_tracker.h"
#include "pair_sequence.h"
#include "research/pair_front.h"

#include <stdlib.h>
#include <string.h>

enum
{
	maxPairs = sequenceMostBoxes * sequenceMostBoxes / 2,
	strategyCount = br_frontReference + 1,
};

static PairSequence sequence;
static brPair expected[maxPairs], plain[maxPairs];

static void checkPairs(const brPairBuffer* found, int64_t expectedCount)
{
	CHECK_EQUAL(found->count, expectedCount);
	qsort(found->pairs, (size_t)found->count, sizeof(brPair), brTest_ComparePairs);
	CHECK(expectedCount == 0 || memcmp(found->pairs, expected, (size_t)expectedCount * sizeof(brPair)) == 0);
}

// The front of each leaf covers what it may pair with exactly once, in nodes of the right kind; after an update no
// entry is higher than where a walk would stop.
static void checkFront(const brPairSearch* search)
{
	const brPairFront* front = search->state;
	const brLbvh* bvh = &front->bvh;
	const brLbvhNode* nodes = bvh->nodes.data;
	const int32_t *trees = bvh->trees.data, *places = bvh->places.data, *treeStarts = bvh->treeStarts.data;
	int32_t leafCount = bvh->primitiveCount;
	CHECK(front->fronts[0].count + front->fronts[1].count <= (int64_t)BR_FRONT_PER_LEAF * leafCount);
	uint8_t* covered = calloc((size_t)leafCount * (size_t)leafCount + 1, 1);
	CHECK(covered != NULL);
	bool isFresh = front->stats.operation == br_frontUpdate || front->stats.operation == br_frontGenerate;
	for (int channel = 0; channel < 2; ++channel)
	{
		for (int64_t i = 0; i < front->fronts[channel].count; ++i)
		{
			brPair entry = front->fronts[channel].pairs[i];
			CHECK(entry.a >= 0 && entry.a < leafCount && entry.b >= 0 && entry.b < bvh->nodeCount);
			CHECK_EQUAL(brLbvh_IsLeaf(nodes, entry.b), channel);
			for (int32_t leaf = nodes[entry.b].first; leaf <= brLbvh_Last(nodes, entry.b); ++leaf)
			{
				uint8_t* cell = &covered[(size_t)entry.a * (size_t)leafCount + (size_t)leaf];
				CHECK(*cell == 0);
				*cell = 1;
			}
			brLbvhProbe probe = brLbvh_Probe(&nodes[places[entry.a]]);
			bool isDeferred = brLbvh_LeafCount(nodes, entry.b) <= front->grain;
			CHECK(!isFresh || channel == 1 || isDeferred || !brLbvh_Overlaps(&probe, &nodes[entry.b]));
		}
	}
	for (int64_t k = 0; k < front->active.count; ++k)
	{
		// Either side may be the one that asks, but it is the same for all of its leaves.
		brPair pair = front->active.pairs[k];
		bool swap = treeStarts[pair.a + 1] - treeStarts[pair.a] > treeStarts[pair.b + 1] - treeStarts[pair.b];
		int32_t from = swap ? pair.b : pair.a, to = swap ? pair.a : pair.b;
		if (treeStarts[from + 1] - treeStarts[from] == treeStarts[to + 1] - treeStarts[to] && from != to &&
			treeStarts[from] < treeStarts[from + 1] &&
			covered[(size_t)treeStarts[from] * (size_t)leafCount + (size_t)treeStarts[to]] == 0)
		{
			int32_t other = from;
			from = to, to = other;
		}
		for (int32_t i = treeStarts[from]; i < treeStarts[from + 1]; ++i)
		{
			for (int32_t j = treeStarts[to]; j < treeStarts[to + 1]; ++j)
			{
				uint8_t* cell = &covered[(size_t)i * (size_t)leafCount + (size_t)j];
				CHECK_EQUAL(*cell, from != to || j > i);
				*cell = 0;
			}
		}
	}
	for (size_t i = 0; i < (size_t)leafCount * (size_t)leafCount; ++i)
	{
		CHECK(covered[i] == 0); // nothing of a pair of trees that is not active
	}
	(void)trees;
	free(covered);
}

typedef struct FrontCase
{
	brPairFrontDef def;
	uint32_t kind;
	int32_t count, objectCount, frames;
	bool breaks, self, inter;
} FrontCase;

static int32_t operations[br_frontWalk + 1], dropped;

// Runs one sequence on one, two and three workers at once: the same pairs in the same order, which are those of brute
// force.
static void runCase(const FrontCase* what, brRandom random, brWorkers* const workers[3], bool isChecked)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brPairSearch searches[3];
	brPairSearchDef def = {.engine = brGetResearchEngine(br_researchUnordered),
						   .engineDef = &what->def,
						   .enableSelf = what->self,
						   .enableInter = what->inter};
	for (int i = 0; i < 3; ++i)
	{
		brPairSearch_Init(&searches[i], &allocator, &def);
	}
	pairSequence_Begin(&sequence, random, what->kind, what->count, what->objectCount, what->breaks);
	for (int32_t frame = 0; frame < what->frames; ++frame)
	{
		if (frame > 0)
		{
			pairSequence_Next(&sequence);
		}
		int64_t expectedCount = pairSequence_Brute(&sequence, what->self, what->inter, expected);
		brBoxSource source = {.count = sequence.count, .boxes = sequence.boxes};
		for (int i = 0; i < 3; ++i)
		{
			brContext context = {.workers = workers[i]};
			brReport report = {0};
			CHECK_RESULT(brPairSearch_RunObjects(&searches[i], &context, &source, sequence.starts, sequence.objectCount,
												 sequence.names, &report),
						 &report);
			brPairBuffer* found = &searches[i].pairs;
			CHECK_EQUAL(found->count, expectedCount);
			if (i == 0 && expectedCount > 0)
			{
				memcpy(plain, found->pairs, (size_t)expectedCount * sizeof(brPair));
			}
			CHECK(expectedCount == 0 || memcmp(plain, found->pairs, (size_t)expectedCount * sizeof(brPair)) == 0);
			checkPairs(found, expectedCount);
		}
		const brPairFrontStats* stats = &((const brPairFront*)searches[0].state)->stats;
		operations[stats->operation] += 1;
		dropped += stats->droppedTrees;
		if (isChecked && ((const brPairFront*)searches[0].state)->hasFront)
		{
			checkFront(&searches[0]);
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		brPairSearch_Free(&searches[i]);
	}
}

BR_TEST(front_pairs_equal_brute_force_over_200_frames)
{
	brRandom random = brTest_Random(test);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(3)};
	int32_t rounds = brTest_Rounds(test, 5);
	for (int32_t strategy = 0; strategy < strategyCount; ++strategy)
	{
		for (int32_t round = 0; round < rounds; ++round)
		{
			FrontCase what = {.def = {.strategy = (brPairFrontStrategy)strategy, .cycle = round % 2 == 0 ? 6 : 0},
							  .kind = brRandom_Below(&random, sequenceKinds),
							  .count = 60 + (int32_t)brRandom_Below(&random, 80),
							  .objectCount = round % 2 == 0 ? 1 : 5,
							  .frames = 200,
							  .self = true,
							  .inter = true};
			runCase(&what, random, workers, false);
		}
	}
	for (int i = 1; i < 3; ++i)
	{
		brDestroyWorkers(workers[i]);
	}
}

BR_TEST(front_pairs_survive_every_kind_of_motion_and_breaking)
{
	brRandom random = brTest_Random(test);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(3)};
	for (uint32_t kind = 0; kind < sequenceKinds; ++kind)
	{
		for (int32_t round = 0; round < brTest_Rounds(test, 10); ++round)
		{
			FrontCase what = {.def = {.strategy = (brPairFrontStrategy)(round % strategyCount),
									  .cycle = (int32_t)brRandom_Below(&random, 7),
									  .perLeaf = round % 3 == 2 ? 1 + (int32_t)brRandom_Below(&random, 10) : 0,
									  .grain = 1 << brRandom_Below(&random, 4)},
							  .kind = kind,
							  .count = (int32_t)brRandom_Below(&random, 140),
							  .objectCount = 1 + (int32_t)brRandom_Below(&random, sequenceMostObjects),
							  .frames = 40,
							  .breaks = round % 2 == 0,
							  .self = brRandom_Below(&random, 3) > 0,
							  .inter = brRandom_Below(&random, 3) > 0};
			runCase(&what, random, workers, true);
		}
	}
	for (int i = 0; i <= br_frontWalk && test->intensity >= 1.0; ++i) // fewer rounds need not meet all
	{
		CHECK(dropped > 0);
		CHECK_MESSAGE(operations[i] > 0, "operation %d was never run", i);
	}
	for (int i = 1; i < 3; ++i)
	{
		brDestroyWorkers(workers[i]);
	}
}

// A sheet of which one patch is stirred: there the tree gets worse, and only there is it built anew.
BR_TEST(front_restructures_what_has_become_bad)
{
	enum
	{
		side = 80,
		boxCount = side * side
	};
	brRandom random = brTest_Random(test);
	brAllocator allocator = brContext_Allocator(NULL);
	brWorkers* workers = brTest_Workers(2);
	brContext context = {.workers = workers};
	brBox3* boxes = BR_ALLOC(&allocator, brBox3, boxCount);
	brVec3* centers = BR_ALLOC(&allocator, brVec3, boxCount);
	brPairSearchDef def = {.engine = brGetResearchEngine(br_researchRestructure), .enableSelf = true, .cycle = 3};
	brPairSearchDef oiDef = {.enableSelf = true};
	brPairSearch search, oi;
	brPairSearch_Init(&search, &allocator, &def);
	brPairSearch_Init(&oi, &allocator, &oiDef);
	for (int32_t i = 0; i < boxCount; ++i)
	{
		centers[i] = brMakeVec3((float)(i % side), (float)(i / side), 0.0f);
	}
	bool isSmaller = false;
	int32_t begun = 0;
	for (int32_t frame = 0; frame < 60; ++frame)
	{
		for (int32_t i = 0; i < boxCount; ++i)
		{
			bool isStirred = i % side < 16 && i / side < 16;
			centers[i].x += isStirred ? (float)brRandom_Range(&random, -0.5, 0.5) : 0.0f;
			centers[i].y += isStirred ? (float)brRandom_Range(&random, -0.5, 0.5) : 0.0f;
			brVec3 half = {0.6f, 0.6f, 0.1f};
			boxes[i] = (brBox3){brSub(centers[i], half), brAdd(centers[i], half)};
		}
		brBoxSource source = {.count = boxCount, .boxes = boxes};
		CHECK_RESULT(brPairSearch_Run(&search, &context, &source, NULL, 1, NULL), NULL);
		CHECK_RESULT(brPairSearch_Run(&oi, NULL, &source, NULL, 1, NULL), NULL);
		CHECK_EQUAL(search.pairs.count, oi.pairs.count);
		qsort(search.pairs.pairs, (size_t)search.pairs.count, sizeof(brPair), brTest_ComparePairs);
		qsort(oi.pairs.pairs, (size_t)oi.pairs.count, sizeof(brPair), brTest_ComparePairs);
		CHECK(memcmp(search.pairs.pairs, oi.pairs.pairs, (size_t)oi.pairs.count * sizeof(brPair)) == 0);
		const brPairFrontStats* stats = &((const brPairFront*)search.state)->stats;
		bool isMended = stats->restructured > 0 && stats->operation == br_frontUpdate;
		begun += isMended;
		isSmaller |= isMended && stats->restructured < boxCount / 4;
	}
	CHECK(begun > 0 && isSmaller);
	brPairSearch_Free(&search);
	brPairSearch_Free(&oi);
	BR_FREE(&allocator, boxes, boxCount);
	BR_FREE(&allocator, centers, boxCount);
	brDestroyWorkers(workers);
}

static brResult runOnce(const brContext* context, void* user)
{
	const FrontCase* what = user;
	brAllocator allocator = brContext_Allocator(context);
	brPairSearchDef def = {.engine = brGetResearchEngine(br_researchUnordered),
						   .engineDef = &what->def,
						   .enableSelf = true,
						   .enableInter = true};
	brPairSearch search;
	brPairSearch_Init(&search, &allocator, &def);
	brResult result = br_success;
	pairSequence_Begin(&sequence, brMakeRandom(7, 7), what->kind, what->count, what->objectCount, what->breaks);
	for (int32_t frame = 0; frame < what->frames; ++frame)
	{
		brBoxSource source = {.count = sequence.count, .boxes = sequence.boxes};
		brResult now = brPairSearch_RunObjects(&search, context, &source, sequence.starts, sequence.objectCount,
											   sequence.names, NULL);
		// A frame without memory is lost, the ones after it are right again.
		if (now >= 0)
		{
			checkPairs(&search.pairs, pairSequence_Brute(&sequence, true, true, expected));
		}
		result = now < 0 ? now : result;
		pairSequence_Next(&sequence);
	}
	brPairSearch_Free(&search);
	return result;
}

BR_TEST(front_survives_lack_of_memory)
{
	for (int32_t strategy = 0; strategy < br_frontReference; strategy += 1)
	{
		FrontCase what = {.def = {.strategy = (brPairFrontStrategy)strategy, .cycle = 3},
						  .kind = 1,
						  .count = 60,
						  .objectCount = 4,
						  .frames = 8,
						  .breaks = true};
		CHECK(brTest_WalkAllocations(runOnce, &what) > 20);
	}
}

BR_TEST(front_refuses_what_is_not_finite_and_goes_on)
{
	brAllocator allocator = brContext_Allocator(NULL);
	brPairSearchDef def = {
		.engine = brGetResearchEngine(br_researchStatic), .enableSelf = true, .enableInter = true, .cycle = 4};
	brPairSearch search;
	brPairSearch_Init(&search, &allocator, &def);
	pairSequence_Begin(&sequence, brTest_Random(test), 0, 100, 3, false);
	static const float bad[3] = {NAN, INFINITY, -INFINITY};
	for (int32_t frame = 0; frame < 40; ++frame)
	{
		brBoxSource source = {.count = sequence.count, .boxes = sequence.boxes};
		if (frame % 3 == 2)
		{
			memcpy((char*)&sequence.boxes[frame] + 4 * (frame % 6), &bad[frame % 4 % 3], 4);
			brReport report = {0};
			CHECK_EQUAL(brPairSearch_RunObjects(&search, NULL, &source, sequence.starts, sequence.objectCount,
												sequence.names, &report),
						br_errorGeometry);
			CHECK_EQUAL(report.element, frame);
		}
		else
		{
			CHECK_RESULT(brPairSearch_RunObjects(&search, NULL, &source, sequence.starts, sequence.objectCount,
												 sequence.names, NULL),
						 NULL);
			checkPairs(&search.pairs, pairSequence_Brute(&sequence, true, true, expected));
		}
		pairSequence_Next(&sequence);
	}
	brPairSearch_Free(&search);
}

// The front on groups, and the policy

typedef struct TrackCase
{
	brTrackerMode mode;
	uint32_t kind;
	int32_t count, objectCount, frames, lanes;
	bool breaks, self, inter;
} TrackCase;

static int32_t trackedFront, trackedRebuild, trackedSorts, trackedLooks, trackedKept;

static void runTracked(const TrackCase* what, brRandom random, brWorkers* const workers[3])
{
	brAllocator allocator = brContext_Allocator(NULL);
	brPairTracker trackers[3];
	for (int i = 0; i < 3; ++i)
	{
		// The width must not matter either.
		brPairSearchDef def = {.enableSelf = what->self,
							   .enableInter = what->inter,
							   .lanes = (int32_t[]){1, 8, 16}[(i + what->lanes) % 3]};
		brPairTracker_Init(&trackers[i], &allocator, &def, what->mode);
	}
	pairSequence_Begin(&sequence, random, what->kind, what->count, what->objectCount, what->breaks);
	for (int32_t frame = 0; frame < what->frames; ++frame)
	{
		if (frame > 0)
		{
			pairSequence_Next(&sequence);
		}
		int64_t expectedCount = pairSequence_Brute(&sequence, what->self, what->inter, expected);
		brBoxSource source = {.count = sequence.count, .boxes = sequence.boxes};
		for (int i = 0; i < 3; ++i)
		{
			brContext context = {.workers = workers[i]};
			brReport report = {0};
			CHECK_RESULT(brPairTracker_Run(&trackers[i], &context, &source, sequence.starts, sequence.objectCount,
										   sequence.names, &report),
						 &report);
			CHECK_EQUAL(trackers[i].pairCount, expectedCount);
			if (i == 0 && expectedCount > 0)
			{
				memcpy(plain, trackers[0].pairs, (size_t)expectedCount * sizeof(brPair));
			}
			CHECK(expectedCount == 0 || memcmp(plain, trackers[i].pairs, (size_t)expectedCount * sizeof(brPair)) == 0);
		}
		qsort(plain, (size_t)expectedCount, sizeof(brPair), brTest_ComparePairs);
		CHECK(expectedCount == 0 || memcmp(plain, expected, (size_t)expectedCount * sizeof(brPair)) == 0);
		const brTrackerStats* stats = &trackers[0].stats;
		trackedFront += stats->isFront;
		trackedRebuild += !stats->isFront;
		trackedSorts += stats->front.isSorted;
		trackedLooks += stats->front.due > 0;
		trackedKept += stats->isFront && !stats->front.isRefreshed && frame > 0;
	}
	for (int i = 0; i < 3; ++i)
	{
		brPairTracker_Free(&trackers[i]);
	}
}

BR_TEST(tracker_pairs_equal_brute_force_over_200_frames)
{
	brRandom random = brTest_Random(test);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(3)};
	for (int32_t round = 0; round < brTest_Rounds(test, 24); ++round)
	{
		TrackCase what = {.mode = round % 3 == 0 ? br_trackerAuto : br_trackerFront,
						  .kind = (uint32_t)round % sequenceKinds,
						  .count = (int32_t)brRandom_Below(&random, round % 8 == 0 ? 400 : 150),
						  .objectCount = round % 2 == 0 ? 1 : 1 + (int32_t)brRandom_Below(&random, 6),
						  .frames = 200,
						  .lanes = round,
						  .breaks = round % 4 == 3,
						  .self = brRandom_Below(&random, 4) > 0,
						  .inter = brRandom_Below(&random, 4) > 0};
		runTracked(&what, random, workers);
	}
	CHECK(test->intensity < 1.0 ||
		  (trackedFront > 0 && trackedRebuild > 0 && trackedSorts > 0 && trackedLooks > 0 && trackedKept > 0));
	for (int i = 1; i < 3; ++i)
	{
		brDestroyWorkers(workers[i]);
	}
}

// Triangles of a sheet: settled pairs, corners that change, motion that is rigid for most of it.
BR_TEST(tracker_follows_a_sheet_of_triangles)
{
	enum
	{
		side = 24,
		vertices = (side + 1) * (side + 1),
		triangles = 2 * side * side
	};
	brAllocator allocator = brContext_Allocator(NULL);
	static brDVec3 positions[vertices];
	static int32_t corners[3 * triangles];
	for (int32_t i = 0; i < triangles; ++i)
	{
		int32_t quad = i / 2, at = quad / side * (side + 1) + quad % side;
		int32_t tri[2][3] = {{at, at + 1, at + side + 2}, {at + side + 2, at + side + 1, at}};
		memcpy(corners + 3 * i, tri[i % 2], sizeof(tri[0]));
	}
	brPairSearchDef def = {.enableSelf = true};
	brPairSearchDef bruteDef = {.method = br_pairsBrute, .enableSelf = true};
	brPairTracker tracker;
	brPairSearch brute;
	brPairTracker_Init(&tracker, &allocator, &def, br_trackerFront);
	brPairSearch_Init(&brute, &allocator, &bruteDef);
	int64_t unlooked = 0;
	for (int32_t frame = 0; frame < 120; ++frame)
	{
		double lift = 0.05 * frame, fold = frame < 60 ? 0.0 : 0.04 * (frame - 60);
		for (int32_t i = 0; i < vertices; ++i)
		{
			double x = i % (side + 1), y = (double)(i / (side + 1));
			positions[i] = brMakeDVec3(x + lift, y * (1.0 - 0.01 * fold), lift + 2.0 * fold * brSin(0.9 * y + fold));
		}
		if (frame == 90)
		{
			// Another mesh of the same size: two triangles trade a corner.
			int32_t swap = corners[3];
			corners[3] = corners[300], corners[300] = swap;
		}
		brBoxSource source = {
			.count = triangles, .vertexCount = vertices, .positions = positions, .cornersEach = 3, .corners = corners};
		CHECK_RESULT(brPairTracker_Run(&tracker, NULL, &source, NULL, 1, NULL, NULL), NULL);
		CHECK_RESULT(brPairSearch_Run(&brute, NULL, &source, NULL, 1, NULL), NULL);
		CHECK_EQUAL(tracker.pairCount, brute.pairs.count);
		memcpy(plain, tracker.pairs, (size_t)tracker.pairCount * sizeof(brPair));
		qsort(plain, (size_t)tracker.pairCount, sizeof(brPair), brTest_ComparePairs);
		CHECK(memcmp(plain, brute.pairs.pairs, (size_t)tracker.pairCount * sizeof(brPair)) == 0);
		CHECK(tracker.stats.front.settled > triangles); // neighbors
		unlooked += frame > 0 && frame < 60 && tracker.stats.front.searched == 0;
	}
	CHECK(unlooked > 20); // while it moves as a whole nothing is searched
	brPairTracker_Free(&tracker);
	brPairSearch_Free(&brute);
}

static brResult trackOnce(const brContext* context, void* user)
{
	const TrackCase* what = user;
	brAllocator allocator = brContext_Allocator(context);
	brPairSearchDef def = {.enableSelf = true, .enableInter = true};
	brPairTracker tracker;
	brPairTracker_Init(&tracker, &allocator, &def, what->mode);
	brResult result = br_success;
	pairSequence_Begin(&sequence, brMakeRandom(11, 3), what->kind, what->count, what->objectCount, what->breaks);
	for (int32_t frame = 0; frame < what->frames; ++frame)
	{
		brBoxSource source = {.count = sequence.count, .boxes = sequence.boxes};
		brResult now =
			brPairTracker_Run(&tracker, context, &source, sequence.starts, sequence.objectCount, sequence.names, NULL);
		if (now >= 0)
		{
			CHECK_EQUAL(tracker.pairCount, pairSequence_Brute(&sequence, true, true, expected));
		}
		result = now < 0 ? now : result;
		pairSequence_Next(&sequence);
	}
	brPairTracker_Free(&tracker);
	return result;
}

BR_TEST(tracker_survives_lack_of_memory)
{
	for (int32_t mode = 0; mode < 3; ++mode)
	{
		TrackCase what = {.mode = (brTrackerMode)mode, .kind = 1, .count = 70, .objectCount = 3, .frames = 7};
		CHECK(brTest_WalkAllocations(trackOnce, &what) > 20);
	}
}

BR_TEST(tracker_refuses_what_is_not_finite_and_goes_on)
{
	brAllocator allocator = brContext_Allocator(NULL);
	static const float bad[4] = {NAN, INFINITY, -INFINITY, 3e38f};
	for (int32_t mode = 0; mode < 3; ++mode)
	{
		brPairSearchDef def = {.enableSelf = true, .enableInter = true};
		brPairTracker tracker;
		brPairTracker_Init(&tracker, &allocator, &def, (brTrackerMode)mode);
		pairSequence_Begin(&sequence, brTest_Random(test), 1, 120, 3, false);
		for (int32_t frame = 0; frame < 48; ++frame)
		{
			bool isBad = frame % 4 == 3, isHuge = frame % 16 == 15;
			if (isBad) // the last is a box across half of space, which is fine
			{
				float* coordinates = &sequence.boxes[frame].lower.x;
				coordinates[isHuge ? 3 : frame / 4 % 6] = bad[isHuge ? 3 : frame / 4 % 3];
			}
			brBoxSource source = {.count = sequence.count, .boxes = sequence.boxes};
			brReport report = {0};
			brResult result = brPairTracker_Run(&tracker, NULL, &source, sequence.starts, sequence.objectCount,
												sequence.names, &report);
			CHECK_EQUAL(result, isBad && !isHuge ? br_errorGeometry : br_success);
			if (result >= 0)
			{
				CHECK_EQUAL(tracker.pairCount, pairSequence_Brute(&sequence, true, true, expected));
			}
			pairSequence_Next(&sequence);
		}
		brPairTracker_Free(&tracker);
	}
}
