// SPDX-License-Identifier: MIT

// Single queries. A stack of groups with the distance at which each begins to matter; lanes of a group that still
// matter are pushed farthest first. Distances are rounded toward the query, so rounding can cost a visit but never a
// hit.

#include "index/wide_find.h"

#include <math.h>

enum
{
	findStack = BR_WIDE_ARITY * BR_WIDE_MAX_LEVELS
};

// Room for the errors of a few roundings in float, as a part of the numbers.
#define FIND_FLOAT_SLACK 0x1p-21f

// One over a direction, at most: more moves no box by more than the slack.
#define FIND_MAX_INVERSE 1e30f

typedef struct FindEntry
{
	double distance;
	int32_t level; // of the group; -1: a primitive
	int32_t index;
} FindEntry;

// Lanes that matter, in rising distance: an insertion sort, since there are few.
static int32_t findSort(FindEntry* entries, int32_t count, FindEntry entry)
{
	int32_t i = count;
	for (; i > 0 && entries[i - 1].distance < entry.distance; --i)
	{
		entries[i] = entries[i - 1];
	}
	entries[i] = entry;
	return count + 1;
}

// The largest gap along an axis between a box and those of a group; over 0 means apart. The sign of a difference
// of floats is exact.
static void findGaps(const brLaneBoxes* group, const float lower[3], const float upper[3], float gaps[BR_WIDE_ARITY])
{
	for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
	{
		gaps[i] = -INFINITY;
	}
	for (int k = 0; k < 3; ++k)
	{
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			float below = group->lower[k][i] - upper[k], above = lower[k] - group->upper[k][i];
			float gap = below > above ? below : above;
			gaps[i] = gap > gaps[i] ? gap : gaps[i];
		}
	}
}

bool brWideTree_VisitBox(const brWideTree* tree, brBox3 box, brVisitFcn* visit, void* user)
{
	if (tree->levelCount == 0)
	{
		return true;
	}
	FindEntry stack[findStack] = {{0.0, tree->levelCount - 1, 0}};
	int32_t count = 1;
	const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
	while (count > 0)
	{
		FindEntry top = stack[--count];
		const brLaneBoxes* group = &tree->levels[top.level][top.index];
		float outside[BR_WIDE_ARITY];
		findGaps(group, lower, upper, outside);
		uint32_t mask = 0;
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			mask |= (uint32_t)(outside[i] <= 0.0f) << i;
		}
		for (; mask != 0; mask &= mask - 1)
		{
			int32_t child = BR_WIDE_ARITY * top.index + __builtin_ctz(mask);
			if (top.level > 0)
			{
				stack[count++] = (FindEntry){0.0, top.level - 1, child};
			}
			else if (!visit(tree->ids[child], user))
			{
				return false;
			}
		}
	}
	return true;
}

// A ray in float, with what rounding can cost: places of boxes relative to the origin are off by less than `slack`,
// times by a few parts in 2^24. No direction is 0, so that no product is NaN; one that nearly is changes places by less
// than the slack.
typedef struct FindRay
{
	float origin[3], inverse[3], slack;
} FindRay;

// More than what places of boxes relative to a point are off by in float.
static float findSlack(const brWideTree* tree, brDVec3 point)
{
	const brLaneBoxes* root = tree->levels[tree->levelCount - 1];
	double most = fmax(fmax(fabs(point.x), fabs(point.y)), fabs(point.z));
	for (int32_t i = 0; i < 3 * BR_WIDE_ARITY; ++i)
	{
		int32_t axis = i / BR_WIDE_ARITY, lane = i % BR_WIDE_ARITY;
		double low = root->lower[axis][lane], high = root->upper[axis][lane];
		most = low <= high ? fmax(most, fmax(-low, high)) : most;
	}
	return (float)(most * (double)FIND_FLOAT_SLACK);
}

static FindRay findMakeRay(const brWideTree* tree, brDVec3 origin, brDVec3 direction)
{
	const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
	FindRay ray = {.slack = findSlack(tree, origin)};
	for (int k = 0; k < 3; ++k)
	{
		double inverse = 1.0 / d[k];
		ray.origin[k] = (float)o[k];
		ray.inverse[k] =
			(float)(fabs(inverse) < (double)FIND_MAX_INVERSE ? inverse : copysign((double)FIND_MAX_INVERSE, d[k]));
	}
	return ray;
}

