// SPDX-License-Identifier: MIT

// Single queries. A stack of groups with the distance at which each begins to matter; lanes of a group that still
// matter are pushed farthest first. Distances are rounded toward the query, so rounding can cost a visit but never a
// hit.

#include "index/wide_find.h"

enum
{
	findStack = BR_WIDE_ARITY * BR_WIDE_MAX_LEVELS
};

// Room for the errors of three roundings, as a factor.
static const double findShrink = 1.0 - 0x1p-50;
static const double findGrow = 1.0 + 0x1p-50;

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

bool brWideTree_VisitBox(const brWideTree* tree, brBox3 box, brVisitFcn* visit, void* user)
{
	FindEntry stack[findStack];
	int32_t count = 0;
	if (tree->levelCount > 0)
	{
		stack[count++] = (FindEntry){0.0, tree->levelCount - 1, 0};
	}
	const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
	while (count > 0)
	{
		FindEntry top = stack[--count];
		const brLaneBoxes* group = &tree->levels[top.level][top.index];
		uint32_t mask = 0;
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			uint32_t overlaps = 1;
			for (int k = 0; k < 3; ++k)
			{
				overlaps &= group->lower[k][i] <= upper[k] && group->upper[k][i] >= lower[k];
			}
			mask |= overlaps << i;
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

// Where a ray enters a lane's box, or -1.
static double findEnter(const brLaneBoxes* group, int32_t lane, const double origin[3], const double direction[3],
						const double inverse[3], double limit)
{
	if (group->lower[0][lane] > group->upper[0][lane])
	{
		return -1.0; // an empty lane
	}
	double enter = 0.0, leave = limit;
	for (int k = 0; k < 3; ++k)
	{
		double low = (double)group->lower[k][lane] - origin[k], high = (double)group->upper[k][lane] - origin[k];
		if (direction[k] == 0.0)
		{
			if (!(low <= 0.0 && high >= 0.0))
			{
				return -1.0;
			}
			continue;
		}
		double t0 = low * inverse[k], t1 = high * inverse[k];
		double first = t0 < t1 ? t0 : t1, last = t0 < t1 ? t1 : t0;
		first = first > 0.0 ? first * findShrink : first * findGrow;
		last = last > 0.0 ? last * findGrow : last * findShrink;
		enter = first > enter ? first : enter;
		leave = last < leave ? last : leave;
	}
	return enter <= leave ? enter : -1.0;
}

double brWideTree_VisitRay(const brWideTree* tree, brDVec3 origin, brDVec3 direction, double limit, brRayFcn* hit,
						   void* user)
{
	const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
	const double inverse[3] = {1.0 / d[0], 1.0 / d[1], 1.0 / d[2]};
	FindEntry stack[findStack];
	int32_t count = 0;
	if (tree->levelCount > 0)
	{
		stack[count++] = (FindEntry){0.0, tree->levelCount - 1, 0};
	}
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
		const brLaneBoxes* group = &tree->levels[top.level][top.index];
		FindEntry near[BR_WIDE_ARITY];
		int32_t nearCount = 0;
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			double enter = findEnter(group, i, o, d, inverse, limit);
			if (enter >= 0.0)
			{
				nearCount = findSort(near, nearCount, (FindEntry){enter, top.level - 1, BR_WIDE_ARITY * top.index + i});
			}
		}
		for (int32_t i = 0; i < nearCount; ++i)
		{
			stack[count++] = near[i];
		}
	}
	return limit;
}

double brWideTree_VisitNear(const brWideTree* tree, brDVec3 point, double limitSq, brNearFcn* near, void* user)
{
	const double p[3] = {point.x, point.y, point.z};
	FindEntry stack[findStack];
	int32_t count = 0;
	if (tree->levelCount > 0)
	{
		stack[count++] = (FindEntry){0.0, tree->levelCount - 1, 0};
	}
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
		FindEntry lanes[BR_WIDE_ARITY];
		int32_t laneCount = 0;
		for (int32_t i = 0; i < BR_WIDE_ARITY; ++i)
		{
			double distanceSq = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				double below = (double)group->lower[k][i] - p[k], above = p[k] - (double)group->upper[k][i];
				double gap = below > above ? below : above;
				distanceSq += gap > 0.0 ? gap * gap : 0.0;
			}
			distanceSq *= findShrink;
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
