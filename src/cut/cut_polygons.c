// SPDX-License-Identifier: MIT

// Back to polygons. A face of the input that came through whole is copied as it was. The triangles of a cut one are
// joined again: a polygon grows triangle by triangle and stays one simple loop, so a hole or a slit leaves a bridge on
// each side and no face touches itself. Then vertices in the middle of straight edges that only two faces use go, and
// two edges between the same two vertices are told apart by a vertex in the middle of one.

#include "base/sort.h"
#include "cut/cut_shell.h"
#include "math/predicates.h"

#include <string.h>

enum
{
	CUT_POLYGON_BLOCK = 4096 // faces a worker takes at a time
};

static const brCutCopy* cutCopyOf(const CutShell* shell, int32_t t)
{
	return &shell->job->copies[shell->sources[t]];
}

static const brMesh* cutMeshOf(const CutShell* shell, const brCutCopy* copy)
{
	return shell->job->meshes[copy->triangle >= shell->job->sourceCount ? 1 : 0];
}

static bool cutIsOneFace(const CutShell* shell, int32_t t, int32_t u)
{
	const brCutJob* job = shell->job;
	const brCutCopy *a = cutCopyOf(shell, t), *b = cutCopyOf(shell, u);
	return a->kind == b->kind && a->layer == b->layer && a->isTurned == b->isTurned &&
		   job->faces[a->triangle] == job->faces[b->triangle];
}

// Whether all corners of an input polygon are close to its plane.
static bool cutIsPlanar(const CutShell* shell, const brCutCopy* copy)
{
	const brCutJob* job = shell->job;
	const brMesh* mesh = cutMeshOf(shell, copy);
	int32_t face = job->faces[copy->triangle];
	int32_t begin = mesh->faceStarts[face], end = mesh->faceStarts[face + 1];
	if (end - begin == 3)
	{
		return true;
	}
	brDVec3 origin = mesh->positions[mesh->corners[begin]], normal = {0.0, 0.0, 0.0};
	for (int32_t c = begin + 1; c + 1 < end; ++c)
	{
		brDVec3 u = brDSub(mesh->positions[mesh->corners[c]], origin);
		brDVec3 v = brDSub(mesh->positions[mesh->corners[c + 1]], origin);
		normal = brDAdd(normal, brDCross(u, v));
	}
	normal = brDNormalize(normal);
	double tolerance = job->def->flatTolerance * job->reach;
	for (int32_t c = begin; c < end; ++c)
	{
		if (!(fabs(brDDot(normal, brDSub(mesh->positions[mesh->corners[c]], origin))) <= tolerance))
		{
			return false;
		}
	}
	return true;
}

static bool cutHasCornerTwice(const brMesh* mesh, int32_t face)
{
	for (int32_t c = mesh->faceStarts[face]; c < mesh->faceStarts[face + 1]; ++c)
	{
		for (int32_t d = c + 1; d < mesh->faceStarts[face + 1]; ++d)
		{
			brDVec3 p = mesh->positions[mesh->corners[c]], q = mesh->positions[mesh->corners[d]];
			if (p.x == q.x && p.y == q.y && p.z == q.z)
			{
				return true;
			}
		}
	}
	return false;
}

// A polygon is whole if all its triangles are here as they came, each next to the others as they were.
static bool cutIsWhole(const CutShell* shell, const int32_t* order, int32_t begin, int32_t count)
{
	const brCutJob* job = shell->job;
	const brCutCopy* first = cutCopyOf(shell, order[begin]);
	const brMesh* mesh = cutMeshOf(shell, first);
	int32_t face = job->faces[first->triangle];
	if (count != brMesh_GetFaceSize(mesh, face) - 2 || !shell->isIntact[order[begin]] ||
		(count > 1 && (job->isTangled || count <= 62) && cutHasCornerTwice(mesh, face)))
	{
		return false;
	}
	for (int32_t i = begin; i < begin + count; ++i)
	{
		int32_t t = order[i];
		if (!shell->isIntact[t])
		{
			return false;
		}
		// Sides that are not sides of the polygon must lead to its other triangles.
		const int32_t* corners = job->corners[cutCopyOf(shell, t)->triangle];
		for (int k = 0; k < 3; ++k)
		{
			int32_t at = corners[k] - mesh->faceStarts[face], next = corners[(k + 1) % 3] - mesh->faceStarts[face];
			int32_t twin = shell->twins[3 * t + k];
			if (next != (at + 1) % (count + 2) && (twin < 0 || !cutIsOneFace(shell, t, twin / 3)))
			{
				return false;
			}
		}
	}
	return true;
}

