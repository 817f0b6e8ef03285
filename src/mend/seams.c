// SPDX-License-Identifier: MIT

// Surfaces with one side, such as a Moebius band, have no outside: wherever faces are turned, a seam is left along which
// neighbors disagree. Opened along that seam they are sheets with two sides, which can be filled or made plates.

#include "base/forest.h"
#include "base/memory.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"

#include <string.h>

// Corners that are joined across edges on which both faces agree are one set.
static void seamsJoin(const brHalfEdges* edges, int32_t* parents)
{
	int32_t count = edges->mesh->cornerCount;
	brResetForest(parents, count);
	for (int32_t c = 0; c < count; ++c)
	{
		if (edges->twins[c] >= 0)
		{
			brJoinRoots(parents, c, brHalfEdges_Next(edges, edges->twins[c]));
		}
	}
}

// Every further set at a vertex gets a copy of it. `taken` has a place for each vertex, `copies` for each corner.
static void seamsWrite(const brMesh* mesh, int32_t* parents, int32_t* taken, int32_t* copies, brFaceList* list)
{
	memset(taken, 0xff, (size_t)mesh->vertexCount * sizeof(int32_t));
	memset(copies, 0xff, (size_t)mesh->cornerCount * sizeof(int32_t));
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brFaceList_Begin(list, f);
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			int32_t v = mesh->corners[c], root = brFindRoot(parents, c);
			taken[v] = taken[v] < 0 ? root : taken[v];
			if (taken[v] != root && copies[root] < 0)
			{
				copies[root] = brFaceList_AddVertex(list, mesh->positions[v], v);
			}
			brFaceList_AddCorner(list, taken[v] == root ? v : copies[root], c);
		}
	}
}

brResult brOpenSeams(const brContext* context, const brMesh* mesh, brMesh** outMesh, brReport* report)
{
	brHalfEdges edges;
	if (brMakeHalfEdges(context, mesh, &edges) < 0)
	{
		return brFailMemory(report);
	}
	brAllocator allocator = edges.allocator;
	brFaceList list;
	brFaceList_Init(&list, &allocator, mesh);
	int32_t* parents = BR_ALLOC(&allocator, int32_t, mesh->cornerCount);
	int32_t* taken = BR_ALLOC(&allocator, int32_t, mesh->vertexCount);
	int32_t* copies = BR_ALLOC(&allocator, int32_t, mesh->cornerCount);
	brMesh* opened = NULL;
	if (parents != NULL && taken != NULL && copies != NULL)
	{
		seamsJoin(&edges, parents);
		seamsWrite(mesh, parents, taken, copies, &list);
		opened = brFaceList_Finish(&list);
	}
	BR_FREE(&allocator, parents, mesh->cornerCount);
	BR_FREE(&allocator, taken, mesh->vertexCount);
	BR_FREE(&allocator, copies, mesh->cornerCount);
	brFaceList_Free(&list);
	brFreeHalfEdges(&edges);
	*outMesh = opened;
	return opened != NULL ? br_success : brFailMemory(report);
}
