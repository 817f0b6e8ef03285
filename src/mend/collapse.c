// SPDX-License-Identifier: MIT

// Needless vertices where a surface crosses itself by rounding. Slivers and flaps as flat as a rounding turn over when
// their corners move, and no small step puts them right. Such a place has a vertex whose faces lie in one plane with a
// neighbor's: drawn onto that neighbor, it takes the sliver with it and the surface stays where it was.

#include "base/memory.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"
#include "mesh/half_edge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COLLAPSE_MOST 32 // faces of a vertex that may go

typedef struct CollapseJob
{
	const brMesh* mesh;
	brHalfEdges edges;
	int32_t* goesTo;   // by vertex: the one it is drawn onto, or itself
	uint8_t* isLocked; // by vertex: near one that goes already
	double height;
} CollapseJob;

// The neighbors of the vertex of `corner`, in the order around it; 0 if its fan is open or has too many.
static int32_t collapseNeighbors(const CollapseJob* job, int32_t corner, int32_t neighbors[COLLAPSE_MOST])
{
	int32_t count = 0, c = corner;
	do
	{
		if (count == COLLAPSE_MOST)
		{
			return 0;
		}
		neighbors[count++] = brHalfEdges_Target(&job->edges, c);
		c = brHalfEdges_TurnLeft(&job->edges, c);
	} while (c >= 0 && c != corner);
	return c == corner ? count : 0;
}

// How far the vertex of `corner` is from the faces that it leaves if it is drawn along the half-edge; DBL_MAX if it may
// not.
static double collapseHeight(const CollapseJob* job, int32_t corner)
{
	const brMesh* mesh = job->mesh;
	int32_t ours[COLLAPSE_MOST], theirs[COLLAPSE_MOST], twin = job->edges.twins[corner];
	int32_t v = mesh->corners[corner], onto = brHalfEdges_Target(&job->edges, corner);
	int32_t count = collapseNeighbors(job, corner, ours), others = twin < 0 ? 0 : collapseNeighbors(job, twin, theirs);
	int32_t common = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		for (int32_t j = 0; j < others; ++j)
		{
			common += ours[i] == theirs[j];
		}
	}
	if (common != 2 || (count == 3 && others == 3))
	{
		return DBL_MAX; // the surface would touch itself, or a tetrahedron go
	}
	double highest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t x = ours[i], y = ours[(i + 1) % count];
		if (x == onto || y == onto)
		{
			continue;
		}
		brDVec3 base = mesh->positions[onto];
		brDVec3 normal = brDNormalize(brDCross(brDSub(mesh->positions[x], base), brDSub(mesh->positions[y], base)));
		double height = fabs(brDDot(normal, brDSub(mesh->positions[v], base)));
		highest = brDDot(normal, normal) > 0.5 ? fmax(highest, height) : DBL_MAX;
	}
	return highest;
}

// Draws the end of an edge of `face` that changes the least.
static void collapseAtFace(CollapseJob* job, int32_t face)
{
	int32_t best = -1;
	double least = job->height;
	for (int32_t i = 0; i < 6; ++i)
	{
		int32_t corner = 3 * face + i / 2;
		corner = i % 2 == 0 ? corner : job->edges.twins[corner];
		if (corner < 0)
		{
			continue;
		}
		double height = collapseHeight(job, corner);
		if (height <= least)
		{
			least = height;
			best = corner;
		}
	}
	int32_t neighbors[COLLAPSE_MOST], count = best < 0 ? 0 : collapseNeighbors(job, best, neighbors);
	for (int32_t i = 0; i < count; ++i)
	{
		count = job->isLocked[neighbors[i]] ? 0 : count;
	}
	if (count == 0 || job->isLocked[job->mesh->corners[best]])
	{
		return;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		job->isLocked[neighbors[i]] = 1;
	}
	job->isLocked[job->mesh->corners[best]] = 1;
	job->goesTo[job->mesh->corners[best]] = brHalfEdges_Target(&job->edges, best);
}

static brMesh* collapseWrite(const CollapseJob* job)
{
	const brMesh* mesh = job->mesh;
	brFaceList list;
	brFaceList_Init(&list, &job->edges.allocator, mesh);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		const int32_t* c = mesh->corners + 3 * (size_t)f;
		int32_t x = job->goesTo[c[0]], y = job->goesTo[c[1]], z = job->goesTo[c[2]];
		if (x != y && y != z && z != x)
		{
			brFaceList_CopyFace(&list, f, job->goesTo);
		}
	}
	brMesh* result = brFaceList_Finish(&list);
	brFaceList_Free(&list);
	return result;
}

brResult brCollapseFlat(const brContext* context, const brMesh* mesh, const uint8_t* marks, double height,
						brMesh** outMesh, brReport* report)
{
	CollapseJob job = {.mesh = mesh, .height = height};
	if (brMakeHalfEdges(context, mesh, &job.edges) < 0)
	{
		return brFailMemory(report);
	}
	brAllocator allocator = job.edges.allocator;
	job.goesTo = BR_ALLOC(&allocator, int32_t, mesh->vertexCount);
	job.isLocked = BR_ALLOC_ZERO(&allocator, uint8_t, mesh->vertexCount);
	brMesh* collapsed = NULL;
	if (job.goesTo != NULL && job.isLocked != NULL)
	{
		for (int32_t v = 0; v < mesh->vertexCount; ++v)
		{
			job.goesTo[v] = v;
		}
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			if (marks[f])
			{
				collapseAtFace(&job, f);
			}
		}
		collapsed = collapseWrite(&job);
	}
	BR_FREE(&allocator, job.goesTo, mesh->vertexCount);
	BR_FREE(&allocator, job.isLocked, mesh->vertexCount);
	brFreeHalfEdges(&job.edges);
	*outMesh = collapsed;
	return collapsed != NULL ? br_success : brFailMemory(report);
}
