// SPDX-License-Identifier: MIT

// Joins what a cutter parted and should not have: pieces that are too small join the neighbor with which they share
// most of the cutter's faces, and incisions, walls with the same piece on both sides, close again.
//
// A wall is there twice, once for the piece in front and once for the one behind. Taking both away joins what is on
// their sides: along each edge the two that they were paired with become each other's partners.
//
//        a \    / b            a \    / b        front and back copy of one cell seen along an edge:
//           \  /                  \  /           a was paired with the front, b with the back
//           f||k        ->         \/
//            ||
//
// A closed surface stays closed, nothing moves and nothing is rounded. Afterwards faces of the source grow together
// again as if there had been no cut (cut_polygons.c). Time is that of sorting the walls by the two shells that they lie
// between.

#include "base/forest.h"
#include "base/sort.h"
#include "cut/cut_shell.h"

#include <string.h>

// A shell that shares walls with another. Each is there from both sides.
typedef struct HealLink
{
	int32_t from, to;
	double area;
} HealLink;

typedef struct Heal
{
	CutShell* shell;
	int32_t* shellOf; // [count] of each triangle
	CutShellInfos shells;
	BR_ARRAY(HealLink) links; // by from, then to
	int32_t* firstLinks;      // [shells + 1]
	int32_t* groups;          // [shells] union-find: what is one piece in the end
	double* groupVolumes;     // [shells] at roots
	int32_t* order;           // [shells] by rising volume
} Heal;

// The wall is the copy and the next one.
static bool healIsWall(const brCutJob* job, int32_t copy)
{
	return job->copies[copy].kind == br_faceCapPositive && copy + 1 < job->copyCount &&
		   job->copies[copy + 1].kind == br_faceCapNegative &&
		   job->copies[copy + 1].triangle == job->copies[copy].triangle &&
		   job->copies[copy + 1].layer == job->copies[copy].layer;
}

static double healArea(const Heal* heal, int32_t t)
{
	brDVec3 a = brCut_ShellPoint(heal->shell, t, 0);
	brDVec3 b = brDSub(brCut_ShellPoint(heal->shell, t, 1), a), c = brDSub(brCut_ShellPoint(heal->shell, t, 2), a);
	return 0.5 * brDLength(brDCross(b, c));
}

// Walls between different shells, added up by the two.
static bool healLink(Heal* heal)
{
	const brCutJob* job = heal->shell->job;
	const brAllocator* allocator = &job->allocator;
	int64_t most = 0;
	for (int32_t c = 0; c < job->copyCount; ++c)
	{
		most += healIsWall(job, c) && heal->shellOf[c] != heal->shellOf[c + 1] ? 2 : 0;
	}
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, 2 * most);
	uint32_t* walls = BR_ALLOC(allocator, uint32_t, 2 * most);
	int32_t count = 0;
	bool isGood = keys != NULL && walls != NULL;
	for (int32_t c = 0; c < job->copyCount && isGood; ++c)
	{
		if (healIsWall(job, c) && heal->shellOf[c] != heal->shellOf[c + 1])
		{
			uint64_t front = (uint64_t)heal->shellOf[c], back = (uint64_t)heal->shellOf[c + 1];
			keys[count] = front << 32 | back, walls[count++] = (uint32_t)c;
			keys[count] = back << 32 | front, walls[count++] = (uint32_t)c;
		}
	}
	isGood = isGood && brSortPairs64(NULL, allocator, keys, walls, keys + most, walls + most, count);
	for (int32_t i = 0; i < count && isGood; ++i)
	{
		if (i == 0 || keys[i] != keys[i - 1])
		{
			HealLink link = {(int32_t)(keys[i] >> 32), (int32_t)(keys[i] & 0xFFFFFFFFu), 0.0};
			heal->firstLinks[link.from + 1] += 1;
			isGood = BR_PUSH(allocator, &heal->links, link);
		}
		if (isGood)
		{
			heal->links.data[heal->links.count - 1].area += healArea(heal, (int32_t)walls[i]);
		}
	}
	for (int32_t i = 0; i < heal->shells.count && isGood; ++i)
	{
		heal->firstLinks[i + 1] += heal->firstLinks[i];
	}
	BR_FREE(allocator, keys, 2 * most);
	BR_FREE(allocator, walls, 2 * most);
	return isGood;
}

// Shells by rising volume. Few of many are small: those come first, and insertion is only for them.
static void healOrder(Heal* heal, double least)
{
	int32_t small = 0;
	for (int32_t i = 0; i < heal->shells.count; ++i)
	{
		heal->groups[i] = i;
		heal->groupVolumes[i] = heal->shells.data[i].volume;
		if (heal->shells.data[i].volume < least && heal->firstLinks[i + 1] > heal->firstLinks[i])
		{
			int32_t at = small++;
			for (; at > 0 && heal->shells.data[heal->order[at - 1]].volume > heal->shells.data[i].volume; --at)
			{
				heal->order[at] = heal->order[at - 1];
			}
			heal->order[at] = i;
		}
	}
	for (int32_t i = small; i < heal->shells.count; ++i)
	{
		heal->order[i] = -1;
	}
}

