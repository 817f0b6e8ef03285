// SPDX-License-Identifier: MIT

// Which sides of cells meet at an edge. Where only the source is, or the cutter passes undisturbed, sides stay paired
// as they were; elsewhere they are a group, sorted around the edge. Then cells that hang together through pairs are one
// class.

#include "base/forest.h"
#include "base/sort.h"
#include "cut/cut_weave.h"
#include "math/predicates.h"

bool brCut_FailWeave(CutWeave* weave, int32_t cell)
{
	brCutJob* job = weave->job;
	int32_t triangle = brCut_CellTriangle(job, cell);
	return brCut_Fail(job, br_errorGeometry, job->faces[triangle],
					  "the pieces do not fit together at face %d of the %s", job->faces[triangle],
					  triangle < job->sourceCount ? "source" : "cutter");
}

typedef struct CutSideList
{
	uint64_t* keys; // with room for scratch
	uint32_t* sides;
	int32_t count, capacity;
} CutSideList;

static uint64_t cutSideKey(const int32_t* points, int32_t k)
{
	uint64_t p = (uint64_t)(uint32_t)points[k], q = (uint64_t)(uint32_t)points[(k + 1) % 3];
	return p < q ? p << 32 | q : q << 32 | p;
}

// Sides of near cells that lie on lines or mesh edges, with those of untouched triangles across.
static bool cutListSides(CutWeave* weave, CutSideList* list)
{
	brCutJob* job = weave->job;
	int32_t count = 6 * weave->nearCount;
	list->capacity = count;
	list->keys = BR_ALLOC(&job->allocator, uint64_t, 2 * (int64_t)count);
	list->sides = BR_ALLOC(&job->allocator, uint32_t, 2 * (int64_t)count);
	if (list->keys == NULL || list->sides == NULL)
	{
		return brCut_FailMemory(job);
	}
	for (int32_t c = 0; c < weave->nearCount; ++c)
	{
		const brCutCell* cell = &job->cells.data[c];
		for (int32_t k = 0; k < 3; ++k)
		{
			if (cell->neighbors[k] >= 0)
			{
				continue;
			}
			list->keys[list->count] = cutSideKey(cell->points, k);
			list->sides[list->count++] = (uint32_t)(3 * c + k);
			int32_t twin = cell->edges[k] >= 0 ? job->twins[cell->edges[k]] : -1;
			if (twin >= 0 && !brCut_IsNear(job, twin / 3))
			{
				list->keys[list->count] = cutSideKey(job->triangles[twin / 3], twin % 3);
				list->sides[list->count++] = (uint32_t)(3 * brCut_FarCell(job, twin / 3) + twin % 3);
			}
		}
	}
	return brSortPairs64(brCut_Workers(job), &job->allocator, list->keys, list->sides, list->keys + count,
						 list->sides + count, list->count) ||
		   brCut_FailMemory(job);
}

static void cutPairSides(CutWeave* weave, int32_t s, int32_t r)
{
	if (s < 3 * weave->nearCount)
	{
		weave->sidePairs[s] = r;
	}
	if (r < 3 * weave->nearCount)
	{
		weave->sidePairs[r] = s;
	}
}

// The side of the source in the group that belongs to side s by the source's own pairing, or -1.
int32_t brCut_OwnPartner(const CutWeave* weave, const uint32_t* sides, int32_t count, int32_t s)
{
	const brCutJob* job = weave->job;
	int32_t end = brCut_CellPoints(job, s / 3)[(s % 3 + 1) % 3];
	int32_t edge = brCut_SideEdge(job, s);
	int32_t twin = edge >= 0 ? job->twins[edge] : -1;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t r = (int32_t)sides[i], other = brCut_SideEdge(job, r);
		bool isOpposite = brCut_CellPoints(job, r / 3)[r % 3] == end;
		bool isPartner = edge >= 0 ? twin >= 0 && other == twin
								   : other < 0 && brCut_CellTriangle(job, r / 3) == brCut_CellTriangle(job, s / 3);
		if (r != s && isOpposite && isPartner)
		{
			return r;
		}
	}
	return -1;
}

// Two sides of the cutter that run against each other and are not folded onto each other: nothing happens there.
static bool cutIsPlainPair(CutWeave* weave, int32_t s, int32_t r)
{
	brCutJob* job = weave->job;
	int32_t t = brCut_CellTriangle(job, s / 3), u = brCut_CellTriangle(job, r / 3);
	if (brCut_CellPoints(job, s / 3)[s % 3] == brCut_CellPoints(job, r / 3)[r % 3])
	{
		return false;
	}
	int32_t e = brCut_SideEdge(job, s), g = brCut_SideEdge(job, r);
	if (e < 0 || g < 0)
	{
		return t == u;
	}
	const brCutPoint* points = job->points.data;
	const int32_t* v = job->triangles[t];
	int32_t apex = job->triangles[u][(g % 3 + 2) % 3];
	return brOrient3d(points[v[0]].at, points[v[1]].at, points[v[2]].at, points[apex].at) != 0 ||
		   brCut_TurnOn(job, t, v[e % 3], v[(e % 3 + 1) % 3], apex) < 0;
}

