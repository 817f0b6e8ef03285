// SPDX-License-Identifier: MIT

// Winding numbers. Around an edge the numbers of the wedges differ by what lies between them, and a wedge's number is
// that of the sides of all cells that bound it; so all numbers of a connected part hang together, and one ray settles
// them. A contradiction means that a surface is not closed where it should be, and is refused.

#include "brittle/volume.h"
#include "cut/cut_weave.h"

static int32_t cutLabelRoot(CutWeave* weave, int32_t node, int32_t* outOffset)
{
	int32_t root = node, total = 0;
	while (weave->parents[root] != root)
	{
		total += weave->offsets[root];
		root = weave->parents[root];
	}
	*outOffset = total;
	// Everything on the way now hangs on the root.
	while (weave->parents[node] != root && node != root)
	{
		int32_t next = weave->parents[node], step = weave->offsets[node];
		weave->parents[node] = root;
		weave->offsets[node] = total;
		total -= step;
		node = next;
	}
	return root;
}

// value(a) = value(b) + difference. False if the opposite is known.
static bool cutTie(CutWeave* weave, int32_t a, int32_t b, int32_t difference)
{
	int32_t oa, ob;
	int32_t ra = cutLabelRoot(weave, a, &oa), rb = cutLabelRoot(weave, b, &ob);
	if (ra == rb)
	{
		return oa == ob + difference;
	}
	// value(ra) + oa = value(rb) + ob + difference
	if (ra < rb)
	{
		weave->parents[rb] = ra;
		weave->offsets[rb] = oa - ob - difference;
	}
	else
	{
		weave->parents[ra] = rb;
		weave->offsets[ra] = ob + difference - oa;
	}
	return true;
}

static void cutClearLabels(CutWeave* weave)
{
	for (int32_t i = 0; i < weave->nodeCount; ++i)
	{
		weave->parents[i] = i;
		weave->offsets[i] = 0;
		weave->isKnown[i] = false;
	}
}

static bool cutFailLabel(CutWeave* weave, int32_t cell)
{
	brCutJob* job = weave->job;
	int32_t triangle = brCut_CellTriangle(job, cell);
	return brCut_Fail(job, br_errorGeometry, job->faces[triangle],
					  "inside and outside contradict each other at face %d of the %s", job->faces[triangle],
					  triangle < job->sourceCount ? "source" : "cutter");
}

// Ties the sides of the cells around each edge. `mesh` says whose winding number is meant.
static bool cutTieGroups(CutWeave* weave, int32_t mesh)
{
	for (int32_t g = 0; g < weave->groups.count; ++g)
	{
		const CutGroup* group = &weave->groups.data[g];
		const brCutHalfPlane* planes = weave->planes.data + group->start;
		int32_t node = 2 * weave->classCount + g;
		int32_t before = 0;
		for (int32_t i = 0, j = 0; i < group->count; i = j)
		{
			int32_t after = before;
			for (j = i; j < group->count && planes[j].cluster == planes[i].cluster; ++j)
			{
				bool counts = planes[j].isCutter == (mesh == 1);
				after += counts ? (planes[j].isLeft ? -1 : 1) : 0;
			}
			for (int32_t k = i; k < j; ++k)
			{
				// The source's own winding number is not constant along it if it crosses itself.
				if (mesh == 0 && !planes[k].isCutter)
				{
					continue;
				}
				int32_t class = weave->classes[planes[k].cell];
				int32_t front = planes[k].isLeft ? after : before, back = planes[k].isLeft ? before : after;
				if (!cutTie(weave, 2 * class, node, front) || !cutTie(weave, 2 * class + 1, node, back))
				{
					return cutFailLabel(weave, planes[k].cell);
				}
			}
			before = after;
		}
		if (before != 0)
		{
			return cutFailLabel(weave, planes[0].cell);
		}
	}
	return true;
}