static bool cutPushCorner(CutShell* shell, CutFaces* faces, int32_t fan, int32_t source, int32_t side)
{
	CutCorner corner = {fan, source, side, false};
	return BR_PUSH(&shell->job->allocator, &faces->corners, corner) || brCut_FailMemory(shell->job);
}

static bool cutAddWhole(CutShell* shell, CutFaces* faces, int32_t begin, int32_t count)
{
	brCutJob* job = shell->job;
	const brCutCopy* first = cutCopyOf(shell, shell->order[begin]);
	const brMesh* mesh = cutMeshOf(shell, first);
	int32_t face = job->faces[first->triangle];
	CutFace row = {
		faces->corners.count, brMesh_GetFaceSize(mesh, face), shell->sources[shell->order[begin]], 0, true, false};
	for (int32_t c = mesh->faceStarts[face]; c < mesh->faceStarts[face + 1]; ++c)
	{
		if (!cutPushCorner(shell, faces, -1, c, -1))
		{
			return false;
		}
	}
	for (int32_t i = begin; i < begin + count; ++i)
	{
		int32_t t = shell->order[i];
		const int32_t* corners = job->corners[cutCopyOf(shell, t)->triangle];
		shell->polygonOf[t] = shell->order[begin];
		for (int k = 0; k < 3; ++k)
		{
			int32_t at = corners[k] - mesh->faceStarts[face], next = corners[(k + 1) % 3] - mesh->faceStarts[face];
			CutCorner* corner = &faces->corners.data[row.start + at];
			corner->fan = shell->fans[3 * t + k];
			corner->side = next == (at + 1) % row.count ? 3 * t + k : corner->side;
		}
	}
	shell->faceOf[shell->order[begin]] = faces->faces.count;
	return BR_PUSH(&job->allocator, &faces->faces, row) || brCut_FailMemory(job);
}

static int32_t cutNextSide(int32_t h)
{
	return 3 * (h / 3) + (h % 3 + 1) % 3;
}

// Triangle t joins polygon `name` if the result is still one simple loop.
static bool cutCanJoin(const CutShell* shell, int32_t t, int32_t name)
{
	int32_t shared = 0, last = -1;
	for (int k = 0; k < 3; ++k)
	{
		int32_t twin = shell->twins[3 * t + k];
		if (twin >= 0 && shell->polygonOf[twin / 3] == name)
		{
			shared += 1;
			last = k;
		}
	}
	if (shared == 1)
	{
		return shell->marks[shell->triangles[t][(last + 2) % 3]] != name;
	}
	return shared == 2;
}

// Grows a polygon from triangle `seed` and appends its loop. `queue` is scratch.
static bool cutGrow(CutShell* shell, CutFaces* faces, int32_t seed, int32_t piece, bool isPlanar, brCutInts* queue)
{
	brCutJob* job = shell->job;
	int32_t name = seed;
	shell->polygonOf[seed] = name;
	for (int k = 0; k < 3; ++k)
	{
		shell->marks[shell->triangles[seed][k]] = name;
	}
	queue->count = 0;
	int32_t size = 1, t = seed;
	for (int32_t next = 0; !job->def->keepTriangles; ++next)
	{
		for (int k = 0; k < 3; ++k)
		{
			int32_t twin = shell->twins[3 * t + k];
			if (twin >= 0 && shell->polygonOf[twin / 3] < 0 && shell->pieceOf[twin / 3] == piece &&
				cutIsOneFace(shell, t, twin / 3) &&
				(isPlanar || cutCopyOf(shell, t)->triangle == cutCopyOf(shell, twin / 3)->triangle) &&
				!BR_PUSH(&job->allocator, queue, twin / 3))
			{
				return brCut_FailMemory(job);
			}
		}
		while (next < queue->count &&
			   (shell->polygonOf[queue->data[next]] >= 0 || !cutCanJoin(shell, queue->data[next], name)))
		{
			next += 1;
		}
		if (next >= queue->count)
		{
			break;
		}
		t = queue->data[next];
		shell->polygonOf[t] = name;
		size += 1;
		for (int k = 0; k < 3; ++k)
		{
			shell->marks[shell->triangles[t][k]] = name;
		}
	}

	// Around the loop, starting at the seed if it is on it.
	int32_t first = -1;
	for (int32_t i = -1; i < queue->count && first < 0; ++i)
	{
		t = i < 0 ? seed : queue->data[i];
		for (int k = 0; k < 3 && first < 0 && shell->polygonOf[t] == name; ++k)
		{
			int32_t twin = shell->twins[3 * t + k];
			first = twin < 0 || shell->polygonOf[twin / 3] != name ? 3 * t + k : -1;
		}
	}
	CutFace row = {faces->corners.count, 0, shell->sources[seed], 0, false, false};
	shell->faceOf[seed] = faces->faces.count;
	int32_t h = first;
	do
	{
		if (first < 0 || row.count > 3 * size || !cutPushCorner(shell, faces, shell->fans[h], h / 3, h))
		{
			return job->error != 0
					   ? false
					   : brCut_Fail(job, br_errorGeometry, job->faces[job->copies[row.copy].triangle],
									"face %d cannot be put together again", job->faces[job->copies[row.copy].triangle]);
		}
		row.count += 1;
		h = cutNextSide(h);
		while (shell->twins[h] >= 0 && shell->polygonOf[shell->twins[h] / 3] == name)
		{
			h = cutNextSide(shell->twins[h]);
		}
	} while (h != first);
	return BR_PUSH(&job->allocator, &faces->faces, row) || brCut_FailMemory(job);
}