// Sides at one edge: paired if the source or the cutter passes undisturbed, else a group to be sorted.
static bool cutAddGroup(CutWeave* weave, const uint32_t* sides, int32_t count)
{
	brCutJob* job = weave->job;
	const int32_t* points = brCut_CellPoints(job, (int32_t)sides[0] / 3);
	int32_t p = points[sides[0] % 3], q = points[(sides[0] % 3 + 1) % 3];
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
			int32_t r = brCut_OwnPartner(weave, sides, count, s);
			if (r < 0 && !brCut_MayBeOpen(job))
			{
				return brCut_FailWeave(weave, s / 3);
			}
			if (r >= 0)
			{
				cutPairSides(weave, s, r);
			}
		}
		return true;
	}
	if (sourceSides == 0 && count == 2 && cutIsPlainPair(weave, (int32_t)sides[0], (int32_t)sides[1]))
	{
		cutPairSides(weave, (int32_t)sides[0], (int32_t)sides[1]);
		return true;
	}
	CutGroup group = {.a = a, .b = b, .start = weave->planes.count, .count = count};
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t s = (int32_t)sides[i];
		brCutHalfPlane plane = {.cell = s / 3,
								.side = s % 3,
								.triangle = brCut_CellTriangle(job, s / 3),
								.edge = brCut_SideEdge(job, s),
								.isLeft = brCut_CellPoints(job, s / 3)[s % 3] == a,
								.isCutter = brCut_IsCutterCell(weave, s / 3)};
		if (!BR_PUSH(&job->allocator, &weave->planes, plane))
		{
			return brCut_FailMemory(job);
		}
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

typedef struct CutSorting
{
	CutWeave* weave;
	brCutJob* views;
} CutSorting;

static void cutSortGroups(int32_t begin, int32_t end, int32_t worker, void* user)
{
	CutSorting* sorting = user;
	brCutJob* view = &sorting->views[worker];
	for (int32_t g = begin; g < end && view->error == 0; ++g)
	{
		CutGroup* group = &sorting->weave->groups.data[g];
		brCutHalfPlane* planes = sorting->weave->planes.data + group->start;
		view->item = g;
		group->clusterCount = brCut_SortAround(view, group->a, group->b, planes, group->count);
		cutOrderClusters(planes, group->count);
	}
}

bool brCut_MakeGroups(CutWeave* weave)
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
	CutSorting sorting = {weave, isDone ? brCut_OpenViews(job) : NULL};
	if (sorting.views == NULL)
	{
		return false;
	}
	brParallelFor(brCut_Workers(job), weave->groups.count, 64, cutSortGroups, &sorting);
	return brCut_CloseViews(job, sorting.views);
}

// Cells of one mesh that hang together: nothing joins the two meshes.
static void cutJoinMesh(CutWeave* weave, int32_t mesh)
{
	brCutJob* job = weave->job;
	int32_t begin = mesh == 0 ? 0 : job->sourceCount, end = mesh == 0 ? job->sourceCount : job->triangleCount;
	int32_t first = job->firstCells[begin], last = job->firstCells[end];
	for (int32_t c = first; c < last; ++c)
	{
		weave->classes[c] = weave->regionOf[c] = c;
	}
	for (int32_t t = begin; t < end; ++t)
	{
		weave->classes[brCut_FarCell(job, t)] = brCut_FarCell(job, t);
	}
	for (int32_t c = first; c < last; ++c)
	{
		const brCutCell* cell = &job->cells.data[c];
		for (int k = 0; k < 3; ++k)
		{
			if (cell->neighbors[k] >= 0)
			{
				weave->sidePairs[3 * c + k] = cell->neighbors[k];
				brJoinRoots(weave->regionOf, c, cell->neighbors[k] / 3);
			}
			if (weave->sidePairs[3 * c + k] >= 0)
			{
				brJoinRoots(weave->classes, c, weave->sidePairs[3 * c + k] / 3);
			}
		}
	}
	for (int32_t t = begin; t < end; ++t)
	{
		for (int k = 0; k < 3 && !brCut_IsNear(job, t); ++k)
		{
			int32_t twin = job->twins[3 * t + k];
			if (twin > 3 * t + k && !brCut_IsNear(job, twin / 3))
			{
				brJoinRoots(weave->classes, brCut_FarCell(job, t), brCut_FarCell(job, twin / 3));
			}
		}
	}
}

static void cutJoinMeshes(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	for (int32_t mesh = begin; mesh < end; ++mesh)
	{
		cutJoinMesh(user, mesh);
	}
}

// Sides inside near triangles and between untouched ones; then who hangs together.
bool brCut_JoinCells(CutWeave* weave)
{
	brCutJob* job = weave->job;
	brParallelFor(brCut_Workers(job), 2, 1, cutJoinMeshes, weave);
	// Roots are numbered; every cell comes after the one that it hangs on. Near triangles are no cells themselves.
	for (int32_t c = 0; c < weave->cellCount; ++c)
	{
		bool isCell = c < weave->nearCount || !brCut_IsNear(job, c - weave->nearCount);
		weave->classCount += isCell && weave->classes[c] == c;
	}
	weave->classCells = BR_ALLOC(&job->allocator, int32_t, weave->classCount);
	weave->classRegions = BR_ALLOC_ZERO(&job->allocator, CutRegion, weave->classCount);
	weave->hasGroup = BR_ALLOC_ZERO(&job->allocator, bool, weave->classCount);
	if (weave->classCells == NULL || weave->classRegions == NULL || weave->hasGroup == NULL)
	{
		return brCut_FailMemory(job);
	}
	int32_t used = 0;
	for (int32_t c = 0; c < weave->cellCount; ++c)
	{
		bool isCell = c < weave->nearCount || !brCut_IsNear(job, c - weave->nearCount);
		if (isCell && weave->classes[c] == c)
		{
			weave->classCells[used] = c;
			weave->classes[c] = used++;
		}
		else
		{
			weave->classes[c] = isCell ? weave->classes[weave->classes[c]] : -1;
		}
	}
	for (int32_t i = 0; i < weave->planes.count; ++i)
	{
		weave->hasGroup[weave->classes[weave->planes.data[i].cell]] = true;
	}
	return true;
}
