// SPDX-License-Identifier: MIT

// The result as a perfect matching of half-edges.
//
// Around an edge that carries the cutter, half-planes part space into wedges of known weight (the winding number of the
// source, or what a boolean makes of both). Layer k >= 1 is where the weight is k or more, layer k <= 0 where it is k -
// 1 or less, inside out. In each layer, runs of full wedges begin and end at faces where the layer changes and, for
// split, at walls: cutter cells with material on both sides, present once for each side. The two ends of a run are
// neighbors in the result. Weight changes sum to zero around an edge, so every half-edge that is in the result ends
// exactly one run: the result is closed, oriented and manifold by the way it is made. Everywhere else neighbors stay
// what they were.

#include "cut/cut_weave.h"
#include "base/forest.h"

#include <string.h>

enum
{
	CUT_WEAVE_BLOCK = 4096 // triangles or copies a worker takes at a time
};

typedef struct CutEvent
{
	int32_t layer;
	int32_t halfEdge; // of a copy
	bool opens;       // a run begins, turning counter-clockwise
} CutEvent;

typedef BR_ARRAY(CutEvent) CutEvents;

// Weights

static int32_t cutWeight(const brCutJob* job, int32_t winding, int32_t cutting)
{
	int32_t inside = cutting >= 1;
	switch (job->def->op)
	{
		case br_cutIntersection:
			return winding * inside;
		case br_cutDifference:
			return winding * (1 - inside);
		case br_cutUnion:
			return inside ? 1 : winding;
		default:
			return winding;
	}
}

// A run of planes of one cluster, with the numbers before it.
typedef struct CutCluster
{
	const brCutHalfPlane* planes;
	int32_t count;
	int32_t winding, cutting;           // before
	int32_t windingAfter, cuttingAfter; // after
	int32_t cutterCount;
} CutCluster;

static CutCluster cutNextCluster(const CutGroup* group, const brCutHalfPlane* planes, int32_t first, int32_t winding,
								 int32_t cutting)
{
	CutCluster cluster = {planes + first, 0, winding, cutting, winding, cutting, 0};
	for (int32_t i = first; i < group->count && planes[i].cluster == planes[first].cluster; ++i)
	{
		int32_t jump = planes[i].isLeft ? -1 : 1;
		cluster.windingAfter += planes[i].isCutter ? 0 : jump;
		cluster.cuttingAfter += planes[i].isCutter ? jump : 0;
		cluster.cutterCount += planes[i].isCutter;
		cluster.count += 1;
	}
	return cluster;
}

// The region of a boolean's cluster that is in the result: the source's if one turns the right way, else the cutter's
// lowest. Its index, or -1 if the weight does not change.
static int32_t cutKeeper(const brCutJob* job, const CutCluster* cluster, int32_t* outChange)
{
	int32_t change = cutWeight(job, cluster->windingAfter, cluster->cuttingAfter) -
					 cutWeight(job, cluster->winding, cluster->cutting);
	*outChange = change;
	if (change == 0)
	{
		return -1;
	}
	int32_t keeper = -1;
	for (int32_t i = 0; i < cluster->count; ++i)
	{
		const brCutHalfPlane* plane = &cluster->planes[i];
		if (!plane->isCutter && plane->isLeft == (change < 0))
		{
			return i;
		}
		keeper = plane->isCutter && keeper < 0 ? i : keeper;
	}
	return keeper;
}

static bool cutSettleRegion(CutWeave* weave, int32_t cell, CutRegion region)
{
	// What lies on another region is near, or a double, whose labels say the same.
	if (cell >= weave->nearCount)
	{
		return brCut_IsDoubled(weave->job, brCut_CellTriangle(weave->job, cell)) || brCut_FailWeave(weave, cell);
	}
	CutRegion* own = &weave->regions[brFindRoot(weave->regionOf, cell)];
	if (own->isSettled &&
		(own->count != region.count || own->isTurned != region.isTurned || own->winding != region.winding))
	{
		return brCut_FailWeave(weave, cell);
	}
	*own = region;
	own->isSettled = true;
	return true;
}

