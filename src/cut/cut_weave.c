// SPDX-License-Identifier: MIT

// The result as a perfect matching of half-edges.
//
// Around an edge that carries the cutter, half-planes part space into wedges of known weight (the winding number of the source, or
// what a boolean makes of both). Layer k >= 1 is where the weight is k or more, layer k <= 0 where it is k - 1 or less, inside
// out. In each layer, runs of full wedges begin and end at faces where the layer changes and, for split, at walls: cutter cells with
// material on both sides, present once for each side. The two ends of a run are neighbours in the result. Weight
// changes sum to zero around an edge, so every half-edge that is in the result ends exactly one run: the result is closed, oriented
// and manifold by the way it is made. Everywhere else neighbours stay what they were.

#include "cut/cut_weave.h"
#include "base/sort.h"
#include "mesh/weld.h"

#include <string.h>

typedef struct CutEvent
{
	int32_t layer;
	int32_t halfEdge; // of a copy
	bool opens;       // a run begins, turning counter-clockwise
} CutEvent;

typedef BR_ARRAY(CutEvent) CutEvents;

static bool cutFailWeave(CutWeave* weave, int32_t cell)
{
	brCutJob* job = weave->job;
	int32_t triangle = job->cells.data[cell].triangle;
	return brCut_Fail(job, br_errorGeometry, job->faces[triangle],
					  "the pieces do not fit together at face %d of the %s", job->faces[triangle],
					  triangle < job->sourceCount ? "source" : "cutter");
}

// Groups of sides

typedef struct CutSideList
{
	uint64_t* keys; // with room for scratch
	uint32_t* sides;
	int32_t count, capacity;
} CutSideList;

static uint64_t cutSideKey(const brCutCell* cell, int32_t k)
{
	uint64_t p = (uint64_t)(uint32_t)cell->points[k], q = (uint64_t)(uint32_t)cell->points[(k + 1) % 3];
	return p < q ? p << 32 | q : q << 32 | p;
}

static bool cutIsNear(const brCutJob* job, int32_t triangle)
{
	return (job->flags[triangle] & br_cutNear) != 0;
}

// Sides of near cells that lie on lines or mesh edges, with those of untouched triangles across.
static bool cutListSides(CutWeave* weave, CutSideList* list)
{
	brCutJob* job = weave->job;
	int32_t count = 0;
	for (int32_t t = 0; t < job->triangleCount; ++t)
	{
		count += cutIsNear(job, t) ? 6 * (job->firstCells[t + 1] - job->firstCells[t]) : 0;
	}
	list->capacity = count;
	list->keys = BR_ALLOC(&job->allocator, uint64_t, 2 * (int64_t)count);
	list->sides = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
	if (list->keys == NULL || list->sides == NULL)
	{
		return brCut_FailMemory(job);
	}
	for (int32_t t = 0; t < job->triangleCount; ++t)
	{
		for (int32_t c = job->firstCells[t]; c < job->firstCells[t + 1] && cutIsNear(job, t); ++c)
		{
			const brCutCell* cell = &job->cells.data[c];
			for (int32_t k = 0; k < 3; ++k)
			{
				if (cell->neighbors[k] >= 0)
				{
					continue;
				}
				list->keys[list->count] = cutSideKey(cell, k);
				list->sides[list->count++] = (uint32_t)(3 * c + k);
				int32_t twin = cell->edges[k] >= 0 ? job->twins[cell->edges[k]] : -1;
				if (twin >= 0 && !cutIsNear(job, twin / 3))
				{
					int32_t across = job->firstCells[twin / 3];
					list->keys[list->count] = cutSideKey(&job->cells.data[across], twin % 3);
					list->sides[list->count++] = (uint32_t)(3 * across + twin % 3);
				}
			}
		}
	}
	brWorkers* workers = job->context != NULL ? job->context->workers : NULL;
	return brSortPairs64(workers, &job->allocator, list->keys, list->sides, list->keys + count, list->sides + count,
						 list->count) ||
		   brCut_FailMemory(job);
}

static void cutPairSides(CutWeave* weave, int32_t s, int32_t r)
{
	weave->sidePairs[s] = r;
	weave->sidePairs[r] = s;
}