// Straight edges

typedef struct CutUse
{
	int32_t fan;
	int32_t corners[2];
	int32_t faces[2];
	int32_t count;
} CutUse;

typedef BR_ARRAY(CutUse) CutUses;

static int32_t cutStep(const CutFaces* faces, int32_t face, int32_t corner, int32_t step)
{
	const CutFace* row = &faces->faces.data[face];
	int32_t c = corner;
	do
	{
		c = row->start + (c - row->start + step + row->count) % row->count;
	} while (faces->corners.data[c].fan == INT32_MIN);
	return c;
}

// Whether the edge at corner c has that face on its other side.
static bool cutIsAcross(const CutShell* shell, const CutFaces* faces, int32_t c, int32_t face)
{
	int32_t twin = shell->twins[faces->corners.data[c].side];
	return twin >= 0 && shell->faceOf[shell->polygonOf[twin / 3]] == face;
}

static bool cutIsStraight(const CutShell* shell, int32_t a, int32_t v, int32_t b)
{
	const brCutPoint* points = shell->job->points.data;
	brDVec3 p = points[shell->fanPoints[a]].at, q = points[shell->fanPoints[b]].at, m = points[shell->fanPoints[v]].at;
	brDVec3 u = brDSub(q, p), w = brDSub(m, p);
	double length = brDLength(u);
	double along = brDDot(u, w);
	return length > 0.0 && along >= 0.0 && along <= length * length &&
		   brDLength(brDCross(u, w)) <= 4.0 * shell->job->def->flatTolerance * shell->job->reach * length;
}

// Made points may go, and vertices of the cutter from faces of the source; what an input mesh had between its own faces
// stays.
static bool cutMayGo(const CutShell* shell, const CutFaces* faces, const CutUse* use, int32_t point)
{
	const brCutJob* job = shell->job;
	bool isOnSource = false;
	for (int i = 0; i < use->count; ++i)
	{
		isOnSource |= job->copies[faces->faces.data[use->faces[i]].copy].kind == br_faceSource;
	}
	return point >= job->vertexCount || (point >= job->sourcePlaces && isOnSource);
}

// Which corners use each vertex that may go: those that are no vertex of the source, near the cut.
static bool cutFindUses(CutShell* shell, const CutFaces* faces, CutUses* uses)
{
	const brCutJob* job = shell->job;
	for (int32_t f = 0; f < faces->faces.count; ++f)
	{
		const CutFace* row = &faces->faces.data[f];
		if (row->isWhole && job->copies[row->copy].kind == br_faceSource)
		{
			continue;
		}
		for (int32_t c = row->start; c < row->start + row->count; ++c)
		{
			int32_t fan = faces->corners.data[c].fan;
			if (!shell->isTouched[fan] || shell->fanPoints[fan] < job->sourcePlaces)
			{
				continue;
			}
			if (shell->useOf[fan] < 0)
			{
				shell->useOf[fan] = uses->count;
				if (!BR_PUSH(&job->allocator, uses, ((CutUse){.fan = fan})))
				{
					return brCut_FailMemory(shell->job);
				}
			}
			CutUse* use = &uses->data[shell->useOf[fan]];
			if (use->count < 2)
			{
				use->corners[use->count] = c;
				use->faces[use->count] = f;
			}
			use->count += 1;
		}
	}
	return true;
}