// Regions that lie on each other are settled where their edges show it.
static bool cutSettleCoincident(CutWeave* weave)
{
	const brCutJob* job = weave->job;
	bool isBoolean = brCut_IsBoolean(job);
	for (int32_t g = 0; g < weave->groups.count; ++g)
	{
		const CutGroup* group = &weave->groups.data[g];
		const brCutHalfPlane* planes = weave->planes.data + group->start;
		int32_t winding = group->winding, cutting = group->cutting;
		for (int32_t first = 0; first < group->count;)
		{
			CutCluster cluster = cutNextCluster(group, planes, first, winding, cutting);
			if (cluster.cutterCount > 0 && cluster.count > 1)
			{
				int32_t change, keeper = isBoolean ? cutKeeper(job, &cluster, &change) : -1;
				int32_t here = winding;
				bool isFirst = true;
				for (int32_t i = 0; i < cluster.count; ++i)
				{
					const brCutHalfPlane* plane = &cluster.planes[i];
					CutRegion region = {0};
					if (isBoolean)
					{
						region.count = i == keeper ? (change < 0 ? -change : change) : 0;
						region.isTurned = i == keeper && plane->isLeft != (change < 0);
					}
					else if (plane->isCutter)
					{
						region.winding = isFirst ? here : 0;
						region.count = isFirst ? 2 * (here < 0 ? -here : here) : 0;
						isFirst = false;
					}
					else
					{
						here += plane->isLeft ? -1 : 0;
						region.count = 1;
					}
					if (!cutSettleRegion(weave, plane->cell, region))
					{
						return false;
					}
				}
			}
			winding = cluster.windingAfter, cutting = cluster.cuttingAfter;
			first += cluster.count;
		}
	}
	return true;
}

// Walls stand neither on the skin of a surface nor on an earlier wall.
static bool cutSettleOnSkin(CutWeave* weave)
{
	for (int32_t g = 0; g < weave->groups.count; ++g)
	{
		const CutGroup* group = &weave->groups.data[g];
		const brCutHalfPlane* planes = weave->planes.data + group->start;
		for (int32_t first = 0; first < group->count;)
		{
			CutCluster cluster = cutNextCluster(group, planes, first, 0, 0);
			bool isTaken = cluster.cutterCount < cluster.count;
			for (int32_t i = 0; i < cluster.count; ++i)
			{
				if (cluster.planes[i].isCutter && isTaken &&
					!cutSettleRegion(weave, cluster.planes[i].cell, (CutRegion){0}))
				{
					return false;
				}
				isTaken |= cluster.planes[i].isCutter;
			}
			first += cluster.count;
		}
	}
	return true;
}

// What the region of a cell gives if it lies on no other.
// What a class of doubles gives: the source's faces if they turn the right way, else the cutter's.
static CutRegion cutDoubledRegion(const CutWeave* weave, int32_t cell, int32_t class)
{
	const brCutJob* job = weave->job;
	bool isCutter = brCut_IsCutterCell(weave, cell);
	CutRegion region = {0};
	if (!brCut_IsBoolean(job))
	{
		// A wall on the skin has the material that is on both sides of it.
		const int32_t* winding = isCutter && job->def->op == br_cutSplit ? weave->classWinding + 2 * class : NULL;
		region.winding = winding == NULL ? 0 : winding[0] < winding[1] ? winding[0] : winding[1];
		region.count = isCutter ? 2 * (region.winding < 0 ? -region.winding : region.winding) : 1;
		return region;
	}
	// The cutter's side knows the numbers of both.
	int32_t both = isCutter ? class : weave->classes[brCut_FarCell(job, job->doubles[brCut_CellTriangle(job, cell)])];
	const int32_t *cutting = weave->classCutting + 2 * both, *winding = weave->classWinding + 2 * both;
	int32_t change = cutWeight(job, winding[0], cutting[0]) - cutWeight(job, winding[1], cutting[1]);
	bool isAlong = winding[1] - winding[0] == cutting[1] - cutting[0];
	bool isSources = isAlong ? change < 0 : change > 0;
	region.count = isSources == isCutter ? 0 : change < 0 ? -change : change;
	region.isTurned = isCutter && change > 0;
	return region;
}

