// SPDX-License-Identifier: MIT

// The topological check: counts over half-edges, faces and vertices, then one sentence.
//
// Cost: the sort of the half-edges and some linear passes. Nothing here has a tolerance: places are equal or not, and
// corners lie on a line or not.

#include "mesh/topology.h"
#include "base/forest.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/predicates.h"
#include "mesh/half_edge.h"
#include "mesh/weld.h"

#include <stdio.h>
#include <string.h>

// The first offender of each kind, -1 for none.
typedef struct TopologyFirsts
{
	int32_t boundaryCorner;
	int32_t nonmanifoldCorner;
	int32_t misorientedCorner;
	int32_t nonmanifoldVertex;
	int32_t repeatedFace;
	int32_t flatFace;
} TopologyFirsts;

bool brIsCollinear(brDVec3 a, brDVec3 b, brDVec3 c)
{
	return brOrient2d((brDVec2){a.x, a.y}, (brDVec2){b.x, b.y}, (brDVec2){c.x, c.y}) == 0 &&
		   brOrient2d((brDVec2){a.y, a.z}, (brDVec2){b.y, b.z}, (brDVec2){c.y, c.z}) == 0 &&
		   brOrient2d((brDVec2){a.z, a.x}, (brDVec2){b.z, b.x}, (brDVec2){c.z, c.x}) == 0;
}

bool brMesh_FaceIsFlat(const brMesh* mesh, int32_t face)
{
	const int32_t* corners = mesh->corners + mesh->faceStarts[face];
	int32_t count = brMesh_GetFaceSize(mesh, face);
	brDVec3 a = mesh->positions[corners[0]], b = a;
	for (int32_t k = 1; k < count; ++k)
	{
		brDVec3 p = mesh->positions[corners[k]];
		if (b.x == a.x && b.y == a.y && b.z == a.z)
		{
			b = p; // the first corner at another place gives the line
		}
		else if (!brIsCollinear(a, b, p))
		{
			return false;
		}
	}
	return true;
}

// Edges by the number and direction of their half-edges. Returns whether each is run along as often one way as the
// other.
static bool countEdges(const brHalfEdges* edges, brMeshCheck* check, TopologyFirsts* firsts)
{
	bool isBalanced = true;
	check->edges = edges->edgeCount;
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		int32_t begin = edges->edgeStarts[e], end = edges->edgeStarts[e + 1];
		int32_t corner = edges->edgeCorners[begin];
		int32_t* first = NULL;
		if (end - begin == 1)
		{
			check->boundaryEdges += 1;
			first = &firsts->boundaryCorner;
		}
		else if (end - begin > 2)
		{
			check->nonmanifoldEdges += 1;
			first = &firsts->nonmanifoldCorner;
		}
		else if (edges->twins[corner] < 0)
		{
			check->misorientedEdges += 1;
			first = &firsts->misorientedCorner;
		}
		if (first != NULL)
		{
			*first = *first < 0 || corner < *first ? corner : *first;
			int32_t balance = 0;
			for (int32_t k = begin; k < end; ++k)
			{
				bool sameWay = edges->mesh->corners[edges->edgeCorners[k]] == edges->mesh->corners[corner];
				balance += sameWay ? 1 : -1;
			}
			isBalanced = isBalanced && balance == 0;
		}
	}
	return isBalanced;
}