// The side of the source in the group that belongs to side s by the source's own pairing, or -1.
static int32_t cutOwnPartner(const CutWeave* weave, const uint32_t* sides, int32_t count, int32_t s)
{
	const brCutJob* job = weave->job;
	const brCutCell* cell = &job->cells.data[s / 3];
	int32_t edge = cell->edges[s % 3];
	int32_t twin = edge >= 0 ? job->twins[edge] : -1;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t r = (int32_t)sides[i];
		const brCutCell* other = &job->cells.data[r / 3];
		bool isOpposite = other->points[r % 3] == cell->points[(s % 3 + 1) % 3];
		bool isPartner = edge >= 0 ? twin >= 0 && other->edges[r % 3] == twin
								   : other->edges[r % 3] < 0 && other->triangle == cell->triangle;
		if (r != s && isOpposite && isPartner)
		{
			return r;
		}
	}
	return -1;
}

static bool cutAddGroup(CutWeave* weave, const uint32_t* sides, int32_t count)
{
	brCutJob* job = weave->job;
	const brCutCell* cell = &job->cells.data[sides[0] / 3];
	int32_t p = cell->points[sides[0] % 3], q = cell->points[(sides[0] % 3 + 1) % 3];
	int32_t a = p < q ? p : q, b = p < q ? q : p;
	int32_t sourceSides = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		sourceSides += !brCut_IsCutterCell(weave, (int32_t)sides[i] / 3);
	}
	if (sourceSides == count)
	{
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t s = (int32_t)sides[i];
			int32_t r = cutOwnPartner(weave, sides, count, s);
			if (r < 0 && job->def->op != br_cutSurface)
			{
				return cutFailWeave(weave, s / 3);
			}
			if (r >= 0)
			{
				cutPairSides(weave, s, r);
			}
		}
		return true;
	}
	CutGroup group = {.a = a, .b = b, .start = weave->planes.count, .count = count};
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t s = (int32_t)sides[i];
		const brCutCell* own = &job->cells.data[s / 3];
		brCutHalfPlane plane = {.cell = s / 3,
								.side = s % 3,
								.triangle = own->triangle,
								.isLeft = own->points[s % 3] == a,
								.isCutter = brCut_IsCutterCell(weave, s / 3)};
		if (!BR_PUSH(&job->allocator, &weave->planes, plane))
		{
			return brCut_FailMemory(job);
		}
	}
	group.clusterCount = brCut_SortAround(job, a, b, weave->planes.data + group.start, count);
	if (group.clusterCount < 0 || job->error != 0)
	{
		return false;
	}
	// Two sides of the cutter that run against each other and are not folded onto each other: nothing happens here.
	const brCutHalfPlane* planes = weave->planes.data + group.start;
	if (sourceSides == 0 && count == 2 && planes[0].isLeft != planes[1].isLeft && group.clusterCount == 2)
	{
		weave->planes.count = group.start;
		cutPairSides(weave, (int32_t)sides[0], (int32_t)sides[1]);
		return true;
	}
	return BR_PUSH(&job->allocator, &weave->groups, group) || brCut_FailMemory(job);
}

// Within a cluster: ends of material, the cutter, beginnings of material; so sheets that touch stay apart and a cutter
// between them makes no wall.
static int32_t cutRank(const brCutHalfPlane* plane)
{
	return plane->isCutter ? 1 : plane->isLeft ? 0 : 2;
}

static void cutOrderClusters(brCutHalfPlane* planes, int32_t count)
{
	for (int32_t i = 1; i < count; ++i)
	{
		brCutHalfPlane plane = planes[i];
		int32_t j = i;
		while (j > 0 && planes[j - 1].cluster == plane.cluster &&
			   (cutRank(&planes[j - 1]) > cutRank(&plane) ||
				(cutRank(&planes[j - 1]) == cutRank(&plane) && planes[j - 1].cell > plane.cell)))
		{
			planes[j] = planes[j - 1];
			j -= 1;
		}
		planes[j] = plane;
	}
}

static bool cutMakeGroups(CutWeave* weave)
{
	brCutJob* job = weave->job;
	CutSideList list = {0};
	bool isDone = cutListSides(weave, &list);
	for (int32_t i = 0, j = 0; i < list.count && isDone; i = j)
	{
		// A side may be listed twice, by itself and from across.
		int32_t kept = i;
		for (j = i; j < list.count && list.keys[j] == list.keys[i]; ++j)
		{
			bool isNew = true;
			for (int32_t k = i; k < kept; ++k)
			{
				isNew &= list.sides[k] != list.sides[j];
			}
			list.sides[kept] = list.sides[j];
			kept += isNew;
		}
		isDone = cutAddGroup(weave, list.sides + i, kept - i);
	}
	BR_FREE(&job->allocator, list.keys, 2 * (int64_t)list.capacity);
	BR_FREE(&job->allocator, list.sides, 2 * (int64_t)list.capacity);
	for (int32_t g = 0; g < weave->groups.count && isDone; ++g)
	{
		cutOrderClusters(weave->planes.data + weave->groups.data[g].start, weave->groups.data[g].count);
	}
	return isDone;
}