static CutRegion cutPlainRegion(const CutWeave* weave, int32_t cell, int32_t class)
{
	const brCutJob* job = weave->job;
	bool isCutter = brCut_IsCutterCell(weave, cell);
	CutRegion region = {0};
	if (cell >= weave->nearCount && brCut_IsDoubled(job, brCut_CellTriangle(job, cell)))
	{
		return cutDoubledRegion(weave, cell, class);
	}
	if (brCut_IsBoolean(job))
	{
		const int32_t* cutting = weave->classCutting + 2 * class;
		const int32_t* winding = weave->classWinding + 2 * class;
		if (!isCutter)
		{
			region.count = (job->def->op == br_cutIntersection) == (cutting[0] >= 1);
			return region;
		}
		int32_t change = cutWeight(job, winding[0], cutting[0]) - cutWeight(job, winding[1], cutting[1]);
		region.count = change < 0 ? -change : change;
		region.isTurned = change > 0;
		return region;
	}
	if (!isCutter)
	{
		region.count = 1;
		return region;
	}
	region.winding = job->def->op != br_cutSurface ? weave->classWinding[2 * class] : 0;
	region.count = 2 * (region.winding < 0 ? -region.winding : region.winding);
	return region;
}

static const CutRegion* cutRegion(const CutWeave* weave, int32_t cell)
{
	return cell < weave->nearCount ? &weave->regions[weave->regionOf[cell]]
								   : &weave->classRegions[weave->classes[cell]];
}

// How often each region is in the result, and where the copies of each cell begin: in the order of triangles.
static bool cutCountCopies(CutWeave* weave)
{
	brCutJob* job = weave->job;
	for (int32_t c = 0; c < weave->classCount; ++c)
	{
		weave->classRegions[c] = cutPlainRegion(weave, weave->classCells[c], c);
		weave->classRegions[c].strand = job->strandCount;
		job->strandCount += weave->classRegions[c].count;
		for (int i = 0; i < 2 && weave->classWinding != NULL && brCut_IsCutterCell(weave, weave->classCells[c]); ++i)
		{
			int32_t winding = weave->classWinding[2 * c + i];
			job->stats.lowestWinding = winding < job->stats.lowestWinding ? winding : job->stats.lowestWinding;
			job->stats.highestWinding = winding > job->stats.highestWinding ? winding : job->stats.highestWinding;
		}
	}
	for (int32_t c = 0; c < weave->nearCount; ++c)
	{
		weave->regionOf[c] = brFindRoot(weave->regionOf, c);
		CutRegion* region = &weave->regions[weave->regionOf[c]];
		*region = region->count < 0 ? weave->classRegions[weave->classes[c]] : *region;
	}
	int64_t total = 0;
	for (int32_t t = 0; t < job->triangleCount; ++t)
	{
		bool isNear = brCut_IsNear(job, t);
		int32_t begin = isNear ? job->firstCells[t] : brCut_FarCell(job, t);
		int32_t end = isNear ? job->firstCells[t + 1] : begin + 1;
		for (int32_t c = begin; c < end; ++c)
		{
			const CutRegion* region = cutRegion(weave, c);
			if (region->count > 200)
			{
				return brCut_Fail(job, br_errorLimit, job->faces[t], "the source overlaps itself more than 100 times");
			}
			weave->firstCopies[c] = (int32_t)total;
			total += region->count;
		}
		if (total > INT32_MAX / 4)
		{
			return brCut_Fail(job, br_errorLimit, job->faces[t], "the result has too many faces");
		}
	}
	job->copyCount = (int32_t)total;
	job->copies = BR_ALLOC(&job->allocator, brCutCopy, total);
	job->copyPoints = brAllocArray(&job->allocator, total, sizeof(int32_t[3]));
	job->copyTwins = BR_ALLOC(&job->allocator, int32_t, 3 * total);
	job->copyStrands = BR_ALLOC(&job->allocator, int32_t, total);
	return (job->copies != NULL && job->copyPoints != NULL && job->copyTwins != NULL && job->copyStrands != NULL) ||
		   brCut_FailMemory(job);
}

static void cutFillCopies(CutWeave* weave, int32_t cell)
{
	brCutJob* job = weave->job;
	const CutRegion* region = cutRegion(weave, cell);
	const int32_t* points = brCut_CellPoints(job, cell);
	int32_t triangle = brCut_CellTriangle(job, cell);
	bool isCutter = triangle >= job->sourceCount;
	// Walls come in pairs: for the piece in front, turned over, and for the piece behind.
	bool isWall = isCutter && !brCut_IsBoolean(job);
	for (int32_t i = 0; i < region->count; ++i)
	{
		int32_t copy = weave->firstCopies[cell] + i;
		bool isFront = isWall ? i % 2 == 0 : region->isTurned;
		bool isTurned = isWall ? isFront == (region->winding > 0) : region->isTurned;
		job->copies[copy] = (brCutCopy){.triangle = triangle,
										.kind = (int8_t)(!isCutter || job->isResolve ? br_faceSource
														 : isFront                   ? br_faceCapPositive
																					 : br_faceCapNegative),
										.layer = (int8_t)(isWall ? i / 2 : i),
										.isTurned = isTurned};
		for (int k = 0; k < 3; ++k)
		{
			job->copyPoints[copy][k] = points[isTurned && k > 0 ? 3 - k : k];
			job->copyTwins[3 * copy + k] = -1;
		}
		job->copyStrands[copy] = cell < weave->nearCount ? -1 : region->strand + i;
	}
}

