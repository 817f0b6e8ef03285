// SPDX-License-Identifier: MIT
#pragma once

/// @file research.h
/// Ways to find pairs that lost against those of collide.h and track.h, kept so that anybody can measure it again.
///
///     brCollideDef def = brDefaultCollideDef();
///     def.engine = brGetResearchEngine(br_researchLbvh);
///
/// Not part of the library: it is linked into the program (`brittle collide --method`, `--hash`, `--strategy`), into the
/// benchmarks and into the tests. All find the same pairs. docs/fronts.md, docs/collide.md and docs/kdet.md have the figures.

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
	int32_t entry;     ///< Level of the first front, 0 to 12. -1, the default: the deepest that keeps it small.
	int32_t depthStep; ///< Levels gone down at a time, 1 to 4: mu of the thesis. 2 by default.
	int32_t groupSize; ///< On a device: threads of a group. 0: as the device likes.
	int32_t queue;     ///< On a device: pairs kept in local memory, capacityQ of the thesis. 0: as the device likes.
} brBspDef;

BR_EXPERIMENTAL brBspDef brDefaultBspDef(void);

/// An engine like br_researchBsp with these settings. `context` and `report` may be null; free it with the same context.
BR_EXPERIMENTAL brResult brCreateBspEngine(const brContext* context, const brBspDef* def, brPairEngine** outEngine,
										   brReport* report);

/// `engine` may be null.
BR_EXPERIMENTAL void brDestroyEngine(const brContext* context, brPairEngine* engine);
