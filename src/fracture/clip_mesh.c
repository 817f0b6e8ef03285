// SPDX-License-Identifier: MIT

// What clipping needs of a mesh alone: its triangles, who is next to whom, and which faces are bent.

#include "base/report.h"
#include "fracture/site_lattice.h"
#include "fracture/surface_clip.h"
#include "math/predicates.h"
#include "mesh/half_edge.h"

// A face is flat if it bends by less than this part of the model's coordinates: what rounding does to a cap.
#define CLIP_FLAT 0x1p-46

#define CLIP_ROOM 0x1p-8 // about a model, of its size

brDBox3 brClipBox(const brMesh* mesh)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 extent = brDSub(box.upper, box.lower);
	double room = CLIP_ROOM * fmax(extent.x, fmax(extent.y, extent.z));
	brDVec3 margin = {room, room, room};
	return (brDBox3){brDSub(box.lower, margin), brDAdd(box.upper, margin)};
}

// A bent face stands for the fan from its first corner, as in brMesh_ComputeMass, so that volumes add up. Where
// some triangle of the fan would be turned over, the face is given up for its triangles, and `fanExcess` takes the
// difference.
static void clipFanBentFaces(brClipMesh* known)
{
	const brMesh* mesh = known->mesh;
	brSiteLattice lattice;
	brDBox3 box = brClipBox(mesh);
	box = brMakeSiteLattice(box, &lattice) ? brSiteLattice_Box(&lattice) : box;
	double magnitude = fmax(brDLength(box.lower), brDLength(box.upper));
	for (int32_t face = 0; face < mesh->faceCount; ++face)
	{
		int32_t first = mesh->faceStarts[face], size = brMesh_GetFaceSize(mesh, face);
		brDVec3 origin = mesh->positions[mesh->corners[first]];
		brDVec3 normal = {0.0, 0.0, 0.0};
		bool isBent = false;
		for (int32_t n = 1; size > 3 && n + 1 < size; ++n)
		{
			brDVec3 p = mesh->positions[mesh->corners[first + n]], q = mesh->positions[mesh->corners[first + n + 1]];
			normal = brDAdd(normal, brDCross(brDSub(p, origin), brDSub(q, origin)));
			isBent = isBent || (n > 1 && brOrient3d(origin, mesh->positions[mesh->corners[first + n - 1]], p, q) != 0);
		}
		bool isFan = isBent;
		for (int32_t n = 1; isFan && n + 1 < size; ++n)
		{
			brDVec3 p = mesh->positions[mesh->corners[first + n]], q = mesh->positions[mesh->corners[first + n + 1]];
			isFan = brDDot(normal, brDCross(brDSub(p, origin), brDSub(q, origin))) > 0.0;
		}
		int32_t* corners = known->triangles->corners + 3 * (int64_t)(first - 2 * face);
		double height = 0.0;
		brDVec3 unit = brDNormalize(normal);
		for (int32_t n = 1; isBent && !isFan && n < size; ++n)
		{
			height = fmax(height, fabs(brDDot(unit, brDSub(mesh->positions[mesh->corners[first + n]], origin))));
		}
		known->isSplit[face] = height > CLIP_FLAT * magnitude;
		for (int32_t n = 1; (isFan || known->isSplit[face]) && n + 1 < size; ++n)
		{
			int32_t* t = corners + 3 * (int64_t)(n - 1);
			if (isFan)
			{
				t[0] = first, t[1] = first + n, t[2] = first + n + 1;
				continue;
			}
			brDVec3 a = brDSub(mesh->positions[mesh->corners[t[0]]], origin);
			brDVec3 b = brDSub(mesh->positions[mesh->corners[t[1]]], origin);
			brDVec3 c = brDSub(mesh->positions[mesh->corners[t[2]]], origin);
			// Both surfaces have the same border, so the origin does not matter: the fan has no volume about its own
			// tip.
			known->fanExcess -= brDDot(a, brDCross(b, c)) / 6.0;
		}
	}
}

void brDestroyClipMesh(brClipMesh* known)
{
	if (known == NULL)
	{
		return;
	}
	const brAllocator allocator = known->allocator;
	brDestroyTriangulation(known->triangles);
	BR_FREE(&allocator, known->twins, known->mesh->cornerCount);
	BR_FREE(&allocator, known->isSplit, known->mesh->faceCount);
	BR_FREE(&allocator, known, 1);
}

brResult brCreateClipMesh(const brContext* context, const brMesh* mesh, brClipMesh** outKnown, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brClipMesh* known = BR_ALLOC_ZERO(&allocator, brClipMesh, 1);
	brHalfEdges edges;
	if (known == NULL)
	{
		return brFailMemory(report);
	}
	known->allocator = allocator;
	known->mesh = mesh;
	known->isSplit = BR_ALLOC(&allocator, bool, mesh->faceCount);
	brResult result =
		known->isSplit != NULL ? brTriangulateMesh(context, mesh, &known->triangles, report) : br_errorMemory;
	if (result >= 0)
	{
		result = brMakeHalfEdges(context, mesh, &edges);
	}
	if (result < 0)
	{
		brDestroyClipMesh(known);
		return result == br_errorMemory ? brFailMemory(report) : result;
	}
	known->twins = edges.twins;
	edges.twins = NULL;
	brFreeHalfEdges(&edges);
	clipFanBentFaces(known);
	*outKnown = known;
	return br_success;
}