static void cutMakeCopies(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutWeave* weave = user;
	const brCutJob* job = weave->job;
	for (int32_t t = begin; t < end; ++t)
	{
		if (!brCut_IsNear(job, t))
		{
			cutFillCopies(weave, brCut_FarCell(job, t));
			continue;
		}
		for (int32_t c = job->firstCells[t]; c < job->firstCells[t + 1]; ++c)
		{
			cutFillCopies(weave, c);
		}
	}
}

static int32_t cutCopySide(const brCutJob* job, int32_t copy, int32_t side)
{
	return 3 * copy + (job->copies[copy].isTurned ? 2 - side : side);
}

static void cutLinkCopies(brCutJob* job, int32_t a, int32_t b)
{
	job->copyTwins[a] = b;
	job->copyTwins[b] = a;
}

// Runs of each layer: an opening belongs to the next closing, all the way round.
static bool cutMatchEvents(CutWeave* weave, const CutEvents* events, int32_t cell)
{
	int32_t lowest = INT32_MAX, highest = INT32_MIN;
	for (int32_t i = 0; i < events->count; ++i)
	{
		lowest = events->data[i].layer < lowest ? events->data[i].layer : lowest;
		highest = events->data[i].layer > highest ? events->data[i].layer : highest;
	}
	for (int32_t layer = lowest; layer <= highest && events->count > 0; ++layer)
	{
		int32_t first = -1, open = -1, last = -1;
		for (int32_t i = 0; i < 2 * events->count; ++i)
		{
			int32_t at = i % events->count;
			const CutEvent* event = &events->data[at];
			if (event->layer != layer)
			{
				continue;
			}
			if (first < 0)
			{
				if (!event->opens)
				{
					continue;
				}
				first = at;
			}
			else if (at == first && i >= events->count)
			{
				last = at;
				break;
			}
			if (event->opens != (open < 0))
			{
				return brCut_FailWeave(weave, cell);
			}
			if (!event->opens)
			{
				cutLinkCopies(weave->job, events->data[open].halfEdge, event->halfEdge);
			}
			open = event->opens ? at : -1;
		}
		if (first >= 0 && (last < 0 || open >= 0))
		{
			return brCut_FailWeave(weave, cell);
		}
	}
	return true;
}

static bool cutPushEvent(brCutJob* job, CutEvents* events, int32_t layer, int32_t halfEdge, bool opens)
{
	return BR_PUSH(&job->allocator, events, ((CutEvent){layer, halfEdge, opens})) || brCut_FailMemory(job);
}

// The weight goes from `before` to `after` at copies of one cell, one for each layer passed.
static bool cutPushChange(CutWeave* weave, CutEvents* events, const brCutHalfPlane* plane, int32_t before,
						  int32_t after)
{
	brCutJob* job = weave->job;
	int32_t lower = before < after ? before : after, upper = before < after ? after : before;
	int32_t first = weave->firstCopies[plane->cell];
	if (cutRegion(weave, plane->cell)->count != upper - lower)
	{
		return brCut_FailWeave(weave, plane->cell);
	}
	for (int32_t layer = lower + 1; layer <= upper; ++layer)
	{
		int32_t side = cutCopySide(job, first + layer - lower - 1, plane->side);
		if (!cutPushEvent(job, events, layer, side, (after > before) == (layer >= 1)))
		{
			return false;
		}
	}
	return true;
}

