// SPDX-License-Identifier: MIT
#pragma once

// Which of many contact points a solver should get: clusters of one normal each, up to eight points in each.
//
// A stack stands or falls with this. Points of one contact face must share one normal, or they work against each other.
// Few spread points hold as well as all and are stiller. Points that were chosen in the last step are preferred, or the
// choice flickers between equals and impulses get lost. No point may stay deeper than those chosen near it: that is the
// self-adapting rule of Glondu et al. (2012, section 5.3) with a fixed number of points.

#include "contact/manifold.h"

#define BR_MAX_CANDIDATES 256

typedef struct brCandidate
{
	brVec3 point;  // in A's axes, halfway
	brVec3 normal; // from A to B, unit
	float separation;
	uint32_t id;
} brCandidate;

/// Of the smaller body, how far points were looked for, and whether it rolls on its curves over something still.
typedef struct brSelectSizes
{
	float thickness, radius, margin;
	bool isRound;
} brSelectSizes;

/// Candidates are reordered. Returns the number of manifolds.
int32_t brSelectTouches(brCandidate* candidates, int32_t count, const brKeptTouches* kept, const brSelectSizes* sizes,
						brTouch* outTouches);

/// The manifold and point of the last step with this id; false if there is none. `kept` may be null.
static inline bool brFindKept(const brKeptTouches* kept, uint32_t id, brVec3* outNormal, float* outSeparation)
{
	for (int32_t i = 0; kept != NULL && i < kept->count; ++i)
	{
		for (int32_t k = 0; k < kept->touches[i].count; ++k)
		{
			if (kept->touches[i].ids[k] == id)
			{
				*outNormal = kept->touches[i].normal;
				*outSeparation = kept->touches[i].separations[k];
				return true;
			}
		}
	}
	return false;
}