// Faces with a vertex twice, joining their corners there; and flat ones. `lastCorners` has a place for each vertex.
static void countFaces(const brMesh* mesh, int32_t* parents, int32_t* lastCorners, brMeshCheck* check,
					   TopologyFirsts* firsts)
{
	memset(lastCorners, 0xff, (size_t)mesh->vertexCount * sizeof(int32_t));
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		bool isRepeated = false;
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			int32_t* last = &lastCorners[mesh->corners[c]];
			if (*last >= mesh->faceStarts[f])
			{
				isRepeated = true;
				brJoinRoots(parents, *last, c);
			}
			*last = c;
		}
		int32_t size = brMesh_GetFaceSize(mesh, f);
		check->triangles += size - 2;
		check->maxFaceSize = size > check->maxFaceSize ? size : check->maxFaceSize;
		if (isRepeated)
		{
			check->repeatedIndexFaces += 1;
			firsts->repeatedFace = firsts->repeatedFace < 0 ? f : firsts->repeatedFace;
		}
		else if (brMesh_FaceIsFlat(mesh, f))
		{
			check->zeroAreaFaces += 1;
			firsts->flatFace = firsts->flatFace < 0 ? f : firsts->flatFace;
		}
	}
}

// Joins the corners at each end of each edge, whatever its kind: a vertex left with two sets has two fans.
static void joinFans(const brHalfEdges* edges, int32_t* parents)
{
	const brMesh* mesh = edges->mesh;
	for (int32_t e = 0; e < edges->edgeCount; ++e)
	{
		int32_t first = edges->edgeCorners[edges->edgeStarts[e]];
		int32_t firstNext = brHalfEdges_Next(edges, first);
		for (int32_t k = edges->edgeStarts[e] + 1; k < edges->edgeStarts[e + 1]; ++k)
		{
			int32_t corner = edges->edgeCorners[k];
			int32_t next = brHalfEdges_Next(edges, corner);
			bool sameWay = mesh->corners[corner] == mesh->corners[first];
			brJoinRoots(parents, first, sameWay ? corner : next);
			brJoinRoots(parents, firstNext, sameWay ? next : corner);
		}
	}
}

// Vertices nobody uses and vertices with more than one fan. `fanCounts` has a place for each vertex.
static void countVertices(const brMesh* mesh, const int32_t* parents, int32_t* fanCounts, brMeshCheck* check,
						  TopologyFirsts* firsts)
{
	memset(fanCounts, 0, (size_t)mesh->vertexCount * sizeof(int32_t));
	for (int32_t c = 0; c < mesh->cornerCount; ++c)
	{
		fanCounts[mesh->corners[c]] += parents[c] == c;
	}
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		check->unusedVertices += fanCounts[v] == 0;
		if (fanCounts[v] > 1)
		{
			check->nonmanifoldVertices += 1;
			firsts->nonmanifoldVertex = firsts->nonmanifoldVertex < 0 ? v : firsts->nonmanifoldVertex;
		}
	}
}

static int32_t countComponents(const brMesh* mesh, int32_t* parents)
{
	brResetForest(parents, mesh->vertexCount);
	int32_t joins = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t start = mesh->faceStarts[f];
		for (int32_t c = start + 1; c < mesh->faceStarts[f + 1]; ++c)
		{
			joins += brJoinRoots(parents, mesh->corners[start], mesh->corners[c]);
		}
	}
	return joins;
}