// What the number of the other mesh gains from the front of an untouched cell to its back: something if that has the
// same triangle.
static int32_t cutOtherJump(const brCutJob* job, int32_t cell)
{
	int32_t t = brCut_CellTriangle(job, cell);
	if (cell < job->cells.count || !brCut_IsDoubled(job, t))
	{
		return 0;
	}
	const int32_t *v = job->triangles[t], *w = job->triangles[job->doubles[t]];
	int k = v[0] == w[0] ? 0 : v[0] == w[1] ? 1 : 2;
	return v[1] == w[(k + 1) % 3] ? 1 : -1;
}

// A class that no edge with others bounds: nothing of the other mesh lies on it, or all of it does.
static bool cutTieLoneClasses(CutWeave* weave, int32_t mesh)
{
	for (int32_t c = 0; c < weave->classCount; ++c)
	{
		int32_t cell = weave->classCells[c];
		bool isOwn = brCut_IsCutterCell(weave, cell) == (mesh == 1);
		if (!weave->hasGroup[c] && !cutTie(weave, 2 * c + 1, 2 * c, isOwn ? 1 : cutOtherJump(weave->job, cell)))
		{
			return cutFailLabel(weave, weave->classCells[c]);
		}
	}
	return true;
}

static void cutSettleByRay(CutWeave* weave, int32_t class, int32_t mesh)
{
	brCutJob* job = weave->job;
	int32_t cell = weave->classCells[class];
	const int32_t* points = brCut_CellPoints(job, cell);
	int32_t side = brCut_MoveSide(job, brCut_CellTriangle(job, cell)) > 0 ? 0 : 1;
	int32_t offset;
	int32_t root = cutLabelRoot(weave, 2 * class + side, &offset);
	if (weave->isKnown[root])
	{
		return;
	}
	brCutPoint mean = {.kind = br_cutPointMean, .makers = {points[0], points[1], points[2], 0, 0}};
	brCutSpace_Place(&job->space, &mean);
	weave->values[root] = brCut_Winding(job, mesh, &mean) - offset;
	weave->isKnown[root] = true;
}

static int32_t cutLabelValue(CutWeave* weave, int32_t node)
{
	int32_t offset;
	int32_t root = cutLabelRoot(weave, node, &offset);
	return weave->values[root] + offset;
}

static bool cutLabelMesh(CutWeave* weave, int32_t mesh)
{
	brCutJob* job = weave->job;
	cutClearLabels(weave);
	if (!cutTieGroups(weave, mesh) || !cutTieLoneClasses(weave, mesh))
	{
		return false;
	}
	int32_t* outLabels = mesh == 0 ? weave->classWinding : weave->classCutting;
	for (int32_t c = 0; c < weave->classCount; ++c)
	{
		// The source's own number at its own faces is asked for nowhere.
		if (mesh == 0 && !brCut_IsCutterCell(weave, weave->classCells[c]))
		{
			continue;
		}
		cutSettleByRay(weave, c, mesh);
		outLabels[2 * c] = cutLabelValue(weave, 2 * c);
		outLabels[2 * c + 1] = cutLabelValue(weave, 2 * c + 1);
	}
	for (int32_t g = 0; g < weave->groups.count; ++g)
	{
		int32_t value = cutLabelValue(weave, 2 * weave->classCount + g);
		CutGroup* group = &weave->groups.data[g];
		*(mesh == 0 ? &group->winding : &group->cutting) = value;
	}
	return !job->space.isFull ||
		   brCut_Fail(job, br_errorLimit, -1, "the coordinates span too many magnitudes to be cut exactly");
}

