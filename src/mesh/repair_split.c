// SPDX-License-Identifier: MIT

// Giving each fan of faces its own vertices, so that edges have two faces and vertices one fan.
//
// At an edge of more than two half-edges they are paired around it: sorted by angle, a half-edge that runs against the
// axis opens a wedge of material and the next one along it closes that wedge, like brackets. Two solids that touch in an
// edge come apart into two closed solids; what has no partner becomes a border. Corners at a vertex belong together when
// a pair joins their faces; every further set of corners gets a copy of the vertex.
//
// The angles are compared by exact signs. An edge along which a surface touches itself, with one fan at either end, cannot be
// taken apart by copies and stays.

#include "math/predicates.h"
#include "mesh/half_edge.h"
#include "mesh/repair.h"
#include "mesh/topology.h"
#include "mesh/weld.h"

#include <string.h>

// A face at the edge a-b.
typedef struct EdgeSheet
{
	int32_t corner;
	brDVec3 point;  // of the face, off the line a-b
	int32_t half;   // of the turn that starts at the first sheet: 0 at it, 1 before half a turn, 2 at it, 3 after
	bool runsAlong; // from a to b
} EdgeSheet;

typedef BR_ARRAY(EdgeSheet) EdgeSheets;

typedef struct SplitJob
{
	brRepair* repair;
	brMesh view;
	brHalfEdges edges;
	int32_t* parents; // by corner: corners of one fan are one set
	EdgeSheets sheets;
	BR_ARRAY(int32_t) open; // half-edges that wait for their partner
} SplitJob;

// Joins the corners at both ends of an edge that two half-edges share, whichever way they run.
static void joinSheets(SplitJob* job, int32_t a, int32_t b)
{
	const int32_t* corners = job->view.corners;
	int32_t nextA = brHalfEdges_Next(&job->edges, a), nextB = brHalfEdges_Next(&job->edges, b);
	bool sameWay = corners[a] == corners[b];
	brJoinRoots(job->parents, a, sameWay ? b : nextB);
	brJoinRoots(job->parents, nextA, sameWay ? nextB : b);
}

// A corner of the face of `corner` that is not on the line of its edge.
static brDVec3 sheetPoint(const SplitJob* job, int32_t corner)
{
	const brMesh* mesh = &job->view;
	brDVec3 a = mesh->positions[mesh->corners[corner]];
	int32_t c = brHalfEdges_Next(&job->edges, corner);
	brDVec3 b = mesh->positions[mesh->corners[c]], p = b;
	for (c = brHalfEdges_Next(&job->edges, c); c != corner; c = brHalfEdges_Next(&job->edges, c))
	{
		p = mesh->positions[mesh->corners[c]];
		if (!brIsCollinear(a, b, p))
		{
			break;
		}
	}
	return p;
}

static int32_t sheetHalf(brDVec3 a, brDVec3 b, brDVec3 first, brDVec3 point)
{
	// From b seen against a, a positive tet a, b, first, point has `point` less than half a turn to the left of `first`.
	int32_t side = brOrient3d(a, b, first, point);
	if (side != 0)
	{
		return side > 0 ? 1 : 3;
	}
	// In one plane with the axis: the same side or the opposite one, as the products with the axis say.
	brDVec3 axis = brDSub(b, a);
	brDVec3 n1 = brDCross(axis, brDSub(first, a)), n2 = brDCross(axis, brDSub(point, a));
	return brDDot(n1, n2) >= 0.0 ? 0 : 2;
}

static bool sheetBefore(brDVec3 a, brDVec3 b, const EdgeSheet* s, const EdgeSheet* t)
{
	if (s->half != t->half)
	{
		return s->half < t->half;
	}
	int32_t side = s->half == 1 || s->half == 3 ? brOrient3d(a, b, s->point, t->point) : 0;
	return side != 0 ? side > 0 : s->corner < t->corner;
}