// Whether a vertex is in the middle of a straight edge of two faces, or of one at the border of a surface.
static bool cutIsIdle(const CutShell* shell, const CutFaces* faces, const CutUse* use)
{
	if (use->count < 1 || use->count > 2 || (use->count == 2 && use->faces[0] == use->faces[1]) ||
		!cutMayGo(shell, faces, use, shell->fanPoints[use->fan]))
	{
		return false;
	}
	int32_t around[2][2] = {{-1, -1}, {-1, -1}};
	for (int i = 0; i < use->count; ++i)
	{
		if (faces->faces.data[use->faces[i]].count - faces->faces.data[use->faces[i]].goneCount <= 3)
		{
			return false;
		}
		around[i][0] = faces->corners.data[cutStep(faces, use->faces[i], use->corners[i], -1)].fan;
		around[i][1] = faces->corners.data[cutStep(faces, use->faces[i], use->corners[i], 1)].fan;
	}
	bool isAlike;
	if (use->count == 2)
	{
		isAlike = around[0][0] == around[1][1] && around[0][1] == around[1][0] &&
				  cutIsAcross(shell, faces, use->corners[0], use->faces[1]) &&
				  cutIsAcross(shell, faces, use->corners[1], use->faces[0]);
	}
	else
	{
		int32_t before = cutStep(faces, use->faces[0], use->corners[0], -1);
		isAlike = shell->twins[faces->corners.data[use->corners[0]].side] < 0 &&
				  shell->twins[faces->corners.data[before].side] < 0;
	}
	return isAlike && around[0][0] != around[0][1] && cutIsStraight(shell, around[0][0], use->fan, around[0][1]);
}

// Vertices that the cut made, that two faces use and that lie on the line between their neighbors, go from both.
static bool cutStraighten(CutShell* shell, CutFaces* faces)
{
	brCutJob* job = shell->job;
	CutUses uses = {0};
	bool isDone = job->def->keepTriangles || cutFindUses(shell, faces, &uses);
	bool isChanged = false;
	for (int32_t u = 0; u < uses.count && isDone; ++u)
	{
		const CutUse* use = &uses.data[u];
		if (!cutIsIdle(shell, faces, use))
		{
			continue;
		}
		isChanged = true;
		for (int i = 0; i < use->count; ++i)
		{
			faces->corners.data[use->corners[i]].fan = INT32_MIN;
			faces->faces.data[use->faces[i]].goneCount += 1;
		}
	}
	int32_t kept = 0;
	for (int32_t f = 0; f < faces->faces.count && isChanged; ++f)
	{
		CutFace* row = &faces->faces.data[f];
		int32_t start = kept;
		for (int32_t c = row->start; c < row->start + row->count; ++c)
		{
			if (faces->corners.data[c].fan != INT32_MIN)
			{
				faces->corners.data[kept++] = faces->corners.data[c];
			}
		}
		row->start = start;
		row->count = kept - start;
	}
	faces->corners.count = isChanged ? kept : faces->corners.count;
	BR_FREE_ARRAY(&job->allocator, &uses);
	return isDone;
}

// Doubled edges

// An edge of a face that might be there twice.
typedef struct CutEdgeUse
{
	int32_t corner, face;
	int32_t middle; // addition in its middle, -1: none, -2: it stays as it is
} CutEdgeUse;

typedef BR_ARRAY(CutEdgeUse) CutEdgeUses;

// Edges with both ends near the cut; all edges in a tangled source.
static bool cutListEdges(const CutShell* shell, const CutFaces* faces, CutEdgeUses* edges)
{
	const brCutJob* job = shell->job;
	for (int32_t f = 0; f < faces->faces.count; ++f)
	{
		const CutFace* row = &faces->faces.data[f];
		const CutCorner* corners = faces->corners.data + row->start;
		bool isTouched = shell->isTouched[corners[0].fan];
		for (int32_t i = 0; i < row->count; ++i)
		{
			bool isNext = shell->isTouched[corners[i + 1 < row->count ? i + 1 : 0].fan];
			if (((isTouched && isNext) || job->isTangled) &&
				!BR_PUSH(&job->allocator, edges, ((CutEdgeUse){row->start + i, f, -1})))
			{
				return false;
			}
			isTouched = isNext;
		}
	}
	return true;
}

static int32_t cutNextCorner(const CutFaces* faces, const CutEdgeUse* edge)
{
	const CutFace* row = &faces->faces.data[edge->face];
	return edge->corner + 1 < row->start + row->count ? edge->corner + 1 : row->start;
}