// A wall: each layer of material ends on one side of it and begins again on the other.
static bool cutPushWall(CutWeave* weave, CutEvents* events, const brCutHalfPlane* plane, int32_t winding)
{
	brCutJob* job = weave->job;
	int32_t first = weave->firstCopies[plane->cell], count = cutRegion(weave, plane->cell)->count;
	int32_t layers = winding < 0 ? -winding : winding;
	if (count != 2 * layers)
	{
		return count == 0 ? true : brCut_FailWeave(weave, plane->cell);
	}
	for (int32_t i = 0; i < layers; ++i)
	{
		int32_t front = cutCopySide(job, first + 2 * i, plane->side);
		int32_t back = cutCopySide(job, first + 2 * i + 1, plane->side);
		int32_t layer = winding > 0 ? i + 1 : -i;
		if (!cutPushEvent(job, events, layer, plane->isLeft ? back : front, false) ||
			!cutPushEvent(job, events, layer, plane->isLeft ? front : back, true))
		{
			return false;
		}
	}
	return true;
}

static bool cutPairWedges(CutWeave* weave, const CutGroup* group, CutEvents* events)
{
	const brCutJob* job = weave->job;
	const brCutHalfPlane* planes = weave->planes.data + group->start;
	bool isBoolean = brCut_IsBoolean(job);
	int32_t winding = group->winding, cutting = group->cutting;
	events->count = 0;
	for (int32_t first = 0; first < group->count;)
	{
		CutCluster cluster = cutNextCluster(group, planes, first, winding, cutting);
		first += cluster.count;
		if (isBoolean && cluster.cutterCount > 0)
		{
			int32_t change;
			int32_t keeper = cutKeeper(job, &cluster, &change);
			int32_t before = cutWeight(job, cluster.winding, cluster.cutting);
			if (keeper >= 0 && !cutPushChange(weave, events, &cluster.planes[keeper], before, before + change))
			{
				return false;
			}
			winding = cluster.windingAfter, cutting = cluster.cuttingAfter;
			continue;
		}
		for (int32_t i = 0; i < cluster.count; ++i)
		{
			const brCutHalfPlane* plane = &cluster.planes[i];
			if (plane->isCutter)
			{
				if (!cutPushWall(weave, events, plane, winding))
				{
					return false;
				}
				continue;
			}
			int32_t after = winding + (plane->isLeft ? -1 : 1);
			if (!cutPushChange(weave, events, plane, cutWeight(job, winding, cutting), cutWeight(job, after, cutting)))
			{
				return false;
			}
			winding = after;
		}
	}
	return cutMatchEvents(weave, events, planes[0].cell);
}

// What bounds the gaps between half-planes around an edge of a surface: half-edges that look at the gap before and the
// gap behind, -1: none does, or it has a partner already.
typedef struct CutGap
{
	int32_t before, behind;
	bool isWall;
} CutGap;

typedef BR_ARRAY(CutGap) CutGaps;

static bool cutIsWall(const CutWeave* weave, const brCutHalfPlane* plane)
{
	return plane->isCutter && cutRegion(weave, plane->cell)->count == 2;
}

// Whether neighbors i < j of the source part: the cutter lies on both sides between them, or a wall lies in the
// material.
static bool cutParts(const CutWeave* weave, const brCutHalfPlane* planes, int32_t count, int32_t i, int32_t j)
{
	bool isInside = false, isOutside = false, isWalled = false;
	for (int32_t k = 0; k < count; ++k)
	{
		int32_t at = planes[k].cluster;
		isInside |= planes[k].isCutter && at > planes[i].cluster && at < planes[j].cluster;
		isOutside |= planes[k].isCutter && (at < planes[i].cluster || at > planes[j].cluster);
		// Material is behind a face: counter-clockwise of one that runs against the axis.
		isWalled |= cutIsWall(weave, &planes[k]) && (k > i && k < j) == !planes[i].isLeft;
	}
	return (isInside && isOutside) || isWalled;
}

