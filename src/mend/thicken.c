// SPDX-License-Identifier: MIT

// Surfaces without thickness as walls: two sides, half a thickness away each, and a rim along the border.

#include "base/memory.h"
#include "mend/face_list.h"
#include "mend/mend_stages.h"
#include "mesh/face_area.h"

#include <math.h>

// Directions in which the faces of a vertex turn by less than this share say nothing about where its sides lie.
#define THICKEN_LEVEL 0.05
// A sharp fold does not put its sides farther away than so many halves of the thickness.
#define THICKEN_MITER 3.0

// What the planes of the faces at a vertex, moved by a unit, ask of its way there: least squares.
typedef struct Ways
{
	double xx, yy, zz, xy, xz, yz;
	brDVec3 sum;
} Ways;

static void waysAdd(Ways* ways, brDVec3 normal, double weight)
{
	ways->xx += weight * normal.x * normal.x;
	ways->yy += weight * normal.y * normal.y;
	ways->zz += weight * normal.z * normal.z;
	ways->xy += weight * normal.x * normal.y;
	ways->xz += weight * normal.x * normal.z;
	ways->yz += weight * normal.y * normal.z;
	ways->sum = brDMulAdd(ways->sum, weight, normal);
}

// The shortest way onto all planes that have been moved by a unit: longer than one at an edge or a corner.
static brDVec3 waysSolve(const Ways* ways)
{
	double values[3];
	brMat3 axes = brEigenSymmetric(ways->xx, ways->yy, ways->zz, ways->xy, ways->xz, ways->yz, values);
	const brDVec3 columns[3] = {axes.cx, axes.cy, axes.cz};
	brDVec3 way = {0.0, 0.0, 0.0};
	for (int32_t k = 0; k < 3; ++k)
	{
		if (values[k] > THICKEN_LEVEL * values[2])
		{
			way = brDMulAdd(way, brDDot(columns[k], ways->sum) / values[k], columns[k]);
		}
	}
	double length = brDLength(way);
	return length > THICKEN_MITER ? brDMul(THICKEN_MITER / length, way) : way;
}

static void thickenFace(const brHalfEdges* edges, int32_t f, const int32_t* upper, const int32_t* lower,
						brFaceList* list)
{
	const brMesh* mesh = edges->mesh;
	int32_t begin = mesh->faceStarts[f], end = mesh->faceStarts[f + 1];
	brFaceList_CopyFace(list, f, upper);
	brFaceList_Begin(list, f);
	for (int32_t c = end - 1; c >= begin; --c)
	{
		brFaceList_AddCorner(list, lower[mesh->corners[c]], c);
	}
	for (int32_t c = begin; c < end; ++c)
	{
		if (edges->twins[c] == br_twinBoundary)
		{
			int32_t next = brHalfEdges_Next(edges, c), a = mesh->corners[c], b = mesh->corners[next];
			brFaceList_Begin(list, f);
			brFaceList_AddCorner(list, upper[b], next);
			brFaceList_AddCorner(list, upper[a], c);
			brFaceList_AddCorner(list, lower[a], c);
			brFaceList_AddCorner(list, lower[b], next);
		}
	}
}

bool brThickenFaces(const brAllocator* allocator, const brHalfEdges* edges, const uint8_t* isThin, double thickness,
					brFaceList* list)
{
	const brMesh* mesh = edges->mesh;
	Ways* ways = BR_ALLOC_ZERO(allocator, Ways, mesh->vertexCount);
	int32_t* upper = BR_ALLOC(allocator, int32_t, mesh->vertexCount);
	int32_t* lower = BR_ALLOC(allocator, int32_t, mesh->vertexCount);
	bool complete = ways != NULL && upper != NULL && lower != NULL;
	for (int32_t f = 0; complete && f < mesh->faceCount; ++f)
	{
		brDVec3 area = brMesh_FaceArea(mesh, f), normal = brDNormalize(area);
		for (int32_t c = mesh->faceStarts[f]; isThin[f] && c < mesh->faceStarts[f + 1]; ++c)
		{
			waysAdd(&ways[mesh->corners[c]], normal, brDLength(area));
		}
	}
	for (int32_t v = 0; complete && v < mesh->vertexCount; ++v)
	{
		if (ways[v].xx + ways[v].yy + ways[v].zz > 0.0)
		{
			brDVec3 way = brDMul(0.5 * thickness, waysSolve(&ways[v]));
			upper[v] = brFaceList_AddVertex(list, brDAdd(mesh->positions[v], way), v);
			lower[v] = brFaceList_AddVertex(list, brDSub(mesh->positions[v], way), v);
		}
		else // of faces without area: they go later
		{
			upper[v] = lower[v] = v;
		}
	}
	for (int32_t f = 0; complete && f < mesh->faceCount; ++f)
	{
		if (isThin[f])
		{
			thickenFace(edges, f, upper, lower, list);
		}
	}
	BR_FREE(allocator, ways, mesh->vertexCount);
	BR_FREE(allocator, upper, mesh->vertexCount);
	BR_FREE(allocator, lower, mesh->vertexCount);
	return complete && !list->failed;
}