// Pairs all half-edges of one edge. False without memory.
static bool pairAround(SplitJob* job, int32_t edge)
{
	const brMesh* mesh = &job->view;
	const int32_t* corners = job->edges.edgeCorners + job->edges.edgeStarts[edge];
	int32_t count = job->edges.edgeStarts[edge + 1] - job->edges.edgeStarts[edge];
	int32_t lesser = mesh->corners[corners[0]], greater = brHalfEdges_Target(&job->edges, corners[0]);
	if (lesser > greater)
	{
		int32_t swap = lesser;
		lesser = greater;
		greater = swap;
	}
	brDVec3 a = mesh->positions[lesser], b = mesh->positions[greater];
	job->sheets.count = 0;
	for (int32_t k = 0; k < count; ++k)
	{
		EdgeSheet sheet = {.corner = corners[k], .point = sheetPoint(job, corners[k])};
		sheet.runsAlong = mesh->corners[corners[k]] == lesser;
		sheet.half = k > 0 ? sheetHalf(a, b, job->sheets.data[0].point, sheet.point) : 0;
		// Insertion keeps the list sorted; the first sheet has the least angle and never moves.
		if (!BR_PUSH(&job->repair->allocator, &job->sheets, sheet))
		{
			return false;
		}
		EdgeSheet* sheets = job->sheets.data;
		for (int32_t i = k; i > 1 && sheetBefore(a, b, &sheets[i], &sheets[i - 1]); --i)
		{
			EdgeSheet swap = sheets[i];
			sheets[i] = sheets[i - 1];
			sheets[i - 1] = swap;
		}
	}

	// Twice round, so that a wedge that holds the first sheet is closed too. Paired sheets are marked by corner -1.
	job->open.count = 0;
	for (int32_t k = 0; k < 2 * count; ++k)
	{
		EdgeSheet* sheet = &job->sheets.data[k % count];
		if (sheet->corner < 0)
		{
			continue;
		}
		if (!sheet->runsAlong)
		{
			if (k < count && !BR_PUSH(&job->repair->allocator, &job->open, k))
			{
				return false;
			}
		}
		else if (job->open.count > 0)
		{
			EdgeSheet* opener = &job->sheets.data[job->open.data[--job->open.count]];
			joinSheets(job, opener->corner, sheet->corner);
			opener->corner = -1;
			sheet->corner = -1;
		}
	}
	return true;
}

// Corners of one face at one vertex stay together: they are no second fan.
static void joinWithinFaces(SplitJob* job, int32_t* lastCorners)
{
	const brMesh* mesh = &job->view;
	memset(lastCorners, 0xff, (size_t)mesh->vertexCount * sizeof(int32_t));
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			int32_t* last = &lastCorners[mesh->corners[c]];
			if (*last >= mesh->faceStarts[f])
			{
				brJoinRoots(job->parents, *last, c);
			}
			*last = c;
		}
	}
}

static bool growVertices(brRepair* repair, int32_t copies)
{
	int64_t capacity = (int64_t)repair->vertexCount + copies;
	brDVec3* positions = capacity < INT32_MAX ? BR_ALLOC(&repair->allocator, brDVec3, capacity) : NULL;
	int32_t* sources = positions != NULL ? BR_ALLOC(&repair->allocator, int32_t, capacity) : NULL;
	if (sources == NULL)
	{
		BR_FREE(&repair->allocator, positions, capacity);
		return false;
	}
	memcpy(positions, repair->positions, (size_t)repair->vertexCount * sizeof(brDVec3));
	memcpy(sources, repair->vertexSources, (size_t)repair->vertexCount * sizeof(int32_t));
	BR_FREE(&repair->allocator, repair->positions, repair->vertexCapacity);
	BR_FREE(&repair->allocator, repair->vertexSources, repair->vertexCapacity);
	repair->positions = positions;
	repair->vertexSources = sources;
	repair->vertexCapacity = (int32_t)capacity;
	return true;
}

// The vertex a set of corners had before welding, if it may have it back: -1 if it was welded to another place, or if
// another set has it already.
static int32_t formerVertex(const brRepair* repair, int32_t root)
{
	int32_t vertex = repair->corners[root];
	int32_t former = repair->source->corners[repair->cornerSources[root]];
	if (former == vertex || repair->vertexSources[former] >= 0)
	{
		return -1;
	}
	brDVec3 p = repair->source->positions[former], q = repair->positions[vertex];
	return p.x == q.x && p.y == q.y && p.z == q.z ? former : -1;
}

