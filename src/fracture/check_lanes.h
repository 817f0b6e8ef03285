// SPDX-License-Identifier: MIT

// The first questions of the check that faces stay inside, in split_check.c once for each set of lanes (base/lanes.h).
// Lanes hold faces, each on its own.

#define CHECK_LOAD(p) (*(const LANE(brDoubles)*)&(p)[first])

// Bits of the faces whose boxes and heights overlap those of a triangle, and that have not all of its own corners on
// one side of their plane for sure: then they share no more than corners.
LANE_TARGET static uint32_t LANE(checkEight)(const CheckEight* faces, const CheckTriangle* triangle, const brDVec3* at)
{
	uint32_t bits = 0;
	for (int32_t first = 0; first < CHECK_LANES; first += LANE_DOUBLES)
	{
		LANE(brLongs) isNear = CHECK_LOAD(faces->slab[0]) <= triangle->slab.upper;
		isNear &= CHECK_LOAD(faces->slab[1]) >= triangle->slab.lower;
		isNear &= CHECK_LOAD(faces->lower[0]) <= triangle->box.upper.x;
		isNear &= CHECK_LOAD(faces->upper[0]) >= triangle->box.lower.x;
		isNear &= CHECK_LOAD(faces->lower[1]) <= triangle->box.upper.y;
		isNear &= CHECK_LOAD(faces->upper[1]) >= triangle->box.lower.y;
		isNear &= CHECK_LOAD(faces->lower[2]) <= triangle->box.upper.z;
		isNear &= CHECK_LOAD(faces->upper[2]) >= triangle->box.lower.z;
		if (LANE(brBits)(isNear) == 0)
		{
			continue;
		}
		LANE(brDoubles) sure = CHECK_LOAD(faces->sure);
		LANE(brLongs) isOver = isNear, isUnder = isNear, isShared = isNear;
		for (int k = 0; k < 3; ++k)
		{
			brDVec3 p = at[triangle->corners[k]];
			double number = triangle->corners[k];
			LANE(brLongs) isSame = CHECK_LOAD(faces->corners[0]) == number;
			isSame |= CHECK_LOAD(faces->corners[1]) == number;
			isSame |= CHECK_LOAD(faces->corners[2]) == number;
			LANE(brDoubles)
			above = CHECK_LOAD(faces->normal[0]) * (p.x - CHECK_LOAD(faces->at[0])) +
					CHECK_LOAD(faces->normal[1]) * (p.y - CHECK_LOAD(faces->at[1])) +
					CHECK_LOAD(faces->normal[2]) * (p.z - CHECK_LOAD(faces->at[2]));
			isOver &= isSame | (above > sure);
			isUnder &= isSame | (above < -sure);
			isShared &= isSame;
		}
		bits |= LANE(brBits)(isNear & (isShared | ~(isOver | isUnder))) << first;
	}
	return bits;
}

#undef CHECK_LOAD