// Sides inside near triangles and between untouched ones; then who hangs together.
static void cutJoinCells(CutWeave* weave)
{
	brCutJob* job = weave->job;
	for (int32_t c = 0; c < weave->cellCount; ++c)
	{
		weave->classes[c] = weave->regionOf[c] = c;
	}
	for (int32_t c = 0; c < weave->cellCount; ++c)
	{
		const brCutCell* cell = &job->cells.data[c];
		for (int k = 0; k < 3; ++k)
		{
			int32_t s = 3 * c + k;
			if (cell->neighbors[k] >= 0)
			{
				weave->sidePairs[s] = cell->neighbors[k];
				brJoinRoots(weave->regionOf, c, cell->neighbors[k] / 3);
			}
			else if (!cutIsNear(job, cell->triangle) && job->twins[cell->edges[k]] >= 0 && weave->sidePairs[s] < 0)
			{
				int32_t twin = job->twins[cell->edges[k]];
				weave->sidePairs[s] = cutIsNear(job, twin / 3) ? -1 : 3 * job->firstCells[twin / 3] + twin % 3;
			}
			if (weave->sidePairs[s] >= 0)
			{
				brJoinRoots(weave->classes, c, weave->sidePairs[s] / 3);
			}
		}
	}
	for (int32_t i = 0; i < weave->planes.count; ++i)
	{
		weave->hasGroup[brFindRoot(weave->classes, weave->planes.data[i].cell)] = true;
	}
}

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
	CutRegion* own = &weave->regions[brFindRoot(weave->regionOf, cell)];
	if (own->isSettled &&
		(own->count != region.count || own->isTurned != region.isTurned || own->winding != region.winding))
	{
		return cutFailWeave(weave, cell);
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

// What the region of a cell gives if it lies on no other.
static CutRegion cutPlainRegion(const CutWeave* weave, int32_t cell, int32_t class)
{
	const brCutJob* job = weave->job;
	bool isCutter = brCut_IsCutterCell(weave, cell);
	CutRegion region = {0};
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
	region.winding = job->def->op == br_cutSplit ? weave->classWinding[2 * class] : 0;
	region.count = 2 * (region.winding < 0 ? -region.winding : region.winding);
	return region;
}

static bool cutMakeCopies(CutWeave* weave, int32_t* firstCopies)
{
	brCutJob* job = weave->job;
	for (int32_t c = 0; c < weave->cellCount; ++c)
	{
		firstCopies[c] = job->copies.count;
		const brCutCell* cell = &job->cells.data[c];
		CutRegion* region = &weave->regions[brFindRoot(weave->regionOf, c)];
		if (region->count < 0)
		{
			*region = cutPlainRegion(weave, c, brFindRoot(weave->classes, c));
		}
		bool isCutter = brCut_IsCutterCell(weave, c);
		if (isCutter && weave->classWinding != NULL)
		{
			const int32_t* winding = weave->classWinding + 2 * brFindRoot(weave->classes, c);
			for (int i = 0; i < 2; ++i)
			{
				job->stats.lowestWinding =
					winding[i] < job->stats.lowestWinding ? winding[i] : job->stats.lowestWinding;
				job->stats.highestWinding =
					winding[i] > job->stats.highestWinding ? winding[i] : job->stats.highestWinding;
			}
		}
		if (region->count > 200)
		{
			return brCut_Fail(job, br_errorLimit, job->faces[cell->triangle],
							  "the source overlaps itself more than 100 times");
		}
		for (int32_t i = 0; i < region->count; ++i)
		{
			// Walls come in pairs: for the piece in front, turned over, and for the piece behind.
			bool isWall = isCutter && !brCut_IsBoolean(job);
			bool isFront = isWall ? i % 2 == 0 : region->isTurned;
			bool isTurned = isWall ? isFront == (region->winding > 0) : region->isTurned;
			brCutCopy copy = {
				.points = {cell->points[0], cell->points[isTurned ? 2 : 1], cell->points[isTurned ? 1 : 2]},
				.twins = {-1, -1, -1},
				.triangle = cell->triangle,
				.kind = (int8_t)(!isCutter ? br_cutFaceSource
								 : isFront ? br_cutFaceFront
										   : br_cutFaceBack),
				.layer = (int8_t)(isWall ? i / 2 : i),
				.isTurned = isTurned};
			if (!BR_PUSH(&job->allocator, &job->copies, copy))
			{
				return brCut_FailMemory(job);
			}
		}
	}
	firstCopies[weave->cellCount] = job->copies.count;
	return true;
}

static int32_t cutCopySide(const brCutJob* job, int32_t copy, int32_t side)
{
	return 3 * copy + (job->copies.data[copy].isTurned ? 2 - side : side);
}

static void cutLinkCopies(brCutJob* job, int32_t a, int32_t b)
{
	job->copies.data[a / 3].twins[a % 3] = b;
	job->copies.data[b / 3].twins[b % 3] = a;
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
				return cutFailWeave(weave, cell);
			}
			if (!event->opens)
			{
				cutLinkCopies(weave->job, events->data[open].halfEdge, event->halfEdge);
			}
			open = event->opens ? at : -1;
		}
		if (first >= 0 && (last < 0 || open >= 0))
		{
			return cutFailWeave(weave, cell);
		}
	}
	return true;
}