// Which vertex each set gets, by its root. A set that was welded to others gets its own vertex back; of the rest the
// first keeps the vertex and the others get copies, in the order of their first corners. `setCounts` has a place for each
// vertex. Returns the number of copies.
static int32_t assignVertices(SplitJob* job, int32_t* setCounts, int32_t* targets)
{
	brRepair* repair = job->repair;
	memset(setCounts, 0, (size_t)job->view.vertexCount * sizeof(int32_t));
	for (int32_t c = 0; c < repair->cornerCount; ++c)
	{
		setCounts[repair->corners[c]] += brFindRoot(job->parents, c) == c;
	}
	int32_t copies = 0;
	for (int32_t c = 0; c < repair->cornerCount; ++c)
	{
		if (job->parents[c] != c)
		{
			continue;
		}
		int32_t vertex = repair->corners[c];
		int32_t former = setCounts[vertex] != 1 ? formerVertex(repair, c) : -1;
		if (former >= 0)
		{
			repair->vertexSources[former] = former;
			repair->positions[former] = repair->source->positions[former];
			repair->counts.weldedVertices -= 1;
			targets[c] = former;
		}
		else
		{
			// A count of -1 says that the vertex has been given away.
			targets[c] = setCounts[vertex] >= 0 ? vertex : job->view.vertexCount + copies++;
			setCounts[vertex] = -1;
		}
	}
	return copies;
}

static bool copyVertices(SplitJob* job, int32_t* setCounts, int32_t* targets)
{
	brRepair* repair = job->repair;
	int32_t copies = assignVertices(job, setCounts, targets);
	if (copies > 0 && !growVertices(repair, copies))
	{
		return false;
	}
	for (int32_t c = 0; c < repair->cornerCount; ++c)
	{
		int32_t vertex = repair->corners[c];
		int32_t target = targets[brFindRoot(job->parents, c)];
		if (target >= job->view.vertexCount)
		{
			repair->positions[target] = repair->positions[vertex];
			repair->vertexSources[target] = repair->vertexSources[vertex];
		}
		repair->corners[c] = target;
	}
	repair->vertexCount += copies;
	repair->counts.splitVertices += copies;
	return true;
}

bool brRepair_Split(brRepair* repair)
{
	const brAllocator* allocator = &repair->allocator;
	SplitJob job = {.repair = repair, .view = brRepair_View(repair)};
	int32_t* vertexScratch = BR_ALLOC(allocator, int32_t, job.view.vertexCount);
	int32_t* targets = BR_ALLOC(allocator, int32_t, job.view.cornerCount);
	job.parents = BR_ALLOC(allocator, int32_t, job.view.cornerCount);
	bool complete = vertexScratch != NULL && targets != NULL && job.parents != NULL &&
					brMakeHalfEdges(repair->context, &job.view, &job.edges) >= 0;
	for (int32_t c = 0; c < job.view.cornerCount && complete; ++c)
	{
		job.parents[c] = c;
	}
	for (int32_t e = 0; e < job.edges.edgeCount && complete; ++e)
	{
		const int32_t* corners = job.edges.edgeCorners + job.edges.edgeStarts[e];
		int32_t count = job.edges.edgeStarts[e + 1] - job.edges.edgeStarts[e];
		if (count == 2)
		{
			joinSheets(&job, corners[0], corners[1]);
		}
		else if (count > 2)
		{
			complete = pairAround(&job, e);
		}
	}
	if (complete)
	{
		joinWithinFaces(&job, vertexScratch);
		complete = copyVertices(&job, vertexScratch, targets);
	}
	brFreeHalfEdges(&job.edges);
	BR_FREE_ARRAY(allocator, &job.sheets);
	BR_FREE_ARRAY(allocator, &job.open);
	BR_FREE(allocator, vertexScratch, job.view.vertexCount);
	BR_FREE(allocator, targets, job.view.cornerCount);
	BR_FREE(allocator, job.parents, job.view.cornerCount);
	return complete;
}