bool brCut_Label(CutWeave* weave)
{
	brCutJob* job = weave->job;
	weave->nodeCount = 2 * weave->classCount + weave->groups.count;
	weave->parents = BR_ALLOC(&job->allocator, int32_t, weave->nodeCount);
	weave->offsets = BR_ALLOC(&job->allocator, int32_t, weave->nodeCount);
	weave->values = BR_ALLOC_ZERO(&job->allocator, int32_t, weave->nodeCount);
	weave->isKnown = BR_ALLOC_ZERO(&job->allocator, bool, weave->nodeCount);
	weave->classWinding = BR_ALLOC_ZERO(&job->allocator, int32_t, 2 * (int64_t)weave->classCount);
	weave->classCutting = BR_ALLOC_ZERO(&job->allocator, int32_t, 2 * (int64_t)weave->classCount);
	bool isDone = weave->parents != NULL && weave->offsets != NULL && weave->values != NULL && weave->isKnown != NULL &&
				  weave->classWinding != NULL && weave->classCutting != NULL;
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	isDone = isDone && cutLabelMesh(weave, 0) && (!brCut_IsBoolean(job) || cutLabelMesh(weave, 1));
	BR_FREE(&job->allocator, weave->parents, weave->nodeCount);
	BR_FREE(&job->allocator, weave->offsets, weave->nodeCount);
	BR_FREE(&job->allocator, weave->values, weave->nodeCount);
	BR_FREE(&job->allocator, weave->isKnown, weave->nodeCount);
	return isDone;
}

// The largest cell of each class of the cutter speaks for it. `outCells` has -1 for classes of the source.
static void cutFindSpokesmen(const CutWeave* weave, int32_t* outCells, double* areas)
{
	const brCutJob* job = weave->job;
	for (int32_t c = 0; c < weave->classCount; ++c)
	{
		outCells[c] = -1;
		areas[c] = -1.0;
	}
	for (int32_t c = job->firstCells[job->sourceCount]; c < weave->cellCount; ++c)
	{
		int32_t class = weave->classes[c];
		if (class < 0 || !brCut_IsCutterCell(weave, c))
		{
			continue;
		}
		const int32_t* v = brCut_CellPoints(job, c);
		brDVec3 a = job->points.data[v[0]].at;
		brDVec3 normal = brDCross(brDSub(job->points.data[v[1]].at, a), brDSub(job->points.data[v[2]].at, a));
		double area = brDDot(normal, normal);
		if (area > areas[class])
		{
			outCells[class] = c, areas[class] = area;
		}
	}
}

bool brCut_LabelByAngle(CutWeave* weave)
{
	brCutJob* job = weave->job;
	int32_t count = weave->classCount;
	weave->classWinding = BR_ALLOC_ZERO(&job->allocator, int32_t, 2 * (int64_t)count);
	int32_t* cells = BR_ALLOC(&job->allocator, int32_t, count);
	double* windings = BR_ALLOC(&job->allocator, double, count);
	brDVec3* places = BR_ALLOC_ZERO(&job->allocator, brDVec3, count);
	brSurfaceTree* tree = NULL;
	bool isDone = weave->classWinding != NULL && cells != NULL && windings != NULL && places != NULL;
	if (!isDone)
	{
		brCut_FailMemory(job);
	}
	if (isDone && job->sourceCount > 0 && job->triangleCount > job->sourceCount)
	{
		brResult result = brCreateSurfaceTree(job->context, job->meshes[0], &tree, job->report);
		isDone = result >= 0;
		job->error = isDone ? job->error : result;
	}
	if (isDone && tree != NULL)
	{
		cutFindSpokesmen(weave, cells, windings);
		for (int32_t c = 0; c < count; ++c)
		{
			const int32_t* v = cells[c] >= 0 ? brCut_CellPoints(job, cells[c]) : NULL;
			const brCutPoint* p = job->points.data;
			places[c] = v != NULL ? brDMul(1.0 / 3.0, brDAdd(p[v[0]].at, brDAdd(p[v[1]].at, p[v[2]].at))) : places[c];
		}
		brSurfaceTree_ComputeWinding(tree, job->context, places, count, windings);
		for (int32_t c = 0; c < count; ++c)
		{
			weave->classWinding[2 * c] = weave->classWinding[2 * c + 1] = cells[c] >= 0 && windings[c] > 0.5;
		}
	}
	brDestroySurfaceTree(tree);
	BR_FREE(&job->allocator, cells, count);
	BR_FREE(&job->allocator, windings, count);
	BR_FREE(&job->allocator, places, count);
	return isDone;
}