// Surfaces: neighbors stay neighbors unless they are parted; walls join what looks at them across a gap.
static bool cutPartSurface(CutWeave* weave, const CutGroup* group, CutGaps* gaps)
{
	brCutJob* job = weave->job;
	const brCutHalfPlane* planes = weave->planes.data + group->start;
	for (int32_t i = 0; i < group->count; ++i)
	{
		for (int32_t j = i + 1; j < group->count && !planes[i].isCutter; ++j)
		{
			uint32_t side = (uint32_t)(3 * planes[j].cell + planes[j].side);
			bool isPair =
				!planes[j].isCutter && brCut_OwnPartner(weave, &side, 1, 3 * planes[i].cell + planes[i].side) >= 0;
			if (isPair && !cutParts(weave, planes, group->count, i, j))
			{
				cutLinkCopies(job, cutCopySide(job, weave->firstCopies[planes[i].cell], planes[i].side),
							  cutCopySide(job, weave->firstCopies[planes[j].cell], planes[j].side));
			}
		}
	}
	gaps->count = 0;
	bool hasWalls = false;
	for (int32_t i = 0; i < group->count; ++i)
	{
		const brCutHalfPlane* plane = &planes[i];
		int32_t first = weave->firstCopies[plane->cell];
		bool isWall = cutIsWall(weave, plane);
		CutGap gap = {-1, -1, isWall};
		if (isWall)
		{
			int32_t front = cutCopySide(job, first, plane->side), back = cutCopySide(job, first + 1, plane->side);
			gap.before = plane->isLeft ? back : front;
			gap.behind = plane->isLeft ? front : back;
		}
		else if (!plane->isCutter)
		{
			int32_t h = cutCopySide(job, first, plane->side);
			h = job->copyTwins[h] < 0 ? h : -1;
			gap.before = plane->isLeft ? h : -1;
			gap.behind = plane->isLeft ? -1 : h;
		}
		hasWalls |= isWall;
		if ((isWall || !plane->isCutter) && !BR_PUSH(&job->allocator, gaps, gap))
		{
			return brCut_FailMemory(job);
		}
	}
	for (int32_t i = 0; i < gaps->count && hasWalls; ++i)
	{
		const CutGap *a = &gaps->data[i], *b = &gaps->data[(i + 1) % gaps->count];
		if ((a->isWall || b->isWall) && a->behind >= 0 && b->before >= 0)
		{
			cutLinkCopies(job, a->behind, b->before);
		}
	}
	return true;
}

// Copies of two cells at a side where nothing else is: layer by layer.
static void cutPairSide(CutWeave* weave, int32_t s, int32_t r)
{
	brCutJob* job = weave->job;
	int32_t count = cutRegion(weave, s / 3)->count;
	if (count != cutRegion(weave, r / 3)->count)
	{
		atomic_store_explicit(&weave->isBroken, true, memory_order_relaxed);
		return;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		cutLinkCopies(job, cutCopySide(job, weave->firstCopies[s / 3] + i, s % 3),
					  cutCopySide(job, weave->firstCopies[r / 3] + i, r % 3));
	}
}

// Sides between untouched triangles, which are of one class and so have as many copies; each pair is made at its lower
// side.
static void cutPairFarSides(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutWeave* weave = user;
	brCutJob* job = weave->job;
	for (int32_t t = begin; t < end; ++t)
	{
		int32_t cell = brCut_FarCell(job, t), count = brCut_IsNear(job, t) ? 0 : cutRegion(weave, cell)->count;
		for (int k = 0; k < 3 && count > 0; ++k)
		{
			int32_t twin = job->twins[3 * t + k];
			if (twin < 3 * t + k || brCut_IsNear(job, twin / 3))
			{
				continue;
			}
			int32_t first = weave->firstCopies[cell], other = weave->firstCopies[brCut_FarCell(job, twin / 3)];
			for (int32_t i = 0; i < count; ++i)
			{
				cutLinkCopies(job, cutCopySide(job, first + i, k), cutCopySide(job, other + i, twin % 3));
			}
		}
	}
}

static bool cutPairCopies(CutWeave* weave)
{
	brCutJob* job = weave->job;
	brParallelFor(brCut_Workers(job), job->triangleCount, CUT_WEAVE_BLOCK, cutPairFarSides, weave);
	for (int32_t s = 0; s < 3 * weave->nearCount; ++s)
	{
		if (weave->sidePairs[s] > s)
		{
			cutPairSide(weave, s, weave->sidePairs[s]);
		}
	}
	CutEvents events = {0};
	CutGaps gaps = {0};
	bool isDone = true;
	for (int32_t g = 0; g < weave->groups.count && isDone; ++g)
	{
		const CutGroup* group = &weave->groups.data[g];
		isDone = brCut_MayBeOpen(job) ? cutPartSurface(weave, group, &gaps) : cutPairWedges(weave, group, &events);
	}
	BR_FREE_ARRAY(&job->allocator, &events);
	BR_FREE_ARRAY(&job->allocator, &gaps);
	return isDone;
}

