// SPDX-License-Identifier: MIT

// Inner corners of a solid: edges at which it turns inward. Stress rises there without a limit. The lattice shows a
// tense region beside the edge instead, so a crack that starts in its middle is off by a part of a lattice edge.

#include "fracture/crack_grow.h"

#include "base/report.h"
#include "base/sort.h"
#include "mesh/face_area.h"

#define CORNER_TURN 0.866 // cosine between the normals of two faces up to which their edge is one: 30 degrees

// Whether two faces that share an edge enclose more than half a turn of solid, and clearly so.
static bool cornerIsInner(const brMesh* mesh, int32_t edgeStart, int32_t face, int32_t other)
{
	brDVec3 a = brDNormalize(brMesh_FaceArea(mesh, face)), b = brDNormalize(brMesh_FaceArea(mesh, other));
	if (!(brDDot(a, b) < CORNER_TURN))
	{
		return false;
	}
	brDVec3 middle = {0.0, 0.0, 0.0};
	for (int32_t c = mesh->faceStarts[other]; c < mesh->faceStarts[other + 1]; ++c)
	{
		middle = brDAdd(middle, mesh->positions[mesh->corners[c]]);
	}
	middle = brDMul(1.0 / brMesh_GetFaceSize(mesh, other), middle);
	return brDDot(brDSub(middle, mesh->positions[edgeStart]), a) > 0.0;
}

// Edges of all faces by their ends. `values` are corners, each the start of an edge of the face in `faces`. False
// without memory.
static bool cornerSortEdges(const brAllocator* allocator, const brMesh* mesh, uint64_t* keys, uint32_t* values,
							int32_t* faces)
{
	int32_t count = mesh->cornerCount;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			int32_t next = c + 1 < mesh->faceStarts[f + 1] ? c + 1 : mesh->faceStarts[f];
			uint32_t a = (uint32_t)mesh->corners[c], b = (uint32_t)mesh->corners[next];
			keys[c] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
			values[c] = (uint32_t)c;
			faces[c] = f;
		}
	}
	return brSortPairs64(NULL, allocator, keys, values, keys + count, values + count, count);
}

brResult brCrackGrowth_ToInnerCorner(const brCrackGrowth* growth, double reach, brDVec3* point, brDVec3* outAlong,
									 brReport* report)
{
	const brMesh* mesh = growth->solid;
	const brAllocator* allocator = &growth->allocator;
	int32_t count = mesh->cornerCount;
	uint64_t* keys = BR_ALLOC(allocator, uint64_t, 2 * (int64_t)count);
	uint32_t* values = BR_ALLOC(allocator, uint32_t, 2 * (int64_t)count);
	int32_t* faces = BR_ALLOC(allocator, int32_t, count);
	bool isGood =
		keys != NULL && values != NULL && faces != NULL && cornerSortEdges(allocator, mesh, keys, values, faces);
	brDVec3 from = *point;
	*outAlong = (brDVec3){0.0, 0.0, 0.0};
	for (int32_t i = 0; isGood && i + 1 < count; ++i)
	{
		int32_t a = mesh->corners[values[i]], b = (int32_t)(keys[i] >> 32) + (int32_t)(uint32_t)keys[i] - a;
		brDVec3 start = mesh->positions[a], along = brDSub(mesh->positions[b], start);
		double length = brDLengthSq(along), at = brDDot(brDSub(from, start), along);
		brDVec3 nearest = brDMulAdd(start, length > 0.0 ? fmax(0.0, fmin(1.0, at / length)) : 0.0, along);
		double distance = brDDistance(from, nearest);
		if (keys[i] == keys[i + 1] && distance < reach && length > 0.0 &&
			cornerIsInner(mesh, a, faces[values[i]], faces[values[i + 1]]))
		{
			reach = distance;
			*point = nearest, *outAlong = brDMul(1.0 / sqrt(length), along);
		}
	}
	BR_FREE(allocator, keys, 2 * (int64_t)count);
	BR_FREE(allocator, values, 2 * (int64_t)count);
	BR_FREE(allocator, faces, count);
	return isGood ? br_success : brFailMemory(report);
}