static bool cutPushEvent(brCutJob* job, CutEvents* events, int32_t layer, int32_t halfEdge, bool opens)
{
	return BR_PUSH(&job->allocator, events, ((CutEvent){layer, halfEdge, opens})) || brCut_FailMemory(job);
}

// The weight goes from `before` to `after` at copies of one cell, one for each layer passed.
static bool cutPushChange(CutWeave* weave, CutEvents* events, const int32_t* firstCopies, const brCutHalfPlane* plane,
						  int32_t before, int32_t after)
{
	brCutJob* job = weave->job;
	int32_t lower = before < after ? before : after, upper = before < after ? after : before;
	int32_t first = firstCopies[plane->cell];
	if (firstCopies[plane->cell + 1] - first != upper - lower)
	{
		return cutFailWeave(weave, plane->cell);
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
static bool cutPushWall(CutWeave* weave, CutEvents* events, const int32_t* firstCopies, const brCutHalfPlane* plane,
						int32_t winding)
{
	brCutJob* job = weave->job;
	int32_t first = firstCopies[plane->cell];
	int32_t layers = winding < 0 ? -winding : winding;
	if (firstCopies[plane->cell + 1] - first != 2 * layers)
	{
		return firstCopies[plane->cell + 1] == first ? true : cutFailWeave(weave, plane->cell);
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

static bool cutPairWedges(CutWeave* weave, const CutGroup* group, const int32_t* firstCopies, CutEvents* events)
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
			if (keeper >= 0 &&
				!cutPushChange(weave, events, firstCopies, &cluster.planes[keeper], before, before + change))
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
				if (!cutPushWall(weave, events, firstCopies, plane, winding))
				{
					return false;
				}
				continue;
			}
			int32_t after = winding + (plane->isLeft ? -1 : 1);
			if (!cutPushChange(weave, events, firstCopies, plane, cutWeight(job, winding, cutting),
							   cutWeight(job, after, cutting)))
			{
				return false;
			}
			winding = after;
		}
	}
	return cutMatchEvents(weave, events, planes[0].cell);
}

// Surface mode: two neighbours in the source part where the cutter lies on both sides between them.
static bool cutPartSurface(CutWeave* weave, const CutGroup* group, const int32_t* firstCopies)
{
	brCutJob* job = weave->job;
	const brCutHalfPlane* planes = weave->planes.data + group->start;
	for (int32_t i = 0; i < group->count; ++i)
	{
		if (planes[i].isCutter)
		{
			continue;
		}
		for (int32_t j = i + 1; j < group->count; ++j)
		{
			uint32_t side = (uint32_t)(3 * planes[j].cell + planes[j].side);
			if (planes[j].isCutter || cutOwnPartner(weave, &side, 1, 3 * planes[i].cell + planes[i].side) < 0)
			{
				continue;
			}
			bool isInside = false, isOutside = false;
			for (int32_t k = 0; k < group->count; ++k)
			{
				int32_t at = planes[k].cluster;
				isInside |= planes[k].isCutter && at > planes[i].cluster && at < planes[j].cluster;
				isOutside |= planes[k].isCutter && (at < planes[i].cluster || at > planes[j].cluster);
			}
			if (!isInside || !isOutside)
			{
				cutLinkCopies(job, cutCopySide(job, firstCopies[planes[i].cell], planes[i].side),
							  cutCopySide(job, firstCopies[planes[j].cell], planes[j].side));
			}
		}
	}
	return true;
}