// Edges [begin, end) of the sorted list share both ends. One pair, or border, stays; the others get a vertex in the
// middle. Pairs are told by the shell's own pairing, so the new vertex goes into both faces of one edge.
static bool cutPartGroup(const CutShell* shell, CutFaces* faces, CutEdgeUses* edges, const uint32_t* order,
						 int32_t count)
{
	const brCutJob* job = shell->job;
	for (int32_t k = 0; k < count; ++k)
	{
		CutEdgeUse *edge = &edges->data[order[k]], *other = NULL;
		if (edge->middle != -1)
		{
			continue;
		}
		int32_t fan = faces->corners.data[edge->corner].fan;
		for (int32_t m = k + 1; m < count && other == NULL; ++m)
		{
			CutEdgeUse* next = &edges->data[order[m]];
			bool isOpposite = faces->corners.data[next->corner].fan != fan;
			other =
				isOpposite && next->middle == -1 && cutIsAcross(shell, faces, edge->corner, next->face) ? next : NULL;
		}
		int32_t middle = k == 0 ? -2 : faces->added.count;
		edge->middle = middle;
		(other != NULL ? other : edge)->middle = middle;
		if (k == 0)
		{
			continue;
		}
		brDVec3 p = job->points.data[shell->fanPoints[fan]].at;
		brDVec3 q = job->points.data[shell->fanPoints[faces->corners.data[cutNextCorner(faces, edge)].fan]].at;
		brDVec3 at = {0.5 * p.x + 0.5 * q.x, 0.5 * p.y + 0.5 * q.y, 0.5 * p.z + 0.5 * q.z};
		if (!BR_PUSH(&job->allocator, &faces->added, at))
		{
			return false;
		}
	}
	return true;
}

// Puts the additions behind their corners. Edges are listed in the order of corners.
static bool cutPutMiddles(const brCutJob* job, CutFaces* faces, const CutEdgeUses* edges)
{
	BR_ARRAY(CutCorner) longer = {0};
	if (!BR_RESERVE(&job->allocator, &longer, faces->corners.count + 2 * faces->added.count) || longer.data == NULL)
	{
		return false;
	}
	int32_t next = 0;
	for (int32_t f = 0; f < faces->faces.count; ++f)
	{
		CutFace* row = &faces->faces.data[f];
		int32_t start = longer.count;
		for (int32_t c = row->start; c < row->start + row->count; ++c)
		{
			longer.data[longer.count++] = faces->corners.data[c];
			bool isListed = next < edges->count && edges->data[next].corner == c;
			if (isListed && edges->data[next].middle >= 0)
			{
				longer.data[longer.count] = faces->corners.data[c];
				longer.data[longer.count].isAdded = true;
				longer.data[longer.count++].fan = -1 - edges->data[next].middle;
			}
			next += isListed;
		}
		row->count = longer.count - start;
		row->start = start;
	}
	BR_FREE_ARRAY(&job->allocator, &faces->corners);
	faces->corners.data = longer.data;
	faces->corners.count = longer.count;
	faces->corners.capacity = longer.capacity;
	return true;
}

// Half-edges that share both ends with others: an indexed mesh cannot hold two edges between the same two vertices.
static bool cutPartDoubles(CutShell* shell, CutFaces* faces)
{
	brCutJob* job = shell->job;
	CutEdgeUses edges = {0};
	bool isDone = cutListEdges(shell, faces, &edges);
	int64_t count = isDone ? edges.count : 0;
	uint64_t* keys = BR_ALLOC(&job->allocator, uint64_t, 2 * count);
	uint32_t* order = BR_ALLOC(&job->allocator, uint32_t, 2 * count);
	isDone = isDone && keys != NULL && order != NULL;
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		int32_t p = faces->corners.data[edges.data[i].corner].fan,
				q = faces->corners.data[cutNextCorner(faces, &edges.data[i])].fan;
		keys[i] = (uint64_t)(uint32_t)(p < q ? p : q) << 32 | (uint32_t)(p < q ? q : p);
		order[i] = (uint32_t)i;
	}
	isDone = isDone && brSortPairs64(brCut_Workers(job), &job->allocator, keys, order, keys + count, order + count,
									 (int32_t)count);
	for (int32_t i = 0, j = 0; i < count && isDone; i = j)
	{
		while (j < count && keys[j] == keys[i])
		{
			j += 1;
		}
		isDone = j - i < 2 || cutPartGroup(shell, faces, &edges, order + i, j - i);
	}
	isDone = isDone && (faces->added.count == 0 || cutPutMiddles(job, faces, &edges));
	BR_FREE(&job->allocator, keys, 2 * count);
	BR_FREE(&job->allocator, order, 2 * count);
	BR_FREE_ARRAY(&job->allocator, &edges);
	return isDone || brCut_FailMemory(job);
}