static void writeVerdict(const brHalfEdges* edges, const TopologyFirsts* firsts, brMeshCheck* check)
{
	const int32_t* corners = edges->mesh->corners;
	char* text = check->verdict;
	size_t size = sizeof(check->verdict);
	if (check->faces == 0)
	{
		snprintf(text, size, "the mesh has no faces");
	}
	else if (firsts->boundaryCorner >= 0)
	{
		int32_t c = firsts->boundaryCorner;
		snprintf(text, size, "edge %d-%d of face %d has no second face: the surface is open (such edges: %d)",
				 corners[c], brHalfEdges_Target(edges, c), edges->faces[c], check->boundaryEdges);
	}
	else if (firsts->nonmanifoldCorner >= 0)
	{
		int32_t c = firsts->nonmanifoldCorner;
		snprintf(text, size, "edge %d-%d of face %d belongs to more than two faces (such edges: %d)", corners[c],
				 brHalfEdges_Target(edges, c), edges->faces[c], check->nonmanifoldEdges);
	}
	else if (firsts->misorientedCorner >= 0)
	{
		int32_t c = firsts->misorientedCorner;
		snprintf(
			text, size,
			"edge %d-%d of face %d runs the same way in its other face: one of them is turned over (such edges: %d)",
			corners[c], brHalfEdges_Target(edges, c), edges->faces[c], check->misorientedEdges);
	}
	else if (firsts->repeatedFace >= 0)
	{
		snprintf(text, size, "face %d has a vertex twice (such faces: %d)", firsts->repeatedFace,
				 check->repeatedIndexFaces);
	}
	else if (firsts->flatFace >= 0)
	{
		snprintf(text, size, "face %d has no area: its corners lie on one line (such faces: %d)", firsts->flatFace,
				 check->zeroAreaFaces);
	}
	else if (!(check->volume > 0.0))
	{
		snprintf(text, size, "the volume is %g: the surface is %s", check->volume,
				 check->volume < 0.0 ? "inside out" : "folded flat");
	}
	else if (firsts->nonmanifoldVertex >= 0)
	{
		snprintf(text, size,
				 "a closed solid, pinched at vertex %d, where faces that share no edge meet (such vertices: %d)",
				 firsts->nonmanifoldVertex, check->nonmanifoldVertices);
	}
	else
	{
		snprintf(text, size, "a clean closed solid");
	}
}

brResult brCheckTopology(const brContext* context, const brMesh* mesh, brMeshCheck* outCheck, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brHalfEdges edges = {0};
	int32_t* cornerParents = BR_ALLOC(&allocator, int32_t, mesh->cornerCount);
	int32_t* vertexScratch = BR_ALLOC(&allocator, int32_t, mesh->vertexCount);
	brMeshCheck check;
	TopologyFirsts firsts = {-1, -1, -1, -1, -1, -1};
	memset(&check, 0, sizeof(check));
	brResult result = br_errorMemory;
	if (cornerParents == NULL || vertexScratch == NULL || brMakeHalfEdges(context, mesh, &edges) < 0)
	{
		goto done;
	}

	// Counts
	check.vertices = mesh->vertexCount;
	check.faces = mesh->faceCount;
	check.selfIntersections = -1;
	check.duplicatePositions = brFindEqualPositions(&allocator, mesh->positions, mesh->vertexCount, vertexScratch);
	if (check.duplicatePositions < 0)
	{
		goto done;
	}
	bool isBalanced = countEdges(&edges, &check, &firsts);
	brResetForest(cornerParents, mesh->cornerCount);
	countFaces(mesh, cornerParents, vertexScratch, &check, &firsts);
	joinFans(&edges, cornerParents);
	countVertices(mesh, cornerParents, vertexScratch, &check, &firsts);
	int32_t usedVertices = mesh->vertexCount - check.unusedVertices;
	check.components = usedVertices - countComponents(mesh, vertexScratch);
	check.euler = usedVertices - check.edges + check.faces;

	// Conclusions
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	check.isClosed = check.faces > 0 && check.boundaryEdges == 0;
	check.isOriented = check.misorientedEdges == 0;
	check.isManifold = check.nonmanifoldEdges == 0;
	check.area = brMesh_ComputeArea(mesh);
	check.volume = check.isClosed && isBalanced ? mass.volume : 0.0;
	check.bounds = brMesh_ComputeBounds(mesh);
	check.isSolid = check.isClosed && check.isOriented && check.isManifold && check.volume > 0.0 &&
					check.zeroAreaFaces == 0 && check.repeatedIndexFaces == 0;
	writeVerdict(&edges, &firsts, &check);
	*outCheck = check;
	result = brSucceed(report);

done:
	brFreeHalfEdges(&edges);
	BR_FREE(&allocator, cornerParents, mesh->cornerCount);
	BR_FREE(&allocator, vertexScratch, mesh->vertexCount);
	return result < 0 ? brFailMemory(report) : result;
}