static bool cutPairCopies(CutWeave* weave, const int32_t* firstCopies)
{
	brCutJob* job = weave->job;
	for (int32_t s = 0; s < 3 * weave->cellCount; ++s)
	{
		int32_t r = weave->sidePairs[s];
		if (r < s)
		{
			continue;
		}
		int32_t count = firstCopies[s / 3 + 1] - firstCopies[s / 3];
		if (count != firstCopies[r / 3 + 1] - firstCopies[r / 3])
		{
			return cutFailWeave(weave, s / 3);
		}
		for (int32_t i = 0; i < count; ++i)
		{
			cutLinkCopies(job, cutCopySide(job, firstCopies[s / 3] + i, s % 3),
						  cutCopySide(job, firstCopies[r / 3] + i, r % 3));
		}
	}
	CutEvents events = {0};
	bool isDone = true;
	for (int32_t g = 0; g < weave->groups.count && isDone; ++g)
	{
		const CutGroup* group = &weave->groups.data[g];
		isDone = job->def->op == br_cutSurface ? cutPartSurface(weave, group, firstCopies)
											   : cutPairWedges(weave, group, firstCopies, &events);
	}
	BR_FREE_ARRAY(&job->allocator, &events);
	return isDone;
}

// Always on: every half-edge has one partner, and the two run against each other.
static bool cutAudit(CutWeave* weave)
{
	const brCutJob* job = weave->job;
	for (int32_t c = 0; c < job->copies.count; ++c)
	{
		const brCutCopy* copy = &job->copies.data[c];
		for (int k = 0; k < 3; ++k)
		{
			int32_t twin = copy->twins[k];
			if (twin < 0 && job->def->op == br_cutSurface)
			{
				continue;
			}
			const brCutCopy* other = twin >= 0 ? &job->copies.data[twin / 3] : NULL;
			if (other == NULL || other->twins[twin % 3] != 3 * c + k ||
				other->points[twin % 3] != copy->points[(k + 1) % 3] ||
				other->points[(twin % 3 + 1) % 3] != copy->points[k])
			{
				return cutFailWeave(weave, job->firstCells[copy->triangle]);
			}
		}
	}
	return true;
}

bool brCut_Weave(brCutJob* job)
{
	CutWeave weave = {.job = job, .cellCount = job->cells.count};
	int32_t count = weave.cellCount;
	weave.sidePairs = BR_ALLOC(&job->allocator, int32_t, 3 * (int64_t)count);
	weave.classes = BR_ALLOC(&job->allocator, int32_t, count);
	weave.regionOf = BR_ALLOC(&job->allocator, int32_t, count);
	weave.regions = BR_ALLOC_ZERO(&job->allocator, CutRegion, count);
	weave.hasGroup = BR_ALLOC_ZERO(&job->allocator, bool, count);
	int32_t* firstCopies = BR_ALLOC(&job->allocator, int32_t, (int64_t)count + 1);
	bool isDone = weave.sidePairs != NULL && weave.classes != NULL && weave.regionOf != NULL && weave.regions != NULL &&
				  weave.hasGroup != NULL && firstCopies != NULL && BR_RESERVE(&job->allocator, &job->copies, count);
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	if (isDone)
	{
		memset(weave.sidePairs, 0xff, 3 * (size_t)count * sizeof(int32_t));
		for (int32_t i = 0; i < count; ++i)
		{
			weave.regions[i].count = -1;
		}
		isDone = cutMakeGroups(&weave);
	}
	if (isDone)
	{
		cutJoinCells(&weave);
		// A surface without inside needs no numbers.
		isDone = job->def->op == br_cutSurface || (brCut_Label(&weave) && cutSettleCoincident(&weave));
		isDone = isDone && cutMakeCopies(&weave, firstCopies) && cutPairCopies(&weave, firstCopies) && cutAudit(&weave);
	}
	BR_FREE(&job->allocator, weave.sidePairs, 3 * (int64_t)count);
	BR_FREE(&job->allocator, weave.classes, count);
	BR_FREE(&job->allocator, weave.regionOf, count);
	BR_FREE(&job->allocator, weave.regions, count);
	BR_FREE(&job->allocator, weave.hasGroup, count);
	BR_FREE(&job->allocator, weave.classWinding, 2 * (int64_t)count);
	BR_FREE(&job->allocator, weave.classCutting, 2 * (int64_t)count);
	BR_FREE(&job->allocator, firstCopies, (int64_t)count + 1);
	BR_FREE_ARRAY(&job->allocator, &weave.planes);
	BR_FREE_ARRAY(&job->allocator, &weave.groups);
	return isDone;
}
