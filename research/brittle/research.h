// SPDX-License-Identifier: MIT
#pragma once

/// @file research.h
/// Ways to find pairs that lost against those of collide.h and track.h, kept so that anybody can measure it again.
///
///     brCollideDef def = brDefaultCollideDef();
///     def.engine = brGetResearchEngine(br_researchLbvh);
///
/// Not part of the library: it is linked into the program (`brittle collide --method`, `--hash`, `--strategy`), into the
/// benchmarks and into the tests. All find the same pairs. docs/fronts.md, docs/collide.md and docs/kdet.md have the
/// figures.

#include "brittle/track.h"

typedef enum brResearchMethod
{
	br_researchBsp = 0,  ///< Binary implicit trees, traversed all at once level by level, as on a GPU (Chitalu 2020).
	br_researchLbvh = 1, ///< Binary radix trees, walked leaf by leaf without a stack.

	// Fronts on binary radix trees after Wang et al. 2018, by strategy. For brTrackDef too.

	br_researchUnordered = 2,   ///< Tree built once, then refitted; entries stay as written.
	br_researchStatic = 3,      ///< The same, entries in the order of the tree.
	br_researchPeriodic = 4,    ///< Every second update builds anew.
	br_researchRestructure = 5, ///< Subtrees that have become bad are built anew.
	br_researchReference = 6,   ///< All is built anew in every frame.

	// The hashed grid of br_pairsKdet with another hash than Morton's.

	br_researchKdetDjb2 = 7,   ///< Times 33 plus the next coordinate.
	br_researchKdetFnv1a = 8,  ///< Exclusive or with the next coordinate, times a prime.
	br_researchKdetSimple = 9, ///< The sum of the coordinates times a large prime each.
} brResearchMethod;

/// Constant, never freed; null for a number that is no method.
BR_EXPERIMENTAL const brPairEngine* brGetResearchEngine(brResearchMethod method);

/// How br_researchBsp goes through its trees (Chitalu 2020, 2.6). Start from brDefaultBspDef().
typedef struct brBspDef
{
	int32_t entry; ///< Level of the first front, 0 to 12. -1, the default: the deepest that keeps it small.
	/// Levels gone down at a time, 1 to 4: mu of the thesis. 2 by default. 0: the most with which the pairs of
	/// `writers` threads surely fit the queue (equation 2.4; rounded down, for the printed rounding up does not keep
	/// that promise).
	int32_t depthStep;
	int32_t groupSize; ///< On a device: threads of a group. 0: as the device likes.
	int32_t queue;   ///< On a device: pairs kept in local memory, capacityQ of the thesis. 0: as the device likes, 512.
	int32_t writers; ///< For depthStep 0: alpha of the thesis. 0: the most it allows, the fourth root of the queue.
} brBspDef;

BR_EXPERIMENTAL brBspDef brDefaultBspDef(void);

/// An engine like br_researchBsp with these settings. `context` and `report` may be null; free it with the same context.
BR_EXPERIMENTAL brResult brCreateBspEngine(const brContext* context, const brBspDef* def, brPairEngine** outEngine,
										   brReport* report);

/// How the hashed grid of br_pairsKdet is made and searched (Mirzayousef Jadid 2023). Start from brDefaultKdetDef().
/// Pairs are the same with any settings; time and memory are not.
typedef struct brKdetDef
{
	int32_t hash; ///< 0, the default: Morton's. 1: djb2. 2: FNV-1a. 3: the sum of coordinates times primes.
	int32_t
		layers; ///< Sizes of cells at most, up to 29. 1: a uniform grid. 0, the default: as the sizes of elements ask for.
	int32_t
		pairsEach; ///< Pairs an element that there is room for at first, up to 1024; k in a list of n k. More make it grow. 0: a guess.
	int32_t
		groupSize; ///< On a device: threads of a group that searches, 16 to 256, a power of two. 0: as the device likes, 128.
} brKdetDef;

BR_EXPERIMENTAL brKdetDef brDefaultKdetDef(void);

/// An engine with these settings. `context` and `report` may be null; free it with the same context.
BR_EXPERIMENTAL brResult brCreateKdetEngine(const brContext* context, const brKdetDef* def, brPairEngine** outEngine,
											brReport* report);

/// `engine` may be null.
BR_EXPERIMENTAL void brDestroyEngine(const brContext* context, brPairEngine* engine);
