// SPDX-License-Identifier: MIT

// Edges of four faces and more, opened. Where a solid touches itself along an edge, a file without numbers of vertices
// joins both sides of the touch, and the edge then has four faces. Two of them get a vertex in its middle that lies a
// little off it:
//
//        \  air  /                 \       /
//         \     /                   \     /       seen along the edge: the two faces around the widest
//   solid  >---<  solid       solid  >- -<        wedge, here of material, end a step inside of it
//         /     \                   /     \       .
//        /  air  \                 /       \      .
//
// The widest wedge has the most room, whether it is air or material: a hair-thin wall that touches itself gets thicker,
// a corner that touches another gets blunter. No old vertex moves, so slivers nearby stay as they are; both ends of the
// edge are still touched by either side, which a solid may do.

#include "base/memory.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"
#include "mesh/half_edge.h"

#include <math.h>
#include <string.h>

#define OPEN_MOST 16 // faces at an edge that are looked at

// A face at the edge, seen along it.
typedef struct EdgeFace
{
	int32_t corner;
	brDVec3 away;   // unit, across the edge into the face
	double turn;    // rises with the angle about the edge, 0 to 4
	bool runsAlong; // from the edge's first vertex to its second
} EdgeFace;

typedef struct OpenJob
{
	const brMesh* mesh;
	brHalfEdges edges;
	int32_t* middles; // by corner: the vertex to put into its half-edge, or -1
	uint8_t* isCut;   // by face: has one already
	brFaceList list;
	double step;
} OpenJob;

// The faces at edge `e` in the order around it; 0 if there are too many or one has no width.
static int32_t openFaces(const OpenJob* job, int32_t e, brDVec3* outAxis, EdgeFace faces[OPEN_MOST])
{
	const brMesh* mesh = job->mesh;
	const int32_t* corners = job->edges.edgeCorners + job->edges.edgeStarts[e];
	int32_t count = job->edges.edgeStarts[e + 1] - job->edges.edgeStarts[e], from = mesh->corners[corners[0]];
	if (count > OPEN_MOST)
	{
		return 0;
	}
	brDVec3 origin = mesh->positions[from];
	brDVec3 axis = brDNormalize(brDSub(mesh->positions[brHalfEdges_Target(&job->edges, corners[0])], origin));
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t third = mesh->corners[brHalfEdges_Previous(&job->edges, corners[i])];
		brDVec3 arm = brDSub(mesh->positions[third], origin);
		arm = brDMulAdd(arm, -brDDot(arm, axis), axis);
		EdgeFace face = {corners[i], brDNormalize(arm), 0.0, mesh->corners[corners[i]] == from};
		if (brDDot(face.away, face.away) < 0.5)
		{
			return 0;
		}
		brDVec3 first = i == 0 ? face.away : faces[0].away;
		double x = brDDot(face.away, first), y = brDDot(face.away, brDCross(axis, first));
		face.turn = i == 0 ? 0.0 : y >= 0.0 ? 1.0 - x / (fabs(x) + y) : 3.0 + x / (fabs(x) - y);
		int32_t place = i;
		for (; place > 0 && faces[place - 1].turn > face.turn; --place)
		{
			faces[place] = faces[place - 1];
		}
		faces[place] = face;
	}
	*outAxis = axis;
	return count;
}

// Puts a vertex into the middle of edge `e`, for the two faces around its widest wedge.
static void openEdge(OpenJob* job, int32_t e)
{
	EdgeFace faces[OPEN_MOST];
	brDVec3 axis = {0};
	int32_t count = openFaces(job, e, &axis, faces), best = -1;
	double widest = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const EdgeFace *a = &faces[i], *b = &faces[(i + 1) % count];
		double width = b->turn - a->turn + (i + 1 == count ? 4.0 : 0.0);
		bool isFree = !job->isCut[job->edges.faces[a->corner]] && !job->isCut[job->edges.faces[b->corner]];
		if (width > widest && a->runsAlong != b->runsAlong && isFree)
		{
			widest = width;
			best = i;
		}
	}
	if (best < 0)
	{
		return;
	}
	const EdgeFace *a = &faces[best], *b = &faces[(best + 1) % count];
	brDVec3 into = brDCross(axis, brDSub(a->away, b->away));
	into = brDDot(into, into) > 0.01 ? brDNormalize(into) : brDMul(-1.0, a->away);
	const brMesh* mesh = job->mesh;
	int32_t ends[2] = {mesh->corners[a->corner], brHalfEdges_Target(&job->edges, a->corner)};
	brDVec3 middle = brDMul(0.5, brDAdd(mesh->positions[ends[0]], mesh->positions[ends[1]]));
	int32_t vertex = brFaceList_AddVertex(&job->list, brDMulAdd(middle, job->step, into), ends[0]);
	job->middles[a->corner] = job->middles[b->corner] = vertex;
	job->isCut[job->edges.faces[a->corner]] = job->isCut[job->edges.faces[b->corner]] = 1;
}

// Writes a face, as two where a vertex was put into one of its edges.
static void openWriteFace(OpenJob* job, int32_t face)
{
	const brMesh* mesh = job->mesh;
	int32_t corner = mesh->faceStarts[face];
	while (corner < mesh->faceStarts[face + 1] && job->middles[corner] < 0)
	{
		corner += 1;
	}
	if (corner == mesh->faceStarts[face + 1])
	{
		brFaceList_CopyFace(&job->list, face, NULL);
		return;
	}
	int32_t next = brHalfEdges_Next(&job->edges, corner), third = brHalfEdges_Previous(&job->edges, corner);
	brFaceList_Begin(&job->list, face);
	brFaceList_AddCorner(&job->list, mesh->corners[corner], corner);
	brFaceList_AddCorner(&job->list, job->middles[corner], corner);
	brFaceList_AddCorner(&job->list, mesh->corners[third], third);
	brFaceList_Begin(&job->list, face);
	brFaceList_AddCorner(&job->list, job->middles[corner], next);
	brFaceList_AddCorner(&job->list, mesh->corners[next], next);
	brFaceList_AddCorner(&job->list, mesh->corners[third], third);
}

brResult brOpenEdges(const brContext* context, const brMesh* mesh, double step, brMesh** outMesh, brReport* report)
{
	OpenJob job = {.mesh = mesh, .step = step};
	if (brMakeHalfEdges(context, mesh, &job.edges) < 0)
	{
		return brFailMemory(report);
	}
	brAllocator allocator = job.edges.allocator;
	brFaceList_Init(&job.list, &allocator, mesh);
	job.middles = BR_ALLOC(&allocator, int32_t, mesh->cornerCount);
	job.isCut = BR_ALLOC_ZERO(&allocator, uint8_t, mesh->faceCount);
	brMesh* opened = NULL;
	if (job.middles != NULL && job.isCut != NULL)
	{
		memset(job.middles, 0xff, (size_t)mesh->cornerCount * sizeof(int32_t));
		for (int32_t e = 0; e < job.edges.edgeCount; ++e)
		{
			if (job.edges.edgeStarts[e + 1] - job.edges.edgeStarts[e] > 2)
			{
				openEdge(&job, e);
			}
		}
		for (int32_t f = 0; f < mesh->faceCount; ++f)
		{
			openWriteFace(&job, f);
		}
		opened = brFaceList_Finish(&job.list);
	}
	BR_FREE(&allocator, job.middles, mesh->cornerCount);
	BR_FREE(&allocator, job.isCut, mesh->faceCount);
	brFaceList_Free(&job.list);
	brFreeHalfEdges(&job.edges);
	*outMesh = opened;
	return opened != NULL ? br_success : brFailMemory(report);
}