// Where a ray enters the boxes of a group and where it leaves them: not after, if it meets one. One lane is one box, so
// the loops are the compiler's to make wide.
static void findEnter(const brLaneBoxes* group, const FindRay* ray, float limit, float enter[BR_WIDE_ARITY],
					  float leave[BR_WIDE_ARITY])
{
	for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
	{
		enter[i] = 0.0f;
		leave[i] = limit;
	}
	for (int k = 0; k < 3; ++k)
	{
		bool isForward = ray->inverse[k] > 0.0f;
		const float* nearSide = isForward ? group->lower[k] : group->upper[k];
		const float* farSide = isForward ? group->upper[k] : group->lower[k];
		float slack = isForward ? ray->slack : -ray->slack, origin = ray->origin[k], inverse = ray->inverse[k];
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			float first = (nearSide[i] - origin - slack) * inverse, last = (farSide[i] - origin + slack) * inverse;
			enter[i] = first > enter[i] ? first : enter[i];
			leave[i] = last < leave[i] ? last : leave[i];
		}
	}
}

double brWideTree_VisitRay(const brWideTree* tree, brDVec3 origin, brDVec3 direction, double limit, brRayFcn* hit,
						   void* user)
{
	if (tree->levelCount == 0)
	{
		return limit;
	}
	FindRay ray = findMakeRay(tree, origin, direction);
	FindEntry stack[findStack] = {{0.0, tree->levelCount - 1, 0}};
	int32_t count = 1;
	while (count > 0 && limit >= 0.0)
	{
		FindEntry top = stack[--count];
		if (top.distance > limit)
		{
			continue;
		}
		if (top.level < 0)
		{
			limit = hit(tree->ids[top.index], limit, user);
			continue;
		}
		float enter[BR_WIDE_ARITY], leave[BR_WIDE_ARITY], most = nextafterf((float)limit, INFINITY);
		const brLaneBoxes* group = &tree->levels[top.level][top.index];
		findEnter(group, &ray, most, enter, leave);
		FindEntry near[BR_WIDE_ARITY];
		int32_t nearCount = 0;
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			if (enter[i] * (1.0f - FIND_FLOAT_SLACK) <= leave[i] * (1.0f + FIND_FLOAT_SLACK) &&
				group->lower[0][i] <= group->upper[0][i]) // else an empty lane
			{
				double distance = (double)enter[i] * (1.0 - (double)FIND_FLOAT_SLACK);
				nearCount =
					findSort(near, nearCount, (FindEntry){distance, top.level - 1, BR_WIDE_ARITY * top.index + i});
			}
		}
		for (int32_t i = 0; i < nearCount; ++i)
		{
			stack[count++] = near[i];
		}
	}
	return limit;
}

// Squared distances of a point from the boxes of a group, not too large.
static void findSquares(const brLaneBoxes* group, const float p[3], float slack, float squares[BR_WIDE_ARITY])
{
	for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
	{
		squares[i] = 0.0f;
	}
	for (int k = 0; k < 3; ++k)
	{
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			float below = group->lower[k][i] - p[k] - slack, above = p[k] - group->upper[k][i] - slack;
			float gap = below > above ? below : above;
			gap = gap > 0.0f ? gap : 0.0f;
			squares[i] += gap * gap;
		}
	}
}

double brWideTree_VisitNear(const brWideTree* tree, brDVec3 point, double limitSq, brNearFcn* near, void* user)
{
	if (tree->levelCount == 0)
	{
		return limitSq;
	}
	const float p[3] = {(float)point.x, (float)point.y, (float)point.z};
	float slack = findSlack(tree, point);
	FindEntry stack[findStack] = {{0.0, tree->levelCount - 1, 0}};
	int32_t count = 1;
	while (count > 0 && limitSq >= 0.0)
	{
		FindEntry top = stack[--count];
		if (top.distance > limitSq)
		{
			continue;
		}
		if (top.level < 0)
		{
			limitSq = near(tree->ids[top.index], limitSq, user);
			continue;
		}
		const brLaneBoxes* group = &tree->levels[top.level][top.index];
		float squares[BR_WIDE_ARITY];
		findSquares(group, p, slack, squares);
		FindEntry lanes[BR_WIDE_ARITY];
		int32_t laneCount = 0;
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			double distanceSq = (double)squares[i] * (1.0 - (double)FIND_FLOAT_SLACK);
			if (distanceSq <= limitSq && group->lower[0][i] <= group->upper[0][i])
			{
				laneCount =
					findSort(lanes, laneCount, (FindEntry){distanceSq, top.level - 1, BR_WIDE_ARITY * top.index + i});
			}
		}
		for (int32_t i = 0; i < laneCount; ++i)
		{
			stack[count++] = lanes[i];
		}
	}
	return limitSq;
}
