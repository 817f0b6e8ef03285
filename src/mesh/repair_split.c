// SPDX-License-Identifier: MIT

// Giving each fan of faces its own vertices, so that edges have two faces and vertices one fan.
//
// At an edge of more than two half-edges they are paired around it: sorted by angle, a half-edge that runs against the
// axis opens a wedge of material and the next one along it closes that wedge, like brackets. Two solids that touch in
// an edge come apart into two closed solids; what has no partner, like a fin on a solid, becomes a border. Corners at a
// vertex belong together when a pair joins their faces; every further set of corners gets a copy of the vertex.
//
// The angles are compared by exact signs. An edge along which a surface touches itself can have the same fan at either
// end; copies cannot take it apart then, so every pair but the first gets a new vertex in the middle of its edge.

#include "base/forest.h"
#include "math/predicates.h"
#include "mesh/half_edge.h"
#include "mesh/repair.h"
#include "mesh/topology.h"

#include <string.h>

// A face at the edge a-b.
typedef struct EdgeSheet
{
	int32_t corner;
	brDVec3 point;   // of the face, off the line a-b
	int32_t half;    // of the turn that starts at the first sheet: 0 at it, 1 before half a turn, 2 at it, 3 after
	int32_t fans[2]; // at a and at b, of the surface without crowded edges
	bool runsAlong;  // from a to b
} EdgeSheet;

typedef BR_ARRAY(EdgeSheet) EdgeSheets;