// A triangle that came through whole, if the polygon is no more than that.
static bool cutIsWholeTriangle(const CutShell* shell, int32_t t)
{
	const brCutCopy* copy = cutCopyOf(shell, t);
	const brMesh* mesh = cutMeshOf(shell, copy);
	int32_t face = shell->job->faces[copy->triangle];
	return shell->isIntact[t] && brMesh_GetFaceSize(mesh, face) == 3 &&
		   shell->job->corners[copy->triangle][0] == mesh->faceStarts[face];
}

typedef struct CutFaceWork
{
	CutShell* shell;
	CutFaces* faces;
	int32_t begin, end; // in the order
} CutFaceWork;

// Whole triangles that no other triangle of their polygon follows get polygonOf at once.
static void cutFindWholeTriangles(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const CutFaceWork* work = user;
	CutShell* shell = work->shell;
	for (int32_t i = work->begin + begin; i < work->begin + end; ++i)
	{
		int32_t t = shell->order[i];
		if (cutIsWholeTriangle(shell, t) && (i + 1 >= work->end || !cutIsOneFace(shell, t, shell->order[i + 1])))
		{
			shell->polygonOf[t] = t;
		}
	}
}

// The corners of whole triangles, for which the list has kept room.
static void cutFillWholeTriangles(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const CutFaceWork* work = user;
	const CutShell* shell = work->shell;
	for (int32_t f = begin; f < end; ++f)
	{
		const CutFace* row = &work->faces->faces.data[f];
		const int32_t* corners = shell->job->corners[shell->job->copies[row->copy].triangle];
		for (int k = 0; k < 3 && row->isTriangle; ++k)
		{
			int32_t side = 3 * row->copy + k;
			work->faces->corners.data[row->start + k] = (CutCorner){shell->fans[side], corners[k], side, false};
		}
	}
}

bool brCut_MakeFaces(CutShell* shell, int32_t piece, CutFaces* faces)
{
	brCutInts queue = {0};
	int32_t begin = shell->pieceStart[piece], end = shell->pieceStart[piece + 1];
	brWorkers* workers = brCut_Workers(shell->job);
	CutFaceWork work = {shell, faces, begin, end};
	bool isDone = true;
	faces->faces.count = faces->corners.count = faces->added.count = 0;
	// Joining only takes corners away.
	if (!BR_RESERVE(&shell->job->allocator, &faces->faces, end - begin) ||
		!BR_RESERVE(&shell->job->allocator, &faces->corners, 3 * (int64_t)(end - begin)))
	{
		return brCut_FailMemory(shell->job);
	}
	brParallelFor(workers, end - begin, CUT_POLYGON_BLOCK, cutFindWholeTriangles, &work);
	for (int32_t i = begin; i < end && isDone;)
	{
		// Triangles of one polygon of the source stand side by side; those of the cutter too.
		int32_t t = shell->order[i], count = 1;
		if (shell->polygonOf[t] == t)
		{
			shell->faceOf[t] = faces->faces.count;
			faces->faces.data[faces->faces.count++] = (CutFace){faces->corners.count, 3, t, 0, true, true};
			faces->corners.count += 3;
			i += 1;
			continue;
		}
		while (i + count < end && cutIsOneFace(shell, t, shell->order[i + count]))
		{
			count += 1;
		}
		if (cutIsWhole(shell, shell->order, i, count))
		{
			isDone = cutAddWhole(shell, faces, i, count);
		}
		else
		{
			bool isPlanar = cutIsPlanar(shell, cutCopyOf(shell, t));
			for (int32_t k = i; k < i + count && isDone; ++k)
			{
				isDone = shell->polygonOf[shell->order[k]] >= 0 ||
						 cutGrow(shell, faces, shell->order[k], piece, isPlanar, &queue);
			}
		}
		i += count;
	}
	BR_FREE_ARRAY(&shell->job->allocator, &queue);
	brParallelFor(workers, isDone ? faces->faces.count : 0, CUT_POLYGON_BLOCK, cutFillWholeTriangles, &work);
	return isDone && cutStraighten(shell, faces) && cutPartDoubles(shell, faces);
}