// A cavity is no crumb, however small: its volume is negative, and not by rounding.
static bool healIsSmall(const Heal* heal, int32_t shell, double least)
{
	const CutShellInfo* info = &heal->shells.data[shell];
	return info->volume >= -brCut_VolumeSlack(heal->shell->job) * info->area &&
		   heal->groupVolumes[brFindRoot(heal->groups, shell)] < least;
}

// The piece that a small shell shares most with, or -1.
static int32_t healPartner(const Heal* heal, int32_t shell)
{
	int32_t begin = heal->firstLinks[shell], end = heal->firstLinks[shell + 1];
	int32_t own = brFindRoot(heal->groups, shell), best = -1;
	double most = -1.0;
	for (int32_t i = begin; i < end; ++i)
	{
		int32_t other = brFindRoot(heal->groups, heal->links.data[i].to);
		double area = 0.0;
		for (int32_t k = begin; k < end && other != own; ++k)
		{
			const HealLink* link = &heal->links.data[k];
			area += brFindRoot(heal->groups, link->to) == other ? link->area : 0.0;
		}
		if (other != own && area > most)
		{
			most = area;
			best = other;
		}
	}
	return best;
}

// Smallest first; a piece that is still small goes on until it is not, or has no neighbor. Small ones that joined
// others may need their neighbors' walls: again until nothing changes.
static void healJoin(Heal* heal, double least)
{
	healOrder(heal, least);
	for (bool isChanged = true; isChanged;)
	{
		isChanged = false;
		for (int32_t i = 0; i < heal->shells.count && heal->order[i] >= 0; ++i)
		{
			int32_t small = heal->order[i];
			int32_t partner = healIsSmall(heal, small, least) ? healPartner(heal, small) : -1;
			if (partner >= 0)
			{
				double volume = heal->groupVolumes[brFindRoot(heal->groups, small)] + heal->groupVolumes[partner];
				brJoinRoots(heal->groups, small, partner);
				heal->groupVolumes[brFindRoot(heal->groups, small)] = volume;
				heal->shell->job->stats.joined += 1;
				isChanged = true;
			}
		}
	}
}

// Takes both copies of a wall away.
static void healRemove(CutShell* shell, int32_t front)
{
	int32_t back = front + 1, *twins = shell->twins;
	for (int32_t k = 0; k < 3; ++k)
	{
		int32_t f = 3 * front + k, b = 3 * back + 2 - k; // the other one is turned over
		int32_t beyondFront = twins[f], beyondBack = twins[b];
		if (beyondFront == b)
		{
			continue; // the end of the wall
		}
		if (beyondFront >= 0)
		{
			twins[beyondFront] = beyondBack;
		}
		if (beyondBack >= 0)
		{
			twins[beyondBack] = beyondFront;
		}
	}
	shell->triangles[front][0] = shell->triangles[back][0] = -1;
}

// Walls inside one piece.
static void healRemoveInner(const Heal* heal)
{
	CutShell* shell = heal->shell;
	const brCutJob* job = shell->job;
	for (int32_t c = 0; c < job->copyCount; ++c)
	{
		if (!healIsWall(job, c))
		{
			continue;
		}
		int32_t a = heal->shellOf[c], b = heal->shellOf[c + 1];
		if (a == b ? job->def->healIncisions : brFindRoot(heal->groups, a) == brFindRoot(heal->groups, b))
		{
			healRemove(shell, c);
			shell->isCleaned = true;
		}
	}
}

bool brCut_Heal(CutShell* shell)
{
	brCutJob* job = shell->job;
	const brAllocator* allocator = &job->allocator;
	Heal heal = {.shell = shell, .shellOf = BR_ALLOC(allocator, int32_t, shell->count)};
	bool isGood = heal.shellOf != NULL && brCut_FindShells(shell, heal.shellOf, &heal.shells);
	int64_t count = heal.shells.count;
	heal.firstLinks = BR_ALLOC_ZERO(allocator, int32_t, count + 1);
	heal.groups = BR_ALLOC(allocator, int32_t, count);
	heal.order = BR_ALLOC(allocator, int32_t, count);
	heal.groupVolumes = BR_ALLOC(allocator, double, count);
	isGood = isGood && heal.firstLinks != NULL && heal.groups != NULL && heal.order != NULL &&
			 heal.groupVolumes != NULL && healLink(&heal);
	if (isGood)
	{
		healJoin(&heal, job->def->minShare * fabs(job->stats.volumeIn));
		healRemoveInner(&heal);
	}
	BR_FREE(allocator, heal.firstLinks, count + 1);
	BR_FREE(allocator, heal.groups, count);
	BR_FREE(allocator, heal.order, count);
	BR_FREE(allocator, heal.groupVolumes, count);
	BR_FREE(allocator, heal.shellOf, shell->count);
	BR_FREE_ARRAY(allocator, &heal.links);
	BR_FREE_ARRAY(allocator, &heal.shells);
	return isGood || brCut_FailMemory(job);
}