// Every half-edge of a copy has one partner, and the two run against each other.
static bool cutIsCopySound(const brCutJob* job, int32_t copy)
{
	const int32_t* points = job->copyPoints[copy];
	for (int k = 0; k < 3; ++k)
	{
		int32_t h = 3 * copy + k, twin = job->copyTwins[h];
		if (twin < 0 ? !brCut_MayBeOpen(job)
					 : job->copyTwins[twin] != h || job->copyPoints[twin / 3][twin % 3] != points[(k + 1) % 3] ||
						   job->copyPoints[twin / 3][(twin % 3 + 1) % 3] != points[k])
		{
			return false;
		}
	}
	return true;
}

static void cutAuditCopies(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	CutWeave* weave = user;
	for (int32_t c = begin; c < end; ++c)
	{
		if (!cutIsCopySound(weave->job, c))
		{
			atomic_store_explicit(&weave->isBroken, true, memory_order_relaxed);
			return;
		}
	}
}

// Always on. What workers find broken is named here: copies that did not fit have sides without a partner.
static bool cutAudit(CutWeave* weave)
{
	brCutJob* job = weave->job;
	brParallelFor(brCut_Workers(job), job->copyCount, CUT_WEAVE_BLOCK, cutAuditCopies, weave);
	for (int32_t c = 0; c < job->copyCount && weave->isBroken; ++c)
	{
		if (!cutIsCopySound(job, c))
		{
			return brCut_FailWeave(weave, brCut_FarCell(job, job->copies[c].triangle));
		}
	}
	return !weave->isBroken || brCut_Fail(job, br_errorGeometry, -1, "the pieces do not fit together");
}

bool brCut_Weave(brCutJob* job)
{
	CutWeave weave = {.job = job, .nearCount = job->cells.count, .cellCount = job->cells.count + job->triangleCount};
	weave.sidePairs = BR_ALLOC(&job->allocator, int32_t, 3 * (int64_t)weave.nearCount);
	weave.regionOf = BR_ALLOC(&job->allocator, int32_t, weave.nearCount);
	weave.regions = BR_ALLOC_ZERO(&job->allocator, CutRegion, weave.nearCount);
	weave.classes = BR_ALLOC(&job->allocator, int32_t, weave.cellCount);
	weave.firstCopies = BR_ALLOC(&job->allocator, int32_t, weave.cellCount);
	bool isDone = weave.sidePairs != NULL && weave.regionOf != NULL && weave.regions != NULL && weave.classes != NULL &&
				  weave.firstCopies != NULL;
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	if (isDone)
	{
		for (int32_t i = 0; i < weave.nearCount; ++i)
		{
			weave.sidePairs[3 * i] = weave.sidePairs[3 * i + 1] = weave.sidePairs[3 * i + 2] = -1;
			weave.regions[i].count = -1;
		}
		isDone = brCut_MakeGroups(&weave) && brCut_JoinCells(&weave);
	}
	if (isDone)
	{
		// A surface without inside needs no numbers.
		isDone = job->def->op == br_cutSurface ||
				 (job->def->op == br_cutFill ? brCut_LabelByAngle(&weave) && cutSettleOnSkin(&weave)
											 : brCut_Label(&weave) && cutSettleCoincident(&weave));
		isDone = isDone && cutCountCopies(&weave);
	}
	if (isDone)
	{
		brParallelFor(brCut_Workers(job), job->triangleCount, CUT_WEAVE_BLOCK, cutMakeCopies, &weave);
		isDone = cutPairCopies(&weave) && cutAudit(&weave);
	}
	BR_FREE(&job->allocator, weave.sidePairs, 3 * (int64_t)weave.nearCount);
	BR_FREE(&job->allocator, weave.regionOf, weave.nearCount);
	BR_FREE(&job->allocator, weave.regions, weave.nearCount);
	BR_FREE(&job->allocator, weave.classes, weave.cellCount);
	BR_FREE(&job->allocator, weave.firstCopies, weave.cellCount);
	BR_FREE(&job->allocator, weave.classCells, weave.classCount);
	BR_FREE(&job->allocator, weave.classRegions, weave.classCount);
	BR_FREE(&job->allocator, weave.hasGroup, weave.classCount);
	BR_FREE(&job->allocator, weave.classWinding, 2 * (int64_t)weave.classCount);
	BR_FREE(&job->allocator, weave.classCutting, 2 * (int64_t)weave.classCount);
	BR_FREE_ARRAY(&job->allocator, &weave.planes);
	BR_FREE_ARRAY(&job->allocator, &weave.groups);
	return isDone;
}
