// SPDX-License-Identifier: MIT

// What a new corner of a hull means to the points outside, in hull.c once for each set of lanes (base/lanes.h). Lanes
// hold points, each on its own.

#define HULL_AT(row) (*(const LANE(brDoubles)*)&(row)[i])

// Numbers of the points that see the new corner above their triangle. Returns how many.
LANE_TARGET static int32_t LANE(hullFindLeft)(const HullPoints* points, brDVec3 corner, int32_t* out)
{
	int32_t count = 0;
	for (int32_t i = 0; i < points->count; i += LANE_DOUBLES)
	{
		LANE(brDoubles)
		height = HULL_AT(points->area[0]) * (corner.x - HULL_AT(points->origin[0])) +
				 HULL_AT(points->area[1]) * (corner.y - HULL_AT(points->origin[1])) +
				 HULL_AT(points->area[2]) * (corner.z - HULL_AT(points->origin[2]));
		for (uint32_t bits = LANE(brBits)(height > 0.0); bits != 0; bits &= bits - 1)
		{
			out[count++] = i + __builtin_ctz(bits);
		}
	}
	return count;
}

LANE_TARGET static double LANE(hullFarthest)(const HullPoints* points)
{
	LANE(brDoubles) most = {0};
	for (int32_t i = 0; i < points->count; i += LANE_DOUBLES)
	{
		most = LANE(brMaxDoubles)(most, HULL_AT(points->distanceSq));
	}
	double farthest = 0.0;
	for (int32_t k = 0; k < LANE_DOUBLES; ++k)
	{
		farthest = most[k] > farthest ? most[k] : farthest;
	}
	return farthest;
}

#define HULL_DOT(a, b) ((a).x * (b)[0] + (a).y * (b)[1] + (a).z * (b)[2])

// The triangle, for those of some points that see it and that it is nearer to than what they have.
LANE_TARGET static void LANE(hullMeet)(const HullFace* face, int64_t number, HullSome* some)
{
	for (int32_t i = 0; i < some->count; i += LANE_DOUBLES)
	{
		LANE(brDoubles) to[3][3], best = HULL_AT(some->distanceSq);
		for (int k = 0; k < 3; ++k)
		{
			brDVec3 corner = face->corners[k];
			to[k][0] = HULL_AT(some->at[0]) - corner.x, to[k][1] = HULL_AT(some->at[1]) - corner.y;
			to[k][2] = HULL_AT(some->at[2]) - corner.z;
		}
		LANE(brDoubles) height = HULL_DOT(face->area, to[0]), heightSq = height * height;
		// No triangle is nearer than its plane.
		LANE(brLongs) isNearer = (height > 0.0) & (heightSq < best * face->areaSq);
		if (LANE(brBits)(isNearer) == 0)
		{
			continue;
		}
		LANE(brLongs) isAbove = isNearer;
		LANE(brDoubles) bySides = LANE(brSplatDoubles)(INFINITY);
		for (int k = 0; k < 3; ++k)
		{
			brDVec3 side = face->sides[k];
			isAbove &= HULL_DOT(face->inward[k], to[k]) >= 0.0;
			LANE(brDoubles) along = HULL_DOT(side, to[k]) / face->sideSq[k];
			along = LANE(brMaxDoubles)(along, LANE(brSplatDoubles)(0.0));
			along = LANE(brMinDoubles)(along, LANE(brSplatDoubles)(1.0));
			LANE(brDoubles) x = to[k][0] - along * side.x, y = to[k][1] - along * side.y, z = to[k][2] - along * side.z;
			bySides = LANE(brMinDoubles)(x * x + y * y + z * z, bySides);
		}
		LANE(brDoubles) distanceSq = LANE(brChoose)(isAbove, heightSq / face->areaSq, bySides);
		isNearer &= distanceSq < best;
		*(LANE(brDoubles)*)&some->distanceSq[i] = LANE(brChoose)(isNearer, distanceSq, best);
		*(LANE(brLongs)*)&some->faces[i] = (isNearer & number) | (~isNearer & *(LANE(brLongs)*)&some->faces[i]);
	}
}

#undef HULL_AT
#undef HULL_DOT