typedef struct SplitJob
{
	brRepair* repair;
	brMesh view;
	brHalfEdges edges;
	int32_t* parents;  // by corner: corners of one fan are one set
	int32_t* fans;     // by corner: the same, before crowded edges are paired
	int32_t* partners; // by corner: the other half-edge of its pair at an edge of more than two, or -1
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

// Joins corners across all edges of two half-edges.
static void joinPairs(SplitJob* job)
{
	for (int32_t c = 0; c < job->view.cornerCount; ++c)
	{
		job->parents[c] = c;
		job->partners[c] = -1;
	}
	for (int32_t e = 0; e < job->edges.edgeCount; ++e)
	{
		const int32_t* corners = job->edges.edgeCorners + job->edges.edgeStarts[e];
		if (job->edges.edgeStarts[e + 1] - job->edges.edgeStarts[e] == 2)
		{
			joinSheets(job, corners[0], corners[1]);
		}
	}
	for (int32_t c = 0; c < job->view.cornerCount; ++c)
	{
		job->fans[c] = brFindRoot(job->parents, c);
	}
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
	// From b seen against a, a positive tet a, b, first, point has `point` less than half a turn to the left of
	// `first`.
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

// How many of the sheets run along the axis, less those that run against it; of those with the same fans at both ends
// as `like`, or of all for null.
static int32_t sheetBalance(const SplitJob* job, const EdgeSheet* like)
{
	int32_t balance = 0;
	for (int32_t k = 0; k < job->sheets.count; ++k)
	{
		const EdgeSheet* sheet = &job->sheets.data[k];
		bool counts = like == NULL || (sheet->fans[0] == like->fans[0] && sheet->fans[1] == like->fans[1]);
		balance += counts ? (sheet->runsAlong ? 1 : -1) : 0;
	}
	return balance;
}

// Pairs the sorted sheets of an edge, all of them or only those whose fans are balanced. Twice round, so that a wedge
// that holds the first sheet is closed too. Paired sheets are marked by corner -1.
static bool pairSheets(SplitJob* job, bool balancedOnly)
{
	int32_t count = job->sheets.count;
	job->open.count = 0;
	for (int32_t k = 0; k < 2 * count; ++k)
	{
		EdgeSheet* sheet = &job->sheets.data[k % count];
		if (sheet->corner < 0 || (balancedOnly && sheetBalance(job, sheet) != 0))
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
			job->partners[opener->corner] = sheet->corner;
			job->partners[sheet->corner] = opener->corner;
			opener->corner = -1;
			sheet->corner = -1;
		}
	}
	return true;
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
		int32_t next = brHalfEdges_Next(&job->edges, corners[k]);
		sheet.fans[0] = job->fans[sheet.runsAlong ? corners[k] : next];
		sheet.fans[1] = job->fans[sheet.runsAlong ? next : corners[k]];
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

	// Where not every half-edge can have a partner, fans that close by themselves go first.
	int32_t balance = sheetBalance(job, NULL);
	if (balance != 0 && !pairSheets(job, true))
	{
		return false;
	}
	return pairSheets(job, false);
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
// first keeps the vertex and the others get copies, in the order of their first corners. `setCounts` has a place for
// each vertex. Returns the number of copies.
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

// Edges that are still too full

typedef struct MiddleSplit
{
	brMesh view;
	brHalfEdges edges;
	brDVec3* positions; // [edges of more than two half-edges] of the new vertices
	int32_t* sources;
	int32_t* inserted; // by corner: new vertex behind it, counted from 0, or -1
	int32_t capacity;
	int32_t vertexCount;
	int32_t cornerCount;
} MiddleSplit;

// Gives every pair of an edge but the first, and every half-edge alone, a vertex of its own.
static void chooseMiddles(const SplitJob* job, MiddleSplit* split, int32_t edge)
{
	const int32_t* corners = split->edges.edgeCorners + split->edges.edgeStarts[edge];
	int32_t count = split->edges.edgeStarts[edge + 1] - split->edges.edgeStarts[edge];
	int32_t vertex = split->view.corners[corners[0]];
	brDVec3 a = split->view.positions[vertex];
	brDVec3 b = split->view.positions[brHalfEdges_Target(&split->edges, corners[0])];
	int32_t needed = -1, given = 0; // a place each, evenly along the edge, so that no weld joins them again
	for (int32_t k = 0; k < count; ++k)
	{
		needed += job->partners[corners[k]] < corners[k];
	}
	for (int32_t k = 1; k < count; ++k)
	{
		int32_t partner = job->partners[corners[k]];
		brDVec3 place = brDLerp(a, b, (given + 1.0) / (needed + 1.0));
		bool isBetween = brDLengthSq(brDSub(place, a)) > 0.0 && brDLengthSq(brDSub(place, b)) > 0.0;
		if (partner == corners[0] || split->inserted[corners[k]] >= 0 || !isBetween)
		{
			continue;
		}
		given += 1;
		split->positions[split->vertexCount] = place;
		split->sources[split->vertexCount] = job->repair->vertexSources[vertex];
		split->inserted[corners[k]] = split->vertexCount;
		split->cornerCount += 1;
		if (partner >= 0)
		{
			split->inserted[partner] = split->vertexCount;
			split->cornerCount += 1;
		}
		split->vertexCount += 1;
	}
}

// Writes the new vertices and corners. A new corner takes the mean of the attributes at both ends of its half-edge.
static bool applyMiddles(brRepair* repair, const MiddleSplit* split)
{
	int64_t capacity = (int64_t)repair->cornerCount + split->cornerCount;
	if (capacity > INT32_MAX || !growVertices(repair, split->vertexCount))
	{
		return false;
	}
	int32_t* corners = BR_ALLOC(&repair->allocator, int32_t, capacity);
	int32_t* sources = BR_ALLOC(&repair->allocator, int32_t, capacity);
	int32_t* mates = BR_ALLOC(&repair->allocator, int32_t, capacity);
	if (corners == NULL || sources == NULL || mates == NULL)
	{
		BR_FREE(&repair->allocator, corners, capacity);
		BR_FREE(&repair->allocator, sources, capacity);
		BR_FREE(&repair->allocator, mates, capacity);
		return false;
	}
	int32_t count = 0, begin = 0;
	for (int32_t f = 0; f < repair->faceCount; ++f)
	{
		int32_t end = repair->faceStarts[f + 1];
		for (int32_t c = begin; c < end; ++c)
		{
			corners[count] = repair->corners[c];
			sources[count] = repair->cornerSources[c];
			mates[count++] = -1;
			if (split->inserted[c] >= 0)
			{
				corners[count] = repair->vertexCount + split->inserted[c];
				sources[count] = repair->cornerSources[c];
				mates[count++] = repair->cornerSources[c + 1 < end ? c + 1 : begin];
			}
		}
		begin = end;
		repair->faceStarts[f + 1] = count;
	}
	memcpy(repair->positions + repair->vertexCount, split->positions, (size_t)split->vertexCount * sizeof(brDVec3));
	memcpy(repair->vertexSources + repair->vertexCount, split->sources, (size_t)split->vertexCount * sizeof(int32_t));
	repair->vertexCount += split->vertexCount;
	BR_FREE(&repair->allocator, repair->corners, repair->cornerCapacity);
	BR_FREE(&repair->allocator, repair->cornerSources, repair->cornerCapacity);
	repair->corners = corners;
	repair->cornerSources = sources;
	repair->cornerMates = mates;
	repair->cornerCapacity = (int32_t)capacity;
	repair->cornerCount = count;
	repair->counts.splitVertices += split->vertexCount;
	repair->counts.insertedCorners += split->cornerCount;
	return true;
}

static bool splitMiddles(SplitJob* job)
{
	brRepair* repair = job->repair;
	const brAllocator* allocator = &repair->allocator;
	MiddleSplit split = {.view = brRepair_View(repair)};
	if (brMakeHalfEdges(repair->context, &split.view, &split.edges) < 0)
	{
		return false;
	}
	for (int32_t e = 0; e < split.edges.edgeCount; ++e)
	{
		int32_t count = split.edges.edgeStarts[e + 1] - split.edges.edgeStarts[e];
		split.capacity += count > 2 ? count : 0;
	}
	split.positions = BR_ALLOC(allocator, brDVec3, split.capacity);
	split.sources = BR_ALLOC(allocator, int32_t, split.capacity);
	split.inserted = BR_ALLOC(allocator, int32_t, split.view.cornerCount);
	bool complete = split.positions != NULL && split.sources != NULL && split.inserted != NULL;
	if (complete && split.capacity > 0)
	{
		memset(split.inserted, 0xff, (size_t)split.view.cornerCount * sizeof(int32_t));
		for (int32_t e = 0; e < split.edges.edgeCount; ++e)
		{
			if (split.edges.edgeStarts[e + 1] - split.edges.edgeStarts[e] > 2)
			{
				chooseMiddles(job, &split, e);
			}
		}
		complete = split.vertexCount == 0 || applyMiddles(repair, &split);
	}
	brFreeHalfEdges(&split.edges);
	BR_FREE(allocator, split.positions, split.capacity);
	BR_FREE(allocator, split.sources, split.capacity);
	BR_FREE(allocator, split.inserted, split.view.cornerCount);
	return complete;
}

bool brRepair_Split(brRepair* repair)
{
	const brAllocator* allocator = &repair->allocator;
	SplitJob job = {.repair = repair, .view = brRepair_View(repair)};
	int32_t vertexCount = job.view.vertexCount, cornerCount = job.view.cornerCount;
	int32_t* vertexScratch = BR_ALLOC(allocator, int32_t, vertexCount);
	int32_t* targets = BR_ALLOC(allocator, int32_t, job.view.cornerCount);
	job.parents = BR_ALLOC(allocator, int32_t, job.view.cornerCount);
	job.fans = BR_ALLOC(allocator, int32_t, job.view.cornerCount);
	job.partners = BR_ALLOC(allocator, int32_t, job.view.cornerCount);
	bool complete = vertexScratch != NULL && targets != NULL && job.parents != NULL && job.fans != NULL &&
					job.partners != NULL && brMakeHalfEdges(repair->context, &job.view, &job.edges) >= 0;
	if (complete)
	{
		joinPairs(&job);
	}
	for (int32_t e = 0; e < job.edges.edgeCount && complete; ++e)
	{
		if (job.edges.edgeStarts[e + 1] - job.edges.edgeStarts[e] > 2)
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
	if (complete && job.sheets.capacity > 0)
	{
		complete = splitMiddles(&job);
	}
	BR_FREE_ARRAY(allocator, &job.sheets);
	BR_FREE_ARRAY(allocator, &job.open);
	BR_FREE(allocator, vertexScratch, vertexCount);
	BR_FREE(allocator, targets, cornerCount);
	BR_FREE(allocator, job.parents, cornerCount);
	BR_FREE(allocator, job.fans, cornerCount);
	BR_FREE(allocator, job.partners, cornerCount);
	return complete;
}
